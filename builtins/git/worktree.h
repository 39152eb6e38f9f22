/* SPDX-License-Identifier: MIT
 *
 * All work trees of a repository: the main one and those that worktree has added.
 */
#ifndef BUILTINS_GIT_WORKTREE_H
#define BUILTINS_GIT_WORKTREE_H

#include "builtins/git/checkout.h"

struct worktree {
	char *name;   /* below .git/worktrees; NULL: the main one */
	char *dir;    /* its part of the repository */
	char *path;   /* where the files are */
	char *branch; /* full, or NULL: detached */
	struct oid head;
	bool has_head;
	bool bare;
	char *locked;   /* why ("" nothing said), or NULL */
	char *prunable; /* why, or NULL */
};
/* The main one first, the others by path. */
size_t worktree_list(struct git *g, struct worktree **out);
/* Another work tree than this one that has the branch checked out; NULL: none. */
const char *worktree_using(struct git *g, const char *branch);

#endif
