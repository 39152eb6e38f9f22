/* SPDX-License-Identifier: MIT
 *
 * awk -M: mathematics and bits.
 */
#include "builtins/awk/big.h"

#include <math.h>

enum { GUARD_DIGITS = 12, CHUNK_BITS = 28, SHIFT_MAX = 1 << 28, WORD_BITS = 64 };

/* Decimal digits that are as good as PREC bits, and some more. */
static size_t digits_of(const struct awk *a)
{
	return (size_t)((double)a->prec * 0.30103) + GUARD_DIGITS;
}

/* Digits behind the point for a result of about 2^log2. */
static size_t scale_for(const struct awk *a, double log2)
{
	return digits_of(a) + (log2 < 0 ? (size_t)(-log2 * 0.30103) + 1 : 0);
}

static struct num *call(struct awk *a, char name, struct num *x, size_t scale)
{
	return bc_math(a->c, name, &x, scale);
}

/* e^x; NULL: it is too large or too small, *out is what it is then. */
static struct num *exponential(struct awk *a, struct num *x, double *out)
{
	double log2 = num_is_zero(x) ? 0 : exp(awk_big_log2(x) * log(2)) / log(2);

	log2 = x->negative ? -log2 : log2;
	*out = log2 < 0 ? 0 : HUGE_VAL;
	return fabs(log2) > BIG_EXPONENT_MAX ? NULL : call(a, 'e', x, scale_for(a, log2));
}

/* log(x), x > 0: near 1 it is small. */
static struct num *logarithm(struct awk *a, struct num *x, size_t more)
{
	struct num *one = num_of_i64(a->c, 1);
	struct num *off = num_sub(a->c, x, one, x->scale);
	double log2 = num_is_zero(off) ? 0 : awk_big_log2(off);
	struct num *out = call(a, 'l', x, scale_for(a, log2) + more);

	num_put(a->c, one);
	num_put(a->c, off);
	return out;
}

struct val awk_big_power(struct awk *a, struct num *x, struct num *y, bool odd, bool whole)
{
	bool negative = x->negative;
	double infinite;
	struct val v;

	if (num_is_zero(x))
		return val_num(y->negative ? HUGE_VAL : 0);
	if (negative && !whole)
		return val_num((double)NAN);
	struct num *base = negative ? num_neg(a->c, x) : num_get(x);
	struct num *log = logarithm(a, base, num_digits(y));
	struct num *product = num_mul(a->c, log, y, log->scale + y->scale);
	struct num *p = exponential(a, product, &infinite);

	num_put(a->c, base);
	num_put(a->c, log);
	num_put(a->c, product);
	if (p == NULL)
		return val_num(negative && odd ? -infinite : infinite);
	if (negative && odd)
		big_set(a, &p, num_neg(a->c, p));
	v = awk_big_float(a, p);
	return v;
}

static struct val root(struct awk *a, struct num *x)
{
	size_t scale = scale_for(a, num_is_zero(x) ? 0 : awk_big_log2(x) / 2) + (size_t)a->prec;
	struct num *r = num_sqrt(a->c, x, scale);
	struct num *square = num_mul(a->c, r, r, r->scale * 2);

	/* What is cut off counts as a little. */
	if (num_cmp(a->c, square, x) < 0) {
		struct num *little = num_of_i64(a->c, 1);

		little->scale = r->scale + 1;
		big_set(a, &r, num_add(a->c, r, little, r->scale + 1));
		num_put(a->c, little);
	}
	num_put(a->c, square);
	return awk_big_float(a, r);
}

static struct num *quarter_turns(struct awk *a, int64_t n, size_t scale)
{
	struct num *one = num_of_i64(a->c, 1);
	struct num *times = num_of_i64(a->c, n);
	struct num *eighth = call(a, 'a', one, scale);
	struct num *out = num_mul(a->c, eighth, times, scale);

	num_put(a->c, one);
	num_put(a->c, times);
	num_put(a->c, eighth);
	return out;
}

static struct val arc_tangent(struct awk *a, struct num *y, struct num *x)
{
	size_t scale = digits_of(a);
	struct num *angle;

