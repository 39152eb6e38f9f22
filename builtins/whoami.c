/* SPDX-License-Identifier: MIT
 *
 * whoami - the user's name.
 */
#include "builtins/builtin.h"

static int whoami_run(struct cmd *c)
{
	int status = cmd_operands(c, 0, 0);
	const char *name = cmd_user_name(c, cmd_uid(c));

	if (status != 0)
		return status;
	if (name == NULL)
		return cmd_error(c, 0, "cannot find name for user ID %u", cmd_uid(c));
	cmd_printf(c, "%s\n", name);
	return 0;
}

const struct builtin builtin_whoami = {
	.name = "whoami",
	.usage = "[OPTION]",
	.summary = "Writes the name of the user.",
	.run = whoami_run,
};
