/* SPDX-License-Identifier: MIT
 *
 * The library of bc -l: sine, cosine, arctangent, logarithm, exponential, Bessel.
 *
 * Everything is calculated with some digits more than wanted and truncated at the end.
 */
#include "builtins/bc/bc.h"

enum { GUARD = 8 };

bool bc_has_math(struct bytes name)
{
	return name.len == 1 && memchr("scalej", name.ptr[0], 6) != NULL;
}

/* Owned numbers of one calculation. */
struct calc {
	struct cmd *c;
	size_t scale;
};

static void set(struct calc *k, struct num **x, struct num *by)
{
	num_put(k->c, *x);
	*x = by;
}

static void mul_to(struct calc *k, struct num **x, const struct num *y)
{
	set(k, x, num_mul(k->c, *x, y, k->scale));
	if ((*x)->scale > k->scale)
		set(k, x, num_rescale(k->c, *x, k->scale));
}

static void div_to(struct calc *k, struct num **x, const struct num *y)
{
	set(k, x, num_div(k->c, *x, y, k->scale));
}

static void div_small(struct calc *k, struct num **x, int64_t by)
{
	struct num *d = num_of_i64(k->c, by);

	div_to(k, x, d);
	num_put(k->c, d);
}

static void add_to(struct calc *k, struct num **x, const struct num *y)
{
	set(k, x, num_add(k->c, *x, y, 0));
}

static void sub_to(struct calc *k, struct num **x, const struct num *y)
{
	set(k, x, num_sub(k->c, *x, y, 0));
}

static struct num *whole(struct calc *k, int64_t v)
{
	struct num *x = num_of_i64(k->c, v);

	set(k, &x, num_rescale(k->c, x, k->scale));
	return x;
}

/* Digits in front of the point; negative: zeros behind it. */
static size_t magnitude(const struct num *x)
{
	int64_t n = (int64_t)num_digits(x) - (int64_t)x->scale;

	return (size_t)(n < 0 ? -n : n);
}

/* The absolute value as a small number, for choosing a precision. */
static size_t estimate(const struct num *x)
{
	bool fits;
	int64_t v = num_to_i64(x, &fits);

	return !fits || v > 1 << 24 || v < -(1 << 24) ? 1 << 24 : (size_t)(v < 0 ? -v : v);
}

/* e to a number that is not negative. */
static struct num *exp_of(struct calc *k, const struct num *x)
{
	struct num *r = num_rescale(k->c, x, k->scale);
	struct num *one = whole(k, 1);
	unsigned halvings = 0;

	for (; num_cmp(k->c, r, one) > 0; halvings++)
		div_small(k, &r, 2);
	struct num *sum = num_get(one);
	struct num *term = num_get(one);

	for (int64_t n = 1; !num_is_zero(term); n++) {
		mul_to(k, &term, r);
		div_small(k, &term, n);
		add_to(k, &sum, term);
	}
	while (halvings-- > 0)
		mul_to(k, &sum, sum);
	num_put(k->c, term);
	num_put(k->c, r);
	num_put(k->c, one);
	return sum;
}

static struct num *math_e(struct cmd *c, const struct num *x, size_t scale)
{
	size_t size = estimate(x);
	struct calc k = { c, scale + GUARD + 16 + magnitude(x) };

	if (!x->negative) {
		k.scale += size * 9 / 10;
		return exp_of(&k, x);
	}
	if (size / 3 > scale + 8)
		return num_of_i64(c, 0);
	struct num *positive = num_neg(c, x);
	struct num *y = exp_of(&k, positive);
	struct num *one = whole(&k, 1);

	div_to(&k, &one, y);
	num_put(c, positive);
	num_put(c, y);
	return one;
}

/* x + x^3/3 + x^5/5 ..., every other term negative for the arctangent. */
static struct num *odd_series(struct calc *k, const struct num *x, bool alternates)
{
	struct num *square = num_rescale(k->c, x, k->scale);
	struct num *power = num_rescale(k->c, x, k->scale);
	struct num *sum = num_get(power);
	struct num *term = num_get(power);