	if (num_is_zero(x) && num_is_zero(y))
		return val_num(0);
	if (num_is_zero(x)) {
		angle = quarter_turns(a, y->negative ? -2 : 2, scale);
	} else {
		double log2 = num_is_zero(y) ? 0 : awk_big_log2(y) - awk_big_log2(x);

		scale = scale_for(a, log2);
		struct num *q = num_div(a->c, y, x, scale);

		angle = call(a, 'a', q, scale);
		num_put(a->c, q);
		if (x->negative) {
			struct num *half = quarter_turns(a, y->negative ? -4 : 4, scale);

			big_set(a, &angle, num_add(a->c, angle, half, scale));
			num_put(a->c, half);
		}
	}
	return awk_big_float(a, angle);
}

/* What the processor calculates, if that is as good. */
static bool is_easy(struct awk *a, unsigned id, const struct val *x, const struct val *y,
		    struct val *out)
{
	double d = x->u.num;

	if (x->kind != VAL_NUM || (y != NULL && y->kind != VAL_NUM))
		return false;
	if (y == NULL && d - d == 0 && awk_big_is_whole(x) && !(id == FN_LOG && d == 0))
		return false;
	double r = id == FN_SQRT  ? sqrt(d)
		   : id == FN_EXP ? exp(d)
		   : id == FN_LOG ? log(d)
		   : id == FN_SIN ? sin(d)
		   : id == FN_COS ? cos(d)
				  : atan2(d, y->u.num);
	bool special = d - d != 0 || r != r || (id == FN_LOG && d == 0) ||
		       (y != NULL && y->u.num - y->u.num != 0);

	if (!special)
		return awk_big_quick(a, r, out);
	*out = val_num(r != r ? (double)NAN : r);
	return true;
}

static struct val calculate(struct awk *a, unsigned id, const struct val *vx, const struct val *vy)
{
	struct num *x = awk_big_num(a, vx);
	struct num *y = vy != NULL ? awk_big_num(a, vy) : NULL;
	double infinite;
	struct num *n = NULL;
	struct val v = val_num((double)NAN);

	switch (id) {
	case FN_SQRT: v = x->negative ? v : root(a, x); break;
	case FN_ATAN2: v = arc_tangent(a, x, y); break;
	case FN_EXP:
		n = exponential(a, x, &infinite);
		v = n != NULL ? awk_big_float(a, n) : val_num(infinite);
		break;
	case FN_LOG: v = x->negative ? v : awk_big_float(a, logarithm(a, x, 0)); break;
	default:
		v = awk_big_float(
			a, call(a, id == FN_SIN ? 's' : 'c', x, digits_of(a) + (size_t)a->prec));
	}
	num_put(a->c, x);
	num_put(a->c, y);
	return v;
}

struct val awk_big_math(struct awk *a, unsigned id, struct val *args, int n)
{
	struct val x = awk_big_of(a, &args[0]);
	struct val y = n > 1 ? awk_big_of(a, &args[1]) : val_num(0);
	struct val out;

	if (!is_easy(a, id, &x, n > 1 ? &y : NULL, &out)) {
		int prec = a->prec;

		/* As gawk has it: a whole number that fits in there counts as a float of 64. */
		if (n == 1 && x.kind == VAL_NUM && awk_big_is_whole(&x) && prec < WORD_BITS)
			a->prec = WORD_BITS;
		out = calculate(a, id, &x, n > 1 ? &y : NULL);
		a->prec = prec;
	}
	val_put(a, x);
	val_put(a, y);
	return out;
}

struct val awk_big_int(struct awk *a, const struct val *v)
{
	struct val x = awk_big_of(a, v);
	struct val out;

	if (x.kind == VAL_NUM && !(fabs(x.u.num) > 0x1p53))
		return val_num(trunc(x.u.num) + 0.0);
	if (x.kind == VAL_NUM && x.u.num - x.u.num != 0)
		return val_num(x.u.num);
	struct num *n = awk_big_num(a, &x);

	out = awk_big_whole(a, awk_big_truncate(a, n));
	num_put(a->c, n);
	val_put(a, x);
	return out;
}

/* --- bits --- */

struct bits {
	uint32_t *chunk; /* of CHUNK_BITS, the lowest first */
	size_t n;
};

