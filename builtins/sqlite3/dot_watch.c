/* SPDX-License-Identifier: MIT
 *
 * Dot-commands that watch or check: .auth .trace .lint .binary
 */
#include "builtins/sqlite3/shell.h"

static int wrong(struct dot *d, const char *usage)
{
	complain(d->s, "%s\n", usage);
	return DOT_ERROR;
}

/* Nothing is translated at ends of lines. */
int dot_binary(struct dot *d)
{
	if (d->argc != 2)
		return wrong(d, "Usage: .binary on|off");
	read_boolean(d->s, d->argv[1]);
	return DOT_OK;
}

/* --- .auth --- */

static const char *const actions[] = {
	NULL,
	"CREATE_INDEX",
	"CREATE_TABLE",
	"CREATE_TEMP_INDEX",
	"CREATE_TEMP_TABLE",
	"CREATE_TEMP_TRIGGER",
	"CREATE_TEMP_VIEW",
	"CREATE_TRIGGER",
	"CREATE_VIEW",
	"DELETE",
	"DROP_INDEX",
	"DROP_TABLE",
	"DROP_TEMP_INDEX",
	"DROP_TEMP_TABLE",
	"DROP_TEMP_TRIGGER",
	"DROP_TEMP_VIEW",
	"DROP_TRIGGER",
	"DROP_VIEW",
	"INSERT",
	"PRAGMA",
	"READ",
	"SELECT",
	"TRANSACTION",
	"UPDATE",
	"ATTACH",
	"DETACH",
	"ALTER_TABLE",
	"REINDEX",
	"ANALYZE",
	"CREATE_VTABLE",
	"DROP_VTABLE",
	"FUNCTION",
	"SAVEPOINT",
	"RECURSIVE",
};

static int tell_action(void *arg, int action, const char *a, const char *b, const char *c,
		       const char *d)
{
	struct shell *s = arg;
	const char *words[] = { a, b, c, d };

	if (action <= 0 || (size_t)action >= sizeof actions / sizeof *actions)
		return SQLITE_OK;
	say(s, "authorizer: %s", actions[action]);
	for (int i = 0; i < 4; i++) {
		put(s, " ");
		if (words[i] != NULL)
			put_c_string(s, words[i]);
		else
			put(s, "NULL");
	}
	put(s, "\n");
	return sqlite_host_authorize(NULL, action, a, b, c, d);
}

int dot_auth(struct dot *d)
{
	if (d->argc != 2)
		return wrong(d, "Usage: .auth ON|OFF");
	if (!shell_open(d->s))
		return DOT_ERROR;
	sqlite3_set_authorizer(d->s->db,
			       read_boolean(d->s, d->argv[1]) ? tell_action : sqlite_host_authorize,
			       d->s);
	return DOT_OK;
}

/* --- .trace --- */

static int tell_statement(unsigned kind, void *arg, void *statement, void *text)
{
	struct shell *s = arg;
	char *expanded = NULL;
	const char *sql = text;
	size_t n;

	(void)kind;
	if (s->trace_expanded) {
		expanded = sqlite3_expanded_sql(statement);
		sql = expanded != NULL ? expanded : sql;
	}
	n = strlen(sql);
	while (n > 0 && sql[n - 1] == ';')
		n--;
	if (s->trace == &s->trace_out) {
		output_write(s->trace, sql, n);
		output_write(s->trace, ";\n", 2);
		if (!s->trace_closes)
			output_flush(s->trace);
	} else {
		put_bytes(s, (struct bytes){ sql, n });
		put(s, ";\n");
	}
	sqlite3_free(expanded);
	return 0;
}

void shell_end_trace(struct shell *s)
{
	if (s->trace == &s->trace_out && s->trace_closes)
		output_close(&s->trace_out);
	else if (s->trace == &s->trace_out)
		output_flush(&s->trace_out);
	s->trace = NULL;
}

