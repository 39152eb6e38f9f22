/* SPDX-License-Identifier: MIT
 *
 * git notes merge: notes of another reference come to ours. What both sides changed is resolved by
 * a strategy, or by hand in NOTES_MERGE_WORKTREE.
 */
#include "builtins/git/merge.h"
#include "builtins/git/notes.h"

enum strategy { BY_HAND, OURS, THEIRS, UNION, SORTED };
enum { SAY_CONFLICTS = 1, SAY_USUAL = 2, SAY_MORE = 3, SAY_BASES = 4 };

struct notes_merging {
	struct git *g;
	const char *ours_ref, *theirs_ref;
	struct commit *ours_commit, *theirs_commit;
	struct notes ours, theirs, base;
	const char *strategy_name;
	enum strategy strategy;
	int verbosity;
	bool commit, abort;
	struct buf conflicts; /* as lines of the message */
	size_t nconflicts;
};

static int more(struct git *g, void *opts, const char *arg, bool unset)
{
	struct notes_merging *m = opts;

	(void)g, (void)arg;
	m->verbosity = unset ? SAY_USUAL : m->verbosity + 1;
	return 0;
}

static int less(struct git *g, void *opts, const char *arg, bool unset)
{
	struct notes_merging *m = opts;

	(void)g, (void)arg;
	m->verbosity = unset ? SAY_USUAL : m->verbosity - SAY_USUAL;
	return 0;
}

static const struct git_option merge_options[] = {
	GIT_CALL('v', "verbose", more),
	GIT_CALL('q', "quiet", less),
	GIT_STR('s', "strategy", struct notes_merging, strategy_name),
	GIT_FLAG(0, "commit", struct notes_merging, commit),
	GIT_FLAG(0, "abort", struct notes_merging, abort),
	GIT_END(),
};
static const char *const merge_usage[] = { "git notes merge [<options>] <notes-ref>",
					   "git notes merge --commit [<options>]",
					   "git notes merge --abort [<options>]", NULL };

static bool parse_strategy(const char *name, enum strategy *out)
{
	static const char *const names[] = { "manual", "ours", "theirs", "union", "cat_sort_uniq" };

	for (int i = 0; i < 5; i++)
		if (strcmp(name, names[i]) == 0) {
			*out = (enum strategy)i;
			return true;
		}
	return false;
}

static void choose_strategy(struct notes_merging *m)
{
	struct git *g = m->g;
	const char *brief = git_starts(m->ours_ref, "refs/notes/") ? m->ours_ref + 11 : m->ours_ref;
	const char *keys[] = { git_format(g->keep, "notes.%s.mergestrategy", brief),
			       "notes.mergestrategy" };

	if (m->strategy_name != NULL) {
		if (parse_strategy(m->strategy_name, &m->strategy))
			return;
		git_error(g, "unknown -s/--strategy: %s", m->strategy_name);
		git_usage(g, merge_usage);
	}
	for (int i = 0; i < 2; i++) {
		const char *v = config_get(g, keys[i]);

		if (v == NULL)
			continue;
		if (!parse_strategy(v, &m->strategy)) {
			git_error(g, "unknown notes merge strategy %s", v);
			config_die(g, keys[i]);
		}
		return;
	}
}

/* --- conflicts --- */

static char *work_path(struct git *g, const char *name)
{
	return repo_path(g, g->a, git_format(g->a, "NOTES_MERGE_WORKTREE/%s", name));
}

static void check_no_other(struct git *g)
{
	struct vfs_dirent *list;
	size_t n;

	if (cmd_list(g->c, CMD_CWD, repo_path(g, g->a, "NOTES_MERGE_WORKTREE"), g->a, &list, &n) <
		    0 ||
	    n == 0)
		return;
	git_die(g, "You have not concluded your previous notes merge (.git/NOTES_MERGE_* exists).\n"
		   "Please, use 'git notes merge --commit' or 'git notes merge --abort' to "
		   "commit/abort the previous merge before you start a new notes merge.");
}

static void leave_conflict(struct notes_merging *m, const struct oid *on, struct bytes text)
{
	struct git *g = m->g;
	char *path = work_path(g, oid_hex(g, on));

	m->nconflicts++;
	file_make_parents(g, path);
	if (file_write(g, path, text, 0777) < 0)
		git_die(g, "unable to write '%s'", path);
	buf_printf(&m->conflicts, "%s\t%s\n", m->nconflicts == 1 ? "\nConflicts:\n" : "",
		   oid_hex(g, on));
	notes_set(g, &m->ours, on, NULL);
}

