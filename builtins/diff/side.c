/* SPDX-License-Identifier: MIT
 *
 * Side by side output: both files in columns, what happens between them.
 */
#include "builtins/diff/diff.h"

enum { GUTTER_MIN = 3 };

/* Moves from one column to another: with tabs, unless -t. */
static size_t move_to(struct diff_side *s, size_t from, size_t to)
{
	size_t tab = (size_t)s->d->o->tab_size;

	if (to > from)
		cmd_charge_bytes(s->d->c, to - from);
	if (!s->d->o->expand)
		for (size_t at = from + tab - from % tab; at <= to; at += tab) {
			cmd_putc(s->d->c, '\t');
			from = at;
		}
	for (; from < to; from++)
		cmd_putc(s->d->c, ' ');
	return to;
}

/* Columns of a text: where its own are, and how many are written. */
struct columns {
	size_t in;
	size_t out;
};

static void put_tab(struct diff_side *s, struct columns *at)
{
	size_t spaces = (size_t)(s->d->o->tab_size - at->in % s->d->o->tab_size);

	if (at->in == at->out) {
		size_t stop = at->out + spaces;

		if (s->d->o->expand) {
			for (stop = stop < s->half ? stop : s->half; at->out < stop; at->out++)
				cmd_putc(s->d->c, ' ');
		} else if (stop < s->half) {
			at->out = stop;
			cmd_putc(s->d->c, '\t');
		}
	}
	at->in += spaces;
}

static void put_backspace(struct diff_side *s, struct columns *at)
{
	if (at->in == 0 || --at->in >= s->half)
		return;
	if (at->out <= at->in) {
		for (; at->out < at->in; at->out++)
			cmd_putc(s->d->c, ' ');
	} else {
		at->out = at->in;
		cmd_putc(s->d->c, '\b');
	}
}

/* A character: how many bytes it takes. */
static size_t put_character(struct diff_side *s, struct bytes text, size_t i, struct columns *at)
{
	uint32_t code = (unsigned char)text.ptr[i];
	size_t n = code < 0x80 || !s->d->c->utf8 ? 1 : utf8_decode(text, i, &code);
	int width = n == 0                          ? 0
		    : code < 0x80 || !s->d->c->utf8 ? code >= ' ' && code != 0x7f
						    : utf8_width(code);

	n = n == 0 ? 1 : n;
	if (width > 0)
		at->in += (size_t)width;
	if (width > 0 ? at->in <= s->half : at->in < s->half) {
		at->out = width > 0 ? at->in : at->out;
		cmd_write(s->d->c, text.ptr + i, n);
	}
	return n;
}

static size_t put_half(struct diff_side *s, struct bytes text, size_t indent)
{
	struct columns at = { 0, 0 };

	cmd_charge_bytes(s->d->c, text.len);
	for (size_t i = 0; i < text.len;) {
		switch (text.ptr[i]) {
		case '\t':
			put_tab(s, &at);
			i++;
			break;
		case '\r':
			cmd_putc(s->d->c, '\r');
			move_to(s, 0, indent);
			at = (struct columns){ 0, 0 };
			i++;
			break;
		case '\b':
			put_backspace(s, &at);
			i++;
			break;
		default: i += put_character(s, text, i, &at);
		}
	}
	return at.out;
}

static bool ends_in_newline(const struct diff_file *f, size_t n)
{
	return !f->unended || n + 1 < f->n;
}

/* Lines i and k; SIZE_MAX: none. */
static void put_row(struct diff_side *s, size_t i, char sign, size_t k)
{
	struct diff *d = s->d;
	const struct diff_file *a = &d->file[0];
	const struct diff_file *b = &d->file[1];
	bool newline = i != SIZE_MAX && ends_in_newline(a, i);
	size_t column = 0;
	enum diff_part color = sign == '<' ? DIFF_DELETED : sign == '>' ? DIFF_ADDED : DIFF_NO_PART;

	diff_color(d, color);
	if (i != SIZE_MAX)
		column = put_half(s, a->line[i], 0);
	if (sign != ' ') {
		column = move_to(s, column, (s->half + s->second - 1) / 2) + 1;
		if (sign == '|' && newline != ends_in_newline(b, k))
			sign = newline ? '/' : '\\';
		cmd_putc(d->c, sign);
	}
	if (k != SIZE_MAX) {
		newline |= ends_in_newline(b, k);
		if (b->line[k].len > 0) {
			column = move_to(s, column, s->second);
			put_half(s, b->line[k], column);
		}
	}
	if (newline)
		cmd_putc(d->c, '\n');
	if (color != DIFF_NO_PART)
		diff_color(d, DIFF_RESET);
}

void diff_side_common(struct diff_side *s, size_t i_end, size_t k_end)
{
	const struct diff_opts *o = s->d->o;
	size_t i = s->next[0];
	size_t k = s->next[1];

	s->next[0] = i_end;
	s->next[1] = k_end;
	if (o->suppress_common)
		return;
	if (!o->left_column) {
		while (i < i_end && k < k_end)
			put_row(s, i++, ' ', k++);
		while (k < k_end)
			put_row(s, SIZE_MAX, ')', k++);
	}
	while (i < i_end)
		put_row(s, i++, '(', SIZE_MAX);
}

void diff_side_change(struct diff_side *s, const struct diff_change *change)
{
	size_t i = change->line[0];
	size_t k = change->line[1];
	size_t i_end = i + change->count[0];
	size_t k_end = k + change->count[1];

	diff_side_common(s, i, k);
	while (i < i_end && k < k_end)
		put_row(s, i++, '|', k++);
	while (k < k_end)
		put_row(s, SIZE_MAX, '>', k++);
	while (i < i_end)
		put_row(s, i++, '<', SIZE_MAX);
	s->next[0] = i_end;
	s->next[1] = k_end;
}

void diff_side_begin(struct diff_side *s, struct diff *d)
{
	size_t tab = d->o->expand ? 1 : (size_t)d->o->tab_size;
	size_t width = (size_t)d->o->width;
	size_t off = (width + tab + GUTTER_MIN) / (2 * tab) * tab;
	size_t left = off > GUTTER_MIN ? off - GUTTER_MIN : 0;
	size_t right = width > off ? width - off : 0;

	*s = (struct diff_side){ .d = d };
	s->half = left < right ? left : right;
	s->second = s->half > 0 ? off : width;
}

void diff_put_side(struct diff *d)
{
	struct diff_side s;

	diff_side_begin(&s, d);
	for (size_t i = 0; i < d->nchanges; i++)
		if (!d->change[i].ignored)
			diff_side_change(&s, &d->change[i]);
	diff_side_common(&s, d->file[0].n, d->file[1].n);
}
