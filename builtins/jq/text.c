/* SPDX-License-Identifier: MIT
 *
 * Functions about strings, and regular expressions.
 */
#include "base/regex.h"
#include "builtins/jq/jq.h"

struct json jq_tojson(struct jq *j, struct json v)
{
	JQ_SCRATCH(j, mark);
	struct buf b = buf_in(&j->scratch);
	struct json out;

	json_print(&j->m, &b, v, NULL);
	cmd_charge_bytes(j->c, b.len);
	out = json_string(&j->m, buf_bytes(&b));
	arena_release(&j->scratch, mark);
	json_put(&j->m, v);
	return out;
}

struct json jq_tostring(struct jq *j, struct json v)
{
	return v.kind == JSON_STRING ? v : jq_tojson(j, v);
}

/* Both strings? Else the error of a function that wants them. */
static bool both_strings(struct jq *j, struct json in, struct json arg, const char *text)
{
	if (in.kind == JSON_STRING && arg.kind == JSON_STRING) {
		json_worked(&j->m, arg.u.str->len);
		return true;
	}
	json_put(&j->m, in);
	json_put(&j->m, arg);
	jq_error(j, "%s", text);
	return false;
}

static struct json fn_startswith(struct jq *j, struct json in, struct json *arg)
{
	bool out;

	if (!both_strings(j, in, arg[0], "startswith() requires string inputs"))
		return json_simple(JSON_NONE);
	out = bytes_starts(json_text(in), json_text(arg[0]));
	json_put(&j->m, in);
	json_put(&j->m, arg[0]);
	return json_bool(out);
}

static struct json fn_endswith(struct jq *j, struct json in, struct json *arg)
{
	bool out;

	if (!both_strings(j, in, arg[0], "endswith() requires string inputs"))
		return json_simple(JSON_NONE);
	out = bytes_ends(json_text(in), json_text(arg[0]));
	json_put(&j->m, in);
	json_put(&j->m, arg[0]);
	return json_bool(out);
}

static struct json part_of(struct jq *j, struct json in, size_t from, size_t to)
{
	struct json out;

	if (from == 0 && to == in.u.str->len)
		return in;
	out = json_string(&j->m, bytes_slice(json_text(in), from, to));
	json_put(&j->m, in);
	return out;
}

static struct json trim_ends(struct jq *j, struct json in, struct json what, bool left, bool right)
{
	size_t from = 0;
	size_t to = in.kind == JSON_STRING ? in.u.str->len : 0;
	bool strings = in.kind == JSON_STRING && what.kind == JSON_STRING;

	if (strings)
		json_worked(&j->m, what.u.str->len);
	if (strings && left && bytes_starts(json_text(in), json_text(what)))
		from = what.u.str->len;
	if (strings && right && to - from >= what.u.str->len &&
	    bytes_ends(json_text(in), json_text(what)))
		to -= what.u.str->len;
	json_put(&j->m, what);
	return strings ? part_of(j, in, from, to) : in;
}

static struct json fn_ltrimstr(struct jq *j, struct json in, struct json *arg)
{
	return trim_ends(j, in, arg[0], true, false);
}

static struct json fn_rtrimstr(struct jq *j, struct json in, struct json *arg)
{
	return trim_ends(j, in, arg[0], false, true);
}

static struct json fn_trimstr(struct jq *j, struct json in, struct json *arg)
{
	return trim_ends(j, in, arg[0], true, true);
}

static struct json trim_space(struct jq *j, struct json in, bool left, bool right)
{
	size_t from = 0;
	size_t to;

	if (in.kind != JSON_STRING) {
		json_put(&j->m, in);
		return jq_error(j, "trim input must be a string");
	}
	to = in.u.str->len;
	json_worked(&j->m, to);
	while (left && from < to && byte_is_space(in.u.str->ptr[from]))
		from++;
	while (right && to > from && byte_is_space(in.u.str->ptr[to - 1]))
		to--;
	return part_of(j, in, from, to);
}

static struct json fn_trim(struct jq *j, struct json in, struct json *arg)
{
	(void)arg;
	return trim_space(j, in, true, true);
}

static struct json fn_ltrim(struct jq *j, struct json in, struct json *arg)
{
	(void)arg;
	return trim_space(j, in, true, false);
}