static struct bytes text_of(struct git *g, const struct oid *o)
{
	return oid_is_null(o) ? BYTES("") : object_need(g, g->a, o, OBJECT_BLOB);
}

static void by_hand(struct notes_merging *m, const struct oid *on, const struct oid *base,
		    const struct oid *ours, const struct oid *theirs)
{
	struct git *g = m->g;
	bool gone_here = oid_is_null(ours);
	const char *hex = oid_hex(g, on);
	struct merge_text t = { .label = { m->ours_ref, "", m->theirs_ref } };

	if (m->verbosity >= SAY_USUAL)
		git_printf(g, "Auto-merging notes for %s\n", hex);
	if (m->nconflicts == 0)
		check_no_other(g);
	if (gone_here || oid_is_null(theirs)) {
		const char *gone = gone_here ? m->ours_ref : m->theirs_ref;
		const char *there = gone_here ? m->theirs_ref : m->ours_ref;

		if (m->verbosity >= SAY_CONFLICTS)
			git_printf(g,
				   "CONFLICT (delete/modify): Notes for object %s deleted in %s "
				   "and modified in %s. Version from %s left in tree.\n",
				   hex, gone, there, there);
		leave_conflict(m, on, text_of(g, gone_here ? theirs : ours));
		return;
	}
	if (m->verbosity >= SAY_CONFLICTS)
		git_printf(g, "CONFLICT (%s): Merge conflict in notes for object %s\n",
			   oid_is_null(base) ? "add/add" : "content", hex);
	t.base = text_of(g, base);
	t.ours = text_of(g, ours);
	t.theirs = text_of(g, theirs);
	merge_text(g, g->a, &t);
	leave_conflict(m, on, t.result);
}

static int by_line(const void *a, const void *b)
{
	return bytes_cmp(*(const struct bytes *)a, *(const struct bytes *)b);
}

/* All lines of both, sorted, each once. */
static void join_sorted(struct git *g, const struct oid *ours, const struct oid *theirs,
			struct oid *out)
{
	struct bytes *list = NULL, line;
	size_t n = 0, cap = 0;
	struct buf b = buf_in(g->a);
	const struct oid *sides[] = { ours, theirs };

	for (int i = 0; i < 2; i++) {
		struct bytes rest = text_of(g, sides[i]);

		while (git_line(&rest, &line)) {
			if (line.len == 0)
				continue;
			LIST_ROOM(g, list, n, cap);
			list[n++] = line;
		}
	}
	git_sort(g, list, n, sizeof(*list), by_line);
	for (size_t i = 0; i < n; i++) {
		if (i > 0 && bytes_eq(list[i], list[i - 1]))
			continue;
		buf_add(&b, list[i]);
		buf_putc(&b, '\n');
	}
	object_write(g, OBJECT_BLOB, buf_bytes(&b), out);
}

static void resolve(struct notes_merging *m, const struct oid *on, const struct oid *base,
		    const struct oid *ours, const struct oid *theirs)
{
	static const char *const said[] = {
		"", "Using local notes", "Using remote notes",
		"Concatenating local and remote notes",
		"Concatenating unique lines in local and remote notes"
	};
	struct git *g = m->g;
	struct oid made;

	if (m->strategy == BY_HAND) {
		by_hand(m, on, base, ours, theirs);
		return;
	}
	if (m->verbosity >= SAY_USUAL)
		git_printf(g, "%s for %s\n", said[m->strategy], oid_hex(g, on));
	if (m->strategy == OURS)
		return;
	if (m->strategy == THEIRS) {
		notes_set(g, &m->ours, on, oid_is_null(theirs) ? NULL : theirs);
		return;
	}
	if (m->strategy == SORTED)
		join_sorted(g, ours, theirs, &made);
	else if (oid_is_null(theirs))
		made = *ours;
	else
		notes_join(g, ours, theirs, &made);
	notes_set(g, &m->ours, on, &made);
}

/* --- changes --- */

static struct oid blob_on(struct notes *ns, const struct oid *on)
{
	const struct note *n = notes_find(ns, on);

	return n != NULL ? n->blob : oid_null;
}

