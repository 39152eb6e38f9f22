/* SPDX-License-Identifier: MIT
 *
 * install - copy files and set their permissions; make directories. Copying is done in copy.c.
 */
#include "builtins/copy.h"

struct install_opts {
	struct copy_opts copy;
	struct target_opts target;
	bool compare;
	bool directories;
	bool leading; /* -D */
	bool strip;
	bool context;
	const char *strip_program;
	const char *owner;
	const char *group;
	const char *mode_arg;
	/* state */
	uint32_t uid; /* UINT32_MAX: as it is */
	uint32_t gid;
	struct mode_change *change;
	struct copier *copier;
};

static const struct opt install_options[] = {
	OPT_BACKUP(struct install_opts, copy.backup, "keep what would be overwritten"),
	OPT_SUFFIX(struct install_opts, copy.backup),
	OPT_IGNORED('c', NULL, "no effect"),
	OPT_FLAG('C', "compare", struct install_opts, compare, "leave files that are the same"),
	OPT_FLAG('d', "directory", struct install_opts, directories,
		 "make directories, with their parents"),
	OPT_FLAG('D', NULL, struct install_opts, leading, "make the directories of DEST first"),
	OPT_STR('g', "group", struct install_opts, group, NULL, "GROUP", "the group of copies"),
	OPT_STR('m', "mode", struct install_opts, mode_arg, NULL, "MODE",
		"the permissions of copies (rwxr-xr-x)"),
	OPT_STR('o', "owner", struct install_opts, owner, NULL, "OWNER", "the owner of copies"),
	OPT_FLAG('p', "preserve-timestamps", struct install_opts, copy.keep_times,
		 "copies have the times of their sources"),
	OPT_FLAG('s', "strip", struct install_opts, strip, "run strip on copies"),
	OPT_STR(0, "strip-program", struct install_opts, strip_program, NULL, "PROGRAM",
		"what -s runs (strip)"),
	OPT_TARGET(struct install_opts, target, "copy all operands into DIRECTORY"),
	OPT_FLAG('T', "no-target-directory", struct install_opts, target.no_directory,
		 "DEST is a name, never a directory to copy into"),
	OPT_FLAG('v', "verbose", struct install_opts, copy.verbose, "say what is done"),
	OPT_FLAG(0, "preserve-context", struct install_opts, context, "no effect"),
	OPT_IGNORED('Z', NULL, "no effect"),
	OPT_CALL_OPTIONAL(0, "context", opt_ignored, "CTX", "no effect"),
	OPT_END(),
};

/* --- attributes --- */

static uint32_t wanted_mode(const struct install_opts *o, bool dir)
{
	return o->change != NULL ? mode_apply(o->change, 0, dir, 0) : 0755;
}

static int set_attributes(struct cmd *c, const struct install_opts *o, const char *path, bool dir,
			  bool there)
{
	uint32_t mode = wanted_mode(o, dir);
	struct vfs_stat st;
	int err = 0;

	/* Of a directory that was there before only what is said changes. */
	if (there && o->change != NULL && cmd_stat(c, path, &st) == 0)
		mode = mode_apply(o->change, st.mode & 07777, dir, 0);
	if (o->uid != UINT32_MAX || o->gid != UINT32_MAX)
		err = cmd_chown(c, CMD_CWD, path, o->uid, o->gid, dir ? 0 : CMD_NOFOLLOW);
	if (err < 0)
		return cmd_error(c, err, "cannot change ownership of %s", cmd_quoteaf(c, path));
	err = cmd_chmod(c, CMD_CWD, path, mode, 0);
	if (err < 0)
		return cmd_error(c, err, "cannot change permissions of %s", cmd_quoteaf(c, path));
	return 0;
}

/* --- directories --- */

/* Makes what is missing of the first `len` bytes of path. 0, or a status. operand: of
 * -d, whose messages quote in the other way. */
static int make_dirs(struct cmd *c, const struct install_opts *o, const char *path, size_t len,
		     bool operand)
{
	for (size_t at = 0; at < len;) {
		struct vfs_stat st;

		while (at < len && path[at] == '/')
			at++;
		while (at < len && path[at] != '/')
			at++;
		const char *part = arena_dup(c->arena, (struct bytes){ path, at });
		int err = cmd_mkdir(c, CMD_CWD, part, 0755);

		if (err == 0 && o->copy.verbose)
			cmd_printf(c, "%s: creating directory %s\n", c->name, cmd_quoteaf(c, part));
		if (err == -E_EXIST && cmd_stat(c, part, &st) == 0 && (st.mode & S_FMT) != S_DIR)
			err = at < len || !operand ? -E_NOTDIR : -E_EXIST;
		else if (err == -E_EXIST)
			err = 0;
		if (err < 0)
			return cmd_error(c, err, "cannot create directory %s",
					 operand ? cmd_quote(c, part) : cmd_quoteaf(c, part));
	}
	return 0;
}

