/* SPDX-License-Identifier: MIT
 *
 * sed: the strings in a script: between delimiters, of a i c, labels, file names, escapes.
 */
#include "builtins/sed/sed.h"

/* Puts a backslash and ch, or only ch where the backslash just protected it. */
static void put_escaped(struct buf *out, int ch, int delim, enum sed_slash kind)
{
	bool special = kind == SLASH_REPLACEMENT && ch == '&';

	if (ch != delim || special)
		buf_putc(out, '\\');
	buf_putc(out, (char)ch);
}

/* Copies a bracket expression, whose '[' has been read. False: it does not end. */
static bool read_bracket(struct sed_parser *p, struct buf *out)
{
	size_t from = p->at;
	int ch = sed_next(p);
	int before = -1;
	int inner = 0; /* the '.', ':' or '=' of "[:" */

	buf_putc(out, '[');
	if (ch == '^') {
		buf_putc(out, '^');
		from = p->at;
		ch = sed_next(p);
	}
	for (;; before = ch, ch = sed_next(p)) {
		if (ch == '\n')
			sed_back(p, ch);
		if (ch < 0 || ch == '\n')
			return false;
		buf_putc(out, (char)ch);
		if (inner != 0) {
			if (ch == ']' && before == inner)
				inner = 0;
		} else if (ch == ']' && p->at - from > 1) {
			return true;
		} else if (before == '[' && (ch == '.' || ch == ':' || ch == '=')) {
			inner = ch;
			ch = -1;
		}
	}
}

bool sed_read_slash(struct sed_parser *p, int delim, enum sed_slash kind, struct bytes *out)
{
	struct buf text = buf_in(p->s->c->arena);

	/* A byte that begins a character of several; one that is none by itself will do. */
	if (p->s->c->utf8 && delim >= 0xc2 && delim <= 0xf4)
		sed_bad(p, "delimiter character is not a single-byte character");
	for (;;) {
		int ch = sed_next(p);

		if (ch == delim)
			break;
		if (ch == '\n')
			sed_back(p, ch);
		if (ch < 0 || ch == '\n')
			return false;
		if (ch == '[' && kind == SLASH_REGEX) {
			if (!read_bracket(p, &text))
				return false;
			continue;
		}
		if (ch != '\\') {
			buf_putc(&text, (char)ch);
			continue;
		}
		ch = sed_next(p);
		if (ch < 0)
			return false;
		if (ch == '\n' && kind == SLASH_REGEX)
			buf_putc(&text, '\n');
		else
			put_escaped(&text, ch, delim, kind);
	}
	*out = buf_bytes(&text);
	return true;
}

/* --- escapes --- */

static int escape_number(struct bytes text, size_t *at, int base, size_t most)
{
	int value = 0;
	size_t from = *at + 1;
	size_t i = from;

	while (i < text.len && i - from < most) {
		int digit = byte_digit(text.ptr[i]);

		if (digit < 0 || digit >= base)
			break;
		value = value * base + digit;
		i++;
	}
	if (i == from)
		return -1;
	*at = i;
	return value & 0xff;
}

static int escape_control(struct sed_parser *p, struct bytes text, size_t *at)
{
	size_t i = *at + 1;

	int ch = (unsigned char)text.ptr[i++];

	if (ch == '\\') {
		if (i >= text.len || text.ptr[i] != '\\')
			sed_bad(p, "recursive escaping after \\c not allowed");
		i++;
	}
	*at = i;
	return byte_to_upper(ch) ^ 0x40;
}

bool sed_is_cut_control(struct bytes text, size_t at)
{
	return at + 1 == text.len && text.ptr[at] == 'c';
}

int sed_escape(struct sed_parser *p, struct bytes text, size_t *at)
{
	static const char letters[] = "afrtv";
	static const char values[] = "\a\f\r\t\v";
	char ch = text.ptr[*at];
	const char *hit = ch != '\0' ? strchr(letters, ch) : NULL;

	if (hit != NULL) {
		++*at;
		return values[hit - letters];
	}
	switch (ch) {
	case 'd': return escape_number(text, at, 10, 3);
	case 'o': return escape_number(text, at, 8, 3);
	case 'x': return escape_number(text, at, 16, 2);
	case 'c': return escape_control(p, text, at);
	default: return -1;
	}
}

/* --- a, i, c --- */

static void put_text_escape(struct sed_parser *p, struct buf *out)
{
	size_t at = p->at;

	int byte = sed_escape(p, p->text, &at);

	if (byte < 0) {
		int ch = sed_next(p);

		/* Of what is no escape only the backslash goes. */
		buf_putc(out, ch == 'n' ? '\n' : (char)ch);
		return;
	}
	buf_putc(out, (char)byte);
	p->at = at;
}

/* "\c" in front of the end of the text, which goes with it: GNU's `a` makes a letter of that. */
static bool take_cut_control(struct sed_parser *p)
{
	struct bytes rest = bytes_slice(p->text, p->at, p->text.len);

	if (rest.len == 0 || rest.ptr[0] != 'c' || (rest.len > 1 && rest.ptr[1] != '\n'))
		return false;
	p->at += rest.len > 1 ? 2 : 1;
	return true;
}

