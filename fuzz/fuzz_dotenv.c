/* SPDX-License-Identifier: MIT
 *
 * dotenv: the input is a file of variables.
 */
#include "fuzz/session.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static cowsh *base;
	const char *argv[] = { "dotenv", "-f", "f" };
	cowsh *s;

	if (base == NULL)
		base = fuzz_base("true");
	s = fuzz_fork(base);
	if (cowsh_put_file(s, "f", (const char *)data, size, 0644) < 0)
		abort();
	fuzz_run(s, sizeof argv / sizeof *argv, argv);
	return 0;
}
