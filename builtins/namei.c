/* SPDX-License-Identifier: MIT
 *
 * namei - each part of a path, and where its symbolic links lead.
 */
#include "builtins/builtin.h"

enum { LINKS_MAX = 20 };

struct namei_opts {
	bool long_form;
	bool modes;
	bool owners;
	bool vertical;
	bool no_links;
	bool mounts;
};

static const struct opt namei_options[] = {
	OPT_FLAG('l', "long", struct namei_opts, long_form, "-m -o -v"),
	OPT_FLAG('m', "modes", struct namei_opts, modes, "with permissions"),
	OPT_FLAG('n', NULL, struct namei_opts, no_links, "do not follow links"),
	OPT_FLAG('o', "owners", struct namei_opts, owners, "with owner and group"),
	OPT_FLAG('v', "vertical", struct namei_opts, vertical, "names below each other"),
	OPT_FLAG('x', "mountpoints", struct namei_opts, mounts,
		 "directories where something is mounted are D"),
	OPT_END(),
};

/* A part of a path, to be written once all of them are known. */
struct row {
	struct bytes name;
	struct bytes target; /* of a link */
	struct vfs_stat st;
	int err;
	int level;
	bool mounted;
	struct row *next;
};

struct trail {
	struct cmd *c;
	const struct namei_opts *o;
	struct row *first;
	struct row **last;
	int links;
	bool too_many;
	size_t owner_width;
	size_t group_width;
};

static const char *name_or_number(struct cmd *c, const char *name, uint32_t id)
{
	struct buf text = buf_in(c->arena);

	if (name != NULL)
		return name;
	buf_put_u64(&text, id);
	return buf_cstr(&text);
}

static const char *owner_of(struct trail *t, const struct row *r)
{
	return name_or_number(t->c, cmd_user_name(t->c, r->st.uid), r->st.uid);
}

static const char *group_of(struct trail *t, const struct row *r)
{
	return name_or_number(t->c, cmd_group_name(t->c, r->st.gid), r->st.gid);
}

static struct row *add_row(struct trail *t, const char *path, struct bytes name, int level)
{
	struct row *r = arena_zalloc(t->c->arena, sizeof *r);

	r->name = name;
	r->level = level;
	r->err = cmd_lstat(t->c, path, &r->st);
	*t->last = r;
	t->last = &r->next;
	if (r->err == 0 && t->o->owners) {
		size_t owner = strlen(owner_of(t, r));
		size_t group = strlen(group_of(t, r));

		t->owner_width = owner > t->owner_width ? owner : t->owner_width;
		t->group_width = group > t->group_width ? group : t->group_width;
	}
	return r;
}

/*
 * The parts of `path`, which begins in the directory `base` ("" for the working directory). Links
 * are followed in place. Returns the path that is reached, or NULL at the first error.
 */
static char *follow(struct trail *t, const char *base, struct bytes path, int level)
{
	struct buf at = buf_in(t->c->arena);
	uint64_t dev = UINT64_MAX;
	size_t i = 0;

	buf_puts(&at, base);
	if (path.len > 0 && path.ptr[0] == '/') {
		at.len = 0;
		buf_putc(&at, '/');
		struct row *root = add_row(t, "/", BYTES("/"), level);

		root->mounted = true;
		dev = root->st.dev;
	}
	for (;;) {
		while (i < path.len && path.ptr[i] == '/')
			i++;
		size_t from = i;

		while (i < path.len && path.ptr[i] != '/')
			i++;
		if (i == from)
			return buf_cstr(&at);
		size_t parent = at.len;

		if (at.len > 0 && at.ptr[at.len - 1] != '/')
			buf_putc(&at, '/');
		buf_add(&at, bytes_slice(path, from, i));
		struct row *r = add_row(t, buf_cstr(&at), bytes_slice(path, from, i), level);

		cmd_charge(t->c, 1);
		if (r->err < 0)
			return NULL;
		r->mounted = dev != UINT64_MAX && (r->st.mode & S_FMT) == S_DIR && r->st.dev != dev;
		dev = r->st.dev;
		if ((r->st.mode & S_FMT) != S_LNK)
			continue;
		if (cmd_readlink(t->c, CMD_CWD, at.ptr, &r->target) < 0)
			return NULL;
		if (t->o->no_links)
			continue;
		if (t->links++ == LINKS_MAX) {
			t->too_many = true;
			return NULL;
		}
		at.len = parent;
		char *reached = follow(t, buf_cstr(&at), r->target, level + 1);

		if (reached == NULL)
			return NULL;
		at.len = 0;
		buf_puts(&at, reached);
	}
}

/* --- output --- */

static void put_blanks(struct cmd *c, size_t n)
{
	while (n-- > 0)
		cmd_putc(c, ' ');
}

static void put_padded(struct cmd *c, const char *text, size_t width)
{
	cmd_putc(c, ' ');
	cmd_puts(c, text);
	put_blanks(c, width - strlen(text));
}

static void put_mode(struct trail *t, const struct row *r)
{
	char mode[11];

	mode_text(r->st.mode, mode);
	if (t->o->mounts && r->mounted)
		mode[0] = 'D';
	mode[t->o->modes ? 10 : 1] = '\0';
	cmd_puts(t->c, mode);
}

static void put_row(struct trail *t, const struct row *r)
{
	const struct namei_opts *o = t->o;
	size_t indent = (size_t)r->level * 2;

	if (!o->vertical)
		put_blanks(t->c, indent + 1);
	if (r->err < 0) {
		size_t blanks = o->modes ? 10 : 1;

		if (o->owners)
			blanks += t->owner_width + t->group_width + 2;
		put_blanks(t->c, blanks + (o->vertical ? indent : 0) + 1);
		cmd_bytes(t->c, r->name);
		cmd_printf(t->c, " - %s\n", err_text(r->err));
		return;
	}
	put_mode(t, r);
	if (o->owners) {
		put_padded(t->c, owner_of(t, r), t->owner_width);
		put_padded(t->c, group_of(t, r), t->group_width);
	}
	put_blanks(t->c, (o->vertical ? indent : 0) + 1);
	cmd_bytes(t->c, r->name);
	if (r->target.len > 0) {
		cmd_puts(t->c, " -> ");
		cmd_bytes(t->c, r->target);
	}
	cmd_putc(t->c, '\n');
}

static int namei_run(struct cmd *c)
{
	struct namei_opts *o = c->opts;
	struct vfs_stat st;
	int status = 0;

	if (c->nargs == 0)
		return cmd_usage(c, "pathname argument is missing");
	if (o->long_form)
		o->modes = o->owners = o->vertical = true;
	for (int i = 0; i < c->nargs; i++) {
		struct trail t = { .c = c, .o = o };

		t.last = &t.first;
		if (c->args[i][0] == '\0')
			continue;
		if (follow(&t, "", bytes_of(c->args[i]), 0) == NULL ||
		    (o->no_links && cmd_stat(c, c->args[i], &st) < 0))
			status = 1;
		cmd_printf(c, "f: %s\n", c->args[i]);
		for (const struct row *r = t.first; r != NULL; r = r->next)
			put_row(&t, r);
		if (t.too_many)
			cmd_error(c, 0, "%s: exceeded limit of symlinks", c->args[i]);
	}
	return status;
}

const struct builtin builtin_namei = {
	.name = "namei",
	.usage = "[OPTION]... PATH...",
	.summary = "Writes each part of the paths with its kind (- file, d directory, l link),\n"
		   "and where links lead.",
	.run = namei_run,
	.opts = namei_options,
	.opts_size = sizeof(struct namei_opts),
	.family = "util-linux 2.38.1",
};
