/* SPDX-License-Identifier: MIT
 *
 * uudecode: the input is a text in uu's form or base 64.
 */
#include "fuzz/session.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const argv[] = { "uudecode", "f", "f" };

	return fuzz_file("true", "f", FUZZ_COUNT(argv), argv, data, size);
}
