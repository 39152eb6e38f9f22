/* SPDX-License-Identifier: MIT
 *
 * Devices by number, the nodes of /dev, and opening what a link of /proc/PID/fd names.
 */
#include "kernel/internal.h"

enum {
	DEV_NULL = 1 << 8 | 3,
	DEV_ZERO = 1 << 8 | 5,
	DEV_FULL = 1 << 8 | 7,
	DEV_RANDOM = 1 << 8 | 8,
	DEV_URANDOM = 1 << 8 | 9,
	DEV_TTY = 5 << 8 | 0,
	DEV_CONSOLE = 5 << 8 | 1,
	DEV_PTMX = 5 << 8 | 2,
};

static int64_t dev_read(struct proc *p, struct file *f, void *out, size_t n)
{
	switch (f->u.dev) {
	case DEV_ZERO:
	case DEV_FULL: memset(out, 0, n); return (int64_t)n;
	case DEV_RANDOM:
	case DEV_URANDOM: random_fill(p->k, out, n); return (int64_t)n;
	default: return 0;
	}
}

static int64_t dev_write(struct proc *p, struct file *f, const void *data, size_t n)
{
	(void)p;
	(void)data;
	return f->u.dev == DEV_FULL && n != 0 ? -E_NOSPC : (int64_t)n;
}

static const struct file_ops file_dev = {
	.name = "device",
	.read = dev_read,
	.write = dev_write,
	.copy = copy_plain,
	.seekable = true,
};

const struct file_ops *dev_file_ops(void)
{
	return &file_dev;
}

int dev_open(struct proc *p, uint64_t rdev, unsigned oflags, struct file **out)
{
	struct kernel *k = p->k;

	switch (rdev) {
	case DEV_NULL:
	case DEV_ZERO:
	case DEV_FULL:
	case DEV_RANDOM:
	case DEV_URANDOM:
		*out = file_new(k, &file_dev, oflags);
		if (*out == NULL)
			return -E_NOMEM;
		(*out)->u.dev = rdev;
		return 0;
	case DEV_PTMX: return pty_open_master(p, oflags, out);
	case DEV_TTY:
	case DEV_CONSOLE:
		if (rdev == DEV_TTY && pty_open_controlling(p, oflags, out) == 0)
			return 0;
		for (int i = 0; i < 3; i++)
			if (k->host.terminal[i])
				return console_open(k, i, oflags, out);
		return -E_NXIO;
	default:
		if ((rdev & ~(uint64_t)255) == PTY_DEVICE)
			return pty_open_slave(p, (uint32_t)(rdev & 255), oflags, out);
		return -E_NXIO;
	}
}

static int reopen_mem(struct proc *p, struct file *target, unsigned oflags, struct file **out)
{
	if ((oflags & O_ACCMODE_) != O_RDONLY_)
		return -E_ACCES;
	target->u.mem->refs++;
	return mem_open(p->k, target->u.mem, oflags, out);
}

int dev_jump(struct proc *p, struct file *target, unsigned oflags, struct file **out)
{
	unsigned mode = oflags & O_ACCMODE_;

	if (target->ops == &file_pipe)
		return pipe_reopen(p, target, oflags, out);
	if (target->ops == &file_mem)
		return reopen_mem(p, target, oflags, out);
	if (target->ops == &file_capture) {
		if (mode != O_WRONLY_)
			return -E_ACCES;
		*out = file_get(target);
		return 0;
	}
	if (target->ops == &file_console)
		return console_open(p->k, target->u.console, oflags, out);
	if (target->ops == &file_dev)
		return dev_open(p, target->u.dev, oflags, out);
	return -E_NXIO;
}

/* --- /dev --- */

struct node {
	const char *path;
	int rdev; /* 0: a link */
	const char *target;
};

static const struct node nodes[] = {
	{ "/dev/null", DEV_NULL, NULL },         { "/dev/zero", DEV_ZERO, NULL },
	{ "/dev/full", DEV_FULL, NULL },         { "/dev/random", DEV_RANDOM, NULL },
	{ "/dev/urandom", DEV_URANDOM, NULL },   { "/dev/tty", DEV_TTY, NULL },
	{ "/dev/console", DEV_CONSOLE, NULL },   { "/dev/fd", 0, "/proc/self/fd" },
	{ "/dev/stdin", 0, "/proc/self/fd/0" },  { "/dev/stdout", 0, "/proc/self/fd/1" },
	{ "/dev/stderr", 0, "/proc/self/fd/2" },
};

int kernel_make_devices(struct kernel *k)
{
	static const struct vfs_cred root = { 0 };
	vfs_ino ino;
	int r = vfs_mkdir(k->vfs, &root, VFS_ROOT, "/dev/pts", 0755);

	if (r == 0)
		r = vfs_mkdir(k->vfs, &root, VFS_ROOT, "/dev/shm", 0777);
	if (r == 0)
		r = vfs_lookup(k->vfs, &root, VFS_ROOT, "/dev/shm", 0, &ino);
	if (r == 0)
		r = vfs_chmod(k->vfs, &root, ino, 01777);
	if (r == 0)
		r = vfs_mknod(k->vfs, &root, VFS_ROOT, "/dev/ptmx", S_CHR | 0666, DEV_PTMX);
	return r == -E_EXIST ? 0 : r;
}

int dev_make_nodes(struct vfs *v)
{
	static const struct vfs_cred root = { 0 };
	vfs_ino ino;
	int r = vfs_lookup(v, &root, VFS_ROOT, "/dev", 0, &ino);

	if (r == 0)
		return 0;
	r = vfs_mkdir(v, &root, VFS_ROOT, "/dev", 0755);
	for (size_t i = 0; r == 0 && i < sizeof nodes / sizeof nodes[0]; i++) {
		const struct node *n = &nodes[i];

		if (n->rdev != 0)
			r = vfs_mknod(v, &root, VFS_ROOT, n->path, S_CHR | 0666, (uint64_t)n->rdev);
		else
			r = vfs_symlink(v, &root, n->target, VFS_ROOT, n->path);
	}
	return r;
}
