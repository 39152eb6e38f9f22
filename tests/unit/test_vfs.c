/* SPDX-License-Identifier: MIT
 *
 * The vfs by itself: what the comparison with a real filesystem (test_vfs_random.c) cannot
 * show: sharing, snapshots, accounting, large directories, differences, sources, providers,
 * failing memory, threads.
 */
#include <pthread.h>

#include "tests/unit/vfs_world.h"

static int64_t file_bytes(struct vfs *v, const char *path, char *out, size_t n)
{
	vfs_ino ino = find(v, path);

	return ino == 0 ? -E_NOENT : vfs_read(v, ino, 0, out, n);
}

static bool has(struct vfs *v, const char *path, const char *content)
{
	char got[256];
	int64_t n = file_bytes(v, path, got, sizeof got);

	return n == (int64_t)strlen(content) && memcmp(got, content, (size_t)n) == 0;
}

static int make_dir(struct vfs *v, const char *path)
{
	return vfs_mkdir(v, &root_cred, VFS_ROOT, path, 0755);
}

static int unlink_path(struct vfs *v, const char *path)
{
	return vfs_unlink(v, &root_cred, VFS_ROOT, path);
}

static int rename_path(struct vfs *v, const char *from, const char *to)
{
	return vfs_rename(v, &root_cred, VFS_ROOT, from, VFS_ROOT, to, 0);
}

/* --- snapshots --- */

TEST(a_snapshot_keeps_its_state)
{
	struct vfs *v = world_new();
	struct vfs_tree *t;
	struct vfs *old;

	put_file(v, "/f", "one", 3);
	make_dir(v, "/d");
	t = vfs_snapshot(v);
	put_file(v, "/f", "two two", 7);
	put_file(v, "/d/new", "x", 1);
	CHECK(unlink_path(v, "/f") == 0);
	old = fork_of(t);
	CHECK(has(old, "/f", "one"));
	CHECK(find(old, "/d/new") == 0);
	CHECK(has(v, "/d/new", "x"));
	vfs_restore(v, t);
	CHECK(has(v, "/f", "one"));
	CHECK(find(v, "/d/new") == 0);
	vfs_tree_put(t);
	vfs_free(v);
	CHECK(has(old, "/f", "one"));
	vfs_free(old);
}

TEST(a_fork_copies_only_the_page_it_writes)
{
	static char data[1 << 20];
	struct vfs *v = world_new();
	struct vfs *fork;
	struct vfs_tree *t;
	const char *a;
	const char *b;
	size_t before;

	put_file(v, "/big", data, sizeof data);
	t = vfs_snapshot(v);
	fork = fork_of(t);
	before = store.pages_used;
	CHECK(vfs_write(fork, find(fork, "/big"), 500000, "x", 1) == 1);
	CHECK(store.pages_used <= before + 1 + 4 * 4);
	vfs_view(v, find(v, "/big"), 0, 1, &a);
	vfs_view(fork, find(fork, "/big"), 0, 1, &b);
	CHECK(a == b);
	vfs_view(v, find(v, "/big"), 500000, 1, &a);
	vfs_view(fork, find(fork, "/big"), 500000, 1, &b);
	CHECK(a != b && *a == 0 && *b == 'x');
	vfs_tree_put(t);
	vfs_free(fork);
	vfs_free(v);
}

TEST(nameless_files_live_while_held)
{
	struct vfs *v = world_new();
	struct vfs *fork;
	struct vfs_tree *t;
	vfs_ino ino;
	char got[8];

	put_file(v, "/f", "data", 4);
	ino = find(v, "/f");
	CHECK(vfs_hold(v, ino) == 0);
	CHECK(unlink_path(v, "/f") == 0);
	CHECK(vfs_read(v, ino, 0, got, 8) == 4);
	t = vfs_snapshot(v);
	fork = fork_of(t);
	CHECK(vfs_hold(fork, ino) == 0);
	vfs_reap(fork);
	vfs_drop(v, ino);
	CHECK(vfs_read(v, ino, 0, got, 8) == -E_NOENT);
	CHECK(vfs_read(fork, ino, 0, got, 8) == 4);
	vfs_drop(fork, ino);
	CHECK(vfs_read(fork, ino, 0, got, 8) == -E_NOENT);
	vfs_free(fork);
	fork = fork_of(t);
	vfs_reap(fork);
	CHECK(vfs_read(fork, ino, 0, got, 8) == -E_NOENT);
	vfs_free(fork);
	vfs_tree_put(t);
	vfs_free(v);
}

/* --- directories --- */

enum { MODEL = 3000 };

