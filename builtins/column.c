/* SPDX-License-Identifier: MIT
 *
 * column - lines in columns, or fields as a table.
 *
 * All input is read first: widths depend on it. Tables are as wide as their text; wider ones than
 * the output are made to fit where -E, -T and -W allow it.
 */
#include "builtins/builtin.h"

enum { WIDTH_DEFAULT = 80, HEIGHT_DEFAULT = 24, TAB = 8 };

struct column_opts {
	bool table;
	bool json;
	bool fill_rows;
	bool no_headings;
	bool keep_empty;
	bool repeat_header;
	const char *separator;
	const char *output_separator;
	const char *names;
	const char *right;
	const char *hide;
	const char *order;
	const char *title;
	const char *no_extreme;
	const char *truncate;
	const char *wrap;
	const char *tree;
	const char *tree_id;
	const char *tree_parent;
	uint64_t limit;
	uint64_t width;
	bool width_given;
};

struct row {
	struct bytes *cell;
	size_t n;
	size_t depth; /* in its tree; 0: a root */
};

struct table {
	struct cmd *c;
	const struct column_opts *o;
	struct row *row;
	size_t nrows;
	size_t ncolumns;
	struct bytes *name;
	size_t nnames;
	size_t *order; /* columns as they are shown */
	size_t nshown;
	bool *right;
	bool *no_extreme;
	bool *truncate;
	bool *wrap;
	size_t *width;
	size_t *least;      /* that it may be cut to */
	struct bytes *rest; /* of a row's cells: what is not shown yet */
};

static int set_number(struct cmd *c, const char *what, const char *arg, uint64_t *out)
{
	int err = num_parse_u64(*arg == '-' ? arg + 1 : arg, "", out);

	if (err == -E_INVAL)
		return cmd_error(c, 0, "invalid %s argument: '%s'", what, arg);
	if (err < 0 || *arg == '-' || *out > UINT32_MAX)
		return cmd_error(c, 0, "invalid %s argument: '%s': Numerical result out of range",
				 what, arg);
	return 0;
}

static int set_width(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct column_opts *o = c->opts;

	(void)opt;
	o->width_given = true;
	return set_number(c, "columns", arg, &o->width);
}

static int set_limit(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct column_opts *o = c->opts;
	int status = set_number(c, "columns limit", arg, &o->limit);

	(void)opt;
	if (status == 0 && o->limit == 0)
		return cmd_error(c, 0, "columns limit must be greater than zero");
	return status;
}

#define T struct column_opts
static const struct opt column_options[] = {
	OPT_FLAG('t', "table", T, table, "make a table of fields"),
	OPT_STR('n', "table-name", T, title, NULL, "NAME", "of the table in JSON"),
	OPT_STR('O', "table-order", T, order, NULL, "COLUMNS", "which come first"),
	OPT_STR('N', "table-columns", T, names, NULL, "NAMES", "of columns, separated by commas"),
	OPT_CALL_ARG('l', "table-columns-limit", set_limit, "NUM", "at most NUM columns"),
	OPT_FLAG('d', "table-noheadings", T, no_headings, "do not write the names"),
	OPT_STR('H', "table-hide", T, hide, NULL, "COLUMNS", "do not write these"),
	OPT_STR('R', "table-right", T, right, NULL, "COLUMNS", "align these to the right"),
	OPT_FLAG('L', "keep-empty-lines", T, keep_empty, "empty lines are rows"),
	OPT_FLAG(0, "table-empty-lines", T, keep_empty, NULL),
	OPT_FLAG('J', "json", T, json, "write JSON"),
	OPT_STR('s', "separator", T, separator, NULL, "CHARS", "each of these separates fields"),
	OPT_STR('o', "output-separator", T, output_separator, "  ", "STRING",
		"between columns (two blanks)"),
	OPT_CALL_ARG('c', "output-width", set_width, "WIDTH", "of the output (80)"),
	OPT_FLAG('x', "fillrows", T, fill_rows, "fill rows before columns"),
	OPT_STR('E', "table-noextreme", T, no_extreme, NULL, "COLUMNS",
		"their long texts don't make them wide"),
	OPT_STR('T', "table-truncate", T, truncate, NULL, "COLUMNS", "cut these if need be"),
	OPT_STR('W', "table-wrap", T, wrap, NULL, "COLUMNS", "wrap these if need be"),
	OPT_FLAG('e', "table-header-repeat", T, repeat_header, "write the names on each page"),
	OPT_STR('r', "tree", T, tree, NULL, "COLUMN", "shows rows as a tree there"),
	OPT_STR('i', "tree-id", T, tree_id, NULL, "COLUMN", "names of rows"),
	OPT_STR('p', "tree-parent", T, tree_parent, NULL, "COLUMN", "names of rows above"),
	OPT_END(),
};
#undef T

