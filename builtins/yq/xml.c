/* SPDX-License-Identifier: MIT
 *
 * XML to nodes: an element is a map of its attributes, its text and its children (those of one
 * name in a list), or just its text. Entities of a document type are never expanded: they are
 * nothing.
 */
#include "builtins/yq/yq.h"

#include "base/utf8.h"

struct xml {
	struct yq *y;
	struct bytes s;
	size_t at;
	int depth;
	bool has_type;     /* a <!DOCTYPE>: entities may be declared */
	const char *error; /* NULL: none */
	size_t error_at;
	struct buf comment; /* that waits for the next element */
};

static bool fail(struct xml *x, const char *error, size_t at)
{
	if (x->error == NULL) {
		x->error = error;
		x->error_at = at;
	}
	return false;
}

static bool see(const struct xml *x, const char *text)
{
	return bytes_starts(bytes_slice(x->s, x->at, x->s.len), bytes_of(text));
}

static void skip_space(struct xml *x)
{
	while (x->at < x->s.len && byte_is_space(x->s.ptr[x->at]))
		x->at++;
}

static bool is_name(char c)
{
	return byte_is_name(c) || c == ':' || c == '-' || c == '.' || (unsigned char)c >= 0x80;
}

static struct bytes read_name(struct xml *x)
{
	size_t from = x->at;

	while (x->at < x->s.len && is_name(x->s.ptr[x->at]))
		x->at++;
	return bytes_slice(x->s, from, x->at);
}

/* --- text --- */

static bool put_number(struct buf *out, struct bytes digits)
{
	int base = 10;
	uint32_t c = 0;
	char utf8[4];
	size_t len;

	if (digits.len > 0 && digits.ptr[0] == 'x') {
		base = 16;
		digits = bytes_slice(digits, 1, digits.len);
	}
	for (size_t i = 0; i < digits.len; i++) {
		int v = byte_digit(digits.ptr[i]);

		if (v < 0 || v >= base || c > 0x10ffff)
			return false;
		c = c * (uint32_t)base + (uint32_t)v;
	}
	len = digits.len > 0 && c != 0 ? utf8_encode(c, utf8) : 0;
	buf_put(out, utf8, len);
	return len > 0;
}

/* At '&'. */
static bool put_entity(struct xml *x, struct buf *out)
{
	static const char *const names[] = { "lt", "gt", "amp", "quot", "apos" };
	static const char values[] = "<>&\"'";
	size_t from = x->at + 1;
	const char *semi;
	struct bytes name;

	semi = memchr(x->s.ptr + from, ';', x->s.len - from < 64 ? x->s.len - from : 64);
	if (semi == NULL)
		return fail(x, "not well-formed (invalid token)", x->at);
	name = bytes_slice(x->s, from, (size_t)(semi - x->s.ptr));
	x->at = (size_t)(semi - x->s.ptr) + 1;
	if (name.len > 1 && name.ptr[0] == '#')
		return put_number(out, bytes_slice(name, 1, name.len)) ||
		       fail(x, "reference to invalid character number", from - 1);
	for (size_t i = 0; i < 5; i++)
		if (bytes_is(name, names[i])) {
			buf_putc(out, values[i]);
			return true;
		}
	return x->has_type || fail(x, "undefined entity", from - 1);
}

/* Up to `end` (not taken), with entities replaced. */
static bool read_text(struct xml *x, char end, struct buf *out)
{
	size_t from = x->at;

	while (x->at < x->s.len && x->s.ptr[x->at] != end) {
		char c = x->s.ptr[x->at];

		if (c == '&') {
			if (!put_entity(x, out))
				return false;
			continue;
		}
		if (end != '<' && c == '<')
			return fail(x, "not well-formed (invalid token)", x->at);
		if (c == '\r' && x->at + 1 < x->s.len && x->s.ptr[x->at + 1] == '\n')
			c = '\n', x->at++;
		buf_putc(out, end != '<' && byte_is_space(c) ? ' ' : c);
		x->at++;
	}
	cmd_charge_bytes(x->y->c, x->at - from);
	return true;
}

/* Behind `open`, up to `close`, which is taken. */
static bool read_until(struct xml *x, const char *open, const char *close, struct bytes *out)
{
	size_t from = x->at + strlen(open);
	const char *end = NULL;

	if (from <= x->s.len)
		end = bytes_find(bytes_slice(x->s, from, x->s.len), bytes_of(close));
	if (end == NULL)
		return fail(x, "unclosed token", x->at);
	*out = bytes_slice(x->s, from, (size_t)(end - x->s.ptr));
	x->at = (size_t)(end - x->s.ptr) + strlen(close);
	return true;
}

