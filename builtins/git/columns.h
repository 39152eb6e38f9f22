/* SPDX-License-Identifier: MIT
 *
 * Short texts side by side: --column of branch and tag, git column.
 */
#ifndef BUILTINS_GIT_COLUMNS_H
#define BUILTINS_GIT_COLUMNS_H

#include "builtins/git/git.h"

enum columns_when { COLUMNS_NEVER, COLUMNS_AUTO, COLUMNS_ALWAYS };

struct columns {
	enum columns_when when;
	char layout; /* c: columns first, r: rows first, p: one below the other */
	bool dense;  /* each as narrow as it can be */
	int width;   /* 0: of the terminal, or 80 */
	int padding;
	const char *indent;
	const char *newline;
};
/* What the configuration says for a command, and --column (as kept by git_opt_columns). */
void columns_settle(struct git *g, const char *command, struct columns *out);
bool columns_active(struct git *g, const struct columns *o);
void columns_put(struct git *g, const struct columns *o, const struct names *cells);

#endif
