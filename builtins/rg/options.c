/* SPDX-License-Identifier: MIT
 *
 * rg's options.
 */
#include "builtins/rg/rg.h"

static void add_pattern(struct rg *g, struct bytes text)
{
	g->pattern = arena_room(g->c->arena, g->pattern, g->npatterns, sizeof text);
	g->pattern[g->npatterns++] = text;
	g->have_patterns = true;
}

static int set_pattern(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct rg *g = c->opts;

	(void)opt;
	g->c = c;
	add_pattern(g, bytes_of(arg));
	return 0;
}

static int set_pattern_file(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct rg *g = c->opts;
	struct bytes text;
	int err = cmd_read_all(c, arg, &text);

	(void)opt;
	g->c = c;
	if (err < 0)
		return rg_fail(g, "%s: %s (os error %d)", arg, err_text(err), -err);
	g->have_patterns = true;
	while (text.len > 0) {
		const char *end = memchr(text.ptr, '\n', text.len);
		size_t len = end != NULL ? (size_t)(end - text.ptr) : text.len;
		struct bytes line = bytes_slice(text, 0, len);

		if (line.len > 0 && line.ptr[line.len - 1] == '\r')
			line.len--;
		add_pattern(g, line);
		text = bytes_slice(text, end != NULL ? len + 1 : len, text.len);
	}
	return 0;
}

static int bad_number(struct rg *g, const struct opt *opt, const char *what)
{
	return rg_fail(g, "error: Invalid value for '--%s <NUM>': %s\n", opt->name, what);
}

enum number_of { N_BEFORE, N_AFTER, N_CONTEXT, N_MAX, N_WIDTH, N_DEPTH };

/* NULL, or what is wrong with it. Counts that no file can reach are the largest ones. */
static const char *read_number(const char *arg, uint64_t *out)
{
	const char *digits = arg + (*arg == '+');

	*out = 0;
	if (*arg == '\0')
		return "cannot parse integer from empty string";
	if (*digits == '\0' || digits[strspn(digits, "0123456789")] != '\0')
		return "invalid digit found in string";
	for (; *digits != '\0'; digits++) {
		unsigned digit = (unsigned)(*digits - '0');

		if (*out > (UINT64_MAX - digit) / 10)
			return "number too large to fit in target type";
		*out = *out * 10 + digit;
	}
	if (*out > INT64_MAX)
		*out = INT64_MAX;
	return NULL;
}

static int set_number(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct rg *g = c->opts;
	uint64_t n;
	const char *wrong = read_number(arg, &n);

	g->c = c;
	if (wrong != NULL)
		return bad_number(g, opt, wrong);
	if (opt->value == N_BEFORE || opt->value == N_AFTER) {
		/* One of them takes the place of -C. */
		if (g->both)
			g->before = g->after = 0;
		g->both = false;
	}
	switch ((enum number_of)opt->value) {
	case N_BEFORE: g->before = n; break;
	case N_AFTER: g->after = n; break;
	case N_CONTEXT:
		g->before = g->after = n;
		g->both = true;
		break;
	case N_MAX: g->max = (int64_t)n; break;
	case N_WIDTH: g->width = n; break;
	case N_DEPTH: g->depth = (int64_t)n; break;
	}
	return 0;
}

/* There is one here; who asks for one gets other words where the walk fails. */
static int set_threads(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct rg *g = c->opts;
	uint64_t n;
	const char *wrong = read_number(arg, &n);

	(void)opt;
	g->c = c;
	if (wrong != NULL)
		return rg_fail(g, "%s", wrong);
	g->one_thread = n == 1;
	return 0;
}

/* 10, 10K, 10M, 10G. */
static int set_size(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct rg *g = c->opts;

	(void)opt;
	g->c = c;
	if (num_parse_u64(arg, "KMG", &g->size_max) != 0)
		return rg_fail(g,
			       "invalid format for size '%s', which should be a sequence of "
			       "digits followed by an optional 'K', 'M' or 'G' suffix",
			       arg);
	return 0;
}

/* A glob; --iglob's are kept with a NUL in front. */
static int set_glob(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct rg *g = c->opts;
	struct buf text = buf_in(c->arena);

	if (opt->value != 0)
		buf_putc(&text, '\0');
	buf_puts(&text, arg);
	g->glob = arena_room(c->arena, g->glob, g->nglobs, sizeof *g->glob);
	g->glob[g->nglobs++] = buf_bytes(&text);
	return 0;
}

