/* SPDX-License-Identifier: MIT
 *
 * Searching: which engine answers what.
 */
#include "base/regex/private.h"

static struct rx_alphabet *alphabet(struct regex *re)
{
	if (re->alphabet == NULL) {
		re->alphabet = rx_alphabet(re->arena, re->automaton, re->flags);
		re->first = rx_first_bytes(re->arena, re->automaton);
		re->one_byte = re->first != NULL && re->extent.max == 1 &&
			       !rx_has_conditions(re->automaton) &&
			       ((re->flags & REGEX_UTF8) == 0 || re->first[0x80] == 0);
	}
	return re->alphabet;
}

static struct rx_dfa *forward_dfa(struct regex *re, struct rx_dfa **dfa, unsigned mode)
{
	if (*dfa == NULL) {
		if (!re->anchored || (mode & RX_D_LINES) != 0)
			mode |= RX_D_SEEDED;
		*dfa = rx_dfa_new(re->arena, re->automaton, alphabet(re), re->flags, mode);
		/* Lines are read four at a time, which is faster than looking at single bytes. */
		(*dfa)->skips = (re->literals != NULL && re->literals->prefix) ||
				(re->first != NULL && (mode & RX_D_LINES) == 0);
	}
	return *dfa;
}

static struct rx_dfa *backward_dfa(struct regex *re)
{
	const char *error;

	if (re->back_dfa == NULL) {
		const struct rx_node *tree = rx_factor(re->arena, re->flags, re->tree, true);

		re->backward = rx_prog_build(re->arena, tree, re->ngroups, RX_BACKWARD,
					     (re->flags & REGEX_UTF8) != 0, &error);
		if (re->backward == NULL)
			return NULL;
		re->back_dfa = rx_dfa_new(re->arena, re->backward, alphabet(re), re->flags, 0);
	}
	return re->back_dfa;
}

/* Where a match that ends at `to` begins. */
static size_t find_start(struct regex *re, struct bytes text, size_t from, size_t to,
			 unsigned exec_flags)
{
	struct rx_part part = { text, from, to, exec_flags, SIZE_MAX };
	struct rx_dfa *d;

	if (re->extent.min == re->extent.max)
		return to - re->extent.min;
	if (re->anchored)
		return from;
	d = backward_dfa(re);
	return rx_dfa_backward(re, d, &part);
}

static void clear_spans(struct regex_span *spans, size_t from, size_t n)
{
	for (size_t i = from; i < n; i++)
		spans[i] = (struct regex_span){ SIZE_MAX, SIZE_MAX };
}

static bool find_byte(struct regex *re, struct bytes text, size_t from, struct regex_span *match)
{
	size_t at = rx_next_first(re->first, text, from);

	rx_charge(re, ((at != SIZE_MAX ? at : text.len) - from) / 512);
	match->from = at;
	match->to = at + 1;
	return at != SIZE_MAX;
}

/* The span of the leftmost-longest match. */
static bool find_match(struct regex *re, struct bytes text, size_t from, unsigned exec_flags,
		       struct regex_span *match)
{
	struct rx_part part = { text, from, text.len, exec_flags, SIZE_MAX };
	struct rx_dfa *d = forward_dfa(re, &re->left_dfa, RX_D_LEFTMOST);

	if (re->one_byte)
		return find_byte(re, text, from, match);
	match->to = rx_dfa_forward(re, d, &part);
	if (match->to == SIZE_MAX)
		return false;
	match->from = part.begin != SIZE_MAX ? part.begin
					     : find_start(re, text, from, match->to, exec_flags);
	return true;
}

static int backtrack(struct regex *re, struct bytes text, size_t from, size_t last,
		     unsigned exec_flags, struct regex_span *spans, size_t nspans)
{
	struct rx_try t = { text, from, last, exec_flags,
			    (re->flags & REGEX_SYNTAX) != REGEX_PERL };

	return rx_backtrack(re, &t, spans, nspans);
}

/* Looks for the strings of the pattern; the place where the next one is, or SIZE_MAX. */
static size_t next_literal(struct regex *re, struct bytes text, size_t from)
{
	size_t at = rx_literal_next(re->literals, text, from);

	rx_charge(re, ((at != SIZE_MAX ? at : text.len) - from) / 4096);
	return at;
}

/* Whether no string that a match needs is left. */
static bool is_hopeless(struct regex *re, struct bytes text, size_t from)
{
	return re->literals != NULL && !re->literals->prefix &&
	       next_literal(re, text, from) == SIZE_MAX;
}

size_t regex_hope(struct regex *re, struct bytes text, size_t from)
{
	return re->literals != NULL ? next_literal(re, text, from) : from;
}

static bool find_literal(struct regex *re, struct bytes text, size_t from, struct regex_span *match)
{
	match->from = next_literal(re, text, from);
	if (match->from == SIZE_MAX)
		return false;
	match->to = match->from + (re->literals->byte != NULL
					   ? 1
					   : rx_literal_at(re->literals, text, match->from));
	return true;
}

int regex_search(struct regex *re, struct bytes text, size_t from, unsigned exec_flags,
		 struct regex_span *spans, size_t nspans)
{
	struct regex_span match;
	size_t groups = re->ngroups + 1u;

