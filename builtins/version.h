/* SPDX-License-Identifier: MIT
 *
 * The order of version numbers in names, as sort -V and ls -v have it.
 */
#ifndef BUILTINS_VERSION_H
#define BUILTINS_VERSION_H

#include "builtins/builtin.h"

/* "a2" before "a10"; 0 also for some names that differ ("a01", "a1"). */
int version_cmp(struct bytes a, struct bytes b);

#endif
