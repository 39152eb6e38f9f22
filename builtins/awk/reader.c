/* SPDX-License-Identifier: MIT
 *
 * Records out of a descriptor, as RS says. They are handed out as views of the buffer; before
 * the buffer moves, a $0 that stands in it is kept.
 */
#include "builtins/awk/awk.h"

/* A match of RS this near to the end of what was read is tried again with more behind it. */
enum { READER_FIRST = 16 * 1024, READER_FULL = 128 * 1024, READER_AHEAD = 256 };

void awk_reader_init(struct reader *r, int fd)
{
	*r = (struct reader){ .fd = fd };
}

/* $0 may be a view of this buffer. */
static void spare_record(struct awk *a, struct reader *r)
{
	if (a->rec.owner == NULL && r->buf != NULL && a->rec.ptr >= r->buf &&
	    a->rec.ptr <= r->buf + r->cap)
		awk_rec_keep(a);
}

void awk_reader_close(struct awk *a, struct reader *r)
{
	spare_record(a, r);
	if (r->fd > 2)
		cmd_close(a->c, r->fd);
	pool_free(a->pool, r->buf, r->cap);
	*r = (struct reader){ .fd = -1, .eof = true };
}

/* More bytes behind the unread ones: 1, 0 at the end, -E_. */
static int fill(struct awk *a, struct reader *r)
{
	size_t have = r->to - r->from;

	if (r->eof)
		return 0;
	spare_record(a, r);
	if (have == r->cap || r->cap < READER_FULL) {
		size_t cap = r->cap == 0            ? READER_FIRST
			     : r->cap < READER_FULL ? READER_FULL
						    : r->cap * 2;
		char *buf = pool_alloc(a->pool, cap);

		memcpy(buf, have != 0 ? r->buf + r->from : "", have);
		pool_free(a->pool, r->buf, r->cap);
		r->buf = buf;
		r->cap = cap;
	} else if (r->from > 0) {
		memmove(r->buf, r->buf + r->from, have);
	}
	r->from = 0;
	r->to = have;
	r->fill = ++a->fills;
	int64_t got = cmd_read(a->c, r->fd, r->buf + r->to, r->cap - r->to);

	if (got < 0) {
		r->eof = true;
		return (int)got;
	}
	r->eof = got == 0;
	r->to += (size_t)got;
	return got > 0;
}

static void set_rt(struct awk *a, struct str *s)
{
	struct val *rt = &a->special[SP_RT];

	if ((rt->kind == VAL_STR && rt->u.str == s) || !awk_is_gnu(a))
		return;
	struct val old = *rt;

	*rt = val_str(str_get(s));
	val_put(a, old);
}

static void set_rt_bytes(struct awk *a, struct bytes s)
{
	struct str *text = awk_str_new(a, s);

	set_rt(a, text);
	str_put(a, text);
}

/* The record is the next len bytes, `end` more end it. */
static int awk_take(struct reader *r, size_t len, size_t end, struct bytes *out)
{
	*out = (struct bytes){ r->buf + r->from, len };
	r->from += len + end;
	r->begun = true;
	return 1;
}

static int next_char(struct awk *a, struct reader *r, struct bytes *out)
{
	size_t scanned = 0;

	for (;;) {
		size_t have = r->to - r->from;
		const char *hit = have > scanned ? memchr(r->buf + r->from + scanned, a->rs_char,
							  have - scanned)
						 : NULL;

		if (hit != NULL) {
			set_rt(a, a->rt_str);
			return awk_take(r, (size_t)(hit - (r->buf + r->from)), 1, out);
		}
		scanned = have;
		awk_work_bytes(a, scanned);
		int got = fill(a, r);

		if (got < 0)
			return got;
		if (got == 0) {
			if (have == 0)
				return 0;
			set_rt(a, a->empty);
			return awk_take(r, have, 0, out);
		}
	}
}

/* At least n unread bytes, unless the end comes first. */
static int ensure(struct awk *a, struct reader *r, size_t n)
{
	int got = 1;

	while (r->to - r->from < n && got > 0)
		got = fill(a, r);
	return got < 0 ? got : 0;
}

