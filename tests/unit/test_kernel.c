/* SPDX-License-Identifier: MIT
 *
 * The kernel: processes, pipes, signals, waiting, files, limits.
 */
#include "tests/unit/kernel_env.h"

/* --- processes and stacks --- */

static int return_arg(struct proc *p, void *arg)
{
	(void)p;
	return (int)(intptr_t)arg;
}

static int write_hello(struct proc *p, void *arg)
{
	(void)arg;
	CHECK_EQ(sys_write(p, 1, "hello\n", 6), 6);
	CHECK_EQ(sys_write(p, 2, "oops\n", 5), 5);
	CHECK_EQ(sys_write(p, 1, "bye\n", 4), 4);
	return 3;
}

TEST(hello)
{
	if (!env_open())
		return;
	CHECK_EQ(env_run(write_hello, NULL), 3 << 8);
	CHECK_STR(env.out, "1:hello\n2:oops\n1:bye\n");
	CHECK_EQ(env.calls, 3);
	env_close();
}

static int spawn_many(struct proc *p, void *arg)
{
	(void)arg;
	for (int i = 0; i < 100; i++) {
		int64_t pid = env_spawn(p, return_arg, (void *)(intptr_t)(i & 255));

		CHECK(pid > p->pid);
		CHECK_EQ(env_wait(p, pid), (i & 255) << 8);
	}
	CHECK_EQ(sys_wait(p, -1, NULL, 0), -E_CHILD);
	return 0;
}

TEST(spawn)
{
	if (!env_open())
		return;
	CHECK_EQ(env_run(spawn_many, NULL), 0);
	env_close();
}

static int deep(void *arg);
struct depth {
	struct proc *p;
	int left;
	int fd;
};

static int recurse(struct depth *d)
{
	volatile char frame[2000];

	frame[0] = 1;
	if (d->left-- == 0) {
		char c;

		return sys_read(d->p, d->fd, &c, 1) == 1 ? c : -1;
	}
	return proc_deepen(d->p, 8000, deep, d) + frame[0] - 1;
}

static int deep(void *arg)
{
	return recurse(arg);
}

static int deepen_and_block(struct proc *p, void *arg)
{
	int fds[2];
	struct depth d = { p, 500, 0 };

	(void)arg;
	CHECK_EQ(sys_pipe(p, fds, false), 0);
	d.fd = fds[0];
	CHECK_EQ(sys_write(p, fds[1], "x", 1), 1);
	CHECK_EQ(recurse(&d), 'x');
	return 0;
}

static int block_deep(struct proc *p, void *arg)
{
	struct depth d = { p, 500, *(int *)arg };

	return recurse(&d);
}

static int kill_deep(struct proc *p, void *arg)
{
	int fds[2];
	int64_t pid;

	(void)arg;
	CHECK_EQ(sys_pipe(p, fds, false), 0);
	pid = env_spawn(p, block_deep, &fds[0]);
	CHECK_EQ(sys_sleep(p, 1000), 0);
	CHECK_EQ(sys_kill(p, (int)pid, SIGKILL_), 0);
	CHECK_EQ(env_wait(p, pid), SIGKILL_);
	pid = env_spawn(p, block_deep, &fds[0]);
	CHECK_EQ(sys_sleep(p, 1000), 0);
	CHECK_EQ(sys_write(p, fds[1], "y", 1), 1);
	CHECK_EQ(env_wait(p, pid), 'y' << 8);
	return 0;
}

TEST(deepen)
{
	if (!env_open())
		return;
	CHECK_EQ(env_run(deepen_and_block, NULL), 0);
	CHECK_EQ(env_run(kill_deep, NULL), 0);
	env_close();
}

/* --- pipes --- */

static int write_forever(struct proc *p, void *arg)
{
	int fd = *(int *)arg;

	for (;;)
		if (sys_write(p, fd, "y\n", 2) < 0)
			return 9;
}

