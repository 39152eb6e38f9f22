/* SPDX-License-Identifier: MIT
 *
 * sdiff - two files side by side; with -o, what to keep of each change is asked for.
 *
 * Without -o it becomes diff -y, or another program. The commands of -o come from standard input.
 * Not here: another program with -o.
 */
#include "builtins/diff/diff.h"

enum { WIDTH_DEFAULT = 130, TROUBLE = 2 };

struct sdiff_opts {
	const char *output;
	const char *program;
	struct buf diff; /* arguments for diff, each with a NUL behind */
	int ndiff;
	bool suppress;
	const char *ignore; /* -I */
	struct diff_opts two;
};

/* Keeps an argument for diff. */
static void pass_on(struct cmd *c, const char *arg)
{
	struct sdiff_opts *o = c->opts;

	if (o->diff.arena == NULL)
		o->diff = buf_in(c->arena);
	buf_put(&o->diff, arg, strlen(arg) + 1);
	o->ndiff++;
}

static void set_space(struct diff_opts *two, int space)
{
	if (space <= DIFF_SPACE_TRAILING)
		two->space = two->space <= 3 ? two->space | space : two->space;
	else if (two->space < space)
		two->space = space;
}

static int set_flag(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct sdiff_opts *o = c->opts;
	struct diff_opts *two = &o->two;
	char option[] = { '-', (char)(opt->letter == 'W' ? 'w' : opt->letter), '\0' };

	(void)arg;
	switch (opt->letter) {
	case 'i': two->fold = true; break;
	case 'E': set_space(two, DIFF_SPACE_TABS); break;
	case 'Z': set_space(two, DIFF_SPACE_TRAILING); break;
	case 'b': set_space(two, DIFF_SPACE_CHANGE); break;
	case 'W': set_space(two, DIFF_SPACE_ALL); break;
	case 'B': two->blank_lines = true; break;
	case 'a': two->text = true; break;
	case 't': two->expand = true; break;
	case 'd': two->minimal = true; break;
	default: break;
	}
	pass_on(c, option);
	return 0;
}

/* Options without a letter that diff has, or under another name. */
static int set_long(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct sdiff_opts *o = c->opts;

	(void)arg;
	if (opt->letter == 'l')
		o->two.left_column = true;
	else
		o->two.strip_cr = true;
	pass_on(c, opt->letter == 'l' ? "--left-column" : "--strip-trailing-cr");
	return 0;
}

static int set_value(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct sdiff_opts *o = c->opts;
	uint64_t n = 0;
	bool number = num_parse_u64(arg, "", &n) == 0 && n > 0;

	if (opt->letter == 'I') {
		o->ignore = arg;
		pass_on(c, "-I");
	} else if (opt->letter == 'w') {
		o->two.width = number ? n : WIDTH_DEFAULT;
		pass_on(c, "-W");
	} else {
		o->two.tab_size = number ? n : 8;
		pass_on(c, "--tabsize");
	}
	pass_on(c, arg);
	return 0;
}

#define PASSED(s, l, text) OPT_CALL(s, l, set_flag, text)

static const struct opt sdiff_options[] = {
	OPT_STR('o', "output", struct sdiff_opts, output, NULL, "FILE",
		"ask what to keep, and write that to FILE"),
	PASSED('i', "ignore-case", "ignore case"),
	PASSED('E', "ignore-tab-expansion", "tabs are the blanks they stand for"),
	PASSED('Z', "ignore-trailing-space", "ignore blanks at line ends"),
	PASSED('b', "ignore-space-change", "ignore how much blank space there is"),
	PASSED('W', "ignore-all-space", "ignore all blank space"),
	PASSED('B', "ignore-blank-lines", "ignore empty lines"),
	OPT_CALL_ARG('I', "ignore-matching-lines", set_value, "RE", "ignore lines that match"),
	OPT_CALL(0, "strip-trailing-cr", set_long, "ignore CR at line ends"),
	PASSED('a', "text", "all files are text"),
	OPT_CALL_ARG('w', "width", set_value, "NUM", "columns of output (130)"),
	OPT_CALL('l', "left-column", set_long, "common lines only on the left"),
	OPT_FLAG('s', "suppress-common-lines", struct sdiff_opts, suppress, "no common lines"),
	PASSED('t', "expand-tabs", "tabs become blanks"),
	OPT_CALL_ARG(0, "tabsize", set_value, "NUM", "columns between tab stops (8)"),
	PASSED('d', "minimal", "look harder for few changes"),
	PASSED('H', "speed-large-files", "no effect"),
	OPT_STR(0, "diff-program", struct sdiff_opts, program, "diff", "PROGRAM",
		"what compares the files, if it is not diff"),
	OPT_END(),
};

