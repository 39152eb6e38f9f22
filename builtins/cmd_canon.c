/* SPDX-License-Identifier: MIT
 *
 * Canonical paths: every symlink resolved, no "." or "..", as readlink -f and realpath.
 */
#include "builtins/cmd_private.h"

enum { CANON_HOPS_MAX = 40 };

struct canon {
	struct cmd *c;
	struct buf done;   /* resolved so far; "" means the root */
	struct bytes rest; /* what is still to be resolved */
	unsigned mode;
	int hops;
};

static struct bytes next_part(struct bytes *rest)
{
	size_t from = 0;
	size_t to;

	while (from < rest->len && rest->ptr[from] == '/')
		from++;
	for (to = from; to < rest->len && rest->ptr[to] != '/'; to++)
		;
	struct bytes part = bytes_slice(*rest, from, to);

	*rest = bytes_slice(*rest, to, rest->len);
	return part;
}

static bool only_slashes(struct bytes s)
{
	for (size_t i = 0; i < s.len; i++)
		if (s.ptr[i] != '/')
			return false;
	return true;
}

static void drop_last(struct buf *b)
{
	while (b->len > 0 && b->ptr[b->len - 1] != '/')
		b->len--;
	if (b->len > 0)
		b->len--;
}

static int follow_link(struct canon *w, size_t before)
{
	struct bytes target;
	struct buf joined = buf_in(w->c->arena);
	int err = cmd_readlink(w->c, CMD_CWD, buf_cstr(&w->done), &target);

	if (err < 0)
		return err;
	if (++w->hops > CANON_HOPS_MAX)
		return -E_LOOP;
	buf_add(&joined, target);
	buf_add(&joined, w->rest);
	w->done.len = target.len > 0 && target.ptr[0] == '/' ? 0 : before;
	w->rest = buf_bytes(&joined);
	return 0;
}

/* Adds one component that exists or may be missing. */
static int add_part(struct canon *w, struct bytes part)
{
	size_t before = w->done.len;
	unsigned need = w->mode & 3;
	struct vfs_stat st;

	buf_putc(&w->done, '/');
	buf_add(&w->done, part);
	if (need == CANON_MISSING && (w->mode & CANON_NOLINKS))
		return 0;
	int err = cmd_lstat(w->c, buf_cstr(&w->done), &st);

	if (err < 0) {
		if (need == CANON_MISSING)
			return 0;
		/* Where links are not followed only what ".." leaves must be there: see leave. */
		if (err == -E_NOENT && need == CANON_PARENT &&
		    ((w->mode & CANON_NOLINKS) || only_slashes(w->rest)))
			return 0;
		return err;
	}
	if ((st.mode & S_FMT) == S_LNK && !(w->mode & CANON_NOLINKS))
		return follow_link(w, before);
	if ((st.mode & S_FMT) != S_DIR && (st.mode & S_FMT) != S_LNK && w->rest.len != 0 &&
	    need != CANON_MISSING)
		return -E_NOTDIR;
	return 0;
}

/* What "..", or "." at the end, stands behind must be a directory. */
static int leave(struct canon *w)
{
	struct vfs_stat st;
	int err = 0;

	if ((w->mode & CANON_NOLINKS) && (w->mode & 3) != CANON_MISSING && w->done.len > 0) {
		err = cmd_stat(w->c, buf_cstr(&w->done), &st);
		if (err >= 0 && (st.mode & S_FMT) != S_DIR)
			err = -E_NOTDIR;
	}
	return err;
}

int cmd_canonical(struct cmd *c, const char *path, unsigned mode, char **out)
{
	struct canon w = { .c = c, .done = buf_in(c->arena), .rest = bytes_of(path), .mode = mode };
	char *cwd;

	if (path[0] == '\0')
		return -E_NOENT;
	if (path[0] != '/') {
		int err = cmd_getcwd(c, &cwd);

		if (err < 0)
			return err;
		if (strcmp(cwd, "/") != 0)
			buf_puts(&w.done, cwd);
	}
	for (;;) {
		struct bytes part = next_part(&w.rest);

		if (part.len == 0)
			break;
		cmd_charge(c, 1);
		bool up = bytes_is(part, "..");
		bool here = bytes_is(part, ".");
		int err = up || (here && w.rest.len == 0) ? leave(&w)
			  : here                          ? 0
							  : add_part(&w, part);

		if (up)
			drop_last(&w.done);

		if (err < 0)
			return err;
	}
	if (w.done.len == 0)
		buf_putc(&w.done, '/');
	*out = buf_cstr(&w.done);
	return 0;
}