/* Reads up to the end of the text's last line. True: the part ended before that. */
static bool read_lines(struct sed_parser *p, struct buf *out, char name)
{
	for (;;) {
		int ch = sed_next(p);

		if (ch < 0) {
			buf_putc(out, '\n');
			return false;
		}
		if (ch == '\\') {
			if (p->at >= p->text.len) {
				buf_putc(out, '\n');
				return true;
			}
			if (take_cut_control(p)) {
				buf_putc(out, name == 'a' ? '\n' ^ 0x40 : '\n');
				return false;
			}
			put_text_escape(p, out);
			continue;
		}
		buf_putc(out, (char)ch);
		if (ch == '\n')
			return false;
	}
}

static void read_rest(struct sed_parser *p, size_t index)
{
	p->pending = read_lines(p, &p->pending_text, p->s->cmds[index].name);
	p->pending_cmd = index;
	p->s->cmds[index].text = arena_bytes(p->s->c->arena, buf_bytes(&p->pending_text));
}

void sed_go_on_with_text(struct sed_parser *p)
{
	read_rest(p, p->pending_cmd);
}

void sed_read_text(struct sed_parser *p, struct sed_cmd *cmd, size_t index)
{
	int ch = sed_next_nonblank(p);

	p->pending_text.len = 0;
	cmd->text = BYTES("");
	if (ch < 0)
		sed_bad(p, "expected \\ after `a', `c' or `i'");
	if (ch == '\n')
		return;
	if (ch == '\\') {
		ch = sed_next(p);
		if (ch < 0 && p->s->posix)
			sed_bad(p, "incomplete command");
		if (ch < 0) {
			p->pending = true;
			p->pending_cmd = index;
			return;
		}
		if (ch == '\n')
			ch = -1;
	} else if (p->s->posix) {
		sed_bad(p, "expected \\ after `a', `c' or `i'");
	}
	sed_back(p, ch);
	read_rest(p, index);
}

/* --- names --- */

struct bytes sed_read_label(struct sed_parser *p)
{
	int ch = sed_next_nonblank(p);
	size_t from = p->at - (ch >= 0);

	while (ch >= 0 && !byte_is_space(ch) && ch != ';' && ch != '}' && ch != '#')
		ch = sed_next(p);
	sed_back(p, ch);
	return bytes_slice(p->text, from, p->at);
}

struct bytes sed_read_file_name(struct sed_parser *p)
{
	int ch = sed_next_nonblank(p);
	size_t from = p->at - (ch >= 0);

	while (ch >= 0 && ch != '\n')
		ch = sed_next(p);
	return arena_bytes(p->s->c->arena, bytes_slice(p->text, from, p->at - (ch == '\n')));
}

/* --- regular expressions --- */

/* The pattern with its escapes for bytes replaced: what they stand for may be an operator. */
static struct bytes unescape(struct sed_parser *p, struct bytes pattern)
{
	struct buf out = buf_in(p->s->c->arena);
	size_t at = 0;

	while (at < pattern.len) {
		char ch = pattern.ptr[at++];

		if (ch == '\\' && sed_is_cut_control(pattern, at)) {
			at++;
		} else if (ch == '\\' && at < pattern.len) {
			int byte = sed_escape(p, pattern, &at);

			if (byte >= 0) {
				buf_putc(&out, (char)byte);
				continue;
			}
			buf_putc(&out, ch);
			ch = pattern.ptr[at++];
		}
		buf_putc(&out, ch);
	}
	return buf_bytes(&out);
}

struct sed_re *sed_compile(struct sed_parser *p, struct bytes pattern, unsigned flags)
{
	struct sed *s = p->s;
	struct sed_re *re = arena_zalloc(s->c->arena, sizeof *re);
	const char *message = "";

	if (pattern.len == 0) {
		if (flags != 0)
			sed_bad(p, "cannot specify modifiers on empty regexp");
		return re;
	}
	if (memchr(pattern.ptr, '\\', pattern.len) != NULL)
		pattern = unescape(p, pattern);
	re->text = pattern;
	re->flags = flags | REGEX_SED | (s->extended ? REGEX_ERE : REGEX_BRE) |
		    (s->c->utf8 ? REGEX_UTF8 : 0);
	if (s->null_data && (flags & REGEX_NEWLINE) != 0)
		re->flags |= REGEX_NULDATA;
	if (regex_compile(s->c->arena, pattern, re->flags, &re->re, &message, NULL) < 0)
		sed_bad(p, "%s", message);
	regex_set_work(re->re, cmd_work, s->c);
	if (regex_groups(re->re) + 1 > s->nspans) {
		s->nspans = regex_groups(re->re) + 1;
		s->spans = arena_array(s->c->arena, s->nspans, sizeof *s->spans);
	}
	return re;
}
