/* SPDX-License-Identifier: MIT
 *
 * Which white space is wrong: core.whitespace and the attribute of that name, what they find in a
 * line, and how it is made right.
 */
#ifndef BUILTINS_GIT_BLANKS_H
#define BUILTINS_GIT_BLANKS_H

#include "builtins/git/git.h"

/* What is wrong, or what is looked for; the lowest bits are the width of tabs. */
enum {
	RULE_WIDTH = 63,
	RULE_END = 64,         /* blanks at the end of a line */
	RULE_BEFORE_TAB = 128, /* in the indent */
	RULE_SPACES = 256,     /* in the indent, where a tab would do */
	RULE_CR = 512,         /* at the end of a line it is right */
	RULE_EOF = 1024,       /* blank lines at the end of the file */
	RULE_TABS = 2048,      /* in the indent */
	RULE_TRAILING = RULE_END | RULE_EOF,
};

/* The rules for a file. Ends the command if they exclude each other. */
unsigned blanks_rules(struct git *g, const char *path);
/* What is wrong in a line (with or without its newline) under these rules. */
unsigned blanks_find(struct bytes line, unsigned rules);
/* The same in words. */
const char *blanks_words(struct git *g, unsigned wrong);
/* The line in colour set, with what is wrong in colour mark. */
struct blanks_colors {
	const char *set, *mark, *reset;
};
void blanks_put(struct bytes line, unsigned rules, const struct blanks_colors *c, struct buf *out);
/* The line made right, in keep. */
struct bytes blanks_fixed(struct git *g, struct bytes line, unsigned rules);

#endif
