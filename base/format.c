/* SPDX-License-Identifier: MIT
 *
 * printf's conversions and backslash escapes.
 */
#include "base/format.h"
#include "base/utf8.h"

static unsigned flag_of(char c)
{
	switch (c) {
	case '-': return FORMAT_LEFT;
	case '+': return FORMAT_PLUS;
	case ' ': return FORMAT_SPACE;
	case '#': return FORMAT_ALT;
	case '0': return FORMAT_ZERO;
	case '\'': return FORMAT_GROUP;
	default: return 0;
	}
}

/* Digits at *at, saturated; or '*'. */
static int64_t size_parse(struct bytes format, size_t *at, bool *star)
{
	int64_t v = 0;

	*star = *at < format.len && format.ptr[*at] == '*';
	if (*star) {
		++*at;
		return 0;
	}
	for (; *at < format.len && byte_is_digit((unsigned char)format.ptr[*at]); ++*at) {
		if (v < INT32_MAX)
			v = v * 10 + (format.ptr[*at] - '0');
	}
	return v < INT32_MAX ? v : INT32_MAX;
}

size_t format_parse(struct bytes format, size_t at, struct format_spec *out)
{
	size_t start = at++;

	*out = (struct format_spec){ .width = -1, .precision = -1 };
	for (; at < format.len && flag_of(format.ptr[at]) != 0; at++)
		out->flags |= flag_of(format.ptr[at]);
	if (at < format.len &&
	    (format.ptr[at] == '*' || byte_is_digit((unsigned char)format.ptr[at])))
		out->width = size_parse(format, &at, &out->width_star);
	if (at < format.len && format.ptr[at] == '.') {
		at++;
		out->precision = size_parse(format, &at, &out->precision_star);
	}
	for (; at < format.len && format.ptr[at] != '\0' && strchr("hjlLtz", format.ptr[at]); at++)
		out->has_long = out->has_long || format.ptr[at] == 'l';
	if (at < format.len)
		out->conv = format.ptr[at++];
	out->text = bytes_slice(format, start, at);
	return at;
}

void format_set_width(struct format_spec *spec, int64_t v)
{
	if (v < 0) {
		spec->flags |= FORMAT_LEFT;
		v = -v;
	}
	spec->width = v;
}

void format_set_precision(struct format_spec *spec, int64_t v)
{
	spec->precision = v < 0 ? -1 : v;
}

/* Pads what was put behind `start` to the width; `sign` bytes stay in front of zeros. */
static void pad(struct buf *out, const struct format_spec *spec, size_t start, size_t sign,
		bool zeros, size_t shown)
{
	if (spec->width < 0 || (uint64_t)spec->width <= shown)
		return;
	size_t more = (size_t)spec->width - shown;

	if ((spec->flags & FORMAT_LEFT) != 0) {
		buf_fill(out, ' ', more);
		return;
	}
	size_t at = start + (zeros ? sign : 0);
	size_t tail = out->len - at;

	buf_reserve(out, more);
	memmove(out->ptr + at + more, out->ptr + at, tail);
	memset(out->ptr + at, zeros ? '0' : ' ', more);
	out->len += more;
	out->ptr[out->len] = '\0';
}

/* Prefix, precision zeros, digits, padding. */
static void put_number(struct buf *out, const struct format_spec *spec, const char *prefix,
		       const char *digits, size_t ndigits)
{
	size_t start = out->len;
	size_t sign = strlen(prefix);

	if (spec->precision == 0 && ndigits == 1 && digits[0] == '0')
		ndigits = 0;
	buf_put(out, prefix, sign);
	if (spec->precision > 0 && (uint64_t)spec->precision > ndigits)
		buf_fill(out, '0', (size_t)spec->precision - ndigits);
	buf_put(out, digits, ndigits);
	pad(out, spec, start, sign, (spec->flags & FORMAT_ZERO) != 0 && spec->precision < 0,
	    out->len - start);
}

void format_put_i64(struct buf *out, const struct format_spec *spec, int64_t v)
{
	char text[24];
	const char *prefix = "";

	if (v < 0)
		prefix = "-";
	else if ((spec->flags & FORMAT_PLUS) != 0)
		prefix = "+";
	else if ((spec->flags & FORMAT_SPACE) != 0)
		prefix = " ";
	size_t len = number_put_u64(text, v < 0 ? 0 - (uint64_t)v : (uint64_t)v, 10, false);

	if (spec->width <= 0 && spec->precision < 0 && *prefix == '\0')
		buf_put(out, text, len);
	else
		put_number(out, spec, prefix, text, len);
}

void format_put_u64(struct buf *out, const struct format_spec *spec, uint64_t v)
{
	char text[70];
	char *digits = text + 1;
	const char *prefix = "";
	bool hex = (spec->conv | 0x20) == 'x';
	bool octal = (spec->flags & FORMAT_ALT) != 0 && spec->conv == 'o';
	unsigned base = hex ? 16 : spec->conv == 'o' ? 8 : 10;
	size_t len = number_put_u64(digits, v, base, spec->conv == 'X');
	struct format_spec changed = *spec;

	if ((spec->flags & FORMAT_ALT) != 0 && hex && v != 0)
		prefix = spec->conv == 'X' ? "0X" : "0x";
	if (octal && v == 0)
		changed.precision = changed.precision == 0 ? 1 : changed.precision;
	if (octal && v != 0 && spec->precision <= (int64_t)len) {
		*--digits = '0';
		len++;
	}
	put_number(out, &changed, prefix, digits, len);
}

