/* SPDX-License-Identifier: MIT
 *
 * Where lines come from that a commit changed which is to be ignored (blame --ignore-rev): lines
 * are alike by the pairs of characters that they share. The surest match is made first, then
 * the lines in front of it and those behind it are matched, so that nothing crosses. What has
 * no match there may come from any line of the parent that is alike enough.
 */
#include "builtins/git/blame.h"

enum {
	REACH = 10,     /* lines looked at on each side of where a line should be */
	NEAR = 1000,    /* more than REACH: of two that are as alike, the nearer */
	ALIKE_FAR = 10, /* pairs in common to come from anywhere */
	NOT_KNOWN = -1, /* certainties */
	NOTHING = -2,
};

struct line_pair {
	uint32_t pair;
	uint32_t count;
};

static int compare_pairs(const void *a, const void *b)
{
	uint32_t x = ((const struct line_pair *)a)->pair, y = ((const struct line_pair *)b)->pair;

	return x < y ? -1 : x > y;
}

static unsigned plain(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r'
		       ? 0
		       : (unsigned)byte_to_lower((unsigned char)c);
}

static void print_of(struct git *g, struct arena *a, struct bytes line, struct line_print *out)
{
	unsigned before = 0;
	size_t n = 0;

	out->n = 0;
	out->at = arena_array(a, line.len + 1, sizeof(*out->at));
	for (size_t i = 0; i <= line.len; i++) {
		unsigned c = i < line.len ? plain(line.ptr[i]) : 0;

		if ((before | c) != 0)
			out->at[n++] = (struct line_pair){ before | c << 8, 1 };
		before = c;
	}
	git_sort(g, out->at, n, sizeof(*out->at), compare_pairs);
	for (size_t i = 0; i < n; i++)
		if (out->n > 0 && out->at[out->n - 1].pair == out->at[i].pair)
			out->at[out->n - 1].count++;
		else
			out->at[out->n++] = out->at[i];
	cmd_charge(g->c, 1 + line.len / 16);
}

void blame_prints(struct git *g, struct arena *a, struct bytes text, struct line_prints *out)
{
	struct bytes *line;

	out->n = lines_split(a, text, &line);
	out->line = arena_array(a, out->n + 1, sizeof(*out->line));
	for (size_t i = 0; i < out->n; i++)
		print_of(g, a, line[i], &out->line[i]);
}

static int64_t alike(struct git *g, const struct line_print *x, const struct line_print *y)
{
	int64_t shared = 0;
	size_t i = 0, j = 0;

	cmd_charge(g->c, 1 + (x->n + y->n) / 64);
	while (i < x->n && j < y->n) {
		const struct line_pair *p = &x->at[i], *q = &y->at[j];

		if (p->pair == q->pair)
			shared += p->count < q->count ? p->count : q->count;
		i += p->pair <= q->pair;
		j += q->pair <= p->pair;
	}
	return shared;
}

/* What y has is gone from x. */
static void use_up(struct line_print *x, const struct line_print *y)
{
	size_t kept = 0, j = 0;

	for (size_t i = 0; i < x->n; i++) {
		struct line_pair p = x->at[i];

		while (j < y->n && y->at[j].pair < p.pair)
			j++;
		if (j < y->n && y->at[j].pair == p.pair) {
			if (p.count <= y->at[j].count)
				continue;
			p.count -= y->at[j].count;
		}
		x->at[kept++] = p;
	}
	x->n = kept;
}

/* Of a line of the change: lines of the parent, from where the change begins there. */
struct found {
	int64_t best, second; /* -1: none */
	int64_t certainty;
};

/* Lines [from, to) of the parent's side for [child_from, child_to) of the change. */
struct span {
	int64_t from, to;
	int64_t child_from, child_to;
};

struct guess {
	struct git *g;
	struct line_print *parent; /* of the change */
	const struct line_print *child;
	int64_t nparent, nchild;
	struct found *found;
};

static int64_t distance(int64_t x, int64_t y)
{
	return x < y ? y - x : x - y;
}

