/* SPDX-License-Identifier: MIT
 *
 * The tree as lines.
 */
#include "builtins/tree/tree.h"

/* --- writing --- */

void tree_size_text(const struct tree *t, struct buf *out, uint64_t size)
{
	uint64_t base = t->o->si ? 1000 : 1024;
	const char *unit = t->o->si ? "\0kMGTPEZY" : "\0KMGTPEZY";

	if (!t->o->human && !t->o->si) {
		buf_printf(out, "%11llu", (unsigned long long)size);
		return;
	}
	if (size < base) {
		buf_printf(out, "%4llu", (unsigned long long)size);
		return;
	}
	for (unit++; size >= base * base; unit++)
		size /= base;
	/* One more digit below 10. To the nearest, halves to even, as printf rounds. */
	uint64_t tenths = size / base < 10 ? 10 : 1;
	uint64_t whole = size * tenths / base;
	uint64_t rest = size * tenths % base;

	whole += rest * 2 > base || (rest * 2 == base && whole % 2 == 1);
	if (tenths == 1)
		buf_printf(out, "%3u%c", (unsigned)whole, *unit);
	else
		buf_printf(out, "%u.%u%c", (unsigned)(whole / 10), (unsigned)(whole % 10), *unit);
}

/* --- names --- */

/* Of a name that is not UTF-8, or in the C locale. */
static void put_byte(struct tree *t, unsigned char ch)
{
	static const char letters[] = "abtnvfr";
	const struct tree_opts *o = t->o;

	if (ch >= '\a' && ch <= '\r')
		cmd_printf(t->c, "\\%c", letters[ch - '\a']);
	else if (ch == '\\' || (ch == '"' && o->quote) || (ch == ' ' && !o->quote))
		cmd_printf(t->c, "\\%c", ch);
	else if (byte_is_print(ch) || (o->question && t->c->utf8 && ch > 0x7f))
		cmd_putc(t->c, (char)ch);
	else if (o->question)
		cmd_putc(t->c, '?');
	else
		cmd_printf(t->c, "\\%03o", ch);
}

static void put_characters(struct tree *t, struct bytes name)
{
	for (size_t at = 0; at < name.len;) {
		uint32_t code = 0;
		size_t n = utf8_decode(name, at, &code);

		if (utf8_is(code, UTF8_PRINT))
			cmd_write(t->c, name.ptr + at, n);
		else if (t->o->question)
			cmd_putc(t->c, '?');
		else
			cmd_printf(t->c, "\\%03o", (unsigned)code);
		at += n;
	}
}

void tree_put_name(struct tree *t, const char *name)
{
	struct bytes s = bytes_of(name);

	if (t->o->raw) {
		cmd_puts(t->c, t->o->quote ? "\"" : "");
		cmd_bytes(t->c, s);
		cmd_puts(t->c, t->o->quote ? "\"" : "");
		return;
	}
	if (t->o->quote)
		cmd_putc(t->c, '"');
	if (t->c->utf8 && utf8_valid(s))
		put_characters(t, s);
	else
		for (size_t i = 0; i < s.len; i++)
			put_byte(t, (unsigned char)s.ptr[i]);
	if (t->o->quote)
		cmd_putc(t->c, '"');
}

const char *tree_details(struct tree *t, const struct tree_node *n)
{
	struct buf out = buf_in(t->c->arena);
	const struct tree_opts *o = t->o;
	struct cmd *c = t->c;
	bool first = true;
	char mode[11];

	if (!o->inodes && !o->devices && !o->modes && !o->users && !o->groups && !o->sizes &&
	    !o->dates)
		return "";
	buf_printf(&out, "[");
#define GAP (first ? first = false, "" : " ")
	if (o->inodes)
		buf_printf(&out, "%s%7llu", GAP, (unsigned long long)n->st.ino);
	if (o->devices)
		buf_printf(&out, "%s%3llu", GAP, (unsigned long long)n->st.dev);
	if (o->modes) {
		mode_text(n->st.mode, mode);
		buf_printf(&out, "%s%s", GAP, mode);
	}
	if (o->users || o->groups) {
		const char *user = cmd_user_name(c, n->st.uid);
		const char *group = cmd_group_name(c, n->st.gid);

		if (o->users)
			buf_printf(&out, "%s%-8s", GAP, user != NULL ? user : "?");
		if (o->groups)
			buf_printf(&out, "%s%-8s", GAP, group != NULL ? group : "?");
	}
	if (o->sizes) {
		buf_printf(&out, "%s", GAP);
		tree_size_text(t, &out, n->size);
	}
	if (o->dates) {
		struct civil when;
		struct buf text = buf_in(c->arena);
		int64_t seconds = n->st.mtime_ns / 1000000000;
		bool recent = cmd_now(c) / 1000000000 - seconds < 15778476;
		const char *format = o->time_format != NULL ? o->time_format
				     : recent               ? "%b %e %H:%M"
							    : "%b %e  %Y";

		time_civil(t->zone, seconds, &when);
		time_format(&text, bytes_of(format), &when, seconds, TIME_LIBC);
		buf_printf(&out, "%s%s", GAP, buf_cstr(&text));
	}
#undef GAP
	buf_printf(&out, "]  ");
	return buf_cstr(&out);
}

