/* SPDX-License-Identifier: MIT
 *
 * git rebase: which commits, onto what, in which order; then rebase_run.c does it. With -i the
 * list goes through an editor, without it is taken as it was made.
 */
#include "builtins/git/rerere.h"
#include "builtins/git/sequence.h"

enum { YES = 1, NO = -1 }; /* of options with --no- */

struct rebase_opts {
	struct sequence_choice choice; /* first */
	struct rebase r;
	const char *onto_name;
	bool keep_base, root, interactive, no_verify;
	int autosquash, autostash, stat, reapply, keep_empty, reschedule, exec_given, update_refs;
	bool merges, cousins;
	struct names exec;
	/* found */
	const char *up_name;
	struct oid up, onto, head;
	int fork;            /* --fork-point: YES, NO, or 0: as usual */
	struct commit *left; /* where the upstream was left; NULL: not asked for */
	bool has_up;
	char *branch;      /* full name; NULL: detached */
	const char *shown; /* what people call it */
};

/* --- options --- */

#define SWITCH(fn, field)                                                                          \
	static int fn(struct git *g, void *opts, const char *arg, bool unset)                      \
	{                                                                                          \
		(void)g, (void)arg;                                                                \
		((struct rebase_opts *)opts)->field = unset ? NO : YES;                            \
		return 0;                                                                          \
	}
SWITCH(set_autosquash, autosquash)
SWITCH(set_autostash, autostash)
SWITCH(set_stat, stat)
SWITCH(set_reapply, reapply)
SWITCH(set_keep_empty, keep_empty)
SWITCH(set_reschedule, reschedule)
SWITCH(set_fork_point, fork)
SWITCH(set_update_refs, update_refs)
#undef SWITCH

static int set_no_stat(struct git *g, void *opts, const char *arg, bool unset)
{
	return set_stat(g, opts, arg, !unset);
}

static int set_empty(struct git *g, void *opts, const char *arg, bool unset)
{
	struct rebase_opts *o = opts;

	(void)unset;
	if (strcmp(arg, "drop") == 0)
		o->r.empty = EMPTY_DROP;
	else if (strcmp(arg, "keep") == 0)
		o->r.empty = EMPTY_KEEP;
	else if (strcmp(arg, "ask") == 0)
		o->r.empty = EMPTY_ASK;
	else
		git_die(g,
			"unrecognized empty type '%s'; valid values are \"drop\", \"keep\", and "
			"\"ask\".",
			arg);
	return 0;
}

static int set_merges(struct git *g, void *opts, const char *arg, bool unset)
{
	struct rebase_opts *o = opts;

	o->merges = !unset;
	o->cousins = arg != NULL && strcmp(arg, "rebase-cousins") == 0;
	if (arg != NULL && arg[0] != '\0' && !o->cousins && strcmp(arg, "no-rebase-cousins") != 0)
		git_die(g, "Unknown mode: %s", arg);
	return 0;
}

static const struct git_option rebase_options[] = {
	GIT_STR(0, "onto", struct rebase_opts, onto_name),
	GIT_FLAG(0, "keep-base", struct rebase_opts, keep_base),
	GIT_FLAG(0, "no-verify", struct rebase_opts, no_verify),
	GIT_FLAG('q', "quiet", struct rebase_opts, r.quiet),
	GIT_FLAG('v', "verbose", struct rebase_opts, r.verbose),
	GIT_CALL(0, "stat", set_stat),
	GIT_CALL('n', "no-stat", set_no_stat),
	GIT_FLAG(0, "signoff", struct rebase_opts, r.sign_off),
	GIT_FLAG(0, "committer-date-is-author-date", struct rebase_opts, r.author_date),
	GIT_FLAG(0, "reset-author-date", struct rebase_opts, r.ignore_date),
	GIT_FLAG(0, "ignore-date", struct rebase_opts, r.ignore_date),
	GIT_FLAG('f', "force-rebase", struct rebase_opts, r.no_ff),
	GIT_FLAG(0, "no-ff", struct rebase_opts, r.no_ff),
	GIT_CALL(0, "continue", act_continue),
	GIT_CALL(0, "skip", act_skip),
	GIT_CALL(0, "abort", act_abort),
	GIT_CALL(0, "quit", act_quit),
	GIT_CALL(0, "edit-todo", act_edit),
	GIT_CALL(0, "show-current-patch", act_show),
	GIT_CALL('m', "merge", git_opt_taken),
	GIT_FLAG('i', "interactive", struct rebase_opts, interactive),
	GIT_CALL_ARG(0, "empty", set_empty),
	GIT_CALL('k', "keep-empty", set_keep_empty),
	GIT_CALL(0, "autosquash", set_autosquash),
	GIT_CALL(0, "autostash", set_autostash),
	GIT_LIST('x', "exec", struct rebase_opts, exec),
	GIT_CALL_ARG('s', "strategy", set_strategy),
	GIT_LIST('X', "strategy-option", struct rebase_opts, r.xopts),
	GIT_FLAG(0, "root", struct rebase_opts, root),
	GIT_CALL(0, "reschedule-failed-exec", set_reschedule),
	GIT_CALL(0, "reapply-cherry-picks", set_reapply),
	GIT_CALL(0, "allow-empty-message", git_opt_taken),
	GIT_CALL(0, "no-gpg-sign", git_opt_taken),
	GIT_CALL(0, "rerere-autoupdate", git_opt_rerere),
	GIT_MISSING(0, "apply"),
	GIT_MISSING_ARG('C', NULL),
	GIT_MISSING(0, "ignore-whitespace"),
	GIT_MISSING_ARG(0, "whitespace"),
	GIT_CALL(0, "fork-point", set_fork_point),
	GIT_CALL(0, "update-refs", set_update_refs),
	GIT_MISSING('S', "gpg-sign"),
	GIT_CALL_MAYBE('r', "rebase-merges", set_merges),
	GIT_END(),
};
static const char *const rebase_usage[] = {
	"git rebase [-i] [options] [--exec <cmd>] [--onto <newbase> | --keep-base] [<upstream> "
	"[<branch>]]",
	"git rebase [-i] [options] [--exec <cmd>] [--onto <newbase>] --root [<branch>]",
	"git rebase --continue | --abort | --skip | --edit-todo", NULL
};

