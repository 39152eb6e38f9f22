/* SPDX-License-Identifier: MIT
 *
 * awk's printf: any value for any conversion; numbers that fit no integer print in full.
 */
#include <math.h>

#include "builtins/awk/awk.h"

struct printing {
	struct awk *a;
	struct buf *out;
	struct bytes format;
	struct val *args;
	int n;
	int next; /* argument to take */
};

/* `at` is what stands before the letter or star in the format that has no argument. */
static _Noreturn void run_out(struct printing *p, size_t at)
{
	struct buf text = buf_in(&p->a->scratch);

	buf_puts(&text, "not enough arguments to satisfy format string\n\t`");
	buf_add(&text, p->format);
	buf_puts(&text, "'\n\t");
	buf_fill(&text, ' ', at + 1);
	buf_puts(&text, "^ ran out for this one");
	awk_fatal(p->a, "%s", buf_cstr(&text));
}

static struct val *take_arg(struct printing *p, int position, size_t at)
{
	int i = position > 0 ? position - 1 : p->next++;

	if (i >= p->n) {
		if (position > 0)
			awk_fatal(
				p->a,
				"arg count with `$' must be <= total number of supplied arguments");
		run_out(p, at);
	}
	return &p->args[i];
}

static void put_text(struct printing *p, const struct format_spec *spec, struct bytes s)
{
	if (spec->width < 0 && spec->precision < 0)
		buf_add(p->out, s);
	else
		format_put_text(p->out, spec, s, p->a->utf8);
}

static void put_char(struct printing *p, const struct format_spec *spec, struct val *v)
{
	struct awk *a = p->a;
	struct format_spec plain = *spec;
	char text[4];
	size_t len;

	plain.precision = -1;
	plain.flags &= ~(unsigned)FORMAT_ZERO;
	if (awk_val_is_numeric(a, v) && v->kind != VAL_UNINIT) {
		double d = val_to_num(a, v);
		uint32_t c = d >= 0 && d < 4294967296.0 ? (uint32_t)d : (uint32_t)(int64_t)d;

		len = a->utf8 && c >= 128 ? utf8_encode(c, text) : 0;
		if (len == 0) {
			text[0] = (char)(unsigned char)c;
			len = 1;
		}
		put_text(p, &plain, (struct bytes){ text, len });
		return;
	}
	struct bytes s = str_bytes(awk_val_to_str(a, v));
	uint32_t c;

	len = s.len == 0 ? 0 : a->utf8 ? utf8_decode(s, 0, &c) : 1;
	if (len == 0)
		len = s.len != 0;
	put_text(p, &plain, s.len != 0 ? bytes_slice(s, 0, len) : BYTES("\0"));
}

/* Infinity and NaN, whatever the width. */
static void put_special(struct printing *p, double d)
{
	struct text_room tmp;

	buf_add(p->out, awk_num_text(p->a, d, SP_CONVFMT, &tmp));
}

static void put_integer(struct printing *p, struct format_spec *spec, double d)
{
	bool is_signed = spec->conv == 'd' || spec->conv == 'i';

	if (d - d != 0) {
		put_special(p, d);
		return;
	}
	d = d < 0 ? ceil(d) : floor(d);
	if (is_signed && d > -9.2e18 && d < 9.2e18) {
		spec->conv = 'd';
		format_put_i64(p->out, spec, (int64_t)d);
	} else if (!is_signed && d > -9.2e18 && d < 0) {
		format_put_u64(p->out, spec, (uint64_t)(int64_t)d);
	} else if (!is_signed && d >= 0 && d < 18446744073709551615.0) {
		format_put_u64(p->out, spec, (uint64_t)d);
	} else {
		spec->conv = is_signed ? 'f' : 'g';
		if (is_signed)
			spec->precision = 0;
		format_put_real(p->out, spec, real_of_double(d), true);
	}
}

static void put_conversion(struct printing *p, struct format_spec *spec, int position, size_t at)
{
	struct text_room tmp;
	struct val *v = take_arg(p, position, at);

	switch (spec->conv) {
	case 'c': put_char(p, spec, v); break;
	case 's':
		spec->flags &= ~(unsigned)FORMAT_ZERO;
		put_text(p, spec, awk_val_text(p->a, v, &tmp));
		break;
	case 'd':
	case 'i':
	case 'u':
	case 'o':
	case 'x':
	case 'X': put_integer(p, spec, val_to_num(p->a, v)); break;
	default: {
		double d = val_to_num(p->a, v);

		if (d - d != 0)
			put_special(p, d);
		else
			format_put_real(p->out, spec, real_of_double(d), true);
	}
	}
}

