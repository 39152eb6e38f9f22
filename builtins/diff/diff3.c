/* SPDX-License-Identifier: MIT
 *
 * diff3 - what two files made of a third.
 *
 * Two of the files are compared with the one they have in common: the old one where something
 * is merged, else the last. Changes that touch in the common file become one block, which says
 * for each file what lines it has there.
 */
#include "builtins/diff/diff.h"

enum { MINE, OLD, YOURS, FILES };

enum { HORIZON = 100 };

struct diff3_opts {
	uint64_t modes; /* a bit for each of -A -e -E -3 -x -X; at most one may be given */
	bool show_old;
	bool flagging; /* conflicts are shown in brackets */
	bool easy_only;
	bool overlap_only;
	bool write_quit;
	bool merge;
	bool text;
	bool strip_cr;
	bool initial_tab;
	const char *program;
	int nlabels;
	const char *label[FILES];
};

/* Lines [from, to) of each file. odd: the file that is unlike the other two, or FILES. */
struct block {
	size_t from[FILES];
	size_t to[FILES];
	int odd;
};

struct diff3 {
	struct cmd *c;
	const struct diff3_opts *o;
	const char *name[FILES]; /* or labels */
	struct bytes text[FILES];
	const struct diff_file *file[FILES];
	struct block *block;
	size_t nblocks;
	bool conflicts;
};

enum mode { MODE_ALL, MODE_ED, MODE_OVERLAP, MODE_EASY, MODE_ONLY_OVERLAP };

static int set_mode(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct diff3_opts *o = c->opts;

	(void)arg;
	o->modes |= UINT64_C(1) << (opt->letter & 63);
	o->show_old |= opt->value == MODE_ALL;
	o->flagging |= opt->value == MODE_ALL || opt->value == MODE_OVERLAP;
	o->easy_only |= opt->value == MODE_EASY;
	o->overlap_only |= opt->value == MODE_ONLY_OVERLAP;
	return 0;
}

#define MODE(s, l, mode, text)                                                                     \
	{                                                                                          \
		.letter = (s), .name = (l), .kind = OPT_KIND_CALL, .fn = set_mode,                 \
		.value = (mode), .help = (text)                                                    \
	}

static int try_help(struct cmd *c)
{
	return cmd_error(c, 0, "Try '%s --help' for more information.", c->name);
}

static int add_label(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct diff3_opts *o = c->opts;

	(void)opt;
	if (o->nlabels == FILES) {
		cmd_error(c, 0, "too many file label options");
		return try_help(c);
	}
	o->label[o->nlabels++] = arg;
	return 0;
}

static const struct opt diff3_options[] = {
	MODE('A', "show-all", MODE_ALL, "all changes, conflicts in brackets"),
	MODE('e', "ed", MODE_ED, "ed script of changes from OLDFILE to YOURFILE"),
	MODE('E', "show-overlap", MODE_OVERLAP, "as -e, conflicts in brackets"),
	MODE('3', "easy-only", MODE_EASY, "as -e, only changes that do not overlap"),
	MODE('x', "overlap-only", MODE_ONLY_OVERLAP, "as -e, only changes that overlap"),
	MODE('X', NULL, MODE_ONLY_OVERLAP, "the same"),
	OPT_FLAG('i', NULL, struct diff3_opts, write_quit, "append 'w' and 'q' to ed scripts"),
	OPT_FLAG('m', "merge", struct diff3_opts, merge,
		 "the merged file (as -A says, unless "
		 "another is given)"),
	OPT_FLAG('a', "text", struct diff3_opts, text, "all files are text"),
	OPT_FLAG(0, "strip-trailing-cr", struct diff3_opts, strip_cr, "ignore CR at line ends"),
	OPT_FLAG('T', "initial-tab", struct diff3_opts, initial_tab, "a tab in front of lines"),
	OPT_STR(0, "diff-program", struct diff3_opts, program, NULL, "PROGRAM",
		"must be diff, which is built in"),
	OPT_CALL_ARG('L', "label", add_label, "LABEL",
		     "instead of a file's name; up to three times"),
	OPT_END(),
};

