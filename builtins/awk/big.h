/* SPDX-License-Identifier: MIT
 *
 * awk -M: numbers beyond double. Whole numbers are exact; floats have PREC bits, rounded as
 * ROUNDMODE says.
 *
 *   VAL_NUM   a whole number up to 2^53, or a float that double holds (NUM_FLOAT: a whole one)
 *   VAL_BIG   all others, as decimal numbers of bc's
 *
 * Functions here take any values as numbers and give new references.
 */
#ifndef BUILTINS_AWK_BIG_H
#define BUILTINS_AWK_BIG_H

#include "builtins/awk/code.h"
#include "builtins/bc/num.h"

enum { BIG_PREC_MAX = 1 << 16, BIG_EXPONENT_MAX = 1 << 18, DOUBLE_BITS = 53 };

struct big {
	uint32_t refs;
	bool is_float;
	struct num *n;
};

/* x^y, which is no exact power; y is whole, and odd. Takes neither. */
struct val awk_big_power(struct awk *a, struct num *x, struct num *y, bool odd, bool whole);

/* --- big.c --- */

/* A VAL_BIG; takes n. */
struct val awk_big_make(struct awk *a, struct num *n, bool is_float);

/* The number of v, exactly; v is VAL_NUM (finite) or VAL_BIG. */
struct num *awk_big_num(struct awk *a, const struct val *v);
bool awk_big_is_whole(const struct val *v); /* a whole number, not a float */
/* A whole number; a float, rounded. Both take n. */
struct val awk_big_whole(struct awk *a, struct num *n);
struct val awk_big_float(struct awk *a, struct num *n);
/* A float from the machine's arithmetic, if that is as good; false: it is not. */
bool awk_big_quick(struct awk *a, double d, struct val *out);
/* Whether such arithmetic rounds as it should. */
static inline bool big_is_double(const struct awk *a)
{
	return a->prec == DOUBLE_BITS && a->round == 'N';
}
/* n without its fraction. */
struct num *awk_big_truncate(struct awk *a, const struct num *n);
/* About the logarithm to base 2; n is not 0. */
double awk_big_log2(const struct num *n);
struct num *awk_big_quotient(struct awk *a, const struct num *x, const struct num *y);
/* x becomes `by`. */
static inline void big_set(struct awk *a, struct num **x, struct num *by)
{
	num_put(a->c, *x);
	*x = by;
}

#endif
