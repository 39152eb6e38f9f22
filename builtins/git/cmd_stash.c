/* SPDX-License-Identifier: MIT
 *
 * git stash: a commit of the work tree with the index as its second parent (and untracked files
 * as its third), kept in the log of refs/stash.
 */
#include "builtins/git/patch_mode.h"
#include "builtins/git/rerere.h"
#include "builtins/git/sequence.h"

struct stash_opts {
	bool silent; /* nothing is said of what becomes of files */
	bool keep_index, untracked, all, quiet, index, staged, no_keep, patch;
	struct pathspec_file from;
	const char *message;
};

static const struct git_option push_options[] = {
	GIT_PATHSPEC_FILE(struct stash_opts, from),
	GIT_FLAG('k', "keep-index", struct stash_opts, keep_index),
	GIT_FLAG('S', "staged", struct stash_opts, staged),
	GIT_FLAG('p', "patch", struct stash_opts, patch),
	GIT_FLAG('q', "quiet", struct stash_opts, quiet),
	GIT_FLAG('u', "include-untracked", struct stash_opts, untracked),
	GIT_FLAG('a', "all", struct stash_opts, all),
	GIT_STR('m', "message", struct stash_opts, message),
	GIT_END(),
};
static const struct git_option pop_options[] = {
	GIT_FLAG('q', "quiet", struct stash_opts, quiet),
	GIT_FLAG(0, "index", struct stash_opts, index),
	GIT_END(),
};
static const char *const stash_usage[] = {
	"git stash list [<log-options>]",
	"git stash show [-u | --include-untracked | --only-untracked] [<diff-options>] [<stash>]",
	"git stash drop [-q | --quiet] [<stash>]",
	"git stash (pop | apply) [--index] [-q | --quiet] [<stash>]",
	"git stash branch <branchname> [<stash>]",
	"git stash [push [-p | --patch] [-S | --staged] [-k | --[no-]keep-index] [-q | --quiet]\n"
	"          [-u | --include-untracked] [-a | --all] [(-m | --message) <message>]\n"
	"          [--pathspec-from-file=<file> [--pathspec-file-nul]]\n"
	"          [--] [<pathspec>...]]",
	"git stash save [-p | --patch] [-S | --staged] [-k | --[no-]keep-index] [-q | --quiet]\n"
	"          [-u | --include-untracked] [-a | --all] [<message>]",
	"git stash clear",
	"git stash create [<message>]",
	"git stash store [(-m | --message) <message>] [-q | --quiet] <commit>",
	NULL
};

/* --- making one --- */

struct making {
	struct git *g;
	struct stash_opts *o;
	struct pathspec ps;
	struct oid head, index_commit, untracked_commit, work_commit;
	struct oid index_tree, work_tree, head_tree;
	struct names untracked;
	struct bytes patch; /* of --patch: what there is to ask about */
	bool has_untracked;
	char *message;
};

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct leaf *)a)->path, ((const struct leaf *)b)->path);
}

/* The file can't be read: nothing is put away, and nothing removed. */
static _Noreturn void cannot_save(struct making *k, const char *path, const char *what)
{
	struct git *g = k->g;
	int err = cmd_access(g->c, CMD_CWD, path, 4);

	git_error(g, "open(\"%s\"): %s", path, err_text(err < 0 ? err : -E_IO));
	git_say(g, "fatal: Unable to process path %s\nCannot save the %s\n", path, what);
	git_exit(g, 1);
}

/* Files of HEAD that only the index has let go of are still work. */
static bool add_dropped(struct making *k, struct leaves *l)
{
	struct git *g = k->g;
	struct leaves head = { NULL, 0, 0 };
	bool any = false;

	tree_flatten(g, g->keep, &k->head_tree, &head);
	for (size_t i = 0; i < head.n; i++) {
		struct leaf f = head.at[i];
		struct vfs_stat st;

		if (index_has(index_get(g), f.path) || !pathspec_match(g, &k->ps, f.path, false) ||
		    cmd_lstat(g->c, f.path, &st) < 0 || (st.mode & S_FMT) == S_DIR)
			continue;
		f.mode = work_mode(g, &st, NULL);
		if (work_hash(g, f.path, f.mode, true, &f.oid) < 0)
			cannot_save(k, f.path, "current worktree state");
		LIST_ROOM(g, l->at, l->n, l->cap);
		l->at[l->n++] = f;
		any = true;
	}
	if (any)
		git_sort(g, l->at, l->n, sizeof(*l->at), by_path);
	return any;
}

