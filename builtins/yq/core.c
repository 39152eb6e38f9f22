/* SPDX-License-Identifier: MIT
 *
 * Functions: choosing, entries, keys and paths, other documents, the environment.
 */
#include "base/utf8.h"
#include "builtins/yq/yq.h"

#define HANDLER(name)                                                                              \
	static struct yq_list name(struct yq *y, const struct yq_expr *e, struct yq_list in,       \
				   const struct yq_vars *vars)

static void append(struct yq *y, struct yq_list *to, struct yq_list more)
{
	for (size_t i = 0; i < more.n; i++)
		yq_add(y, to, more.items[i]);
}

HANDLER(fn_select)
{
	struct yq_list out = { NULL, 0, 0 };

	for (size_t i = 0; i < in.n; i++) {
		struct yq_list c = yq_eval_one(y, e->args[0], in.items[i], vars);
		bool keep = false;

		for (size_t k = 0; k < c.n; k++)
			keep |= yq_truth(yq_real_node(y, c.items[k]));
		if (keep)
			yq_add(y, &out, in.items[i]);
	}
	return out;
}

HANDLER(fn_empty)
{
	(void)y, (void)e, (void)in, (void)vars;
	return (struct yq_list){ NULL, 0, 0 };
}

HANDLER(fn_not)
{
	struct yq_list out = { NULL, 0, 0 };

	(void)e, (void)vars;
	for (size_t i = 0; i < in.n; i++)
		yq_add(y, &out, yq_bool(y, !yq_truth(yq_real_node(y, in.items[i]))));
	return out;
}

HANDLER(fn_error)
{
	struct yaml_node *text = in.n > 0 && e->nargs > 0
					 ? yq_first(y, e->args[0], in.items[0], vars)
				 : in.n > 0 ? in.items[0]
					    : NULL;

	if (text == NULL)
		return in;
	yq_fatal(y, "%.*s", (int)text->value.len, text->value.ptr);
}

/* A collection of what f gives for each item, in the form of the old one. */
static struct yaml_node *mapped(struct yq *y, const struct yq_expr *f, struct yaml_node *n,
				bool filter, const struct yq_vars *vars)
{
	struct yaml_node *out = yq_seq(y);
	uint32_t step = n->kind == YAML_MAP ? 2 : 1;

	for (uint32_t i = 0; i < n->n; i += step) {
		struct yaml_node *item = n->items[i + step - 1];
		struct yq_list r = yq_eval_one(y, f, item, vars);
		bool keep = false;

		for (size_t k = 0; k < r.n && !filter; k++)
			yaml_push(y->a, out, yq_copy(y, r.items[k]));
		for (size_t k = 0; k < r.n && filter; k++)
			keep |= yq_truth(r.items[k]);
		if (keep)
			yaml_push(y->a, out, yq_copy(y, item));
	}
	out->source = n->source;
	out->style = n->style;
	if (n->kind == YAML_SEQ) {
		out->head = n->head;
		out->tail = n->tail;
		out->foot = n->foot;
	}
	if (out->n == 0)
		out->style = YAML_FLOW;
	return out;
}

HANDLER(fn_map)
{
	struct yq_list out = { NULL, 0, 0 };

	for (size_t i = 0; i < in.n; i++) {
		struct yaml_node *n = yq_real_node(y, in.items[i]);

		yq_add(y, &out, mapped(y, e->args[0], n, e->fn->arg == 1, vars));
	}
	return out;
}

HANDLER(fn_map_values)
{
	struct yq_list out = { NULL, 0, 0 };

	for (size_t i = 0; i < in.n; i++) {
		struct yaml_node *n = yq_copy(y, yq_real_node(y, in.items[i]));
		uint32_t step = n->kind == YAML_MAP ? 2 : 1;
		struct yq_list gone = { NULL, 0, 0 };

		for (uint32_t k = 0; k < n->n; k += step) {
			struct yaml_node *item = n->items[k + step - 1];
			struct yaml_node *v = yq_first(y, e->args[0], item, vars);

			if (v == NULL)
				yq_add(y, &gone, item);
			else if (v != item)
				yq_update(y, item, yq_copy(y, v), false);
		}
		yq_delete(y, gone);
		yq_add(y, &out, n);
	}
	return out;
}

/* --- entries --- */

