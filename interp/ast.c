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

bool parse_name_ref(struct bytes text, struct bytes *name, struct bytes *sub)
{
	size_t n = 0;

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
	*sub = bytes_slice(text, n + 1, text.len - 1);
	return true;
}
