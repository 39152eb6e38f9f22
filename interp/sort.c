/* SPDX-License-Identifier: MIT
 *
 * Sorting of pointers (see base/sort.h).
 */
#include "base/sort.h"
#include "interp/var.h"

struct pointers {
	int (*cmp)(const void *, const void *);
};

static int compare_pointers(void *arg, const void *a, const void *b)
{
	const struct pointers *p = arg;

	return p->cmp(*(void *const *)a, *(void *const *)b);
}

void sort_pointers(struct arena *scratch, void **v, size_t n,
		   int (*cmp)(const void *a, const void *b))
{
	struct arena_mark mark = arena_mark(scratch);
	struct pointers p = { cmp };

	sort_stable(v, n, sizeof *v, arena_alloc(scratch, n * sizeof *v), compare_pointers, &p);
	arena_release(scratch, mark);
}
