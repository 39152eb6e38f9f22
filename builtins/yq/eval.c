/* SPDX-License-Identifier: MIT
 *
 * Evaluation: paths, pipes, collections, variables.
 */
#include "builtins/yq/yq.h"

/* --- lists and nodes --- */

_Noreturn void yq_fatal(struct yq *y, const char *format, ...)
{
	struct buf b = buf_in(y->a);
	va_list args;

	buf_puts(&b, "Error: ");
	va_start(args, format);
	buf_vprintf(&b, format, args);
	va_end(args);
	buf_putc(&b, '\n');
	cmd_flush(y->c);
	cmd_err_write(y->c, b.ptr, b.len);
	cmd_exit(y->c, 1);
}

void yq_add(struct yq *y, struct yq_list *l, struct yaml_node *n)
{
	if (l->n == l->cap) {
		size_t cap = l->cap == 0 ? 1 : l->cap * 2 + 2;

		l->items = arena_grow(y->a, l->items, l->cap * sizeof(l->items[0]),
				      cap * sizeof(l->items[0]));
		l->cap = cap;
	}
	l->items[l->n++] = n;
}

struct yq_list yq_list_of(struct yq *y, struct yaml_node *n)
{
	struct yq_list l = { NULL, 0, 0 };

	if (n != NULL)
		yq_add(y, &l, n);
	return l;
}

static void append(struct yq *y, struct yq_list *to, struct yq_list more)
{
	for (size_t i = 0; i < more.n; i++)
		yq_add(y, to, more.items[i]);
}

bool yq_truth(const struct yaml_node *n)
{
	if (n->kind != YAML_SCALAR || n->style != YAML_PLAIN)
		return true;
	return !yaml_is(n, "!!null") &&
	       !(yaml_is(n, "!!bool") && byte_to_lower(n->value.ptr[0]) == 'f');
}

struct yaml_node *yq_real_node(struct yq *y, struct yaml_node *n)
{
	struct yaml_node *real = yaml_follow(n);

	if (real == NULL)
		yq_fatal(y, "alias '%.*s' leads to no node", (int)n->value.len, n->value.ptr);
	return real;
}

bool yq_is_phantom(const struct yaml_node *n)
{
	return n->name != NULL;
}

bool yq_together(const struct yq *y, struct yq_list in)
{
	if (!y->o.all)
		return false;
	for (size_t i = 0; i < in.n; i++)
		if (in.items[i]->parent != NULL)
			return false;
	return true;
}

/* --- children --- */

/* A child that is not there: it knows where it would be. */
static struct yaml_node *phantom(struct yq *y, struct yaml_node *parent, struct yaml_node *key)
{
	struct yaml_node *n = yq_null(y);

	n->parent = parent;
	n->source = parent->source;
	n->name = key;
	return n;
}

struct yaml_node *yq_get_own(struct yaml_node *map, struct bytes key)
{
	for (uint32_t i = 0; map->kind == YAML_MAP && i + 1 < map->n; i += 2)
		if (map->items[i]->kind == YAML_SCALAR && bytes_eq(map->items[i]->value, key))
			return map->items[i + 1];
	return NULL;
}

static bool is_merge(const struct yaml_node *key)
{
	return key->kind == YAML_SCALAR && yaml_is(key, "!!merge");
}

static struct yaml_node *get_merged(struct yq *y, struct yaml_node *map, struct bytes key,
				    int depth);

/* In what a "<<" stands for: a map, or a list of them of which the first wins. */
static struct yaml_node *get_in_merge(struct yq *y, struct yaml_node *from, struct bytes key,
				      int depth)
{
	struct yaml_node *found = NULL;

	from = yq_real_node(y, from);
	if (from->kind == YAML_MAP)
		return get_merged(y, from, key, depth);
	for (uint32_t i = 0; from->kind == YAML_SEQ && i < from->n && found == NULL; i++) {
		struct yaml_node *map = yq_real_node(y, from->items[i]);

		if (map->kind == YAML_MAP)
			found = get_merged(y, map, key, depth);
	}
	return found;
}

