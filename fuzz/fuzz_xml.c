/* SPDX-License-Identifier: MIT
 *
 * XML read by yq and written as YAML and as XML again. Through the public interface.
 */
#include "fuzz/session.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static cowsh *base;
	static const char *const formats[] = { "yaml", "xml" };

	if (base == NULL)
		base = fuzz_base("true");
	for (int i = 0; i < 2; i++) {
		const char *argv[] = { "yq", "-p", "xml", "-o", formats[i], ".", "f", NULL };
		cowsh *s = fuzz_fork(base);

		cowsh_put_file(s, "f", data, size, 0644);
		fuzz_run(s, 7, argv);
	}
	return 0;
}