static void take_change(struct notes_merging *m, const struct oid *on)
{
	struct git *g = m->g;
	struct arena_mark mark = arena_mark(g->a);
	struct oid base = blob_on(&m->base, on), theirs = blob_on(&m->theirs, on);
	struct oid ours = blob_on(&m->ours, on);

	cmd_charge(g->c, 4);
	if (oid_eq(&base, &theirs) || oid_eq(&ours, &theirs))
		return;
	if (oid_eq(&ours, &base))
		notes_set(g, &m->ours, on, oid_is_null(&theirs) ? NULL : &theirs);
	else
		resolve(m, on, &base, &ours, &theirs);
	arena_release(g->a, mark);
}

/* Objects that the base or theirs have notes on, in order. */
static void take_changes(struct notes_merging *m)
{
	size_t i = 0, k = 0;

	while (i < m->base.n || k < m->theirs.n) {
		int order = i == m->base.n     ? 1
			    : k == m->theirs.n ? -1
					       : oid_cmp(&m->base.at[i].on, &m->theirs.at[k].on);
		struct oid on = order <= 0 ? m->base.at[i].on : m->theirs.at[k].on;

		i += order <= 0;
		k += order >= 0;
		take_change(m, &on);
	}
}

/* --- the result --- */

static bool find_base(struct notes_merging *m, struct oid *out)
{
	struct git *g = m->g;
	struct commit **bases;
	size_t n = merge_bases(g, m->ours_commit, m->theirs_commit, &bases);

	*out = n > 0 ? bases[0]->oid : oid_null;
	if (n == 0 && m->verbosity >= SAY_BASES)
		git_printf(g, "No merge base found; performing history-less merge\n");
	else if (n == 1 && m->verbosity >= SAY_BASES)
		git_printf(g, "One merge base found (%.7s)\n", oid_hex(g, out));
	else if (n > 1 && m->verbosity >= SAY_MORE)
		git_printf(g, "Multiple merge bases found. Using the first (%.7s)\n",
			   oid_hex(g, out));
	if (m->verbosity >= SAY_BASES)
		git_printf(g,
			   "Merging remote commit %.7s into local commit %.7s with merge-base "
			   "%.7s\n",
			   oid_hex(g, &m->theirs_commit->oid), oid_hex(g, &m->ours_commit->oid),
			   oid_hex(g, out));
	return n > 0;
}

static int finish(struct notes_merging *m, const char *message)
{
	struct git *g = m->g;
	const struct oid parents[] = { m->ours_commit->oid, m->theirs_commit->oid };
	struct oid made;

	if (m->verbosity >= SAY_BASES)
		git_printf(g, "Merge result: %zu unmerged notes and a dirty notes tree\n",
			   m->nconflicts);
	if (m->nconflicts == 0) {
		notes_commit(g, &m->ours, parents, 2, message, &made);
		ref_update(g, m->ours_ref, &made, &m->ours_commit->oid,
			   git_format(g->a, "notes: %s", message), true);
		return 0;
	}
	notes_commit(g, &m->ours, parents, 2,
		     git_format(g->a, "%s\n%s", message, buf_cstr(&m->conflicts)), &made);
	ref_update(g, "NOTES_MERGE_PARTIAL", &made, NULL, NULL, true);
	file_write(g, repo_path(g, g->a, "NOTES_MERGE_REF"),
		   bytes_of(git_format(g->a, "ref: %s\n", m->ours_ref)), 0666);
	cmd_flush(g->c);
	git_say(g, "Automatic notes merge failed. Fix conflicts in .git/NOTES_MERGE_WORKTREE and "
		   "commit the result with 'git notes merge --commit', or abort the merge with "
		   "'git notes merge --abort'.\n");
	return 1;
}

static int merge(struct notes_merging *m)
{
	struct git *g = m->g;
	char *message = git_format(g->keep, "Merged notes from %s into %s", m->theirs_ref,
				   m->ours_ref);
	struct oid ours, theirs, base;
	bool here = ref_read(g, m->ours_ref, &ours, NULL) == 0;
	char *log = git_format(g->keep, "notes: %s", message);

	if (rev_commit(g, m->theirs_ref, &theirs) < 0)
		return 0;
	if (!here) {
		ref_update(g, m->ours_ref, &theirs, NULL, log, true);
		return 0;
	}
	m->ours_commit = commit_at(g, &ours);
	m->theirs_commit = commit_at(g, &theirs);
	commit_need(g, m->ours_commit);
	commit_need(g, m->theirs_commit);
	if (is_ancestor(g, m->theirs_commit, m->ours_commit)) {
		if (m->verbosity >= SAY_USUAL)
			git_printf(g, "Already up to date.\n");
		return 0;
	}
	if (is_ancestor(g, m->ours_commit, m->theirs_commit)) {
		if (m->verbosity >= SAY_USUAL)
			git_printf(g, "Fast-forward\n");
		ref_update(g, m->ours_ref, &theirs, &ours, log, true);
		return 0;
	}
	revs_forget(g);
	find_base(m, &base);
	notes_load_commit(g, m->ours_ref, &ours, &m->ours);
	notes_load_commit(g, m->theirs_ref, &theirs, &m->theirs);
	notes_load_commit(g, "", &base, &m->base);
	take_changes(m);
	return finish(m, message);
}

