/* SPDX-License-Identifier: MIT
 *
 * Calls that take paths: where they start, who asks, and waiting for files that the host
 * supplies later. The work is vfs/'s.
 */
#include "kernel/internal.h"

bool path_again(struct proc *p, int64_t *r)
{
	int w;

	/* A switch here would change what was found: it comes at the next charge. */
	kernel_fuel(p->k)->left -= (int64_t)vfs_looked(p->k->vfs);
	if (*r != VFS_PENDING)
		return false;
	w = proc_wait_host(p);
	if (w == 0)
		return true;
	*r = w;
	return false;
}

int path_dir(struct proc *p, int dirfd, const char *path, vfs_ino *out)
{
	const struct file *f;

	*out = proc_owner(p)->cwd;
	if (dirfd == AT_FDCWD_ || path[0] == '/')
		return 0;
	f = fd_file(p, dirfd);
	if (f == NULL)
		return -E_BADF;
	*out = f->ino;
	if (path[0] == '\0' && f->ino != 0)
		return 0;
	return f->ops == &file_dir || f->ops == &file_path ? 0 : -E_NOTDIR;
}

static unsigned lookup_flags(int flags)
{
	return ((flags & AT_NOFOLLOW_) != 0 ? VFS_NOFOLLOW : 0u) |
	       ((flags & AT_EMPTY_) != 0 ? VFS_EMPTY_PATH : 0u);
}

int64_t path_find(struct proc *p, int dirfd, const char *path, int flags, vfs_ino *out)
{
	vfs_ino dir;
	int64_t r;

	proc_charge(p, 4);
	r = path_dir(p, dirfd, path, &dir);
	if (r != 0)
		return r;
	if (dir == 0)
		return -E_BADF;
	do {
		p->k->jump = NULL;
		r = vfs_lookup(p->k->vfs, &p->cred, dir, path, lookup_flags(flags), out);
	} while (path_again(p, &r));
	return r;
}

/* --- open --- */

/* The open file that belongs to an inode which vfs_open gave, by its type. */
static int open_inode(struct proc *p, vfs_ino ino, unsigned oflags, struct file **out)
{
	const struct vfs_provider *provider;
	struct kernel *k = p->k;
	struct vfs_stat st;
	uint64_t id;
	int r = vfs_getattr(k->vfs, ino, &st);

	if (r != 0)
		return r;
	if ((oflags & O_PATH_) != 0)
		*out = file_new(k, &file_path, oflags);
	else if ((st.mode & S_FMT) == S_DIR)
		*out = file_new(k, &file_dir, oflags);
	else if (vfs_is_dynamic(k->vfs, ino, &provider, &id))
		return procfs_open(p, provider, id, oflags, out);
	else if ((st.mode & S_FMT) == S_REG)
		*out = file_new(k, &file_regular, oflags);
	else if ((st.mode & S_FMT) == S_FIFO)
		return fifo_open(p, ino, oflags, out);
	else if ((st.mode & S_FMT) == S_CHR)
		return dev_open(p, st.rdev, oflags, out);
	else
		return -E_NXIO;
	return *out != NULL ? 0 : -E_NOMEM;
}

void path_leave_opening(struct proc *p)
{
	struct file *f = p->priv->opened;
	int fd = p->priv->opening - 1;

	if (f == NULL)
		return;
	p->priv->opened = NULL;
	p->priv->opening = 0;
	if (fd_file(p, fd) == f)
		fd_drop(p, fd);
	file_put(f);
}

/* Puts the file into the table; the inode's hold becomes the file's. */
static int64_t install(struct proc *p, struct file *f, unsigned oflags)
{
	int fd = fd_install(p, f, (oflags & O_CLOEXEC_) != 0);
	int r;

	if (fd < 0 || f->ops != &file_pipe)
		return fd;
	p->priv->opening = fd + 1;
	p->priv->opened = file_get(f);
	r = fifo_wait(p, f);
	if (r == 0 && fd_file(p, fd) != f)
		r = -E_BADF;
	if (r != 0) {
		path_leave_opening(p);
		return r;
	}
	p->priv->opening = 0;
	p->priv->opened = NULL;
	file_put(f);
	return fd;
}

