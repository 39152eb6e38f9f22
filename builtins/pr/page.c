/* SPDX-License-Identifier: MIT
 *
 * Pages: a heading, rows of cells side by side, blank lines.
 */
#include "builtins/pr/pr.h"

/* --- which columns go on --- */

static bool is_open(const struct pr_source *s)
{
	return !s->ended && !s->held;
}

/* Whether any column still has something for this page. */
static bool any_ready(const struct pr *p)
{
	if (p->feed_only)
		return true;
	for (size_t i = 0; i < p->columns; i++) {
		const struct pr_column *col = &p->column[i];

		if (is_open(col->source) || (p->balanced && col->lines > 0))
			return true;
	}
	return false;
}

/* Whether a row can be made. Lines of which nothing fits take no row: without this question such
 * a page would never end (as with GNU's). */
static bool any_lines(const struct pr *p)
{
	for (size_t i = 0; i < p->columns; i++)
		if (p->column[i].lines > 0)
			return true;
	return p->feed_only;
}

/* --- heading --- */

/* Columns of a text; -1 if it has what is not printed, as GNU counts. */
static int64_t text_width(struct pr *p, const char *text)
{
	struct bytes s = bytes_of(text);
	int64_t columns = 0;

	for (size_t i = 0; i < s.len;) {
		uint32_t code = (unsigned char)s.ptr[i];
		size_t n = code < 0x80 || !p->c->utf8 ? 1 : utf8_decode(s, i, &code);
		int width = n == 1   ? (byte_is_print((int)code) ? 1 : -1)
			    : n == 0 ? -1
				     : utf8_width(code);

		if (width < 0)
			return -1;
		columns += width;
		i += n;
	}
	return columns;
}

static void put_blanks(struct pr *p, int64_t n)
{
	do
		cmd_putc(p->c, ' ');
	while (--n > 0);
}

static void put_heading(struct pr *p)
{
	const struct pr_opts *o = p->o;
	struct buf page = buf_in(&p->cells);
	const char *date = buf_cstr(&p->date);
	int64_t room;

	if (!p->heading_due)
		return;
	p->heading_due = false;
	p->sheet.position = 0;
	pr_sheet_move(p, o->margin);
	pr_sheet_flush(p);
	cmd_puts(p->c, "\n\n");
	for (int64_t i = 0; i < o->margin; i++)
		cmd_putc(p->c, ' ');
	buf_printf(&page, "Page %llu", (unsigned long long)p->page);
	room = o->width - text_width(p, date) - text_width(p, p->title) - (int64_t)page.len;
	room = room < 0 ? 0 : room;
	cmd_charge_bytes(p->c, (size_t)room);
	cmd_puts(p->c, date);
	put_blanks(p, room / 2);
	cmd_puts(p->c, p->title);
	put_blanks(p, room - room / 2);
	cmd_printf(p->c, "%s\n\n\n", buf_cstr(&page));
	p->sheet.position = 0;
	p->sheet.blanks = 0;
}

/* --- a row --- */

/* Moves to a column and writes the separators before it. */
static void begin_cell(struct pr *p, const struct pr_column *col)
{
	int64_t start = col->start - (int64_t)p->separator.len;

	if (start > 0)
		pr_sheet_move(p, start);
	if (p->use_separator)
		pr_sheet_separators(p);
}

static void put_empty_cell(struct pr *p, const struct pr_column *col)
{
	struct buf number = buf_in(&p->cells);

	begin_cell(p, col);
	if (col->numbered) {
		pr_put_number(p, &number);
		pr_sheet_text(p, buf_bytes(&number));
	}
}

static void put_cell(struct pr *p, const struct pr_column *col, const struct pr_cell *cell)
{
	int64_t sep = (int64_t)p->separator.len;
	struct bytes text = buf_bytes(&cell->text);

	begin_cell(p, col);
	pr_sheet_text(p, bytes_slice(text, 0, cell->number_len));
	if (cell->number_len > 0 && p->columns == 1 && p->o->number.ch == '\t')
		p->sheet.position += p->tab_out.n - p->sheet.position % p->tab_out.n;
	pr_sheet_text(p, bytes_slice(text, cell->number_len, text.len));
	if (p->balanced && p->sheet.blanks == 0) {
		p->sheet.position = col->start + cell->columns;
		if (col->start - sep == p->o->margin)
			p->sheet.position -= sep;
	}
}

