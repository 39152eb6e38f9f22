/* SPDX-License-Identifier: MIT
 *
 * awk's regular expressions: those written in the program, and a cache of those made at run
 * time. Each lives in an arena of its own, which also holds its automaton as it grows.
 */
#include "builtins/awk/awk.h"

unsigned awk_regex_flags_now(struct awk *a)
{
	unsigned flags = REGEX_ERE | REGEX_AWK;

	if (a->ignorecase)
		flags |= REGEX_ICASE;
	if (a->utf8)
		flags |= REGEX_UTF8;
	return flags;
}

/*
 * \052 and \x2a are operators as the characters they stand for, not those characters, except
 * with --traditional.
 */
static struct bytes with_operators(struct awk *a, struct arena *arena, struct bytes text)
{
	struct buf out = buf_in(arena);

	if (a->o->traditional || text.len == 0 || memchr(text.ptr, '\\', text.len) == NULL)
		return text;
	for (size_t i = 0; i < text.len;) {
		struct bytes rest = bytes_slice(text, i, text.len);
		int base = rest.len > 2 && rest.ptr[1] == 'x' ? 16 : 8;
		size_t digits = base == 16 ? 2 : 1;
		size_t end = digits;
		int value = 0;

		if (rest.ptr[0] != '\\') {
			buf_putc(&out, text.ptr[i++]);
			continue;
		}
		while (end < rest.len && end < digits + (base == 16 ? 2 : 3) &&
		       byte_is_xdigit(rest.ptr[end]) && byte_digit(rest.ptr[end]) < base)
			value = value * base + byte_digit(rest.ptr[end++]);
		if (end > digits && value > 0 && value < 128 &&
		    strchr("[]{}()*+?.^$|-", value) != NULL) {
			buf_putc(&out, (char)value);
			i += end;
		} else {
			buf_putc(&out, text.ptr[i++]);
			if (i < text.len)
				buf_putc(&out, text.ptr[i++]);
		}
	}
	return buf_bytes(&out);
}

struct regex *awk_regex_make(struct awk *a, struct arena *arena, struct bytes text, unsigned flags,
			     const char **message)
{
	struct regex *re;
	size_t offset;

	arena_init(arena, &a->heap, a->c->arena->fail);
	arena->work = a->c->arena->work;
	text = with_operators(a, arena, text);
	if (regex_compile(arena, text, flags, &re, message, &offset) < 0) {
		arena_clear(arena);
		return NULL;
	}
	regex_set_work(re, cmd_work, a->c);
	return re;
}

static struct regex *make_or_fail(struct awk *a, struct arena *arena, struct str *text)
{
	const char *message = NULL;
	struct regex *re = awk_regex_make(a, arena, str_bytes(text), awk_regex_flags_now(a),
					  &message);

	if (re == NULL)
		awk_fatal(a, "invalid regexp: %s: /%.*s/", message, (int)text->len, text->ptr);
	return re;
}

struct regex *awk_re_const_get(struct awk *a, struct re_const *r)
{
	int which = a->ignorecase;

	if (r->re[which] == NULL) {
		struct arena *arena = arena_alloc(a->c->arena, sizeof *arena);

		r->re[which] = make_or_fail(a, arena, r->text);
	}
	return r->re[which];
}

/*
 * Says once of each letter behind a backslash that it means nothing there. line: where the
 * pattern is written; 0: it was made at run time.
 */
void awk_regex_warn(struct awk *a, struct bytes text, const char *file, unsigned line)
{
	static const char known[] = "abfnrtvBSsWwyx<>`'.*+?{}()[]|^$\\/-\n";

	for (size_t i = 0; i + 1 < text.len; i++) {
		unsigned char ch;

		if (text.ptr[i] != '\\')
			continue;
		ch = (unsigned char)text.ptr[++i];
		if ((ch >= '0' && ch <= '7') || memchr(known, ch, sizeof known - 1) != NULL ||
		    a->warned[ch])
			continue;
		a->warned[ch] = true;
		const char *what = byte_is_digit((char)ch)
					   ? "regexp escape sequence `\\%c' treated as plain `%c'"
					   : "regexp escape sequence `\\%c' is not a known regexp "
					     "operator";
		struct buf out = buf_in(&a->scratch);

		buf_printf(&out, what, ch, ch);
		if (line == 0)
			awk_warn(a, "%s", buf_cstr(&out));
		else
			cmd_warn(a->c, 0, "%s:%u: warning: %s", file != NULL ? file : "cmd. line",
				 line, buf_cstr(&out));
	}
}

