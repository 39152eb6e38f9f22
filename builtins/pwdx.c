/* SPDX-License-Identifier: MIT
 *
 * pwdx - the working directory of processes.
 */
#include "builtins/builtin.h"

/* "12" or "/proc/12"; NULL if it is neither. */
static const char *process_of(const char *arg)
{
	static const char proc[] = "/proc/";
	uint64_t pid;

	if (strncmp(arg, proc, sizeof proc - 1) == 0)
		arg += sizeof proc - 1;
	return num_plain(arg, &pid) && pid > 0 ? arg : NULL;
}

static int put_directory(struct cmd *c, const char *arg)
{
	const char *pid = process_of(arg);
	struct buf text = buf_in(c->arena);
	struct bytes target;

	if (pid == NULL)
		cmd_fatal(c, 0, "invalid process id: %s", arg);
	buf_printf(&text, "/proc/%s/cwd", pid);
	int err = cmd_readlink(c, CMD_CWD, buf_cstr(&text), &target);

	if (err < 0) {
		text.len = 0;
		buf_printf(&text, "%s: %s\n", arg,
			   err == -E_NOENT ? "No such process" : err_text(err));
		cmd_flush(c);
		cmd_err_write(c, text.ptr, text.len);
		return 1;
	}
	cmd_printf(c, "%s: ", arg);
	cmd_bytes(c, target);
	cmd_putc(c, '\n');
	return 0;
}

static int pwdx_run(struct cmd *c)
{
	int status = 0;

	if (c->nargs == 0)
		return cmd_usage(c, "missing process id");
	for (int i = 0; i < c->nargs; i++)
		status |= put_directory(c, c->args[i]);
	return status;
}

const struct builtin builtin_pwdx = {
	.name = "pwdx",
	.usage = "PID...",
	.summary = "Writes the working directory of each process.",
	.run = pwdx_run,
	.family = "procps-ng 4.0.2",
};
