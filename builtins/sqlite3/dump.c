/* SPDX-License-Identifier: MIT
 *
 * .dump: a database as SQL. .clone: its tables and rows in another file.
 */
#include "builtins/sqlite3/shell.h"

struct dump {
	struct shell *s;
	bool data_only;
	bool preserve_rowids;
	bool newlines; /* stay as they are */
	bool no_system;
	bool writable_schema; /* PRAGMA writable_schema=ON was printed */
	int errors;
};

static void put_create(struct dump *d, const char *sql)
{
	if (sqlite3_strglob("CREATE TABLE ['\"]*", sql) == 0)
		say(d->s, "CREATE TABLE IF NOT EXISTS %s;\n", sql + 13);
	else
		say(d->s, "%s;\n", sql);
}

/* The columns of a table; names[0] is its rowid's name if that is to be kept, else NULL. */
static char **column_names(struct dump *d, const char *table, int *n)
{
	static const char *const rowid_names[] = { "rowid", "_rowid_", "oid" };
	struct shell *s = d->s;
	char **names = arena_array(&s->scratch, 2002, sizeof *names);
	int code;
	int keys = 0;
	bool integer_key = false;
	bool preserve = d->preserve_rowids;
	sqlite3_stmt *st = prepare(s, compose(s, "PRAGMA table_info=%Q", table), &code);

	*n = 0;
	while (sqlite3_step(st) == SQLITE_ROW && *n < 2000) {
		const char *name = (const char *)sqlite3_column_text(st, 1);

		names[++*n] = compose(s, "%s", name);
		if (sqlite3_column_int(st, 5) == 0)
			continue;
		keys++;
		integer_key = keys == 1 && sqlite3_stricmp((const char *)sqlite3_column_text(st, 2),
							   "INTEGER") == 0;
	}
	sqlite3_finalize(st);
	/* An INTEGER PRIMARY KEY is the rowid; if it is none, an index shows it. */
	if (preserve && integer_key)
		preserve = query_text(s, compose(s,
						 "SELECT 1 FROM pragma_index_list(%Q) WHERE "
						 "origin='pk'",
						 table)) != NULL;
	for (int i = 0; preserve && i < 3; i++) {
		bool taken = false;

		for (int j = 1; j <= *n; j++)
			taken = taken || sqlite3_stricmp(rowid_names[i], names[j]) == 0;
		if (taken)
			continue;
		if (sqlite3_table_column_metadata(s->db, NULL, table, rowid_names[i], NULL, NULL,
						  NULL, NULL, NULL) == SQLITE_OK)
			names[0] = compose(s, "%s", rowid_names[i]);
		break;
	}
	return names;
}

static int put_rows(struct dump *d, const char *table, char **names, int n, const char *order)
{
	struct shell *s = d->s;
	struct buf head = buf_in(&s->scratch);
	struct buf query = buf_in(&s->scratch);
	const char *quoted = quote_name(s, table);
	sqlite3_stmt *st;
	int code;

	buf_printf(&head, "INSERT INTO %s", quoted);
	buf_puts(&query, "SELECT ");
	if (names[0] != NULL) {
		buf_printf(&head, "(%s", names[0]);
		for (int i = 1; i <= n; i++)
			buf_printf(&head, ",%s", quote_name(s, names[i]));
		buf_puts(&head, ")");
		buf_printf(&query, "%s,", names[0]);
	}
	for (int i = 1; i <= n; i++)
		buf_printf(&query, "%s%s", i > 1 ? "," : "", quote_name(s, names[i]));
	buf_printf(&query, " FROM %s%s", quoted, order);
	st = prepare(s, buf_cstr(&query), &code);
	while ((code = sqlite3_step(st)) == SQLITE_ROW) {
		struct arena_mark mark = arena_mark(&s->scratch);

		put_bytes(s, buf_bytes(&head));
		for (int i = 0; i < sqlite3_column_count(st); i++) {
			put(s, i > 0 ? "," : " VALUES(");
			put_sql_value(s, st, i, !d->newlines);
		}
		put(s, ");\n");
		cmd_charge(s->c, 1);
		arena_release(&s->scratch, mark);
	}
	return sqlite3_finalize(st);
}

static void dump_rows(struct dump *d, const char *table)
{
	struct shell *s = d->s;
	int n;
	char **names = column_names(d, table, &n);
	int code = n > 0 ? put_rows(d, table, names, n, "") : SQLITE_OK;

	if ((code & 0xff) == SQLITE_CORRUPT) {
		put(s, "/****** CORRUPTION ERROR *******/\n");
		code = put_rows(d, table, names, n, " ORDER BY rowid DESC");
	}
	if (code != SQLITE_OK) {
		say(s, "/****** ERROR: %s ******/\n", sqlite3_errmsg(s->db));
		d->errors++;
	}
}

