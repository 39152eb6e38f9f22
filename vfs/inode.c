/* SPDX-License-Identifier: MIT
 *
 * Inodes: the map from numbers, making, copying, freeing, and what stat shows of them.
 *
 * Accounting: `charged` of an inode belongs to the vfs generation `charged_by`; bytes that an
 * earlier generation added are not counted again, nor given back when they go.
 */
#include "vfs/private.h"

struct inode *inode_get(const struct vfs *v, vfs_ino ino)
{
	return radix_get(&v->inodes, ino);
}

struct blob *blob_new(struct store *s, size_t cap)
{
	struct blob *b = store_alloc(s, sizeof *b + cap);

	if (b == NULL)
		return NULL;
	atomic_init(&b->refs, 1);
	b->cap = (uint32_t)cap;
	return b;
}

void blob_put(struct store *s, struct blob *b)
{
	if (b != NULL && ref_put(&b->refs))
		store_free(s, b, sizeof *b + b->cap);
}

void origin_put(struct store *s, struct origin *o)
{
	if (o != NULL && ref_put(&o->refs))
		store_free(s, o, sizeof *o);
}

static bool has_blob(const struct inode *n)
{
	return (n->flags & INODE_INLINE) != 0;
}

/* Takes a reference to every part of a copied inode. */
static void get_parts(struct inode *n)
{
	if (n->origin != NULL)
		ref_get(&n->origin->refs);
	if (n->xattrs != NULL)
		ref_get(&n->xattrs->refs);
	/* Whatever the part is, it begins with its count. */
	if (n->pages.root != NULL)
		ref_get(&n->pages.root->refs);
}

void inode_put(struct store *s, struct inode *n)
{
	if (!ref_put(&n->refs))
		return;
	if (has_blob(n))
		blob_put(s, n->blob);
	else if (inode_is(n, S_REG))
		radix_put_root(s, &n->pages, page_drop);
	else if (inode_is(n, S_DIR))
		names_put(s, n->names);
	origin_put(s, n->origin);
	xattrs_put(s, n->xattrs);
	store_free(s, n, sizeof *n);
}

void inode_drop(struct store *s, void *inode)
{
	inode_put(s, inode);
}

static struct inode *copy_inode(struct store *s, struct inode *old)
{
	struct inode *n = store_alloc(s, sizeof *n);

	if (n == NULL)
		return NULL;
	memcpy((char *)n + sizeof n->refs, (char *)old + sizeof old->refs,
	       sizeof *n - sizeof n->refs);
	atomic_init(&n->refs, 1);
	get_parts(n);
	return n;
}

struct inode *inode_edit(struct vfs *v, vfs_ino ino)
{
	struct radix_node *leaf;
	void **slot;
	struct inode *old;

	if (radix_own(v->store, &v->inodes, ino) != 0)
		return NULL;
	leaf = radix_leaf(&v->inodes, ino);
	slot = &leaf->slot[ino & RADIX_MASK];
	old = *slot;
	if (!ref_alone(&old->refs)) {
		struct inode *n = copy_inode(v->store, old);

		if (n == NULL)
			return NULL;
		inode_put(v->store, old);
		*slot = n;
	}
	return *slot;
}

int inode_new(struct vfs *v, uint32_t mode, vfs_ino *ino, struct inode **out)
{
	struct inode *n;
	int64_t now;

	if ((v->limits.inodes != 0 && v->usage.inodes >= v->limits.inodes) ||
	    v->next_ino >= INO_END - 1)
		return -E_NOSPC;
	n = store_alloc(v->store, sizeof *n);
	if (n == NULL)
		return -E_NOMEM;
	memset(n, 0, sizeof *n);
	atomic_init(&n->refs, 1);
	if (radix_put(v->store, &v->inodes, v->next_ino, n) != 0) {
		store_free(v->store, n, sizeof *n);
		return -E_NOMEM;
	}
	now = vfs_now(v);
	n->owner = v->generation;
	n->charged_by = v->generation;
	n->mode = mode;
	n->nlink = 1;
	n->atime_ns = n->mtime_ns = n->ctime_ns = n->btime_ns = now;
	v->usage.inodes++;
	*ino = v->next_ino++;
	*out = n;
	return 0;
}

