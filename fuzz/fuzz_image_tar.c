/* SPDX-License-Identifier: MIT
 *
 * Tar archives into images. What is taken must make an image that is whole.
 */
#include <stdlib.h>
#include <string.h>

#include "cowsh_image.h"

enum { REGION_BYTES = 128 << 20, FILE_BYTES_MAX = 8 << 20 };

struct input {
	const uint8_t *at;
	size_t left;
};

static cowsh_store *store;
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
		return -COWSH_ENOSPC;
	memcpy(file + file_len, data, len);
	file_len += len;
	return 0;
}

static int64_t take(void *user, void *into, size_t len)
{
	struct input *in = user;

	if (len > in->left)
		len = in->left;
	if (len != 0)
		memcpy(into, in->at, len);
	in->at += len;
	in->left -= len;
	return (int64_t)len;
}

/* Makes the checksums of headers fit, or nothing would be looked at. */
static void mend(uint8_t *data, size_t size)
{
	for (size_t at = 0; at + 512 <= size; at += 512) {
		unsigned sum = 0;

		if (memcmp(data + at + 257, "ustar", 5) != 0)
			continue;
		for (size_t i = 0; i < 512; i++)
			sum += i >= 148 && i < 156 ? ' ' : data[at + i];
		for (int i = 6; i-- > 0; sum >>= 3)
			data[at + 148 + (size_t)i] = (uint8_t)('0' + (sum & 7));
		data[at + 154] = '\0';
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t copy[1 << 16];
	struct cowsh_sink sink = COWSH_SINK_INIT;
	struct input in = { copy, size };
	cowsh_image_builder *builder;
	cowsh_image *image;

	if (store == NULL) {
		struct cowsh_store_config config = COWSH_STORE_CONFIG_INIT;

		config.region = malloc(REGION_BYTES);
		config.region_size = REGION_BYTES;
		must(cowsh_store_new(&config, &store) == 0);
		file = aligned_alloc(4096, FILE_BYTES_MAX);
	}
	if (size > sizeof copy)
		return 0;
	memcpy(copy, data, size);
	mend(copy, size);
	file_len = 0;
	sink.write = keep;
	sink.compress = size % 2 != 0;
	must(cowsh_image_builder_new(store, &sink, &builder) == 0);
	if (cowsh_image_add_tar(builder, take, &in, NULL) == 0) {
		must(cowsh_image_finish(builder, NULL) == 0);
		must(cowsh_image_open(store, file, file_len, NULL, &image, NULL) == 0);
		must(cowsh_image_verify(image) == 0);
		cowsh_image_close(image);
	}
	cowsh_image_builder_free(builder);
	return 0;
}
