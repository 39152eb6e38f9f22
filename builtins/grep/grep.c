/* SPDX-License-Identifier: MIT
 *
 * grep - print lines that match patterns. Also egrep, fgrep and rgrep.
 *
 * This file has the options and the choice of files; search.c looks at one file, print.c
 * writes. Reference: GNU grep 3.8.
 */
#include "builtins/grep/grep.h"

enum color_when { COLOR_NEVER, COLOR_ALWAYS, COLOR_AUTO };

/* --- options --- */

static int add_patterns(struct grep *g, struct bytes text)
{
	if (g->have_patterns)
		buf_putc(&g->patterns, '\n');
	buf_add(&g->patterns, text);
	g->have_patterns = true;
	return 0;
}

static int opt_pattern(struct cmd *c, const struct opt *o, const char *arg)
{
	(void)o;
	return add_patterns(c->opts, bytes_of(arg));
}

static int opt_pattern_file(struct cmd *c, const struct opt *o, const char *arg)
{
	struct bytes text;
	int err = cmd_read_all(c, arg, &text);

	(void)o;
	if (err < 0)
		return cmd_error(c, err, "%s", arg);
	/* An empty file holds no pattern at all. */
	((struct grep *)c->opts)->patterns_given = true;
	if (text.len == 0)
		return 0;
	if (text.ptr[text.len - 1] == '\n')
		text.len--;
	return add_patterns(c->opts, text);
}

static bool context_number(const char *arg, int64_t *out)
{
	uint64_t v;
	int err = num_parse_u64(arg, "", &v);

	if (err == -E_OVERFLOW || v > INT64_MAX)
		v = INT64_MAX;
	*out = (int64_t)v;
	return err == 0 || err == -E_OVERFLOW;
}

static int opt_context(struct cmd *c, const struct opt *o, const char *arg)
{
	struct grep *g = c->opts;
	int64_t *out = o->letter == 'A' ? &g->after : o->letter == 'B' ? &g->before : &g->context;

	if (context_number(arg, out))
		return 0;
	return cmd_error(c, 0, "%s: invalid context length argument", arg);
}

static int opt_digit(struct cmd *c, const struct opt *o, const char *arg)
{
	(void)o;
	context_number(arg, &((struct grep *)c->opts)->context);
	return 0;
}

static int opt_max(struct cmd *c, const struct opt *o, const char *arg)
{
	struct grep *g = c->opts;
	int err = num_parse_i64(arg, "", &g->max);

	(void)o;
	if (err == -E_INVAL)
		return cmd_error(c, 0, "invalid max count");
	if (g->max < 0)
		g->max = -1;
	return 0;
}

static int opt_binary_files(struct cmd *c, const struct opt *o, const char *arg)
{
	struct grep *g = c->opts;

	(void)o;
	if (strcmp(arg, "binary") == 0)
		g->binary = GREP_BINARY;
	else if (strcmp(arg, "text") == 0)
		g->binary = GREP_TEXT;
	else if (strcmp(arg, "without-match") == 0)
		g->binary = GREP_WITHOUT_MATCH;
	else
		return cmd_error(c, 0, "unknown binary-files type");
	return 0;
}

static int opt_devices(struct cmd *c, const struct opt *o, const char *arg)
{
	struct grep *g = c->opts;

	(void)o;
	if (strcmp(arg, "read") == 0)
		g->devices = GREP_DEV_READ;
	else if (strcmp(arg, "skip") == 0)
		g->devices = GREP_DEV_SKIP;
	else
		return cmd_error(c, 0, "unknown devices method");
	return 0;
}

static int opt_recurse(struct cmd *c, const struct opt *o, const char *arg)
{
	struct grep *g = c->opts;

	(void)arg;
	g->directories = GREP_RECURSE;
	g->dereference = o->letter == 'R';
	return 0;
}

