/* SPDX-License-Identifier: MIT
 *
 * Where the shell is, and the directory stack of pushd and popd.
 */
#ifndef INTERP_DIRS_H
#define INTERP_DIRS_H

#include "interp/shell.h"

struct dir_stack {
	const struct shell *owner; /* a subshell that reads through copies it before a change */
	char *cwd;                 /* the logical working directory: entry 0 of the stack */
	int count;                 /* the other entries, */
	int cap;
	char **entry; /* the newest last; all in the pool */
};

/* path NULL: nobody knows it any more. */
void dirs_set_cwd(struct shell *sh, const char *path);
void dirs_push(struct shell *sh, const char *path);
/* The number of entries, the working directory included. */
int dirs_count(struct shell *sh);
/* Entry n as `dirs` counts from the left; NULL if there is none. For ~N and ~+N; ~-N is
 * dirs_at(sh, dirs_count(sh) - 1 - N). */
const char *dirs_at(struct shell *sh, int n);

/* cdspell: the path with its components as there are directories of nearly such names, in the
 * arena; NULL: none are near. */
const char *spelled_directory(struct shell *sh, const char *path);

#endif
