/* SPDX-License-Identifier: MIT
 *
 * Images: what goes in comes out; damaged and cut ones give errors or correct bytes, never
 * anything else.
 */
#include "tests/unit/vfs_world.h"

#include "base/digest.h"
#include "vfs/image.h"

enum { OUT_MAX = 64 << 20 };

static char *out_bytes; /* page aligned */
static size_t out_len;

static int keep_bytes(void *user, const void *data, size_t len)
{
	(void)user;
	if (out_len + len > OUT_MAX)
		return -E_NOSPC;
	memcpy(out_bytes + out_len, data, len);
	out_len += len;
	return 0;
}

struct supply {
	const char *at;
	size_t left;
};

static int64_t supply_bytes(void *user, void *out, size_t n)
{
	struct supply *s = user;

	if (n > s->left)
		n = s->left;
	memcpy(out, s->at, n);
	s->at += n;
	s->left -= n;
	return (int64_t)n;
}

static int add(struct image_builder *b, const char *path, uint32_t mode, const char *bytes,
	       size_t len)
{
	struct supply s = { bytes, len };
	struct image_object o = { .path = path,
				  .mode = mode,
				  .uid = 7,
				  .gid = 8,
				  .mtime_ns = 123456789,
				  .size = len,
				  .read = supply_bytes,
				  .user = &s };

	return image_builder_add(b, &o);
}

enum { SEEK_DATA_ = 3, SEEK_HOLE_ = 4 };

static char big[300000]; /* with a hole, a repetition, and an end in the middle of a page */

static void fill_big(void)
{
	for (size_t i = 0; i < sizeof big; i++)
		big[i] = (char)(i / 4096 * 7 + i % 251);
	memset(big + 40960, 0, 81920);
	memcpy(big + 4096, big, 4096);
}

static int build(bool compress)
{
	struct image_sink sink = { .write = keep_bytes, .compress = compress };
	struct image_object link = { .path = "d/again", .mode = S_REG, .link = "small" };
	struct image_object symlink = { .path = "s", .mode = S_LNK | 0777, .target = "d/big" };
	struct image_builder *b;
	struct image_info info;
	int err = image_builder_new(&store, &sink, &b);

	out_len = 0;
	if (err != 0)
		return err;
	err = add(b, "small", S_REG | 0644, "hello", 5);
	if (err == 0)
		err = add(b, "d/big", S_REG | 0600, big, sizeof big);
	if (err == 0)
		err = add(b, "d", S_DIR | 0755, "", 0);
	if (err == 0)
		err = add(b, "empty", S_REG | 0644, "", 0);
	if (err == 0)
		err = image_builder_add(b, &link);
	if (err == 0)
		err = image_builder_add(b, &symlink);
	for (int i = 0; err == 0 && i < 300; i++) {
		char path[32];

		snprintf(path, sizeof path, "many/%d", i);
		err = add(b, path, S_REG | 0644, path, strlen(path));
	}
	if (err == 0)
		err = image_builder_finish(b, &info);
	image_builder_free(b);
	return err;
}

static struct image *must_open(void)
{
	enum image_fault fault;
	struct image *i = NULL;

	CHECK_EQ(image_open(&store, out_bytes, out_len, NULL, &i, &fault), 0);
	return i;
}

static struct vfs *mount_image(struct image *i)
{
	uint64_t root;
	const struct vfs_source *source = image_source(i, false, &root);
	struct vfs *v;

	CHECK_EQ(vfs_new(&store, NULL, fake_now, NULL, &v), 0);
	CHECK_EQ(vfs_mount_source(v, "/m", source, root, NULL), 0);
	return v;
}

static int64_t read_path(struct vfs *v, const char *path, char *out, size_t max)
{
	vfs_ino ino;
	int err = vfs_lookup(v, &root_cred, VFS_ROOT, path, 0, &ino);

	return err != 0 ? err : vfs_read(v, ino, 0, out, max);
}

static char buffer[400000];