static int set_ignore_file(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct rg *g = c->opts;

	(void)opt;
	g->ignore_files = arena_room(c->arena, g->ignore_files, g->nignore_files, sizeof arg);
	g->ignore_files[g->nignore_files++] = arg;
	return 0;
}

static int set_no_separator(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct rg *g = c->opts;

	(void)opt, (void)arg;
	g->separator = NULL;
	return 0;
}

static int set_passthru(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct rg *g = c->opts;

	(void)opt, (void)arg;
	g->passthru = true;
	g->before = g->after = 0;
	return 0;
}

static int set_unrestricted(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct rg *g = c->opts;

	(void)opt, (void)arg;
	g->unrestricted++;
	g->no_ignore = true;
	g->hidden |= g->unrestricted > 1;
	g->binary |= g->unrestricted > 2;
	return 0;
}

static int set_no_ignore(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct rg *g = c->opts;

	(void)opt, (void)arg;
	g->no_ignore = g->no_ignore_files = true;
	return 0;
}

bool rg_may_color(struct cmd *c)
{
	const char *term = cmd_getenv(c, "TERM");

	return term != NULL && strcmp(term, "dumb") != 0 && cmd_getenv(c, "NO_COLOR") == NULL;
}

/* -p: colours, headings, numbers, as on a terminal. */
static int set_pretty(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct rg *g = c->opts;

	(void)opt, (void)arg;
	if (rg_may_color(c))
		g->color = RG_COLOR_ALWAYS;
	g->heading = g->numbers = RG_ON;
	return 0;
}

static int set_vimgrep(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct rg *g = c->opts;

	(void)opt, (void)arg;
	g->vimgrep = true;
	g->names = g->numbers = g->columns = RG_ON;
	return 0;
}

/* One of --no-NAME and --NAME, which set what the other clears. */
static int set_flag(struct cmd *c, const struct opt *opt, const char *arg)
{
	(void)arg;
	*(bool *)((char *)c->opts + opt->offset) = opt->value != 0;
	return 0;
}

/* --null-data and --crlf: the last one counts. */
static int set_ends(struct cmd *c, const struct opt *opt, const char *arg)
{
	(void)arg;
	((struct rg *)c->opts)->ends = opt->value;
	return 0;
}

/* -z, --pre and their opposites: the last one counts. */
static int set_filter(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct rg *g = c->opts;

	g->unpack = opt->value != 0;
	g->pre = arg != NULL && *arg != '\0' ? arg : NULL;
	return 0;
}

static int set_pre_glob(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct rg *g = c->opts;

	(void)opt;
	g->pre_glob = arena_room(c->arena, g->pre_glob, g->npre_globs, sizeof *g->pre_glob);
	g->pre_glob[g->npre_globs++] = bytes_of(arg);
	return 0;
}

static int set_mode_lines(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct rg *g = c->opts;

	(void)opt, (void)arg;
	if (g->mode == RG_JSON)
		g->mode = RG_LINES;
	return 0;
}

static int set_engine(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct rg *g = c->opts;

	g->hybrid = false;
	if (strcmp(arg, "default") == 0)
		g->syntax = RG_RUST;
	else if (strcmp(arg, "pcre2") == 0)
		g->syntax = RG_PCRE;
	else if (strcmp(arg, "auto") == 0)
		g->hybrid = true;
	else
		return rg_bad_value(c, opt, arg, "auto, default, pcre2");
	return 0;
}

static int set_color(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct rg *g = c->opts;

	g->color = RG_COLOR_AUTO;
	if (strcmp(arg, "always") == 0 || strcmp(arg, "ansi") == 0)
		g->color = RG_COLOR_ALWAYS;
	else if (strcmp(arg, "never") == 0)
		g->color = RG_COLOR_NEVER;
	else if (strcmp(arg, "auto") != 0)
		return rg_bad_value(c, opt, arg, "always, ansi, auto, never");
	return 0;
}

static int set_sort(struct cmd *c, const struct opt *opt, const char *arg)
{
	static const char *const words[] = { "path", "modified", "accessed", "created", "none" };
	struct rg *g = c->opts;

	for (int i = 0; i < 5; i++)
		if (strcmp(arg, words[i]) == 0) {
			g->sort = i < 4 ? i : RG_SORT_PATH;
			g->sorted = i < 4;
			g->sort_down = opt->value != 0 && i < 4;
			return 0;
		}
	return rg_bad_value(c, opt, arg, "accessed, created, modified, none, path");
}

