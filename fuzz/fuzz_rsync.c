/* SPDX-License-Identifier: MIT
 *
 * rsync's rules: the input is a file of filters and one that a directory has, over a small tree.
 */
#include "fuzz/session.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const argv[] = { "rsync",    "-anv", "--delete", "--filter", ". t/a/.r",
					    "--filter", ": .r", "t/",       "u/" };

	return fuzz_file(
		"mkdir -p t/a/b u/a/c; touch t/x.c t/a/y.o t/a/b/z t/.hid u/a/c/q.o; ln -s x.c t/l",
		"t/a/.r", FUZZ_COUNT(argv), argv, data, size);
}
