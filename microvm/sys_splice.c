/* SPDX-License-Identifier: MIT
 *
 * System calls that move bytes between descriptors: sendfile, copy_file_range, splice, tee and
 * vmsplice. Nothing is moved without a copy; what matters is that no byte is taken from its source
 * that was not delivered.
 */
#include "microvm/private.h"

enum {
	STEP_BYTES = 65536,
	PIPE_SURE = 4096, /* what a pipe takes at once, if it takes anything */
	SPLICE_NONBLOCK = 2,
	POLL_IN = 1,
	POLL_OUT = 4,
	SEEK_CURRENT = 1,
};

static uint32_t type_of(struct task *t, int fd)
{
	struct vfs_stat st;

	return sys_fstat(t->p, fd, &st) == 0 ? st.mode & S_FMT : 0;
}

/* Whether one can be read and the other written: 0 or -E_BADF. */
static int64_t check_ends(struct task *t, int in, int out)
{
	int64_t from = sys_getfl(t->p, in);
	int64_t to = sys_getfl(t->p, out);

	return from < 0 || to < 0 || (from & O_PATH_) != 0 || (to & O_PATH_) != 0 ||
			       (from & O_ACCMODE_) == O_WRONLY_ || (to & O_ACCMODE_) == O_RDONLY_
		       ? -E_BADF
		       : 0;
}

static bool same_pipe(struct task *t, int a, int b)
{
	struct vfs_stat one;
	struct vfs_stat two;

	return sys_fstat(t->p, a, &one) == 0 && sys_fstat(t->p, b, &two) == 0 &&
	       one.dev == two.dev && one.ino == two.ino;
}

/* One end of a copy, and where in it; at: the position's address, 0: the file's own. */
struct end {
	int fd;
	uint64_t at;
	uint64_t pos;
};

/* The next bytes. Where there are positions they stay to be read, and *left says so; what was
 * taken of others can't be taken again, should the call be made anew. */
static int64_t take(struct task *t, const struct end *e, void *buf, size_t n, bool *left)
{
	int64_t pos = e->at != 0 ? 0 : sys_lseek(t->p, e->fd, 0, SEEK_CURRENT);
	int64_t r;

	*left = e->at == 0 && pos >= 0;
	if (e->at != 0)
		return sys_pread(t->p, e->fd, buf, n, e->pos);
	r = *left ? sys_pread(t->p, e->fd, buf, n, (uint64_t)pos) : sys_read(t->p, e->fd, buf, n);
	t->parted = r > 0 && !*left;
	return r;
}

static int64_t give(struct task *t, const struct end *e, const void *buf, size_t n)
{
	return e->at != 0 ? sys_pwrite(t->p, e->fd, buf, n, e->pos)
			  : sys_write(t->p, e->fd, buf, n);
}

static int get_positions(struct task *t, struct end *in, struct end *out)
{
	if ((in->at != 0 && get_user(t, &in->pos, in->at, 8) != 0) ||
	    (out->at != 0 && get_user(t, &out->pos, out->at, 8) != 0))
		return -E_FAULT;
	return 0;
}

static int64_t put_positions(struct task *t, const struct end *in, const struct end *out, int64_t r)
{
	if (r <= 0)
		return r;
	if ((in->at != 0 && put_user(t, in->at, &in->pos, 8) != 0) ||
	    (out->at != 0 && put_user(t, out->at, &out->pos, 8) != 0))
		return -E_FAULT;
	return r;
}

/* From a file to anything; from a stream, what it has. */
static int64_t copy_between(struct task *t, struct end in, struct end out, uint64_t n, bool stream)
{
	char *buf = call_memory(t, STEP_BYTES);
	uint64_t done = t->done;
	int64_t w = get_positions(t, &in, &out);

	in.pos += done;
	out.pos += done;
	while (done < n && w == 0) {
		size_t part = n - done < STEP_BYTES ? (size_t)(n - done) : STEP_BYTES;
		bool left;
		int64_t r = take(t, &in, buf, part, &left);

		w = r > 0 ? give(t, &out, buf, (size_t)r) : r;
		if (w > 0 && left)
			sys_lseek(t->p, in.fd, w, SEEK_CURRENT);
		if (w <= 0)
			break;
		done += (uint64_t)w;
		in.pos += (uint64_t)w;
		out.pos += (uint64_t)w;
		t->done = done;
		w = stream || w < r; /* the receiver is full: that is all */
		call_rest(t);
	}
	return put_positions(t, &in, &out, done != 0 ? (int64_t)done : w);
}

int64_t call_sendfile(struct task *t, const uint64_t *a)
{
	struct end in = { .fd = (int)a[1], .at = a[2] };
	struct end out = { .fd = (int)a[0] };
	int64_t pos = sys_lseek(t->p, in.fd, 0, SEEK_CURRENT);

	/* What is read and not written must be there again. */
	if (pos < 0)
		return pos == -E_BADF ? pos : -E_INVAL;
	return copy_between(t, in, out, a[3], false);
}

