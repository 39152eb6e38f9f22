/* SPDX-License-Identifier: MIT
 *
 * status for people; the same text, behind "#", is what commit's editor shows.
 */
#include "builtins/git/sparse.h"
#include "builtins/git/commit.h"
#include "builtins/git/status_private.h"
#include "builtins/git/submodule.h"

static bool hints(struct status *s)
{
	return !s->o.commented && config_bool(s->g, "advice.statushints", true);
}

static const char *shown(struct status *s, const char *path)
{
	if (config_bool(s->g, "status.relativepaths", true))
		path = path_relative(s->g, path);
	return git_quoted(s->g, path);
}

static const char *word_of(char status)
{
	switch (status) {
	case 'A': return "new file:";
	case 'C': return "copied:";
	case 'D': return "deleted:";
	case 'R': return "renamed:";
	case 'T': return "typechange:";
	default: return "modified:";
	}
}

static void put_submodule(const struct diff_pair *p, struct buf *out)
{
	const char *const words[] = {
		p->two->oid_known ? NULL : "new commits",
		p->two->dirty & SUBMODULE_MODIFIED ? "modified content" : NULL,
		p->two->dirty & SUBMODULE_UNTRACKED ? "untracked content" : NULL
	};
	const char *before = " (";

	for (size_t i = 0; i < 3; i++)
		if (words[i] != NULL) {
			buf_printf(out, "%s%s", before, words[i]);
			before = ", ";
		}
	if (before[0] == ',')
		buf_putc(out, ')');
}

static void put_pairs(struct status *s, const struct diff_queue *q, const char *slot,
		      const char *color, struct buf *out)
{
	const char *set = status_color(s, slot, color);
	const char *reset = set[0] != '\0' ? COLOR_RESET : "";

	for (size_t i = 0; i < q->n; i++) {
		const struct diff_pair *p = &q->at[i];

		buf_printf(out, "\t%s%-12s", set, word_of(p->status));
		if (p->status == 'R' || p->status == 'C')
			buf_printf(out, "%s -> %s", shown(s, p->one->path), shown(s, p->two->path));
		else
			buf_puts(out, shown(s, p->one->mode != 0 ? p->one->path : p->two->path));
		buf_puts(out, reset);
		if (p->two->mode == MODE_GITLINK)
			put_submodule(p, out);
		buf_putc(out, '\n');
	}
	buf_putc(out, '\n');
}

static void put_staged(struct status *s, struct buf *out)
{
	if (s->staged.n == 0)
		return;
	buf_puts(out, "Changes to be committed:\n");
	if (hints(s) && status_from_commit(s->g)) {
		if (s->initial && !s->o.amend)
			buf_puts(out, "  (use \"git rm --cached <file>...\" to unstage)\n");
		else if (s->o.amend)
			buf_puts(out,
				 "  (use \"git restore --source=HEAD^1 --staged <file>...\" to "
				 "unstage)\n");
		else
			buf_puts(out, "  (use \"git restore --staged <file>...\" to unstage)\n");
	}
	put_pairs(s, &s->staged, "added", "\033[32m", out);
}

