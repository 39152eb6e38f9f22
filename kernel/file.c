/* SPDX-License-Identifier: MIT
 *
 * Open files and the calls that work on any of them by way of its operations.
 */
#include "kernel/internal.h"

/* The most that one call moves, as on Linux: what is left is the caller's to ask for again. */
#define MOVE_MAX 0x7ffff000u

struct file *file_new(struct kernel *k, const struct file_ops *ops, unsigned flags)
{
	struct file *f = heap_alloc(&k->heap, sizeof *f);
	unsigned kept = O_ACCMODE_ | O_APPEND_ | O_NONBLOCK_ | O_DIRECTORY_ | O_NOFOLLOW_ | O_PATH_;

	if (f != NULL)
		*f = (struct file){ .ops = ops, .k = k, .refs = 1, .flags = flags & kept };
	return f;
}

struct file *file_get(struct file *f)
{
	f->refs++;
	return f;
}

void file_put(struct file *f)
{
	struct kernel *k = f->k;

	if (--f->refs != 0) {
		if (f->refs == 1 && f->ops == &file_capture)
			capture_alone(f);
		return;
	}
	if (f->members != NULL)
		epoll_forget_file(k, f);
	if (f->locked)
		lock_release(k, f);
	if (inotify_on(k))
		inotify_file(k, f, file_writes(f) ? INOTIFY_CLOSE_WRITE : INOTIFY_CLOSE_NOWRITE);
	if (f->ops->close != NULL)
		f->ops->close(k, f);
	if (f->ino != 0)
		vfs_drop(k->vfs, f->ino);
	if (f->path != NULL)
		heap_free(&k->heap, f->path, strlen(f->path) + 1);
	heap_free(&k->heap, f, sizeof *f);
}

int file_stat(struct proc *p, struct file *f, struct vfs_stat *out)
{
	if (f->ops->stat != NULL)
		return f->ops->stat(p, f, out);
	return vfs_getattr(p->k->vfs, f->ino, out);
}

/* --- reading --- */

/* Charges for n bytes moved. */
static inline void charge_bytes(struct proc *p, int64_t n)
{
	proc_charge(p, 1 + (n > 0 ? (uint64_t)n / 64 : 0));
}

static int64_t readable(struct proc *p, int fd, struct file **out)
{
	struct file *f = fd_file(p, fd);

	if (f == NULL || !file_reads(f))
		return -E_BADF;
	*out = f;
	return 0;
}

int64_t sys_read(struct proc *p, int fd, void *out, size_t n)
{
	struct file *f;
	int64_t r = readable(p, fd, &f);

	if (r != 0)
		return r;
	if (p->priv->view != NULL)
		view_pause(p, f);
	r = f->ops->read(p, f, out, n > MOVE_MAX ? MOVE_MAX : n);
	if (r > 0)
		p->bytes_read += (uint64_t)r;
	charge_bytes(p, r);
	return r;
}

int64_t sys_view(struct proc *p, int fd, size_t max, const char **out)
{
	struct file *f;
	int64_t r = readable(p, fd, &f);

	*out = "";
	if (r != 0)
		return r;
	if (max > MOVE_MAX)
		max = MOVE_MAX;
	r = f->ops->view != NULL ? f->ops->view(p, f, max, out) : view_by_copy(p, f, max, out);
	if (r > 0)
		p->bytes_read += (uint64_t)r;
	charge_bytes(p, r);
	return r;
}

int64_t sys_pread(struct proc *p, int fd, void *out, size_t n, uint64_t pos)
{
	struct file *f;
	int64_t r = readable(p, fd, &f);
	uint64_t was;

	if (r != 0)
		return r;
	if (!f->ops->seekable)
		return -E_SPIPE;
	if (pos > INT64_MAX)
		return -E_INVAL;
	if (n > MOVE_MAX)
		n = MOVE_MAX;
	if (f->ops == &file_regular) {
		r = regular_read_at(p, f, out, n, pos);
	} else {
		was = f->pos;
		f->pos = pos;
		r = f->ops->read(p, f, out, n);
		f->pos = was;
	}
	charge_bytes(p, r);
	return r;
}

/* --- writing --- */

static int64_t writable(struct proc *p, int fd, struct file **out)
{
	struct file *f = fd_file(p, fd);

	if (f == NULL || !file_writes(f))
		return -E_BADF;
	*out = f;
	return 0;
}

int64_t sys_write(struct proc *p, int fd, const void *data, size_t n)
{
	struct file *f;
	int64_t r = writable(p, fd, &f);

	if (r != 0)
		return r;
	if (n > MOVE_MAX)
		n = MOVE_MAX;
	charge_bytes(p, (int64_t)n);
	if (f->ops->write == NULL)
		return -E_INVAL;
	r = f->ops->write(p, f, data, n);
	if (r > 0)
		p->bytes_written += (uint64_t)r;
	return r;
}

int64_t sys_pwrite(struct proc *p, int fd, const void *data, size_t n, uint64_t pos)
{
	struct file *f;
	int64_t r = writable(p, fd, &f);
	uint64_t was;

	if (r != 0)
		return r;
	if (!f->ops->seekable)
		return -E_SPIPE;
	if (pos > INT64_MAX || f->ops->write == NULL)
		return -E_INVAL;
	if (n > MOVE_MAX)
		n = MOVE_MAX;
	charge_bytes(p, (int64_t)n);
	if (f->ops == &file_regular)
		return regular_write_at(p, f, data, n, &pos);
	was = f->pos;
	f->pos = pos;
	r = f->ops->write(p, f, data, n);
	f->pos = was;
	return r;
}

