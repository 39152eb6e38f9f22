/* SPDX-License-Identifier: MIT
 *
 * git merge.
 */
#include "builtins/git/merge_run.h"
#include "builtins/git/rerere.h"
#include "builtins/git/sequence.h"
#include "builtins/git/status.h"

static const char AUTOSTASH[] = "MERGE_AUTOSTASH";

void merge_bring_back(struct git *g)
{
	char *text = state_read(g, AUTOSTASH);
	struct oid o;

	if (text == NULL)
		return;
	state_remove(g, AUTOSTASH);
	cmd_flush(g->c);
	if (oid_parse(text, &o))
		stash_apply_auto(g, &o);
}

static int set_commit(struct git *g, void *o, const char *a, bool unset)
{
	(void)g, (void)a;
	((struct merge_opts *)o)->no_commit = unset;
	return 0;
}
static int set_ff(struct git *g, void *o, const char *a, bool unset)
{
	(void)g, (void)a;
	((struct merge_opts *)o)->ff = unset ? 1 : 0;
	return 0;
}
static int set_stat(struct git *g, void *o, const char *a, bool unset)
{
	(void)g, (void)a;
	((struct merge_opts *)o)->stat = unset ? -1 : 1;
	return 0;
}
static int set_no_stat(struct git *g, void *o, const char *a, bool unset)
{
	return set_stat(g, o, a, !unset);
}
static int set_log(struct git *g, void *o, const char *a, bool unset)
{
	return merge_set_log(g, &((struct merge_opts *)o)->log, a, unset);
}
static int set_edit(struct git *g, void *o, const char *a, bool unset)
{
	(void)g, (void)a;
	((struct merge_opts *)o)->edit = !unset;
	((struct merge_opts *)o)->no_edit = unset;
	return 0;
}

static const struct git_option merge_options[] = {
	GIT_CALL(0, "stat", set_stat),
	GIT_CALL('n', NULL, set_no_stat),
	GIT_CALL(0, "summary", set_stat),
	GIT_CALL_MAYBE(0, "log", set_log),
	GIT_FLAG(0, "signoff", struct merge_opts, signoff),
	GIT_CALL(0, "progress", git_opt_taken),
	GIT_CALL(0, "overwrite-ignore", git_opt_taken),
	GIT_FLAG(0, "squash", struct merge_opts, squash),
	GIT_FLAG(0, "autostash", struct merge_opts, autostash),
	GIT_CALL(0, "commit", set_commit),
	GIT_CALL('e', "edit", set_edit),
	GIT_CALL(0, "ff", set_ff),
	GIT_SET(0, "ff-only", struct merge_opts, ff, 2),
	GIT_LIST('s', "strategy", struct merge_opts, strategies),
	GIT_LIST('X', "strategy-option", struct merge_opts, xopts),
	GIT_LIST('m', "message", struct merge_opts, messages),
	GIT_STR('F', "file", struct merge_opts, file),
	GIT_STR(0, "into-name", struct merge_opts, into),
	GIT_FLAG('v', "verbose", struct merge_opts, verbose),
	GIT_FLAG('q', "quiet", struct merge_opts, quiet),
	GIT_FLAG(0, "abort", struct merge_opts, abort),
	GIT_FLAG(0, "quit", struct merge_opts, quit),
	GIT_FLAG(0, "continue", struct merge_opts, go_on),
	GIT_FLAG(0, "allow-unrelated-histories", struct merge_opts, allow_unrelated),
	GIT_FLAG(0, "no-verify", struct merge_opts, no_verify),
	GIT_CALL(0, "rerere-autoupdate", git_opt_rerere),
	GIT_MISSING('S', "gpg-sign"),
	GIT_END(),
};
static const char *const merge_usage[] = { "git merge [<options>] [<commit>...]",
					   "git merge --abort", "git merge --continue", NULL };

