/* SPDX-License-Identifier: MIT
 *
 * Counted memory: heaps, arenas and pools (see heap.h for who owns what).
 */
#include "base/heap.h"
#include "base/guard.h"

/* --- heap --- */

static void count(struct heap *h, size_t bytes)
{
	h->used += bytes;
	if (h->used > h->peak)
		h->peak = h->used;
}

static bool refused(struct heap *h, size_t bytes)
{
	if (h->fail_at != 0 && --h->fail_at == 0)
		return true;
	return h->limit != 0 && (bytes > h->limit || h->used > h->limit - bytes);
}

bool heap_count(struct heap *h, size_t bytes)
{
	if (refused(h, bytes))
		return false;
	count(h, bytes);
	return true;
}

void heap_uncount(struct heap *h, size_t bytes)
{
	h->used -= bytes;
}

void *heap_alloc(struct heap *h, size_t size)
{
	size_t bytes = store_rounded(size);
	void *block;

	if (refused(h, bytes))
		return NULL;
	block = store_alloc(h->store, size);
	if (block != NULL)
		count(h, bytes);
	return block;
}

void *heap_zalloc(struct heap *h, size_t size)
{
	void *block = heap_alloc(h, size);

	if (block != NULL)
		memset(block, 0, size);
	return block;
}

void heap_free(struct heap *h, void *block, size_t size)
{
	if (block == NULL)
		return;
	store_free(h->store, block, size);
	h->used -= store_rounded(size);
}

void *heap_pages(struct heap *h, size_t npages)
{
	size_t bytes = npages * PAGE_BYTES;
	void *run;

	if (npages > SIZE_MAX / PAGE_BYTES || refused(h, bytes))
		return NULL;
	run = store_pages(h->store, npages);
	if (run != NULL)
		count(h, bytes);
	return run;
}

void heap_pages_free(struct heap *h, void *run, size_t npages)
{
	if (run == NULL)
		return;
	store_pages_free(h->store, run, npages);
	h->used -= npages * PAGE_BYTES;
}

/* --- arena --- */

struct arena_chunk {
	struct arena_chunk *prev;
	size_t size;    /* of the whole block, this head included; CHUNK_MARKED may be added */
	char *prev_ptr; /* the owner's ptr and end when this chunk became the newest */
	char *prev_end;
};

enum {
	CHUNK_HEAD = (sizeof(struct arena_chunk) + 15) / 16 * 16,
	CHUNK_FIRST = 1920, /* eight to a slab of the store */
	CHUNK_MAX = 65536
};

/* Of a chunk's size: a mark may refer to it, and it goes only by release. */
#define CHUNK_MARKED (~(SIZE_MAX >> 1))

static size_t chunk_size(const struct arena_chunk *c)
{
	return c->size & ~CHUNK_MARKED;
}

void arena_init(struct arena *a, struct heap *heap, struct arena_fail fail)
{
	*a = (struct arena){ .heap = heap, .fail = fail };
}

void arena_init_under(struct arena *a, struct arena *parent)
{
	arena_init(a, parent->heap, parent->fail);
	a->work = parent->work;
	a->parent = parent;
}

static void link_sub(struct arena *a)
{
	struct arena *parent = a->parent;

	a->next_sub = parent->subs;
	if (a->next_sub != NULL)
		a->next_sub->sub_link = &a->next_sub;
	a->sub_link = &parent->subs;
	parent->subs = a;
}

static void unlink_sub(struct arena *a)
{
	*a->sub_link = a->next_sub;
	if (a->next_sub != NULL)
		a->next_sub->sub_link = a->sub_link;
	a->sub_link = NULL;
}

static void hold(struct arena *a, size_t bytes)
{
	for (; a != NULL; a = a->parent) {
		a->held += bytes;
		if (a->held > a->peak)
			a->peak = a->held;
	}
}

static void let_go(struct arena *a, size_t bytes)
{
	for (; a != NULL; a = a->parent)
		a->held -= bytes;
}

static void drop_newest(struct arena *a)
{
	struct arena_chunk *c = a->chunk;

	a->chunk = c->prev;
	a->ptr = c->prev_ptr;
	a->end = c->prev_end;
	let_go(a, chunk_size(c));
	heap_free(a->heap, c, chunk_size(c));
	if (a->chunk == NULL && a->sub_link != NULL)
		unlink_sub(a);
}

