/* SPDX-License-Identifier: MIT
 *
 * rmdir - remove empty directories.
 */
#include "builtins/builtin.h"

struct rmdir_opts {
	bool ignore;
	bool parents;
	bool verbose;
};

static const struct opt rmdir_options[] = {
	OPT_FLAG(0, "ignore-fail-on-non-empty", struct rmdir_opts, ignore,
		 "no error if a directory is not empty"),
	OPT_FLAG('p', "parents", struct rmdir_opts, parents,
		 "remove its parents too, from the last"),
	OPT_FLAG('v', "verbose", struct rmdir_opts, verbose, "say what is removed"),
	OPT_END(),
};

/* 0, or the status of a failure. */
static int remove_one(struct cmd *c, const struct rmdir_opts *o, const char *path, bool is_parent)
{
	struct vfs_stat st;

	if (o->verbose)
		cmd_printf(c, "%s: removing directory, %s\n", c->name, cmd_quoteaf(c, path));
	int err = cmd_unlink(c, CMD_CWD, path, CMD_REMOVEDIR);

	if (err == 0)
		return 0;
	if (o->ignore && (err == -E_NOTEMPTY || err == -E_EXIST))
		return -1;
	if (err == -E_NOTDIR && cmd_lstat(c, path, &st) == 0 && (st.mode & S_FMT) == S_LNK &&
	    path[strlen(path) - 1] == '/')
		return cmd_error(c, 0, "failed to remove %s: Symbolic link not followed",
				 cmd_quoteaf(c, path));
	return cmd_error(c, err,
			 is_parent ? "failed to remove directory %s" : "failed to remove %s",
			 cmd_quoteaf(c, path));
}

static int remove_parents(struct cmd *c, const struct rmdir_opts *o, const char *path)
{
	struct bytes left = bytes_of(path);

	for (;;) {
		while (left.len > 1 && left.ptr[left.len - 1] == '/')
			left.len--;
		while (left.len > 0 && left.ptr[left.len - 1] != '/')
			left.len--;
		while (left.len > 1 && left.ptr[left.len - 1] == '/')
			left.len--;
		if (left.len == 0 || bytes_is(left, "/"))
			return 0;
		int status = remove_one(c, o, arena_dup(c->arena, left), true);

		if (status != 0)
			return status > 0 ? status : 0;
	}
}

static int rmdir_run(struct cmd *c)
{
	const struct rmdir_opts *o = c->opts;
	int status = cmd_operands(c, 1, -1);

	if (status != 0)
		return status;
	for (int i = 0; i < c->nargs; i++) {
		int one = remove_one(c, o, c->args[i], false);

		if (one == 0 && o->parents)
			one = remove_parents(c, o, c->args[i]);
		if (one > 0)
			status = one;
	}
	return status;
}

const struct builtin builtin_rmdir = {
	.name = "rmdir",
	.usage = "[OPTION]... DIRECTORY...",
	.summary = "Removes directories, which must be empty.",
	.run = rmdir_run,
	.opts = rmdir_options,
	.opts_size = sizeof(struct rmdir_opts),
};
