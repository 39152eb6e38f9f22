/* SPDX-License-Identifier: MIT
 *
 * Commits as texts that can be compared: message and differences without hashes and numbers of
 * lines; and the differences of two of these texts.
 */
#include "builtins/git/notes.h"
#include "builtins/git/range_diff.h"

enum { CONTEXT = 3, FUNCTION_MOST = 80 };

/* --- reading --- */

/* What log shows of the message, cut into parts. */
static void put_message(struct git *g, struct commit *c, const struct range_opts *o,
			struct buf *out)
{
	struct pretty p = { .kind = PRETTY_MEDIUM, .tabs = -1, .notes = o->notes >= 0 };
	struct buf shown = buf_in(g->a);
	struct bytes rest, line;

	pretty_commit(g, &p, c, &shown);
	rest = buf_bytes(&shown);
	while (git_line(&rest, &line)) {
		if (bytes_starts(line, BYTES("Author: "))) {
			buf_printf(out, " ## Metadata ##\n%.*s\n\n ## Commit message ##\n",
				   (int)line.len, line.ptr);
		} else if (bytes_starts(line, BYTES("Notes")) && bytes_ends(line, BYTES(":"))) {
			buf_printf(out, "\n\n ## %.*s ##\n", (int)line.len - 1, line.ptr);
		} else if (bytes_starts(line, BYTES("    "))) {
			line = bytes_trim_end(line);
			buf_add(out, line);
			buf_putc(out, '\n');
		}
	}
}

static void put_file_head(struct buf *out, const struct diff_pair *d)
{
	const char *one = d->one->path, *two = d->two->path;

	buf_puts(out, " ## ");
	if (d->one->mode == 0)
		buf_printf(out, "%s (new)", two);
	else if (d->two->mode == 0)
		buf_printf(out, "%s (deleted)", one);
	else if (d->status == 'R' || d->status == 'C')
		buf_printf(out, "%s => %s", one, two);
	else
		buf_puts(out, two);
	if (d->one->mode != 0 && d->two->mode != 0 && d->one->mode != d->two->mode)
		buf_printf(out, " (mode change %06o => %06o)", (unsigned)d->one->mode,
			   (unsigned)d->two->mode);
	buf_puts(out, " ##\n");
}

static void put_file(struct git *g, struct diff_opts *d, struct diff_pair *pair,
		     struct range_patch *p, struct buf *out)
{
	struct buf patch = buf_in(g->a);
	struct bytes rest, line;
	bool body = false;

	diff_patch(g, d, pair, &patch);
	rest = buf_bytes(&patch);
	while (git_line(&rest, &line)) {
		bool head = bytes_starts(line, BYTES("@@ "));

		if (bytes_starts(line, BYTES("diff --git "))) {
			buf_putc(out, '\n');
			p->diff = p->diff == 0 ? out->len : p->diff;
			put_file_head(out, pair);
			p->lines++;
			body = false;
			continue;
		}
		body = body || head || bytes_starts(line, BYTES("Binary files "));
		if (!body || line.len == 0)
			continue;
		p->lines++;
		if (head) {
			const char *end = bytes_find(bytes_slice(line, 3, line.len), BYTES("@@"));
			struct bytes tail = { end + 2, line.len - (size_t)(end + 2 - line.ptr) };

			buf_puts(out, "@@");
			if (tail.len != 0)
				buf_printf(out, " %s:",
					   pair->two->mode != 0 ? pair->two->path
								: pair->one->path);
			buf_add(out, tail);
		} else {
			char first = line.ptr[0] == '>' ? '+' : line.ptr[0] == '<' ? '-' : ' ';
			bool marked = first != ' ' || line.ptr[0] == '#';

			buf_putc(out, first);
			buf_add(out, marked ? bytes_slice(line, 1, line.len) : line);
		}
		buf_putc(out, '\n');
	}
}

static void add_commit(struct git *g, struct commit *c, const struct range_opts *o,
		       struct diff_opts *d, struct range *out)
{
	struct range_patch p = { .commit = c, .match = -1 };
	struct diff_queue q = { NULL, 0, 0, { NULL, 0, 0 } };
	struct arena_mark mark = arena_mark(g->a);
	struct buf text = buf_in(g->keep);
	const struct oid *before = NULL;

