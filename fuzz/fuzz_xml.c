/* SPDX-License-Identifier: MIT
 *
 * XML read by yq and written as YAML and as XML again. Through the public interface.
 */
#include "fuzz/session.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const formats[] = { "yaml", "xml" };

	for (int i = 0; i < 2; i++) {
		const char *argv[] = { "yq", "-p", "xml", "-o", formats[i], ".", "f" };

		fuzz_file("true", "f", FUZZ_COUNT(argv), argv, data, size);
	}
	return 0;
}
