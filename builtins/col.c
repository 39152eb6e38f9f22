/* SPDX-License-Identifier: MIT
 *
 * col - take reverse line feeds and overstriking out of text.
 *
 * Text is put on half lines; a row keeps what was written in its columns, in order. Rows are
 * written when more than a window of later ones exist: then nothing can come back to them.
 * Reference: util-linux 2.38.1.
 */
#include "base/sort.h"
#include "builtins/builtin.h"

enum { TAB = 8, WINDOW = 128, BACKSPACE = 8, ESCAPE = 27, SHIFT_IN = 15, SHIFT_OUT = 14 };

struct col_opts {
	bool no_backspaces;
	bool fine;
	bool pass;
	bool tabs;
	bool spaces;
	uint64_t window; /* lines */
};

struct cell {
	uint64_t column;
	uint8_t width;
	uint8_t len;
	bool shifted; /* between shift out and shift in */
	char text[4];
};

struct row {
	struct cell *cells;
	size_t n;
	size_t cap;
};

struct col {
	struct cmd *c;
	const struct col_opts *o;
	struct row *rows; /* of the half lines first, first + 1... */
	size_t nrows;
	size_t cap;
	int64_t first;
	int64_t line;    /* in half lines */
	int64_t deepest; /* that text or a newline has reached */
	uint64_t column;
	uint8_t step; /* of a backspace: the width of the last character */
	bool shifted;
	bool out_shifted;
	bool warned;
	bool started; /* a row was written */
	int64_t out_line;
};

static int opt_lines(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct col_opts *o = c->opts;

	(void)opt;
	const char *digits = arg + strspn(arg, " \t\n\v\f\r");
	bool minus = *digits == '-';

	digits += *digits == '-' || *digits == '+';
	int err = byte_is_digit(*digits) ? num_parse_u64(digits, "", &o->window) : -E_INVAL;

	if (err == 0 && (minus || o->window > UINT32_MAX))
		err = -E_OVERFLOW;
	if (err != 0)
		cmd_fatal(c, err == -E_OVERFLOW ? E_RANGE : 0, "bad -l argument: '%s'", arg);
	if (o->window == 0)
		o->window = 1;
	return 0;
}

static const struct opt col_options[] = {
	OPT_FLAG('b', "no-backspaces", struct col_opts, no_backspaces, "the last character only"),
	OPT_FLAG('f', "fine", struct col_opts, fine, "keep half line feeds forward"),
	OPT_FLAG('p', "pass", struct col_opts, pass, "keep control characters that are not known"),
	OPT_FLAG('h', "tabs", struct col_opts, tabs, "blanks become tabs (the default)"),
	OPT_FLAG('x', "spaces", struct col_opts, spaces, "tabs become blanks"),
	OPT_CALL_ARG('l', "lines", opt_lines, "NUM", "lines that can be gone back to"),
	OPT_END(),
};

/* --- output --- */

/* Rows down to `line`; half lines only if -f says so. */
static void move_down(struct col *k, int64_t line)
{
	int64_t halves = line - k->out_line;

	for (; halves >= 2; halves -= 2)
		cmd_putc(k->c, '\n');
	if (halves == 1)
		cmd_puts(k->c, k->o->fine ? "\0339\r" : "\n");
	k->out_line = line;
}

static void put_gap(struct col *k, uint64_t from, uint64_t to)
{
	bool tabs = !k->o->spaces && to - from > 1;

	while (tabs && from / TAB < to / TAB) {
		cmd_putc(k->c, '\t');
		from = (from / TAB + 1) * TAB;
		cmd_charge(k->c, 1);
	}
	for (; from < to; from++) {
		cmd_putc(k->c, ' ');
		cmd_charge(k->c, 1);
	}
}

static void put_cell(struct col *k, const struct cell *cell)
{
	if (cell->shifted != k->out_shifted)
		cmd_putc(k->c, cell->shifted ? SHIFT_OUT : SHIFT_IN);
	k->out_shifted = cell->shifted;
	cmd_write(k->c, cell->text, cell->len);
}

