/* SPDX-License-Identifier: MIT
 *
 * git grep: one text, the lines of it that match, and what is shown around them.
 */
#include "builtins/git/grep.h"

/* A text being searched. Lines are counted from 1. */
struct text {
	struct grepping *w;
	const char *name;
	const struct userdiff *names; /* of functions */
	struct bytes *line;           /* with their newlines */
	size_t n;
	size_t shown;    /* the last line that was shown; 0: none */
	size_t last_hit; /* 0: none */
	bool in_function;
};

static struct bytes line_at(const struct text *t, size_t number)
{
	struct bytes l = t->line[number - 1];

	if (bytes_ends(l, BYTES("\n")))
		l.len--;
	return l;
}

static bool is_function(const struct text *t, struct bytes line)
{
	return userdiff_function(t->w->g, t->names, line, NULL);
}

/* --- whether a line matches --- */

enum { NO_COLUMN = SIZE_MAX };

static void lower(size_t *column, size_t at)
{
	if (*column == NO_COLUMN || at < *column)
		*column = at;
}

/* Columns of what matches, and of what matches below --not, are put down on the way. */
static bool holds(const struct grep_node *n, struct bytes line, size_t *column, size_t *inverse)
{
	struct regex_span m;
	bool hit;

	switch (n->kind) {
	case '!': return !holds(n->a, line, inverse, column);
	case '&':
		hit = holds(n->a, line, column, inverse);
		return holds(n->b, line, column, inverse) && hit;
	case '|':
		hit = holds(n->a, line, column, inverse);
		return holds(n->b, line, column, inverse) || hit;
	default:
		hit = regex_search(n->re, line, 0, 0, &m, 1) == 0;
		if (hit)
			lower(column, m.from);
		return hit;
	}
}

/* *column: where the first match begins; NO_COLUMN: there is none. */
static bool matches(const struct grepping *w, struct bytes line, size_t *column)
{
	size_t inverse = NO_COLUMN;
	struct regex_span m;
	bool hit;

	*column = NO_COLUMN;
	if (w->tree != NULL) {
		hit = holds(w->tree, line, column, &inverse);
		if (w->o.invert)
			*column = inverse;
	} else if (w->o.column) {
		hit = regex_search(w->re, line, 0, 0, &m, 1) == 0;
		if (hit && !w->o.invert)
			*column = m.from;
	} else {
		hit = regex_test(w->re, line, 0) == 0;
	}
	return hit != w->o.invert;
}

/* --all-match: each part that --or joins has a line. */
static bool each_part_matches(struct text *t, const struct grep_node *n)
{
	for (; n->kind == '|'; n = n->a)
		if (!each_part_matches(t, n->b))
			return false;
	for (size_t i = 1; i <= t->n; i++) {
		size_t column = NO_COLUMN, inverse = NO_COLUMN;

		cmd_charge(t->w->g->c, 1);
		if (holds(n, line_at(t, i), &column, &inverse))
			return true;
	}
	return false;
}

/* --- output --- */

static void put_separator(struct grepping *w, const char *sign)
{
	const char *color = color_of(w->g, "color.grep.separator", "\033[36m");

	git_printf(w->g, w->use_color ? "%s%s\033[m" : "%.0s%s", color, sign);
}

static void put_slot(struct grepping *w, const char *key, const char *otherwise, const char *text)
{
	const char *color = w->use_color ? color_of(w->g, key, otherwise) : "";

	git_printf(w->g, "%s%s%s", color, text, color[0] != '\0' ? COLOR_RESET : "");
}

static void put_name(struct grepping *w, const char *name)
{
	put_slot(w, "color.grep.filename", "\033[35m", name);
}

static void put_sign(struct grepping *w, char sign)
{
	const char mark[2] = { sign, '\0' };

	if (w->o.null_names)
		cmd_putc(w->g->c, '\0');
	else
		put_separator(w, mark);
}

