/* SPDX-License-Identifier: MIT
 *
 * awk -M: values, rounding, arithmetic.
 *
 * A float is kept as the decimal number that it is exactly. To round one, it is divided by the
 * power of 2 that leaves PREC bits in front of the point.
 */
#include "builtins/awk/big.h"

#include <math.h>

enum { EXACT_DIGITS = 15, POWER_DIGITS_MAX = 200000 };

/* --- values --- */

void awk_big_put(struct awk *a, struct big *b)
{
	if (--b->refs > 0)
		return;
	num_put(a->c, b->n);
	pool_free(a->pool, b, sizeof *b);
}

struct big *awk_big_get(struct big *b)
{
	b->refs++;
	return b;
}

struct val awk_big_make(struct awk *a, struct num *n, bool is_float)
{
	struct big *b = pool_alloc(a->pool, sizeof *b);

	*b = (struct big){ .refs = 1, .is_float = is_float, .n = n };
	return (struct val){ .kind = VAL_BIG, .u.big = b };
}

struct val awk_big_whole(struct awk *a, struct num *n)
{
	bool fits;
	int64_t v = num_to_i64(n, &fits);

	if (!fits || v > INT64_C(1) << DOUBLE_BITS || v < -(INT64_C(1) << DOUBLE_BITS))
		return awk_big_make(a, n, false);
	num_put(a->c, n);
	return val_num((double)v);
}

bool awk_big_is_whole(const struct val *v)
{
	if (v->kind == VAL_BIG)
		return !v->u.big->is_float;
	return v->assigned != NUM_FLOAT && v->u.num == floor(v->u.num);
}

bool awk_big_quick(struct awk *a, double d, struct val *out)
{
	*out = val_num(d);
	if (!big_is_double(a) || !isnormal(d))
		return false;
	if (d == floor(d))
		out->assigned = NUM_FLOAT;
	return true;
}

static struct num *power_of(struct awk *a, int64_t base, int64_t k)
{
	struct num *b = num_of_i64(a->c, base);
	struct num *p = num_pow(a->c, b, k, 0);

	num_put(a->c, b);
	return p;
}

/* x / 2^e, exactly. */
static struct num *scaled(struct awk *a, const struct num *x, int64_t e)
{
	struct num *p = power_of(a, e <= 0 ? 2 : 5, e <= 0 ? -e : e);
	struct num *y = num_mul(a->c, x, p, x->scale);

	num_put(a->c, p);
	y->scale += e > 0 ? (size_t)e : 0;
	return y;
}

static struct num *num_of_double(struct awk *a, double d)
{
	int e;
	double m = frexp(d, &e);
	struct num *whole = num_of_i64(a->c, (int64_t)ldexp(m, DOUBLE_BITS));
	struct num *x = scaled(a, whole, DOUBLE_BITS - e);

	num_put(a->c, whole);
	return x;
}

struct num *awk_big_num(struct awk *a, const struct val *v)
{
	if (v->kind == VAL_BIG)
		return num_get(v->u.big->n);
	if (v->u.num == floor(v->u.num) && fabs(v->u.num) < 0x1p62)
		return num_of_i64(a->c, (int64_t)v->u.num);
	return num_of_double(a, v->u.num);
}

static struct bytes text_of(struct awk *a, struct buf *out, const struct num *x)
{
	struct num *ten = num_of_i64(a->c, 10);

	num_format(a->c, out, x, ten, true);
	num_put(a->c, ten);
	return buf_bytes(out);
}

double awk_big_to_double(struct awk *a, const struct big *b)
{
	struct arena_mark mark = arena_mark(&a->scratch);
	struct buf text = buf_in(&a->scratch);
	double d = 0;

	number_parse_double(text_of(a, &text, b->n), &d, NULL);
	arena_release(&a->scratch, mark);
	return d;
}

/* --- rounding --- */

double awk_big_log2(const struct num *n)
{
	double top = 0;
	size_t used = 0;

	while (used < 3 && used < n->len)
		top = top * NUM_BASE + n->limb[n->len - ++used];
	return (log(top) + ((double)(n->len - used) * NUM_DIGITS - (double)n->scale) * log(10)) /
	       log(2);
}

