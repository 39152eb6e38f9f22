/* SPDX-License-Identifier: MIT
 *
 * Java's properties and shell assignments: paths and values, one a line.
 */
#include "builtins/yq/yq.h"

#include "base/utf8.h"

/* --- writing --- */

static void put_comment(struct buf *out, struct bytes comment)
{
	if (comment.len == 0)
		return;
	buf_add(out, comment);
	buf_putc(out, '\n');
}

/* Breaks and backslashes are written as escapes. */
static void put_value(struct buf *out, struct bytes s)
{
	for (size_t i = 0; i < s.len; i++) {
		switch (s.ptr[i]) {
		case '\n': buf_puts(out, "\\n"); break;
		case '\t': buf_puts(out, "\\t"); break;
		case '\r': buf_puts(out, "\\r"); break;
		case '\\': buf_puts(out, "\\\\"); break;
		default: buf_putc(out, s.ptr[i]); break;
		}
	}
}

static void put_name(struct buf *out, struct bytes s)
{
	for (size_t i = 0; i < s.len; i++) {
		if (strchr(" =:", s.ptr[i]) != NULL && s.ptr[i] != '\0')
			buf_putc(out, '\\');
		buf_putc(out, s.ptr[i]);
	}
}

struct props {
	struct yq *y;
	struct buf *out;
	struct buf path;
};

static void put_props(struct props *p, struct yaml_node *n, const struct yaml_node *key)
{
	size_t len = p->path.len;
	uint32_t step = n->kind == YAML_MAP ? 2 : 1;

	cmd_charge(p->y->c, 1 + len / 64 + n->value.len / 16);
	if (n->kind == YAML_SCALAR) {
		if (key != NULL)
			put_comment(p->out, key->head);
		put_comment(p->out, n->head);
		if (n->tail.len > 0)
			put_comment(p->out, n->tail);
		buf_add(p->out, buf_bytes(&p->path));
		buf_puts(p->out, p->y->o.props_separator);
		if (!yaml_is(n, "!!null"))
			put_value(p->out, n->value);
		buf_putc(p->out, '\n');
		return;
	}
	if (key != NULL && n->n > 0)
		put_comment(p->out, key->head);
	for (uint32_t i = 0; i < n->n; i += step) {
		if (len > 0)
			buf_putc(&p->path, '.');
		if (step == 2)
			put_name(&p->path, n->items[i]->value);
		else
			buf_put_u64(&p->path, i);
		put_props(p, n->items[i + step - 1], step == 2 ? n->items[i] : NULL);
		p->path.len = len;
	}
}

void yq_write_props(struct yq *y, struct buf *out, struct yaml_node *n)
{
	struct props p = { y, out, buf_in(y->a) };

	y->expanded = 0;
	n = yq_explode(y, n);
	if (n->kind == YAML_SCALAR) {
		cmd_charge_bytes(y->c, n->value.len);
		buf_add(out, n->value);
		buf_putc(out, '\n');
		return;
	}
	put_props(&p, n, NULL);
}

/* NAME='value': letters that names can't have become '_'. */
static void put_shell(struct props *p, struct yaml_node *n)
{
	size_t len = p->path.len;
	uint32_t step = n->kind == YAML_MAP ? 2 : 1;
	bool plain = true;

	cmd_charge(p->y->c, 1 + len / 64 + n->value.len / 16);
	if (n->kind == YAML_SCALAR) {
		struct bytes v = yaml_is(n, "!!null") ? BYTES("") : n->value;

		buf_add(p->out, len > 0 ? buf_bytes(&p->path) : BYTES("value"));
		buf_putc(p->out, '=');
		for (size_t i = 0; i < v.len; i++)
			plain &= byte_is_alnum(v.ptr[i]) ||
				 (v.ptr[i] != '\0' && strchr("%+,-./:=@_", v.ptr[i]) != NULL);
		if (!plain)
			buf_putc(p->out, '\'');
		for (size_t i = 0; i < v.len; i++)
			if (v.ptr[i] == '\'')
				buf_puts(p->out, "'\"'\"'");
			else
				buf_putc(p->out, v.ptr[i]);
		buf_puts(p->out, plain ? "\n" : "'\n");
		return;
	}
	for (uint32_t i = 0; i < n->n; i += step) {
		if (len > 0)
			buf_putc(&p->path, '_');
		if (step == 1)
			buf_put_u64(&p->path, i);
		for (size_t k = 0; step == 2 && k < n->items[i]->value.len; k++) {
			char c = n->items[i]->value.ptr[k];

			if (len == 0 && k == 0 && byte_is_digit(c))
				buf_putc(&p->path, '_');
			buf_putc(&p->path, byte_is_name(c) ? c : '_');
		}
		put_shell(p, n->items[i + step - 1]);
		p->path.len = len;
	}
}

