/* SPDX-License-Identifier: MIT
 *
 * jq: a program, and behind a byte \001 its input. Through the public interface, so that
 * options and files are reached too.
 */
#include "fuzz/session.h"

static const char tree[] = "printf '[1,{\"a\":[2,null]},\"x\"] 5' > f";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *argv[] = { "jq", "-c", "--", NULL, "f", NULL };

	return fuzz_program(tree, FUZZ_COUNT(argv) - 1, argv, 3, data, size);
}
