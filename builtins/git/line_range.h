/* SPDX-License-Identifier: MIT
 *
 * Ranges of lines as -L of blame and log takes them, and what a range became (log -L).
 */
#ifndef BUILTINS_GIT_LINE_RANGE_H
#define BUILTINS_GIT_LINE_RANGE_H

#include "builtins/git/walk.h"

/* Lines [from, to), the first is 0. */
struct line_range {
	size_t from;
	size_t to;
};

/* Where the range at the front of "START,END:FILE" ends. */
const char *line_range_skip(const char *text);
/* Reads "START,END" or ":FUNCTION". anchor: the line, from 1, from which patterns are searched.
 * name: of the file, for messages. Ends the command on errors. */
struct line_range line_range_read(struct git *g, const char *text, struct bytes file, size_t anchor,
				  const char *name);

/* log -L: files and ranges, as followed from commit to commit. */
struct line_log;
/* Of the commit c; specs: "START,END:FILE" each. */
struct line_log *line_log_new(struct git *g, const struct names *specs, struct commit *c);
/* Whether the commit changed something in its ranges; children come first. *out: the patch as it
 * is shown, in keep. */
bool line_log_step(struct line_log *log, struct commit *c, const struct diff_opts *o,
		   struct bytes *out);
/* When all steps are done: the commit's parents become those that are shown. */
void line_log_parents(struct line_log *log, struct commit *c);

#endif
