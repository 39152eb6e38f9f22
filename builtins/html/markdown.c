/* SPDX-License-Identifier: MIT
 *
 * Nodes into Markdown, as Turndown makes it (fenced code, "-" for lists, _em_, **strong**), and
 * tables and ~~strikethrough~~ as GitHub has them.
 *
 * White space is collapsed first, as a browser shows it. Then each element gives a piece of text;
 * pieces are joined so that there are as many newlines between them as the larger side asks for,
 * two at most.
 */
#include "builtins/html/html.h"
#include "base/number.h"

struct writer {
	struct cmd *c;
	const struct markdown_opts *o;
};

static const char blocks[] =
	"address article aside audio blockquote body canvas center dd dir div dl dt fieldset "
	"figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 header hgroup hr html isindex li "
	"main menu nav noframes noscript ol output p pre section table tbody td tfoot th thead tr "
	"ul";
static const char voids[] = "area base br col embed hr img input link meta source track wbr";
static const char dropped[] = "script style template link meta head";

static bool is_block(const struct html_node *n)
{
	return html_in(n->name, blocks);
}

static bool is_text(const struct html_node *n)
{
	return n->name.len == 0 && n->parent != NULL;
}

/* --- white space as it is shown --- */

struct collapser {
	struct cmd *c;
	struct html_node *before; /* the text before this place in the same line */
	bool keep_leading;
};

static bool is_shown_space(char ch)
{
	return ch == ' ' || ch == '\n' || ch == '\t' || ch == '\r';
}

static void trim_last(struct html_node *text)
{
	if (text != NULL && text->text.len > 0 && text->text.ptr[text->text.len - 1] == ' ')
		text->text.len--;
}

static void collapse_text(struct collapser *k, struct html_node *n)
{
	struct bytes before = k->before != NULL ? k->before->text : BYTES("");
	struct buf out = buf_in(k->c->arena);
	bool blank = !k->keep_leading && (before.len == 0 || before.ptr[before.len - 1] == ' ');

	for (size_t i = 0; i < n->text.len; i++) {
		bool space = is_shown_space(n->text.ptr[i]);

		if (!space || !blank)
			buf_putc(&out, space ? ' ' : n->text.ptr[i]);
		blank = space;
	}
	cmd_charge_bytes(k->c, n->text.len);
	n->text = buf_bytes(&out);
	if (out.len > 0)
		k->before = n;
}

/* Seen before an element's content and behind it. */
static void collapse_edge(struct collapser *k, const struct html_node *n)
{
	if (is_block(n) || html_is(n, "br")) {
		trim_last(k->before);
		k->before = NULL;
		k->keep_leading = false;
	} else if (html_in(n->name, voids)) {
		k->before = NULL;
		k->keep_leading = true;
	} else if (k->before != NULL) {
		k->keep_leading = false;
	}
}

static void collapse(struct collapser *k, struct html_node *parent)
{
	for (struct html_node *n = parent->first; n != NULL; n = n->next) {
		cmd_charge(k->c, 1);
		if (is_text(n)) {
			collapse_text(k, n);
			continue;
		}
		if (html_in(n->name, dropped))
			continue;
		collapse_edge(k, n);
		if (!html_is(n, "pre"))
			collapse(k, n);
		if (n->first != NULL)
			collapse_edge(k, n);
	}
}

/* --- helpers --- */

static void put_content(struct cmd *c, struct buf *out, const struct html_node *n,
			const char *line_break)
{
	cmd_charge(c, 1);
	if (is_text(n))
		buf_add(out, n->text);
	else if (html_is(n, "br"))
		buf_puts(out, line_break);
	for (const struct html_node *k = n->first; k != NULL; k = k->next)
		put_content(c, out, k, line_break);
}

/* All text in it, and what is there for br. */
static struct bytes content_of(struct writer *w, const struct html_node *n, const char *line_break)
{
	struct buf text = buf_in(w->c->arena);

	put_content(w->c, &text, n, line_break);
	cmd_charge_bytes(w->c, text.len);
	return buf_bytes(&text);
}