static int set_sort_files(struct cmd *c, const struct opt *opt, const char *arg)
{
	(void)arg;
	return set_sort(c, opt, "path");
}

static int show_pcre_version(struct cmd *c, const struct opt *opt, const char *arg)
{
	(void)opt, (void)arg;
	cmd_puts(c, "PCRE2 10.32 is available\nJIT is available\n");
	cmd_exit(c, 0);
	return 0;
}

#define CALL_VALUE(s, l, f, v, meta, text)                                                         \
	{                                                                                          \
		.letter = (s), .name = (l), .kind = OPT_KIND_CALL, .arg = OPT_ARG_REQUIRED,        \
		.fn = (f), .value = (v), .metavar = (meta), .help = (text)                         \
	}
/* --l sets a bool, --no (a name of its own) clears it again. */
#define NOT(l, field, v)                                                                           \
	{                                                                                          \
		.name = (l), .kind = OPT_KIND_CALL, .fn = set_flag, .value = (v),                  \
		.offset = OPT_FIELD(struct rg, field, bool)                                        \
	}
#define CALL_SET(s, l, f, v, text)                                                                 \
	{                                                                                          \
		.letter = (s), .name = (l), .kind = OPT_KIND_CALL, .fn = (f), .value = (v),        \
		.help = (text)                                                                     \
	}
#define F(s, l, field, text)      OPT_FLAG(s, l, struct rg, field, text)
#define S(s, l, field, val, text) OPT_SET(s, l, struct rg, field, val, text)