/* Where statements are written; nowhere, after a message, if it can't be opened. */
static void open_trace(struct shell *s, const char *name)
{
	int err;

	shell_end_trace(s);
	if (strcmp(name, "off") == 0)
		return;
	if (strcmp(name, "stdout") == 0) {
		s->trace = s->out;
		return;
	}
	s->trace_closes = strcmp(name, "stderr") != 0;
	if (s->trace_closes) {
		err = output_open(&s->trace_out, s->c, name, O_TRUNC_, true);
		if (err != 0) {
			complain(s, "Error: cannot open \"%s\"\n", name);
			return;
		}
	} else {
		output_init(&s->trace_out, s->c, 2, true);
	}
	s->trace = &s->trace_out;
}

int dot_trace(struct dot *d)
{
	struct shell *s = d->s;

	if (!shell_open(s))
		return DOT_ERROR;
	for (int i = 1; i < d->argc; i++) {
		const char *word = d->argv[i];
		const char *name = word[0] == '-' && word[1] == '-' ? word + 1 : word;

		if (word[0] != '-') {
			open_trace(s, word);
		} else if (strcmp(name, "-expanded") == 0) {
			s->trace_expanded = true;
		} else if (strcmp(name, "-plain") == 0) {
			s->trace_expanded = false;
		} else {
			complain(s, "Unknown option \"%s\" on \".trace\"\n", word);
			return DOT_ERROR;
		}
	}
	sqlite3_trace_v2(s->db, s->trace != NULL ? SQLITE_TRACE_STMT : 0,
			 s->trace != NULL ? tell_statement : NULL, s);
	return DOT_OK;
}

/* --- .lint --- */

struct foreign_key {
	const char *parent;
	struct buf from;    /* 'x', 'y' */
	struct buf columns; /* x, y */
	struct buf to;      /* a,b */
	struct buf name;    /* c_x_y */
	struct buf test;    /* "x"=? AND "y"=? */
	struct buf plan;    /* x=? AND y=? */
};

/* Whether a search for a child's rows by the key's columns has an index. */
static bool has_index(struct shell *s, const char *table, struct foreign_key *k)
{
	int code;
	bool found = false;
	const char *wanted = compose(s, "(%s)", buf_cstr(&k->plan));
	sqlite3_stmt *st = prepare(s,
				   compose(s, "EXPLAIN QUERY PLAN SELECT 1 FROM %Q WHERE %s", table,
					   buf_cstr(&k->test)),
				   &code);

	while (code == SQLITE_OK && sqlite3_step(st) == SQLITE_ROW) {
		const char *detail = (const char *)sqlite3_column_text(st, 3);

		if (detail != NULL && strncmp(detail, "SEARCH ", 7) == 0)
			found |= strstr(detail, wanted) != NULL ||
				 strstr(detail, "USING INTEGER PRIMARY KEY (rowid=?)") != NULL;
	}
	sqlite3_finalize(st);
	return found;
}

/* A key's parent column: as it is named, or the seq-th of the parent's primary key. */
static const char *parent_column(struct shell *s, const char *parent, const char *name, int seq)
{
	const char *key;

	if (name != NULL)
		return compose(s, "%s", name);
	key = query_text(s, compose(s, "SELECT name FROM pragma_table_info(%Q) WHERE pk=%d", parent,
				    seq + 1));
	return key != NULL ? key : "";
}

static void add_column(struct shell *s, struct foreign_key *k, sqlite3_stmt *st, int seq)
{
	const char *from = compose(s, "%s", (const char *)sqlite3_column_text(st, 3));
	bool first = seq == 0;

	if (first)
		k->parent = compose(s, "%s", (const char *)sqlite3_column_text(st, 2));
	buf_puts(&k->from, compose(s, "%s%Q", first ? "" : ", ", from));
	buf_printf(&k->columns, "%s%s", first ? "" : ", ", from);
	buf_printf(&k->to, "%s%s", first ? "" : ",",
		   parent_column(s, k->parent, (const char *)sqlite3_column_text(st, 4), seq));
	buf_printf(&k->name, "_%s", from);
	buf_puts(&k->test, compose(s, "%s\"%w\"=?", first ? "" : " AND ", from));
	buf_printf(&k->plan, "%s%s=?", first ? "" : " AND ", from);
}

