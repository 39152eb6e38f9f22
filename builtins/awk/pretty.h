/* SPDX-License-Identifier: MIT
 *
 * awk -o: what its parts share.
 */
#ifndef BUILTINS_AWK_PRETTY_H
#define BUILTINS_AWK_PRETTY_H

#include "base/sort.h"
#include "builtins/awk/code.h"

struct pretty {
	struct awk *a;
	struct buf out;
	bool profile;       /* with counts */
	int depth;          /* of tabs */
	struct bytes space; /* the namespace around; empty: none */
	bool in_local;      /* the name is that of a parameter */
};

void awk_pretty_expr(struct pretty *p, const struct node *n);
/* A statement of one line, without its end. */
void awk_pretty_simple(struct pretty *p, const struct node *n);

#endif
