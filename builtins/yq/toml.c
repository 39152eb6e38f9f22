/* SPDX-License-Identifier: MIT
 *
 * TOML 1.0 to nodes. Comments before a key or table are its head.
 */
#include "builtins/yq/yq.h"

#include "base/utf8.h"

enum { TOML_DEPTH_MAX = 200 };

/* Marks in `gone` of maps and lists while reading: no more keys may be added. */
struct toml {
	struct yq *y;
	struct bytes s;
	size_t at;
	int depth;
	const char *error;
	struct buf comment;
	struct yaml_node *table; /* that keys go into */
};

static void *fail(struct toml *t, const char *error)
{
	if (t->error == NULL)
		t->error = error;
	return NULL;
}

static int peek(const struct toml *t, size_t k)
{
	return t->s.len - t->at > k ? (unsigned char)t->s.ptr[t->at + k] : 0;
}

static bool see(const struct toml *t, const char *text)
{
	return bytes_starts(bytes_slice(t->s, t->at, t->s.len), bytes_of(text));
}

static void skip_blanks(struct toml *t)
{
	while (byte_is_blank(peek(t, 0)))
		t->at++;
}

static void skip_comment(struct toml *t)
{
	size_t from = t->at;

	while (t->at < t->s.len && t->s.ptr[t->at] != '\n')
		t->at++;
	size_t to = t->at > from && t->s.ptr[t->at - 1] == '\r' ? t->at - 1 : t->at;

	if (t->comment.len > 0)
		buf_putc(&t->comment, '\n');
	buf_add(&t->comment, bytes_slice(t->s, from, to));
}

/* White space, breaks and comments. */
static void skip_all(struct toml *t)
{
	for (;; t->at++) {
		while (peek(t, 0) == '#')
			skip_comment(t);
		if (t->at >= t->s.len || !byte_is_space(peek(t, 0)))
			return;
		if (peek(t, 0) == '\n')
			cmd_charge(t->y->c, 1);
	}
}

/* --- strings --- */

static bool escape(struct toml *t, struct buf *out)
{
	static const char letters[] = "btnfre\"\\";
	static const char values[] = "\b\t\n\f\r\x1b\"\\";
	int c = peek(t, 0);
	const char *found = c != 0 ? strchr(letters, c) : NULL;
	char utf8[4];
	uint32_t code = 0;
	size_t len;

	t->at++;
	if (found != NULL) {
		buf_putc(out, values[found - letters]);
		return true;
	}
	if (c != 'u' && c != 'U')
		return fail(t, "invalid escape sequence"), false;
	for (int i = 0; i < (c == 'u' ? 4 : 8); i++, t->at++) {
		int v = byte_digit(peek(t, 0));

		if (v < 0 || v > 15)
			return fail(t, "invalid escape sequence"), false;
		code = code * 16 + (uint32_t)v;
	}
	len = utf8_encode(code, utf8);
	if (len == 0)
		return fail(t, "invalid escape sequence"), false;
	buf_put(out, utf8, len);
	return true;
}

/* A backslash at a line's end takes the white space that follows. */
static bool fold(struct toml *t)
{
	size_t k = 0;

	while (byte_is_blank(peek(t, k)))
		k++;
	if (peek(t, k) != '\n' && !(peek(t, k) == '\r' && peek(t, k + 1) == '\n'))
		return false;
	while (byte_is_space(peek(t, 0)))
		t->at++;
	return true;
}

/* At its quotes, which may be one or three. */
static bool read_string(struct toml *t, bool one_line, struct buf *out)
{
	char quote = (char)peek(t, 0);
	char three[4] = { quote, quote, quote, '\0' };
	bool multi = !one_line && see(t, three);

	t->at += multi ? 3 : 1;
	if (multi && peek(t, 0) == '\r' && peek(t, 1) == '\n')
		t->at++;
	if (multi && peek(t, 0) == '\n')
		t->at++;
	for (;;) {
		char c = (char)peek(t, 0);

		if (t->at >= t->s.len || (!multi && c == '\n'))
			return fail(t, "unterminated string"), false;
		if (multi ? see(t, three) : c == quote)
			break;
		t->at++;
		if (c == '\\' && quote == '"') {
			if (!(multi && fold(t)) && !escape(t, out))
				return false;
		} else if (c != '\r' || peek(t, 0) != '\n') {
			buf_putc(out, c);
		}
	}
	t->at += multi ? 3 : 1;
	/* Up to two quotes right before the closing ones are text. */
	for (int i = 0; multi && i < 2 && (char)peek(t, 0) == quote; i++, t->at++)
		buf_putc(out, quote);
	return true;
}

/* --- values --- */

static struct yaml_node *read_value(struct toml *t);

static struct yaml_node *read_array(struct toml *t)
{
	struct yaml_node *n = yq_seq(t->y);

