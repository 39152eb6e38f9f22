/* SPDX-License-Identifier: MIT
 *
 * ls: sorting, and the formats of names: single, columns, lines, commas.
 */
#include "builtins/ls/ls.h"
#include "builtins/version.h"

enum { COLUMN_GAP = 2, COLUMN_LEAST = 3 };

/* --- names --- */

void ls_indent(struct cmd *c, const struct ls_opts *o)
{
	if (o->dired)
		cmd_puts(c, "  ");
}

void ls_end_line(struct cmd *c, const struct ls_opts *o)
{
	cmd_putc(c, o->zero ? '\0' : '\n');
}

void ls_replace_control(struct buf *text, bool utf8)
{
	struct bytes s = buf_bytes(text);
	struct buf out = buf_in(text->arena);

	for (size_t i = 0; i < s.len;) {
		uint32_t code = (unsigned char)s.ptr[i];
		size_t len = code < 0x80 ? 1 : utf8 ? utf8_decode(s, i, &code) : 0;
		bool good = len == 1 ? byte_is_print((int)code)
				     : len > 1 && utf8_is(code, UTF8_PRINT);

		if (good)
			buf_put(&out, s.ptr + i, len);
		else
			buf_putc(&out, '?');
		i += len != 0 ? len : 1;
	}
	*text = out;
}

void ls_quote(struct buf *out, const struct ls_opts *o, struct bytes name)
{
	quote_put(out, name, (enum quote_style)o->quoting, o->quoting == QUOTE_ESCAPE ? " " : "",
		  o->utf8);
	if (o->hide_control && !o->show_control)
		ls_replace_control(out, o->utf8);
}

static size_t text_columns(struct bytes s, bool utf8)
{
	size_t total = 0;

	for (size_t i = 0; i < s.len;) {
		uint32_t code;
		size_t len = utf8 ? utf8_decode(s, i, &code) : 0;
		int width = len != 0 ? utf8_width(code) : byte_is_print(s.ptr[i]) ? 1 : 0;

		total += width > 0 ? (size_t)width : 0;
		i += len != 0 ? len : 1;
	}
	return total;
}

char ls_indicator(const struct ls_opts *o, uint32_t mode)
{
	uint32_t type = mode & S_FMT;

	if (o->indicator == LS_PLAIN)
		return 0;
	if (type == S_DIR)
		return '/';
	if (o->indicator == LS_SLASH)
		return 0;
	if (type == S_LNK)
		return '@';
	if (type == S_FIFO)
		return '|';
	if (type == S_SOCK)
		return '=';
	return type == S_REG && o->indicator == LS_CLASSIFY && (mode & 0111) != 0 ? '*' : 0;
}

/* Whether the text is the name in quotes. */
static bool is_quoted(struct bytes name, struct bytes text)
{
	return text.len != name.len || (text.len != 0 && text.ptr[0] != name.ptr[0]);
}

static void measure(struct cmd *c, const struct ls_opts *o, struct ls_entry *e)
{
	struct buf text = buf_in(c->arena);

	ls_quote(&text, o, e->name);
	e->text = buf_bytes(&text);
	e->quoted = is_quoted(e->name, e->text);
	e->columns = text_columns(e->text, o->utf8) + (ls_indicator(o, e->st.mode) != 0);
}

/* The texts and widths of names. Where some have quotes, the others have a blank instead. */
static void measure_all(struct cmd *c, struct ls_opts *o, struct ls_list *l)
{
	size_t n = l->n + l->behind;

	o->padded = false;
	for (size_t i = 0; i < n; i++) {
		measure(c, o, &l->entry[i]);
		o->padded |= o->aligned && l->entry[i].quoted;
	}
	for (size_t i = 0; i < n && o->padded; i++)
		l->entry[i].columns += !l->entry[i].quoted;
}

static void put_link_start(struct cmd *c, const struct ls_opts *o, const char *name)
{
	struct buf full = buf_in(c->arena);
	char *path;

	if (o->dir != NULL && name[0] != '/')
		buf_printf(&full, "%s/", o->dir);
	buf_puts(&full, name);
	if (cmd_canonical(c, buf_cstr(&full), CANON_MISSING, &path) != 0)
		return;
	cmd_printf(c, "\033]8;;file://%s", cmd_hostname(c));
	for (const char *at = path; *at != '\0'; at++) {
		if (byte_is_alnum(*at) || strchr("~-._/", *at) != NULL)
			cmd_putc(c, *at);
		else
			cmd_printf(c, "%%%02x", (unsigned char)*at);
	}
	cmd_putc(c, '\a');
}

