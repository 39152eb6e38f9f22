/* SPDX-License-Identifier: MIT
 *
 * cp - copy files and directories. The work is done in copy.c.
 */
#include "builtins/copy.h"

struct cp_opts {
	struct copy_opts copy;
	struct target_opts target;
	bool parents;
	const char *sparse;
	const char *reflink;
};

enum keep { KEEP_MODE, KEEP_TIMES, KEEP_OWNER, KEEP_LINKS, KEEP_CONTEXT, KEEP_XATTR, KEEP_ALL };

static const struct opt_word keep_words[] = {
	{ "mode", KEEP_MODE },       { "timestamps", KEEP_TIMES },
	{ "ownership", KEEP_OWNER }, { "links", KEEP_LINKS },
	{ "context", KEEP_CONTEXT }, { "xattr", KEEP_XATTR },
	{ "all", KEEP_ALL },         { NULL, 0 },
};

static void keep(struct copy_opts *o, int what, bool on)
{
	bool all = what == KEEP_ALL;

	if (all || what == KEEP_MODE) {
		o->keep_mode = on;
		o->plain_mode = !on;
	}
	if (all || what == KEEP_TIMES)
		o->keep_times = on;
	if (all || what == KEEP_OWNER)
		o->keep_owner = on;
	if (all || what == KEEP_LINKS)
		o->keep_links = on;
	if (all || what == KEEP_XATTR)
		o->keep_xattrs = on;
	if (what == KEEP_XATTR)
		o->need_xattrs = on;
}

static int set_keep(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct copy_opts *o = &((struct cp_opts *)c->opts)->copy;
	bool on = strncmp(opt->name, "no-", 3) != 0;

	if (arg == NULL)
		arg = "mode,ownership,timestamps";
	for (;;) {
		size_t len = strcspn(arg, ",");
		const char *word = arena_dup(c->arena, (struct bytes){ arg, len });
		int what;
		int status = opt_word(c, keep_words, on ? "--preserve" : "--no-preserve", word,
				      &what);

		if (status != 0)
			return status;
		keep(o, what, on);
		if (arg[len] == '\0')
			return 0;
		arg += len + 1;
	}
}

static int set_several(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct copy_opts *o = &((struct cp_opts *)c->opts)->copy;

	(void)arg;
	if (opt->letter == 'p') {
		o->keep_mode = o->keep_owner = o->keep_times = true;
		return 0;
	}
	o->links = LINKS_KEEP;
	o->keep_links = true;
	if (opt->letter == 'a') {
		o->recursive = true;
		keep(o, KEEP_ALL, true);
	}
	return 0;
}

static int set_context(struct cmd *c, const struct opt *opt, const char *arg)
{
	(void)opt;
	if (arg != NULL)
		cmd_error(c, 0,
			  "warning: ignoring --context; it requires an SELinux-enabled kernel");
	return 0;
}

