/* SPDX-License-Identifier: MIT
 *
 * man, apropos, whatis - what is known about commands, made from their records and option
 * tables: the same words as --help, as a page of 80 columns.
 *
 * Commands of the shell itself have help(1) instead; topics and other sections have no pages.
 */
#include "base/regex.h"
#include "builtins/builtin.h"

enum { WIDTH = 80, INDENT = 7, DEEPER = 14, NOT_FOUND = 16 };

struct man_opts {
	bool find;  /* -k */
	bool what;  /* -f */
	bool where; /* -w */
	bool exact; /* apropos -e */
	bool and;   /* apropos -a */
	const char *sections;
};

static const struct opt man_options[] = {
	OPT_FLAG('k', "apropos", struct man_opts, find, "search names and descriptions"),
	OPT_FLAG('f', "whatis", struct man_opts, what, "only the line that says what it is"),
	OPT_FLAG('w', "where", struct man_opts, where, "where the program is"),
	OPT_IGNORED('a', "all", "no effect: there is one page a name"),
	OPT_IGNORED_ARG('P', "pager", "PROGRAM", "no effect: pages are written at once"),
	OPT_STR('S', "sections", struct man_opts, sections, NULL, "LIST",
		"only these, separated by : or , (all pages are of section 1)"),
	OPT_STR('s', NULL, struct man_opts, sections, NULL, "LIST", "the same"),
	OPT_IGNORED_ARG('L', "locale", "LOCALE", "no effect"),
	OPT_IGNORED_ARG('E', "encoding", "NAME", "no effect"),
	OPT_END(),
};

static const struct opt apropos_options[] = {
	OPT_FLAG('e', "exact", struct man_opts, exact, "words stand for themselves"),
	OPT_FLAG('a', "and", struct man_opts, and, "all words must be there"),
	OPT_IGNORED('r', "regex", "words are regular expressions, as always"),
	OPT_IGNORED('l', "long", "no effect: lines are as long as they are"),
	OPT_STR('s', "sections", struct man_opts, sections, NULL, "LIST",
		"only these (all pages are of section 1)"),
	OPT_END(),
};

static const struct opt whatis_options[] = {
	OPT_FLAG('r', "regex", struct man_opts, find, "words are regular expressions"),
	OPT_IGNORED('l', "long", "no effect: lines are as long as they are"),
	OPT_STR('s', "sections", struct man_opts, sections, NULL, "LIST",
		"only these (all pages are of section 1)"),
	OPT_END(),
};

/* --- text --- */

/* The first sentence of a summary, without its end. */
static struct bytes brief(const struct builtin *b)
{
	const char *text = b->summary != NULL ? b->summary : "";
	size_t len = strcspn(text, "\n");

	for (size_t i = 0; i + 1 < len; i++)
		if ((text[i] == '.' || text[i] == ':') && text[i + 1] == ' ')
			len = i;
	while (len > 0 && text[len - 1] == '.')
		len--;
	return (struct bytes){ text, len };
}

/* Words filled into lines of the page's width. */
static void put_filled(struct cmd *c, const char *text, int indent)
{
	int column = 0;

	while (*(text += strspn(text, " \n")) != '\0') {
		int len = (int)strcspn(text, " \n");

		if (column > 0 && column + 1 + len > WIDTH - 2) {
			cmd_putc(c, '\n');
			column = 0;
		}
		if (column == 0)
			cmd_printf(c, "%*s", indent, "");
		cmd_printf(c, column == 0 ? "%.*s" : " %.*s", len, text);
		column += column == 0 ? indent + len : len + 1;
		text += len;
	}
	cmd_putc(c, '\n');
}

static void put_edge(struct cmd *c, const char *left, const char *middle, const char *right)
{
	int len = (int)strlen(middle);
	int start = (WIDTH - 2 - len + 1) / 2; /* as groff centres it */
	int before = start - (int)strlen(left);
	int behind = WIDTH - 2 - start - len - (int)strlen(right);

	cmd_printf(c, "%s%*s%s%*s%s\n", left, before > 1 ? before : 1, "", middle,
		   behind > 1 ? behind : 1, "", right);
}

static void put_option(struct cmd *c, const struct opt *o)
{
	const char *metavar = o->metavar != NULL ? o->metavar : "ARG";

	if (o->help == NULL)
		return;
	cmd_printf(c, "%*s", INDENT, "");
	if (o->letter != 0)
		cmd_printf(c, "-%c%s", o->letter, o->name != NULL ? ", " : "");
	if (o->name != NULL)
		cmd_printf(c, "--%s", o->name);
	if (o->arg == OPT_ARG_OPTIONAL)
		cmd_printf(c, o->name != NULL ? "[=%s]" : "[%s]", metavar);
	else if (o->arg == OPT_ARG_REQUIRED)
		cmd_printf(c, "%c%s", o->name != NULL ? '=' : ' ', metavar);
	cmd_putc(c, '\n');
	put_filled(c, o->help, DEEPER);
	cmd_putc(c, '\n');
}

