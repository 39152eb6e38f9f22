/* SPDX-License-Identifier: MIT
 *
 * Reading floating point numbers, correctly rounded.
 *
 * Short decimal numbers (19 digits, a power of ten whose 5^n fits 64 bits) need one 128-bit
 * multiplication or division; the others are done with exact integers of up to BIG_WORDS words.
 */
#include "base/number.h"

enum {
	BIG_WORDS = 620,   /* 32-bit words: 5^6500 and 66 bits more */
	DIGITS_MAX = 1100, /* more only decide whether the rest is zero */
	EXP10_MAX = 5000,  /* beyond: infinity or zero in every format */
};

struct big {
	size_t len;
	uint32_t word[BIG_WORDS]; /* little end first */
};

/* --- rounding --- */

struct real_range {
	int bits;
	int exp_min; /* smallest exponent of a 64-bit mantissa of a normal number */
	int exp_max;
};

static struct real_range range_of(enum real_format format)
{
	if (format == REAL_DOUBLE)
		return (struct real_range){ 53, -1022 - 63, 1023 - 63 };
	return (struct real_range){ 64, -16382 - 63, 16383 - 63 };
}

static int leading_zeros(uint64_t v)
{
	return __builtin_clzll(v);
}

/* Drops the lowest bits of *mant (1 to 65 of them); *half and *sticky then tell what is cut. */
static void drop_bits(uint64_t *mant, int drop, bool *half, bool *sticky)
{
	*sticky = *sticky || *half;
	if (drop > 64) {
		*sticky = *sticky || *mant != 0;
		*half = false;
		*mant = 0;
		return;
	}
	uint64_t cut = drop == 64 ? *mant : *mant & (((uint64_t)1 << drop) - 1);
	uint64_t middle = (uint64_t)1 << (drop - 1);

	*half = (cut & middle) != 0;
	*sticky = *sticky || (cut & ~middle) != 0;
	*mant = drop == 64 ? 0 : *mant >> drop;
}

/*
 * mant * 2^exp rounded to the format; mant's top bit is set, half is the bit below its last
 * one, sticky whether any below that is set.
 */
static enum real_status real_round(struct real *out, uint64_t mant, int exp, bool half, bool sticky,
				   enum real_format format)
{
	struct real_range range = range_of(format);
	int drop = 64 - range.bits;
	bool tiny = exp < range.exp_min;

	if (tiny)
		drop = range.exp_min - exp > 64 ? 65 : drop + range.exp_min - exp;
	if (drop > 65)
		drop = 65;
	if (drop > 0)
		drop_bits(&mant, drop, &half, &sticky);
	enum real_status status = tiny && (half || sticky) ? REAL_UNDERFLOW : REAL_OK;

	exp += drop;
	if (half && (sticky || (mant & 1) != 0) && ++mant == 0) {
		mant = (uint64_t)1 << 63;
		exp++;
	}
	if (mant == 0) {
		out->kind = REAL_ZERO;
		return status;
	}
	out->exp = exp - leading_zeros(mant);
	out->mant = mant << leading_zeros(mant);
	out->kind = out->exp > range.exp_max ? REAL_INF : REAL_FINITE;
	return out->kind == REAL_INF ? REAL_OVERFLOW : status;
}

/* --- exact integers --- */

static void big_mul_add(struct big *b, uint32_t factor, uint32_t add)
{
	uint64_t carry = add;

	for (size_t i = 0; i < b->len; i++) {
		carry += (uint64_t)b->word[i] * factor;
		b->word[i] = (uint32_t)carry;
		carry >>= 32;
	}
	if (carry != 0)
		b->word[b->len++] = (uint32_t)carry;
}

static void big_mul_pow5(struct big *b, int n)
{
	for (; n >= 13; n -= 13)
		big_mul_add(b, 1220703125, 0);
	uint32_t rest = 1;

	for (; n > 0; n--)
		rest *= 5;
	big_mul_add(b, rest, 0);
}

static int big_bits(const struct big *b)
{
	return (int)b->len * 32 - __builtin_clz(b->word[b->len - 1]);
}

