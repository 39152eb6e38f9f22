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
	size_t end; /* where to stop reading */
	size_t from;
	size_t best;
	size_t home;  /* before this nothing begins that may still match */
	size_t first; /* where the first match ended that was seen */
	size_t begin; /* of the line or the match, if known */
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
	if (!r->d->conditions)
		return 0;
	if ((r->d->mode & RX_D_LINES) != 0 && is_line_start(r, at))
		return RX_EDGE | RX_LINE;
	return rx_left_of(r->text, at, r->d->flags, r->exec_flags);
}

/* Takes note of a match that ends at `at`. With LINES there is no line behind the last one. */
static void note(struct run *r, size_t at)
{
	if ((r->d->mode & RX_D_LINES) != 0 && at == r->text.len && is_line_start(r, at))
		return;
	if (r->best == SIZE_MAX)
		r->first = at;
	r->best = at;
}

/* Skips from a state where nothing has begun to where something can. False: nowhere. */
static bool skip(struct run *r)
{
	const struct rx_literals *l = r->re->literals;
	bool by_string = l != NULL && l->prefix;
	size_t to = by_string ? rx_literal_next(l, r->text, r->at)
			      : rx_next_first(r->re->first, r->text, r->at);
	size_t n = (to == SIZE_MAX ? r->text.len : to) - r->at;

	rx_charge(r->re, n / (by_string ? 4096 : 512));
	if (to == SIZE_MAX)
		return false;
	r->home = to;
	if (n != 0) {
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
	size_t left = r->end - r->at;
	const unsigned char *from = p;
	const unsigned char *end = p + (left < CHUNK ? left : CHUNK);
	const uint32_t *trans = d->trans;
	/* Within a match that goes on there is nothing to do but to remember where it was. */
	bool longer = r->best != SIZE_MAX;
	const unsigned char *longest = NULL;
	uint32_t state = r->state;
	uint32_t to = 0;
	size_t n = 1;

	while (p < end) {
		to = trans[state + d->column[*p]];
		if ((to & RX_D_SPECIAL) != 0) {
			if (!longer || to == RX_D_UNKNOWN ||
			    (rx_dfa_flags(d, to) & ~(unsigned)RX_D_INNER) != RX_D_NOW)
				break;
			longest = p + 1;
			to &= ~(uint32_t)RX_D_SPECIAL;
		}
		state = to;
		p++;
	}
	if (longest != NULL)
		r->best = r->at + (size_t)(longest - from);
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

/* --- four lines at a time --- */

/*
 * A step of the automaton waits for the one before it, so one reader leaves the processor idle.
 * Lines are independent: four readers, each with a part of the lines ahead, step by turns. That
 * is done only where matches are rare, as what the later readers did is lost at a match.
 */
enum { READERS = 4, WINDOW_MIN = 1 << 10, WINDOW_MAX = 1 << 18, STEPS_MIN = 16 };

struct window {
	struct run reader[READERS];
	uint32_t flushes;
	unsigned breaks; /* times that a reader met something special */
};

/* Gives every reader its lines of the next bytes. False if they are too long for that. */
static bool divide(const struct run *r, size_t bytes, struct window *w)
{
	size_t from = r->at;

	if (bytes >= r->text.len - r->at)
		bytes = r->text.len - r->at - 1;
	for (int i = 0; i < READERS; i++) {
		size_t to = r->at + bytes / READERS * (size_t)(i + 1);
		const char *eol;

		if (to < from || bytes < READERS)
			return false;
		eol = memchr(r->text.ptr + to, rx_eol(r->d->flags), r->text.len - to);
		if (eol == NULL || (size_t)(eol - r->text.ptr) - to > bytes)
			return false;
		w->reader[i] = *r;
		w->reader[i].at = from;
		w->reader[i].end = from = (size_t)(eol - r->text.ptr) + 1;
		if (i != 0)
			w->reader[i].state = rx_dfa_start(r->d, RX_EDGE | RX_LINE);
	}
	return true;
}

/* Steps all readers until one meets something special or its end. */
static void step_all(struct window *w)
{
	const struct rx_dfa *d = w->reader[0].d;
	const uint32_t *trans = d->trans;
	const unsigned char *p[READERS];
	uint32_t state[READERS];
	size_t n = SIZE_MAX;
	size_t k = 0;

	for (int i = 0; i < READERS; i++) {
		p[i] = (const unsigned char *)w->reader[i].text.ptr + w->reader[i].at;
		state[i] = w->reader[i].state;
		if (w->reader[i].end - w->reader[i].at < n)
			n = w->reader[i].end - w->reader[i].at;
	}
	for (; k < n; k++) {
		uint32_t a = trans[state[0] + d->column[p[0][k]]];
		uint32_t b = trans[state[1] + d->column[p[1][k]]];
		uint32_t c = trans[state[2] + d->column[p[2][k]]];
		uint32_t e = trans[state[3] + d->column[p[3][k]]];

		if (((a | b | c | e) & RX_D_SPECIAL) != 0)
			break;
		state[0] = a;
		state[1] = b;
		state[2] = c;
		state[3] = e;
	}
	for (int i = 0; i < READERS; i++) {
		w->reader[i].at += k;
		w->reader[i].state = state[i];
	}
	charge(w->reader[0].re, w->reader[0].d, k * READERS);
}

/* Moves every reader over what stopped them. False when one is at its end, or a match. */
static bool step_each(struct window *w)
{
	bool more = true;

	w->breaks++;
	for (int i = 0; i < READERS; i++) {
		struct run *r = &w->reader[i];
		size_t end = r->end;

		if (r->at == r->end)
			return false;
		r->end = r->at + STEPS_MIN < end ? r->at + STEPS_MIN : end;
		while (r->at < r->end && more)
			more = scan(r);
		r->end = end;
		if (!more || w->flushes != r->d->flushes)
			return false;
	}
	return true;
}

static uint32_t line_start(struct rx_dfa *d)
{
	return rx_dfa_start(d, RX_EDGE | RX_LINE) & ~(uint32_t)RX_D_SPECIAL;
}

/* Reads some lines ahead, from the beginning of one, with all readers. False at a match, with
 * r->best set. *useless: one reader would have done better. */
static bool read_window(struct run *r, size_t bytes, bool *useless)
{
	struct window w = { .flushes = r->d->flushes };

	*useless = !divide(r, bytes, &w);
	if (*useless)
		return true;
	do
		step_all(&w);
	while (step_each(&w));
	*useless = w.breaks > bytes / 128;
	for (int i = 0; i < READERS && w.flushes == r->d->flushes; i++) {
		struct run *one = &w.reader[i];

		while (one->best == SIZE_MAX && one->at < one->end && scan(one))
			;
		r->best = one->best;
		if (r->best != SIZE_MAX)
			return false;
		r->at = one->end;
	}
	/* After a flush the states of the others have no names: they read again, alone. */
	*useless = *useless || w.flushes != r->d->flushes;
	r->state = line_start(r->d);
	return true;
}

/* Reads to the end of the line. False when the search is over. */
static bool finish_line(struct run *r)
{
	const char *eol = memchr(r->text.ptr + r->at, rx_eol(r->d->flags), r->text.len - r->at);
	size_t begin = r->at;
	bool more = true;

	r->end = eol != NULL ? (size_t)(eol - r->text.ptr) + 1 : r->text.len;
	while (r->at < r->end && more)
		more = scan(r);
	if (!more && r->best < r->end)
		r->begin = begin;
	r->end = r->text.len;
	return more;
}

/* Reads to the end of the text, with several readers once that seems worth it. False when the
 * search is over. */
static bool read_all(struct run *r)
{
	size_t begin = r->at;
	bool useless = (r->d->mode & RX_D_LINES) == 0 || r->d->skips;

	while (r->at < r->text.len) {
		/* As far as it was the last times it will be this time. */
		size_t done = (r->at - begin + r->d->gap) / 2;

		if (useless) {
			if (!scan(r))
				return false;
		} else if (done < WINDOW_MIN) {
			if (!finish_line(r))
				return false;
		} else if (!read_window(r, done < WINDOW_MAX ? done : WINDOW_MAX, &useless)) {
			return false;
		}
	}
	return true;
}

/* Reads all there is to read; leaves in r->best where a match ended. */
static void read_part(struct run *r)
{
	uint32_t to = rx_dfa_start(r->d, left_side(r, r->at));

	if (!follow(r, to, 0) || !read_all(r))
		return;
	to = step(r->d, r->state, (r->exec_flags & REGEX_NOTEOL) != 0 ? RX_D_END_NOTEOL : RX_D_END);
	if ((rx_dfa_flags(r->d, to) & RX_D_PREV) != 0)
		note(r, r->at);
}

size_t rx_dfa_forward(struct regex *re, struct rx_dfa *d, struct rx_part *part)
{
	struct run r = { .re = re,
			 .d = d,
			 .text = part->text,
			 .at = part->from,
			 .end = part->text.len,
			 .from = part->from,
			 .best = SIZE_MAX,
			 .home = SIZE_MAX,
			 .begin = SIZE_MAX,
			 .exec_flags = part->exec_flags,
			 .earliest = (d->mode & RX_D_LEFTMOST) == 0 };

	read_part(&r);
	if ((d->mode & RX_D_LINES) != 0)
		d->gap = (d->gap * 3 + (r.at - part->from)) / 4;
	/* A match as short as can be, and none can have begun before. */
	if (!r.earliest && r.best != SIZE_MAX && r.home != SIZE_MAX &&
	    r.first - r.home == re->extent.min)
		r.begin = r.home;
	part->begin = r.begin;
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
