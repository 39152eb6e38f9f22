/* SPDX-License-Identifier: MIT
 *
 * The tree of a page. Not all of HTML's rules: elements that a tag closes without saying so (p, li,
 * cells, options), those without an end, and raw text are known; wrongly nested ends close what is
 * open inside.
 */
#include "builtins/html/html.h"

struct parser {
	struct cmd *c;
	struct bytes text;
	size_t at;
	struct html_node *open; /* the innermost element */
};

bool html_in(struct bytes name, const char *list)
{
	for (const char *at = list; *at != '\0';) {
		size_t n = strcspn(at, " ");

		if (n == name.len && memcmp(at, name.ptr, n) == 0 && n > 0)
			return true;
		at += n + (at[n] != '\0');
	}
	return false;
}

struct bytes html_attribute(const struct html_node *n, const char *name)
{
	for (const struct html_attr *a = n->attrs; a != NULL; a = a->next)
		if (bytes_is(a->name, name))
			return a->value;
	return (struct bytes){ NULL, 0 };
}

/* --- the tree --- */

static struct html_node *add_node(struct parser *p)
{
	struct html_node *n = arena_zalloc(p->c->arena, sizeof *n);
	struct html_node *parent = p->open;

	n->parent = parent;
	n->depth = parent->depth + 1;
	n->prev = parent->last;
	if (parent->last != NULL)
		parent->last->next = n;
	else
		parent->first = n;
	parent->last = n;
	return n;
}

static void add_text(struct parser *p, struct bytes raw, bool entities)
{
	struct buf text = buf_in(p->c->arena);

	if (raw.len == 0)
		return;
	if (entities)
		html_put_text(&text, raw);
	else
		buf_add(&text, raw);
	add_node(p)->text = buf_bytes(&text);
}

/* Closes the innermost open element that is in the list, unless one of `until` comes first. */
static bool close_one(struct parser *p, const char *list, const char *until)
{
	for (struct html_node *n = p->open; n->parent != NULL; n = n->parent) {
		if (html_in(n->name, list)) {
			p->open = n->parent;
			return true;
		}
		if (html_in(n->name, until))
			return false;
	}
	return false;
}

static const char scope[] = "table td th caption button object";

/* What a start tag closes. */
static void close_implied(struct parser *p, struct bytes name)
{
	static const char blocks[] =
		"address article aside blockquote center details div dl fieldset figcaption figure "
		"footer form h1 h2 h3 h4 h5 h6 header hr main menu nav ol p pre section summary "
		"table ul li dd dt";

	if (html_in(name, "li"))
		close_one(p, "li", "ul ol menu table td th blockquote");
	else if (html_in(name, "dd dt"))
		close_one(p, "dd dt", "dl table td th blockquote");
	else if (html_in(name, "option"))
		close_one(p, "option", "select");
	else if (html_in(name, "tr"))
		close_one(p, "tr caption", "table");
	else if (html_in(name, "td th"))
		close_one(p, "td th", "tr table");
	else if (html_in(name, "a"))
		close_one(p, "a", scope);
	else if (html_in(name, "thead tbody tfoot"))
		close_one(p, "thead tbody tfoot caption", "table");
	if (html_in(name, blocks))
		close_one(p, "p", scope);
}

static void end_tag(struct parser *p, struct bytes name)
{
	for (struct html_node *n = p->open; n->parent != NULL; n = n->parent) {
		if (bytes_eq(n->name, name)) {
			p->open = n->parent;
			return;
		}
		/* What is open outside of a cell is not closed inside it. */
		if (html_in(n->name, "td th") && !html_in(name, "table tr tbody thead tfoot"))
			return;
	}
}

/* --- text --- */

static bool at_end(const struct parser *p)
{
	return p->at >= p->text.len;
}

static void skip_space(struct parser *p)
{
	while (!at_end(p) && byte_is_space((unsigned char)p->text.ptr[p->at]))
		p->at++;
}

/* Up to one of the bytes, or white space, in small letters. */
static struct bytes take_name(struct parser *p, const char *stop)
{
	struct buf name = buf_in(p->c->arena);

	while (!at_end(p)) {
		char ch = p->text.ptr[p->at];

		if (byte_is_space((unsigned char)ch) || (ch != '\0' && strchr(stop, ch) != NULL))
			break;
		buf_putc(&name, (char)byte_to_lower((unsigned char)ch));
		p->at++;
	}
	return buf_bytes(&name);
}

static struct bytes take_value(struct parser *p)
{
	struct buf value = buf_in(p->c->arena);
	size_t from = p->at;
	char quote = at_end(p) ? '\0' : p->text.ptr[p->at];