static void add_filter(struct grep *g, struct bytes pattern, bool include, bool dirs)
{
	struct grep_filter *f = arena_zalloc(g->c->arena, sizeof *f);

	while (dirs && pattern.len > 1 && pattern.ptr[pattern.len - 1] == '/')
		pattern.len--;
	f->glob = glob_compile(g->c->arena, pattern, g->c->utf8 ? GLOB_UTF8 : 0);
	f->include = include;
	f->dirs = dirs;
	*g->filters_end = f;
	g->filters_end = &f->next;
}

static int opt_filter(struct cmd *c, const struct opt *o, const char *arg)
{
	add_filter(c->opts, bytes_of(arg), o->value == 1, o->value == 2);
	return 0;
}

static int opt_exclude_from(struct cmd *c, const struct opt *o, const char *arg)
{
	struct input in;
	struct bytes line;
	int err = input_open(&in, c, arg);

	(void)o;
	if (err < 0)
		return cmd_error(c, err, "%s", arg);
	while (input_line(&in, '\n', &line) > 0) {
		line = bytes_trim_end(line);
		if (line.len != 0)
			add_filter(c->opts, arena_bytes(c->arena, line), false, false);
	}
	input_close(&in);
	return 0;
}

static int opt_no_separator(struct cmd *c, const struct opt *o, const char *arg)
{
	(void)o, (void)arg;
	((struct grep *)c->opts)->separator = NULL;
	return 0;
}

static int opt_unix_offsets(struct cmd *c, const struct opt *o, const char *arg)
{
	(void)o, (void)arg;
	cmd_warn(c, 0, "warning: --unix-byte-offsets (-u) is obsolete");
	return 0;
}

static int opt_matcher(struct cmd *c, const struct opt *o, const char *arg)
{
	struct grep *g = c->opts;
	int wanted = o->letter == 'E'   ? GREP_EXTENDED
		     : o->letter == 'F' ? GREP_FIXED
		     : o->letter == 'P' ? GREP_PERL
					: GREP_BASIC;

	(void)arg;
	if (g->have_syntax && g->syntax != wanted)
		return cmd_error(c, 0, "conflicting matchers specified");
	g->syntax = wanted;
	g->have_syntax = true;
	return 0;
}

static int opt_case_matters(struct cmd *c, const struct opt *o, const char *arg)
{
	(void)o, (void)arg;
	((struct grep *)c->opts)->ignore_case = false;
	return 0;
}

static const struct opt_word color_words[] = {
	{ "always", COLOR_ALWAYS }, { "yes", COLOR_ALWAYS },
	{ "force", COLOR_ALWAYS },  { "never", COLOR_NEVER },
	{ "no", COLOR_NEVER },      { "none", COLOR_NEVER },
	{ "auto", COLOR_AUTO },     { "tty", COLOR_AUTO },
	{ "if-tty", COLOR_AUTO },   { NULL, 0 },
};

static const struct opt_word directory_words[] = {
	{ "read", GREP_READ },
	{ "recurse", GREP_RECURSE },
	{ "skip", GREP_SKIP },
	{ NULL, 0 },
};

#define FILTER(l, val, text)                                                                       \
	{                                                                                          \
		.name = (l), .kind = OPT_KIND_CALL, .arg = OPT_ARG_REQUIRED, .value = (val),       \
		.fn = opt_filter, .metavar = "GLOB", .help = (text)                                \
	}