static int64_t star_value(struct printing *p, size_t *i)
{
	size_t at = *i - 2;
	uint64_t position = 0;
	struct bytes rest = bytes_slice(p->format, *i, p->format.len);
	size_t n = number_parse_u64(rest, 10, &position, NULL);

	if (n != 0 && n < rest.len && rest.ptr[n] == '$' && byte_is_digit(rest.ptr[0]))
		*i += n + 1;
	else
		position = 0;
	double d = val_to_num(p->a, take_arg(p, (int)position, at));

	return d > 1e9 ? 1000000000 : d < -1e9 ? -1000000000 : (int64_t)d;
}

static size_t take_number(struct printing *p, size_t i, int64_t *out)
{
	int64_t value = 0;

	while (i < p->format.len && byte_is_digit(p->format.ptr[i])) {
		value = value > 1000000000 ? value : value * 10 + (p->format.ptr[i] - '0');
		i++;
	}
	*out = value;
	return i;
}

/* The part of a conversion between '%' and its letter: flags, width, precision, "n$". */
static size_t parse_spec(struct printing *p, size_t i, struct format_spec *spec, int *position)
{
	static const char letters[] = "-+ #0'";
	static const unsigned flags[] = { FORMAT_LEFT, FORMAT_PLUS, FORMAT_SPACE,
					  FORMAT_ALT,  FORMAT_ZERO, FORMAT_GROUP };

	for (; i < p->format.len; i++) {
		char ch = p->format.ptr[i];
		const char *flag = ch != '\0' ? strchr(letters, ch) : NULL;

		if (flag != NULL) {
			spec->flags |= flags[flag - letters];
		} else if (byte_is_digit(ch)) {
			int64_t value;
			size_t end = take_number(p, i, &value);

			if (end < p->format.len && p->format.ptr[end] == '$') {
				*position = (int)value;
				i = end;
				continue;
			}
			spec->width = value;
			i = end - 1;
		} else if (ch == '*') {
			i++;
			format_set_width(spec, star_value(p, &i));
			i--;
		} else if (ch == '.') {
			i++;
			if (i < p->format.len && p->format.ptr[i] == '*') {
				i++;
				format_set_precision(spec, star_value(p, &i));
			} else {
				i = take_number(p, i, &spec->precision);
			}
			i--;
		} else if (ch == '\0' || strchr("hlLjzt", ch) == NULL) {
			break;
		}
	}
	return i;
}

void awk_format_values(struct awk *a, struct buf *out, struct bytes format, struct val *args, int n)
{
	struct printing p = { .a = a, .out = out, .format = format, .args = args, .n = n };
	size_t i = 0;

	while (i < format.len) {
		const char *hit = memchr(format.ptr + i, '%', format.len - i);
		size_t at = hit != NULL ? (size_t)(hit - format.ptr) : format.len;

		buf_put(out, format.ptr + i, at - i);
		if (at == format.len)
			break;
		struct format_spec spec = { .width = -1, .precision = -1 };
		int position = 0;

		i = parse_spec(&p, at + 1, &spec, &position);
		spec.conv = i < format.len ? format.ptr[i] : '\0';
		if (spec.conv == '%') {
			buf_putc(out, '%');
			i++;
		} else if (spec.conv != '\0' && strchr("csdiuoxXeEfFgGaA", spec.conv) != NULL) {
			i++;
			put_conversion(&p, &spec, position, i - 2);
		} else {
			i += i < format.len;
			buf_put(out, format.ptr + at, i - at);
		}
		awk_work(a, 1 + (spec.width > 64 ? (uint64_t)spec.width / 64 : 0));
	}
}

struct val awk_fn_sprintf(struct awk *a, struct val *args, int n)
{
	struct arena_mark mark = arena_mark(&a->scratch);
	struct buf out = buf_in(&a->scratch);

	awk_format_values(a, &out, str_bytes(awk_val_to_str(a, &args[0])), args + 1, n - 1);
	struct val v = val_bytes(a, buf_bytes(&out));

	arena_release(&a->scratch, mark);
	return v;
}
