/* SPDX-License-Identifier: MIT
 *
 * The kernel: limits, survivors, time, budgets, the host's part, programs, forks of sessions.
 */
#include "tests/unit/kernel_env.h"

static bool open_with_limit(enum limit l, uint64_t value)
{
	struct kernel_config c;

	env_prepare();
	c = env_config();
	if (l < LIMIT_COUNT)
		c.limit[l] = value;
	return CHECK(env_open_with(&c));
}

static int return_arg(struct proc *p, void *arg)
{
	(void)p;
	return (int)(intptr_t)arg;
}

/* --- a survivor: a shell that starts a command, and parks after it --- */

static int spin(struct proc *p, void *arg)
{
	(void)arg;
	for (;;)
		proc_charge(p, 1);
	return 0;
}

static int eat(struct proc *p, void *arg)
{
	(void)arg;
	for (;;)
		arena_alloc(&p->arena, 100000);
	return 0;
}

static int talk(struct proc *p, void *arg)
{
	(void)arg;
	for (;;)
		sys_write(p, 1, "0123456789", 10);
	return 0;
}

static int wait_for_nothing(struct proc *p, void *arg)
{
	int fds[2];
	char c;

	(void)arg;
	sys_pipe(p, fds, false);
	return (int)sys_read(p, fds[0], &c, 1);
}

struct job {
	int (*fn)(struct proc *, void *);
	bool here;
	int status;
};

static int shell(struct proc *p, void *arg)
{
	struct job *job = arg;

	proc_set_survivor(p, true);
	job->status = -2;
	if (job->here)
		job->fn(p, NULL);
	else
		job->status = env_wait(p, env_spawn(p, job->fn, NULL));
	proc_park(p);
}

static int fine(struct proc *p, void *arg)
{
	(void)arg;
	return sys_write(p, 1, "fine\n", 5) == 5 ? 7 : 1;
}

static void check_stopped(enum limit l, int (*fn)(struct proc *, void *), bool here)
{
	struct job job = { .fn = fn, .here = here };
	struct proc *p = env_start(shell, &job);

	kernel_begin(env.k);
	while (kernel_run(env.k, 0) == KERNEL_SLICE)
		;
	CHECK_EQ(kernel_limit_hit(env.k), (int)l);
	CHECK_EQ(job.status, -2);
	CHECK(strstr(env.out, "2:cowsh: stopped: ") != NULL);
	/* The session is usable as before. What a survivor took itself it keeps. */
	arena_clear(&p->arena);
	job = (struct job){ .fn = fine };
	kernel_begin(env.k);
	CHECK_EQ(proc_restart(p, shell, &job), 0);
	CHECK_EQ(kernel_run(env.k, 0), KERNEL_DONE);
	CHECK_EQ(kernel_limit_hit(env.k), -1);
	CHECK_EQ(job.status, 7 << 8);
	CHECK(strstr(env.out, "1:fine\n") != NULL);
}

static void check_limit(enum limit l, uint64_t value, int (*fn)(struct proc *, void *))
{
	for (int here = 0; here < 2; here++) {
		if (!open_with_limit(l, value))
			return;
		check_stopped(l, fn, here != 0);
		env_close();
	}
}

TEST(limits)
{
	check_limit(LIMIT_STEPS, 100000, spin);
	check_limit(LIMIT_CPU, 2, spin);
	check_limit(LIMIT_MEMORY, 4 << 20, eat);
	check_limit(LIMIT_OUTPUT, 1000, talk);
	check_limit(LIMIT_DEADLOCK, 0, wait_for_nothing);
}

static int expire(void *user)
{
	(void)user;
	return env.calls++ > 20;
}