static bool write_work_tree(struct making *k)
{
	struct git *g = k->g;
	struct index *x = index_get(g);
	struct leaves l = { NULL, 0, 0 };
	bool changed = false;

	for (size_t i = 0; i < x->n; i++) {
		struct entry *e = &x->at[i];
		struct leaf f = { e->path, e->mode, e->oid };
		enum entry_state state;

		/* Submodules are left as they are. */
		if (e->mode != MODE_GITLINK && pathspec_match(g, &k->ps, e->path, false)) {
			struct vfs_stat st;

			state = index_check(g, x, e, &st);
			changed = changed || state != ENTRY_SAME;
			if (state == ENTRY_MISSING)
				continue;
			if (state != ENTRY_SAME) {
				f.mode = work_mode(g, &st, e);
				if (work_hash(g, e->path, f.mode, true, &f.oid) < 0)
					cannot_save(k, e->path, "current worktree state");
			}
		}
		LIST_ROOM(g, l.at, l.n, l.cap);
		l.at[l.n++] = f;
	}
	changed = add_dropped(k, &l) || changed;
	tree_write_leaves(g, &l, &k->work_tree);
	return changed;
}

static void find_untracked(struct making *k)
{
	if (!k->o->untracked && !k->o->all)
		return;
	work_untracked(k->g, index_get(k->g),
		       UNTRACKED_ALL | (k->o->all ? UNTRACKED_EVERYTHING : 0u), &k->ps,
		       &k->untracked, NULL);
	k->has_untracked = k->untracked.n != 0;
}

/* Another repository is listed as a directory, and stays. */
static bool is_repository(const char *path)
{
	return path[strlen(path) - 1] == '/';
}

static void write_untracked(struct making *k, const char *tail)
{
	struct git *g = k->g;
	struct leaves l = { NULL, 0, 0 };
	struct oid tree;

	for (size_t i = 0; i < k->untracked.n; i++) {
		struct leaf f = { .path = k->untracked.at[i] };
		struct vfs_stat st;

		if (is_repository(f.path)) {
			git_say(g, "Ignoring path %s\n", f.path);
			continue;
		}
		if (cmd_lstat(g->c, f.path, &st) < 0)
			continue;
		f.mode = work_mode(g, &st, NULL);
		if (work_hash(g, f.path, f.mode, true, &f.oid) < 0)
			cannot_save(k, f.path, "untracked files");
		LIST_ROOM(g, l.at, l.n, l.cap);
		l.at[l.n++] = f;
	}
	tree_write_leaves(g, &l, &tree);
	commit_write(g, &tree, NULL, 0, NULL,
		     bytes_of(git_format(g->a, "untracked files on %s\n", tail)),
		     &k->untracked_commit);
}

/* The commits of a stash, once its trees are known. */
static void make_commits(struct making *k)
{
	struct git *g = k->g;
	char *branch = head_ref(g);
	struct commit_text t;
	struct oid parents[3];
	char *tail;

	commit_text(g, g->a, &k->head, &t);
	struct bytes subject = message_subject(g->a, t.message);

	tail = git_format(g->a, "%s: %s %.*s",
			  branch != NULL ? ref_short(g, branch) : "(no branch)",
			  oid_short(g, &k->head, 0), (int)subject.len, subject.ptr);
	commit_write(g, &k->index_tree, &k->head, 1, NULL,
		     bytes_of(git_format(g->a, "index on %s\n", tail)), &k->index_commit);
	if (k->has_untracked)
		write_untracked(k, tail);
	parents[0] = k->head;
	parents[1] = k->index_commit;
	parents[2] = k->untracked_commit;
	k->message = k->o->message != NULL && k->o->message[0] != '\0'
			     ? git_format(g->keep, "On %s: %s",
					  branch != NULL ? ref_short(g, branch) : "(no branch)",
					  k->o->message)
			     : git_format(g->keep, "WIP on %s", tail);
	commit_write(g, &k->work_tree, parents, k->has_untracked ? 3 : 2, NULL,
		     bytes_of(k->message), &k->work_commit);
}

/* Submodules do not count. */
static bool has_staged(struct making *k)
{
	struct diff_opts o = { .submodules_asked = SUBMODULE_IGNORE_ALL };
	struct diff_queue q = { .at = NULL };

	diff_cached(k->g, &o, &k->head_tree, &q);
	for (size_t i = 0; i < q.n; i++)
		if (pathspec_match(k->g, &k->ps, q.at[i].two->path, false))
			return true;
	return false;
}

