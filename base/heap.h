/* SPDX-License-Identifier: MIT
 *
 * Counted memory: a heap is one session's account at a store; an arena is memory that dies
 * as a whole; a pool is an arena whose blocks can also be freed one by one.
 *
 * Owners, as seen in a function's first parameter:
 *   struct heap *    the session; may fail, the caller checks for NULL
 *   struct arena *   a process, a parse, a scratch: never returns NULL. When memory runs out
 *                    it calls the owner's `fail`, which does not return (the kernel stops
 *                    the process), so commands contain no out-of-memory handling.
 *   struct pool *    as an arena, for what lives long in a process and is replaced
 */
#ifndef BASE_HEAP_H
#define BASE_HEAP_H

#include "base/bytes.h"
#include "base/store.h"

struct heap {
	struct store *store;
	size_t used;  /* bytes, as rounded by the store */
	size_t limit; /* 0: none */
	size_t peak;
	uint64_t fail_at; /* tests: this many allocations from now fail once; 0: off */
};

/* So many bytes or things are to be allocated: on 32-bit processors, where a cast would cut the
 * number, a size that nobody has. A few can be added to it. */
static inline size_t heap_size(uint64_t n)
{
	return n < SIZE_MAX / 2 ? (size_t)n : SIZE_MAX / 2;
}
void *heap_alloc(struct heap *h, size_t size);
void *heap_zalloc(struct heap *h, size_t size);
void heap_free(struct heap *h, void *block, size_t size);
/* Whole pages, aligned: stacks, file pages, pipe rings. */
void *heap_pages(struct heap *h, size_t npages);
void heap_pages_free(struct heap *h, void *run, size_t npages);

/* Memory of the store that others hold, too: false, if it would exceed the limit. */
bool heap_count(struct heap *h, size_t bytes);
void heap_uncount(struct heap *h, size_t bytes);

/* What a full arena does: must not return. */
struct arena_fail {
	void (*fn)(void *arg);
	void *arg;
};

/* Told of long work that is done with an arena's memory; may not return. */
struct arena_work {
	void (*fn)(void *arg, uint64_t steps);
	void *arg;
};

struct arena_chunk;

struct arena {
	struct heap *heap;
	struct arena_chunk *chunk; /* newest; each links to the one before */
	char *ptr;                 /* free space in the newest chunk */
	char *end;
	struct arena_fail fail;
	struct arena_work work; /* fn NULL: nobody counts */
	struct arena *parent;   /* of arena_init_under */
	struct arena *subs;     /* those under this one that have memory */
	struct arena *next_sub;
	struct arena **sub_link;
	size_t held; /* bytes of chunks, those of arenas under it included */
	size_t peak; /* the most that were held */
};

/* Charges whoever the arena belongs to. */
static inline void arena_charge(struct arena *a, uint64_t steps)
{
	if (a->work.fn != NULL)
		a->work.fn(a->work.arg, steps);
}

/* An empty arena takes no memory. */
void arena_init(struct arena *a, struct heap *heap, struct arena_fail fail);
/* An arena that is cleared with its parent at the latest: for memory that comes and goes in a
 * process that may be stopped meanwhile. It may lie on the stack of that process. */
void arena_init_under(struct arena *a, struct arena *parent);
/* Gives everything back; the arena is empty and usable again. */
void arena_clear(struct arena *a);

void *arena_slow(struct arena *a, size_t size);

/* Aligned to 16. Contents undefined. Never NULL; overflow of a size is the caller's to avoid. */
static inline void *arena_alloc(struct arena *a, size_t size)
{
	size_t need = (size + 15) & ~(size_t)15;

	if (need >= size && (size_t)(a->end - a->ptr) >= need) {
		char *block = a->ptr;

		a->ptr += need;
		return block;
	}
	return arena_slow(a, size);
}

void *arena_zalloc(struct arena *a, size_t size);
/* count * size bytes, zeroed; an overflow of the product fails as no memory does. */
void *arena_array(struct arena *a, size_t count, size_t size);
/* Grows a block: in place if it is the newest one, else a copy (the old one is wasted until
 * the release). old may be NULL with old_size 0. */
void *arena_grow(struct arena *a, void *old, size_t old_size, size_t size);
/* A list of n items that grows one by one has room for another: at each power of two it doubles.
 * It must have grown by this alone, from NULL with n 0. */
void *arena_room(struct arena *a, void *list, size_t n, size_t item);
/* A copy with a NUL behind it. */
char *arena_dup(struct arena *a, struct bytes s);
struct bytes arena_bytes(struct arena *a, struct bytes s);

/* Bytes of its chunks and of those under it, whether in use or not. */
size_t arena_size(const struct arena *a);

/* Everything allocated after a mark is freed by its release. Marks nest. */
struct arena_mark {
	struct arena_chunk *chunk;
	char *ptr;
};
struct arena_mark arena_mark(struct arena *a);
void arena_release(struct arena *a, struct arena_mark mark);

enum { POOL_CLASSES = 32 };

struct pool {
	struct arena chunks;      /* small blocks are cut from here */
	void *free[POOL_CLASSES]; /* by class of 16, 32, ... 512 bytes */
	struct pool_big *big;     /* larger blocks, each freed to the heap */
};

void pool_init(struct pool *p, struct heap *heap, struct arena_fail fail);
void pool_clear(struct pool *p);
void *pool_alloc(struct pool *p, size_t size);
void *pool_zalloc(struct pool *p, size_t size);
size_t pool_size(const struct pool *p);
/* The most it ever held. */
size_t pool_peak(const struct pool *p);
/* size as it was asked for; NULL is allowed. */
void pool_free(struct pool *p, void *block, size_t size);
void *pool_resize(struct pool *p, void *block, size_t old_size, size_t size);
/* A copy with a NUL behind it: free with size len + 1. */
char *pool_dup(struct pool *p, struct bytes s);

#endif
