/* SPDX-License-Identifier: MIT
 *
 * awk: a program, and behind a line "\001" its input. Through the public interface, so that
 * options, pipes and files are reached too.
 */
#include "fuzz/session.h"

static const char tree[] = "mkdir -p d; printf 'a b c\\n1 2 3\\n' > f";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *argv[] = { "awk", "--", NULL, "f", NULL };

	return fuzz_program(tree, FUZZ_COUNT(argv) - 1, argv, 2, data, size);
}
