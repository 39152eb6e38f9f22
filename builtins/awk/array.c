/* SPDX-License-Identifier: MIT
 *
 * awk's arrays: chained hash tables that remember in which order elements came.
 */
#include "builtins/awk/awk.h"

enum { BUCKETS_FIRST = 16 };

struct array *awk_array_new(struct awk *a)
{
	struct array *x = pool_zalloc(a->pool, sizeof *x);

	x->refs = 1;
	return x;
}

static bool small_number(struct bytes s, uint64_t *out)
{
	uint64_t v = 0;

	if (s.len == 0 || s.len > 9)
		return false;
	for (size_t i = 0; i < s.len; i++) {
		if (!byte_is_digit(s.ptr[i]))
			return false;
		v = v * 10 + (uint64_t)(s.ptr[i] - '0');
	}
	*out = v;
	return true;
}

/* Words at a time: keys are short, and this runs for each of them. */
static uint32_t hash_of(struct bytes s)
{
	uint64_t number = 0;

	if (small_number(s, &number)) {
		/* Eight neighbours share a cache line of buckets. */
		uint64_t group = (number >> 3) * 0xff51afd7ed558ccdu;

		group ^= group >> 32;
		return (uint32_t)(group << 3 ^ (number & 7) ^ group >> 40);
	}
	uint64_t h = 0x9e3779b97f4a7c15u ^ s.len;
	uint64_t word = 0;

	for (; s.len >= 8; s.ptr += 8, s.len -= 8) {
		memcpy(&word, s.ptr, 8);
		h = (h ^ word) * 0xff51afd7ed558ccdu;
		h ^= h >> 32;
	}
	word = 0;
	for (size_t i = 0; i < s.len; i++)
		word |= (uint64_t)(unsigned char)s.ptr[i] << (8 * i);
	h = (h ^ word) * 0xff51afd7ed558ccdu;
	h = (h ^ h >> 32) * 0xc4ceb9fe1a85ec53u;
	return (uint32_t)(h ^ h >> 32);
}

static void rehash(struct awk *a, struct array *x, size_t n)
{
	struct elem **bucket = pool_zalloc(a->pool, n * sizeof(struct elem *));

	for (struct elem *e = x->oldest; e != NULL; e = e->newer) {
		e->next = bucket[e->hash & (n - 1)];
		bucket[e->hash & (n - 1)] = e;
	}
	if (x->bucket != NULL) {
		awk_work(a, x->count / 8 + 1);
		pool_free(a->pool, x->bucket, (x->mask + 1) * sizeof(struct elem *));
	}
	x->bucket = bucket;
	x->mask = n - 1;
}

static struct elem *lookup(struct array *x, struct bytes key, uint32_t hash)
{
	if (x->count == 0)
		return NULL;
	for (struct elem *e = x->bucket[hash & x->mask]; e != NULL; e = e->next)
		if (e->hash == hash && e->key->len == key.len &&
		    memcmp(e->key->ptr, key.ptr, key.len) == 0)
			return e;
	return NULL;
}

struct val *awk_array_find(struct array *x, struct bytes key)
{
	struct elem *e = lookup(x, key, hash_of(key));

	return e != NULL ? &e->val : NULL;
}

struct val *awk_array_at(struct awk *a, struct array *x, struct bytes key)
{
	uint32_t hash = hash_of(key);
	struct elem *e = lookup(x, key, hash);

	if (e != NULL)
		return &e->val;
	if (x->bucket == NULL)
		rehash(a, x, BUCKETS_FIRST);
	else if (x->count > x->mask)
		rehash(a, x, (x->mask + 1) * 2);
	e = pool_alloc(a->pool, sizeof *e);
	e->key = awk_str_new(a, key);
	e->hash = hash;
	e->older = x->newest;
	e->newer = NULL;
	*(x->newest != NULL ? &x->newest->newer : &x->oldest) = e;
	x->newest = e;
	e->val = (struct val){ .kind = VAL_UNINIT };
	e->next = x->bucket[hash & x->mask];
	x->bucket[hash & x->mask] = e;
	awk_walk_add(a, x, e);
	x->count++;
	return &e->val;
}

void awk_array_set(struct awk *a, struct array *x, struct bytes key, struct val v)
{
	struct val *at = awk_array_at(a, x, key);
	struct val old = *at;

	*at = v;
	val_put(a, old);
}

void awk_array_set_num(struct awk *a, struct array *x, double key, struct val v)
{
	struct text_room tmp;

	awk_array_set(a, x, awk_num_text(a, key, SP_CONVFMT, &tmp), v);
}

static void free_elem(struct awk *a, struct elem *e)
{
	struct val v = e->val;

	str_put(a, e->key);
	pool_free(a->pool, e, sizeof *e);
	val_put(a, v);
}

void awk_array_delete(struct awk *a, struct array *x, struct bytes key)
{
	uint32_t hash = hash_of(key);
	struct elem *e = lookup(x, key, hash);

	if (e == NULL)
		return;
	struct elem **at = &x->bucket[hash & x->mask];

	while (*at != e)
		at = &(*at)->next;
	*at = e->next;
	*(e->older != NULL ? &e->older->newer : &x->oldest) = e->newer;
	*(e->newer != NULL ? &e->newer->older : &x->newest) = e->older;
	x->count--;
	awk_walk_remove(a, x, e);
	free_elem(a, e);
}

struct drain {
	struct awk *a;
	struct array *x;
};

static int drain(void *arg)
{
	struct drain *d = arg;
	struct elem **bucket = d->x->bucket;
	size_t n = d->x->mask + 1;
	struct walk *walk = d->x->walk;
	struct elem *next = d->x->oldest;

	/* Detached first: freeing an element may lead back here. */
	d->x->bucket = NULL;
	d->x->oldest = d->x->newest = NULL;
	d->x->walk = NULL;
	d->x->count = 0;
	d->x->mask = 0;
	while (next != NULL) {
		struct elem *e = next;

		next = e->newer;
		free_elem(d->a, e);
	}
	awk_work(d->a, n / 8 + 1);
	awk_walk_free(d->a, walk);
	pool_free(d->a->pool, bucket, n * sizeof(struct elem *));
	return 0;
}

void awk_array_clear(struct awk *a, struct array *x)
{
	struct drain d = { a, x };

	if (x->bucket == NULL)
		return;
	if (x->table != TABLE_NONE)
		awk_table_refuse(a, x, NULL);
	/* Arrays of arrays may be nested deeply. */
	if (cmd_stack_left(a->c) < AWK_STACK_NEED)
		cmd_deepen(a->c, AWK_STACK_NEED, drain, &d);
	else
		drain(&d);
}

void awk_array_put(struct awk *a, struct array *x)
{
	if (--x->refs > 0)
		return;
	awk_array_clear(a, x);
	pool_free(a->pool, x, sizeof *x);
}
