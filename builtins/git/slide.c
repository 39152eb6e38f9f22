/* SPDX-License-Identifier: MIT
 *
 * A run of changed lines can often be moved up or down without changing what it means: when
 * the line before it equals its last one. It is put beside changes of the other file if there
 * are some, else where indentation says that something begins or ends.
 */
#include "builtins/git/slide.h"

enum {
	SLIDING_MAX = 100,
	BLANKS_MAX = 20,
	INDENT_MAX = 200,
	/* What a place to cut is worth: lower is better. */
	START_OF_FILE = 1,
	END_OF_FILE = 21,
	TOTAL_BLANK = -30,
	POST_BLANK = 6,
	RELATIVE_INDENT = -4,
	RELATIVE_INDENT_WITH_BLANK = 10,
	RELATIVE_OUTDENT = 24,
	RELATIVE_OUTDENT_WITH_BLANK = 17,
	RELATIVE_DEDENT = 23,
	RELATIVE_DEDENT_WITH_BLANK = 17,
	INDENT_WEIGHT = 60,
};

/* --- where to cut --- */

static int indent_of(struct bytes line)
{
	int width = 0;

	for (size_t i = 0; i < line.len; i++) {
		char ch = line.ptr[i];

		if (!byte_is_space((unsigned char)ch))
			return width;
		if (ch == ' ')
			width++;
		else if (ch == '\t')
			width += 8 - width % 8;
		if (width >= INDENT_MAX)
			return INDENT_MAX;
	}
	return -1;
}

struct place {
	bool end_of_file;
	int indent;
	int pre_blank;
	int pre_indent;
	int post_blank;
	int post_indent;
};

static struct place measure(const struct lines_file *f, size_t split)
{
	struct place p = { .indent = -1, .pre_indent = -1, .post_indent = -1 };

	if (split >= f->n)
		p.end_of_file = true;
	else
		p.indent = indent_of(f->line[split]);
	for (size_t i = split; i > 0; i--) {
		p.pre_indent = indent_of(f->line[i - 1]);
		if (p.pre_indent != -1)
			break;
		if (++p.pre_blank == BLANKS_MAX) {
			p.pre_indent = 0;
			break;
		}
	}
	for (size_t i = split + 1; i < f->n; i++) {
		p.post_indent = indent_of(f->line[i]);
		if (p.post_indent != -1)
			break;
		if (++p.post_blank == BLANKS_MAX) {
			p.post_indent = 0;
			break;
		}
	}
	return p;
}

struct score {
	int indent; /* smaller: further left */
	int penalty;
};

static void add_place(const struct place *p, struct score *s)
{
	int post_blank = p->indent == -1 ? 1 + p->post_blank : 0;
	int total_blank = p->pre_blank + post_blank;
	int indent = p->indent != -1 ? p->indent : p->post_indent;
	bool blanks = total_blank != 0;

	if (p->pre_indent == -1 && p->pre_blank == 0)
		s->penalty += START_OF_FILE;
	if (p->end_of_file)
		s->penalty += END_OF_FILE;
	s->penalty += TOTAL_BLANK * total_blank + POST_BLANK * post_blank;
	s->indent += indent;
	if (indent == -1 || p->pre_indent == -1 || indent == p->pre_indent)
		return;
	if (indent > p->pre_indent)
		s->penalty += blanks ? RELATIVE_INDENT_WITH_BLANK : RELATIVE_INDENT;
	else if (p->post_indent != -1 && p->post_indent > indent)
		s->penalty += blanks ? RELATIVE_OUTDENT_WITH_BLANK : RELATIVE_OUTDENT;
	else
		s->penalty += blanks ? RELATIVE_DEDENT_WITH_BLANK : RELATIVE_DEDENT;
}

static int score_cmp(const struct score *a, const struct score *b)
{
	int indents = (a->indent > b->indent) - (a->indent < b->indent);

	return INDENT_WEIGHT * indents + (a->penalty - b->penalty);
}

/* --- groups of changed lines --- */

struct group {
	size_t start; /* [start, end) */
	size_t end;
};

