/* SPDX-License-Identifier: MIT
 *
 * One merge of three trees, as its parts see it: merge_trees.c goes over the paths, merge_dirs.c
 * follows renamed directories, merge_file.c merges the content of one file.
 */
#ifndef BUILTINS_GIT_MERGE_PRIVATE_H
#define BUILTINS_GIT_MERGE_PRIVATE_H

#include "builtins/git/merge.h"

struct side_renames {
	struct lookup *to;   /* old path -> new path */
	struct lookup *from; /* new path -> old path */
};

struct merge_note {
	const char *path;
	struct bytes text;
};

struct merger {
	struct merging *m;
	struct git *g;
	struct leaves tree[3]; /* base, ours, theirs */
	struct side_renames moved[2];
	struct lookup *done;
	struct merge_note *note;
	size_t nnotes;
	size_t notes_cap;
	struct names submodules;        /* those in conflict */
	struct names submodule_commits; /* what is to be merged there; "" where it is not known */
	bool nested;                    /* the content that is merged will be merged again */
	struct lookup
		*original[2];     /* of ours, theirs: a new path by what the directory made of it */
	struct lookup *suggested; /* paths that merge_follow_directories asks about */
};

/* A message about a path: told at the end, sorted by path. */
void merge_say(struct merger *s, const char *path, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* merge_file.c: both sides changed the content, each under its name (names, as leaf: base, ours,
 * theirs; leaf[0] may be NULL). Sets the result of f; false: it is a conflict. */
bool merge_content(struct merger *s, struct merge_file *f, const struct leaf *leaf[3],
		   const char *names[3]);

/* merge_dirs.c: what one side put into a directory that the other has renamed goes to its new
 * place: trees and renames are changed as if that side had put it there. */
void merge_follow_directories(struct merger *s);
/* Whether files stay below the path, so that it is a directory. */
bool merge_directory_stays(struct merger *s, const char *path);
/* Whether renames of the side (0 ours, 1 theirs) can change anything: not if the other side left
 * alone what is gone, and put nothing into directories that are gone. */
bool merge_renames_matter(struct merger *s, int side);

#endif
