/* SPDX-License-Identifier: MIT
 *
 * Nodes to TOML: a table's values, then its tables and lists of tables.
 */
#include "builtins/yq/yq.h"

struct writer {
	struct yq *y;
	struct buf *out;
	struct buf path; /* of the table that is written */
};

static void put_string(struct buf *out, struct bytes s)
{
	static const char codes[] = "\b\t\n\f\r\"\\";
	static const char letters[] = "btnfr\"\\";

	buf_putc(out, '"');
	for (size_t i = 0; i < s.len; i++) {
		char c = s.ptr[i];
		const char *found = c != '\0' ? strchr(codes, c) : NULL;

		if (found != NULL)
			buf_printf(out, "\\%c", letters[found - codes]);
		else if ((unsigned char)c < ' ' || c == 0x7f)
			buf_printf(out, "\\u%04x", (unsigned)(unsigned char)c);
		else
			buf_putc(out, c);
	}
	buf_putc(out, '"');
}

static void put_key(struct buf *out, struct bytes s)
{
	bool bare = s.len > 0;

	for (size_t i = 0; i < s.len; i++)
		bare &= byte_is_name(s.ptr[i]) || s.ptr[i] == '-';
	if (bare)
		buf_add(out, s);
	else
		put_string(out, s);
}

static bool is_nothing(const struct yaml_node *n)
{
	return n->kind == YAML_SCALAR && yaml_is(n, "!!null");
}

static void put_scalar(struct writer *w, const struct yaml_node *n)
{
	double d;

	if (yaml_is(n, "!!bool")) {
		buf_puts(w->out, yq_truth(n) ? "true" : "false");
	} else if (yaml_is(n, "!!float") && yq_double(n, &d) && d - d != 0) {
		buf_puts(w->out, d != d ? "nan" : d > 0 ? "inf" : "-inf");
	} else if (yaml_is(n, "!!float") && n->value.ptr[0] == '.') {
		buf_putc(w->out, '0');
		buf_add(w->out, n->value);
	} else if (yq_is_number(n) || yaml_is(n, "!!timestamp")) {
		buf_add(w->out, n->value);
	} else {
		put_string(w->out, n->value);
	}
}

static void put_value(struct writer *w, struct yaml_node *n)
{
	bool python = w->y->o.python;
	bool any = false;

	cmd_charge(w->y->c, 1);
	if (n->kind == YAML_SCALAR) {
		put_scalar(w, n);
	} else if (n->kind == YAML_SEQ) {
		buf_putc(w->out, '[');
		for (uint32_t i = 0; i < n->n; i++) {
			if (is_nothing(n->items[i]))
				continue;
			if (python || any)
				buf_putc(w->out, ' ');
			put_value(w, n->items[i]);
			any = true;
			if (python || i + 1 < n->n)
				buf_putc(w->out, ',');
		}
		buf_putc(w->out, ']');
	} else {
		buf_puts(w->out, n->n > 0 ? "{ " : "{");
		for (uint32_t i = 0; i + 1 < n->n; i += 2) {
			if (is_nothing(n->items[i + 1]))
				continue;
			buf_puts(w->out, any ? ", " : "");
			any = true;
			put_key(w->out, n->items[i]->value);
			buf_puts(w->out, " = ");
			put_value(w, n->items[i + 1]);
		}
		buf_puts(w->out, n->n > 0 ? " }" : "}");
	}
}

/* A list of nothing but maps, which becomes [[tables]]. */
static bool is_tables(const struct yaml_node *n)
{
	if (n->kind != YAML_SEQ || n->n == 0 || n->style == YAML_FLOW)
		return false;
	for (uint32_t i = 0; i < n->n; i++)
		if (n->items[i]->kind != YAML_MAP)
			return false;
	return true;
}

/* A map with a header of its own; an inline one stays a value. */
static bool is_table(const struct yaml_node *n)
{
	return n->kind == YAML_MAP && (n->style != YAML_FLOW || n->n == 0);
}

static void put_comment(struct writer *w, struct bytes comment)
{
	if (comment.len == 0)
		return;
	buf_add(w->out, comment);
	buf_putc(w->out, '\n');
}

static void put_table(struct writer *w, struct yaml_node *n);

/* A header and what is below it. An empty line stands before it, unless it is the first,
 * or close to what is above. */
static void put_headed(struct writer *w, struct yaml_node *key, struct yaml_node *n, bool list,
		       bool close)
{
	size_t len = w->path.len;
	bool values = false;

	for (uint32_t i = 1; i < n->n; i += 2)
		values |= !is_table(n->items[i]) && !is_tables(n->items[i]);
	if (len > 0)
		buf_putc(&w->path, '.');
	put_key(&w->path, key->value);
	/* A table of nothing but tables needs no header. */
	if (values || n->n == 0 || list) {
		if (w->out->len > 0 && !close)
			buf_putc(w->out, '\n');
		put_comment(w, key->head);
		buf_puts(w->out, list ? "[[" : "[");
		buf_add(w->out, buf_bytes(&w->path));
		buf_puts(w->out, list ? "]]\n" : "]\n");
	}
	put_table(w, n);
	w->path.len = len;
}

static void put_table(struct writer *w, struct yaml_node *n)
{
	cmd_charge(w->y->c, n->n + w->path.len / 64 + 1);
	for (uint32_t i = 0; i + 1 < n->n; i += 2) {
		struct yaml_node *value = n->items[i + 1];

		if (is_table(value) || is_tables(value) || is_nothing(value))
			continue;
		put_comment(w, n->items[i]->head);
		put_key(w->out, n->items[i]->value);
		buf_puts(w->out, " = ");
		put_value(w, value);
		if (value->tail.len > 0) {
			buf_putc(w->out, ' ');
			buf_add(w->out, value->tail);
		}
		buf_putc(w->out, '\n');
	}
	/* In their order, or lists of tables first, and those close to the values. */
	bool close = w->y->o.python;

	for (int round = 0; round < (w->y->o.python ? 2 : 1); round++)
		for (uint32_t i = 0; i + 1 < n->n; i += 2) {
			struct yaml_node *value = n->items[i + 1];
			bool lists = is_tables(value);

			if (w->y->o.python && lists != (round == 0))
				continue;
			for (uint32_t k = 0; lists && k < value->n; k++)
				put_headed(w, n->items[i], value->items[k], true, close && k == 0);
			close = close && !lists;
			if (is_table(value))
				put_headed(w, n->items[i], value, false, false);
		}
}

void yq_write_toml(struct yq *y, struct buf *out, struct yaml_node *n)
{
	struct writer w = { y, out, buf_in(y->a) };

	y->expanded = 0;
	n = yq_explode(y, n);
	if (n->kind == YAML_SCALAR) {
		buf_add(out, n->value);
		buf_putc(out, '\n');
	} else if (n->kind != YAML_MAP) {
		yq_fatal(y, "only maps can be written as TOML, this is %.*s", (int)n->tag.len,
			 n->tag.ptr);
	} else {
		put_table(&w, n);
		put_comment(&w, n->foot);
	}
}
