/* SPDX-License-Identifier: MIT
 *
 * find - walk directory trees, test each entry, act on those that pass.
 *
 * parse.c makes a tree of the expression, test.c and action.c hold the predicates, format.c
 * -printf and -ls. Reference: GNU findutils 4.9.
 */
#include "builtins/find/find.h"

void find_error(struct find *f, int err, const char *path)
{
	cmd_error(f->c, err, "%s", cmd_quote(f->c, path));
	f->failed = true;
}

static bool evaluate(struct find *f, const struct expr *x, struct walk_entry *e)
{
	for (;;) {
		cmd_charge(f->c, x->op != EXPR_TEST);
		switch (x->op) {
		case EXPR_TEST: return x->fn(f, x, e);
		case EXPR_NOT: return !evaluate(f, x->left, e);
		case EXPR_AND:
			if (!evaluate(f, x->left, e) || f->quit)
				return false;
			break;
		case EXPR_OR:
			if (evaluate(f, x->left, e) || f->quit)
				return true;
			break;
		case EXPR_COMMA: evaluate(f, x->left, e); break;
		}
		x = x->right;
	}
}

static void visit(struct find *f, struct walk_entry *e)
{
	if (e->kind == WALK_ERROR) {
		find_error(f, e->err, e->path);
		return;
	}
	if (e->kind == WALK_LOOP) {
		cmd_error(f->c, 0,
			  "File system loop detected; %s is part of the same file system "
			  "loop as %s.",
			  cmd_quote(f->c, e->path), cmd_quote(f->c, e->loop));
		f->failed = true;
		return;
	}
	bool followed = (f->walk_flags & WALK_FOLLOW) != 0 ||
			((f->walk_flags & WALK_FOLLOW_ROOT) != 0 && e->level == 0);
	struct vfs_stat st;

	if (followed && (e->st.mode & S_FMT) == S_LNK &&
	    cmd_stat_at(f->c, e->dir, e->at, 0, &st) == -E_LOOP) {
		find_error(f, -E_LOOP, e->path);
		return;
	}
	f->skip = false;
	/* With -depth a directory is looked at behind its contents, unless it is not entered. */
	bool later = e->kind == WALK_DIR && f->post && e->level < f->depth_max;

	if (e->level >= f->depth_min && !later)
		evaluate(f, f->root, e);
	if (e->kind == WALK_DIR && (f->skip || e->level >= f->depth_max))
		walk_skip(f->walk);
}

static void walk_start(struct find *f, const char *start)
{
	struct walk_entry *e;

	f->start = start;
	f->walk = walk_new(f->c, start, f->walk_flags | (f->post ? WALK_POST : 0));
	while (!f->quit && (e = walk_next(f->walk)) != NULL) {
		cmd_charge(f->c, 1);
		visit(f, e);
	}
	walk_free(f->walk);
}

static bool begins_expression(const char *arg)
{
	return (arg[0] == '-' && arg[1] != '\0') || strcmp(arg, "(") == 0 || strcmp(arg, "!") == 0;
}

/* -H -L -P, -D and -O before the starting points; the index behind them. */
static int read_globals(struct find *f)
{
	int i = 1;

	for (; i < f->c->argc; i++) {
		const char *arg = f->c->argv[i];

		if (strcmp(arg, "-H") == 0)
			f->walk_flags = WALK_FOLLOW_ROOT;
		else if (strcmp(arg, "-L") == 0)
			f->walk_flags = WALK_FOLLOW;
		else if (strcmp(arg, "-P") == 0)
			f->walk_flags = 0;
		else if (strncmp(arg, "-O", 2) == 0 && byte_is_digit(arg[2]))
			continue;
		else if (strcmp(arg, "-D") == 0) {
			if (++i == f->c->argc) {
				cmd_error(f->c, 0, "Missing argument after the -D option.");
				cmd_exit(f->c, cmd_usage(f->c, NULL));
			}
		} else if (strcmp(arg, "--") == 0)
			return i + 1;
		else
			break;
	}
	return i;
}

static void set_clock(struct find *f)
{
	struct civil day;
	int64_t seconds;

	f->now_ns = cmd_now(f->c);
	f->zone = zone_of_command(f->c);
	time_civil(f->zone, f->now_ns / 1000000000, &day);
	day.hour = day.minute = day.second = 0;
	day.day++;
	seconds = time_of_civil(f->zone, &day);
	f->day_end_ns = seconds * 1000000000;
}

