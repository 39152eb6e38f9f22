/* SPDX-License-Identifier: MIT
 *
 * A table of values by key: open addressing, grown at two thirds.
 */
#include "builtins/git/git.h"

struct slot {
	struct bytes key;
	uint64_t hash;
	void *value;
	bool used;
};

struct lookup {
	struct git *g;
	struct slot *at;
	size_t n;
	size_t cap; /* a power of two */
};

struct lookup *lookup_new(struct git *g)
{
	struct lookup *t = pool_zalloc(g->c->pool, sizeof(*t));

	t->g = g;
	t->cap = 64;
	t->at = pool_zalloc(g->c->pool, t->cap * sizeof(*t->at));
	return t;
}

static struct slot *find_slot(const struct lookup *t, struct bytes key, uint64_t hash)
{
	size_t i = hash & (t->cap - 1);

	while (t->at[i].used && !(t->at[i].hash == hash && bytes_eq(t->at[i].key, key)))
		i = (i + 1) & (t->cap - 1);
	return &t->at[i];
}

static void grow(struct lookup *t)
{
	struct slot *old = t->at;
	size_t n = t->cap;

	t->cap *= 2;
	t->at = pool_zalloc(t->g->c->pool, t->cap * sizeof(*t->at));
	for (size_t i = 0; i < n; i++)
		if (old[i].used)
			*find_slot(t, old[i].key, old[i].hash) = old[i];
	pool_free(t->g->c->pool, old, n * sizeof(*old));
	cmd_charge(t->g->c, n / 8);
}

void **lookup_at(struct lookup *t, struct bytes key)
{
	uint64_t hash = bytes_hash(key);
	struct slot *s;

	if (t->n * 3 >= t->cap * 2)
		grow(t);
	s = find_slot(t, key, hash);
	if (!s->used) {
		*s = (struct slot){ .key = key, .hash = hash, .used = true };
		t->n++;
	}
	return &s->value;
}

void *lookup_get(const struct lookup *t, struct bytes key)
{
	const struct slot *s = find_slot(t, key, bytes_hash(key));

	return s->used ? s->value : NULL;
}

size_t lookup_count(const struct lookup *t)
{
	return t->n;
}

void lookup_each(const struct lookup *t, void (*fn)(void *value))
{
	for (size_t i = 0; i < t->cap; i++)
		if (t->at[i].used)
			fn(t->at[i].value);
	cmd_charge(t->g->c, t->cap / 8);
}
