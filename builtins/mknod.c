/* SPDX-License-Identifier: MIT
 *
 * mknod - make fifos and device files.
 */
#include "base/number.h"
#include "builtins/builtin.h"

struct mknod_opts {
	const char *mode;
};

static const struct opt mknod_options[] = {
	OPT_STR('m', "mode", struct mknod_opts, mode, NULL, "MODE",
		"permissions, as for chmod, instead of a=rw - umask"),
	OPT_IGNORED('Z', NULL, "no effect"),
	OPT_CALL_OPTIONAL(0, "context", opt_ignored, "CTX", "no effect"),
	OPT_END(),
};

/* "8", "0x10", "010". */
static bool parse_device(const char *text, uint64_t *out)
{
	struct bytes s = bytes_of(text);
	bool overflow = false;

	return byte_is_digit(text[0]) && number_parse_u64(s, 0, out, &overflow) == s.len &&
	       !overflow && *out <= UINT32_MAX;
}

static int make(struct cmd *c, uint32_t mode, bool has_mode)
{
	const char *name = c->args[0];
	char type = c->args[1][0];
	uint64_t major = 0;
	uint64_t minor = 0;
	uint32_t kind = type == 'p' ? S_FIFO : type == 'b' ? S_BLK : S_CHR;

	if (type != 'p' && !parse_device(c->args[2], &major))
		return cmd_error(c, 0, "invalid major device number %s", cmd_quote(c, c->args[2]));
	if (type != 'p' && !parse_device(c->args[3], &minor))
		return cmd_error(c, 0, "invalid minor device number %s", cmd_quote(c, c->args[3]));
	int err = cmd_mknod(c, CMD_CWD, name, kind | mode, major << 8 | minor);

	if (err < 0)
		return cmd_error(c, err, "%s", cmd_quotef(c, name));
	err = has_mode ? cmd_chmod(c, CMD_CWD, name, mode, 0) : 0;
	return err < 0 ? cmd_error(c, err, "cannot set permissions of %s", cmd_quoteaf(c, name))
		       : 0;
}

static int mknod_run(struct cmd *c)
{
	const struct mknod_opts *o = c->opts;
	struct mode_change *change = o->mode != NULL ? mode_parse(c, o->mode) : NULL;
	uint32_t mode = 0666;

	if (o->mode != NULL) {
		if (change == NULL)
			return cmd_error(c, 0, "invalid mode");
		mode = mode_apply(change, 0666, false, cmd_umask(c));
		if ((mode & ~0777u) != 0)
			return cmd_error(c, 0, "mode must specify only file permission bits");
	}
	bool fifo = c->nargs > 1 && c->args[1][0] == 'p';
	int want = c->nargs < 2 || fifo ? 2 : 4;

	if (c->nargs < want) {
		if (c->nargs == 0)
			return cmd_usage(c, "missing operand");
		cmd_error(c, 0, "missing operand after %s", cmd_quote(c, c->args[c->nargs - 1]));
		if (want == 4 && c->nargs == 2)
			cmd_err_write(c, "Special files require major and minor device numbers.\n",
				      54);
		return cmd_usage(c, NULL);
	}
	if (c->nargs > want) {
		cmd_error(c, 0, "extra operand %s", cmd_quote(c, c->args[want]));
		if (want == 2 && c->nargs == 4)
			cmd_err_write(c, "Fifos do not have major and minor device numbers.\n", 50);
		return cmd_usage(c, NULL);
	}
	if (strchr("bcup", c->args[1][0]) == NULL || c->args[1][0] == '\0')
		return cmd_usage(c, "invalid device type %s", cmd_quote(c, c->args[1]));
	return make(c, mode, o->mode != NULL);
}

const struct builtin builtin_mknod = {
	.name = "mknod",
	.usage = "[OPTION]... NAME TYPE [MAJOR MINOR]",
	.summary = "Makes the file NAME: a fifo (p), a block (b) or character device (c, u).",
	.run = mknod_run,
	.opts = mknod_options,
	.opts_size = sizeof(struct mknod_opts),
};
