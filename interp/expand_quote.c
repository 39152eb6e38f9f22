/* SPDX-License-Identifier: MIT
 *
 * Quoting text so that the shell reads it back: %q, ${x@Q}, set, declare -p, xtrace; and
 * $'...' both ways.
 */
#include "base/format.h"
#include "base/utf8.h"
#include "interp/parser.h"
#include "interp/shell.h"

/* Characters that the shell reads as something else, anywhere in a word. */
static bool is_meta(int c)
{
	return c != '\0' && strchr(" \t\n!\"$&'()*;<>?[\\]^`{|}", c) != NULL;
}

/* ... or because of where they stand. */
static bool is_meta_at(struct bytes s, size_t i)
{
	char c = s.ptr[i];

	if (c == '#')
		return i == 0;
	if (c == '~')
		return i == 0 || s.ptr[i - 1] == '=' || s.ptr[i - 1] == ':';
	return is_meta(c);
}

static bool has_meta(struct bytes s)
{
	for (size_t i = 0; i < s.len; i++) {
		if (is_meta_at(s, i))
			return true;
	}
	return false;
}

/* The length of the printable character at i, or 0: in the locale C those beyond ASCII are none. */
static size_t printable(bool utf8, struct bytes s, size_t i)
{
	unsigned char c = (unsigned char)s.ptr[i];
	uint32_t code;
	size_t n;

	if (c < 0x80 || !utf8)
		return byte_is_print(c);
	n = utf8_decode(s, i, &code);
	return n != 0 && utf8_is(code, UTF8_PRINT) ? n : 0;
}

static bool all_printable(bool utf8, struct bytes s)
{
	for (size_t i = 0, n; i < s.len; i += n) {
		n = printable(utf8, s, i);
		if (n == 0)
			return false;
	}
	return true;
}

static void put_ansi_byte(struct buf *out, unsigned char c)
{
	static const char codes[] = "\a\b\t\n\v\f\r\033";
	static const char letters[] = "abtnvfrE";
	const char *at = c != 0 ? strchr(codes, c) : NULL;

	buf_putc(out, '\\');
	if (at != NULL) {
		buf_putc(out, letters[at - codes]);
		return;
	}
	buf_putc(out, (char)('0' + (c >> 6)));
	buf_putc(out, (char)('0' + (c >> 3 & 7)));
	buf_putc(out, (char)('0' + (c & 7)));
}

static void quote_ansi(bool utf8, struct buf *out, struct bytes s)
{
	buf_puts(out, "$'");
	for (size_t i = 0; i < s.len;) {
		size_t n = printable(utf8, s, i);

		if (n == 0) {
			put_ansi_byte(out, (unsigned char)s.ptr[i++]);
			continue;
		}
		if (s.ptr[i] == '\'' || s.ptr[i] == '\\')
			buf_putc(out, '\\');
		buf_put(out, s.ptr + i, n);
		i += n;
	}
	buf_putc(out, '\'');
}

void quote_single(struct buf *out, struct bytes s)
{
	if (s.len == 1 && s.ptr[0] == '\'') {
		buf_puts(out, "\\'");
		return;
	}
	buf_putc(out, '\'');
	for (size_t i = 0; i < s.len; i++) {
		if (s.ptr[i] == '\'')
			buf_puts(out, "'\\'");
		buf_putc(out, s.ptr[i]);
	}
	buf_putc(out, '\'');
}

static void quote_double(struct buf *out, struct bytes s)
{
	buf_putc(out, '"');
	for (size_t i = 0; i < s.len; i++) {
		if (s.ptr[i] != '\0' && strchr("$`\"\\", s.ptr[i]) != NULL)
			buf_putc(out, '\\');
		buf_putc(out, s.ptr[i]);
	}
	buf_putc(out, '"');
}

void quote_for_printf(const struct shell *sh, struct buf *out, struct bytes s)
{
	if (s.len == 0) {
		buf_puts(out, "''");
		return;
	}
	if (!all_printable(sh->utf8, s)) {
		quote_ansi(sh->utf8, out, s);
		return;
	}
	for (size_t i = 0; i < s.len; i++) {
		if (is_meta_at(s, i) || s.ptr[i] == ',')
			buf_putc(out, '\\');
		buf_putc(out, s.ptr[i]);
	}
}

void quote_unprintable(struct buf *out, struct bytes s, bool utf8)
{
	if (all_printable(utf8, s))
		buf_add(out, s);
	else
		quote_ansi(utf8, out, s);
}

void quote_for_error(const struct shell *sh, struct buf *out, struct bytes s)
{
	quote_unprintable(out, s, sh->utf8);
}

void quote_for_at_q(const struct shell *sh, struct buf *out, struct bytes s)
{
	if (all_printable(sh->utf8, s))
		quote_single(out, s);
	else
		quote_ansi(sh->utf8, out, s);
}

void quote_for_set(const struct shell *sh, struct buf *out, struct bytes s)
{
	if (!opt_set(sh, SET_POSIX) && !all_printable(sh->utf8, s))
		quote_ansi(sh->utf8, out, s);
	else if (has_meta(s))
		quote_single(out, s);
	else
		buf_add(out, s);
}

