/* SPDX-License-Identifier: MIT
 *
 * seq - write a sequence of numbers.
 *
 * Whole numbers are counted in decimal digits, as long as they are; others in software floating
 * point as wide as the real tool's, so that the digits agree on every platform.
 */
#include "base/format.h"
#include "builtins/builtin.h"

struct seq_opts {
	const char *format;
	struct bytes separator;
	bool equal_width;
};

static const struct opt seq_options[] = {
	OPT_STR('f', "format", struct seq_opts, format, NULL, "FORMAT",
		"printf format for the numbers"),
	OPT_BYTES('s', "separator", struct seq_opts, separator, "\n", "STRING",
		  "what separates numbers (newline)"),
	OPT_FLAG('w', "equal-width", struct seq_opts, equal_width,
		 "equal widths, with leading zeros"),
	OPT_END(),
};

/* Negative numbers are operands: "-5", "-.5". */
static int seq_legacy(struct cmd *c, int argc, char **argv, int i)
{
	(void)argc;
	if (argv[i][0] != '-' || (!byte_is_digit(argv[i][1]) && argv[i][1] != '.'))
		return 0;
	c->args[c->nargs++] = argv[i];
	return 1;
}

/* --- whole numbers --- */

static bool all_digits(const char *s)
{
	return s[0] != '\0' && strspn(s, "0123456789") == strlen(s);
}

/* An endless count goes on so far from a short number: longer than a session lasts. */
enum { ENDLESS_DIGITS = 40 };

struct counter {
	char *digit; /* size bytes, the number at their end */
	size_t size;
	size_t len;
};

/* Room for a step more than `longest` digits. */
static void set_counter(struct cmd *c, struct counter *n, struct bytes digits, size_t longest)
{
	n->size = (longest > digits.len ? longest : digits.len) + 24;
	n->digit = arena_array(c->arena, n->size, 1);
	n->len = digits.len;
	memcpy(n->digit + n->size - digits.len, digits.ptr, digits.len);
}

static void add_to_counter(struct counter *n, uint64_t step)
{
	for (size_t at = n->size; step > 0 && at-- > 0; step /= 10) {
		bool had = n->size - at <= n->len;
		uint64_t sum = (had ? (uint64_t)(n->digit[at] - '0') : 0) + step % 10;

		n->digit[at] = (char)('0' + sum % 10);
		if (!had)
			n->len++;
		step += sum >= 10 ? 10 : 0;
	}
}

static struct bytes counter_bytes(const struct counter *n)
{
	return (struct bytes){ n->digit + n->size - n->len, n->len };
}

static bool is_above(struct bytes a, struct bytes b)
{
	return a.len != b.len ? a.len > b.len : memcmp(a.ptr, b.ptr, a.len) > 0;
}

static struct bytes without_zeros(const char *s)
{
	while (s[0] == '0' && s[1] != '\0')
		s++;
	return bytes_of(s);
}

/* first, first + step ... up to last, NULL: for ever. */
static void put_whole(struct cmd *c, const struct seq_opts *o, const char *first, uint64_t step,
		      const char *last)
{
	struct counter n;
	struct bytes end = last != NULL ? without_zeros(last) : BYTES("");

	set_counter(c, &n, without_zeros(first), last != NULL ? end.len : ENDLESS_DIGITS);
	if (last != NULL && is_above(counter_bytes(&n), end))
		return;
	for (;;) {
		cmd_bytes(c, counter_bytes(&n));
		/* The most frequent carry-free step, without a loop. */
		if (step == 1 && n.digit[n.size - 1] < '9')
			n.digit[n.size - 1]++;
		else
			add_to_counter(&n, step);
		cmd_charge_bytes(c, n.len);
		if (last != NULL && is_above(counter_bytes(&n), end))
			break;
		cmd_bytes(c, o->separator);
	}
	cmd_putc(c, '\n');
}

/* --- other numbers --- */

struct operand {
	struct real value;
	int precision; /* digits behind the point; -1: not a decimal number */
	size_t width;
};

static int invalid(struct cmd *c, const char *text)
{
	return cmd_usage(c, "invalid floating point argument: %s", cmd_quote(c, text));
}

