/* SPDX-License-Identifier: MIT
 *
 * diff - the options and operands.
 */
#include "builtins/diff/diff.h"
#include "base/glob.h"

enum { CONTEXT_DEFAULT = 3, WIDTH_DEFAULT = 130 };

static int try_help(struct cmd *c)
{
	return cmd_error(c, 0, "Try '%s --help' for more information.", c->name);
}

static int choose_style(struct cmd *c, int style)
{
	struct diff_opts *o = c->opts;

	if (o->style != DIFF_NO_STYLE && o->style != style) {
		cmd_error(c, 0, "conflicting output style options");
		return try_help(c);
	}
	o->style = style;
	return 0;
}

static int set_style(struct cmd *c, const struct opt *opt, const char *arg)
{
	(void)arg;
	return choose_style(c, opt->value);
}

#define STYLE(s, l, style, text)                                                                   \
	{                                                                                          \
		.letter = (s), .name = (l), .kind = OPT_KIND_CALL, .fn = set_style,                \
		.value = (style), .help = (text)                                                   \
	}

/* -c, -u: a context of at least 3; -C N, -U N: of at least N. */
static int set_context(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct diff_opts *o = c->opts;
	uint64_t n = CONTEXT_DEFAULT;
	int err = arg != NULL ? num_parse_u64(arg, "", &n) : 0;

	if ((err != 0 && err != -E_OVERFLOW) || (arg != NULL && !byte_is_digit(arg[0]))) {
		cmd_error(c, 0, "invalid context length '%s'", arg);
		return try_help(c);
	}
	n = n > SIZE_MAX / 8 ? SIZE_MAX / 8 : n;
	if (o->context < n)
		o->context = (size_t)n;
	o->explicit_context |= arg != NULL;
	bool unified = opt->name != NULL ? opt->name[0] == 'u' : (opt->letter | 0x20) == 'u';

	return choose_style(c, unified ? DIFF_UNIFIED : DIFF_CONTEXT);
}

/* -5: context for the style that is chosen elsewhere. */
static int set_digits(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct diff_opts *o = c->opts;
	uint64_t n;

	(void)opt;
	o->has_old_context = num_parse_u64(arg, "", &n) == 0;
	o->old_context = n > SIZE_MAX / 8 ? SIZE_MAX / 8 : (size_t)n;
	return 0;
}

static int set_space(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct diff_opts *o = c->opts;

	(void)arg;
	if (opt->value <= DIFF_SPACE_TRAILING)
		o->space = o->space <= 3 ? o->space | opt->value : o->space;
	else if (o->space < opt->value)
		o->space = opt->value;
	return 0;
}

#define SPACE(s, l, what, text)                                                                    \
	{                                                                                          \
		.letter = (s), .name = (l), .kind = OPT_KIND_CALL, .fn = set_space,                \
		.value = (what), .help = (text)                                                    \
	}

static int set_label(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct diff_opts *o = c->opts;

	(void)opt;
	if (o->label[1] != NULL)
		return cmd_error(c, 0, "too many file label options");
	o->label[o->label[0] != NULL] = arg;
	return 0;
}

static int set_size(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct diff_opts *o = c->opts;
	bool is_width = opt->letter == 'W';
	uint64_t n;
	int err = num_parse_u64(arg, "", &n);

	if ((err != 0 && err != -E_OVERFLOW) || n == 0) {
		cmd_error(c, 0, is_width ? "invalid width '%s'" : "invalid tabsize '%s'", arg);
		return try_help(c);
	}
	n = n > INT32_MAX ? INT32_MAX : n;
	uint64_t *size = is_width ? &o->width : &o->tab_size;
	bool *given = is_width ? &o->has_width : &o->has_tab_size;

	if (*given && *size != n)
		return cmd_error(c, 0, "conflicting %s options", is_width ? "width" : "tabsize");
	*size = n;
	*given = true;
	return 0;
}

static int set_horizon(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct diff_opts *o = c->opts;
	uint64_t n;
	int err = num_parse_u64(arg, "", &n);

	(void)opt;
	if (err != 0 && err != -E_OVERFLOW) {
		cmd_error(c, 0, "invalid horizon length '%s'", arg);
		return try_help(c);
	}
	o->horizon = n > SIZE_MAX / 8 ? SIZE_MAX / 8 : n;
	return 0;
}