/* Records are blocks of lines; any number of empty lines is between them. */
static int next_paragraph(struct awk *a, struct reader *r, struct bytes *out)
{
	size_t at = 0;
	int err;

	for (;;) {
		if ((err = ensure(a, r, 1)) < 0)
			return err;
		if (r->from == r->to)
			return 0;
		if (r->buf[r->from] != '\n')
			break;
		r->from++;
	}
	for (;;) {
		const char *hit = memchr(r->buf + r->from + at, '\n', r->to - r->from - at);

		at = hit != NULL ? (size_t)(hit - (r->buf + r->from)) : r->to - r->from;
		if ((err = ensure(a, r, at + 2)) < 0)
			return err;
		size_t have = r->to - r->from;

		if (at + 1 >= have && r->eof) {
			bool newline = at < have && r->buf[r->from + at] == '\n';

			set_rt_bytes(a, newline ? BYTES("\n") : BYTES(""));
			return awk_take(r, newline ? at : have, newline, out);
		}
		if (r->buf[r->from + at] == '\n' && r->buf[r->from + at + 1] == '\n')
			break;
		at += r->buf[r->from + at] == '\n';
	}
	size_t end = at + 2;

	do {
		while (end < r->to - r->from && r->buf[r->from + end] == '\n')
			end++;
		if ((err = ensure(a, r, end + 1)) < 0)
			return err;
	} while (end < r->to - r->from && r->buf[r->from + end] == '\n');
	set_rt_bytes(a, (struct bytes){ r->buf + r->from + at, end - at });
	return awk_take(r, at, end - at, out);
}

/* The first match that is not empty. */
static bool find_end(struct awk *a, struct reader *r, struct regex *re, struct regex_span *m)
{
	struct bytes s = { r->buf + r->from, r->to - r->from };
	int got = 0;

	for (size_t at = 0; at <= s.len; at = m->to + 1) {
		got = regex_search(re, s, at, r->begun ? REGEX_NOTBOL : 0, m, 1);
		if (got != 0 || m->to > m->from)
			break;
	}
	if (got == REGEX_EWORK)
		awk_fatal(a, "regular expression too costly");
	return got == 0 && m->to > m->from;
}

/* Whether a pattern that has matched might match more, or earlier, if more text followed. */
static bool is_open(struct awk *a)
{
	struct bytes rs = str_bytes(awk_val_to_str(a, &a->special[SP_RS]));

	for (size_t i = 0; i < rs.len; i++)
		if (rs.ptr[i] != '\0' && strchr("*+?{|", rs.ptr[i]) != NULL)
			return true;
	return false;
}

static int next_regex(struct awk *a, struct reader *r, struct bytes *out)
{
	struct regex *re = awk_pattern_of_val(a, &a->special[SP_RS]);
	size_t ahead = is_open(a) ? READER_AHEAD : 0;
	int err = ensure(a, r, 1);

	if (err < 0)
		return err;
	for (;;) {
		struct bytes s = { r->buf + r->from, r->to - r->from };
		struct regex_span m = { 0, 0 };

		if (s.len == 0)
			return 0;
		bool found = find_end(a, r, re, &m);

		if (found && (m.to + ahead < s.len || r->eof)) {
			set_rt_bytes(a, bytes_slice(s, m.from, m.to));
			return awk_take(r, m.from, m.to - m.from, out);
		}
		int got = fill(a, r);

		if (got < 0)
			return got;
		if (got == 0 && !found) {
			set_rt(a, a->empty);
			/* As for lines, a last newline is no part of the record if RS may match it.
			 */
			return awk_take(r, s.len, 0, out);
		}
	}
}

/* Lines, but not within quotes. */
static int next_csv(struct awk *a, struct reader *r, struct bytes *out)
{
	bool quoted = false;
	size_t at = 0;

	for (;;) {
		for (; at < r->to - r->from; at++) {
			char ch = r->buf[r->from + at];

			if (ch == '"')
				quoted = !quoted;
			if (ch != '\n' || quoted)
				continue;
			bool cr = at > 0 && r->buf[r->from + at - 1] == '\r';

			set_rt(a, a->rt_str);
			return awk_take(r, at - cr, (size_t)1 + cr, out);
		}
		int got = fill(a, r);

		if (got < 0)
			return got;
		if (got == 0 && at == 0)
			return 0;
		if (got == 0) {
			set_rt(a, a->empty);
			return awk_take(r, at, 0, out);
		}
	}
}

int awk_reader_next(struct awk *a, struct reader *r, struct bytes *out)
{
	int got;

	switch (a->rs) {
	case RS_CHAR: got = next_char(a, r, out); break;
	case RS_PARAGRAPH: got = next_paragraph(a, r, out); break;
	case RS_CSV: got = next_csv(a, r, out); break;
	default: got = next_regex(a, r, out); break;
	}
	if (got > 0)
		awk_work_bytes(a, out->len);
	return got;
}