static void show_stat(struct merge_run *m, const struct oid *from, const struct oid *to)
{
	struct git *g = m->g;
	struct diff_opts d;
	struct diff_queue q = { NULL, 0, 0, { NULL, 0, 0 } };

	if (m->o.quiet || m->o.stat < 0 || !config_bool(g, "merge.stat", true))
		return;
	diff_init(g, &d);
	d.format = DIFF_STAT | DIFF_SUMMARY;
	d.renames = 1;
	diff_settle(g, &d);
	diff_trees(g, &d, from, to, &q);
	diff_finish(g, &d, &q);
	diff_output(g, &d, &q);
}

/* "Merge branch 'x'", or what -m says. */
char *merge_message(struct merge_run *m)
{
	struct git *g = m->g;
	struct buf b = buf_in(g->keep);
	bool given = m->o.messages.n != 0;

	for (size_t i = 0; i < m->o.messages.n; i++)
		buf_printf(&b, "%s%s\n", i > 0 ? "\n" : "", m->o.messages.at[i]);
	if (!given && m->o.file != NULL) {
		struct bytes text;

		if (file_read(g, g->keep, path_join(g->a, g->start, m->o.file), &text) < 0)
			git_die(g, "could not read file '%s'", m->o.file);
		return arena_dup(g->keep, text);
	}
	if (!given) {
		merge_title_put(m, &b);
		merge_into_put(g, m->o.into, &b);
	}
	merge_message_rest(m, given, m->o.log, &b);
	return buf_cstr(&b);
}

/* Who did it, for the log: "merge x", or "pull". */
static const char *log_action(const struct merge_run *m)
{
	struct buf b = buf_in(m->g->a);

	if (m->g->reflog_action != NULL)
		return m->g->reflog_action;
	buf_puts(&b, "merge");
	for (size_t i = 0; i < m->nheads; i++)
		buf_printf(&b, " %s", m->heads[i].name);
	return buf_cstr(&b);
}

/* --autostash: changes that are not committed wait until the merge is. */
static void put_away(struct merge_run *m)
{
	struct git *g = m->g;
	struct oid stash;

	if (!m->o.autostash || !stash_make_auto(g, &stash))
		return;
	state_write(g, AUTOSTASH, git_format(g->a, "%s\n", oid_hex(g, &stash)));
	git_printf(g, "Created autostash: %s\n", oid_short(g, &stash, 0));
	cmd_flush(g->c);
	pick_reset_hard(g);
}

/* They are still away. */
static void say_put_away(struct git *g)
{
	cmd_flush(g->c);
	if (file_exists(g, repo_path(g, g->a, AUTOSTASH)))
		git_say(g, "When finished, apply stashed changes with `git stash pop`\n");
}

static int fast_forward(struct merge_run *m)
{
	struct git *g = m->g;
	struct switch_opts so = { .action = "merge" };

	if (!m->o.quiet)
		git_printf(g, "Updating %s..%s\n", oid_short(g, &m->head, 0),
			   oid_short(g, &m->other, 0));
	put_away(m);
	if (!work_switch(g, &m->head_tree, &m->theirs->tree, &so))
		return 1;
	index_write(g, index_get(g));
	if (!m->o.quiet)
		git_printf(g, "Fast-forward\n");
	if (m->o.squash)
		return 0;
	ref_update(g, "HEAD", &m->other, &m->head,
		   git_format(g->a, "%s: Fast-forward", log_action(m)), false);
	show_stat(m, &m->head_tree, &m->theirs->tree);
	return 0;
}

static void write_squash(struct merge_run *m)
{
	struct git *g = m->g;
	struct revs r;
	struct commit *c;
	struct buf b = buf_in(g->a);
	struct pretty p = { .kind = PRETTY_MEDIUM, .tabs = -1 };

	revs_init(g, &r);
	for (size_t i = 0; i < m->nheads; i++)
		revs_add_commit(g, &r, m->heads[i].commit, false);
	revs_add_commit(g, &r, m->ours, true);
	r.max_parents = 1;
	buf_puts(&b, "Squashed commit of the following:\n");
	while ((c = revs_next(&r)) != NULL) {
		buf_printf(&b, "\ncommit %s\n", oid_hex(g, &c->oid));
		pretty_commit(g, &p, c, &b);
	}
	revs_forget(g);
	state_write(g, "SQUASH_MSG", buf_cstr(&b));
	git_printf(g, "Squash commit -- not updating HEAD\n");
}

