/* SPDX-License-Identifier: MIT
 *
 * Which lines change.
 *
 * Lines that the other file has nowhere, or very often, are left out first (they confuse more
 * than they help); what remains is compared by Myers' algorithm, from both ends at once, in
 * linear space, with a limit on what may be spent on a perfect answer. Last, runs of changes
 * are moved to where people expect them. The rules are those of GNU diff, so hunks are too.
 */
#include "builtins/diff/diff.h"

enum { COST_MIN = 4096 };

/* The lines of one file that take part. */
struct vector {
	uint32_t *class;
	size_t *real; /* line counted from file.from */
	int64_t n;
};

/* --- lines that confuse --- */

enum { KEEP, DISCARD, MAYBE };

/* A run [i, end) of lines that may go: provisional ones stay if they are too many. */
static size_t settle_run(char *mark, size_t i, size_t n)
{
	size_t end = i;
	size_t maybe = 0;

	for (; end < n && mark[end] != KEEP; end++)
		maybe += mark[end] == MAYBE;
	while (end > i && mark[end - 1] == MAYBE) {
		mark[--end] = KEEP;
		maybe--;
	}
	size_t length = end - i;

	if (maybe * 4 <= length)
		return length;
	while (end > i)
		if (mark[--end] == MAYBE)
			mark[end] = KEEP;
	return 0;
}

/* Runs of provisional lines longer than about the root of a quarter of the length stay. */
static void keep_long_subruns(char *mark, size_t length)
{
	size_t minimum = 1;
	size_t consecutive = 0;

	for (size_t rest = length >> 2 >> 2; rest > 0; rest >>= 2)
		minimum <<= 1;
	minimum++;
	for (size_t j = 0; j < length; j++) {
		if (mark[j] != MAYBE)
			consecutive = 0;
		else if (minimum == ++consecutive)
			j -= consecutive;
		else if (minimum < consecutive)
			mark[j] = KEEP;
	}
}

/* From one end: provisional lines stay until three others in a row, or one eight lines in. */
static void keep_at_edge(char *edge, size_t length, int step)
{
	size_t consecutive = 0;

	for (size_t j = 0; j < length; j++) {
		char *at = edge + (ptrdiff_t)j * step;

		if (j >= 8 && *at == DISCARD)
			break;
		if (*at == DISCARD)
			consecutive++;
		else
			consecutive = 0;
		if (*at == MAYBE)
			*at = KEEP;
		if (consecutive == 3)
			break;
	}
}

static void settle_marks(char *mark, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (mark[i] == MAYBE)
			mark[i] = KEEP;
		if (mark[i] == KEEP)
			continue;
		size_t length = settle_run(mark, i, n);

		if (length == 0)
			continue;
		keep_long_subruns(mark + i, length);
		keep_at_edge(mark + i, length, 1);
		i += length - 1;
		keep_at_edge(mark + i, length, -1);
	}
}

static void mark_lines(const struct diff_file *f, const uint32_t *others, char *mark)
{
	size_t n = f->to - f->from;
	size_t many = 5;

	for (size_t rest = n / 64 >> 2; rest > 0; rest >>= 2)
		many *= 2;
	for (size_t i = 0; i < n; i++) {
		uint32_t matches = others[f->class[i]];

		mark[i] = matches == 0 ? DISCARD : matches > many ? MAYBE : KEEP;
	}
}

static struct vector take_part(struct diff *d, int which, const uint32_t *others)
{
	struct diff_file *f = &d->file[which];
	size_t n = f->to - f->from;
	char *mark = arena_array(d->c->arena, n + 1, 1);
	struct vector v = {
		arena_array(d->c->arena, n + 1, sizeof(uint32_t)),
		arena_array(d->c->arena, n + 1, sizeof(size_t)),
		0,
	};

	mark_lines(f, others, mark);
	settle_marks(mark, n);
	for (size_t i = 0; i < n; i++) {
		if (!d->o->minimal && mark[i] != KEEP) {
			f->changed[f->from + i] = 1;
			continue;
		}
		v.class[v.n] = f->class[i];
		v.real[v.n++] = i;
	}
	cmd_charge(d->c, n / 4);
	return v;
}

static uint32_t *count_classes(struct diff *d, int which, uint32_t classes)
{
	const struct diff_file *f = &d->file[which];
	uint32_t *count = arena_array(d->c->arena, classes, sizeof(*count));

	for (size_t i = 0; i < f->to - f->from; i++)
		count[f->class[i]]++;
	return count;
}

