/* SPDX-License-Identifier: MIT
 *
 * Functions over strings, and regular expressions.
 */
#include "builtins/yq/yq.h"

#include "base/regex.h"
#include "base/utf8.h"

#define HANDLER(name)                                                                              \
	static struct yq_list name(struct yq *y, const struct yq_expr *e, struct yq_list in,       \
				   const struct yq_vars *vars)

/* The text of a scalar; null is nothing. */
static struct bytes text_of(struct yq *y, const struct yq_expr *e, struct yaml_node *n)
{
	n = yq_real_node(y, n);
	if (n->kind != YAML_SCALAR)
		yq_fatal(y, "cannot %s %.*s: it is no string", e->fn->name, (int)n->tag.len,
			 n->tag.ptr);
	return yaml_is(n, "!!null") ? BYTES("") : n->value;
}

static struct bytes argument(struct yq *y, const struct yq_expr *e, size_t i, struct yaml_node *in,
			     const struct yq_vars *vars)
{
	struct yaml_node *n;

	if (i >= e->nargs)
		return BYTES("");
	n = yq_first(y, e->args[i], in, vars);
	return n != NULL ? text_of(y, e, n) : BYTES("");
}

/* A new string in the place of n. */
static struct yaml_node *changed(struct yq *y, const struct yaml_node *n, struct bytes value)
{
	struct yaml_node *out = yq_text(y, value);

	out->source = n->source;
	return out;
}

/* --- splitting, joining --- */

struct yaml_node *yq_split(struct yq *y, struct bytes s, struct bytes separator)
{
	struct yaml_node *out = yq_seq(y);

	for (size_t at = 0; at <= s.len;) {
		const char *hit = NULL;
		size_t end = s.len;
		size_t next = s.len + 1;

		cmd_charge(y->c, 1);
		if (separator.len == 0 && at < s.len) {
			uint32_t c;
			size_t len = utf8_decode(s, at, &c);

			end = next = at + (len == 0 ? 1 : len);
		} else if (separator.len == 0) {
			break;
		} else {
			hit = bytes_find(bytes_slice(s, at, s.len), separator);
		}
		if (hit != NULL) {
			end = (size_t)(hit - s.ptr);
			next = end + separator.len;
		}
		yaml_push(y->a, out, yq_text(y, bytes_slice(s, at, end)));
		at = next;
	}
	if (out->n == 0)
		out->style = YAML_FLOW;
	return out;
}

HANDLER(fn_split)
{
	struct yq_list out = { NULL, 0, 0 };

	for (size_t i = 0; i < in.n; i++) {
		struct bytes separator = argument(y, e, 0, in.items[i], vars);

		if (yaml_is(yq_real_node(y, in.items[i]), "!!null"))
			continue;
		yq_add(y, &out, yq_split(y, text_of(y, e, in.items[i]), separator));
	}
	return out;
}

HANDLER(fn_join)
{
	struct yq_list out = { NULL, 0, 0 };

	for (size_t i = 0; i < in.n; i++) {
		struct yaml_node *n = yq_real_node(y, in.items[i]);
		struct bytes separator = argument(y, e, 0, in.items[i], vars);
		struct buf b = buf_in(y->a);

		if (n->kind != YAML_SEQ)
			yq_fatal(y, "cannot join with %.*s, can only join arrays of scalars",
				 (int)n->tag.len, n->tag.ptr);
		for (uint32_t k = 0; k < n->n; k++) {
			cmd_charge(y->c, 1);
			if (k > 0)
				buf_add(&b, separator);
			buf_add(&b, text_of(y, e, n->items[k]));
		}
		yq_add(y, &out, yq_text(y, buf_bytes(&b)));
	}
	return out;
}

/* --- case, edges --- */

enum edit { UP, DOWN, ASCII_UP, ASCII_DOWN, TRIM, LTRIM, RTRIM };

static struct bytes edit(struct yq *y, struct bytes s, enum edit how)
{
	struct buf b = buf_in(y->a);

