/* SPDX-License-Identifier: MIT
 *
 * Two files or more: join, cat.
 */
#include "builtins/xan/xan.h"

struct join_opts {
	struct xan_opts common;
	bool left;
	bool right;
	bool full;
	bool semi;
	bool anti;
	bool ignore_case;
	bool pad;
};

/* The right side: its rows by key, each linked to the next of its key. */
struct side {
	struct reader r;
	struct row *list;
	size_t n;
	size_t *columns;
	size_t ncolumns;
	struct groups keys;
	size_t *first; /* of a key: row + 1 */
	size_t *last;
	size_t *next;
	bool *used;
};

static struct bytes key_of(struct cmd *c, struct row row, const size_t *columns, size_t n,
			   struct buf *out)
{
	const struct join_opts *o = c->opts;
	struct bytes key = xan_key(row, columns, n, out);

	for (size_t i = 0; o->ignore_case && i < out->len; i++)
		if (out->ptr[i] >= 'A' && out->ptr[i] <= 'Z')
			out->ptr[i] = (char)(out->ptr[i] + 32);
	return key;
}

static void read_side(struct cmd *c, struct side *s, const char *columns, int at)
{
	struct buf key = buf_in(c->arena);

	xan_open(&s->r, c, at);
	s->ncolumns = xan_select(&s->r, columns, &s->columns);
	s->n = xan_all(&s->r, &s->list);
	groups_init(&s->keys, c);
	s->first = arena_array(c->arena, s->n + 1, sizeof(size_t));
	s->last = arena_array(c->arena, s->n + 1, sizeof(size_t));
	s->next = arena_array(c->arena, s->n + 1, sizeof(size_t));
	s->used = arena_array(c->arena, s->n + 1, sizeof(bool));
	for (size_t i = 0; i < s->n; i++) {
		bool is_new;
		size_t g = groups_add(
			&s->keys, key_of(c, s->list[i], s->columns, s->ncolumns, &key), &is_new);

		if (is_new)
			s->first[g] = i + 1;
		else
			s->next[s->last[g]] = i + 1;
		s->last[g] = i;
		cmd_charge(c, 1);
	}
}

static void put_both(struct cmd *c, struct row a, size_t na, struct row b, size_t nb)
{
	for (size_t i = 0; i < na; i++)
		xan_put_cell(c, xan_cell(a, i), i == 0);
	for (size_t i = 0; i < nb; i++)
		xan_put_cell(c, xan_cell(b, i), na == 0 && i == 0);
	xan_end_row(c);
}

/* A row of the left side with all that match. */
static void join_row(struct cmd *c, struct reader *left, struct side *s, struct bytes key)
{
	const struct join_opts *o = c->opts;
	size_t g = groups_find(&s->keys, key);
	size_t at = g != SIZE_MAX ? s->first[g] : 0;

	if (o->semi || o->anti) {
		if ((at != 0) == o->semi)
			xan_put_row(c, left->row);
		return;
	}
	if (at == 0 && (o->left || o->full))
		put_both(c, left->row, left->names.n, (struct row){ NULL, 0 }, s->r.names.n);
	for (; at != 0; at = s->next[at - 1]) {
		put_both(c, left->row, left->names.n, s->list[at - 1], s->r.names.n);
		s->used[at - 1] = true;
		cmd_charge(c, 1);
	}
}

static int join_run(struct cmd *c)
{
	const struct join_opts *o = c->opts;
	struct buf key = buf_in(c->arena);
	struct side *s = arena_zalloc(c->arena, sizeof *s);
	struct reader left;
	size_t *columns;
	int status = cmd_operands(c, 3, 4);
	bool four = c->nargs == 4;

	if (status != 0)
		return status;
	/* COLUMNS FILE COLUMNS FILE, or COLUMNS FILE FILE when they have the same names. */
	read_side(c, s, c->args[four ? 2 : 0], four ? 3 : 2);
	xan_open(&left, c, 1);
	size_t n = xan_select(&left, c->args[0], &columns);

	if (n != s->ncolumns)
		return cmd_error(c, 0, "the numbers of columns differ: %d and %d", (int)n,
				 (int)s->ncolumns);
	if (left.named && (o->semi || o->anti))
		xan_put_names(&left);
	else if (left.named)
		put_both(c, left.names, left.names.n, s->r.names, s->r.names.n);
	while (xan_next(&left))
		join_row(c, &left, s, key_of(c, left.row, columns, n, &key));
	for (size_t i = 0; i < s->n && (o->right || o->full); i++)
		if (!s->used[i])
			put_both(c, (struct row){ NULL, 0 }, left.names.n, s->list[i],
				 s->r.names.n);
	xan_close(&left);
	return 0;
}

