/* SPDX-License-Identifier: MIT
 *
 * git branch: making, moving and deleting branches, and what they follow.
 */
#include "builtins/git/columns.h"
#include "builtins/git/transport.h"
#include "builtins/git/worktree.h"

static int track_option(struct git *g, void *opts, const char *arg, bool unset)
{
	((struct branch_opts *)opts)->track = branch_track_option(g, arg, unset);
	return 0;
}

static int abbrev_option(struct git *g, void *opts, const char *arg, bool unset)
{
	int64_t n = OID_HEX;

	if (!unset && (arg == NULL || !git_number(arg, &n)))
		n = 0;
	else if (n == 0)
		n = OID_HEX;
	((struct branch_opts *)opts)->abbrev = (int)(n < 0 ? 4 : n > OID_HEX ? OID_HEX : n);
	(void)g;
	return 0;
}

static const struct git_option branch_options[] = {
	GIT_COUNT('v', "verbose", struct branch_opts, verbose),
	GIT_FLAG('q', "quiet", struct branch_opts, quiet),
	GIT_CALL_MAYBE('t', "track", track_option),
	GIT_STR('u', "set-upstream-to", struct branch_opts, set_upstream),
	GIT_FLAG(0, "unset-upstream", struct branch_opts, unset_upstream),
	GIT_CALL_MAYBE(0, "color", git_opt_color),
	GIT_FLAG('r', "remotes", struct branch_opts, remotes),
	GIT_FLAG('a', "all", struct branch_opts, all),
	GIT_SET('d', "delete", struct branch_opts, deletion, 1),
	GIT_SET('D', NULL, struct branch_opts, deletion, 2),
	GIT_SET('m', "move", struct branch_opts, rename, 1),
	GIT_SET('M', NULL, struct branch_opts, rename, 2),
	GIT_SET('c', "copy", struct branch_opts, copying, 1),
	GIT_SET('C', NULL, struct branch_opts, copying, 2),
	GIT_FLAG('l', "list", struct branch_opts, list),
	GIT_FLAG(0, "show-current", struct branch_opts, show_current),
	GIT_FLAG(0, "create-reflog", struct branch_opts, create_reflog),
	GIT_FLAG('f', "force", struct branch_opts, force),
	GIT_FLAG('i', "ignore-case", struct branch_opts, icase),
	GIT_STR(0, "format", struct branch_opts, format),
	GIT_LIST(0, "sort", struct branch_opts, sort),
	GIT_LIST(0, "points-at", struct branch_opts, points_at),
	GIT_FLAG(0, "edit-description", struct branch_opts, edit_description),
	GIT_CALL_MAYBE(0, "column", git_opt_columns),
	GIT_CALL_MAYBE(0, "abbrev", abbrev_option),
	GIT_LIST_HEAD("contains", struct branch_opts, contains),
	GIT_LIST_HEAD("no-contains", struct branch_opts, no_contains),
	GIT_LIST_HEAD("merged", struct branch_opts, merged),
	GIT_LIST_HEAD("no-merged", struct branch_opts, no_merged),
	GIT_END(),
};
static const char *const branch_usage[] = {
	"git branch [<options>] [-r | -a] [--merged] [--no-merged]",
	"git branch [<options>] [-f] [--recurse-submodules] <branch-name> [<start-point>]",
	"git branch [<options>] [-l] [<pattern>...]",
	"git branch [<options>] [-r] (-d | -D) <branch-name>...",
	"git branch [<options>] (-m | -M) [<old-branch>] <new-branch>",
	"git branch [<options>] (-c | -C) [<old-branch>] <new-branch>",
	"git branch [<options>] [-r | -a] [--points-at]",
	"git branch [<options>] [-r | -a] [--format]",
	NULL
};

/* --- upstream --- */

