/* SPDX-License-Identifier: MIT
 *
 * Decimal numbers of any length, for bc and dc.
 *
 *   value = sign * (limb[0] + limb[1] * 10^9 + ...) / 10^scale
 *
 * Numbers are immutable and counted: every function that returns one gives a reference to the
 * caller, num_put drops it. Work is charged inside of every long operation.
 */
#ifndef BUILTINS_BC_NUM_H
#define BUILTINS_BC_NUM_H

#include "builtins/builtin.h"

enum { NUM_BASE = 1000000000, NUM_DIGITS = 9 };

struct num {
	unsigned refs;
	bool negative;
	size_t scale; /* digits behind the point */
	size_t len;   /* limbs; the highest is not 0; zero has none */
	uint32_t limb[];
};

static inline struct num *num_get(struct num *x)
{
	x->refs++;
	return x;
}
static inline bool num_is_zero(const struct num *x)
{
	return x->len == 0;
}
void num_put(struct cmd *c, struct num *x);

struct num *num_of_i64(struct cmd *c, int64_t v);
/* Rounded toward 0. *fits (may be NULL): whether the whole part is in range. */
int64_t num_to_i64(const struct num *x, bool *fits);
int num_cmp(struct cmd *c, const struct num *a, const struct num *b);
/* At least `scale` digits behind the point. */
struct num *num_add(struct cmd *c, const struct num *a, const struct num *b, size_t scale);
struct num *num_sub(struct cmd *c, const struct num *a, const struct num *b, size_t scale);
struct num *num_neg(struct cmd *c, const struct num *a);
/* As bc multiplies: as many digits behind the point as exact, but no more than the largest of
 * scale and those of the factors. */
struct num *num_mul(struct cmd *c, const struct num *a, const struct num *b, size_t scale);
/* Truncated to scale. NULL: division by zero. */
struct num *num_div(struct cmd *c, const struct num *a, const struct num *b, size_t scale);
/* a - b * (a / b to scale); *quotient may be NULL. NULL: division by zero. */
struct num *num_mod(struct cmd *c, const struct num *a, const struct num *b, size_t scale,
		    struct num **quotient);
/* NULL: 0 to a negative power. */
struct num *num_pow(struct cmd *c, const struct num *a, int64_t exponent, size_t scale);
/* base^exponent modulo m, of whole numbers that are not negative. NULL: m is 0. */
struct num *num_modexp(struct cmd *c, struct num *base, struct num *exponent, struct num *m,
		       size_t scale);
/* Truncated to the larger of scale and a's. NULL: a is negative. */
struct num *num_sqrt(struct cmd *c, const struct num *a, size_t scale);
/* Exactly `scale` digits behind the point: truncated or filled up. */
struct num *num_rescale(struct cmd *c, const struct num *a, size_t scale);
/* Decimal digits, not counting zeros in front. */
size_t num_digits(const struct num *x);

/* Digits 0-9A-Z and at most one point. clamp: digits too large count as the base's largest, but
 * for one that is alone in front of the point. */
struct num *num_parse(struct cmd *c, struct bytes text, unsigned base, bool clamp);
/* Appends x in a base of 2 and more. Above 16 digits are decimal numbers behind blanks. zero:
 * "0" in front of a point. */
void num_format(struct cmd *c, struct buf *out, const struct num *x, struct num *base, bool zero);

/* --- math.c: bc's library --- */

/* Whether the library has a function of the name. */
bool bc_has_math(struct bytes name);
/* Its value; args has one number, or two for j. */
struct num *bc_math(struct cmd *c, char name, struct num *const *args, size_t scale);

/* --- magnitudes: limbs, lowest first --- */

size_t mag_trim(const uint32_t *a, size_t n);
int mag_cmp(const uint32_t *a, size_t an, const uint32_t *b, size_t bn);
/* out has an + bn limbs and is none of the factors. */
void mag_mul(struct cmd *c, uint32_t *out, const uint32_t *a, size_t an, const uint32_t *b,
	     size_t bn);
/* a *= m, a += add; the limb carried out. */
uint32_t mag_mul_small(uint32_t *a, size_t n, uint32_t m, uint32_t add);
/* a /= d; the rest. */
uint32_t mag_div_small(uint32_t *a, size_t n, uint32_t d);
/* q (an - bn + 1 limbs) = a / b; a becomes the rest and needs a limb of room, a[an]. */
void mag_div(struct cmd *c, uint32_t *q, uint32_t *a, size_t an, const uint32_t *b, size_t bn);

/* A number not yet shared, with room for len limbs, zeroed. */
struct num *num_new(struct cmd *c, size_t len, size_t scale);
/* Drops zeros in front, and the sign of zero. */
struct num *num_settle(struct num *x);
/* Limbs multiplied by 10^k, or divided and truncated. The scale stays. */
struct num *num_shift_up(struct cmd *c, const struct num *a, size_t k);
struct num *num_shift_down(struct cmd *c, const struct num *a, size_t k);

#endif
