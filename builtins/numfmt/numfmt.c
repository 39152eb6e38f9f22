/* SPDX-License-Identifier: MIT
 *
 * numfmt - numbers with and without units, in fields of lines.
 *
 * Options settle one style; a line is cut into fields, of which the chosen ones are read as
 * numbers (number.c) and written in that style, padded.
 */
#include "builtins/numfmt/numfmt.h"
#include "builtins/ranges.h"

enum invalid_mode { INVALID_ABORT, INVALID_FAIL, INVALID_WARN, INVALID_IGNORE };

enum { STATUS_INVALID = 2, SPACES_STEP = 64 };

struct numfmt_opts {
	bool debug;
	const char *delimiter;
	const char *fields;
	const char *format;
	int from;
	uint64_t from_unit;
	bool grouping;
	uint64_t header;
	int invalid;
	int64_t padding; /* negative: to the left edge */
	int round;
	const char *suffix;
	int to;
	uint64_t to_unit;
	bool zero;
	/* settled from these */
	struct numfmt_style style;
	struct ranges ranges;
	struct bytes before; /* the format's text around the number */
	struct bytes after;
	bool blanks; /* fields are separated by blanks */
	char separator;
	bool auto_padding;
	bool failed; /* a number was no number */
};

/* --- options --- */

static const struct opt_word from_words[] = {
	{ "none", SCALE_NONE }, { "auto", SCALE_AUTO },   { "si", SCALE_SI },
	{ "iec", SCALE_IEC },   { "iec-i", SCALE_IEC_I }, { NULL, 0 },
};
static const struct opt_word to_words[] = {
	{ "none", SCALE_NONE },   { "si", SCALE_SI }, { "iec", SCALE_IEC },
	{ "iec-i", SCALE_IEC_I }, { NULL, 0 },
};
static const struct opt_word round_words[] = {
	{ "up", ROUND_UP },
	{ "down", ROUND_DOWN },
	{ "from-zero", ROUND_FROM_ZERO },
	{ "towards-zero", ROUND_TOWARDS_ZERO },
	{ "nearest", ROUND_NEAREST },
	{ NULL, 0 },
};
static const struct opt_word invalid_words[] = {
	{ "abort", INVALID_ABORT },
	{ "fail", INVALID_FAIL },
	{ "warn", INVALID_WARN },
	{ "ignore", INVALID_IGNORE },
	{ NULL, 0 },
};

static int set_delimiter(struct cmd *c, const struct opt *opt, const char *arg)
{
	(void)opt;
	if (arg[0] != '\0' && arg[1] != '\0')
		return cmd_error(c, 0, "the delimiter must be a single character");
	((struct numfmt_opts *)c->opts)->delimiter = arg;
	return 0;
}

static int set_fields(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct numfmt_opts *o = c->opts;

	(void)opt;
	if (o->fields != NULL)
		return cmd_error(c, 0, "multiple field specifications");
	o->fields = arg;
	return ranges_parse(c, arg, RANGES_FIELDS | RANGES_ALL, &o->ranges);
}

/* N, NK (thousands), NKi (1024s). */
static int set_unit(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct numfmt_opts *o = c->opts;
	uint64_t *unit = strcmp(opt->name, "from-unit") == 0 ? &o->from_unit : &o->to_unit;
	size_t len = strlen(arg);
	struct buf text = buf_in(c->arena);

	buf_put(&text, arg, len);
	/* Elsewhere K is 1024 and KB a thousand. */
	if (len > 0 && arg[len - 1] != 'i' && byte_is_alpha(arg[len - 1]))
		buf_putc(&text, 'B');
	else if (len > 1 && arg[len - 1] == 'i')
		text.len -= byte_is_alpha(arg[len - 2]);
	if (arg[0] != '\0' && num_parse_u64(buf_cstr(&text), "KMGTPEZY0", unit) == 0 &&
	    *unit != 0 && arg[len - 1] != 'B')
		return 0;
	return cmd_error(c, 0, "invalid unit size: %s", cmd_quote(c, arg));
}

static int set_header(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct numfmt_opts *o = c->opts;

	(void)opt;
	o->header = 1;
	if (arg == NULL || (num_parse_u64(arg, "", &o->header) == 0 && o->header != 0))
		return 0;
	return cmd_error(c, 0, "invalid header value %s", cmd_quote(c, arg));
}

