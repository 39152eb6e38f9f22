/* SPDX-License-Identifier: MIT
 *
 * Groups of a POSIX match whose span is known, as GNU's regexec reports them.
 *
 * GNU walks from the beginning to the end of the match, takes at each fork the preferred way
 * from which the end can still be reached, and takes the other way where the preferred one
 * would close a circle that takes no character. So all that is needed is which places can
 * reach the end: a bit for each instruction and character, filled from the end backwards. For
 * long matches only every so many rows are kept, and the rows between are made again.
 */
#include "base/regex/private.h"

enum { ROWS_BYTES = 1 << 16 };

struct walk {
	struct regex *re;
	const struct rx_prog *prog;
	struct bytes text;
	const struct regex_span *match;
	unsigned exec_flags;
	size_t nspans;
	struct regex_span *spans;
	struct regex_span *before;   /* the groups when the last turn that took something ended */
	uint32_t words;              /* 64-bit words in a row */
	size_t nchars;
	size_t block;                /* characters between kept rows */
	uint64_t *kept;              /* rows of characters 0, block, 2 block... */
	size_t *kept_at;             /* where in the text they are */
	uint64_t *rows;              /* the rows of one block, and the one behind it */
	size_t *rows_at;
	size_t rows_block;           /* which, SIZE_MAX: none */
	uint64_t *seen;              /* of the instructions passed at this place */
};

static bool has(const uint64_t *row, uint32_t pc)
{
	return (row[pc >> 6] >> (pc & 63) & 1) != 0;
}

static void put(uint64_t *row, uint32_t pc)
{
	row[pc >> 6] |= (uint64_t)1 << (pc & 63);
}

static bool holds_at(const struct walk *w, unsigned kind, size_t at)
{
	unsigned flags = w->re->flags;

	return rx_holds(kind, rx_left_of(w->text, at, flags, w->exec_flags),
			rx_right_of(w->text, at, flags, w->exec_flags));
}

static bool takes(const struct rx_inst *i, uint32_t c)
{
	return (i->op == RX_I_CHAR && i->n == c) || (i->op == RX_I_SET && rx_set_has(i->set, c));
}

/* Whether the end can be reached from pc, given the row so far and the next one. */
static bool reaches(const struct walk *w, uint32_t pc, size_t at, uint32_t c, const uint64_t *row,
		    const uint64_t *next)
{
	const struct rx_inst *i = &w->prog->inst[pc];

	switch (i->op) {
	case RX_I_MATCH: return at == w->match->to;
	case RX_I_SPLIT: return has(row, i->out) || has(row, i->alt);
	case RX_I_OPEN:
	case RX_I_CLOSE: return has(row, i->out);
	case RX_I_ASSERT: return has(row, i->out) && holds_at(w, i->kind, at);
	default: return next != NULL && takes(i, c) && has(next, i->out);
	}
}

/* Fills the row of the character at `at`. What follows an instruction was made before it, so
 * one pass will do, but for loops (and one more to see that it did). */
static void fill_row(const struct walk *w, size_t at, uint64_t *row, const uint64_t *next)
{
	bool again = true;
	uint32_t c = 0;

	if (next != NULL)
		rx_char_at(w->text, at, w->prog->utf8, &c);
	memset(row, 0, w->words * sizeof(row[0]));
	while (again) {
		again = false;
		for (uint32_t pc = 0; pc < w->prog->n; pc++) {
			if (has(row, pc) || !reaches(w, pc, at, c, row, next))
				continue;
			put(row, pc);
			again = true;
		}
	}
	rx_charge(w->re, w->prog->n / 16 + 1);
}

/* Fills w->rows for a block from the kept row behind it. */
static void fill_block(struct walk *w, size_t block, const uint64_t *behind)
{
	size_t first = block * w->block;
	size_t n = w->nchars + 1 - first;
	size_t at = w->kept_at[block];

	if (n > w->block)
		n = w->block;
	for (size_t k = 0; k < n; k++) {
		uint32_t c;

		w->rows_at[k] = at;
		if (at < w->match->to)
			at += rx_char_at(w->text, at, w->prog->utf8, &c);
	}
	for (size_t k = n; k-- > 0;) {
		const uint64_t *next = k + 1 < n ? w->rows + (k + 1) * w->words : behind;

		fill_row(w, w->rows_at[k], w->rows + k * w->words, next);
	}
	w->rows_block = block;
}

