/* SPDX-License-Identifier: MIT
 *
 * nl - number the lines of files.
 *
 * Lines that consist of one, two or three delimiters begin the footer, body or header of a page.
 */
#include "builtins/builtin.h"
#include "base/number.h"
#include "base/regex.h"

enum section { SECTION_FOOTER, SECTION_BODY, SECTION_HEADER, SECTION_NONE };

struct style {
	char type; /* a t n p */
	struct regex *re;
};

struct nl_opts {
	struct style style[3];
	struct bytes delimiter;
	const char *separator;
	const char *format;
	int64_t start;
	int64_t step;
	int64_t blanks;
	int64_t width;
	bool keep_numbering;
	/* state */
	enum section section;
	int64_t line;
	bool overflow;
	bool bad;      /* an option was refused; all of them are, before the command ends */
	int64_t empty; /* empty lines since the last one counted */
};

static int set_style(struct cmd *c, const struct opt *opt, const char *arg)
{
	static const char *const names[] = { "footer", "body", "header" };
	struct nl_opts *o = c->opts;
	int which = opt->letter == 'f'   ? SECTION_FOOTER
		    : opt->letter == 'b' ? SECTION_BODY
					 : SECTION_HEADER;
	struct style *style = &o->style[which];
	const char *message;
	size_t offset;

	if (arg[0] == '\0' || strchr("atnp", arg[0]) == NULL) {
		cmd_error(c, 0, "invalid %s numbering style: %s", names[which], cmd_quote(c, arg));
		o->bad = true;
		return 0;
	}
	style->type = arg[0];
	if (arg[0] != 'p')
		return 0;
	if (regex_compile(c->arena, bytes_of(arg + 1),
			  REGEX_BRE | REGEX_NOSUB | (c->utf8 ? REGEX_UTF8 : 0), &style->re,
			  &message, &offset) < 0)
		cmd_fatal(c, 0, "%s", message);
	regex_set_work(style->re, cmd_work, c);
	return 0;
}

static int set_delimiter(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct nl_opts *o = c->opts;
	size_t len = strlen(arg);

	(void)opt;
	o->delimiter = (struct bytes){ arg, len };
	if (len == 1) {
		char *pair = arena_alloc(c->arena, 3);

		pair[0] = arg[0];
		pair[1] = ':';
		o->delimiter = (struct bytes){ pair, 2 };
	}
	return 0;
}

static int set_number(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct nl_opts *o = c->opts;
	bool any = opt->letter == 'v' || opt->letter == 'i';
	int64_t *field = opt->letter == 'v'   ? &o->start
			 : opt->letter == 'i' ? &o->step
			 : opt->letter == 'l' ? &o->blanks
					      : &o->width;
	const char *what = opt->letter == 'v'   ? "starting line number"
			   : opt->letter == 'i' ? "line number increment"
			   : opt->letter == 'l' ? "line number of blank lines"
						: "line number field width";
	int err = num_parse_i64(arg, "", field);

	if (err == 0 && !any && (*field < 1 || (opt->letter == 'w' && *field > INT32_MAX)))
		err = -E_RANGE;
	if (err == 0)
		return 0;
	if (err == -E_OVERFLOW || (err == -E_RANGE && *field > 0))
		return cmd_error(c, E_OVERFLOW, "invalid %s: %s", what, cmd_quote(c, arg));
	return cmd_error(c, err == -E_RANGE ? E_RANGE : 0, "invalid %s: %s", what,
			 cmd_quote(c, arg));
}

static int set_format(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct nl_opts *o = c->opts;

	(void)opt;
	if (strcmp(arg, "ln") != 0 && strcmp(arg, "rn") != 0 && strcmp(arg, "rz") != 0) {
		cmd_error(c, 0, "invalid line numbering format: %s", cmd_quote(c, arg));
		o->bad = true;
		return 0;
	}
	o->format = arg;
	return 0;
}

static const struct opt nl_options[] = {
	OPT_CALL_ARG('b', "body-numbering", set_style, "STYLE", "which lines of the body (t)"),
	OPT_CALL_ARG('d', "section-delimiter", set_delimiter, "CC", "two characters (\\:)"),
	OPT_CALL_ARG('f', "footer-numbering", set_style, "STYLE", "which lines of the footer (n)"),
	OPT_CALL_ARG('h', "header-numbering", set_style, "STYLE", "which lines of the header (n)"),
	OPT_CALL_ARG('i', "line-increment", set_number, "N", "from a number to the next (1)"),
	OPT_CALL_ARG('l', "join-blank-lines", set_number, "N", "of N empty lines one counts (1)"),
	OPT_CALL_ARG('n', "number-format", set_format, "FORMAT", "ln, rn or rz (rn)"),
	OPT_FLAG('p', "no-renumber", struct nl_opts, keep_numbering,
		 "do not begin again with each page"),
	OPT_STR('s', "number-separator", struct nl_opts, separator, "\t", "STRING",
		"what stands behind numbers (tab)"),
	OPT_CALL_ARG('v', "starting-line-number", set_number, "N", "first number of a page (1)"),
	OPT_CALL_ARG('w', "number-width", set_number, "N", "columns of numbers (6)"),
	OPT_END(),
};

