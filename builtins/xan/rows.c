/* SPDX-License-Identifier: MIT
 *
 * Subcommands that take rows one at a time, and those that only put them in order.
 */
#include "base/sort.h"
#include "base/regex.h"
#include "builtins/xan/xan.h"

struct rows_opts {
	struct xan_opts common;
	const char *select;
	const char *length;
	const char *start;
	const char *end;
	const char *index;
	const char *column;
	bool invert;
	bool exact;
	bool regex;
	bool ignore_case;
	bool non_empty;
	bool numeric;
	bool reverse;
	bool unique;
	bool last;
	bool just_names;
};

static uint64_t number_or(struct cmd *c, const char *text, uint64_t otherwise)
{
	uint64_t n = otherwise;

	if (text != NULL && !num_plain(text, &n))
		cmd_fatal(c, 0, "invalid number: %s", text);
	return n;
}

static int headers_run(struct cmd *c)
{
	const struct rows_opts *o = c->opts;

	for (int i = 0; i < c->nfiles; i++) {
		struct reader r;

		xan_open(&r, c, i);
		if (c->nfiles > 1)
			cmd_printf(c, "%s%s\n", i > 0 ? "\n" : "", c->files[i]);
		for (size_t k = 0; k < r.names.n; k++) {
			if (!o->just_names)
				cmd_printf(c, "%-3llu ", (unsigned long long)k);
			cmd_bytes(c, r.names.cell[k]);
			cmd_putc(c, '\n');
		}
		xan_close(&r);
	}
	return 0;
}

static int count_run(struct cmd *c)
{
	struct reader r;
	uint64_t n = 0;

	xan_open(&r, c, 0);
	while (xan_next(&r))
		n++;
	cmd_printf(c, "%llu\n", (unsigned long long)n);
	xan_close(&r);
	return 0;
}

static void put_columns(struct cmd *c, struct row row, const size_t *columns, size_t n)
{
	for (size_t i = 0; i < n; i++)
		xan_put_cell(c, xan_cell(row, columns[i]), i == 0);
	xan_end_row(c);
}

static int put_selected(struct cmd *c, const char *selection)
{
	struct reader r;
	size_t *columns = NULL;
	size_t n;

	xan_open(&r, c, 1);
	n = xan_select(&r, selection, &columns);
	if (r.named)
		put_columns(c, r.names, columns, n);
	while (xan_next(&r))
		put_columns(c, r.row, columns, n);
	xan_close(&r);
	return 0;
}

static int select_run(struct cmd *c)
{
	int status = cmd_operands(c, 1, 2);

	return status != 0 ? status : put_selected(c, c->args[0]);
}

static int drop_run(struct cmd *c)
{
	int status = cmd_operands(c, 1, 2);
	struct buf text = buf_in(c->arena);

	if (status != 0)
		return status;
	buf_printf(&text, "!%s", c->args[0]);
	return put_selected(c, buf_cstr(&text));
}

static int filter_run(struct cmd *c)
{
	const struct rows_opts *o = c->opts;
	uint64_t limit = number_or(c, o->length, UINT64_MAX);
	uint64_t index = 0;
	struct reader r;
	struct expr *e;
	int status = cmd_operands(c, 1, 2);

	if (status != 0)
		return status;
	xan_open(&r, c, 1);
	e = expr_parse(&r, c->args[0]);
	xan_put_names(&r);
	while (limit > 0 && xan_next(&r)) {
		struct arena_mark mark = arena_mark(c->arena);
		bool yes = value_is_true(expr_eval(e, &r, r.row, index++));

		if (!r.has_regex)
			arena_release(c->arena, mark);
		if (yes == o->invert)
			continue;
		xan_put_row(c, r.row);
		limit--;
	}
	xan_close(&r);
	return 0;
}

