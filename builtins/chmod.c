/* SPDX-License-Identifier: MIT
 *
 * chmod - change permissions.
 */
#include "builtins/builtin.h"
#include "builtins/preserve_root.h"

enum { SAY_NOTHING, SAY_CHANGES, SAY_ALL };

struct chmod_opts {
	int say; /* the last of -c and -v */
	bool quiet;
	bool recursive;
	bool preserve_root;
	const char *reference;
	const char *mode; /* collected from options such as -w, and the operand */
	struct mode_change *change;
	uint32_t umask;
	bool umask_counts; /* a change without u, g, o, a: the umask may keep bits */
};

/* "-w", "-rwx", "-x,g+s": a mode that looks like an option. */
static int chmod_legacy(struct cmd *c, int argc, char **argv, int i)
{
	struct chmod_opts *o = c->opts;
	struct buf joined = buf_in(c->arena);

	(void)argc;
	if (argv[i][0] != '-' || argv[i][1] == '\0' ||
	    strchr("rwxXstugoa,+=01234567", argv[i][1]) == NULL)
		return 0;
	if (o->mode != NULL)
		buf_printf(&joined, "%s,", o->mode);
	buf_puts(&joined, argv[i]);
	o->mode = buf_cstr(&joined);
	return 1;
}

static const struct opt chmod_options[] = {
	OPT_SET('c', "changes", struct chmod_opts, say, SAY_CHANGES, "say what was changed"),
	OPT_FLAG('f', "silent", struct chmod_opts, quiet, "no messages about most errors"),
	OPT_FLAG('f', "quiet", struct chmod_opts, quiet, NULL),
	OPT_SET('v', "verbose", struct chmod_opts, say, SAY_ALL, "say what is done for each file"),
	OPT_IGNORED(0, "no-preserve-root", "/ is nothing special (default)"),
	OPT_FLAG(0, "preserve-root", struct chmod_opts, preserve_root,
		 "refuse to change / with -R"),
	OPT_STR(0, "reference", struct chmod_opts, reference, NULL, "FILE", "use the mode of FILE"),
	OPT_FLAG('R', "recursive", struct chmod_opts, recursive, "directories and what is in them"),
	OPT_END(),
};

static void say(struct cmd *c, const struct chmod_opts *o, const char *path, uint32_t before,
		uint32_t after)
{
	char old[11];
	char new[11];
	bool changed = (before & 07777) != (after & 07777);

	if (o->say == SAY_NOTHING || (o->say == SAY_CHANGES && !changed))
		return;
	mode_text(before, old);
	mode_text(after, new);
	if (changed)
		cmd_printf(c, "mode of %s changed from %04o (%s) to %04o (%s)\n",
			   cmd_quoteaf(c, path), before & 07777, old + 1, after & 07777, new + 1);
	else
		cmd_printf(c, "mode of %s retained as %04o (%s)\n", cmd_quoteaf(c, path),
			   after & 07777, new + 1);
}

static void say_failed(struct cmd *c, const struct chmod_opts *o, const char *path, uint32_t before,
		       uint32_t after)
{
	char old[11];
	char new[11];

	if (o->say != SAY_ALL)
		return;
	mode_text(before, old);
	mode_text(after, new);
	cmd_printf(c, "failed to change mode of %s from %04o (%s) to %04o (%s)\n",
		   cmd_quoteaf(c, path), before & 07777, old + 1, after & 07777, new + 1);
}