/* Names of all lengths, many with long common beginnings. */
static void model_name(unsigned i, char *out)
{
	unsigned len = i % 7 == 0 ? 200 + i % 56 : 1 + i % 20;

	memset(out, 'a' + (int)(i % 3), len);
	snprintf(out + len - (len > 6 ? 6 : 0), 8, "%u", i);
}

static bool listing_is(struct vfs *v, const bool *present)
{
	struct arena_mark mark = arena_mark(&arena);
	static struct vfs_dirent entry[16];
	char name[300];
	const char *after = NULL;
	struct bytes last = { "", 0 };
	unsigned count = 0;
	unsigned want = 0;
	bool sorted = true;
	int n;

	while ((n = vfs_readdir(v, VFS_ROOT, after, &arena, entry, 16)) > 0) {
		for (int i = 0; i < n; i++) {
			sorted = sorted && bytes_cmp(last, entry[i].name) < 0;
			last = entry[i].name;
			count++;
		}
		after = last.ptr;
	}
	for (unsigned i = 0; i < MODEL; i++) {
		model_name(i, name);
		want += present[i];
		sorted = sorted && (find(v, name) != 0) == present[i];
	}
	arena_release(&arena, mark);
	return sorted && count == want;
}

static void random_entries(struct vfs *v, bool *present, unsigned steps, unsigned adding)
{
	char name[300];

	for (unsigned i = 0; i < steps; i++) {
		unsigned k = roll(MODEL);

		model_name(k, name);
		if (roll(100) < adding) {
			int err = vfs_mknod(v, &root_cred, VFS_ROOT, name, S_REG | 0644, 0);

			CHECK(err == (present[k] ? -E_EXIST : 0));
			present[k] = true;
		} else {
			CHECK(unlink_path(v, name) == (present[k] ? 0 : -E_NOENT));
			present[k] = false;
		}
	}
}

TEST(a_large_directory_stays_sorted_through_adding_and_removing)
{
	static bool present[MODEL];
	static bool then[MODEL];
	struct vfs *v = world_new();
	struct vfs_tree *t = NULL;

	for (unsigned round = 0; round < 12; round++) {
		static const unsigned adding[] = { 90, 50, 10, 70 };

		random_entries(v, present, MODEL, adding[round % 4]);
		CHECK(listing_is(v, present));
		if (t != NULL) {
			struct vfs *old = fork_of(t);

			CHECK(listing_is(old, then));
			vfs_free(old);
			vfs_tree_put(t);
		}
		t = vfs_snapshot(v);
		memcpy(then, present, sizeof then);
	}
	vfs_tree_put(t);
	vfs_free(v);
}

TEST(names_in_order_fill_the_nodes)
{
	struct vfs *v = world_new();
	size_t before = store.pages_used;
	char name[32];

	for (int i = 0; i < 100000; i++) {
		snprintf(name, sizeof name, "file%06d", i);
		if (!CHECK(vfs_mknod(v, &root_cred, VFS_ROOT, name, S_REG | 0644, 0) == 0))
			break;
	}
	/* An inode, a slot in the map, and 22 bytes of entry. */
	CHECK((store.pages_used - before) * PAGE_BYTES < 100000u * 200);
	for (int i = 0; i < 100000; i++) {
		snprintf(name, sizeof name, "file%06d", i);
		if (!CHECK(unlink_path(v, name) == 0))
			break;
	}
	vfs_free(v);
}

TEST(depth_is_no_danger)
{
	struct vfs *v = world_new();
	vfs_ino at = VFS_ROOT;
	struct arena_mark mark = arena_mark(&arena);
	char *path;

	for (int i = 0; i < 100000; i++) {
		CHECK(vfs_mkdir(v, &root_cred, at, "d", 0755) == 0);
		CHECK(vfs_lookup(v, &root_cred, at, "d", 0, &at) == 0);
	}
	CHECK(vfs_dir_path(v, at, &arena, &path) == -E_NAMETOOLONG);
	CHECK(vfs_rename(v, &root_cred, VFS_ROOT, "d", at, "e", 0) == -E_INVAL);
	arena_release(&arena, mark);
	vfs_free(v);
}

TEST(dir_path_names_the_way)
{
	struct vfs *v = world_new();
	struct arena_mark mark = arena_mark(&arena);
	char *path;
	vfs_ino ino;

	make_dir(v, "/usr");
	make_dir(v, "/usr/share");
	ino = find(v, "/usr/share");
	CHECK(vfs_dir_path(v, ino, &arena, &path) == 0);
	CHECK_STR(path, "/usr/share");
	CHECK(vfs_dir_path(v, VFS_ROOT, &arena, &path) == 0);
	CHECK_STR(path, "/");
	CHECK(vfs_hold(v, ino) == 0);
	CHECK(vfs_rmdir(v, &root_cred, VFS_ROOT, "/usr/share") == 0);
	CHECK(vfs_dir_path(v, ino, &arena, &path) == -E_NOENT);
	vfs_drop(v, ino);
	arena_release(&arena, mark);
	vfs_free(v);
}

