/* SPDX-License-Identifier: MIT
 *
 * expand - replace tabs by blanks. Columns are bytes, as in GNU expand 9.1.
 */
#include "builtins/tabstops.h"

/* Where in a line we are; a line may go on in the next file. */
struct place {
	uint64_t column;
	size_t index; /* of the next tab stop */
	bool convert;
};

struct expand_opts {
	struct tabstops tabs;
	bool initial;
	struct place place;
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

static void expand_line(struct cmd *c, const struct expand_opts *o, struct bytes line,
			struct place *p)
{
	for (size_t at = 0; at < line.len; at++) {
		char ch = line.ptr[at];
		uint64_t next = p->column + 1;

		if (!p->convert) {
			cmd_write(c, line.ptr + at, line.len - at);
			return;
		}
		if (ch == '\t') {
			tabstops_next(&o->tabs, p->column, &p->index, &next);
			if (next < p->column)
				cmd_fatal(c, 0, "input line is too long");
			put_blanks(c, next - p->column);
			p->column = next;
			continue;
		}
		if (ch == '\b') {
			p->column -= p->column > 0;
			p->index -= p->index > 0;
		} else {
			p->column++;
		}
		p->convert = !o->initial || byte_is_blank(ch);
		cmd_putc(c, ch);
	}
}

static int expand_file(struct input *in, void *arg)
{
	struct expand_opts *o = arg;
	struct bytes line;
	int more;

	while ((more = input_piece(in, '\n', &line)) > 0) {
		if (in->ended && o->place.column == 0 && memchr(line.ptr, '\t', line.len) == NULL)
			cmd_bytes(in->c, line);
		else
			expand_line(in->c, o, line, &o->place);
		if (in->ended) {
			cmd_putc(in->c, '\n');
			o->place = (struct place){ .convert = true };
		}
		cmd_charge_bytes(in->c, line.len);
	}
	return more;
}

static int expand_run(struct cmd *c)
{
	struct expand_opts *o = c->opts;
	int status = tabstops_finish(c, &o->tabs);

	o->place.convert = true;

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
