/* SPDX-License-Identifier: MIT
 *
 * Dot-commands: their words, their table, and the short ones.
 */
#include "builtins/sqlite3/shell.h"

/* --- words --- */

/* Cuts the line into words, in place. Quotes of both kinds; backslashes in bare and
 * double-quoted words. */
static int split_words(char *line, char **word)
{
	int n = 0;

	while (*line != '\0' && n < DOT_ARGS_MAX - 1) {
		while (byte_is_space((unsigned char)*line))
			line++;
		if (*line == '\0')
			break;
		if (*line == '\'' || *line == '"') {
			char quote = *line++;

			word[n++] = line;
			while (*line != '\0' && *line != quote) {
				if (*line == '\\' && quote == '"' && line[1] != '\0')
					line++;
				line++;
			}
			if (*line == quote)
				*line++ = '\0';
			if (quote == '"')
				resolve_escapes(word[n - 1]);
		} else {
			word[n++] = line;
			while (*line != '\0' && !byte_is_space((unsigned char)*line))
				line++;
			if (*line != '\0')
				*line++ = '\0';
			resolve_escapes(word[n - 1]);
		}
	}
	word[n] = NULL;
	return n;
}

static int wrong(struct dot *d, const char *usage)
{
	complain(d->s, "Usage: %s\n", usage);
	return DOT_ERROR;
}

/* --- switches --- */

static int dot_bail(struct dot *d)
{
	if (d->argc != 2)
		return wrong(d, ".bail on|off");
	d->s->bail = read_boolean(d->s, d->argv[1]);
	return DOT_OK;
}

static int dot_changes(struct dot *d)
{
	if (d->argc != 2)
		return wrong(d, ".changes on|off");
	d->s->changes = read_boolean(d->s, d->argv[1]);
	return DOT_OK;
}

static int dot_echo(struct dot *d)
{
	if (d->argc != 2)
		return wrong(d, ".echo on|off");
	d->s->echo = read_boolean(d->s, d->argv[1]);
	return DOT_OK;
}

static int dot_headers(struct dot *d)
{
	if (d->argc != 2)
		return wrong(d, ".headers on|off");
	d->s->look.header = read_boolean(d->s, d->argv[1]);
	d->s->header_set = true;
	return DOT_OK;
}

static int dot_timer(struct dot *d)
{
	if (d->argc != 2)
		return wrong(d, ".timer on|off");
	d->s->timer = read_boolean(d->s, d->argv[1]);
	return DOT_OK;
}

static int dot_eqp(struct dot *d)
{
	if (d->argc != 2)
		return wrong(d, ".eqp off|on|trace|trigger|full");
	if (strcmp(d->argv[1], "full") == 0)
		d->s->eqp = EQP_FULL;
	else if (strcmp(d->argv[1], "trigger") == 0)
		d->s->eqp = EQP_TRIGGER;
	else
		d->s->eqp = read_boolean(d->s, d->argv[1]) ? EQP_ON : EQP_OFF;
	return DOT_OK;
}

static int dot_explain(struct dot *d)
{
	if (d->argc >= 2 && strcmp(d->argv[1], "auto") == 0)
		d->s->explain = EXPLAIN_AUTO;
	else if (d->argc < 2 || read_boolean(d->s, d->argv[1]))
		d->s->explain = EXPLAIN_ON;
	else
		d->s->explain = EXPLAIN_OFF;
	return DOT_OK;
}

static int dot_nullvalue(struct dot *d)
{
	if (d->argc != 2)
		return wrong(d, ".nullvalue STRING");
	sqlite3_snprintf(SEPARATOR_BYTES, d->s->null_value, "%s", d->argv[1]);
	return DOT_OK;
}

static int dot_prompt(struct dot *d)
{
	for (int i = 1; i < d->argc && i <= 2; i++)
		d->s->prompt[i - 1] = arena_dup(d->s->c->arena, bytes_of(d->argv[i]));
	return DOT_OK;
}

static int dot_timeout(struct dot *d)
{
	if (!shell_open(d->s))
		return DOT_ERROR;
	sqlite3_busy_timeout(d->s->db, d->argc >= 2 ? (int)read_integer(d->argv[1]) : 0);
	return DOT_OK;
}

/* --- input and output --- */

static int dot_print(struct dot *d)
{
	for (int i = 1; i < d->argc; i++)
		say(d->s, "%s%s", i > 1 ? " " : "", d->argv[i]);
	put(d->s, "\n");
	return DOT_OK;
}

