/* SPDX-License-Identifier: MIT
 *
 * A patch taken apart into hunks that people decide about, and put together from those they
 * want. The patch is our own; what an editor made of a hunk is not.
 */
#include "builtins/git/patch_mode.h"

/* A line with its newline, from *rest; false at the end. */
static bool next_line(struct bytes *rest, struct bytes *line)
{
	const char *end = rest->len != 0 ? memchr(rest->ptr, '\n', rest->len) : NULL;
	size_t n = end != NULL ? (size_t)(end + 1 - rest->ptr) : rest->len;

	if (rest->len == 0)
		return false;
	*line = bytes_slice(*rest, 0, n);
	*rest = bytes_slice(*rest, n, rest->len);
	return true;
}

static bool is_change(struct bytes line)
{
	return line.len != 0 && (line.ptr[0] == '+' || line.ptr[0] == '-');
}

static bool is_note(struct bytes line)
{
	return line.len != 0 && line.ptr[0] == '\\';
}

static size_t count_groups(struct bytes text)
{
	struct bytes line;
	bool inside = false;
	size_t n = 0;

	while (next_line(&text, &line)) {
		if (is_note(line))
			continue;
		n += is_change(line) && !inside;
		inside = is_change(line);
	}
	return n;
}

static void count_lines(struct bytes text, size_t count[2])
{
	struct bytes line;

	count[0] = count[1] = 0;
	while (next_line(&text, &line)) {
		if (is_note(line))
			continue;
		count[0] += line.ptr[0] != '+';
		count[1] += line.ptr[0] != '-';
	}
}

static size_t take_number(const char **p, const char *end)
{
	size_t n = 0;

	for (; *p < end && byte_is_digit((unsigned char)**p); ++*p)
		n = n < SIZE_MAX / 20 ? n * 10 + (size_t)(**p - '0') : n;
	return n;
}

/* "@@ -1,2 +3 @@ text". */
static bool read_header(struct bytes line, struct asked_hunk *h)
{
	const char *p = line.ptr + 3, *end = line.ptr + line.len;

	if (!bytes_starts(line, BYTES("@@ -")))
		return false;
	for (int k = 0; k < 2; k++) {
		if (p >= end || *p != (k == 0 ? '-' : '+'))
			return false;
		p++;
		h->at[k] = take_number(&p, end);
		h->count[k] = 1;
		if (p < end && *p == ',') {
			p++;
			h->count[k] = take_number(&p, end);
		}
		p += p < end && *p == ' ';
	}
	if (end - p < 2 || p[0] != '@' || p[1] != '@')
		return false;
	h->extra = (struct bytes){ p + 2, (size_t)(end - p) - 2 };
	if (h->extra.len != 0 && h->extra.ptr[h->extra.len - 1] == '\n')
		h->extra.len--;
	return true;
}

static struct asked_hunk *add_hunk(struct git *g, struct asked_file *f)
{
	LIST_ROOM(g, f->at, f->n, f->cap);
	f->at[f->n] = (struct asked_hunk){ .origin = f->n, .text = { "", 0 }, .extra = { "", 0 } };
	return &f->at[f->n++];
}

/* Lines in front of the first hunk. */
static void read_head(struct git *g, struct asked_file *f, struct bytes *rest)
{
	struct buf head = buf_in(g->keep), mode = buf_in(g->keep);
	struct bytes line, ahead = *rest;
	bool first = true;

	while (next_line(&ahead, &line)) {
		if (bytes_starts(line, BYTES("@@ -")) ||
		    (!first && bytes_starts(line, BYTES("diff --git "))))
			break;
		first = false;
		*rest = ahead;
		f->deleted = f->deleted || bytes_starts(line, BYTES("deleted file"));
		f->added = f->added || bytes_starts(line, BYTES("new file"));
		f->binary = f->binary || bytes_starts(line, BYTES("Binary files "));
		if (bytes_starts(line, BYTES("old mode ")) ||
		    bytes_starts(line, BYTES("new mode ")))
			buf_add(&mode, line);
		else
			buf_add(&head, line);
	}
	f->head = f->shown = (struct bytes){ buf_cstr(&head), head.len };
	if (mode.len != 0) {
		f->mode_change = true;
		add_hunk(g, f)->text = (struct bytes){ buf_cstr(&mode), mode.len };
	}
}