static const struct opt cp_options[] = {
	OPT_CALL('a', "archive", set_several, "the same as -dR --preserve=all"),
	OPT_FLAG(0, "attributes-only", struct cp_opts, copy.attributes_only,
		 "copy the attributes, not the content"),
	OPT_BACKUP(struct cp_opts, copy.backup, "keep what would be overwritten"),
	OPT_SUFFIX(struct cp_opts, copy.backup),
	OPT_FLAG(0, "copy-contents", struct cp_opts, copy.copy_contents,
		 "copy what special files give, with -r"),
	OPT_CALL('d', NULL, set_several, "the same as -P --preserve=links"),
	OPT_FLAG('f', "force", struct cp_opts, copy.force,
		 "remove a destination that can't be opened, and try again"),
	OPT_SET('i', "interactive", struct cp_opts, copy.ask, ASK_ALWAYS, "ask before overwriting"),
	OPT_SET('H', NULL, struct cp_opts, copy.links, LINKS_FOLLOW_ROOT,
		"follow links of operands"),
	OPT_FLAG('l', "link", struct cp_opts, copy.hard_link, "make hard links instead"),
	OPT_SET('L', "dereference", struct cp_opts, copy.links, LINKS_FOLLOW, "follow all links"),
	OPT_SET('n', "no-clobber", struct cp_opts, copy.ask, ASK_NEVER, "never overwrite"),
	OPT_SET('P', "no-dereference", struct cp_opts, copy.links, LINKS_KEEP,
		"never follow links"),
	OPT_CALL('p', NULL, set_several, "the same as --preserve=mode,ownership,timestamps"),
	OPT_CALL_OPTIONAL(0, "preserve", set_keep, "LIST",
			  "keep: mode, ownership, timestamps, links, xattr, context, all"),
	OPT_CALL_ARG(0, "no-preserve", set_keep, "LIST", "do not keep those"),
	OPT_FLAG(0, "parents", struct cp_opts, parents, "use the whole source path in the target"),
	OPT_FLAG('R', "recursive", struct cp_opts, copy.recursive,
		 "directories and their contents"),
	OPT_FLAG('r', NULL, struct cp_opts, copy.recursive, "the same"),
	OPT_STR_OPTIONAL(0, "reflink", struct cp_opts, reflink, "always", "WHEN", "no effect"),
	OPT_FLAG(0, "remove-destination", struct cp_opts, copy.remove_first,
		 "remove each destination first"),
	OPT_STR(0, "sparse", struct cp_opts, sparse, NULL, "WHEN", "no effect"),
	OPT_FLAG(0, "strip-trailing-slashes", struct cp_opts, target.strip_slashes,
		 "remove slashes behind the sources"),
	OPT_FLAG('s', "symbolic-link", struct cp_opts, copy.sym_link,
		 "make symbolic links instead"),
	OPT_TARGET(struct cp_opts, target, "copy all operands into DIRECTORY"),
	OPT_FLAG('T', "no-target-directory", struct cp_opts, target.no_directory,
		 "the destination is a name, never a directory to copy into"),
	OPT_FLAG('u', "update", struct cp_opts, copy.update, "only what is newer or missing"),
	OPT_FLAG('v', "verbose", struct cp_opts, copy.verbose, "say what is done"),
	OPT_FLAG('x', "one-file-system", struct cp_opts, copy.one_device,
		 "stay on one file system"),
	OPT_CALL_OPTIONAL(0, "context", set_context, "CTX", "no effect"),
	OPT_IGNORED('Z', NULL, "no effect"),
	OPT_END(),
};

/* Makes the directories of `path` below dir, for --parents. 0, or a status. */
static int make_parents(struct cmd *c, struct cp_opts *o, const char *dir, const char *path)
{
	for (const char *at = strchr(path, '/'); at != NULL; at = strchr(at + 1, '/')) {
		struct buf to = buf_in(c->arena);
		struct bytes part = { path, (size_t)(at - path) };
		struct vfs_stat st;
		struct vfs_stat old;

		if (part.len == 0)
			continue;
		buf_printf(&to, "%s/%.*s", dir, (int)part.len, part.ptr);
		bool made = cmd_stat(c, buf_cstr(&to), &old) < 0;
		const char *from = arena_dup(c->arena, part);
		int err = cmd_stat(c, from, &st);

		if (err == 0 && (st.mode & S_FMT) != S_DIR)
			err = -E_NOTDIR;
		if (err < 0)
			return cmd_error(c, err, "failed to get attributes of %s",
					 cmd_quoteaf(c, from));
		if (made)
			err = cmd_mkdir(c, CMD_CWD, to.ptr,
					o->copy.plain_mode ? 0777 : st.mode & 0777);
		if (err < 0)
			return cmd_error(c, err, "cannot make directory %s",
					 cmd_quoteaf(c, to.ptr));
		if (made && o->copy.verbose)
			cmd_printf(c, "%s -> %s\n", from, to.ptr);
		if (o->copy.keep_mode)
			cmd_chmod(c, CMD_CWD, to.ptr, st.mode & 07777, 0);
		if (o->copy.keep_times)
			cmd_utimes(c, CMD_CWD, to.ptr, st.atime_ns, st.mtime_ns, 0);
	}
	return 0;
}

