/* SPDX-License-Identifier: MIT
 *
 * Lists of positions as cut and numfmt take them: "1,3-5,7-", counted from 1.
 */
#ifndef BUILTINS_RANGES_H
#define BUILTINS_RANGES_H

#include "builtins/builtin.h"

/* First and last position; UINT64_MAX: to the end. */
struct range {
	uint64_t from;
	uint64_t to;
};

/* Ascending, without overlaps. */
struct ranges {
	struct range *list;
	size_t n;
};

enum ranges_flags {
	RANGES_FIELDS = 1,     /* messages speak of fields, else of bytes and characters */
	RANGES_ALL = 2,        /* "-" alone is everything */
	RANGES_COMPLEMENT = 4, /* all positions but those */
};

/* Returns 0, or a status after a message. */
int ranges_parse(struct cmd *c, const char *list, unsigned flags, struct ranges *out);

#endif
