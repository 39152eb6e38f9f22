/* SPDX-License-Identifier: MIT
 *
 * bc and dc with any program, by the first byte.
 */
#include "fuzz/session.h"

static const struct fuzz_way ways[] = {
	{ "/tmp/p", "bc < /tmp/p" },           { "/tmp/p", "bc -l /tmp/p < /tmp/p" },
	{ "/tmp/p", "dc < /tmp/p" },           { "/tmp/p", "dc -f /tmp/p" },
	{ "/tmp/p", "bc -w /tmp/p < /tmp/p" },
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_ways("true", ways, FUZZ_COUNT(ways), data, size);
}
