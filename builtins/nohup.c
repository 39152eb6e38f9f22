/* SPDX-License-Identifier: MIT
 *
 * nohup - run a program that does not end by SIGHUP.
 *
 * Output to a terminal goes to nohup.out instead. On a virtual clock nothing hangs up, but what
 * was started with & goes on until the session ends, as with a real shell.
 */
#include "builtins/builtin.h"

/* Standard output, when it is a terminal, to nohup.out: 0, or a status. */
static int redirect_output(struct cmd *c, bool input_ignored, bool *done)
{
	const char *name = "nohup.out";
	int fd = cmd_open(c, CMD_CWD, name, O_WRONLY_ | O_CREAT_ | O_APPEND_, 0600);

	if (fd < 0) {
		int first = fd;
		const char *home = cmd_getenv(c, "HOME");
		struct buf path = buf_in(c->arena);

		buf_printf(&path, "%s/nohup.out", home != NULL ? home : "");
		name = buf_cstr(&path);
		fd = home != NULL
			     ? cmd_open(c, CMD_CWD, name, O_WRONLY_ | O_CREAT_ | O_APPEND_, 0600)
			     : -E_NOENT;
		if (fd < 0) {
			cmd_error(c, first, "failed to open %s", cmd_quoteaf(c, "nohup.out"));
			return cmd_error(c, fd, "failed to open %s", cmd_quoteaf(c, name));
		}
	}
	cmd_dup2(c, fd, 1);
	cmd_close(c, fd);
	cmd_error(c, 0,
		  input_ignored ? "ignoring input and appending output to %s"
				: "appending output to %s",
		  cmd_quoteaf(c, name));
	*done = true;
	return 0;
}

static int nohup_run(struct cmd *c)
{
	bool input = cmd_isatty(c, 0);
	bool output = cmd_isatty(c, 1);
	bool said = false;
	int status;

	if (c->nargs == 0)
		return cmd_usage(c, "missing operand");
	if (input) {
		int fd = cmd_open(c, CMD_CWD, "/dev/null", O_WRONLY_, 0);

		cmd_dup2(c, fd, 0);
		cmd_close(c, fd);
	}
	if (output && (status = redirect_output(c, input, &said)) != 0)
		return status;
	if (input && !said)
		cmd_error(c, 0, "ignoring input");
	if (cmd_isatty(c, 2))
		cmd_dup2(c, 1, 2);
	cmd_signal(c, 1, CMD_SIG_IGNORE);
	int err = cmd_become(c, c->args, c->envp);

	cmd_error(c, err, "failed to run command %s", cmd_quoteaf(c, c->args[0]));
	return err == -E_NOENT ? 127 : 126;
}

const struct builtin builtin_nohup = {
	.name = "nohup",
	.usage = "COMMAND [ARG]...",
	.summary = "Runs COMMAND so that a hangup does not end it.",
	.run = nohup_run,
	.flags = BUILTIN_STOP,
	.usage_status = 125,
	.error_status = 125,
};
