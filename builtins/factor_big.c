/* SPDX-License-Identifier: MIT
 *
 * The factors of numbers of any length.
 *
 * Small primes by division; what is left by the test of Baillie, Pomerance, Selfridge and
 * Wagstaff (a strong test to base 2, and Lucas's), and Pollard's rho as Brent runs it. Numbers
 * are 32-bit limbs, the lowest first; residues are in Montgomery's form, as long as the modulus.
 */
#include "builtins/factor_big.h"

enum {
	/* Beyond 3511, the larger of the known primes whose square passes the test to base 2. */
	TRIAL_MAX = 4096,
	BATCH = 128,       /* differences multiplied before a divisor is looked for */
	LUCAS_TRIES = 1000 /* more than any number needs that is no square */
};

struct number {
	uint32_t *limb;
	size_t len; /* the highest limb is not 0 */
};

/* Arithmetic modulo an odd number. */
struct modulus {
	struct cmd *c;
	const uint32_t *n;
	size_t len;
	uint32_t inverse; /* -1/n modulo 2^32 */
	uint32_t *one;
	uint32_t *work; /* len + 2 */
};

static uint32_t *new_limbs(struct cmd *c, size_t len)
{
	return arena_zalloc(c->arena, (len + 1) * sizeof(uint32_t));
}

static uint32_t *copy_limbs(struct cmd *c, const uint32_t *from, size_t len)
{
	uint32_t *copy = new_limbs(c, len);

	memcpy(copy, from, len * sizeof(*from));
	return copy;
}

static void trim(struct number *n)
{
	while (n->len > 0 && n->limb[n->len - 1] == 0)
		n->len--;
}

/* --- limbs of one length --- */

static int order(const uint32_t *a, const uint32_t *b, size_t len)
{
	while (len-- > 0)
		if (a[len] != b[len])
			return a[len] < b[len] ? -1 : 1;
	return 0;
}

static bool is_zero(const uint32_t *a, size_t len)
{
	while (len > 0 && a[len - 1] == 0)
		len--;
	return len == 0;
}

/* a -= b, modulo 2^32len. */
static void subtract(uint32_t *a, const uint32_t *b, size_t len)
{
	uint64_t borrow = 0;

	for (size_t i = 0; i < len; i++) {
		uint64_t difference = (uint64_t)a[i] - b[i] - borrow;

		a[i] = (uint32_t)difference;
		borrow = difference >> 63;
	}
}

/* a += b. Returns the carry. */
static uint32_t add(uint32_t *a, const uint32_t *b, size_t len)
{
	uint64_t carry = 0;

	for (size_t i = 0; i < len; i++) {
		carry += (uint64_t)a[i] + b[i];
		a[i] = (uint32_t)carry;
		carry >>= 32;
	}
	return (uint32_t)carry;
}

/* a = (top, a) / 2. */
static void halve(uint32_t *a, size_t len, uint32_t top)
{
	for (size_t i = len; i-- > 0;) {
		uint32_t low = a[i] & 1;

		a[i] = a[i] >> 1 | top << 31;
		top = low;
	}
}

static bool bit(const uint32_t *a, size_t at)
{
	return (a[at / 32] >> (at % 32) & 1) != 0;
}

/* --- whole numbers --- */

static uint32_t remainder_small(struct number n, uint32_t by)
{
	uint64_t rest = 0;

	for (size_t i = n.len; i-- > 0;)
		rest = (rest << 32 | n.limb[i]) % by;
	return (uint32_t)rest;
}

static uint32_t divide_small(struct number *n, uint32_t by)
{
	uint64_t rest = 0;

	for (size_t i = n->len; i-- > 0;) {
		rest = rest << 32 | n->limb[i];
		n->limb[i] = (uint32_t)(rest / by);
		rest %= by;
	}
	trim(n);
	return (uint32_t)rest;
}

/* n / by, bit by bit: seldom needed. */
static struct number divide(struct cmd *c, struct number n, struct number by)
{
	struct number quotient = { new_limbs(c, n.len), n.len };
	uint32_t *rest = new_limbs(c, by.len + 1);
	uint32_t *wide = copy_limbs(c, by.limb, by.len);
	size_t len = by.len + 1;

	for (size_t i = n.len * 32; i-- > 0;) {
		add(rest, rest, len);
		rest[0] |= bit(n.limb, i);
		if (order(rest, wide, len) >= 0) {
			subtract(rest, wide, len);
			quotient.limb[i / 32] |= (uint32_t)1 << (i % 32);
		}
		cmd_charge(c, len);
	}
	trim(&quotient);
	return quotient;
}

/* Adds the decimal digits to n, which has room for them. */
static struct number read_digits(struct cmd *c, struct bytes digits)
{
	struct number n = { new_limbs(c, digits.len / 9 + 2), 0 };

