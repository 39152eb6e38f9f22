/* SPDX-License-Identifier: MIT
 *
 * What the files of status share.
 */
#ifndef BUILTINS_GIT_STATUS_PRIVATE_H
#define BUILTINS_GIT_STATUS_PRIVATE_H

#include "builtins/git/status.h"

void status_put_long(struct status *s, struct buf *out);
void status_put_short(struct status *s, struct buf *out);
void status_put_v2(struct status *s, struct buf *out);
/* Which stages a path has: bit 0 for stage 1. */
unsigned status_stages(struct git *g, const char *path);
const char *status_unmerged_code(unsigned mask);
const char *status_color(struct status *s, const char *slot, const char *otherwise);

#endif
