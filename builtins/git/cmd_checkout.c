/* SPDX-License-Identifier: MIT
 *
 * git checkout, switch, restore.
 */
#include "builtins/git/patch_mode.h"
#include "builtins/git/transport.h"
#include "builtins/git/worktree.h"

/* --- what is said of HEAD --- */

static const char *one_line(struct git *g, const struct oid *o)
{
	struct commit_text t;
	struct bytes subject;

	commit_text(g, g->a, o, &t);
	subject = message_subject(g->a, t.message);
	return git_format(g->a, "%s %.*s", oid_short(g, o, 0), (int)subject.len, subject.ptr);
}

static void show_changes(struct git *g)
{
	struct diff_opts o;
	struct diff_queue q = { NULL, 0, 0, { NULL, 0, 0 } };
	struct oid head, tree;

	diff_init(g, &o);
	o.format = DIFF_NAME_STATUS;
	o.renames = 0;
	diff_settle(g, &o);
	if (!head_oid(g, &head) || !tree_of(g, &head, &tree))
		return;
	diff_tree_work(g, &o, &tree, &q);
	diff_finish(g, &o, &q);
	struct buf out = buf_in(g->a);

	for (size_t i = 0; i < q.n; i++)
		if (q.at[i].status != 'U')
			buf_printf(&out, "%c\t%s\n", q.at[i].status,
				   git_quoted(g, q.at[i].two->path));
	cmd_bytes(g->c, buf_bytes(&out));
}

/* Commits that no reference will reach any more. */
static void warn_lost(struct git *g, const struct oid *old)
{
	struct revs r;
	struct commit *c;
	struct ref *list;
	size_t n = ref_list(g, "refs/", &list);
	size_t lost = 0;
	struct buf b = buf_in(g->a);
	struct oid head;

	revs_init(g, &r);
	revs_add_commit(g, &r, commit_at(g, old), false);
	for (size_t i = 0; i < n; i++) {
		struct oid o;

		if (!list[i].broken && object_peel(g, &list[i].oid, OBJECT_COMMIT, &o))
			revs_add_commit(g, &r, commit_at(g, &o), true);
	}
	if (head_oid(g, &head))
		revs_add_commit(g, &r, commit_at(g, &head), true);
	while ((c = revs_next(&r)) != NULL)
		if (lost++ < 4)
			buf_printf(&b, "  %s\n", one_line(g, &c->oid));
	revs_forget(g);
	if (lost == 0) {
		git_say(g, "Previous HEAD position was %s\n", one_line(g, old));
		return;
	}
	if (lost > 4)
		buf_printf(&b, " ... and %zu more.\n", lost - 4);
	git_say(g,
		"Warning: you are leaving %zu commit%s behind, not connected to\n"
		"any of your branches:\n\n%s\n",
		lost, lost == 1 ? "" : "s", buf_cstr(&b));
	if (config_bool(g, "advice.detachedhead", true))
		git_say(g,
			"If you want to keep %s by creating a new branch, this may be a good time\n"
			"to do so with:\n\n git branch <new-branch-name> %s\n\n",
			lost == 1 ? "it" : "them", oid_short(g, old, 0));
}

void checkout_say_detached(struct git *g, const char *name)
{
	if (!config_bool(g, "advice.detachedhead", true))
		return;
	git_say(g,
		"Note: switching to '%s'.\n\n"
		"You are in 'detached HEAD' state. You can look around, make experimental\n"
		"changes and commit them, and you can discard any commits you make in this\n"
		"state without impacting any branches by switching back to a branch.\n\n"
		"If you want to create a new branch to retain commits you create, you may\n"
		"do so (now or later) by using -c with the switch command. Example:\n\n"
		"  git switch -c <new-branch-name>\n\n"
		"Or undo this operation with:\n\n"
		"  git switch -\n\n"
		"Turn off this advice by setting config variable advice.detachedHead to false\n\n",
		name);
}

/* --- switching --- */

static void set_upstream(struct git *g, const struct checkout *k)
{
	if (k->upstream != NULL)
		branch_track(g, k->new_branch, k->upstream, branch_track_settle(g, k->o.track),
			     k->o.quiet);
}

