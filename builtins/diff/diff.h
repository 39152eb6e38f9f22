/* SPDX-License-Identifier: MIT
 *
 * diff: two files (or trees) line by line.
 *
 *   diff.c      options, operands
 *   tree.c      directories, files that are not text, what is said of a pair
 *   lines.c     files into lines, lines into classes: equal lines (whatever is to be ignored)
 *               have equal numbers
 *   compare.c   which lines change: Myers' algorithm in linear space, GNU's heuristics
 *   hunk.c      the list of changes, hunks, which of them do not count
 *   normal.c    plain, ed and RCS output       context.c  context and unified output
 *   side.c      side by side               format.c   merged, by formats
 *   palette.c  colours
 *   diff3.c     diff3: two lists of changes as one        sdiff.c    sdiff: what to keep is asked
 *
 *   text ──lines──> class[] ──compare──> changed[] ──hunk──> struct change[] ──> output
 */
#ifndef BUILTINS_DIFF_DIFF_H
#define BUILTINS_DIFF_DIFF_H

#include "base/regex.h"
#include "builtins/builtin.h"

enum diff_style {
	DIFF_NO_STYLE,
	DIFF_NORMAL,
	DIFF_CONTEXT,
	DIFF_UNIFIED,
	DIFF_ED,
	DIFF_FORWARD_ED,
	DIFF_RCS,
	DIFF_SIDE,
	DIFF_FORMAT, /* -D, --*-format */
};

/* What formats are for: groups of lines; all but the last also for lines. */
enum diff_group { DIFF_OLD, DIFF_NEW, DIFF_UNCHANGED, DIFF_CHANGED, DIFF_ALL_LINES };

/* Each ignores what those before it do, but for the pair in the middle, which can be joined. */
enum diff_space {
	DIFF_SPACE_EXACT = 0,
	DIFF_SPACE_TABS = 1,     /* -E */
	DIFF_SPACE_TRAILING = 2, /* -Z */
	DIFF_SPACE_CHANGE = 4,   /* -b */
	DIFF_SPACE_ALL = 5,      /* -w */
};

/* What has a colour of its own. */
enum diff_part {
	DIFF_RESET,
	DIFF_HEADING,
	DIFF_ADDED,
	DIFF_DELETED,
	DIFF_NUMBERS,
	DIFF_PARTS,
	DIFF_NO_PART = -1,
};

struct diff_opts {
	int style;
	size_t context;
	bool explicit_context; /* -U N, -C N */
	bool has_old_context;  /* -N */
	size_t old_context;
	int space;
	bool fold;
	bool blank_lines; /* -B */
	bool brief;
	bool same; /* -s */
	bool text;
	bool strip_cr;
	bool recursive;
	bool new_file;
	bool new_first; /* --unidirectional-new-file */
	bool no_dereference;
	bool fold_names; /* --ignore-file-name-case */
	bool minimal;
	bool expand;         /* -t */
	bool initial_tab;    /* -T */
	bool suppress_blank; /* --suppress-blank-empty */
	bool left_column;
	bool suppress_common;
	bool color;
	bool paginate;      /* -l */
	struct output late; /* with -l: what is said of whole files, held until the end */
	const char *palette_text;
	struct bytes palette[DIFF_PARTS]; /* ready after diff_prepare_colors */
	bool has_tab_size;
	bool has_width;
	uint64_t tab_size;
	uint64_t width;
	uint64_t horizon;
	const char *start_file; /* -S */
	const char *from_file;
	const char *to_file;
	const char *label[2];
	const char *line_format[3];
	const char *group_format[4];
	struct regex *function; /* -F, -p */
	struct buf ignore;      /* -I patterns, joined */
	struct regex *ignore_lines;
	struct buf function_text;
	const char **exclude; /* -x, -X */
	size_t nexclude;
	struct glob **exclude_glob;
	const char *switches; /* for "diff -r a/x b/x" */
};

