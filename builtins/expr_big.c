/* SPDX-License-Identifier: MIT
 *
 * Whole numbers of any length.
 *
 * A number is a sign and decimal digits without leading zeros, the way it was typed and will be
 * printed; so only the operations themselves cost something. Zero has no digits.
 */
#include "builtins/expr_big.h"

struct big {
	bool negative;
	struct bytes digits;
};

static struct big big_of(struct bytes s)
{
	bool negative = s.len > 0 && s.ptr[0] == '-';
	size_t from = negative;

	while (from < s.len && s.ptr[from] == '0')
		from++;
	return (struct big){ negative && from < s.len, bytes_slice(s, from, s.len) };
}

static struct bytes text_of(struct cmd *c, struct big v)
{
	struct buf out = buf_in(c->arena);

	if (v.digits.len == 0)
		return BYTES("0");
	if (v.negative)
		buf_putc(&out, '-');
	buf_add(&out, v.digits);
	return buf_bytes(&out);
}

static int order(struct bytes a, struct bytes b)
{
	if (a.len != b.len)
		return a.len < b.len ? -1 : 1;
	return a.len == 0 ? 0 : memcmp(a.ptr, b.ptr, a.len);
}

/* The digit at place `at`, counted from the right. */
static int digit(struct bytes s, size_t at)
{
	return at < s.len ? s.ptr[s.len - 1 - at] - '0' : 0;
}

/* a + b, or with sign -1 a - b, which must not be negative. */
static struct bytes add(struct cmd *c, struct bytes a, struct bytes b, int sign)
{
	size_t n = (a.len > b.len ? a.len : b.len) + 1;
	char *out = arena_alloc(c->arena, n);
	int carry = 0;

	cmd_charge_bytes(c, n);
	for (size_t i = 0; i < n; i++) {
		int v = digit(a, i) + sign * digit(b, i) + carry;

		carry = v < 0 ? -1 : v / 10;
		out[n - 1 - i] = (char)('0' + v - carry * 10);
	}
	return big_of((struct bytes){ out, n }).digits;
}

static struct big sum(struct cmd *c, struct big a, struct big b)
{
	if (a.negative == b.negative)
		return (struct big){ a.negative, add(c, a.digits, b.digits, 1) };
	if (order(a.digits, b.digits) >= 0)
		return (struct big){ a.negative, add(c, a.digits, b.digits, -1) };
	return (struct big){ b.negative, add(c, b.digits, a.digits, -1) };
}

static struct bytes multiply(struct cmd *c, struct bytes a, struct bytes b)
{
	size_t n = a.len + b.len;
	uint8_t *out = arena_zalloc(c->arena, n + 1);

	for (size_t i = 0; i < a.len; i++) {
		int carry = 0;

		cmd_charge_bytes(c, b.len);
		for (size_t k = 0; k <= b.len && i + k < n; k++) {
			uint8_t *at = &out[n - 1 - i - k];
			int v = *at + digit(a, i) * digit(b, k) + carry;

			*at = (uint8_t)(v % 10);
			carry = v / 10;
		}
	}
	for (size_t i = 0; i < n; i++)
		out[i] = (uint8_t)(out[i] + '0');
	return big_of((struct bytes){ (const char *)out, n }).digits;
}

/* rest = rest * 10 + next; then how often b is contained in it, which is taken off. */
static char take_off(struct cmd *c, char *rest, size_t n, char next, struct bytes b)
{
	char times = '0';

	cmd_charge_bytes(c, n);
	memmove(rest, rest + 1, n - 1);
	rest[n - 1] = next;
	while (rest[0] != '0' || memcmp(rest + 1, b.ptr, b.len) >= 0) {
		int borrow = 0;

		for (size_t i = 0; i < n; i++) {
			int v = rest[n - 1 - i] - '0' - digit(b, i) - borrow;

			borrow = v < 0;
			rest[n - 1 - i] = (char)('0' + v + borrow * 10);
		}
		times++;
	}
	return times;
}

static struct bytes divide(struct cmd *c, struct bytes a, struct bytes b, struct bytes *rest)
{
	size_t n = b.len + 1;
	char *left = arena_alloc(c->arena, n);
	char *out = arena_alloc(c->arena, a.len + 1);

	memset(left, '0', n);
	for (size_t i = 0; i < a.len; i++)
		out[i] = take_off(c, left, n, a.ptr[i], b);
	*rest = big_of((struct bytes){ left, n }).digits;
	return big_of((struct bytes){ out, a.len }).digits;
}

struct bytes expr_big(struct cmd *c, char op, struct bytes left, struct bytes right)
{
	struct big a = big_of(left);
	struct big b = big_of(right);
	struct bytes rest;

	if (op == '-')
		b.negative = !b.negative;
	if (op == '+' || op == '-')
		return text_of(c, sum(c, a, b));
	if (op == '*')
		return text_of(c, (struct big){ a.negative != b.negative,
						multiply(c, a.digits, b.digits) });
	struct bytes quotient = divide(c, a.digits, b.digits, &rest);

	if (op == '%')
		return text_of(c, (struct big){ a.negative, rest });
	return text_of(c, (struct big){ a.negative != b.negative, quotient });
}

int expr_big_order(struct bytes left, struct bytes right)
{
	struct big a = big_of(left);
	struct big b = big_of(right);

	if (a.negative != b.negative)
		return a.negative ? -1 : 1;
	int result = order(a.digits, b.digits);

	return a.negative ? -result : result;
}