static struct bits bits_of(struct awk *a, const struct num *x)
{
	struct bits b = { arena_array(&a->scratch, x->len * 2 + 1, sizeof(uint32_t)), 0 };
	uint32_t *limb = arena_array(&a->scratch, x->len + 1, sizeof *limb);
	size_t n = x->len;

	memcpy(limb, x->limb, n * sizeof *limb);
	while (n > 0) {
		b.chunk[b.n++] = mag_div_small(limb, n, 1u << CHUNK_BITS);
		n = mag_trim(limb, n);
		cmd_charge(a->c, n / 16 + 1);
	}
	return b;
}

static struct num *num_of_bits(struct awk *a, const struct bits *b)
{
	struct num *x = num_new(a->c, b->n + 2, 0);
	size_t n = 0;

	for (size_t i = b->n; i-- > 0;) {
		uint32_t carry = mag_mul_small(x->limb, n, 1u << CHUNK_BITS, b->chunk[i]);

		for (; carry != 0; carry /= NUM_BASE)
			x->limb[n++] = carry % NUM_BASE;
		cmd_charge(a->c, n / 16 + 1);
	}
	return num_settle(x);
}

static struct num *combine(struct awk *a, unsigned id, const struct num *x, const struct num *y)
{
	struct bits p = bits_of(a, x);
	struct bits q = bits_of(a, y);
	struct bits out = { arena_array(&a->scratch, p.n + q.n + 1, sizeof(uint32_t)),
			    p.n > q.n ? p.n : q.n };

	for (size_t i = 0; i < out.n; i++) {
		uint32_t m = i < p.n ? p.chunk[i] : 0;
		uint32_t n = i < q.n ? q.chunk[i] : 0;

		out.chunk[i] = id == FN_AND ? m & n : id == FN_OR ? m | n : m ^ n;
	}
	return num_of_bits(a, &out);
}

static struct num *shift(struct awk *a, unsigned id, const struct num *x, const struct num *by)
{
	bool fits;
	int64_t n = num_to_i64(by, &fits);
	struct num *two = num_of_i64(a->c, 2);
	struct num *p;
	struct num *out;

	if (!fits || n > SHIFT_MAX) {
		if (id == FN_LSHIFT && !num_is_zero(x))
			awk_fatal(a, "lshift: the result is too large");
		n = 0;
		x = two;
		id = FN_COUNT;
	}
	p = num_pow(a->c, two, n, 0);
	out = id == FN_COUNT    ? num_of_i64(a->c, 0)
	      : id == FN_LSHIFT ? num_mul(a->c, x, p, 0)
				: num_div(a->c, x, p, 0);
	num_put(a->c, p);
	num_put(a->c, two);
	return out;
}

static struct num *whole_argument(struct awk *a, const char *name, struct val *args, int i,
				  bool signs)
{
	struct val v = awk_big_int(a, &args[i]);
	struct text_room tmp;

	if (v.kind == VAL_NUM && v.u.num - v.u.num != 0)
		v = val_num(0);
	struct num *n = awk_big_num(a, &v);
	struct bytes text = awk_val_text(a, &v, &tmp);

	if (n->negative && !signs)
		awk_fatal(a, "%s: argument #%d negative value %.*s is not allowed", name, i + 1,
			  (int)text.len, text.ptr);
	val_put(a, v);
	return n;
}

struct val awk_big_bits(struct awk *a, unsigned id, struct val *args, int n)
{
	const char *name = awk_fn_rows[id].name;
	struct num *x = whole_argument(a, name, args, 0, id == FN_COMPL);

	if (id == FN_COMPL) {
		struct num *one = num_of_i64(a->c, -1);

		big_set(a, &x, num_neg(a->c, x));
		big_set(a, &x, num_add(a->c, x, one, 0));
		num_put(a->c, one);
	}
	for (int i = 1; i < n; i++) {
		struct arena_mark mark = arena_mark(&a->scratch);
		struct num *y = whole_argument(a, name, args, i, false);

		big_set(a, &x,
			id == FN_LSHIFT || id == FN_RSHIFT ? shift(a, id, x, y)
							   : combine(a, id, x, y));
		num_put(a->c, y);
		arena_release(&a->scratch, mark);
	}
	return awk_big_whole(a, x);
}
