/* SPDX-License-Identifier: MIT
 *
 * true - do nothing, successfully.
 */
#include "builtins/builtin.h"

static int true_run(struct cmd *c)
{
	(void)c;
	return 0;
}

const struct builtin builtin_true = {
	.name = "true",
	.usage = "[ignored arguments]",
	.summary = "Succeeds, whatever it is given.",
	.run = true_run,
	.flags = BUILTIN_RAW_HELP,
};