static struct json fn_rtrim(struct jq *j, struct json in, struct json *arg)
{
	(void)arg;
	return trim_space(j, in, false, true);
}

static struct json change_case(struct jq *j, struct json in, bool upper)
{
	struct json out;

	if (in.kind != JSON_STRING) {
		json_put(&j->m, in);
		return jq_error(j, "explode input must be a string");
	}
	out = json_string(&j->m, json_text(in));
	for (size_t i = 0; i < out.u.str->len; i++) {
		int ch = out.u.str->ptr[i];

		out.u.str->ptr[i] = (char)(upper ? byte_to_upper(ch) : byte_to_lower(ch));
	}
	cmd_charge_bytes(j->c, out.u.str->len);
	json_put(&j->m, in);
	return out;
}

static struct json fn_upcase(struct jq *j, struct json in, struct json *arg)
{
	(void)arg;
	return change_case(j, in, true);
}

static struct json fn_downcase(struct jq *j, struct json in, struct json *arg)
{
	(void)arg;
	return change_case(j, in, false);
}

static struct json fn_explode(struct jq *j, struct json in, struct json *arg)
{
	struct json out;

	(void)arg;
	if (in.kind != JSON_STRING) {
		json_put(&j->m, in);
		return jq_error(j, "explode input must be a string");
	}
	out = json_array(&j->m, in.u.str->len);
	for (size_t at = 0; at < in.u.str->len;) {
		uint32_t ch = 0xfffd;
		size_t n = utf8_decode(json_text(in), at, &ch);

		out = json_push(&j->m, out, json_number(ch));
		at += n == 0 ? 1 : n;
		jq_turn(j, json_len(out));
	}
	json_put(&j->m, in);
	return out;
}

static struct json fn_implode(struct jq *j, struct json in, struct json *arg)
{
	JQ_SCRATCH(j, mark);
	struct buf b = buf_in(&j->scratch);
	struct json out;

	(void)arg;
	if (in.kind != JSON_ARRAY) {
		json_put(&j->m, in);
		return jq_error(j, "implode input must be an array");
	}
	for (size_t i = 0; i < json_len(in); i++) {
		struct json v = json_at(in, i);
		char utf8[4];
		double d;
		uint32_t ch = 0xfffd;

		if (!json_is_number(v)) {
			arena_release(&j->scratch, mark);
			out = jq_bad(j, json_copy(v),
				     "can't be imploded, unicode codepoint needs to be numeric");
			json_put(&j->m, in);
			return out;
		}
		d = json_num(v);
		if (d >= 0 && d <= 0x10ffff && !(d >= 0xd800 && d < 0xe000))
			ch = (uint32_t)d;
		buf_put(&b, utf8, utf8_encode(ch, utf8));
		jq_turn(j, i);
	}
	out = json_string(&j->m, buf_bytes(&b));
	arena_release(&j->scratch, mark);
	json_put(&j->m, in);
	return out;
}

static struct json split_chars(struct jq *j, struct bytes s)
{
	struct json out = json_array(&j->m, s.len);

	for (size_t at = 0; at < s.len;) {
		uint32_t ch;
		size_t n = utf8_decode(s, at, &ch);

		n = n == 0 ? 1 : n;
		out = json_push(&j->m, out, json_key(&j->m, bytes_slice(s, at, at + n)));
		at += n;
		jq_turn(j, json_len(out));
	}
	return out;
}

static struct json fn_split(struct jq *j, struct json in, struct json *arg)
{
	struct bytes s;
	struct bytes sep;
	struct json out;

	if (!both_strings(j, in, arg[0], "split input and separator must be strings"))
		return json_simple(JSON_NONE);
	s = json_text(in);
	sep = json_text(arg[0]);
	cmd_charge_bytes(j->c, s.len);
	if (sep.len == 0) {
		out = split_chars(j, s);
	} else {
		out = json_array(&j->m, 4);
		while (s.len > 0) {
			const char *hit = bytes_find(s, sep);
			size_t n = hit != NULL ? (size_t)(hit - s.ptr) : s.len;

			out = json_push(&j->m, out, json_string(&j->m, bytes_slice(s, 0, n)));
			jq_turn(j, json_len(out));
			s = bytes_slice(s, hit != NULL ? n + sep.len : n, s.len);
			if (hit != NULL && s.len == 0)
				out = json_push(&j->m, out, json_string(&j->m, BYTES("")));
		}
	}
	json_put(&j->m, in);
	json_put(&j->m, arg[0]);
	return out;
}