static void remember(struct file *f, vfs_ino dir, const char *path)
{
	size_t n = strlen(path) + 1;

	f->dir = dir;
	f->path = heap_alloc(&f->k->heap, n);
	if (f->path != NULL)
		memcpy(f->path, path, n);
}

static int64_t open_found(struct proc *p, vfs_ino ino, unsigned oflags, vfs_ino dir,
			  const char *path)
{
	struct kernel *k = p->k;
	struct file *f = NULL;
	int r;

	if (ino == k->jump_ino && k->jump != NULL) {
		r = dev_jump(p, k->jump, oflags, &f);
		vfs_drop(k->vfs, ino);
		if (r != 0)
			return r;
		return fd_install(p, f, (oflags & O_CLOEXEC_) != 0);
	}
	r = open_inode(p, ino, oflags, &f);
	if (r != 0) {
		vfs_drop(k->vfs, ino);
		return r;
	}
	f->ino = ino;
	remember(f, dir, path);
	return install(p, f, oflags);
}

int64_t sys_open(struct proc *p, int dirfd, const char *path, unsigned oflags, uint32_t mode)
{
	struct kernel *k = p->k;
	bool created = false;
	vfs_ino dir;
	vfs_ino ino;
	int64_t r;

	proc_charge(p, 5);
	r = path_dir(p, dirfd, path, &dir);
	if (r == 0 && dir == 0)
		r = -E_NOTDIR;
	if (r == 0 && (r = fd_slot(p, 0)) > 0)
		r = 0;
	if (r != 0)
		return r;
	if (watching(k) && (oflags & (O_ACCMODE_ | O_CREAT_ | O_TRUNC_)) != O_RDONLY_)
		watch_path(p, TRACE_WRITE, dir, path, 0, NULL);
	if ((oflags & O_TRUNC_) != 0 && view_protect_all(k) != 0)
		return -E_NOMEM;
	do {
		k->jump = NULL;
		r = vfs_open(k->vfs, &p->cred, dir, path, oflags,
			     mode & 07777 & ~proc_owner(p)->umask, &ino, &created);
	} while (path_again(p, &r));
	if (r != 0)
		return r;
	if ((oflags & O_TRUNC_) != 0)
		mapped_after_write(k, ino, 0, UINT64_MAX);
	if (inotify_on(k) && created)
		inotify_made(k, dir, path);
	r = open_found(p, ino, oflags, dir, path);
	if (inotify_on(k) && r >= 0)
		inotify_opened(k, fd_file(p, (int)r), created ? 0 : oflags);
	if (tracing(k) && r >= 0 && (created || (oflags & O_ACCMODE_) != O_RDONLY_))
		trace_path(p, created ? TRACE_CREATE : TRACE_WRITE, dir, path, 0, NULL);
	return r;
}

/* It has a name for a moment only, which nobody sees: no other process runs meanwhile. */
int64_t sys_memfd(struct proc *p, const char *name, unsigned oflags, unsigned seals)
{
	static const struct vfs_cred root = { 0 };
	struct kernel *k = p->k;
	struct buf b = buf_in(&p->arena);
	bool created;
	struct file *f;
	vfs_ino ino;
	int r;

	proc_charge(p, 8);
	buf_printf(&b, "/.memfd-%llu", (unsigned long long)++k->memfds_made);
	r = vfs_open(k->vfs, &root, VFS_ROOT, buf_cstr(&b), O_RDWR_ | O_CREAT_ | O_EXCL_, 0777,
		     &ino, &created);
	if (r != 0)
		return r == VFS_PENDING ? -E_NOMEM : r;
	vfs_unlink(k->vfs, &root, VFS_ROOT, buf_cstr(&b));
	vfs_chown(k->vfs, &root, ino, p->cred.uid, p->cred.gid);
	if (vfs_make_sealable(k->vfs, ino) == 0)
		vfs_seal(k->vfs, ino, seals);
	f = file_new(k, &file_regular, O_RDWR_);
	if (f == NULL) {
		vfs_drop(k->vfs, ino);
		return -E_NOMEM;
	}
	f->ino = ino;
	b.len = 0;
	buf_printf(&b, "/memfd:%s (deleted)", name);
	remember(f, VFS_ROOT, buf_cstr(&b));
	return fd_install(p, f, (oflags & O_CLOEXEC_) != 0);
}

