/* SPDX-License-Identifier: MIT
 *
 * comm - compare two sorted files line by line.
 *
 * The line before the current one is kept of each file: an order is checked when the next line
 * comes, and, once lines without partner were seen, again at the end.
 */
#include "builtins/builtin.h"

enum order { ORDER_DEFAULT, ORDER_CHECK, ORDER_IGNORE };

struct comm_opts {
	bool hide[3];
	int order;
	const char *delimiter;
	bool total;
	bool zero;
	struct bytes sep;
	char end;
};

struct line {
	char *ptr;
	size_t cap;
	size_t len;
};

struct side {
	struct input *in;    /* of both if both are standard input */
	struct line line[3]; /* the current one, the one before, the one before that */
	int nlines;
	bool at_end;
	bool warned;
};

static int hide(struct cmd *c, const struct opt *opt, const char *arg)
{
	(void)arg;
	((struct comm_opts *)c->opts)->hide[opt->letter - '1'] = true;
	return 0;
}

static int set_delimiter(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct comm_opts *o = c->opts;

	(void)opt;
	if (o->delimiter != NULL && strcmp(o->delimiter, arg) != 0)
		return cmd_error(c, 0, "multiple output delimiters specified");
	o->delimiter = arg;
	return 0;
}

static const struct opt comm_options[] = {
	OPT_CALL('1', NULL, hide, "without lines that only the first file has"),
	OPT_CALL('2', NULL, hide, "without lines that only the second file has"),
	OPT_CALL('3', NULL, hide, "without lines that both have"),
	OPT_SET(0, "check-order", struct comm_opts, order, ORDER_CHECK,
		"fail if a file is not sorted"),
	OPT_SET(0, "nocheck-order", struct comm_opts, order, ORDER_IGNORE,
		"do not check that files are sorted"),
	OPT_CALL_ARG(0, "output-delimiter", set_delimiter, "STR", "what separates columns"),
	OPT_FLAG(0, "total", struct comm_opts, total, "write a summary at the end"),
	OPT_FLAG('z', "zero-terminated", struct comm_opts, zero, "lines end with NUL"),
	OPT_END(),
};

static struct bytes text_of(const struct line *l)
{
	return (struct bytes){ l->ptr, l->len };
}

static void check_pair(struct cmd *c, struct side *s, int number, int newer, bool unpaired)
{
	const struct comm_opts *o = c->opts;

	if (o->order == ORDER_IGNORE || (o->order == ORDER_DEFAULT && !unpaired) || s->warned)
		return;
	if (s->nlines < newer + 2)
		return;
	if (bytes_cmp(text_of(&s->line[newer + 1]), text_of(&s->line[newer])) <= 0)
		return;
	s->warned = true;
	if (o->order == ORDER_CHECK)
		cmd_fatal(c, 0, "file %d is not in sorted order", number);
	cmd_error(c, 0, "file %d is not in sorted order", number);
}

static void keep(struct cmd *c, struct side *s, struct bytes text)
{
	struct line oldest = s->line[2];

	s->line[2] = s->line[1];
	s->line[1] = s->line[0];
	if (oldest.cap < text.len + 1) {
		size_t cap = text.len * 2 + 64;

		oldest.ptr = pool_resize(c->pool, oldest.ptr, oldest.cap, cap);
		oldest.cap = cap;
	}
	memcpy(oldest.ptr, text.ptr, text.len);
	oldest.len = text.len;
	s->line[0] = oldest;
	if (s->nlines < 3)
		s->nlines++;
}

static void next_line(struct cmd *c, struct side *s, int number, const char *path, bool unpaired)
{
	const struct comm_opts *o = c->opts;
	struct bytes text;
	int more = input_line(s->in, o->end, &text);

	if (more < 0)
		cmd_fatal(c, more, "%s", cmd_quotef(c, path));
	s->at_end = more == 0;
	if (more > 0)
		keep(c, s, text);
	check_pair(c, s, number, 0, unpaired);
	cmd_charge(c, 1);
}

static void put_line(struct cmd *c, const struct comm_opts *o, int column, struct bytes text)
{
	if (o->hide[column])
		return;
	for (int i = 0; i < column; i++)
		if (!o->hide[i])
			cmd_bytes(c, o->sep);
	cmd_bytes(c, text);
	cmd_putc(c, o->end);
}

static void put_total(struct cmd *c, const struct comm_opts *o, const uint64_t n[3])
{
	/* An empty delimiter is a NUL between columns, but nothing here. */
	for (int i = 0; i < 3; i++) {
		char digits[20];

		cmd_write(c, digits, num_format_u64(n[i], digits));
		cmd_puts(c, o->delimiter != NULL ? o->delimiter : "\t");
	}
	cmd_puts(c, "total");
	cmd_putc(c, o->end);
}

static void merge(struct cmd *c, const struct comm_opts *o, struct side side[2])
{
	bool unpaired = false;
	uint64_t n[3] = { 0 };

	while (!side[0].at_end || !side[1].at_end) {
		int order = side[0].at_end   ? 1
			    : side[1].at_end ? -1
					     : bytes_cmp(text_of(&side[0].line[0]),
							 text_of(&side[1].line[0]));
		int column = order == 0 ? 2 : order > 0;

		unpaired |= order != 0;
		n[column]++;
		put_line(c, o, column, text_of(&side[order > 0].line[0]));
		if (order <= 0)
			next_line(c, &side[0], 1, c->args[0], unpaired);
		if (order >= 0)
			next_line(c, &side[1], 2, c->args[1], unpaired);
	}
	/* Standard input is closed twice. */
	if (side[0].in == side[1].in)
		cmd_fatal(c, E_BADF, "-");
	if (o->total)
		put_total(c, o, n);
}

static int comm_run(struct cmd *c)
{
	struct comm_opts *o = c->opts;
	struct side *side = arena_array(c->arena, 2, sizeof(*side));
	int status = cmd_operands(c, 2, 2);

	if (status != 0)
		return status;
	o->end = o->zero ? '\0' : '\n';
	o->sep = o->delimiter == NULL      ? BYTES("\t")
		 : o->delimiter[0] == '\0' ? BYTES("\0")
					   : bytes_of(o->delimiter);
	for (int i = 0; i < 2; i++) {
		side[i].in = arena_zalloc(c->arena, sizeof(*side[i].in));
		if (i == 1 && side[0].in->is_stdin && strcmp(c->args[1], "-") == 0) {
			side[1].in = side[0].in;
		} else {
			int err = input_open(side[i].in, c, c->args[i]);

			if (err < 0)
				cmd_fatal(c, err, "%s", cmd_quotef(c, c->args[i]));
		}
		next_line(c, &side[i], i + 1, c->args[i], false);
	}
	merge(c, o, side);
	if (side[0].warned || side[1].warned)
		return cmd_error(c, 0, "input is not in sorted order");
	return 0;
}

const struct builtin builtin_comm = {
	.name = "comm",
	.usage = "[OPTION]... FILE1 FILE2",
	.summary =
		"Compares two sorted files. The columns are: lines only in FILE1, lines only in\n"
		"FILE2, lines in both.",
	.run = comm_run,
	.opts = comm_options,
	.opts_size = sizeof(struct comm_opts),
};