/* join: null is nothing, numbers and booleans are text, the rest is an error of adding. */
static struct json fn_join(struct jq *j, struct json in, struct json *arg)
{
	struct json sep = arg[0];
	struct json out;

	if (in.kind == JSON_OBJECT)
		in = jq_values(j, in);
	if (in.kind != JSON_ARRAY) {
		jq_error(j, "Cannot iterate over %s (%s)", json_kind_name(in), jq_dump(j, in));
		json_put(&j->m, in);
		json_put(&j->m, sep);
		return json_simple(JSON_NONE);
	}
	out = json_string(&j->m, BYTES(""));
	for (size_t i = 0; i < json_len(in) && !j->raised; i++) {
		struct json v = json_copy(json_at(in, i));

		if (i > 0)
			out = jq_binary(j, B_ADD, out, json_copy(sep));
		if (j->raised) {
			json_put(&j->m, v);
			break;
		}
		if (v.kind == JSON_NULL)
			continue;
		if (v.kind < JSON_STRING)
			v = jq_tostring(j, v);
		out = jq_binary(j, B_ADD, out, v);
	}
	json_put(&j->m, in);
	json_put(&j->m, sep);
	return out;
}

/* --- regular expressions --- */

static struct json fail_regex(struct jq *j, struct json pattern, const char *message)
{
	static const char *const texts[][2] = {
		{ "missing closing parenthesis", "end pattern with unmatched parenthesis" },
		{ "unmatched closing parenthesis", "unmatched close parenthesis" },
		{ "missing terminating ]", "premature end of char-class" },
		{ "quantifier does not follow", "target of repeat operator is not specified" },
		{ "\\ at end of pattern", "end pattern at escape" },
		{ "unknown property", "invalid character property name" },
		{ "subpattern name", "invalid group name" },
		{ "numbers out of order", "upper is smaller than lower in repeat range" },
		{ "range out of order", "empty range in char class" },
		{ "unrecognized character after (?", "undefined group option" },
		{ "unknown POSIX class", "invalid POSIX bracket type" },
		{ "non-existent subpattern", "invalid backref number/name" },
	};

	(void)pattern;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (bytes_find(bytes_of(message), bytes_of(texts[i][0])) != NULL)
			message = texts[i][1];
	return jq_error(j, "Regex failure: %s", message);
}

/* Compiled, or out of those that are kept; NULL after an error. */
static struct regex *regex_of(struct jq *j, struct json pattern, unsigned flags)
{
	struct jq_regex *oldest = &j->regexes[0];
	const char *message = NULL;
	size_t offset = 0;

	j->clock++;
	for (size_t i = 0; i < JQ_REGEXES; i++) {
		struct jq_regex *r = &j->regexes[i];

		if (r->pattern.kind == JSON_STRING && r->flags == flags &&
		    bytes_eq(json_text(r->pattern), json_text(pattern))) {
			r->used = j->clock;
			return r->re;
		}
		if (r->used < oldest->used)
			oldest = r;
	}
	if (oldest->pattern.kind != JSON_NONE)
		arena_clear(&oldest->arena);
	json_put(&j->m, oldest->pattern);
	oldest->pattern = json_simple(JSON_NONE);
	arena_init_under(&oldest->arena, j->a);
	if (regex_compile(&oldest->arena, json_text(pattern), flags, &oldest->re, &message,
			  &offset) < 0) {
		arena_clear(&oldest->arena);
		fail_regex(j, pattern, message);
		return NULL;
	}
	regex_set_work(oldest->re, cmd_work, j->c);
	oldest->pattern = json_copy(pattern);
	oldest->flags = flags;
	oldest->used = j->clock;
	return oldest->re;
}

struct match_opts {
	unsigned flags;
	bool global;
	bool no_empty;
};

