/* SPDX-License-Identifier: MIT
 *
 * Dot-commands about how things look, and other settings: .mode .width .separator .show
 * .parameter .limit .dbconfig
 */
#include "builtins/sqlite3/shell.h"

/* --- .mode --- */

static const char *mode_name(const struct shell *s)
{
	return mode_names[s->look.mode];
}

/* "box --wrap 60 --wordwrap off --noquote", or the name alone. */
static char *look_text(struct shell *s)
{
	const struct look *k = &s->look;

	if (!mode_is_columnar(k->mode))
		return compose(s, "%s", mode_name(s));
	return compose(s, "%s --wrap %d --wordwrap %s --%squote", mode_name(s), k->wrap,
		       k->word_wrap ? "on" : "off", k->quote ? "" : "no");
}

struct mode_words {
	const char *mode;
	const char *table;
	struct look look; /* with the options */
	bool options;     /* there were some */
};

/* False: the word is none of the options. */
static bool take_mode_option(struct dot *d, struct mode_words *w, int *i)
{
	const char *word = d->argv[*i];
	const char *value = *i + 1 < d->argc ? d->argv[*i + 1] : NULL;

	if (word[0] != '-')
		return false;
	word += word[1] == '-' ? 2 : 1;
	if (strcmp(word, "wrap") == 0 && value != NULL) {
		w->look.wrap = (int)read_integer(value);
		(*i)++;
	} else if (strcmp(word, "ww") == 0) {
		w->look.word_wrap = true;
	} else if (strcmp(word, "wordwrap") == 0 && value != NULL) {
		w->look.word_wrap = read_boolean(d->s, value);
		(*i)++;
	} else if (strcmp(word, "quote") == 0) {
		w->look.quote = true;
	} else if (strcmp(word, "noquote") == 0) {
		w->look.quote = false;
	} else {
		return false;
	}
	w->options = true;
	return true;
}

static int read_mode_words(struct dot *d, struct mode_words *w)
{
	for (int i = 1; i < d->argc; i++) {
		if (take_mode_option(d, w, &i))
			continue;
		if (w->mode == NULL) {
			w->mode = d->argv[i];
			if (strcmp(w->mode, "qbox") == 0) {
				w->mode = "box";
				w->look.wrap = WRAP_DEFAULT;
				w->look.quote = true;
				w->look.word_wrap = false;
				w->options = true;
			}
		} else if (w->table == NULL) {
			w->table = d->argv[i];
		} else if (d->argv[i][0] == '-') {
			complain(d->s,
				 "unknown option: %s\noptions:\n  --noquote\n  --quote\n"
				 "  --wordwrap on/off\n  --wrap N\n  --ww\n",
				 d->argv[i]);
			return DOT_ERROR;
		} else {
			complain(d->s, "extra argument: \"%s\"\n", d->argv[i]);
			return DOT_ERROR;
		}
	}
	return DOT_OK;
}

/* By its beginning; the order decides between abbreviations. */
static int find_mode(const char *name)
{
	static const enum mode order[] = { MODE_LINE,  MODE_COLUMN, MODE_LIST,     MODE_HTML,
					   MODE_TCL,   MODE_CSV,    MODE_TABS,     MODE_INSERT,
					   MODE_QUOTE, MODE_ASCII,  MODE_MARKDOWN, MODE_TABLE,
					   MODE_BOX,   MODE_JSON };
	size_t n = strlen(name);

	for (size_t i = 0; n > 0 && i < sizeof order / sizeof order[0]; i++)
		if (strncmp(name, mode_names[order[i]], n) == 0)
			return (int)order[i];
	return sqlite3_strnicmp(name, "columns", (int)n) == 0 && n > 6 ? MODE_COLUMN
	       : n == 5 && strcmp(name, "lines") == 0                  ? MODE_LINE
								       : -1;
}