static void put_page(struct cmd *c, const struct builtin *b)
{
	struct buf title = buf_in(c->arena);
	struct buf line = buf_in(c->arena);

	for (const char *at = b->name; *at != '\0'; at++)
		buf_putc(&title, (char)(*at >= 'a' && *at <= 'z' ? *at - 32 : *at));
	buf_puts(&title, "(1)");
	put_edge(c, buf_cstr(&title), "User Commands", buf_cstr(&title));
	buf_printf(&line, "%s - %.*s", b->name, (int)brief(b).len, brief(b).ptr);
	cmd_puts(c, "\nNAME\n");
	put_filled(c, buf_cstr(&line), INDENT);
	cmd_printf(c, "\nSYNOPSIS\n%*s%s %s\n", INDENT, "", b->name,
		   b->usage != NULL ? b->usage : "");
	if (b->summary != NULL) {
		cmd_puts(c, "\nDESCRIPTION\n");
		put_filled(c, b->summary, INDENT);
	}
	cmd_puts(c, "\nOPTIONS\n");
	for (const struct opt *o = b->opts; o != NULL && o->kind != OPT_KIND_END; o++) {
		put_option(c, o);
		cmd_charge(c, 2);
	}
	if (!(b->flags & (BUILTIN_RAW | BUILTIN_NO_HELP)))
		cmd_printf(c,
			   "%*s--help\n%*ssay how to use this command, and exit\n\n%*s--version\n"
			   "%*ssay which version this is, and exit\n\n",
			   INDENT, "", DEEPER, "", INDENT, "", DEEPER, "");
	cmd_printf(c, "SEE ALSO\n%*sBehaves as %s; differences: docs/limits.md.\n\n", INDENT, "",
		   b->family != NULL ? b->family : "GNU coreutils 9.1");
	put_edge(c, "cowsh", "", buf_cstr(&title));
}

static void put_line(struct cmd *c, const struct builtin *b)
{
	struct buf name = buf_in(c->arena);

	buf_printf(&name, "%s (1)", b->name);
	cmd_printf(c, "%-20s - %.*s\n", buf_cstr(&name), (int)brief(b).len, brief(b).ptr);
}

/* --- searching --- */

/* Whether a list of sections, separated by : or , or blanks, has 1, where all pages are. */
static bool has_pages(const char *sections)
{
	if (sections == NULL)
		return true;
	for (const char *at = sections; *at != '\0';) {
		size_t len = strcspn(at, ":, ");

		if (len == 1 && *at == '1')
			return true;
		at += len + (at[len] != '\0');
	}
	return false;
}

static struct regex *compile(struct cmd *c, const char *word, bool exact)
{
	const char *message;
	struct regex *re;
	size_t offset;

	if (regex_compile(c->arena, bytes_of(word),
			  (exact ? REGEX_FIXED | (unsigned)REGEX_WORD : REGEX_ERE) |
				  (unsigned)REGEX_ICASE,
			  &re, &message, &offset) != 0)
		cmd_fatal_status(c, 1, 0, "fatal: regex `%s': %s", word, message);
	regex_set_work(re, cmd_work, c);
	return re;
}

static bool mentions(struct regex *re, const struct builtin *b, bool names_only)
{
	const char *summary = b->summary != NULL ? b->summary : "";

	return regex_test(re, bytes_of(b->name), 0) == 0 ||
	       (!names_only && regex_test(re, bytes_of(summary), 0) == 0);
}

static int nothing(struct cmd *c, const char *name)
{
	struct buf text = buf_in(c->arena);

	buf_printf(&text, "%s: nothing appropriate.\n", name);
	cmd_flush(c);
	cmd_err_write(c, text.ptr, text.len);
	return NOT_FOUND;
}

/* Lines of the commands that mention the words. */
static int search(struct cmd *c, bool exact, bool all, bool names_only)
{
	const struct man_opts *o = c->opts;
	bool pages = has_pages(o->sections);
	struct regex **re = arena_array(c->arena, (size_t)c->nargs + 1, sizeof *re);
	bool *found = arena_array(c->arena, (size_t)c->nargs + 1, sizeof *found);
	int status = 0;

	for (int i = 0; i < c->nargs; i++)
		re[i] = compile(c, c->args[i], exact);
	for (size_t k = 0; pages && builtin_nth(k) != NULL; k++) {
		int hits = 0;

		for (int i = 0; i < c->nargs; i++) {
			bool hit = mentions(re[i], builtin_nth(k), names_only);

			found[i] |= hit;
			hits += hit;
		}
		if (hits > 0 && (!all || hits == c->nargs))
			put_line(c, builtin_nth(k));
		cmd_charge(c, (uint64_t)c->nargs);
	}
	for (int i = 0; i < c->nargs; i++) {
		if (found[i])
			continue;
		status = nothing(c, c->args[i]);
	}
	return status;
}

