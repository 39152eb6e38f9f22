/* SPDX-License-Identifier: MIT
 *
 * dirname - a path without its last part.
 */
#include "builtins/builtin.h"

struct dirname_opts {
	bool zero;
};

static const struct opt dirname_options[] = {
	OPT_FLAG('z', "zero", struct dirname_opts, zero, "end each name with NUL"),
	OPT_END(),
};

static struct bytes without_last(struct bytes path)
{
	size_t len = path.len;

	while (len > 1 && path.ptr[len - 1] == '/')
		len--;
	while (len > 0 && path.ptr[len - 1] != '/')
		len--;
	if (len == 0)
		return BYTES(".");
	while (len > 1 && path.ptr[len - 1] == '/')
		len--;
	return bytes_slice(path, 0, len);
}

static int dirname_run(struct cmd *c)
{
	const struct dirname_opts *o = c->opts;
	int status = cmd_operands(c, 1, -1);

	if (status != 0)
		return status;
	for (int i = 0; i < c->nargs; i++) {
		cmd_bytes(c, without_last(bytes_of(c->args[i])));
		cmd_putc(c, o->zero ? '\0' : '\n');
	}
	return 0;
}

const struct builtin builtin_dirname = {
	.name = "dirname",
	.usage = "[OPTION] NAME...",
	.summary = "Writes each NAME without its last part.",
	.run = dirname_run,
	.opts = dirname_options,
	.opts_size = sizeof(struct dirname_opts),
};
