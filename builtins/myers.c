/* SPDX-License-Identifier: MIT
 *
 * Myers' algorithm from both ends at once, in linear space, with a limit on what may be spent on
 * a perfect answer. Source: E. W. Myers, "An O(ND) Difference Algorithm and Its Variations",
 * 1986; the limits are those of GNU diff and git, so hunks are too.
 */
#include "builtins/myers.h"

enum { SNAKE_MIN = 20, HEURISTIC_FACTOR = 4 };

struct box {
	int64_t x0, x1, y0, y1;
	bool minimal;
};

struct path {
	struct cmd *c;
	const uint32_t *x;
	const uint32_t *y;
	int64_t *forward; /* furthest x on each diagonal x - y */
	int64_t *backward;
	int64_t cost_max;
	int64_t snakes_from; /* the cost from which long runs are looked for */
};

/* Where a box is divided. */
struct split {
	int64_t x, y;
	bool low_minimal, high_minimal;
};

/* Diagonals reached so far, from one end. */
struct reach {
	int64_t min, max;
};

static void widen(struct reach *r, int64_t *v, int64_t low, int64_t high, int64_t none)
{
	if (r->min > low)
		v[--r->min - 1] = none;
	else
		++r->min;
	if (r->max < high)
		v[++r->max + 1] = none;
	else
		--r->max;
}

static bool forward(const struct path *p, const struct box *b, const struct reach *f,
		    const struct reach *back, bool meet, bool *snake, struct split *out)
{
	int64_t *v = p->forward;

	for (int64_t k = f->max; k >= f->min; k -= 2) {
		int64_t x = v[k - 1] >= v[k + 1] ? v[k - 1] + 1 : v[k + 1];
		int64_t y = x - k;
		int64_t from = x;

		while (x < b->x1 && y < b->y1 && p->x[x] == p->y[y])
			x++, y++;
		*snake = *snake || x - from > SNAKE_MIN;
		v[k] = x;
		if (meet && back->min <= k && k <= back->max && p->backward[k] <= x) {
			*out = (struct split){ x, y, true, true };
			return true;
		}
	}
	return false;
}

static bool backward(const struct path *p, const struct box *b, const struct reach *f,
		     const struct reach *back, bool meet, bool *snake, struct split *out)
{
	int64_t *v = p->backward;

	for (int64_t k = back->max; k >= back->min; k -= 2) {
		int64_t x = v[k - 1] < v[k + 1] ? v[k - 1] : v[k + 1] - 1;
		int64_t y = x - k;
		int64_t from = x;

		while (b->x0 < x && b->y0 < y && p->x[x - 1] == p->y[y - 1])
			x--, y--;
		*snake = *snake || from - x > SNAKE_MIN;
		v[k] = x;
		if (meet && f->min <= k && k <= f->max && x <= p->forward[k]) {
			*out = (struct split){ x, y, true, true };
			return true;
		}
	}
	return false;
}

static bool run_before(const struct path *p, int64_t x, int64_t y)
{
	for (int64_t k = 1; p->x[x - k] == p->y[y - k]; k++)
		if (k == SNAKE_MIN)
			return true;
	return false;
}

static bool run_behind(const struct path *p, int64_t x, int64_t y)
{
	for (int64_t k = 0; p->x[x + k] == p->y[y + k]; k++)
		if (k == SNAKE_MIN - 1)
			return true;
	return false;
}

/* A long run of equal lines far from the beginning (or end) will do. */
static bool good_enough(const struct path *p, const struct box *b, const struct reach *f,
			const struct reach *back, int64_t cost, struct split *out)
{
	int64_t best = 0;

	for (int64_t k = f->max; k >= f->min; k -= 2) {
		int64_t x = p->forward[k];
		int64_t y = x - k;
		int64_t off = k - (b->x0 - b->y0);
		int64_t v = x - b->x0 + (y - b->y0) - (off < 0 ? -off : off);

		if (v > HEURISTIC_FACTOR * cost && v > best && b->x0 + SNAKE_MIN <= x &&
		    x < b->x1 && b->y0 + SNAKE_MIN <= y && y < b->y1 && run_before(p, x, y)) {
			best = v;
			*out = (struct split){ x, y, true, false };
		}
	}
	if (best > 0)
		return true;
	for (int64_t k = back->max; k >= back->min; k -= 2) {
		int64_t x = p->backward[k];
		int64_t y = x - k;
		int64_t off = k - (b->x1 - b->y1);
		int64_t v = b->x1 - x + (b->y1 - y) - (off < 0 ? -off : off);

		if (v > HEURISTIC_FACTOR * cost && v > best && b->x0 < x &&
		    x <= b->x1 - SNAKE_MIN && b->y0 < y && y <= b->y1 - SNAKE_MIN &&
		    run_behind(p, x, y)) {
			best = v;
			*out = (struct split){ x, y, false, true };
		}
	}
	return best > 0;
}