static struct yaml_node *get_merged(struct yq *y, struct yaml_node *map, struct bytes key,
				    int depth)
{
	struct yaml_node *found = yq_get_own(map, key);

	cmd_charge(y->c, map->n / 8 + 1);
	if (found != NULL || depth > YQ_DEPTH_MAX)
		return found;
	for (uint32_t i = 0; i + 1 < map->n && found == NULL; i += 2)
		if (is_merge(map->items[i]))
			found = get_in_merge(y, map->items[i + 1], key, depth + 1);
	return found;
}

struct yaml_node *yq_get(struct yq *y, struct yaml_node *map, struct bytes key)
{
	map = yq_real_node(y, map);
	return map->kind == YAML_MAP ? get_merged(y, map, key, 0) : NULL;
}

static struct yaml_node *child_of_seq(struct yq *y, struct yaml_node *n, struct yaml_node *key,
				      bool quiet)
{
	int64_t i;

	if (!yq_int(key, &i)) {
		if (quiet)
			return NULL;
		yq_fatal(y,
			 "cannot index array with '%.*s' (strconv.ParseInt: parsing \"%.*s\": "
			 "invalid "
			 "syntax)",
			 (int)key->value.len, key->value.ptr, (int)key->value.len, key->value.ptr);
	}
	if (i < 0 && i + (int64_t)n->n < 0) {
		if (quiet)
			return NULL;
		yq_fatal(y, "index [%lld] out of range, array size is %u", (long long)i, n->n);
	}
	if (i < 0)
		i += n->n;
	return i < (int64_t)n->n ? n->items[i] : phantom(y, n, yq_number(y, i));
}

struct yaml_node *yq_child(struct yq *y, struct yaml_node *n, struct yaml_node *key, bool quiet)
{
	struct yaml_node *real = yq_real_node(y, n);
	struct yaml_node *found;

	key = yq_real_node(y, key);
	if (real->kind == YAML_SEQ)
		return child_of_seq(y, real, key, quiet);
	if (real->kind == YAML_MAP) {
		found = get_merged(y, real, key->value, 0);
		return found != NULL ? found : phantom(y, real, key);
	}
	return yaml_is(real, "!!null") ? phantom(y, real, key) : NULL;
}

static void each(struct yq *y, struct yaml_node *n, struct yq_list *out)
{
	uint32_t step;

	n = yq_real_node(y, n);
	if (n->kind == YAML_SCALAR)
		return;
	step = n->kind == YAML_MAP ? 2 : 1;
	cmd_charge(y->c, n->n / 4 + 1);
	if (++y->depth > YQ_DEPTH_MAX)
		yq_fatal(y, "merges nest too deeply");
	for (uint32_t i = 0; i < n->n; i += step) {
		if (step == 2 && is_merge(n->items[i]))
			each(y, n->items[i + 1], out);
		else
			yq_add(y, out, n->items[i + step - 1]);
	}
	y->depth--;
}

/* Values of all keys that fit a pattern. */
static void each_match(struct yq *y, struct yaml_node *n, struct bytes pattern, struct yq_list *out)
{
	n = yq_real_node(y, n);
	for (uint32_t i = 0; n->kind == YAML_MAP && i < n->n; i += 2)
		if (yq_match(y, n->items[i]->value, pattern))
			yq_add(y, out, n->items[i + 1]);
	if (n->kind == YAML_SEQ && bytes_is(pattern, "*"))
		each(y, n, out);
}

static bool has_wildcard(struct bytes key)
{
	return memchr(key.ptr, '*', key.len) != NULL || memchr(key.ptr, '?', key.len) != NULL;
}

static void child_or_matches(struct yq *y, struct yaml_node *n, struct yaml_node *key, bool quiet,
			     struct yq_list *out)
{
	struct yaml_node *found;

	if (key->kind == YAML_SCALAR && yaml_is(key, "!!str") && has_wildcard(key->value) &&
	    yq_get_own(yq_real_node(y, n), key->value) == NULL) {
		each_match(y, n, key->value, out);
		return;
	}
	found = yq_child(y, n, key, quiet);
	if (found != NULL)
		yq_add(y, out, found);
}

static struct yq_list eval_key(struct yq *y, const struct yq_expr *e, struct yq_list in,
			       const struct yq_vars *vars)
{
	struct yq_list base = yq_eval(y, e->l, in, vars);
	struct yq_list out = { NULL, 0, 0 };
	struct yaml_node *key = yq_text(y, e->text);

	for (size_t i = 0; i < base.n; i++)
		child_or_matches(y, base.items[i], key, e->flags & YQ_OPTIONAL, &out);
	return out;
}

