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
static bool put_columns(struct cmd *c, struct bytes line, int64_t first, int64_t last)
{
	int64_t column = 0;
	int64_t more = last < first ? first - last : 0; /* columns made instead of removed */
	bool begun = false;
	bool over = false; /* behind the last column that goes: the rest stays */

	for (size_t at = 0; at < line.len;) {
		uint32_t ch = 0;
		size_t n = utf8_decode(line, at, &ch);
		int width = utf8_width(ch);
		bool tab = line.ptr[at] == '\t';
		int64_t before = column;

		if (n == 0 || (n > 1 && !c->utf8))
			return false;
		if (tab)
			column = (column / TAB + 1) * TAB;
		else if (line.ptr[at] == '\b')
			column -= column > 0;
		else
			column += width > 0 ? width : 0;
		begun |= column >= first;
		if (over || !begun || before + 1 > last + more) {
			cmd_write(c, line.ptr + at, n);
		} else {
			/* What of a tab or a wide character stands outside of the columns. */
			for (int64_t k = before + 1; k <= column; k++)
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
	int64_t column[2] = { 0, INT64_MAX };
	struct input in;
	struct bytes line;

	if (c->nargs > 2)
		return cmd_usage(c, NULL);
	for (int i = 0; i < c->nargs && i < 2; i++) {
		uint64_t n;

		if (!num_plain(c->args[i], &n))
			return cmd_error(c, 0, "%s argument: '%s'", i == 0 ? "first" : "second",
					 c->args[i]);
		column[i] = n < INT64_MAX ? (int64_t)n : INT64_MAX;
	}
	for (int i = 0; i < 2; i++)
		if (column[i] == 0)
			column[i] = INT64_MAX;
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
