/* SPDX-License-Identifier: MIT
 *
 * mv - rename or move files. The work is done in copy.c.
 */
#include "builtins/copy.h"

struct mv_opts {
	struct copy_opts copy;
	struct target_opts target;
};

static const struct opt mv_options[] = {
	OPT_BACKUP(struct mv_opts, copy.backup, "keep what would be overwritten"),
	OPT_SET('f', "force", struct mv_opts, copy.ask, ASK_FORCE, "never ask"),
	OPT_SET('i', "interactive", struct mv_opts, copy.ask, ASK_ALWAYS, "ask before overwriting"),
	OPT_SET('n', "no-clobber", struct mv_opts, copy.ask, ASK_NEVER, "never overwrite"),
	OPT_FLAG(0, "strip-trailing-slashes", struct mv_opts, target.strip_slashes,
		 "remove slashes behind the sources"),
	OPT_SUFFIX(struct mv_opts, copy.backup),
	OPT_TARGET(struct mv_opts, target, "move all operands into DIRECTORY"),
	OPT_FLAG('T', "no-target-directory", struct mv_opts, target.no_directory,
		 "the destination is a name, never a directory to move into"),
	OPT_FLAG('u', "update", struct mv_opts, copy.update, "only what is newer or missing"),
	OPT_FLAG('v', "verbose", struct mv_opts, copy.verbose, "say what is done"),
	OPT_IGNORED('Z', "context", "no effect"),
	OPT_END(),
};

static char *source(struct cmd *c, const struct mv_opts *o, char *path)
{
	struct bytes s = bytes_of(path);

	if (!o->target.strip_slashes)
		return path;
	while (s.len > 1 && s.ptr[s.len - 1] == '/')
		s.len--;
	return arena_dup(c->arena, s);
}

static int mv_run(struct cmd *c)
{
	struct mv_opts *o = c->opts;
	const char *dir;
	const char *name;
	int n;

	o->copy.move = o->copy.recursive = true;
	o->copy.links = LINKS_KEEP;
	o->copy.keep_mode = o->copy.keep_owner = o->copy.keep_times = o->copy.keep_links = true;
	int status = target_split(c, &o->target, &n, &dir, &name);

	if (status == 0 && o->copy.ask == ASK_NEVER && o->copy.backup.wanted)
		status = cmd_usage(c, "options --backup and --no-clobber are mutually exclusive");
	if (status == 0)
		status = backup_setup(c, &o->copy.backup);
	if (status != 0)
		return status;
	struct copier *k = copier_new(c, &o->copy);

	for (int i = 0; i < n; i++) {
		char *from = source(c, o, c->args[i]);

		status |= copier_run(k, from, dir != NULL ? target_join(c, dir, from) : name,
				     n > 1);
	}
	return status;
}

const struct builtin builtin_mv = {
	.name = "mv",
	.usage = "[OPTION]... SOURCE... DESTINATION",
	.summary = "Gives a file another name, or moves files into a directory.",
	.run = mv_run,
	.opts = mv_options,
	.opts_size = sizeof(struct mv_opts),
};
