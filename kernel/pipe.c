/* SPDX-License-Identifier: MIT
 *
 * Pipes: rings of 64 KiB or what was asked for, and the FIFOs of the tree, which are the same
 * with a name.
 *
 *   tail <= rpos <= wpos, counted from the last time the ring was empty
 *   [tail, rpos)  read, but still looked at by a view
 *   [rpos, wpos)  written, not yet read
 */
#include "base/pack.h"
#include "kernel/pipe.h"

/* --- rings --- */

char *ring_get(struct kernel *k)
{
	if (k->nrings > 0)
		return k->ring_cache[--k->nrings];
	return heap_pages(&k->heap, PIPE_PAGES);
}

void ring_put(struct kernel *k, char *ring)
{
	if (ring == NULL)
		return;
	if (k->nrings == PIPE_CACHE_MAX)
		heap_pages_free(&k->heap, ring, PIPE_PAGES);
	else
		k->ring_cache[k->nrings++] = ring;
}

void ring_clear_cache(struct kernel *k)
{
	while (k->nrings > 0)
		heap_pages_free(&k->heap, k->ring_cache[--k->nrings], PIPE_PAGES);
}

static size_t filled(const struct pipe *pi)
{
	return (size_t)(pi->wpos - pi->rpos);
}

static size_t room(const struct pipe *pi)
{
	size_t used = (size_t)(pi->wpos - pi->tail);

	return used < pi->size ? pi->size - used : 0;
}

/* Rings of the common size are kept for others; only these are ever a view's. */
static size_t ring_bytes(const struct pipe *pi)
{
	return pi->size > PIPE_BYTES ? pi->size : PIPE_BYTES;
}

static char *own_ring(struct kernel *k, size_t bytes)
{
	return bytes == PIPE_BYTES ? ring_get(k) : heap_pages(&k->heap, bytes / PAGE_BYTES);
}

static void drop_ring(struct kernel *k, struct pipe *pi)
{
	size_t bytes = ring_bytes(pi);

	if (pi->ring != NULL && bytes != PIPE_BYTES)
		heap_pages_free(&k->heap, pi->ring, bytes / PAGE_BYTES);
	else
		ring_put(k, pi->ring);
	pi->ring = NULL;
}

static void wake(struct waitq *q, struct kernel *k)
{
	sched_wake_all(q);
	sched_wake_all(&k->poll_waiters);
}

/* Bytes before rpos are free again. While a view looks at them, writers can still get room:
 * see part_from_view. */
static void consumed(struct kernel *k, struct pipe *pi)
{
	if (pi->view == NULL) {
		pi->tail = pi->rpos;
		if (pi->rpos == pi->wpos)
			pi->tail = pi->rpos = pi->wpos = 0;
	}
	wake(&pi->wait_room, k);
}

void pipe_release_view(struct kernel *k, struct view *v)
{
	struct pipe *pi = v->pipe;

	v->pipe = NULL;
	pi->view = NULL;
	consumed(k, pi);
}

/* Copies n bytes from ring position `at`. */
static void copy_out(const struct pipe *pi, uint64_t at, char *out, size_t n)
{
	size_t from = (size_t)(at % ring_bytes(pi));
	size_t first = n < ring_bytes(pi) - from ? n : ring_bytes(pi) - from;

	memcpy(out, pi->ring + from, first);
	memcpy(out + first, pi->ring, n - first);
}

/* The view keeps the ring, the pipe gets a new one with what was not read. */
static bool part_from_view(struct kernel *k, struct pipe *pi)
{
	struct view *v = pi->view;
	size_t n = filled(pi);
	char *ring = v->run != NULL ? v->run : ring_get(k);

	if (ring == NULL)
		return false;
	copy_out(pi, pi->rpos, ring, n);
	v->run = pi->ring;
	v->pipe = NULL;
	pi->view = NULL;
	pi->ring = ring;
	pi->tail = 0;
	pi->rpos = 0;
	pi->wpos = n;
	return true;
}

/* --- reading --- */

/* When a call that begins now gives up. */
static int64_t give_up(const struct proc *p, const struct file *f)
{
	return f->time_ns != 0 ? kernel_now(p->k) + f->time_ns : (int64_t)TIMER_NEVER;
}

