/* SPDX-License-Identifier: MIT
 *
 * What changes documents: assignments, and deleting.
 */
#include "builtins/yq/yq.h"

static void become(struct yaml_node *n, enum yaml_kind kind, const char *tag)
{
	n->kind = (uint8_t)kind;
	n->tag = bytes_of(tag);
	n->value = BYTES("");
	n->style = YAML_PLAIN;
	n->tagged = false;
}

static struct yaml_node *attach_to_seq(struct yq *y, struct yaml_node *seq, struct yaml_node *n)
{
	int64_t i = 0;

	yq_int(n->name, &i);
	if (i < (int64_t)seq->n)
		return seq->items[i];
	if (i > (1 << 20))
		yq_fatal(y, "index [%lld] is too large", (long long)i);
	while ((int64_t)seq->n < i)
		yaml_push(y->a, seq, yq_null(y));
	n->name = NULL;
	yaml_push(y->a, seq, n);
	return n;
}

static struct yaml_node *attach_to_map(struct yq *y, struct yaml_node *map, struct yaml_node *n)
{
	struct yaml_node *found = yq_get_own(map, n->name->value);
	struct yaml_node *key;

	if (found != NULL)
		return found;
	key = yq_copy(y, n->name);
	key->is_key = true;
	/* A last comment of a list of entries stays the last. */
	if (map->n == 0 && map->style == YAML_FLOW)
		map->style = YAML_PLAIN;
	yaml_push(y->a, map, key);
	n->name = NULL;
	yaml_push(y->a, map, n);
	return n;
}

struct yaml_node *yq_attach(struct yq *y, struct yaml_node *n)
{
	struct yaml_node *parent;

	if (!yq_is_phantom(n))
		return n;
	parent = yq_real_node(y, yq_attach(y, n->parent));
	if (parent->kind == YAML_SCALAR)
		become(parent, yaml_is(n->name, "!!int") ? YAML_SEQ : YAML_MAP,
		       yaml_is(n->name, "!!int") ? "!!seq" : "!!map");
	return parent->kind == YAML_SEQ ? attach_to_seq(y, parent, n) : attach_to_map(y, parent, n);
}

/* --- taking over --- */

static bool own_tag(const struct yaml_node *n)
{
	return n->tagged && !bytes_starts(n->tag, BYTES("!!"));
}

static void take_comments(struct yaml_node *n, const struct yaml_node *from)
{
	if (from->head.len > 0)
		n->head = from->head;
	if (from->tail.len > 0)
		n->tail = from->tail;
	if (from->foot.len > 0)
		n->foot = from->foot;
}

void yq_update(struct yq *y, struct yaml_node *n, struct yaml_node *from, bool clobber)
{
	bool same_kind = n->kind == from->kind;
	struct yaml_node *copy = from;
	bool tag_changes = !bytes_eq(n->tag, from->tag);

	/* What is taken may hold n itself. */
	if (from->n > 0)
		copy = yq_copy(y, from);
	if ((n->kind != YAML_SCALAR && n->n == 0) || tag_changes || !same_kind)
		n->style = from->style;
	else if (n->style == YAML_PLAIN)
		n->style = from->style;
	n->kind = from->kind;
	n->value = from->value;
	n->target = from->target;
	if (clobber || !own_tag(n) || own_tag(from)) {
		n->tag = from->tag;
		n->tagged = from->tagged;
	}
	if (from->anchor.len > 0 && from->kind != YAML_ALIAS)
		n->anchor = from->anchor;
	else if (from->kind == YAML_ALIAS)
		n->anchor = BYTES("");
	take_comments(n, from);
	n->items = copy->items;
	n->n = copy->n;
	n->cap = copy->cap;
	for (uint32_t i = 0; i < n->n; i++)
		n->items[i]->parent = n;
}

void yq_set(struct yq *y, struct yaml_node *map, struct bytes key, struct yaml_node *value)
{
	struct yaml_node *old = yq_get_own(map, key);
	struct yaml_node *name;

	cmd_charge(y->c, map->n / 8 + 1);
	if (old != NULL) {
		value->parent = map;
		value->index = old->index;
		map->items[old->index] = value;
		return;
	}
	name = yq_text(y, key);
	name->is_key = true;
	yaml_push(y->a, map, name);
	yaml_push(y->a, map, value);
}

/* --- deleting --- */

static void remove_gone(struct yaml_node *parent)
{
	uint32_t step = parent->kind == YAML_MAP ? 2 : 1;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < parent->n; i += step) {
		struct yaml_node *key = parent->items[i];
		struct yaml_node *value = parent->items[i + step - 1];

		if (key->gone || value->gone) {
			key->gone = value->gone = false;
			key->parent = value->parent = NULL;
			continue;
		}
		for (uint32_t k = 0; k < step; k++, kept++) {
			parent->items[kept] = parent->items[i + k];
			parent->items[kept]->index = kept;
		}
	}
	parent->n = kept;
}

