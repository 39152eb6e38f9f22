/* SPDX-License-Identifier: MIT
 *
 * sqlite3 - run SQL and dot-commands on SQLite databases: options, and the loop over its input.
 *
 * Reference: the sqlite3 shell of SQLite 3.40.1. The program runs on a stack of its own size,
 * because the library's recursion is bounded by its limits, not by ours.
 */
#include "builtins/sqlite3/shell.h"

/* --- the database --- */

bool shell_open(struct shell *s)
{
	int flags = (s->read_only ? SQLITE_OPEN_READONLY
				  : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE) |
		    SQLITE_OPEN_URI | (s->no_follow ? SQLITE_OPEN_NOFOLLOW : 0);

	if (s->db != NULL)
		return true;
	if (sqlite3_open_v2(s->file, &s->db, flags, NULL) != SQLITE_OK) {
		complain(s, "Error: unable to open database \"%s\": %s\n", s->file,
			 sqlite3_errmsg(s->db));
		sqlite3_close(s->db);
		/* As the real shell, which goes on with one in memory if it goes on. */
		s->db = NULL;
		if (sqlite3_open(":memory:", &s->db) != SQLITE_OK)
			return false;
		sqlite_host_guard(s->db);
		add_functions(s);
		return false;
	}
	sqlite_host_guard(s->db);
	add_functions(s);
	return true;
}

void shell_close(struct shell *s)
{
	sqlite3_close_v2(s->db);
	s->db = NULL;
}

/* --- input --- */

/* Blanks and comments only, and semicolons if they are allowed. */
static bool is_blank_sql(const char *text, bool semicolons)
{
	for (; *text != '\0'; text++) {
		if (byte_is_space((unsigned char)*text) || (semicolons && *text == ';'))
			continue;
		if (text[0] == '/' && text[1] == '*') {
			const char *end = strstr(text + 2, "*/");

			if (end == NULL)
				return false;
			text = end + 1;
			continue;
		}
		if (text[0] == '-' && text[1] == '-') {
			while (*text != '\0' && *text != '\n')
				text++;
			if (*text == '\0')
				return true;
			continue;
		}
		return false;
	}
	return true;
}

/* "/" or "go" on a line of its own ends a statement. */
static bool is_terminator(const char *line)
{
	while (byte_is_space((unsigned char)*line))
		line++;
	if (*line == '/')
		line++;
	else if (byte_to_lower(line[0]) == 'g' && byte_to_lower(line[1]) == 'o')
		line += 2;
	else
		return false;
	return is_blank_sql(line, false);
}

static int report(struct shell *s, char *error, int line, bool from_file)
{
	const char *kind = "Error";
	const char *text = error != NULL ? error : sqlite3_errmsg(s->db);

	if (strncmp(text, "in prepare, ", 12) == 0) {
		kind = "Parse error";
		text += 12;
	} else if (strncmp(text, "stepping, ", 10) == 0) {
		kind = "Runtime error";
		text += 10;
	}
	if (from_file || !s->interactive)
		complain(s, "%s near line %d: %s\n", kind, line, text);
	else
		complain(s, "%s: %s\n", kind, text);
	sqlite3_free(error);
	return 1;
}

/* One or more complete statements: the number of errors. */
static int run_input(struct shell *s, const char *sql, int line, bool from_file)
{
	int64_t began = cmd_now(s->c);
	char *error;
	int code;

	if (!shell_open(s))
		return 1;
	code = run_sql(s, sql, &error);
	if (s->timer) {
		double real = (double)(cmd_now(s->c) - began) / 1e9;

		say(s, "Run Time: real %.3f user %.6f sys %.6f\n", real, real, 0.0);
	}
	if (code != SQLITE_OK || error != NULL)
		return report(s, error, line, from_file);
	if (s->changes)
		say(s, "changes: %lld   total_changes: %lld\n", sqlite3_changes64(s->db),
		    sqlite3_total_changes64(s->db));
	return 0;
}

static void prompt(struct shell *s, const struct input *in, bool more)
{
	if (s->interactive && in->is_stdin) {
		cmd_puts(s->c, s->prompt[more]);
		cmd_flush(s->c);
	}
}

static void once_done(struct shell *s)
{
	if (s->once)
		output_reset(s);
}

/* Whether the statement ends here: looked at as a whole, with each line that may end it. */
static bool is_complete(struct shell *s, const char *sql, size_t len)
{
	cmd_charge_bytes(s->c, len);
	return sqlite3_complete(sql);
}

