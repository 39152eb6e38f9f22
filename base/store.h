/* SPDX-License-Identifier: MIT
 *
 * The store: all memory of the library, as pages and small blocks cut from regions that
 * the host gave.
 *
 *   region   [ run | run | free run | slab | ...            | never touched ]
 *   slab     4 pages, aligned to their size: a header, then equal blocks of one class
 *
 * Sessions of one store may run on different threads: every call takes the store's spin
 * lock. Sizes are passed back when memory is freed, so blocks carry no headers.
 */
#ifndef BASE_STORE_H
#define BASE_STORE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PAGE_BYTES 4096u

enum { STORE_REGIONS_MAX = 64, STORE_CLASSES = 48, STORE_BINS = 40 };

struct store_slab;
struct store_run;

struct store_region {
	char *base;     /* page aligned */
	uint32_t pages; /* usable pages */
	uint32_t top;   /* pages from here on were never handed out */
	uint32_t *tag;  /* one per page: see store.c */
};

struct store {
	atomic_flag lock;
	uint32_t nregions;
	struct store_region region[STORE_REGIONS_MAX];
	struct store_run *bin[STORE_BINS];       /* free runs by log2 of their pages */
	struct store_slab *slab[STORE_CLASSES];  /* slabs with a free block, by class */
	void *(*grow)(void *user, size_t bytes); /* asks the host for a region, or NULL */
	void *grow_user;
	size_t pages_used; /* handed out, slabs included */
	/* Tests: the fail_at-th allocation from now on fails, and all after it if fail_on. */
	uint64_t fail_at;
	bool fail_on;
};

/*
 * Prepares a store. region may be NULL when grow is given; grow(user, bytes) returns memory
 * of at least that many bytes that stays valid as long as the store, or NULL. 0 or -E_NOMEM.
 */
int store_init(struct store *s, void *region, size_t bytes, void *(*grow)(void *, size_t),
	       void *user);

/* A run of pages, aligned, contents undefined. NULL when there is no memory. */
void *store_pages(struct store *s, size_t npages);
void store_pages_free(struct store *s, void *run, size_t npages);

/* A block aligned to 16, contents undefined; NULL when there is no memory. size 0 counts as 1. */
void *store_alloc(struct store *s, size_t size);
/* size must be what was asked for. NULL is allowed. */
void store_free(struct store *s, void *block, size_t size);

/* What store_alloc(size) really takes: sizes are rounded up to their class or to pages. */
size_t store_rounded(size_t size);

#endif
