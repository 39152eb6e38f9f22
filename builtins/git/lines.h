/* SPDX-License-Identifier: MIT
 *
 * What the ways to compare lines share: see lines_diff in git.h.
 */
#ifndef BUILTINS_GIT_LINES_H
#define BUILTINS_GIT_LINES_H

#include "builtins/git/git.h"

/* Marks what changes between the two files of l, whose lines have their classes. The shortest
 * way (lines.c). */
void lines_compare(struct git *g, struct arena *a, struct lines *l, unsigned flags,
		   uint32_t classes);
/* With the lines that are rare first (lines_unique.c). */
void lines_compare_unique(struct git *g, struct arena *a, struct lines *l, unsigned flags,
			  uint32_t classes);

#endif