static int become_diff(struct cmd *c, const struct sdiff_opts *o)
{
	char **argv = arena_array(c->arena, (size_t)o->ndiff + 7, sizeof(*argv));
	const char *at = o->diff.ptr;
	int n = 0;

	argv[n++] = arena_dup(c->arena, bytes_of(o->program));
	for (int i = 0; i < o->ndiff; i++, at += strlen(at) + 1)
		argv[n++] = arena_dup(c->arena, bytes_of(at));
	if (o->suppress)
		argv[n++] = arena_dup(c->arena, BYTES("--suppress-common-lines"));
	argv[n++] = arena_dup(c->arena, BYTES("-y"));
	argv[n++] = arena_dup(c->arena, BYTES("--"));
	argv[n++] = c->args[0];
	argv[n++] = c->args[1];
	return cmd_error(c, cmd_become(c, argv, c->envp), "%s", o->program);
}

/* --- asking --- */

struct merge {
	struct cmd *c;
	struct sdiff_opts *o;
	struct diff d;
	struct diff_side side;
	struct input in;
	struct output out;
};

static void give_help(struct cmd *c)
{
	static const char text[] =
		"ed:\tEdit then use both versions, each decorated with a header.\n"
		"eb:\tEdit then use both versions.\n"
		"el or e1:\tEdit then use the left version.\n"
		"er or e2:\tEdit then use the right version.\n"
		"e:\tDiscard both versions then edit a new one.\n"
		"l or 1:\tUse the left version.\n"
		"r or 2:\tUse the right version.\n"
		"s:\tSilently include common lines.\n"
		"v:\tVerbosely include common lines.\n"
		"q:\tQuit.\n";

	cmd_err_write(c, text, sizeof(text) - 1);
}

static void copy_lines(struct output *out, const struct diff_file *f, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		output_write(out, f->line[i].ptr, f->line[i].len);
		if (!f->unended || i + 1 < f->n)
			output_putc(out, '\n');
	}
}

static void copy_side(struct output *out, const struct merge *m, const struct diff_change *change,
		      int side)
{
	copy_lines(out, &m->d.file[side], change->line[side],
		   change->line[side] + change->count[side]);
}

static void put_header(struct output *out, const struct diff_file *f, const char *sign, size_t from,
		       size_t count)
{
	struct buf text = buf_in(out->c->arena);

	buf_printf(&text, "%s %s %zu", sign, f->name, from + 1);
	if (count > 1)
		buf_printf(&text, ",%zu", from + count);
	buf_putc(&text, '\n');
	output_write(out, text.ptr, text.len);
}