static size_t width_of(struct cmd *c, struct bytes s)
{
	size_t width = 0;

	for (size_t at = 0; at < s.len;) {
		uint32_t code = (unsigned char)s.ptr[at];
		size_t n = code < 0x80 || !c->utf8 ? 1 : utf8_decode(s, at, &code);
		int columns = n == 1 ? code >= ' ' && code != 0x7f : n == 0 ? 1 : utf8_width(code);

		width += columns > 0 ? (size_t)columns : 0;
		at += n > 0 ? n : 1;
	}
	return width;
}

/* --- reading --- */

static void add_row(struct table *t, struct row r)
{
	size_t n = t->nrows;

	if ((n & (n - 1)) == 0)
		t->row = arena_grow(t->c->arena, t->row, n * sizeof(r), (n * 2 + 1) * sizeof(r));
	t->row[t->nrows++] = r;
	t->ncolumns = r.n > t->ncolumns ? r.n : t->ncolumns;
}

static void add_cell(struct cmd *c, struct row *r, struct bytes text)
{
	if ((r->n & (r->n - 1)) == 0)
		r->cell = arena_grow(c->arena, r->cell, r->n * sizeof(text),
				     (r->n * 2 + 1) * sizeof(text));
	r->cell[r->n++] = text;
}

/* The length of the character there, and whether it separates fields. */
static size_t next_char(const struct table *t, struct bytes s, size_t at, bool *separates)
{
	const char *seps = t->o->separator != NULL ? t->o->separator : " \t";
	uint32_t code;
	size_t n = t->c->utf8 && (unsigned char)s.ptr[at] >= 0x80 ? utf8_decode(s, at, &code) : 1;

	if (n == 0)
		n = 1;
	*separates = s.ptr[at] != '\0' &&
		     bytes_find(bytes_of(seps), bytes_slice(s, at, at + n)) != NULL;
	return n;
}

/* Fields: between each two separators, or, without -s, between runs of blanks. */
static struct row split_row(struct table *t, struct bytes s)
{
	const struct column_opts *o = t->o;
	bool greedy = o->separator == NULL;
	struct row r = { .n = 0 };
	size_t at = 0;

	while (at < s.len || (!greedy && r.n > 0 && at == s.len)) {
		size_t from = at, n = 0;
		bool separates = false;

		if (o->limit > 0 && r.n + 1 == o->limit) {
			add_cell(t->c, &r, bytes_slice(s, from, s.len));
			break;
		}
		while (greedy && at < s.len && (n = next_char(t, s, at, &separates), separates))
			at += n;
		from = at;
		if (greedy && at == s.len)
			break;
		while (at < s.len && (n = next_char(t, s, at, &separates), !separates))
			at += n;
		add_cell(t->c, &r, bytes_slice(s, from, at));
		if (at == s.len)
			break;
		at += n;
	}
	cmd_charge_bytes(t->c, s.len);
	return r;
}

/* The line as it is kept: bytes that are no text are written as \\xNN. */
static struct bytes visible_line(struct cmd *c, struct bytes s)
{
	struct buf out = buf_in(c->arena);
	size_t done = 0;

