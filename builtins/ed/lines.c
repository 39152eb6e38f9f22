/* SPDX-License-Identifier: MIT
 *
 * ed's lines: an array with a gap where it was changed last, so that a sequence of changes costs
 * as much as the way between them. All changes are insertions and deletions, which are remembered;
 * undoing them backwards makes the memory of how to do them again.
 */
#include "builtins/ed/ed.h"

enum { LIST_WIDTH = 72 };

static void clear_history(struct ed_history *h)
{
	arena_clear(&h->arena);
	h->step = NULL;
	h->n = 0;
	h->cap = 0;
}

/* --- the array --- */

static size_t slot_of(const struct ed *e, size_t index)
{
	return index < e->gap ? index : index + e->gap_len;
}

struct ed_line *ed_line_at(const struct ed *e, size_t address)
{
	return e->slot[slot_of(e, address - 1)];
}

static void move_gap(struct ed *e, size_t index)
{
	if (index < e->gap)
		memmove(e->slot + index + e->gap_len, e->slot + index,
			(e->gap - index) * sizeof(*e->slot));
	else if (index > e->gap)
		memmove(e->slot + e->gap, e->slot + e->gap + e->gap_len,
			(index - e->gap) * sizeof(*e->slot));
	cmd_charge(e->c, (index < e->gap ? e->gap - index : index - e->gap) / 8 + 1);
	e->gap = index;
}

static void widen_gap(struct ed *e, size_t n)
{
	size_t old = e->nlines + e->gap_len;
	size_t cap = (e->nlines + n) * 2 + 64;

	move_gap(e, e->nlines);
	e->slot = pool_resize(e->c->pool, e->slot, old * sizeof(*e->slot), cap * sizeof(*e->slot));
	e->gap_len = cap - e->nlines;
}

static void put_lines(struct ed *e, size_t after, struct ed_line *const *line, size_t n)
{
	if (n == 0)
		return;
	if (e->gap_len < n)
		widen_gap(e, n);
	move_gap(e, after);
	memcpy(e->slot + e->gap, line, n * sizeof(*line));
	e->gap += n;
	e->gap_len -= n;
	e->nlines += n;
	cmd_charge(e->c, n / 8 + 1);
}

static void drop_lines(struct ed *e, size_t from, size_t n)
{
	move_gap(e, from - 1);
	e->gap_len += n;
	e->nlines -= n;
}

size_t ed_line_address(struct ed *e, const struct ed_line *line, size_t guess)
{
	size_t n = e->nlines;

	if (guess > n)
		guess = n;
	for (size_t d = 0; d <= n; d++) {
		if (guess + d >= 1 && guess + d <= n && ed_line_at(e, guess + d) == line)
			return guess + d;
		if (d < guess && ed_line_at(e, guess - d) == line)
			return guess - d;
		if (d % 8 == 7)
			cmd_charge(e->c, 1);
	}
	return 0;
}

struct ed_line *ed_line_new(struct ed *e, struct bytes text)
{
	struct ed_line *line = arena_alloc(e->c->arena, sizeof(*line));

	*line = (struct ed_line){ .text = text };
	return line;
}

struct ed_lines ed_lines_copy(struct ed *e, size_t from, size_t to)
{
	struct ed_lines copy = { .n = to + 1 - from };

	copy.line = arena_array(e->c->arena, copy.n, sizeof(*copy.line));
	for (size_t i = 0; i < copy.n; i++)
		copy.line[i] = ed_line_at(e, from + i);
	cmd_charge(e->c, copy.n / 8 + 1);
	return copy;
}

void ed_lines_reset(struct ed *e)
{
	e->gap = 0;
	e->gap_len += e->nlines;
	e->nlines = 0;
	e->current = 0;
	e->binary = false;
	e->unterminated = NULL;
	e->list_over = true;
	memset(e->mark, 0, sizeof(e->mark));
	ed_lines_forget(e);
}

/* --- changes --- */

static struct ed_step *add_step(struct ed *e, bool inserted, size_t at, size_t n)
{
	struct ed_history *h = e->undo;

	if (h->n == h->cap) {
		size_t cap = h->cap * 2 + 16;

		h->step = arena_grow(&h->arena, h->step, h->cap * sizeof(*h->step),
				     cap * sizeof(*h->step));
		h->cap = cap;
	}
	h->step[h->n] = (struct ed_step){ .inserted = inserted, .at = at, .n = n };
	return &h->step[h->n++];
}

