/* SPDX-License-Identifier: MIT
 *
 * Where fields begin and end: the text of a word as it comes out of its parts, IFS splitting,
 * and the pattern that a finished field may be.
 */
#include "interp/expand.h"

/* --- text --- */

static void remember_quoted(struct expander *e, size_t from, size_t to)
{
	if (e->nspans != 0 && e->spans[e->nspans - 1].to == from) {
		e->spans[e->nspans - 1].to = to;
		return;
	}
	if (e->nspans == e->spans_cap) {
		size_t cap = e->spans_cap == 0 ? 8 : e->spans_cap * 2;

		e->spans = arena_grow(e->sh->arena, e->spans, e->spans_cap * sizeof *e->spans,
				      cap * sizeof *e->spans);
		e->spans_cap = cap;
	}
	e->spans[e->nspans++] = (struct quoted_span){ from, to };
}

static bool is_magic(int c)
{
	return c == '*' || c == '?' || c == '[' || c == '(';
}

bool has_magic(struct bytes s)
{
	for (size_t i = 0; i < s.len; i++) {
		if (is_magic(s.ptr[i]))
			return true;
	}
	return false;
}

static void put_escaped(struct buf *b, struct bytes s)
{
	for (size_t i = 0; i < s.len; i++) {
		if (byte_is_punct(s.ptr[i]) && s.ptr[i] != '/')
			buf_putc(b, '\\');
		buf_putc(b, s.ptr[i]);
	}
}

static void put_patsub(struct buf *b, struct bytes s)
{
	for (size_t i = 0; i < s.len; i++) {
		if (s.ptr[i] == '&' || s.ptr[i] == '\\')
			buf_putc(b, '\\');
		buf_putc(b, s.ptr[i]);
	}
}

static void put_regex_quoted(struct expander *e, struct bytes s)
{
	for (size_t i = 0; i < s.len; i++) {
		if (!e->in_bracket && strchr("\\.[]*^$+?{}()|", s.ptr[i]) != NULL &&
		    s.ptr[i] != '\0')
			buf_putc(&e->cur, '\\');
		buf_putc(&e->cur, s.ptr[i]);
	}
}

/* Follows brackets, because a backslash means itself in them. */
static void put_regex(struct expander *e, struct bytes s)
{
	for (size_t i = 0; i < s.len; i++) {
		char c = s.ptr[i];
		char before = e->cur.len != 0 ? e->cur.ptr[e->cur.len - 1] : '\0';

		if (!e->in_bracket && c == '[' && before != '\\')
			e->in_bracket = true;
		else if (e->in_bracket && c == ']' && before != '[' && before != '^')
			e->in_bracket = false;
		buf_putc(&e->cur, c);
	}
}

static void put_each_escaped(struct buf *out, struct bytes s)
{
	for (size_t i = 0; i < s.len; i++) {
		buf_putc(out, '\\');
		buf_putc(out, s.ptr[i]);
	}
}

static void emit_one_string(struct expander *e, struct bytes text, bool quoted)
{
	shell_cost(e->sh, text.len);
	if (e->mode == EXPAND_PATTERN && quoted)
		put_escaped(&e->cur, text);
	else if (e->mode == EXPAND_SHOWN && quoted)
		put_each_escaped(&e->cur, text);
	else if (e->mode == EXPAND_PATSUB && quoted)
		put_patsub(&e->cur, text);
	else if (e->mode == EXPAND_REGEX && quoted)
		put_regex_quoted(e, text);
	else if (e->mode == EXPAND_REGEX)
		put_regex(e, text);
	else
		buf_add(&e->cur, text);
}

void emit(struct expander *e, struct bytes text, bool quoted)
{
	if (e->mode != EXPAND_FIELDS) {
		emit_one_string(e, text, quoted);
		return;
	}
	if (text.len == 0 && !quoted)
		return;
	if (quoted && text.len != 0)
		remember_quoted(e, e->cur.len, e->cur.len + text.len);
	else if (!quoted && !e->magic)
		e->magic = has_magic(text);
	buf_add(&e->cur, text);
	e->state = FIELD_OPEN;
	if (text.len >= 256)
		proc_charge(e->sh->p, text.len / 64);
}

