/* SPDX-License-Identifier: MIT
 *
 * Pages of HTML as a tree, and the tree as Markdown.
 *
 *   parse.c      text into nodes; what is left open or nested wrongly is put right
 *   entity.c     &amp; and its kin
 *   markdown.c   nodes into Markdown
 *   command.c    html-to-markdown
 */
#ifndef BUILTINS_HTML_HTML_H
#define BUILTINS_HTML_HTML_H

#include "builtins/builtin.h"

enum { HTML_DEPTH_MAX = 100 }; /* elements nested deeper become siblings */

struct html_attr {
	struct bytes name; /* in small letters */
	struct bytes value;
	struct html_attr *next;
};

struct html_node {
	struct bytes name; /* of an element, in small letters; empty: a text */
	struct bytes text;
	struct html_attr *attrs;
	struct html_node *parent;
	struct html_node *first;
	struct html_node *last;
	struct html_node *next;
	struct html_node *prev;
	int depth;
	int64_t items; /* of a list: how many are behind */
};

/* The tree of a page, below a node without a name. All in the command's arena. */
struct html_node *html_parse(struct cmd *c, struct bytes text);
/* Appends text with its entities resolved. */
void html_put_text(struct buf *out, struct bytes text);
/* The value of an attribute; ptr NULL if it is not there. */
struct bytes html_attribute(const struct html_node *n, const char *name);

static inline bool html_is(const struct html_node *n, const char *name)
{
	return bytes_is(n->name, name);
}
/* Whether the name is one of a list, with a blank around each. */
bool html_in(struct bytes name, const char *list);

struct markdown_opts {
	const char *bullet;
	const char *fence;
	const char *rule;
	bool setext; /* headings are underlined */
};

/* Appends the page. */
void html_to_markdown(struct cmd *c, const struct markdown_opts *o, struct html_node *root,
		      struct buf *out);

#endif