static int map_run(struct cmd *c)
{
	struct named_expr *list;
	struct reader r;
	uint64_t index = 0;
	int status = cmd_operands(c, 1, 3);
	struct vfs_stat st;
	bool old = c->nargs == 3 || (c->nargs == 2 && cmd_stat(c, c->args[1], &st) < 0);

	if (status != 0)
		return status;
	xan_open(&r, c, old ? 2 : 1);
	list = expr_parse_list(&r, c->args[0], false);
	/* "map EXPR NAME" is the older form of "map 'EXPR as NAME'". */
	if (old)
		list->name = bytes_of(c->args[1]);
	for (size_t i = 0; i < r.names.n && r.named; i++)
		xan_put_cell(c, r.names.cell[i], i == 0);
	for (struct named_expr *e = list; e != NULL && r.named; e = e->next)
		xan_put_cell(c, e->name, r.names.n == 0 && e == list);
	if (r.named)
		xan_end_row(c);
	xan_out(c);
	for (; xan_next(&r); index++) {
		struct arena_mark mark = arena_mark(c->arena);

		for (size_t i = 0; i < r.row.n; i++)
			xan_put_cell(c, r.row.cell[i], i == 0);
		for (struct named_expr *e = list; e != NULL; e = e->next) {
			struct buf text = buf_in(c->arena);

			value_put(expr_eval(e->expr, &r, r.row, index), &text);
			xan_put_cell(c, buf_bytes(&text), false);
		}
		xan_end_row(c);
		if (!r.has_regex)
			arena_release(c->arena, mark);
	}
	xan_close(&r);
	return 0;
}

/* --- search --- */

static struct regex *search_pattern(struct cmd *c, const char *text)
{
	const struct rows_opts *o = c->opts;
	unsigned flags = (o->regex ? (unsigned)REGEX_PERL : (unsigned)REGEX_FIXED) | REGEX_UTF8 |
			 (o->ignore_case ? (unsigned)REGEX_ICASE : 0);
	const char *message;
	struct regex *re;
	size_t offset;

	if (regex_compile(c->arena, bytes_of(text), flags, &re, &message, &offset) != 0)
		cmd_fatal(c, 0, "regex parse error: %s", message);
	regex_set_work(re, cmd_work, c);
	return re;
}

static bool cell_matches(const struct rows_opts *o, struct regex *re, struct bytes cell)
{
	struct regex_span m;

	if (o->non_empty)
		return cell.len > 0;
	if (regex_search(re, cell, 0, 0, &m, 1) != 0)
		return false;
	return !o->exact || (m.from == 0 && m.to == cell.len);
}

static int search_run(struct cmd *c)
{
	const struct rows_opts *o = c->opts;
	uint64_t limit = number_or(c, o->length, UINT64_MAX);
	struct regex *re = NULL;
	struct reader r;
	size_t *columns;
	int status = cmd_operands(c, o->non_empty ? 0 : 1, 2);

	if (status != 0)
		return status;
	if (!o->non_empty)
		re = search_pattern(c, c->args[0]);
	xan_open(&r, c, o->non_empty ? 0 : 1);
	size_t n = xan_select(&r, o->select, &columns);

	xan_put_names(&r);
	while (limit > 0 && xan_next(&r)) {
		bool found = false;

		for (size_t i = 0; i < n && !found; i++)
			found = cell_matches(o, re, xan_cell(r.row, columns[i]));
		if (found == o->invert)
			continue;
		xan_put_row(c, r.row);
		limit--;
	}
	xan_close(&r);
	return 0;
}

/* --- parts --- */

static int put_range(struct cmd *c, uint64_t from, uint64_t to)
{
	struct reader r;

	xan_open(&r, c, 0);
	xan_put_names(&r);
	for (uint64_t i = 0; i < to && xan_next(&r); i++)
		if (i >= from)
			xan_put_row(c, r.row);
	xan_close(&r);
	return 0;
}

static int head_run(struct cmd *c)
{
	const struct rows_opts *o = c->opts;

	return put_range(c, 0, number_or(c, o->length, 10));
}