static struct bytes trim(struct bytes s, const char *what)
{
	while (s.len > 0 && s.ptr[0] != '\0' && strchr(what, s.ptr[0]) != NULL)
		s = bytes_slice(s, 1, s.len);
	while (s.len > 0 && s.ptr[s.len - 1] != '\0' && strchr(what, s.ptr[s.len - 1]) != NULL)
		s.len--;
	return s;
}

/* An element without text and without anything that shows by itself. */
static bool is_blank(struct cmd *c, const struct html_node *n)
{
	static const char meaningful[] =
		"a table thead tbody tfoot th td iframe script audio video";

	cmd_charge(c, 1);
	if (is_text(n))
		return trim(n->text, " \t\r\n").len == 0;
	if (html_in(n->name, voids) || html_in(n->name, meaningful))
		return false;
	for (const struct html_node *k = n->first; k != NULL; k = k->next)
		if (!is_blank(c, k))
			return false;
	return true;
}

static bool in_code(const struct html_node *n)
{
	for (; n != NULL; n = n->parent)
		if (html_is(n, "code"))
			return true;
	return false;
}

/* Appends text with a number of newlines between, as both sides ask for. */
static void join(struct buf *out, struct bytes more)
{
	size_t before = 0;
	size_t after = 0;

	while (before < out->len && out->ptr[out->len - 1 - before] == '\n')
		before++;
	while (after < more.len && more.ptr[after] == '\n')
		after++;
	size_t newlines = before > after ? before : after;

	out->len -= before;
	buf_fill(out, '\n', newlines > 2 ? 2 : newlines);
	buf_add(out, bytes_slice(more, after, more.len));
}

/* Text with a prefix at each line but the first. */
static void put_indented(struct buf *out, struct bytes text, struct bytes prefix)
{
	for (size_t i = 0; i < text.len; i++) {
		buf_putc(out, text.ptr[i]);
		if (text.ptr[i] == '\n')
			buf_add(out, prefix);
	}
}

/* --- text --- */

static size_t run_of(struct bytes s, char ch)
{
	size_t n = 0;

	while (n < s.len && s.ptr[n] == ch)
		n++;
	return n;
}

/* What would begin something else if it stood at the beginning of a line. */
static void put_escaped_start(struct buf *out, struct bytes *s)
{
	size_t digits = 0;
	size_t marks = run_of(*s, '#');

	while (digits < s->len && byte_is_digit((unsigned char)s->ptr[digits]))
		digits++;
	if (digits > 0 && bytes_starts(bytes_slice(*s, digits, s->len), BYTES(". "))) {
		buf_add(out, bytes_slice(*s, 0, digits));
		buf_putc(out, '\\');
		*s = bytes_slice(*s, digits, s->len);
		return;
	}
	bool special = (s->len > 0 && strchr("-=>", s->ptr[0]) != NULL && s->ptr[0] != '\0') ||
		       bytes_starts(*s, BYTES("+ ")) || bytes_starts(*s, BYTES("~~~")) ||
		       (marks > 0 && marks <= 6 && marks < s->len && s->ptr[marks] == ' ');

	if (special)
		buf_putc(out, '\\');
}

static void put_escaped(struct buf *out, struct bytes s)
{
	put_escaped_start(out, &s);
	for (size_t i = 0; i < s.len; i++) {
		if (s.ptr[i] != '\0' && strchr("\\*`[]_", s.ptr[i]) != NULL)
			buf_putc(out, '\\');
		buf_putc(out, s.ptr[i]);
	}
}

/* --- elements --- */

static struct bytes render(struct writer *w, struct html_node *parent);

static void put_heading(struct writer *w, struct buf *out, const struct html_node *n,
			struct bytes content)
{
	int level = n->name.ptr[1] - '0';

	buf_puts(out, "\n\n");
	if (w->o->setext && level < 3) {
		buf_add(out, content);
		buf_putc(out, '\n');
		buf_fill(out, level == 1 ? '=' : '-', utf8_count(content));
	} else {
		buf_fill(out, '#', (size_t)level);
		buf_putc(out, ' ');
		buf_add(out, content);
	}
	buf_puts(out, "\n\n");
}

