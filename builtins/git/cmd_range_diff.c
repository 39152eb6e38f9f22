/* SPDX-License-Identifier: MIT
 *
 * git range-diff: two versions of a series of commits. Not here: --word-diff.
 */
#include "builtins/git/range_diff.h"
#include "builtins/git/notes.h"

static const char *const usage_lines[] = {
	"git range-diff [<options>] <old-base>..<old-tip> <new-base>..<new-tip>",
	"git range-diff [<options>] <old-tip>...<new-tip>",
	"git range-diff [<options>] <base> <old-tip> <new-tip>", NULL
};

static int set_notes(struct git *g, void *opts, const char *arg, bool unset)
{
	((struct range_opts *)opts)->notes = unset ? -1 : 1;
	if (!unset)
		notes_show(g, arg);
	return 0;
}

/* --dual-color also asks for colours. */
static int set_dual(struct git *g, void *opts, const char *arg, bool unset)
{
	struct range_opts *o = opts;

	(void)g, (void)arg;
	o->one_color = unset;
	if (!unset)
		o->diff.color = 1;
	return 0;
}

static const struct git_option range_options[] = {
	GIT_INT(0, "creation-factor", struct range_opts, creation_factor),
	GIT_CALL(0, "dual-color", set_dual),
	GIT_CALL_MAYBE(0, "notes", set_notes),
	GIT_FLAG(0, "left-only", struct range_opts, left_only),
	GIT_FLAG(0, "right-only", struct range_opts, right_only),
	GIT_END(),
};

static int other_option(struct git *g, void *opts, int argc, char **argv)
{
	struct range_opts *o = opts;

	if (git_starts(argv[0], "--word-diff") || git_starts(argv[0], "--color-words"))
		git_refuse(g, "range-diff --word-diff");
	if (strcmp(argv[0], "--no-notes") == 0)
		return 0;
	return diff_option(g, &o->diff, argc, argv);
}

/* --- ranges --- */

static bool is_commit(struct git *g, const char *text)
{
	struct oid o;

	return rev_parse(g, text, &o) == 0 && object_peel(g, &o, OBJECT_COMMIT, &o);
}

/* Whether a word both names and excludes commits. */
static bool is_range(struct git *g, const char *text)
{
	struct revs r;
	bool with = false, without = false;

	revs_init(g, &r);
	if (!revs_add(g, &r, text))
		git_die(g, "bad revision '%s'", text);
	for (size_t i = 0; i < r.nitems; i++) {
		bool excluded = false;

		cmd_charge(g->c, r.nitems / 8);
		for (size_t k = 0; k < r.nitems; k++)
			excluded |= r.item[k].uninteresting && r.item[k].c == r.item[i].c;
		with |= !excluded;
		without |= r.item[i].uninteresting;
	}
	return with && without;
}

struct ranges {
	const char *one, *two;
	int used; /* words of the command line */
};

static _Noreturn void misuse(struct git *g, const char *what)
{
	git_say(g, "fatal: %s\n\n", what);
	git_usage(g, usage_lines);
}

static void from_base(struct git *g, char **argv, bool checked, struct ranges *out)
{
	for (int i = 0; i < 3 && !checked; i++)
		if (!is_commit(g, argv[i]))
			misuse(g, git_format(g->a, "not a revision: '%s'", argv[i]));
	out->one = git_format(g->keep, "%s..%s", argv[0], argv[1]);
	out->two = git_format(g->keep, "%s..%s", argv[0], argv[2]);
	out->used = 3;
}

static void from_symmetric(struct git *g, const char *arg, struct ranges *out)
{
	const char *dots = strstr(arg, "...");
	int n;

	if (dots == NULL)
		misuse(g, git_format(g->a, "not a symmetric range: '%s'", arg));
	n = (int)(dots - arg);
	out->one = git_format(g->keep, "%s..%.*s", dots[3] != '\0' ? dots + 3 : "HEAD",
			      n > 0 ? n : 4, n > 0 ? arg : "HEAD");
	out->two = git_format(g->keep, "%.*s..%s", n > 0 ? n : 4, n > 0 ? arg : "HEAD",
			      dots[3] != '\0' ? dots + 3 : "HEAD");
	out->used = 1;
}

