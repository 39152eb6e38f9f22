/* SPDX-License-Identifier: MIT
 *
 * Files without a name, for output that is looked at later, and with one.
 */
#ifndef BUILTINS_TEMP_H
#define BUILTINS_TEMP_H

#include "builtins/builtin.h"

/* Opens a new file for reading and writing (at its end) that is gone when it is closed, in dir,
 * or if that is NULL in TMPDIR or /tmp. Ends the command if that can't be. */
int temp_open(struct cmd *c, const char *dir);
/* The same with a name, PREFIX and five letters or digits and SUFFIX, which is put into path. */
int temp_open_named(struct cmd *c, const char *dir, const char *prefix, const char *suffix,
		    struct buf *path);
/* Copies all of it to a descriptor. */
void temp_copy(struct cmd *c, int fd, int to);

#endif
