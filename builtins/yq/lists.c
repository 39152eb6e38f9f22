/* SPDX-License-Identifier: MIT
 *
 * Functions over lists: sorting, grouping, choosing, flattening.
 */
#include "base/sort.h"
#include "builtins/yq/yq.h"

#define HANDLER(name)                                                                              \
	static struct yq_list name(struct yq *y, const struct yq_expr *e, struct yq_list in,       \
				   const struct yq_vars *vars)

static struct yaml_node *list_of(struct yq *y, const struct yq_expr *e, struct yaml_node *n)
{
	n = yq_real_node(y, n);
	if (n->kind != YAML_SEQ)
		yq_fatal(y, "%s: only arrays are supported, got %.*s", e->fn->name, (int)n->tag.len,
			 n->tag.ptr);
	return n;
}

static struct yaml_node *like(struct yq *y, struct yaml_node *n)
{
	struct yaml_node *out = yq_seq(y);

	out->style = n->style;
	out->source = n->source;
	out->head = n->head;
	out->tail = n->tail;
	out->foot = n->foot;
	return out;
}

/* --- sorting --- */

struct item {
	struct yaml_node *n;
	struct yq_list keys;
};

static int compare_items(void *arg, const void *x, const void *z)
{
	struct yq *y = arg;
	const struct item *a = x;
	const struct item *b = z;

	for (size_t i = 0; i < a->keys.n && i < b->keys.n; i++) {
		int cmp = yq_compare(y, a->keys.items[i], b->keys.items[i]);

		if (cmp != 0)
			return cmp;
	}
	return (a->keys.n > b->keys.n) - (a->keys.n < b->keys.n);
}

static void sort_items(struct yq *y, struct item *items, size_t n)
{
	sort_stable(items, n, sizeof *items, arena_array(y->a, n, sizeof *items), compare_items, y);
}

/* The list's items with what the argument (or the item itself) gives to sort by. */
static struct item *keyed(struct yq *y, const struct yq_expr *e, struct yaml_node *n,
			  const struct yq_vars *vars)
{
	struct item *items = arena_array(y->a, n->n + 1, sizeof(*items));

	for (uint32_t i = 0; i < n->n; i++) {
		items[i].n = n->items[i];
		items[i].keys = e->nargs > 0 ? yq_eval_one(y, e->args[0], n->items[i], vars)
					     : yq_list_of(y, n->items[i]);
	}
	return items;
}

HANDLER(fn_sort)
{
	struct yq_list out = { NULL, 0, 0 };

	for (size_t i = 0; i < in.n; i++) {
		struct yaml_node *n = list_of(y, e, in.items[i]);
		struct item *items = keyed(y, e, n, vars);
		struct yaml_node *sorted = like(y, n);

		sort_items(y, items, n->n);
		for (uint32_t k = 0; k < n->n; k++)
			yaml_push(y->a, sorted, yq_copy(y, items[k].n));
		yq_add(y, &out, sorted);
	}
	return out;
}

enum { GROUP, UNIQUE };

/* Groups (or the first of each) in the order of their first members. */
HANDLER(fn_group)
{
	struct yq_list out = { NULL, 0, 0 };

	for (size_t i = 0; i < in.n; i++) {
		struct yaml_node *n = list_of(y, e, in.items[i]);
		struct item *items = keyed(y, e, n, vars);
		struct yaml_node **groups = arena_array(y->a, n->n + 1, sizeof(struct yaml_node *));
		struct yaml_node *result = like(y, n);

		sort_items(y, items, n->n);
		for (uint32_t k = 0; k < n->n; k++) {
			bool same = k > 0 && compare_items(y, &items[k - 1], &items[k]) == 0;
			uint32_t at = items[k].n->index;

			if (same)
				groups[at] = groups[items[k - 1].n->index];
			else
				groups[at] = yq_seq(y);
		}
		for (uint32_t k = 0; k < n->n; k++) {
			struct yaml_node *group = groups[k];

			if (e->fn->arg == UNIQUE && group->n == 0)
				yaml_push(y->a, result, yq_copy(y, n->items[k]));
			else if (e->fn->arg == GROUP && group->n == 0)
				yaml_push(y->a, result, group);
			yaml_push(y->a, e->fn->arg == GROUP ? group : yq_seq(y),
				  yq_copy(y, n->items[k]));
			if (e->fn->arg == UNIQUE)
				group->n = 1;
		}
		yq_add(y, &out, result);
	}
	return out;
}