static bool read_flags(struct jq *j, struct json v, struct match_opts *o)
{
	*o = (struct match_opts){ .flags = REGEX_PERL | REGEX_UTF8 | REGEX_UCP | REGEX_SAME_NAMES };
	if (v.kind == JSON_NULL)
		return true;
	if (v.kind != JSON_STRING) {
		jq_bad(j, json_copy(v), "is not a string");
		return false;
	}
	for (size_t i = 0; i < v.u.str->len; i++) {
		switch (v.u.str->ptr[i]) {
		case 'g': o->global = true; break;
		case 'i': o->flags |= REGEX_ICASE; break;
		case 'x': o->flags |= REGEX_EXTENDED; break;
		case 's': break; /* ^ and $ are about the whole text anyway */
		case 'p': o->flags |= REGEX_DOTALL; break;
		case 'n': o->no_empty = true; break;
		case 'l':
			jq_error(j, "the modifier l (the longest match) is not supported");
			return false;
		default:
			jq_error(j, "%s is not a valid modifier string", v.u.str->ptr);
			return false;
		}
	}
	return true;
}

/* Counts characters as matches go on, so that many matches stay linear. */
struct counter {
	struct bytes s;
	size_t at;
	size_t chars;
};

static double offset_of(struct counter *c, size_t at)
{
	if (at < c->at) {
		c->at = 0;
		c->chars = 0;
	}
	c->chars += utf8_count(bytes_slice(c->s, c->at, at));
	c->at = at;
	return (double)c->chars;
}

static struct json field(struct jq *j, struct json o, const char *name, struct json v)
{
	return json_set(&j->m, o, json_key(&j->m, bytes_of(name)), v);
}

static struct json span_object(struct jq *j, struct counter *c, struct regex_span span)
{
	struct json o = json_object(&j->m, 4);

	if (span.from == SIZE_MAX) {
		o = field(j, o, "offset", json_number(-1));
		o = field(j, o, "string", json_simple(JSON_NULL));
		return field(j, o, "length", json_number(0));
	}
	struct bytes s = bytes_slice(c->s, span.from, span.to);

	o = field(j, o, "offset", json_number(offset_of(c, span.from)));
	o = field(j, o, "length", json_number((double)utf8_count(s)));
	return field(j, o, "string", json_string(&j->m, s));
}

static struct json match_object(struct jq *j, struct regex *re, struct counter *c,
				const struct regex_span *spans)
{
	unsigned groups = regex_groups(re);
	struct counter inner = *c;
	struct json captures = json_array(&j->m, groups);
	struct json o = span_object(j, c, spans[0]);

	for (unsigned i = 1; i <= groups; i++) {
		struct json g = span_object(j, &inner, spans[i]);
		const char *name = regex_group_name(re, i);

		g = field(j, g, "name",
			  name != NULL ? json_key(&j->m, bytes_of(name)) : json_simple(JSON_NULL));
		captures = json_push(&j->m, captures, g);
	}
	return field(j, o, "captures", captures);
}

static struct json find_all(struct jq *j, struct regex *re, struct json in,
			    const struct match_opts *o)
{
	unsigned groups = regex_groups(re);
	JQ_SCRATCH(j, mark);
	struct regex_span *spans = arena_array(&j->scratch, groups + 1, sizeof(*spans));
	struct counter count = { .s = json_text(in) };
	struct json out = json_array(&j->m, 1);
	size_t at = 0;

	while (at <= in.u.str->len) {
		int found = regex_search(re, json_text(in), at, 0, spans, groups + 1);
		bool empty = spans[0].from == spans[0].to;

		cmd_charge(j->c, 1);
		if (found == REGEX_EWORK) {
			json_put(&j->m, out);
			out = jq_error(j, "regular expression takes too much work");
			break;
		}
		if (found != 0)
			break;
		if (!(empty && o->no_empty))
			out = json_push(&j->m, out, match_object(j, re, &count, spans));
		if (!o->global)
			break;
		at = spans[0].to;
		if (empty) {
			uint32_t ch;
			size_t n = at < in.u.str->len ? utf8_decode(json_text(in), at, &ch) : 1;

			at += n == 0 ? 1 : n;
		}
	}
	arena_release(&j->scratch, mark);
	return out;
}

/* _match(re; flags; test): an array of matches, or whether there is one. */
struct json jq_match(struct jq *j, struct json in, struct json *arg)
{
	struct match_opts o;
	struct regex *re = NULL;
	struct json out = json_simple(JSON_NONE);