void quote_for_declare(const struct shell *sh, struct buf *out, struct bytes s)
{
	if (all_printable(sh->utf8, s))
		quote_double(out, s);
	else
		quote_ansi(sh->utf8, out, s);
}

void quote_for_key(const struct shell *sh, struct buf *out, struct bytes s)
{
	if (!all_printable(sh->utf8, s))
		quote_ansi(sh->utf8, out, s);
	else if (has_meta(s) || (s.len == 1 && (s.ptr[0] == '@' || s.ptr[0] == '*')))
		quote_double(out, s);
	else
		buf_add(out, s);
}

void quote_for_xtrace(const struct shell *sh, struct buf *out, struct bytes s)
{
	if (s.len == 0)
		buf_puts(out, "''");
	else if (has_meta(s))
		quote_single(out, s);
	else if (!all_printable(sh->utf8, s))
		quote_ansi(sh->utf8, out, s);
	else
		buf_add(out, s);
}

/* --- $'...' --- */

struct escape {
	struct bytes s;
	size_t at; /* behind the backslash */
};

static uint32_t read_digits(struct escape *e, unsigned base, size_t max, size_t *count)
{
	uint32_t v = 0;

	for (*count = 0; *count < max && e->at < e->s.len; (*count)++) {
		int d = byte_digit(e->s.ptr[e->at]);

		if (d < 0 || (unsigned)d >= base)
			break;
		v = v * base + (uint32_t)d;
		e->at++;
	}
	return v;
}

static void put_hex(struct buf *out, struct escape *e, char letter, bool utf8)
{
	size_t count;
	uint32_t v = read_digits(e, 16, letter == 'x' ? 2 : letter == 'u' ? 4 : 8, &count);

	if (count == 0) {
		buf_putc(out, '\\');
		buf_putc(out, letter);
	} else if (letter == 'x') {
		buf_putc(out, (char)v);
	} else {
		format_put_unicode(out, v, utf8);
	}
}

static void put_escape(struct buf *out, struct escape *e, bool utf8)
{
	static const char names[] = "abeEfnrtv\\'\"?";
	static const char values[] = "\a\b\033\033\f\n\r\t\v\\'\"?";
	char c = e->s.ptr[e->at];
	const char *at = c != '\0' ? strchr(names, c) : NULL;
	size_t count;

	if (at != NULL) {
		buf_putc(out, values[at - names]);
		e->at++;
	} else if (c >= '0' && c <= '7') {
		buf_putc(out, (char)read_digits(e, 8, 3, &count));
	} else if (c == 'x' || c == 'u' || c == 'U') {
		e->at++;
		put_hex(out, e, c, utf8);
	} else if (c == 'c' && e->at + 1 < e->s.len) {
		c = e->s.ptr[e->at + 1];
		buf_putc(out, c == '?' ? 0x7f : (char)(byte_to_upper(c) & 0x1f));
		e->at += 2;
	} else {
		buf_putc(out, '\\');
		buf_putc(out, c);
		e->at++;
	}
}

void unescape_ansi_c(struct buf *out, struct bytes s, bool utf8)
{
	struct escape e = { s, 0 };

	while (e.at < s.len) {
		if (s.ptr[e.at] != '\\' || e.at + 1 == s.len) {
			buf_putc(out, s.ptr[e.at++]);
			continue;
		}
		e.at++;
		put_escape(out, &e, utf8);
	}
}

/* --- attributes and values as declare prints them --- */

void quote_attributes(struct buf *out, unsigned flags)
{
	static const struct {
		unsigned flag;
		char letter;
	} order[] = {
		{ VAR_ARRAY, 'a' },   { VAR_ASSOC, 'A' },    { VAR_INTEGER, 'i' },
		{ VAR_NAMEREF, 'n' }, { VAR_READONLY, 'r' }, { VAR_TRACE, 't' },
		{ VAR_EXPORT, 'x' },  { VAR_CAPITAL, 'c' },  { VAR_LOWER, 'l' },
		{ VAR_UPPER, 'u' },
	};

	for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
		if ((flags & order[i].flag) != 0)
			buf_putc(out, order[i].letter);
	}
}

void quote_array(struct shell *sh, struct buf *out, struct var *v)
{
	struct bytes *keys;
	struct bytes *values;
	size_t n = var_keys(sh, v, &keys);

	n = var_values(sh, v, &values) < n ? 0 : n;
	buf_putc(out, '(');
	for (size_t i = 0; i < n; i++) {
		bool assoc = (v->flags & VAR_ASSOC) != 0;

		if (i != 0 && !assoc)
			buf_putc(out, ' ');
		buf_putc(out, '[');
		quote_for_key(sh, out, keys[i]);
		buf_puts(out, "]=");
		quote_for_declare(sh, out, values[i]);
		if (assoc)
			buf_putc(out, ' ');
	}
	buf_putc(out, ')');
}
