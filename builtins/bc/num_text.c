/* SPDX-License-Identifier: MIT
 *
 * Numbers as text, in any base.
 */
#include "base/bytes.h"
#include "base/number.h"
#include "builtins/bc/num.h"

static unsigned digit_value(char ch, unsigned base)
{
	unsigned v = (unsigned)byte_digit((unsigned char)ch);

	return v >= base ? base - 1 : v;
}

static struct num *parse_decimal(struct cmd *c, struct bytes text)
{
	const char *point = memchr(text.ptr, '.', text.len);
	size_t scale = point != NULL ? (size_t)(text.ptr + text.len - point) - 1 : 0;
	struct num *x = num_new(c, text.len / NUM_DIGITS + 1, scale);
	uint32_t unit = 1;
	size_t at = 0;

	for (size_t i = text.len; i > 0; i--) {
		if (text.ptr[i - 1] == '.')
			continue;
		x->limb[at] += unit * digit_value(text.ptr[i - 1], 10);
		unit *= 10;
		if (unit == NUM_BASE) {
			unit = 1;
			at++;
		}
	}
	return num_settle(x);
}

/* Digits of a base as a whole number. */
static struct num *parse_whole(struct cmd *c, struct bytes text, unsigned base, unsigned most)
{
	struct num *x = num_new(c, text.len / 5 + 2, 0);
	size_t len = 0;

	for (size_t i = 0; i < text.len; i++) {
		x->limb[len] = mag_mul_small(x->limb, len, base, digit_value(text.ptr[i], most));
		len += x->limb[len] != 0;
		cmd_charge(c, len / 32 + 1);
	}
	return num_settle(x);
}

struct num *num_parse(struct cmd *c, struct bytes text, unsigned base, bool clamp)
{
	unsigned most = clamp ? base : 36;
	const char *point = memchr(text.ptr, '.', text.len);
	size_t whole = point != NULL ? (size_t)(point - text.ptr) : text.len;

	while (whole > 1 && text.ptr[0] == '0') {
		text = bytes_slice(text, 1, text.len);
		whole--;
		cmd_charge(c, 1);
	}
	bool alone = text.len == 1 && !byte_is_digit((unsigned char)text.ptr[0]);

	if (base == 10 && clamp && !alone)
		return parse_decimal(c, text);
	struct num *x = parse_whole(c, bytes_slice(text, 0, whole), base, whole == 1 ? 36 : most);

	if (point == NULL)
		return x;
	size_t digits = text.len - whole - 1;
	struct num *above = parse_whole(c, bytes_slice(text, whole + 1, text.len), base, most);
	struct num *b = num_of_i64(c, base);
	struct num *below = num_pow(c, b, (int64_t)digits, 0);
	struct num *part = num_div(c, above, below, digits);
	struct num *sum = num_add(c, x, part, 0);

	num_put(c, x);
	num_put(c, above);
	num_put(c, b);
	num_put(c, below);
	num_put(c, part);
	return sum;
}

/* All digits of the limbs, at least n of them. */
static void put_digits(struct cmd *c, struct buf *out, const struct num *x, size_t least)
{
	size_t have = num_digits(x);

	if (least > have)
		buf_fill(out, '0', least - have);
	for (size_t i = x->len; i > 0; i--) {
		char text[NUM_DIGITS];
		uint32_t limb = x->limb[i - 1];
		size_t n = NUM_DIGITS;

		for (size_t k = NUM_DIGITS; k > 0; k--) {
			text[k - 1] = (char)('0' + limb % 10);
			limb /= 10;
		}
		if (i == x->len)
			n = have - (x->len - 1) * NUM_DIGITS;
		buf_put(out, text + NUM_DIGITS - n, n);
		if (i % 64 == 0)
			cmd_charge(c, 16);
	}
}

static void put_decimal(struct cmd *c, struct buf *out, const struct num *x, bool zero)
{
	size_t start = out->len;
	bool fraction = num_digits(x) <= x->scale;

	put_digits(c, out, x, x->scale);
	if (fraction && zero) {
		buf_putc(out, '0');
		memmove(out->ptr + start + 1, out->ptr + start, out->len - start - 1);
		out->ptr[start] = '0';
	}
	if (x->scale == 0)
		return;
	buf_putc(out, '.');
	memmove(out->ptr + out->len - x->scale, out->ptr + out->len - 1 - x->scale, x->scale);
	out->ptr[out->len - 1 - x->scale] = '.';
}

