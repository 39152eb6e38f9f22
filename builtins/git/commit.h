/* SPDX-License-Identifier: MIT
 *
 * Commits made: messages, hooks, the lines that are printed. For commit, merge, cherry-pick,
 * revert, rebase.
 */
#ifndef BUILTINS_GIT_COMMIT_H
#define BUILTINS_GIT_COMMIT_H

#include "builtins/git/walk.h"

enum cleanup { CLEANUP_DEFAULT, CLEANUP_NONE, CLEANUP_SPACE, CLEANUP_ALL, CLEANUP_SCISSORS };

/* core.commentChar: lines that begin with it are no message. */
char message_comment_char(struct git *g);
/* Each line as a comment. */
void message_put_comment(struct git *g, struct bytes text, struct buf *out);
/* Blank lines and trailing blanks go; with comments also comments. */
struct bytes message_clean(struct git *g, struct bytes text, bool comments);
/* The line below which an editor's text is cut off, and the text above it. */
void message_put_cut(struct git *g, struct buf *out);
struct bytes message_cut(struct git *g, struct bytes text);
/* The end of a message that begins with the first line of a signature; empty: it has none. */
struct bytes message_signature(struct bytes text);
/* The editor on a file: false after a message. */
bool message_edit(struct git *g, const char *path);
/* The same with this editor; NULL: the usual one. */
bool message_edit_with(struct git *g, const char *editor, const char *path);
/* A commit object. author NULL: as configured. */
void commit_write(struct git *g, const struct oid *tree, const struct oid *parents, size_t n,
		  const char *author, struct bytes message, struct oid *out);
/* "[main 1234abc] subject", the author and date if they are not the committer's, and what
 * changed. */
void commit_print(struct git *g, const struct oid *o, bool root, bool show_author_date);
/* The files of an operation that is done: MERGE_HEAD and its kin. */
void state_clear(struct git *g);
/* The same when the operation ends as it should: what --autostash has put away comes back later. */
void state_clear_committed(struct git *g);
/* The same for one that is given up: nothing waits to be recorded. */
void state_clear_merge(struct git *g);
/* A cherry-pick or revert that stopped is over; if it was the last of several, all of them. */
void state_end_pick(struct git *g);
char *state_read(struct git *g, const char *name); /* NULL: not there */
void state_write(struct git *g, const char *name, const char *text);
void state_remove(struct git *g, const char *name);

/* cmd_merge.c: what --autostash has put away comes back, if something is. */
void merge_bring_back(struct git *g);
/* cmd_stash.c: it goes into the list. */
void stash_keep_auto(struct git *g, const struct oid *stash);

/* --- commit_index.c --- */

/* The index takes what tracked files have become. */
void stage_tracked(struct git *g, struct index *x, struct pathspec *ps);
/* What HEAD has and the index not, but the work tree still: it is committed as it is there. */
void stage_dropped(struct git *g, struct index *x, struct pathspec *ps, const struct leaves *l);
_Noreturn void commit_refuse_unmerged(struct git *g, const char *doing);
/* An index that waits for its commit. */
struct commit_index {
	char *path; /* NULL: the repository's own is committed */
	struct index *full;
	bool partial; /* the file has HEAD and some paths, full what the index will be */
};
void commit_index_hold(struct git *g, struct commit_index *held, struct index *full,
		       struct index *part);
/* What the index to commit is now, when a hook has run. */
struct index *commit_index_again(struct git *g, struct commit_index *held);
/* Ends the command if another one has changed the index meanwhile. */
void commit_index_check(struct git *g, const struct commit_index *held);
/* The commit is made. */
void commit_index_keep(struct git *g, struct commit_index *held);

#endif