static int set_padding(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct numfmt_opts *o = c->opts;

	(void)opt;
	if (num_parse_i64(arg, "", &o->padding) == 0 && o->padding != 0 && o->padding != INT64_MIN)
		return 0;
	return cmd_error(c, 0, "invalid padding value %s", cmd_quote(c, arg));
}

static const struct opt numfmt_options[] = {
	OPT_FLAG(0, "debug", struct numfmt_opts, debug, "warn of what is probably wrong"),
	OPT_CALL_ARG('d', "delimiter", set_delimiter, "X", "what separates fields (blanks)"),
	OPT_CALL_ARG(0, "field", set_fields, "FIELDS", "numbers are in these fields (1)"),
	OPT_STR(0, "format", struct numfmt_opts, format, NULL, "FORMAT",
		"text around one %f, with width and precision"),
	OPT_ENUM(0, "from", struct numfmt_opts, from, from_words, "UNIT",
		 "units of the input: none, auto, si, iec or iec-i"),
	OPT_CALL_ARG(0, "from-unit", set_unit, "N", "numbers of the input count Ns"),
	OPT_FLAG(0, "grouping", struct numfmt_opts, grouping,
		 "digits in groups, if the locale has them"),
	OPT_CALL_OPTIONAL(0, "header", set_header, "N", "the first N lines (1) stay as they are"),
	OPT_ENUM(0, "invalid", struct numfmt_opts, invalid, invalid_words, "MODE",
		 "what is no number: abort, fail (at the end), warn, ignore"),
	OPT_CALL_ARG(0, "padding", set_padding, "N",
		     "at least N wide, to the right; negative: to the left"),
	OPT_ENUM(0, "round", struct numfmt_opts, round, round_words, "METHOD",
		 "up, down, from-zero, towards-zero or nearest"),
	OPT_STR(0, "suffix", struct numfmt_opts, suffix, NULL, "SUFFIX",
		"behind numbers of the output, and allowed in the input"),
	OPT_ENUM(0, "to", struct numfmt_opts, to, to_words, "UNIT",
		 "units of the output: none, si, iec or iec-i"),
	OPT_CALL_ARG(0, "to-unit", set_unit, "N", "numbers of the output count Ns"),
	OPT_FLAG('z', "zero-terminated", struct numfmt_opts, zero, "lines end with NUL"),
	OPT_END(),
};

/* --- the format --- */

/* The width in f->ptr[*at..), with its sign: a negative one is for the left edge. */
static void take_width(struct cmd *c, struct numfmt_opts *o, struct bytes f, size_t *at, bool zero)
{
	int64_t width = 0;
	bool overflow = false;

	*at += number_parse_i64(bytes_slice(f, *at, f.len), 10, &width, &overflow);
	if (overflow || width == INT64_MIN)
		cmd_fatal(c, 0, "invalid format %s (width overflow)", cmd_quote(c, o->format));
	if (width == 0)
		return;
	if (o->debug && o->padding != 0 && !(zero && width > 0))
		cmd_warn(c, 0, "--format padding overriding --padding");
	if (zero && width > 0)
		o->style.zero_width = width;
	else
		o->padding = width;
}

static void take_precision(struct cmd *c, struct numfmt_opts *o, struct bytes f, size_t *at)
{
	bool overflow = false;
	int64_t value = 0;
	char next = ++*at < f.len ? f.ptr[*at] : '\0';

	*at += number_parse_i64(bytes_slice(f, *at, f.len), 10, &value, &overflow);
	if (overflow || value < 0 || byte_is_blank(next) || next == '+')
		cmd_fatal(c, 0, "invalid precision in format %s", cmd_quote(c, o->format));
	o->style.precision = value;
}

/* Where the directive begins: "%%" is none. *units counts it as one. */
static size_t find_directive(struct cmd *c, struct bytes f, size_t *units)
{
	size_t at = 0;

	for (*units = 0;
	     at >= f.len || f.ptr[at] != '%' || (at + 1 < f.len && f.ptr[at + 1] == '%');
	     ++*units) {
		if (at >= f.len)
			cmd_fatal(c, 0, "format %s has no %% directive", cmd_quote_n(c, f));
		at += f.ptr[at] == '%' ? 2 : 1;
	}
	return at;
}