static int set_color(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct diff_opts *o = c->opts;

	(void)opt;
	if (arg == NULL || strcmp(arg, "auto") == 0) {
		o->color = cmd_isatty(c, 1);
	} else if (strcmp(arg, "always") == 0 || strcmp(arg, "never") == 0) {
		o->color = arg[0] == 'a';
	} else {
		cmd_error(c, 0, "invalid color '%s'", arg);
		return try_help(c);
	}
	return 0;
}

/* Patterns of one option, any of which may match. */
static void add_pattern(struct cmd *c, struct buf *all, const char *pattern)
{
	if (all->arena == NULL)
		*all = buf_in(c->arena);
	else
		buf_puts(all, "\\|");
	buf_puts(all, pattern);
}

static int set_pattern(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct diff_opts *o = c->opts;
	struct regex *re;
	const char *message;
	size_t offset;
	const char *pattern = opt->letter == 'p' ? "^[[:alpha:]$_]" : arg;

	if (regex_compile(c->arena, bytes_of(pattern), REGEX_BRE, &re, &message, &offset) < 0)
		return cmd_error(c, 0, "%s: %s", pattern, message);
	add_pattern(c, opt->letter == 'I' ? &o->ignore : &o->function_text, pattern);
	return 0;
}

static void add_exclude(struct cmd *c, const char *pattern)
{
	struct diff_opts *o = c->opts;

	o->exclude_glob = arena_room(c->arena, o->exclude_glob, o->nexclude, sizeof(struct glob *));
	o->exclude_glob[o->nexclude++] = glob_compile(c->arena, bytes_of(pattern),
						      c->utf8 ? GLOB_UTF8 : 0);
}

static int set_exclude(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct bytes text;

	if (opt->letter == 'x') {
		add_exclude(c, arg);
		return 0;
	}
	int err = cmd_read_all(c, arg, &text);

	if (err < 0)
		return cmd_error(c, err, "%s", arg);
	for (size_t at = 0; at < text.len;) {
		const char *hit = memchr(text.ptr + at, '\n', text.len - at);
		size_t to = hit != NULL ? (size_t)(hit - text.ptr) : text.len;

		struct bytes line = bytes_trim_end(bytes_slice(text, at, to));

		if (line.len > 0)
			add_exclude(c, arena_dup(c->arena, line));
		at = to + 1;
	}
	return 0;
}

static int set_file(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct diff_opts *o = c->opts;
	const char **file = opt->name[0] == 'f' ? &o->from_file : &o->to_file;

	if (*file != NULL && strcmp(*file, arg) != 0)
		return cmd_usage(c, "conflicting --%s option value '%s'", opt->name, arg);
	*file = arg;
	return 0;
}

static int set_format(struct cmd *c, const struct opt *opt, const char *arg)
{
	int status = choose_style(c, DIFF_FORMAT);

	if (status != 0)
		return status;
	if (opt->letter == 'D')
		return diff_set_ifdef(c, opt, arg);
	return strstr(opt->name, "line-format") != NULL ? diff_set_line_format(c, opt, arg)
							: diff_set_group_format(c, opt, arg);
}

#define FORMAT(l, what, text)                                                                      \
	{                                                                                          \
		.name = (l), .kind = OPT_KIND_CALL, .arg = OPT_ARG_REQUIRED, .fn = set_format,     \
		.value = (what), .metavar = "FORMAT", .help = (text)                               \
	}