/* --- the rest --- */

/* SEEK_DATA and SEEK_HOLE; files that are not in the tree have no holes. */
static int64_t seek_data(struct proc *p, struct file *f, int64_t offset, int whence, uint64_t size)
{
	if (offset < 0 || (uint64_t)offset >= size)
		return -E_NXIO;
	if (f->ops == &file_regular)
		return vfs_seek_data(p->k->vfs, f->ino, (uint64_t)offset, whence);
	return whence == 3 ? offset : (int64_t)size;
}

static int64_t seek(struct proc *p, struct file *f, int64_t offset, int whence)
{
	struct vfs_stat st = { .size = 0 };
	int64_t from = whence == 1 ? (int64_t)f->pos : 0;
	int64_t to;
	int r = whence >= 2 ? file_stat(p, f, &st) : 0;

	if (r != 0)
		return r;
	if (whence > 2)
		return seek_data(p, f, offset, whence, st.size);
	if (whence == 2)
		from = (int64_t)st.size;
	if (__builtin_add_overflow(from, offset, &to))
		return -E_OVERFLOW;
	return to < 0 ? -E_INVAL : to;
}

int64_t sys_lseek(struct proc *p, int fd, int64_t offset, int whence)
{
	struct file *f = fd_file(p, fd);
	int64_t to;

	proc_charge(p, 1);
	if (f == NULL || (f->flags & O_PATH_) != 0)
		return -E_BADF;
	if (f->ops == &file_dir)
		return dir_seek(f, offset, whence);
	if (!f->ops->seekable)
		return -E_SPIPE;
	if (whence < 0 || whence > 4)
		return -E_INVAL;
	to = seek(p, f, offset, whence);
	if (to >= 0)
		f->pos = (uint64_t)to;
	return to;
}

int64_t sys_fstat(struct proc *p, int fd, struct vfs_stat *out)
{
	struct file *f = fd_file(p, fd);

	proc_charge(p, 1);
	return f != NULL ? file_stat(p, f, out) : -E_BADF;
}

int64_t sys_fsync(struct proc *p, int fd)
{
	const struct file *f = fd_file(p, fd);

	if (f == NULL || (f->flags & O_PATH_) != 0)
		return -E_BADF;
	return f->ops == &file_regular || f->ops == &file_dir || f->ops == &file_mem ? 0 : -E_INVAL;
}

int64_t sys_waiting(struct proc *p, int fd)
{
	struct file *f = fd_file(p, fd);
	struct vfs_stat st;

	proc_charge(p, 1);
	if (f == NULL || (f->flags & O_PATH_) != 0)
		return -E_BADF;
	if (f->ops->waiting != NULL)
		return f->ops->waiting(f);
	if (!f->ops->seekable || file_stat(p, f, &st) != 0)
		return -E_NOTTY;
	return st.size > f->pos ? (int64_t)(st.size - f->pos) : 0;
}

bool sys_isatty(struct proc *p, int fd)
{
	const struct file *f = fd_file(p, fd);

	if (f == NULL)
		return false;
	return pty_is_terminal(f) || console_is_terminal(p->k, f);
}

/* --- poll --- */

static int look(struct proc *p, struct poll_item *items, int n)
{
	int ready = 0;

	for (int i = 0; i < n; i++) {
		struct file *f = fd_file(p, items[i].fd);
		unsigned got = POLL_READ_ | POLL_WRITE_;

		if (f != NULL && f->ops->poll != NULL)
			got = f->ops->poll(p, f);
		if (f == NULL)
			got = POLL_HUP_;
		items[i].got = poll_names(got) & (items[i].want | POLL_HUP_ | POLL_ERR_);
		if (items[i].got != 0)
			ready++;
	}
	return ready;
}

int64_t file_due(struct proc *p, struct file *f, int64_t until)
{
	int64_t at = f != NULL && f->ops->due != NULL ? f->ops->due(p, f) : 0;

	return at != 0 && (until == TIMER_NEVER || at < until) ? at : until;
}

/* How long to wait before looking again, though nobody wakes the process. */
static int64_t next_look(struct proc *p, const struct poll_item *items, int n, int64_t until)
{
	for (int i = 0; i < n; i++)
		until = file_due(p, fd_file(p, items[i].fd), until);
	return until;
}

int64_t sys_poll(struct proc *p, struct poll_item *items, int n, int64_t timeout_ns)
{
	int64_t until = TIMER_NEVER;

	if (timeout_ns > 0)
		until = kernel_now(p->k) + timeout_ns;
	for (;;) {
		int r;

		proc_charge(p, 1 + (uint64_t)n);
		p->priv->polls_host = false;
		r = look(p, items, n);
		if (r != 0 || timeout_ns == 0)
			return r;
		r = sched_block(p, &p->k->poll_waiters, next_look(p, items, n, until));
		if (r == -E_TIMEDOUT && until != TIMER_NEVER && kernel_now(p->k) >= until)
			return look(p, items, n);
		if (r != 0 && r != -E_TIMEDOUT)
			return r;
	}
}
