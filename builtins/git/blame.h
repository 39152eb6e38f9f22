/* SPDX-License-Identifier: MIT
 *
 * What the parts of git blame share: lines that are alike though they changed.
 */
#ifndef BUILTINS_GIT_BLAME_H
#define BUILTINS_GIT_BLAME_H

#include "builtins/git/walk.h"

/* A line as the pairs of neighbouring characters in it, blanks and case aside. */
struct line_print {
	struct line_pair *at; /* sorted */
	size_t n;
};
struct line_prints {
	struct line_print *line;
	size_t n;
};
void blame_prints(struct git *g, struct arena *a, struct bytes text, struct line_prints *out);
/* The line of the parent that each line of a change comes from, as well as it can be told, or
 * SIZE_MAX: match[i] is of the change's i-th line. What is used up leaves the parent's prints. */
void blame_guess(struct git *g, struct line_prints *parent, const struct line_prints *child,
		 const struct lines_change *change, size_t *match);

/* --- cmd_blame.c --- */

struct blame_opts {
	bool porcelain, line_porcelain, suppress, show_name, show_number, show_mail, raw_time,
		long_names, root, blank_boundary, incremental, first_parent, annotate, no_textconv;
	struct names ranges, ignore_revs, ignore_files;
	int abbrev;
	const char *date, *since;
	unsigned lines;
	size_t move_score, copy_score; /* 0: not wanted */
	int copies;                    /* 1: files that changed, too; 2, 3: all files */
};

/* A line that is asked for: its number in a version of the file, and in the result. */
struct asked {
	size_t line;
	size_t final;
};

/* A version of the file with lines of the result that it may be the origin of. */
struct suspect {
	struct commit *c; /* NULL: the work tree */
	const char *path;
	struct bytes text;
	struct asked *at;
	size_t n, cap;
	struct suspect *next;
};

enum line_mark {
	MARK_IGNORED = 1,    /* it went through a commit that is ignored */
	MARK_UNBLAMABLE = 2, /* such a commit has it and nothing before is like it */
	MARK_START = 4,      /* it was parted from the line in front */
};

struct verdict {
	struct commit *c;
	const char *path;
	size_t line;
	bool known;
	unsigned mark;
};

struct blaming {
	struct git *g;
	struct blame_opts o;
	struct suspect *todo;
	struct suspect **todo_end;
	struct lookup *ignored; /* commits */
	int64_t since;          /* what is older is not looked behind */
	bool mark_ignored, mark_unblamable;
	struct verdict *verdict;
	struct bytes *line;
	size_t n;
	bool *wanted;    /* of each line: -L */
	size_t from, to; /* of the first and behind the last that is wanted */
	const char *path;
	struct date_style style;
	struct lookup *seen;  /* commits that were told of: porcelain */
	struct lookup *paths; /* of each commit the path, or "" if there are several */
};

/* A version of the file as it is compared. */
bool blame_read(struct blaming *b, const char *path, const struct oid *o, struct bytes *text);
void blame_ask(struct blaming *b, struct suspect *s, size_t line, size_t final);
/* The one for this version of the file. */
struct suspect *blame_suspect(struct blaming *b, struct commit *c, const char *path,
			      struct bytes text);
int blame_compare_final(const void *a, const void *b);
int blame_compare_asked(const void *a, const void *b);
/* blame_move.c: -M and -C: lines that s has left are asked of other places in its parents. */
void blame_move_on(struct blaming *b, struct suspect *s);

#endif
