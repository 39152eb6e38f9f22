/* SPDX-License-Identifier: MIT
 *
 * Fuzz target: lists of an interactive rebase, what is left of one on disk, answers to --patch,
 * edited hunks, commands of update-ref, streams of fast-import, ranges of lines. The first byte
 * says which.
 */
#include "fuzz/repository.h"

static const struct fuzz_way ways[] = {
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
	{ "t", "cd r; git log --oneline -L\"$(head -c 99 ../t)\":a; git blame -L\"$(head -c 99 "
	       "../t)\" a" },
	{ "t", "cd r; git fast-import --quiet --force < ../t; git fsck; git log --stat; git "
	       "fast-export --all -M | git fast-import --force" },
	{ "t", "cd r; git apply --recount ../t; git apply -3 ../t; git apply --reject ../t" },
};

static const char tree[] = FUZZ_GIT_NAMES
	"git init -qb main r; cd r; seq 200 > a; git add .; git commit -qm one;"
	"seq 3 200 > a; git commit -qam two; seq 190 > a; git commit -qam three; cd ..";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_ways(tree, ways, FUZZ_COUNT(ways), data, size);
}
