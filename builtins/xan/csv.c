/* SPDX-License-Identifier: MIT
 *
 * Rows of CSV: quoted cells may hold delimiters, newlines and doubled quotes. Rows are read one
 * at a time into one buffer.
 */
#include "builtins/xan/xan.h"

/* The delimiter: -d, or by the name's end, or a comma. */
static char delimiter_of(struct cmd *c, const char *path)
{
	const struct xan_opts *o = c->opts;
	size_t len = strlen(path);

	if (o->delimiter != NULL)
		return strcmp(o->delimiter, "\\t") == 0 || strcmp(o->delimiter, "tab") == 0
			       ? '\t'
			       : o->delimiter[0];
	if (len > 4 && (strcmp(path + len - 4, ".tsv") == 0 || strcmp(path + len - 4, ".tab") == 0))
		return '\t';
	return ',';
}

static void end_cell(struct reader *r)
{
	if (r->n == r->cap) {
		size_t cap = r->cap * 2 + 32;

		r->end = pool_resize(r->c->pool, r->end, r->cap * sizeof *r->end,
				     cap * sizeof *r->end);
		r->cap = cap;
	}
	r->end[r->n++] = r->text.len;
}

/* Behind an opening quote: up to the closing one. */
static void read_quoted(struct reader *r)
{
	int ch;

	while ((ch = input_byte(&r->in)) >= 0) {
		if (ch == '"') {
			ch = input_byte(&r->in);
			if (ch != '"') {
				if (ch >= 0)
					input_unbyte(&r->in);
				return;
			}
		}
		buf_putc(&r->text, (char)ch);
	}
}

static void set_row(struct reader *r)
{
	if (r->n > r->cells_cap) {
		size_t cap = r->n * 2;

		r->row.cell = pool_resize(r->c->pool, r->row.cell,
					  r->cells_cap * sizeof *r->row.cell,
					  cap * sizeof *r->row.cell);
		r->cells_cap = cap;
	}
	for (size_t i = 0, from = 0; i < r->n; i++) {
		r->row.cell[i] = bytes_slice(buf_bytes(&r->text), from, r->end[i]);
		from = r->end[i];
	}
	r->row.n = r->n;
}

static bool read_row(struct reader *r)
{
	bool at_start = true;
	int ch = input_byte(&r->in);

	/* Empty lines are no rows. */
	while (ch == '\n' || ch == '\r')
		ch = input_byte(&r->in);
	if (ch < 0)
		return false;
	r->text.len = 0;
	r->n = 0;
	for (;; ch = input_byte(&r->in)) {
		if (ch < 0 || ch == '\n')
			break;
		if (ch == '"' && at_start) {
			read_quoted(r);
			at_start = false;
		} else if (ch == (unsigned char)r->delim) {
			end_cell(r);
			at_start = true;
		} else {
			buf_putc(&r->text, (char)ch);
			at_start = false;
		}
	}
	if (r->text.len > 0 && r->text.ptr[r->text.len - 1] == '\r' &&
	    (r->n == 0 || r->end[r->n - 1] < r->text.len))
		r->text.len--;
	end_cell(r);
	set_row(r);
	cmd_charge_bytes(r->c, r->text.len + 64);
	return true;
}

struct row xan_copy(struct cmd *c, struct row row)
{
	struct row copy = { arena_array(c->arena, row.n + 1, sizeof *copy.cell), row.n };

	for (size_t i = 0; i < row.n; i++)
		copy.cell[i] = arena_bytes(c->arena, row.cell[i]);
	return copy;
}

static void number_columns(struct reader *r)
{
	struct row names = { arena_array(r->c->arena, r->row.n + 1, sizeof *names.cell), r->row.n };

	for (size_t i = 0; i < names.n; i++) {
		char digits[20];

		names.cell[i] = arena_bytes(r->c->arena,
					    (struct bytes){ digits, num_format_u64(i, digits) });
	}
	r->names = names;
	r->pending = true;
}

static void skip_mark(struct reader *r)
{
	static const unsigned char mark[] = { 0xef, 0xbb, 0xbf };
	struct bytes head;

	if (input_block(&r->in, &head) <= 0)
		return;
	/* Given back whole, without the mark. */
	r->in.from -= head.len;
	if (head.len >= 3 && memcmp(head.ptr, mark, 3) == 0)
		r->in.from += 3;
}

void xan_open(struct reader *r, struct cmd *c, int at)
{
	const struct xan_opts *o = c->opts;
	const char *path = at < c->nargs ? c->args[at] : "-";
	int err;

	*r = (struct reader){ .c = c, .text = buf_in(c->arena) };
	r->delim = delimiter_of(c, path);
	err = input_open(&r->in, c, path);
	if (err < 0)
		cmd_fatal(c, err, "%s", path);
	skip_mark(r);
	r->named = !o->no_headers;
	if (!read_row(r))
		return;
	if (r->named)
		r->names = xan_copy(c, r->row);
	else
		number_columns(r);
}