	n->style = YAML_FLOW;
	n->gone = true;
	for (t->at++;;) {
		struct yaml_node *item;

		skip_all(t);
		t->comment.len = 0;
		if (peek(t, 0) == ']')
			break;
		item = read_value(t);
		if (item == NULL)
			return NULL;
		yaml_push(t->y->a, n, item);
		skip_all(t);
		t->comment.len = 0;
		if (peek(t, 0) == ',')
			t->at++;
		else if (peek(t, 0) != ']')
			return fail(t, "expected ',' or ']' in an array");
	}
	t->at++;
	return n;
}

static bool read_pair(struct toml *t, struct yaml_node *table);

static struct yaml_node *read_inline(struct toml *t)
{
	struct yaml_node *n = yq_map(t->y);

	n->style = YAML_FLOW;
	t->at++;
	skip_all(t);
	while (peek(t, 0) != '}') {
		if (!read_pair(t, n))
			return NULL;
		skip_all(t);
		if (peek(t, 0) == ',') {
			t->at++;
			skip_all(t);
		} else if (peek(t, 0) != '}') {
			return fail(t, "expected ',' or '}' in an inline table");
		}
	}
	t->at++;
	n->gone = true;
	return n;
}

/* Numbers, dates and words: a text without blanks, but for that between a date and a time. */
static struct yaml_node *read_bare(struct toml *t)
{
	size_t from = t->at;
	struct bytes s;
	struct bytes tag;

	for (;;) {
		int c = peek(t, 0);
		bool date = t->at - from == 10 && peek(t, 0) == ' ' && byte_is_digit(peek(t, 1)) &&
			    t->s.ptr[from + 4] == '-';

		if (!byte_is_alnum(c) && (c == 0 || strchr("+-._:", c) == NULL) && !date)
			break;
		t->at++;
	}
	s = bytes_slice(t->s, from, t->at);
	if (s.len == 0)
		return fail(t, "expected a value");
	if (bytes_is(s, "true") || bytes_is(s, "false"))
		return yaml_scalar(t->y->a, BYTES("!!bool"), s);
	if (bytes_is(s, "inf") || bytes_is(s, "+inf") || bytes_is(s, "-inf"))
		return yaml_scalar(t->y->a, BYTES("!!float"),
				   s.ptr[0] == '-' ? BYTES("-.inf") : BYTES(".inf"));
	if (bytes_is(s, "nan") || bytes_is(s, "+nan") || bytes_is(s, "-nan"))
		return yaml_scalar(t->y->a, BYTES("!!float"), BYTES(".nan"));
	if (memchr(s.ptr, '_', s.len) != NULL) {
		struct buf b = buf_in(t->y->a);

		for (size_t i = 0; i < s.len; i++)
			if (s.ptr[i] != '_')
				buf_putc(&b, s.ptr[i]);
		s = buf_bytes(&b);
	}
	tag = yaml_resolve(s);
	if (bytes_is(tag, "!!int") || bytes_is(tag, "!!float") || bytes_is(tag, "!!timestamp"))
		return yaml_scalar(t->y->a, tag, s);
	/* A time of day. */
	if (s.len >= 8 && byte_is_digit(s.ptr[0]) && s.ptr[2] == ':' && s.ptr[5] == ':')
		return yq_text(t->y, s);
	return fail(t, "invalid value");
}

static struct yaml_node *read_value(struct toml *t)
{
	struct yaml_node *n;
	struct buf text = buf_in(t->y->a);
	int c = peek(t, 0);

	cmd_charge(t->y->c, 1);
	if (c == '"' || c == '\'')
		return read_string(t, false, &text) ? yq_text(t->y, buf_bytes(&text)) : NULL;
	if (c != '[' && c != '{')
		return read_bare(t);
	if (t->depth >= TOML_DEPTH_MAX)
		return fail(t, "values nest too deeply");
	t->depth++;
	n = c == '[' ? read_array(t) : read_inline(t);
	t->depth--;
	return n;
}

/* --- keys, tables --- */

static bool read_key_part(struct toml *t, struct bytes *out)
{
	struct buf text = buf_in(t->y->a);
	size_t from = t->at;

	skip_blanks(t);
	if (peek(t, 0) == '"' || peek(t, 0) == '\'') {
		if (!read_string(t, true, &text))
			return false;
		*out = buf_bytes(&text);
	} else {
		from = t->at;
		while (byte_is_name(peek(t, 0)) || peek(t, 0) == '-')
			t->at++;
		if (t->at == from)
			return fail(t, "expected a key"), false;
		*out = bytes_slice(t->s, from, t->at);
	}
	skip_blanks(t);
	return true;
}

/* The table of a name, made if there is none; of a list of tables the last. */
static struct yaml_node *enter(struct toml *t, struct yaml_node *table, struct bytes name)
{
	struct yaml_node *found = yq_get_own(table, name);

	cmd_charge(t->y->c, table->n / 8 + 1);
	if (++t->depth > TOML_DEPTH_MAX)
		return fail(t, "tables nest too deeply");
	if (found == NULL) {
		found = yq_map(t->y);
		yq_set(t->y, table, name, found);
		return found;
	}
	if (found->kind == YAML_SEQ && !found->gone && found->n > 0)
		found = found->items[found->n - 1];
	if (found->kind != YAML_MAP || found->gone)
		return fail(t, "key is already defined");
	return found;
}

