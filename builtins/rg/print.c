/* SPDX-License-Identifier: MIT
 *
 * What rg writes for people: lines with names, numbers, columns and offsets in front, matches
 * in colour or replaced, counts, names of files.
 */
#include "builtins/rg/rg.h"

#define RESET "\033[0m"

void rg_write(struct rg *g, const void *ptr, size_t len)
{
	cmd_write(g->c, ptr, len);
	g->printed += len;
}

void rg_puts(struct rg *g, const char *s)
{
	rg_write(g, s, strlen(s));
}

static void put_eol(struct rg *g)
{
	rg_write(g, g->end, g->end_len);
}

static void put_number(struct rg *g, uint64_t n, enum rg_part part)
{
	char digits[20];
	size_t len = num_format_u64(n, digits);

	if (g->color == RG_COLOR_ALWAYS)
		rg_put_style(g, part);
	rg_write(g, digits, len);
	if (g->color == RG_COLOR_ALWAYS)
		rg_puts(g, RESET);
}

void rg_put_path(struct rg *g, const char *path, enum rg_path_end end)
{
	if (g->color == RG_COLOR_ALWAYS)
		rg_put_style(g, RG_PATH);
	for (const char *at = path; *at != '\0';) {
		size_t len = g->path_separator != NULL ? strcspn(at, "/") : strlen(at);

		rg_write(g, at, len);
		at += len;
		if (*at == '/') {
			rg_write(g, g->path_separator, 1);
			at++;
		}
	}
	if (g->color == RG_COLOR_ALWAYS)
		rg_puts(g, RESET);
	if (g->null)
		rg_write(g, "", 1);
	else if (end == RG_PATH_NEWLINE)
		rg_puts(g, "\n");
	else if (end == RG_PATH_LINE)
		put_eol(g);
}

/* --- matches --- */

static void add_span(struct rg *g, struct regex_span span)
{
	if (g->nspans == g->spans_cap) {
		size_t cap = g->spans_cap * 2 + 16;

		g->span = pool_resize(g->c->pool, g->span, g->spans_cap * sizeof span,
				      cap * sizeof span);
		g->spans_cap = cap;
	}
	g->span[g->nspans++] = span;
}

/* The part of the region that a search within [from, to) may see. */
static struct bytes subject(const struct rg *g, size_t from, size_t to)
{
	if (g->multiline)
		return g->region;
	if (to > from && g->region.ptr[to - 1] == g->eol)
		to--;
	/* With --crlf a CR at the end is no text. */
	if (g->ends == RG_ENDS_CRLF && to > from && g->region.ptr[to - 1] == '\r')
		to--;
	return bytes_slice(g->region, from, to);
}

void rg_find_spans(struct rg *g, size_t from, size_t to)
{
	struct bytes text = subject(g, from, to);
	size_t shift = g->multiline ? 0 : from;
	size_t at = from - shift;
	size_t last = SIZE_MAX;

	g->nspans = 0;
	while (!g->nothing && !g->invert && at <= text.len) {
		struct regex_span m;

		if (regex_search(g->re, text, at, 0, &m, 1) != 0 || m.from + shift >= to + 1)
			break;
		if (g->multiline && m.from >= to)
			break;
		cmd_charge(g->c, 1);
		/* Nothing right behind a match is none. */
		if (m.from == m.to && m.from == last) {
			at = m.to + 1;
			continue;
		}
		last = m.to;
		add_span(g, (struct regex_span){ m.from + shift, m.to + shift });
		at = m.to > m.from ? m.to : m.to + 1;
	}
}

/* By number or name; SIZE_MAX if there is none. */
static size_t find_group(const struct rg *g, struct bytes name)
{
	size_t number = 0;

	for (unsigned n = 1; n <= regex_groups(g->re); n++)
		if (regex_group_name(g->re, n) != NULL &&
		    bytes_is(name, regex_group_name(g->re, n)))
			return n;
	for (size_t i = 0; i < name.len; i++) {
		if (!byte_is_digit(name.ptr[i]) || number > REGEX_GROUPS_MAX)
			return SIZE_MAX;
		number = number * 10 + (size_t)(name.ptr[i] - '0');
	}
	return number;
}