struct num *awk_big_truncate(struct awk *a, const struct num *n)
{
	return num_settle(num_rescale(a->c, n, 0));
}

/* Whether what is left behind m makes it larger by one; |rest| < 1. */
static bool rounds_up(struct awk *a, const struct num *m, struct num *rest)
{
	struct num *half = num_of_i64(a->c, 5);
	bool negative = rest->negative;

	half->scale = 1;
	rest->negative = false;
	int order = num_cmp(a->c, rest, half);

	num_put(a->c, half);
	switch (a->round) {
	case 'Z': return false;
	case 'U': return !negative;
	case 'D': return negative;
	case 'A': return true;
	default: return order > 0 || (order == 0 && m->len > 0 && (m->limb[0] & 1) != 0);
	}
}

/* -1, 1: |m| has fewer or more bits than PREC. */
static int compare_bits(struct awk *a, const struct num *m)
{
	struct num *low = power_of(a, 2, a->prec - 1);
	struct num *high = power_of(a, 2, a->prec);
	int order = mag_cmp(m->limb, m->len, low->limb, low->len) < 0      ? -1
		    : mag_cmp(m->limb, m->len, high->limb, high->len) >= 0 ? 1
									   : 0;

	num_put(a->c, low);
	num_put(a->c, high);
	return order;
}

/* x to PREC bits; x is not 0. */
static struct num *round_bits(struct awk *a, const struct num *x)
{
	int64_t e = (int64_t)floor(awk_big_log2(x)) - (a->prec - 1);
	struct num *y = scaled(a, x, e);
	struct num *m = awk_big_truncate(a, y);
	int off;

	while ((off = compare_bits(a, m)) != 0) {
		e += off;
		big_set(a, &y, scaled(a, x, e));
		big_set(a, &m, awk_big_truncate(a, y));
	}
	struct num *rest = num_sub(a->c, y, m, y->scale);

	if (!num_is_zero(rest) && rounds_up(a, m, rest)) {
		struct num *one = num_of_i64(a->c, y->negative ? -1 : 1);

		big_set(a, &m, num_add(a->c, m, one, 0));
		num_put(a->c, one);
	}
	big_set(a, &y, scaled(a, m, -e));
	num_put(a->c, m);
	num_put(a->c, rest);
	return y;
}

struct val awk_big_float(struct awk *a, struct num *n)
{
	struct val v;
	double log2;

	if (num_is_zero(n)) {
		num_put(a->c, n);
		return (struct val){ .kind = VAL_NUM, .assigned = NUM_FLOAT };
	}
	log2 = awk_big_log2(n);
	if (fabs(log2) > BIG_EXPONENT_MAX) {
		v = val_num(log2 < 0 ? 0 : n->negative ? -HUGE_VAL : HUGE_VAL);
		num_put(a->c, n);
		return v;
	}
	v = awk_big_make(a, round_bits(a, n), true);
	num_put(a->c, n);
	if (a->prec > DOUBLE_BITS || fabs(log2) > 1000)
		return v;
	double d = awk_big_to_double(a, v.u.big);

	awk_big_put(a, v.u.big);
	v = val_num(d);
	v.assigned = d == floor(d) ? NUM_FLOAT : 0;
	return v;
}

/* --- arithmetic --- */

/* x / y, with so many digits that it rounds as the true one does. */
struct num *awk_big_quotient(struct awk *a, const struct num *x, const struct num *y)
{
	if (num_is_zero(x))
		return num_of_i64(a->c, 0);
	double bits = awk_big_log2(x) - awk_big_log2(y) - (double)a->prec;
	size_t digits = bits < 0 ? (size_t)-bits + 4 : 4;
	struct num *rest;
	struct num *q;

	rest = num_mod(a->c, x, y, digits, &q);
	/* What is cut off counts as a little. */
	if (!num_is_zero(rest)) {
		struct num *little = num_of_i64(a->c, x->negative != y->negative ? -1 : 1);

		little->scale = digits + 1;
		big_set(a, &q, num_add(a->c, q, little, digits + 1));
		num_put(a->c, little);
	}
	num_put(a->c, rest);
	return q;
}

