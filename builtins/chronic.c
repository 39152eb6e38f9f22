/* SPDX-License-Identifier: MIT
 *
 * chronic - run a command, and show its output only if it fails.
 */
#include "builtins/temp.h"

struct chronic_opts {
	bool errors; /* -e: also if it writes errors */
	bool verbose;
};

static const struct opt chronic_options[] = {
	OPT_FLAG('e', NULL, struct chronic_opts, errors,
		 "writing to standard error is a failure, with status 2"),
	OPT_FLAG('v', NULL, struct chronic_opts, verbose, "say which output is which"),
	OPT_END(),
};

static void show(struct cmd *c, const int fd[2], int status)
{
	const struct chronic_opts *o = c->opts;

	if (o->verbose)
		cmd_puts(c, "STDOUT:\n");
	cmd_flush(c);
	temp_copy(c, fd[0], 1);
	if (o->verbose)
		cmd_puts(c, "\nSTDERR:\n");
	cmd_flush(c);
	temp_copy(c, fd[1], 2);
	if (o->verbose)
		cmd_printf(c, "\nRETVAL: %d\n", status);
	cmd_flush(c);
}

static int chronic_run(struct cmd *c)
{
	const struct chronic_opts *o = c->opts;
	struct vfs_stat st = { .size = 0 };
	int status = 0;

	if (c->nargs == 0)
		return cmd_usage(c, "a command is needed");
	const int fd[2] = { temp_open(c, NULL), temp_open(c, NULL) };
	const int fds[3] = { 0, fd[0], fd[1] };
	struct cmd_program prog = { .argv = c->args, .fds = fds, .nfds = 3 };
	int pid = cmd_spawn(c, &prog);

	if (pid < 0)
		return cmd_error(c, pid, "Command '%s'", c->args[0]), 2;
	while (cmd_wait(c, pid, &status, false) < 0)
		cmd_charge(c, 1);
	int code = status >> 8 & 0xff;

	if ((status & 0x7f) != 0)
		code = 1;
	cmd_fstat(c, fd[1], &st);
	if (code == 0 && !(o->errors && st.size > 0))
		return 0;
	show(c, fd, code);
	return code != 0 ? code : 2;
}

const struct builtin builtin_chronic = {
	.name = "chronic",
	.usage = "[-ev] COMMAND [ARG]...",
	.summary = "Runs COMMAND, and shows its output only if it fails.",
	.run = chronic_run,
	.opts = chronic_options,
	.opts_size = sizeof(struct chronic_opts),
	.flags = BUILTIN_STOP,
	.usage_status = 255,
	.family = "moreutils 0.67",
};
