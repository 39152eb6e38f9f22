/* SPDX-License-Identifier: MIT
 *
 * The work tree: its files read as they would be stored, written, removed, and brought from one
 * tree to another.
 */
#ifndef BUILTINS_GIT_WORK_H
#define BUILTINS_GIT_WORK_H

#include "builtins/git/git.h"

/* --- work.c --- */

/* The content of a file of the work tree as it would be stored (filters applied). 0 or -E_. */
int work_read(struct git *g, struct arena *a, const char *path, uint32_t mode, struct bytes *out);
int work_hash(struct git *g, const char *path, uint32_t mode, bool store, struct oid *out);
/* The mode git gives a file. */
uint32_t work_mode(struct git *g, const struct vfs_stat *st, const struct entry *old);
/* Writes a file from an object and fills the entry's times if there is one. False after a message:
 * what is there can't be removed. */
bool work_write(struct git *g, const char *path, uint32_t mode, const struct oid *o,
		struct entry *e);
bool work_write_bytes(struct git *g, const char *path, uint32_t mode, struct bytes data);
/* Removes a file and the directories that are empty then. 0, also if it is not there, or -E_. */
int work_remove(struct git *g, const char *path);
/* Whether a symlink is among the directories of path. */
bool work_behind_link(struct git *g, const char *path);
/* What stands where a directory of path has to be, and is none: its name, in g->a. NULL: nothing.
 */
const char *work_in_the_way(struct git *g, const char *path);
/* Of an entry whose file is missing: whether a directory stands in its place, or a file or a link
 * in that of its directory, which may be or hold what nobody else has. */
bool work_replaced(struct git *g, const char *path);
/* checkout.c: from the tree old (NULL: nothing) to new, index and files, keeping changes that
 * do not touch. False after git's message if it can't. */
struct switch_opts {
	bool force;         /* changes are lost */
	bool no_work;       /* only the index */
	bool keep_index;    /* nothing is written */
	bool *only_local;   /* set, and nothing said, where only local changes are in the way */
	const char *action; /* "checkout", "merge": for messages */
};
bool work_switch(struct git *g, const struct oid *old, const struct oid *new_tree,
		 const struct switch_opts *o);
/* Index and files become the tree. False after messages: some files could not. */
bool work_reset(struct git *g, const struct oid *tree);

#endif
