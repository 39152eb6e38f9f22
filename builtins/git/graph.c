/* SPDX-License-Identifier: MIT
 *
 * The lines that log --graph draws: one column for each line of history that is still open.
 *
 * For each commit: perhaps lines that make room in front of a merge of many, the commit's own
 * line, a line that opens columns for its parents, then lines that bring columns back to the
 * left until each stands where it belongs.
 */
#include "builtins/git/walk.h"

enum state { PADDING, SKIP, PRE_COMMIT, COMMIT, POST_MERGE, COLLAPSING };

struct column {
	struct commit *c;
	unsigned color;
};

struct graph {
	struct git *g;
	struct revs *r;
	bool colors;
	struct commit *commit;
	size_t nparents;
	size_t width; /* columns of text of the lines for this commit */
	size_t expansion_row;
	enum state state, prev_state;
	size_t commit_index, prev_commit_index;
	int merge_layout; /* 0: the first parent is to the left, 1: straight down */
	int edges_added, prev_edges_added;
	size_t ncolumns, nnew;
	size_t mapping_size;
	struct column *columns, *fresh;
	int *mapping, *old_mapping;
	size_t cap;
	unsigned next_color;
};

static const char *const palette[] = {
	"\033[31m",   "\033[32m",   "\033[33m",   "\033[34m",   "\033[35m",   "\033[36m",
	"\033[1;31m", "\033[1;32m", "\033[1;33m", "\033[1;34m", "\033[1;35m", "\033[1;36m",
};
enum { NCOLORS = 12 };

struct graph *graph_new(struct git *g, struct revs *r, bool color)
{
	struct graph *gr = arena_zalloc(g->keep, sizeof(*gr));

	gr->g = g;
	gr->r = r;
	gr->colors = color;
	gr->next_color = NCOLORS - 1;
	return gr;
}

static void need_columns(struct graph *gr, size_t n)
{
	size_t cap = gr->cap == 0 ? 30 : gr->cap;

	if (n <= gr->cap)
		return;
	while (cap < n)
		cap *= 2;
	gr->columns = pool_resize(gr->g->c->pool, gr->columns, gr->cap * sizeof(struct column),
				  cap * sizeof(struct column));
	gr->fresh = pool_resize(gr->g->c->pool, gr->fresh, gr->cap * sizeof(struct column),
				cap * sizeof(struct column));
	gr->mapping = pool_resize(gr->g->c->pool, gr->mapping, gr->cap * 2 * sizeof(int),
				  cap * 2 * sizeof(int));
	gr->old_mapping = pool_resize(gr->g->c->pool, gr->old_mapping, gr->cap * 2 * sizeof(int),
				      cap * 2 * sizeof(int));
	gr->cap = cap;
}

static void set_state(struct graph *gr, enum state s)
{
	gr->prev_state = gr->state;
	gr->state = s;
}

/* --- columns of the next commit --- */

static bool is_interesting(const struct graph *gr, const struct commit *c)
{
	if (gr->r->boundary && (c->flags & COMMIT_CHILD_SHOWN))
		return true;
	if (gr->r->boundary && (c->flags & COMMIT_BOUNDARY))
		return true;
	return !(c->flags & COMMIT_UNINTERESTING);
}

static size_t next_parent(const struct graph *gr, size_t from)
{
	const struct commit *c = gr->commit;

	if (gr->r->first_parent && from > 0)
		return SIZE_MAX;
	for (size_t i = from; i < c->nparents; i++) {
		if (gr->r->first_parent && i > 0)
			break;
		if (is_interesting(gr, c->parent[i]))
			return i;
	}
	return SIZE_MAX;
}

static int find_fresh(const struct graph *gr, const struct commit *c)
{
	cmd_charge(gr->g->c, gr->nnew / 8);
	for (size_t i = 0; i < gr->nnew; i++)
		if (gr->fresh[i].c == c)
			return (int)i;
	return -1;
}

