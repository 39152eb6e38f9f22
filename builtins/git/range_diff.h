/* SPDX-License-Identifier: MIT
 *
 * Two versions of a series of commits, compared: which belongs to which, and what changed.
 */
#ifndef BUILTINS_GIT_RANGE_DIFF_H
#define BUILTINS_GIT_RANGE_DIFF_H

#include "builtins/git/walk.h"

struct range_patch {
	struct commit *commit;
	struct bytes text; /* message and differences, without what line numbers would change */
	size_t diff;       /* where the differences begin in it */
	size_t lines;      /* of the differences */
	int match;         /* of the other series; -1: none */
	bool shown;
};

struct range {
	struct range_patch *at;
	size_t n, cap;
};

struct range_opts {
	int creation_factor;
	bool left_only, right_only, one_color;
	int notes; /* -1: none */
	struct diff_opts diff;
};

/* range_patch.c: the commits of A..B, oldest first. paths: words behind the ranges. */
void range_read(struct git *g, const char *range, char **paths, int npaths,
		const struct range_opts *o, struct range *out);
/* Lines of a comparison of two texts, with 3 lines of context: what a pair costs. */
int range_cost(struct git *g, struct bytes one, struct bytes two);
/* The differences of two versions of a patch, each line behind four blanks. */
void range_put_patch(struct git *g, const struct range_opts *o, struct bytes one, struct bytes two);
/* range_match.c: fills match of both. */
void range_match(struct git *g, struct range *a, struct range *b, int creation_factor);

#endif
