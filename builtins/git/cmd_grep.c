/* SPDX-License-Identifier: MIT
 *
 * git grep. Patterns that are joined by --and, --or, --not and parentheses become a tree that is
 * asked about each line; without those one set of patterns finds them all at once.
 */
#include "builtins/git/grep.h"

static int add_pattern(struct git *g, void *opts, const char *arg, bool unset)
{
	struct grep_opts *o = opts;

	(void)unset;
	names_add(g, &o->patterns, arg);
	names_add(g, &o->expression, git_format(g->keep, "p%s", arg));
	return 0;
}

/* -f: a pattern in each line. */
static int add_file(struct git *g, void *opts, const char *arg, bool unset)
{
	struct bytes text, line;
	int err = 0;

	if (strcmp(arg, "-") == 0)
		text = file_stdin(g);
	else
		err = file_read(g, g->keep, arg, &text); /* from the top of the work tree */
	if (err < 0)
		git_die(g, "cannot open '%s': %s", arg, err_text(err));
	while (git_line(&text, &line))
		add_pattern(g, opts, arena_dup(g->keep, line), unset);
	return 0;
}

static int set_depth(struct git *g, void *opts, const char *arg, bool unset)
{
	struct grep_opts *o = opts;
	int64_t n = 0;

	if (!unset && !git_number(arg, &n)) {
		git_error(g, "option `max-depth' expects a numerical value");
		git_exit(g, GIT_STATUS_USAGE);
	}
	o->has_depth = !unset && n >= 0;
	o->depth = o->has_depth ? (size_t)n : 0;
	return 0;
}

static int set_recursive(struct git *g, void *opts, const char *arg, bool unset)
{
	struct grep_opts *o = opts;

	(void)g, (void)arg;
	o->has_depth = unset;
	o->depth = 0;
	return 0;
}

#define OPERATOR(fn, sign)                                                                         \
	static int fn(struct git *g, void *opts, const char *arg, bool unset)                      \
	{                                                                                          \
		struct grep_opts *o = opts;                                                        \
                                                                                                   \
		(void)arg, (void)unset;                                                            \
		o->is_expression = true;                                                           \
		names_add(g, &o->expression, sign);                                                \
		return 0;                                                                          \
	}
OPERATOR(add_and, "&")
OPERATOR(add_or, "|")
OPERATOR(add_not, "!")
OPERATOR(add_open, "(")
OPERATOR(add_close, ")")
#undef OPERATOR

static int set_color(struct git *g, void *opts, const char *arg, bool unset)
{
	int *color = &((struct grep_opts *)opts)->color;

	if (arg != NULL && strcmp(arg, "auto") == 0)
		*color = -1;
	else if (unset || (arg != NULL && (strcmp(arg, "never") == 0 || config_truth(arg) == 0)))
		*color = 0;
	else if (arg == NULL || strcmp(arg, "always") == 0 || config_truth(arg) == 1)
		*color = 1;
	else {
		git_error(g, "option `color' expects \"always\", \"auto\", or \"never\"");
		return GIT_STATUS_USAGE;
	}
	return 0;
}

static int set_index(struct git *g, void *opts, const char *arg, bool unset)
{
	(void)g, (void)arg;
	((struct grep_opts *)opts)->no_index = unset;
	return 0;
}

static int set_standard(struct git *g, void *opts, const char *arg, bool unset)
{
	(void)g, (void)arg;
	((struct grep_opts *)opts)->standard = !unset;
	return 0;
}

/* Both sides: -A and -B behind it change one. */
static int set_context(struct git *g, void *opts, const char *arg, bool unset)
{
	struct grep_opts *o = opts;
	int64_t n = 0;

	if (!unset && !git_number(arg, &n)) {
		git_error(g, "switch `C' expects a numerical value");
		return GIT_STATUS_USAGE;
	}
	o->before = o->after = n < 0 ? 0 : n > INT32_MAX ? INT32_MAX : (int)n;
	return 0;
}

