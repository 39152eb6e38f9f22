/* SPDX-License-Identifier: MIT
 *
 * Holds: which inodes are in use (open files, current directories) and so outlive their names.
 *
 * A hash table in the struct vfs, not part of the tree: open addressing, linear probing. An
 * inode whose last name is gone stays as an orphan until its count is 0. Orphans that came
 * with a tree have count 0 from the start and wait for vfs_reap.
 */
#include "vfs/private.h"

static uint32_t slot_for(const struct vfs *v, vfs_ino ino)
{
	return (uint32_t)((ino * 0x9e3779b97f4a7c15u) >> 32) & (v->holds_cap - 1);
}

struct hold *hold_find(const struct vfs *v, vfs_ino ino)
{
	if (v->holds_used == 0 || ino == 0)
		return NULL;
	for (uint32_t i = slot_for(v, ino);; i = (i + 1) & (v->holds_cap - 1)) {
		if (v->holds[i].ino == ino)
			return &v->holds[i];
		if (v->holds[i].ino == 0)
			return NULL;
	}
}

static struct hold *insert(struct vfs *v, struct hold h)
{
	uint32_t i = slot_for(v, h.ino);

	while (v->holds[i].ino != 0)
		i = (i + 1) & (v->holds_cap - 1);
	v->holds[i] = h;
	return &v->holds[i];
}

static int grow(struct vfs *v)
{
	uint32_t old_cap = v->holds_cap;
	uint32_t cap = old_cap != 0 ? old_cap * 2 : 16;
	struct hold *old = v->holds;
	struct hold *fresh = store_alloc(v->store, cap * sizeof *fresh);

	if (fresh == NULL)
		return -E_NOMEM;
	memset(fresh, 0, cap * sizeof *fresh);
	v->holds = fresh;
	v->holds_cap = cap;
	for (uint32_t i = 0; i < old_cap; i++)
		if (old[i].ino != 0)
			insert(v, old[i]);
	store_free(v->store, old, old_cap * sizeof *old);
	return 0;
}

int hold_reserve(struct vfs *v)
{
	return v->holds_used * 4 >= v->holds_cap * 3 ? grow(v) : 0;
}

int hold_add(struct vfs *v, vfs_ino ino, struct hold **out)
{
	if (hold_reserve(v) != 0)
		return -E_NOMEM;
	*out = insert(v, (struct hold){ .ino = ino });
	v->holds_used++;
	return 0;
}

void hold_remove(struct vfs *v, struct hold *h)
{
	uint32_t mask = v->holds_cap - 1;
	uint32_t gap = (uint32_t)(h - v->holds);

	v->holds[gap].ino = 0;
	v->holds_used--;
	/* What was pushed past the gap by probing moves back into it. */
	for (uint32_t i = (gap + 1) & mask; v->holds[i].ino != 0; i = (i + 1) & mask) {
		uint32_t home = slot_for(v, v->holds[i].ino);

		if (((i - home) & mask) >= ((i - gap) & mask)) {
			v->holds[gap] = v->holds[i];
			v->holds[i].ino = 0;
			gap = i;
		}
	}
}

void hold_free_all(struct vfs *v)
{
	store_free(v->store, v->holds, v->holds_cap * sizeof *v->holds);
	v->holds = NULL;
	v->holds_cap = 0;
	v->holds_used = 0;
	v->orphans = 0;
}

int vfs_hold(struct vfs *v, vfs_ino ino)
{
	struct hold *h;

	if (ino_is_dynamic(ino))
		return 0;
	h = hold_find(v, ino);
	if (h == NULL && inode_get(v, ino) == NULL)
		return -E_NOENT;
	if (h == NULL && hold_add(v, ino, &h) != 0)
		return -E_NOMEM;
	h->count++;
	return 0;
}

/* Frees an orphan nobody holds. Without memory to own its path it waits for the next reap. */
static bool free_orphan(struct vfs *v, struct hold *h)
{
	vfs_ino ino = h->ino;

	if (inode_get(v, ino) != NULL) {
		if (inode_edit(v, ino) == NULL)
			return false;
		inode_remove(v, ino);
	}
	v->orphans--;
	hold_remove(v, h);
	return true;
}

void vfs_drop(struct vfs *v, vfs_ino ino)
{
	struct hold *h = ino_is_dynamic(ino) ? NULL : hold_find(v, ino);

	if (h == NULL || h->count == 0 || --h->count != 0)
		return;
	if (h->orphan)
		free_orphan(v, h);
	else
		hold_remove(v, h);
}

void vfs_reap(struct vfs *v)
{
	for (uint32_t i = 0; v->orphans != 0 && i < v->holds_cap;) {
		struct hold *h = &v->holds[i];

		/* A removal may move another entry into this place: look again. */
		if (h->ino == 0 || h->count != 0 || !h->orphan || !free_orphan(v, h))
			i++;
	}
}