static void put_number(struct cmd *c, struct nl_opts *o)
{
	char digits[24];
	size_t len;
	size_t width = (size_t)o->width;

	if (o->overflow)
		cmd_fatal(c, 0, "line number overflow");
	len = number_put_i64(digits, o->line);
	size_t pad = len < width ? width - len : 0;
	bool negative = digits[0] == '-';

	cmd_charge_bytes(c, pad);
	if (o->format[0] == 'r' && o->format[1] == 'z' && negative)
		cmd_putc(c, '-');
	else
		negative = false;
	for (size_t i = 0; o->format[0] == 'r' && i < pad; i++)
		cmd_putc(c, o->format[1] == 'z' ? '0' : ' ');
	cmd_write(c, digits + negative, len - negative);
	for (size_t i = 0; o->format[0] == 'l' && i < pad; i++)
		cmd_putc(c, ' ');
	cmd_puts(c, o->separator);
	o->overflow = __builtin_add_overflow(o->line, o->step, &o->line);
}

static bool counts(struct nl_opts *o, struct bytes line)
{
	const struct style *style = &o->style[o->section];

	switch (style->type) {
	case 'a':
		if (line.len > 0 || o->blanks == 1 || o->empty == o->blanks) {
			o->empty = 0;
			return true;
		}
		return false;
	case 't': return line.len > 0;
	case 'p': return regex_test(style->re, line, 0) == 0;
	default: return false;
	}
}

/* The section that a line begins. */
static enum section section_of(const struct nl_opts *o, struct bytes line)
{
	size_t len = o->delimiter.len;

	if (len == 0 || line.len % len != 0 || line.len == 0 || line.len > 3 * len)
		return SECTION_NONE;
	for (size_t i = 0; i < line.len; i += len)
		if (memcmp(line.ptr + i, o->delimiter.ptr, len) != 0)
			return SECTION_NONE;
	return (enum section)(line.len / len - 1);
}

static void put_line(struct cmd *c, struct nl_opts *o, struct bytes line)
{
	if (o->style[o->section].type == 'a' && line.len == 0)
		o->empty++;
	if (counts(o, line)) {
		put_number(c, o);
	} else {
		size_t blanks = (size_t)o->width + strlen(o->separator);

		for (size_t i = 0; i < blanks; i++)
			cmd_putc(c, ' ');
		cmd_charge_bytes(c, blanks);
	}
	cmd_bytes(c, line);
	cmd_putc(c, '\n');
}

static int nl_file(struct input *in, void *arg)
{
	struct nl_opts *o = arg;
	struct bytes line;
	int more;

	while ((more = input_line(in, '\n', &line)) > 0) {
		enum section next = section_of(o, line);

		cmd_charge(in->c, 1);
		if (next == SECTION_NONE) {
			put_line(in->c, o, line);
			continue;
		}
		o->section = next;
		if (!o->keep_numbering) {
			o->line = o->start;
			o->overflow = false;
		}
		cmd_putc(in->c, '\n');
	}
	return more;
}

static int nl_run(struct cmd *c)
{
	struct nl_opts *o = c->opts;

	if (o->bad)
		return cmd_usage(c, NULL);
	o->line = o->start;
	return cmd_each_file(c, nl_file, o);
}

static void nl_defaults(struct cmd *c)
{
	struct nl_opts *o = c->opts;

	o->style[SECTION_BODY].type = 't';
	o->style[SECTION_HEADER].type = o->style[SECTION_FOOTER].type = 'n';
	o->delimiter = BYTES("\\:");
	o->format = "rn";
	o->start = o->step = o->blanks = 1;
	o->width = 6;
	o->section = SECTION_BODY;
}

const struct builtin builtin_nl = {
	.name = "nl",
	.usage = "[OPTION]... [FILE]...",
	.summary =
		"Writes each line with its number. STYLE is one of: a (all lines), t (those that\n"
		"are not empty), n (none), pBRE (those that match).",
	.run = nl_run,
	.opts = nl_options,
	.opts_size = sizeof(struct nl_opts),
	.defaults = nl_defaults,
};
