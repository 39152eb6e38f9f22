/* SPDX-License-Identifier: MIT
 *
 * printf: base/format.h's conversions with bash's arguments, messages and -v.
 *
 * Output collects in a buffer and is written at the end, as messages go out at once.
 */
#include "base/format.h"
#include "base/time.h"
#include "base/utf8.h"
#include "interp/builtin.h"
#include "interp/var_private.h"

struct printf_state {
	struct shell *sh;
	struct buf out;
	char **arg; /* next argument */
	char **end;
	size_t round;     /* length of `out` when this round of the format began */
	bool to_variable; /* -v */
	int status;
	bool stop; /* \c in %b, or an error that ends the output */
};

/* Called before every message. */
static struct shell *before_message(struct printf_state *s)
{
	size_t len = s->out.len;

	if (!s->to_variable)
		out_lines(s->sh, "printf", &s->out);
	s->round -= s->round < len - s->out.len ? s->round : len - s->out.len;
	return s->sh;
}

/* --- arguments --- */

static const char *next_text(struct printf_state *s)
{
	const char *text = s->arg < s->end ? *s->arg++ : "";

	shell_cost(s->sh, 8 * strlen(text));
	return text;
}

static void bad_number(struct printf_state *s, const char *text)
{
	const char *kind = "number";

	if (text[0] == '0' && (text[1] | 0x20) == 'x')
		kind = "hex number";
	else if (text[0] == '0' && byte_is_digit((unsigned char)text[1]))
		kind = "octal number";
	builtin_error(before_message(s), "printf", "%s: invalid %s", text, kind);
	s->status = 1;
}

static void out_of_range(struct printf_state *s, const char *text)
{
	builtin_error(before_message(s), "printf", "warning: %s: Numerical result out of range",
		      text);
}

/* 'c: the number of a character. */
static int64_t character_number(struct printf_state *s, const char *text)
{
	uint32_t c;

	if (*text == '\0')
		return 0;
	if (s->sh->utf8 && utf8_decode(bytes_of(text), 0, &c) != 0)
		return c;
	return (unsigned char)*text;
}

static int64_t next_i64(struct printf_state *s)
{
	int64_t v = 0;
	bool over = false;

	if (s->arg == s->end)
		return 0;
	const char *text = *s->arg++;

	if (*text == '\'' || *text == '"')
		return character_number(s, text + 1);
	if (*text == '\0')
		return 0;
	size_t used = number_parse_i64(bytes_of(text), 0, &v, &over);

	if (text[used] != '\0' || used == 0)
		bad_number(s, text);
	else if (over)
		out_of_range(s, text);
	return v;
}

static uint64_t next_u64(struct printf_state *s)
{
	uint64_t v = 0;
	bool over = false;

	if (s->arg == s->end)
		return 0;
	const char *text = *s->arg++;

	if (*text == '\'' || *text == '"')
		return (uint64_t)character_number(s, text + 1);
	if (*text == '\0')
		return 0;
	size_t used = number_parse_u64(bytes_of(text), 0, &v, &over);

	if (text[used] != '\0' || used == 0)
		bad_number(s, text);
	else if (over)
		out_of_range(s, text);
	return v;
}

static struct real next_real(struct printf_state *s)
{
	struct real v = { .kind = REAL_ZERO };
	enum real_status status;

	if (s->arg == s->end)
		return v;
	const char *text = *s->arg++;

	if (*text == '\'' || *text == '"')
		return real_of_i64(character_number(s, text + 1));
	if (*text == '\0')
		return v;
	size_t used = real_parse(bytes_of(text), REAL_LONG, &v, &status);

	if (text[used] != '\0' || used == 0)
		bad_number(s, text);
	else if (status != REAL_OK)
		out_of_range(s, text);
	return v;
}

/* The value of a '*'. */
static int64_t next_size(struct printf_state *s)
{
	int64_t v = next_i64(s);

	if (s->arg >= s->end)
		return (int32_t)v; /* bash checks it only where arguments are left */
	if (v > INT32_MAX || v < -INT32_MAX) {
		out_of_range(s, *s->arg);
		v = v > 0 ? INT32_MAX : -INT32_MAX;
	}
	return v;
}

/* --- conversions --- */

/* %b: escapes in the argument; \c ends everything. */
static struct bytes expand_b(struct printf_state *s, const char *text)
{
	struct bytes in = bytes_of(text);
	struct buf out = buf_in(s->sh->arena);

