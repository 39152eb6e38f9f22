/* SPDX-License-Identifier: MIT
 *
 * Printing floating point numbers exactly.
 *
 * mant * 2^exp is a whole number (exp >= 0) or mant * 5^-exp with a decimal point -exp digits
 * from the right: in base 10^9 every digit is exact, and rounding looks at digits only.
 */
#include "base/number.h"

enum {
	GROUP = 1000000000,
	SMALL_WORDS = 48,   /* exponents up to +-256 or so: nearly all */
	LARGE_WORDS = 1300, /* 64 * 2^-16445 */
};

/* The exact decimal digits of a number, and where its point is. */
struct digits {
	uint8_t *digit; /* most significant first, no leading zeros; values 0..9 */
	int count;
	int point; /* 0.DIGITS * 10^point */
};

struct group_number {
	uint32_t *word; /* base 10^9, little end first */
	int len;
};

static void groups_mul(struct group_number *g, uint32_t factor)
{
	uint64_t carry = 0;

	for (int i = 0; i < g->len; i++) {
		carry += (uint64_t)g->word[i] * factor;
		g->word[i] = (uint32_t)(carry % GROUP);
		carry /= GROUP;
	}
	while (carry != 0) {
		g->word[g->len++] = (uint32_t)(carry % GROUP);
		carry /= GROUP;
	}
}

static void groups_set(struct group_number *g, uint64_t v)
{
	for (g->len = 0; v != 0; v /= GROUP)
		g->word[g->len++] = (uint32_t)(v % GROUP);
}

static void groups_to_digits(const struct group_number *g, struct digits *d)
{
	int at = 0;

	for (int i = g->len; i-- > 0;) {
		uint32_t v = g->word[i];
		int width = 9;

		if (i == g->len - 1) {
			width = 1;
			for (uint32_t w = v; w >= 10; w /= 10)
				width++;
		}
		for (int k = width; k-- > 0; v /= 10)
			d->digit[at + k] = (uint8_t)(v % 10);
		at += width;
	}
	d->count = at;
}

static void digits_make(struct digits *d, uint64_t mant, int exp, uint32_t *words)
{
	struct group_number g = { .word = words };
	int zeros = __builtin_ctzll(mant);

	mant >>= zeros;
	exp += zeros;
	groups_set(&g, mant);
	if (exp >= 0) {
		for (; exp >= 29; exp -= 29)
			groups_mul(&g, (uint32_t)1 << 29);
		groups_mul(&g, (uint32_t)1 << exp);
		groups_to_digits(&g, d);
		d->point = d->count;
		return;
	}
	int fives = -exp;

	for (; fives >= 13; fives -= 13)
		groups_mul(&g, 1220703125);
	uint32_t rest = 1;

	for (; fives > 0; fives--)
		rest *= 5;
	groups_mul(&g, rest);
	groups_to_digits(&g, d);
	d->point = d->count + exp;
}

/* Keeps `keep` digits (may be negative or beyond the count), half to even. */
static void digits_round(struct digits *d, int keep)
{
	if (keep >= d->count)
		return;
	bool up = false;

	if (keep >= 0) {
		uint8_t next = d->digit[keep];
		bool rest = false;

		for (int i = keep + 1; i < d->count && !rest; i++)
			rest = d->digit[i] != 0;
		up = next > 5 || (next == 5 && (rest || (keep > 0 && d->digit[keep - 1] % 2 != 0)));
	}
	d->count = keep > 0 ? keep : 0;
	if (!up)
		return;
	int i = d->count - 1;

	while (i >= 0 && d->digit[i] == 9)
		d->digit[i--] = 0;
	if (i >= 0) {
		d->digit[i]++;
		return;
	}
	/* All nines: one digit more in front. */
	if (d->count == 0)
		d->count = 1;
	d->digit[0] = 1;
	d->point++;
}

/* Zeros stand in front of the first digit and behind the last. */
static void put_digits(struct buf *out, const struct digits *d, int64_t from, int64_t to)
{
	int64_t i = from;

	for (; i < to && i < d->count; i++)
		buf_putc(out, (char)('0' + (i >= 0 ? d->digit[i] : 0)));
	if (i < to)
		buf_fill(out, '0', (size_t)(to - i));
}

