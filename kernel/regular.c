/* SPDX-License-Identifier: MIT
 *
 * Open files of the tree: regular files, directories, places (O_PATH); and files that are just
 * bytes in memory (here-documents, what /proc says).
 */
#include "kernel/internal.h"

/* --- regular files --- */

int64_t regular_read_at(struct proc *p, struct file *f, void *out, size_t n, uint64_t pos)
{
	int64_t r;

	mapped_before_read(p->k, f->ino, pos, n);
	do
		r = vfs_read(p->k->vfs, f->ino, pos, out, n);
	while (path_again(p, &r));
	if (r > 0 && inotify_on(p->k))
		inotify_file(p->k, f, INOTIFY_ACCESS);
	return r;
}

static int64_t regular_read(struct proc *p, struct file *f, void *out, size_t n)
{
	uint64_t pos = f->pos;
	int64_t r = regular_read_at(p, f, out, n, pos);

	if (r > 0)
		f->pos = pos + (uint64_t)r;
	return r;
}

/* A copy of n bytes where they do not lie behind one another. */
static int64_t view_copied(struct proc *p, struct file *f, struct view *v, size_t n,
			   const char **out)
{
	int64_t r;

	do
		r = vfs_read(p->k->vfs, f->ino, f->pos, v->run, n);
	while (path_again(p, &r));
	*out = v->run;
	if (r > 0)
		f->pos += (uint64_t)r;
	return r;
}

/* How much is seen at once must not depend on where pages lie in memory, because that can be
 * counted in steps: up to the next multiple of 64 KiB, or the end. Nor must how much memory it
 * takes, so there is room for a copy of several pages before it is known whether they lie in a
 * row. */
static int64_t regular_view(struct proc *p, struct file *f, size_t max, const char **out)
{
	size_t most = PIPE_BYTES - (size_t)(f->pos % PIPE_BYTES);
	struct view *v = view_begin(p, f);
	struct vfs_stat st;
	int64_t r;

	if (v == NULL)
		return -E_NOMEM;
	if (max < most)
		most = max;
	mapped_before_read(p->k, f->ino, f->pos, most);
	r = vfs_getattr(p->k->vfs, f->ino, &st);
	if (r != 0)
		return r;
	if (f->pos >= st.size)
		return 0;
	if (most > st.size - f->pos)
		most = (size_t)(st.size - f->pos);
	if (v->run == NULL && most > PAGE_BYTES - f->pos % PAGE_BYTES) {
		v->run = ring_get(p->k);
		if (v->run == NULL)
			return -E_NOMEM;
	}
	do
		r = vfs_view(p->k->vfs, f->ino, f->pos, most, out);
	while (path_again(p, &r));
	if (r <= 0)
		return r;
	if ((size_t)r < most) {
		/* Also within a page the bytes of a small file may end before the file does. */
		if (v->run == NULL)
			v->run = ring_get(p->k);
		return v->run != NULL ? view_copied(p, f, v, most, out) : -E_NOMEM;
	}
	f->pos += (uint64_t)r;
	view_set_ino(p->k, v, f->ino);
	return r;
}

/* How many of n bytes RLIMIT_FSIZE lets through at pos: 0 after the signal. */
static size_t within_limit(struct proc *p, uint64_t pos, size_t n)
{
	uint64_t max = p->rlimit[RLIMIT_FSIZE_][0];

	if (max == RLIMIT_NONE || n == 0)
		return n;
	if (pos >= max) {
		sig_send(p, SIGXFSZ_);
		return 0;
	}
	return n < max - pos ? n : (size_t)(max - pos);
}

/* How many of n bytes the seals of a file let through at pos; they go page by page. */
static int64_t within_seals(struct proc *p, struct file *f, uint64_t pos, size_t n)
{
	int seals = vfs_seals(p->k->vfs, f->ino);
	struct vfs_stat st;
	uint64_t end;

	if (seals <= 0 || n == 0)
		return (int64_t)n;
	if ((seals & (SEAL_WRITE | SEAL_FUTURE_WRITE)) != 0)
		return -E_PERM;
	if ((seals & SEAL_GROW) == 0 || vfs_getattr(p->k->vfs, f->ino, &st) != 0 ||
	    (n <= st.size && pos <= st.size - n))
		return (int64_t)n;
	end = st.size / PAGE_BYTES * PAGE_BYTES;
	return end > pos ? (int64_t)(end - pos) : -E_PERM;
}