static struct yaml_node *entries(struct yq *y, struct yaml_node *n)
{
	struct yaml_node *out = yq_seq(y);
	uint32_t step = n->kind == YAML_MAP ? 2 : 1;

	out->source = n->source;
	if (n->kind == YAML_SCALAR && !yaml_is(n, "!!null"))
		yq_fatal(y, "%.*s has no keys", (int)n->tag.len, n->tag.ptr);
	for (uint32_t i = 0; i < n->n; i += step) {
		struct yaml_node *entry = yq_map(y);
		struct yaml_node *key = step == 2 ? yq_copy(y, n->items[i]) : yq_number(y, i);

		entry->head = key->head;
		entry->foot = key->foot;
		key->head = key->foot = BYTES("");
		yq_set(y, entry, BYTES("key"), key);
		yq_set(y, entry, BYTES("value"), yq_copy(y, n->items[i + step - 1]));
		yaml_push(y->a, out, entry);
	}
	if (out->n == 0)
		out->style = YAML_FLOW;
	return out;
}

static struct yaml_node *entry_part(struct yq *y, struct yaml_node *entry, const char *const *names)
{
	for (; *names != NULL; names++) {
		struct yaml_node *found = yq_get(y, entry, bytes_of(*names));

		if (found != NULL)
			return found;
	}
	return NULL;
}

static struct yaml_node *from_entries(struct yq *y, struct yaml_node *seq)
{
	static const char *const keys[] = { "key", "Key", "k", "name", "Name", NULL };
	static const char *const values[] = { "value", "Value", "v", NULL };
	struct yaml_node *out = yq_map(y);

	out->source = seq->source;
	for (uint32_t i = 0; i < seq->n; i++) {
		struct yaml_node *entry = yq_real_node(y, seq->items[i]);
		struct yaml_node *key = entry_part(y, entry, keys);
		struct yaml_node *value = entry_part(y, entry, values);

		if (key == NULL)
			yq_fatal(y, "from_entries: an entry has no key");
		value = value != NULL ? yq_copy(y, value) : yq_null(y);
		if (yq_get_own(out, key->value) != NULL) {
			yq_set(y, out, key->value, value);
			continue;
		}
		cmd_charge(y->c, out->n / 8 + 1);
		key = yq_copy(y, key);
		if (yq_is_number(key) || yaml_is(key, "!!bool"))
			key->tag = yaml_resolve(key->value);
		key->is_key = true;
		key->head = entry->head;
		key->foot = entry->foot;
		yaml_push(y->a, out, key);
		yaml_push(y->a, out, value);
	}
	if (out->n == 0)
		out->style = YAML_FLOW;
	return out;
}

HANDLER(fn_to_entries)
{
	struct yq_list out = { NULL, 0, 0 };

	(void)e, (void)vars;
	for (size_t i = 0; i < in.n; i++)
		yq_add(y, &out, entries(y, yq_real_node(y, in.items[i])));
	return out;
}

HANDLER(fn_from_entries)
{
	struct yq_list out = { NULL, 0, 0 };

	(void)e, (void)vars;
	for (size_t i = 0; i < in.n; i++)
		yq_add(y, &out, from_entries(y, yq_real_node(y, in.items[i])));
	return out;
}

HANDLER(fn_with_entries)
{
	struct yq_list out = { NULL, 0, 0 };

	for (size_t i = 0; i < in.n; i++) {
		struct yaml_node *n = yq_real_node(y, in.items[i]);
		struct yaml_node *list = entries(y, n);
		struct yaml_node *changed = yq_seq(y);
		struct yaml_node *map;

		for (uint32_t k = 0; k < list->n; k++) {
			struct yq_list r = yq_eval_one(y, e->args[0], list->items[k], vars);

			for (size_t j = 0; j < r.n; j++)
				yaml_push(y->a, changed, yq_copy(y, r.items[j]));
		}
		map = from_entries(y, changed);
		map->style = map->n > 0 ? n->style : map->style;
		map->head = n->head;
		map->tail = n->tail;
		map->foot = n->foot;
		yq_add(y, &out, map);
	}
	return out;
}

HANDLER(fn_with)
{
	for (size_t i = 0; i < in.n; i++) {
		struct yq_list at = yq_eval_one(y, e->args[0], in.items[i], vars);

		for (size_t k = 0; k < at.n; k++)
			yq_eval_one(y, e->args[1], at.items[k], vars);
	}
	return in;
}

