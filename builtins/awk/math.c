/* SPDX-License-Identifier: MIT
 *
 * awk's functions on numbers: mathematics and bits.
 */
#include <math.h>

#include "builtins/awk/code.h"

static void warn_negative(struct awk *a, const char *name, double d)
{
	struct text_room tmp;
	struct bytes text = awk_num_text(a, d, SP_CONVFMT, &tmp);

	if (d < 0)
		awk_warn(a, "%s: received negative argument %.*s", name, (int)text.len, text.ptr);
}

/* By squaring, as gawk does: pow rounds once, so its last digits are others. */
static double whole_power(double x, uint64_t n)
{
	double rest = 1;

	for (; n > 1; n /= 2) {
		if (n % 2 == 1)
			rest *= x;
		x *= x;
	}
	return rest * x;
}

double awk_power(double x, double y)
{
	if (y == 0)
		return 1;
	if (!(fabs(y) < 0x1p63) || y != trunc(y))
		return pow(x, y);
	return y > 0 ? whole_power(x, (uint64_t)y) : 1 / whole_power(x, (uint64_t)-y);
}

static double truncated(double d)
{
	return d < 0 ? ceil(d) : floor(d);
}

static double exponential(struct awk *a, double x)
{
	double y = exp(x);
	struct text_room tmp;

	if (x - x == 0 && (y - y != 0 || y == 0)) {
		struct bytes text = awk_num_text(a, x, SP_CONVFMT, &tmp);

		awk_warn(a, "exp: argument %.*s is out of range", (int)text.len, text.ptr);
	}
	return y;
}

/* What -M calculates in its own way. */
static struct val big_math(struct awk *a, unsigned id, struct val *args, int n)
{
	double x = val_to_num(a, &args[0]);

	if (x < 0 && (id == FN_LOG || id == FN_SQRT))
		warn_negative(a, id == FN_LOG ? "log" : "sqrt", x);
	return id == FN_INT ? awk_big_int(a, &args[0]) : awk_big_math(a, id, args, n);
}

struct val awk_fn_math(struct awk *a, unsigned id, struct val *args, int n)
{
	if (a->o->bignum && id != FN_SRAND && id != FN_RAND)
		return big_math(a, id, args, n);

	double x = n > 0 && id != FN_SRAND ? val_to_num(a, &args[0]) : 0;

	switch (id) {
	case FN_ATAN2: return val_num(atan2(x, val_to_num(a, &args[1])));
	case FN_COS: return val_num(awk_made(cos(x), x, x));
	case FN_SIN: return val_num(awk_made(sin(x), x, x));
	case FN_EXP: return val_num(exponential(a, x));
	case FN_INT: return val_num(truncated(x));
	case FN_LOG: warn_negative(a, "log", x); return val_num(awk_made(log(x), x, x));
	case FN_SQRT:
		if (x < 0)
			warn_negative(a, "sqrt", x);
		return val_num(awk_made(sqrt(x), x, x));
	case FN_SRAND: return val_num(awk_random_reseed(a, args, n));
	default: return val_num(awk_random_next(a));
	}
}

/* --- bits --- */

static uint64_t bits_of(struct awk *a, const char *name, struct val *args, int i)
{
	double d = val_to_num(a, &args[i]);
	struct text_room tmp;

	if (d < 0) {
		struct bytes text = awk_num_text(a, d, SP_CONVFMT, &tmp);

		awk_fatal(a, "%s: argument %d negative value %.*s is not allowed", name, i + 1,
			  (int)text.len, text.ptr);
	}
	return d < 18446744073709551615.0 ? (uint64_t)d : UINT64_MAX;
}

/* As gawk: what a double can't hold exactly loses its highest bits, not its lowest. */
static struct val from_bits(uint64_t v)
{
	const uint64_t limit = (uint64_t)1 << 53;

	if (v >= limit) {
		unsigned low = 0;

		while (!(v >> low & 1))
			low++;
		uint64_t mask = low < 11 ? (limit << low) - 1 : UINT64_MAX;

		v &= mask;
	}
	return val_num((double)v);
}

static void need_numbers(struct awk *a, const char *name, struct val *args, int n)
{
	for (int i = 0; i < n; i++)
		if (args[i].kind == VAL_ARRAY)
			awk_fatal(a, "%s: argument %d is non-numeric", name, i + 1);
}

struct val awk_fn_bits(struct awk *a, unsigned id, struct val *args, int n)
{
	const char *name = awk_fn_rows[id].name;

	need_numbers(a, name, args, n);
	if (a->o->bignum)
		return awk_big_bits(a, id, args, n);
	uint64_t v = bits_of(a, name, args, 0);

	if (id == FN_COMPL)
		return from_bits(~v & (((uint64_t)1 << 53) - 1));
	for (int i = 1; i < n; i++) {
		uint64_t w = bits_of(a, name, args, i);

		switch (id) {
		case FN_AND: v &= w; break;
		case FN_OR: v |= w; break;
		case FN_XOR: v ^= w; break;
		case FN_LSHIFT: v = w < 64 ? v << w : 0; break;
		default: v = w < 64 ? v >> w : 0; break;
		}
	}
	return from_bits(v);
}

struct val awk_fn_strtonum(struct awk *a, struct val *v)
{
	struct text_room tmp;

	if (a->o->bignum)
		return v->kind == VAL_NUM || v->kind == VAL_BIG
			       ? awk_big_of(a, v)
			       : awk_big_parse(a, awk_val_text(a, v, &tmp), true);
	if (v->kind == VAL_NUM ||
	    (v->kind == VAL_INPUT && awk_val_is_numeric(a, v) && str_bytes(v->u.str).ptr[0] != '0'))
		return val_num(val_to_num(a, v));
	return val_num(awk_strtonum_text(a, awk_val_text(a, v, &tmp)));
}
