/* SPDX-License-Identifier: MIT
 *
 * Which inodes differ between two trees: the two inode maps are walked together, and shared
 * parts of them are skipped. From a changed inode the marks go up by parent to the root, so
 * that a walk from the root finds it without looking into other directories.
 */
#include "vfs/private.h"

static uint64_t slot_for(const struct marks *m, vfs_ino ino)
{
	return (ino * 0x9e3779b97f4a7c15u) >> 20 & (m->cap - 1);
}

bool marks_has(const struct marks *m, vfs_ino ino)
{
	if (m->all)
		return true;
	if (m->used == 0)
		return false;
	for (uint64_t i = slot_for(m, ino);; i = (i + 1) & (m->cap - 1))
		if (m->slot[i] == ino || m->slot[i] == 0)
			return m->slot[i] == ino;
}

static void insert(struct marks *m, vfs_ino ino)
{
	uint64_t i = slot_for(m, ino);

	while (m->slot[i] != 0)
		i = (i + 1) & (m->cap - 1);
	m->slot[i] = ino;
}

static int add(struct marks *m, vfs_ino ino)
{
	if (m->used * 2 >= m->cap) {
		struct marks old = *m;

		m->cap = old.cap != 0 ? old.cap * 2 : 64;
		m->slot = store_alloc(m->store, m->cap * sizeof *m->slot);
		if (m->slot == NULL) {
			*m = old;
			return -E_NOMEM;
		}
		memset(m->slot, 0, m->cap * sizeof *m->slot);
		for (uint64_t i = 0; i < old.cap; i++)
			if (old.slot[i] != 0)
				insert(m, old.slot[i]);
		store_free(m->store, old.slot, old.cap * sizeof *old.slot);
	}
	insert(m, ino);
	m->used++;
	return 0;
}

/* Marks an inode and all directories above it. */
static int add_upwards(struct marks *m, const struct vfs *v, vfs_ino ino)
{
	while (!marks_has(m, ino)) {
		const struct inode *n = inode_get(v, ino);
		int err = add(m, ino);

		if (err != 0 || n == NULL || n->nlink == 0)
			return err;
		if ((n->flags & INODE_LINKED) != 0)
			m->all = true;
		ino = n->parent;
	}
	return 0;
}

struct pair {
	struct marks *marks;
	const struct vfs *old;
	const struct vfs *new;
};

static int differ(struct pair *p, vfs_ino ino)
{
	int err = 0;

	/* The way up may be another on each side, although the inode is marked by the first. */
	if (inode_get(p->old, ino) != NULL)
		err = add_upwards(p->marks, p->old, ino);
	if (err == 0 && inode_get(p->new, ino) != NULL) {
		err = marks_has(p->marks, ino) ? 0 : add(p->marks, ino);
		if (err == 0)
			err = add_upwards(p->marks, p->new, inode_get(p->new, ino)->parent);
		if ((inode_get(p->new, ino)->flags & INODE_LINKED) != 0)
			p->marks->all = true;
	}
	return err;
}

/* Compares two nodes of the maps that stand for the same numbers; one may be NULL. */
static int compare(struct pair *p, struct radix_node *a, struct radix_node *b, uint32_t level,
		   uint64_t first)
{
	int err = 0;

	for (unsigned i = 0; i < RADIX_FAN && err == 0 && !p->marks->all; i++) {
		void *x = a != NULL ? a->slot[i] : NULL;
		void *y = b != NULL ? b->slot[i] : NULL;
		uint64_t key = first + ((uint64_t)i << (level * RADIX_BITS));

		if (x != y)
			err = level == 0 ? differ(p, key) : compare(p, x, y, level - 1, key);
	}
	return err;
}

/* The node of a map at a level, where the numbers begin. */
static struct radix_node *leftmost(const struct radix *r, uint32_t level)
{
	struct radix_node *n = r->root;

	for (uint32_t at = r->height; at > level && n != NULL; at--)
		n = n->slot[0];
	return n;
}

int marks_find(struct marks *m, const struct vfs *old, const struct vfs *new)
{
	uint32_t low = old->inodes.height < new->inodes.height ? old->inodes.height
							       : new->inodes.height;
	uint32_t high = old->inodes.height + new->inodes.height - low;
	const struct vfs *higher = old->inodes.height == high ? old : new;
	struct pair p = { m, old, new };
	int err = 0;

	*m = (struct marks){ .store = old->store };
	/* What the lower map cannot hold is in the higher one alone. Neither is empty. */
	for (uint32_t level = high; level > low && err == 0; level--) {
		struct radix_node *n = leftmost(&higher->inodes, level);

		for (unsigned i = 1; i < RADIX_FAN && n != NULL && err == 0; i++)
			if (n->slot[i] != NULL)
				err = compare(&p, n->slot[i], NULL, level - 2,
					      (uint64_t)i << ((level - 1) * RADIX_BITS));
	}
	if (err == 0 && low != 0)
		err = compare(&p, leftmost(&old->inodes, low), leftmost(&new->inodes, low), low - 1,
			      0);
	return err;
}

void marks_clear(struct marks *m)
{
	store_free(m->store, m->slot, m->cap * sizeof *m->slot);
	m->slot = NULL;
	m->cap = 0;
	m->used = 0;
}
