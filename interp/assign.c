/* SPDX-License-Identifier: MIT
 *
 * Assignments as parsed: x=1, a[i]+=2, a=(x [3]=y), and array literals given as text.
 *
 * All words of a literal are expanded before the array is emptied, so that
 * a=("${a[@]}" more) works; subscripts are evaluated one by one while values are stored.
 */
#include "interp/exec.h"
#include "interp/expand.h"
#include "interp/print.h"
#include "interp/var_private.h"

/* An item of a literal after expansion. */
struct item {
	const struct array_item *source; /* with a subscript; NULL for a plain value */
	const struct word *word;         /* of a plain value, for messages */
	struct bytes sub;                /* expanded, if it is a key or contains expansions */
	struct bytes value;
};

struct items {
	struct item *v;
	size_t n;
	size_t cap;
};

static struct item *add_item(struct shell *sh, struct items *items, const struct array_item *source,
			     struct bytes value)
{
	if (items->n == items->cap) {
		size_t cap = items->cap == 0 ? 16 : items->cap * 2;

		items->v = arena_grow(sh->arena, items->v, items->cap * sizeof *items->v,
				      cap * sizeof *items->v);
		items->cap = cap;
	}
	items->v[items->n] = (struct item){ .source = source, .value = value };
	return &items->v[items->n++];
}

/* --- expanding the literal --- */

static int expand_plain(struct shell *sh, const struct array_item *source, bool assoc,
			struct items *items)
{
	struct fields f = { NULL, 0, 0 };
	struct word *const *word = source->braced != NULL ? &source->braced : &source->value;
	uint64_t options = sh->opt.set;
	struct bytes value;
	int failed;

	if (assoc) {
		if (expand_one(sh, source->value, EXPAND_KEYED, &value) != 0)
			return -1;
		add_item(sh, items, NULL, value)->word = source->value;
		return 0;
	}
	/* [1]={a,b} still counts as an assignment: no pathnames. */
	if (source->braced != NULL)
		sh->opt.set |= (uint64_t)1 << SET_NOGLOB;
	failed = expand_words(sh, word, 1, &f);
	sh->opt.set = options;
	if (failed != 0)
		return -1;
	for (int i = 0; i < f.count; i++)
		add_item(sh, items, NULL, bytes_of(f.v[i]));
	return 0;
}

/* [b]=1 among key and value pairs is no subscript but a word. */
static int expand_as_text(struct shell *sh, const struct array_item *source, struct items *items)
{
	struct buf b = buf_in(sh->arena);
	struct bytes sub;
	struct bytes value;

	if (expand_one(sh, source->sub, EXPAND_KEYED, &sub) != 0 ||
	    expand_one(sh, source->value, EXPAND_KEYED, &value) != 0)
		return -1;
	buf_printf(&b, "[%.*s]%s", (int)sub.len, sub.ptr, source->append ? "+=" : "=");
	buf_add(&b, value);
	add_item(sh, items, NULL, buf_bytes(&b));
	return 0;
}

static int expand_subscripted(struct shell *sh, const struct array_item *source, bool assoc,
			      struct items *items)
{
	struct bytes sub = { NULL, 0 };
	struct bytes value;

	if ((assoc || (source->sub->flags & WORD_LITERAL) == 0) &&
	    expand_string(sh, source->sub, &sub) != 0)
		return -1;
	if (expand_one(sh, source->value, assoc ? EXPAND_KEYED : EXPAND_ITEM, &value) != 0)
		return -1;
	add_item(sh, items, source, value)->sub = sub;
	return 0;
}

static int expand_items(struct shell *sh, const struct assign *a, bool assoc, struct items *items)
{
	bool pairs = assoc && a->nitems != 0 && a->items[0].sub == NULL;

	*items = (struct items){ NULL, 0, 0 };
	for (int i = 0; i < a->nitems; i++) {
		const struct array_item *source = &a->items[i];

		if (source->sub != NULL && pairs) {
			if (expand_as_text(sh, source, items) != 0)
				return -1;
			continue;
		}
		if (source->sub == NULL || (source->braced != NULL && !assoc)) {
			if (expand_plain(sh, source, assoc, items) != 0)
				return -1;
			continue;
		}
		if (expand_subscripted(sh, source, assoc, items) != 0)
			return -1;
	}
	return 0;
}

/* --- storing --- */

