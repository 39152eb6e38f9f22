/* SPDX-License-Identifier: MIT
 *
 * Images of any content: the input is the summary's values and pages; hashes are made to fit, so
 * that what is fuzzed is what lies behind them. The tree is mounted, walked, read, changed,
 * verified and written anew, and as a session's; all memory must come back.
 */
#include <stdlib.h>

#include "vfs/image_format.h"

enum { REGION_BYTES = 96 << 20, PAGES_USED_MAX = 140, DEPTH_MAX = 12, SUMMARY = 200 };

static struct store store;
static struct heap heap;
static struct arena arena;
static uint8_t *file;
static const struct vfs_cred root_cred = { 0 };
static int budget;

static void must(bool ok)
{
	if (!ok)
		abort();
}

static void no_memory(void *arg)
{
	(void)arg;
	abort();
}

/* Lays the pages out with their hashes; returns the file's size. */
static size_t make_file(const uint8_t *data, size_t size)
{
	uint64_t pages = 1 + (size - SUMMARY + PAGE_BYTES - 1) / PAGE_BYTES;
	uint8_t hashes[HASH_LEVELS_MAX][PAGE_BYTES];
	uint64_t full[HASH_LEVELS_MAX] = { 0 };
	uint8_t *at = file;
	uint8_t *end;
	uint32_t level;

	memset(hashes, 0, sizeof hashes);
	memset(file, 0, (pages + 8) * PAGE_BYTES);
	for (uint64_t d = 0; d < pages; d++) {
		size_t from = SUMMARY + (size_t)(d - 1) * PAGE_BYTES;

		if (d == 0) {
			memcpy(at, IMAGE_MAGIC, 8);
			put32(at + 8, IMAGE_VERSION);
		} else {
			memcpy(at, data + from,
			       size - from < PAGE_BYTES ? size - from : PAGE_BYTES);
		}
		image_hash(at, PAGE_BYTES, hashes[0] + (d & (HASH_FAN - 1)) * HASH_BYTES);
		at += PAGE_BYTES;
		full[0]++;
		if (d + 1 != pages && full[0] % HASH_FAN != 0)
			continue;
		memcpy(at, hashes[0], PAGE_BYTES);
		image_hash(at, PAGE_BYTES, hashes[1] + full[1]++ * HASH_BYTES);
		memset(hashes[0], 0, PAGE_BYTES);
		at += PAGE_BYTES;
	}
	level = 1;
	if (full[1] > 1) {
		memcpy(at, hashes[1], PAGE_BYTES);
		image_hash(at, PAGE_BYTES, hashes[2]);
		at += PAGE_BYTES;
		level = 2;
	}
	end = at;
	memcpy(end, data, SUMMARY);
	memcpy(end + END_MAGIC, IMAGE_END_MAGIC, 8);
	put32(end + END_VERSION, IMAGE_VERSION);
	put64(end + END_PAGES, pages);
	memcpy(end + END_TOP, hashes[level], HASH_BYTES);
	put32(end + END_HAS_BASE, 0);
	image_hash(end, END_HASH, end + END_HASH);
	return (size_t)(end + PAGE_BYTES - file);
}

static void read_object(struct vfs *v, vfs_ino ino, const struct vfs_stat *st)
{
	static char bytes[70000];
	const char *at;

	(void)vfs_read(v, ino, 0, bytes, sizeof bytes);
	(void)vfs_read(v, ino, st->size / 2, bytes, sizeof bytes);
	(void)vfs_view(v, ino, st->size > 5000 ? 4096 : 0, 100000, &at);
	(void)vfs_seek_data(v, ino, st->size / 3, 3);
}

static void walk(struct vfs *v, vfs_ino dir, int depth)
{
	struct vfs_dirent entries[16];
	struct arena_mark mark = arena_mark(&arena);
	const char *after = NULL;
	int n;

	while ((n = vfs_readdir(v, dir, after, &arena, entries, 16)) > 0) {
		for (int i = 0; i < n && budget > 0; i++, budget--) {
			struct vfs_stat st;

			must(vfs_getattr(v, entries[i].ino, &st) == 0);
			if ((st.mode & S_FMT) == S_REG)
				read_object(v, entries[i].ino, &st);
			if ((st.mode & S_FMT) == S_DIR && depth < DEPTH_MAX)
				walk(v, entries[i].ino, depth + 1);
		}
		if (budget <= 0)
			break;
		after = entries[n - 1].name.ptr;
	}
	arena_release(&arena, mark);
}