/* --- asking --- */

int64_t sys_stat(struct proc *p, int dirfd, const char *path, int flags, struct vfs_stat *out)
{
	vfs_ino ino;
	int64_t r;

	if (path[0] == '\0' && (flags & AT_EMPTY_) != 0 && dirfd != AT_FDCWD_)
		return sys_fstat(p, dirfd, out);
	r = path_find(p, dirfd, path, flags, &ino);
	if (r != 0)
		return r;
	if (ino == p->k->jump_ino && p->k->jump != NULL)
		return file_stat(p, p->k->jump, out);
	return vfs_getattr(p->k->vfs, ino, out);
}

int64_t sys_access(struct proc *p, int dirfd, const char *path, unsigned mask)
{
	vfs_ino ino;
	int64_t r = path_find(p, dirfd, path, 0, &ino);

	if (r != 0 || mask == 0)
		return r;
	return vfs_access(p->k->vfs, &p->cred, ino, mask);
}

int64_t sys_readlink(struct proc *p, int dirfd, const char *path, struct arena *a,
		     struct bytes *out)
{
	char text[VFS_PATH_MAX];
	vfs_ino ino;
	int64_t r = path_find(p, dirfd, path, AT_NOFOLLOW_ | AT_EMPTY_, &ino);

	if (r != 0)
		return r;
	r = vfs_readlink(p->k->vfs, ino, text, sizeof text);
	if (r > (int64_t)sizeof text)
		return -E_NAMETOOLONG;
	if (r >= 0)
		*out = arena_bytes(a, (struct bytes){ text, (size_t)r });
	return r;
}

int64_t sys_getcwd(struct proc *p, struct arena *a, char **out)
{
	int64_t r = vfs_dir_path(p->k->vfs, proc_owner(p)->cwd, a, out);

	proc_charge(p, 2 + vfs_looked(p->k->vfs));
	return r;
}

int64_t sys_read_file(struct proc *p, const char *path, struct arena *a, struct bytes *out)
{
	int64_t fd = sys_open(p, AT_FDCWD_, path, O_RDONLY_ | O_CLOEXEC_, 0);
	struct vfs_stat st;
	struct buf b = buf_in(a);
	int64_t r;

	if (fd < 0)
		return fd;
	r = sys_fstat(p, (int)fd, &st);
	if (r == 0 && st.size < SIZE_MAX / 2)
		buf_reserve(&b, (size_t)st.size + 1);
	do {
		buf_reserve(&b, b.cap - b.len > 1 ? 1 : PAGE_BYTES);
		r = sys_read(p, (int)fd, b.ptr + b.len, b.cap - b.len - 1);
		if (r > 0)
			b.len += (size_t)r;
	} while (r > 0);
	(void)sys_close(p, (int)fd);
	if (r == 0)
		*out = (struct bytes){ buf_cstr(&b), b.len };
	return r;
}

/* --- changing names --- */

static void watch(struct proc *p, int kind, vfs_ino dir, const char *path)
{
	if (watching(p->k))
		watch_path(p, kind, dir, path, 0, NULL);
}

static void note(struct proc *p, int64_t r, int kind, vfs_ino dir, const char *path)
{
	if (r == 0 && kind == TRACE_CREATE && inotify_on(p->k))
		inotify_made(p->k, dir, path);
	if (r == 0 && tracing(p->k))
		trace_path(p, kind, dir, path, 0, NULL);
}

/* Where a name is to be made or removed. */
static int64_t place(struct proc *p, int dirfd, const char *path, vfs_ino *dir)
{
	int r;

	proc_charge(p, 5);
	r = path_dir(p, dirfd, path, dir);
	if (r == 0 && path[0] == '\0')
		r = -E_NOENT;
	return r == 0 && *dir == 0 ? -E_NOTDIR : r;
}