/* False: there is nothing to save. */
static bool make_stash(struct making *k)
{
	struct git *g = k->g;
	bool staged, changed;

	if (!head_oid(g, &k->head)) {
		git_say(g, "You do not have the initial commit yet\n");
		git_exit(g, 1);
	}
	tree_of(g, &k->head, &k->head_tree);
	if (index_put_unmerged(g, index_get(g)))
		git_exit(g, 1);
	if (!tree_write_index(g, index_get(g), false, &k->index_tree)) {
		git_error(g, "could not write index");
		git_exit(g, 1);
	}
	changed = write_work_tree(k);
	find_untracked(k);
	staged = has_staged(k);
	if (!changed && !staged && !k->has_untracked)
		return false;
	make_commits(k);
	return true;
}

static void store(struct git *g, const struct oid *o, const char *message)
{
	struct oid before = oid_null;
	bool first = ref_read(g, "refs/stash", &before, NULL) < 0;

	if (first)
		before = oid_null;
	ref_update(g, "refs/stash", o, NULL, NULL, true);
	reflog_add(g, "refs/stash", &before, o, message);
}

/* False after a message: files can't be removed or written. */
static bool clean_work(struct making *k)
{
	struct git *g = k->g;
	struct index *x = index_get(g);
	bool all = true;

	for (size_t i = 0; i < k->untracked.n; i++) {
		const char *path = k->untracked.at[i];
		int err = is_repository(path) ? 0 : work_remove(g, path);

		if (err < 0)
			git_warn(g, "failed to remove %s: %s", path, err_text(err));
		all = all && err == 0;
	}
	if (!all)
		return false;
	if (k->ps.n != 0) {
		struct leaves l = { NULL, 0, 0 };
		struct names gone = { NULL, 0, 0 };

		tree_flatten(g, g->keep, &k->head_tree, &l);
		for (size_t i = 0; i < x->n; i++)
			if (pathspec_match(g, &k->ps, x->at[i].path, false) &&
			    leaves_find(&l, x->at[i].path) == NULL)
				names_add(g, &gone, x->at[i].path);
		for (size_t i = 0; i < gone.n; i++) {
			work_remove(g, gone.at[i]);
			index_remove(x, gone.at[i]);
		}
		for (size_t i = 0; i < l.n; i++)
			if (pathspec_match(g, &k->ps, l.at[i].path, false))
				work_write(g, l.at[i].path, l.at[i].mode, &l.at[i].oid,
					   index_put(x, l.at[i].path, l.at[i].mode, &l.at[i].oid));
	} else {
		if (!work_reset(g, &k->head_tree)) {
			git_say(g, "fatal: Could not reset index file to revision 'HEAD'.\n");
			return false;
		}
		ref_update(g, "ORIG_HEAD", &k->head, NULL, NULL, true);
		reflog_add(g, "HEAD", &k->head, &k->head, "reset: moving to HEAD");
		state_clear(g);
	}
	if (k->o->keep_index) {
		static const struct switch_opts so = { .force = true };

		work_switch(g, NULL, &k->index_tree, &so);
	}
	index_write(g, x);
	return true;
}

/* The tree of HEAD with those changes of the files that were answered with yes. */
static void choose(struct making *k, struct args *args)
{
	struct git *g = k->g;
	struct index *real = index_get(g);
	struct index *chosen = index_new(g);

	index_read_tree(g, chosen, &k->head_tree);
	chosen->unsaved = true;
	k->patch = patch_difference(g, PATCH_STASH, &k->head_tree, args->argv, args->argc);
	g->index = chosen;
	patch_ask(g, PATCH_STASH, k->patch);
	tree_write_index(g, chosen, false, &k->work_tree);
	g->index = real;
}

static struct bytes patch_between(struct git *g, const struct oid *a, const struct oid *b)
{
	struct diff_opts d;
	struct diff_queue q = { .at = NULL };
	struct buf out = buf_in(g->keep);

	diff_init(g, &d);
	d.format = DIFF_PATCH;
	d.binary = true;
	d.color = 0;
	diff_settle(g, &d);
	d.renames = 0;
	diff_trees(g, &d, a, b, &q);
	diff_finish(g, &d, &q);
	for (size_t i = 0; i < q.n; i++)
		diff_patch(g, &d, &q.at[i], &out);
	return (struct bytes){ buf_cstr(&out), out.len };
}

