/* SPDX-License-Identifier: MIT
 *
 * Patches and mails as an attacker writes them.
 */
#include "fuzz/repository.h"

static const struct fuzz_way ways[] = {
	{ "f", "git apply f" },
	{ "f", "git apply --index f; git apply -R f" },
	{ "f", "git apply --stat --summary --numstat f" },
	{ "f", "git am f" },
	{ "f", "git am -3 f; git am --skip; git am --abort" },
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_ways(fuzz_repository, ways, FUZZ_COUNT(ways), data, size);
}
