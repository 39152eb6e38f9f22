/* SPDX-License-Identifier: MIT
 *
 * git rev-parse --parseopt: options of scripts. Standard input says which there are; the arguments
 * become a `set --` that the script evaluates.
 */
#include "builtins/git/rev.h"

enum { HELP_COLUMN = 26 };

struct script_option {
	const char *help;
	const char *name; /* NULL: none */
	char letter;      /* '\0': none */
	bool header;      /* no option: a line between them */
	bool argument, optional, hidden, never_no;
	const char *hint; /* of the argument, or NULL */
};

struct parseopt {
	struct git *g;
	struct names usage; /* until an empty line, then what is explained */
	struct script_option *at;
	size_t n, cap;
	bool keep_dashdash, stop, stuck;
	struct buf out;
	struct names rest;
};

static const char *const own_usage[] = {
	"git rev-parse --parseopt [<options>] -- [<args>...]\n"
	"\n"
	"    --keep-dashdash       keep the `--` passed as an arg\n"
	"    --stop-at-non-option  stop parsing after the first non-option argument\n"
	"    --stuck-long          output in stuck long form",
	NULL
};

/* --- what there is --- */

static const char *skip_blanks(const char *s)
{
	while (byte_is_space((unsigned char)*s))
		s++;
	return s;
}

/* "h,help!  text"; a line that begins with a blank, or has none, is a header. */
static void add_option(struct parseopt *p, struct bytes line)
{
	const char *text = arena_dup(p->g->keep, line);
	size_t spec = strcspn(text, " \t\n\v\f\r"), name;
	struct script_option o = { .help = skip_blanks(text + spec) };

	if (line.len == 0)
		return;
	if (spec == 0 || text[spec] == '\0') {
		o.help = skip_blanks(text);
		o.header = true;
	} else {
		name = strcspn(text, "*=?!");
		name = name < spec ? name : spec;
		if (name == 0)
			git_die(p->g, "missing opt-spec before option flags");
		if (name == 1 || text[1] == ',')
			o.letter = text[0];
		if (name > 1)
			o.name = text[1] != ','
					 ? git_format(p->g->keep, "%.*s", (int)name, text)
					 : git_format(p->g->keep, "%.*s", (int)name - 2, text + 2);
		for (; name < spec && strchr("*=?!", text[name]) != NULL; name++) {
			o.argument = o.argument || text[name] == '=' || text[name] == '?';
			o.optional = o.optional || text[name] == '?';
			o.never_no = o.never_no || text[name] == '!';
			o.hidden = o.hidden || text[name] == '*';
		}
		if (name < spec)
			o.hint = git_format(p->g->keep, "%.*s", (int)(spec - name), text + name);
	}
	LIST_ROOM(p->g, p->at, p->n, p->cap);
	p->at[p->n++] = o;
}

static void read_spec(struct parseopt *p)
{
	struct bytes text = file_stdin(p->g), line;
	bool options = false;

	while (git_line(&text, &line)) {
		cmd_charge(p->g->c, 1);
		if (options)
			add_option(p, line);
		else if (bytes_eq(line, BYTES("--")))
			options = true;
		else
			names_add(p->g, &p->usage, arena_dup(p->g->keep, line));
		if (options && p->usage.n == 0)
			git_die(p->g, "no usage string given before the `--' separator");
	}
	if (!options)
		git_die(p->g, "premature end of input");
}

/* --- usage --- */

static void put_option(const struct script_option *o, struct buf *out)
{
	size_t from = out->len, width;
	const char *hint = o->hint != NULL ? o->hint : "...";
	const char *open = o->hint != NULL ? "<" : "", *close = o->hint != NULL ? ">" : "";

	buf_puts(out, "    ");
	if (o->letter != '\0')
		buf_printf(out, "-%c", o->letter);
	if (o->letter != '\0' && o->name != NULL)
		buf_puts(out, ", ");
	if (o->name != NULL)
		buf_printf(out, "--%s", o->name);
	if (o->optional)
		buf_printf(out, "[%s%s%s%s]", o->name != NULL ? "=" : "", open, hint, close);
	else if (o->argument)
		buf_printf(out, " %s%s%s", open, hint, close);
	width = out->len - from;
	if (width + 2 > HELP_COLUMN) {
		buf_putc(out, '\n');
		width = 0;
	}
	buf_fill(out, ' ', HELP_COLUMN - width);
	buf_printf(out, "%s\n", o->help);
}

