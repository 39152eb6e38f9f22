/* SPDX-License-Identifier: MIT
 *
 * Random operations on a vfs: four bytes an operation. After each input the whole tree is
 * checked against itself: link counts, sizes and blocks, order of names, usage; every snapshot
 * must be as it was when taken, and all memory must come back.
 */
#include <stdlib.h>

#include "vfs/vfs.h"

enum { REGION_BYTES = 64 << 20, SNAPSHOTS = 3, HELD = 4, DEPTH_MAX = 40 };

struct input {
	const uint8_t *at;
	const uint8_t *end;
};

static struct store store;
static struct heap heap;
static struct arena arena;
static struct vfs *v;
static struct vfs_tree *snapshot[SNAPSHOTS];
static uint64_t taken[SNAPSHOTS];
static vfs_ino held[HELD];
static int64_t clock_ns;

static const struct vfs_cred creds[] = { { .uid = 0 }, { .uid = 1, .gid = 1 } };

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

static int64_t now(void *user)
{
	(void)user;
	return ++clock_ns;
}

static const char *path_of(unsigned n)
{
	static const char *const paths[] = {
		"/a",    "/b",     "/a/b",  "/a/b/c", "b/a", "/c",   "/c/",    "..",
		"/a/..", "/a/./b", "d/d/d", "d",      "d/d", "/s/f", "/s/d/f", "/s/d",
	};
	static char name[256];

	if (n < 128)
		return paths[n % 16];
	/* Many names of many lengths in one directory, so that its tree grows and shrinks. */
	memset(name, 'x', sizeof name);
	memcpy(name, "/many/", 6);
	name[6] = (char)('a' + n % 16);
	name[7] = (char)('a' + n / 16 % 16);
	name[n % 3 == 0 ? 240 : 8 + n % 9] = '\0';
	return name;
}

/* --- a lazy source --- */

static int list(void *user, uint64_t id, int (*emit)(void *, const struct vfs_source_entry *),
		void *sink)
{
	struct vfs_source_entry f = { .name = "f", .id = 9, .mode = S_REG | 0666, .size = 9000 };
	struct vfs_source_entry d = { .name = "d", .id = id + 1, .mode = S_DIR | 0777 };

	(void)user;
	if (emit(sink, &f) != 0 || (id < 3 && emit(sink, &d) != 0))
		return -E_IO;
	return 0;
}

static int64_t read_bytes(void *user, uint64_t id, uint64_t pos, void *out, size_t n)
{
	(void)user;
	if (pos >= 9000)
		return 0;
	n = n < 9000 - pos ? n : (size_t)(9000 - pos);
	memset(out, (int)id, n);
	return (int64_t)n;
}

static const struct vfs_source source = { .list = list, .read = read_bytes };

/* --- checks --- */

static uint64_t mix(uint64_t h, const void *p, size_t n)
{
	const unsigned char *c = p;

	for (size_t i = 0; i < n; i++)
		h = (h ^ c[i]) * 0x100000001b3u;
	return h;
}

static void check_file(struct vfs *t, const struct vfs_stat *st, uint64_t *hash)
{
	static char bytes[4096];
	int64_t n;

	for (uint64_t pos = 0; pos < st->size && pos < 1 << 20; pos += (uint64_t)n) {
		n = vfs_read(t, st->ino, pos, bytes, sizeof bytes);
		must(n > 0);
		*hash = mix(*hash, bytes, (size_t)n);
	}
}

static void check_dir(struct vfs *t, vfs_ino dir, uint64_t *hash, unsigned depth)
{
	struct arena_mark mark = arena_mark(&arena);
	struct bytes last = { "", 0 };
	struct vfs_dirent e;
	const char *after = NULL;
	struct vfs_stat st;
	uint32_t subdirs = 0;

	while (depth < DEPTH_MAX && vfs_readdir(t, dir, after, &arena, &e, 1) == 1) {
		must(bytes_cmp(last, e.name) < 0);
		must(vfs_getattr(t, e.ino, &st) == 0);
		must((st.mode & S_FMT) == e.type && st.nlink > 0);
		*hash = mix(mix(*hash, e.name.ptr, e.name.len), &st.mode, sizeof st.mode);
		if (e.type == S_DIR) {
			subdirs++;
			check_dir(t, e.ino, hash, depth + 1);
		} else if (e.type == S_REG) {
			check_file(t, &st, hash);
		}
		last = e.name;
		after = last.ptr;
	}
	must(vfs_getattr(t, dir, &st) == 0);
	must(depth >= DEPTH_MAX || st.nlink == 2 + subdirs);
	arena_release(&arena, mark);
}

static uint64_t check_tree(struct vfs *t)
{
	uint64_t hash = 1;

	check_dir(t, VFS_ROOT, &hash, 0);
	return hash;
}

static void drop_snapshot(unsigned i)
{
	struct vfs *t;

	if (snapshot[i] == NULL)
		return;
	must(vfs_new(&store, snapshot[i], now, NULL, &t) == 0);
	must(check_tree(t) == taken[i]);
	vfs_free(t);
	vfs_tree_put(snapshot[i]);
	snapshot[i] = NULL;
}

static void take_snapshot(unsigned i)
{
	drop_snapshot(i);
	taken[i] = check_tree(v);
	snapshot[i] = vfs_snapshot(v);
	must(snapshot[i] != NULL);
}

static int ignore_change(void *user, const struct vfs_change *c)
{
	(void)user;
	must(c->path[0] == '/');
	return 0;
}