TEST(forty_links_are_followed_and_no_more)
{
	struct vfs *v = world_new();
	char name[16];
	char target[16];
	vfs_ino ino;

	put_file(v, "/l0", "x", 1);
	for (int i = 1; i <= 41; i++) {
		snprintf(name, sizeof name, "/l%d", i);
		snprintf(target, sizeof target, "l%d", i - 1);
		CHECK(vfs_symlink(v, &root_cred, target, VFS_ROOT, name) == 0);
	}
	CHECK(vfs_lookup(v, &root_cred, VFS_ROOT, "/l40", 0, &ino) == 0);
	CHECK(vfs_lookup(v, &root_cred, VFS_ROOT, "/l41", 0, &ino) == -E_LOOP);
	vfs_free(v);
}

/* --- files --- */

TEST(a_file_written_in_order_reads_as_one_span)
{
	static char data[1 << 20];
	struct vfs *v = world_new();
	vfs_ino ino;
	const char *p;
	int64_t n = 0;
	int spans = 0;

	put_file(v, "/f", "", 0);
	ino = find(v, "/f");
	for (size_t pos = 0; pos < sizeof data; pos += 1000) {
		size_t len = sizeof data - pos < 1000 ? sizeof data - pos : 1000;

		CHECK(vfs_write(v, ino, pos, data, len) == (int64_t)len);
	}
	for (uint64_t pos = 0; pos < sizeof data; pos += (uint64_t)n, spans++) {
		n = vfs_view(v, ino, pos, sizeof data, &p);
		if (!CHECK(n > 0))
			break;
	}
	CHECK(spans <= 8);
	vfs_free(v);
}

TEST(a_small_file_is_put_without_a_walk)
{
	static char large[VFS_SMALL_MAX + 1];
	struct vfs *v = world_new();
	struct vfs_tree *t = vfs_snapshot(v);
	struct bytes text = BYTES("text");
	struct vfs_stat st;
	vfs_ino dir;

	CHECK(vfs_mkdir(v, &root_cred, VFS_ROOT, "/d", 0755) == 0);
	dir = find(v, "/d");
	CHECK(vfs_put_small(v, dir, BYTES("a"), text, 0755) == 0);
	CHECK(vfs_put_small(v, dir, BYTES("a"), text, 0755) == -E_EXIST);
	CHECK(vfs_put_small(v, dir, BYTES("b"), (struct bytes){ large, sizeof large }, 0644) ==
	      -E_INVAL);
	CHECK(vfs_put_small(v, dir, BYTES("b"), BYTES(""), 0644) == -E_INVAL);
	CHECK(has(v, "/d/a", "text"));
	vfs_getattr(v, find(v, "/d/a"), &st);
	CHECK(st.mode == (S_REG | 0755) && st.uid == 0 && st.nlink == 1 && st.size == 4);
	CHECK_EQ(vfs_write(v, find(v, "/d/a"), 4, "s of more", 9), 9);
	CHECK(has(v, "/d/a", "texts of more"));
	CHECK(unlink_path(v, "/d/a") == 0 && find(v, "/d/a") == 0);
	fail_after(1);
	CHECK(vfs_put_small(v, dir, BYTES("c"), text, 0644) == -E_NOMEM);
	fail_after(0);
	CHECK(find(v, "/d/c") == 0);
	vfs_tree_put(t);
	vfs_free(v);
}

TEST(a_hole_costs_nothing)
{
	struct vfs *v = world_new();
	struct vfs_stat st;
	vfs_ino ino;

	put_file(v, "/f", "", 0);
	ino = find(v, "/f");
	CHECK(vfs_write(v, ino, (uint64_t)1 << 40, "x", 1) == 1);
	CHECK(vfs_getattr(v, ino, &st) == 0);
	CHECK(st.size == ((uint64_t)1 << 40) + 1 && st.blocks == 8);
	CHECK(vfs_seek_data(v, ino, 0, 3) == (int64_t)1 << 40);
	CHECK(vfs_truncate(v, ino, 10) == 0);
	CHECK(vfs_getattr(v, ino, &st) == 0);
	CHECK(st.blocks == 0);
	vfs_free(v);
}

