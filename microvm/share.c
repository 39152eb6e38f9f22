/* SPDX-License-Identifier: MIT
 *
 * Memory of programs in a forked session. A page that was a space's own becomes one that both
 * sessions hold and neither writes: who writes gets a copy, as of a page of a file. Shared
 * mappings, in which programs see each other's writes at once, are copied.
 */
#include "microvm/private.h"

/* --- keeping --- */

/* Pages of one area that follow each other and can no longer be written. */
struct run {
	struct space *s;
	uint64_t start;
	size_t n;
	unsigned prot;
};

static void close_run(struct run *r)
{
	struct microvm *m = r->s->m;

	if (r->n != 0 && (r->prot & PROT_WRITE_) != 0)
		m->backend->protect(m->vm, r->s->tables, r->start, r->n,
				    r->prot & ~(unsigned)PROT_WRITE_);
	r->n = 0;
}

static void add_to_run(struct run *r, uint64_t address)
{
	const struct area *a = space_area(r->s, address);
	unsigned prot = a != NULL ? a->prot : 0;

	if (r->n != 0 && (r->start + r->n * PAGE_BYTES != address || r->prot != prot))
		close_run(r);
	if (r->n == 0)
		r->start = address;
	r->prot = prot;
	r->n++;
}

static bool is_clock(const struct space *s, uint64_t address)
{
	return s->vdso != 0 && address == s->vdso;
}

static int keep_leaf(struct space *s, struct leaf *l, struct run *run)
{
	for (size_t i = 0; i < LEAF_PAGES; i++) {
		uint64_t address = (l->number << 21) + i * PAGE_BYTES;
		page_entry *slot = &l->page[i];
		page_entry mapped = *slot & PAGE_MAPPED;
		struct vfs_page *page;

		if ((*slot & PAGE_KIND) != PAGE_OWN || is_clock(s, address))
			continue;
		page = vfs_page_of(s->m->store, page_bytes(*slot));
		if (page == NULL)
			return -E_NOMEM;
		*slot = (page_entry)(uintptr_t)page | PAGE_FILE | PAGE_KEPT | mapped;
		if (mapped != 0)
			add_to_run(run, address);
	}
	return 0;
}

/* All pages of its own can be held by others from now on. */
static int keep_pages(struct space *s)
{
	struct run run = { .s = s };
	int r = 0;

	for (int i = 0; i < LEAF_BUCKETS && r == 0; i++)
		for (struct leaf *l = s->bucket[i]; l != NULL && r == 0; l = l->next)
			r = keep_leaf(s, l, &run);
	close_run(&run);
	return r;
}

/* --- objects --- */

static int copy_object_pages(struct object *o, const struct object *like)
{
	struct heap *heap = kernel_heap(o->m->k);

	if (like->npages == 0)
		return 0;
	o->page = vm_alloc(o->m, like->npages * sizeof *o->page);
	if (o->page == NULL)
		return -E_NOMEM;
	memset(o->page, 0, like->npages * sizeof *o->page);
	o->npages = like->npages;
	for (size_t i = 0; i < like->npages; i++) {
		if (like->page[i] == NULL)
			continue;
		o->page[i] = heap_pages(heap, 1);
		if (o->page[i] == NULL)
			return -E_NOMEM;
		memcpy(o->page[i], like->page[i], PAGE_BYTES);
	}
	return 0;
}

int object_share(struct copying *w, struct microvm *m, const struct object *like,
		 struct object **out)
{
	struct object *o = copy_find(w, like);
	struct file *file = NULL;
	int r = 0;

	if (o != NULL) {
		*out = object_get(o);
		return 0;
	}
	if (like->file != NULL)
		file = copy_file(w, like->file, &r);
	if (like->file != NULL && file == NULL)
		return r != 0 ? r : -E_AGAIN;
	r = object_new(m, file, like->ino, &o);
	if (file != NULL)
		file_put(file);
	if (r != 0)
		return r;
	r = copy_object_pages(o, like);
	o->writable = like->writable;
	if (r == 0)
		r = copy_note(w, like, o);
	if (r != 0)
		object_put(o);
	else
		*out = o;
	return r;
}

/* --- spaces --- */

