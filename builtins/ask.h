/* SPDX-License-Identifier: MIT
 *
 * Questions to the user, as rm, cp, mv, ln ask them.
 */
#ifndef BUILTINS_ASK_H
#define BUILTINS_ASK_H

#include "builtins/builtin.h"

/* Writes "name: question" to standard error and reads a line: whether it begins with y or Y. */
bool ask(struct cmd *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
