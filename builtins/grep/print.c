/* SPDX-License-Identifier: MIT
 *
 * Writing lines: file name, numbers, colors, the parts that match.
 */
#include "builtins/grep/grep.h"

#define SGR_END   "\33[m\33[K"
#define COLOR_SEP "\33[36m\33[K"

uint64_t grep_count_lines(struct bytes s, char eol)
{
	return bytes_count(s, eol);
}

static void put_colored(struct grep *g, const char *color, struct bytes text)
{
	if (g->colored && color[0] != '\0') {
		cmd_printf(g->c, "\33[%sm\33[K", color);
		cmd_bytes(g->c, text);
		cmd_puts(g->c, SGR_END);
	} else {
		cmd_bytes(g->c, text);
	}
}

void grep_put_name(struct grep *g, const char *name, char end)
{
	put_colored(g, "35", bytes_of(name));
	if (g->name_nul)
		cmd_putc(g->c, '\0');
	else if (end == '\n')
		cmd_putc(g->c, end);
	else
		put_colored(g, "36", (struct bytes){ &end, 1 });
}

void grep_put_separator(struct grep *g)
{
	if (g->separator == NULL)
		return;
	put_colored(g, "36", bytes_of(g->separator));
	cmd_putc(g->c, '\n');
}

static void put_number(struct grep *g, uint64_t v, char sep)
{
	char text[40];
	char digits[20];
	size_t len = num_format_u64(v, digits);
	size_t pad = (size_t)g->number_width > len ? (size_t)g->number_width - len : 0;

	memset(text, ' ', pad);
	memcpy(text + pad, digits, len);
	put_colored(g, "32", (struct bytes){ text, pad + len });
	put_colored(g, "36", (struct bytes){ &sep, 1 });
}

/* What stands before a line or a match of len bytes at `at`. */
static void put_head(struct grep *g, size_t line_from, size_t at, size_t len, char sep)
{
	if (g->with_names)
		grep_put_name(g, g->name, sep);
	if (g->numbers) {
		g->line += grep_count_lines(bytes_slice(g->region, g->counted, line_from), g->eol);
		g->counted = line_from;
		put_number(g, g->line, sep);
	}
	if (g->offsets)
		put_number(g, g->base + at, sep);
	if (g->initial_tab && len != 0 && (g->with_names || g->numbers || g->offsets))
		cmd_putc(g->c, '\t');
}

/* The next match of the line at or after *at that is not empty. */
static bool next_match(struct grep *g, struct bytes line, size_t *at, struct regex_span *m)
{
	while (*at <= line.len && regex_search(g->re, line, *at, 0, m, 1) == 0) {
		if (m->to > m->from) {
			*at = m->to;
			return true;
		}
		*at = m->to + 1;
	}
	return false;
}

/* Whether text may be written; what is not text is only told of. */
static bool is_shown(struct grep *g, struct bytes text)
{
	bool shown = g->binary == GREP_TEXT || !g->c->utf8 || utf8_valid(text);

	g->hidden |= !shown;
	return shown;
}

static void put_matches(struct grep *g, size_t from, struct bytes line, char sep)
{
	struct regex_span m;
	size_t at = 0;

	while (next_match(g, line, &at, &m)) {
		if (!is_shown(g, bytes_slice(line, m.from, m.to)))
			return;
		put_head(g, from, from + m.from, m.to - m.from, sep);
		put_colored(g, g->color_match, bytes_slice(line, m.from, m.to));
		cmd_putc(g->c, g->eol);
	}
}

static void put_colored_line(struct grep *g, struct bytes line)
{
	struct regex_span m;
	size_t done = 0;
	size_t at = 0;

	while (next_match(g, line, &at, &m)) {
		cmd_bytes(g->c, bytes_slice(line, done, m.from));
		put_colored(g, g->color_match, bytes_slice(line, m.from, m.to));
		done = m.to;
	}
	cmd_bytes(g->c, bytes_slice(line, done, line.len));
}

void grep_put_line(struct grep *g, size_t from, size_t to, char sep)
{
	struct bytes line = bytes_slice(g->region, from, to);
	bool matches = (sep == GREP_SELECTED) != g->invert;

	if (g->only_matching) {
		if (matches)
			put_matches(g, from, line, sep);
	} else if (!is_shown(g, line)) {
		return;
	} else {
		put_head(g, from, from, line.len, sep);
		if (g->colored && matches && (sep == GREP_SELECTED || g->invert))
			put_colored_line(g, line);
		else
			cmd_bytes(g->c, line);
		cmd_putc(g->c, g->eol);
	}
	if (g->line_buffered)
		cmd_flush(g->c);
}
