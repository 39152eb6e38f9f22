/* SPDX-License-Identifier: MIT
 *
 * YAML: writing nodes. Which style a scalar can have is decided as libyaml decides it.
 */
#include "base/utf8.h"
#include "base/yaml.h"

struct emitter {
	struct buf *out;
	const struct yaml_layout *layout;
	size_t bol;      /* where the line begins in out */
	int foot_indent; /* of the foot comment just written, else -1 */
};

/* What a scalar's text allows. */
struct analysis {
	bool multiline;
	bool flow_plain;
	bool block_plain;
	bool single;
	bool block;
};

enum context { IN_BLOCK, IN_FLOW, IN_KEY };

static void emit_inline(struct emitter *e, const struct yaml_node *n, int indent,
			enum context context);
static void emit_block(struct emitter *e, const struct yaml_node *n, int indent, bool compact);

static size_t column(const struct emitter *e)
{
	return e->out->len - e->bol;
}

static void new_line(struct emitter *e)
{
	buf_putc(e->out, '\n');
	e->bol = e->out->len;
	if (e->layout->poll != NULL)
		e->layout->poll(e->layout->arg, 1);
}

/* The beginning of a line; behind a foot comment in the same column an empty one first. */
static void put_indent(struct emitter *e, int indent)
{
	if (e->foot_indent == indent)
		new_line(e);
	e->foot_indent = -1;
	buf_fill(e->out, ' ', (size_t)indent);
}

/* --- comments --- */

static void put_comment(struct emitter *e, struct bytes text, int indent)
{
	if (e->layout->no_comments)
		return;
	for (size_t at = 0; at < text.len;) {
		const char *nl = memchr(text.ptr + at, '\n', text.len - at);
		size_t end = nl != NULL ? (size_t)(nl - text.ptr) : text.len;

		if (end > at) {
			put_indent(e, indent);
			/* The mark of a document's beginning may stand among comments. */
			if (text.ptr[at] != '#' && !bytes_is(bytes_slice(text, at, end), "---"))
				buf_puts(e->out, "# ");
			buf_add(e->out, bytes_slice(text, at, end));
		}
		new_line(e);
		at = end + 1;
	}
	/* Text that ends in a break has an empty line behind it. */
	if (text.len > 0 && text.ptr[text.len - 1] == '\n')
		new_line(e);
}

static void put_foot(struct emitter *e, const struct yaml_node *n, int indent)
{
	if (n->foot.len == 0 || e->layout->no_comments)
		return;
	put_comment(e, n->foot, indent);
	e->foot_indent = indent;
}

static void put_tail(struct emitter *e, const struct yaml_node *n)
{
	if (n->tail.len == 0 || e->layout->no_comments)
		return;
	buf_puts(e->out, n->tail.ptr[0] == '#' ? " " : " # ");
	for (size_t i = 0; i < n->tail.len; i++)
		buf_putc(e->out, n->tail.ptr[i] == '\n' ? ' ' : n->tail.ptr[i]);
}

/* --- scalars --- */

static bool printable(uint32_t c, bool python)
{
	if (c < 0x80)
		return c >= ' ' && c != 0x7f;
	if (c == 0xfeff || (c >= 0x80 && c < 0xa0 && c != 0x85))
		return false;
	return !(python && (c == 0x85 || c == 0x2028 || c == 0x2029));
}

/* Characters that mean something at the beginning, or within a flow collection. */
static void analyse_indicator(struct analysis *a, struct bytes s, size_t at)
{
	char c = s.ptr[at];
	bool then_space = at + 1 >= s.len || byte_is_space(s.ptr[at + 1]);

	if (at == 0 && strchr("#,[]{}&*!|>'\"%@`", c) != NULL)
		a->flow_plain = a->block_plain = false;
	if (at == 0 && c == '-' && then_space)
		a->flow_plain = a->block_plain = false;
	if (strchr(",?[]{}:", c) != NULL)
		a->flow_plain = false;
	if ((c == ':' || (at == 0 && c == '?')) && then_space)
		a->block_plain = false;
	if (c == '#' && at > 0 && byte_is_space(s.ptr[at - 1]))
		a->flow_plain = a->block_plain = false;
}