/* --- keys --- */

static struct yaml_node *bare_key(struct yq *y, struct yaml_node *key)
{
	struct yaml_node *n = yq_copy(y, key);

	n->head = n->tail = n->foot = BYTES("");
	return n;
}

HANDLER(fn_keys)
{
	struct yq_list out = { NULL, 0, 0 };

	(void)e, (void)vars;
	for (size_t i = 0; i < in.n; i++) {
		struct yaml_node *n = yq_real_node(y, in.items[i]);
		struct yaml_node *keys = yq_seq(y);

		if (n->kind == YAML_SCALAR)
			yq_fatal(y, "cannot get keys of %.*s, keys only works for maps and arrays",
				 (int)n->tag.len, n->tag.ptr);
		for (uint32_t k = 0; k < n->n; k += n->kind == YAML_MAP ? 2 : 1)
			yaml_push(y->a, keys,
				  n->kind == YAML_MAP ? bare_key(y, n->items[k]) : yq_number(y, k));
		if (keys->n == 0)
			keys->style = YAML_FLOW;
		keys->source = n->source;
		yq_add(y, &out, keys);
	}
	return out;
}

static bool has(struct yq *y, struct yaml_node *n, struct yaml_node *key)
{
	int64_t i;

	if (n->kind == YAML_SEQ)
		return yq_int(key, &i) && i >= 0 && i < (int64_t)n->n;
	return n->kind == YAML_MAP && yq_get_own(n, key->value) != NULL;
	(void)y;
}

HANDLER(fn_has)
{
	struct yq_list out = { NULL, 0, 0 };

	for (size_t i = 0; i < in.n; i++) {
		struct yq_list keys = yq_eval_one(y, e->args[0], in.items[i], vars);

		for (size_t k = 0; k < keys.n; k++)
			yq_add(y, &out,
			       yq_bool(y, has(y, yq_real_node(y, in.items[i]), keys.items[k])));
	}
	return out;
}

HANDLER(fn_del)
{
	for (size_t i = 0; i < in.n; i++)
		for (size_t k = 0; k < e->nargs; k++)
			yq_delete(y, yq_eval_one(y, e->args[k], in.items[i], vars));
	return in;
}

/* pick and omit: the keys of an argument's list. */
static struct yaml_node *chosen(struct yq *y, struct yaml_node *n, struct yaml_node *keys,
				bool omit)
{
	struct yaml_node *out = yaml_new(y->a, n->kind, n->tag);
	uint32_t step = n->kind == YAML_MAP ? 2 : 1;

	out->style = n->style;
	out->source = n->source;
	for (uint32_t k = 0; k < (omit ? n->n : keys->n); k += omit ? step : 1) {
		struct yaml_node *value;
		struct yaml_node *name;
		bool listed = false;

		if (!omit) {
			if (!has(y, n, keys->items[k]))
				continue;
			value = yq_child(y, n, keys->items[k], true);
			name = n->kind == YAML_MAP ? n->items[value->index - 1] : NULL;
		} else {
			value = n->items[k + step - 1];
			name = step == 2 ? n->items[k] : yq_number(y, k);
			for (uint32_t i = 0; i < keys->n; i++)
				listed |= bytes_eq(keys->items[i]->value, name->value);
			if (listed)
				continue;
		}
		if (step == 2) {
			yaml_push(y->a, out, yq_copy(y, name));
			out->items[out->n - 1]->is_key = true;
		}
		yaml_push(y->a, out, yq_copy(y, value));
	}
	return out;
}

HANDLER(fn_pick)
{
	struct yq_list out = { NULL, 0, 0 };

	for (size_t i = 0; i < in.n; i++) {
		struct yaml_node *keys = yq_first(y, e->args[0], in.items[i], vars);

		if (keys == NULL || yq_real_node(y, keys)->kind != YAML_SEQ)
			yq_fatal(y, "%s needs a list of keys", e->fn->name);
		yq_add(y, &out,
		       chosen(y, yq_real_node(y, in.items[i]), yq_real_node(y, keys),
			      e->fn->arg == 1));
	}
	return out;
}

