/* SPDX-License-Identifier: MIT
 *
 * The digest of a session's files: of the differences to another tree, whose order is that of
 * paths. What both trees share is not looked at, so the cost is the size of the difference.
 */
#include "api/journal.h"

#include "base/digest.h"

struct walk {
	struct points points;
	struct digest digest;
};

static void put_u64(struct digest *d, uint64_t v)
{
	char bytes[8];

	for (int i = 0; i < 8; i++)
		bytes[i] = (char)(v >> 8 * i);
	digest_update(d, (struct bytes){ bytes, 8 });
}

static void put_bytes(struct digest *d, struct bytes b)
{
	put_u64(d, b.len);
	digest_update(d, b);
}

enum { BLOCK_BYTES = 4096, SEEK_DATA_ = 3 };

/* The block at pos, unless it is zeros: those count as a hole does. */
static int64_t put_block(struct walk *w, vfs_ino ino, uint64_t pos)
{
	char block[BLOCK_BYTES];
	int64_t n = vfs_read(w->points.new, ino, pos, block, sizeof block);

	if (n <= 0 || bytes_are_zero((struct bytes){ block, (size_t)n }))
		return n;
	put_u64(&w->digest, pos);
	put_bytes(&w->digest, (struct bytes){ block, (size_t)n });
	return n;
}

/* The size, and what is not zero: a large hole costs nothing. */
static int64_t put_file(struct walk *w, vfs_ino ino, uint64_t size)
{
	int64_t n = 1;

	put_u64(&w->digest, size);
	for (uint64_t pos = 0; pos < size && n > 0; pos += BLOCK_BYTES) {
		int64_t data = vfs_seek_data(w->points.new, ino, pos, SEEK_DATA_);

		if (data < 0)
			return data == -E_NXIO ? 0 : data;
		pos = (uint64_t)data / BLOCK_BYTES * BLOCK_BYTES;
		n = put_block(w, ino, pos);
	}
	return n < 0 ? n : 0;
}

static int64_t put_content(struct walk *w, vfs_ino ino, const struct vfs_stat *st)
{
	char target[VFS_PATH_MAX];
	int64_t n = 0;

	switch (st->mode & S_FMT) {
	case S_REG: return put_file(w, ino, st->size);
	case S_LNK:
		n = vfs_readlink(w->points.new, ino, target, sizeof target);
		if (n >= 0 && n <= (int64_t)sizeof target)
			put_bytes(&w->digest, (struct bytes){ target, (size_t)n });
		return n < 0 ? n : 0;
	default: return 0;
	}
}

static int put_change(void *user, const struct vfs_change *c)
{
	struct walk *w = user;
	struct digest *d = &w->digest;
	struct bytes xattrs;
	struct vfs_stat st;

	digest_update(d, (struct bytes){ &c->kind, 1 });
	put_bytes(d, bytes_of(c->path));
	if (c->new_ino == 0 || vfs_getattr(w->points.new, c->new_ino, &st) != 0)
		return 0;
	put_u64(d, st.mode);
	put_u64(d, (uint64_t)st.uid << 32 | st.gid);
	put_u64(d, st.ino);
	put_u64(d, st.nlink);
	put_u64(d, st.rdev);
	put_u64(d, (uint64_t)st.mtime_ns);
	put_u64(d, (uint64_t)st.ctime_ns);
	xattrs = vfs_xattrs(w->points.new, c->new_ino);
	if (xattrs.len != 0) {
		digest_update(d, BYTES("x"));
		put_bytes(d, xattrs);
	}
	return c->kind == 'm' ? 0 : (int)put_content(w, c->new_ino, &st);
}

/* A tree without files, of which every tree is a later state. */
static struct vfs_tree *empty_tree(struct store *store)
{
	struct vfs_tree *tree = NULL;
	struct vfs *v;

	if (vfs_new(store, NULL, NULL, NULL, &v) != 0)
		return NULL;
	tree = vfs_snapshot(v);
	vfs_free(v);
	return tree;
}

int tree_digest(struct cowsh *s, struct vfs_tree *since, uint8_t out[COWSH_DIGEST_BYTES])
{
	struct vfs_tree *old = since != NULL ? vfs_tree_get(since) : empty_tree(&s->store->store);
	uint8_t result[DIGEST_MAX];
	struct walk w;
	int err = -E_NOMEM;

	if (old != NULL)
		err = points_open(s, (const cowsh_snapshot *)old, NULL, &w.points);
	vfs_tree_put(old);
	if (err < 0)
		return err;
	digest_init(&w.digest, DIGEST_SHA256, 0);
	err = vfs_diff(w.points.old, w.points.new, put_change, &w);
	points_close(&w.points);
	if (err < 0)
		return err;
	digest_final(&w.digest, result);
	memcpy(out, result, COWSH_DIGEST_BYTES);
	return 0;
}

int cowsh_digest(cowsh *s, const cowsh_snapshot *since, unsigned char out[COWSH_DIGEST_BYTES])
{
	if (s == NULL || out == NULL)
		return -E_INVAL;
	if (s->running)
		return -E_BUSY;
	return tree_digest(s, (struct vfs_tree *)(uintptr_t)since, out);
}