static const struct opt grep_options[] = {
	OPT_CALL('E', "extended-regexp", opt_matcher, "extended regular expressions"),
	OPT_CALL('F', "fixed-strings", opt_matcher, "patterns are plain strings"),
	OPT_CALL('G', "basic-regexp", opt_matcher, "basic regular expressions"),
	OPT_CALL('P', "perl-regexp", opt_matcher, "Perl's regular expressions"),
	OPT_CALL_ARG('e', "regexp", opt_pattern, "PATTERNS", "patterns, one a line"),
	OPT_CALL_ARG('f', "file", opt_pattern_file, "FILE", "patterns from FILE"),
	OPT_FLAG('i', "ignore-case", struct grep, ignore_case, "upper and lower case are the same"),
	OPT_FLAG('y', NULL, struct grep, ignore_case, NULL),
	OPT_CALL(0, "no-ignore-case", opt_case_matters, "case matters"),
	OPT_FLAG('w', "word-regexp", struct grep, whole_words, "only whole words match"),
	OPT_FLAG('x', "line-regexp", struct grep, whole_lines, "only whole lines match"),
	OPT_FLAG('z', "null-data", struct grep, null_data, "lines end with NUL"),
	OPT_FLAG('s', "no-messages", struct grep, no_messages, "nothing about unreadable files"),
	OPT_FLAG('v', "invert-match", struct grep, invert, "select lines that do not match"),
	OPT_CALL_ARG('m', "max-count", opt_max, "NUM", "stop after NUM selected lines"),
	OPT_FLAG('b', "byte-offset", struct grep, offsets, "show the offset in bytes"),
	OPT_FLAG('n', "line-number", struct grep, numbers, "show line numbers"),
	OPT_FLAG(0, "line-buffered", struct grep, line_buffered, "flush after each line"),
	OPT_SET('H', "with-filename", struct grep, names, GREP_NAMES_ALWAYS, "show file names"),
	OPT_SET('h', "no-filename", struct grep, names, GREP_NAMES_NEVER, "no file names"),
	OPT_STR(0, "label", struct grep, label, NULL, "LABEL", "name of standard input"),
	OPT_FLAG('o', "only-matching", struct grep, only_matching, "show only what matches"),
	OPT_FLAG('q', "quiet", struct grep, quiet, "write nothing; the status tells"),
	OPT_FLAG('q', "silent", struct grep, quiet, NULL),
	OPT_CALL_ARG(0, "binary-files", opt_binary_files, "TYPE", "binary, text or without-match"),
	OPT_SET('a', "text", struct grep, binary, GREP_TEXT, "treat all files as text"),
	OPT_SET('I', NULL, struct grep, binary, GREP_WITHOUT_MATCH, "binary files never match"),
	OPT_ENUM('d', "directories", struct grep, directories, directory_words, "ACTION",
		 "read, recurse or skip"),
	OPT_CALL_ARG('D', "devices", opt_devices, "ACTION", "read or skip"),
	OPT_CALL('r', "recursive", opt_recurse, "search directories"),
	OPT_CALL('R', "dereference-recursive", opt_recurse, "the same, following links"),
	FILTER("include", 1, "only files that match GLOB"),
	FILTER("exclude", 0, "not files that match GLOB"),
	OPT_CALL_ARG(0, "exclude-from", opt_exclude_from, "FILE",
		     "patterns for --exclude from FILE"),
	FILTER("exclude-dir", 2, "not directories that match GLOB"),
	OPT_SET('L', "files-without-match", struct grep, list, GREP_LIST_OTHERS,
		"only names of files without selected lines"),
	OPT_SET('l', "files-with-matches", struct grep, list, GREP_LIST_MATCHING,
		"only names of files with selected lines"),
	OPT_FLAG('c', "count", struct grep, count, "only numbers of selected lines"),
	OPT_FLAG('T', "initial-tab", struct grep, initial_tab, "line up tabs"),
	OPT_FLAG('Z', "null", struct grep, name_nul, "NUL behind file names"),
	OPT_CALL_ARG('B', "before-context", opt_context, "NUM", "lines before"),
	OPT_CALL_ARG('A', "after-context", opt_context, "NUM", "lines after"),
	OPT_CALL_ARG('C', "context", opt_context, "NUM", "lines around (also -NUM)"),
	OPT_DIGIT(opt_digit),
	OPT_STR(0, "group-separator", struct grep, separator, "--", "SEP",
		"between groups of lines"),
	OPT_CALL(0, "no-group-separator", opt_no_separator, "nothing between groups"),
	OPT_ENUM_OPTIONAL(0, "color", struct grep, color, color_words, COLOR_AUTO, "WHEN",
			  "mark what matches: always, never, auto"),
	OPT_ENUM_OPTIONAL(0, "colour", struct grep, color, color_words, COLOR_AUTO, "WHEN", NULL),
	OPT_IGNORED('U', "binary", "no effect here"),
	OPT_CALL('u', "unix-byte-offsets", opt_unix_offsets, NULL),
	OPT_END(),
};