void yq_delete(struct yq *y, struct yq_list gone)
{
	for (size_t i = 0; i < gone.n; i++)
		gone.items[i]->gone = gone.items[i]->parent != NULL &&
				      !yq_is_phantom(gone.items[i]);
	for (size_t i = 0; i < gone.n; i++) {
		struct yaml_node *n = gone.items[i];

		if (!n->gone)
			continue;
		cmd_charge(y->c, n->parent->n / 4 + 1);
		remove_gone(n->parent);
	}
}

/* --- assignments --- */

static void assign_to(struct yq *y, const struct yq_expr *e, struct yaml_node *n,
		      struct yaml_node *value)
{
	n = yq_attach(y, n);
	yq_update(y, n, value, e->flags & YQ_CLOBBER);
}

/* a = b for one input: the first of b goes to all of a. */
static void assign_plain(struct yq *y, const struct yq_expr *e, struct yq_list in,
			 const struct yq_vars *vars)
{
	struct yq_list l = yq_eval(y, e->l, in, vars);
	struct yq_list r = yq_eval(y, e->r, in, vars);
	/* As it was before: it may hold what is assigned to. */
	struct yaml_node *value = r.n > 0 ? yq_copy(y, r.items[0]) : NULL;

	for (size_t i = 0; i < l.n && value != NULL; i++)
		assign_to(y, e, l.items[i], yq_copy(y, value));
}

static void assign_relative(struct yq *y, const struct yq_expr *e, struct yq_list in,
			    const struct yq_vars *vars)
{
	struct yq_list l = yq_eval(y, e->l, in, vars);

	for (size_t i = 0; i < l.n; i++) {
		struct yaml_node *value = yq_first(y, e->r, l.items[i], vars);

		if (value != NULL && value != l.items[i])
			assign_to(y, e, l.items[i], yq_copy(y, value));
	}
}

static void assign_compound(struct yq *y, const struct yq_expr *e, struct yq_list in,
			    const struct yq_vars *vars)
{
	struct yq_list l = yq_eval(y, e->l, in, vars);
	struct yq_list r = yq_eval(y, e->r, in, vars);

	for (size_t i = 0; i < l.n; i++)
		for (size_t k = 0; k < r.n; k++) {
			struct yaml_node *n = l.items[i];
			struct yaml_node *value;

			if (e->binary != NULL)
				value = e->binary(y, e, n, r.items[k]);
			else
				value = yq_truth(yq_real_node(y, n)) ? n : r.items[k];
			if (value != NULL && value != n)
				assign_to(y, e, n, yq_copy(y, value));
			else if (yq_is_phantom(n) && e->binary == NULL)
				yq_attach(y, n);
		}
}

/* Comments, styles, tags and anchors: meta.c has what they do; arg: a node and its value. */
static void assign_attribute(struct yq *y, const struct yq_expr *e, struct yq_list in,
			     const struct yq_vars *vars)
{
	struct yq_list l = yq_eval(y, e->l, in, vars);
	struct yaml_node *value = NULL;

	if (!(e->flags & YQ_RELATIVE)) {
		struct yq_list r = yq_eval(y, e->r, in, vars);

		value = r.n > 0 ? r.items[0] : yq_text(y, BYTES(""));
	}
	for (size_t i = 0; i < l.n; i++) {
		struct yq_list pair = { NULL, 0, 0 };
		struct yaml_node *v = value;

		if (v == NULL)
			v = yq_first(y, e->r, l.items[i], vars);
		yq_add(y, &pair, yq_attach(y, l.items[i]));
		yq_add(y, &pair, v != NULL ? yq_real_node(y, v) : yq_text(y, BYTES("")));
		e->fn->run(y, e, pair, vars);
	}
}

struct yq_list yq_assign(struct yq *y, const struct yq_expr *e, struct yq_list in,
			 const struct yq_vars *vars)
{
	bool together = yq_together(y, in);

	for (size_t i = 0; i < (together && in.n > 0 ? 1 : in.n); i++) {
		struct yq_list one = together ? in : yq_list_of(y, in.items[i]);

		switch ((enum yq_op)e->op) {
		case YQ_ASSIGN: assign_plain(y, e, one, vars); break;
		case YQ_UPDATE: assign_relative(y, e, one, vars); break;
		case YQ_COMPOUND: assign_compound(y, e, one, vars); break;
		default: assign_attribute(y, e, one, vars); break;
		}
	}
	return in;
}