static int sigpipe(struct proc *p, void *arg)
{
	int fds[2];
	char line[5];
	int64_t pid;

	(void)arg;
	CHECK_EQ(sys_pipe(p, fds, false), 0);
	CHECK_EQ(sys_set_cloexec(p, fds[0], true), 0);
	pid = env_spawn(p, write_forever, &fds[1]);
	sys_close(p, fds[1]);
	CHECK_EQ(sys_read(p, fds[0], line, 4), 4);
	CHECK(memcmp(line, "y\ny\n", 4) == 0);
	/* The child inherited the read end as well: it has a reader until it closes it. */
	sys_close(p, fds[0]);
	sys_kill(p, (int)pid, SIGTERM_);
	CHECK_EQ(env_wait(p, pid), SIGTERM_);
	return 0;
}

struct ends {
	int r;
	int w;
	size_t n;
};

static int produce(struct proc *p, void *arg)
{
	struct ends *e = arg;
	char block[1000];

	sys_close(p, e->r);
	for (size_t done = 0; done < e->n; done += sizeof block) {
		for (size_t i = 0; i < sizeof block; i++)
			block[i] = (char)((done + i) * 7 % 251);
		if (sys_write(p, e->w, block, sizeof block) != sizeof block)
			return 1;
	}
	return 0;
}

static size_t check_bytes(const char *data, size_t n, size_t at)
{
	for (size_t i = 0; i < n; i++)
		if (data[i] != (char)((at + i) * 7 % 251))
			return i;
	return n;
}

static int consume(struct proc *p, void *arg)
{
	struct ends e = { .n = 1000000 };
	bool views = arg != NULL;
	char data[3000];
	const char *at = data;
	size_t got = 0;
	int fds[2];
	int64_t pid;
	int64_t n;

	CHECK_EQ(sys_pipe(p, fds, false), 0);
	e.r = fds[0];
	e.w = fds[1];
	pid = env_spawn(p, produce, &e);
	sys_close(p, fds[1]);
	while ((n = views ? sys_view(p, e.r, 3000 + got % 90000, &at)
			  : sys_read(p, e.r, data, sizeof data)) > 0) {
		/* The writer may run while we look. */
		proc_charge(p, 6000);
		if (!CHECK_EQ(check_bytes(at, (size_t)n, got), n))
			return 1;
		got += (size_t)n;
	}
	CHECK_EQ(n, 0);
	CHECK_EQ(got, e.n);
	CHECK_EQ(env_wait(p, pid), 0);
	return 0;
}

static int writer_alone(struct proc *p, void *arg)
{
	int *fds = arg;

	sys_close(p, fds[0]);
	return write_forever(p, &fds[1]);
}

static int head(struct proc *p, void *arg)
{
	int fds[2];
	char line[4];
	int64_t pid;

	(void)arg;
	CHECK_EQ(sys_pipe(p, fds, false), 0);
	pid = env_spawn(p, writer_alone, fds);
	sys_close(p, fds[1]);
	CHECK_EQ(sys_read(p, fds[0], line, 4), 4);
	sys_close(p, fds[0]);
	CHECK_EQ(env_wait(p, pid), SIGPIPE_);
	CHECK_EQ(sys_pipe(p, fds, false), 0);
	sys_close(p, fds[0]);
	sys_sigaction(p, SIGPIPE_, SIG_IGNORED);
	CHECK_EQ(sys_write(p, fds[1], "x", 1), -E_PIPE);
	return 0;
}

static int nonblocking(struct proc *p, void *arg)
{
	static char big[70000];
	int fds[2];
	char c;

	(void)arg;
	CHECK_EQ(sys_pipe(p, fds, false), 0);
	sys_setfl(p, fds[0], O_NONBLOCK_);
	sys_setfl(p, fds[1], O_NONBLOCK_);
	CHECK_EQ(sys_read(p, fds[0], &c, 1), -E_AGAIN);
	CHECK_EQ(sys_write(p, fds[1], big, sizeof big), 65536);
	CHECK_EQ(sys_write(p, fds[1], big, 1), -E_AGAIN);
	CHECK_EQ(sys_read(p, fds[0], big, 1000), 1000);
	/* Writes of up to PIPE_BUF bytes are not split. */
	CHECK_EQ(sys_write(p, fds[1], big, 4096), -E_AGAIN);
	CHECK_EQ(sys_write(p, fds[1], big, 5000), 1000);
	return 0;
}

