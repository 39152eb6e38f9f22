/* SPDX-License-Identifier: MIT
 *
 * The programs behind zgrep, zdiff, zless and their like. See zfilter.h.
 */
#include "builtins/gzip/zfilter.h"

static const char *const gzip_program[] = { "gzip", "-cdfq", "--", NULL };
static const char *const bzip2_program[] = { "bzip2", "-cdfq", "--", NULL };
static const char *const xz_program[] = { "xz", "-cdfqQ", "--", NULL };
static const char *const zstd_program[] = { "zstd", "-cdfq", "--", NULL };

enum { GZIP = 1, BZIP2 = 2, XZ = 4, ZSTD = 8 };

const struct zfamily zfamily_gzip = {
	.bit = GZIP,
	.program = gzip_program,
	.refused = "option not supported",
};
const struct zfamily zfamily_bzip2 = {
	.bit = BZIP2,
	.program = bzip2_program,
	.refused = "option not supported",
	.strict = true,
};
const struct zfamily zfamily_xz = {
	.bit = XZ,
	.program = xz_program,
	.refused = "Option not supported",
};
const struct zfamily zfamily_zstd = {
	.bit = ZSTD,
	.program = zstd_program,
	.refused = "option not supported",
	.strict = true,
};

static const struct zsuffix suffixes[] = {
	{ ".gz", gzip_program, GZIP | XZ | ZSTD, "" },
	{ "-gz", gzip_program, GZIP | XZ, "" },
	{ ".z", gzip_program, GZIP | XZ, "" },
	{ "-z", gzip_program, GZIP | XZ, "" },
	{ ".Z", gzip_program, GZIP | XZ, "" },
	{ ".tgz", gzip_program, GZIP | XZ | ZSTD, ".tar" },
	{ ".taz", gzip_program, GZIP | XZ, ".tar" },
	{ ".bz2", bzip2_program, BZIP2 | XZ, "" },
	{ ".bz", bzip2_program, BZIP2, "" },
	{ ".tbz", bzip2_program, BZIP2 | XZ, ".tar" },
	{ ".tbz2", bzip2_program, BZIP2 | XZ, ".tar" },
	{ ".zst", zstd_program, XZ | ZSTD, "" },
	{ ".tzst", zstd_program, XZ | ZSTD, ".tar" },
	{ ".xz", xz_program, XZ | ZSTD, "" },
	{ ".lzma", xz_program, XZ | ZSTD, "" },
	{ ".txz", xz_program, XZ | ZSTD, ".tar" },
	{ ".tlz", xz_program, XZ | ZSTD, ".tar" },
};

const struct zsuffix *zfilter_suffix(const struct zfamily *z, const char *file)
{
	struct bytes name = bytes_of(file);

	for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
		struct bytes suffix = bytes_of(suffixes[i].suffix);

		if ((suffixes[i].families & z->bit) != 0 && name.len > suffix.len &&
		    bytes_ends(name, suffix))
			return &suffixes[i];
	}
	return NULL;
}

int zfilter_complain(struct cmd *c, const char *format, ...)
{
	struct buf text = buf_in(c->arena);
	va_list args;

	buf_printf(&text, "%s%s: ", strchr(c->name, '/') != NULL ? "" : "/usr/bin/", c->name);
	va_start(args, format);
	buf_vprintf(&text, format, args);
	va_end(args);
	buf_putc(&text, '\n');
	cmd_flush(c);
	cmd_err_write(c, text.ptr, text.len);
	return ZFILTER_TROUBLE;
}

int zfilter_start(struct cmd *c, const struct zfamily *z, const char *file, int *out)
{
	const struct zsuffix *suffix = zfilter_suffix(z, file);
	const char *const *program = suffix != NULL ? suffix->program : z->program;
	char *argv[6] = { NULL };
	int n = 0;
	int ends[2];
	int err = cmd_pipe(c, ends);

	if (err < 0)
		cmd_fatal_status(c, ZFILTER_TROUBLE, err, "pipe");
	for (; program[n] != NULL; n++)
		argv[n] = arena_dup(c->arena, bytes_of(program[n]));
	if (strcmp(file, "-") != 0)
		argv[n] = arena_dup(c->arena, bytes_of(file));
	int fds[] = { 0, ends[1], 2 };
	struct cmd_program prog = { .argv = argv, .fds = fds, .nfds = 3 };
	int pid = cmd_spawn(c, &prog);

	cmd_close(c, ends[1]);
	*out = ends[0];
	if (pid < 0)
		cmd_fatal_status(c, ZFILTER_TROUBLE, pid, "%s", program[0]);
	return pid;
}

int zfilter_wait(struct cmd *c, int pid, bool filter)
{
	int status = 0;

	if (pid <= 0 || cmd_wait(c, pid, &status, false) < 0)
		return 0;
	if (filter && ((status & 0x7f) == 13 || status >> 8 == 2))
		return 0;
	return cmd_exit_status(status);
}
