/* SPDX-License-Identifier: MIT
 *
 * shopt -s cdspell: the directory that a name may have been meant for.
 *
 * Component by component the entry that is nearest by one mistake of typing: two characters that
 * changed places, or one that is wrong, missing or too many (Kernighan and Pike, The UNIX
 * Programming Environment, 1984, spname). Of those equally near it is the first.
 */
#include "interp/dirs.h"

enum distance { SAME, SWAPPED, ONE_OFF, FAR };

static bool same_behind(struct bytes a, size_t from_a, struct bytes b, size_t from_b)
{
	return from_a <= a.len && from_b <= b.len &&
	       bytes_eq(bytes_slice(a, from_a, a.len), bytes_slice(b, from_b, b.len));
}

static enum distance distance(struct bytes a, struct bytes b)
{
	size_t i = 0;

	while (i < a.len && i < b.len && a.ptr[i] == b.ptr[i])
		i++;
	if (i == a.len && i == b.len)
		return SAME;
	if (i + 1 < a.len && i + 1 < b.len && a.ptr[i] == b.ptr[i + 1] &&
	    a.ptr[i + 1] == b.ptr[i] && same_behind(a, i + 2, b, i + 2))
		return SWAPPED;
	if (same_behind(a, i + 1, b, i + 1) || same_behind(a, i + 1, b, i) ||
	    same_behind(a, i, b, i + 1))
		return ONE_OFF;
	return FAR;
}

struct search {
	struct shell *sh;
	struct bytes name;
	struct bytes best; /* in the arena */
	enum distance far;
};

static void look_at(struct search *s, struct bytes name)
{
	enum distance d = distance(s->name, name);

	proc_charge(s->sh->p, 1 + name.len / 64);
	if (d >= s->far)
		return;
	s->far = d;
	s->best = arena_bytes(s->sh->arena, name);
}

/* The entry of that directory; false: none is near. */
static bool find_near(struct search *s, const char *dir)
{
	struct proc *p = s->sh->p;
	int64_t fd = sys_open(p, AT_FDCWD_, dir, O_DIRECTORY_, 0);
	struct vfs_dirent entry[32];
	int64_t n;

	s->far = FAR;
	if (fd < 0)
		return false;
	look_at(s, BYTES(".."));
	while (s->far != SAME && (n = sys_readdir(p, (int)fd, s->sh->arena, entry, 32)) > 0)
		for (int64_t i = 0; i < n; i++)
			look_at(s, entry[i].name);
	sys_close(p, (int)fd);
	return s->far != FAR;
}

const char *spelled_directory(struct shell *sh, const char *path)
{
	struct buf out = buf_in(sh->arena);

	for (;;) {
		size_t slashes = strspn(path, "/");
		size_t len = strcspn(path + slashes, "/");
		struct search s = { .sh = sh, .name = { path + slashes, len } };

		buf_put(&out, path, slashes);
		if (len == 0)
			return buf_cstr(&out);
		if (!find_near(&s, out.len != 0 ? buf_cstr(&out) : "."))
			return NULL;
		buf_add(&out, s.best);
		path += slashes + len;
	}
}
