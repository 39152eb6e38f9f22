/* SPDX-License-Identifier: MIT
 *
 * Configuration, references and the small files of a repository as an attacker writes them.
 */
#include "fuzz/repository.h"

static const struct fuzz_way ways[] = {
	{ ".git/config", "git config -l; git status; git fetch; git remote -v" },
	{ ".gitattributes", "git check-attr -a a d/b; git add .; git diff" },
	{ ".gitignore", "git status --ignored; git check-ignore -v a d/b x/y" },
	{ ".git/packed-refs", "git show-ref; git for-each-ref; git log --all" },
	{ ".git/HEAD", "git status; git log; git branch; git commit -qm x" },
	{ ".git/logs/HEAD",
	  "git reflog; git log -g; git rev-parse @{1} @{yesterday}; git checkout -" },
	{ ".git/FETCH_HEAD", "git pull -q . main" },
	{ "f", "git config -f f -l; git config -f f a.b c; git config -f f --unset a.b" },
	{ ".gitmodules",
	  "git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),s; git submodule; git "
	  "-c protocol.file.allow=always submodule update --init; git submodule sync; git "
	  "submodule foreach pwd; git submodule set-branch -b x s; git submodule deinit -f s" },
	{ ".mailmap", "git shortlog -sne HEAD; git log" },
	{ "b", "git bundle verify b; git bundle list-heads b; git ls-remote b; git fetch b "
	       "'+refs/*:refs/x/*'; git bundle unbundle b; git clone -q b c" },
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_ways(fuzz_repository, ways, FUZZ_COUNT(ways), data, size);
}