TEST(time_and_cancel)
{
	struct job job = { .fn = spin };

	env_prepare();
	env.host.expired = expire;
	struct kernel_config c = env_config();
	if (!CHECK(env_open_with(&c)))
		return;
	check_stopped(LIMIT_TIME, spin, false);
	env_close();
	if (!env_open())
		return;
	env_start(shell, &job);
	CHECK_EQ(kernel_run(env.k, 1000), KERNEL_SLICE);
	kernel_cancel(env.k);
	CHECK_EQ(kernel_run(env.k, 0), KERNEL_DONE);
	CHECK_EQ(kernel_limit_hit(env.k), LIMIT_CANCEL);
	env_close();
}

static int spawn_chain(struct proc *p, void *arg)
{
	int64_t pid = env_spawn(p, spawn_chain, NULL);

	(void)arg;
	if (pid < 0)
		return pid == -E_AGAIN ? 5 : 6;
	return env_wait(p, pid) >> 8;
}

TEST(processes)
{
	if (!open_with_limit(LIMIT_PROCESSES, 50))
		return;
	CHECK_EQ(env_run(spawn_chain, NULL), 5 << 8);
	env_close();
}

static int write_past_limit(struct proc *p, void *arg)
{
	int64_t fd = sys_open(p, AT_FDCWD_, "/f", O_WRONLY_ | O_CREAT_, 0666);

	p->rlimit[1][0] = 10;
	CHECK_EQ(sys_write(p, (int)fd, "0123456789abc", 13), 10);
	sys_sigaction(p, SIGXFSZ_, arg != NULL ? SIG_IGNORED : SIG_DEFAULT);
	CHECK_EQ(sys_write(p, (int)fd, "x", 1), -E_FBIG);
	return 0;
}

static int burn(struct proc *p, void *arg)
{
	p->rlimit[0][0] = 1;
	p->rlimit[0][1] = 3;
	sys_sigaction(p, SIGXCPU_, arg != NULL ? SIG_CAUGHT : SIG_DEFAULT);
	return spin(p, NULL);
}

static int ulimits(struct proc *p, void *arg)
{
	(void)arg;
	CHECK_EQ(env_wait(p, env_spawn(p, write_past_limit, NULL)), SIGXFSZ_);
	CHECK_EQ(env_wait(p, env_spawn(p, write_past_limit, "")), 0);
	CHECK_EQ(env_wait(p, env_spawn(p, burn, NULL)), SIGXCPU_);
	CHECK_EQ(env_wait(p, env_spawn(p, burn, "")), SIGKILL_);
	p->rlimit[6][0] = 1;
	CHECK_EQ(env_spawn(p, fine, NULL), -E_AGAIN);
	return 0;
}

TEST(ulimits)
{
	if (!env_open())
		return;
	CHECK_EQ(env_run(ulimits, NULL), 0);
	env_close();
}

static int exhaust(void *arg)
{
	struct proc *p = arg;

	for (;;)
		arena_alloc(&p->arena, 100000);
	return 0;
}

TEST(guard)
{
	struct job job = { .fn = fine };
	struct proc *p;

	if (!open_with_limit(LIMIT_MEMORY, 4 << 20))
		return;
	p = env_start(shell, &job);
	CHECK_EQ(kernel_run(env.k, 0), KERNEL_DONE);
	CHECK_EQ(kernel_guard(env.k, exhaust, p), -E_NOMEM);
	env_close();
}

/* --- time --- */

static int sleeper(struct proc *p, void *arg)
{
	int n = (int)(intptr_t)arg;
	char c = (char)('0' + n);

	sys_sleep(p, n * 1000000000ll);
	sys_write(p, 1, &c, 1);
	return 0;
}

static int timers(struct proc *p, void *arg)
{
	int64_t start = sys_now(p);
	struct poll_item item = { .fd = 0, .want = POLL_READ_ };
	int fds[2];

	(void)arg;
	for (int n = 5; n > 0; n--)
		env_spawn(p, sleeper, (void *)(intptr_t)n);
	while (sys_wait(p, -1, NULL, 0) > 0)
		;
	CHECK_EQ((sys_now(p) - start) / 1000000000, 5);
	CHECK_EQ(sys_pipe(p, fds, false), 0);
	item.fd = fds[0];
	CHECK_EQ(sys_poll(p, &item, 1, 2000000000), 0);
	CHECK_EQ((sys_now(p) - start) / 1000000000, 7);
	CHECK_EQ(sys_write(p, fds[1], "x", 1), 1);
	CHECK_EQ(sys_poll(p, &item, 1, -1), 1);
	CHECK_EQ(item.got, POLL_READ_);
	sys_close(p, fds[1]);
	CHECK_EQ(sys_poll(p, &item, 1, -1), 1);
	CHECK_EQ(item.got, POLL_READ_ | POLL_HUP_);
	return 0;
}

