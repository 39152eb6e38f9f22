/* SPDX-License-Identifier: MIT
 *
 * Differences between random trees, against a comparison that looks at everything:
 *
 *     test_vfs_diff [SEED [ROUNDS]]
 *
 * The trees are snapshots of several branches that began as one, partly made from a source
 * whose directories are loaded here and there.
 */
#include "tests/unit/vfs_world.h"

enum { TREES = 6, TEXT = 1 << 20 };

static char got[TEXT];
static char want[TEXT];
static size_t got_len;
static size_t want_len;

static void put(char *text, size_t *len, char kind, const char *path)
{
	*len += (size_t)snprintf(text + *len, TEXT - *len, "%c %s\n", kind, path);
	CHECK(*len < TEXT);
}

static int note(void *user, const struct vfs_change *c)
{
	(void)user;
	put(got, &got_len, c->kind, c->path);
	return 0;
}

/* --- a source: directory N has the files f0, f1 and, up to a depth, the directories a, b --- */

static int list(void *user, uint64_t id, int (*emit)(void *, const struct vfs_source_entry *),
		void *sink)
{
	struct vfs_source_entry e = { .mode = S_REG | 0644, .size = 6000, .mtime_ns = 5 };

	(void)user;
	for (unsigned i = 0; i < (id < 8 ? 4u : 2u); i++) {
		e.name = (const char *[]){ "f0", "f1", "a", "b" }[i];
		e.id = i < 2 ? id * 100 + i : id * 2 + i - 2;
		e.mode = i < 2 ? S_REG | 0644 : S_DIR | 0755;
		if (emit(sink, &e) != 0)
			return -E_IO;
	}
	return 0;
}

static int64_t read_bytes(void *user, uint64_t id, uint64_t pos, void *out, size_t n)
{
	(void)user;
	if (pos >= 6000)
		return 0;
	n = n < 6000 - pos ? n : (size_t)(6000 - pos);
	memset(out, (int)id & 0x7f, n);
	return (int64_t)n;
}

static const struct vfs_source source = { .list = list, .read = read_bytes };

/* --- looking at everything --- */

static bool same_content(struct vfs *a, vfs_ino x, struct vfs *b, vfs_ino y, uint32_t type)
{
	static char p[50000];
	static char q[50000];
	int64_t n = type == S_LNK ? vfs_readlink(a, x, p, sizeof p)
				  : vfs_read(a, x, 0, p, sizeof p);
	int64_t m = type == S_LNK ? vfs_readlink(b, y, q, sizeof q)
				  : vfs_read(b, y, 0, q, sizeof q);

	return n == m && (n < 0 || memcmp(p, q, (size_t)n) == 0);
}

static void compare_dirs(struct vfs *a, vfs_ino x, struct vfs *b, vfs_ino y, char *path);

static void one_sided(char kind, struct vfs *a, vfs_ino x, struct vfs *b, vfs_ino y, char *path)
{
	struct vfs_stat st;

	CHECK((x != 0 ? vfs_getattr(a, x, &st) : vfs_getattr(b, y, &st)) == 0);
	put(want, &want_len, kind, path);
	if ((st.mode & S_FMT) == S_DIR)
		compare_dirs(a, x, b, y, path);
}

static void compare_objects(struct vfs *a, vfs_ino x, struct vfs *b, vfs_ino y, char *path)
{
	const char *shown = *path != '\0' ? path : "/";
	struct vfs_stat s;
	struct vfs_stat t;
	uint32_t type;

	CHECK(vfs_getattr(a, x, &s) == 0 && vfs_getattr(b, y, &t) == 0);
	type = s.mode & S_FMT;
	if (type != (t.mode & S_FMT)) {
		put(want, &want_len, 'T', shown);
		if (type == S_DIR)
			compare_dirs(a, x, b, 0, path);
		else if ((t.mode & S_FMT) == S_DIR)
			compare_dirs(a, 0, b, y, path);
		return;
	}
	if (type != S_DIR && !same_content(a, x, b, y, type))
		put(want, &want_len, 'M', shown);
	else if (s.mode != t.mode || s.uid != t.uid || (type != S_DIR && s.mtime_ns != t.mtime_ns))
		put(want, &want_len, 'm', shown);
	if (type == S_DIR)
		compare_dirs(a, x, b, y, path);
}

static bool next(struct vfs *v, vfs_ino dir, struct vfs_dirent *e, const char *after)
{
	return dir != 0 && vfs_readdir(v, dir, after, &arena, e, 1) == 1;
}

static void compare_dirs(struct vfs *a, vfs_ino x, struct vfs *b, vfs_ino y, char *path)
{
	struct vfs_dirent d;
	struct vfs_dirent e;
	size_t len = strlen(path);
	bool left = next(a, x, &d, NULL);
	bool right = next(b, y, &e, NULL);

	while (left || right) {
		int order = !left ? 1 : !right ? -1 : bytes_cmp(d.name, e.name);
		const char *name = order <= 0 ? d.name.ptr : e.name.ptr;

		path[len] = '/';
		strcpy(path + len + 1, name);
		if (order == 0)
			compare_objects(a, d.ino, b, e.ino, path);
		else
			one_sided(order < 0 ? '-' : '+', a, order < 0 ? d.ino : 0, b,
				  order < 0 ? 0 : e.ino, path);
		if (order <= 0)
			left = next(a, x, &d, name);
		if (order >= 0)
			right = next(b, y, &e, name);
	}
	path[len] = '\0';
}