static void check_content(bool compress)
{
	struct vfs_stat st;
	struct image *i;
	struct vfs *v;
	vfs_ino ino;

	CHECK_EQ(build(compress), 0);
	i = must_open();
	v = mount_image(i);
	CHECK_EQ(read_path(v, "/m/small", buffer, sizeof buffer), 5);
	CHECK_EQ(memcmp(buffer, "hello", 5), 0);
	CHECK_EQ(read_path(v, "/m/s", buffer, sizeof buffer), sizeof big);
	CHECK_EQ(memcmp(buffer, big, sizeof big), 0);
	CHECK_EQ(read_path(v, "/m/many/299", buffer, sizeof buffer), 8);
	CHECK_EQ(vfs_lookup(v, &root_cred, VFS_ROOT, "/m/d/again", 0, &ino), 0);
	CHECK_EQ(vfs_getattr(v, ino, &st), 0);
	CHECK_EQ(st.nlink, 2);
	CHECK_EQ(st.uid, 7);
	CHECK_EQ(st.mtime_ns, 123456789);
	/* The other name is the same object. */
	CHECK_EQ(vfs_write(v, ino, 0, "J", 1), 1);
	CHECK_EQ(read_path(v, "/m/small", buffer, sizeof buffer), 5);
	CHECK_EQ(buffer[0], 'J');
	/* Pages around a change are still the image's. */
	CHECK_EQ(vfs_lookup(v, &root_cred, VFS_ROOT, "/m/d/big", 0, &ino), 0);
	CHECK_EQ(vfs_write(v, ino, 5000, "x", 1), 1);
	CHECK_EQ(read_path(v, "/m/d/big", buffer, sizeof buffer), sizeof big);
	CHECK_EQ(buffer[5000], 'x');
	buffer[5000] = big[5000];
	CHECK_EQ(memcmp(buffer, big, sizeof big), 0);
	CHECK_EQ(image_verify(i), 0);
	vfs_free(v);
	image_close(i);
}

/* Holes are pages that the image does not have, and nothing else that was written. */
static void check_holes(bool compress)
{
	struct image *i;
	struct vfs *v;
	vfs_ino ino;

	CHECK_EQ(build(compress), 0);
	i = must_open();
	v = mount_image(i);
	CHECK_EQ(vfs_lookup(v, &root_cred, VFS_ROOT, "/m/d/big", 0, &ino), 0);
	CHECK_EQ(vfs_seek_data(v, ino, 5, SEEK_DATA_), 5);
	CHECK_EQ(vfs_seek_data(v, ino, 5, SEEK_HOLE_), 40960);
	CHECK_EQ(vfs_seek_data(v, ino, 40960 + 7, SEEK_HOLE_), 40960 + 7);
	CHECK_EQ(vfs_seek_data(v, ino, 40960 + 7, SEEK_DATA_), 40960 + 81920);
	CHECK_EQ(vfs_seek_data(v, ino, 200000, SEEK_HOLE_), sizeof big);
	CHECK_EQ(vfs_seek_data(v, ino, sizeof big, SEEK_DATA_), -E_NXIO);
	CHECK_EQ(vfs_write(v, ino, 40960 + 4096, "x", 1), 1);
	CHECK_EQ(vfs_truncate(v, ino, 1 << 20), 0);
	CHECK_EQ(vfs_seek_data(v, ino, 40960, SEEK_DATA_), 40960 + 4096);
	CHECK_EQ(vfs_seek_data(v, ino, 40960 + 4096, SEEK_HOLE_), 40960 + 8192);
	CHECK_EQ(vfs_seek_data(v, ino, 299999, SEEK_HOLE_), 303104);
	CHECK_EQ(vfs_seek_data(v, ino, 303104, SEEK_DATA_), -E_NXIO);
	CHECK_EQ(vfs_lookup(v, &root_cred, VFS_ROOT, "/m/small", 0, &ino), 0);
	CHECK_EQ(vfs_seek_data(v, ino, 0, SEEK_DATA_), 0);
	CHECK_EQ(vfs_seek_data(v, ino, 0, SEEK_HOLE_), 5);
	vfs_free(v);
	image_close(i);
}

