/* SPDX-License-Identifier: MIT
 *
 * awk's arrays: natural numbers in leaves (natural.c), other keys in a chained hash table that
 * remembers in which order they came.
 */
#include "builtins/awk/awk.h"

enum { BUCKETS_FIRST = 16 };

struct array *awk_array_new(struct awk *a)
{
	struct array *x = pool_zalloc(a->pool, sizeof *x);

	x->refs = 1;
	return x;
}

struct key awk_key(struct bytes text)
{
	struct key k = { .text = text };
	size_t at = text.len > 0 && text.ptr[0] == '-';

	if (text.len == at || text.len - at > 10 || (text.ptr[at] == '0' && text.len > 1))
		return k;
	for (size_t i = at; i < text.len; i++) {
		if (!byte_is_digit(text.ptr[i]))
			return k;
		k.number = k.number * 10 + (text.ptr[i] - '0');
	}
	k.whole = k.number <= INT32_MAX;
	if (at == 1)
		k.number = -k.number;
	return k;
}

struct key awk_key_of_num(struct awk *a, double d, struct text_room *tmp)
{
	if (d >= 0 && d <= INT32_MAX && (double)(int32_t)d == d)
		return (struct key){ .number = (int32_t)d, .whole = true };
	return awk_key(awk_num_text(a, d, SP_CONVFMT, tmp));
}

struct bytes awk_key_text(const struct key *k, struct text_room *tmp)
{
	if (k->text.ptr != NULL)
		return k->text;
	return (struct bytes){ tmp->ptr, number_put_i64(tmp->ptr, k->number) };
}

/* Words at a time: keys are short, and this runs for each of them. */
static uint32_t hash_of(struct bytes s)
{
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

static size_t hashed(const struct array *x)
{
	return x->count - awk_natural_count(x->naturals);
}

static void rehash(struct awk *a, struct array *x, size_t n)
{
	struct elem **bucket = pool_zalloc(a->pool, n * sizeof(struct elem *));

	for (struct elem *e = x->oldest; e != NULL; e = e->newer) {
		e->next = bucket[e->hash & (n - 1)];
		bucket[e->hash & (n - 1)] = e;
	}
	if (x->bucket != NULL) {
		awk_work(a, hashed(x) / 8 + 1);
		pool_free(a->pool, x->bucket, (x->mask + 1) * sizeof(struct elem *));
	}
	x->bucket = bucket;
	x->mask = n - 1;
}

static struct elem *lookup(const struct array *x, struct bytes key, uint32_t hash)
{
	for (struct elem *e = x->bucket[hash & x->mask]; e != NULL; e = e->next)
		if (e->hash == hash && e->key->len == key.len &&
		    memcmp(e->key->ptr, key.ptr, key.len) == 0)
			return e;
	return NULL;
}

static bool is_natural(const struct key *k)
{
	return k->whole && k->number >= 0;
}

static struct val *find_natural(const struct array *x, const struct key *k)
{
	if (awk_natural_count(x->naturals) == 0 || !is_natural(k))
		return NULL;
	return awk_natural_find(x->naturals, (uint32_t)k->number);
}

struct val *awk_array_find(const struct array *x, struct key k)
{
	struct text_room tmp;
	struct val *v = find_natural(x, &k);

	if (v != NULL || hashed(x) == 0)
		return v;
	struct bytes text = awk_key_text(&k, &tmp);
	struct elem *e = lookup(x, text, hash_of(text));

	return e != NULL ? &e->val : NULL;
}

static struct val *add_elem(struct awk *a, struct array *x, struct bytes text, uint32_t hash,
			    bool whole)
{
	struct elem *e = pool_alloc(a->pool, sizeof *e);

	if (x->bucket == NULL)
		rehash(a, x, BUCKETS_FIRST);
	else if (hashed(x) > x->mask)
		rehash(a, x, (x->mask + 1) * 2);
	e->key = awk_str_new(a, text);
	e->hash = hash;
	e->older = x->newest;
	e->newer = NULL;
	*(x->newest != NULL ? &x->newest->newer : &x->oldest) = e;
	x->newest = e;
	e->val = (struct val){ .kind = VAL_UNINIT };
	e->next = x->bucket[hash & x->mask];
	x->bucket[hash & x->mask] = e;
	awk_walk_add(a, x, e, whole);
	x->count++;
	return &e->val;
}

struct val *awk_array_at(struct awk *a, struct array *x, struct key k)
{
	struct text_room tmp;
	struct val *v = find_natural(x, &k);

	if (v != NULL)
		return v;
	size_t others = hashed(x);
	bool natural = is_natural(&k) && (others == 0 || x->count > others) &&
		       awk_natural_fits(x->naturals, (uint32_t)k.number);
	struct bytes text = BYTES("");
	uint32_t hash = 0;

	if (others != 0 || !natural) {
		text = awk_key_text(&k, &tmp);
		hash = hash_of(text);
	}
	/* A number may be there that did not fit when it came. */
	struct elem *e = others != 0 ? lookup(x, text, hash) : NULL;

	if (e != NULL)
		return &e->val;
	if (!natural)
		return add_elem(a, x, text, hash, k.whole);
	x->count++;
	return awk_natural_add(a, &x->naturals, (uint32_t)k.number);
}

static void set(struct awk *a, struct array *x, struct key k, struct val v)
{
	struct val *at = awk_array_at(a, x, k);
	struct val old = *at;

	*at = v;
	val_put(a, old);
}

void awk_array_set(struct awk *a, struct array *x, struct bytes key, struct val v)
{
	set(a, x, awk_key(key), v);
}

void awk_array_set_num(struct awk *a, struct array *x, double key, struct val v)
{
	struct text_room tmp;

	set(a, x, awk_key_of_num(a, key, &tmp), v);
}

static void free_elem(struct awk *a, struct elem *e)
{
	struct val v = e->val;

	str_put(a, e->key);
	pool_free(a->pool, e, sizeof *e);
	val_put(a, v);
}

void awk_array_delete(struct awk *a, struct array *x, struct key k)
{
	struct text_room tmp;

	if (find_natural(x, &k) != NULL) {
		x->count--;
		awk_natural_remove(a, x->naturals, (uint32_t)k.number);
		return;
	}
	if (hashed(x) == 0)
		return;
	struct bytes text = awk_key_text(&k, &tmp);
	uint32_t hash = hash_of(text);
	struct elem *e = lookup(x, text, hash);

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
	struct array old = *d->x;
	struct elem *next = old.oldest;

	/* Detached first: freeing an element may lead back here. */
	d->x->bucket = NULL;
	d->x->oldest = d->x->newest = NULL;
	d->x->walk = NULL;
	d->x->naturals = NULL;
	d->x->count = 0;
	d->x->mask = 0;
	while (next != NULL) {
		struct elem *e = next;

		next = e->newer;
		free_elem(d->a, e);
	}
	awk_walk_free(d->a, old.walk);
	awk_natural_free(d->a, old.naturals);
	if (old.bucket == NULL)
		return 0;
	awk_work(d->a, (old.mask + 1) / 8 + 1);
	pool_free(d->a->pool, old.bucket, (old.mask + 1) * sizeof(struct elem *));
	return 0;
}

void awk_array_clear(struct awk *a, struct array *x)
{
	struct drain d = { a, x };

	if (x->bucket == NULL && x->naturals == NULL)
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
