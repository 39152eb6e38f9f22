/* SPDX-License-Identifier: MIT
 *
 * logname - the name under which the user logged in: nobody logs in to a session.
 */
#include "builtins/builtin.h"

static int logname_run(struct cmd *c)
{
	int status = cmd_operands(c, 0, 0);

	return status != 0 ? status : cmd_error(c, 0, "no login name");
}

const struct builtin builtin_logname = {
	.name = "logname",
	.usage = "[OPTION]",
	.summary = "Writes the name under which the user logged in.",
	.run = logname_run,
};
