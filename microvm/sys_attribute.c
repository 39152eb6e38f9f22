/* SPDX-License-Identifier: MIT
 *
 * Extended attributes: twelve calls, four by path, four by path without following a link, four by
 * descriptor.
 */
#include "microvm/private.h"

enum { NAME_MAX_ = 255, VALUE_MAX = 65536, HOW = VFS_XATTR_CREATE | VFS_XATTR_REPLACE };

/* Whose attributes: a path, or (NULL) a descriptor. */
struct whose {
	int fd;
	char *path;
	int flags;
};

static int64_t at_path(struct task *t, uint64_t address, int flags, struct whose *out)
{
	*out = (struct whose){ AT_FDCWD_, NULL, flags };
	return get_path(t, address, &out->path);
}

static struct whose at_file(uint64_t fd)
{
	return (struct whose){ (int)fd, NULL, 0 };
}

static int64_t get_name(struct task *t, uint64_t address, char **out)
{
	int r = guest_string(t->p, t->space, address, NAME_MAX_ + 1, &t->p->arena, out);

	if (r == -E_NAMETOOLONG || (r == 0 && (*out)[0] == '\0'))
		return -E_RANGE;
	return r;
}

/* r bytes of what was asked for, to where the program wants them. */
static int64_t give(struct task *t, int64_t r, const char *from, const uint64_t *a)
{
	if (r <= 0 || a[1] == 0)
		return r;
	return put_user(t, a[0], from, (size_t)r) == 0 ? r : -E_FAULT;
}

/* a: the buffer and its size. */
static int64_t get(struct task *t, const struct whose *w, uint64_t name_at, const uint64_t *a)
{
	size_t n = a[1] < VFS_XATTRS_MAX ? (size_t)a[1] : VFS_XATTRS_MAX;
	char *into = arena_alloc(&t->p->arena, VFS_XATTRS_MAX);
	char *name;
	int64_t r = get_name(t, name_at, &name);

	if (r == 0)
		r = sys_getxattr(t->p, w->fd, w->path, w->flags, name, into, n);
	return give(t, r, into, a);
}

static int64_t list(struct task *t, const struct whose *w, const uint64_t *a)
{
	size_t n = a[1] < VFS_XATTRS_MAX ? (size_t)a[1] : VFS_XATTRS_MAX;
	char *into = arena_alloc(&t->p->arena, VFS_XATTRS_MAX);

	return give(t, sys_listxattr(t->p, w->fd, w->path, w->flags, into, n), into, a);
}

/* a: name, value, its size, how. */
static int64_t set(struct task *t, const struct whose *w, const uint64_t *a)
{
	size_t n = a[2] <= VFS_XATTRS_MAX ? (size_t)a[2] : 0;
	char *value = arena_alloc(&t->p->arena, n + 1);
	char *name;
	int64_t r = (a[3] & ~(uint64_t)HOW) != 0 ? -E_INVAL : get_name(t, a[0], &name);

	if (r == 0 && a[2] > VALUE_MAX)
		r = -E_2BIG;
	if (r == 0 && n != 0 && get_user(t, value, a[1], n) != 0)
		r = -E_FAULT;
	/* What is longer than fits is refused by its length alone. */
	return r != 0 ? r
		      : sys_setxattr(t->p, w->fd, w->path, w->flags, name,
				     (struct bytes){ value, (size_t)a[2] }, (unsigned)a[3]);
}

static int64_t drop(struct task *t, const struct whose *w, uint64_t name_at)
{
	char *name;
	int64_t r = get_name(t, name_at, &name);

	return r != 0 ? r : sys_removexattr(t->p, w->fd, w->path, w->flags, name);
}

int64_t call_setxattr(struct task *t, const uint64_t *a)
{
	struct whose w;
	int64_t r = at_path(t, a[0], 0, &w);

	return r != 0 ? r : set(t, &w, a + 1);
}

int64_t call_lsetxattr(struct task *t, const uint64_t *a)
{
	struct whose w;
	int64_t r = at_path(t, a[0], AT_NOFOLLOW_, &w);

	return r != 0 ? r : set(t, &w, a + 1);
}

int64_t call_fsetxattr(struct task *t, const uint64_t *a)
{
	struct whose w = at_file(a[0]);

	return set(t, &w, a + 1);
}

int64_t call_getxattr(struct task *t, const uint64_t *a)
{
	struct whose w;
	int64_t r = at_path(t, a[0], 0, &w);

	return r != 0 ? r : get(t, &w, a[1], a + 2);
}

int64_t call_lgetxattr(struct task *t, const uint64_t *a)
{
	struct whose w;
	int64_t r = at_path(t, a[0], AT_NOFOLLOW_, &w);

	return r != 0 ? r : get(t, &w, a[1], a + 2);
}

int64_t call_fgetxattr(struct task *t, const uint64_t *a)
{
	struct whose w = at_file(a[0]);

	return get(t, &w, a[1], a + 2);
}

int64_t call_listxattr(struct task *t, const uint64_t *a)
{
	struct whose w;
	int64_t r = at_path(t, a[0], 0, &w);

	return r != 0 ? r : list(t, &w, a + 1);
}

int64_t call_llistxattr(struct task *t, const uint64_t *a)
{
	struct whose w;
	int64_t r = at_path(t, a[0], AT_NOFOLLOW_, &w);

	return r != 0 ? r : list(t, &w, a + 1);
}

int64_t call_flistxattr(struct task *t, const uint64_t *a)
{
	struct whose w = at_file(a[0]);

	return list(t, &w, a + 1);
}

int64_t call_removexattr(struct task *t, const uint64_t *a)
{
	struct whose w;
	int64_t r = at_path(t, a[0], 0, &w);

	return r != 0 ? r : drop(t, &w, a[1]);
}

int64_t call_lremovexattr(struct task *t, const uint64_t *a)
{
	struct whose w;
	int64_t r = at_path(t, a[0], AT_NOFOLLOW_, &w);

	return r != 0 ? r : drop(t, &w, a[1]);
}

int64_t call_fremovexattr(struct task *t, const uint64_t *a)
{
	struct whose w = at_file(a[0]);

	return drop(t, &w, a[1]);
}
