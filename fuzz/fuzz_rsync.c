/* SPDX-License-Identifier: MIT
 *
 * rsync's rules: the input is a file of filters, over a small tree.
 */
#include "fuzz/session.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const argv[] = { "rsync", "-anv", "--filter", ". f", "t/", "u/" };

	return fuzz_file("mkdir -p t/a/b u; touch t/x.c t/a/y.o t/a/b/z t/.hid; ln -s x.c t/l", "f",
			 FUZZ_COUNT(argv), argv, data, size);
}
