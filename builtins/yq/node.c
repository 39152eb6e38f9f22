/* SPDX-License-Identifier: MIT
 *
 * Nodes as yq makes them, where they stand, and what aliases and merges amount to.
 */
#include "builtins/yq/yq.h"

#include "base/json.h"

struct yaml_node *yq_null(struct yq *y)
{
	return yaml_scalar(y->a, BYTES("!!null"), BYTES("null"));
}

struct yaml_node *yq_bool(struct yq *y, bool b)
{
	return yaml_scalar(y->a, BYTES("!!bool"), b ? BYTES("true") : BYTES("false"));
}

struct yaml_node *yq_number(struct yq *y, int64_t n)
{
	struct buf b = buf_in(y->a);

	buf_put_i64(&b, n);
	return yaml_scalar(y->a, BYTES("!!int"), buf_bytes(&b));
}

struct yaml_node *yq_real(struct yq *y, double d)
{
	struct buf b = buf_in(y->a);
	bool whole = d == (double)(int64_t)(d < 9e15 && d > -9e15 ? d : 0) && d == d;

	if (d != d)
		buf_puts(&b, ".nan");
	else if (d - d != 0)
		buf_puts(&b, d > 0 ? ".inf" : "-.inf");
	else
		json_put_number(&b, d);
	return yaml_scalar(y->a, whole ? BYTES("!!int") : BYTES("!!float"), buf_bytes(&b));
}

struct yaml_node *yq_text(struct yq *y, struct bytes s)
{
	return yaml_scalar(y->a, BYTES("!!str"), s);
}

struct yaml_node *yq_seq(struct yq *y)
{
	return yaml_new(y->a, YAML_SEQ, BYTES("!!seq"));
}

struct yaml_node *yq_map(struct yq *y)
{
	return yaml_new(y->a, YAML_MAP, BYTES("!!map"));
}

struct yaml_node *yq_copy(struct yq *y, struct yaml_node *n)
{
	struct yaml_node *c = yaml_copy(y->a, n);

	cmd_charge(y->c, n->n + 1);
	c->name = NULL;
	c->is_key = false;
	return c;
}

bool yq_is_number(const struct yaml_node *n)
{
	return n->kind == YAML_SCALAR && (yaml_is(n, "!!int") || yaml_is(n, "!!float"));
}

const char *yq_kind_name(const struct yaml_node *n)
{
	static const char *const names[] = { "scalar", "map", "seq", "alias" };

	return names[n->kind];
}

/* --- where a node stands --- */

struct yaml_node *yq_key_of(struct yq *y, struct yaml_node *n)
{
	if (yq_is_phantom(n))
		return n->name;
	/* Its parent may have become something else since. */
	if (n->parent == NULL || n->index >= n->parent->n || n->parent->items[n->index] != n)
		return NULL;
	if (n->parent->kind == YAML_SEQ)
		return yq_number(y, n->index);
	return n->index % 2 == 0 ? n : n->parent->items[n->index - 1];
}

struct yaml_node *yq_path_of(struct yq *y, struct yaml_node *n)
{
	struct yaml_node *path = yq_seq(y);
	struct yq_list names = { NULL, 0, 0 };

	for (; n != NULL; n = n->parent) {
		struct yaml_node *key = yq_key_of(y, n);

		if (key != NULL)
			yq_add(y, &names, key);
	}
	for (size_t i = names.n; i-- > 0;) {
		struct yaml_node *key = yq_copy(y, names.items[i]);

		key->head = key->tail = key->foot = BYTES("");
		yaml_push(y->a, path, key);
	}
	if (path->n == 0)
		path->style = YAML_FLOW;
	return path;
}

/* --- without aliases and merges --- */

static struct yaml_node *explode(struct yq *y, struct yaml_node *n, int depth);

static void put_merged(struct yq *y, struct yaml_node *to, struct yaml_node *from, int depth)
{
	from = yq_real_node(y, from);
	if (from->kind == YAML_SEQ) {
		/* The first of several wins: it is put last. */
		for (uint32_t i = from->n; i-- > 0;)
			if (yq_real_node(y, from->items[i])->kind == YAML_MAP)
				put_merged(y, to, from->items[i], depth + 1);
		return;
	}
	y->in_alias++;
	from = explode(y, from, depth + 1);
	y->in_alias--;
	for (uint32_t i = 0; from->kind == YAML_MAP && i + 1 < from->n; i += 2)
		yq_set(y, to, from->items[i]->value, from->items[i + 1]);
}

static struct yaml_node *explode_map(struct yq *y, struct yaml_node *n, int depth)
{
	struct yaml_node *out = yaml_new(y->a, YAML_MAP, n->tag);
	bool merges = false;

	for (uint32_t i = 0; i < n->n; i += 2)
		merges |= yaml_is(n->items[i], "!!merge");
	for (uint32_t i = 0; i + 1 < n->n; i += 2) {
		struct yaml_node *value;
		struct yaml_node *own;

		if (yaml_is(n->items[i], "!!merge")) {
			put_merged(y, out, n->items[i + 1], depth);
			continue;
		}
		value = explode(y, n->items[i + 1], depth + 1);
		own = merges ? yq_get_own(out, n->items[i]->value) : NULL;
		if (own != NULL) {
			yq_set(y, out, n->items[i]->value, value);
			continue;
		}
		struct yaml_node *key = explode(y, n->items[i], depth + 1);

		key->is_key = true;
		yaml_push(y->a, out, key);
		yaml_push(y->a, out, value);
	}
	return out;
}

static struct yaml_node *explode(struct yq *y, struct yaml_node *n, int depth)
{
	struct yaml_node *real = yq_real_node(y, n);
	struct yaml_node *out;

	cmd_charge(y->c, 1);
	if (depth > YAML_DEPTH_MAX)
		yq_fatal(y, "aliases nest too deeply");
	y->in_alias += real != n;
	if (y->in_alias > 0 && ++y->expanded > YQ_ALIAS_MAX)
		yq_fatal(y, "document contains excessive aliasing");
	if (real->kind == YAML_MAP) {
		out = explode_map(y, real, depth);
	} else {
		out = yaml_new(y->a, real->kind, real->tag);
		for (uint32_t i = 0; i < real->n; i++)
			yaml_push(y->a, out, explode(y, real->items[i], depth + 1));
	}
	out->style = real->style;
	out->tagged = real->tagged;
	out->value = real->value;
	out->source = n->source;
	out->head = n->head;
	out->tail = n->tail;
	out->foot = n->foot;
	y->in_alias -= real != n;
	return out;
}

struct yaml_node *yq_explode(struct yq *y, struct yaml_node *n)
{
	y->in_alias = 0;
	y->expanded = 0;
	return explode(y, n, 0);
}
