/* SPDX-License-Identifier: MIT
 *
 * Matching any shell pattern by sets of places.
 *
 * A set holds the places between characters that can be reached so far; every item moves the
 * whole set. So the cost is the number of items times the length of the text, whatever way the
 * pattern could be read. !(..) must know which place led where: it is asked for one place at a
 * time, and its answers are kept.
 */
#include "base/glob_private.h"

struct set {
	uint64_t *bits;
	size_t lo; /* all members are in [lo, hi]; lo > hi when there is none */
	size_t hi;
};

struct matcher {
	struct glob *g;
	struct arena *scratch;
	struct bytes text;
	size_t words;
	bool backwards;
	uint64_t ***nots; /* by number of the !(..) and by place: what its inside reaches */
};

static bool has(const struct set *s, size_t at)
{
	return (s->bits[at >> 6] >> (at & 63) & 1) != 0;
}

static bool is_empty(const struct set *s)
{
	return s->lo > s->hi;
}

static void put(struct set *s, size_t at)
{
	s->bits[at >> 6] |= (uint64_t)1 << (at & 63);
	if (is_empty(s)) {
		s->lo = s->hi = at;
		return;
	}
	s->lo = at < s->lo ? at : s->lo;
	s->hi = at > s->hi ? at : s->hi;
}

static struct set new_set(struct matcher *m)
{
	return (struct set){ .bits = arena_array(m->scratch, m->words, sizeof(uint64_t)),
			     .lo = 1,
			     .hi = 0 };
}

static void clear(struct set *s)
{
	if (!is_empty(s))
		memset(s->bits + (s->lo >> 6), 0, ((s->hi >> 6) - (s->lo >> 6) + 1) * 8);
	s->lo = 1;
	s->hi = 0;
}

/* The first member at or after `at`, or SIZE_MAX. */
static size_t next_member(const struct set *s, size_t at)
{
	uint64_t word;

	if (is_empty(s) || at > s->hi)
		return SIZE_MAX;
	if (at < s->lo)
		at = s->lo;
	word = s->bits[at >> 6] >> (at & 63);
	if (word != 0)
		return at + (size_t)__builtin_ctzll(word);
	for (size_t w = (at >> 6) + 1; w <= s->hi >> 6; w++)
		if (s->bits[w] != 0)
			return w * 64 + (size_t)__builtin_ctzll(s->bits[w]);
	return SIZE_MAX;
}

static void add_all(struct set *to, const struct set *from)
{
	if (is_empty(from))
		return;
	for (size_t w = from->lo >> 6; w <= from->hi >> 6; w++)
		to->bits[w] |= from->bits[w];
	if (is_empty(to)) {
		to->lo = from->lo;
		to->hi = from->hi;
	}
	to->lo = from->lo < to->lo ? from->lo : to->lo;
	to->hi = from->hi > to->hi ? from->hi : to->hi;
}

/* The character that is read next from `at`: its length, 0 at the edge; *begin is its place. */
static size_t read_char(const struct matcher *m, size_t at, size_t *begin, uint32_t *c)
{
	bool utf8 = (m->g->flags & GLOB_UTF8) != 0;
	size_t n;

	*begin = at;
	if (!m->backwards)
		return at < m->text.len ? rx_char_at(m->text, at, utf8, c) : 0;
	if (at == 0)
		return 0;
	n = rx_char_before(m->text, at, utf8, c);
	*begin = at - n;
	return n;
}

/* Where an item of one character leads from `at`, or SIZE_MAX. */
static size_t lead(const struct matcher *m, const struct glob_item *i, size_t at)
{
	size_t begin;
	uint32_t c;
	size_t n = read_char(m, at, &begin, &c);

	if (n == 0 || !glob_takes(m->g, i, c, c == '.' && glob_is_first(m->g, m->text, begin)))
		return SIZE_MAX;
	return m->backwards ? begin : at + n;
}

static void move_one(struct matcher *m, const struct glob_item *i, const struct set *in,
		     struct set *out)
{
	for (size_t at = next_member(in, 0); at != SIZE_MAX; at = next_member(in, at + 1)) {
		size_t to = lead(m, i, at);

		if (to != SIZE_MAX)
			put(out, to);
	}
}

/* Everything a star reaches from `at`, until it meets what is already there. */
static void spread(struct matcher *m, size_t at, struct set *out)
{
	static const struct glob_item any = { .op = GLOB_ANY };

	while (at != SIZE_MAX && !has(out, at)) {
		put(out, at);
		at = lead(m, &any, at);
	}
}

/* A star takes no leading dot, and does not stand in front of one as nothing either. */
static void move_star(struct matcher *m, const struct set *in, struct set *out)
{
	for (size_t at = next_member(in, 0); at != SIZE_MAX; at = next_member(in, at + 1))
		if (!glob_at_dot(m->g, m->text, at))
			spread(m, at, out);
}

static void move_seq(struct matcher *m, const struct glob_seq *s, const struct set *in,
		     struct set *out);

static void move_alts(struct matcher *m, const struct glob_seq *alts, const struct set *in,
		      struct set *out)
{
	for (; alts != NULL; alts = alts->next)
		move_seq(m, alts, in, out);
}

/* Any number of turns: from what is new only, until nothing is. */
static void move_turns(struct matcher *m, const struct glob_seq *alts, const struct set *in,
		       struct set *out)
{
	struct set fresh = new_set(m);
	struct set next = new_set(m);

	add_all(&fresh, in);
	while (!is_empty(&fresh)) {
		struct set swap = fresh;

		clear(&next);
		move_alts(m, alts, &fresh, &next);
		clear(&swap);
		for (size_t at = next_member(&next, 0); at != SIZE_MAX;
		     at = next_member(&next, at + 1)) {
			if (has(out, at))
				continue;
			put(out, at);
			put(&swap, at);
		}
		fresh = swap;
	}
}

