/* SPDX-License-Identifier: MIT
 *
 * Option parsing over the table of a command, as GNU getopt_long does it: bundled letters,
 * abbreviated names, operands anywhere (unless the command stops at the first one).
 */
#include "builtins/cmd_private.h"

static const struct opt help_row = { .name = "help",
				     .kind = OPT_KIND_END,
				     .help = "say how to use this command, and exit" };
static const struct opt version_row = { .name = "version",
					.kind = OPT_KIND_END,
					.help = "say which version this is, and exit" };

struct parse {
	struct cmd *c;
	int next;  /* index of the next argument */
	bool done; /* only operands follow */
	int room;  /* of c->args, which end in NULL */
};

/* --- --help and --version --- */

static void put_row(struct cmd *c, const struct opt *o)
{
	struct buf left = buf_in(c->arena);

	if (o->help == NULL)
		return;
	if (o->letter != 0)
		buf_printf(&left, "  -%c%s", o->letter, o->name != NULL ? ", " : "");
	else
		buf_puts(&left, "      ");
	if (o->name != NULL)
		buf_printf(&left, "--%s", o->name);
	if (o->arg == OPT_ARG_OPTIONAL)
		buf_printf(&left, o->name != NULL ? "[=%s]" : "[%s]", o->metavar);
	else if (o->arg == OPT_ARG_REQUIRED)
		buf_printf(&left, "%c%s", o->name != NULL ? '=' : ' ', o->metavar);
	cmd_printf(c, left.len < 26 ? "%-26s%s\n" : "%s\n                          %s\n",
		   buf_cstr(&left), o->help);
}

void cmd_put_help(struct cmd *c)
{
	cmd_printf(c, "Usage: %s %s\n", c->name, c->b->usage);
	if (c->b->summary != NULL)
		cmd_printf(c, "%s\n", c->b->summary);
	cmd_putc(c, '\n');
	for (const struct opt *o = c->b->opts; o != NULL && o->kind != OPT_KIND_END; o++)
		put_row(c, o);
	put_row(c, &help_row);
	put_row(c, &version_row);
}

static bool is_from(const char *family)
{
	return strncmp(family, "util-linux", 10) == 0 || strncmp(family, "procps-ng", 9) == 0;
}

void cmd_put_version(struct cmd *c)
{
	const char *family = c->b->family != NULL ? c->b->family : "GNU coreutils 9.1";
	const char *version = strrchr(family, ' ');
	struct bytes project = { family, version != NULL ? (size_t)(version - family) : 0 };

	if (is_from(family)) {
		cmd_printf(c, "%s from %s\n", c->b->name, family);
		return;
	}
	if (c->b->version != NULL)
		cmd_printf(c, "%s\n", c->b->version);
	else if (version == NULL)
		cmd_printf(c, "%s (%s)\n", c->b->name, family);
	else if (bytes_eq(project, bytes_of(c->b->name)))
		cmd_printf(c, "%s\n", family);
	else
		cmd_printf(c, "%s (%.*s)%s\n", c->b->name, (int)project.len, family, version);
	if (version != NULL)
		cmd_puts(c, "Not that program, but cowsh's own, which behaves as it does.\n");
}

int cmd_opt_version(struct cmd *c, const struct opt *opt, const char *arg)
{
	(void)opt, (void)arg;
	cmd_put_version(c);
	cmd_exit(c, 0);
}

/* --- enum words --- */

/* The row whose word is `arg` or its only continuation; -1: none, -2: several. */
static int find_word(const struct opt_word *words, const char *arg)
{
	size_t len = strlen(arg);
	int found = -1;
	bool several = false;

	for (int i = 0; words[i].word != NULL; i++) {
		if (strncmp(words[i].word, arg, len) != 0)
			continue;
		if (words[i].word[len] == '\0')
			return i;
		if (found < 0)
			found = i;
		else
			several |= words[i].value != words[found].value;
	}
	return several ? -2 : found;
}

static int bad_word(struct cmd *c, const struct opt_word *words, const char *what, const char *arg,
		    const char *how)
{
	struct buf text = buf_in(c->arena);

	cmd_error(c, 0, "%s argument %s for %s", how, cmd_quote(c, arg), cmd_quote(c, what));
	buf_puts(&text, "Valid arguments are:");
	for (int i = 0; words[i].word != NULL; i++) {
		bool same = i > 0 && words[i].value == words[i - 1].value;

		buf_printf(&text, "%s%s", same ? ", " : "\n  - ", cmd_quote(c, words[i].word));
	}
	buf_putc(&text, '\n');
	cmd_err_write(c, text.ptr, text.len);
	/* Whatever the status of other usage errors is. */
	cmd_usage(c, NULL);
	return 1;
}