	for (size_t i = 0; i < digits.len; i++) {
		uint64_t carry = (uint64_t)(digits.ptr[i] - '0');

		for (size_t k = 0; k < n.len; k++) {
			carry += (uint64_t)n.limb[k] * 10;
			n.limb[k] = (uint32_t)carry;
			carry >>= 32;
		}
		if (carry != 0)
			n.limb[n.len++] = (uint32_t)carry;
		cmd_charge(c, n.len / 8 + 1);
	}
	return n;
}

static void put_number(struct cmd *c, struct number n)
{
	struct number left = { copy_limbs(c, n.limb, n.len), n.len };
	size_t size = n.len * 10 + 1;
	char *digits = arena_alloc(c->arena, size);
	size_t at = size;

	while (left.len > 0) {
		uint32_t part = divide_small(&left, 1000000000);

		for (int i = 0; i < 9 && (left.len > 0 || part > 0); i++, part /= 10)
			digits[--at] = (char)('0' + part % 10);
		cmd_charge(c, left.len / 2 + 1);
	}
	cmd_write(c, digits + at, size - at);
}

/* --- residues --- */

static void mod_add(const struct modulus *m, uint32_t *a, const uint32_t *b)
{
	if (add(a, b, m->len) != 0 || order(a, m->n, m->len) >= 0)
		subtract(a, m->n, m->len);
}

static void mod_subtract(const struct modulus *m, uint32_t *a, const uint32_t *b)
{
	bool less = order(a, b, m->len) < 0;

	subtract(a, b, m->len);
	if (less)
		add(a, m->n, m->len);
}

static void mod_halve(const struct modulus *m, uint32_t *a)
{
	halve(a, m->len, (a[0] & 1) != 0 ? add(a, m->n, m->len) : 0);
}

/* out = a * b; it may be one of them. */
static void mod_multiply(const struct modulus *m, uint32_t *out, const uint32_t *a,
			 const uint32_t *b)
{
	size_t len = m->len;
	uint32_t *t = m->work;

	memset(t, 0, (len + 2) * sizeof(*t));
	for (size_t i = 0; i < len; i++) {
		uint64_t carry = 0;

		for (size_t k = 0; k < len; k++) {
			carry += (uint64_t)a[k] * b[i] + t[k];
			t[k] = (uint32_t)carry;
			carry >>= 32;
		}
		carry += t[len];
		t[len] = (uint32_t)carry;
		t[len + 1] = (uint32_t)(carry >> 32);

		uint32_t factor = t[0] * m->inverse;

		carry = ((uint64_t)factor * m->n[0] + t[0]) >> 32;
		for (size_t k = 1; k < len; k++) {
			carry += (uint64_t)factor * m->n[k] + t[k];
			t[k - 1] = (uint32_t)carry;
			carry >>= 32;
		}
		carry += t[len];
		t[len - 1] = (uint32_t)carry;
		t[len] = t[len + 1] + (uint32_t)(carry >> 32);
		cmd_charge(m->c, len / 4 + 1);
	}
	if (t[len] != 0 || order(t, m->n, len) >= 0)
		subtract(t, m->n, len);
	memcpy(out, t, len * sizeof(*out));
}

static struct modulus modulus_of(struct cmd *c, struct number n)
{
	struct modulus m = { c, n.limb, n.len, 0, new_limbs(c, n.len), new_limbs(c, n.len + 1) };
	uint32_t inverse = 1;

	for (int i = 0; i < 5; i++)
		inverse *= 2 - n.limb[0] * inverse;
	m.inverse = 0 - inverse;
	m.one[0] = 1;
	for (size_t i = 0; i < n.len * 32; i++) {
		mod_add(&m, m.one, m.one);
		cmd_charge(c, n.len / 8 + 1);
	}
	return m;
}

/* A small number, of either sign. */
static uint32_t *residue_of(const struct modulus *m, int value)
{
	uint32_t *r = new_limbs(m->c, m->len);

	for (int i = 0; i < value; i++)
		mod_add(m, r, m->one);
	for (int i = 0; i > value; i--)
		mod_subtract(m, r, m->one);
	cmd_charge(m->c, m->len);
	return r;
}

/* --- primes --- */

/* Takes the twos out of n, and returns how many they were. */
static size_t take_twos(struct cmd *c, struct number *n)
{
	size_t twos = 0;

	for (; (n->limb[0] & 1) == 0; twos++) {
		halve(n->limb, n->len, 0);
		cmd_charge(c, n->len / 8 + 1);
	}
	trim(n);
	return twos;
}