static void set_defaults(struct cmd *c)
{
	struct grep *g = c->opts;

	g->c = c;
	g->patterns = buf_in(c->arena);
	g->max = -1;
	g->before = g->after = g->context = -1;
	g->filters_end = &g->filters;
}

/* --- preparing --- */

static unsigned regex_flags(const struct grep *g)
{
	static const unsigned syntax[] = { REGEX_BRE, REGEX_ERE, REGEX_FIXED, REGEX_PERL };
	unsigned flags = syntax[g->syntax] | REGEX_NEWLINE | REGEX_GREP;

	if (g->ignore_case)
		flags |= REGEX_ICASE;
	if (g->c->utf8)
		flags |= REGEX_UTF8;
	if (g->null_data)
		flags |= REGEX_NULDATA;
	if (g->whole_lines)
		flags |= REGEX_LINE;
	else if (g->whole_words)
		flags |= REGEX_WORD;
	return flags;
}

/* Whether the operator at p[i] is an anchor or another assertion, which match no character. */
static bool is_assertion(struct bytes p, size_t i)
{
	if (p.ptr[i] == '\\')
		return i + 1 < p.len && p.ptr[i + 1] != '\0' &&
		       strchr("<>bB`'", p.ptr[i + 1]) != NULL;
	return p.ptr[i] == '^' || p.ptr[i] == '$';
}

/* GNU warns of repeats with nothing before them, which are then skipped. */
static void warn_of_repeats(struct grep *g, struct bytes p)
{
	bool start = true;

	for (size_t i = 0; i < p.len; i++) {
		char ch = p.ptr[i];
		char next = i + 1 < p.len ? p.ptr[i + 1] : '\0';

		if (start && (ch == '*' || ch == '+' || ch == '?'))
			cmd_warn(g->c, 0, "warning: %c at start of expression", ch);
		else if (start && ch == '{' && (next == ',' || byte_is_digit(next)))
			cmd_warn(g->c, 0, "warning: {...} at start of expression");
		start = ch == '(' || ch == '|' || (start && is_assertion(p, i));
		if (ch == '\\')
			i++;
		else if (ch == '[')
			i += strcspn(p.ptr + i + 1, "]\n") + 1;
	}
}

/* Each pattern has its own message, equal patterns one. */
static _Noreturn void bad_patterns(struct grep *g, const struct bytes *list, size_t n,
				   const char *message)
{
	struct regex *re;
	const char *text;
	size_t bad = 0;

	for (size_t i = 0; i < n; i++) {
		size_t before = 0;

		cmd_charge(g->c, i / 16 + 1);
		while (!bytes_eq(list[before], list[i]))
			before++;
		if (before < i ||
		    regex_compile(g->c->arena, list[i], regex_flags(g), &re, &text, NULL) >= 0)
			continue;
		cmd_error(g->c, 0, "%s", text);
		bad++;
	}
	if (bad == 0)
		cmd_error(g->c, 0, "%s", message);
	cmd_exit(g->c, 2);
}

static void compile(struct grep *g)
{
	struct bytes text = buf_bytes(&g->patterns);
	size_t n = g->have_patterns ? grep_count_lines(text, '\n') + 1 : 0;
	struct bytes *list = arena_array(g->c->arena, n + 1, sizeof *list);
	const char *message = "";

	for (size_t i = 0; i < n; i++) {
		const char *end = memchr(text.ptr, '\n', text.len);
		size_t len = end != NULL ? (size_t)(end - text.ptr) : text.len;

		list[i] = bytes_slice(text, 0, len);
		g->all_match |= len == 0 && !g->whole_lines && !g->whole_words;
		text = end != NULL ? bytes_slice(text, len + 1, text.len)
				   : bytes_slice(text, len, len);
	}
	if (g->syntax == GREP_PERL && n > 1)
		cmd_fatal(g->c, 0, "the -P option only supports a single pattern");
	if (regex_compile_set(g->c->arena, list, n, regex_flags(g), &g->re, &message) < 0)
		bad_patterns(g, list, n, message);
	for (size_t i = 0; g->syntax == GREP_EXTENDED && i < n; i++)
		warn_of_repeats(g, list[i]);
	regex_set_work(g->re, cmd_work, g->c);
}

