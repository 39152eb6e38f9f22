/* SPDX-License-Identifier: MIT
 *
 * System calls on open files: bytes in and out, descriptors.
 */
#include "microvm/private.h"

enum {
	PART_BYTES = 256 * 1024, /* moved at once */
	IOV_MAX_ = 1024,
	FADVISE_LAST = 5,
	RANGE_FLAGS = 7,
	HERE = -1, /* at the file's own position */
};

struct iovec_ {
	uint64_t base;
	uint64_t len;
};

void *call_memory(struct task *t, size_t n)
{
	return arena_alloc(&t->p->arena, n);
}

static bool is_regular(struct task *t, int fd)
{
	struct vfs_stat st;

	return sys_fstat(t->p, fd, &st) == 0 && (st.mode & S_FMT) == S_REG;
}

static bool is_pipe(struct task *t, int fd)
{
	struct vfs_stat st;

	return sys_fstat(t->p, fd, &st) == 0 && (st.mode & S_FMT) == S_FIFO;
}

/* --- reading and writing --- */

/* How many of n bytes a call moves, of which the program has memory for the first `can`: what can't
 * be delivered is not taken, what is not there not written to files. 0: *err says why. */
static size_t movable(struct task *t, int fd, size_t can, size_t n, unsigned want, int64_t *err)
{
	*err = 0;
	if (can == n || (can != 0 && (want == PROT_WRITE_ || is_regular(t, fd))))
		return can;
	*err = sys_getfl(t->p, fd) < 0 ? -E_BADF : -E_FAULT;
	return 0;
}

static size_t movable_at(struct task *t, int fd, uint64_t address, size_t n, unsigned want,
			 int64_t *err)
{
	return movable(t, fd, (size_t)space_allows(t->space, address, n, want), n, want, err);
}

static int64_t read_to(struct task *t, int fd, uint64_t address, uint64_t n, int64_t pos)
{
	size_t size = n < PART_BYTES ? (size_t)n : PART_BYTES;
	char *buf = call_memory(t, size != 0 ? size : 1);
	uint64_t done = 0;

	for (;;) {
		size_t part = n - done < size ? (size_t)(n - done) : size;
		int64_t r;

		part = movable_at(t, fd, address + done, part, PROT_WRITE_, &r);
		if (r == 0)
			r = pos == HERE ? sys_read(t->p, fd, buf, part)
					: sys_pread(t->p, fd, buf, part, (uint64_t)pos + done);
		if (r < 0)
			return done != 0 ? (int64_t)done : r;
		if (put_user(t, address + done, buf, (size_t)r) != 0)
			return done != 0 ? (int64_t)done : -E_FAULT;
		done += (uint64_t)r;
		t->done += (uint64_t)r;
		if ((size_t)r < part || done == n || !is_regular(t, fd))
			return (int64_t)done;
		call_rest(t);
	}
}

static int64_t write_from(struct task *t, int fd, uint64_t address, uint64_t n, int64_t pos)
{
	size_t size = n < PART_BYTES ? (size_t)n : PART_BYTES;
	char *buf = call_memory(t, size != 0 ? size : 1);
	uint64_t done = 0;
	size_t part;
	int64_t r;

	/* What goes only in part meets an error, which the next call says. */
	do {
		part = n - done < size ? (size_t)(n - done) : size;
		part = movable_at(t, fd, address + done, part, PROT_READ_, &r);
		if (r == 0 && get_user(t, buf, address + done, part) != 0)
			r = -E_FAULT;
		if (r != 0)
			return done != 0 ? (int64_t)done : r;
		r = pos == HERE ? sys_write(t->p, fd, buf, part)
				: sys_pwrite(t->p, fd, buf, part, (uint64_t)pos + done);
		if (r < 0)
			return done != 0 ? (int64_t)done : r;
		done += (uint64_t)r;
		t->done += (uint64_t)r;
		if (done < n && (size_t)r == part)
			call_rest(t);
	} while (done < n && (size_t)r == part && r > 0);
	return (int64_t)done;
}

static int64_t again(int64_t r)
{
	return r == -E_INTR ? RESTART : r;
}

typedef int64_t mover(struct task *t, int fd, uint64_t address, uint64_t n, int64_t pos);