static void dump_table(struct dump *d, const char *table, const char *type, const char *sql)
{
	struct shell *s = d->s;

	if (strcmp(table, "sqlite_sequence") == 0 && !d->no_system) {
		if (!d->data_only)
			put(s, "DELETE FROM sqlite_sequence;\n");
	} else if (sqlite3_strglob("sqlite_stat?", table) == 0 && !d->no_system) {
		if (!d->data_only)
			put(s, "ANALYZE sqlite_schema;\n");
	} else if (strncmp(table, "sqlite_", 7) == 0) {
		return;
	} else if (d->data_only) {
		/* No statement that makes it. */
	} else if (strncmp(sql, "CREATE VIRTUAL TABLE", 20) == 0) {
		if (!d->writable_schema)
			put(s, "PRAGMA writable_schema=ON;\n");
		d->writable_schema = true;
		say(s,
		    "INSERT INTO sqlite_schema(type,name,tbl_name,rootpage,sql)"
		    "VALUES('table','%q','%q',0,'%q');\n",
		    table, table, sql);
		return;
	} else {
		put_create(d, sql);
	}
	if (strcmp(type, "table") == 0)
		dump_rows(d, table);
}

static void dump_tables(struct dump *d, const char *like)
{
	struct shell *s = d->s;
	int code;
	sqlite3_stmt *st = prepare(
		s,
		compose(s,
			"SELECT name, type, sql FROM sqlite_schema AS o WHERE (%s) AND "
			"type=='table' AND sql NOT NULL ORDER BY tbl_name='sqlite_sequence', rowid",
			like),
		&code);

	while ((code = sqlite3_step(st)) == SQLITE_ROW) {
		struct arena_mark mark = arena_mark(&s->scratch);
		char *name = compose(s, "%s", sqlite3_column_text(st, 0));
		char *type = compose(s, "%s", sqlite3_column_text(st, 1));
		char *sql = compose(s, "%s", sqlite3_column_text(st, 2));

		dump_table(d, name, type, sql);
		arena_release(&s->scratch, mark);
	}
	code = sqlite3_finalize(st);
	if (code != SQLITE_OK) {
		say(s, "/****** ERROR: %s ******/\n", sqlite3_errmsg(s->db));
		d->errors++;
	}
}

static void dump_others(struct dump *d, const char *like)
{
	int code;
	sqlite3_stmt *st = prepare(
		d->s,
		compose(d->s,
			"SELECT sql FROM sqlite_schema AS o WHERE (%s) AND sql NOT NULL "
			"AND type IN ('index','trigger','view')",
			like),
		&code);

	while (sqlite3_step(st) == SQLITE_ROW) {
		const char *sql = (const char *)sqlite3_column_text(st, 0);

		if (sql != NULL)
			say(d->s, "%s;\n", sql);
	}
	sqlite3_finalize(st);
}

/* An option, or a pattern added to *like. */
static int take_word(struct dump *d, struct buf *like, const char *word)
{
	const char *name = word[1] == '-' ? word + 2 : word + 1;

	if (word[0] != '-') {
		if (like->len > 0)
			buf_puts(like, " OR ");
		buf_puts(like, compose(d->s,
				       "name LIKE %Q ESCAPE '\\' OR EXISTS (  SELECT 1 FROM "
				       "sqlite_schema WHERE     name LIKE %Q ESCAPE '\\' AND    "
				       "sql LIKE 'CREATE VIRTUAL TABLE%%' AND    substr(o.name, 1, "
				       "length(name)+1) == (name||'_'))",
				       word, word));
		return DOT_OK;
	}
	if (strcmp(name, "preserve-rowids") == 0)
		d->preserve_rowids = true;
	else if (strcmp(name, "newlines") == 0)
		d->newlines = true;
	else if (strcmp(name, "data-only") == 0)
		d->data_only = true;
	else if (strcmp(name, "nosys") == 0)
		d->no_system = true;
	else {
		complain(d->s, "Unknown option \"%s\" on \".dump\"\n", word);
		return DOT_ERROR;
	}
	return DOT_OK;
}