int dot_mode(struct dot *d)
{
	struct shell *s = d->s;
	struct mode_words w = { .look = s->look };
	int mode;

	w.look.wrap = WRAP_DEFAULT;
	w.look.quote = false;
	w.look.word_wrap = false;
	if (read_mode_words(d, &w) != DOT_OK)
		return DOT_ERROR;
	if (w.mode == NULL) {
		say(s, "current output mode: %s\n", look_text(s));
		if (w.options)
			s->look = w.look;
		return DOT_OK;
	}
	mode = find_mode(w.mode);
	if (mode < 0) {
		complain(s, "Error: mode should be one of: ascii box column csv html insert json "
			    "line list markdown qbox quote table tabs tcl\n");
		return DOT_ERROR;
	}
	mode_choose(s, (enum mode)mode);
	if (mode_is_columnar(s->look.mode)) {
		s->look.wrap = w.look.wrap;
		s->look.quote = w.look.quote;
		s->look.word_wrap = w.look.word_wrap;
	}
	if (mode == MODE_INSERT) {
		const char *table = w.table != NULL ? w.table : "table";

		s->insert_table = arena_dup(s->c->arena, bytes_of(quote_name(s, table)));
	}
	return DOT_OK;
}

/* --- .width, .separator --- */

int dot_width(struct dot *d)
{
	struct shell *s = d->s;

	s->nwidth = d->argc - 1;
	s->width = arena_array(s->c->arena, (size_t)d->argc, sizeof *s->width);
	for (int i = 1; i < d->argc; i++) {
		int64_t width = read_integer(d->argv[i]);
		int64_t most = 1 << 20;

		s->width[i - 1] = (int)(width > most ? most : width < -most ? -most : width);
	}
	return DOT_OK;
}

int dot_separator(struct dot *d)
{
	if (d->argc < 2 || d->argc > 3) {
		complain(d->s, "Usage: .separator COL ?ROW?\n");
		return DOT_ERROR;
	}
	sqlite3_snprintf(SEPARATOR_BYTES, d->s->look.column_sep, "%s", d->argv[1]);
	if (d->argc == 3)
		sqlite3_snprintf(SEPARATOR_BYTES, d->s->look.row_sep, "%s", d->argv[2]);
	return DOT_OK;
}

/* --- .show --- */

int dot_show(struct dot *d)
{
	static const char *const on_off[] = { "off", "on" };
	static const char *const eqp[] = { "off", "on", "trigger", "full" };
	static const char *const explain[] = { "off", "on", "auto" };
	struct shell *s = d->s;

	if (d->argc != 1) {
		complain(s, "Usage: .show\n");
		return DOT_ERROR;
	}
	say(s, "%12s: %s\n", "echo", on_off[s->echo]);
	say(s, "%12s: %s\n", "eqp", eqp[s->eqp]);
	say(s, "%12s: %s\n", "explain", explain[s->explain]);
	say(s, "%12s: %s\n", "headers", on_off[s->look.header]);
	say(s, "%12s: %s\n", "mode", look_text(s));
	say(s, "%12s: ", "nullvalue");
	put_c_string(s, s->null_value);
	say(s, "\n%12s: %s\n", "output", s->out_name);
	say(s, "%12s: ", "colseparator");
	put_c_string(s, s->look.column_sep);
	say(s, "\n%12s: ", "rowseparator");
	put_c_string(s, s->look.row_sep);
	say(s, "\n%12s: off\n%12s: ", "stats", "width");
	for (int i = 0; i < s->nwidth; i++)
		say(s, "%d ", s->width[i]);
	say(s, "\n%12s: %s\n", "filename", s->file);
	return DOT_OK;
}

/* --- .parameter --- */

static void make_parameters(struct shell *s)
{
	int writable = 0;

	sqlite3_db_config(s->db, SQLITE_DBCONFIG_WRITABLE_SCHEMA, -1, &writable);
	sqlite3_db_config(s->db, SQLITE_DBCONFIG_WRITABLE_SCHEMA, 1, NULL);
	sqlite3_exec(s->db,
		     "CREATE TABLE IF NOT EXISTS temp.sqlite_parameters(\n"
		     "  key TEXT PRIMARY KEY,\n  value\n) WITHOUT ROWID;",
		     NULL, NULL, NULL);
	sqlite3_db_config(s->db, SQLITE_DBCONFIG_WRITABLE_SCHEMA, writable, NULL);
}

