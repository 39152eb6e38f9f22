/* SPDX-License-Identifier: MIT
 *
 * cut - write parts of each line: bytes, characters or fields.
 *
 * The list of positions is sorted and merged once; a line is then one pass over its
 * delimiters. Characters are bytes, as in GNU cut 9.1.
 */
#include "builtins/builtin.h"

enum cut_mode { CUT_NONE, CUT_BYTES, CUT_FIELDS };

/* First and last position, counted from 1. */
struct range {
	uint64_t from;
	uint64_t to;
};

struct cut_opts {
	enum cut_mode mode;
	const char *list;
	const char *delimiter;
	struct bytes output; /* --output-delimiter; ptr NULL: the delimiter */
	bool complement;
	bool only_delimited;
	bool zero;
	char delim;
	struct range *range;
	size_t nranges;
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

/* --- the list --- */

static int too_large(struct cmd *c, const struct cut_opts *o, struct bytes digits)
{
	return cmd_usage(c, "%s %s is too large",
			 o->mode == CUT_FIELDS ? "field number" : "byte/character offset",
			 cmd_quote_n(c, digits));
}

/* The number at *at. -1: none there; else 0, or a status. */
static int take_number(struct cmd *c, const struct cut_opts *o, const char **at, uint64_t *out)
{
	const char *start = *at;
	bool overflow = false;

	*out = 0;
	for (; byte_is_digit(**at); ++*at) {
		uint64_t digit = (uint64_t)(**at - '0');

		overflow |= *out > (UINT64_MAX - digit) / 10;
		*out = *out * 10 + digit;
	}
	if (overflow || (*out == UINT64_MAX))
		return too_large(c, o, (struct bytes){ start, (size_t)(*at - start) });
	return *at == start ? -1 : 0;
}

static void add_range(struct cmd *c, struct cut_opts *o, struct range r)
{
	size_t size = o->nranges * sizeof(r);

	if ((o->nranges & (o->nranges - 1)) == 0)
		o->range = arena_grow(c->arena, o->range, size, (o->nranges * 2 + 1) * sizeof(r));
	o->range[o->nranges++] = r;
}

static int number_from_1(struct cmd *c, const struct cut_opts *o)
{
	return cmd_usage(c, o->mode == CUT_FIELDS ? "fields are numbered from 1"
						  : "byte/character positions are numbered from 1");
}

/* One of N, N-, N-M, -M at *at. */
static int take_range(struct cmd *c, struct cut_opts *o, const char **at)
{
	struct range r;
	int low = take_number(c, o, at, &r.from);
	int high = 0;
	bool dash = **at == '-';

	if (low > 0)
		return low;
	r.to = r.from;
	if (dash) {
		++*at;
		high = take_number(c, o, at, &r.to);
		if (high > 0)
			return high;
		if (low < 0 && high < 0 && (**at == '\0' || **at == ',' || byte_is_blank(**at)))
			return cmd_usage(c, "invalid range with no endpoint: -");
		if (low < 0)
			r.from = 1;
		if (high < 0)
			r.to = UINT64_MAX;
	}
	if (**at != '\0' && **at != ',' && !byte_is_blank(**at))
		return cmd_usage(c,
				 o->mode == CUT_FIELDS ? "invalid field value %s"
						       : "invalid byte/character position %s",
				 cmd_quote(c, *at));
	if (r.from == 0 || (!dash && low < 0))
		return number_from_1(c, o);
	if (r.to < r.from)
		return cmd_usage(c, "invalid decreasing range");
	add_range(c, o, r);
	return 0;
}

/* Insertion sort: lists are short, and mostly in order already. */
static void sort_ranges(struct cmd *c, struct cut_opts *o)
{
	for (size_t i = 1; i < o->nranges; i++) {
		struct range r = o->range[i];
		size_t k = i;

		for (; k > 0 && o->range[k - 1].from > r.from; k--)
			o->range[k] = o->range[k - 1];
		o->range[k] = r;
		cmd_charge(c, i - k + 1);
	}
}

static void merge_ranges(struct cut_opts *o)
{
	size_t n = 0;

	for (size_t i = 0; i < o->nranges; i++) {
		struct range r = o->range[i];

		if (n > 0 && r.from <= o->range[n - 1].to) {
			if (r.to > o->range[n - 1].to)
				o->range[n - 1].to = r.to;
		} else {
			o->range[n++] = r;
		}
	}
	o->nranges = n;
}

static void complement_ranges(struct cmd *c, struct cut_opts *o)
{
	struct range *old = o->range;
	size_t n = o->nranges;
	uint64_t from = 1;

	o->range = NULL;
	o->nranges = 0;
	for (size_t i = 0; i < n; i++) {
		if (old[i].from > from)
			add_range(c, o, (struct range){ from, old[i].from - 1 });
		from = old[i].to == UINT64_MAX ? 0 : old[i].to + 1;
	}
	if (from != 0)
		add_range(c, o, (struct range){ from, UINT64_MAX });
}

static int parse_list(struct cmd *c, struct cut_opts *o)
{
	const char *at = o->list;

	for (;;) {
		int status = take_range(c, o, &at);

		if (status != 0)
			return status;
		if (*at == '\0')
			break;
		at++;
	}
	sort_ranges(c, o);
	merge_ranges(o);
	if (o->complement)
		complement_ranges(c, o);
	return 0;
}

/* --- lines --- */

static void cut_bytes(struct cmd *c, const struct cut_opts *o, struct bytes line)
{
	for (size_t i = 0; i < o->nranges; i++) {
		const struct range *r = &o->range[i];

		if (r->from > line.len)
			break;
		uint64_t to = r->to < line.len ? r->to : line.len;

		if (i > 0 && o->output.ptr != NULL)
			cmd_bytes(c, o->output);
		cmd_write(c, line.ptr + r->from - 1, (size_t)(to - r->from + 1));
	}
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
	for (size_t i = 0; i < o->nranges; i++) {
		const struct range *r = &o->range[i];

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

	while ((more = input_line(in, end, &line)) > 0) {
		bool put = true;

		if (o->mode == CUT_FIELDS)
			put = cut_fields(in->c, o, line);
		else
			cut_bytes(in->c, o, line);
		if (put)
			cmd_putc(in->c, end);
	}
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
	int status = parse_list(c, o);

	if (status != 0)
		return status;
	o->delim = o->delimiter != NULL ? o->delimiter[0] : '\t';
	bool lines = o->mode == CUT_FIELDS && o->delim == (o->zero ? '\0' : '\n');

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
