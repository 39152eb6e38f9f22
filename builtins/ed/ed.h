/* SPDX-License-Identifier: MIT
 *
 * What the parts of ed share: the lines being edited, and the command being executed.
 *
 *   ed.c       options, reading commands, errors          lines.c    the buffer, undo, marks
 *   command.c  one command after its addresses            address.c  addresses
 *   sub.c      patterns, searching, substitution          global.c   g, v, G, V
 *   file.c     reading, writing, shell commands
 *
 * Lines are immutable: changing one is deleting it and inserting another, so that undo, the cut
 * buffer and marks may keep pointers to them. Addresses count from 1; 0 is before the first.
 */
#ifndef BUILTINS_ED_H
#define BUILTINS_ED_H

#include "base/regex.h"
#include "builtins/builtin.h"

struct ed_line {
	struct bytes text;
	bool chosen; /* by g, still to come */
};

struct ed_lines {
	struct ed_line **line;
	size_t n;
};

enum ed_result {
	ED_OK,
	ED_QUIT,
	ED_ERROR,    /* ed->message says why */
	ED_MODIFIED, /* changes would be lost: the same command again does it */
};

/* Print suffixes. */
enum { PRINT_LIST = 1, PRINT_NUMBER = 2, PRINT_PLAIN = 4 };

/* One step of what the last command did to the lines. */
struct ed_step {
	bool inserted;
	size_t at; /* address of the first line */
	size_t n;
	struct ed_line **deleted;
};

struct ed_history {
	struct arena arena;
	struct ed_step *step;
	size_t n;
	size_t cap;
	size_t current; /* the address before the command */
	bool modified;  /* before the command */
	bool some;      /* there is something to undo */
};

enum { PATTERN_SLOTS = 8, MARKS = 26 };

struct ed_pattern {
	struct arena arena;
	struct regex *re;
	struct bytes text;
	unsigned flags;
};

/* The last s command. */
struct ed_sub {
	struct ed_pattern *pattern;
	struct bytes replacement;
	bool global;
	uint64_t count; /* which match of a line; with global: all */
	int print;
};

struct ed_opts {
	bool extended;
	bool traditional;
	bool loose;
	const char *prompt;
	bool quiet;
	bool restricted;
	bool script;
	bool verbose;
	bool strip_cr;
};

struct ed {
	struct cmd *c;
	struct ed_opts *o;
	struct input in; /* of a file */
	bool in_is_file;
	struct buf typed; /* the line read last from anything else */
	int status;
	uint64_t script_line;
	const char *message; /* of the last error; NULL: there was none */
	bool prompting;
	/* the command: text[at..), which ends as if a newline followed */
	struct bytes text;
	size_t at;
	bool in_global;
	bool list_over; /* u, e or E in the list of g: its lines are no longer what they were */
	/* addresses before the command */
	size_t naddr;
	int64_t first;
	int64_t second;
	/* the buffer: a gap of free slots is where it was changed last */
	struct ed_line **slot;
	size_t nlines;
	size_t gap;
	size_t gap_len;
	size_t current;
	bool modified;
	bool warned; /* that changes would be lost, by the command before */
	bool binary;
	struct ed_line *unterminated; /* the last line of a binary file without a newline */
	struct ed_line *mark[MARKS];
	struct ed_lines cut;
	struct ed_history history[2];
	struct ed_history *undo; /* one of them */
	/* patterns */
	struct ed_pattern slots[PATTERN_SLOTS];
	size_t next_slot;
	struct ed_pattern *last;
	struct ed_sub sub;
	bool has_sub;
	/* names */
	char *file;
	struct bytes shell; /* the last ! command */
	size_t window;      /* of z */
};

/* --- ed.c --- */

/* Sets the message: always ED_ERROR. */
enum ed_result ed_fail(struct ed *e, const char *message);
/* The next line of standard input, without its newline. False at the end. */
bool ed_read(struct ed *e, struct bytes *out);
/* Joins the lines that follow to the command while it ends in a backslash. strip: the
 * backslashes before newlines go. */
