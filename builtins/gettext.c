/* SPDX-License-Identifier: MIT
 *
 * gettext, ngettext - messages in the user's language, which is that of the messages: there are
 * no catalogues here, so texts come out as they are. Reference: GNU gettext-runtime 0.21.
 */
#include "builtins/builtin.h"

struct gettext_opts {
	const char *domain;
	const char *context;
	bool expand;
	bool no_newline;
	bool echo;
};

#define COMMON                                                                                     \
	OPT_STR('d', "domain", struct gettext_opts, domain, NULL, "TEXTDOMAIN",                    \
		"whose catalogue: there is none"),                                                 \
		OPT_STR('c', "context", struct gettext_opts, context, NULL, "CONTEXT",             \
			"of the message in the catalogue"),                                        \
		OPT_FLAG('e', NULL, struct gettext_opts, expand, "expand escapes"),                \
		OPT_IGNORED('E', NULL, "no effect")

static const struct opt gettext_options[] = {
	COMMON,
	OPT_FLAG('n', NULL, struct gettext_opts, no_newline, "with -s: no newline"),
	OPT_FLAG('s', NULL, struct gettext_opts, echo, "write all messages, as echo does"),
	OPT_END(),
};
static const struct opt ngettext_options[] = { COMMON, OPT_END() };

/* One escape at text[0] == '\\': bytes taken. "\c" drops the newline of the command. */
static size_t put_escape(struct cmd *c, const char *text, bool *no_newline)
{
	static const char names[] = "abfnrtv\\";
	static const char values[] = "\a\b\f\n\r\t\v\\";
	const char *hit = text[1] != '\0' ? strchr(names, text[1]) : NULL;
	size_t n = 1;
	int value = 0;

	if (hit != NULL) {
		cmd_putc(c, values[hit - names]);
		return 2;
	}
	if (text[1] == 'c') {
		*no_newline = true;
		return 2;
	}
	while (n < 4 && text[n] >= '0' && text[n] <= '7')
		value = value * 8 + text[n++] - '0';
	/* Messages are strings of C: a NUL ends them. */
	if (n > 1 && (char)value == '\0')
		return strlen(text);
	cmd_putc(c, n > 1 ? (char)value : '\\');
	return n;
}

static void put_message(struct cmd *c, const char *text, bool *no_newline)
{
	const struct gettext_opts *o = c->opts;

	while (o->expand && *text != '\0') {
		size_t len = strcspn(text, "\\");

		cmd_write(c, text, len);
		text += len;
		if (*text == '\\')
			text += put_escape(c, text, no_newline);
	}
	cmd_puts(c, text);
}

static int gettext_run(struct cmd *c)
{
	const struct gettext_opts *o = c->opts;
	bool no_newline = o->no_newline;

	if (o->echo) {
		for (int i = 0; i < c->nargs; i++) {
			if (i > 0)
				cmd_putc(c, ' ');
			put_message(c, c->args[i], &no_newline);
		}
		if (!no_newline)
			cmd_putc(c, '\n');
		return 0;
	}
	if (c->nargs > 2)
		return cmd_error(c, 0, "too many arguments");
	if (c->nargs == 0)
		return cmd_error(c, 0, "missing arguments");
	put_message(c, c->args[c->nargs - 1], &no_newline);
	return 0;
}

static int ngettext_run(struct cmd *c)
{
	bool no_newline = false;
	uint64_t count;

	if (c->nargs > 4)
		return cmd_error(c, 0, "too many arguments");
	if (c->nargs < 3)
		return cmd_error(c, 0, "missing arguments");
	char **args = c->args + c->nargs - 3;
	const char *number = args[2] + strspn(args[2], " \t\n\v\f\r");
	bool one = num_plain(number + (*number == '+'), &count) && count == 1;

	put_message(c, args[one ? 0 : 1], &no_newline);
	return 0;
}

const struct builtin builtin_gettext = {
	.name = "gettext",
	.usage = "[OPTION] [[TEXTDOMAIN] MSGID]",
	.summary = "Writes a message in the user's language: as it is, there are no catalogues.",
	.run = gettext_run,
	.opts = gettext_options,
	.opts_size = sizeof(struct gettext_opts),
	.flags = BUILTIN_STOP,
	.family = "GNU gettext-runtime 0.21",
};

const struct builtin builtin_ngettext = {
	.name = "ngettext",
	.usage = "[OPTION] [TEXTDOMAIN] MSGID MSGID-PLURAL COUNT",
	.summary = "Writes MSGID if COUNT is 1, else MSGID-PLURAL: there are no catalogues.",
	.run = ngettext_run,
	.opts = ngettext_options,
	.opts_size = sizeof(struct gettext_opts),
	.flags = BUILTIN_STOP,
	.family = "GNU gettext-runtime 0.21",
};
