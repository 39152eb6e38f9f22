/* SPDX-License-Identifier: MIT
 *
 * --patch of add, commit, checkout, restore, reset and stash: each hunk of a difference is shown
 * and standard input says what becomes of it.
 *
 *   hunks.c        a patch as hunks that can be split, edited and put together again
 *   patch_mode.c   the questions
 */
#ifndef BUILTINS_GIT_PATCH_MODE_H
#define BUILTINS_GIT_PATCH_MODE_H

#include "builtins/git/apply.h"

/* --- hunks.c --- */

enum hunk_use { HUNK_UNDECIDED, HUNK_SKIP, HUNK_USE };
struct asked_hunk {
	struct bytes text; /* its lines, without the "@@" line; of a mode change: both lines */
	size_t at[2], count[2];
	struct bytes extra; /* behind the second "@@" */
	size_t groups;      /* of changed lines: so often it can be split */
	size_t shared;      /* lines at its front that end the hunk before it */
	size_t origin;      /* hunks that were split off each other have the same */
	enum hunk_use use;
};
struct asked_file {
	struct bytes head;  /* lines in front of the hunks, without those of a mode change */
	struct bytes shown; /* what is shown of them first */
	struct asked_hunk *at;
	size_t n, cap;
	bool mode_change; /* hunk 0 is the change of mode */
	bool deleted, added, binary;
	enum hunk_use use; /* of a file without hunks */
};
struct asked_files {
	struct asked_file *at;
	size_t n, cap;
};
void asked_read(struct git *g, struct bytes patch, struct asked_files *out);
/* The hunk as people see it. */
void asked_put(const struct asked_file *f, size_t i, struct buf *out);
/* Hunk i becomes several. */
void asked_split(struct git *g, struct asked_file *f, size_t i);
/* The text of a hunk, edited: counts follow. False: nothing is left of it. */
bool asked_replace(struct git *g, struct asked_hunk *h, struct bytes text);
/* The patch of what is used. reverse: it will be applied backwards. */
struct bytes asked_patch(struct git *g, const struct asked_file *f, bool reverse);

/* --- patch_mode.c --- */

enum patch_mode {
	PATCH_STAGE,
	PATCH_STASH,
	PATCH_UNSTAGE, /* reset, of HEAD */
	PATCH_RESET,   /* reset, of another tree */
	PATCH_CHECKOUT_INDEX,
	PATCH_CHECKOUT_HEAD,
	PATCH_CHECKOUT_TREE,
	PATCH_WORK_HEAD, /* restore --source */
	PATCH_WORK_TREE,
};
/* Asks about all that the operands cover. tree: where the mode compares with one. The status. */
int patch_mode(struct git *g, enum patch_mode mode, const struct oid *tree, char **paths, int n);
/* The patch it asks about. In g->keep. */
struct bytes patch_difference(struct git *g, enum patch_mode mode, const struct oid *tree,
			      char **paths, int n);
/* The questions alone. */
int patch_ask(struct git *g, enum patch_mode mode, struct bytes patch);
/* The same, with answers from this input. */
int patch_ask_from(struct git *g, enum patch_mode mode, struct bytes patch, struct input *in);

#endif
