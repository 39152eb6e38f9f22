/* SPDX-License-Identifier: MIT
 *
 * awk -M: numbers as text.
 */
#include "builtins/awk/big.h"

#include "base/format.h"

#include <math.h>

enum { PRECISION_DEFAULT = 6, EXPONENT_LEAST = -4 };

/* d[0].d[1]d[2]... * 10^e, without a sign. */
struct digits {
	char *d;
	int64_t n;
	int64_t e;
};

static struct bytes text_in(struct awk *a, struct buf *out, const struct num *x, int64_t base)
{
	struct num *b = num_of_i64(a->c, base);

	num_format(a->c, out, x, b, true);
	num_put(a->c, b);
	return buf_bytes(out);
}

static bool is_integral(struct awk *a, const struct num *n)
{
	struct num *whole = awk_big_truncate(a, n);
	bool same = num_cmp(a->c, whole, n) == 0;

	num_put(a->c, whole);
	return same;
}

struct bytes awk_big_text(struct awk *a, const struct val *v, enum special format)
{
	struct buf out = buf_in(&a->scratch);
	const struct num *n = v->u.big->n;

	if (is_integral(a, n)) {
		struct num *whole = awk_big_truncate(a, n);

		text_in(a, &out, whole, 10);
		num_put(a->c, whole);
	} else {
		struct val copy = *v;

		awk_num_format(a, &out, &copy, format);
	}
	awk_work_bytes(a, out.len);
	return buf_bytes(&out);
}

/* --- printf --- */

/* Sign or prefix, zeros, digits; in a field. */
static void put_field(struct buf *out, const struct format_spec *spec, struct bytes head,
		      int64_t zeros, struct bytes digits, bool fill)
{
	int64_t len = (int64_t)(head.len + digits.len) + zeros;
	int64_t pad = spec->width > len ? spec->width - len : 0;

	if (fill && (spec->flags & FORMAT_ZERO) && !(spec->flags & FORMAT_LEFT)) {
		zeros += pad;
		pad = 0;
	}
	if (!(spec->flags & FORMAT_LEFT))
		buf_fill(out, ' ', (size_t)pad);
	buf_add(out, head);
	buf_fill(out, '0', (size_t)zeros);
	buf_add(out, digits);
	if (spec->flags & FORMAT_LEFT)
		buf_fill(out, ' ', (size_t)pad);
}

static struct bytes sign_of(const struct format_spec *spec, bool negative)
{
	return bytes_of(negative                     ? "-"
			: spec->flags & FORMAT_PLUS  ? "+"
			: spec->flags & FORMAT_SPACE ? " "
						     : "");
}

static void put_whole(struct awk *a, struct buf *out, const struct format_spec *spec,
		      const struct num *n)
{
	bool decimal = spec->conv == 'd' || spec->conv == 'i';
	bool marked = (spec->flags & FORMAT_ALT) != 0;
	bool hex = spec->conv == 'x' || spec->conv == 'X';
	struct num *whole = awk_big_truncate(a, n);
	struct bytes head = decimal ? sign_of(spec, whole->negative) : BYTES("");
	struct buf digits = buf_in(&a->scratch);
	int64_t zeros;

	whole->negative = false;
	text_in(a, &digits, whole, hex ? 16 : spec->conv == 'o' ? 8 : 10);
	if (spec->precision == 0 && num_is_zero(whole))
		digits.len = 0;
	if (marked && spec->conv == 'o' && (digits.len == 0 || !num_is_zero(whole)))
		head = BYTES("0");
	if (marked && hex && !num_is_zero(whole))
		head = bytes_of(spec->conv == 'x' ? "0x" : "0X");
	for (size_t i = 0; i < digits.len && spec->conv == 'x'; i++)
		digits.ptr[i] = (char)byte_to_lower((unsigned char)digits.ptr[i]);
	zeros = spec->precision > (int64_t)digits.len ? spec->precision - (int64_t)digits.len : 0;
	put_field(out, spec, head, zeros, buf_bytes(&digits), spec->precision < 0);
	num_put(a->c, whole);
}

static struct digits digits_of(struct awk *a, const struct num *n)
{
	struct buf text = buf_in(&a->scratch);
	struct digits out = { NULL, 0, 0 };
	struct num *plain = num_shift_up(a->c, n, 0);
	struct bytes s;