/* Waits for bytes: their number, 0 at the end, -E_AGAIN, -E_INTR. */
static int64_t wait_bytes(struct proc *p, struct file *f)
{
	struct pipe *pi = f->u.pipe;
	int64_t until = give_up(p, f);

	while (filled(pi) == 0) {
		int r;

		if (pi->writers == 0 || pi->mute || pi->deaf)
			return 0;
		if ((f->flags & O_NONBLOCK_) != 0)
			return -E_AGAIN;
		r = sched_block(p, &pi->wait_bytes, until);
		if (r != 0)
			return r == -E_TIMEDOUT ? -E_AGAIN : r;
	}
	return (int64_t)filled(pi);
}

static int64_t pipe_read(struct proc *p, struct file *f, void *out, size_t n)
{
	struct pipe *pi = f->u.pipe;
	int64_t have;

	if (n == 0)
		return 0;
	have = wait_bytes(p, f);
	if (have <= 0)
		return have;
	if (n > (size_t)have)
		n = (size_t)have;
	copy_out(pi, pi->rpos, out, n);
	pi->rpos += n;
	consumed(p->k, pi);
	return (int64_t)n;
}

int64_t pipe_peek(struct proc *p, struct file *f, void *out, size_t n)
{
	struct pipe *pi = f->u.pipe;
	int64_t have = n != 0 ? wait_bytes(p, f) : 0;

	if (have <= 0)
		return have;
	if (n > (size_t)have)
		n = (size_t)have;
	copy_out(pi, pi->rpos, out, n);
	return (int64_t)n;
}

size_t pipe_filled(const struct pipe *pi)
{
	return filled(pi);
}

bool pipe_shows(const struct pipe *pi)
{
	return ring_bytes(pi) == PIPE_BYTES;
}

static int64_t pipe_view(struct proc *p, struct file *f, size_t max, const char **out)
{
	struct pipe *pi = f->u.pipe;
	struct view *v;
	size_t at;
	int64_t n;

	if (!pipe_shows(pi))
		return view_by_copy(p, f, max, out);
	v = view_begin(p, f);
	if (v == NULL)
		return -E_NOMEM;
	n = wait_bytes(p, f);
	if (n <= 0 || max == 0)
		return n < 0 ? n : 0;
	/* It may have become another while this waited: one byte, which nobody gives back. */
	if (!pipe_shows(pi))
		return view_by_copy(p, f, 1, out);
	if (pi->view != NULL && !part_from_view(p->k, pi))
		return -E_NOMEM;
	at = (size_t)(pi->rpos % PIPE_BYTES);
	if ((size_t)n > PIPE_BYTES - at)
		n = (int64_t)(PIPE_BYTES - at);
	if ((size_t)n > max)
		n = (int64_t)max;
	*out = pi->ring + at;
	pi->rpos += (uint64_t)n;
	v->pipe = pi;
	pi->view = v;
	consumed(p->k, pi);
	return n;
}

/* --- writing --- */

static int64_t broken(struct proc *p)
{
	sig_send(p, SIGPIPE_);
	return -E_PIPE;
}

/* Waits until `need` bytes fit, after `done`: 0, -E_PIPE (after the signal),
 * -E_CONNRESET, -E_AGAIN, -E_INTR. */
static int64_t wait_room(struct proc *p, struct file *f, size_t need, size_t done)
{
	struct pipe *pi = f->u.pipe;
	int64_t until = give_up(p, f);

	for (;;) {
		int r;

		if (pi->reset)
			return -E_CONNRESET;
		if (!pipe_is_read(pi) || pi->mute)
			return broken(p);
		if (room(pi) >= need)
			return 0;
		if (pi->view != NULL && part_from_view(p->k, pi))
			continue;
		if ((f->flags & O_NONBLOCK_) != 0)
			return -E_AGAIN;
		p->priv->moved = done;
		r = sched_block(p, &pi->wait_room, until);
		if (r != 0)
			return r == -E_TIMEDOUT ? -E_AGAIN : r;
	}
}

int64_t pipe_wait_room(struct proc *p, struct file *f, size_t n)
{
	return wait_room(p, f, n <= PIPE_ATOMIC ? n : 1, 0);
}

