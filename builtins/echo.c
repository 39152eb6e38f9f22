/* SPDX-License-Identifier: MIT
 *
 * echo - write the arguments, separated by spaces.
 *
 * An argument that is not made of the letters n, e, E behind one dash is text, so `echo ---`
 * prints it. With POSIXLY_CORRECT escapes are always interpreted, and options are text unless the
 * first is -n alone.
 */
#include "builtins/builtin.h"

struct echo {
	bool no_newline;
	bool escapes;
};

/* Whether word is an option; if so, sets what its letters say. */
static bool take_option(const char *word, struct echo *e)
{
	if (word[0] != '-' || word[1] == '\0' || strspn(word + 1, "neE") != strlen(word + 1))
		return false;
	for (const char *at = word + 1; *at != '\0'; at++) {
		if (*at == 'n')
			e->no_newline = true;
		else
			e->escapes = *at == 'e';
	}
	return true;
}

/* Up to `most` digits of the base at *at. */
static unsigned char take_digits(const char **at, int base, int most)
{
	int value = 0;

	for (; most > 0; most--, ++*at) {
		int digit = byte_digit(**at);

		if (digit < 0 || digit >= base)
			break;
		value = value * base + digit;
	}
	return (unsigned char)value;
}

/* The byte of an escape whose letter is at *at, which moves behind it; -1: not an escape. */
static int take_escape(const char **at)
{
	static const char letters[] = "abefnrtv\\";
	static const char bytes[] = "\a\b\x1b\f\n\r\t\v\\";
	const char *hit = **at != '\0' ? strchr(letters, **at) : NULL;

	if (hit != NULL) {
		++*at;
		return bytes[hit - letters];
	}
	if (**at == 'x' && byte_is_xdigit((*at)[1])) {
		++*at;
		return take_digits(at, 16, 2);
	}
	if (**at >= '0' && **at <= '7') {
		*at += **at == '0';
		return take_digits(at, 8, 3);
	}
	return -1;
}

/* False if "\c" ended all output. */
static bool put_escaped(struct cmd *c, const char *word)
{
	while (*word != '\0') {
		if (*word != '\\' || word[1] == '\0') {
			cmd_putc(c, *word++);
			continue;
		}
		word++;
		if (*word == 'c')
			return false;
		int byte = take_escape(&word);

		cmd_putc(c, byte >= 0 ? (char)byte : '\\');
	}
	return true;
}

static int echo_run(struct cmd *c)
{
	bool posix = cmd_getenv(c, "POSIXLY_CORRECT") != NULL;
	bool options = !posix || (c->nargs > 0 && strcmp(c->args[0], "-n") == 0);
	struct echo e = { .no_newline = false };
	int i = 0;

	while (options && i < c->nargs && take_option(c->args[i], &e))
		i++;
	for (int first = i; i < c->nargs; i++) {
		if (i > first)
			cmd_putc(c, ' ');
		if (!e.escapes && !posix)
			cmd_puts(c, c->args[i]);
		else if (!put_escaped(c, c->args[i]))
			return 0;
	}
	if (!e.no_newline)
		cmd_putc(c, '\n');
	return 0;
}

const struct builtin builtin_echo = {
	.name = "echo",
	.usage = "[-neE] [STRING]...",
	.summary = "Writes the strings, separated by spaces.\n\n"
		   "  -n  no newline at the end\n"
		   "  -e  backslash escapes are interpreted\n"
		   "  -E  they are not (default)",
	.run = echo_run,
	.flags = BUILTIN_RAW_HELP | BUILTIN_POSIX_TEXT,
};