/* A line is read by itself, whatever ring the pipe has. */
static int lines_of_any_ring(struct proc *p, void *arg)
{
	static const uint64_t sizes[] = { 4096, 65536, 262144 };

	(void)arg;
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		char got[8] = "";
		size_t n = 0;
		const char *at;
		int fds[2];

		CHECK_EQ(sys_pipe(p, fds, false), 0);
		CHECK_EQ(sys_pipe_resize(p, fds[1], sizes[i]), (int64_t)sizes[i]);
		CHECK_EQ(sys_write(p, fds[1], "ab\ncd\n", 6), 6);
		while (n < 6 && (n == 0 || got[n - 1] != '\n')) {
			int64_t r = sys_view_line(p, fds[0], '\n', 100, &at);

			CHECK(r > 0 && r <= 3);
			memcpy(got + n, at, (size_t)r);
			n += (size_t)r;
		}
		CHECK_EQ(n, 3);
		CHECK_EQ(sys_read(p, fds[0], got + n, 5), 3);
		CHECK(memcmp(got, "ab\ncd\n", 6) == 0);
		sys_close(p, fds[0]);
		sys_close(p, fds[1]);
	}
	return 0;
}

TEST(pipes)
{
	if (!env_open())
		return;
	CHECK_EQ(env_run(sigpipe, NULL), 0);
	CHECK_EQ(env_run(consume, NULL), 0);
	CHECK_EQ(env_run(consume, ""), 0);
	CHECK_EQ(env_run(head, NULL), 0);
	CHECK_EQ(env_run(nonblocking, NULL), 0);
	CHECK_EQ(env_run(lines_of_any_ring, NULL), 0);
	env_close();
}

static int fifo_writer(struct proc *p, void *arg)
{
	int64_t fd = sys_open(p, AT_FDCWD_, "/fifo", O_WRONLY_, 0);

	(void)arg;
	CHECK(fd >= 0);
	return sys_write(p, (int)fd, "data", 4) == 4 ? 0 : 1;
}

static int fifos(struct proc *p, void *arg)
{
	char data[10];
	int64_t pid;
	int64_t fd;

	(void)arg;
	CHECK_EQ(sys_mknod(p, AT_FDCWD_, "/fifo", S_FIFO | 0666, 0), 0);
	CHECK_EQ(sys_open(p, AT_FDCWD_, "/fifo", O_WRONLY_ | O_NONBLOCK_, 0), -E_NXIO);
	pid = env_spawn(p, fifo_writer, NULL);
	fd = sys_open(p, AT_FDCWD_, "/fifo", O_RDONLY_, 0);
	CHECK(fd >= 0);
	CHECK_EQ(sys_read(p, (int)fd, data, 10), 4);
	CHECK_EQ(env_wait(p, pid), 0);
	CHECK_EQ(sys_read(p, (int)fd, data, 10), 0);
	sys_close(p, (int)fd);
	/* One that is killed while it opens leaves nothing behind. */
	pid = env_spawn(p, fifo_writer, NULL);
	sys_sleep(p, 1000);
	sys_kill(p, (int)pid, SIGKILL_);
	CHECK_EQ(env_wait(p, pid), SIGKILL_);
	fd = sys_open(p, AT_FDCWD_, "/fifo", O_RDONLY_ | O_NONBLOCK_, 0);
	CHECK(fd >= 0);
	CHECK_EQ(sys_read(p, (int)fd, data, 10), 0);
	return 0;
}

TEST(fifo)
{
	if (!env_open())
		return;
	CHECK_EQ(env_run(fifos, NULL), 0);
	env_close();
}

/* --- signals and waiting --- */

static int sleep_long(struct proc *p, void *arg)
{
	(void)arg;
	while (sys_sleep(p, 1000000000) == 0)
		;
	return proc_next_signal(p);
}

static int catch_term(struct proc *p, void *arg)
{
	sys_sigaction(p, SIGTERM_, SIG_CAUGHT);
	return sleep_long(p, arg);
}

