/* SPDX-License-Identifier: MIT
 *
 * What other commands know of submodules: where they are, whether they changed.
 */
#ifndef BUILTINS_GIT_SUBMODULE_H
#define BUILTINS_GIT_SUBMODULE_H

#include "builtins/git/diff.h"

/* Of a submodule's work tree. */
enum { SUBMODULE_MODIFIED = 1, SUBMODULE_UNTRACKED = 2 };

/* "untracked" and its kin as enum submodule_ignore; -1: no such word. */
int submodule_ignore_of(const char *word);
/* How much of this one does not count: as asked for, or as configured for it, or `otherwise`. */
int submodule_ignored(struct git *g, int asked, const char *path, int otherwise);
/* What is not committed in it, but for what is ignored. */
unsigned submodule_dirt(struct git *g, const char *path, int ignored);
bool submodule_head(struct git *g, const char *path, struct oid *out);
/* --submodule=log, =diff: the commits between or what they change, in place of a patch. */
void submodule_put_change(struct git *g, const struct diff_opts *o, const struct diff_pair *p,
			  struct buf *out);
/* cmd_submodule.c: the work tree at path and the repository in .git/modules find each other. */
void submodule_connect(struct git *g, const char *name, const char *path);
/* It was moved: .gitmodules (staged) and its repository say so. */
void submodule_moved(struct git *g, struct index *x, const char *from, const char *to);
/* Ends the command if .gitmodules has changes that are not staged. */
void submodule_check_file(struct git *g, struct index *x, const char *please);
/* Its section leaves .gitmodules, which is staged. False: it has none. */
bool submodule_forget(struct git *g, struct index *x, const char *path);

#endif
