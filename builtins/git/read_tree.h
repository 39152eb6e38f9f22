/* SPDX-License-Identifier: MIT
 *
 * git read-tree in two parts: cmd_read_tree.c has options and single trees, read_tree_merge.c
 * merges several.
 */
#ifndef BUILTINS_GIT_READ_TREE_H
#define BUILTINS_GIT_READ_TREE_H

#include "builtins/git/git.h"

struct read_opts {
	bool merge, reset, update, index_only, empty, dry_run, quiet, verbose, trivial, aggressive;
	bool no_sparse;
	const char *prefix;
	const char *output;
};

struct reading {
	struct git *g;
	struct read_opts o;
	struct index *x;
	bool unclear; /* files have to be merged */
};

/* With "error: ..." that the file at path can't be written over. */
bool read_tree_in_the_way(struct reading *r, const char *path);
/* Two or three trees with the index: 0, or the exit status. */
int read_tree_merge(struct reading *r, const struct oid *trees, int n);

#endif