static void put_quote(struct buf *out, struct bytes content)
{
	buf_puts(out, "\n\n> ");
	put_indented(out, trim(content, "\n"), BYTES("> "));
	buf_puts(out, "\n\n");
}

static bool has_element_behind(const struct html_node *n)
{
	for (n = n->next; n != NULL; n = n->next)
		if (n->name.len > 0)
			return true;
	return false;
}

static bool has_sibling(const struct html_node *n)
{
	for (n = n->next; n != NULL; n = n->next)
		if (n->name.len > 0 || n->text.len > 0)
			return true;
	return false;
}

static void put_list(struct buf *out, const struct html_node *n, struct bytes content)
{
	bool inner = html_is(n->parent, "li") && !has_element_behind(n);

	buf_puts(out, inner ? "\n" : "\n\n");
	buf_add(out, content);
	if (!inner)
		buf_puts(out, "\n\n");
}

/* The number of the next item of an ordered list. */
static int64_t next_number(struct html_node *list)
{
	struct bytes start = html_attribute(list, "start");
	int64_t number = 1;

	if (start.ptr != NULL && (!number_is_i64(start, &number) || number > INT32_MAX))
		number = 1;
	return number + list->items++;
}

static void put_item(struct writer *w, struct buf *out, struct html_node *n, struct bytes content)
{
	size_t from = out->len;
	struct buf blanks = buf_in(w->c->arena);
	size_t newlines = 0;

	if (html_is(n->parent, "ol"))
		buf_printf(out, "%lld.  ", (long long)next_number(n->parent));
	else
		buf_printf(out, "%s   ", w->o->bullet);
	buf_fill(&blanks, ' ', out->len - from);
	content = bytes_slice(content, run_of(content, '\n'), content.len);
	while (newlines < content.len && content.ptr[content.len - 1 - newlines] == '\n')
		newlines++;
	content.len -= newlines > 1 ? newlines - 1 : 0;
	put_indented(out, content, buf_bytes(&blanks));
	if (has_sibling(n) && !(out->len > 0 && out->ptr[out->len - 1] == '\n'))
		buf_putc(out, '\n');
}

static void put_rest_of_class(struct buf *out, struct bytes class)
{
	const char *hit = bytes_find(class, BYTES("language-"));

	if (hit == NULL)
		return;
	for (hit += 9; hit < class.ptr + class.len && !byte_is_space((unsigned char)*hit); hit++)
		buf_putc(out, *hit);
}

/* The fence must be longer than any at the beginning of a line inside. */
static size_t fence_length(struct bytes code, char mark)
{
	size_t longest = 2;

	for (size_t i = 0; i < code.len; i++) {
		if (i > 0 && code.ptr[i - 1] != '\n')
			continue;
		size_t n = run_of(bytes_slice(code, i, code.len), mark);

		longest = n > longest ? n : longest;
	}
	return longest + 1;
}

static void put_fenced(struct writer *w, struct buf *out, const struct html_node *pre)
{
	const struct html_node *inner = pre->first;
	bool has_code = inner != NULL && html_is(inner, "code");
	struct bytes code = content_of(w, has_code ? inner : pre, "\n");
	char mark = w->o->fence[0];
	size_t length = fence_length(code, mark);

	buf_puts(out, "\n\n");
	buf_fill(out, mark, length);
	put_rest_of_class(out, html_attribute(has_code ? inner : pre, "class"));
	buf_putc(out, '\n');
	if (code.len > 0 && code.ptr[code.len - 1] == '\n')
		code.len--;
	buf_add(out, code);
	buf_putc(out, '\n');
	buf_fill(out, mark, length);
	buf_puts(out, "\n\n");
}

/* Backquotes around text: as many as nowhere stand together inside. */
static void put_code(struct buf *out, struct bytes code)
{
	uint64_t runs = 0; /* a bit for each length that there is */
	size_t ticks = 1;
	bool pad = code.len > 0 && (code.ptr[0] == '`' || code.ptr[code.len - 1] == '`');

	if (code.len == 0)
		return;
	for (size_t i = 0; i < code.len; i++) {
		size_t n = run_of(bytes_slice(code, i, code.len), '`');

		runs |= n < 64 ? (uint64_t)1 << n : 0;
		i += n > 0 ? n - 1 : 0;
	}
	while (ticks < 64 && (runs >> ticks & 1) != 0)
		ticks++;
	buf_fill(out, '`', ticks);
	buf_puts(out, pad ? " " : "");
	for (size_t i = 0; i < code.len; i++)
		buf_putc(out, code.ptr[i] == '\n' ? ' ' : code.ptr[i]);
	buf_puts(out, pad ? " " : "");
	buf_fill(out, '`', ticks);
}