static const struct opt diff_options[] = {
	STYLE(0, "normal", DIFF_NORMAL, "plain output (default)"),
	OPT_IGNORED(0, "binary", "no effect here"),
	OPT_FLAG('q', "brief", struct diff_opts, brief, "say only whether files differ"),
	OPT_FLAG('s', "report-identical-files", struct diff_opts, same,
		 "say when files are the same"),
	OPT_CALL('c', NULL, set_context, "context output, 3 lines"),
	OPT_CALL_ARG('C', NULL, set_context, "NUM", "context output, NUM lines"),
	OPT_CALL_OPTIONAL(0, "context", set_context, "NUM", "the same; 3 lines without NUM"),
	OPT_CALL('u', NULL, set_context, "unified output, 3 lines"),
	OPT_CALL_ARG('U', NULL, set_context, "NUM", "unified output, NUM lines"),
	OPT_CALL_OPTIONAL(0, "unified", set_context, "NUM", "the same; 3 lines without NUM"),
	STYLE('e', "ed", DIFF_ED, "a script for ed"),
	STYLE('f', "forward-ed", DIFF_FORWARD_ED, "like that, but forwards"),
	STYLE('n', "rcs", DIFF_RCS, "output as RCS has it"),
	STYLE('y', "side-by-side", DIFF_SIDE, "in two columns"),
	OPT_CALL_ARG('W', "width", set_size, "NUM", "columns of output (130)"),
	OPT_FLAG(0, "left-column", struct diff_opts, left_column, "common lines only on the left"),
	OPT_FLAG(0, "suppress-common-lines", struct diff_opts, suppress_common, "no common lines"),
	OPT_CALL('p', "show-c-function", set_pattern, "show the C function of each hunk"),
	OPT_CALL_ARG('F', "show-function-line", set_pattern, "RE",
		     "show the last line that matches"),
	OPT_CALL_ARG('L', "label", set_label, "LABEL", "in headings, instead of name and time"),
	OPT_FLAG('t', "expand-tabs", struct diff_opts, expand, "tabs become blanks"),
	OPT_FLAG('T', "initial-tab", struct diff_opts, initial_tab, "a tab in front of lines"),
	OPT_CALL_ARG(0, "tabsize", set_size, "NUM", "columns between tab stops (8)"),
	OPT_FLAG(0, "suppress-blank-empty", struct diff_opts, suppress_blank,
		 "no blanks in front of empty lines"),
	OPT_FLAG('l', "paginate", struct diff_opts, paginate, "make pages of the output with pr"),
	OPT_STR(0, "palette", struct diff_opts, palette_text, NULL, "PALETTE",
		"colours, as rs=0:hd=1:ad=32:de=31:ln=36"),
	OPT_FLAG('r', "recursive", struct diff_opts, recursive, "compare subdirectories"),
	OPT_FLAG(0, "no-dereference", struct diff_opts, no_dereference, "do not follow symlinks"),
	OPT_FLAG('N', "new-file", struct diff_opts, new_file, "absent files are empty"),
	OPT_FLAG(0, "unidirectional-new-file", struct diff_opts, new_first,
		 "absent files are empty on the first side"),
	OPT_FLAG(0, "ignore-file-name-case", struct diff_opts, fold_names, "case in file names"),
	OPT_CALL_ARG('x', "exclude", set_exclude, "PAT", "leave out files that match PAT"),
	OPT_CALL_ARG('X', "exclude-from", set_exclude, "FILE", "the same, patterns from FILE"),
	OPT_STR('S', "starting-file", struct diff_opts, start_file, NULL, "FILE",
		"begin with FILE in directories"),
	OPT_CALL_ARG(0, "from-file", set_file, "FILE1", "compare FILE1 to all"),
	OPT_CALL_ARG(0, "to-file", set_file, "FILE2", "compare all to FILE2"),
	OPT_FLAG('i', "ignore-case", struct diff_opts, fold, "ignore case"),
	SPACE('E', "ignore-tab-expansion", DIFF_SPACE_TABS, "tabs are the blanks they stand for"),
	SPACE('Z', "ignore-trailing-space", DIFF_SPACE_TRAILING, "ignore blanks at line ends"),
	SPACE('b', "ignore-space-change", DIFF_SPACE_CHANGE,
	      "ignore how much blank space there is"),
	SPACE('w', "ignore-all-space", DIFF_SPACE_ALL, "ignore all blank space"),
	OPT_FLAG('B', "ignore-blank-lines", struct diff_opts, blank_lines, "ignore empty lines"),
	OPT_CALL_ARG('I', "ignore-matching-lines", set_pattern, "RE", "ignore lines that match"),
	OPT_FLAG('a', "text", struct diff_opts, text, "all files are text"),
	OPT_FLAG(0, "strip-trailing-cr", struct diff_opts, strip_cr, "ignore CR at line ends"),
	OPT_CALL_ARG('D', "ifdef", set_format, "NAME", "both files merged, with #ifdef NAME"),
	FORMAT("line-format", DIFF_ALL_LINES, "merged output: format of all lines"),
	FORMAT("old-line-format", DIFF_OLD, "of lines of the first file"),
	FORMAT("new-line-format", DIFF_NEW, "of lines of the second file"),
	FORMAT("unchanged-line-format", DIFF_UNCHANGED, "of lines of both"),
	FORMAT("old-group-format", DIFF_OLD, "of lines together of the first file"),
	FORMAT("new-group-format", DIFF_NEW, "of those of the second"),
	FORMAT("changed-group-format", DIFF_CHANGED, "of those that differ"),
	FORMAT("unchanged-group-format", DIFF_UNCHANGED, "of those of both"),
	OPT_FLAG('d', "minimal", struct diff_opts, minimal, "look harder for few changes"),
	OPT_CALL_ARG(0, "horizon-lines", set_horizon, "NUM", "keep NUM lines of common text"),
	OPT_IGNORED('H', "speed-large-files", "no effect"),
	OPT_CALL_OPTIONAL(0, "color", set_color, "WHEN", "never, always or auto"),
	OPT_DIGITS(set_digits),
	OPT_END(),
};