	for (size_t at = 0; at < s.len;) {
		uint32_t code = (unsigned char)s.ptr[at];
		size_t n = code < 0x80 ? 1 : c->utf8 ? utf8_decode(s, at, &code) : 0;

		if (n == 0) {
			buf_put(&out, s.ptr + done, at - done);
			buf_printf(&out, "\\x%02x", (unsigned char)s.ptr[at]);
			done = at + 1;
		}
		at += n != 0 ? n : 1;
	}
	buf_put(&out, s.ptr + done, s.len - done);
	cmd_charge_bytes(c, s.len);
	return buf_bytes(&out);
}

static int read_rows(struct input *in, void *arg)
{
	struct table *t = arg;
	bool fields = t->o->table || t->o->json;
	struct bytes line;
	int more;

	while ((more = input_line(in, '\n', &line)) > 0) {
		size_t blank = 0;

		while (blank < line.len && byte_is_space((unsigned char)line.ptr[blank]))
			blank++;
		if (blank == line.len && !t->o->keep_empty)
			continue;
		struct bytes copy = visible_line(t->c, line);
		struct row r = { .n = 0 };

		if (fields)
			r = split_row(t, copy);
		else
			add_cell(t->c, &r, copy);
		add_row(t, r);
	}
	return more;
}

/* --- which columns --- */

static size_t list_length(const char *list)
{
	size_t n = 1;

	for (; *list != '\0'; list++)
		n += *list == ',';
	return n;
}

static struct bytes list_item(const char **list)
{
	size_t len = strcspn(*list, ",");
	struct bytes item = { *list, len };

	*list += len + ((*list)[len] == ',');
	return item;
}

/* A column by name or number; SIZE_MAX: none that the table has. */
static size_t find_column(struct table *t, struct bytes text)
{
	uint64_t n;

	for (size_t i = 0; i < t->nnames; i++)
		if (bytes_eq(t->name[i], text))
			return i;
	if (!num_plain(arena_dup(t->c->arena, text), &n))
		cmd_fatal_status(t->c, 1, 0, "undefined column name '%.*s'", (int)text.len,
				 text.ptr);
	return n >= 1 && n <= t->ncolumns ? (size_t)n - 1 : SIZE_MAX;
}

static void read_names(struct table *t)
{
	const char *list = t->o->names;

	if (list == NULL)
		return;
	t->name = arena_array(t->c->arena, list_length(list), sizeof(*t->name));
	while (*list != '\0')
		t->name[t->nnames++] = list_item(&list);
	t->ncolumns = t->nnames > t->ncolumns ? t->nnames : t->ncolumns;
}

/* "0" is all of them. */
static bool *mark_columns(struct table *t, const char *list)
{
	bool *marked = arena_array(t->c->arena, t->ncolumns + 1, sizeof(*marked));

	while (list != NULL && *list != '\0') {
		struct bytes item = list_item(&list);

		if (bytes_is(item, "0")) {
			memset(marked, true, t->ncolumns);
			continue;
		}
		size_t column = find_column(t, item);

		if (column != SIZE_MAX)
			marked[column] = true;
	}
	return marked;
}

/* "-" is those without a name. */
static bool *hidden_columns(struct table *t)
{
	bool all = t->o->hide != NULL && strcmp(t->o->hide, "-") == 0;
	bool *hidden = mark_columns(t, all ? NULL : t->o->hide);

	for (size_t i = t->nnames; all && i < t->ncolumns; i++)
		hidden[i] = true;
	return hidden;
}

static void order_columns(struct table *t)
{
	bool *hidden = hidden_columns(t);
	const char *list = t->o->order;

	t->order = arena_array(t->c->arena, t->ncolumns * 2 + 1, sizeof(*t->order));
	while (list != NULL && *list != '\0') {
		size_t column = find_column(t, list_item(&list));

		if (column != SIZE_MAX && !hidden[column]) {
			t->order[t->nshown++] = column;
			hidden[column] = true;
		}
	}
	for (size_t i = 0; i < t->ncolumns; i++)
		if (!hidden[i])
			t->order[t->nshown++] = i;
}

/* --- tables --- */

static struct bytes cell_of(const struct row *r, size_t column)
{
	return column < r->n ? r->cell[column] : BYTES("");
}

