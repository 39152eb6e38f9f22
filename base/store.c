/* SPDX-License-Identifier: MIT
 *
 * The store: page runs by segregated fits with boundary tags, small blocks from slabs.
 *
 * tag[page] is written at the first and last page of every run: its length, and whether it
 * is free. Neighbours of a freed run are found through them and merged. Tags live at the
 * head of their region; those past `top` were never touched, like the pages they describe.
 * Sources: Knuth, TAOCP vol. 1, 2.5 (boundary tags); Bonwick, "The Slab Allocator".
 */
#include "base/store.h"

#include <string.h>

#include "base/err.h"
#include "base/guard.h"

enum { SLAB_PAGES = 4, SLAB_BYTES = SLAB_PAGES * PAGE_BYTES, SMALL_MAX = 4096 };
#define TAG_FREE 0x80000000u

struct store_run {
	struct store_run *next;
	struct store_run *prev;
	uint32_t pages;
	uint32_t region;
};

struct store_slab {
	struct store_slab *next;
	struct store_slab *prev;
	void *free;
	uint32_t used;
	uint32_t class;
	uint32_t fresh;  /* offset of the space not yet cut into blocks */
	uint32_t pad[7]; /* blocks begin on a cache line */
};

static void lock(struct store *s)
{
	while (atomic_flag_test_and_set_explicit(&s->lock, memory_order_acquire))
		;
}

static void unlock(struct store *s)
{
	atomic_flag_clear_explicit(&s->lock, memory_order_release);
}

/* --- page runs --- */

static int add_region(struct store *s, void *memory, size_t bytes)
{
	uintptr_t start = ((uintptr_t)memory + SLAB_BYTES - 1) & ~(uintptr_t)(SLAB_BYTES - 1);
	uintptr_t end = (uintptr_t)memory + bytes;
	struct store_region *r = &s->region[s->nregions];
	size_t pages;
	size_t tag_pages;

	if (memory == NULL || s->nregions == STORE_REGIONS_MAX || end < start + 2 * SLAB_BYTES)
		return -E_NOMEM;
	pages = (end - start) / PAGE_BYTES;
	if (pages >= TAG_FREE)
		pages = TAG_FREE - 1;
	tag_pages = (pages * sizeof(uint32_t) + SLAB_BYTES - 1) / SLAB_BYTES * SLAB_PAGES;
	if (tag_pages >= pages)
		return -E_NOMEM;
	r->tag = (uint32_t *)start;
	r->base = (char *)start + tag_pages * PAGE_BYTES;
	r->pages = (uint32_t)(pages - tag_pages);
	r->top = 0;
	s->nregions++;
	return 0;
}

int store_init(struct store *s, void *region, size_t bytes, void *(*grow)(void *, size_t),
	       void *user)
{
	memset(s, 0, sizeof *s);
	atomic_flag_clear(&s->lock);
	s->grow = grow;
	s->grow_user = user;
	if (region == NULL)
		return grow != NULL ? 0 : -E_NOMEM;
	return add_region(s, region, bytes);
}

static unsigned bin_of(uint32_t pages)
{
	return 31u - (unsigned)__builtin_clz(pages);
}

static void tag_run(struct store_region *r, uint32_t page, uint32_t pages, uint32_t flag)
{
	r->tag[page] = pages | flag;
	r->tag[page + pages - 1] = pages | flag;
}

static void bin_insert(struct store *s, uint32_t region, uint32_t page, uint32_t pages)
{
	struct store_region *r = &s->region[region];
	struct store_run *run = (struct store_run *)(void *)(r->base + (size_t)page * PAGE_BYTES);
	struct store_run **head = &s->bin[bin_of(pages)];

	tag_run(r, page, pages, TAG_FREE);
	guard_open(run, sizeof *run);
	*run = (struct store_run){ *head, NULL, pages, region };
	if (*head != NULL)
		(*head)->prev = run;
	*head = run;
}

static void bin_remove(struct store *s, struct store_run *run)
{
	if (run->prev != NULL)
		run->prev->next = run->next;
	else
		s->bin[bin_of(run->pages)] = run->next;
	if (run->next != NULL)
		run->next->prev = run->prev;
}

/* The first run that is large enough: some tries in its own bin, any from the bins above. */
static struct store_run *find_run(struct store *s, uint32_t pages)
{
	unsigned bin = bin_of(pages);
	struct store_run *run = s->bin[bin];

	for (int tries = 0; run != NULL && tries < 16; tries++, run = run->next)
		if (run->pages >= pages)
			return run;
	for (bin++; bin < 32; bin++)
		if (s->bin[bin] != NULL)
			return s->bin[bin];
	return NULL;
}

