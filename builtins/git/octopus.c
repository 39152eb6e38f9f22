/* SPDX-License-Identifier: MIT
 *
 * Merges of several heads, one after the other: only the last may have conflicts.
 */
#include "builtins/git/merge_run.h"

/* --- which heads count --- */

static bool is_in_another(const struct merge_run *m, size_t i)
{
	struct git *g = m->g;

	if (is_ancestor(g, m->heads[i].commit, m->ours))
		return true;
	for (size_t j = 0; j < m->nheads; j++) {
		cmd_charge(g->c, 1);
		if (j == i || (m->heads[j].commit == m->heads[i].commit && j > i))
			continue;
		if (is_ancestor(g, m->heads[i].commit, m->heads[j].commit))
			return true;
	}
	return false;
}

void merge_reduce(struct merge_run *m)
{
	size_t n = m->nheads, kept = 0;
	bool *gone = arena_array(m->g->keep, n, sizeof(*gone));

	for (size_t i = 0; i < n; i++)
		gone[i] = is_in_another(m, i);
	for (size_t i = 0; i < n; i++) {
		if (gone[i])
			continue;
		m->heads[kept++] = m->heads[i];
	}
	m->nheads = kept > 0 ? kept : 1;
	m->theirs = m->heads[0].commit;
	m->other = m->theirs->oid;
}

/* --- the merge --- */

struct octopus {
	struct merge_run *m;
	struct merging r;
	struct oid tree;         /* of what is merged so far */
	struct commit **reached; /* which commits those are */
	size_t nreached;
	bool real; /* a head was more than a fast forward */
};

/* Says what happens to files that both sides changed. */
static void say_files(struct octopus *o)
{
	struct git *g = o->m->g;
	bool any = false;

	for (size_t i = 0; i < o->r.n; i++) {
		const struct merge_file *f = &o->r.at[i];

		if (oid_eq(&f->oid[0], &f->oid[1]) || oid_eq(&f->oid[0], &f->oid[2]) ||
		    oid_eq(&f->oid[1], &f->oid[2]))
			continue;
		if (!any)
			git_printf(g, "Simple merge did not work, trying automatic merge.\n");
		any = true;
		if (f->mode[0] != 0 && f->mode[1] != 0 && f->mode[2] != 0)
			git_printf(g, "Auto-merging %s\n", f->path);
		else if (f->mode[0] == 0)
			git_printf(g, "Added %s in both, but differently.\n", f->path);
		cmd_flush(g->c);
		if (f->conflict)
			git_say(g, "ERROR: content conflict in %s\nfatal: merge program failed\n",
				f->path);
	}
}

static void merge_head(struct octopus *o, size_t i)
{
	struct merge_run *m = o->m;
	struct git *g = m->g;
	struct commit *head = m->heads[i].commit;
	struct commit **bases;
	size_t n = merge_bases_many(g, head, o->reached, o->nreached, &bases);

	if (n == 0)
		git_die(g, "Unable to find common commit with %s", m->heads[i].name);
	for (size_t k = 0; k < n; k++)
		if (bases[k] == head) {
			git_printf(g, "Already up to date with %s\n", m->heads[i].name);
			return;
		}
	commit_need(g, bases[0]);
	if (!o->real && o->nreached == 1 && bases[0] == o->reached[0]) {
		git_printf(g, "Fast-forwarding to: %s\n", m->heads[i].name);
		o->tree = head->tree;
		o->reached[0] = head;
		return;
	}
	o->real = true;
	git_printf(g, "Trying simple merge with %s\n", m->heads[i].name);
	o->r = (struct merging){ .g = g,
				 .ours = ".merge_file_ours",
				 .theirs = ".merge_file_theirs",
				 .base = "merged common ancestors",
				 .no_renames = true,
				 .style = merge_style_of(g, NULL),
				 .lines = LINES_HISTOGRAM };
	merge_trees(&o->r, &bases[0]->tree, &o->tree, &head->tree);
	say_files(o);
	o->tree = o->r.tree;
	o->reached[o->nreached++] = head;
}

/* What is staged would be lost: true after a message. */
static bool is_staged(struct merge_run *m)
{
	struct git *g = m->g;
	struct diff_queue q = { .at = NULL };

	diff_staged(g, &m->head_tree, &q);
	if (q.n != 0)
		git_printf(g, "Error: Your local changes to the following files would be "
			      "overwritten by merge\n");
	for (size_t i = 0; i < q.n; i++)
		git_printf(g, "    %s\n", git_quoted(g, q.at[i].two->path));
	return q.n != 0;
}

static int fail(struct merge_run *m)
{
	cmd_flush(m->g->c);
	git_say(m->g, "Merge with strategy octopus failed.\n");
	return 2;
}

int merge_octopus(struct merge_run *m)
{
	struct git *g = m->g;
	struct octopus o = { .m = m, .tree = m->head_tree, .nreached = 1 };
	bool subsumed = false;

	o.r = (struct merging){ .g = g, .clean = true };
	o.reached = arena_array(g->keep, m->nheads + 1, sizeof(struct commit *));
	o.reached[0] = m->ours;
	if (is_staged(m))
		return fail(m);
	for (size_t i = 0; i < m->nheads; i++) {
		if (!o.r.clean) {
			git_printf(g, "Automated merge did not work.\n"
				      "Should not be doing an octopus.\n");
			return fail(m);
		}
		merge_head(&o, i);
		subsumed = subsumed || is_ancestor(g, m->ours, m->heads[i].commit);
	}
	o.r.tree = o.tree;
	o.r.messages = buf_in(g->a);
	cmd_flush(g->c);
	return merge_finish(m, &o.r, "octopus", subsumed && m->o.ff != 1 ? NULL : m->ours);
}