/* --- the state on disk --- */

static bool has(struct git *g, const char *name)
{
	return file_exists(g, repo_path(g, g->a, name));
}

static void write_flag(struct git *g, const char *name, bool on)
{
	if (on)
		state_write(g, git_format(g->a, REBASE_DIR "%s", name), "");
}

static void write_state(struct rebase_opts *o)
{
	struct git *g = o->r.g;
	struct buf b = buf_in(g->a);

	state_write(g, REBASE_DIR "head-name",
		    git_format(g->a, "%s\n", o->branch != NULL ? o->branch : "detached HEAD"));
	state_write(g, REBASE_DIR "onto", git_format(g->a, "%s\n", oid_hex(g, &o->onto)));
	state_write(g, REBASE_DIR "orig-head", git_format(g->a, "%s\n", oid_hex(g, &o->head)));
	write_flag(g, "interactive", true);
	write_flag(g, "quiet", o->r.quiet);
	write_flag(g, "verbose", o->r.verbose);
	write_flag(g, "signoff", o->r.sign_off);
	write_flag(g, "cdate_is_adate", o->r.author_date);
	write_flag(g, "ignore_date", o->r.ignore_date);
	write_flag(g, "drop_redundant_commits", o->r.empty == EMPTY_DROP);
	write_flag(g, "keep_redundant_commits", o->r.empty == EMPTY_KEEP);
	write_flag(g, o->r.reschedule ? "reschedule-failed-exec" : "no-reschedule-failed-exec",
		   true);
	for (size_t i = 0; i < o->r.xopts.n; i++)
		buf_printf(&b, " '--%s'", o->r.xopts.at[i]);
	if (b.len != 0)
		state_write(g, REBASE_DIR "strategy_opts", buf_cstr(&b));
	if (o->r.root)
		state_write(g, REBASE_DIR "squash-onto",
			    git_format(g->a, "%s\n", oid_hex(g, &o->r.root_oid)));
}

static void read_xopts(struct rebase *r)
{
	struct git *g = r->g;
	char *text = rebase_first_line(g, REBASE_DIR "strategy_opts");

	for (char *at = text; at != NULL && (at = strstr(at, "'--")) != NULL;) {
		size_t n = strcspn(at + 3, "'");

		names_add(g, &r->xopts, git_format(g->keep, "%.*s", (int)n, at + 3));
		at += 3 + n;
	}
}

static size_t read_number(struct git *g, const char *name)
{
	char *text = rebase_first_line(g, name);
	int64_t n;

	return text != NULL && git_number(text, &n) && n >= 0 ? (size_t)n : 0;
}