static char *take_fresh(struct store *s, uint32_t pages, uint32_t align)
{
	for (uint32_t i = 0; i < s->nregions; i++) {
		struct store_region *r = &s->region[i];
		uint32_t page = (r->top + align - 1) / align * align;

		if (page > r->pages || r->pages - page < pages)
			continue;
		if (page != r->top)
			bin_insert(s, i, r->top, page - r->top);
		r->top = page + pages;
		tag_run(r, page, pages, 0);
		return r->base + (size_t)page * PAGE_BYTES;
	}
	return NULL;
}

static char *take_run(struct store *s, uint32_t pages)
{
	struct store_run *run = find_run(s, pages);
	struct store_region *r;
	uint32_t page;
	uint32_t rest;
	uint32_t region;

	if (run == NULL)
		return NULL;
	bin_remove(s, run);
	region = run->region;
	r = &s->region[region];
	rest = run->pages - pages;
	page = (uint32_t)((size_t)((char *)run - r->base) / PAGE_BYTES);
	if (rest != 0)
		bin_insert(s, region, page + pages, rest);
	tag_run(r, page, pages, 0);
	return (char *)run;
}

/* Asks for as much as there is already, so that few regions are needed; then for what is due. */
static bool grow_store(struct store *s, uint32_t pages)
{
	size_t due = ((size_t)pages + pages / 512 + 16) * PAGE_BYTES;
	size_t wanted = (size_t)4 << 20;
	void *region;

	if (s->grow == NULL || s->nregions == STORE_REGIONS_MAX)
		return false;
	for (uint32_t i = 0; i < s->nregions; i++)
		wanted += (size_t)s->region[i].pages * PAGE_BYTES;
	if (wanted < due)
		wanted = due;
	region = s->grow(s->grow_user, wanted);
	if (region == NULL && wanted > due)
		region = s->grow(s->grow_user, wanted = due);
	return add_region(s, region, wanted) == 0;
}

static char *pages_locked(struct store *s, uint32_t pages, uint32_t align)
{
	char *run = align == 1 ? take_run(s, pages) : NULL;

	if (run == NULL)
		run = take_fresh(s, pages, align);
	if (run == NULL && align != 1) {
		/* No untouched space: an aligned run lies within a free one that is larger. */
		char *wide = take_run(s, pages + align - 1);

		if (wide != NULL) {
			uintptr_t at = ((uintptr_t)wide + SLAB_BYTES - 1) &
				       ~(uintptr_t)(SLAB_BYTES - 1);
			uint32_t before = (uint32_t)((at - (uintptr_t)wide) / PAGE_BYTES);

			for (uint32_t i = 0; i < s->nregions; i++) {
				struct store_region *r = &s->region[i];
				size_t page = ((uintptr_t)wide - (uintptr_t)r->base) / PAGE_BYTES;

				if ((uintptr_t)wide < (uintptr_t)r->base || page >= r->top)
					continue;
				if (before != 0)
					bin_insert(s, i, (uint32_t)page, before);
				tag_run(r, (uint32_t)page + before, pages, 0);
				if (align - 1 - before != 0)
					bin_insert(s, i, (uint32_t)page + before + pages,
						   align - 1 - before);
				break;
			}
			run = (char *)at;
		}
	}
	if (run == NULL && grow_store(s, pages + align))
		run = take_fresh(s, pages, align);
	if (run != NULL)
		s->pages_used += pages;
	return run;
}

static bool made_to_fail(struct store *s)
{
	if (s->fail_at == 0 || --s->fail_at != 0)
		return false;
	s->fail_at = s->fail_on ? 1 : 0;
	return true;
}

void *store_pages(struct store *s, size_t npages)
{
	char *run;

	if (npages == 0 || npages >= TAG_FREE / 2 || made_to_fail(s))
		return NULL;
	lock(s);
	run = pages_locked(s, (uint32_t)npages, 1);
	if (GUARDED && run != NULL)
		guard_open(run, npages * PAGE_BYTES);
	unlock(s);
	return run;
}

static void free_locked(struct store *s, char *run, uint32_t pages)
{
	uint32_t i = 0;
	struct store_region *r;
	uint32_t page;

	while ((uintptr_t)run < (uintptr_t)s->region[i].base ||
	       (uintptr_t)run >=
		       (uintptr_t)s->region[i].base + (size_t)s->region[i].pages * PAGE_BYTES)
		i++;
	r = &s->region[i];
	page = (uint32_t)((size_t)(run - r->base) / PAGE_BYTES);
	s->pages_used -= pages;
	if (page > 0 && (r->tag[page - 1] & TAG_FREE) != 0) {
		uint32_t before = r->tag[page - 1] & ~TAG_FREE;

		page -= before;
		pages += before;
		bin_remove(s, (struct store_run *)(void *)(r->base + (size_t)page * PAGE_BYTES));
	}
	if (page + pages < r->top && (r->tag[page + pages] & TAG_FREE) != 0) {
		bin_remove(s, (struct store_run *)(void *)(r->base +
							   (size_t)(page + pages) * PAGE_BYTES));
		pages += r->tag[page + pages] & ~TAG_FREE;
	}
	if (page + pages == r->top)
		r->top = page;
	else
		bin_insert(s, i, page, pages);
}

