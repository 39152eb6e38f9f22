/* SPDX-License-Identifier: MIT
 *
 * Mail read: a mailbox into mails, a mail into author, message and patch.
 */
#include "builtins/git/mail.h"

/* --- mailbox --- */

/* "From xyz Mon Sep 17 00:00:00 2001": a time and a year stand at its end. */
static bool is_from_line(struct bytes line)
{
	const char *colon = bytes_rfind(line, BYTES(":"));
	size_t at;

	if (!bytes_starts(line, BYTES("From ")) || colon == NULL)
		return false;
	at = (size_t)(colon - line.ptr);
	if (at < 4 || at + 3 > line.len || line.ptr[at - 3] != ':')
		return false;
	return byte_is_digit((unsigned char)line.ptr[at - 4]) &&
	       byte_is_digit((unsigned char)line.ptr[at - 1]) &&
	       byte_is_digit((unsigned char)line.ptr[at + 1]);
}

static bool is_header(struct bytes line)
{
	size_t i = 0;

	while (i < line.len && ((unsigned char)line.ptr[i] > 0x20) &&
	       (unsigned char)line.ptr[i] < 0x7f && line.ptr[i] != ':')
		i++;
	return i > 0 && i < line.len && line.ptr[i] == ':';
}

bool mail_looks_so(struct bytes text)
{
	struct bytes line;

	while (git_line(&text, &line)) {
		if (git_trim(line).len == 0)
			continue;
		return is_from_line(line) || is_header(line);
	}
	return false;
}

static struct bytes without_cr(struct git *g, struct bytes text)
{
	struct buf b = buf_in(g->keep);
	const char *cr;

	while ((cr = bytes_find(text, BYTES("\r\n"))) != NULL) {
		buf_put(&b, text.ptr, (size_t)(cr - text.ptr));
		text = bytes_slice(text, (size_t)(cr - text.ptr) + 1, text.len);
	}
	buf_add(&b, text);
	return buf_bytes(&b);
}

size_t mail_split(struct git *g, struct bytes text, bool keep_cr, struct bytes **out)
{
	struct bytes *list = NULL, rest, line;
	size_t n = 0, cap = 0;
	const char *begin;

	if (!keep_cr && bytes_find(text, BYTES("\r\n")) != NULL)
		text = without_cr(g, text);
	rest = text;
	begin = text.ptr;
	while (rest.len != 0) {
		const char *at = rest.ptr;

		git_line(&rest, &line);
		cmd_charge(g->c, 1);
		if (is_from_line(line) && at != begin) {
			LIST_ROOM(g, list, n, cap);
			list[n++] = (struct bytes){ begin, (size_t)(at - begin) };
			begin = at;
		}
	}
	LIST_ROOM(g, list, n, cap);
	list[n++] = (struct bytes){ begin, (size_t)(text.ptr + text.len - begin) };
	*out = list;
	return n;
}

/* --- encodings --- */

static int hex_digit(char ch)
{
	return ch >= '0' && ch <= '9'   ? ch - '0'
	       : ch >= 'A' && ch <= 'F' ? ch - 'A' + 10
	       : ch >= 'a' && ch <= 'f' ? ch - 'a' + 10
					: -1;
}

/* word: of a header, where '_' is a blank. */
static void put_quoted_printable(struct buf *out, struct bytes s, bool word)
{
	for (size_t i = 0; i < s.len; i++) {
		if (s.ptr[i] == '=' && i + 2 < s.len && hex_digit(s.ptr[i + 1]) >= 0 &&
		    hex_digit(s.ptr[i + 2]) >= 0) {
			buf_putc(out,
				 (char)(hex_digit(s.ptr[i + 1]) << 4 | hex_digit(s.ptr[i + 2])));
			i += 2;
		} else if (s.ptr[i] == '=' && !word && i + 1 < s.len && s.ptr[i + 1] == '\n') {
			i++;
		} else {
			buf_putc(out, word && s.ptr[i] == '_' ? ' ' : s.ptr[i]);
		}
	}
}

static int base64_digit(char ch)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *at = ch != '\0' ? strchr(digits, ch) : NULL;

	return at != NULL ? (int)(at - digits) : -1;
}

