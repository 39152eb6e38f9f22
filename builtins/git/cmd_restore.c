/* SPDX-License-Identifier: MIT
 *
 * git restore, and the part of checkout that is about files; git reset.
 */
#include "builtins/git/patch_mode.h"
#include "builtins/git/checkout.h"
#include "builtins/git/merge.h"

enum { NOT_WRITTEN = 255 }; /* the status where files can't be written */

struct restoring {
	struct git *g;
	struct restore_opts *o;
	struct index *x;
	struct pathspec ps;
	size_t done;
	int status;
};

static void write_stage(struct restoring *r, const char *path, unsigned stage)
{
	bool found;
	size_t i = index_search(r->x, path, stage, &found);

	if (!found) {
		git_error(r->g, "path '%s' does not have %s version", path,
			  stage == 2 ? "our" : "their");
		r->status = 1;
		return;
	}
	if (work_write(r->g, path, r->x->at[i].mode, &r->x->at[i].oid, NULL))
		r->done++;
	else
		r->status = NOT_WRITTEN;
}

static void write_merged(struct restoring *r, const char *path)
{
	struct git *g = r->g;
	struct bytes side[3] = { { "", 0 }, { "", 0 }, { "", 0 } };
	struct merge_text m = { .label = { "ours", "base", "theirs" } };
	uint32_t mode = MODE_FILE;

	for (unsigned k = 1; k <= 3; k++) {
		bool found;
		size_t i = index_search(r->x, path, k, &found);

		if (!found && k > 1) {
			git_error(g, "path '%s' does not have all necessary versions", path);
			r->status = 1;
			return;
		}
		if (!found)
			continue;
		object_read(g, g->a, &r->x->at[i].oid, &side[k - 1]);
		mode = r->x->at[i].mode;
	}
	m.base = side[0];
	m.ours = side[1];
	m.theirs = side[2];
	m.style = merge_style_of(g, r->o->conflict);
	merge_text(g, g->a, &m);
	work_write_bytes(g, path, mode, m.result);
	r->done++;
}

static void restore_unmerged(struct restoring *r, const char *path)
{
	struct git *g = r->g;

	if (r->o->merge)
		write_merged(r, path);
	else if (r->o->stage != 0)
		write_stage(r, path, (unsigned)r->o->stage);
	else if (r->o->force || r->o->ignore_unmerged)
		git_warn(g, "path '%s' is unmerged", path);
	else {
		git_error(g, "path '%s' is unmerged", path);
		r->status = 1;
	}
}

/* Files of the index into the work tree. */
static void from_index(struct restoring *r)
{
	struct git *g = r->g;
	struct vfs_stat st;

	for (size_t i = 0; i < r->x->n; i++) {
		struct entry *e = &r->x->at[i];

		if ((e->xflags & ENTRY_SKIP_WORKTREE) && !r->o->ignore_skip)
			continue;
		if (!pathspec_match(g, &r->ps, e->path, false))
			continue;
		e->xflags &= (uint16_t)~ENTRY_SKIP_WORKTREE;
		if (e->stage != 0) {
			if (i == 0 || strcmp(r->x->at[i - 1].path, e->path) != 0)
				restore_unmerged(r, e->path);
			continue;
		}
		if (e->xflags & ENTRY_INTENT)
			continue;
		if (index_check(g, r->x, e, NULL) == ENTRY_SAME)
			continue;
		/* Also what a sparse work tree leaves out. */
		if (!work_write(g, e->path, e->mode, &e->oid, NULL)) {
			r->status = NOT_WRITTEN;
			continue;
		}
		if (cmd_lstat(g->c, e->path, &st) == 0)
			index_stat(g, e, &st);
		r->x->dirty = true;
		r->done++;
	}
}

