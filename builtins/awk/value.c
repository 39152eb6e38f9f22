/* SPDX-License-Identifier: MIT
 *
 * awk's values: text with counted references, and what of it is a number.
 *
 * Text from outside keeps its kind (VAL_INPUT) until somebody asks whether it looks like a
 * number; the answer stays with the string.
 */
#include <math.h>

#include "builtins/awk/awk.h"

/* --- memory --- */

enum { STORE_SMALL_REGIONS = 8, STORE_FIRST_BYTES = 4 << 20 };

/*
 * Regions of the private store. A store first asks for megabytes, as many as it has and more, and
 * where it gets none for what is due: small programs are given the latter.
 */
static void *grow_store(void *user, size_t bytes)
{
	struct awk *a = user;
	size_t more = STORE_FIRST_BYTES;

	for (uint32_t i = 0; i < a->store.nregions; i++)
		more += (size_t)a->store.region[i].pages * PAGE_BYTES;
	if (bytes == more && a->store_calls < STORE_SMALL_REGIONS) {
		a->store_calls++;
		return NULL;
	}
	return pool_alloc(a->pool, bytes);
}

/*
 * Arenas of their own (patterns that are forgotten again, scratch) must not outlive a process
 * that is stopped in the middle, and only its arena and pool are freed then. So they take
 * their chunks from a store that lives in the pool.
 */
void awk_heap_init(struct awk *a)
{
	store_init(&a->store, NULL, 0, grow_store, a);
	a->heap = (struct heap){ .store = &a->store };
	arena_init(&a->scratch, &a->heap, a->c->arena->fail);
	a->scratch.work = a->c->arena->work;
}

/* --- strings --- */

struct str *awk_str_alloc(struct awk *a, size_t len)
{
	struct str *s = pool_alloc(a->pool, sizeof *s + len);

	awk_work_long(a, len);
	s->refs = 1;
	s->look = LOOK_UNKNOWN;
	s->len = len;
	s->cap = len;
	return s;
}

struct str *awk_str_new(struct awk *a, struct bytes s)
{
	struct str *out = awk_str_alloc(a, s.len);

	memcpy(out->ptr, s.len != 0 ? s.ptr : "", s.len);
	return out;
}

void awk_str_free(struct awk *a, struct str *s)
{
	pool_free(a->pool, s, sizeof *s + s->cap);
}

struct str *awk_str_append(struct awk *a, struct str *s, struct bytes more)
{
	size_t len = s->len + more.len;

	awk_work_bytes(a, more.len);
	if (s->refs > 1) {
		struct str *out = awk_str_alloc(a, len + len / 2);

		memcpy(out->ptr, s->ptr, s->len);
		out->len = s->len;
		str_put(a, s);
		s = out;
	} else if (len > s->cap) {
		size_t cap = len * 2 + 32;

		s = pool_resize(a->pool, s, sizeof *s + s->cap, sizeof *s + cap);
		s->cap = cap;
	}
	if (more.len != 0)
		memcpy(s->ptr + s->len, more.ptr, more.len);
	s->len = len;
	s->look = LOOK_UNKNOWN;
	return s;
}

void awk_val_put_slow(struct awk *a, struct val v)
{
	if (val_has_str(v))
		str_put(a, v.u.str);
	else if (v.kind == VAL_ARRAY || v.kind == VAL_UNTYPED)
		awk_array_put(a, v.u.array);
	else if (v.kind == VAL_BIG)
		awk_big_put(a, v.u.big);
	else if (v.kind == VAL_ITER)
		awk_iter_free(a, v.u.iter);
}

/* --- text to numbers --- */

static const double powers[] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
				 1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
				 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };

/* "inf" and "nan" count with a sign and nothing behind them only: "+inf", "-nan ". */
static size_t parse_special(struct bytes s, double *out)
{
	struct bytes word = { s.ptr + 1, s.len - 1 };
	char low[4] = { 0 };

	if (s.len < 4 || (s.ptr[0] != '+' && s.ptr[0] != '-'))
		return 0;
	for (int i = 0; i < 3; i++)
		low[i] = (char)byte_to_lower(word.ptr[i]);
	for (size_t i = 3; i < word.len; i++)
		if (!byte_is_space((unsigned char)word.ptr[i]))
			return 0;
	bool inf = memcmp(low, "inf", 3) == 0;

	if (!inf && memcmp(low, "nan", 3) != 0)
		return 0;
	number_parse_double((struct bytes){ low, 3 }, out, NULL);
	if (s.ptr[0] == '-')
		*out = -*out;
	return 4;
}