/* The branch that is meant, perhaps that of HEAD; NULL: HEAD is detached. */
static const char *branch_or_head(struct git *g, struct args *args)
{
	char *head = head_ref(g);

	if (args->argc > 0)
		return branch_name(g, args->argv[0], "heads");
	return head != NULL ? ref_short(g, head) : NULL;
}

/* Another work tree, or this one, where the branch is checked out; NULL: none. */
static const char *checked_out(struct git *g, const char *full)
{
	char *head = head_ref(g);

	if (head != NULL && strcmp(head, full) == 0 && g->work != NULL)
		return g->work;
	return worktree_using(g, full);
}

static bool unborn(struct git *g, const char *full)
{
	char *head = head_ref(g);

	return (head != NULL && strcmp(head, full) == 0) || worktree_using(g, full) != NULL;
}

static int set_upstream(struct git *g, const struct branch_opts *o, struct args *args)
{
	const char *branch = branch_or_head(g, args);
	const char *upstream = branch_name(g, o->set_upstream, "heads");
	char *full, *local;
	bool several;
	struct oid oid;

	if (args->argc > 1)
		git_die(g, "too many arguments to set new upstream");
	if (branch == NULL)
		git_die(g,
			"could not set upstream of HEAD to %s when it does not point to any "
			"branch.",
			o->set_upstream);
	local = git_format(g->a, "refs/heads/%s", branch);
	if (!ref_exists(g, local) && unborn(g, local))
		git_die(g, "No commit on branch '%s' yet.", branch);
	if (!ref_exists(g, local))
		git_die(g, "branch '%s' does not exist", branch);
	full = ref_expand(g, upstream, &oid, &several);
	if (full == NULL && rev_parse(g, upstream, &oid) < 0) {
		git_say(g, "fatal: the requested upstream branch '%s' does not exist\n",
			o->set_upstream);
		git_hint(g, "setUpstreamFailure",
			 "\nIf you are planning on basing your work on an upstream\n"
			 "branch that already exists at the remote, you may need to\n"
			 "run \"git fetch\" to retrieve it.\n\n"
			 "If you are planning to push out a new local branch that\n"
			 "will track its remote counterpart, you may want to use\n"
			 "\"git push -u\" to set the upstream config as you push.\n"
			 "Disable this message with \"git config advice.setUpstreamFailure "
			 "false\"\n");
		return GIT_STATUS_FATAL;
	}
	branch_track(g, branch, branch_track_start(g, upstream, TRACK_EXPLICIT), TRACK_EXPLICIT,
		     o->quiet);
	return 0;
}

static int unset_upstream(struct git *g, struct args *args)
{
	const char *branch = branch_or_head(g, args);
	char *config = config_local_path(g);

	if (args->argc > 1)
		git_die(g, "too many arguments to unset upstream");
	if (branch == NULL)
		git_die(g,
			"could not unset upstream of HEAD when it does not point to any branch.");
	if (config_get(g, git_format(g->a, "branch.%s.merge", branch)) == NULL)
		git_die(g, "Branch '%s' has no upstream information", branch);
	config_change(g, config, git_format(g->a, "branch.%s.remote", branch), NULL, NULL,
		      CONFIG_UNSET_ALL);
	config_change(g, config, git_format(g->a, "branch.%s.merge", branch), NULL, NULL,
		      CONFIG_UNSET_ALL);
	return 0;
}

/* --- descriptions --- */

