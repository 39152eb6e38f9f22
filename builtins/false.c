/* SPDX-License-Identifier: MIT
 *
 * false - do nothing, unsuccessfully.
 */
#include "builtins/builtin.h"

static int false_run(struct cmd *c)
{
	(void)c;
	return 1;
}

const struct builtin builtin_false = {
	.name = "false",
	.usage = "[ignored arguments]",
	.summary = "Fails, whatever it is given.",
	.run = false_run,
	.flags = BUILTIN_RAW_HELP,
};