HANDLER(fn_length)
{
	struct yq_list out = { NULL, 0, 0 };

	(void)e, (void)vars;
	for (size_t i = 0; i < in.n; i++) {
		struct yaml_node *n = yq_real_node(y, in.items[i]);
		int64_t len = n->kind == YAML_MAP ? n->n / 2 : n->n;

		cmd_charge_bytes(y->c, n->value.len);
		if (n->kind == YAML_SCALAR)
			len = yaml_is(n, "!!null") ? 0 : (int64_t)utf8_count(n->value);
		yq_add(y, &out, yq_number(y, len));
	}
	return out;
}

/* --- places --- */

HANDLER(fn_key)
{
	struct yq_list out = { NULL, 0, 0 };

	(void)e, (void)vars;
	for (size_t i = 0; i < in.n; i++) {
		struct yaml_node *key = yq_key_of(y, in.items[i]);

		if (key != NULL)
			yq_add(y, &out, key);
	}
	return out;
}

HANDLER(fn_is_key)
{
	struct yq_list out = { NULL, 0, 0 };

	(void)e, (void)vars;
	for (size_t i = 0; i < in.n; i++)
		yq_add(y, &out, yq_bool(y, in.items[i]->is_key));
	return out;
}

HANDLER(fn_path)
{
	struct yq_list out = { NULL, 0, 0 };

	if (e->nargs > 0)
		in = yq_eval(y, e->args[0], in, vars);
	for (size_t i = 0; i < in.n; i++)
		yq_add(y, &out, yq_path_of(y, in.items[i]));
	return out;
}

static struct yaml_node *walk(struct yq *y, struct yaml_node *n, struct yaml_node *path)
{
	for (uint32_t i = 0; n != NULL && i < path->n; i++)
		n = yq_child(y, n, path->items[i], false);
	return n;
}

static struct yaml_node *path_argument(struct yq *y, const struct yq_expr *e, struct yaml_node *in,
				       const struct yq_vars *vars)
{
	struct yaml_node *path = yq_first(y, e, in, vars);

	if (path == NULL || yq_real_node(y, path)->kind != YAML_SEQ)
		yq_fatal(y, "a path is a list");
	return yq_real_node(y, path);
}

HANDLER(fn_getpath)
{
	struct yq_list out = { NULL, 0, 0 };

	for (size_t i = 0; i < in.n; i++) {
		struct yaml_node *n = walk(y, in.items[i],
					   path_argument(y, e->args[0], in.items[i], vars));

		if (n != NULL)
			yq_add(y, &out, n);
	}
	return out;
}

HANDLER(fn_setpath)
{
	for (size_t i = 0; i < in.n; i++) {
		struct yaml_node *n = walk(y, in.items[i],
					   path_argument(y, e->args[0], in.items[i], vars));
		struct yaml_node *value = yq_first(y, e->args[1], in.items[i], vars);

		if (n != NULL && value != NULL)
			yq_update(y, yq_attach(y, n), yq_copy(y, value), false);
	}
	return in;
}

HANDLER(fn_delpaths)
{
	for (size_t i = 0; i < in.n; i++) {
		struct yaml_node *paths = path_argument(y, e->args[0], in.items[i], vars);
		struct yq_list gone = { NULL, 0, 0 };

		for (uint32_t k = 0; k < paths->n; k++) {
			struct yaml_node *n = walk(y, in.items[i], paths->items[k]);

			if (n != NULL)
				yq_add(y, &gone, n);
		}
		yq_delete(y, gone);
	}
	return in;
}

HANDLER(fn_parent)
{
	struct yq_list out = { NULL, 0, 0 };

	for (size_t i = 0; i < in.n; i++) {
		struct yaml_node *n = in.items[i];
		int64_t up = 1;

		if (e->nargs > 0) {
			struct yaml_node *count = yq_first(y, e->args[0], n, vars);

			if (count == NULL || !yq_int(count, &up))
				yq_fatal(y, "parent takes a number");
		}
		for (; n != NULL && up > 0; up--)
			n = n->parent;
		if (n != NULL)
			yq_add(y, &out, n);
	}
	return out;
}

HANDLER(fn_parents)
{
	struct yq_list out = { NULL, 0, 0 };

	(void)e, (void)vars;
	for (size_t i = 0; i < in.n; i++) {
		struct yaml_node *list = yq_seq(y);

		for (struct yaml_node *n = in.items[i]->parent; n != NULL; n = n->parent)
			yaml_push(y->a, list, yq_copy(y, n));
		yq_add(y, &out, list);
	}
	return out;
}

