/* SPDX-License-Identifier: MIT
 *
 * users - the names of those who are logged in: nobody is.
 */
#include "builtins/builtin.h"

static int users_run(struct cmd *c)
{
	return cmd_operands(c, 0, 1);
}

const struct builtin builtin_users = {
	.name = "users",
	.usage = "[OPTION]... [FILE]",
	.summary = "Writes the names of users who are logged in: nobody logs in to a session.",
	.run = users_run,
};