static void list_parameters(struct shell *s)
{
	int code;
	int widest = 0;
	sqlite3_stmt *st = prepare(s, "SELECT max(length(key)) FROM temp.sqlite_parameters;",
				   &code);

	if (sqlite3_step(st) == SQLITE_ROW && sqlite3_column_int(st, 0) > 0)
		widest = sqlite3_column_int(st, 0) > 40 ? 40 : sqlite3_column_int(st, 0);
	sqlite3_finalize(st);
	if (widest == 0)
		return;
	st = prepare(s, "SELECT key, quote(value) FROM temp.sqlite_parameters;", &code);
	while (sqlite3_step(st) == SQLITE_ROW)
		say(s, "%-*s %s\n", widest, sqlite3_column_text(st, 0), sqlite3_column_text(st, 1));
	sqlite3_finalize(st);
}

/* The value is an SQL expression; what is none is a string. */
static int set_parameter(struct shell *s, const char *key, const char *value)
{
	int code;
	sqlite3_stmt *st;

	make_parameters(s);
	st = prepare(s,
		     compose(s, "REPLACE INTO temp.sqlite_parameters(key,value)VALUES(%Q,%s);", key,
			     value),
		     &code);
	if (code != SQLITE_OK) {
		sqlite3_finalize(st);
		st = prepare(s,
			     compose(s,
				     "REPLACE INTO temp.sqlite_parameters(key,value)VALUES(%Q,%Q);",
				     key, value),
			     &code);
		if (code != SQLITE_OK) {
			complain(s, "Error: %s\n", sqlite3_errmsg(s->db));
			sqlite3_finalize(st);
			return DOT_ERROR;
		}
	}
	sqlite3_step(st);
	sqlite3_finalize(st);
	return DOT_OK;
}

int dot_parameter(struct dot *d)
{
	struct shell *s = d->s;
	const char *what = d->argc > 1 ? d->argv[1] : "";

	if (!shell_open(s))
		return DOT_ERROR;
	if (d->argc == 2 && strcmp(what, "clear") == 0)
		sqlite3_exec(s->db, "DROP TABLE IF EXISTS temp.sqlite_parameters;", NULL, NULL,
			     NULL);
	else if (d->argc == 2 && strcmp(what, "list") == 0)
		list_parameters(s);
	else if (d->argc == 2 && strcmp(what, "init") == 0)
		make_parameters(s);
	else if (d->argc == 4 && strcmp(what, "set") == 0)
		return set_parameter(s, d->argv[2], d->argv[3]);
	else if (d->argc == 3 && strcmp(what, "unset") == 0)
		sqlite3_exec(
			s->db,
			compose(s, "DELETE FROM temp.sqlite_parameters WHERE key=%Q", d->argv[2]),
			NULL, NULL, NULL);
	else
		dot_help(s, "parameter", false);
	return DOT_OK;
}

/* --- .limit, .dbconfig --- */

static const struct {
	const char *name;
	int code;
} limits[] = {
	{ "length", SQLITE_LIMIT_LENGTH },
	{ "sql_length", SQLITE_LIMIT_SQL_LENGTH },
	{ "column", SQLITE_LIMIT_COLUMN },
	{ "expr_depth", SQLITE_LIMIT_EXPR_DEPTH },
	{ "compound_select", SQLITE_LIMIT_COMPOUND_SELECT },
	{ "vdbe_op", SQLITE_LIMIT_VDBE_OP },
	{ "function_arg", SQLITE_LIMIT_FUNCTION_ARG },
	{ "attached", SQLITE_LIMIT_ATTACHED },
	{ "like_pattern_length", SQLITE_LIMIT_LIKE_PATTERN_LENGTH },
	{ "variable_number", SQLITE_LIMIT_VARIABLE_NUMBER },
	{ "trigger_depth", SQLITE_LIMIT_TRIGGER_DEPTH },
	{ "worker_threads", SQLITE_LIMIT_WORKER_THREADS },
};