static unsigned color_for(const struct graph *gr, const struct commit *c)
{
	cmd_charge(gr->g->c, gr->ncolumns / 8);
	for (size_t i = 0; i < gr->ncolumns; i++)
		if (gr->columns[i].c == c)
			return gr->columns[i].color;
	return gr->colors ? gr->next_color : NCOLORS;
}

static void insert_fresh(struct graph *gr, struct commit *c, int at)
{
	int i = find_fresh(gr, c);
	int mapping;

	if (i < 0) {
		i = (int)gr->nnew++;
		gr->fresh[i] = (struct column){ c, color_for(gr, c) };
	}
	if (gr->nparents > 1 && at > -1 && gr->merge_layout == -1) {
		/* The first parent of a merge says how it is drawn. */
		int distance = at - i;
		int shift = distance > 1 ? 2 * distance - 3 : 1;

		gr->merge_layout = distance > 0 ? 0 : 1;
		gr->edges_added = (int)gr->nparents + gr->merge_layout - 2;
		mapping = (int)gr->width + (gr->merge_layout - 1) * shift;
		gr->width += 2 * (size_t)gr->merge_layout;
	} else if (gr->edges_added > 0 && gr->width >= 2 && i == gr->mapping[gr->width - 2]) {
		/* Joins the column beside it. */
		mapping = (int)gr->width - 2;
		gr->edges_added = -1;
	} else {
		mapping = (int)gr->width;
		gr->width += 2;
	}
	if (mapping >= 0 && (size_t)mapping < gr->cap * 2)
		gr->mapping[mapping] = i;
}

static void update_columns(struct graph *gr)
{
	struct column *swap = gr->columns;
	bool seen = false;
	bool is_there = true;
	size_t max;

	gr->columns = gr->fresh;
	gr->fresh = swap;
	gr->ncolumns = gr->nnew;
	gr->nnew = 0;
	max = gr->ncolumns + gr->nparents + 1;
	need_columns(gr, max);
	gr->mapping_size = 2 * max;
	for (size_t i = 0; i < gr->mapping_size; i++)
		gr->mapping[i] = -1;
	gr->width = 0;
	gr->prev_edges_added = gr->edges_added;
	gr->edges_added = 0;
	for (size_t i = 0; i <= gr->ncolumns; i++) {
		struct commit *c;

		cmd_charge(gr->g->c, 1);
		if (i == gr->ncolumns) {
			if (seen)
				break;
			is_there = false;
			c = gr->commit;
		} else {
			c = gr->columns[i].c;
		}
		if (c != gr->commit) {
			insert_fresh(gr, c, -1);
			continue;
		}
		seen = true;
		gr->commit_index = i;
		gr->merge_layout = -1;
		for (size_t k = next_parent(gr, 0); k != SIZE_MAX; k = next_parent(gr, k + 1)) {
			if (gr->nparents > 1 || !is_there)
				gr->next_color = (gr->next_color + 1) % NCOLORS;
			insert_fresh(gr, gr->commit->parent[k], (int)i);
		}
		/* A commit without parents takes room all the same. */
		if (gr->nparents == 0)
			gr->width += 2;
	}
	while (gr->mapping_size > 1 && gr->mapping[gr->mapping_size - 1] < 0)
		gr->mapping_size--;
}

static size_t dashed_parents(const struct graph *gr)
{
	return gr->nparents + (size_t)gr->merge_layout - 3;
}

static bool needs_room(const struct graph *gr)
{
	return gr->nparents >= 3 && gr->commit_index + 1 < gr->ncolumns &&
	       gr->expansion_row < dashed_parents(gr) * 2;
}

void graph_update(struct graph *gr, struct commit *c)
{
	gr->commit = c;
	gr->nparents = 0;
	for (size_t k = next_parent(gr, 0); k != SIZE_MAX; k = next_parent(gr, k + 1))
		gr->nparents++;
	gr->prev_commit_index = gr->commit_index;
	update_columns(gr);
	gr->expansion_row = 0;
	/* The last commit's lines may not be done: then they are skipped. */
	if (gr->state != PADDING)
		gr->state = SKIP;
	else if (needs_room(gr))
		gr->state = PRE_COMMIT;
	else
		gr->state = COMMIT;
}