static bool diff_is_right(struct vfs_tree *old, struct vfs_tree *new)
{
	static char path[1 << 16];
	struct arena_mark mark = arena_mark(&arena);
	struct vfs *a = fork_of(old);
	struct vfs *b = fork_of(new);

	got_len = want_len = 0;
	got[0] = want[0] = path[0] = '\0';
	compare_objects(a, VFS_ROOT, b, VFS_ROOT, path);
	vfs_free(a);
	vfs_free(b);
	a = fork_of(old);
	b = fork_of(new);
	CHECK(vfs_diff(a, b, note, NULL) == 0);
	vfs_free(a);
	vfs_free(b);
	arena_release(&arena, mark);
	return CHECK(strcmp(got, want) == 0);
}

/* --- random changes --- */

static void some_path(char *out)
{
	static const char *const names[] = { "a", "b", "f0", "f1", "c", "lazy" };
	unsigned parts = 1 + roll(4);

	*out = '\0';
	for (unsigned i = 0; i < parts; i++) {
		strcat(out, "/");
		strcat(out, i == 0 && roll(2) == 0 ? "lazy" : names[roll(6)]);
	}
}

static void change(struct vfs *v)
{
	static char data[9000];
	char path[64];
	char other[64];
	vfs_ino ino;

	some_path(path);
	some_path(other);
	ino = find(v, path);
	memset(data, (int)roll(100), sizeof data);
	switch (roll(12)) {
	case 0:
	case 1: vfs_mkdir(v, &root_cred, VFS_ROOT, path, 0755); break;
	case 2: put_file(v, path, data, roll(2) == 0 ? roll(100) : roll(9000)); break;
	case 3: vfs_write(v, ino, roll(9000), data, roll(50)); break;
	case 4: vfs_unlink(v, &root_cred, VFS_ROOT, path); break;
	case 5: vfs_rmdir(v, &root_cred, VFS_ROOT, path); break;
	case 6:
	case 7:
		vfs_rename(v, &root_cred, VFS_ROOT, path, VFS_ROOT, other, roll(4) == 0 ? 2 : 0);
		break;
	case 8: vfs_chmod(v, &root_cred, ino, roll(2) == 0 ? 0700 : 0755); break;
	case 9: vfs_symlink(v, &root_cred, other, VFS_ROOT, path); break;
	case 10:
		if (roll(6) == 0)
			vfs_link(v, &root_cred, VFS_ROOT, path, VFS_NOFOLLOW, VFS_ROOT, other);
		break;
	default: vfs_read(v, ino, roll(6000), data, 10);
	}
}

static uint64_t seed = 1;
static long rounds = 1500;

TEST(random_differences)
{
	struct vfs_tree *tree[TREES];
	struct vfs *v = world_new();

	rng = seed;
	CHECK(vfs_mount_source(v, "/lazy", &source, 1, NULL) == 0);
	for (unsigned i = 0; i < TREES; i++)
		tree[i] = vfs_snapshot(v);
	for (long round = 0; round < rounds; round++) {
		unsigned to = roll(TREES);
		unsigned n = roll(4) == 0 ? 60 : roll(8);

		for (unsigned i = 0; i < n; i++)
			change(v);
		vfs_tree_put(tree[to]);
		tree[to] = vfs_snapshot(v);
		if (!diff_is_right(tree[roll(TREES)], tree[to])) {
			printf("round %ld\n--- got\n%.2000s--- want\n%.2000s", round, got, want);
			break;
		}
		if (roll(6) == 0)
			vfs_restore(v, tree[roll(TREES)]);
		if (roll(6) == 0) {
			vfs_free(v);
			v = fork_of(tree[roll(TREES)]);
		}
	}
	for (unsigned i = 0; i < TREES; i++)
		vfs_tree_put(tree[i]);
	vfs_free(v);
	printf("seed %llu: %ld rounds\n", (unsigned long long)seed, rounds);
}

/* A walk over these, page by page, would take years. */
TEST(holes_are_stepped_over)
{
	struct vfs *v = world_new();
	struct vfs_tree *tree[3];
	vfs_ino ino;

	CHECK(put_file(v, "/f", "begin", 5) == 5);
	ino = find(v, "/f");
	CHECK(vfs_truncate(v, ino, UINT64_C(1) << 61) == 0);
	CHECK(vfs_write(v, ino, UINT64_C(1) << 60, "middle", 6) == 6);
	tree[0] = vfs_snapshot(v);
	CHECK(vfs_write(v, ino, UINT64_C(1) << 60, "middle", 6) == 6);
	tree[1] = vfs_snapshot(v);
	CHECK(vfs_write(v, ino, (UINT64_C(1) << 60) + 9000, "other", 5) == 5);
	tree[2] = vfs_snapshot(v);
	for (int i = 0; i < 2; i++) {
		struct vfs *a = fork_of(tree[i]);
		struct vfs *b = fork_of(tree[i + 1]);

		got_len = 0;
		CHECK(vfs_diff(a, b, note, NULL) == 0);
		CHECK_STR(got, i == 0 ? "m /f\n" : "M /f\n");
		vfs_free(a);
		vfs_free(b);
	}
	for (int i = 0; i < 3; i++)
		vfs_tree_put(tree[i]);
	vfs_free(v);
}

int main(int argc, char **argv)
{
	if (argc > 1)
		seed = strtoull(argv[1], NULL, 0);
	if (argc > 2)
		rounds = strtol(argv[2], NULL, 0);
	RUN(random_differences);
	RUN(holes_are_stepped_over);
	return check_end();
}