void store_pages_free(struct store *s, void *run, size_t npages)
{
	lock(s);
	if (GUARDED)
		guard_close(run, npages * PAGE_BYTES);
	free_locked(s, run, (uint32_t)npages);
	unlock(s);
}

/* --- small blocks --- */

/* Classes: every 16 bytes to 256, then eight to a doubling up to SMALL_MAX. */
static unsigned class_of(size_t size)
{
	unsigned shift;

	if (size <= 256)
		return size == 0 ? 0 : (unsigned)((size - 1) / 16);
	shift = 63u - (unsigned)__builtin_clzll(size - 1) - 3;
	return 16 + (shift - 5) * 8 + (unsigned)(((size - 1) >> shift) - 8);
}

static size_t class_bytes(unsigned class)
{
	if (class < 16)
		return (class + 1) * 16u;
	class -= 16;
	return (size_t)(9 + class % 8) << (class / 8 + 5);
}

size_t store_rounded(size_t size)
{
	if (size <= SMALL_MAX)
		return class_bytes(class_of(size));
	if (size > SIZE_MAX - PAGE_BYTES)
		return size;
	return (size + PAGE_BYTES - 1) & ~(size_t)(PAGE_BYTES - 1);
}

static void slab_link(struct store *s, struct store_slab *slab)
{
	struct store_slab **head = &s->slab[slab->class];

	slab->prev = NULL;
	slab->next = *head;
	if (*head != NULL)
		(*head)->prev = slab;
	*head = slab;
}

static void slab_unlink(struct store *s, struct store_slab *slab)
{
	if (slab->prev != NULL)
		slab->prev->next = slab->next;
	else
		s->slab[slab->class] = slab->next;
	if (slab->next != NULL)
		slab->next->prev = slab->prev;
}

static struct store_slab *slab_new(struct store *s, unsigned class)
{
	struct store_slab *slab = (void *)pages_locked(s, SLAB_PAGES, SLAB_PAGES);

	if (slab == NULL)
		return NULL;
	*slab = (struct store_slab){ .class = class, .fresh = sizeof *slab };
	slab_link(s, slab);
	return slab;
}

static void *take_block(struct store *s, unsigned class)
{
	size_t bytes = class_bytes(class);
	struct store_slab *slab = s->slab[class];
	void *block;

	if (slab == NULL && (slab = slab_new(s, class)) == NULL)
		return NULL;
	block = slab->free;
	if (block != NULL) {
		memcpy(&slab->free, block, sizeof(void *));
	} else {
		block = (char *)slab + slab->fresh;
		slab->fresh += (uint32_t)bytes;
	}
	slab->used++;
	if (slab->free == NULL && slab->fresh + bytes > SLAB_BYTES)
		slab_unlink(s, slab); /* full: found again through its blocks */
	return block;
}

void *store_alloc(struct store *s, size_t size)
{
	void *block;

	if (GUARDED)
		return size > SIZE_MAX / 16 || made_to_fail(s) ? NULL : guard_alloc(size);
	if (size > SMALL_MAX) {
		if (size > SIZE_MAX - PAGE_BYTES)
			return NULL;
		return store_pages(s, (size + PAGE_BYTES - 1) / PAGE_BYTES);
	}
	if (made_to_fail(s))
		return NULL;
	lock(s);
	block = take_block(s, class_of(size));
	unlock(s);
	return block;
}

void store_free(struct store *s, void *block, size_t size)
{
	struct store_slab *slab = (void *)((uintptr_t)block & ~(uintptr_t)(SLAB_BYTES - 1));
	size_t bytes;
	bool was_full;

	if (block == NULL)
		return;
	if (GUARDED) {
		guard_free(block);
		return;
	}
	if (size > SMALL_MAX) {
		store_pages_free(s, block, (size + PAGE_BYTES - 1) / PAGE_BYTES);
		return;
	}
	lock(s);
	bytes = class_bytes(slab->class);
	was_full = slab->free == NULL && slab->fresh + bytes > SLAB_BYTES;
	memcpy(block, &slab->free, sizeof(void *));
	slab->free = block;
	slab->used--;
	if (was_full)
		slab_link(s, slab);
	/* The last slab of a class is kept, so that one block freed and taken again costs nothing.
	 */
	if (slab->used == 0 && (slab->next != NULL || slab->prev != NULL)) {
		slab_unlink(s, slab);
		free_locked(s, (char *)slab, SLAB_PAGES);
	}
	unlock(s);
}