static bool mapping_correct(const struct graph *gr)
{
	for (size_t i = 0; i < gr->mapping_size; i++) {
		int target = gr->mapping[i];

		if (target >= 0 && (size_t)target != i / 2)
			return false;
	}
	return true;
}

/* --- a line of characters --- */

struct line {
	struct buf *out;
	size_t width;
};

static void put_char(struct line *l, char ch)
{
	buf_putc(l->out, ch);
	l->width++;
}

static void put_chars(struct line *l, char ch, size_t n)
{
	buf_fill(l->out, ch, n);
	l->width += n;
}

static void put_column(const struct graph *gr, struct line *l, const struct column *col, char ch)
{
	bool color = gr->colors && col->color < NCOLORS;

	if (color)
		buf_puts(l->out, palette[col->color]);
	put_char(l, ch);
	if (color)
		buf_puts(l->out, COLOR_RESET);
}

static void pad(const struct graph *gr, struct line *l)
{
	if (l->width < gr->width)
		put_chars(l, ' ', gr->width - l->width);
}

static void padding_line(struct graph *gr, struct line *l)
{
	for (size_t i = 0; i < gr->nnew; i++) {
		put_column(gr, l, &gr->fresh[i], '|');
		put_char(l, ' ');
	}
}

static void skip_line(struct graph *gr, struct line *l)
{
	/* Something of the last commit was left out. */
	buf_puts(l->out, "...");
	l->width += 3;
	set_state(gr, needs_room(gr) ? PRE_COMMIT : COMMIT);
}

static void pre_commit_line(struct graph *gr, struct line *l)
{
	bool seen = false;

	for (size_t i = 0; i < gr->ncolumns; i++) {
		const struct column *col = &gr->columns[i];

		if (col->c == gr->commit) {
			seen = true;
			put_column(gr, l, col, '|');
			put_chars(l, ' ', gr->expansion_row);
		} else if (seen && gr->expansion_row == 0) {
			/* First line: what is to the right begins to move, or has moved before. */
			put_column(gr, l, col,
				   gr->prev_state == POST_MERGE && gr->prev_commit_index < i ? '\\'
											     : '|');
		} else {
			put_column(gr, l, col, seen ? '\\' : '|');
		}
		put_char(l, ' ');
	}
	gr->expansion_row++;
	if (!needs_room(gr))
		set_state(gr, COMMIT);
}

static void commit_char(struct graph *gr, struct line *l)
{
	const struct commit *c = gr->commit;

	if (c->flags & COMMIT_BOUNDARY)
		put_char(l, 'o');
	else if ((c->flags & COMMIT_PATCH_SAME) && gr->r->cherry_mark)
		put_char(l, '=');
	else if (gr->r->left_right)
		put_char(l, c->flags & COMMIT_LEFT ? '<' : '>');
	else
		put_char(l, '*');
}

/* Dashes to the parents behind the third. */
static void octopus(struct graph *gr, struct line *l)
{
	size_t dashed = dashed_parents(gr);

	for (size_t i = 0; i < dashed; i++) {
		int at = gr->mapping[(gr->commit_index + i + 2) * 2];
		const struct column *col = &gr->fresh[at >= 0 ? at : 0];

		put_column(gr, l, col, '-');
		put_column(gr, l, col, i == dashed - 1 ? '.' : '-');
	}
}