/* What is left of a call: all of it, but in a fork of the session in which it began. */
static int64_t move_rest(struct task *t, const uint64_t *a, int64_t pos, mover *move)
{
	uint64_t before = t->done < a[2] ? t->done : a[2];
	int64_t r;

	if (a[2] > USER_END || a[1] > USER_END - a[2])
		return sys_getfl(t->p, (int)a[0]) < 0 ? -E_BADF : -E_FAULT;
	r = move(t, (int)a[0], a[1] + before, a[2] - before,
		 pos == HERE ? HERE : pos + (int64_t)before);

	return r < 0 && before != 0 ? (int64_t)before : r < 0 ? r : (int64_t)before + r;
}

int64_t call_read(struct task *t, const uint64_t *a)
{
	return again(move_rest(t, a, HERE, read_to));
}

int64_t call_write(struct task *t, const uint64_t *a)
{
	return again(move_rest(t, a, HERE, write_from));
}

int64_t call_pread64(struct task *t, const uint64_t *a)
{
	return (int64_t)a[3] < 0 ? -E_INVAL : move_rest(t, a, (int64_t)a[3], read_to);
}

int64_t call_pwrite64(struct task *t, const uint64_t *a)
{
	return (int64_t)a[3] < 0 ? -E_INVAL : move_rest(t, a, (int64_t)a[3], write_from);
}

static int64_t move_vector(struct task *t, const uint64_t *a, int64_t pos, mover *move)
{
	size_t count = (size_t)a[2];
	struct iovec_ *v;
	uint64_t left = t->done; /* of what was moved before the call came here */
	uint64_t total = 0;

	if (a[2] > IOV_MAX_)
		return -E_INVAL;
	v = call_memory(t, (count + 1) * sizeof *v);
	if (get_user(t, v, a[1], count * sizeof *v) != 0)
		return -E_FAULT;
	for (size_t i = 0; i < count; i++) {
		uint64_t before = left < v[i].len ? left : v[i].len;
		int64_t r;

		left -= before;
		total += before;
		if (v[i].len == before)
			continue;
		r = move(t, (int)a[0], v[i].base + before, v[i].len - before,
			 pos == HERE ? HERE : pos + (int64_t)total);
		if (r < 0)
			return total != 0 ? (int64_t)total : again(r);
		total += (uint64_t)r;
		if ((uint64_t)r < v[i].len - before)
			break;
	}
	return (int64_t)total;
}

/* The vector of a call, and how many bytes it is about: more than PART_BYTES are not counted. */
static int64_t get_vector(struct task *t, const uint64_t *a, struct iovec_ **out)
{
	size_t count = (size_t)a[2];
	size_t total = 0;
	struct iovec_ *v;

	if (a[2] > IOV_MAX_)
		return -E_INVAL;
	*out = v = call_memory(t, (count + 1) * sizeof *v);
	if (get_user(t, v, a[1], count * sizeof *v) != 0)
		return -E_FAULT;
	for (size_t i = 0; i < count; i++)
		if ((int64_t)v[i].len < 0)
			return -E_INVAL;
	for (size_t i = 0; i < count && total <= PART_BYTES; i++)
		total += v[i].len < PART_BYTES + 1 ? (size_t)v[i].len : PART_BYTES + 1;
	return (int64_t)total;
}

/* How many of a vector's bytes, total together, are where there is such a right. */
static size_t vector_allows(struct task *t, const struct iovec_ *v, size_t total, unsigned want)
{
	size_t done = 0;

	for (; done < total; v++) {
		size_t can = (size_t)space_allows(t->space, v->base, v->len, want);

		done += can;
		if (can < v->len)
			break;
	}
	return done;
}

/* In one piece where it is small: what is there comes, and nobody waits for more. */
int64_t call_readv(struct task *t, const uint64_t *a)
{
	struct iovec_ *v;
	int64_t total = get_vector(t, a, &v);
	size_t can;
	int64_t r;
	char *buf;

	if (total < 0 || total > PART_BYTES)
		return total < 0 ? total : move_vector(t, a, HERE, read_to);
	can = vector_allows(t, v, (size_t)total, PROT_WRITE_);
	can = movable(t, (int)a[0], can, (size_t)total, PROT_WRITE_, &r);
	if (r != 0)
		return r;
	buf = call_memory(t, can + 1);
	r = sys_read(t->p, (int)a[0], buf, can);
	for (int64_t i = 0, at = 0; at < r; at += (int64_t)v[i++].len) {
		int64_t part = (int64_t)v[i].len < r - at ? (int64_t)v[i].len : r - at;

		if (put_user(t, v[i].base, buf + at, (size_t)part) != 0)
			return -E_FAULT;
	}
	return again(r);
}

