/* SPDX-License-Identifier: MIT
 *
 * Associative arrays, listed in the order in which bash lists them.
 *
 * Scripts see that order, so it is part of the language: 1024 buckets (of a variable that was
 * a scalar: 128) chosen by a 32-bit FNV-1 hash, the newest key first in its bucket; beyond two
 * keys a bucket there are four times as many buckets, and moving the keys turns their order
 * within a bucket around.
 */
#include "interp/var.h"

enum { KEYS_PER_BUCKET = 2, GROWTH = 4 };

struct entry {
	struct entry *next;
	uint32_t hash;
	size_t key_len;
	char *key;
	char *value;
	size_t len;
	size_t cap;
};

struct assoc {
	struct entry **bucket;
	size_t first;    /* how many buckets there will be */
	size_t nbuckets; /* 0 until something is put */
	size_t count;
	size_t passed; /* see assoc_passed */
};

uint32_t assoc_hash(struct bytes key)
{
	uint32_t h = 2166136261u;

	for (size_t i = 0; i < key.len; i++) {
		int c = (signed char)key.ptr[i];

		h *= 16777619u;
		h ^= (uint32_t)c;
	}
	return h;
}

struct assoc *assoc_new(struct pool *pool, size_t buckets)
{
	struct assoc *a = pool_zalloc(pool, sizeof *a);

	a->first = buckets;
	return a;
}

size_t assoc_buckets(const struct assoc *a)
{
	return a->nbuckets != 0 ? a->nbuckets : a->first;
}

static void free_entry(struct pool *pool, struct entry *e)
{
	pool_free(pool, e->key, e->key_len + 1);
	pool_free(pool, e->value, e->cap);
	pool_free(pool, e, sizeof *e);
}

void assoc_free(struct pool *pool, struct assoc *a)
{
	for (size_t i = 0; i < a->nbuckets; i++) {
		for (struct entry *e = a->bucket[i], *next; e != NULL; e = next) {
			next = e->next;
			free_entry(pool, e);
		}
	}
	pool_free(pool, a->bucket, a->nbuckets * sizeof *a->bucket);
	pool_free(pool, a, sizeof *a);
}

static struct entry *new_entry(struct pool *pool, struct bytes key, uint32_t hash,
			       struct bytes value)
{
	struct entry *e = pool_alloc(pool, sizeof *e);

	*e = (struct entry){
		NULL,      hash,         key.len, pool_dup(pool, key), pool_dup(pool, value),
		value.len, value.len + 1
	};
	return e;
}

struct assoc *assoc_copy(struct pool *pool, const struct assoc *a)
{
	struct assoc *copy = assoc_new(pool, a->first);

	copy->nbuckets = a->nbuckets;
	copy->count = a->count;
	copy->bucket = pool_zalloc(pool, a->nbuckets * sizeof *a->bucket);
	for (size_t i = 0; i < a->nbuckets; i++) {
		struct entry **tail = &copy->bucket[i];

		for (const struct entry *e = a->bucket[i]; e != NULL; e = e->next) {
			*tail = new_entry(pool, (struct bytes){ e->key, e->key_len }, e->hash,
					  (struct bytes){ e->value, e->len });
			tail = &(*tail)->next;
		}
	}
	return copy;
}

/* The link that points to the key's entry, or the NULL at the end of its chain. */
static struct entry **find(const struct assoc *a, struct bytes key, uint32_t hash)
{
	struct entry **at = &a->bucket[hash & (a->nbuckets - 1)];
	size_t passed = 0;

	while (*at != NULL && ((*at)->hash != hash || (*at)->key_len != key.len ||
			       memcmp((*at)->key, key.ptr, key.len) != 0)) {
		at = &(*at)->next;
		passed++;
	}
	((struct assoc *)(uintptr_t)a)->passed += passed;
	return at;
}

size_t assoc_passed(struct assoc *a)
{
	size_t passed = a->passed;

	a->passed = 0;
	return passed;
}

