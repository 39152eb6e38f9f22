/* SPDX-License-Identifier: MIT
 *
 * Sets of characters, for regular expressions and shell patterns.
 *
 * Characters are code points; a byte that is not part of well-formed UTF-8 is the character
 * RX_RAW + byte. Where text is not UTF-8 every byte is the character of its value.
 */
#ifndef BASE_REGEX_SET_H
#define BASE_REGEX_SET_H

#include "base/heap.h"
#include "base/utf8.h"

enum {
	RX_UNICODE_TOP = 0x110000,
	RX_RAW = 0x110000,
	RX_TOP = RX_RAW + 256,
};

struct rx_range {
	uint32_t lo;
	uint32_t hi;
};

struct rx_set {
	struct rx_range *range; /* sorted and apart once finished */
	uint32_t n;
	uint32_t cap;
	uint64_t low[4]; /* bits of the characters below 256 */
};

struct rx_set *rx_set_new(struct arena *a);
void rx_set_add(struct arena *a, struct rx_set *s, uint32_t lo, uint32_t hi);
void rx_set_add_set(struct arena *a, struct rx_set *s, const struct rx_set *other);
/* A named class; outside UTF-8 its ASCII part. */
void rx_set_add_class(struct arena *a, struct rx_set *s, enum utf8_class class, bool utf8);
/* The characters of general categories, a bit each as utf8_general_mask gives them. */
void rx_set_add_general(struct arena *a, struct rx_set *s, uint32_t mask);
/* Letters and digits in the sense of \w, and '_'. */
void rx_set_add_word(struct arena *a, struct rx_set *s, bool utf8);
/* Adds what differs from a member by case only. */
void rx_set_fold(struct arena *a, struct rx_set *s, bool utf8);
/* Sorts, merges, fills the bits. Needed before the functions below. */
void rx_set_finish(struct rx_set *s);
/* All other well-formed characters (bytes without UTF-8); finished again. */
void rx_set_negate(struct arena *a, struct rx_set *s, bool utf8);
bool rx_set_find(const struct rx_set *s, uint32_t c);

static inline bool rx_set_has(const struct rx_set *s, uint32_t c)
{
	if (c < 256)
		return (s->low[c >> 6] >> (c & 63) & 1) != 0;
	return rx_set_find(s, c);
}

/* One character. */
static inline size_t rx_char_at(struct bytes text, size_t at, bool utf8, uint32_t *c)
{
	unsigned char byte = (unsigned char)text.ptr[at];
	size_t n;

	if (byte < 0x80 || !utf8) {
		*c = byte;
		return 1;
	}
	n = utf8_decode(text, at, c);
	if (n != 0)
		return n;
	*c = RX_RAW + byte;
	return 1;
}
/* The length of the character that ends at `at` (> 0), and the character. */
size_t rx_char_before(struct bytes text, size_t at, bool utf8, uint32_t *c);

#endif
