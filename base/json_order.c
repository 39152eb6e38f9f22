/* SPDX-License-Identifier: MIT
 *
 * The order of JSON values, and sorting by it. Nothing recurses: what nests is walked with a
 * stack in the pool.
 */
#include "base/sort.h"
#include "base/json.h"

/* Two containers under comparison, and how far it is. */
struct pair {
	struct json a;
	struct json b;
	uint32_t *order_a; /* objects: slots by key */
	uint32_t *order_b;
	size_t at;
};

struct walk_pairs {
	struct json_mem *m;
	struct pair *stack;
	size_t n;
	size_t cap;
};

static int rank(struct json v)
{
	return v.kind == JSON_LITERAL ? JSON_NUMBER : v.kind;
}

static int cmp_numbers(double a, double b)
{
	/* NaN is below all numbers. */
	return a < b || a != a ? -1 : a == b ? 0 : 1;
}

static bool is_written(struct json v)
{
	return v.kind == JSON_LITERAL || (v.flags & JSON_WRITTEN);
}

/* What can be as long as the shorter one of two strings. */
static void compared(struct json_mem *m, struct json a, struct json b)
{
	json_worked(m, a.u.str->len < b.u.str->len ? a.u.str->len : b.u.str->len);
}

static int cmp_scalars(struct json_mem *m, struct json a, struct json b)
{
	int cmp;

	if (a.kind == JSON_STRING) {
		compared(m, a, b);
		return bytes_cmp(json_text(a), json_text(b));
	}
	if (rank(a) != JSON_NUMBER)
		return 0;
	cmp = cmp_numbers(json_num(a), json_num(b));
	if (cmp == 0 && (a.kind == JSON_LITERAL || b.kind == JSON_LITERAL) && is_written(a) &&
	    is_written(b))
		return json_cmp_written(m, a, b);
	return cmp;
}

static size_t order_bytes(struct json o)
{
	return (json_count(o) + 1) * sizeof(uint32_t);
}

/* The slots of an object that are sorted by their keys. */
struct slots {
	struct json_mem *m;
	const struct json_slot *slot;
	size_t turn;
};

static int compare_slots(void *arg, const void *a, const void *b)
{
	struct slots *s = arg;
	const struct json_str *x = s->slot[*(const uint32_t *)a].key;
	const struct json_str *y = s->slot[*(const uint32_t *)b].key;

	if (++s->turn % 1024 == 0 && s->m->poll != NULL)
		s->m->poll(s->m->arg, 256);
	json_worked(s->m, x->len < y->len ? x->len : y->len);
	return bytes_cmp((struct bytes){ x->ptr, x->len }, (struct bytes){ y->ptr, y->len });
}

uint32_t *json_sorted(struct json_mem *m, struct json o)
{
	size_t n = json_count(o);
	uint32_t *order = pool_alloc(m->pool, order_bytes(o));
	uint32_t *tmp = pool_alloc(m->pool, order_bytes(o));
	struct slots slots = { m, o.u.obj->slots, 0 };
	size_t at = 0;

	for (size_t i = json_next_slot(o, 0); i < o.u.obj->used; i = json_next_slot(o, i + 1))
		order[at++] = (uint32_t)i;
	sort_stable(order, n, sizeof(*order), tmp, compare_slots, &slots);
	pool_free(m->pool, tmp, order_bytes(o));
	return order;
}

struct json json_keys(struct json_mem *m, struct json o, bool sorted)
{
	struct json out = json_array(m, json_count(o));
	uint32_t *order = sorted ? json_sorted(m, o) : NULL;
	size_t n = json_count(o);

	for (size_t i = 0, slot = 0; i < n; i++, slot++) {
		slot = sorted ? order[i] : json_next_slot(o, slot);
		struct json key = { .kind = JSON_STRING, .u.str = o.u.obj->slots[slot].key };

		out = json_push(m, out, json_copy(key));
	}
	if (order != NULL)
		pool_free(m->pool, order, order_bytes(o));
	return out;
}

static void push_pair(struct walk_pairs *w, struct json a, struct json b)
{
	if (w->n == w->cap) {
		size_t cap = w->cap * 2 + 8;

		w->stack = pool_resize(w->m->pool, w->stack, w->cap * sizeof(*w->stack),
				       cap * sizeof(*w->stack));
		w->cap = cap;
	}
	w->stack[w->n++] = (struct pair){ .a = a, .b = b };
}

