/* SPDX-License-Identifier: MIT
 *
 * Arithmetic on decimal numbers, with bc's rules for the digits behind the point.
 */
#include "builtins/bc/num.h"

static const uint32_t powers[] = { 1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000 };

static size_t size_of(size_t len)
{
	return sizeof(struct num) + len * sizeof(uint32_t);
}

/* len is the one at the allocation: kept in front, since settling shortens numbers. */
struct block {
	size_t cap;
	size_t unused;
};

struct num *num_new(struct cmd *c, size_t len, size_t scale)
{
	if (len > SIZE_MAX / 64)
		cmd_fatal(c, -E_NOMEM, "number too long");
	struct block *b = pool_alloc(c->pool, sizeof(*b) + size_of(len));
	struct num *x = (struct num *)(void *)(b + 1);

	b->cap = len;
	x->refs = 1;
	x->negative = false;
	x->scale = scale;
	x->len = len;
	memset(x->limb, 0, len * sizeof(uint32_t));
	cmd_charge(c, len / 16 + 1);
	return x;
}

void num_put(struct cmd *c, struct num *x)
{
	if (x == NULL || --x->refs > 0)
		return;
	struct block *b = (struct block *)(void *)x - 1;

	pool_free(c->pool, b, sizeof(*b) + size_of(b->cap));
}

struct num *num_settle(struct num *x)
{
	x->len = mag_trim(x->limb, x->len);
	if (x->len == 0)
		x->negative = false;
	return x;
}

struct num *num_of_i64(struct cmd *c, int64_t v)
{
	struct num *x = num_new(c, 3, 0);
	uint64_t left = v < 0 ? -(uint64_t)v : (uint64_t)v;

	for (size_t i = 0; i < 3; i++) {
		x->limb[i] = (uint32_t)(left % NUM_BASE);
		left /= NUM_BASE;
	}
	x->negative = v < 0;
	return num_settle(x);
}

static struct num *copy_of(struct cmd *c, const struct num *a, size_t room)
{
	struct num *x = num_new(c, a->len + room, a->scale);

	memcpy(x->limb, a->limb, a->len * sizeof(uint32_t));
	x->negative = a->negative;
	return x;
}

struct num *num_shift_up(struct cmd *c, const struct num *a, size_t k)
{
	size_t limbs = k / NUM_DIGITS;
	struct num *x = num_new(c, a->len + limbs + 1, a->scale);

	memcpy(x->limb + limbs, a->limb, a->len * sizeof(uint32_t));
	x->limb[a->len + limbs] = mag_mul_small(x->limb + limbs, a->len, powers[k % NUM_DIGITS], 0);
	x->negative = a->negative;
	return num_settle(x);
}

struct num *num_shift_down(struct cmd *c, const struct num *a, size_t k)
{
	size_t limbs = k / NUM_DIGITS;
	size_t len = a->len > limbs ? a->len - limbs : 0;
	struct num *x = num_new(c, len, a->scale);

	if (len > 0)
		memcpy(x->limb, a->limb + limbs, len * sizeof(uint32_t));
	mag_div_small(x->limb, len, powers[k % NUM_DIGITS]);
	x->negative = a->negative;
	return num_settle(x);
}

struct num *num_rescale(struct cmd *c, const struct num *a, size_t scale)
{
	struct num *x = scale >= a->scale ? num_shift_up(c, a, scale - a->scale)
					  : num_shift_down(c, a, a->scale - scale);

	x->scale = scale;
	return x;
}

int64_t num_to_i64(const struct num *x, bool *fits)
{
	size_t skip = x->scale / NUM_DIGITS;
	uint64_t value = 0;
	bool good = true;
	uint32_t cut = powers[x->scale % NUM_DIGITS];

	for (size_t i = x->len; i > skip; i--) {
		uint64_t more = x->limb[i - 1];
		uint64_t unit = NUM_BASE;

		if (i - 1 == skip) {
			more /= cut;
			unit /= cut;
		}
		if (__builtin_mul_overflow(value, unit, &value) ||
		    __builtin_add_overflow(value, more, &value) || value > INT64_MAX)
			good = false;
	}
	if (fits != NULL)
		*fits = good;
	if (!good)
		value = INT64_MAX;
	return x->negative ? -(int64_t)value : (int64_t)value;
}

/* Digits that x has less behind the point than y. */
static size_t missing(const struct num *x, const struct num *y)
{
	return y->scale > x->scale ? y->scale - x->scale : 0;
}