static void prepare(struct grep *g)
{
	struct cmd *c = g->c;

	g->eol = g->null_data ? '\0' : '\n';
	if (g->context >= 0) {
		g->before = g->before < 0 ? g->context : g->before;
		g->after = g->after < 0 ? g->context : g->after;
	}
	g->separates = g->before >= 0 || g->after >= 0;
	if (g->before < 0)
		g->before = 0;
	if (g->after < 0)
		g->after = 0;
	g->colored = g->color == COLOR_ALWAYS || (g->color == COLOR_AUTO && cmd_isatty(c, 1));
	if (g->colored)
		grep_set_colors(g);
	g->bare_count = g->count || g->list != GREP_LIST_NONE || g->quiet;
	g->out_is_file = cmd_fstat(c, 1, &g->out_st) == 0 && (g->out_st.mode & S_FMT) == S_REG;
}

/* --- one file --- */

static void message(struct grep *g, int err, const char *name)
{
	g->error = true;
	if (!g->no_messages)
		cmd_error(g->c, err, "%s", name);
}

/* What is said of a file once it was searched. */
static void report(struct grep *g)
{
	bool selected = g->selected > 0;

	if (g->count && g->list == GREP_LIST_NONE && !g->quiet) {
		if (g->with_names)
			grep_put_name(g, g->name, ':');
		cmd_printf(g->c, "%lld\n", (long long)g->selected);
	}
	if (!g->quiet && ((g->list == GREP_LIST_MATCHING && selected) ||
			  (g->list == GREP_LIST_OTHERS && !selected)))
		grep_put_name(g, g->name, '\n');
	bool spoken = !g->bare_count && g->binary != GREP_WITHOUT_MATCH;

	if (spoken && (g->hidden || (g->is_binary && selected)))
		cmd_warn(g->c, 0, "%s: binary file matches", g->name);
	g->any_selected |= selected;
}

/* -T: numbers are as wide as the largest one of the file can be. */
static int number_width(struct grep *g, int fd)
{
	struct vfs_stat st;
	uint64_t largest = INT64_MAX;
	char digits[20];

	if (cmd_fstat(g->c, fd, &st) == 0 && (st.mode & S_FMT) == S_REG)
		largest = (uint64_t)st.size + g->numbers;
	return (int)num_format_u64(largest, digits);
}

static void search_input(struct grep *g, struct input *in, const char *name)
{
	int err;

	g->number_width = g->initial_tab ? number_width(g, in->fd) : 0;
	g->name = name;
	g->line = 1;
	g->base = 0;
	g->counted = g->printed = g->stop_at = 0;
	g->adjacent = false;
	g->selected = 0;
	g->pending = 0;
	g->stop = g->max == 0;
	g->out_quiet = g->is_binary = g->hidden = false;
	err = grep_search(g, in);
	if (err == REGEX_EWORK) {
		g->error = true;
		cmd_error(g->c, 0, "%s: exceeded PCRE's backtracking limit", name);
	} else if (err < 0) {
		message(g, err, name);
	}
	if (g->is_binary && g->binary == GREP_WITHOUT_MATCH)
		g->selected = 0;
	report(g);
}

static bool is_output(const struct grep *g, const struct vfs_stat *st)
{
	return g->out_is_file && (st->mode & S_FMT) == S_REG && !g->bare_count && g->max != 0 &&
	       st->ino == g->out_st.ino && st->dev == g->out_st.dev;
}

static bool is_device(uint32_t mode)
{
	mode &= S_FMT;
	return mode == S_CHR || mode == S_BLK || mode == S_FIFO || mode == S_SOCK;
}

