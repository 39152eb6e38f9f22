/* SPDX-License-Identifier: MIT
 *
 * Lines as they stand in a column.
 */
#include "builtins/pr/pr.h"

enum { TAB = 8, CHUNK = 4096 };

static int next_byte(struct pr *p, struct pr_source *s)
{
	int ch = input_byte(&s->in);

	if (ch < -1)
		cmd_fatal(p->c, ch + 1, "%s", cmd_quotef(p->c, s->name));
	return ch;
}

/* A newline behind a form feed belongs to it. */
static void skip_newline(struct pr *p, struct pr_source *s)
{
	int ch = next_byte(p, s);

	if (ch != '\n' && ch >= 0)
		input_unbyte(&s->in);
}

/* Appends a byte as it is shown: how far the position moves. */
static int64_t put_shown(struct pr *p, struct buf *out, int ch, int64_t position)
{
	const struct pr_opts *o = p->o;
	int64_t tab = ch == (unsigned char)p->tab_in.ch ? p->tab_in.n : TAB;

	if (ch == (unsigned char)p->tab_in.ch || ch == '\t') {
		int64_t width = tab - position % tab;

		if (p->expand) {
			cmd_charge_bytes(p->c, (size_t)width);
			buf_fill(out, ' ', (size_t)width);
		} else {
			buf_putc(out, (char)ch);
		}
		return width;
	}
	if (byte_is_print(ch)) {
		buf_putc(out, (char)ch);
		return 1;
	}
	if (o->octal || (o->control && ch >= 0x80)) {
		char text[4] = { '\\', (char)('0' + (ch >> 6)), (char)('0' + (ch >> 3 & 7)),
				 (char)('0' + (ch & 7)) };

		buf_put(out, text, sizeof(text));
		return 4;
	}
	if (o->control) {
		buf_putc(out, '^');
		buf_putc(out, (char)(ch ^ 0x40));
		return 2;
	}
	if (ch == '\b' && position == 0)
		return 0;
	buf_putc(out, (char)ch);
	return ch == '\b' ? -1 : 0;
}

/* The same, unless it goes beyond the edge of the column. */
static bool put_fitting(struct pr *p, struct buf *out, int ch, int64_t *position)
{
	size_t len = out->len;
	int64_t at = *position + put_shown(p, out, ch, *position);

	if (p->cut && at > p->column_width) {
		out->len = len;
		return false;
	}
	*position = at;
	return true;
}

void pr_put_number(struct pr *p, struct buf *out)
{
	char digits[24];
	size_t n = (size_t)p->o->number.n;
	bool negative = p->number < 0;
	size_t len = num_format_u64(negative ? -(uint64_t)p->number : (uint64_t)p->number,
				    digits + 1);
	const char *text = digits + 1;

	if (negative) {
		digits[0] = '-';
		text--;
		len++;
	}
	p->number++;
	if (len < n)
		buf_fill(out, ' ', n - len);
	else
		text += len - n;
	buf_put(out, text, len < n ? len : n);
	cmd_charge_bytes(p->c, n);
	if (p->columns > 1 && p->o->number.ch == '\t')
		buf_fill(out, ' ', (size_t)(p->number_width - p->o->number.n));
	else
		buf_putc(out, p->o->number.ch);
}

/* The rest of a line, of which nothing is shown. */
static void skip_rest(struct pr *p, struct pr_source *s)
{
	for (int ch; (ch = next_byte(p, s)) != '\n';) {
		if (ch == '\f') {
			skip_newline(p, s);
			p->saw_feed |= p->keep_feeds;
			s->held = true;
			return;
		}
		if (ch < 0) {
			s->ended = true;
			return;
		}
	}
}

/* The first byte of a line; a form feed behind a full page does not count. */
static int first_byte(struct pr *p, struct pr_column *column)
{
	struct pr_source *s = column->source;
	int ch = next_byte(p, s);

	if (ch == '\f' && column->page_full && (ch = next_byte(p, s)) == '\n')
		ch = next_byte(p, s);
	column->page_full = false;
	return ch;
}

/* What follows the first character. */
static void read_rest(struct pr *p, struct pr_source *s, struct pr_cell *out, int64_t position)
{
	for (uint64_t n = 1;; n++) {
		int ch = next_byte(p, s);

		if (n % CHUNK == 0)
			cmd_charge_bytes(p->c, CHUNK);
		if (ch == '\n')
			break;
		if (ch == '\f') {
			skip_newline(p, s);
			p->saw_feed |= p->keep_feeds;
			s->held = true;
			break;
		}
		if (ch < 0) {
			s->ended = true;
			break;
		}
		if (!put_fitting(p, &out->text, ch, &position)) {
			skip_rest(p, s);
			break;
		}
	}
	out->columns = position;
}

void pr_read_cell(struct pr *p, struct pr_column *column, struct pr_cell *out)
{
	struct pr_source *s = column->source;
	struct buf first = buf_in(&p->cells);
	int64_t position = 0;
	int ch = first_byte(p, column);

	*out = (struct pr_cell){ .kind = PR_LINE, .text = buf_in(&p->cells) };
	cmd_charge(p->c, 1);
	if (ch == '\f') {
		skip_newline(p, s);
		out->kind = PR_FEED;
		s->held = true;
		return;
	}
	if (ch < 0) {
		s->ended = true;
		out->kind = PR_END;
		return;
	}
	if (ch != '\n' && !put_fitting(p, &first, ch, &position)) {
		out->kind = PR_TOO_WIDE;
		skip_rest(p, s);
		return;
	}
	if (column->numbered) {
		pr_put_number(p, &out->text);
		out->number_len = out->text.len;
		if (p->cut && p->fill != PR_PARALLEL)
			position += p->number_width;
	}
	buf_add(&out->text, buf_bytes(&first));
	out->columns = position;
	if (ch != '\n')
		read_rest(p, s, out, position);
}

/* A form feed in the last line of a page: the one behind the page is another. */
static void forget_full_pages(struct pr *p, const struct pr_source *s)
{
	for (size_t i = 0; i < p->columns; i++)
		p->column[i].page_full &= p->column[i].source != s;
}

void pr_skip_cell(struct pr *p, struct pr_column *column, bool last, bool counted)
{
	struct pr_source *s = column->source;
	int ch = first_byte(p, column);
	bool feed_only = ch == '\f';

	column->page_full = last;
	for (uint64_t n = 1; ch != '\n'; n++) {
		if (n % CHUNK == 0)
			cmd_charge_bytes(p->c, CHUNK);
		if (ch == '\f') {
			if (last)
				forget_full_pages(p, s);
			skip_newline(p, s);
			s->held = true;
			break;
		}
		if (ch < 0) {
			s->ended = true;
			break;
		}
		ch = next_byte(p, s);
	}
	cmd_charge(p->c, 1);
	if (counted && !feed_only && !p->o->has_start)
		p->number++;
}