/* --- blocks --- */

static bool ends_in_newline(const struct diff_file *f, size_t n)
{
	return !f->unended || n + 1 < f->n;
}

static bool same_lines(struct diff3 *d, const struct block *b, int x, int y)
{
	const struct diff_file *f = d->file[x];
	const struct diff_file *g = d->file[y];

	if (b->to[x] - b->from[x] != b->to[y] - b->from[y])
		return false;
	for (size_t i = b->from[x], k = b->from[y]; i < b->to[x]; i++, k++) {
		cmd_charge_bytes(d->c, f->line[i].len);
		if (!bytes_eq(f->line[i], g->line[k]) ||
		    ends_in_newline(f, i) != ends_in_newline(g, k))
			return false;
	}
	return true;
}

/* The changes of one file against the common one, as they are taken into blocks. */
struct thread {
	const struct diff_change *change;
	size_t n;
	size_t next;
	size_t first; /* of this block */
	int file;
};

static size_t common_from(const struct thread *t)
{
	return t->change[t->next].line[1];
}

static size_t change_end(const struct diff_change *change, int side)
{
	return change->line[side] + change->count[side];
}

/* Takes all changes that touch each other, from the one that comes first in the common file. */
static void take_touching(struct thread t[2], size_t *from, size_t *to)
{
	int at = t[0].next == t[0].n ||
		 (t[1].next < t[1].n && common_from(&t[0]) > common_from(&t[1]));

	t[0].first = t[0].next;
	t[1].first = t[1].next;
	*from = common_from(&t[at]);
	*to = change_end(&t[at].change[t[at].next++], 1);
	for (;;) {
		struct thread *other = &t[1 - at];

		if (other->next == other->n || common_from(other) > *to)
			return;
		size_t end = change_end(&other->change[other->next++], 1);

		if (end > *to) {
			*to = end;
			at = 1 - at;
		}
	}
}

/* What a file has where the common one has [from, to). */
static void place(const struct thread *t, const struct block *before, int common, struct block *b)
{
	int file = t->file;

	if (t->first == t->next) {
		b->from[file] = before->to[file] + (b->from[common] - before->to[common]);
		b->to[file] = before->to[file] + (b->to[common] - before->to[common]);
		return;
	}
	const struct diff_change *first = &t->change[t->first];
	const struct diff_change *last = &t->change[t->next - 1];

	b->from[file] = first->line[0] - (first->line[1] - b->from[common]);
	b->to[file] = change_end(last, 0) + (b->to[common] - change_end(last, 1));
}

static void make_blocks(struct diff3 *d, struct thread t[2], int common)
{
	struct block before = { .odd = 0 };

	d->block = arena_array(d->c->arena, t[0].n + t[1].n + 1, sizeof(*d->block));
	while (t[0].next < t[0].n || t[1].next < t[1].n) {
		struct block *b = &d->block[d->nblocks++];

		take_touching(t, &b->from[common], &b->to[common]);
		place(&t[0], &before, common, b);
		place(&t[1], &before, common, b);
		bool both = t[0].first < t[0].next && t[1].first < t[1].next;

		b->odd = !both                                    ? t[t[0].first == t[0].next].file
			 : same_lines(d, b, t[0].file, t[1].file) ? common
								  : FILES;
		before = *b;
		cmd_charge(d->c, 1);
	}
}

/* ed has no last lines without newline: each that is in a change gets one. */
static void warn_of_unended(const struct diff *two)
{
	for (size_t i = 0; i < two->nchanges; i++)
		for (int side = 0; side < 2; side++)
			if (two->file[side].unended && two->change[i].count[side] > 0 &&
			    change_end(&two->change[i], side) == two->file[side].n)
				cmd_warn(two->c, 0, "No newline at end of file");
}