/* --- elements --- */

static struct bytes prefixed(struct yq *y, const char *prefix, struct bytes name)
{
	struct buf b = buf_in(y->a);

	buf_puts(&b, prefix);
	buf_add(&b, name);
	return buf_bytes(&b);
}

static bool read_attribute(struct xml *x, struct yaml_node *map)
{
	size_t from = x->at;
	struct bytes name = read_name(x);
	struct buf value = buf_in(x->y->a);
	struct bytes key;
	char quote;

	skip_space(x);
	if (name.len == 0 || x->at >= x->s.len || x->s.ptr[x->at] != '=')
		return fail(x, "not well-formed (invalid token)", x->at);
	x->at++;
	skip_space(x);
	quote = x->at < x->s.len ? x->s.ptr[x->at] : '\0';
	if (quote != '"' && quote != '\'')
		return fail(x, "not well-formed (invalid token)", x->at);
	x->at++;
	if (!read_text(x, quote, &value))
		return false;
	if (x->at >= x->s.len)
		return fail(x, "unclosed token", from);
	x->at++;
	key = prefixed(x->y, x->y->o.attribute_prefix, name);
	if (yq_get_own(map, key) != NULL)
		return fail(x, "duplicate attribute", from);
	yq_set(x->y, map, key, yq_text(x->y, buf_bytes(&value)));
	return true;
}

/* A second element of a name makes a list of both. */
static void add_child(struct yq *y, struct yaml_node *map, struct bytes name,
		      struct yaml_node *value, struct bytes comment)
{
	struct yaml_node *old = yq_get_own(map, name);
	struct yaml_node *list;
	bool forced = false;

	for (size_t i = 0; i < y->nforced; i++)
		forced |= bytes_is(name, y->forced[i]);
	cmd_charge(y->c, map->n / 8 + 1);
	if (old != NULL && old->gone) { /* marked: a list that we made */
		yaml_push(y->a, old, value);
		return;
	}
	if (old == NULL && !forced) {
		yq_set(y, map, name, value);
		map->items[map->n - 2]->head = comment;
		return;
	}
	list = yq_seq(y);
	list->gone = true;
	yq_set(y, map, name, list);
	if (old != NULL)
		yaml_push(y->a, list, old);
	yaml_push(y->a, list, value);
}

static void unmark(struct yaml_node *map)
{
	for (uint32_t i = 1; i < map->n; i += 2)
		map->items[i]->gone = false;
}

static bool read_comment(struct xml *x)
{
	struct bytes text;

	if (!read_until(x, "<!--", "-->", &text))
		return false;
	if (x->y->o.python)
		return true;
	text = bytes_trim(text);
	if (x->comment.len > 0)
		buf_putc(&x->comment, '\n');
	buf_puts(&x->comment, "# ");
	for (size_t i = 0; i < text.len; i++) {
		buf_putc(&x->comment, text.ptr[i]);
		if (text.ptr[i] == '\n')
			buf_puts(&x->comment, "# ");
	}
	return true;
}

static struct bytes take_comment(struct xml *x)
{
	struct bytes text = buf_bytes(&x->comment);

	x->comment = buf_in(x->y->a);
	return text;
}

static bool read_element(struct xml *x, struct yaml_node *into);

/* What stands between an element's tags. */
static bool read_content(struct xml *x, struct yaml_node *map, struct bytes name, struct buf *text)
{
	struct bytes part;

	while (x->at < x->s.len) {
		size_t from = x->at;

		if (x->s.ptr[x->at] != '<') {
			if (!read_text(x, '<', text))
				return false;
		} else if (see(x, "<!--")) {
			if (!read_comment(x))
				return false;
		} else if (see(x, "<![CDATA[")) {
			if (!read_until(x, "<![CDATA[", "]]>", &part))
				return false;
			buf_add(text, part);
		} else if (see(x, "<?")) {
			if (!read_until(x, "<?", "?>", &part))
				return false;
		} else if (see(x, "</")) {
			x->at += 2;
			if (!bytes_eq(read_name(x), name))
				return fail(x, "mismatched tag", from + 2);
			skip_space(x);
			if (x->at >= x->s.len || x->s.ptr[x->at] != '>')
				return fail(x, "not well-formed (invalid token)", x->at);
			x->at++;
			return true;
		} else if (!read_element(x, map)) {
			return false;
		}
	}
	return fail(x, "no element found", x->at);
}

/* The element's value: null, text, or its map with the text in it. */
static struct yaml_node *element_value(struct xml *x, struct yaml_node *map, struct bytes text)
{
	struct yq *y = x->y;
	struct yaml_node *content;

