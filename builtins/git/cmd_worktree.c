/* SPDX-License-Identifier: MIT
 *
 * git worktree.
 */
#include "builtins/git/checkout.h"
#include "builtins/git/merge.h"
#include "builtins/git/worktree.h"

static const char *const worktree_usage[] = {
	"git worktree add [-f] [--detach] [--checkout] [--lock [--reason <string>]]\n"
	"                        [-b <new-branch>] <path> [<commit-ish>]",
	"git worktree list [-v | --porcelain [-z]]",
	"git worktree lock [--reason <string>] <worktree>",
	"git worktree move <worktree> <new-path>",
	"git worktree prune [-n] [-v] [--expire <expire>]",
	"git worktree remove [-f] <worktree>",
	"git worktree repair [<path>...]",
	"git worktree unlock <worktree>",
	NULL
};

struct worktree_opts {
	int force;
	bool detach, no_checkout, checkout, lock, quiet, guess, verbose, porcelain, zero, dry_run;
	enum branch_track track;
	const char *reason;
	const char *branch;
	const char *force_branch;
	const char *expire;
};

/* The one that an operand names: by path, or by the end of it. */
static struct worktree *find_one(struct git *g, const char *arg)
{
	struct worktree *list, *hit = NULL;
	size_t n = worktree_list(g, &list);
	char *full = path_normal(g->a, path_join(g->a, g->start, arg));

	if (full != NULL && strlen(full) > 1 && git_ends(full, "/"))
		full[strlen(full) - 1] = '\0';
	for (size_t i = 0; i < n; i++)
		if (full != NULL && strcmp(list[i].path, full) == 0)
			return &list[i];
	for (size_t i = 0; i < n; i++)
		if (git_ends(list[i].path, git_format(g->a, "/%s", arg))) {
			if (hit != NULL)
				return NULL;
			hit = &list[i];
		}
	return hit;
}

static struct worktree *need_one(struct git *g, const char *arg)
{
	struct worktree *w = find_one(g, arg);

	if (w == NULL)
		git_die(g, "'%s' is not a working tree", arg);
	return w;
}

static void put_file(struct git *g, const char *dir, const char *name, const char *text)
{
	char *path = path_join(g->a, dir, name);

	file_make_parents(g, path);
	if (file_write(g, path, bytes_of(text), 0666) < 0)
		git_die(g, "could not write '%s'", path);
}

/* --- list --- */

static void put_porcelain(struct git *g, const struct worktree *w, char end)
{
	git_printf(g, "worktree %s%c", w->path, end);
	if (w->bare)
		git_printf(g, "bare%c", end);
	else {
		git_printf(g, "HEAD %s%c", oid_hex(g, &w->head), end);
		if (w->branch != NULL)
			git_printf(g, "branch %s%c", w->branch, end);
		else
			git_printf(g, "detached%c", end);
	}
	if (w->locked != NULL)
		git_printf(g, "locked%s%s%c", w->locked[0] != '\0' ? " " : "", w->locked, end);
	if (w->prunable != NULL)
		git_printf(g, "prunable %s%c", w->prunable, end);
	cmd_putc(g->c, end);
}

static void put_line(struct git *g, const struct worktree *w, size_t width, bool verbose)
{
	struct buf b = buf_in(g->a);

	buf_puts(&b, w->path);
	buf_fill(&b, ' ', width - git_columns(bytes_of(w->path)) + 1);
	if (w->bare)
		buf_puts(&b, "(bare)");
	else {
		buf_printf(&b, " %s ", oid_short(g, &w->head, 0));
		if (w->branch != NULL)
			buf_printf(&b, "[%s]", ref_short(g, w->branch));
		else
			buf_puts(&b, "(detached HEAD)");
	}
	if (w->locked != NULL && verbose && w->locked[0] != '\0')
		buf_printf(&b, "\n\tlocked: %s", w->locked);
	else if (w->locked != NULL)
		buf_puts(&b, " locked");
	if (w->prunable != NULL && verbose)
		buf_printf(&b, "\n\tprunable: %s", w->prunable);
	else if (w->prunable != NULL)
		buf_puts(&b, " prunable");
	buf_putc(&b, '\n');
	cmd_bytes(g->c, buf_bytes(&b));
}

