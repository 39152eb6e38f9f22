/* SPDX-License-Identifier: MIT
 *
 * One run of git merge: of one head (cmd_merge.c) or of several (octopus.c).
 */
#ifndef BUILTINS_GIT_MERGE_RUN_H
#define BUILTINS_GIT_MERGE_RUN_H

#include "builtins/git/merge.h"

struct merge_opts {
	bool autostash;
	bool abort, go_on, quit, squash, no_commit, quiet, no_verify, allow_unrelated, signoff,
		verbose, no_edit, edit;
	int ff;   /* 0 yes, 1 --no-ff, 2 --ff-only */
	int stat; /* 1 yes, -1 no */
	struct names messages, strategies, xopts;
	const char *file;
	const char *into;
	int log; /* subjects of commits in the message: at most so many; -1: not said */
};

/* One of what is merged. */
struct merge_head {
	const char *name; /* as it was given; of FETCH_HEAD, the object's */
	const char *note; /* as a line of FETCH_HEAD says it: "branch 'x' of URL"; "of ." is here */
	struct oid object; /* a tag, or the commit */
	struct commit *commit;
};

struct merge_run {
	struct git *g;
	struct merge_opts o;
	struct merge_head *heads;
	size_t nheads;
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

/* merge_title.c */
/* What FETCH_HEAD says is to be merged, without the commits. How many. */
size_t fetch_head_read(struct git *g, struct merge_head **out);
/* One line of it: false if it is malformed. *merged: it is not marked as not for merging. */
bool fetch_head_line(struct git *g, struct bytes line, struct merge_head *out, bool *merged);
/* "-" and "@{-n}" as branches; other names as they are. */
const char *merge_branch_named(struct git *g, const char *name);
/* The note for what a name of this repository means. */
const char *merge_note(struct git *g, const char *name, const struct oid *object);
/* "Merge branches 'x' and 'y', tag 'v' of URL; commit 'z'". */
void merge_title_put(const struct merge_run *m, struct buf *out);
/* " into y", unless it goes without saying. into NULL: the current branch. */
void merge_into_put(struct git *g, const char *into, struct buf *out);
/* Behind the title, or (given) the words of -m: what tags say, subjects of commits (at most log).
 */
void merge_message_rest(struct merge_run *m, bool given, int log, struct buf *out);
/* The option --log[=n]. */
int merge_set_log(struct git *g, int *log, const char *a, bool unset);

/* octopus.c */
/* Drops heads that others, or HEAD, have in them. The first one always stays. */
void merge_reduce(struct merge_run *m);
/* The exit status. */
int merge_octopus(struct merge_run *m);

#endif
