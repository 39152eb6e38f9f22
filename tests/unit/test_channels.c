/* SPDX-License-Identifier: MIT
 *
 * Messages and descriptors through sockets, record locks, inotify, timers that send signals.
 */
#include "tests/unit/kernel_env.h"

static void run(int (*fn)(struct proc *, void *))
{
	if (!env_open())
		return;
	CHECK_EQ(env_run(fn, NULL), 0);
	env_close();
}

/* --- messages --- */

static int messages(struct proc *p, void *arg)
{
	struct socket_message m = { .flags = SOCKET_NO_WAIT };
	int s[2];
	int fds[2];
	int file;
	char got[16] = "";

	(void)arg;
	CHECK_EQ(sys_socketpair(p, SOCKET_DATAGRAM, s, 0), 0);
	CHECK_EQ(sys_recvmsg(p, s[1], got, sizeof got, &m), -E_AGAIN);
	CHECK_EQ(sys_write(p, s[0], "one", 3), 3);
	CHECK_EQ(sys_write(p, s[0], "second", 6), 6);
	CHECK_EQ(sys_waiting(p, s[1]), 3);
	m.flags = SOCKET_PEEK;
	CHECK_EQ(sys_recvmsg(p, s[1], got, sizeof got, &m), 3);
	m.flags = 0;
	CHECK_EQ(sys_recvmsg(p, s[1], got, sizeof got, &m), 3);
	CHECK_EQ(sys_recvmsg(p, s[1], got, 2, &m), 2); /* the rest of it is lost */
	CHECK_EQ(m.told & SOCKET_CUT, SOCKET_CUT);
	m.flags = SOCKET_NO_WAIT;
	CHECK_EQ(sys_recvmsg(p, s[1], got, sizeof got, &m), -E_AGAIN);
	/* A file on its way lives on without its descriptor. */
	file = (int)sys_open(p, AT_FDCWD_, "/f", O_CREAT_ | O_RDWR_, 0644);
	CHECK_EQ(sys_write(p, file, "inside", 6), 6);
	m = (struct socket_message){ .nfds = 1, .fds = &file };
	CHECK_EQ(sys_sendmsg(p, s[0], "fd", 2, &m), 2);
	CHECK_EQ(sys_close(p, file), 0);
	CHECK_EQ(sys_unlink(p, AT_FDCWD_, "/f", 0), 0);
	m = (struct socket_message){ .room = 2, .fds = fds };
	CHECK_EQ(sys_recvmsg(p, s[1], got, sizeof got, &m), 2);
	CHECK_EQ(m.nfds, 1);
	CHECK_EQ(sys_pread(p, fds[0], got, sizeof got, 0), 6);
	CHECK_EQ(memcmp(got, "inside", 6), 0);
	CHECK_EQ(sys_sendmsg(p, 1, "x", 1, &m), -E_NOTSOCK);
	/* One that nobody takes out must not leak: env_close sees it. */
	m = (struct socket_message){ .nfds = 1, .fds = fds };
	CHECK_EQ(sys_sendmsg(p, s[0], "fd", 2, &m), 2);
	return 0;
}

/* --- locks --- */

static const struct lock_request exclusive = {
	LOCK_OF_PROCESS, LOCK_EXCLUSIVE, 0, 10, false, false
};

static int other_owner(struct proc *p, void *arg)
{
	struct lock_request r = exclusive;
	struct lock_found found = { .pid = 0 };
	int fd = (int)sys_open(p, AT_FDCWD_, "/l", O_RDWR_, 0);

	(void)arg;
	CHECK_EQ(sys_lock_as(p, fd, &r, &found), -E_AGAIN);
	r.only_test = true;
	CHECK_EQ(sys_lock_as(p, fd, &r, &found), -E_AGAIN);
	CHECK_EQ(found.pid, p->ppid);
	CHECK_EQ(found.kind, LOCK_EXCLUSIVE);
	r = exclusive;
	r.from = 10;
	CHECK_EQ(sys_lock_as(p, fd, &r, NULL), 0);
	r = exclusive;
	r.wait = true;
	CHECK_EQ(sys_lock_as(p, fd, &r, NULL), 0); /* when the parent gives it up */
	return 0;
}

static int locks(struct proc *p, void *arg)
{
	struct lock_request r = exclusive;
	int fd = (int)sys_open(p, AT_FDCWD_, "/l", O_CREAT_ | O_RDWR_, 0644);
	int second = (int)sys_open(p, AT_FDCWD_, "/l", O_RDWR_, 0);
	int64_t pid;

	(void)arg;
	CHECK_EQ(sys_lock_as(p, fd, &r, NULL), 0);
	pid = env_spawn(p, other_owner, NULL);
	sys_sleep(p, 1000);
	/* Closing any descriptor of the file ends the process's locks on it. */
	CHECK_EQ(sys_close(p, second), 0);
	CHECK_EQ(env_wait(p, pid), 0);
	CHECK_EQ(sys_lock_as(p, fd, &r, NULL), 0);
	CHECK_EQ(sys_lock_as(p, 77, &r, NULL), -E_BADF);
	return 0;
}

/* --- inotify --- */

struct record {
	int32_t watch;
	uint32_t mask;
	uint32_t cookie;
	uint32_t name_bytes;
};