/* --patch, --staged: what is put away leaves the files, the rest stays. */
static int push_part(struct git *g, struct stash_opts *o, struct args *args)
{
	struct making k = { .g = g, .o = o };
	struct bytes patch;
	bool good;

	if (!head_oid(g, &k.head)) {
		git_say(g, "You do not have the initial commit yet\n");
		return 1;
	}
	tree_of(g, &k.head, &k.head_tree);
	if (!tree_write_index(g, index_get(g), false, &k.index_tree)) {
		git_error(g, "could not write index");
		return 1;
	}
	if (!pick_unstaged_changes(g) && !pick_staged_changes(g)) {
		if (!o->quiet)
			git_printf(g, "No local changes to save\n");
		return 0;
	}
	if (o->patch)
		choose(&k, args);
	else
		k.work_tree = k.index_tree;
	if (oid_eq(&k.work_tree, &k.head_tree)) {
		if (!o->quiet)
			git_say(g, o->patch ? "No changes selected\n" : "No staged changes\n");
		return 1;
	}
	patch = patch_between(g, &k.head_tree, &k.work_tree);
	make_commits(&k);
	store(g, &k.work_commit, k.message);
	if (!o->quiet)
		git_printf(g, "Saved working directory and index state %s\n", k.message);
	good = apply_text(g, patch, APPLY_REVERSE);
	if (o->staged)
		good = apply_text(g, patch, APPLY_REVERSE | APPLY_CACHED) && good;
	reflog_add(g, "HEAD", &k.head, &k.head, "reset: moving to HEAD");
	if (!good)
		git_say(g, "Cannot remove worktree changes\n");
	return good ? 0 : 1;
}

/* Whether the index has something for each of the paths; says which it has not. */
static bool paths_known(struct git *g, struct pathspec *ps)
{
	struct index *x = index_get(g);
	bool good = true;

	for (size_t i = 0; i < x->n; i++)
		pathspec_match(g, ps, x->at[i].path, false);
	for (size_t i = 0; i < ps->n; i++) {
		if (ps->at[i].seen || ps->at[i].exclude)
			continue;
		git_error(g, "pathspec ':(,prefix:%zu)%s' did not match any file(s) known to git",
			  strlen(g->prefix), ps->at[i].match);
		good = false;
	}
	if (!good)
		git_say(g, "Did you forget to 'git add'?\n");
	return good;
}

static int push(struct git *g, struct stash_opts *o, struct args *args)
{
	struct making k = { .g = g, .o = o };

	if (o->patch && (o->untracked || o->all))
		git_die(g, "Can't use --patch and --include-untracked or --all at the same time");
	if (o->from.name != NULL && o->patch)
		git_die(g, "options '%s' and '%s' cannot be used together", "--pathspec-from-file",
			"--patch");
	pathspec_from_file(g, &o->from, args, false);
	if (o->patch || o->staged)
		return push_part(g, o, args);
	pathspec_of(g, args->argv, args->argc, &k.ps);
	if (!o->untracked && !o->all && !paths_known(g, &k.ps))
		return 1;
	if (!make_stash(&k)) {
		if (!o->quiet)
			git_printf(g, "No local changes to save\n");
		return 0;
	}
	store(g, &k.work_commit, k.message);
	if (!o->quiet)
		git_printf(g, "Saved working directory and index state %s\n", k.message);
	return clean_work(&k) ? 0 : 1;
}

/* --- using one --- */

struct stash {
	struct oid work, base, index, untracked;
	struct oid work_tree, base_tree, index_tree, untracked_tree;
	bool has_untracked;
	int64_t number; /* -1: not of the log */
	const char *name;
};

/* "stash@{2}": its number. */
static bool stash_number(struct git *g, const char *arg, int64_t *n)
{
	const char *open = strstr(arg, "@{");

	return open != NULL &&
	       (strncmp(arg, "stash@", 6) == 0 || strncmp(arg, "refs/stash@", 11) == 0) &&
	       git_number(git_format(g->a, "%.*s", (int)strcspn(open + 2, "}"), open + 2), n) &&
	       *n >= 0;
}