	if (in.kind != JSON_STRING) {
		jq_bad(j, json_copy(in), "cannot be matched, as it is not a string");
	} else if (arg[0].kind != JSON_STRING) {
		jq_bad(j, json_copy(arg[0]), "is not a string");
	} else if (read_flags(j, arg[1], &o)) {
		re = regex_of(j, arg[0], o.flags);
	}
	if (re != NULL && arg[2].kind == JSON_TRUE) {
		int found = regex_test(re, json_text(in), 0);

		out = found == REGEX_EWORK ? jq_error(j, "regular expression takes too much work")
					   : json_bool(found == 0);
	} else if (re != NULL) {
		out = find_all(j, re, in, &o);
	}
	json_put(&j->m, in);
	for (int i = 0; i < 3; i++)
		json_put(&j->m, arg[i]);
	return out;
}

/* _splice(matches; texts): the input with each match replaced. */
static struct json fn_splice(struct jq *j, struct json in, struct json *arg)
{
	struct json offset_key = json_key(&j->m, BYTES("offset"));
	struct json length_key = json_key(&j->m, BYTES("length"));
	struct json out = json_string(&j->m, BYTES(""));
	struct bytes s = json_text(in);
	size_t chars = 0;
	size_t at = 0;

	for (size_t i = 0; i < json_len(arg[0]) && i < json_len(arg[1]) && !j->raised; i++) {
		struct json m = json_at(arg[0], i);
		size_t offset = (size_t)json_num(json_get(m, offset_key));
		size_t length = (size_t)json_num(json_get(m, length_key));
		struct bytes rest = bytes_slice(s, at, s.len);
		size_t gap = utf8_offset(rest, offset - chars);

		out = json_append(&j->m, out, bytes_slice(rest, 0, gap));
		out = jq_binary(j, B_ADD, out, json_copy(json_at(arg[1], i)));
		rest = bytes_slice(rest, gap, rest.len);
		at += gap + utf8_offset(rest, length);
		chars = offset + length;
	}
	cmd_charge_bytes(j->c, s.len);
	if (!j->raised)
		out = json_append(&j->m, out, bytes_slice(s, at, s.len));
	json_put(&j->m, offset_key);
	json_put(&j->m, length_key);
	json_put(&j->m, in);
	json_put(&j->m, arg[0]);
	json_put(&j->m, arg[1]);
	return out;
}

/* _splits(matches): what lies between them. */
static struct json fn_splits(struct jq *j, struct json in, struct json *arg)
{
	struct json offset_key = json_key(&j->m, BYTES("offset"));
	struct json length_key = json_key(&j->m, BYTES("length"));
	struct json out = json_array(&j->m, json_len(arg[0]) + 1);
	struct bytes rest = json_text(in);
	size_t chars = 0;

	cmd_charge_bytes(j->c, rest.len);
	for (size_t i = 0; i < json_len(arg[0]); i++) {
		struct json m = json_at(arg[0], i);
		size_t offset = (size_t)json_num(json_get(m, offset_key));
		size_t length = (size_t)json_num(json_get(m, length_key));
		size_t gap = utf8_offset(rest, offset - chars);

		out = json_push(&j->m, out, json_string(&j->m, bytes_slice(rest, 0, gap)));
		rest = bytes_slice(rest, gap, rest.len);
		rest = bytes_slice(rest, utf8_offset(rest, length), rest.len);
		chars = offset + length;
	}
	out = json_push(&j->m, out, json_string(&j->m, rest));
	json_put(&j->m, offset_key);
	json_put(&j->m, length_key);
	json_put(&j->m, in);
	json_put(&j->m, arg[0]);
	return out;
}

const struct native jq_natives_text[] = {
	{ "startswith", 1, fn_startswith }, { "endswith", 1, fn_endswith },
	{ "ltrimstr", 1, fn_ltrimstr },     { "rtrimstr", 1, fn_rtrimstr },
	{ "trimstr", 1, fn_trimstr },       { "trim", 0, fn_trim },
	{ "ltrim", 0, fn_ltrim },           { "rtrim", 0, fn_rtrim },
	{ "ascii_upcase", 0, fn_upcase },   { "ascii_downcase", 0, fn_downcase },
	{ "explode", 0, fn_explode },       { "implode", 0, fn_implode },
	{ "split", 1, fn_split },           { "join", 1, fn_join },
	{ "_match", 3, jq_match },          { "_splice", 2, fn_splice },
	{ "_splits", 1, fn_splits },        { NULL, 0, NULL },
};