static void big_shift_left(struct big *b, int bits)
{
	size_t words = (size_t)bits / 32;
	unsigned rest = (unsigned)bits % 32;

	memmove(b->word + words, b->word, b->len * sizeof(uint32_t));
	memset(b->word, 0, words * sizeof(uint32_t));
	b->len += words;
	if (rest != 0)
		big_mul_add(b, (uint32_t)1 << rest, 0);
}

/* The top 64 bits, left aligned; *half and *sticky say what is below. */
static uint64_t big_top(const struct big *b, bool *half, bool *sticky)
{
	int bits = big_bits(b);
	uint64_t top = 0;

	for (int i = 0; i < 64; i++) {
		int at = bits - 1 - i;

		top = top << 1 | (at >= 0 ? b->word[at / 32] >> (at % 32) & 1 : 0);
	}
	int at = bits - 65;

	*half = at >= 0 && (b->word[at / 32] >> (at % 32) & 1) != 0;
	*sticky = false;
	if (at > 0) {
		for (int i = 0; i < at / 32; i++)
			*sticky = *sticky || b->word[i] != 0;
		*sticky = *sticky || (b->word[at / 32] & (((uint32_t)1 << (at % 32)) - 1)) != 0;
	}
	return top;
}

static int big_cmp(const struct big *a, const struct big *b)
{
	if (a->len != b->len)
		return a->len < b->len ? -1 : 1;
	for (size_t i = a->len; i-- > 0;) {
		if (a->word[i] != b->word[i])
			return a->word[i] < b->word[i] ? -1 : 1;
	}
	return 0;
}

/* a -= b * factor; false if the result would be negative (then a is wrong by 2^n). */
static bool big_sub_mul(struct big *a, const struct big *b, uint32_t factor)
{
	uint64_t borrow = 0;

	for (size_t i = 0; i < a->len; i++) {
		uint64_t take = borrow + (i < b->len ? (uint64_t)b->word[i] * factor : 0);
		uint32_t low = (uint32_t)take;

		borrow = (take >> 32) + (a->word[i] < low);
		a->word[i] -= low;
	}
	return borrow == 0;
}

/* a += b within a's length. Whether a bit was carried out. */
static bool big_add(struct big *a, const struct big *b)
{
	uint64_t carry = 0;

	for (size_t i = 0; i < a->len; i++) {
		carry += (uint64_t)a->word[i] + (i < b->len ? b->word[i] : 0);
		a->word[i] = (uint32_t)carry;
		carry >>= 32;
	}
	return carry != 0;
}

static void big_trim(struct big *b)
{
	while (b->len > 0 && b->word[b->len - 1] == 0)
		b->len--;
}

/*
 * One word of a quotient: a = a * 2^32, then a / b, the remainder stays in a. b's top bit is
 * set and a < b before.
 */
static uint32_t big_quotient_word(struct big *a, const struct big *b)
{
	big_shift_left(a, 32);
	big_trim(a);
	if (big_cmp(a, b) < 0)
		return 0;
	uint64_t high = a->len > b->len ? (uint64_t)a->word[a->len - 1] << 32 | a->word[a->len - 2]
					: a->word[a->len - 1];
	uint64_t guess = high / b->word[b->len - 1];

	if (guess > UINT32_MAX)
		guess = UINT32_MAX;
	if (!big_sub_mul(a, b, (uint32_t)guess)) {
		/* Too large by at most two, the top bit of b being set. */
		do
			guess--;
		while (!big_add(a, b));
	}
	big_trim(a);
	return (uint32_t)guess;
}

/* --- decimal --- */

struct decimal {
	const char *digits; /* with a point somewhere */
	size_t len;
	uint64_t small; /* the value of the first 19 digits */
	int ndigits;    /* significant ones, leading zeros left out */
	bool tail;      /* non-zero digits beyond DIGITS_MAX were cut */
	int exp10;      /* of the last digit kept */
};

static void big_of_decimal(struct big *b, const struct decimal *d)
{
	int taken = 0;

	b->len = 0;
	for (size_t i = 0; i < d->len && taken < d->ndigits; i++) {
		if (d->digits[i] == '.' || (taken == 0 && d->digits[i] == '0'))
			continue;
		big_mul_add(b, 10, (uint32_t)(d->digits[i] - '0'));
		taken++;
	}
	if (d->tail) /* any non-zero rest decides a tie */
		big_mul_add(b, 10, 1);
}

