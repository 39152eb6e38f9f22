/* SPDX-License-Identifier: MIT
 *
 * What the files of git bisect share: cmd_bisect.c has the subcommands, bisect_next.c what is known
 * and where to go next, bisect_search.c the middle of what is left.
 */
#ifndef BUILTINS_GIT_BISECT_H
#define BUILTINS_GIT_BISECT_H

#include "builtins/git/commit.h"

enum { BISECT_NOTHING_LEFT = 2, BISECT_BASE_IS_BAD = 3 };
enum { BISECT_FOUND = 10 }; /* inside: not a status of the command */

#define BISECT_SKIP_PREFIX "refs/bisect/skip-"

/* What the two states are called. */
struct bisect_terms {
	char *bad;
	char *good;
};

/* A commit that may be the first bad one. */
struct candidate {
	struct commit *c;
	struct commit **parent;
	uint32_t nparents;
	size_t reaches; /* candidates that it contains, itself among them */
	bool counted;   /* that number is known */
	bool skipped;
	bool same; /* nothing changes in the paths: never tested */
};

struct bisect_search {
	struct git *g;
	struct candidate *at; /* oldest first */
	size_t n;
	size_t all; /* that may be tested */
	bool first_parent;
	struct lookup *index;
	struct candidate **ranked; /* best first: only where some were skipped */
};

/* bisect_search.c: everything that the bad commit contains and no good one does. */
void bisect_load(struct bisect_search *s, struct commit *bad, struct ref *good, size_t ngood);
/* The one that halves best; NULL: all were skipped. *reaches is that of the best one even if it
 * was skipped. */
struct candidate *bisect_choose(struct bisect_search *s, size_t *reaches);
int bisect_steps_left(size_t all);
/* The paths behind "--" when bisecting began, as words. */
void bisect_paths(struct git *g, struct names *out);

/* bisect_next.c. False: nobody has said yet; then they are bad and good. */
bool bisect_read_terms(struct git *g, struct bisect_terms *t);
char *bisect_bad_ref(struct git *g, const struct bisect_terms *t);
char *bisect_good_prefix(struct git *g, const struct bisect_terms *t);
void bisect_log(struct git *g, const char *line);
/* Ends the command if it is none. */
struct commit *bisect_commit(struct git *g, const char *text);
/* Notes that o is what the term says; shown as the log is to have it, or NULL. */
void bisect_mark(struct git *g, const struct bisect_terms *t, const char *term, const struct oid *o,
		 const char *shown);
/* Makes the commit the one to test. */
int bisect_go_to(struct git *g, const struct oid *o);
int bisect_checkout(struct git *g, const char *target, bool quiet);
/* Goes to the next commit: 0, BISECT_FOUND, or a status. asked: by `git bisect next`, which may go
 * on with a bad commit alone. */
int bisect_next(struct git *g, bool asked);
/* Only the first line of a text. */
char *bisect_first_line(char *text);

#endif