int opt_word(struct cmd *c, const struct opt_word *words, const char *what, const char *arg,
	     int *out)
{
	int found = find_word(words, arg);

	if (found >= 0) {
		*out = words[found].value;
		return 0;
	}
	return bad_word(c, words, what, arg, found == -1 ? "invalid" : "ambiguous");
}

int opt_whole_word(struct cmd *c, const struct opt_word *words, const char *what, const char *arg,
		   int *out)
{
	int found = find_word(words, arg);

	if (found < 0 || strcmp(words[found].word, arg) != 0)
		return bad_word(c, words, what, arg, "invalid");
	*out = words[found].value;
	return 0;
}

/* --- one option --- */

int opt_missing(struct cmd *c, const struct opt *o, const char *arg)
{
	(void)arg;
	if (o->name != NULL)
		return cmd_usage(c, "option '--%s' is not supported", o->name);
	return cmd_usage(c, "option '-%c' is not supported", o->letter);
}

int opt_ignored(struct cmd *c, const struct opt *o, const char *arg)
{
	(void)c, (void)o, (void)arg;
	return 0;
}

const char *opt_given(struct cmd *c, const struct opt *o)
{
	struct buf text = buf_in(c->arena);

	if (c->priv->long_option)
		buf_printf(&text, "--%s", o->name);
	else
		buf_printf(&text, "-%c", o->letter);
	return buf_cstr(&text);
}

static int set_enum(struct cmd *c, const struct opt *o, const char *arg, int *field)
{
	struct buf what = buf_in(c->arena);

	if (arg == NULL) {
		*field = o->value;
		return 0;
	}
	if (o->name != NULL)
		buf_printf(&what, "--%s", o->name);
	else
		buf_printf(&what, "-%c", o->letter);
	return opt_word(c, o->words, buf_cstr(&what), arg, field);
}

/* 0, or a status that ends the command. */
static int apply(struct cmd *c, const struct opt *o, const char *arg)
{
	void *field = c->opts != NULL ? (char *)c->opts + o->offset : NULL;

	switch (o->kind) {
	case OPT_KIND_FLAG: *(bool *)field = true; return 0;
	case OPT_KIND_COUNT: ++*(int *)field; return 0;
	case OPT_KIND_SET: *(int *)field = o->value; return 0;
	case OPT_KIND_STR: *(const char **)field = arg != NULL ? arg : o->words->word; return 0;
	case OPT_KIND_BYTES: *(struct bytes *)field = bytes_of(arg); return 0;
	case OPT_KIND_ENUM: return set_enum(c, o, arg, field);
	case OPT_KIND_CALL:
	case OPT_KIND_DIGIT:
	case OPT_KIND_DIGITS: return o->fn(c, o, arg);
	case OPT_KIND_END: break;
	}
	if (o == &help_row)
		cmd_put_help(c);
	else
		cmd_put_version(c);
	cmd_exit(c, 0);
}

static void set_defaults(struct cmd *c)
{
	for (const struct opt *o = c->b->opts; o != NULL && o->kind != OPT_KIND_END; o++) {
		char *field;

		if (o->def == NULL)
			continue;
		field = (char *)c->opts + o->offset;
		if (o->kind == OPT_KIND_STR)
			*(const char **)(void *)field = o->def;
		else
			*(struct bytes *)(void *)field = bytes_of(o->def);
	}
}

/* An option that is not known; format: with one string. */
static int unknown(struct cmd *c, const char *format, const char *option)
{
	struct buf text = buf_in(c->arena);

	if (c->b->misused == NULL)
		return cmd_usage(c, format, option);
	buf_printf(&text, format, option);
	cmd_error(c, 0, "%s", buf_cstr(&text));
	c->b->misused(c);
	return cmd_usage(c, NULL);
}

/* --- long options --- */

struct match {
	const struct opt *row;
	bool exact;
	bool several;
	struct buf names; /* the candidates, quoted, for the message */
};

static bool same_effect(const struct opt *a, const struct opt *b)
{
	return a->kind == b->kind && a->kind != OPT_KIND_END && a->arg == b->arg &&
	       a->offset == b->offset && a->value == b->value && a->fn == b->fn &&
	       a->letter == b->letter;
}

static void consider(struct match *m, const struct opt *o, struct bytes name)
{
	if (o->name == NULL || m->exact || !bytes_starts(bytes_of(o->name), name))
		return;
	if (o->name[name.len] == '\0') {
		m->row = o;
		m->exact = true;
		return;
	}
	buf_printf(&m->names, " '--%s'", o->name);
	if (m->row == NULL)
		m->row = o;
	else
		m->several |= !same_effect(m->row, o);
}

static struct match find_long(struct cmd *c, struct bytes name)
{
	struct match m = { .names = buf_in(c->arena) };