/* (URL "title") of links and images. */
static void put_target(struct buf *out, struct bytes url, struct bytes title)
{
	bool angle = bytes_find(url, BYTES(" ")) != NULL;

	buf_puts(out, angle ? "(<" : "(");
	for (size_t i = 0; i < url.len; i++) {
		if (!angle && (url.ptr[i] == '(' || url.ptr[i] == ')'))
			buf_putc(out, '\\');
		buf_putc(out, url.ptr[i]);
	}
	buf_puts(out, angle ? ">" : "");
	if (title.len > 0) {
		buf_puts(out, " \"");
		for (size_t i = 0; i < title.len; i++) {
			if (title.ptr[i] == '"')
				buf_putc(out, '\\');
			buf_putc(out, title.ptr[i]);
		}
		buf_putc(out, '"');
	}
	buf_putc(out, ')');
}

static void put_around(struct buf *out, const char *mark, struct bytes content)
{
	if (trim(content, " \t\r\n").len == 0)
		return;
	buf_puts(out, mark);
	buf_add(out, content);
	buf_puts(out, mark);
}

/* --- tables --- */

static void put_row(struct writer *w, struct buf *out, struct html_node *row)
{
	for (struct html_node *n = row->first; n != NULL; n = n->next) {
		if (!html_in(n->name, "td th"))
			continue;
		struct bytes cell = trim(render(w, n), " \t\r\n");

		buf_puts(out, "| ");
		for (size_t i = 0; i < cell.len; i++) {
			if (cell.ptr[i] == '|')
				buf_putc(out, '\\');
			buf_putc(out, cell.ptr[i] == '\n' ? ' ' : cell.ptr[i]);
		}
		buf_putc(out, ' ');
	}
	buf_puts(out, "|\n");
}

static void put_rulers(struct buf *out, const struct html_node *row)
{
	for (const struct html_node *n = row->first; n != NULL; n = n->next) {
		struct bytes align = html_attribute(n, "align");

		if (!html_in(n->name, "td th"))
			continue;
		buf_puts(out, bytes_is(align, "center")  ? "| :---: "
			      : bytes_is(align, "right") ? "| ---: "
			      : bytes_is(align, "left")  ? "| :--- "
							 : "| --- ");
	}
	buf_puts(out, "|\n");
}

/* The rows below n; the first of all is the heading. */
static void put_rows(struct writer *w, struct buf *out, struct html_node *n, bool *headed)
{
	for (struct html_node *k = n->first; k != NULL; k = k->next) {
		if (html_is(k, "tr")) {
			put_row(w, out, k);
			if (!*headed)
				put_rulers(out, k);
			*headed = true;
		} else if (html_in(k->name, "thead tbody tfoot")) {
			put_rows(w, out, k, headed);
		}
	}
}

static void put_table(struct writer *w, struct buf *out, struct html_node *n)
{
	bool headed = false;

	buf_puts(out, "\n\n");
	for (struct html_node *k = n->first; k != NULL; k = k->next)
		if (html_is(k, "caption")) {
			buf_add(out, trim(render(w, k), "\n"));
			buf_puts(out, "\n\n");
		}
	put_rows(w, out, n, &headed);
	buf_puts(out, "\n");
}

/* --- all of them --- */