HANDLER(fn_root)
{
	struct yq_list out = { NULL, 0, 0 };

	(void)e, (void)vars;
	for (size_t i = 0; i < in.n; i++) {
		struct yaml_node *n = in.items[i];

		while (n->parent != NULL)
			n = n->parent;
		yq_add(y, &out, n);
	}
	return out;
}

enum { FROM_DOC, FROM_FILE, FROM_NAME };

HANDLER(fn_source)
{
	struct yq_list out = { NULL, 0, 0 };

	(void)vars;
	for (size_t i = 0; i < in.n; i++) {
		const struct yq_source *s = &y->sources[in.items[i]->source];

		yq_add(y, &out,
		       e->fn->arg == FROM_NAME
			       ? yq_text(y, bytes_of(s->name))
			       : yq_number(y, e->fn->arg == FROM_DOC ? s->doc : s->file));
	}
	return out;
}

/* Each result becomes a document of its own. */
HANDLER(fn_split_doc)
{
	struct yq_list out = { NULL, 0, 0 };

	(void)e, (void)vars;
	for (size_t i = 0; i < in.n; i++) {
		struct yaml_node *n = yq_copy(y, in.items[i]);
		const struct yq_source *s = &y->sources[n->source];
		struct yq_source doc = { (uint32_t)i, s->file, s->name };

		n->source = yq_add_source(y, doc);
		yq_add(y, &out, n);
	}
	return out;
}

/* --- the environment, files, programs --- */

/* The name is an argument as written: env(HOME); or a string. */
static const char *variable(struct yq *y, const struct yq_expr *arg, struct yaml_node *in,
			    const struct yq_vars *vars)
{
	struct yaml_node *name;

	if (arg->op == YQ_LITERAL)
		name = arg->value;
	else
		name = yq_first(y, arg, in, vars);
	return name != NULL ? arena_dup(y->a, name->value) : "";
}

HANDLER(fn_env)
{
	struct yq_list out = { NULL, 0, 0 };

	for (size_t i = 0; i < in.n; i++) {
		const char *name = variable(y, e->args[0], in.items[i], vars);
		const char *value = cmd_getenv(y->c, name);
		struct yq_list read = { NULL, 0, 0 };

		if (value == NULL)
			yq_fatal(y, "Value for env variable '%s' not provided in env()", name);
		if (e->fn->arg == 0)
			yq_read(y, bytes_of(value), YQ_YAML, "env", &read);
		else
			yq_add(y, &read, yq_text(y, arena_bytes(y->a, bytes_of(value))));
		yq_add(y, &out, read.n > 0 ? read.items[0] : yq_null(y));
	}
	return out;
}

HANDLER(fn_load)
{
	struct yq_list out = { NULL, 0, 0 };

	for (size_t i = 0; i < in.n; i++) {
		struct yaml_node *name = yq_first(y, e->args[0], in.items[i], vars);
		struct bytes text;
		struct yq_list docs = { NULL, 0, 0 };
		const char *path;
		int err;

		if (name == NULL)
			continue;
		path = arena_dup(y->a, name->value);
		err = cmd_read_all(y->c, path, &text);
		if (err < 0)
			yq_fatal(y, "failed to load %s: open %s: %s", path, path,
				 yq_error_text(y, err));
		text = arena_bytes(y->a, text);
		if (e->fn->arg == YQ_AUTO) {
			yq_add(y, &out, yq_text(y, text));
			continue;
		}
		yq_read(y, text, (enum yq_format)e->fn->arg, path, &docs);
		if (docs.n > 1) {
			struct yaml_node *all = yq_seq(y);

			for (size_t k = 0; k < docs.n; k++)
				yaml_push(y->a, all, docs.items[k]);
			yq_add(y, &out, all);
		} else {
			yq_add(y, &out, docs.n > 0 ? docs.items[0] : yq_null(y));
		}
	}
	return out;
}