/* Files of a tree into the index and (or) the work tree. */
static void from_tree(struct restoring *r)
{
	struct git *g = r->g;
	struct leaves l = { NULL, 0, 0 };
	struct oid tree;
	struct names gone = { NULL, 0, 0 };

	if (!tree_of(g, &r->o->tree, &tree))
		git_die(g, "reference is not a tree: %s", r->o->tree_name);
	tree_flatten(g, g->keep, &tree, &l);
	for (size_t i = 0; !r->o->overlay && i < r->x->n; i++) {
		const char *path = r->x->at[i].path;

		if (pathspec_match(g, &r->ps, path, false) && leaves_find(&l, path) == NULL)
			names_add(g, &gone, path);
	}
	for (size_t i = 0; i < gone.n; i++) {
		if (r->o->worktree)
			work_remove(g, gone.at[i]);
		if (r->o->staged)
			index_remove(r->x, gone.at[i]);
		r->done++;
	}
	for (size_t i = 0; i < l.n; i++) {
		struct leaf *f = &l.at[i];
		struct entry *e;

		if (!pathspec_match(g, &r->ps, f->path, false))
			continue;
		e = index_find(r->x, f->path);
		bool same = e != NULL && e->mode == f->mode && oid_eq(&e->oid, &f->oid);

		if (r->o->staged && !same)
			e = index_put(r->x, f->path, f->mode, &f->oid);
		if (r->o->worktree && !(same && index_check(g, r->x, e, NULL) == ENTRY_SAME)) {
			if (!work_write(g, f->path, f->mode, &f->oid, r->o->staged ? e : NULL))
				r->status = NOT_WRITTEN;
			r->done++;
		} else if (!same) {
			r->done++;
		}
		r->x->dirty = r->x->dirty || r->o->staged;
	}
}

static bool check_paths(struct restoring *r)
{
	bool good = true;

	for (size_t i = 0; i < r->ps.n; i++) {
		const struct pathspec_item *it = &r->ps.at[i];

		if (it->seen || it->exclude)
			continue;
		git_error(r->g, "pathspec '%s' did not match any file(s) known to git",
			  it->original);
		good = false;
	}
	return good;
}

/* Nothing is written unless all operands match something. */
static void look_first(struct restoring *r)
{
	struct git *g = r->g;
	struct leaves l = { NULL, 0, 0 };
	struct oid tree;

	for (size_t i = 0; i < r->x->n; i++)
		if (r->o->ignore_skip || !(r->x->at[i].xflags & ENTRY_SKIP_WORKTREE))
			pathspec_match(g, &r->ps, r->x->at[i].path, false);
	if (!r->o->has_tree || !tree_of(g, &r->o->tree, &tree))
		return;
	if (r->o->overlay)
		for (size_t i = 0; i < r->ps.n; i++)
			r->ps.at[i].seen = false;
	tree_flatten(g, g->keep, &tree, &l);
	for (size_t i = 0; i < l.n; i++)
		pathspec_match(g, &r->ps, l.at[i].path, false);
}

int restore_paths(struct git *g, struct restore_opts *o, char **paths, int n)
{
	struct restoring r = { .g = g, .o = o, .x = index_get(g) };

	pathspec_of(g, paths, n, &r.ps);
	look_first(&r);
	if (!check_paths(&r))
		return 1;
	if (!o->has_tree && o->stage == 0 && !o->merge && !o->force && !o->ignore_unmerged) {
		bool bad = false;

		for (size_t i = 0; i < r.x->n; i++) {
			const struct entry *e = &r.x->at[i];

			if (e->stage == 0 || !pathspec_match(g, &r.ps, e->path, false) ||
			    (i > 0 && strcmp(r.x->at[i - 1].path, e->path) == 0))
				continue;
			git_error(g, "path '%s' is unmerged", e->path);
			bad = true;
		}
		if (bad)
			return 1;
	}
	if (o->has_tree)
		from_tree(&r);
	else
		from_index(&r);
	if (r.x->dirty)
		index_write(g, r.x);
	if (o->checkout && !o->quiet && !o->dashdash) {
		if (o->has_tree)
			git_say(g, "Updated %zu path%s from %s\n", r.done, r.done == 1 ? "" : "s",
				oid_short(g, &o->tree, 0));
		else if (o->stage == 0 && !o->merge)
			git_say(g, "Updated %zu path%s from the index\n", r.done,
				r.done == 1 ? "" : "s");
		else if (o->merge)
			git_say(g, "Recreated %zu merge conflict%s\n", r.done,
				r.done == 1 ? "" : "s");
		else
			git_say(g, "Updated %zu path%s from the index\n", r.done,
				r.done == 1 ? "" : "s");
	}
	struct oid head = oid_null;

	head_oid(g, &head);
	int status = checkout_hook(g, &head, &head, false);

	return r.status != 0 ? r.status : status;
}