TEST(timers)
{
	if (!env_open())
		return;
	CHECK_EQ(env_run(timers, NULL), 0);
	CHECK_STR(env.out, "1:12345");
	env_close();
}

static int64_t real_time;

static int64_t real_clock(void *user)
{
	(void)user;
	return real_time;
}

TEST(real_clock)
{
	struct kernel_config c;

	env_prepare();
	env.host.clock = real_clock;
	real_time = 5000;
	c = env_config();
	if (!CHECK(env_open_with(&c)))
		return;
	env_start(sleeper, (void *)1);
	CHECK_EQ(kernel_run(env.k, 0), KERNEL_WAIT);
	CHECK_EQ(kernel_next_timer(env.k), 1000005000);
	real_time = 1000004999;
	CHECK_EQ(kernel_run(env.k, 0), KERNEL_WAIT);
	real_time = 1000005000;
	CHECK_EQ(kernel_run(env.k, 0), KERNEL_DONE);
	CHECK_STR(env.out, "1:1");
	env_close();
}

/* --- budgets and determinism --- */

static int worker(struct proc *p, void *arg)
{
	int fd = *(int *)arg;

	for (int i = 0; i < 50; i++) {
		char c = (char)('a' + p->pid % 26);

		proc_charge(p, sys_random(p) % 3000);
		if (i % 7 == 0)
			sys_sleep(p, 30000);
		sys_write(p, fd, &c, 1);
	}
	return 0;
}

static int work(struct proc *p, void *arg)
{
	int fds[2];
	char data[100];
	int64_t n;

	(void)arg;
	sys_pipe(p, fds, false);
	for (int i = 0; i < 6; i++)
		env_spawn(p, worker, &fds[1]);
	sys_close(p, fds[1]);
	while ((n = sys_read(p, fds[0], data, sizeof data)) > 0)
		sys_write(p, 1, data, (size_t)n);
	while (sys_wait(p, -1, NULL, 0) > 0)
		;
	return 0;
}

/* Bytes written without the marks of calls. */
static size_t plain_output(char *out)
{
	size_t n = 0;

	for (size_t i = 0; i < env.out_len; i++) {
		if (env.out[i] == '1' && env.out[i + 1] == ':')
			i++;
		else
			out[n++] = env.out[i];
	}
	out[n] = '\0';
	return n;
}

static uint64_t run_in_budgets(uint64_t budget, char *out)
{
	struct kernel_usage usage;
	uint64_t total = 0;

	if (!env_open())
		return 0;
	env_start(work, NULL);
	for (;;) {
		enum kernel_state state = kernel_run(env.k, budget);

		kernel_get_usage(env.k, &usage);
		total += budget;
		if (state == KERNEL_DONE)
			break;
		/* Between slices all but the last charge have been used up. */
		if (budget != 0 && env.k != NULL && usage.steps_total + 1 < total)
			break;
	}
	CHECK_EQ(plain_output(out), 300);
	env_close();
	return usage.steps_total;
}

TEST(budgets)
{
	static char first[65536];
	static char next[65536];
	uint64_t steps = run_in_budgets(0, first);

	CHECK(steps > 100000);
	for (uint64_t budget = 1; budget < 100000; budget = budget * 3 + 1) {
		CHECK_EQ(run_in_budgets(budget, next), steps);
		CHECK_STR(next, first);
	}
}

/* --- the host --- */

