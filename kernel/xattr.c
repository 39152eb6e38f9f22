/* SPDX-License-Identifier: MIT
 *
 * Extended attributes by path and by descriptor; what they are is vfs/xattr.c's.
 */
#include "kernel/internal.h"

/* What is asked about: 0 in *out is something without an inode, as a pipe. */
static int64_t target(struct proc *p, int fd, const char *path, int flags, vfs_ino *out)
{
	const struct file *f;
	int64_t r;

	*out = 0;
	if (path == NULL) {
		proc_charge(p, 2);
		f = fd_file(p, fd);
		if (f == NULL || f->ops == &file_path)
			return -E_BADF;
		*out = f->ino;
		return 0;
	}
	r = path_find(p, fd, path, flags, out);
	if (r == 0 && *out == p->k->jump_ino && p->k->jump != NULL)
		*out = p->k->jump->ino;
	return r;
}

static void told(struct proc *p, int64_t r, vfs_ino ino, int fd, const char *path)
{
	if (r != 0 || !inotify_on(p->k))
		return;
	if (path != NULL)
		path_changed(p, r, ino, fd, path);
	else
		inotify_file(p->k, fd_file(p, fd), INOTIFY_ATTRIB);
}

int64_t sys_getxattr(struct proc *p, int fd, const char *path, int flags, const char *name,
		     void *out, size_t n)
{
	vfs_ino ino;
	int64_t r = target(p, fd, path, flags, &ino);

	if (r != 0)
		return r;
	return ino != 0 ? vfs_xattr_get(p->k->vfs, &p->cred, ino, name, out, n) : -E_NODATA;
}

int64_t sys_listxattr(struct proc *p, int fd, const char *path, int flags, char *out, size_t n)
{
	vfs_ino ino;
	int64_t r = target(p, fd, path, flags, &ino);

	if (r != 0)
		return r;
	return ino != 0 ? vfs_xattr_list(p->k->vfs, &p->cred, ino, out, n) : 0;
}

int64_t sys_setxattr(struct proc *p, int fd, const char *path, int flags, const char *name,
		     struct bytes value, unsigned how)
{
	vfs_ino ino;
	int64_t r = target(p, fd, path, flags, &ino);

	if (r != 0)
		return r;
	r = ino != 0 ? vfs_xattr_set(p->k->vfs, &p->cred, ino, name, value, how) : -E_PERM;
	told(p, r, ino, fd, path);
	return r;
}

int64_t sys_removexattr(struct proc *p, int fd, const char *path, int flags, const char *name)
{
	vfs_ino ino;
	int64_t r = target(p, fd, path, flags, &ino);

	if (r != 0)
		return r;
	r = ino != 0 ? vfs_xattr_remove(p->k->vfs, &p->cred, ino, name) : -E_PERM;
	told(p, r, ino, fd, path);
	return r;
}
