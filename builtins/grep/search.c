/* SPDX-License-Identifier: MIT
 *
 * Searching one file: its bytes come as views of its pages, cut into regions of whole lines.
 *
 * The regular expression looks for the next matching line in the whole region, so lines
 * without a match are never looked at one by one unless they are to be written. Between two
 * matching lines lies a gap of others; -v swaps what is done with the two.
 */
#include "builtins/grep/grep.h"

enum { BINARY_WINDOW = 96 * 1024 }; /* GNU looks for NULs in buffers of this size */

static size_t line_end(const struct grep *g, size_t from)
{
	const char *hit = memchr(g->region.ptr + from, g->eol, g->region.len - from);

	return hit != NULL ? (size_t)(hit - g->region.ptr) : g->region.len;
}

/* Where the line that ends before `end` (the place behind its newline) begins. */
static size_t line_begin(const struct grep *g, size_t end)
{
	const char *hit;

	if (end == 0)
		return 0;
	hit = bytes_rfind(bytes_slice(g->region, 0, end - 1), (struct bytes){ &g->eol, 1 });
	return hit != NULL ? (size_t)(hit - g->region.ptr) + 1 : 0;
}

static bool writes_lines(const struct grep *g)
{
	return !g->out_quiet && !g->bare_count;
}

/* --- context --- */

static void put_after(struct grep *g, size_t from, size_t to)
{
	while (g->pending > 0 && from < to && !g->stop) {
		size_t end = line_end(g, from);

		cmd_charge_bytes(g->c, end - from);

		grep_put_line(g, from, end, GREP_CONTEXT);
		g->pending--;
		from = end + 1;
		g->printed = from;
		g->adjacent = true;
	}
}

static void put_before(struct grep *g, size_t from)
{
	size_t begin = from;

	for (int64_t n = 0; n < g->before && begin > g->printed; n++) {
		begin = line_begin(g, begin);
		cmd_charge(g->c, 1);
	}
	if (g->separates && g->group_written && !(g->adjacent && begin == g->printed))
		grep_put_separator(g);
	while (begin < from && !g->stop) {
		size_t end = line_end(g, begin);

		grep_put_line(g, begin, end, GREP_CONTEXT);
		begin = end + 1;
	}
}

/* --- lines --- */

static void select_line(struct grep *g, size_t from, size_t to)
{
	g->selected++;
	if (writes_lines(g)) {
		put_before(g, from);
		if (!g->stop)
			grep_put_line(g, from, to, GREP_SELECTED);
		g->group_written = true;
		g->pending = g->after;
		g->printed = to + 1;
		g->adjacent = true;
	}
	g->stop_at = to + 1;
	if (g->quiet || g->list != GREP_LIST_NONE || (g->is_binary && !g->count) ||
	    (g->max >= 0 && g->selected >= g->max))
		g->stop = true;
}

static void select_gap(struct grep *g, size_t from, size_t to)
{
	if (g->bare_count && g->max < 0) {
		g->selected += (int64_t)grep_count_lines(bytes_slice(g->region, from, to), g->eol);
		if (to == g->region.len && to > from && g->region.ptr[to - 1] != g->eol)
			g->selected++;
		return;
	}
	while (from < to && !g->stop) {
		size_t end = line_end(g, from);

		select_line(g, from, end);
		from = end + 1;
	}
}

/* Lines that are not selected. */
static void pass(struct grep *g, size_t from, size_t to)
{
	if (g->pending > 0 && writes_lines(g))
		put_after(g, from, to);
}

/* Trailing context is still due after the last line that -m allows. */
static void finish_context(struct grep *g, size_t from)
{
	bool stop = g->stop;

	if (g->pending == 0 || g->max < 0 || !writes_lines(g) || g->hidden)
		return;
	g->stop = false;
	put_after(g, from, g->region.len);
	g->stop = stop;
}

static int search_region(struct grep *g, size_t from)
{
	int found = 0;

	while (!g->stop && from < g->region.len) {
		struct regex_span line = { g->region.len, g->region.len };

		found = regex_search_line(g->re, g->region, from, &line);
		if (found < 0)
			return found;
		if (g->invert)
			select_gap(g, from, line.from);
		else
			pass(g, from, line.from);
		if (found != 0 || g->stop)
			break;
		if (g->invert)
			pass(g, line.from,
			     line.to + 1 < g->region.len ? line.to + 1 : g->region.len);
		else
			select_line(g, line.from, line.to);
		from = line.to + 1;
	}
	if (g->stop)
		finish_context(g, g->stop_at);
	return 0;
}

/* --- regions --- */

/* The bytes not yet searched, behind lines kept for context. */
struct window {
	char *ptr;
	size_t len;
	size_t cap;
	size_t start; /* where searching goes on */
};

static void window_add(struct grep *g, struct window *w, struct bytes more)
{
	if (w->cap - w->len < more.len) {
		size_t cap = (w->len + more.len) * 2;

		w->ptr = pool_resize(g->c->pool, w->ptr, w->cap, cap);
		w->cap = cap;
	}
	if (more.len != 0)
		memcpy(w->ptr + w->len, more.ptr, more.len);
	w->len += more.len;
}

/* Forgets what lies before `keep`. */
static void window_drop(struct grep *g, struct window *w, size_t keep)
{
	g->line += grep_count_lines(
		(struct bytes){ w->ptr + g->counted, keep > g->counted ? keep - g->counted : 0 },
		g->eol);
	g->counted = g->counted > keep ? g->counted - keep : 0;
	g->adjacent &= g->printed >= keep;
	g->printed = g->printed > keep ? g->printed - keep : 0;
	g->base += keep;
	if (w->len != keep)
		memmove(w->ptr, w->ptr + keep, w->len - keep);
	w->len -= keep;
	w->start -= keep;
}

