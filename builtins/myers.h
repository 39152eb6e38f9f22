/* SPDX-License-Identifier: MIT
 *
 * The differences of two sequences of lines: what diff and git share. Which lines take part, and
 * where runs of changes are moved to afterwards, is for each to say.
 */
#ifndef BUILTINS_MYERS_H
#define BUILTINS_MYERS_H

#include "builtins/builtin.h"

/* The lines of one side that take part. */
struct myers_side {
	uint32_t *class; /* equal lines have equal numbers, on both sides */
	size_t *real;    /* the index of each in `changed` */
	int64_t n;
	char *changed; /* set to 1 for lines that the other side does not have */
};

struct myers_effort {
	int64_t cost_min; /* at least so many steps before a short way is given up */
	bool minimal;     /* never give up */
	bool snakes;      /* a long run of equal lines is good enough */
};

/* Marks the changed lines of both sides; working memory comes from a and c's pool. */
void myers_mark(struct cmd *c, struct arena *a, const struct myers_side side[2],
		const struct myers_effort *effort);

#endif