	for (const struct opt *o = c->b->opts; o != NULL && o->kind != OPT_KIND_END; o++)
		consider(&m, o, name);
	if (!(c->b->flags & BUILTIN_NO_HELP)) {
		consider(&m, &help_row, name);
		consider(&m, &version_row, name);
	}
	return m;
}

static int parse_long(struct parse *ps, const char *text)
{
	struct cmd *c = ps->c;
	const char *equals = strchr(text, '=');
	struct bytes name = { text, equals != NULL ? (size_t)(equals - text) : strlen(text) };
	const char *arg = equals != NULL ? equals + 1 : NULL;
	struct match m = find_long(c, name);

	if (m.row == NULL && c->b->unknown != NULL)
		return cmd_usage(c, c->b->unknown, text - 2);
	if (m.row == NULL)
		return unknown(c, "unrecognized option '--%s'", text);
	if (m.several && !m.exact)
		return cmd_usage(c, "option '--%s' is ambiguous; possibilities:%s", text,
				 buf_cstr(&m.names));
	if (arg != NULL && m.row->arg == OPT_ARG_NONE)
		return cmd_usage(c, "option '--%s' doesn't allow an argument", m.row->name);
	if (arg == NULL && m.row->arg == OPT_ARG_REQUIRED) {
		if (ps->next >= c->argc)
			return cmd_usage(c, "option '--%s' requires an argument", m.row->name);
		arg = c->argv[ps->next++];
	}
	c->priv->long_option = true;
	return apply(c, m.row, arg);
}

/* --- letters --- */

static const struct opt *find_letter(const struct opt *o, char letter)
{
	for (; o != NULL && o->kind != OPT_KIND_END; o++) {
		bool digits = o->kind == OPT_KIND_DIGIT || o->kind == OPT_KIND_DIGITS;

		if (digits ? byte_is_digit(letter) : o->letter == letter && letter != 0)
			return o;
	}
	return NULL;
}

/* Letters for --help and --version, in commands that are not of the coreutils. */
static const struct opt *find_family_letter(const struct builtin *b, char letter)
{
	static const struct {
		const char *family; /* how the record's begins */
		const char *help;
		const char *version;
	} families[] = {
		{ "File::Rename", "h", "V" }, { "GNU Awk", "h", "V" },
		{ "GNU bc", "h", "" },        { "GNU dc", "h", "V" },
		{ "GNU diffutils", "", "v" }, { "GNU ed", "h", "V" },
		{ "GNU gettext", "h", "V" },  { "GNU grep", "", "V" },
		{ "gzip", "h", "V" },         { "GNU libc", "", "V" },
		{ "GNU patch", "", "v" },     { "GNU sharutils", "h", "v" },
		{ "GNU strings", "h", "vV" }, { "GNU time", "h", "V" },
		{ "bzip2", "h", "V" },        { "dos2unix", "h", "V" },
		{ "glibc", "", "V" },         { "hostname", "h", "V" },
		{ "lsb-release", "h", "" },   { "ncurses", "", "V" },
		{ "procps-ng", "h", "V" },    { "PSmisc", "", "V" },
		{ "retry", "h", "v" },        { "ripgrep", "h", "V" },
		{ "util-linux", "h", "V" },   { "zstd", "h", "V" },
	};

	for (size_t i = 0; b->family != NULL && i < sizeof(families) / sizeof(families[0]); i++) {
		if (strncmp(b->family, families[i].family, strlen(families[i].family)) != 0)
			continue;
		if (strchr(families[i].help, letter) != NULL)
			return &help_row;
		return strchr(families[i].version, letter) != NULL ? &version_row : NULL;
	}
	return NULL;
}

/* The argument of a letter option: what follows in the same word, or the next word. */
static int take_argument(struct parse *ps, const struct opt *o, const char *rest, const char **out)
{
	struct cmd *c = ps->c;

	*out = NULL;
	if (o->arg == OPT_ARG_NONE)
		return 0;
	if (*rest != '\0')
		*out = rest;
	else if (o->arg == OPT_ARG_REQUIRED && ps->next >= c->argc)
		return cmd_usage(c, "option requires an argument -- '%c'", o->letter);
	else if (o->arg == OPT_ARG_REQUIRED)
		*out = c->argv[ps->next++];
	return 0;
}

