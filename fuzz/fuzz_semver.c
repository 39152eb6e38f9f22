/* SPDX-License-Identifier: MIT
 *
 * semver: each line of the input is an argument.
 */
#include "fuzz/session.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const command[] = { "semver" };

	return fuzz_lines("true", NULL, FUZZ_COUNT(command), command, data, size);
}