__attribute__((noinline)) static enum real_status
decimal_slow(struct real *out, const struct decimal *d, enum real_format format)
{
	struct big n;
	int exp10 = d->exp10 - d->tail;
	bool half;
	bool sticky;

	big_of_decimal(&n, d);
	if (exp10 >= 0) {
		big_mul_pow5(&n, exp10);
		uint64_t mant = big_top(&n, &half, &sticky);

		return real_round(out, mant, big_bits(&n) - 64 + exp10, half, sticky, format);
	}
	struct big den;

	den.len = 1;
	den.word[0] = 1;
	big_mul_pow5(&den, -exp10);
	int den_bits = big_bits(&den);
	int den_shift = (32 - den_bits % 32) % 32;

	while (den_bits + den_shift <= big_bits(&n))
		den_shift += 32;
	int shift = den_bits + den_shift - 1 - big_bits(&n);

	/* Now n / den is below one and at least a quarter: the quotient has one leading zero. */
	big_shift_left(&den, den_shift);
	big_shift_left(&n, shift);
	uint64_t q = (uint64_t)big_quotient_word(&n, &den) << 32;

	q |= big_quotient_word(&n, &den);
	uint32_t low = big_quotient_word(&n, &den);
	int lead = leading_zeros(q);
	uint64_t mant = lead == 0 ? q : q << lead | low >> (32 - lead);
	uint32_t rest = lead == 0 ? low : low << lead;

	return real_round(out, mant, exp10 + den_shift - shift - 64 - lead, rest >> 31 != 0,
			  (rest & 0x7fffffff) != 0 || n.len != 0, format);
}

/* 19 digits at most and a power of five that fits 64 bits. */
static enum real_status decimal_quick(struct real *out, const struct decimal *d,
				      enum real_format format)
{
	static const uint64_t pow5[28] = {
		1,
		5,
		25,
		125,
		625,
		3125,
		15625,
		78125,
		390625,
		1953125,
		9765625,
		48828125,
		244140625,
		1220703125,
		6103515625,
		30517578125,
		152587890625,
		762939453125,
		3814697265625,
		19073486328125,
		95367431640625,
		476837158203125,
		2384185791015625,
		11920928955078125,
		59604644775390625,
		298023223876953125,
		1490116119384765625,
		7450580596923828125,
	};
	typedef unsigned __int128 wide;

	if (d->exp10 >= 0) {
		wide v = (wide)d->small * pow5[d->exp10];
		uint64_t high = (uint64_t)(v >> 64);
		int lead = high != 0 ? leading_zeros(high) : 64 + leading_zeros((uint64_t)v);

		v <<= lead;
		return real_round(out, (uint64_t)(v >> 64), d->exp10 + 64 - lead,
				  (uint64_t)v >> 63 != 0, (uint64_t)v << 1 != 0, format);
	}
	uint64_t den = pow5[-d->exp10];
	int den_lead = leading_zeros(den);
	int lead = leading_zeros(d->small);
	wide num = (wide)(d->small << lead) << 64;

	den <<= den_lead;
	wide q = num / den; /* 64 or 65 bits */
	uint64_t r = (uint64_t)(num % den);
	int exp = d->exp10 - 64 - lead + den_lead;

	if (q >> 64 != 0)
		return real_round(out, (uint64_t)(q >> 1), exp + 1, (q & 1) != 0, r != 0, format);
	wide twice = (wide)r * 2;

	return real_round(out, (uint64_t)q, exp, twice >= den, twice != 0 && twice != den, format);
}

static int clamp_exp(int64_t e)
{
	return (int)(e > 10000000 ? 10000000 : e < -10000000 ? -10000000 : e);
}

/* Reads digits with a point; false if there are none. */
static bool decimal_scan(struct bytes s, size_t *at, struct decimal *d)
{
	size_t i = *at;
	bool point = false;
	bool any = false;
	int64_t exp10 = 0;

	*d = (struct decimal){ .digits = s.ptr + i };
	for (; i < s.len; i++) {
		if (s.ptr[i] == '.' && !point) {
			point = true;
			continue;
		}
		if (!byte_is_digit((unsigned char)s.ptr[i]))
			break;
		any = true;
		exp10 -= point;
		if (d->ndigits == 0 && s.ptr[i] == '0')
			continue;
		if (d->ndigits < 19)
			d->small = d->small * 10 + (uint64_t)(s.ptr[i] - '0');
		if (d->ndigits < DIGITS_MAX) {
			d->ndigits++;
		} else {
			exp10++;
			d->tail = d->tail || s.ptr[i] != '0';
		}
	}
	d->len = (size_t)(s.ptr + i - d->digits);
	if (any)
		*at = i;
	d->exp10 = clamp_exp(exp10);
	return any;
}

