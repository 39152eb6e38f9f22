/* SPDX-License-Identifier: MIT
 *
 * Searching one file: its bytes come as views of its pages, cut into regions of whole lines, in
 * which the engine looks for the next line with a match. With -U the file is one region.
 *
 * A NUL says that a file is binary. In files that were found, not given, it ends the search;
 * in others it stands for a newline, and the first match says so in place of lines.
 */
#include "builtins/rg/rg.h"

enum { HEAD_BYTES = 65536 };

struct state {
	struct rg *g;
	size_t printed; /* the region before this place was dealt with, context too */
	bool quits;     /* a NUL ends the search */
	bool converts;  /* a NUL is a newline */
	bool maps;      /* but stays what it is in a file that was given */
	bool cut;       /* the search ended at a NUL */
	char *window;   /* lines kept for context, and a line not yet complete */
	size_t len;
	size_t cap;
	size_t start; /* where searching goes on */
	char *copy;   /* of a block, or of all, changed */
	size_t copy_cap;
};

/* --- lines --- */

static size_t line_end(const struct rg *g, size_t from)
{
	const char *hit = memchr(g->region.ptr + from, g->eol, g->region.len - from);

	return hit != NULL ? (size_t)(hit - g->region.ptr) + 1 : g->region.len;
}

/* Where the line before the one that begins at `at` begins. */
static size_t line_before(const struct rg *g, size_t at)
{
	while (at > 0 && g->region.ptr[--at] == g->eol)
		break;
	while (at > 0 && g->region.ptr[at - 1] != g->eol)
		at--;
	return at;
}

static bool writes_lines(const struct rg *g)
{
	return g->mode == RG_LINES || g->mode == RG_JSON;
}

/* Lines of context behind a match. */
static void put_after(struct state *s, size_t from, size_t to)
{
	struct rg *g = s->g;

	if (g->nul >= 0 && s->converts && g->mode != RG_JSON)
		return;
	while (from < to && (g->pending > 0 || g->passthru)) {
		size_t end = line_end(g, from);

		rg_put_context(g, from, end);
		if (g->pending > 0)
			g->pending--;
		from = end;
		s->printed = end;
	}
	if (from < to && g->before == 0)
		g->gap = true;
}

static void put_before(struct state *s, size_t from)
{
	struct rg *g = s->g;
	size_t begin = from;

	if (g->passthru) {
		put_after(s, s->printed, from);
		return;
	}
	for (uint64_t n = 0; n < g->before && begin > s->printed; n++)
		begin = line_before(g, begin);
	if (begin > s->printed)
		g->gap = true;
	while (begin < from) {
		size_t end = line_end(g, begin);

		rg_put_context(g, begin, end);
		begin = end;
	}
}

static void say_binary(struct state *s)
{
	struct rg *g = s->g;
	struct buf *text = rg_tmp(g, RG_TMP_MESSAGE);

	if (g->with_names) {
		rg_put_path(g, g->name, RG_PATH_BARE);
		rg_puts(g, ": ");
	}
	buf_printf(text, "binary file matches (found \"\\0\" byte around offset %lld)\n",
		   (long long)g->nul);
	rg_write(g, text->ptr, text->len);
	g->wrote_file = true;
	g->stop = true;
}

/* [from, to): a line or a block, with its newline, that is selected. */
static void select_lines(struct state *s, size_t from, size_t to)
{
	struct rg *g = s->g;

	g->selected++;
	if (g->mode == RG_WITH || g->mode == RG_WITHOUT || g->mode == RG_QUIET) {
		g->stop = !g->stats;
		if (g->stop)
			return;
	}
	if (g->mode == RG_COUNT && !g->stats) {
		g->matches++;
	} else if (!writes_lines(g)) {
		rg_find_spans(g, from, to);
		g->matches += g->invert ? 1 : g->nspans;
	}
	if (s->converts && g->nul < 0 && !g->text) {
		const char *nul = memchr(g->region.ptr + from, '\0', to - from);

		if (nul != NULL)
			g->nul = (int64_t)(g->base + (uint64_t)(nul - g->region.ptr));
	}
	if (writes_lines(g) && g->nul >= 0 && s->converts && g->mode != RG_JSON) {
		say_binary(s);
		return;
	}
	if (writes_lines(g)) {
		put_before(s, from);
		rg_put_match(g, from, to);
		g->pending = g->after;
	}
	s->printed = to;
}

/* True: -m allows no more. */
static bool is_enough(struct rg *g)
{
	return g->max >= 0 && g->selected >= (uint64_t)g->max;
}