static int dot_output(struct dot *d)
{
	bool once = strncmp(d->argv[0], "once", 4) == 0;
	const char *file = NULL;
	bool bom = false;
	struct buf command = buf_in(&d->s->scratch);

	for (int i = 1; i < d->argc; i++) {
		const char *word = d->argv[i];

		if (word[0] == '-' && command.len == 0) {
			const char *name = word[1] == '-' ? word + 1 : word;

			if (strcmp(name, "-bom") == 0) {
				bom = true;
				continue;
			}
			say(d->s, "ERROR: unknown option: \"%s\".  Usage:\n", word);
			dot_help(d->s, d->argv[0], false);
			return DOT_ERROR;
		}
		if (file != NULL && command.len == 0) {
			say(d->s, "ERROR: extra parameter: \"%s\".  Usage:\n", word);
			dot_help(d->s, d->argv[0], false);
			return DOT_ERROR;
		}
		file = word;
		if (command.len > 0 || word[0] == '|') {
			buf_printf(&command, "%s%s", command.len > 0 ? " " : "", word);
			file = buf_cstr(&command);
		}
	}
	return output_to(d->s, file != NULL ? file : "stdout", once, bom);
}

/* .read |COMMAND: its output is the input. */
static int read_pipe(struct shell *s, const char *command)
{
	char sh[] = "sh";
	char flag[] = "-c";
	char *argv[] = { sh, flag, arena_dup(&s->scratch, bytes_of(command)), NULL };
	int fds[2];
	int child[3];
	struct input in;
	int pid;
	int result;
	int status;

	if (cmd_pipe(s->c, fds) != 0)
		return -E_MFILE;
	child[0] = 0;
	child[1] = fds[1];
	child[2] = 2;
	pid = cmd_spawn(s->c, &(struct cmd_program){ .argv = argv, .fds = child, .nfds = 3 });
	cmd_close(s->c, fds[1]);
	if (pid < 0) {
		cmd_close(s->c, fds[0]);
		return pid;
	}
	input_init(&in, s->c, fds[0], command);
	s->open_depth++;
	result = shell_read(s, &in);
	s->open_depth--;
	input_close(&in);
	cmd_wait(s->c, pid, &status, false);
	return result;
}

static int dot_read(struct dot *d)
{
	int result;

	if (d->argc != 2)
		return wrong(d, ".read FILE");
	if (d->s->open_depth >= READ_DEPTH_MAX) {
		complain(d->s, "Input nesting limit (%d) reached at line %d. Check recursion.\n",
			 READ_DEPTH_MAX, 1);
		return DOT_ERROR;
	}
	result = d->argv[1][0] == '|' ? read_pipe(d->s, d->argv[1] + 1)
				      : shell_read_file(d->s, d->argv[1]);
	if (result < 0) {
		complain(d->s, "Error: cannot open \"%s\"\n", d->argv[1]);
		return DOT_ERROR;
	}
	return result;
}

static int dot_shell(struct dot *d)
{
	struct buf line = buf_in(&d->s->scratch);
	char sh[] = "sh";
	char flag[] = "-c";
	char *argv[] = { sh, flag, NULL, NULL };
	int status = 0;
	int pid;

	if (d->argc < 2)
		return wrong(d, ".system COMMAND");
	for (int i = 1; i < d->argc; i++) {
		const char *format = strpbrk(d->argv[i], " ") != NULL ? "\"%s\"" : "%s";

		if (i > 1)
			buf_putc(&line, ' ');
		buf_puts(&line,
			 compose(d->s, i == 1 && strchr(d->argv[1], ' ') == NULL ? "%s" : format,
				 d->argv[i]));
	}
	argv[2] = buf_cstr(&line);
	pid = cmd_spawn(d->s->c, &(struct cmd_program){ .argv = argv });
	if (pid > 0)
		cmd_wait(d->s->c, pid, &status, false);
	if (status != 0)
		complain(d->s, "System command returns %d\n", status);
	return DOT_OK;
}

static int dot_cd(struct dot *d)
{
	if (d->argc != 2)
		return wrong(d, ".cd DIRECTORY");
	if (cmd_chdir(d->s->c, d->argv[1]) != 0) {
		complain(d->s, "Cannot change to directory \"%s\"\n", d->argv[1]);
		return DOT_ERROR;
	}
	return DOT_OK;
}

static int dot_help_command(struct dot *d)
{
	if (d->argc < 2)
		dot_help(d->s, NULL, false);
	else if (strcmp(d->argv[1], "-all") == 0 || strcmp(d->argv[1], "-a") == 0 ||
		 strcmp(d->argv[1], "--all") == 0)
		dot_help(d->s, NULL, true);
	else
		dot_help(d->s, d->argv[1], false);
	return DOT_OK;
}

static int dot_exit(struct dot *d)
{
	if (d->argc > 1 && read_integer(d->argv[1]) != 0)
		*d->s->exit_code = (int)read_integer(d->argv[1]) & 0xff;
	return DOT_QUIT;
}