static void put_fixed(struct buf *out, const struct digits *d, int precision, unsigned flags)
{
	if (d->point > 0)
		put_digits(out, d, 0, d->point);
	else
		buf_putc(out, '0');
	if (precision > 0 || (flags & REAL_ALT) != 0)
		buf_putc(out, '.');
	put_digits(out, d, d->point, (int64_t)d->point + precision);
}

static void put_scientific(struct buf *out, const struct digits *d, int exponent, int precision,
			   unsigned flags)
{
	put_digits(out, d, 0, 1);
	if (precision > 0 || (flags & REAL_ALT) != 0)
		buf_putc(out, '.');
	put_digits(out, d, 1, (int64_t)precision + 1);
	buf_putc(out, (flags & REAL_UPPER) != 0 ? 'E' : 'e');
	buf_putc(out, exponent < 0 ? '-' : '+');
	if (exponent < 0)
		exponent = -exponent;
	if (exponent < 10)
		buf_putc(out, '0');
	buf_put_i64(out, exponent);
}

static void put_general(struct buf *out, struct digits *d, int precision, unsigned flags)
{
	if (precision == 0)
		precision = 1;
	digits_round(d, precision);
	int exponent = d->count != 0 ? d->point - 1 : 0;
	int shown = precision;

	if ((flags & REAL_ALT) == 0) {
		shown = d->count;
		while (shown > 1 && d->digit[shown - 1] == 0)
			shown--;
		if (shown == 0)
			shown = 1;
	}
	if (exponent < -4 || exponent >= precision) {
		put_scientific(out, d, exponent, shown - 1, flags);
		return;
	}
	int fraction = shown - 1 - exponent;

	put_fixed(out, d, fraction > 0 ? fraction : 0, flags);
}

static void put_decimal(struct buf *out, struct digits *d, char conv, int precision, unsigned flags)
{
	if (precision < 0)
		precision = 6;
	if (conv == 'g') {
		put_general(out, d, precision, flags);
	} else if (conv == 'e') {
		/* Zero has no digits: its exponent is shown as 0. */
		digits_round(d, precision < INT32_MAX ? precision + 1 : precision);
		put_scientific(out, d, d->count != 0 ? d->point - 1 : 0, precision, flags);
	} else {
		int64_t keep = (int64_t)d->point + precision;

		digits_round(d, keep > INT32_MAX ? INT32_MAX : (int)keep);
		/* A number rounded away has no digits left of the point. */
		if (d->count == 0)
			d->point = 0;
		put_fixed(out, d, precision, flags);
	}
}

__attribute__((noinline)) static void put_large(struct buf *out, struct real v, char conv,
						int precision, unsigned flags)
{
	uint32_t words[LARGE_WORDS];
	uint8_t text[LARGE_WORDS * 9];
	struct digits d = { .digit = text };

	digits_make(&d, v.mant, v.exp, words);
	put_decimal(out, &d, conv, precision, flags);
}

static void put_finite(struct buf *out, struct real v, char conv, int precision, unsigned flags)
{
	uint32_t words[SMALL_WORDS];
	uint8_t text[SMALL_WORDS * 9];
	struct digits d = { .digit = text, .point = 1 };

	if (v.kind == REAL_FINITE) {
		if (v.exp > 256 || v.exp < -300) {
			put_large(out, v, conv, precision, flags);
			return;
		}
		digits_make(&d, v.mant, v.exp, words);
	}
	put_decimal(out, &d, conv, precision, flags);
}

/* --- %a --- */

struct hex {
	uint64_t lead; /* before the point */
	uint64_t tail; /* behind it, left aligned */
	int exp;
};

static struct hex hex_of(struct real v, bool of_double)
{
	int head = of_double ? 1 : 4;
	int exp_min = of_double ? -1022 - 63 : -16385 - 60;
	struct hex h = { 0 };

	if (v.kind == REAL_ZERO)
		return h;
	if (v.exp < exp_min) { /* subnormal */
		v.mant >>= exp_min - v.exp;
		v.exp = exp_min;
	}
	h.lead = v.mant >> (64 - head);
	h.tail = v.mant << head;
	h.exp = v.exp + 64 - head;
	return h;
}

