/* SPDX-License-Identifier: MIT
 *
 * The pages of a space: brought when they are used, and some around them, because a fault costs
 * more than a copy where machines are nested. Pages of files are the filesystem's own, read in
 * place and copied when they are written.
 */
#include "microvm/private.h"

/* --- the table --- */

page_entry *page_slot(struct space *s, uint64_t address, bool make)
{
	uint64_t number = address >> 21;
	struct leaf **bucket = &s->bucket[number % LEAF_BUCKETS];
	struct leaf *l = s->last_leaf;

	if (l == NULL || l->number != number)
		for (l = *bucket; l != NULL && l->number != number; l = l->next)
			;
	if (l == NULL) {
		l = make ? vm_alloc(s->m, sizeof *l) : NULL;
		if (l == NULL)
			return NULL;
		memset(l, 0, sizeof *l);
		l->number = number;
		l->next = *bucket;
		*bucket = l;
	}
	s->last_leaf = l;
	return &l->page[address >> 12 & (LEAF_PAGES - 1)];
}

static void *pointer(page_entry e)
{
	return (void *)(uintptr_t)(e & ~(page_entry)PAGE_BITS);
}

char *page_bytes(page_entry e)
{
	if ((e & PAGE_KIND) == PAGE_FILE)
		return (char *)(uintptr_t)vfs_page_bytes(pointer(e));
	return pointer(e);
}

static page_entry entry(const void *what, unsigned kind)
{
	return (page_entry)(uintptr_t)what | kind;
}

static void drop(struct space *s, page_entry e)
{
	if ((e & PAGE_KIND) == PAGE_FILE) {
		vfs_page_put(s->m->store, pointer(e));
		if ((e & PAGE_KEPT) != 0) {
			heap_uncount(kernel_heap(s->m->k), PAGE_BYTES);
			s->npages--;
		}
	} else if ((e & PAGE_KIND) == PAGE_OWN) {
		heap_pages_free(kernel_heap(s->m->k), pointer(e), 1);
		s->npages--;
	}
}

/* Calls fn for each leaf with addresses of a range. What a range costs is what is in it, not how
 * long it is: a program may have areas of many terabytes. */
typedef void leaf_fn(struct space *s, struct leaf *l, uint64_t start, uint64_t end, void *arg);

static void each_leaf(struct space *s, uint64_t start, uint64_t end, leaf_fn *fn, void *arg)
{
	if ((end - start) >> 21 < LEAF_BUCKETS) {
		for (uint64_t at = start; at < end; at = (at | 0x1fffff) + 1)
			if (page_slot(s, at, false) != NULL)
				fn(s, s->last_leaf, start, end, arg);
		return;
	}
	for (int i = 0; i < LEAF_BUCKETS; i++)
		for (struct leaf *l = s->bucket[i]; l != NULL; l = l->next)
			if (l->number << 21 < end && (l->number + 1) << 21 > start)
				fn(s, l, start, end, arg);
}

static void drop_in_leaf(struct space *s, struct leaf *l, uint64_t start, uint64_t end, void *arg)
{
	uint64_t base = l->number << 21;
	size_t from = start > base ? (size_t)(start - base) >> 12 : 0;
	size_t to = end < base + (1u << 21) ? (size_t)(end - base) >> 12 : LEAF_PAGES;
	bool mapped = false;

	(void)arg;
	for (size_t i = from; i < to; i++)
		mapped |= (l->page[i] & PAGE_MAPPED) != 0;
	if (mapped && s->tables != NULL)
		s->m->backend->unmap(s->m->vm, s->tables, base + from * PAGE_BYTES, to - from);
	for (size_t i = from; i < to; i++) {
		if (l->page[i] != 0)
			drop(s, l->page[i]);
		l->page[i] = 0;
	}
}

void page_drop_range(struct space *s, uint64_t start, uint64_t end)
{
	each_leaf(s, start, end, drop_in_leaf, NULL);
}

