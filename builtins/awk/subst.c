/* SPDX-License-Identifier: MIT
 *
 * sub, gsub and gensub.
 *
 * The replacement is read once into parts. In sub's and gsub's, & is what matched and \& an
 * ampersand; backslashes pair up only in front of an ampersand, as POSIX has it. In gensub's,
 * \0 to \9 are groups.
 */
#include "builtins/awk/awk.h"

enum { GROUP_NONE = -1 };

/* Literal text, then a group. */
struct part {
	struct bytes text;
	int group;
};

struct replacement {
	struct part *parts;
	size_t n;
	size_t cap;
	unsigned groups; /* the highest one used, and one more */
};

static void add_part(struct awk *a, struct replacement *r, struct bytes text, int group)
{
	if (text.len == 0 && group == GROUP_NONE)
		return;
	if (r->n == r->cap) {
		r->parts = arena_grow(&a->scratch, r->parts, r->cap * sizeof *r->parts,
				      (r->cap * 2 + 8) * sizeof *r->parts);
		r->cap = r->cap * 2 + 8;
	}
	r->parts[r->n++] = (struct part){ text, group };
	if (group >= 0 && (unsigned)group + 1 > r->groups)
		r->groups = (unsigned)group + 1;
}

/* Backslashes at s[i..]: how many before an ampersand, or 0 if none follows. */
static size_t before_ampersand(struct bytes s, size_t i)
{
	size_t n = 0;

	while (i + n < s.len && s.ptr[i + n] == '\\')
		n++;
	return i + n < s.len && s.ptr[i + n] == '&' ? n : 0;
}

static void parse_replacement(struct awk *a, struct replacement *r, struct bytes s)
{
	size_t from = 0;
	size_t i = 0;

	r->groups = 1;
	while (i < s.len) {
		if (s.ptr[i] == '&') {
			add_part(a, r, bytes_slice(s, from, i), 0);
			from = ++i;
			continue;
		}
		size_t slashes = s.ptr[i] == '\\' ? before_ampersand(s, i) : 0;

		if (slashes == 0) {
			i++;
			/* Backslashes without an ampersand stand for themselves. */
			while (s.ptr[i - 1] == '\\' && i < s.len && s.ptr[i] == '\\')
				i++;
			continue;
		}
		/* \\\\& is \\ and the match for an even number; \& an ampersand. */
		add_part(a, r, bytes_slice(s, from, i + slashes / 2), GROUP_NONE);
		i += slashes;
		from = i;
		if (slashes % 2 != 0)
			i++;
	}
	add_part(a, r, bytes_slice(s, from, s.len), GROUP_NONE);
}

static void parse_general(struct awk *a, struct replacement *r, struct bytes s)
{
	size_t from = 0;

	r->groups = 1;
	for (size_t i = 0; i < s.len; i++) {
		char next = i + 1 < s.len ? s.ptr[i + 1] : '\0';

		if (s.ptr[i] == '&') {
			add_part(a, r, bytes_slice(s, from, i), 0);
			from = i + 1;
		} else if (s.ptr[i] == '\\' && byte_is_digit(next)) {
			add_part(a, r, bytes_slice(s, from, i), next - '0');
			from = ++i + 1;
		} else if (s.ptr[i] == '\\' && (next == '&' || next == '\\')) {
			add_part(a, r, bytes_slice(s, from, i), GROUP_NONE);
			from = ++i;
		}
	}
	add_part(a, r, bytes_slice(s, from, s.len), GROUP_NONE);
}

static struct str *put_parts(struct awk *a, struct str *out, const struct replacement *r,
			     struct bytes s, const struct regex_span *m)
{
	for (size_t i = 0; i < r->n; i++) {
		const struct part *part = &r->parts[i];

		out = awk_str_append(a, out, part->text);
		if (part->group >= 0 && m[part->group].from != SIZE_MAX)
			out = awk_str_append(
				a, out, bytes_slice(s, m[part->group].from, m[part->group].to));
	}
	return out;
}