static int tail_run(struct cmd *c)
{
	const struct rows_opts *o = c->opts;
	uint64_t length = number_or(c, o->length, 10);
	struct reader r;
	struct row *list;

	xan_open(&r, c, 0);
	xan_put_names(&r);
	size_t n = xan_all(&r, &list);

	for (size_t i = length < n ? n - (size_t)length : 0; i < n; i++)
		xan_put_row(c, list[i]);
	xan_close(&r);
	return 0;
}

static int slice_run(struct cmd *c)
{
	const struct rows_opts *o = c->opts;
	uint64_t from = number_or(c, o->start, 0);
	uint64_t length = number_or(c, o->length, UINT64_MAX);
	uint64_t to = number_or(c, o->end, UINT64_MAX);

	if (o->index != NULL) {
		from = number_or(c, o->index, 0);
		length = 1;
	}
	if (length < UINT64_MAX - from && from + length < to)
		to = from + length;
	return put_range(c, from, to);
}

static int behead_run(struct cmd *c)
{
	struct reader r;

	xan_open(&r, c, 0);
	while (xan_next(&r))
		xan_put_row(c, r.row);
	xan_close(&r);
	return 0;
}

static int enum_run(struct cmd *c)
{
	const struct rows_opts *o = c->opts;
	uint64_t n = number_or(c, o->start, 0);
	struct reader r;

	xan_open(&r, c, 0);
	if (r.named) {
		xan_put_cell(c, bytes_of(o->column != NULL ? o->column : "index"), true);
		for (size_t i = 0; i < r.names.n; i++)
			xan_put_cell(c, r.names.cell[i], false);
		xan_end_row(c);
	}
	while (xan_next(&r)) {
		char digits[20];

		xan_put_cell(c, (struct bytes){ digits, num_format_u64(n++, digits) }, true);
		for (size_t i = 0; i < r.row.n; i++)
			xan_put_cell(c, r.row.cell[i], false);
		xan_end_row(c);
	}
	xan_close(&r);
	return 0;
}

static int rename_run(struct cmd *c)
{
	const struct rows_opts *o = c->opts;
	struct reader r;
	size_t *columns;
	size_t at = 0;
	int status = cmd_operands(c, 1, 2);

	if (status != 0)
		return status;
	xan_open(&r, c, 1);
	size_t n = xan_select(&r, o->select, &columns);
	const char *text = c->args[0];

	for (; at < n; at++) {
		size_t len = strcspn(text, ",");

		r.names.cell[columns[at]] = (struct bytes){ text, len };
		text += len;
		if (*text == '\0')
			break;
		text++;
	}
	if (*text != '\0' || at + 1 != n)
		return cmd_error(c, 0, "the number of new names is not that of the columns, %d",
				 (int)n);
	xan_put_row(c, r.names);
	while (xan_next(&r))
		xan_put_row(c, r.row);
	xan_close(&r);
	return 0;
}

/* --- order --- */

struct sorting {
	struct cmd *c;
	const struct rows_opts *o;
	const size_t *columns;
	size_t n;
};

static int compare_cells(const struct sorting *s, struct bytes a, struct bytes b)
{
	double x;
	double y;

	if (!s->o->numeric)
		return bytes_cmp(a, b);
	bool first = xan_number(a, &x);
	bool second = xan_number(b, &y);

	if (!first || !second)
		return first != second ? (first ? -1 : 1) : bytes_cmp(a, b);
	return x < y ? -1 : x > y;
}

static int compare_rows(const struct sorting *s, struct row a, struct row b)
{
	int order = 0;

	for (size_t i = 0; i < s->n && order == 0; i++)
		order = compare_cells(s, xan_cell(a, s->columns[i]), xan_cell(b, s->columns[i]));
	return s->o->reverse ? -order : order;
}

static int compare_in_turn(void *arg, const void *a, const void *b)
{
	const struct sorting *s = arg;

	cmd_charge(s->c, 1);
	return compare_rows(s, *(const struct row *)a, *(const struct row *)b);
}

