/* SPDX-License-Identifier: MIT
 *
 * A persistent radix tree: number -> counted item. Serves as the inode map and as the page
 * table of a file.
 *
 * All parts, nodes and items, begin with their count, so that copying a node is taking one
 * more reference to each of its slots, whatever they are. Recursion is bounded by the height.
 */
#include "vfs/private.h"

static uint64_t span_of(uint32_t height)
{
	return height * RADIX_BITS >= 64 ? UINT64_MAX : (uint64_t)1 << (height * RADIX_BITS);
}

static unsigned index_at(uint64_t key, uint32_t level)
{
	return (unsigned)(key >> (level * RADIX_BITS)) & RADIX_MASK;
}

static struct radix_node *node_new(struct store *s)
{
	struct radix_node *n = store_alloc(s, sizeof *n);

	if (n == NULL)
		return NULL;
	memset(n, 0, sizeof *n);
	atomic_init(&n->refs, 1);
	return n;
}

static struct radix_node *node_copy(struct store *s, struct radix_node *old)
{
	struct radix_node *n = store_alloc(s, sizeof *n);

	if (n == NULL)
		return NULL;
	atomic_init(&n->refs, 1);
	n->used = old->used;
	for (unsigned i = 0; i < RADIX_FAN; i++) {
		n->slot[i] = old->slot[i];
		if (n->slot[i] != NULL)
			ref_get(n->slot[i]);
	}
	return n;
}

/* Gives back a node `level` levels above the items. */
static void node_put(struct store *s, struct radix_node *n, uint32_t level, radix_drop *drop)
{
	if (!ref_put(&n->refs))
		return;
	for (unsigned i = 0; i < RADIX_FAN && n->used != 0; i++) {
		if (n->slot[i] == NULL)
			continue;
		n->used--;
		if (level == 0)
			drop(s, n->slot[i]);
		else
			node_put(s, n->slot[i], level - 1, drop);
	}
	store_free(s, n, sizeof *n);
}

static void no_drop(struct store *s, void *item)
{
	(void)s;
	(void)item;
}

/* Makes the node in *at one's own. It stays shared by others if it was. */
static int node_own(struct store *s, struct radix_node **at)
{
	struct radix_node *old = *at;

	if (ref_alone(&old->refs))
		return 0;
	*at = node_copy(s, old);
	if (*at == NULL) {
		*at = old;
		return -E_NOMEM;
	}
	/* The last other owner may have left meanwhile: then its parts have the copy's too. */
	if (ref_put(&old->refs)) {
		for (unsigned i = 0; i < RADIX_FAN; i++)
			if (old->slot[i] != NULL)
				(void)ref_put(old->slot[i]);
		store_free(s, old, sizeof *old);
	}
	return 0;
}

struct radix_node *radix_leaf(const struct radix *r, uint64_t key)
{
	struct radix_node *n = r->root;

	if (r->height == 0 || key >= span_of(r->height))
		return NULL;
	for (uint32_t level = r->height - 1; level > 0 && n != NULL; level--)
		n = n->slot[index_at(key, level)];
	return n;
}

void *radix_get(const struct radix *r, uint64_t key)
{
	struct radix_node *leaf = radix_leaf(r, key);

	return leaf != NULL ? leaf->slot[key & RADIX_MASK] : NULL;
}

int radix_own(struct store *s, struct radix *r, uint64_t key)
{
	struct radix_node **at = &r->root;

	if (r->height == 0 || key >= span_of(r->height))
		return 0;
	for (uint32_t level = r->height; level-- > 0 && *at != NULL;) {
		if (node_own(s, at) != 0)
			return -E_NOMEM;
		at = (struct radix_node **)(void *)&(*at)->slot[index_at(key, level)];
	}
	return 0;
}

/* Adds levels until key fits. A map that failed half way is higher and means the same. */
static int grow(struct store *s, struct radix *r, uint64_t key)
{
	if (r->height == 0) {
		r->root = node_new(s);
		if (r->root == NULL)
			return -E_NOMEM;
		r->height = 1;
	}
	while (key >= span_of(r->height)) {
		struct radix_node *top = node_new(s);

		if (top == NULL)
			return -E_NOMEM;
		top->used = r->root->used != 0;
		if (top->used != 0)
			top->slot[0] = r->root;
		else
			node_put(s, r->root, 0, no_drop);
		r->root = top;
		r->height++;
	}
	return 0;
}