/* $1, ${1}, $name, ${name}, $$. */
void rg_expand(struct rg *g, struct bytes text, const struct regex_span *spans, size_t nspans,
	       struct buf *out)
{
	for (const char *at = g->replace; *at != '\0';) {
		bool brace = at[0] == '$' && at[1] == '{';
		const char *name = at + 1 + brace;
		size_t len = 0;

		while (byte_is_name(name[len]) || (brace && name[len] != '\0' && name[len] != '}'))
			len++;
		if (at[0] == '$' && at[1] == '$') {
			buf_putc(out, '$');
			at += 2;
			continue;
		}
		if (at[0] != '$' || len == 0 || (brace && name[len] != '}')) {
			buf_putc(out, *at++);
			continue;
		}
		size_t group = find_group(g, (struct bytes){ name, len });

		if (group < nspans && spans[group].from != SIZE_MAX)
			buf_add(out, bytes_slice(text, spans[group].from, spans[group].to));
		at = name + len + brace;
	}
}

/* What replaces the match that begins at span.from of the region. */
static void put_replaced(struct rg *g, size_t from, size_t to, struct regex_span span,
			 struct buf *out)
{
	struct bytes text = subject(g, from, to);
	size_t shift = g->multiline ? 0 : from;
	size_t n = regex_groups(g->re) + 1u;
	struct regex_span *spans = pool_alloc(g->c->pool, n * sizeof *spans);

	if (regex_search(g->re, text, span.from - shift, 0, spans, n) == 0)
		rg_expand(g, text, spans, n, out);
	pool_free(g->c->pool, spans, n * sizeof *spans);
}

/* --- one line --- */

static void begin_file(struct rg *g)
{
	if (g->wrote_file)
		return;
	if (g->heading == RG_ON && g->wrote)
		put_eol(g);
	if (g->heading == RG_ON && g->with_names) {
		rg_put_path(g, g->name, RG_PATH_LINE);
	} else if (g->heading != RG_ON && g->wrote && (g->before > 0 || g->after > 0) &&
		   g->separator != NULL && !g->passthru) {
		rg_puts(g, g->separator);
		put_eol(g);
	}
	g->wrote_file = g->wrote = true;
	g->gap = false;
}

static void put_separator(struct rg *g)
{
	if (g->wrote_file && g->gap && (g->before > 0 || g->after > 0) && g->separator != NULL &&
	    !g->passthru) {
		rg_puts(g, g->separator);
		put_eol(g);
	}
	g->gap = false;
}

/* column: 0 for none. */
static void put_prefix(struct rg *g, uint64_t line, uint64_t column, uint64_t offset,
		       const char *mark)
{
	if (g->with_names && g->heading != RG_ON) {
		rg_put_path(g, g->name, RG_PATH_BARE);
		if (!g->null)
			rg_puts(g, mark);
	}
	if (g->numbers == RG_ON) {
		put_number(g, line, RG_NUMBER);
		rg_puts(g, mark);
	}
	if (g->columns == RG_ON && column != 0) {
		put_number(g, column, RG_COLUMN);
		rg_puts(g, mark);
	}
	if (g->offsets) {
		put_number(g, offset, RG_COLUMN);
		rg_puts(g, mark);
	}
}

static struct bytes chomp(const struct rg *g, struct bytes s)
{
	if (s.len > 0 && s.ptr[s.len - 1] == g->eol)
		s.len--;
	return s;
}

static size_t leading_blanks(struct bytes s)
{
	size_t n = 0;

	while (n < s.len && (s.ptr[n] == ' ' || (s.ptr[n] >= '\t' && s.ptr[n] <= '\r')))
		n++;
	return n;
}

/* ended: a newline stands behind the text, which counts. */
static bool is_too_long(struct rg *g, struct bytes text, bool match, bool ended,
			const struct regex_span *spans, size_t nspans)
{
	struct buf *message = rg_tmp(g, RG_TMP_MESSAGE);

	if (g->width == 0 || text.len + ended <= g->width)
		return false;
	if (g->preview) {
		size_t cut = utf8_offset(text, (size_t)g->width);
		size_t more = 0;

		for (size_t i = 0; i < nspans; i++)
			more += spans[i].from >= cut;
		rg_write(g, text.ptr, cut);
		if (match && g->need_spans && nspans > 0)
			buf_printf(message, " [... %llu more match%s]", (unsigned long long)more,
				   more == 1 ? "" : "es");
		else
			buf_puts(message, " [... omitted end of long line]");
	} else if (!match) {
		buf_puts(message, "[Omitted long context line]");
	} else if (g->need_spans && nspans > 0) {
		buf_printf(message, "[Omitted long line with %llu matches]",
			   (unsigned long long)nspans);
	} else {
		buf_puts(message, "[Omitted long matching line]");
	}
	rg_write(g, message->ptr, message->len);
	put_eol(g);
	return true;
}