TEST(times_move_with_what_changes)
{
	struct vfs *v = world_new();
	struct vfs_stat a;
	struct vfs_stat b;
	struct vfs_stat d;
	char got[4];

	make_dir(v, "/d");
	put_file(v, "/d/f", "abc", 3);
	CHECK(vfs_getattr(v, find(v, "/d/f"), &a) == 0);
	vfs_read(v, a.ino, 0, got, 3);
	vfs_getattr(v, a.ino, &b);
	CHECK(memcmp(&a, &b, sizeof a) == 0);
	vfs_write(v, a.ino, 0, "x", 1);
	vfs_getattr(v, a.ino, &b);
	CHECK(b.mtime_ns > a.mtime_ns && b.ctime_ns == b.mtime_ns && b.atime_ns == a.atime_ns);
	CHECK(vfs_chmod(v, &root_cred, a.ino, 0600) == 0);
	vfs_getattr(v, a.ino, &a);
	CHECK(a.ctime_ns > b.ctime_ns && a.mtime_ns == b.mtime_ns);
	CHECK(rename_path(v, "/d/f", "/d/g") == 0);
	vfs_getattr(v, a.ino, &b);
	vfs_getattr(v, find(v, "/d"), &d);
	CHECK(b.ctime_ns > a.ctime_ns && b.mtime_ns == a.mtime_ns);
	CHECK(d.mtime_ns == b.ctime_ns && d.ctime_ns == b.ctime_ns);
	vfs_free(v);
}

/* --- limits --- */

TEST(limits_count_what_was_added)
{
	static char data[100000];
	struct vfs_limits limits = { .bytes = 65536, .inodes = 3, .file_bytes = 50000 };
	struct vfs *base = world_new();
	struct vfs_usage usage;
	struct vfs_tree *t;
	struct vfs *v;

	put_file(base, "/base", data, sizeof data);
	t = vfs_snapshot(base);
	v = fork_of(t);
	vfs_set_limits(v, &limits);
	vfs_get_usage(v, &usage);
	CHECK(usage.bytes == 0 && usage.inodes == 0);
	CHECK(put_file(v, "/a", data, sizeof data) == 50000);
	CHECK(vfs_write(v, find(v, "/a"), 50000, "x", 1) == -E_FBIG);
	CHECK(vfs_truncate(v, find(v, "/a"), 50001) == -E_FBIG);
	CHECK(put_file(v, "/b", data, 20000) == 8192);
	CHECK(vfs_write(v, find(v, "/b"), 8192, data, 4096) == -E_NOSPC);
	CHECK(rename_path(v, "/b", "/c") == 0);
	/* A page of the base costs when it is written, once. */
	CHECK(unlink_path(v, "/c") == 0);
	CHECK(vfs_write(v, find(v, "/base"), 0, "x", 1) == 1);
	CHECK(vfs_write(v, find(v, "/base"), 1, "x", 1) == 1);
	CHECK(unlink_path(v, "/base") == 0);
	CHECK(unlink_path(v, "/a") == 0);
	vfs_get_usage(v, &usage);
	CHECK_EQ(usage.bytes, 0);
	CHECK_EQ(usage.inodes, 0);
	for (int i = 0; i < 3; i++)
		CHECK(vfs_mkdir(v, &root_cred, VFS_ROOT, (const char *[]){ "x", "y", "z" }[i],
				0755) == 0);
	CHECK(make_dir(v, "/w") == -E_NOSPC);
	vfs_tree_put(t);
	vfs_free(v);
	vfs_free(base);
}

/* --- differences --- */

static char diff_text[4000];

static int note_change(void *user, const struct vfs_change *c)
{
	size_t len = strlen(diff_text);

	(void)user;
	snprintf(diff_text + len, sizeof diff_text - len, "%c %s\n", c->kind, c->path);
	return 0;
}

/* Compares with the present state. */
static const char *diff_since(struct vfs *v, struct vfs_tree *old)
{
	struct vfs_tree *now = vfs_snapshot(v);
	struct vfs *a;
	struct vfs *b;

	diff_text[0] = '\0';
	CHECK(vfs_new(&store, old, NULL, NULL, &a) == 0);
	CHECK(vfs_new(&store, now, NULL, NULL, &b) == 0);
	CHECK(vfs_diff(a, b, note_change, NULL) == 0);
	vfs_free(a);
	vfs_free(b);
	vfs_tree_put(now);
	return diff_text;
}