static struct analysis analyse(struct bytes s, bool python)
{
	struct analysis a = { false, true, true, true, true };
	bool special = false;
	bool tab = false;
	bool space_break = false;
	bool break_space = false;

	if (s.len == 0)
		return (struct analysis){ false, false, true, true, false };
	if (bytes_starts(s, BYTES("---")) || bytes_starts(s, BYTES("...")))
		a.flow_plain = a.block_plain = false;
	for (size_t at = 0; at < s.len;) {
		uint32_t c = (unsigned char)s.ptr[at];
		size_t len = c < 0x80 ? 1 : utf8_decode(s, at, &c);

		if (c < 0x80 && c != 0)
			analyse_indicator(&a, s, at);
		tab |= c == '\t';
		a.multiline |= c == '\n';
		special |= len == 0 || (c == '\t' && python) ||
			   (c != '\n' && c != '\t' && !printable(c, python));
		space_break |= c == '\n' && at > 0 && s.ptr[at - 1] == ' ';
		break_space |= c == ' ' && at > 0 && s.ptr[at - 1] == '\n';
		at += len == 0 ? 1 : len;
	}
	char first = s.ptr[0];
	char last = s.ptr[s.len - 1];

	if (a.multiline || first == ' ' || last == ' ' || tab || special)
		a.flow_plain = a.block_plain = false;
	if (last == ' ' || space_break || special)
		a.block = false;
	if (break_space || space_break || tab || special)
		a.single = false;
	return a;
}

static bool is_old_word(struct bytes s)
{
	static const char *const words[] = { "yes", "no", "on", "off" };

	if (s.len == 0 || s.len > 3)
		return false;
	char low[4] = { 0 };
	bool same = true;

	for (size_t i = 0; i < s.len; i++) {
		low[i] = (char)byte_to_lower(s.ptr[i]);
		same &= i == 0 || byte_is_upper(s.ptr[i]) == byte_is_upper(s.ptr[1]);
	}
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (same && strcmp(low, words[i]) == 0)
			return byte_is_upper(s.ptr[0]) || !byte_is_upper(s.ptr[1]);
	return false;
}

/* Whether a string would be read as something else if it stood there plain. */
static bool needs_quotes(const struct emitter *e, const struct yaml_node *n)
{
	if (!yaml_is(n, "!!str"))
		return false;
	if (e->layout->old_words && is_old_word(n->value))
		return true;
	struct bytes tag = yaml_resolve(n->value);

	if (bytes_is(tag, "!!merge") && n->is_key)
		return n->style != YAML_PLAIN;
	return !bytes_is(tag, "!!str") || (e->layout->python && bytes_is(n->value, "="));
}

static enum yaml_style choose_style(struct emitter *e, const struct yaml_node *n,
				    enum context context)
{
	struct analysis a = analyse(n->value, e->layout->python);
	enum yaml_style style = n->style;

	if (style == YAML_FLOW)
		style = YAML_PLAIN;
	if (style == YAML_PLAIN && a.multiline && !e->layout->python)
		style = YAML_LITERAL;
	if (style == YAML_PLAIN && needs_quotes(e, n))
		style = e->layout->python ? YAML_SINGLE : YAML_DOUBLE;
	if (style == YAML_PLAIN &&
	    ((context == IN_FLOW ? !a.flow_plain : !a.block_plain) ||
	     (n->value.len == 0 && context != IN_BLOCK && !yaml_is(n, "!!null"))))
		style = YAML_SINGLE;
	if (style == YAML_SINGLE && (!a.single || (context == IN_KEY && a.multiline)))
		style = YAML_DOUBLE;
	if ((style == YAML_LITERAL || style == YAML_FOLDED) && (!a.block || context != IN_BLOCK))
		style = YAML_DOUBLE;
	return style;
}

