/* SPDX-License-Identifier: MIT
 *
 * Archives and compressed files: the first byte chooses who reads the rest. Through the public
 * interface, in a fork of one session.
 */
#include "fuzz/session.h"

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

static const char tree[] = "mkdir -p d; printf 'a b c\\n1 2 3\\n' > d/a";

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
		base = fuzz_base(tree);
	if (cowsh_fork(base, NULL, &s) < 0)
		abort();
	argv = commands[data[0] % (sizeof commands / sizeof commands[0])];
	while (argv[argc] != NULL)
		argc++;
	cowsh_set_limit(s, COWSH_LIMIT_STEPS, 2000000);
	cowsh_set_limit(s, COWSH_LIMIT_MEMORY, 64 << 20);
	cowsh_put_file(s, "f", data + 1, size - 1, 0644);
	fuzz_run(s, argc, argv);
	return 0;
}