static void search_stdin(struct grep *g)
{
	const char *name = g->label != NULL ? g->label : "(standard input)";
	struct input in;
	struct vfs_stat st;

	if (cmd_fstat(g->c, 0, &st) == 0 && is_output(g, &st)) {
		g->error = true;
		cmd_error(g->c, 0, "%s: input file is also the output", name);
		return;
	}
	input_init(&in, g->c, 0, "-");
	search_input(g, &in, name);
}

static void search_open(struct grep *g, int dir, const char *at, const char *name, bool recursing)
{
	struct input in;
	struct vfs_stat st;
	int fd = cmd_open(g->c, dir, at, O_RDONLY_, 0);

	if (fd < 0) {
		message(g, fd, name);
		return;
	}
	if (cmd_fstat(g->c, fd, &st) == 0) {
		if ((st.mode & S_FMT) == S_DIR && g->directories != GREP_READ) {
			cmd_close(g->c, fd);
			return;
		}
		if (is_device(st.mode) && (g->devices == GREP_DEV_SKIP ||
					   (recursing && g->devices == GREP_DEV_DEFAULT))) {
			cmd_close(g->c, fd);
			return;
		}
		if (is_output(g, &st)) {
			g->error = true;
			cmd_error(g->c, 0, "%s: input file is also the output", name);
			cmd_close(g->c, fd);
			return;
		}
	}
	input_init(&in, g->c, fd, name);
	search_input(g, &in, name);
	input_close(&in);
}

/* --- choosing files --- */

/* Of a name whole or any part of it that begins behind a slash may match. */
static bool filter_matches(struct grep *g, const struct grep_filter *f, const char *name)
{
	struct bytes rest = bytes_of(name);

	for (size_t at = 0; at < rest.len; at++) {
		if (at > 0 && (name[at - 1] != '/' || name[at] == '/'))
			continue;
		cmd_charge(g->c, 1);
		if (glob_match(f->glob, g->c->arena, bytes_slice(rest, at, rest.len)))
			return true;
	}
	return false;
}

/* Whether --include and --exclude leave in an operand, or a file found, whose name has no path. */
static bool wanted(struct grep *g, const char *name, bool is_dir)
{
	bool first = true;
	bool in = true;

	for (const struct grep_filter *f = g->filters; f != NULL; f = f->next) {
		if (f->dirs != is_dir)
			continue;
		if (first)
			in = !f->include;
		first = false;
		if (filter_matches(g, f, name))
			in = f->include;
	}
	return in;
}

static void walk_tree(struct grep *g, const char *root, bool implied)
{
	struct walk *w = walk_new(g->c, root,
				  g->dereference ? WALK_FOLLOW : WALK_FOLLOW_ROOT | WALK_NO_STAT);
	struct walk_entry *e;

	while ((e = walk_next(w)) != NULL) {
		const char *name = e->path;

		if (implied && strncmp(name, "./", 2) == 0)
			name += 2;
		cmd_charge(g->c, 1);
		if (e->kind == WALK_ERROR)
			message(g, e->err, name);
		else if (e->kind == WALK_LOOP && !g->no_messages)
			cmd_warn(g->c, 0, "%s: warning: recursive directory loop", name);
		else if (e->kind == WALK_DIR && !(implied && e->level == 0) &&
			 !wanted(g, e->level == 0 ? name : e->name, true))
			walk_skip(w);
		else if (e->kind == WALK_FILE && (e->st.mode & S_FMT) == S_LNK) {
			/* With -R only links that lead nowhere are left. */
			if (g->dereference && wanted(g, e->level == 0 ? name : e->name, false))
				message(g, -E_NOENT, name);
		} else if (e->kind == WALK_FILE &&
			   (!is_device(e->st.mode) || g->devices == GREP_DEV_READ) &&
			   wanted(g, e->level == 0 ? name : e->name, false))
			search_open(g, e->dir, e->at, name, true);
	}
	walk_free(w);
}

