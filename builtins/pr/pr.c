/* SPDX-License-Identifier: MIT
 *
 * pr - options and files.
 *
 * The old options -s and -w mean something else with columns than without; they are settled into
 * the new ones (-S, -W, -J) once all are known.
 */
#include "builtins/pr/pr.h"
#include "builtins/zone.h"

enum {
	LENGTH_DEFAULT = 66,
	WIDTH_DEFAULT = 72,
	LENGTH_HEADED = 10,
	TAB = 8,
	NUMBER_DIGITS = 5,
};

/* A whole number of at least min that fits in an int. */
static int parse_int(const char *text, int64_t min, int64_t *out)
{
	int err = num_parse_i64(text, "", out);

	if (err == -E_INVAL)
		return err;
	if (err != 0)
		return -E_OVERFLOW;
	if (*out >= min && *out <= INT32_MAX)
		return 0;
	return *out > INT32_MAX / 2 || *out < INT32_MIN / 2 ? -E_OVERFLOW : -E_RANGE;
}

static int set_int(struct cmd *c, const char *arg, int64_t min, const char *what, int64_t *out)
{
	int err = parse_int(arg, min, out);

	if (err == 0)
		return 0;
	return cmd_error(c, err == -E_INVAL ? 0 : err, "%s: %s", what, cmd_quote(c, arg));
}

static int set_length(struct cmd *c, const struct opt *opt, const char *arg)
{
	(void)opt;
	return set_int(c, arg, 1, "'-l PAGE_LENGTH' invalid number of lines",
		       &((struct pr_opts *)c->opts)->length);
}

static int set_margin(struct cmd *c, const struct opt *opt, const char *arg)
{
	(void)opt;
	return set_int(c, arg, 0, "'-o MARGIN' invalid line offset",
		       &((struct pr_opts *)c->opts)->margin);
}

static int set_start(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct pr_opts *o = c->opts;

	(void)opt;
	o->has_start = true;
	return set_int(c, arg, INT32_MIN, "'-N NUMBER' invalid starting line number", &o->start);
}

static int set_width(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct pr_opts *o = c->opts;

	int64_t width;
	bool old = opt->letter == 'w';
	int status = set_int(c, arg, 1,
			     old ? "'-w PAGE_WIDTH' invalid number of characters"
				 : "'-W PAGE_WIDTH' invalid number of characters",
			     &width);

	o->old_width = old;
	if (!old || !o->cut)
		o->width = width;
	o->cut |= !old;
	return status;
}

static int set_columns(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct pr_opts *o = c->opts;

	(void)opt;
	o->digits.len = 0;
	return set_int(c, arg, 1, "invalid number of columns", &o->columns);
}

static int add_digit(struct cmd *c, const struct opt *opt, const char *arg)
{
	(void)opt;
	buf_puts(&((struct pr_opts *)c->opts)->digits, arg);
	return 0;
}

/* -e, -i, -n: [CHAR[NUMBER]]. */
static int set_tab(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct pr_opts *o = c->opts;
	struct pr_tab *t = opt->letter == 'e' ? &o->in : opt->letter == 'i' ? &o->out : &o->number;

	t->on = true;
	if (arg == NULL || *arg == '\0')
		return 0;
	if (!byte_is_digit((unsigned char)*arg))
		t->ch = *arg++;
	if (*arg == '\0')
		return 0;
	int err = parse_int(arg, 1, &t->n);

	if (err == 0)
		return 0;
	cmd_error(c, err == -E_OVERFLOW ? err : 0,
		  "'-%c' extra characters or invalid number in the argument: %s", opt->letter,
		  cmd_quote(c, arg));
	return cmd_usage(c, NULL);
}

static int set_separator(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct pr_opts *o = c->opts;

	o->old_separator = opt->letter == 's';
	if (o->old_separator && (o->use_separator || arg == NULL))
		return 0;
	o->use_separator |= !o->old_separator;
	o->separator = bytes_of(arg != NULL ? arg : "");
	return 0;
}

