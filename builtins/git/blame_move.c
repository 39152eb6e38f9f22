/* SPDX-License-Identifier: MIT
 *
 * git blame -M, -C: where some lines may have been moved or copied from.
 */
#include "builtins/git/blame.h"

/* Lines of the child that stand together in the parent, too. */
struct blame_run {
	size_t from;  /* first line in the parent */
	size_t at;    /* first line in the child */
	size_t count; /* of lines */
	size_t score; /* letters and digits in them; 0: nothing was found */
};

static size_t score_of(const struct bytes *line, size_t count)
{
	size_t n = 0;

	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < line[i].len; k++)
			n += byte_is_alnum((unsigned char)line[i].ptr[k]);
	return n;
}

static void best_run(struct git *g, struct bytes parent, struct bytes child, unsigned flags,
		     struct blame_run *out)
{
	struct arena a;
	struct lines l;
	size_t from = 0, at = 0;

	*out = (struct blame_run){ 0, 0, 0, 0 };
	arena_init_under(&a, g->a);
	lines_diff(g, &a, parent, child, flags | LINES_NO_CONTEXT, &l);
	for (size_t i = 0; i <= l.n; i++) {
		size_t end = i < l.n ? l.change[i].from[1] : l.file[1].n;
		size_t score = score_of(l.file[1].line + at, end - at);

		/* Of equal ones the last, as in move_group. */
		if (score > 0 && score >= out->score)
			*out = (struct blame_run){ from, at, end - at, score };
		if (i < l.n) {
			from = l.change[i].from[0] + l.change[i].count[0];
			at = end + l.change[i].count[1];
		}
	}
	cmd_charge_bytes(g->c, child.len);
	arena_clear(&a);
}

/* A file of the parent that lines may have come from. */
struct source {
	const char *path;
	struct bytes text;
};

struct sources {
	struct source *at;
	size_t n, cap;
	size_t score; /* that a run must have */
};

static void add_source(struct blaming *b, struct sources *list, const char *path,
		       const struct oid *o)
{
	struct bytes text;

	if (!blame_read(b, path, o, &text))
		return;
	LIST_ROOM(b->g, list->at, list->n, list->cap);
	list->at[list->n++] = (struct source){ arena_dup(b->g->keep, bytes_of(path)), text };
}

/* Other files of the parent than the one the lines' file was before (own, or NULL): those that
 * changed, or all where the file is new (-C -C). */
static void add_others(struct blaming *b, struct suspect *s, struct commit *p, const char *own,
		       struct sources *list)
{
	bool new = own == NULL || strcmp(own, s->path) != 0;
	struct diff_opts d = { .find_copies_harder = b->o.copies > 2 || (b->o.copies > 1 && new) };
	struct diff_queue q = { .at = NULL };

	diff_trees(b->g, &d, &p->tree, &s->c->tree, &q);
	for (size_t i = 0; i < q.n; i++) {
		const struct diff_file *f = q.at[i].one;

		if (f->mode != 0 && f->mode != MODE_GITLINK &&
		    (own == NULL || strcmp(f->path, own) != 0))
			add_source(b, list, f->path, &f->oid);
	}
}

/* The lines first to last of s as one text. */
static struct bytes group_text(const struct blaming *b, const struct suspect *s, size_t first,
			       size_t last)
{
	struct bytes a = b->line[s->at[first].final], z = b->line[s->at[last].final];

	return (struct bytes){ a.ptr, (size_t)(z.ptr + z.len - a.ptr) };
}

/* The best run of one group goes to its source. False: there is none. */
static bool move_group(struct blaming *b, struct suspect *s, struct commit *p,
		       const struct sources *list, size_t first, size_t last)
{
	struct bytes text = group_text(b, s, first, last);
	struct blame_run best = { 0, 0, 0, 0 }, run;
	const struct source *from = NULL;
	struct suspect *t;
	size_t kept = 0;

	for (size_t i = 0; i < list->n; i++) {
		best_run(b->g, list->at[i].text, text, b->o.lines, &run);
		if (run.score == 0 || run.score < list->score || run.score < best.score)
			continue;
		best = run;
		from = &list->at[i];
	}
	if (from == NULL)
		return false;
	t = blame_suspect(b, p, from->path, from->text);
	for (size_t i = 0; i < s->n; i++) {
		size_t at = i - first - best.at;

		if (i >= first + best.at && at < best.count)
			blame_ask(b, t, best.from + at, s->at[i].final);
		else
			s->at[kept++] = s->at[i];
	}
	/* What is left on both sides are two pieces. */
	if (first + best.at < kept)
		b->verdict[s->at[first + best.at].final].mark |= MARK_START;
	b->verdict[t->at[t->n - best.count].final].mark |= MARK_START;
	s->n = kept;
	return true;
}

/* Moves the runs that are found in these files, until none is left. */
static void move_to(struct blaming *b, struct suspect *s, struct commit *p,
		    const struct sources *list)
{
	for (bool again = list->n != 0; again && s->n != 0;) {
		again = false;
		git_sort(b->g, s->at, s->n, sizeof(*s->at), blame_compare_final);
		for (size_t i = 0, j; i < s->n && !again; i = j) {
			for (j = i + 1; j < s->n && s->at[j].final == s->at[j - 1].final + 1 &&
					s->at[j].line == s->at[j - 1].line + 1;
			     j++)
				continue;
			again = move_group(b, s, p, list, i, j - 1);
		}
	}
	git_sort(b->g, s->at, s->n, sizeof(*s->at), blame_compare_asked);
}

/* From the file itself, or from others (copies). */
static void move_from(struct blaming *b, struct suspect *s, struct commit *p, bool copies)
{
	struct sources list = { NULL, 0, 0, copies ? b->o.copy_score : b->o.move_score };
	const char *name;
	struct oid o;

	commit_need(b->g, p);
	if (!commit_file_before(b->g, p, s->c, s->path, &name, &o))
		name = NULL;
	if (copies)
		add_others(b, s, p, name, &list);
	else if (name != NULL)
		add_source(b, &list, name, &o);
	move_to(b, s, p, &list);
}

void blame_move_on(struct blaming *b, struct suspect *s)
{
	struct commit **source;
	uint32_t n;

	if (b->o.move_score == 0)
		return;
	n = blame_sources(b, s->c, &source);
	for (int copies = 0; copies <= (b->o.copies > 0 && s->c != NULL); copies++)
		for (uint32_t i = 0; i < n && s->n != 0; i++)
			move_from(b, s, source[i], copies != 0);
}