static int copy_input(struct proc *p, void *arg)
{
	char data[8];
	int64_t n;

	(void)arg;
	while ((n = sys_read(p, 0, data, sizeof data)) > 0)
		sys_write(p, 1, data, (size_t)n);
	return n == 0 ? 0 : 1;
}

TEST(host_waits)
{
	if (!env_open())
		return;
	env.input_pending = true;
	env_start(copy_input, NULL);
	CHECK_EQ(kernel_run(env.k, 0), KERNEL_WAIT);
	CHECK_EQ(kernel_run(env.k, 0), KERNEL_WAIT);
	env.input_pending = false;
	env.input = "some input\n";
	env.output_pending = true;
	kernel_wake_host(env.k);
	CHECK_EQ(kernel_run(env.k, 0), KERNEL_WAIT);
	CHECK_EQ(env.out_len, 0);
	env.output_pending = false;
	kernel_wake_host(env.k);
	CHECK_EQ(kernel_run(env.k, 0), KERNEL_DONE);
	CHECK_STR(env.out, "1:some input\n");
	env_close();
}

static int on_host(void *arg)
{
	struct proc *p = arg;

	/* The host's stack is not the process's. */
	CHECK(proc_stack_left(p) > (size_t)1 << 30 || proc_stack_left(p) == 0);
	return 42;
}

static int call_host(struct proc *p, void *arg)
{
	(void)arg;
	return proc_call_host(p, on_host, p);
}

TEST(call_host)
{
	if (!env_open())
		return;
	CHECK_EQ(env_run(call_host, NULL), 42 << 8);
	env_close();
}

/* --- programs --- */

static bool probe_test(struct proc *p, struct bytes head)
{
	(void)p;
	return bytes_starts(head, BYTES("TEST"));
}

static int run_test(struct proc *p, struct bytes head, const char *path, int argc, char **argv,
		    char **envp)
{
	CHECK(bytes_starts(head, BYTES("TEST")));
	sys_write(p, 1, path, strlen(path));
	for (int i = 0; i < argc; i++) {
		sys_write(p, 1, "|", 1);
		sys_write(p, 1, argv[i], strlen(argv[i]));
	}
	for (; *envp != NULL; envp++) {
		sys_write(p, 1, "|", 1);
		sys_write(p, 1, *envp, strlen(*envp));
	}
	sys_write(p, 1, "\n", 1);
	return argc;
}

static const struct program_format test_format = { .name = "test",
						   .probe = probe_test,
						   .run = run_test };

static void put_file(struct proc *p, const char *path, const char *text, uint32_t mode)
{
	int64_t fd = sys_open(p, AT_FDCWD_, path, O_WRONLY_ | O_CREAT_ | O_TRUNC_, 0666);

	CHECK_EQ(sys_write(p, (int)fd, text, strlen(text)), strlen(text));
	CHECK_EQ(sys_fchmod(p, (int)fd, mode), 0);
	sys_close(p, (int)fd);
}

static int64_t start(struct proc *p, const char *path)
{
	static char *const argv[] = { "zero", "one", NULL };
	static char *const envp[] = { "A=b", NULL };
	struct exec e = { .path = path, .argv = argv, .envp = envp };

	return sys_spawn_program(p, &e);
}

static int exec_self(struct proc *p, void *arg)
{
	static char *const argv[] = { "replaced", NULL };

	arena_alloc(&p->arena, 10000);
	CHECK_EQ(sys_exec(p, "/missing", argv, NULL), -E_NOENT);
	sys_exec(p, arg, argv, argv + 1);
	return 1;
}

static int exec_own_args(struct proc *p, void *arg)
{
	(void)arg;
	sys_exec(p, "/prog", p->argv, p->envp);
	return 1;
}