/* Once more from the beginning when the host was waited for: others may have written meanwhile. */
static int64_t write_once(struct proc *p, struct file *f, const void *data, size_t n, uint64_t *at)
{
	struct kernel *k = p->k;
	struct vfs_stat st;
	size_t part;
	int64_t r;

	if ((f->flags & O_APPEND_) != 0) {
		r = vfs_getattr(k->vfs, f->ino, &st);
		if (r != 0)
			return r;
		*at = st.size;
	}
	part = within_limit(p, *at, n);
	if (part == 0 && n != 0)
		return -E_FBIG;
	r = within_seals(p, f, *at, part);
	if (r < 0)
		return r;
	part = (size_t)r;
	r = view_writing(k, f->ino);
	if (r == 0 && p->cred.uid != 0)
		r = vfs_drop_setid(k->vfs, &p->cred, f->ino);
	return r == 0 ? vfs_write(k->vfs, f->ino, *at, data, part) : r;
}

int64_t regular_write_at(struct proc *p, struct file *f, const void *data, size_t n, uint64_t *pos)
{
	uint64_t at = *pos;
	int64_t r;

	do
		r = write_once(p, f, data, n, &at);
	while (path_again(p, &r));
	if (r <= 0)
		return r;
	mapped_after_write(p->k, f->ino, at, (uint64_t)r);
	*pos = at + (uint64_t)r;
	if (inotify_on(p->k))
		inotify_file(p->k, f, INOTIFY_MODIFY);
	return r;
}

static int64_t regular_write(struct proc *p, struct file *f, const void *data, size_t n)
{
	return regular_write_at(p, f, data, n, &f->pos);
}

const struct file_ops file_regular = {
	.name = "file",
	.read = regular_read,
	.write = regular_write,
	.view = regular_view,
	.seekable = true,
	.copy = copy_plain,
};

int64_t sys_ftruncate(struct proc *p, int fd, uint64_t size)
{
	struct file *f = fd_file(p, fd);
	struct vfs_stat st;
	int64_t r;

	proc_charge(p, 2);
	if (f == NULL)
		return -E_BADF;
	if (f->ops != &file_regular || !file_writes(f) || size > INT64_MAX)
		return -E_INVAL;
	if (size > p->rlimit[RLIMIT_FSIZE_][0]) {
		sig_send(p, SIGXFSZ_);
		return -E_FBIG;
	}
	r = view_writing(p->k, f->ino);
	if (r != 0)
		return r;
	/* What was written behind the end does not come back. */
	if (vfs_getattr(p->k->vfs, f->ino, &st) == 0)
		mapped_before_read(p->k, f->ino, st.size, 0);
	do
		r = vfs_truncate(p->k->vfs, f->ino, size);
	while (path_again(p, &r));
	if (r == 0)
		mapped_after_write(p->k, f->ino, size, UINT64_MAX - size);
	if (r == 0 && inotify_on(p->k))
		inotify_file(p->k, f, INOTIFY_MODIFY);
	return r;
}

/* --- directories --- */

static int64_t dir_read(struct proc *p, struct file *f, void *out, size_t n)
{
	(void)p;
	(void)f;
	(void)out;
	(void)n;
	return -E_ISDIR;
}

static void forget_place(struct kernel *k, struct file *f)
{
	if (f->u.after != NULL)
		heap_free(&k->heap, f->u.after, VFS_NAME_MAX + 1);
	f->u.after = NULL;
}

static int copy_place(struct copying *w, const struct file *like, struct file *f)
{
	if (like->u.after == NULL)
		return 0;
	f->u.after = heap_alloc(&w->to->heap, VFS_NAME_MAX + 1);
	if (f->u.after == NULL)
		return -E_NOMEM;
	memcpy(f->u.after, like->u.after, VFS_NAME_MAX + 1);
	return 0;
}

const struct file_ops file_dir = {
	.name = "directory",
	.read = dir_read,
	.close = forget_place,
	.copy = copy_place,
};

const struct file_ops file_path = {
	.name = "path",
	.read = dir_read,
	.copy = copy_plain,
};

int64_t dir_seek(struct file *f, int64_t offset, int whence)
{
	if (offset != 0 || whence != 0)
		return -E_INVAL;
	forget_place(f->k, f);
	f->pos = 0;
	return 0;
}

int64_t sys_dir_place(struct proc *p, int fd)
{
	const struct file *f = fd_file(p, fd);

	if (f == NULL)
		return -E_BADF;
	return f->ops == &file_dir ? (int64_t)f->pos : -E_NOTDIR;
}

