/* SPDX-License-Identifier: MIT
 *
 * flock - hold a lock while a command runs, or take one on a descriptor of the shell.
 */
#include "builtins/builtin.h"

/* Exit statuses: those of sysexits.h. */
enum { MISUSE = 64, NO_DESCRIPTOR = 65, NO_FILE = 66, NO_PROGRAM = 69 };
enum { EXCLUSIVE, SHARED, UNLOCK };
enum { SIG_ALRM = 14 };

struct flock_opts {
	int kind;
	bool now;
	bool close;
	bool no_fork;
	bool verbose;
	bool timed;
	int64_t wait_ns;
	uint64_t conflict;
};

static int fail(struct cmd *c, int err, int status, const char *what, const char *name)
{
	cmd_error(c, err, what, name);
	return status;
}

static int set_timeout(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct flock_opts *o = c->opts;

	(void)opt;
	o->timed = true;
	if (!num_parse_span(arg, &o->wait_ns))
		return fail(c, 0, MISUSE, "invalid timeout value: '%s'", arg);
	return 0;
}

static int set_conflict(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct flock_opts *o = c->opts;

	(void)opt;
	if (!num_plain(arg, &o->conflict))
		return fail(c, 0, MISUSE, "invalid exit code: '%s'", arg);
	if (o->conflict > INT32_MAX)
		return fail(c, -E_RANGE, MISUSE, "invalid exit code: '%s'", arg);
	if (o->conflict > 255)
		return fail(c, 0, MISUSE, "exit code out of range (expected 0 to 255)", NULL);
	return 0;
}

static const struct opt flock_options[] = {
	OPT_SET('s', "shared", struct flock_opts, kind, SHARED, "take a shared lock"),
	OPT_SET('x', "exclusive", struct flock_opts, kind, EXCLUSIVE,
		"take an exclusive lock, as without an option"),
	OPT_SET('e', NULL, struct flock_opts, kind, EXCLUSIVE, "the same"),
	OPT_SET('u', "unlock", struct flock_opts, kind, UNLOCK, "give the lock back"),
	OPT_FLAG('n', "nonblock", struct flock_opts, now, "fail at once rather than wait"),
	OPT_FLAG(0, "nb", struct flock_opts, now, "the same"),
	OPT_CALL_ARG('w', "timeout", set_timeout, "SECONDS", "wait no longer"),
	OPT_CALL_ARG(0, "wait", set_timeout, "SECONDS", "the same"),
	OPT_CALL_ARG('E', "conflict-exit-code", set_conflict, "NUMBER",
		     "the status when the lock cannot be had in time, instead of 1"),
	OPT_FLAG('o', "close", struct flock_opts, close, "the command does not get the descriptor"),
	OPT_FLAG('F', "no-fork", struct flock_opts, no_fork, "become the command"),
	OPT_FLAG(0, "verbose", struct flock_opts, verbose, "tell what is done"),
	OPT_END(),
};

/* Takes or gives back the lock. 0, or the status to end with. */
static int lock(struct cmd *c, int fd)
{
	static const enum cmd_lock kinds[] = { CMD_LOCK_EXCLUSIVE, CMD_LOCK_SHARED, CMD_UNLOCK };
	const struct flock_opts *o = c->opts;
	bool now = o->now || (o->timed && o->wait_ns == 0);
	int64_t before = cmd_now(c);
	int err;

	if (!now && o->timed) {
		cmd_signal(c, SIG_ALRM, CMD_SIG_CATCH);
		cmd_alarm(c, o->wait_ns);
	}
	while ((err = cmd_flock(c, fd, kinds[o->kind], !now)) == -E_INTR) {
		cmd_charge(c, 1);
		if (cmd_next_signal(c) != SIG_ALRM)
			continue;
		if (o->verbose)
			cmd_error(c, 0, "timeout while waiting to get lock");
		return (int)o->conflict;
	}
	cmd_alarm(c, 0);
	if (err == -E_AGAIN) {
		if (o->verbose)
			cmd_error(c, 0, "failed to get lock");
		return (int)o->conflict;
	}
	if (err < 0)
		return fail(c, err, NO_DESCRIPTOR, "%s", c->args[0]);
	if (o->verbose) {
		int64_t us = (cmd_now(c) - before) / 1000;

		cmd_printf(c, "%s: getting lock took %lld.%06lld seconds\n", c->name,
			   (long long)us / 1000000, (long long)us % 1000000);
	}
	return 0;
}