static int programs(struct proc *p, void *arg)
{
	static char *const big[] = { NULL };
	struct exec e = { .path = "/prog", .argv = big, .envp = big };
	char *huge = arena_zalloc(&p->arena, 200000);
	char *const too_big[] = { huge, NULL };

	(void)arg;
	memset(huge, 'x', 199999);
	put_file(p, "/prog", "TEST program", 0755);
	put_file(p, "/plain", "nothing", 0755);
	put_file(p, "/locked", "TEST program", 0644);
	put_file(p, "/script", "#! /prog  -x y \nrest", 0755);
	put_file(p, "/script2", "#!/script\n", 0755);
	put_file(p, "/loop", "#!/loop\n", 0755);
	CHECK_EQ(env_wait(p, start(p, "/prog")), 2 << 8);
	CHECK_EQ(env_wait(p, start(p, "/script")), 4 << 8);
	CHECK_EQ(env_wait(p, start(p, "/script2")), 5 << 8);
	CHECK_EQ(start(p, "/plain"), -E_NOEXEC);
	CHECK_EQ(start(p, "/missing"), -E_NOENT);
	CHECK_EQ(start(p, "/loop"), -E_LOOP);
	CHECK_EQ(start(p, "/"), -E_ACCES);
	CHECK_EQ(start(p, "/locked"), -E_ACCES);
	e.argv = too_big;
	CHECK_EQ(sys_spawn_program(p, &e), -E_2BIG);
	CHECK_EQ(env_wait(p, env_spawn(p, exec_self, "/prog")), 1 << 8);
	CHECK_EQ(env_wait(p, env_spawn(p, exec_own_args, NULL)), 2 << 8);
	return exec_own_args(p, NULL);
}

static void ignore_event(void *user, const struct trace_event *e)
{
	(void)user;
	(void)e;
}

TEST(programs)
{
	struct kernel_config c;

	env_prepare();
	env.host.trace = ignore_event;
	c = env_config();
	if (!CHECK(env_open_with(&c)))
		return;
	kernel_add_format(env.k, &test_format);
	CHECK_EQ(env_run(programs, NULL), 2 << 8);
	CHECK_STR(env.out, "1:/prog|zero|one|A=b\n"
			   "/prog|/prog|-x y|/script|one|A=b\n"
			   "/prog|/prog|-x y|/script|/script2|one|A=b\n"
			   "/prog|replaced\n"
			   "/prog|test|arg|HOME=/\n"
			   "/prog|test|arg|HOME=/\n");
	env_close();
}

/* --- forks of a session --- */

static int open_things(struct proc *p, void *arg)
{
	char c;
	int fds[2];

	(void)arg;
	put_file(p, "/f", "0123456789", 0644);
	CHECK_EQ(sys_mkdir(p, AT_FDCWD_, "/d", 0755), 0);
	CHECK_EQ(sys_chdir(p, "/d"), 0);
	CHECK_EQ(sys_open(p, AT_FDCWD_, "/f", O_RDONLY_, 0), 3);
	CHECK_EQ(sys_dup(p, 3), 4);
	CHECK_EQ(sys_memfile(p, BYTES("here")), 5);
	CHECK_EQ(sys_pipe(p, fds, false), 0);
	CHECK_EQ(sys_write(p, fds[1], "kept", 4), 4);
	CHECK_EQ(sys_read(p, 3, &c, 1), 1);
	CHECK_EQ(sys_unlink(p, AT_FDCWD_, "/f", 0), 0);
	proc_set_survivor(p, true);
	proc_park(p);
}

static int check_things(struct proc *p, void *arg)
{
	char data[10];
	char *cwd;

	(void)arg;
	CHECK_EQ(sys_getcwd(p, &p->arena, &cwd), 0);
	CHECK_STR(cwd, "/d");
	CHECK_EQ(sys_read(p, 3, data, 2), 2);
	CHECK(memcmp(data, "12", 2) == 0);
	CHECK_EQ(sys_read(p, 4, data, 2), 2);
	CHECK(memcmp(data, "34", 2) == 0);
	CHECK_EQ(sys_read(p, 5, data, 10), 4);
	CHECK_EQ(sys_read(p, 6, data, 10), 4);
	CHECK(memcmp(data, "kept", 4) == 0);
	CHECK_EQ(sys_write(p, 1, "forked", 6), 6);
	return p->pid;
}

