/* SPDX-License-Identifier: MIT
 *
 * Random calls by several processes. Each input is a program: three bytes a call, shared by
 * all processes through one cursor, so that what runs depends on the scheduler too. Checks
 * that a view stays as it is, and that cutting the run into budgets changes nothing.
 */
#include <stdlib.h>

#include "kernel/kernel.h"
#include "kernel/trace.h"

enum { REGION_BYTES = 12 << 20, CALLS_MAX = 3000, DEPTH_MAX = 6 };

struct script {
	const uint8_t *at;
	const uint8_t *end;
	int calls;
	bool calm;       /* the host never says "pending" */
	uint64_t digest; /* of the output */
};

static struct script script;

static void must(bool ok)
{
	if (!ok)
		abort();
}

static int next_byte(void)
{
	return script.at < script.end ? *script.at++ : -1;
}

static int play(struct proc *p, void *arg);

static const char *const paths[] = {
	"/a",
	"/b",
	"d",
	"d/c",
	"/fifo",
	"/dev/null",
	"/dev/zero",
	"/dev/stdin",
	"/dev/fd/4",
	"/proc/self/status",
	"/proc/self/fd",
	"/proc/1/cwd/a",
	"link",
	"/prog",
	"/script",
	"..",
};

static const char *path_of(int n)
{
	return paths[n & 15];
}

static void do_write(struct proc *p, int fd, int n)
{
	static const char data[70000] = "abcdefghijklmnopqrstuvwxyz";

	sys_write(p, fd, data, (size_t)(n & 15) * (n & 16 ? 4500u : 100u));
}

/* Looks at a view while others run and while its bytes are written elsewhere. */
static void do_view(struct proc *p, int fd, int n)
{
	const char *view;
	char copy[1024];
	int64_t r = sys_view(p, fd, (size_t)n * 512, &view);
	size_t size = r < 0 ? 0 : r < 1024 ? (size_t)r : sizeof copy;

	memcpy(copy, view, size);
	if ((n & 2) != 0)
		proc_charge(p, 12000);
	if ((n & 8) != 0)
		sys_sleep(p, 500);
	must(memcmp(copy, view, size) == 0);
	if ((n & 4) != 0)
		sys_write(p, fd ^ 1, view, r > 0 ? (size_t)r : 0);
	must(memcmp(copy, view, size) == 0);
}

static void do_read(struct proc *p, int fd, int n)
{
	char data[512];

	if ((n & 1) != 0)
		do_view(p, fd, n);
	else
		sys_read(p, fd, data, sizeof data);
}

static void do_spawn(struct proc *p, int how)
{
	static char *const argv[] = { "prog", "x", NULL };
	static const int fds[] = { 1, -1, 0, 3 };
	struct spawn s = { .fn = play, .pgid = (how & 3) - 1, .ignore_int = (how & 4) != 0 };
	struct exec e = { .path = (how & 8) != 0 ? "/script" : "/prog",
			  .argv = argv,
			  .envp = argv };

	if (s.pgid > 0)
		s.pgid = p->pgid;
	if ((how & 16) != 0 && (how & 32) != 0) {
		e.fds = fds;
		e.nfds = 4;
	}
	if ((how & 64) != 0 && (how & 128) != 0)
		sys_exec(p, e.path, argv, argv);
	else if ((how & 16) != 0)
		sys_spawn_program(p, &e);
	else
		sys_spawn(p, &s, NULL);
}

static int deep_play(void *arg)
{
	return play(arg, NULL);
}

static void do_tree(struct proc *p, int a, int b)
{
	const char *path = path_of(a);
	struct vfs_dirent entries[4];
	struct vfs_stat st;
	struct bytes text;
	char *cwd;

	switch (b & 15) {
	case 0: sys_mkdir(p, AT_FDCWD_, path, 0755); break;
	case 1: sys_unlink(p, AT_FDCWD_, path, (b & 16) != 0 ? AT_REMOVEDIR_ : 0); break;
	case 2: sys_rename(p, AT_FDCWD_, path, AT_FDCWD_, path_of(b >> 4), 0); break;
	case 3: sys_mknod(p, AT_FDCWD_, path, S_FIFO | 0666, 0); break;
	case 4: sys_symlink(p, path_of(b >> 4), AT_FDCWD_, path); break;
	case 5: sys_stat(p, AT_FDCWD_, path, (b & 16) != 0 ? AT_NOFOLLOW_ : 0, &st); break;
	case 6: sys_readlink(p, AT_FDCWD_, path, &p->arena, &text); break;
	case 7: sys_chdir(p, path); break;
	case 8: sys_getcwd(p, &p->arena, &cwd); break;
	case 9: sys_read_file(p, "/proc/self/stat", &p->arena, &text); break;
	case 10: sys_readdir(p, b >> 4, &p->arena, entries, 4); break;
	case 11: sys_ftruncate(p, b >> 4, (uint64_t)a * 100); break;
	case 12: sys_lseek(p, b >> 4, a - 100, a % 5); break;
	case 13: sys_link(p, AT_FDCWD_, path, AT_FDCWD_, path_of(b >> 4), 0); break;
	case 14: sys_fstat(p, b >> 4, &st); break;
	default: sys_chmod(p, AT_FDCWD_, path, (uint32_t)b << 2, 0); break;
	}
}

