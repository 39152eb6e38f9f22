/* SPDX-License-Identifier: MIT
 *
 * What fetch, pull and remote share: one remote fetched.
 */
#ifndef BUILTINS_GIT_FETCH_H
#define BUILTINS_GIT_FETCH_H

#include "builtins/git/transport.h"

struct fetch_opts {
	bool all, append, force, keep, prune, prune_given, quiet, dry_run, update_head, unshallow,
		set_upstream, multiple, progress;
	bool no_write, atomic;
	int verbose;
	int tags; /* 0 those of what is fetched, 1 all, -1 none */
	int depth;
	const char *upload;
	const char *jobs;
};

/* specs: as given on the command line. 0, or 1: something was refused. */
int fetch_remote(struct git *g, const struct fetch_opts *o, const char *name, char **specs, int n,
		 const char *action);

#endif