static struct val divide(struct awk *a, const struct num *x, const struct num *y, bool whole)
{
	if (whole) {
		struct num *q;
		struct num *rest = num_mod(a->c, x, y, 0, &q);
		bool exact = num_is_zero(rest);

		num_put(a->c, rest);
		if (exact)
			return awk_big_whole(a, q);
		num_put(a->c, q);
	}
	return awk_big_float(a, awk_big_quotient(a, x, y));
}

static struct num *product(struct awk *a, const struct num *x, const struct num *y)
{
	return num_mul(a->c, x, y, x->scale + y->scale);
}

/* x to the power of the whole number k, which is not negative. */
static struct num *whole_power(struct awk *a, const struct num *x, int64_t k)
{
	return num_pow(a->c, x, k, x->scale * (size_t)k);
}

static struct val power(struct awk *a, const struct val *vx, const struct val *vy)
{
	struct num *x = awk_big_num(a, vx);
	struct num *y = awk_big_num(a, vy);
	struct num *trunc = awk_big_truncate(a, y);
	bool fits;
	int64_t k = num_to_i64(trunc, &fits);
	bool whole = fits && num_cmp(a->c, y, trunc) == 0;
	bool exact = awk_big_is_whole(vx) && awk_big_is_whole(vy) && k >= 0;
	double digits = (double)num_digits(x) * fabs((double)k);
	struct val result;

	if (whole && num_is_zero(x) && k < 0)
		result = val_num(HUGE_VAL);
	else if (whole && (exact || digits < POWER_DIGITS_MAX || num_is_zero(x))) {
		struct num *p = whole_power(a, x, k < 0 ? -k : k);

		if (k < 0) {
			struct num *one = num_of_i64(a->c, 1);

			big_set(a, &p, awk_big_quotient(a, one, p));
			num_put(a->c, one);
		}
		result = exact ? awk_big_whole(a, p) : awk_big_float(a, p);
	} else {
		result = awk_big_power(a, x, y, whole && k % 2 != 0, whole);
	}
	num_put(a->c, x);
	num_put(a->c, y);
	num_put(a->c, trunc);
	return result;
}

static struct val compute(struct awk *a, enum arith op, const struct val *vx, const struct val *vy)
{
	bool whole = awk_big_is_whole(vx) && awk_big_is_whole(vy);

	if (op == ARITH_POW)
		return power(a, vx, vy);
	struct num *x = awk_big_num(a, vx);
	struct num *y = awk_big_num(a, vy);
	size_t scale = x->scale > y->scale ? x->scale : y->scale;
	struct val v;

	if (op == ARITH_DIV) {
		v = divide(a, x, y, whole);
	} else {
		struct num *n = op == ARITH_ADD   ? num_add(a->c, x, y, scale)
				: op == ARITH_SUB ? num_sub(a->c, x, y, scale)
				: op == ARITH_MUL ? product(a, x, y)
						  : num_mod(a->c, x, y, 0, NULL);

		v = whole ? awk_big_whole(a, n) : awk_big_float(a, n);
	}
	num_put(a->c, x);
	num_put(a->c, y);
	return v;
}

/* As awk_arith, but a NaN that numbers make has no sign. */
static double positive_nan(struct awk *a, enum arith op, double p, double q)
{
	double d = awk_arith(a, op, p, q);

	return d == d ? d : p != p ? p : q != q ? q : (double)NAN;
}

/* Whether double is enough: whole numbers that stay small, floats of its precision. */
static bool is_easy(struct awk *a, enum arith op, const struct val *x, const struct val *y,
		    struct val *out)
{
	const double limit = 0x1p53;
	double p = x->u.num;
	double q = y->u.num;

	if (x->kind != VAL_NUM || y->kind != VAL_NUM)
		return false;
	double d = positive_nan(a, op, p, q);

	*out = val_num(d);
	if (p - p != 0 || q - q != 0)
		return true;

