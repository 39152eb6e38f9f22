/* SPDX-License-Identifier: MIT
 *
 * Running SQL: one statement after the other, with its rows, errors and plans.
 */
#include "builtins/sqlite3/shell.h"

/* --- errors --- */

enum { CONTEXT_BEFORE = 50, CONTEXT_MAX = 78, ARROW_LEFT = 25, ARROW_TEXT = 14 };

/* The text around the place of the error, and an arrow to it; "" if the place is not known. */
static char *error_context(struct shell *s, const char *sql)
{
	int at = sqlite3_error_offset(s->db);
	size_t len;
	char *code;

	if (at < 0 || sql == NULL || (size_t)at >= strlen(sql))
		return compose(s, "");
	while (at > CONTEXT_BEFORE) {
		at--;
		sql++;
		while (((unsigned char)*sql & 0xc0) == 0x80) {
			sql++;
			at--;
		}
	}
	len = strlen(sql);
	if (len > CONTEXT_MAX)
		for (len = CONTEXT_MAX; len > 0 && ((unsigned char)sql[len] & 0xc0) == 0x80;)
			len--;
	code = arena_dup(&s->scratch, (struct bytes){ sql, len });
	for (char *p = code; *p != '\0'; p++)
		if (byte_is_space((unsigned char)*p))
			*p = ' ';
	if (at < ARROW_LEFT)
		return compose(s, "\n  %s\n  %*s^--- error here", code, at, "");
	return compose(s, "\n  %s\n  %*serror here ---^", code, at - ARROW_TEXT, "");
}

static char *error_text(struct shell *s, const char *phase, int code, const char *sql)
{
	const char *context = error_context(s, sql);

	if (code > 1)
		return sqlite3_mprintf("%s, %s (%d)%s", phase, sqlite3_errmsg(s->db), code,
				       context);
	return sqlite3_mprintf("%s, %s%s", phase, sqlite3_errmsg(s->db), context);
}

/* --- parameters --- */

void bind_parameters(struct shell *s, sqlite3_stmt *st)
{
	int n = sqlite3_bind_parameter_count(st);
	sqlite3_stmt *find = NULL;

	if (n == 0)
		return;
	if (sqlite3_table_column_metadata(s->db, "TEMP", "sqlite_parameters", "key", NULL, NULL,
					  NULL, NULL, NULL) == SQLITE_OK)
		sqlite3_prepare_v2(s->db, "SELECT value FROM temp.sqlite_parameters WHERE key=?1",
				   -1, &find, NULL);
	for (int i = 1; i <= n; i++) {
		const char *name = sqlite3_bind_parameter_name(st, i);
		char number[16];

		if (name == NULL)
			name = sqlite3_snprintf(sizeof number, number, "?%d", i);
		sqlite3_bind_text(find, 1, name, -1, SQLITE_TRANSIENT);
		if (find != NULL && sqlite3_step(find) == SQLITE_ROW)
			sqlite3_bind_value(st, i, sqlite3_column_value(find, 0));
		else
			sqlite3_bind_null(st, i);
		sqlite3_reset(find);
	}
	sqlite3_finalize(find);
}

/* --- plans --- */

struct plan_row {
	int id;
	int parent;
	char *text;
};

struct plan {
	struct plan_row *row;
	size_t n;
	size_t cap;
};

enum { PLAN_PREFIX_MAX = 93 };

static void add_plan_row(struct shell *s, struct plan *p, sqlite3_stmt *st)
{
	const char *text = (const char *)sqlite3_column_text(st, 3);

	if (p->n == p->cap) {
		size_t cap = p->cap != 0 ? 2 * p->cap : 16;

		p->row = arena_grow(&s->scratch, p->row, p->cap * sizeof *p->row,
				    cap * sizeof *p->row);
		p->cap = cap;
	}
	p->row[p->n++] = (struct plan_row){
		.id = sqlite3_column_int(st, 0),
		.parent = sqlite3_column_int(st, 1),
		.text = compose(s, "%s", text != NULL ? text : ""),
	};
}

/* The next row after `from` with that parent, or p->n. */
static size_t next_child(const struct plan *p, int parent, size_t from)
{
	while (from < p->n && p->row[from].parent != parent)
		from++;
	return from;
}

