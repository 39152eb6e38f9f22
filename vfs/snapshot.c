/* SPDX-License-Identifier: MIT
 *
 * The life of a vfs and of its snapshots.
 *
 * A snapshot is one reference to the root of the inode map, and the few numbers that go with
 * it. Generations: what a vfs adds is marked with its generation, one more than that of the
 * tree it started from, so that it can tell what counts in its usage.
 */
#include "vfs/private.h"

static int make_root(struct vfs *v)
{
	struct inode *n;
	vfs_ino ino;
	int err = inode_new(v, S_DIR | 0755, &ino, &n);

	if (err != 0)
		return err;
	n->nlink = 2;
	n->parent = VFS_ROOT;
	n->owner = 0;
	v->usage.inodes = 0;
	return 0;
}

/* Takes over a tree's orphans: held ones are marked, others get an entry with count 0. */
static int take_orphans(struct vfs *v, const struct vfs_tree *t)
{
	for (uint32_t i = 0; i < t->norphans; i++) {
		struct hold *h = hold_find(v, t->orphan[i]);

		if (h == NULL && hold_add(v, t->orphan[i], &h) != 0)
			return -E_NOMEM;
		h->orphan = 1;
		v->orphans++;
	}
	return 0;
}

static void take_tree(struct vfs *v, struct vfs_tree *t)
{
	if (t->inodes.root != NULL)
		ref_get(&t->inodes.root->refs);
	v->inodes = t->inodes;
	/* A number is never used again, also when going back: it may still be held. */
	if (v->next_ino < t->next_ino)
		v->next_ino = t->next_ino;
}

int vfs_new(struct store *store, struct vfs_tree *tree, int64_t (*now)(void *user), void *user,
	    struct vfs **out)
{
	struct vfs *v = store_alloc(store, sizeof *v);
	int err;

	if (v == NULL)
		return -E_NOMEM;
	memset(v, 0, sizeof *v);
	v->store = store;
	v->now = now;
	v->now_user = user;
	v->next_ino = VFS_ROOT;
	v->generation = tree != NULL ? tree->generation + 1 : 1;
	if (tree != NULL)
		take_tree(v, tree);
	err = tree != NULL ? take_orphans(v, tree) : make_root(v);
	if (err != 0) {
		vfs_free(v);
		return err;
	}
	*out = v;
	return 0;
}

void vfs_free(struct vfs *v)
{
	if (v == NULL)
		return;
	radix_put_root(v->store, &v->inodes, inode_drop);
	hold_free_all(v);
	store_free(v->store, v, sizeof *v);
}

void vfs_continue(struct vfs *v, const struct vfs_tree *tree)
{
	v->generation = tree->generation;
	v->usage = tree->usage;
}

void vfs_set_limits(struct vfs *v, const struct vfs_limits *limits)
{
	v->limits = *limits;
}

void vfs_get_usage(const struct vfs *v, struct vfs_usage *out)
{
	*out = v->usage;
}

void vfs_statfs(const struct vfs *v, struct vfs_statfs *out)
{
	uint64_t bytes = v->limits.bytes != 0 ? v->limits.bytes : (uint64_t)1 << 40;
	uint64_t inodes = v->limits.inodes != 0 ? v->limits.inodes : (uint64_t)1 << 32;
	uint64_t used = (v->usage.bytes + PAGE_BYTES - 1) / PAGE_BYTES;

	out->block_bytes = PAGE_BYTES;
	out->blocks = bytes / PAGE_BYTES;
	out->blocks_free = used < out->blocks ? out->blocks - used : 0;
	out->inodes = inodes;
	out->inodes_free = v->usage.inodes < inodes ? inodes - v->usage.inodes : 0;
}

static size_t tree_bytes(uint32_t norphans)
{
	return sizeof(struct vfs_tree) + norphans * sizeof(vfs_ino);
}

struct vfs_tree *vfs_snapshot(struct vfs *v)
{
	struct vfs_tree *t = store_alloc(v->store, tree_bytes(v->orphans));

	if (t == NULL)
		return NULL;
	if (v->inodes.root != NULL)
		ref_get(&v->inodes.root->refs);
	atomic_init(&t->refs, 1);
	t->generation = v->generation;
	t->store = v->store;
	t->inodes = v->inodes;
	t->next_ino = v->next_ino;
	t->usage = v->usage;
	t->norphans = 0;
	for (uint32_t i = 0; t->norphans < v->orphans && i < v->holds_cap; i++)
		if (v->holds[i].ino != 0 && v->holds[i].orphan)
			t->orphan[t->norphans++] = v->holds[i].ino;
	return t;
}

/* The holds as they are in another tree: orphans are found anew. */
static void refresh_holds(struct vfs *v, const struct vfs_tree *t)
{
	v->orphans = 0;
	for (uint32_t i = 0; i < v->holds_cap;) {
		struct hold *h = &v->holds[i];

		h->orphan = 0;
		if (h->ino != 0 && h->count == 0)
			hold_remove(v, h);
		else
			i++;
	}
	/* Without memory for an entry the orphan stays in the tree, unseen. */
	(void)take_orphans(v, t);
	vfs_reap(v);
}

bool vfs_restore_mixes(const struct vfs *v, const struct vfs_tree *tree)
{
	for (uint32_t i = 0; i < v->holds_cap; i++) {
		const struct hold *h = &v->holds[i];
		const struct inode *ours = h->count != 0 ? inode_get(v, h->ino) : NULL;
		const struct inode *theirs = ours != NULL ? radix_get(&tree->inodes, h->ino) : NULL;

		if (theirs == NULL || theirs == ours || inode_is(ours, S_DIR))
			continue;
		if (((ours->mode ^ theirs->mode) & S_FMT) != 0 ||
		    ours->btime_ns != theirs->btime_ns)
			return true;
	}
	return false;
}

void vfs_restore(struct vfs *v, struct vfs_tree *tree)
{
	struct radix old = v->inodes;

	take_tree(v, tree);
	radix_put_root(v->store, &old, inode_drop);
	v->usage = (struct vfs_usage){ 0, 0 };
	if (tree->generation == v->generation)
		v->usage = tree->usage;
	else if (tree->generation > v->generation)
		v->generation = tree->generation + 1;
	refresh_holds(v, tree);
}

struct vfs_tree *vfs_tree_get(struct vfs_tree *t)
{
	ref_get(&t->refs);
	return t;
}

void vfs_tree_put(struct vfs_tree *t)
{
	if (t == NULL || !ref_put(&t->refs))
		return;
	radix_put_root(t->store, &t->inodes, inode_drop);
	store_free(t->store, t, tree_bytes(t->norphans));
}