/* An exponent behind letter e or p: the sum with `exp`, bounded. */
static void exponent_scan(struct bytes s, size_t *at, char letter, int *exp)
{
	size_t i = *at;
	int sign = 1;
	int64_t v = 0;

	if (i >= s.len || (s.ptr[i] | 0x20) != letter)
		return;
	i++;
	if (i < s.len && (s.ptr[i] == '+' || s.ptr[i] == '-'))
		sign = s.ptr[i++] == '-' ? -1 : 1;
	if (i >= s.len || !byte_is_digit((unsigned char)s.ptr[i]))
		return;
	for (; i < s.len && byte_is_digit((unsigned char)s.ptr[i]); i++) {
		if (v < 100000000)
			v = v * 10 + (s.ptr[i] - '0');
	}
	*exp = clamp_exp(v * sign + *exp);
	*at = i;
}

static enum real_status decimal_value(struct real *out, const struct decimal *d,
				      enum real_format format)
{
	int magnitude = d->ndigits + d->exp10; /* the value is below 10^magnitude */

	if (d->ndigits == 0) {
		out->kind = REAL_ZERO;
		return REAL_OK;
	}
	if (magnitude > EXP10_MAX) {
		out->kind = REAL_INF;
		return REAL_OVERFLOW;
	}
	if (magnitude < -EXP10_MAX) {
		out->kind = REAL_ZERO;
		return REAL_UNDERFLOW;
	}
	if (d->ndigits <= 19 && d->exp10 >= -27 && d->exp10 <= 27)
		return decimal_quick(out, d, format);
	return decimal_slow(out, d, format);
}

/* The first 64 significant bits of a number, and what follows them. */
struct bits {
	uint64_t mant;
	int64_t extra;
	bool half;
	bool sticky;
};

static void bits_push(struct bits *b, unsigned digit)
{
	for (int i = 3; i >= 0; i--) {
		bool one = (digit >> i & 1) != 0;

		if (b->mant >> 63 == 0)
			b->mant = b->mant << 1 | one;
		else if (b->extra++ == 0)
			b->half = one;
		else
			b->sticky = b->sticky || one;
	}
}

/* Hexadecimal digits with a point, and a binary exponent. False if there are no digits. */
static bool hex_scan(struct bytes s, size_t *at, struct real *out, enum real_format format,
		     enum real_status *status)
{
	size_t i = *at;
	struct bits b = { 0 };
	int64_t points = 0;
	bool any = false;
	bool point = false;

	for (; i < s.len; i++) {
		if (s.ptr[i] == '.' && !point) {
			point = true;
			continue;
		}
		if (!byte_is_xdigit((unsigned char)s.ptr[i]))
			break;
		any = true;
		points += point;
		bits_push(&b, (unsigned)byte_digit((unsigned char)s.ptr[i]));
	}
	if (!any)
		return false;
	int exp = clamp_exp(b.extra - points * 4);

	exponent_scan(s, &i, 'p', &exp);
	*at = i;
	*status = REAL_OK;
	out->kind = REAL_ZERO;
	if (b.mant != 0) {
		int lead = leading_zeros(b.mant);

		*status = real_round(out, b.mant << lead, exp - lead, b.half, b.sticky, format);
	}
	return true;
}

/* Bytes of `word` at the beginning of s, whatever their case; 0 if it is not there. */
static size_t word_at(struct bytes s, const char *word)
{
	size_t n = strlen(word);

	for (size_t i = 0; i < n; i++) {
		if (i >= s.len || byte_to_lower((unsigned char)s.ptr[i]) != word[i])
			return 0;
	}
	return n;
}