static void find_stash(struct git *g, const char *arg, struct stash *s)
{
	int64_t n = 0;
	struct commit *c;
	struct reflog_entry *log;

	*s = (struct stash){ .number = 0, .name = "refs/stash@{0}" };
	if (arg == NULL && !ref_exists(g, "refs/stash")) {
		git_say(g, "No stash entries found.\n");
		git_exit(g, 1);
	}
	bool named = arg != NULL;

	if (!named)
		arg = "stash@{0}";
	bool number = git_number(arg, &n) && n >= 0;

	if (number)
		arg = git_format(g->keep, "stash@{%s}", arg);
	if (stash_number(g, arg, &n)) {
		size_t count = reflog_read(g, "refs/stash", &log);

		s->number = n;
		if (named)
			s->name = git_format(g->keep, "%s", arg);
		if ((uint64_t)n >= count) {
			if (count == 0) {
				git_error(g, "%s is not a valid reference", arg);
				git_exit(g, 1);
			}
			git_die(g, "log for '%s' only has %zu entries",
				number ? "refs/stash" : "stash", count);
		}
		s->work = log[count - 1 - (size_t)n].after;
	} else {
		s->number = -1;
		if (rev_commit(g, arg, &s->work) < 0) {
			git_error(g, "%s is not a valid reference", arg);
			git_exit(g, 1);
		}
	}
	c = commit_at(g, &s->work);
	if (!commit_load(g, c) || c->nparents < 2)
		git_die(g, "'%s%s' is not a stash-like commit", !named || number ? "refs/" : "",
			arg);
	s->base = c->parent[0]->oid;
	s->index = c->parent[1]->oid;
	s->work_tree = c->tree;
	tree_of(g, &s->base, &s->base_tree);
	tree_of(g, &s->index, &s->index_tree);
	s->has_untracked = c->nparents > 2;
	if (s->has_untracked)
		tree_of(g, &c->parent[2]->oid, &s->untracked_tree);
}

static void drop_entry(struct git *g, const struct stash *s, bool quiet)
{
	struct reflog_entry *log;
	size_t n = reflog_read(g, "refs/stash", &log);
	size_t at;

	if (s->number < 0 || (uint64_t)s->number >= n)
		return;
	at = n - 1 - (size_t)s->number;
	if (at + 1 < n)
		log[at + 1].before = at > 0 ? log[at - 1].after : oid_null;
	memmove(log + at, log + at + 1, (n - at - 1) * sizeof(*log));
	if (n == 1) {
		ref_delete(g, "refs/stash");
	} else {
		reflog_write(g, "refs/stash", log, n - 1);
		ref_update(g, "refs/stash", &log[n - 2].after, NULL, NULL, true);
	}
	if (!quiet)
		git_printf(g, "Dropped %s (%s)\n", s->name, oid_hex(g, &s->work));
}

static bool restore_untracked(struct git *g, const struct stash *s)
{
	struct leaves l = { NULL, 0, 0 };
	const char *in_the_way = NULL;
	bool good = true;

	if (!s->has_untracked)
		return true;
	tree_flatten(g, g->keep, &s->untracked_tree, &l);
	for (size_t i = 0; i < l.n; i++)
		if (work_in_the_way(g, l.at[i].path) == NULL && file_exists(g, l.at[i].path)) {
			git_say(g, "%s already exists, no checkout\n", l.at[i].path);
			good = false;
		}
	for (size_t i = 0; i < l.n && in_the_way == NULL; i++) {
		in_the_way = work_in_the_way(g, l.at[i].path);
		if (in_the_way == NULL && !file_exists(g, l.at[i].path))
			work_write(g, l.at[i].path, l.at[i].mode, &l.at[i].oid, NULL);
	}
	if (in_the_way != NULL)
		git_say(g, "fatal: cannot create directory at '%s': File exists\n", in_the_way);
	good = good && in_the_way == NULL;
	if (!good)
		git_error(g, "could not restore untracked files from stash");
	return good;
}

/* Whether path is a directory of the index, or one of its directories is a file there. */
static bool is_file_and_directory(struct git *g, struct index *x, const char *path)
{
	size_t len = strlen(path);
	char *part = arena_dup(g->a, (struct bytes){ path, len });

	for (size_t i = len; i-- > 0;)
		if (part[i] == '/') {
			part[i] = '\0';
			if (index_find(x, part) != NULL)
				return true;
		}
	return index_has_dir(x, path, len);
}