/* --- restore --- */

struct restore_args {
	struct restore_opts o;
	const char *source;
	bool progress;
	bool patch;
	struct pathspec_file from;
};

static const struct git_option restore_options[] = {
	GIT_STR('s', "source", struct restore_args, source),
	GIT_FLAG('S', "staged", struct restore_args, o.staged),
	GIT_FLAG('W', "worktree", struct restore_args, o.worktree),
	GIT_FLAG(0, "ignore-unmerged", struct restore_args, o.ignore_unmerged),
	GIT_FLAG(0, "overlay", struct restore_args, o.overlay),
	GIT_FLAG(0, "ignore-skip-worktree-bits", struct restore_args, o.ignore_skip),
	GIT_FLAG('q', "quiet", struct restore_args, o.quiet),
	GIT_FLAG(0, "progress", struct restore_args, progress),
	GIT_FLAG('m', "merge", struct restore_args, o.merge),
	GIT_STR(0, "conflict", struct restore_args, o.conflict),
	GIT_SET('2', "ours", struct restore_args, o.stage, 2),
	GIT_SET('3', "theirs", struct restore_args, o.stage, 3),
	GIT_FLAG('p', "patch", struct restore_args, patch),
	GIT_PATHSPEC_FILE(struct restore_args, from),
	GIT_END(),
};
static const char *const restore_usage[] = {
	"git restore [<options>] [--source=<branch>] <file>...", NULL
};

static int restore_patch(struct git *g, struct restore_args *a, struct args *args)
{
	bool head = a->source != NULL && strcmp(a->source, "HEAD") == 0;
	enum patch_mode mode = PATCH_CHECKOUT_INDEX;
	struct oid tree = oid_empty_tree;

	if (a->o.has_tree && !tree_of(g, &a->o.tree, &tree))
		git_die(g, "could not resolve %s", a->source);
	if (a->o.staged && a->o.worktree)
		mode = head ? PATCH_CHECKOUT_HEAD : PATCH_CHECKOUT_TREE;
	else if (a->o.staged)
		mode = head ? PATCH_UNSTAGE : PATCH_RESET;
	else if (a->source != NULL)
		mode = head ? PATCH_WORK_HEAD : PATCH_WORK_TREE;
	return patch_mode(g, mode, &tree, args->argv, args->argc);
}

int git_cmd_restore(struct git *g, struct args *args)
{
	struct restore_args a = { .source = NULL };
	const struct git_parser p = { restore_options, &a, restore_usage, 0, NULL };

	git_parse(g, args, &p);
	if (a.from.name != NULL && a.patch)
		git_die(g, "options '%s' and '%s' cannot be used together", "--pathspec-from-file",
			"--patch");
	pathspec_from_file(g, &a.from, args, false);
	if (args->argc == 0 && !a.patch)
		git_die(g, "you must specify path(s) to restore");
	if (!a.o.staged)
		a.o.worktree = true;
	if (a.o.staged && a.source == NULL) {
		struct oid head;

		a.source = "HEAD";
		if (!head_oid(g, &head)) {
			a.o.tree = oid_empty_tree;
			a.o.has_tree = true;
		}
	}
	if (a.source != NULL && !a.o.has_tree) {
		if (rev_parse(g, a.source, &a.o.tree) < 0)
			git_die(g,
				strcmp(a.source, "HEAD") == 0 ? "could not resolve %s"
							      : "could not resolve %s",
				a.source);
		a.o.has_tree = true;
		a.o.tree_name = a.source;
	}
	if (a.o.staged && (a.o.stage != 0 || a.o.merge))
		git_die(g, "'%s' or '%s' cannot be used with %s", "--ours/--theirs", "--merge",
			"--staged");
	if (a.patch)
		return restore_patch(g, &a, args);
	return restore_paths(g, &a.o, args->argv, args->argc);
}

/* --- reset --- */

enum reset_mode { RESET_NONE, RESET_SOFT, RESET_MIXED, RESET_HARD, RESET_MERGE, RESET_KEEP };

struct reset_args {
	bool quiet;
	bool intent;
	bool patch;
	int mode;
	bool refresh;
	struct pathspec_file from;
};