	plain->negative = false;
	plain->scale = 0;
	s = text_in(a, &text, plain, 10);
	num_put(a->c, plain);
	out.d = arena_dup(&a->scratch, s);
	out.n = (int64_t)s.len;
	out.e = out.n - 1 - (int64_t)n->scale;
	return out;
}

/* Whether what is cut off from d[keep] on makes the rest larger. */
static bool rounds_up(const struct awk *a, const struct digits *x, int64_t keep, bool negative)
{
	bool rest = false;
	char first = keep >= 0 ? x->d[keep] : '0';

	for (int64_t i = keep < 0 ? 0 : keep + 1; i < x->n && !rest; i++)
		rest = x->d[i] != '0';
	if (first == '0' && !rest)
		return false;
	switch (a->round) {
	case 'Z': return false;
	case 'U': return !negative;
	case 'D': return negative;
	case 'A': return true;
	default: break;
	}
	if (first != '5' || rest)
		return first >= '5';
	return keep > 0 && (x->d[keep - 1] & 1) != 0;
}

/* Keeps that many digits; they become more if there are fewer. */
static void round_to(struct awk *a, struct digits *x, int64_t keep, bool negative)
{
	if (keep >= x->n) {
		char *more = arena_array(&a->scratch, heap_size((uint64_t)keep) + 1, 1);

		memcpy(more, x->d, (size_t)x->n);
		memset(more + x->n, '0', (size_t)(keep - x->n));
		x->d = more;
		x->n = keep;
		return;
	}
	bool up = rounds_up(a, x, keep, negative);
	int64_t i = keep > 0 ? keep : 0;

	x->n = i;
	for (; up && i > 0; i--) {
		up = x->d[i - 1] == '9';
		x->d[i - 1] = (char)(up ? '0' : x->d[i - 1] + 1);
	}
	if (!up)
		return;
	/* One digit more in front: 999 became 1000. */
	x->e = keep > 0 ? x->e + 1 : x->e - keep + 1;
	x->d[0] = '1';
	if (keep <= 0)
		x->n = 1;
}

static void put_point(struct buf *out, const struct format_spec *spec, struct bytes fraction)
{
	if (fraction.len > 0 || (spec->flags & FORMAT_ALT))
		buf_putc(out, '.');
	buf_add(out, fraction);
}

static void put_scientific(struct buf *out, const struct format_spec *spec, const struct digits *x,
			   bool upper)
{
	long long e = (long long)x->e;

	buf_putc(out, x->d[0]);
	put_point(out, spec, (struct bytes){ x->d + 1, (size_t)x->n - 1 });
	buf_printf(out, "%c%c%02lld", upper ? 'E' : 'e', e < 0 ? '-' : '+', e < 0 ? -e : e);
}

/* x has its digits up to the last one that is shown, `after` of them behind the point. */
static void put_fixed(struct buf *out, const struct format_spec *spec, const struct digits *x,
		      int64_t after)
{
	int64_t front = x->e + 1;
	int64_t zeros = front >= 0 ? 0 : -front < after ? -front : after;
	int64_t from = front > 0 ? front : 0;
	int64_t left = x->n > from ? x->n - from : 0;

	buf_reserve(out, heap_size((uint64_t)(from + after + 2)));
	if (front > 0 && x->n > 0)
		buf_put(out, x->d, (size_t)front);
	else
		buf_putc(out, '0');
	if (after > 0 || (spec->flags & FORMAT_ALT))
		buf_putc(out, '.');
	buf_fill(out, '0', (size_t)zeros);
	if (left > 0)
		buf_put(out, x->d + from, (size_t)left);
	buf_fill(out, '0', (size_t)(after - zeros - left));
}

static void put_general(struct awk *a, struct buf *out, const struct format_spec *spec,
			struct digits *x, int64_t precision, bool negative)
{
	int64_t keep = precision == 0 ? 1 : precision;

	round_to(a, x, keep, negative);
	/* One digit more, if it was rounded up to it. */
	x->n = keep;
	if (!(spec->flags & FORMAT_ALT))
		while (x->n > 1 && x->d[x->n - 1] == '0')
			x->n--;
	if (x->e < EXPONENT_LEAST || x->e >= keep) {
		put_scientific(out, spec, x, spec->conv == 'G');
		return;
	}
	round_to(a, x, x->n > x->e + 1 ? x->n : x->e + 1, negative);
	put_fixed(out, spec, x, x->n - x->e - 1);
}