int64_t call_copy_file_range(struct task *t, const uint64_t *a)
{
	struct end in = { .fd = (int)a[0], .at = a[1] };
	struct end out = { .fd = (int)a[2], .at = a[3] };

	if (type_of(t, in.fd) != S_REG || type_of(t, out.fd) != S_REG)
		return sys_getfl(t->p, in.fd) < 0 || sys_getfl(t->p, out.fd) < 0 ? -E_BADF
										 : -E_INVAL;
	if (a[5] != 0)
		return -E_INVAL;
	if (check_ends(t, in.fd, out.fd) != 0 || (sys_getfl(t->p, out.fd) & O_APPEND_) != 0)
		return -E_BADF;
	return copy_between(t, in, out, a[4], false);
}

/* --- pipes --- */

static bool ready(struct task *t, int fd, unsigned want)
{
	struct poll_item item = { .fd = fd, .want = want };

	return sys_poll(t->p, &item, 1, 0) > 0;
}

/* From a pipe: what is read stays there until it was written. */
static int64_t from_pipe(struct task *t, struct end in, struct end out, size_t n, bool wait,
			 bool leave)
{
	char *buf = call_memory(t, STEP_BYTES);
	int64_t r = get_positions(t, &in, &out);

	if (r == 0 && !wait && (!ready(t, in.fd, POLL_IN) || !ready(t, out.fd, POLL_OUT)))
		r = -E_AGAIN;
	if (r == 0)
		r = sys_pipe_peek(t->p, in.fd, buf, n < STEP_BYTES ? n : STEP_BYTES);
	if (r > 0)
		r = give(t, &out, buf, (size_t)r);
	if (r > 0 && !leave)
		r = sys_read(t->p, in.fd, buf, (size_t)r);
	out.pos += r > 0 ? (uint64_t)r : 0;
	return put_positions(t, &in, &out, r);
}

/* To a pipe, of a file or of something that streams. */
static int64_t to_pipe(struct task *t, struct end in, struct end out, size_t n, bool wait)
{
	bool full = !ready(t, out.fd, POLL_OUT);
	bool nonblock = !wait || (sys_getfl(t->p, out.fd) & O_NONBLOCK_) != 0;

	if (type_of(t, in.fd) == S_REG)
		return nonblock && full
			       ? -E_AGAIN
			       : copy_between(t, in, out, n < STEP_BYTES ? n : STEP_BYTES, false);
	/* What was taken from a stream can't be put back: only as much as is sure to be taken. */
	if (nonblock && (full || (!wait && !ready(t, in.fd, POLL_IN))))
		return -E_AGAIN;
	return copy_between(t, in, out, n < PIPE_SURE ? n : PIPE_SURE, true);
}

int64_t call_splice(struct task *t, const uint64_t *a)
{
	struct end in = { .fd = (int)a[0], .at = a[1] };
	struct end out = { .fd = (int)a[2], .at = a[3] };
	bool in_pipe = type_of(t, in.fd) == S_FIFO;
	bool out_pipe = type_of(t, out.fd) == S_FIFO;
	bool wait = (a[5] & SPLICE_NONBLOCK) == 0;
	size_t n = a[4] < STEP_BYTES ? (size_t)a[4] : STEP_BYTES;

	if (check_ends(t, in.fd, out.fd) != 0)
		return -E_BADF;
	if ((a[5] & ~(uint64_t)15) != 0 || (!in_pipe && !out_pipe) ||
	    (in_pipe && out_pipe && same_pipe(t, in.fd, out.fd)))
		return -E_INVAL;
	if ((in_pipe && in.at != 0) || (out_pipe && out.at != 0))
		return -E_SPIPE;
	if (n == 0)
		return 0;
	return in_pipe ? from_pipe(t, in, out, n, wait, false) : to_pipe(t, in, out, n, wait);
}

int64_t call_tee(struct task *t, const uint64_t *a)
{
	struct end in = { .fd = (int)a[0] };
	struct end out = { .fd = (int)a[1] };

	if (check_ends(t, in.fd, out.fd) != 0)
		return -E_BADF;
	if (type_of(t, in.fd) != S_FIFO || type_of(t, out.fd) != S_FIFO ||
	    (a[3] & ~(uint64_t)15) != 0 || same_pipe(t, in.fd, out.fd))
		return -E_INVAL;
	if (a[2] == 0)
		return 0;
	return from_pipe(t, in, out, a[2] < STEP_BYTES ? (size_t)a[2] : STEP_BYTES,
			 (a[3] & SPLICE_NONBLOCK) == 0, true);
}

int64_t call_vmsplice(struct task *t, const uint64_t *a)
{
	int64_t flags = sys_getfl(t->p, (int)a[0]);

	if (flags < 0 || type_of(t, (int)a[0]) != S_FIFO)
		return -E_BADF;
	if ((a[3] & ~(uint64_t)15) != 0)
		return -E_INVAL;
	return (flags & O_ACCMODE_) == O_RDONLY_ ? call_readv(t, a) : call_writev(t, a);
}
