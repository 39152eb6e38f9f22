/* SPDX-License-Identifier: MIT
 *
 * Modes column, table, box and markdown: all rows are kept, then the columns are as wide as
 * their widest cell. Cells break into lines at line breaks and at the wrap width.
 */
#include "builtins/sqlite3/shell.h"

enum { UNLIMITED = 1000000, TAB_WIDTH = 8 };

struct grid {
	int columns;
	char **cell; /* rows of `columns` each; the first is the header */
	size_t ncells;
	size_t cap;
	bool *ends_row; /* by line below the header: the last of its row */
	size_t cap_lines;
	int *width;
	bool has_breaks; /* some row takes several lines */
	struct arena *arena;
};

/* --- cells --- */

/* Where a line that is full at text + end may better end, with word wrap. */
static size_t word_end(const char *text, size_t end)
{
	size_t k = end;

	while (k > end / 2 && !byte_is_space((unsigned char)text[k - 1]))
		k--;
	if (k > end / 2)
		return k;
	for (k = end; k > end / 2; k--)
		if (byte_is_alnum((unsigned char)text[k - 1]) !=
			    byte_is_alnum((unsigned char)text[k]) &&
		    ((unsigned char)text[k] & 0xc0) != 0x80)
			return k;
	return end;
}

/* The n bytes with tabs as blanks. */
static char *expand_tabs(struct arena *a, const char *text, size_t n)
{
	struct buf out = buf_in(a);
	size_t column = 0;

	for (size_t i = 0; i < n; i++) {
		if (text[i] == '\t') {
			do
				buf_putc(&out, ' ');
			while (++column % TAB_WIDTH != 0);
			continue;
		}
		if (((unsigned char)text[i] & 0xc0) != 0x80)
			column++;
		buf_putc(&out, text[i]);
	}
	return buf_cstr(&out);
}

/* The first line of text, at most `most` characters; *rest is what follows, or NULL. Any control
 * character ends a line. */
static char *cut_line(struct arena *a, const char *text, int most, bool words, const char **rest)
{
	size_t i = 0;
	size_t end;
	int n = 0;

	if (most == 0)
		most = UNLIMITED;
	while (n < most) {
		if ((unsigned char)text[i] >= ' ') {
			n++;
			do
				i++;
			while (((unsigned char)text[i] & 0xc0) == 0x80);
		} else if (text[i] == '\t') {
			do
				n++;
			while (n % TAB_WIDTH != 0 && n < most);
			i++;
		} else {
			break;
		}
	}
	end = i;
	if (n >= most && words) {
		end = word_end(text, i);
		if (end < i)
			for (i = end; text[i] == ' ';)
				i++;
	}
	if (n >= most && (unsigned char)text[i] >= ' ')
		*rest = text + i;
	else if (text[i] == '\r' && text[i + 1] == '\n')
		*rest = text[i + 2] != '\0' ? text + i + 2 : NULL;
	else
		*rest = text[i] == '\0' || text[i + 1] == '\0' ? NULL : text + i + 1;
	return expand_tabs(a, text, end);
}

static char *quoted_value(struct shell *s, sqlite3_stmt *st, int column)
{
	switch (sqlite3_column_type(st, column)) {
	case SQLITE_NULL: return compose(s, "NULL");
	case SQLITE_INTEGER:
	case SQLITE_FLOAT: return compose(s, "%s", sqlite3_column_text(st, column));
	case SQLITE_BLOB: {
		const unsigned char *blob = sqlite3_column_blob(st, column);
		struct buf out = buf_in(&s->scratch);

		buf_puts(&out, "x'");
		for (int i = 0; i < sqlite3_column_bytes(st, column); i++)
			buf_printf(&out, "%02x", blob[i]);
		buf_puts(&out, "'");
		return buf_cstr(&out);
	}
	default: return compose(s, "%Q", sqlite3_column_text(st, column));
	}
}

/* --- the grid --- */

static void add_cell(struct grid *g, char *text)
{
	int column = (int)(g->ncells % (size_t)g->columns);
	int chars = count_chars(text);

	if (g->ncells == g->cap) {
		size_t cap = g->cap != 0 ? 2 * g->cap : 256;

		g->cell = arena_grow(g->arena, g->cell, g->cap * sizeof *g->cell,
				     cap * sizeof *g->cell);
		g->cap = cap;
	}
	g->cell[g->ncells++] = text;
	if (chars > g->width[column])
		g->width[column] = chars;
}

static void mark_line(struct grid *g, size_t line, bool ends)
{
	if (line >= g->cap_lines) {
		size_t cap = g->cap_lines != 0 ? 2 * g->cap_lines : 64;

		g->ends_row = arena_grow(g->arena, g->ends_row, g->cap_lines, cap);
		g->cap_lines = cap;
	}
	g->ends_row[line] = ends;
	if (!ends)
		g->has_breaks = true;
}

static int wrap_of(const struct shell *s, int column)
{
	int width = column < s->nwidth ? s->width[column] : 0;

	if (width == 0)
		return s->look.wrap;
	return width < 0 ? -width : width;
}

static const char *cell_text(struct shell *s, sqlite3_stmt *st, int column)
{
	const char *text;

	if (s->look.quote)
		return quoted_value(s, st, column);
	text = (const char *)sqlite3_column_text(st, column);
	return text != NULL ? text : s->null_value;
}