	for (size_t at = 0; at < in.len;) {
		if (in.ptr[at] != '\\') {
			buf_putc(&out, in.ptr[at++]);
			continue;
		}
		enum format_escape_error err = format_escape(&out, in, &at, ESCAPE_B, s->sh->utf8);

		if (err == ESCAPE_STOP) {
			s->stop = true;
			break;
		}
		if (err == ESCAPE_NO_HEX)
			builtin_error(before_message(s), "printf", "missing hex digit for \\x");
		else if (err == ESCAPE_NO_UNICODE)
			builtin_error(before_message(s), "printf", "missing unicode digit for \\%c",
				      out.ptr[out.len - 1]);
	}
	return buf_bytes(&out);
}

static void put_quoted(struct printf_state *s, struct format_spec *spec)
{
	struct buf quoted = buf_in(s->sh->arena);
	struct bytes text = bytes_of(next_text(s));

	/* %Q applies the precision before it quotes. */
	if (spec->conv == 'Q' && spec->precision >= 0) {
		if (!spec->precision_star && (uint64_t)spec->precision < text.len)
			text.len = (size_t)spec->precision;
		spec->precision = -1;
	}
	quote_for_printf(s->sh, &quoted, text);
	format_put_text(&s->out, spec, buf_bytes(&quoted), false);
}

static void put_character(struct printf_state *s, const struct format_spec *spec)
{
	const char *text = next_text(s);
	struct format_spec plain = *spec;

	plain.precision = -1;
	format_put_text(&s->out, &plain, (struct bytes){ text, 1 }, false);
}

static void put_count(struct printf_state *s)
{
	if (s->arg == s->end)
		return;
	struct bytes name = bytes_of(*s->arg++);
	char text[24];
	size_t len = number_put_u64(text, s->out.len - s->round, 10, false);

	if (name.len == 0)
		return;
	if (!is_name(name)) {
		builtin_error(before_message(s), "printf", "`%s': not a valid identifier",
			      name.ptr);
		s->status = 1;
		s->stop = true;
		return;
	}
	if (var_set(s->sh, name, name_hash(name), (struct bytes){ text, len }, 0) != 0)
		s->status = 1;
}

/* False if the letter is none of printf's. */
static bool put_conversion(struct printf_state *s, struct format_spec *spec)
{
	switch (spec->conv) {
	case 's': format_put_text(&s->out, spec, bytes_of(next_text(s)), false); return true;
	case 'd':
	case 'i': format_put_i64(&s->out, spec, next_i64(s)); return true;
	case 'u':
	case 'o':
	case 'x':
	case 'X': format_put_u64(&s->out, spec, next_u64(s)); return true;
	case 'b': format_put_text(&s->out, spec, expand_b(s, next_text(s)), false); return true;
	case 'c': put_character(s, spec); return true;
	case 'q':
	case 'Q': put_quoted(s, spec); return true;
	case 'n': put_count(s); return true;
	default:
		if (strchr("eEfFgGaA", spec->conv) == NULL)
			return false;
		format_put_real(&s->out, spec, next_real(s), false);
		return true;
	}
}

/* --- %(format)T --- */

/* Where "%(...)T" ends, counting nested parentheses; 0 if it is not one. */
static size_t time_end(struct bytes format, size_t open)
{
	int depth = 0;

	for (size_t i = open; i < format.len; i++) {
		if (format.ptr[i] == '(')
			depth++;
		if (format.ptr[i] == ')' && --depth == 0)
			return i;
	}
	return 0;
}

static void put_time(struct printf_state *s, struct format_spec *spec, struct bytes format)
{
	struct shell *sh = s->sh;
	struct zone *zone = shell_zone(sh);
	int64_t seconds = -1;
	struct civil civil;
	struct buf text = buf_in(sh->arena);

	if (s->arg < s->end)
		seconds = next_i64(s);
	if (seconds == -1)
		seconds = sys_now(sh->p) / 1000000000;
	else if (seconds == -2)
		seconds = sh->seconds_base_ns / 1000000000;
	time_civil(zone, seconds, &civil);
	time_format(&text, format.len != 0 ? format : BYTES("%X"), &civil, seconds, TIME_LIBC);
	format_put_text(&s->out, spec, buf_bytes(&text), false);
}

/* Handles the '(' behind '%', flags and sizes. Returns where to go on in the format. */
static size_t put_time_conversion(struct printf_state *s, struct bytes format, size_t start,
				  size_t open, struct format_spec *spec)
{
	size_t close = time_end(format, open);
	char after = close != 0 && close + 1 < format.len ? format.ptr[close + 1] : '\0';

	if (after == 'T') {
		put_time(s, spec, bytes_slice(format, open + 1, close));
		return close + 2;
	}
	builtin_error(before_message(s), "printf",
		      "warning: `%c': invalid time format specification", after);
	buf_putc(&s->out, '%');
	return start + 1;
}