TEST(fork)
{
	struct spawn s = { .fn = check_things };
	struct kernel *first;
	struct copying *w;
	struct proc *p;
	struct proc *q;

	if (!env_open())
		return;
	p = env_start(open_things, NULL);
	CHECK_EQ(kernel_run(env.k, 0), KERNEL_DONE);
	first = env.k;
	CHECK_EQ(kernel_fork(first, &env.host, &env.k), 0);
	CHECK_EQ(kernel_copy_begin(first, env.k, p, &w), 0);
	CHECK_EQ(kernel_start_like(w, &s, &q), 0);
	CHECK_EQ(kernel_copy_files(w), 0);
	CHECK_EQ(q->pid, p->pid);
	CHECK_EQ(kernel_run(env.k, 0), KERNEL_DONE);
	kernel_copy_end(w, true);
	CHECK_STR(env.out, "1:forked");
	CHECK_EQ(kernel_free(first), 0);
	env_close();
}

static int look_on(struct proc *p, void *arg)
{
	const char *view = "";
	char *cwd;
	int fd;

	(void)arg;
	put_file(p, "/f", "before", 0644);
	fd = (int)sys_open(p, AT_FDCWD_, "/f", O_RDONLY_, 0);
	CHECK_EQ(sys_view(p, fd, 10, &view), 6);
	kernel_break(p->k);
	sys_sleep(p, 1000);
	/* The tree went back to where there was no such file. */
	CHECK(memcmp(view, "before", 6) == 0);
	CHECK_EQ(sys_open(p, AT_FDCWD_, "/f", O_RDONLY_, 0), -E_NOENT);
	CHECK(sys_open(p, AT_FDCWD_, "/proc/self/stat", O_RDONLY_, 0) > 0);
	CHECK_EQ(sys_getcwd(p, &p->arena, &cwd), 0);
	return 0;
}

TEST(restore)
{
	struct vfs_tree *tree;
	struct proc *p;
	int status;

	if (!env_open())
		return;
	tree = vfs_snapshot(kernel_vfs(env.k));
	p = env_start(look_on, NULL);
	CHECK_EQ(kernel_run(env.k, 0), KERNEL_SLICE);
	CHECK_EQ(kernel_restore(env.k, tree), 0);
	vfs_tree_put(tree);
	CHECK_EQ(kernel_run(env.k, 0), KERNEL_DONE);
	CHECK_EQ(kernel_reap(env.k, p->pid, &status), 0);
	CHECK_EQ(status, 0);
	env_close();
}

/* --- trace --- */

static char traced[4096];

static void note_event(void *user, const struct trace_event *e)
{
	static const char *const names[] = { "start",  "exec",  "end",    "call",
					     "create", "write", "rename", "remove" };
	size_t n = strlen(traced);

	(void)user;
	snprintf(traced + n, sizeof traced - n, "%d %s %d %s %s\n", (int)e->seq, names[e->kind],
		 e->pid, e->path != NULL ? e->path : "", e->path2 != NULL ? e->path2 : "");
}

static int leave_traces(struct proc *p, void *arg)
{
	(void)arg;
	sys_mkdir(p, AT_FDCWD_, "d", 0755);
	sys_chdir(p, "d");
	sys_close(p, (int)sys_open(p, AT_FDCWD_, "f", O_WRONLY_ | O_CREAT_, 0666));
	sys_close(p, (int)sys_open(p, AT_FDCWD_, "f", O_WRONLY_, 0));
	sys_close(p, (int)sys_open(p, AT_FDCWD_, "f", O_RDONLY_, 0));
	sys_rename(p, AT_FDCWD_, "f", AT_FDCWD_, "/g", 0);
	sys_unlink(p, AT_FDCWD_, "/g", 0);
	return env_wait(p, env_spawn(p, return_arg, NULL));
}