/* Text with breaks at blanks where the line is full. `allow`: it may be broken at all. */
static bool full(const struct emitter *e, bool allow)
{
	return allow && e->layout->width > 0 && column(e) > (size_t)e->layout->width;
}

static void fold_line(struct emitter *e, int indent)
{
	new_line(e);
	buf_fill(e->out, ' ', (size_t)indent);
}

static void put_plain(struct emitter *e, struct bytes s, int indent, bool allow)
{
	for (size_t i = 0; i < s.len; i++) {
		bool inner = i > 0 && i + 1 < s.len && s.ptr[i + 1] != ' ' && s.ptr[i - 1] != ' ';

		if (s.ptr[i] == ' ' && inner && full(e, allow))
			fold_line(e, indent);
		else
			buf_putc(e->out, s.ptr[i]);
	}
}

static void put_single(struct emitter *e, struct bytes s, int indent, bool allow)
{
	bool breaks = false;

	buf_putc(e->out, '\'');
	for (size_t i = 0; i < s.len; i++) {
		char c = s.ptr[i];
		bool inner = i > 0 && i + 1 < s.len && s.ptr[i + 1] != ' ' && s.ptr[i - 1] != ' ';

		if (c == '\n') {
			if (!breaks)
				new_line(e);
			new_line(e);
			breaks = true;
			continue;
		}
		if (breaks)
			buf_fill(e->out, ' ', (size_t)indent);
		breaks = false;
		if (c == ' ' && inner && full(e, allow)) {
			fold_line(e, indent);
			continue;
		}
		if (c == '\'')
			buf_putc(e->out, '\'');
		buf_putc(e->out, c);
	}
	if (breaks)
		buf_fill(e->out, ' ', (size_t)indent);
	buf_putc(e->out, '\'');
}

static void put_escape(struct buf *out, uint32_t c)
{
	static const char codes[] = "\0\a\b\t\n\v\f\r\x1b\"\\";
	static const char letters[] = "0abtnvfre\"\\";

	for (size_t i = 0; i < sizeof(letters) - 1; i++)
		if ((uint32_t)(unsigned char)codes[i] == c) {
			buf_printf(out, "\\%c", letters[i]);
			return;
		}
	if (c == 0x85 || c == 0xa0 || c == 0x2028 || c == 0x2029)
		buf_printf(out, "\\%c",
			   c == 0x85     ? 'N'
			   : c == 0xa0   ? '_'
			   : c == 0x2028 ? 'L'
					 : 'P');
	else if (c <= 0xff)
		buf_printf(out, "\\x%02x", c);
	else
		buf_printf(out, c <= 0xffff ? "\\u%04x" : "\\U%08x", c);
	for (size_t i = out->len; c > 0x7f && i > 0 && byte_is_xdigit(out->ptr[i - 1]); i--)
		out->ptr[i - 1] = (char)byte_to_upper(out->ptr[i - 1]);
}

static void put_double(struct emitter *e, struct bytes s, int indent, bool allow)
{
	bool broken = false; /* the line, right before this character */
	bool escaped = false;

	buf_putc(e->out, '"');
	for (size_t i = 0; i < s.len;) {
		uint32_t c = (unsigned char)s.ptr[i];
		size_t len = c < 0x80 ? 1 : utf8_decode(s, i, &c);

		if (len == 0) {
			put_escape(e->out, (unsigned char)s.ptr[i++]);
			escaped = true;
			continue;
		}
		if ((c == ' ' || escaped) && !broken && full(e, allow) && i > 0 && i + 1 < s.len) {
			buf_putc(e->out, '\\');
			fold_line(e, indent);
			if (c == ' ')
				buf_putc(e->out, '\\');
			broken = true;
			continue;
		}
		escaped = c == '"' || c == '\\' || !printable(c, e->layout->python);
		broken = false;
		if (escaped)
			put_escape(e->out, c);
		else
			buf_put(e->out, s.ptr + i, len);
		i += len;
	}
	buf_putc(e->out, '"');
}

