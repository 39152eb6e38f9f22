/* SPDX-License-Identifier: MIT
 *
 * The order of arrays: for-in loops, PROCINFO["sorted_in"], asort and asorti.
 *
 * Without a wish, loops go over the keys as gawk's tables have them (walk.c).
 */
#include "base/sort.h"
#include "builtins/awk/code.h"

enum order_by { BY_NONE, BY_IND_STR, BY_IND_NUM, BY_VAL_STR, BY_VAL_NUM, BY_VAL_TYPE, BY_FUNCTION };

struct entry {
	struct str *key;
	struct val val;
	double num; /* of the key */
};

struct sorting {
	struct awk *a;
	enum order_by by;
	bool descending;
	struct function *fn;
	struct entry *list;
	struct entry *spare;
	size_t n;
};

/* --- comparing --- */

static int by_number(double x, double y)
{
	return x < y ? -1 : x > y;
}

static int text_order(struct awk *a, struct bytes s, struct bytes t)
{
	awk_work_long(a, s.len < t.len ? s.len : t.len);
	int order = a->ignorecase ? awk_text_fold(a, s, t) : 0;

	return order != 0 ? order : bytes_cmp(s, t);
}

static int by_text(struct awk *a, struct val *x, struct val *y)
{
	struct text_room one;
	struct text_room two;

	if (x->kind == VAL_ARRAY || y->kind == VAL_ARRAY)
		return (x->kind == VAL_ARRAY) - (y->kind == VAL_ARRAY);
	struct bytes s = awk_val_text(a, x, &one);
	struct bytes t = awk_val_text(a, y, &two);

	return text_order(a, s, t);
}

static int by_numbers(struct awk *a, struct val *x, struct val *y)
{
	return a->o->bignum ? awk_big_compare(a, x, y)
			    : by_number(val_to_num(a, x), val_to_num(a, y));
}

/* Numbers, then text, then arrays. */
static int type_rank(struct awk *a, struct val *v)
{
	return v->kind == VAL_ARRAY ? 2 : awk_val_is_numeric(a, v) ? 0 : 1;
}

static int by_type(struct awk *a, struct val *x, struct val *y)
{
	int rank = type_rank(a, x);
	int other = type_rank(a, y);

	if (rank != other)
		return rank - other;
	if (rank == 2)
		return 0;
	return rank == 0 ? by_numbers(a, x, y) : by_text(a, x, y);
}

static int by_value_number(struct awk *a, struct val *x, struct val *y)
{
	if (x->kind == VAL_ARRAY || y->kind == VAL_ARRAY)
		return (x->kind == VAL_ARRAY) - (y->kind == VAL_ARRAY);
	int order = by_numbers(a, x, y);

	return order != 0 ? order : by_text(a, x, y);
}

static int by_function(struct sorting *s, struct entry *x, struct entry *y)
{
	struct val args[] = { { .kind = VAL_INPUT, .u.str = x->key },
			      x->val,
			      { .kind = VAL_INPUT, .u.str = y->key },
			      y->val };
	struct val v = awk_vm_call(s->a, s->fn, args, 4);
	double d = val_to_num(s->a, &v);

	val_put(s->a, v);
	return d < 0 ? -1 : d > 0;
}

static int by_key(struct awk *a, struct entry *x, struct entry *y)
{
	return text_order(a, str_bytes(x->key), str_bytes(y->key));
}

static int compare(void *arg, const void *a, const void *b)
{
	struct sorting *s = arg;
	struct entry *x = (struct entry *)(uintptr_t)a;
	struct entry *y = (struct entry *)(uintptr_t)b;
	int order = 0;

	awk_work(s->a, 1);
	switch (s->by) {
	case BY_NONE: return 0;
	case BY_FUNCTION: return by_function(s, x, y);
	case BY_IND_STR: order = by_key(s->a, x, y); break;
	case BY_IND_NUM:
		order = by_number(x->num, y->num);
		order = order != 0 ? order : by_key(s->a, x, y);
		break;
	case BY_VAL_STR: order = by_text(s->a, &x->val, &y->val); break;
	case BY_VAL_NUM: order = by_value_number(s->a, &x->val, &y->val); break;
	case BY_VAL_TYPE: order = by_type(s->a, &x->val, &y->val); break;
	}
	if (order == 0) {
		order = by_number(x->num, y->num);
		order = order != 0 ? order : by_key(s->a, x, y);
	}
	return s->descending ? -order : order;
}

static void sort(struct sorting *s)
{
	if (s->by == BY_NONE)
		return;
	s->spare = pool_alloc(s->a->pool, (s->n + 1) * sizeof *s->list);
	sort_stable(s->list, s->n, sizeof *s->list, s->spare, compare, s);
}

/* --- which order --- */

struct wish {
	const char *name;
	enum order_by by;
	bool descending;
};

static const struct wish wishes[] = {
	{ "@unsorted", BY_NONE, false },         { "@ind_str_asc", BY_IND_STR, false },
	{ "@ind_str_desc", BY_IND_STR, true },   { "@ind_num_asc", BY_IND_NUM, false },
	{ "@ind_num_desc", BY_IND_NUM, true },   { "@val_str_asc", BY_VAL_STR, false },
	{ "@val_str_desc", BY_VAL_STR, true },   { "@val_num_asc", BY_VAL_NUM, false },
	{ "@val_num_desc", BY_VAL_NUM, true },   { "@val_type_asc", BY_VAL_TYPE, false },
	{ "@val_type_desc", BY_VAL_TYPE, true },
};

