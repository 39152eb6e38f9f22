/* SPDX-License-Identifier: MIT
 *
 * What the tests of vfs/ share: a store whose allocations can be made to fail, a clock, random
 * numbers, and digests of trees.
 *
 * The store is compiled in under other names, and its two allocating functions are wrapped.
 */
#ifndef TESTS_UNIT_VFS_WORLD_H
#define TESTS_UNIT_VFS_WORLD_H

#include <stdlib.h>

#define store_alloc real_store_alloc
#define store_pages real_store_pages
#include "base/store.c"
#undef store_alloc
#undef store_pages

#include "vfs/vfs.h"
#include "tests/unit/check.h"

static struct store store;
static long fail_at;            /* all allocations from this one on fail; 0: off */
static atomic_long allocations; /* since the last fail_after */

static bool refused(void)
{
	long n = atomic_fetch_add_explicit(&allocations, 1, memory_order_relaxed) + 1;

	return fail_at != 0 && n >= fail_at;
}

void *store_alloc(struct store *s, size_t size);
void *store_pages(struct store *s, size_t npages);

void *store_alloc(struct store *s, size_t size)
{
	return refused() ? NULL : real_store_alloc(s, size);
}

void *store_pages(struct store *s, size_t npages)
{
	return refused() ? NULL : real_store_pages(s, npages);
}

static inline void fail_after(long n)
{
	fail_at = n;
	allocations = 0;
}

static int64_t fake_time;

static int64_t fake_now(void *user)
{
	(void)user;
	return fake_time += 1000;
}

static const struct vfs_cred root_cred = { .uid = 0 };
static struct heap heap;
static struct arena arena; /* ready after world_new */
static uint64_t rng = 1;

static inline unsigned roll(unsigned n)
{
	rng = rng * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)((rng >> 33) % n);
}

static inline void no_memory(void *arg)
{
	(void)arg;
	abort();
}

static inline struct vfs *world_new(void)
{
	static const size_t region = (size_t)1 << 30; /* of which little is touched */
	struct vfs *v = NULL;

	if (store.nregions == 0) {
		CHECK(store_init(&store, malloc(region), region, NULL, NULL) == 0);
		heap.store = &store;
		arena_init(&arena, &heap, (struct arena_fail){ no_memory, NULL });
	}
	CHECK(vfs_new(&store, NULL, fake_now, NULL, &v) == 0);
	return v;
}

/* Files by path, as root. Negative errors are returned. */
static inline int64_t put_file(struct vfs *v, const char *path, const void *data, size_t len)
{
	vfs_ino ino;
	bool created;
	int64_t done = vfs_open(v, &root_cred, VFS_ROOT, path, O_CREAT_ | O_TRUNC_ | O_WRONLY_,
				0644, &ino, &created);

	if (done == 0) {
		done = vfs_write(v, ino, 0, data, len);
		vfs_drop(v, ino);
	}
	return done;
}

static inline vfs_ino find(struct vfs *v, const char *path)
{
	vfs_ino ino = 0;

	return vfs_lookup(v, &root_cred, VFS_ROOT, path, VFS_NOFOLLOW, &ino) == 0 ? ino : 0;
}

static inline struct vfs *fork_of(struct vfs_tree *t)
{
	struct vfs *v = NULL;

	CHECK(vfs_new(&store, t, fake_now, NULL, &v) == 0);
	return v;
}

/* --- digests of whole trees --- */

static inline uint64_t mix(uint64_t h, const void *p, size_t n)
{
	const unsigned char *c = p;
	uint64_t word;

	for (; n >= sizeof word; n -= sizeof word, c += sizeof word) {
		memcpy(&word, c, sizeof word);
		h = (h ^ word) * 0x9e3779b97f4a7c15u;
		h ^= h >> 29;
	}
	for (size_t i = 0; i < n; i++)
		h = (h ^ c[i]) * 0x100000001b3u;
	return h;
}

static inline uint64_t digest_content(struct vfs *t, vfs_ino ino, const struct vfs_stat *st,
				      uint64_t h)
{
	static char bytes[4096];
	int64_t n;

	if ((st->mode & S_FMT) == S_LNK) {
		n = vfs_readlink(t, ino, bytes, sizeof bytes);
		return mix(h, bytes, (size_t)n);
	}
	for (uint64_t pos = 0; (st->mode & S_FMT) == S_REG && pos < st->size; pos += (uint64_t)n) {
		n = vfs_read(t, ino, pos, bytes, sizeof bytes);
		if (!CHECK(n > 0))
			break;
		h = mix(h, bytes, (size_t)n);
	}
	return h;
}

/* Everything that can be seen below a directory. The random trees are not deep. */
static inline uint64_t digest(struct vfs *t, vfs_ino ino, uint64_t h)
{
	struct vfs_dirent entry;
	const char *after = NULL;
	struct vfs_stat st;

	CHECK(vfs_getattr(t, ino, &st) == 0);
	h = mix(h, &st, sizeof st);
	h = digest_content(t, ino, &st, h);
	while ((st.mode & S_FMT) == S_DIR && vfs_readdir(t, ino, after, &arena, &entry, 1) == 1) {
		h = mix(h, entry.name.ptr, entry.name.len);
		h = digest(t, entry.ino, h);
		after = entry.name.ptr;
	}
	return h;
}

static inline uint64_t digest_of(struct vfs *t)
{
	struct arena_mark mark = arena_mark(&arena);
	uint64_t h = digest(t, VFS_ROOT, 0xcbf29ce484222325u);

	arena_release(&arena, mark);
	return h;
}

static inline uint64_t digest_of_tree(struct vfs_tree *tree)
{
	struct vfs *t = fork_of(tree);
	uint64_t h = digest_of(t);

	vfs_free(t);
	return h;
}

#endif