static void find_ranges(struct git *g, const struct args *args, struct ranges *out)
{
	char **argv = args->argv;
	int dash = -1, n = args->argc;

	for (int i = 0; i < n && dash < 0; i++)
		dash = strcmp(argv[i], "--") == 0 ? i : -1;
	if (dash == 3 || (dash < 0 && n > 2 && is_commit(g, argv[0]) && is_commit(g, argv[1]) &&
			  is_commit(g, argv[2]))) {
		from_base(g, argv, dash < 0, out);
	} else if (dash == 2 ||
		   (dash < 0 && n > 1 && is_range(g, argv[0]) && is_range(g, argv[1]))) {
		for (int i = 0; i < 2; i++)
			if (dash == 2 && !is_range(g, argv[i]))
				misuse(g, git_format(g->a, "not a commit range: '%s'", argv[i]));
		*out = (struct ranges){ argv[0], argv[1], 2 };
	} else if (dash == 1 || (dash < 0 && n > 0 && strstr(argv[0], "...") != NULL)) {
		from_symmetric(g, argv[0], out);
	} else {
		misuse(g, "need two commit ranges");
	}
}

/* --- output --- */

struct showing {
	struct git *g;
	struct range_opts *o;
	int width; /* of numbers */
	char *dashes;
};

static void put_side(struct showing *s, struct buf *b, const struct range_patch *p, size_t number)
{
	if (p == NULL)
		buf_printf(b, "%*s:  %s", s->width, "-", s->dashes);
	else
		buf_printf(b, "%*zu:  %s", s->width, number + 1,
			   oid_short(s->g, &p->commit->oid, 0));
}

static void put_heading(struct showing *s, const struct range_patch *a, size_t i,
			const struct range_patch *b, size_t j)
{
	struct git *g = s->g;
	const struct diff_opts *d = &s->o->diff;
	const char *old = diff_escape(d, g, "old"), *fresh = diff_escape(d, g, "new");
	const char *both = diff_escape(d, g, "commit"), *end = d->use_color ? COLOR_RESET : "";
	char status = b == NULL ? '<' : a == NULL ? '>' : bytes_eq(a->text, b->text) ? '=' : '!';
	const char *with = status == '<' ? old : status == '>' ? fresh : both;
	bool mixed = status == '!';
	struct buf line = buf_in(g->a);
	const struct oid *o = a != NULL ? &a->commit->oid : &b->commit->oid;
	struct commit_text t;

	if (s->dashes == NULL) {
		struct buf dashes = buf_in(g->keep);

		buf_fill(&dashes, '-', strlen(oid_short(g, o, 0)));
		s->dashes = buf_cstr(&dashes);
	}
	buf_puts(&line, mixed ? old : with);
	put_side(s, &line, a, i);
	buf_putc(&line, ' ');
	if (mixed)
		buf_printf(&line, "%s%s", end, with);
	buf_putc(&line, status);
	if (mixed)
		buf_printf(&line, "%s%s", end, fresh);
	buf_putc(&line, ' ');
	put_side(s, &line, b, j);
	if (mixed)
		buf_printf(&line, "%s%s", end, with);
	buf_putc(&line, ' ');
	commit_text(g, g->a, o, &t);
	buf_add(&line, message_subject(g->a, t.message));
	buf_printf(&line, "%s\n", end);
	cmd_bytes(g->c, buf_bytes(&line));
}

static struct diff_file *file_of(struct git *g, const char *name, struct bytes text)
{
	struct diff_file *f = diff_file_new(g, name, MODE_FILE, &oid_null);

