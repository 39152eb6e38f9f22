/* SPDX-License-Identifier: MIT
 *
 * -B: files that were rewritten count as gone and new while renames are looked for; what is left
 * of both halves becomes one change again, shown as a rewrite if little was kept.
 */
#include "builtins/git/diff.h"

enum { BREAK_SIZE_MIN = 400, REWRITE_DEFAULT = 36000, ADDED_PART = 20 };

/* Whether so little of the old file is left that both are files of their own. *score: how much
 * of it went. */
static bool is_rewritten(struct git *g, const struct diff_opts *o, struct diff_pair *p, int *score)
{
	uint64_t least = (uint64_t)(o->break_score != 0 ? o->break_score : SCORE_DEFAULT);
	uint64_t one, two, copied, added, removed, big;

	*score = 0;
	if ((p->one->mode & S_FMT) != S_REG || (p->two->mode & S_FMT) != S_REG)
		return false;
	if (p->one->oid_known && p->two->oid_known && oid_eq(&p->one->oid, &p->two->oid))
		return false;
	if (!diff_load(g, p->one) || !diff_load(g, p->two))
		return false;
	one = p->one->data.len;
	two = p->two->data.len;
	big = one > two ? one : two;
	if (big < BREAK_SIZE_MIN || one == 0)
		return false;
	copied = diff_copied(g, p->one, p->two, &added);
	copied = copied < one ? copied : one;
	if (two < copied + added)
		added = copied < two ? two - copied : 0;
	removed = one - copied;
	*score = (int)(removed * SCORE_MAX / one);
	if ((uint64_t)*score > least)
		return true;
	if ((removed + added) * SCORE_MAX / big < least)
		return false;
	/* Much went and next to nothing came: that is no rewrite. */
	return !(one * least < removed * SCORE_MAX && added * ADDED_PART < removed &&
		 added * ADDED_PART < copied);
}

static struct diff_file *nothing(struct git *g, const struct diff_file *like)
{
	struct diff_file *f = diff_file_new(g, like->path, 0, &oid_null);

	f->loaded = true;
	f->data = (struct bytes){ "", 0 };
	return f;
}

void diff_break(struct git *g, const struct diff_opts *o, struct diff_queue *q)
{
	struct diff_queue out = { .unmerged = q->unmerged };
	int keep = o->rewrite_score != 0 ? o->rewrite_score : REWRITE_DEFAULT;

	for (size_t i = 0; i < q->n; i++) {
		struct diff_pair *p = &q->at[i];
		int score;

		cmd_charge(g->c, 1);
		if (p->status != 'M' || !is_rewritten(g, o, p, &score)) {
			LIST_ROOM(g, out.at, out.n, out.cap);
			out.at[out.n++] = *p;
			continue;
		}
		diff_add(g, &out, p->one, nothing(g, p->one));
		diff_add(g, &out, nothing(g, p->two), p->two);
		for (size_t k = out.n - 2; k < out.n; k++) {
			out.at[k].broken = true;
			out.at[k].score = score < keep ? 0 : score;
		}
	}
	*q = out;
}

void diff_mend(struct git *g, struct diff_queue *q)
{
	size_t kept = 0;

	for (size_t i = 0; i < q->n; i++) {
		struct diff_pair p = q->at[i];

		cmd_charge(g->c, 1);
		if (p.broken && p.status == 'D' && i + 1 < q->n && q->at[i + 1].broken &&
		    q->at[i + 1].status == 'A' &&
		    strcmp(q->at[i + 1].two->path, p.one->path) == 0) {
			p.two = q->at[++i].two;
			p.status = 'M';
		}
		q->at[kept++] = p;
	}
	q->n = kept;
}