/* What the inside of a !(..) reaches from one place. */
static const uint64_t *inside(struct matcher *m, const struct glob_item *i, size_t at)
{
	uint64_t **row = m->nots[i->number];
	struct set one, reached;

	if (row == NULL)
		row = m->nots[i->number] = arena_array(m->scratch, m->text.len + 1, sizeof(row[0]));
	if (row[at] != NULL)
		return row[at];
	one = new_set(m);
	reached = new_set(m);
	put(&one, at);
	move_alts(m, i->alts, &one, &reached);
	row[at] = reached.bits;
	return reached.bits;
}

static void move_not(struct matcher *m, const struct glob_item *i, const struct set *in,
		     struct set *out)
{
	struct set all = new_set(m);

	for (size_t at = next_member(in, 0); at != SIZE_MAX; at = next_member(in, at + 1)) {
		const uint64_t * not ;

		/* At a leading dot it matches nothing, not even the empty string. */
		if (glob_at_dot(m->g, m->text, at))
			continue;
		not = inside(m, i, at);
		clear(&all);
		spread(m, at, &all);
		for (size_t to = next_member(&all, 0); to != SIZE_MAX;
		     to = next_member(&all, to + 1))
			if ((not [to >> 6] >> (to & 63) & 1) == 0)
				put(out, to);
		glob_charge(m->g, m->words);
	}
}

/* One or more turns; in front of a leading dot they are not nothing. */
static void move_some(struct matcher *m, const struct glob_item *i, const struct set *in,
		      struct set *out)
{
	struct set all = new_set(m);

	if (i->ext == '+')
		move_turns(m, i->alts, in, &all);
	else
		move_alts(m, i->alts, in, &all);
	for (size_t at = next_member(&all, 0); at != SIZE_MAX; at = next_member(&all, at + 1))
		if (!glob_at_dot(m->g, m->text, at) || !has(in, at))
			put(out, at);
}

static void move_ext(struct matcher *m, const struct glob_item *i, const struct set *in,
		     struct set *out)
{
	switch (i->ext) {
	case '!': move_not(m, i, in, out); return;
	case '*':
		add_all(out, in);
		move_turns(m, i->alts, in, out);
		return;
	case '?':
		add_all(out, in);
		move_alts(m, i->alts, in, out);
		return;
	default: move_some(m, i, in, out);
	}
}

static void move_item(struct matcher *m, const struct glob_item *i, const struct set *in,
		      struct set *out)
{
	glob_charge(m->g, is_empty(in) ? 1 : in->hi - in->lo + 1);
	if (i->op == GLOB_EXT)
		move_ext(m, i, in, out);
	else if (i->op == GLOB_STAR)
		move_star(m, in, out);
	else
		move_one(m, i, in, out);
}

/* Adds to `out` what the sequence reaches from `in`. Depth: that of the pattern. */
static void move_seq(struct matcher *m, const struct glob_seq *s, const struct set *in,
		     struct set *out)
{
	struct arena_mark mark = arena_mark(m->scratch);
	struct set from, to;

	if (s->n == 0) {
		add_all(out, in);
		return;
	}
	from = new_set(m);
	to = new_set(m);
	add_all(&from, in);
	for (uint32_t k = 0; k < s->n && !is_empty(&from); k++) {
		struct set swap = from;
		uint32_t item = m->backwards ? s->n - 1 - k : k;

		clear(&to);
		move_item(m, &s->item[item], &from, &to);
		from = to;
		to = swap;
	}
	add_all(out, &from);
	if (m->g->nnots == 0) /* else answers are kept behind the mark */
		arena_release(m->scratch, mark);
}

static struct matcher start(struct glob *g, struct arena *scratch, struct bytes text,
			    bool backwards)
{
	struct matcher m = { .g = g, .scratch = scratch, .text = text, .backwards = backwards };

	m.words = text.len / 64 + 1;
	if (g->nnots != 0)
		m.nots = arena_array(scratch, g->nnots, sizeof(m.nots[0]));
	return m;
}

static size_t wanted(const struct matcher *m, const struct set *s, enum glob_want want)
{
	if (is_empty(s))
		return SIZE_MAX;
	if (want == GLOB_EDGE) {
		size_t edge = m->backwards ? 0 : m->text.len;

		return has(s, edge) ? edge : SIZE_MAX;
	}
	if ((want == GLOB_NEAREST) != m->backwards)
		return next_member(s, 0);
	for (size_t at = s->hi;; at--)
		if (has(s, at))
			return at;
}

size_t glob_reach(struct glob *g, struct arena *scratch, struct bytes text, size_t from,
		  bool backwards, enum glob_want want)
{
	struct arena_mark mark = arena_mark(scratch);
	struct matcher m = start(g, scratch, text, backwards);
	struct set in = new_set(&m);
	struct set out = new_set(&m);
	size_t found;

	put(&in, from);
	move_seq(&m, g->all, &in, &out);
	found = wanted(&m, &out, want);
	arena_release(scratch, mark);
	return found;
}

size_t glob_first_start(struct glob *g, struct arena *scratch, struct bytes text, size_t from)
{
	struct arena_mark mark = arena_mark(scratch);
	struct matcher m = start(g, scratch, text, true);
	struct set in = new_set(&m);
	struct set out = new_set(&m);
	size_t found;
	uint32_t c;

	/* All places where a match may end, read backwards to where it begins. */
	for (size_t at = from;; at += glob_char(g, text, at, &c)) {
		put(&in, at);
		if (at == text.len)
			break;
	}
	move_seq(&m, g->all, &in, &out);
	found = next_member(&out, from);
	arena_release(scratch, mark);
	return found;
}