static void parse_format(struct cmd *c, struct numfmt_opts *o)
{
	struct bytes f = bytes_of(o->format);
	size_t units;
	size_t at = find_directive(c, f, &units) + 1;
	bool zero = false;

	/* The real tool counts "%%" as one byte of the text before, so that its end is lost. */
	o->before = bytes_slice(f, 0, units);
	for (; at < f.len && strchr(" '0", f.ptr[at]) != NULL; at++) {
		o->grouping |= f.ptr[at] == '\'';
		zero |= f.ptr[at] == '0';
	}
	take_width(c, o, f, &at, zero);
	if (at >= f.len)
		cmd_fatal(c, 0, "format %s ends in %%", cmd_quote(c, o->format));
	if (f.ptr[at] == '.')
		take_precision(c, o, f, &at);
	if (at >= f.len || f.ptr[at] != 'f')
		cmd_fatal(c, 0, "invalid format %s, directive must be %%[0]['][-][N][.][N]f",
			  cmd_quote(c, o->format));
	o->after = bytes_slice(f, at + 1, f.len);
	for (at++; at < f.len; at++) {
		if (f.ptr[at] != '%')
			continue;
		if (at + 1 >= f.len || f.ptr[at + 1] != '%')
			cmd_fatal(c, 0, "format %s has too many %% directives",
				  cmd_quote(c, o->format));
		at++;
	}
}

/* --- one number --- */

static void say_invalid(struct cmd *c, const struct numfmt_opts *o, const char *message)
{
	if (o->invalid == INVALID_ABORT)
		cmd_fatal_status(c, STATUS_INVALID, 0, "%s", message);
	if (o->invalid != INVALID_IGNORE)
		cmd_error(c, 0, "%s", message);
}

static void say_unread(struct cmd *c, const struct numfmt_opts *o, struct bytes text,
		       enum numfmt_read why)
{
	static const char *const what[] = {
		[READ_OVERFLOW] = "value too large to be converted: %s%s",
		[READ_NO_NUMBER] = "invalid number: %s%s",
		[READ_FORBIDDEN] = "rejecting suffix in input: %s%s (consider using --from)",
		[READ_BAD_SUFFIX] = "invalid suffix in input: %s%s",
		[READ_NO_I] = "missing 'i' suffix in input: %s%s (e.g Ki/Mi/Gi)",
	};
	struct buf message = buf_in(c->arena);
	struct bytes pattern = bytes_of(what[why]);
	size_t at = (size_t)(bytes_find(pattern, BYTES("%s%s")) - pattern.ptr);

	buf_put(&message, pattern.ptr, at);
	buf_puts(&message, cmd_quote_n(c, text));
	buf_puts(&message, pattern.ptr + at + 4);
	say_invalid(c, o, buf_cstr(&message));
}

/* The number in text as a value of the output. False after a message. */
static bool read_number(struct cmd *c, const struct numfmt_opts *o, struct bytes text,
			struct numfmt_value *out)
{
	size_t used;
	enum numfmt_read result = number_read(text, (enum numfmt_scale)o->from, out, &used);

	if (result > READ_LOSS) {
		say_unread(c, o, text, result);
		return false;
	}
	if (result == READ_LOSS && o->debug)
		cmd_error(c, 0, "large input value %s: possible precision loss",
			  cmd_quote_n(c, text));
	if (used < text.len) {
		struct buf message = buf_in(c->arena);

		buf_printf(&message, "invalid suffix in input %s: %s", cmd_quote_n(c, text),
			   cmd_quote_n(c, bytes_slice(text, used, text.len)));
		say_invalid(c, o, buf_cstr(&message));
		return false;
	}
	if (o->from_unit != 1 || o->to_unit != 1)
		out->number = real_div(real_mul(out->number, real_of_u64(o->from_unit)),
				       real_of_u64(o->to_unit));
	return true;
}

static void say_too_large(struct cmd *c, const struct numfmt_opts *o, struct real number,
			  size_t precision, bool scaled)
{
	struct buf message = buf_in(c->arena);

	buf_puts(&message, !scaled && precision != 0 ? "value/precision too large to be printed: '"
						     : "value too large to be printed: '");
	real_put(&message, number, 'g', -1, 0);
	if (!scaled && precision != 0)
		buf_printf(&message, "/%zu", precision);
	buf_puts(&message, scaled ? "' (cannot handle values > 999Y)" : "' (consider using --to)");
	say_invalid(c, o, buf_cstr(&message));
}

