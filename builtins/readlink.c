/* SPDX-License-Identifier: MIT
 *
 * readlink - write what symbolic links say, or canonical paths.
 */
#include "builtins/builtin.h"

enum { READ_LINK = -1 };

struct readlink_opts {
	int mode; /* enum canon_mode, or READ_LINK */
	bool no_newline;
	int verbose; /* 0 or 1 */
	bool zero;
};

static const struct opt readlink_options[] = {
	OPT_SET('f', "canonicalize", struct readlink_opts, mode, CANON_PARENT,
		"canonical path; the last part need not exist"),
	OPT_SET('e', "canonicalize-existing", struct readlink_opts, mode, CANON_EXISTING,
		"canonical path; all parts exist"),
	OPT_SET('m', "canonicalize-missing", struct readlink_opts, mode, CANON_MISSING,
		"canonical path; nothing need exist"),
	OPT_FLAG('n', "no-newline", struct readlink_opts, no_newline, "no newline at the end"),
	OPT_SET('q', "quiet", struct readlink_opts, verbose, false, "no messages (default)"),
	OPT_SET('s', "silent", struct readlink_opts, verbose, false, NULL),
	OPT_SET('v', "verbose", struct readlink_opts, verbose, true, "say what went wrong"),
	OPT_FLAG('z', "zero", struct readlink_opts, zero, "end each line with NUL"),
	OPT_END(),
};

static int readlink_run(struct cmd *c)
{
	struct readlink_opts *o = c->opts;
	int status = 0;

	if (c->nargs == 0)
		return cmd_usage(c, "missing operand");
	if (c->nargs > 1 && o->no_newline) {
		cmd_warn(c, 0, "ignoring --no-newline with multiple arguments");
		o->no_newline = false;
	}
	for (int i = 0; i < c->nargs; i++) {
		struct bytes target;
		char *path;
		int err = o->mode == READ_LINK
				  ? cmd_readlink(c, CMD_CWD, c->args[i], &target)
				  : cmd_canonical(c, c->args[i], (unsigned)o->mode, &path);

		if (err < 0) {
			status = 1;
			if (o->verbose)
				cmd_error(c, err, "%s", cmd_quotef(c, c->args[i]));
			continue;
		}
		cmd_bytes(c, o->mode == READ_LINK ? target : bytes_of(path));
		if (!o->no_newline)
			cmd_putc(c, o->zero ? '\0' : '\n');
	}
	return status;
}

static void readlink_defaults(struct cmd *c)
{
	((struct readlink_opts *)c->opts)->mode = READ_LINK;
}

const struct builtin builtin_readlink = {
	.name = "readlink",
	.usage = "[OPTION]... FILE...",
	.summary = "Writes what symbolic links point to, or canonical paths.",
	.run = readlink_run,
	.opts = readlink_options,
	.opts_size = sizeof(struct readlink_opts),
	.defaults = readlink_defaults,
};