/* A row being made. */
struct row {
	bool align;   /* columns of -m so far have ended, and show that if one behind has a line */
	bool started; /* something is on it */
	bool counts;  /* it takes a line of the page */
};

/* Ended columns of -m in front of a line. */
static void put_waiting(struct pr *p)
{
	int64_t n = p->sheet.separators;

	p->sheet.separators = 0;
	for (int64_t i = 0; i < n; i++) {
		put_empty_cell(p, &p->column[i]);
		p->sheet.separators++;
	}
	if (!p->cut)
		p->sheet.blanks = 0;
}

static void take_cell(struct pr *p, struct row *row, size_t i, struct pr_cell *cell)
{
	struct pr_column *col = &p->column[i];

	if (p->balanced)
		*cell = p->stored[col->next++];
	else
		pr_read_cell(p, col, cell);
	if (cell->kind == PR_FEED && p->heading_due) {
		put_heading(p);
		row->counts = true;
	} else if (cell->kind == PR_FEED) {
		p->saw_feed |= p->keep_feeds;
	}
	if (cell->kind != PR_LINE)
		return;
	put_heading(p);
	if (row->align && !row->started)
		put_waiting(p);
	put_cell(p, col, cell);
	row->started = row->counts = true;
}

/* Writes the next row of the page, without its newline. */
static struct row put_row(struct pr *p)
{
	struct row row = { false, false, false };

	pr_sheet_new_row(p);
	if (p->feed_only) {
		p->feed_only = false;
		row.counts = p->heading_due;
		put_heading(p);
		return row;
	}
	for (size_t i = 0; i < p->columns; i++) {
		struct pr_column *col = &p->column[i];
		struct pr_cell cell = { .kind = PR_END };

		if (col->lines > 0 && (p->balanced || is_open(col->source))) {
			take_cell(p, &row, i, &cell);
			col->lines--;
			if ((col->lines == 0 || !is_open(col->source)) && !any_ready(p))
				break;
		}
		/* As GNU does, also behind a last line without newline. */
		if (p->fill == PR_PARALLEL && !is_open(col->source)) {
			if (!row.started)
				row.align = true;
			else if (col->source->ended || cell.kind == PR_FEED || cell.kind == PR_END)
				put_empty_cell(p, col);
		}
		p->sheet.separators += p->use_separator;
	}
	return row;
}

/* --- a page --- */

static void add_stored(struct pr *p, size_t *cap, const struct pr_cell *cell)
{
	if (p->nstored == *cap) {
		size_t old = *cap * sizeof(*p->stored);

		*cap = *cap == 0 ? 64 : *cap * 2;
		p->stored = arena_grow(&p->cells, p->stored, old, *cap * sizeof(*p->stored));
	}
	p->stored[p->nstored++] = *cell;
}

/* Reads what all columns hold, and shares it out evenly. */
static void store_page(struct pr *p)
{
	struct pr_source *s = p->column[0].source;
	uint64_t room = (uint64_t)p->body * p->columns;
	size_t cap = 0;

	p->stored = NULL;
	p->nstored = 0;
	for (uint64_t i = 0; i < room && is_open(s); i++) {
		struct pr_cell cell;

		pr_read_cell(p, &p->column[i / (uint64_t)p->body], &cell);
		p->saw_feed |= cell.kind == PR_FEED && p->keep_feeds;
		if (cell.kind == PR_TOO_WIDE)
			cell.kind = PR_LINE;
		if (is_open(s) || cell.text.len > 0)
			add_stored(p, &cap, &cell);
	}
	p->feed_only = s->held && p->nstored == 0;
	for (size_t i = 0, next = 0; i < p->columns; i++) {
		size_t lines = p->nstored / p->columns + (i < p->nstored % p->columns);

		p->column[i].next = next;
		p->column[i].lines = (int64_t)lines;
		next += lines;
	}
}

