/* SPDX-License-Identifier: MIT
 *
 * awk -o: which comments belong to what. The lexer gathers them, the parser takes them.
 */
#include "builtins/awk/parse.h"

struct comment *awk_take_comments(struct parser *p)
{
	struct comment *c = p->l.comments;

	p->l.comments = NULL;
	return c;
}

struct comment *awk_take_line_end(struct parser *p)
{
	struct comment *c = p->l.comments;

	if (c == NULL || c->own_line)
		return NULL;
	p->l.comments = c->next;
	c->next = NULL;
	return c;
}

struct remarks *awk_remarks_of(struct parser *p, struct node *n)
{
	if (n->remarks == NULL)
		n->remarks = arena_zalloc(p->arena, sizeof *n->remarks);
	return n->remarks;
}

void awk_keep_after(struct parser *p, struct node *n)
{
	if (p->l.comments != NULL && !p->l.comments->own_line &&
	    awk_remarks_of(p, n)->after == NULL)
		n->remarks->after = awk_take_line_end(p);
}

void awk_take_rest(struct parser *p, struct comment **list)
{
	while (*list != NULL)
		list = &(*list)->next;
	*list = awk_take_comments(p);
}