static int what_is(struct cmd *c)
{
	const struct man_opts *o = c->opts;
	bool pages = has_pages(o->sections);
	int status = 0;

	for (int i = 0; i < c->nargs; i++) {
		const struct builtin *b = pages ? builtin_lookup(c->args[i]) : NULL;

		if (b != NULL)
			put_line(c, b);
		else
			status = nothing(c, c->args[i]);
	}
	return status;
}

static int nothing_given(struct cmd *c)
{
	cmd_printf(c, "%s what?\n", c->name);
	return 1;
}

/* A digit and letters, or one of three others. */
static bool is_section(const char *word)
{
	size_t i = 1;

	if (strcmp(word, "0") == 0 || strcmp(word, "n") == 0 || strcmp(word, "l") == 0)
		return true;
	while (byte_is_lower((unsigned char)word[i]))
		i++;
	return word[0] >= '1' && word[0] <= '9' && word[i] == '\0';
}

/* section: NULL, or the only one that counts. */
static int show(struct cmd *c, const char *name, const char *section)
{
	const struct man_opts *o = c->opts;
	bool pages = has_pages(section != NULL ? section : o->sections);
	const struct builtin *b = pages ? builtin_lookup(name) : NULL;
	struct buf text = buf_in(c->arena);

	if (b != NULL && o->where)
		cmd_printf(c, "/usr/bin/%s\n", name);
	else if (b != NULL)
		put_page(c, b);
	if (b != NULL)
		return 0;
	cmd_flush(c);
	buf_printf(&text,
		   section != NULL ? "No manual entry for %s in section %s\n"
				   : "No manual entry for %s\n",
		   name, section);
	cmd_err_write(c, text.ptr, text.len);
	return NOT_FOUND;
}

static int no_name(struct cmd *c, const char *section)
{
	struct buf text = buf_in(c->arena);

	buf_printf(&text,
		   "No manual entry for %s\n(Alternatively, what manual page do you want from "
		   "section %s?)\nFor example, try 'man man'.\n",
		   section, section);
	cmd_err_write(c, text.ptr, text.len);
	return 1;
}

static int man_run(struct cmd *c)
{
	const struct man_opts *o = c->opts;
	const char *section = NULL;
	bool after_section = false;
	int status = 0;

	if (c->nargs == 0) {
		static const char text[] = "What manual page do you want?\nFor example, try 'man "
					   "man'.\n";

		cmd_err_write(c, text, sizeof text - 1);
		return 1;
	}
	if (o->find)
		return search(c, false, false, false);
	if (o->what)
		return what_is(c);
	if (c->nargs == 1 && byte_is_digit((unsigned char)c->args[0][0]) && is_section(c->args[0]))
		return no_name(c, c->args[0]);
	for (int i = 0; i < c->nargs; i++) {
		if (is_section(c->args[i]) && !after_section) {
			section = c->args[i];
			after_section = true;
			continue;
		}
		after_section = false;
		status |= show(c, c->args[i], section);
	}
	return status;
}

static int apropos_run(struct cmd *c)
{
	const struct man_opts *o = c->opts;

	return c->nargs == 0 ? nothing_given(c) : search(c, o->exact, o->and, false);
}

static int whatis_run(struct cmd *c)
{
	const struct man_opts *o = c->opts;

	if (c->nargs == 0)
		return nothing_given(c);
	return o->find ? search(c, false, false, true) : what_is(c);
}

const struct builtin builtin_man = {
	.name = "man",
	.usage = "[OPTION]... [SECTION] NAME...",
	.summary = "Shows the manual pages of commands. Those of the shell itself: help NAME.",
	.run = man_run,
	.opts = man_options,
	.opts_size = sizeof(struct man_opts),
	.family = "man-db 2.11.2",
};

const struct builtin builtin_apropos = {
	.name = "apropos",
	.usage = "[OPTION]... WORD...",
	.summary = "Lists commands whose name or description matches a regular expression.",
	.run = apropos_run,
	.opts = apropos_options,
	.opts_size = sizeof(struct man_opts),
	.family = "man-db 2.11.2",
};

const struct builtin builtin_whatis = {
	.name = "whatis",
	.usage = "[OPTION]... NAME...",
	.summary = "Says in one line what a command is.",
	.run = whatis_run,
	.opts = whatis_options,
	.opts_size = sizeof(struct man_opts),
	.family = "man-db 2.11.2",
};