static int dot_quit(struct dot *d)
{
	(void)d;
	return DOT_QUIT;
}

static int dot_version(struct dot *d)
{
	say(d->s, "SQLite %s %s\n", sqlite3_libversion(), sqlite3_sourceid());
	return DOT_OK;
}

/* --- the table --- */

struct command {
	const char *name;
	size_t least; /* letters of an abbreviation */
	dot_fn *run;  /* NULL: SQLite has it, cowsh has not */
};

/* In the order in which abbreviations are tried. */
static const struct command commands[] = {
	{ "archive", 1, NULL },
	{ "auth", 3, dot_auth },
	{ "backup", 3, dot_backup },
	{ "save", 3, dot_backup },
	{ "bail", 3, dot_bail },
	{ "binary", 3, dot_binary },
	{ "cd", 2, dot_cd },
	{ "changes", 3, dot_changes },
	{ "check", 3, NULL },
	{ "clone", 1, dot_clone },
	{ "connection", 1, NULL },
	{ "databases", 2, dot_databases },
	{ "dbconfig", 3, dot_dbconfig },
	{ "dbinfo", 3, NULL },
	{ "dump", 1, dot_dump },
	{ "echo", 1, dot_echo },
	{ "eqp", 1, dot_eqp },
	{ "excel", 1, NULL },
	{ "exit", 1, dot_exit },
	{ "explain", 1, dot_explain },
	{ "expert", 1, NULL },
	{ "filectrl", 1, NULL },
	{ "fullschema", 1, dot_fullschema },
	{ "headers", 1, dot_headers },
	{ "help", 1, dot_help_command },
	{ "import", 1, dot_import },
	{ "imposter", 3, NULL },
	{ "indexes", 1, dot_indexes },
	{ "indices", 1, dot_indexes },
	{ "limits", 2, dot_limit },
	{ "lint", 2, dot_lint },
	{ "load", 1, NULL },
	{ "log", 1, NULL },
	{ "mode", 1, dot_mode },
	{ "nonce", 5, NULL },
	{ "nullvalue", 1, dot_nullvalue },
	{ "open", 1, dot_open },
	{ "once", 4, dot_output },
	{ "output", 2, dot_output },
	{ "parameter", 3, dot_parameter },
	{ "print", 3, dot_print },
	{ "progress", 3, NULL },
	{ "prompt", 1, dot_prompt },
	{ "quit", 1, dot_quit },
	{ "read", 3, dot_read },
	{ "recover", 3, NULL },
	{ "restore", 3, dot_restore },
	{ "scanstats", 3, NULL },
	{ "schema", 1, dot_schema },
	{ "selftest", 3, NULL },
	{ "separator", 3, dot_separator },
	{ "session", 1, NULL },
	{ "sha3sum", 4, dot_sha3sum },
	{ "shell", 3, dot_shell },
	{ "system", 2, dot_shell },
	{ "show", 2, dot_show },
	{ "stats", 2, NULL },
	{ "tables", 1, dot_tables },
	{ "testcase", 3, NULL },
	{ "testctrl", 3, NULL },
	{ "timeout", 4, dot_timeout },
	{ "timer", 4, dot_timer },
	{ "trace", 2, dot_trace },
	{ "version", 1, dot_version },
	{ "vfsinfo", 3, NULL },
	{ "vfslist", 3, NULL },
	{ "vfsname", 3, NULL },
	{ "width", 1, dot_width },
};

static const struct command *find_command(const char *name)
{
	size_t n = strlen(name);

	for (size_t i = 0; n > 0 && i < sizeof commands / sizeof commands[0]; i++)
		if (n >= commands[i].least && strncmp(name, commands[i].name, n) == 0)
			return &commands[i];
	return NULL;
}

int dot_run(struct shell *s, const char *line)
{
	struct arena own;
	char *word[DOT_ARGS_MAX];
	struct dot d = { .s = s, .argv = word };
	const struct command *command;
	bool once = s->once;
	int result = DOT_OK;

	arena_init_under(&own, s->c->arena);
	d.argc = split_words(arena_dup(&own, bytes_of(line + 1)), word);
	if (d.argc > 0) {
		command = find_command(word[0]);
		if (command == NULL) {
			complain(s,
				 "Error: unknown command or invalid arguments:  \"%s\". Enter "
				 "\".help\" for help\n",
				 word[0]);
			result = DOT_ERROR;
		} else if (command->run == NULL) {
			complain(s, "Error: \".%s\" is not supported by cowsh\n", command->name);
			result = DOT_ERROR;
		} else {
			result = command->run(&d);
		}
	}
	if (once && s->once)
		output_reset(s);
	arena_clear(&own);
	return result;
}
