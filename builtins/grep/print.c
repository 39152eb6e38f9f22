/* SPDX-License-Identifier: MIT
 *
 * Writing lines: file name, numbers, colors, the parts that match.
 */
#include "builtins/grep/grep.h"

uint64_t grep_count_lines(struct bytes s, char eol)
{
	return bytes_count(s, eol);
}

static void begin_color(struct grep *g, const char *color)
{
	if (color[0] != '\0')
		cmd_printf(g->c, "\33[%sm%s", color, g->colors.no_erase ? "" : "\33[K");
}

static void end_color(struct grep *g, const char *color)
{
	if (color[0] != '\0')
		cmd_puts(g->c, g->colors.no_erase ? "\33[m" : "\33[m\33[K");
}

static void put_colored(struct grep *g, const char *color, struct bytes text)
{
	if (!g->colored) {
		cmd_bytes(g->c, text);
		return;
	}
	begin_color(g, color);
	cmd_bytes(g->c, text);
	end_color(g, color);
}

void grep_put_name(struct grep *g, const char *name, char end)
{
	put_colored(g, g->colors.name, bytes_of(name));
	if (g->name_nul)
		cmd_putc(g->c, '\0');
	else if (end == '\n')
		cmd_putc(g->c, end);
	else
		put_colored(g, g->colors.separator, (struct bytes){ &end, 1 });
}

void grep_put_separator(struct grep *g)
{
	if (g->separator == NULL)
		return;
	put_colored(g, g->colors.separator, bytes_of(g->separator));
	cmd_putc(g->c, '\n');
}

static void put_number(struct grep *g, const char *color, uint64_t v, char sep)
{
	char text[40];
	char digits[20];
	size_t len = num_format_u64(v, digits);
	size_t pad = (size_t)g->number_width > len ? (size_t)g->number_width - len : 0;

	memset(text, ' ', pad);
	memcpy(text + pad, digits, len);
	put_colored(g, color, (struct bytes){ text, pad + len });
	put_colored(g, g->colors.separator, (struct bytes){ &sep, 1 });
}

/* What stands before a line or a match of len bytes at `at`. */
static void put_head(struct grep *g, size_t line_from, size_t at, size_t len, char sep)
{
	if (g->with_names)
		grep_put_name(g, g->name, sep);
	if (g->numbers) {
		g->line += grep_count_lines(bytes_slice(g->region, g->counted, line_from), g->eol);
		g->counted = line_from;
		put_number(g, g->colors.number, g->line, sep);
	}
	if (g->offsets)
		put_number(g, g->colors.offset, g->base + at, sep);
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
		put_colored(g, g->colors.match[sep != GREP_SELECTED],
			    bytes_slice(line, m.from, m.to));
		cmd_putc(g->c, g->eol);
	}
}

/* matches: those of the line are marked. */
static void put_colored_line(struct grep *g, struct bytes line, char sep, bool matches)
{
	bool selected = (sep == GREP_SELECTED) != (g->invert && g->colors.reverse);
	const char *color = g->colors.line[!selected];
	const char *mark = g->colors.match[sep != GREP_SELECTED];
	struct regex_span m;
	size_t done = 0;
	size_t at = 0;

	while (matches && mark[0] != '\0' && next_match(g, line, &at, &m)) {
		begin_color(g, color);
		cmd_bytes(g->c, bytes_slice(line, done, m.from));
		put_colored(g, mark, bytes_slice(line, m.from, m.to));
		done = m.to;
	}
	if (done < line.len)
		put_colored(g, color, bytes_slice(line, done, line.len));
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
		if (g->colored)
			put_colored_line(g, line, sep,
					 matches && (sep == GREP_SELECTED || g->invert));
		else
			cmd_bytes(g->c, line);
		cmd_putc(g->c, g->eol);
	}
	if (g->line_buffered)
		cmd_flush(g->c);
}