	cmd_charge_bytes(y->c, s.len);
	if (how >= TRIM) {
		while (how != RTRIM && s.len > 0 && byte_is_space(s.ptr[0]))
			s = bytes_slice(s, 1, s.len);
		while (how != LTRIM && s.len > 0 && byte_is_space(s.ptr[s.len - 1]))
			s.len--;
		return s;
	}
	for (size_t at = 0; at < s.len;) {
		uint32_t c;
		char utf8[4];
		size_t len = utf8_decode(s, at, &c);

		if (len == 0 || (how >= ASCII_UP && c >= 0x80)) {
			len = len == 0 ? 1 : len;
			buf_put(&b, s.ptr + at, len);
		} else {
			c = how == UP || how == ASCII_UP ? utf8_to_upper(c) : utf8_to_lower(c);
			buf_put(&b, utf8, utf8_encode(c, utf8));
		}
		at += len;
	}
	return buf_bytes(&b);
}

HANDLER(fn_edit)
{
	struct yq_list out = { NULL, 0, 0 };

	(void)vars;
	for (size_t i = 0; i < in.n; i++)
		yq_add(y, &out,
		       changed(y, in.items[i],
			       edit(y, text_of(y, e, in.items[i]), (enum edit)e->fn->arg)));
	return out;
}

enum { STARTS, ENDS };

HANDLER(fn_starts)
{
	struct yq_list out = { NULL, 0, 0 };

	for (size_t i = 0; i < in.n; i++) {
		struct bytes s = text_of(y, e, in.items[i]);
		struct bytes part = argument(y, e, 0, in.items[i], vars);

		yq_add(y, &out,
		       yq_bool(y,
			       e->fn->arg == STARTS ? bytes_starts(s, part) : bytes_ends(s, part)));
	}
	return out;
}

HANDLER(fn_cut)
{
	struct yq_list out = { NULL, 0, 0 };

	for (size_t i = 0; i < in.n; i++) {
		struct bytes s = text_of(y, e, in.items[i]);
		struct bytes part = argument(y, e, 0, in.items[i], vars);

		if (e->fn->arg == STARTS && bytes_starts(s, part))
			s = bytes_slice(s, part.len, s.len);
		else if (e->fn->arg == ENDS && bytes_ends(s, part))
			s.len -= part.len;
		yq_add(y, &out, changed(y, in.items[i], s));
	}
	return out;
}

/* --- to and from numbers --- */

HANDLER(fn_to_number)
{
	struct yq_list out = { NULL, 0, 0 };
	double d;

	(void)vars;
	for (size_t i = 0; i < in.n; i++) {
		struct yaml_node *n = yq_real_node(y, in.items[i]);
		struct bytes tag = yaml_resolve(n->value);

		if (yq_is_number(n)) {
			yq_add(y, &out, in.items[i]);
			continue;
		}
		if (n->kind != YAML_SCALAR || !yq_double(n, &d))
			yq_fatal(
				y,
				"cannot convert node value [%.*s] at path %s of tag %.*s to number",
				(int)n->value.len, n->value.ptr, "", (int)n->tag.len, n->tag.ptr);
		struct yaml_node *number = yq_copy(y, n);

		number->tag = tag;
		number->style = YAML_PLAIN;
		yq_add(y, &out, number);
		(void)e;
	}
	return out;
}

HANDLER(fn_to_string)
{
	struct yq_list out = { NULL, 0, 0 };

	(void)e, (void)vars;
	for (size_t i = 0; i < in.n; i++) {
		struct yaml_node *n = yq_real_node(y, in.items[i]);
		struct buf b = buf_in(y->a);

		if (n->kind == YAML_SCALAR) {
			yq_add(y, &out, changed(y, n, n->value));
			continue;
		}
		yq_write(y, &b, n, YQ_YAML, 2);
		if (b.len > 0)
			b.len--;
		yq_add(y, &out, yq_text(y, buf_bytes(&b)));
	}
	return out;
}

/* --- regular expressions --- */

static struct regex *regex_of(struct yq *y, struct bytes pattern)
{
	const char *message = NULL;
	size_t offset = 0;
	struct yq_regex *r;

