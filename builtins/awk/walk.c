/* SPDX-License-Identifier: MIT
 *
 * In which order a loop goes over an array: that of gawk, whose arrays are up to three tables.
 *
 *   strings   chains in buckets, the newest key first; the hash is sdbm's (Yigit). It moves to
 *             the next size of table_sizes as soon as there are three keys to a bucket.
 *   integers  the same with pairs in the chains; the hash is the end of Hsieh's SuperFastHash.
 *   naturals  a tree of leaves, walked in ascending order (natural.c).
 *
 * A key's table is decided when it comes, and loops go over the three in this order. Lookups
 * don't need the first two (array.c), so as little as possible is kept of them: strings are put
 * into buckets when a loop asks for them. Only integers, of which there are any where keys are
 * negative or far apart, have their chains at all times, because a deletion changes the order of
 * the others. Found by experiments with gawk 5.2.
 */
#include "builtins/awk/awk.h"

enum { CHAIN_MAX = 3 }; /* keys to a bucket, on average, at which a table grows */

static const uint32_t table_sizes[] = {
	13,       127,      1021,     8191,      16381,     32749,     65497,
	131101,   262147,   524309,   1048583,   2097169,   4194319,   8388617,
	16777259, 33554467, 67108879, 134217757, 268435459, 536870923, 1073741827,
};
enum { TABLE_SIZES = sizeof table_sizes / sizeof table_sizes[0] };

/* Up to two elements of a bucket's chain; only its first pair may hold one. */
struct pair {
	struct pair *next;
	struct elem *e[2];
	unsigned n;
};

struct walk {
	size_t strings;
	size_t integers;
	uint8_t strings_grown; /* index into table_sizes */
	uint8_t integers_grown;
	struct pair **bucket; /* of the integers */
};

static uint32_t hash_text(struct bytes s)
{
	uint32_t h = 0;

	for (size_t i = 0; i < s.len; i++)
		h = h * 65599 + (unsigned char)s.ptr[i];
	return h;
}

static uint32_t hash_number(int64_t number)
{
	uint32_t h = (uint32_t)number;

	h ^= h << 3;
	h += h >> 5;
	h ^= h << 4;
	h += h >> 17;
	h ^= h << 25;
	return h + (h >> 6);
}

/* --- integers --- */

static struct pair **bucket_of(const struct walk *w, const struct elem *e)
{
	return &w->bucket[hash_number(awk_key(str_bytes(e->key)).number) %
			  table_sizes[w->integers_grown]];
}

static void push_integer(struct awk *a, const struct walk *w, struct elem *e)
{
	struct pair **head = bucket_of(w, e);

	if (*head == NULL || (*head)->n == 2) {
		struct pair *p = pool_zalloc(a->pool, sizeof *p);

		p->next = *head;
		*head = p;
	}
	(*head)->e[(*head)->n++] = e;
}

static void grow_integers(struct awk *a, struct walk *w)
{
	struct pair **old = w->bucket;
	size_t n = table_sizes[w->integers_grown];

	w->bucket = pool_zalloc(a->pool, table_sizes[++w->integers_grown] * sizeof *w->bucket);
	for (size_t i = 0; i < n; i++)
		for (struct pair *p = old[i], *next; p != NULL; p = next) {
			next = p->next;
			for (unsigned k = 0; k < p->n; k++)
				push_integer(a, w, p->e[k]);
			pool_free(a->pool, p, sizeof *p);
		}
	pool_free(a->pool, old, n * sizeof(struct pair *));
	awk_work(a, n + w->integers);
}

static bool may_grow(size_t count, uint8_t grown)
{
	return count >= CHAIN_MAX * (size_t)table_sizes[grown] && grown + 1 < TABLE_SIZES;
}

static void add_integer(struct awk *a, struct walk *w, struct elem *e)
{
	if (w->bucket == NULL)
		w->bucket = pool_zalloc(a->pool, table_sizes[0] * sizeof *w->bucket);
	if (may_grow(++w->integers, w->integers_grown))
		grow_integers(a, w);
	push_integer(a, w, e);
}

static void free_integers(struct awk *a, struct walk *w)
{
	size_t n = table_sizes[w->integers_grown];

	if (w->bucket == NULL)
		return;
	for (size_t i = 0; i < n; i++)
		for (struct pair *p = w->bucket[i], *next; p != NULL; p = next) {
			next = p->next;
			pool_free(a->pool, p, sizeof *p);
		}
	pool_free(a->pool, w->bucket, n * sizeof(struct pair *));
	awk_work(a, n / 8 + 1);
	w->bucket = NULL;
	w->integers_grown = 0;
}