/* FIRST[:LAST]: 0; -E_INVAL: no numbers; -E_OVERFLOW; -E_RANGE: no such range. */
static int parse_pages(struct cmd *c, struct pr_opts *o, const char *arg)
{
	const char *colon = strchr(arg, ':');
	size_t len = colon != NULL ? (size_t)(colon - arg) : strlen(arg);
	uint64_t first;
	uint64_t last = UINT64_MAX;
	int err = num_parse_u64(arena_dup(c->arena, (struct bytes){ arg, len }), "", &first);

	if (err == 0 && colon != NULL)
		err = num_parse_u64(colon + 1, "", &last);
	if (err != 0)
		return err;
	if (first == 0 || last < first)
		return -E_RANGE;
	o->first = first;
	o->last = last;
	return 0;
}

static int bad_pages(struct cmd *c, const char *option, const char *arg, int err)
{
	if (err == -E_OVERFLOW)
		return cmd_error(c, 0, "%s argument '%s' too large", option, arg);
	return cmd_error(c, 0, "invalid %s argument '%s'", option, arg);
}

static int set_pages(struct cmd *c, const struct opt *opt, const char *arg)
{
	int err = parse_pages(c, c->opts, arg);

	(void)opt;
	if (err == -E_RANGE)
		return cmd_error(c, 0, "invalid page range %s", cmd_quote(c, arg));
	return err == 0 ? 0 : bad_pages(c, "--pages", arg, err);
}

static bool is_digits(const char *arg)
{
	return arg[0] == '-' && byte_is_digit((unsigned char)arg[1]);
}

/* The operand +FIRST[:LAST]. */
static int pr_legacy(struct cmd *c, int argc, char **argv, int i)
{
	struct pr_opts *o = c->opts;

	(void)argc;
	if (is_digits(argv[i]) && !is_digits(argv[i - 1]))
		o->digits.len = 0;
	if (argv[i][0] != '+' || o->first != 0)
		return 0;
	int err = parse_pages(c, o, argv[i] + 1);

	if (err != 0 && err != -E_RANGE)
		cmd_exit(c, bad_pages(c, "+", argv[i] + 1, err));
	return err == 0;
}

static const struct opt pr_options[] = {
	OPT_CALL_ARG(0, "pages", set_pages, "FIRST[:LAST]",
		     "only these pages, as +FIRST[:LAST] does"),
	OPT_DIGIT(add_digit),
	OPT_CALL_ARG(0, "columns", set_columns, "COLUMN",
		     "so many columns, filled down and evenly, as -COLUMN does"),
	OPT_FLAG('a', "across", struct pr_opts, across, "fill columns across"),
	OPT_IGNORED('b', NULL, NULL),
	OPT_FLAG('c', "show-control-chars", struct pr_opts, control, "^G, and \\ooo for others"),
	OPT_FLAG('d', "double-space", struct pr_opts, double_space, "a blank line after each"),
	OPT_STR('D', "date-format", struct pr_opts, date_format, NULL, "FORMAT",
		"of the date in headings"),
	OPT_CALL_OPTIONAL('e', "expand-tabs", set_tab, "CHAR[WIDTH]",
			  "CHAR (a tab) becomes blanks, up to a multiple of WIDTH (8)"),
	OPT_FLAG('f', NULL, struct pr_opts, form_feed, NULL),
	OPT_FLAG('F', "form-feed", struct pr_opts, form_feed,
		 "a form feed ends pages, not newlines (also -f)"),
	OPT_STR('h', "header", struct pr_opts, header, NULL, "HEADER",
		"in headings, instead of the file's name"),
	OPT_CALL_OPTIONAL('i', "output-tabs", set_tab, "CHAR[WIDTH]",
			  "blanks become CHAR (a tab), up to a multiple of WIDTH (8)"),
	OPT_FLAG('J', "join-lines", struct pr_opts, join,
		 "whole lines, columns are not aligned; -S sets separators"),
	OPT_CALL_ARG('l', "length", set_length, "LINES",
		     "of a page (66, of which 56 are text); up to 10: as -t"),
	OPT_FLAG('m', "merge", struct pr_opts, parallel, "a column for each file"),
	OPT_CALL_OPTIONAL('n', "number-lines", set_tab, "SEP[DIGITS]",
			  "number lines with DIGITS (5) and SEP (a tab) behind"),
	OPT_CALL_ARG('N', "first-line-number", set_start, "NUMBER",
		     "of the first line of the first page printed"),
	OPT_CALL_ARG('o', "indent", set_margin, "MARGIN", "so many blanks before each line"),
	OPT_FLAG('r', "no-file-warnings", struct pr_opts, quiet,
		 "say nothing of files that cannot be opened"),
	OPT_CALL_OPTIONAL(
		's', "separator", set_separator, "CHAR",
		"between columns, instead of blanks (a tab); lines are not cut without -w"),
	OPT_CALL_OPTIONAL('S', "sep-string", set_separator, "STRING",
			  "between columns (a tab with -J, else a blank)"),
	OPT_SET('t', "omit-header", struct pr_opts, omit, PR_OMIT_HEADINGS,
		"no headings, no blank lines"),
	OPT_SET('T', "omit-pagination", struct pr_opts, omit, PR_OMIT_PAGES,
		"nor form feeds of the input"),
	OPT_FLAG('v', "show-nonprinting", struct pr_opts, octal, "\\ooo"),
	OPT_CALL_ARG('w', "width", set_width, "WIDTH", "of pages with columns (72)"),
	OPT_CALL_ARG('W', "page-width", set_width, "WIDTH", "of all pages; lines are cut"),
	OPT_END(),
};