void arena_clear(struct arena *a)
{
	while (a->subs != NULL)
		arena_clear(a->subs); /* takes itself out of the list */
	while (a->chunk != NULL)
		drop_newest(a);
}

/* Half as much as there is: little is left over in the last one, which every idle shell has. */
static size_t next_chunk_size(const struct arena *a)
{
	size_t size = a->held / 2;

	if (size < CHUNK_FIRST)
		return CHUNK_FIRST;
	return size > CHUNK_MAX ? CHUNK_MAX : store_rounded(size);
}

/* A new chunk; a block that is large for it gets one of its own size. */
void *arena_slow(struct arena *a, size_t size)
{
	size_t want = next_chunk_size(a);
	size_t need = ((size + 15) & ~(size_t)15) + CHUNK_HEAD;
	struct arena_chunk *c = NULL;

	if (size <= SIZE_MAX - 16 - CHUNK_HEAD) {
		if (GUARDED)
			want = need = size + CHUNK_HEAD;
		else if (need > want)
			want = need;
		c = heap_alloc(a->heap, want);
	}
	if (c == NULL) {
		a->fail.fn(a->fail.arg);
		__builtin_trap();
	}
	if (a->parent != NULL && a->sub_link == NULL)
		link_sub(a);
	hold(a, want);
	*c = (struct arena_chunk){ a->chunk, want, a->ptr, a->end };
	a->chunk = c;
	a->ptr = (char *)c + need;
	a->end = (char *)c + want;
	return (char *)c + CHUNK_HEAD;
}

void *arena_zalloc(struct arena *a, size_t size)
{
	return memset(arena_alloc(a, size), 0, size);
}

void *arena_array(struct arena *a, size_t count_, size_t size)
{
	size_t bytes = 0;

	if (__builtin_mul_overflow(count_, size, &bytes))
		bytes = SIZE_MAX;
	return arena_zalloc(a, bytes);
}

void *arena_grow(struct arena *a, void *old, size_t old_size, size_t size)
{
	size_t old_need = (old_size + 15) & ~(size_t)15;
	size_t need = (size + 15) & ~(size_t)15;
	struct arena_chunk *c = a->chunk;
	void *block;

	if (!GUARDED && old != NULL && (char *)old + old_need == a->ptr && need >= size &&
	    need <= (size_t)(a->end - (char *)old)) {
		a->ptr = (char *)old + need;
		return old;
	}
	block = arena_alloc(a, size);
	if (old_size != 0)
		memcpy(block, old, old_size < size ? old_size : size);
	/* The old block had a chunk to itself, right below the new one: give it back now. */
	if (c != NULL && a->chunk != c && a->chunk->prev == c && (char *)c + CHUNK_HEAD == old &&
	    (GUARDED || c->size > CHUNK_MAX) && (c->size & CHUNK_MARKED) == 0 &&
	    (GUARDED || a->chunk->prev_ptr == (char *)old + old_need)) {
		a->chunk->prev = c->prev;
		a->chunk->prev_ptr = c->prev_ptr;
		a->chunk->prev_end = c->prev_end;
		let_go(a, c->size);
		heap_free(a->heap, c, c->size);
	}
	return block;
}

void *arena_room(struct arena *a, void *list, size_t n, size_t item)
{
	size_t bytes = SIZE_MAX; /* the arena refuses it */

	if ((n & (n - 1)) != 0)
		return list;
	if (n <= SIZE_MAX / 2 / item)
		bytes = (n == 0 ? 1 : 2 * n) * item;
	return arena_grow(a, list, n * item, bytes);
}

char *arena_dup(struct arena *a, struct bytes s)
{
	char *copy = arena_alloc(a, s.len + 1);

	if (s.len != 0)
		memcpy(copy, s.ptr, s.len);
	copy[s.len] = '\0';
	return copy;
}

struct bytes arena_bytes(struct arena *a, struct bytes s)
{
	return (struct bytes){ arena_dup(a, s), s.len };
}

size_t arena_size(const struct arena *a)
{
	return a->held;
}

