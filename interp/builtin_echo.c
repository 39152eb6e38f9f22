/* SPDX-License-Identifier: MIT
 *
 * echo; and the commands that only have a status: : true false.
 */
#include "base/format.h"
#include "interp/builtin.h"

int do_colon(struct shell *sh, int argc, char **argv)
{
	(void)sh;
	(void)argc;
	(void)argv;
	return 0;
}

int do_true(struct shell *sh, int argc, char **argv)
{
	return do_colon(sh, argc, argv);
}

int do_false(struct shell *sh, int argc, char **argv)
{
	(void)sh;
	(void)argc;
	(void)argv;
	return 1;
}

struct echo_options {
	bool newline;
	bool escapes;
};

/* A word of n, e and E behind a '-' is an option; anything else ends them. */
static bool echo_option(const char *word, struct echo_options *o)
{
	if (word[0] != '-' || word[1] == '\0' || word[strspn(word + 1, "neE") + 1] != '\0')
		return false;
	for (word++; *word != '\0'; word++) {
		if (*word == 'n')
			o->newline = false;
		else
			o->escapes = *word == 'e';
	}
	return true;
}

/* False after \c. */
static bool echo_escaped(struct shell *sh, struct buf *out, struct bytes s)
{
	size_t at = 0;

	while (at < s.len) {
		const char *hit = memchr(s.ptr + at, '\\', s.len - at);
		size_t end = hit != NULL ? (size_t)(hit - s.ptr) : s.len;

		buf_put(out, s.ptr + at, end - at);
		at = end;
		if (hit != NULL && format_escape(out, s, &at, ESCAPE_ECHO, sh->utf8) == ESCAPE_STOP)
			return false;
	}
	return true;
}

static int echo_with_escapes(struct shell *sh, int argc, char **argv, int first, bool newline)
{
	struct buf out = buf_in(sh->arena);
	bool more = true;

	for (int i = first; i < argc && more; i++) {
		more = echo_escaped(sh, &out, bytes_of(argv[i]));
		if (more && i + 1 < argc)
			buf_putc(&out, ' ');
	}
	if (more && newline)
		buf_putc(&out, '\n');
	return out_flush(sh, "echo", &out);
}

/* Writes the words; short lines from the stack. */
static int echo_plain(struct shell *sh, int argc, char **argv, int first, bool newline)
{
	char line[512];
	size_t len = 0;
	int i = first;

	for (; i < argc; i++) {
		size_t n = strlen(argv[i]);

		if (n + 2 > sizeof(line) - len)
			break;
		memcpy(line + len, argv[i], n);
		len += n;
		line[len++] = ' ';
	}
	if (i == argc) {
		len -= argc > first;
		if (newline)
			line[len++] = '\n';
		return len == 0 || out_write(sh, "echo", (struct bytes){ line, len }) ? 0 : 1;
	}
	struct buf out = buf_in(sh->arena);

	for (i = first; i < argc; i++) {
		buf_puts(&out, argv[i]);
		if (i + 1 < argc)
			buf_putc(&out, ' ');
	}
	if (newline)
		buf_putc(&out, '\n');
	return out_flush(sh, "echo", &out);
}

int do_echo(struct shell *sh, int argc, char **argv)
{
	struct echo_options o = { .newline = true, .escapes = opt_shopt(sh, SHOPT_xpg_echo) };
	int i = 1;

	/* POSIX's XSI echo has no options at all. */
	if (!(o.escapes && opt_set(sh, SET_POSIX))) {
		while (i < argc && echo_option(argv[i], &o))
			i++;
	}
	if (o.escapes)
		return echo_with_escapes(sh, argc, argv, i, o.newline);
	return echo_plain(sh, argc, argv, i, o.newline);
}