/* --- by hand: the end --- */

static int clean_up(struct git *g)
{
	struct vfs_dirent *list;
	size_t n;

	if (cmd_list(g->c, CMD_CWD, repo_path(g, g->a, "NOTES_MERGE_WORKTREE"), g->keep, &list,
		     &n) == 0)
		for (size_t i = 0; i < n; i++)
			cmd_unlink(g->c, CMD_CWD, work_path(g, arena_dup(g->a, list[i].name)), 0);
	state_remove(g, "NOTES_MERGE_PARTIAL");
	state_remove(g, "NOTES_MERGE_REF");
	return 0;
}

static int commit_by_hand(struct git *g)
{
	struct vfs_dirent *list;
	struct oid partial, made, *parents;
	struct notes ns;
	struct commit_text t;
	struct commit *c;
	char *ref;
	size_t n = 0;
	struct bytes subject, rest;

	if (ref_read(g, "NOTES_MERGE_PARTIAL", &partial, NULL) < 0)
		git_die(g, "failed to read ref NOTES_MERGE_PARTIAL");
	c = commit_at(g, &partial);
	if (!commit_load(g, c))
		git_die(g, "could not parse commit from NOTES_MERGE_PARTIAL.");
	ref = ref_symbolic(g, "NOTES_MERGE_REF");
	if (ref == NULL)
		git_die(g, "failed to resolve NOTES_MERGE_REF");
	notes_load_commit(g, ref, &partial, &ns);
	cmd_list(g->c, CMD_CWD, repo_path(g, g->a, "NOTES_MERGE_WORKTREE"), g->keep, &list, &n);
	for (size_t i = 0; i < n; i++) {
		struct bytes text;
		struct oid on, blob;

		cmd_charge(g->c, 8);
		if (list[i].name.len != OID_HEX || !oid_parse_bytes(list[i].name, &on) ||
		    file_read(g, g->a, work_path(g, arena_dup(g->a, list[i].name)), &text) < 0)
			continue;
		object_write(g, OBJECT_BLOB, text, &blob);
		notes_set(g, &ns, &on, &blob);
	}
	commit_text(g, g->keep, &partial, &t);
	parents = arena_array(g->keep, c->nparents + 1, sizeof(*parents));
	for (uint32_t i = 0; i < c->nparents; i++)
		parents[i] = c->parent[i]->oid;
	rest = t.message;
	notes_commit(g, &ns, parents, c->nparents, arena_dup(g->keep, rest), &made);
	git_line(&rest, &subject);
	ref_update(g, ref, &made, c->nparents > 0 ? &parents[0] : NULL,
		   git_format(g->a, "notes: %.*s", (int)subject.len, subject.ptr), true);
	return clean_up(g);
}

int notes_merge(struct git *g, const char *ref, struct args *args)
{
	struct notes_merging m = { .g = g, .ours_ref = ref, .verbosity = SAY_USUAL };
	const struct git_parser p = { merge_options, &m, merge_usage, 0, NULL };
	struct oid o;

	git_parse(g, args, &p);
	if (m.strategy_name != NULL ? m.commit || m.abort : m.commit && m.abort) {
		git_error(g, "cannot mix --commit, --abort or -s/--strategy");
		git_usage(g, merge_usage);
	}
	if (!m.commit && !m.abort && args->argc != 1) {
		git_error(g, "must specify a notes ref to merge");
		git_usage(g, merge_usage);
	}
	if ((m.commit || m.abort) && args->argc != 0) {
		git_error(g, "too many arguments");
		git_usage(g, merge_usage);
	}
	if (m.commit)
		return commit_by_hand(g);
	if (m.abort)
		return clean_up(g);
	m.conflicts = buf_in(g->keep);
	m.theirs_ref = rev_parse(g, args->argv[0], &o) == 0 && !git_starts(args->argv[0], "notes/")
			       ? args->argv[0]
			       : notes_ref(g, args->argv[0]);
	choose_strategy(&m);
	return merge(&m);
}