int64_t sys_mkdir(struct proc *p, int dirfd, const char *path, uint32_t mode)
{
	vfs_ino dir;
	int64_t r = place(p, dirfd, path, &dir);

	if (r != 0)
		return r;
	watch(p, TRACE_CREATE, dir, path);
	do
		r = vfs_mkdir(p->k->vfs, &p->cred, dir, path, mode & 07777 & ~proc_owner(p)->umask);
	while (path_again(p, &r));
	note(p, r, TRACE_CREATE, dir, path);
	return r;
}

int64_t sys_mknod(struct proc *p, int dirfd, const char *path, uint32_t mode, uint64_t rdev)
{
	uint32_t type = mode & S_FMT;
	vfs_ino dir;
	int64_t r = place(p, dirfd, path, &dir);

	if (r != 0)
		return r;
	if ((type == S_CHR || type == S_BLK) && p->cred.uid != 0)
		return -E_PERM;
	watch(p, TRACE_CREATE, dir, path);
	do
		r = vfs_mknod(p->k->vfs, &p->cred, dir, path, mode & ~proc_owner(p)->umask, rdev);
	while (path_again(p, &r));
	note(p, r, TRACE_CREATE, dir, path);
	return r;
}

int64_t sys_symlink(struct proc *p, const char *target, int dirfd, const char *path)
{
	vfs_ino dir;
	int64_t r = place(p, dirfd, path, &dir);

	if (r != 0)
		return r;
	watch(p, TRACE_CREATE, dir, path);
	do
		r = vfs_symlink(p->k->vfs, &p->cred, target, dir, path);
	while (path_again(p, &r));
	note(p, r, TRACE_CREATE, dir, path);
	return r;
}

int64_t sys_link(struct proc *p, int olddir, const char *old, int newdir, const char *new,
		 int flags)
{
	unsigned how = (flags & AT_FOLLOW_) != 0 ? 0 : VFS_NOFOLLOW;
	vfs_ino from;
	vfs_ino to;
	int64_t r = path_dir(p, olddir, old, &from);

	if (r == 0)
		r = place(p, newdir, new, &to);
	if (r != 0)
		return r;
	if ((flags & AT_EMPTY_) != 0)
		how |= VFS_EMPTY_PATH;
	watch(p, TRACE_CREATE, to, new);
	do
		r = vfs_link(p->k->vfs, &p->cred, from, old, how, to, new);
	while (path_again(p, &r));
	if (r == 0 && inotify_on(p->k))
		inotify_use(p->k, inotify_find(p->k, to, new), 0, NULL, INOTIFY_ATTRIB);
	note(p, r, TRACE_CREATE, to, new);
	return r;
}

int64_t sys_unlink(struct proc *p, int dirfd, const char *path, int flags)
{
	vfs_ino dir;
	vfs_ino ino = 0;
	int64_t r = place(p, dirfd, path, &dir);

	if (r != 0)
		return r;
	watch(p, TRACE_REMOVE, dir, path);
	if (inotify_on(p->k))
		ino = inotify_find(p->k, dir, path);
	do
		r = (flags & AT_REMOVEDIR_) != 0 ? vfs_rmdir(p->k->vfs, &p->cred, dir, path)
						 : vfs_unlink(p->k->vfs, &p->cred, dir, path);
	while (path_again(p, &r));
	if (r == 0 && inotify_on(p->k))
		inotify_removed(p->k, ino, (flags & AT_REMOVEDIR_) != 0, dir, path);
	note(p, r, TRACE_REMOVE, dir, path);
	return r;
}

