/* SPDX-License-Identifier: MIT
 *
 * expand - replace tabs by blanks. Columns are bytes, as in GNU expand 9.1.
 */
#include "builtins/tabstops.h"

struct expand_opts {
	struct tabstops tabs;
	bool initial;
};

static int set_tabs(struct cmd *c, const struct opt *opt, const char *arg)
{
	(void)opt;
	return tabstops_parse(c, &((struct expand_opts *)c->opts)->tabs, arg);
}

static const struct opt expand_options[] = {
	OPT_FLAG('i', "initial", struct expand_opts, initial,
		 "only tabs that nothing but blanks precedes"),
	OPT_CALL_ARG('t', "tabs", set_tabs, "LIST",
		     "distance of tab stops (8), or their columns; /N, +N: those behind the last"),
	OPT_END(),
};

static void put_blanks(struct cmd *c, uint64_t n)
{
	for (; n > 0; n--) {
		cmd_putc(c, ' ');
		if (n % 4096 == 0)
			cmd_charge(c, 64);
	}
}

static void expand_line(struct cmd *c, const struct expand_opts *o, struct bytes line)
{
	uint64_t column = 0;
	size_t index = 0;
	bool convert = true;

	for (size_t at = 0; at < line.len; at++) {
		char ch = line.ptr[at];
		uint64_t next = column + 1;

		if (!convert) {
			cmd_write(c, line.ptr + at, line.len - at);
			return;
		}
		if (ch == '\t') {
			tabstops_next(&o->tabs, column, &index, &next);
			if (next < column)
				cmd_fatal(c, 0, "input line is too long");
			put_blanks(c, next - column);
			column = next;
			continue;
		}
		if (ch == '\b') {
			column -= column > 0;
			index -= index > 0;
		} else {
			column++;
		}
		convert = !o->initial || byte_is_blank(ch);
		cmd_putc(c, ch);
	}
}

static int expand_file(struct input *in, void *arg)
{
	const struct expand_opts *o = arg;
	struct bytes line;
	int more;

	while ((more = input_line(in, '\n', &line)) > 0) {
		if (memchr(line.ptr, '\t', line.len) != NULL)
			expand_line(in->c, o, line);
		else
			cmd_bytes(in->c, line);
		if (in->ended)
			cmd_putc(in->c, '\n');
		cmd_charge_bytes(in->c, line.len);
	}
	return more;
}

static int expand_run(struct cmd *c)
{
	struct expand_opts *o = c->opts;
	int status = tabstops_finish(c, &o->tabs);

	return status != 0 ? status : cmd_each_file(c, expand_file, o);
}

static int expand_legacy(struct cmd *c, int argc, char **argv, int i)
{
	(void)argc;
	return tabstops_legacy(c, &((struct expand_opts *)c->opts)->tabs, argv, i);
}

const struct builtin builtin_expand = {
	.name = "expand",
	.usage = "[OPTION]... [FILE]...",
	.summary = "Writes files with blanks instead of tabs.",
	.run = expand_run,
	.opts = expand_options,
	.opts_size = sizeof(struct expand_opts),
	.legacy = expand_legacy,
};