static int share_area(struct copying *w, struct space *s, const struct area *like)
{
	struct area *a = &s->area[s->nareas];
	int r = 0;

	*a = *like;
	a->file = NULL;
	a->object = NULL;
	if (like->object != NULL)
		r = object_share(w, s->m, like->object, &a->object);
	if (r == 0 && like->file != NULL) {
		a->file = copy_file(w, like->file, &r);
		if (a->file == NULL && r == 0)
			r = -E_AGAIN;
	}
	s->nareas++; /* what it holds by now goes with the space */
	return r;
}

static int share_areas(struct copying *w, struct space *s, const struct space *like)
{
	int r = 0;

	if (like->areas_cap == 0)
		return 0;
	s->area = vm_alloc(s->m, like->areas_cap * sizeof *s->area);
	if (s->area == NULL)
		return -E_NOMEM;
	s->areas_cap = like->areas_cap;
	for (size_t i = 0; i < like->nareas && r == 0; i++)
		r = share_area(w, s, &like->area[i]);
	return r;
}

static page_entry object_entry(const struct space *s, uint64_t address)
{
	const struct area *a = space_area(s, address);
	uint64_t i;

	if (a == NULL || a->object == NULL)
		return 0;
	i = (a->offset + (address - a->start)) / PAGE_BYTES;
	if (i >= a->object->npages || a->object->page[i] == NULL)
		return 0;
	return (page_entry)(uintptr_t)a->object->page[i] | PAGE_SHARED;
}

/* The entry of the other space for one of this: *out 0, where it will be brought anew. */
static int share_entry(struct space *s, uint64_t address, page_entry e, page_entry *out)
{
	struct heap *heap = kernel_heap(s->m->k);

	e &= ~(page_entry)PAGE_MAPPED;
	*out = page_is_there(e) ? 0 : e;
	switch (e & PAGE_KIND) {
	case PAGE_SHARED: *out = object_entry(s, address); return 0;
	case PAGE_OWN: return space_put_page(s, address, page_bytes(e));
	case PAGE_FILE: break;
	default: return 0;
	}
	if ((e & PAGE_KEPT) != 0) {
		if (!heap_count(heap, PAGE_BYTES))
			return -E_NOMEM;
		s->npages++;
	}
	vfs_page_again((struct vfs_page *)(uintptr_t)(e & ~(page_entry)PAGE_BITS));
	*out = e;
	return 0;
}

static int share_leaf(struct space *s, const struct leaf *like)
{
	uint64_t base = like->number << 21;
	page_entry *slot = page_slot(s, base, true);

	if (slot == NULL)
		return -E_NOMEM;
	for (size_t i = 0; i < LEAF_PAGES; i++) {
		page_entry e = 0;
		int r = 0;

		if (like->page[i] != 0)
			r = share_entry(s, base + i * PAGE_BYTES, like->page[i], &e);
		if (r != 0)
			return r;
		if (e != 0)
			slot[i] = e;
	}
	return 0;
}

static int fill(struct copying *w, struct space *s, struct space *like)
{
	int r = keep_pages(like);

	if (r == 0)
		r = share_areas(w, s, like);
	for (int i = 0; i < LEAF_BUCKETS && r == 0; i++)
		for (const struct leaf *l = like->bucket[i]; l != NULL && r == 0; l = l->next)
			r = share_leaf(s, l);
	return r == 0 ? copy_note(w, like, s) : r;
}

int space_share(struct copying *w, struct space *from, struct microvm *to, struct space **out)
{
	struct space *s = copy_find(w, from);
	page_entry *clock;
	int r;

	if (s != NULL) {
		*out = space_get(s);
		return 0;
	}
	r = space_bare(to, &s);
	if (r != 0)
		return r;
	to->followed |= from->m->followed;
	s->brk_start = from->brk_start;
	s->brk = from->brk;
	s->vdso = from->vdso;
	s->aux_start = from->aux_start;
	s->aux_end = from->aux_end;
	s->arg_start = from->arg_start;
	s->arg_end = from->arg_end;
	s->env_start = from->env_start;
	s->env_end = from->env_end;
	if (from->saved != NULL)
		s->saved = copy_file(w, from->saved, &r);
	if (r == 0)
		r = fill(w, s, from);
	if (r != 0) {
		space_put(s);
		return r;
	}
	clock = s->vdso != 0 && from->vdso_data != NULL ? page_slot(s, s->vdso, false) : NULL;
	if (clock != NULL && (*clock & PAGE_KIND) == PAGE_OWN)
		s->vdso_data = page_bytes(*clock);
	*out = s;
	return 0;
}
