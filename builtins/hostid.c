/* SPDX-License-Identifier: MIT
 *
 * hostid - a number for the host: the same in every session.
 */
#include "builtins/builtin.h"

static int hostid_run(struct cmd *c)
{
	int status = cmd_operands(c, 0, 0);

	/* As libc makes it out of the address 127.0.0.1. */
	if (status == 0)
		cmd_puts(c, "007f0100\n");
	return status;
}

const struct builtin builtin_hostid = {
	.name = "hostid",
	.usage = "[OPTION]",
	.summary = "Writes the number of the host, in hexadecimal digits.",
	.run = hostid_run,
};