/* False: the name means nothing. */
static bool find_order(struct sorting *s, struct bytes name)
{
	for (size_t i = 0; i < sizeof wishes / sizeof wishes[0]; i++) {
		if (!bytes_is(name, wishes[i].name))
			continue;
		s->by = wishes[i].by;
		s->descending = wishes[i].descending;
		return true;
	}
	s->fn = awk_program_find_function(s->a->prog, name);
	s->by = s->fn != NULL && s->fn->defined ? BY_FUNCTION : BY_NONE;
	return s->by == BY_FUNCTION;
}

static void want_order(struct sorting *s, struct bytes name)
{
	bool word = true;

	if (name.len == 0 || find_order(s, name))
		return;
	for (size_t i = 0; i < name.len; i++)
		word &= byte_is_alnum(name.ptr[i]) || strchr("_:@", name.ptr[i]) != NULL;
	if (word)
		awk_fatal(s->a, "sort comparison function `%.*s' is not defined", (int)name.len,
			  name.ptr);
	awk_fatal(s->a, "`%.*s' is invalid as a function name", (int)name.len, name.ptr);
}

/* The elements of x as a list with references of its own. */
static void collect(struct sorting *s, struct array *x)
{
	struct awk *a = s->a;
	struct member *list = pool_alloc(a->pool, (x->count + 1) * sizeof *list);

	s->n = x->count;
	s->list = pool_alloc(a->pool, (s->n + 1) * sizeof *s->list);
	awk_walk_list(a, x, list);
	for (size_t i = 0; i < s->n; i++) {
		struct entry *e = &s->list[i];

		*e = (struct entry){ .key = awk_member_str(a, &list[i]),
				     .val = val_get(*list[i].val) };
		if (list[i].key != NULL)
			str_get(e->key);
		e->num = list[i].key == NULL ? list[i].natural
					     : awk_text_to_num(a, str_bytes(e->key));
	}
	awk_work(a, s->n / 4 + 1);
	pool_free(a->pool, list, (x->count + 1) * sizeof *list);
}

static void release(struct sorting *s)
{
	for (size_t i = 0; i < s->n; i++) {
		val_put(s->a, s->list[i].val);
		str_put(s->a, s->list[i].key);
	}
	pool_free(s->a->pool, s->list, (s->n + 1) * sizeof *s->list);
	if (s->spare != NULL)
		pool_free(s->a->pool, s->spare, (s->n + 1) * sizeof *s->list);
}

/* --- for-in --- */

struct str *awk_member_str(struct awk *a, const struct member *m)
{
	struct text_room tmp;

	return m->key != NULL ? m->key : awk_str_new(a, member_key(m, &tmp));
}

static void sorted_keys(struct sorting *s, struct array *x, struct member *out)
{
	collect(s, x);
	sort(s);
	for (size_t i = 0; i < s->n; i++)
		out[i] = (struct member){ .key = str_get(s->list[i].key) };
	release(s);
}

struct iter *awk_iter_new(struct awk *a, struct array *x)
{
	struct sorting s = { .a = a, .by = BY_NONE };
	struct array *info = a->globals[GLOBAL_PROCINFO].u.array;
	struct val *wish = awk_array_find(info, awk_key(BYTES("sorted_in")));
	struct iter *it = pool_zalloc(a->pool, sizeof *it);
	struct text_room tmp;

	if (wish != NULL && wish->kind != VAL_ARRAY)
		want_order(&s, awk_val_text(a, wish, &tmp));
	it->array = x;
	x->refs++;
	it->n = x->count;
	it->list = pool_alloc(a->pool, (it->n + 1) * sizeof *it->list);
	if (s.by != BY_NONE) {
		sorted_keys(&s, x, it->list);
		return it;
	}
	awk_walk_list(a, x, it->list);
	for (size_t i = 0; i < it->n; i++)
		if (it->list[i].key != NULL)
			str_get(it->list[i].key);
	return it;
}

void awk_iter_free(struct awk *a, struct iter *it)
{
	for (size_t i = it->at; i < it->n; i++)
		if (it->list[i].key != NULL)
			str_put(a, it->list[i].key);
	pool_free(a->pool, it->list, (it->n + 1) * sizeof *it->list);
	awk_array_put(a, it->array);
	pool_free(a->pool, it, sizeof *it);
}

/* --- asort, asorti --- */

/* args: source [, destination [, order]] */
double awk_fn_asort(struct awk *a, struct val *args, int n, bool by_index)
{
	struct sorting s = { .a = a, .by = by_index ? BY_IND_STR : BY_VAL_TYPE };
	struct array *from = args[0].u.array;
	struct array *to = n > 1 ? args[1].u.array : from;

	if (n > 2)
		want_order(&s, str_bytes(awk_val_to_str(a, &args[2])));
	collect(&s, from);
	sort(&s);
	awk_array_clear(a, to);
	for (size_t i = 0; i < s.n; i++) {
		struct entry *e = &s.list[i];
		struct val v = by_index ? val_str(str_get(e->key)) : val_get(e->val);

		awk_array_set_num(a, to, (double)(i + 1), v);
	}
	double count = (double)s.n;

	release(&s);
	return count;
}
