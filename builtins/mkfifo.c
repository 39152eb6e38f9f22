/* SPDX-License-Identifier: MIT
 *
 * mkfifo - make named pipes.
 */
#include "builtins/builtin.h"

struct mkfifo_opts {
	const char *mode;
};

static const struct opt mkfifo_options[] = {
	OPT_STR('m', "mode", struct mkfifo_opts, mode, NULL, "MODE",
		"permissions, as chmod has them"),
	OPT_END(),
};

static int mkfifo_run(struct cmd *c)
{
	const struct mkfifo_opts *o = c->opts;
	uint32_t mode = 0666;
	int status = cmd_operands(c, 1, -1);

	if (status != 0)
		return status;
	if (o->mode != NULL) {
		struct mode_change *change = mode_parse(c, o->mode);

		if (change == NULL)
			return cmd_error(c, 0, "invalid mode");
		mode = mode_apply(change, 0666, false, cmd_umask(c));
		if ((mode & ~(uint32_t)0777) != 0)
			return cmd_error(c, 0, "mode must specify only file permission bits");
	}
	for (int i = 0; i < c->nargs; i++) {
		int err = cmd_mknod(c, CMD_CWD, c->args[i], S_FIFO | mode, 0);

		if (err == 0 && o->mode != NULL)
			err = cmd_chmod(c, CMD_CWD, c->args[i], mode, 0);
		if (err < 0)
			status = cmd_error(c, err, "cannot create fifo %s",
					   cmd_quoteaf(c, c->args[i]));
	}
	return status;
}

const struct builtin builtin_mkfifo = {
	.name = "mkfifo",
	.usage = "[OPTION]... NAME...",
	.summary = "Makes named pipes (FIFOs).",
	.run = mkfifo_run,
	.opts = mkfifo_options,
	.opts_size = sizeof(struct mkfifo_opts),
};
