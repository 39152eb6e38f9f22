/* SPDX-License-Identifier: MIT
 *
 * Sorting of pointers: a bottom-up merge sort that begins with short insertion sorts, and
 * notices what is sorted already (directory entries mostly are).
 */
#include "interp/var.h"

enum { RUN = 8 };

static void sort_run(void **v, size_t n, int (*cmp)(const void *, const void *))
{
	for (size_t i = 1; i < n; i++) {
		void *item = v[i];
		size_t k = i;

		for (; k > 0 && cmp(v[k - 1], item) > 0; k--)
			v[k] = v[k - 1];
		v[k] = item;
	}
}

static void merge(void **v, size_t left, size_t n, void **spare,
		  int (*cmp)(const void *, const void *))
{
	size_t a = 0;
	size_t b = left;

	if (cmp(v[left - 1], v[left]) <= 0)
		return;
	memcpy(spare, v, left * sizeof *v);
	for (size_t to = 0; a < left; to++)
		v[to] = b < n && cmp(spare[a], v[b]) > 0 ? v[b++] : spare[a++];
}

void sort_pointers(struct arena *scratch, void **v, size_t n,
		   int (*cmp)(const void *a, const void *b))
{
	struct arena_mark mark = arena_mark(scratch);
	void **spare;

	for (size_t i = 0; i < n; i += RUN)
		sort_run(v + i, n - i < RUN ? n - i : RUN, cmp);
	if (n <= RUN)
		return;
	spare = arena_alloc(scratch, n * sizeof *v);
	for (size_t width = RUN; width < n; width *= 2) {
		for (size_t i = 0; i + width < n; i += 2 * width)
			merge(v + i, width, n - i < 2 * width ? n - i : 2 * width, spare, cmp);
	}
	arena_release(scratch, mark);
}