static void select_gap(struct state *s, size_t from, size_t to)
{
	while (from < to && !s->g->stop && !is_enough(s->g)) {
		size_t end = line_end(s->g, from);

		select_lines(s, from, end);
		from = end;
		cmd_charge(s->g->c, 1);
	}
}

static void pass(struct state *s, size_t from, size_t to)
{
	struct rg *g = s->g;

	if (writes_lines(g) && (g->pending > 0 || g->passthru))
		put_after(s, s->printed > from ? s->printed : from, to);
	else if (from < to && g->before == 0)
		g->gap = true;
}

/* The next line with a match, at or behind `from`. False: none. */
static bool next_line(struct rg *g, size_t from, struct regex_span *line)
{
	int found;

	if (g->nothing || from >= g->region.len)
		return false;
	found = regex_search_line(g->re, g->region, from, line);
	if (found == REGEX_EWORK)
		cmd_fatal_status(g->c, 2, 0, "the pattern takes too much work");
	return found == 0;
}

/* After the last line that -m allows: context, where lines that match are shown as such. */
static void put_rest(struct state *s, size_t from)
{
	struct rg *g = s->g;

	while (g->pending > 0 && from < g->region.len && writes_lines(g)) {
		struct regex_span line;
		size_t end = line_end(g, from);
		bool match = next_line(g, from, &line) && line.from < end;

		if (match != g->invert) {
			rg_put_match(g, from, end);
			g->pending--;
		} else {
			put_after(s, from, end);
		}
		from = end;
	}
	g->stop = g->passthru || g->pending == 0 || !writes_lines(g);
}

static void search_region(struct state *s, size_t from)
{
	struct rg *g = s->g;

	while (!g->stop && from < g->region.len) {
		struct regex_span line = { g->region.len, g->region.len };
		bool found;

		if (is_enough(g)) {
			put_rest(s, from);
			return;
		}
		found = next_line(g, from, &line);
		if (g->invert) {
			select_gap(s, from, line.from);
			if (is_enough(g) && s->printed > from) {
				from = s->printed;
				continue;
			}
		} else {
			pass(s, from, found ? line.from : g->region.len);
		}
		if (!found || g->stop)
			return;
		size_t end = line.to < g->region.len ? line.to + 1 : line.to;

		if (g->invert && !is_enough(g))
			pass(s, line.from, end);
		else if (!g->invert)
			select_lines(s, line.from, end);
		from = end;
	}
}

/* --- blocks of lines: -U --- */

static bool next_match(struct rg *g, size_t from, struct regex_span *m)
{
	int found = from <= g->region.len && !g->nothing
			    ? regex_search(g->re, g->region, from, 0, m, 1)
			    : REGEX_NOMATCH;

	if (found == REGEX_EWORK)
		cmd_fatal_status(g->c, 2, 0, "the pattern takes too much work");
	return found == 0;
}

static size_t begin_of_line(const struct rg *g, size_t at)
{
	while (at > 0 && g->region.ptr[at - 1] != g->eol)
		at--;
	return at;
}

/* Matches whose lines touch are one block. */
static void search_blocks(struct state *s)
{
	struct rg *g = s->g;
	struct regex_span m;
	size_t at = 0;
	size_t done = 0;
	bool found = next_match(g, 0, &m);

	while (found && !g->stop && !is_enough(g)) {
		size_t from = begin_of_line(g, m.from);
		size_t to = line_end(g, m.to > m.from ? m.to - 1 : m.to);

		if (m.from == g->region.len && m.from > 0 && g->region.ptr[m.from - 1] == g->eol)
			break;
		do {
			at = m.to > m.from ? m.to : m.to + 1;
			found = next_match(g, at, &m);
			if (found && m.from < to)
				to = line_end(g, m.to > m.from ? m.to - 1 : m.to);
		} while (found && m.from < to);
		if (g->invert) {
			select_gap(s, done, from);
			pass(s, from, to);
		} else {
			pass(s, done, from);
			select_lines(s, from, to);
		}
		done = to;
		cmd_charge_bytes(g->c, to - from);
	}
	if (g->stop)
		return;
	if (g->invert)
		select_gap(s, done, g->region.len);
	else
		pass(s, done, g->region.len);
}

/* --- regions --- */

static void window_add(struct state *s, struct bytes more)
{
	if (s->cap - s->len < more.len) {
		size_t cap = (s->len + more.len) * 2;

		s->window = pool_resize(s->g->c->pool, s->window, s->cap, cap);
		s->cap = cap;
	}
	if (more.len != 0)
		memcpy(s->window + s->len, more.ptr, more.len);
	s->len += more.len;
}

static void count_lines(struct rg *g, size_t to)
{
	g->line += bytes_count(bytes_slice(g->region, g->counted, to), g->eol);
	g->counted = to;
}

