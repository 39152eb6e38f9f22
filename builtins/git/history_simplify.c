/* SPDX-License-Identifier: MIT
 *
 * --simplify-merges: a merge stays only where both of its sides brought something.
 *
 * From the oldest commit on each is replaced with what stands for it: itself, or, if it changed
 * nothing and has one parent left, what stands for that parent.
 */
#include "builtins/git/walk.h"

struct simplifying {
	struct revs *r;
	struct lookup *stands; /* by object: the commit that stands for it */
};

static struct commit *stand_in(const struct simplifying *s, struct commit *c)
{
	struct commit *other = lookup_get(s->stands, oid_key(&c->oid));

	return other != NULL ? other : c;
}

/* A root that has nothing of what is looked for. */
static bool is_empty_root(const struct commit *c)
{
	return c->nparents == 0 && (c->flags & COMMIT_SAME) != 0 &&
	       (c->flags & COMMIT_UNINTERESTING) == 0;
}

/* The parents, once each. Whether one is as the commit is kept: that one is not dropped below. */
static void replace_parents(struct simplifying *s, struct commit *c)
{
	struct commit **list = arena_array(s->r->g->keep, c->nparents + 1, sizeof(*list));
	uint32_t n = 0;

	for (uint32_t i = 0; i < c->nparents && (i == 0 || !s->r->first_parent); i++) {
		struct commit *p = stand_in(s, c->parent[i]);
		bool twice = false;

		cmd_charge(s->r->g->c, n / 8);
		for (uint32_t k = 0; k < n && !twice; k++)
			twice = list[k] == p;
		if (!twice)
			list[n++] = p;
	}
	if (!c->parents_saved) {
		c->parents_saved = true;
		c->saved_parent = c->parent;
		c->saved_nparents = c->nparents;
	}
	c->parent = list;
	c->nparents = n;
}

/* What another parent contains, and empty roots, go; but one parent like the commit stays. */
static void drop_redundant(struct simplifying *s, struct commit *c)
{
	struct revs *r = s->r;
	bool *gone = arena_zalloc(r->g->a, c->nparents + 1);
	uint32_t same = UINT32_MAX;
	bool same_stays = false;
	uint32_t n = 0;

	for (uint32_t i = 0; i < c->nparents; i++) {
		struct commit *p = c->parent[i];

		gone[i] = is_empty_root(p);
		cmd_charge(r->g->c, c->nparents);
		for (uint32_t k = 0; k < c->nparents && !gone[i]; k++)
			gone[i] = k != i && is_ancestor(r->g, p, c->parent[k]);
		if (r->paths.n == 0 || !revs_tree_same(r, c, p))
			continue;
		same = same == UINT32_MAX ? i : same;
		same_stays = same_stays || !gone[i];
	}
	if (same != UINT32_MAX && !same_stays)
		gone[same] = false;
	for (uint32_t i = 0; i < c->nparents; i++)
		if (!gone[i])
			c->parent[n++] = c->parent[i];
	c->nparents = n;
}

static bool stays(const struct simplifying *s, const struct commit *c)
{
	if (c->nparents != 1 || !(c->flags & COMMIT_SAME))
		return true;
	return s->r->show_pulls && (c->flags & COMMIT_PULL) != 0;
}

void revs_simplify_merges(struct revs *r)
{
	struct simplifying s = { .r = r, .stands = lookup_new(r->g) };
	size_t kept = 0;

	for (size_t i = r->list.n; i > 0; i--) {
		struct commit *c = r->list.at[i - 1];

		cmd_charge(r->g->c, 2);
		replace_parents(&s, c);
		if (c->nparents > 1) {
			drop_redundant(&s, c);
			/* What is left decides whether it is the same. */
			if (c->nparents == 1 && r->paths.n != 0 &&
			    revs_tree_same(r, c, c->parent[0]))
				c->flags |= COMMIT_SAME;
		}
		*lookup_at(s.stands, oid_key(&c->oid)) = stays(&s, c) ? c
								      : stand_in(&s, c->parent[0]);
	}
	for (size_t i = 0; i < r->list.n; i++)
		if (lookup_get(s.stands, oid_key(&r->list.at[i]->oid)) == r->list.at[i])
			r->list.at[kept++] = r->list.at[i];
	r->list.n = kept;
}