void yq_write_shell(struct yq *y, struct buf *out, struct yaml_node *n)
{
	struct props p = { y, out, buf_in(y->a) };

	y->expanded = 0;
	put_shell(&p, yq_explode(y, n));
}

/* --- reading --- */

static size_t read_unicode(struct bytes s, size_t at, struct buf *out)
{
	uint32_t c = 0;
	char utf8[4];

	if (s.len - at < 4)
		return 0;
	for (size_t i = 0; i < 4; i++) {
		int v = byte_digit(s.ptr[at + i]);

		if (v < 0 || v > 15)
			return 0;
		c = c * 16 + (uint32_t)v;
	}
	buf_put(out, utf8, utf8_encode(c, utf8));
	return 4;
}

/* Text with escapes up to one of `ends` (or the line's end); where that is. */
static size_t read_part(struct bytes s, size_t at, const char *ends, struct buf *out)
{
	for (; at < s.len && s.ptr[at] != '\n'; at++) {
		char c = s.ptr[at];

		if (c == '\r' && (at + 1 == s.len || s.ptr[at + 1] == '\n'))
			continue;
		if (c != '\0' && strchr(ends, c) != NULL)
			break;
		if (c != '\\' || at + 1 == s.len) {
			buf_putc(out, c);
			continue;
		}
		c = s.ptr[++at];
		if (c == '\n') {
			while (at + 1 < s.len && byte_is_blank(s.ptr[at + 1]))
				at++;
		} else if (c == 'u') {
			at += read_unicode(s, at + 1, out);
		} else {
			buf_putc(out, c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c);
		}
	}
	return at;
}

static void put_at_path(struct yq *y, struct yaml_node *root, struct bytes path,
			struct yaml_node *value, struct bytes comment)
{
	struct yaml_node *n = root;
	int depth = 0;

	for (size_t from = 0; from <= path.len; depth++) {
		const char *dot = memchr(path.ptr + from, '.', path.len - from);
		size_t to = dot != NULL ? (size_t)(dot - path.ptr) : path.len;
		struct bytes part = bytes_slice(path, from, to);
		struct yaml_node *key = yaml_scalar(y->a, yaml_resolve(part), part);

		if (!yaml_is(key, "!!int") || n->kind == YAML_MAP)
			key->tag = BYTES("!!str");
		if (depth > 500)
			yq_fatal(y, "properties nest too deeply");
		key->head = dot == NULL ? comment : BYTES("");
		n = yq_child(y, n, key, true);
		if (n == NULL)
			return;
		n = yq_attach(y, n);
		from = to + 1;
	}
	yq_update(y, n, value, false);
}

struct yaml_node *yq_read_props(struct yq *y, struct bytes s)
{
	struct yaml_node *root = yq_map(y);
	struct buf comment = buf_in(y->a);

	for (size_t at = 0; at < s.len;) {
		struct buf name = buf_in(y->a);
		struct buf value = buf_in(y->a);

		cmd_charge(y->c, 1);
		while (at < s.len && byte_is_space(s.ptr[at]))
			at++;
		if (at < s.len && (s.ptr[at] == '#' || s.ptr[at] == '!')) {
			struct buf line = buf_in(y->a);

			at = read_part(s, at + 1, "", &line);
			buf_puts(&comment, comment.len > 0 ? "\n#" : "#");
			buf_add(&comment, buf_bytes(&line));
			continue;
		}
		if (at >= s.len)
			break;
		at = read_part(s, at, "=: \t", &name);
		while (at < s.len && byte_is_blank(s.ptr[at]))
			at++;
		if (at < s.len && (s.ptr[at] == '=' || s.ptr[at] == ':'))
			at++;
		while (at < s.len && byte_is_blank(s.ptr[at]))
			at++;
		at = read_part(s, at, "", &value);
		struct bytes text = buf_bytes(&value);

		put_at_path(y, root, buf_bytes(&name), yaml_scalar(y->a, yaml_resolve(text), text),
			    buf_bytes(&comment));
		comment = buf_in(y->a);
	}
	return root;
}