static int sort_run(struct cmd *c)
{
	const struct rows_opts *o = c->opts;
	struct sorting s = { .c = c, .o = o };
	struct reader r;
	struct row *list;
	size_t *columns;

	xan_open(&r, c, 0);
	s.n = xan_select(&r, o->select, &columns);
	s.columns = columns;
	xan_put_names(&r);
	size_t n = xan_all(&r, &list);

	sort_stable(list, n, sizeof *list, arena_array(c->arena, n, sizeof *list), compare_in_turn,
		    &s);
	for (size_t i = 0; i < n; i++)
		if (!o->unique || i == 0 || compare_rows(&s, list[i - 1], list[i]) != 0)
			xan_put_row(c, list[i]);
	xan_close(&r);
	return 0;
}

static int reverse_run(struct cmd *c)
{
	struct reader r;
	struct row *list;

	xan_open(&r, c, 0);
	xan_put_names(&r);
	for (size_t n = xan_all(&r, &list); n > 0; n--)
		xan_put_row(c, list[n - 1]);
	xan_close(&r);
	return 0;
}

static int dedup_run(struct cmd *c)
{
	const struct rows_opts *o = c->opts;
	struct buf key = buf_in(c->arena);
	struct groups groups;
	struct reader r;
	struct row *kept = NULL;
	size_t *columns;
	size_t cap = 0;

	xan_open(&r, c, 0);
	size_t n = xan_select(&r, o->select, &columns);

	groups_init(&groups, c);
	xan_put_names(&r);
	while (xan_next(&r)) {
		bool is_new;
		size_t g = groups_add(&groups, xan_key(r.row, columns, n, &key), &is_new);

		if (!o->last && is_new)
			xan_put_row(c, r.row);
		if (!o->last)
			continue;
		if (g >= cap) {
			kept = pool_resize(c->pool, kept, cap * sizeof *kept,
					   (cap * 2 + 64) * sizeof *kept);
			cap = cap * 2 + 64;
		}
		kept[g] = xan_copy(c, r.row);
	}
	for (size_t i = 0; o->last && i < groups.n; i++)
		xan_put_row(c, kept[i]);
	xan_close(&r);
	return 0;
}

/* --- the records --- */

#define SELECT(text) OPT_STR('s', "select", struct rows_opts, select, NULL, "COLUMNS", text)
#define LIMIT(text)  OPT_STR('l', "limit", struct rows_opts, length, NULL, "N", text)