static char *without_slashes(struct cmd *c, const char *path)
{
	struct bytes s = bytes_of(path);

	while (s.len > 1 && s.ptr[s.len - 1] == '/')
		s.len--;
	return arena_dup(c->arena, s);
}

static int copy_into(struct cmd *c, struct cp_opts *o, struct copier *k, const char *dir,
		     const char *from, bool several)
{
	if (!o->parents) {
		char *to = target_join(c, dir, from);
		struct bytes s = bytes_of(to);

		/* "..": its contents go into the directory itself, "DIR/.". */
		if (s.len > 3 && bytes_ends(s, BYTES("/..")))
			to[strlen(to) - 1] = '\0';
		return copier_run(k, from, to, several);
	}
	struct buf to = buf_in(c->arena);
	const char *rest = without_slashes(c, from);

	dir = without_slashes(c, dir);
	if (make_parents(c, o, dir, rest) != 0)
		return 1;
	buf_printf(&to, "%s/%s", dir, rest + strspn(rest, "/"));
	return copier_run(k, from, buf_cstr(&to), several);
}

static int check_options(struct cmd *c, struct cp_opts *o)
{
	static const struct opt_word sparse[] = {
		{ "never", 0 }, { "auto", 1 }, { "always", 2 }, { NULL, 0 }
	};
	static const struct opt_word reflink[] = {
		{ "auto", 0 }, { "always", 1 }, { "never", 2 }, { NULL, 0 }
	};
	int value;
	int status = o->sparse != NULL ? opt_word(c, sparse, "--sparse", o->sparse, &value) : 0;

	if (status == 0 && o->reflink != NULL)
		status = opt_word(c, reflink, "--reflink", o->reflink, &value);
	if (status != 0)
		return status;
	if (o->copy.hard_link && o->copy.sym_link)
		return cmd_usage(c, "cannot make both hard and symbolic links");
	if (o->copy.ask == ASK_NEVER && o->copy.backup.wanted)
		return cmd_usage(c, "options --backup and --no-clobber are mutually exclusive");
	return backup_setup(c, &o->copy.backup);
}

/* With -b and -f a file copied onto its own name is copied to its backup instead. */
static const char *backup_of_itself(struct cmd *c, struct copy_opts *o, const char *from,
				    const char *to)
{
	struct vfs_stat st;

	if (o->backup.kind == BACKUP_NONE || !o->force || strcmp(from, to) != 0 ||
	    cmd_stat(c, from, &st) < 0 || (st.mode & S_FMT) != S_REG)
		return to;
	to = backup_name(c, &o->backup, to);
	o->backup.kind = BACKUP_NONE;
	return to;
}

static int cp_run(struct cmd *c)
{
	struct cp_opts *o = c->opts;
	const char *dir;
	const char *name;
	int n;
	int status = check_options(c, o);

	if (status == 0)
		status = target_split(c, &o->target, &n, &dir, &name);
	if (status != 0)
		return status;
	if (o->parents && dir == NULL)
		return cmd_usage(c, "with --parents, the destination must be a directory");
	if (name != NULL)
		name = backup_of_itself(c, &o->copy, c->args[0], name);
	struct copier *k = copier_new(c, &o->copy);

	for (int i = 0; i < n; i++) {
		char *from = o->target.strip_slashes ? without_slashes(c, c->args[i]) : c->args[i];

		status |= dir != NULL ? copy_into(c, o, k, dir, from, n > 1)
				      : copier_run(k, from, name, false);
	}
	return status;
}

const struct builtin builtin_cp = {
	.name = "cp",
	.usage = "[OPTION]... SOURCE... DESTINATION",
	.summary = "Copies a file to another name, or files into a directory.",
	.run = cp_run,
	.opts = cp_options,
	.opts_size = sizeof(struct cp_opts),
};