/* Takes one line into sql, or runs it: errors, or -1 to end. */
static int take_line(struct shell *s, struct buf *sql, const char *line, int number, int *start,
		     bool from_file)
{
	int errors;

	if (sql->len == 0 && is_blank_sql(line, true)) {
		if (s->echo)
			say(s, "%s\n", line);
		return 0;
	}
	if (sql->len == 0 && (line[0] == '.' || line[0] == '#')) {
		if (s->echo)
			say(s, "%s\n", line);
		if (line[0] == '#')
			return 0;
		errors = dot_run(s, line);
		return errors == DOT_QUIT ? -1 : errors;
	}
	if (sql->len == 0) {
		*start = number;
		while (byte_is_space((unsigned char)*line))
			line++;
	} else {
		buf_putc(sql, '\n');
	}
	if (is_terminator(line) && is_complete(s, compose(s, "%s;", buf_cstr(sql)), sql->len))
		line = ";";
	buf_puts(sql, line);
	cmd_charge_bytes(s->c, strlen(line));
	if (strchr(line, ';') == NULL || !is_complete(s, buf_cstr(sql), sql->len))
		return 0;
	if (s->echo)
		say(s, "%s\n", buf_cstr(sql));
	errors = run_input(s, buf_cstr(sql), *start, from_file);
	sql->len = 0;
	once_done(s);
	return errors;
}

int shell_read(struct shell *s, struct input *in)
{
	struct arena lines;
	struct bytes line;
	struct buf sql;
	int errors = 0;
	int number = 0;
	int start = 0;
	int result = 0;

	arena_init_under(&lines, s->c->arena);
	sql = buf_in(&lines);
	prompt(s, in, false);
	while (input_line(in, '\n', &line) > 0) {
		struct arena own;
		char *text;

		arena_init_under(&own, s->c->arena);
		if (line.len > 0 && line.ptr[line.len - 1] == '\r')
			line.len--;
		text = arena_dup(&own, line);
		result = take_line(s, &sql, text, ++number, &start, !in->is_stdin);
		arena_clear(&own);
		if (s->open_depth == 0)
			arena_clear(&s->scratch);
		if (result < 0 || (result > 0 && s->bail))
			break;
		errors += result;
		prompt(s, in, sql.len > 0);
	}
	if (result >= 0 && !(result > 0 && s->bail) && sql.len > 0 &&
	    !is_blank_sql(buf_cstr(&sql), false)) {
		if (s->echo)
			say(s, "%s\n", buf_cstr(&sql));
		result = run_input(s, buf_cstr(&sql), start, !in->is_stdin);
		errors += result;
		once_done(s);
	} else if (result > 0) {
		errors += s->bail ? result : 0;
	}
	arena_clear(&lines);
	return errors > 0;
}

int shell_read_file(struct shell *s, const char *path)
{
	struct input in;
	int result;
	int err = input_open(&in, s->c, path);

	if (err != 0)
		return err;
	in.is_stdin = false;
	s->open_depth++;
	result = shell_read(s, &in);
	s->open_depth--;
	input_close(&in);
	return result;
}

/* --- options --- */

struct start {
	struct shell *s;
	const char *file;
	const char *init;
	bool no_init;
	bool batch;
	char **sql; /* arguments behind the file's name */
	int nsql;
};

static const char usage_head[] =
	"FILENAME is the name of an SQLite database. A new database is created\n"
	"if the file does not previously exist.\n"
	"OPTIONS include:\n";

static const struct {
	const char *option;
	const char *text;
} option_help[] = {
	{ "-ascii", "set output mode to 'ascii'" },
	{ "-bail", "stop after hitting an error" },
	{ "-batch", "force batch I/O" },
	{ "-box", "set output mode to 'box'" },
	{ "-column", "set output mode to 'column'" },
	{ "-cmd COMMAND", "run \"COMMAND\" before reading stdin" },
	{ "-csv", "set output mode to 'csv'" },
	{ "-echo", "print inputs before execution" },
	{ "-init FILENAME", "read/process named file" },
	{ "-[no]header", "turn headers on or off" },
	{ "-help", "show this message" },
	{ "-html", "set output mode to HTML" },
	{ "-interactive", "force interactive I/O" },
	{ "-json", "set output mode to 'json'" },
	{ "-line", "set output mode to 'line'" },
	{ "-list", "set output mode to 'list'" },
	{ "-markdown", "set output mode to 'markdown'" },
	{ "-newline SEP", "set output row separator. Default: '\\n'" },
	{ "-nofollow", "refuse to open symbolic links to database files" },
	{ "-nullvalue TEXT", "set text string for NULL values. Default ''" },
	{ "-quote", "set output mode to 'quote'" },
	{ "-readonly", "open the database read-only" },
	{ "-separator SEP", "set output column separator. Default: '|'" },
	{ "-table", "set output mode to 'table'" },
	{ "-tabs", "set output mode to 'tabs'" },
	{ "-version", "show SQLite version" },
};