static unsigned item_how(const struct array_item *source, unsigned how)
{
	return (how & VAR_FORCE) | (source != NULL && source->append ? VAR_APPEND : 0);
}

static int bad_item(struct shell *sh, const struct item *item, struct bytes sub)
{
	shell_error(sh, "[%.*s]%s%.*s: bad array subscript", (int)sub.len, sub.ptr,
		    item->source->append ? "+=" : "=", (int)item->value.len, item->value.ptr);
	exec_errexit(sh);
	return sh->flow != FLOW_NONE ? -1 : 0;
}

/* In its assignment the item is told of as it was written, by a builtin as it came out. */
static int bad_key(struct shell *sh, const struct item *item, struct bytes sub)
{
	struct buf shown = buf_in(sh->arena);
	struct printer pr = { .out = &shown };

	buf_putc(&shown, '[');
	if (sh->declare_args != NULL)
		quote_single(&shown, sub);
	else
		print_word(&pr, item->source->sub);
	buf_puts(&shown, item->source->append ? "]+=" : "]=");
	if (sh->declare_args != NULL)
		quote_single(&shown, item->value);
	else
		print_word(&pr, item->source->value);
	shell_error(sh, "%s: bad array subscript", buf_cstr(&shown));
	exec_errexit(sh);
	return sh->flow != FLOW_NONE ? -1 : 0;
}

/* The subscript of an item: 1; 0 after a message that skips only this item; -1. */
static int item_index(struct shell *sh, const struct item *item, int64_t *index)
{
	const struct word *sub = item->source->sub;
	struct bytes text = sub->text;

	if (text.len == 1 && (text.ptr[0] == '@' || text.ptr[0] == '*')) {
		shell_error(sh, "[%c]%s%.*s: cannot assign to non-numeric index", text.ptr[0],
			    item->source->append ? "+=" : "=", (int)item->value.len,
			    item->value.ptr);
		exec_errexit(sh);
		return sh->flow != FLOW_NONE ? -1 : 0;
	}
	if ((sub->flags & WORD_LITERAL) != 0 && sub->literal.len != 0)
		return arith_must(sh, expand_arith(sh, item->source->sub_arith, index)) == 0 ? 1
											     : -1;
	if (item->sub.len == 0)
		return bad_item(sh, item, item->sub);
	return arith_must(sh, eval_arith(sh, item->sub, index)) == 0 ? 1 : -1;
}

static int too_many(struct shell *sh, const struct var *v)
{
	shell_error(sh, "%s: bad array subscript", v->name.ptr);
	return -1;
}

static int store_indexed(struct shell *sh, struct var *v, const struct items *items, unsigned how)
{
	int64_t at = array_last(v->array);

	for (size_t i = 0; i < items->n; i++) {
		const struct item *item = &items->v[i];

		if (item->source == NULL) {
			if (at == INT64_MAX)
				return too_many(sh, v);
			at++;
		} else {
			int ok = item_index(sh, item, &at);

			if (ok < 0)
				return -1;
			if (ok == 0)
				continue;
			if (at < 0)
				at += array_last(v->array) + 1;
			if (at < 0) {
				at = array_last(v->array);
				if (bad_item(sh, item, item->source->sub->text) != 0)
					return -1;
				continue;
			}
		}
		if (var_assign_at(sh, v, at, item->value, item_how(item->source, how)) != 0)
			return -1;
	}
	return 0;
}

/* (k1 v1 k2 v2): what bash 5.2 takes when the first item has no subscript. */
static int store_pairs(struct shell *sh, struct var *v, const struct items *items, unsigned how)
{
	for (size_t i = 0; i < items->n; i += 2) {
		struct bytes value = i + 1 < items->n ? items->v[i + 1].value : BYTES("");

		proc_charge(sh->p, 0); /* what finding the last key has cost */
		if (items->v[i].value.len == 0) {
			shell_error(sh, "%s: bad array subscript",
				    sh->declare_args != NULL ? "''" : "\"\"");
			continue;
		}
		if (var_assign_element(sh, v, items->v[i].value, value, how & VAR_FORCE) != 0)
			return -1;
	}
	return 0;
}

