/* SPDX-License-Identifier: MIT
 *
 * Escapes that name a character: those of GNU sed and those of awk.
 */
#include "base/regex/private.h"

/* The digits at p->at in a base, at most `most` of them; RX_NONE when there is none. */
static uint32_t number(struct rx_parse *p, int base, int most)
{
	uint32_t value = 0;
	size_t from = p->at;

	while (p->at < p->p.len && p->at - from < (size_t)most) {
		int digit = byte_digit(p->p.ptr[p->at]);

		if (digit < 0 || digit >= base)
			break;
		value = value * (uint32_t)base + (uint32_t)digit;
		p->at++;
	}
	return p->at == from ? RX_NONE : value & 0xff;
}

/* A byte written by its number, as a character. */
static uint32_t numbered(struct rx_parse *p, uint32_t value)
{
	return value >= 0x80 && value != RX_NONE && rx_utf8(p) ? RX_RAW + value : value;
}

static uint32_t control_letter(char c)
{
	switch (c) {
	case 'a': return 7;
	case 'f': return '\f';
	case 'n': return '\n';
	case 'r': return '\r';
	case 't': return '\t';
	case 'v': return '\v';
	default: return RX_NONE;
	}
}

static uint32_t sed_escape(struct rx_parse *p, char c)
{
	switch (c) {
	case 'd': return numbered(p, number(p, 10, 3));
	case 'o': return numbered(p, number(p, 8, 3));
	case 'x': return numbered(p, number(p, 16, 2));
	case 'c':
		if (p->at == p->p.len)
			return RX_NONE;
		return (uint32_t)byte_to_upper((unsigned char)p->p.ptr[p->at++]) ^ 0x40;
	default: return RX_NONE;
	}
}

static uint32_t awk_escape(struct rx_parse *p, char c, bool in_bracket)
{
	if (c >= '0' && c <= '7') {
		p->at--;
		return numbered(p, number(p, 8, 3));
	}
	if (c == 'x')
		return numbered(p, number(p, 16, 2));
	if (c == 'b' && in_bracket)
		return 8;
	if (c == '/' || c == '"')
		return (unsigned char)c;
	return RX_NONE;
}

uint32_t rx_escape(struct rx_parse *p, bool in_bracket)
{
	size_t from = p->at;
	uint32_t c;
	char letter;

	if ((p->flags & (REGEX_SED | REGEX_AWK)) == 0 || p->at == p->p.len)
		return RX_NONE;
	letter = p->p.ptr[p->at++];
	c = control_letter(letter);
	if (c == RX_NONE && (p->flags & REGEX_SED) != 0)
		c = sed_escape(p, letter);
	else if (c == RX_NONE)
		c = awk_escape(p, letter, in_bracket);
	if (c == RX_NONE)
		p->at = from;
	return c;
}