void emit_quoted_null(struct expander *e)
{
	e->state = FIELD_OPEN;
}

/* --- finished fields --- */

/* cur with its quoted spans escaped. */
static struct bytes pattern_of(struct expander *e)
{
	struct buf b = buf_in(e->sh->arena);
	struct bytes text = buf_bytes(&e->cur);
	size_t at = 0;

	for (size_t i = 0; i < e->nspans; i++) {
		buf_add(&b, bytes_slice(text, at, e->spans[i].from));
		put_escaped(&b, bytes_slice(text, e->spans[i].from, e->spans[i].to));
		at = e->spans[i].to;
	}
	buf_add(&b, bytes_slice(text, at, text.len));
	buf_cstr(&b);
	return buf_bytes(&b);
}

/* last: the word ends, so that the buffer itself can be given away. */
static int finish_field(struct expander *e, bool last)
{
	int err = 0;
	char *text = last ? buf_cstr(&e->cur) : arena_dup(e->sh->arena, buf_bytes(&e->cur));

	if (e->magic && !opt_set(e->sh, SET_NOGLOB))
		err = expand_field(e->sh, pattern_of(e), text, e->out);
	else
		fields_add(e->sh, e->out, text);
	e->cur.len = 0;
	e->nspans = 0;
	e->magic = false;
	return err;
}

/* failglob is found out at the end: what comes between goes on. */
static void end_field(struct expander *e, enum field_state next)
{
	if (e->state == FIELD_OPEN && finish_field(e, false) != 0)
		e->sh->flow = FLOW_ABORT;
	e->state = next;
}

void field_break(struct expander *e)
{
	end_field(e, FIELD_NONE);
}

int field_end(struct expander *e)
{
	if (e->state != FIELD_OPEN)
		return 0;
	return finish_field(e, true);
}

/* --- IFS --- */

struct bytes ifs_first(struct shell *sh)
{
	uint32_t c;
	size_t n = 1;

	if (!sh->ifs_set)
		return BYTES(" ");
	if (sh->ifs.len == 0)
		return BYTES("");
	if (sh->utf8 && (sh->ifs.ptr[0] & 0x80) != 0)
		n = utf8_decode(sh->ifs, 0, &c);
	return bytes_slice(sh->ifs, 0, n != 0 ? n : 1);
}

/* The length of the separator at s[i], 0 if there is none. Bytes of IFS above 127 stand for
 * whole characters in UTF-8. */
static size_t separator_at(const struct shell *sh, struct bytes s, size_t i)
{
	unsigned char c = (unsigned char)s.ptr[i];
	uint32_t code;
	size_t n;

	if (sh->ifs_class[c] == 0)
		return 0;
	if (c < 0x80 || !sh->utf8)
		return 1;
	n = utf8_decode(s, i, &code);
	if (n == 0)
		return 1;
	return bytes_find(sh->ifs, bytes_slice(s, i, i + n)) != NULL ? n : 0;
}

/* The end of the run of bytes from i that belong to a field; *magic as has_magic. */
static size_t field_run(const struct shell *sh, struct bytes s, size_t i, bool *magic)
{
	while (i < s.len) {
		unsigned char c = (unsigned char)s.ptr[i];

		if (sh->ifs_class[c] != 0 && separator_at(sh, s, i) != 0)
			break;
		*magic |= is_magic(c);
		i++;
	}
	return i;
}

static void emit_run(struct expander *e, struct bytes run, bool magic, bool whole)
{
	/* A field that begins and ends here needs no collecting. */
	if (whole && !magic && e->state != FIELD_OPEN) {
		fields_add(e->sh, e->out, arena_dup(e->sh->arena, run));
		e->state = FIELD_NONE;
		return;
	}
	e->magic |= magic;
	buf_add(&e->cur, run);
	e->state = FIELD_OPEN;
}