static void sort_keys(struct yq *y, struct yaml_node *n)
{
	struct item *items;
	size_t count = n->n / 2;

	if (n->kind != YAML_MAP)
		return;
	items = arena_array(y->a, count + 1, sizeof(*items));
	for (size_t i = 0; i < count; i++) {
		items[i].n = n->items[i * 2 + 1];
		items[i].keys = yq_list_of(y, yq_text(y, n->items[i * 2]->value));
		/* The key travels as the second of its own list. */
		yq_add(y, &items[i].keys, yq_null(y));
		items[i].keys.items[1]->twin = n->items[i * 2];
	}
	sort_items(y, items, count);
	for (size_t i = 0; i < count; i++) {
		n->items[i * 2] = items[i].keys.items[1]->twin;
		n->items[i * 2 + 1] = items[i].n;
		n->items[i * 2]->index = (uint32_t)(i * 2);
		n->items[i * 2 + 1]->index = (uint32_t)(i * 2 + 1);
	}
}

HANDLER(fn_sort_keys)
{
	for (size_t i = 0; i < in.n; i++) {
		struct yq_list at = e->nargs > 0 ? yq_eval_one(y, e->args[0], in.items[i], vars)
						 : yq_list_of(y, in.items[i]);

		for (size_t k = 0; k < at.n; k++)
			sort_keys(y, yq_real_node(y, at.items[k]));
	}
	return in;
}

HANDLER(fn_reverse)
{
	struct yq_list out = { NULL, 0, 0 };

	(void)vars;
	for (size_t i = 0; i < in.n; i++) {
		struct yaml_node *n = list_of(y, e, in.items[i]);
		struct yaml_node *r = like(y, n);

		for (uint32_t k = n->n; k-- > 0;)
			yaml_push(y->a, r, yq_copy(y, n->items[k]));
		yq_add(y, &out, r);
	}
	return out;
}

HANDLER(fn_shuffle)
{
	struct yq_list out = { NULL, 0, 0 };

	(void)vars;
	for (size_t i = 0; i < in.n; i++) {
		struct yaml_node *n = yq_copy(y, list_of(y, e, in.items[i]));

		for (uint32_t k = n->n; k > 1; k--) {
			uint32_t other = (uint32_t)(cmd_random(y->c) % k);
			struct yaml_node *swap = n->items[k - 1];

			n->items[k - 1] = n->items[other];
			n->items[other] = swap;
		}
		for (uint32_t k = 0; k < n->n; k++)
			n->items[k]->index = k;
		yq_add(y, &out, n);
	}
	return out;
}

/* arg: the sign that wins. */
HANDLER(fn_extreme)
{
	struct yq_list out = { NULL, 0, 0 };

	for (size_t i = 0; i < in.n; i++) {
		struct yaml_node *n = list_of(y, e, in.items[i]);
		struct item *items = keyed(y, e, n, vars);
		struct item *best = NULL;

		for (uint32_t k = 0; k < n->n; k++)
			if (best == NULL || compare_items(y, &items[k], best) * e->fn->arg > 0)
				best = &items[k];
		yq_add(y, &out, best != NULL ? best->n : yq_null(y));
	}
	return out;
}

/* --- conditions --- */

enum { ALL = 0, ANY = 1 };

HANDLER(fn_any_all)
{
	struct yq_list out = { NULL, 0, 0 };
	bool any = e->fn->arg == ANY;

	for (size_t i = 0; i < in.n; i++) {
		struct yaml_node *n = list_of(y, e, in.items[i]);
		bool result = !any;

		cmd_charge(y->c, n->n / 8 + 1);
		for (uint32_t k = 0; k < n->n; k++) {
			struct yaml_node *v = n->items[k];

			if (e->nargs > 0)
				v = yq_first(y, e->args[0], v, vars);
			if (v != NULL && yq_truth(yq_real_node(y, v)) == any)
				result = any;
		}
		yq_add(y, &out, yq_bool(y, result));
	}
	return out;
}

HANDLER(fn_first)
{
	struct yq_list out = { NULL, 0, 0 };

	for (size_t i = 0; i < in.n; i++) {
		struct yaml_node *n = yq_real_node(y, in.items[i]);
		uint32_t step = n->kind == YAML_MAP ? 2 : 1;

		if (n->kind == YAML_SCALAR)
			yq_fatal(y, "first works on arrays and maps, not on %.*s", (int)n->tag.len,
				 n->tag.ptr);
		for (uint32_t k = 0; k + step <= n->n; k += step) {
			uint32_t at = e->fn->arg == 1 ? n->n - 1 - k : k + step - 1;
			struct yaml_node *item = n->items[at];
			struct yaml_node *v = item;

			if (e->nargs > 0)
				v = yq_first(y, e->args[0], item, vars);
			if (v != NULL && (e->nargs == 0 || yq_truth(v))) {
				yq_add(y, &out, item);
				break;
			}
		}
	}
	return out;
}

