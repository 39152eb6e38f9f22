/* SPDX-License-Identifier: MIT
 *
 * The part of Perl that renaming needs: s///, y/// and tr///, chop and chomp of $_, assignments and
 * other expressions, if and unless behind them, separated by semicolons. For rename, and {= =} of
 * parallel.
 */
#ifndef BUILTINS_EDIT_H
#define BUILTINS_EDIT_H

#include "builtins/builtin.h"

struct edit;

/* NULL if the code is anything else, with *message saying what (in the arena). strict: variables
 * must be declared. */
struct edit *edit_compile(struct cmd *c, struct bytes code, bool strict, const char **message);
/* The text after the code has worked on it, in `a`. */
struct bytes edit_apply(const struct edit *e, struct arena *a, struct bytes text);

#endif
