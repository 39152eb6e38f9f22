/* SPDX-License-Identifier: MIT
 *
 * The line of uptime, which w and top show too.
 */
#ifndef BUILTINS_UPTIME_H
#define BUILTINS_UPTIME_H

#include "builtins/builtin.h"

/* " 02:31:17 up  3:40,  0 user,  load average: 0.00, 0.00, 0.00", without a newline;
 * appended. */
void uptime_line(struct cmd *c, struct buf *text);

#endif
