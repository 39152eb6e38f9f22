/* SPDX-License-Identifier: MIT
 *
 * Extended attributes: the filesystem has none. Files are looked for as usual, have an empty list
 * of attributes, and take no new ones.
 */
#include "microvm/private.h"

enum { NAME_MAX_ = 255 };

/* Whether an attribute may have this name: 0 or an error. */
static int64_t check_name(struct task *t, uint64_t address)
{
	char *name;
	int r = guest_string(t->p, t->space, address, NAME_MAX_ + 1, &t->p->arena, &name);

	if (r == -E_NAMETOOLONG || (r == 0 && name[0] == '\0'))
		return -E_RANGE;
	return r;
}

static int64_t at_path(struct task *t, uint64_t address, int flags)
{
	struct vfs_stat st;
	char *path;
	int r = get_path(t, address, &path);

	return r != 0 ? r : sys_stat(t->p, AT_FDCWD_, path, flags, &st);
}

static int64_t at_file(struct task *t, uint64_t fd)
{
	struct vfs_stat st;

	return sys_fstat(t->p, (int)fd, &st);
}

/* The name's error, else what is found, else the answer. */
static int64_t answer(struct task *t, int64_t found, uint64_t name, int64_t result)
{
	int64_t r = check_name(t, name);

	if (r != 0)
		return r;
	return found != 0 ? found : result;
}

int64_t call_setxattr(struct task *t, const uint64_t *a)
{
	return answer(t, at_path(t, a[0], 0), a[1], -E_OPNOTSUPP);
}

int64_t call_lsetxattr(struct task *t, const uint64_t *a)
{
	return answer(t, at_path(t, a[0], AT_NOFOLLOW_), a[1], -E_OPNOTSUPP);
}

int64_t call_fsetxattr(struct task *t, const uint64_t *a)
{
	return answer(t, at_file(t, a[0]), a[1], -E_OPNOTSUPP);
}

int64_t call_getxattr(struct task *t, const uint64_t *a)
{
	return answer(t, at_path(t, a[0], 0), a[1], -E_NODATA);
}

int64_t call_lgetxattr(struct task *t, const uint64_t *a)
{
	return answer(t, at_path(t, a[0], AT_NOFOLLOW_), a[1], -E_NODATA);
}

int64_t call_fgetxattr(struct task *t, const uint64_t *a)
{
	return answer(t, at_file(t, a[0]), a[1], -E_NODATA);
}

int64_t call_removexattr(struct task *t, const uint64_t *a)
{
	return call_getxattr(t, a);
}

int64_t call_lremovexattr(struct task *t, const uint64_t *a)
{
	return call_lgetxattr(t, a);
}

int64_t call_fremovexattr(struct task *t, const uint64_t *a)
{
	return call_fgetxattr(t, a);
}

int64_t call_listxattr(struct task *t, const uint64_t *a)
{
	return at_path(t, a[0], 0);
}

int64_t call_llistxattr(struct task *t, const uint64_t *a)
{
	return at_path(t, a[0], AT_NOFOLLOW_);
}

int64_t call_flistxattr(struct task *t, const uint64_t *a)
{
	return at_file(t, a[0]);
}
