/* SPDX-License-Identifier: MIT
 *
 * Whole numbers of any length, as decimal text: what expr needs when 64 bits do not suffice.
 */
#ifndef BUILTINS_EXPR_BIG_H
#define BUILTINS_EXPR_BIG_H

#include "builtins/builtin.h"

/* a op b, where both are digits with an optional '-' before them. op is one of "+-* / %"; the
 * quotient is truncated. b must not be zero for '/' and '%'. The result is in c's arena. */
struct bytes expr_big(struct cmd *c, char op, struct bytes a, struct bytes b);
/* Less than, equal to or greater than 0, as a is to b. */
int expr_big_order(struct bytes a, struct bytes b);

#endif
