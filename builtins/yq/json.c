/* SPDX-License-Identifier: MIT
 *
 * JSON: texts to nodes, and nodes to texts. Numbers keep the text they have.
 */
#include "builtins/yq/yq.h"

#include "base/json.h"
#include "base/utf8.h"

/* --- writing --- */

struct writer {
	struct yq *y;
	struct buf *out;
	int indent; /* 0: no white space */
};

static void new_line(struct writer *w, int depth)
{
	if (w->indent == 0)
		return;
	buf_putc(w->out, '\n');
	buf_fill(w->out, ' ', (size_t)(depth * w->indent));
}

static void put_string(struct writer *w, struct bytes s)
{
	struct bytes text = s;

	cmd_charge(w->y->c, s.len / 16);
	if (!utf8_valid(s)) {
		struct buf b = buf_in(w->y->a);

		json_put_utf8(&b, s);
		text = buf_bytes(&b);
	}
	json_put_string(w->out, text, false);
}

static bool is_json_number(struct bytes s)
{
	size_t i = s.len > 0 && s.ptr[0] == '-';

	/* "007" and "1." are none. */
	if (i == s.len || !byte_is_digit(s.ptr[i]) ||
	    (s.ptr[i] == '0' && i + 1 < s.len && byte_is_digit(s.ptr[i + 1])) ||
	    !byte_is_digit(s.ptr[s.len - 1]))
		return false;
	for (; i < s.len; i++)
		if (!byte_is_digit(s.ptr[i]) && s.ptr[i] != '.' && s.ptr[i] != 'e' &&
		    s.ptr[i] != 'E' && s.ptr[i] != '-' && s.ptr[i] != '+')
			return false;
	return true;
}

static void put_number(struct writer *w, const struct yaml_node *n)
{
	int64_t i;
	double d;

	if (yaml_is(n, "!!int") && yq_int(n, &i))
		buf_put_i64(w->out, i);
	else if (yaml_is(n, "!!int") && is_json_number(n->value))
		buf_add(w->out, n->value);
	else if (!yq_double(n, &d))
		put_string(w, n->value);
	else if (d - d != 0 && !w->y->o.python)
		yq_fatal(w->y, "json: unsupported value: %s",
			 d != d  ? "NaN"
			 : d > 0 ? "+Inf"
				 : "-Inf");
	else if (d != d)
		buf_puts(w->out, "NaN");
	else if (d - d != 0)
		buf_puts(w->out, d > 0 ? "1.7976931348623157e+308" : "-1.7976931348623157e+308");
	else
		json_put_number(w->out, d);
}

static void put_scalar(struct writer *w, const struct yaml_node *n)
{
	if (yaml_is(n, "!!null"))
		buf_puts(w->out, "null");
	else if (yaml_is(n, "!!bool"))
		buf_puts(w->out, yq_truth(n) ? "true" : "false");
	else if (yq_is_number(n))
		put_number(w, n);
	else
		put_string(w, n->value);
}

static void put_node(struct writer *w, struct yaml_node *n, int depth)
{
	bool map = n->kind == YAML_MAP;

	cmd_charge(w->y->c, 1);
	if (n->kind == YAML_SCALAR) {
		put_scalar(w, n);
		return;
	}
	buf_putc(w->out, map ? '{' : '[');
	for (uint32_t i = 0; i < n->n; i++) {
		if (i > 0)
			buf_putc(w->out, ',');
		new_line(w, depth + 1);
		if (map) {
			put_string(w, n->items[i++]->value);
			buf_puts(w->out, w->indent > 0 ? ": " : ":");
		}
		put_node(w, n->items[i], depth + 1);
	}
	if (n->n > 0)
		new_line(w, depth);
	buf_putc(w->out, map ? '}' : ']');
}

void yq_write_json(struct yq *y, struct buf *out, struct yaml_node *n, int indent)
{
	struct writer w = { y, out, indent };

	y->expanded = 0;
	put_node(&w, yq_explode(y, n), 0);
	buf_putc(out, '\n');
}

