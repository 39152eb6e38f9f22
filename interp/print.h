/* SPDX-License-Identifier: MIT
 *
 * Inside printing: commands are in print.c, their words in print_word.c.
 */
#ifndef INTERP_PRINT_H
#define INTERP_PRINT_H

#include "base/buf.h"
#include "interp/ast.h"

enum { PRINT_DEPTH_MAX = 150 };

struct print_doc {
	const struct redir *redir;
	struct print_doc *next;
};

struct printer {
	struct buf *out;
	int indent;
	int depth;
	bool in_function;
	bool posix;  /* functions inside are shown without "function" */
	bool source; /* $'...' as it was written: what is shown instead can't be read again in "..."
		      */
	bool pretty; /* --pretty-print: no ; in front of the body of a here-document */
	bool had_doc; /* a body was printed: the list shows no ; behind the command */
	bool number;  /* nodes get the number of their line in the text, from 0 */
	int lines;    /* so far, up to `counted` */
	size_t counted;
	struct print_doc *docs; /* bodies that wait for the end of their line */
	struct print_doc *last_doc;
};

void print_newline(struct printer *pr);
void print_node(struct printer *pr, const struct node *n);
/* Sets the lines of n and the nodes in it (not of inner substitutions) as they are in the text
 * of n, from 0; returns how many newlines that has. Uses out. */
int print_number(struct buf *out, const struct node *n);
/* What stands between $( and ). */
void print_sub_text(struct printer *pr, const struct node *n);

void print_word(struct printer *pr, const struct word *w);
/* A word that may be an assignment to declare. */
void print_argument(struct printer *pr, const struct word *w);
void print_assign(struct printer *pr, const struct assign *a);
void print_cond_command(struct printer *pr, const struct cond_node *n);

#endif
