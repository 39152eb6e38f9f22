/* SPDX-License-Identifier: MIT
 *
 * What the parts of numfmt share: numbers with units, to and from text.
 *
 *   text ──number_read──> value, precision ──number_show──> text
 */
#ifndef BUILTINS_NUMFMT_H
#define BUILTINS_NUMFMT_H

#include "base/number.h"
#include "builtins/builtin.h"

enum numfmt_scale { SCALE_NONE, SCALE_AUTO, SCALE_SI, SCALE_IEC, SCALE_IEC_I };

enum numfmt_round { ROUND_UP, ROUND_DOWN, ROUND_FROM_ZERO, ROUND_TOWARDS_ZERO, ROUND_NEAREST };

enum numfmt_read {
	READ_OK,
	READ_LOSS, /* read, but it has more digits than a number keeps */
	READ_OVERFLOW,
	READ_NO_NUMBER,
	READ_FORBIDDEN, /* a suffix where none is allowed */
	READ_BAD_SUFFIX,
	READ_NO_I,
};

enum {
	DIGITS_UNSCALED = 18, /* that are written without a unit */
	DIGITS_MAX = 27,      /* that are read */
	SHOWN_MAX = 127,      /* bytes of a number in the output */
};

/* What a number in the output looks like. */
struct numfmt_style {
	enum numfmt_scale scale;
	enum numfmt_round round;
	int64_t precision;  /* -1: that of the input, or one digit where a unit follows */
	int64_t zero_width; /* at least so wide, with leading zeros; 0: not */
};

struct numfmt_value {
	struct real number;
	size_t precision; /* digits behind the point */
};

/* Reads the number that s begins with. *used: how much of s it took, with its unit. */
enum numfmt_read number_read(struct bytes s, enum numfmt_scale scale, struct numfmt_value *out,
			     size_t *used);
/* How often the number can be divided by base until it is less. */
unsigned number_power(struct real *number, unsigned base);
/* Appends the number as style says; value->number becomes what it is in its unit. False if it is
 * too long for the real tool's buffer. */
bool number_show(struct buf *out, struct numfmt_value *value, const struct numfmt_style *style);

#endif