static size_t top_bit(struct number n)
{
	size_t at = n.len * 32 - 1;

	while (!bit(n.limb, at))
		at--;
	return at;
}

/* n - 1 or n + 1, in new limbs. */
static struct number neighbour(struct cmd *c, struct number n, int step)
{
	struct number result = { copy_limbs(c, n.limb, n.len), n.len + 1 };
	uint32_t *one = new_limbs(c, n.len);

	one[0] = 1;
	if (step > 0)
		add(result.limb, one, result.len);
	else
		subtract(result.limb, one, result.len);
	trim(&result);
	return result;
}

static bool passes_base_2(const struct modulus *m, struct number n)
{
	struct number odd = neighbour(m->c, n, -1);
	uint32_t *minus_one = residue_of(m, -1);
	uint32_t *x = copy_limbs(m->c, m->one, m->len);
	size_t twos = take_twos(m->c, &odd);

	for (size_t i = top_bit(odd) + 1; i-- > 0;) {
		mod_multiply(m, x, x, x);
		if (bit(odd.limb, i))
			mod_add(m, x, x);
	}
	if (order(x, m->one, m->len) == 0)
		return true;
	for (size_t i = 0; i < twos; i++) {
		if (order(x, minus_one, m->len) == 0)
			return true;
		mod_multiply(m, x, x, x);
	}
	return false;
}

/* Jacobi's symbol (a/n) of small numbers, n odd. */
static int jacobi_small(uint32_t a, uint32_t n)
{
	int sign = 1;

	for (a %= n; a != 0; a %= n) {
		for (; a % 2 == 0; a /= 2)
			if (n % 8 == 3 || n % 8 == 5)
				sign = -sign;
		uint32_t swap = a;

		a = n;
		n = swap;
		if (a % 4 == 3 && n % 4 == 3)
			sign = -sign;
	}
	return n == 1 ? sign : 0;
}

/* (d/n) for an odd d of either sign. */
static int jacobi(int d, struct number n)
{
	uint32_t a = (uint32_t)(d < 0 ? -d : d);
	int sign = jacobi_small(remainder_small(n, a), a);

	if (a % 4 == 3 && n.limb[0] % 4 == 3)
		sign = -sign;
	return d < 0 && n.limb[0] % 4 == 3 ? -sign : sign;
}

/* V = V^2 - 2 Q^k, then Q^k squared. */
static void lucas_double(const struct modulus *m, uint32_t *v, uint32_t *qk)
{
	mod_multiply(m, v, v, v);
	mod_subtract(m, v, qk);
	mod_subtract(m, v, qk);
	mod_multiply(m, qk, qk, qk);
}

/* Selfridge's choice: P is 1, D the first of 5, -7, 9, -11 ... that n is no square for. */
static bool passes_lucas(const struct modulus *m, struct number n)
{
	struct number odd = neighbour(m->c, n, 1);
	int d = 5;

	for (int tries = 0; jacobi(d, n) != -1; tries++) {
		if (tries == LUCAS_TRIES)
			return false;
		d = d > 0 ? -d - 2 : -d + 2;
		cmd_charge(m->c, n.len);
	}
	uint32_t *u = copy_limbs(m->c, m->one, m->len);
	uint32_t *v = copy_limbs(m->c, m->one, m->len);
	uint32_t *q = residue_of(m, (1 - d) / 4);
	uint32_t *qk = copy_limbs(m->c, q, m->len);
	uint32_t *du = new_limbs(m->c, m->len);
	uint32_t *residue = residue_of(m, d);
	size_t twos = take_twos(m->c, &odd);

	for (size_t i = top_bit(odd); i-- > 0;) {
		mod_multiply(m, u, u, v);
		lucas_double(m, v, qk);
		if (!bit(odd.limb, i))
			continue;
		mod_multiply(m, du, residue, u);
		mod_add(m, u, v);
		mod_halve(m, u);
		mod_add(m, v, du);
		mod_halve(m, v);
		mod_multiply(m, qk, qk, q);
	}
	if (is_zero(u, m->len))
		return true;
	for (size_t i = 0; i < twos; i++) {
		if (is_zero(v, m->len))
			return true;
		lucas_double(m, v, qk);
	}
	return false;
}

/* --- factors --- */

/* The greatest common divisor of a and the odd n, both of n's length. */
static struct number common_divisor(struct cmd *c, const uint32_t *a, struct number n)
{
	struct number x = { copy_limbs(c, a, n.len), n.len };
	struct number y = { copy_limbs(c, n.limb, n.len), n.len };

