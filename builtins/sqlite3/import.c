/* SPDX-License-Identifier: MIT
 *
 * .import: rows of a file, or of a command's output, into a table.
 */
#include "builtins/sqlite3/shell.h"

enum { COLUMNS_MAX = 2000 };

struct import {
	struct shell *s;
	struct input in;
	const char *file;  /* as in messages */
	const char *table; /* without quotes */
	const char *schema;
	bool has_schema; /* it was given */
	bool csv;        /* fields may be quoted; else separators only */
	bool verbose;
	int64_t skip;
	unsigned char column_sep;
	unsigned char row_sep;
	int64_t line;      /* of the record's last byte */
	int64_t record_at; /* line of its first */
	int64_t rows;
	int64_t errors;
	struct buf field;
	int ended_by; /* the byte behind the field, or -1 at the end */
	bool after_bom;
};

static int next_byte(struct import *im)
{
	int ch = input_byte(&im->in);

	if (ch == '\n')
		im->line++;
	return ch < 0 ? -1 : ch;
}

/* --- fields --- */

/* A quoted field, behind its first quote. Doubled quotes are one. */
static void read_quoted(struct import *im)
{
	int ch;
	int before = 0;
	int64_t from = im->line;

	for (;; before = ch) {
		ch = next_byte(im);
		if (ch == '"' && before != '"') {
			continue;
		}
		if (before == '"') {
			if (ch == '"') {
				buf_putc(&im->field, '"');
				ch = 0;
				continue;
			}
			if (ch == im->column_sep || ch == im->row_sep || ch == -1)
				break;
			if (ch == '\r') {
				int next = next_byte(im);

				if (next == im->row_sep) {
					ch = next;
					break;
				}
				buf_putc(&im->field, '"');
				buf_putc(&im->field, '\r');
				ch = next;
				if (ch == -1)
					break;
			} else {
				complain(im->s, "%s:%lld: unescaped %c character\n", im->file,
					 im->line, '"');
				buf_putc(&im->field, '"');
			}
		}
		if (ch == -1) {
			complain(im->s, "%s:%lld: unterminated %c-quoted field\n", im->file, from,
				 '"');
			break;
		}
		buf_putc(&im->field, (char)ch);
	}
	im->ended_by = ch;
}

static void read_plain(struct import *im, int ch)
{
	while (ch != -1 && ch != im->column_sep && ch != im->row_sep) {
		buf_putc(&im->field, (char)ch);
		ch = next_byte(im);
	}
	if (im->csv && ch == im->row_sep && ch == '\n' && im->field.len > 0 &&
	    im->field.ptr[im->field.len - 1] == '\r')
		im->field.ptr[--im->field.len] = '\0';
	im->ended_by = ch;
}

/* The next field as a C string, or NULL at the end of the file. Valid until the next. */
static const char *read_field(struct import *im)
{
	int ch = next_byte(im);

	im->field.len = 0;
	cmd_charge(im->s->c, 1);
	if (ch == -1) {
		im->ended_by = -1;
		return NULL;
	}
	if (!im->after_bom && im->csv && ch == 0xef) {
		int second = next_byte(im);
		int third = second == 0xbb ? next_byte(im) : -1;

		im->after_bom = true;
		if (third == 0xbf)
			return read_field(im);
		buf_putc(&im->field, (char)ch);
		if (second != -1)
			buf_putc(&im->field, (char)second);
		ch = third;
	}
	im->after_bom = true;
	if (im->csv && ch == '"' && im->field.len == 0)
		read_quoted(im);
	else
		read_plain(im, ch);
	return buf_cstr(&im->field);
}

/* --- the table --- */

static int column_count(struct import *im)
{
	struct shell *s = im->s;
	int code;
	sqlite3_stmt *st = prepare(
		s, compose(s, "SELECT * FROM \"%w\".\"%w\"", im->schema, im->table), &code);
	int n = code == SQLITE_OK ? sqlite3_column_count(st) : -1;

	sqlite3_finalize(st);
	return n;
}

struct names {
	char **wanted;
	char **given;
	int n;
};

/* Whether another column of the file has the name. */
static bool is_taken(const struct names *names, const char *name, int except)
{
	for (int i = 0; i < names->n; i++)
		if (i != except && sqlite3_stricmp(names->wanted[i], name) == 0)
			return true;
	return false;
}

/* Gives columns with the same name their number, with so many digits that it is a new name. */
static void make_unique(struct import *im, struct names *names)
{
	struct shell *s = im->s;
	bool told = false;

	for (int i = 0; i < names->n; i++) {
		int digits = 1;

		names->given[i] = names->wanted[i];
		cmd_charge(s->c, (uint64_t)names->n);
		if (!is_taken(names, names->wanted[i], i))
			continue;
		do
			names->given[i] = compose(s, "%s_%0*d", names->wanted[i], digits, i + 1);
		while (is_taken(names, names->given[i], -1) && digits++ < 9);
		if (!told)
			complain(s,
				 "Columns renamed during .import %s due to duplicates:", im->file);
		complain(s, "%s\n\"%w\" to \"%w\"", told ? "," : "", names->wanted[i],
			 names->given[i]);
		told = true;
	}
	if (told)
		complain(s, "\n");
}

