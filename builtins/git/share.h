/* SPDX-License-Identifier: MIT
 *
 * core.sharedRepository: which permissions the files of a repository have.
 */
#ifndef BUILTINS_GIT_SHARE_H
#define BUILTINS_GIT_SHARE_H

#include "builtins/git/git.h"

/* What a value means, as g->shared has it (NULL: --shared alone). Ends the command if it is none.
 */
int share_parse(struct git *g, const char *text, const char *what);
/* The value that init writes; shared is not 0. */
const char *share_value(struct git *g, int shared);
/* Gives a file or directory of the repository its permissions. */
void share_path(struct git *g, const char *path);

#endif