static void commit_line(struct graph *gr, struct line *l)
{
	bool seen = false;

	for (size_t i = 0; i <= gr->ncolumns; i++) {
		const struct column *col = &gr->columns[i];
		struct commit *c;

		if (i == gr->ncolumns) {
			if (seen)
				break;
			c = gr->commit;
		} else {
			c = col->c;
		}
		if (c == gr->commit) {
			seen = true;
			commit_char(gr, l);
			if (gr->nparents > 2)
				octopus(gr, l);
		} else if (seen && gr->edges_added > 1) {
			put_column(gr, l, col, '\\');
		} else if (seen && gr->edges_added == 1) {
			/* A merge of two: moved before if the line above has moved. */
			put_column(gr, l, col,
				   gr->prev_state == POST_MERGE && gr->prev_edges_added > 0 &&
						   gr->prev_commit_index < i
					   ? '\\'
					   : '|');
		} else if (gr->prev_state == COLLAPSING && i < gr->cap &&
			   gr->old_mapping[2 * i + 1] == (int)i && gr->mapping[2 * i] < (int)i) {
			put_column(gr, l, col, '/');
		} else {
			put_column(gr, l, col, '|');
		}
		put_char(l, ' ');
	}
	if (gr->nparents > 1)
		set_state(gr, POST_MERGE);
	else if (mapping_correct(gr))
		set_state(gr, PADDING);
	else
		set_state(gr, COLLAPSING);
}

static const struct column *column_of(const struct graph *gr, const struct commit *c)
{
	int i = find_fresh(gr, c);

	return &gr->fresh[i >= 0 ? i : 0];
}

static void post_merge_line(struct graph *gr, struct line *l)
{
	static const char shapes[] = { '/', '|', '\\' };
	size_t first = next_parent(gr, 0);
	const struct commit *first_parent = first != SIZE_MAX ? gr->commit->parent[first] : NULL;
	const struct column *parent_col = NULL;
	bool seen = false;

	for (size_t i = 0; i <= gr->ncolumns; i++) {
		const struct column *col = &gr->columns[i];
		struct commit *c;

		if (i == gr->ncolumns) {
			if (seen)
				break;
			c = gr->commit;
		} else {
			c = col->c;
		}
		if (c == gr->commit) {
			size_t k = first;
			int shape = gr->merge_layout;

			seen = true;
			for (size_t j = 0; j < gr->nparents && k != SIZE_MAX; j++) {
				put_column(gr, l, column_of(gr, gr->commit->parent[k]),
					   shapes[shape]);
				if (shape == 2) {
					if (gr->edges_added > 0 || j < gr->nparents - 1)
						put_char(l, ' ');
				} else {
					shape++;
				}
				k = next_parent(gr, k + 1);
			}
			if (gr->edges_added == 0)
				put_char(l, ' ');
		} else if (seen) {
			put_column(gr, l, col, gr->edges_added > 0 ? '\\' : '|');
			put_char(l, ' ');
		} else {
			put_column(gr, l, col, '|');
			if (gr->merge_layout != 0 || i != gr->commit_index - 1) {
				if (parent_col != NULL)
					put_column(gr, l, parent_col, '_');
				else
					put_char(l, ' ');
			}
		}
		if (c == first_parent)
			parent_col = col;
	}
	set_state(gr, mapping_correct(gr) ? PADDING : COLLAPSING);
}

/* Each column moves towards where it belongs: one place, or far along a line of "_". */
static void move_columns(struct graph *gr, int *horizontal_edge, int *horizontal_target)
{
	int *swap = gr->mapping;

	gr->mapping = gr->old_mapping;
	gr->old_mapping = swap;
	for (size_t i = 0; i < gr->mapping_size; i++)
		gr->mapping[i] = -1;
	for (size_t i = 0; i < gr->mapping_size; i++) {
		int target = gr->old_mapping[i];

		if (target < 0)
			continue;
		if ((size_t)target * 2 == i) {
			gr->mapping[i] = target;
		} else if (gr->mapping[i - 1] < 0) {
			/* Nothing to the left: there. */
			gr->mapping[i - 1] = target;
			if (*horizontal_edge == -1) {
				*horizontal_edge = (int)i;
				*horizontal_target = target;
				/* All the way, if nothing else is between. */
				for (size_t j = (size_t)target * 2 + 3; j < i - 2; j += 2)
					gr->mapping[j] = target;
			}
		} else if (gr->mapping[i - 1] == target) {
			/* Joins the one to the left. */
		} else {
			/* Crosses over. */
			gr->mapping[i - 2] = target;
			if (*horizontal_edge == -1) {
				*horizontal_target = target;
				*horizontal_edge = (int)i - 1;
				for (size_t j = (size_t)target * 2 + 3; j < i - 2; j += 2)
					gr->mapping[j] = target;
			}
		}
	}
}

