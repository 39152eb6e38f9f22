/* SPDX-License-Identifier: MIT
 *
 * What is under way in a repository: a merge, rebase, cherry-pick; where HEAD was detached.
 */
#include "builtins/git/status.h"

static bool has(struct git *g, const char *name)
{
	return file_exists(g, repo_path(g, g->a, name));
}

bool merge_in_progress(struct git *g)
{
	return has(g, "MERGE_HEAD");
}

bool status_from_commit(struct git *g)
{
	return !has(g, "MERGE_HEAD") && (!has(g, "CHERRY_PICK_HEAD") || has(g, "rebase-merge"));
}

static char *first_line(struct git *g, const char *name)
{
	struct bytes text;
	struct bytes line;

	if (file_read(g, g->a, repo_path(g, g->a, name), &text) < 0 || !git_line(&text, &line))
		return NULL;
	return arena_dup(g->a, line);
}

void status_put_detached(struct git *g, const char *color, const char *reset, struct buf *out)
{
	struct reflog_entry *log;
	size_t n = reflog_read(g, "HEAD", &log);
	struct oid head;
	char *onto = first_line(g, "rebase-merge/onto");

	if (onto == NULL)
		onto = first_line(g, "rebase-apply/onto");
	if (onto != NULL) {
		struct oid o;

		if (oid_parse(onto, &o) && strlen(onto) == OID_HEX)
			buf_printf(out, "%s%srebase in progress; onto %s%s\n",
				   has(g, "rebase-merge/interactive") ? "interactive " : "", color,
				   reset, oid_short(g, &o, 0));
		return;
	}
	for (size_t i = n; i > 0; i--) {
		struct bytes m = log[i - 1].message;
		const char *to;
		char *name;
		struct oid o, peeled;
		bool several;
		char *full;

		if (!bytes_starts(m, BYTES("checkout: moving from ")))
			continue;
		to = bytes_rfind(m, BYTES(" to "));
		if (to == NULL)
			break;
		name = arena_dup(g->a, bytes_slice(m, (size_t)(to + 4 - m.ptr), m.len));
		full = ref_expand(g, name, &o, &several);
		const char *shown = name;

		if (full != NULL && strcmp(full, "HEAD") != 0 &&
		    object_peel(g, &o, OBJECT_COMMIT, &peeled) &&
		    oid_eq(&peeled, &log[i - 1].after))
			shown = git_starts(full, "refs/heads/") ? full : ref_short(g, full);
		else
			shown = oid_short(g, &log[i - 1].after, 0);
		buf_printf(out, "%sHEAD detached %s %s%s\n", color,
			   head_oid(g, &head) && oid_eq(&head, &log[i - 1].after) ? "at" : "from",
			   reset, shown);
		return;
	}
	buf_printf(out, "%sNot currently on any branch.%s\n", color, reset);
}

static void put_merge(struct status *s, struct buf *out, bool hints)
{
	if (s->unmerged.n != 0) {
		buf_puts(out, "You have unmerged paths.\n");
		if (hints)
			buf_puts(out, "  (fix conflicts and run \"git commit\")\n"
				      "  (use \"git merge --abort\" to abort the merge)\n");
	} else {
		buf_puts(out, "All conflicts fixed but you are still merging.\n");
		if (hints)
			buf_puts(out, "  (use \"git commit\" to conclude merge)\n");
	}
	buf_putc(out, '\n');
}

/* "pick <full name> text": what names a commit is shortened. */
static void put_command(struct git *g, const char *line, struct buf *out)
{
	static const char *const others[] = { "exec ", "x ", "label ", "l " };
	const char *blank = strchr(line, ' ');
	struct oid o;

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (git_starts(line, others[i]))
			blank = NULL;
	if (blank != NULL) {
		size_t n = strcspn(blank + 1, " ");

		if (rev_parse(g, git_format(g->a, "%.*s", (int)n, blank + 1), &o) == 0) {
			buf_printf(out, "   %.*s %s %s\n", (int)(blank - line), line,
				   oid_short(g, &o, 0), blank + 1 + n + (blank[1 + n] == ' '));
			return;
		}
	}
	buf_printf(out, "   %s\n", line);
}