/* HEAD now names something else: references, logs and messages. */
static void move_head(struct git *g, struct checkout *k, const struct oid *old, bool had_head,
		      const char *old_ref)
{
	const char *from = old_ref != NULL ? ref_short(g, old_ref)
			   : had_head      ? oid_hex(g, old)
					   : "(invalid)";
	char *message;

	if (k->new_branch != NULL) {
		char *full = git_format(g->a, "refs/heads/%s", k->new_branch);

		if (k->reset_branch && ref_exists(g, full))
			ref_update(g, full, &k->oid, NULL,
				   git_format(g->a, "branch: Reset to %s", k->start_name), false);
		else
			ref_update(g, full, &k->oid, NULL,
				   git_format(g->a, "branch: Created from %s", k->start_name),
				   false);
		set_upstream(g, k);
		k->branch_ref = full;
	}
	message = git_format(g->a, "checkout: moving from %s to %s", from,
			     k->branch_ref != NULL ? ref_short(g, k->branch_ref) : k->name);
	if (k->branch_ref != NULL) {
		ref_set_symbolic(g, "HEAD", k->branch_ref, message);
		return;
	}
	ref_update(g, "HEAD", &k->oid, NULL, message, true);
}

static void say_moved(struct git *g, struct checkout *k, const struct oid *old, bool had_head,
		      const char *old_ref)
{
	struct buf b = buf_in(g->a);

	if (k->o.quiet)
		return;
	if (old_ref == NULL && had_head && !oid_eq(old, &k->oid))
		warn_lost(g, old);
	if (k->branch_ref == NULL) {
		if (old_ref != NULL && !k->o.detach)
			checkout_say_detached(g, k->name);
		git_say(g, "HEAD is now at %s\n", one_line(g, &k->oid));
		return;
	}
	if (k->new_branch != NULL) {
		git_say(g,
			k->reset_branch && k->existed
				? (old_ref != NULL && strcmp(old_ref, k->branch_ref) == 0
					   ? "Reset branch '%s'\n"
					   : "Switched to and reset branch '%s'\n")
				: "Switched to a new branch '%s'\n",
			k->new_branch);
	} else if (old_ref != NULL && strcmp(old_ref, k->branch_ref) == 0) {
		git_say(g, "Already on '%s'\n", ref_short(g, k->branch_ref));
	} else {
		git_say(g, "Switched to branch '%s'\n", ref_short(g, k->branch_ref));
	}
	if (k->new_branch == NULL) {
		status_put_tracking(g, k->branch_ref, &b, true);
		cmd_bytes(g->c, buf_bytes(&b));
	}
}

int checkout_hook(struct git *g, const struct oid *old, const struct oid *new_oid, bool branch)
{
	char *args[4] = { oid_hex(g, old), oid_hex(g, new_oid),
			  arena_dup(g->a, branch ? BYTES("1") : BYTES("0")), NULL };

	return git_hook(g, "post-checkout", args, NULL);
}

