/* SPDX-License-Identifier: MIT
 *
 * iconv: iconv.c converts, tables.c and tables_more.c know the sets of one byte, wide.c those of
 * East Asia, whose tables wide_*.c hold packed.
 */
#ifndef BUILTINS_ICONV_ICONV_H
#define BUILTINS_ICONV_ICONV_H

#include "builtins/builtin.h"

/* The bytes 0x80 to 0xff of a set, as code points; 0: none. */
struct half {
	const char *name;
	uint16_t point[128];
};

/* All bytes of a set that is not like ASCII; 0: none, but for the first. */
struct whole {
	const char *name;
	uint16_t point[256];
};

/* ASCII that stands for a character, with //TRANSLIT. */
struct stand_in {
	uint16_t point;
	const char *text;
};

/* What decoding gives instead of a length. */
enum { ICONV_BAD = -1, ICONV_SHORT = -2 };

extern const struct half iconv_halves[]; /* ends with a NULL name */
extern const struct half iconv_halves_more[];
extern const struct whole iconv_wholes[];
extern const struct stand_in iconv_stand_ins[]; /* by code point */
extern const size_t iconv_stand_in_count;

extern const char iconv_wide_japanese[];
extern const char iconv_wide_korean[];
extern const char iconv_wide_chinese[];
extern const char iconv_wide_taiwan[];

/* --- wide.c --- */
struct wide;
/* Names of the sets, from 0; NULL behind the last. */
const char *iconv_wide_name(size_t i);
/* Unpacks the set of that number; in the arena. */
struct wide *iconv_wide_new(struct cmd *c, size_t i);
/* The character at `at`: its length, or ICONV_BAD or ICONV_SHORT. */
int iconv_wide_decode(const struct wide *w, struct bytes s, size_t at, uint32_t *out);
/* How many bytes are left out, with -c, where there is none. */
size_t iconv_wide_skip(const struct wide *w, struct bytes s, size_t at);
/* The bytes of a character: how many; 0: the set has none. */
size_t iconv_wide_encode(const struct wide *w, uint32_t point, char out[4]);

#endif