/* The decimal number that s begins with (no white space before): how long it is. */
static size_t parse_decimal(struct bytes s, double *out)
{
	size_t i = 0;
	size_t digits = 0;
	size_t frac = 0;
	uint64_t mant = 0;
	bool negative = false;

	if (i < s.len && (s.ptr[i] == '-' || s.ptr[i] == '+'))
		negative = s.ptr[i++] == '-';
	for (; i < s.len && byte_is_digit(s.ptr[i]); i++, digits++)
		mant = digits < 18 ? mant * 10 + (uint64_t)(s.ptr[i] - '0') : mant;
	if (i < s.len && s.ptr[i] == '.') {
		size_t point = i++;

		for (; i < s.len && byte_is_digit(s.ptr[i]); i++, digits++)
			mant = digits < 18 ? mant * 10 + (uint64_t)(s.ptr[i] - '0') : mant;
		frac = i - point - 1;
	}
	if (digits == 0)
		return parse_special(s, out);
	bool exact = digits <= 18 && mant <= (uint64_t)1 << 53 && frac <= 22;

	if (i < s.len && (s.ptr[i] | 0x20) == 'e') {
		size_t e = i + 1;

		if (e < s.len && (s.ptr[e] == '-' || s.ptr[e] == '+'))
			e++;
		if (e < s.len && byte_is_digit(s.ptr[e])) {
			for (; e < s.len && byte_is_digit(s.ptr[e]); e++)
				;
			i = e;
			exact = false;
		}
	}
	if (exact) {
		*out = (double)mant / powers[frac];
		*out = negative ? -*out : *out;
		return i;
	}
	number_parse_double(bytes_slice(s, 0, i), out, NULL);
	return i;
}

static struct bytes skip_blanks(struct bytes s)
{
	while (s.len > 0 && byte_is_space(s.ptr[0])) {
		s.ptr++;
		s.len--;
	}
	return s;
}

/* 0x and 0 octal, as --non-decimal-data and strtonum have them. */
double awk_strtonum_text(struct awk *a, struct bytes s)
{
	bool negative = false;
	double sum = 0;
	double value = 0;
	size_t i = 0;

	awk_work_long(a, s.len);
	s = skip_blanks(s);
	if (s.len > 0 && (s.ptr[0] == '-' || s.ptr[0] == '+')) {
		negative = s.ptr[0] == '-';
		i = 1;
	}
	if (i == 0 && s.len > 1 && s.ptr[0] == '0' && (s.ptr[1] | 0x20) == 'x') {
		for (i += 2; i < s.len && byte_is_xdigit(s.ptr[i]); i++)
			sum = sum * 16 + byte_digit(s.ptr[i]);
		return negative ? -sum : sum;
	}
	if (i + 1 < s.len && s.ptr[i] == '0' && byte_is_digit(s.ptr[i + 1])) {
		size_t end = i;

		for (; end < s.len && s.ptr[end] >= '0' && s.ptr[end] <= '7'; end++)
			sum = sum * 8 + byte_digit(s.ptr[end]);
		if (end == s.len || !(byte_is_digit(s.ptr[end]) || s.ptr[end] == '.'))
			return negative ? -sum : sum;
	}
	return parse_decimal(s, &value) != 0 ? value : 0;
}

/* s without blanks in front. */
static struct bytes number_in(struct awk *a, struct bytes s)
{
	struct bytes rest = skip_blanks(s);

	awk_work_long(a, s.len - rest.len);
	return rest;
}

double awk_text_to_num(struct awk *a, struct bytes s)
{
	double value = 0;
	size_t n;

	s = number_in(a, s);
	if (a->o->non_decimal)
		return awk_strtonum_text(a, s);
	n = a->o->posix ? number_parse_double(s, &value, NULL) : parse_decimal(s, &value);
	awk_work_long(a, n);
	return n != 0 ? value : 0;
}

bool awk_text_is_number(struct awk *a, struct bytes s, double *out)
{
	s = number_in(a, s);
	size_t n = a->o->posix ? number_parse_double(s, out, NULL) : parse_decimal(s, out);

	if (a->o->non_decimal && s.len > 2 && s.ptr[0] == '0' && (s.ptr[1] | 0x20) == 'x') {
		for (n = 2; n < s.len && byte_is_xdigit(s.ptr[n]); n++)
			;
	}
	if (a->o->non_decimal && n != 0)
		*out = awk_strtonum_text(a, s);
	awk_work_long(a, n);
	return n != 0 && skip_blanks(bytes_slice(s, n, s.len)).len == 0;
}