int checkout_switch(struct git *g, struct checkout *k)
{
	struct oid old = oid_null, old_tree, new_tree;
	bool had_head = head_oid(g, &old);
	bool only_local = false;
	char *old_ref = head_ref(g);
	struct switch_opts so = { .force = k->o.force,
				  .action = "checkout",
				  .only_local = k->o.merge && had_head ? &only_local : NULL };
	struct index *x = index_get(g);
	/* "checkout HEAD" is about the files only. */
	bool stays = k->branch_ref == NULL && k->new_branch == NULL && !k->o.detach &&
		     k->name != NULL && strcmp(k->name, "HEAD") == 0;

	if (old_ref != NULL)
		old_ref = arena_dup(g->keep, bytes_of(old_ref));
	if (k->unborn) {
		/* A new branch of a repository without commits. */
		ref_set_symbolic(g, "HEAD", git_format(g->a, "refs/heads/%s", k->new_branch), NULL);
		if (!k->o.quiet)
			git_say(g, "Switched to a new branch '%s'\n", k->new_branch);
		return 0;
	}
	/* Where it is checked out already, it may be elsewhere, too. */
	const char *used = k->branch_ref != NULL && k->new_branch == NULL && !k->o.ignore_other &&
					   (old_ref == NULL || strcmp(old_ref, k->branch_ref) != 0)
				   ? worktree_using(g, k->branch_ref)
				   : NULL;

	if (used != NULL)
		git_die(g, "'%s' is already checked out at '%s'", ref_short(g, k->branch_ref),
			used);
	if (!k->o.force && index_unmerged(x)) {
		for (size_t i = 0; i < x->n; i++)
			if (x->at[i].stage != 0 &&
			    (i == 0 || strcmp(x->at[i - 1].path, x->at[i].path) != 0))
				git_printf(g, "%s: needs merge\n", x->at[i].path);
		git_error(g, "you need to resolve your current index first");
		return 1;
	}
	if (!tree_of(g, &k->oid, &new_tree))
		git_die(g, "reference is not a tree: %s", k->name);
	if (k->o.force) {
		work_switch(g, NULL, &new_tree, &so);
	} else if (!had_head || !oid_eq(&old, &k->oid) || !x->exists) {
		if (!work_switch(g, had_head && tree_of(g, &old, &old_tree) ? &old_tree : NULL,
				 &new_tree, &so) &&
		    !(only_local && checkout_merge(g, k, &old,
						   old_ref != NULL ? ref_short(g, old_ref)
								   : oid_short(g, &old, 0),
						   &new_tree)))
			return 1;
	}
	if (!k->o.quiet && !k->o.force && had_head)
		k->show_changes = !k->plain_new;
	if (x->dirty)
		index_write(g, x);
	if (!k->new_orphan && !stays)
		move_head(g, k, &old, had_head, old_ref);
	if (k->show_changes)
		show_changes(g);
	if (!stays)
		say_moved(g, k, &old, had_head, old_ref);
	state_end_pick(g);
	if (!merge_in_progress(g) || k->o.force)
		state_clear(g);
	return checkout_hook(g, &old, &k->oid, true) != 0;
}

static int make_orphan(struct git *g, struct checkout *k, bool empty)
{
	struct index *x = index_get(g);

	if (!ref_branch_valid(k->o.orphan))
		git_die(g, "'%s' is not a valid branch name", k->o.orphan);
	if (ref_exists(g, git_format(g->a, "refs/heads/%s", k->o.orphan)))
		git_die(g, "a branch named '%s' already exists", k->o.orphan);
	if (empty) {
		work_reset(g, &oid_empty_tree);
		index_write(g, x);
	}
	ref_set_symbolic(g, "HEAD", git_format(g->a, "refs/heads/%s", k->o.orphan), NULL);
	if (!k->o.quiet)
		git_say(g, "Switched to a new branch '%s'\n", k->o.orphan);
	return 0;
}

/* --- what is named --- */

/* The branch of a remote that has this name, if one has, or that which the configuration prefers:
 * its reference, or NULL. Ends the command if there are several. */
static char *remote_branch(struct git *g, const char *name)
{
	struct names remotes = { NULL, 0, 0 };
	const char *preferred = config_get(g, "checkout.defaultremote");
	char *found = NULL;
	int hits = 0;

	remote_list(g, &remotes);
	for (size_t i = 0; i < remotes.n; i++) {
		struct remote r;
		char *full;

		remote_get(g, remotes.at[i], &r);
		full = refspecs_map(g, &r.fetch, git_format(g->a, "refs/heads/%s", name), NULL);
		if (full == NULL || !ref_exists(g, full))
			continue;
		if (preferred != NULL && strcmp(preferred, remotes.at[i]) == 0)
			return full;
		hits++;
		found = full;
	}
	if (hits < 2)
		return found;
	git_hint(g, "checkoutambiguousremotebranchname",
		 "If you meant to check out a remote tracking branch on, e.g. 'origin',\n"
		 "you can do so by fully qualifying the name with the --track option:\n\n"
		 "    git checkout --track origin/<name>\n\n"
		 "If you'd like to always have checkouts of an ambiguous <name> prefer\n"
		 "one remote, e.g. the 'origin' remote, consider setting\n"
		 "checkout.defaultRemote=origin in your config.\n");
	git_die(g, "'%s' matched multiple (%d) remote tracking branches", name, hits);
}