void ed_lines_insert(struct ed *e, size_t after, struct ed_line *const *line, size_t n)
{
	struct ed_history *h = e->undo;
	struct ed_step *last = h->n > 0 ? &h->step[h->n - 1] : NULL;

	put_lines(e, after, line, n);
	if (last != NULL && last->inserted && last->at + last->n == after + 1)
		last->n += n;
	else
		add_step(e, true, after + 1, n);
}

void ed_lines_delete(struct ed *e, size_t from, size_t to)
{
	struct ed_step *step = add_step(e, false, from, to + 1 - from);

	step->deleted = arena_array(&e->undo->arena, step->n, sizeof(*step->deleted));
	for (size_t i = 0; i < step->n; i++) {
		step->deleted[i] = ed_line_at(e, from + i);
		step->deleted[i]->chosen = false;
	}
	cmd_charge(e->c, step->n / 8 + 1);
	drop_lines(e, from, step->n);
}

void ed_lines_move(struct ed *e, size_t from, size_t to, size_t after)
{
	struct ed_lines moved = ed_lines_copy(e, from, to);

	ed_lines_delete(e, from, to);
	ed_lines_insert(e, after > to ? after - moved.n : after, moved.line, moved.n);
}

/* --- undo --- */

void ed_undo_begin(struct ed *e)
{
	if (e->in_global)
		return;
	clear_history(e->undo);
	e->undo->current = e->current;
	e->undo->modified = e->modified;
	e->undo->some = true;
}

void ed_lines_forget(struct ed *e)
{
	clear_history(e->undo);
	e->undo->some = false;
	e->modified = false;
}

enum ed_result ed_undo_last(struct ed *e)
{
	struct ed_history *old = e->undo;
	struct ed_history *redo = &e->history[old == &e->history[0]];

	if (!old->some || old->n == 0)
		return ed_fail(e, "Nothing to undo");
	clear_history(redo);
	redo->current = e->current;
	redo->modified = e->modified;
	redo->some = true;
	e->undo = redo;
	for (size_t i = old->n; i-- > 0;) {
		struct ed_step *step = &old->step[i];

		if (step->inserted && step->n > 0)
			ed_lines_delete(e, step->at, step->at + step->n - 1);
		else if (!step->inserted)
			ed_lines_insert(e, step->at - 1, step->deleted, step->n);
	}
	e->current = old->current;
	e->modified = old->modified;
	clear_history(old);
	return ED_OK;
}

/* --- printing --- */

/* What stands for a byte in l's output: its length, at most 4. */
static size_t escape(char ch, char out[4])
{
	static const char from[] = "\a\b\f\n\r\t\v\\$";
	static const char to[] = "abfnrtv\\$";
	const char *hit = memchr(from, ch, sizeof(from) - 1);
	unsigned code = (unsigned char)ch;

	out[0] = '\\';
	if (hit != NULL) {
		out[1] = to[hit - from];
		return 2;
	}
	if (byte_is_print((int)code)) {
		out[0] = ch;
		return 1;
	}
	out[1] = (char)('0' + (code >> 6));
	out[2] = (char)('0' + (code >> 3 & 7));
	out[3] = (char)('0' + (code & 7));
	return 4;
}

static void list_line(struct ed *e, struct bytes text, size_t column)
{
	char shown[4];

	for (size_t i = 0; i < text.len; i++) {
		size_t len = escape(text.ptr[i], shown);

		/* An escape may stick out. */
		if (column >= LIST_WIDTH) {
			cmd_write(e->c, "\\\n", 2);
			column = 0;
		}
		column += len;
		cmd_write(e->c, shown, len);
	}
	if (!e->o->traditional)
		cmd_putc(e->c, '$');
}

void ed_print_lines(struct ed *e, size_t from, size_t to, int print)
{
	for (size_t at = from; at <= to; at++) {
		struct bytes text = ed_line_at(e, at)->text;

		if ((print & PRINT_NUMBER) != 0)
			cmd_printf(e->c, "%zu\t", at);
		if ((print & PRINT_LIST) != 0)
			list_line(e, text, (print & PRINT_NUMBER) != 0 ? 8 : 0);
		else
			cmd_bytes(e->c, text);
		cmd_putc(e->c, '\n');
		cmd_charge_bytes(e->c, text.len);
	}
	e->current = to;
}
