/* SPDX-License-Identifier: MIT
 *
 * rg - search trees of files for lines that match, as ripgrep does: what version control
 * ignores is left out, hidden and binary files too.
 *
 * One thread; files come in the order of their paths, as with --sort path. Patterns match in
 * linear time (base/regex). Not here: compressed files (-z), preprocessors, other encodings than
 * UTF-8 and UTF-16 with a mark, --crlf, --colors, the configuration file.
 */
#include "builtins/rg/rg.h"

int rg_fail(struct rg *g, const char *format, ...)
{
	struct buf text = buf_in(g->c->arena);
	va_list args;

	cmd_flush(g->c);
	va_start(args, format);
	buf_vprintf(&text, format, args);
	va_end(args);
	buf_putc(&text, '\n');
	cmd_err_write(g->c, text.ptr, text.len);
	return 2;
}

void rg_complain(struct rg *g, const char *path, int err)
{
	g->error = true;
	if (!g->no_messages)
		rg_fail(g, "%s: %s (os error %d)", path, err_text(err), -err);
}

/* --- options --- */

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

static int set_number(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct rg *g = c->opts;
	uint64_t n;

	g->c = c;
	if (!num_plain(arg, &n) || n > INT64_MAX)
		return bad_number(g, opt,
				  *arg == '\0' ? "cannot parse integer from empty string"
					       : "invalid digit found in string");
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

/* -p: colours, headings, numbers, as on a terminal. */
static int set_pretty(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct rg *g = c->opts;

	const char *term = cmd_getenv(c, "TERM");

	(void)opt, (void)arg;
	if (term != NULL && strcmp(term, "dumb") != 0 && cmd_getenv(c, "NO_COLOR") == NULL)
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

static int set_encoding(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct rg *g = c->opts;

	(void)opt;
	g->c = c;
	if (strcmp(arg, "auto") == 0 || strcmp(arg, "none") == 0 || strcmp(arg, "utf-8") == 0 ||
	    strcmp(arg, "utf8") == 0 || strcmp(arg, "UTF-8") == 0)
		return 0;
	return rg_fail(g, "--encoding %s is not supported here: only utf-8, and UTF-16 with a mark",
		       arg);
}

static const struct opt_word color_words[] = {
	{ "never", RG_COLOR_NEVER },
	{ "auto", RG_COLOR_NEVER },
	{ "always", RG_COLOR_ALWAYS },
	{ "ansi", RG_COLOR_ALWAYS },
	{ NULL, 0 },
};
static const struct opt_word sort_words[] = {
	{ "path", RG_SORT_PATH },         { "none", RG_SORT_PATH },
	{ "modified", RG_SORT_MODIFIED }, { "accessed", RG_SORT_ACCESSED },
	{ "created", RG_SORT_CREATED },   { NULL, 0 },
};

static int set_sort(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct rg *g = c->opts;
	int status = opt_word(c, sort_words, opt->name, arg, &g->sort);

	g->sort_down = opt->value != 0 && strcmp(arg, "none") != 0;
	return status != 0 ? 2 : 0;
}

#define CALL_VALUE(s, l, f, v, meta, text)                                                         \
	{                                                                                          \
		.letter = (s), .name = (l), .kind = OPT_KIND_CALL, .arg = OPT_ARG_REQUIRED,        \
		.fn = (f), .value = (v), .metavar = (meta), .help = (text)                         \
	}
#define F(s, l, field, text)      OPT_FLAG(s, l, struct rg, field, text)
#define S(s, l, field, val, text) OPT_SET(s, l, struct rg, field, val, text)

static const struct opt rg_options[] = {
	OPT_CALL_ARG('e', "regexp", set_pattern, "PATTERN", "a pattern; may be given again"),
	OPT_CALL_ARG('f', "file", set_pattern_file, "FILE", "patterns, one a line"),
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
	OPT_IGNORED(0, "unicode", NULL),
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
	OPT_ENUM(0, "color", struct rg, color, color_words, "WHEN", "never, auto, always, ansi"),
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
	CALL_VALUE(0, "sort", set_sort, 0, "BY", "path, modified, accessed, created, none"),
	CALL_VALUE(0, "sortr", set_sort, 1, "BY", "the same, downwards"),
	F(0, "no-messages", no_messages, "nothing about files that can't be read"),
	OPT_CALL_ARG('E', "encoding", set_encoding, "NAME", "auto, none, utf-8"),
	OPT_IGNORED_ARG('j', "threads", "NUM", "no effect: there is one"),
	OPT_IGNORED(0, "mmap", "no effect"),
	OPT_IGNORED(0, "no-mmap", "no effect"),
	OPT_IGNORED(0, "line-buffered", "no effect: lines go out when the program waits"),
	OPT_IGNORED(0, "block-buffered", "no effect"),
	OPT_IGNORED(0, "no-config", "no effect: no configuration is read"),
	OPT_IGNORED(0, "one-file-system", "no effect: there is one"),
	OPT_IGNORED(0, "sort-files", "no effect: files are sorted"),
	OPT_IGNORED(0, "ignore", NULL),
	OPT_IGNORED(0, "no-hidden", NULL),
	OPT_IGNORED(0, "no-ignore-messages", "no effect"),
	OPT_IGNORED_ARG(0, "dfa-size-limit", "NUM", "no effect"),
	OPT_IGNORED_ARG(0, "regex-size-limit", "NUM", "no effect"),
	OPT_MISSING('z', "search-zip"),
	OPT_MISSING_ARG(0, "pre"),
	OPT_MISSING_ARG(0, "pre-glob"),
	OPT_MISSING_ARG(0, "colors"),
	OPT_MISSING_ARG(0, "path-separator"),
	OPT_MISSING_ARG(0, "engine"),
	OPT_MISSING(0, "auto-hybrid-regex"),
	OPT_MISSING(0, "crlf"),
	OPT_MISSING(0, "null-data"),
	OPT_MISSING(0, "debug"),
	OPT_MISSING(0, "trace"),
	OPT_END(),
};
#undef CALL_VALUE
#undef F
#undef S

static void rg_defaults(struct cmd *c)
{
	struct rg *g = c->opts;

	g->c = c;
	g->max = g->depth = -1;
	g->separator = "--";
	for (int i = 0; i < RG_TMPS; i++)
		g->tmp[i] = buf_in(c->arena);
	rg_types_init(g);
}

/* --- globs --- */

/* {a,b} in a glob stands for several. Nested ones are taken one by one. */
static void add_braces(struct rg *g, struct ignore_rules *rules, struct bytes glob, int depth)
{
	const char *open = memchr(glob.ptr, '{', glob.len);
	size_t from = open != NULL ? (size_t)(open - glob.ptr) : 0;
	size_t close = from;
	int level = 0;

	for (; open != NULL && close < glob.len; close++) {
		level += glob.ptr[close] == '{';
		level -= glob.ptr[close] == '}';
		if (level == 0)
			break;
	}
	cmd_charge(g->c, 1);
	if (open == NULL || close >= glob.len || depth > 8 || ignore_count(rules) > 10000) {
		ignore_add(rules, glob);
		return;
	}
	for (size_t at = from + 1; at <= close;) {
		size_t end = at;
		struct buf one = buf_in(g->c->arena);

		for (level = 0; end < close && (glob.ptr[end] != ',' || level > 0); end++) {
			level += glob.ptr[end] == '{';
			level -= glob.ptr[end] == '}';
		}
		buf_add(&one, bytes_slice(glob, 0, from));
		buf_add(&one, bytes_slice(glob, at, end));
		buf_add(&one, bytes_slice(glob, close + 1, glob.len));
		add_braces(g, rules, buf_bytes(&one), depth + 1);
		at = end + 1;
	}
}

static void prepare_globs(struct rg *g)
{
	g->over = ignore_new(g->c->arena, g->glob_icase);
	g->over_icase = ignore_new(g->c->arena, true);
	for (size_t i = 0; i < g->nglobs; i++) {
		struct bytes glob = g->glob[i];
		bool icase = glob.len > 0 && glob.ptr[0] == '\0';

		glob = bytes_slice(glob, icase, glob.len);
		g->over_selects |= glob.len > 0 && glob.ptr[0] != '!';
		add_braces(g, icase ? g->over_icase : g->over, glob, 0);
	}
}

static void read_rules(struct rg *g)
{
	const char *home = cmd_getenv(g->c, "HOME");
	const char *config = cmd_getenv(g->c, "XDG_CONFIG_HOME");
	struct buf path = buf_in(g->c->arena);
	struct bytes text;

	g->explicit_rules = ignore_new(g->c->arena, false);
	for (size_t i = 0; i < g->nignore_files && !g->no_ignore_files; i++) {
		int err = cmd_read_all(g->c, g->ignore_files[i], &text);

		if (err < 0)
			rg_complain(g, g->ignore_files[i], err);
		else
			ignore_add_file(g->explicit_rules, text);
	}
	if (g->no_ignore || g->no_vcs || g->no_global || (home == NULL && config == NULL))
		return;
	if (config != NULL && *config != '\0')
		buf_printf(&path, "%s/git/ignore", config);
	else
		buf_printf(&path, "%s/.config/git/ignore", home != NULL ? home : "");
	if (cmd_read_all(g->c, buf_cstr(&path), &text) < 0)
		return;
	g->global = ignore_new(g->c->arena, false);
	ignore_add_file(g->global, text);
}

/* --- the run --- */

static void put_file(struct rg *g, const char *path, const struct vfs_stat *st)
{
	(void)st;
	g->matched = true;
	if (!g->given && g->strip && strncmp(path, "./", 2) == 0)
		path += 2;
	rg_put_path(g, path, '\n');
}

static void search_file(struct rg *g, const char *path, const struct vfs_stat *st)
{
	(void)st;
	if (g->mode == RG_QUIET && g->matched && !g->stats)
		return;
	rg_search(g, path);
}

static bool reads_stdin(struct rg *g)
{
	struct vfs_stat st;

	if (g->files || g->c->nargs > (g->have_patterns ? 0 : 1) || cmd_fstat(g->c, 0, &st) < 0)
		return false;
	return (st.mode & S_FMT) == S_REG || (st.mode & S_FMT) == S_FIFO;
}

static bool is_one_file(struct rg *g, bool from_stdin)
{
	int first = g->have_patterns || g->files ? 0 : 1;
	struct vfs_stat st;

	if (from_stdin)
		return true;
	if (g->c->nargs - first != 1)
		return false;
	return strcmp(g->c->args[first], "-") == 0 ||
	       (cmd_stat(g->c, g->c->args[first], &st) == 0 && (st.mode & S_FMT) != S_DIR);
}

static void derive(struct rg *g, bool from_stdin)
{
	int first = g->have_patterns || g->files ? 0 : 1;

	if (g->count_matches || (g->count && g->only_matching))
		g->mode = RG_COUNT_MATCHES;
	else if (g->count)
		g->mode = RG_COUNT;
	if (g->quiet)
		g->mode = RG_QUIET;
	g->strip = first >= g->c->nargs;
	g->with_names = g->names != 0 ? g->names == RG_ON : !is_one_file(g, from_stdin);
	if (g->names == 0 && (g->mode == RG_WITH || g->mode == RG_WITHOUT))
		g->with_names = true;
	if (g->columns == RG_ON && g->numbers == 0)
		g->numbers = RG_ON;
	g->need_spans = g->only_matching || g->vimgrep || g->replace != NULL || g->stats ||
			g->columns == RG_ON || g->color == RG_COLOR_ALWAYS || g->mode == RG_JSON ||
			g->mode == RG_COUNT_MATCHES || (g->mode == RG_COUNT && g->multiline);
}

static int finish(struct rg *g, bool from_stdin)
{
	bool all_default = g->strip && !from_stdin;

	if (g->mode == RG_JSON)
		rg_json_summary(g);
	else if (g->stats)
		rg_put_stats(g);
	if (g->searched == 0 && all_default && !g->no_messages && !g->error) {
		rg_fail(g, "No files were searched, which means ripgrep probably applied a filter "
			   "you didn't expect.\nRunning with --debug will show why files are being "
			   "skipped.");
		g->error = true;
	}
	bool success = g->mode == RG_WITHOUT ? g->total_files < g->searched : g->matched;

	if (g->error && !(success && g->mode == RG_QUIET))
		return 2;
	return success ? 0 : 1;
}

static int rg_run(struct cmd *c)
{
	struct rg *g = c->opts;
	bool from_stdin;
	int status;

	g->c = c;
	if (g->type_list)
		return rg_type_list(g);
	if (c->nargs == 0 && !g->have_patterns && !g->files)
		return cmd_usage(c, "a pattern is needed");
	if (!g->have_patterns && !g->files) {
		size_t size = sizeof *g->pattern;

		g->pattern = arena_alloc(c->arena, size);
		g->pattern[g->npatterns++] = bytes_of(c->args[0]);
	}
	from_stdin = reads_stdin(g);
	derive(g, from_stdin);
	status = rg_types_check(g);
	if (status == 0 && !g->files)
		status = rg_compile(g);
	if (status != 0)
		return status;
	prepare_globs(g);
	read_rules(g);
	if (g->files) {
		rg_walk(g, put_file);
		return g->error ? 2 : g->matched ? 0 : 1;
	}
	if (from_stdin)
		rg_search_stdin(g);
	else
		rg_walk(g, search_file);
	return finish(g, from_stdin);
}

const struct builtin builtin_rg = {
	.name = "rg",
	.usage = "[OPTION]... PATTERN [PATH]...",
	.summary = "Searches files and trees for lines that match a regular expression. What\n"
		   ".gitignore names, hidden files and binary files are left out.",
	.run = rg_run,
	.opts = rg_options,
	.opts_size = sizeof(struct rg),
	.defaults = rg_defaults,
	.usage_status = 2,
	.error_status = 2,
	.family = "ripgrep 13.0.0",
	.version = "ripgrep 13.0.0",
};
