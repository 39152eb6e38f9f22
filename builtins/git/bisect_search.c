/* SPDX-License-Identifier: MIT
 *
 * git bisect: the commit in the middle of those that may be the first bad one.
 */
#include "builtins/git/bisect.h"

static struct candidate *candidate_of(const struct bisect_search *s, const struct commit *c)
{
	return lookup_get(s->index, oid_key(&c->oid));
}

/* Counts what a merge contains by walking it. */
static size_t count_reached(struct bisect_search *s, struct candidate *from)
{
	struct lookup *seen = lookup_new(s->g);
	struct candidate **queue = arena_array(s->g->a, s->n, sizeof(struct candidate *));
	size_t head = 0;
	size_t tail = 0;
	size_t counted = 0;

	*lookup_at(seen, oid_key(&from->c->oid)) = from;
	queue[tail++] = from;
	while (head < tail) {
		struct candidate *k = queue[head++];

		counted += !k->same;
		for (uint32_t i = 0; i < k->nparents; i++) {
			struct candidate *parent = candidate_of(s, k->parent[i]);

			if (parent == NULL || lookup_get(seen, oid_key(&parent->c->oid)) != NULL)
				continue;
			*lookup_at(seen, oid_key(&parent->c->oid)) = parent;
			queue[tail++] = parent;
		}
		cmd_charge(s->g->c, 2);
	}
	return counted;
}

static size_t candidate_parents(struct bisect_search *s, const struct candidate *k,
				struct candidate **last)
{
	size_t n = 0;

	for (uint32_t i = 0; i < k->nparents; i++) {
		struct candidate *parent = candidate_of(s, k->parent[i]);

		if (parent == NULL)
			continue;
		*last = parent;
		n++;
	}
	return n;
}

static bool is_half(const struct bisect_search *s, const struct candidate *k)
{
	size_t twice = 2 * k->reaches;

	return !k->same && twice + 1 >= s->all && twice <= s->all + 1;
}

static void count(struct candidate *k, size_t reaches)
{
	k->reaches = reaches;
	k->counted = true;
}

/* Merges are counted first, then what has one parent: the first one at the middle is taken (stop),
 * or all are counted. */
static struct candidate *find_half(struct bisect_search *s, bool stop)
{
	struct candidate *parent = NULL;

	for (size_t i = 0; i < s->n; i++)
		if (candidate_parents(s, &s->at[i], &parent) == 0)
			count(&s->at[i], !s->at[i].same);
	for (size_t i = 0; i < s->n; i++)
		if (candidate_parents(s, &s->at[i], &parent) > 1) {
			count(&s->at[i], count_reached(s, &s->at[i]));
			if (stop && is_half(s, &s->at[i]))
				return &s->at[i];
		}
	/* Parents come first but for clocks that were wrong: then another round is needed. */
	for (bool again = true; again;) {
		again = false;
		for (size_t i = 0; i < s->n; i++) {
			cmd_charge(s->g->c, 1);
			if (s->at[i].counted)
				continue;
			candidate_parents(s, &s->at[i], &parent);
			if (!parent->counted) {
				again = true;
				continue;
			}
			count(&s->at[i], parent->reaches + !s->at[i].same);
			if (stop && is_half(s, &s->at[i]))
				return &s->at[i];
		}
	}
	return NULL;
}

static size_t distance(const struct bisect_search *s, const struct candidate *k)
{
	size_t rest = s->all - k->reaches;

	return k->reaches < rest ? k->reaches : rest;
}

static struct candidate *nearest(struct bisect_search *s)
{
	struct candidate *best = NULL;

	for (size_t i = 0; i < s->n; i++)
		if (!s->at[i].same && (best == NULL || distance(s, &s->at[i]) > distance(s, best)))
			best = &s->at[i];
	return best;
}

struct ranked {
	struct candidate *k;
	size_t distance;
};

static int rank_cmp(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->distance != y->distance)
		return x->distance > y->distance ? -1 : 1;
	return oid_cmp(&x->k->c->oid, &y->k->c->oid);
}

