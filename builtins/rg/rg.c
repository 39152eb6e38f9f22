/* SPDX-License-Identifier: MIT
 *
 * rg - search trees of files for lines that match, as ripgrep does: what version control
 * ignores is left out, hidden and binary files too.
 *
 * One thread; files come in the order of their paths, as with --sort path. Patterns match in
 * linear time (base/regex). Not here: --debug, --trace.
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

void rg_complain_of_walk(struct rg *g, const char *path, int err)
{
	if (!g->sorted && !g->one_thread) {
		rg_complain(g, path, err);
		return;
	}
	g->error = true;
	if (!g->no_messages)
		rg_fail(g, "%s: IO error for operation on %s: %s (os error %d)", path, path,
			err_text(err), -err);
}

static void rg_defaults(struct cmd *c)
{
	struct rg *g = c->opts;

	g->c = c;
	g->max = g->depth = -1;
	g->separator = "--";
	g->style[RG_PATH].color[0] = (struct rg_hue){ RG_COLOR_NAMED, { 5 } };
	g->style[RG_NUMBER].color[0] = (struct rg_hue){ RG_COLOR_NAMED, { 2 } };
	g->style[RG_MATCH].color[0] = (struct rg_hue){ RG_COLOR_NAMED, { 1 } };
	g->style[RG_MATCH].bold = true;
	for (int i = 0; i < RG_TMPS; i++)
		g->tmp[i] = buf_in(c->arena);
	rg_types_init(g);
	rg_read_arguments(c);
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
	g->pre_over = ignore_new(g->c->arena, false);
	for (size_t i = 0; i < g->npre_globs; i++) {
		struct bytes glob = g->pre_glob[i];

		g->pre_selects |= glob.len > 0 && glob.ptr[0] != '!';
		add_braces(g, g->pre_over, glob, 0);
	}
}

static void read_rules(struct rg *g)
{
	const char *home = cmd_getenv(g->c, "HOME");
	const char *config = cmd_getenv(g->c, "XDG_CONFIG_HOME");
	struct buf path = buf_in(g->c->arena);
	struct bytes text;

	g->explicit_rules = ignore_new(g->c->arena, g->ignore_icase);
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
	g->global = ignore_new(g->c->arena, g->ignore_icase);
	ignore_add_file(g->global, text);
}

/* --- the run --- */

static void put_file(struct rg *g, const char *path, const struct vfs_stat *st)
{
	(void)st;
	g->matched = true;
	if (!g->given && g->strip && strncmp(path, "./", 2) == 0)
		path += 2;
	rg_put_path(g, path, RG_PATH_NEWLINE);
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

/* \n, \t, \x00 and the like; what is none of these stays. */
static void unescape(struct buf *out, const char *text)
{
	static const char letters[] = "nrt0\\";
	static const char codes[] = "\n\r\t\0\\";

	for (const char *at = text; *at != '\0'; at++) {
		const char *hit = at[0] == '\\' && at[1] != '\0' ? strchr(letters, at[1]) : NULL;

		if (hit != NULL) {
			buf_putc(out, codes[hit - letters]);
			at++;
		} else if (at[0] == '\\' && at[1] == 'x' && byte_is_xdigit(at[2]) &&
			   byte_is_xdigit(at[3])) {
			buf_putc(out, (char)(byte_digit(at[2]) * 16 + byte_digit(at[3])));
			at += 3;
		} else {
			buf_putc(out, *at);
		}
	}
}

/* --path-separator is one byte, maybe as an escape. 0, or a status. */
static int check_separator(struct rg *g)
{
	struct buf text = buf_in(g->c->arena);

	if (g->path_separator == NULL || *g->path_separator == '\0') {
		g->path_separator = NULL;
		return 0;
	}
	unescape(&text, g->path_separator);
	if (text.len == 1) {
		g->path_separator = buf_cstr(&text);
		return 0;
	}
	struct buf shown = buf_in(g->c->arena);

	for (size_t i = 0; i < text.len; i++)
		buf_printf(&shown, text.ptr[i] == '\\' ? "\\\\" : "%c", text.ptr[i]);
	return rg_fail(g,
		       "A path separator must be exactly one byte, but the given separator is %zu "
		       "bytes: %s\nIn some shells on Windows '/' is automatically expanded. Use "
		       "'//' instead.",
		       text.len, buf_cstr(&shown));
}

/* A terminal has colours, headings and numbers. */
static void suit_output(struct rg *g, bool from_stdin)
{
	bool tty = cmd_isatty(g->c, 1);

	if (g->color == RG_COLOR_AUTO)
		g->color = tty && !g->vimgrep && rg_may_color(g->c) ? RG_COLOR_ALWAYS
								    : RG_COLOR_NEVER;
	if (g->heading == 0 && tty && !g->vimgrep)
		g->heading = RG_ON;
	if (g->numbers == 0 && tty && !from_stdin)
		g->numbers = RG_ON;
}

static void derive(struct rg *g, bool from_stdin)
{
	int first = g->have_patterns || g->files ? 0 : 1;

	g->eol = g->ends == RG_ENDS_NUL ? '\0' : '\n';
	g->end = g->ends == RG_ENDS_CRLF ? "\r\n" : g->ends == RG_ENDS_NUL ? "" : "\n";
	g->end_len = g->ends == RG_ENDS_CRLF ? 2 : 1;
	g->text |= g->ends == RG_ENDS_NUL;

	if (g->count_matches || (g->count && g->only_matching))
		g->mode = RG_COUNT_MATCHES;
	else if (g->count)
		g->mode = RG_COUNT;
	if (g->quiet)
		g->mode = RG_QUIET;
	suit_output(g, from_stdin);
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
		return rg_no_pattern(c);
	if (!g->have_patterns && !g->files) {
		size_t size = sizeof *g->pattern;

		g->pattern = arena_alloc(c->arena, size);
		g->pattern[g->npatterns++] = bytes_of(c->args[0]);
	}
	from_stdin = reads_stdin(g);
	derive(g, from_stdin);
	status = check_separator(g);
	if (status == 0)
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