/* The slot to use for a new pattern: a free one, or the one that was not used for longest. */
static struct pattern *oldest(struct awk *a)
{
	struct pattern *best = &a->patterns[0];

	for (size_t i = 0; i < AWK_REGEXES; i++) {
		struct pattern *p = &a->patterns[i];

		if (p->regex == NULL)
			return p;
		if (p->used < best->used)
			best = p;
	}
	return best;
}

static struct pattern *find(struct awk *a, struct str *text, unsigned flags)
{
	for (size_t i = 0; i < AWK_REGEXES; i++) {
		struct pattern *p = &a->patterns[i];

		if (p->regex != NULL && p->flags == flags &&
		    (p->text == text || bytes_eq(str_bytes(p->text), str_bytes(text))))
			return p;
	}
	return NULL;
}

struct regex *awk_pattern_of(struct awk *a, struct str *text)
{
	unsigned flags = awk_regex_flags_now(a);
	struct pattern *p = a->last_pattern;

	if (p != NULL && p->regex != NULL && p->flags == flags &&
	    (p->text == text || bytes_eq(str_bytes(p->text), str_bytes(text))))
		return p->regex;
	awk_work_long(a, text->len);
	p = find(a, text, flags);
	if (p == NULL) {
		p = oldest(a);
		if (p->regex != NULL) {
			p->regex = NULL;
			arena_clear(&p->arena);
			str_put(a, p->text);
		}
		p->regex = make_or_fail(a, &p->arena, text);
		awk_regex_warn(a, str_bytes(text), NULL, 0);
		/* What has a second owner is never appended to in place. */
		p->text = str_get(text);
		p->flags = flags;
		awk_work(a, text->len + 16);
	}
	p->used = ++a->pattern_clock;
	a->last_pattern = p;
	return p->regex;
}

struct regex *awk_pattern_of_val(struct awk *a, struct val *v)
{
	return awk_pattern_of(a, awk_val_to_str(a, v));
}

bool awk_regex_hits(struct awk *a, struct regex *re, struct bytes s)
{
	int got = regex_test(re, s, 0);

	if (got == REGEX_EWORK)
		awk_fatal(a, "regular expression too costly");
	return got == 0;
}

/*
 * Whether the record stands in the main reader's buffer, before all that could be part of a match.
 * The buffer is looked through once, not record by record.
 */
static bool is_hopeless(struct awk *a, struct re_const *r, struct regex *re, struct bytes s)
{
	const struct reader *in = &a->main;

	if (a->rec.owner != NULL || in->buf == NULL || s.ptr < in->buf || s.ptr >= in->buf + in->to)
		return false;
	if (r->fill != in->fill || r->hope_of != a->ignorecase || r->hope < s.ptr) {
		struct bytes rest = { s.ptr, (size_t)(in->buf + in->to - s.ptr) };
		size_t at = regex_hope(re, rest, 0);

		r->hope = at == SIZE_MAX ? in->buf + in->to : s.ptr + at;
		r->fill = in->fill;
		r->hope_of = a->ignorecase;
	}
	return r->hope >= s.ptr + s.len;
}

bool awk_regex_hits_record(struct awk *a, struct re_const *r)
{
	struct regex *re = awk_re_const_get(a, r);
	struct bytes s = awk_rec_text(a);

	return (s.len == 0 || !is_hopeless(a, r, re, s)) && awk_regex_hits(a, re, s);
}

int awk_regex_find(struct awk *a, struct regex *re, struct bytes s, size_t from,
		   struct regex_span *spans, size_t n)
{
	int got = regex_search(re, s, from, 0, spans, n);

	if (got == REGEX_EWORK)
		awk_fatal(a, "regular expression too costly");
	return got;
}