/* Whether the name is taken for a commit; fills k. */
static bool resolve(struct git *g, struct checkout *k, const char *name)
{
	char *full;
	char *previous = strcmp(name, "-") == 0 ? rev_previous(g, 1) : NULL;

	if (strcmp(name, "-") == 0 && previous == NULL)
		name = "@{-1}";
	if (previous != NULL)
		name = previous;
	name = branch_name(g, name, "heads");
	k->name = name;
	full = git_format(g->keep, "refs/heads/%s", name);
	if (ref_name_valid(full) && ref_read(g, full, &k->oid, NULL) == 0) {
		k->branch_ref = full;
		return object_peel(g, &k->oid, OBJECT_COMMIT, &k->oid);
	}
	if (merge_base_named(g, name, &k->oid))
		return true;
	if (rev_parse(g, name, &k->named) < 0)
		return false;
	k->has_tree = true;
	if (!object_peel(g, &k->named, OBJECT_COMMIT, &k->oid))
		return false;
	return true;
}

static bool guess_remote(struct git *g, struct checkout *k, const char *name)
{
	bool allowed = k->o.guess > 0 ||
		       (k->o.guess == 0 && config_bool(g, "checkout.guess", true));
	char *full = allowed ? remote_branch(g, name) : NULL;

	if (full == NULL || ref_read(g, full, &k->oid, NULL) < 0)
		return false;
	k->new_branch = name;
	k->start_name = ref_shorten(g, full);
	k->start_name = full;
	k->upstream = full;
	if (k->o.track == TRACK_CONFIGURED)
		k->o.track = TRACK_EXPLICIT;
	return true;
}

static void prepare_new(struct git *g, struct checkout *k)
{
	char *full;

	if (k->o.create == NULL && k->o.force_create == NULL)
		return;
	k->new_branch = branch_name(g, k->o.create != NULL ? k->o.create : k->o.force_create,
				    "heads");
	k->reset_branch = k->o.create == NULL;
	if (!ref_branch_valid(k->new_branch))
		git_die(g, "'%s' is not a valid branch name", k->new_branch);
	full = git_format(g->a, "refs/heads/%s", k->new_branch);
	k->existed = ref_exists(g, full);
	if (k->existed && !k->reset_branch)
		git_die(g, "a branch named '%s' already exists", k->new_branch);
}

static void start_of_new(struct git *g, struct checkout *k, const char *start)
{
	struct oid o;

	k->start_name = start != NULL ? start : "HEAD";
	if (start == NULL && !head_oid(g, &o)) {
		k->unborn = true;
		return;
	}
	k->upstream = branch_track_start(g, k->start_name, branch_track_settle(g, k->o.track));
	k->branch_ref = NULL;
}

/* --- checkout --- */

static int set_track(struct git *g, void *opts, const char *arg, bool unset)
{
	((struct checkout_opts *)opts)->track = branch_track_option(g, arg, unset);
	return 0;
}

static int set_guess(struct git *g, void *opts, const char *arg, bool unset)
{
	(void)g, (void)arg;
	((struct checkout_opts *)opts)->guess = unset ? -1 : 1;
	return 0;
}

#define SHARED_OPTIONS                                                                             \
	GIT_FLAG('q', "quiet", struct checkout_opts, quiet), GIT_CALL(0, "guess", set_guess),      \
		GIT_CALL_MAYBE('t', "track", set_track),                                           \
		GIT_FLAG('d', "detach", struct checkout_opts, detach),                             \
		GIT_STR(0, "orphan", struct checkout_opts, orphan),                                \
		GIT_FLAG('m', "merge", struct checkout_opts, merge),                               \
		GIT_CALL_ARG(0, "conflict", set_conflict),                                         \
		GIT_FLAG(0, "progress", struct checkout_opts, progress),                           \
		GIT_FLAG(0, "overwrite-ignore", struct checkout_opts, progress),                   \
		GIT_FLAG(0, "ignore-other-worktrees", struct checkout_opts, ignore_other)

static int set_conflict(struct git *g, void *opts, const char *arg, bool unset)
{
	struct checkout_opts *o = opts;

	(void)g;
	o->conflict = arg;
	o->merge = !unset;
	return 0;
}