static const struct git_option list_options[] = {
	GIT_FLAG('v', "verbose", struct worktree_opts, verbose),
	GIT_FLAG(0, "porcelain", struct worktree_opts, porcelain),
	GIT_FLAG('z', NULL, struct worktree_opts, zero),
	GIT_STR(0, "expire", struct worktree_opts, expire),
	GIT_END(),
};

static int list(struct git *g, struct args *args)
{
	struct worktree_opts o = { .force = 0 };
	const struct git_parser p = { list_options, &o, worktree_usage, 0, NULL };
	struct worktree *all;
	size_t n, width = 0;

	git_parse(g, args, &p);
	if (args->argc != 0)
		git_usage(g, worktree_usage);
	n = worktree_list(g, &all);
	for (size_t i = 0; i < n; i++) {
		size_t w = git_columns(bytes_of(all[i].path));

		width = w > width ? w : width;
	}
	for (size_t i = 0; i < n; i++) {
		if (o.porcelain)
			put_porcelain(g, &all[i], o.zero ? '\0' : '\n');
		else
			put_line(g, &all[i], width, o.verbose);
	}
	return 0;
}

/* --- add --- */

static int set_track(struct git *g, void *opts, const char *arg, bool unset)
{
	((struct worktree_opts *)opts)->track = branch_track_option(g, arg, unset);
	return 0;
}

static const struct git_option add_options[] = {
	GIT_COUNT('f', "force", struct worktree_opts, force),
	GIT_STR('b', NULL, struct worktree_opts, branch),
	GIT_STR('B', NULL, struct worktree_opts, force_branch),
	GIT_FLAG('d', "detach", struct worktree_opts, detach),
	GIT_FLAG(0, "checkout", struct worktree_opts, checkout),
	GIT_FLAG(0, "lock", struct worktree_opts, lock),
	GIT_STR(0, "reason", struct worktree_opts, reason),
	GIT_FLAG('q', "quiet", struct worktree_opts, quiet),
	GIT_CALL_MAYBE(0, "track", set_track),
	GIT_MISSING(0, "guess-remote"),
	GIT_END(),
};

struct adding {
	struct git *g;
	const struct worktree_opts *o;
	const char *arg;
	char *path;
	const char *start; /* commit-ish as given */
	struct oid commit;
	char *branch; /* full, or NULL: detached */
	bool new_branch;
	bool exists;
	bool reset_branch;
	struct oid old;
};

static bool empty_dir(struct git *g, const char *path)
{
	struct vfs_dirent *entry;
	size_t n;

	return cmd_list(g->c, CMD_CWD, path, g->a, &entry, &n) >= 0 && n == 0;
}

/* Which branch, and whether it is made. */
static void choose_branch(struct adding *k)
{
	struct git *g = k->g;
	const char *name = k->o->branch != NULL ? k->o->branch : k->o->force_branch;
	struct oid o;

	if (name == NULL && !k->o->detach && k->start == NULL) {
		/* Named like the directory, whether it is there or not. */
		name = path_base(k->path);
		k->new_branch = !ref_exists(g, git_format(g->a, "refs/heads/%s", name));
		if (!k->new_branch)
			k->start = name;
	} else if (name != NULL) {
		k->new_branch = true;
	} else if (!k->o->detach && k->start != NULL &&
		   ref_exists(g, git_format(g->a, "refs/heads/%s", k->start))) {
		name = k->start;
	}
	if (k->start == NULL)
		k->start = "HEAD";
	if (rev_commit(g, strcmp(k->start, "-") == 0 ? "@{-1}" : k->start, &k->commit) < 0)
		git_die(g, "invalid reference: %s", k->start);
	if (name == NULL)
		return;
	if (!ref_branch_valid(name))
		git_die(g, "'%s' is not a valid branch name", name);
	k->branch = git_format(g->keep, "refs/heads/%s", name);
	if (k->new_branch && ref_read(g, k->branch, &o, NULL) == 0) {
		k->reset_branch = k->o->force_branch != NULL;
		k->exists = true;
		k->old = o;
	}
}

static void say_preparing(const struct adding *k)
{
	struct git *g = k->g;

	if (k->o->quiet)
		return;
	if (k->reset_branch)
		git_say(g, "Preparing worktree (resetting branch '%s'; was at %s)\n",
			k->branch + 11, oid_short(g, &k->old, 0));
	else if (k->new_branch)
		git_say(g, "Preparing worktree (new branch '%s')\n", k->branch + 11);
	else if (k->branch != NULL)
		git_say(g, "Preparing worktree (checking out '%s')\n", k->branch + 11);
	else
		git_say(g, "Preparing worktree (detached HEAD %s)\n", oid_short(g, &k->commit, 0));
}