static void put_usage(struct parseopt *p, struct buf *out)
{
	bool explained = false;

	for (size_t i = 0; i < p->usage.n; i++) {
		const char *line = p->usage.at[i];

		explained = explained || *line == '\0';
		if (!explained)
			buf_printf(out, "%s %s\n", i == 0 ? "usage:" : "   or:", line);
		else
			buf_printf(out, "%s%s\n", *line != '\0' ? "    " : "", line);
	}
	if (p->n == 0 || !p->at[0].header)
		buf_putc(out, '\n');
	for (size_t i = 0; i < p->n; i++) {
		if (p->at[i].header)
			buf_printf(out, "\n%s%s", p->at[i].help,
				   *p->at[i].help != '\0' ? "\n" : "");
		else if (!p->at[i].hidden)
			put_option(&p->at[i], out);
	}
	buf_putc(out, '\n');
}

/* For the script to print it: as a here-document. */
static _Noreturn void help(struct parseopt *p)
{
	struct buf out = buf_in(p->g->a);

	buf_puts(&out, "cat <<\\EOF\n");
	put_usage(p, &out);
	buf_puts(&out, "EOF\n");
	cmd_bytes(p->g->c, buf_bytes(&out));
	git_exit(p->g, GIT_STATUS_USAGE);
}

static _Noreturn void unknown(struct parseopt *p)
{
	struct buf out = buf_in(p->g->a);

	put_usage(p, &out);
	git_say(p->g, "%s", buf_cstr(&out));
	git_exit(p->g, GIT_STATUS_USAGE);
}

/* --- arguments --- */

static void take(struct parseopt *p, const struct script_option *o, const char *arg, bool unset)
{
	if (unset)
		buf_printf(&p->out, " --no-%s", o->name);
	else if (o->letter != '\0' && (o->name == NULL || !p->stuck))
		buf_printf(&p->out, " -%c", o->letter);
	else
		buf_printf(&p->out, " --%s", o->name);
	if (arg == NULL)
		return;
	if (!p->stuck)
		buf_putc(&p->out, ' ');
	else if (o->name != NULL)
		buf_putc(&p->out, '=');
	git_quote_shell(&p->out, arg);
}

/* An option and whether it is taken back. */
struct found {
	const struct script_option *o;
	bool unset;
};

/* How the text names the option: 0 not, 1 by its beginning, 2 whole. */
static int names_it(const struct script_option *o, const char *text, size_t len, bool *unset)
{
	const char *name = o->name;
	bool no = len >= 3 && strncmp(text, "no-", 3) == 0;

	*unset = false;
	if (o->header || name == NULL)
		return 0;
	if (strncmp(name, text, len) == 0)
		return name[len] == '\0' ? 2 : 1;
	*unset = true;
	if (o->never_no)
		return 0;
	if (git_starts(name, "no-") && strlen(name) - 3 == len && strncmp(name + 3, text, len) == 0)
		return 2;
	if (len < 3 && strncmp("no-", text, len) == 0)
		return 1;
	if (no && strncmp(name, text + 3, len - 3) == 0)
		return name[len - 3] == '\0' ? 2 : 1;
	return 0;
}

static struct found find_long(struct parseopt *p, const char *text, size_t len)
{
	struct found f = { NULL, false }, other = { NULL, false };

	cmd_charge(p->g->c, p->n * (len / 64 + 1) / 4);
	for (size_t i = 0; i < p->n; i++) {
		bool unset;
		int how = names_it(&p->at[i], text, len, &unset);

		if (how == 2)
			return (struct found){ &p->at[i], unset };
		if (how == 1 && f.o != NULL)
			other = f;
		if (how == 1)
			f = (struct found){ &p->at[i], unset };
	}
	if (other.o == NULL)
		return f;
	git_error(p->g, "ambiguous option: %.*s (could be --%s%s or --%s%s)", (int)len, text,
		  other.unset ? "no-" : "", other.o->name, f.unset ? "no-" : "", f.o->name);
	help(p);
}