TEST(diff_tells_every_kind)
{
	struct vfs *v = world_new();
	struct vfs_tree *t;

	make_dir(v, "/a");
	make_dir(v, "/a/gone");
	put_file(v, "/a/gone/f", "1", 1);
	put_file(v, "/a/same", "1", 1);
	put_file(v, "/a/text", "1", 1);
	put_file(v, "/mode", "1", 1);
	put_file(v, "/type", "1", 1);
	put_file(v, "/moved", "1", 1);
	t = vfs_snapshot(v);
	CHECK_STR(diff_since(v, t), "");
	unlink_path(v, "/a/gone/f");
	vfs_rmdir(v, &root_cred, VFS_ROOT, "/a/gone");
	put_file(v, "/a/text", "2", 1);
	vfs_chmod(v, &root_cred, find(v, "/mode"), 0600);
	unlink_path(v, "/type");
	make_dir(v, "/type");
	put_file(v, "/type/new", "1", 1);
	rename_path(v, "/moved", "/a/moved");
	CHECK_STR(diff_since(v, t), "- /a/gone\n- /a/gone/f\n+ /a/moved\nM /a/text\nm /mode\n"
				    "- /moved\nT /type\n+ /type/new\n");
	vfs_tree_put(t);
	vfs_free(v);
}

TEST(diff_finds_changes_through_other_links)
{
	struct vfs *v = world_new();
	struct vfs_tree *t;

	make_dir(v, "/a");
	make_dir(v, "/b");
	put_file(v, "/a/f", "1", 1);
	vfs_link(v, &root_cred, VFS_ROOT, "/a/f", VFS_NOFOLLOW, VFS_ROOT, "/b/f");
	t = vfs_snapshot(v);
	put_file(v, "/a/f", "2", 1);
	CHECK_STR(diff_since(v, t), "M /a/f\nM /b/f\n");
	vfs_tree_put(t);
	vfs_free(v);
}

/* --- sources --- */

static int list_calls;
static int read_calls;
static bool pending;
static char big_bytes[100000];

/* Directory 1: two files, a link and directory 2; directory 2: one big file. */
static int source_list(void *user, uint64_t id,
		       int (*emit)(void *sink, const struct vfs_source_entry *), void *sink)
{
	static const struct vfs_source_entry first[] = {
		{ .name = "b", .id = 10, .mode = S_REG | 0644, .size = 5, .mtime_ns = 7 },
		{ .name = "a", .id = 11, .mode = S_REG | 0755, .size = UINT64_MAX },
		{ .name = "../evil", .id = 12, .mode = S_REG | 0755 },
		{ .name = "link", .id = 13, .mode = S_LNK | 0777, .target = "sub/big" },
		{ .name = "sub", .id = 2, .mode = S_DIR | 0755 },
		{ .name = "b", .id = 14, .mode = S_REG | 0644 },
	};
	static const struct vfs_source_entry second = {
		.name = "big", .id = 20, .mode = S_REG | 0644, .size = 100000
	};

	(void)user;
	if (pending)
		return VFS_PENDING;
	list_calls++;
	for (int i = 0; id == 1 && i < 6; i++)
		if (emit(sink, &first[i]) != 0)
			return -E_IO;
	return id == 2 && emit(sink, &second) != 0 ? -E_IO : 0;
}

static int64_t source_read(void *user, uint64_t id, uint64_t pos, void *out, size_t n)
{
	const char *from = id == 20 ? big_bytes : "hello";
	size_t size = id == 20 ? sizeof big_bytes : 5;

	(void)user;
	if (pending)
		return VFS_PENDING;
	read_calls++;
	if (pos >= size)
		return 0;
	if (n > size - pos)
		n = (size_t)(size - pos);
	memcpy(out, from + pos, n);
	return (int64_t)n;
}

static const char *source_map(void *user, uint64_t id, uint64_t *size)
{
	(void)user;
	*size = sizeof big_bytes;
	return id == 20 ? big_bytes : NULL;
}

static const struct vfs_source reading = { .list = source_list, .read = source_read };
static const struct vfs_source mapping = { .list = source_list,
					   .read = source_read,
					   .map = source_map };
static const struct vfs_source fixed = { .list = source_list,
					 .read = source_read,
					 .read_only = true };

static const struct vfs_cred agent = { .uid = 1000, .gid = 1000 };

TEST(a_source_is_asked_at_first_use_only)
{
	struct vfs *v = world_new();
	struct vfs_tree *t;
	struct vfs_stat st;

	memset(big_bytes, 'B', sizeof big_bytes);
	list_calls = read_calls = 0;
	CHECK(vfs_mount_source(v, "/m", &reading, 1, &agent) == 0);
	t = vfs_snapshot(v);
	CHECK_EQ(list_calls, 0);
	CHECK(has(v, "/m/b", "hello"));
	CHECK(has(v, "/m/b", "hello"));
	CHECK(list_calls == 1 && read_calls == 1);
	CHECK(vfs_getattr(v, find(v, "/m/a"), &st) == 0);
	CHECK(st.size == 5 && st.uid == 1000 && (st.mode & 07777) == 0755);
	CHECK(find(v, "/m/nothing") == 0);
	CHECK(vfs_lookup(v, &root_cred, VFS_ROOT, "/m/link", 0, &st.ino) == 0);
	CHECK_EQ(st.ino, find(v, "/m/sub/big"));
	CHECK_EQ(list_calls, 2);
	CHECK_STR(diff_since(v, t), "");
	CHECK(vfs_write(v, st.ino, 50000, "x", 1) == 1);
	CHECK(unlink_path(v, "/m/a") == 0);
	CHECK(put_file(v, "/m/sub/new", "n", 1) == 1);
	CHECK_STR(diff_since(v, t), "- /m/a\nM /m/sub/big\n+ /m/sub/new\n");
	vfs_tree_put(t);
	vfs_free(v);
}