/* text without newline; spans[0..n) in it, shown in colour. ended: it is a line as it stands in the
 * file, so it ends as there; else as --crlf and --null-data say. */
static void put_text(struct rg *g, struct bytes text, const struct regex_span *spans, size_t n,
		     bool match, bool ended)
{
	size_t at = g->trim ? leading_blanks(text) : 0;
	bool colored = g->color == RG_COLOR_ALWAYS && n > 0 && !rg_is_plain(&g->style[RG_MATCH]);

	if (is_too_long(g, bytes_slice(text, at, text.len), match, ended, spans, n))
		return;
	ended &= !colored;
	if (!ended && g->ends == RG_ENDS_CRLF && text.len > at && text.ptr[text.len - 1] == '\r')
		text.len--;
	for (size_t i = 0; i < n && colored; i++) {
		if (spans[i].from < at || spans[i].from == spans[i].to)
			continue;
		rg_write(g, text.ptr + at, spans[i].from - at);
		at = spans[i].from;
		rg_put_style(g, RG_MATCH);
		size_t to = spans[i].to;

		while (i + 1 < n && spans[i + 1].from == to)
			to = spans[++i].to;
		rg_write(g, text.ptr + at, to - at);
		rg_puts(g, RESET);
		at = to;
	}
	rg_write(g, text.ptr + at, text.len - at);
	if (ended)
		rg_write(g, &g->eol, 1);
	else
		put_eol(g);
}

/* --- kinds of output for a match --- */

/* Each match on lines of its own. */
static void put_only(struct rg *g, size_t from, size_t to)
{
	for (size_t i = 0; i < g->nspans; i++) {
		struct regex_span m = g->span[i];
		struct bytes text = bytes_slice(g->region, m.from, m.to);
		size_t line = m.from;

		while (line > from && g->region.ptr[line - 1] != g->eol)
			line--;
		if (g->replace != NULL) {
			struct buf *replaced = rg_tmp(g, RG_TMP_REPLACED);

			put_replaced(g, from, to, m, replaced);
			text = buf_bytes(replaced);
		}
		uint64_t number = g->numbers == RG_ON ? rg_line_number(g, line) : 0;

		/* A match over several lines gives as many. */
		for (size_t at = 0; at < text.len || at == 0;) {
			const char *end = at < text.len
						  ? memchr(text.ptr + at, g->eol, text.len - at)
						  : NULL;
			size_t stop = end != NULL ? (size_t)(end - text.ptr) : text.len;
			struct bytes part = bytes_slice(text, at, stop);
			struct regex_span all = { 0, part.len };

			put_prefix(g, number++, m.from - line + 1, g->base + m.from + at,
				   g->match_mark);
			put_text(g, part, &all, 1, true, false);
			at = stop + 1;
			if (end == NULL || at >= text.len)
				break;
		}
	}
}

/* --vimgrep: the line of each match. */
static void put_each(struct rg *g, size_t from)
{
	for (size_t i = 0; i < g->nspans; i++) {
		struct regex_span m = g->span[i];
		size_t line = m.from;
		const char *end;

		while (line > from && g->region.ptr[line - 1] != g->eol)
			line--;
		end = memchr(g->region.ptr + line, g->eol, g->region.len - line);
		size_t stop = end != NULL ? (size_t)(end - g->region.ptr) : g->region.len;
		struct regex_span one = { m.from - line, (m.to < stop ? m.to : stop) - line };

		put_prefix(g, rg_line_number(g, line), m.from - line + 1, g->base + line,
			   g->match_mark);
		put_text(g, bytes_slice(g->region, line, stop), &one, 1, true, end != NULL);
	}
}

/* The block with its matches replaced. */
static void put_with_replacement(struct rg *g, size_t from, size_t to)
{
	struct buf *text = rg_tmp(g, RG_TMP_LINE);
	struct regex_span *spans = pool_alloc(g->c->pool, (g->nspans + 1) * sizeof *spans);
	size_t at = from;
	uint64_t line = g->numbers == RG_ON ? rg_line_number(g, from) : 0;
	uint64_t column = g->nspans > 0 ? g->span[0].from - from + 1 : 1;

	for (size_t i = 0; i < g->nspans; i++) {
		buf_add(text, bytes_slice(g->region, at, g->span[i].from));
		spans[i].from = text->len;
		put_replaced(g, from, to, g->span[i], text);
		spans[i].to = text->len;
		at = g->span[i].to;
	}
	buf_add(text, bytes_slice(g->region, at, to > at ? to : at));
	put_prefix(g, line, column, g->base + from, g->match_mark);
	put_text(g, chomp(g, buf_bytes(text)), spans, g->nspans, true, false);
	pool_free(g->c->pool, spans, (g->nspans + 1) * sizeof *spans);
}

