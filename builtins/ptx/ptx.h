/* SPDX-License-Identifier: MIT
 *
 * ptx - a permuted index: every word of the input with what stands around it. ptx.c has the
 * options, move.c patterns and steps in a text, words.c lists of words, find.c keywords, fit.c
 * cuts them to a line's width, write.c writes lines.
 *
 * All inputs are read whole. Each keyword becomes an occurrence that points into its text, with
 * the context (a sentence or a line) it stands in; they are sorted, and each is cut to the width
 * of a line when it is written:
 *
 *   tail   before | keyafter   head      (tail: what follows keyafter; head: what precedes before)
 *
 * Widths may become negative, then nothing fits.
 */
#ifndef BUILTINS_PTX_H
#define BUILTINS_PTX_H

#include "base/regex.h"
#include "builtins/builtin.h"

enum ptx_format { FORMAT_NONE, FORMAT_DUMB, FORMAT_ROFF, FORMAT_TEX };

/* Widths beyond it are cut to it, so that sums of them do not overflow. */
#define PTX_WIDTH_MOST (INT64_MAX / 8)

struct ptx_opts {
	bool auto_reference;
	bool traditional;
	bool right_reference;
	bool input_reference;
	bool fold;
	int format; /* enum ptx_format */
	int64_t width;
	int64_t gap;
	const char *truncation;
	const char *macro;
	const char *sentence;
	const char *word;
	const char *break_file;
	const char *ignore_file;
	const char *only_file;
};

/* A pattern, and the same for a match at the beginning only. */
struct ptx_matcher {
	const char *text; /* as given; NULL: none */
	struct regex *re;
	struct regex *here;
};

struct ptx_text {
	const char *name; /* "" for standard input */
	struct bytes all;
	size_t lines; /* newlines passed before the last keyword */
};

struct ptx_occurrence {
	struct bytes key;
	const char *left; /* the context's ends */
	const char *right;
	const char *reference; /* where the line's begins (-r) */
	size_t line;           /* from 0 */
	const struct ptx_text *text;
};

/* Lists of words are occurrences of which only the key is set. */
struct ptx_words {
	struct ptx_occurrence **list;
	size_t n;
	size_t cap;
};

struct ptx {
	struct cmd *c;
	const struct ptx_opts *o;
	struct ptx_matcher sentence;
	struct ptx_matcher word;
	bool in_word[256];
	bool edited[256]; /* not written as they are */
	struct ptx_words ignore;
	struct ptx_words only;
	struct ptx_words found;
	size_t longest; /* keyword */
	enum ptx_format format;
	bool references;
	struct bytes truncation;
	int64_t reference_width;
	int64_t half;
	int64_t before_width;
	int64_t keyafter_width;
	size_t work; /* bytes looked at, not yet charged */
};

/* Text [start, end). */
struct ptx_field {
	const char *start;
	const char *end;
	bool cut; /* the sign of truncation belongs to it */
};

struct ptx_line {
	struct ptx_field tail;
	struct ptx_field before;
	struct ptx_field keyafter;
	struct ptx_field head;
	struct ptx_field reference;
};

/* --- move.c --- */

/* -F, -S and -W know escapes; what is none keeps its backslash. In the arena. */
const char *ptx_unescape(struct cmd *c, const char *text);
void ptx_init_patterns(struct ptx *x);
/* The first match in [from, end), of which nothing else is seen. False: there is none. */
bool ptx_match(struct ptx *x, struct regex *re, const char *from, const char *end,
	       struct regex_span *out);
const char *ptx_skip_space(const char *at, const char *end);
const char *ptx_skip_nonspace(const char *at, const char *end);
/* Where the spaces begin that end at `at`. */
const char *ptx_skip_space_back(const char *at, const char *start);
/* Behind the word at `at`, or behind one byte that begins none. at < end. */
const char *ptx_skip_something(struct ptx *x, const char *at, const char *end);

/* --- words.c --- */

/* A new one at the end, all but its key is 0. */
struct ptx_occurrence *ptx_add_word(struct ptx *x, struct ptx_words *w, struct bytes key);
/* Equal words keep their order, which is that of the input. */
void ptx_sort_words(struct ptx *x, struct ptx_words *w);
/* Whether the sorted list has it. */
bool ptx_has_word(struct ptx *x, const struct ptx_words *w, struct bytes key);

/* --- find.c --- */

/* Adds the text's keywords to x->found. */
void ptx_find_occurrences(struct ptx *x, struct ptx_text *text);

/* --- fit.c --- */

/* When all keywords are known. */
void ptx_init_widths(struct ptx *x, const struct ptx_text *texts, size_t n);
/* What is shown of an occurrence; `made` holds a reference that stands in no text. */
void ptx_fit(struct ptx *x, const struct ptx_occurrence *one, struct ptx_line *l, struct buf *made);

/* --- write.c --- */

void ptx_put_occurrences(struct ptx *x);

#endif