void page_drop_file(struct space *s, uint64_t address)
{
	const page_entry *slot = page_slot(s, address, false);

	if (slot != NULL && (*slot & (PAGE_KIND | PAGE_KEPT)) == PAGE_FILE)
		page_drop_range(s, address, address + PAGE_BYTES);
}

static unsigned rights(const struct area *a, page_entry e)
{
	unsigned prot = a->prot;

	if ((e & PAGE_KIND) == PAGE_FILE)
		prot &= ~(unsigned)PROT_WRITE_;
	return prot;
}

/* One call for each run of pages that get the same rights. */
static void protect_run(struct space *s, struct leaf *l, const struct area *a, size_t i, size_t end)
{
	struct microvm *m = s->m;
	uint64_t base = l->number << 21;

	for (size_t run; i < end; i += run) {
		page_entry kind = l->page[i] & (PAGE_KIND | PAGE_MAPPED);

		for (run = 1;
		     i + run < end && (l->page[i + run] & (PAGE_KIND | PAGE_MAPPED)) == kind; run++)
			;
		if ((kind & PAGE_MAPPED) == 0)
			continue;
		if (a->prot != 0) {
			m->backend->protect(m->vm, s->tables, base + i * PAGE_BYTES, run,
					    rights(a, l->page[i]));
			continue;
		}
		m->backend->unmap(m->vm, s->tables, base + i * PAGE_BYTES, run);
		for (size_t k = i; k < i + run; k++)
			l->page[k] &= ~(page_entry)PAGE_MAPPED;
	}
}

static void protect_in_leaf(struct space *s, struct leaf *l, uint64_t start, uint64_t end,
			    void *arg)
{
	uint64_t base = l->number << 21;

	(void)arg;
	start = start > base ? start : base;
	end = end < base + (1u << 21) ? end : base + (1u << 21);
	for (size_t i = space_area_index(s, start); i < s->nareas && s->area[i].start < end; i++) {
		const struct area *a = &s->area[i];
		uint64_t from = a->start > start ? a->start : start;
		uint64_t to = a->end < end ? a->end : end;

		protect_run(s, l, a, (size_t)(from - base) >> 12, (size_t)(to - base) >> 12);
	}
}

void page_protect(struct space *s, uint64_t start, uint64_t end)
{
	each_leaf(s, start, end, protect_in_leaf, NULL);
}

/* --- moving --- */

struct move {
	uint64_t from;
	uint64_t to;
	int error;
};

static void move_from_leaf(struct space *s, struct leaf *l, uint64_t start, uint64_t end, void *arg)
{
	struct microvm *m = s->m;
	struct move *move = arg;
	uint64_t base = l->number << 21;

	for (size_t i = 0; i < LEAF_PAGES && move->error == 0; i++) {
		uint64_t address = base + i * PAGE_BYTES;
		page_entry *slot;

		if (l->page[i] == 0 || address < start || address >= end)
			continue;
		slot = page_slot(s, move->to + (address - move->from), true);
		if (slot == NULL) {
			move->error = -E_NOMEM;
			return;
		}
		if ((l->page[i] & PAGE_MAPPED) != 0)
			m->backend->unmap(m->vm, s->tables, address, 1);
		*slot = l->page[i] & ~(page_entry)PAGE_MAPPED;
		l->page[i] = 0;
	}
}

int page_move_range(struct space *s, uint64_t from, uint64_t to, uint64_t length)
{
	struct move move = { .from = from, .to = to };

	each_leaf(s, from, from + length, move_from_leaf, &move);
	return move.error;
}

/* --- bringing --- */

static void *own_page(struct space *s)
{
	void *page = heap_pages(kernel_heap(s->m->k), 1);

	if (page != NULL)
		s->npages++;
	return page;
}