bool assoc_get(const struct assoc *a, struct bytes key, struct bytes *out)
{
	struct entry *e;

	if (a->count == 0)
		return false;
	e = *find(a, key, assoc_hash(key));
	if (e == NULL)
		return false;
	*out = (struct bytes){ e->value, e->len };
	return true;
}

static void link_first(struct assoc *a, struct entry *e)
{
	struct entry **head = &a->bucket[e->hash & (a->nbuckets - 1)];

	e->next = *head;
	*head = e;
}

static void grow(struct pool *pool, struct assoc *a)
{
	size_t old_n = a->nbuckets;
	struct entry **old = a->bucket;
	size_t n = old_n == 0 ? a->first : old_n * GROWTH;

	a->bucket = pool_zalloc(pool, n * sizeof *a->bucket); /* memory may end here */
	a->nbuckets = n;
	for (size_t i = 0; i < old_n; i++) {
		for (struct entry *e = old[i], *next; e != NULL; e = next) {
			next = e->next;
			link_first(a, e);
		}
	}
	pool_free(pool, old, old_n * sizeof *old);
}

/* The entry of the key, made with an empty value if it is missing. */
static struct entry *ensure(struct pool *pool, struct assoc *a, struct bytes key)
{
	uint32_t hash = assoc_hash(key);
	struct entry *e;

	if (a->nbuckets != 0 && (e = *find(a, key, hash)) != NULL)
		return e;
	if (a->count >= a->nbuckets * KEYS_PER_BUCKET)
		grow(pool, a);
	e = new_entry(pool, key, hash, (struct bytes){ "", 0 });
	link_first(a, e);
	a->count++;
	return e;
}

void assoc_put(struct pool *pool, struct assoc *a, struct bytes key, struct bytes value)
{
	struct entry *e = ensure(pool, a, key);
	char *old = e->value;
	size_t old_cap = e->cap;

	/* The new value may be a part of the old one. */
	if (value.len >= e->cap) {
		e->value = pool_dup(pool, value);
		e->cap = value.len + 1;
		pool_free(pool, old, old_cap);
	} else {
		memmove(e->value, value.ptr, value.len);
	}
	e->len = value.len;
	e->value[e->len] = '\0';
}

void assoc_append(struct pool *pool, struct assoc *a, struct bytes key, struct bytes more)
{
	struct entry *e = ensure(pool, a, key);
	size_t len = e->len + more.len;
	size_t cap = e->cap * 2 > len + 1 ? e->cap * 2 : len + 1;
	char *old = e->value;
	size_t old_cap = e->cap;

	/* What is appended may be a part of the old value. */
	if (len >= e->cap) {
		e->value = pool_alloc(pool, cap);
		e->cap = cap;
		memcpy(e->value, old, e->len);
	}
	memcpy(e->value + e->len, more.ptr, more.len);
	e->len = len;
	e->value[len] = '\0';
	if (old != e->value)
		pool_free(pool, old, old_cap);
}

bool assoc_remove(struct pool *pool, struct assoc *a, struct bytes key)
{
	struct entry **at;
	struct entry *e;

	if (a->count == 0)
		return false;
	at = find(a, key, assoc_hash(key));
	e = *at;
	if (e == NULL)
		return false;
	*at = e->next;
	free_entry(pool, e);
	a->count--;
	return true;
}

size_t assoc_count(const struct assoc *a)
{
	return a->count;
}

/* The cursor is the address of the entry given last. */
bool assoc_next(const struct assoc *a, size_t *cursor, struct bytes *key, struct bytes *value)
{
	const struct entry *e = (const struct entry *)*cursor;
	size_t i = 0;

	if (e != NULL) {
		i = (e->hash & (a->nbuckets - 1)) + 1;
		e = e->next;
	}
	while (e == NULL && i < a->nbuckets)
		e = a->bucket[i++];
	if (e == NULL)
		return false;
	*cursor = (size_t)e;
	*key = (struct bytes){ e->key, e->key_len };
	*value = (struct bytes){ e->value, e->len };
	return true;
}