int64_t sys_rename(struct proc *p, int olddir, const char *old, int newdir, const char *new,
		   unsigned flags)
{
	struct inotify_rename told = { .old = old, .new = new };
	vfs_ino from;
	vfs_ino to;
	int64_t r = place(p, olddir, old, &from);

	if (r == 0)
		r = place(p, newdir, new, &to);
	if (r != 0)
		return r;
	if (watching(p->k))
		watch_path(p, TRACE_RENAME, from, old, to, new);
	if (inotify_on(p->k)) {
		told.from = from;
		told.to = to;
		told.ino = inotify_find(p->k, from, old);
		told.replaced = inotify_find(p->k, to, new);
	}
	do
		r = vfs_rename(p->k->vfs, &p->cred, from, old, to, new, flags);
	while (path_again(p, &r));
	if (r == 0 && inotify_on(p->k))
		inotify_renamed(p->k, &told);
	if (r == 0 && tracing(p->k))
		trace_path(p, TRACE_RENAME, from, old, to, new);
	return r;
}

/* --- changing attributes --- */

int64_t path_changed(struct proc *p, int64_t r, vfs_ino ino, int dirfd, const char *path)
{
	vfs_ino dir;

	if (r == 0 && inotify_on(p->k) && path_dir(p, dirfd, path, &dir) == 0)
		inotify_use(p->k, ino, dir, path, INOTIFY_ATTRIB);
	return r;
}

int64_t sys_chmod(struct proc *p, int dirfd, const char *path, uint32_t mode, int flags)
{
	vfs_ino ino;
	int64_t r = path_find(p, dirfd, path, flags, &ino);

	if (r == 0)
		r = vfs_chmod(p->k->vfs, &p->cred, ino, mode & 07777);
	return path_changed(p, r, ino, dirfd, path);
}

int64_t sys_fchmod(struct proc *p, int fd, uint32_t mode)
{
	const struct file *f = fd_file(p, fd);
	int r;

	proc_charge(p, 2);
	if (f == NULL)
		return -E_BADF;
	if (f->ino == 0)
		return -E_INVAL;
	r = vfs_chmod(p->k->vfs, &p->cred, f->ino, mode & 07777);
	if (r == 0 && inotify_on(p->k))
		inotify_file(p->k, f, INOTIFY_ATTRIB);
	return r;
}

int64_t sys_chown(struct proc *p, int dirfd, const char *path, uint32_t uid, uint32_t gid,
		  int flags)
{
	vfs_ino ino;
	int64_t r = path_find(p, dirfd, path, flags, &ino);

	if (r == 0)
		r = vfs_chown(p->k->vfs, &p->cred, ino, uid, gid);
	return path_changed(p, r, ino, dirfd, path);
}

int64_t sys_utimes(struct proc *p, int dirfd, const char *path, int64_t atime_ns, int64_t mtime_ns,
		   int flags)
{
	vfs_ino ino;
	int64_t r = path_find(p, dirfd, path, flags, &ino);

	if (r == 0)
		r = vfs_utimes(p->k->vfs, &p->cred, ino, atime_ns, mtime_ns);
	return path_changed(p, r, ino, dirfd, path);
}

/* --- the process's place --- */

static int64_t change_dir(struct proc *p, vfs_ino ino)
{
	struct vfs *v = p->k->vfs;
	struct vfs_stat st;
	int r = vfs_getattr(v, ino, &st);

	if (r == 0 && (st.mode & S_FMT) != S_DIR)
		r = -E_NOTDIR;
	if (r == 0)
		r = vfs_access(v, &p->cred, ino, 1);
	if (r == 0)
		r = vfs_hold(v, ino);
	if (r != 0)
		return r;
	vfs_drop(v, proc_owner(p)->cwd);
	proc_owner(p)->cwd = ino;
	return 0;
}

int64_t sys_chdir(struct proc *p, const char *path)
{
	vfs_ino ino;
	int64_t r = path_find(p, AT_FDCWD_, path, 0, &ino);

	return r != 0 ? r : change_dir(p, ino);
}

int64_t sys_fchdir(struct proc *p, int fd)
{
	const struct file *f = fd_file(p, fd);

	proc_charge(p, 2);
	if (f == NULL)
		return -E_BADF;
	return f->ino != 0 ? change_dir(p, f->ino) : -E_NOTDIR;
}

uint32_t sys_umask(struct proc *p, uint32_t mask)
{
	uint32_t old = proc_owner(p)->umask;

	proc_owner(p)->umask = mask & 0777;
	return old;
}
