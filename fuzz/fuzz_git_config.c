/* SPDX-License-Identifier: MIT
 *
 * Configuration, references and the small files of a repository as an attacker writes them.
 */
#include "fuzz/session.h"

/* The first byte chooses where the rest is put and what reads it. */
static const struct {
	const char *file;
	const char *script;
} ways[] = {
	{ ".git/config", "git config -l; git status; git fetch; git remote -v" },
	{ ".gitattributes", "git check-attr -a a d/b; git add .; git diff" },
	{ ".gitignore", "git status --ignored; git check-ignore -v a d/b x/y" },
	{ ".git/packed-refs", "git show-ref; git for-each-ref; git log --all" },
	{ ".git/HEAD", "git status; git log; git branch; git commit -qm x" },
	{ ".git/logs/HEAD",
	  "git reflog; git log -g; git rev-parse @{1} @{yesterday}; git checkout -" },
	{ ".git/FETCH_HEAD", "git pull -q . main" },
	{ "f", "git config -f f -l; git config -f f a.b c; git config -f f --unset a.b" },
	{ ".mailmap", "git shortlog -sne HEAD; git log" },
	{ "b", "git bundle verify b; git bundle list-heads b; git ls-remote b; git fetch b "
	       "'+refs/*:refs/x/*'; git bundle unbundle b; git clone -q b c" },
};

static const char tree[] =
	"export GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@x GIT_COMMITTER_NAME=C "
	"GIT_COMMITTER_EMAIL=c@x;"
	"git init -qb main r; cd r; seq 200 > a; mkdir d; echo b > d/b; git add .; git commit -qm "
	"one;"
	"seq 3 200 > a; git commit -qam two; git tag -am t v1; git branch side HEAD~1;"
	"git repack -adq; cd .git/objects/pack; cp *.pack ../../../p.pack; cp *.idx ../../../p.idx;"
	"mv *.pack pack-x.pack; mv *.idx pack-x.idx; cd ../../..";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static cowsh *base;
	cowsh *s;
	size_t way;

	if (size == 0)
		return 0;
	if (base == NULL)
		base = fuzz_base(tree);
	way = data[0] % (sizeof ways / sizeof ways[0]);
	s = fuzz_fork(base);
	cowsh_put_file(s, ways[way].file, data + 1, size - 1, 0644);
	cowsh_run(s, ways[way].script, strlen(ways[way].script), NULL);
	cowsh_free(s);
	return 0;
}