	for (size_t i = 0; i < YQ_REGEXES; i++)
		if (y->regexes[i].re != NULL && bytes_eq(y->regexes[i].pattern, pattern))
			return y->regexes[i].re;
	r = &y->regexes[y->next_regex++ % YQ_REGEXES];
	if (r->re != NULL)
		arena_clear(&r->arena);
	else
		arena_init_under(&r->arena, y->a);
	r->pattern = arena_bytes(&r->arena, pattern);
	if (regex_compile(&r->arena, pattern, REGEX_PERL | REGEX_UTF8 | REGEX_SAME_NAMES, &r->re,
			  &message, &offset) < 0)
		yq_fatal(y, "error parsing regexp: %s: `%.*s`", message, (int)pattern.len,
			 pattern.ptr);
	regex_set_work(r->re, cmd_work, y->c);
	return r->re;
}

struct matcher {
	struct regex *re;
	struct bytes s;
	struct regex_span *spans;
	unsigned groups;
	size_t at;
};

static struct matcher matcher_of(struct yq *y, struct bytes pattern, struct bytes s)
{
	struct matcher m = { regex_of(y, pattern), s, NULL, 0, 0 };

	m.groups = regex_groups(m.re);
	m.spans = arena_array(y->a, m.groups + 1, sizeof(*m.spans));
	return m;
}

static bool next_match(struct yq *y, struct matcher *m)
{
	int found;

	cmd_charge(y->c, 1);
	if (m->at > m->s.len)
		return false;
	found = regex_search(m->re, m->s, m->at, 0, m->spans, m->groups + 1);
	if (found == REGEX_EWORK)
		yq_fatal(y, "regular expression takes too much work");
	if (found != 0)
		return false;
	m->at = m->spans[0].to;
	if (m->spans[0].from == m->spans[0].to) {
		uint32_t c;
		size_t len = m->at < m->s.len ? utf8_decode(m->s, m->at, &c) : 1;

		m->at += len == 0 ? 1 : len;
	}
	return true;
}

static bool is_global(struct yq *y, const struct yq_expr *e, size_t i, struct yaml_node *in,
		      const struct yq_vars *vars)
{
	struct bytes flags = argument(y, e, i, in, vars);

	if (flags.len > 0 && !bytes_is(flags, "g"))
		yq_fatal(y,
			 "unrecognised match params '%.*s', please see docs at "
			 "https://mikefarah.gitbook.io/yq/operators/string-operators",
			 (int)flags.len, flags.ptr);
	return flags.len > 0;
}

static struct bytes span_text(struct bytes s, struct regex_span span)
{
	return span.from == SIZE_MAX ? BYTES("") : bytes_slice(s, span.from, span.to);
}

static void put_span(struct yq *y, struct yaml_node *map, struct bytes s, struct regex_span span)
{
	struct bytes text = span_text(s, span);

	yq_set(y, map, BYTES("string"), span.from == SIZE_MAX ? yq_null(y) : yq_text(y, text));
	yq_set(y, map, BYTES("offset"),
	       yq_number(y, span.from == SIZE_MAX ? -1 : (int64_t)span.from));
	yq_set(y, map, BYTES("length"), yq_number(y, (int64_t)text.len));
}

static struct yaml_node *match_node(struct yq *y, const struct matcher *m)
{
	struct yaml_node *map = yq_map(y);
	struct yaml_node *captures = yq_seq(y);

	put_span(y, map, m->s, m->spans[0]);
	for (unsigned i = 1; i <= m->groups; i++) {
		struct yaml_node *group = yq_map(y);
		const char *name = regex_group_name(m->re, i);

		put_span(y, group, m->s, m->spans[i]);
		if (name != NULL)
			yq_set(y, group, BYTES("name"), yq_text(y, bytes_of(name)));
		yaml_push(y->a, captures, group);
	}
	if (captures->n == 0)
		captures->style = YAML_FLOW;
	yq_set(y, map, BYTES("captures"), captures);
	return map;
}

static struct yaml_node *capture_node(struct yq *y, const struct matcher *m)
{
	struct yaml_node *map = yq_map(y);

	for (unsigned i = 1; i <= m->groups; i++) {
		const char *name = regex_group_name(m->re, i);

		if (name != NULL)
			yq_set(y, map, bytes_of(name),
			       m->spans[i].from == SIZE_MAX
				       ? yq_null(y)
				       : yq_text(y, span_text(m->s, m->spans[i])));
	}
	if (map->n == 0)
		map->style = YAML_FLOW;
	return map;
}