static int compare_cells(void *arg, const void *a, const void *b)
{
	struct col *k = arg;
	const struct cell *x = a;
	const struct cell *y = b;

	cmd_charge(k->c, 1);
	return x->column < y->column ? -1 : x->column > y->column;
}

static void put_row(struct col *k, struct row *row)
{
	struct pool *pool = k->c->pool;
	struct cell *spare = pool_alloc(pool, row->n * sizeof *spare);
	uint64_t column = 0;

	sort_stable(row->cells, row->n, sizeof *spare, spare, compare_cells, k);
	pool_free(pool, spare, row->n * sizeof *spare);
	for (size_t i = 0; i < row->n;) {
		size_t end = i + 1;

		while (end < row->n && row->cells[end].column == row->cells[i].column)
			end++;
		if (row->cells[i].column > column)
			put_gap(k, column, row->cells[i].column);
		if (k->o->no_backspaces)
			i = end - 1;
		for (; i < end; i++) {
			put_cell(k, &row->cells[i]);
			for (int w = 0; i + 1 < end && w < row->cells[i].width; w++)
				cmd_putc(k->c, BACKSPACE);
		}
		column = row->cells[end - 1].column + row->cells[end - 1].width;
		cmd_charge(k->c, (end - i) / 16 + 1);
	}
}

/* Writes the first n rows and forgets them. */
static void flush_rows(struct col *k, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct row *row = &k->rows[i];

		if (row->n == 0)
			continue;
		if (!k->started)
			k->out_line = k->first + (int64_t)i < 0 ? k->first + (int64_t)i : 0;
		k->started = true;
		move_down(k, k->first + (int64_t)i);
		put_row(k, row);
		pool_free(k->c->pool, row->cells, row->cap * sizeof *row->cells);
	}
	if (k->nrows != n)
		memmove(k->rows, k->rows + n, (k->nrows - n) * sizeof *k->rows);
	k->nrows -= n;
	k->first += (int64_t)n;
}

/* --- input --- */

/* The row of a half line, NULL if it was written already. Half lines are whole ones below,
 * unless -f keeps them. */
static struct row *row_at(struct col *k, int64_t line)
{
	struct pool *pool = k->c->pool;
	size_t window = k->o->window < SIZE_MAX / 8 ? (size_t)k->o->window * 2 : SIZE_MAX / 4;

	if (!k->o->fine && line % 2 != 0)
		line++;
	size_t before = line < k->first ? (size_t)(k->first - line) : 0;

	if (before != 0 && (k->started || k->nrows + before > window))
		return NULL;
	size_t need = before != 0 ? k->nrows + before : (size_t)(line - k->first) + 1;

	if (need > window * 2 && before == 0 && k->nrows > window) {
		flush_rows(k, k->nrows - window);
		return row_at(k, line);
	}
	if (need > k->cap) {
		k->rows = pool_resize(pool, k->rows, k->cap * sizeof *k->rows,
				      need * 2 * sizeof *k->rows);
		k->cap = need * 2;
	}
	if (before != 0) {
		cmd_charge(k->c, k->nrows / 4 + 1);
		memmove(k->rows + before, k->rows, k->nrows * sizeof *k->rows);
		memset(k->rows, 0, before * sizeof *k->rows);
		k->first = line;
		k->nrows = need;
	} else if (need > k->nrows) {
		memset(k->rows + k->nrows, 0, (need - k->nrows) * sizeof *k->rows);
		k->nrows = need;
	}
	return &k->rows[line - k->first];
}