	mul_to(k, &square, square);
	for (int64_t n = 3; !num_is_zero(term); n += 2) {
		mul_to(k, &power, square);
		set(k, &term, num_get(power));
		div_small(k, &term, n);
		if (alternates && (n & 2) != 0)
			sub_to(k, &sum, term);
		else
			add_to(k, &sum, term);
	}
	num_put(k->c, square);
	num_put(k->c, power);
	num_put(k->c, term);
	return sum;
}

static struct num *math_l(struct cmd *c, const struct num *x, size_t scale)
{
	struct calc k = { c, scale + GUARD + 16 + 2 * magnitude(x) };

	if (x->negative || num_is_zero(x)) {
		struct num *ten = num_of_i64(c, 10);
		struct num *y = num_pow(c, ten, (int64_t)scale, 0);
		struct num *one = num_of_i64(c, 1);

		set(&k, &ten, num_sub(c, one, y, 0));
		num_put(c, y);
		num_put(c, one);
		return ten;
	}
	struct num *high = num_parse(c, BYTES("1.2"), 10, true);
	struct num *low = num_parse(c, BYTES("0.8"), 10, true);
	struct num *r = num_rescale(c, x, k.scale);
	struct num *factor = whole(&k, 2);
	struct num *one = whole(&k, 1);

	while (num_cmp(c, r, high) > 0 || num_cmp(c, r, low) < 0) {
		set(&k, &r, num_sqrt(c, r, k.scale));
		set(&k, &r, num_rescale(c, r, k.scale));
		add_to(&k, &factor, factor);
	}
	/* l(x) = 2 * artanh((x - 1) / (x + 1)) */
	struct num *top = num_sub(c, r, one, 0);
	struct num *bottom = num_add(c, r, one, 0);

	div_to(&k, &top, bottom);
	struct num *y = odd_series(&k, top, false);

	mul_to(&k, &y, factor);
	num_put(c, high);
	num_put(c, low);
	num_put(c, r);
	num_put(c, factor);
	num_put(c, one);
	num_put(c, top);
	num_put(c, bottom);
	return y;
}

/* arctangent of 1 / n, times m */
static struct num *arctan_part(struct calc *k, int64_t n, int64_t m)
{
	struct num *x = whole(k, 1);
	struct num *factor = num_of_i64(k->c, m);

	div_small(k, &x, n);
	struct num *y = odd_series(k, x, true);

	mul_to(k, &y, factor);
	num_put(k->c, x);
	num_put(k->c, factor);
	return y;
}

static struct num *pi(struct calc *k)
{
	struct num *a = arctan_part(k, 5, 16);
	struct num *b = arctan_part(k, 239, 4);

	sub_to(k, &a, b);
	num_put(k->c, b);
	return a;
}

static struct num *math_a(struct cmd *c, const struct num *x, size_t scale)
{
	struct calc k = { c, scale + GUARD + 16 + 2 * magnitude(x) };
	struct num *one = whole(&k, 1);
	struct num *small = num_parse(c, BYTES("0.1"), 10, true);
	struct num *r = num_rescale(c, x, k.scale);
	int64_t doubled = 1;
	bool inverted;

	r->negative = false;
	inverted = num_cmp(c, r, one) > 0;
	if (inverted) {
		struct num *inverse = num_div(c, one, r, k.scale);

		set(&k, &r, inverse);
	}
	/* a(x) = 2 a(x / (1 + sqrt(1 + x^2))) */
	for (; num_cmp(c, r, small) > 0; doubled *= 2) {
		struct num *s = num_mul(c, r, r, k.scale);

		add_to(&k, &s, one);
		set(&k, &s, num_sqrt(c, s, k.scale));
		add_to(&k, &s, one);
		div_to(&k, &r, s);
		num_put(c, s);
	}
	struct num *y = odd_series(&k, r, true);
	struct num *factor = num_of_i64(c, doubled);