/* '|' or '>' and hints: an indentation where text begins with a blank, how it ends. */
static void put_block_header(struct emitter *e, struct bytes s, char mark)
{
	buf_putc(e->out, mark);
	if (s.len > 0 && (s.ptr[0] == ' ' || s.ptr[0] == '\n'))
		buf_put_i64(e->out, e->layout->indent);
	if (s.len == 0 || s.ptr[s.len - 1] != '\n')
		buf_putc(e->out, '-');
	else if (s.len == 1 || s.ptr[s.len - 2] == '\n')
		buf_putc(e->out, '+');
}

static void put_block_scalar(struct emitter *e, const struct yaml_node *n, int indent, bool folded)
{
	struct bytes s = n->value;
	bool more = true; /* the line before was indented, or there was none */

	put_block_header(e, s, folded ? '>' : '|');
	put_tail(e, n);
	new_line(e);
	for (size_t at = 0; at < s.len;) {
		const char *nl = memchr(s.ptr + at, '\n', s.len - at);
		size_t end = nl != NULL ? (size_t)(nl - s.ptr) : s.len;
		bool indented = end > at && byte_is_blank(s.ptr[at]);

		/* A single break between lines of a folded text is written as an empty line. */
		if (folded && at > 0 && end > at && !more && !indented)
			new_line(e);
		if (end > at) {
			buf_fill(e->out, ' ', (size_t)indent);
			buf_add(e->out, bytes_slice(s, at, end));
			more = indented;
		}
		new_line(e);
		at = end + 1;
	}
	if (s.len == 0)
		return;
	e->out->len--; /* the caller ends the line */
	e->bol = e->out->len;
}

static void put_scalar(struct emitter *e, const struct yaml_node *n, int indent,
		       enum context context)
{
	bool allow = context != IN_KEY;
	int step = e->layout->indent;

	if (e->layout->poll != NULL && n->value.len >= 1024)
		e->layout->poll(e->layout->arg, n->value.len / 16);
	enum yaml_style style = choose_style(e, n, context);

	switch (style) {
	case YAML_SINGLE: put_single(e, n->value, indent + step, allow); break;
	case YAML_DOUBLE: put_double(e, n->value, indent + step, allow); break;
	case YAML_LITERAL:
	case YAML_FOLDED: put_block_scalar(e, n, indent + step, style == YAML_FOLDED); break;
	default: put_plain(e, n->value, indent + step, allow); break;
	}
}

/* --- properties --- */

static bool tag_shows(const struct yaml_node *n)
{
	if (n->tag.len == 0 || n->kind == YAML_ALIAS)
		return false;
	if (n->tagged)
		return true;
	if (n->kind == YAML_MAP)
		return !yaml_is(n, "!!map");
	if (n->kind == YAML_SEQ)
		return !yaml_is(n, "!!seq");
	if (yaml_is(n, "!!str") || yaml_is(n, "!!merge"))
		return false;
	return !bytes_eq(n->tag, yaml_resolve(n->value));
}

/* "&anchor !tag", a blank before each, and none behind. Returns whether there were any. */
static bool put_props(struct emitter *e, const struct yaml_node *n, bool space)
{
	bool tag = tag_shows(n);

	if (n->anchor.len > 0 && n->kind != YAML_ALIAS) {
		buf_puts(e->out, space ? " &" : "&");
		buf_add(e->out, n->anchor);
		space = true;
	}
	if (tag) {
		if (space)
			buf_putc(e->out, ' ');
		if (n->tag.ptr[0] == '!')
			buf_add(e->out, n->tag);
		else
			buf_printf(e->out, "!<%.*s>", (int)n->tag.len, n->tag.ptr);
	}
	return tag || n->anchor.len > 0;
}