/* What was started before. False after a message: the list is no list. */
static bool read_state(struct rebase *r)
{
	struct git *g = r->g;
	char *text = state_read(g, REBASE_DIR "git-rebase-todo");
	char *root = rebase_first_line(g, REBASE_DIR "squash-onto");

	r->quiet = has(g, REBASE_DIR "quiet");
	r->verbose = has(g, REBASE_DIR "verbose");
	r->sign_off = has(g, REBASE_DIR "signoff");
	r->author_date = has(g, REBASE_DIR "cdate_is_adate");
	r->ignore_date = has(g, REBASE_DIR "ignore_date");
	r->reschedule = has(g, REBASE_DIR "reschedule-failed-exec");
	r->empty = has(g, REBASE_DIR "keep_redundant_commits")   ? EMPTY_KEEP
		   : has(g, REBASE_DIR "drop_redundant_commits") ? EMPTY_DROP
								 : EMPTY_ASK;
	r->root = root != NULL && oid_parse(root, &r->root_oid);
	read_xopts(r);
	if (!todo_parse(g, bytes_of(text != NULL ? text : ""), has(g, REBASE_DIR "done"),
			&r->todo)) {
		git_error(g, "please fix this using 'git rebase --edit-todo'.");
		return false;
	}
	r->done = read_number(g, REBASE_DIR "msgnum");
	r->total = r->done + todo_count(&r->todo);
	return true;
}

/* --- the list --- */

static bool edit_file(struct git *g, const char *path)
{
	const char *editor = cmd_getenv(g->c, "GIT_SEQUENCE_EDITOR");

	if (editor == NULL)
		editor = config_get(g, "sequence.editor");
	return message_edit_with(g, editor, path);
}

static void say_how_to_fix(struct git *g)
{
	git_say(g, "You can fix this with 'git rebase --edit-todo' and then run 'git rebase "
		   "--continue'.\nOr you can abort the rebase with 'git rebase --abort'.\n");
}

/* Commits that were in the list and are no more. False: that is an error. */
static bool check_missing(struct git *g, const struct todo *before, const struct todo *after)
{
	const char *level = config_get(g, "rebase.missingcommitscheck");
	struct lookup *seen = lookup_new(g);
	struct buf b = buf_in(g->a);

	if (level == NULL || strcmp(level, "ignore") == 0)
		return true;
	for (size_t i = 0; i < after->n; i++)
		if (after->at[i].commit != NULL)
			*lookup_at(seen, oid_key(&after->at[i].commit->oid)) = g;
	for (size_t i = before->n; i > 0; i--) {
		const struct todo_item *item = &before->at[i - 1];

		if (item->commit != NULL && lookup_get(seen, oid_key(&item->commit->oid)) == NULL)
			buf_printf(&b, " - %s %.*s\n", oid_short(g, &item->commit->oid, 0),
				   (int)item->arg.len, item->arg.ptr);
	}
	if (b.len == 0)
		return true;
	git_say(g,
		"Warning: some commits may have been dropped accidentally.\n"
		"Dropped commits (newer to older):\n%s"
		"To avoid this message, use \"drop\" to explicitly remove a commit.\n\n"
		"Use 'git config rebase.missingCommitsCheck' to change the level of warnings.\n"
		"The possible behaviours are: ignore, warn, error.\n\n",
		buf_cstr(&b));
	if (strcmp(level, "error") != 0)
		say_how_to_fix(g);
	return strcmp(level, "error") != 0;
}

enum edited { EDITED, EDITOR_FAILED, EDITED_EMPTY, EDITED_WRONG };

/* The list through the editor. onto NULL: it was edited before. */
static enum edited edit_list(struct git *g, struct todo *t, const char *range, const char *onto)
{
	char *path = repo_path(g, g->keep, REBASE_DIR "git-rebase-todo");
	struct todo before = *t;
	struct bytes text;
	struct buf b = buf_in(g->keep), backup = buf_in(g->keep), again = buf_in(g->a);
	bool good;

	todo_put(g, t, 0, true, &b);
	todo_put(g, t, 0, false, &backup);
	todo_put_help(g, &b, range, onto, todo_count(t));
	todo_put_help(g, &backup, range, onto, todo_count(t));
	state_write(g, REBASE_DIR "git-rebase-todo", buf_cstr(&b));
	if (onto != NULL)
		state_write(g, REBASE_DIR "git-rebase-todo.backup", buf_cstr(&backup));
	if (!edit_file(g, path) || file_read(g, g->keep, path, &text) < 0)
		return EDITOR_FAILED;
	text = message_clean(g, text, true);
	if (onto != NULL && text.len == 0)
		return EDITED_EMPTY;
	*t = (struct todo){ NULL, 0, 0 };
	file_write(g, path, text, 0666);
	good = todo_parse(g, text, has(g, REBASE_DIR "done"), t);
	if (!good) {
		say_how_to_fix(g);
		return EDITED_WRONG;
	}
	if (!check_missing(g, &before, t)) {
		say_how_to_fix(g);
		return EDITED_WRONG;
	}
	todo_put(g, t, 0, false, &again);
	state_write(g, REBASE_DIR "git-rebase-todo", buf_cstr(&again));
	return EDITED;
}