static void begin_page(struct pr *p)
{
	arena_clear(&p->cells);
	if (p->balanced) {
		store_page(p);
		return;
	}
	for (size_t i = 0; i < p->columns; i++)
		p->column[i].lines = is_open(p->column[i].source) ? p->body : 0;
}

static void put_newlines(struct pr *p, int64_t n)
{
	if (p->o->form_feed) {
		cmd_putc(p->c, '\f');
		return;
	}
	cmd_charge(p->c, (uint64_t)n / 64 + 1);
	for (; n > 0; n--)
		cmd_putc(p->c, '\n');
}

static void end_page(struct pr *p, int64_t lines_left, bool shown)
{
	if (lines_left == 0)
		for (size_t i = 0; i < p->columns; i++)
			p->column[i].page_full |= is_open(p->column[i].source);
	if (shown && p->headings) {
		put_newlines(p, lines_left + PR_MARGIN_ROWS);
	} else if (p->keep_feeds && p->saw_feed) {
		cmd_putc(p->c, '\f');
		p->saw_feed = false;
	}
	for (size_t i = 0; i < p->nsources; i++)
		p->source[i].held = false;
}

/* Returns false behind the last page. */
static bool put_page(struct pr *p)
{
	int64_t lines_left = p->o->double_space ? p->body * 2 : p->body;
	bool shown = false;

	begin_page(p);
	if (!any_ready(p))
		return false;
	p->heading_due = p->headings;
	while (lines_left > 0 && any_ready(p) && any_lines(p)) {
		struct arena_mark mark = arena_mark(&p->cells);
		struct row row = put_row(p);

		if (!p->balanced)
			arena_release(&p->cells, mark);
		shown |= row.counts;
		if (row.counts) {
			cmd_putc(p->c, '\n');
			lines_left--;
		}
		if (!any_ready(p) && !p->headings)
			break;
		if (p->o->double_space && shown) {
			cmd_putc(p->c, '\n');
			lines_left--;
		}
	}
	end_page(p, lines_left, shown);
	return p->page++ < p->o->last;
}

/* --- pages that are not shown --- */

static bool any_open(const struct pr *p)
{
	for (size_t i = 0; i < p->nsources; i++)
		if (is_open(&p->source[i]))
			return true;
	return false;
}

static bool skip_pages(struct pr *p)
{
	for (; p->page < p->o->first; p->page++) {
		for (int64_t row = 1; row <= p->body; row++)
			for (size_t i = 0; i < p->columns; i++)
				if (is_open(p->column[i].source))
					pr_skip_cell(p, &p->column[i], row == p->body,
						     p->fill != PR_PARALLEL || i == 0);
		for (size_t i = 0; i < p->nsources; i++)
			p->source[i].held = false;
		if (!any_open(p)) {
			cmd_error(p->c, 0, "starting page number %llu exceeds page count %llu",
				  (unsigned long long)p->o->first, (unsigned long long)p->page);
			return false;
		}
	}
	return true;
}

/* Where each column begins. Separators count as part of columns, also of the first. */
static void place_columns(struct pr *p)
{
	int64_t sep = (int64_t)p->separator.len;
	int64_t at = p->o->margin;
	bool wide_first = p->fill == PR_PARALLEL && p->o->number.on;

	for (size_t i = 0; i < p->columns; i++) {
		struct pr_column *col = &p->column[i];

		col->source = &p->source[p->fill == PR_PARALLEL ? i : 0];
		col->numbered = p->o->number.on && (p->fill != PR_PARALLEL || i == 0);
		col->start = i == 0 ? at + sep : p->cut ? at : 0;
		at += p->column_width + (i == 0 && wide_first ? p->number_width : 0) + sep;
	}
}

void pr_print(struct pr *p)
{
	p->page = 1;
	p->number = p->o->has_start ? p->o->start : 1;
	p->column = arena_array(p->c->arena, p->columns, sizeof(*p->column));
	place_columns(p);
	if (skip_pages(p))
		while (put_page(p))
			;
}