/* --- flow collections --- */

static bool has_comments(const struct yaml_node *n)
{
	if (n->foot.len > 0 && n->style == YAML_FLOW)
		return true;
	for (uint32_t i = 0; i < n->n; i++)
		if (n->items[i]->head.len > 0 || n->items[i]->tail.len > 0)
			return true;
	return false;
}

/* With comments inside, each item has a line of its own. */
static void emit_flow_lines(struct emitter *e, const struct yaml_node *n, int indent)
{
	uint32_t step = n->kind == YAML_MAP ? 2 : 1;
	int inner = indent + e->layout->indent;

	new_line(e);
	for (uint32_t i = 0; i < n->n; i += step) {
		const struct yaml_node *last = n->items[i + step - 1];

		put_comment(e, n->items[i]->head, inner);
		put_indent(e, inner);
		emit_inline(e, n->items[i], inner, IN_FLOW);
		if (step == 2) {
			buf_puts(e->out, ": ");
			emit_inline(e, last, inner, IN_FLOW);
		}
		if (i + step < n->n)
			buf_putc(e->out, ',');
		put_tail(e, last);
		new_line(e);
	}
	if (n->style == YAML_FLOW)
		put_comment(e, n->foot, inner);
	put_indent(e, indent);
}

static void emit_flow(struct emitter *e, const struct yaml_node *n, int indent)
{
	bool map = n->kind == YAML_MAP;

	buf_putc(e->out, map ? '{' : '[');
	if (n->n > 0 && has_comments(n) && !e->layout->no_comments) {
		emit_flow_lines(e, n, indent);
	} else {
		for (uint32_t i = 0; i < n->n; i++) {
			if (i > 0)
				buf_puts(e->out, map && i % 2 == 1 ? ": " : ",");
			if (i > 0 && !(map && i % 2 == 1)) {
				if (full(e, true))
					fold_line(e, indent + e->layout->indent);
				else
					buf_putc(e->out, ' ');
			}
			emit_inline(e, n->items[i], indent, IN_FLOW);
		}
	}
	buf_putc(e->out, map ? '}' : ']');
}

/* A node within a line: scalars, aliases, flow collections. */
static void emit_inline(struct emitter *e, const struct yaml_node *n, int indent,
			enum context context)
{
	size_t before = e->out->len;
	bool empty = n->kind == YAML_SCALAR && n->value.len == 0 && yaml_is(n, "!!null");

	if (put_props(e, n, false) && !empty)
		buf_putc(e->out, ' ');
	if (n->kind == YAML_ALIAS) {
		buf_putc(e->out, '*');
		buf_add(e->out, n->value);
	} else if (n->kind == YAML_SCALAR) {
		put_scalar(e, n, indent, context);
	} else {
		emit_flow(e, n, indent);
	}
	/* Nothing at all leaves no blank behind the ':' or '-' before it. */
	if (e->out->len == before && before > 0 && e->out->ptr[before - 1] == ' ' &&
	    context == IN_BLOCK && before > e->bol)
		e->out->len--;
}

/* --- blocks --- */

static bool is_block(const struct yaml_node *n)
{
	return (n->kind == YAML_MAP || n->kind == YAML_SEQ) && n->style != YAML_FLOW && n->n > 0;
}

/* A block scalar has written its tail in its first line. */
static bool tail_is_written(struct emitter *e, const struct yaml_node *n)
{
	enum yaml_style style;

	if (n->kind != YAML_SCALAR)
		return false;
	style = choose_style(e, n, IN_BLOCK);
	return style == YAML_LITERAL || style == YAML_FOLDED;
}