int page_load(struct space *s, page_entry *slot)
{
	uint64_t index = *slot >> SAVED_SHIFT;
	void *own = own_page(s);
	int64_t r;

	if (own == NULL)
		return -E_NOMEM;
	r = sys_file_read(NULL, s->saved, own, PAGE_BYTES, index * PAGE_BYTES);
	*slot = entry(own, PAGE_OWN);
	if (r == PAGE_BYTES)
		return 0;
	drop(s, *slot);
	*slot = index << SAVED_SHIFT | PAGE_SAVED;
	return r == -E_NOMEM ? -E_NOMEM : -E_NXIO;
}

static uint64_t file_size(struct proc *p, struct file *f)
{
	struct vfs_stat st;

	return sys_file_stat(p, f, &st) == 0 ? st.size : 0;
}

/* How much a page is wanted. */
enum wish { WISH_CHEAP, /* only if it costs little, without waiting */ WISH_READ, WISH_WRITE };

/* A page that nobody shares any more is the space's own again. */
static bool take_back(struct space *s, page_entry *slot)
{
	void *own = (*slot & PAGE_KEPT) != 0 ? vfs_page_take(s->m->store, pointer(*slot)) : NULL;

	if (own != NULL)
		*slot = entry(own, PAGE_OWN) | (*slot & PAGE_MAPPED);
	return own != NULL;
}

/* Replaces a page that may only be read by a copy. The machine forgets it before others can have
 * it: it may be asked for it once more before the program writes, and another session's thread may
 * write it as soon as it is let go. */
static int copy_page(struct space *s, uint64_t address, page_entry *slot)
{
	void *own = take_back(s, slot) ? NULL : own_page(s);

	if ((*slot & PAGE_KIND) == PAGE_OWN)
		return 0;
	if (own == NULL)
		return -E_NOMEM;
	memcpy(own, page_bytes(*slot), PAGE_BYTES);
	if ((*slot & PAGE_MAPPED) != 0)
		s->m->backend->unmap(s->m->vm, s->tables, address, 1);
	drop(s, *slot);
	*slot = entry(own, PAGE_OWN);
	return 0;
}

/* A page of a private mapping of a file. Like the next, it waits for nothing: VFS_PENDING. */
static int bring_file(struct proc *p, struct space *s, const struct area *a, uint64_t address,
		      enum wish wish, page_entry *out)
{
	uint64_t pos = a->offset + (address - a->start);
	struct vfs_page *page;
	void *own;
	int64_t r;

	if (pos >= file_size(p, a->file))
		return -E_NXIO;
	objects_sync_file(s->m, sys_file_ino(a->file), pos, PAGE_BYTES);
	r = sys_file_page(NULL, a->file, pos / PAGE_BYTES, wish != WISH_CHEAP, &page);
	if (r == 0)
		*out = entry(page, PAGE_FILE);
	if (r == 0 && wish == WISH_WRITE)
		r = copy_page(s, address, out);
	if (r == -E_NODATA) {
		own = own_page(s);
		r = own == NULL ? -E_NOMEM : sys_file_read(NULL, a->file, own, PAGE_BYTES, pos);
		if (r >= 0)
			memset((char *)own + r, 0, PAGE_BYTES - (size_t)r);
		if (own != NULL)
			*out = entry(own, PAGE_OWN);
	}
	if (r >= 0)
		return 0;
	drop(s, *out);
	*out = 0;
	return (int)r;
}

static int bring_shared(const struct area *a, uint64_t address, page_entry *out)
{
	void *page;
	int r = object_page(a->object, (a->offset + (address - a->start)) / PAGE_BYTES, &page);

	if (r == 0)
		*out = entry(page, PAGE_SHARED);
	return r;
}

/* The page of an area's file. While the host is waited for, others may change the areas, and the
 * process may end: nothing is held then. -E_AGAIN: they did. */
static int bring_mapped(struct proc *p, struct space *s, const struct area *a, uint64_t address,
			enum wish wish, page_entry *out)
{
	uint64_t changes = s->changes;
	bool again;
	int64_t r;