/* Name, number and column, each with the sign behind it. column 0: none. */
static void put_header(struct text *t, size_t number, size_t column, char sign)
{
	struct grepping *w = t->w;

	if (w->o.heading && t->shown == 0) {
		put_name(w, t->name);
		cmd_putc(w->g->c, '\n');
	}
	t->shown = number;
	if (!w->o.no_name && !w->o.heading) {
		put_name(w, t->name);
		put_sign(w, sign);
	}
	if (w->o.number) {
		put_slot(w, "color.grep.linenumber", "\033[32m",
			 git_format(w->g->a, "%zu", number));
		put_sign(w, sign);
	}
	if (w->o.column && column != 0) {
		put_slot(w, "color.grep.column", "\033[32m", git_format(w->g->a, "%zu", column));
		put_sign(w, sign);
	}
}

static void put_match(struct grepping *w, struct bytes line, const struct regex_span *m)
{
	if (w->use_color)
		cmd_puts(w->g->c, w->match_color);
	cmd_write(w->g->c, line.ptr + m->from, m->to - m->from);
	if (w->use_color)
		cmd_puts(w->g->c, COLOR_RESET);
}

/* -o: the matches alone, a line for each. */
static void put_matches(struct text *t, size_t number, size_t column, struct bytes line, char sign)
{
	struct grepping *w = t->w;
	struct regex_span m;
	size_t at = 0;

	while (at <= line.len && regex_search(w->re, line, at, 0, &m, 1) == 0) {
		if (m.to == m.from)
			break;
		put_header(t, number, column + at, sign);
		put_match(w, line, &m);
		cmd_putc(w->g->c, '\n');
		at = m.to;
	}
}

/* The line with its matches in colour. */
static void put_colored(struct grepping *w, struct bytes line)
{
	struct regex_span m;
	size_t at = 0;

	while (at < line.len && regex_search(w->re, line, at, 0, &m, 1) == 0) {
		if (m.to == m.from)
			break;
		cmd_write(w->g->c, line.ptr + at, m.from - at);
		put_match(w, line, &m);
		at = m.to;
	}
	cmd_write(w->g->c, line.ptr + at, line.len - at);
}

/* What stands between this line and those before it. */
static void put_gap(struct text *t, size_t number)
{
	struct grepping *w = t->w;
	bool around = w->o.before > 0 || w->o.after > 0 || w->o.whole_function;

	if (w->o.break_ && t->shown == 0) {
		if (w->printed)
			cmd_putc(w->g->c, '\n');
	} else if (around && (t->shown == 0 ? w->printed : number > t->shown + 1)) {
		put_separator(w, "--");
		cmd_putc(w->g->c, '\n');
	}
}

static void show_line(struct text *t, size_t number, size_t column, char sign)
{
	struct grepping *w = t->w;
	struct bytes line = line_at(t, number);

	put_gap(t, number);
	if (w->o.only) {
		put_matches(t, number, column, line, sign);
		return;
	}
	put_header(t, number, column, sign);
	if (w->use_color)
		put_colored(w, line);
	else
		cmd_bytes(w->g->c, line);
	cmd_putc(w->g->c, '\n');
}

/* -p: the last line above that names a function, unless it was shown. */
static void show_function(struct text *t, size_t number)
{
	for (size_t i = number; i > t->shown + 1; i--) {
		cmd_charge(t->w->g->c, 1);
		if (is_function(t, line_at(t, i - 1))) {
			show_line(t, i - 1, 0, '=');
			return;
		}
	}
}

/* How far up what is shown with a line goes; the function's line in *function. */
struct above {
	size_t from;
	size_t function;
	bool wants_function;
	bool wants_comment;
};

