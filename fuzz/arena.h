/* SPDX-License-Identifier: MIT
 *
 * What fuzz targets that call base/ directly share: an arena in a region that is always the same,
 * and a place to go on when it is full.
 */
#ifndef FUZZ_ARENA_H
#define FUZZ_ARENA_H

#include "base/buf.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static jmp_buf fuzz_full;

static inline void fuzz_no_memory(void *arg)
{
	(void)arg;
	longjmp(fuzz_full, 1);
}

static const struct arena_fail fuzz_fail = { fuzz_no_memory, NULL };

/* The heap of one input, empty: at most 64 MiB. */
static inline struct heap *fuzz_heap(void)
{
	enum { REGION_BYTES = 64 << 20 };
	static struct store store;
	static struct heap heap;
	static void *region;

	if (region == NULL)
		region = malloc(REGION_BYTES);
	if (region == NULL || store_init(&store, region, REGION_BYTES, NULL, NULL) != 0)
		abort();
	heap = (struct heap){ .store = &store };
	return &heap;
}

/* Calls work with an empty arena; it may be left by the lack of memory. */
static inline int fuzz_in_arena(void (*work)(struct arena *a, const uint8_t *data, size_t size),
				const uint8_t *data, size_t size)
{
	struct arena a;

	arena_init(&a, fuzz_heap(), fuzz_fail);
	if (setjmp(fuzz_full) == 0)
		work(&a, data, size);
	arena_clear(&a);
	return 0;
}

static inline void require(bool holds)
{
	if (!holds)
		abort();
}

#endif