	do {
		r = a->object != NULL ? bring_shared(a, address, out)
				      : bring_file(p, s, a, address, wish, out);
		again = p != NULL && wish != WISH_CHEAP && sys_file_again(p, &r);
		if (s->changes != changes) {
			drop(s, *out);
			return -E_AGAIN;
		}
	} while (again);
	return (int)r;
}

/* Makes the entry one that can be used as wanted; what becomes a copy is not mapped any more. */
static int bring(struct proc *p, struct space *s, struct area *a, uint64_t address, enum wish wish,
		 page_entry *slot)
{
	page_entry fresh = 0;
	void *own;
	int r = 0;

	if (*slot != 0 && !page_is_there(*slot))
		return wish != WISH_CHEAP ? page_load(s, slot) : -E_NOENT;
	if (*slot != 0)
		return wish == WISH_WRITE && (*slot & PAGE_KIND) == PAGE_FILE
			       ? copy_page(s, address, slot)
			       : 0;
	if (a->object != NULL || a->file != NULL) {
		r = bring_mapped(p, s, a, address, wish, &fresh);
	} else {
		own = own_page(s);
		if (own == NULL)
			return -E_NOMEM;
		memset(own, 0, PAGE_BYTES);
		fresh = entry(own, PAGE_OWN);
	}
	if (r != 0)
		return r;
	if (*slot != 0) {
		/* Another thread was quicker. */
		drop(s, fresh);
		return -E_AGAIN;
	}
	*slot = fresh;
	return 0;
}

/* --- faults --- */

struct run {
	uint64_t address;
	size_t n;
	unsigned rights;
	void *page[AROUND_FILE];
};

static int flush(struct space *s, struct run *r)
{
	int err = 0;

	if (r->n != 0)
		err = s->m->backend->map(s->m->vm, s->tables, r->address, r->page, r->n, r->rights);
	r->n = 0;
	return err != 0 ? -E_NOMEM : 0;
}

static int add(struct space *s, struct run *r, const struct area *a, uint64_t address,
	       page_entry *slot)
{
	unsigned prot = rights(a, *slot);
	int err = 0;

	if (r->n != 0 &&
	    (r->rights != prot || r->address + r->n * PAGE_BYTES != address || r->n == AROUND_FILE))
		err = flush(s, r);
	if (r->n == 0)
		r->address = address;
	r->rights = prot;
	r->page[r->n++] = page_bytes(*slot);
	*slot |= PAGE_MAPPED;
	return err;
}

/* A program's initialised data: most of it will be written, and a copy costs less than a fault. */
static bool copied_at_once(const struct area *a)
{
	return a->file != NULL && a->object == NULL && (a->prot & PROT_WRITE_) != 0 &&
	       a->end - a->start <= COPIED_BYTES;
}

/* Pages to be mapped, and those of them that are worth more than a look. */
struct window {
	uint64_t from, end;
	uint64_t near_from, near_end;
	enum wish wish; /* of the near ones */
};

