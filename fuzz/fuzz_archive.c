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
	{ "tar", "xvGf", "f", NULL },
	{ "tar", "tvvGf", "f", NULL },
	{ "tar", "cvg", "f", "d", NULL },
	{ "unzip", "-o", "f", NULL },
	{ "unzip", "-Px", "-t", "f", NULL },
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
	{ "zstd", "-Df", "-c", "d/a", NULL },
	{ "zstd", "-dDf", "-c", "f", NULL },
	{ "cpio", "-iudbF", "f", NULL },
	{ "cpio", "-itvF", "f", NULL },
	{ "cpio", "-iu", "-HtarFf", NULL },
	{ "zcat", "-f", "f", NULL },
	{ "tar", "-xMff", "-ff", "-ff", NULL },
};

static const char tree[] = "mkdir -p d; printf 'a b c\\n1 2 3\\n' > d/a";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *const *argv;
	int argc = 0;
	cowsh *s;

	if (size == 0)
		return 0;
	argv = commands[data[0] % FUZZ_COUNT(commands)];
	while (argv[argc] != NULL)
		argc++;
	s = fuzz_fork(tree, NULL);
	cowsh_set_limit(s, COWSH_LIMIT_MEMORY, 64 << 20);
	fuzz_put(s, "f", data + 1, size - 1);
	fuzz_run(s, argc, argv);
	return 0;
}