/* One digit of a base above 16: a decimal number of `width` digits. */
static void put_wide(struct cmd *c, struct buf *out, const struct num *digit, size_t width,
		     bool blank)
{
	if (blank)
		buf_putc(out, ' ');
	put_digits(c, out, digit, width);
}

static void put_fraction(struct cmd *c, struct buf *out, struct num *rest, struct num *base,
			 size_t width, size_t scale)
{
	static const char letters[] = "0123456789ABCDEF";
	struct num *reach = num_of_i64(c, 1);
	bool blank = false;

	buf_putc(out, '.');
	while (num_digits(reach) <= scale) {
		struct num *product = num_mul(c, rest, base, scale);
		struct num *digit = num_rescale(c, product, 0);
		struct num *left = num_sub(c, product, digit, 0);

		if (width == 0)
			buf_putc(out, letters[num_to_i64(digit, NULL)]);
		else
			put_wide(c, out, digit, width, blank);
		blank = true;
		num_put(c, rest);
		rest = left;
		num_put(c, product);
		num_put(c, digit);
		product = num_mul(c, reach, base, 0);
		num_put(c, reach);
		reach = product;
	}
	num_put(c, rest);
	num_put(c, reach);
}

static void put_whole(struct cmd *c, struct buf *out, const struct num *x, struct num *base,
		      size_t width)
{
	static const char letters[] = "0123456789ABCDEF";
	size_t start = out->len;
	struct num *left = num_rescale(c, x, 0);

	if (width == 0) {
		uint32_t unit = (uint32_t)num_to_i64(base, NULL);

		while ((left->len = mag_trim(left->limb, left->len)) > 0) {
			buf_putc(out, letters[mag_div_small(left->limb, left->len, unit)]);
			cmd_charge(c, left->len / 16 + 1);
		}
		for (size_t i = start, k = out->len; i + 1 < k; i++) {
			char first = out->ptr[i];

			out->ptr[i] = out->ptr[--k];
			out->ptr[k] = first;
		}
		num_put(c, left);
		return;
	}
	/* Digits come lowest first: kept, then written. */
	struct num **digits = NULL;
	size_t n = 0;
	size_t cap = 0;

	while (!num_is_zero(left)) {
		struct num *q;

		if (n == cap) {
			digits = pool_resize(c->pool, digits, cap * sizeof(*digits),
					     (cap * 2 + 16) * sizeof(*digits));
			cap = cap * 2 + 16;
		}
		digits[n++] = num_mod(c, left, base, 0, &q);
		num_put(c, left);
		left = q;
	}
	num_put(c, left);
	while (n > 0) {
		put_wide(c, out, digits[--n], width, true);
		num_put(c, digits[n]);
	}
	pool_free(c->pool, digits, cap * sizeof(*digits));
}

void num_format(struct cmd *c, struct buf *out, const struct num *x, struct num *base, bool zero)
{
	bool small = base->len == 1 && base->limb[0] <= 16;
	size_t width = 0;

	if (x->negative)
		buf_putc(out, '-');
	if (num_is_zero(x)) {
		buf_putc(out, '0');
		return;
	}
	if (small && base->limb[0] == 10) {
		put_decimal(c, out, x, zero);
		return;
	}
	if (!small) {
		struct num *one = num_of_i64(c, 1);
		struct num *most = num_sub(c, base, one, 0);

		width = num_digits(most);
		num_put(c, one);
		num_put(c, most);
	}
	struct num *whole = num_rescale(c, x, 0);

	if (!num_is_zero(whole) || zero)
		put_whole(c, out, x, base, width);
	if (num_is_zero(whole) && zero)
		buf_putc(out, '0');
	if (x->scale > 0) {
		struct num *rest = num_sub(c, x, whole, 0);

		rest->negative = false;
		put_fraction(c, out, rest, base, width, x->scale);
	}
	num_put(c, whole);
}
