/* SPDX-License-Identifier: MIT
 *
 * fold - break lines that are too long.
 *
 * Columns are bytes as in GNU fold 9.1; tab, backspace and carriage return move as they do on
 * a terminal, unless bytes are counted.
 */
#include "builtins/builtin.h"

struct fold_opts {
	bool bytes;
	bool spaces;
	uint64_t width;
};

static int set_width(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct fold_opts *o = c->opts;
	int err = num_parse_u64(arg, "", &o->width);

	(void)opt;
	if (err == 0 && o->width >= 1 && o->width <= UINT64_MAX - 9)
		return 0;
	return cmd_error(
		c, err == -E_OVERFLOW || err == 0 ? (o->width == 0 ? E_RANGE : E_OVERFLOW) : 0,
		"invalid number of columns: %s", cmd_quote(c, arg));
}

static const struct opt fold_options[] = {
	OPT_FLAG('b', "bytes", struct fold_opts, bytes, "count bytes, not columns"),
	OPT_FLAG('s', "spaces", struct fold_opts, spaces, "break behind blanks where possible"),
	OPT_CALL_ARG('w', "width", set_width, "WIDTH", "columns of a line (80)"),
	OPT_DIGITS(set_width),
	OPT_END(),
};

static uint64_t move(const struct fold_opts *o, uint64_t column, char ch)
{
	if (o->bytes)
		return column + 1;
	if (ch == '\b')
		return column > 0 ? column - 1 : 0;
	if (ch == '\r')
		return 0;
	return ch == '\t' ? column + 8 - column % 8 : column + 1;
}

/* How much of s, of which the first `from` bytes take `column` columns, fits in a line. */
static size_t fitting(const struct fold_opts *o, struct bytes s)
{
	uint64_t column = 0;
	size_t at = 0;

	for (; at < s.len; at++) {
		column = move(o, column, s.ptr[at]);
		if (column > o->width)
			break;
	}
	return at == 0 ? 1 : at;
}

static size_t behind_blank(struct bytes s, size_t len)
{
	for (size_t at = len; at > 0; at--)
		if (byte_is_blank(s.ptr[at - 1]))
			return at;
	return len;
}

static int fold_file(struct input *in, void *arg)
{
	const struct fold_opts *o = arg;
	struct cmd *c = in->c;
	struct bytes line;
	int more;

	while ((more = input_line(in, '\n', &line)) > 0) {
		for (;;) {
			size_t len = line.len <= o->width && o->bytes ? line.len : fitting(o, line);

			if (len >= line.len)
				break;
			if (o->spaces)
				len = behind_blank(line, len);
			cmd_write(c, line.ptr, len);
			cmd_putc(c, '\n');
			line = bytes_slice(line, len, line.len);
			cmd_charge_bytes(c, len);
		}
		cmd_bytes(c, line);
		if (in->ended)
			cmd_putc(c, '\n');
	}
	return more;
}

static int fold_run(struct cmd *c)
{
	return cmd_each_file(c, fold_file, c->opts);
}

static void fold_defaults(struct cmd *c)
{
	((struct fold_opts *)c->opts)->width = 80;
}

const struct builtin builtin_fold = {
	.name = "fold",
	.usage = "[OPTION]... [FILE]...",
	.summary = "Breaks lines longer than WIDTH.",
	.run = fold_run,
	.opts = fold_options,
	.opts_size = sizeof(struct fold_opts),
	.defaults = fold_defaults,
};