static bool is_empty_commit(struct git *g, struct commit *c)
{
	commit_need(g, c);
	if (c->nparents == 0)
		return oid_eq(&c->tree, &oid_empty_tree);
	commit_need(g, c->parent[0]);
	return oid_eq(&c->tree, &c->parent[0]->tree);
}

static void add_pick(void *user, struct commit *c, struct todo *out)
{
	struct rebase_opts *o = user;
	struct git *g = o->r.g;
	bool empty = is_empty_commit(g, c);

	if (empty && o->keep_empty == NO)
		return;
	todo_add(g, out,
		 (struct todo_item){ .kind = TODO_PICK,
				     .commit = c,
				     .arg = bytes_of(git_format(g->keep, "%s%s", pick_subject(g, c),
								empty ? " # empty" : "")) });
}

static void warn_skipped(struct rebase_opts *o, struct commits *skipped)
{
	struct git *g = o->r.g;

	for (size_t i = 0; i < skipped->n && !o->r.quiet; i++)
		git_warn(g, "skipped previously applied commit %s",
			 oid_short(g, &skipped->at[i]->oid, 0));
	if (skipped->n != 0 && !o->r.quiet)
		git_hint(g, "skippedCherryPicks",
			 "use --reapply-cherry-picks to include skipped commits\n"
			 "Disable this message with \"git config advice.skippedCherryPicks "
			 "false\"\n");
}

/* The commits of ours that the base has not, oldest first, without merges and twins. */
static void make_list(struct rebase_opts *o)
{
	struct git *g = o->r.g;
	struct commits skipped = { NULL, 0, 0 }, list = { NULL, 0, 0 };
	struct commit *head = commit_at(g, &o->head), *c;
	struct revs r;
	bool twins = o->reapply != YES && (o->has_up || !o->r.root);

	struct commit **bases = NULL;
	size_t n = 0;

	revs_init(g, &r);
	if (o->has_up || !o->r.root) {
		struct commit *base = commit_at(g, o->has_up ? &o->up : &o->onto);

		n = merge_bases(g, base, head, &bases);

		for (size_t i = 0; i < n; i++)
			revs_add_commit(g, &r, bases[i], true);
		base->flags |= COMMIT_LEFT;
		revs_add_commit(g, &r, base, !twins);
	}
	if (o->left != NULL)
		revs_add_commit(g, &r, o->left, true);
	revs_add_commit(g, &r, head, false);
	r.right_only = twins;
	r.cherry_mark = twins;
	r.order = ORDER_TOPO;
	r.max_parents = o->merges ? -1 : 1;
	r.reverse = true;
	while ((c = revs_next(&r)) != NULL) {
		struct commits *to = c->flags & COMMIT_PATCH_SAME ? &skipped : &list;

		LIST_ROOM(g, to->at, to->n, to->cap);
		to->at[to->n++] = c;
	}
	revs_forget(g);
	struct rebase_merges m = { o->cousins, o->root, bases, n, add_pick, o };

	if (o->merges)
		rebase_list_merges(g, &m, &list, &o->r.todo);
	for (size_t i = 0; i < list.n && !o->merges; i++)
		add_pick(o, list.at[i], &o->r.todo);
	warn_skipped(o, &skipped);
	if (o->r.todo.n == 0)
		todo_add(g, &o->r.todo, (struct todo_item){ .kind = TODO_NOOP });
}

/* --- the start --- */

static void check_options(struct rebase_opts *o, int argc)
{
	struct git *g = o->r.g;

	if (o->keep_base && o->onto_name != NULL)
		git_die(g, "options '%s' and '%s' cannot be used together", "--keep-base",
			"--onto");
	if (o->keep_base && o->root)
		git_die(g, "options '%s' and '%s' cannot be used together", "--keep-base",
			"--root");
	if (o->root && o->fork == YES)
		git_die(g, "options '%s' and '%s' cannot be used together", "--root",
			"--fork-point");
	if (o->choice.action != ACT_START && argc != 0)
		git_usage(g, rebase_usage);
	if (argc > (o->root ? 1 : 2))
		git_usage(g, rebase_usage);
	for (size_t i = 0; i < o->exec.n; i++) {
		if (git_trim(bytes_of(o->exec.at[i])).len == 0) {
			git_error(g, "empty exec command");
			git_exit(g, 1);
		}
		if (strchr(o->exec.at[i], '\n') != NULL) {
			git_error(g, "exec commands cannot contain newlines");
			git_exit(g, 1);
		}
	}
	if (o->autosquash == 0)
		o->autosquash = config_bool(g, "rebase.autosquash", false) ? YES : NO;
	if (o->autostash == 0)
		o->autostash = config_bool(g, "rebase.autostash", false) ? YES : NO;
	if (o->update_refs == 0)
		o->update_refs = config_bool(g, "rebase.updaterefs", false) ? YES : NO;
	if (o->stat == 0)
		o->stat = config_bool(g, "rebase.stat", false) || o->r.verbose ? YES : NO;
	o->r.reschedule = o->reschedule == YES ||
			  (o->reschedule == 0 &&
			   config_bool(g, "rebase.reschedulefailedexec", false));
	if (o->keep_base && o->reapply == 0)
		o->reapply = YES;
	if (o->r.sign_off || o->r.author_date || o->r.ignore_date)
		o->r.no_ff = true;
	if (o->r.empty == EMPTY_UNSAID)
		o->r.empty = o->interactive ? EMPTY_ASK : o->exec.n != 0 ? EMPTY_KEEP : EMPTY_DROP;
}