static int edit_description(struct git *g, struct args *args)
{
	const char *branch = branch_or_head(g, args);
	char *path = repo_path(g, g->a, "EDIT_DESCRIPTION");
	char *key, *full;
	const char *before;
	struct buf b = buf_in(g->a);
	struct bytes text;

	if (branch == NULL)
		git_die(g, "Cannot give description to detached HEAD");
	if (args->argc > 1)
		git_die(g, "cannot edit description of more than one branch");
	key = git_format(g->a, "branch.%s.description", branch);
	full = git_format(g->a, "refs/heads/%s", branch);
	before = config_get(g, key);
	if (!ref_exists(g, full))
		return git_error(g,
				 unborn(g, full) ? "No commit on branch '%s' yet."
						 : "No branch named '%s'.",
				 branch);
	if (before != NULL)
		buf_puts(&b, before);
	if (b.len == 0 || b.ptr[b.len - 1] != '\n')
		buf_putc(&b, '\n');
	buf_printf(&b,
		   "# Please edit the description for the branch\n#   %s\n"
		   "# Lines starting with '#' will be stripped.\n",
		   branch);
	if (file_write(g, path, buf_bytes(&b), 0666) < 0 || !message_edit(g, path))
		return 1;
	if (file_read(g, g->a, path, &text) < 0)
		git_die(g, "could not read '%s'", path);
	text = message_clean(g, text, true);
	config_change(g, config_local_path(g), key, text.len != 0 ? arena_dup(g->a, text) : NULL,
		      NULL, text.len != 0 ? CONFIG_SET : CONFIG_UNSET);
	return 0;
}

/* --- deleting, renaming --- */

/* Whether nothing is lost with it; says so if HEAD and what it follows differ in that. */
static bool is_merged(struct git *g, const char *full, const struct oid *o)
{
	const char *why;
	char *upstream = rev_upstream(g, full, &why);
	struct oid to, head, c;
	bool in_head, merged;

	if (!object_peel(g, o, OBJECT_COMMIT, &c))
		return true;
	in_head = head_oid(g, &head) && is_ancestor(g, commit_at(g, &c), commit_at(g, &head));
	if (upstream == NULL || ref_read(g, upstream, &to, NULL) < 0)
		return in_head;
	merged = is_ancestor(g, commit_at(g, &c), commit_at(g, &to));
	if (merged && !in_head)
		git_warn(g,
			 "deleting branch '%s' that has been merged to\n"
			 "         '%s', but not yet merged to HEAD.",
			 ref_short(g, full), upstream);
	if (!merged && in_head)
		git_warn(g,
			 "not deleting branch '%s' that is not yet merged to\n"
			 "         '%s', even though it is merged to HEAD.",
			 ref_short(g, full), upstream);
	return merged;
}

static int delete_branch(struct git *g, const struct branch_opts *o, const char *name)
{
	const char *part = o->remotes ? "remotes" : "heads";
	char *full, *target;
	const char *used;
	struct oid oid = oid_null;

	if (strcmp(name, "-") == 0 && rev_previous(g, 1) != NULL)
		name = rev_previous(g, 1);
	name = branch_name(g, name, part);
	full = git_format(g->a, "refs/%s/%s", part, name);
	used = o->remotes ? NULL : checked_out(g, full);
	if (used != NULL)
		return git_error(g, "Cannot delete branch '%s' checked out at '%s'", name, used);
	target = ref_name_valid(full) ? ref_symbolic(g, full) : NULL;
	if (target == NULL && ref_read(g, full, &oid, NULL) < 0)
		return git_error(g, "%sbranch '%s' not found.",
				 o->remotes ? "remote-tracking " : "", name);
	if (target == NULL && o->deletion != 2 && !o->force && !o->remotes &&
	    !is_merged(g, full, &oid))
		return git_error(g,
				 "The branch '%s' is not fully merged.\n"
				 "If you are sure you want to delete it, run 'git branch -D %s'.",
				 name, name);
	ref_delete_logged(g, full, NULL, true);
	config_rename_section(g, config_local_path(g), git_format(g->a, "branch.%s", name), NULL);
	if (!o->quiet)
		git_printf(g, "Deleted %sbranch %s (was %s).\n",
			   o->remotes ? "remote-tracking " : "", name,
			   target != NULL ? target : oid_short(g, &oid, 0));
	return 0;
}