/* a.b.c up to its last part, which is *last; the table that holds it. */
static struct yaml_node *read_path(struct toml *t, struct yaml_node *table, struct bytes *last)
{
	int depth = t->depth;

	if (!read_key_part(t, last))
		return NULL;
	while (table != NULL && peek(t, 0) == '.') {
		t->at++;
		table = enter(t, table, *last);
		if (table != NULL && !read_key_part(t, last))
			return NULL;
	}
	t->depth = depth;
	return table;
}

static struct bytes take_comment(struct toml *t)
{
	struct bytes text = buf_bytes(&t->comment);

	t->comment = buf_in(t->y->a);
	return text;
}

static bool read_pair(struct toml *t, struct yaml_node *table)
{
	struct bytes comment = take_comment(t);
	struct yaml_node *value;
	struct bytes name;

	table = read_path(t, table, &name);
	if (table == NULL)
		return false;
	if (peek(t, 0) != '=')
		return fail(t, "expected '=' behind a key"), false;
	t->at++;
	skip_blanks(t);
	value = read_value(t);
	if (value == NULL)
		return false;
	cmd_charge(t->y->c, table->n / 8 + 1);
	if (yq_get_own(table, name) != NULL)
		return fail(t, "key is already defined"), false;
	yq_set(t->y, table, name, value);
	table->items[table->n - 2]->head = comment;
	return true;
}

/* [table] or [[list of tables]] */
static bool read_header(struct toml *t, struct yaml_node *root)
{
	struct bytes comment = take_comment(t);
	bool list = see(t, "[[");
	struct yaml_node *holder;
	struct yaml_node *found;
	struct bytes name;

	t->at += list ? 2 : 1;
	holder = read_path(t, root, &name);
	if (holder == NULL)
		return false;
	if (!see(t, list ? "]]" : "]"))
		return fail(t, "expected ']' behind a table's name"), false;
	t->at += list ? 2 : 1;
	found = yq_get_own(holder, name);
	if (list) {
		if (found != NULL && (found->kind != YAML_SEQ || found->gone))
			return fail(t, "key is already defined"), false;
		if (found == NULL) {
			found = yq_seq(t->y);
			yq_set(t->y, holder, name, found);
			holder->items[holder->n - 2]->head = comment;
		}
		t->table = yq_map(t->y);
		yaml_push(t->y->a, found, t->table);
		return true;
	}
	if (found != NULL && (found->kind != YAML_MAP || found->gone || found->tagged))
		return fail(t, "table is already defined"), false;
	if (found == NULL) {
		found = yq_map(t->y);
		yq_set(t->y, holder, name, found);
	}
	if (comment.len > 0)
		holder->items[found->index - 1]->head = comment;
	found->tagged = true; /* marks a header of its own until the end */
	t->table = found;
	return true;
}

static void unmark(struct yaml_node *n)
{
	n->gone = n->tagged = false;
	for (uint32_t i = 0; i < n->n; i++)
		unmark(n->items[i]);
}

static bool read_lines(struct toml *t, struct yaml_node *root)
{
	for (;;) {
		size_t breaks = t->at;

		skip_all(t);
		(void)breaks;
		if (t->at >= t->s.len)
			return true;
		if (!(peek(t, 0) == '[' ? read_header(t, root) : read_pair(t, t->table)))
			return false;
		skip_blanks(t);
		if (peek(t, 0) == '#') {
			struct buf before = t->comment;

			t->comment = buf_in(t->y->a);
			skip_comment(t);
			if (t->table->n > 0)
				t->table->items[t->table->n - 1]->tail = buf_bytes(&t->comment);
			t->comment = before;
		}
		if (peek(t, 0) == '\r')
			t->at++;
		if (t->at < t->s.len && peek(t, 0) != '\n')
			return fail(t, "expected a line's end"), false;
	}
}

struct yaml_node *yq_read_toml(struct yq *y, struct bytes text, struct buf *error)
{
	struct yaml_node *root = yq_map(y);
	struct toml t = { .y = y, .s = text, .comment = buf_in(y->a), .table = root };

	if (bytes_starts(text, BYTES("\xef\xbb\xbf")))
		t.at = 3;
	if (read_lines(&t, root)) {
		unmark(root);
		if (t.comment.len > 0)
			root->foot = buf_bytes(&t.comment);
		return root;
	}
	struct bytes before = bytes_slice(text, 0, t.at);
	const char *nl = bytes_rfind(before, BYTES("\n"));
	size_t start = nl != NULL ? (size_t)(nl - text.ptr) + 1 : 0;

	buf_printf(error, "toml: line %zu, column %zu: %s", (size_t)bytes_count(before, '\n') + 1,
		   t.at - start + 1, t.error);
	return NULL;
}