static void put_base64(struct buf *out, struct bytes s)
{
	uint32_t bits = 0;
	int n = 0;

	for (size_t i = 0; i < s.len && s.ptr[i] != '='; i++) {
		int v = base64_digit(s.ptr[i]);

		if (v < 0)
			continue;
		bits = bits << 6 | (uint32_t)v;
		n += 6;
		if (n < 8)
			continue;
		n -= 8;
		buf_putc(out, (char)(bits >> n & 0xff));
	}
}

/* "=?UTF-8?q?...?=" in a header; blanks between two of them are none. */
static char *decode_header(struct git *g, struct bytes s)
{
	struct buf out = buf_in(g->keep);
	size_t word_end = SIZE_MAX; /* of the last word, if only blanks came since */

	for (size_t i = 0; i < s.len;) {
		struct bytes rest = bytes_slice(s, i, s.len);
		const char *q1 = bytes_starts(rest, BYTES("=?"))
					 ? memchr(rest.ptr + 2, '?', rest.len - 2)
					 : NULL;
		const char *end;
		size_t head;

		if (q1 == NULL || rest.ptr + rest.len - q1 < 4 || q1[2] != '?') {
			buf_putc(&out, s.ptr[i++]);
			if (!byte_is_space((unsigned char)s.ptr[i - 1]))
				word_end = SIZE_MAX;
			continue;
		}
		head = (size_t)(q1 + 3 - rest.ptr);
		end = bytes_find(bytes_slice(rest, head, rest.len), BYTES("?="));
		if (end == NULL) {
			buf_putc(&out, s.ptr[i++]);
			continue;
		}
		if (word_end != SIZE_MAX)
			out.len = word_end;
		struct bytes word = { rest.ptr + head, (size_t)(end - rest.ptr) - head };

		if (q1[1] == 'q' || q1[1] == 'Q')
			put_quoted_printable(&out, word, true);
		else
			put_base64(&out, word);
		word_end = out.len;
		i += (size_t)(end + 2 - rest.ptr);
	}
	return buf_cstr(&out);
}

/* --- headers --- */

static bool header_is(struct bytes line, const char *name, struct bytes *value)
{
	size_t n = strlen(name);

	if (line.len <= n || line.ptr[n] != ':' ||
	    !git_eq_nocase(bytes_slice(line, 0, n), bytes_of(name)))
		return false;
	*value = git_trim(bytes_slice(line, n + 1, line.len));
	return true;
}

/* A header with the lines that continue it, as one line. */
static struct bytes unfold(struct git *g, struct bytes *rest)
{
	struct buf b = buf_in(g->a);
	struct bytes line;

	if (!git_line(rest, &line))
		return BYTES("");
	if (line.len != 0 && line.ptr[line.len - 1] == '\r')
		line.len--;
	buf_add(&b, line);
	while (line.len != 0 && rest->len != 0 && (rest->ptr[0] == ' ' || rest->ptr[0] == '\t')) {
		git_line(rest, &line);
		buf_putc(&b, ' ');
		buf_add(&b, git_trim(line));
	}
	return (struct bytes){ buf_cstr(&b), b.len };
}

static void take_person(struct git *g, struct bytes value, struct mail *m)
{
	char *text = decode_header(g, value);
	char *open = strrchr(text, '<');
	char *close = open != NULL ? strchr(open, '>') : NULL;
	char *at = strchr(text, '@');

	if (close != NULL) {
		struct bytes name = git_trim((struct bytes){ text, (size_t)(open - text) });
		struct buf b = buf_in(g->keep);

		m->email = arena_dup(g->keep,
				     (struct bytes){ open + 1, (size_t)(close - open - 1) });
		if (name.len > 1 && name.ptr[0] == '"' && name.ptr[name.len - 1] == '"')
			name = bytes_slice(name, 1, name.len - 1);
		for (size_t i = 0; i < name.len; i++) {
			if (name.ptr[i] == '\\' && i + 1 < name.len)
				i++;
			buf_putc(&b, name.ptr[i]);
		}
		m->name = buf_cstr(&b);
		if (m->name[0] == '\0')
			m->name = m->email;
	} else if (at != NULL) {
		m->name = m->email = text;
	}
}