static const struct git_option grep_options[] = {
	GIT_FLAG(0, "cached", struct grep_opts, cached),
	GIT_CALL(0, "index", set_index),
	GIT_CALL(0, "exclude-standard", set_standard),
	GIT_FLAG(0, "untracked", struct grep_opts, untracked),
	GIT_FLAG('v', "invert-match", struct grep_opts, invert),
	GIT_FLAG('i', "ignore-case", struct grep_opts, icase),
	GIT_FLAG('w', "word-regexp", struct grep_opts, word),
	GIT_SET('a', "text", struct grep_opts, binary, GREP_TEXT),
	GIT_SET('I', NULL, struct grep_opts, binary, GREP_NO_BINARY),
	GIT_SET('E', "extended-regexp", struct grep_opts, kind, GREP_EXTENDED),
	GIT_SET('G', "basic-regexp", struct grep_opts, kind, GREP_BASIC),
	GIT_SET('F', "fixed-strings", struct grep_opts, kind, GREP_FIXED),
	GIT_SET('P', "perl-regexp", struct grep_opts, kind, GREP_PERL),
	GIT_FLAG('n', "line-number", struct grep_opts, number),
	GIT_FLAG(0, "column", struct grep_opts, column),
	GIT_FLAG(0, "textconv", struct grep_opts, textconv),
	GIT_FLAG('h', NULL, struct grep_opts, no_name),
	GIT_CALL('r', "recursive", set_recursive),
	GIT_FLAG('H', NULL, struct grep_opts, full),
	GIT_FLAG(0, "full-name", struct grep_opts, full),
	GIT_FLAG('l', "files-with-matches", struct grep_opts, names),
	GIT_FLAG(0, "name-only", struct grep_opts, names),
	GIT_FLAG('L', "files-without-match", struct grep_opts, without),
	GIT_FLAG('z', "null", struct grep_opts, null_names),
	GIT_FLAG('o', "only-matching", struct grep_opts, only),
	GIT_FLAG('c', "count", struct grep_opts, count),
	GIT_FLAG('q', "quiet", struct grep_opts, quiet),
	GIT_FLAG(0, "heading", struct grep_opts, heading),
	GIT_FLAG(0, "break", struct grep_opts, break_),
	GIT_INT('A', "after-context", struct grep_opts, after),
	GIT_INT('B', "before-context", struct grep_opts, before),
	GIT_CALL_ARG('C', "context", set_context),
	GIT_CALL_ARG('e', NULL, add_pattern),
	GIT_CALL_ARG('f', NULL, add_file),
	GIT_CALL_ARG(0, "max-depth", set_depth),
	GIT_CALL(0, "and", add_and),
	GIT_CALL(0, "or", add_or),
	GIT_CALL(0, "not", add_not),
	GIT_CALL(0, "(", add_open),
	GIT_CALL(0, ")", add_close),
	GIT_INT('m', "max-count", struct grep_opts, max_count),
	GIT_FLAG(0, "all-match", struct grep_opts, all_match),
	GIT_CALL_MAYBE(0, "color", set_color),
	GIT_FLAG('p', "show-function", struct grep_opts, function),
	GIT_FLAG('W', "function-context", struct grep_opts, whole_function),
	GIT_END(),
};
static const char *const grep_usage[] = {
	"git grep [<options>] [-e] <pattern> [<rev>...] [[--] <path>...]", NULL
};

/* --- expressions --- */

static struct grep_node *read_or(struct grepping *w, int depth);

static const char *peek(const struct grepping *w)
{
	return w->at < w->o.expression.n ? w->o.expression.at[w->at] : "";
}

static struct grep_node *new_node(struct grepping *w, char kind, struct grep_node *a,
				  struct grep_node *b)
{
	struct grep_node *n = arena_zalloc(w->g->keep, sizeof(*n));

	n->kind = kind;
	n->a = a;
	n->b = b;
	return n;
}

static struct grep_node *read_atom(struct grepping *w, int depth)
{
	struct git *g = w->g;
	const char *text = peek(w);
	const char *message;
	struct grep_node *n;