bool xan_next(struct reader *r)
{
	if (r->pending) {
		r->pending = false;
		return true;
	}
	return read_row(r);
}

void xan_close(struct reader *r)
{
	input_close(&r->in);
}

size_t xan_all(struct reader *r, struct row **out)
{
	size_t n = 0;
	size_t cap = 0;

	*out = NULL;
	while (xan_next(r)) {
		if (n == cap) {
			size_t more = cap * 2 + 64;

			*out = pool_resize(r->c->pool, *out, cap * sizeof **out,
					   more * sizeof **out);
			cap = more;
		}
		(*out)[n++] = xan_copy(r->c, r->row);
	}
	return n;
}

/* --- writing --- */

struct output *xan_out(struct cmd *c)
{
	const struct xan_opts *o = c->opts;

	if (o->output != NULL && c->out.fd == 1) {
		int err;

		cmd_flush(c);
		err = output_open(&c->out, c, o->output, O_TRUNC_, false);
		if (err < 0)
			cmd_fatal(c, err, "%s", o->output);
	}
	return &c->out;
}

void xan_put_cell(struct cmd *c, struct bytes text, bool first)
{
	struct output *out = xan_out(c);
	bool quoted = false;

	if (!first)
		output_putc(out, ',');
	for (size_t i = 0; i < text.len && !quoted; i++)
		quoted = text.ptr[i] == ',' || text.ptr[i] == '"' || text.ptr[i] == '\n' ||
			 text.ptr[i] == '\r';
	if (!quoted) {
		output_write(out, text.ptr, text.len);
		return;
	}
	output_putc(out, '"');
	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] == '"')
			output_putc(out, '"');
		output_putc(out, text.ptr[i]);
	}
	output_putc(out, '"');
}

void xan_end_row(struct cmd *c)
{
	output_putc(xan_out(c), '\n');
}

void xan_put_row(struct cmd *c, struct row row)
{
	/* A single empty cell would be an empty line. */
	if (row.n == 1 && row.cell[0].len == 0)
		output_write(xan_out(c), "\"\"", 2);
	else
		for (size_t i = 0; i < row.n; i++)
			xan_put_cell(c, row.cell[i], i == 0);
	xan_end_row(c);
}

void xan_put_names(struct reader *r)
{
	if (r->named && r->names.n > 0)
		xan_put_row(r->c, r->names);
}

void xan_finish(struct cmd *c)
{
	output_flush(&c->out);
}

/* --- columns --- */

struct bytes xan_cell(struct row row, size_t column)
{
	return column < row.n ? row.cell[column] : BYTES("");
}

static void push(struct reader *r, size_t **list, size_t *n, size_t column)
{
	if ((*n & (*n - 1)) == 0) {
		size_t cap = *n == 0 ? 1 : *n * 2;

		*list = arena_grow(r->c->arena, *list, *n * sizeof **list, cap * sizeof **list);
	}
	(*list)[(*n)++] = column;
}

/* A name, or a number from 0 on; negative ones from the end. SIZE_MAX: none. */
static size_t find_column(const struct reader *r, struct bytes text)
{
	uint64_t number = 0;
	bool minus = text.len > 1 && text.ptr[0] == '-';

	cmd_charge(r->c, r->names.n * (text.len / 64 + 1) / 8 + 1);
	for (size_t i = 0; i < r->names.n; i++)
		if (bytes_eq(r->names.cell[i], text))
			return i;
	for (size_t i = minus; i < text.len; i++) {
		if (!byte_is_digit(text.ptr[i]) || number > 100000000)
			return SIZE_MAX;
		number = number * 10 + (uint64_t)(text.ptr[i] - '0');
	}
	if (text.len == 0 || (minus ? number - 1 >= r->names.n : number >= r->names.n))
		return SIZE_MAX;
	return minus ? r->names.n - (size_t)number : (size_t)number;
}

static size_t need_column(struct reader *r, struct bytes text)
{
	size_t column = find_column(r, text);

	if (column == SIZE_MAX)
		cmd_fatal(r->c, 0, "cannot find column \"%.*s\" in header", (int)text.len,
			  text.ptr);
	return column;
}

