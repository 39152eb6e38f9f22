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

enum {
	ROWS_BYTES = 1 << 16,
	/* Of the quick way, all on the stack: */
	QUICK_WORDS = 96,
	QUICK_FRAMES = 48,
	QUICK_FORKS = 256,
	QUICK_SPANS = 12,
};

struct walk {
	struct regex *re;
	const struct rx_prog *prog;
	struct bytes text;
	const struct regex_span *match;
	unsigned exec_flags;
	size_t nspans;
	struct regex_span *spans;
	struct regex_span *before; /* the groups when the last turn that took something ended */
	uint32_t words;            /* 64-bit words in a row */
	size_t nchars;
	size_t block;    /* characters between kept rows */
	uint64_t *kept;  /* rows of characters 0, block, 2 block... */
	size_t *kept_at; /* where in the text they are */
	uint64_t *rows;  /* the rows of one block, and the one behind it */
	size_t *rows_at;
	size_t rows_block;    /* which, SIZE_MAX: none */
	uint64_t *seen;       /* of the instructions passed at this place */
	const uint8_t *forks; /* by fork on the way: whether the second way is taken */
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

static uint32_t fork_at(struct walk *w, const struct rx_inst *i, size_t k)
{
	if (w->forks != NULL)
		return *w->forks++ != 0 ? i->alt : i->out;
	return choose(w, i, row_of(w, k));
}

static size_t next_place(struct walk *w, size_t at)
{
	uint32_t c;

	if (w->forks == NULL)
		memset(w->seen, 0, w->words * sizeof(w->seen[0]));
	return at + rx_char_at(w->text, at, w->prog->utf8, &c);
}

static void walk(struct walk *w)
{
	size_t k = 0;
	size_t at = w->match->from;
	uint32_t pc = w->prog->start;

	for (;;) {
		const struct rx_inst *i = &w->prog->inst[pc];

		if (w->forks == NULL)
			put(w->seen, pc);
		switch (i->op) {
		case RX_I_MATCH: return;
		case RX_I_SPLIT: pc = fork_at(w, i, k); break;
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
			at = next_place(w, at);
			k++;
			pc = i->out;
		}
	}
}

/* --- the quick way: no loop over nothing, and a short match --- */

struct quick_frame {
	uint32_t pc;
	uint32_t nforks;
	size_t at;
};

struct quick {
	uint64_t tried[QUICK_WORDS]; /* by place and instruction */
	struct quick_frame frame[QUICK_FRAMES];
	uint8_t fork[QUICK_FORKS];
	uint32_t nframes;
	uint32_t nforks;
	bool full;
};

/* A fork on the way: the preferred way first. False if this place was tried before. */
static bool quick_fork(struct quick *q, const struct walk *w, uint32_t pc, size_t at)
{
	size_t bit = (at - w->match->from) * w->prog->n + pc;

	if (has(q->tried, (uint32_t)bit))
		return false;
	put(q->tried, (uint32_t)bit);
	q->full = q->nframes == QUICK_FRAMES || q->nforks == QUICK_FORKS;
	if (q->full)
		return false;
	q->frame[q->nframes++] = (struct quick_frame){ pc, q->nforks, at };
	q->fork[q->nforks++] = 0;
	return true;
}

/* One instruction. False: no way on. */
static bool quick_step(struct quick *q, const struct walk *w, uint32_t *pc, size_t *at)
{
	const struct rx_inst *i = &w->prog->inst[*pc];
	uint32_t c;
	size_t n;

	switch (i->op) {
	case RX_I_SPLIT:
		if (!quick_fork(q, w, *pc, *at))
			return false;
		break;
	case RX_I_OPEN:
	case RX_I_CLOSE: break;
	case RX_I_ASSERT:
		if (!holds_at(w, i->kind, *at))
			return false;
		break;
	default:
		if (*at == w->match->to)
			return false;
		n = rx_char_at(w->text, *at, w->prog->utf8, &c);
		if (!takes(i, c))
			return false;
		*at += n;
	}
	*pc = i->out;
	return true;
}

/* Finds the preferred way through the match, and walks it. False if there is no room for it. */
static bool walk_quickly(struct walk *w)
{
	struct quick q;
	struct regex_span before[QUICK_SPANS];
	size_t bits = (w->match->to - w->match->from + 1) * w->prog->n;
	uint32_t pc = w->prog->start;
	size_t at = w->match->from;

	if (w->prog->loops || bits > QUICK_WORDS * 64 || w->nspans > QUICK_SPANS)
		return false;
	memset(q.tried, 0, (bits + 63) / 64 * sizeof(q.tried[0]));
	q.nframes = q.nforks = 0;
	q.full = false;
	while (w->prog->inst[pc].op != RX_I_MATCH || at != w->match->to) {
		const struct quick_frame *f;

		if (w->prog->inst[pc].op != RX_I_MATCH && quick_step(&q, w, &pc, &at))
			continue;
		if (q.full || q.nframes == 0)
			return false;
		f = &q.frame[--q.nframes];
		at = f->at;
		pc = w->prog->inst[f->pc].alt;
		q.nforks = f->nforks;
		q.fork[q.nforks++] = 1;
	}
	w->forks = q.fork;
	w->before = before;
	memcpy(before, w->spans, w->nspans * sizeof(before[0]));
	walk(w);
	rx_charge(w->re, 1);
	return true;
}

int rx_captures(struct regex *re, struct bytes text, const struct regex_span *match,
		unsigned exec_flags, struct regex_span *spans, size_t nspans)
{
	struct arena_mark mark = arena_mark(re->arena);
	struct walk w = { .re = re,
			  .prog = re->prog,
			  .text = text,
			  .match = match,
			  .exec_flags = exec_flags,
			  .nspans = nspans,
			  .spans = spans };

	for (size_t i = 0; i < nspans; i++)
		spans[i] = (struct regex_span){ SIZE_MAX, SIZE_MAX };
	if (walk_quickly(&w)) {
		spans[0] = *match;
		return 0;
	}
	prepare(&w, re->arena);
	memcpy(w.before, spans, nspans * sizeof(spans[0]));
	if (has(row_of(&w, 0), re->prog->start))
		walk(&w);
	arena_release(re->arena, mark);
	spans[0] = *match;
	return 0;
}
