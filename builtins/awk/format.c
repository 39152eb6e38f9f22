/* SPDX-License-Identifier: MIT
 *
 * awk's printf: any value for any conversion; numbers that fit no integer print in full.
 */
#include <math.h>

#include "builtins/awk/awk.h"

enum used { USED_NOTHING, USED_ORDER, USED_POSITIONS };

struct printing {
	enum used used; /* how conversions have named their arguments so far */
	struct awk *a;
	struct buf *out;
	struct bytes format;
	struct val *args;
	int n;
	int next; /* argument to take */
};

/* What stands between a '%' and its letter. */
struct conversion {
	struct format_spec spec;
	uint64_t position; /* "n$"; 0: none */
	size_t at;         /* of what stands before its letter */
	unsigned sizes;    /* letters like 'l' that were seen */
	bool dot;          /* the precision follows */
	bool negative;     /* it does, with a '-' */
	bool precise;      /* its digits were seen */
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

/* The next argument, or that of a position "n$". */
static struct val *take_arg(struct printing *p, uint64_t position, size_t at)
{
	uint64_t i = position > 0 ? position - 1 : (uint64_t)p->next++;

	if (i >= (uint64_t)p->n)
		run_out(p, at);
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
	if (v->kind != VAL_UNINIT && awk_val_is_numeric(a, v)) {
		double d = val_to_num(a, v);
		uint32_t c = d >= 0 && d < 4294967296.0 ? (uint32_t)d : (uint32_t)(int64_t)d;

		len = a->utf8 && c >= 128 ? utf8_encode(c, text) : 0;
		if (len == 0) {
			text[0] = (char)(unsigned char)c;
			len = 1;
		}
		/* The width of a number's character counts bytes. */
		format_put_text(p->out, &plain, (struct bytes){ text, len }, false);
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
static void put_special(struct printing *p, double d, char conv)
{
	struct text_room tmp;
	struct bytes text = awk_num_text(p->a, d, SP_CONVFMT, &tmp);

	for (size_t i = 0; i < text.len; i++)
		buf_putc(p->out, strchr("EFGA", conv) != NULL
					 ? (char)byte_to_upper((unsigned char)text.ptr[i])
					 : text.ptr[i]);
}

/* Where gawk differs from C: no sign before no digits, one 0 of '#' before all others. */
static void adjust_precise(struct format_spec *spec, double d)
{
	bool marked = (spec->flags & FORMAT_ALT) != 0;
	int64_t digits = 1;

	if (d == 0 && spec->precision == 0) {
		spec->flags &= ~(unsigned)(FORMAT_PLUS | FORMAT_SPACE);
		spec->precision = marked && strchr("di", spec->conv) == NULL;
		return;
	}
	if (!marked || spec->conv != 'o' || d <= 0)
		return;
	for (; d >= 8; d /= 8)
		digits++;
	spec->precision = (spec->precision > digits ? spec->precision : digits) + 1;
}

static void put_integer(struct printing *p, struct format_spec *spec, double d)
{
	bool is_signed = spec->conv == 'd' || spec->conv == 'i';

	if (d - d != 0) {
		put_special(p, d, spec->conv);
		return;
	}
	d = d < 0 ? ceil(d) : floor(d);
	if (spec->precision >= 0)
		adjust_precise(spec, d);
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

/* With -M: whether the number was one that needs it, and is written. */
static bool put_big(struct printing *p, const struct format_spec *spec, struct val *v)
{
	if (!p->a->o->bignum || spec->conv == 'c' || spec->conv == 's')
		return false;
	struct val number = awk_big_wide(p->a, awk_big_of(p->a, v), spec->conv);
	bool big = number.kind == VAL_BIG;

	if (big)
		awk_big_format(p->a, p->out, spec, &number);
	val_put(p->a, number);
	return big;
}

static void put_conversion(struct printing *p, struct format_spec *spec, struct val *v)
{
	struct text_room tmp;

	if (put_big(p, spec, v))
		return;

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
			put_special(p, d, spec->conv);
		else
			format_put_real(p->out, spec, real_of_double(d), true);
	}
	}
}

static size_t take_number(struct printing *p, size_t i, int64_t *out)
{
	uint64_t value = 0;
	size_t n = 0;

	while (i + n < p->format.len && byte_is_digit(p->format.ptr[i + n]))
		n++;
	if (n > 0)
		number_parse_u64(bytes_slice(p->format, i, i + n), 10, &value, NULL);
	*out = value > 1000000000 ? 1000000000 : (int64_t)value;
	return i + n;
}

static const char mixed[] = "must use `count$' on all formats or none";

/* A '*' at i: the value of its argument. Returns what is behind it. */
static size_t take_star(struct printing *p, struct conversion *c, size_t i, int64_t *out)
{
	size_t star = i++;
	int64_t position = 0;
	size_t end = take_number(p, i, &position);
	double d = 0;

	if (end > i) {
		if (end >= p->format.len || p->format.ptr[end] != '$')
			awk_fatal(p->a, "no `$' supplied for positional field width or precision");
		if (position > p->n)
			run_out(p, star + 1);
		if (position > 0)
			d = val_to_num(p->a, &p->args[position - 1]);
		i = end + 1;
	} else {
		if (c->position != 0)
			awk_fatal(p->a, "fatal: %s", mixed);
		d = val_to_num(p->a, take_arg(p, 0, star - 1));
	}
	*out = d > 1e9 ? 1000000000 : d < -1e9 ? -1000000000 : (int64_t)d;
	return i;
}

/* "n$": which argument the conversion is of; i is at the '$'. */
static void set_position(struct printing *p, struct conversion *c, struct bytes digits)
{
	uint64_t n = 0;

	if (c->dot)
		awk_fatal(p->a, "`$' not permitted after period in format");
	if (digits.len > 0)
		number_parse_u64(digits, 10, &n, NULL);
	if (n == 0)
		awk_fatal(p->a, "argument index with `$' must be > 0");
	if (n > (uint64_t)p->n)
		awk_fatal(p->a,
			  "argument index %llu greater than total number of supplied arguments",
			  (unsigned long long)n);
	c->position = n;
}

/* Digits at i, and what they are: a position, a width or a precision. Returns their end. */
static size_t take_digits(struct printing *p, struct conversion *c, size_t i)
{
	int64_t value;
	size_t end = take_number(p, i, &value);

	if (end < p->format.len && p->format.ptr[end] == '$') {
		set_position(p, c, bytes_slice(p->format, i, end));
		return end + 1;
	}
	if (!c->dot)
		c->spec.width = value;
	else if (!c->negative)
		c->spec.precision = value;
	c->precise = c->dot;
	return end;
}

/* A '.' or a flag, one of "-+ #0'"; false: it can't stand here. */
static bool take_sign(struct conversion *c, char ch)
{
	static const char letters[] = "-+ #0'";
	static const unsigned flags[] = { FORMAT_LEFT, FORMAT_PLUS, FORMAT_SPACE,
					  FORMAT_ALT,  FORMAT_ZERO, FORMAT_GROUP };
	bool good = ch == '-' ? !c->precise && !c->negative : !c->dot;

	if (c->dot && good) {
		/* A negative precision is none. */
		c->negative = true;
		c->spec.precision = -1;
	} else if (ch == '.') {
		c->dot = true;
		c->spec.precision = 0;
	} else if (good) {
		c->spec.flags |= flags[strchr(letters, ch) - letters];
	}
	return good;
}

/* h, l, L and the like mean nothing, but each may stand once only. */
static bool take_size(struct conversion *c, char ch)
{
	static const char letters[] = "hlLjzt";
	unsigned bit = 1u << (strchr(letters, ch) - letters);
	bool good = (c->sizes & bit) == 0;

	c->sizes |= bit;
	return good;
}

/* The part of a conversion between '%' and its letter: returns where that is; 0: it is none. */
static size_t parse_spec(struct printing *p, size_t i, struct conversion *c)
{
	while (i < p->format.len) {
		char ch = p->format.ptr[i];
		bool good = true;

		if (ch == '$' || (byte_is_digit(ch) && (ch != '0' || c->dot))) {
			good = !c->precise;
			i = take_digits(p, c, i) - 1;
		} else if (ch == '*' && c->dot) {
			good = !c->precise;
			i = good ? take_star(p, c, i, &c->spec.precision) - 1 : i;
			format_set_precision(&c->spec, c->spec.precision);
			c->precise = true;
		} else if (ch == '*') {
			int64_t width;

			i = take_star(p, c, i, &width) - 1;
			format_set_width(&c->spec, width);
		} else if (ch != '\0' && strchr("-+ #0'.", ch) != NULL) {
			good = take_sign(c, ch);
		} else if (ch != '\0' && strchr("hlLjzt", ch) != NULL) {
			good = take_size(c, ch);
		} else {
			return i;
		}
		if (!good)
			return 0;
		i++;
	}
	return i;
}

static void put_one(struct printing *p, struct conversion *c)
{
	if (p->used != 0 && p->used != (c->position != 0 ? USED_POSITIONS : USED_ORDER))
		awk_fatal(p->a, "%s", mixed);
	p->used = c->position != 0 ? USED_POSITIONS : USED_ORDER;
	put_conversion(p, &c->spec, take_arg(p, c->position, c->at));
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
		struct conversion c = { .spec = { .width = -1, .precision = -1 } };
		size_t end = parse_spec(&p, at + 1, &c);

		c.spec.conv = end != 0 && end < format.len ? format.ptr[end] : '\0';
		i = end != 0 && end < format.len ? end + 1 : format.len;
		if (c.spec.conv == '%') {
			buf_putc(out, '%');
		} else if (c.spec.conv != '\0' && strchr("csdiuoxXeEfFgGaA", c.spec.conv)) {
			c.at = end - 1;
			put_one(&p, &c);
		} else {
			i = end != 0 ? i : at + 1;
			buf_put(out, format.ptr + at, i - at);
		}
		awk_work(a, 1 + (c.spec.width > 64 ? (uint64_t)c.spec.width / 64 : 0));
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
