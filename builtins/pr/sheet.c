/* SPDX-License-Identifier: MIT
 *
 * The position on paper. Where blanks may become tabs (-i), they wait until something follows.
 */
#include "builtins/pr/pr.h"

void pr_sheet_new_row(struct pr *p)
{
	p->sheet = (struct pr_sheet){ 0, 0, 0 };
}

void pr_sheet_flush(struct pr *p)
{
	struct pr_sheet *s = &p->sheet;
	int64_t at = s->position;
	int64_t goal = at + s->blanks;
	int64_t tab = p->tab_out.n;

	cmd_charge_bytes(p->c, (size_t)s->blanks);
	for (; goal - at > 1 && at + tab - at % tab <= goal; at += tab - at % tab)
		cmd_putc(p->c, p->tab_out.ch);
	for (; at < goal; at++)
		cmd_putc(p->c, ' ');
	s->position = goal;
	s->blanks = 0;
}

static void put_byte(struct pr *p, char ch)
{
	struct pr_sheet *s = &p->sheet;

	if (p->tabify) {
		if (ch == ' ') {
			s->blanks++;
			return;
		}
		if (s->blanks > 0)
			pr_sheet_flush(p);
		if (byte_is_print((unsigned char)ch))
			s->position++;
		else if (ch == '\b')
			s->position--;
	}
	cmd_putc(p->c, ch);
}

void pr_sheet_text(struct pr *p, struct bytes text)
{
	cmd_charge_bytes(p->c, text.len);
	if (!p->tabify) {
		cmd_bytes(p->c, text);
		return;
	}
	for (size_t i = 0; i < text.len; i++)
		put_byte(p, text.ptr[i]);
}

void pr_sheet_move(struct pr *p, int64_t position)
{
	struct pr_sheet *s = &p->sheet;

	if (p->tabify) {
		s->blanks = position - s->position;
		return;
	}
	cmd_charge_bytes(p->c, position > s->position ? (size_t)(position - s->position) : 0);
	for (; s->position < position; s->position++)
		cmd_putc(p->c, ' ');
	s->position = position;
}

/* Of several that wait only the first is written, as GNU does; the others end blanks. */
void pr_sheet_separators(struct pr *p)
{
	struct pr_sheet *s = &p->sheet;
	struct bytes text = p->separator;

	if (s->blanks > 0 && s->separators == 0)
		pr_sheet_flush(p);
	for (; s->separators > 0; s->separators--, text.len = 0) {
		for (size_t i = 0; i < text.len; i++) {
			if (text.ptr[i] == ' ') {
				s->blanks++;
				continue;
			}
			if (s->blanks > 0)
				pr_sheet_flush(p);
			cmd_putc(p->c, text.ptr[i]);
			s->position++;
		}
		if (s->blanks > 0)
			pr_sheet_flush(p);
	}
}