static char *create_statement(struct import *im, const struct names *names)
{
	enum { PER_LINE = 4 };
	struct shell *s = im->s;
	struct buf sql = buf_in(&s->scratch);

	buf_puts(&sql, im->has_schema
			       ? compose(s, "CREATE TABLE \"%w\".\"%w\"(\n", im->schema, im->table)
			       : compose(s, "CREATE TABLE \"%w\"(\n", im->table));
	for (int i = 0; i < names->n; i++) {
		if (i > 0)
			buf_puts(&sql, i % PER_LINE == 0 ? ",\n " : ", ");
		buf_puts(&sql, compose(s, "\"%w\" TEXT", names->given[i]));
	}
	buf_puts(&sql, ")\n");
	return buf_cstr(&sql);
}

/* CREATE TABLE by the names in the first record. */
static int make_table(struct import *im)
{
	struct shell *s = im->s;
	struct names names = {
		.wanted = arena_array(&s->scratch, COLUMNS_MAX, sizeof *names.wanted),
		.given = arena_array(&s->scratch, COLUMNS_MAX, sizeof *names.given),
	};
	const char *field;
	char *error = NULL;
	char *sql;

	while ((field = read_field(im)) != NULL) {
		if (names.n < COLUMNS_MAX)
			names.wanted[names.n++] = compose(s, "%s", field[0] != '\0' ? field : "?");
		if (im->ended_by != im->column_sep)
			break;
	}
	if (names.n == 0) {
		complain(s, "%s: empty file\n", im->file);
		return DOT_ERROR;
	}
	make_unique(im, &names);
	sql = create_statement(im, &names);
	if (im->verbose)
		say(s, "%s\n", sql);
	if (sqlite3_exec(s->db, sql, NULL, NULL, &error) != SQLITE_OK) {
		complain(s, "%s failed:\n%s\n", sql, error);
		sqlite3_free(error);
		return DOT_ERROR;
	}
	return DOT_OK;
}

/* --- rows --- */

/* Binds one record. False: the end of the file. */
static bool bind_record(struct import *im, sqlite3_stmt *insert, int columns)
{
	struct shell *s = im->s;
	int64_t start = im->line;
	int extra = 0;
	int i = 0;

	for (; i < columns; i++) {
		const char *field = read_field(im);

		if (field == NULL && i == 0)
			return false;
		if (field == NULL && s->look.mode == MODE_ASCII && i == 0)
			return false;
		sqlite3_bind_text(insert, i + 1, field, -1, SQLITE_TRANSIENT);
		if (i < columns - 1 && im->ended_by != im->column_sep) {
			complain(s,
				 "%s:%lld: expected %d columns but found %d - filling the rest "
				 "with NULL\n",
				 im->file, start, columns, i + 1);
			for (i += 2; i <= columns; i++)
				sqlite3_bind_null(insert, i);
			break;
		}
	}
	if (im->ended_by == im->column_sep) {
		do {
			read_field(im);
			extra++;
		} while (im->ended_by == im->column_sep);
		complain(s, "%s:%lld: expected %d columns but found %d - extras ignored\n",
			 im->file, start, columns, columns + extra);
	}
	im->record_at = start;
	return true;
}

static void insert_rows(struct import *im, sqlite3_stmt *insert, int columns)
{
	struct shell *s = im->s;

	while (bind_record(im, insert, columns)) {
		sqlite3_step(insert);
		if (sqlite3_reset(insert) == SQLITE_OK) {
			im->rows++;
		} else {
			complain(s, "%s:%lld: INSERT failed: %s\n", im->file, im->record_at,
				 sqlite3_errmsg(s->db));
			im->errors++;
		}
		if (im->ended_by == -1)
			break;
	}
}

static int import_rows(struct import *im)
{
	struct shell *s = im->s;
	struct buf sql = buf_in(&s->scratch);
	bool own_transaction = sqlite3_get_autocommit(s->db) != 0;
	int columns = column_count(im);
	sqlite3_stmt *insert;
	int code;

	if (columns < 0) {
		if (make_table(im) != DOT_OK)
			return DOT_ERROR;
		columns = column_count(im);
	}
	if (columns <= 0)
		return columns == 0 ? DOT_OK : DOT_ERROR;
	buf_puts(&sql, compose(s, "INSERT INTO \"%w\".\"%w\" VALUES(?", im->schema, im->table));
	for (int i = 1; i < columns; i++)
		buf_puts(&sql, ",?");
	buf_puts(&sql, ")");
	insert = prepare(s, buf_cstr(&sql), &code);
	if (code != SQLITE_OK) {
		complain(s, "Error: %s\n", sqlite3_errmsg(s->db));
		return DOT_ERROR;
	}
	if (own_transaction)
		sqlite3_exec(s->db, "BEGIN", NULL, NULL, NULL);
	insert_rows(im, insert, columns);
	sqlite3_finalize(insert);
	if (own_transaction)
		sqlite3_exec(s->db, "COMMIT", NULL, NULL, NULL);
	if (im->verbose)
		say(s, "Added %lld rows with %lld errors using %lld lines of input\n", im->rows,
		    im->errors, im->line - 1);
	return DOT_OK;
}

