/* SPDX-License-Identifier: MIT
 *
 * Numbers of JSON: reading them, keeping the text of those that a double would change, and
 * comparing such texts digit by digit.
 */
#include <math.h>

#include "base/json.h"
#include "base/number.h"
#include "base/utf8.h"

struct decimal {
	size_t from; /* the coefficient's digits, a point maybe among them */
	size_t to;
	size_t digits; /* without leading zeros */
	int64_t exp;   /* of the last digit */
	bool negative;
};

/* Reads [-+]digits[.digits][e[-+]digits], all of s. */
static bool read_decimal(struct bytes s, struct decimal *d)
{
	size_t at = 0;
	size_t seen = 0;
	bool point = false;
	bool negative_exp = false;
	int64_t exp = 0;

	*d = (struct decimal){ .negative = s.len > 0 && s.ptr[0] == '-' };
	if (s.len > 0 && (s.ptr[0] == '-' || s.ptr[0] == '+'))
		at++;
	d->from = at;
	for (; at < s.len && (byte_is_digit(s.ptr[at]) || (s.ptr[at] == '.' && !point)); at++) {
		if (s.ptr[at] == '.') {
			point = true;
			continue;
		}
		seen++;
		d->digits += d->digits > 0 || s.ptr[at] != '0';
		d->exp -= point;
	}
	d->to = at;
	if (seen == 0)
		return false;
	if (at == s.len)
		return true;
	if ((s.ptr[at] | 0x20) != 'e' || ++at == s.len)
		return false;
	if (s.ptr[at] == '-' || s.ptr[at] == '+')
		negative_exp = s.ptr[at++] == '-';
	if (at == s.len)
		return false;
	for (; at < s.len && byte_is_digit(s.ptr[at]); at++)
		if (exp < 10000000000)
			exp = exp * 10 + (s.ptr[at] - '0');
	d->exp += negative_exp ? -exp : exp;
	return at == s.len;
}

/* The digits of the coefficient without point and leading zeros; one zero for 0. */
static size_t copy_digits(struct bytes s, const struct decimal *d, char *out)
{
	size_t n = 0;

	for (size_t i = d->from; i < d->to; i++)
		if (s.ptr[i] != '.' && (n > 0 || s.ptr[i] != '0'))
			out[n++] = s.ptr[i];
	if (n == 0)
		out[n++] = '0';
	return n;
}

/* As decimal arithmetic writes numbers: an exponent only if it is positive or very small. */
static void put_canonical(struct buf *out, const char *digits, size_t n, const struct decimal *d)
{
	int64_t adjusted = d->exp + (int64_t)n - 1;
	size_t whole = adjusted >= 0 ? (size_t)adjusted + 1 : 0;

	if (d->negative)
		buf_putc(out, '-');
	if (d->exp > 0 || adjusted < -6) {
		buf_putc(out, digits[0]);
		if (n > 1) {
			buf_putc(out, '.');
			buf_put(out, digits + 1, n - 1);
		}
		buf_putc(out, 'E');
		if (adjusted >= 0)
			buf_putc(out, '+');
		buf_put_i64(out, adjusted);
		return;
	}
	if (whole == 0) {
		buf_puts(out, "0.");
		buf_fill(out, '0', (size_t)(-1 - adjusted));
	}
	buf_put(out, digits, whole);
	if (whole > 0 && whole < n)
		buf_putc(out, '.');
	buf_put(out, digits + whole, n - whole);
}

/* Keeps the text of a number if its double would be printed otherwise. */
static struct json literal_of(struct json_mem *m, struct bytes s, const struct decimal *d,
			      double num)
{
	char small[64];
	size_t room = d->to - d->from + 1;
	char *digits = room <= sizeof(small) ? small : pool_alloc(m->pool, room);
	struct arena_mark mark;
	struct arena scratch;
	struct json v = json_number(num);

	arena_init_under(&scratch, &m->pool->chunks);
	mark = arena_mark(&scratch);

	struct buf own = buf_in(&scratch);
	struct buf plain = buf_in(&scratch);

	put_canonical(&own, digits, copy_digits(s, d, digits), d);
	json_put_number(&plain, num);
	v.flags = JSON_WRITTEN;
	if (!bytes_eq(buf_bytes(&own), buf_bytes(&plain))) {
		struct json_lit *lit = pool_alloc(m->pool, sizeof(*lit) + own.len);

		*lit = (struct json_lit){ 1, (uint32_t)own.len, num };
		memcpy(lit->ptr, own.ptr, own.len);
		v = (struct json){ .kind = JSON_LITERAL, .u.lit = lit };
	}
	if (digits != small)
		pool_free(m->pool, digits, room);
	arena_release(&scratch, mark);
	arena_clear(&scratch);
	return v;
}

/* Whether s is as put_canonical would write it. */
static bool is_canonical(struct bytes s, const struct decimal *d)
{
	bool zero = s.ptr[d->from] == '0';

	if (s.ptr[0] == '+' || d->to != s.len || s.ptr[d->to - 1] == '.')
		return false;
	if (zero && (s.ptr[d->from + 1] != '.' || d->exp + (int64_t)d->digits < -5))
		return false;
	return s.ptr[d->from] != '.' && d->digits > 1;
}