/* --- trees --- */

/* Rows by number; SIZE_MAX: none. */
struct forest {
	struct table *t;
	size_t id, above, text; /* columns */
	size_t *parent;
	size_t *first; /* child */
	size_t *next;  /* child of the same parent */
	size_t *head;  /* of the rows whose parents' names have that hash */
	size_t *chain;
	size_t mask;
};

static size_t *indexes(struct table *t, size_t n)
{
	size_t *list = arena_array(t->c->arena, n + 1, sizeof *list);

	memset(list, 0xff, (n + 1) * sizeof *list);
	return list;
}

static size_t bucket_of(const struct forest *f, struct bytes name)
{
	return (size_t)bytes_hash(name) & f->mask;
}

static bool is_above(struct forest *f, size_t above, size_t row)
{
	for (; row != SIZE_MAX && row != above; row = f->parent[row])
		cmd_charge(f->t->c, 1);
	return row == above;
}

/* Each row under the last one that has its parent's name, but never under itself. */
static void find_parents(struct forest *f)
{
	struct table *t = f->t;

	for (size_t i = t->nrows; i-- > 0;) {
		size_t b = bucket_of(f, cell_of(&t->row[i], f->above));

		f->chain[i] = f->head[b];
		f->head[b] = i;
	}
	for (size_t i = 0; i < t->nrows; i++) {
		struct bytes id = cell_of(&t->row[i], f->id);

		for (size_t j = f->head[bucket_of(f, id)]; j != SIZE_MAX; j = f->chain[j]) {
			cmd_charge(t->c, 1);
			if (bytes_eq(cell_of(&t->row[j], f->above), id) && !is_above(f, j, i))
				f->parent[j] = i;
		}
	}
	for (size_t i = t->nrows; i-- > 0;) {
		if (f->parent[i] == SIZE_MAX)
			continue;
		f->next[i] = f->first[f->parent[i]];
		f->first[f->parent[i]] = i;
	}
}

/* The row's text with the lines of the tree in front; what stands in front of its children is
 * `lines`. */
static void draw(struct forest *f, struct row *r, bool last, struct bytes lines)
{
	struct table *t = f->t;
	struct buf text = buf_in(t->c->arena);
	const char *branch = t->c->utf8 ? (last ? "└─" : "├─") : (last ? "`-" : "|-");

	if (r->n <= f->text) {
		struct bytes *cell = arena_zalloc(t->c->arena, (f->text + 1) * sizeof *cell);

		for (size_t k = 0; k <= f->text; k++)
			cell[k] = cell_of(r, k);
		r->cell = cell;
		r->n = f->text + 1;
	}
	buf_add(&text, lines);
	buf_puts(&text, branch);
	buf_add(&text, r->cell[f->text]);
	r->cell[f->text] = buf_bytes(&text);
	cmd_charge_bytes(t->c, text.len);
}

/* Rows in the order of the trees. */
static void grow_trees(struct table *t)
{
	const struct column_opts *o = t->o;
	struct forest f = { .t = t };
	struct row *rows = arena_array(t->c->arena, t->nrows + 1, sizeof *rows);
	struct buf lines = buf_in(t->c->arena);
	const char *down = t->c->utf8 ? "│ " : "| ";
	size_t n = 0;

	f.id = find_column(t, bytes_of(o->tree_id));
	f.above = find_column(t, bytes_of(o->tree_parent));
	f.text = find_column(t, bytes_of(o->tree));
	if (f.id == SIZE_MAX || f.above == SIZE_MAX || f.text == SIZE_MAX)
		return;
	for (f.mask = 1; f.mask < t->nrows; f.mask = f.mask * 2 + 1)
		;
	f.parent = indexes(t, t->nrows);
	f.first = indexes(t, t->nrows);
	f.next = indexes(t, t->nrows);
	f.chain = indexes(t, t->nrows);
	f.head = indexes(t, f.mask);
	find_parents(&f);
	for (size_t root = 0; root < t->nrows; root++) {
		size_t depth = 0;

		/* Down, then right, then up until there is a right. */
		for (size_t at = f.parent[root] == SIZE_MAX ? root : SIZE_MAX; at != SIZE_MAX;) {
			rows[n] = t->row[at];
			rows[n].depth = depth;
			if (depth > 0 && !o->json)
				draw(&f, &rows[n], f.next[at] == SIZE_MAX, buf_bytes(&lines));
			n++;
			if (f.first[at] != SIZE_MAX) {
				if (depth++ > 0)
					buf_puts(&lines, f.next[at] != SIZE_MAX ? down : "  ");
				at = f.first[at];
				continue;
			}
			while (at != SIZE_MAX && f.next[at] == SIZE_MAX) {
				at = f.parent[at];
				if (depth > 0 && --depth > 0)
					lines.len -= f.next[at] != SIZE_MAX ? strlen(down) : 2;
			}
			at = at != SIZE_MAX ? f.next[at] : SIZE_MAX;
		}
		lines.len = 0;
	}
	t->row = rows;
}