static void do_signal(struct proc *p, int a, int b)
{
	static const int sigs[] = { 0,        SIGTERM_, SIGKILL_, SIGSTOP_,
				    SIGCONT_, SIGPIPE_, SIGCHLD_, SIGUSR1_ };
	int sig = sigs[b & 7];

	switch (b >> 3 & 7) {
	case 0: sys_kill(p, a & 15, sig); break;
	case 1: sys_kill(p, -(a & 15), sig); break;
	case 2: sys_sigaction(p, sig, (enum sig_action)(a % 3)); break;
	case 3: sys_sigmask(p, (uint64_t)a << 8); break;
	case 4: proc_next_signal(p); break;
	case 5: sys_alarm(p, a * 1000, sig); break;
	case 6: sys_setpgid(p, 0, a & 7); break;
	default: sys_setsid(p); break;
	}
}

static void do_wait(struct proc *p, int a, int b)
{
	struct poll_item items[2] = { { .fd = a & 7, .want = 5 }, { .fd = b & 7, .want = 1 } };
	int status;

	switch (b & 3) {
	case 0: sys_wait(p, (a & 15) - 1, &status, b >> 2 & 11); break;
	case 1: sys_sleep(p, a * 100); break;
	case 2: sys_poll(p, items, 2, (a & 64) != 0 ? a * 100 : 0); break;
	default: proc_charge(p, (uint64_t)a * 100); break;
	}
}

static void do_fd(struct proc *p, int a, int b)
{
	struct bytes out;
	int fds[2];

	switch (b & 7) {
	case 0: sys_pipe(p, fds, (a & 1) != 0); break;
	case 1: sys_capture(p); break;
	case 2: sys_capture_take(p, a & 7, &out); break;
	case 3: sys_dup2(p, a & 7, a >> 4, (b & 8) != 0); break;
	case 4: sys_close(p, a & 15); break;
	case 5: sys_memfile(p, BYTES("some text in memory")); break;
	case 6: sys_setfl(p, a & 7, (b & 8) != 0 ? O_NONBLOCK_ : 0); break;
	default:
		sys_open(p, AT_FDCWD_, path_of(a),
			 (unsigned)(b >> 3 & 3) | ((b & 32) != 0 ? O_CREAT_ : 0) |
				 ((b & 64) != 0 ? O_TRUNC_ : 0) |
				 ((b & 128) != 0 ? O_NONBLOCK_ : 0),
			 0666);
		break;
	}
}

static int play(struct proc *p, void *arg)
{
	int depth = 0;

	(void)arg;
	while (script.calls++ < CALLS_MAX) {
		int op = next_byte();
		int a = next_byte();
		int b = next_byte();

		if (b < 0)
			break;
		switch (op % 12) {
		case 0: do_spawn(p, a); break;
		case 1: do_tree(p, a, b); break;
		case 2: do_signal(p, a, b); break;
		case 3: do_wait(p, a, b); break;
		case 4:
		case 5: do_fd(p, a, b); break;
		case 6:
		case 7: do_write(p, a & 7, b); break;
		case 8:
		case 9: do_read(p, a & 7, b); break;
		case 10:
			if (depth++ < DEPTH_MAX && p->steps < 100000)
				return proc_deepen(p, 1 << 20, deep_play, p);
			break;
		default: return a;
		}
	}
	return 0;
}

/* --- the frame --- */

static bool probe(struct proc *p, struct bytes head)
{
	(void)p;
	return bytes_starts(head, BYTES("PROG"));
}

