/* SPDX-License-Identifier: MIT
 *
 * Dot-commands about what a database contains: .tables .indexes .schema .fullschema .databases
 */
#include "builtins/sqlite3/shell.h"

enum { LINE_WIDTH = 80, INDENT_FROM = 79 };

/* --- names in columns --- */

/* The rows' first column, in newspaper columns. */
static void put_names(struct shell *s, char *const *name, int n)
{
	int widest = 0;
	int columns;
	int lines;

	for (int i = 0; i < n; i++) {
		int len = (int)strlen(name[i]);

		if (len > widest)
			widest = len;
	}
	columns = LINE_WIDTH / (widest + 2);
	if (columns < 1)
		columns = 1;
	lines = (n + columns - 1) / columns;
	for (int i = 0; i < lines; i++) {
		for (int j = i; j < n; j += lines)
			say(s, "%s%-*s", j < lines ? "" : "  ", widest, name[j]);
		put(s, "\n");
	}
}

static int put_query_names(struct shell *s, const char *sql, const char *pattern)
{
	char **name = NULL;
	int n = 0;
	int cap = 0;
	int code;
	sqlite3_stmt *st = prepare(s, sql, &code);

	if (code != SQLITE_OK) {
		complain(s, "Error: %s\n", sqlite3_errmsg(s->db));
		return DOT_ERROR;
	}
	sqlite3_bind_text(st, 1, pattern != NULL ? pattern : "%", -1, SQLITE_TRANSIENT);
	while (sqlite3_step(st) == SQLITE_ROW) {
		if (n == cap) {
			int more = cap != 0 ? 2 * cap : 32;

			name = arena_grow(&s->scratch, name, (size_t)cap * sizeof *name,
					  (size_t)more * sizeof *name);
			cap = more;
		}
		name[n++] = compose(s, "%s", sqlite3_column_text(st, 0));
	}
	code = sqlite3_finalize(st);
	if (code != SQLITE_OK) {
		complain(s, "Error: %s\n", sqlite3_errmsg(s->db));
		return DOT_ERROR;
	}
	put_names(s, name, n);
	return DOT_OK;
}

/* .tables and .indexes: `kind` is the condition on the schema's rows. */
static int list_objects(struct dot *d, const char *kind)
{
	struct shell *s = d->s;
	struct buf sql = buf_in(&s->scratch);
	sqlite3_stmt *st;
	int code;

	if (!shell_open(s))
		return DOT_ERROR;
	st = prepare(s, "PRAGMA database_list", &code);
	if (code != SQLITE_OK) {
		complain(s, "Error: %s\n", sqlite3_errmsg(s->db));
		return DOT_ERROR;
	}
	while (sqlite3_step(st) == SQLITE_ROW) {
		const char *db = (const char *)sqlite3_column_text(st, 1);

		if (db == NULL)
			continue;
		buf_puts(&sql, sql.len > 0 ? " UNION ALL SELECT " : "SELECT ");
		if (sqlite3_stricmp(db, "main") == 0)
			buf_puts(&sql, "name");
		else
			buf_puts(&sql, compose(s, "%Q||'.'||name", db));
		buf_puts(&sql, compose(s, " FROM \"%w\".sqlite_schema WHERE %s", db, kind));
	}
	sqlite3_finalize(st);
	buf_puts(&sql, " ORDER BY 1");
	return put_query_names(s, buf_cstr(&sql), d->argc > 1 ? d->argv[1] : NULL);
}

int dot_tables(struct dot *d)
{
	return list_objects(d, "type IN ('table','view') AND name NOT LIKE 'sqlite\\_%' "
			       "ESCAPE '\\' AND name LIKE ?1");
}

int dot_indexes(struct dot *d)
{
	if (d->argc > 2) {
		complain(d->s, "Usage: .indexes ?LIKE-PATTERN?\n");
		return DOT_ERROR;
	}
	return list_objects(d, "type='index' AND tbl_name LIKE ?1");
}

int dot_databases(struct dot *d)
{
	struct shell *s = d->s;
	sqlite3_stmt *st;
	int code;

	if (!shell_open(s))
		return DOT_ERROR;
	st = prepare(s, "PRAGMA database_list", &code);
	if (code != SQLITE_OK) {
		complain(s, "Error: %s\n", sqlite3_errmsg(s->db));
		return DOT_ERROR;
	}
	while (sqlite3_step(st) == SQLITE_ROW) {
		const char *name = (const char *)sqlite3_column_text(st, 1);
		const char *file = (const char *)sqlite3_column_text(st, 2);
		static const char *const txn[] = { "", " read-txn", " write-txn" };
		int state = sqlite3_txn_state(s->db, name);

		say(s, "%s: %s %s%s\n", name, file != NULL && file[0] != '\0' ? file : "\"\"",
		    sqlite3_db_readonly(s->db, name) != 0 ? "r/o" : "r/w",
		    txn[state > 0 && state < 3 ? state : 0]);
	}
	sqlite3_finalize(st);
	return DOT_OK;
}