static void put_text(struct tree *t, const char *text, const char *color)
{
	if (color != NULL)
		cmd_printf(t->c, "\033[%sm", color);
	tree_put_name(t, text);
	if (color != NULL)
		cmd_puts(t->c, "\033[0m");
}

/* What shows where files hang: in front of all of it, of a file, of the last one, beside those
 * below, and behind. */
struct lines {
	const char *begin;
	const char *branch;
	const char *last;
	const char *trunk;
	const char *end;
};

static const struct lines *lines_of(const struct tree *t)
{
	static const struct lines plain = { "", "├── ", "└── ", "│   ", "" };
	static const struct lines ascii = { "", "|-- ", "`-- ", "|   ", "" };
	static const struct lines latin1 = { "", "|-- ", "&middot;-- ", "|   ", "" };
	static const struct lines ansi = { "(0", "tqq ", "mqq ", "x   ", "(B" };
	static const struct lines cp437 = { "", "\303\304\304 ", "\300\304\304 ", "\263   ", "" };

	return t->o->ansi     ? &ansi
	       : t->o->cp437  ? &cp437
	       : t->o->latin1 ? &latin1
	       : t->o->ascii  ? &ascii
			      : &plain;
}

static void put_class(struct tree *t, uint32_t mode)
{
	static const struct {
		uint32_t type;
		char mark;
	} marks[] = { { S_DIR, '/' }, { S_SOCK, '=' }, { S_FIFO, '|' }, { S_LNK, '@' } };

	for (size_t i = 0; i < 4; i++)
		if ((mode & S_FMT) == marks[i].type)
			cmd_putc(t->c, marks[i].mark);
	if ((mode & S_FMT) == S_REG && (mode & 0111) != 0)
		cmd_putc(t->c, '*');
}

void tree_put_node(struct tree *t, const struct tree_node *n, const char *path)
{
	const char *name = t->o->full_path ? path : n->name;

	if (t->o->html != NULL) {
		tree_put_html(t, n, path);
		return;
	}
	cmd_puts(t->c, tree_details(t, n));
	const struct tree_colors *k = t->colors;
	bool link = n->link && n->target != NULL;

	put_text(t, name,
		 k == NULL ? NULL
		 : link    ? tree_color_link(k, n->target, n->target_mode)
			   : tree_color(k, n->name, n->st.mode));
	if (link) {
		cmd_puts(t->c, " -> ");
		put_text(t, n->target, k != NULL ? tree_color(k, n->target, n->target_mode) : NULL);
	}
	if (t->o->classify)
		put_class(t, n->link ? n->target_mode : n->st.mode);
	if (n->note != NULL)
		cmd_printf(t->c, "  [%s]", n->note);
	cmd_putc(t->c, '\n');
}

static int put_children(void *arg);

void tree_put_children(struct tree *t, const struct tree_node *n, const char *path,
		       const char *lines, size_t level)
{
	struct tree_writing w = { t, n, path, lines, level };
	int (*fn)(void *) = put_children;

	if (cmd_stack_left(t->c) < TREE_STACK_NEEDED)
		cmd_deepen(t->c, TREE_STACK_NEEDED, fn, &w);
	else
		fn(&w);
}

const char *tree_join(struct cmd *c, const char *a, const char *b, const char *d)
{
	struct buf text = buf_in(c->arena);

	buf_printf(&text, "%s%s%s", a, b, d);
	return buf_cstr(&text);
}

static int put_children(void *arg)
{
	struct tree_writing *w = arg;
	struct tree *t = w->t;
	bool slash = bytes_ends(bytes_of(w->path), BYTES("/"));
	bool page = t->o->html != NULL;

	for (size_t i = 0; i < w->n->nchildren; i++) {
		const struct tree_node *n = w->n->child[i];
		bool last = i + 1 == w->n->nchildren;
		struct arena_mark mark = arena_mark(t->c->arena);
		const char *path = tree_join(t->c, w->path, slash ? "" : "/", n->name);
		const struct lines *lines = lines_of(t);
		const char *empty = page && !t->o->ansi ? "&nbsp;&nbsp;&nbsp; " : "    ";
		const char *trunk = last ? empty : lines->trunk;

		if (!t->o->no_indent)
			cmd_printf(t->c, "%s%s%s%s%s", page && !t->o->ansi ? "\t" : "",
				   lines->begin, w->lines, last ? lines->last : lines->branch,
				   lines->end);
		tree_put_node(t, n, path);
		cmd_charge(t->c, 1);
		if (n->is_dir)
			t->dirs++;
		else
			t->files++;
		t->bytes += n->size;
		tree_put_children(t, n, path, tree_join(t->c, w->lines, trunk, ""), w->level + 1);
		arena_release(t->c->arena, mark);
	}
	return 0;
}
