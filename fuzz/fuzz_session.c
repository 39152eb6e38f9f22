/* SPDX-License-Identifier: MIT
 *
 * Saved sessions whose state is any bytes: loaded, used, saved, loaded again. The files around it
 * are those of a small session; fuzz_image has them.
 */
#include <stdlib.h>

#include "cowsh_image.h"
#include "vfs/image.h"

enum { REGION_BYTES = 192 << 20, FILE_BYTES_MAX = 4 << 20 };

static cowsh_store *store;
static struct store space; /* of the vfs that files are made of */
static struct vfs *files;
/* What is loaded must stay where it is while the session is saved into the other. */
static char *buffer[2];
static char *file;
static size_t file_len;

static void must(bool ok)
{
	if (!ok)
		abort();
}

static int keep(void *user, const void *data, size_t len)
{
	(void)user;
	if (file_len + len > FILE_BYTES_MAX)
		return -E_NOSPC;
	memcpy(file + file_len, data, len);
	file_len += len;
	return 0;
}

static void start(void)
{
	static const struct vfs_cred root = { 0 };
	static const char *const dirs[] = { "/dev", "/proc", "/tmp", "/usr", "/usr/bin", "/home" };
	struct cowsh_store_config config = COWSH_STORE_CONFIG_INIT;
	bool created;
	vfs_ino ino;

	config.region = malloc(REGION_BYTES);
	config.region_size = REGION_BYTES;
	must(cowsh_store_new(&config, &store) == 0);
	must(store_init(&space, malloc(32 << 20), 32 << 20, NULL, NULL) == 0);
	must(vfs_new(&space, NULL, NULL, NULL, &files) == 0);
	for (size_t i = 0; i < sizeof dirs / sizeof *dirs; i++)
		must(vfs_mkdir(files, &root, VFS_ROOT, dirs[i], 0755) == 0);
	must(vfs_open(files, &root, VFS_ROOT, "/tmp/f", O_RDWR_ | O_CREAT_, 0644, &ino, &created) ==
	     0);
	must(vfs_write(files, ino, 0, "content\n", 8) == 8);
	for (int i = 0; i < 2; i++)
		buffer[i] = aligned_alloc(PAGE_BYTES, FILE_BYTES_MAX);
}

static void limit(struct cowsh_config *c, int which, uint64_t value)
{
	c->limit[which] = value;
	c->limits_set |= (uint64_t)1 << which;
}

static int load(cowsh_image **image, cowsh **out)
{
	struct cowsh_config config = COWSH_CONFIG_INIT;
	int err = cowsh_image_open(store, file, file_len, NULL, image, NULL);

	must(err == 0);
	limit(&config, COWSH_LIMIT_STEPS, 2000000);
	limit(&config, COWSH_LIMIT_MEMORY, 24 << 20);
	limit(&config, COWSH_LIMIT_PROCESSES, 20);
	err = cowsh_load(store, &config, NULL, *image, out);
	if (err < 0)
		cowsh_image_close(*image);
	return err;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char script[] =
		"set; declare -p; declare -f; trap -p; dirs; history; alias; pwd;"
		"cat <&5; echo x >&6; f a; $x; (( y )); ls /proc/self/fd; kill -INT $$";
	struct image_sink sink = { .write = keep };
	struct cowsh_sink again = COWSH_SINK_INIT;
	struct image_save save = { .state = { (const char *)data, size } };
	struct image_info info;
	cowsh_image *image;
	cowsh *s;

	if (store == NULL)
		start();
	file = buffer[0];
	file_len = 0;
	must(image_write(files, &sink, &save, &info) == 0);
	if (load(&image, &s) < 0)
		return 0;
	must(cowsh_run(s, script, sizeof script - 1, NULL) == 0);
	file = buffer[1];
	file_len = 0;
	again.write = keep;
	if (cowsh_save(s, &again, NULL, NULL, NULL) == 0) {
		cowsh_image *image2;
		cowsh *s2;

		/* What we write ourselves we can read, if there is memory for it. */
		if (load(&image2, &s2) == 0) {
			cowsh_free(s2);
			cowsh_image_close(image2);
		}
	}
	cowsh_free(s);
	cowsh_image_close(image);
	return 0;
}
