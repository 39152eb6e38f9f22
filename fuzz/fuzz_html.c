/* SPDX-License-Identifier: MIT
 *
 * html-to-markdown: the input is a page.
 */
#include "fuzz/session.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const argv[] = { "html-to-markdown", "f" };

	return fuzz_file("true", "f", FUZZ_COUNT(argv), argv, data, size);
}