/* Lines of the todo list, or of what is done. */
static void put_todo(struct status *s, const char *file, const char *empty, bool from_end,
		     bool hints, struct buf *out)
{
	struct git *g = s->g;
	struct bytes text = { "", 0 };
	struct bytes line;
	struct bytes list[2] = { { NULL, 0 }, { NULL, 0 } };
	size_t n = 0;

	file_read(g, g->a, repo_path(g, g->a, file), &text);
	while (git_line(&text, &line)) {
		if (line.len == 0 || line.ptr[0] == '#')
			continue;
		if (n < 2)
			list[n] = line;
		else if (from_end) {
			list[0] = list[1];
			list[1] = line;
		}
		n++;
	}
	if (n == 0) {
		buf_puts(out, empty);
		return;
	}
	if (from_end)
		buf_printf(out, "Last command%s done (%zu command%s done):\n", n == 1 ? "" : "s", n,
			   n == 1 ? "" : "s");
	else
		buf_printf(out, "Next command%s to do (%zu remaining command%s):\n",
			   n == 1 ? "" : "s", n, n == 1 ? "" : "s");
	for (size_t i = 0; i < 2 && i < n; i++)
		put_command(g, arena_dup(g->a, list[i]), out);
	if (!from_end && hints)
		buf_puts(out, "  (use \"git rebase --edit-todo\" to view and edit)\n");
	if (from_end && n > 2 && hints)
		buf_printf(out, "  (see more in file .git/%s)\n", file);
}

/* Whether the commit that was to be edited is gone, with changes still in the files. */
static bool splitting(struct status *s)
{
	struct git *g = s->g;
	char *amend = first_line(g, "rebase-merge/amend");
	char *orig = first_line(g, "rebase-merge/orig-head");
	struct oid head;

	if (amend == NULL || orig == NULL || s->work.n == 0 || !head_oid(g, &head) ||
	    head_ref(g) != NULL)
		return false;
	if (strcmp(amend, orig) == 0)
		return strcmp(oid_hex(g, &head), amend) != 0;
	return strcmp(oid_hex(g, &head), orig) != 0;
}

static void put_lists(struct status *s, struct buf *out, bool hints)
{
	put_todo(s, "rebase-merge/done", "No commands done.\n", true, hints, out);
	put_todo(s, "rebase-merge/git-rebase-todo", "No commands remaining.\n", false, hints, out);
}

static void put_rebase(struct status *s, struct buf *out, bool hints)
{
	struct git *g = s->g;
	char *branch = first_line(g, "rebase-merge/head-name");
	char *onto = first_line(g, "rebase-merge/onto");
	struct oid o;

	put_lists(s, out, hints);
	bool rebasing = s->unmerged.n != 0 || has(g, "MERGE_MSG");
	bool splits = !rebasing && splitting(s);
	const char *doing = rebasing ? "rebasing"
			    : splits ? "splitting a commit while rebasing"
				     : "editing a commit while rebasing";

	if (branch != NULL && git_starts(branch, "refs/") && onto != NULL && oid_parse(onto, &o))
		buf_printf(out, "You are currently %s branch '%s' on '%s'.\n", doing,
			   ref_short(g, branch), oid_short(g, &o, 0));
	else
		buf_printf(out, rebasing ? "You are currently rebasing.\n"
				: splits ? "You are currently splitting a commit during a rebase.\n"
					 : "You are currently editing a commit during a rebase.\n");
	if (!hints)
		;
	else if (splits)
		buf_puts(out, "  (Once your working directory is clean, run \"git rebase "
			      "--continue\")\n");
	else if (!rebasing)
		buf_puts(out, "  (use \"git commit --amend\" to amend the current commit)\n"
			      "  (use \"git rebase --continue\" once you are satisfied with "
			      "your changes)\n");
	else if (s->unmerged.n != 0)
		buf_puts(out, "  (fix conflicts and then run \"git rebase --continue\")\n"
			      "  (use \"git rebase --skip\" to skip this patch)\n"
			      "  (use \"git rebase --abort\" to check out the original branch)\n");
	else
		buf_puts(out, "  (all conflicts fixed: run \"git rebase --continue\")\n");
	buf_putc(out, '\n');
}