	if (depth > GIT_DEPTH_MAX)
		git_die(g, "expression too deep");
	if (text[0] == '!') {
		w->at++;
		n = read_atom(w, depth + 1);
		if (n == NULL)
			git_die(g, "--not not followed by pattern expression");
		return new_node(w, '!', n, NULL);
	}
	if (text[0] == '(') {
		w->at++;
		n = read_or(w, depth + 1);
		if (peek(w)[0] != ')')
			git_die(g, "unmatched parenthesis");
		w->at++;
		return n;
	}
	if (text[0] != 'p')
		return NULL;
	w->at++;
	n = new_node(w, 'p', NULL, NULL);
	struct bytes pattern = bytes_of(text + 1);

	if (regex_compile_set(g->keep, &pattern, 1, w->flags, &n->re, &message) < 0)
		git_die(g, "-e option, '%s': %s", text + 1, message);
	regex_set_work(n->re, cmd_work, g->c);
	return n;
}

static struct grep_node *read_and(struct grepping *w, int depth)
{
	struct grep_node *n = read_atom(w, depth);

	while (n != NULL && peek(w)[0] == '&') {
		w->at++;
		struct grep_node *b = read_atom(w, depth);

		if (b == NULL)
			git_die(w->g, "--and not followed by pattern expression");
		n = new_node(w, '&', n, b);
	}
	return n;
}

/* --or may be left out. */
static struct grep_node *read_or(struct grepping *w, int depth)
{
	struct grep_node *n = read_and(w, depth);

	while (n != NULL && peek(w)[0] != '\0' && peek(w)[0] != ')') {
		if (peek(w)[0] == '|')
			w->at++;
		struct grep_node *b = read_and(w, depth);

		if (b == NULL)
			git_die(w->g, "not a pattern expression %s", peek(w));
		n = new_node(w, '|', n, b);
	}
	return n;
}

static void read_expression(struct grepping *w)
{
	if (w->o.expression.n > GIT_DEPTH_MAX)
		git_die(w->g, "expression too long");
	w->tree = read_or(w, 0);
	if (w->at < w->o.expression.n)
		git_die(w->g, "incomplete pattern expression: %s", peek(w));
	if (w->tree == NULL)
		git_die(w->g, "no pattern given");
}

static void search_file(struct grepping *w, const char *path, uint32_t mode, const struct oid *o,
			const char *rev)
{
	struct git *g = w->g;
	struct arena_mark mark = arena_mark(g->a);
	struct bytes text;
	const char *shown = w->o.full ? path : path_relative(g, path);
	bool ok;

	if ((mode & S_FMT) != S_REG && (mode & S_FMT) != S_LNK)
		return;
	ok = o != NULL ? object_read(g, g->a, o, &text) == OBJECT_BLOB
		       : (mode & S_FMT) == S_REG && file_read(g, g->a, path, &text) == 0;
	if (ok && w->o.textconv)
		userdiff_textconv(g, g->a, path, mode, o, text, &text);
	if (ok)
		grep_text(w,
			  rev != NULL ? git_format(g->a, "%s:%s", rev, git_quoted(g, shown))
				      : git_quoted(g, shown),
			  text, userdiff_of(g, path));
	arena_release(g->a, mark);
}

/* Whether a path is wanted: not too deep below what was named. */
static bool takes(const struct grepping *w, struct pathspec *ps, const char *path)
{
	if (!pathspec_match(w->g, ps, path, false))
		return false;
	if (!w->o.has_depth || ps->has_wild)
		return true;
	for (size_t i = 0; i < ps->n || i == 0; i++) {
		size_t skip = i < ps->n ? ps->at[i].length : 0;
		size_t slashes = 0;

		if (i < ps->n &&
		    (ps->at[i].exclude || strncmp(path, ps->at[i].match, ps->at[i].length) != 0))
			continue;
		skip += path[skip] == '/';
		for (const char *p = path + skip; *p != '\0'; p++)
			slashes += *p == '/';
		if (slashes <= w->o.depth)
			return true;
	}
	return false;
}