static int signals(struct proc *p, void *arg)
{
	int64_t pid = env_spawn(p, sleep_long, NULL);
	int status;

	(void)arg;
	CHECK_EQ(sys_wait(p, (int)pid, &status, WNOHANG_), 0);
	CHECK_EQ(sys_kill(p, (int)pid, SIGTERM_), 0);
	CHECK_EQ(env_wait(p, pid), SIGTERM_);
	CHECK_EQ(sys_kill(p, (int)pid, 0), -E_SRCH);
	CHECK_EQ(sys_kill(p, INT32_MIN, 0), -E_SRCH);
	pid = env_spawn(p, catch_term, NULL);
	sys_sleep(p, 1000);
	CHECK_EQ(sys_kill(p, (int)pid, SIGTERM_), 0);
	CHECK_EQ(env_wait(p, pid), SIGTERM_ << 8);
	pid = env_spawn(p, sleep_long, NULL);
	CHECK_EQ(sys_kill(p, (int)pid, SIGSTOP_), 0);
	CHECK_EQ(sys_wait(p, -1, &status, WUNTRACED_), pid);
	CHECK_EQ(status, SIGSTOP_ << 8 | 0x7f);
	CHECK_EQ(sys_wait(p, -1, &status, WUNTRACED_ | WNOHANG_), 0);
	CHECK_EQ(sys_kill(p, (int)pid, SIGCONT_), 0);
	CHECK_EQ(sys_wait(p, -1, &status, WCONTINUED_), pid);
	CHECK_EQ(status, 0xffff);
	CHECK_EQ(sys_kill(p, (int)pid, SIGHUP_), 0);
	CHECK_EQ(env_wait(p, pid), SIGHUP_);
	CHECK_EQ(sys_kill(p, p->pid, SIGCHLD_), 0);
	sys_sigmask(p, ~(uint64_t)0);
	CHECK_EQ(sys_kill(p, p->pid, SIGTERM_), 0);
	sys_sigaction(p, SIGTERM_, SIG_CAUGHT);
	sys_sigmask(p, 0);
	CHECK_EQ(proc_next_signal(p), SIGTERM_);
	CHECK_EQ(proc_next_signal(p), 0);
	CHECK_EQ(sys_alarm(p, 1000000, SIGTERM_), 0);
	CHECK_EQ(sys_sleep(p, 5000000), -E_INTR);
	CHECK_EQ(proc_next_signal(p), SIGTERM_);
	sys_kill(p, p->pid, SIGKILL_);
	return 77;
}

TEST(signals)
{
	if (!env_open())
		return;
	CHECK_EQ(env_run(signals, NULL), SIGKILL_);
	CHECK_EQ(sig_of_name(BYTES("sigterm")), SIGTERM_);
	CHECK_EQ(sig_of_name(BYTES("HUP")), SIGHUP_);
	CHECK_EQ(sig_of_name(BYTES("RTMIN+3")), 37);
	CHECK_EQ(sig_of_name(BYTES("NOPE")), -1);
	CHECK_STR(sig_name(9), "KILL");
	env_close();
}

static int group_member(struct proc *p, void *arg)
{
	return sleep_long(p, arg);
}

static int groups(struct proc *p, void *arg)
{
	struct spawn s = { .fn = group_member, .pgid = -1 };
	int64_t first = sys_spawn(p, &s, NULL);
	int64_t second;
	int status;

	(void)arg;
	s.pgid = (int)first;
	second = sys_spawn(p, &s, NULL);
	CHECK_EQ(proc_find(p->k, (int)second)->pgid, first);
	CHECK_EQ(sys_kill(p, (int)-first, SIGTERM_), 0);
	CHECK_EQ(sys_wait(p, (int)-first, &status, 0), first);
	CHECK_EQ(sys_wait(p, (int)-first, &status, 0), second);
	CHECK_EQ(sys_wait(p, (int)-first, &status, 0), -E_CHILD);
	CHECK_EQ(sys_kill(p, (int)-first, SIGTERM_), -E_SRCH);
	return 0;
}

TEST(groups)
{
	if (!env_open())
		return;
	CHECK_EQ(env_run(groups, NULL), 0);
	env_close();
}

static int leave_orphan(struct proc *p, void *arg)
{
	*(int64_t *)arg = env_spawn(p, sleep_long, NULL);
	return 0;
}