static void collapsing_line(struct graph *gr, struct line *l)
{
	int horizontal_edge = -1;
	int horizontal_target = -1;
	bool used_horizontal = false;

	move_columns(gr, &horizontal_edge, &horizontal_target);
	for (size_t i = 0; i < gr->mapping_size; i++)
		gr->old_mapping[i] = gr->mapping[i];
	if (gr->mapping[gr->mapping_size - 1] < 0)
		gr->mapping_size--;
	for (size_t i = 0; i < gr->mapping_size; i++) {
		int target = gr->mapping[i];

		if (target < 0) {
			put_char(l, ' ');
		} else if ((size_t)target * 2 == i) {
			put_column(gr, l, &gr->fresh[target], '|');
		} else if (target == horizontal_target && (int)i != horizontal_edge - 1) {
			/* Part of the long line: not drawn further than the edge. */
			if (i != (size_t)target * 2 + 3)
				gr->mapping[i] = -1;
			used_horizontal = true;
			put_column(gr, l, &gr->fresh[target], '_');
		} else {
			if (used_horizontal && (int)i < horizontal_edge)
				gr->mapping[i] = -1;
			put_column(gr, l, &gr->fresh[target], '/');
		}
	}
	if (mapping_correct(gr))
		set_state(gr, PADDING);
}

bool graph_next_line(struct graph *gr, struct buf *out)
{
	struct line l = { out, 0 };
	bool shown = false;

	switch (gr->state) {
	case PADDING: padding_line(gr, &l); break;
	case SKIP: skip_line(gr, &l); break;
	case PRE_COMMIT: pre_commit_line(gr, &l); break;
	case COMMIT:
		commit_line(gr, &l);
		shown = true;
		break;
	case POST_MERGE: post_merge_line(gr, &l); break;
	case COLLAPSING: collapsing_line(gr, &l); break;
	}
	pad(gr, &l);
	return shown;
}

void graph_show_commit(struct graph *gr, struct buf *out)
{
	/* Between two commits that do not follow each other nothing more is drawn. */
	if (gr->state == PADDING && gr->commit == NULL)
		return;
	while (!graph_next_line(gr, out))
		buf_putc(out, '\n');
}

void graph_put_padding(struct graph *gr, struct buf *out)
{
	struct line l = { out, 0 };

	if (gr->state != COMMIT) {
		struct buf b = buf_in(out->arena);

		/* Not the commit's line: just the columns. */
		l.out = &b;
		padding_line(gr, &l);
		pad(gr, &l);
		buf_add(out, buf_bytes(&b));
		return;
	}
	for (size_t i = 0; i < gr->ncolumns; i++) {
		const struct column *col = &gr->columns[i];

		put_column(gr, &l, col, '|');
		if (col->c == gr->commit && gr->nparents > 2)
			put_chars(&l, ' ', (gr->nparents - 2) * 2);
		else
			put_char(&l, ' ');
	}
	pad(gr, &l);
	gr->prev_state = PADDING;
}

bool graph_is_finished(const struct graph *gr)
{
	return gr->state == PADDING;
}

void graph_show_remainder(struct graph *gr, struct buf *out)
{
	while (!graph_is_finished(gr)) {
		graph_next_line(gr, out);
		if (!graph_is_finished(gr))
			buf_putc(out, '\n');
	}
}
