/* SPDX-License-Identifier: MIT
 *
 * The list of earlier commands, for history and fc.
 */
#ifndef INTERP_HISTORY_H
#define INTERP_HISTORY_H

#include "interp/shell.h"

struct entry {
	char *text; /* in the pool */
	size_t len;
	int64_t time; /* seconds */
};

struct history {
	int count;
	int cap;
	struct entry *entry;
	int base;    /* how many were dropped before the first: positions go on */
	int fresh;   /* of the last ones, how many `history -a` has not written */
	int in_file; /* lines of the file that were read or appended */
	bool typed;  /* the last one is the command that runs */
};

/* Never NULL; in the pool. */
struct history *history_of(struct shell *sh);
/* As `history -s`: whether HISTCONTROL and HISTIGNORE let it in. */
bool history_add(struct shell *sh, struct bytes text);
/* What runs again takes the place of the last entry. */
void history_replace_last(struct shell *sh, struct bytes text);

static inline struct bytes entry_text(const struct entry *e)
{
	return (struct bytes){ e->text, e->len };
}

#endif