enum { LIMITS = sizeof limits / sizeof limits[0] };

int dot_limit(struct dot *d)
{
	struct shell *s = d->s;
	int found = -1;
	int matches = 0;

	if (!shell_open(s))
		return DOT_ERROR;
	if (d->argc == 1) {
		for (int i = 0; i < LIMITS; i++)
			say(s, "%20s %d\n", limits[i].name,
			    sqlite3_limit(s->db, limits[i].code, -1));
		return DOT_OK;
	}
	if (d->argc > 3) {
		complain(s, "Usage: .limit NAME ?NEW-VALUE?\n");
		return DOT_ERROR;
	}
	for (int i = 0; i < LIMITS; i++)
		if (sqlite3_strnicmp(limits[i].name, d->argv[1], (int)strlen(d->argv[1])) == 0) {
			if (found < 0)
				found = i;
			matches++;
		}
	if (matches != 1) {
		complain(s,
			 matches == 0 ? "unknown limit: \"%s\"\nenter \".limits\" with no "
					"arguments for a list.\n"
				      : "ambiguous limit: \"%s\"\n",
			 d->argv[1]);
		return DOT_ERROR;
	}
	if (d->argc == 3 && limits[found].code != SQLITE_LIMIT_WORKER_THREADS)
		sqlite3_limit(s->db, limits[found].code, (int)read_integer(d->argv[2]));
	say(s, "%20s %d\n", limits[found].name, sqlite3_limit(s->db, limits[found].code, -1));
	return DOT_OK;
}

static const struct {
	const char *name;
	int op;
} switches[] = {
	{ "defensive", SQLITE_DBCONFIG_DEFENSIVE },
	{ "dqs_ddl", SQLITE_DBCONFIG_DQS_DDL },
	{ "dqs_dml", SQLITE_DBCONFIG_DQS_DML },
	{ "enable_fkey", SQLITE_DBCONFIG_ENABLE_FKEY },
	{ "enable_qpsg", SQLITE_DBCONFIG_ENABLE_QPSG },
	{ "enable_trigger", SQLITE_DBCONFIG_ENABLE_TRIGGER },
	{ "enable_view", SQLITE_DBCONFIG_ENABLE_VIEW },
	{ "legacy_alter_table", SQLITE_DBCONFIG_LEGACY_ALTER_TABLE },
	{ "legacy_file_format", SQLITE_DBCONFIG_LEGACY_FILE_FORMAT },
	{ "no_ckpt_on_close", SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE },
	{ "reset_database", SQLITE_DBCONFIG_RESET_DATABASE },
	{ "trigger_eqp", SQLITE_DBCONFIG_TRIGGER_EQP },
	{ "trusted_schema", SQLITE_DBCONFIG_TRUSTED_SCHEMA },
	{ "writable_schema", SQLITE_DBCONFIG_WRITABLE_SCHEMA },
};

int dot_dbconfig(struct dot *d)
{
	struct shell *s = d->s;
	bool known = d->argc < 2;

	if (!shell_open(s))
		return DOT_ERROR;
	for (size_t i = 0; i < sizeof switches / sizeof switches[0]; i++) {
		int value = 0;

		if (d->argc > 1 && strcmp(d->argv[1], switches[i].name) != 0)
			continue;
		known = true;
		if (d->argc >= 3)
			sqlite3_db_config(s->db, switches[i].op, read_boolean(s, d->argv[2]), NULL);
		sqlite3_db_config(s->db, switches[i].op, -1, &value);
		say(s, "%19s %s\n", switches[i].name, value != 0 ? "on" : "off");
	}
	if (!known)
		complain(s,
			 "Error: unknown dbconfig \"%s\"\n"
			 "Enter \".dbconfig\" with no arguments for a list\n",
			 d->argv[1]);
	return DOT_OK;
}
