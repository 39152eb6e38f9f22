/* SPDX-License-Identifier: MIT
 *
 * Output without context: plain, ed and RCS; and what all styles share.
 */
#include "builtins/diff/diff.h"

/* With tabs as blanks. */
static void put_expanded(struct diff *d, struct bytes s)
{
	uint64_t column = 0;

	for (size_t i = 0; i < s.len; i++) {
		char ch = s.ptr[i];

		if (ch == '\t') {
			cmd_charge_bytes(d->c, (size_t)d->o->tab_size);
			do
				cmd_putc(d->c, ' ');
			while (++column % d->o->tab_size != 0);
			continue;
		}
		cmd_putc(d->c, ch);
		if (ch == '\r')
			column = 0;
		else if (ch == '\b')
			column -= column > 0;
		else if (byte_is_print((unsigned char)ch))
			column++;
	}
}

void diff_put_line(struct diff *d, int which, size_t n, const char *flag)
{
	const struct diff_file *f = &d->file[which];
	struct bytes s = f->line[n];

	if (flag != NULL) {
		cmd_puts(d->c, flag);
		if (s.len > 0 || !d->o->suppress_blank)
			cmd_putc(d->c, d->o->initial_tab ? '\t' : ' ');
	}
	if (d->o->expand)
		put_expanded(d, s);
	else
		cmd_bytes(d->c, s);
	cmd_charge_bytes(d->c, s.len);
}

/* The end of a line behind its colour. */
static void end_line(struct diff *d, int which, size_t n)
{
	const struct diff_file *f = &d->file[which];

	cmd_putc(d->c, '\n');
	if (f->unended && n + 1 == f->n)
		cmd_puts(d->c, "\\ No newline at end of file\n");
}

void diff_put_range(struct diff *d, size_t from, size_t count)
{
	if (count <= 1)
		cmd_printf(d->c, "%zu", from + count);
	else
		cmd_printf(d->c, "%zu,%zu", from + 1, from + count);
}

static char letter_of(const struct diff_change *change)
{
	return change->count[0] == 0 ? 'a' : change->count[1] == 0 ? 'd' : 'c';
}

static void put_lines(struct diff *d, int which, const struct diff_change *change, const char *flag,
		      enum diff_part color)
{
	for (size_t i = 0; i < change->count[which]; i++) {
		diff_color(d, color);
		diff_put_line(d, which, change->line[which] + i, flag);
		diff_color(d, DIFF_RESET);
		end_line(d, which, change->line[which] + i);
	}
}

void diff_put_normal(struct diff *d)
{
	for (size_t i = 0; i < d->nchanges; i++) {
		const struct diff_change *change = &d->change[i];

		if (change->ignored)
			continue;
		diff_color(d, DIFF_NUMBERS);
		diff_put_range(d, change->line[0], change->count[0]);
		cmd_putc(d->c, letter_of(change));
		diff_put_range(d, change->line[1], change->count[1]);
		diff_color(d, DIFF_RESET);
		cmd_putc(d->c, '\n');
		put_lines(d, 0, change, "<", DIFF_DELETED);
		if (letter_of(change) == 'c')
			cmd_puts(d->c, "---\n");
		put_lines(d, 1, change, ">", DIFF_ADDED);
	}
}

/* --- ed --- */

/* Lines to insert. ed ends at a line ".", so such a line is made from "..". */
static void put_ed_lines(struct diff *d, const struct diff_change *change)
{
	bool inserting = true;

	for (size_t i = 0; i < change->count[1]; i++) {
		size_t n = change->line[1] + i;

		if (!inserting)
			cmd_puts(d->c, "a\n");
		inserting = !bytes_is(d->file[1].line[n], ".");
		if (inserting) {
			diff_put_line(d, 1, n, NULL);
			cmd_putc(d->c, '\n');
		} else {
			cmd_puts(d->c, "..\n.\ns/.//\n");
		}
	}
	if (inserting)
		cmd_puts(d->c, ".\n");
}

static void put_ed(struct diff *d, const struct diff_change *change)
{
	diff_put_range(d, change->line[0], change->count[0]);
	cmd_printf(d->c, "%c\n", letter_of(change));
	if (change->count[1] > 0)
		put_ed_lines(d, change);
}

static void put_forward_ed(struct diff *d, const struct diff_change *change)
{
	size_t from = change->line[0];
	size_t count = change->count[0];

	cmd_printf(d->c, "%c%zu", letter_of(change), count == 0 ? from : from + 1);
	if (count > 1)
		cmd_printf(d->c, " %zu", from + count);
	cmd_putc(d->c, '\n');
	if (change->count[1] == 0)
		return;
	for (size_t i = 0; i < change->count[1]; i++) {
		diff_put_line(d, 1, change->line[1] + i, NULL);
		cmd_putc(d->c, '\n');
	}
	cmd_puts(d->c, ".\n");
}

static void put_rcs(struct diff *d, const struct diff_change *change)
{
	if (change->count[0] > 0)
		cmd_printf(d->c, "d%zu %zu\n", change->line[0] + 1, change->count[0]);
	if (change->count[1] > 0)
		cmd_printf(d->c, "a%zu %zu\n", change->line[0] + change->count[0],
			   change->count[1]);
	for (size_t i = 0; i < change->count[1]; i++) {
		const struct diff_file *f = &d->file[1];
		size_t n = change->line[1] + i;

		diff_put_line(d, 1, n, NULL);
		if (!f->unended || n + 1 < f->n)
			cmd_putc(d->c, '\n');
	}
}

void diff_put_script(struct diff *d)
{
	bool backwards = d->o->style == DIFF_ED;

	for (size_t i = 0; i < d->nchanges; i++) {
		const struct diff_change *change = &d->change[backwards ? d->nchanges - 1 - i : i];

		if (change->ignored)
			continue;
		if (d->o->style == DIFF_ED)
			put_ed(d, change);
		else if (d->o->style == DIFF_RCS)
			put_rcs(d, change);
		else
			put_forward_ed(d, change);
	}
}