uint64_t rg_line_number(struct rg *g, size_t at)
{
	if (at > g->counted)
		count_lines(g, at);
	return g->line;
}

static bool needs_numbers(const struct rg *g)
{
	return g->numbers == RG_ON || g->mode == RG_JSON;
}

/* Searches what the window has of whole lines (all of it at the end), and keeps the last lines
 * for context. */
static void search_window(struct state *s, bool at_end)
{
	struct rg *g = s->g;
	size_t end = s->len;
	size_t keep;

	while (!at_end && end > s->start && s->window[end - 1] != g->eol)
		end--;
	g->region = (struct bytes){ s->window, end };
	search_region(s, s->start);
	s->start = keep = end;
	for (uint64_t n = 0; n < g->before && keep > s->printed; n++)
		keep = line_before(g, keep);
	g->gap |= keep > s->printed;
	if (needs_numbers(g))
		count_lines(g, keep > g->counted ? keep : g->counted);
	g->counted = g->counted > keep ? g->counted - keep : 0;
	s->printed = s->printed > keep ? s->printed - keep : 0;
	g->base += keep;
	memmove(s->window, s->window + keep, s->len - keep);
	s->len -= keep;
	s->start -= keep;
}

static void search_in_place(struct state *s, struct bytes span)
{
	struct rg *g = s->g;

	g->region = span;
	g->counted = 0;
	s->printed = 0;
	search_region(s, 0);
	if (needs_numbers(g) && !g->stop)
		count_lines(g, span.len);
	g->counted = 0;
	g->base += span.len;
}

/* Without context to keep: the line that crosses into this block is joined in the window, the
 * others are searched where they lie. */
static void search_block(struct state *s, struct bytes block)
{
	struct rg *g = s->g;
	const char *last = block.len != 0 ? bytes_rfind(block, (struct bytes){ &g->eol, 1 }) : NULL;

	if (s->len != 0 && last != NULL) {
		const char *hit = memchr(block.ptr, g->eol, block.len);
		size_t first = (size_t)(hit - block.ptr) + 1;

		window_add(s, bytes_slice(block, 0, first));
		search_in_place(s, (struct bytes){ s->window, s->len });
		s->len = 0;
		block = bytes_slice(block, first, block.len);
	}
	if (!g->stop && last != NULL && last >= block.ptr) {
		size_t whole = (size_t)(last - block.ptr) + 1;

		search_in_place(s, bytes_slice(block, 0, whole));
		block = bytes_slice(block, whole, block.len);
	}
	if (!g->stop)
		window_add(s, block);
}

/* A copy with NULs as newlines. */
static struct bytes converted(struct state *s, struct bytes block)
{
	s->copy = pool_resize(s->g->c->pool, s->copy, s->copy_cap, block.len + 1);
	s->copy_cap = block.len + 1;
	for (size_t i = 0; i < block.len; i++)
		s->copy[i] = (char)(block.ptr[i] == '\0' ? '\n' : block.ptr[i]);
	return (struct bytes){ s->copy, block.len };
}

/* Looks for NULs. False: nothing of the file is searched. */
static bool check_binary(struct state *s, struct bytes *block, uint64_t pos)
{
	struct rg *g = s->g;
	size_t head = block->len;
	const char *nul;

	if (g->text)
		return true;
	if (s->converts && pos < HEAD_BYTES && head > HEAD_BYTES - pos)
		head = (size_t)(HEAD_BYTES - pos);
	if (s->converts && pos >= HEAD_BYTES && g->nul < 0)
		return true;
	nul = memchr(block->ptr, '\0', head);
	if (nul != NULL && g->nul < 0)
		g->nul = (int64_t)(pos + (uint64_t)(nul - block->ptr));
	if (g->nul < 0)
		return true;
	if (s->converts) {
		if (!s->maps)
			*block = converted(s, *block);
		return true;
	}
	s->cut = true;
	if (g->nul < HEAD_BYTES && pos == 0)
		return false;
	block->len = (size_t)((uint64_t)g->nul - pos);
	return true;
}

/* What is in another encoding, as UTF-8. */
static struct bytes decoded(struct state *s, struct bytes text)
{
	s->copy_cap = text.len * 3 + 3;
	s->copy = pool_alloc(s->g->c->pool, s->copy_cap);
	return (struct bytes){ s->copy, rg_decode(s->g, text, s->copy) };
}

