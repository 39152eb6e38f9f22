/* SPDX-License-Identifier: MIT
 *
 * The index as an attacker writes it.
 */
#include "fuzz/repository.h"

static const struct fuzz_way ways[] = {
	{ ".git/index", "git status" },
	{ ".git/index", "git ls-files -s -v; git diff --stat; git write-tree" },
	{ ".git/index", "git add -A; git commit -qm x; git log --stat" },
	{ ".git/index",
	  "git checkout -f main; git reset --hard HEAD~1; git stash; git clean -fdx" },
	{ "f", "git update-index --index-info < f; git write-tree" },
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_ways(fuzz_repository, ways, FUZZ_COUNT(ways), data, size);
}
