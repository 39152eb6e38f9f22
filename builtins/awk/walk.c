/* SPDX-License-Identifier: MIT
 *
 * In which order a loop goes over an array: that of gawk, whose arrays are up to three tables.
 *
 *   strings   chains in buckets, the newest key first; the hash is sdbm's (Yigit). It moves to
 *             the next size of table_sizes as soon as there are three keys to a bucket.
 *   integers  the same with pairs in the chains; the hash is the end of Hsieh's SuperFastHash.
 *   naturals  a tree of leaves, walked in ascending order; a number that would leave more than
 *             SPARSE_MAX places of the leaves empty goes to another table.
 *
 * A key's table is decided when it comes, and loops go over the three in this order. Lookups
 * don't need any of it (array.c), so it is kept as small as it can be: strings are put into
 * buckets when a loop asks for them, naturals are counted by leaf. Only the integers, of which
 * there are any where keys are negative or far apart, have their chains at all times, because a
 * deletion changes the order of the others. Found by experiments with gawk 5.2.
 */
#include "base/sort.h"
#include "builtins/awk/awk.h"

enum {
	NATURAL_BITS_MIN = 10, /* smaller numbers share a block of the tree */
	SPARSE_MAX = 2048,
	CHAIN_MAX = 3, /* keys to a bucket, on average, at which a table grows */
	LEAVES_FIRST = 8,
};

static const uint32_t table_sizes[] = {
	13,      127,     1021,    8191,     16381,    32749,    65497,     131101,    262147,
	524309,  1048583, 2097169, 4194319,  8388617,  16777259, 33554467,  67108879,  134217757,
	268435459, 536870923, 1073741827,
};
enum { TABLE_SIZES = sizeof table_sizes / sizeof table_sizes[0] };

/* Up to two elements of a bucket's chain; only its first pair may hold one. */
struct pair {
	struct pair *next;
	struct elem *e[2];
	unsigned n;
};

/* How many elements a leaf has. */
struct leaf {
	uint32_t name; /* 0: a free slot */
	uint32_t count;
};

struct walk {
	size_t strings;
	size_t integers;
	size_t naturals;
	uint8_t strings_grown; /* index into table_sizes */
	uint8_t integers_grown;
	struct pair **bucket; /* of the integers */
	struct leaf *leaf;    /* a hash table, open addressing */
	uint32_t leaf_mask;
	uint32_t leaf_slots; /* in use, those that became empty too */
	size_t capacity;     /* places of all leaves that are not empty */
};

/* --- keys --- */

/* A whole number of 32 bits, written as awk writes it. */
static bool whole(struct bytes s, int64_t *out)
{
	bool minus = s.len > 0 && s.ptr[0] == '-';
	int64_t v = 0;

	if (minus)
		s = (struct bytes){ s.ptr + 1, s.len - 1 };
	if (s.len == 0 || s.len > 10 || (s.ptr[0] == '0' && (s.len > 1 || minus)))
		return false;
	for (size_t i = 0; i < s.len; i++) {
		if (!byte_is_digit(s.ptr[i]))
			return false;
		v = v * 10 + (s.ptr[i] - '0');
	}
	*out = minus ? -v : v;
	return v <= INT32_MAX;
}

static int64_t number_of(const struct elem *e)
{
	int64_t v = 0;

	whole(str_bytes(e->key), &v);
	return v;
}

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

/* --- naturals --- */

/* Where a number stands in the tree: block 2^bits, cut into leaves of 2^leaf_bits places. */
struct place {
	uint32_t name;
	unsigned leaf_bits;
	unsigned wanted_bits; /* of the leaf that gawk reckons with beforehand */
};

static struct place place_of(int64_t number)
{
	uint32_t v = (uint32_t)number;
	unsigned bits = NATURAL_BITS_MIN;
	struct place p;

	while (v >> bits > 1)
		bits++;
	p.leaf_bits = (bits + 1) / 2;
	while (p.leaf_bits > NATURAL_BITS_MIN)
		p.leaf_bits = (p.leaf_bits + 1) / 2;
	p.wanted_bits = bits;
	while (p.wanted_bits >= NATURAL_BITS_MIN)
		p.wanted_bits = (p.wanted_bits + 1) / 2;
	p.name = (bits << 26) | v >> p.leaf_bits;
	return p;
}

static struct leaf *find_leaf(const struct walk *w, uint32_t name)
{
	uint32_t i = (uint32_t)(name * 0x9e3779b97f4a7c15u >> 32);

	while (w->leaf[i & w->leaf_mask].name != 0 && w->leaf[i & w->leaf_mask].name != name)
		i++;
	return &w->leaf[i & w->leaf_mask];
}

/* The table again, with room, without leaves that became empty. */
static void rehash_leaves(struct awk *a, struct walk *w)
{
	struct walk old = *w;
	uint32_t slots = old.leaf != NULL ? old.leaf_mask + 1 : 0;
	uint32_t used = 0;
	uint32_t n = LEAVES_FIRST;

	for (uint32_t i = 0; i < slots; i++)
		used += old.leaf[i].count != 0;
	while (n < used * 4)
		n *= 2;
	w->leaf = pool_zalloc(a->pool, n * sizeof *w->leaf);
	w->leaf_mask = n - 1;
	w->leaf_slots = used;
	for (uint32_t i = 0; i < slots; i++)
		if (old.leaf[i].count != 0)
			*find_leaf(w, old.leaf[i].name) = old.leaf[i];
	awk_work(a, slots / 8 + 1);
	if (old.leaf != NULL)
		pool_free(a->pool, old.leaf, slots * sizeof *old.leaf);
}

