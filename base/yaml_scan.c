/* SPDX-License-Identifier: MIT
 *
 * YAML: comments, white space and scalars.
 */
#include "base/utf8.h"
#include "base/yaml_private.h"

void *yaml_fail(struct yaml_parser *p, const char *error)
{
	if (p->error == NULL) {
		p->error = error;
		p->error_line = p->line;
		p->error_column = yaml_column(p);
	}
	return NULL;
}

void yaml_break(struct yaml_parser *p)
{
	if (yaml_peek(p, 0) == '\r' && yaml_peek(p, 1) == '\n')
		p->at++;
	p->at++;
	p->line++;
	p->bol = p->at;
	if (p->poll != NULL)
		p->poll(p->arg, 1);
}

bool yaml_blank_at(const struct yaml_parser *p, size_t k)
{
	int c = yaml_peek(p, k);

	return c == ' ' || c == '\t' || c == '\n' || c == '\r' ||
	       (c == 0 && (size_t)(p->end - p->at) <= k);
}

bool yaml_at_marker(const struct yaml_parser *p)
{
	if (p->at != p->bol || p->end - p->at < 3)
		return false;
	return (memcmp(p->at, "---", 3) == 0 || memcmp(p->at, "...", 3) == 0) &&
	       yaml_blank_at(p, 3);
}

void yaml_skip_blanks(struct yaml_parser *p)
{
	while (p->at < p->end && byte_is_blank(*p->at))
		p->at++;
}

/* --- comments --- */

/* The comment at the current place, without blanks at its end. */
static struct bytes read_comment(struct yaml_parser *p)
{
	const char *from = p->at;
	size_t len;

	while (p->at < p->end && !yaml_at_break(p))
		p->at++;
	len = (size_t)(p->at - from);
	while (len > 0 && byte_is_blank(from[len - 1]))
		len--;
	return (struct bytes){ from, len };
}

static void add_line(struct yaml_parser *p, struct yaml_comment *c, struct bytes text)
{
	if (c->lines.arena == NULL) {
		c->lines = buf_in(p->arena);
		buf_add(&c->lines, c->text);
	}
	buf_putc(&c->lines, '\n');
	buf_add(&c->lines, text);
	c->text = buf_bytes(&c->lines);
}

static void add_comment(struct yaml_parser *p, struct bytes text, uint32_t column, bool blank)
{
	struct yaml_comment *last = p->ncomments > 0 ? &p->comments[p->ncomments - 1] : NULL;

	if (last != NULL && !blank && last->column == column) {
		add_line(p, last, text);
		return;
	}
	if (last != NULL)
		last->before_blank = blank;
	if (p->ncomments == p->comments_cap) {
		size_t cap = p->comments_cap * 2 + 4;

		p->comments = arena_grow(p->arena, p->comments,
					 p->comments_cap * sizeof(*p->comments),
					 cap * sizeof(*p->comments));
		p->comments_cap = cap;
	}
	p->comments[p->ncomments++] = (struct yaml_comment){ .text = text,
							     .column = column,
							     .after_blank = blank };
}

bool yaml_skip(struct yaml_parser *p)
{
	bool fresh = p->at == p->bol; /* only white space in this line so far */
	bool blank = false;
	size_t before = p->ncomments;

	for (;;) {
		bool tabs = false;

		for (; p->at < p->end && byte_is_blank(*p->at); p->at++)
			tabs |= fresh && *p->at == '\t';
		if (yaml_peek(p, 0) == '#' && (p->at == p->bol || byte_is_space(p->at[-1]))) {
			uint32_t column = yaml_column(p);
			struct bytes text = read_comment(p);

			if (!fresh && p->last != NULL && p->last->tail.len == 0)
				p->last->tail = text;
			else
				add_comment(p, text, column, blank);
			blank = false;
		} else if (yaml_at_break(p)) {
			blank |= fresh;
		} else {
			if (tabs && p->at < p->end)
				return yaml_fail(p, "found character that cannot start any token"),
				       false;
			break;
		}
		if (p->at < p->end)
			yaml_break(p);
		fresh = true;
	}
	if (blank && p->ncomments > before)
		p->comments[p->ncomments - 1].before_blank = true;
	return true;
}

struct bytes yaml_take(struct yaml_parser *p, size_t from, size_t to)
{
	struct bytes text = { "", 0 };
	struct buf all = buf_in(p->arena);

	if (from == to)
		return text;
	text = p->comments[from].text;
	if (to - from > 1) {
		buf_add(&all, text);
		for (size_t i = from + 1; i < to; i++) {
			buf_puts(&all, p->comments[i].after_blank ? "\n\n" : "\n");
			buf_add(&all, p->comments[i].text);
		}
		text = buf_bytes(&all);
	}
	memmove(p->comments + from, p->comments + to, (p->ncomments - to) * sizeof(*p->comments));
	p->ncomments -= to - from;
	return text;
}

/* --- scalars --- */

struct yaml_node *yaml_at_node(struct yaml_parser *p, enum yaml_kind kind)
{
	struct yaml_node *n = yaml_new(p->arena, kind, (struct bytes){ "", 0 });

