/* SPDX-License-Identifier: MIT
 *
 * Merge bases: commits that two histories share and no other shared one descends from.
 */
#include "builtins/git/walk.h"

/* Bits of commit->mark; kept apart from the flags of walks. */
enum { FROM_A = 1, FROM_B = 2, STALE = 4, RESULT = 8, QUEUED = 16 };

struct painting {
	struct git *g;
	struct commits queue;   /* sorted, youngest last */
	struct commits touched; /* to be cleaned */
};

static void touch(struct painting *p, struct commit *c, uint32_t bits)
{
	if (c->mark == 0) {
		LIST_ROOM(p->g, p->touched.at, p->touched.n, p->touched.cap);
		p->touched.at[p->touched.n++] = c;
	}
	c->mark |= bits;
}

static void put(struct painting *p, struct commit *c)
{
	size_t i;

	if (c->mark & QUEUED)
		return;
	touch(p, c, QUEUED);
	LIST_ROOM(p->g, p->queue.at, p->queue.n, p->queue.cap);
	for (i = p->queue.n++; i > 0 && p->queue.at[i - 1]->date >= c->date; i--)
		p->queue.at[i] = p->queue.at[i - 1];
	p->queue.at[i] = c;
	cmd_charge(p->g->c, 1 + (p->queue.n - i) / 64);
}

static bool has_fresh(const struct painting *p)
{
	for (size_t i = p->queue.n; i > 0; i--)
		if (!(p->queue.at[i - 1]->mark & STALE))
			return true;
	return false;
}

/* The youngest of the queue hands its bits to its parents. */
static void paint_one(struct painting *p, struct commits *found)
{
	struct commit *c = p->queue.at[--p->queue.n];
	uint32_t bits = c->mark & (FROM_A | FROM_B | STALE);

	c->mark &= ~(uint32_t)QUEUED;
	cmd_charge(p->g->c, 2);
	if ((bits & (FROM_A | FROM_B)) == (FROM_A | FROM_B)) {
		if (!(c->mark & RESULT)) {
			touch(p, c, RESULT);
			LIST_ROOM(p->g, found->at, found->n, found->cap);
			found->at[found->n++] = c;
		}
		bits |= STALE;
	}
	for (uint32_t i = 0; i < c->nparents; i++) {
		struct commit *parent = c->parent[i];

		if ((parent->mark & bits) == bits)
			continue;
		commit_need(p->g, parent);
		touch(p, parent, bits);
		put(p, parent);
	}
}

static void paint(struct painting *p, struct commits *found)
{
	while (has_fresh(p))
		paint_one(p, found);
}

/* What is in the queue still may have been found from one side only, among commits of one date:
 * on to the oldest of those. */
static void paint_rest(struct painting *p, struct commits *found)
{
	int64_t oldest = INT64_MAX;

	for (size_t i = 0; i < p->touched.n; i++) {
		const struct commit *c = p->touched.at[i];
		uint32_t bits = c->mark & (FROM_A | FROM_B);

		if ((bits == FROM_A || bits == FROM_B) && c->date < oldest)
			oldest = c->date;
	}
	while (p->queue.n != 0 && p->queue.at[p->queue.n - 1]->date >= oldest)
		paint_one(p, found);
}

static void finish(struct painting *p)
{
	for (size_t i = 0; i < p->touched.n; i++)
		p->touched.at[i]->mark = 0;
	pool_free(p->g->c->pool, p->touched.at, p->touched.cap * sizeof(struct commit *));
	pool_free(p->g->c->pool, p->queue.at, p->queue.cap * sizeof(struct commit *));
}

static struct commits common(struct git *g, struct commit *a, struct commit **b, size_t n)
{
	struct painting p = { .g = g };
	struct commits found = { NULL, 0, 0 };
	size_t kept = 0;