static void add_natural(struct awk *a, struct walk *w, struct place p)
{
	if (w->leaf == NULL || w->leaf_slots * 2 > w->leaf_mask)
		rehash_leaves(a, w);
	struct leaf *leaf = find_leaf(w, p.name);

	if (leaf->name == 0)
		w->leaf_slots++;
	leaf->name = p.name;
	if (leaf->count++ == 0)
		w->capacity += (size_t)1 << p.leaf_bits;
	w->naturals++;
}

static void remove_natural(struct walk *w, const struct elem *e)
{
	struct place p = place_of(number_of(e));

	if (--find_leaf(w, p.name)->count == 0)
		w->capacity -= (size_t)1 << p.leaf_bits;
	w->naturals--;
}

/* --- integers --- */

static struct pair **bucket_of(const struct walk *w, const struct elem *e)
{
	return &w->bucket[hash_number(number_of(e)) % table_sizes[w->integers_grown]];
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

void awk_walk_add(struct awk *a, struct array *x, struct elem *e)
{
	struct walk *w = x->walk;
	int64_t number;
	bool is_whole = whole(str_bytes(e->key), &number);

	if (w == NULL)
		w = x->walk = pool_zalloc(a->pool, sizeof *w);
	if (is_whole && number >= 0 && (w->naturals > 0 || w->strings + w->integers == 0)) {
		struct place p = place_of(number);

		if (w->capacity + ((size_t)1 << p.wanted_bits) <= SPARSE_MAX + w->naturals) {
			e->table = IN_NATURALS;
			add_natural(a, w, p);
			return;
		}
	}
	if (is_whole && (w->integers > 0 || w->strings == 0)) {
		e->table = IN_INTEGERS;
		add_integer(a, w, e);
		return;
	}
	e->table = IN_STRINGS;
	if (may_grow(++w->strings, w->strings_grown))
		w->strings_grown++;
	e->grown = w->strings_grown;
}

void awk_walk_remove(struct awk *a, struct array *x, const struct elem *e)
{
	struct walk *w = x->walk;

	switch ((enum elem_table)e->table) {
	case IN_NATURALS: remove_natural(w, e); break;
	case IN_INTEGERS: remove_integer(a, w, e); break;
	case IN_STRINGS:
		if (--w->strings == 0)
			w->strings_grown = 0;
	}
}

void awk_walk_free(struct awk *a, struct walk *w)
{
	if (w == NULL)
		return;
	free_integers(a, w);
	if (w->leaf != NULL)
		pool_free(a->pool, w->leaf, (w->leaf_mask + 1) * sizeof *w->leaf);
	pool_free(a->pool, w, sizeof *w);
}

/* --- the list --- */

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

static struct elem **list_strings(struct awk *a, const struct array *x, struct elem **out)
{
	const struct walk *w = x->walk;
	struct chains c = { .a = a };

	if (w->strings == 0)
		return out;
	c.link = pool_alloc(a->pool, (w->strings + 1) * sizeof *c.link);
	c.head = pool_zalloc(a->pool, table_sizes[0] * sizeof *c.head);
	for (struct elem *e = x->oldest; e != NULL; e = e->newer) {
		if (e->table != IN_STRINGS)
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
			*out++ = c.link[i].e;
	pool_free(a->pool, c.head, table_sizes[c.grown] * sizeof *c.head);
	pool_free(a->pool, c.link, (w->strings + 1) * sizeof *c.link);
	return out;
}

static struct elem **list_integers(const struct walk *w, struct elem **out)
{
	if (w->bucket == NULL)
		return out;
	for (size_t b = 0; b < table_sizes[w->integers_grown]; b++)
		for (const struct pair *p = w->bucket[b]; p != NULL; p = p->next)
			for (unsigned k = 0; k < p->n; k++)
				*out++ = p->e[k];
	return out;
}

struct natural {
	int64_t number;
	struct elem *e;
};

static int by_number(void *arg, const void *x, const void *y)
{
	int64_t one = ((const struct natural *)x)->number;
	int64_t other = ((const struct natural *)y)->number;

	awk_work(arg, 1);
	return one < other ? -1 : one > other;
}

static void list_naturals(struct awk *a, const struct array *x, struct elem **out)
{
	size_t n = x->walk->naturals;
	size_t bytes = (n + 1) * sizeof(struct natural);
	struct natural *list = pool_alloc(a->pool, bytes);
	bool ascending = true;
	size_t i = 0;

	for (struct elem *e = x->oldest; e != NULL; e = e->newer) {
		if (e->table != IN_NATURALS)
			continue;
		list[i] = (struct natural){ number_of(e), e };
		ascending = ascending && (i == 0 || list[i - 1].number < list[i].number);
		i++;
	}
	awk_work(a, x->count / 4 + 1);
	if (!ascending) {
		struct natural *spare = pool_alloc(a->pool, bytes);

		sort_stable(list, n, sizeof *list, spare, by_number, a);
		pool_free(a->pool, spare, bytes);
	}
	for (i = 0; i < n; i++)
		out[i] = list[i].e;
	pool_free(a->pool, list, bytes);
}

void awk_walk_list(struct awk *a, const struct array *x, struct elem **out)
{
	if (x->walk == NULL)
		return;
	out = list_strings(a, x, out);
	out = list_integers(x->walk, out);
	list_naturals(a, x, out);
}