static void copy_in(struct pipe *pi, const char *data, size_t n)
{
	size_t at = (size_t)(pi->wpos % ring_bytes(pi));
	size_t first = n < ring_bytes(pi) - at ? n : ring_bytes(pi) - at;

	memcpy(pi->ring + at, data, first);
	memcpy(pi->ring, data + first, n - first);
	pi->wpos += n;
}

static int64_t pipe_write(struct proc *p, struct file *f, const void *data, size_t n)
{
	struct pipe *pi = f->u.pipe;
	const char *from = data;
	size_t done = 0;

	if (n == 0)
		return 0;
	while (done < n) {
		size_t part = n - done;
		int64_t r = wait_room(p, f, n <= PIPE_ATOMIC ? n : 1, done);

		if (r != 0)
			return done != 0 ? (int64_t)done : r;
		if (pi->ring == NULL && (pi->ring = own_ring(p->k, ring_bytes(pi))) == NULL)
			proc_limit(p, LIMIT_MEMORY);
		if (part > room(pi))
			part = room(pi);
		copy_in(pi, from + done, part);
		done += part;
		wake(&pi->wait_bytes, p->k);
	}
	return (int64_t)done;
}

/* --- the rest of the operations --- */

static unsigned pipe_poll(struct proc *p, struct file *f)
{
	const struct pipe *pi = f->u.pipe;
	unsigned got = 0;

	(void)p;
	if (file_reads(f) && filled(pi) != 0)
		got |= POLL_READ_;
	if (file_reads(f) && (pi->writers == 0 || pi->mute) && pi->had_writer)
		got |= POLL_HUP_;
	if (file_writes(f) && (room(pi) >= PIPE_ATOMIC || pi->view != NULL))
		got |= POLL_WRITE_;
	if (file_writes(f) && !pipe_is_read(pi))
		got |= POLL_ERR_;
	return got;
}

static int pipe_stat(struct proc *p, struct file *f, struct vfs_stat *out)
{
	if (f->ino != 0)
		return vfs_getattr(p->k->vfs, f->ino, out);
	*out = (struct vfs_stat){ .ino = f->u.pipe->id,
				  .dev = 14,
				  .mode = S_FIFO | 0600,
				  .nlink = 1,
				  .uid = p->cred.uid,
				  .gid = p->cred.gid };
	stat_now(p->k, out);
	return 0;
}

void pipe_attach(struct pipe *pi, struct file *f)
{
	if (file_reads(f)) {
		pi->readers++;
		pi->read_opens++;
	}
	if (file_writes(f)) {
		pi->writers++;
		pi->write_opens++;
		pi->had_writer = true;
	}
	f->u.pipe = pi;
}

void pipe_shut(struct kernel *k, struct file *end)
{
	struct pipe *pi = end->u.pipe;

	pi->deaf |= file_reads(end);
	pi->mute |= file_writes(end);
	wake(&pi->wait_bytes, k);
	wake(&pi->wait_room, k);
}

static void pipe_close(struct kernel *k, struct file *f)
{
	struct pipe *pi = f->u.pipe;

	if (file_reads(f) && --pi->readers == 0)
		wake(&pi->wait_room, k);
	if (file_writes(f) && --pi->writers == 0)
		wake(&pi->wait_bytes, k);
	if (pi->readers != 0 || pi->writers != 0)
		return;
	if (pi->ino != 0)
		fifo_unlink(k, pi);
	drop_ring(k, pi);
	rights_clear(k, pi->rights);
	heap_free(&k->heap, pi, sizeof *pi);
}

static int64_t pipe_waiting(const struct file *f)
{
	return (int64_t)filled(f->u.pipe);
}

/* --- the size --- */

/* A new ring with what was not read. */
static int64_t resize(struct kernel *k, struct pipe *pi, size_t size)
{
	struct pipe now;
	size_t n = filled(pi);

	if (n > size)
		return -E_BUSY;
	if (pi->view != NULL && !part_from_view(k, pi))
		return -E_NOMEM;
	now = *pi;
	now.size = size;
	if (pi->ring != NULL && ring_bytes(&now) != ring_bytes(pi)) {
		now.ring = own_ring(k, ring_bytes(&now));
		if (now.ring == NULL)
			return -E_NOMEM;
		copy_out(pi, pi->rpos, now.ring, n);
		now.tail = now.rpos = 0;
		now.wpos = n;
		drop_ring(k, pi);
	}
	*pi = now;
	wake(&pi->wait_room, k);
	return (int64_t)size;
}