/* --- shapes --- */

static void flatten(struct yq *y, struct yaml_node *to, struct yaml_node *from, int64_t depth)
{
	cmd_charge(y->c, 1);
	for (uint32_t i = 0; i < from->n; i++) {
		struct yaml_node *item = yq_real_node(y, from->items[i]);
		bool alias = item != from->items[i];

		if (item->kind == YAML_SEQ && depth != 0) {
			y->in_alias += alias;
			flatten(y, to, item, depth - 1);
			y->in_alias -= alias;
			continue;
		}
		if (y->in_alias > 0 && ++y->expanded > YQ_ALIAS_MAX)
			yq_fatal(y, "document contains excessive aliasing");
		yaml_push(y->a, to, yq_copy(y, from->items[i]));
	}
}

HANDLER(fn_flatten)
{
	struct yq_list out = { NULL, 0, 0 };

	for (size_t i = 0; i < in.n; i++) {
		struct yaml_node *n = list_of(y, e, in.items[i]);
		struct yaml_node *flat = like(y, n);
		int64_t depth = YAML_DEPTH_MAX;

		if (e->nargs > 0) {
			struct yaml_node *d = yq_first(y, e->args[0], in.items[i], vars);

			if (d == NULL || !yq_int(d, &depth))
				yq_fatal(y, "flatten takes a number");
			if (depth < 0 || depth > YAML_DEPTH_MAX)
				depth = YAML_DEPTH_MAX;
		}
		y->in_alias = 0;
		y->expanded = 0;
		flatten(y, flat, n, depth);
		yq_add(y, &out, flat);
	}
	return out;
}

HANDLER(fn_array_to_map)
{
	struct yq_list out = { NULL, 0, 0 };

	(void)vars;
	for (size_t i = 0; i < in.n; i++) {
		struct yaml_node *n = list_of(y, e, in.items[i]);
		struct yaml_node *map = yq_map(y);

		for (uint32_t k = 0; k < n->n; k++) {
			struct yaml_node *key = yq_number(y, k);

			if (yaml_is(n->items[k], "!!null"))
				continue;
			key->is_key = true;
			yaml_push(y->a, map, key);
			yaml_push(y->a, map, yq_copy(y, n->items[k]));
		}
		yq_add(y, &out, map);
	}
	return out;
}

/* Lists of lists are transposed; of lists of maps come maps of lists. */
static struct yaml_node *pivot_maps(struct yq *y, struct yaml_node *n)
{
	struct yaml_node *out = yq_map(y);

	for (uint32_t i = 0; i < n->n; i++) {
		struct yaml_node *map = yq_real_node(y, n->items[i]);

		cmd_charge(y->c, map->n / 8 + 1);
		for (uint32_t k = 0; map->kind == YAML_MAP && k < map->n; k += 2)
			if (yq_get_own(out, map->items[k]->value) == NULL)
				yq_set(y, out, map->items[k]->value, yq_seq(y));
	}
	for (uint32_t k = 0; k < out->n; k += 2)
		for (uint32_t i = 0; i < n->n; i++) {
			struct yaml_node *map = yq_real_node(y, n->items[i]);
			struct yaml_node *v = yq_get_own(map, out->items[k]->value);

			cmd_charge(y->c, map->n / 8 + 1);
			yaml_push(y->a, out->items[k + 1], v != NULL ? yq_copy(y, v) : yq_null(y));
		}
	return out;
}

static struct yaml_node *pivot_lists(struct yq *y, struct yaml_node *n)
{
	struct yaml_node *out = yq_seq(y);
	uint32_t width = 0;

	for (uint32_t i = 0; i < n->n; i++)
		if (yq_real_node(y, n->items[i])->n > width)
			width = yq_real_node(y, n->items[i])->n;
	for (uint32_t k = 0; k < width; k++) {
		struct yaml_node *row = yq_seq(y);

		cmd_charge(y->c, n->n / 4 + 1);
		for (uint32_t i = 0; i < n->n; i++) {
			struct yaml_node *list = yq_real_node(y, n->items[i]);

			yaml_push(y->a, row, k < list->n ? yq_copy(y, list->items[k]) : yq_null(y));
		}
		yaml_push(y->a, out, row);
	}
	return out;
}

