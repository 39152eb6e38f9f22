/* SPDX-License-Identifier: MIT
 *
 * What the parts of git blame share: lines that are alike though they changed.
 */
#ifndef BUILTINS_GIT_BLAME_H
#define BUILTINS_GIT_BLAME_H

#include "builtins/git/git.h"

/* A line as the pairs of neighbouring characters in it, blanks and case aside. */
struct line_print {
	struct line_pair *at; /* sorted */
	size_t n;
};
struct line_prints {
	struct line_print *line;
	size_t n;
};
void blame_prints(struct git *g, struct arena *a, struct bytes text, struct line_prints *out);
/* The line of the parent that each line of a change comes from, as well as it can be told, or
 * SIZE_MAX: match[i] is of the change's i-th line. What is used up leaves the parent's prints. */
void blame_guess(struct git *g, struct line_prints *parent, const struct line_prints *child,
		 const struct lines_change *change, size_t *match);

#endif