static void make_branch(struct adding *k)
{
	struct git *g = k->g;
	enum branch_track how = branch_track_settle(g, k->o->track);
	char *full;

	if (!k->new_branch)
		return;
	full = branch_track_start(g, k->start, how);
	ref_update(g, k->branch, &k->commit, NULL,
		   git_format(g->a,
			      k->reset_branch ? "branch: Reset to %s" : "branch: Created from %s",
			      k->start),
		   false);
	if (full != NULL)
		branch_track(g, k->branch + 11, full, how, k->o->quiet);
	cmd_flush(g->c);
}

/* A directory of its own below .git/worktrees. */
static char *make_dir(struct adding *k)
{
	struct git *g = k->g;
	const char *base = path_base(k->path);
	char *dir = git_format(g->keep, "%s/worktrees/%s", g->common, base);

	file_make_parents(g, dir);
	for (int i = 1; cmd_mkdir(g->c, CMD_CWD, dir, 0777) < 0; i++) {
		if (!file_exists(g, dir) || i > 10000)
			git_die(g, "could not create directory of '%s'", dir);
		dir = git_format(g->keep, "%s/worktrees/%s%d", g->common, base, i);
	}
	return dir;
}

static char *subject_of(struct git *g, const struct oid *o)
{
	struct commit_text t;

	commit_text(g, g->a, o, &t);
	return arena_dup(g->a, message_subject(g->a, t.message));
}

static void check_out(struct adding *k, struct git *w)
{
	struct git *g = k->g;
	struct oid tree;

	if (cmd_chdir(g->c, k->path) < 0)
		git_die(g, "cannot chdir to %s", k->path);
	w->work = k->path;
	if (tree_of(w, &k->commit, &tree)) {
		work_reset(w, &tree);
		index_write(w, index_get(w));
	}
	ref_update(w, "ORIG_HEAD", &k->commit, NULL, NULL, true);
	if (k->branch != NULL)
		reflog_add(w, "HEAD", &k->commit, &k->commit, "reset: moving to HEAD");
	cmd_chdir(g->c, g->work != NULL ? g->work : g->start);
	if (!k->o->quiet)
		git_printf(g, "HEAD is now at %s %s\n", oid_short(g, &k->commit, 0),
			   subject_of(g, &k->commit));
}

static void refuse_used(struct adding *k)
{
	struct git *g = k->g;
	const char *used = k->branch != NULL && k->o->force == 0 ? worktree_using(g, k->branch)
								 : NULL;
	char *head = head_ref(g);

	if (k->branch != NULL && used == NULL && k->o->force == 0 && head != NULL &&
	    strcmp(head, k->branch) == 0)
		used = g->work != NULL ? g->work : g->dir;
	if (used != NULL)
		git_die(g, "'%s' is already checked out at '%s'", k->branch + 11, used);
}

static int add(struct git *g, struct args *args)
{
	struct worktree_opts o = { .force = 0 };
	static const char *const usage[] = {
		"git worktree add [-f] [--detach] [--checkout] [--lock [--reason <string>]]\n"
		"                        [-b <new-branch>] <path> [<commit-ish>]",
		NULL
	};
	const struct git_parser p = { add_options, &o, usage, 0, NULL };
	struct adding k = { .g = g, .o = &o };
	struct git *w;
	char *dir;

	o.checkout = true;
	git_parse(g, args, &p);
	if (o.detach + (o.branch != NULL) + (o.force_branch != NULL) > 1)
		git_die(g, "options '-%s', '-%s', and '%s' cannot be used together", "b", "B",
			"--detach");
	if (o.reason != NULL && !o.lock)
		git_die(g, "the option '%s' requires '%s'", "--reason", "--lock");
	if (args->argc < 1 || args->argc > 2)
		git_usage(g, usage);
	k.arg = args->argv[0];
	k.path = path_normal(g->keep, path_join(g->a, g->start, k.arg));
	if (k.path == NULL)
		git_die(g, "invalid path '%s'", k.arg);
	if (strlen(k.path) > 1 && git_ends(k.path, "/"))
		k.path[strlen(k.path) - 1] = '\0';
	k.start = args->argc == 2 ? args->argv[1] : NULL;
	choose_branch(&k);
	if (k.reset_branch)
		refuse_used(&k);
	say_preparing(&k);
	if (k.exists && !k.reset_branch)
		git_die(g, "a branch named '%s' already exists", k.branch + 11);
	make_branch(&k);
	if (file_exists(g, k.path) && !empty_dir(g, k.path))
		git_die(g, "'%s' already exists", k.arg);
	if (!k.new_branch)
		refuse_used(&k);
	dir = make_dir(&k);
	if (o.lock)
		put_file(g, dir, "locked",
			 o.reason != NULL ? git_format(g->a, "%s\n", o.reason) : "");
	put_file(g, dir, "gitdir", git_format(g->a, "%s/.git\n", k.path));
	put_file(g, dir, "commondir", "../..\n");
	put_file(g, dir, "HEAD",
		 k.branch != NULL ? git_format(g->a, "ref: %s\n", k.branch)
				  : git_format(g->a, "%s\n", oid_hex(g, &k.commit)));
	file_make_dirs(g, k.path);
	put_file(g, k.path, ".git", git_format(g->a, "gitdir: %s\n", dir));
	w = repo_open(g, k.path);
	if (w == NULL)
		git_die(g, "cannot open '%s'", k.path);
	reflog_add(w, "HEAD", &oid_null, &k.commit, "");
	if (o.checkout)
		check_out(&k, w);
	cmd_flush(g->c);
	cmd_chdir(g->c, k.path);
	w->work = k.path;
	return checkout_hook(w, &oid_null, &k.commit, true);
}

