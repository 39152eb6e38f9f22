/* SPDX-License-Identifier: MIT
 *
 * Looking at the text around a place; memory for a moment.
 */
#include "base/regex/private.h"

static void scratch_fail(void *arg)
{
	struct rx_scratch *s = arg;

	rx_scratch_end(s);
	s->up.fn(s->up.arg);
}

struct arena *rx_scratch(struct rx_scratch *s, struct arena *a)
{
	struct arena_fail fail = { scratch_fail, s };

	s->beside = a;
	s->up = a->fail;
	a->fail = fail;
	arena_init(&s->arena, a->heap, fail);
	return &s->arena;
}

void rx_scratch_end(struct rx_scratch *s)
{
	s->beside->fail = s->up;
	arena_clear(&s->arena);
}

size_t rx_char_before(struct bytes text, size_t at, bool utf8, uint32_t *c)
{
	unsigned char byte = (unsigned char)text.ptr[at - 1];

	if (byte < 0x80 || !utf8) {
		*c = byte;
		return 1;
	}
	for (size_t n = 2; n <= 4 && n <= at; n++)
		if (utf8_decode(bytes_slice(text, 0, at), at - n, c) == n)
			return n;
	*c = RX_RAW + byte;
	return 1;
}

bool rx_is_word(uint32_t c, unsigned flags)
{
	if (c < 0x80)
		return byte_is_name((int)c);
	/* GNU takes a stray byte for the Latin-1 letter of its value here, and only here: not
	 * where it looks for words itself. */
	if (c >= RX_RAW && (flags & REGEX_WORD) != 0)
		return false;
	return rx_wide_words(flags) && utf8_is(c >= RX_RAW ? c - RX_RAW : c, UTF8_ALNUM);
}

static bool is_line_end(uint32_t c, unsigned flags)
{
	return (flags & REGEX_NEWLINE) != 0 && c == (unsigned char)rx_eol(flags);
}

unsigned rx_left_of(struct bytes text, size_t at, unsigned flags, unsigned exec_flags)
{
	bool utf8 = (flags & REGEX_UTF8) != 0;
	uint32_t c;

	if (at == 0)
		return (exec_flags & REGEX_NOTBOL) != 0 ? RX_EDGE : RX_EDGE | RX_LINE;
	rx_char_before(text, at, utf8, &c);
	return (is_line_end(c, flags) ? RX_LINE : 0u) | (rx_is_word(c, flags) ? RX_WORD : 0u);
}

unsigned rx_right_of(struct bytes text, size_t at, unsigned flags, unsigned exec_flags)
{
	bool utf8 = (flags & REGEX_UTF8) != 0;
	uint32_t c;

	if (at == text.len)
		return (exec_flags & REGEX_NOTEOL) != 0 ? RX_EDGE : RX_EDGE | RX_LINE;
	rx_char_at(text, at, utf8, &c);
	return (is_line_end(c, flags) ? RX_LINE : 0u) | (rx_is_word(c, flags) ? RX_WORD : 0u);
}
