/* SPDX-License-Identifier: MIT
 *
 * What the attribute diff=NAME says of a file: how lines that name functions look, what a word is,
 * which programs show it.
 *
 *   userdiff.c       drivers from configuration, lines that name functions
 *   diff_external.c  files for programs; textconv and external programs
 */
#ifndef BUILTINS_GIT_USERDIFF_H
#define BUILTINS_GIT_USERDIFF_H

#include "builtins/git/diff.h"

struct function_rule {
	struct regex *re;
	bool negated;
};

struct userdiff {
	int binary; /* 1, 0, -1: as the content looks */
	struct function_rule *rule;
	size_t nrules;     /* 0: lines name functions as usual */
	const char *words; /* a pattern, or NULL */
	const char *textconv;
	const char *command; /* only where the attribute names a driver */
};

/* The driver of a path; never NULL. */
const struct userdiff *userdiff_of(struct git *g, const char *path);
/* The program that the attribute names for the path; NULL: none. */
const char *userdiff_command(struct git *g, const char *path);
/* Of two files that are compared, the driver that knows functions. */
const struct userdiff *userdiff_names(struct git *g, const struct diff_pair *p);
/* What makes a word in them, or NULL. */
const char *userdiff_words(struct git *g, const struct diff_pair *p);
/* Whether a line names a function. *shown, if wanted: what hunk headers have of it. */
bool userdiff_function(struct git *g, const struct userdiff *u, struct bytes line,
		       struct bytes *shown);

/* Whether patches show what a program makes of the file. */
bool diff_has_textconv(struct git *g, const struct diff_opts *o, const struct diff_file *f);
/* What the program makes of a blob, or of a file of the work tree (o NULL). False: the path has
 * no such program. Ends the command if the program fails. */
bool userdiff_textconv(struct git *g, struct arena *a, const char *path, uint32_t mode,
		       const struct oid *o, struct bytes data, struct bytes *out);
/* A copy of the file with its text as the program shows it; ends the command if that fails. */
struct diff_file *diff_textconv(struct git *g, struct diff_file *f);
/* The program that shows the pair in git's place; NULL: none does. */
const char *diff_external_of(struct git *g, const struct diff_opts *o, const struct diff_pair *p);
/* Runs it: number of so many pairs, with what the header says of a rename. */
void diff_run_external(struct git *g, const char *program, struct diff_pair *p, size_t number,
		       size_t total, const char *header);

#endif
