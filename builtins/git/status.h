/* SPDX-License-Identifier: MIT
 *
 * The state of a work tree: what status, commit and stash show of it.
 */
#ifndef BUILTINS_GIT_STATUS_H
#define BUILTINS_GIT_STATUS_H

#include "builtins/git/walk.h"

enum status_format { STATUS_LONG, STATUS_SHORT, STATUS_V1, STATUS_V2 };
enum status_untracked { SHOW_NO, SHOW_NORMAL, SHOW_ALL };

struct status_opts {
	enum status_format format;
	int untracked; /* enum status_untracked; -1: as configured */
	bool branch;
	bool show_stash;
	bool zero;
	int ignored;    /* 0, 1 traditional, 2 matching */
	int submodules; /* enum submodule_ignore, if asked for */
	bool no_renames;
	bool ahead_behind;
	int verbose; /* 1: what is staged, as a patch; 2: the rest as well */
	struct pathspec paths;
	bool for_commit; /* inside of COMMIT_EDITMSG or a dry run */
	bool commented;  /* lines begin with "#" */
	bool amend;      /* compared with HEAD's parent */
};

struct status {
	struct git *g;
	struct status_opts o;
	struct diff_queue staged;
	struct diff_queue work;
	struct names untracked;
	struct names ignored;
	struct names unmerged;
	bool initial; /* the next commit, or what takes HEAD's place, is the first */
	bool committable;
};

/* cmd_status.c: values of options, into a struct status_opts. */
int status_set_untracked(struct git *g, void *opts, const char *arg, bool unset);
int status_set_porcelain(struct git *g, void *opts, const char *arg, bool unset);
int status_set_short(struct git *g, void *opts, const char *arg, bool unset);
int status_set_long(struct git *g, void *opts, const char *arg, bool unset);
void status_collect(struct git *g, struct status *s, const struct status_opts *o);
/* Long or short, into out. */
void status_put(struct status *s, struct buf *out);
/* "Your branch is ahead of ..." or nothing. */
void status_put_tracking(struct git *g, const char *branch, struct buf *out, bool quick);
/* No merge and no cherry-pick is under way. */
bool status_from_commit(struct git *g);
/* "HEAD detached at abc" or "Not currently on any branch." */
void status_put_detached(struct git *g, const char *color, const char *reset, struct buf *out);
/* What is under way: merge, rebase...: lines of the long form. */
void status_put_state(struct status *s, struct buf *out);

/* --- the sequencer's files (sequence.c) --- */
bool merge_in_progress(struct git *g);

#endif
