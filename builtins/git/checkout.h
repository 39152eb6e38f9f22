/* SPDX-License-Identifier: MIT
 *
 * What checkout, switch, restore and branch share.
 */
#ifndef BUILTINS_GIT_CHECKOUT_H
#define BUILTINS_GIT_CHECKOUT_H

#include "builtins/git/branch.h"
#include "builtins/git/commit.h"
#include "builtins/git/status.h"

struct checkout_opts {
	bool quiet, force, detach, merge, progress, ignore_other, patch, ignore_skip;
	enum branch_track track;
	int guess; /* 1 --guess, -1 --no-guess */
	const char *create;
	const char *force_create;
	const char *orphan;
	const char *conflict;
	int stage;
	struct pathspec_file from;
};

struct checkout {
	struct git *g;
	struct checkout_opts o;
	const char *name;
	struct oid oid;   /* the commit */
	struct oid named; /* perhaps a tree */
	bool has_tree;
	char *branch_ref;
	const char *new_branch;
	bool reset_branch;
	bool existed;
	const char *start_name;
	const char *upstream;
	bool unborn;
	bool new_orphan;
	bool show_changes;
	bool plain_new; /* a new branch where HEAD is: the files are not looked at */
	bool dashdash;
};
int checkout_switch(struct git *g, struct checkout *k);
/* checkout_merge.c: files and index become the tree, with the changes of the files against
 * the commit old (shown as old_name in conflicts); conflicts are left in the index. False after a
 * message; what is staged ends the command. */
bool checkout_merge(struct git *g, const struct checkout *k, const struct oid *old,
		    const char *old_name, const struct oid *tree);
/* "Note: switching to 'NAME'." and what follows. */
void checkout_say_detached(struct git *g, const char *name);
/* The hook post-checkout: its status. */
int checkout_hook(struct git *g, const struct oid *old, const struct oid *new_oid, bool branch);

/* restore.c */
struct restore_opts {
	bool staged, worktree, quiet, merge, force, overlay, checkout, ignore_unmerged,
		ignore_skip; /* files that a sparse work tree leaves out come too */
	bool has_tree;
	bool dashdash; /* was written: then nothing is counted */
	int stage;
	const char *conflict;
	struct oid tree;
	const char *tree_name;
};
int restore_paths(struct git *g, struct restore_opts *o, char **paths, int n);

#endif
