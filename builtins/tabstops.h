/* SPDX-License-Identifier: MIT
 *
 * Tab stops as expand and unexpand take them: "8", "4,8,12", "4,/8", "4,+8".
 */
#ifndef BUILTINS_TABSTOPS_H
#define BUILTINS_TABSTOPS_H

#include "builtins/builtin.h"

struct tabstops {
	uint64_t *stop; /* ascending */
	size_t n;
	uint64_t every;     /* one size for all, if there is no list */
	uint64_t extend;    /* "/N": behind the list, at multiples of N */
	uint64_t increment; /* "+N": behind the list, N after the last */
};

/* Adds a list to t. Returns 0, or a status after a message. */
int tabstops_parse(struct cmd *c, struct tabstops *t, const char *text);
/* Checks and completes what was parsed: 0, or a status. */
int tabstops_finish(struct cmd *c, struct tabstops *t);
/* The stop behind a column; false behind the last one. *index is kept by the caller from call
 * to call, 0 at the beginning of a line. */
bool tabstops_next(const struct tabstops *t, uint64_t column, size_t *index, uint64_t *out);
/* "-4,8" as options: each call takes one digit or comma. */
int tabstops_legacy(struct cmd *c, struct tabstops *t, char **argv, int i);

#endif
