/* SPDX-License-Identifier: MIT
 *
 * find's expressions: operators by precedence, options that hold for the whole walk.
 */
#include "builtins/find/find.h"

struct parse {
	struct find *f;
	char **argv;
	int at;
	int end;
	int depth;
	const char *predicate; /* the last one that took an argument */
};

static struct expr *new_expr(struct parse *p, enum expr_op op)
{
	struct expr *x = arena_zalloc(p->f->c->arena, sizeof *x);

	x->op = op;
	return x;
}

static const char *peek(const struct parse *p)
{
	return p->at < p->end ? p->argv[p->at] : NULL;
}

static bool is_one_of(const char *arg, const char *a, const char *b)
{
	return arg != NULL && (strcmp(arg, a) == 0 || strcmp(arg, b) == 0);
}

static bool always(struct find *f, const struct expr *x, struct walk_entry *e)
{
	(void)f, (void)x, (void)e;
	return true;
}

static const char *argument(struct parse *p, const char *name)
{
	if (p->at >= p->end)
		cmd_fatal(p->f->c, 0, "missing argument to `%s'", name);
	return p->argv[p->at++];
}

/* --- options --- */

static int64_t read_depth(struct parse *p, const char *name)
{
	const char *arg = argument(p, name);
	uint64_t v;

	if (!num_plain(arg, &v) || v > INT64_MAX)
		cmd_fatal(p->f->c, 0,
			  "Expected a positive decimal integer argument to %s, but got %s", name,
			  cmd_quote(p->f->c, arg));
	return (int64_t)v;
}

static void read_regextype(struct parse *p)
{
	static const char names[] = "‘findutils-default’, ‘ed’, ‘emacs’, ‘gnu-awk’, ‘grep’, "
				    "‘posix-awk’, ‘awk’, ‘posix-basic’, ‘posix-egrep’, ‘egrep’, "
				    "‘posix-extended’, ‘posix-minimal-basic’, ‘sed’";
	static const struct {
		const char *name;
		unsigned flags;
	} types[] = {
		/* the first two have Emacs' syntax */
		{ "findutils-default", REGEX_BRE },
		{ "emacs", REGEX_BRE },
		{ "ed", REGEX_BRE },
		{ "grep", REGEX_BRE },
		{ "posix-basic", REGEX_BRE },
		{ "sed", REGEX_BRE },
		{ "posix-minimal-basic", REGEX_BRE },
		{ "egrep", REGEX_ERE },
		{ "posix-egrep", REGEX_ERE },
		{ "posix-extended", REGEX_ERE },
		{ "awk", REGEX_ERE | REGEX_AWK },
		{ "posix-awk", REGEX_ERE | REGEX_AWK },
		{ "gnu-awk", REGEX_ERE | REGEX_AWK },
	};
	const char *arg = argument(p, "-regextype");

	for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
		if (strcmp(types[i].name, arg) == 0) {
			p->f->regex_flags = types[i].flags;
			p->f->regex_emacs = i < 2;
			return;
		}
	}
	cmd_fatal(p->f->c, 0, "Unknown regular expression type %s; valid types are %s.",
		  cmd_quote(p->f->c, arg), names);
}

/* Options are true wherever they stand, and hold for the whole walk. */
static bool read_option(struct parse *p, const char *arg)
{
	struct find *f = p->f;

	if (strcmp(arg, "-maxdepth") == 0)
		f->depth_max = read_depth(p, arg);
	else if (strcmp(arg, "-mindepth") == 0)
		f->depth_min = read_depth(p, arg);
	else if (is_one_of(arg, "-depth", "-d"))
		f->post = true;
	else if (is_one_of(arg, "-xdev", "-mount"))
		f->walk_flags |= WALK_ONE_DEVICE;
	else if (strcmp(arg, "-follow") == 0)
		f->walk_flags |= WALK_FOLLOW;
	else if (strcmp(arg, "-daystart") == 0)
		f->daystart = true;
	else if (strcmp(arg, "-files0-from") == 0)
		p->f->list = argument(p, arg);
	else if (strcmp(arg, "-regextype") == 0)
		read_regextype(p);
	else
		return is_one_of(arg, "-noleaf", "-warn") ||
		       is_one_of(arg, "-nowarn", "-noignore_readdir_race") ||
		       strcmp(arg, "-ignore_readdir_race") == 0;
	return true;
}

/* --- predicates --- */

static bool is_newer_xy(const char *arg)
{
	return strncmp(arg, "-newer", 6) == 0 && strlen(arg) == 8;
}

static struct expr *read_predicate(struct parse *p, const char *arg)
{
	struct expr *x = new_expr(p, EXPR_TEST);
	const struct predicate *test = find_test(is_newer_xy(arg) ? "-newerXY" : arg);

	x->name = arg;
	if (test == NULL)
		test = find_action(arg);
	if (test == NULL && read_option(p, arg)) {
		x->fn = always;
		return x;
	}
	if (test == NULL)
		cmd_fatal(p->f->c, 0, "unknown predicate `%s'", arg);
	x->fn = test->fn;
	p->f->has_action |= test->action;
	if (test->args != 0)
		p->predicate = arg;
	if (test->args == 1) {
		int at = p->at;

		argument(p, arg);
		test->prepare(p->f, x, p->argv, &at);
	} else if (test->prepare != NULL) {
		test->prepare(p->f, x, p->argv, &p->at);
	}
	return x;
}