enum { MATCH, CAPTURE, TEST };

HANDLER(fn_match)
{
	struct yq_list out = { NULL, 0, 0 };

	for (size_t i = 0; i < in.n; i++) {
		struct bytes s = text_of(y, e, in.items[i]);
		struct bytes pattern = argument(y, e, 0, in.items[i], vars);
		bool global = is_global(y, e, 1, in.items[i], vars);
		struct matcher m = matcher_of(y, pattern, s);
		bool found = next_match(y, &m);

		if (e->fn->arg == TEST) {
			yq_add(y, &out, yq_bool(y, found));
			continue;
		}
		for (; found; found = global && next_match(y, &m))
			yq_add(y, &out,
			       e->fn->arg == MATCH ? match_node(y, &m) : capture_node(y, &m));
	}
	return out;
}

/* $1, ${1} and ${name} of a replacement. */
static void put_reference(struct buf *b, const struct matcher *m, struct bytes name)
{
	uint64_t n = 0;
	bool number = name.len > 0 && name.len < 5;

	for (size_t i = 0; i < name.len; i++) {
		number &= byte_is_digit(name.ptr[i]);
		n = number ? n * 10 + (uint64_t)(name.ptr[i] - '0') : 0;
	}
	if (number) {
		if (n <= m->groups)
			buf_add(b, span_text(m->s, m->spans[n]));
		return;
	}
	for (unsigned i = 1; i <= m->groups; i++) {
		const char *group = regex_group_name(m->re, i);

		if (group != NULL && bytes_is(name, group))
			buf_add(b, span_text(m->s, m->spans[i]));
	}
}

static void put_replacement(struct buf *b, const struct matcher *m, struct bytes with)
{
	for (size_t i = 0; i < with.len; i++) {
		size_t from = i + 1;
		bool brace = from < with.len && with.ptr[from] == '{';
		size_t to = from += brace;

		if (with.ptr[i] != '$') {
			buf_putc(b, with.ptr[i]);
			continue;
		}
		while (to < with.len && byte_is_name(with.ptr[to]))
			to++;
		if (to == from && from < with.len && with.ptr[from] == '$') {
			buf_putc(b, '$');
			i = from;
		} else if (to == from || (brace && (to == with.len || with.ptr[to] != '}'))) {
			buf_putc(b, '$');
		} else {
			put_reference(b, m, bytes_slice(with, from, to));
			i = to + brace - 1;
		}
	}
}

HANDLER(fn_sub)
{
	struct yq_list out = { NULL, 0, 0 };

	for (size_t i = 0; i < in.n; i++) {
		struct bytes s = text_of(y, e, in.items[i]);
		struct bytes pattern = argument(y, e, 0, in.items[i], vars);
		struct bytes with = argument(y, e, 1, in.items[i], vars);
		struct matcher m = matcher_of(y, pattern, s);
		struct buf b = buf_in(y->a);
		size_t done = 0;

		while (next_match(y, &m)) {
			buf_add(&b, bytes_slice(s, done, m.spans[0].from));
			put_replacement(&b, &m, with);
			cmd_charge_bytes(y->c, with.len);
			done = m.spans[0].to;
		}
		buf_add(&b, bytes_slice(s, done, s.len));
		yq_add(y, &out, changed(y, in.items[i], buf_bytes(&b)));
	}
	return out;
}

/* --- $NAME and ${NAME} of the environment --- */

static void put_variable(struct yq *y, struct buf *b, struct bytes inner, bool strict_unset,
			 bool strict_empty)
{
	size_t end = 0;
	const char *value;
	struct bytes other = { NULL, 0 };
	bool colon;

	while (end < inner.len && byte_is_name(inner.ptr[end]))
		end++;
	value = cmd_getenv(y->c, arena_dup(y->a, bytes_slice(inner, 0, end)));
	colon = end < inner.len && inner.ptr[end] == ':';
	if (end + colon < inner.len && inner.ptr[end + colon] == '-')
		other = bytes_slice(inner, end + colon + 1, inner.len);
	if (value == NULL && other.ptr == NULL && strict_unset)
		yq_fatal(y, "variable ${%.*s} not set", (int)end, inner.ptr);
	if (value != NULL && *value == '\0' && other.ptr == NULL && strict_empty)
		yq_fatal(y, "variable ${%.*s} set but empty", (int)end, inner.ptr);
	if (value == NULL || (colon && *value == '\0'))
		buf_add(b, other.ptr != NULL ? other : BYTES(""));
	else
		buf_puts(b, value);
}