/* --- widths --- */

/* Without the texts that are more than twice as wide as the average: SIZE_MAX: there are none.
 * Where most are empty, so that the average is below 1, none is too wide. */
static size_t usual_width(struct table *t, size_t column)
{
	size_t sum = 0;
	size_t most = t->least[column] > 1 ? t->least[column] : 1;

	for (size_t i = 0; i < t->nrows; i++)
		sum += width_of(t->c, cell_of(&t->row[i], column));
	size_t limit = sum / t->nrows * 2;

	if (limit == 0 || t->width[column] <= limit)
		return SIZE_MAX;
	for (size_t i = 0; i < t->nrows; i++) {
		size_t width = width_of(t->c, cell_of(&t->row[i], column));

		if (width <= limit && width > most)
			most = width;
	}
	cmd_charge(t->c, t->nrows / 2 + 1);
	return most;
}

/* Extreme texts stop counting (-E, and in the last column), and the last column that has some
 * gets what is then left. */
static size_t forget_extremes(struct table *t, size_t total, size_t screen)
{
	size_t gets = SIZE_MAX;

	for (size_t i = 0; i < t->nshown && total > screen; i++) {
		size_t k = t->order[i];
		bool last = i + 1 == t->nshown;
		size_t usual = t->no_extreme[k] || last ? usual_width(t, k) : SIZE_MAX;

		if (usual == SIZE_MAX)
			continue;
		total -= t->width[k] - usual;
		t->width[k] = usual;
		gets = k;
	}
	if (gets != SIZE_MAX && total < screen) {
		t->width[gets] += screen - total;
		total = screen;
	}
	return total;
}

/* Columns that may be cut or wrapped lose one character each in turns until the table fits. */
static void fit(struct table *t)
{
	size_t screen = t->o->width < SIZE_MAX / 2 ? (size_t)t->o->width : SIZE_MAX / 2;
	size_t total = (t->nshown - 1) * width_of(t->c, bytes_of(t->o->output_separator));
	bool changed = true;

	for (size_t i = 0; i < t->nshown; i++)
		total += t->width[t->order[i]];
	total = forget_extremes(t, total, screen);
	while (total > screen && changed) {
		changed = false;
		for (size_t i = 0; i < t->nshown && total > screen; i++) {
			size_t k = t->order[i];

			if ((!t->truncate[k] && !t->wrap[k]) || t->width[k] <= t->least[k] ||
			    t->width[k] <= 1)
				continue;
			t->width[k]--;
			total--;
			changed = true;
		}
		cmd_charge(t->c, t->nshown);
	}
}

static void measure(struct table *t)
{
	t->width = arena_array(t->c->arena, t->ncolumns + 1, sizeof(*t->width));
	t->least = arena_array(t->c->arena, t->ncolumns + 1, sizeof(*t->least));
	for (size_t k = 0; k < t->ncolumns; k++) {
		size_t most = k < t->nnames ? width_of(t->c, t->name[k]) : 0;

		t->least[k] = most;
		for (size_t i = 0; i < t->nrows; i++) {
			size_t width = width_of(t->c, cell_of(&t->row[i], k));

			most = width > most ? width : most;
		}
		t->width[k] = most;
		cmd_charge(t->c, t->nrows / 4 + 1);
	}
	if (t->nshown > 0)
		fit(t);
}