/* Quotes that others are aligned with are no part of the link. */
void ls_put_linked(struct cmd *c, const struct ls_opts *o, const char *name, struct bytes text,
		   bool quoted)
{
	bool outside = o->padded && quoted;

	if (!o->links) {
		cmd_bytes(c, text);
		return;
	}
	if (outside)
		cmd_putc(c, text.ptr[0]);
	put_link_start(c, o, name);
	cmd_bytes(c, outside ? bytes_slice(text, 1, text.len - 1) : text);
	cmd_puts(c, "\033]8;;\a");
	if (outside)
		cmd_putc(c, text.ptr[text.len - 1]);
}

static void put_colored(struct cmd *c, struct ls_opts *o, const char *color, const char *name,
			struct bytes text, bool quoted)
{
	if (color[0] != '\0') {
		if (!o->color_begun)
			cmd_puts(c, "\033[0m");
		o->color_begun = true;
		cmd_printf(c, "\033[%sm", color);
	}
	ls_put_linked(c, o, name, text, quoted);
	if (color[0] != '\0')
		cmd_puts(c, "\033[0m");
}

void ls_note(const struct cmd *c, const struct ls_opts *o, struct buf *places, size_t from)
{
	if (o->dired)
		buf_printf(places, " %zu %zu", from, c->out.len);
}

void ls_put_name(struct cmd *c, struct ls_opts *o, const struct ls_entry *e)
{
	if (o->padded && !e->quoted)
		cmd_putc(c, ' ');
	size_t from = c->out.len;

	put_colored(c, o, o->colored ? ls_color(c, e, false) : "", e->name.ptr, e->text, e->quoted);
	ls_note(c, o, &o->names, from);
	bool link = e->has_target || (!e->has_stat && (e->st.mode & S_FMT) == S_LNK);
	char mark = o->format == LS_LONG && link ? 0 : ls_indicator(o, e->st.mode);

	if (mark != 0)
		cmd_putc(c, mark);
}

void ls_put_target(struct cmd *c, struct ls_opts *o, const struct ls_entry *e)
{
	struct buf text = buf_in(c->arena);

	if (!e->has_target)
		return;
	ls_quote(&text, o, e->target);
	cmd_puts(c, " -> ");
	put_colored(c, o, o->colored ? ls_color(c, e, true) : "", e->name.ptr, buf_bytes(&text),
		    is_quoted(e->target, buf_bytes(&text)));
	char mark = e->target_mode != 0 ? ls_indicator(o, e->target_mode) : 0;

	if (mark != 0)
		cmd_putc(c, mark);
}

/* --- sorting --- */

int64_t ls_time_of(const struct ls_opts *o, const struct ls_entry *e)
{
	switch (o->time) {
	case LS_ATIME: return e->st.atime_ns;
	case LS_CTIME: return e->st.ctime_ns;
	case LS_BTIME: return e->st.btime_ns;
	default: return e->st.mtime_ns;
	}
}

static struct bytes extension(struct bytes name)
{
	const char *dot = bytes_rfind(name, BYTES("."));

	return dot != NULL ? bytes_slice(name, (size_t)(dot - name.ptr), name.len) : BYTES("");
}

static int by_key(const struct ls_opts *o, const struct ls_entry *a, const struct ls_entry *b)
{
	int64_t ta;
	int64_t tb;

	switch (o->sort) {
	case LS_TIME:
		ta = ls_time_of(o, a);
		tb = ls_time_of(o, b);
		return (ta < tb) - (ta > tb);
	case LS_SIZE: return (a->st.size < b->st.size) - (a->st.size > b->st.size);
	case LS_EXTENSION: return bytes_cmp(extension(a->name), extension(b->name));
	case LS_VERSION: return version_cmp(a->name, b->name);
	case LS_WIDTH: return (a->columns > b->columns) - (a->columns < b->columns);
	default: return 0;
	}
}