struct lint {
	bool verbose;
	bool by_parent;
	const char *parent; /* told last */
};

static void tell_key(struct shell *s, struct lint *l, const char *table, struct foreign_key *k)
{
	const char *indent = l->by_parent ? "    " : "";

	if (l->by_parent && (l->parent == NULL || sqlite3_stricmp(l->parent, k->parent) != 0)) {
		l->parent = k->parent;
		say(s, "-- Parent table %s\n", k->parent);
	}
	if (!has_index(s, table, k))
		say(s, "%sCREATE INDEX '%q%q' ON %Q(%s); --> %s(%s)\n", indent, table,
		    buf_cstr(&k->name), table, buf_cstr(&k->from), k->parent, buf_cstr(&k->to));
	else if (l->verbose)
		say(s, "%s/* no extra indexes required for %s(%s) -> %s(%s) */\n", indent, table,
		    buf_cstr(&k->columns), k->parent, buf_cstr(&k->to));
}

static int lint_keys(struct shell *s, struct lint *l)
{
	int code;
	sqlite3_stmt *st = prepare(
		s,
		compose(s,
			"SELECT s.name, f.id, f.\"table\", f.\"from\", f.\"to\", f.seq FROM "
			"sqlite_schema AS s, pragma_foreign_key_list(s.name) AS f "
			"WHERE s.type='table' ORDER BY %s s.rowid, f.id, f.seq",
			l->by_parent ? "f.\"table\" COLLATE nocase," : ""),
		&code);
	struct foreign_key k = { 0 };
	const char *table = NULL;

	if (code != SQLITE_OK) {
		complain(s, "%s\n", sqlite3_errmsg(s->db));
		return DOT_ERROR;
	}
	while (sqlite3_step(st) == SQLITE_ROW) {
		int seq = sqlite3_column_int(st, 5);

		if (seq == 0 && table != NULL)
			tell_key(s, l, table, &k);
		if (seq == 0) {
			struct buf empty = buf_in(&s->scratch);

			table = compose(s, "%s", (const char *)sqlite3_column_text(st, 0));
			k = (struct foreign_key){ NULL, empty, empty, empty, empty, empty, empty };
		}
		add_column(s, &k, st, seq);
	}
	if (table != NULL)
		tell_key(s, l, table, &k);
	sqlite3_finalize(st);
	return DOT_OK;
}

int dot_lint(struct dot *d)
{
	static const char usage[] =
		"Usage lint sub-command ?switches...?\nWhere sub-commands are:\n"
		"    fkey-indexes";
	struct lint l = { false, false, NULL };
	size_t n = d->argc >= 2 ? strlen(d->argv[1]) : 0;

	if (!shell_open(d->s))
		return DOT_ERROR;
	/* A wrong use is told, but is no error. */
	if (n == 0 || strncmp("fkey-indexes", d->argv[1], n) != 0) {
		wrong(d, usage);
		return DOT_OK;
	}
	for (int i = 2; i < d->argc; i++) {
		const char *word = d->argv[i];

		n = strlen(word);
		if (n > 1 && sqlite3_strnicmp("-verbose", word, (int)n) == 0) {
			l.verbose = true;
		} else if (n > 1 && sqlite3_strnicmp("-groupbyparent", word, (int)n) == 0) {
			l.by_parent = true;
		} else {
			wrong(d, compose(d->s, "Usage: %s %s ?-verbose? ?-groupbyparent?",
					 d->argv[0], d->argv[1]));
			return DOT_OK;
		}
	}
	return lint_keys(d->s, &l);
}
