/* SPDX-License-Identifier: MIT
 *
 * awk's functions on text. Positions count characters; bytes that are no UTF-8 count as one.
 */
#include <math.h>

#include "builtins/awk/awk.h"

static bool is_ascii(struct bytes s)
{
	size_t i = 0;
	uint64_t word;

	for (; i + 8 <= s.len; i += 8) {
		memcpy(&word, s.ptr + i, 8);
		if (word & 0x8080808080808080u)
			return false;
	}
	for (; i < s.len; i++)
		if ((unsigned char)s.ptr[i] >= 0x80)
			return false;
	return true;
}

/* Says once that there are bytes that are no characters. */
static void check_text(struct awk *a, struct bytes s)
{
	uint32_t c;
	size_t n;

	if (!a->utf8 || a->warned_bytes || is_ascii(s))
		return;
	for (size_t i = 0; i < s.len; i += n) {
		n = utf8_decode(s, i, &c);
		if (n != 0)
			continue;
		a->warned_bytes = true;
		awk_warn(a, "Invalid multibyte data detected. There may be a mismatch between "
			    "your data and your locale");
		return;
	}
}

static size_t count_chars(struct awk *a, struct bytes s)
{
	return !a->utf8 || is_ascii(s) ? s.len : utf8_count(s);
}

struct val awk_fn_length(struct awk *a, struct val *v)
{
	struct text_room tmp;

	if (v->kind == VAL_ARRAY && a->o->posix)
		awk_fatal(a, "length: received array argument");
	if (v->kind == VAL_ARRAY)
		return val_num((double)v->u.array->count);
	struct bytes s = awk_val_text(a, v, &tmp);

	awk_work_bytes(a, s.len);
	check_text(a, s);
	return val_num((double)count_chars(a, s));
}

struct val awk_fn_substr(struct awk *a, struct val *args, int n)
{
	struct text_room tmp;
	double start = val_to_num(a, &args[1]);
	double length = n > 2 ? val_to_num(a, &args[2]) : HUGE_VAL;
	struct bytes s = awk_val_text(a, &args[0], &tmp);

	/* A start before the text counts as its beginning, as gawk has it; fractions are cut. */
	start = start >= 1 ? floor(start) : 1;
	if (!(length >= 1) || start > (double)s.len)
		return val_str(str_get(a->empty));
	size_t from = (size_t)start - 1;
	size_t count = length > (double)s.len ? s.len : (size_t)length;

	/* Characters are counted from the start. */
	awk_work_bytes(a, a->utf8 && s.len >= 4096 ? s.len : count);
	if (a->utf8 && !is_ascii(s)) {
		check_text(a, s);
		from = utf8_offset(s, from);
		struct bytes rest = bytes_slice(s, from, s.len);

		return val_bytes(a, bytes_slice(rest, 0, utf8_offset(rest, count)));
	}
	return val_bytes(a, bytes_slice(s, from, count > s.len - from ? s.len : from + count));
}

static struct bytes to_lower(struct awk *a, struct bytes s)
{
	struct buf out = buf_in(&a->scratch);
	uint32_t c;

	for (size_t i = 0; i < s.len;) {
		size_t n = a->utf8 ? utf8_decode(s, i, &c) : 0;
		char text[4];

		if (n <= 1) {
			buf_putc(&out, (char)byte_to_lower((unsigned char)s.ptr[i++]));
			continue;
		}
		size_t len = utf8_encode(utf8_to_lower(c), text);

		buf_put(&out, text, len);
		i += n;
	}
	return buf_bytes(&out);
}

struct val awk_fn_index(struct awk *a, struct val *args)
{
	struct arena_mark mark = arena_mark(&a->scratch);
	struct text_room one;
	struct text_room two;
	struct bytes s = awk_val_text(a, &args[0], &one);
	struct bytes what = awk_val_text(a, &args[1], &two);

	if (args[1].kind == VAL_REGEX)
		awk_fatal(a, "index: regexp constant as second argument is not allowed");
	check_text(a, s);
	if (a->ignorecase) {
		s = to_lower(a, s);
		what = to_lower(a, what);
	}
	awk_work_bytes(a, s.len);
	const char *hit = bytes_find(s, what);
	double at = hit == NULL
			    ? 0
			    : (double)count_chars(a, bytes_slice(s, 0, (size_t)(hit - s.ptr))) + 1;

	arena_release(&a->scratch, mark);
	return val_num(at);
}

static struct str *ascii_case(struct awk *a, struct bytes s, bool upper)
{
	struct str *out = awk_str_alloc(a, s.len);