static int search_window(struct grep *g, struct window *w, bool at_end)
{
	struct bytes fresh = { w->ptr + w->start, w->len - w->start };
	const char *last = bytes_rfind(fresh, (struct bytes){ &g->eol, 1 });
	size_t end = at_end ? w->len : last != NULL ? (size_t)(last - w->ptr) + 1 : w->start;
	size_t keep;
	int err;

	g->region = (struct bytes){ w->ptr, end };
	err = search_region(g, w->start);
	if (err < 0 || g->stop)
		return err;
	w->start = keep = end;
	for (int64_t n = 0; n < g->before && keep > g->printed; n++) {
		keep = line_begin(g, keep);
		cmd_charge(g->c, 1);
	}
	window_drop(g, w, keep);
	return 0;
}

/* A span of whole lines that is searched where it lies. */
static int search_in_place(struct grep *g, struct bytes span)
{
	int err;

	g->adjacent &= g->printed >= g->region.len;
	g->region = span;
	g->counted = 0;
	g->printed = 0;
	err = search_region(g, 0);
	if (err < 0 || g->stop)
		return err;
	if (g->numbers)
		g->line += grep_count_lines(bytes_slice(span, g->counted, span.len), g->eol);
	g->counted = 0;
	g->base += span.len;
	return 0;
}

/* Without context to keep: the line that crosses into this block is joined in the window, the
 * others are searched in place. */
static int search_block(struct grep *g, struct window *w, struct bytes block)
{
	const char *last = bytes_rfind(block, (struct bytes){ &g->eol, 1 });
	int err = 0;

	if (w->len != 0 && last != NULL) {
		size_t first = (size_t)((char *)memchr(block.ptr, g->eol, block.len) - block.ptr) +
			       1;

		window_add(g, w, bytes_slice(block, 0, first));
		err = search_in_place(g, (struct bytes){ w->ptr, w->len });
		w->len = 0;
		block = bytes_slice(block, first, block.len);
	}
	if (err == 0 && !g->stop && last != NULL && last >= block.ptr) {
		size_t whole = (size_t)(last - block.ptr) + 1;

		err = search_in_place(g, bytes_slice(block, 0, whole));
		block = bytes_slice(block, whole, block.len);
	}
	if (err == 0 && !g->stop)
		window_add(g, w, block);
	return err;
}

static void became_binary(struct grep *g)
{
	g->is_binary = true;
	if (g->binary == GREP_WITHOUT_MATCH)
		g->stop = true;
	else if (!g->count)
		g->out_quiet = true;
}

static int search_part(struct grep *g, struct window *w, struct bytes part)
{
	if (g->before > 0) {
		window_add(g, w, part);
		return search_window(g, w, false);
	}
	return search_block(g, w, part);
}

/* In a binary file NULs end lines, too. */
static int search_binary(struct grep *g, struct window *w, struct bytes block)
{
	char *copy = pool_alloc(g->c->pool, block.len);
	int err;

	for (size_t i = 0; i < block.len; i++)
		copy[i] = block.ptr[i] != '\0' ? block.ptr[i] : '\n';
	err = search_part(g, w, (struct bytes){ copy, block.len });
	pool_free(g->c->pool, copy, block.len);
	return err;
}

/* Cuts a block where its first NUL lies, in units of GNU's buffer. */
static int search_chunk(struct grep *g, struct window *w, struct bytes block, uint64_t pos)
{
	const char *nul = NULL;

	if (!g->is_binary && g->binary != GREP_TEXT && g->eol == '\n')
		nul = memchr(block.ptr, '\0', block.len);
	if (nul != NULL) {
		uint64_t window = (pos + (uint64_t)(nul - block.ptr)) / BINARY_WINDOW *
				  BINARY_WINDOW;
		size_t text = window > pos ? (size_t)(window - pos) : 0;
		int err = text != 0 ? search_part(g, w, bytes_slice(block, 0, text)) : 0;

		if (err < 0 || g->stop)
			return err;
		became_binary(g);
		block = bytes_slice(block, text, block.len);
	}
	if (g->stop)
		return 0;
	if (g->is_binary && memchr(block.ptr, '\0', block.len) != NULL)
		return search_binary(g, w, block);
	return search_part(g, w, block);
}

int grep_search(struct grep *g, struct input *in)
{
	struct window w = { 0 };
	struct bytes block;
	uint64_t pos = 0;
	int more = 0;
	int err = 0;

	while (!g->stop && err == 0 && (more = input_chunk(in, &block)) > 0) {
		err = search_chunk(g, &w, block, pos);
		pos += block.len;
		cmd_charge(g->c, block.len / 4096 + 1);
	}
	if (more == 0 && err == 0 && !g->stop && w.len > w.start)
		err = g->before > 0 ? search_window(g, &w, true)
				    : search_in_place(g, (struct bytes){ w.ptr, w.len });
	pool_free(g->c->pool, w.ptr, w.cap);
	/* What follows the last selected line is left to the next reader. */
	if (g->stop && in->is_stdin && g->max >= 0 && err == 0)
		cmd_seek(g->c, in->fd, (int64_t)(g->base + g->stop_at), 0);
	return err < 0 ? err : more < 0 ? more : 0;
}
