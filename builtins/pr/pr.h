/* SPDX-License-Identifier: MIT
 *
 * pr: text in pages and columns.
 *
 *   pr.c      options: what the page looks like
 *   cell.c    one line of a file as it stands in a column: tabs expanded, numbered, cut
 *   page.c    cells side by side: rows, headings, blank lines up to the next page
 *   sheet.c   the position on paper: blanks that wait, to become tabs
 *
 *   file ──cell──> struct pr_cell ──page──> rows ──sheet──> output
 *
 * Columns are filled down (the default: a page of one file is read, then shared out), across
 * (-a: one file, cell after cell), or in parallel (-m: a file each). A form feed ends the page of
 * its file: the file is held until the others have ended theirs.
 */
#ifndef BUILTINS_PR_PR_H
#define BUILTINS_PR_PR_H

#include "base/time.h"
#include "builtins/builtin.h"

enum { PR_MARGIN_ROWS = 5 }; /* above and below the text of a page */

enum pr_omit { PR_OMIT_NOTHING, PR_OMIT_HEADINGS, PR_OMIT_PAGES };

enum pr_fill { PR_DOWN, PR_ACROSS, PR_PARALLEL };

/* A character and a number: of -e, -i and -n. */
struct pr_tab {
	bool on;
	char ch;
	int64_t n;
};

struct pr_opts {
	bool across;
	bool parallel;
	bool control; /* -c */
	bool octal;   /* -v */
	bool double_space;
	bool form_feed;
	bool join;
	int omit;
	bool quiet; /* -r */
	const char *date_format;
	const char *header; /* NULL: the file's name */
	struct pr_tab in;
	struct pr_tab out;
	struct pr_tab number;
	bool has_start;
	int64_t start; /* -N */
	int64_t length;
	int64_t width;
	int64_t margin;
	int64_t columns; /* 0: not given */
	uint64_t first;  /* page; 0: not given */
	uint64_t last;
	/* How -s, -S, -w and -W were given; they depend on each other. */
	bool old_separator;
	bool use_separator;
	bool old_width;
	bool cut; /* lines end at the edge of their column */
	struct bytes separator;
	struct buf digits; /* of -COLUMN */
};

/* A file as columns read it. */
struct pr_source {
	struct input in;
	const char *name;
	bool ended;
	bool held; /* until the next page */
	int64_t mtime_ns;
};

enum pr_kind {
	PR_LINE,
	PR_TOO_WIDE, /* a line whose first character does not fit: nothing is shown of it */
	PR_FEED,     /* a form feed instead of a line */
	PR_END,
};

struct pr_cell {
	enum pr_kind kind;
	struct buf text;
	size_t number_len; /* of its number, at the beginning */
	int64_t columns;   /* it takes; backspaces move back */
};

struct pr_column {
	struct pr_source *source;
	int64_t start; /* where its text begins, the separator included; 0: anywhere */
	bool numbered;
	bool page_full; /* a form feed that follows only says so */
	int64_t lines;  /* left to print on this page */
	size_t next;    /* of pr.stored */
};

/* Where the pen is. */
struct pr_sheet {
	int64_t position;
	int64_t blanks;     /* that wait to become tabs */
	int64_t separators; /* that wait for a cell */
};

struct pr {
	struct cmd *c;
	const struct pr_opts *o;
	enum pr_fill fill;
	bool balanced; /* down in more than one column: pages are stored */
	bool headings;
	bool keep_feeds;
	bool saw_feed; /* one is to be written behind this page */
	bool expand;   /* tabs of the input */
	bool tabify;
	struct pr_tab tab_in;
	struct pr_tab tab_out;
	bool join;
	bool cut;
	bool use_separator;
	struct bytes separator;
	int64_t body; /* rows of a page */
	int64_t number_width;
	int64_t column_width;
	int64_t number; /* of the next line */
	uint64_t page;
	bool heading_due;
	struct buf date;
	const char *title;
	size_t columns;
	struct pr_column *column;
	struct pr_source *source;
	size_t nsources;
	struct pr_cell *stored; /* of this page */
	size_t nstored;
	bool feed_only; /* the stored page is nothing but a form feed */
	struct pr_sheet sheet;
	struct arena cells; /* of this row or page */
};

/* --- cell.c --- */
/* Reads the next line of a column's file; the cell's text lies in p->cells. */
void pr_read_cell(struct pr *p, struct pr_column *column, struct pr_cell *out);
/* Appends the number of a line. */
void pr_put_number(struct pr *p, struct buf *out);
/* Passes over a line. last: it is the last of its page. */
void pr_skip_cell(struct pr *p, struct pr_column *column, bool last, bool counted);

/* --- sheet.c --- */
void pr_sheet_new_row(struct pr *p);
void pr_sheet_text(struct pr *p, struct bytes text);
void pr_sheet_move(struct pr *p, int64_t position);
void pr_sheet_flush(struct pr *p);
void pr_sheet_separators(struct pr *p);

/* --- page.c --- */
/* Writes the files of p->source (several: -m), all pages. */
void pr_print(struct pr *p);

#endif