/* Without "Re:" and brackets at its front. */
static char *clean_subject(struct git *g, char *s, unsigned flags)
{
	struct buf kept = buf_in(g->keep);

	for (;;) {
		while (*s == ' ' || *s == '\t' || *s == ':')
			s++;
		if (flags & MAIL_KEEP)
			break;
		if ((s[0] == 'R' || s[0] == 'r') && (s[1] == 'e' || s[1] == 'E') && s[2] == ':') {
			s += 3;
			continue;
		}
		char *end = *s == '[' ? strchr(s, ']') : NULL;

		if (end == NULL)
			break;
		if ((flags & MAIL_KEEP_NON_PATCH) &&
		    bytes_find((struct bytes){ s, (size_t)(end - s) }, BYTES("PATCH")) == NULL)
			buf_printf(&kept, "%.*s ", (int)(end + 1 - s), s);
		s = end + 1;
	}
	buf_add(&kept, git_trim(bytes_of(s)));
	return buf_cstr(&kept);
}

static bool take_header(struct git *g, struct bytes line, unsigned flags, struct mail *m)
{
	struct bytes v;

	if (header_is(line, "From", &v))
		take_person(g, v, m);
	else if (header_is(line, "Subject", &v))
		m->subject = clean_subject(g, decode_header(g, v), flags);
	else if (header_is(line, "Date", &v))
		m->date = arena_dup(g->keep, v);
	else if ((flags & MAIL_ID) && header_is(line, "Message-Id", &v))
		m->id = arena_dup(g->keep, v);
	else
		return false;
	return true;
}

/* --- body --- */

static bool begins_patch(struct bytes line)
{
	return bytes_starts(line, BYTES("diff -")) || bytes_starts(line, BYTES("Index: ")) ||
	       (bytes_starts(line, BYTES("---")) &&
		(git_trim(bytes_slice(line, 3, line.len)).len == 0 ||
		 (line.len > 4 && line.ptr[3] == ' ' && line.ptr[4] != ' ')));
}

/* "-- >8 --": dashes and scissors are most of what is seen of the line. */
static bool is_scissors(struct bytes line)
{
	static const char *const marks[] = { ">8", "8<", ">%", "%<" };
	size_t cut = 0, dashes = 0, scissors = 0, gaps = 0;
	bool inside = false;

	line = git_trim(line);
	for (size_t i = 0; i < line.len; i++) {
		bool mark = false;

		for (size_t k = 0; k < 4; k++)
			mark |= bytes_starts(bytes_slice(line, i, line.len), bytes_of(marks[k]));
		if (byte_is_space((unsigned char)line.ptr[i])) {
			gaps += inside;
			continue;
		}
		inside = mark || line.ptr[i] == '-';
		scissors += mark ? 2 : 0;
		dashes += !mark && inside;
		i += mark;
	}
	cut = dashes + scissors + gaps;
	return scissors != 0 && line.len >= 8 && line.len < cut * 3 && gaps * 2 < cut;
}

static void read_body(struct git *g, struct bytes body, unsigned flags, struct mail *m)
{
	struct buf text = buf_in(g->keep);
	struct bytes rest = body, line;
	bool first = true;

	while (rest.len != 0) {
		struct bytes at = rest;

		git_line(&rest, &line);
		cmd_charge(g->c, 1);
		if (begins_patch(line)) {
			m->patch = at;
			break;
		}
		/* In front of the message its author may be named. */
		if (first && git_trim(line).len == 0)
			continue;
		if (first && is_header(line) && take_header(g, line, flags & ~(unsigned)MAIL_ID, m))
			continue;
		first = (flags & MAIL_SCISSORS) && is_scissors(line);
		if (first) {
			text.len = 0;
			continue;
		}
		buf_add(&text, line);
		buf_putc(&text, '\n');
	}
	struct buf whole = buf_in(g->keep);

	if (m->id != NULL)
		buf_printf(&text, "Message-Id: %s\n", m->id);
	buf_printf(&whole, "%s\n\n", m->subject);
	buf_add(&whole, buf_bytes(&text));
	m->message = message_clean(g, buf_bytes(&whole), false);
}