	put_message(g, c, o, &text);
	if (c->nparents > 0) {
		commit_need(g, c->parent[0]);
		before = &c->parent[0]->tree;
	}
	diff_trees(g, d, before, &c->tree, &q);
	diff_finish(g, d, &q);
	for (size_t i = 0; i < q.n; i++)
		put_file(g, d, &q.at[i], &p, &text);
	p.text = buf_bytes(&text);
	arena_release(g->a, mark);
	LIST_ROOM(g, out->at, out->n, out->cap);
	out->at[out->n++] = p;
}

void range_read(struct git *g, const char *range, char **paths, int npaths,
		const struct range_opts *o, struct range *out)
{
	struct revs r;
	struct args args;
	struct commit *c;
	char **argv = arena_array(g->keep, (size_t)npaths + 3, sizeof(*argv));
	int n = 0;

	revs_forget(g);
	revs_init(g, &r);
	r.max_parents = 1;
	r.order = ORDER_TOPO_DATE;
	r.reverse = true;
	argv[n++] = arena_dup(g->keep, bytes_of(range));
	for (int i = 0; i < npaths; i++)
		argv[n++] = paths[i];
	args = (struct args){ n, argv, -1 };
	revs_operands(g, &r, &args);
	r.diff.src_prefix = r.diff.dst_prefix = "";
	r.diff.indicators[0] = '>';
	r.diff.indicators[1] = '<';
	r.diff.indicators[2] = '#';
	r.diff.color = 0;
	r.diff.format = DIFF_PATCH;
	diff_settle(g, &r.diff);
	while ((c = revs_next(&r)) != NULL)
		add_commit(g, c, o, &r.diff, out);
}

/* --- comparing --- */

/* Changes that are shown together: from change i up to, not including, the result. */
static size_t group_end(const struct lines *l, size_t i, size_t context)
{
	size_t end = i + 1;

	while (end < l->n && l->change[end].from[0] <= l->change[end - 1].from[0] +
							       l->change[end - 1].count[0] +
							       2 * context)
		end++;
	return end;
}

struct span {
	size_t from, to; /* lines of the first text */
};

static struct span span_of(const struct lines *l, size_t i, size_t end, size_t context)
{
	const struct lines_change *first = &l->change[i], *last = &l->change[end - 1];
	size_t to = last->from[0] + last->count[0] + context;

	return (struct span){ first->from[0] > context ? first->from[0] - context : 0,
			      to < l->file[0].n ? to : l->file[0].n };
}

int range_cost(struct git *g, struct bytes one, struct bytes two)
{
	struct arena a;
	struct lines l;
	size_t total = 0;

	arena_init_under(&a, g->keep);
	lines_diff(g, &a, one, two, LINES_NO_INDENT_HEURISTIC, &l);
	for (size_t i = 0, end; i < l.n; i = end) {
		struct span s;

		end = group_end(&l, i, CONTEXT);
		s = span_of(&l, i, end, CONTEXT);
		total += 1 + (s.to - s.from);
		for (size_t k = i; k < end; k++)
			total += l.change[k].count[1];
	}
	arena_clear(&a);
	return total > INT32_MAX ? INT32_MAX : (int)total;
}

struct painter {
	struct git *g;
	const struct range_opts *o;
	struct buf out;
	struct bytes function; /* of the hunk before */
	size_t searched;
};

static const char *color(const struct painter *p, const char *slot, const char *otherwise)
{
	if (!p->o->diff.use_color)
		return "";
	return color_of(p->g, git_format(p->g->a, "color.diff.%s", slot), otherwise);
}

static const char *reset(const struct painter *p)
{
	return p->o->diff.use_color ? COLOR_RESET : "";
}

/* A file's name or a hunk's head in a patch: what stands above lines that follow. */
static bool heads_section(struct bytes line, struct bytes *out)
{
	line = bytes_trim_end(line);
	if (bytes_starts(line, BYTES(" ## ")) && bytes_ends(line, BYTES(" ##")) && line.len >= 7)
		*out = bytes_slice(line, 4, line.len - 3);
	else if (bytes_starts(line, BYTES("@@ ")))
		*out = bytes_slice(line, 3, line.len);
	else if (line.len > 3 && memcmp(line.ptr + 1, "@@ ", 3) == 0)
		*out = bytes_slice(line, 4, line.len);
	else
		return false;
	return true;
}

