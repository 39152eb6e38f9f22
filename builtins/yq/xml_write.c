/* SPDX-License-Identifier: MIT
 *
 * Nodes to XML: the reverse of xml.c.
 */
#include "builtins/yq/yq.h"

struct writer {
	struct yq *y;
	struct buf *out;
	int indent;
};

static void put_text(struct buf *out, struct bytes s)
{
	for (size_t i = 0; i < s.len; i++) {
		switch (s.ptr[i]) {
		case '<': buf_puts(out, "&lt;"); break;
		case '>': buf_puts(out, "&gt;"); break;
		case '&': buf_puts(out, "&amp;"); break;
		default: buf_putc(out, s.ptr[i]); break;
		}
	}
}

/* In the quotes that need fewer escapes. */
static void put_quoted(struct buf *out, struct bytes s, bool python)
{
	bool has_double = memchr(s.ptr, '"', s.len) != NULL;
	char quote = python && has_double && memchr(s.ptr, '\'', s.len) == NULL ? '\'' : '"';

	buf_putc(out, quote);
	for (size_t i = 0; i < s.len; i++) {
		if (s.ptr[i] == '"' && quote == '"')
			buf_puts(out, python ? "&quot;" : "&#34;");
		else if (s.ptr[i] == '\n')
			buf_puts(out, python ? "&#10;" : "&#xA;");
		else
			put_text(out, bytes_slice(s, i, i + 1));
	}
	buf_putc(out, quote);
}

static struct bytes scalar_text(const struct yaml_node *n)
{
	return yaml_is(n, "!!null") ? BYTES("") : n->value;
}

static bool is_attribute(const struct yq *y, struct bytes key)
{
	struct bytes prefix = bytes_of(y->o.attribute_prefix);

	return bytes_starts(key, prefix) && key.len > prefix.len &&
	       !bytes_is(key, y->o.content_name);
}

static bool is_instruction(const struct yq *y, struct bytes key)
{
	return !y->o.python && bytes_starts(key, BYTES("+p_"));
}

static void put_element(struct writer *w, struct bytes name, struct yaml_node *n, int depth);

/* One element, or one for each item of a list. */
static void put_elements(struct writer *w, struct bytes name, struct yaml_node *n, int depth)
{
	n = yq_real_node(w->y, n);
	if (n->kind != YAML_SEQ) {
		put_element(w, name, n, depth);
		return;
	}
	for (uint32_t i = 0; i < n->n; i++) {
		struct yaml_node *item = yq_real_node(w->y, n->items[i]);

		if (item->kind != YAML_SEQ) {
			put_element(w, name, item, depth);
			continue;
		}
		/* A list in a list has no element of its own: its text. */
		struct buf text = buf_in(w->y->a);

		yq_write_json(w->y, &text, item, 0);
		text.len--;
		put_element(w, name, yq_text(w->y, buf_bytes(&text)), depth);
	}
}

static void begin_line(struct writer *w, int depth)
{
	if (w->indent > 0 && (depth > 0 || !w->y->o.python))
		buf_fill(w->out, ' ', (size_t)(depth * w->indent));
}

static void end_line(struct writer *w, int depth)
{
	if ((w->indent > 0 && depth > 0) || (!w->y->o.python && depth == 0))
		buf_putc(w->out, '\n');
}

static void put_comment(struct writer *w, struct bytes comment, int depth)
{
	bool start = true;

	if (comment.len == 0 || comment.ptr[0] != '#')
		return;
	begin_line(w, depth);
	buf_puts(w->out, "<!-- ");
	for (size_t i = 0; i < comment.len; i++) {
		char c = comment.ptr[i];

		if (start && (c == '#' || c == ' '))
			continue;
		start = c == '\n';
		/* "--" would end it. */
		if (c == '-' && i + 1 < comment.len && comment.ptr[i + 1] == '-')
			continue;
		buf_putc(w->out, c);
	}
	buf_puts(w->out, " -->");
	end_line(w, depth);
}

static void put_content(struct writer *w, struct yaml_node *map, int depth)
{
	struct yaml_node *text = yq_get_own(map, bytes_of(w->y->o.content_name));
	bool children = false;

	if (text != NULL && !w->y->o.python)
		put_text(w->out, scalar_text(yq_real_node(w->y, text)));
	for (uint32_t i = 0; i + 1 < map->n; i += 2) {
		struct bytes key = map->items[i]->value;
		struct yaml_node *value = yq_real_node(w->y, map->items[i + 1]);

		if (is_attribute(w->y, key) || bytes_is(key, w->y->o.content_name))
			continue;
		/* An empty list is no child. */
		if (value->kind == YAML_SEQ && value->n == 0)
			continue;
		if (!children && w->indent > 0)
			buf_putc(w->out, '\n');
		children = true;
		put_comment(w, map->items[i]->head, depth + 1);
		put_elements(w, key, map->items[i + 1], depth + 1);
	}
	if (text != NULL && w->y->o.python)
		put_text(w->out, scalar_text(yq_real_node(w->y, text)));
	if (children)
		begin_line(w, depth);
}

static void put_element(struct writer *w, struct bytes name, struct yaml_node *n, int depth)
{
	cmd_charge(w->y->c, 1);
	if (depth > YAML_DEPTH_MAX)
		yq_fatal(w->y, "elements nest too deeply");
	begin_line(w, depth);
	buf_putc(w->out, '<');
	buf_add(w->out, name);
	for (uint32_t i = 0; n->kind == YAML_MAP && i + 1 < n->n; i += 2) {
		struct bytes key = n->items[i]->value;

		if (!is_attribute(w->y, key))
			continue;
		buf_putc(w->out, ' ');
		buf_add(w->out, bytes_slice(key, strlen(w->y->o.attribute_prefix), key.len));
		buf_putc(w->out, '=');
		put_quoted(w->out, scalar_text(yq_real_node(w->y, n->items[i + 1])),
			   w->y->o.python);
	}
	buf_putc(w->out, '>');
	if (n->kind == YAML_MAP)
		put_content(w, n, depth);
	else
		put_text(w->out, scalar_text(n));
	buf_puts(w->out, "</");
	buf_add(w->out, name);
	buf_putc(w->out, '>');
	end_line(w, depth);
}

void yq_write_xml(struct yq *y, struct buf *out, struct yaml_node *n, int indent)
{
	struct writer w = { y, out, indent };

	y->expanded = 0;
	n = yq_explode(y, n);
	if (n->kind == YAML_SCALAR) {
		put_text(out, scalar_text(n));
		buf_putc(out, '\n');
		return;
	}
	if (n->kind != YAML_MAP)
		yq_fatal(y, "cannot encode %.*s to XML - only maps can be encoded", (int)n->tag.len,
			 n->tag.ptr);
	put_comment(&w, n->head, 0);
	for (uint32_t i = 0; i + 1 < n->n; i += 2) {
		struct bytes key = n->items[i]->value;

		if (is_instruction(y, key)) {
			buf_puts(out, "<?");
			buf_add(out, bytes_slice(key, 3, key.len));
			buf_putc(out, ' ');
			buf_add(out, n->items[i + 1]->value);
			buf_puts(out, "?>\n");
			continue;
		}
		put_comment(&w, n->items[i]->head, 0);
		put_elements(&w, key, n->items[i + 1], 0);
	}
	if (out->len == 0 || out->ptr[out->len - 1] != '\n')
		buf_putc(out, '\n');
}
