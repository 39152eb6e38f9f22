/* SPDX-License-Identifier: MIT
 *
 * sync - write what is not yet stored. Everything always is, so only the files are looked at.
 */
#include "builtins/builtin.h"

struct sync_opts {
	bool data;
	bool filesystem;
};

static const struct opt sync_options[] = {
	OPT_FLAG('d', "data", struct sync_opts, data, "only the data of FILEs"),
	OPT_FLAG('f', "file-system", struct sync_opts, filesystem,
		 "the file systems that hold FILEs"),
	OPT_END(),
};

static int sync_run(struct cmd *c)
{
	const struct sync_opts *o = c->opts;
	int status = 0;

	if (o->data && o->filesystem)
		return cmd_error(c, 0, "cannot specify both --data and --file-system");
	if (o->data && c->nargs == 0)
		return cmd_error(c, 0, "--data needs at least one argument");
	for (int i = 0; i < c->nargs; i++) {
		int fd = cmd_open(c, CMD_CWD, c->args[i], O_RDONLY_ | O_NONBLOCK_, 0);
		int err = fd;

		if (err == -E_ACCES) {
			fd = cmd_open(c, CMD_CWD, c->args[i], O_WRONLY_ | O_NONBLOCK_, 0);
			err = fd >= 0 ? fd : err;
		}
		if (err < 0) {
			status = cmd_error(c, err, "error opening %s", cmd_quoteaf(c, c->args[i]));
			continue;
		}
		err = o->filesystem ? 0 : cmd_sync_fd(c, fd);
		if (err < 0)
			status = cmd_error(c, err, "error syncing %s", cmd_quoteaf(c, c->args[i]));
		cmd_close(c, fd);
		cmd_charge(c, 1);
	}
	return status;
}

const struct builtin builtin_sync = {
	.name = "sync",
	.usage = "[OPTION] [FILE]...",
	.summary = "Writes what is not yet stored, of FILEs or of everything.",
	.run = sync_run,
	.opts = sync_options,
	.opts_size = sizeof(struct sync_opts),
};
