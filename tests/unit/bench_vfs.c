/* SPDX-License-Identifier: MIT
 *
 * Nanoseconds of single operations of the vfs, one line per number:
 *
 *     cc -O2 -std=c11 -D_GNU_SOURCE -I. tests/unit/bench_vfs.c build/vfs.a build/base.a
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "vfs/vfs.h"

static const struct vfs_cred agent = { .uid = 1000, .gid = 1000 };
static struct store store;
static char chunk[65536];

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void line(const char *what, double ns)
{
	printf("%-52s %10.1f ns\n", what, ns);
}

static void must(int64_t result)
{
	if (result >= 0)
		return;
	printf("failed: %lld\n", (long long)result);
	exit(1);
}

static vfs_ino create(struct vfs *v, const char *path)
{
	bool created;
	vfs_ino ino;

	must(vfs_open(v, &agent, VFS_ROOT, path, O_CREAT_ | O_WRONLY_, 0644, &ino, &created));
	vfs_drop(v, ino);
	return ino;
}

static void bench_lookup(struct vfs *v)
{
	enum { TURNS = 2000000 };
	vfs_ino ino;
	double t;

	must(vfs_mkdir(v, &agent, VFS_ROOT, "/usr", 0755));
	must(vfs_mkdir(v, &agent, VFS_ROOT, "/usr/share", 0755));
	for (int i = 0; i < 20; i++) {
		char path[64];

		snprintf(path, sizeof path, "/usr/share/some-file-%d", i);
		create(v, path);
	}
	t = now_ns();
	for (int i = 0; i < TURNS; i++)
		must(vfs_lookup(v, &agent, VFS_ROOT, "/usr/share/some-file-7", 0, &ino));
	line("look up a path of three names", (now_ns() - t) / TURNS);
}

static void bench_create(struct vfs *v, int count)
{
	char path[64];
	vfs_ino ino;
	double t;

	must(vfs_mkdir(v, &agent, VFS_ROOT, "/many", 0755));
	t = now_ns();
	for (int i = 0; i < count; i++) {
		snprintf(path, sizeof path, "/many/file%d", i);
		create(v, path);
	}
	line("create one of 100,000 files in a directory", (now_ns() - t) / count);
	t = now_ns();
	for (int i = 0; i < count; i++) {
		snprintf(path, sizeof path, "/many/file%d", (int)((i * 7919LL) % count));
		must(vfs_lookup(v, &agent, VFS_ROOT, path, 0, &ino));
	}
	line("look one of them up, in random order", (now_ns() - t) / count);
}

static void bench_fork(struct vfs *v)
{
	enum { TURNS = 100000 };
	double t = now_ns();

	for (int i = 0; i < TURNS; i++) {
		struct vfs_tree *tree = vfs_snapshot(v);
		struct vfs *fork;

		must(vfs_new(&store, tree, NULL, NULL, &fork));
		vfs_tree_put(tree);
		vfs_free(fork);
	}
	line("snapshot, fork and free with 100,000 files", (now_ns() - t) / TURNS);
}

static void bench_append(struct vfs *v)
{
	enum { TURNS = 2000 };
	vfs_ino ino = create(v, "/big");
	uint64_t size = 0;
	double t = now_ns();
	double sum = 0;

	for (; size < 100u << 20; size += sizeof chunk)
		must(vfs_write(v, ino, size, chunk, sizeof chunk));
	line("write 64 KiB to a new file", (now_ns() - t) / ((100 << 20) / (double)sizeof chunk));
	for (int i = 0; i < TURNS; i++) {
		struct vfs_tree *tree = vfs_snapshot(v);
		struct vfs *fork;

		must(vfs_new(&store, tree, NULL, NULL, &fork));
		t = now_ns();
		must(vfs_write(fork, ino, size, "x", 1));
		sum += now_ns() - t;
		vfs_free(fork);
		vfs_tree_put(tree);
	}
	line("append a byte to a 100 MB file after a fork", sum / TURNS);
	sum = 0;
	for (int i = 0; i < TURNS; i++) {
		struct vfs_tree *tree = vfs_snapshot(v);
		struct vfs *fork;

		must(vfs_new(&store, tree, NULL, NULL, &fork));
		t = now_ns();
		must(vfs_write(fork, ino, (uint64_t)i * 50021, "x", 1));
		sum += now_ns() - t;
		vfs_free(fork);
		vfs_tree_put(tree);
	}
	line("change a byte in it after a fork", sum / TURNS);
}

static void bench_read(struct vfs *v)
{
	vfs_ino ino;
	const char *p;
	uint64_t pos = 0;
	uint64_t spans = 0;
	unsigned sum = 0;
	int64_t n;
	double t;

	must(vfs_lookup(v, &agent, VFS_ROOT, "/big", 0, &ino));
	t = now_ns();
	for (; (n = vfs_read(v, ino, pos, chunk, sizeof chunk)) > 0; pos += (uint64_t)n)
		;
	line("read 64 KiB", (now_ns() - t) / ((double)pos / sizeof chunk));
	t = now_ns();
	for (pos = 0; (n = vfs_view(v, ino, pos, sizeof chunk, &p)) > 0; pos += (uint64_t)n)
		sum += (unsigned char)*p;
	line("view 64 KiB", (now_ns() - t) / ((double)pos / sizeof chunk));
	for (pos = 0; (n = vfs_view(v, ino, pos, SIZE_MAX, &p)) > 0; pos += (uint64_t)n)
		spans++;
	printf("%-52s %10.1f KiB %s\n", "mean span of a view of that file",
	       (double)pos / 1024 / (double)spans, sum == 1 ? "" : "");
}

static void bench_small(struct vfs *v)
{
	enum { TURNS = 1000000 };
	vfs_ino ino = create(v, "/small");
	double t = now_ns();

	for (int i = 0; i < TURNS; i++)
		must(vfs_write(v, ino, (uint64_t)i % 1000, "0123456789", 10));
	line("write 10 bytes to a small file", (now_ns() - t) / TURNS);
	t = now_ns();
	for (int i = 0; i < TURNS; i++)
		must(vfs_read(v, ino, 0, chunk, 1000));
	line("read 1000 bytes of it", (now_ns() - t) / TURNS);
}

static void bench_free(struct vfs *v, int count)
{
	double t = now_ns();

	vfs_free(v);
	line("free a tree, per file", (now_ns() - t) / count);
}

int main(void)
{
	static const struct vfs_cred root = { .uid = 0 };
	size_t region = (size_t)1 << 30;
	struct vfs *v;

	must(store_init(&store, malloc(region), region, NULL, NULL));
	must(vfs_new(&store, NULL, NULL, NULL, &v));
	must(vfs_chmod(v, &root, VFS_ROOT, 0777));
	bench_lookup(v);
	bench_create(v, 100000);
	bench_fork(v);
	bench_small(v);
	bench_append(v);
	bench_read(v);
	bench_free(v, 100000);
	return 0;
}