static void save_state(struct merge_run *m, const char *message, const struct merging *r)
{
	struct git *g = m->g;
	struct buf b = buf_in(g->a);

	buf_puts(&b, message);
	if (!r->clean) {
		buf_puts(&b, "\n# Conflicts:\n");
		for (size_t i = 0; i < r->n; i++)
			if (r->at[i].conflict)
				buf_printf(&b, "#\t%s\n", r->at[i].path);
	}
	if (!m->o.squash) {
		struct buf heads = buf_in(g->a);

		for (size_t i = 0; i < m->nheads; i++)
			buf_printf(&heads, "%s\n", oid_hex(g, &m->heads[i].commit->oid));
		state_write(g, "MERGE_HEAD", buf_cstr(&heads));
		state_write(g, "MERGE_MODE", m->o.ff == 1 ? "no-ff" : "");
	}
	state_write(g, "MERGE_MSG", buf_cstr(&b));
}

static void hook_after(struct merge_run *m)
{
	char *args[2] = { arena_dup(m->g->a, m->o.squash ? BYTES("1") : BYTES("0")), NULL };

	cmd_flush(m->g->c);
	git_hook(m->g, "post-merge", args, NULL);
}

/* What is staged would become part of the merge: true after a message. */
static bool refuse_staged(struct merge_run *m)
{
	struct git *g = m->g;
	struct diff_opts d;
	struct diff_queue q = { .at = NULL };
	struct buf b = buf_in(g->a);

	diff_init(g, &d);
	d.renames = 1;
	d.announced = 1;
	diff_settle(g, &d);
	diff_cached(g, &d, &m->head_tree, &q);
	diff_finish(g, &d, &q);
	if (q.n == 0)
		return false;
	for (size_t i = 0; i < q.n; i++)
		buf_printf(&b, "%s%s", i > 0 ? " " : "", q.at[i].two->path);
	git_error(g,
		  "Your local changes to the following files would be overwritten by merge:\n  %s",
		  buf_cstr(&b));
	git_say(g, "Merge with strategy %s failed.\n", "ort");
	return true;
}

/* The message after hooks and editor; NULL after an error. */
static char *settle_message(struct merge_run *m, const char *message)
{
	struct git *g = m->g;
	bool edit = m->o.edit || (m->o.messages.n == 0 && !m->o.no_edit && m->o.file == NULL &&
				  cmd_isatty(g->c, 0) && cmd_isatty(g->c, 1));
	char *path = repo_path(g, g->keep, "MERGE_MSG");
	char *args[3] = { git_hook_path(g, "MERGE_MSG"), arena_dup(g->a, BYTES("merge")), NULL };
	struct bytes text;
	int err;

	if (!m->o.no_verify && git_hook(g, "pre-merge-commit", NULL, NULL) != 0)
		return NULL;
	if (m->o.signoff)
		message = arena_dup(g->keep, pick_sign_off(g, bytes_of(message)));
	state_write(g, "MERGE_MSG", message);
	if (edit)
		state_write(g, "MERGE_MSG",
			    git_format(g->a,
				       "%s# Please enter a commit message to explain why this "
				       "merge is necessary,\n# especially if it merges an updated "
				       "upstream into a topic branch.\n#\n# Lines starting with "
				       "'#' will be ignored, and an empty message aborts\n# the "
				       "commit.\n",
				       message));
	if (git_hook(g, "prepare-commit-msg", args, NULL) != 0)
		return NULL;
	if (edit && !message_edit(g, path))
		return NULL;
	args[1] = NULL;
	if (!m->o.no_verify && git_hook(g, "commit-msg", args, NULL) != 0)
		return NULL;
	err = file_read(g, g->keep, path, &text);
	if (err < 0)
		git_die_errno(g, err, "Could not read from '.git/MERGE_MSG'");
	text = message_clean(g, text, edit);
	if (text.len == 0) {
		git_error(g, "Empty commit message.");
		return NULL;
	}
	state_clear_committed(g);
	return arena_dup(g->keep, text);
}