void sys_dir_move(struct proc *p, int fd, int64_t place)
{
	struct file *f = fd_file(p, fd);

	if (f != NULL && f->ops == &file_dir)
		f->pos = (uint64_t)place;
}

int64_t sys_readdir(struct proc *p, int fd, struct arena *a, struct vfs_dirent *out, size_t n)
{
	struct file *f = fd_file(p, fd);
	struct heap *h = &p->k->heap;
	int64_t r;

	proc_charge(p, 1);
	if (f == NULL)
		return -E_BADF;
	if (f->ops != &file_dir)
		return -E_NOTDIR;
	do
		r = vfs_readdir(p->k->vfs, f->ino, f->u.after, a, out, n);
	while (path_again(p, &r));
	if (r >= 0 && inotify_on(p->k))
		inotify_file(p->k, f, INOTIFY_ACCESS);
	if (r <= 0)
		return r;
	if (f->u.after == NULL)
		f->u.after = heap_alloc(h, VFS_NAME_MAX + 1);
	if (f->u.after == NULL)
		return -E_NOMEM;
	memcpy(f->u.after, out[r - 1].name.ptr, out[r - 1].name.len);
	f->u.after[out[r - 1].name.len] = '\0';
	proc_charge(p, (uint64_t)r);
	return r;
}

/* --- bytes in memory --- */

struct mem *mem_new(struct kernel *k, struct bytes content)
{
	struct mem *m = NULL;

	if (content.len < SIZE_MAX - sizeof *m)
		m = heap_alloc(&k->heap, sizeof *m + content.len);
	if (m == NULL)
		return NULL;
	m->refs = 1;
	m->size = content.len;
	if (content.len != 0)
		memcpy(m->data, content.ptr, content.len);
	return m;
}

void mem_put(struct kernel *k, struct mem *m)
{
	if (--m->refs == 0)
		heap_free(&k->heap, m, sizeof *m + m->size);
}

static int64_t mem_view(struct proc *p, struct file *f, size_t max, const char **out)
{
	const struct mem *m = f->u.mem;
	size_t left = f->pos < m->size ? m->size - (size_t)f->pos : 0;

	(void)p;
	if (left == 0)
		return 0;
	*out = m->data + f->pos;
	if (max < left)
		left = max;
	f->pos += left;
	return (int64_t)left;
}

static int64_t mem_read(struct proc *p, struct file *f, void *out, size_t n)
{
	const char *from;
	int64_t r = mem_view(p, f, n, &from);

	if (r > 0)
		memcpy(out, from, (size_t)r);
	return r;
}

static int mem_stat(struct proc *p, struct file *f, struct vfs_stat *out)
{
	if (f->ino != 0)
		return vfs_getattr(p->k->vfs, f->ino, out);
	*out = (struct vfs_stat){ .ino = 1,
				  .dev = 15,
				  .mode = S_REG | 0600,
				  .nlink = 1,
				  .uid = p->cred.uid,
				  .gid = p->cred.gid,
				  .size = f->u.mem->size };
	return 0;
}

static void mem_close(struct kernel *k, struct file *f)
{
	mem_put(k, f->u.mem);
}

static int mem_copy(struct copying *w, const struct file *like, struct file *f)
{
	const struct mem *from = like->u.mem;
	struct mem *m = copy_find(w, from);

	if (m != NULL) {
		m->refs++;
		f->u.mem = m;
		return 0;
	}
	f->u.mem = mem_new(w->to, (struct bytes){ from->data, from->size });
	return f->u.mem != NULL ? copy_note(w, from, f->u.mem) : -E_NOMEM;
}

const struct file_ops file_mem = {
	.name = "memory",
	.read = mem_read,
	.view = mem_view,
	.stat = mem_stat,
	.close = mem_close,
	.copy = mem_copy,
	.seekable = true,
};

/* Takes over the caller's reference to m, also on failure. */
int mem_open(struct kernel *k, struct mem *m, unsigned flags, struct file **out)
{
	struct file *f = file_new(k, &file_mem, flags);

	*out = f;
	if (f == NULL) {
		mem_put(k, m);
		return -E_NOMEM;
	}
	f->u.mem = m;
	return 0;
}

int64_t sys_memfile(struct proc *p, struct bytes content)
{
	struct mem *m;
	struct file *f;

	/* A charge may be the last thing a process does: nothing may be held across it. */
	proc_charge(p, 2 + content.len / 64);
	m = mem_new(p->k, content);
	if (m == NULL || mem_open(p->k, m, O_RDONLY_, &f) != 0)
		return -E_NOMEM;
	return fd_install(p, f, false);
}