void format_put_real(struct buf *out, const struct format_spec *spec, struct real v, bool a_double)
{
	size_t start = out->len;
	unsigned flags = a_double ? REAL_A_DOUBLE : 0;

	flags |= (spec->flags & FORMAT_ALT) != 0 ? REAL_ALT : 0;
	flags |= (spec->flags & FORMAT_PLUS) != 0 ? REAL_PLUS : 0;
	flags |= (spec->flags & FORMAT_SPACE) != 0 ? REAL_SPACE : 0;
	flags |= byte_is_upper((unsigned char)spec->conv) ? REAL_UPPER : 0;
	real_put(out, v, (char)(spec->conv | 0x20), (int)spec->precision, flags);
	size_t sign = !byte_is_alnum((unsigned char)out->ptr[start]);

	if ((spec->conv | 0x20) == 'a' && (v.kind == REAL_FINITE || v.kind == REAL_ZERO))
		sign += 2;
	pad(out, spec, start, sign,
	    (spec->flags & FORMAT_ZERO) != 0 && v.kind != REAL_INF && v.kind != REAL_NAN,
	    out->len - start);
}

void format_put_text(struct buf *out, const struct format_spec *spec, struct bytes s, bool chars)
{
	size_t start = out->len;

	if (spec->precision >= 0) {
		size_t cut = chars ? utf8_offset(s, (size_t)spec->precision)
				   : (size_t)spec->precision;

		if (cut < s.len)
			s.len = cut;
	}
	buf_add(out, s);
	if (spec->width > 0)
		pad(out, spec, start, 0, false, chars ? utf8_count(s) : s.len);
}

/* --- escapes --- */

/* Up to `max` digits of base 8 or 16 at *at. The number of digits. */
static int escape_digits(struct bytes s, size_t *at, int base, int max, uint32_t *out)
{
	int n = 0;

	*out = 0;
	while (n < max && *at < s.len) {
		int digit = byte_digit((unsigned char)s.ptr[*at]);

		if (digit < 0 || digit >= base)
			break;
		*out = *out * (uint32_t)base + (uint32_t)digit;
		++*at;
		n++;
	}
	return n;
}

void format_put_unicode(struct buf *out, uint32_t c, bool utf8)
{
	static const uint8_t lead[] = { 0, 0, 0xc0, 0xe0, 0xf0, 0xf8, 0xfc };

	if (c < 0x80) {
		buf_putc(out, (char)c);
		return;
	}
	if (!utf8) {
		char text[16];
		size_t len = number_put_u64(text, c, 16, true);

		buf_puts(out, c > 0xffff ? "\\U" : "\\u");
		for (size_t i = len; i < (c > 0xffff ? 8u : 4u); i++)
			buf_putc(out, '0');
		buf_put(out, text, len);
		return;
	}
	if (c > 0x7fffffff)
		return;
	int n = 2;

	while (n < 6 && c >> (5 * n + 1) != 0)
		n++;
	buf_putc(out, (char)(lead[n] | c >> (6 * (n - 1))));
	for (int i = n - 2; i >= 0; i--)
		buf_putc(out, (char)(0x80 | (c >> (6 * i) & 0x3f)));
}

static enum format_escape_error escape_number(struct buf *out, struct bytes s, size_t *at, char c,
					      bool utf8)
{
	uint32_t v;
	size_t start = *at;

	if (escape_digits(s, at, 16, c == 'x' ? 2 : c == 'u' ? 4 : 8, &v) == 0) {
		*at = start;
		buf_putc(out, '\\');
		buf_putc(out, c);
		return c == 'x' ? ESCAPE_NO_HEX : ESCAPE_NO_UNICODE;
	}
	if (c == 'x')
		buf_putc(out, (char)v);
	else
		format_put_unicode(out, v, utf8);
	return ESCAPE_OK;
}

/* \NNN; or \0NNN where the mode has it. */
static void escape_octal(struct buf *out, struct bytes s, size_t *at, enum format_escape_mode mode)
{
	uint32_t v;

	if (mode != ESCAPE_PRINTF && s.ptr[*at] == '0')
		++*at;
	escape_digits(s, at, 8, 3, &v);
	buf_putc(out, (char)v);
}

enum format_escape_error format_escape(struct buf *out, struct bytes s, size_t *at,
				       enum format_escape_mode mode, bool utf8)
{
	static const char names[] = "abefnrtvE\\";
	static const char values[] = "\a\b\033\f\n\r\t\v\033\\";
	size_t i = *at + 1;

	*at = i;
	if (i >= s.len) {
		buf_putc(out, '\\');
		return ESCAPE_OK;
	}
	char c = s.ptr[i];
	const char *name = c != '\0' ? strchr(names, c) : NULL;

	if (name == NULL && ((c >= '1' && c <= '7' && mode != ESCAPE_ECHO) || c == '0')) {
		escape_octal(out, s, at, mode);
		return ESCAPE_OK;
	}
	*at = i + 1;
	if (name != NULL) {
		buf_putc(out, values[name - names]);
		return ESCAPE_OK;
	}
	if (c == 'c' && mode != ESCAPE_PRINTF)
		return ESCAPE_STOP;
	if (c == 'x' || c == 'u' || c == 'U')
		return escape_number(out, s, at, c, utf8);
	if (mode != ESCAPE_PRINTF || (c != '"' && c != '\'' && c != '?'))
		buf_putc(out, '\\');
	buf_putc(out, c);
	return ESCAPE_OK;
}