/* --- settling --- */

/* What the old options mean for this number of columns. */
static void settle_old_options(const struct pr_opts *o, bool columns, struct pr *p)
{
	p->join = o->join;
	p->cut = o->cut;
	p->use_separator = o->use_separator;
	if (o->old_width && columns) {
		p->cut = true;
		p->use_separator |= o->old_separator;
	} else if (o->old_width) {
		p->join = true;
	} else if (!o->use_separator && o->old_separator && columns) {
		if (p->cut) {
			p->use_separator = true;
		} else {
			p->join = true;
			p->use_separator |= o->separator.len > 0;
		}
	}
}

static void settle_columns(struct pr *p)
{
	const struct pr_opts *o = p->o;

	p->separator = o->separator;
	p->expand = o->in.on;
	p->tabify = o->out.on;
	if (p->columns > 1) {
		if (!p->use_separator) {
			p->separator = p->join ? BYTES("\t") : BYTES(" ");
			p->use_separator = true;
		} else if (!p->join && bytes_is(p->separator, "\t")) {
			p->separator = BYTES(" ");
		}
		p->cut = true;
		p->expand |= !bytes_is(p->separator, "\t");
		p->tabify = true;
	}
	p->cut &= !p->join;
	p->balanced = p->fill == PR_DOWN && p->columns > 1;
	if (o->number.on)
		p->number_width = o->number.n +
				  (o->number.ch == '\t' ? TAB - o->number.n % TAB : 1);
	int64_t room = o->width - (p->fill == PR_PARALLEL ? p->number_width : 0) -
		       (int64_t)(p->columns - 1) * (int64_t)p->separator.len;

	p->column_width = room / (int64_t)p->columns;
	if (room < 0 || p->column_width < 1)
		cmd_fatal(p->c, 0, "page width too narrow");
}

static void settle_rows(struct pr *p)
{
	const struct pr_opts *o = p->o;
	p->headings = o->omit == PR_OMIT_NOTHING;
	p->keep_feeds = o->omit == PR_OMIT_HEADINGS;
	p->body = o->length - PR_MARGIN_ROWS * 2;
	if (p->body <= 0) {
		p->keep_feeds = true;
		p->headings = false;
	}
	if (!p->headings)
		p->body = o->length;
	if (o->double_space)
		p->body = p->body / 2 > 0 ? p->body / 2 : 1;
}

/* --- files --- */

/* 0, or the status for one that can't be opened. */
static int open_source(struct pr *p, struct pr_source *s, const char *name)
{
	struct vfs_stat st;
	int err = input_open(&s->in, p->c, name);

	s->name = name;
	if (err < 0)
		return p->o->quiet ? 1 : cmd_error(p->c, err, "%s", cmd_quotef(p->c, name));
	s->mtime_ns = strcmp(name, "-") != 0 && cmd_fstat(p->c, s->in.fd, &st) == 0 ? st.mtime_ns
										    : cmd_now(p->c);
	return 0;
}