/* --- reading --- */

static struct yaml_node *node_of(struct yq *y, struct json_mem *m, struct json v)
{
	struct yaml_node *n;
	struct buf b = buf_in(y->a);

	cmd_charge(y->c, 1);
	switch ((enum json_kind)v.kind) {
	case JSON_NONE:
	case JSON_NULL: return yq_null(y);
	case JSON_FALSE:
	case JSON_TRUE: return yq_bool(y, v.kind == JSON_TRUE);
	case JSON_NUMBER:
	case JSON_LITERAL:
		if (v.kind == JSON_LITERAL && memchr(v.u.lit->ptr, 'E', v.u.lit->len) != NULL)
			return yq_real(y, json_num(v));
		json_print(m, &b, v, NULL);
		return yaml_scalar(y->a, yaml_resolve(buf_bytes(&b)), buf_bytes(&b));
	case JSON_STRING: return yq_text(y, arena_bytes(y->a, json_text(v)));
	case JSON_ARRAY:
		n = yq_seq(y);
		for (size_t i = 0; i < json_len(v); i++)
			yaml_push(y->a, n, node_of(y, m, json_at(v, i)));
		break;
	default:
		n = yq_map(y);
		for (size_t i = json_next_slot(v, 0); i < v.u.obj->used;
		     i = json_next_slot(v, i + 1)) {
			struct json_str *key = v.u.obj->slots[i].key;
			struct yaml_node *name = yq_text(
				y, arena_bytes(y->a, (struct bytes){ key->ptr, key->len }));

			name->is_key = true;
			yaml_push(y->a, n, name);
			yaml_push(y->a, n, node_of(y, m, v.u.obj->slots[i].val));
		}
		break;
	}
	if (n->n == 0)
		n->style = YAML_FLOW;
	return n;
}

static int depth_of(struct json v, int depth)
{
	int deepest = depth;

	if (depth > YAML_DEPTH_MAX || v.kind < JSON_ARRAY)
		return depth;
	for (size_t i = 0; v.kind == JSON_ARRAY && i < json_len(v); i++) {
		int d = depth_of(json_at(v, i), depth + 1);

		deepest = d > deepest ? d : deepest;
	}
	for (size_t i = 0; v.kind == JSON_OBJECT && i < v.u.obj->used; i++)
		if (v.u.obj->slots[i].key != NULL) {
			int d = depth_of(v.u.obj->slots[i].val, depth + 1);

			deepest = d > deepest ? d : deepest;
		}
	return deepest;
}

struct yaml_node *yq_node_of_json(struct yq *y, struct json_mem *m, struct json v)
{
	if (depth_of(v, 0) > YAML_DEPTH_MAX)
		yq_fatal(y, "exceeded max depth");
	return node_of(y, m, v);
}

static void poll_work(void *arg, uint64_t work)
{
	cmd_charge(arg, work);
}

void yq_read_json(struct yq *y, struct bytes text, const char *name, struct yq_list *out)
{
	struct json_mem *m = arena_zalloc(y->a, sizeof(*m));
	struct json_parser p;
	enum json_next got;
	struct json v;
	bool done = false;

	json_mem_init(m, y->c->pool);
	m->poll = poll_work;
	m->arg = y->c;
	json_parser_init(&p, m);
	json_parser_feed(&p, text);
	while (!done) {
		got = json_parser_next(&p, &v);
		if (got == JSON_MORE) {
			got = json_parser_finish(&p, &v);
			done = true;
		}
		if (got == JSON_ERROR) {
			json_parser_place(&p);
			yq_fatal(y, "bad file '%s': %s at line %zu, column %zu", name, p.error,
				 (size_t)p.line + 1, (size_t)p.column);
		}
		if (got == JSON_VALUE) {
			yq_add(y, out, yq_node_of_json(y, m, v));
			json_put(m, v);
		}
	}
	json_parser_reset(&p);
}