/* Whether the value has too many digits to be shown. Most values do not have to be counted. */
static bool fits(struct cmd *c, const struct numfmt_opts *o, struct numfmt_value value)
{
	size_t precision = o->style.precision >= 0 ? (size_t)o->style.precision : value.precision;
	struct real number = value.number;

	if (number.kind != REAL_FINITE || (number.exp + 64 <= 40 && precision <= 5))
		return true;
	unsigned power = number_power(&number, 10);

	if (o->style.scale == SCALE_NONE && power + precision > DIGITS_UNSCALED) {
		say_too_large(c, o, value.number, precision, false);
		return false;
	}
	if (power >= DIGITS_MAX) {
		say_too_large(c, o, value.number, precision, true);
		return false;
	}
	return true;
}

static void put_spaces(struct cmd *c, uint64_t n)
{
	static const char spaces[] =
		"                                                                ";

	while (n > 0) {
		size_t step = n < SPACES_STEP ? (size_t)n : SPACES_STEP;

		cmd_write(c, spaces, step);
		cmd_charge(c, 1);
		n -= step;
	}
}

static void put_padded(struct cmd *c, const struct numfmt_opts *o, struct bytes text, int64_t width)
{
	uint64_t room = width < 0 ? -(uint64_t)width : (uint64_t)width;
	uint64_t spaces = text.len < room ? room - text.len : 0;

	cmd_bytes(c, o->before);
	put_spaces(c, width > 0 ? spaces : 0);
	cmd_bytes(c, text);
	put_spaces(c, width < 0 ? spaces : 0);
	cmd_bytes(c, o->after);
}

static void failed_to_prepare(struct cmd *c, struct real number)
{
	struct buf text = buf_in(c->arena);

	real_put(&text, number, 'f', -1, 0);
	cmd_fatal(c, 0, "failed to prepare value '%s' for printing", buf_cstr(&text));
}

/* Converts the field `text`, the n-th. False if it is no number; *text has lost its suffix. */
static bool convert(struct cmd *c, const struct numfmt_opts *o, struct bytes *text, uint64_t n)
{
	struct bytes suffix = o->suffix != NULL ? bytes_of(o->suffix) : (struct bytes){ "", 0 };
	struct bytes number;
	struct numfmt_value value;
	struct buf shown = buf_in(c->arena);
	int64_t width = o->padding;

	if (suffix.len > 0 && text->len > suffix.len && bytes_ends(*text, suffix))
		text->len -= suffix.len;
	number = *text;
	while (number.len > 0 && byte_is_blank(number.ptr[0]))
		number = bytes_slice(number, 1, number.len);
	if (o->auto_padding)
		width = number.len != text->len || n > 1 ? (int64_t)text->len : 0;
	if (!read_number(c, o, number, &value) || !fits(c, o, value))
		return false;
	if (!number_show(&shown, &value, &o->style))
		failed_to_prepare(c, value.number);
	size_t room = SHOWN_MAX - shown.len;

	buf_put(&shown, suffix.ptr, suffix.len < room ? suffix.len : room);
	put_padded(c, o, buf_bytes(&shown), width);
	return true;
}

/* --- lines --- */

static bool chosen(const struct ranges *r, uint64_t n)
{
	if (r->n == 0)
		return n == 1;
	for (size_t i = 0; i < r->n && r->list[i].from <= n; i++)
		if (n <= r->list[i].to)
			return true;
	return false;
}

/* Where the field at the beginning of s ends. */
static size_t field_end(const struct numfmt_opts *o, struct bytes s)
{
	size_t at = 0;

	if (!o->blanks) {
		const char *hit = o->separator != '\0' ? memchr(s.ptr, o->separator, s.len) : NULL;

		return hit != NULL ? (size_t)(hit - s.ptr) : s.len;
	}
	while (at < s.len && (byte_is_blank(s.ptr[at]) || s.ptr[at] == '\n'))
		at++;
	while (at < s.len && !byte_is_blank(s.ptr[at]) && s.ptr[at] != '\n')
		at++;
	return at;
}

