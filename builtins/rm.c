/* SPDX-License-Identifier: MIT
 *
 * rm - remove files and directory trees.
 *
 * A directory that keeps something because of an error, or because it was not to be entered, is
 * marked through the walk's data, and so are those above it: nothing more is said about them.
 */
#include "builtins/ask.h"
#include "builtins/preserve_root.h"

enum rm_ask { RM_NEVER, RM_ONCE, RM_ALWAYS, RM_DEFAULT };

struct rm_opts {
	int ask;
	bool force;
	bool recursive;
	bool dirs;
	bool verbose;
	bool one_device;
	bool no_preserve;
	bool stdin_tty;
};

static int set_ask(struct cmd *c, const struct opt *o, const char *arg)
{
	static const struct opt_word words[] = {
		{ "never", RM_NEVER }, { "no", RM_NEVER },      { "none", RM_NEVER },
		{ "once", RM_ONCE },   { "always", RM_ALWAYS }, { "yes", RM_ALWAYS },
		{ NULL, 0 },
	};
	struct rm_opts *rm = c->opts;

	if (o->letter == 'f') {
		rm->force = true;
		rm->ask = RM_NEVER;
		return 0;
	}
	if (o->letter != 0)
		rm->ask = o->letter == 'i' ? RM_ALWAYS : RM_ONCE;
	else if (arg == NULL)
		rm->ask = RM_ALWAYS;
	else
		return opt_word(c, words, "--interactive", arg, &rm->ask);
	rm->force = false;
	return 0;
}

static int set_preserve(struct cmd *c, const struct opt *o, const char *arg)
{
	(void)o;
	if (arg == NULL || strcmp(arg, "all") == 0)
		return 0;
	return cmd_error(c, 0, "unrecognized --preserve-root argument: %s", cmd_quoteaf(c, arg));
}

static const struct opt rm_options[] = {
	OPT_CALL('f', "force", set_ask, "ignore what does not exist, never ask"),
	OPT_CALL('i', NULL, set_ask, "ask before each removal"),
	OPT_CALL('I', NULL, set_ask, "ask once before removing more than three, or recursively"),
	OPT_CALL_OPTIONAL(0, "interactive", set_ask, "WHEN", "ask: never, once (-I), always (-i)"),
	OPT_FLAG(0, "one-file-system", struct rm_opts, one_device,
		 "stay on the file system of each operand"),
	OPT_FLAG(0, "no-preserve-root", struct rm_opts, no_preserve, "/ is nothing special"),
	OPT_CALL_OPTIONAL(0, "preserve-root", set_preserve, "all", "do not remove / (default)"),
	OPT_FLAG('r', "recursive", struct rm_opts, recursive, "directories and what is in them"),
	OPT_FLAG('R', NULL, struct rm_opts, recursive, "the same as -r"),
	OPT_FLAG('d', "dir", struct rm_opts, dirs, "empty directories too"),
	OPT_FLAG('v', "verbose", struct rm_opts, verbose, "say what is removed"),
	OPT_END(),
};

static void mark_kept(struct walk *w, int level)
{
	static char kept;

	for (int i = 0; i < level; i++)
		*walk_data(w, i) = &kept;
}

static const char *type_text(const struct vfs_stat *st)
{
	return mode_type_text(st);
}

static bool is_protected(struct cmd *c, const struct walk_entry *e)
{
	return (e->st.mode & S_FMT) != S_LNK && cmd_access(c, e->dir, e->at, 2) == -E_ACCES;
}

/* Whether to go on: asks when it must. */
static bool agreed(struct cmd *c, const struct rm_opts *o, const struct walk_entry *e, bool descend)
{
	bool protected = o->ask != RM_NEVER && (o->ask == RM_ALWAYS || o->stdin_tty) &&
			 is_protected(c, e);

	if (o->ask != RM_ALWAYS && !protected)
		return true;
	if (descend)
		return ask(c, "descend into %sdirectory %s?", protected ? "write-protected " : "",
			   cmd_quoteaf(c, e->path));
	return ask(c, "remove %s%s %s?", protected ? "write-protected " : "", type_text(&e->st),
		   cmd_quoteaf(c, e->path));
}

/* What -f takes for "not there". */
static bool is_missing(int err)
{
	return err == -E_NOENT || err == -E_NOTDIR;
}

static int remove_entry(struct cmd *c, const struct rm_opts *o, struct walk *w,
			const struct walk_entry *e, bool is_dir)
{
	if (!agreed(c, o, e, false))
		return 0;
	int err = cmd_unlink(c, e->dir, e->at, is_dir ? CMD_REMOVEDIR : 0);

	if (err == 0) {
		if (o->verbose)
			cmd_printf(c, is_dir ? "removed directory %s\n" : "removed %s\n",
				   cmd_quoteaf(c, e->path));
		return 0;
	}
	if (o->force && is_missing(err))
		return 0;
	mark_kept(w, e->level);
	return cmd_error(c, err, "cannot remove %s", cmd_quoteaf(c, e->path));
}

static bool is_empty_dir(struct cmd *c, const char *path)
{
	struct vfs_dirent entry;
	int fd = cmd_open(c, CMD_CWD, path, O_DIRECTORY_, 0);

	if (fd < 0)
		return false;
	int n = cmd_readdir(c, fd, c->arena, &entry, 1);

	cmd_close(c, fd);
	return n == 0;
}