/* --- the shortest way from one to the other --- */

struct box {
	int64_t x0, x1, y0, y1;
	bool minimal;
};

struct search {
	struct cmd *c;
	const uint32_t *x;
	const uint32_t *y;
	int64_t *forward; /* furthest x on each diagonal x - y */
	int64_t *backward;
	int64_t cost_max;
};

struct partition {
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

static bool step_forward(const struct search *s, const struct box *b, const struct reach *f,
			 const struct reach *back, bool meet, struct partition *out)
{
	int64_t *v = s->forward;

	for (int64_t k = f->max; k >= f->min; k -= 2) {
		int64_t x = v[k - 1] < v[k + 1] ? v[k + 1] : v[k - 1] + 1;
		int64_t y = x - k;

		while (x < b->x1 && y < b->y1 && s->x[x] == s->y[y])
			x++, y++;
		v[k] = x;
		if (meet && back->min <= k && k <= back->max && s->backward[k] <= x) {
			*out = (struct partition){ x, y, true, true };
			return true;
		}
	}
	return false;
}

static bool step_backward(const struct search *s, const struct box *b, const struct reach *f,
			  const struct reach *back, bool meet, struct partition *out)
{
	int64_t *v = s->backward;

	for (int64_t k = back->max; k >= back->min; k -= 2) {
		int64_t x = v[k - 1] < v[k + 1] ? v[k - 1] : v[k + 1] - 1;
		int64_t y = x - k;

		while (b->x0 < x && b->y0 < y && s->x[x - 1] == s->y[y - 1])
			x--, y--;
		v[k] = x;
		if (meet && f->min <= k && k <= f->max && x <= s->forward[k]) {
			*out = (struct partition){ x, y, true, true };
			return true;
		}
	}
	return false;
}

/* Too much was spent: the place that is furthest from where it began. */
static struct partition give_up(const struct search *s, const struct box *b, const struct reach *f,
				const struct reach *back)
{
	int64_t best = -1, best_x = 0;
	int64_t least = INT64_MAX, least_x = 0;

	for (int64_t k = f->max; k >= f->min; k -= 2) {
		int64_t x = s->forward[k] < b->x1 ? s->forward[k] : b->x1;
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
		int64_t x = s->backward[k] > b->x0 ? s->backward[k] : b->x0;
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
		return (struct partition){ best_x, best - best_x, true, false };
	return (struct partition){ least_x, least - least_x, false, true };
}

/* A point on a shortest way through the box, about in its middle. */
static struct partition find_middle(const struct search *s, const struct box *b)
{
	int64_t low = b->x0 - b->y1;
	int64_t high = b->x1 - b->y0;
	int64_t first = b->x0 - b->y0;
	int64_t last = b->x1 - b->y1;
	bool odd = ((first - last) & 1) != 0;
	struct reach f = { first, first };
	struct reach back = { last, last };
	struct partition out;

	s->forward[first] = b->x0;
	s->backward[last] = b->x1;
	for (int64_t cost = 1;; cost++) {
		widen(&f, s->forward, low, high, -1);
		if (step_forward(s, b, &f, &back, odd, &out))
			return out;
		widen(&back, s->backward, low, high, INT64_MAX);
		if (step_backward(s, b, &f, &back, !odd, &out))
			return out;
		cmd_charge(s->c, (uint64_t)cost / 4 + 1);
		if (!b->minimal && cost >= s->cost_max)
			return give_up(s, b, &f, &back);
	}
}

static void shrink(const struct search *s, struct box *b)
{
	while (b->x0 < b->x1 && b->y0 < b->y1 && s->x[b->x0] == s->y[b->y0])
		b->x0++, b->y0++;
	while (b->x0 < b->x1 && b->y0 < b->y1 && s->x[b->x1 - 1] == s->y[b->y1 - 1])
		b->x1--, b->y1--;
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

static void mark_changed(struct diff *d, const struct vector v[2], const struct box *b)
{
	struct diff_file *f = d->file;

	for (int64_t x = b->x0; x < b->x1; x++)
		f[0].changed[f[0].from + v[0].real[x]] = 1;
	for (int64_t y = b->y0; y < b->y1; y++)
		f[1].changed[f[1].from + v[1].real[y]] = 1;
}

static void divide(struct diff *d, const struct vector v[2], const struct search *s)
{
	struct boxes todo = { NULL, 0, 0 };

	push_box(d->c, &todo, (struct box){ 0, v[0].n, 0, v[1].n, d->o->minimal });
	while (todo.n > 0) {
		struct box b = todo.box[--todo.n];

		shrink(s, &b);
		cmd_charge(d->c, 1);
		if (b.x0 == b.x1 || b.y0 == b.y1) {
			mark_changed(d, v, &b);
			continue;
		}
		struct partition p = find_middle(s, &b);

		push_box(d->c, &todo, (struct box){ p.x, b.x1, p.y, b.y1, p.high_minimal });
		push_box(d->c, &todo, (struct box){ b.x0, p.x, b.y0, p.y, p.low_minimal });
	}
}

static void find_changes(struct diff *d, const struct vector v[2])
{
	int64_t diagonals = v[0].n + v[1].n + 3;
	int64_t *room = arena_array(d->c->arena, (size_t)diagonals * 2, sizeof(*room));
	struct search s = {
		.c = d->c,
		.x = v[0].class,
		.y = v[1].class,
		.cost_max = 1,
		.forward = room + v[1].n + 1,
		.backward = room + diagonals + v[1].n + 1,
	};

	for (int64_t rest = diagonals; rest != 0; rest >>= 2)
		s.cost_max <<= 1;
	if (s.cost_max < COST_MIN)
		s.cost_max = COST_MIN;
	divide(d, v, &s);
}

/* --- where runs of changes stand --- */

/* Positions in the compared parts of both files that go together. */
struct shift {
	char *changed;
	char *other;
	const uint32_t *class;
	int64_t end;
	int64_t start; /* the run is [start, i) */
	int64_t i;
	int64_t j;             /* the line of the other file that corresponds to i */
	int64_t corresponding; /* the last end at which the other file also changes */
};

static void shift_back(struct shift *s)
{
	while (s->start > 0 && s->class[s->start - 1] == s->class[s->i - 1]) {
		s->changed[--s->start] = 1;
		s->changed[--s->i] = 0;
		while (s->start > 0 && s->changed[s->start - 1])
			s->start--;
		while (s->other[--s->j])
			;
	}
}

static void shift_forward(struct shift *s)
{
	while (s->i != s->end && s->class[s->start] == s->class[s->i]) {
		s->changed[s->start++] = 0;
		s->changed[s->i++] = 1;
		while (s->i < s->end && s->changed[s->i])
			s->i++;
		while (s->other[++s->j])
			s->corresponding = s->i;
	}
}

static void shift_run(struct shift *s)
{
	int64_t length;

	do {
		length = s->i - s->start;
		shift_back(s);
		s->corresponding = s->other[s->j - 1] ? s->i : s->end;
		shift_forward(s);
	} while (length != s->i - s->start);
	while (s->corresponding < s->i) {
		s->changed[--s->start] = 1;
		s->changed[--s->i] = 0;
		while (s->other[--s->j])
			;
	}
}

static void shift_boundaries(struct diff *d, int which)
{
	struct diff_file *f = &d->file[which];
	struct diff_file *g = &d->file[1 - which];
	struct shift s = {
		.changed = f->changed + f->from,
		.other = g->changed + g->from,
		.class = f->class,
		.end = (int64_t)(f->to - f->from),
	};

	for (;;) {
		while (s.i < s.end && !s.changed[s.i]) {
			while (s.other[s.j++])
				;
			s.i++;
		}
		if (s.i == s.end)
			return;
		s.start = s.i;
		while (++s.i < s.end && s.changed[s.i])
			;
		while (s.other[s.j])
			s.j++;
		shift_run(&s);
		cmd_charge(d->c, 1 + (uint64_t)(s.i - s.start) / 16);
	}
}

static uint32_t highest_class(const struct diff *d)
{
	uint32_t most = 0;

	for (int which = 0; which < 2; which++) {
		const struct diff_file *f = &d->file[which];

		for (size_t i = 0; i < f->to - f->from; i++)
			most = f->class[i] > most ? f->class[i] : most;
	}
	return most;
}

void diff_compare(struct diff *d)
{
	uint32_t classes = highest_class(d) + 1;
	uint32_t *count[2] = { count_classes(d, 0, classes), count_classes(d, 1, classes) };
	struct vector v[2] = { take_part(d, 0, count[1]), take_part(d, 1, count[0]) };

	find_changes(d, v);
	shift_boundaries(d, 0);
	shift_boundaries(d, 1);
}