static void read_hunks(struct git *g, struct asked_file *f, struct bytes *rest)
{
	struct bytes line, ahead = *rest;
	struct asked_hunk *h = NULL;

	while (next_line(&ahead, &line)) {
		struct asked_hunk read = { .use = HUNK_UNDECIDED };

		if (bytes_starts(line, BYTES("diff --git ")))
			break;
		*rest = ahead;
		cmd_charge(g->c, 1);
		if (read_header(line, &read)) {
			h = add_hunk(g, f);
			read.origin = h->origin;
			read.text = (struct bytes){ ahead.ptr, 0 };
			*h = read;
		} else if (h != NULL) {
			h->text.len += line.len;
		}
	}
	for (size_t i = 0; i < f->n; i++)
		f->at[i].groups = count_groups(f->at[i].text);
	/* Of a file that goes, all but the first line belongs to what is asked about. */
	if (f->deleted && f->n > 0) {
		const char *end = memchr(f->head.ptr, '\n', f->head.len);

		f->shown.len = end != NULL ? (size_t)(end + 1 - f->head.ptr) : f->head.len;
	}
}

void asked_read(struct git *g, struct bytes patch, struct asked_files *out)
{
	struct bytes line, ahead = patch;

	while (next_line(&ahead, &line)) {
		struct asked_file f = { .binary = false };

		if (!bytes_starts(line, BYTES("diff --git "))) {
			patch = ahead; /* "* Unmerged path" */
			continue;
		}
		read_head(g, &f, &patch);
		read_hunks(g, &f, &patch);
		LIST_ROOM(g, out->at, out->n, out->cap);
		out->at[out->n++] = f;
		ahead = patch;
	}
}

static void put_header(const struct asked_hunk *h, struct buf *out)
{
	for (int k = 0; k < 2; k++) {
		buf_printf(out, k == 0 ? "@@ -%zu" : " +%zu", h->at[k]);
		if (h->count[k] != 1)
			buf_printf(out, ",%zu", h->count[k]);
	}
	buf_puts(out, " @@");
	buf_add(out, h->extra);
	buf_putc(out, '\n');
}

void asked_put(const struct asked_file *f, size_t i, struct buf *out)
{
	if (f->deleted)
		buf_add(out, bytes_slice(f->head, f->shown.len, f->head.len));
	if (!(f->mode_change && i == 0))
		put_header(&f->at[i], out);
	buf_add(out, f->at[i].text);
}

/* --- splitting --- */

/* The next piece of *rest: context, changed lines, context. The context behind them is also the
 * next piece's, so *rest begins with it. */
static struct bytes take_piece(struct bytes *rest, size_t *shared)
{
	struct bytes start = *rest, line, ahead = *rest, behind = *rest;
	bool changed = false, ended = false;

	*shared = 0;
	while (next_line(&ahead, &line)) {
		if (is_change(line) && ended)
			break; /* the context that ended belongs to both */
		if (is_change(line)) {
			changed = true;
		} else if (changed && !is_note(line)) {
			if (!ended)
				behind = *rest;
			ended = true;
			++*shared;
		}
		*rest = ahead;
	}
	struct bytes piece = { start.ptr, (size_t)(rest->ptr - start.ptr) };

	if (rest->len != 0)
		*rest = behind;
	return piece;
}