/* Runs the editor on what the command names, and takes what it leaves. */
static void edit(struct merge *m, const struct diff_change *change, char what)
{
	struct cmd *c = m->c;
	const char *editor = cmd_getenv(c, "EDITOR");
	struct buf path = buf_in(c->arena);
	struct output out;
	struct bytes text;
	int status = 0;

	editor = editor != NULL ? editor : "ed";
	buf_printf(&path, "/tmp/sdiff%llx", (unsigned long long)cmd_random(c));
	int err = output_open(&out, c, buf_cstr(&path), O_TRUNC_ | O_EXCL_, false);

	if (err < 0)
		cmd_fatal(c, err, "%s", path.ptr);
	for (int side = 0; side < 2; side++) {
		if (strchr(side == 0 ? "dbl1" : "dbr2", what) == NULL)
			continue;
		if (what == 'd' && change->count[side] > 0)
			put_header(&out, &m->d.file[side], side == 0 ? "---" : "+++",
				   change->line[side], change->count[side]);
		copy_side(&out, m, change, side);
	}
	output_close(&out);
	char *argv[] = { arena_dup(c->arena, bytes_of(editor)), path.ptr, NULL };
	int pid = cmd_spawn(c, &(struct cmd_program){ .argv = argv });

	if (pid < 0)
		cmd_fatal(c, 0, "subsidiary program '%s' not found", editor);
	if (cmd_wait(c, pid, &status, false) < 0 || status != 0)
		cmd_fatal(c, 0, "subsidiary program '%s' failed (exit status %d)", editor,
			  cmd_exit_status(status));
	err = cmd_read_all(c, path.ptr, &text);
	if (err < 0)
		cmd_fatal(c, err, "%s", path.ptr);
	output_write(&m->out, text.ptr, text.len);
	cmd_unlink(c, CMD_CWD, path.ptr, 0);
}

/* Does one command: 1: the change is settled, 0: another one is needed, -1: quit. */
static int obey(struct merge *m, const struct diff_change *change, struct bytes line)
{
	struct bytes s = bytes_trim(line);
	char first = s.len > 0 ? s.ptr[0] : '\n';

	if (first == 'e' && s.len <= 2 && (s.len == 1 || strchr("12bdlr", s.ptr[1]) != NULL)) {
		edit(m, change, s.len == 1 ? 'n' : s.ptr[1]);
		return 1;
	}
	if (s.len == 1 && strchr("l1r2", first) != NULL) {
		copy_side(&m->out, m, change, first == 'r' || first == '2');
		return 1;
	}
	if (s.len == 1 && (first == 's' || first == 'v')) {
		m->o->two.suppress_common = first == 's';
		return 0;
	}
	if (s.len == 1 && first == 'q')
		return -1;
	give_help(m->c);
	return 0;
}

static bool settle(struct merge *m, const struct diff_change *change)
{
	struct bytes line;

	for (;;) {
		cmd_putc(m->c, '%');
		cmd_flush(m->c);
		if (input_line(&m->in, '\n', &line) <= 0)
			return false;
		int done = obey(m, change, line);

		if (done != 0)
			return done > 0;
		cmd_charge(m->c, 1);
	}
}

static bool ask_for_all(struct merge *m)
{
	struct diff *d = &m->d;
	size_t at = 0; /* lines of the left file that are settled */

	diff_side_begin(&m->side, d);
	for (size_t i = 0; i < d->nchanges; i++) {
		const struct diff_change *change = &d->change[i];

		if (change->ignored)
			continue;
		copy_lines(&m->out, &d->file[0], at, change->line[0]);
		diff_side_change(&m->side, change);
		if (!settle(m, change))
			return false;
		at = change->line[0] + change->count[0];
	}
	copy_lines(&m->out, &d->file[0], at, d->file[0].n);
	diff_side_common(&m->side, d->file[0].n, d->file[1].n);
	return true;
}

/* --- operands --- */

static bool is_dir(struct cmd *c, const char *path)
{
	struct vfs_stat st;

	return cmd_stat(c, path, &st) == 0 && (st.mode & S_FMT) == S_DIR;
}

/* A file of the other's name, where a directory is given. */
static const char *file_of(struct cmd *c, const char *path, const char *other, bool dir)
{
	struct buf out = buf_in(c->arena);
	const char *slash = strrchr(other, '/');

	if (!dir)
		return path;
	buf_puts(&out, path);
	if (path[0] != '\0' && path[strlen(path) - 1] != '/')
		buf_putc(&out, '/');
	buf_puts(&out, slash != NULL ? slash + 1 : other);
	return buf_cstr(&out);
}