/* What is gathered goes out in one piece where it is small: messages stay whole. */
int64_t call_writev(struct task *t, const uint64_t *a)
{
	struct iovec_ *v;
	int64_t most = get_vector(t, a, &v);
	size_t before = (size_t)t->done;
	size_t total = 0;
	size_t can;
	char *buf;
	int64_t r;

	if (most < 0 || most > PART_BYTES)
		return most < 0 ? most : move_vector(t, a, HERE, write_from);
	can = vector_allows(t, v, (size_t)most, PROT_READ_);
	can = movable(t, (int)a[0], can, (size_t)most, PROT_READ_, &r);
	if (r != 0)
		return r;
	buf = call_memory(t, can + 1);
	for (size_t i = 0; total < can; i++) {
		size_t part = v[i].len < can - total ? (size_t)v[i].len : can - total;

		if (get_user(t, buf + total, v[i].base, part) != 0)
			return -E_FAULT;
		total += part;
	}
	before = before < total ? before : total;
	r = sys_write(t->p, (int)a[0], buf + before, total - before);
	if (r < 0)
		return before != 0 ? (int64_t)before : again(r);
	return (int64_t)before + r;
}

int64_t call_preadv(struct task *t, const uint64_t *a)
{
	return (int64_t)a[3] < 0 ? -E_INVAL : move_vector(t, a, (int64_t)a[3], read_to);
}

int64_t call_pwritev(struct task *t, const uint64_t *a)
{
	return (int64_t)a[3] < 0 ? -E_INVAL : move_vector(t, a, (int64_t)a[3], write_from);
}

int64_t call_preadv2(struct task *t, const uint64_t *a)
{
	return (int64_t)a[3] == -1 ? call_readv(t, a) : call_preadv(t, a);
}

int64_t call_pwritev2(struct task *t, const uint64_t *a)
{
	return (int64_t)a[3] == -1 ? call_writev(t, a) : call_pwritev(t, a);
}

int64_t call_lseek(struct task *t, const uint64_t *a)
{
	return sys_lseek(t->p, (int)a[0], (int64_t)a[1], (int)a[2]);
}

int64_t call_fsync(struct task *t, const uint64_t *a)
{
	return sys_fsync(t->p, (int)a[0]);
}

int64_t call_fdatasync(struct task *t, const uint64_t *a)
{
	return sys_fsync(t->p, (int)a[0]);
}

int64_t call_sync(struct task *t, const uint64_t *a)
{
	(void)t;
	(void)a;
	return 0;
}

int64_t call_ftruncate(struct task *t, const uint64_t *a)
{
	return (int64_t)a[1] < 0 ? -E_INVAL : sys_ftruncate(t->p, (int)a[0], a[1]);
}

int64_t call_truncate(struct task *t, const uint64_t *a)
{
	char *path;
	int64_t r = get_path(t, a[0], &path);
	int64_t fd;

	if (r != 0)
		return r;
	fd = sys_open(t->p, AT_FDCWD_, path, O_WRONLY_ | O_CLOEXEC_, 0);
	if (fd < 0)
		return fd;
	/* Cutting may take time, in which another thread closes what it finds. */
	if (t->held[0] == NULL)
		t->held[0] = sys_file(t->p, (int)fd);
	r = (int64_t)a[1] < 0 ? -E_INVAL : sys_ftruncate(t->p, (int)fd, a[1]);
	sys_close(t->p, (int)fd);
	return r;
}

int64_t call_fallocate(struct task *t, const uint64_t *a)
{
	struct vfs_stat st;
	int64_t r = sys_fstat(t->p, (int)a[0], &st);

	if (r != 0)
		return r;
	if (a[1] > 1)
		return -E_OPNOTSUPP;
	if ((int64_t)a[2] < 0 || (int64_t)a[3] <= 0 || a[2] + a[3] < a[2])
		return -E_INVAL;
	if ((a[1] & 1) != 0 || a[2] + a[3] <= st.size)
		return 0;
	return sys_ftruncate(t->p, (int)a[0], a[2] + a[3]);
}