TEST(holes)
{
	check_holes(false);
}

TEST(compressed_holes)
{
	check_holes(true);
}

TEST(content)
{
	check_content(false);
}

TEST(compressed_content)
{
	check_content(true);
}

/* Reads all; whatever it gives must be what was put in, or an error. */
static void look_at_everything(struct image *i)
{
	static const char *const paths[] = { "/m/small", "/m/s", "/m/d/again", "/m/many/7",
					     "/m/empty" };
	struct vfs *v = mount_image(i);

	for (size_t p = 0; p < sizeof paths / sizeof *paths; p++) {
		int64_t n = read_path(v, paths[p], buffer, sizeof buffer);

		/* A damaged page ends what is read before it. */
		if (n == sizeof big || (p == 1 && n > 0 && n % 4096 == 0))
			CHECK(memcmp(buffer, big, (size_t)n) == 0);
		else if (n == 5)
			CHECK(memcmp(buffer, "hello", 5) == 0);
		else if (n == 6)
			CHECK(memcmp(buffer, "many/7", 6) == 0);
		else
			CHECK(n == -E_IO || (n == 0 && p == 4));
	}
	vfs_free(v);
}

static void damage(bool compress, size_t step)
{
	struct image *i;
	enum image_fault fault;

	CHECK_EQ(build(compress), 0);
	for (size_t at = 0; at < out_len && !check_bad; at += step) {
		char was = out_bytes[at];

		out_bytes[at] = (char)(was ^ (1 << at % 8));
		if (image_open(&store, out_bytes, out_len, NULL, &i, &fault) == 0) {
			look_at_everything(i);
			/* Behind the header's words no byte may be wrong unseen. */
			CHECK(image_verify(i) == -E_IO);
			image_close(i);
		} else {
			CHECK(fault != IMAGE_FINE);
		}
		out_bytes[at] = was;
	}
}

TEST(a_wrong_bit_anywhere)
{
	damage(false, 101);
	damage(true, 211);
}

TEST(a_wrong_bit_in_the_last_pages)
{
	struct image *i;
	enum image_fault fault;

	CHECK_EQ(build(false), 0);
	for (size_t at = out_len - 4096; at < out_len; at++) {
		out_bytes[at] ^= 0x10;
		CHECK(image_open(&store, out_bytes, out_len, NULL, &i, &fault) == -E_INVAL);
		out_bytes[at] ^= 0x10;
	}
}

/* The image says that its inode numbers are below n. */
static int open_with_numbers(uint64_t n, struct image **out, enum image_fault *fault)
{
	uint8_t *end = (uint8_t *)out_bytes + out_len - 4096;
	uint8_t hash[DIGEST_MAX];
	struct digest d;

	for (int i = 0; i < 8; i++)
		end[32 + i] = (uint8_t)(n >> 8 * i);
	digest_init(&d, DIGEST_SHA256, 0);
	digest_update(&d, (struct bytes){ (const char *)end, 4096 - 32 });
	digest_final(&d, hash);
	memcpy(end + 4096 - 32, hash, 32);
	return image_open(&store, out_bytes, out_len, NULL, out, fault);
}

static int ignore(void *user, const void *data, size_t len)
{
	(void)user, (void)data, (void)len;
	return 0;
}

