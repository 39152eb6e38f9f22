/* SPDX-License-Identifier: MIT
 *
 * Fuzz target: lists of an interactive rebase, what is left of one on disk, answers to --patch,
 * edited hunks, and the commands of update-ref. The first byte says which.
 */
#include "fuzz/session.h"

static const struct {
	const char *file;
	const char *script;
} ways[] = {
	{ "t", "cp t l; export GIT_EDITOR=: GIT_SEQUENCE_EDITOR='cp ../l'; cd r; git rebase -i "
	       "--root; git rebase --skip; git status; git rebase --abort" },
	{ "t",
	  "cd r; GIT_EDITOR=: git rebase -q -x false HEAD~1; cp ../t "
	  ".git/rebase-merge/git-rebase-todo; git status; GIT_EDITOR=: git rebase --continue" },
	{ "t", "cd r; GIT_EDITOR=: git rebase -q -x false HEAD~1; for f in .git/rebase-merge/*; do "
	       "cp ../t $f; done; git status; git rebase --continue; git rebase --abort" },
	{ "t", "cd r; seq 5 250 > a; GIT_EDITOR=: git add -p < ../t; git stash -p < ../t; git "
	       "checkout -p < ../t" },
	{ "t", "cd r; seq 5 250 > a; echo e | GIT_EDITOR='cp ../t' git add -p" },
	{ "t", "cd r; seq 5 250 > a; GIT_EDITOR='cp ../t' git add -e; git diff --cached" },
	{ "t", "cd r; git update-ref --stdin < ../t; git update-ref -z --stdin < ../t" },
	{ "t", "cd r; git cat-file --batch-command < ../t; git cat-file --batch='%(rest)' < ../t" },
	{ "t", "cd r; mkdir .git/sequencer; for f in todo opts head; do cp ../t "
	       ".git/sequencer/$f; done; git status; git cherry-pick --continue" },
	{ "t", "cd r; git apply --recount ../t; git apply -3 ../t; git apply --reject ../t" },
};

static const char tree[] =
	"export GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@x GIT_COMMITTER_NAME=C "
	"GIT_COMMITTER_EMAIL=c@x;"
	"git init -qb main r; cd r; seq 200 > a; git add .; git commit -qm one;"
	"seq 3 200 > a; git commit -qam two; seq 190 > a; git commit -qam three; cd ..";

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
