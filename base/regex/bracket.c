/* SPDX-License-Identifier: MIT
 *
 * Bracket expressions of POSIX syntax: [a-z], [^[:alpha:]_], [[.-.]], [[=a=]].
 *
 * In C.UTF-8 ranges go by code point, every collating element is one byte, and an equivalence
 * class has one member.
 */
#include "base/regex/private.h"

#define UNMATCHED "Unmatched [, [^, [:, [., or [="

enum element { ELEMENT_CHAR, ELEMENT_CLASS, ELEMENT_EQUIVALENCE, ELEMENT_ERROR };

bool rx_add_named_class(struct rx_parse *p, struct rx_set *s, struct bytes name)
{
	enum utf8_class class = utf8_class_of(name);

	if (class == UTF8_NCLASSES)
		return false;
	if ((p->flags & REGEX_ICASE) != 0 && (class == UTF8_UPPER || class == UTF8_LOWER))
		class = UTF8_ALPHA;
	rx_set_add_class(p->arena, s, class, rx_utf8(p));
	return true;
}

static bool ended(struct rx_parse *p)
{
	if (p->at < p->p.len)
		return false;
	rx_error(p, UNMATCHED);
	return true;
}

static char peek(const struct rx_parse *p, size_t ahead)
{
	return p->at + ahead < p->p.len ? p->p.ptr[p->at + ahead] : '\0';
}

/* The name in [:name:] and the like; p->at is behind "[:". */
static bool take_name(struct rx_parse *p, char mark, struct bytes *name)
{
	size_t from = p->at;

	while (p->at + 1 < p->p.len && !(p->p.ptr[p->at] == mark && p->p.ptr[p->at + 1] == ']'))
		p->at++;
	if (p->at + 1 >= p->p.len || p->at - from >= 32) {
		rx_error(p, UNMATCHED);
		return false;
	}
	*name = bytes_slice(p->p, from, p->at);
	p->at += 2;
	return true;
}

static enum element named_element(struct rx_parse *p, struct rx_set *s, uint32_t *c)
{
	char mark = p->p.ptr[p->at + 1];
	struct bytes name;

	p->at += 2;
	if (!take_name(p, mark, &name))
		return ELEMENT_ERROR;
	if (mark == ':') {
		if (rx_add_named_class(p, s, name))
			return ELEMENT_CLASS;
		rx_error(p, "Invalid character class name");
		return ELEMENT_ERROR;
	}
	if (name.len != 1) {
		rx_error(p, "Invalid collation character");
		return ELEMENT_ERROR;
	}
	*c = (unsigned char)name.ptr[0];
	return mark == '=' ? ELEMENT_EQUIVALENCE : ELEMENT_CHAR;
}

/* Takes one element; a '-' is one only where `hyphen` allows or before the final ']'. */
static enum element take_element(struct rx_parse *p, struct rx_set *s, bool hyphen, uint32_t *c)
{
	char first, second;

	if (ended(p))
		return ELEMENT_ERROR;
	first = peek(p, 0);
	second = peek(p, 1);
	if (first == '[' && (second == ':' || second == '.' || second == '=') &&
	    p->at + 1 < p->p.len)
		return named_element(p, s, c);
	if (first == '-' && !hyphen && second != ']') {
		rx_error(p, p->at + 1 < p->p.len ? "Invalid range end" : UNMATCHED);
		return ELEMENT_ERROR;
	}
	if (first == '\\' && (p->flags & (REGEX_AWK | REGEX_SED)) != 0 && p->at + 1 < p->p.len) {
		p->at++;
		*c = rx_escape(p, true);
		if (*c != RX_NONE)
			return ELEMENT_CHAR;
		if ((p->flags & REGEX_SED) != 0)
			p->at--; /* there a backslash that escapes nothing is itself */
	}
	*c = rx_take_char(p);
	return ELEMENT_CHAR;
}

/* Takes an element and the rest of its range. False on error. */
static bool take_item(struct rx_parse *p, struct rx_set *s, bool first)
{
	uint32_t lo, hi;
	enum element start = take_element(p, s, first, &lo);
	enum element end;

	if (start == ELEMENT_ERROR || ended(p))
		return false;
	if (start == ELEMENT_CLASS)
		return true;
	if (start == ELEMENT_EQUIVALENCE || peek(p, 0) != '-' || peek(p, 1) == ']') {
		rx_set_add(p->arena, s, lo, lo);
		return true;
	}
	p->at++;
	end = take_element(p, s, true, &hi);
	if (end == ELEMENT_ERROR)
		return false;
	if (end != ELEMENT_CHAR || lo > hi) {
		rx_error(p, "Invalid range end");
		return false;
	}
	rx_set_add(p->arena, s, lo, hi);
	return true;
}

/* GNU grep and sed take [:space:] for a mistake: plain characters, not all of them colons. */
static bool looks_like_class(const struct rx_parse *p)
{
	size_t at = p->at + (peek(p, 0) == '^');
	bool named = false;

	if ((p->flags & (REGEX_GREP | REGEX_SED)) == 0 || peek(p, at - p->at) != ':')
		return false;
	at++;
	for (; at < p->p.len && p->p.ptr[at] != ']'; at++) {
		bool range = p->p.ptr[at] == '-' && peek(p, at - p->at + 1) != ']';
		bool class = p->p.ptr[at] == '[' && peek(p, at - p->at + 1) == ':';

		if (range || class)
			return false;
		named |= p->p.ptr[at] != ':';
	}
	return named && at < p->p.len && p->p.ptr[at - 1] == ':';
}

struct rx_node *rx_bracket(struct rx_parse *p)
{
	struct rx_set *s = rx_set_new(p->arena);
	bool negate = false;
	bool first = true;

	if (looks_like_class(p)) {
		rx_error(p, "character class syntax is [[:space:]], not [:space:]");
		return NULL;
	}
	if (peek(p, 0) == '^') {
		negate = true;
		p->at++;
	}
	/* Where nothing at all follows GNU's matcher has other words. */
	if (p->at >= p->p.len) {
		rx_error(p, "Invalid regular expression");
		return NULL;
	}
	while (first || p->at >= p->p.len || p->p.ptr[p->at] != ']') {
		if (!take_item(p, s, first))
			return NULL;
		first = false;
	}
	p->at++;
	arena_charge(p->arena, 4 + s->n / 4);
	rx_set_finish(s);
	if ((p->flags & REGEX_ICASE) != 0)
		rx_set_fold(p->arena, s, rx_utf8(p));
	if (negate) {
		unsigned char eol = (unsigned char)rx_eol(p->flags);

		if ((p->flags & (REGEX_NEWLINE | REGEX_HAT_NEWLINE)) == REGEX_NEWLINE)
			rx_set_add(p->arena, s, eol, eol);
		rx_set_negate(p->arena, s, rx_utf8(p));
	}
	return rx_set_node(p, s);
}
