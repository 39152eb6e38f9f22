/* SPDX-License-Identifier: MIT
 *
 * Where runs of changed lines stand: lines.c finds them, slide.c moves them.
 */
#ifndef BUILTINS_GIT_SLIDE_H
#define BUILTINS_GIT_SLIDE_H

#include "builtins/git/git.h"

void slide_changes(struct git *g, struct lines *l, int which, bool indent);

#endif