static void make_title(struct pr *p, const char *name, int64_t time_ns)
{
	const char *format = p->o->date_format;
	struct civil civil;
	int64_t ns = time_ns % 1000000000;
	int64_t seconds = time_ns / 1000000000 - (ns < 0);

	if (format == NULL)
		format = cmd_getenv(p->c, "POSIXLY_CORRECT") != NULL ? "%b %e %H:%M %Y"
								     : "%Y-%m-%d %H:%M";
	time_civil(zone_of_command(p->c), seconds, &civil);
	p->date = buf_in(p->c->arena);
	time_format(&p->date, bytes_of(format), &civil, seconds,
		    (uint32_t)(ns < 0 ? ns + 1000000000 : ns));
	p->title = p->o->header != NULL ? p->o->header : strcmp(name, "-") != 0 ? name : "";
}

/* Prints files: one, or several in parallel. */
static int print_files(struct cmd *c, char **names, size_t n)
{
	const struct pr_opts *o = c->opts;
	struct pr p = { .c = c, .o = o, .tab_in = o->in, .tab_out = o->out };
	int status = 0;

	p.fill = o->parallel ? PR_PARALLEL : o->across ? PR_ACROSS : PR_DOWN;
	p.columns = o->parallel ? n : o->columns != 0 ? (size_t)o->columns : 1;
	arena_init_under(&p.cells, c->arena);
	settle_rows(&p);
	settle_old_options(o, o->parallel || o->columns != 0, &p);
	settle_columns(&p);
	p.source = arena_array(c->arena, n, sizeof(*p.source));
	for (size_t i = 0; i < n; i++) {
		int failed = open_source(&p, &p.source[p.nsources], names[i]);

		p.nsources += failed == 0;
		status |= failed;
	}
	if (p.nsources > 0) {
		p.columns = o->parallel ? p.nsources : p.columns;
		make_title(&p, o->parallel ? "-" : names[0],
			   o->parallel ? cmd_now(c) : p.source[0].mtime_ns);
		pr_print(&p);
	}
	for (size_t i = 0; i < p.nsources; i++)
		input_close(&p.source[i].in);
	arena_clear(&p.cells);
	return status;
}

static int pr_run(struct cmd *c)
{
	struct pr_opts *o = c->opts;
	int status = 0;

	if (o->digits.len > 0)
		status = set_columns(c, NULL, arena_dup(c->arena, buf_bytes(&o->digits)));
	if (status != 0)
		return status;
	if (o->first == 0)
		o->first = 1;
	if (o->parallel && o->columns != 0)
		cmd_fatal(c, 0, "cannot specify number of columns when printing in parallel");
	if (o->parallel && o->across)
		cmd_fatal(c, 0, "cannot specify both printing across and printing in parallel");
	if (o->parallel)
		return print_files(c, c->files, (size_t)c->nfiles);
	for (int i = 0; i < c->nfiles; i++)
		status |= print_files(c, &c->files[i], 1);
	return status;
}

static void pr_defaults(struct cmd *c)
{
	struct pr_opts *o = c->opts;

	o->length = LENGTH_DEFAULT;
	o->width = WIDTH_DEFAULT;
	o->in = o->out = (struct pr_tab){ false, '\t', TAB };
	o->number = (struct pr_tab){ false, '\t', NUMBER_DIGITS };
	o->last = UINT64_MAX;
	o->separator = BYTES("");
	o->digits = buf_in(c->arena);
}

const struct builtin builtin_pr = {
	.name = "pr",
	.usage = "[OPTION]... [+FIRST[:LAST]] [-COLUMN] [FILE]...",
	.summary = "Makes pages of files, with headings, in one or more columns.",
	.run = pr_run,
	.opts = pr_options,
	.opts_size = sizeof(struct pr_opts),
	.legacy = pr_legacy,
	.defaults = pr_defaults,
};
