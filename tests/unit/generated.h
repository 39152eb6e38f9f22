/* SPDX-License-Identifier: MIT
 *
 * For tests of patterns that are generated: arenas that grow, a seed and how many rounds.
 */
#ifndef TESTS_UNIT_GENERATED_H
#define TESTS_UNIT_GENERATED_H

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/heap.h"

static struct store store;
static struct heap heap = { .store = &store };
static unsigned seed = 1;
static int rounds;

static inline void no_memory(void *arg)
{
	(void)arg;
	printf("out of memory\n");
	exit(2);
}

static inline void *grow(void *user, size_t bytes)
{
	(void)user;
	return aligned_alloc(4096, (bytes + 4095) & ~(size_t)4095);
}

static inline struct arena new_arena(void)
{
	struct arena a;

	arena_init(&a, &heap, (struct arena_fail){ no_memory, NULL });
	return a;
}

static inline unsigned pick(unsigned n)
{
	seed = seed * 1103515245u + 12345u;
	return (seed >> 16) % n;
}

/* The program's arguments are [SEED [ROUNDS]]; the seed is printed. */
static inline void start(int argc, char **argv, int usual_rounds)
{
	if (setlocale(LC_ALL, "C.UTF-8") == NULL || store_init(&store, NULL, 0, grow, NULL) != 0)
		exit(2);
	if (argc > 1)
		seed = (unsigned)atoi(argv[1]);
	rounds = argc > 2 ? atoi(argv[2]) : usual_rounds;
	printf("seed %u\n", seed);
}

#endif
