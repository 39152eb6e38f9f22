/* SPDX-License-Identifier: MIT
 *
 * What uuencode and uudecode share.
 */
#ifndef BUILTINS_UU_UU_H
#define BUILTINS_UU_UU_H

#include "builtins/builtin.h"

extern const char uu_base64[65];
/* "NAME fatal error:", a line, and the end with that status. */
_Noreturn void uu_fatal(struct cmd *c, int status, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