/* --- lock, move, remove, prune --- */

static const struct git_option lock_options[] = {
	GIT_STR(0, "reason", struct worktree_opts, reason),
	GIT_END(),
};
static const struct git_option force_options[] = {
	GIT_COUNT('f', "force", struct worktree_opts, force),
	GIT_END(),
};

/* The only operand: a linked worktree, to be locked or unlocked. */
static struct worktree *lockable(struct git *g, struct args *args)
{
	struct worktree *w;

	if (args->argc != 1)
		git_usage(g, worktree_usage);
	w = need_one(g, args->argv[0]);
	if (w->name == NULL)
		git_die(g, "The main working tree cannot be locked or unlocked");
	return w;
}

static int lock(struct git *g, struct args *args)
{
	struct worktree_opts o = { .force = 0 };
	const struct git_parser p = { lock_options, &o, worktree_usage, 0, NULL };
	struct worktree *w;

	git_parse(g, args, &p);
	w = lockable(g, args);
	if (w->locked != NULL && w->locked[0] != '\0')
		git_die(g, "'%s' is already locked, reason: %s", args->argv[0], w->locked);
	if (w->locked != NULL)
		git_die(g, "'%s' is already locked", args->argv[0]);
	put_file(g, w->dir, "locked", o.reason != NULL ? git_format(g->a, "%s\n", o.reason) : "");
	return 0;
}

static int unlock(struct git *g, struct args *args)
{
	struct worktree *w;

	w = lockable(g, args);
	if (w->locked == NULL)
		git_die(g, "'%s' is not locked", args->argv[0]);
	cmd_unlink(g->c, CMD_CWD, path_join(g->a, w->dir, "locked"), 0);
	return 0;
}

static void check_lock(struct git *g, const struct worktree *w, const char *what, int force)
{
	if (force >= 2 || w->locked == NULL)
		return;
	if (w->locked[0] != '\0')
		git_die(g,
			"cannot %s a locked working tree, lock reason: %s\n"
			"use '%s -f -f' to override or unlock first",
			what, w->locked, what);
	git_die(g, "cannot %s a locked working tree;\nuse '%s -f -f' to override or unlock first",
		what, what);
}

static int move(struct git *g, struct args *args)
{
	struct worktree_opts o = { .force = 0 };
	const struct git_parser p = { force_options, &o, worktree_usage, 0, NULL };
	struct worktree *w;
	char *to;
	int err;

	git_parse(g, args, &p);
	if (args->argc != 2)
		git_usage(g, worktree_usage);
	w = need_one(g, args->argv[0]);
	if (w->name == NULL)
		git_die(g, "'%s' is a main working tree", args->argv[0]);
	to = path_normal(g->keep, path_join(g->a, g->start, args->argv[1]));
	if (to != NULL && file_is_dir(g, to))
		to = path_join(g->keep, to, path_base(w->path));
	if (to == NULL || file_exists(g, to))
		git_die(g, "target '%s' already exists", to != NULL ? to : args->argv[1]);
	check_lock(g, w, "move", o.force);
	err = cmd_rename(g->c, CMD_CWD, w->path, CMD_CWD, to, 0);
	if (err < 0)
		git_die_errno(g, err, "failed to move '%s' to '%s'", w->path, to);
	put_file(g, w->dir, "gitdir", git_format(g->a, "%s/.git\n", to));
	return 0;
}

