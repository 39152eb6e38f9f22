/* SPDX-License-Identifier: MIT
 *
 * Open files without a descriptor: what programs have mapped into their memory.
 */
#include "kernel/internal.h"

void kernel_set_mappings(struct kernel *k, const struct mappings *m)
{
	k->mappings = m;
}

struct file *sys_file(struct proc *p, int fd)
{
	struct file *f = fd_file(p, fd);

	return f != NULL ? file_get(f) : NULL;
}

bool sys_file_regular(const struct file *f)
{
	return f->ops == &file_regular;
}

int sys_file_nameless(struct kernel *k, vfs_ino ino, struct file **out)
{
	struct vfs_stat st;
	int r = ino >> 63 == 0 ? vfs_hold(k->vfs, ino) : -E_IO;

	if (r != 0)
		return r == -E_NOMEM ? r : -E_IO;
	*out = file_new(k, &file_regular, O_RDONLY_);
	if (*out == NULL) {
		vfs_drop(k->vfs, ino);
		return -E_NOMEM;
	}
	(*out)->ino = ino;
	if (vfs_getattr(k->vfs, ino, &st) == 0 && (st.mode & S_FMT) == S_REG)
		return 0;
	file_put(*out);
	*out = NULL;
	return -E_IO;
}

unsigned sys_file_flags(const struct file *f)
{
	return f->flags;
}

int64_t sys_file_read(struct proc *p, struct file *f, void *out, size_t n, uint64_t pos)
{
	int64_t r;

	if (f->ops != &file_regular)
		return -E_NODEV;
	do
		r = vfs_read(f->k->vfs, f->ino, pos, out, n);
	while (p != NULL && path_again(p, &r));
	return r;
}

int64_t sys_file_write(struct proc *p, struct file *f, const void *data, size_t n, uint64_t pos)
{
	int64_t r;

	if (f->ops != &file_regular)
		return -E_NODEV;
	r = view_writing(f->k, f->ino);
	if (r != 0)
		return r;
	do
		r = vfs_write(f->k->vfs, f->ino, pos, data, n);
	while (p != NULL && path_again(p, &r));
	return r;
}

int64_t sys_file_page(struct proc *p, struct file *f, uint64_t index, bool fetch,
		      struct vfs_page **out)
{
	int64_t r;

	if (f->ops != &file_regular)
		return -E_NODATA;
	do
		r = vfs_page_get(f->k->vfs, f->ino, index, fetch, out);
	while (p != NULL && path_again(p, &r));
	return r;
}

uint64_t sys_file_page_next(struct file *f, uint64_t index)
{
	return f->ops == &file_regular ? vfs_page_next(f->k->vfs, f->ino, index) : UINT64_MAX;
}

void sys_file_ahead(struct file *f, uint64_t index, uint64_t end)
{
	if (f->ops == &file_regular)
		vfs_page_ahead(f->k->vfs, f->ino, index, end);
}

bool sys_file_again(struct proc *p, int64_t *r)
{
	return path_again(p, r);
}

int sys_file_seals(struct file *f)
{
	return f->ops == &file_regular ? vfs_seals(f->k->vfs, f->ino) : -E_INVAL;
}

int sys_file_seal(struct file *f, unsigned seals)
{
	if (f->ops != &file_regular)
		return -E_INVAL;
	return file_writes(f) ? vfs_seal(f->k->vfs, f->ino, seals) : -E_PERM;
}

int64_t sys_file_stat(struct proc *p, struct file *f, struct vfs_stat *out)
{
	(void)p;
	return f->ops == &file_regular ? vfs_getattr(f->k->vfs, f->ino, out) : -E_NODEV;
}

vfs_ino sys_file_ino(const struct file *f)
{
	return f->ops == &file_regular ? f->ino : 0;
}

char *sys_file_path(struct file *f, struct arena *a)
{
	struct buf b = buf_in(a);
	char *dir;

	if (f->path == NULL)
		return arena_dup(a, bytes_of(""));
	if (f->path[0] != '/' && vfs_dir_path(f->k->vfs, f->dir, a, &dir) == 0) {
		buf_puts(&b, dir);
		if (strcmp(dir, "/") != 0)
			buf_putc(&b, '/');
	}
	buf_puts(&b, f->path);
	return buf_cstr(&b);
}

/* Where the link at `path` leads to, seen from there; NULL if it is none. */
static char *next_link(struct proc *p, vfs_ino from, const char *path, struct arena *a)
{
	const char *slash = strrchr(path, '/');
	struct vfs *v = p->k->vfs;
	char *target = arena_alloc(a, VFS_PATH_MAX);
	struct buf b = buf_in(a);
	vfs_ino ino;
	int64_t n = vfs_lookup(v, &p->cred, from, path, VFS_NOFOLLOW, &ino);

	if (n == 0)
		n = vfs_readlink(v, ino, target, VFS_PATH_MAX);
	if (n <= 0 || n > VFS_PATH_MAX)
		return NULL;
	if (target[0] != '/' && slash != NULL)
		buf_put(&b, path, (size_t)(slash - path) + 1);
	buf_put(&b, target, (size_t)n);
	return buf_cstr(&b);
}

/* The path without links, as /proc/PID/exe shows it; as it was given if that can't be found. */
const char *path_real(struct proc *p, vfs_ino from, const char *path, struct arena *a)
{
	const char *at = path;
	struct buf b = buf_in(a);
	const char *slash;
	char *dir = NULL;
	vfs_ino ino;

	for (int hops = 0; hops < VFS_LINK_HOPS_MAX; hops++) {
		char *next = next_link(p, from, at, a);

		if (next == NULL)
			break;
		at = next;
	}
	slash = strrchr(at, '/');
	buf_put(&b, at, slash != NULL ? (size_t)(slash - at) + 1 : 0);
	buf_putc(&b, '.');
	if (vfs_lookup(p->k->vfs, &p->cred, from, buf_cstr(&b), 0, &ino) != 0 ||
	    vfs_dir_path(p->k->vfs, ino, a, &dir) != 0)
		return path;
	b = buf_in(a);
	if (strcmp(dir, "/") != 0)
		buf_puts(&b, dir);
	buf_putc(&b, '/');
	buf_puts(&b, slash != NULL ? slash + 1 : at);
	return buf_cstr(&b);
}
