/* SPDX-License-Identifier: MIT
 *
 * Which commit of one series is which of the other: the assignment that costs least, where a pair
 * costs the lines of its comparison, and a commit alone a part of its own lines.
 *
 * The assignment is found by the shortest augmenting paths of Jonker and Volgenant (Computing 38,
 * 1987): columns are reduced, then rows, and the rows that are still free take paths.
 */
#include "builtins/git/range_diff.h"

enum { COST_MOST = 1 << 16, NODE_MOST = 4096 };

struct assignment {
	struct git *g;
	int n;
	const int *cost; /* of column j and row i: cost[j + n * i] */
	int *row_of;     /* of each column; -1: none */
	int *column_of;
	int *v; /* prices of columns */
	int *free_row;
	int nfree;
};

static int reduced(const struct assignment *x, int column, int row)
{
	return x->cost[(size_t)column + (size_t)x->n * (size_t)row] - x->v[column];
}

static int *new_list(struct assignment *x, int value)
{
	int *list = arena_array(x->g->a, (size_t)x->n + 1, sizeof(*list));

	for (int i = 0; i < x->n; i++)
		list[i] = value;
	return list;
}

/* Each column takes its cheapest row, if that is free. uses: how often a row was taken. */
static void reduce_columns(struct assignment *x, int *uses)
{
	for (int j = x->n - 1; j >= 0; j--) {
		int best = 0;

		for (int i = 1; i < x->n; i++)
			if (reduced(x, j, i) < reduced(x, j, best))
				best = i;
		cmd_charge(x->g->c, (uint64_t)x->n);
		x->v[j] = reduced(x, j, best);
		if (uses[best]++ == 0) {
			x->column_of[best] = j;
			x->row_of[j] = best;
		}
	}
}

/* Rows that one column alone wants lower its price as far as their second choice allows. */
static void transfer(struct assignment *x, const int *uses)
{
	for (int i = 0; i < x->n; i++) {
		int column = x->column_of[i];
		int least = INT32_MAX;

		if (column < 0)
			x->free_row[x->nfree++] = i;
		if (uses[i] != 1)
			continue;
		for (int j = 0; j < x->n; j++)
			if (j != column && reduced(x, j, i) < least)
				least = reduced(x, j, i);
		cmd_charge(x->g->c, (uint64_t)x->n);
		x->v[column] -= least;
	}
}

/* The two columns that are cheapest for a row, and their costs. */
static void two_best(const struct assignment *x, int row, int column[2], int cost[2])
{
	column[0] = 0;
	column[1] = -1;
	cost[0] = reduced(x, 0, row);
	cost[1] = INT32_MAX;
	for (int j = 1; j < x->n; j++) {
		int c = reduced(x, j, row);

		if (c >= cost[1])
			continue;
		if (c > cost[0]) {
			cost[1] = c;
			column[1] = j;
		} else {
			cost[1] = cost[0];
			column[1] = column[0];
			cost[0] = c;
			column[0] = j;
		}
	}
	if (column[1] < 0) {
		column[1] = column[0];
		cost[1] = cost[0];
	}
	cmd_charge(x->g->c, (uint64_t)x->n);
}

static void reduce_rows(struct assignment *x)
{
	int before = x->nfree, k = 0;

	x->nfree = 0;
	while (k < before) {
		int row = x->free_row[k++];
		int column[2], cost[2], chosen, owner;

		two_best(x, row, column, cost);
		chosen = column[0];
		owner = x->row_of[chosen];
		if (cost[0] < cost[1]) {
			x->v[chosen] -= cost[1] - cost[0];
		} else if (owner >= 0) {
			chosen = column[1];
			owner = x->row_of[chosen];
		}
		if (owner >= 0 && cost[0] < cost[1])
			x->free_row[--k] = owner;
		else if (owner >= 0)
			x->free_row[x->nfree++] = owner;
		x->column_of[row] = chosen;
		x->row_of[chosen] = row;
	}
}

/* A shortest path from a free row to a free column. */
struct path {
	int *distance, *before, *order;
	int low, up; /* order[low..up) are the nearest that were not looked at */
	int last, least;
};

static void gather_nearest(struct assignment *x, struct path *p)
{
	p->last = p->low;
	p->least = p->distance[p->order[p->up++]];
	for (int k = p->up; k < x->n; k++) {
		int j = p->order[k];

		if (p->distance[j] > p->least)
			continue;
		if (p->distance[j] < p->least) {
			p->up = p->low;
			p->least = p->distance[j];
		}
		p->order[k] = p->order[p->up];
		p->order[p->up++] = j;
	}
	cmd_charge(x->g->c, (uint64_t)x->n);
}

/* Shortens distances through one column; the free column that is as near as can be, or -1. */
static int look_through(struct assignment *x, struct path *p)
{
	int through = p->order[p->low++];
	int row = x->row_of[through];
	int base = reduced(x, through, row) - p->least;

	cmd_charge(x->g->c, (uint64_t)x->n);
	for (int k = p->up; k < x->n; k++) {
		int j = p->order[k];
		int c = reduced(x, j, row) - base;

		if (c >= p->distance[j])
			continue;
		p->distance[j] = c;
		p->before[j] = row;
		if (c != p->least)
			continue;
		if (x->row_of[j] < 0)
			return j;
		p->order[k] = p->order[p->up];
		p->order[p->up++] = j;
	}
	return -1;
}

