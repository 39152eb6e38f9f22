/* SPDX-License-Identifier: MIT
 *
 * The time zone of a command: TZ, or UTC.
 */
#ifndef BUILTINS_ZONE_H
#define BUILTINS_ZONE_H

#include "base/time.h"
#include "builtins/builtin.h"

/* From TZ (a rule, or a name below /usr/share/zoneinfo), else /etc/localtime, else UTC. */
struct zone *zone_of_command(struct cmd *c);
/* The same for a given value of TZ. */
struct zone *zone_of_name(struct cmd *c, const char *name);

#endif
