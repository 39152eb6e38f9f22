/* SPDX-License-Identifier: MIT
 *
 * The options of less, which zless and its like have too. None has a field.
 */
#ifndef BUILTINS_LESS_H
#define BUILTINS_LESS_H

#include "builtins/builtin.h"

extern const struct opt less_options[];
/* "+G", "+/pattern", "+10": where to begin. No effect. */
int less_legacy(struct cmd *c, int argc, char **argv, int i);

#endif
