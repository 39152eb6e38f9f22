/* SPDX-License-Identifier: MIT
 *
 * Elements of arrays whose keys are natural numbers: places in leaves, found without comparing
 * texts, four times as small as an element of the hash table (array.c).
 *
 * A block holds the numbers that begin with the same bit (those below 1024 share one), and is cut
 * into leaves. Their sizes are gawk's, because they decide which numbers it keeps elsewhere, and
 * so the order of loops (walk.c): a number that would leave more than SPARSE_MAX places empty is
 * refused. Only those 32 places of a leaf exist around which something is.
 */
#include "base/sort.h"
#include "builtins/awk/awk.h"

enum {
	BLOCK_BITS_MIN = 10,
	SPARSE_MAX = 2048,
	CHUNK_BITS = 5,
	CHUNK_PLACES = 1 << CHUNK_BITS,
	LEAVES_FIRST = 8,
};

struct chunk {
	uint32_t present; /* a bit for each place */
	struct val val[CHUNK_PLACES];
};

struct leaf {
	uint32_t name;  /* 0: a free slot */
	uint32_t count; /* elements; 0: it became empty, and chunk is NULL */
	struct chunk **chunk;
};

struct naturals {
	size_t count;
	size_t capacity;     /* places of all leaves that hold something */
	struct leaf *leaf;   /* a hash table, open addressing */
	struct leaf *latest; /* found last */
	uint32_t leaf_mask;
	uint32_t leaf_slots; /* in use, those that became empty too */
};

size_t awk_natural_count(const struct naturals *t)
{
	return t != NULL ? t->count : 0;
}

/* --- leaves --- */

/* A number's block: 2^bits is its first one. */
static unsigned block_bits(uint32_t number)
{
	return number >> BLOCK_BITS_MIN == 0 ? BLOCK_BITS_MIN
					     : 31 - (unsigned)__builtin_clz(number);
}

static unsigned leaf_bits(unsigned block)
{
	unsigned bits = (block + 1) / 2;

	return bits > BLOCK_BITS_MIN ? (bits + 1) / 2 : bits;
}

static uint32_t leaf_name(uint32_t number)
{
	unsigned block = block_bits(number);

	return block << 26 | number >> leaf_bits(block);
}

static unsigned bits_of_name(uint32_t name)
{
	return leaf_bits(name >> 26);
}

static size_t chunks_of(uint32_t name)
{
	return (size_t)1 << (bits_of_name(name) - CHUNK_BITS);
}

/* The leaf, or the free slot where it would be. */
static struct leaf *find_leaf(const struct naturals *t, uint32_t name)
{
	uint32_t i = (uint32_t)(name * 0x9e3779b97f4a7c15u >> 32) & t->leaf_mask;

	while (t->leaf[i].name != 0 && t->leaf[i].name != name)
		i = (i + 1) & t->leaf_mask;
	return &t->leaf[i];
}

/* The table again, with room, without leaves that became empty. */
static void rehash(struct awk *a, struct naturals *t)
{
	struct leaf *old = t->leaf;
	uint32_t slots = old != NULL ? t->leaf_mask + 1 : 0;
	uint32_t used = 0;
	uint32_t n = LEAVES_FIRST;

	for (uint32_t i = 0; i < slots; i++)
		used += old[i].count != 0;
	while (n < used * 4)
		n *= 2;
	t->leaf = pool_zalloc(a->pool, n * sizeof *t->leaf);
	t->leaf_mask = n - 1;
	t->leaf_slots = used;
	t->latest = t->leaf;
	for (uint32_t i = 0; i < slots; i++)
		if (old[i].count != 0)
			*find_leaf(t, old[i].name) = old[i];
	awk_work(a, slots / 8 + 1);
	if (old != NULL)
		pool_free(a->pool, old, slots * sizeof *old);
}

static struct chunk **chunk_of(const struct leaf *leaf, uint32_t number)
{
	return &leaf->chunk[number >> CHUNK_BITS & (chunks_of(leaf->name) - 1)];
}

/* --- elements --- */

static struct leaf *latest_leaf(struct naturals *t, uint32_t number)
{
	uint32_t name = leaf_name(number);

	if (t->latest->name != name)
		t->latest = find_leaf(t, name);
	return t->latest;
}

struct val *awk_natural_find(struct naturals *t, uint32_t number)
{
	struct leaf *leaf = latest_leaf(t, number);

	if (leaf->count == 0)
		return NULL;
	struct chunk *c = *chunk_of(leaf, number);
	uint32_t place = number % CHUNK_PLACES;

	return c != NULL && c->present >> place & 1 ? &c->val[place] : NULL;
}

bool awk_natural_fits(const struct naturals *t, uint32_t number)
{
	unsigned bits = block_bits(number);

	/* What gawk reckons with, which is less than a leaf of 1024 places. */
	while (bits >= BLOCK_BITS_MIN)
		bits = (bits + 1) / 2;
	return t == NULL || t->capacity + ((size_t)1 << bits) <= SPARSE_MAX + t->count;
}

