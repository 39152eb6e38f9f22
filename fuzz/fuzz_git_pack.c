/* SPDX-License-Identifier: MIT
 *
 * Packs and their indexes as an attacker writes them.
 */
#include "fuzz/repository.h"

static const struct fuzz_way ways[] = {
	{ ".git/objects/pack/pack-x.pack", "git log -p; git fsck" },
	{ ".git/objects/pack/pack-x.idx", "git log -p; git fsck; git rev-parse 30297" },
	{ "f.pack", "git index-pack f.pack && git verify-pack -v f.pack" },
	{ "f.pack", "git unpack-objects < f.pack" },
	{ "f.pack", "git index-pack --stdin < f.pack" },
	{ ".git/objects/info/alternates", "git log; git count-objects -v" },
	{ ".git/shallow", "git log; git fetch . main" },
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_ways(fuzz_repository, ways, FUZZ_COUNT(ways), data, size);
}
