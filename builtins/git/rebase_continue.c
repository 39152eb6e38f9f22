/* SPDX-License-Identifier: MIT
 *
 * rebase --continue: what people did since the stop becomes a commit, or is found not to be one.
 */
#include "builtins/git/sequence.h"

static bool has(struct git *g, const char *name)
{
	return file_exists(g, repo_path(g, g->a, name));
}

/* What is to be done about a commit that was to be amended. False after a message. */
static bool settle_amend(struct rebase *r, bool clean, unsigned *flags, bool *final)
{
	struct git *g = r->g;
	char *name = rebase_first_line(g, REBASE_AMEND);
	struct oid head, amend;
	bool same;

	if (name == NULL || !oid_parse(name, &amend) || !head_oid(g, &head)) {
		git_error(g, "invalid contents: '%s'", name != NULL ? name : "");
		return false;
	}
	same = oid_eq(&head, &amend);
	if (!clean && !same) {
		git_error(g, "\nYou have uncommitted changes in your working tree. Please, commit "
			     "them\nfirst and then run 'git rebase --continue' again.");
		return false;
	}
	*flags |= RUN_AMEND;
	if (!clean || squash_count(g) == 0)
		return true;
	if (!same || !has(g, REBASE_STOPPED)) {
		if (!rebase_next_melts(r))
			squash_forget(g);
		return true;
	}
	/* One of a chain was skipped. */
	bool silent = squash_drop_last(g);

	if (squash_count(g) == 0)
		return true;
	if (!rebase_next_melts(r)) {
		*final = true;
		*flags = RUN_AMEND | RUN_STRIP | (silent ? 0u : RUN_EDIT);
	} else {
		struct commit_text t;

		commit_text(g, g->a, &head, &t);
		state_write(g, REBASE_DIR "message-squash", arena_dup(g->a, t.message));
	}
	return true;
}

bool rebase_commit_staged(struct rebase *r)
{
	struct git *g = r->g;
	unsigned flags = RUN_EDIT;
	bool final = false;
	bool clean = !pick_staged_changes(g);

	if (pick_unstaged_changes(g)) {
		git_error(g, "cannot rebase: You have unstaged changes.");
		return false;
	}
	if (!clean && !has(g, REBASE_MESSAGE)) {
		git_error(g, "you have staged changes in your working tree\n"
			     "If these changes are meant to be squashed into the previous commit, "
			     "run:\n\n  git commit --amend \n\n"
			     "If they are meant to go into a new commit, run:\n\n  git commit \n\n"
			     "In both cases, once you're done, continue with:\n\n"
			     "  git rebase --continue\n");
		return false;
	}
	if (has(g, REBASE_AMEND) && !settle_amend(r, clean, &flags, &final))
		return false;
	if (clean) {
		state_remove(g, "CHERRY_PICK_HEAD");
		state_remove(g, "MERGE_MSG");
		if (!final)
			return true;
	}
	g->reflog_action = rebase_action(g, "continue");
	if (rebase_run_commit(r, final ? NULL : REBASE_MESSAGE, flags) != 0) {
		git_error(g, "could not commit staged changes.");
		return false;
	}
	g->reflog_action = NULL;
	state_remove(g, REBASE_AMEND);
	state_clear(g);
	if (final || squash_count(g) > 0)
		squash_forget(g);
	return true;
}