static void put_float(struct awk *a, struct buf *out, const struct format_spec *spec,
		      const struct num *n)
{
	int64_t precision = spec->precision < 0 ? PRECISION_DEFAULT : spec->precision;
	struct buf text = buf_in(&a->scratch);
	struct digits x = digits_of(a, n);

	switch (spec->conv) {
	case 'e':
	case 'E':
		round_to(a, &x, precision + 1, n->negative);
		x.n = precision + 1;
		put_scientific(&text, spec, &x, spec->conv == 'E');
		break;
	case 'f':
	case 'F':
		round_to(a, &x, x.e + 1 + precision, n->negative);
		put_fixed(&text, spec, &x, precision);
		break;
	default: put_general(a, &text, spec, &x, precision, n->negative);
	}
	put_field(out, spec, sign_of(spec, n->negative), 0, buf_bytes(&text), true);
}

/* A number below 0 for a conversion without a sign: rounded to a whole one. */
static double to_whole(const struct awk *a, double d)
{
	double down = floor(d);

	switch (a->round) {
	case 'Z':
	case 'U': return ceil(d) + 0.0;
	case 'N': break;
	default: return down;
	}
	if (d - down == 0.5)
		return fmod(down, 2) == 0 ? down : down + 1;
	return (d - down < 0.5 ? down : down + 1) + 0.0;
}

struct val awk_big_wide(struct awk *a, struct val v, char conv)
{
	double d = v.u.num;
	bool whole = strchr("diouxX", conv) != NULL;

	if (strchr("uoxX", conv) != NULL && !awk_big_is_whole(&v)) {
		d = val_to_num(a, &v);
		if (d < 0 && d > -0x1p62) {
			val_put(a, v);
			return val_num(to_whole(a, d));
		}
	}
	if (v.kind != VAL_NUM || d - d != 0)
		return v;
	if (whole ? d < 0x1p62 && d > -0x1p62 : a->round == 'N' || d == 0)
		return v;
	return awk_big_make(a, awk_big_num(a, &v), !whole);
}

void awk_big_format(struct awk *a, struct buf *out, const struct format_spec *spec,
		    const struct val *v)
{
	struct arena_mark mark = arena_mark(&a->scratch);
	struct format_spec own = *spec;
	const struct num *n = v->u.big->n;
	bool whole = strchr("diouxX", spec->conv) != NULL;

	if (whole && n->negative && spec->conv != 'd' && spec->conv != 'i') {
		own.conv = 'g';
		whole = false;
	}
	if (spec->conv == 'a' || spec->conv == 'A')
		format_put_real(out, spec, real_of_double(awk_big_to_double(a, v->u.big)), true);
	else if (whole)
		put_whole(a, out, &own, n);
	else
		put_float(a, out, &own, n);
	awk_work(a, n->len + (uint64_t)(spec->precision > 64 ? spec->precision / 64 : 1));
	/* What is written in there stays. */
	if (out->arena != &a->scratch)
		arena_release(&a->scratch, mark);
}

/* --- PREC and ROUNDMODE --- */

void awk_big_set_precision(struct awk *a, struct val *v)
{
	static const struct {
		const char *name;
		int bits;
	} formats[] = {
		{ "half", 11 }, { "single", 24 }, { "double", 53 }, { "quad", 113 }, { "oct", 237 }
	};
	struct text_room tmp;
	struct bytes text = awk_val_text(a, v, &tmp);
	double d = val_to_num(a, v);

	if (!awk_val_is_numeric(a, v))
		for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
			if (awk_text_fold(a, text, bytes_of(formats[i].name)) == 0 &&
			    text.len == strlen(formats[i].name)) {
				a->prec = formats[i].bits;
				return;
			}
		}
	if (d >= 1 && d <= BIG_PREC_MAX)
		a->prec = (int)d;
	else
		awk_warn(a, "PREC value `%.*s' is invalid", (int)text.len, text.ptr);
}

void awk_big_set_rounding(struct awk *a, struct val *v)
{
	struct text_room tmp;
	struct bytes text = awk_val_text(a, v, &tmp);
	int mode = text.len == 1 ? byte_to_upper((unsigned char)text.ptr[0]) : 0;

	if (mode != 0 && strchr("NZUDA", mode) != NULL)
		a->round = (char)mode;
	else
		awk_warn(a, "ROUNDMODE value `%.*s' is invalid", (int)text.len, text.ptr);
}