/* Which instructions can reach the end from the k-th character. */
static const uint64_t *row_of(struct walk *w, size_t k)
{
	size_t block = k / w->block;
	size_t last = w->nchars / w->block;

	if (w->rows_block != block)
		fill_block(w, block, block < last ? w->kept + (block + 1) * w->words : NULL);
	return w->rows + k % w->block * w->words;
}

static void prepare(struct walk *w, struct arena *a)
{
	size_t at = w->match->from;
	size_t nblocks;
	uint32_t c;

	for (w->nchars = 0; at < w->match->to; w->nchars++)
		at += rx_char_at(w->text, at, w->prog->utf8, &c);
	w->words = (w->prog->n + 63) / 64;
	w->block = w->nchars + 1;
	while (w->block > 16 && w->block * w->words * 8 > ROWS_BYTES &&
	       w->block > (w->nchars + 1) / w->block)
		w->block = (w->block + 1) / 2;
	nblocks = w->nchars / w->block + 1;
	w->kept = arena_array(a, nblocks, w->words * sizeof(uint64_t));
	w->kept_at = arena_array(a, nblocks, sizeof(size_t));
	w->rows = arena_array(a, w->block, w->words * sizeof(uint64_t));
	w->rows_at = arena_array(a, w->block, sizeof(size_t));
	w->seen = arena_array(a, w->words, sizeof(uint64_t));
	w->before = arena_array(a, w->nspans, sizeof(struct regex_span));
	w->rows_block = SIZE_MAX;
	at = w->match->from;
	for (size_t k = 0; k <= w->nchars; k++) {
		if (k % w->block == 0)
			w->kept_at[k / w->block] = at;
		if (at < w->match->to)
			at += rx_char_at(w->text, at, w->prog->utf8, &c);
	}
	for (size_t b = nblocks; b-- > 0;) {
		fill_block(w, b, b + 1 < nblocks ? w->kept + (b + 1) * w->words : NULL);
		memcpy(w->kept + b * w->words, w->rows, w->words * sizeof(uint64_t));
	}
}

static void close_group(struct walk *w, const struct rx_inst *i, size_t at)
{
	struct regex_span *s = &w->spans[i->n];

	if (s->from < at) {
		s->to = at;
		memcpy(w->before, w->spans, w->nspans * sizeof(w->spans[0]));
	} else if (i->kind != 0 && w->before[i->n].from != SIZE_MAX) {
		/* An optional turn that took nothing, after one that did, is undone. */
		memcpy(w->spans, w->before, w->nspans * sizeof(w->spans[0]));
	} else {
		s->to = at;
	}
}

/* The next instruction at a fork. */
static uint32_t choose(const struct walk *w, const struct rx_inst *i, const uint64_t *row)
{
	if (!has(row, i->out))
		return i->alt;
	return has(row, i->alt) && has(w->seen, i->out) ? i->alt : i->out;
}

static void walk(struct walk *w)
{
	size_t k = 0;
	size_t at = w->match->from;
	uint32_t pc = w->prog->start;
	const uint64_t *row = row_of(w, 0);

	for (;;) {
		const struct rx_inst *i = &w->prog->inst[pc];
		uint32_t c;

		put(w->seen, pc);
		switch (i->op) {
		case RX_I_MATCH: return;
		case RX_I_SPLIT: pc = choose(w, i, row); break;
		case RX_I_OPEN:
			if (i->n < w->nspans)
				w->spans[i->n] = (struct regex_span){ at, SIZE_MAX };
			pc = i->out;
			break;
		case RX_I_CLOSE:
			if (i->n < w->nspans)
				close_group(w, i, at);
			pc = i->out;
			break;
		case RX_I_ASSERT: pc = i->out; break;
		default:
			at += rx_char_at(w->text, at, w->prog->utf8, &c);
			row = row_of(w, ++k);
			memset(w->seen, 0, w->words * sizeof(w->seen[0]));
			pc = i->out;
		}
	}
}

int rx_captures(struct regex *re, struct bytes text, const struct regex_span *match,
		unsigned exec_flags, struct regex_span *spans, size_t nspans)
{
	struct arena_mark mark = arena_mark(re->arena);
	struct walk w = { .re = re, .prog = re->prog, .text = text, .match = match,
			  .exec_flags = exec_flags, .nspans = nspans, .spans = spans };

	for (size_t i = 0; i < nspans; i++)
		spans[i] = (struct regex_span){ SIZE_MAX, SIZE_MAX };
	prepare(&w, re->arena);
	memcpy(w.before, spans, nspans * sizeof(spans[0]));
	if (has(row_of(&w, 0), re->prog->start))
		walk(&w);
	arena_release(re->arena, mark);
	spans[0] = *match;
	return 0;
}
