/* SPDX-License-Identifier: MIT
 *
 * Arithmetic on numbers with 64-bit mantissas: each result is the exact one, rounded once.
 *
 * An exact result is kept in 128 bits; what does not fit is remembered in its lowest bit.
 * Exponents have no bounds here: no command comes near those of long double.
 */
#include "base/number.h"

typedef unsigned __int128 wide;

static struct real real_of_parts(bool negative, wide mant, int exp)
{
	struct real r = { .kind = REAL_FINITE, .negative = negative };

	if (mant == 0)
		return (struct real){ .kind = REAL_ZERO };
	if (mant >> 64 != 0) {
		int drop = 64 - __builtin_clzll((uint64_t)(mant >> 64));
		wide low = mant & (((wide)1 << drop) - 1);
		wide half = (wide)1 << (drop - 1);

		mant >>= drop;
		exp += drop;
		if (low > half || (low == half && (mant & 1) != 0))
			mant++;
		if (mant >> 64 != 0) {
			mant >>= 1;
			exp++;
		}
	}
	int shift = __builtin_clzll((uint64_t)mant);

	r.mant = (uint64_t)mant << shift;
	r.exp = exp - shift;
	return r;
}

struct real real_mul(struct real a, struct real b)
{
	bool negative = a.negative != b.negative;

	if (a.kind == REAL_NAN || b.kind == REAL_NAN)
		return (struct real){ .kind = REAL_NAN };
	if (a.kind == REAL_INF || b.kind == REAL_INF)
		return (struct real){ .kind = a.kind == REAL_ZERO || b.kind == REAL_ZERO ? REAL_NAN
											 : REAL_INF,
				      .negative = negative };
	if (a.kind == REAL_ZERO || b.kind == REAL_ZERO)
		return (struct real){ .kind = REAL_ZERO, .negative = negative };
	return real_of_parts(negative, (wide)a.mant * b.mant, a.exp + b.exp);
}

struct real real_div(struct real a, struct real b)
{
	bool negative = a.negative != b.negative;

	if (a.kind == REAL_NAN || b.kind == REAL_NAN ||
	    (a.kind == b.kind && (a.kind == REAL_ZERO || a.kind == REAL_INF)))
		return (struct real){ .kind = REAL_NAN };
	if (a.kind == REAL_INF || b.kind == REAL_ZERO)
		return (struct real){ .kind = REAL_INF, .negative = negative };
	if (a.kind == REAL_ZERO || b.kind == REAL_INF)
		return (struct real){ .kind = REAL_ZERO, .negative = negative };
	/* In two steps, for more bits of the quotient than are kept; then what remains. */
	wide top = (wide)a.mant << 64;
	wide high = top / b.mant;
	wide rest = (top - high * b.mant) << 62;
	wide low = rest / b.mant;
	bool inexact = rest != low * b.mant;

	return real_of_parts(negative, high << 62 | low | inexact, a.exp - b.exp - 126);
}

struct real real_add(struct real a, struct real b)
{
	if (a.kind == REAL_NAN || b.kind == REAL_NAN ||
	    (a.kind == REAL_INF && b.kind == REAL_INF && a.negative != b.negative))
		return (struct real){ .kind = REAL_NAN };
	if (a.kind == REAL_ZERO && b.kind == REAL_ZERO)
		return (struct real){ .kind = REAL_ZERO, .negative = a.negative && b.negative };
	if (a.kind == REAL_ZERO || b.kind == REAL_INF)
		return b;
	if (b.kind == REAL_ZERO || a.kind == REAL_INF)
		return a;
	if (a.exp < b.exp || (a.exp == b.exp && a.mant < b.mant)) {
		struct real t = a;

		a = b;
		b = t;
	}
	int shift = a.exp - b.exp;
	wide big = (wide)a.mant << 62;
	wide small = (wide)b.mant << 62;
	wide rest = shift < 127 ? small & (((wide)1 << shift) - 1) : small;

	small = shift < 127 ? small >> shift : 0;
	if (a.negative == b.negative)
		return real_of_parts(a.negative, (big + small) | (rest != 0), a.exp - 62);
	return real_of_parts(a.negative, (big - small - (rest != 0)) | (rest != 0), a.exp - 62);
}

struct real real_negate(struct real a)
{
	a.negative = !a.negative;
	return a;
}

static int sign_of(struct real a)
{
	return a.kind == REAL_ZERO ? 0 : a.negative ? -1 : 1;
}

int real_compare(struct real a, struct real b)
{
	int sign = sign_of(a);
	int order = 0;

	if (sign != sign_of(b))
		return sign < sign_of(b) ? -1 : 1;
	if (sign == 0 || (a.kind == REAL_INF && b.kind == REAL_INF))
		return 0;
	if (a.kind == REAL_INF || b.kind == REAL_INF)
		order = a.kind == REAL_INF ? 1 : -1;
	else if (a.exp != b.exp)
		order = a.exp < b.exp ? -1 : 1;
	else if (a.mant != b.mant)
		order = a.mant < b.mant ? -1 : 1;
	return sign < 0 ? -order : order;
}