	n->line = p->line + 1;
	n->column = yaml_column(p) + 1;
	return n;
}

/* Folds the breaks from the current one on to the next text: one becomes a blank, more of them
 * one less. Returns how many there were. */
static size_t fold_breaks(struct yaml_parser *p, struct buf *out)
{
	size_t breaks = 0;

	while (yaml_at_break(p)) {
		yaml_break(p);
		breaks++;
		yaml_skip_blanks(p);
	}
	if (breaks == 1)
		buf_putc(out, ' ');
	else
		buf_fill(out, '\n', breaks - 1);
	return breaks;
}

static bool is_flow_mark(int c)
{
	return c == ',' || c == '[' || c == ']' || c == '{' || c == '}';
}

static bool plain_ends(const struct yaml_parser *p, bool flow)
{
	int c = yaml_peek(p, 0);

	if (c == ':')
		return yaml_blank_at(p, 1) || (flow && is_flow_mark(yaml_peek(p, 1)));
	if (c == '#')
		return byte_is_space(p->at[-1]);
	return flow && is_flow_mark(c);
}

/* The rest of a line; blanks at its end are left. */
static struct bytes plain_line(struct yaml_parser *p, bool flow)
{
	const char *from = p->at;
	const char *to = p->at;

	while (p->at < p->end && !yaml_at_break(p) && !plain_ends(p, flow)) {
		if (!byte_is_blank(*p->at))
			to = p->at + 1;
		p->at++;
	}
	p->at = to;
	return (struct bytes){ from, (size_t)(to - from) };
}

struct yaml_node *yaml_plain(struct yaml_parser *p, int indent, bool flow)
{
	struct yaml_node *n = yaml_at_node(p, YAML_SCALAR);
	struct buf text = buf_in(p->arena);

	n->value = plain_line(p, flow);
	for (;;) {
		struct yaml_parser back;

		back = *p;
		yaml_skip_blanks(p);
		if (!yaml_at_break(p)) {
			*p = back;
			break;
		}
		if (text.len == 0)
			buf_add(&text, n->value);
		size_t len = text.len;

		fold_breaks(p, &text);
		if (p->at == p->end || (int)yaml_column(p) <= indent || yaml_at_marker(p) ||
		    *p->at == '#' || plain_ends(p, flow)) {
			text.len = len;
			*p = back;
			break;
		}
		buf_add(&text, plain_line(p, flow));
		n->value = buf_bytes(&text);
	}
	if (text.len > 0)
		n->value = buf_bytes(&text);
	n->tag = yaml_resolve(n->value);
	p->last = n;
	return n;
}

static bool put_hex(struct yaml_parser *p, struct buf *out, int digits)
{
	uint32_t c = 0;
	char utf8[4];

	for (int i = 0; i < digits; i++) {
		int v = byte_digit(yaml_peek(p, 0));

		if (v < 0 || v > 15)
			return yaml_fail(p, "did not find expected hexdecimal number"), false;
		c = c * 16 + (uint32_t)v;
		p->at++;
	}
	size_t len = utf8_encode(c, utf8);

	if (len == 0)
		return yaml_fail(p, "found invalid Unicode character escape code"), false;
	buf_put(out, utf8, len);
	return true;
}

/* Behind a backslash. */
static bool put_escape(struct yaml_parser *p, struct buf *out)
{
	static const char letters[] = "0abtnvfre \"/\\N_LP\t";
	static const char *const texts[] = { "\0",           "\a",       "\b",       "\t",
					     "\n",           "\v",       "\f",       "\r",
					     "\x1b",         " ",        "\"",       "/",
					     "\\",           "\xc2\x85", "\xc2\xa0", "\xe2\x80\xa8",
					     "\xe2\x80\xa9", "\t" };
	int c = yaml_peek(p, 0);
	const char *found = c != 0 ? strchr(letters, c) : NULL;

	if (yaml_at_break(p)) {
		yaml_break(p);
		yaml_skip_blanks(p);
		while (yaml_at_break(p)) {
			yaml_break(p);
			yaml_skip_blanks(p);
			buf_putc(out, '\n');
		}
		return true;
	}
	if (p->at < p->end)
		p->at++;
	if (found != NULL) {
		const char *text = texts[found - letters];

		buf_put(out, text, c == '0' ? 1 : strlen(text));
		return true;
	}
	if (c == 'x' || c == 'u' || c == 'U')
		return put_hex(p, out, c == 'x' ? 2 : c == 'u' ? 4 : 8);
	return yaml_fail(p, "found unknown escape character"), false;
}

/* Where a quoted scalar goes on in another line, blanks around the break are no text. */
static bool fold_quoted(struct yaml_parser *p, struct buf *out)
{
	while (out->len > 0 && byte_is_blank(out->ptr[out->len - 1]) && byte_is_blank(p->at[-1]))
		out->len--, p->at--;
	yaml_skip_blanks(p);
	fold_breaks(p, out);
	if (yaml_at_marker(p))
		return yaml_fail(p, "found unexpected document indicator"), false;
	return true;
}

