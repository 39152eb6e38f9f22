/* SPDX-License-Identifier: MIT
 *
 * Archives and compressed files: the first byte chooses who reads the rest. Through the public
 * interface, in a fork of one session.
 */
#include "cowsh.h"

#include <stdlib.h>
#include <string.h>

enum { REGION_BYTES = 256 << 20 };

static const char *const commands[][5] = {
	{ "tar", "xf", "f", NULL },
	{ "tar", "tvf", "f", NULL },
	{ "tar", "df", "f", NULL },
	{ "tar", "--delete", "-ff", "d/a", NULL },
	{ "tar", "xSPUf", "f", "--transform=s/a/b/g", NULL },
	{ "unzip", "-o", "f", NULL },
	{ "unzip", "-v", "f", NULL },
	{ "zipinfo", "-l", "f", NULL },
	{ "unzip", "-p", "f", NULL },
	{ "zip", "-d", "f", "a", NULL },
	{ "gzip", "-dc", "f", NULL },
	{ "gzip", "-lv", "f", NULL },
	{ "bzip2", "-dc", "f", NULL },
	{ "xz", "-dc", "f", NULL },
	{ "xz", "-l", "f", NULL },
	{ "lzma", "-dc", "f", NULL },
	{ "zstd", "-dc", "f", NULL },
	{ "zstd", "-l", "f", NULL },
};

static cowsh *new_base(void)
{
	static const char tree[] = "mkdir -p d; printf 'a b c\\n1 2 3\\n' > d/a";
	struct cowsh_store_config config = COWSH_STORE_CONFIG_INIT;
	cowsh_store *store;
	cowsh *s;

	config.region_size = REGION_BYTES;
	config.region = malloc(config.region_size);
	if (cowsh_store_new(&config, &store) < 0 || cowsh_new(store, NULL, NULL, &s) < 0 ||
	    cowsh_run(s, tree, sizeof tree - 1, NULL) < 0)
		abort();
	return s;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static cowsh *base;
	const char *const *argv;
	int argc = 0;
	cowsh *s;

	if (size == 0)
		return 0;
	if (base == NULL)
		base = new_base();
	if (cowsh_fork(base, NULL, &s) < 0)
		abort();
	argv = commands[data[0] % (sizeof commands / sizeof commands[0])];
	while (argv[argc] != NULL)
		argc++;
	cowsh_set_limit(s, COWSH_LIMIT_STEPS, 2000000);
	cowsh_set_limit(s, COWSH_LIMIT_MEMORY, 64 << 20);
	cowsh_put_file(s, "f", data + 1, size - 1, 0644);
	if (cowsh_start_program(s, argc, argv) == 0)
		cowsh_step(s, 0);
	cowsh_free(s);
	return 0;
}
