/* SPDX-License-Identifier: MIT
 *
 * Perl's escapes: characters, classes, assertions, references.
 */
#include "base/regex/perl.h"

static uint32_t take_digits(struct perl *x, int base, size_t most)
{
	uint32_t value = 0;

	for (size_t n = 0; n < most && perl_more(x); n++) {
		int digit = byte_digit((unsigned char)perl_peek(x));

		if (digit < 0 || digit >= base)
			break;
		value = value * (uint32_t)base + (uint32_t)digit;
		if (value >= RX_UNICODE_TOP)
			value = RX_UNICODE_TOP;
		x->p->at++;
	}
	return value;
}

/* \x{..} and \o{..}, behind the brace. */
static uint32_t take_braced(struct perl *x, int base)
{
	size_t from = x->p->at;
	uint32_t value = take_digits(x, base, 20);

	if (x->p->at == from || !perl_take(x, "}")) {
		rx_error(x->p, base == 16
				       ? "non-hex character in \\x{} (closing brace missing?)"
				       : "non-octal character in \\o{} (closing brace missing?)");
		return 0;
	}
	if (value >= RX_UNICODE_TOP || (!rx_utf8(x->p) && value > 255))
		rx_error(x->p, "character code point value in \\x{} or \\o{} is too large");
	return value;
}

/* \012, \0, \8 and the like; a small number outside a class is a reference instead. */
static uint32_t take_octal(struct perl *x, bool in_class)
{
	size_t from = x->p->at;
	uint32_t number;

	if (perl_peek(x) == '0' || in_class)
		return take_digits(x, 8, 3);
	perl_number(x, &number);
	x->p->at = from;
	if (number < 10 || number <= x->p->ngroups - x->base || perl_peek(x) > '7')
		return RX_NONE;
	return take_digits(x, 8, 3);
}

uint32_t perl_char_escape(struct perl *x, bool in_class)
{
	char c = perl_peek(x);

	if (byte_is_digit(c))
		return take_octal(x, in_class);
	x->p->at++;
	switch (c) {
	case 'a': return 7;
	case 'e': return 27;
	case 'f': return '\f';
	case 'n': return '\n';
	case 'r': return '\r';
	case 't': return '\t';
	case 'b':
		if (in_class)
			return 8;
		break;
	case 'x': return perl_take(x, "{") ? take_braced(x, 16) : take_digits(x, 16, 2);
	case 'o':
		if (perl_take(x, "{"))
			return take_braced(x, 8);
		rx_error(x->p, "missing opening brace after \\o");
		return 0;
	case 'c':
		if (perl_more(x))
			return (uint32_t)byte_to_upper(x->p->p.ptr[x->p->at++]) ^ 0x40;
		rx_error(x->p, "\\c at end of pattern");
		return 0;
	default: break;
	}
	x->p->at--;
	if (byte_is_alnum(c))
		return RX_NONE;
	return rx_take_char(x->p);
}

static struct rx_node *reference(struct perl *x, char end)
{
	struct bytes name;

	return perl_name(x, end, &name) ? perl_backref(x, name, 0) : NULL;
}

/* \g{1} \g{-1} \g1 \g{name}, behind the g. */
static struct rx_node *group_reference(struct perl *x)
{
	if (perl_take(x, "<"))
		return perl_call_escape(x, '>');
	if (perl_take(x, "'"))
		return perl_call_escape(x, '\'');
	bool brace = perl_take(x, "{");
	bool relative = perl_take(x, "-");
	uint32_t number;

	if (!perl_number(x, &number)) {
		if (brace && !relative)
			return reference(x, '}');
		rx_error(x->p, "a numbered reference must not be zero");
		return NULL;
	}
	if (brace && !perl_take(x, "}")) {
		rx_error(x->p, "\\g is not followed by a braced, angle-bracketed, or quoted "
			       "name/number or by a plain number");
		return NULL;
	}
	if (relative)
		number = number <= x->p->ngroups - x->base ? x->p->ngroups - x->base + 1 - number
							   : UINT16_MAX;
	if (number == UINT16_MAX)
		rx_error(x->p, "reference to non-existent subpattern");
	if (number == 0) {
		rx_error(x->p, "a numbered reference must not be zero");
		return NULL;
	}
	return perl_backref(x, (struct bytes){ "", 0 }, number);
}

