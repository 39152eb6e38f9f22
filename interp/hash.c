/* SPDX-License-Identifier: MIT
 *
 * Remembered locations of commands. A subshell adds to a table of its own and otherwise
 * looks into its parent's.
 */
#include "base/pack.h"
#include "interp/exec.h"
#include "interp/hash.h"

static struct hash_entry *find_in(const struct hash_table *t, struct bytes name, uint64_t hash)
{
	struct hash_entry *e = t->slot[hash % HASH_SLOTS];

	while (e != NULL && (e->hash != hash || !bytes_eq(e->name, name)))
		e = e->next;
	return e;
}

static struct hash_entry *find(struct shell *sh, struct bytes name, uint64_t hash)
{

	for (;;) {
		if (sh->hashed != NULL) {
			struct hash_entry *e = find_in(sh->hashed, name, hash);

			if (e != NULL || sh->hashed->cleared)
				return e;
		}
		if (!sh->overlay)
			return NULL;
		sh = sh->parent;
	}
}

struct hash_entry *hash_find(struct shell *sh, struct bytes name)
{
	struct hash_entry *e = find(sh, name, bytes_hash(name));

	return e != NULL && !e->hidden ? e : NULL;
}

struct hash_entry *hash_use(struct shell *sh, struct bytes name)
{
	uint64_t hash = bytes_hash(name);
	struct hash_entry *e = find(sh, name, hash);

	if (e == NULL)
		return NULL;
	if (sh->hashed != NULL && find_in(sh->hashed, name, hash) == e) {
		e->hidden = false;
		e->hits++;
	}
	return e;
}

static struct hash_table *own_table(struct shell *sh)
{
	if (sh->hashed == NULL)
		sh->hashed = pool_zalloc(sh->pool, sizeof(*sh->hashed));
	return sh->hashed;
}

void hash_put(struct shell *sh, struct bytes name, struct bytes path)
{
	struct hash_table *t = own_table(sh);
	uint64_t hash = bytes_hash(name);
	struct hash_entry *e = find_in(t, name, hash);
	char *copy = pool_dup(sh->pool, path); /* memory may end here, or below */

	if (e != NULL) {
		pool_free(sh->pool, e->path, strlen(e->path) + 1);
	} else {
		e = pool_zalloc(sh->pool, sizeof(*e));
		e->name = (struct bytes){ pool_dup(sh->pool, name), name.len };
		e->path = copy;
		e->hash = hash;
		e->order = t->inserted++;
		e->next = t->slot[hash % HASH_SLOTS];
		t->slot[hash % HASH_SLOTS] = e;
		t->count++;
	}
	e->path = copy;
	e->hits = 0;
	e->hidden = false;
	proc_charge(sh->p, (uint64_t)t->count / HASH_SLOTS);
}

void hash_keep(struct shell *sh, struct bytes name, struct bytes path)
{
	struct shell *to = sh;

	/* A shell that changed PATH has forgotten all: what it finds is not its parent's. */
	while (to->overlay && (to->hashed == NULL || !to->hashed->cleared))
		to = to->parent;
	hash_put(to, name, path);
	find_in(to->hashed, name, bytes_hash(name))->hidden = to != sh;
}

static void free_entry(struct shell *sh, struct hash_entry *e)
{
	pool_free(sh->pool, (void *)(uintptr_t)e->name.ptr, e->name.len + 1);
	pool_free(sh->pool, e->path, strlen(e->path) + 1);
	pool_free(sh->pool, e, sizeof(*e));
}

bool hash_remove(struct shell *sh, struct bytes name)
{
	struct hash_table *t = own_table(sh);
	uint64_t hash = bytes_hash(name);
	struct hash_entry **link = &t->slot[hash % HASH_SLOTS];

	for (; *link != NULL; link = &(*link)->next) {
		struct hash_entry *e = *link;

		if (e->hash != hash || !bytes_eq(e->name, name))
			continue;
		*link = e->next;
		t->count--;
		free_entry(sh, e);
		return true;
	}
	return false;
}

void hash_clear(struct shell *sh)
{
	struct hash_table *t;

	if (sh->hashed == NULL && !sh->overlay)
		return;
	t = own_table(sh);
	for (int i = 0; i < HASH_SLOTS; i++) {
		while (t->slot[i] != NULL) {
			struct hash_entry *e = t->slot[i];

			t->slot[i] = e->next;
			free_entry(sh, e);
		}
	}
	t->count = 0;
	t->cleared = true;
}

/* bash has 256 lists, with the newest entry of each first. */
static int by_bucket(const void *a, const void *b)
{
	const struct hash_entry *x = a;
	const struct hash_entry *y = b;
	unsigned bucket_x = assoc_hash(x->name) & 255;
	unsigned bucket_y = assoc_hash(y->name) & 255;

	if (bucket_x != bucket_y)
		return bucket_x < bucket_y ? -1 : 1;
	return x->order > y->order ? -1 : 1;
}

size_t hash_list(struct shell *sh, struct hash_entry ***out)
{
	size_t n = 0;
	struct shell *top = sh;

	for (;; sh = sh->parent) {
		n += sh->hashed != NULL ? sh->hashed->count : 0;
		if (!sh->overlay || (sh->hashed != NULL && sh->hashed->cleared))
			break;
	}
	*out = arena_array(top->arena, n + 1, sizeof(**out));
	n = 0;
	for (sh = top;; sh = sh->parent) {
		for (int i = 0; sh->hashed != NULL && i < HASH_SLOTS; i++) {
			for (struct hash_entry *e = sh->hashed->slot[i]; e != NULL; e = e->next)
				if (!e->hidden)
					(*out)[n++] = e;
		}
		if (!sh->overlay || (sh->hashed != NULL && sh->hashed->cleared))
			break;
	}
	sort_pointers(top->arena, (void **)*out, n, by_bucket);
	return n;
}

/* --- saved --- */

static int by_order(const void *a, const void *b)
{
	const struct hash_entry *x = a;
	const struct hash_entry *y = b;

	return (x->order > y->order) - (x->order < y->order);
}

void hash_pack(struct shell *sh, struct buf *out)
{
	struct hash_table *t = sh->hashed;
	size_t n = t != NULL ? t->count : 0;
	struct hash_entry **all = arena_array(sh->arena, n + 1, sizeof *all);
	size_t k = 0;

	for (int i = 0; i < HASH_SLOTS && n != 0; i++)
		for (struct hash_entry *e = t->slot[i]; e != NULL && k < n; e = e->next)
			all[k++] = e;
	sort_pointers(sh->arena, (void **)all, k, by_order);
	pack_u64(out, k);
	for (size_t i = 0; i < k; i++) {
		pack_bytes(out, all[i]->name);
		pack_text(out, all[i]->path);
		pack_u64(out, (uint64_t)all[i]->hits);
		pack_u64(out, all[i]->hidden);
	}
}

void hash_unpack(struct shell *sh, struct unpack *in)
{
	size_t n = unpack_count(in);

	for (size_t i = 0; i < n && !in->bad; i++) {
		struct bytes name = unpack_bytes(in);
		struct bytes path = unpack_text(in);
		int hits = (int)unpack_below(in, INT32_MAX / 2);
		bool hidden = unpack_below(in, 1) != 0;
		struct hash_entry *e;

		in->bad |= path.ptr == NULL || memchr(name.ptr, '\0', name.len) != NULL;
		if (in->bad)
			return;
		hash_put(sh, name, path);
		e = find_in(sh->hashed, name, bytes_hash(name));
		e->hits = hits;
		e->hidden = hidden;
	}
}
