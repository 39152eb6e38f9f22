/* SPDX-License-Identifier: MIT
 *
 * mispipe - a pipe of two scripts of the shell, with the status of the first.
 */
#include "builtins/builtin.h"

static int start(struct cmd *c, char *script, int in, int out)
{
	static char shell[] = "sh";
	static char flag[] = "-c";
	char *argv[] = { shell, flag, script, NULL };
	const int fds[3] = { in, out, 2 };
	struct cmd_program prog = { .argv = argv, .fds = fds, .nfds = 3 };
	int pid = cmd_spawn(c, &prog);

	if (pid < 0)
		cmd_fatal(c, pid, "sh");
	return pid;
}

static int mispipe_run(struct cmd *c)
{
	int ends[2];

	if (c->nargs != 2)
		return cmd_error(c, 0, "Wrong number of args, aborting");
	int err = cmd_pipe(c, ends);

	if (err < 0)
		return cmd_error(c, err, "Failed to create pipe");
	int first = start(c, c->args[0], 0, ends[1]);

	cmd_close(c, ends[1]);
	int second = start(c, c->args[1], ends[0], 1);

	cmd_close(c, ends[0]);
	int status = cmd_wait_end(c, first);

	cmd_wait_end(c, second);
	return status;
}

const struct builtin builtin_mispipe = {
	.name = "mispipe",
	.usage = "COMMAND1 COMMAND2",
	.summary = "Runs COMMAND1 | COMMAND2, scripts of the shell; the status is COMMAND1's.",
	.run = mispipe_run,
	.family = "moreutils 0.67",
};