static struct pipe *pipe_of(struct proc *p, int fd)
{
	struct file *f = fd_file(p, fd);

	return f != NULL && f->ops == &file_pipe ? f->u.pipe : NULL;
}

int64_t sys_pipe_size(struct proc *p, int fd)
{
	const struct pipe *pi = pipe_of(p, fd);

	return pi != NULL ? (int64_t)pi->size : -E_BADF;
}

int64_t sys_pipe_resize(struct proc *p, int fd, uint64_t wanted)
{
	struct pipe *pi = pipe_of(p, fd);
	size_t size = PAGE_BYTES;

	if (pi == NULL)
		return -E_BADF;
	if (wanted > INT32_MAX)
		return -E_INVAL;
	if (wanted > PIPE_BYTES_MAX)
		return -E_PERM;
	while (size < wanted)
		size *= 2;
	return size != pi->size ? resize(p->k, pi, size) : (int64_t)size;
}

int64_t sys_pipe_peek(struct proc *p, int fd, void *out, size_t n)
{
	struct file *f = fd_file(p, fd);

	if (f == NULL || !file_reads(f))
		return -E_BADF;
	proc_charge(p, 1 + n / 64);
	return f->ops == &file_pipe ? pipe_peek(p, f, out, n) : -E_INVAL;
}

/* The pipe of the other kernel that stands for this one, with what is in it. */
static int copy_pipe(struct copying *w, const struct pipe *like, struct pipe **out)
{
	struct kernel *k = w->to;
	struct pipe *pi = copy_find(w, like);
	size_t n = filled(like);

	*out = pi;
	if (pi != NULL)
		return 0;
	pi = pipe_new(k);
	if (pi == NULL)
		return -E_NOMEM;
	pi->size = like->size;
	if (n != 0 && (pi->ring = own_ring(k, ring_bytes(pi))) == NULL) {
		heap_free(&k->heap, pi, sizeof *pi);
		return -E_NOMEM;
	}
	if (n != 0)
		copy_out(like, like->rpos, pi->ring, n);
	pi->wpos = n;
	pi->had_writer = like->had_writer;
	pi->id = like->id;
	if (like->ino != 0)
		fifo_link(k, pi, like->ino);
	*out = pi;
	return copy_note(w, like, pi);
}

static int pipe_copy(struct copying *w, const struct file *like, struct file *f)
{
	bool fresh = copy_find(w, like->u.pipe) == NULL;
	struct pipe *pi;
	int r = copy_pipe(w, like->u.pipe, &pi);

	if (pi == NULL)
		return r;
	pipe_attach(pi, f);
	return r == 0 && fresh ? rights_copy(w, like->u.pipe->rights, &pi->rights) : r;
}

/* In a saved session: 0 is the common size, the others are counted from the smallest. */
static uint64_t size_number(size_t size)
{
	uint64_t n = 1;

	if (size == PIPE_BYTES)
		return 0;
	for (size_t s = PAGE_BYTES; s < size; s *= 2)
		n++;
	return n;
}

static size_t size_of_number(uint64_t n)
{
	return n == 0 ? PIPE_BYTES : (size_t)PAGE_BYTES << (n - 1);
}

static void pipe_pack(struct packing *w, const struct file *f)
{
	const struct pipe *pi = f->u.pipe;
	char *bytes;

	if (!pack_thing(w, THING_PIPE, pi))
		return;
	bytes = arena_alloc(w->a, ring_bytes(pi));
	if (filled(pi) != 0)
		copy_out(pi, pi->rpos, bytes, filled(pi));
	pack_bytes(w->out, (struct bytes){ bytes, filled(pi) });
	pack_u64(w->out, pi->had_writer + 2 * size_number(pi->size));
	pack_u64(w->out, pi->id);
	rights_pack(w, pi->rights);
}

