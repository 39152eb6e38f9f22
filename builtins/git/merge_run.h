/* SPDX-License-Identifier: MIT
 *
 * One run of git merge: of one head (cmd_merge.c) or of several (octopus.c).
 */
#ifndef BUILTINS_GIT_MERGE_RUN_H
#define BUILTINS_GIT_MERGE_RUN_H

#include "builtins/git/merge.h"

struct merge_opts {
	bool abort, go_on, quit, squash, no_commit, quiet, no_verify, allow_unrelated, signoff,
		verbose, no_edit, edit;
	int ff;   /* 0 yes, 1 --no-ff, 2 --ff-only */
	int stat; /* 1 yes, -1 no */
	struct names messages, strategies, xopts;
	const char *file;
	const char *into;
	int log; /* subjects of commits in the message: at most so many; -1: not said */
};

struct merge_run {
	struct git *g;
	struct merge_opts o;
	struct names heads; /* what is merged, as named */
	struct commit **commits;
	struct oid head, other;
	struct commit *ours, *theirs; /* theirs, other: the first of the heads */
	struct oid head_tree;
};

/* "Merge branch 'x'" with its newline, or what -m or -F say. */
char *merge_message(struct merge_run *m);
/* Index, files, message and commit of a result. first: its first parent in front of the heads,
 * or NULL. The exit status. */
int merge_finish(struct merge_run *m, struct merging *r, const char *strategy,
		 struct commit *first);

/* octopus.c */
/* "Merge branches 'x' and 'y', tag 'v'". */
void merge_put_heads(const struct merge_run *m, struct buf *out);
/* Drops heads that others, or HEAD, have in them. The first one always stays. */
void merge_reduce(struct merge_run *m);
/* The exit status. */
int merge_octopus(struct merge_run *m);

#endif