static int orphans(struct proc *p, void *arg)
{
	int64_t orphan = 0;
	int64_t pid = env_spawn(p, leave_orphan, &orphan);

	(void)arg;
	CHECK_EQ(env_wait(p, pid), 0);
	CHECK_EQ(proc_find(p->k, (int)orphan)->ppid, 1);
	CHECK_EQ(sys_wait(p, -1, NULL, 0), -E_CHILD);
	CHECK_EQ(sys_kill(p, (int)orphan, SIGKILL_), 0);
	CHECK(proc_find(p->k, (int)orphan) == NULL);
	return 0;
}

TEST(orphans)
{
	if (!env_open())
		return;
	CHECK_EQ(env_run(orphans, NULL), 0);
	env_close();
}

/* --- captures, files --- */

static int say(struct proc *p, void *arg)
{
	const char *text = arg;

	sys_sleep(p, 1000);
	return sys_write(p, 1, text, strlen(text)) == (int64_t)strlen(text) ? 0 : 1;
}

static int captures(struct proc *p, void *arg)
{
	struct bytes got;
	int64_t saved = sys_dup_from(p, 1, 10, true);
	int64_t fd = sys_capture(p);

	(void)arg;
	CHECK_EQ(sys_dup2(p, (int)fd, 1, false), 1);
	env_spawn(p, say, "first ");
	env_spawn(p, say, "second");
	sys_dup2(p, (int)saved, 1, false);
	CHECK_EQ(sys_capture_take(p, (int)fd, &got), 12);
	CHECK(bytes_eq(got, BYTES("first second")));
	CHECK_EQ(sys_close(p, (int)fd), -E_BADF);
	return 0;
}

TEST(captures)
{
	if (!env_open())
		return;
	CHECK_EQ(env_run(captures, NULL), 0);
	env_close();
}

static int files(struct proc *p, void *arg)
{
	char data[32];
	const char *view;
	struct vfs_stat st;
	int64_t fd = sys_open(p, AT_FDCWD_, "f", O_RDWR_ | O_CREAT_, 0666);
	int64_t copy;

	(void)arg;
	CHECK_EQ(fd, 3);
	CHECK_EQ(sys_write(p, 3, "hello world", 11), 11);
	copy = sys_dup(p, 3);
	CHECK_EQ(sys_lseek(p, (int)copy, 6, 0), 6);
	CHECK_EQ(sys_read(p, 3, data, sizeof data), 5);
	CHECK_EQ(sys_pread(p, 3, data, 5, 0), 5);
	CHECK_EQ(sys_lseek(p, 3, 0, 1), 11);
	CHECK_EQ(sys_fstat(p, 3, &st), 0);
	CHECK_EQ(st.mode, S_REG | 0644);
	CHECK_EQ(st.size, 11);
	/* A view survives what happens to the file. */
	CHECK_EQ(sys_lseek(p, 3, 0, 0), 0);
	CHECK_EQ(sys_view(p, 3, 100, &view), 11);
	fd = sys_open(p, AT_FDCWD_, "f", O_WRONLY_ | O_TRUNC_, 0);
	CHECK_EQ(sys_write(p, (int)fd, "JJJJJJJJJJJJJ", 13), 13);
	CHECK(memcmp(view, "hello world", 11) == 0);
	CHECK_EQ(sys_unlink(p, AT_FDCWD_, "f", 0), 0);
	CHECK_EQ(sys_pread(p, 3, data, 2, 0), 2);
	CHECK(memcmp(data, "JJ", 2) == 0);
	CHECK_EQ(sys_open(p, AT_FDCWD_, "f", O_RDONLY_, 0), -E_NOENT);
	CHECK_EQ(sys_close(p, 99), -E_BADF);
	p->rlimit[7][0] = 6;
	CHECK_EQ(sys_dup(p, 3), -E_MFILE);
	CHECK_EQ(sys_memfile(p, BYTES("text")), -E_MFILE);
	sys_close(p, (int)copy);
	CHECK_EQ(sys_memfile(p, BYTES("text")), copy);
	CHECK_EQ(sys_read(p, (int)copy, data, 10), 4);
	return 0;
}

