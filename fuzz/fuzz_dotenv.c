/* SPDX-License-Identifier: MIT
 *
 * dotenv: the input is a file of variables.
 */
#include "fuzz/session.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const argv[] = { "dotenv", "-f", "f" };

	return fuzz_file("true", "f", FUZZ_COUNT(argv), argv, data, size);
}