/* One of the two files. Lines are counted from 0. */
struct diff_file {
	const char *name; /* as given, or below a directory */
	bool absent;
	struct vfs_stat st;
	struct bytes all;
	struct bytes *line; /* without newline */
	size_t n;
	bool unended; /* the last line has no newline */
	size_t from;  /* lines [from, to) are compared; the others are equal */
	size_t to;
	uint32_t *class; /* of line from + i */
	char *changed;   /* of line i; with a 0 in front and behind */
};

struct diff_change {
	size_t line[2];  /* where, in each file */
	size_t count[2]; /* lines deleted, inserted */
	bool ignored;
};

struct diff {
	struct cmd *c;
	const struct diff_opts *o;
	struct diff_file file[2];
	struct diff_change *change;
	size_t nchanges;
	size_t function_seen; /* lines of file 0 searched for a function */
	size_t function_line; /* the last one found plus 1; 0: none */
};

/* --- lines.c --- */
void diff_split(struct diff *d, int which);
/* Finds what is to be compared and the classes of its lines. */
void diff_classify(struct diff *d);

/* --- compare.c: fills changed[] --- */
void diff_compare(struct diff *d);

/* --- hunk.c --- */
void diff_list_changes(struct diff *d);
/* All of the above: the changes of two files of which `all` is set. */
void diff_find_changes(struct diff *d);
/* Whether any change counts (-B, -I). */
bool diff_matters(const struct diff *d);
/* The changes from i on that are shown together: returns the index behind them. */
size_t diff_hunk_end(const struct diff *d, size_t i, size_t context);
/* Whether all changes [i, end) are to be ignored. */
bool diff_hunk_ignored(const struct diff *d, size_t i, size_t end);
/* The text of the last function line before line n of file 0; ptr NULL: none. */
struct bytes diff_function(struct diff *d, size_t n);

/* --- output --- */
void diff_put_normal(struct diff *d);
/* ed (backwards), forward ed and RCS. */
void diff_put_script(struct diff *d);
/* A name in a heading: in quotes if others could misread it. */
const char *diff_quote(struct cmd *c, const char *name);
void diff_put_context(struct diff *d);
void diff_put_unified(struct diff *d);
void diff_put_side(struct diff *d);
void diff_put_format(struct diff *d);

/* Side by side in pieces: lines that both have up to these, and changes (with those before). */
struct diff_side {
	struct diff *d;
	size_t half;    /* columns of each text */
	size_t second;  /* where the right one begins */
	size_t next[2]; /* lines written */
};
void diff_side_begin(struct diff_side *s, struct diff *d);
void diff_side_common(struct diff_side *s, size_t left, size_t right);
void diff_side_change(struct diff_side *s, const struct diff_change *change);

/* Options of formats, what they leave out, and whether equal files show anything. */
opt_fn diff_set_line_format;
opt_fn diff_set_group_format;
opt_fn diff_set_ifdef;
void diff_complete_formats(struct cmd *c, struct diff_opts *o);
bool diff_formats_show_same(const struct diff_opts *o);
/* A line behind `flag` (NULL: none) as options want it, "\ No newline" behind if it has none. */
void diff_put_line(struct diff *d, int which, size_t n, const char *flag);
/* "3" or "3,5": lines counted from 1; an empty range is the line before. */
void diff_put_range(struct diff *d, size_t from, size_t count);

/* --- palette.c --- */
/* Before the first output; says what is wrong with --palette, and then there are no colours. */
void diff_prepare_colors(struct cmd *c, struct diff_opts *o);
/* ESC [ code m, if colours are wanted. */
void diff_color(struct diff *d, enum diff_part part);

/* --- tree.c --- */
bool diff_looks_binary(struct bytes s);
/* Compares two operands: 0 the same, 1 different, 2 trouble. */
int diff_operands(struct cmd *c, const struct diff_opts *o, const char *a, const char *b);

#endif
