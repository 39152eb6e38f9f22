/* SPDX-License-Identifier: MIT
 *
 * vipe - would put an editor into a pipeline; nobody sits in front of a session.
 */
#include "builtins/builtin.h"

static int vipe_run(struct cmd *c)
{
	return cmd_error(c, 0,
			 "there is no terminal to edit on: use sed or awk in the pipe, or "
			 "sponge to write back to a file");
}

const struct builtin builtin_vipe = {
	.name = "vipe",
	.usage = "",
	.summary = "Says that there is no terminal to edit on.",
	.run = vipe_run,
	.flags = BUILTIN_RAW_HELP,
	.error_status = 126,
	.family = "moreutils 0.67",
};
