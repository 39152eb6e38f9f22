/* SPDX-License-Identifier: MIT
 *
 * What terminals can do, for tput and clear.
 */
#ifndef BUILTINS_TPUT_H
#define BUILTINS_TPUT_H

#include "builtins/builtin.h"

bool terminal_is_known(const char *term);
/* The text of a capability with its parameters (numbers). False: it has it not. */
bool terminal_capability(const char *term, const char *name, int n, const int64_t *args,
			 struct buf *out);

#endif