/* The first bytes of s that fit into `width` columns, and `least` bytes of it at least. */
static struct bytes head_of(struct cmd *c, struct bytes s, size_t width, size_t least)
{
	size_t at = 0;
	size_t used = 0;

	while (at < s.len) {
		uint32_t code;
		size_t n = c->utf8 ? utf8_decode(s, at, &code) : 1;

		n = n > 0 ? n : 1;
		used += width_of(c, bytes_slice(s, at, at + n));
		if (used > width && at >= least)
			break;
		at += n;
	}
	return bytes_slice(s, 0, at);
}

static void put_blanks(struct cmd *c, size_t n)
{
	cmd_charge(c, n / 16 + 1);
	while (n-- > 0)
		cmd_putc(c, ' ');
}

/* What of the i-th cell goes into this line; what is left of it stays in t->rest. */
static struct bytes take_line(struct table *t, size_t i, size_t column)
{
	struct bytes text = t->rest[i];
	struct bytes head = text;

	if (t->truncate[column] || t->wrap[column])
		head = head_of(t->c, text, t->width[column], t->wrap[column]);
	t->rest[i] = t->wrap[column] ? bytes_slice(text, head.len, text.len) : BYTES("");
	return head;
}

/* A line of a row; true: it needs more of them. A text that is wider than its column has the line
 * for itself, the row goes on below. */
static bool put_line(struct table *t, bool first)
{
	struct cmd *c = t->c;
	struct bytes separator = bytes_of(t->o->output_separator);
	size_t before = 0;
	bool more = false;

	for (size_t i = 0; i < t->nshown; i++) {
		size_t column = t->order[i];
		struct bytes text = take_line(t, i, column);
		size_t used = width_of(c, text);
		size_t width = t->width[column];
		bool last = i + 1 == t->nshown;
		bool right = t->right[column] && first;

		more |= t->rest[i].len > 0;
		before += width;
		if (right && used < width && (!last || text.len > 0))
			put_blanks(c, width - used);
		cmd_bytes(c, text);
		if (last)
			break;
		if (used > width && !t->wrap[column]) {
			cmd_putc(c, '\n');
			put_blanks(c, before);
		} else if (!right) {
			put_blanks(c, used < width ? width - used : 0);
		}
		cmd_bytes(c, separator);
		before += width_of(c, separator);
	}
	cmd_putc(c, '\n');
	cmd_charge(c, t->nshown);
	return more;
}

/* The number of lines written. */
static size_t put_row(struct table *t, const struct row *r)
{
	size_t n = 1;

	for (size_t i = 0; i < t->nshown; i++)
		t->rest[i] = cell_of(r, t->order[i]);
	while (put_line(t, n == 1))
		n++;
	return n;
}

/* Lines of a page (-e), without the names on top. */
static size_t page_height(struct cmd *c)
{
	const char *lines = cmd_getenv(c, "LINES");
	uint64_t n;

	return lines != NULL && num_plain(lines, &n) && n > 0 ? (size_t)n : HEIGHT_DEFAULT;
}

static void put_table(struct table *t)
{
	struct row names = { .cell = t->name, .n = t->nnames };
	bool headings = t->nnames > 0 && !t->o->no_headings;
	size_t page = headings && t->o->repeat_header ? page_height(t->c) : SIZE_MAX;
	size_t lines = 0;

	measure(t);
	t->rest = arena_array(t->c->arena, t->nshown + 1, sizeof *t->rest);
	if (headings)
		put_row(t, &names);
	for (size_t i = 0; i < t->nrows; i++) {
		if (lines >= page) {
			put_row(t, &names);
			lines = 0;
		}
		lines += put_row(t, &t->row[i]);
	}
}

/* --- JSON --- */

