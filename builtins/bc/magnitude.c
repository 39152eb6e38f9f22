/* SPDX-License-Identifier: MIT
 *
 * Magnitudes of numbers: limbs of nine decimal digits. Long factors are multiplied by
 * Karatsuba's way, division is Knuth's algorithm D.
 */
#include "builtins/bc/num.h"

enum { KARATSUBA_MIN = 40 };

size_t mag_trim(const uint32_t *a, size_t n)
{
	while (n > 0 && a[n - 1] == 0)
		n--;
	return n;
}

int mag_cmp(const uint32_t *a, size_t an, const uint32_t *b, size_t bn)
{
	if (an != bn)
		return an < bn ? -1 : 1;
	for (size_t i = an; i > 0; i--)
		if (a[i - 1] != b[i - 1])
			return a[i - 1] < b[i - 1] ? -1 : 1;
	return 0;
}

uint32_t mag_mul_small(uint32_t *a, size_t n, uint32_t m, uint32_t add)
{
	uint64_t carry = add;

	for (size_t i = 0; i < n; i++) {
		carry += (uint64_t)a[i] * m;
		a[i] = (uint32_t)(carry % NUM_BASE);
		carry /= NUM_BASE;
	}
	return (uint32_t)carry;
}

uint32_t mag_div_small(uint32_t *a, size_t n, uint32_t d)
{
	uint64_t rest = 0;

	for (size_t i = n; i > 0; i--) {
		rest = rest * NUM_BASE + a[i - 1];
		a[i - 1] = (uint32_t)(rest / d);
		rest %= d;
	}
	return (uint32_t)rest;
}

/* a[0..an) += b[0..bn), bn <= an; the carry is lost if there is no room for it. */
static void add_to(uint32_t *a, size_t an, const uint32_t *b, size_t bn)
{
	uint32_t carry = 0;

	for (size_t i = 0; i < an && (i < bn || carry != 0); i++) {
		uint32_t sum = a[i] + (i < bn ? b[i] : 0) + carry;

		carry = sum >= NUM_BASE;
		a[i] = carry ? sum - NUM_BASE : sum;
	}
}

static void sub_from(uint32_t *a, size_t an, const uint32_t *b, size_t bn)
{
	uint32_t borrow = 0;

	for (size_t i = 0; i < an && (i < bn || borrow != 0); i++) {
		uint32_t take = (i < bn ? b[i] : 0) + borrow;

		borrow = a[i] < take;
		a[i] = borrow ? a[i] + NUM_BASE - take : a[i] - take;
	}
}

static void mul_simple(struct cmd *c, uint32_t *out, const uint32_t *a, size_t an,
		       const uint32_t *b, size_t bn)
{
	memset(out, 0, (an + bn) * sizeof(*out));
	for (size_t i = 0; i < an; i++) {
		uint64_t carry = 0;
		uint64_t digit = a[i];

		for (size_t k = 0; k < bn; k++) {
			carry += digit * b[k] + out[i + k];
			out[i + k] = (uint32_t)(carry % NUM_BASE);
			carry /= NUM_BASE;
		}
		out[i + bn] = (uint32_t)carry;
	}
	cmd_charge(c, an * bn / 16 + 1);
}

/* Both factors have n limbs. tmp has 4 * n + 128 of them. */
static void mul_karatsuba(struct cmd *c, uint32_t *out, const uint32_t *a, const uint32_t *b,
			  size_t n, uint32_t *tmp)
{
	if (n < KARATSUBA_MIN) {
		mul_simple(c, out, a, n, b, n);
		return;
	}
	size_t low = n / 2;
	size_t high = n - low;
	size_t sum = high + 1;
	uint32_t *as = tmp;
	uint32_t *bs = tmp + sum;
	/* (al + ah)(bl + bh) - al bl - ah bh is what stands in the middle. */
	uint32_t *mid = out;

	memcpy(as, a + low, high * sizeof(*a));
	memcpy(bs, b + low, high * sizeof(*b));
	as[high] = bs[high] = 0;
	add_to(as, sum, a, low);
	add_to(bs, sum, b, low);
	uint32_t *product = tmp + 2 * sum;

	if (sum < KARATSUBA_MIN)
		mul_simple(c, product, as, sum, bs, sum);
	else
		mul_karatsuba(c, product, as, bs, sum, product + 2 * sum);
	mul_karatsuba(c, mid, a, b, low, product + 2 * sum);
	mul_karatsuba(c, mid + 2 * low, a + low, b + low, high, product + 2 * sum);
	sub_from(product, 2 * sum, out, 2 * low);
	sub_from(product, 2 * sum, out + 2 * low, 2 * high);
	add_to(out + low, 2 * n - low, product, mag_trim(product, 2 * sum));
}

