/* SPDX-License-Identifier: MIT
 *
 * White space that is wrong: diff --check, and the marks in coloured output.
 */
#include "builtins/git/diff.h"
#include "builtins/git/blanks.h"

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
	const struct blanks_colors colors = { set,
					      o->use_color ? diff_escape(o, g, "whitespace") : "",
					      reset };
	unsigned rules = blanks_rules(g, p->two->path), wrong;
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
		wrong = blanks_find(line, rules);
		if (wrong != 0) {
			bad = true;
			buf_printf(out, "%s:%zu: %s.\n%s+%s", p->two->path, i + 1,
				   blanks_words(g, wrong), set, reset);
			blanks_put(line, rules, &colors, out);
			if (line.len == 0 || line.ptr[line.len - 1] != '\n')
				buf_putc(out, '\n');
		}
	}
	end = rules & RULE_EOF ? diff_blank_at_end(&l) : 0;
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
