/* SPDX-License-Identifier: MIT
 *
 * SQL functions and collations that the shell adds to the library's.
 */
#include "builtins/sqlite3/shell.h"

#include "base/regex.h"

static struct shell *shell_of(sqlite3_context *ctx)
{
	return sqlite3_user_data(ctx);
}

/* --- of .schema --- */

static const char *quote_schema(struct shell *s, const char *schema)
{
	return sqlite3_stricmp(schema, "temp") == 0 ? schema : quote_name(s, schema);
}

/* "name(column,column)" of a table or view; NULL if it has no columns. */
static char *columns_text(struct shell *s, sqlite3 *db, const char *schema, const char *name)
{
	sqlite3_stmt *st = NULL;
	struct buf out = buf_in(&s->scratch);
	bool any = false;

	sqlite3_prepare_v2(
		db,
		compose(s, "PRAGMA \"%w\".table_info=%Q;", schema != NULL ? schema : "main", name),
		-1, &st, NULL);
	if (schema != NULL)
		buf_printf(&out, "%s.", quote_schema(s, schema));
	buf_printf(&out, "%s", quote_name(s, name));
	while (sqlite3_step(st) == SQLITE_ROW) {
		buf_putc(&out, any ? ',' : '(');
		any = true;
		buf_puts(&out, quote_name(s, (const char *)sqlite3_column_text(st, 1)));
	}
	sqlite3_finalize(st);
	buf_putc(&out, ')');
	return any ? buf_cstr(&out) : NULL;
}

static void module_schema(sqlite3_context *ctx, int n, sqlite3_value **args)
{
	struct shell *s = shell_of(ctx);
	const char *name = (const char *)sqlite3_value_text(args[0]);
	char *text;

	(void)n;
	if (name == NULL)
		return;
	text = columns_text(s, sqlite3_context_db_handle(ctx), NULL, name);
	if (text != NULL)
		sqlite3_result_text(ctx, compose(s, "/* %s */", text), -1, SQLITE_TRANSIENT);
}

/* The statement with its database's name, and the columns of a view or virtual table behind. */
static void add_schema(sqlite3_context *ctx, int n, sqlite3_value **args)
{
	static const char *const kinds[] = { "TABLE", "INDEX",   "UNIQUE INDEX",
					     "VIEW",  "TRIGGER", "VIRTUAL TABLE" };
	struct shell *s = shell_of(ctx);
	const char *sql = (const char *)sqlite3_value_text(args[0]);
	const char *schema = (const char *)sqlite3_value_text(args[1]);
	const char *name = (const char *)sqlite3_value_text(args[2]);

	(void)n;
	if (sql == NULL || strncmp(sql, "CREATE ", 7) != 0) {
		sqlite3_result_value(ctx, args[0]);
		return;
	}
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
		size_t len = strlen(kinds[i]);
		char *text = NULL;
		char *columns = NULL;

		if (strncmp(sql + 7, kinds[i], len) != 0 || sql[7 + len] != ' ')
			continue;
		if (schema != NULL)
			text = compose(s, "%.*s %s.%s", (int)len + 7, sql, quote_schema(s, schema),
				       sql + len + 8);
		if (name != NULL && kinds[i][0] == 'V')
			columns = columns_text(s, sqlite3_context_db_handle(ctx), schema, name);
		if (columns != NULL)
			text = compose(s, "%s\n/* %s */", text != NULL ? text : sql, columns);
		if (text != NULL)
			sqlite3_result_text(ctx, text, -1, SQLITE_TRANSIENT);
		else
			sqlite3_result_value(ctx, args[0]);
		return;
	}
	sqlite3_result_value(ctx, args[0]);
}

/* --- files --- */

static void read_file(sqlite3_context *ctx, int n, sqlite3_value **args)
{
	struct cmd *c = shell_of(ctx)->c;
	const char *path = (const char *)sqlite3_value_text(args[0]);
	struct arena own;
	struct input in;
	struct bytes all;

	(void)n;
	if (path == NULL || input_open(&in, c, path) != 0)
		return;
	input_close(&in);
	arena_init_under(&own, c->arena);
	if (cmd_read_all(c, path, &all) == 0)
		sqlite3_result_blob64(ctx, all.ptr, all.len, SQLITE_TRANSIENT);
	arena_clear(&own);
}

/* writefile(name, data, mode, mtime): the bytes written, or NULL. */
static void write_file(sqlite3_context *ctx, int n, sqlite3_value **args)
{
	struct cmd *c = shell_of(ctx)->c;
	const char *path;
	const void *data;
	size_t len;
	uint32_t mode = n > 2 ? (uint32_t)sqlite3_value_int(args[2]) & 07777 : 0;
	int fd;
	int err;

	if (n < 2 || n > 4) {
		sqlite3_result_error(ctx, "wrong number of arguments to function writefile()", -1);
		return;
	}
	path = (const char *)sqlite3_value_text(args[0]);
	if (path == NULL)
		return;
	data = sqlite3_value_blob(args[1]);
	len = (size_t)sqlite3_value_bytes(args[1]);
	fd = cmd_open(c, CMD_CWD, path, O_WRONLY_ | O_CREAT_ | O_TRUNC_, mode != 0 ? mode : 0666);
	err = fd < 0 ? fd : cmd_write_fd(c, fd, data, len);
	if (fd >= 0)
		cmd_close(c, fd);
	if (err == 0 && mode != 0)
		err = cmd_chmod(c, CMD_CWD, path, mode, 0);
	if (err == 0 && n > 3)
		err = cmd_utimes(c, CMD_CWD, path, CMD_TIME_NOW,
				 sqlite3_value_int64(args[3]) * 1000000000, 0);
	if (err == 0)
		sqlite3_result_int64(ctx, (sqlite3_int64)len);
}