static void group_first(const struct lines_file *f, struct group *gr)
{
	gr->start = gr->end = 0;
	while (f->changed[gr->end])
		gr->end++;
}

static bool group_next(const struct lines_file *f, struct group *gr)
{
	if (gr->end == f->n)
		return false;
	gr->start = gr->end + 1;
	for (gr->end = gr->start; f->changed[gr->end]; gr->end++)
		;
	return true;
}

static bool group_previous(const struct lines_file *f, struct group *gr)
{
	if (gr->start == 0)
		return false;
	gr->end = gr->start - 1;
	for (gr->start = gr->end; gr->start > 0 && f->changed[gr->start - 1]; gr->start--)
		;
	return true;
}

static bool slide_up(struct lines_file *f, struct group *gr)
{
	if (gr->start == 0 || f->class[gr->start - 1] != f->class[gr->end - 1])
		return false;
	f->changed[--gr->start] = 1;
	f->changed[--gr->end] = 0;
	while (gr->start > 0 && f->changed[gr->start - 1])
		gr->start--;
	return true;
}

static bool slide_down(struct lines_file *f, struct group *gr)
{
	if (gr->end >= f->n || f->class[gr->start] != f->class[gr->end])
		return false;
	f->changed[gr->start++] = 0;
	f->changed[gr->end++] = 1;
	while (f->changed[gr->end])
		gr->end++;
	return true;
}

/* Slides up to where the other file changes too. */
static void align(struct lines_file *f, struct lines_file *o, struct group *gr, struct group *other)
{
	while (other->end == other->start) {
		if (!slide_up(f, gr))
			return;
		group_previous(o, other);
	}
}

static void place_by_indent(struct git *g, struct lines_file *f, struct lines_file *o,
			    struct group *gr, struct group *other, size_t earliest)
{
	size_t length = gr->end - gr->start;
	size_t shift = earliest;
	size_t best = SIZE_MAX;
	struct score best_score = { 0, 0 };

	if (gr->end > length + 1 && gr->end - length - 1 > shift)
		shift = gr->end - length - 1;
	if (gr->end > SLIDING_MAX && gr->end - SLIDING_MAX > shift)
		shift = gr->end - SLIDING_MAX;
	for (; shift <= gr->end; shift++) {
		struct score s = { 0, 0 };
		struct place p = measure(f, shift);

		add_place(&p, &s);
		p = measure(f, shift - length);
		add_place(&p, &s);
		cmd_charge(g->c, 1);
		if (best == SIZE_MAX || score_cmp(&s, &best_score) <= 0) {
			best_score = s;
			best = shift;
		}
	}
	while (gr->end > best && slide_up(f, gr))
		group_previous(o, other);
}

static void settle_group(struct git *g, struct lines_file *f, struct lines_file *o,
			 struct group *gr, struct group *other, bool indent)
{
	size_t earliest;
	size_t matching;
	size_t length;

	do {
		length = gr->end - gr->start;
		matching = SIZE_MAX;
		while (slide_up(f, gr))
			group_previous(o, other);
		earliest = gr->end;
		if (other->end > other->start)
			matching = gr->end;
		while (slide_down(f, gr)) {
			group_next(o, other);
			if (other->end > other->start)
				matching = gr->end;
			cmd_charge(g->c, 1);
		}
	} while (length != gr->end - gr->start);
	if (gr->end == earliest)
		return;
	if (matching != SIZE_MAX)
		align(f, o, gr, other);
	else if (indent)
		place_by_indent(g, f, o, gr, other, earliest);
}

void slide_changes(struct git *g, struct lines *l, int which, bool indent)
{
	struct lines_file *f = &l->file[which];
	struct lines_file *o = &l->file[1 - which];
	struct group gr;
	struct group other;

	group_first(f, &gr);
	group_first(o, &other);
	for (;;) {
		if (gr.end != gr.start)
			settle_group(g, f, o, &gr, &other, indent);
		if (!group_next(f, &gr))
			break;
		if (!group_next(o, &other))
			break;
		cmd_charge(g->c, 1);
	}
}
