/* SPDX-License-Identifier: MIT
 *
 * printf - write formatted arguments, as the program printf does (its messages differ from
 * those of the shell's own).
 */
#include "base/format.h"
#include "builtins/builtin.h"

struct printf {
	struct cmd *c;
	char **arg;
	int n;
	int next;
	bool failed;
	bool stop; /* \c */
};

static struct bytes next_arg(struct printf *p)
{
	return p->next < p->n ? bytes_of(p->arg[p->next++]) : (struct bytes){ NULL, 0 };
}

/* After a number was read: complains about what is left of the text. */
static void check_rest(struct printf *p, struct bytes s, size_t used, bool overflow)
{
	struct cmd *c = p->c;

	if (used == 0)
		cmd_error(c, 0, "%s: expected a numeric value", cmd_quote_n(c, s));
	else if (overflow)
		cmd_error(c, -E_RANGE, "%s", cmd_quote_n(c, s));
	else if (used < s.len)
		cmd_error(c, 0, "%s: value not completely converted", cmd_quote_n(c, s));
	else
		return;
	p->failed = true;
}

/* 'c or "c: the code of a character. */
static bool character_value(struct printf *p, struct bytes s, int64_t *out)
{
	uint32_t code;

	if (s.len < 2 || (s.ptr[0] != '\'' && s.ptr[0] != '"'))
		return false;
	size_t len = p->c->utf8 ? utf8_decode(s, 1, &code) : 0;

	if (len == 0) {
		code = (unsigned char)s.ptr[1];
		len = 1;
	}
	*out = code;
	if (1 + len < s.len) {
		cmd_flush(p->c);
		cmd_warn(p->c, 0,
			 "warning: %.*s: character(s) following character constant"
			 " have been ignored",
			 (int)(s.len - 1 - len), s.ptr + 1 + len);
	}
	return true;
}

static int64_t integer_arg(struct printf *p)
{
	struct bytes s = next_arg(p);
	int64_t value = 0;
	bool overflow = false;

	if (s.ptr == NULL || s.len == 0 || character_value(p, s, &value))
		return value;
	size_t used = number_parse_i64(s, 0, &value, &overflow);

	check_rest(p, s, used, overflow);
	return value;
}

static uint64_t unsigned_arg(struct printf *p)
{
	struct bytes s = next_arg(p);
	uint64_t value = 0;
	int64_t code;
	bool overflow = false;

	if (s.ptr == NULL || s.len == 0)
		return 0;
	if (character_value(p, s, &code))
		return (uint64_t)code;
	size_t used = number_parse_u64(s, 0, &value, &overflow);

	check_rest(p, s, used, overflow);
	return value;
}

static struct real real_arg(struct printf *p)
{
	struct bytes s = next_arg(p);
	struct real value = { .kind = REAL_ZERO };
	int64_t code;

	if (s.ptr == NULL || s.len == 0)
		return value;
	if (character_value(p, s, &code))
		return real_of_i64(code);
	enum real_status status = REAL_OK;
	size_t used = real_parse(s, REAL_LONG, &value, &status);

	check_rest(p, s, used, status != REAL_OK);
	return value;
}

/* --- escapes --- */

static void escape(struct printf *p, struct buf *out, struct bytes s, size_t *at,
		   enum format_escape_mode mode)
{
	enum format_escape_error err;
	size_t before = out->len;

	/* The program also knows \c in formats, and \e. */
	if (*at + 1 < s.len && s.ptr[*at + 1] == 'c') {
		p->stop = true;
		return;
	}
	err = format_escape(out, s, at, mode, p->c->utf8);
	if (err == ESCAPE_STOP)
		p->stop = true;
	if (err == ESCAPE_NO_HEX || err == ESCAPE_NO_UNICODE) {
		/* What stands before it is written. */
		out->len = before;
		cmd_bytes(p->c, buf_bytes(out));
		cmd_fatal(p->c, 0, "missing hexadecimal number in escape");
	}
}

static struct bytes expand(struct printf *p, struct bytes s)
{
	struct buf out = buf_in(p->c->arena);

	for (size_t at = 0; at < s.len && !p->stop;) {
		if (s.ptr[at] == '\\')
			escape(p, &out, s, &at, ESCAPE_B);
		else
			buf_putc(&out, s.ptr[at++]);
	}
	return buf_bytes(&out);
}

/* --- conversions --- */

static void invalid(struct printf *p, struct bytes text)
{
	cmd_fatal(p->c, 0, "%.*s: invalid conversion specification", (int)text.len, text.ptr);
}