/* -s ours: the result is what we have, and always a commit. */
static bool is_ours(const struct merge_run *m)
{
	return m->o.strategies.n == 1 && strcmp(m->o.strategies.at[0], "ours") == 0;
}

int merge_finish(struct merge_run *m, struct merging *r, const char *strategy, struct commit *first)
{
	struct git *g = m->g;
	char *message = merge_message(m);
	struct oid o;
	struct oid *parents = arena_array(g->keep, m->nheads + 1, sizeof(*parents));
	uint32_t n = 0;

	if (first != NULL)
		parents[n++] = first->oid;
	for (size_t i = 0; i < m->nheads; i++)
		parents[n++] = m->heads[i].commit->oid;
	if (!merge_apply(r, &m->head_tree, "merge")) {
		git_say(g, "Merge with strategy %s failed.\n", strategy);
		merge_bring_back(g);
		return 2;
	}
	cmd_bytes(g->c, buf_bytes(&r->messages));
	if (m->o.squash)
		write_squash(m);
	if (!r->clean) {
		save_state(m, message, r);
		rerere_run(g);
		git_printf(g,
			   "Automatic merge failed; fix conflicts and then commit the result.\n");
		say_put_away(g);
		return 1;
	}
	if (m->o.squash || m->o.no_commit) {
		if (!m->o.squash)
			save_state(m, message, r);
		else
			hook_after(m);
		git_say(g, "Automatic merge went well; stopped before committing as requested\n");
		say_put_away(g);
		return 0;
	}
	save_state(m, message, r);
	message = settle_message(m, message);
	if (message == NULL) {
		git_say(g, "Not committing merge; use 'git commit' to complete the merge.\n");
		return 1;
	}
	commit_write(g, &r->tree, parents, n, NULL, bytes_of(message), &o);
	ref_update(
		g, "HEAD", &o, &m->head,
		git_format(g->a, "%s: Merge made by the '%s' strategy.", log_action(m), strategy),
		false);
	if (!m->o.quiet)
		git_printf(g, "Merge made by the '%s' strategy.\n", strategy);
	show_stat(m, &m->head_tree, &r->tree);
	hook_after(m);
	merge_bring_back(g);
	return 0;
}

static int real_merge(struct merge_run *m)
{
	struct git *g = m->g;
	struct merging r = { .g = g,
			     .ours = "HEAD",
			     .theirs = m->heads[0].name,
			     .style = merge_style_of(g, NULL),
			     .lines = LINES_HISTOGRAM };
	bool ours = is_ours(m);

	put_away(m);
	for (size_t i = 0; i < m->o.xopts.n; i++) {
		if (!merge_option(&r, m->o.xopts.at[i]))
			git_die(g, "unknown strategy option: -X%s", m->o.xopts.at[i]);
	}
	if (ours) {
		r.clean = true;
		r.tree = m->head_tree;
		r.messages = buf_in(g->a);
	} else {
		if (refuse_staged(m))
			return 2;
		merge_commits(&r, m->ours, m->theirs);
	}
	return merge_finish(m, &r, ours ? "ours" : "ort", m->ours);
}

