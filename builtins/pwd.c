/* SPDX-License-Identifier: MIT
 *
 * pwd - the working directory.
 */
#include "builtins/builtin.h"

struct pwd_opts {
	int logical;
};

static const struct opt pwd_options[] = {
	OPT_SET('L', "logical", struct pwd_opts, logical, 1, "use PWD from the environment"),
	OPT_SET('P', "physical", struct pwd_opts, logical, 0, "no symbolic links (default)"),
	OPT_END(),
};

/* PWD, if it is an absolute path of this directory without "." and "..". */
static const char *logical_path(struct cmd *c)
{
	const char *path = cmd_getenv(c, "PWD");
	struct vfs_stat here;
	struct vfs_stat there;

	if (path == NULL || path[0] != '/')
		return NULL;
	for (const char *at = strstr(path, "/."); at != NULL; at = strstr(at + 1, "/.")) {
		size_t dots = at[2] == '.' ? 3 : 2;

		if (at[dots] == '\0' || at[dots] == '/')
			return NULL;
	}
	if (cmd_stat(c, ".", &here) != 0 || cmd_stat(c, path, &there) != 0)
		return NULL;
	return here.ino == there.ino && here.dev == there.dev ? path : NULL;
}

static int pwd_run(struct cmd *c)
{
	const struct pwd_opts *o = c->opts;
	const char *path = o->logical ? logical_path(c) : NULL;
	char *cwd;

	if (c->nargs > 0)
		cmd_error(c, 0, "ignoring non-option arguments");
	if (path == NULL) {
		int err = cmd_getcwd(c, &cwd);

		if (err < 0)
			return cmd_error(
				c, err,
				"couldn't find directory entry in '..' with matching i-node");
		path = cwd;
	}
	cmd_printf(c, "%s\n", path);
	return 0;
}

static void pwd_defaults(struct cmd *c)
{
	struct pwd_opts *o = c->opts;

	o->logical = cmd_getenv(c, "POSIXLY_CORRECT") != NULL;
}

const struct builtin builtin_pwd = {
	.name = "pwd",
	.usage = "[OPTION]...",
	.summary = "Writes the working directory.",
	.run = pwd_run,
	.opts = pwd_options,
	.opts_size = sizeof(struct pwd_opts),
	.defaults = pwd_defaults,
};