static void at_separator(struct expander *e, bool space, bool field_ended)
{
	if (e->state == FIELD_OPEN) {
		end_field(e, space ? FIELD_AFTER_WS : FIELD_AFTER_SEP);
	} else if (field_ended) {
		e->state = space ? FIELD_AFTER_WS : FIELD_AFTER_SEP;
	} else if (!space) {
		if (e->state != FIELD_AFTER_WS)
			fields_add(e->sh, e->out, arena_dup(e->sh->arena, BYTES("")));
		e->state = FIELD_AFTER_SEP;
	}
}

void emit_split(struct expander *e, struct bytes text)
{
	bool ended = false; /* the run before was a field by itself */

	if (e->mode != EXPAND_FIELDS) {
		emit_one_string(e, text, false);
		return;
	}
	proc_charge(e->sh->p, text.len / 64);
	for (size_t i = 0; i < text.len;) {
		bool magic = false;
		size_t end = field_run(e->sh, text, i, &magic);
		size_t sep;

		if (end > i) {
			ended = end < text.len && !magic && e->state != FIELD_OPEN;
			emit_run(e, bytes_slice(text, i, end), magic, end < text.len);
			i = end;
			continue;
		}
		sep = separator_at(e->sh, text, i);
		at_separator(e, e->sh->ifs_class[(unsigned char)text.ptr[i]] == 1, ended);
		ended = false;
		i += sep;
	}
}

void list_break(struct expander *e)
{
	struct bytes first = ifs_first(e->sh);
	char c = first.len != 0 ? first.ptr[0] : '\0';

	if (first.len == 0)
		field_break(e);
	else
		at_separator(e, c == ' ' || c == '\t' || c == '\n', false);
}

/* --- read --- */

static bool is_marked(const uint8_t *escaped, size_t i)
{
	return escaped != NULL && escaped[i] != 0;
}

struct reading {
	struct shell *sh;
	struct bytes text;
	const uint8_t *escaped;
};

static size_t read_separator(const struct reading *r, size_t i, bool space)
{
	unsigned char c = (unsigned char)r->text.ptr[i];

	if (is_marked(r->escaped, i) || (r->sh->ifs_class[c] == 1) != space)
		return 0;
	return separator_at(r->sh, r->text, i);
}

static size_t skip_space(const struct reading *r, size_t i)
{
	while (i < r->text.len && read_separator(r, i, true) != 0)
		i++;
	return i;
}

/* The last field takes the rest: trailing white space goes, also if backslashes were before it
 * (unless the rest is one word), and one separator if nothing but white space follows it and it
 * is the only one. */
static size_t rest_end(const struct reading *r, size_t from)
{
	const struct reading plain = { r->sh, r->text, NULL };
	size_t end = r->text.len;
	size_t at = from;
	size_t after, sep;

	while (at < end && read_separator(r, at, false) == 0 && read_separator(r, at, true) == 0)
		at++;
	after = skip_space(r, at);
	if (after == end)
		return at;
	/* A single field and its delimiter: only the field. */
	sep = read_separator(r, after, false);
	if (sep != 0 && skip_space(r, after + sep) == end)
		return at;
	while (end > from && read_separator(&plain, end - 1, true) != 0)
		end--;
	return end;
}

void split_fields(struct shell *sh, struct bytes text, const uint8_t *escaped, int max,
		  struct fields *out)
{
	struct reading r = { sh, text, escaped };
	size_t i = skip_space(&r, 0);

	proc_charge(sh->p, text.len / 64);
	while (i < text.len) {
		size_t from = i;
		size_t sep = 0;

		if (max > 0 && out->count == max - 1) {
			size_t end = rest_end(&r, from);

			fields_add(sh, out, arena_dup(sh->arena, bytes_slice(text, from, end)));
			return;
		}
		while (i < text.len && read_separator(&r, i, true) == 0 &&
		       (sep = read_separator(&r, i, false)) == 0)
			i++;
		fields_add(sh, out, arena_dup(sh->arena, bytes_slice(text, from, i)));
		if (sep == 0) {
			i = skip_space(&r, i);
			if (i < text.len)
				sep = read_separator(&r, i, false);
		}
		i = skip_space(&r, i + sep);
	}
}