void asked_split(struct git *g, struct asked_file *f, size_t i)
{
	struct asked_hunk whole = f->at[i];
	struct bytes rest = whole.text;
	size_t at[2] = { whole.at[0], whole.at[1] }, shared = whole.shared, n = 0;
	struct asked_file pieces = { .binary = false };

	while (rest.len != 0) {
		struct asked_hunk *h = add_hunk(g, &pieces);
		size_t behind, all;

		h->text = take_piece(&rest, &behind);
		count_lines(h->text, h->count);
		h->groups = 1;
		h->at[0] = at[0];
		h->at[1] = at[1];
		h->extra = n == 0 ? whole.extra : BYTES("");
		h->shared = shared;
		h->origin = whole.origin;
		all = behind;
		shared = all;
		at[0] += h->count[0] - all;
		at[1] += h->count[1] - all;
		n++;
		cmd_charge(g->c, 1);
	}
	for (size_t k = 1; k < n; k++)
		add_hunk(g, f);
	if (n > 1)
		memmove(f->at + i + n, f->at + i + 1, (f->n - i - n) * sizeof(*f->at));
	memcpy(f->at + i, pieces.at, n * sizeof(*f->at));
}

bool asked_replace(struct git *g, struct asked_hunk *h, struct bytes text)
{
	struct buf b = buf_in(g->keep);
	struct asked_hunk header = *h;
	struct bytes line;

	while (next_line(&text, &line)) {
		if (line.ptr[0] == '#')
			continue;
		if (bytes_starts(line, BYTES("@@"))) {
			if (read_header(line, &header)) {
				h->at[0] = header.at[0];
				h->at[1] = header.at[1];
			}
			continue;
		}
		if (line.ptr[0] == '\n')
			buf_putc(&b, ' '); /* an editor cut the blank of an empty line */
		buf_add(&b, line);
		if (line.ptr[line.len - 1] != '\n')
			buf_putc(&b, '\n');
	}
	if (b.len == 0)
		return false;
	h->text = (struct bytes){ buf_cstr(&b), b.len };
	count_lines(h->text, h->count);
	h->groups = count_groups(h->text);
	return true;
}

/* --- putting together --- */

/* A line that nobody wanted: what the file has stays as context. */
static void put_unwanted(struct buf *out, struct bytes line, bool reverse, bool *dropped)
{
	char kept = reverse ? '+' : '-';

	*dropped = is_change(line) && line.ptr[0] != kept;
	if (*dropped)
		return;
	buf_putc(out, is_change(line) ? ' ' : line.ptr[0]);
	buf_add(out, bytes_slice(line, 1, line.len));
}

static void put_piece(const struct asked_hunk *h, bool first, bool reverse, struct buf *out)
{
	struct bytes rest = h->text, line;
	size_t skip = first ? 0 : h->shared;
	bool dropped = false;

	while (next_line(&rest, &line)) {
		if (skip > 0 && line.ptr[0] == ' ') {
			skip--;
			continue;
		}
		skip = 0;
		if (is_note(line)) {
			if (!dropped)
				buf_add(out, line);
			continue;
		}
		if (h->use == HUNK_USE) {
			dropped = false;
			buf_add(out, line);
		} else {
			put_unwanted(out, line, reverse, &dropped);
		}
	}
}

static bool any_used(const struct asked_file *f, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		if (f->at[i].use == HUNK_USE)
			return true;
	return false;
}

static size_t group_end(const struct asked_file *f, size_t i)
{
	size_t end = i + 1;

	while (end < f->n && f->at[end].origin == f->at[i].origin)
		end++;
	return end;
}

struct bytes asked_patch(struct git *g, const struct asked_file *f, bool reverse)
{
	struct buf out = buf_in(g->keep);
	struct bytes rest = f->head, line;
	size_t i = 0;

	next_line(&rest, &line);
	buf_add(&out, line);
	if (f->mode_change && f->at[0].use == HUNK_USE)
		buf_add(&out, f->at[0].text);
	buf_add(&out, rest);
	for (i = f->mode_change ? 1 : 0; i < f->n;) {
		size_t end = group_end(f, i);

		if (any_used(f, i, end)) {
			struct buf body = buf_in(g->a);
			struct asked_hunk h = f->at[i];

			for (size_t k = i; k < end; k++)
				put_piece(&f->at[k], k == i, reverse, &body);
			h.text = buf_bytes(&body);
			count_lines(h.text, h.count);
			put_header(&h, &out);
			buf_add(&out, h.text);
		}
		i = end;
		cmd_charge(g->c, 1);
	}
	return (struct bytes){ buf_cstr(&out), out.len };
}