static _Noreturn void usage(struct shell *s)
{
	complain(s, "Usage: %s [OPTIONS] FILENAME [SQL]\n%s", s->c->name, usage_head);
	for (size_t i = 0; i < sizeof option_help / sizeof option_help[0]; i++)
		complain(s, "   %-20s %s\n", option_help[i].option, option_help[i].text);
	cmd_exit(s->c, 1);
}

/* The option's name without its dashes. */
static const char *bare(const char *arg)
{
	arg++;
	return *arg == '-' ? arg + 1 : arg;
}

static bool takes_value(const char *name)
{
	static const char *const names[] = { "separator", "nullvalue", "newline", "cmd", "init" };

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

static bool is_missing_here(const char *name)
{
	static const char *const names[] = { "A",         "append",   "deserialize", "lookaside",
					     "maxsize",   "memtrace", "mmap",        "nonce",
					     "pagecache", "safe",     "stats",       "vfs",
					     "zip" };

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

static const char *value_of(struct shell *s, int *i)
{
	if (*i + 1 >= s->c->argc) {
		complain(s, "%s: Error: missing argument to %s\n", s->c->name, s->c->argv[*i]);
		cmd_exit(s->c, 1);
	}
	return s->c->argv[++*i];
}

/* Before anything is opened: the file's name, and options that decide how. */
static void first_pass(struct start *start)
{
	struct shell *s = start->s;

	for (int i = 1; i < s->c->argc; i++) {
		const char *arg = s->c->argv[i];
		const char *name;

		if (arg[0] != '-') {
			if (start->file == NULL)
				start->file = arg;
			else
				start->sql[start->nsql++] = s->c->argv[i];
			continue;
		}
		name = bare(arg);
		if (strcmp(name, "init") == 0)
			start->init = value_of(s, &i);
		else if (takes_value(name))
			value_of(s, &i);
		else if (is_missing_here(name)) {
			complain(s, "%s: Error: option %s is not supported by cowsh\n", s->c->name,
				 arg);
			cmd_exit(s->c, 1);
		} else if (strcmp(name, "batch") == 0)
			start->batch = true;
		else if (strcmp(name, "readonly") == 0)
			s->read_only = true;
		else if (strcmp(name, "nofollow") == 0)
			s->no_follow = true;
		else if (strcmp(name, "bail") == 0)
			s->bail = true;
		else if (strcmp(name, "help") == 0)
			usage(s);
	}
}

/* A mode by option leaves more as it is than .mode does. */
static void choose_by_option(struct shell *s, enum mode mode)
{
	struct look before = s->look;

	mode_choose(s, mode);
	s->look.header = before.header;
	if (mode == MODE_LIST)
		memcpy(s->look.column_sep, before.column_sep, sizeof before.column_sep);
	if (mode == MODE_TABS)
		memcpy(s->look.row_sep, "\n", 2);
	else if (mode != MODE_ASCII)
		memcpy(s->look.row_sep, before.row_sep, sizeof before.row_sep);
}

/* The mode that the option names, or -1. */
static int mode_option(const char *name)
{
	for (int mode = 0; mode < MODE_EXPLAIN; mode++)
		if (strcmp(name, mode_names[mode]) == 0 && mode != MODE_INSERT && mode != MODE_TCL)
			return mode;
	return -1;
}

/* -cmd and arguments: dot_result; *status is the program's if it must end. */
static bool run_argument(struct shell *s, const char *text, int *status, bool is_option)
{
	char *error;
	int code;

	if (text[0] == '.') {
		code = dot_run(s, text);
		*status = code == DOT_QUIT ? 0 : code;
		return is_option ? code != 0 && s->bail : code != 0;
	}
	if (!shell_open(s)) {
		*status = 1;
		return true;
	}
	code = run_sql(s, text, &error);
	*status = code;
	if (code == SQLITE_OK && error == NULL)
		return false;
	if (error != NULL)
		complain(s, "Error: %s\n", error);
	else
		complain(s, "Error: unable to process SQL: %s\n", text);
	sqlite3_free(error);
	return !is_option || s->bail;
}

static void set_text(char to[SEPARATOR_BYTES], const char *text)
{
	sqlite3_snprintf(SEPARATOR_BYTES, to, "%s", text);
}

/* Options that act in their order: modes, separators, commands. True: the program ends. */
static bool second_pass(struct start *start, int *status)
{
	struct shell *s = start->s;

	for (int i = 1; i < s->c->argc; i++) {
		const char *arg = s->c->argv[i];
		const char *name = arg[0] == '-' ? bare(arg) : NULL;

		if (name == NULL)
			continue;
		if (mode_option(name) >= 0)
			choose_by_option(s, (enum mode)mode_option(name));
		else if (strcmp(name, "separator") == 0)
			set_text(s->look.column_sep, value_of(s, &i));
		else if (strcmp(name, "newline") == 0)
			set_text(s->look.row_sep, value_of(s, &i));
		else if (strcmp(name, "nullvalue") == 0)
			set_text(s->null_value, value_of(s, &i));
		else if (strcmp(name, "header") == 0 || strcmp(name, "noheader") == 0) {
			s->look.header = name[0] == 'h';
			s->header_set = true;
		} else if (strcmp(name, "echo") == 0)
			s->echo = true;
		else if (strcmp(name, "interactive") == 0)
			s->interactive = true;
		else if (strcmp(name, "batch") == 0)
			s->interactive = false;
		else if (strcmp(name, "version") == 0) {
			say(s, "%s %s\n", sqlite3_libversion(), sqlite3_sourceid());
			*status = 0;
			return true;
		} else if (strcmp(name, "cmd") == 0) {
			if (run_argument(s, value_of(s, &i), status, true))
				return true;
		} else if (strcmp(name, "init") == 0)
			i++;
		else if (strcmp(name, "readonly") != 0 && strcmp(name, "nofollow") != 0 &&
			 strcmp(name, "bail") != 0) {
			complain(
				s,
				"%s: Error: unknown option: %s\nUse -help for a list of options.\n",
				s->c->name, arg);
			*status = 1;
			return true;
		}
	}
	return false;
}

/* -init, or ~/.sqliterc. False: the program ends. */
static bool read_init(struct start *start)
{
	struct shell *s = start->s;
	const char *home = cmd_getenv(s->c, "HOME");
	const char *path = start->init;
	int result;

	if (path == NULL && home != NULL)
		path = arena_dup(s->c->arena, bytes_of(compose(s, "%s/.sqliterc", home)));
	if (path == NULL)
		return true;
	result = shell_read_file(s, path);
	if (result < 0 && start->init != NULL)
		complain(s, "cannot open: \"%s\"\n", path);
	return result <= 0 || !s->bail;
}

static int run_stdin(struct shell *s)
{
	struct input in;
	int status;

	input_init(&in, s->c, 0, "-");
	in.is_stdin = true;
	if (s->interactive)
		cmd_printf(s->c, "SQLite version %s %.19s\nEnter \".help\" for usage hints.\n%s",
			   sqlite3_libversion(), sqlite3_sourceid(),
			   strcmp(s->file, ":memory:") == 0
				   ? "Connected to a \033[1mtransient in-memory database\033[0m.\n"
				     "Use \".open FILENAME\" to reopen on a persistent database.\n"
				   : "");
	status = shell_read(s, &in);
	input_close(&in);
	return status;
}

static int run_shell(struct shell *s)
{
	struct start start = { .s = s };
	struct vfs_stat st;
	int status = 0;
	int exit_code = -1;

	s->exit_code = &exit_code;
	start.sql = arena_array(s->c->arena, (size_t)s->c->argc + 1, sizeof *start.sql);
	first_pass(&start);
	s->interactive = cmd_isatty(s->c, 0) && !start.batch;
	s->file = start.file != NULL ? start.file : ":memory:";
	if (cmd_stat(s->c, s->file, &st) == 0 && !shell_open(s))
		return 1;
	if (!read_init(&start))
		return 1;
	if (second_pass(&start, &status))
		goto out;
	for (int i = 0; i < start.nsql; i++)
		if (run_argument(s, start.sql[i], &status, false))
			goto out;
	status = start.nsql == 0 ? run_stdin(s) : 0;
out:
	output_reset(s);
	if (s->db != NULL)
		shell_close(s);
	shell_end_trace(s);
	return exit_code >= 0 ? exit_code : status;
}

static int run_deep(void *arg)
{
	struct cmd *c = arg;
	struct shell *s = arena_zalloc(c->arena, sizeof *s);
	static char main_prompt[] = "sqlite> ";
	static char more_prompt[] = "   ...> ";

	s->c = c;
	s->out = &c->out;
	s->out_name = "stdout";
	s->explain = EXPLAIN_AUTO;
	s->prompt[0] = main_prompt;
	s->prompt[1] = more_prompt;
	arena_init_under(&s->scratch, c->arena);
	arena_init_under(&s->regexp_arena, c->arena);
	mode_choose(s, MODE_LIST);
	sqlite_host_start(&s->host, c);
	return run_shell(s);
}

static int sqlite3_run(struct cmd *c)
{
	return cmd_deepen(c, SQLITE_STACK, run_deep, c);
}

const struct builtin builtin_sqlite3 = {
	.name = "sqlite3",
	.usage = "[OPTIONS] FILENAME [SQL]",
	.summary = "Runs SQL and dot-commands on an SQLite database.",
	.run = sqlite3_run,
	.flags = BUILTIN_RAW,
	.family = "SQLite 3.40.1",
};