static void mode_letters(sqlite3_context *ctx, int n, sqlite3_value **args)
{
	char text[11];

	(void)n;
	mode_text((uint32_t)sqlite3_value_int(args[0]), text);
	sqlite3_result_text(ctx, text, 10, SQLITE_TRANSIENT);
}

/* --- regexp --- */

/* Makes the pattern s->regexp, unless it is. False: it is none; the error is set. */
static bool compile(sqlite3_context *ctx, struct bytes pattern, unsigned flags)
{
	struct shell *s = shell_of(ctx);
	const char *message = "out of memory";
	size_t offset;

	if (s->regexp != NULL && s->regexp_flags == flags && bytes_eq(s->regexp_text, pattern))
		return true;
	arena_clear(&s->regexp_arena);
	s->regexp = NULL;
	s->regexp_flags = flags;
	s->regexp_text = arena_bytes(&s->regexp_arena, pattern);
	if (regex_compile(&s->regexp_arena, s->regexp_text, flags, &s->regexp, &message, &offset) !=
	    0) {
		sqlite3_result_error(ctx, message, -1);
		s->regexp = NULL;
		return false;
	}
	regex_set_work(s->regexp, cmd_work, s->c);
	return true;
}

/* regexp(pattern, text), and so text REGEXP pattern: as Perl reads patterns. The last pattern is
 * kept, because rows mostly ask for the same. */
static void match_with(sqlite3_context *ctx, sqlite3_value **args, unsigned flags)
{
	const char *pattern = (const char *)sqlite3_value_text(args[0]);
	const char *text = (const char *)sqlite3_value_text(args[1]);
	size_t length = (size_t)sqlite3_value_bytes(args[0]);
	struct bytes in = { text, (size_t)sqlite3_value_bytes(args[1]) };

	if (pattern == NULL || text == NULL)
		return;
	if (compile(ctx, (struct bytes){ pattern, length },
		    flags | REGEX_PERL | REGEX_UTF8 | REGEX_NOSUB | REGEX_DOTALL))
		sqlite3_result_int(ctx, regex_test(shell_of(ctx)->regexp, in, 0) == 0);
}

static void regexp(sqlite3_context *ctx, int n, sqlite3_value **args)
{
	(void)n;
	match_with(ctx, args, 0);
}

static void regexpi(sqlite3_context *ctx, int n, sqlite3_value **args)
{
	(void)n;
	match_with(ctx, args, REGEX_ICASE);
}

/* --- the collation "uint": runs of digits compare as numbers --- */

static int compare_uint(void *arg, int na, const void *va, int nb, const void *vb)
{
	const unsigned char *a = va;
	const unsigned char *b = vb;
	int i = 0;
	int j = 0;

	(void)arg;
	while (i < na && j < nb) {
		int ka;
		int kb;

		if (!byte_is_digit(a[i]) || !byte_is_digit(b[j])) {
			if (a[i] != b[j])
				return a[i] - b[j];
			i++;
			j++;
			continue;
		}
		while (i < na && a[i] == '0')
			i++;
		while (j < nb && b[j] == '0')
			j++;
		for (ka = 0; i + ka < na && byte_is_digit(a[i + ka]);)
			ka++;
		for (kb = 0; j + kb < nb && byte_is_digit(b[j + kb]);)
			kb++;
		if (ka != kb)
			return ka - kb;
		if (memcmp(a + i, b + j, (size_t)ka) != 0)
			return memcmp(a + i, b + j, (size_t)ka);
		i += ka;
		j += kb;
	}
	return (na - i) - (nb - j);
}

/* --- all of them --- */

static const struct {
	const char *name;
	int nargs;
	int flags;
	void (*fn)(sqlite3_context *ctx, int n, sqlite3_value **args);
} functions[] = {
	{ "shell_add_schema", 3, SQLITE_UTF8, add_schema },
	{ "shell_module_schema", 1, SQLITE_UTF8, module_schema },
	{ "readfile", 1, SQLITE_UTF8 | SQLITE_DIRECTONLY, read_file },
	{ "writefile", -1, SQLITE_UTF8 | SQLITE_DIRECTONLY, write_file },
	{ "lsmode", 1, SQLITE_UTF8, mode_letters },
	{ "regexp", 2, SQLITE_UTF8 | SQLITE_DETERMINISTIC, regexp },
	{ "regexpi", 2, SQLITE_UTF8 | SQLITE_DETERMINISTIC, regexpi },
};

void add_functions(struct shell *s)
{
	for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
		sqlite3_create_function(s->db, functions[i].name, functions[i].nargs,
					functions[i].flags, s, functions[i].fn, NULL, NULL);
	add_sha3(s);
	add_series(s);
	sqlite3_create_collation(s->db, "uint", SQLITE_UTF8, NULL, compare_uint);
}