/* Digits behind the point and characters of a decimal text, exponent applied. */
static void measure(struct operand *n, const char *text)
{
	const char *point = strchr(text, '.');
	const char *e = strpbrk(text, "eE");
	size_t len = strlen(text);
	int64_t exponent = 0;

	n->width = len;
	n->precision = 0;
	if (strpbrk(text, "xXpPnN") != NULL) {
		n->width = 0;
		n->precision = strpbrk(text, ".pPnN") != NULL ? -1 : 0;
		return;
	}
	if (point != NULL) {
		size_t fraction = strcspn(point + 1, "eE");

		n->precision = (int)fraction;
		if (fraction == 0)
			n->width--;
		else if (point == text || !byte_is_digit(point[-1]))
			n->width++;
	}
	if (e == NULL)
		return;
	num_parse_i64(e + 1, "", &exponent);
	if (exponent > 10000 || exponent < -10000)
		exponent = 0;
	n->width -= strlen(e);
	if (exponent < 0) {
		n->precision -= (int)exponent;
		n->width += (size_t)-exponent + (point == NULL);
	} else {
		int used = n->precision < exponent ? n->precision : (int)exponent;

		if (point != NULL && n->precision > 0 && n->precision <= exponent)
			n->width--;
		n->precision -= used;
		n->width += (size_t)(exponent - used);
	}
}

static int parse_operand(struct cmd *c, const char *text, struct operand *out)
{
	struct bytes s = bytes_of(text);
	size_t used = real_parse(s, REAL_LONG, &out->value, NULL);

	if (used == 0 || used != s.len)
		return invalid(c, text);
	if (out->value.kind == REAL_NAN)
		return cmd_usage(c, "invalid %s argument: %s", cmd_quote(c, "not-a-number"),
				 cmd_quote(c, text));
	while (byte_is_space(*text) || *text == '+')
		text++;
	measure(out, text);
	return 0;
}

/* --- format --- */

struct seq_format {
	struct bytes before; /* literal text, %% resolved */
	struct bytes after;
	struct format_spec spec;
};

static struct bytes literal(struct cmd *c, struct bytes s)
{
	struct buf out = buf_in(c->arena);

	for (size_t i = 0; i < s.len; i++) {
		buf_putc(&out, s.ptr[i]);
		i += s.ptr[i] == '%';
	}
	return buf_bytes(&out);
}

/* The next '%' that is not "%%", from `at` on; the length if there is none. */
static size_t find_percent(struct bytes s, size_t at)
{
	while (at < s.len && !(s.ptr[at] == '%' && !(at + 1 < s.len && s.ptr[at + 1] == '%')))
		at += s.ptr[at] == '%' ? 2 : 1;
	return at < s.len ? at : s.len;
}

static int parse_format(struct cmd *c, const char *text, struct seq_format *out)
{
	struct bytes s = bytes_of(text);
	size_t at = find_percent(s, 0);
	const char *shown = cmd_quote(c, text);

	if (at == s.len)
		return cmd_error(c, 0, "format %s has no %% directive", shown);
	size_t i = at + 1 + strspn(text + at + 1, "-+#0 '");

	i += strspn(text + i, "0123456789");
	if (text[i] == '.')
		i += 1 + strspn(text + i + 1, "0123456789");
	i += text[i] == 'L';
	if (text[i] == '\0')
		return cmd_error(c, 0, "format %s ends in %%", shown);
	if (strchr("efgaEFGA", text[i]) == NULL)
		return cmd_error(c, 0, "format %s has unknown %%%c directive", shown, text[i]);
	if (find_percent(s, i + 1) != s.len)
		return cmd_error(c, 0, "format %s has too many %% directives", shown);
	format_parse(s, at, &out->spec);
	out->before = literal(c, bytes_slice(s, 0, at));
	out->after = literal(c, bytes_slice(s, i + 1, s.len));
	return 0;
}

