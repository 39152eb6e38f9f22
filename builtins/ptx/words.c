/* SPDX-License-Identifier: MIT
 *
 * ptx: lists of words, sorted by their bytes or, with -f, by those of their upper case.
 */
#include "builtins/ptx/ptx.h"

static int byte_fold(const struct ptx *x, char ch)
{
	return x->o->fold ? byte_to_upper((unsigned char)ch) : (unsigned char)ch;
}

static int compare(struct ptx *x, struct bytes a, struct bytes b)
{
	size_t n = a.len < b.len ? a.len : b.len;
	size_t i = 0;

	while (i < n && byte_fold(x, a.ptr[i]) == byte_fold(x, b.ptr[i]))
		i++;
	cmd_charge_bytes(x->c, i * 8);
	if (i < n)
		return byte_fold(x, a.ptr[i]) - byte_fold(x, b.ptr[i]);
	return (a.len > b.len) - (a.len < b.len);
}

struct ptx_occurrence *ptx_add_word(struct ptx *x, struct ptx_words *w, struct bytes key)
{
	struct ptx_occurrence *one = arena_zalloc(x->c->arena, sizeof(*one));

	if (w->n == w->cap) {
		size_t cap = w->cap != 0 ? w->cap * 2 : 64;

		w->list = arena_grow(x->c->arena, w->list, w->cap * sizeof(struct ptx_occurrence *),
				     cap * sizeof(struct ptx_occurrence *));
		w->cap = cap;
	}
	one->key = key;
	w->list[w->n++] = one;
	return one;
}

/* Equal words keep their order, which is that of the input. */
void ptx_sort_words(struct ptx *x, struct ptx_words *w)
{
	struct ptx_occurrence **from = w->list;
	struct ptx_occurrence **to = arena_array(x->c->arena, w->n + 1, sizeof(*to));

	for (size_t width = 1; width < w->n; width *= 2) {
		for (size_t start = 0; start < w->n; start += 2 * width) {
			size_t mid = start + width < w->n ? start + width : w->n;
			size_t end = mid + width < w->n ? mid + width : w->n;
			size_t i = start;
			size_t k = mid;

			for (size_t at = start; at < end; at++) {
				bool left = i < mid && (k == end || compare(x, from[i]->key,
									    from[k]->key) <= 0);

				to[at] = left ? from[i++] : from[k++];
			}
		}
		struct ptx_occurrence **other = from;

		from = to;
		to = other;
	}
	w->list = from;
}

bool ptx_has_word(struct ptx *x, const struct ptx_words *w, struct bytes key)
{
	size_t from = 0;
	size_t to = w->n;

	while (from < to) {
		size_t mid = from + (to - from) / 2;
		int order = compare(x, key, w->list[mid]->key);

		if (order == 0)
			return true;
		if (order < 0)
			to = mid;
		else
			from = mid + 1;
	}
	return false;
}