static struct yq_list eval_index(struct yq *y, const struct yq_expr *e, struct yq_list in,
				 const struct yq_vars *vars)
{
	struct yq_list out = { NULL, 0, 0 };

	for (size_t i = 0; i < in.n; i++) {
		struct yq_list base = yq_eval_one(y, e->l, in.items[i], vars);
		struct yq_list keys = yq_eval_one(y, e->r, in.items[i], vars);

		for (size_t b = 0; b < base.n; b++)
			for (size_t k = 0; k < keys.n; k++)
				child_or_matches(y, base.items[b], keys.items[k],
						 e->flags & YQ_OPTIONAL, &out);
	}
	return out;
}

/* --- slices --- */

static int64_t slice_end(struct yq *y, const struct yq_expr *e, struct yaml_node *in, size_t len,
			 int64_t none, const struct yq_vars *vars)
{
	struct yaml_node *n = e != NULL ? yq_first(y, e, in, vars) : NULL;
	int64_t i = none;

	if (n != NULL && !yq_int(n, &i) && !yaml_is(n, "!!null"))
		yq_fatal(y, "slice: '%.*s' is no index", (int)n->value.len, n->value.ptr);
	if (i < 0)
		i += (int64_t)len;
	return i < 0 ? 0 : i > (int64_t)len ? (int64_t)len : i;
}

static struct yaml_node *slice(struct yq *y, const struct yq_expr *e, struct yaml_node *in,
			       struct yaml_node *n, const struct yq_vars *vars)
{
	size_t len;
	struct yaml_node *out;

	n = yq_real_node(y, n);
	len = n->kind == YAML_SEQ ? n->n : n->value.len;
	int64_t from = slice_end(y, e->args[0], in, len, 0, vars);
	int64_t to = slice_end(y, e->args[1], in, len, (int64_t)len, vars);

	if (n->kind == YAML_SCALAR && yaml_is(n, "!!null"))
		return yq_null(y);
	if (n->kind == YAML_SCALAR)
		return yq_text(y, from < to ? bytes_slice(n->value, (size_t)from, (size_t)to)
					    : BYTES(""));
	if (n->kind != YAML_SEQ)
		yq_fatal(y, "cannot slice %s", n->tag.ptr);
	out = yq_seq(y);
	out->style = n->style;
	out->source = n->source;
	for (int64_t i = from; i < to; i++)
		yaml_push(y->a, out, yq_copy(y, n->items[i]));
	return out;
}

static struct yq_list eval_slice(struct yq *y, const struct yq_expr *e, struct yq_list in,
				 const struct yq_vars *vars)
{
	struct yq_list out = { NULL, 0, 0 };

	for (size_t i = 0; i < in.n; i++) {
		struct yq_list base = yq_eval_one(y, e->l, in.items[i], vars);

		for (size_t b = 0; b < base.n; b++)
			yq_add(y, &out, slice(y, e, in.items[i], base.items[b], vars));
	}
	return out;
}

/* --- recursion --- */

static void recurse(struct yq *y, struct yaml_node *n, bool keys, struct yq_list *out)
{
	uint32_t step = n->kind == YAML_MAP ? 2 : 1;

	cmd_charge(y->c, 1);
	yq_add(y, out, n);
	for (uint32_t i = 0; i < n->n; i += step) {
		if (keys && step == 2)
			yq_add(y, out, n->items[i]);
		recurse(y, n->items[i + step - 1], keys, out);
	}
}

static struct yq_list eval_recurse(struct yq *y, const struct yq_expr *e, struct yq_list in)
{
	struct yq_list out = { NULL, 0, 0 };

	for (size_t i = 0; i < in.n; i++)
		recurse(y, in.items[i], e->flags & YQ_KEYS, &out);
	return out;
}

/* --- new collections --- */