static void refuse_second(struct git *g)
{
	if (!has(g, "rebase-merge"))
		return;
	git_die(g, "It seems that there is already a rebase-merge directory, and\n"
		   "I wonder if you are in the middle of another rebase.  If that is the\n"
		   "case, please try\n"
		   "\tgit rebase (--continue | --abort | --skip)\n"
		   "If that is not the case, please\n"
		   "\trm -fr \".git/rebase-merge\"\n"
		   "and run me again.  I am stopping in case you still have something\n"
		   "valuable there.\n");
}

static void say_no_upstream(struct git *g, const char *branch)
{
	if (branch == NULL)
		git_printf(g, "You are not currently on a branch.\n");
	else
		git_printf(g, "There is no tracking information for the current branch.\n");
	git_printf(g, "Please specify which branch you want to rebase against.\n"
		      "See git-rebase(1) for details.\n\n    git rebase '<branch>'\n\n");
	if (branch != NULL)
		git_printf(g,
			   "If you wish to set tracking information for this branch you can do so "
			   "with:\n\n    git branch --set-upstream-to=<remote>/<branch> %s\n\n",
			   ref_short(g, branch));
	git_exit(g, 1);
}

/* The operands: upstream, and the branch that is moved. */
static void find_ends(struct rebase_opts *o, struct args *args)
{
	struct git *g = o->r.g;
	int at = 0;
	const char *why;

	o->branch = head_ref(g);
	if (o->branch != NULL)
		o->branch = arena_dup(g->keep, bytes_of(o->branch));
	if (!o->root) {
		if (args->argc > 0)
			o->up_name = args->argv[at++];
		else
			o->up_name = o->branch != NULL ? rev_upstream(g, o->branch, &why) : NULL;
		if (o->up_name == NULL)
			say_no_upstream(g, o->branch);
		if (strcmp(o->up_name, "-") == 0)
			o->up_name = "@{-1}";
		if (rev_commit(g, o->up_name, &o->up) < 0)
			git_die(g, "invalid upstream '%s'", o->up_name);
		o->has_up = true;
	}
	if (at < args->argc) {
		const char *name = args->argv[at];
		char *full = git_format(g->keep, "refs/heads/%s", name);

		o->branch = ref_exists(g, full) ? full : NULL;
		o->shown = name;
		if (rev_commit(g, o->branch != NULL ? full : name, &o->head) < 0)
			git_die(g, "no such branch/commit '%s'", name);
		return;
	}
	o->shown = o->branch != NULL ? ref_short(g, o->branch) : "HEAD";
	if (!head_oid(g, &o->head))
		git_die(g, "No such ref: HEAD");
}

/* "A...B": the one merge base. */
static void onto_merge_base(struct rebase_opts *o, const char *a, const char *b)
{
	struct git *g = o->r.g;
	struct oid one, two;
	struct commit **bases;

	if (rev_commit(g, *a != '\0' ? a : "HEAD", &one) < 0 ||
	    rev_commit(g, *b != '\0' ? b : "HEAD", &two) < 0 ||
	    merge_bases(g, commit_at(g, &one), commit_at(g, &two), &bases) != 1) {
		if (o->keep_base)
			git_die(g, "'%s': need exactly one merge base with branch", o->up_name);
		git_die(g, "'%s': need exactly one merge base", o->onto_name);
	}
	o->onto = bases[0]->oid;
}

/* The commit without parents and files that --root starts from. */
static void make_root(struct rebase_opts *o)
{
	struct git *g = o->r.g;

	commit_write(g, &oid_empty_tree, NULL, 0, NULL, BYTES(""), &o->onto);
	o->r.root = true;
	o->r.root_oid = o->onto;
	o->onto_name = arena_dup(g->keep, bytes_of(oid_hex(g, &o->onto)));
}

