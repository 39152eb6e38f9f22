/* SPDX-License-Identifier: MIT
 *
 * What a script would do, told from its syntax trees; nothing is expanded or executed.
 *
 *   analyze.c           the tree of commands
 *   analyze_word.c      words: what of them is known, commands inside them
 *   analyze_command.c   simple commands; commands that run others (env, xargs, find -exec, ...)
 *
 * It runs in a shell that is thrown away afterwards (a fork of the session), so functions of the
 * script are defined in it, and its options changed, as they come.
 */
#ifndef INTERP_ANALYZE_H
#define INTERP_ANALYZE_H

#include "interp/exec.h"
#include "interp/interp.h"

/* eval in eval, sh -c in sh -c, ...; env xargs nice ... */
enum { ANALYZE_TEXTS_MAX = 16, ANALYZE_CALLS_MAX = 16 };

struct analysis {
	struct shell *sh;
	int (*each)(void *user, const struct interp_finding *finding);
	void *user;
	int stop;       /* what `each` returned, once that was not 0 */
	bool preparing; /* first pass: only names of functions, and options of the parser */
	int depth;
	int conditional;
	int texts;
	int calls;
	const char *within;
};

/* What must be put back after going down. */
struct analyze_place {
	int depth;
	int conditional;
	const char *within;
};

/* Tells a finding, with the place added. */
void analyze_tell(struct analysis *a, struct interp_finding *f, int line);
/* Goes one level down; within NULL: as above. */
struct analyze_place analyze_enter(struct analysis *a, const char *within);
void analyze_leave(struct analysis *a, struct analyze_place place);

/* Text that is a script: parsed and walked; at most ANALYZE_TEXTS_MAX levels of it. */
void analyze_script(struct analysis *a, struct bytes text, int line, const char *within);
/* Text that will be a script, but is not known. */
void analyze_unknown_script(struct analysis *a, const struct interp_word *w, int line);
void analyze_node(struct analysis *a, const struct node *n);
void analyze_redirs(struct analysis *a, const struct node *n);

/* --- analyze_word.c --- */

/* What is known of a word; a variable's value is no pattern, and always one word. */
struct interp_word analyze_word(struct analysis *a, const struct word *w, bool value);
/* The commands in its substitutions. NULL is allowed. */
void analyze_inside(struct analysis *a, const struct word *w);
void analyze_inside_arith(struct analysis *a, const struct arith_text *t);

/* --- analyze_command.c --- */

void analyze_simple(struct analysis *a, const struct simple *s);

#endif
