/* SPDX-License-Identifier: MIT
 *
 * System calls that make descriptors of things that are no files: timers, signals, processes,
 * nameless memory.
 */
#include "microvm/private.h"

enum {
	CLOCK_REALTIME_ = 0,
	CLOCK_MONOTONIC_ = 1,
	CLOCK_BOOTTIME_ = 7,
	TFD_ABSOLUTE = 1,
	TFD_CANCEL_ON_SET = 2,
	MFD_CLOEXEC_ = 1,
	MFD_SEALING_ = 2,
	NAME_MAX_ = 249,
};

static bool only(uint64_t flags, unsigned known)
{
	return (flags & ~(uint64_t)known) == 0;
}

/* --- timers --- */

int64_t call_timerfd_create(struct task *t, const uint64_t *a)
{
	int clock = (int)a[0];

	if (!only(a[1], O_CLOEXEC_ | O_NONBLOCK_) ||
	    (clock != CLOCK_REALTIME_ && clock != CLOCK_MONOTONIC_ && clock != CLOCK_BOOTTIME_))
		return -E_INVAL;
	return sys_timerfd(t->p, clock == CLOCK_REALTIME_, (unsigned)a[1]);
}

int64_t call_timerfd_gettime(struct task *t, const uint64_t *a)
{
	struct timer_setting s;
	int64_t r = sys_timerfd_get(t->p, (int)a[0], &s);

	return r != 0 ? r : put_timer_setting(t, a[1], &s);
}

int64_t call_timerfd_settime(struct task *t, const uint64_t *a)
{
	struct timer_setting old;
	struct timer_setting s;
	int64_t r;

	if (!only(a[1], TFD_ABSOLUTE | TFD_CANCEL_ON_SET))
		return -E_INVAL;
	r = get_timer_setting(t, a[2], &s);
	if (r == 0)
		r = sys_timerfd_get(t->p, (int)a[0], &old);
	if (r == 0)
		r = sys_timerfd_set(t->p, (int)a[0], (a[1] & TFD_ABSOLUTE) != 0, &s);
	return r == 0 && a[3] != 0 ? put_timer_setting(t, a[3], &old) : r;
}

/* --- signals --- */

int64_t call_signalfd4(struct task *t, const uint64_t *a)
{
	uint64_t mask;

	if (a[2] != sizeof mask || !only(a[3], O_CLOEXEC_ | O_NONBLOCK_))
		return -E_INVAL;
	if (get_user(t, &mask, a[1], sizeof mask) != 0)
		return -E_FAULT;
	return sys_signalfd(t->p, (int)a[0], mask, (unsigned)a[3]);
}

int64_t call_signalfd(struct task *t, const uint64_t *a)
{
	const uint64_t b[4] = { a[0], a[1], a[2], 0 };

	return call_signalfd4(t, b);
}

/* --- processes --- */

int64_t call_pidfd_open(struct task *t, const uint64_t *a)
{
	return only(a[1], O_NONBLOCK_) ? sys_pidfd(t->p, (int)a[0], (unsigned)a[1]) : -E_INVAL;
}

/* Which process the directory in /proc is that is open there, or -E_BADF. */
static int64_t proc_directory(struct task *t, int fd)
{
	struct bytes above = BYTES("/proc/");
	struct buf path = buf_in(&t->p->arena);
	struct bytes target;
	size_t at = above.len;
	int64_t pid = 0;

	buf_printf(&path, "/proc/self/fd/%d", fd);
	if (sys_readlink(t->p, AT_FDCWD_, buf_cstr(&path), &t->p->arena, &target) < 0 ||
	    !bytes_starts(target, above))
		return -E_BADF;
	for (; at < target.len && byte_is_digit(target.ptr[at]) && pid < INT32_MAX / 10; at++)
		pid = pid * 10 + (target.ptr[at] - '0');
	return at == target.len && pid != 0 ? pid : -E_BADF;
}

int64_t call_pidfd_send_signal(struct task *t, const uint64_t *a)
{
	int64_t pid = sys_pidfd_pid(t->p, (int)a[0]);

	if (pid == -E_BADF)
		pid = proc_directory(t, (int)a[0]);
	if (pid < 0 || a[3] != 0)
		return pid < 0 ? pid : -E_INVAL;
	return sys_kill(t->p, (int)pid, (int)a[1]);
}

/* --- memory --- */

int64_t call_memfd_create(struct task *t, const uint64_t *a)
{
	char *name;
	int r = guest_string(t->p, t->space, a[0], NAME_MAX_ + 1, &t->p->arena, &name);

	if (r != 0)
		return r == -E_NAMETOOLONG ? -E_INVAL : r;
	if (!only(a[1], MFD_CLOEXEC_ | MFD_SEALING_))
		return -E_INVAL;
	return sys_memfd(t->p, name, (a[1] & MFD_CLOEXEC_) != 0 ? O_CLOEXEC_ : 0,
			 (a[1] & MFD_SEALING_) != 0 ? 0 : SEAL_SEAL);
}

int64_t memory_seals(struct task *t, int fd)
{
	struct file *f = sys_file(t->p, fd);
	int r = f != NULL ? sys_file_seals(f) : -E_BADF;

	if (f != NULL)
		file_put(f);
	return r;
}

/* Who can write through a mapping would go on doing so. */
static bool is_written(struct task *t, struct file *f)
{
	const struct object *o;
	struct vfs_stat st;

	if (sys_file_stat(t->p, f, &st) != 0)
		return false;
	o = object_find(t->m, st.ino);
	return o != NULL && o->writable;
}

int64_t memory_seal(struct task *t, int fd, unsigned seals)
{
	const unsigned all = SEAL_SEAL | SEAL_SHRINK | SEAL_GROW | SEAL_WRITE | SEAL_FUTURE_WRITE;
	struct file *f = sys_file(t->p, fd);
	int r;

	if (f == NULL)
		return -E_BADF;
	r = sys_file_seals(f);
	if (r >= 0 && (sys_file_flags(f) & O_ACCMODE_) == O_RDONLY_)
		r = -E_PERM;
	else if (r < 0 || (seals & ~all) != 0)
		r = -E_INVAL;
	else if ((r & SEAL_SEAL) == 0 && (seals & ~(unsigned)r & SEAL_WRITE) != 0 &&
		 is_written(t, f))
		r = -E_BUSY;
	else
		r = sys_file_seal(f, seals);
	file_put(f);
	return r;
}