/* All that may be tested, best first: so where some were skipped. */
static size_t rank_all(struct bisect_search *s)
{
	struct ranked *list = arena_array(s->g->a, s->n + 1, sizeof(*list));
	size_t n = 0;

	find_half(s, false);
	for (size_t i = 0; i < s->n; i++)
		if (!s->at[i].same)
			list[n++] = (struct ranked){ &s->at[i], distance(s, &s->at[i]) };
	git_sort(s->g, list, n, sizeof(*list), rank_cmp);
	s->ranked = arena_array(s->g->a, n + 1, sizeof(struct candidate *));
	for (size_t i = 0; i < n; i++)
		s->ranked[i] = list[i].k;
	return n;
}

struct candidate *bisect_choose(struct bisect_search *s, size_t *reaches)
{
	struct candidate *best;
	struct ref *skips;

	*reaches = 0;
	if (ref_list(s->g, BISECT_SKIP_PREFIX, &skips) == 0) {
		best = find_half(s, true);
		if (best == NULL)
			best = nearest(s);
		*reaches = best != NULL ? best->reaches : 0;
		return best;
	}
	size_t n = rank_all(s);

	*reaches = n != 0 ? s->ranked[0]->reaches : 0;
	for (size_t i = 0; i < n; i++)
		if (!s->ranked[i]->skipped)
			return s->ranked[i];
	return NULL;
}

/* The paths behind "--" when bisecting began, as words. */
void bisect_paths(struct git *g, struct names *out)
{
	struct bytes text = bytes_of(state_read(g, "BISECT_NAMES"));
	const char *at = text.ptr;
	char *word;

	if (at == NULL)
		return;
	while ((word = git_unquote_shell(g->keep, &at)) != NULL)
		if (out->n != 0 || strcmp(word, "--") != 0)
			names_add(g, out, word);
}

static void set_paths(struct git *g, struct revs *r)
{
	struct names words = { .at = NULL };

	bisect_paths(g, &words);
	if (words.n == 0)
		return;
	pathspec_of(g, words.at, (int)words.n, &r->paths);
	r->diff.paths = r->paths;
	r->sparse = true; /* what does not touch them is marked, and counts nothing */
}

static void add_candidate(struct bisect_search *s, struct candidate *k, struct commit *c)
{
	struct git *g = s->g;

	k->c = c;
	k->nparents = s->first_parent && c->nparents > 1 ? 1 : c->nparents;
	k->parent = c->parent;
	k->same = (c->flags & COMMIT_SAME) != 0;
	k->skipped = ref_exists(g, git_format(g->a, BISECT_SKIP_PREFIX "%s", oid_hex(g, &c->oid)));
	s->all += !k->same;
	*lookup_at(s->index, oid_key(&c->oid)) = k;
}

/* Everything that the bad commit contains and no good one does, oldest first. */
void bisect_load(struct bisect_search *s, struct commit *bad, struct ref *good, size_t ngood)
{
	struct git *g = s->g;
	struct revs r;
	struct commits list = { .at = NULL };

	revs_init(g, &r);
	s->first_parent = state_read(g, "BISECT_FIRST_PARENT") != NULL;
	r.first_parent = s->first_parent;
	set_paths(g, &r);
	revs_add_commit(g, &r, bad, false);
	for (size_t i = 0; i < ngood; i++)
		revs_add_commit(g, &r, commit_at(g, &good[i].oid), true);
	for (struct commit *c; (c = revs_next(&r)) != NULL;) {
		LIST_ROOM(g, list.at, list.n, list.cap);
		list.at[list.n++] = c;
	}
	s->n = list.n;
	s->at = arena_array(g->a, list.n + 1, sizeof *s->at);
	s->index = lookup_new(g);
	for (size_t i = 0; i < list.n; i++)
		add_candidate(s, &s->at[i], list.at[list.n - 1 - i]);
	revs_forget(g);
}

int bisect_steps_left(size_t all)
{
	int n = 0;

	if (all < 3)
		return 0;
	while (all >> (n + 1) != 0)
		n++;
	size_t power = (size_t)1 << n;

	return power < 3 * (all - power) ? n : n - 1;
}