static void put_json_text(struct cmd *c, struct bytes s, bool lower)
{
	static const char controls[] = "\bb\ff\nn\rr\tt";
	cmd_putc(c, '"');
	for (size_t i = 0; i < s.len; i++) {
		unsigned char b = (unsigned char)s.ptr[i];
		const char *short_form = b != '\0' && b < ' ' ? strchr(controls, b) : NULL;

		if (short_form != NULL)
			cmd_printf(c, "\\%c", short_form[1]);
		else if (b == '"' || b == '\\')
			cmd_printf(c, "\\%c", b);
		else if (b < ' ')
			cmd_printf(c, "\\u00%02x", b);
		else
			cmd_putc(c, (char)(lower ? byte_to_lower(b) : b));
	}
	cmd_putc(c, '"');
}

static void json_indent(struct cmd *c, size_t levels)
{
	for (size_t i = 0; i < levels; i++)
		cmd_puts(c, "   ");
	cmd_charge(c, levels / 16 + 1);
}

static void put_json_row(struct table *t, const struct row *r, size_t level)
{
	struct cmd *c = t->c;

	cmd_puts(c, "{\n");
	for (size_t k = 0; k < t->nshown; k++) {
		struct bytes text = cell_of(r, t->order[k]);

		json_indent(c, level + 1);
		put_json_text(c, t->name[t->order[k]], true);
		cmd_puts(c, ": ");
		if (text.len > 0)
			put_json_text(c, text, false);
		else
			cmd_puts(c, "null");
		cmd_puts(c, k + 1 < t->nshown ? ",\n" : "");
	}
	cmd_charge(c, t->nshown);
}

/* Rows of a tree nest; in others all have depth 0. */
static void put_json(struct table *t)
{
	struct cmd *c = t->c;
	enum { TOP = 2 };

	cmd_puts(c, "{\n   ");
	put_json_text(c, bytes_of(t->o->title != NULL ? t->o->title : "table"), true);
	cmd_puts(c, ": [\n      ");
	for (size_t i = 0; i < t->nrows; i++) {
		size_t depth = t->row[i].depth;
		size_t next = i + 1 < t->nrows ? t->row[i + 1].depth : 0;

		put_json_row(t, &t->row[i], TOP + depth * 2);
		if (next > depth) {
			cmd_puts(c, ",\n");
			json_indent(c, TOP + depth * 2 + 1);
			cmd_puts(c, "\"children\": [\n");
			json_indent(c, TOP + next * 2);
			continue;
		}
		for (;; depth--) {
			cmd_putc(c, '\n');
			json_indent(c, TOP + depth * 2);
			cmd_putc(c, '}');
			if (depth == next)
				break;
			cmd_putc(c, '\n');
			json_indent(c, TOP + depth * 2 - 1);
			cmd_putc(c, ']');
		}
		if (i + 1 < t->nrows)
			cmd_putc(c, ',');
	}
	cmd_puts(c, "\n   ]\n}\n");
}

/* --- plain lines --- */

static void put_entry(struct table *t, size_t i, size_t width, bool last)
{
	struct bytes text = t->row[i].cell[0];
	size_t used = width_of(t->c, text);

	cmd_bytes(t->c, text);
	for (; !last && used < width; used = (used + TAB) / TAB * TAB)
		cmd_putc(t->c, '\t');
	cmd_charge(t->c, 1);
}

static void put_lines(struct table *t)
{
	size_t longest = 0;
	size_t screen = t->o->width < SIZE_MAX / 2 ? (size_t)t->o->width : SIZE_MAX / 2;

	for (size_t i = 0; i < t->nrows; i++) {
		size_t width = width_of(t->c, t->row[i].cell[0]);

		longest = width > longest ? width : longest;
	}
	size_t width = (longest + TAB) / TAB * TAB;
	size_t across = longest >= screen ? 1 : screen / width;

	/* Rows of more columns than fit none: the real one never ends such a row. */
	if (across == 0)
		across = t->o->fill_rows ? t->nrows : 1;
	size_t down = (t->nrows + across - 1) / across;

	for (size_t row = 0; row < down; row++) {
		for (size_t k = 0; k < across; k++) {
			size_t i = t->o->fill_rows ? row * across + k : k * down + row;
			size_t next = t->o->fill_rows ? i + 1 : i + down;
			bool last = k + 1 == across || next >= t->nrows;

			if (i < t->nrows)
				put_entry(t, i, width, last);
		}
		cmd_putc(t->c, '\n');
	}
}