HANDLER(fn_eval)
{
	struct yq_list out = { NULL, 0, 0 };

	for (size_t i = 0; i < in.n; i++) {
		struct yq_list programs = yq_eval_one(y, e->args[0], in.items[i], vars);

		for (size_t k = 0; k < programs.n; k++) {
			struct yq_expr *inner = yq_parse(y, programs.items[k]->value);

			if (inner == NULL)
				yq_fatal(y, "eval: %s", y->error);
			append(y, &out, yq_eval_one(y, inner, in.items[i], vars));
		}
	}
	return out;
}

HANDLER(fn_explode)
{
	for (size_t i = 0; i < in.n; i++) {
		struct yq_list at = yq_eval_one(y, e->args[0], in.items[i], vars);

		for (size_t k = 0; k < at.n; k++) {
			struct yaml_node *n = at.items[k];
			struct yaml_node *flat = yq_explode(y, n);

			n->anchor = BYTES("");
			n->kind = flat->kind;
			n->target = NULL;
			n->tag = flat->tag;
			n->style = flat->style;
			n->value = flat->value;
			n->items = flat->items;
			n->n = flat->n;
			n->cap = flat->cap;
			for (uint32_t j = 0; j < n->n; j++)
				n->items[j]->parent = n;
		}
	}
	return in;
}

const struct yq_fn yq_fns_core[] = {
	{ "select", 1, 1, fn_select, 0 },
	{ "empty", 0, 0, fn_empty, 0 },
	{ "not", 0, 0, fn_not, 0 },
	{ "error", 0, 1, fn_error, 0 },
	{ "map", 1, 1, fn_map, 0 },
	{ "filter", 1, 1, fn_map, 1 },
	{ "map_values", 1, 1, fn_map_values, 0 },
	{ "to_entries", 0, 0, fn_to_entries, 0 },
	{ "toEntries", 0, 0, fn_to_entries, 0 },
	{ "from_entries", 0, 0, fn_from_entries, 0 },
	{ "fromEntries", 0, 0, fn_from_entries, 0 },
	{ "with_entries", 1, 1, fn_with_entries, 0 },
	{ "withEntries", 1, 1, fn_with_entries, 0 },
	{ "with", 2, 2, fn_with, 0 },
	{ "keys", 0, 0, fn_keys, 0 },
	{ "has", 1, 1, fn_has, 0 },
	{ "del", 1, 1, fn_del, 0 },
	{ "pick", 1, 1, fn_pick, 0 },
	{ "omit", 1, 1, fn_pick, 1 },
	{ "length", 0, 0, fn_length, 0 },
	{ "key", 0, 0, fn_key, 0 },
	{ "is_key", 0, 0, fn_is_key, 0 },
	{ "path", 0, 1, fn_path, 0 },
	{ "getpath", 1, 1, fn_getpath, 0 },
	{ "setpath", 2, 2, fn_setpath, 0 },
	{ "delpaths", 1, 1, fn_delpaths, 0 },
	{ "parent", 0, 1, fn_parent, 0 },
	{ "parents", 0, 0, fn_parents, 0 },
	{ "root", 0, 0, fn_root, 0 },
	{ "document_index", 0, 0, fn_source, FROM_DOC },
	{ "documentIndex", 0, 0, fn_source, FROM_DOC },
	{ "di", 0, 0, fn_source, FROM_DOC },
	{ "file_index", 0, 0, fn_source, FROM_FILE },
	{ "fileIndex", 0, 0, fn_source, FROM_FILE },
	{ "fi", 0, 0, fn_source, FROM_FILE },
	{ "filename", 0, 0, fn_source, FROM_NAME },
	{ "split_doc", 0, 0, fn_split_doc, 0 },
	{ "splitDoc", 0, 0, fn_split_doc, 0 },
	{ "env", 1, 1, fn_env, 0 },
	{ "strenv", 1, 1, fn_env, 1 },
	{ "load", 1, 1, fn_load, YQ_YAML },
	{ "load_str", 1, 1, fn_load, YQ_AUTO },
	{ "strload", 1, 1, fn_load, YQ_AUTO },
	{ "load_xml", 1, 1, fn_load, YQ_XML },
	{ "load_props", 1, 1, fn_load, YQ_PROPS },
	{ "load_base64", 1, 1, fn_load, YQ_BASE64 },
	{ "eval", 1, 1, fn_eval, 0 },
	{ "explode", 1, 1, fn_explode, 0 },
	{ NULL, 0, 0, NULL, 0 },
};