static size_t char_end(struct awk *a, struct bytes s, size_t at)
{
	uint32_t c;
	size_t n = a->utf8 ? utf8_decode(s, at, &c) : 1;

	return at + (n != 0 ? n : 1);
}

/*
 * Replaces the matches from number `first` to `last`. An empty match right behind what was
 * replaced is none. Returns how many were replaced, and the new text if there were any.
 */
static size_t replace(struct awk *a, struct regex *re, struct bytes s, const struct replacement *r,
		      uint64_t first, uint64_t last, struct str **out)
{
	unsigned have = regex_groups(re) + 1;
	unsigned n = r->groups;
	struct regex_span m[10];
	struct str *text = NULL;
	uint64_t count = 0;
	size_t replaced = 0;
	size_t copied = 0;
	size_t at = 0;
	size_t barred = SIZE_MAX;

	for (unsigned i = 0; i < 10; i++)
		m[i] = (struct regex_span){ SIZE_MAX, SIZE_MAX };
	while (at <= s.len && awk_regex_find(a, re, s, at, m, n < have ? n : have) == 0) {
		bool empty = m[0].from == m[0].to;
		bool counts = !(empty && m[0].from == barred) && ++count >= first;

		if (counts) {
			if (text == NULL)
				text = awk_str_alloc(a, 0);
			text = awk_str_append(a, text, bytes_slice(s, copied, m[0].from));
			text = put_parts(a, text, r, s, m);
			copied = m[0].to;
			replaced++;
		}
		if (counts && count >= last)
			break;
		barred = counts ? m[0].to : SIZE_MAX;
		at = m[0].to;
		if (empty) {
			if (at >= s.len)
				break;
			at = char_end(a, s, at);
			barred = SIZE_MAX;
		}
	}
	if (text != NULL)
		text = awk_str_append(a, text, bytes_slice(s, copied, s.len));
	*out = text;
	return replaced;
}

/* args: pattern, replacement, target. */
size_t awk_fn_subst(struct awk *a, struct val *args, bool all, struct str **out)
{
	struct arena_mark mark = arena_mark(&a->scratch);
	struct replacement r = { .n = 0 };
	struct regex *re = awk_pattern_of_val(a, &args[0]);
	struct str *with = awk_val_to_str(a, &args[1]);
	struct text_room tmp;
	struct bytes target = awk_val_text(a, &args[2], &tmp);
	struct regex_span first;
	size_t count = 0;

	awk_work_bytes(a, target.len);
	*out = NULL;
	if (awk_regex_find(a, re, target, 0, &first, 1) == 0) {
		parse_replacement(a, &r, str_bytes(with));
		count = replace(a, re, target, &r, 1, all ? UINT64_MAX : 1, out);
	}
	arena_release(&a->scratch, mark);
	return count;
}

/* gensub(pattern, replacement, how [, target]) */
struct val awk_fn_gensub(struct awk *a, struct val *args, int n)
{
	struct arena_mark mark = arena_mark(&a->scratch);
	struct replacement r = { .n = 0 };
	struct val target = n > 3 ? val_get(args[3]) : awk_rec_whole(a);
	struct bytes how = str_bytes(awk_val_to_str(a, &args[2]));
	struct regex *re = awk_pattern_of_val(a, &args[0]);
	struct str *with = awk_val_to_str(a, &args[1]);
	struct str *text = awk_val_to_str(a, &target);
	struct str *out;
	uint64_t first = 1;
	uint64_t last = UINT64_MAX;

	if (how.len == 0 || (how.ptr[0] | 0x20) != 'g') {
		double d = val_to_num(a, &args[2]);

		if (d < 1)
			awk_warn(a, "gensub: third argument `%.*s' treated as 1", (int)how.len,
				 how.ptr);
		first = last = d >= 1 ? d < 1e18 ? (uint64_t)d : UINT64_MAX : 1;
	}
	awk_work_bytes(a, text->len + with->len);
	parse_general(a, &r, str_bytes(with));
	if (replace(a, re, str_bytes(text), &r, first, last, &out) == 0)
		out = str_get(text);
	val_put(a, target);
	arena_release(&a->scratch, mark);
	return val_str(out);
}