static void compile_ignored(struct cmd *c, struct sdiff_opts *o)
{
	const char *message;
	size_t offset;

	if (o->ignore == NULL)
		return;
	if (regex_compile(c->arena, bytes_of(o->ignore), REGEX_BRE | REGEX_NOSUB,
			  &o->two.ignore_lines, &message, &offset) < 0)
		cmd_fatal(c, 0, "%s: %s", o->ignore, message);
	regex_set_work(o->two.ignore_lines, cmd_work, c);
}

static int merge_files(struct cmd *c, struct sdiff_opts *o)
{
	struct merge *m = arena_zalloc(c->arena, sizeof(*m));
	bool dir[2] = { is_dir(c, c->args[0]), is_dir(c, c->args[1]) };

	if (strcmp(c->args[0], "-") == 0 || strcmp(c->args[1], "-") == 0)
		cmd_fatal(c, 0, "cannot interactively merge standard input");
	if (dir[0] && dir[1])
		cmd_fatal(c, 0, "both files to be compared are directories");
	m->c = c;
	m->o = o;
	m->d.c = c;
	m->d.o = &o->two;
	o->two.suppress_common = o->suppress;
	compile_ignored(c, o);
	for (int i = 0; i < 2; i++) {
		struct diff_file *f = &m->d.file[i];

		f->name = file_of(c, c->args[i], c->args[1 - i], dir[i]);
		int err = cmd_read_all(c, f->name, &f->all);

		if (err < 0)
			cmd_fatal(c, err, "%s", f->name);
	}
	int err = output_open(&m->out, c, o->output, O_TRUNC_, false);

	if (err < 0)
		cmd_fatal(c, err, "%s", o->output);
	if (!o->two.text &&
	    (diff_looks_binary(m->d.file[0].all) || diff_looks_binary(m->d.file[1].all)) &&
	    !bytes_eq(m->d.file[0].all, m->d.file[1].all)) {
		cmd_printf(c, "Binary files %s and %s differ\n", m->d.file[0].name,
			   m->d.file[1].name);
		output_close(&m->out);
		return TROUBLE;
	}
	diff_find_changes(&m->d);
	input_init(&m->in, c, 0, "-");
	bool all = ask_for_all(m);

	output_close(&m->out);
	return !all ? TROUBLE : diff_matters(&m->d);
}

static int sdiff_run(struct cmd *c)
{
	struct sdiff_opts *o = c->opts;

	if (c->nargs != 2) {
		if (c->nargs < 2)
			cmd_error(c, 0, "missing operand after '%s'", c->argv[c->argc - 1]);
		else
			cmd_error(c, 0, "extra operand '%s'", c->args[2]);
		return cmd_error(c, 0, "Try '%s --help' for more information.", c->name);
	}
	if (o->output == NULL)
		return become_diff(c, o);
	if (strcmp(o->program, "diff") != 0)
		return cmd_error(c, 0, "option '--diff-program' with -o is not supported");
	return merge_files(c, o);
}

static void sdiff_defaults(struct cmd *c)
{
	struct sdiff_opts *o = c->opts;

	o->two.style = DIFF_SIDE;
	o->two.tab_size = 8;
	o->two.width = WIDTH_DEFAULT;
}

const struct builtin builtin_sdiff = {
	.name = "sdiff",
	.usage = "[OPTION]... FILE1 FILE2",
	.summary =
		"Shows two files side by side, and merges them (-o) as commands on standard\n"
		"input say: l or r (left, right), e, el, er, eb, ed (edit), s, v (common lines),\n"
		"q. The status is 0 if they are the same, 1 if not, 2 in trouble.",
	.run = sdiff_run,
	.opts = sdiff_options,
	.opts_size = sizeof(struct sdiff_opts),
	.usage_status = TROUBLE,
	.error_status = TROUBLE,
	.hint = "%s: Try '%s --help' for more information.\n",
	.family = "GNU diffutils 3.8",
	.defaults = sdiff_defaults,
};