/* --- the format --- */

static void format_error(struct printf_state *s, const struct format_spec *spec)
{
	if (spec->conv == '\0')
		builtin_error(before_message(s), "printf", "`%.*s': missing format character",
			      (int)spec->text.len, spec->text.ptr);
	else
		builtin_error(before_message(s), "printf", "`%c': invalid format character",
			      spec->conv);
	s->status = 1;
	s->stop = true;
}

/* One conversion at format.ptr[at]. Returns where it ends. */
static size_t run_conversion(struct printf_state *s, struct bytes format, size_t at)
{
	struct format_spec spec;

	if (at + 1 < format.len && format.ptr[at + 1] == '%') {
		buf_putc(&s->out, '%');
		return at + 2;
	}
	size_t end = format_parse(format, at, &spec);

	if (spec.width_star)
		format_set_width(&spec, next_size(s));
	if (spec.precision_star)
		format_set_precision(&spec, next_size(s));
	if (spec.conv == '(')
		return put_time_conversion(s, format, at, end - 1, &spec);
	if (spec.conv == '\0' || !put_conversion(s, &spec))
		format_error(s, &spec);
	return end;
}

static size_t run_escape(struct printf_state *s, struct bytes format, size_t at)
{
	char kind = at + 1 < format.len ? format.ptr[at + 1] : '\0';

	if (kind == '%') { /* which is still to be converted */
		buf_putc(&s->out, '\\');
		return at + 1;
	}
	switch (format_escape(&s->out, format, &at, ESCAPE_PRINTF, s->sh->utf8)) {
	case ESCAPE_NO_HEX:
		builtin_error(before_message(s), "printf", "missing hex digit for \\x");
		break;
	case ESCAPE_NO_UNICODE:
		builtin_error(before_message(s), "printf", "missing unicode digit for \\%c", kind);
		break;
	default: break;
	}
	return at;
}

/* One round through the format. */
static void run_format(struct printf_state *s, struct bytes format)
{
	size_t at = 0;

	while (at < format.len && !s->stop) {
		size_t plain = at;

		while (at < format.len && format.ptr[at] != '%' && format.ptr[at] != '\\')
			at++;
		buf_put(&s->out, format.ptr + plain, at - plain);
		if (at == format.len)
			return;
		at = format.ptr[at] == '%' ? run_conversion(s, format, at)
					   : run_escape(s, format, at);
	}
}

/* -v's operand. */
struct target {
	const char *text; /* NULL: none */
	bool element;     /* written as name[sub] */
};

static int printf_finish(struct printf_state *s, const struct target *t)
{
	if (t->text != NULL) {
		struct bytes value = bytes_of(buf_cstr(&s->out)); /* up to a NUL */
		int err = var_set_ref(s->sh, "printf", bytes_of(t->text), t->element, value);

		return err != 0 ? 1 : s->status;
	}
	if (s->out.len != 0 && !out_write(s->sh, "printf", buf_bytes(&s->out)))
		return 1;
	return s->status;
}

static bool is_target(struct shell *sh, const struct target *t)
{
	struct bytes name;
	struct bytes sub;

	return argument_ref(sh, bytes_of(t->text), t->element, &name, &sub);
}

int do_printf(struct shell *sh, int argc, char **argv)
{
	struct printf_state s = { .sh = sh, .out = buf_in(sh->arena) };
	struct optscan scan = { 0 };
	struct target target = { 0 };
	int c;

	while ((c = optscan_next(sh, NULL, &scan, argc, argv, "v:")) != -1) {
		if (c == '?')
			return STATUS_MISUSE;
		target.text = scan.value;
		target.element = sh->elements != NULL && sh->elements[scan.index - 1];
		if (!is_target(sh, &target)) {
			builtin_error(sh, "printf", "`%s': not a valid identifier", target.text);
			return STATUS_MISUSE;
		}
	}
	if (scan.index == argc)
		return usage_error(sh, "printf");
	struct bytes format = bytes_of(argv[scan.index]);

	s.to_variable = target.text != NULL;
	s.arg = argv + scan.index + 1;
	s.end = argv + argc;
	do {
		char **before = s.arg;

		s.round = s.out.len;
		run_format(&s, format);
		if (s.arg == before) /* a format that takes no arguments is used once */
			break;
		proc_charge(sh->p, 1);
	} while (s.arg < s.end && !s.stop);
	return printf_finish(&s, &target);
}
