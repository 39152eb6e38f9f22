/* SPDX-License-Identifier: MIT
 *
 * What the subcommands of xan share: rows of CSV, columns by name, expressions, totals.
 *
 *   csv.c  reading and writing      select.c  columns           expr.c  expressions
 *   rows.c commands a row at a time  group.c  totals and groups  join.c  two files
 *   convert.c  JSON, tables          xan.c    the list of subcommands
 */
#ifndef BUILTINS_XAN_XAN_H
#define BUILTINS_XAN_XAN_H

#include "builtins/builtin.h"

struct row {
	struct bytes *cell;
	size_t n;
};

/* Options that all subcommands have; each one's own struct begins with it. */
struct xan_opts {
	const char *delimiter;
	bool no_headers;
	const char *output;
};

#define XAN_COMMON                                                                                 \
	OPT_STR('d', "delimiter", struct xan_opts, delimiter, NULL, "C", "between cells (,)"),     \
		OPT_FLAG('n', "no-headers", struct xan_opts, no_headers,                           \
			 "the first row is no row of names"),                                      \
		OPT_STR('o', "output", struct xan_opts, output, NULL, "FILE", "write to FILE")

struct reader {
	struct cmd *c;
	struct input in;
	char delim;
	bool named;       /* there is a row of names */
	struct row names; /* kept; numbers if there is none */
	struct buf text;  /* of the current row */
	size_t *end;      /* where each cell ends in it */
	size_t n;
	size_t cap;
	struct row row; /* the current row */
	size_t cells_cap;
	bool has_regex; /* an expression has one: its states live in the arena */
	bool pending;   /* the first row was read for its width and is still to be given */
};

/* Opens args[at], or standard input. Reads the names. */
void xan_open(struct reader *r, struct cmd *c, int at);
/* The next row, valid until the next call; false at the end. */
bool xan_next(struct reader *r);
void xan_close(struct reader *r);
struct row xan_copy(struct cmd *c, struct row row);
/* All rows, copied. */
size_t xan_all(struct reader *r, struct row **out);

/* Writing: to standard output or -o. */
void xan_put_cell(struct cmd *c, struct bytes text, bool first);
void xan_end_row(struct cmd *c);
void xan_put_row(struct cmd *c, struct row row);
/* The names, if there are any. */
void xan_put_names(struct reader *r);
struct output *xan_out(struct cmd *c);
void xan_finish(struct cmd *c);

/* Columns that a selection names: "name,other", "0,2", "a:c", "dim_*", "!a". In *out, with
 * their number; ends the command if one is not there. NULL: all. */
size_t xan_select(struct reader *r, const char *text, size_t **out);
struct bytes xan_cell(struct row row, size_t column);

/* --- values and expressions --- */

enum value_kind { VALUE_NONE, VALUE_NUMBER, VALUE_TEXT, VALUE_BOOL };

struct value {
	enum value_kind kind;
	double number; /* also of booleans */
	struct bytes text;
};

struct expr;
/* Ends the command if the text is wrong. */
struct expr *expr_parse(struct reader *r, const char *text);
/* Several, separated by commas, each with "as NAME" or its own text as name. */
struct named_expr {
	struct named_expr *next;
	struct bytes name;
	struct expr *expr;
	const char *total; /* in totals: the function around it, or NULL */
};
struct named_expr *expr_parse_list(struct reader *r, const char *text, bool totals);
struct value expr_eval(const struct expr *e, struct reader *r, struct row row, uint64_t index);
bool value_is_true(struct value v);
void value_put(struct value v, struct buf *out);
/* The whole text as a number. */
bool xan_number(struct bytes text, double *out);
void xan_put_number(double d, struct buf *out);

/* --- totals --- */

struct total {
	uint64_t count; /* not empty */
	uint64_t empty;
	uint64_t numbers;
	double sum;
	double mean;
	double squares; /* of distances from the mean, by Welford */
	double min;
	double max;
	struct bytes first;
	struct bytes last;
	struct bytes low; /* by bytes */
	struct bytes high;
	size_t shortest;
	size_t longest;
	bool integers;
	double *list; /* numbers, when they are kept */
	size_t cap;
	bool keeps;
	struct bytes *seen; /* texts, when they are kept */
	size_t nseen;
	size_t seen_cap;
};

void total_init(struct total *t, bool keeps);
void total_add(struct cmd *c, struct total *t, struct bytes text);
/* By name: sum, mean, median... False: no such total. */
bool total_known(const char *name);
void total_put(struct cmd *c, struct total *t, const char *name, struct buf *out);

/* --- subcommands --- */

extern const struct builtin *const xan_rows_commands[];
extern const struct builtin *const xan_group_commands[];
extern const struct builtin *const xan_join_commands[];
extern const struct builtin *const xan_convert_commands[];

/* A table of rows by a key: its group number, new ones counted up. */
struct groups {
	struct cmd *c;
	struct bytes *key;
	size_t n;
	size_t cap;
	size_t *bucket; /* number + 1 */
	size_t buckets;
};
void groups_init(struct groups *g, struct cmd *c);
size_t groups_find(struct groups *g, struct bytes key); /* SIZE_MAX: none */
size_t groups_add(struct groups *g, struct bytes key, bool *is_new);
/* The cells of some columns as one key. */
struct bytes xan_key(struct row row, const size_t *columns, size_t n, struct buf *out);

#endif