static void look_around(struct guess *u, const struct span *in, int64_t i)
{
	int64_t reach = u->nparent > REACH ? REACH : u->nparent - 1;
	int64_t near = (i * 2 + 1) * u->nparent / (u->nchild * 2);
	int64_t from = near - reach > in->from ? near - reach : in->from;
	int64_t to = near + reach + 1 < in->to ? near + reach + 1 : in->to;
	struct found f = { -1, -1, NOTHING };
	int64_t best = 0, second = 0;

	for (int64_t k = from; k < to; k++) {
		int64_t v = alike(u->g, &u->child[i], &u->parent[k]) * (NEAR - distance(k, near));

		if (v > best) {
			second = best;
			f.second = f.best;
			best = v;
			f.best = k;
		} else if (v > second) {
			second = v;
			f.second = k;
		}
	}
	if (best > 0)
		f.certainty = best * 2 - second;
	u->found[i] = f;
}

/* Matches the surest line: its number, or -1. Lines whose choice that takes look again. */
static int64_t match_surest(struct guess *u, const struct span *in)
{
	int64_t surest = -1, certainty = NOT_KNOWN, taken;

	for (int64_t i = in->child_from; i < in->child_to; i++) {
		if (u->found[i].certainty == NOT_KNOWN)
			look_around(u, in, i);
		if (u->found[i].certainty > certainty) {
			certainty = u->found[i].certainty;
			surest = i;
		}
	}
	cmd_charge(u->g->c, 1 + (size_t)(in->child_to - in->child_from) / 8);
	if (surest < 0)
		return -1;
	taken = u->found[surest].best;
	use_up(&u->parent[taken], &u->child[surest]);
	for (int64_t i = in->child_from; i < in->child_to; i++) {
		struct found *f = &u->found[i];

		if (f->certainty >= 0 && i < surest && (f->best >= taken || f->second >= taken))
			f->certainty = NOT_KNOWN;
		if (f->certainty >= 0 && i > surest && (f->best <= taken || f->second <= taken))
			f->certainty = NOT_KNOWN;
	}
	return surest;
}

static void match_change(struct guess *u)
{
	struct span *todo = NULL;
	size_t n = 0, cap = 0;

	LIST_ROOM(u->g, todo, n, cap);
	todo[n++] = (struct span){ 0, u->nparent, 0, u->nchild };
	while (n > 0) {
		struct span in = todo[--n];
		int64_t i = in.child_from < in.child_to ? match_surest(u, &in) : -1;

		if (i < 0)
			continue;
		LIST_ROOM(u->g, todo, n, cap);
		todo[n++] = (struct span){ u->found[i].best, in.to, i + 1, in.child_to };
		LIST_ROOM(u->g, todo, n, cap);
		todo[n++] = (struct span){ in.from, u->found[i].best + 1, in.child_from, i };
	}
	pool_free(u->g->c->pool, todo, cap * sizeof(*todo));
}

/* The line of the whole parent that is most alike, of several the nearest. */
static size_t match_far(struct git *g, const struct line_prints *parent,
			const struct line_print *line, size_t number)
{
	int64_t best = ALIKE_FAR;
	size_t at = SIZE_MAX;

	for (size_t i = 0; i < parent->n; i++) {
		int64_t v = alike(g, line, &parent->line[i]);

		if (v < best || (v == best && at != SIZE_MAX &&
				 distance((int64_t)at, (int64_t)number) <
					 distance((int64_t)i, (int64_t)number)))
			continue;
		best = v;
		at = i;
	}
	return at;
}

void blame_guess(struct git *g, struct line_prints *parent, const struct line_prints *child,
		 const struct lines_change *change, size_t *match)
{
	struct guess u = { .g = g,
			   .parent = parent->line + change->from[0],
			   .child = child->line + change->from[1],
			   .nparent = (int64_t)change->count[0],
			   .nchild = (int64_t)change->count[1] };
	size_t size = change->count[1] * sizeof(*u.found);

	if (u.nchild == 0)
		return;
	u.found = pool_resize(g->c->pool, NULL, 0, size);
	for (int64_t i = 0; i < u.nchild; i++)
		u.found[i] = (struct found){ -1, -1, NOT_KNOWN };
	if (u.nparent > 0)
		match_change(&u);
	for (size_t i = 0; i < change->count[1]; i++)
		match[i] = u.found[i].best >= 0
				   ? change->from[0] + (size_t)u.found[i].best
				   : match_far(g, parent, &u.child[i], change->from[1] + i);
	pool_free(g->c->pool, u.found, size);
}