static int abort_merge(struct git *g)
{
	struct oid head, tree;

	if (!merge_in_progress(g))
		git_die(g, "There is no merge to abort (MERGE_HEAD missing).");
	if (!head_oid(g, &head) || !tree_of(g, &head, &tree))
		git_die(g, "Could not read HEAD");
	work_reset_index(g, &tree);
	index_write(g, index_get(g));
	reflog_add(g, "HEAD", &head, &head, "reset: moving to HEAD");
	char *stash = state_read(g, AUTOSTASH);

	state_remove(g, AUTOSTASH);
	state_clear_merge(g);
	if (stash != NULL)
		state_write(g, AUTOSTASH, stash);
	merge_bring_back(g);
	return 0;
}

static int continue_merge(struct git *g)
{
	char *argv[2] = { arena_dup(g->keep, BYTES("commit")), NULL };

	if (!merge_in_progress(g))
		git_die(g, "There is no merge in progress (MERGE_HEAD missing).");
	return git_run(g, 1, argv);
}

static void check_state(struct merge_run *m)
{
	struct git *g = m->g;

	if (index_unmerged(index_get(g))) {
		git_error(g, "Merging is not possible because you have unmerged files.");
		git_hint(g, "resolveConflict",
			 "Fix them up in the work tree, and then use 'git add/rm <file>'\n"
			 "as appropriate to mark resolution and make a commit.\n");
		git_die(g, "Exiting because of an unresolved conflict.");
	}
	if (merge_in_progress(g))
		git_die(g, "You have not concluded your merge (MERGE_HEAD exists).\n"
			   "Please, commit your changes before you merge.");
	if (file_exists(g, repo_path(g, g->a, "CHERRY_PICK_HEAD")))
		git_die(g, "You have not concluded your cherry-pick (CHERRY_PICK_HEAD exists).\n"
			   "Please, commit your changes before you merge.");
}

static const char *default_name(struct git *g)
{
	const char *why;
	char *head = head_ref(g);
	char *up = head != NULL ? rev_upstream(g, head, &why) : NULL;

	if (head == NULL)
		git_die(g, "No current branch.");
	if (up == NULL)
		git_die(g, "No remote for the current branch.");
	return ref_short(g, up);
}

static bool add_head(struct merge_run *m, const char *name)
{
	struct git *g = m->g;
	struct merge_head *h = &m->heads[m->nheads++];

	h->name = arena_dup(g->keep, bytes_of(merge_branch_named(g, name)));
	if (rev_parse(g, h->name, &h->object) < 0) {
		git_say(g, "merge: %s - not something we can merge\n", h->name);
		return false;
	}
	h->note = merge_note(g, h->name, &h->object);
	return true;
}

/* What is to be merged; false after a message. */
static bool read_heads(struct merge_run *m, struct args *args)
{
	struct git *g = m->g;
	size_t n = args->argc > 0 ? (size_t)args->argc : 1;

	if (args->argc == 1 && strcmp(args->argv[0], "FETCH_HEAD") == 0) {
		if (!file_exists(g, repo_path(g, g->a, "FETCH_HEAD")))
			git_die(g, "could not open '.git/FETCH_HEAD' for reading: %s",
				err_text(-E_NOENT));
		m->nheads = fetch_head_read(g, &m->heads);
		if (m->nheads == 0) {
			git_printf(g, "Already up to date.\n");
			git_exit(g, 0);
		}
	} else {
		m->heads = arena_array(g->keep, n, sizeof(*m->heads));
		for (size_t i = 0; i < n; i++)
			if (!add_head(m, args->argc > 0 ? args->argv[i] : default_name(g)))
				return false;
	}
	for (size_t i = 0; i < m->nheads; i++) {
		struct merge_head *h = &m->heads[i];
		struct oid o;

		if (!object_peel(g, &h->object, OBJECT_COMMIT, &o)) {
			git_say(g, "merge: %s - not something we can merge\n", h->name);
			return false;
		}
		h->commit = commit_at(g, &o);
		commit_need(g, h->commit);
	}
	m->theirs = m->heads[0].commit;
	m->other = m->theirs->oid;
	return true;
}