static int delete_branches(struct git *g, const struct branch_opts *o, struct args *args)
{
	int status = 0;

	if (args->argc == 0)
		git_die(g, "branch name required");
	for (int i = 0; i < args->argc; i++)
		status |= delete_branch(g, o, args->argv[i]);
	return status;
}

/* HEAD of every work tree that is on the branch goes with it. */
static void move_heads(struct git *g, const char *from, const char *to, bool was_born,
		       const char *message)
{
	struct worktree *list;
	size_t n = worktree_list(g, &list);
	char *head = head_ref(g);
	struct oid o;
	bool born = ref_read(g, to, &o, NULL) == 0;

	if (head != NULL && strcmp(head, from) == 0) {
		ref_set_symbolic(g, "HEAD", to, NULL);
		if (born) {
			if (was_born)
				reflog_add(g, "HEAD", &o, &oid_null, message);
			reflog_add(g, "HEAD", &oid_null, &o, message);
		}
	}
	for (size_t i = 0; i < n; i++) {
		const char *name = list[i].name == NULL
					   ? "main-worktree/HEAD"
					   : git_format(g->a, "worktrees/%s/HEAD", list[i].name);

		if (list[i].branch == NULL || strcmp(list[i].branch, from) != 0 ||
		    strcmp(list[i].dir, g->dir) == 0)
			continue;
		file_write_locked(g, path_join(g->a, list[i].dir, "HEAD"),
				  bytes_of(git_format(g->a, "ref: %s\n", to)));
		if (born)
			reflog_add(g, name, &oid_null, &o, message);
	}
}

/* What stands in the way of a new name ends the command. */
static void check_target(struct git *g, const char *name, const char *full, bool force)
{
	const char *used;

	if (!ref_branch_valid(name))
		git_die(g, "'%s' is not a valid branch name", name);
	if (!ref_exists(g, full))
		return;
	if (!force)
		git_die(g, "a branch named '%s' already exists", name);
	used = checked_out(g, full);
	if (used != NULL)
		git_die(g, "cannot force update the branch '%s' checked out at '%s'", name, used);
}

static int rename_branch(struct git *g, const struct branch_opts *o, struct args *args)
{
	bool copy = o->copying != 0;
	bool force = o->rename == 2 || o->copying == 2 || o->force;
	char *head = head_ref(g);
	const char *from, *to;
	char *old_full, *new_full, *message;
	struct oid oid;
	bool born;

	if (args->argc == 0)
		git_die(g, "branch name required");
	if (args->argc > 2)
		git_die(g, copy ? "too many branches for a copy operation"
				: "too many arguments for a rename operation");
	if (args->argc == 1 && head == NULL)
		git_die(g, "cannot %s the current branch while not on any.",
			copy ? "copy" : "rename");
	from = args->argc == 2 ? branch_name(g, args->argv[0], "heads") : ref_short(g, head);
	to = branch_name(g, args->argv[args->argc - 1], "heads");
	old_full = git_format(g->keep, "refs/heads/%s", from);
	new_full = git_format(g->keep, "refs/heads/%s", to);
	born = ref_read(g, old_full, &oid, NULL) == 0;
	if (!born && copy && unborn(g, old_full))
		git_die(g, "No commit on branch '%s' yet.", from);
	if (!born && (copy || !unborn(g, old_full)))
		git_die(g, "No branch named '%s'.", from);
	if (strcmp(from, to) != 0 || !force)
		check_target(g, to, new_full, force);
	if (strcmp(from, to) == 0 && !copy && born)
		return 0;
	message = git_format(g->a, "Branch: %s %s to %s", copy ? "copied" : "renamed", old_full,
			     new_full);
	if (born && ref_symbolic(g, old_full) != NULL) {
		git_error(g, "refname %s is a symbolic ref, %s it is not supported", old_full,
			  copy ? "copying" : "renaming");
		git_die(g, "Branch %s failed", copy ? "copy" : "rename");
	}
	if (born && strcmp(from, to) != 0 && ref_exists(g, new_full))
		ref_delete(g, new_full);
	if (born && !(copy ? ref_copy(g, old_full, new_full, message)
			   : ref_rename(g, old_full, new_full, message)))
		git_die(g, "Branch %s failed", copy ? "copy" : "rename");
	if (strcmp(from, to) == 0)
		return 0;
	if (copy) {
		config_copy_section(g, config_local_path(g), git_format(g->a, "branch.%s", from),
				    git_format(g->a, "branch.%s", to));
		return 0;
	}
	move_heads(g, old_full, new_full, born, message);
	config_rename_section(g, config_local_path(g), git_format(g->a, "branch.%s", from),
			      git_format(g->a, "branch.%s", to));
	return 0;
}

