/* SPDX-License-Identifier: MIT
 *
 * html-to-markdown: the input is a page.
 */
#include "fuzz/session.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static cowsh *base;
	const char *argv[] = { "html-to-markdown", "f" };
	cowsh *s;

	if (base == NULL)
		base = fuzz_base("true");
	s = fuzz_fork(base);
	if (cowsh_put_file(s, "f", (const char *)data, size, 0644) < 0)
		abort();
	fuzz_run(s, 2, argv);
	return 0;
}