static void put_hunk_head(struct painter *p, const struct lines *l, size_t from)
{
	for (size_t i = from; i > p->searched; i--)
		if (heads_section(l->file[0].line[i - 1], &p->function))
			break;
	p->searched = from;
	buf_printf(&p->out, "    %s%s@@%s",
		   p->o->one_color || !p->o->diff.use_color ? "" : "\033[7m",
		   color(p, "frag", "\033[36m"), reset(p));
	if (p->function.len != 0) {
		struct bytes f = p->function;

		f.len = f.len > FUNCTION_MOST ? FUNCTION_MOST : f.len;
		buf_printf(&p->out, " %s%s%.*s%s", reset(p), color(p, "func", ""), (int)f.len,
			   f.ptr, reset(p));
	}
	buf_putc(&p->out, '\n');
}

/* The colour of a line of a patch by how it begins, and which version has it. */
static const char *inner_color(const struct painter *p, char sign, struct bytes line)
{
	char first = line.len != 0 ? line.ptr[0] : ' ';
	size_t at = first == ' ' && sign == ' ' && line.len > 1 ? 1 : 0;

	if (line.len > at && line.ptr[at] == '@')
		return color(p, "frag", "\033[36m");
	if (sign == ' ')
		return first == '+'   ? color(p, "new", "\033[32m")
		       : first == '-' ? color(p, "old", "\033[31m")
				      : color(p, "context", "");
	if (sign == '-')
		return first == '+'   ? color(p, "newdimmed", "\033[2;32m")
		       : first == '-' ? color(p, "olddimmed", "\033[2;31m")
				      : color(p, "contextdimmed", "\033[2m");
	return first == '+'   ? color(p, "newbold", "\033[1;32m")
	       : first == '-' ? color(p, "oldbold", "\033[1;31m")
			      : color(p, "contextbold", "\033[1m");
}

static void put_line(struct painter *p, char sign, struct bytes line)
{
	const char *given = p->o->diff.indicators;
	char shown = sign == '+' ? given[0] : sign == '-' ? given[1] : given[2];
	const char *end = reset(p);

	line = line.len != 0 && line.ptr[line.len - 1] == '\n' ? bytes_slice(line, 0, line.len - 1)
							       : line;
	shown = shown != 0 ? shown : sign;
	buf_puts(&p->out, "    ");
	if (!p->o->diff.use_color) {
		buf_putc(&p->out, shown);
		buf_add(&p->out, line);
	} else if (!p->o->one_color && sign == ' ') {
		buf_printf(&p->out, "%s%c", inner_color(p, sign, line), shown);
		buf_add(&p->out, line);
	} else if (!p->o->one_color) {
		buf_printf(&p->out, "\033[7m%s%c%s%s",
			   sign == '+' ? color(p, "new", "\033[32m") : color(p, "old", "\033[31m"),
			   shown, end, inner_color(p, sign, line));
		buf_add(&p->out, line);
	} else if (sign == '+') {
		const char *with = color(p, "new", "\033[32m");

		buf_printf(&p->out, "%s%c%s", with, shown, end);
		buf_printf(&p->out, "%s%.*s", line.len != 0 ? with : "", (int)line.len, line.ptr);
		end = line.len != 0 ? end : "";
	} else {
		buf_printf(&p->out, "%s%c",
			   sign == '-' ? color(p, "old", "\033[31m") : color(p, "context", ""),
			   shown);
		buf_add(&p->out, line);
	}
	buf_puts(&p->out, end);
	buf_putc(&p->out, '\n');
}

static void put_group(struct painter *p, const struct lines *l, size_t i, size_t end, struct span s)
{
	size_t at = s.from;

	put_hunk_head(p, l, s.from);
	for (; i < end; i++) {
		const struct lines_change *ch = &l->change[i];

		for (; at < ch->from[0]; at++)
			put_line(p, ' ', l->file[0].line[at]);
		for (; at < ch->from[0] + ch->count[0]; at++)
			put_line(p, '-', l->file[0].line[at]);
		for (size_t k = 0; k < ch->count[1]; k++)
			put_line(p, '+', l->file[1].line[ch->from[1] + k]);
	}
	for (; at < s.to; at++)
		put_line(p, ' ', l->file[0].line[at]);
}

void range_put_patch(struct git *g, const struct range_opts *o, struct bytes one, struct bytes two)
{
	struct painter p = { .g = g, .o = o, .out = buf_in(g->a) };
	size_t context = (size_t)(o->diff.context < 0 ? 0 : o->diff.context);
	struct lines l;

	lines_diff(g, g->a, one, two, o->diff.lines, &l);
	for (size_t i = 0, end; i < l.n; i = end) {
		end = group_end(&l, i, context);
		put_group(&p, &l, i, end, span_of(&l, i, end, context));
		cmd_charge(g->c, 8);
	}
	cmd_bytes(g->c, buf_bytes(&p.out));
}
