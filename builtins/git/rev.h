/* SPDX-License-Identifier: MIT
 *
 * What the files that read revision expressions share.
 */
#ifndef BUILTINS_GIT_REV_H
#define BUILTINS_GIT_REV_H

#include "builtins/git/git.h"

/* rev.c: want is what an ambiguous short name is meant to be. */
int rev_parse_as(struct git *g, const char *text, enum object_type want, struct oid *out,
		 struct rev_context *cx);
/* The date of a log's first entry, for a warning. */
const char *rev_log_start(struct git *g, const struct reflog_entry *e);

/* rev_find.c: the youngest commit whose message matches, from `from` or any reference. */
bool rev_find_text(struct git *g, const char *pattern, const struct oid *from, struct oid *out);
/* rev_parseopt.c: git rev-parse --parseopt. */
int rev_parseopt(struct git *g, struct args *args);
void rev_put_candidate(struct git *g, struct buf *out, const struct oid *o, enum object_type type);

#endif