static bool counts_as_dir(const struct ls_entry *e)
{
	return (e->st.mode & S_FMT) == S_DIR || (e->target_mode & S_FMT) == S_DIR;
}

static int compare(const struct ls_opts *o, const struct ls_entry *a, const struct ls_entry *b)
{
	if (o->dirs_first && counts_as_dir(a) != counts_as_dir(b))
		return counts_as_dir(a) ? -1 : 1;
	int order = by_key(o, a, b);

	if (order == 0)
		order = bytes_cmp(a->name, b->name);
	return o->reverse ? -order : order;
}

/* Merge sort of a[0..n) with room for n in tmp. Depth is logarithmic. */
static void merge_sort(struct cmd *c, const struct ls_opts *o, struct ls_entry *a,
		       struct ls_entry *tmp, size_t n)
{
	if (n < 2)
		return;
	size_t half = n / 2;
	size_t i = 0;
	size_t j = half;

	merge_sort(c, o, a, tmp, half);
	merge_sort(c, o, a + half, tmp, n - half);
	cmd_charge(c, n);
	if (compare(o, &a[half - 1], &a[half]) <= 0)
		return;
	for (size_t k = 0; k < n; k++)
		tmp[k] = j >= n || (i < half && compare(o, &a[i], &a[j]) <= 0) ? a[i++] : a[j++];
	memcpy(a, tmp, n * sizeof(*a));
}

void ls_sort(struct cmd *c, struct ls_opts *o, struct ls_list *l)
{
	if (l->n < 2 || (o->sort == LS_NONE && !o->dirs_first && !o->reverse))
		return;
	if (o->sort == LS_NONE && !o->dirs_first)
		return;
	if (o->sort == LS_WIDTH)
		measure_all(c, o, l);
	struct ls_entry *tmp = arena_array(c->arena, l->n, sizeof(*tmp));

	merge_sort(c, o, l->entry, tmp, l->n);
}

/* --- inode and blocks --- */

static void put_padded(struct cmd *c, const char *text, size_t len, size_t width)
{
	for (size_t i = len; i < width; i++)
		cmd_putc(c, ' ');
	cmd_write(c, text, len);
	cmd_putc(c, ' ');
}

static size_t inode_text(const struct ls_entry *e, char out[32])
{
	return num_format_u64(e->st.ino, out);
}

void ls_put_prefix(struct cmd *c, const struct ls_opts *o, const struct ls_entry *e, size_t inode,
		   size_t blocks)
{
	char text[32];

	ls_indent(c, o);
	if (o->inode)
		put_padded(c, text, inode_text(e, text), inode);
	if (o->blocks)
		put_padded(c, text, ls_blocks_text(o, e->st.blocks, text), blocks);
	if (o->context && o->format != LS_LONG)
		cmd_puts(c, "? ");
}

struct widths {
	size_t inode;
	size_t blocks;
};

static struct widths prefix_widths(const struct ls_opts *o, const struct ls_list *l)
{
	struct widths w = { 0, 0 };
	char text[32];

	for (size_t i = 0; i < l->n + l->behind; i++) {
		size_t inode = inode_text(&l->entry[i], text);
		size_t blocks = ls_blocks_text(o, l->entry[i].st.blocks, text);

		w.inode = inode > w.inode ? inode : w.inode;
		w.blocks = blocks > w.blocks ? blocks : w.blocks;
	}
	return w;
}

/* --- formats --- */

static void put_single(struct cmd *c, struct ls_opts *o, struct ls_list *l)
{
	struct widths w = prefix_widths(o, l);

	for (size_t i = 0; i < l->n; i++) {
		ls_put_prefix(c, o, &l->entry[i], w.inode, w.blocks);
		ls_put_name(c, o, &l->entry[i]);
		ls_end_line(c, o);
	}
}

static size_t full_width(const struct ls_opts *o, const struct ls_entry *e, struct widths w)
{
	return e->columns + (o->inode ? w.inode + 1 : 0) + (o->blocks ? w.blocks + 1 : 0);
}