static const struct opt plain_options[] = { XAN_COMMON, OPT_END() };
static const struct opt headers_options[] = {
	XAN_COMMON, OPT_FLAG('j', "just-names", struct rows_opts, just_names, "no numbers"),
	OPT_END()
};
static const struct opt filter_options[] = {
	XAN_COMMON, OPT_FLAG('v', "invert-match", struct rows_opts, invert, "the other rows"),
	LIMIT("at most N rows"), OPT_END()
};
static const struct opt search_options[] = {
	XAN_COMMON,
	SELECT("look only in these"),
	OPT_FLAG('e', "exact", struct rows_opts, exact, "the pattern is the whole cell"),
	OPT_FLAG('r', "regex", struct rows_opts, regex, "the pattern is a regular expression"),
	OPT_FLAG('i', "ignore-case", struct rows_opts, ignore_case, "letters match in either case"),
	OPT_FLAG('v', "invert-match", struct rows_opts, invert, "the other rows"),
	OPT_FLAG('N', "non-empty", struct rows_opts, non_empty,
		 "rows with a cell that is not empty"),
	LIMIT("at most N rows"),
	OPT_END(),
};
static const struct opt length_options[] = { XAN_COMMON, LIMIT("N rows (10)"), OPT_END() };
static const struct opt slice_options[] = {
	XAN_COMMON,
	OPT_STR('s', "start", struct rows_opts, start, NULL, "N",
		"from this row on, counted from 0"),
	OPT_STR('e', "end", struct rows_opts, end, NULL, "N", "up to the row before this"),
	OPT_STR('l', "len", struct rows_opts, length, NULL, "N", "so many rows"),
	OPT_STR('i', "index", struct rows_opts, index, NULL, "N", "only this row"),
	OPT_END(),
};
static const struct opt enum_options[] = {
	XAN_COMMON, OPT_STR('c', "column-name", struct rows_opts, column, NULL, "NAME", "index"),
	OPT_STR('S', "start", struct rows_opts, start, NULL, "N", "first number (0)"), OPT_END()
};
static const struct opt select_only_options[] = { XAN_COMMON, SELECT("only these"), OPT_END() };
static const struct opt sort_options[] = {
	XAN_COMMON,
	SELECT("compare these"),
	OPT_FLAG('N', "numeric", struct rows_opts, numeric, "cells are numbers"),
	OPT_FLAG('R', "reverse", struct rows_opts, reverse, "downwards"),
	OPT_FLAG('u', "uniq", struct rows_opts, unique, "only the first of equal rows"),
	OPT_END(),
};
static const struct opt dedup_options[] = { XAN_COMMON, SELECT("compare these"),
					    OPT_FLAG('l', "keep-last", struct rows_opts, last,
						     "the last of equal rows, not the first"),
					    OPT_END() };

#define COMMAND(id, words, text, table)                                                            \
	static const struct builtin id##_command = { .name = #id,                                  \
						     .usage = words,                               \
						     .summary = text,                              \
						     .run = id##_run,                              \
						     .opts = table,                                \
						     .opts_size = sizeof(struct rows_opts),        \
						     .family = "xan 0.50" }
COMMAND(headers, "[OPTION]... [FILE]...", "Writes the names of columns.", headers_options);
COMMAND(count, "[OPTION]... [FILE]", "Counts rows.", plain_options);
COMMAND(select, "[OPTION]... COLUMNS [FILE]",
	"Only some columns, in any order: name,0,a:c,dim_*,!x.", plain_options);
COMMAND(drop, "[OPTION]... COLUMNS [FILE]", "All but some columns.", plain_options);
COMMAND(filter, "[OPTION]... EXPRESSION [FILE]", "Rows for which an expression is true.",
	filter_options);
COMMAND(map, "[OPTION]... 'EXPRESSION as NAME' [FILE]", "Adds columns made by expressions.",
	plain_options);
COMMAND(search, "[OPTION]... PATTERN [FILE]", "Rows with a cell that contains a text.",
	search_options);
COMMAND(head, "[OPTION]... [FILE]", "The first rows.", length_options);
COMMAND(tail, "[OPTION]... [FILE]", "The last rows.", length_options);
COMMAND(slice, "[OPTION]... [FILE]", "Some rows by their numbers.", slice_options);
COMMAND(behead, "[OPTION]... [FILE]", "All but the row of names.", plain_options);
COMMAND(enum, "[OPTION]... [FILE]", "Adds a column of numbers.", enum_options);
COMMAND(rename, "[OPTION]... NAME,... [FILE]", "Gives columns other names.", select_only_options);
COMMAND(sort, "[OPTION]... [FILE]", "Sorts rows.", sort_options);
COMMAND(reverse, "[OPTION]... [FILE]", "Turns the order of rows round.", plain_options);
COMMAND(dedup, "[OPTION]... [FILE]", "Drops rows that were there before.", dedup_options);

const struct builtin *const xan_rows_commands[] = {
	&headers_command,
	&count_command,
	&select_command,
	&drop_command,
	&filter_command,
	&map_command,
	&search_command,
	&head_command,
	&tail_command,
	&slice_command,
	&behead_command,
	&enum_command,
	&rename_command,
	&sort_command,
	&reverse_command,
	&dedup_command,
	NULL,
};