/* Depth is bounded by the length of prefix. */
static void put_plan_level(struct shell *s, const struct plan *p, int parent, const char *prefix)
{
	size_t i = next_child(p, parent, 0);

	while (i < p->n) {
		size_t next = next_child(p, parent, i + 1);
		bool last = next == p->n;

		cmd_charge(s->c, p->n);
		say(s, "%s%s%s\n", prefix, last ? "`--" : "|--", p->row[i].text);
		if (strlen(prefix) < PLAN_PREFIX_MAX)
			put_plan_level(s, p, p->row[i].id,
				       compose(s, "%s%s", prefix, last ? "   " : "|  "));
		i = next;
	}
}

static void put_plan(struct shell *s, const struct plan *p)
{
	size_t first = 0;

	if (p->n == 0)
		return;
	if (p->row[0].text[0] == '-') {
		say(s, "%s\n", p->row[0].text + 3);
		first = 1;
	} else {
		put(s, "QUERY PLAN\n");
	}
	put_plan_level(s, &(struct plan){ p->row + first, p->n - first, 0 }, 0, "");
}

static int show_plan(struct shell *s, sqlite3_stmt *st, int code)
{
	struct plan p = { .n = 0 };

	for (; code == SQLITE_ROW; code = sqlite3_step(st))
		add_plan_row(s, &p, st);
	put_plan(s, &p);
	return code;
}

/* .eqp: the plan of a statement before its rows. */
static void show_plan_first(struct shell *s, const char *sql, sqlite3_stmt *st)
{
	sqlite3_stmt *explain = NULL;
	int trigger_eqp = 0;

	if (s->eqp == EQP_OFF || sqlite3_stmt_isexplain(st) != 0)
		return;
	sqlite3_db_config(s->db, SQLITE_DBCONFIG_TRIGGER_EQP, -1, &trigger_eqp);
	if (s->eqp >= EQP_TRIGGER)
		sqlite3_db_config(s->db, SQLITE_DBCONFIG_TRIGGER_EQP, 1, NULL);
	if (sqlite3_prepare_v2(s->db, compose(s, "EXPLAIN QUERY PLAN %s", sql), -1, &explain,
			       NULL) == SQLITE_OK)
		show_plan(s, explain, sqlite3_step(explain));
	sqlite3_finalize(explain);
	sqlite3_db_config(s->db, SQLITE_DBCONFIG_TRIGGER_EQP, trigger_eqp, NULL);
}

/* --- EXPLAIN --- */

static bool is_one_of(const char *word, const char *const *list)
{
	for (; *list != NULL; list++)
		if (strcmp(word, *list) == 0)
			return true;
	return false;
}

static void indent_range(struct shell *s, int *indent, int from, int to)
{
	for (int i = from < 0 ? 0 : from; i < to; i++)
		indent[i] += 2;
	cmd_charge(s->c, (uint64_t)(to > from ? to - from : 0));
}

/* Bodies of loops are indented: from the target of a backward jump to the jump. */
static void find_indents(struct shell *s, sqlite3_stmt *st)
{
	static const char *const backward[] = { "Next",       "Prev",   "VPrev", "VNext",
						"SorterNext", "Return", NULL };
	static const char *const starts[] = { "Yield",      "SeekLT", "SeekGT",
					      "RowSetRead", "Rewind", NULL };
	int cap = 0;
	int *indent = NULL;
	bool *starts_loop = NULL;
	int n = 0;

	for (; sqlite3_step(st) == SQLITE_ROW; n++) {
		const char *op = (const char *)sqlite3_column_text(st, 1);
		int address = sqlite3_column_int(st, 0);
		int target = sqlite3_column_int(st, 3) + (n - address);

		if (op == NULL)
			break;
		if (n == cap) {
			int more = cap != 0 ? 2 * cap : 256;

			indent = arena_grow(&s->scratch, indent, (size_t)cap * sizeof *indent,
					    (size_t)more * sizeof *indent);
			starts_loop = arena_grow(&s->scratch, starts_loop, (size_t)cap,
						 (size_t)more);
			cap = more;
		}
		indent[n] = 0;
		starts_loop[n] = is_one_of(op, starts);
		if (is_one_of(op, backward))
			indent_range(s, indent, target, n);
		else if (strcmp(op, "Goto") == 0 && target < n && target >= 0 &&
			 (starts_loop[target] || sqlite3_column_int(st, 2) != 0))
			indent_range(s, indent, target, n);
	}
	sqlite3_reset(st);
	s->indent = indent;
	s->nindent = n;
}

/* --- rows --- */