static void hex_round(struct hex *h, int precision, bool of_double)
{
	uint64_t unit = precision == 0 ? 0 : (uint64_t)1 << (64 - 4 * precision);
	uint64_t cut = h->tail & (unit - 1);
	uint64_t half = precision == 0 ? (uint64_t)1 << 63 : unit >> 1;
	bool odd = ((precision == 0 ? h->lead : h->tail >> (64 - 4 * precision)) & 1) != 0;

	h->tail -= cut;
	if (cut > half || (cut == half && odd)) {
		h->tail += unit;
		h->lead += h->tail < unit || unit == 0;
	}
	if (!of_double && h->lead > 15) {
		h->lead = 1;
		h->exp += 4;
	}
}

static void put_hex(struct buf *out, struct real v, int precision, unsigned flags)
{
	bool of_double = (flags & REAL_A_DOUBLE) != 0;
	bool upper = (flags & REAL_UPPER) != 0;
	const char *letters = upper ? "0123456789ABCDEF" : "0123456789abcdef";
	struct hex h = hex_of(v, of_double);

	if (precision >= 0 && precision < 16)
		hex_round(&h, precision, of_double);
	if (precision < 0) {
		precision = 0;
		for (uint64_t rest = h.tail; rest != 0; rest <<= 4)
			precision++;
	}
	buf_puts(out, upper ? "0X" : "0x");
	buf_putc(out, letters[h.lead & 15]);
	if (precision > 0 || (flags & REAL_ALT) != 0)
		buf_putc(out, '.');
	for (int i = 0; i < precision; i++, h.tail <<= 4)
		buf_putc(out, letters[h.tail >> 60]);
	buf_putc(out, upper ? 'P' : 'p');
	buf_putc(out, h.exp < 0 ? '-' : '+');
	buf_put_i64(out, h.exp < 0 ? -(int64_t)h.exp : h.exp);
}

void real_put(struct buf *out, struct real v, char conv, int precision, unsigned flags)
{
	if (v.negative)
		buf_putc(out, '-');
	else if ((flags & REAL_PLUS) != 0)
		buf_putc(out, '+');
	else if ((flags & REAL_SPACE) != 0)
		buf_putc(out, ' ');
	if (v.kind == REAL_INF)
		buf_puts(out, (flags & REAL_UPPER) != 0 ? "INF" : "inf");
	else if (v.kind == REAL_NAN)
		buf_puts(out, (flags & REAL_UPPER) != 0 ? "NAN" : "nan");
	else if (conv == 'a')
		put_hex(out, v, precision, flags);
	else
		put_finite(out, v, conv, precision, flags);
}

/* --- for other rooms --- */

void number_put_g(struct buf *out, double d, int precision)
{
	/* Whole numbers below 10^15: awk and jq print little else. */
	if (precision >= 15 || (d < 1e6 && d > -1e6 && precision >= 6)) {
		if (d > -1e15 && d < 1e15 && d == (double)(int64_t)d && (d != 0 || 1 / d > 0)) {
			buf_put_i64(out, (int64_t)d);
			return;
		}
	}
	real_put(out, real_of_double(d), 'g', precision, 0);
}

int number_shortest(double d, char digits[17], int *exponent)
{
	uint32_t words[SMALL_WORDS * 2 + LARGE_WORDS / 10];
	uint8_t text[sizeof(words) / sizeof(words[0]) * 9];
	struct real v = real_of_double(d);
	struct digits all = { .digit = text };

	v.negative = false;
	d = d < 0 ? -d : d;
	/* Fifteen digits suffice for what people write; then it takes one or two more. */
	for (int n = 1; n <= 17; n = n == 1 ? 15 : n + 1) {
		digits_make(&all, v.mant, v.exp, words);
		digits_round(&all, n);
		while (all.count > 1 && all.digit[all.count - 1] == 0)
			all.count--;
		char digit_text[32];
		int len = 0;

		for (int i = 0; i < all.count; i++)
			digits[i] = digit_text[len++] = (char)('0' + all.digit[i]);
		*exponent = all.point;
		digit_text[len++] = 'e';
		len += (int)number_put_i64(digit_text + len, all.point - all.count);
		double back;

		number_parse_double((struct bytes){ digit_text, (size_t)len }, &back, NULL);
		if (back == d)
			break;
	}
	return all.count;
}
