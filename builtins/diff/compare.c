/* SPDX-License-Identifier: MIT
 *
 * Which lines change.
 *
 * Lines that the other file has nowhere, or very often, are left out first (they confuse more
 * than they help); what remains is compared by Myers' algorithm (builtins/myers.c). Last, runs of
 * changes are moved to where people expect them. The rules are those of GNU diff, so hunks are too.
 */
#include "builtins/diff/diff.h"
#include "builtins/myers.h"

enum { COST_MIN = 4096 };

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

static struct myers_side take_part(struct diff *d, int which, const uint32_t *others)
{
	struct diff_file *f = &d->file[which];
	size_t n = f->to - f->from;
	char *mark = arena_array(d->c->arena, n + 1, 1);
	struct myers_side v = {
		arena_array(d->c->arena, n + 1, sizeof(uint32_t)),
		arena_array(d->c->arena, n + 1, sizeof(size_t)),
		0,
		f->changed + f->from,
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
	struct myers_side v[2] = { take_part(d, 0, count[1]), take_part(d, 1, count[0]) };

	myers_mark(d->c, d->c->arena, v,
		   &(struct myers_effort){ .cost_min = COST_MIN, .minimal = d->o->minimal });
	shift_boundaries(d, 0);
	shift_boundaries(d, 1);
}
