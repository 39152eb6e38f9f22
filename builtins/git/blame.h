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
		long_names, root, blank_boundary, incremental, first_parent, annotate, no_textconv,
		reverse, stats, color_lines, color_age;
	const char *grafts, *contents;
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
	bool read; /* it was compared */
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
	struct {
		size_t blobs, patches, commits;
	} stat;
	struct lookup *children; /* --reverse: struct child by commit */
	const char *start_name;  /* then: where it begins, as given */
	struct blame_ages *ages;
	struct lookup *seen;  /* commits that were told of: porcelain */
	struct lookup *paths; /* of each commit the path, or "" if there are several */
};

/* A version of the file as it is compared. */
bool blame_read(struct blaming *b, const char *path, const struct oid *o, struct bytes *text);
/* The file in commit p, where it may have another name than in s's. */
bool blame_find(struct blaming *b, struct commit *p, struct commit *child, const char *path,
		const char **name, struct bytes *text);
/* Where lines of a commit may come from: its parents, or with --reverse where they go. */
uint32_t blame_sources(struct blaming *b, struct commit *c, struct commit ***out);
bool blame_is_boundary(const struct blaming *b, const struct commit *c);
void blame_ask(struct blaming *b, struct suspect *s, size_t line, size_t final);
/* The one for this version of the file. */
struct suspect *blame_suspect(struct blaming *b, struct commit *c, const char *path,
			      struct bytes text);
int blame_compare_final(const void *a, const void *b);
int blame_compare_asked(const void *a, const void *b);
/* blame_move.c: -M and -C: lines that s has left are asked of other places in its parents. */
void blame_move_on(struct blaming *b, struct suspect *s);

/* --- blame_show.c --- */

/* Whether line i + 1 belongs to the same group as line i. */
bool blame_continues(const struct blaming *b, size_t i);
/* --incremental: what this suspect is found to be the origin of, piece by piece. */
void blame_put_found(struct blaming *b, struct suspect *s);
void blame_put_porcelain(struct blaming *b);
void blame_put_plain(struct blaming *b);

/* When the line's author wrote it. */
int64_t blame_time(struct blaming *b, const struct verdict *v);

/* --- blame_options.c --- */

/* -S: parents of commits, from a file. */
void blame_graft(struct blaming *b);
/* --reverse: the commit where it begins, of operands "A..B" or "A"; what is in between knows its
 * children. */
struct commit *blame_reverse_start(struct blaming *b, const char *name);
uint32_t blame_children(struct blaming *b, struct commit *c, struct commit ***out);
/* --color-lines, --color-by-age as configured. */
void blame_set_colors(struct blaming *b);
/* The escape in front of line i, or "". */
const char *blame_color(struct blaming *b, size_t i);

#endif
