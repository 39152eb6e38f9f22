/* SPDX-License-Identifier: MIT
 *
 * Memory and numbers for tests of base/.
 */
#ifndef TESTS_UNIT_SCRATCH_H
#define TESTS_UNIT_SCRATCH_H

#include <stdlib.h>

#include "base/heap.h"

/* An arena that lives as long as the test. */
static inline struct arena *scratch(void)
{
	static struct store store;
	static struct heap heap = { .store = &store };
	static struct arena arena;

	if (arena.heap == NULL) {
		size_t bytes = (size_t)256 << 20;

		store_init(&store, malloc(bytes), bytes, NULL, NULL);
		arena_init(&arena, &heap, (struct arena_fail){ 0 });
	}
	return &arena;
}

/* Numbers by xorshift (Marsaglia 2003), the same in each run. */
static inline uint64_t rnd(void)
{
	static uint64_t seed = 88172645463325252u;

	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

#endif
