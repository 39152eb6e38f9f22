/* SPDX-License-Identifier: MIT
 *
 * Sparse work trees: which files of the index are to be there. Patterns stand in
 * info/sparse-checkout; with core.sparseCheckoutCone they name directories. Entries whose files
 * are left out carry ENTRY_SKIP_WORKTREE.
 */
#ifndef BUILTINS_GIT_SPARSE_H
#define BUILTINS_GIT_SPARSE_H

#include "builtins/git/git.h"

/* core.sparseCheckout. */
bool sparse_is_on(struct git *g);
/* Directories are named, not patterns: as configured, and the file is like that. */
bool sparse_is_cone(struct git *g);
/* Whether a file is to be in the work tree (always, if this is not a sparse one). */
bool sparse_has(struct git *g, const char *path);
/* The file is read again. */
void sparse_forget(struct git *g);
char *sparse_file(struct git *g);
/* Bits and files become what the patterns say; all: everything is there. */
void sparse_apply(struct git *g, bool all);
/* Files that are there although they are left out are looked at like others. */
void sparse_show_present(struct git *g, struct index *x);
/* Entries that are new and left out are marked. */
void sparse_mark_new(struct git *g, struct index *x);
/* Sets configuration and patterns as `sparse-checkout init` does, without touching files. */
void sparse_begin(struct git *g);
void sparse_configure(struct git *g, bool on, bool cone);
/* Says that paths are outside and how to change them all the same. */
void sparse_say_outside(struct git *g, const struct names *paths);

/* Operands that are paths outside leave args; how many. */
size_t sparse_take_outside(struct git *g, struct args *args, struct names *out);

/* The directories of a cone: those that are in whole, and their parents. */
struct cone {
	struct names dirs, parents; /* without slashes around */
};
/* False after warnings: there are patterns of another kind. */
bool cone_parse(struct git *g, struct bytes text, struct cone *out, bool warn);

#endif
