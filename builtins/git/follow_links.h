/* SPDX-License-Identifier: MIT
 *
 * cat-file --follow-symlinks.
 */
#ifndef BUILTINS_GIT_FOLLOW_LINKS_H
#define BUILTINS_GIT_FOLLOW_LINKS_H

#include "builtins/git/git.h"

enum followed_to {
	FOLLOWED_ON, /* not yet at the end */
	FOLLOWED_FOUND,
	FOLLOWED_NONE,
	FOLLOWED_DANGLING, /* a link names what is not there */
	FOLLOWED_LOOP,
	FOLLOWED_NOT_DIR,
	FOLLOWED_OUTSIDE, /* a link leads out of the tree: *outside, as seen from its top */
};

/* "TREE:PATH", or another name as it is. */
enum followed_to follow_links(struct git *g, const char *name, struct oid *out,
			      const char **outside);

#endif