static void put_inline(struct buf *out, const struct html_node *n, struct bytes content)
{
	struct bytes url = html_attribute(n, html_is(n, "img") ? "src" : "href");

	if (html_in(n->name, "em i"))
		put_around(out, "_", content);
	else if (html_in(n->name, "strong b"))
		put_around(out, "**", content);
	else if (html_in(n->name, "del s strike"))
		put_around(out, "~~", content);
	else if (html_is(n, "code"))
		put_code(out, content);
	else if (html_is(n, "br"))
		buf_puts(out, "  \n");
	else if (html_is(n, "img")) {
		struct bytes alt = html_attribute(n, "alt");

		if (url.len == 0)
			return;
		buf_puts(out, "![");
		buf_add(out, alt.ptr != NULL ? alt : BYTES(""));
		buf_putc(out, ']');
		put_target(out, url, html_attribute(n, "title"));
	} else if (html_is(n, "a") && url.len > 0) {
		buf_putc(out, '[');
		buf_add(out, content);
		buf_putc(out, ']');
		put_target(out, url, html_attribute(n, "title"));
	} else if (html_is(n, "input")) {
		bool box = bytes_is(html_attribute(n, "type"), "checkbox");

		if (box && html_is(n->parent, "li"))
			buf_puts(out, html_attribute(n, "checked").ptr != NULL ? "[x]" : "[ ]");
	} else {
		buf_add(out, content);
	}
}

static void put_block(struct writer *w, struct buf *out, struct html_node *n)
{
	struct bytes content;

	if (html_is(n, "pre")) {
		put_fenced(w, out, n);
		return;
	}
	if (html_is(n, "table")) {
		put_table(w, out, n);
		return;
	}
	content = render(w, n);
	if (n->name.len == 2 && n->name.ptr[0] == 'h' && n->name.ptr[1] >= '1' &&
	    n->name.ptr[1] <= '6')
		put_heading(w, out, n, content);
	else if (html_is(n, "blockquote"))
		put_quote(out, content);
	else if (html_in(n->name, "ul ol"))
		put_list(out, n, content);
	else if (html_is(n, "li"))
		put_item(w, out, n, content);
	else if (html_is(n, "hr"))
		buf_printf(out, "\n\n%s\n\n", w->o->rule);
	else {
		buf_puts(out, "\n\n");
		buf_add(out, content);
		buf_puts(out, "\n\n");
	}
}

/* An inline element: blanks at the edges of its text stand outside of its marks. */
static void put_flanked(struct writer *w, struct buf *out, struct html_node *n)
{
	struct bytes all = content_of(w, n, "");
	struct bytes content = render(w, n);
	size_t before = 0;
	size_t after = 0;

	while (before < all.len && is_shown_space(all.ptr[before]))
		before++;
	while (before + after < all.len && is_shown_space(all.ptr[all.len - 1 - after]))
		after++;
	buf_add(out, bytes_slice(all, 0, before));
	put_inline(out, n, before + after > 0 ? trim(content, " \t\r\n") : content);
	buf_add(out, bytes_slice(all, all.len - after, all.len));
}

static struct bytes render(struct writer *w, struct html_node *parent)
{
	struct buf out = buf_in(w->c->arena);

	for (struct html_node *n = parent->first; n != NULL; n = n->next) {
		struct buf piece = buf_in(w->c->arena);

		cmd_charge(w->c, 1);
		if (is_text(n) && in_code(n->parent))
			buf_add(&piece, n->text);
		else if (is_text(n))
			put_escaped(&piece, n->text);
		else if (html_in(n->name, dropped))
			continue;
		else if (is_block(n) && is_blank(w->c, n)) {
			buf_puts(&piece, "\n\n");
			parent->items += html_is(n, "li");
		} else if (is_block(n))
			put_block(w, &piece, n);
		else if (html_in(n->name, voids))
			put_inline(&piece, n, BYTES(""));
		else
			put_flanked(w, &piece, n);
		join(&out, buf_bytes(&piece));
	}
	return buf_bytes(&out);
}

void html_to_markdown(struct cmd *c, const struct markdown_opts *o, struct html_node *root,
		      struct buf *out)
{
	struct collapser k = { .c = c };
	struct writer w = { .c = c, .o = o };

	collapse(&k, root);
	trim_last(k.before);
	struct bytes text = render(&w, root);

	while (text.len > 0 && text.ptr[0] != ' ' && is_shown_space(text.ptr[0]))
		text = bytes_slice(text, 1, text.len);
	while (text.len > 0 && is_shown_space(text.ptr[text.len - 1]))
		text.len--;
	buf_add(out, text);
}