/* Index entries become those of HEAD again, but for files that HEAD has not. */
static void unstage(struct git *g, const struct oid *head_tree)
{
	struct index *x = index_get(g);
	struct leaves l = { NULL, 0, 0 };

	tree_flatten(g, g->keep, head_tree, &l);
	for (size_t i = 0; i < l.n; i++) {
		struct entry *e = index_find(x, l.at[i].path);

		if (e != NULL && e->mode == l.at[i].mode && oid_eq(&e->oid, &l.at[i].oid))
			continue;
		/* What changed has no other place than the file. */
		if (e != NULL && (e->xflags & ENTRY_SKIP_WORKTREE))
			work_write(g, e->path, e->mode, &e->oid, NULL);
		if (e == NULL && is_file_and_directory(g, x, l.at[i].path))
			git_error(g, "'%s' appears as both a file and as a directory",
				  l.at[i].path);
		else
			index_put(x, l.at[i].path, l.at[i].mode, &l.at[i].oid);
	}
	index_write(g, x);
}

static void show_status(struct git *g, const struct stash_opts *o)
{
	struct status st;
	struct status_opts so = { .untracked = -1 };
	struct buf out = buf_in(g->a);

	if (o->quiet)
		return;
	g->index = NULL;
	status_collect(g, &st, &so);
	status_put(&st, &out);
	cmd_bytes(g->c, buf_bytes(&out));
}

/* The index as it was put away, over what it is now. False after a message. */
static bool index_again(struct git *g, const struct stash *s, const struct oid *now,
			const struct oid *head, struct oid *out)
{
	struct index *x = index_get(g);

	if (!apply_text(g, patch_between(g, &s->base_tree, &s->index_tree), APPLY_CACHED)) {
		git_error(g, "conflicts in index. Try without --index.");
		return false;
	}
	if (!tree_write_index(g, index_get(g), false, out))
		return false;
	index_read_tree(g, x, now);
	index_write(g, x);
	reflog_add(g, "HEAD", head, head, "reset: moving to HEAD");
	return true;
}

static int apply(struct git *g, const struct stash *s, const struct stash_opts *o)
{
	struct merging m = { .g = g,
			     .ours = "Updated upstream",
			     .theirs = "Stashed changes",
			     .base = "Stash base",
			     .style = merge_style_of(g, NULL) };
	struct oid now, head = oid_null, index_tree;
	struct index *x = index_get(g);
	bool has_index = o->index && !oid_eq(&s->index_tree, &s->base_tree);

	if (index_unmerged(x)) {
		git_error(g, "could not write index");
		git_exit(g, 1);
	}
	if (!tree_write_index(g, x, false, &now))
		return 1;
	head_oid(g, &head);
	has_index = has_index && !oid_eq(&s->index_tree, &now);
	if (has_index && !index_again(g, s, &now, &head, &index_tree))
		return 1;
	merge_trees(&m, &s->base_tree, &now, &s->work_tree);
	bool merged = merge_apply(&m, &now, "merge");

	if (merged && oid_eq(&s->base_tree, &s->work_tree))
		git_printf(g, "Already up to date.\n");
	if (merged && !o->silent && (!o->quiet || !m.clean))
		cmd_bytes(g->c, buf_bytes(&m.messages));
	cmd_flush(g->c);
	if (!merged || !m.clean) {
		rerere_run(g);
		if (o->index)
			git_say(g, "Index was not unstashed.\n");
	} else if (has_index) {
		index_read_tree(g, x, &index_tree);
		index_write(g, x);
	} else {
		unstage(g, &now);
	}
	cmd_flush(g->c);
	bool restored = restore_untracked(g, s);

	show_status(g, o);
	return merged && m.clean && restored ? 0 : 1;
}

static int list(struct git *g, struct args *args)
{
	char *argv[64];
	int n = 0;

	if (!ref_exists(g, "refs/stash"))
		return 0;
	argv[n++] = arena_dup(g->keep, BYTES("log"));
	argv[n++] = arena_dup(g->keep, BYTES("--format=%gd: %gs"));
	argv[n++] = arena_dup(g->keep, BYTES("-g"));
	argv[n++] = arena_dup(g->keep, BYTES("--first-parent"));
	for (int i = 0; i < args->argc && n < 60; i++)
		argv[n++] = args->argv[i];
	argv[n++] = arena_dup(g->keep, BYTES("stash"));
	argv[n++] = arena_dup(g->keep, BYTES("--"));
	argv[n] = NULL;
	return git_run(g, n, argv);
}

enum shown { STASH_TRACKED, STASH_ALL, STASH_UNTRACKED };