TEST(pending_answers_are_tried_again)
{
	struct vfs *v = world_new();
	vfs_ino ino;
	char c;

	CHECK(vfs_mount_source(v, "/m", &reading, 1, NULL) == 0);
	pending = true;
	CHECK(vfs_lookup(v, &root_cred, VFS_ROOT, "/m/b", 0, &ino) == VFS_PENDING);
	pending = false;
	CHECK(vfs_lookup(v, &root_cred, VFS_ROOT, "/m/b", 0, &ino) == 0);
	pending = true;
	CHECK(vfs_read(v, ino, 0, &c, 1) == VFS_PENDING);
	pending = false;
	CHECK(vfs_read(v, ino, 0, &c, 1) == 1 && c == 'h');
	vfs_free(v);
}

TEST(mapped_files_are_read_in_place_and_copied_when_written)
{
	struct vfs *v = world_new();
	struct vfs_usage usage;
	const char *p;
	vfs_ino ino;
	char got[4];

	memset(big_bytes, 'B', sizeof big_bytes);
	CHECK(vfs_mount_source(v, "/m", &mapping, 1, NULL) == 0);
	ino = find(v, "/m/sub/big");
	CHECK(vfs_view(v, ino, 0, 1 << 20, &p) == 100000 && p == big_bytes);
	vfs_get_usage(v, &usage);
	CHECK_EQ(vfs_write(v, ino, 8190, "1234", 4), 4);
	CHECK(vfs_view(v, ino, 0, 1 << 20, &p) == 4096 && p == big_bytes);
	CHECK(vfs_read(v, ino, 8189, got, 4) == 4 && memcmp(got, "B123", 4) == 0);
	CHECK(vfs_view(v, ino, 12288, 1 << 20, &p) == 100000 - 12288);
	CHECK_EQ(big_bytes[8190], 'B');
	CHECK(vfs_truncate(v, ino, 99990) == 0 && vfs_truncate(v, ino, 100000) == 0);
	CHECK(vfs_read(v, ino, 99989, got, 4) == 4 && memcmp(got, "B\0\0\0", 4) == 0);
	vfs_free(v);
}

TEST(a_read_only_source_refuses_changes)
{
	struct vfs *v = world_new();
	vfs_ino ino;
	bool created;

	CHECK(vfs_mount_source(v, "/m", &fixed, 1, NULL) == 0);
	CHECK(put_file(v, "/m/new", "x", 1) == -E_ROFS);
	CHECK(unlink_path(v, "/m/b") == -E_ROFS);
	CHECK(rename_path(v, "/m/b", "/b") == -E_ROFS);
	CHECK(vfs_chmod(v, &root_cred, find(v, "/m/b"), 0600) == -E_ROFS);
	CHECK(vfs_open(v, &root_cred, VFS_ROOT, "/m/b", O_WRONLY_, 0, &ino, &created) == -E_ROFS);
	CHECK(has(v, "/m/b", "hello"));
	CHECK(vfs_put_lazy(v, VFS_ROOT, "/lazy", &reading, 10, UINT64_MAX, 0644, &agent) == 0);
	CHECK(has(v, "/lazy", "hello"));
	CHECK(rename_path(v, "/m", "/n") == -E_BUSY);
	vfs_free(v);
}

/* --- providers: id 1 is the root with "self" (2, a link), "dir" (3) with "file" (4) --- */

static int proc_lookup(void *user, void *asker, uint64_t dir, struct bytes name, uint64_t *id)
{
	(void)user;
	(void)asker;
	if (dir == 3 && bytes_is(name, ".."))
		*id = 1;
	else if (dir == 1 && bytes_is(name, "self"))
		*id = 2;
	else if (dir == 1 && bytes_is(name, "dir"))
		*id = 3;
	else if (dir == 3 && bytes_is(name, "file"))
		*id = 4;
	else
		return -E_NOENT;
	return 0;
}

static int proc_getattr(void *user, void *asker, uint64_t id, struct vfs_stat *out)
{
	static const uint32_t mode[] = { 0, S_DIR | 0555, S_LNK | 0777, S_DIR | 0555,
					 S_REG | 0444 };

	(void)user;
	(void)asker;
	out->mode = mode[id];
	return 0;
}