void inode_remove(struct vfs *v, vfs_ino ino)
{
	struct inode *n = radix_take(v->store, &v->inodes, ino);
	uint64_t cost;

	if (n->owner == v->generation && v->usage.inodes != 0)
		v->usage.inodes--;
	inode_uncharge(v, n, n->charged);
	cost = xattrs_cost(v, n);
	v->usage.bytes -= cost < v->usage.bytes ? cost : v->usage.bytes;
	inode_put(v->store, n);
}

void inode_unlinked(struct vfs *v, vfs_ino ino, struct inode *n)
{
	struct hold *h;

	if (--n->nlink != 0)
		return;
	h = hold_find(v, ino);
	if (h != NULL && h->count != 0) {
		h->orphan = 1;
		v->orphans++;
		return;
	}
	inode_remove(v, ino);
}

int inode_charge(struct vfs *v, struct inode *n, uint64_t bytes, bool force)
{
	uint64_t limit = v->limits.bytes;

	if (!force && limit != 0 && (v->usage.bytes >= limit || limit - v->usage.bytes < bytes))
		return -E_NOSPC;
	if (n->charged_by != v->generation) {
		n->charged_by = v->generation;
		n->charged = 0;
	}
	n->charged += bytes;
	v->usage.bytes += bytes;
	return 0;
}

uint64_t inode_uncharge(struct vfs *v, struct inode *n, uint64_t bytes)
{
	if (n->charged_by != v->generation)
		return 0;
	if (bytes > n->charged)
		bytes = n->charged;
	n->charged -= bytes;
	/* A saved session may say anything of what was counted. */
	v->usage.bytes -= bytes < v->usage.bytes ? bytes : v->usage.bytes;
	return bytes;
}

static uint64_t blocks_of(const struct inode *n)
{
	uint64_t lazy = (n->lazy_end + PAGE_BYTES - 1) / PAGE_BYTES;

	if (n->origin != NULL && inode_is(n, S_REG) && lazy > n->origin->data_pages)
		lazy = n->origin->data_pages;
	if (inode_is(n, S_DIR))
		return 8;
	if (!inode_is(n, S_REG))
		return 0;
	if (has_blob(n))
		return n->inlined != 0 ? 8 : 0;
	return (n->npages > lazy ? n->npages : lazy) * 8;
}

void inode_fill_stat(vfs_ino ino, const struct inode *n, struct vfs_stat *out)
{
	bool device = inode_is(n, S_CHR) || inode_is(n, S_BLK);

	*out = (struct vfs_stat){
		.ino = ino,
		.dev = DEV_NUMBER,
		.mode = n->mode,
		.nlink = n->nlink,
		.uid = n->uid,
		.gid = n->gid,
		.rdev = device ? n->rdev : 0,
		.size = inode_is(n, S_DIR) ? 4096 : n->size,
		.blocks = blocks_of(n),
		.atime_ns = n->atime_ns,
		.mtime_ns = n->mtime_ns,
		.ctime_ns = n->ctime_ns,
		.btime_ns = n->btime_ns,
	};
}

int vfs_getattr(struct vfs *v, vfs_ino ino, struct vfs_stat *out)
{
	struct inode *n;

	if (ino_is_dynamic(ino))
		return dynamic_stat(v, ino, out);
	n = inode_get(v, ino);
	if (n == NULL)
		return -E_NOENT;
	if ((n->flags & INODE_SIZE_UNKNOWN) != 0) {
		int err = lazy_load_file(v, ino);

		if (err != 0)
			return err;
		n = inode_get(v, ino);
	}
	inode_fill_stat(ino, n, out);
	return 0;
}
