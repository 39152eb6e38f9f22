/* SPDX-License-Identifier: MIT
 *
 * cut - write parts of each line: bytes, characters or fields.
 *
 * The list of positions is sorted and merged once; a line is then one pass over its
 * delimiters. Characters are bytes, as in GNU cut 9.1.
 */
#include "builtins/ranges.h"

enum cut_mode { CUT_NONE, CUT_BYTES, CUT_FIELDS };

struct cut_opts {
	enum cut_mode mode;
	const char *list;
	const char *delimiter;
	struct bytes output; /* --output-delimiter; ptr NULL: the delimiter */
	bool complement;
	bool only_delimited;
	bool zero;
	char delim;
	struct ranges ranges;
};

static int set_list(struct cmd *c, const struct opt *o, const char *arg)
{
	struct cut_opts *cut = c->opts;

	if (cut->mode != CUT_NONE)
		return cmd_usage(c, "only one list may be specified");
	cut->mode = o->letter == 'f' ? CUT_FIELDS : CUT_BYTES;
	cut->list = arg;
	return 0;
}

static int set_delimiter(struct cmd *c, const struct opt *o, const char *arg)
{
	struct cut_opts *cut = c->opts;

	(void)o;
	if (arg[0] != '\0' && arg[1] != '\0')
		return cmd_usage(c, "the delimiter must be a single character");
	cut->delimiter = arg;
	return 0;
}

static const struct opt cut_options[] = {
	OPT_CALL_ARG('b', "bytes", set_list, "LIST", "select these bytes"),
	OPT_CALL_ARG('c', "characters", set_list, "LIST", "select these characters"),
	OPT_CALL_ARG('d', "delimiter", set_delimiter, "DELIM", "what separates fields (tab)"),
	OPT_CALL_ARG('f', "fields", set_list, "LIST", "select these fields"),
	OPT_IGNORED('n', NULL, "no effect"),
	OPT_FLAG(0, "complement", struct cut_opts, complement, "select all but those"),
	OPT_FLAG('s', "only-delimited", struct cut_opts, only_delimited,
		 "leave out lines without a delimiter"),
	OPT_BYTES(0, "output-delimiter", struct cut_opts, output, NULL, "STRING",
		  "what separates fields in the output"),
	OPT_FLAG('z', "zero-terminated", struct cut_opts, zero, "lines end with NUL"),
	OPT_END(),
};

/* --- lines --- */

/* How far a line is read that comes in pieces. */
struct cut_place {
	uint64_t before; /* bytes */
	size_t range;    /* the first that is not done */
};

static void cut_bytes(struct cmd *c, const struct cut_opts *o, struct bytes piece,
		      struct cut_place *p)
{
	uint64_t end = p->before + piece.len;

	for (; p->range < o->ranges.n; p->range++) {
		const struct range *r = &o->ranges.list[p->range];
		uint64_t from = r->from > p->before ? r->from : p->before + 1;

		if (from > end)
			break;
		if (p->range > 0 && o->output.ptr != NULL && from == r->from)
			cmd_bytes(c, o->output);
		cmd_write(c, piece.ptr + (from - p->before - 1),
			  (size_t)((r->to < end ? r->to : end) - from + 1));
		if (r->to > end)
			break;
	}
	p->before = end;
}

/* Where the delimiter `n` (1: the next one) is from `at` on; the end of the line if none. */
static size_t skip_fields(struct bytes line, size_t at, uint64_t n, char delim)
{
	for (;;) {
		const char *hit = memchr(line.ptr + at, delim, line.len - at);

		if (hit == NULL)
			return line.len;
		at = (size_t)(hit - line.ptr);
		if (--n == 0)
			return at;
		at++;
	}
}

/* Fields from..to beginning at `at`, joined by the output delimiter. Returns where it ends. */
static size_t put_fields(struct cmd *c, const struct cut_opts *o, struct bytes line, size_t at,
			 uint64_t count)
{
	if (o->output.ptr == NULL) {
		size_t end = count > line.len ? line.len : skip_fields(line, at, count, o->delim);

		cmd_write(c, line.ptr + at, end - at);
		return end;
	}
	for (;;) {
		size_t end = skip_fields(line, at, 1, o->delim);

		cmd_write(c, line.ptr + at, end - at);
		if (end == line.len || --count == 0)
			return end;
		cmd_bytes(c, o->output);
		at = end + 1;
	}
}

