/* SPDX-License-Identifier: MIT
 *
 * numfmt's numbers, in software floating point as wide as the real tool's: where that rounds,
 * so does this.
 */
#include "base/format.h"
#include "builtins/numfmt/numfmt.h"

static const char unit_letters[] = "KMGTPEZY";

static struct real power_of(unsigned base, unsigned exponent)
{
	struct real factor = real_of_u64(base);
	struct real result = real_of_u64(1);

	for (; exponent > 0; exponent--)
		result = real_mul(result, factor);
	return result;
}

/* --- reading --- */

/* Digits with a sign; none at all only before a point. */
static enum numfmt_read read_digits(struct bytes s, size_t *at, struct real *out, bool *negative)
{
	uint64_t exact = 0;
	int digits = 0;
	bool any = false;

	*negative = *at < s.len && s.ptr[*at] == '-';
	*at += *negative;
	*out = real_of_u64(0);
	for (; *at < s.len && byte_is_digit(s.ptr[*at]); ++*at) {
		unsigned digit = (unsigned)(s.ptr[*at] - '0');

		any = true;
		digits += digits != 0 || digit != 0;
		if (digits > DIGITS_MAX)
			return READ_OVERFLOW;
		if (digits <= DIGITS_UNSCALED) {
			exact = exact * 10 + digit;
			continue;
		}
		if (digits == DIGITS_UNSCALED + 1)
			*out = real_of_u64(exact);
		*out = real_add(real_mul(*out, real_of_u64(10)), real_of_u64(digit));
	}
	if (!any && (*at == s.len || s.ptr[*at] != '.'))
		return READ_NO_NUMBER;
	if (digits <= DIGITS_UNSCALED)
		*out = real_of_u64(exact);
	out->negative = *negative;
	return digits > DIGITS_UNSCALED ? READ_LOSS : READ_OK;
}

static enum numfmt_read read_plain(struct bytes s, size_t *at, struct numfmt_value *out)
{
	bool negative;
	bool fraction_negative;
	struct real fraction;
	enum numfmt_read result = read_digits(s, at, &out->number, &negative);

	out->precision = 0;
	if (result > READ_LOSS || *at == s.len || s.ptr[*at] != '.')
		return result;
	size_t start = ++*at;
	enum numfmt_read more = read_digits(s, at, &fraction, &fraction_negative);

	if (more > READ_LOSS)
		return more;
	if (fraction_negative)
		return READ_NO_NUMBER;
	out->precision = *at - start;
	fraction = real_div(fraction, power_of(10, (unsigned)out->precision));
	fraction.negative = negative;
	out->number = real_add(out->number, fraction);
	return more == READ_LOSS ? more : result;
}

enum numfmt_read number_read(struct bytes s, enum numfmt_scale scale, struct numfmt_value *out,
			     size_t *used)
{
	size_t at = 0;
	enum numfmt_read result = read_plain(s, &at, out);

	*used = at;
	/* Also where there is no letter that it could follow. */
	if (result <= READ_LOSS && at == s.len && scale == SCALE_IEC_I)
		return READ_NO_I;
	if (result > READ_LOSS || at == s.len)
		return result;
	while (at < s.len && byte_is_blank(s.ptr[at]))
		at++;
	const char *letter = at < s.len ? memchr(unit_letters, s.ptr[at], 8) : NULL;

	if (letter == NULL && (at < s.len || scale != SCALE_NONE))
		return READ_BAD_SUFFIX;
	if (scale == SCALE_NONE)
		return READ_FORBIDDEN;
	at++;
	bool has_i = at < s.len && s.ptr[at] == 'i' &&
		     (scale == SCALE_AUTO || scale == SCALE_IEC_I);
	unsigned base = scale == SCALE_SI || (scale == SCALE_AUTO && !has_i) ? 1000 : 1024;

	if (scale == SCALE_IEC_I && !has_i)
		return READ_NO_I;
	*used = at + has_i;
	out->precision = 0;
	out->number = real_mul(out->number, power_of(base, (unsigned)(letter - unit_letters) + 1));
	return result;
}

/* --- rounding --- */