/* Compares a file with the common one. */
static struct thread compare(struct diff3 *d, struct diff_opts *o, int file, int common)
{
	struct diff *two = arena_zalloc(d->c->arena, sizeof(*two));
	struct bytes a = d->text[file];
	struct bytes b = d->text[common];

	if (!d->o->text && (diff_looks_binary(a) || diff_looks_binary(b)) && !bytes_eq(a, b))
		cmd_fatal(d->c, 0, "diff failed: Binary files %s and %s differ", d->c->args[file],
			  d->c->args[common]);
	two->c = d->c;
	two->o = o;
	two->file[0].all = a;
	two->file[1].all = b;
	diff_find_changes(two);
	if (d->o->modes != 0 && !d->o->merge)
		warn_of_unended(two);
	d->file[file] = &two->file[0];
	d->file[common] = &two->file[1];
	return (struct thread){ .change = two->change, .n = two->nchanges, .file = file };
}

/* --- output --- */

static void put_line(struct diff3 *d, int file, size_t n)
{
	cmd_bytes(d->c, d->file[file]->line[n]);
	cmd_charge_bytes(d->c, d->file[file]->line[n].len);
	if (ends_in_newline(d->file[file], n))
		cmd_putc(d->c, '\n');
}

static void put_lines(struct diff3 *d, int file, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		put_line(d, file, i);
}

static void put_listed(struct diff3 *d, const struct block *b, int file, bool lines)
{
	size_t from = b->from[file];
	size_t to = b->to[file];

	cmd_printf(d->c, "%d:", file + 1);
	if (from == to)
		cmd_printf(d->c, "%zua\n", from);
	else if (to - from == 1)
		cmd_printf(d->c, "%zuc\n", to);
	else
		cmd_printf(d->c, "%zu,%zuc\n", from + 1, to);
	for (size_t i = from; lines && i < to; i++) {
		cmd_puts(d->c, d->o->initial_tab ? "\t" : "  ");
		put_line(d, file, i);
		if (!ends_in_newline(d->file[file], i))
			cmd_puts(d->c, "\n\\ No newline at end of file\n");
	}
}

/* Of two files that are alike only one is shown with its lines, behind the other. */
static void put_list(struct diff3 *d)
{
	for (size_t i = 0; i < d->nblocks; i++) {
		const struct block *b = &d->block[i];
		int silent = b->odd == FILES ? FILES : b->odd == MINE ? OLD : MINE;

		cmd_puts(d->c, "====");
		if (b->odd != FILES)
			cmd_printf(d->c, "%d", b->odd + 1);
		cmd_putc(d->c, '\n');
		put_listed(d, b, MINE, silent != MINE);
		if (b->odd == OLD) {
			put_listed(d, b, YOURS, true);
			put_listed(d, b, OLD, true);
		} else {
			put_listed(d, b, OLD, silent != OLD);
			put_listed(d, b, YOURS, true);
		}
	}
}

/* Whether a block goes into the merge; and whether as a conflict. */
static bool is_wanted(const struct diff3_opts *o, const struct block *b, bool *conflict)
{
	*conflict = b->odd == OLD || (b->odd == FILES && o->flagging);
	switch (b->odd) {
	case OLD: return o->show_old;
	case YOURS: return !o->overlap_only;
	case FILES: return !o->easy_only;
	default: return false;
	}
}

/* Lines for ed to insert; true if one begins with '.', which is doubled. */
static bool put_dotted(struct diff3 *d, const struct block *b, int file)
{
	bool dotted = false;

	for (size_t i = b->from[file]; i < b->to[file]; i++) {
		struct bytes line = d->file[file]->line[i];

		if (line.len > 0 && line.ptr[0] == '.') {
			cmd_putc(d->c, '.');
			dotted = true;
		}
		cmd_bytes(d->c, line);
		cmd_putc(d->c, '\n');
		cmd_charge_bytes(d->c, line.len);
	}
	return dotted;
}

