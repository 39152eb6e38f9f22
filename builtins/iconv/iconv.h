/* SPDX-License-Identifier: MIT
 *
 * iconv: iconv.c converts, tables.c knows the character sets of one byte.
 */
#ifndef BUILTINS_ICONV_ICONV_H
#define BUILTINS_ICONV_ICONV_H

#include "builtins/builtin.h"

/* The bytes 0x80 to 0xff of a set, as code points; 0: none. */
struct half {
	const char *name;
	uint16_t point[128];
};

/* ASCII that stands for a character, with //TRANSLIT. */
struct stand_in {
	uint16_t point;
	const char *text;
};

extern const struct half iconv_halves[];        /* ends with a NULL name */
extern const struct stand_in iconv_stand_ins[]; /* by code point */
extern const size_t iconv_stand_in_count;

#endif