static int run(struct proc *p, struct bytes head, const char *path, int argc, char **argv,
	       char **envp)
{
	must(head.len == 4 && path[0] == '/' && argc > 0 && argv[argc] == NULL && envp != NULL);
	return play(p, NULL);
}

static const struct program_format format = { .name = "prog", .probe = probe, .run = run };

static void put_file(struct proc *p, const char *path, struct bytes text)
{
	int fd = (int)sys_open(p, AT_FDCWD_, path, O_WRONLY_ | O_CREAT_, 0777);

	sys_write(p, fd, text.ptr, text.len);
	sys_close(p, fd);
}

static int first(struct proc *p, void *arg)
{
	put_file(p, "/prog", BYTES("PROG"));
	put_file(p, "/script", BYTES("#!/prog -x\n"));
	return play(p, arg);
}

static int output(void *user, int fd, const char *data, size_t n)
{
	(void)user;
	must(fd == 1 || fd == 2);
	if (!script.calm && script.calls % 7 == 0)
		return KERNEL_PENDING;
	for (size_t i = 0; i < n; i++)
		script.digest = script.digest * 31 + (uint64_t)(unsigned char)data[i] +
				(uint64_t)fd;
	return 0;
}

static int64_t input(void *user, char *out, size_t n)
{
	(void)user;
	must(n > 0);
	*out = 'i';
	return !script.calm && script.calls % 3 == 0 ? KERNEL_PENDING : script.calls % 2;
}

/* Waits are counted, not turns, of which small budgets have more. */
static void run_all(struct kernel *k, uint64_t budget)
{
	int waits = 0;

	for (int turns = 0; turns < 100000; turns++) {
		enum kernel_state state = kernel_run(k, budget);

		if (state == KERNEL_DONE)
			return;
		if (state == KERNEL_WAIT) {
			script.calls++;
			if (!kernel_skip_to_timer(k) && ++waits == 50)
				return;
			kernel_wake_host(k);
		}
	}
}

static void trace(void *user, const struct trace_event *event)
{
	(void)user;
	must(event->seq > 0);
}

static void configure(struct kernel_config *c, struct store *store, const struct kernel_host *host,
		      int flags)
{
	*c = (struct kernel_config){ .store = store, .host = host, .seed = 1 };
	c->cred.uid = (flags & 1) != 0 ? 1000 : 0;
	c->limit[LIMIT_STEPS] = 3000000;
	c->limit[LIMIT_PROCESSES] = 40;
	c->limit[LIMIT_MEMORY] = (flags & 2) != 0 ? 2 << 20 : 8 << 20;
	c->limit[LIMIT_DISK] = 8 << 20;
}

/* One session; the steps it took. */
static uint64_t session(struct store *store, const uint8_t *data, size_t size, uint64_t budget)
{
	struct kernel_host host = { .output = output, .input = input };
	struct spawn s = { .fn = first };
	struct kernel_usage usage;
	struct kernel_config c;
	struct kernel *k;
	struct proc *p;

	script = (struct script){ .at = data + 2, .end = data + size, .calm = (data[0] & 16) != 0 };
	if ((data[0] & 32) != 0)
		host.trace = trace;
	configure(&c, store, &host, data[0]);
	must(kernel_new(&c, &k) == 0);
	kernel_add_format(k, &format);
	if (data[1] % 4 == 3)
		kernel_heap(k)->fail_at = (uint64_t)data[1] / 4 + 1;
	if (kernel_start(k, &s, NULL, NULL, &p) == 0) {
		if ((data[0] & 4) != 0)
			proc_set_survivor(p, true);
		run_all(k, budget);
		if (kernel_limit_hit(k) >= 0 && (data[0] & 4) != 0 &&
		    proc_restart(p, play, NULL) == 0) {
			kernel_begin(k);
			run_all(k, budget);
		}
	}
	kernel_get_usage(k, &usage);
	must(kernel_free(k) == 0);
	return usage.steps_total;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct store store;
	void *region;
	uint64_t steps;
	uint64_t digest;

	if (size < 4)
		return 0;
	region = aligned_alloc(65536, REGION_BYTES);
	store_init(&store, region, REGION_BYTES, NULL, NULL);
	steps = session(&store, data, size, (data[0] & 8) != 0 ? 777 : 0);
	digest = script.digest;
	if (script.calm) {
		must(session(&store, data, size, 1001) == steps);
		must(script.digest == digest);
	}
	free(region);
	return 0;
}