	for (size_t i = 0; i < s.len; i++)
		out->ptr[i] = (char)(upper ? byte_to_upper((unsigned char)s.ptr[i])
					   : byte_to_lower((unsigned char)s.ptr[i]));
	return out;
}

struct val awk_fn_case(struct awk *a, struct val *v, bool upper)
{
	struct text_room tmp;
	struct bytes s = awk_val_text(a, v, &tmp);

	awk_work_bytes(a, s.len);
	if (!a->utf8 || is_ascii(s))
		return val_str(ascii_case(a, s, upper));
	check_text(a, s);
	struct arena_mark mark = arena_mark(&a->scratch);
	struct buf out = buf_in(&a->scratch);

	for (size_t i = 0; i < s.len;) {
		uint32_t c;
		size_t n = utf8_decode(s, i, &c);
		char text[4];

		if (n == 0) {
			buf_putc(&out, s.ptr[i++]);
			continue;
		}
		size_t len = utf8_encode(upper ? utf8_to_upper(c) : utf8_to_lower(c), text);

		buf_put(&out, text, len);
		i += n;
	}
	struct val result = val_bytes(a, buf_bytes(&out));

	arena_release(&a->scratch, mark);
	return result;
}

/* --- match --- */

static void set_part(struct awk *a, struct array *x, unsigned group, const char *part, double d)
{
	struct arena_mark mark = arena_mark(&a->scratch);
	struct buf key = buf_in(&a->scratch);

	buf_printf(&key, "%u", group);
	buf_add(&key, a->subsep);
	buf_puts(&key, part);
	awk_work_long(a, key.len);
	awk_array_set(a, x, buf_bytes(&key), val_num(d));
	arena_release(&a->scratch, mark);
}

static void set_groups(struct awk *a, struct array *x, struct bytes s, const struct regex_span *m,
		       unsigned n)
{
	for (unsigned i = 0; i <= n; i++) {
		if (m[i].from == SIZE_MAX)
			continue;
		struct bytes part = bytes_slice(s, m[i].from, m[i].to);

		awk_work_long(a, m[i].to);
		awk_array_set_num(a, x, i, val_input(a, part));
		set_part(a, x, i, "start",
			 (double)count_chars(a, bytes_slice(s, 0, m[i].from)) + 1);
		set_part(a, x, i, "length", (double)count_chars(a, part));
	}
}

struct val awk_fn_match(struct awk *a, struct val *args, int n)
{
	struct arena_mark mark = arena_mark(&a->scratch);
	struct regex *re = awk_pattern_of_val(a, &args[1]);
	struct str *text = awk_val_to_str(a, &args[0]);
	struct bytes s = str_bytes(text);
	unsigned groups = n > 2 ? regex_groups(re) : 0;
	struct regex_span *m = arena_array(&a->scratch, (size_t)groups + 1, sizeof *m);
	double start = 0;
	double length = -1;

	awk_work_bytes(a, s.len);
	check_text(a, s);
	if (n > 2)
		awk_array_clear(a, args[2].u.array);
	if (awk_regex_find(a, re, s, 0, m, groups + 1) == 0) {
		start = (double)count_chars(a, bytes_slice(s, 0, m[0].from)) + 1;
		length = (double)count_chars(a, bytes_slice(s, m[0].from, m[0].to));
		if (n > 2)
			set_groups(a, args[2].u.array, s, m, groups);
	}
	awk_special_set(a, SP_RSTART, val_num(start));
	awk_special_set(a, SP_RLENGTH, val_num(length));
	arena_release(&a->scratch, mark);
	return val_num(start);
}

struct val awk_fn_typeof(struct awk *a, const struct val *v, bool isarray)
{
	const char *name = "untyped";
	bool is_array = v->kind == VAL_ARRAY || (v->kind == VAL_UNTYPED && v->u.array->used);

	if (isarray)
		return val_num(is_array);
	if (is_array) {
		name = "array";
	} else if (v->kind == VAL_NUM) {
		name = v->assigned == NUM_BOOL ? "number|bool" : "number";
	} else if (v->kind == VAL_BIG) {
		name = "number";
	} else if (v->kind == VAL_STR) {
		name = "string";
	} else if (v->kind == VAL_REGEX) {
		name = "regexp";
	} else if (v->kind == VAL_INPUT || v->kind == VAL_VIEW) {
		struct val copy = *v;

		name = v->kind == VAL_INPUT && v->assigned ? "unassigned"
		       : awk_val_is_numeric(a, &copy)      ? "strnum"
							   : "string";
	} else if (v->kind == VAL_UNTYPED ? v->u.array->scalar : v->assigned) {
		name = "unassigned";
	}
	return val_bytes(a, bytes_of(name));
}