static int change_entry(struct cmd *c, const struct chmod_opts *o, const struct walk_entry *e)
{
	bool is_dir = (e->st.mode & S_FMT) == S_DIR;
	struct vfs_stat st = e->st;

	if ((st.mode & S_FMT) == S_LNK) {
		/* Links met on the way are left alone; dangling operands are an error. */
		if (e->level == 0 && !o->quiet && e->err == -E_LOOP)
			cmd_error(c, e->err, "cannot access %s", cmd_quoteaf(c, e->path));
		else if (e->level == 0 && !o->quiet)
			cmd_error(c, 0, "cannot operate on dangling symlink %s",
				  cmd_quoteaf(c, e->path));
		if (o->say == SAY_ALL && e->level == 0)
			cmd_printf(c, "%s could not be accessed\n", cmd_quoteaf(c, e->path));
		else if (o->say == SAY_ALL)
			cmd_printf(c, "neither symbolic link %s nor referent has been changed\n",
				   cmd_quoteaf(c, e->path));
		return e->level == 0;
	}
	uint32_t mode = mode_apply(o->change, st.mode, is_dir, o->umask);
	int err = cmd_chmod(c, e->dir, e->at, mode, 0);

	if (err < 0) {
		if (!o->quiet)
			cmd_error(c, err, "changing permissions of %s", cmd_quoteaf(c, e->path));
		say_failed(c, o, e->path, st.mode, (st.mode & S_FMT) | mode);
		return 1;
	}
	say(c, o, e->path, st.mode, (st.mode & S_FMT) | mode);
	uint32_t naive = mode_apply(o->change, st.mode, is_dir, 0);

	if (!o->umask_counts || (mode & ~naive) == 0)
		return 0;
	char want[11];
	char have[11];

	mode_text(naive, want);
	mode_text(mode, have);
	return cmd_error(c, 0, "%s: new permissions are %s, not %s", cmd_quotef(c, e->path),
			 have + 1, want + 1);
}

static int failed(struct cmd *c, const struct chmod_opts *o, const struct walk_entry *e)
{
	if (!o->quiet)
		cmd_error(c, e->err, e->in_dir ? "cannot read directory %s" : "cannot access %s",
			  cmd_quoteaf(c, e->path));
	if (o->say == SAY_ALL)
		cmd_printf(c, "%s could not be accessed\n", cmd_quoteaf(c, e->path));
	return 1;
}

static int change_tree(struct cmd *c, const struct chmod_opts *o, const char *path)
{
	struct walk *w = walk_new(c, path, WALK_FOLLOW_ROOT);
	struct walk_entry *e;
	int status = 0;

	while ((e = walk_next(w)) != NULL) {
		if (e->kind == WALK_ERROR) {
			status |= failed(c, o, e);
			continue;
		}
		status |= change_entry(c, o, e);
		if (!o->recursive)
			walk_skip(w);
	}
	walk_free(w);
	return status;
}

/* The mode: from a file, the options, or the first operand. Returns the first file, or -status. */
static int choose_mode(struct cmd *c, struct chmod_opts *o)
{
	struct vfs_stat st;
	int first = 0;

	if (o->reference != NULL && o->mode != NULL)
		return -cmd_usage(c, "cannot combine mode and --reference options");
	if (o->reference != NULL) {
		int err = cmd_stat(c, o->reference, &st);
		struct buf octal = buf_in(c->arena);

		if (err < 0)
			return -cmd_error(c, err, "failed to get attributes of %s",
					  cmd_quoteaf(c, o->reference));
		buf_printf(&octal, "%05o", st.mode & 07777);
		o->change = mode_parse(c, buf_cstr(&octal));
		return c->nargs > 0 ? 0 : -cmd_usage(c, "missing operand");
	}
	o->umask_counts = o->mode != NULL;
	if (o->mode == NULL && c->nargs > 0)
		o->mode = c->args[first++];
	if (o->mode == NULL)
		return -cmd_usage(c, "missing operand");
	if (first >= c->nargs && first == 0)
		return -cmd_usage(c, "missing operand");
	if (first >= c->nargs)
		return -cmd_usage(c, "missing operand after %s", cmd_quote(c, o->mode));
	o->change = mode_parse(c, o->mode);
	if (o->change == NULL)
		return -cmd_usage(c, "invalid mode: %s", cmd_quote(c, o->mode));
	o->umask = cmd_umask(c);
	return first;
}

static int chmod_run(struct cmd *c)
{
	struct chmod_opts *o = c->opts;
	int status = 0;
	int first = choose_mode(c, o);

	if (first < 0)
		return -first;
	for (int i = first; i < c->nargs; i++) {
		if (o->recursive && o->preserve_root && is_root(c, c->args[i], true)) {
			status = refuse_root(c, c->args[i]);
			continue;
		}
		status |= change_tree(c, o, c->args[i]);
	}
	return status;
}

const struct builtin builtin_chmod = {
	.name = "chmod",
	.usage = "[OPTION]... MODE[,MODE]... FILE...",
	.summary = "Changes the permissions of files. MODE is octal, or [ugoa][-+=][rwxXst].",
	.run = chmod_run,
	.opts = chmod_options,
	.opts_size = sizeof(struct chmod_opts),
	.legacy = chmod_legacy,
};
