/* SPDX-License-Identifier: MIT
 *
 * colrm - remove columns from lines.
 */
#include "builtins/builtin.h"

enum { TAB = 8 };

static const struct opt colrm_options[] = {
	OPT_CALL('V', NULL, cmd_opt_version, NULL),
	OPT_END(),
};

/*
 * Writes blanks or the character between the columns that go. What is no character ends the
 * input, as it does in the real one: false then.
 */
static bool put_columns(struct cmd *c, struct bytes line, uint64_t first, uint64_t last)
{
	uint64_t column = 0;
	uint64_t more = last < first ? first - last : 0; /* columns made instead of removed */
	bool over = false; /* behind the last column that goes: the rest stays */

	for (size_t at = 0; at < line.len;) {
		uint32_t ch = 0;
		size_t n = utf8_decode(line, at, &ch);
		int width = n > 1 ? utf8_width(ch) : 1;
		bool tab = line.ptr[at] == '\t';
		uint64_t before = column;

		if (n == 0 || (n > 1 && !c->utf8))
			return false;
		if (tab)
			column = (column / TAB + 1) * TAB;
		else if (line.ptr[at] == '\b')
			column -= column > 0;
		else
			column += width > 0 ? (uint64_t)width : 0;
		if (over || column < first || before + 1 > last + more) {
			cmd_write(c, line.ptr + at, n);
		} else if (tab) {
			/* What of a tab stands outside of the columns. */
			for (uint64_t k = before + 1; k <= column; k++)
				if (k < first || k > last + more)
					cmd_putc(c, ' ');
		}
		if (!over && column >= first)
			cmd_printf(c, "%*s", (int)(more < INT32_MAX ? more : INT32_MAX), "");
		over |= column >= first && column >= last;
		at += n;
		if (at % 64 == 0)
			cmd_charge(c, 1);
	}
	return true;
}

static int colrm_run(struct cmd *c)
{
	uint64_t column[2] = { 0, UINT64_MAX };
	struct input in;
	struct bytes line;

	if (c->nargs > 2)
		return cmd_usage(c, NULL);
	for (int i = 0; i < c->nargs && i < 2; i++)
		if (!num_plain(c->args[i], &column[i]))
			return cmd_error(c, 0, "%s argument: '%s'", i == 0 ? "first" : "second",
					 c->args[i]);
	if (column[0] == 0)
		column[0] = UINT64_MAX;
	if (column[1] == 0)
		column[1] = UINT64_MAX;
	input_open(&in, c, "-");
	while (input_line(&in, '\n', &line) > 0) {
		if (!put_columns(c, line, column[0], column[1]))
			break;
		if (in.ended)
			cmd_putc(c, '\n');
		cmd_charge_bytes(c, line.len);
	}
	return 0;
}

const struct builtin builtin_colrm = {
	.name = "colrm",
	.usage = "[startcol [endcol]]",
	.summary = "Removes columns of lines.",
	.run = colrm_run,
	.opts = colrm_options,
	.family = "util-linux 2.38.1",
};