int num_cmp(struct cmd *c, const struct num *a, const struct num *b)
{
	if (a->negative != b->negative)
		return a->negative ? -1 : 1;
	struct num *x = num_shift_up(c, a, missing(a, b));
	struct num *y = num_shift_up(c, b, missing(b, a));
	int order = mag_cmp(x->limb, x->len, y->limb, y->len);

	num_put(c, x);
	num_put(c, y);
	return a->negative ? -order : order;
}

/* |x| + |y| or |x| - |y| (if |x| is not less), same scale. */
static struct num *sum_of(struct cmd *c, const struct num *x, const struct num *y, bool minus)
{
	size_t len = (x->len > y->len ? x->len : y->len) + 1;
	struct num *out = num_new(c, len, x->scale);
	int64_t carry = 0;

	for (size_t i = 0; i < len; i++) {
		int64_t a = i < x->len ? x->limb[i] : 0;
		int64_t b = i < y->len ? y->limb[i] : 0;
		int64_t v = a + (minus ? -b : b) + carry;

		carry = v < 0 ? -1 : v >= NUM_BASE;
		out->limb[i] = (uint32_t)(v - carry * NUM_BASE);
	}
	return out;
}

static struct num *add_signed(struct cmd *c, const struct num *a, const struct num *b, bool flip,
			      size_t scale)
{
	size_t wide = a->scale > b->scale ? a->scale : b->scale;
	struct num *x = num_rescale(c, a, wide);
	struct num *y = num_rescale(c, b, wide);
	bool bneg = b->len != 0 && b->negative != flip;
	bool minus = x->negative != bneg && x->len != 0 && y->len != 0;
	struct num *out;

	if (minus && mag_cmp(x->limb, x->len, y->limb, y->len) < 0) {
		out = sum_of(c, y, x, true);
		out->negative = bneg;
	} else {
		out = sum_of(c, x, y, minus);
		out->negative = x->len != 0 ? x->negative : bneg;
	}
	num_put(c, x);
	num_put(c, y);
	num_settle(out);
	if (scale <= wide)
		return out;
	struct num *more = num_rescale(c, out, scale);

	num_put(c, out);
	return more;
}

struct num *num_add(struct cmd *c, const struct num *a, const struct num *b, size_t scale)
{
	return add_signed(c, a, b, false, scale);
}

struct num *num_sub(struct cmd *c, const struct num *a, const struct num *b, size_t scale)
{
	return add_signed(c, a, b, true, scale);
}

struct num *num_neg(struct cmd *c, const struct num *a)
{
	struct num *x = copy_of(c, a, 0);

	x->negative = !a->negative;
	return num_settle(x);
}

static struct num *mul_exact(struct cmd *c, const struct num *a, const struct num *b)
{
	struct num *x = num_new(c, a->len + b->len, a->scale + b->scale);

	if (a->len != 0 && b->len != 0)
		mag_mul(c, x->limb, a->limb, a->len, b->limb, b->len);
	x->negative = a->negative != b->negative;
	return num_settle(x);
}

struct num *num_mul(struct cmd *c, const struct num *a, const struct num *b, size_t scale)
{
	struct num *x = mul_exact(c, a, b);
	size_t most = a->scale > b->scale ? a->scale : b->scale;

	most = most > scale ? most : scale;
	if (x->scale <= most)
		return x;
	struct num *cut = num_rescale(c, x, most);

	num_put(c, x);
	return cut;
}

struct num *num_div(struct cmd *c, const struct num *a, const struct num *b, size_t scale)
{
	if (num_is_zero(b))
		return NULL;
	/* a * 10^(scale + b's) / b has scale digits more than a's. */
	size_t up = scale + b->scale;
	struct num *top = up >= a->scale ? num_shift_up(c, a, up - a->scale)
					 : num_shift_down(c, a, a->scale - up);

	if (top->len < b->len) {
		num_put(c, top);
		return num_new(c, 0, scale);
	}
	struct num *rest = copy_of(c, top, 1);
	struct num *x = num_new(c, top->len - b->len + 1, scale);

	mag_div(c, x->limb, rest->limb, top->len, b->limb, b->len);
	x->negative = a->negative != b->negative;
	num_put(c, top);
	num_put(c, rest);
	return num_settle(x);
}