	commit_need(g, a);
	touch(&p, a, FROM_A);
	put(&p, a);
	for (size_t i = 0; i < n; i++) {
		commit_need(g, b[i]);
		touch(&p, b[i], FROM_B);
		put(&p, b[i]);
	}
	paint(&p, &found);
	for (size_t i = 0; i < found.n; i++)
		if (!(found.at[i]->mark & STALE))
			found.at[kept++] = found.at[i];
	found.n = kept;
	finish(&p);
	return found;
}

/* Youngest first. */
static int by_date(const void *a, const void *b)
{
	const struct commit *x = *(struct commit *const *)a;
	const struct commit *y = *(struct commit *const *)b;

	return (x->date < y->date) - (x->date > y->date);
}

size_t merge_bases_many(struct git *g, struct commit *a, struct commit **b, size_t n,
			struct commit ***out)
{
	struct commits found;
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (a == b[i]) {
			*out = arena_alloc(g->keep, sizeof(**out));
			(*out)[0] = a;
			return 1;
		}
	found = common(g, a, b, n);
	git_sort(g, found.at, found.n, sizeof(*found.at), by_date);
	/* None may be an ancestor of another. */
	for (size_t i = 0; i < found.n; i++) {
		bool redundant = false;

		for (size_t j = 0; j < found.n && !redundant && found.n < 64; j++)
			redundant = j != i && found.at[j] != NULL &&
				    is_ancestor(g, found.at[i], found.at[j]);
		if (redundant)
			found.at[i] = NULL;
	}
	for (size_t i = 0; i < found.n; i++)
		if (found.at[i] != NULL)
			found.at[kept++] = found.at[i];
	*out = found.at;
	return kept;
}

size_t merge_bases(struct git *g, struct commit *a, struct commit *b, struct commit ***out)
{
	return merge_bases_many(g, a, &b, 1, out);
}

bool is_ancestor(struct git *g, struct commit *a, struct commit *of)
{
	struct painting p = { .g = g };
	struct commits found = { NULL, 0, 0 };
	bool yes;

	commit_need(g, a);
	commit_need(g, of);
	if (a == of)
		return true;
	touch(&p, of, FROM_A);
	put(&p, of);
	touch(&p, a, FROM_B);
	put(&p, a);
	paint(&p, &found);
	yes = (a->mark & FROM_A) != 0;
	pool_free(g->c->pool, found.at, found.cap * sizeof(struct commit *));
	finish(&p);
	return yes;
}

void count_ahead_behind(struct git *g, struct commit *a, struct commit *b, size_t *ahead,
			size_t *behind)
{
	struct painting p = { .g = g };
	struct commits found = { NULL, 0, 0 };

	commit_need(g, a);
	commit_need(g, b);
	*ahead = *behind = 0;
	touch(&p, a, FROM_A);
	put(&p, a);
	touch(&p, b, FROM_B);
	put(&p, b);
	paint(&p, &found);
	paint_rest(&p, &found);
	for (size_t i = 0; i < p.touched.n; i++) {
		uint32_t bits = p.touched.at[i]->mark & (FROM_A | FROM_B);

		*ahead += bits == FROM_A;
		*behind += bits == FROM_B;
	}
	pool_free(g->c->pool, found.at, found.cap * sizeof(struct commit *));
	finish(&p);
}

bool merge_base_named(struct git *g, const char *text, struct oid *out)
{
	const char *dots = strstr(text, "...");
	struct oid a, b;
	struct commit **bases;
	char *front;

	if (dots == NULL)
		return false;
	front = git_format(g->a, "%.*s", (int)(dots - text), text);
	if (rev_commit(g, front[0] != '\0' ? front : "HEAD", &a) < 0 ||
	    rev_commit(g, dots[3] != '\0' ? dots + 3 : "HEAD", &b) < 0 ||
	    merge_bases(g, commit_at(g, &a), commit_at(g, &b), &bases) != 1)
		return false;
	*out = bases[0]->oid;
	return true;
}