/* --- making --- */

static int create_branch(struct git *g, const struct branch_opts *o, struct args *args)
{
	const char *name = branch_name(g, args->argv[0], "heads");
	const char *start = args->argc > 1 ? args->argv[1] : "HEAD";
	char *full = git_format(g->a, "refs/heads/%s", name);
	enum branch_track how = branch_track_settle(g, o->track);
	struct oid oid, c;
	bool exists;
	char *follows;
	char *head = head_ref(g);

	if (args->argc > 2)
		git_usage(g, branch_usage);
	check_target(g, name, full, o->force);
	exists = ref_exists(g, full);
	if (rev_parse(g, start, &oid) < 0 && !merge_base_named(g, start, &oid)) {
		if (args->argc < 2 && head != NULL)
			git_die(g, "not a valid object name: '%s'", ref_short(g, head));
		git_die(g, "not a valid object name: '%s'", start);
	}
	follows = branch_track_start(g, start, how);
	if (!object_peel(g, &oid, OBJECT_COMMIT, &c))
		git_die(g, "not a valid branch point: '%s'", start);
	if (o->create_reflog)
		reflog_create(g, full);
	ref_update(g, full, &c, NULL,
		   git_format(g->a, exists ? "branch: Reset to %s" : "branch: Created from %s",
			      args->argc > 1 ? start
			      : head != NULL ? ref_short(g, head)
					     : "HEAD"),
		   false);
	if (follows != NULL)
		branch_track(g, name, follows, how, o->quiet);
	return 0;
}

int git_cmd_branch(struct git *g, struct args *args)
{
	struct branch_opts o = { .quiet = false };
	const struct git_parser p = { branch_options, &o, branch_usage, 0, NULL };
	bool filters;
	int actions;

	branch_check_config(g);
	git_parse(g, args, &p);
	filters = o.contains.n + o.no_contains.n + o.merged.n + o.no_merged.n + o.points_at.n != 0;
	actions = (o.deletion != 0) + (o.rename != 0) + (o.copying != 0) +
		  (o.set_upstream != NULL) + o.show_current + o.edit_description + o.unset_upstream;
	if (filters || (actions == 0 && args->argc == 0))
		o.list = true;
	if (actions + o.list > 1)
		git_usage(g, branch_usage);
	if (o.show_current) {
		char *head = head_ref(g);

		if (head != NULL)
			git_printf(g, "%s\n", ref_short(g, head));
		return 0;
	}
	if (o.edit_description)
		return edit_description(g, args);
	if (o.set_upstream != NULL)
		return set_upstream(g, &o, args);
	if (o.unset_upstream)
		return unset_upstream(g, args);
	if (o.deletion != 0)
		return delete_branches(g, &o, args);
	if (o.rename != 0 || o.copying != 0)
		return rename_branch(g, &o, args);
	if (o.list || o.format != NULL)
		return branch_list(g, &o, args);
	if (o.remotes || o.all)
		git_die(g, "The -a, and -r, options to 'git branch' do not take a branch name.\n"
			   "Did you mean to use: -a|-r --list <pattern>?");
	return create_branch(g, &o, args);
}
