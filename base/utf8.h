/* SPDX-License-Identifier: MIT
 *
 * UTF-8: decoding, character classes, case and width, as glibc's C.UTF-8 locale has them.
 */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include "base/bytes.h"

/*
 * Decodes one character of s at `at` (at < s.len). Returns its length in bytes (1..4) and the
 * code point, or 0 when the bytes there are not well-formed UTF-8 (overlong, surrogates, past
 * U+10FFFF, truncated): then exactly one byte is to be skipped.
 */
size_t utf8_decode(struct bytes s, size_t at, uint32_t *out);
/* Writes 1..4 bytes; code points that can't be encoded give 0. */
size_t utf8_encode(uint32_t c, char out[4]);
/* Number of characters; each byte that is not part of one counts as one. */
size_t utf8_count(struct bytes s);
/* Offset of the n-th character, or s.len when there are fewer. */
size_t utf8_offset(struct bytes s, size_t n);
bool utf8_valid(struct bytes s);

enum utf8_class {
	UTF8_ALPHA,
	UTF8_DIGIT,
	UTF8_ALNUM,
	UTF8_UPPER,
	UTF8_LOWER,
	UTF8_SPACE,
	UTF8_BLANK,
	UTF8_PUNCT,
	UTF8_PRINT,
	UTF8_GRAPH,
	UTF8_CNTRL,
	UTF8_XDIGIT,
	UTF8_NCLASSES
};
/* iswctype of the C.UTF-8 locale. */
bool utf8_is(uint32_t c, enum utf8_class class);
/* The class of a POSIX name such as "alpha", or UTF8_NCLASSES. */
enum utf8_class utf8_class_of(struct bytes name);
uint32_t utf8_to_upper(uint32_t c);
uint32_t utf8_to_lower(uint32_t c);
/* The next character after c that has another upper case than itself; 0 when there is none. */
uint32_t utf8_next_cased(uint32_t c);
/* Columns on a terminal as wcwidth gives: 0, 1, 2, or -1 for what is not printable. */
int utf8_width(uint32_t c);

/* For building sets: the properties that c shares with all code points up to the returned one
 * (exclusive): a bit per enum utf8_class, and one bit of what utf8_general_mask gives. */
uint32_t utf8_next_run(uint32_t c, uint32_t *classes, uint32_t *general);
/* The general categories named "L", "Lu", "Nd"...: one bit each; 0 for an unknown name. */
uint32_t utf8_general_mask(struct bytes name);

#endif
