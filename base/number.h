/* SPDX-License-Identifier: MIT
 *
 * Numbers as text, without libc: integers in any base, and binary floating point read and
 * printed exactly as glibc does.
 *
 * A struct real is a float in software, wide enough for the 80-bit long double that printf and
 * seq use on x86: so their output is the same on every platform.
 */
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include "base/buf.h"

/* --- integers --- */

/*
 * As strtoimax: white space, a sign, digits in the base (2..36; 0: by a prefix 0x or 0; 16 also
 * takes 0x). Returns the bytes used, 0 when there are no digits. A value that does not fit is
 * saturated and sets *overflow (which may be NULL).
 */
size_t number_parse_i64(struct bytes s, int base, int64_t *out, bool *overflow);
/* As strtoumax: "-1" gives UINT64_MAX. */
size_t number_parse_u64(struct bytes s, int base, uint64_t *out, bool *overflow);
/* A whole decimal number, white space before it and blanks behind it; false also on overflow. */
bool number_is_i64(struct bytes s, int64_t *out);
/* Digits in the base, without a NUL; out has room for 65. Returns the length. */
size_t number_put_u64(char *out, uint64_t v, unsigned base, bool upper);
size_t number_put_i64(char *out, int64_t v);

/* --- floating point --- */

enum real_kind { REAL_ZERO, REAL_FINITE, REAL_INF, REAL_NAN };

/* FINITE: mant * 2^exp, the top bit of mant set. */
struct real {
	uint64_t mant;
	int exp;
	enum real_kind kind;
	bool negative;
};

enum real_format {
	REAL_DOUBLE, /* 53 bits, the range of double */
	REAL_LONG,   /* 64 bits, the range of x86's long double */
};

enum real_status {
	REAL_OK,
	REAL_OVERFLOW,  /* too large: infinity */
	REAL_UNDERFLOW, /* rounded to zero or to a subnormal number */
};

/*
 * As strtod or strtold: white space, sign, decimal or 0x digits, exponent, inf, infinity, nan,
 * nan(...). Rounds to the nearest number of the format, ties to even. Returns the bytes used, 0
 * if there is no number; *status may be NULL.
 */
size_t real_parse(struct bytes s, enum real_format format, struct real *out,
		  enum real_status *status);
/* Plain decimal text only, as JSON has it and `strtod` reads it: no white space, hex, inf. */
struct real real_of_double(double d);
struct real real_of_i64(int64_t v);
struct real real_of_u64(uint64_t v);
/* To the nearest double; an int64_t by truncation, saturated. */
double real_to_double(struct real r);
int64_t real_to_i64(struct real r);

/* Arithmetic as x87's long double has it, but for its bounds: 64 bits, rounded once, ties to
 * even. */
struct real real_add(struct real a, struct real b);
struct real real_mul(struct real a, struct real b);
struct real real_div(struct real a, struct real b);
struct real real_negate(struct real a);
/* Less than, equal to or greater than 0; NaN is not to be compared. */
int real_compare(struct real a, struct real b);

/* The same for double. */
size_t number_parse_double(struct bytes s, double *out, enum real_status *status);

enum real_flags {
	REAL_ALT = 1, /* #: keep the point and %g's zeros */
	REAL_UPPER = 2,
	REAL_PLUS = 4,
	REAL_SPACE = 8,
	REAL_A_DOUBLE = 16, /* %a as for double: one bit before the point; else four */
};

/*
 * Appends v as %e, %f, %g or %a (conv is the lower case letter) does, sign included, without
 * padding. precision < 0: the default (6; all digits for %a).
 */
void real_put(struct buf *out, struct real v, char conv, int precision, unsigned flags);
/* A double as %.{precision}g. */
void number_put_g(struct buf *out, double d, int precision);
/* The shortest decimal digits that give d back (1..17, no point) into digits; returns how many
 * and sets *exponent so that d = 0.DIGITS * 10^exponent. d must be finite and not zero; its
 * sign is ignored. */
int number_shortest(double d, char digits[17], int *exponent);

#endif