static void search_operand(struct grep *g, const char *path)
{
	struct vfs_stat st;

	if (strcmp(path, "-") == 0) {
		search_stdin(g);
		return;
	}
	if (g->directories != GREP_READ && cmd_stat(g->c, path, &st) == 0 &&
	    (st.mode & S_FMT) == S_DIR) {
		if (g->directories == GREP_RECURSE)
			walk_tree(g, path, false);
		return;
	}
	int err = g->filters != NULL ? cmd_stat(g->c, path, &st) : 0;
	bool is_dir = g->filters != NULL && err == 0 && (st.mode & S_FMT) == S_DIR;

	if (wanted(g, path, is_dir))
		search_open(g, CMD_CWD, path, path, false);
	else if (err < 0) /* what is left out must be there all the same */
		message(g, err, path);
}

static int status_of(const struct grep *g)
{
	if (g->error && !(g->quiet && g->any_selected))
		return 2;
	return g->any_selected ? 0 : 1;
}

/* -r with one operand that is no directory: names are not shown. */
static bool is_one_file(struct cmd *c, int first)
{
	struct vfs_stat st;

	return c->nargs - first == 1 &&
	       (cmd_stat(c, c->args[first], &st) != 0 || (st.mode & S_FMT) != S_DIR);
}

static int grep_run(struct cmd *c)
{
	struct grep *g = c->opts;
	int first = 0;

	if (!g->have_patterns && !g->patterns_given) {
		if (c->nargs == 0)
			return cmd_usage(c, NULL);
		add_patterns(g, bytes_of(c->args[0]));
		first = 1;
	}
	prepare(g);
	compile(g);
	/* Nothing can be selected: GNU does not look at the files then. */
	bool nothing = g->have_patterns ? g->invert && g->all_match : !g->invert;

	if ((g->max == 0 || nothing) && g->list != GREP_LIST_OTHERS)
		return 1;
	g->with_names = g->names == GREP_NAMES_ALWAYS ||
			(g->names == GREP_NAMES_DEFAULT &&
			 (c->nargs - first > 1 ||
			  (g->directories == GREP_RECURSE && !is_one_file(c, first))));
	if (first == c->nargs && g->directories == GREP_RECURSE)
		walk_tree(g, ".", true);
	else if (first == c->nargs)
		search_stdin(g);
	for (int i = first; i < c->nargs; i++) {
		search_operand(g, c->args[i]);
		if (g->quiet && g->any_selected)
			break;
	}
	return status_of(g);
}

/* egrep and fgrep are scripts that start grep: its name stands in messages. */
static void set_matcher(struct cmd *c, enum grep_syntax syntax)
{
	struct grep *g = c->opts;

	set_defaults(c);
	g->syntax = (int)syntax;
	g->have_syntax = true;
	c->name = "grep";
}

static void set_extended(struct cmd *c)
{
	set_matcher(c, GREP_EXTENDED);
}

static void set_fixed(struct cmd *c)
{
	set_matcher(c, GREP_FIXED);
}

/* rgrep too: grep -r. */
static void set_recursive(struct cmd *c)
{
	set_defaults(c);
	((struct grep *)c->opts)->directories = GREP_RECURSE;
	c->name = "grep";
}

#define GREP_RECORD(text, set)                                                                     \
	{                                                                                          \
		.name = (text), .usage = "[OPTION]... PATTERNS [FILE]...",                         \
		.summary = "Writes the lines of each file that match a pattern.", .run = grep_run, \
		.opts = grep_options, .opts_size = sizeof(struct grep), .usage_status = 2,         \
		.error_status = 2, .flags = BUILTIN_USAGE_LINE, .family = "GNU grep 3.8",          \
		.version = "grep (GNU grep) 3.8", .defaults = (set)                                \
	}

const struct builtin builtin_grep = GREP_RECORD("grep", set_defaults);
const struct builtin builtin_egrep = GREP_RECORD("egrep", set_extended);
const struct builtin builtin_fgrep = GREP_RECORD("fgrep", set_fixed);
const struct builtin builtin_rgrep = GREP_RECORD("rgrep", set_recursive);