void mag_mul(struct cmd *c, uint32_t *out, const uint32_t *a, size_t an, const uint32_t *b,
	     size_t bn)
{
	if (an < bn) {
		const uint32_t *other = a;
		size_t n = an;

		a = b;
		an = bn;
		b = other;
		bn = n;
	}
	if (bn < KARATSUBA_MIN) {
		mul_simple(c, out, a, an, b, bn);
		return;
	}
	/* The longer factor in parts as long as the other. */
	size_t room = (12 * bn + 512) * sizeof(*out);
	uint32_t *tmp = pool_alloc(c->pool, room);
	uint32_t *part = tmp + 10 * bn + 512;

	memset(out, 0, (an + bn) * sizeof(*out));
	for (size_t at = 0; at < an; at += bn) {
		size_t n = an - at < bn ? an - at : bn;

		if (n == bn) {
			mul_karatsuba(c, part, a + at, b, bn, tmp);
			add_to(out + at, an + bn - at, part, 2 * bn);
		} else {
			mag_mul(c, part, a + at, n, b, bn);
			add_to(out + at, an + bn - at, part, n + bn);
		}
	}
	pool_free(c->pool, tmp, room);
}

/* rest[0..bn] -= b * digit: false if that was too much (then rest is one b too small). */
static bool sub_product(uint32_t *rest, const uint32_t *b, size_t bn, uint32_t digit)
{
	uint64_t carry = 0;
	int64_t borrow = 0;

	for (size_t i = 0; i < bn; i++) {
		carry += (uint64_t)b[i] * digit;
		int64_t left = (int64_t)rest[i] - (int64_t)(carry % NUM_BASE) + borrow;

		carry /= NUM_BASE;
		borrow = left < 0 ? -1 : 0;
		rest[i] = (uint32_t)(left < 0 ? left + NUM_BASE : left);
	}
	int64_t left = (int64_t)rest[bn] - (int64_t)carry + borrow;

	rest[bn] = (uint32_t)(left < 0 ? left + NUM_BASE : left);
	return left >= 0;
}

void mag_div(struct cmd *c, uint32_t *q, uint32_t *a, size_t an, const uint32_t *b, size_t bn)
{
	if (bn == 1) {
		memcpy(q, a, an * sizeof(*a));
		uint32_t rest = mag_div_small(q, an, b[0]);

		memset(a, 0, (an + 1) * sizeof(*a));
		a[0] = rest;
		cmd_charge(c, an / 8 + 1);
		return;
	}
	size_t room = bn * sizeof(*b);
	uint32_t *v = pool_alloc(c->pool, room);
	uint32_t factor = NUM_BASE / (b[bn - 1] + 1);

	memcpy(v, b, room);
	mag_mul_small(v, bn, factor, 0);
	a[an] = mag_mul_small(a, an, factor, 0);
	for (size_t at = an - bn + 1; at > 0; at--) {
		uint32_t *u = a + at - 1;
		uint64_t top = (uint64_t)u[bn] * NUM_BASE + u[bn - 1];
		uint64_t digit = top / v[bn - 1];
		uint64_t rest = top % v[bn - 1];

		while (digit >= NUM_BASE || digit * v[bn - 2] > rest * NUM_BASE + u[bn - 2]) {
			digit--;
			rest += v[bn - 1];
			if (rest >= NUM_BASE)
				break;
		}
		if (!sub_product(u, v, bn, (uint32_t)digit)) {
			digit--;
			add_to(u, bn + 1, v, bn);
		}
		q[at - 1] = (uint32_t)digit;
		cmd_charge(c, bn / 8 + 1);
	}
	mag_div_small(a, an + 1, factor);
	pool_free(c->pool, v, room);
}