/* --- .schema --- */

/* A CREATE statement as it is shown: tables with quoted names get IF NOT EXISTS. */
static void put_schema_line(struct shell *s, const char *sql, const char *tail)
{
	if (sqlite3_strglob("CREATE TABLE ['\"]*", sql) == 0)
		say(s, "CREATE TABLE IF NOT EXISTS %s%s", sql + 13, tail);
	else
		say(s, "%s%s", sql, tail);
}

/* Blanks are joined, and none stand before parentheses and behind an opening one. */
static char *join_blanks(struct shell *s, const char *sql)
{
	struct buf out = buf_in(&s->scratch);

	for (; *sql != '\0'; sql++) {
		char before = out.len > 0 ? out.ptr[out.len - 1] : '\0';

		if (byte_is_space((unsigned char)*sql)) {
			if (out.len == 0 || byte_is_space((unsigned char)before) || before == '(')
				continue;
		} else if ((*sql == '(' || *sql == ')') && byte_is_space((unsigned char)before)) {
			out.len--;
		}
		buf_putc(&out, *sql);
	}
	while (out.len > 0 && byte_is_space((unsigned char)out.ptr[out.len - 1]))
		out.len--;
	return buf_cstr(&out);
}

/* Only blanks, or a comment, up to the end of the line. */
static bool blank_to_line_end(const char *p)
{
	for (; *p != '\0' && *p != '\n'; p++) {
		if (p[0] == '-' && p[1] == '-')
			return true;
		if (!byte_is_space((unsigned char)*p))
			return false;
	}
	return true;
}

/* A line for each column. What stands in quotes is looked at for parentheses like the rest: as
 * SQLite's shell does. */
static char *break_lines(struct shell *s, const char *sql)
{
	struct buf out = buf_in(&s->scratch);
	int depth = 0;
	int lines = 0;
	char end = '\0'; /* of a quoted part */
	size_t line_at = 0;

	for (; *sql != '\0'; sql++) {
		char ch = *sql;

		if (ch == end)
			end = '\0';
		else if (ch == '"' || ch == '\'' || ch == '`')
			end = ch;
		else if (ch == '[')
			end = ']';
		else if (ch == '-' && sql[1] == '-')
			end = '\n';
		else if (ch == '(')
			depth++;
		else if (ch == ')' && --depth == 0 && lines > 0 && out.len > line_at) {
			buf_putc(&out, '\n');
			line_at = out.len;
		}
		buf_putc(&out, ch);
		if (depth != 1 || end != '\0' ||
		    (ch != '(' && ch != '\n' && (ch != ',' || blank_to_line_end(sql + 1))))
			continue;
		if (ch == '\n')
			out.len--;
		buf_puts(&out, "\n  ");
		line_at = out.len;
		lines++;
		while (byte_is_space((unsigned char)sql[1]))
			sql++;
	}
	return buf_cstr(&out);
}

static void put_indented(struct shell *s, const char *sql)
{
	char *text = join_blanks(s, sql);

	put_schema_line(s, strlen(text) >= INDENT_FROM ? break_lines(s, text) : text, ";\n");
}

struct schema_options {
	const char *pattern;
	bool indent;
	bool no_system;
};

static int read_schema_options(struct dot *d, struct schema_options *o)
{
	for (int i = 1; i < d->argc; i++) {
		const char *word = d->argv[i];

		if (word[0] == '-') {
			const char *name = word[1] == '-' ? word + 2 : word + 1;

			if (strcmp(name, "indent") == 0) {
				o->indent = true;
			} else if (strcmp(name, "nosys") == 0) {
				o->no_system = true;
			} else {
				complain(d->s, "Unknown option: \"%s\"\n", word);
				return DOT_ERROR;
			}
		} else if (o->pattern == NULL) {
			o->pattern = word;
		} else {
			complain(d->s, "Usage: .schema ?--indent? ?--nosys? ?LIKE-PATTERN?\n");
			return DOT_ERROR;
		}
	}
	return DOT_OK;
}

/* The query that gives all statements of all databases in their order. */
static char *schema_query(struct shell *s, const struct schema_options *o)
{
	struct buf sql = buf_in(&s->scratch);
	int code;
	int n = 0;
	sqlite3_stmt *st = prepare(s, "SELECT name FROM pragma_database_list", &code);

	buf_puts(&sql, "SELECT sql FROM");
	for (; sqlite3_step(st) == SQLITE_ROW; n++) {
		const char *db = (const char *)sqlite3_column_text(st, 0);

		buf_puts(&sql, n == 0 ? "(" : " UNION ALL ");
		buf_puts(&sql,
			 compose(s,
				 "SELECT shell_add_schema(sql,%Q,name) AS sql, type, "
				 "tbl_name, name, rowid, %d AS snum, %Q AS sname FROM "
				 "\"%w\".sqlite_schema",
				 sqlite3_stricmp(db, "main") == 0 ? NULL : db, n + 1, db, db));
	}
	sqlite3_finalize(st);
	if (o->pattern != NULL)
		buf_puts(&sql, " UNION ALL SELECT shell_module_schema(name), 'table', name, "
			       "name, name, 9e+99, 'main' FROM pragma_module_list");
	buf_puts(&sql, ") WHERE ");
	if (o->pattern != NULL) {
		bool qualified = strchr(o->pattern, '.') != NULL;
		bool glob = strpbrk(o->pattern, "*?[") != NULL;

		buf_puts(&sql,
			 qualified ? "lower(printf('%s.%s',sname,tbl_name))" : "lower(tbl_name)");
		buf_puts(&sql,
			 compose(s, glob ? " GLOB lower(%Q)" : " LIKE %Q ESCAPE '\\'", o->pattern));
		buf_puts(&sql, " AND ");
	}
	if (o->no_system)
		buf_puts(&sql, "name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND ");
	buf_puts(&sql, "sql IS NOT NULL ORDER BY snum, rowid");
	return buf_cstr(&sql);
}

