/* SPDX-License-Identifier: MIT
 *
 * factor - the prime factors of numbers.
 *
 * Small primes by division; what is left by Miller and Rabin's test and Pollard's rho.
 * Numbers from 2^64 on are factor_big's.
 */
#include "base/number.h"
#include "builtins/factor_big.h"

enum { SMALL_MAX = 1000 };

static uint64_t multiply(uint64_t a, uint64_t b, uint64_t m)
{
	uint64_t result = 0;

	if (m <= UINT32_MAX)
		return a * b % m;
	/* Double and add, four bits a turn would not fit: one at a time. */
	for (; b > 0; b >>= 1) {
		if ((b & 1) != 0)
			result = result >= m - a ? result - (m - a) : result + a;
		a = a >= m - a ? a - (m - a) : a + a;
	}
	return result;
}

static uint64_t power(uint64_t a, uint64_t n, uint64_t m)
{
	uint64_t result = 1;

	for (; n > 0; n >>= 1) {
		if ((n & 1) != 0)
			result = multiply(result, a, m);
		a = multiply(a, a, m);
	}
	return result;
}

/* These bases decide for all numbers of 64 bits. */
static bool is_prime(struct cmd *c, uint64_t n)
{
	static const uint8_t bases[] = { 2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37 };
	uint64_t odd = n - 1;
	int twos = 0;

	for (; odd % 2 == 0; odd /= 2)
		twos++;
	for (size_t i = 0; i < sizeof(bases); i++) {
		uint64_t x;
		int left = twos;

		if (n == bases[i])
			return true;
		if (n % bases[i] == 0)
			return false;
		cmd_charge(c, 64);
		x = power(bases[i], odd, n);
		if (x == 1 || x == n - 1)
			continue;
		while (--left > 0 && x != n - 1)
			x = multiply(x, x, n);
		if (x != n - 1)
			return false;
	}
	return true;
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
	while (b != 0) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* A factor of a number that is no prime. */
static uint64_t find_factor(struct cmd *c, uint64_t n)
{
	for (uint64_t add = 1;; add++) {
		uint64_t x = 2;
		uint64_t y = 2;
		uint64_t divisor = 1;

		while (divisor == 1) {
			uint64_t product = 1;
			uint64_t x0 = x;
			uint64_t y0 = y;

			for (int i = 0; i < 64; i++) {
				x = (multiply(x, x, n) + add) % n;
				y = (multiply(y, y, n) + add) % n;
				y = (multiply(y, y, n) + add) % n;
				product = multiply(product, x > y ? x - y : y - x, n);
			}
			divisor = common_divisor(product, n);
			cmd_charge(c, 256);
			/* All at once: one after the other. */
			for (int i = 0; divisor == n && i < 64; i++) {
				x0 = (multiply(x0, x0, n) + add) % n;
				y0 = (multiply(y0, y0, n) + add) % n;
				y0 = (multiply(y0, y0, n) + add) % n;
				uint64_t one = common_divisor(x0 > y0 ? x0 - y0 : y0 - x0, n);

				if (one != 1) {
					divisor = one;
					break;
				}
			}
		}
		if (divisor != n)
			return divisor;
	}
}

static void put_number(struct cmd *c, uint64_t n)
{
	char digits[20];

	cmd_putc(c, ' ');
	cmd_write(c, digits, num_format_u64(n, digits));
}

/* A number without small factors: its primes, in order. */
static void put_large(struct cmd *c, uint64_t n)
{
	uint64_t todo[64];
	uint64_t primes[64];
	size_t ntodo = 1;
	size_t nprimes = 0;

	todo[0] = n;
	while (ntodo > 0) {
		uint64_t m = todo[--ntodo];

		if (!is_prime(c, m)) {
			uint64_t factor = find_factor(c, m);

			todo[ntodo++] = factor;
			todo[ntodo++] = m / factor;
			continue;
		}
		size_t at = nprimes++;

		for (; at > 0 && primes[at - 1] > m; at--)
			primes[at] = primes[at - 1];
		primes[at] = m;
	}
	for (size_t i = 0; i < nprimes; i++)
		put_number(c, primes[i]);
}

static int factor_word(struct cmd *c, struct bytes word)
{
	const char *text = arena_dup(c->arena, word);
	uint64_t n = 0;
	bool overflow = false;
	const char *digits = text + strspn(text, " ");

	digits += *digits == '+';
	size_t used = byte_is_digit(*digits) ? number_parse_u64(bytes_of(digits), 10, &n, &overflow)
					     : 0;

	if (used == 0 || digits[used] != '\0')
		return cmd_error(c, 0, "%s is not a valid positive integer", cmd_quote(c, text));
	if (overflow) {
		factor_big(c, bytes_slice(bytes_of(digits), 0, used));
		cmd_putc(c, '\n');
		return 0;
	}
	cmd_printf(c, "%llu:", (unsigned long long)n);
	for (uint64_t p = 2; p < SMALL_MAX && p * p <= n; p += p > 2 ? 2 : 1)
		for (; n % p == 0 && n > 1; n /= p)
			put_number(c, p);
	if (n > 1)
		put_large(c, n);
	cmd_putc(c, '\n');
	cmd_charge(c, 16);
	return 0;
}

static int factor_input(struct cmd *c)
{
	struct input in;
	struct bytes line;
	int status = 0;
	int more;

	input_open(&in, c, "-");
	while ((more = input_line(&in, '\n', &line)) > 0) {
		for (size_t at = 0; at < line.len; at++) {
			struct arena_mark mark = arena_mark(c->arena);
			size_t from = at;

			while (at < line.len && !byte_is_blank(line.ptr[at]))
				at++;
			if (at > from && factor_word(c, bytes_slice(line, from, at)) != 0)
				status = 1;
			arena_release(c->arena, mark);
		}
	}
	return more < 0 ? cmd_error(c, more, "error reading input") : status;
}

static int factor_run(struct cmd *c)
{
	int status = 0;

	if (c->nargs == 0)
		return factor_input(c);
	for (int i = 0; i < c->nargs; i++)
		if (factor_word(c, bytes_of(c->args[i])) != 0)
			status = 1;
	return status;
}

const struct builtin builtin_factor = {
	.name = "factor",
	.usage = "[NUMBER]...",
	.summary = "Writes the prime factors of each number, or of those on standard input.",
	.run = factor_run,
};