static int run(struct cmd *c, char **argv)
{
	const struct flock_opts *o = c->opts;
	struct cmd_program prog = { .argv = argv };
	int pid;

	if (o->verbose)
		cmd_printf(c, "%s: executing %s\n", c->name, argv[0]);
	if (o->no_fork)
		return fail(c, cmd_become(c, argv, c->envp), NO_PROGRAM, "failed to execute %s",
			    argv[0]);
	pid = cmd_spawn(c, &prog);
	if (pid < 0)
		return fail(c, pid, NO_PROGRAM, "failed to execute %s", argv[0]);
	return cmd_wait_end(c, pid);
}

static int open_file(struct cmd *c, const char *path)
{
	const struct flock_opts *o = c->opts;
	unsigned oflags = O_RDONLY_ | (o->close ? O_CLOEXEC_ : 0u);
	int fd = cmd_open(c, CMD_CWD, path, oflags | O_CREAT_, 0666);

	return fd == -E_ISDIR ? cmd_open(c, CMD_CWD, path, oflags, 0) : fd;
}

/* The command behind the file: words, or one word for the shell behind -c. */
static char **command_of(struct cmd *c)
{
	const char *shell = cmd_getenv(c, "SHELL");
	char **argv;

	if (strcmp(c->args[1], "-c") != 0 && strcmp(c->args[1], "--command") != 0)
		return c->args + 1;
	if (c->nargs != 3) {
		cmd_error(c, 0, "%s requires exactly one command argument", c->args[1]);
		return NULL;
	}
	argv = arena_array(c->arena, 4, sizeof(*argv));
	argv[0] = arena_dup(c->arena,
			    bytes_of(shell != NULL && *shell != '\0' ? shell : "/bin/sh"));
	argv[1] = arena_dup(c->arena, BYTES("-c"));
	argv[2] = c->args[2];
	argv[3] = NULL;
	return argv;
}

static int flock_run(struct cmd *c)
{
	const struct flock_opts *o = c->opts;
	uint64_t fd;
	char **argv;
	int status;

	if (o->no_fork && o->close)
		return fail(c, 0, MISUSE, "the --no-fork and --close options are incompatible",
			    NULL);
	if (c->nargs == 0)
		return cmd_usage(c, "not enough arguments");
	if (c->nargs == 1) {
		if (!num_plain(c->args[0], &fd) || fd > INT32_MAX)
			return fail(c, 0, MISUSE, "bad file descriptor: '%s'", c->args[0]);
		return lock(c, (int)fd);
	}
	argv = command_of(c);
	if (argv == NULL)
		return MISUSE;
	int file = open_file(c, c->args[0]);

	if (file < 0)
		return fail(c, file, NO_FILE, "cannot open lock file %s", c->args[0]);
	status = lock(c, file);
	return status != 0 ? status : run(c, argv);
}

static void flock_defaults(struct cmd *c)
{
	((struct flock_opts *)c->opts)->conflict = 1;
}

const struct builtin builtin_flock = {
	.name = "flock",
	.usage = "[OPTION]... FILE|DIRECTORY COMMAND [ARG]... | FILE -c COMMAND | DESCRIPTOR",
	.summary = "Runs COMMAND while it holds a lock, or locks a descriptor of the shell.",
	.run = flock_run,
	.opts = flock_options,
	.opts_size = sizeof(struct flock_opts),
	.flags = BUILTIN_STOP,
	.usage_status = MISUSE,
	.defaults = flock_defaults,
	.family = "util-linux 2.38.1",
};
