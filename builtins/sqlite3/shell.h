/* SPDX-License-Identifier: MIT
 *
 * The sqlite3 shell: what its files share.
 *
 *   shell.c    options, and the loop that reads SQL and dot-commands
 *   run.c      statements: preparing, stepping, errors, plans
 *   mode.c     rows that are printed as they come; columnar.c: those that are measured first
 *   dot.c      the table of dot-commands; dot_*.c: what they do
 *   func.c     SQL functions that the shell adds
 */
#ifndef BUILTINS_SQLITE3_SHELL_H
#define BUILTINS_SQLITE3_SHELL_H

#include "builtins/sqlite3/sqlite.h"

enum mode {
	MODE_LIST,
	MODE_LINE,
	MODE_CSV,
	MODE_TABS,
	MODE_ASCII,
	MODE_HTML,
	MODE_INSERT,
	MODE_QUOTE,
	MODE_TCL,
	MODE_JSON,
	MODE_COLUMN,
	MODE_TABLE,
	MODE_BOX,
	MODE_MARKDOWN,
	MODE_EXPLAIN, /* of EXPLAIN; not to be chosen by name */
};

enum {
	SEPARATOR_BYTES = 20, /* of a separator or null value, its NUL included */
	DOT_ARGS_MAX = 52,
	READ_DEPTH_MAX = 25, /* .read in .read */
	WRAP_DEFAULT = 60,
};

/* How rows look. */
struct look {
	enum mode mode;
	bool header;
	char column_sep[SEPARATOR_BYTES];
	char row_sep[SEPARATOR_BYTES];
	int wrap;
	bool word_wrap;
	bool quote; /* values of columnar modes as SQL */
};

enum explain_mode { EXPLAIN_OFF, EXPLAIN_ON, EXPLAIN_AUTO };
enum eqp_mode { EQP_OFF, EQP_ON, EQP_TRIGGER, EQP_FULL };

struct shell {
	struct cmd *c;
	struct sqlite_host host;
	sqlite3 *db;          /* NULL: not opened yet */
	struct arena scratch; /* texts of one statement or dot-command */
	const char *file;     /* as given; ":memory:" */
	bool read_only;
	bool no_follow;
	struct look look;
	bool header_set; /* by the user: modes do not change it */
	char null_value[SEPARATOR_BYTES];
	char *insert_table; /* of mode insert, quoted; in the arena */
	int *width;         /* of .width */
	int nwidth;
	enum explain_mode explain;
	enum eqp_mode eqp;
	bool echo;
	bool bail;
	bool changes;
	bool timer;
	bool interactive; /* only for messages: there is no line editor here */
	int open_depth;   /* of .read */
	char *prompt[2];
	/* Where output goes: c->out, or what .output and .once opened. */
	struct output *out;
	struct output file_out;
	const char *out_name; /* for .show */
	int out_pid;          /* of a pipe's reader, or 0 */
	bool once;            /* back to standard output after the next command */
	/* The last pattern of regexp(). */
	struct arena regexp_arena;
	struct regex *regexp;
	struct bytes regexp_text;
	unsigned regexp_flags;
	/* .trace: NULL: off; `out`, or one of its own. */
	struct output *trace;
	struct output trace_out;
	bool trace_closes;
	bool trace_expanded;
	/* Of the statement that runs. */
	uint64_t rows;
	const int *indent; /* of EXPLAIN's lines */
	int nindent;
	int *exit_code; /* where .exit puts its argument */
};

/* --- output --- */

void put(struct shell *s, const char *text);
void put_bytes(struct shell *s, struct bytes b);
void put_fill(struct shell *s, char byte, int n);
/* printf with SQLite's conversions (%Q %q %w) into the output. */
void say(struct shell *s, const char *format, ...);
/* The same on standard error. */
void complain(struct shell *s, const char *format, ...);
/* Opens FILE, |COMMAND, stdout, stderr or off as the output. 0, or 1 after a message. */
int output_to(struct shell *s, const char *name, bool once, bool bom);
void output_reset(struct shell *s);

/* --- strings --- */

/* "name" if it needs quotes, else as it is. In scratch. */
char *quote_name(struct shell *s, const char *name);
/* Characters of UTF-8: what is not a continuation byte. */
int count_chars(const char *text);
/* \n, \t, \NNN and the like become bytes, in place. */
void resolve_escapes(char *text);
int64_t read_integer(const char *text);
/* "on", "yes", "off", "no", or a number; else a message and false. */
bool read_boolean(struct shell *s, const char *text);
/* A printf of SQLite, in scratch. */
char *compose(struct shell *s, const char *format, ...);

/* --- run.c --- */

/* Runs all statements of sql: SQLITE_OK, or the code of the first that failed and its message
 * in *error (of sqlite3_malloc; NULL if there is none). */
int run_sql(struct shell *s, const char *sql, char **error);
/* The same for internal queries: no rows are shown, errors are complained about. */
int run_quietly(struct shell *s, const char *sql);
/* Prints each row's first column and a row separator. */
int run_lines(struct shell *s, const char *sql);
sqlite3_stmt *prepare(struct shell *s, const char *sql, int *code);
/* A query's first value as text in scratch, or NULL. */
char *query_text(struct shell *s, const char *sql);
/* Binds the values of .parameter. */
void bind_parameters(struct shell *s, sqlite3_stmt *st);

/* --- mode.c, columnar.c --- */

void show_row(struct shell *s, sqlite3_stmt *st);
void show_end(struct shell *s);
/* st stands on its first row. */
int show_columnar(struct shell *s, sqlite3_stmt *st);
bool mode_is_columnar(enum mode mode);
void put_sql_text(struct shell *s, const char *text, bool escape_newlines);
void put_blob(struct shell *s, sqlite3_stmt *st, int column);
void put_sql_value(struct shell *s, sqlite3_stmt *st, int column, bool escape_newlines);
void put_c_string(struct shell *s, const char *text);
/* pads to |width| characters, on the left if it is negative. */
void put_padded(struct shell *s, const char *text, int width);
void mode_choose(struct shell *s, enum mode mode);
extern const char *const mode_names[];

/* --- dot commands --- */

enum dot_result { DOT_OK, DOT_ERROR, DOT_QUIT };

struct dot {
	struct shell *s;
	int argc;
	char **argv;
};
typedef int dot_fn(struct dot *d);

int dot_run(struct shell *s, const char *line);
void dot_help(struct shell *s, const char *pattern, bool all);

dot_fn dot_mode, dot_width, dot_separator, dot_show, dot_tables, dot_indexes, dot_schema,
	dot_fullschema, dot_databases, dot_dump, dot_import, dot_backup, dot_restore, dot_clone,
	dot_open, dot_parameter, dot_limit, dot_sha3sum, dot_dbconfig, dot_auth, dot_binary,
	dot_trace, dot_lint;
/* Closes what .trace writes to. */
void shell_end_trace(struct shell *s);

/* --- shell.c --- */

/* Opens s->file unless a database is open: true, or false after a message. */
bool shell_open(struct shell *s);
void shell_close(struct shell *s);
/* Reads and runs until the end of the input or .quit: 1 if there were errors. */
int shell_read(struct shell *s, struct input *in);
int shell_read_file(struct shell *s, const char *path);

/* --- func.c, sha3.c, series.c: what the shell adds to a connection --- */

void add_functions(struct shell *s);
void add_sha3(struct shell *s);
void add_series(struct shell *s);

#endif