	while (!is_zero(x.limb, n.len)) {
		while ((x.limb[0] & 1) == 0) {
			halve(x.limb, n.len, 0);
			cmd_charge(c, n.len / 4 + 1);
		}
		if (order(x.limb, y.limb, n.len) < 0) {
			uint32_t *swap = x.limb;

			x.limb = y.limb;
			y.limb = swap;
		}
		subtract(x.limb, y.limb, n.len);
	}
	trim(&y);
	return y;
}

static void rho_step(const struct modulus *m, uint32_t *y, const uint32_t *constant)
{
	mod_multiply(m, y, y, y);
	mod_add(m, y, constant);
}

static void put_difference(const struct modulus *m, uint32_t *out, const uint32_t *x,
			   const uint32_t *y)
{
	memcpy(out, x, m->len * sizeof(*out));
	mod_subtract(m, out, y);
}

/* One walk of Pollard's rho: a divisor, which may be all of n. */
static struct number walk(const struct modulus *m, struct number n, int constant_value)
{
	struct cmd *c = m->c;
	uint32_t *constant = residue_of(m, constant_value);
	uint32_t *y = residue_of(m, 2);
	uint32_t *x = new_limbs(c, m->len);
	uint32_t *saved = new_limbs(c, m->len);
	uint32_t *difference = new_limbs(c, m->len);
	uint32_t *product = copy_limbs(c, m->one, m->len);
	size_t bytes = m->len * sizeof(*x);
	struct number divisor = { NULL, 0 };

	for (uint64_t far = 1;; far *= 2) {
		memcpy(x, y, bytes);
		for (uint64_t i = 0; i < far; i++)
			rho_step(m, y, constant);
		for (uint64_t done = 0; done < far; done += BATCH) {
			struct arena_mark mark = arena_mark(c->arena);

			memcpy(saved, y, bytes);
			for (uint64_t i = 0; i < BATCH && i < far - done; i++) {
				rho_step(m, y, constant);
				put_difference(m, difference, x, y);
				mod_multiply(m, product, product, difference);
			}
			divisor = common_divisor(c, product, n);
			if (divisor.len != 1 || divisor.limb[0] != 1)
				goto found;
			arena_release(c->arena, mark);
		}
	}
found:
	/* All at once: one after the other. */
	while (divisor.len == n.len && order(divisor.limb, n.limb, n.len) == 0) {
		rho_step(m, saved, constant);
		put_difference(m, difference, x, saved);
		divisor = common_divisor(c, difference, n);
		if (is_zero(difference, m->len))
			break;
		if (divisor.len == 1 && divisor.limb[0] == 1)
			divisor = n;
	}
	return divisor;
}

static struct number find_factor(const struct modulus *m, struct number n)
{
	for (int constant = 1;; constant++) {
		struct number divisor = walk(m, n, constant);

		if (divisor.len != n.len || order(divisor.limb, n.limb, n.len) != 0)
			return divisor;
	}
}

static int number_order(const void *a, const void *b)
{
	const struct number *x = a;
	const struct number *y = b;

	if (x->len != y->len)
		return x->len < y->len ? -1 : 1;
	return order(x->limb, y->limb, x->len);
}

/* The primes of a number without small ones, in order. */
static void put_large(struct cmd *c, struct number n)
{
	/* Each is above TRIAL_MAX: three of them need more than a limb. */
	struct number *todo = arena_alloc(c->arena, (n.len * 3 + 2) * sizeof(*todo));
	struct number *primes = arena_alloc(c->arena, (n.len * 3 + 2) * sizeof(*primes));
	size_t ntodo = 1;
	size_t nprimes = 0;

	todo[0] = n;
	while (ntodo > 0) {
		struct number next = todo[--ntodo];
		struct modulus m = modulus_of(c, next);

		if (!passes_base_2(&m, next) || !passes_lucas(&m, next)) {
			struct number factor = find_factor(&m, next);

			todo[ntodo++] = factor;
			todo[ntodo++] = divide(c, next, factor);
			continue;
		}
		size_t at = nprimes++;

		for (; at > 0 && number_order(&primes[at - 1], &next) > 0; at--)
			primes[at] = primes[at - 1];
		primes[at] = next;
	}
	for (size_t i = 0; i < nprimes; i++) {
		cmd_putc(c, ' ');
		put_number(c, primes[i]);
	}
}

void factor_big(struct cmd *c, struct bytes digits)
{
	struct number n = read_digits(c, digits);

	put_number(c, n);
	cmd_putc(c, ':');
	for (uint32_t p = 2; p < TRIAL_MAX; p += 1 + (p & 1)) {
		cmd_charge(c, n.len / 2 + 1);
		for (; remainder_small(n, p) == 0; divide_small(&n, p)) {
			cmd_charge(c, n.len + 1);
			cmd_printf(c, " %u", p);
		}
	}
	if (n.len > 1 || n.limb[0] > 1)
		put_large(c, n);
}
