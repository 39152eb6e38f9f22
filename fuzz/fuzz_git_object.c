/* SPDX-License-Identifier: MIT
 *
 * Commits, trees and tags as an attacker writes them.
 */
#include "fuzz/repository.h"

static const struct fuzz_way ways[] = {
	{ "f", "o=$(git hash-object -w -t tree --literally f); git ls-tree -rt $o; git read-tree "
	       "-u --reset $o; git fsck" },
	{ "f", "o=$(git hash-object -w -t commit --literally f); git log --graph --all $o; git "
	       "show $o; git reset --hard $o" },
	{ "f", "o=$(git hash-object -w -t tag --literally f); git show $o; git tag x $o; git "
	       "describe; git for-each-ref" },
	{ "f", "o=$(git hash-object -w -t tree --literally f); git diff main $o; git archive $o | "
	       "tar t; git merge-tree main $(git commit-tree -m x $o)" },
	{ ".git/objects/aa/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
	  "git cat-file -p aaaaaaaa; git fsck" },
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_ways(fuzz_repository, ways, FUZZ_COUNT(ways), data, size);
}