int dot_dump(struct dot *dot)
{
	struct shell *s = dot->s;
	struct dump d = { .s = s };
	struct buf patterns = buf_in(&s->scratch);
	const char *like;

	for (int i = 1; i < dot->argc; i++)
		if (take_word(&d, &patterns, dot->argv[i]) != DOT_OK)
			return DOT_ERROR;
	if (!shell_open(s))
		return DOT_ERROR;
	like = patterns.len > 0 ? buf_cstr(&patterns) : "true";
	if (!d.data_only)
		put(s, "PRAGMA foreign_keys=OFF;\nBEGIN TRANSACTION;\n");
	sqlite3_exec(s->db, "SAVEPOINT dump; PRAGMA writable_schema=ON", NULL, NULL, NULL);
	dump_tables(&d, like);
	if (!d.data_only)
		dump_others(&d, like);
	if (d.writable_schema)
		put(s, "PRAGMA writable_schema=OFF;\n");
	sqlite3_exec(s->db, "PRAGMA writable_schema=OFF;", NULL, NULL, NULL);
	sqlite3_exec(s->db, "RELEASE dump;", NULL, NULL, NULL);
	if (!d.data_only)
		put(s, d.errors > 0 ? "ROLLBACK; -- due to errors\n" : "COMMIT;\n");
	return DOT_OK;
}

/* --- .clone --- */

static void clone_rows(struct shell *s, sqlite3 *to, const char *table)
{
	int code;
	sqlite3_stmt *from = prepare(s, compose(s, "SELECT * FROM \"%w\"", table), &code);
	struct buf sql = buf_in(&s->scratch);
	sqlite3_stmt *insert = NULL;
	int n = sqlite3_column_count(from);

	if (code != SQLITE_OK) {
		complain(s, "Error %d: %s on [%s]\n", sqlite3_extended_errcode(s->db),
			 sqlite3_errmsg(s->db), table);
		return;
	}
	buf_puts(&sql, compose(s, "INSERT OR IGNORE INTO \"%w\" VALUES(?", table));
	for (int i = 1; i < n; i++)
		buf_puts(&sql, ",?");
	buf_puts(&sql, ");");
	if (sqlite3_prepare_v2(to, buf_cstr(&sql), -1, &insert, NULL) != SQLITE_OK) {
		complain(s, "Error %d: %s on [%s]\n", sqlite3_extended_errcode(to),
			 sqlite3_errmsg(to), buf_cstr(&sql));
		n = 0;
	}
	while (n > 0 && sqlite3_step(from) == SQLITE_ROW) {
		for (int i = 0; i < n; i++)
			sqlite3_bind_value(insert, i + 1, sqlite3_column_value(from, i));
		sqlite3_step(insert);
		sqlite3_reset(insert);
	}
	sqlite3_finalize(insert);
	sqlite3_finalize(from);
}

static void clone_schema(struct shell *s, sqlite3 *to, const char *where, bool rows)
{
	int code;
	sqlite3_stmt *st = prepare(
		s, compose(s, "SELECT name, sql FROM sqlite_schema WHERE %s", where), &code);

	while (sqlite3_step(st) == SQLITE_ROW) {
		struct arena_mark mark = arena_mark(&s->scratch);
		char *name = compose(s, "%s", sqlite3_column_text(st, 0));
		char *sql = compose(s, "%s", sqlite3_column_text(st, 1));
		char *error = NULL;

		if (sql[0] != '\0') {
			say(s, "%s... ", name);
			sqlite3_exec(to, sql, NULL, NULL, &error);
			if (error != NULL)
				complain(s, "Error: %s\nSQL: [%s]\n", error, sql);
			sqlite3_free(error);
			if (rows)
				clone_rows(s, to, name);
			put(s, "done\n");
		}
		arena_release(&s->scratch, mark);
	}
	sqlite3_finalize(st);
}

int dot_clone(struct dot *d)
{
	struct shell *s = d->s;
	sqlite3 *to = NULL;

	if (d->argc != 2) {
		complain(s, "Usage: .clone FILENAME\n");
		return DOT_ERROR;
	}
	if (!shell_open(s))
		return DOT_ERROR;
	if (cmd_access(s->c, CMD_CWD, d->argv[1], 0) == 0) {
		complain(s, "File \"%s\" already exists.\n", d->argv[1]);
		return DOT_OK;
	}
	if (sqlite3_open(d->argv[1], &to) != SQLITE_OK) {
		complain(s, "Cannot create output database: %s\n", sqlite3_errmsg(to));
	} else {
		sqlite_host_guard(to);
		sqlite3_exec(s->db, "PRAGMA writable_schema=ON;", NULL, NULL, NULL);
		sqlite3_exec(to, "BEGIN EXCLUSIVE;", NULL, NULL, NULL);
		clone_schema(s, to, "type='table'", true);
		clone_schema(s, to, "type!='table'", false);
		sqlite3_exec(to, "COMMIT;", NULL, NULL, NULL);
		sqlite3_exec(s->db, "PRAGMA writable_schema=OFF;", NULL, NULL, NULL);
	}
	sqlite3_close(to);
	return DOT_OK;
}
