/* SPDX-License-Identifier: MIT
 *
 * umount - refused: file systems are the host's.
 */
#include "builtins/builtin.h"

static const struct opt umount_options[] = {
	OPT_IGNORED('a', "all", "no effect: it is refused"),
	OPT_IGNORED('f', "force", "the same"),
	OPT_IGNORED('l', "lazy", "the same"),
	OPT_IGNORED('R', "recursive", "the same"),
	OPT_IGNORED('v', "verbose", "the same"),
	OPT_IGNORED('q', "quiet", "the same"),
	OPT_END(),
};

static int umount_run(struct cmd *c)
{
	if (c->nargs == 0)
		return cmd_usage(c, "bad usage");
	for (int i = 0; i < c->nargs; i++) {
		struct vfs_stat st;

		if (cmd_stat(c, c->args[i], &st) < 0)
			cmd_error(c, 0, "%s: no mount point specified.", c->args[i]);
		else
			cmd_error(c, 0, "%s: must be superuser to unmount.", c->args[i]);
	}
	return 32;
}

const struct builtin builtin_umount = {
	.name = "umount",
	.usage = "[OPTION]... DIRECTORY...",
	.summary = "Takes file systems away: refused, they are the host's.",
	.run = umount_run,
	.opts = umount_options,
	.family = "util-linux 2.38.1",
};