/* --no-index, --untracked: all files that are there, whatever the index says. */
static void search_directory(struct grepping *w, struct pathspec *ps)
{
	struct git *g = w->g;
	struct index none = { .g = g };
	struct names files = { NULL, 0, 0 };
	bool rules = w->o.standard >= 0 ? w->o.standard : w->o.untracked;
	unsigned flags = UNTRACKED_ALL | (rules ? 0u : UNTRACKED_EVERYTHING) |
			 (w->o.no_index ? UNTRACKED_REPOS : 0u);

	work_untracked(g, &none, flags, ps, &files, NULL);
	for (size_t j = 0; j < files.n && !(w->any && w->o.quiet); j++) {
		struct vfs_stat st;

		if (takes(w, ps, files.at[j]) && cmd_lstat(g->c, files.at[j], &st) == 0 &&
		    (st.mode & S_FMT) == S_REG)
			search_file(w, files.at[j], MODE_FILE, NULL, NULL);
	}
}

static void search_index(struct grepping *w, struct pathspec *ps)
{
	struct git *g = w->g;
	struct index *x = index_get(g);

	for (size_t j = 0; j < x->n && !(w->any && w->o.quiet); j++) {
		const struct entry *e = &x->at[j];

		if (!takes(w, ps, e->path) || (!w->o.cached && (e->xflags & ENTRY_SKIP_WORKTREE)) ||
		    (j > 0 && strcmp(x->at[j - 1].path, e->path) == 0))
			continue;
		search_file(w, e->path, e->mode,
			    w->o.cached || (e->flags & ENTRY_VALID) ? &e->oid : NULL, NULL);
	}
}

/* What can't be together; a directory outside of repositories is its own work tree. */
static void choose_place(struct grepping *w)
{
	struct git *g = w->g;

	if (g->dir == NULL && !w->o.no_index && !config_bool(g, "grep.fallbacktonoindex", false))
		repo_need(g);
	if (g->dir == NULL) {
		w->o.no_index = true;
		g->work = g->start;
	}
	if (w->o.no_index && w->o.untracked)
		git_die(g, "options '--no-index' and '--untracked' cannot be used together");
	if (w->o.no_index && w->o.cached)
		git_die(g, "options '--no-index' and '--cached' cannot be used together");
	if (w->o.untracked && w->o.cached)
		git_die(g, "options '--untracked' and '--cached' cannot be used together");
	if (w->o.standard >= 0 && !w->o.no_index && !w->o.untracked)
		git_die(g, "--[no-]exclude-standard cannot be used for tracked contents");
}

/* "(" and ")" are options without dashes. */
static void name_parentheses(struct git *g, struct args *args)
{
	for (int i = 0; i < args->argc && strcmp(args->argv[i], "--") != 0; i++) {
		if (strcmp(args->argv[i], "-e") == 0 || strcmp(args->argv[i], "-f") == 0)
			i++;
		else if (strcmp(args->argv[i], "(") == 0 || strcmp(args->argv[i], ")") == 0)
			args->argv[i] = git_format(g->keep, "--%s", args->argv[i]);
	}
}

unsigned grep_kind_flags(struct git *g, enum grep_kind kind)
{
	static const struct {
		const char *name;
		enum grep_kind kind;
	} words[] = { { "basic", GREP_BASIC },
		      { "extended", GREP_EXTENDED },
		      { "fixed", GREP_FIXED },
		      { "perl", GREP_PERL } };
	const char *v = config_get(g, "grep.patterntype");
	bool known = v == NULL || strcmp(v, "default") == 0;

	for (size_t i = 0; v != NULL && i < sizeof(words) / sizeof(words[0]); i++) {
		if (strcmp(words[i].name, v) != 0)
			continue;
		known = true;
		if (kind == GREP_CONFIGURED)
			kind = words[i].kind;
	}
	if (!known)
		git_die(g, "bad grep.patterntype argument: %s", v);
	if (kind == GREP_CONFIGURED && config_bool(g, "grep.extendedregexp", false))
		kind = GREP_EXTENDED;
	return kind == GREP_PERL       ? REGEX_PERL
	       : kind == GREP_FIXED    ? REGEX_FIXED
	       : kind == GREP_EXTENDED ? REGEX_ERE
				       : REGEX_BRE;
}

