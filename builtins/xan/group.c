/* SPDX-License-Identifier: MIT
 *
 * Totals: of a file (agg, stats), of groups of rows (groupby), and how often values occur
 * (frequency).
 */
#include "builtins/xan/xan.h"

#include <math.h>

/* --- totals --- */

static const char *const total_names[] = {
	"count",
	"count_empty",
	"sum",
	"mean",
	"avg",
	"min",
	"max",
	"median",
	"q1",
	"q3",
	"variance",
	"var",
	"stddev",
	"first",
	"last",
	"lex_first",
	"lex_last",
	"mode",
	"distinct_count",
	"cardinality",
	"distinct_values",
	"values",
};

bool total_known(const char *name)
{
	for (size_t i = 0; i < sizeof(total_names) / sizeof(total_names[0]); i++)
		if (strcmp(name, total_names[i]) == 0)
			return true;
	return false;
}

void total_init(struct total *t, bool keeps)
{
	*t = (struct total){ .keeps = keeps, .integers = true, .shortest = SIZE_MAX };
}

static void add_number(struct cmd *c, struct total *t, double d)
{
	double before = t->mean;

	if (t->numbers == 0 || d < t->min)
		t->min = d;
	if (t->numbers == 0 || d > t->max)
		t->max = d;
	if (t->keeps) {
		if (t->numbers == t->cap) {
			size_t cap = t->cap * 2 + 16;

			t->list = pool_resize(c->pool, t->list, t->cap * sizeof d, cap * sizeof d);
			t->cap = cap;
		}
		t->list[t->numbers] = d;
	}
	t->numbers++;
	t->sum += d;
	t->mean += (d - before) / (double)t->numbers;
	t->squares += (d - before) * (d - t->mean);
	t->integers &= d == floor(d);
}

void total_add(struct cmd *c, struct total *t, struct bytes text)
{
	double d;

	if (text.len < t->shortest)
		t->shortest = text.len;
	if (text.len > t->longest)
		t->longest = text.len;
	if (text.len == 0) {
		t->empty++;
		return;
	}
	if (t->count == 0)
		t->first = arena_bytes(c->arena, text);
	if (t->count == 0 || bytes_cmp(text, t->low) < 0)
		t->low = arena_bytes(c->arena, text);
	if (t->count == 0 || bytes_cmp(text, t->high) > 0)
		t->high = arena_bytes(c->arena, text);
	/* The last one, in place when it fits. */
	if (t->last.len < text.len || t->count == 0)
		t->last = arena_bytes(c->arena, text);
	memcpy((char *)(uintptr_t)t->last.ptr, text.ptr, text.len);
	t->last.len = text.len;
	t->count++;
	if (t->keeps) {
		if (t->nseen == t->seen_cap) {
			size_t cap = t->seen_cap * 2 + 16;

			t->seen = pool_resize(c->pool, t->seen, t->seen_cap * sizeof text,
					      cap * sizeof text);
			t->seen_cap = cap;
		}
		t->seen[t->nseen++] = arena_bytes(c->arena, text);
	}
	if (xan_number(text, &d))
		add_number(c, t, d);
}

