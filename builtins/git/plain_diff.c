/* SPDX-License-Identifier: MIT
 *
 * Differences as rerere and merge-tree show them: hunks alone, no colours, no names of functions.
 */
#include "builtins/git/merge.h"

enum { CONTEXT = 3 };

static void put_lines(struct git *g, char sign, const struct lines_file *f, size_t from, size_t n)
{
	for (size_t i = from; i < from + n && i < f->n; i++) {
		struct bytes line = f->line[i];

		const char *nul = line.len != 0 ? memchr(line.ptr, '\0', line.len) : NULL;

		/* What is behind a NUL is not shown. */
		cmd_putc(g->c, sign);
		cmd_write(g->c, line.ptr, nul != NULL ? (size_t)(nul - line.ptr) : line.len);
		if (line.len == 0 || line.ptr[line.len - 1] != '\n')
			git_printf(g, "\n\\ No newline at end of file\n");
	}
}

static void put_range(struct git *g, char sign, size_t from, size_t n)
{
	git_printf(g, " %c%zu", sign, n == 0 ? from : from + 1);
	if (n != 1)
		git_printf(g, ",%zu", n);
}

/* The changes i to end, which lie near each other. */
static void put_hunk(struct git *g, const struct lines *l, size_t i, size_t end)
{
	const struct lines_change *first = &l->change[i], *last = &l->change[end - 1];
	size_t before = first->from[0] < CONTEXT ? first->from[0] : CONTEXT;
	size_t stop = last->from[0] + last->count[0], behind = l->file[0].n - stop;
	size_t at = first->from[0] - before;

	behind = behind < CONTEXT ? behind : CONTEXT;
	git_printf(g, "@@");
	put_range(g, '-', at, stop + behind - at);
	put_range(g, '+', first->from[1] - before,
		  last->from[1] + last->count[1] + behind - (first->from[1] - before));
	git_printf(g, " @@\n");
	for (; i < end; i++) {
		const struct lines_change *ch = &l->change[i];

		put_lines(g, ' ', &l->file[0], at, ch->from[0] - at);
		put_lines(g, '-', &l->file[0], ch->from[0], ch->count[0]);
		put_lines(g, '+', &l->file[1], ch->from[1], ch->count[1]);
		at = ch->from[0] + ch->count[0];
	}
	put_lines(g, ' ', &l->file[0], at, behind);
}

void plain_diff(struct git *g, struct bytes one, struct bytes two)
{
	struct lines l;

	lines_diff(g, g->a, one, two, LINES_NO_INDENT_HEURISTIC, &l);
	for (size_t i = 0, end; i < l.n; i = end) {
		for (end = i + 1; end < l.n; end++)
			if (l.change[end].from[0] >
			    l.change[end - 1].from[0] + l.change[end - 1].count[0] + 2 * CONTEXT)
				break;
		put_hunk(g, &l, i, end);
	}
}
