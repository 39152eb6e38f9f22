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

/* The line that is being written. */
struct folded {
	uint64_t column;
	bool any;        /* it has bytes */
	struct buf held; /* with -s: all of them, nothing is written yet */
};

/* How much of s goes into the line: at least one byte, if it is empty. */
static size_t fitting(const struct fold_opts *o, struct folded *f, struct bytes s)
{
	uint64_t column = f->column;
	bool any = f->any;
	size_t at = 0;

	if (o->bytes) {
		at = s.len < o->width - column ? s.len : (size_t)(o->width - column);
		column += at;
		any |= at > 0;
	}
	for (; at < s.len && !o->bytes; at++) {
		uint64_t next = move(o, column, s.ptr[at]);

		if (next > o->width && any)
			break;
		column = next;
		any = true;
	}
	f->column = column;
	f->any = any;
	return at;
}

static size_t behind_blank(struct bytes s)
{
	for (size_t at = s.len; at > 0; at--)
		if (byte_is_blank(s.ptr[at - 1]))
			return at;
	return s.len;
}

static void end_line(struct cmd *c, const struct fold_opts *o, struct folded *f)
{
	struct bytes text = buf_bytes(&f->held);
	size_t len = o->spaces ? behind_blank(text) : 0;

	cmd_write(c, text.ptr, len);
	cmd_putc(c, '\n');
	f->column = 0;
	f->any = text.len > len;
	for (size_t at = len; at < text.len; at++)
		f->column = move(o, f->column, text.ptr[at]);
	if (text.len > 0)
		memmove(f->held.ptr, f->held.ptr + len, text.len - len);
	f->held.len = text.len - len;
	cmd_charge_bytes(c, text.len);
}

static void fold_piece(struct cmd *c, const struct fold_opts *o, struct folded *f, struct bytes s)
{
	while (s.len > 0) {
		size_t len = fitting(o, f, s);

		if (o->spaces)
			buf_add(&f->held, bytes_slice(s, 0, len));
		else
			cmd_write(c, s.ptr, len);
		cmd_charge_bytes(c, len);
		s = bytes_slice(s, len, s.len);
		if (s.len > 0)
			end_line(c, o, f);
	}
}

static int fold_file(struct input *in, void *arg)
{
	const struct fold_opts *o = arg;
	struct cmd *c = in->c;
	struct folded f = { .held = buf_in(c->arena) };
	struct bytes piece;
	int more;

	while ((more = input_piece(in, '\n', &piece)) > 0) {
		fold_piece(c, o, &f, piece);
		if (!in->ended)
			continue;
		cmd_bytes(c, buf_bytes(&f.held));
		cmd_putc(c, '\n');
		f.held.len = 0;
		f.column = 0;
		f.any = false;
	}
	cmd_bytes(c, buf_bytes(&f.held));
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