/* --- the command --- */

static int usage(struct dot *d, const char *format, const char *what)
{
	complain(d->s, format, what);
	dot_help(d->s, "import", false);
	return DOT_ERROR;
}

static int read_words(struct dot *d, struct import *im, bool *separators)
{
	for (int i = 1; i < d->argc; i++) {
		const char *word = d->argv[i];
		const char *name = word[0] == '-' && word[1] == '-' ? word + 1 : word;

		if (word[0] != '-') {
			if (im->file == NULL)
				im->file = word;
			else if (im->table == NULL)
				im->table = word;
			else
				return usage(d, "ERROR: extra argument: \"%s\".  Usage:\n", word);
		} else if (strcmp(name, "-v") == 0) {
			im->verbose = true;
		} else if (strcmp(name, "-schema") == 0 && i < d->argc - 1) {
			im->schema = d->argv[++i];
			im->has_schema = true;
		} else if (strcmp(name, "-skip") == 0 && i < d->argc - 1) {
			im->skip = read_integer(d->argv[++i]);
		} else if (strcmp(name, "-ascii") == 0) {
			im->column_sep = 0x1f;
			im->row_sep = 0x1e;
			im->csv = false;
			*separators = true;
		} else if (strcmp(name, "-csv") == 0) {
			im->column_sep = ',';
			im->row_sep = '\n';
			im->csv = true;
			*separators = true;
		} else {
			return usage(d, "ERROR: unknown option: \"%s\".  Usage:\n", name);
		}
	}
	if (im->table == NULL)
		return usage(d, "ERROR: missing %s argument. Usage:\n",
			     im->file == NULL ? "FILE" : "TABLE");
	return DOT_OK;
}

/* Without --csv or --ascii: those of the output mode. */
static int take_separators(struct import *im)
{
	struct look *look = &im->s->look;
	size_t columns = strlen(look->column_sep);
	size_t rows = strlen(look->row_sep);

	if (columns != 1 || rows == 0) {
		complain(im->s,
			 columns == 0  ? "Error: non-null column separator required for import\n"
			 : columns > 1 ? "Error: multi-character column separators not allowed for "
					 "import\n"
				       : "Error: non-null row separator required for import\n");
		return DOT_ERROR;
	}
	im->csv = look->mode != MODE_ASCII;
	im->column_sep = (unsigned char)look->column_sep[0];
	im->row_sep = (unsigned char)look->row_sep[0];
	if (rows == 2 && look->mode == MODE_CSV && strcmp(look->row_sep, "\r\n") == 0) {
		/* It stays so for what is written later. */
		im->row_sep = '\n';
		memcpy(look->row_sep, "\n", 2);
		rows = 1;
	}
	if (rows > 1) {
		complain(im->s, "Error: multi-character row separators not allowed for import\n");
		return DOT_ERROR;
	}
	return DOT_OK;
}

static int open_source(struct import *im, int *pid)
{
	struct cmd *c = im->s->c;
	char sh[] = "sh";
	char flag[] = "-c";
	char *argv[] = { sh, flag, arena_dup(&im->s->scratch, bytes_of(im->file + 1)), NULL };
	int fds[2];

	if (im->file[0] != '|')
		return input_open(&im->in, c, im->file);
	if (cmd_pipe(c, fds) != 0)
		return -E_MFILE;
	*pid = cmd_spawn(c, &(struct cmd_program){
				    .argv = argv, .fds = (int[]){ 0, fds[1], 2 }, .nfds = 3 });
	cmd_close(c, fds[1]);
	input_init(&im->in, c, fds[0], im->file);
	im->file = "<pipe>";
	return 0;
}

int dot_import(struct dot *d)
{
	struct shell *s = d->s;
	struct import im = {
		.s = s,
		.schema = "main",
		.line = 1,
		.field = buf_in(&s->scratch),
	};
	bool separators = false;
	int pid = 0;
	int status;
	int result;

	if (read_words(d, &im, &separators) != DOT_OK)
		return DOT_ERROR;
	if (!shell_open(s) || (!separators && take_separators(&im) != DOT_OK))
		return DOT_ERROR;
	if (open_source(&im, &pid) != 0) {
		complain(s, "Error: cannot open \"%s\"\n", im.file);
		return DOT_ERROR;
	}
	while (im.skip-- > 0)
		do
			read_field(&im);
		while (im.ended_by == im.column_sep);
	result = import_rows(&im);
	input_close(&im.in);
	if (pid > 0)
		cmd_wait(s->c, pid, &status, false);
	return result;
}
