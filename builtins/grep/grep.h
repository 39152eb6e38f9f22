/* SPDX-License-Identifier: MIT
 *
 * What the parts of grep share: options, and the state of the file being searched.
 */
#ifndef BUILTINS_GREP_GREP_H
#define BUILTINS_GREP_GREP_H

#include "base/glob.h"
#include "base/regex.h"
#include "builtins/builtin.h"

enum grep_syntax { GREP_BASIC, GREP_EXTENDED, GREP_FIXED, GREP_PERL };
enum grep_binary { GREP_BINARY, GREP_TEXT, GREP_WITHOUT_MATCH };
enum grep_dirs { GREP_READ, GREP_RECURSE, GREP_SKIP };
enum grep_devices { GREP_DEV_DEFAULT, GREP_DEV_READ, GREP_DEV_SKIP };
enum grep_names { GREP_NAMES_DEFAULT, GREP_NAMES_ALWAYS, GREP_NAMES_NEVER };
enum grep_list { GREP_LIST_NONE, GREP_LIST_MATCHING, GREP_LIST_OTHERS };

/* --include, --exclude, --exclude-dir: the last that matches decides. */
struct grep_filter {
	struct grep_filter *next;
	struct glob *glob;
	bool include;
	bool dirs;
};

/* GREP_COLORS: SGR codes, "" for none. */
struct grep_colors {
	const char *match[2]; /* in selected lines, in context */
	const char *line[2];
	const char *name;
	const char *number;
	const char *offset;
	const char *separator;
	bool reverse;  /* rv: with -v lines change their colors */
	bool no_erase; /* ne: lines are not erased to their ends */
};

struct grep {
	struct cmd *c;
	/* options */
	int syntax;
	bool have_syntax;    /* by an option, or by the command's name */
	struct buf patterns; /* joined by newlines */
	bool have_patterns;
	bool patterns_given; /* by -f, though the file was empty */
	bool ignore_case;
	bool invert;
	bool whole_words;
	bool whole_lines;
	bool count;
	int color; /* enum color_when */
	int list;
	int64_t max; /* selected lines per file; -1: no bound */
	bool only_matching;
	bool quiet;
	bool no_messages;
	bool offsets;
	int names;
	const char *label;
	bool numbers;
	bool initial_tab;
	bool name_nul;
	bool null_data;
	int64_t before; /* lines of context; -1: not given */
	int64_t after;
	int64_t context;
	const char *separator; /* between groups of context; NULL: none */
	int binary;
	int directories;
	int devices;
	bool dereference;
	bool line_buffered;
	struct grep_filter *filters;
	struct grep_filter **filters_end;
	/* derived */
	struct regex *re;
	bool all_match; /* an empty pattern: every line matches */
	char eol;
	bool with_names;
	bool colored;
	bool color_lines; /* selected lines need their matches found */
	struct grep_colors colors;
	bool bare_count; /* only the number of selected lines is wanted */
	struct vfs_stat out_st;
	bool out_is_file;
	bool error;
	bool any_selected;
	/* the file being searched */
	const char *name;
	int number_width;
	uint64_t line; /* number of the line at `counted` */
	uint64_t base; /* offset in the file of the region's first byte */
	struct bytes region;
	size_t counted; /* lines before this place of the region are in `line` */
	size_t printed; /* context before this place was written already */
	int64_t selected;
	int64_t pending;    /* lines of trailing context still to be written */
	bool stop;          /* enough is known of this file */
	bool out_quiet;     /* nothing of lines is written */
	bool is_binary;     /* a NUL was seen */
	bool hidden;        /* a line was not written because it is not text */
	bool adjacent;      /* what was written of this file ends at `printed` */
	bool separates;     /* context was asked for, if only -A 0 */
	bool group_written; /* something with context was written: a separator may be due */
	size_t stop_at;     /* where the search stopped, in the region */
};

/* search.c: the lines of one open file. Returns 0 or -E_. */
int grep_search(struct grep *g, struct input *in);

/* colors.c: what GREP_COLORS and GREP_COLOR say. */
void grep_set_colors(struct grep *g);

/* print.c */
enum { GREP_SELECTED = ':', GREP_CONTEXT = '-' };
void grep_put_line(struct grep *g, size_t from, size_t to, char sep);
void grep_put_name(struct grep *g, const char *name, char end);
void grep_put_separator(struct grep *g);
/* Number of lines that end in the span. */
uint64_t grep_count_lines(struct bytes s, char eol);

#endif