/* long: operands of three kinds */
int git_cmd_grep(struct git *g, struct args *args)
{
	struct grepping w = { .g = g, .o = { .color = -1, .standard = -1 } };
	const struct git_parser p = { grep_options, &w.o, grep_usage,
				      GIT_KEEP_DASHDASH | GIT_STOP_AT_OPERAND, NULL };
	struct bytes *patterns;
	const char *message;
	unsigned flags;
	size_t n = 0;
	int i = 0, dash = -1;
	bool no_revs;
	struct pathspec ps;
	struct names revs = { NULL, 0, 0 };
	char dot[] = ".";
	char *here[1] = { dot };

	name_parentheses(g, args);
	w.o.number = config_bool(g, "grep.linenumber", false);
	w.o.column = config_bool(g, "grep.column", false);
	w.o.full = config_bool(g, "grep.fullname", false);
	if (args->argc == 1 && strcmp(args->argv[0], "-h") == 0)
		git_usage(g, grep_usage);
	git_parse(g, args, &p);
	choose_place(&w);
	no_revs = w.o.no_index || w.o.untracked;
	g->color = w.o.color >= 0 ? w.o.color : g->color;
	w.use_color = color_wanted(g, "color.grep");
	w.match_color = color_of(g, "color.grep.match", "\033[1;31m");
	w.o.names = w.o.names && !w.o.without;
	w.o.only = w.o.only && !w.o.invert;
	if (w.o.expression.n == 0) {
		if (args->argc == 0 || strcmp(args->argv[0], "--") == 0)
			git_die(g, "no pattern given");
		add_pattern(g, &w.o, args->argv[i++], false);
	}
	if (w.o.patterns.n == 0)
		names_add(g, &w.o.patterns, ""); /* the expression will complain */
	patterns = arena_array(g->keep, w.o.patterns.n, sizeof(*patterns));
	for (n = 0; n < w.o.patterns.n; n++)
		patterns[n] = bytes_of(w.o.patterns.at[n]);
	flags = grep_kind_flags(g, (enum grep_kind)w.o.kind) | REGEX_NEWLINE |
		(w.o.icase ? REGEX_ICASE : 0u) | (w.o.word ? REGEX_WORD : 0u) | g->utf8;
	if (regex_compile_set(g->keep, patterns, n, flags, &w.re, &message) < 0)
		git_die(g, "-e option, '%s': %s", w.o.patterns.at[0], message);
	regex_set_work(w.re, cmd_work, g->c);
	w.flags = flags;
	if (w.o.is_expression || w.o.all_match)
		read_expression(&w);
	for (int j = i; j < args->argc && dash < 0; j++)
		if (strcmp(args->argv[j], "--") == 0)
			dash = j;
	for (int j = i; no_revs && j < args->argc && dash < 0; j++)
		if (!file_exists(g, path_join(g->a, g->start, args->argv[j])))
			git_die(g,
				"%s: no such path in the working tree.\n"
				"Use 'git <command> -- <path>...' to specify paths that do not "
				"exist locally.",
				args->argv[j]);
	for (; i < args->argc && i != dash && !no_revs; i++) {
		struct oid o;

		if (rev_parse(g, args->argv[i], &o) < 0) {
			if (dash >= 0)
				git_die(g, "unable to resolve revision: %s", args->argv[i]);
			rev_check_path(g, args->argv[i], true);
			break;
		}
		if (dash < 0)
			rev_check_not_path(g, args->argv[i]);
		names_add(g, &revs, args->argv[i]);
	}
	if (i == dash)
		i++;
	if (i >= args->argc && g->prefix[0] != '\0')
		pathspec_of(g, here, 1, &ps);
	else
		pathspec_of(g, args->argv + i, args->argc - i, &ps);
	for (size_t k = 0; k < revs.n; k++) {
		struct leaves l = { NULL, 0, 0 };
		struct oid o, tree;

		rev_parse(g, revs.at[k], &o);
		if (!tree_of(g, &o, &tree))
			git_die(g, "unable to grep from object of type blob");
		tree_flatten(g, g->keep, &tree, &l);
		for (size_t j = 0; j < l.n; j++)
			if (takes(&w, &ps, l.at[j].path))
				search_file(&w, l.at[j].path, l.at[j].mode, &l.at[j].oid,
					    revs.at[k]);
	}
	if (no_revs)
		search_directory(&w, &ps);
	else if (revs.n == 0)
		search_index(&w, &ps);
	return !w.any;
}