static int make_directories(struct cmd *c, const struct install_opts *o)
{
	int status = 0;

	for (int i = 0; i < c->nargs; i++) {
		const char *path = c->args[i];
		struct vfs_stat st;
		bool there = cmd_stat(c, path, &st) == 0;
		int failed = path[0] == '\0' ? cmd_error(c, -E_NOENT, "cannot create directory %s",
							 cmd_quote(c, path))
					     : make_dirs(c, o, path, strlen(path), true);

		if (failed == 0)
			failed = set_attributes(c, o, path, true, there);
		status |= failed;
		cmd_charge(c, 1);
	}
	return status;
}

/* -D: the directories before the last part. */
static int make_leading(struct cmd *c, const struct install_opts *o, const char *path)
{
	size_t len = strlen(path);

	while (len > 0 && path[len - 1] == '/')
		len--;
	while (len > 0 && path[len - 1] != '/')
		len--;
	while (len > 1 && path[len - 1] == '/')
		len--;
	return make_dirs(c, o, path, len, false);
}

/* --- files --- */

static bool same_content(struct cmd *c, const char *a, const char *b)
{
	struct bytes one;
	struct bytes two;

	return cmd_read_all(c, a, &one) == 0 && cmd_read_all(c, b, &two) == 0 && bytes_eq(one, two);
}

/* -C: whether the copy would differ from what is there. */
static bool needs_copy(struct cmd *c, const struct install_opts *o, const char *from,
		       const char *to)
{
	struct vfs_stat a;
	struct vfs_stat b;
	uint32_t uid = o->uid != UINT32_MAX ? o->uid : cmd_uid(c);
	uint32_t gid = o->gid != UINT32_MAX ? o->gid : cmd_gid(c);
	uint32_t plain = S_FMT | 0777;

	if (!o->compare || (wanted_mode(o, false) & ~0777u) != 0)
		return true;
	if (cmd_lstat(c, from, &a) != 0 || cmd_lstat(c, to, &b) != 0)
		return true;
	if ((a.mode & S_FMT) != S_REG || (b.mode & S_FMT) != S_REG ||
	    ((a.mode | b.mode) & ~plain) != 0)
		return true;
	if (a.size != b.size || (b.mode & 07777) != wanted_mode(o, false) || b.uid != uid ||
	    b.gid != gid)
		return true;
	struct arena_mark mark = arena_mark(c->arena);
	bool same = same_content(c, from, to);

	arena_release(c->arena, mark);
	return !same;
}

static int run_strip(struct cmd *c, const struct install_opts *o, const char *path)
{
	const char *program = o->strip_program != NULL ? o->strip_program : "strip";
	char *argv[] = { arena_dup(c->arena, bytes_of(program)),
			 arena_dup(c->arena, bytes_of(path)), NULL };
	int pid = cmd_spawn(c, &(struct cmd_program){ .argv = argv });
	int status = 0;

	if (pid < 0)
		cmd_error(c, pid, "cannot run %s", cmd_quoteaf(c, program));
	else
		cmd_wait(c, pid, &status, false);
	if (pid >= 0 && status == 0)
		return 0;
	cmd_error(c, 0, "strip process terminated abnormally");
	cmd_unlink(c, CMD_CWD, path, 0);
	return 1;
}

static int install_file(struct cmd *c, struct install_opts *o, const char *from, const char *to,
			bool several)
{
	struct vfs_stat st;
	int err = cmd_stat(c, from, &st);

	if (err < 0)
		return cmd_error(c, err, "cannot stat %s", cmd_quoteaf(c, from));
	if ((st.mode & S_FMT) == S_DIR)
		return cmd_error(c, 0, "omitting directory %s", cmd_quoteaf(c, from));
	if (!needs_copy(c, o, from, to))
		return 0;
	int status = copier_run(o->copier, from, to, several);

	if (status == 0 && o->strip)
		status = run_strip(c, o, to);
	return status != 0 ? status : set_attributes(c, o, to, false, false);
}

/* --- operands --- */

static int check_options(struct cmd *c, struct install_opts *o)
{
	if (o->directories && o->strip)
		return cmd_error(c, 0,
				 "the strip option may not be used when installing a directory");
	if (o->directories && o->target.directory != NULL)
		return cmd_error(c, 0, "target directory not allowed when installing a directory");
	int status = backup_setup(c, &o->copy.backup);

	if (status != 0)
		return status;
	if (o->context)
		cmd_error(c, 0,
			  "WARNING: ignoring --preserve-context; this kernel is not "
			  "SELinux-enabled");
	if (c->nargs < 1)
		return cmd_usage(c, "missing file operand");
	if (o->target.no_directory && o->target.directory != NULL)
		return cmd_error(c, 0,
				 "cannot combine --target-directory (-t) and "
				 "--no-target-directory (-T)");
	return 0;
}

