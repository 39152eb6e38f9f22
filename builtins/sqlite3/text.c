/* SPDX-License-Identifier: MIT
 *
 * The sqlite3 shell's output and strings.
 */
#include "builtins/sqlite3/shell.h"

/* --- output --- */

void put_bytes(struct shell *s, struct bytes b)
{
	output_write(s->out, b.ptr, b.len);
}

void put(struct shell *s, const char *text)
{
	put_bytes(s, bytes_of(text));
}

void put_fill(struct shell *s, char byte, int n)
{
	for (int i = 0; i < n; i++)
		put_bytes(s, (struct bytes){ &byte, 1 });
}

void say(struct shell *s, const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	text = sqlite3_vmprintf(format, args);
	va_end(args);
	if (text != NULL)
		put(s, text);
	sqlite3_free(text);
}

void complain(struct shell *s, const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	text = sqlite3_vmprintf(format, args);
	va_end(args);
	if (text != NULL)
		cmd_err_write(s->c, text, strlen(text));
	sqlite3_free(text);
}

char *compose(struct shell *s, const char *format, ...)
{
	va_list args;
	char *text;
	char *kept;

	va_start(args, format);
	text = sqlite3_vmprintf(format, args);
	va_end(args);
	kept = arena_dup(&s->scratch, bytes_of(text != NULL ? text : ""));
	sqlite3_free(text);
	return kept;
}

/* A reader of what the shell writes: .output |COMMAND. */
static int open_pipe(struct shell *s, const char *command)
{
	char sh[] = "sh";
	char flag[] = "-c";
	char *argv[] = { sh, flag, arena_dup(&s->scratch, bytes_of(command)), NULL };
	int fds[2];
	int child[3];
	int err = cmd_pipe(s->c, fds);

	if (err != 0)
		return err;
	child[0] = fds[0];
	child[1] = 1;
	child[2] = 2;
	s->out_pid = cmd_spawn(s->c,
			       &(struct cmd_program){ .argv = argv, .fds = child, .nfds = 3 });
	cmd_close(s->c, fds[0]);
	if (s->out_pid < 0) {
		err = s->out_pid;
		s->out_pid = 0;
		cmd_close(s->c, fds[1]);
		return err;
	}
	output_init(&s->file_out, s->c, fds[1], true);
	return 0;
}

void output_reset(struct shell *s)
{
	if (s->out == &s->file_out) {
		int status;

		output_flush(&s->file_out);
		if (s->file_out.fd > 2)
			output_close(&s->file_out);
		if (s->out_pid != 0)
			cmd_wait(s->c, s->out_pid, &status, false);
	}
	s->out = &s->c->out;
	s->out_name = "stdout";
	s->out_pid = 0;
	s->once = false;
}

int output_to(struct shell *s, const char *name, bool once, bool bom)
{
	int err = 0;

	output_reset(s);
	s->once = once;
	if (strcmp(name, "stdout") == 0 || strcmp(name, "off") == 0)
		return 0;
	if (strcmp(name, "stderr") == 0)
		output_init(&s->file_out, s->c, 2, true);
	else if (name[0] == '|')
		err = open_pipe(s, name + 1);
	else
		err = output_open(&s->file_out, s->c, name, O_TRUNC_, true);
	if (err != 0) {
		if (name[0] == '|')
			complain(s, "Error: cannot open pipe \"%s\"\n", name + 1);
		else
			complain(s, "Error: cannot write to \"%s\"\n", name);
		s->once = false;
		return DOT_ERROR;
	}
	s->out = &s->file_out;
	s->out_name = arena_dup(s->c->arena, bytes_of(name));
	if (bom)
		put(s, "\xef\xbb\xbf");
	return 0;
}

/* --- strings --- */

int count_chars(const char *text)
{
	int n = 0;

	for (; *text != '\0'; text++)
		n += ((unsigned char)*text & 0xc0) != 0x80;
	return n;
}

static bool needs_quotes(const char *name)
{
	if (!byte_is_alpha((unsigned char)name[0]) && name[0] != '_')
		return true;
	for (const char *p = name; *p != '\0'; p++)
		if (!byte_is_name((unsigned char)*p))
			return true;
	return sqlite3_keyword_check(name, (int)strlen(name)) != 0;
}

char *quote_name(struct shell *s, const char *name)
{
	return needs_quotes(name) ? compose(s, "\"%w\"", name) : compose(s, "%s", name);
}

/* The byte that an escape stands for; *from is moved behind it. */
static char escaped_byte(const char **from)
{
	static const char letters[] = "abtnvfr";
	static const char meant[] = "\a\b\t\n\v\f\r";
	const char *known = **from != '\0' ? strchr(letters, **from) : NULL;
	int value = 0;

	if (known != NULL) {
		(*from)++;
		return meant[known - letters];
	}
	if (**from < '0' || **from > '7')
		return *(*from)++;
	for (int i = 0; i < 3 && **from >= '0' && **from <= '7'; i++)
		value = value * 8 + *(*from)++ - '0';
	return (char)value;
}

void resolve_escapes(char *text)
{
	const char *from = text;

	while (*from != '\0') {
		if (from[0] == '\\' && from[1] != '\0') {
			from++;
			*text++ = escaped_byte(&from);
		} else {
			*text++ = *from++;
		}
	}
	*text = '\0';
}

int64_t read_integer(const char *text)
{
	static const struct {
		const char *suffix;
		int64_t times;
	} units[] = { { "KiB", 1024 }, { "MiB", 1 << 20 }, { "GiB", 1 << 30 },
		      { "KB", 1000 },  { "MB", 1000000 },  { "GB", 1000000000 },
		      { "K", 1000 },   { "M", 1000000 },   { "G", 1000000000 } };
	bool negative = text[0] == '-';
	uint64_t value = 0;

	if (text[0] == '-' || text[0] == '+')
		text++;
	if (text[0] == '0' && text[1] == 'x') {
		for (text += 2; byte_is_xdigit((unsigned char)*text); text++)
			value = value * 16 + (uint64_t)byte_digit((unsigned char)*text);
	} else {
		for (; byte_is_digit((unsigned char)*text); text++)
			value = value * 10 + (uint64_t)(*text - '0');
	}
	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
		if (sqlite3_stricmp(units[i].suffix, text) == 0) {
			value *= (uint64_t)units[i].times;
			break;
		}
	return (int64_t)(negative ? 0 - value : value);
}

bool read_boolean(struct shell *s, const char *text)
{
	size_t digits = strspn(text, "0123456789");

	if (text[0] == '0' && text[1] == 'x')
		digits = 2 + strspn(text + 2, "0123456789abcdefABCDEF");
	if (digits > 0 && text[digits] == '\0')
		return read_integer(text) != 0;
	if (sqlite3_stricmp(text, "on") == 0 || sqlite3_stricmp(text, "yes") == 0)
		return true;
	if (sqlite3_stricmp(text, "off") == 0 || sqlite3_stricmp(text, "no") == 0)
		return false;
	complain(s, "ERROR: Not a boolean value: \"%s\". Assuming \"no\".\n", text);
	return false;
}
