/* SPDX-License-Identifier: MIT
 *
 * Running the lazy automaton over text, forwards and backwards.
 */
#include "base/regex/private.h"

enum { CHUNK = 1 << 16 };

/* Reports work: bytes read, and instructions looked at for new states. */
static void charge(struct regex *re, struct rx_dfa *d, size_t bytes)
{
	uint64_t cost = d->cost;

	d->cost = 0;
	rx_charge(re, bytes / 64 + cost / 16);
}

/* The column and the length of the character at `at`. */
static uint32_t column_at(struct rx_dfa *d, struct bytes text, size_t at, size_t *n)
{
	uint32_t c;

	*n = rx_char_at(text, at, d->prog->utf8, &c);
	return RX_D_CLASS0 + rx_class_of(d->alpha, c);
}

static uint32_t step(struct rx_dfa *d, uint32_t state, uint32_t column)
{
	uint32_t to = d->trans[state + column];

	return to != RX_D_UNKNOWN ? to : rx_dfa_step(d, state, column);
}

struct run {
	struct regex *re;
	struct rx_dfa *d;
	struct bytes text;
	size_t at;
	size_t from;
	size_t best;
	uint32_t state;
	unsigned exec_flags;
	bool earliest;
};

static bool is_line_start(const struct run *r, size_t at)
{
	return at == r->from || r->text.ptr[at - 1] == rx_eol(r->d->flags);
}

static unsigned left_side(const struct run *r, size_t at)
{
	if ((r->d->mode & RX_D_LINES) != 0 && is_line_start(r, at))
		return RX_EDGE | RX_LINE;
	return rx_left_of(r->text, at, r->d->flags, r->exec_flags);
}

/* Takes note of a match that ends at `at`. With LINES there is no line behind the last one. */
static void note(struct run *r, size_t at)
{
	if ((r->d->mode & RX_D_LINES) != 0 && at == r->text.len && is_line_start(r, at))
		return;
	r->best = at;
}

/* Skips from a state where nothing has begun to where something can. False: nowhere. */
static bool skip(struct run *r)
{
	size_t to = rx_literal_next(r->re->literals, r->text, r->at);

	if (to == SIZE_MAX) {
		rx_charge(r->re, (r->text.len - r->at) / 4096);
		return false;
	}
	if (to != r->at) {
		rx_charge(r->re, (to - r->at) / 4096);
		r->at = to;
		r->state = rx_dfa_start(r->d, left_side(r, to)) & ~(uint32_t)RX_D_SPECIAL;
	}
	return true;
}

/* Follows a special transition over n bytes. False when the search is over. */
static bool follow(struct run *r, uint32_t to, size_t n)
{
	unsigned flags = rx_dfa_flags(r->d, to);

	if ((flags & RX_D_PREV) != 0) {
		note(r, r->at);
		if (r->earliest && r->best != SIZE_MAX)
			return false;
	}
	r->at += n;
	r->state = to & ~(uint32_t)RX_D_SPECIAL;
	if ((flags & RX_D_NOW) != 0) {
		note(r, r->at);
		if (r->earliest && r->best != SIZE_MAX)
			return false;
	}
	if ((flags & RX_D_DEAD) != 0)
		return false;
	return (flags & RX_D_HOME) == 0 || skip(r);
}

/* Reads on from r->at until something is special; false when the search is over. */
static bool scan(struct run *r)
{
	struct rx_dfa *d = r->d;
	const unsigned char *p = (const unsigned char *)r->text.ptr + r->at;
	size_t left = r->text.len - r->at;
	const unsigned char *from = p;
	const unsigned char *end = p + (left < CHUNK ? left : CHUNK);
	const uint32_t *trans = d->trans;
	uint32_t state = r->state;
	uint32_t to = 0;
	size_t n = 1;

	while (p < end) {
		to = trans[state + d->column[*p]];
		if ((to & RX_D_SPECIAL) != 0)
			break;
		state = to;
		p++;
	}
	r->at += (size_t)(p - from);
	r->state = state;
	charge(r->re, d, (size_t)(p - from));
	if (p == end)
		return true;
	if (to == RX_D_UNKNOWN) {
		uint32_t column = column_at(d, r->text, r->at, &n);

		to = step(d, state, column);
		d->cost += 1;
		if ((to & RX_D_SPECIAL) == 0) {
			r->at += n;
			r->state = to;
			return true;
		}
	}
	return follow(r, to, n);
}

size_t rx_dfa_forward(struct regex *re, struct rx_dfa *d, const struct rx_part *part)
{
	struct run r = { .re = re, .d = d, .text = part->text, .at = part->from,
			 .from = part->from, .best = SIZE_MAX, .exec_flags = part->exec_flags,
			 .earliest = (d->mode & RX_D_LEFTMOST) == 0 };
	uint32_t to;

	to = rx_dfa_start(d, left_side(&r, r.at));
	if (!follow(&r, to, 0))
		return r.best;
	while (r.at < r.text.len)
		if (!scan(&r))
			return r.best;
	to = step(d, r.state, (part->exec_flags & REGEX_NOTEOL) != 0 ? RX_D_END_NOTEOL : RX_D_END);
	if ((rx_dfa_flags(d, to) & RX_D_PREV) != 0)
		note(&r, r.at);
	return r.best;
}

/* The column of what is before `at`, and its length (0 at the beginning). */
static uint32_t column_before(struct rx_dfa *d, const struct rx_part *part, size_t at, size_t *n)
{
	unsigned char byte;
	uint32_t c;

	*n = 0;
	if (at == 0)
		return (part->exec_flags & REGEX_NOTBOL) != 0 ? RX_D_END_NOTEOL : RX_D_END;
	byte = (unsigned char)part->text.ptr[at - 1];
	*n = 1;
	if (d->column[byte] != RX_D_CLASS0)
		return d->column[byte];
	*n = rx_char_before(part->text, at, d->prog->utf8, &c);
	return RX_D_CLASS0 + rx_class_of(d->alpha, c);
}

size_t rx_dfa_backward(struct regex *re, struct rx_dfa *d, const struct rx_part *part)
{
	size_t at = part->to;
	size_t best = SIZE_MAX;
	uint32_t state = rx_dfa_start(d, rx_right_of(part->text, at, d->flags, part->exec_flags));

	while ((rx_dfa_flags(d, state) & RX_D_DEAD) == 0) {
		unsigned flags = rx_dfa_flags(d, state);
		uint32_t column;
		size_t n;

		if ((flags & RX_D_NOW) != 0)
			best = at;
		column = column_before(d, part, at, &n);
		state = step(d, state & ~(uint32_t)RX_D_SPECIAL, column);
		if ((rx_dfa_flags(d, state) & RX_D_PREV) != 0)
			best = at;
		if (at == part->from || n == 0)
			break;
		at -= n;
	}
	charge(re, d, part->to - at);
	return best;
}