/* Ends an insertion, and takes doubled dots away again in n lines from line `from` on. */
static void end_insertion(struct diff3 *d, bool dotted, size_t from, size_t n)
{
	cmd_puts(d->c, ".\n");
	if (dotted && n == 1)
		cmd_printf(d->c, "%zus/^\\.//\n", from);
	else if (dotted)
		cmd_printf(d->c, "%zu,%zus/^\\.//\n", from, from + n - 1);
}

static size_t count(const struct block *b, int file)
{
	return b->to[file] - b->from[file];
}

/* Brackets: first behind my lines, then in front of them. */
static void put_ed_conflict(struct diff3 *d, const struct block *b)
{
	bool all = b->odd == FILES;
	size_t low = b->from[MINE] + 1;
	size_t high = b->to[MINE];
	bool dotted = false;

	cmd_printf(d->c, "%zua\n", high);
	if (all) {
		if (d->o->show_old) {
			cmd_printf(d->c, "||||||| %s\n", d->name[OLD]);
			dotted = put_dotted(d, b, OLD);
		}
		cmd_puts(d->c, "=======\n");
		dotted |= put_dotted(d, b, YOURS);
	}
	cmd_printf(d->c, ">>>>>>> %s\n", d->name[YOURS]);
	end_insertion(d, dotted, high + 2, count(b, OLD) + count(b, YOURS) + 1);

	cmd_printf(d->c, "%zua\n<<<<<<< %s\n", low - 1, d->name[all ? MINE : OLD]);
	dotted = false;
	if (!all) {
		dotted = put_dotted(d, b, OLD);
		cmd_puts(d->c, "=======\n");
	}
	end_insertion(d, dotted, low + 1, count(b, OLD));
}

static void put_ed_change(struct diff3 *d, const struct block *b)
{
	size_t low = b->from[MINE] + 1;
	size_t high = b->to[MINE];
	const char *letter = count(b, YOURS) == 0 ? "d" : count(b, MINE) == 0 ? "a" : "c";

	if (count(b, MINE) > 1)
		cmd_printf(d->c, "%zu,", low);
	cmd_printf(d->c, "%zu%s\n", high, letter);
	if (count(b, YOURS) > 0)
		end_insertion(d, put_dotted(d, b, YOURS), low, count(b, YOURS));
}

static void put_ed_script(struct diff3 *d)
{
	for (size_t i = d->nblocks; i > 0; i--) {
		const struct block *b = &d->block[i - 1];
		bool conflict;

		if (!is_wanted(d->o, b, &conflict))
			continue;
		d->conflicts |= conflict;
		if (conflict)
			put_ed_conflict(d, b);
		else
			put_ed_change(d, b);
	}
	if (d->o->write_quit)
		cmd_puts(d->c, "w\nq\n");
}

static void put_merge_conflict(struct diff3 *d, const struct block *b)
{
	bool all = b->odd == FILES;

	if (all) {
		cmd_printf(d->c, "<<<<<<< %s\n", d->name[MINE]);
		put_lines(d, MINE, b->from[MINE], b->to[MINE]);
	}
	if (d->o->show_old) {
		cmd_printf(d->c, "%s %s\n", all ? "|||||||" : "<<<<<<<", d->name[OLD]);
		put_lines(d, OLD, b->from[OLD], b->to[OLD]);
	}
	cmd_puts(d->c, "=======\n");
}

static void put_merge(struct diff3 *d)
{
	size_t done = 0;

	for (size_t i = 0; i < d->nblocks; i++) {
		const struct block *b = &d->block[i];
		bool conflict;

		if (!is_wanted(d->o, b, &conflict))
			continue;
		put_lines(d, MINE, done, b->from[MINE]);
		d->conflicts |= conflict;
		if (conflict)
			put_merge_conflict(d, b);
		put_lines(d, YOURS, b->from[YOURS], b->to[YOURS]);
		if (conflict)
			cmd_printf(d->c, ">>>>>>> %s\n", d->name[YOURS]);
		done = b->to[MINE];
	}
	put_lines(d, MINE, done, d->file[MINE]->n);
}

