/* SPDX-License-Identifier: MIT
 *
 * Runs a case in another program: the real bash, as an unprivileged user in an empty directory,
 * or build/cowsh, locked down as always.
 */
#include "tests/cases.h"

#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { USER_ID = 1000, OUTPUT_MAX = 32 << 20 };

/* Where that is allowed the case directory is private, so that runs do not meet. */
static bool private_dir;

bool oracle_start(void)
{
	/* Cases start with niceness 0, as sandboxes do, whatever it is that runs them. */
	if (getpriority(PRIO_PROCESS, 0) != 0 && setpriority(PRIO_PROCESS, 0, 0) < 0)
		fputs("oracle: niceness cannot be set to 0, so what prints it will differ\n",
		      stderr);
	private_dir = geteuid() == 0 && unshare(CLONE_NEWNS) == 0 &&
		      mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
	return true;
}

static void empty_case_dir(void)
{
	static bool mounted;

	if (mounted && (chdir("/") < 0 || umount2(CASE_DIR, MNT_DETACH) < 0))
		abort();
	mkdir(CASE_DIR, 0755);
	if (private_dir)
		mounted = mount("tmpfs", CASE_DIR, "tmpfs", 0, "mode=755") == 0;
	else if (system("rm -rf " CASE_DIR) != 0 || mkdir(CASE_DIR, 0755) < 0)
		abort();
	if (chdir(CASE_DIR) < 0 || (geteuid() == 0 && chown(CASE_DIR, USER_ID, USER_ID) < 0))
		abort();
}

static void connect_streams(int in, int out, int err)
{
	sigset_t none;

	dup2(in, 0);
	dup2(out, 1);
	dup2(err, 2);
	for (int fd = 3; fd < 256; fd++)
		close(fd);
	umask(022);
	/* What was ignored or blocked here must not be so there. */
	for (int sig = 1; sig < NSIG; sig++)
		signal(sig, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static void exec_bash(const struct test *t)
{
	static const char *const envp[] = {
		"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
		"HOME=/home/user",
		"USER=user",
		"LOGNAME=user",
		"SHELL=/bin/bash",
		"LANG=C.UTF-8",
		"TERM=dumb",
		NULL
	};
	const char *argv[] = { "bash", "-c", t->part[SCRIPT].ptr, "bash", NULL };

	if (geteuid() == 0 &&
	    (setgroups(0, NULL) < 0 || setgid(USER_ID) < 0 || setuid(USER_ID) < 0))
		_exit(126);
	execve("/bin/bash", (char *const *)argv, (char *const *)envp);
	_exit(127);
}

static void collect(int out, int err, struct outcome *o, pid_t child)
{
	struct pollfd p[2] = { { out, POLLIN, 0 }, { err, POLLIN, 0 } };
	time_t deadline = time(NULL) + CASE_SECONDS;
	int open_ends = 2;

	while (open_ends > 0) {
		char data[65536];

		poll(p, 2, 1000);
		if (time(NULL) >= deadline || o->part[OUTPUT].len > OUTPUT_MAX) {
			kill(-child, SIGKILL);
			break;
		}
		for (int i = 0; i < 2; i++) {
			ssize_t n;

			if (p[i].fd < 0 || (p[i].revents & (POLLIN | POLLHUP)) == 0)
				continue;
			n = read(p[i].fd, data, sizeof data);
			if (n > 0) {
				text_add(&o->part[i == 0 ? OUTPUT : ERRORS], data, (size_t)n);
			} else {
				p[i].fd = -1;
				open_ends--;
			}
		}
	}
}

static void exec_program(const struct test *t, const char *program)
{
	execl(program, "cowsh", "--cwd", CASE_DIR, "--clock", "@1767225600", "-c",
	      t->part[SCRIPT].ptr, "bash", (char *)NULL);
	_exit(127);
}

static void run_process(const struct test *t, struct outcome *o, const char *program)
{
	int in = memfd_create("stdin", MFD_CLOEXEC);
	int out[2], err[2], status;
	pid_t child;

	if (pipe(out) < 0 || pipe(err) < 0 || write(in, t->part[INPUT].ptr, t->part[INPUT].len) < 0)
		abort();
	lseek(in, 0, SEEK_SET);
	child = fork();
	if (child == 0) {
		/* A session of its own, as another one may be out of sight, with number 0. */
		setsid();
		connect_streams(in, out[1], err[1]);
		if (program != NULL)
			exec_program(t, program);
		exec_bash(t);
	}
	close(in);
	close(out[1]);
	close(err[1]);
	collect(out[0], err[0], o, child);
	close(out[0]);
	close(err[0]);
	waitpid(child, &status, 0);
	kill(-child, SIGKILL);
	o->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	o->limit = -1;
}

void oracle_run(const struct test *t, struct outcome *o)
{
	empty_case_dir();
	run_process(t, o, NULL);
}

void program_run(const struct test *t, struct outcome *o, const char *program)
{
	run_process(t, o, program);
}

void *reserve_memory(size_t *size)
{
	void *region;

	*size = (size_t)8 << 30;
	region = mmap(NULL, *size, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return region != MAP_FAILED ? region : NULL;
}