/* Adds the lines of the row that st stands on. */
static void add_row(struct shell *s, struct grid *g, sqlite3_stmt *st)
{
	const char **rest = arena_array(g->arena, (size_t)g->columns, sizeof *rest);
	bool more;

	for (int i = 0; i < g->columns; i++)
		rest[i] = cell_text(s, st, i);
	do {
		size_t line = g->ncells / (size_t)g->columns - 1;

		more = false;
		for (int i = 0; i < g->columns; i++) {
			const char *text = rest[i] != NULL ? rest[i] : "";

			add_cell(g, cut_line(g->arena, text, wrap_of(s, i), s->look.word_wrap,
					     &rest[i]));
			more = more || rest[i] != NULL;
		}
		mark_line(g, line, !more);
		cmd_charge(s->c, (uint64_t)g->columns);
	} while (more);
}

/* --- printing --- */

struct frame {
	const char *left;
	const char *between;
	const char *right;
};

static void put_rule(struct shell *s, const struct grid *g, const char *dash, struct frame f)
{
	put(s, f.left);
	for (int i = 0; i < g->columns; i++) {
		for (int n = 0; n < g->width[i] + 2; n++)
			put(s, dash);
		put(s, i < g->columns - 1 ? f.between : f.right);
	}
	put(s, "\n");
}

static void put_line(struct shell *s, const struct grid *g, size_t line, struct frame f)
{
	put(s, f.left);
	for (int i = 0; i < g->columns; i++) {
		int width = g->width[i];

		if (i < s->nwidth && s->width[i] < 0)
			width = -width;
		put_padded(s, g->cell[line * (size_t)g->columns + (size_t)i], width);
		put(s, i < g->columns - 1 ? f.between : f.right);
	}
	put(s, "\n");
}

static void put_centred(struct shell *s, const struct grid *g, struct frame f)
{
	put(s, f.left);
	for (int i = 0; i < g->columns; i++) {
		int spare = g->width[i] - count_chars(g->cell[i]);

		put_fill(s, ' ', spare / 2);
		put(s, g->cell[i]);
		put_fill(s, ' ', (spare + 1) / 2);
		put(s, i < g->columns - 1 ? f.between : f.right);
	}
	put(s, "\n");
}

/* What stands around cells, and the rules above, below and between rows. */
struct style {
	struct frame cells;
	const char *dash;
	struct frame top; /* left NULL: none */
	struct frame middle;
	struct frame bottom;
	bool divides; /* `middle` between rows, if one takes several lines */
};

static const struct style styles[] = {
	[MODE_COLUMN] = { .cells = { "", "  ", "" } },
	[MODE_TABLE] = { { "| ", " | ", " |" },
			 "-",
			 { "+", "+", "+" },
			 { "+", "+", "+" },
			 { "+", "+", "+" },
			 true },
	[MODE_BOX] = { { "│ ", " │ ", " │" },
		       "─",
		       { "┌", "┬", "┐" },
		       { "├", "┼", "┤" },
		       { "└", "┴", "┘" },
		       true },
	[MODE_MARKDOWN] = { { "| ", " | ", " |" },
			    "-",
			    { NULL, NULL, NULL },
			    { "|", "|", "|" },
			    { NULL, NULL, NULL },
			    false },
};

static void put_column_header(struct shell *s, const struct grid *g)
{
	if (!s->look.header)
		return;
	put_line(s, g, 0, styles[MODE_COLUMN].cells);
	for (int i = 0; i < g->columns; i++) {
		put_fill(s, '-', g->width[i]);
		put(s, i < g->columns - 1 ? "  " : "\n");
	}
}

static void put_grid(struct shell *s, const struct grid *g)
{
	const struct style *y = &styles[s->look.mode];
	size_t lines = g->ncells / (size_t)g->columns;

	if (s->look.mode == MODE_COLUMN) {
		put_column_header(s, g);
	} else {
		if (y->top.left != NULL)
			put_rule(s, g, y->dash, y->top);
		put_centred(s, g, y->cells);
		put_rule(s, g, y->dash, y->middle);
	}
	for (size_t i = 1; i < lines; i++) {
		put_line(s, g, i, y->cells);
		cmd_charge(s->c, (uint64_t)g->columns);
		if (!g->has_breaks || !g->ends_row[i - 1] || i + 1 == lines)
			continue;
		if (y->divides)
			put_rule(s, g, y->dash, y->middle);
		else if (s->look.mode == MODE_COLUMN)
			put(s, "\n");
	}
	if (y->bottom.left != NULL)
		put_rule(s, g, y->dash, y->bottom);
}

int show_columnar(struct shell *s, sqlite3_stmt *st)
{
	struct arena cells;
	struct grid g = { .columns = sqlite3_column_count(st), .arena = &cells };
	const char *ignored;
	int code;

	arena_init_under(&cells, s->c->arena);
	g.width = arena_array(&cells, (size_t)g.columns + 1, sizeof *g.width);
	for (int i = 0; i < g.columns && i < s->nwidth; i++)
		g.width[i] = s->width[i] < 0 ? -s->width[i] : s->width[i];
	for (int i = 0; i < g.columns; i++)
		add_cell(&g, cut_line(&cells, sqlite3_column_name(st, i), wrap_of(s, i),
				      s->look.word_wrap, &ignored));
	do
		add_row(s, &g, st);
	while ((code = sqlite3_step(st)) == SQLITE_ROW);
	put_grid(s, &g);
	arena_clear(&cells);
	return code;
}