static const struct git_option checkout_options[] = {
	GIT_PATHSPEC_FILE(struct checkout_opts, from),
	GIT_STR('b', NULL, struct checkout_opts, create),
	GIT_STR('B', NULL, struct checkout_opts, force_create),
	GIT_FLAG('l', NULL, struct checkout_opts, progress),
	GIT_FLAG('f', "force", struct checkout_opts, force),
	GIT_SET('2', "ours", struct checkout_opts, stage, 2),
	GIT_SET('3', "theirs", struct checkout_opts, stage, 3),
	GIT_FLAG('p', "patch", struct checkout_opts, patch),
	GIT_FLAG(0, "overlay", struct checkout_opts, progress),
	GIT_FLAG(0, "ignore-skip-worktree-bits", struct checkout_opts, ignore_skip),
	SHARED_OPTIONS,
	GIT_END(),
};
static const char *const checkout_usage[] = { "git checkout [<options>] <branch>",
					      "git checkout [<options>] [<branch>] -- <file>...",
					      NULL };

static int checkout_paths(struct git *g, struct checkout *k, char **paths, int n, bool has_tree)
{
	struct restore_opts o = { .worktree = true,
				  .quiet = k->o.quiet,
				  .stage = k->o.stage,
				  .merge = k->o.merge,
				  .conflict = k->o.conflict,
				  .force = k->o.force,
				  .overlay = true,
				  .ignore_skip = k->o.ignore_skip,
				  .dashdash = k->dashdash,
				  .checkout = true };

	if (k->new_branch != NULL)
		git_die(g, "Cannot update paths and switch to branch '%s' at the same time.",
			k->new_branch);
	if (has_tree) {
		o.staged = true;
		o.tree = k->named;
		if (k->branch_ref != NULL)
			o.tree = k->oid;
		tree_of(g, &o.tree, &o.tree);
		o.has_tree = true;
		o.tree_name = k->name;
	}
	return restore_paths(g, &o, paths, n);
}

/* -p: [revision] [--] paths. */
static int checkout_patch(struct git *g, struct checkout *k, struct args *args, int dash)
{
	int from = dash == 0 ? 1 : 0;
	struct oid tree;

	if (args->argc == 0 || dash == 0 ||
	    (!resolve(g, k, args->argv[0]) && !k->has_tree && dash < 0))
		return patch_mode(g, PATCH_CHECKOUT_INDEX, NULL, args->argv + from,
				  args->argc - from);
	if (!tree_of(g, k->branch_ref != NULL ? &k->oid : &k->named, &tree))
		git_die(g, "invalid reference: %s", args->argv[0]);
	from = dash == 1 ? 2 : 1;
	return patch_mode(
		g, strcmp(args->argv[0], "HEAD") == 0 ? PATCH_CHECKOUT_HEAD : PATCH_CHECKOUT_TREE,
		&tree, args->argv + from, args->argc - from);
}

static int only_status(struct git *g, struct checkout *k)
{
	struct oid head;
	char *branch = head_ref(g);

	/* "git checkout": nothing moves, changes are listed. */
	if (!head_oid(g, &head)) {
		if (branch != NULL)
			git_die(g, "You are on a branch yet to be born");
		return 1;
	}
	if (!k->o.quiet)
		show_changes(g);
	struct buf b = buf_in(g->a);

	if (branch != NULL)
		status_put_tracking(g, branch, &b, true);
	cmd_bytes(g->c, buf_bytes(&b));
	return 0;
}

static bool is_path(struct git *g, const char *arg)
{
	char *path = path_in_work_try(g, arg);

	return path != NULL && (path[0] == '\0' || file_exists(g, path));
}