static int compare_numbers(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static int compare_texts(const void *a, const void *b)
{
	return bytes_cmp(*(const struct bytes *)a, *(const struct bytes *)b);
}

/* Heapsort: in place and never quadratic. */
static void sort_items(struct cmd *c, void *base, size_t n, size_t size,
		       int (*compare)(const void *, const void *))
{
	char *at = base;
	char room[64];

	for (size_t start = n / 2, end = n; end > 1;) {
		if (start > 0) {
			start--;
		} else {
			end--;
			memcpy(room, at, size);
			memcpy(at, at + end * size, size);
			memcpy(at + end * size, room, size);
		}
		for (size_t root = start, kid; (kid = root * 2 + 1) < end; root = kid) {
			if (kid + 1 < end && compare(at + kid * size, at + (kid + 1) * size) < 0)
				kid++;
			if (compare(at + root * size, at + kid * size) >= 0)
				break;
			memcpy(room, at + root * size, size);
			memcpy(at + root * size, at + kid * size, size);
			memcpy(at + kid * size, room, size);
		}
		cmd_charge(c, 1);
	}
}

/* The value below which a part of the numbers lies. */
static double quantile(struct cmd *c, struct total *t, double part)
{
	double place = part * (double)(t->numbers - 1);
	size_t low = (size_t)place;

	sort_items(c, t->list, (size_t)t->numbers, sizeof t->list[0], compare_numbers);
	if (low + 1 >= t->numbers)
		return t->list[low];
	return t->list[low] + (place - (double)low) * (t->list[low + 1] - t->list[low]);
}

/* Runs of equal texts: the longest one, and how many there are. */
static size_t count_runs(struct cmd *c, struct total *t, struct bytes *mode)
{
	size_t runs = 0;
	size_t best = 0;

	sort_items(c, t->seen, t->nseen, sizeof t->seen[0], compare_texts);
	for (size_t i = 0, from = 0; i < t->nseen; i++) {
		if (i > 0 && !bytes_eq(t->seen[i], t->seen[i - 1]))
			from = i;
		runs += from == i;
		if (i - from + 1 > best) {
			best = i - from + 1;
			*mode = t->seen[i];
		}
	}
	return runs;
}

static void put_values(struct cmd *c, struct total *t, bool distinct, struct buf *out)
{
	if (distinct)
		sort_items(c, t->seen, t->nseen, sizeof t->seen[0], compare_texts);
	for (size_t i = 0, n = 0; i < t->nseen; i++) {
		if (distinct && i > 0 && bytes_eq(t->seen[i], t->seen[i - 1]))
			continue;
		if (n++ > 0)
			buf_putc(out, '|');
		buf_add(out, t->seen[i]);
	}
}

static double variance(const struct total *t)
{
	return t->squares / (double)t->numbers;
}

static void put_text_total(struct cmd *c, struct total *t, const char *name, struct buf *out)
{
	struct bytes mode = BYTES("");

	if (strcmp(name, "first") == 0)
		buf_add(out, t->first);
	else if (strcmp(name, "last") == 0)
		buf_add(out, t->last);
	else if (strcmp(name, "lex_first") == 0)
		buf_add(out, t->low);
	else if (strcmp(name, "lex_last") == 0)
		buf_add(out, t->high);
	else if (strcmp(name, "values") == 0 || strcmp(name, "distinct_values") == 0)
		put_values(c, t, name[0] == 'd', out);
	else if (strcmp(name, "mode") == 0 && count_runs(c, t, &mode) > 0)
		buf_add(out, mode);
	else if (strcmp(name, "mode") != 0)
		buf_put_u64(out, count_runs(c, t, &mode));
}

void total_put(struct cmd *c, struct total *t, const char *name, struct buf *out)
{
	if (strcmp(name, "count") == 0)
		buf_put_u64(out, t->count);
	else if (strcmp(name, "count_empty") == 0)
		buf_put_u64(out, t->empty);
	else if (strcmp(name, "sum") == 0)
		xan_put_number(t->sum, out);
	else if (t->numbers == 0 && (strcmp(name, "mean") == 0 || strcmp(name, "avg") == 0 ||
				     strcmp(name, "median") == 0 || name[0] == 'q' ||
				     strncmp(name, "var", 3) == 0 || strcmp(name, "stddev") == 0 ||
				     strcmp(name, "min") == 0 || strcmp(name, "max") == 0))
		return;
	else if (strcmp(name, "mean") == 0 || strcmp(name, "avg") == 0)
		xan_put_number(t->sum / (double)t->numbers, out);
	else if (strcmp(name, "min") == 0)
		xan_put_number(t->min, out);
	else if (strcmp(name, "max") == 0)
		xan_put_number(t->max, out);
	else if (strcmp(name, "median") == 0)
		xan_put_number(quantile(c, t, 0.5), out);
	else if (strcmp(name, "q1") == 0)
		xan_put_number(quantile(c, t, 0.25), out);
	else if (strcmp(name, "q3") == 0)
		xan_put_number(quantile(c, t, 0.75), out);
	else if (strncmp(name, "var", 3) == 0)
		xan_put_number(variance(t), out);
	else if (strcmp(name, "stddev") == 0)
		xan_put_number(sqrt(variance(t)), out);
	else
		put_text_total(c, t, name, out);
}

static bool needs_list(const char *name)
{
	static const char *const streaming[] = { "count",     "count_empty", "sum",   "mean",
						 "avg",       "min",         "max",   "variance",
						 "var",       "stddev",      "first", "last",
						 "lex_first", "lex_last" };

	for (size_t i = 0; i < sizeof(streaming) / sizeof(streaming[0]); i++)
		if (strcmp(name, streaming[i]) == 0)
			return false;
	return true;
}

/* --- agg and groupby --- */

static size_t count_list(const struct named_expr *list)
{
	size_t n = 0;

	for (; list != NULL; list = list->next)
		n++;
	return n;
}

static void init_totals(struct total *t, const struct named_expr *list)
{
	for (; list != NULL; list = list->next)
		total_init(t++, needs_list(list->total));
}

static void add_row(struct reader *r, struct total *t, const struct named_expr *list,
		    uint64_t index)
{
	struct arena_mark mark = arena_mark(r->c->arena);

	(void)mark;
	for (; list != NULL; list = list->next, t++) {
		if (list->expr == NULL) {
			t->count++;
			continue;
		}
		struct value v = expr_eval(list->expr, r, r->row, index);
		struct buf text = buf_in(r->c->arena);

		/* What a comparison gives is counted when it is true. */
		if (v.kind == VALUE_BOOL && strcmp(list->total, "count") == 0) {
			t->count += v.number != 0;
			continue;
		}
		if (v.kind == VALUE_TEXT) {
			total_add(r->c, t, v.text);
			continue;
		}
		value_put(v, &text);
		total_add(r->c, t, buf_bytes(&text));
	}
}

static void put_totals(struct cmd *c, struct total *t, const struct named_expr *list, bool first)
{
	for (; list != NULL; list = list->next, t++) {
		struct buf text = buf_in(c->arena);

		total_put(c, t, list->total, &text);
		xan_put_cell(c, buf_bytes(&text), first);
		first = false;
	}
	xan_end_row(c);
}

static void put_total_names(struct cmd *c, const struct named_expr *list, bool first)
{
	for (; list != NULL; list = list->next) {
		xan_put_cell(c, list->name, first);
		first = false;
	}
	xan_end_row(c);
}

static int agg_run(struct cmd *c)
{
	struct named_expr *list;
	struct total *totals;
	struct reader r;
	uint64_t index = 0;
	int status = cmd_operands(c, 1, 2);

	if (status != 0)
		return status;
	xan_open(&r, c, 1);
	list = expr_parse_list(&r, c->args[0], true);
	totals = arena_array(c->arena, count_list(list), sizeof *totals);
	init_totals(totals, list);
	while (xan_next(&r))
		add_row(&r, totals, list, index++);
	put_total_names(c, list, true);
	put_totals(c, totals, list, true);
	xan_close(&r);
	return 0;
}

struct group_opts {
	struct xan_opts common;
	bool sorted;
	bool keep;
};

static int groupby_run(struct cmd *c)
{
	struct buf key = buf_in(c->arena);
	struct named_expr *list;
	struct total **totals = NULL;
	struct row *rows = NULL;
	struct groups groups;
	struct reader r;
	size_t *columns;
	size_t cap = 0;
	uint64_t index = 0;
	int status = cmd_operands(c, 2, 3);

	if (status != 0)
		return status;
	xan_open(&r, c, 2);
	size_t ncolumns = xan_select(&r, c->args[0], &columns);

	list = expr_parse_list(&r, c->args[1], true);
	groups_init(&groups, c);
	while (xan_next(&r)) {
		bool is_new;
		size_t g = groups_add(&groups, xan_key(r.row, columns, ncolumns, &key), &is_new);

		if (g >= cap) {
			size_t more = cap * 2 + 64;

			totals = pool_resize(c->pool, totals, cap * sizeof *totals,
					     more * sizeof *totals);
			rows = pool_resize(c->pool, rows, cap * sizeof *rows, more * sizeof *rows);
			cap = more;
		}
		if (is_new) {
			totals[g] = arena_array(c->arena, count_list(list), sizeof **totals);
			init_totals(totals[g], list);
			rows[g] = xan_copy(c, r.row);
		}
		add_row(&r, totals[g], list, index++);
	}
	for (size_t i = 0; i < ncolumns; i++)
		xan_put_cell(c, xan_cell(r.names, columns[i]), i == 0);
	put_total_names(c, list, ncolumns == 0);
	for (size_t g = 0; g < groups.n; g++) {
		for (size_t i = 0; i < ncolumns; i++)
			xan_put_cell(c, xan_cell(rows[g], columns[i]), i == 0);
		put_totals(c, totals[g], list, ncolumns == 0);
		cmd_charge(c, 1);
	}
	xan_close(&r);
	return 0;
}

/* --- frequency --- */

struct frequency_opts {
	struct xan_opts common;
	const char *select;
	const char *limit;
	bool all;
	bool no_extra;
};

struct frequency {
	struct groups values;
	uint64_t *count;
	size_t cap;
	uint64_t total;
};

struct ranked {
	uint64_t count;
	struct bytes text;
};

static int by_count(const void *a, const void *b)
{
	const struct ranked *x = a;
	const struct ranked *y = b;

	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return bytes_cmp(x->text, y->text);
}

static void count_value(struct cmd *c, struct frequency *f, struct bytes text)
{
	bool is_new;
	size_t g = groups_add(&f->values, text, &is_new);

	if (g >= f->cap) {
		size_t cap = f->cap * 2 + 64;

		f->count = pool_resize(c->pool, f->count, f->cap * sizeof *f->count,
				       cap * sizeof *f->count);
		f->cap = cap;
	}
	f->count[g] = is_new ? 1 : f->count[g] + 1;
	f->total++;
}

static void put_count(struct cmd *c, struct bytes field, struct bytes value, uint64_t n)
{
	char digits[20];

	xan_put_cell(c, field, true);
	xan_put_cell(c, value.len > 0 ? value : BYTES("<empty>"), false);
	xan_put_cell(c, (struct bytes){ digits, num_format_u64(n, digits) }, false);
	xan_end_row(c);
}

static void put_frequency(struct cmd *c, struct bytes name, const struct frequency *f,
			  uint64_t limit)
{
	const struct frequency_opts *o = c->opts;
	struct ranked *list = arena_array(c->arena, f->values.n + 1, sizeof *list);
	uint64_t rest = f->total;

	for (size_t i = 0; i < f->values.n; i++)
		list[i] = (struct ranked){ f->count[i], f->values.key[i] };
	sort_items(c, list, f->values.n, sizeof *list, by_count);
	for (size_t i = 0; i < f->values.n && i < limit; i++) {
		put_count(c, name, list[i].text, list[i].count);
		rest -= list[i].count;
	}
	if (rest > 0 && !o->no_extra)
		put_count(c, name, BYTES("<rest>"), rest);
}

static int frequency_run(struct cmd *c)
{
	const struct frequency_opts *o = c->opts;
	struct frequency *list;
	struct reader r;
	size_t *columns;
	uint64_t limit = 10;
	int status = cmd_operands(c, 0, 1);

	if (status != 0)
		return status;
	if (o->limit != NULL && !num_plain(o->limit, &limit))
		return cmd_usage(c, "invalid limit: %s", o->limit);
	if (o->all || limit == 0)
		limit = UINT64_MAX;
	xan_open(&r, c, 0);
	size_t n = xan_select(&r, o->select, &columns);

	list = arena_array(c->arena, n + 1, sizeof *list);
	for (size_t i = 0; i < n; i++)
		groups_init(&list[i].values, c);
	while (xan_next(&r))
		for (size_t i = 0; i < n; i++)
			count_value(c, &list[i], xan_cell(r.row, columns[i]));
	xan_put_row(
		c, (struct row){ (struct bytes[]){ BYTES("field"), BYTES("value"), BYTES("count") },
				 3 });
	for (size_t i = 0; i < n; i++)
		put_frequency(c, r.names.cell[columns[i]], &list[i], limit);
	xan_close(&r);
	return 0;
}

/* --- stats --- */

struct stats_opts {
	struct xan_opts common;
	const char *select;
	bool all;
	bool cardinality;
	bool quartiles;
};

static void put_type(const struct total *t, struct buf *out)
{
	bool numbers = t->numbers == t->count;

	if (t->count == 0)
		buf_puts(out, "empty");
	else
		buf_puts(out, !numbers ? "string" : t->integers ? "int" : "float");
}

static const char *const plain_columns[] = { "count",     "count_empty", "type",     "sum",
					     "mean",      "variance",    "stddev",   "min",
					     "max",       "lex_first",   "lex_last", "min_length",
					     "max_length" };

static void put_stat(struct cmd *c, struct total *t, const char *name, bool numbers)
{
	struct buf text = buf_in(c->arena);

	if (strcmp(name, "type") == 0)
		put_type(t, &text);
	else if (strcmp(name, "min_length") == 0)
		buf_put_u64(&text, t->shortest == SIZE_MAX ? 0 : t->shortest);
	else if (strcmp(name, "max_length") == 0)
		buf_put_u64(&text, t->longest);
	else if (numbers || strncmp(name, "count", 5) == 0 || strncmp(name, "lex", 3) == 0 ||
		 strcmp(name, "cardinality") == 0 || strcmp(name, "mode") == 0)
		total_put(c, t, name, &text);
	xan_put_cell(c, buf_bytes(&text), false);
}

static int stats_run(struct cmd *c)
{
	static const char *const quartiles[] = { "q1", "median", "q3" };
	static const char *const counts[] = { "cardinality", "mode" };
	const struct stats_opts *o = c->opts;
	bool quarters = o->all || o->quartiles;
	bool distinct = o->all || o->cardinality;
	struct total *list;
	struct reader r;
	size_t *columns;
	int status = cmd_operands(c, 0, 1);

	if (status != 0)
		return status;
	xan_open(&r, c, 0);
	size_t n = xan_select(&r, o->select, &columns);

	list = arena_array(c->arena, n + 1, sizeof *list);
	for (size_t i = 0; i < n; i++)
		total_init(&list[i], quarters || distinct);
	while (xan_next(&r))
		for (size_t i = 0; i < n; i++)
			total_add(c, &list[i], xan_cell(r.row, columns[i]));
	xan_put_cell(c, BYTES("field"), true);
	for (size_t k = 0; k < sizeof(plain_columns) / sizeof(plain_columns[0]); k++)
		xan_put_cell(c, bytes_of(plain_columns[k]), false);
	for (size_t k = 0; quarters && k < 3; k++)
		xan_put_cell(c, bytes_of(quartiles[k]), false);
	for (size_t k = 0; distinct && k < 2; k++)
		xan_put_cell(c, bytes_of(counts[k]), false);
	xan_end_row(c);
	for (size_t i = 0; i < n; i++) {
		bool numbers = list[i].numbers > 0 && list[i].numbers == list[i].count;

		xan_put_cell(c, r.names.cell[columns[i]], true);
		for (size_t k = 0; k < sizeof(plain_columns) / sizeof(plain_columns[0]); k++)
			put_stat(c, &list[i], plain_columns[k], numbers);
		for (size_t k = 0; quarters && k < 3; k++)
			put_stat(c, &list[i], quartiles[k], numbers);
		for (size_t k = 0; distinct && k < 2; k++)
			put_stat(c, &list[i], counts[k], numbers);
		xan_end_row(c);
	}
	xan_close(&r);
	return 0;
}

static const struct opt plain_options[] = { XAN_COMMON, OPT_END() };
static const struct opt group_options[] = {
	XAN_COMMON,
	OPT_FLAG('S', "sorted", struct group_opts, sorted, "no effect: groups come as they appear"),
	OPT_END(),
};
static const struct opt frequency_options[] = {
	XAN_COMMON,
	OPT_STR('s', "select", struct frequency_opts, select, NULL, "COLUMNS", "of these"),
	OPT_STR('l', "limit", struct frequency_opts, limit, NULL, "N",
		"the N most frequent (10); 0: all"),
	OPT_FLAG('A', "all", struct frequency_opts, all, "all values"),
	OPT_FLAG('N', "no-extra", struct frequency_opts, no_extra, "no line for the rest"),
	OPT_END(),
};
static const struct opt stats_options[] = {
	XAN_COMMON,
	OPT_STR('s', "select", struct stats_opts, select, NULL, "COLUMNS", "of these"),
	OPT_FLAG('A', "all", struct stats_opts, all, "everything"),
	OPT_FLAG('c', "cardinality", struct stats_opts, cardinality,
		 "how many values, and the mode"),
	OPT_FLAG('q', "quartiles", struct stats_opts, quartiles, "quartiles and the median"),
	OPT_END(),
};

#define COMMAND(id, words, text, table, type)                                                      \
	static const struct builtin id##_command = { .name = #id,                                  \
						     .usage = words,                               \
						     .summary = text,                              \
						     .run = id##_run,                              \
						     .opts = table,                                \
						     .opts_size = sizeof(struct type),             \
						     .family = "xan 0.50" }
COMMAND(agg, "[OPTION]... TOTALS [FILE]", "Writes totals: sum(a) as s, mean(b), count().",
	plain_options, xan_opts);
COMMAND(groupby, "[OPTION]... COLUMNS TOTALS [FILE]",
	"Writes totals of the rows that agree in some columns.", group_options, group_opts);
COMMAND(frequency, "[OPTION]... [FILE]", "Counts how often values occur.", frequency_options,
	frequency_opts);
COMMAND(stats, "[OPTION]... [FILE]", "Writes totals of every column.", stats_options, stats_opts);

const struct builtin *const xan_group_commands[] = { &agg_command, &groupby_command,
						     &frequency_command, &stats_command, NULL };