static bool show_option(const char *arg, enum shown *shown)
{
	if (strcmp(arg, "-u") == 0 || strcmp(arg, "--include-untracked") == 0)
		*shown = STASH_ALL;
	else if (strcmp(arg, "--only-untracked") == 0)
		*shown = STASH_UNTRACKED;
	else if (strcmp(arg, "--no-include-untracked") == 0 ||
		 strcmp(arg, "--no-only-untracked") == 0)
		*shown = STASH_TRACKED;
	else
		return false;
	return true;
}

static int pairs_by_path(const void *a, const void *b)
{
	const struct diff_pair *x = a;
	const struct diff_pair *y = b;

	return strcmp(x->two->path, y->two->path);
}

/* The files of the stash, which no path can have both tracked and untracked. */
static void show_trees(struct git *g, struct diff_opts *o, const struct stash *s, enum shown shown,
		       struct diff_queue *q)
{
	if (shown != STASH_UNTRACKED)
		diff_trees(g, o, &s->base_tree, &s->work_tree, q);
	if (shown == STASH_TRACKED || !s->has_untracked)
		return;
	diff_trees(g, o, &oid_empty_tree, &s->untracked_tree, q);
	if (q->n > 1)
		git_sort(g, q->at, q->n, sizeof(*q->at), pairs_by_path);
}

static int show(struct git *g, struct args *args)
{
	struct diff_opts o;
	struct diff_queue q = { NULL, 0, 0, { NULL, 0, 0 } };
	struct stash s;
	const char *name = NULL;
	enum shown shown = STASH_TRACKED;
	bool of_diff = false; /* an option of diff is given */

	diff_init(g, &o);
	for (int i = 0; i < args->argc;) {
		bool is_option = args->argv[i][0] == '-';
		int taken = 1;

		if (!show_option(args->argv[i], &shown)) {
			taken = is_option ? diff_option(g, &o, args->argc - i, args->argv + i) : 0;
			of_diff = of_diff || taken != 0;
		}
		if (taken == 0 && is_option)
			git_refuse(g, git_format(g->a, "stash show %s", args->argv[i]));
		if (taken == 0)
			name = args->argv[i];
		i += taken != 0 ? taken : 1;
	}
	find_stash(g, name, &s);
	if (o.format == 0)
		o.format = of_diff ? DIFF_PATCH : DIFF_STAT;
	diff_settle(g, &o);
	show_trees(g, &o, &s, shown, &q);
	diff_finish(g, &o, &q);
	diff_output(g, &o, &q);
	return o.check_status;
}

static int use(struct git *g, struct args *args, bool drop)
{
	struct stash_opts o = { .quiet = false };
	const struct git_parser p = { pop_options, &o, stash_usage, 0, NULL };
	struct stash s;
	int status;

	git_parse(g, args, &p);
	if (args->argc > 1) {
		git_say(g, "Too many revisions specified:%s\n", "");
		return 1;
	}
	find_stash(g, args->argc == 1 ? args->argv[0] : NULL, &s);
	status = apply(g, &s, &o);
	if (!drop)
		return status;
	if (status != 0) {
		git_printf(g, "The stash entry is kept in case you need it again.\n");
		return status;
	}
	drop_entry(g, &s, o.quiet);
	return 0;
}

static int drop(struct git *g, struct args *args)
{
	struct stash_opts o = { .quiet = false };
	const struct git_parser p = { pop_options, &o, stash_usage, 0, NULL };
	struct stash s;

	git_parse(g, args, &p);
	find_stash(g, args->argc == 1 ? args->argv[0] : NULL, &s);
	if (s.number < 0) {
		git_error(g, "'%s' is not a stash reference", args->argv[0]);
		return 1;
	}
	drop_entry(g, &s, o.quiet);
	return 0;
}

static int branch(struct git *g, struct args *args)
{
	struct stash_opts o = { .index = true };
	struct stash s;
	char *argv[5] = { arena_dup(g->keep, BYTES("checkout")), arena_dup(g->keep, BYTES("-b")),
			  NULL, NULL, NULL };
	int status;

	if (args->argc == 0) {
		git_say(g, "No branch name specified\n");
		return 1;
	}
	find_stash(g, args->argc > 1 ? args->argv[1] : NULL, &s);
	argv[2] = args->argv[0];
	argv[3] = oid_hex(g, &s.base);
	status = git_run(g, 4, argv);
	if (status == 0)
		status = apply(g, &s, &o);
	if (status == 0)
		drop_entry(g, &s, false);
	return status;
}