static int put_schema_query(struct shell *s, const char *sql, bool indent)
{
	int code;
	sqlite3_stmt *st = prepare(s, sql, &code);

	while (sqlite3_step(st) == SQLITE_ROW) {
		struct arena_mark mark = arena_mark(&s->scratch);
		const char *text = (const char *)sqlite3_column_text(st, 0);

		if (text == NULL)
			continue;
		if (indent && sqlite3_strlike("create view%", text, 0) != 0 &&
		    sqlite3_strlike("create trig%", text, 0) != 0)
			put_indented(s, text);
		else
			put_schema_line(s, text, ";\n");
		arena_release(&s->scratch, mark);
	}
	code = sqlite3_finalize(st);
	if (code != SQLITE_OK) {
		complain(s, "Error: querying schema information\n");
		return DOT_ERROR;
	}
	return DOT_OK;
}

/* The schema tables themselves, which have no statement. */
static void put_schema_table(struct shell *s, const char *name)
{
	bool temp = sqlite3_strlike(name, "sqlite_temp_schema", '\\') == 0 ||
		    sqlite3_strlike(name, "sqlite_temp_master", '\\') == 0;

	if (!temp && sqlite3_strlike(name, "sqlite_schema", '\\') != 0 &&
	    sqlite3_strlike(name, "sqlite_master", '\\') != 0)
		return;
	say(s,
	    "CREATE %sTABLE %s (\n  type text,\n  name text,\n  tbl_name text,\n"
	    "  rootpage integer,\n  sql text\n);\n",
	    temp ? "TEMP " : "", name);
}

int dot_schema(struct dot *d)
{
	struct schema_options o = { .pattern = NULL };

	if (!shell_open(d->s) || read_schema_options(d, &o) != DOT_OK)
		return DOT_ERROR;
	if (query_text(d->s, "SELECT count(*) FROM sqlite_schema") == NULL) {
		complain(d->s, "Error: %s\n", sqlite3_errmsg(d->s->db));
		return DOT_ERROR;
	}
	if (o.pattern != NULL)
		put_schema_table(d->s, o.pattern);
	return put_schema_query(d->s, schema_query(d->s, &o), o.indent);
}

/* --- .fullschema --- */

static void put_statistics(struct shell *s, const char *table)
{
	struct look look = s->look;
	char *error;
	char *kept = s->insert_table;

	mode_choose(s, MODE_INSERT);
	s->look.header = false;
	s->insert_table = compose(s, "%s", table);
	run_sql(s, compose(s, "SELECT * FROM %s", table), &error);
	sqlite3_free(error);
	s->insert_table = kept;
	s->look = look;
}

int dot_fullschema(struct dot *d)
{
	struct shell *s = d->s;
	bool indent = false;
	static const char *const tables[] = { "sqlite_stat1", "sqlite_stat4" };

	if (d->argc == 2 && sqlite3_strglob("-*indent", d->argv[1]) == 0) {
		indent = true;
	} else if (d->argc != 1) {
		complain(s, "Usage: .fullschema ?--indent?\n");
		return DOT_ERROR;
	}
	if (!shell_open(s))
		return DOT_ERROR;
	if (put_schema_query(s,
			     "SELECT sql FROM (SELECT sql sql, type type, tbl_name tbl_name, "
			     "name name, rowid x FROM sqlite_schema UNION ALL SELECT sql, type, "
			     "tbl_name, name, rowid FROM sqlite_temp_schema) WHERE type!='meta' "
			     "AND sql NOTNULL AND name NOT LIKE 'sqlite_%' ORDER BY x",
			     indent) != DOT_OK)
		return DOT_ERROR;
	if (query_text(s, "SELECT rowid FROM sqlite_schema WHERE name GLOB 'sqlite_stat[134]'") ==
	    NULL) {
		put(s, "/* No STAT tables available */\n");
		return DOT_OK;
	}
	put(s, "ANALYZE sqlite_schema;\n");
	for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
		put_statistics(s, tables[i]);
	put(s, "ANALYZE sqlite_schema;\n");
	return DOT_OK;
}
