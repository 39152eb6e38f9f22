/* SPDX-License-Identifier: MIT
 *
 * tty - the terminal that standard input is.
 */
#include "builtins/builtin.h"

struct tty_opts {
	bool silent;
};

static const struct opt tty_options[] = {
	OPT_FLAG('s', "silent", struct tty_opts, silent, "write nothing, only give a status"),
	OPT_FLAG('s', "quiet", struct tty_opts, silent, NULL),
	OPT_END(),
};

static int tty_run(struct cmd *c)
{
	const struct tty_opts *o = c->opts;
	bool is_tty = cmd_isatty(c, 0);
	int status = cmd_operands(c, 0, 0);

	if (status != 0)
		return status;
	if (!o->silent)
		cmd_puts(c, is_tty ? "/dev/tty\n" : "not a tty\n");
	return is_tty ? 0 : 1;
}

const struct builtin builtin_tty = {
	.name = "tty",
	.usage = "[OPTION]...",
	.summary = "Writes the file name of the terminal that standard input is.",
	.run = tty_run,
	.opts = tty_options,
	.opts_size = sizeof(struct tty_opts),
	.usage_status = 2,
	.error_status = 3,
};