static void put_joint(struct cmd *c, const struct cut_opts *o)
{
	if (o->output.ptr != NULL)
		cmd_bytes(c, o->output);
	else
		cmd_putc(c, o->delim);
}

/* False if nothing is to be written, not even the end of the line. */
static bool cut_fields(struct cmd *c, const struct cut_opts *o, struct bytes line)
{
	size_t at = 0; /* where field `field` begins */
	uint64_t field = 1;
	bool first = true;
	const char *hit = line.len > 0 ? memchr(line.ptr, o->delim, line.len) : NULL;

	if (hit == NULL) {
		if (!o->only_delimited)
			cmd_bytes(c, line);
		return !o->only_delimited;
	}
	for (size_t i = 0; i < o->ranges.n; i++) {
		const struct range *r = &o->ranges.list[i];

		if (r->from > field) {
			at = skip_fields(line, at, r->from - field, o->delim);
			if (at == line.len)
				break;
			at++;
			field = r->from;
		}
		if (!first)
			put_joint(c, o);
		first = false;
		at = put_fields(c, o, line, at, r->to - field + 1);
		if (at == line.len)
			break;
		at++;
		field = r->to + 1;
	}
	return true;
}

static int cut_file(struct input *in, void *arg)
{
	const struct cut_opts *o = arg;
	char end = o->zero ? '\0' : '\n';
	struct bytes line;
	int more;

	while ((more = input_line(in, end, &line)) > 0)
		if (cut_fields(in->c, o, line))
			cmd_putc(in->c, end);
	return more;
}

static int cut_file_bytes(struct input *in, void *arg)
{
	const struct cut_opts *o = arg;
	char end = o->zero ? '\0' : '\n';
	struct cut_place place = { .range = 0 };
	bool open = false; /* a line has begun */
	struct bytes piece;
	int more;

	while ((more = input_piece(in, end, &piece)) > 0) {
		cut_bytes(in->c, o, piece, &place);
		open = !in->ended;
		if (open)
			continue;
		cmd_putc(in->c, end);
		place = (struct cut_place){ .range = 0 };
	}
	if (open)
		cmd_putc(in->c, end);
	return more;
}

/* Fields that are lines: the whole input is one record. */
static int cut_lines(struct input *in, void *arg)
{
	struct cut_opts *o = arg;
	struct bytes all;
	int err = input_all(in, &all);

	if (all.len > 0 && all.ptr[all.len - 1] == o->delim)
		all.len--;
	if (all.len > 0 && cut_fields(in->c, o, all))
		cmd_putc(in->c, o->delim);
	return err;
}

static int cut_run(struct cmd *c)
{
	struct cut_opts *o = c->opts;

	if (o->mode == CUT_NONE)
		return cmd_usage(c, "you must specify a list of bytes, characters, or fields");
	if (o->mode != CUT_FIELDS && o->delimiter != NULL)
		return cmd_usage(
			c, "an input delimiter may be specified only when operating on fields");
	if (o->mode != CUT_FIELDS && o->only_delimited)
		return cmd_usage(c, "suppressing non-delimited lines makes sense\n"
				    "\tonly when operating on fields");
	int status = ranges_parse(c, o->list,
				  (o->mode == CUT_FIELDS ? RANGES_FIELDS : 0u) |
					  (o->complement ? RANGES_COMPLEMENT : 0u),
				  &o->ranges);

	if (status != 0)
		return status;
	/* GNU's takes the empty one for a NUL, as it does the other. */
	if (o->output.ptr != NULL && o->output.len == 0)
		o->output = BYTES("\0");
	o->delim = o->delimiter != NULL ? o->delimiter[0] : '\t';
	bool lines = o->mode == CUT_FIELDS && o->delim == (o->zero ? '\0' : '\n');

	if (o->mode != CUT_FIELDS)
		return cmd_each_file(c, cut_file_bytes, o);
	return cmd_each_file(c, lines ? cut_lines : cut_file, o);
}

const struct builtin builtin_cut = {
	.name = "cut",
	.usage = "OPTION... [FILE]...",
	.summary = "Writes selected parts of each line.\n"
		   "LIST is made of N, N-, N-M and -M, separated by commas; the first is 1.",
	.run = cut_run,
	.opts = cut_options,
	.opts_size = sizeof(struct cut_opts),
};