static bool str_is_number(struct awk *a, struct str *s)
{
	double value = 0;

	if (s->look == LOOK_UNKNOWN) {
		s->look = awk_text_is_number(a, str_bytes(s), &value) ? LOOK_NUMBER : LOOK_TEXT;
		s->num = value;
	}
	return s->look == LOOK_NUMBER;
}

double awk_val_to_num_slow(struct awk *a, struct val *v)
{
	switch (v->kind) {
	case VAL_NUM: return v->u.num;
	case VAL_BIG: return awk_big_to_double(a, v->u.big);
	case VAL_INPUT:
	case VAL_STR:
		if (str_is_number(a, v->u.str))
			return v->u.str->num;
		return awk_text_to_num(a, str_bytes(v->u.str));
	case VAL_REGEX: return awk_text_to_num(a, str_bytes(v->u.str));
	case VAL_VIEW: return awk_text_to_num(a, (struct bytes){ v->u.view, v->len });
	case VAL_ARRAY: awk_array_as_scalar(a, BYTES(""), v->u.array);
	default: return 0;
	}
}

bool awk_val_is_numeric(struct awk *a, struct val *v)
{
	double value;

	switch (v->kind) {
	case VAL_UNINIT:
	case VAL_NUM:
	case VAL_BIG:
	case VAL_UNTYPED: return true;
	case VAL_INPUT: return str_is_number(a, v->u.str);
	case VAL_VIEW: return awk_text_is_number(a, (struct bytes){ v->u.view, v->len }, &value);
	default: return false;
	}
}

bool awk_val_true(struct awk *a, struct val *v)
{
	double value;

	switch (v->kind) {
	case VAL_NUM: return v->u.num != 0;
	case VAL_BIG: return true;
	case VAL_STR:
	case VAL_REGEX: return v->u.str->len != 0;
	case VAL_INPUT: return str_is_number(a, v->u.str) ? v->u.str->num != 0 : v->u.str->len != 0;
	case VAL_VIEW:
		if (awk_text_is_number(a, (struct bytes){ v->u.view, v->len }, &value))
			return value != 0;
		return v->len != 0;
	case VAL_ARRAY: awk_array_as_scalar(a, BYTES(""), v->u.array);
	default: return false;
	}
}

/* --- numbers to text --- */

bool awk_num_is_integer(double d)
{
	return d - d == 0 && floor(d) == d;
}

static struct bytes special_text(double d, struct text_room *tmp)
{
	bool negative = real_of_double(d).negative;

	memcpy(tmp->ptr, d == d ? "+inf" : "+nan", 4);
	if (negative)
		tmp->ptr[0] = '-';
	return (struct bytes){ tmp->ptr, 4 };
}

static struct bytes keep_text(struct awk *a, struct buf *text, struct text_room *tmp)
{
	(void)a;
	if (text->len > sizeof tmp->ptr)
		return buf_bytes(text);
	memcpy(tmp->ptr, buf_bytes(text).ptr, text->len);
	return (struct bytes){ tmp->ptr, text->len };
}

void awk_num_format(struct awk *a, struct buf *out, struct val *v, enum special format)
{
	bool asks = format == SP_CONVFMT && a->converting;
	bool before = a->converting;

	a->converting |= format == SP_CONVFMT;
	awk_format_values(a, out, asks ? BYTES("%.6g") : str_bytes(a->special[format].u.str), v, 1);
	a->converting = before;
}

struct bytes awk_num_text(struct awk *a, double d, enum special format, struct text_room *tmp)
{
	if (d > -1e15 && d < 1e15 && (double)(int64_t)d == d)
		return (struct bytes){ tmp->ptr, number_put_i64(tmp->ptr, (int64_t)d) };
	if (d - d != 0)
		return special_text(d, tmp);
	struct arena_mark mark = arena_mark(&a->scratch);
	struct buf text = buf_in(&a->scratch);
	int digits = format == SP_CONVFMT ? a->convfmt_g : a->ofmt_g;

	if (awk_num_is_integer(d)) {
		real_put(&text, real_of_double(d), 'f', 0, 0);
	} else if (digits >= 0 && a->round == 'N') {
		number_put_g(&text, d, digits);
	} else {
		struct val v = val_num(d);

		awk_num_format(a, &text, &v, format);
	}
	struct bytes out = keep_text(a, &text, tmp);