/* A line without its end. As the real tool's, it ends at a NUL. */
static void convert_line(struct cmd *c, struct numfmt_opts *o, struct bytes line)
{
	const char *nul = memchr(line.ptr, '\0', line.len);

	if (nul != NULL)
		line.len = (size_t)(nul - line.ptr);
	for (uint64_t n = 1;; n++) {
		struct arena_mark mark = arena_mark(c->arena);
		size_t end = field_end(o, line);
		struct bytes field = bytes_slice(line, 0, end);

		if (!chosen(&o->ranges, n) || !convert(c, o, &field, n)) {
			o->failed |= chosen(&o->ranges, n);
			cmd_bytes(c, field);
		}
		arena_release(c->arena, mark);
		cmd_charge(c, 4 + end / 64);
		if (end == line.len)
			break;
		cmd_putc(c, o->blanks ? ' ' : o->separator);
		line = bytes_slice(line, end + 1, line.len);
	}
}

/* A line as a C string with its end: it ends at a NUL, which is not written. */
static void put_header(struct cmd *c, struct bytes line, char delim, bool ended)
{
	const char *nul = memchr(line.ptr, '\0', line.len);

	cmd_write(c, line.ptr, nul != NULL ? (size_t)(nul - line.ptr) : line.len);
	if (nul == NULL && ended && delim == '\n')
		cmd_putc(c, delim);
}

static void convert_input(struct cmd *c, struct numfmt_opts *o)
{
	char delim = o->zero ? '\0' : '\n';
	struct input in;
	struct bytes line;
	int more = input_open(&in, c, "-");

	while (more >= 0 && (more = input_line(&in, delim, &line)) > 0) {
		if (o->header > 0) {
			o->header--;
			put_header(c, line, delim, in.ended);
			continue;
		}
		convert_line(c, o, line);
		if (in.ended)
			cmd_putc(c, delim);
	}
	if (more < 0)
		cmd_error(c, more, "error reading input");
	input_close(&in);
}

/* Checks what options say together, in the real tool's order. */
static int settle(struct cmd *c, struct numfmt_opts *o)
{
	o->style.scale = (enum numfmt_scale)o->to;
	o->style.round = (enum numfmt_round)o->round;
	o->blanks = o->delimiter == NULL;
	o->separator = o->blanks ? ' ' : o->delimiter[0];
	if (o->format != NULL && o->grouping)
		return cmd_error(c, 0, "--grouping cannot be combined with --format");
	if (o->debug && o->from == SCALE_NONE && o->to == SCALE_NONE && !o->grouping &&
	    o->padding == 0 && o->format == NULL)
		cmd_error(c, 0, "no conversion option specified");
	if (o->format != NULL)
		parse_format(c, o);
	if (o->grouping) {
		if (o->to != SCALE_NONE)
			return cmd_error(c, 0, "grouping cannot be combined with --to");
		if (o->debug)
			cmd_error(c, 0, "grouping has no effect in this locale");
	}
	o->auto_padding = o->padding == 0 && o->blanks;
	return 0;
}

static int numfmt_run(struct cmd *c)
{
	struct numfmt_opts *o = c->opts;
	int status = settle(c, o);

	if (status != 0)
		return status;
	if (c->nargs > 0 && o->debug && o->header > 0)
		cmd_error(c, 0, "--header ignored with command-line input");
	for (int i = 0; i < c->nargs; i++) {
		convert_line(c, o, bytes_of(c->args[i]));
		cmd_putc(c, o->zero ? '\0' : '\n');
	}
	if (c->nargs == 0)
		convert_input(c, o);
	if (o->debug && o->failed)
		cmd_error(c, 0, "failed to convert some of the input numbers");
	return o->failed && o->invalid == INVALID_FAIL ? STATUS_INVALID : 0;
}

static void numfmt_defaults(struct cmd *c)
{
	struct numfmt_opts *o = c->opts;

	o->from_unit = 1;
	o->to_unit = 1;
	o->round = ROUND_FROM_ZERO;
	o->style.precision = -1;
}

const struct builtin builtin_numfmt = {
	.name = "numfmt",
	.usage = "[OPTION]... [NUMBER]...",
	.summary = "Writes each NUMBER, or the numbers of the standard input, with other units.",
	.run = numfmt_run,
	.opts = numfmt_options,
	.opts_size = sizeof(struct numfmt_opts),
	.defaults = numfmt_defaults,
};