static int show_rows(struct shell *s, sqlite3_stmt *st, int code)
{
	for (; code == SQLITE_ROW; code = sqlite3_step(st)) {
		show_row(s, st);
		cmd_charge(s->c, 1);
	}
	show_end(s);
	return code;
}

/* Steps through st in the mode that fits it: the last code. */
static int show_result(struct shell *s, sqlite3_stmt *st)
{
	int explains = sqlite3_stmt_isexplain(st);
	struct look look = s->look;
	int code;

	s->rows = 0;
	s->nindent = 0;
	if (explains == 1 && s->explain == EXPLAIN_AUTO)
		s->look.mode = MODE_EXPLAIN;
	if (s->explain == EXPLAIN_ON)
		s->look.mode = MODE_EXPLAIN;
	if (s->look.mode == MODE_EXPLAIN && explains == 1)
		find_indents(s, st);
	code = sqlite3_step(st);
	if (explains == 2 && s->explain != EXPLAIN_OFF)
		code = show_plan(s, st, code);
	else if (code == SQLITE_ROW && mode_is_columnar(s->look.mode))
		code = show_columnar(s, st);
	else
		code = show_rows(s, st, code);
	s->look = look;
	return code;
}

/* .eqp full: the program before the rows. */
static void show_program_first(struct shell *s, const char *sql)
{
	sqlite3_stmt *explain = NULL;

	if (sqlite3_prepare_v2(s->db, compose(s, "EXPLAIN %s", sql), -1, &explain, NULL) ==
	    SQLITE_OK)
		show_result(s, explain);
	sqlite3_finalize(explain);
}

static int run_statement(struct shell *s, sqlite3_stmt *st, char **error)
{
	const char *sql = sqlite3_sql(st);
	int code;

	show_plan_first(s, sql, st);
	if (s->eqp == EQP_FULL && sqlite3_stmt_isexplain(st) == 0)
		show_program_first(s, sql);
	bind_parameters(s, st);
	show_result(s, st);
	code = sqlite3_finalize(st);
	if (code != SQLITE_OK)
		*error = error_text(s, "stepping", code, NULL);
	return code;
}

int run_sql(struct shell *s, const char *sql, char **error)
{
	int code = SQLITE_OK;

	*error = NULL;
	while (code == SQLITE_OK && *sql != '\0') {
		sqlite3_stmt *st = NULL;
		const char *rest;

		code = sqlite3_prepare_v2(s->db, sql, -1, &st, &rest);
		if (code != SQLITE_OK) {
			*error = error_text(s, "in prepare", code, sql);
			break;
		}
		if (st != NULL) {
			code = run_statement(s, st, error);
			sql = rest;
			while (byte_is_space((unsigned char)*sql))
				sql++;
			continue;
		}
		/* A comment or nothing. */
		sql = rest;
		while (byte_is_space((unsigned char)*sql))
			sql++;
	}
	return code;
}

/* --- queries of the shell itself --- */

sqlite3_stmt *prepare(struct shell *s, const char *sql, int *code)
{
	sqlite3_stmt *st = NULL;

	*code = sqlite3_prepare_v2(s->db, sql, -1, &st, NULL);
	return st;
}

int run_quietly(struct shell *s, const char *sql)
{
	char *error = NULL;
	int code = sqlite3_exec(s->db, sql, NULL, NULL, &error);

	if (code != SQLITE_OK)
		complain(s, "Error: %s\n", error != NULL ? error : sqlite3_errmsg(s->db));
	sqlite3_free(error);
	return code;
}

int run_lines(struct shell *s, const char *sql)
{
	int code;
	sqlite3_stmt *st = prepare(s, sql, &code);

	while (sqlite3_step(st) == SQLITE_ROW) {
		const char *text = (const char *)sqlite3_column_text(st, 0);

		say(s, "%s\n", text != NULL ? text : "");
	}
	if (code != SQLITE_OK)
		complain(s, "Error: %s\n", sqlite3_errmsg(s->db));
	sqlite3_finalize(st);
	return code;
}

char *query_text(struct shell *s, const char *sql)
{
	int code;
	sqlite3_stmt *st = prepare(s, sql, &code);
	char *text = NULL;

	if (sqlite3_step(st) == SQLITE_ROW && sqlite3_column_text(st, 0) != NULL)
		text = compose(s, "%s", sqlite3_column_text(st, 0));
	sqlite3_finalize(st);
	return text;
}