/* Changes and untracked files would be lost with it. */
static bool is_clean(struct git *g, const struct worktree *w)
{
	struct git *other = repo_open(g, w->path);
	struct status_opts so = { .untracked = SHOW_NORMAL, .format = STATUS_SHORT };
	struct status s;
	bool clean;

	if (other == NULL || cmd_chdir(g->c, w->path) < 0)
		return false;
	other->work = w->path;
	other->start = w->path;
	status_collect(other, &s, &so);
	clean = s.staged.n + s.work.n + s.untracked.n + s.unmerged.n == 0;
	cmd_chdir(g->c, g->work != NULL ? g->work : g->start);
	return clean;
}

static void drop(struct git *g, const struct worktree *w)
{
	file_remove_tree(g, w->dir);
	cmd_unlink(g->c, CMD_CWD, path_join(g->a, g->common, "worktrees"), CMD_REMOVEDIR);
}

static int remove_one(struct git *g, struct args *args)
{
	struct worktree_opts o = { .force = 0 };
	const struct git_parser p = { force_options, &o, worktree_usage, 0, NULL };
	struct worktree *w;

	git_parse(g, args, &p);
	if (args->argc != 1)
		git_usage(g, worktree_usage);
	w = need_one(g, args->argv[0]);
	if (w->name == NULL)
		git_die(g, "'%s' is a main working tree", args->argv[0]);
	check_lock(g, w, "remove", o.force);
	if (file_exists(g, w->path)) {
		if (o.force == 0 && !is_clean(g, w))
			git_die(g,
				"'%s' contains modified or untracked files, use --force to delete "
				"it",
				args->argv[0]);
		/* The directory we are in may be among what goes. */
		cmd_chdir(g->c, g->common);
		if (!file_remove_tree(g, w->path))
			git_die(g, "failed to delete '%s'", w->path);
	}
	drop(g, w);
	return 0;
}

static const struct git_option prune_options[] = {
	GIT_FLAG('n', "dry-run", struct worktree_opts, dry_run),
	GIT_FLAG('v', "verbose", struct worktree_opts, verbose),
	GIT_STR(0, "expire", struct worktree_opts, expire),
	GIT_END(),
};

static int prune(struct git *g, struct args *args)
{
	struct worktree_opts o = { .force = 0 };
	const struct git_parser p = { prune_options, &o, worktree_usage, 0, NULL };
	struct worktree *all;
	size_t n;

	git_parse(g, args, &p);
	if (args->argc != 0)
		git_usage(g, worktree_usage);
	n = worktree_list(g, &all);
	for (size_t i = 1; i < n; i++) {
		if (all[i].prunable == NULL)
			continue;
		if (o.dry_run || o.verbose)
			git_say(g, "Removing worktrees/%s: %s\n", all[i].name, all[i].prunable);
		if (!o.dry_run)
			drop(g, &all[i]);
	}
	return 0;
}

/* The .git files of all that are there point here again. */
static int repair(struct git *g, struct args *args)
{
	struct worktree *all;
	size_t n = worktree_list(g, &all);

	if (args->argc != 0)
		git_refuse(g, "worktree repair with a path");
	for (size_t i = 1; i < n; i++) {
		char *text = git_format(g->a, "gitdir: %s\n", all[i].dir);
		char *file = path_join(g->a, all[i].path, ".git");
		struct bytes is;

		if (!file_is_dir(g, all[i].path) ||
		    (file_read(g, g->a, file, &is) == 0 && bytes_is(is, text)))
			continue;
		git_say(g, "repair: .git file broken: %s\n", all[i].path);
		put_file(g, all[i].path, ".git", text);
	}
	return 0;
}

int git_cmd_worktree(struct git *g, struct args *args)
{
	static const struct git_action actions[] = {
		{ "add", add },       { "list", list },     { "lock", lock },
		{ "move", move },     { "prune", prune },   { "remove", remove_one },
		{ "repair", repair }, { "unlock", unlock }, { NULL, NULL },
	};

	return git_run_action(g, args, actions, worktree_usage);
}