static uint64_t greater(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t lesser(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* How many pages of an area's file are fetched with one that is wanted. */
static uint64_t fetched(struct proc *p, const struct area *a)
{
	return a->file != NULL && file_size(p, a->file) <= FETCHED_BYTES ? AROUND_FILE
									 : AROUND_FETCH;
}

/* The near pages of a window, which may have to be waited for. What lies behind the end of a file,
 * or beyond the memory limit, was not asked for. */
static int bring_near(struct proc *p, struct space *s, struct area *a, const struct window *w)
{
	uint64_t from = greater(w->near_from, w->from);
	uint64_t end = lesser(w->near_end, w->end);
	int err = 0;

	if (from < end)
		sys_file_ahead(a->file, (a->offset + (from - a->start)) / PAGE_BYTES,
			       (a->offset + (end - a->start)) / PAGE_BYTES);
	for (uint64_t at = from; at < end && err == 0; at += PAGE_BYTES) {
		page_entry *slot = page_slot(s, at, true);

		if (slot == NULL)
			return -E_NOMEM;
		if ((*slot & PAGE_MAPPED) == 0)
			err = bring(p, s, a, at, w->wish, slot);
	}
	return err == -E_AGAIN ? err : 0;
}

/* The pages of a window that are not mapped yet. Those that have to be waited for come first: while
 * others run, no list of pages may be kept. */
static int bring_window(struct proc *p, struct space *s, struct area *a, const struct window *w)
{
	struct run run = { .n = 0 };
	int err = a->file != NULL ? bring_near(p, s, a, w) : 0;

	if (err != 0)
		return err;
	for (uint64_t at = w->from; at < w->end && err == 0; at += PAGE_BYTES) {
		bool near = at >= w->near_from && at < w->near_end;
		bool now; /* as wished */
		page_entry *slot = page_slot(s, at, true);

		if (slot == NULL)
			return -E_NOMEM;
		if ((*slot & PAGE_MAPPED) != 0 &&
		    !(near && w->wish == WISH_WRITE && (*slot & PAGE_KEPT) != 0))
			continue;
		now = near && (*slot != 0 || a->file == NULL);
		err = bring(NULL, s, a, at, now ? w->wish : WISH_CHEAP, slot);
		if (err == 0)
			err = add(s, &run, a, at, slot);
		else if (err == -E_NOENT)
			err = 0;
	}
	return flush(s, &run) != 0 ? -E_NOMEM : 0;
}

/* Memory that is used from one end to the other is brought in steps that double. */
static uint64_t anonymous_span(struct area *a, uint64_t address)
{
	if (a->ahead == 0 || address - a->next > (AROUND - 1) * PAGE_BYTES)
		a->ahead = AROUND;
	else if (a->ahead < AROUND_MAX)
		a->ahead *= 2;
	return (uint64_t)a->ahead * PAGE_BYTES;
}

/* Brings what lies around a fault. */
static int around(struct proc *p, struct space *s, struct area *a, uint64_t address, bool write)
{
	bool cheap = a->file != NULL && (!write || copied_at_once(a));
	uint64_t span = cheap ? AROUND_FILE * PAGE_BYTES : AROUND * PAGE_BYTES;
	uint64_t near = fetched(p, a) * PAGE_BYTES;
	struct window w = { .from = address & ~(span - 1),
			    .near_from = address & ~(near - 1),
			    .wish = write ? WISH_WRITE : WISH_READ };

	w.near_end = w.near_from + near;
	if (a->file == NULL && a->object == NULL && !a->stack)
		span = anonymous_span(a, address);
	w.end = w.from + span;
	if (!cheap || write) {
		w.near_from = w.from;
		w.near_end = w.end;
	}
	w.from = greater(w.from, a->start);
	w.end = lesser(w.end, a->end);
	a->next = w.end;
	if (a->object != NULL)
		w.wish = WISH_READ;
	return bring_window(p, s, a, &w);
}

int space_populate(struct proc *p, struct space *s, uint64_t start, uint64_t end)
{
	struct area *a = space_area(s, start);
	struct window w = { .from = start & ~PAGE_MASK_ };

	if (a == NULL || a->object != NULL || a->prot == 0)
		return 0;
	w.end = lesser(end, a->end);
	w.near_from = w.from;
	w.near_end = lesser(w.end, w.from + fetched(p, a) * PAGE_BYTES);
	w.wish = a->file != NULL && !copied_at_once(a) ? WISH_READ : WISH_WRITE;
	if (w.wish == WISH_WRITE)
		w.near_end = w.end;
	return bring_window(p, s, a, &w);
}

int space_fault(struct proc *p, struct space *s, uint64_t address, unsigned want, bool guest)
{
	struct area *a = space_area(s, address);
	bool write = (want & PROT_WRITE_) != 0;
	page_entry *slot;
	bool mapped;
	void *page;
	int r;

	address &= ~PAGE_MASK_;
	if (a == NULL || (a->prot & want) != want)
		return -E_FAULT;
	write |= guest && copied_at_once(a);
	slot = page_slot(s, address, true);
	if (slot == NULL)
		return -E_NOMEM;
	mapped = (*slot & PAGE_MAPPED) != 0;
	r = bring(p, s, a, address, write ? WISH_WRITE : WISH_READ, slot);
	if (r != 0 || (!guest && !(mapped && write)))
		return r;
	page = page_bytes(*slot);
	r = s->m->backend->map(s->m->vm, s->tables, address, &page, 1, rights(a, *slot));
	*slot |= PAGE_MAPPED;
	if (r != 0)
		return -E_NOMEM;
	return guest ? around(p, s, a, address, write) : 0;
}

char *space_page(struct proc *p, struct space *s, uint64_t address, unsigned want)
{
	const struct area *a = space_area(s, address);
	page_entry *slot = a != NULL && (a->prot & want) == want ? page_slot(s, address, false)
								 : NULL;
	int r;

	if (slot != NULL && page_is_there(*slot) &&
	    ((want & PROT_WRITE_) == 0 || (*slot & PAGE_KIND) != PAGE_FILE))
		return page_bytes(*slot);
	do
		r = space_fault(p, s, address, want, false);
	while (r == -E_AGAIN);
	if (r == -E_NOMEM)
		proc_limit(p, LIMIT_MEMORY);
	return r == 0 ? page_bytes(*page_slot(s, address, false)) : NULL;
}

char *space_page_forced(struct proc *p, struct space *s, uint64_t address, bool write)
{
	unsigned want = write ? PROT_WRITE_ : PROT_READ_;
	page_entry *slot;
	struct area *a;
	int r;

	address &= ~PAGE_MASK_;
	do {
		a = space_area(s, address);
		if (a == NULL)
			return NULL;
		if ((a->prot & want) != 0)
			return space_page(p, s, address, want);
		if (write && (a->shared || a->special))
			return NULL;
		slot = page_slot(s, address, true);
		r = slot == NULL ? -E_NOMEM
				 : bring(p, s, a, address, write ? WISH_WRITE : WISH_READ, slot);
	} while (r == -E_AGAIN);
	if (r == -E_NOMEM)
		proc_limit(p, LIMIT_MEMORY);
	return r == 0 ? page_bytes(*page_slot(s, address, false)) : NULL;
}

/* --- fork --- */

int space_put_page(struct space *s, uint64_t address, const void *bytes)
{
	page_entry *slot = page_slot(s, address, true);
	void *own = slot != NULL ? own_page(s) : NULL;

	if (own == NULL)
		return -E_NOMEM;
	memcpy(own, bytes, PAGE_BYTES);
	*slot = entry(own, PAGE_OWN);
	return 0;
}

/* What an area shows of its file between two indexes. */
static void look_at(struct space *s, const struct area *a, uint64_t index, uint64_t end)
{
	uint64_t first = a->offset / PAGE_BYTES;
	struct vfs_page *page;

	/* Files may be long and have few pages. */
	while ((index = sys_file_page_next(a->file, index)) < end) {
		page_entry *slot = page_slot(s, a->start + (index - first) * PAGE_BYTES, true);

		if (slot != NULL && *slot == 0 &&
		    sys_file_page(NULL, a->file, index, false, &page) == 0)
			*slot = entry(page, PAGE_FILE);
		index++;
	}
}

void space_look(struct space *s)
{
	for (size_t i = 0; i < s->nareas; i++) {
		const struct area *a = &s->area[i];
		uint64_t size = a->file != NULL && a->object == NULL ? file_size(NULL, a->file) : 0;
		uint64_t end = size > a->offset ? lesser(a->end, a->start + (size - a->offset)) : 0;

		if (end > a->start)
			look_at(s, a, a->offset / PAGE_BYTES,
				(a->offset + (end - a->start) + PAGE_MASK_) / PAGE_BYTES);
	}
}

static int enter_leaf(struct space *s, struct leaf *l, struct run *run)
{
	uint64_t base = l->number << 21;
	int err = 0;

	for (size_t i = space_area_index(s, base);
	     i < s->nareas && s->area[i].start < base + (1u << 21) && err == 0; i++) {
		const struct area *a = &s->area[i];
		uint64_t end = lesser(a->end, base + (1u << 21));

		for (uint64_t at = greater(a->start, base); at < end && err == 0;
		     at += PAGE_BYTES) {
			page_entry *slot = &l->page[(at - base) >> 12];

			if (a->prot != 0 && page_is_there(*slot))
				err = add(s, run, a, at, slot);
		}
	}
	return err;
}

int space_enter(struct space *s)
{
	struct run run = { .n = 0 };
	int err = 0;

	for (int i = 0; i < LEAF_BUCKETS && err == 0; i++)
		for (struct leaf *l = s->bucket[i]; l != NULL && err == 0; l = l->next)
			err = enter_leaf(s, l, &run);
	return err != 0 ? err : flush(s, &run);
}

static int copy_leaf(struct space *to, const struct leaf *from, struct space *source)
{
	page_entry *slot = page_slot(to, from->number << 21, true);

	if (slot == NULL)
		return -E_NOMEM;
	for (size_t i = 0; i < LEAF_PAGES; i++) {
		page_entry e = from->page[i] & ~(page_entry)PAGE_MAPPED;
		void *own;

		if ((e & PAGE_KEPT) != 0) {
			if (!heap_count(kernel_heap(to->m->k), PAGE_BYTES))
				return -E_NOMEM;
			to->npages++;
		}
		if ((e & PAGE_KIND) == PAGE_FILE) {
			vfs_page_again(pointer(e));
		} else if ((e & PAGE_KIND) == PAGE_OWN) {
			own = own_page(to);
			if (own == NULL)
				return -E_NOMEM;
			memcpy(own, pointer(e), PAGE_BYTES);
			e = entry(own, PAGE_OWN);
		}
		slot[i] = e;
	}
	(void)source;
	return 0;
}

int space_copy(struct space *from, struct space **out)
{
	struct space *s;
	int r = space_new(from->m, &s);

	if (r != 0)
		return r;
	s->area = vm_alloc(s->m, from->areas_cap * sizeof *s->area);
	if (s->area == NULL) {
		space_put(s);
		return -E_NOMEM;
	}
	s->areas_cap = from->areas_cap;
	s->nareas = from->nareas;
	memcpy(s->area, from->area, s->nareas * sizeof *s->area);
	for (size_t i = 0; i < s->nareas; i++) {
		if (s->area[i].file != NULL)
			file_get(s->area[i].file);
		if (s->area[i].object != NULL)
			object_get(s->area[i].object);
	}
	for (int i = 0; i < LEAF_BUCKETS && r == 0; i++)
		for (const struct leaf *l = from->bucket[i]; l != NULL && r == 0; l = l->next)
			r = copy_leaf(s, l, from);
	if (from->saved != NULL)
		s->saved = file_get(from->saved);
	s->brk_start = from->brk_start;
	s->brk = from->brk;
	s->vdso = from->vdso;
	s->aux_start = from->aux_start;
	s->aux_end = from->aux_end;
	s->arg_start = from->arg_start;
	s->arg_end = from->arg_end;
	s->env_start = from->env_start;
	s->env_end = from->env_end;
	/* The program may have put something else in its place, which is nothing to write to. */
	if (r == 0 && from->vdso_data != NULL)
		s->vdso_data = page_bytes(*page_slot(s, s->vdso, false));
	if (r != 0)
		space_put(s);
	else
		*out = s;
	return r;
}