/* inf, infinity, nan, nan(chars). */
static size_t special_scan(struct bytes s, struct real *out)
{
	size_t n = word_at(s, "infinity");

	if (n == 0)
		n = word_at(s, "inf");
	if (n != 0) {
		out->kind = REAL_INF;
		return n;
	}
	n = word_at(s, "nan");
	if (n == 0)
		return 0;
	out->kind = REAL_NAN;
	if (n < s.len && s.ptr[n] == '(') {
		size_t i = n + 1;

		while (i < s.len && byte_is_name((unsigned char)s.ptr[i]))
			i++;
		if (i < s.len && s.ptr[i] == ')')
			return i + 1;
	}
	return n;
}

size_t real_parse(struct bytes s, enum real_format format, struct real *out,
		  enum real_status *status)
{
	enum real_status ignored;
	struct decimal d;
	size_t i = 0;

	if (status == NULL)
		status = &ignored;
	*status = REAL_OK;
	*out = (struct real){ .kind = REAL_ZERO };
	while (i < s.len && byte_is_space((unsigned char)s.ptr[i]))
		i++;
	if (i < s.len && (s.ptr[i] == '-' || s.ptr[i] == '+'))
		out->negative = s.ptr[i++] == '-';
	if (s.len - i > 2 && s.ptr[i] == '0' && (s.ptr[i + 1] | 0x20) == 'x') {
		size_t at = i + 2;

		if (hex_scan(s, &at, out, format, status))
			return at;
	}
	if (decimal_scan(s, &i, &d)) {
		exponent_scan(s, &i, 'e', &d.exp10);
		*status = decimal_value(out, &d, format);
		return i;
	}
	size_t special = special_scan(bytes_slice(s, i, s.len), out);

	if (special == 0)
		out->negative = false;
	return special != 0 ? i + special : 0;
}

/* --- double --- */

struct real real_of_u64(uint64_t v)
{
	if (v == 0)
		return (struct real){ .kind = REAL_ZERO };
	int lead = leading_zeros(v);

	return (struct real){ .kind = REAL_FINITE, .mant = v << lead, .exp = -lead };
}

struct real real_of_i64(int64_t v)
{
	struct real r = real_of_u64(v < 0 ? 0 - (uint64_t)v : (uint64_t)v);

	r.negative = v < 0;
	return r;
}

struct real real_of_double(double d)
{
	uint64_t bits;

	memcpy(&bits, &d, sizeof(bits));
	int exp = (int)(bits >> 52 & 0x7ff);
	uint64_t mant = bits & (((uint64_t)1 << 52) - 1);
	struct real r = { .negative = bits >> 63 != 0 };

	if (exp == 0x7ff) {
		r.kind = mant != 0 ? REAL_NAN : REAL_INF;
		return r;
	}
	if (exp != 0)
		mant |= (uint64_t)1 << 52;
	else
		exp = 1;
	if (mant == 0)
		return r;
	int lead = leading_zeros(mant);

	r.kind = REAL_FINITE;
	r.mant = mant << lead;
	r.exp = exp - 1075 - lead;
	return r;
}

double real_to_double(struct real r)
{
	uint64_t sign = (uint64_t)r.negative << 63;
	uint64_t bits = sign;
	double d;

	if (r.kind == REAL_FINITE)
		real_round(&r, r.mant, r.exp, false, false, REAL_DOUBLE);
	if (r.kind == REAL_INF)
		bits |= (uint64_t)0x7ff << 52;
	if (r.kind == REAL_NAN)
		bits |= (uint64_t)0xfff << 51;
	if (r.kind == REAL_FINITE) {
		int exp = r.exp + 63 + 1023;

		if (exp > 0)
			bits |= (uint64_t)exp << 52 | (r.mant << 1 >> 12);
		else
			bits |= r.mant >> (12 - exp);
	}
	memcpy(&d, &bits, sizeof(d));
	return d;
}

int64_t real_to_i64(struct real r)
{
	if (r.kind == REAL_ZERO || r.kind == REAL_NAN || r.exp <= -64)
		return 0;
	if (r.kind == REAL_INF || r.exp > -1)
		return r.negative ? INT64_MIN : INT64_MAX;
	uint64_t v = r.mant >> -r.exp;

	return r.negative ? -(int64_t)v : (int64_t)v;
}

size_t number_parse_double(struct bytes s, double *out, enum real_status *status)
{
	struct real r;
	size_t used = real_parse(s, REAL_DOUBLE, &r, status);

	*out = real_to_double(r);
	return used;
}