static int parse_letters(struct parse *ps, const char *letters)
{
	struct cmd *c = ps->c;

	c->priv->long_option = false;
	for (const char *at = letters; *at != '\0'; at++) {
		const struct opt *o = find_letter(c->b->opts, *at);
		const char *arg = NULL;

		if (o == NULL && (c->b->flags & BUILTIN_NO_HELP) == 0)
			o = find_family_letter(c->b, *at);
		if (o == NULL && c->b->unknown != NULL)
			return cmd_usage(c, c->b->unknown, letters - 1);
		if (o == NULL)
			return unknown(c, "invalid option -- '%.1s'", at);
		if (o->kind == OPT_KIND_DIGITS)
			return apply(c, o, at);
		if (o->kind == OPT_KIND_DIGIT) {
			size_t len = strspn(at, "0123456789");

			arg = cmd_slot(c, (struct bytes){ at, len });
			at += len - 1;
		}
		int status = o->kind == OPT_KIND_DIGIT ? 0 : take_argument(ps, o, at + 1, &arg);

		if (status == 0)
			status = apply(c, o, arg);
		if (status != 0 || o->arg != OPT_ARG_NONE)
			return status;
	}
	return 0;
}

/* --- all of them --- */

/* Old forms. True: the argument is dealt with, or the list was changed and is read again. */
static bool take_legacy(struct parse *ps)
{
	struct cmd *c = ps->c;

	if (ps->done || c->b->legacy == NULL)
		return false;
	int taken = c->b->legacy(c, c->argc, c->argv, ps->next - 1);

	ps->next += taken < 0 ? -1 : taken > 0 ? taken - 1 : 0;
	/* The list may have become longer. */
	if (c->argc >= ps->room) {
		char **args = arena_array(c->arena, (size_t)c->argc + 1, sizeof(char *));

		memcpy(args, c->args, (size_t)c->nargs * sizeof(char *));
		c->args = args;
		ps->room = c->argc + 1;
	}
	return taken != 0;
}

/* With POSIXLY_CORRECT getopt of GNU takes no options behind operands. */
static bool stops_at_operands(const struct parse *ps)
{
	const struct cmd *c = ps->c;
	const char *family = c->b->family;

	if (ps->next >= c->argc || c->argv[ps->next][0] != '-')
		return false;
	return (family == NULL || strncmp(family, "GNU ", 4) == 0 || is_from(family)) &&
	       cmd_getenv(ps->c, "POSIXLY_CORRECT") != NULL;
}

static int parse_one(struct parse *ps, char *word)
{
	struct cmd *c = ps->c;

	if (take_legacy(ps))
		return 0;
	if (ps->done || word[0] != '-' || word[1] == '\0') {
		c->args[c->nargs++] = word;
		ps->done |= (c->b->flags & BUILTIN_STOP) != 0 || stops_at_operands(ps);
		return 0;
	}
	if (word[1] != '-')
		return parse_letters(ps, word + 1);
	if (word[2] != '\0')
		return parse_long(ps, word + 2);
	ps->done = true;
	return 0;
}

static void raw_help(struct cmd *c)
{
	if (!(c->b->flags & BUILTIN_RAW_HELP) || c->argc != 2)
		return;
	if ((c->b->flags & BUILTIN_POSIX_TEXT) && cmd_getenv(c, "POSIXLY_CORRECT") != NULL)
		return;
	if (strcmp(c->argv[1], "--help") == 0)
		apply(c, &help_row, NULL);
	if (strcmp(c->argv[1], "--version") == 0)
		apply(c, &version_row, NULL);
}

int opts_parse(struct cmd *c)
{
	struct parse ps = { .c = c, .next = 1, .room = c->argc + 1 };
	int status = 0;

	if (c->b->flags & (BUILTIN_RAW | BUILTIN_RAW_HELP)) {
		raw_help(c);
		c->nargs = c->argc > 0 ? c->argc - 1 : 0;
		c->args = c->argv + (c->argc > 0);
		return -1;
	}
	set_defaults(c);
	c->args = arena_array(c->arena, (size_t)ps.room, sizeof(char *));
	while (ps.next < c->argc && status == 0) {
		char *word = c->argv[ps.next++];

		status = parse_one(&ps, word);
	}
	return status != 0 ? status : -1;
}

void cmd_words_before(struct cmd *c, const char *variable)
{
	const char *text = cmd_getenv(c, variable);
	size_t n = 1;

	if (text == NULL)
		return;
	char **argv = arena_array(c->arena, (size_t)c->argc + strlen(text) / 2 + 2, sizeof *argv);

	for (text += strspn(text, " \t\n"); *text != '\0'; text += strspn(text, " \t\n")) {
		size_t len = strcspn(text, " \t\n");

		argv[n++] = arena_dup(c->arena, (struct bytes){ text, len });
		text += len;
	}
	argv[0] = c->argv[0];
	for (int i = 1; i < c->argc; i++)
		argv[n++] = c->argv[i];
	argv[n] = NULL;
	c->argv = argv;
	c->argc = (int)n;
	if ((c->b->flags & (BUILTIN_RAW | BUILTIN_RAW_HELP)) != 0) {
		c->args = argv + 1;
		c->nargs = (int)n - 1;
	}
}