/* long: each form of operands once */
int git_cmd_checkout(struct git *g, struct args *args)
{
	struct checkout k = { .g = g };
	const struct git_parser p = { checkout_options, &k.o, checkout_usage, GIT_KEEP_DASHDASH,
				      NULL };
	int dash = -1;
	const char *first;
	bool is_rev;

	branch_check_config(g);
	git_parse(g, args, &p);
	if (k.o.from.name != NULL && (k.o.patch || k.o.detach))
		git_die(g, "options '%s' and '%s' cannot be used together", "--pathspec-from-file",
			k.o.patch ? "--patch" : "--detach");
	pathspec_from_file(g, &k.o.from, args, true);
	for (int i = 0; i < args->argc && dash < 0; i++)
		if (strcmp(args->argv[i], "--") == 0)
			dash = i;
	k.dashdash = dash == 0 || (dash > 0 && k.o.from.name == NULL);
	if (dash > 1)
		git_die(g, "only one reference expected, %d given.", dash);
	if (k.o.patch)
		return checkout_patch(g, &k, args, dash);
	prepare_new(g, &k);
	if (k.o.orphan != NULL) {
		if (args->argc > 0 && resolve(g, &k, args->argv[0])) {
			struct oid tree;
			struct switch_opts so = { .action = "checkout" };
			struct oid old, old_tree;
			bool had = head_oid(g, &old) && tree_of(g, &old, &old_tree);

			if (!tree_of(g, &k.oid, &tree) ||
			    !work_switch(g, had ? &old_tree : NULL, &tree, &so))
				return 1;
			index_write(g, g->index);
		}
		return make_orphan(g, &k, false);
	}
	first = args->argc > 0 && dash != 0 ? args->argv[0] : NULL;
	if (dash == 0) {
		if (args->argc == 1)
			return only_status(g, &k);
		return checkout_paths(g, &k, args->argv + 1, args->argc - 1, false);
	}
	if (first == NULL) {
		if (k.new_branch == NULL && !k.o.detach)
			return k.o.force ? (resolve(g, &k, "HEAD"), checkout_switch(g, &k))
					 : only_status(g, &k);
		if (k.o.detach && k.new_branch == NULL) {
			if (!resolve(g, &k, "HEAD"))
				git_die(g, "You are on a branch yet to be born");
			k.branch_ref = NULL;
			return checkout_switch(g, &k);
		}
		start_of_new(g, &k, NULL);
		k.plain_new = k.o.create != NULL;
		if (!k.unborn)
			head_oid(g, &k.oid);
		return checkout_switch(g, &k);
	}
	is_rev = resolve(g, &k, first);
	if (dash == 1) {
		if (!is_rev && !k.has_tree && args->argc == 2 && k.new_branch == NULL &&
		    guess_remote(g, &k, first))
			return checkout_switch(g, &k);
		if (!is_rev && !k.has_tree)
			git_die(g, "invalid reference: %s", first);
		if (args->argc > 2)
			return checkout_paths(g, &k, args->argv + 2, args->argc - 2, true);
	} else if (args->argc > 1) {
		if (is_rev || k.has_tree) {
			if (k.new_branch == NULL)
				return checkout_paths(g, &k, args->argv + 1, args->argc - 1, true);
			git_die(g,
				"Cannot update paths and switch to branch '%s' at the same time.",
				k.new_branch);
		}
		return checkout_paths(g, &k, args->argv, args->argc, false);
	} else if (!is_rev && !k.has_tree) {
		if (k.new_branch != NULL)
			git_die(g,
				"'%s' is not a commit and a branch '%s' cannot be created from it",
				first, k.new_branch);
		if (wild_has_magic(first) || !guess_remote(g, &k, first))
			return checkout_paths(g, &k, args->argv, args->argc, false);
		if (is_path(g, first))
			git_die(g,
				"'%s' could be both a local file and a tracking branch.\n"
				"Please use -- (and optionally --no-guess) to disambiguate",
				first);
		return checkout_switch(g, &k);
	} else if (is_rev && k.new_branch == NULL && k.branch_ref == NULL && is_path(g, first) &&
		   !k.o.detach) {
		rev_check_not_path(g, first);
	}
	if (!is_rev)
		git_die(g, "Cannot switch branch to a non-commit '%s'", first);
	if (k.new_branch != NULL)
		start_of_new(g, &k, first);
	else if (k.o.detach)
		k.branch_ref = NULL;
	if (k.o.track > TRACK_NEVER && k.new_branch == NULL) {
		bool several;
		struct oid o;
		char *full = ref_expand(g, first, &o, &several);
		const char *slash = full != NULL ? strchr(ref_short(g, full), '/') : NULL;

		if (slash == NULL)
			git_die(g, "missing branch name; try -%c", 'b');
		k.new_branch = slash + 1;
		k.upstream = full;
		k.start_name = first;
		k.branch_ref = NULL;
	}
	return checkout_switch(g, &k);
}

/* --- switch --- */