static void put_unmerged(struct status *s, struct buf *out)
{
	static const char *const words[] = { "",
					     "both deleted:",
					     "added by us:",
					     "deleted by them:",
					     "added by them:",
					     "deleted by us:",
					     "both added:",
					     "both modified:" };
	const char *set = status_color(s, "unmerged", "\033[31m");
	bool any_deleted = false, both_deleted = false, not_deleted = false;

	if (s->unmerged.n == 0)
		return;
	for (size_t i = 0; i < s->unmerged.n; i++) {
		unsigned mask = status_stages(s->g, s->unmerged.at[i]);

		if (mask == 1)
			both_deleted = true;
		else if (mask == 3 || mask == 5)
			any_deleted = true;
		else
			not_deleted = true;
	}
	buf_puts(out, "Unmerged paths:\n");
	if (hints(s)) {
		if (status_from_commit(s->g))
			buf_printf(out, "  (use \"git %s<file>...\" to unstage)\n",
				   s->initial ? "rm --cached " : "restore --staged ");
		if (both_deleted && !any_deleted && !not_deleted)
			buf_puts(out, "  (use \"git rm <file>...\" to mark resolution)\n");
		else if (any_deleted || both_deleted)
			buf_puts(out, "  (use \"git add/rm <file>...\" as appropriate to mark "
				      "resolution)\n");
		else
			buf_puts(out, "  (use \"git add <file>...\" to mark resolution)\n");
	}
	for (size_t i = 0; i < s->unmerged.n; i++)
		buf_printf(out, "\t%s%-17s%s%s\n", set,
			   words[status_stages(s->g, s->unmerged.at[i])],
			   shown(s, s->unmerged.at[i]), set[0] != '\0' ? COLOR_RESET : "");
	buf_putc(out, '\n');
}

static void put_work(struct status *s, struct buf *out)
{
	bool deleted = false, dirty = false;

	if (s->work.n == 0)
		return;
	for (size_t i = 0; i < s->work.n; i++) {
		deleted = deleted || s->work.at[i].status == 'D';
		dirty = dirty || s->work.at[i].two->dirty != 0;
	}
	buf_puts(out, "Changes not staged for commit:\n");
	if (hints(s)) {
		buf_printf(out,
			   "  (use \"git add%s <file>...\" to update what will be committed)\n",
			   deleted ? "/rm" : "");
		buf_puts(out, "  (use \"git restore <file>...\" to discard changes in working "
			      "directory)\n");
		if (dirty)
			buf_puts(out, "  (commit or discard the untracked or modified content in "
				      "submodules)\n");
	}
	put_pairs(s, &s->work, "changed", "\033[31m", out);
}

static void put_others(struct status *s, const struct names *list, const char *title,
		       const char *how, struct buf *out)
{
	const char *set = status_color(s, "untracked", "\033[31m");

	if (list->n == 0)
		return;
	buf_printf(out, "%s:\n", title);
	if (hints(s))
		buf_printf(out,
			   "  (use \"git %s <file>...\" to include in what will be committed)\n",
			   how);
	for (size_t i = 0; i < list->n; i++)
		buf_printf(out, "\t%s%s%s\n", set, shown(s, list->at[i]),
			   set[0] != '\0' ? COLOR_RESET : "");
	buf_putc(out, '\n');
}

static void put_last_line(struct status *s, struct buf *out)
{
	bool advice = hints(s);

	if (s->o.amend) {
		buf_puts(out, "No changes\n");
		return;
	}
	if (s->work.n != 0 || s->unmerged.n != 0) {
		buf_printf(out, "no changes added to commit%s\n",
			   advice ? " (use \"git add\" and/or \"git commit -a\")" : "");
	} else if (s->untracked.n != 0) {
		buf_printf(out, "nothing added to commit but untracked files present%s\n",
			   advice ? " (use \"git add\" to track)" : "");
	} else if (s->initial) {
		buf_printf(out, "nothing to commit%s\n",
			   advice ? " (create/copy files and use \"git add\" to track)" : "");
	} else if (s->o.untracked == SHOW_NO) {
		buf_printf(out, "nothing to commit%s\n",
			   advice ? " (use -u to show untracked files)" : "");
	} else {
		buf_puts(out, "nothing to commit, working tree clean\n");
	}
}

static void put_branch(struct status *s, struct buf *out)
{
	struct git *g = s->g;
	char *head = head_ref(g);
	const char *color = status_color(s, "branch", "");
	const char *reset = status_color(s, "branch", "\033[m")[0] != '\0' ? COLOR_RESET : "";

	(void)color;
	if (head != NULL) {
		size_t from;

		buf_printf(out, "On branch %s\n",
			   git_starts(head, "refs/heads/") ? head + 11 : head);
		from = out->len;
		if (!s->initial)
			status_put_tracking(g, head, out, false);
		if (out->len != from)
			buf_putc(out, '\n');
		return;
	}
	const char *nobranch = status_color(s, "nobranch", "\033[31m");

	status_put_detached(g, nobranch, nobranch[0] != '\0' ? COLOR_RESET : reset, out);
}