/* A literal that becomes a double when something is computed with it. */
static struct json lazy_literal(struct json_mem *m, struct bytes s)
{
	struct json_lit *lit = pool_alloc(m->pool, sizeof(*lit) + s.len);

	*lit = (struct json_lit){ 1, (uint32_t)s.len, NAN };
	memcpy(lit->ptr, s.ptr, s.len);
	return (struct json){ .kind = JSON_LITERAL, .u.lit = lit };
}

double json_literal_num(struct json_lit *lit)
{
	double num = 0;

	number_parse_double((struct bytes){ lit->ptr, lit->len }, &num, NULL);
	lit->num = num;
	return num;
}

static bool word_is(struct bytes s, const char *lower)
{
	if (s.len != strlen(lower))
		return false;
	for (size_t i = 0; i < s.len; i++)
		if (byte_to_lower(s.ptr[i]) != lower[i])
			return false;
	return true;
}

static struct json special_number(struct bytes s)
{
	bool negative = s.len > 0 && s.ptr[0] == '-';
	double infinity = 1.7976931348623157e308 * 10;

	if (s.len > 0 && (s.ptr[0] == '-' || s.ptr[0] == '+'))
		s = bytes_slice(s, 1, s.len);
	if (word_is(s, "nan"))
		return json_number(infinity - infinity);
	if (word_is(s, "infinity") || word_is(s, "inf"))
		return json_number(negative ? -infinity : infinity);
	return json_simple(JSON_NONE);
}

static struct json written(double num)
{
	return (struct json){ .kind = JSON_NUMBER, .flags = JSON_WRITTEN, .u.num = num };
}

struct json json_parse_number(struct json_mem *m, struct bytes s)
{
	static const double powers[] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
					 1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
					 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };
	struct decimal d;

	if (!read_decimal(s, &d))
		return special_number(s);
	/* Up to 15 digits are exact, and so is one division by a power of ten. */
	if (d.digits <= 15 && d.exp <= 0 && d.exp >= -22) {
		uint64_t whole = 0;

		for (size_t i = d.from; i < d.to; i++)
			if (s.ptr[i] != '.')
				whole = whole * 10 + (uint64_t)(s.ptr[i] - '0');

		double num = (double)whole / powers[-d.exp];

		num = d.negative ? -num : num;
		bool small = d.exp < 0 && (int64_t)d.digits + d.exp < -3;

		if (d.exp == 0 || (s.ptr[d.to - 1] != '0' && !small && d.to == s.len))
			return written(num);
		return literal_of(m, s, &d, num);
	}
	if (d.digits > 15 && is_canonical(s, &d) && s.len < UINT32_MAX)
		return lazy_literal(m, s);

	double num = 0;

	number_parse_double(s.ptr[0] == '+' ? bytes_slice(s, 1, s.len) : s, &num, NULL);
	if (d.exp > 999999999 || d.exp < -1999999999)
		return json_number(num);
	return literal_of(m, s, &d, num);
}

/* --- comparing --- */

/* The decimal text of a number that was written as such. */
static struct bytes text_of(struct json v, struct buf *room)
{
	if (v.kind == JSON_LITERAL)
		return (struct bytes){ v.u.lit->ptr, v.u.lit->len };
	json_put_number(room, v.u.num);
	return buf_bytes(room);
}

/* The digit at place i of the coefficient, counted from its first; 0 behind its end. */
static char digit_at(struct bytes s, const struct decimal *d, size_t *at)
{
	while (*at < d->to && s.ptr[*at] == '.')
		++*at;
	return *at < d->to ? s.ptr[(*at)++] : '0';
}

/* Compares |a| and |b|. */
static int cmp_magnitudes(struct bytes a, const struct decimal *x, struct bytes b,
			  const struct decimal *y)
{
	int64_t top_x = x->exp + (int64_t)x->digits;
	int64_t top_y = y->exp + (int64_t)y->digits;
	size_t at_a = x->from;
	size_t at_b = y->from;

	if (x->digits == 0 || y->digits == 0)
		return (x->digits != 0) - (y->digits != 0);
	if (top_x != top_y)
		return top_x < top_y ? -1 : 1;
	while (at_a < x->to && (a.ptr[at_a] == '0' || a.ptr[at_a] == '.'))
		at_a++;
	while (at_b < y->to && (b.ptr[at_b] == '0' || b.ptr[at_b] == '.'))
		at_b++;
	while (at_a < x->to || at_b < y->to) {
		char p = digit_at(a, x, &at_a);
		char q = digit_at(b, y, &at_b);

		if (p != q)
			return p < q ? -1 : 1;
	}
	return 0;
}

int json_cmp_written(struct json_mem *m, struct json a, struct json b)
{
	struct arena scratch;
	struct decimal x;
	struct decimal y;
	int cmp = 0;

	arena_init_under(&scratch, &m->pool->chunks);

	struct buf room_a = buf_in(&scratch);
	struct buf room_b = buf_in(&scratch);
	struct bytes text_a = text_of(a, &room_a);
	struct bytes text_b = text_of(b, &room_b);

	if (read_decimal(text_a, &x) && read_decimal(text_b, &y))
		cmp = cmp_magnitudes(text_a, &x, text_b, &y);
	arena_clear(&scratch);
	return x.negative ? -cmp : cmp;
}