/* A declaration has quoted the words of its literals by then. */
static void no_subscript(struct shell *sh, const struct var *v, const struct item *item)
{
	struct bytes text = item->word != NULL ? item->word->text : item->value;
	struct buf shown = buf_in(sh->arena);

	if (sh->declare_args != NULL)
		quote_for_at_q(sh, &shown, text);
	else
		buf_add(&shown, text);
	shell_error(sh, "%s: %.*s: must use subscript when assigning associative array",
		    v->name.ptr, (int)shown.len, shown.ptr);
}

static int store_assoc(struct shell *sh, struct var *v, const struct items *items, unsigned how)
{
	if (items->n != 0 && items->v[0].source == NULL)
		return store_pairs(sh, v, items, how);
	for (size_t i = 0; i < items->n; i++) {
		const struct item *item = &items->v[i];

		proc_charge(sh->p, 0);
		if (item->source == NULL) {
			no_subscript(sh, v, item);
			continue;
		}
		if (item->sub.len == 0) {
			if (bad_key(sh, item, item->sub) != 0)
				return -1;
			continue;
		}
		if (var_assign_element(sh, v, item->sub, item->value,
				       item_how(item->source, how)) != 0)
			return -1;
	}
	return 0;
}

static int assign_items(struct shell *sh, struct var *v, const struct assign *a, unsigned how)
{
	struct items items;
	bool assoc = (v->flags & VAR_ASSOC) != 0;
	bool append = a->append || (how & VAR_APPEND) != 0;
	const char *name = sh->command_name;
	int err;

	if (expand_items(sh, a, assoc, &items) != 0)
		return -1;
	v = var_own(sh, v);
	if (var_check_writable(sh, v, how) != 0)
		return -1;
	if ((v->flags & VAR_NOASSIGN) != 0)
		return 0;
	if (append)
		var_make_array(sh, v, assoc);
	else
		var_clear_array(sh, v);
	if (!assoc && v->array == NULL)
		v->array = array_new(sh->pool);
	v->flags |= VAR_SET;
	if (opt_set(sh, SET_ALLEXPORT))
		v->flags |= VAR_EXPORT;
	/* Errors of arithmetic in a literal are not said in the name of `declare`. */
	sh->command_name = NULL;
	err = assoc ? store_assoc(sh, v, &items, how) : store_indexed(sh, v, &items, how);
	sh->command_name = name;
	return err;
}

/* --- the assignment --- */

static struct var *bottom_of(struct var *v)
{
	while (v->scope != 0 && v->shadowed != NULL)
		v = v->shadowed;
	return v;
}

/* What is assigned to, namerefs followed. */
struct target {
	struct bytes name;
	uint64_t hash;
	struct var *v; /* NULL: does not exist yet */
};

/* References that refer to each other: the one that becomes an array leaves the circle. */
static struct var *break_circle(struct shell *sh, const struct assign *a)
{
	struct var *v = var_own(sh, var_find(sh, a->name, a->hash));

	if (a->sub != NULL)
		var_say_circular(sh, a->name);
	var_free_value(sh, v);
	v->flags &= ~(unsigned)VAR_NAMEREF;
	return v;
}

static int find_target(struct shell *sh, const struct assign *a, unsigned how, struct target *t)
{
	struct bytes sub = { NULL, 0 };
	struct var *v = var_find(sh, a->name, a->hash);

	t->name = a->name;
	t->hash = a->hash;
	if (v != NULL && (v->flags & VAR_NAMEREF) != 0 && (how & VAR_NO_REF) == 0) {
		if (var_follow(sh, &t->name, &t->hash, &sub, &v) != 0) {
			t->v = break_circle(sh, a);
			t->name = a->name;
			t->hash = a->hash;
			return 0;
		}
		if (sub.ptr != NULL)
			return var_refuse_element(sh, NULL, t->name, sub);
		if (v != NULL && (v->flags & VAR_NAMEREF) != 0 && a->sub != NULL) {
			shell_error(sh, "`': not a valid identifier");
			return -1;
		}
		if (v != NULL && (v->flags & VAR_NAMEREF) != 0) {
			shell_error(sh, "warning: %s: removing nameref attribute", v->name.ptr);
			v = var_own(sh, v);
			v->flags &= ~(unsigned)VAR_NAMEREF;
		}
	}
	t->v = v;
	return 0;
}

/* The binding to be changed, made now if it is missing: a bad subscript makes none. */
static struct var *open_target(struct shell *sh, const struct target *t, unsigned how)
{
	struct var *v = t->v != NULL ? t->v : var_ensure(sh, t->name, t->hash);

