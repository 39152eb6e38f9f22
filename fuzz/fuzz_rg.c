/* SPDX-License-Identifier: MIT
 *
 * rg: the input's first line is a .gitignore (its rules separated by '|'), the others are the
 * arguments. Through the public interface, so that walks, printing and the engine are reached.
 */
#include "fuzz/session.h"

static const char tree[] = "mkdir -p .git d/e; echo foo bar > d/f; printf 'a\\0foo\\n' > d/b;"
			   "printf 'caf\\303\\251\\n\\377 x\\n' > d/e/x.txt";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const command[] = { "rg" };

	return fuzz_lines(tree, ".gitignore", FUZZ_COUNT(command), command, data, size);
}