static struct bytes substitute(struct yq *y, struct bytes s, bool unset, bool empty)
{
	struct buf b = buf_in(y->a);

	for (size_t i = 0; i < s.len; i++) {
		size_t from = i + 1;
		bool brace = from < s.len && s.ptr[from] == '{';
		size_t to = from += brace;

		cmd_charge(y->c, 1);
		if (s.ptr[i] != '$') {
			buf_putc(&b, s.ptr[i]);
			continue;
		}
		while (to < s.len && (brace ? s.ptr[to] != '}' : byte_is_name(s.ptr[to])))
			to++;
		if (to == from || (brace && to == s.len)) {
			buf_putc(&b, '$');
			continue;
		}
		put_variable(y, &b, bytes_slice(s, from, to), unset, empty);
		i = to + brace - 1;
	}
	return buf_bytes(&b);
}

HANDLER(fn_envsubst)
{
	struct yq_list out = { NULL, 0, 0 };
	bool unset = false;
	bool empty = false;

	(void)vars;
	for (size_t k = 0; k < e->nargs; k++) {
		struct bytes mode = e->args[k]->text;

		unset |= bytes_is(mode, "nu") || bytes_is(mode, "ff");
		empty |= bytes_is(mode, "ne") || bytes_is(mode, "ff");
	}
	for (size_t i = 0; i < in.n; i++) {
		struct yaml_node *n = yq_real_node(y, in.items[i]);

		if (!yaml_is(n, "!!str"))
			yq_fatal(y,
				 "cannot substitute with a node of type %.*s, can only substitute "
				 "strings",
				 (int)n->tag.len, n->tag.ptr);
		yq_add(y, &out, changed(y, n, substitute(y, n->value, unset, empty)));
	}
	return out;
}

HANDLER(fn_mode)
{
	(void)y, (void)e, (void)vars;
	return in;
}

const struct yq_fn yq_fns_text[] = {
	{ "split", 1, 1, fn_split, 0 },
	{ "join", 1, 1, fn_join, 0 },
	{ "upcase", 0, 0, fn_edit, UP },
	{ "downcase", 0, 0, fn_edit, DOWN },
	{ "ascii_upcase", 0, 0, fn_edit, ASCII_UP },
	{ "ascii_downcase", 0, 0, fn_edit, ASCII_DOWN },
	{ "trim", 0, 0, fn_edit, TRIM },
	{ "ltrim", 0, 0, fn_edit, LTRIM },
	{ "rtrim", 0, 0, fn_edit, RTRIM },
	{ "startswith", 1, 1, fn_starts, STARTS },
	{ "endswith", 1, 1, fn_starts, ENDS },
	{ "ltrimstr", 1, 1, fn_cut, STARTS },
	{ "rtrimstr", 1, 1, fn_cut, ENDS },
	{ "to_number", 0, 0, fn_to_number, 0 },
	{ "tonumber", 0, 0, fn_to_number, 0 },
	{ "to_string", 0, 0, fn_to_string, 0 },
	{ "tostring", 0, 0, fn_to_string, 0 },
	{ "match", 1, 2, fn_match, MATCH },
	{ "capture", 1, 1, fn_match, CAPTURE },
	{ "test", 1, 1, fn_match, TEST },
	{ "sub", 2, 2, fn_sub, 0 },
	{ "gsub", 2, 2, fn_sub, 0 },
	{ "envsubst", 0, 3, fn_envsubst, 0 },
	{ "nu", 0, 0, fn_mode, 0 },
	{ "ne", 0, 0, fn_mode, 0 },
	{ "ff", 0, 0, fn_mode, 0 },
	{ NULL, 0, 0, NULL, 0 },
};