	mul_to(&k, &y, factor);
	if (inverted) {
		struct num *half = pi(&k);

		div_small(&k, &half, 2);
		sub_to(&k, &half, y);
		set(&k, &y, half);
	}
	if (x->negative)
		set(&k, &y, num_neg(c, y));
	num_put(c, one);
	num_put(c, small);
	num_put(c, r);
	num_put(c, factor);
	return y;
}

/* The sine, or of x + pi/2. */
static struct num *sine(struct cmd *c, const struct num *x, size_t scale, bool shifted)
{
	struct calc k = { c, scale + GUARD + 16 + 2 * magnitude(x) };
	struct num *circle = pi(&k);
	struct num *r = num_rescale(c, x, k.scale > x->scale ? k.scale : x->scale);
	struct num *half = num_get(circle);

	div_small(&k, &half, 2);
	if (shifted)
		add_to(&k, &r, half);
	/* r - n pi lies between -pi/2 and pi/2. */
	struct num *n = num_get(r);

	if (r->negative)
		sub_to(&k, &n, half);
	else
		add_to(&k, &n, half);
	set(&k, &n, num_div(c, n, circle, 0));
	bool odd = n->len > 0 && (n->limb[0] & 1) != 0;

	set(&k, &n, num_mul(c, n, circle, k.scale));
	sub_to(&k, &r, n);
	set(&k, &r, num_rescale(c, r, k.scale));
	struct num *square = num_mul(c, r, r, k.scale);
	struct num *term = num_get(r);
	struct num *sum = num_get(r);

	for (int64_t i = 3; !num_is_zero(term); i += 2) {
		mul_to(&k, &term, square);
		div_small(&k, &term, i * (i - 1));
		set(&k, &term, num_neg(c, term));
		add_to(&k, &sum, term);
	}
	if (odd)
		set(&k, &sum, num_neg(c, sum));
	num_put(c, circle);
	num_put(c, r);
	num_put(c, half);
	num_put(c, n);
	num_put(c, square);
	num_put(c, term);
	return sum;
}

static struct num *math_j(struct cmd *c, const struct num *order, const struct num *x, size_t scale)
{
	int64_t n = num_to_i64(order, NULL);
	struct calc k = { c, scale + GUARD + 16 + 2 * magnitude(x) + estimate(x) };
	bool negative = n < 0 && n % 2 != 0;

	n = n < 0 ? -n : n;
	struct num *half = num_rescale(c, x, k.scale);

	div_small(&k, &half, 2);
	struct num *term = whole(&k, 1);

	for (int64_t i = 1; i <= n && !num_is_zero(term); i++) {
		mul_to(&k, &term, half);
		div_small(&k, &term, i);
	}
	mul_to(&k, &half, half);
	struct num *sum = num_get(term);

	for (int64_t i = 1; !num_is_zero(term); i++) {
		mul_to(&k, &term, half);
		div_small(&k, &term, i);
		div_small(&k, &term, n + i);
		set(&k, &term, num_neg(c, term));
		add_to(&k, &sum, term);
	}
	if (negative)
		set(&k, &sum, num_neg(c, sum));
	num_put(c, half);
	num_put(c, term);
	return sum;
}

struct num *bc_math(struct cmd *c, char name, struct num *const *args, size_t scale)
{
	/* The shifted sine comes out a little less than 1. */
	bool cos_zero = name == 'c' && num_is_zero(args[0]);
	struct num *exact = cos_zero      ? num_of_i64(c, 1)
			    : name == 'e' ? math_e(c, args[0], scale)
			    : name == 'l' ? math_l(c, args[0], scale)
			    : name == 'a' ? math_a(c, args[0], scale)
			    : name == 'j' ? math_j(c, args[0], args[1], scale)
					  : sine(c, args[0], scale, name == 'c');
	struct num *out = num_rescale(c, exact, scale);

	num_put(c, exact);
	return out;
}