static void compare(struct vfs_tree *old, struct vfs_tree *new)
{
	struct vfs *a;
	struct vfs *b;

	must(vfs_new(&store, old, now, NULL, &a) == 0);
	must(vfs_new(&store, new, now, NULL, &b) == 0);
	must(vfs_diff(a, b, ignore_change, NULL) == 0);
	vfs_free(a);
	vfs_free(b);
}

static void use_snapshot(unsigned i, unsigned how)
{
	struct vfs_tree *t;

	if (snapshot[i] == NULL)
		return;
	if (how == 0) {
		vfs_restore(v, snapshot[i]);
	} else if (how == 1) {
		t = vfs_snapshot(v);
		compare(snapshot[i], t);
		vfs_tree_put(t);
	} else {
		for (unsigned k = 0; k < HELD; k++)
			held[k] = 0;
		vfs_free(v);
		must(vfs_new(&store, snapshot[i], now, NULL, &v) == 0);
		vfs_reap(v);
	}
}

/* --- operations --- */

static void hold_file(const struct vfs_cred *c, const char *path, unsigned flags, unsigned slot)
{
	vfs_ino ino;
	bool created;

	if (vfs_open(v, c, VFS_ROOT, path, flags & (O_ACCMODE_ | O_CREAT_ | O_EXCL_ | O_TRUNC_),
		     0666, &ino, &created) != 0)
		return;
	vfs_drop(v, held[slot]);
	held[slot] = ino;
}

/* Few names and sizes up to what fits: they are replaced, and fill the file's room. */
static void set_attribute(const struct vfs_cred *c, vfs_ino ino, uint8_t how, const char *data)
{
	char name[] = "user.a";
	char list[64];

	name[5] = (char)('a' + how % 5);
	if (how % 7 == 0)
		vfs_xattr_remove(v, c, ino, name);
	else
		vfs_xattr_set(v, c, ino, name, (struct bytes){ data, how * 9u }, how % 3);
	must(vfs_xattr_get(v, c, ino, name, list, sizeof list) <= (int64_t)sizeof list);
	must(vfs_xattr_list(v, &creds[0], ino, list, sizeof list) <= 5 * 7);
}

static void play(const uint8_t *b)
{
	static char data[20000];
	const struct vfs_cred *c = &creds[b[0] >> 7];
	const char *path = path_of(b[1]);
	char first[256];
	vfs_ino ino = held[b[3] % HELD];

	memset(data, b[3], sizeof data);
	memcpy(first, path, strlen(path) + 1);
	path = path_of(b[2]);
	switch (b[0] & 15) {
	case 0: vfs_mkdir(v, c, VFS_ROOT, first, 0777); break;
	case 1: hold_file(c, first, b[2] * 16u | b[3] % 3, b[3] % HELD); break;
	case 2: vfs_write(v, ino, b[1] * 50u, data, b[2] * 70u); break;
	case 3: vfs_write(v, ino, (uint64_t)b[1] << (b[2] % 50), data, 3); break;
	case 4: vfs_truncate(v, ino, (uint64_t)b[1] << (b[2] % 20)); break;
	case 5: vfs_unlink(v, c, VFS_ROOT, first); break;
	case 6: vfs_rmdir(v, c, VFS_ROOT, first); break;
	case 7: vfs_rename(v, c, VFS_ROOT, first, VFS_ROOT, path, b[3] % 3); break;
	case 8: vfs_link(v, c, VFS_ROOT, first, VFS_NOFOLLOW, VFS_ROOT, path); break;
	case 9: vfs_symlink(v, c, path, VFS_ROOT, first); break;
	case 10: vfs_mknod(v, c, VFS_ROOT, first, S_FIFO | 0644, 0); break;
	case 11: take_snapshot(b[1] % SNAPSHOTS); break;
	case 12: use_snapshot(b[1] % SNAPSHOTS, b[2] % 3); break;
	case 13: vfs_mount_source(v, "/s", &source, 1, b[1] & 1 ? &creds[1] : NULL); break;
	case 14:
		if (b[2] % 2 != 0)
			set_attribute(c, ino, b[1], data);
		else
			vfs_chmod(v, c, ino, b[1] * 16u);
		break;
	default: vfs_drop(v, ino); held[b[3] % HELD] = 0;
	}
}

static void set_up(void)
{
	static const struct vfs_limits limits = { .bytes = 4 << 20,
						  .inodes = 500,
						  .file_bytes = (uint64_t)1 << 50 };

	if (store.nregions == 0)
		must(store_init(&store, malloc(REGION_BYTES), REGION_BYTES, NULL, NULL) == 0);
	heap.store = &store;
	arena_init(&arena, &heap, (struct arena_fail){ no_memory, NULL });
	must(vfs_new(&store, NULL, now, NULL, &v) == 0);
	vfs_set_limits(v, &limits);
	must(vfs_chmod(v, &creds[0], VFS_ROOT, 0777) == 0);
	must(vfs_mkdir(v, &creds[0], VFS_ROOT, "/many", 0777) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	set_up();
	for (size_t i = 0; i + 4 <= size; i += 4)
		play(data + i);
	check_tree(v);
	for (unsigned i = 0; i < SNAPSHOTS; i++)
		drop_snapshot(i);
	for (unsigned i = 0; i < HELD; i++) {
		vfs_drop(v, held[i]);
		held[i] = 0;
	}
	vfs_free(v);
	arena_clear(&arena);
	/* A slab of four pages stays for each size of block. */
	must(store.pages_used <= STORE_CLASSES * 4);
	return 0;
}