static const struct git_option switch_options[] = {
	GIT_STR('c', "create", struct checkout_opts, create),
	GIT_STR('C', "force-create", struct checkout_opts, force_create),
	GIT_FLAG('f', "force", struct checkout_opts, force),
	GIT_FLAG(0, "discard-changes", struct checkout_opts, force),
	SHARED_OPTIONS,
	GIT_END(),
};
static const char *const switch_usage[] = { "git switch [<options>] [<branch>]", NULL };

static _Noreturn void not_a_branch(struct git *g, const char *name)
{
	bool several;
	struct oid o;
	char *full = ref_expand(g, name, &o, &several);
	const char *head = head_ref(g);
	const char *kind = "commit ";

	if (full != NULL && git_starts(full, "refs/tags/"))
		kind = "tag ";
	else if (full != NULL && git_starts(full, "refs/remotes/"))
		kind = "remote branch ";
	else if (full != NULL)
		kind = "", name = strcmp(full, "HEAD") == 0 && head != NULL ? head : full;
	git_say(g, "fatal: a branch is expected, got %s'%s'\n", kind, name);
	git_hint(g, "suggestDetachingHead",
		 "If you want to detach HEAD at the commit, try again with the --detach option.\n");
	git_exit(g, GIT_STATUS_FATAL);
}

static _Noreturn void die_in_progress(struct git *g, const char *where, const char *command)
{
	git_die(g,
		"cannot switch branch %s\n"
		"Consider \"git %s --quit\" or \"git worktree add\".",
		where, command);
}

/* What would be lost, or go on somewhere else. */
static void refuse_in_progress(struct git *g)
{
	static const struct {
		const char *file;
		const char *where;
		const char *command;
	} states[] = {
		{ "MERGE_HEAD", "while merging", "merge" },
		{ "rebase-apply/applying", "in the middle of an am session", "am" },
		{ "rebase-apply", "while rebasing", "rebase" },
		{ "rebase-merge", "while rebasing", "rebase" },
		{ "CHERRY_PICK_HEAD", "while cherry-picking", "cherry-pick" },
		{ "REVERT_HEAD", "while reverting", "revert" },
	};
	char *todo = state_read(g, "sequencer/todo");

	/* Between two of several. */
	if (todo != NULL && git_starts(todo, "pick "))
		die_in_progress(g, "while cherry-picking", "cherry-pick");
	if (todo != NULL && git_starts(todo, "revert "))
		die_in_progress(g, "while reverting", "revert");
	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++)
		if (file_exists(g, repo_path(g, g->a, states[i].file)))
			die_in_progress(g, states[i].where, states[i].command);
	if (file_exists(g, repo_path(g, g->a, "BISECT_START")))
		git_warn(g, "you are switching branch while bisecting");
}

int git_cmd_switch(struct git *g, struct args *args)
{
	struct checkout k = { .g = g };
	const struct git_parser p = { switch_options, &k.o, switch_usage, 0, NULL };
	const char *first;
	bool is_rev;

	branch_check_config(g);
	git_parse(g, args, &p);
	if (args->argc > 1)
		git_die(g, "only one reference expected");
	first = args->argc == 1 ? args->argv[0] : NULL;
	prepare_new(g, &k);
	refuse_in_progress(g);
	if (k.o.orphan != NULL)
		return make_orphan(g, &k, true);
	if (first == NULL) {
		if (k.new_branch == NULL && !k.o.detach)
			git_die(g, "missing branch or commit argument");
		if (k.new_branch != NULL) {
			start_of_new(g, &k, NULL);
			k.plain_new = k.o.create != NULL;
			if (!k.unborn)
				head_oid(g, &k.oid);
			return checkout_switch(g, &k);
		}
		first = "HEAD";
	}
	is_rev = resolve(g, &k, first);
	if (!is_rev) {
		if (k.new_branch == NULL && guess_remote(g, &k, first))
			return checkout_switch(g, &k);
		git_die(g, "invalid reference: %s", first);
	}
	if (k.new_branch != NULL)
		start_of_new(g, &k, first);
	else if (k.o.detach)
		k.branch_ref = NULL;
	else if (k.branch_ref == NULL)
		not_a_branch(g, first);
	return checkout_switch(g, &k);
}