static void pop_pair(struct walk_pairs *w)
{
	struct pair *p = &w->stack[--w->n];

	if (p->order_a != NULL)
		pool_free(w->m->pool, p->order_a, order_bytes(p->a));
	if (p->order_b != NULL)
		pool_free(w->m->pool, p->order_b, order_bytes(p->b));
}

/* Keys decide before values do. */
static int cmp_keys(struct json_mem *m, struct pair *p)
{
	size_t n = json_count(p->a) < json_count(p->b) ? json_count(p->a) : json_count(p->b);
	struct json_slot *a = p->a.u.obj->slots;
	struct json_slot *b = p->b.u.obj->slots;

	p->order_a = json_sorted(m, p->a);
	p->order_b = json_sorted(m, p->b);
	for (size_t i = 0; i < n; i++) {
		struct json_str *x = a[p->order_a[i]].key;
		struct json_str *y = b[p->order_b[i]].key;
		int cmp = x == y ? 0
				 : bytes_cmp((struct bytes){ x->ptr, x->len },
					     (struct bytes){ y->ptr, y->len });

		if (cmp != 0)
			return cmp;
	}
	return json_count(p->a) < json_count(p->b) ? -1 : json_count(p->a) > json_count(p->b);
}

/* The next two values inside p to be compared; false: there are none, *cmp is the result. */
static bool next_values(struct pair *p, struct json *a, struct json *b, int *cmp)
{
	size_t i = p->at++;

	if (p->a.kind == JSON_ARRAY) {
		size_t la = json_len(p->a);
		size_t lb = json_len(p->b);

		*cmp = la < lb ? -1 : la > lb;
		if (i >= la || i >= lb)
			return false;
		*a = json_at(p->a, i);
		*b = json_at(p->b, i);
		return true;
	}
	*cmp = 0;
	if (i >= json_count(p->a))
		return false;
	*a = p->a.u.obj->slots[p->order_a[i]].val;
	*b = p->b.u.obj->slots[p->order_b[i]].val;
	return true;
}

static int compare(struct json_mem *m, struct json a, struct json b)
{
	struct walk_pairs w = { .m = m };
	int cmp = 0;

	push_pair(&w, a, b);
	if (a.kind == JSON_OBJECT)
		cmp = cmp_keys(m, &w.stack[0]);
	while (cmp == 0 && w.n > 0) {
		if (m->poll != NULL && (w.stack[w.n - 1].at & 63) == 63)
			m->poll(m->arg, 4);
		if (!next_values(&w.stack[w.n - 1], &a, &b, &cmp)) {
			pop_pair(&w);
			continue;
		}
		cmp = rank(a) - rank(b);
		if (cmp != 0 || (a.kind >= JSON_ARRAY && a.u.ptr == b.u.ptr))
			continue;
		if (a.kind < JSON_ARRAY) {
			cmp = cmp_scalars(m, a, b);
			continue;
		}
		push_pair(&w, a, b);
		if (a.kind == JSON_OBJECT)
			cmp = cmp_keys(m, &w.stack[w.n - 1]);
	}
	while (w.n > 0)
		pop_pair(&w);
	pool_free(m->pool, w.stack, w.cap * sizeof(*w.stack));
	return cmp;
}

int json_cmp(struct json_mem *m, struct json a, struct json b)
{
	if (rank(a) != rank(b))
		return rank(a) - rank(b);
	return a.kind < JSON_ARRAY ? cmp_scalars(m, a, b) : compare(m, a, b);
}

bool json_equal(struct json_mem *m, struct json a, struct json b)
{
	if (rank(a) != rank(b))
		return false;
	if (a.kind == JSON_STRING) {
		compared(m, a, b);
		return bytes_eq(json_text(a), json_text(b));
	}
	if (a.kind < JSON_ARRAY)
		return cmp_scalars(m, a, b) == 0;
	if (a.kind == JSON_ARRAY ? json_len(a) != json_len(b) : json_count(a) != json_count(b))
		return false;
	return compare(m, a, b) == 0;
}

static int compare_elements(void *arg, const void *a, const void *b)
{
	struct json_mem *m = arg;

	if (m->poll != NULL)
		m->poll(m->arg, 1);
	return json_cmp(m, *(const struct json *)a, *(const struct json *)b);
}

struct json json_sort(struct json_mem *m, struct json array)
{
	array = json_own(m, array);

	size_t n = json_len(array);
	struct json *a = array.u.arr->items;
	struct json *tmp = pool_alloc(m->pool, (n + 1) * sizeof(*tmp));

	sort_stable(a, n, sizeof(*a), tmp, compare_elements, m);
	pool_free(m->pool, tmp, (n + 1) * sizeof(*tmp));
	return array;
}