static struct yq_list eval_collect(struct yq *y, const struct yq_expr *e, struct yq_list in,
				   const struct yq_vars *vars)
{
	struct yq_list out = { NULL, 0, 0 };
	bool together = yq_together(y, in);
	size_t rounds = together || in.n == 0 ? 1 : in.n;

	for (size_t i = 0; i < rounds; i++) {
		struct yaml_node *seq = yq_seq(y);
		struct yq_list all = { NULL, 0, 0 };

		if (e->l != NULL)
			all = together || in.n == 0 ? yq_eval(y, e->l, in, vars)
						    : yq_eval_one(y, e->l, in.items[i], vars);
		for (size_t k = 0; k < all.n; k++)
			yaml_push(y->a, seq, yq_copy(y, all.items[k]));
		if (in.n > 0)
			seq->source = in.items[i]->source;
		if (seq->n == 0)
			seq->style = YAML_FLOW;
		yq_add(y, &out, seq);
	}
	return out;
}

/* Every map that the keys and values from argument `from` on give, added to copies of `base`. */
static void build_object(struct yq *y, const struct yq_expr *e, size_t from, struct yaml_node *base,
			 struct yaml_node *in, const struct yq_vars *vars, struct yq_list *out)
{
	struct yq_list keys;
	struct yq_list values;

	cmd_charge(y->c, 1);
	if (from == e->nargs) {
		yq_add(y, out, base);
		return;
	}
	keys = yq_eval_one(y, e->args[from], in, vars);
	values = yq_eval_one(y, e->args[from + 1], in, vars);
	for (size_t k = 0; k < keys.n; k++)
		for (size_t v = 0; v < values.n; v++) {
			struct yaml_node *map = base;
			struct yaml_node *key = yq_real_node(y, keys.items[k]);

			if (keys.n * values.n > 1)
				map = yq_copy(y, base);
			yq_set(y, map, key->value, yq_copy(y, values.items[v]));
			build_object(y, e, from + 2, map, in, vars, out);
		}
}

static struct yq_list eval_object(struct yq *y, const struct yq_expr *e, struct yq_list in,
				  const struct yq_vars *vars)
{
	struct yq_list out = { NULL, 0, 0 };

	for (size_t i = 0; i < in.n; i++) {
		struct yaml_node *map = yq_map(y);

		map->source = in.items[i]->source;
		if (e->nargs == 0)
			map->style = YAML_FLOW;
		if (++y->depth > YQ_DEPTH_MAX)
			yq_fatal(y, "expression is nested too deeply");
		build_object(y, e, 0, map, in.items[i], vars, &out);
		y->depth--;
	}
	return out;
}

static struct yq_list eval_string(struct yq *y, const struct yq_expr *e, struct yq_list in,
				  const struct yq_vars *vars)
{
	struct yq_list out = { NULL, 0, 0 };

	for (size_t i = 0; i < in.n; i++) {
		struct buf b = buf_in(y->a);

		for (size_t k = 0; k < e->nargs; k++) {
			struct yaml_node *n = yq_first(y, e->args[k], in.items[i], vars);

			if (n == NULL)
				continue;
			n = yq_real_node(y, n);
			if (n->kind == YAML_SCALAR)
				buf_add(&b, n->value);
			else
				yq_write(y, &b, n, YQ_YAML, 2);
		}
		yq_add(y, &out, yq_text(y, buf_bytes(&b)));
	}
	return out;
}

/* --- variables, control --- */

static struct yq_list eval_var(struct yq *y, const struct yq_expr *e, struct yq_list in,
			       const struct yq_vars *vars)
{
	if (bytes_is(e->text, "ENV"))
		yq_fatal(y, "use env(NAME) or strenv(NAME) for the environment");
	for (; vars != NULL; vars = vars->next)
		if (bytes_eq(vars->name, e->text))
			return vars->value;
	(void)in;
	yq_fatal(y, "variable '%.*s' not found", (int)e->text.len, e->text.ptr);
}

static struct yq_list bound(struct yq *y, const struct yq_expr *bind, const struct yq_expr *rest,
			    struct yaml_node *in, const struct yq_vars *vars)
{
	struct yq_list values = yq_eval_one(y, bind->l, in, vars);
	struct yq_list out = { NULL, 0, 0 };

	for (size_t i = 0; i < values.n; i++) {
		struct yq_vars *v = arena_alloc(y->a, sizeof(*v));

		*v = (struct yq_vars){ vars, bind->text, yq_list_of(y, values.items[i]) };
		append(y, &out, yq_eval_one(y, rest, in, v));
	}
	return out;
}

