/* SPDX-License-Identifier: MIT
 *
 * Owners of syntax trees, and names with subscripts given at run time.
 */
#include "interp/ast.h"

struct ast *ast_get(struct ast *a)
{
	if (a != NULL)
		a->refs++;
	return a;
}

void ast_put(struct ast *a)
{
	if (a == NULL || --a->refs != 0)
		return;
	arena_clear(&a->arena);
	heap_free(a->heap, a, sizeof *a);
}

/* Behind the text that begins at text[at], if that is quoted or $( ); else at. */
static size_t skip_quoted(struct bytes text, size_t at)
{
	char c = text.ptr[at];
	size_t depth = 1;

	if (c == '\\')
		return at + 2 < text.len ? at + 2 : text.len;
	if (c == '\'' || c == '"' || c == '`') {
		for (at++; at < text.len && text.ptr[at] != c; at++)
			at += text.ptr[at] == '\\' && c != '\'';
		return at < text.len ? at + 1 : text.len;
	}
	if (c != '$' || at + 1 == text.len || text.ptr[at + 1] != '(')
		return at;
	for (at += 2; at < text.len && depth != 0; at++)
		depth += (size_t)(text.ptr[at] == '(') - (size_t)(text.ptr[at] == ')');
	return depth == 0 ? at : text.len;
}

size_t subscript_close(struct bytes text, size_t at)
{
	size_t depth = 0;

	while (at < text.len) {
		size_t next = skip_quoted(text, at);

		if (next != at) {
			at = next;
			continue;
		}
		if (text.ptr[at] == '[')
			depth++;
		else if (text.ptr[at] == ']' && --depth == 0)
			return at;
		at++;
	}
	return text.len;
}

/* The same for text in which nothing is quoted. */
static size_t plain_close(struct bytes text, size_t at)
{
	size_t depth = 0;

	for (; at < text.len; at++) {
		if (text.ptr[at] == '[')
			depth++;
		else if (text.ptr[at] == ']' && --depth == 0)
			return at;
	}
	return text.len;
}

bool parse_name_ref_as(struct bytes text, enum name_ref_style style, struct bytes *name,
		       struct bytes *sub)
{
	size_t n = 0;
	size_t close;

	*sub = (struct bytes){ NULL, 0 };
	if (text.len == 0 || byte_is_digit(text.ptr[0]))
		return false;
	while (n < text.len && byte_is_name(text.ptr[n]))
		n++;
	*name = bytes_slice(text, 0, n);
	if (n == 0 || n == text.len)
		return n != 0;
	if (text.ptr[n] != '[' || text.len - n < 3 || text.ptr[text.len - 1] != ']')
		return false;
	close = style == NAME_REF_WHOLE   ? text.len - 1
		: style == NAME_REF_PLAIN ? plain_close(text, n)
					  : subscript_close(text, n);
	if (close != text.len - 1)
		return false;
	*sub = bytes_slice(text, n + 1, close);
	return true;
}

bool parse_name_ref(struct bytes text, struct bytes *name, struct bytes *sub)
{
	return parse_name_ref_as(text, NAME_REF_QUOTED, name, sub);
}

const struct node *node_last(const struct node *n)
{
	for (;;) {
		if (n->kind == NODE_LIST) {
			const struct list *l = (const struct list *)n;

			n = l->commands[l->count - 1];
		} else if (n->kind == NODE_AND || n->kind == NODE_OR) {
			n = ((const struct binary *)n)->right;
		} else {
			return n;
		}
	}
}