static void init_patch(struct status *s, struct diff_opts *d)
{
	diff_init(s->g, d);
	d->format = DIFF_PATCH;
	d->color = s->o.commented ? 0 : -1;
	d->mnemonic = s->o.verbose > 1;
	diff_settle(s->g, d);
}

static void put_patches(struct status *s, struct diff_opts *d, struct diff_queue *q,
			const char *heading, struct buf *out)
{
	diff_finish(s->g, d, q);
	if (heading != NULL && s->o.commented)
		message_put_comment(s->g, bytes_of(heading), out);
	else if (heading != NULL)
		buf_puts(out, heading);
	for (size_t i = 0; i < q->n; i++)
		diff_patch(s->g, d, &q->at[i], out);
}

/* What -v adds: what is staged; twice: the rest as well. */
static void put_difference(struct status *s, struct buf *out)
{
	struct git *g = s->g;
	struct diff_opts d;
	struct diff_queue q = { .at = NULL }, rest = { .at = NULL };
	struct oid head, tree = oid_empty_tree;
	bool there = head_oid(g, &head);

	if (there && s->o.amend) {
		struct commit *c = commit_at(g, &head);

		commit_need(g, c);
		there = c->nparents > 0;
		if (there)
			head = c->parent[0]->oid;
	}
	if (there)
		tree_of(g, &head, &tree);
	init_patch(s, &d);
	diff_cached(g, &d, &tree, &q);
	if (s->o.commented)
		message_put_cut(g, out);
	put_patches(s, &d, &q,
		    s->o.verbose < 2 || !s->committable ? NULL
		    : s->o.commented                    ? "\nChanges to be committed:\n"
							: "Changes to be committed:\n",
		    out);
	if (s->o.verbose < 2)
		return;
	init_patch(s, &d);
	diff_work(g, &d, &rest);
	if (rest.n != 0)
		put_patches(s, &d, &rest,
			    "--------------------------------------------------\n"
			    "Changes not staged for commit:\n",
			    out);
}

/* How much of the files is there, where some are left out. */
static void put_sparse(struct status *s, struct buf *out)
{
	const struct index *x = index_get(s->g);
	size_t skipped = 0;

	if (!sparse_is_on(s->g) || x->n == 0)
		return;
	for (size_t i = 0; i < x->n; i++)
		skipped += (x->at[i].xflags & ENTRY_SKIP_WORKTREE) != 0;
	buf_printf(out, "You are in a sparse checkout with %d%% of tracked files present.\n\n",
		   100 - (int)(100 * skipped / x->n));
}

void status_put_long(struct status *s, struct buf *out)
{
	struct buf body = buf_in(s->g->a);

	put_branch(s, &body);
	status_put_state(s, &body);
	put_sparse(s, &body);
	if (s->initial)
		buf_printf(&body, "\n%s\n\n",
			   s->o.for_commit ? "Initial commit" : "No commits yet");
	put_staged(s, &body);
	put_unmerged(s, &body);
	put_work(s, &body);
	put_others(s, &s->untracked, "Untracked files", "add", &body);
	if (s->o.ignored)
		put_others(s, &s->ignored, "Ignored files", "add -f", &body);
	if (s->o.untracked == SHOW_NO && s->committable)
		buf_printf(&body, "Untracked files not listed%s\n",
			   hints(s) ? " (use -u option to show untracked files)" : "");
	if (s->o.commented)
		message_put_comment(s->g, buf_bytes(&body), out);
	else
		buf_add(out, buf_bytes(&body));
	if (s->o.verbose != 0)
		put_difference(s, out);
	if (!s->committable && !s->o.commented)
		put_last_line(s, out);
}