/* Numbers that are used up would make a session that can be written but not read. */
TEST(numbers_without_end)
{
	static const struct image_sink nowhere = { .write = ignore };
	struct image_save save = { .base_name = { "", 0 }, .state = { "", 0 } };
	static const struct vfs_cred root = { 0 };
	const struct vfs_source *source;
	enum image_fault fault;
	struct image_info info;
	struct image *i;
	uint64_t id;
	struct vfs *v;
	int err = 0;

	CHECK_EQ(build(false), 0);
	CHECK_EQ(open_with_numbers((uint64_t)1 << 56, &i, &fault), -E_INVAL);
	CHECK_EQ(fault, IMAGE_DAMAGED);
	CHECK_EQ(open_with_numbers((uint64_t)1 << 48, &i, &fault), 0);
	CHECK_EQ(vfs_new(&store, NULL, NULL, NULL, &v), 0);
	source = image_source(i, false, &id);
	for (int k = 0; k < 300 && err == 0; k++) {
		char path[16];

		snprintf(path, sizeof path, "/%d", k);
		err = vfs_mount_source(v, path, source, id, &root);
		if (k == 200)
			CHECK_EQ(image_write(v, &nowhere, &save, &info), 0);
	}
	CHECK_EQ(err, -E_NOSPC);
	CHECK_EQ(image_write(v, &nowhere, &save, &info), 0);
	CHECK(info.numbers <= (uint64_t)1 << 56);
	vfs_free(v);
	image_close(i);
}

TEST(cut_anywhere)
{
	struct image *i;
	enum image_fault fault;

	CHECK_EQ(build(false), 0);
	for (size_t len = 0; len < out_len; len += len < out_len - 8192 ? 37 : 1)
		CHECK(image_open(&store, out_bytes, len, NULL, &i, &fault) == -E_INVAL);
}

TEST(no_memory)
{
	long n;

	for (n = 1; n < 100000; n += n / 16 + 1) {
		int err;

		fail_after(n);
		err = build(n % 2 != 0);
		fail_after(0);
		if (err == 0)
			break;
		CHECK_EQ(err, -E_NOMEM);
	}
	CHECK_EQ(build(true), 0);
	for (n = 1; n < 2000; n++) {
		enum image_fault fault;
		struct image *i;
		int64_t got;
		struct vfs *v;

		fail_after(n);
		if (image_open(&store, out_bytes, out_len, NULL, &i, &fault) == 0) {
			fail_after(0);
			v = mount_image(i);
			fail_after(n);
			got = read_path(v, "/m/s", buffer, sizeof buffer);
			fail_after(0);
			CHECK(got == sizeof big || got == -E_NOMEM || got % 4096 == 0);
			CHECK(memcmp(buffer, big, got > 0 ? (size_t)got : 0) == 0);
			vfs_free(v);
			image_close(i);
		}
	}
	fail_after(0);
}

TEST(nothing_is_left)
{
	size_t used = store.pages_used;

	check_content(false);
	check_content(true);
	CHECK_EQ(store.pages_used, used);
}

/* Many pages: several levels of hashes. */
TEST(levels)
{
	static char page[4096];
	struct image_sink sink = { .write = keep_bytes };
	struct image_builder *b;
	struct image_info info;
	struct image *i;

	for (int pages = 110; pages <= 135; pages++) {
		CHECK_EQ(image_builder_new(&store, &sink, &b), 0);
		out_len = 0;
		for (int n = 0; n < pages; n++) {
			char path[32];

			memset(page, n + 1, sizeof page);
			page[0] = (char)(n >> 8);
			snprintf(path, sizeof path, "f%d", n);
			CHECK_EQ(add(b, path, S_REG | 0644, page, sizeof page), 0);
		}
		CHECK_EQ(image_builder_finish(b, &info), 0);
		image_builder_free(b);
		i = must_open();
		CHECK_EQ(image_verify(i), 0);
		image_close(i);
	}
}

int main(void)
{
	size_t region = (size_t)256 << 20;

	out_bytes = aligned_alloc(4096, OUT_MAX);
	store_init(&store, malloc(region), region, NULL, NULL);
	fill_big();
	RUN(content);
	RUN(holes);
	RUN(compressed_holes);
	RUN(compressed_content);
	RUN(a_wrong_bit_anywhere);
	RUN(a_wrong_bit_in_the_last_pages);
	RUN(numbers_without_end);
	RUN(cut_anywhere);
	RUN(levels);
	RUN(nothing_is_left);
	RUN(no_memory);
	return check_end();
}