	if (is_hopeless(re, text, from))
		return REGEX_NOMATCH;
	if (!re->by_dfa)
		return backtrack(re, text, from, text.len, exec_flags, spans, nspans);
	if (re->literals != NULL && re->literals->exact) {
		if (!find_literal(re, text, from, &match))
			return REGEX_NOMATCH;
	} else if (!find_match(re, text, from, exec_flags, &match)) {
		return REGEX_NOMATCH;
	}
	if (re->backtrack)
		return backtrack(re, text, match.from, match.from, exec_flags, spans, nspans);
	if (nspans == 0)
		return 0;
	if (groups > nspans)
		groups = nspans;
	clear_spans(spans, groups, nspans);
	spans[0] = match;
	if (groups == 1)
		return 0;
	if ((re->flags & REGEX_NOSUB) != 0) {
		clear_spans(spans, 1, groups);
		return 0;
	}
	return rx_captures(re, text, &match, exec_flags, spans, groups);
}

int regex_test(struct regex *re, struct bytes text, unsigned exec_flags)
{
	struct rx_part part = { text, 0, text.len, exec_flags, SIZE_MAX };
	struct rx_dfa *d;

	if (is_hopeless(re, text, 0))
		return REGEX_NOMATCH;
	if (!re->by_dfa)
		return backtrack(re, text, 0, text.len, exec_flags, NULL, 0);
	if (re->literals != NULL && re->literals->exact)
		return next_literal(re, text, 0) != SIZE_MAX ? 0 : REGEX_NOMATCH;
	d = forward_dfa(re, &re->test_dfa, 0);
	return rx_dfa_forward(re, d, &part) != SIZE_MAX ? 0 : REGEX_NOMATCH;
}

static size_t line_end(struct bytes text, size_t at, char eol)
{
	const char *end = memchr(text.ptr + at, eol, text.len - at);

	return end != NULL ? (size_t)(end - text.ptr) : text.len;
}

/* The line around `at`. */
static void line_around(struct bytes text, size_t from, size_t at, char eol,
			struct regex_span *line)
{
	line->to = line_end(text, at, eol);
	while (at > from && text.ptr[at - 1] != eol)
		at--;
	line->from = at;
}

static int line_by_line(struct regex *re, struct bytes text, size_t from, struct regex_span *line)
{
	char eol = rx_eol(re->flags);

	while (from < text.len) {
		int err;

		line_around(text, from, from, eol, line);
		err = regex_test(re, bytes_slice(text, line->from, line->to), 0);
		if (err != REGEX_NOMATCH)
			return err;
		from = line->to + 1;
	}
	return REGEX_NOMATCH;
}

enum { MISSES_MAX = 16, NEAR_BYTES = 32, PAUSE_FIRST = 16, PAUSE_MAX = 4096 };

/* The strings were no help, or stand too near to each other: the next searches do without, each
 * time more of them. */
static void pause_literals(struct regex *re)
{
	re->pause = re->pause == 0              ? PAUSE_FIRST
		    : re->pause < PAUSE_MAX / 2 ? re->pause * 2
						: PAUSE_MAX;
	re->paused = re->pause;
}

/* Lines that hold a string which every match needs; the rest is not looked at. When these are most
 * lines, or it is found every few bytes, the automaton alone is faster: then REGEX_NOMATCH + 1, and
 * *from is where. */
static int by_literal(struct regex *re, struct bytes text, size_t *from, struct regex_span *line)
{
	size_t begin = *from;
	size_t tested = 0;
	unsigned misses = 0;

	while (*from < text.len) {
		size_t at = next_literal(re, text, *from);
		int err;

		if (at == SIZE_MAX)
			return REGEX_NOMATCH;
		line_around(text, *from, at, rx_eol(re->flags), line);
		if (re->literals->exact)
			return 0;
		re->near = at - *from < NEAR_BYTES * (size_t)(re->literals->n + 1) ? re->near + 1
										   : 0;
		if (re->near > MISSES_MAX && re->by_dfa) {
			re->near = 0;
			pause_literals(re);
			return REGEX_NOMATCH + 1;
		}
		err = regex_test(re, bytes_slice(text, line->from, line->to), 0);
		if (err != REGEX_NOMATCH)
			return err;
		*from = line->to + 1;
		tested += line->to - line->from;
		if (++misses >= MISSES_MAX && tested > (*from - begin) / 2 && re->by_dfa) {
			pause_literals(re);
			return REGEX_NOMATCH + 1;
		}
	}
	return REGEX_NOMATCH;
}

static int search_line(struct regex *re, struct bytes text, size_t from, struct regex_span *line)
{
	struct rx_part part = { .text = text };
	size_t at;

	if (from >= text.len)
		return REGEX_NOMATCH;
	if (re->paused > 0) {
		re->paused--;
	} else if (re->literals != NULL) {
		int err = by_literal(re, text, &from, line);

		if (err != REGEX_NOMATCH + 1)
			return err;
		if (from >= text.len)
			return REGEX_NOMATCH;
	}
	if (!re->by_dfa)
		return line_by_line(re, text, from, line);
	part.from = from;
	at = rx_dfa_forward(re, forward_dfa(re, &re->line_dfa, RX_D_LINES), &part);
	if (at == SIZE_MAX)
		return REGEX_NOMATCH;
	if (part.begin == SIZE_MAX) {
		line_around(text, from, at, rx_eol(re->flags), line);
		return 0;
	}
	line->from = part.begin;
	line->to = line_end(text, at, rx_eol(re->flags));
	return 0;
}

int regex_search_line(struct regex *re, struct bytes text, size_t from, struct regex_span *line)
{
	struct regex_span found;
	int err = search_line(re, text, from, &found);

	if (err == 0)
		*line = found;
	return err;
}
