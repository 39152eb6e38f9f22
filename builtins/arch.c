/* SPDX-License-Identifier: MIT
 *
 * arch - the name of the machine, as uname -m.
 */
#include "builtins/builtin.h"

static int arch_run(struct cmd *c)
{
	int status = cmd_operands(c, 0, 0);

	if (status == 0)
		cmd_puts(c, "x86_64\n");
	return status;
}

const struct builtin builtin_arch = {
	.name = "arch",
	.usage = "[OPTION]...",
	.summary = "Writes the name of the machine.",
	.run = arch_run,
};