static void look_above(struct text *t, size_t number, struct above *u)
{
	const struct grep_opts *o = &t->w->o;
	size_t near = number > (size_t)o->before ? number - (size_t)o->before : 1;
	size_t i;

	if (near <= t->shown)
		near = t->shown + 1;
	*u = (struct above){ .from = near, .wants_function = o->function };
	if (o->whole_function) {
		u->wants_comment = is_function(t, line_at(t, number));
		u->wants_function = u->wants_function || !u->wants_comment;
		u->from = t->shown + 1;
	}
	for (i = number; i > u->from && i > 1;) {
		struct bytes line = line_at(t, --i);

		cmd_charge(t->w->g->c, 1);
		if (u->wants_comment && (lines_blank(line, 0) || is_function(t, line))) {
			u->wants_comment = false;
			u->from = near;
			if (i < near) {
				i++;
				break;
			}
		}
		if (u->wants_function && is_function(t, line)) {
			u->function = i;
			u->wants_function = false;
			if (o->whole_function)
				u->wants_comment = true;
			else
				u->from = near;
		}
	}
	u->from = i;
}

static void show_above(struct text *t, size_t number)
{
	struct above u;

	look_above(t, number, &u);
	if (t->w->o.function && u.wants_function)
		show_function(t, u.from);
	for (size_t i = u.from; i < number; i++)
		show_line(t, i, 0, i == u.function ? '=' : '-');
}

static void show_hit(struct text *t, size_t number, size_t column)
{
	const struct grep_opts *o = &t->w->o;

	if (o->before > 0 || o->whole_function)
		show_above(t, number);
	else if (o->function)
		show_function(t, number);
	show_line(t, number, column == NO_COLUMN ? 1 : column + 1, ':');
	t->last_hit = number;
	t->in_function = o->whole_function;
}

/* A line that does not match may be near one that does, or in its function. */
static void show_other(struct text *t, size_t number)
{
	if (t->in_function) {
		size_t next = number;

		while (next <= t->n && lines_blank(line_at(t, next), 0))
			next++;
		cmd_charge(t->w->g->c, next - number);
		if (next <= t->n && is_function(t, line_at(t, next)))
			t->in_function = false;
	}
	if (t->in_function || (t->last_hit != 0 && number <= t->last_hit + (size_t)t->w->o.after))
		show_line(t, number, 0, '-');
}

static void put_name_line(struct grepping *w, const char *name)
{
	put_name(w, name);
	cmd_putc(w->g->c, w->o.null_names ? '\0' : '\n');
}

static void put_totals(struct text *t, size_t count)
{
	struct grepping *w = t->w;

	if ((w->o.names && count != 0) || (w->o.without && count == 0)) {
		w->any = true;
		put_name_line(w, t->name);
	} else if (w->o.count && count != 0 && !w->o.names && !w->o.without) {
		if (!w->o.no_name) {
			put_name(w, t->name);
			put_sign(w, ':');
		}
		git_printf(w->g, "%zu\n", count);
	}
}

void grep_text(struct grepping *w, const char *name, struct bytes text, const struct userdiff *u)
{
	struct text t = { .w = w, .name = name, .names = u };
	size_t count = 0;
	bool binary = u->binary < 0 ? lines_binary(text) : u->binary != 0;

	binary = binary && w->o.binary != GREP_TEXT;
	if (binary && w->o.binary == GREP_NO_BINARY)
		return;
	t.n = lines_split(w->g->a, text, &t.line);
	cmd_charge(w->g->c, t.n / 4 + 1);
	if (w->o.all_match && w->tree != NULL && !each_part_matches(&t, w->tree))
		return;
	for (size_t i = 1; i <= t.n; i++) {
		size_t column;

		if ((w->o.max_count > 0 && count >= (size_t)w->o.max_count) ||
		    !matches(w, line_at(&t, i), &column)) {
			if (!w->o.count)
				show_other(&t, i);
			continue;
		}
		count++;
		w->any = w->any || !w->o.without;
		if (w->o.quiet)
			return;
		if (w->o.names || w->o.without)
			break;
		if (w->o.count)
			continue;
		if (binary) {
			git_printf(w->g, "Binary file %s matches\n", name);
			w->printed = true;
			return;
		}
		show_hit(&t, i, column);
	}
	w->printed = w->printed || t.shown != 0;
	put_totals(&t, count);
}