struct val *awk_natural_add(struct awk *a, struct naturals **at, uint32_t number)
{
	struct naturals *t = *at;
	uint32_t place = number % CHUNK_PLACES;

	if (t == NULL)
		t = *at = pool_zalloc(a->pool, sizeof *t);
	if (t->leaf == NULL || t->leaf_slots * 2 > t->leaf_mask)
		rehash(a, t);
	struct leaf *leaf = latest_leaf(t, number);

	if (leaf->name == 0) {
		leaf->name = leaf_name(number);
		t->leaf_slots++;
	}
	if (leaf->count++ == 0) {
		leaf->chunk = pool_zalloc(a->pool, chunks_of(leaf->name) * sizeof(struct chunk *));
		t->capacity += (size_t)1 << bits_of_name(leaf->name);
	}
	struct chunk **c = chunk_of(leaf, number);

	if (*c == NULL) {
		*c = pool_alloc(a->pool, sizeof **c);
		(*c)->present = 0;
	}
	(*c)->present |= (uint32_t)1 << place;
	(*c)->val[place] = (struct val){ .kind = VAL_UNINIT };
	t->count++;
	return &(*c)->val[place];
}

void awk_natural_remove(struct awk *a, struct naturals *t, uint32_t number)
{
	struct leaf *leaf = latest_leaf(t, number);
	struct chunk **c = chunk_of(leaf, number);
	uint32_t place = number % CHUNK_PLACES;
	struct val old = (*c)->val[place];

	(*c)->present &= ~((uint32_t)1 << place);
	if ((*c)->present == 0) {
		pool_free(a->pool, *c, sizeof **c);
		*c = NULL;
	}
	t->count--;
	if (--leaf->count == 0) {
		t->capacity -= (size_t)1 << bits_of_name(leaf->name);
		pool_free(a->pool, leaf->chunk, chunks_of(leaf->name) * sizeof(struct chunk *));
		leaf->chunk = NULL;
	}
	val_put(a, old);
}

static void free_chunk(struct awk *a, struct chunk *c)
{
	for (uint32_t i = 0; i < CHUNK_PLACES; i++)
		if (c->present >> i & 1)
			val_put(a, c->val[i]);
	pool_free(a->pool, c, sizeof *c);
}

void awk_natural_free(struct awk *a, struct naturals *t)
{
	if (t == NULL)
		return;
	for (uint32_t i = 0; i <= t->leaf_mask; i++) {
		struct leaf *leaf = &t->leaf[i];
		size_t n = leaf->count != 0 ? chunks_of(leaf->name) : 0;

		for (size_t k = 0; k < n; k++)
			if (leaf->chunk[k] != NULL)
				free_chunk(a, leaf->chunk[k]);
		if (n != 0)
			pool_free(a->pool, leaf->chunk, n * sizeof(struct chunk *));
	}
	awk_work(a, t->count / 8 + t->leaf_mask / 8);
	pool_free(a->pool, t->leaf, (t->leaf_mask + 1) * sizeof *t->leaf);
	pool_free(a->pool, t, sizeof *t);
}

/* --- the list --- */

static int by_name(void *arg, const void *x, const void *y)
{
	uint32_t one = ((const struct leaf *)x)->name;
	uint32_t other = ((const struct leaf *)y)->name;

	awk_work(arg, 1);
	return one < other ? -1 : one > other;
}

static struct member *list_leaf(const struct leaf *leaf, struct member *out)
{
	unsigned bits = bits_of_name(leaf->name);
	uint32_t first = (leaf->name & ((1u << 26) - 1)) << bits;

	for (size_t k = 0; k < chunks_of(leaf->name); k++) {
		struct chunk *c = leaf->chunk[k];

		for (uint32_t i = 0; c != NULL && i < CHUNK_PLACES; i++)
			if (c->present >> i & 1)
				*out++ = (struct member){
					.natural = first + (uint32_t)k * CHUNK_PLACES + i,
					.val = &c->val[i],
				};
	}
	return out;
}

void awk_natural_list(struct awk *a, const struct naturals *t, struct member *out)
{
	size_t bytes;
	struct leaf *list;
	struct leaf *spare;
	size_t n = 0;

	if (t == NULL || t->count == 0)
		return;
	bytes = (t->leaf_slots + 1) * sizeof *list;
	list = pool_alloc(a->pool, bytes);
	spare = pool_alloc(a->pool, bytes);
	for (uint32_t i = 0; i <= t->leaf_mask; i++)
		if (t->leaf[i].count != 0)
			list[n++] = t->leaf[i];
	sort_stable(list, n, sizeof *list, spare, by_name, a);
	for (size_t i = 0; i < n; i++)
		out = list_leaf(&list[i], out);
	awk_work(a, t->count / 4 + t->leaf_mask / 8);
	pool_free(a->pool, spare, bytes);
	pool_free(a->pool, list, bytes);
}