static struct yq_list eval_pipe(struct yq *y, const struct yq_expr *e, struct yq_list in,
				const struct yq_vars *vars)
{
	struct yq_list out = { NULL, 0, 0 };

	if (e->l->op != YQ_BIND)
		return yq_eval(y, e->r, yq_eval(y, e->l, in, vars), vars);
	for (size_t i = 0; i < in.n; i++)
		append(y, &out, bound(y, e->l, e->r, in.items[i], vars));
	return out;
}

static struct yq_list eval_reduce(struct yq *y, const struct yq_expr *e, struct yq_list in,
				  const struct yq_vars *vars)
{
	struct yq_list items = yq_eval(y, e->l, in, vars);
	struct yq_list acc = yq_eval(y, e->args[0], in.n > 0 ? yq_list_of(y, in.items[0]) : in,
				     vars);

	for (size_t i = 0; i < items.n; i++) {
		struct yq_vars *v = arena_alloc(y->a, sizeof(*v));

		cmd_charge(y->c, 1);
		*v = (struct yq_vars){ vars, e->text, yq_list_of(y, items.items[i]) };
		acc = yq_eval(y, e->args[1], acc, v);
	}
	return acc;
}

static struct yq_list eval_binary(struct yq *y, const struct yq_expr *e, struct yq_list in,
				  const struct yq_vars *vars)
{
	struct yq_list out = { NULL, 0, 0 };
	bool together = yq_together(y, in) || in.n == 0;

	for (size_t i = 0; i < (together ? 1 : in.n); i++) {
		struct yq_list one = together ? in : yq_list_of(y, in.items[i]);
		struct yq_list l = yq_eval(y, e->l, one, vars);
		struct yq_list r = yq_eval(y, e->r, one, vars);

		for (size_t a = 0; a < l.n; a++)
			for (size_t b = 0; b < r.n; b++) {
				struct yaml_node *n = e->binary(y, e, l.items[a], r.items[b]);

				if (n != NULL)
					yq_add(y, &out, n);
			}
	}
	return out;
}

static struct yq_list eval_logic(struct yq *y, const struct yq_expr *e, struct yq_list in,
				 const struct yq_vars *vars)
{
	struct yq_list out = { NULL, 0, 0 };
	bool or = e->op == YQ_OR;

	for (size_t i = 0; i < in.n; i++) {
		struct yq_list l = yq_eval_one(y, e->l, in.items[i], vars);

		for (size_t a = 0; a < l.n; a++) {
			struct yq_list r;

			if (yq_truth(l.items[a]) == or) {
				yq_add(y, &out, yq_bool(y, or));
				continue;
			}
			r = yq_eval_one(y, e->r, in.items[i], vars);
			for (size_t b = 0; b < r.n; b++)
				yq_add(y, &out, yq_bool(y, yq_truth(r.items[b])));
		}
	}
	return out;
}

static struct yq_list eval_alternative(struct yq *y, const struct yq_expr *e, struct yq_list in,
				       const struct yq_vars *vars)
{
	struct yq_list out = { NULL, 0, 0 };

	for (size_t i = 0; i < in.n; i++) {
		struct yq_list l = yq_eval_one(y, e->l, in.items[i], vars);
		size_t before = out.n;

		for (size_t a = 0; a < l.n; a++)
			if (yq_truth(yq_real_node(y, l.items[a])))
				yq_add(y, &out, l.items[a]);
		if (out.n == before)
			append(y, &out, yq_eval_one(y, e->r, in.items[i], vars));
	}
	return out;
}

static struct yq_list eval_if(struct yq *y, const struct yq_expr *e, struct yq_list in,
			      const struct yq_vars *vars)
{
	struct yq_list out = { NULL, 0, 0 };

	for (size_t i = 0; i < in.n; i++) {
		struct yq_list c = yq_eval_one(y, e->args[0], in.items[i], vars);

		for (size_t k = 0; k < c.n; k++) {
			const struct yq_expr *then = e->args[yq_truth(c.items[k]) ? 1 : 2];

			if (then != NULL)
				append(y, &out, yq_eval_one(y, then, in.items[i], vars));
			else
				yq_add(y, &out, in.items[i]);
		}
	}
	return out;
}