HANDLER(fn_pivot)
{
	struct yq_list out = { NULL, 0, 0 };

	(void)vars;
	for (size_t i = 0; i < in.n; i++) {
		struct yaml_node *n = list_of(y, e, in.items[i]);
		cmd_charge(y->c, n->n / 8 + 1);
		bool maps = n->n > 0 && yq_real_node(y, n->items[0])->kind == YAML_MAP;

		yq_add(y, &out, maps ? pivot_maps(y, n) : pivot_lists(y, n));
	}
	return out;
}

/* --- contains --- */

static bool contains(struct yq *y, struct yaml_node *a, struct yaml_node *b, int depth)
{
	cmd_charge(y->c, 1);
	if (depth > YAML_DEPTH_MAX || ++y->expanded > YQ_EXPAND_MAX)
		yq_fatal(y, "document contains excessive aliasing");
	a = yq_real_node(y, a);
	b = yq_real_node(y, b);
	if (a->kind != b->kind)
		return false;
	cmd_charge_bytes(y->c, a->value.len);
	if (a->kind == YAML_SCALAR)
		return yaml_is(a, "!!str") && yaml_is(b, "!!str")
			       ? bytes_find(a->value, b->value) != NULL
			       : yq_equal(y, a, b);
	for (uint32_t i = 0; i < b->n; i += b->kind == YAML_MAP ? 2 : 1) {
		bool found = false;

		if (b->kind == YAML_MAP) {
			struct yaml_node *v = yq_get_own(a, b->items[i]->value);

			found = v != NULL && contains(y, v, b->items[i + 1], depth + 1);
		}
		for (uint32_t k = 0; b->kind == YAML_SEQ && k < a->n && !found; k++)
			found = contains(y, a->items[k], b->items[i], depth + 1);
		if (!found)
			return false;
	}
	return true;
}

HANDLER(fn_contains)
{
	struct yq_list out = { NULL, 0, 0 };

	for (size_t i = 0; i < in.n; i++) {
		struct yaml_node *b = yq_first(y, e->args[0], in.items[i], vars);
		struct yaml_node *a = yq_real_node(y, in.items[i]);

		if (b == NULL)
			continue;
		if (a->kind != yq_real_node(y, b)->kind && a->kind != YAML_SCALAR)
			yq_fatal(y, "%.*s cannot check contained in %.*s", (int)b->tag.len,
				 b->tag.ptr, (int)a->tag.len, a->tag.ptr);
		y->expanded = 0;
		yq_add(y, &out, yq_bool(y, contains(y, a, b, 0)));
	}
	return out;
}

const struct yq_fn yq_fns_lists[] = {
	{ "sort", 0, 0, fn_sort, 0 },
	{ "sort_by", 1, 1, fn_sort, 0 },
	{ "sortBy", 1, 1, fn_sort, 0 },
	{ "sort_keys", 0, 1, fn_sort_keys, 0 },
	{ "sortKeys", 0, 1, fn_sort_keys, 0 },
	{ "group_by", 1, 1, fn_group, GROUP },
	{ "groupBy", 1, 1, fn_group, GROUP },
	{ "unique", 0, 0, fn_group, UNIQUE },
	{ "unique_by", 1, 1, fn_group, UNIQUE },
	{ "uniqueBy", 1, 1, fn_group, UNIQUE },
	{ "reverse", 0, 0, fn_reverse, 0 },
	{ "shuffle", 0, 0, fn_shuffle, 0 },
	{ "min", 0, 0, fn_extreme, -1 },
	{ "max", 0, 0, fn_extreme, 1 },
	{ "min_by", 1, 1, fn_extreme, -1 },
	{ "max_by", 1, 1, fn_extreme, 1 },
	{ "any", 0, 0, fn_any_all, ANY },
	{ "all", 0, 0, fn_any_all, ALL },
	{ "any_c", 1, 1, fn_any_all, ANY },
	{ "all_c", 1, 1, fn_any_all, ALL },
	{ "first", 0, 1, fn_first, 0 },
	{ "last", 0, 0, fn_first, 1 },
	{ "flatten", 0, 1, fn_flatten, 0 },
	{ "array_to_map", 0, 0, fn_array_to_map, 0 },
	{ "pivot", 0, 0, fn_pivot, 0 },
	{ "contains", 1, 1, fn_contains, 0 },
	{ NULL, 0, 0, NULL, 0 },
};