/* What fits the operands: %Lg, or %.Nf, with zeros in front for -w. */
static struct seq_format default_format(const struct seq_opts *o, const struct operand *first,
					const struct operand *step, const struct operand *last)
{
	struct seq_format f = { .spec = { .width = -1, .precision = -1, .conv = 'g' } };
	int precision = first->precision > step->precision ? first->precision : step->precision;

	if (first->precision < 0 || step->precision < 0 || last->precision < 0)
		return f;
	f.spec.conv = 'f';
	f.spec.precision = precision;
	if (!o->equal_width)
		return f;
	size_t a = first->width + (size_t)(precision - first->precision);
	size_t b = last->width;

	if (last->precision > precision)
		b -= (size_t)(last->precision - precision) + (precision == 0);
	else
		b += (size_t)(precision - last->precision);
	a += precision > 0 && first->precision == 0;
	b += precision > 0 && last->precision == 0;
	f.spec.width = (int64_t)(a > b ? a : b);
	f.spec.flags = FORMAT_ZERO;
	return f;
}

static struct bytes show(struct cmd *c, const struct seq_format *f, struct real x)
{
	struct buf out = buf_in(c->arena);

	buf_add(&out, f->before);
	format_put_real(&out, &f->spec, x, false);
	buf_add(&out, f->after);
	return buf_bytes(&out);
}

/*
 * Whether a number just beyond the end is to be written after all: when, as printed, it is the
 * end and not what was printed before ("seq 0 0.1 1").
 */
static bool rounds_to_end(struct cmd *c, const struct seq_format *f, struct real x, struct real end,
			  struct real before)
{
	struct buf digits = buf_in(c->arena);
	struct real again;

	format_put_real(&digits, &f->spec, x, false);
	struct bytes s = buf_bytes(&digits);

	if (real_parse(s, REAL_LONG, &again, NULL) == 0 || real_compare(again, end) != 0)
		return false;
	return !bytes_eq(show(c, f, x), show(c, f, before));
}

static void put_real(struct cmd *c, const struct seq_opts *o, const struct seq_format *f,
		     struct real first, struct real step, struct real last)
{
	struct real x = first;
	bool down = step.negative;

	if (down ? real_compare(first, last) < 0 : real_compare(first, last) > 0)
		return;
	for (uint64_t i = 1;; i++) {
		struct arena_mark mark = arena_mark(c->arena);
		struct real before = x;

		cmd_bytes(c, show(c, f, x));
		x = real_add(first, real_mul(real_of_u64(i), step));
		bool out = down ? real_compare(x, last) < 0 : real_compare(x, last) > 0;

		out = out && !rounds_to_end(c, f, x, last, before);
		arena_release(c->arena, mark);
		cmd_charge(c, 4);
		if (out)
			break;
		cmd_bytes(c, o->separator);
	}
	cmd_putc(c, '\n');
}

static int seq_run(struct cmd *c)
{
	const struct seq_opts *o = c->opts;
	const char *text[3] = { "1", "1", NULL };
	struct operand n[3];
	struct seq_format f;
	int status = cmd_operands(c, 1, 3);

	if (status != 0)
		return status;
	text[2] = c->args[c->nargs - 1];
	if (c->nargs > 1)
		text[0] = c->args[0];
	if (c->nargs > 2)
		text[1] = c->args[1];
	if (o->format != NULL && (status = parse_format(c, o->format, &f)) != 0)
		return status;
	if (o->format != NULL && o->equal_width)
		return cmd_usage(
			c, "format string may not be specified when printing equal width strings");
	for (int i = 0; i < 3; i++)
		if ((status = parse_operand(c, text[i], &n[i])) != 0)
			return status;
	if (n[1].value.kind == REAL_ZERO)
		return cmd_usage(c, "invalid Zero increment value: %s", cmd_quote(c, text[1]));
	uint64_t step;
	bool endless = n[2].value.kind == REAL_INF && !n[2].value.negative;

	if (all_digits(text[0]) && num_plain(text[1], &step) && step < 1000000 &&
	    (all_digits(text[2]) || endless) && o->format == NULL && !o->equal_width) {
		put_whole(c, o, text[0], step, endless ? NULL : text[2]);
		return 0;
	}
	if (o->format == NULL)
		f = default_format(o, &n[0], &n[1], &n[2]);
	put_real(c, o, &f, n[0].value, n[1].value, n[2].value);
	return 0;
}

const struct builtin builtin_seq = {
	.name = "seq",
	.usage = "[OPTION]... [FIRST [INCREMENT]] LAST",
	.summary = "Writes the numbers from FIRST (1) to LAST in steps of INCREMENT (1).",
	.run = seq_run,
	.opts = seq_options,
	.opts_size = sizeof(struct seq_opts),
	.legacy = seq_legacy,
};