static struct expr *read_comma(struct parse *p);

static struct expr *read_group(struct parse *p)
{
	struct expr *x;

	if (is_one_of(peek(p), ")", "-)"))
		cmd_fatal(p->f->c, 0, "invalid expression; empty parentheses are not allowed.");
	if (peek(p) == NULL)
		cmd_fatal(p->f->c, 0,
			  "invalid expression; expected to find a ')' but didn't see one. "
			  "Perhaps you need an extra predicate after '('");
	x = read_comma(p);
	if (!is_one_of(peek(p), ")", "-)"))
		cmd_fatal(p->f->c, 0,
			  "invalid expression; I was expecting to find a ')' somewhere "
			  "but did not see one.");
	p->at++;
	return x;
}

/* A pattern that the shell expanded is the usual cause: then such a file exists. */
_Noreturn static void paths_first(struct parse *p, const char *arg)
{
	struct vfs_stat st;

	cmd_error(p->f->c, 0, "paths must precede expression: `%s'", arg);
	if (p->predicate != NULL && cmd_lstat(p->f->c, arg, &st) == 0)
		cmd_error(p->f->c, 0, "possible unquoted pattern after predicate `%s'?",
			  p->predicate);
	cmd_exit(p->f->c, 1);
}

static struct expr *read_factor(struct parse *p, const char *after)
{
	const char *arg = peek(p);
	struct expr *x;

	if (++p->depth > FIND_DEPTH_MAX)
		cmd_fatal(p->f->c, 0, "expression nested too deeply");
	if (arg == NULL)
		cmd_fatal(p->f->c, 0, "expected an expression after '%s'", after);
	p->at++;
	if (is_one_of(arg, "!", "-not") || strcmp(arg, "-!") == 0) {
		x = new_expr(p, EXPR_NOT);
		x->left = read_factor(p, arg);
	} else if (is_one_of(arg, "(", "-(")) {
		x = read_group(p);
	} else if (is_one_of(arg, "-o", "-or") || is_one_of(arg, "-a", "-and") ||
		   is_one_of(arg, ",", "-,")) {
		cmd_fatal(p->f->c, 0,
			  "invalid expression; you have used a binary operator '%s' with "
			  "nothing before it.",
			  arg);
	} else if (is_one_of(arg, ")", "-)")) {
		cmd_fatal(p->f->c, 0, "expected an expression between '%s' and ')'", after);
	} else if (arg[0] != '-') {
		paths_first(p, arg);
	} else {
		x = read_predicate(p, arg);
	}
	p->depth--;
	return x;
}

static struct expr *binary(struct parse *p, enum expr_op op, struct expr *left, struct expr *right)
{
	struct expr *x = new_expr(p, op);

	x->left = left;
	x->right = right;
	return x;
}

static bool ends_and(const char *arg)
{
	return arg == NULL || is_one_of(arg, "-o", "-or") || is_one_of(arg, ",", ")") ||
	       is_one_of(arg, "-,", "-)");
}

/* Built right-leaning, so that a long chain is evaluated in a loop. */
static struct expr *read_and(struct parse *p, const char *after)
{
	struct expr *first = read_factor(p, after);
	struct expr **tail = &first;

	while (!ends_and(peek(p))) {
		const char *op = peek(p);

		if (is_one_of(op, "-a", "-and"))
			p->at++;
		*tail = binary(p, EXPR_AND, *tail, read_factor(p, op));
		tail = &(*tail)->right;
	}
	return first;
}

static struct expr *read_or(struct parse *p, const char *after)
{
	struct expr *first = read_and(p, after);
	struct expr **tail = &first;

	while (is_one_of(peek(p), "-o", "-or")) {
		const char *op = p->argv[p->at++];

		*tail = binary(p, EXPR_OR, *tail, read_and(p, op));
		tail = &(*tail)->right;
	}
	return first;
}

static struct expr *read_comma(struct parse *p)
{
	struct expr *first = read_or(p, "(");
	struct expr **tail = &first;

	while (is_one_of(peek(p), ",", "-,")) {
		p->at++;
		*tail = binary(p, EXPR_COMMA, *tail, read_or(p, ","));
		tail = &(*tail)->right;
	}
	return first;
}

void find_parse(struct find *f, int at)
{
	struct parse p = { .f = f, .argv = f->c->argv, .at = at, .end = f->c->argc };
	struct expr *print = new_expr(&p, EXPR_TEST);

	if (at < f->c->argc) {
		f->root = read_comma(&p);
		if (peek(&p) != NULL)
			cmd_fatal(f->c, 0, "you have too many ')'");
	}
	if (f->deletes && f->prune && !f->post)
		cmd_fatal(f->c, 0,
			  "The -delete action automatically turns on -depth, but -prune does "
			  "nothing when -depth is in effect.  If you want to carry on "
			  "anyway, just explicitly use the -depth option.");
	if (f->deletes)
		f->post = true;
	if (f->has_action)
		return;
	print->fn = find_action("-print")->fn;
	f->root = f->root == NULL ? print : binary(&p, EXPR_AND, f->root, print);
}