static int devices(struct proc *p, void *arg)
{
	char data[16] = "xxxxxxxxxxxxxxx";
	struct bytes text;
	int64_t fd = sys_open(p, AT_FDCWD_, "/dev/null", O_RDWR_, 0);
	int fds[2];
	struct vfs_stat st;

	(void)arg;
	CHECK(fd >= 0);
	CHECK_EQ(sys_read(p, (int)fd, data, 4), 0);
	CHECK_EQ(sys_write(p, (int)fd, data, 4), 4);
	fd = sys_open(p, AT_FDCWD_, "/dev/zero", O_RDONLY_, 0);
	CHECK_EQ(sys_read(p, (int)fd, data, 4), 4);
	CHECK(memcmp(data, "\0\0\0\0x", 5) == 0);
	fd = sys_open(p, AT_FDCWD_, "/dev/full", O_WRONLY_, 0);
	CHECK_EQ(sys_write(p, (int)fd, data, 4), -E_NOSPC);
	CHECK_EQ(sys_open(p, AT_FDCWD_, "/dev/tty", O_RDWR_, 0), -E_NXIO);
	CHECK_EQ(sys_pipe(p, fds, false), 0);
	CHECK_EQ(sys_write(p, fds[1], "through", 7), 7);
	sys_dup2(p, fds[0], 0, false);
	fd = sys_open(p, AT_FDCWD_, "/dev/stdin", O_RDONLY_, 0);
	CHECK(fd >= 0);
	CHECK_EQ(sys_read(p, (int)fd, data, 10), 7);
	CHECK_EQ(sys_stat(p, AT_FDCWD_, "/dev/stdin", 0, &st), 0);
	CHECK_EQ(st.mode & S_FMT, S_FIFO);
	fd = sys_open(p, AT_FDCWD_, "/dev/stdout", O_WRONLY_, 0);
	CHECK_EQ(sys_write(p, (int)fd, "out", 3), 3);
	CHECK_EQ(sys_open(p, AT_FDCWD_, "/dev/fd/77", O_RDONLY_, 0), -E_NOENT);
	CHECK_EQ(sys_readlink(p, AT_FDCWD_, "/proc/self", &p->arena, &text), 1);
	CHECK_EQ(text.ptr[0], '0' + p->pid);
	return 0;
}

static int print_file(struct proc *p, void *arg)
{
	struct bytes text = { "", 0 };

	CHECK_EQ(sys_read_file(p, arg, &p->arena, &text), 0);
	sys_write(p, 1, text.ptr, text.len);
	return 0;
}

static int procfs(struct proc *p, void *arg)
{
	static const char *const all[] = {
		"cpuinfo",
		"filesystems",
		"loadavg",
		"meminfo",
		"mounts",
		"stat",
		"uptime",
		"version",
		"sys/kernel/osrelease",
		"sys/kernel/random/uuid",
		"sys/kernel/random/boot_id",
		"self/stat",
		"self/status",
		"self/limits",
		"self/statm",
		"self/environ",
		"self/comm",
	};
	struct vfs_dirent entries[16];
	struct bytes text;
	int64_t fd;
	int n;

	(void)arg;
	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
		char path[64];

		snprintf(path, sizeof path, "/proc/%s", all[i]);
		CHECK_EQ(sys_read_file(p, path, &p->arena, &text), 0);
		CHECK(text.len > 0);
	}
	CHECK_EQ(sys_read_file(p, "/proc/self/cmdline", &p->arena, &text), 0);
	CHECK(bytes_eq(text, BYTES("test\0arg\0")));
	fd = sys_open(p, AT_FDCWD_, "/proc/self/fd", O_RDONLY_ | O_DIRECTORY_, 0);
	n = (int)sys_readdir(p, (int)fd, &p->arena, entries, 16);
	CHECK_EQ(n, 4);
	CHECK(bytes_is(entries[3].name, "3"));
	CHECK_EQ(sys_readdir(p, (int)fd, &p->arena, entries, 16), 0);
	CHECK(sys_open(p, AT_FDCWD_, "/tmpfile", O_RDWR_ | O_CREAT_, 0600) == 4);
	CHECK(sys_readlink(p, AT_FDCWD_, "/proc/self/fd/4", &p->arena, &text) > 0);
	CHECK_STR(text.ptr, "/tmpfile");
	CHECK(sys_readlink(p, AT_FDCWD_, "/proc/self/cwd", &p->arena, &text) > 0);
	CHECK_STR(text.ptr, "/");
	CHECK_EQ(sys_open(p, AT_FDCWD_, "/proc/self/stat", O_WRONLY_, 0), -E_ACCES);
	CHECK_EQ(sys_open(p, AT_FDCWD_, "/proc/99/stat", O_RDONLY_, 0), -E_NOENT);
	return 0;
}

