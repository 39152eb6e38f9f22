/* SPDX-License-Identifier: MIT
 *
 * -L START,END and -L :FUNCTION: numbers, +COUNT, -COUNT, /REGEX/, ^/REGEX/.
 */
#include "builtins/git/line_range.h"
#include "builtins/git/userdiff.h"

struct reader {
	struct git *g;
	const struct userdiff *names; /* of functions */
	struct bytes *line;
	size_t n;
	const char *at;
};

/* The end of "/regex/" or ":regex", a backslash takes the next byte along. */
static const char *pattern_end(const char *p, char stop)
{
	while (*p != '\0' && *p != stop)
		p += p[0] == '\\' && p[1] != '\0' ? 2 : 1;
	return p;
}

static const char *skip_place(const char *p)
{
	if (*p == '^')
		p++;
	if (*p == '/') {
		const char *end = pattern_end(p + 1, '/');

		return *end == '/' ? end + 1 : p;
	}
	if (*p == '+' || *p == '-')
		p++;
	return p + strspn(p, "0123456789");
}

const char *line_range_skip(const char *text)
{
	if (text[0] == ':' || (text[0] == '^' && text[1] == ':'))
		return pattern_end(strchr(text, ':') + 1, ':');
	text = skip_place(text);
	return *text == ',' ? skip_place(text + 1) : text;
}

static struct regex *compile(struct git *g, const char *pattern)
{
	const char *message;
	struct bytes text = bytes_of(pattern);
	struct regex *re;

	if (regex_compile_set(g->keep, &text, 1, REGEX_BRE | REGEX_NEWLINE | g->utf8, &re,
			      &message) < 0)
		git_die(g, "-L parameter '%s': %s", pattern, message);
	regex_set_work(re, cmd_work, g->c);
	return re;
}

/* The first line from `from` (0: the first) on that matches; r->n: none. */
static size_t find_line(struct reader *r, struct regex *re, size_t from)
{
	for (size_t i = from; i < r->n; i++) {
		struct bytes l = r->line[i];

		if (bytes_ends(l, BYTES("\n")))
			l.len--;
		if (regex_test(re, l, 0) == 0)
			return i;
	}
	return r->n;
}

static int64_t read_number(struct reader *r)
{
	int64_t v = 0;

	for (; *r->at >= '0' && *r->at <= '9'; r->at++)
		v = v < INT32_MAX ? v * 10 + (*r->at - '0') : v;
	return v;
}

/* A line from 1; 0: nothing was said. begin: of the second place the line behind the first, of
 * the first one minus the line from which patterns are searched. */
static int64_t read_place(struct reader *r, int64_t begin)
{
	struct git *g = r->g;
	const char *start = r->at;
	bool sign = *start == '+' || *start == '-';

	if (byte_is_digit((unsigned char)start[sign])) {
		r->at += sign;
		int64_t v = read_number(r);

		if (!sign || begin < 1) {
			if (*start == '-' || v == 0)
				git_die(g, "-L invalid line number: %lld",
					(long long)(*start == '-' ? -v : v));
			return v;
		}
		if (v == 0)
			git_die(g, "-L invalid empty range");
		if (*start == '+')
			return begin + v - 2;
		return begin - v > 0 ? begin - v : 1;
	}
	if (begin < 0) {
		bool top = *r->at == '^';

		r->at += top;
		begin = top ? 1 : -begin;
	}
	const char *end = *r->at == '/' ? pattern_end(r->at + 1, '/') : r->at;

	if (*r->at != '/' || *end != '/')
		return 0;
	char *pattern = git_format(g->keep, "%.*s", (int)(end - r->at - 1), r->at + 1);
	size_t hit = find_line(r, compile(g, pattern), (size_t)begin - 1);

	if (hit == r->n)
		git_die(g, "-L parameter '%s' starting at line %lld: No match", pattern,
			(long long)begin);
	r->at = end + 1;
	return (int64_t)hit + 1;
}

/* The function whose line matches, up to the next one's. */
static struct line_range read_function(struct reader *r, size_t anchor)
{
	struct git *g = r->g;
	const char *from = strchr(r->at, ':') + 1;
	const char *end = pattern_end(from, ':');
	char *pattern = git_format(g->keep, "%.*s", (int)(end - from), from);
	struct regex *re = compile(g, pattern);
	size_t first = r->at[0] == '^' ? 0 : anchor - 1;
	size_t at = find_line(r, re, first);
	size_t to;

	while (at < r->n && !userdiff_function(g, r->names, r->line[at], NULL))
		at = find_line(r, re, at + 1);
	if (at == r->n)
		git_die(g, "-L parameter '%s' starting at line %zu: no match", pattern, first + 1);
	for (to = at + 1; to < r->n && !userdiff_function(g, r->names, r->line[to], NULL); to++)
		;
	cmd_charge(g->c, to - at);
	r->at = end;
	return (struct line_range){ at, to };
}

struct line_range line_range_read(struct git *g, const char *text, struct bytes file, size_t anchor,
				  const char *name)
{
	struct reader r = { .g = g, .at = text, .names = userdiff_of(g, name) };
	struct line_range out;
	int64_t from, to = 0;

	r.n = lines_split(g->keep, file, &r.line);
	if (anchor > r.n)
		anchor = r.n + 1;
	if (text[0] == ':' || (text[0] == '^' && text[1] == ':')) {
		out = read_function(&r, anchor);
		from = (int64_t)out.from + 1;
		to = (int64_t)out.to;
	} else {
		from = read_place(&r, -(int64_t)anchor);
		if (*r.at == ',') {
			r.at++;
			to = read_place(&r, from + 1);
		}
	}
	if (*r.at != '\0')
		git_die(g, "-L argument not 'start,end:file' or ':funcname:file': %s", text);
	if (from != 0 && to != 0 && to < from) {
		int64_t swap = from;

		from = to;
		to = swap;
	}
	if ((r.n == 0 && (from != 0 || to != 0)) || from > (int64_t)r.n)
		git_die(g, "file %s has only %zu line%s", name, r.n,
			r.n == 1 && strcmp(g->command, "blame") == 0 ? "" : "s");
	out.from = from < 1 ? 0 : (size_t)from - 1;
	out.to = to < 1 || to > (int64_t)r.n ? r.n : (size_t)to;
	return out;
}