	if (quote == '"' || quote == '\'') {
		const char *end = memchr(p->text.ptr + p->at + 1, quote, p->text.len - p->at - 1);

		p->at = end != NULL ? (size_t)(end - p->text.ptr) + 1 : p->text.len;
		html_put_text(&value, bytes_slice(p->text, from + 1, p->at - (end != NULL)));
		return buf_bytes(&value);
	}
	while (!at_end(p) && !byte_is_space((unsigned char)p->text.ptr[p->at]) &&
	       p->text.ptr[p->at] != '>')
		p->at++;
	html_put_text(&value, bytes_slice(p->text, from, p->at));
	return buf_bytes(&value);
}

/* Attributes up to the end of the tag. */
static struct html_attr *take_attributes(struct parser *p)
{
	struct html_attr *first = NULL;
	struct html_attr **last = &first;

	for (;;) {
		skip_space(p);
		if (at_end(p))
			return first;
		if (p->text.ptr[p->at] == '>') {
			p->at++;
			return first;
		}
		struct html_attr *a = arena_zalloc(p->c->arena, sizeof *a);

		a->name = take_name(p, "=/>");
		a->value = BYTES("");
		skip_space(p);
		if (!at_end(p) && p->text.ptr[p->at] == '=') {
			p->at++;
			skip_space(p);
			a->value = take_value(p);
		} else if (a->name.len == 0) {
			p->at++; /* a lonely slash */
			continue;
		}
		*last = a;
		last = &a->next;
		cmd_charge(p->c, 1);
	}
}

/* Text up to "</name", as it is: scripts, styles; with entities: titles, text areas. */
static void take_raw(struct parser *p, struct bytes name)
{
	size_t from = p->at;

	while (!at_end(p)) {
		const char *hit = memchr(p->text.ptr + p->at, '<', p->text.len - p->at);

		p->at = hit != NULL ? (size_t)(hit - p->text.ptr) : p->text.len;
		struct bytes rest = bytes_slice(p->text, p->at, p->text.len);
		size_t i = 0;

		if (rest.len > name.len + 2 && rest.ptr[1] == '/')
			while (i < name.len &&
			       byte_to_lower((unsigned char)rest.ptr[i + 2]) == name.ptr[i])
				i++;
		if (i == name.len)
			break;
		p->at += !at_end(p);
	}
	add_text(p, bytes_slice(p->text, from, p->at), html_in(name, "title textarea"));
}

static void start_tag(struct parser *p)
{
	static const char empty[] =
		"area base br col embed hr img input link meta source track wbr";
	struct bytes name = take_name(p, "/>");
	struct html_attr *attrs = take_attributes(p);

	if (html_in(name, "html head body"))
		return;
	close_implied(p, name);
	struct html_node *n = add_node(p);

	n->name = name;
	n->attrs = attrs;
	if (html_in(name, empty) || n->depth >= HTML_DEPTH_MAX)
		return;
	p->open = n;
	if (html_in(name, "script style title textarea xmp iframe noembed noframes"))
		take_raw(p, name);
	else if (html_in(name, "pre listing") && !at_end(p) && p->text.ptr[p->at] == '\n')
		p->at++;
}

/* Behind the text, from the "<" of a comment, a declaration or a closing tag that is none. */
static void skip_comment(struct parser *p)
{
	struct bytes rest = bytes_slice(p->text, p->at, p->text.len);
	bool comment = bytes_starts(rest, BYTES("<!--"));
	const char *end = bytes_find(rest, comment ? BYTES("-->") : BYTES(">"));

	p->at = end == NULL ? p->text.len : (size_t)(end - p->text.ptr) + (comment ? 3 : 1);
}

static void take_tag(struct parser *p)
{
	char next = p->at + 1 < p->text.len ? p->text.ptr[p->at + 1] : '\0';

	if (next == '!' || next == '?') {
		skip_comment(p);
	} else if (next == '/') {
		p->at += 2;
		struct bytes name = take_name(p, ">");

		take_attributes(p);
		end_tag(p, name);
	} else {
		p->at++;
		start_tag(p);
	}
}

struct html_node *html_parse(struct cmd *c, struct bytes text)
{
	struct html_node *root = arena_zalloc(c->arena, sizeof *root);
	struct parser p = { .c = c, .text = text, .open = root };

	while (!at_end(&p)) {
		size_t from = p.at;

		/* A "<" before anything but a letter, "/", "!" or "?" is text. */
		while (!at_end(&p)) {
			const char *hit = memchr(text.ptr + p.at, '<', text.len - p.at);
			char next = '\0';

			p.at = hit != NULL ? (size_t)(hit - text.ptr) : text.len;
			if (p.at + 1 < text.len)
				next = text.ptr[p.at + 1];
			if (byte_is_alpha((unsigned char)next) || next == '!' || next == '?' ||
			    (next == '/' && p.at + 2 < text.len &&
			     byte_is_alpha((unsigned char)text.ptr[p.at + 2])))
				break;
			p.at += !at_end(&p);
		}
		add_text(&p, bytes_slice(text, from, p.at), true);
		cmd_charge_bytes(c, p.at - from);
		if (!at_end(&p))
			take_tag(&p);
	}
	return root;
}