static int store_given(struct git *g, struct args *args)
{
	struct stash_opts o = { .quiet = false };
	static const struct git_option options[] = {
		GIT_FLAG('q', "quiet", struct stash_opts, quiet),
		GIT_STR('m', "message", struct stash_opts, message),
		GIT_END(),
	};
	const struct git_parser p = { options, &o, stash_usage, 0, NULL };
	struct oid work;

	git_parse(g, args, &p);
	if (args->argc != 1) {
		if (!o.quiet)
			git_say(g, "\"git stash store\" requires one <commit> argument\n");
		return 1;
	}
	if (rev_parse(g, args->argv[0], &work) < 0) {
		if (!o.quiet)
			git_say(g, "Cannot update refs/stash with %s\n", args->argv[0]);
		return 1;
	}
	store(g, &work, o.message != NULL ? o.message : "Created via \"git stash store\".");
	return 0;
}

/* Operands with a blank between; NULL: there are none. */
static char *joined(struct git *g, const struct args *args)
{
	struct buf b = buf_in(g->keep);

	for (int i = 0; i < args->argc; i++)
		buf_printf(&b, "%s%s", i > 0 ? " " : "", args->argv[i]);
	return args->argc > 0 ? buf_cstr(&b) : NULL;
}

bool stash_make_auto(struct git *g, struct oid *out)
{
	struct stash_opts o = { .message = "autostash" };
	struct making k = { .g = g, .o = &o };

	if (!make_stash(&k))
		return false;
	*out = k.work_commit;
	return true;
}

void stash_apply_auto(struct git *g, const struct oid *o)
{
	struct stash_opts quiet = { .quiet = true, .silent = true };
	struct stash s;

	find_stash(g, oid_hex(g, o), &s);
	if (apply(g, &s, &quiet) == 0) {
		git_say(g, "Applied autostash.\n");
		return;
	}
	store(g, o, "autostash");
	git_say(g, "Applying autostash resulted in conflicts.\n"
		   "Your changes are safe in the stash.\n"
		   "You can run \"git stash pop\" or \"git stash drop\" at any time.\n");
}

void stash_keep_auto(struct git *g, const struct oid *o)
{
	store(g, o, "autostash");
	cmd_flush(g->c);
	git_say(g, "Autostash exists; creating a new stash entry.\n"
		   "Your changes are safe in the stash.\n"
		   "You can run \"git stash pop\" or \"git stash drop\" at any time.\n");
}

int git_cmd_stash(struct git *g, struct args *args)
{
	struct stash_opts o = { .quiet = false };
	const struct git_parser p = { push_options, &o, stash_usage, 0, NULL };
	const char *what = args->argc > 0 && args->argv[0][0] != '-' ? args->argv[0] : "push";
	struct args rest = *args;

	if (rest.argc > 0 && rest.argv[0][0] != '-') {
		rest.argv++;
		rest.argc--;
	}
	if (strcmp(what, "push") == 0 || strcmp(what, "save") == 0) {
		git_parse(g, &rest, &p);
		if (strcmp(what, "save") == 0 && rest.argc > 0) {
			o.message = joined(g, &rest);
			rest.argc = 0;
		}
		return push(g, &o, &rest);
	}
	if (strcmp(what, "list") == 0)
		return list(g, &rest);
	if (strcmp(what, "show") == 0)
		return show(g, &rest);
	if (strcmp(what, "apply") == 0 || strcmp(what, "pop") == 0)
		return use(g, &rest, what[0] == 'p');
	if (strcmp(what, "drop") == 0)
		return drop(g, &rest);
	if (strcmp(what, "branch") == 0)
		return branch(g, &rest);
	if (strcmp(what, "clear") == 0) {
		if (ref_exists(g, "refs/stash"))
			ref_delete(g, "refs/stash");
		return 0;
	}
	if (strcmp(what, "create") == 0) {
		struct making k = { .g = g, .o = &o };

		o.message = joined(g, &rest);
		if (make_stash(&k))
			git_printf(g, "%s\n", oid_hex(g, &k.work_commit));
		return 0;
	}
	if (strcmp(what, "store") == 0)
		return store_given(g, &rest);
	git_die(g,
		"subcommand wasn't specified; 'push' can't be assumed due to unexpected token '%s'",
		what);
}