/* 0, or the status after a message: options that don't go together. */
static int check_options(struct cmd *c, const struct column_opts *o)
{
	const char *of_tables[] = { o->order, o->title,      o->names,    o->hide,
				    o->right, o->no_extreme, o->truncate, o->wrap };

	if (o->fill_rows && (o->table || o->json))
		return cmd_error(c, 0, "mutually exclusive arguments: %s --fillrows",
				 o->json ? "--json" : "--table");
	for (size_t i = 0; !o->table && !o->json && i < sizeof(of_tables) / sizeof(of_tables[0]);
	     i++)
		if (of_tables[i] != NULL)
			return cmd_error(c, 0, "option --table required for all --table-*");
	if (o->json && o->names == NULL)
		return cmd_error(c, 0, "option --table-columns required for --json");
	if (o->tree != NULL && (o->tree_id == NULL || o->tree_parent == NULL))
		return cmd_error(c, 0,
				 "options --tree-id and --tree-parent are required for tree "
				 "formatting");
	return 0;
}

static void set_default_width(struct cmd *c, struct column_opts *o)
{
	const char *columns = cmd_getenv(c, "COLUMNS");
	unsigned terminal = cmd_terminal_columns(c, 1);

	if (!o->width_given && terminal != 0)
		o->width = terminal;
	else if (!o->width_given &&
		 (columns == NULL || !num_plain(columns, &o->width) || o->width == 0))
		o->width = WIDTH_DEFAULT;
}

/* Operands are names of files, "-" too; what can't be read ends the command. */
static int read_files(struct table *t)
{
	struct cmd *c = t->c;
	int status = 0;

	for (int i = 0; i < c->nfiles; i++) {
		struct input in;
		int fd = c->nargs > 0 ? cmd_open(c, CMD_CWD, c->files[i], O_RDONLY_, 0) : 0;

		if (fd < 0) {
			status = cmd_error(c, fd, "%s", c->files[i]);
			continue;
		}
		input_init(&in, c, fd, c->files[i]);
		int err = read_rows(&in, t);

		if (err < 0)
			cmd_fatal(c, err, "read failed");
		input_close(&in);
	}
	return status;
}

static int column_run(struct cmd *c)
{
	struct table *t = arena_zalloc(c->arena, sizeof(*t));
	struct column_opts *o = c->opts;
	int status = check_options(c, o);

	t->c = c;
	t->o = o;
	if (status != 0)
		return status;
	set_default_width(c, o);
	status = read_files(t);
	if (t->nrows == 0)
		return status;
	if (!o->table && !o->json) {
		put_lines(t);
		return status;
	}
	read_names(t);
	for (size_t i = 0; o->json && i < t->nrows; i++)
		if (t->row[i].n > t->nnames)
			return cmd_error(c, 0,
					 "line %zu: for JSON the name of the column %zu is "
					 "required",
					 i + 2, t->nnames + 1);
	order_columns(t);
	t->right = mark_columns(t, o->right);
	t->no_extreme = mark_columns(t, o->no_extreme);
	t->truncate = mark_columns(t, o->truncate);
	t->wrap = mark_columns(t, o->wrap);
	for (size_t k = 0; k < t->ncolumns; k++)
		t->wrap[k] &= !t->truncate[k];
	if (o->tree != NULL)
		grow_trees(t);
	if (o->json)
		put_json(t);
	else
		put_table(t);
	return status;
}

const struct builtin builtin_column = {
	.name = "column",
	.usage = "[OPTION]... [FILE]...",
	.summary = "Writes lines in columns, or fields as a table.",
	.run = column_run,
	.opts = column_options,
	.opts_size = sizeof(struct column_opts),
	.family = "util-linux 2.38.1",
	.flags = BUILTIN_WRITE_BARE,
};