static struct rx_node *name_reference(struct perl *x)
{
	if (perl_take(x, "<"))
		return reference(x, '>');
	if (perl_take(x, "'"))
		return reference(x, '\'');
	if (perl_take(x, "{"))
		return reference(x, '}');
	rx_error(x->p, "\\k is not followed by a braced, angle-bracketed, or quoted name");
	return NULL;
}

static struct rx_node *only_backtracking(struct perl *x, struct rx_node *n)
{
	x->p->backrefs = true;
	return n;
}

/* \R: a line break of any kind, taken whole. */
static struct rx_node *line_break(struct perl *x)
{
	struct rx_node *alt = rx_node(x->p, RX_ALT);
	struct rx_node *cat = rx_node(x->p, RX_CAT);
	struct rx_set *s = rx_set_new(x->p->arena);
	unsigned flags = x->p->flags;

	x->p->flags &= ~(unsigned)REGEX_ICASE;
	rx_append(x->p, cat, rx_char(x->p, '\r'));
	rx_append(x->p, cat, rx_char(x->p, '\n'));
	x->p->flags = flags;
	rx_set_add(x->p->arena, s, '\n', '\r');
	rx_set_add(x->p->arena, s, 0x85, 0x85);
	if (rx_utf8(x->p))
		rx_set_add(x->p->arena, s, 0x2028, 0x2029);
	rx_set_finish(s);
	rx_append(x->p, alt, cat);
	rx_append(x->p, alt, rx_set_node(x->p, s));
	return only_backtracking(x, rx_unary(x->p, RX_ATOMIC, alt));
}

static struct rx_node *simple_assertion(struct perl *x, char c)
{
	switch (c) {
	case 'b': return rx_word_edge(x->p, false);
	case 'B': return rx_word_edge(x->p, true);
	case 'A': return rx_assertion(x->p, RX_TEXT_BEGIN);
	case 'z': return rx_assertion(x->p, RX_TEXT_END);
	case 'Z': return only_backtracking(x, rx_assertion(x->p, RX_TEXT_END_NL));
	case 'G': return only_backtracking(x, rx_assertion(x->p, RX_SEARCH_BEGIN));
	case 'K': return only_backtracking(x, rx_node(x->p, RX_KEEP));
	case 'R': return line_break(x);
	case 'N': return rx_any(x->p, true);
	default: return NULL;
	}
}

/* An escape that is neither a class nor a character. */
static struct rx_node *special(struct perl *x, char c)
{
	struct rx_node *n = simple_assertion(x, c);
	uint32_t number;

	if (n != NULL)
		return n;
	switch (c) {
	case 'Q': x->literal = true; return NULL;
	case 'E': return NULL;
	case 'g': return group_reference(x);
	case 'k': return name_reference(x);
	case 'X':
	case 'C': rx_error(x->p, "\\X and \\C are not supported"); return NULL;
	default: break;
	}
	if (byte_is_digit(c)) {
		x->p->at--;
		perl_number(x, &number);
		return perl_backref(x, (struct bytes){ "", 0 }, number);
	}
	rx_error(x->p, "unrecognized character follows \\");
	return NULL;
}

struct rx_node *perl_escape(struct perl *x)
{
	struct rx_set *s;
	uint32_t c;

	if (!perl_more(x)) {
		rx_error(x->p, "\\ at end of pattern");
		return NULL;
	}
	s = rx_set_new(x->p->arena);
	if (perl_add_class(x, s)) {
		rx_set_finish(s);
		return rx_set_node(x->p, s);
	}
	c = perl_char_escape(x, false);
	if (c != RX_NONE)
		return rx_char(x->p, c);
	return special(x, x->p->p.ptr[x->p->at++]);
}