enum ed_result ed_extend(struct ed *e, bool strip);
/* Text on standard error, unless -q. */
void ed_complain(struct ed *e, const char *what, const char *why);

static inline char ed_peek(const struct ed *e)
{
	return e->at < e->text.len ? e->text.ptr[e->at] : '\n';
}
static inline bool ed_at_end(const struct ed *e)
{
	return e->at >= e->text.len;
}
void ed_skip_blanks(struct ed *e);

/* --- lines.c --- */

struct ed_line *ed_line_at(const struct ed *e, size_t address);
/* Where a line is, looked for around `guess`; 0: nowhere. */
size_t ed_line_address(struct ed *e, const struct ed_line *line, size_t guess);
struct ed_line *ed_line_new(struct ed *e, struct bytes text);
/* These are remembered for undo. The lines of an insertion come behind the address `after`. */
void ed_lines_insert(struct ed *e, size_t after, struct ed_line *const *line, size_t n);
void ed_lines_delete(struct ed *e, size_t from, size_t to);
void ed_lines_move(struct ed *e, size_t from, size_t to, size_t after);
/* The lines from..to as an array of its own. */
struct ed_lines ed_lines_copy(struct ed *e, size_t from, size_t to);
/* All lines and all history go. */
void ed_lines_reset(struct ed *e);
/* The lines were read just now: there is nothing to undo or to lose. */
void ed_lines_forget(struct ed *e);
/* A command that changes lines begins: what the one before did can't be undone any more. */
void ed_undo_begin(struct ed *e);
enum ed_result ed_undo_last(struct ed *e);
void ed_print_lines(struct ed *e, size_t from, size_t to, int print);

/* --- address.c --- */

/* Reads the addresses before a command, or those behind `m` and `t`. */
enum ed_result ed_addresses_read(struct ed *e);
/* Defaults where none were given, and whether lines first..second exist. */
enum ed_result ed_range_check(struct ed *e, size_t first, size_t second);
/* The same of the second address alone; 0 is allowed if zero says so. */
enum ed_result ed_address_check(struct ed *e, size_t second, bool zero);

/* --- sub.c --- */

/* The pattern between delimiters at the command's text, the opening one included. The closing
 * one is left; there need not be one. */
enum ed_result ed_pattern_text(struct ed *e, char *delim, struct bytes *out);
/* Compiles it; the empty one is e->last, which the result becomes. */
enum ed_result ed_pattern_compile(struct ed *e, struct bytes text, bool icase,
				  struct ed_pattern **out);
/* Both, with the closing delimiter and a suffix I. */
enum ed_result ed_pattern_read(struct ed *e, struct ed_pattern **out);
bool ed_pattern_matches(struct ed *e, struct ed_pattern *p, struct bytes text);
/* The next line that matches, around the end of the buffer; 0: none. */
size_t ed_pattern_search(struct ed *e, struct ed_pattern *p, bool forward);
/* s behind its letter. */
enum ed_result ed_sub_run(struct ed *e);

/* --- command.c --- */

enum ed_result ed_command_run(struct ed *e);
/* Print suffixes up to the end of the command. */
enum ed_result ed_suffix_read(struct ed *e, int *print);

/* --- global.c --- */

enum ed_result ed_global_run(struct ed *e, char letter, int *print);

/* --- file.c --- */

/* The file name behind a command's letter; *out is NULL if there is none. */
enum ed_result ed_name_read(struct ed *e, bool shell_allowed, char **out);
enum ed_result ed_file_read(struct ed *e, const char *name, size_t after);
enum ed_result ed_file_write(struct ed *e, const char *name, bool append, size_t from, size_t to,
			     size_t *written);
enum ed_result ed_shell_run(struct ed *e);

#endif