/* All of it in memory: for -U, and for other encodings. */
static int search_whole(struct state *s, struct input *in, struct bytes block)
{
	struct rg *g = s->g;
	struct bytes text;
	int more = 1;

	while (more > 0) {
		window_add(s, block);
		cmd_charge_bytes(g->c, block.len / 16);
		more = input_chunk(in, &block);
	}
	text = (struct bytes){ s->window, s->len };
	if (rg_must_decode(g, text))
		text = decoded(s, text);
	g->file_bytes = text.len;
	if (!check_binary(s, &text, 0))
		return more;
	g->region = text;
	if (g->multiline)
		search_blocks(s);
	else
		search_region(s, 0);
	return more;
}

static int search_blockwise(struct state *s, struct input *in, struct bytes block)
{
	struct rg *g = s->g;
	int more = 1;

	while (more > 0 && !g->stop && !s->cut) {
		uint64_t pos = g->file_bytes;

		g->file_bytes += block.len;
		if (!check_binary(s, &block, pos))
			return 0;
		if (g->before > 0) {
			window_add(s, block);
			search_window(s, false);
		} else {
			search_block(s, block);
		}
		cmd_charge_bytes(g->c, block.len / 16);
		more = input_chunk(in, &block);
	}
	if (more >= 0 && !g->stop && s->len > s->start) {
		if (g->before > 0)
			search_window(s, true);
		else
			search_in_place(s, (struct bytes){ s->window, s->len });
	}
	return more < 0 ? more : 0;
}

static void warn_binary(struct state *s)
{
	struct rg *g = s->g;
	struct buf *text = rg_tmp(g, RG_TMP_MESSAGE);

	if (!s->cut || g->selected == 0 || g->mode != RG_LINES)
		return;
	if (g->with_names) {
		rg_put_path(g, g->name, RG_PATH_BARE);
		rg_puts(g, ": ");
	}
	buf_printf(text,
		   "WARNING: stopped searching binary file after match (found \"\\0\" byte around "
		   "offset %lld)\n",
		   (long long)g->nul);
	rg_write(g, text->ptr, text->len);
}

/* A mark at the front is no text. */
static int search_input(struct state *s, struct input *in)
{
	struct rg *g = s->g;
	enum rg_encoding marked = g->encoding;
	struct bytes block;
	int more = input_chunk(in, &block);

	if (more <= 0)
		return more;
	if (bytes_starts(block, BYTES("\xef\xbb\xbf")) && g->encoding != RG_ENCODING_NONE &&
	    g->encoding != RG_UTF16LE && g->encoding != RG_UTF16BE) {
		block = bytes_slice(block, 3, block.len);
		marked = g->encoding;
		g->encoding = g->encoding != RG_ENCODING_AUTO ? RG_UTF8 : RG_ENCODING_AUTO;
	}
	if (g->multiline || rg_must_decode(g, block))
		more = search_whole(s, in, block);
	else
		more = search_blockwise(s, in, block);
	g->encoding = marked;
	return more;
}

static void search(struct rg *g, struct input *in)
{
	struct state s = { .g = g };
	int err;

	s.quits = !g->text && !g->given && !g->binary;
	s.converts = !g->text && !s.quits;
	s.maps = g->given && !in->is_stdin;
	g->base = g->selected = g->matches = g->file_bytes = g->pending = 0;
	g->line = 1;
	g->counted = 0;
	g->nul = -1;
	g->stop = g->wrote_file = g->gap = false;
	g->printed_before = g->printed;
	err = search_input(&s, in);
	if (err < 0)
		rg_complain(g, g->name, err);
	if (s.cut && g->mode != RG_LINES && g->mode != RG_WITH && g->mode != RG_QUIET)
		g->selected = g->matches = 0;
	g->matched |= g->selected > 0;
	g->left = s.cut;
	warn_binary(&s);
	g->searched++;
	g->total_bytes += g->file_bytes;
	g->total_files += g->selected > 0;
	g->total_lines += g->selected;
	g->total_matches += g->matches;
	if (g->mode == RG_JSON)
		rg_json_end(g);
	else
		rg_put_end(g);
	pool_free(g->c->pool, s.window, s.cap);
	pool_free(g->c->pool, s.copy, s.copy_cap);
}

void rg_search(struct rg *g, const char *path)
{
	struct rg_source s;
	int err = rg_open(g, &s, path);

	if (err != 0) {
		if (err < 0)
			rg_complain(g, path, err);
		return;
	}
	g->name = strncmp(path, "./", 2) == 0 && !g->given && g->strip ? path + 2 : path;
	bool matched = g->matched;

	search(g, &s.in);
	/* What a program wrote that failed is no match. */
	if (!rg_close(g, &s, !g->stop && !g->left))
		g->matched = matched;
}

void rg_search_stdin(struct rg *g)
{
	struct input in;

	input_init(&in, g->c, 0, "-");
	in.is_stdin = true;
	g->name = "<stdin>";
	g->given = true;
	search(g, &in);
}