	if (!awk_big_is_whole(x) || !awk_big_is_whole(y)) {
		*out = (struct val){ .kind = VAL_NUM, .assigned = NUM_FLOAT };
		/* These are exact where they give 0. */
		if (d == 0 && (op == ARITH_ADD || op == ARITH_SUB || op == ARITH_MOD || p == 0))
			return true;
		return op != ARITH_POW && awk_big_quick(a, d, out);
	}
	*out = val_num(d + 0.0);
	if (fabs(d) >= limit)
		return false;
	if (op == ARITH_DIV && d != floor(d))
		return awk_big_quick(a, d, out);
	return op != ARITH_POW || q >= 0;
}

struct val awk_big_arith(struct awk *a, enum arith op, const struct val *vx, const struct val *vy)
{
	struct val x = awk_big_of(a, vx);
	struct val y = awk_big_of(a, vy);
	struct val out;

	if ((op == ARITH_DIV || op == ARITH_MOD) && y.kind == VAL_NUM && y.u.num == 0)
		awk_fatal(a, "division by zero attempted");
	if (!is_easy(a, op, &x, &y, &out)) {
		double p = x.kind == VAL_NUM ? x.u.num : 0;
		double q = y.kind == VAL_NUM ? y.u.num : 1;

		if (p - p != 0 || q - q != 0)
			out = val_num(positive_nan(a, op, val_to_num(a, &x), val_to_num(a, &y)));
		else
			out = compute(a, op, &x, &y);
	}
	val_put(a, x);
	val_put(a, y);
	return out;
}

struct val awk_big_negate(struct awk *a, const struct val *v)
{
	struct val x = awk_big_of(a, v);

	if (x.kind == VAL_NUM) {
		/* As gawk has it: a zero that had a sign is a float. */
		if (x.u.num == 0)
			return (struct val){ .kind = VAL_NUM, .assigned = NUM_FLOAT };
		x.u.num = -x.u.num;
		if (big_is_double(a) || awk_big_is_whole(&x) || x.u.num - x.u.num != 0)
			return x;
		return awk_big_float(a, awk_big_num(a, &x));
	}
	struct num *n = num_neg(a->c, x.u.big->n);
	struct val out = x.u.big->is_float ? awk_big_float(a, n) : awk_big_whole(a, n);

	val_put(a, x);
	return out;
}

int awk_big_compare(struct awk *a, const struct val *vx, const struct val *vy)
{
	struct val x = awk_big_of(a, vx);
	struct val y = awk_big_of(a, vy);
	double p = x.kind == VAL_NUM ? x.u.num : 0;
	double q = y.kind == VAL_NUM ? y.u.num : 0;
	int order;

	if (p != p || q != q) {
		order = (p != p) - (q != q);
	} else if (p - p != 0 || q - q != 0 || (x.kind == VAL_NUM && y.kind == VAL_NUM)) {
		order = p < q ? -1 : p > q;
	} else {
		struct num *m = awk_big_num(a, &x);
		struct num *n = awk_big_num(a, &y);

		order = num_cmp(a->c, m, n);
		num_put(a->c, m);
		num_put(a->c, n);
	}
	val_put(a, x);
	val_put(a, y);
	return order;
}

/* --- out of text --- */

/* Digits of a base that is a power of 2: how many. */
static size_t read_base(struct awk *a, struct bytes s, unsigned base, struct num **out)
{
	size_t n = 0;

	while (n < s.len && byte_is_xdigit(s.ptr[n]) && (unsigned)byte_digit(s.ptr[n]) < base)
		n++;
	struct buf upper = buf_in(&a->scratch);

	for (size_t i = 0; i < n; i++)
		buf_putc(&upper, (char)byte_to_upper((unsigned char)s.ptr[i]));
	*out = num_parse(a->c, buf_bytes(&upper), base, false);
	return n;
}

/* 0x11, 011; false: it is decimal. */
static bool read_other_base(struct awk *a, struct bytes s, struct val *out)
{
	bool negative = s.len > 0 && s.ptr[0] == '-';
	struct num *n;
	size_t end;

	s = bytes_slice(s, s.len > 0 && (negative || s.ptr[0] == '+'), s.len);
	if (s.len < 2 || s.ptr[0] != '0')
		return false;
	if ((s.ptr[1] | 0x20) == 'x') {
		read_base(a, bytes_slice(s, 2, s.len), 16, &n);
	} else {
		end = read_base(a, s, 8, &n);
		if (end < s.len && (byte_is_digit(s.ptr[end]) || s.ptr[end] == '.' ||
				    (s.ptr[end] | 0x20) == 'e')) {
			num_put(a->c, n);
			return false;
		}
	}
	n->negative = negative && !num_is_zero(n);
	*out = awk_big_whole(a, n);
	return true;
}

