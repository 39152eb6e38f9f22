/* SPDX-License-Identifier: MIT
 *
 * zless, bzless, xzless, zstdless, zmore, bzmore, xzmore - show what compressed files hold.
 *
 * As less and more they write all at once: nobody looks at a page here.
 */
#include "builtins/gzip/zfilter.h"

#include "builtins/less.h"

enum heading { HEAD_NONE, HEAD_COLONS, HEAD_ARROW, HEAD_PROMPT };

static bool is_directory(struct cmd *c, const char *path)
{
	struct vfs_stat st;

	return cmd_stat(c, path, &st) == 0 && (st.mode & S_FMT) == S_DIR;
}

/* Copies what the program that decompresses writes: its status. */
static int show(struct cmd *c, const struct zfamily *z, const char *file)
{
	struct input in;
	struct bytes part;
	int from;
	int pid = zfilter_start(c, z, file, &from);

	input_init(&in, c, from, file);
	while (input_chunk(&in, &part) > 0) {
		cmd_bytes(c, part);
		cmd_charge_bytes(c, part.len);
	}
	cmd_flush(c);
	input_close(&in);
	cmd_close(c, from);
	return zfilter_wait(c, pid, false);
}

/* less tells of what can't be shown among the text, and shows a file once. */
static int less_files(struct cmd *c, const struct zfamily *z)
{
	for (int i = 0; i < c->nargs; i++) {
		struct vfs_stat st;
		bool again = false;

		for (int k = 0; k < i; k++)
			again |= strcmp(c->args[k], c->args[i]) == 0;
		cmd_charge(c, (uint64_t)i / 16 + 1);
		if (again)
			continue;
		if (is_directory(c, c->args[i])) {
			cmd_printf(c, "%s is a directory\n", c->args[i]);
			continue;
		}
		show(c, z, c->args[i]);
		if (cmd_stat(c, c->args[i], &st) < 0)
			cmd_printf(c, "%s: No such file or directory\n", c->args[i]);
	}
	if (c->nargs == 0)
		show(c, z, "-");
	return 0;
}

static void put_heading(struct cmd *c, enum heading kind, int i)
{
	const char *name = c->args[i];

	if (kind == HEAD_COLONS && c->nargs > 1)
		cmd_printf(c, "::::::::::::::\n%s\n::::::::::::::\n", name);
	if (kind == HEAD_PROMPT && i > 0)
		cmd_printf(c, "--More--(Next file: %s) \n", name);
	if (kind == HEAD_ARROW || kind == HEAD_PROMPT)
		cmd_printf(c, "------> %s <------\n", name);
}

static int more_files(struct cmd *c, const struct zfamily *z, enum heading kind)
{
	for (int i = 0; i < c->nargs; i++) {
		put_heading(c, kind, i);
		cmd_flush(c);
		show(c, z, c->args[i]);
	}
	if (c->nargs == 0)
		show(c, z, "-");
	return 0;
}

#define PAGER(id, call, text, fam, ...)                                                            \
	static int id##_run(struct cmd *c)                                                         \
	{                                                                                          \
		return call;                                                                       \
	}                                                                                          \
	const struct builtin builtin_##id = { .name = #id,                                         \
					      .usage = "[OPTION]... [FILE]...",                    \
					      .summary = text,                                     \
					      .run = id##_run,                                     \
					      .family = fam,                                       \
					      __VA_ARGS__ }
#define AS_LESS .opts = less_options, .legacy = less_legacy

PAGER(zless, less_files(c, &zfamily_gzip), "Shows what compressed files hold, as less.", ZGZIP,
      AS_LESS);
PAGER(xzless, less_files(c, &zfamily_xz), "Shows what compressed files hold, as less.", ZXZ,
      AS_LESS);
PAGER(zstdless, less_files(c, &zfamily_zstd), "Shows what compressed files hold, as less.", ZZSTD,
      AS_LESS);
PAGER(bzless, more_files(c, &zfamily_bzip2, HEAD_PROMPT), "Shows what files of bzip2 hold.", ZBZIP2,
      .opts = NULL);
PAGER(bzmore, more_files(c, &zfamily_bzip2, HEAD_PROMPT), "Shows what files of bzip2 hold.", ZBZIP2,
      .opts = NULL);
PAGER(zmore, more_files(c, &zfamily_gzip, HEAD_COLONS),
      "Shows what compressed files hold, as more.", ZGZIP, .opts = NULL);
PAGER(xzmore, more_files(c, &zfamily_xz, HEAD_ARROW), "Shows what compressed files hold, as more.",
      ZXZ, .opts = NULL);