/* Changes what is found at the top. */
static void change(struct vfs *v, const char *dir)
{
	struct vfs_dirent entries[8];
	struct arena_mark mark = arena_mark(&arena);
	vfs_ino at;
	int n = vfs_lookup(v, &root_cred, VFS_ROOT, dir, 0, &at);

	n = n == 0 ? vfs_readdir(v, at, NULL, &arena, entries, 8) : 0;
	for (int i = 0; i < n; i++) {
		vfs_ino ino = entries[i].ino;

		switch (i % 6) {
		case 0: (void)vfs_write(v, ino, 3, "xyz", 3); break;
		case 1: (void)vfs_truncate(v, ino, 5000); break;
		case 2: (void)vfs_unlink(v, &root_cred, at, entries[i].name.ptr); break;
		case 3:
			(void)vfs_rename(v, &root_cred, at, entries[i].name.ptr, VFS_ROOT, "moved",
					 0);
			break;
		case 4:
			(void)vfs_link(v, &root_cred, at, entries[i].name.ptr, VFS_NOFOLLOW,
				       VFS_ROOT, "linked");
			break;
		default:
			(void)vfs_chmod(v, &root_cred, ino, 0700);
			(void)vfs_xattr_set(v, &root_cred, ino, "user.x", BYTES("1"), 0);
			(void)vfs_xattr_remove(v, &root_cred, ino, "user.y");
			break;
		}
	}
	arena_release(&arena, mark);
}

static int discard(void *user, const void *data, size_t len)
{
	(void)user;
	(void)data;
	(void)len;
	return 0;
}

static void write_anew(struct vfs *v, struct image *base)
{
	static const struct image_sink nowhere = { .write = discard };
	struct image_save save = { .base = base,
				   .base_name = { "base", 4 },
				   .state = { "state", 5 } };
	struct image_info info;

	(void)image_write(v, &nowhere, &save, &info);
}

static void try_mounted(struct image *i)
{
	struct vfs_limits limits = { 0, 0, 1 << 20 };
	struct vfs_tree *before;
	uint64_t root;
	const struct vfs_source *source = image_source(i, false, &root);
	struct vfs *v;

	must(vfs_new(&store, NULL, NULL, NULL, &v) == 0);
	vfs_set_limits(v, &limits);
	must(vfs_mount_source(v, "/m", source, root, NULL) == 0);
	before = vfs_snapshot(v);
	must(before != NULL);
	walk(v, VFS_ROOT, 0);
	change(v, "/m");
	write_anew(v, i);
	vfs_restore(v, before);
	change(v, "/m");
	walk(v, VFS_ROOT, 0);
	vfs_tree_put(before);
	vfs_free(v);
}

static void try_tree(struct image *i)
{
	struct vfs_tree *tree;
	struct vfs *v;

	if (image_tree(i, &tree) != 0)
		return;
	must(vfs_new(&store, tree, NULL, NULL, &v) == 0);
	vfs_continue(v, tree);
	change(v, "/");
	walk(v, VFS_ROOT, 0);
	write_anew(v, NULL);
	vfs_reap(v);
	vfs_tree_put(tree);
	vfs_free(v);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum image_fault fault;
	struct image *i;

	if (file == NULL) {
		must(store_init(&store, malloc(REGION_BYTES), REGION_BYTES, NULL, NULL) == 0);
		file = aligned_alloc(PAGE_BYTES, (PAGES_USED_MAX + 16) * (size_t)PAGE_BYTES);
		heap.store = &store;
		arena_init(&arena, &heap, (struct arena_fail){ no_memory, NULL });
	}
	if (size < SUMMARY || size > SUMMARY + (size_t)(PAGES_USED_MAX - 1) * PAGE_BYTES)
		return 0;
	if (image_open(&store, file, make_file(data, size), NULL, &i, &fault) == 0) {
		budget = 400;
		try_mounted(i);
		try_tree(i);
		(void)image_verify(i);
		image_close(i);
	}
	arena_clear(&arena);
	/* Slabs stay, one or more of a size; what leaks adds up. */
	must(store.pages_used <= 600);
	return 0;
}