static void find_onto(struct rebase_opts *o)
{
	struct git *g = o->r.g;
	const char *dots;

	if (o->keep_base) {
		onto_merge_base(o, o->up_name, oid_hex(g, &o->head));
		o->onto_name = git_format(g->keep, "%s...%s", o->up_name, o->shown);
		return;
	}
	if (o->onto_name == NULL && o->root) {
		make_root(o);
		return;
	}
	if (o->onto_name == NULL)
		o->onto_name = o->up_name;
	dots = strstr(o->onto_name, "...");
	if (dots != NULL)
		onto_merge_base(o,
				git_format(g->a, "%.*s", (int)(dots - o->onto_name), o->onto_name),
				dots + 3);
	else if (rev_commit(g, o->onto_name, &o->onto) < 0)
		git_die(g, "Does not point to a valid commit '%s'", o->onto_name);
}

static void refuse_dirty(struct git *g)
{
	index_put_unmerged(g, index_get(g));

	bool unstaged = pick_unstaged_changes(g);
	bool staged = pick_staged_changes(g);

	if (unstaged)
		git_error(g, "cannot rebase: You have unstaged changes.");
	if (staged)
		git_error(g, unstaged ? "additionally, your index contains uncommitted changes."
				      : "cannot rebase: Your index contains uncommitted changes.");
	if (unstaged || staged) {
		git_error(g, "Please commit or stash them.");
		git_exit(g, 1);
	}
}

static void put_away(struct rebase_opts *o)
{
	struct git *g = o->r.g;
	struct oid stash;

	if (o->autostash != YES || !stash_make_auto(g, &stash))
		return;
	state_write(g, REBASE_DIR "autostash", git_format(g->a, "%s\n", oid_hex(g, &stash)));
	git_printf(g, "Created autostash: %s\n", oid_short(g, &stash, 0));
	pick_reset_hard(g);
}

static bool has_merges(struct rebase_opts *o)
{
	struct git *g = o->r.g;
	struct revs r;
	bool found;

	revs_init(g, &r);
	revs_add_commit(g, &r, commit_at(g, &o->onto), true);
	revs_add_commit(g, &r, commit_at(g, &o->head), false);
	r.min_parents = 2;
	found = revs_next(&r) != NULL;
	revs_forget(g);
	return found;
}

/* Whether the branch is where the rebase would bring it. */
static bool is_up_to_date(struct rebase_opts *o)
{
	struct git *g = o->r.g;
	struct commit *head = commit_at(g, &o->head), *onto = commit_at(g, &o->onto);
	struct commit **bases;

	if (merge_bases(g, onto, head, &bases) != 1 || bases[0] != onto ||
	    (o->left != NULL && o->left != onto))
		return false;
	if (o->has_up &&
	    (merge_bases(g, commit_at(g, &o->up), head, &bases) != 1 || bases[0] != onto))
		return false;
	return !has_merges(o);
}

static int leave_as_it_is(struct rebase_opts *o)
{
	struct git *g = o->r.g;
	const char *ref;
	struct oid now;

	rebase_apply_autostash(g);
	file_remove_tree(g, repo_path(g, g->a, "rebase-merge"));
	ref = head_ref(g);
	if (head_oid(g, &now) && (!oid_eq(&now, &o->head) || o->branch == NULL || ref == NULL ||
				  strcmp(o->branch, ref) != 0)) {
		char *argv[4] = { arena_dup(g->keep, BYTES("checkout")),
				  arena_dup(g->keep, BYTES("-q")),
				  arena_dup(g->keep, bytes_of(o->shown)), NULL };

		if (strcmp(o->shown, "HEAD") != 0 && git_run(g, 3, argv) != 0)
			return 1;
	}
	if (o->r.quiet)
		return 0;
	if (o->branch != NULL)
		git_printf(g, "Current branch %s is up to date.\n", ref_short(g, o->branch));
	else
		git_printf(g, "HEAD is up to date.\n");
	return 0;
}

static void show_stat(struct rebase_opts *o)
{
	struct git *g = o->r.g;
	struct commit **bases;
	struct diff_opts d;
	struct diff_queue q = { .at = NULL };
	struct oid tree;
	size_t n = merge_bases(g, commit_at(g, &o->onto), commit_at(g, &o->head), &bases);
	struct oid base_tree = oid_empty_tree;

	if (n == 1)
		tree_of(g, &bases[0]->oid, &base_tree);
	if (o->r.verbose)
		git_printf(g, n == 1 ? "Changes from %s to %s:\n" : "Changes to %s:\n",
			   oid_hex(g, n == 1 ? &bases[0]->oid : &o->onto), oid_hex(g, &o->onto));
	diff_init(g, &d);
	d.format = DIFF_STAT | DIFF_SUMMARY;
	d.renames = 1;
	diff_settle(g, &d);
	tree_of(g, &o->onto, &tree);
	diff_trees(g, &d, &base_tree, &tree, &q);
	diff_finish(g, &d, &q);
	diff_output(g, &d, &q);
}

