/* SPDX-License-Identifier: MIT
 *
 * --patience and --histogram: lines that are rare on both sides are matched first, and what
 * stands between them is compared on its own. Both work on stretches of the two files and keep
 * those that are still to be compared on a stack, so that no input makes them recurse.
 */
#include "builtins/git/lines.h"

/* Lines [from[k], to[k]) of the two files. */
struct stretch {
	size_t from[2], to[2];
};
struct work {
	struct git *g;
	struct arena *a;
	struct lines *l;
	uint32_t classes;
	struct stretch *at;
	size_t n, cap;
};

static void push(struct work *w, struct stretch s)
{
	if (w->n == w->cap) {
		size_t bigger = w->cap * 2 + 16;

		w->at = arena_grow(w->a, w->at, w->cap * sizeof(s), bigger * sizeof(s));
		w->cap = bigger;
	}
	w->at[w->n++] = s;
}

static void mark(struct work *w, const struct stretch *s)
{
	for (int k = 0; k < 2; k++)
		if (s->to[k] > s->from[k])
			memset(w->l->file[k].changed + s->from[k], 1, s->to[k] - s->from[k]);
}

/* Whether a side is empty; then the other one is marked. */
static bool one_sided(struct work *w, const struct stretch *s)
{
	if (s->from[0] < s->to[0] && s->from[1] < s->to[1])
		return false;
	mark(w, s);
	return true;
}

static bool same(const struct lines *l, size_t i, size_t j)
{
	return l->file[0].class[i] == l->file[1].class[j];
}

/* The usual comparison. */
static void fall_back(struct work *w, const struct stretch *s)
{
	struct lines part = { .n = 0 };

	for (int k = 0; k < 2; k++) {
		part.file[k] = w->l->file[k];
		part.file[k].line += s->from[k];
		part.file[k].class += s->from[k];
		part.file[k].changed += s->from[k];
		part.file[k].n = s->to[k] - s->from[k];
	}
	lines_compare(w->g, w->a, &part, 0, w->classes);
}

/* --- patience --- */

/* Where a class stands in the stretch, by side. */
struct place {
	size_t at[2];
	uint32_t count[2];
};

static void find_places(struct work *w, const struct stretch *s, struct place *places)
{
	for (int k = 0; k < 2; k++)
		for (size_t i = s->from[k]; i < s->to[k]; i++)
			places[w->l->file[k].class[i]] = (struct place){ .at = { 0, 0 } };
	for (int k = 0; k < 2; k++)
		for (size_t i = s->from[k]; i < s->to[k]; i++) {
			struct place *p = &places[w->l->file[k].class[i]];

			p->at[k] = i;
			p->count[k]++;
		}
}

/* A pair of unique lines in the longest rising sequence that ends with it. */
struct link {
	size_t at[2];
	struct link *before;
};

static bool is_anchor(struct work *w, size_t line)
{
	const struct names *anchors = w->l->anchors;

	for (size_t i = 0; anchors != NULL && i < anchors->n; i++)
		if (bytes_starts(w->l->file[0].line[line], bytes_of(anchors->at[i])))
			return true;
	return false;
}

/* The longest sequence of unique lines in the same order on both sides: its last one. *common:
 * whether there is any line that both sides have. */
static struct link *longest(struct work *w, const struct stretch *s, const struct place *places,
			    bool *common)
{
	size_t n = s->to[0] - s->from[0], len = 0, fixed = 0;
	struct link **ends = arena_array(w->a, n + 1, sizeof(*ends));

	*common = false;
	for (size_t i = s->from[0]; i < s->to[0]; i++) {
		const struct place *p = &places[w->l->file[0].class[i]];
		size_t lo = 0, hi = len;

		*common = *common || p->count[1] != 0;
		if (p->count[0] != 1 || p->count[1] != 1)
			continue;
		while (lo < hi) {
			size_t mid = (lo + hi) / 2;

			if (ends[mid]->at[1] < p->at[1])
				lo = mid + 1;
			else
				hi = mid;
		}
		if (lo < fixed)
			continue;
		struct link *e = arena_alloc(w->a, sizeof(*e));

		*e = (struct link){ { i, p->at[1] }, lo > 0 ? ends[lo - 1] : NULL };
		ends[lo] = e;
		len = lo == len ? len + 1 : len;
		/* What leads to an anchor is settled, even if something longer does not. */
		if (is_anchor(w, i))
			fixed = len = lo + 1;
	}
	return len > 0 ? ends[len - 1] : NULL;
}

/* What is left between the matched lines, each grown over equal neighbours. */
static void push_gaps(struct work *w, const struct stretch *s, struct link *last)
{
	struct stretch gap = *s;
	struct link *first = NULL;

	while (last != NULL) { /* forwards */
		struct link *before = last->before;

		last->before = first;
		first = last;
		last = before;
	}
	for (struct link *e = first;; e = e->before) {
		size_t end[2] = { e != NULL ? e->at[0] : s->to[0],
				  e != NULL ? e->at[1] : s->to[1] };

		while (e != NULL && end[0] > gap.from[0] && end[1] > gap.from[1] &&
		       same(w->l, end[0] - 1, end[1] - 1))
			end[0]--, end[1]--;
		while (gap.from[0] < end[0] && gap.from[1] < end[1] &&
		       same(w->l, gap.from[0], gap.from[1]))
			gap.from[0]++, gap.from[1]++;
		if (end[0] > gap.from[0] || end[1] > gap.from[1]) {
			gap.to[0] = end[0];
			gap.to[1] = end[1];
			push(w, gap);
		}
		if (e == NULL)
			return;
		gap.from[0] = e->at[0] + 1;
		gap.from[1] = e->at[1] + 1;
	}
}