	text = bytes_trim(text);
	if (map->n == 0)
		return text.len == 0 ? y->o.python ? yq_null(y)
						   : yaml_scalar(y->a, BYTES("!!null"), BYTES(""))
				     : yq_text(y, text);
	unmark(map);
	if (text.len == 0)
		return map;
	content = yq_text(y, text);
	yq_set(y, map, bytes_of(y->o.content_name), content);
	if (!y->o.python && map->n > 2) {
		struct yaml_node *key = map->items[map->n - 2];

		yaml_remove(map, map->n - 2, 2);
		yaml_insert(y->a, map, 0, content);
		yaml_insert(y->a, map, 0, key);
	}
	return map;
}

static bool read_element(struct xml *x, struct yaml_node *into)
{
	struct buf text = buf_in(x->y->a);
	struct yaml_node *map = yq_map(x->y);
	struct bytes comment = take_comment(x);
	size_t from = x->at++;
	struct bytes name = read_name(x);

	cmd_charge(x->y->c, 1);
	if (name.len == 0 || byte_is_digit(name.ptr[0]))
		return fail(x, "not well-formed (invalid token)", from + 1);
	if (x->depth >= YAML_DEPTH_MAX)
		return fail(x, "elements nest too deeply", from);
	for (;;) {
		skip_space(x);
		if (x->at >= x->s.len)
			return fail(x, "unclosed token", from);
		if (x->s.ptr[x->at] == '>' || see(x, "/>"))
			break;
		if (!read_attribute(x, map))
			return false;
	}
	if (x->s.ptr[x->at++] == '/') {
		x->at++;
	} else {
		x->depth++;
		if (!read_content(x, map, name, &text))
			return false;
		x->depth--;
	}
	add_child(x->y, into, name, element_value(x, map, buf_bytes(&text)), comment);
	return true;
}

/* --- documents --- */

/* <!DOCTYPE name [ ... ]>: brackets may hold '>'. */
static bool skip_type(struct xml *x)
{
	int nest = 0;

	for (size_t from = x->at; x->at < x->s.len; x->at++) {
		char c = x->s.ptr[x->at];

		nest += c == '[' ? 1 : c == ']' ? -1 : 0;
		if (c == '>' && nest <= 0) {
			x->at++;
			x->has_type = true;
			return true;
		}
		if ((x->at - from) % 4096 == 0)
			cmd_charge(x->y->c, 64);
	}
	return fail(x, "unclosed token", x->at);
}

static bool read_instruction(struct xml *x, struct yaml_node *root)
{
	struct bytes text;
	size_t end = 0;

	if (!read_until(x, "<?", "?>", &text))
		return false;
	if (x->y->o.python)
		return true;
	while (end < text.len && !byte_is_space(text.ptr[end]))
		end++;
	yq_set(x->y, root, prefixed(x->y, "+p_", bytes_slice(text, 0, end)),
	       yq_text(x->y, bytes_trim(bytes_slice(text, end, text.len))));
	return true;
}

static bool read_document(struct xml *x, struct yaml_node *root)
{
	bool any = false;

	for (;;) {
		skip_space(x);
		if (x->at >= x->s.len)
			return any || fail(x, "no element found", x->at);
		bool ok;

		if (see(x, "<?"))
			ok = read_instruction(x, root);
		else if (see(x, "<!--"))
			ok = read_comment(x);
		else if (see(x, "<!DOCTYPE"))
			ok = skip_type(x);
		else if (any)
			ok = fail(x, "junk after document element", x->at);
		else if (x->s.ptr[x->at] != '<')
			ok = fail(x, "syntax error", x->at);
		else
			any = ok = read_element(x, root);
		if (!ok)
			return false;
	}
}

struct yaml_node *yq_read_xml(struct yq *y, struct bytes text, struct buf *error)
{
	struct xml x = { .y = y, .s = text, .comment = buf_in(y->a) };
	struct yaml_node *root = yq_map(y);

	if (bytes_starts(text, BYTES("\xef\xbb\xbf")))
		x.at = 3;
	if (read_document(&x, root)) {
		unmark(root);
		return root;
	}
	struct bytes before = bytes_slice(text, 0, x.error_at);
	const char *nl = bytes_rfind(before, BYTES("\n"));
	size_t line = (size_t)bytes_count(before, '\n') + 1;
	size_t column = nl != NULL ? (size_t)(text.ptr + x.error_at - nl - 1) : x.error_at;

	if (y->o.python)
		buf_printf(error, "%s: line %zu, column %zu", x.error, line, column);
	else
		buf_printf(error, "XML syntax error on line %zu: %s", line, x.error);
	return NULL;
}