static int64_t if_open(struct task *t, int fd)
{
	return sys_get_cloexec(t->p, fd) < 0 ? -E_BADF : 0;
}

int64_t call_fadvise64(struct task *t, const uint64_t *a)
{
	int64_t r = if_open(t, (int)a[0]);

	return r == 0 && (a[3] > FADVISE_LAST || (int64_t)a[2] < 0) ? -E_INVAL : r;
}

/* There is no disk that bytes could be on their way to. */
int64_t call_sync_file_range(struct task *t, const uint64_t *a)
{
	struct vfs_stat st;
	int64_t r = sys_fstat(t->p, (int)a[0], &st);
	uint64_t end = a[1] + a[2];

	if (r != 0)
		return r;
	if ((a[3] & ~(uint64_t)RANGE_FLAGS) != 0 || (int64_t)a[1] < 0 ||
	    (int64_t)end < (int64_t)a[1])
		return -E_INVAL;
	return (st.mode & S_FMT) == S_REG || (st.mode & S_FMT) == S_DIR ? 0 : -E_SPIPE;
}

/* Nor one that they would have to come from. */
int64_t call_readahead(struct task *t, const uint64_t *a)
{
	int64_t flags = sys_getfl(t->p, (int)a[0]);

	if (flags < 0 || (flags & O_ACCMODE_) == O_WRONLY_)
		return -E_BADF;
	return is_regular(t, (int)a[0]) ? 0 : -E_INVAL;
}

/* --- descriptors --- */

int64_t call_close(struct task *t, const uint64_t *a)
{
	return sys_close(t->p, (int)a[0]);
}

int64_t call_close_range(struct task *t, const uint64_t *a)
{
	int last = a[1] > 1u << 20 ? 1 << 20 : (int)a[1];

	if (a[0] > a[1] || (a[2] & ~(uint64_t)6) != 0)
		return -E_INVAL;
	for (int fd = (int)(a[0] > 1u << 20 ? 1u << 20 : a[0]); fd <= last; fd++) {
		/* Above the table nothing can be open. */
		if (fd >= proc_owner_of(t->p)->nfds)
			break;
		if ((a[2] & 4) != 0)
			sys_set_cloexec(t->p, fd, true);
		else if (sys_get_cloexec(t->p, fd) >= 0)
			sys_close(t->p, fd);
	}
	return 0;
}

int64_t call_dup(struct task *t, const uint64_t *a)
{
	return sys_dup(t->p, (int)a[0]);
}

int64_t call_dup2(struct task *t, const uint64_t *a)
{
	return sys_dup2(t->p, (int)a[0], (int)a[1], false);
}

int64_t call_dup3(struct task *t, const uint64_t *a)
{
	if ((int)a[0] == (int)a[1] || (a[2] & ~(uint64_t)O_CLOEXEC_) != 0)
		return -E_INVAL;
	return sys_dup2(t->p, (int)a[0], (int)a[1], a[2] != 0);
}

int64_t call_pipe2(struct task *t, const uint64_t *a)
{
	int fds[2];
	int64_t r;

	if ((a[1] & ~(uint64_t)(O_CLOEXEC_ | O_NONBLOCK_ | 040000)) != 0)
		return -E_INVAL;
	r = sys_pipe(t->p, fds, (a[1] & O_CLOEXEC_) != 0);
	if (r < 0)
		return r;
	for (int i = 0; i < 2 && (a[1] & O_NONBLOCK_) != 0; i++)
		sys_setfl(t->p, fds[i], O_NONBLOCK_);
	r = put_user(t, a[0], fds, sizeof fds);
	for (int i = 0; i < 2 && r != 0; i++)
		sys_close(t->p, fds[i]);
	return r;
}

int64_t call_pipe(struct task *t, const uint64_t *a)
{
	const uint64_t b[2] = { a[0], 0 };

	return call_pipe2(t, b);
}

