/* SPDX-License-Identifier: MIT
 *
 * The repository that git's fuzz targets begin with: two commits, a tag, a branch, one pack.
 */
#ifndef FUZZ_REPOSITORY_H
#define FUZZ_REPOSITORY_H

#include "fuzz/session.h"

#define FUZZ_GIT_NAMES                                                                             \
	"export GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@x GIT_COMMITTER_NAME=C "                      \
	"GIT_COMMITTER_EMAIL=c@x;"

static const char fuzz_repository[] = FUZZ_GIT_NAMES
	"git init -qb main r; cd r; seq 200 > a; mkdir d; echo b > d/b; git add .; git commit -qm "
	"one;"
	"seq 3 200 > a; git commit -qam two; git tag -am t v1; git branch side HEAD~1;"
	"git repack -adq; cd .git/objects/pack; cp *.pack ../../../p.pack; cp *.idx ../../../p.idx;"
	"mv *.pack pack-x.pack; mv *.idx pack-x.idx; cd ../../..; mkdir -p .git/objects/aa";

#endif
