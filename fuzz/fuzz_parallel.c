/* SPDX-License-Identifier: MIT
 *
 * parallel --dry-run: each line of the input is an argument, so that replacement strings, {= =},
 * sources and the filling of jobs are reached.
 */
#include "fuzz/session.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const command[] = { "parallel", "--dry-run" };

	return fuzz_lines("printf 'a b\\nd/c.d\\n' > f", NULL, FUZZ_COUNT(command), command, data,
			  size);
}