/* Which flags and parts a conversion may have. */
static void check(struct printf *p, const struct format_spec *s)
{
	const char *allowed = NULL;

	switch (s->conv) {
	case 'd':
	case 'i':
	case 'u': allowed = "-+ 0'"; break;
	case 'o':
	case 'x':
	case 'X':
	case 'e':
	case 'E':
	case 'a':
	case 'A': allowed = "-+ #0"; break;
	case 'f':
	case 'F':
	case 'g':
	case 'G': allowed = "-+ #0'"; break;
	case 's':
	case 'c': allowed = "-+ "; break;
	case 'b':
	case 'q':
		if (s->text.len == 2)
			return;
		break;
	default: break;
	}
	if (allowed == NULL)
		invalid(p, s->text);
	size_t n = strspn(s->text.ptr + 1, "-+ #0'");

	for (size_t i = 1; i <= n; i++)
		if (strchr(allowed, s->text.ptr[i]) == NULL)
			invalid(p, s->text);
	if (s->conv == 'c' && memchr(s->text.ptr, '.', s->text.len) != NULL)
		invalid(p, s->text);
}

static void put_text(struct printf *p, struct buf *out, const struct format_spec *s)
{
	struct bytes arg = next_arg(p);
	bool missing = arg.ptr == NULL;

	if (missing)
		arg = BYTES("");
	if (s->conv == 'q' && missing)
		return;
	if (s->conv == 'b') {
		buf_add(out, expand(p, arg));
	} else if (s->conv == 'q') {
		quote_put(out, arg, QUOTE_SHELL_ESCAPE, "", p->c->utf8);
	} else if (s->conv == 'c') {
		/* An empty argument is a NUL byte. */
		format_put_text(out, s, (struct bytes){ arg.len > 0 ? arg.ptr : "", 1 }, false);
	} else {
		format_put_text(out, s, arg, false);
	}
}

static void put_conversion(struct printf *p, struct buf *out, struct format_spec *s)
{
	if (s->width_star)
		format_set_width(s, integer_arg(p));
	if (s->precision_star)
		format_set_precision(s, integer_arg(p));
	check(p, s);
	if (strchr("sbqc", s->conv) != NULL)
		put_text(p, out, s);
	else if (s->conv == 'd' || s->conv == 'i')
		format_put_i64(out, s, integer_arg(p));
	else if (strchr("uoxX", s->conv) != NULL)
		format_put_u64(out, s, unsigned_arg(p));
	else
		format_put_real(out, s, real_arg(p), false);
}

/* The format once. */
static void put_format(struct printf *p, struct bytes format)
{
	struct arena_mark mark = arena_mark(p->c->arena);
	struct buf out = buf_in(p->c->arena);

	for (size_t at = 0; at < format.len && !p->stop;) {
		struct format_spec spec;

		if (format.ptr[at] == '\\') {
			escape(p, &out, format, &at, ESCAPE_PRINTF);
		} else if (format.ptr[at] != '%') {
			buf_putc(&out, format.ptr[at++]);
		} else if (at + 1 < format.len && format.ptr[at + 1] == '%') {
			buf_putc(&out, '%');
			at += 2;
		} else {
			/* What comes before an error is written. */
			cmd_bytes(p->c, buf_bytes(&out));
			out.len = 0;
			at = format_parse(format, at, &spec);
			put_conversion(p, &out, &spec);
		}
	}
	cmd_bytes(p->c, buf_bytes(&out));
	arena_release(p->c->arena, mark);
	cmd_charge_bytes(p->c, format.len);
}

static int printf_run(struct cmd *c)
{
	int skip = c->nargs > 0 && strcmp(c->args[0], "--") == 0;
	struct printf p = { .c = c, .arg = c->args + skip, .n = c->nargs - skip };

	if (p.n < 1)
		return cmd_usage(c, "missing operand");
	struct bytes format = next_arg(&p);

	for (;;) {
		int before = p.next;

		put_format(&p, format);
		if (p.stop || p.next >= p.n)
			break;
		if (p.next == before) {
			cmd_warn(c, 0, "warning: ignoring excess arguments, starting with %s",
				 cmd_quote(c, p.arg[p.next]));
			break;
		}
	}
	return p.failed;
}

const struct builtin builtin_printf = {
	.name = "printf",
	.usage = "FORMAT [ARGUMENT]...",
	.summary = "Writes the arguments as FORMAT says, again and again until all are used.",
	.run = printf_run,
	.flags = BUILTIN_RAW_HELP,
};