/* Frees nodes that became empty on the (owned) way to key, and levels that hold nothing. */
static void prune(struct store *s, struct radix *r, uint64_t key)
{
	struct radix_node *path[64 / RADIX_BITS + 1];
	struct radix_node *n = r->root;
	uint32_t level = r->height;

	while (level-- > 0 && n != NULL) {
		path[level] = n;
		n = level > 0 ? n->slot[index_at(key, level)] : NULL;
		if (n == NULL)
			break;
	}
	while (level + 1 < r->height && path[level]->used == 0) {
		store_free(s, path[level], sizeof *path[level]);
		level++;
		path[level]->slot[index_at(key, level)] = NULL;
		path[level]->used--;
	}
	if (r->root->used == 0) {
		store_free(s, r->root, sizeof *r->root);
		*r = (struct radix){ NULL, 0 };
	}
}

int radix_slot(struct store *s, struct radix *r, uint64_t key, void ***out)
{
	struct radix_node *n;

	if (grow(s, r, key) != 0 || radix_own(s, r, key) != 0)
		return -E_NOMEM;
	n = r->root;
	for (uint32_t level = r->height - 1; level > 0; level--) {
		void **slot = &n->slot[index_at(key, level)];

		if (*slot == NULL) {
			*slot = node_new(s);
			if (*slot == NULL) {
				prune(s, r, key);
				return -E_NOMEM;
			}
			n->used++;
		}
		n = *slot;
	}
	*out = &n->slot[key & RADIX_MASK];
	return 0;
}

int radix_put(struct store *s, struct radix *r, uint64_t key, void *item)
{
	void **slot;

	if (radix_slot(s, r, key, &slot) != 0)
		return -E_NOMEM;
	*slot = item;
	radix_leaf(r, key)->used++;
	return 0;
}

void *radix_take(struct store *s, struct radix *r, uint64_t key)
{
	struct radix_node *leaf = radix_leaf(r, key);
	void *item = leaf->slot[key & RADIX_MASK];

	leaf->slot[key & RADIX_MASK] = NULL;
	leaf->used--;
	prune(s, r, key);
	return item;
}

void radix_cut(struct store *s, struct radix *r, uint64_t key, radix_drop *drop)
{
	struct radix_node *n = r->root;

	if (r->height == 0 || key >= span_of(r->height))
		return;
	for (uint32_t level = r->height; level-- > 0 && n != NULL;) {
		unsigned keep = index_at(key, level);

		for (unsigned i = level == 0 ? keep : keep + 1; i < RADIX_FAN; i++) {
			if (n->slot[i] == NULL)
				continue;
			if (level == 0)
				drop(s, n->slot[i]);
			else
				node_put(s, n->slot[i], level - 1, drop);
			n->slot[i] = NULL;
			n->used--;
		}
		n = level > 0 ? n->slot[keep] : NULL;
	}
	prune(s, r, key);
}

void radix_put_root(struct store *s, struct radix *r, radix_drop *drop)
{
	if (r->height != 0)
		node_put(s, r->root, r->height - 1, drop);
	*r = (struct radix){ NULL, 0 };
}

static uint64_t next_in(const struct radix_node *n, uint32_t level, uint64_t key)
{
	for (unsigned i = index_at(key, level); i < RADIX_FAN; i++) {
		uint64_t start = (uint64_t)i << (level * RADIX_BITS);

		if (n->slot[i] != NULL) {
			uint64_t within = key > start ? key - start : 0;
			uint64_t found = level == 0 ? 0 : next_in(n->slot[i], level - 1, within);

			if (found != UINT64_MAX)
				return start + found;
		}
	}
	return UINT64_MAX;
}

uint64_t radix_next(const struct radix *r, uint64_t key)
{
	if (r->height == 0 || key >= span_of(r->height))
		return UINT64_MAX;
	return next_in(r->root, r->height - 1, key);
}