/* The last of the first pair takes the place that becomes free behind it. */
static void remove_integer(struct awk *a, struct walk *w, const struct elem *e)
{
	struct pair **head = bucket_of(w, e);
	struct pair *first = *head;
	struct pair *p = first;

	while (p->e[0] != e && (p->n < 2 || p->e[1] != e)) {
		p = p->next;
		awk_work(a, 1);
	}
	if (p->e[0] == e)
		p->e[0] = p->e[1];
	p->n--;
	if (p != first)
		p->e[p->n++] = first->e[--first->n];
	if (first->n == 0) {
		*head = first->next;
		pool_free(a->pool, first, sizeof *first);
	}
	if (--w->integers == 0)
		free_integers(a, w);
}

/* --- which table --- */

void awk_walk_add(struct awk *a, struct array *x, struct elem *e, bool whole)
{
	struct walk *w = x->walk;

	if (w == NULL)
		w = x->walk = pool_zalloc(a->pool, sizeof *w);
	e->integer = whole && (w->integers > 0 || w->strings == 0);
	if (e->integer) {
		add_integer(a, w, e);
		return;
	}
	if (may_grow(++w->strings, w->strings_grown))
		w->strings_grown++;
	e->grown = w->strings_grown;
}

void awk_walk_remove(struct awk *a, struct array *x, const struct elem *e)
{
	if (e->integer)
		remove_integer(a, x->walk, e);
	else if (--x->walk->strings == 0)
		x->walk->strings_grown = 0;
}

void awk_walk_free(struct awk *a, struct walk *w)
{
	if (w == NULL)
		return;
	free_integers(a, w);
	pool_free(a->pool, w, sizeof *w);
}

/* --- the list --- */

static struct member member_of(struct elem *e)
{
	return (struct member){ .key = e->key, .val = &e->val };
}

/* An element in a bucket's chain. */
struct link {
	struct elem *e;
	uint32_t hash;
	uint32_t next; /* index of a link; 0: none */
};

/* The strings' table as it came to be: chains turn round whenever it grows. */
struct chains {
	struct awk *a;
	struct link *link; /* from index 1 on */
	size_t n;
	uint32_t *head;
	uint8_t grown;
};

static void chain_push(struct chains *c, uint32_t i)
{
	uint32_t *head = &c->head[c->link[i].hash % table_sizes[c->grown]];

	c->link[i].next = *head;
	*head = i;
}

static void chains_grow(struct chains *c)
{
	uint32_t *old = c->head;
	size_t n = table_sizes[c->grown];

	c->head = pool_zalloc(c->a->pool, table_sizes[++c->grown] * sizeof *c->head);
	for (size_t b = 0; b < n; b++)
		for (uint32_t i = old[b], next; i != 0; i = next) {
			next = c->link[i].next;
			chain_push(c, i);
		}
	pool_free(c->a->pool, old, n * sizeof *old);
	awk_work(c->a, n / 8 + c->n);
}

static struct member *list_strings(struct awk *a, const struct array *x, struct member *out)
{
	const struct walk *w = x->walk;
	struct chains c = { .a = a };

	if (w->strings == 0)
		return out;
	c.link = pool_alloc(a->pool, (w->strings + 1) * sizeof *c.link);
	c.head = pool_zalloc(a->pool, table_sizes[0] * sizeof *c.head);
	for (struct elem *e = x->oldest; e != NULL; e = e->newer) {
		if (e->integer)
			continue;
		while (c.grown < e->grown)
			chains_grow(&c);
		c.link[++c.n] = (struct link){ .e = e, .hash = hash_text(str_bytes(e->key)) };
		chain_push(&c, (uint32_t)c.n);
		awk_work(a, 1 + e->key->len / 16);
	}
	while (c.grown < w->strings_grown)
		chains_grow(&c);
	for (size_t b = 0; b < table_sizes[c.grown]; b++)
		for (uint32_t i = c.head[b]; i != 0; i = c.link[i].next)
			*out++ = member_of(c.link[i].e);
	pool_free(a->pool, c.head, table_sizes[c.grown] * sizeof *c.head);
	pool_free(a->pool, c.link, (w->strings + 1) * sizeof *c.link);
	return out;
}

static struct member *list_integers(const struct walk *w, struct member *out)
{
	if (w->bucket == NULL)
		return out;
	for (size_t b = 0; b < table_sizes[w->integers_grown]; b++)
		for (const struct pair *p = w->bucket[b]; p != NULL; p = p->next)
			for (unsigned k = 0; k < p->n; k++)
				*out++ = member_of(p->e[k]);
	return out;
}

void awk_walk_list(struct awk *a, const struct array *x, struct member *out)
{
	if (x->walk != NULL) {
		out = list_strings(a, x, out);
		out = list_integers(x->walk, out);
	}
	awk_natural_list(a, x->naturals, out);
}