static bool same_as_stdin(struct cmd *c, const char *path)
{
	struct vfs_stat a, b;

	return cmd_stat(c, path, &a) == 0 && cmd_fstat(c, 0, &b) == 0 && a.ino == b.ino &&
	       a.dev == b.dev;
}

/* -files0-from: starting points that a file lists. */
static void walk_list(struct find *f, const char *operand)
{
	struct cmd *c = f->c;
	struct input in;
	struct bytes name;
	int err;

	if (operand != NULL) {
		cmd_error(c, 0, "extra operand %s", cmd_quote(c, operand));
		cmd_fatal(c, 0, "file operands cannot be combined with -files0-from");
	}
	if (f->asks && strcmp(f->list, "-") == 0)
		cmd_fatal(c, 0,
			  "option -files0-from reading from standard input cannot be combined "
			  "with -ok, -okdir\n");
	err = input_open(&in, c, f->list);
	if (err == 0 && f->asks && same_as_stdin(c, f->list))
		cmd_fatal(c, 0,
			  "option -files0-from: standard input must not refer to the same file "
			  "when combined with -ok, -okdir: %s\n",
			  cmd_quote(c, f->list));
	if (err < 0)
		cmd_fatal(c, err, "cannot open %s for reading", cmd_quote(c, f->list));
	for (size_t n = 1; !f->quit && (err = input_line(&in, '\0', &name)) > 0; n++) {
		if (name.len == 0)
			cmd_error(c, 0, "%s:%zu: invalid zero-length file name",
				  cmd_quote(c, strcmp(f->list, "-") == 0 ? "(standard input)"
									 : f->list),
				  n);
		else
			walk_start(f, arena_dup(c->arena, name));
		f->failed |= name.len == 0;
	}
	if (err < 0)
		f->failed |= cmd_error(c, err, "%s: read error", cmd_quote(c, f->list)) != 0;
	input_close(&in);
}

static int run(void *arg)
{
	struct cmd *c = arg;
	struct find *f = arena_zalloc(c->arena, sizeof *f);
	int first;
	int end;

	f->c = c;
	f->depth_max = INT64_MAX;
	f->regex_flags = REGEX_BRE;
	f->regex_emacs = true;
	set_clock(f);
	first = read_globals(f);
	for (end = first; end < c->argc && !begins_expression(c->argv[end]); end++)
		;
	find_parse(f, end);
	if (f->deletes && f->prune && !f->post)
		f->post = true;
	if (f->list != NULL) {
		walk_list(f, first < end ? c->argv[first] : NULL);
		end = first;
	} else if (first == end) {
		walk_start(f, ".");
	}
	for (int i = first; i < end && !f->quit; i++)
		walk_start(f, c->argv[i]);
	find_finish(f);
	return f->failed ? 1 : 0;
}

/* Each level of nesting has an argument of its own: few of them need no stack of their own. */
static int find_run(struct cmd *c)
{
	return c->argc > 32 ? cmd_deepen(c, FIND_STACK, run, c) : run(c);
}

const struct builtin builtin_find = {
	.name = "find",
	.usage = "[-H] [-L] [-P] [PATH]... [EXPRESSION]",
	.summary =
		"Walks directory trees and evaluates the expression for each entry.\n"
		"Tests: -name -iname -path -ipath -regex -iregex -type -xtype -size -empty -perm\n"
		"  -user -group -uid -gid -nouser -nogroup -newer -anewer -cnewer -newerXY -mtime\n"
		"  -mmin -atime -amin -ctime -cmin -used -links -inum -samefile -lname -ilname\n"
		"  -readable -writable -executable -fstype -true -false\n"
		"Actions: -print -print0 -printf -fprint -fprint0 -fprintf -ls -fls -exec "
		"-execdir\n"
		"  -ok -okdir -delete -prune -quit\n"
		"Options: -maxdepth -mindepth -depth -xdev -follow -daystart -regextype "
		"-files0-from\n"
		"Operators: ( ) ! -not -a -and -o -or ,",
	.run = find_run,
	.flags = BUILTIN_RAW | BUILTIN_RAW_HELP,
	.family = "GNU findutils 4.9.0",
};