static int find_path(struct assignment *x, struct path *p)
{
	for (;;) {
		int end = -1;

		if (p->low == p->up) {
			gather_nearest(x, p);
			for (int k = p->low; k < p->up; k++)
				if (x->row_of[p->order[k]] < 0)
					return p->order[k];
		}
		end = look_through(x, p);
		if (end >= 0)
			return end;
	}
}

static void augment(struct assignment *x)
{
	struct path p = { new_list(x, 0), new_list(x, 0), new_list(x, 0), 0, 0, 0, 0 };

	for (int f = 0; f < x->nfree; f++) {
		int row = x->free_row[f], end, at;

		for (int j = 0; j < x->n; j++) {
			p.distance[j] = reduced(x, j, row);
			p.before[j] = row;
			p.order[j] = j;
		}
		p.low = p.up = 0;
		end = find_path(x, &p);
		for (int k = 0; k < p.last; k++)
			x->v[p.order[k]] += p.distance[p.order[k]] - p.least;
		do {
			int next;

			at = p.before[end];
			x->row_of[end] = at;
			next = x->column_of[at];
			x->column_of[at] = end;
			end = next;
		} while (at != row);
	}
}

static int *assign(struct git *g, const int *cost, int n)
{
	struct assignment x = { .g = g, .n = n, .cost = cost };
	int *uses;

	x.row_of = new_list(&x, -1);
	x.column_of = new_list(&x, -1);
	x.v = new_list(&x, 0);
	x.free_row = new_list(&x, 0);
	uses = new_list(&x, 0);
	if (n < 2) {
		for (int i = 0; i < n; i++)
			x.row_of[i] = 0;
		return x.row_of;
	}
	reduce_columns(&x, uses);
	transfer(&x, uses);
	for (int phase = 0; phase < 2 && x.nfree > 0; phase++)
		reduce_rows(&x);
	augment(&x);
	return x.row_of;
}

/* --- patches --- */

static struct bytes diff_of(const struct range_patch *p)
{
	return bytes_slice(p->text, p->diff, p->text.len);
}

/* Those whose differences are the same are the same. */
static void match_same(struct git *g, struct range *a, struct range *b)
{
	struct lookup *last = lookup_new(g); /* of a by differences: the number + 1 */
	int *before = arena_array(g->a, a->n + 1, sizeof(*before));

	for (size_t i = 0; i < a->n; i++) {
		void **at = lookup_at(last, diff_of(&a->at[i]));

		before[i] = (int)(intptr_t)*at;
		*at = (void *)(intptr_t)(i + 1);
		cmd_charge_bytes(g->c, a->at[i].text.len);
	}
	for (size_t j = 0; j < b->n; j++) {
		void **at = lookup_at(last, diff_of(&b->at[j]));
		intptr_t i = (intptr_t)*at;

		cmd_charge_bytes(g->c, b->at[j].text.len);
		if (i == 0)
			continue;
		a->at[i - 1].match = (int)j;
		b->at[j].match = (int)i - 1;
		*at = (void *)(intptr_t)before[i - 1];
	}
}

static int alone(const struct range_patch *p, int factor)
{
	int64_t c = (int64_t)p->lines * factor / 100;

	if (p->match >= 0 || c > INT32_MAX / 4)
		return COST_MOST;
	return (int)c;
}

static void fill_costs(struct git *g, const struct range *a, const struct range *b, int factor,
		       int *cost)
{
	size_t n = a->n + b->n;

	for (size_t i = 0; i < a->n; i++) {
		const struct range_patch *one = &a->at[i];

		for (size_t j = 0; j < b->n; j++) {
			const struct range_patch *two = &b->at[j];
			int c = COST_MOST;

			if (one->match == (int)j)
				c = 0;
			else if (one->match < 0 && two->match < 0)
				c = range_cost(g, diff_of(one), diff_of(two));
			cost[i + n * j] = c;
		}
		for (size_t j = b->n; j < n; j++)
			cost[i + n * j] = alone(one, factor);
	}
	for (size_t j = 0; j < b->n; j++)
		for (size_t i = a->n; i < n; i++)
			cost[i + n * j] = alone(&b->at[j], factor);
	cmd_charge(g->c, n * n / 4);
}

void range_match(struct git *g, struct range *a, struct range *b, int creation_factor)
{
	size_t n = a->n + b->n;
	int *cost;
	int *row_of;

	if (n > NODE_MOST)
		git_die(g, "more than %d commits cannot be compared", NODE_MOST);
	cost = arena_array(g->a, n * n + 1, sizeof(*cost));
	match_same(g, a, b);
	fill_costs(g, a, b, creation_factor, cost);
	row_of = assign(g, cost, (int)n);
	for (size_t i = 0; i < a->n; i++) {
		if (row_of[i] < 0 || (size_t)row_of[i] >= b->n)
			continue;
		a->at[i].match = row_of[i];
		b->at[row_of[i]].match = (int)i;
	}
}
