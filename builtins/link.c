/* SPDX-License-Identifier: MIT
 *
 * link, unlink - the plain system calls.
 */
#include "builtins/builtin.h"

static int link_run(struct cmd *c)
{
	if (c->nargs < 2)
		return c->nargs == 0
			       ? cmd_usage(c, "missing operand")
			       : cmd_usage(c, "missing operand after %s", cmd_quote(c, c->args[0]));
	if (c->nargs > 2)
		return cmd_usage(c, "extra operand %s", cmd_quote(c, c->args[2]));
	int err = cmd_link(c, CMD_CWD, c->args[0], CMD_CWD, c->args[1], false);

	if (err < 0)
		return cmd_error(c, err, "cannot create link %s to %s", cmd_quoteaf(c, c->args[1]),
				 cmd_quoteaf(c, c->args[0]));
	return 0;
}

static int unlink_run(struct cmd *c)
{
	if (c->nargs == 0)
		return cmd_usage(c, "missing operand");
	if (c->nargs > 1)
		return cmd_usage(c, "extra operand %s", cmd_quote(c, c->args[1]));
	int err = cmd_unlink(c, CMD_CWD, c->args[0], 0);

	return err < 0 ? cmd_error(c, err, "cannot unlink %s", cmd_quoteaf(c, c->args[0])) : 0;
}

const struct builtin builtin_link = {
	.name = "link",
	.usage = "FILE1 FILE2",
	.summary = "Makes FILE2 another name of FILE1.",
	.run = link_run,
};

const struct builtin builtin_unlink = {
	.name = "unlink",
	.usage = "FILE",
	.summary = "Removes the name FILE.",
	.run = unlink_run,
};