static int proc_next(void *user, void *asker, uint64_t dir, const char *after, struct arena *a,
		     struct vfs_dirent *out)
{
	bool root = dir == 1;

	(void)user;
	(void)asker;
	(void)a;
	if (after != NULL && (!root || strcmp(after, "self") == 0))
		return -E_NOENT;
	out->name = !root ? BYTES("file") : after == NULL ? BYTES("dir") : BYTES("self");
	out->ino = !root ? 4 : after == NULL ? 3 : 2;
	out->type = !root ? S_REG : after == NULL ? S_DIR : S_LNK;
	return 0;
}

static int proc_readlink(void *user, void *asker, uint64_t id, struct arena *a, struct bytes *out,
			 vfs_ino *jump)
{
	(void)user;
	(void)id;
	*out = arena_bytes(a, BYTES("dir"));
	if (asker != NULL)
		*jump = *(vfs_ino *)asker;
	return 0;
}

static const struct vfs_provider proc = {
	.lookup = proc_lookup, .getattr = proc_getattr, .next = proc_next, .readlink = proc_readlink
};

TEST(a_provider_answers_each_time)
{
	struct arena_mark mark = arena_mark(&arena);
	struct vfs *v = world_new();
	const struct vfs_provider *p;
	struct vfs_dirent entry[4];
	struct vfs_tree *t;
	struct vfs *fork;
	uint64_t id;
	vfs_ino ino;
	char *path;

	CHECK(vfs_mount_provider(v, "/proc", &proc, 1) == 0);
	CHECK(vfs_is_dynamic(v, find(v, "/proc/dir/file"), &p, &id) && p == &proc && id == 4);
	CHECK(vfs_lookup(v, &root_cred, VFS_ROOT, "/proc/self/file", 0, &ino) == 0);
	CHECK_EQ(ino, find(v, "/proc/dir/file"));
	CHECK(vfs_lookup(v, &root_cred, VFS_ROOT, "/proc/dir/../..", 0, &ino) == 0);
	CHECK_EQ(ino, VFS_ROOT);
	CHECK(vfs_readdir(v, find(v, "/proc"), NULL, &arena, entry, 4) == 2);
	CHECK(vfs_dir_path(v, find(v, "/proc/dir"), &arena, &path) == 0);
	CHECK_STR(path, "/proc/dir");
	ino = VFS_ROOT;
	vfs_set_asker(v, &ino);
	CHECK_EQ(vfs_lookup(v, &root_cred, VFS_ROOT, "/proc/self/proc/dir/file", 0, &ino), 0);
	vfs_set_asker(v, NULL);
	CHECK(make_dir(v, "/proc/x") == -E_NOENT);
	CHECK(unlink_path(v, "/proc/self") == -E_PERM);
	CHECK(vfs_rmdir(v, &root_cred, VFS_ROOT, "/proc") == -E_BUSY);
	t = vfs_snapshot(v);
	fork = fork_of(t);
	CHECK(find(fork, "/proc/dir") == 0);
	CHECK(vfs_mount_provider(fork, "/proc", &proc, 1) == 0);
	CHECK(find(fork, "/proc/dir") != 0);
	vfs_free(fork);
	vfs_tree_put(t);
	vfs_free(v);
	arena_release(&arena, mark);
}

/* --- failing memory --- */

/* A sequence that passes every kind of structure; it stops at the first failure. */
static int busy_work(struct vfs *v)
{
	static char data[300000];
	char name[300];
	int64_t err = make_dir(v, "/d");

	for (int i = 0; i < 40 && err >= 0; i++) {
		memset(name, 'n', sizeof name);
		snprintf(name + 200, 20, "%d", i);
		err = vfs_mkdir(v, &root_cred, find(v, "/d"), name, 0755);
	}
	if (err >= 0)
		err = put_file(v, "/d/file", data, sizeof data) == sizeof data ? 0 : -E_NOMEM;
	if (err >= 0)
		err = vfs_write(v, find(v, "/d/file"), (uint64_t)1 << 35, "x", 1);
	if (err >= 0)
		err = vfs_truncate(v, find(v, "/d/file"), 5000);
	if (err >= 0)
		err = vfs_symlink(v, &root_cred, "d", VFS_ROOT, "/l");
	if (err >= 0)
		err = vfs_mount_source(v, "/m", &reading, 1, NULL);
	if (err >= 0)
		err = file_bytes(v, "/m/sub/big", data, 100);
	if (err >= 0)
		err = vfs_link(v, &root_cred, VFS_ROOT, "/l", VFS_NOFOLLOW, VFS_ROOT, "/l2");
	if (err >= 0)
		err = rename_path(v, "/d", "/e");
	return err < 0 ? (int)err : 0;
}