	/* What does not fit stays in scratch until the next operation. */
	if (out.ptr == tmp->ptr)
		arena_release(&a->scratch, mark);
	return out;
}

struct bytes awk_val_text(struct awk *a, const struct val *v, struct text_room *tmp)
{
	switch (v->kind) {
	case VAL_NUM: return awk_num_text(a, v->u.num, SP_CONVFMT, tmp);
	case VAL_BIG: return awk_big_text(a, v, SP_CONVFMT);
	case VAL_STR:
	case VAL_INPUT:
	case VAL_REGEX: return str_bytes(v->u.str);
	case VAL_VIEW: return (struct bytes){ v->u.view, v->len };
	case VAL_ARRAY: awk_array_as_scalar(a, BYTES(""), v->u.array);
	default: return (struct bytes){ "", 0 };
	}
}

struct str *awk_val_to_str(struct awk *a, struct val *v)
{
	struct text_room tmp;

	if (val_has_str(*v))
		return v->u.str;
	if (v->kind == VAL_NUM && v->u.num >= 0 && v->u.num < 10 &&
	    (double)(int)v->u.num == v->u.num) {
		*v = val_str(str_get(a->digit[(int)v->u.num]));
		return v->u.str;
	}
	struct bytes text = awk_val_text(a, v, &tmp);
	struct str *s = text.len != 0 ? awk_str_new(a, text) : str_get(a->empty);

	if (v->kind == VAL_BIG)
		awk_big_put(a, v->u.big);
	*v = val_str(s);
	return s;
}

/* --- comparing --- */

static bool wants_number(struct awk *a, struct val *v, double *out)
{
	switch (v->kind) {
	case VAL_NUM: *out = v->u.num; return true;
	case VAL_UNINIT:
	case VAL_UNTYPED: *out = 0; return true;
	case VAL_INPUT:
		*out = 0;
		if (!str_is_number(a, v->u.str))
			return false;
		*out = v->u.str->num;
		return true;
	case VAL_VIEW: return awk_text_is_number(a, (struct bytes){ v->u.view, v->len }, out);
	default: return false;
	}
}

static int compare_numbers(double x, double y)
{
	/* NaN is above all other numbers, as gawk sorts and compares it. */
	if (x != x || y != y)
		return (x != x) - (y != y);
	return x < y ? -1 : x > y;
}

/* The character at s.ptr[at] in its small letter; characters of several bytes are below those of
 * one, as gawk compares them. *len is in bytes. */
static int64_t folded(const struct awk *a, struct bytes s, size_t at, size_t *len)
{
	uint32_t c = (unsigned char)s.ptr[at];

	*len = a->utf8 && c >= 0x80 ? utf8_decode(s, at, &c) : 0;
	if (*len != 0)
		return (int64_t)utf8_to_lower(c) - INT32_MAX;
	*len = 1;
	return byte_to_lower((int)c);
}

int awk_text_fold(struct awk *a, struct bytes x, struct bytes y)
{
	size_t i = 0;
	size_t k = 0;

	while (i < x.len && k < y.len) {
		size_t xlen;
		size_t ylen;
		int64_t diff = folded(a, x, i, &xlen) - folded(a, y, k, &ylen);

		if (diff != 0)
			return diff < 0 ? -1 : 1;
		if (i % 4096 == 0)
			awk_work(a, 64);
		i += xlen;
		k += ylen;
	}
	return 0;
}

int awk_val_compare(struct awk *a, struct val *x, struct val *y)
{
	struct text_room xroom;
	struct text_room yroom;
	double xnum;
	double ynum;

	if (a->o->bignum && awk_val_is_numeric(a, x) && awk_val_is_numeric(a, y))
		return awk_big_compare(a, x, y);
	if (wants_number(a, x, &xnum) && wants_number(a, y, &ynum))
		return compare_numbers(xnum, ynum);
	struct bytes xs = awk_val_text(a, x, &xroom);
	struct bytes ys = awk_val_text(a, y, &yroom);

	awk_work_bytes(a, xs.len < ys.len ? xs.len : ys.len);
	if (a->ignorecase) {
		int diff = awk_text_fold(a, xs, ys);

		if (diff != 0)
			return diff;
		return xs.len < ys.len ? -1 : xs.len > ys.len;
	}
	return bytes_cmp(xs, ys);
}