static void emit_key(struct emitter *e, const struct yaml_node *key, int indent)
{
	bool complex = is_block(key) || (key->kind == YAML_SCALAR && key->value.len > 128) ||
		       tail_is_written(e, key);

	if (!complex) {
		emit_inline(e, key, indent, IN_KEY);
		buf_puts(e->out, key->kind == YAML_ALIAS ? " :" : ":");
		return;
	}
	buf_puts(e->out, "? ");
	if (is_block(key)) {
		emit_block(e, key, indent + e->layout->indent, true);
	} else {
		emit_inline(e, key, indent, IN_BLOCK);
		new_line(e);
	}
	buf_fill(e->out, ' ', (size_t)indent);
	buf_putc(e->out, ':');
}

static void emit_entry(struct emitter *e, const struct yaml_node *key,
		       const struct yaml_node *value, int indent)
{
	bool flat = e->layout->flat_lists && value->kind == YAML_SEQ;

	emit_key(e, key, indent);
	if (is_block(value)) {
		put_props(e, value, true);
		put_tail(e, key->tail.len > 0 ? key : value);
		new_line(e);
		put_comment(e, value->head, indent + e->layout->indent);
		emit_block(e, value, flat ? indent : indent + e->layout->indent, false);
	} else if (value->head.len > 0 && !e->layout->no_comments) {
		put_tail(e, key);
		new_line(e);
		put_comment(e, value->head, indent + e->layout->indent);
		put_indent(e, indent + e->layout->indent);
		emit_inline(e, value, indent, IN_BLOCK);
		if (!tail_is_written(e, value))
			put_tail(e, value);
		new_line(e);
	} else {
		buf_putc(e->out, ' ');
		emit_inline(e, value, indent, IN_BLOCK);
		if (!tail_is_written(e, value))
			put_tail(e, value->tail.len > 0 ? value : key);
		new_line(e);
	}
	put_foot(e, value, indent + e->layout->indent);
	put_foot(e, key, indent);
}

static void emit_item(struct emitter *e, const struct yaml_node *item, int indent)
{
	buf_putc(e->out, '-');
	if (!is_block(item)) {
		buf_putc(e->out, ' ');
		emit_inline(e, item, indent, IN_BLOCK);
		if (!tail_is_written(e, item))
			put_tail(e, item);
		new_line(e);
	} else if (put_props(e, item, true) || item->tail.len > 0) {
		put_tail(e, item);
		new_line(e);
		emit_block(e, item, indent + 2, false);
	} else {
		buf_fill(e->out, ' ', e->layout->indent > 2 ? (size_t)e->layout->indent - 1 : 1);
		emit_block(e, item, indent + (e->layout->indent > 2 ? e->layout->indent : 2), true);
	}
	put_foot(e, item, indent);
}

/* compact: the first line goes on behind "- ". */
static void emit_block(struct emitter *e, const struct yaml_node *n, int indent, bool compact)
{
	uint32_t step = n->kind == YAML_MAP ? 2 : 1;

	for (uint32_t i = 0; i < n->n; i += step) {
		const struct yaml_node *item = n->items[i];

		if (item->head.len > 0 && !e->layout->no_comments) {
			/* "- # comment", then the item in a line of its own. */
			put_comment(e, item->head, compact && i == 0 ? 0 : indent);
			put_indent(e, indent);
		} else if (!(compact && i == 0)) {
			put_indent(e, indent);
		}
		if (step == 2)
			emit_entry(e, item, n->items[i + 1], indent);
		else
			emit_item(e, item, indent);
	}
}

void yaml_emit(struct buf *out, const struct yaml_node *n, const struct yaml_layout *layout)
{
	struct emitter e = { .out = out, .layout = layout, .foot_indent = -1 };

	e.bol = out->len;
	put_comment(&e, n->head, 0);
	if (is_block(n)) {
		if (put_props(&e, n, false))
			new_line(&e);
		emit_block(&e, n, 0, false);
	} else {
		emit_inline(&e, n, 0, IN_BLOCK);
		if (!tail_is_written(&e, n))
			put_tail(&e, n);
		new_line(&e);
	}
	if (n->foot.len > 0 && !layout->no_comments) {
		e.foot_indent = 0;
		put_comment(&e, n->foot, 0);
	}
}