/* "a:c", ":c", "a:"; "pre*", "*post", "*"; "a". */
static void select_item(struct reader *r, struct bytes item, size_t **list, size_t *n)
{
	const char *colon = item.len > 0 ? memchr(item.ptr, ':', item.len) : NULL;
	size_t star = item.len;

	if (find_column(r, item) != SIZE_MAX) {
		push(r, list, n, find_column(r, item));
		return;
	}
	if (colon != NULL) {
		struct bytes low = bytes_slice(item, 0, (size_t)(colon - item.ptr));
		struct bytes high = bytes_slice(item, low.len + 1, item.len);
		size_t from = low.len > 0 ? need_column(r, low) : 0;
		size_t to = high.len > 0 ? need_column(r, high) : r->names.n - 1;

		for (size_t i = from;; i += from <= to ? 1 : SIZE_MAX) {
			push(r, list, n, i);
			cmd_charge(r->c, 1);
			if (i == to || i >= r->names.n)
				break;
		}
		return;
	}
	if (item.len > 0 && memchr(item.ptr, '*', item.len) != NULL)
		star = (size_t)((const char *)memchr(item.ptr, '*', item.len) - item.ptr);
	if (star == item.len)
		need_column(r, item);
	struct bytes before = bytes_slice(item, 0, star);
	struct bytes behind = bytes_slice(item, star + 1, item.len);

	cmd_charge(r->c, r->names.n / 4);
	for (size_t i = 0; i < r->names.n; i++)
		if (r->names.cell[i].len >= before.len + behind.len &&
		    bytes_starts(r->names.cell[i], before) && bytes_ends(r->names.cell[i], behind))
			push(r, list, n, i);
}

size_t xan_select(struct reader *r, const char *text, size_t **out)
{
	bool invert = text != NULL && *text == '!';
	size_t *list = NULL;
	size_t n = 0;

	if (text == NULL)
		text = "*";
	if (r->names.n == 0)
		return 0;
	for (text += invert; *text != '\0';) {
		struct buf item = buf_in(r->c->arena);
		bool quoted = *text == '"';

		if (quoted) {
			for (text++; *text != '\0' && *text != '"'; text++)
				buf_putc(&item, *text);
			text += *text == '"';
			push(r, &list, &n, need_column(r, buf_bytes(&item)));
		} else {
			size_t len = strcspn(text, ",");

			select_item(r, (struct bytes){ text, len }, &list, &n);
			text += len;
		}
		text += *text == ',';
	}
	if (invert) {
		size_t *rest = NULL;
		size_t m = 0;

		for (size_t i = 0; i < r->names.n; i++) {
			bool listed = false;

			cmd_charge(r->c, n / 8 + 1);
			for (size_t k = 0; k < n; k++)
				listed |= list[k] == i;
			if (!listed)
				push(r, &rest, &m, i);
		}
		list = rest;
		n = m;
	}
	*out = list;
	return n;
}

/* --- keys --- */

struct bytes xan_key(struct row row, const size_t *columns, size_t n, struct buf *out)
{
	out->len = 0;
	for (size_t i = 0; i < n; i++) {
		struct bytes cell = xan_cell(row, columns[i]);

		buf_put_u64(out, cell.len);
		buf_putc(out, ':');
		buf_add(out, cell);
	}
	return buf_bytes(out);
}

void groups_init(struct groups *g, struct cmd *c)
{
	*g = (struct groups){ .c = c };
}

static size_t bucket_of(const struct groups *g, struct bytes key)
{
	size_t at = (size_t)bytes_hash(key) & (g->buckets - 1);

	while (g->bucket[at] != 0 && !bytes_eq(g->key[g->bucket[at] - 1], key))
		at = (at + 1) & (g->buckets - 1);
	return at;
}

static void grow(struct groups *g)
{
	size_t old = g->buckets;
	size_t cap = g->cap * 2 + 64;

	g->key = pool_resize(g->c->pool, g->key, g->cap * sizeof *g->key, cap * sizeof *g->key);
	g->cap = cap;
	pool_free(g->c->pool, g->bucket, old * sizeof *g->bucket);
	g->buckets = 128;
	while (g->buckets < cap * 2)
		g->buckets *= 2;
	g->bucket = pool_zalloc(g->c->pool, g->buckets * sizeof *g->bucket);
	for (size_t i = 0; i < g->n; i++)
		g->bucket[bucket_of(g, g->key[i])] = i + 1;
}

size_t groups_find(struct groups *g, struct bytes key)
{
	return g->buckets == 0 ? SIZE_MAX : g->bucket[bucket_of(g, key)] - 1;
}

size_t groups_add(struct groups *g, struct bytes key, bool *is_new)
{
	size_t at;

	if (g->n == g->cap)
		grow(g);
	at = bucket_of(g, key);
	*is_new = g->bucket[at] == 0;
	if (*is_new) {
		g->key[g->n++] = arena_bytes(g->c->arena, key);
		g->bucket[at] = g->n;
	}
	return g->bucket[at] - 1;
}