TEST(no_allocation_that_fails_leaks_or_breaks)
{
	size_t used = 0;
	long n = 0;
	int err = -E_NOMEM;

	while (err != 0 && n < 2000) {
		struct vfs *v = world_new();
		struct vfs_tree *t;
		struct vfs *fork;

		put_file(v, "/base", "base", 4);
		t = vfs_snapshot(v);
		fork = fork_of(t);
		fail_after(++n);
		err = busy_work(fork);
		fail_after(0);
		/* Not found: a lookup inside the sequence was refused memory. */
		CHECK(err == 0 || err == -E_NOMEM || err == -E_NOENT);
		CHECK(has(fork, "/base", "base") && has(v, "/base", "base"));
		CHECK_STR(diff_since(v, t), "");
		vfs_tree_put(t);
		vfs_free(fork);
		vfs_free(v);
		/* The first run that reached all sizes leaves a slab for each. */
		if (err == 0 || store.pages_used > used)
			used = store.pages_used;
		CHECK(used <= STORE_CLASSES * 4);
	}
	CHECK(err == 0 && n > 100);
	printf("%ld allocations failed in turn\n", n - 1);
}

/* --- threads --- */

struct worker {
	struct vfs_tree *tree;
	unsigned seed;
	bool ok;
};

static void *work(void *arg)
{
	struct worker *w = arg;
	struct vfs *v = NULL;
	char path[40];

	w->ok = true;
	for (unsigned round = 0; round < 20 && w->ok; round++) {
		w->ok = vfs_new(&store, w->tree, NULL, NULL, &v) == 0;
		for (unsigned i = 0; i < 300 && w->ok; i++) {
			unsigned k = (i * 7 + w->seed * 13 + round) % 300;

			snprintf(path, sizeof path, "/d/%u", k);
			w->ok = has(v, path, "base") &&
				vfs_write(v, find(v, path), 5000, path, 5) == 5;
			if (i % 3 == 0)
				w->ok = w->ok && unlink_path(v, path) == 0;
			if (i % 50 == 0) {
				struct vfs_tree *t = vfs_snapshot(v);

				vfs_free(v);
				w->ok = vfs_new(&store, t, NULL, NULL, &v) == 0;
				vfs_tree_put(t);
			}
		}
		vfs_free(v);
	}
	return NULL;
}

TEST(two_threads_work_on_forks_of_one_tree)
{
	struct vfs *v = world_new();
	struct worker w[2];
	pthread_t thread[2];
	struct vfs_tree *t;
	char path[40];

	make_dir(v, "/d");
	for (int i = 0; i < 300; i++) {
		snprintf(path, sizeof path, "/d/%d", i);
		put_file(v, path, "base", 4);
	}
	t = vfs_snapshot(v);
	vfs_free(v);
	for (unsigned i = 0; i < 2; i++) {
		w[i] = (struct worker){ t, i, false };
		CHECK(pthread_create(&thread[i], NULL, work, &w[i]) == 0);
	}
	for (unsigned i = 0; i < 2; i++) {
		pthread_join(thread[i], NULL);
		CHECK(w[i].ok);
	}
	v = fork_of(t);
	for (int i = 0; i < 300; i++) {
		snprintf(path, sizeof path, "/d/%d", i);
		CHECK(has(v, path, "base"));
	}
	vfs_free(v);
	vfs_tree_put(t);
}

int main(void)
{
	RUN(a_snapshot_keeps_its_state);
	RUN(a_fork_copies_only_the_page_it_writes);
	RUN(nameless_files_live_while_held);
	RUN(a_large_directory_stays_sorted_through_adding_and_removing);
	RUN(names_in_order_fill_the_nodes);
	RUN(depth_is_no_danger);
	RUN(dir_path_names_the_way);
	RUN(forty_links_are_followed_and_no_more);
	RUN(a_file_written_in_order_reads_as_one_span);
	RUN(a_small_file_is_put_without_a_walk);
	RUN(a_hole_costs_nothing);
	RUN(times_move_with_what_changes);
	RUN(limits_count_what_was_added);
	RUN(diff_tells_every_kind);
	RUN(diff_finds_changes_through_other_links);
	RUN(a_source_is_asked_at_first_use_only);
	RUN(pending_answers_are_tried_again);
	RUN(mapped_files_are_read_in_place_and_copied_when_written);
	RUN(a_read_only_source_refuses_changes);
	RUN(a_provider_answers_each_time);
	RUN(no_allocation_that_fails_leaks_or_breaks);
	RUN(two_threads_work_on_forks_of_one_tree);
	return check_end();
}