const struct opt rg_options[] = {
	OPT_CALL_ARG('e', "regexp", set_pattern, "PATTERN", "a pattern; may be given again"),
	OPT_CALL_ARG('f', "file", set_pattern_file, "PATTERNFILE", "patterns, one a line"),
	S('i', "ignore-case", letters, RG_CASE_IGNORE, "letters match in either case"),
	S('S', "smart-case", letters, RG_CASE_SMART, "the same, unless there is a capital"),
	S('s', "case-sensitive", letters, RG_CASE_SENSITIVE, "letters match as they are"),
	S('F', "fixed-strings", syntax, RG_FIXED, "patterns are plain text"),
	S(0, "no-fixed-strings", syntax, RG_RUST, NULL),
	S('P', "pcre2", syntax, RG_PCRE, "patterns with look-around and references"),
	S(0, "no-pcre2", syntax, RG_RUST, NULL),
	F('w', "word-regexp", words, "matches are whole words"),
	F('x', "line-regexp", lines, "matches are whole lines"),
	F('v', "invert-match", invert, "lines that do not match"),
	F('U', "multiline", multiline, "matches may span lines"),
	F(0, "multiline-dotall", dotall, "and the dot matches newlines"),
	F(0, "no-unicode", no_unicode, "\\w and the like know ASCII only"),
	CALL_VALUE('A', "after-context", set_number, N_AFTER, "NUM", "lines behind each match"),
	CALL_VALUE('B', "before-context", set_number, N_BEFORE, "NUM", "lines before each match"),
	CALL_VALUE('C', "context", set_number, N_CONTEXT, "NUM", "both"),
	OPT_STR(0, "context-separator", struct rg, separator, "--", "TEXT",
		"what stands between groups of lines"),
	OPT_CALL(0, "no-context-separator", set_no_separator, "nothing stands there"),
	OPT_STR(0, "field-match-separator", struct rg, match_mark, ":", "TEXT",
		"what stands behind names and numbers"),
	OPT_STR(0, "field-context-separator", struct rg, context_mark, "-", "TEXT",
		"the same on lines of context"),
	CALL_VALUE('m', "max-count", set_number, N_MAX, "NUM", "at most so many lines of a file"),
	F('c', "count", count, "write only the number of lines"),
	F(0, "count-matches", count_matches, "write only the number of matches"),
	F(0, "include-zero", include_zero, "and zeros too"),
	S('l', "files-with-matches", mode, RG_WITH, "write only names of files that match"),
	S(0, "files-without-match", mode, RG_WITHOUT, "write only names of those that do not"),
	S(0, "json", mode, RG_JSON, "write messages for programs"),
	F('q', "quiet", quiet, "write nothing, only give a status"),
	F('o', "only-matching", only_matching, "write only what matches"),
	OPT_STR('r', "replace", struct rg, replace, NULL, "TEXT", "write TEXT in its place"),
	OPT_CALL(0, "passthru", set_passthru, "write all lines"),
	OPT_CALL(0, "passthrough", set_passthru, NULL),
	S('n', "line-number", numbers, RG_ON, "write line numbers"),
	S('N', "no-line-number", numbers, RG_OFF, "don't"),
	S(0, "column", columns, RG_ON, "write columns, counted in bytes"),
	S(0, "no-column", columns, RG_OFF, NULL),
	F('b', "byte-offset", offsets, "write offsets in the file"),
	S('H', "with-filename", names, RG_ON, "write names of files"),
	S('I', "no-filename", names, RG_OFF, "don't"),
	S(0, "heading", heading, RG_ON, "write names above lines"),
	S(0, "no-heading", heading, RG_OFF, NULL),
	F('0', "null", null, "NUL behind names"),
	OPT_CALL(0, "vimgrep", set_vimgrep, "a line with name, number and column for each match"),
	OPT_CALL('p', "pretty", set_pretty, "--color always --heading --line-number"),
	OPT_CALL_ARG(0, "color", set_color, "WHEN", "never, auto, always, ansi"),
	F(0, "trim", trim, "leave out blanks at the front of lines"),
	CALL_VALUE('M', "max-columns", set_number, N_WIDTH, "NUM", "leave out longer lines"),
	F(0, "max-columns-preview", preview, "but show their beginning"),
	F(0, "stats", stats, "write statistics at the end"),
	F(0, "files", files, "write names of files that would be searched"),
	CALL_VALUE('g', "glob", set_glob, 0, "GLOB", "only files that match, or not: !GLOB"),
	CALL_VALUE(0, "iglob", set_glob, 1, "GLOB", "letters match in either case"),
	F(0, "glob-case-insensitive", glob_icase, "for all -g"),
	CALL_VALUE('t', "type", rg_type_choose, 0, "TYPE", "only files of a type"),
	CALL_VALUE('T', "type-not", rg_type_choose, 1, "TYPE", "only files not of it"),
	OPT_CALL_ARG(0, "type-add", rg_type_add, "SPEC", "NAME:GLOB or NAME:include:NAME,..."),
	OPT_CALL_ARG(0, "type-clear", rg_type_clear, "TYPE", "forget a type"),
	F(0, "type-list", type_list, "list the types"),
	F('.', "hidden", hidden, "hidden files too"),
	OPT_CALL(0, "no-ignore", set_no_ignore, "do not look at ignore files"),
	F(0, "no-ignore-vcs", no_vcs, "not at .gitignore"),
	F(0, "no-ignore-dot", no_dot, "not at .ignore"),
	F(0, "no-ignore-parent", no_parent, "not at those of directories above"),
	F(0, "no-ignore-global", no_global, "not at git's global one"),
	F(0, "no-ignore-exclude", no_exclude, "not at .git/info/exclude"),
	F(0, "no-ignore-files", no_ignore_files, "not at those of --ignore-file"),
	F(0, "no-require-git", no_require_git, ".gitignore counts outside repositories too"),
	OPT_CALL_ARG(0, "ignore-file", set_ignore_file, "FILE", "more rules"),
	OPT_CALL('u', "unrestricted", set_unrestricted,
		 "-u: --no-ignore; -uu: --hidden; -uuu: --binary"),
	F('L', "follow", follow, "follow symbolic links"),
	CALL_VALUE('d', "max-depth", set_number, N_DEPTH, "NUM", "directories so deep"),
	CALL_VALUE(0, "maxdepth", set_number, N_DEPTH, "NUM", NULL),
	OPT_CALL_ARG(0, "max-filesize", set_size, "NUM", "files at most so large: 10, 5K, 2M"),
	F('a', "text", text, "binary files are text"),
	F(0, "binary", binary, "search binary files too"),
	CALL_VALUE(0, "sort", set_sort, 0, "SORTBY", "path, modified, accessed, created, none"),
	CALL_VALUE(0, "sortr", set_sort, 1, "SORTBY", "the same, downwards"),
	F(0, "no-messages", no_messages, "nothing about files that can't be read"),
	OPT_CALL_ARG('E', "encoding", rg_set_encoding, "ENCODING",
		     "auto, none, or what text is in: utf-16le, latin1, sjis..."),
	OPT_CALL_ARG('j', "threads", set_threads, "NUM",
		     "but for messages no effect: there is one"),
	OPT_IGNORED(0, "no-config", "do not read the file that RIPGREP_CONFIG_PATH names"),
	OPT_IGNORED(0, "mmap", "no effect"),
	OPT_IGNORED(0, "no-mmap", "no effect"),
	OPT_IGNORED(0, "line-buffered", "no effect: lines go out when the program waits"),
	OPT_IGNORED(0, "block-buffered", "no effect"),
	OPT_IGNORED(0, "one-file-system", "no effect: there is one"),
	OPT_CALL(0, "sort-files", set_sort_files, "--sort path"),
	OPT_IGNORED(0, "no-ignore-messages", "no effect"),
	OPT_IGNORED_ARG(0, "dfa-size-limit", "NUM", "no effect"),
	OPT_IGNORED_ARG(0, "regex-size-limit", "NUM", "no effect"),
	CALL_SET('z', "search-zip", set_filter, 1, "look into compressed files"),
	CALL_SET(0, "no-search-zip", set_filter, 0, NULL),
	CALL_VALUE(0, "pre", set_filter, 0, "COMMAND", "search what COMMAND PATH writes"),
	CALL_SET(0, "no-pre", set_filter, 0, NULL),
	OPT_CALL_ARG(0, "pre-glob", set_pre_glob, "GLOB", "use it only for files that match"),
	CALL_SET(0, "crlf", set_ends, RG_ENDS_CRLF, "lines may end in CR LF"),
	CALL_SET(0, "no-crlf", set_ends, RG_ENDS_LF, NULL),
	CALL_SET(0, "null-data", set_ends, RG_ENDS_NUL, "lines end in NUL"),
	OPT_CALL_ARG(0, "colors", rg_color_spec, "COLOR_SPEC",
		     "path, line, column or match:fg, bg or style:VALUE"),
	OPT_STR(0, "path-separator", struct rg, path_separator, NULL, "SEPARATOR",
		"what stands between the parts of paths"),
	OPT_CALL_ARG(0, "engine", set_engine, "ENGINE", "default, pcre2, auto"),
	NOT("auto-hybrid-regex", hybrid, 1),
	NOT("no-auto-hybrid-regex", hybrid, 0),
	NOT("no-binary", binary, 0),
	NOT("no-follow", follow, 0),
	NOT("no-glob-case-insensitive", glob_icase, 0),
	NOT("no-max-columns-preview", preview, 0),
	NOT("messages", no_messages, 0),
	NOT("no-multiline", multiline, 0),
	NOT("no-multiline-dotall", dotall, 0),
	NOT("no-stats", stats, 0),
	NOT("no-text", text, 0),
	NOT("no-trim", trim, 0),
	NOT("unicode", no_unicode, 0),
	NOT("pcre2-unicode", no_unicode, 0),
	NOT("no-pcre2-unicode", no_unicode, 1),
	NOT("no-hidden", hidden, 0),
	NOT("require-git", no_require_git, 0),
	NOT("ignore-dot", no_dot, 0),
	NOT("ignore-exclude", no_exclude, 0),
	NOT("ignore-files", no_ignore_files, 0),
	NOT("ignore-global", no_global, 0),
	NOT("ignore-parent", no_parent, 0),
	NOT("ignore-vcs", no_vcs, 0),
	NOT("ignore", no_ignore, 0),
	NOT("ignore-file-case-insensitive", ignore_icase, 1),
	NOT("no-ignore-file-case-insensitive", ignore_icase, 0),
	CALL_SET(0, "no-encoding", rg_set_encoding, 0, NULL),
	CALL_SET(0, "no-json", set_mode_lines, 0, NULL),
	CALL_SET(0, "pcre2-version", show_pcre_version, 0, "say which version of PCRE2"),
	OPT_IGNORED(0, "ignore-messages", NULL),
	OPT_IGNORED(0, "no-block-buffered", NULL),
	OPT_IGNORED(0, "no-line-buffered", NULL),
	OPT_IGNORED(0, "no-one-file-system", NULL),
	OPT_IGNORED(0, "no-sort-files", NULL),
	OPT_MISSING(0, "debug"),
	OPT_MISSING(0, "trace"),
	OPT_END(),
};
#undef CALL_VALUE
#undef CALL_SET
#undef NOT
#undef F
#undef S
