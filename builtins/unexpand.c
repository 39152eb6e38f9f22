/* SPDX-License-Identifier: MIT
 *
 * unexpand - replace blanks by tabs. Columns are bytes, as in GNU unexpand 9.1.
 *
 * Blanks are held back until it is known whether a tab stop ends them. A single blank right
 * before a tab stop stays a blank unless more blanks follow.
 */
#include "builtins/tabstops.h"

/* Where in a line we are; a line may go on in the next file. */
struct place {
	uint64_t column;
	size_t index; /* of the next tab stop */
	bool convert;
	bool after_blank;
	struct buf held; /* blanks not yet written */
	bool single;     /* the first of them ended at a tab stop */
};

struct unexpand_opts {
	struct tabstops tabs;
	bool all;
	bool first_only;
	bool has_tabs;
	struct place place;
};

static int set_tabs(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct unexpand_opts *o = c->opts;

	(void)opt;
	o->has_tabs = true;
	return tabstops_parse(c, &o->tabs, arg);
}

static const struct opt unexpand_options[] = {
	OPT_FLAG('a', "all", struct unexpand_opts, all, "all blanks, not only those at the start"),
	OPT_FLAG(0, "first-only", struct unexpand_opts, first_only,
		 "only blanks at the start, also with -t"),
	OPT_CALL_ARG('t', "tabs", set_tabs, "LIST",
		     "distance of tab stops (8), or their columns; means -a"),
	OPT_END(),
};

static void let_go(struct cmd *c, struct place *p)
{
	if (p->held.len > 1 && p->single)
		p->held.ptr[0] = '\t';
	cmd_write(c, p->held.ptr, p->held.len);
	p->held.len = 0;
	p->single = false;
}

/* A blank: true if it is held back, else it (or a tab in its place) is to be written. */
static bool take_blank(struct cmd *c, const struct tabstops *tabs, struct place *p, char *ch)
{
	uint64_t stop;

	if (!tabstops_next(tabs, p->column, &p->index, &stop)) {
		p->convert = false;
		return false;
	}
	if (stop < p->column)
		cmd_fatal(c, 0, "input line is too long");
	if (*ch == '\t') {
		p->column = stop;
		if (p->held.len > 0)
			p->held.ptr[0] = '\t';
	} else {
		p->column++;
		if (!p->after_blank || p->column != stop) {
			p->single |= p->column == stop;
			buf_putc(&p->held, *ch);
			p->after_blank = true;
			return true;
		}
		*ch = '\t';
		if (p->held.len > 0)
			p->held.ptr[0] = '\t';
	}
	p->held.len = p->single ? 1 : 0;
	return false;
}

/* How many bytes from `at` on are neither blanks nor backspaces. */
static size_t plain_run(struct bytes line, size_t at)
{
	size_t n = 0;

	while (at + n < line.len && !byte_is_blank(line.ptr[at + n]) && line.ptr[at + n] != '\b')
		n++;
	return n;
}

static void unexpand_line(struct cmd *c, const struct unexpand_opts *o, struct bytes line,
			  struct place *p)
{
	for (size_t at = 0; at < line.len; at++) {
		char ch = line.ptr[at];
		bool blank = byte_is_blank(ch);

		if (!p->convert) {
			cmd_write(c, line.ptr + at, line.len - at);
			return;
		}
		if (blank && take_blank(c, &o->tabs, p, &ch))
			continue;
		if (!blank && ch != '\b') {
			size_t run = o->all ? plain_run(line, at) : 1;

			let_go(c, p);
			p->after_blank = false;
			p->convert &= o->all;
			p->column += run;
			cmd_write(c, line.ptr + at, run);
			at += run - 1;
			continue;
		}
		if (ch == '\b') {
			p->column -= p->column > 0;
			p->index -= p->index > 0;
		}
		let_go(c, p);
		p->after_blank = blank;
		p->convert &= o->all || blank;
		cmd_putc(c, ch);
	}
}

static void start_line(struct place *p)
{
	*p = (struct place){ .convert = true, .after_blank = true, .held = p->held };
}

static int unexpand_file(struct input *in, void *arg)
{
	struct unexpand_opts *o = arg;
	struct bytes line;
	int more;

	while ((more = input_piece(in, '\n', &line)) > 0) {
		unexpand_line(in->c, o, line, &o->place);
		if (in->ended) {
			let_go(in->c, &o->place);
			cmd_putc(in->c, '\n');
			start_line(&o->place);
		}
		cmd_charge_bytes(in->c, line.len);
	}
	return more;
}

static int unexpand_run(struct cmd *c)
{
	struct unexpand_opts *o = c->opts;
	int status = tabstops_finish(c, &o->tabs);

	o->all = (o->all || o->has_tabs) && !o->first_only;
	if (status != 0)
		return status;
	o->place.held = buf_in(c->arena);
	start_line(&o->place);
	status = cmd_each_file(c, unexpand_file, o);
	let_go(c, &o->place);
	return status;
}

static int unexpand_legacy(struct cmd *c, int argc, char **argv, int i)
{
	(void)argc;
	return tabstops_legacy(c, &((struct unexpand_opts *)c->opts)->tabs, argv, i);
}

const struct builtin builtin_unexpand = {
	.name = "unexpand",
	.usage = "[OPTION]... [FILE]...",
	.summary = "Writes files with tabs instead of blanks where that moves nothing.",
	.run = unexpand_run,
	.opts = unexpand_options,
	.opts_size = sizeof(struct unexpand_opts),
	.legacy = unexpand_legacy,
};