/* Too much was spent: the place furthest from where it began. */
static struct split give_up(const struct path *p, const struct box *b, const struct reach *f,
			    const struct reach *back)
{
	int64_t best = -1, best_x = -1;
	int64_t least = INT64_MAX, least_x = INT64_MAX;

	for (int64_t k = f->max; k >= f->min; k -= 2) {
		int64_t x = p->forward[k] < b->x1 ? p->forward[k] : b->x1;
		int64_t y = x - k;

		if (b->y1 < y) {
			x = b->y1 + k;
			y = b->y1;
		}
		if (best < x + y) {
			best = x + y;
			best_x = x;
		}
	}
	for (int64_t k = back->max; k >= back->min; k -= 2) {
		int64_t x = p->backward[k] > b->x0 ? p->backward[k] : b->x0;
		int64_t y = x - k;

		if (y < b->y0) {
			x = b->y0 + k;
			y = b->y0;
		}
		if (x + y < least) {
			least = x + y;
			least_x = x;
		}
	}
	if (b->x1 + b->y1 - least < best - (b->x0 + b->y0))
		return (struct split){ best_x, best - best_x, true, false };
	return (struct split){ least_x, least - least_x, false, true };
}

/* A point on a shortest way through the box, about in its middle. */
static struct split find_middle(const struct path *p, const struct box *b)
{
	int64_t low = b->x0 - b->y1;
	int64_t high = b->x1 - b->y0;
	struct reach f = { b->x0 - b->y0, b->x0 - b->y0 };
	struct reach back = { b->x1 - b->y1, b->x1 - b->y1 };
	bool odd = ((f.min - back.min) & 1) != 0;
	struct split out;

	p->forward[f.min] = b->x0;
	p->backward[back.min] = b->x1;
	for (int64_t cost = 1;; cost++) {
		bool snake = false;

		widen(&f, p->forward, low, high, -1);
		if (forward(p, b, &f, &back, odd, &snake, &out))
			return out;
		widen(&back, p->backward, low, high, INT64_MAX);
		if (backward(p, b, &f, &back, !odd, &snake, &out))
			return out;
		cmd_charge(p->c, (uint64_t)cost / 4 + 1);
		if (b->minimal)
			continue;
		if (snake && cost > p->snakes_from && good_enough(p, b, &f, &back, cost, &out))
			return out;
		if (cost >= p->cost_max)
			return give_up(p, b, &f, &back);
	}
}

/* Boxes still to be divided: a stack, as deep as divisions are nested. */
struct boxes {
	struct box *box;
	size_t n;
	size_t cap;
};

static void push_box(struct cmd *c, struct boxes *s, struct box b)
{
	if (s->n == s->cap) {
		size_t cap = s->cap * 2 + 64;

		s->box = pool_resize(c->pool, s->box, s->cap * sizeof(b), cap * sizeof(b));
		s->cap = cap;
	}
	s->box[s->n++] = b;
}

static void shrink(const struct path *p, struct box *b)
{
	while (b->x0 < b->x1 && b->y0 < b->y1 && p->x[b->x0] == p->y[b->y0])
		b->x0++, b->y0++;
	while (b->x0 < b->x1 && b->y0 < b->y1 && p->x[b->x1 - 1] == p->y[b->y1 - 1])
		b->x1--, b->y1--;
}

static void mark_box(const struct myers_side side[2], const struct box *b)
{
	for (int64_t x = b->x0; x < b->x1; x++)
		side[0].changed[side[0].real[x]] = 1;
	for (int64_t y = b->y0; y < b->y1; y++)
		side[1].changed[side[1].real[y]] = 1;
}

static void divide(const struct path *p, const struct myers_side side[2], bool minimal)
{
	struct boxes todo = { NULL, 0, 0 };

	push_box(p->c, &todo, (struct box){ 0, side[0].n, 0, side[1].n, minimal });
	while (todo.n > 0) {
		struct box b = todo.box[--todo.n];

		shrink(p, &b);
		cmd_charge(p->c, 1);
		if (b.x0 == b.x1 || b.y0 == b.y1) {
			mark_box(side, &b);
			continue;
		}
		struct split m = find_middle(p, &b);

		push_box(p->c, &todo, (struct box){ m.x, b.x1, m.y, b.y1, m.high_minimal });
		push_box(p->c, &todo, (struct box){ b.x0, m.x, b.y0, m.y, m.low_minimal });
	}
	pool_free(p->c->pool, todo.box, todo.cap * sizeof(*todo.box));
}

void myers_mark(struct cmd *c, struct arena *a, const struct myers_side side[2],
		const struct myers_effort *effort)
{
	int64_t diagonals = side[0].n + side[1].n + 3;
	int64_t *room = arena_array(a, heap_size((uint64_t)diagonals * 2), sizeof(*room));
	struct path p = {
		.c = c,
		.x = side[0].class,
		.y = side[1].class,
		.cost_max = 1,
		.forward = room + side[1].n + 1,
		.backward = room + diagonals + side[1].n + 1,
		.snakes_from = effort->snakes ? effort->cost_min : INT64_MAX,
	};

	for (int64_t rest = diagonals; rest > 0; rest >>= 2)
		p.cost_max <<= 1;
	if (p.cost_max < effort->cost_min)
		p.cost_max = effort->cost_min;
	divide(&p, side, effort->minimal);
}
