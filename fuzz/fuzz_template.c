/* SPDX-License-Identifier: MIT
 *
 * template: the input is a template, filled from a few values.
 */
#include "fuzz/session.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static cowsh *base;
	const char *argv[] = { "template", "-e", "-d", "d", "f" };
	cowsh *s;

	if (base == NULL)
		base = fuzz_base("echo '{\"a\":[1,{\"b\":\"<x>\"}],\"c\":true,\"d\":{}}' > d");
	s = fuzz_fork(base);
	if (cowsh_put_file(s, "f", (const char *)data, size, 0644) < 0)
		abort();
	fuzz_run(s, sizeof argv / sizeof *argv, argv);
	return 0;
}