/* A directory met on the way down: entered, skipped or refused. */
static int begin_dir(struct cmd *c, const struct rm_opts *o, struct walk *w, struct walk_entry *e)
{
	static char skipped;

	if (!o->recursive && !o->dirs) {
		e->data = &skipped;
		walk_skip(w);
		return cmd_error(c, -E_ISDIR, "cannot remove %s", cmd_quoteaf(c, e->path));
	}
	if (!o->recursive) {
		walk_skip(w);
		if (!is_empty_dir(c, e->path))
			return cmd_error(c, -E_NOTEMPTY, "cannot remove %s",
					 cmd_quoteaf(c, e->path));
		return remove_entry(c, o, w, e, true);
	}
	if (o->ask == RM_ALWAYS) {
		struct vfs_dirent *list;
		size_t n = 1;
		struct arena_mark mark = arena_mark(c->arena);
		int err = cmd_list(c, e->dir, e->at, c->arena, &list, &n);

		arena_release(c->arena, mark);
		if (err == 0 && n == 0) {
			walk_skip(w);
			return remove_entry(c, o, w, e, true);
		}
	}
	if (!agreed(c, o, e, true)) {
		mark_kept(w, e->level);
		walk_skip(w);
	}
	return 0;
}

static int remove_tree(struct cmd *c, const struct rm_opts *o, const char *path)
{
	struct walk *w = walk_new(c, path, WALK_POST | (o->one_device ? WALK_ONE_DEVICE : 0));
	struct walk_entry *e;
	int status = 0;

	while ((e = walk_next(w)) != NULL) {
		if (e->kind == WALK_DIR) {
			status |= begin_dir(c, o, w, e);
		} else if (e->kind == WALK_DIR_END) {
			if (e->data == NULL)
				status |= remove_entry(c, o, w, e, true);
		} else if (e->kind == WALK_FILE) {
			status |= remove_entry(c, o, w, e, false);
		} else if (e->kind == WALK_ERROR && !(o->force && is_missing(e->err))) {
			/* Even a directory that can't be read can be removed if it is empty. */
			if (e->in_dir && cmd_unlink(c, e->dir, e->at, CMD_REMOVEDIR) == 0) {
				e->data = w;
				continue;
			}
			status |= cmd_error(c, e->err, "cannot remove %s", cmd_quoteaf(c, e->path));
			mark_kept(w, e->level + e->in_dir);
			e->data = w;
		}
	}
	walk_free(w);
	return status;
}

static bool is_dot(const char *path)
{
	struct bytes s = bytes_of(path);

	while (s.len > 1 && s.ptr[s.len - 1] == '/')
		s.len--;
	const char *slash = bytes_rfind(s, BYTES("/"));

	if (slash != NULL)
		s = bytes_slice(s, (size_t)(slash - s.ptr) + 1, s.len);
	return bytes_is(s, ".") || bytes_is(s, "..");
}

/* One slash at the end says as much as several. */
static const char *with_one_slash(struct cmd *c, const char *path)
{
	struct bytes s = bytes_of(path);

	while (s.len > 1 && s.ptr[s.len - 1] == '/' && s.ptr[s.len - 2] == '/')
		s.len--;
	return arena_dup(c->arena, s);
}

/* That a directory is not empty is said first where -d alone is given. */
static bool is_refused_dot(struct cmd *c, const struct rm_opts *o, const char *path)
{
	struct vfs_stat st;

	if (!is_dot(path))
		return false;
	return o->recursive ? cmd_lstat(c, path, &st) == 0 : o->dirs && is_empty_dir(c, path);
}

static int remove_operand(struct cmd *c, const struct rm_opts *o, const char *path)
{
	path = with_one_slash(c, path);

	if (is_refused_dot(c, o, path))
		return cmd_error(c, 0, "refusing to remove '.' or '..' directory: skipping %s",
				 cmd_quoteaf(c, path));
	if (o->recursive && !o->no_preserve && is_root(c, path, false))
		return refuse_root(c, path);
	return remove_tree(c, o, path);
}

static int rm_run(struct cmd *c)
{
	struct rm_opts *o = c->opts;
	int status = o->force && c->nargs == 0 ? 0 : cmd_operands(c, 1, -1);

	for (int i = 1; i < c->argc && o->no_preserve; i++)
		if (strncmp(c->argv[i], "--no-p", 6) == 0 &&
		    strcmp(c->argv[i], "--no-preserve-root") != 0)
			return cmd_error(c, 0,
					 "you may not abbreviate the --no-preserve-root option");
	if (status != 0)
		return status;
	o->stdin_tty = cmd_isatty(c, 0);
	if (o->ask == RM_ONCE && (o->recursive || c->nargs > 3)) {
		if (!ask(c, "remove %d argument%s%s?", c->nargs, c->nargs == 1 ? "" : "s",
			 o->recursive ? " recursively" : ""))
			return 0;
	}
	for (int i = 0; i < c->nargs; i++)
		status |= remove_operand(c, o, c->args[i]);
	return status;
}

static void rm_defaults(struct cmd *c)
{
	((struct rm_opts *)c->opts)->ask = RM_DEFAULT;
}

/* A file may have been meant. */
static void rm_misused(struct cmd *c)
{
	struct vfs_stat st;

	for (int i = 1; i < c->argc; i++)
		if (c->argv[i][0] == '-' && c->argv[i][1] != '\0' &&
		    cmd_lstat(c, c->argv[i], &st) == 0) {
			struct buf b = buf_in(c->arena);

			buf_printf(&b, "Try '%s ./%s' to remove the file %s.\n", c->argv[0],
				   cmd_quotef(c, c->argv[i]), cmd_quoteaf(c, c->argv[i]));
			cmd_err_write(c, b.ptr, b.len);
			return;
		}
}

const struct builtin builtin_rm = {
	.name = "rm",
	.usage = "[OPTION]... [FILE]...",
	.summary = "Removes files; with -r also directories and all that is in them.",
	.run = rm_run,
	.opts = rm_options,
	.opts_size = sizeof(struct rm_opts),
	.defaults = rm_defaults,
	.misused = rm_misused,
};
