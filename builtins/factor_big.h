/* SPDX-License-Identifier: MIT
 *
 * The factors of numbers that 64 bits do not hold.
 */
#ifndef BUILTINS_FACTOR_BIG_H
#define BUILTINS_FACTOR_BIG_H

#include "builtins/builtin.h"

/* Writes "N: P P P" without an end of line; the digits are decimal. Charges steps for all it
 * does: what takes too long is ended by the session's limit. */
void factor_big(struct cmd *c, struct bytes digits);

#endif
