/* SPDX-License-Identifier: MIT
 *
 * What the tests of vfs/ share: a store whose allocations can be made to fail and a clock.
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
static long fail_at;             /* all allocations from this one on fail; 0: off */
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

static inline struct vfs *world_new(void)
{
	static const size_t region = (size_t)1 << 30; /* of which little is touched */
	struct vfs *v = NULL;

	if (store.nregions == 0)
		CHECK(store_init(&store, malloc(region), region, NULL, NULL) == 0);
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

#endif
