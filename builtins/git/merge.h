/* SPDX-License-Identifier: MIT
 *
 * Merging: three texts (merge_text.c), three trees (merge_trees.c), and the commands that use
 * them.
 */
#ifndef BUILTINS_GIT_MERGE_H
#define BUILTINS_GIT_MERGE_H

#include "builtins/git/commit.h"

enum merge_style { MERGE_STYLE_MERGE, MERGE_STYLE_DIFF3, MERGE_STYLE_ZDIFF3 };
enum merge_favor { FAVOR_NONE, FAVOR_OURS, FAVOR_THEIRS, FAVOR_UNION };

struct merge_text {
	struct bytes base, ours, theirs;
	const char *label[3]; /* ours, base, theirs */
	enum merge_style style;
	enum merge_favor favor;
	unsigned lines;   /* enum lines_flags */
	int marker_size;  /* 0: 7 */
	bool punctuation; /* joins conflicts with nothing else between */
	struct bytes result;
	size_t conflicts;
};
void merge_text(struct git *g, struct arena *a, struct merge_text *m);
/* --conflict=..., or merge.conflictStyle (text NULL). */
enum merge_style merge_style_of(struct git *g, const char *text);

struct merge_file {
	const char *path;
	uint32_t mode[3]; /* base, ours, theirs; 0: not there */
	struct oid oid[3];
	bool conflict;
	uint32_t result_mode; /* 0: gone */
	struct oid result;
};

struct merging {
	struct git *g;
	const char *ours; /* labels */
	const char *theirs;
	const char *base;
	enum merge_favor favor;
	enum merge_style style;
	bool no_renames;
	unsigned lines; /* enum lines_flags */
	int depth;      /* of virtual bases */
	struct buf messages;
	/* results */
	struct merge_file *at;
	size_t n;
	size_t cap;
	bool clean;
	struct oid tree; /* with conflict markers in it, if not clean */
};
/* One -X option: false if there is none of that name. */
bool merge_option(struct merging *m, const char *text);
/* Merges trees. */
void merge_trees(struct merging *m, const struct oid *base, const struct oid *ours,
		 const struct oid *theirs);
/* The same for commits: several bases are merged first. */
void merge_commits(struct merging *m, struct commit *ours, struct commit *theirs);
/* Index and files become the result. False after a message: changes are in the way. */
bool merge_apply(struct merging *m, const struct oid *head_tree, const char *action);
/* plain_diff.c: hunks of two texts on standard output. */
void plain_diff(struct git *g, struct bytes one, struct bytes two);
/* merge_trivial.c: merge-tree of three trees: base, ours, theirs. The exit status. */
int merge_trivial(struct git *g, char **names);
/* The index and, where the index was as the tree, the files: reset --merge. */
void work_reset_index(struct git *g, const struct oid *tree);

#endif
