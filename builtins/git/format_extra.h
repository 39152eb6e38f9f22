/* SPDX-License-Identifier: MIT
 *
 * What format-patch says about the place of a series: --base, --interdiff,
 * --ignore-if-in-upstream.
 */
#ifndef BUILTINS_GIT_FORMAT_EXTRA_H
#define BUILTINS_GIT_FORMAT_EXTRA_H

#include "builtins/git/walk.h"

/* The lines of --base=GIVEN ("auto": of the upstream) for a list, oldest first. quiet: where there
 * is no such commit nothing is said. */
void format_base(struct git *g, const char *given, bool quiet, const struct commits *list,
		 struct buf *out);
/* Leaves out of the list what the other side of the range has, too. */
void format_drop_upstream(struct git *g, const struct revs *r, struct commits *list);
/* The difference between the last series and this one. indent: in front of its lines. */
void format_interdiff(struct git *g, const struct oid *before, struct commit *tip,
		      const struct diff_opts *opts, const char *indent, struct buf *out);

/* cmd_patch_id.c: what `git patch-id --stable` says of a patch; false: it is none. */
bool patch_id_of(struct git *g, struct bytes patch, struct oid *out);

#endif