static int watches(struct proc *p, void *arg)
{
	int fd = (int)sys_inotify(p, O_NONBLOCK_);
	_Alignas(struct record) char got[4096];
	struct record r;
	int64_t n;

	(void)arg;
	CHECK_EQ(sys_mkdir(p, AT_FDCWD_, "/w", 0755), 0);
	CHECK_EQ(sys_inotify_add(p, fd, "/w", 0x300), 1);
	CHECK_EQ(sys_inotify_add(p, fd, "/w", 0x300), 1);
	CHECK_EQ(sys_inotify_add(p, fd, "/none", 0x300), -E_NOENT);
	CHECK_EQ(sys_inotify_add(p, 1, "/w", 0x300), -E_INVAL);
	CHECK_EQ(sys_read(p, fd, got, sizeof got), -E_AGAIN);
	sys_close(p, (int)sys_open(p, AT_FDCWD_, "/w/a", O_CREAT_ | O_RDWR_, 0644));
	CHECK_EQ(sys_waiting(p, fd), 32);
	CHECK_EQ(sys_read(p, fd, got, 20), -E_INVAL);
	CHECK_EQ(sys_read(p, fd, got, sizeof got), 32);
	memcpy(&r, got, sizeof r);
	CHECK_EQ(r.mask, 0x100);
	CHECK_STR(got + sizeof r, "a");
	/* More than are kept: the last one says so. */
	for (int i = 0; i < 10000; i++) {
		sys_close(p, (int)sys_open(p, AT_FDCWD_, "/w/b", O_CREAT_ | O_RDWR_, 0644));
		sys_unlink(p, AT_FDCWD_, "/w/b", 0);
	}
	do {
		n = sys_read(p, fd, got, 32);
		memcpy(&r, got, sizeof r);
	} while (n == 32);
	CHECK_EQ(n, 16);
	CHECK_EQ(r.mask, 0x4000);
	CHECK_EQ(sys_inotify_remove(p, fd, 1), 0);
	CHECK_EQ(sys_read(p, fd, got, sizeof got), 16);
	memcpy(&r, got, sizeof r);
	CHECK_EQ(r.mask, 0x8000);
	CHECK_EQ(sys_inotify_remove(p, fd, 1), -E_INVAL);
	/* A directory that is watched when all ends is let go. */
	CHECK_EQ(sys_inotify_add(p, fd, "/w", 0xfff), 2);
	CHECK_EQ(sys_unlink(p, AT_FDCWD_, "/w/a", 0), 0);
	CHECK_EQ(sys_unlink(p, AT_FDCWD_, "/w", AT_REMOVEDIR_), 0);
	return 0;
}

/* --- timers --- */

static int timers(struct proc *p, void *arg)
{
	const struct timer_notice notice = { .sig = SIGUSR1_, .value = 5 };
	const struct timer_setting often = { 1, 1 };
	const struct timer_setting once = { 1000000, 0 };
	struct timer_setting left;
	struct sig_source source;
	int64_t id = sys_timer_new(p, false, &notice);

	(void)arg;
	CHECK_EQ(id, 0);
	CHECK_EQ(sys_timer_get(p, 1, &left), -E_INVAL);
	sys_sigmask(p, (uint64_t)1 << (SIGUSR1_ - 1));
	/* Every nanosecond, blocked: nothing ticks meanwhile. */
	CHECK_EQ(sys_timer_set(p, (int)id, false, &often), 0);
	CHECK_EQ(sys_sleep(p, 1000000000), 0);
	CHECK_EQ(proc_take_signal(p, p->sig_blocked, &source), SIGUSR1_);
	CHECK_EQ(source.value, 5);
	CHECK_EQ(source.code, SIG_BY_TIMER);
	CHECK(sys_timer_missed(p, (int)id) > 900000000);
	CHECK_EQ(sys_timer_set(p, (int)id, false, &once), 0);
	CHECK_EQ(sys_timer_get(p, (int)id, &left), 0);
	CHECK(left.value_ns > 0 && left.value_ns <= 1000000 && left.every_ns == 0);
	CHECK_EQ(sys_timer_delete(p, (int)id), 0);
	/* Left armed at the end: it goes with the process. */
	id = sys_timer_new(p, true, &notice);
	CHECK_EQ(sys_timer_set(p, (int)id, false, &once), 0);
	return 0;
}

/* --- futexes --- */

static int wait_at(struct proc *p, void *arg)
{
	return (int)sys_futex_wait(p, *(struct futex_key *)arg, 1, 0);
}

/* Who is sent to another name stands behind those that wait there, whatever the names are. */
static int requeued(struct proc *p, void *arg)
{
	struct futex_key from = { 1, 0 };
	struct spawn first = { .fn = wait_at, .arg = &from };

	(void)arg;
	for (uint64_t i = 1; i <= 64; i++) {
		struct futex_key to = { i << 7, 4 };
		struct spawn second = { .fn = wait_at, .arg = &to };
		int64_t sent = sys_spawn(p, &first, NULL);
		int64_t there = sys_spawn(p, &second, NULL);

		sys_yield(p);
		CHECK_EQ(kernel_futex_requeue(p->k, from, to, 1), 1);
		CHECK_EQ(kernel_futex_wake(p->k, to, 1, 1), 1);
		CHECK_EQ(sys_wait(p, -1, NULL, 0), there);
		CHECK_EQ(kernel_futex_requeue(p->k, to, to, 5), 1);
		CHECK_EQ(kernel_futex_wake(p->k, to, 1, 1), 1);
		CHECK_EQ(sys_wait(p, -1, NULL, 0), sent);
	}
	return 0;
}

TEST(requeued_futexes)
{
	run(requeued);
}

TEST(messages_and_descriptors)
{
	run(messages);
}

TEST(locks_of_processes)
{
	run(locks);
}

TEST(inotify)
{
	run(watches);
}

TEST(timers_with_signals)
{
	run(timers);
}

int main(void)
{
	RUN(messages_and_descriptors);
	RUN(locks_of_processes);
	RUN(inotify);
	RUN(timers_with_signals);
	RUN(requeued_futexes);
	return check_end();
}