TEST(trace)
{
	struct kernel_config c;

	env_prepare();
	env.host.trace = note_event;
	traced[0] = '\0';
	c = env_config();
	if (!CHECK(env_open_with(&c)))
		return;
	CHECK_EQ(env_run(leave_traces, NULL), 0);
	CHECK_STR(traced,
		  "1 start 1  \n2 create 1 /d \n3 create 1 /d/f \n4 write 1 /d/f \n"
		  "5 rename 1 /d/f /g\n6 remove 1 /g \n7 start 2  \n8 end 2  \n9 end 1  \n");
	env_close();
}

/* --- allocations that fail --- */

static int grow_up(struct proc *p, void *arg)
{
	struct bytes got;
	char data[64];
	const char *view;
	int fds[2];
	int64_t fd;
	int64_t pid;

	(void)arg;
	fd = sys_open(p, AT_FDCWD_, "/file", O_RDWR_ | O_CREAT_, 0666);
	sys_write(p, (int)fd, "content", 7);
	sys_lseek(p, (int)fd, 0, 0);
	sys_view(p, (int)fd, 10, &view);
	sys_write(p, (int)fd, "content", 7);
	sys_mknod(p, AT_FDCWD_, "/fifo", S_FIFO | 0666, 0);
	sys_open(p, AT_FDCWD_, "/fifo", O_RDWR_, 0);
	sys_open(p, AT_FDCWD_, "/proc/self/status", O_RDONLY_, 0);
	sys_open(p, AT_FDCWD_, "/dev/null", O_RDONLY_, 0);
	sys_open(p, AT_FDCWD_, "/dev/stdin", O_RDONLY_, 0);
	if (sys_pipe(p, fds, false) == 0) {
		sys_write(p, fds[1], "0123456789", 10);
		sys_view(p, fds[0], 5, &view);
		sys_read(p, fds[0], data, 5);
	}
	sys_memfile(p, BYTES("memory"));
	sys_dup_from(p, 0, 100, true);
	fd = sys_capture(p);
	if (fd >= 0 && sys_write(p, (int)fd, "captured", 8) == 8)
		sys_capture_take(p, (int)fd, &got);
	pid = env_spawn(p, return_arg, NULL);
	if (pid > 0)
		env_wait(p, pid);
	fd = sys_open(p, AT_FDCWD_, "/prog", O_WRONLY_ | O_CREAT_, 0777);
	sys_write(p, (int)fd, "TEST", 4);
	pid = start(p, "/prog");
	if (pid > 0)
		env_wait(p, pid);
	sys_write(p, 1, "done\n", 5);
	return 0;
}

/* With the n-th allocation failing. Whether one has failed. */
static bool survive(uint64_t n)
{
	struct spawn s = { .fn = grow_up };
	struct kernel_config c;
	struct proc *p;
	size_t before;
	bool failed;
	bool bad = check_bad;

	env_prepare();
	env.host.trace = ignore_event;
	c = env_config();
	before = env.store.pages_used;
	if (!env_open_with(&c))
		return true;
	kernel_add_format(env.k, &test_format);
	kernel_heap(env.k)->fail_at = n;
	if (kernel_start(env.k, &s, NULL, NULL, &p) == 0)
		while (kernel_run(env.k, 0) == KERNEL_SLICE)
			;
	failed = kernel_heap(env.k)->fail_at == 0;
	check_bad = bad;
	CHECK_EQ(kernel_free(env.k), 0);
	/* A slab of each class may stay. */
	CHECK(env.store.pages_used <= before + 40 * 4);
	return failed;
}

TEST(no_memory)
{
	uint64_t n = 1;

	while (n < 1000 && survive(n))
		n++;
	CHECK(n > 20);
	CHECK(n < 1000);
	free(env.region);
	env.region = NULL;
}

