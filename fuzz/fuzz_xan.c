/* SPDX-License-Identifier: MIT
 *
 * xan: the input's first line is a file (its rows separated by '|'), the others are the
 * arguments. Through the public interface, so that CSV, expressions and JSON are reached.
 */
#include "fuzz/session.h"

static const char tree[] = "printf 'a,b\\n1,x\\n2,y\\n' > g.csv";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const command[] = { "xan" };

	return fuzz_lines(tree, "f.csv", FUZZ_COUNT(command), command, data, size);
}
