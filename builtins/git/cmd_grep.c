/* SPDX-License-Identifier: MIT
 *
 * git grep. Patterns that are joined by --and, --or, --not and parentheses become a tree that is
 * asked about each line; without those one set of patterns finds them all at once.
 */
#include "builtins/git/walk.h"

struct grep_opts {
	bool cached, no_index, invert, icase, word, extended, fixed, perl, basic, number, no_name,
		names, without, count, only, quiet, null_names, full, break_, heading, untracked,
		text, no_binary, all_match, function, column;
	int before, after, context, max_depth, max_count;
	struct names patterns;
	struct names expression; /* "p" and a pattern, or & | ! ( ) */
	bool is_expression;
};

static int add_pattern(struct git *g, void *opts, const char *arg, bool unset)
{
	struct grep_opts *o = opts;

	(void)unset;
	names_add(g, &o->patterns, arg);
	names_add(g, &o->expression, git_format(g->keep, "p%s", arg));
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

static const struct git_option grep_options[] = {
	GIT_FLAG(0, "cached", struct grep_opts, cached),
	GIT_MISSING(0, "no-index"),
	GIT_FLAG(0, "untracked", struct grep_opts, untracked),
	GIT_FLAG('v', "invert-match", struct grep_opts, invert),
	GIT_FLAG('i', "ignore-case", struct grep_opts, icase),
	GIT_FLAG('w', "word-regexp", struct grep_opts, word),
	GIT_FLAG('a', "text", struct grep_opts, text),
	GIT_FLAG('I', NULL, struct grep_opts, no_binary),
	GIT_FLAG('E', "extended-regexp", struct grep_opts, extended),
	GIT_FLAG('G', "basic-regexp", struct grep_opts, basic),
	GIT_FLAG('F', "fixed-strings", struct grep_opts, fixed),
	GIT_FLAG('P', "perl-regexp", struct grep_opts, perl),
	GIT_FLAG('n', "line-number", struct grep_opts, number),
	GIT_MISSING(0, "column"),
	GIT_FLAG('h', NULL, struct grep_opts, no_name),
	GIT_FLAG('r', "recursive", struct grep_opts, full),
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
	GIT_INT('C', "context", struct grep_opts, context),
	GIT_CALL_ARG('e', NULL, add_pattern),
	GIT_CALL(0, "and", add_and),
	GIT_CALL(0, "or", add_or),
	GIT_CALL(0, "not", add_not),
	GIT_CALL(0, "(", add_open),
	GIT_CALL(0, ")", add_close),
	GIT_INT('m', "max-count", struct grep_opts, max_count),
	GIT_MISSING(0, "all-match"),
	GIT_MISSING(0, "color"),
	GIT_FLAG(0, "no-color", struct grep_opts, basic),
	GIT_MISSING('p', "show-function"),
	GIT_MISSING('W', "function-context"),
	GIT_END(),
};
static const char *const grep_usage[] = {
	"git grep [<options>] [-e] <pattern> [<rev>...] [[--] <path>...]", NULL
};

/* A part of an expression. */
struct node {
	char kind; /* p & | ! */
	struct regex *re;
	struct node *a, *b;
};
struct grepping {
	struct git *g;
	struct grep_opts o;
	struct regex *re;
	struct node *tree; /* of an expression; NULL: the patterns alone */
	unsigned flags;
	size_t at; /* of the expression, while it is read */
	bool any;
	bool printed;
};

/* --- expressions --- */

static struct node *read_or(struct grepping *w, int depth);

static const char *peek(const struct grepping *w)
{
	return w->at < w->o.expression.n ? w->o.expression.at[w->at] : "";
}

static struct node *new_node(struct grepping *w, char kind, struct node *a, struct node *b)
{
	struct node *n = arena_zalloc(w->g->keep, sizeof(*n));

	n->kind = kind;
	n->a = a;
	n->b = b;
	return n;
}

static struct node *read_atom(struct grepping *w, int depth)
{
	struct git *g = w->g;
	const char *text = peek(w);
	const char *message;
	struct node *n;

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

static struct node *read_and(struct grepping *w, int depth)
{
	struct node *n = read_atom(w, depth);

	while (n != NULL && peek(w)[0] == '&') {
		w->at++;
		struct node *b = read_atom(w, depth);

		if (b == NULL)
			git_die(w->g, "--and not followed by pattern expression");
		n = new_node(w, '&', n, b);
	}
	return n;
}

/* --or may be left out. */
static struct node *read_or(struct grepping *w, int depth)
{
	struct node *n = read_and(w, depth);

	while (n != NULL && peek(w)[0] != '\0' && peek(w)[0] != ')') {
		if (peek(w)[0] == '|')
			w->at++;
		struct node *b = read_and(w, depth);

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

static bool holds(const struct node *n, struct bytes line)
{
	/* Long lists go on in `a`, so it is a loop there; `b` is as deep as the parentheses. */
	for (;; n = n->a) {
		switch (n->kind) {
		case '!': return !holds(n->a, line);
		case '&':
			if (!holds(n->b, line))
				return false;
			break;
		case '|':
			if (holds(n->b, line))
				return true;
			break;
		default: return regex_test(n->re, line, 0) == 0;
		}
	}
}

static bool matches(const struct grepping *w, struct bytes line)
{
	bool hit = w->tree != NULL ? holds(w->tree, line) : regex_test(w->re, line, 0) == 0;

	return hit != w->o.invert;
}

/* --- lines --- */

static void put_prefix(struct grepping *w, const char *name, size_t line, char sep)
{
	struct git *g = w->g;

	if (!w->o.no_name && !w->o.heading) {
		cmd_puts(g->c, name);
		cmd_putc(g->c, w->o.null_names ? '\0' : sep);
	}
	if (w->o.number)
		git_printf(g, "%zu%c", line, sep);
}

static void put_matches(struct grepping *w, const char *name, size_t number, struct bytes line)
{
	struct regex_span m;
	size_t at = 0;

	while (at <= line.len && regex_search(w->re, line, at, 0, &m, 1) == 0) {
		if (m.to > m.from) {
			put_prefix(w, name, number, ':');
			cmd_write(w->g->c, line.ptr + m.from, m.to - m.from);
			cmd_putc(w->g->c, '\n');
		}
		at = m.to > m.from ? m.to : m.to + 1;
	}
}

static void put_line(struct grepping *w, const char *name, size_t number, struct bytes line,
		     char sep)
{
	put_prefix(w, name, number, sep);
	cmd_bytes(w->g->c, line);
	cmd_putc(w->g->c, '\n');
}

static void put_name_line(struct grepping *w, const char *name)
{
	cmd_puts(w->g->c, name);
	cmd_putc(w->g->c, w->o.null_names ? '\0' : '\n');
}

/* long: a line and what is around it */
static void search_text(struct grepping *w, const char *name, struct bytes text, const char *attr)
{
	struct git *g = w->g;
	struct bytes *line;
	size_t n, count = 0, shown_to = 0, tail = 0;
	bool binary = attr == NULL || (attr[0] != '\0' && strcmp(attr, ATTR_FALSE) != 0)
			      ? lines_binary(text)
			      : strcmp(attr, ATTR_FALSE) == 0;

	binary = binary && !w->o.text;
	if (binary && w->o.no_binary)
		return;
	n = lines_split(g->a, text, &line);
	for (size_t i = 0; i < n; i++) {
		struct bytes l = line[i];
		bool hit;

		if (l.len != 0 && l.ptr[l.len - 1] == '\n')
			l.len--;
		hit = !(w->o.max_count > 0 && count >= (size_t)w->o.max_count) && matches(w, l);
		if (!hit && tail > 0 && count > 0) {
			put_line(w, name, i + 1, l, '-');
			shown_to = i + 1;
			tail--;
		}
		if (!hit)
			continue;
		count++;
		w->any = true;
		if (w->o.quiet)
			return;
		if (w->o.names || w->o.without)
			break;
		if (w->o.count)
			continue;
		if (binary) {
			git_printf(g, "Binary file %s matches\n", name);
			return;
		}
		if (count == 1 && w->o.break_ && w->printed)
			cmd_putc(g->c, '\n');
		if (count == 1 && w->o.heading && !w->o.no_name)
			git_printf(g, "%s\n", name);
		size_t from = i > (size_t)w->o.before ? i - (size_t)w->o.before : 0;

		if (from < shown_to)
			from = shown_to;
		if ((w->o.before > 0 || w->o.after > 0) && w->printed &&
		    (count == 1 || from > shown_to) && !(count == 1 && w->o.break_))
			cmd_puts(g->c, "--\n");
		for (; from < i; from++) {
			struct bytes b = line[from];

			if (b.len != 0 && b.ptr[b.len - 1] == '\n')
				b.len--;
			put_line(w, name, from + 1, b, '-');
		}
		if (w->o.only)
			put_matches(w, name, i + 1, l);
		else
			put_line(w, name, i + 1, l, ':');
		w->printed = true;
		shown_to = i + 1;
		tail = (size_t)w->o.after;
	}
	cmd_charge(g->c, n / 4 + 1);
	if ((w->o.names && count != 0) || (w->o.without && count == 0))
		put_name_line(w, name);
	else if (w->o.count && count != 0 && !w->o.names && !w->o.without) {
		if (!w->o.no_name)
			git_printf(g, "%s%c", name, w->o.null_names ? '\0' : ':');
		git_printf(g, "%zu\n", count);
	}
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
	if (ok)
		search_text(w,
			    rev != NULL ? git_format(g->a, "%s:%s", rev, git_quoted(g, shown))
					: git_quoted(g, shown),
			    text, attr_get(g, path, "diff"));
	arena_release(g->a, mark);
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

/* long: operands of three kinds */
int git_cmd_grep(struct git *g, struct args *args)
{
	struct grepping w = { .g = g };
	const struct git_parser p = { grep_options, &w.o, grep_usage, GIT_KEEP_DASHDASH, NULL };
	struct bytes patterns[64];
	const char *message;
	unsigned flags;
	size_t n = 0;
	int i = 0, dash = -1;
	struct pathspec ps;
	struct names revs = { NULL, 0, 0 };
	char dot[] = ".";
	char *here[1] = { dot };

	name_parentheses(g, args);
	git_parse(g, args, &p);
	if (w.o.context > 0) {
		w.o.before = w.o.before > 0 ? w.o.before : w.o.context;
		w.o.after = w.o.after > 0 ? w.o.after : w.o.context;
	}
	if (w.o.expression.n == 0) {
		if (args->argc == 0 || strcmp(args->argv[0], "--") == 0)
			git_die(g, "no pattern given");
		names_add(g, &w.o.patterns, args->argv[i++]);
	}
	if (w.o.patterns.n == 0)
		names_add(g, &w.o.patterns, ""); /* the expression will complain */
	for (n = 0; n < w.o.patterns.n && n < 64; n++)
		patterns[n] = bytes_of(w.o.patterns.at[n]);
	flags = (w.o.perl       ? REGEX_PERL
		 : w.o.fixed    ? REGEX_FIXED
		 : w.o.extended ? REGEX_ERE
				: REGEX_BRE) |
		REGEX_NEWLINE | (w.o.icase ? REGEX_ICASE : 0u) | (w.o.word ? REGEX_WORD : 0u) |
		(g->c->utf8 ? REGEX_UTF8 : 0u);
	if (regex_compile_set(g->keep, patterns, n, flags, &w.re, &message) < 0)
		git_die(g, "-e option, '%s': %s", w.o.patterns.at[0], message);
	regex_set_work(w.re, cmd_work, g->c);
	w.flags = flags;
	if (w.o.is_expression)
		read_expression(&w);
	for (int j = i; j < args->argc && dash < 0; j++)
		if (strcmp(args->argv[j], "--") == 0)
			dash = j;
	for (; i < args->argc && i != dash; i++) {
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
			if (pathspec_match(g, &ps, l.at[j].path, false))
				search_file(&w, l.at[j].path, l.at[j].mode, &l.at[j].oid,
					    revs.at[k]);
	}
	if (revs.n == 0) {
		struct index *x = index_get(g);
		struct names more = { NULL, 0, 0 };

		for (size_t j = 0; j < x->n; j++) {
			const struct entry *e = &x->at[j];

			if (!pathspec_match(g, &ps, e->path, false) ||
			    (!w.o.cached && (e->xflags & ENTRY_SKIP_WORKTREE)) ||
			    (j > 0 && strcmp(x->at[j - 1].path, e->path) == 0))
				continue;
			search_file(&w, e->path, e->mode,
				    w.o.cached || (e->flags & ENTRY_VALID) ? &e->oid : NULL, NULL);
			if (w.any && w.o.quiet)
				return 0;
		}
		if (w.o.untracked) {
			work_untracked(g, x, UNTRACKED_ALL, &ps, &more, NULL);
			for (size_t j = 0; j < more.n; j++)
				search_file(&w, more.at[j], MODE_FILE, NULL, NULL);
		}
	}
	return !w.any;
}
