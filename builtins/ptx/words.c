/* SPDX-License-Identifier: MIT
 *
 * ptx: lists of words, sorted by their bytes or, with -f, by those of their upper case.
 */
#include "base/sort.h"
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

static int compare_words(void *arg, const void *a, const void *b)
{
	struct ptx *x = arg;

	cmd_charge(x->c, 1);
	return compare(x, (*(struct ptx_occurrence *const *)a)->key,
		       (*(struct ptx_occurrence *const *)b)->key);
}

/* Equal words keep their order, which is that of the input. */
void ptx_sort_words(struct ptx *x, struct ptx_words *w)
{
	void *spare = arena_array(x->c->arena, w->n, sizeof(struct ptx_occurrence *));

	sort_stable(w->list, w->n, sizeof *w->list, spare, compare_words, x);
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
