/* SPDX-License-Identifier: MIT
 *
 * basename - the last part of a path, without a suffix.
 */
#include "builtins/builtin.h"

struct basename_opts {
	bool multiple;
	const char *suffix;
	bool zero;
};

static const struct opt basename_options[] = {
	OPT_FLAG('a', "multiple", struct basename_opts, multiple, "every operand is a path"),
	OPT_STR('s', "suffix", struct basename_opts, suffix, NULL, "SUFFIX",
		"remove SUFFIX from the ends; implies -a"),
	OPT_FLAG('z', "zero", struct basename_opts, zero, "end each name with NUL"),
	OPT_END(),
};

static struct bytes last_part(struct bytes path)
{
	while (path.len > 1 && path.ptr[path.len - 1] == '/')
		path.len--;
	if (path.len == 1)
		return path;
	const char *slash = bytes_rfind(path, BYTES("/"));

	return slash != NULL ? bytes_slice(path, (size_t)(slash - path.ptr) + 1, path.len) : path;
}

static void put_name(struct cmd *c, const char *path, const char *suffix, bool zero)
{
	struct bytes name = last_part(bytes_of(path));

	if (suffix != NULL && name.len > strlen(suffix) && bytes_ends(name, bytes_of(suffix)) &&
	    name.ptr[0] != '/')
		name.len -= strlen(suffix);
	cmd_bytes(c, name);
	cmd_putc(c, zero ? '\0' : '\n');
}

static int basename_run(struct cmd *c)
{
	const struct basename_opts *o = c->opts;
	bool many = o->multiple || o->suffix != NULL;
	int status = cmd_operands(c, 1, many ? -1 : 2);

	if (status != 0)
		return status;
	for (int i = 0; i < (many ? c->nargs : 1); i++)
		put_name(c, c->args[i],
			 many           ? o->suffix
			 : c->nargs > 1 ? c->args[1]
					: NULL,
			 o->zero);
	return 0;
}

const struct builtin builtin_basename = {
	.name = "basename",
	.usage = "NAME [SUFFIX] | OPTION... NAME...",
	.summary = "Writes the last part of each NAME.",
	.run = basename_run,
	.opts = basename_options,
	.opts_size = sizeof(struct basename_opts),
	.flags = BUILTIN_STOP,
};