enum {
	F_DUPFD_,
	F_GETFD_,
	F_SETFD_,
	F_GETFL_,
	F_SETFL_,
	F_GETLK_,
	F_SETLK_,
	F_SETLKW_,
	F_SETOWN_,
	F_GETOWN_,
	F_OFD_GETLK_ = 36,
	F_OFD_SETLK_,
	F_OFD_SETLKW_,
	F_DUPFD_CLOEXEC_ = 1030,
	F_SETPIPE_SZ_ = 1031,
	F_GETPIPE_SZ_ = 1032,
	F_ADD_SEALS_ = 1033,
	F_GET_SEALS_ = 1034,
};

int64_t call_fcntl(struct task *t, const uint64_t *a)
{
	struct proc *p = t->p;
	int fd = (int)a[0];
	int64_t r;

	switch ((int)a[1]) {
	case F_DUPFD_: return sys_dup_from(p, fd, (int)a[2], false);
	case F_DUPFD_CLOEXEC_: return sys_dup_from(p, fd, (int)a[2], true);
	case F_GETFD_: return sys_get_cloexec(p, fd);
	case F_SETFD_: return sys_set_cloexec(p, fd, (a[2] & 1) != 0);
	case F_GETFL_: r = sys_getfl(p, fd); return r < 0 ? r : r | 0100000;
	case F_SETFL_: return sys_setfl(p, fd, (unsigned)a[2]);
	case F_GETLK_: return lock_get(t, fd, a[2], false);
	case F_OFD_GETLK_: return lock_get(t, fd, a[2], true);
	case F_SETLK_: return lock_set(t, fd, a[2], false, false);
	case F_SETLKW_: return lock_set(t, fd, a[2], false, true);
	case F_OFD_SETLK_: return lock_set(t, fd, a[2], true, false);
	case F_OFD_SETLKW_: return lock_set(t, fd, a[2], true, true);
	case F_SETOWN_: return if_open(t, fd);
	case F_GETOWN_: return if_open(t, fd);
	case F_SETPIPE_SZ_: return sys_pipe_resize(p, fd, (uint32_t)a[2]);
	case F_GETPIPE_SZ_: return sys_pipe_size(p, fd);
	case F_ADD_SEALS_: return memory_seal(t, fd, (unsigned)a[2]);
	case F_GET_SEALS_: return memory_seals(t, fd);
	default: return if_open(t, fd) != 0 ? -E_BADF : -E_INVAL;
	}
}

/* --- ioctl --- */

enum {
	FIONREAD_ = 0x541b,
	FIONBIO_ = 0x5421,
	FIONCLEX_ = 0x5450,
	FIOCLEX_ = 0x5451,
	FIOASYNC_ = 0x5452,
};

static int64_t bytes_ready(struct task *t, int fd, uint64_t address)
{
	int64_t r = sys_waiting(t->p, fd);
	int32_t n = r > INT32_MAX ? INT32_MAX : (int32_t)r;

	if (r < 0)
		return r;
	return put_user(t, address, &n, sizeof n);
}

int64_t call_ioctl(struct task *t, const uint64_t *a)
{
	int fd = (int)a[0];
	unsigned request = (unsigned)a[1];
	int64_t flags = sys_getfl(t->p, fd);
	int32_t on;

	if (flags < 0)
		return flags;
	switch (request) {
	case FIOCLEX_: return sys_set_cloexec(t->p, fd, true);
	case FIONCLEX_: return sys_set_cloexec(t->p, fd, false);
	case FIONBIO_:
		if (get_user(t, &on, a[2], sizeof on) != 0)
			return -E_FAULT;
		flags = on != 0 ? flags | O_NONBLOCK_ : flags & ~(int64_t)O_NONBLOCK_;
		return sys_setfl(t->p, fd, (unsigned)flags);
	case FIOASYNC_:
		/* Who reads or waits for events, as all do, misses no signal. */
		if (get_user(t, &on, a[2], sizeof on) != 0)
			return -E_FAULT;
		return sys_is_socket(t->p, fd) || is_pipe(t, fd) ? 0 : -E_NOTTY;
	case FIONREAD_:
		if (!sys_isatty(t->p, fd))
			return bytes_ready(t, fd, a[2]);
		break;
	default: break;
	}
	return terminal_ioctl(t, fd, request, a[2]);
}
