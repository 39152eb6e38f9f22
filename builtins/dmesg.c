/* SPDX-License-Identifier: MIT
 *
 * dmesg - messages of the kernel: there are none to be read.
 */
#include "builtins/builtin.h"

static int dmesg_run(struct cmd *c)
{
	return cmd_error(c, 0, "read kernel buffer failed: Operation not permitted");
}

const struct builtin builtin_dmesg = {
	.name = "dmesg",
	.usage = "[OPTION]...",
	.summary = "Writes messages of the kernel: refused, as to users of a real one.",
	.run = dmesg_run,
	.flags = BUILTIN_RAW_HELP,
	.family = "util-linux 2.38.1",
};