static int long_option(struct parseopt *p, char **argv, int left)
{
	const char *text = argv[0] + 2;
	size_t len = strcspn(text, "=");
	const char *arg = text[len] == '=' ? text + len + 1 : NULL;
	struct found f = find_long(p, text, len);

	if (f.o == NULL) {
		git_error(p->g, "unknown option `%s'", text);
		unknown(p);
	}
	if (arg != NULL && (f.unset || !f.o->argument)) {
		git_error(p->g, "option `%s%s' takes no value", f.unset ? "no-" : "", f.o->name);
		git_exit(p->g, GIT_STATUS_USAGE);
	}
	if (arg != NULL || f.unset || !f.o->argument || f.o->optional) {
		take(p, f.o, arg, f.unset);
		return 1;
	}
	if (left < 2) {
		git_error(p->g, "option `%s' requires a value", f.o->name);
		git_exit(p->g, GIT_STATUS_USAGE);
	}
	take(p, f.o, argv[1], false);
	return 2;
}

static int letters(struct parseopt *p, char **argv, int left)
{
	for (const char *at = argv[0] + 1; *at != '\0'; at++) {
		const struct script_option *o = NULL;

		cmd_charge(p->g->c, p->n / 8 + 1);
		for (size_t i = 0; i < p->n && o == NULL; i++)
			if (!p->at[i].header && p->at[i].letter == *at)
				o = &p->at[i];
		if (o == NULL && *at == 'h')
			help(p);
		if (o == NULL) {
			git_error(p->g, "unknown switch `%c'", *at);
			unknown(p);
		}
		if (!o->argument) {
			take(p, o, NULL, false);
			continue;
		}
		if (at[1] != '\0' || o->optional) {
			take(p, o, at[1] != '\0' ? at + 1 : NULL, false);
			return 1;
		}
		if (left < 2) {
			git_error(p->g, "switch `%c' requires a value", *at);
			git_exit(p->g, GIT_STATUS_USAGE);
		}
		take(p, o, argv[1], false);
		return 2;
	}
	return 1;
}

static void parse(struct parseopt *p, int argc, char **argv)
{
	bool ended = false;

	if (argc == 1 && (strcmp(argv[0], "-h") == 0 || strcmp(argv[0], "--help") == 0))
		help(p);
	for (int i = 0; i < argc;) {
		const char *arg = argv[i];

		cmd_charge(p->g->c, 1);
		if (ended || arg[0] != '-' || arg[1] == '\0') {
			names_add(p->g, &p->rest, arg);
			ended = ended || p->stop;
			i++;
		} else if (strcmp(arg, "--") == 0) {
			if (p->keep_dashdash)
				names_add(p->g, &p->rest, arg);
			ended = true;
			i++;
		} else if (arg[1] == '-') {
			i += long_option(p, argv + i, argc - i);
		} else {
			i += letters(p, argv + i, argc - i);
		}
	}
}

int rev_parseopt(struct git *g, struct args *args)
{
	struct parseopt p = { .g = g, .out = buf_in(g->a) };
	const struct git_option table[] = {
		GIT_FLAG(0, "keep-dashdash", struct parseopt, keep_dashdash),
		GIT_FLAG(0, "stop-at-non-option", struct parseopt, stop),
		GIT_FLAG(0, "stuck-long", struct parseopt, stuck),
		GIT_END(),
	};
	const struct git_parser own = { table, &p, own_usage, GIT_KEEP_DASHDASH, NULL };
	struct args mine = { args->argc - 1, args->argv + 1, -1 };

	if (mine.argc == 1 &&
	    (strcmp(mine.argv[0], "--help") == 0 || strcmp(mine.argv[0], "-h") == 0)) {
		git_printf(g, "usage: %s\n\n", own_usage[0]);
		return GIT_STATUS_USAGE;
	}
	git_parse(g, &mine, &own);
	if (mine.argc < 1 || strcmp(mine.argv[0], "--") != 0)
		git_usage(g, own_usage);
	read_spec(&p);
	buf_puts(&p.out, "set --");
	parse(&p, mine.argc - 1, mine.argv + 1);
	buf_puts(&p.out, " --");
	for (size_t i = 0; i < p.rest.n; i++) {
		buf_putc(&p.out, ' ');
		git_quote_shell(&p.out, p.rest.at[i]);
	}
	buf_putc(&p.out, '\n');
	cmd_bytes(g->c, buf_bytes(&p.out));
	return 0;
}
