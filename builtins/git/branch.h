/* SPDX-License-Identifier: MIT
 *
 * Branches: the names people write for them, what they follow, their list.
 */
#ifndef BUILTINS_GIT_BRANCH_H
#define BUILTINS_GIT_BRANCH_H

#include "builtins/git/git.h"

/* When a new branch follows what it starts at. */
enum branch_track {
	TRACK_CONFIGURED, /* as branch.autosetupmerge says */
	TRACK_NEVER,
	TRACK_REMOTE, /* remote-tracking branches */
	TRACK_SIMPLE, /* those of the same name */
	TRACK_ALWAYS, /* local ones too */
	TRACK_EXPLICIT,
	TRACK_INHERIT, /* it follows what its start follows */
};

struct branch_opts {
	bool remotes, all, quiet, force, show_current, copy, list, unset_upstream, create_reflog,
		icase, edit_description;
	int verbose;
	int deletion; /* 1 -d, 2 -D */
	int rename;   /* 1 -m, 2 -M */
	int copying;  /* 1 -c, 2 -C */
	enum branch_track track;
	const char *set_upstream;
	const char *format;
	struct names contains, no_contains, merged, no_merged, points_at;
	struct names sort;
	int abbrev; /* 0: as usual */
};

/* branch_track.c */

/* What --track, --track=VALUE and --no-track say. Ends the command on another value. */
enum branch_track branch_track_option(struct git *g, const char *value, bool unset);
/* Settles TRACK_CONFIGURED. */
enum branch_track branch_track_settle(struct git *g, enum branch_track how);
/* Ends the command if the configuration says of new branches what it can not. */
void branch_check_config(struct git *g);
/* The branch that start names and a new one can follow, in full; NULL: none. Ends the command if
 * it was asked for. */
char *branch_track_start(struct git *g, const char *start, enum branch_track how);
/* Makes a branch follow another (full name), and says so unless quiet. */
void branch_track(struct git *g, const char *branch, const char *start, enum branch_track how,
		  bool quiet);
/* @{-1} and @{upstream} as names of branches below refs/PART/; other names as they are. */
const char *branch_name(struct git *g, const char *name, const char *part);

/* branch_list.c */

int branch_list(struct git *g, struct branch_opts *o, struct args *args);

#endif
