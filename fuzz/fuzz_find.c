/* SPDX-License-Identifier: MIT
 *
 * find's expressions: the input's lines are the arguments. Through the public interface, so that
 * options, walks, formats and -exec are reached too.
 */
#include "fuzz/session.h"

static const char tree[] = "mkdir -p d/e; echo a > d/f; ln -s f d/l; touch 'd/s p' d/e/x.txt";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const command[] = { "find" };

	return fuzz_lines(tree, NULL, FUZZ_COUNT(command), command, data, size);
}