static void put_lines(struct rg *g, size_t from, size_t to, const char *mark, bool match)
{
	size_t span = 0;
	uint64_t column = g->nspans > 0 ? g->span[0].from - from + 1 : 1;

	while (from < to) {
		const char *end = memchr(g->region.ptr + from, g->eol, to - from);
		size_t stop = end != NULL ? (size_t)(end - g->region.ptr) : to;
		struct bytes text = bytes_slice(g->region, from, stop);
		struct regex_span here[64];
		size_t n = 0;

		put_prefix(g, g->numbers == RG_ON ? rg_line_number(g, from) : 0,
			   match && !g->invert ? column : 0, g->base + from, mark);
		for (size_t i = span; match && i < g->nspans && n < 64; i++) {
			size_t a = g->span[i].from > from ? g->span[i].from : from;
			size_t b = g->span[i].to < stop ? g->span[i].to : stop;

			if (g->span[i].from >= stop)
				break;
			if (a < b)
				here[n++] = (struct regex_span){ a - from, b - from };
			if (g->span[i].to <= stop)
				span = i + 1;
		}
		put_text(g, text, here, n, match, end != NULL);
		from = stop + 1;
	}
}

void rg_put_match(struct rg *g, size_t from, size_t to)
{
	g->nspans = 0;
	if (g->need_spans)
		rg_find_spans(g, from, to);
	g->matches += g->need_spans && !g->invert ? g->nspans : 1;
	if (g->mode == RG_JSON) {
		rg_json_lines(g, from, to, true);
		return;
	}
	if (g->only_matching && !g->invert) {
		if (g->nspans > 0) {
			begin_file(g);
			put_separator(g);
		}
		put_only(g, from, to);
		return;
	}
	begin_file(g);
	put_separator(g);
	if (g->vimgrep && !g->invert)
		put_each(g, from);
	else if (g->replace != NULL && !g->invert)
		put_with_replacement(g, from, to);
	else
		put_lines(g, from, to, g->match_mark, true);
	cmd_charge_bytes(g->c, to - from);
}

void rg_put_context(struct rg *g, size_t from, size_t to)
{
	if (g->mode == RG_JSON) {
		g->nspans = 0;
		rg_json_lines(g, from, to, false);
		return;
	}
	begin_file(g);
	put_separator(g);
	g->nspans = 0;
	put_lines(g, from, to, g->context_mark, false);
	cmd_charge_bytes(g->c, to - from);
}

/* --- the end of a file, and of all --- */

static void put_count(struct rg *g, uint64_t n)
{
	char digits[20];
	size_t len = num_format_u64(n, digits);

	if (n == 0 && (!g->include_zero || g->left))
		return;
	if (g->with_names) {
		rg_put_path(g, g->name, RG_PATH_BARE);
		if (!g->null)
			rg_puts(g, g->match_mark);
	}
	rg_write(g, digits, len);
	put_eol(g);
}

void rg_put_end(struct rg *g)
{
	if (g->mode == RG_COUNT)
		put_count(g, g->multiline && !g->invert ? g->matches : g->selected);
	else if (g->mode == RG_COUNT_MATCHES)
		put_count(g, g->invert ? g->selected : g->matches);
	else if ((g->mode == RG_WITH && g->selected > 0) ||
		 (g->mode == RG_WITHOUT && g->selected == 0 && !g->left))
		rg_put_path(g, g->name, RG_PATH_LINE);
}

void rg_put_stats(struct rg *g)
{
	const uint64_t n[] = { g->total_matches, g->total_lines, g->total_files,
			       g->searched,      g->printed,     g->total_bytes };
	static const char *const text[] = {
		"matches",        "matched lines", "files contained matches",
		"files searched", "bytes printed", "bytes searched"
	};

	cmd_putc(g->c, '\n');
	for (int i = 0; i < 6; i++)
		cmd_printf(g->c, "%llu %s\n", (unsigned long long)n[i], text[i]);
	cmd_puts(g->c, "0.000000 seconds spent searching\n0.000000 seconds\n");
}