/* A pipe with these bytes in it, which f is the first to have open. */
static int fill_pipe(struct unpacking *u, struct file *f)
{
	struct bytes content = unpack_bytes(u->in);
	uint64_t how = unpack_below(u->in, 2 * size_number(PIPE_BYTES_MAX) + 1);
	size_t size = size_of_number(how / 2);
	struct pipe *pi = content.len <= size ? pipe_new(u->k) : NULL;

	if (pi == NULL)
		return content.len <= size ? -E_NOMEM : -E_IO;
	pi->had_writer = (how & 1) != 0;
	pi->size = size;
	pi->id = unpack_u64(u->in);
	if (f->ino != 0)
		fifo_link(u->k, pi, f->ino);
	pipe_attach(pi, f);
	if (content.len == 0)
		return 0;
	pi->ring = own_ring(u->k, ring_bytes(pi));
	if (pi->ring == NULL)
		return -E_NOMEM;
	memcpy(pi->ring, content.ptr, content.len);
	pi->wpos = content.len;
	return 0;
}

static int pipe_unpack(struct unpacking *u, struct file *f)
{
	size_t at;
	bool fresh;
	struct pipe *pi = unpack_thing(u, THING_PIPE, &at, &fresh);
	int r;

	if (!fresh) {
		if (pi == NULL)
			return -E_IO;
		pipe_attach(pi, f);
		return 0;
	}
	r = fill_pipe(u, f);
	if (r == 0)
		r = rights_unpack(u, &f->u.pipe->rights);
	if (r == 0)
		unpack_set(u, at, f->u.pipe);
	return r;
}

const struct file_ops file_pipe = {
	.name = "pipe",
	.waiting = pipe_waiting,
	.read = pipe_read,
	.write = pipe_write,
	.view = pipe_view,
	.poll = pipe_poll,
	.stat = pipe_stat,
	.close = pipe_close,
	.copy = pipe_copy,
	.pack = pipe_pack,
	.unpack = pipe_unpack,
};

struct pipe *pipe_new(struct kernel *k)
{
	struct pipe *pi = heap_zalloc(&k->heap, sizeof *pi);

	if (pi != NULL) {
		pi->size = PIPE_BYTES;
		pi->id = ++k->pipes_made + PIPE_ID_FIRST;
	}
	return pi;
}

/* A file on the pipe; a pipe that nobody has open yet is freed on failure. */
static struct file *open_end(struct kernel *k, struct pipe *pi, unsigned flags)
{
	struct file *f = file_new(k, &file_pipe, flags);

	if (f != NULL)
		pipe_attach(pi, f);
	else if (pi->readers == 0 && pi->writers == 0)
		heap_free(&k->heap, pi, sizeof *pi);
	return f;
}

int pipe_ends(struct kernel *k, struct file **read, struct file **write)
{
	struct pipe *pi = pipe_new(k);

	*read = pi != NULL ? open_end(k, pi, O_RDONLY_) : NULL;
	if (*read == NULL)
		return -E_NOMEM;
	*write = open_end(k, pi, O_WRONLY_);
	if (*write != NULL)
		return 0;
	file_put(*read);
	return -E_NOMEM;
}

int64_t sys_pipe(struct proc *p, int fds[2], bool cloexec)
{
	struct pipe *pi;
	struct file *r;
	struct file *w;

	proc_charge(p, 4);
	pi = pipe_new(p->k);
	r = pi != NULL ? open_end(p->k, pi, O_RDONLY_) : NULL;
	if (r == NULL)
		return -E_NOMEM;
	fds[0] = fd_install(p, r, cloexec);
	if (fds[0] < 0)
		return fds[0];
	w = open_end(p->k, pi, O_WRONLY_);
	fds[1] = w != NULL ? fd_install(p, w, cloexec) : -E_NOMEM;
	if (fds[1] < 0)
		fd_drop(p, fds[0]);
	return fds[1] < 0 ? fds[1] : 0;
}

int pipe_reopen(struct proc *p, struct file *f, unsigned oflags, struct file **out)
{
	*out = file_new(p->k, &file_pipe, oflags);
	if (*out == NULL)
		return -E_NOMEM;
	pipe_attach(f->u.pipe, *out);
	return 0;
}