/* A whole number: what is behind the point decides as `how` says. Never a negative zero. */
static struct real round_whole(struct real v, enum numfmt_round how)
{
	if (v.kind == REAL_ZERO)
		return real_of_u64(0);
	if (v.kind != REAL_FINITE || v.exp >= 0)
		return v;
	uint64_t whole = v.exp > -64 ? v.mant >> -v.exp : 0;
	struct real result = real_of_u64(whole);
	struct real rest;
	bool away = how == ROUND_FROM_ZERO || (how == ROUND_UP && !v.negative) ||
		    (how == ROUND_DOWN && v.negative);

	result.negative = v.negative && whole != 0;
	rest = real_add(v, real_negate(result));
	if (how == ROUND_NEAREST) {
		rest.negative = false;
		away = rest.kind != REAL_ZERO &&
		       real_compare(rest, real_div(real_of_u64(1), real_of_u64(2))) >= 0;
	}
	if (!away || rest.kind == REAL_ZERO)
		return result;
	result = real_of_u64(whole + 1);
	result.negative = v.negative;
	return result;
}

/* As the real tool rounds: the part that exceeds its largest integer is put aside. */
static struct real round_part(struct real v, enum numfmt_round how)
{
	struct real largest = real_of_u64(INT64_MAX);

	if (v.kind != REAL_FINITE || v.exp + 64 < 63)
		return round_whole(v, how);
	struct real aside = round_whole(real_div(v, largest), ROUND_TOWARDS_ZERO);

	aside = real_mul(aside, largest);
	v = real_add(v, real_negate(aside));
	return real_add(aside, round_whole(v, how));
}

/* To `digits` digits behind the point. */
static struct real round_digits(struct real v, unsigned digits, enum numfmt_round how)
{
	struct real factor = power_of(10, digits);

	if (digits == 0)
		return round_part(v, how);
	return real_div(round_part(real_mul(v, factor), how), factor);
}

/* --- writing --- */

static bool less(struct real v, unsigned bound)
{
	v.negative = false;
	return real_compare(v, real_of_u64(bound)) < 0;
}

unsigned number_power(struct real *number, unsigned base)
{
	struct real factor = real_of_u64(base);
	bool negative = number->negative;
	unsigned power = 0;

	number->negative = false;
	for (; real_compare(*number, factor) >= 0; power++)
		*number = real_div(*number, factor);
	number->negative = negative;
	return power;
}

static void put_number(struct buf *out, struct real v, int64_t precision, int64_t zero_width)
{
	struct format_spec spec = {
		.flags = zero_width > 0 ? FORMAT_ZERO : 0,
		.width = zero_width > 0 ? zero_width : -1,
		.precision = precision,
		.conv = 'f',
	};

	format_put_real(out, &spec, v, false);
}

/* The number divided by its unit, and which unit that is. */
static unsigned scale_down(struct real *v, const struct numfmt_style *style)
{
	unsigned base = style->scale == SCALE_SI ? 1000 : 1024;
	unsigned power = number_power(v, base);
	unsigned digits = 0;

	if (style->precision >= 0)
		digits = power * 3 < style->precision ? power * 3 : (unsigned)style->precision;
	else if (less(*v, 10))
		digits = 1;
	*v = round_digits(*v, digits, style->round);
	if (!less(*v, base)) {
		*v = real_div(*v, real_of_u64(base));
		power++;
	}
	return power;
}

bool number_show(struct buf *out, struct numfmt_value *value, const struct numfmt_style *style)
{
	size_t start = out->len;
	int64_t precision = style->precision >= 0 ? style->precision : (int64_t)value->precision;
	unsigned power = 0;

	if (style->scale != SCALE_NONE) {
		power = scale_down(&value->number, style);
		if (style->precision < 0)
			precision = value->number.kind != REAL_ZERO && less(value->number, 10) &&
				    power > 0;
	} else if (precision <= SHOWN_MAX) {
		value->number = round_digits(value->number, (unsigned)precision, style->round);
	}
	/* Nothing that is too long is made. */
	if (style->zero_width > SHOWN_MAX || precision > SHOWN_MAX)
		return false;
	put_number(out, value->number, precision, style->zero_width);
	if (style->scale == SCALE_NONE)
		return out->len - start <= SHOWN_MAX;
	if (power > 0)
		buf_putc(out, unit_letters[power - 1]);
	if (out->len - start > SHOWN_MAX - 1)
		return false;
	if (power > 0 && style->scale == SCALE_IEC_I)
		buf_putc(out, 'i');
	return true;
}