	/* What is alike has one name: nothing is shown of it. */
	object_hash(OBJECT_BLOB, text, &f->oid);
	f->data = text;
	f->size = text.len;
	f->loaded = true;
	f->outside = true;
	return f;
}

static void put_changes(struct showing *s, const struct range_patch *a, const struct range_patch *b)
{
	struct git *g = s->g;
	struct diff_opts other = s->o->diff;
	struct diff_queue q = { NULL, 0, 0, { NULL, 0, 0 } };

	other.format &= ~(unsigned)(DIFF_PATCH | DIFF_RAW);
	if (bytes_eq(a->text, b->text))
		other.format &= ~(unsigned)(DIFF_STAT | DIFF_NUMSTAT | DIFF_SHORTSTAT);
	other.line_prefix = "    ";
	if (s->o->diff.format & DIFF_RAW)
		git_printf(g, "    :100644 100644 0000000 0000000 M\ta\n");
	if (other.format != 0) {
		diff_add(g, &q, file_of(g, "a", a->text), file_of(g, "b", b->text));
		q.at[0].status = 'M';
		diff_output(g, &other, &q);
	}
	if ((s->o->diff.format & DIFF_PATCH) && s->o->diff.format != DIFF_PATCH)
		git_printf(g, "    \n");
	if (s->o->diff.format & DIFF_PATCH)
		range_put_patch(g, s->o, a->text, b->text);
}

static void put_pair(struct showing *s, struct range *a, struct range *b, size_t j)
{
	size_t i = (size_t)b->at[j].match;

	put_heading(s, &a->at[i], i, &b->at[j], j);
	if (!(s->o->diff.format & DIFF_NONE))
		put_changes(s, &a->at[i], &b->at[j]);
	a->at[i].shown = true;
}

/* In the order of the second series; what only the first has stands where it was. */
static void put_all(struct showing *s, struct range *a, struct range *b)
{
	size_t i = 0, j = 0;

	while (i < a->n || j < b->n) {
		struct arena_mark mark = arena_mark(s->g->a);

		cmd_charge(s->g->c, 4);
		while (i < a->n && a->at[i].shown)
			i++;
		if (i < a->n && a->at[i].match < 0) {
			if (!s->o->right_only)
				put_heading(s, &a->at[i], i, NULL, 0);
			i++;
			continue;
		}
		for (; j < b->n && b->at[j].match < 0; j++)
			if (!s->o->left_only)
				put_heading(s, NULL, 0, &b->at[j], j);
		if (j < b->n)
			put_pair(s, a, b, j++);
		arena_release(s->g->a, mark);
	}
}

int git_cmd_range_diff(struct git *g, struct args *args)
{
	struct range_opts o = { .creation_factor = 60 };
	const struct git_parser p = { range_options, &o, usage_lines, GIT_KEEP_DASHDASH,
				      other_option };
	struct range a = { NULL, 0, 0 }, b = { NULL, 0, 0 };
	struct showing s = { .g = g, .o = &o };
	struct ranges ranges;

	diff_init(g, &o.diff);
	o.diff.default_patch = true;
	git_parse(g, args, &p);
	diff_settle(g, &o.diff);
	if (o.diff.format == 0)
		o.diff.format = DIFF_PATCH;
	find_ranges(g, args, &ranges);
	if (o.left_only && o.right_only) {
		git_error(g, "options '--left-only' and '--right-only' cannot be used together");
		return GIT_STATUS_INVALID;
	}
	range_read(g, ranges.one, args->argv + ranges.used, args->argc - ranges.used, &o, &a);
	range_read(g, ranges.two, args->argv + ranges.used, args->argc - ranges.used, &o, &b);
	range_match(g, &a, &b, o.creation_factor);
	s.width = (int)git_digits(1 + (a.n > b.n ? a.n : b.n));
	put_all(&s, &a, &b);
	return 0;
}