enum encoding { PLAIN, QUOTED, BASE64 };
enum { PARTS_DEPTH_MAX = 5 };

/* boundary="..." of a Content-Type; NULL: the mail is one part. */
static char *boundary_of(struct git *g, struct bytes type)
{
	const char *at = bytes_find(type, BYTES("boundary="));
	struct bytes v;
	size_t n = 0;

	if (!bytes_starts(type, BYTES("multipart/")) || at == NULL)
		return NULL;
	v = bytes_slice(type, (size_t)(at - type.ptr) + strlen("boundary="), type.len);
	if (v.len != 0 && v.ptr[0] == '"')
		for (v = bytes_slice(v, 1, v.len); n < v.len && v.ptr[n] != '"';)
			n++;
	else
		while (n < v.len && v.ptr[n] != ';' && !byte_is_space((unsigned char)v.ptr[n]))
			n++;
	return n != 0 ? git_format(g->a, "--%.*s", (int)n, v.ptr) : NULL;
}

static void read_part(struct git *g, struct bytes text, int depth, unsigned flags, struct mail *m,
		      struct buf *out);

/* The parts between lines that begin with the boundary; what is in front of the first is lost. */
static void read_parts(struct git *g, struct bytes text, const char *boundary, int depth,
		       struct buf *out)
{
	struct bytes part = { NULL, 0 }, line;
	bool inside = false, last = false;
	char *end = git_format(g->a, "%s--", boundary);

	while (!last && text.len != 0) {
		struct bytes at = text;

		git_line(&text, &line);
		cmd_charge(g->c, 1);
		last = text.len == 0;
		if (!bytes_starts(line, bytes_of(boundary))) {
			part.len += (size_t)(text.ptr - at.ptr);
			if (!last)
				continue;
		}
		last |= bytes_starts(line, bytes_of(end));
		if (inside)
			read_part(g, part, depth + 1, 0, NULL, out);
		inside = true;
		part = (struct bytes){ text.ptr, 0 };
	}
}

/* Headers and text. m NULL: a part of a mail, whose headers say nothing of it. */
static void read_part(struct git *g, struct bytes text, int depth, unsigned flags, struct mail *m,
		      struct buf *out)
{
	enum encoding encoding = PLAIN;
	char *boundary = NULL;
	struct bytes line, v;

	if (depth > PARTS_DEPTH_MAX)
		git_die(g, "Too many boundaries to handle");
	while (text.len != 0) {
		line = unfold(g, &text);
		if (line.len == 0)
			break;
		if (header_is(line, "Content-Transfer-Encoding", &v))
			encoding = bytes_is(v, "quoted-printable") ? QUOTED
				   : bytes_is(v, "base64")         ? BASE64
								   : PLAIN;
		if (header_is(line, "Content-Type", &v))
			boundary = boundary_of(g, v);
		if (m != NULL)
			take_header(g, line, flags, m);
	}
	if (boundary != NULL)
		read_parts(g, text, boundary, depth, out);
	else if (encoding == QUOTED)
		put_quoted_printable(out, text, false);
	else if (encoding == BASE64)
		put_base64(out, text);
	else
		buf_add(out, text);
}

void mail_read(struct git *g, struct bytes text, unsigned flags, struct mail *m)
{
	struct bytes rest = text, line;
	char none[] = "";
	struct buf body = buf_in(g->keep);

	*m = (struct mail){ .name = none, .email = none, .date = none, .subject = none };
	if (bytes_starts(rest, BYTES("From ")))
		git_line(&rest, &line);
	read_part(g, rest, 0, flags, m, &body);
	if (bytes_find(buf_bytes(&body), BYTES("\r\n")) != NULL)
		git_warn(g, "quoted CRLF detected");
	read_body(g, buf_bytes(&body), flags, m);
	/* What is empty lies on this stack: copies go out. */
	m->name = arena_dup(g->keep, bytes_of(m->name));
	m->email = arena_dup(g->keep, bytes_of(m->email));
	m->date = arena_dup(g->keep, bytes_of(m->date));
	m->subject = arena_dup(g->keep, bytes_of(m->subject));
}