static int find_ids(struct cmd *c, struct install_opts *o)
{
	uint64_t number;
	uint32_t gid;

	o->uid = o->gid = UINT32_MAX;
	if (o->mode_arg != NULL) {
		o->change = mode_parse(c, o->mode_arg);
		if (o->change == NULL)
			return cmd_error(c, 0, "invalid mode %s", cmd_quote(c, o->mode_arg));
	}
	if (o->strip_program != NULL && !o->strip)
		cmd_error(c, 0,
			  "WARNING: ignoring --strip-program option as -s option was not "
			  "specified");
	if (o->compare && o->copy.keep_times)
		return cmd_usage(c, "options --compare (-C) and --preserve-timestamps are mutually "
				    "exclusive");
	if (o->compare && o->strip)
		return cmd_usage(c, "options --compare (-C) and --strip are mutually exclusive");
	if (o->compare && o->change != NULL && (wanted_mode(o, false) & ~0777u) != 0)
		cmd_error(c, 0,
			  "the --compare (-C) option is ignored when you specify a mode with "
			  "non-permission bits");
	if (o->owner != NULL && !cmd_user_id(c, o->owner, &o->uid, &gid)) {
		if (!num_plain(o->owner, &number) || number >= UINT32_MAX)
			return cmd_error(c, 0, "invalid user %s", cmd_quote(c, o->owner));
		o->uid = (uint32_t)number;
	}
	if (o->group != NULL && !cmd_group_id(c, o->group, &o->gid)) {
		if (!num_plain(o->group, &number) || number >= UINT32_MAX)
			return cmd_error(c, 0, "invalid group %s", cmd_quote(c, o->group));
		o->gid = (uint32_t)number;
	}
	return 0;
}

static bool is_directory(struct cmd *c, const char *path)
{
	struct vfs_stat st;

	return cmd_stat(c, path, &st) == 0 && (st.mode & S_FMT) == S_DIR;
}

/* Sources and where they go. 0, or a status. */
static int find_target(struct cmd *c, struct install_opts *o, int *n, const char **dir,
		       const char **name)
{
	struct vfs_stat st;

	if (o->target.directory != NULL) {
		*dir = o->target.directory;
		*name = NULL;
		*n = c->nargs;
		cmd_set_umask(c, 0);
		if (o->leading &&
		    (make_dirs(c, o, *dir, strlen(*dir), false) != 0 || !is_directory(c, *dir)))
			return 1;
		int err = cmd_stat(c, *dir, &st);

		if (err == 0 && (st.mode & S_FMT) != S_DIR)
			err = -E_NOTDIR;
		return err == 0 ? 0
				: cmd_error(c, err, "failed to access %s", cmd_quoteaf(c, *dir));
	}
	if (!o->leading || c->nargs != 2 || o->target.no_directory || is_directory(c, c->args[1]))
		return target_split(c, &o->target, n, dir, name);
	*dir = NULL;
	*name = c->args[1];
	*n = 1;
	return 0;
}

static int install_run(struct cmd *c)
{
	struct install_opts *o = c->opts;
	const char *dir = NULL;
	const char *name = NULL;
	int n;
	int status = check_options(c, o);

	if (status == 0 && !o->directories)
		status = o->leading && c->nargs > 1 ? 0 : find_target(c, o, &n, &dir, &name);
	if (status == 0)
		status = find_ids(c, o);
	if (status != 0)
		return status;
	cmd_set_umask(c, 0);
	if (o->directories)
		return make_directories(c, o);
	if (o->leading && c->nargs > 1)
		status = find_target(c, o, &n, &dir, &name);
	if (status == 0 && dir == NULL && o->leading)
		status = make_leading(c, o, name);
	if (status != 0)
		return status;
	o->copy.remove_first = true;
	o->copy.repeats = true;
	o->copier = copier_new(c, &o->copy);
	for (int i = 0; i < n; i++) {
		const char *to = dir != NULL ? target_join(c, dir, c->args[i]) : name;

		status |= install_file(c, o, c->args[i], to, n > 1);
	}
	return status;
}

const struct builtin builtin_install = {
	.name = "install",
	.usage = "[OPTION]... SOURCE... DEST",
	.summary = "Copies files and sets their permissions, or makes directories (-d).",
	.run = install_run,
	.opts = install_options,
	.opts_size = sizeof(struct install_opts),
};