TEST(files)
{
	if (!env_open())
		return;
	CHECK_EQ(env_run(files, NULL), 0);
	CHECK_EQ(env_run(devices, NULL), 0);
	CHECK_STR(env.out, "1:out");
	CHECK_EQ(env_run(procfs, NULL), 0);
	env_close();
}

static int locks_main(struct proc *p, void *arg)
{
	int a = (int)sys_open(p, AT_FDCWD_, "/locked", O_RDWR_ | O_CREAT_, 0600);
	int b = (int)sys_open(p, AT_FDCWD_, "/locked", O_RDWR_, 0);
	int c;

	(void)arg;
	CHECK_EQ(sys_lock(p, 99, LOCK_SHARED, 0, 1), -E_BADF);
	CHECK_EQ(sys_lock(p, a, LOCK_SHARED, 10, 10), 0);
	CHECK_EQ(sys_lock(p, b, LOCK_SHARED, 15, 10), 0);
	CHECK_EQ(sys_lock(p, b, LOCK_EXCLUSIVE, 15, 10), -E_AGAIN);
	CHECK_EQ(sys_lock(p, b, LOCK_EXCLUSIVE, 20, 5), 0);
	CHECK_EQ(sys_lock(p, a, LOCK_TEST, 24, 1), -E_AGAIN);
	CHECK_EQ(sys_lock(p, a, LOCK_TEST, 25, 0), 0);
	/* The middle of a range is given up, its ends stay. */
	CHECK_EQ(sys_lock(p, a, LOCK_NONE, 12, 6), 0);
	CHECK_EQ(sys_lock(p, b, LOCK_EXCLUSIVE, 12, 6), 0);
	CHECK_EQ(sys_lock(p, b, LOCK_EXCLUSIVE, 18, 1), -E_AGAIN);
	CHECK_EQ(sys_lock(p, b, LOCK_EXCLUSIVE, 11, 1), -E_AGAIN);
	/* They end with the last descriptor. */
	c = (int)sys_dup(p, a);
	CHECK_EQ(sys_close(p, a), 0);
	CHECK_EQ(sys_lock(p, b, LOCK_TEST, 0, 0), -E_AGAIN);
	CHECK_EQ(sys_close(p, c), 0);
	CHECK_EQ(sys_lock(p, b, LOCK_TEST, 0, 0), 0);
	CHECK_EQ(sys_lock(p, b, LOCK_EXCLUSIVE, UINT64_MAX, 1), -E_INVAL);
	CHECK_EQ(sys_lock(p, b, LOCK_EXCLUSIVE, INT64_MAX, UINT64_MAX), 0);
	return 0;
}

TEST(locks)
{
	if (!env_open())
		return;
	env_run(locks_main, NULL);
	env_close();
}

TEST(proc_texts)
{
	static const char *const show[] = { "/proc/self/status", "/proc/self/stat",
					    "/proc/uptime" };

	if (!env_open())
		return;
	for (size_t i = 0; i < 3; i++)
		env_run(print_file, (void *)(uintptr_t)show[i]);
	CHECK(strstr(env.out, "Name:\ttest\n") != NULL);
	CHECK(strstr(env.out, "State:\tR (running)\n") != NULL);
	env_close();
}

int main(void)
{
	RUN(hello);
	RUN(spawn);
	RUN(deepen);
	RUN(pipes);
	RUN(fifo);
	RUN(signals);
	RUN(groups);
	RUN(orphans);
	RUN(captures);
	RUN(files);
	RUN(locks);
	RUN(proc_texts);
	return check_end();
}
