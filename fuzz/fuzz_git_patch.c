/* SPDX-License-Identifier: MIT
 *
 * Patches and mails as an attacker writes them.
 */
#include "fuzz/session.h"

/* The first byte chooses where the rest is put and what reads it. */
static const struct {
	const char *file;
	const char *script;
} ways[] = {
	{ "f", "git apply f" },
	{ "f", "git apply --index f; git apply -R f" },
	{ "f", "git apply --stat --summary --numstat f" },
	{ "f", "git am f" },
	{ "f", "git am -3 f; git am --skip; git am --abort" },
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
