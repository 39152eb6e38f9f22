/* SPDX-License-Identifier: MIT
 *
 * Commits with their differences, as log, show and diff-tree write them.
 */
#ifndef BUILTINS_GIT_LOG_H
#define BUILTINS_GIT_LOG_H

#include "builtins/git/walk.h"

struct log_args {
	struct revs revs;
	struct pretty pretty;
	bool graph;
	bool show;         /* the command is show */
	bool merges_off;   /* no diffs of merges */
	bool merges_on;    /* as they are configured */
	int merges;        /* 0 none, 1 -m, 2 -c, 3 --cc, 4 first parent */
	bool merges_patch; /* of merges a patch is shown where no form is asked for */
	bool all_patch;    /* -c, --cc: of all commits */
	bool changed_only; /* commits without differences are not shown */
	bool parents;
	bool source;
	bool null_end; /* -z */
	bool children;
	struct names ranges; /* -L */
	struct names notes_refs;
	bool notes_default;      /* --notes beside --notes=REF */
	struct lookup *child_of; /* of --children */
	const char *date;
	bool full_diff;
	bool id_only; /* diff-tree: a commit is its name */
	bool no_id;   /* not even that */
	bool quiet;   /* no differences unless a form is asked for */
	/* while running */
	struct graph *graph_state;
	const struct oid *from_parent; /* -m: of which the differences are */
	bool any;                      /* a commit was shown */
	bool graph_line_begun;
	bool graph_commit_shown; /* its mark is in the graph */
	bool inside_line;        /* --line-prefix is in front of it */
	bool pretty_given;
	int notes; /* 1 --notes, -1 --no-notes */
	struct buf out;
	char end;
};

/* What is so before options are read. */
void log_init(struct git *g, struct log_args *l);
/* One option: how many arguments it took; 0: none of these. */
int log_option(struct git *g, void *opts, int argc, char **argv);
/* All options; one that there is not ends the command. */
void log_parse(struct git *g, struct log_args *l, struct args *args);
/* What follows from options and configuration. */
void log_settle(struct git *g, struct log_args *l);
/* Whether c has what -S, -G and the like look for. */
bool log_has_change(struct git *g, struct log_args *l, struct commit *c);
void log_one_commit(struct git *g, struct log_args *l, struct commit *c);
/* The walk. The exit status. */
int log_run(struct git *g, struct log_args *l);
/* -L: ranges of lines. */
int log_run_ranges(struct git *g, struct log_args *l);

#endif