/* The options as they were given: " -r -u". */
static const char *switches_of(struct cmd *c)
{
	struct buf text = buf_in(c->arena);
	int operand = 0;

	cmd_charge(c, (uint64_t)c->argc);
	for (int i = 1; i < c->argc; i++) {
		if (operand < c->nargs && c->argv[i] == c->args[operand])
			operand++;
		else
			buf_printf(&text, " %s", cmd_quotef(c, c->argv[i]));
	}
	return buf_cstr(&text);
}

static void compile(struct cmd *c, const struct buf *text, struct regex **out)
{
	const char *message;
	size_t offset;

	if (text->arena == NULL)
		return;
	if (regex_compile(c->arena, buf_bytes(text), REGEX_BRE | REGEX_NOSUB, out, &message,
			  &offset) < 0)
		cmd_fatal(c, 0, "%.*s: %s", (int)text->len, text->ptr, message);
	regex_set_work(*out, cmd_work, c);
}

static void complete_options(struct cmd *c, struct diff_opts *o)
{
	if (o->style == DIFF_NO_STYLE)
		o->style = o->function_text.arena != NULL && o->function_text.len > 0 &&
					   strcmp(o->function_text.ptr, "^[[:alpha:]$_]") == 0
				   ? DIFF_CONTEXT
				   : DIFF_NORMAL;
	if (o->style == DIFF_CONTEXT && !o->explicit_context && o->context == 0 &&
	    o->function_text.arena != NULL)
		o->context = CONTEXT_DEFAULT;
	if (o->has_old_context && (o->old_context > o->context || !o->explicit_context))
		o->context = o->old_context;
	if (o->style != DIFF_CONTEXT && o->style != DIFF_UNIFIED)
		o->context = 0;
	if (o->style == DIFF_FORMAT)
		diff_complete_formats(c, o);
	compile(c, &o->ignore, &o->ignore_lines);
	compile(c, &o->function_text, &o->function);
	o->switches = switches_of(c);
}

static int compare_operands(struct cmd *c)
{
	struct diff_opts *o = c->opts;
	int status = 0;

	complete_options(c, o);
	if (o->from_file != NULL && o->to_file != NULL)
		return cmd_error(c, 0, "--from-file and --to-file both specified");
	if (o->from_file != NULL || o->to_file != NULL) {
		for (int i = 0; i < c->nargs; i++) {
			int one = diff_operands(c, o,
						o->from_file != NULL ? o->from_file : c->args[i],
						o->from_file != NULL ? c->args[i] : o->to_file);

			status = one > status ? one : status;
		}
		return status;
	}
	if (c->nargs < 2) {
		cmd_error(c, 0, "missing operand after '%s'", c->argv[c->argc - 1]);
		return try_help(c);
	}
	if (c->nargs > 2) {
		cmd_error(c, 0, "extra operand '%s'", c->args[2]);
		return try_help(c);
	}
	return diff_operands(c, o, c->args[0], c->args[1]);
}

static int diff_run(struct cmd *c)
{
	struct diff_opts *o = c->opts;

	output_init(&o->late, c, 1, false);
	output_hold(&o->late);
	int status = compare_operands(c);

	cmd_flush(c);
	output_unhold(&o->late);
	output_flush(&o->late);
	return status;
}

static void diff_defaults(struct cmd *c)
{
	struct diff_opts *o = c->opts;

	o->tab_size = 8;
	o->width = WIDTH_DEFAULT;
}

const struct builtin builtin_diff = {
	.name = "diff",
	.usage = "[OPTION]... FILES",
	.summary = "Compares files line by line. FILES are two files, two directories, or one of "
		   "each.\n"
		   "The status is 0 if they are the same, 1 if not, 2 in trouble.",
	.run = diff_run,
	.opts = diff_options,
	.opts_size = sizeof(struct diff_opts),
	.usage_status = 2,
	.error_status = 2,
	.hint = "%s: Try '%s --help' for more information.\n",
	.family = "GNU diffutils 3.8",
	.defaults = diff_defaults,
	.write_error = "standard output",
};