/* What a session takes while it has nothing to do. */
TEST(idle_memory)
{
	struct job job = { .fn = fine };
	struct proc *p;
	size_t used;

	if (!env_open())
		return;
	p = env_start(shell, &job);
	CHECK_EQ(kernel_run(env.k, 0), KERNEL_DONE);
	used = kernel_heap(env.k)->used;
	/* In wasm the host's stack needs a buffer of 16 KiB. */
	CHECK(used < (sizeof(void *) == 8 ? 16384 : 32768));
	for (int i = 0; i < 1000; i++) {
		CHECK_EQ(proc_restart(p, shell, &job), 0);
		CHECK_EQ(kernel_run(env.k, 0), KERNEL_DONE);
	}
	CHECK_EQ(kernel_heap(env.k)->used, used);
	env_close();
}

/* What searches a list costs what that is long; a free name is found in one search. */
enum { SOCKETS = 300, RANGES = 300 };

static uint64_t steps_now(const struct proc *p)
{
	struct kernel_usage usage;

	kernel_get_usage(p->k, &usage);
	return usage.steps;
}

static int64_t bind_to(struct proc *p, struct socket_name *n)
{
	int fd = (int)sys_socket(p, n->family, SOCKET_STREAM, 0);

	CHECK(fd >= 0);
	return sys_bind(p, fd, n);
}

static int names_in(struct proc *p, const char *path)
{
	struct vfs_dirent entries[16];
	int fd = (int)sys_open(p, AT_FDCWD_, path, O_RDONLY_ | O_DIRECTORY_, 0);
	int count = 0;
	int n;

	while ((n = (int)sys_readdir(p, fd, &p->arena, entries, 16)) > 0)
		count += n;
	CHECK_EQ(n, 0);
	CHECK_EQ(sys_close(p, fd), 0);
	return count;
}

static int long_lists(struct proc *p, void *arg)
{
	struct socket_name n = { .family = SOCKET_INET };
	struct socket_name local = { .family = SOCKET_UNIX, .len = 6 };
	int file = (int)sys_open(p, AT_FDCWD_, "/locked", O_RDWR_ | O_CREAT_, 0600);
	uint64_t before;

	(void)arg;
	for (int i = 0; i < SOCKETS; i++) {
		n.port = (uint16_t)(40000 + i);
		CHECK_EQ(bind_to(p, &n), 0);
		snprintf(local.path + 1, 6, "%05x", 2 * SOCKETS - i);
		CHECK_EQ(bind_to(p, &local), 0);
	}
	n.port = 40001;
	CHECK_EQ(bind_to(p, &n), -E_ADDRINUSE);
	n.port = 0;
	before = steps_now(p);
	CHECK_EQ(bind_to(p, &n), 0);
	CHECK(steps_now(p) - before >= 2 * SOCKETS && steps_now(p) - before < 8 * SOCKETS);
	local.len = 0;
	before = steps_now(p);
	for (int i = 0; i < SOCKETS; i++)
		CHECK_EQ(bind_to(p, &local), 0);
	CHECK(steps_now(p) - before >= 2 * SOCKETS * SOCKETS);
	for (int i = 0; i < RANGES; i++)
		CHECK_EQ(sys_lock(p, file, LOCK_SHARED, 10 * (uint64_t)i, 5), 0);
	before = steps_now(p);
	CHECK_EQ(sys_lock(p, file, LOCK_NONE, 0, 1), 0);
	CHECK(steps_now(p) - before >= RANGES);
	before = steps_now(p);
	CHECK(names_in(p, "/proc/self/fd") >= 3 * SOCKETS);
	CHECK(steps_now(p) - before >= (uint64_t)3 * SOCKETS * 3 * SOCKETS);
	return 0;
}

TEST(searches)
{
	if (!env_open())
		return;
	CHECK_EQ(env_run(long_lists, NULL), 0);
	env_close();
}

int main(void)
{
	RUN(limits);
	RUN(time_and_cancel);
	RUN(processes);
	RUN(ulimits);
	RUN(guard);
	RUN(timers);
	RUN(real_clock);
	RUN(budgets);
	RUN(host_waits);
	RUN(call_host);
	RUN(programs);
	RUN(fork);
	RUN(restore);
	RUN(trace);
	RUN(no_memory);
	RUN(idle_memory);
	RUN(searches);
	return check_end();
}