/* One behind the other, as many as a line holds: ", " or two blanks between. */
static void put_row_wise(struct cmd *c, struct ls_opts *o, struct ls_list *l, char separator)
{
	size_t at = 0;

	for (size_t i = 0; i < l->n; i++) {
		const struct ls_entry *e = &l->entry[i];
		char text[32];
		struct widths w = { inode_text(e, text), ls_blocks_text(o, e->st.blocks, text) };
		size_t width = full_width(o, e, w);

		if (i > 0) {
			bool fits = o->width == 0 || at + width + 2 < o->width;

			cmd_putc(c, separator);
			cmd_putc(c, fits ? ' ' : '\n');
			at = fits ? at + 2 : 0;
		}
		ls_put_prefix(c, o, e, 0, 0);
		ls_put_name(c, o, e);
		at += width;
	}
	if (l->n > 0)
		ls_end_line(c, o);
}

struct grid {
	size_t columns;
	size_t rows;
	size_t *width; /* of each column, gap included */
	struct widths prefix;
};

/* Whether so many columns fit; fills g. */
static bool try_columns(struct cmd *c, const struct ls_opts *o, const struct ls_list *l,
			struct grid *g, size_t columns, bool across)
{
	size_t total = 0;
	bool grew = false;

	g->columns = columns;
	g->rows = (l->n + columns - 1) / columns;
	for (size_t i = 0; i < columns; i++)
		g->width[i] = COLUMN_LEAST;
	for (size_t i = 0; i < l->n; i++) {
		size_t column = across ? i % columns : i / g->rows;
		size_t width = full_width(o, &l->entry[i], g->prefix) +
			       (column + 1 == columns ? 0 : COLUMN_GAP);

		grew |= width > g->width[column];
		if (width > g->width[column])
			g->width[column] = width;
	}
	cmd_charge(c, l->n);
	for (size_t i = 0; i < columns; i++)
		total += g->width[i];
	/* GNU does not look at the sum while all columns have the least width. */
	return !grew || total < o->width;
}

static void choose_columns(struct cmd *c, const struct ls_opts *o, const struct ls_list *l,
			   struct grid *g, bool across)
{
	size_t most = o->width / COLUMN_LEAST + (o->width % COLUMN_LEAST != 0);

	if (most > l->n)
		most = l->n;
	g->width = arena_array(c->arena, most + 1, sizeof(size_t));
	for (size_t n = most; n > 1; n--)
		if (try_columns(c, o, l, g, n, across))
			return;
	try_columns(c, o, l, g, 1, across);
}

/* Moves from one column of the screen to another, with tabs where they help. */
static void indent(struct cmd *c, const struct ls_opts *o, size_t from, size_t to)
{
	size_t tab = (size_t)o->tab;

	while (from < to) {
		if (tab != 0 && to / tab > (from + 1) / tab) {
			cmd_putc(c, '\t');
			from += tab - from % tab;
		} else {
			cmd_putc(c, ' ');
			from++;
		}
	}
}

static void put_grid(struct cmd *c, struct ls_opts *o, struct ls_list *l, bool across)
{
	struct grid g = { .prefix = prefix_widths(o, l) };

	choose_columns(c, o, l, &g, across);
	for (size_t row = 0; row < g.rows; row++) {
		size_t at = 0;
		size_t start = 0;

		for (size_t column = 0; column < g.columns; column++) {
			size_t i = across ? row * g.columns + column : column * g.rows + row;

			if (i >= l->n)
				break;
			indent(c, o, at, start);
			ls_put_prefix(c, o, &l->entry[i], g.prefix.inode, g.prefix.blocks);
			ls_put_name(c, o, &l->entry[i]);
			at = start + full_width(o, &l->entry[i], g.prefix);
			start += g.width[column];
		}
		ls_end_line(c, o);
	}
}

void ls_put(struct cmd *c, struct ls_opts *o, struct ls_list *l)
{
	measure_all(c, o, l);
	switch (o->format) {
	case LS_LONG: ls_put_long(c, o, l); break;
	case LS_COMMAS: put_row_wise(c, o, l, ','); break;
	case LS_ACROSS:
	case LS_COLUMNS:
		if (o->width == 0)
			put_row_wise(c, o, l, ' ');
		else
			put_grid(c, o, l, o->format == LS_ACROSS);
		break;
	default: put_single(c, o, l);
	}
}