static struct yq_list eval_union(struct yq *y, const struct yq_expr *e, struct yq_list in,
				 const struct yq_vars *vars)
{
	struct yq_list out = { NULL, 0, 0 };

	for (size_t i = 0; i < in.n; i++) {
		append(y, &out, yq_eval_one(y, e->l, in.items[i], vars));
		append(y, &out, yq_eval_one(y, e->r, in.items[i], vars));
	}
	return out;
}

static struct yq_list eval_each(struct yq *y, const struct yq_expr *e, struct yq_list in,
				const struct yq_vars *vars)
{
	struct yq_list base = yq_eval(y, e->l, in, vars);
	struct yq_list out = { NULL, 0, 0 };

	for (size_t i = 0; i < base.n; i++)
		each(y, base.items[i], &out);
	return out;
}

static struct yq_list evaluate(struct yq *y, const struct yq_expr *e, struct yq_list in,
			       const struct yq_vars *vars)
{
	switch ((enum yq_op)e->op) {
	case YQ_SELF: return in;
	case YQ_LITERAL: return yq_list_of(y, yq_copy(y, e->value));
	case YQ_STRING: return eval_string(y, e, in, vars);
	case YQ_VAR: return eval_var(y, e, in, vars);
	case YQ_KEY: return eval_key(y, e, in, vars);
	case YQ_INDEX: return eval_index(y, e, in, vars);
	case YQ_SLICE: return eval_slice(y, e, in, vars);
	case YQ_EACH: return eval_each(y, e, in, vars);
	case YQ_RECURSE: return eval_recurse(y, e, in);
	case YQ_COLLECT: return eval_collect(y, e, in, vars);
	case YQ_OBJECT: return eval_object(y, e, in, vars);
	case YQ_PIPE: return eval_pipe(y, e, in, vars);
	case YQ_UNION: return eval_union(y, e, in, vars);
	case YQ_REDUCE: return eval_reduce(y, e, in, vars);
	case YQ_BINARY: return eval_binary(y, e, in, vars);
	case YQ_ASSIGN:
	case YQ_UPDATE:
	case YQ_COMPOUND:
	case YQ_ASSIGN_ATTRIBUTE: return yq_assign(y, e, in, vars);
	case YQ_AND:
	case YQ_OR: return eval_logic(y, e, in, vars);
	case YQ_ALTERNATIVE: return eval_alternative(y, e, in, vars);
	case YQ_IF: return eval_if(y, e, in, vars);
	case YQ_CALL: return e->fn->run(y, e, in, vars);
	case YQ_BLOCK:
	case YQ_BIND: break;
	}
	yq_fatal(y, "'as' must be used with a pipe, e.g. '.a as $x | .b = $x'");
}

struct yq_list yq_eval(struct yq *y, const struct yq_expr *e, struct yq_list in,
		       const struct yq_vars *vars)
{
	struct yq_list out;

	cmd_charge(y->c, in.n / 8 + 1);
	if (++y->depth > YQ_DEPTH_MAX || cmd_stack_left(y->c) < YAML_STACK_NEED)
		yq_fatal(y, "expression is nested too deeply");
	out = evaluate(y, e, in, vars);
	y->depth--;
	return out;
}

struct yq_list yq_eval_one(struct yq *y, const struct yq_expr *e, struct yaml_node *in,
			   const struct yq_vars *vars)
{
	return yq_eval(y, e, yq_list_of(y, in), vars);
}

struct yaml_node *yq_first(struct yq *y, const struct yq_expr *e, struct yaml_node *in,
			   const struct yq_vars *vars)
{
	struct yq_list l = yq_eval_one(y, e, in, vars);

	return l.n > 0 ? l.items[0] : NULL;
}

const struct yq_fn *yq_function(struct bytes name)
{
	static const struct yq_fn *const tables[] = { yq_fns_core, yq_fns_lists, yq_fns_text,
						      yq_fns_meta, yq_fns_code,  yq_fns_time };

	for (size_t t = 0; t < sizeof(tables) / sizeof(tables[0]); t++)
		for (const struct yq_fn *f = tables[t]; f->name != NULL; f++)
			if (bytes_is(name, f->name))
				return f;
	return NULL;
}