static const struct git_option reset_options[] = {
	GIT_FLAG('q', "quiet", struct reset_args, quiet),
	GIT_FLAG(0, "refresh", struct reset_args, refresh),
	GIT_SET(0, "mixed", struct reset_args, mode, RESET_MIXED),
	GIT_SET(0, "soft", struct reset_args, mode, RESET_SOFT),
	GIT_SET(0, "hard", struct reset_args, mode, RESET_HARD),
	GIT_SET(0, "merge", struct reset_args, mode, RESET_MERGE),
	GIT_SET(0, "keep", struct reset_args, mode, RESET_KEEP),
	GIT_FLAG('p', "patch", struct reset_args, patch),
	GIT_PATHSPEC_FILE(struct reset_args, from),
	GIT_FLAG('N', "intent-to-add", struct reset_args, intent),
	GIT_END(),
};
static const char *const reset_usage[] = {
	"git reset [--mixed | --soft | --hard | --merge | --keep] [-q] [<commit>]",
	"git reset [-q] [<tree-ish>] [--] <pathspec>...",
	"git reset [-q] [--pathspec-from-file [--pathspec-file-nul]] [<tree-ish>]",
	"git reset --patch [<tree-ish>] [--] [<pathspec>...]", NULL
};

static void show_unstaged(struct git *g)
{
	struct diff_opts o;
	struct diff_queue q = { NULL, 0, 0, { NULL, 0, 0 } };
	struct buf b = buf_in(g->a);

	diff_init(g, &o);
	o.renames = 0;
	diff_settle(g, &o);
	diff_work(g, &o, &q);
	diff_finish(g, &o, &q);
	if (q.n != 0)
		buf_puts(&b, "Unstaged changes after reset:\n");
	for (size_t i = 0; i < q.n; i++)
		buf_printf(&b, "%c\t%s\n", q.at[i].status, git_quoted(g, q.at[i].two->path));
	cmd_bytes(g->c, buf_bytes(&b));
}

static int reset_paths(struct git *g, const struct reset_args *a, const struct oid *tree,
		       char **paths, int n)
{
	struct index *x = index_get(g);
	struct pathspec ps;
	struct leaves l = { NULL, 0, 0 };
	struct names gone = { NULL, 0, 0 };

	pathspec_of(g, paths, n, &ps);
	tree_flatten(g, g->keep, tree, &l);
	for (size_t i = 0; i < x->n; i++)
		if (pathspec_match(g, &ps, x->at[i].path, false) &&
		    leaves_find(&l, x->at[i].path) == NULL)
			names_add(g, &gone, x->at[i].path);
	for (size_t i = 0; i < gone.n; i++)
		index_remove(x, gone.at[i]);
	for (size_t i = 0; i < l.n; i++) {
		struct entry *e;

		if (!pathspec_match(g, &ps, l.at[i].path, false))
			continue;
		e = index_find(x, l.at[i].path);
		if (e == NULL || e->mode != l.at[i].mode || !oid_eq(&e->oid, &l.at[i].oid))
			index_put(x, l.at[i].path, l.at[i].mode, &l.at[i].oid);
	}
	if (!a->quiet && a->refresh)
		show_unstaged(g);
	index_write(g, x);
	return 0;
}

static bool reset_tree(struct git *g, const struct reset_args *a, const struct oid *old_tree,
		       const struct oid *tree, const char *rev)
{
	struct index *x = index_get(g);
	struct switch_opts so = { .action = "reset" };

	switch (a->mode) {
	case RESET_SOFT: return true;
	case RESET_HARD:
		if (!work_reset(g, tree))
			git_die(g, "Could not reset index file to revision '%s'.", rev);
		break;
	case RESET_KEEP:
	case RESET_MERGE:
		if (a->mode == RESET_MERGE) {
			work_reset_index(g, tree);
			break;
		}
		if (!work_switch(g, old_tree, tree, &so)) {
			git_die(g, "Could not reset index file to revision '%s'.", "HEAD");
			return false;
		}
		index_read_tree(g, x, tree);
		break;
	default: index_read_tree(g, x, tree); break;
	}
	if (a->mode == RESET_MIXED && !g->bare && !a->quiet && a->refresh)
		show_unstaged(g);
	else if (a->mode == RESET_MIXED)
		for (size_t i = 0; i < x->n; i++)
			index_check(g, x, &x->at[i], NULL);
	index_write(g, x);
	return true;
}

