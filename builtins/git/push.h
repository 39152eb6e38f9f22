/* SPDX-License-Identifier: MIT
 *
 * What the files of push share: one reference that is pushed, and how that ended.
 */
#ifndef BUILTINS_GIT_PUSH_H
#define BUILTINS_GIT_PUSH_H

#include "builtins/git/transport.h"

enum push_state {
	PUSH_OK,
	PUSH_UP_TO_DATE,
	PUSH_NON_FORWARD,
	PUSH_FETCH_FIRST,
	PUSH_EXISTS,
	PUSH_NEEDS_FORCE,
	PUSH_STALE,
	PUSH_REMOTE, /* the other side does not want it: why says it */
};

struct push_ref {
	const char *src;   /* as shown; NULL: a deletion */
	const char *local; /* full name of what is pushed, or NULL */
	char *dst;         /* full */
	struct oid new_oid;
	struct oid old;
	bool has_old;
	bool force;
	bool forced; /* it was needed */
	enum push_state state;
	const char *why;
};

/* receive.c: the other side. Refuses what its configuration and hooks refuse; then the
 * references are set and the last hooks run. `to` is the repository pushed into. */
void receive_refs(struct git *g, struct git *to, struct push_ref *list, size_t n, bool atomic);

#endif
