/* SPDX-License-Identifier: MIT
 *
 * White space that is wrong: diff --check, and the marks in coloured output.
 */
#include "builtins/git/diff.h"

/* core.whitespace as it is by default: blank-at-eol, space-before-tab, blank-at-eof. */
size_t diff_space_error(struct bytes line, const char **what)
{
	size_t end = line.len;
	size_t i = 0;
	bool trailing;

	if (end > 0 && line.ptr[end - 1] == '\n')
		end--;
	size_t full = end;

	while (end > 0 && byte_is_space((unsigned char)line.ptr[end - 1]))
		end--;
	trailing = end < full;
	size_t before_tab = SIZE_MAX;

	for (; i < end && byte_is_blank((unsigned char)line.ptr[i]); i++)
		if (line.ptr[i] == ' ' && i + 1 < end && line.ptr[i + 1] == '\t')
			before_tab = 0;
	if (trailing && before_tab != SIZE_MAX)
		*what = "trailing whitespace, space before tab in indent";
	else if (trailing)
		*what = "trailing whitespace";
	else
		*what = "space before tab in indent";
	if (before_tab != SIZE_MAX)
		return 0;
	return trailing ? end : SIZE_MAX;
}

static bool is_marker(struct bytes line)
{
	static const char marks[] = "<=>|";

	if (line.len < 7 || strchr(marks, line.ptr[0]) == NULL)
		return false;
	for (size_t i = 1; i < 7; i++)
		if (line.ptr[i] != line.ptr[0])
			return false;
	return line.len == 7 || byte_is_space((unsigned char)line.ptr[7]);
}

size_t diff_blank_at_end(const struct lines *l)
{
	const struct lines_file *f = &l->file[1];
	size_t n = f->n;

	while (n > 0 && lines_blank(f->line[n - 1], LINES_IGNORE_ALL_SPACE))
		n--;
	if (n == f->n || !f->changed[n] || !f->changed[f->n - 1])
		return 0;
	return n + 1;
}

static bool check_file(struct git *g, struct diff_opts *o, struct diff_pair *p, struct buf *out)
{
	struct lines l;
	bool bad = false;
	const char *set = diff_escape(o, g, "new");
	const char *reset = o->use_color ? COLOR_RESET : "";
	const char *what;
	size_t end;

	if (p->two->mode == 0 || !diff_load(g, p->one) || !diff_load(g, p->two) ||
	    diff_is_binary(g, o, p->two))
		return false;
	diff_lines(g, g->a, o, p, &l);
	for (size_t i = 0; i < l.file[1].n; i++) {
		struct bytes line = l.file[1].line[i];

		if (!l.file[1].changed[i])
			continue;
		if (is_marker(line)) {
			bad = true;
			buf_printf(out, "%s:%zu: leftover conflict marker\n", p->two->path, i + 1);
		}
		if (diff_space_error(line, &what) != SIZE_MAX) {
			bad = true;
			buf_printf(out, "%s:%zu: %s.\n%s+%s", p->two->path, i + 1, what, set,
				   reset);
			buf_printf(out, "%s", set);
			buf_add(out, line);
			buf_printf(out, "%s", reset);
			if (line.len == 0 || line.ptr[line.len - 1] != '\n')
				buf_putc(out, '\n');
		}
	}
	end = diff_blank_at_end(&l);
	if (end != 0) {
		bad = true;
		buf_printf(out, "%s:%zu: new blank line at EOF.\n", p->two->path, end);
	}
	return bad;
}

int diff_put_check(struct git *g, struct diff_opts *o, struct diff_queue *q, struct buf *out)
{
	bool bad = false;

	for (size_t i = 0; i < q->n; i++)
		if (q->at[i].status != 'U' && check_file(g, o, &q->at[i], out))
			bad = true;
	return bad ? 2 : 0;
}
