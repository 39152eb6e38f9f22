/* SPDX-License-Identifier: MIT
 *
 * yq: an expression, and behind a byte \001 its input. Through the public interface.
 */
#include "fuzz/session.h"

static const char tree[] = "printf '# c\na: &x {b: [1, two]}\nc: *x # d\n' > f";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *argv[] = { "yq", "--", NULL, "f", NULL };

	return fuzz_program(tree, FUZZ_COUNT(argv) - 1, argv, 2, data, size);
}
