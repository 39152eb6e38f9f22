/* SPDX-License-Identifier: MIT
 *
 * Arithmetic from words: $x and its like are compiled as operands, where their text could be
 * nothing else than a number.
 */
#include "base/buf.h"
#include "interp/arith_code.h"
#include "interp/ast.h"

/* $x ${x} $1 $# $? and the like: no subscript, no operator. */
static bool is_simple(const struct part *part)
{
	const struct param *p = part->param;

	return part->kind == PART_PARAM && p->op == OP_NONE && !p->indirect &&
	       p->subscript == SUB_NONE &&
	       (p->kind != PARAM_SPECIAL || p->special == '#' || p->special == '?' ||
		p->special == '$' || p->special == '!');
}

static bool joins(char c)
{
	return byte_is_name((unsigned char)c) || c == '#' || c == '@';
}

/* Whether what is before and behind the hole leaves it a token of its own. */
static bool stands_alone(struct bytes text, const struct arith_hole *h)
{
	size_t end = h->at + h->len;

	if (h->at != 0 && (joins(text.ptr[h->at - 1]) || text.ptr[h->at - 1] == '\1'))
		return false;
	return end >= text.len || !(joins(text.ptr[end]) || text.ptr[end] == '\1' ||
				    text.ptr[end] == '[' || text.ptr[end] == '.');
}

struct arith *arith_compile_word(struct arena *arena, const struct word *word)
{
	struct buf b = buf_in(arena);
	struct arith_hole *holes = arena_array(arena, (size_t)word->nparts + 1, sizeof *holes);
	uint32_t n = 0;
	struct bytes text;

	for (int i = 0; i < word->nparts; i++) {
		const struct part *part = &word->parts[i];

		if (part->kind == PART_TEXT) {
			struct bytes piece = b.len == 0 ? arith_trim(part->text) : part->text;

			if (memchr(piece.ptr, '\1', piece.len) != NULL)
				return NULL;
			buf_add(&b, piece);
			continue;
		}
		if (!is_simple(part))
			return NULL;
		holes[n++] = (struct arith_hole){ .at = b.len,
						  .len = 1,
						  .param = part->param,
						  .after_minus = b.len != 0 &&
								 b.ptr[b.len - 1] == '-' };
		buf_putc(&b, '\1');
	}
	text = buf_bytes(&b);
	if (n == 0)
		return arith_compile(arena, text, false);
	for (uint32_t i = 0; i < n; i++)
		if (!stands_alone(text, &holes[i]))
			return NULL;
	return arith_compile_holes(arena, text, holes, n);
}