static void put_am(struct status *s, struct buf *out, bool hints)
{
	struct bytes patch = BYTES("");

	buf_puts(out, "You are in the middle of an am session.\n");
	file_read(s->g, s->g->a, repo_path(s->g, s->g->a, "rebase-apply/patch"), &patch);
	if (patch.len == 0)
		buf_puts(out, "The current patch is empty.\n");
	if (hints) {
		if (patch.len != 0)
			buf_puts(out, "  (fix conflicts and then run \"git am --continue\")\n");
		buf_puts(out, "  (use \"git am --skip\" to skip this patch)\n"
			      "  (use \"git am --abort\" to restore the original branch)\n");
	}
	buf_putc(out, '\n');
}

/* file NULL: between two commits of a sequence. */
static void put_pick(struct status *s, struct buf *out, const char *file, const char *doing,
		     const char *command, bool hints)
{
	struct git *g = s->g;
	char *name = file != NULL ? first_line(g, file) : NULL;
	struct oid o;

	if (file != NULL && (name == NULL || !oid_parse(name, &o)))
		return;
	if (file != NULL)
		buf_printf(out, "You are currently %s commit %s.\n", doing, oid_short(g, &o, 0));
	else
		buf_printf(out, "%s currently in progress.\n", doing);
	if (hints) {
		if (s->unmerged.n != 0)
			buf_printf(out, "  (fix conflicts and run \"git %s --continue\")\n",
				   command);
		else if (file == NULL)
			buf_printf(out, "  (run \"git %s --continue\" to continue)\n", command);
		else
			buf_printf(out, "  (all conflicts fixed: run \"git %s --continue\")\n",
				   command);
		buf_printf(out, "  (use \"git %s --skip\" to skip this patch)\n", command);
		buf_printf(out, "  (use \"git %s --abort\" to cancel the %s operation)\n", command,
			   command);
	}
	buf_putc(out, '\n');
}

/* A cherry-pick or revert, of one commit or of several. */
static void put_picks(struct status *s, struct buf *out, bool hints)
{
	struct git *g = s->g;
	char *todo = first_line(g, "sequencer/todo");
	bool reverts = todo != NULL && git_starts(todo, "revert");
	bool picks = todo != NULL && git_starts(todo, "pick");

	if (picks)
		put_pick(s, out, NULL, "Cherry-pick", "cherry-pick", hints);
	else if (has(g, "CHERRY_PICK_HEAD"))
		put_pick(s, out, "CHERRY_PICK_HEAD", "cherry-picking", "cherry-pick", hints);
	else if (reverts)
		put_pick(s, out, NULL, "Revert", "revert", hints);
	else if (has(g, "REVERT_HEAD"))
		put_pick(s, out, "REVERT_HEAD", "reverting", "revert", hints);
}

static void put_bisect(struct status *s, struct buf *out, bool hints)
{
	char *start = first_line(s->g, "BISECT_START");
	struct oid o;

	if (start != NULL && oid_parse(start, &o))
		buf_printf(out, "You are currently bisecting, started from branch '%s'.\n",
			   oid_short(s->g, &o, 0));
	else if (start != NULL)
		buf_printf(out, "You are currently bisecting, started from branch '%s'.\n", start);
	if (start != NULL && hints)
		buf_puts(out, "  (use \"git bisect reset\" to get back to the original branch)\n");
	if (start != NULL)
		buf_putc(out, '\n');
}

void status_put_state(struct status *s, struct buf *out)
{
	struct git *g = s->g;
	bool hints = !s->o.commented && config_bool(g, "advice.statushints", true);

	if (has(g, "MERGE_HEAD") && has(g, "rebase-merge")) {
		put_lists(s, out, hints);
		buf_putc(out, '\n');
	}
	if (has(g, "MERGE_HEAD"))
		put_merge(s, out, hints);
	else if (has(g, "rebase-apply/applying"))
		put_am(s, out, hints);
	else if (has(g, "rebase-merge"))
		put_rebase(s, out, hints);
	else
		put_picks(s, out, hints);
	put_bisect(s, out, hints);
}