static bool go_onto(struct rebase_opts *o, const struct oid *onto)
{
	struct git *g = o->r.g;
	struct switch_opts so = { .action = "checkout" };
	struct oid now, now_tree, tree;

	if (!head_oid(g, &now) || !tree_of(g, &now, &now_tree) || !tree_of(g, onto, &tree))
		git_die(g, "could not read HEAD");
	if (!work_switch(g, &now_tree, &tree, &so)) {
		git_error(g, "could not detach HEAD");
		return false;
	}
	index_write(g, index_get(g));
	ref_update(g, "ORIG_HEAD", &o->head, NULL, NULL, true);
	ref_update(g, "HEAD", onto, NULL,
		   git_format(g->a, "%s: checkout %s", rebase_action(g, "start"), o->onto_name),
		   true);
	char *args[4] = { oid_hex(g, &now), oid_hex(g, onto), arena_dup(g->a, BYTES("1")), NULL };

	git_hook(g, "post-checkout", args, NULL);
	return true;
}

static int give_up(struct git *g)
{
	rebase_apply_autostash(g);
	file_remove_tree(g, repo_path(g, g->a, "rebase-merge"));
	return 1;
}

static int edit_and_run(struct rebase_opts *o)
{
	struct rebase *r = &o->r;
	struct git *g = r->g;
	struct oid onto = o->onto;
	const char *head = oid_short(g, &o->head, 0);
	const char *range = o->has_up ? git_format(g->keep, "%s..%s", oid_short(g, &o->up, 0), head)
				      : head;
	enum edited got = EDITED;

	if (o->interactive) {
		got = edit_list(g, &r->todo, range, oid_short(g, &o->onto, 0));
	} else {
		struct buf b = buf_in(g->a);

		todo_put(g, &r->todo, 0, false, &b);
		todo_put_help(g, &b, range, oid_short(g, &o->onto, 0), todo_count(&r->todo));
		state_write(g, REBASE_DIR "git-rebase-todo.backup", buf_cstr(&b));
	}
	if (got == EDITED_EMPTY) {
		give_up(g);
		return git_error(g, "nothing to do");
	}
	if (got == EDITOR_FAILED)
		return give_up(g);
	if (got == EDITED_WRONG) {
		go_onto(o, &o->onto);
		return 1;
	}
	/* Empty lines and comments are counted, until it is read again. */
	r->total = r->todo.n;
	state_write(g, REBASE_DIR "end", git_format(g->a, "%zu\n", r->total));
	rebase_skip_same(r, &onto);
	if (!go_onto(o, &onto))
		return give_up(g);
	return rebase_run(r);
}

static void ask_hook(struct rebase_opts *o, struct args *args)
{
	struct git *g = o->r.g;
	char *argv[3] = { NULL, NULL, NULL };

	if (o->no_verify)
		return;
	if (o->up_name != NULL)
		argv[0] = arena_dup(g->keep, bytes_of(o->up_name));
	else if (o->root)
		argv[0] = arena_dup(g->keep, BYTES("--root"));
	if (args->argc > (o->root ? 0 : 1))
		argv[1] = args->argv[args->argc - 1];
	if (git_hook(g, "pre-rebase", argv, NULL) != 0)
		git_die(g, "The pre-rebase hook refused to rebase.");
}

static int start(struct rebase_opts *o, struct args *args)
{
	struct git *g = o->r.g;
	bool plain = !o->interactive && o->exec.n == 0 && o->autosquash != YES;

	refuse_second(g);
	find_ends(o, args);
	find_onto(o);
	if (o->fork == 0 && args->argc == 0 && !o->keep_base)
		o->fork = config_bool(g, "rebase.forkpoint", true) ? YES : NO;
	if (o->fork == YES && o->up_name != NULL)
		o->left = fork_point(g, o->up_name, commit_at(g, &o->head));
	put_away(o);
	refuse_dirty(g);
	if (plain && !o->r.root && is_up_to_date(o)) {
		if (!o->r.no_ff)
			return leave_as_it_is(o);
		if (!o->r.quiet && o->branch != NULL)
			git_printf(g, "Current branch %s is up to date, rebase forced.\n",
				   ref_short(g, o->branch));
		else if (!o->r.quiet)
			git_printf(g, "HEAD is up to date, rebase forced.\n");
	}
	ask_hook(o, args);
	if (o->stat == YES && !o->r.quiet)
		show_stat(o);
	write_state(o);
	make_list(o);
	if (o->update_refs == YES) {
		rebase_list_refs(g, o->branch, &o->r.todo);
		rebase_note_refs(g, &o->r.todo);
	}
	if (o->autosquash == YES)
		todo_autosquash(g, &o->r.todo);
	todo_add_exec(g, &o->r.todo, &o->exec);
	return edit_and_run(o);
}

