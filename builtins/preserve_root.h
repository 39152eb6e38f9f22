/* SPDX-License-Identifier: MIT
 *
 * --preserve-root, as chmod, chown, chgrp and rm have it.
 */
#ifndef BUILTINS_PRESERVE_ROOT_H
#define BUILTINS_PRESERVE_ROOT_H

#include "builtins/builtin.h"

/* Whether a path is the root directory, however it is written; follow: also as a symlink. */
bool is_root(struct cmd *c, const char *path, bool follow);

/* Says that a tree which is_root was left alone. Returns the status 1. */
int refuse_root(struct cmd *c, const char *path);

#endif
