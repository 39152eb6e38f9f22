/* SPDX-License-Identifier: MIT
 *
 * template: the input is a template, filled from a few values.
 */
#include "fuzz/session.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const argv[] = { "template", "-e", "-d", "d", "f" };

	return fuzz_file("echo '{\"a\":[1,{\"b\":\"<x>\"}],\"c\":true,\"d\":{}}' > d", "f",
			 FUZZ_COUNT(argv), argv, data, size);
}