/* Operands: [rev] [--] paths. */
static const char *split_operands(struct git *g, struct args *args, int *from)
{
	const char *rev = "HEAD";
	struct oid o;

	*from = 0;
	if (args->argc == 0)
		return rev;
	if (strcmp(args->argv[0], "--") == 0) {
		*from = 1;
		return rev;
	}
	if (args->argc > 1 && strcmp(args->argv[1], "--") == 0) {
		*from = 2;
		return args->argv[0];
	}
	if (rev_parse(g, args->argv[0], &o) == 0) {
		rev_check_not_path(g, args->argv[0]);
		*from = 1;
		return args->argv[0];
	}
	rev_check_path(g, args->argv[0], true);
	return rev;
}

int git_cmd_reset(struct git *g, struct args *args)
{
	struct reset_args a = { .refresh = true };
	const struct git_parser p = { reset_options, &a, reset_usage, GIT_KEEP_DASHDASH, NULL };
	struct oid o, tree, old, old_tree = oid_empty_tree;
	const char *rev;
	bool had, unborn;
	int from;

	git_parse(g, args, &p);
	if (a.from.name != NULL && a.patch)
		git_die(g, "options '%s' and '%s' cannot be used together", "--pathspec-from-file",
			"--patch");
	pathspec_from_file(g, &a.from, args, true);
	a.quiet = a.quiet || config_bool(g, "reset.quiet", false);
	rev = split_operands(g, args, &from);
	had = head_oid(g, &old);
	unborn = strcmp(rev, "HEAD") == 0 && !had;
	if (unborn) {
		tree = oid_empty_tree;
		o = oid_null;
	} else if (from < args->argc) {
		if (rev_parse(g, rev, &o) < 0 || !tree_of(g, &o, &tree))
			git_die(g, "Failed to resolve '%s' as a valid tree.", rev);
	} else if (rev_commit(g, rev, &o) < 0 || !tree_of(g, &o, &tree)) {
		git_die(g, "Failed to resolve '%s' as a valid revision.", rev);
	}
	if (a.patch) {
		if (a.mode != RESET_NONE)
			git_die(g, "options '%s' and '%s' cannot be used together", "--patch",
				"--{hard,mixed,soft}");
		return patch_mode(g, strcmp(rev, "HEAD") == 0 ? PATCH_UNSTAGE : PATCH_RESET, &tree,
				  args->argv + from, args->argc - from);
	}
	if (from < args->argc) {
		if (a.mode != RESET_NONE && a.mode != RESET_MIXED)
			git_die(g, "Cannot do %s reset with paths.",
				a.mode == RESET_SOFT    ? "soft"
				: a.mode == RESET_HARD  ? "hard"
				: a.mode == RESET_MERGE ? "merge"
							: "keep");
		return reset_paths(g, &a, &tree, args->argv + from, args->argc - from);
	}
	if (a.mode == RESET_NONE)
		a.mode = RESET_MIXED;
	if (a.mode != RESET_SOFT && a.mode != RESET_MIXED)
		repo_need_work(g);
	if (a.mode == RESET_MIXED && g->bare)
		git_die(g, "%s reset is not allowed in a bare repository", "mixed");
	if (a.mode == RESET_SOFT && (merge_in_progress(g) || index_unmerged(index_get(g))))
		git_die(g, "Cannot do a %s reset in the middle of a merge.", "soft");
	if (had)
		tree_of(g, &old, &old_tree);
	if (!reset_tree(g, &a, &old_tree, &tree, rev))
		return 1;
	if (unborn)
		return 0;
	ref_update(g, "ORIG_HEAD", had ? &old : &o, NULL, NULL, true);
	ref_update(g, "HEAD", &o, NULL,
		   git_format(g->a, "%s: moving to %s",
			      g->reflog_action != NULL ? g->reflog_action : "reset", rev),
		   false);
	if (a.mode == RESET_HARD && !a.quiet) {
		struct commit_text t;
		struct bytes s;

		commit_text(g, g->a, &o, &t);
		s = message_subject(g->a, t.message);
		git_printf(g, "HEAD is now at %s %.*s\n", oid_short(g, &o, 0), (int)s.len, s.ptr);
	}
	state_clear_merge(g);
	return 0;
}