/* --- cat --- */

static int cat_rows(struct cmd *c)
{
	const struct join_opts *o = c->opts;
	struct row names = { NULL, 0 };

	for (int i = 1; i < c->nargs; i++) {
		struct reader r;

		xan_open(&r, c, i);
		if (i == 1) {
			names = r.names;
			xan_put_names(&r);
		}
		while (xan_next(&r)) {
			/* By name: columns may stand in another order. */
			for (size_t k = 0; k < names.n && !o->common.no_headers; k++) {
				size_t from = 0;

				while (from < r.names.n &&
				       !bytes_eq(r.names.cell[from], names.cell[k]))
					from++;
				xan_put_cell(c, xan_cell(r.row, from), k == 0);
			}
			if (o->common.no_headers)
				xan_put_row(c, r.row);
			else
				xan_end_row(c);
		}
		xan_close(&r);
	}
	return 0;
}

static int cat_columns(struct cmd *c)
{
	size_t n = (size_t)c->nargs - 1;
	struct reader *list = arena_array(c->arena, n + 1, sizeof *list);
	bool *more = arena_array(c->arena, n + 1, sizeof *more);
	bool any = true;

	for (size_t i = 0; i < n; i++)
		xan_open(&list[i], c, (int)i + 1);
	for (bool names = true; any; names = false) {
		bool first = true;

		any = names;
		for (size_t i = 0; i < n && !names; i++)
			any |= more[i] = xan_next(&list[i]);
		for (size_t i = 0; i < n && any && !(names && !list[0].named); i++) {
			for (size_t k = 0; k < list[i].names.n; k++) {
				struct row row = names ? list[i].names : list[i].row;

				xan_put_cell(c, names || more[i] ? xan_cell(row, k) : BYTES(""),
					     first);
				first = false;
			}
		}
		if (!first)
			xan_end_row(c);
	}
	return 0;
}

static int cat_run(struct cmd *c)
{
	if (c->nargs > 0 && strcmp(c->args[0], "rows") == 0)
		return cat_rows(c);
	if (c->nargs > 0 && (strcmp(c->args[0], "cols") == 0 || strcmp(c->args[0], "columns") == 0))
		return cat_columns(c);
	return cmd_usage(c, "rows or cols is needed");
}

static const struct opt join_options[] = {
	XAN_COMMON,
	OPT_FLAG(0, "left", struct join_opts, left, "all rows of the first file"),
	OPT_FLAG(0, "right", struct join_opts, right, "all rows of the second"),
	OPT_FLAG(0, "full", struct join_opts, full, "all rows of both"),
	OPT_FLAG(0, "semi", struct join_opts, semi, "only rows of the first that have a match"),
	OPT_FLAG(0, "anti", struct join_opts, anti, "only rows of the first that have none"),
	OPT_FLAG('i', "ignore-case", struct join_opts, ignore_case, "letters match in either case"),
	OPT_END(),
};
static const struct opt cat_options[] = { XAN_COMMON, OPT_END() };

static const struct builtin join_command = {
	.name = "join",
	.usage = "[OPTION]... COLUMNS FILE [COLUMNS] FILE",
	.summary = "Joins the rows of two files whose columns agree.",
	.run = join_run,
	.opts = join_options,
	.opts_size = sizeof(struct join_opts),
	.family = "xan 0.50",
};
static const struct builtin cat_command = {
	.name = "cat",
	.usage = "[OPTION]... rows|cols FILE...",
	.summary = "Puts files below or beside each other.",
	.run = cat_run,
	.opts = cat_options,
	.opts_size = sizeof(struct join_opts),
	.family = "xan 0.50",
};

const struct builtin *const xan_join_commands[] = { &join_command, &cat_command, NULL };
