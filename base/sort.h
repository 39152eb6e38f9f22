/* SPDX-License-Identifier: MIT
 *
 * A stable sort: runs put in order by insertion, merged from the bottom up (Knuth, TAOCP vol. 3,
 * 5.2.1 and 5.2.4). It notices what is sorted already: names from directories mostly are.
 */
#ifndef BASE_SORT_H
#define BASE_SORT_H

#include <stddef.h>
#include <string.h>

/* Negative, 0 or positive; charges a step where lists may be long: sorting charges nothing. */
typedef int sort_stable_cmp(void *arg, const void *a, const void *b);

enum { SORT_STABLE_RUN = 8 };

/* Puts n elements of `size` bytes in order by insertion; spare has room for one. */
static inline __attribute__((always_inline)) void
sort_stable_run(char *v, size_t n, size_t size, void *spare, sort_stable_cmp *compare, void *arg)
{
	for (size_t i = 1; i < n; i++) {
		size_t to = i;

		while (to > 0 && compare(arg, v + (to - 1) * size, v + i * size) > 0)
			to--;
		if (to == i)
			continue;
		memcpy(spare, v + i * size, size);
		memmove(v + (to + 1) * size, v + to * size, (i - to) * size);
		memcpy(v + to * size, spare, size);
	}
}

/* Merges v[0..left) and v[left..n), both in order. */
static inline __attribute__((always_inline)) void sort_stable_merge(char *v, size_t left, size_t n,
								    size_t size, char *spare,
								    sort_stable_cmp *compare,
								    void *arg)
{
	char *a = spare;
	char *b = v + left * size;
	char *a_end = spare + left * size;
	char *b_end = v + n * size;

	if (compare(arg, b - size, b) <= 0)
		return;
	memcpy(spare, v, left * size);
	for (; a < a_end; v += size) {
		char **from = b < b_end && compare(arg, a, b) > 0 ? &b : &a;

		memcpy(v, *from, size);
		*from += size;
	}
}

/*
 * Sorts n elements of `size` bytes at base; equal ones keep their order. spare has room for as
 * many. About n log2 n comparisons; if one of them does not return, base holds each element
 * once or twice, and all are in base and spare. Inline, as size and compare are constants of most
 * callers.
 */
static inline __attribute__((always_inline)) void
sort_stable(void *base, size_t n, size_t size, void *spare, sort_stable_cmp *compare, void *arg)
{
	char *v = base;

	for (size_t i = 0; i < n; i += SORT_STABLE_RUN)
		sort_stable_run(v + i * size, n - i < SORT_STABLE_RUN ? n - i : SORT_STABLE_RUN,
				size, spare, compare, arg);
	for (size_t width = SORT_STABLE_RUN; width < n; width *= 2) {
		for (size_t i = 0; i + width < n; i += 2 * width)
			sort_stable_merge(v + i * size, width,
					  n - i < 2 * width ? n - i : 2 * width, size, spare,
					  compare, arg);
	}
}

#endif