/* Several heads: a strategy that can do it, and no fast forward. */
static int merge_many(struct merge_run *m)
{
	struct git *g = m->g;
	struct merging r = { .g = g, .clean = true, .tree = m->head_tree };
	const char *strategy = m->o.strategies.n != 0 ? m->o.strategies.at[0] : "octopus";

	if (m->o.ff == 2)
		git_die(g, "Not possible to fast-forward, aborting.");
	for (size_t i = 0; i < m->nheads && !m->o.allow_unrelated; i++) {
		struct commit **bases;

		if (merge_bases(g, m->ours, m->heads[i].commit, &bases) == 0)
			git_die(g, "refusing to merge unrelated histories");
	}
	ref_update(g, "ORIG_HEAD", &m->head, NULL, NULL, true);
	put_away(m);
	if (is_ours(m)) {
		r.messages = buf_in(g->a);
		return merge_finish(m, &r, "ours", m->ours);
	}
	if (strcmp(strategy, "octopus") == 0)
		return merge_octopus(m);
	git_error(g, "Not handling anything other than two heads merge.");
	git_say(g, "Merge with strategy %s failed.\n", strategy);
	return 2;
}

/* The first commit here is theirs. A pull stops as a merge does. */
static int merge_unborn(struct merge_run *m)
{
	static const struct switch_opts so = { .action = "merge" };
	struct git *g = m->g;

	if (m->nheads > 1)
		git_die(g, "Can merge only exactly one commit into empty head");
	if (!work_switch(g, NULL, &m->theirs->tree, &so)) {
		if (g->reflog_action != NULL && git_starts(g->reflog_action, "pull"))
			return 1;
		git_die(g, "read-tree failed");
	}
	index_write(g, index_get(g));
	ref_update(g, "HEAD", &m->other, NULL, "initial pull", false);
	return 0;
}

int git_cmd_merge(struct git *g, struct args *args)
{
	struct merge_run m = { .g = g, .o = { .log = -1 } };
	const struct git_parser p = { merge_options, &m.o, merge_usage, 0, NULL };
	struct commit **bases;
	const char *ff = config_get(g, "merge.ff");
	size_t n;

	if (ff != NULL)
		m.o.ff = strcmp(ff, "only") == 0 ? 2 : config_truth(ff) == 0 ? 1 : 0;
	m.o.autostash = config_bool(g, "merge.autostash", false);
	git_parse(g, args, &p);
	if (m.o.abort)
		return abort_merge(g);
	if (m.o.quit) {
		state_clear(g);
		return 0;
	}
	if (m.o.go_on)
		return continue_merge(g);
	check_state(&m);
	if (!read_heads(&m, args))
		return 1;
	if (!head_oid(g, &m.head))
		return merge_unborn(&m);
	m.ours = commit_at(g, &m.head);
	commit_need(g, m.ours);
	m.head_tree = m.ours->tree;
	if (m.nheads > 1) {
		merge_reduce(&m);
		if (m.nheads > 1)
			return merge_many(&m);
	}
	n = merge_bases(g, m.ours, m.theirs, &bases);
	if (n == 0 && !m.o.allow_unrelated)
		git_die(g, "refusing to merge unrelated histories");
	if (n > 0 && bases[0] == m.theirs) {
		if (!m.o.quiet)
			git_printf(g, "Already up to date.%s\n",
				   m.o.squash ? " (nothing to squash)" : "");
		return 0;
	}
	ref_update(g, "ORIG_HEAD", &m.head, NULL, NULL, true);
	if (n > 0 && bases[0] == m.ours && m.o.ff != 1 && !is_ours(&m)) {
		int status = fast_forward(&m);

		if (status == 0 && m.o.squash) {
			write_squash(&m);
			show_stat(&m, &m.head_tree, &m.theirs->tree);
		}
		if (status == 0)
			hook_after(&m);
		if (!m.o.squash || status != 0)
			merge_bring_back(g);
		return status;
	}
	if (m.o.ff == 2) {
		git_die(g, "Not possible to fast-forward, aborting.");
	}
	return real_merge(&m);
}
