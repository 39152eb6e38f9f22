/* SPDX-License-Identifier: MIT
 *
 * git grep in two parts: cmd_grep.c has options, expressions and what is searched; grep_show.c
 * searches one text and writes what it finds.
 */
#ifndef BUILTINS_GIT_GREP_H
#define BUILTINS_GIT_GREP_H

#include "builtins/git/userdiff.h"
#include "builtins/git/walk.h"

/* Files that are binary: as text, or not at all; else whether they match is told. */
enum grep_binary { GREP_TEXT = 1, GREP_NO_BINARY };

struct grep_opts {
	bool has_depth; /* --max-depth */
	size_t depth;
	bool cached, invert, icase, word, number, no_name, names, without, count, only, quiet,
		null_names, full, break_, heading, untracked, all_match, textconv, function,
		whole_function, column;
	int kind; /* enum grep_kind */
	int before, after, max_count;
	int binary; /* enum grep_binary */
	bool no_index;
	int standard; /* --exclude-standard: 1, 0, -1: not said */
	int color;    /* 1, 0, -1: as configured */
	struct names patterns;
	struct names expression; /* "p" and a pattern, or & | ! ( ) */
	bool is_expression;
};

/* A part of an expression. */
struct grep_node {
	char kind; /* p & | ! */
	struct regex *re;
	struct grep_node *a, *b;
};

struct grepping {
	struct git *g;
	struct grep_opts o;
	struct regex *re;       /* all patterns at once */
	struct grep_node *tree; /* of an expression; NULL: the patterns alone */
	unsigned flags;
	size_t at; /* of the expression, while it is read */
	bool any;
	bool printed; /* of some text before */
	bool use_color;
	const char *match_color;
};

/* Searches text, which is called name; u is its driver. */
void grep_text(struct grepping *w, const char *name, struct bytes text, const struct userdiff *u);

#endif
