/* SPDX-License-Identifier: MIT
 *
 * Names of signals as kill and killall of programs list and read them.
 */
#ifndef BUILTINS_SIGNALS_H
#define BUILTINS_SIGNALS_H

#include "builtins/builtin.h"

/* All names in two lines, as kill -l of procps. */
void signals_put_all(struct cmd *c);
/* The name as these tools write it ("POLL" for IO), or NULL. */
const char *signals_name(int sig);
/* "KILL", "SIGKILL", "9", also in small letters; -1. */
int signals_number(struct cmd *c, const char *text);

#endif