	return (how & VAR_GLOBAL) != 0 ? bottom_of(var_own(sh, v)) : v;
}

static int bad_target(struct shell *sh, const struct assign *a)
{
	shell_error(sh, "%.*s[%.*s]: bad array subscript", (int)a->name.len, a->name.ptr,
		    (int)a->sub->text.len, a->sub->text.ptr);
	return -1;
}

static int assign_subscripted(struct shell *sh, const struct assign *a, struct bytes value,
			      unsigned how)
{
	struct target t;
	struct bytes sub = a->sub->text;
	int64_t index;

	if (find_target(sh, a, how, &t) != 0)
		return -1;
	if (t.v != NULL && (t.v->flags & VAR_ASSOC) != 0) {
		struct bytes key;

		if (expand_string(sh, a->sub, &key) != 0)
			return -1;
		if (key.len != 0)
			return var_assign_element(sh, t.v, key, value, how);
		return bad_target(sh, a);
	}
	if (sub.len == 0 || (sub.len == 1 && (sub.ptr[0] == '@' || sub.ptr[0] == '*')))
		return bad_target(sh, a);
	if (arith_must(sh, expand_arith(sh, a->sub_arith, &index)) != 0)
		return -1;
	if (index < 0 && t.v == NULL)
		return bad_target(sh, a);
	return var_assign_index(sh, open_target(sh, &t, how), sub, index, value, how);
}

static int list_to_element(struct shell *sh, const struct assign *a)
{
	shell_error(sh, "%.*s[%.*s]: cannot assign list to array member", (int)a->name.len,
		    a->name.ptr, (int)a->sub->text.len, a->sub->text.ptr);
	sh->status = 1;
	sh->flow = FLOW_ABORT;
	return -1;
}

int assign_list(struct shell *sh, const struct assign *a, struct var *v, unsigned how)
{
	if (a->sub != NULL)
		return list_to_element(sh, a);
	return assign_items(sh, v, a, how);
}

/* name=( ): the variable is an array before the words are expanded, as they may see. */
static int assign_array(struct shell *sh, const struct assign *a, unsigned how)
{
	struct target t;
	struct var *v;

	if (find_target(sh, a, how, &t) != 0)
		return -1;
	v = var_own(sh, open_target(sh, &t, how));
	if (var_check_writable(sh, v, how) != 0)
		return -1;
	if ((v->flags & VAR_NOASSIGN) == 0)
		var_make_array(sh, v, (v->flags & VAR_ASSOC) != 0);
	if (t.v == NULL)
		v->flags |= VAR_SET;
	if (t.v == NULL && v->array == NULL)
		v->array = array_new(sh->pool);
	return assign_items(sh, v, a, how);
}

int assign_execute(struct shell *sh, const struct assign *a, unsigned how)
{
	struct bytes value = BYTES("");

	if (a->append)
		how |= VAR_APPEND;
	if (a->array && a->sub != NULL)
		return list_to_element(sh, a);
	if (a->array)
		return assign_array(sh, a, how);
	if (a->value != NULL && expand_view(sh, a->value, EXPAND_ASSIGN, &value) != 0)
		return -1;
	if (a->sub != NULL) {
		value = arena_bytes(sh->arena, value);
		return assign_subscripted(sh, a, value, how);
	}
	return var_set(sh, a->name, a->hash, value, how);
}

/* The first word of "_=(...)" parsed as a command is the literal. */
int assign_compound_text(struct shell *sh, struct var *v, struct bytes text, bool append)
{
	struct buf source = buf_in(sh->arena);
	struct parse_config config;
	struct parse_error error;
	struct parser *parser;
	struct ast *unit;
	int err = 0;

	buf_puts(&source, "_=");
	buf_add(&source, text);
	buf_putc(&source, '\n');
	config = shell_parse_config(sh, buf_bytes(&source), sh->line);
	parser = parse_new(&config);
	if (parse_unit(parser, &unit, &error) != 1)
		return var_assign(sh, v, text, append ? VAR_APPEND : 0);
	unit_adopt(sh, unit);
	if (unit->root != NULL && unit->root->kind == NODE_SIMPLE) {
		const struct simple *s = (const struct simple *)unit->root;

		if (s->nassigns == 1 && s->assigns[0].array)
			err = assign_items(sh, v, &s->assigns[0], append ? VAR_APPEND : 0);
	}
	unit_drop(sh);
	return err;
}