static void put_char(struct col *k, struct bytes ch, uint8_t width)
{
	struct row *row = row_at(k, k->line);
	struct cell cell = {
		.column = k->column, .width = width, .len = (uint8_t)ch.len, .shifted = k->shifted
	};

	k->column += width;
	k->step = width;
	if (row == NULL) {
		if (!k->warned)
			cmd_warn(k->c, 0, "warning: can't back up %s.",
				 k->started ? "-- line already flushed" : "past first line");
		k->warned = true;
		return;
	}
	memcpy(cell.text, ch.ptr, ch.len);
	if (row->n == row->cap) {
		size_t cap = row->cap * 2 + 64;

		row->cells = pool_resize(k->c->pool, row->cells, row->cap * sizeof cell,
					 cap * sizeof cell);
		row->cap = cap;
	}
	row->cells[row->n++] = cell;
	if (k->line > k->deepest)
		k->deepest = k->line;
}

/* ESC and one more byte: line feeds of half and whole lines. Bytes taken. */
static size_t escape(struct col *k, struct bytes line, size_t at)
{
	int which = at + 1 < line.len ? line.ptr[at + 1] : 0;

	switch (which) {
	case 7: k->line -= 2; return 2;
	case '\b': k->line--; return 2;
	case '\t':
		k->line++;
		if (k->line > k->deepest)
			k->deepest = k->line;
		return 2;
	default: return at + 1 < line.len ? 2 : 1;
	}
}

/* One byte that is no character of text: bytes taken. */
static size_t control(struct col *k, struct bytes line, size_t at)
{
	switch (line.ptr[at]) {
	case '\b': k->column -= k->column > k->step ? k->step : k->column; break;
	case '\r': k->column = 0; break;
	case '\t': k->column = (k->column / TAB + 1) * TAB; break;
	case '\v': k->line -= 2; break;
	case SHIFT_IN: k->shifted = false; break;
	case SHIFT_OUT: k->shifted = true; break;
	case ESCAPE: return escape(k, line, at);
	default:
		if (k->o->pass && line.ptr[at] != '\f')
			put_char(k, bytes_slice(line, at, at + 1), 1);
	}
	return 1;
}

static void take_line(struct col *k, struct bytes line)
{
	for (size_t at = 0; at < line.len;) {
		uint32_t ch = (unsigned char)line.ptr[at];
		size_t n = 1;
		int width = 1;

		if (ch == ' ') {
			k->column++;
		} else if (ch < ' ' || ch == 127) {
			n = control(k, line, at);
		} else {
			if (k->c->utf8)
				n = utf8_decode(line, at, &ch);
			if (n > 1)
				width = utf8_width(ch);
			n = n != 0 ? n : 1;
			if (width >= 0)
				put_char(k, bytes_slice(line, at, at + n), (uint8_t)width);
		}
		at += n;
	}
}

static int col_run(struct cmd *c)
{
	const struct col_opts *o = c->opts;
	struct col k = { .c = c, .o = o, .step = 1 };
	struct input in;
	struct bytes line;
	int more;

	if (o->tabs && o->spaces)
		return cmd_error(c, 0, "mutually exclusive arguments: --tabs --spaces");
	if (c->nargs > 0)
		return cmd_usage(c, "bad usage");
	input_open(&in, c, "-");
	while ((more = input_line(&in, '\n', &line)) > 0) {
		take_line(&k, line);
		k.column = 0;
		k.line += 2;
		if (k.line > k.deepest)
			k.deepest = k.line;
		cmd_charge_bytes(c, line.len * 8);
	}
	flush_rows(&k, k.nrows);
	if (k.out_shifted)
		cmd_putc(c, SHIFT_IN);
	if (k.deepest % 2 != 0 && !o->fine)
		k.deepest++;
	if (k.started && k.deepest <= k.out_line)
		k.deepest = k.out_line + 2;
	move_down(&k, k.deepest);
	return more < 0 ? cmd_error(c, more, "-") : 0;
}

static void col_defaults(struct cmd *c)
{
	struct col_opts *o = c->opts;

	o->window = WINDOW;
}

const struct builtin builtin_col = {
	.name = "col",
	.usage = "[OPTION]...",
	.summary = "Takes reverse line feeds and overstriking out of standard input.",
	.run = col_run,
	.opts = col_options,
	.opts_size = sizeof(struct col_opts),
	.defaults = col_defaults,
	.family = "util-linux 2.38.1",
};