struct arena_mark arena_mark(struct arena *a)
{
	if (a->chunk != NULL)
		a->chunk->size |= CHUNK_MARKED;
	return (struct arena_mark){ a->chunk, a->ptr };
}

void arena_release(struct arena *a, struct arena_mark mark)
{
	while (a->chunk != mark.chunk)
		drop_newest(a);
	a->ptr = mark.ptr;
}

/* --- pool --- */

enum { POOL_STEP = 16, POOL_SMALL_MAX = POOL_CLASSES * POOL_STEP };

/* A block too large for the classes: linked, so that clearing the pool finds it. */
struct pool_big {
	struct pool_big *next;
	struct pool_big *prev;
	size_t size; /* of the whole block */
	size_t pad;
};

static size_t class_of(size_t size)
{
	return size == 0 ? 0 : (size - 1) / POOL_STEP;
}

void pool_init(struct pool *p, struct heap *heap, struct arena_fail fail)
{
	memset(p, 0, sizeof *p);
	arena_init(&p->chunks, heap, fail);
}

void pool_clear(struct pool *p)
{
	struct heap *heap = p->chunks.heap;

	for (struct pool_big *b = p->big, *next; b != NULL; b = next) {
		next = b->next;
		let_go(&p->chunks, b->size);
		heap_free(heap, b, b->size);
	}
	p->big = NULL;
	memset(p->free, 0, sizeof p->free);
	arena_clear(&p->chunks);
}

static void *alloc_big(struct pool *p, size_t size)
{
	struct pool_big *b = NULL;

	if (size <= SIZE_MAX - sizeof *b)
		b = heap_alloc(p->chunks.heap, size + sizeof *b);
	if (b == NULL) {
		p->chunks.fail.fn(p->chunks.fail.arg);
		__builtin_trap();
	}
	hold(&p->chunks, size + sizeof *b);
	*b = (struct pool_big){ p->big, NULL, size + sizeof *b, 0 };
	if (p->big != NULL)
		p->big->prev = b;
	p->big = b;
	return b + 1;
}

static void free_big(struct pool *p, void *block)
{
	struct pool_big *b = (struct pool_big *)block - 1;

	if (b->prev != NULL)
		b->prev->next = b->next;
	else
		p->big = b->next;
	if (b->next != NULL)
		b->next->prev = b->prev;
	let_go(&p->chunks, b->size);
	heap_free(p->chunks.heap, b, b->size);
}

void *pool_alloc(struct pool *p, size_t size)
{
	size_t class = class_of(size);
	void *block;

	if (GUARDED || size > POOL_SMALL_MAX)
		return alloc_big(p, size);
	block = p->free[class];
	if (block == NULL)
		return arena_alloc(&p->chunks, (class + 1) * POOL_STEP);
	memcpy(&p->free[class], block, sizeof(void *));
	return block;
}

void *pool_zalloc(struct pool *p, size_t size)
{
	return memset(pool_alloc(p, size), 0, size);
}

void pool_free(struct pool *p, void *block, size_t size)
{
	if (block == NULL)
		return;
	if (GUARDED || size > POOL_SMALL_MAX) {
		free_big(p, block);
		return;
	}
	memcpy(block, &p->free[class_of(size)], sizeof(void *));
	p->free[class_of(size)] = block;
}

void *pool_resize(struct pool *p, void *block, size_t old_size, size_t size)
{
	void *fresh;

	if (!GUARDED && block != NULL && old_size <= POOL_SMALL_MAX && size <= POOL_SMALL_MAX &&
	    class_of(old_size) == class_of(size))
		return block;
	fresh = pool_alloc(p, size);
	if (block != NULL) {
		memcpy(fresh, block, old_size < size ? old_size : size);
		pool_free(p, block, old_size);
	}
	return fresh;
}

char *pool_dup(struct pool *p, struct bytes s)
{
	char *copy = pool_alloc(p, s.len + 1);

	if (s.len != 0)
		memcpy(copy, s.ptr, s.len);
	copy[s.len] = '\0';
	return copy;
}

size_t pool_size(const struct pool *p)
{
	return arena_size(&p->chunks);
}

size_t pool_peak(const struct pool *p)
{
	return p->chunks.peak;
}