/* --- operands --- */

static int check(struct cmd *c, const struct diff3_opts *o)
{
	if ((o->modes & (o->modes - 1)) != 0 || (o->write_quit && o->merge) ||
	    (o->nlabels > 0 && !o->flagging)) {
		cmd_error(c, 0, "incompatible options");
		return try_help(c);
	}
	if (c->nargs < FILES) {
		cmd_error(c, 0, "missing operand after '%s'", c->argv[c->argc - 1]);
		return try_help(c);
	}
	if (c->nargs > FILES) {
		cmd_error(c, 0, "extra operand '%s'", c->args[FILES]);
		return try_help(c);
	}
	return 0;
}

/* The file that the others are compared with. Standard input is not read twice. */
static int choose_common(struct cmd *c, bool merging)
{
	bool in[FILES];
	int n = 0;

	for (int i = 0; i < FILES; i++) {
		in[i] = strcmp(c->args[i], "-") == 0;
		n += in[i];
	}
	if (n > 1)
		cmd_fatal(c, 0, "'-' specified for more than one input file");
	int common = merging ? OLD : YOURS;

	return in[common] ? 3 - common : common;
}

static void read_files(struct diff3 *d)
{
	for (int i = 0; i < FILES; i++) {
		const char *path = d->c->args[i];
		struct vfs_stat st;
		int err = strcmp(path, "-") == 0 ? 0 : cmd_stat(d->c, path, &st);

		if (err == 0 && strcmp(path, "-") != 0 && (st.mode & S_FMT) == S_DIR)
			err = -E_ISDIR;
		if (err < 0)
			cmd_fatal(d->c, err, "%s", cmd_quotef(d->c, path));
	}
	for (int i = 0; i < FILES; i++) {
		int err = cmd_read_all(d->c, d->c->args[i], &d->text[i]);

		if (err < 0)
			cmd_fatal(d->c, err, "%s", cmd_quotef(d->c, d->c->args[i]));
		d->name[i] = d->o->label[i] != NULL ? d->o->label[i] : d->c->args[i];
	}
}

static int diff3_run(struct cmd *c)
{
	struct diff3_opts *o = c->opts;
	struct diff_opts *two = arena_zalloc(c->arena, sizeof(*two));
	struct diff3 d = { .c = c, .o = o };
	struct thread t[2];

	o->show_old |= o->merge && o->modes == 0;
	o->flagging |= o->merge && o->modes == 0;
	int status = check(c, o);

	if (status != 0)
		return status;
	int common = choose_common(c, o->merge || o->modes != 0);

	read_files(&d);
	if (o->program != NULL && strcmp(o->program, "diff") != 0)
		cmd_fatal(c, 0, "subsidiary program '%s' not found", o->program);
	*two = (struct diff_opts){ .style = DIFF_NORMAL,
				   .horizon = HORIZON,
				   .text = o->text,
				   .strip_cr = o->strip_cr,
				   .tab_size = 8 };
	t[1] = compare(&d, two, 3 - common, common);
	t[0] = compare(&d, two, MINE, common);
	make_blocks(&d, t, common);
	if (o->merge)
		put_merge(&d);
	else if (o->modes != 0)
		put_ed_script(&d);
	else
		put_list(&d);
	return d.conflicts;
}

const struct builtin builtin_diff3 = {
	.name = "diff3",
	.usage = "[OPTION]... MYFILE OLDFILE YOURFILE",
	.summary = "Compares three files line by line, or merges what became of OLDFILE.\n"
		   "The status is 0 if all went well, 1 with conflicts, 2 in trouble.",
	.run = diff3_run,
	.opts = diff3_options,
	.opts_size = sizeof(struct diff3_opts),
	.usage_status = 2,
	.error_status = 2,
	.hint = "%s: Try '%s --help' for more information.\n",
	.family = "GNU diffutils 3.8",
};