static void patience(struct work *w)
{
	struct place *places = arena_zalloc(w->a, (w->classes + 1) * sizeof(*places));

	while (w->n > 0) {
		struct stretch s = w->at[--w->n];
		struct link *last;
		bool common;

		cmd_charge(w->g->c, 1 + (s.to[0] - s.from[0] + s.to[1] - s.from[1]) / 8);
		if (one_sided(w, &s))
			continue;
		find_places(w, &s, places);
		last = longest(w, &s, places, &common);
		if (last != NULL)
			push_gaps(w, &s, last);
		else if (common)
			fall_back(w, &s);
		else
			mark(w, &s);
	}
}

/* --- histogram --- */

enum { OFTEN = 64 }; /* lines that stand there more often lead nowhere */

/* Occurrences in the first file's stretch: the first of a class, the next of a line. */
struct occurrences {
	size_t *first; /* by class: index + 1; 0: none */
	uint32_t *count;
	size_t *next; /* by line: index + 1 */
};
struct best {
	struct stretch s;
	bool found;
	bool common; /* some line is on both sides */
	uint32_t rarest;
};

static void index_lines(struct work *w, const struct stretch *s, struct occurrences *o)
{
	const uint32_t *class0 = w->l->file[0].class, *class1 = w->l->file[1].class;

	for (size_t i = s->from[0]; i < s->to[0]; i++)
		o->first[class0[i]] = o->count[class0[i]] = 0;
	for (size_t j = s->from[1]; j < s->to[1]; j++)
		o->first[class1[j]] = o->count[class1[j]] = 0;
	for (size_t i = s->to[0]; i > s->from[0]; i--) {
		uint32_t c = class0[i - 1];

		o->next[i - 1] = o->first[c];
		o->first[c] = i;
		o->count[c]++;
	}
}

/* The equal lines around (i, j), and how often the rarest of them occurs. */
static struct stretch grow(struct work *w, const struct stretch *s, const struct occurrences *o,
			   size_t i, size_t j, uint32_t *rarest)
{
	const uint32_t *class = w->l->file[0].class;
	struct stretch m = { { i, j }, { i + 1, j + 1 } };

	*rarest = o->count[class[i]];
	while (m.from[0] > s->from[0] && m.from[1] > s->from[1] &&
	       same(w->l, m.from[0] - 1, m.from[1] - 1)) {
		m.from[0]--, m.from[1]--;
		if (*rarest > 1 && o->count[class[m.from[0]]] < *rarest)
			*rarest = o->count[class[m.from[0]]];
	}
	while (m.to[0] < s->to[0] && m.to[1] < s->to[1] && same(w->l, m.to[0], m.to[1])) {
		if (*rarest > 1 && o->count[class[m.to[0]]] < *rarest)
			*rarest = o->count[class[m.to[0]]];
		m.to[0]++, m.to[1]++;
	}
	cmd_charge(w->g->c, 1 + (m.to[0] - m.from[0]) / 16);
	return m;
}

/* Looks at all places where line j of the second file stands in the first: where to go on. */
static size_t try_line(struct work *w, const struct stretch *s, const struct occurrences *o,
		       size_t j, struct best *b)
{
	uint32_t c = w->l->file[1].class[j];
	size_t after = j + 1;
	size_t i = o->first[c];

	b->common = b->common || i != 0;
	if (i == 0 || o->count[c] > b->rarest)
		return after;
	while (i != 0) {
		uint32_t rarest;
		struct stretch m = grow(w, s, o, i - 1, j, &rarest);

		after = m.to[1] > after ? m.to[1] : after;
		/* A single line that is too frequent is no find. */
		size_t beats = b->found ? b->s.to[0] - b->s.from[0] : 1;

		if (m.to[0] - m.from[0] > beats || rarest < b->rarest) {
			b->s = m;
			b->found = true;
			b->rarest = rarest;
		}
		i = o->next[i - 1];
		while (i != 0 && i <= m.to[0])
			i = o->next[i - 1];
	}
	return after;
}

static void histogram(struct work *w)
{
	struct occurrences o = {
		.first = arena_zalloc(w->a, (w->classes + 1) * sizeof(*o.first)),
		.count = arena_zalloc(w->a, (w->classes + 1) * sizeof(*o.count)),
		.next = arena_zalloc(w->a, (w->l->file[0].n + 1) * sizeof(*o.next)),
	};

	while (w->n > 0) {
		struct stretch s = w->at[--w->n];
		struct best b = { .rarest = OFTEN + 1 };

		cmd_charge(w->g->c, 1 + (s.to[0] - s.from[0] + s.to[1] - s.from[1]) / 8);
		if (one_sided(w, &s))
			continue;
		index_lines(w, &s, &o);
		for (size_t j = s.from[1]; j < s.to[1];)
			j = try_line(w, &s, &o, j, &b);
		if (b.common && b.rarest > OFTEN) {
			fall_back(w, &s);
		} else if (!b.found) {
			mark(w, &s);
		} else {
			push(w, (struct stretch){ { s.from[0], s.from[1] },
						  { b.s.from[0], b.s.from[1] } });
			push(w, (struct stretch){ { b.s.to[0], b.s.to[1] }, { s.to[0], s.to[1] } });
		}
	}
}

void lines_compare_unique(struct git *g, struct arena *a, struct lines *l, unsigned flags,
			  uint32_t classes)
{
	struct work w = { .g = g, .a = a, .l = l, .classes = classes };

	push(&w, (struct stretch){ { 0, 0 }, { l->file[0].n, l->file[1].n } });
	if (flags & LINES_PATIENCE)
		patience(&w);
	else
		histogram(&w);
}