struct num *num_mod(struct cmd *c, const struct num *a, const struct num *b, size_t scale,
		    struct num **quotient)
{
	size_t wide = a->scale > b->scale + scale ? a->scale : b->scale + scale;
	struct num *q = num_div(c, a, b, scale);

	if (q == NULL)
		return NULL;
	struct num *product = num_mul(c, q, b, wide);
	struct num *rest = num_sub(c, a, product, wide);

	num_put(c, product);
	if (quotient != NULL)
		*quotient = q;
	else
		num_put(c, q);
	return rest;
}

static void replace(struct cmd *c, struct num **x, struct num *by)
{
	num_put(c, *x);
	*x = by;
}

struct num *num_pow(struct cmd *c, const struct num *a, int64_t exponent, size_t scale)
{
	uint64_t left = exponent < 0 ? -(uint64_t)exponent : (uint64_t)exponent;
	size_t most = a->scale > scale ? a->scale : scale;

	if (exponent == 0)
		return num_of_i64(c, 1);
	if (exponent < 0 && num_is_zero(a))
		return NULL;
	struct num *power = copy_of(c, a, 0);
	struct num *x = num_of_i64(c, 1);

	for (;; left >>= 1) {
		if ((left & 1) != 0)
			replace(c, &x, mul_exact(c, x, power));
		if (left <= 1)
			break;
		replace(c, &power, mul_exact(c, power, power));
	}
	num_put(c, power);
	if (exponent < 0) {
		struct num *one = num_of_i64(c, 1);
		struct num *inverse = num_div(c, one, x, scale);

		num_put(c, one);
		num_put(c, x);
		return inverse;
	}
	if (x->scale > most)
		replace(c, &x, num_rescale(c, x, most));
	return x;
}

struct num *num_modexp(struct cmd *c, struct num *base, struct num *exponent, struct num *m,
		       size_t scale)
{
	struct num *x = num_of_i64(c, 1);
	struct num *two = num_of_i64(c, 2);
	struct num *power = num_mod(c, base, m, scale, NULL);
	struct num *left = num_get(exponent);

	if (power == NULL) {
		num_put(c, x);
		num_put(c, two);
		num_put(c, left);
		return NULL;
	}
	while (!num_is_zero(left)) {
		struct num *half;
		struct num *bit = num_mod(c, left, two, 0, &half);

		replace(c, &left, half);
		if (!num_is_zero(bit)) {
			replace(c, &x, num_mul(c, x, power, scale));
			replace(c, &x, num_mod(c, x, m, scale, NULL));
		}
		num_put(c, bit);
		replace(c, &power, num_mul(c, power, power, scale));
		replace(c, &power, num_mod(c, power, m, scale, NULL));
	}
	num_put(c, left);
	num_put(c, two);
	num_put(c, power);
	return x;
}

/* The whole part of the root of a whole number: Newton's method from above. */
static struct num *root_of(struct cmd *c, struct num *n)
{
	struct num *one = num_of_i64(c, 1);
	struct num *two = num_of_i64(c, 2);
	struct num *guess = num_shift_up(c, one, num_digits(n) / 2 + 1);

	for (;;) {
		struct num *q = num_div(c, n, guess, 0);
		struct num *sum = num_add(c, q, guess, 0);
		struct num *next = num_div(c, sum, two, 0);

		num_put(c, q);
		num_put(c, sum);
		if (num_cmp(c, next, guess) >= 0) {
			num_put(c, next);
			break;
		}
		replace(c, &guess, next);
	}
	num_put(c, one);
	num_put(c, two);
	return guess;
}

struct num *num_sqrt(struct cmd *c, const struct num *a, size_t scale)
{
	struct num *one;
	struct num *x;

	if (a->negative)
		return NULL;
	if (num_is_zero(a))
		return num_of_i64(c, 0);
	one = num_of_i64(c, 1);
	if (num_cmp(c, a, one) == 0)
		return one;
	num_put(c, one);
	scale = scale > a->scale ? scale : a->scale;
	struct num *n = num_shift_up(c, a, 2 * scale - a->scale);

	n->scale = 0;
	x = root_of(c, n);
	x->scale = scale;
	num_put(c, n);
	return x;
}

size_t num_digits(const struct num *x)
{
	size_t n = 0;

	if (x->len == 0)
		return 0;
	for (uint32_t top = x->limb[x->len - 1]; top > 0; top /= 10)
		n++;
	return n + (x->len - 1) * NUM_DIGITS;
}