struct yaml_node *yaml_quoted(struct yaml_parser *p)
{
	struct yaml_node *n = yaml_at_node(p, YAML_SCALAR);
	struct buf text = buf_in(p->arena);
	char quote = *p->at++;

	p->context = "while scanning a quoted scalar";
	p->context_line = n->line - 1;
	p->context_column = n->column - 1;
	for (;;) {
		if (p->at == p->end)
			return yaml_fail(p, "found unexpected end of stream");
		if (yaml_at_break(p)) {
			if (!fold_quoted(p, &text))
				return NULL;
			continue;
		}
		char c = *p->at++;

		if (c == quote && quote == '\'' && yaml_peek(p, 0) == '\'')
			p->at++;
		else if (c == quote)
			break;
		if (c == '\\' && quote == '"') {
			if (!put_escape(p, &text))
				return NULL;
		} else {
			buf_putc(&text, c);
		}
	}
	p->context = NULL;
	n->value = buf_bytes(&text);
	n->style = quote == '"' ? YAML_DOUBLE : YAML_SINGLE;
	n->tag = BYTES("!!str");
	p->last = n;
	return n;
}

/* --- block scalars --- */

struct block {
	int indent; /* 0: not known yet */
	char chomp; /* '-', '+' or 0 */
};

static bool read_header(struct yaml_parser *p, struct block *b, int indent)
{
	for (;; p->at++) {
		int c = yaml_peek(p, 0);

		if (c == '-' || c == '+')
			b->chomp = (char)c;
		else if (c >= '1' && c <= '9')
			b->indent = (indent < 0 ? 0 : indent) + c - '0';
		else
			break;
	}
	return yaml_blank_at(p, 0) ||
	       (yaml_fail(p, "did not find expected comment or line break"), false);
}

/* To the first text of a line at or behind the indentation, counting empty lines. */
static size_t empty_lines(struct yaml_parser *p, struct block *b, int indent)
{
	size_t breaks = 0;
	int widest = 0;

	for (;;) {
		while (yaml_peek(p, 0) == ' ' &&
		       (b->indent == 0 || (int)yaml_column(p) < b->indent))
			p->at++;
		if ((int)yaml_column(p) > widest)
			widest = (int)yaml_column(p);
		if (!yaml_at_break(p))
			break;
		yaml_break(p);
		breaks++;
	}
	if (b->indent == 0) {
		b->indent = widest;
		if (b->indent < indent + 1)
			b->indent = indent + 1;
		if (b->indent < 1)
			b->indent = indent < 0 ? 0 : 1;
	}
	return breaks;
}

static void put_breaks(struct buf *text, bool folded, bool first, bool more, bool was_more,
		       size_t breaks)
{
	if (first)
		buf_fill(text, '\n', breaks);
	else if (!folded || more || was_more)
		buf_fill(text, '\n', breaks);
	else if (breaks == 1)
		buf_putc(text, ' ');
	else
		buf_fill(text, '\n', breaks - 1);
}

struct yaml_node *yaml_block_scalar(struct yaml_parser *p, int indent)
{
	struct yaml_node *n = yaml_at_node(p, YAML_SCALAR);
	struct buf text = buf_in(p->arena);
	struct block b = { 0 };
	bool folded = *p->at++ == '>';
	bool was_more = false;
	bool first = true;
	size_t breaks;

	if (!read_header(p, &b, indent))
		return NULL;
	yaml_skip_blanks(p);
	if (yaml_peek(p, 0) == '#' && byte_is_blank(p->at[-1]))
		n->tail = read_comment(p);
	if (p->at < p->end && !yaml_at_break(p))
		return yaml_fail(p, "did not find expected comment or line break");
	if (p->at < p->end)
		yaml_break(p);
	breaks = empty_lines(p, &b, indent);
	while (p->at < p->end && (int)yaml_column(p) == b.indent && !yaml_at_marker(p)) {
		bool more = byte_is_blank(*p->at);
		const char *from = p->at;

		put_breaks(&text, folded, first, more, was_more, breaks);
		while (p->at < p->end && !yaml_at_break(p))
			p->at++;
		buf_put(&text, from, (size_t)(p->at - from));
		first = false;
		was_more = more;
		breaks = 0;
		if (p->at == p->end)
			break;
		yaml_break(p);
		breaks = 1 + empty_lines(p, &b, indent);
	}
	/* Back to the line's beginning: what is there belongs to others. */
	if (p->at < p->end)
		p->at = p->bol;
	if (b.chomp == '+')
		buf_fill(&text, '\n', breaks);
	else if (b.chomp == 0 && text.len > 0 && (breaks > 0 || first))
		buf_putc(&text, '\n');
	if (first && b.chomp != '+')
		text.len = 0;
	n->value = buf_bytes(&text);
	n->style = folded ? YAML_FOLDED : YAML_LITERAL;
	n->tag = BYTES("!!str");
	p->last = NULL;
	return n;
}