/* --- going on --- */

/* Also changes that are not staged. */
static bool refuse_unmerged(struct git *g)
{
	struct index *x = index_get(g);

	if (!index_put_unmerged(g, x) && !pick_unstaged_changes(g))
		return true;
	git_printf(g, "You must edit all merge conflicts and then\n"
		      "mark them as resolved using git add\n");
	return false;
}

static int resume(struct rebase *r, bool skip)
{
	struct git *g = r->g;
	char *stopped;
	struct oid o;

	if (skip) {
		rerere_clear(g);
		pick_reset_hard(g);
		state_clear(g);
	} else if (!refuse_unmerged(g)) {
		return 1;
	}
	if (!read_state(r) || !rebase_commit_staged(r))
		return 1;
	stopped = rebase_first_line(g, REBASE_STOPPED);
	if (stopped != NULL && oid_parse(stopped, &o))
		rebase_record_rewritten(r, &o, rebase_next_melts(r));
	return rebase_run(r);
}

static int abort_rebase(struct git *g)
{
	char *orig = rebase_first_line(g, REBASE_DIR "orig-head");
	char *name = rebase_first_line(g, REBASE_DIR "head-name");
	struct oid o, tree;

	if (orig == NULL || !oid_parse(orig, &o) || !tree_of(g, &o, &tree))
		git_die(g, "No rebase in progress?");
	rerere_clear(g);
	work_reset(g, &tree);
	index_write(g, index_get(g));
	if (name != NULL && git_starts(name, "refs/"))
		ref_set_symbolic(
			g, "HEAD", name,
			git_format(g->a, "%s: returning to %s", rebase_action(g, "abort"), name));
	else
		ref_update(g, "HEAD", &o, NULL,
			   git_format(g->a, "%s: returning to %s", rebase_action(g, "abort"),
				      oid_hex(g, &o)),
			   true);
	rebase_apply_autostash(g);
	file_remove_tree(g, repo_path(g, g->a, "rebase-merge"));
	state_clear(g);
	state_remove(g, "REBASE_HEAD");
	return 0;
}

static int quit(struct git *g)
{
	file_remove_tree(g, repo_path(g, g->a, "rebase-merge"));
	state_remove(g, "REBASE_HEAD");
	return 0;
}

static int edit_again(struct rebase *r)
{
	struct git *g = r->g;
	char *text = state_read(g, REBASE_DIR "git-rebase-todo");

	if (!todo_parse(g, message_clean(g, bytes_of(text != NULL ? text : ""), true), true,
			&r->todo)) {
		/* It is shown as it is: this is how it is repaired. */
		r->todo.n = 0;
		struct bytes rest = bytes_of(text), line;

		while (git_line(&rest, &line))
			todo_add(g, &r->todo,
				 (struct todo_item){ .kind = TODO_COMMENT, .arg = line });
	}
	return edit_list(g, &r->todo, NULL, NULL) == EDITED ? 0 : 1;
}

static int show_patch(struct git *g)
{
	char *argv[4] = { arena_dup(g->keep, BYTES("show")),
			  arena_dup(g->keep, BYTES("REBASE_HEAD")), arena_dup(g->keep, BYTES("--")),
			  NULL };

	return git_run(g, 3, argv);
}

int git_cmd_rebase(struct git *g, struct args *args)
{
	struct rebase_opts o = { .r = { .g = g } };
	const struct git_parser parser = { rebase_options, &o, rebase_usage, 0, NULL };

	git_parse(g, args, &parser);
	if (g->reflog_action != NULL) { /* pull's: it holds for what is started from here, too */
		struct env e;

		env_init(&e, g->c, false);
		env_put(&e, git_format(g->keep, "GIT_REFLOG_ACTION=%s", g->reflog_action));
		g->c->envp = e.list;
		g->reflog_action = NULL;
	}
	check_options(&o, args->argc);
	if (o.choice.action != ACT_START && !has(g, "rebase-merge"))
		git_die(g, "No rebase in progress?");
	switch (o.choice.action) {
	case ACT_CONTINUE: return resume(&o.r, false);
	case ACT_SKIP: return resume(&o.r, true);
	case ACT_ABORT: return abort_rebase(g);
	case ACT_QUIT: return quit(g);
	case ACT_EDIT: return edit_again(&o.r);
	case ACT_SHOW: return show_patch(g);
	default: return start(&o, args);
	}
}