/* A float: digits with a point up to `mantissa`, an exponent behind. */
static struct val read_float(struct awk *a, struct bytes s, size_t mantissa, bool negative)
{
	int64_t e = 0;
	struct val v;
	double d = 0;

	number_parse_double(s, &d, NULL);
	if (awk_big_quick(a, d, &v))
		return v;
	if (mantissa + 1 < s.len) {
		bool down = s.ptr[mantissa + 1] == '-';

		for (size_t i = mantissa + 1; i < s.len; i++)
			if (byte_is_digit(s.ptr[i]) && e <= BIG_EXPONENT_MAX)
				e = e * 10 + (s.ptr[i] - '0');
		e = down ? -e : e;
	}
	size_t sign = s.ptr[0] == '-' || s.ptr[0] == '+';
	struct num *n = num_parse(a->c, bytes_slice(s, sign, mantissa), 10, false);

	n->negative = negative && !num_is_zero(n);
	if (e > BIG_EXPONENT_MAX || e < -BIG_EXPONENT_MAX) {
		v = val_num(e < 0 || num_is_zero(n) ? 0 : negative ? -HUGE_VAL : HUGE_VAL);
		num_put(a->c, n);
		return v;
	}
	if (e > 0)
		big_set(a, &n, num_shift_up(a->c, n, (size_t)e));
	else
		n->scale += (size_t)-e;
	return awk_big_float(a, n);
}

static size_t skip_digits(struct bytes s, size_t i)
{
	while (i < s.len && byte_is_digit(s.ptr[i]))
		i++;
	return i;
}

struct val awk_big_parse(struct awk *a, struct bytes s, bool bases)
{
	struct val out;

	while (s.len > 0 && byte_is_space((unsigned char)s.ptr[0]))
		s = bytes_slice(s, 1, s.len);
	if (bases && read_other_base(a, s, &out))
		return out;
	bool negative = s.len > 0 && s.ptr[0] == '-';
	size_t sign = s.len > 0 && (negative || s.ptr[0] == '+');
	size_t i = skip_digits(s, sign);
	size_t digits = i - sign;
	bool is_float = i < s.len && s.ptr[i] == '.';

	if (is_float) {
		size_t end = skip_digits(s, i + 1);

		digits += end - i - 1;
		i = end;
	}
	if (digits == 0)
		return val_num(awk_text_to_num(a, s));
	size_t mantissa = i;

	if (i < s.len && (s.ptr[i] | 0x20) == 'e') {
		size_t e = i + 1;

		e += e < s.len && (s.ptr[e] == '+' || s.ptr[e] == '-');
		if (skip_digits(s, e) > e) {
			i = skip_digits(s, e);
			is_float = true;
		}
	}
	s = bytes_slice(s, 0, i);
	if (is_float)
		return read_float(a, s, mantissa, negative);
	if (digits <= EXACT_DIGITS)
		return val_num(awk_text_to_num(a, s) + 0.0);
	struct num *n = num_parse(a->c, bytes_slice(s, sign, i), 10, false);

	n->negative = negative && !num_is_zero(n);
	return awk_big_whole(a, n);
}

struct val awk_big_of(struct awk *a, const struct val *v)
{
	switch (v->kind) {
	case VAL_NUM:
	case VAL_BIG: return val_get(*v);
	case VAL_STR:
	case VAL_INPUT:
	case VAL_REGEX: return awk_big_parse(a, str_bytes(v->u.str), a->o->non_decimal);
	case VAL_VIEW:
		return awk_big_parse(a, (struct bytes){ v->u.view, v->len }, a->o->non_decimal);
	case VAL_ARRAY: awk_array_as_scalar(a, BYTES(""), v->u.array);
	default: return val_num(0);
	}
}
