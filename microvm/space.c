/* SPDX-License-Identifier: MIT
 *
 * Address spaces: the areas that mmap and its relatives make, sorted by address.
 */
#include "microvm/private.h"

/* --- life --- */

int space_bare(struct microvm *m, struct space **out)
{
	struct space *s = vm_alloc(m, sizeof *s);

	if (s == NULL)
		return -E_NOMEM;
	memset(s, 0, sizeof *s);
	s->m = m;
	s->refs = 1;
	s->next = m->spaces;
	m->spaces = s;
	*out = s;
	return 0;
}

int space_make_tables(struct space *s)
{
	struct microvm *m = s->m;

	return m->backend->space_new(m->vm, &s->tables) != 0 ? -E_NOMEM : 0;
}

int space_new(struct microvm *m, struct space **out)
{
	int r = space_bare(m, out);

	if (r == 0)
		r = space_make_tables(*out);
	else
		return r;
	if (r != 0)
		space_put(*out);
	return r;
}

struct space *space_get(struct space *s)
{
	s->refs++;
	return s;
}

/* An object that goes writes its pages to its file, and who is told of that looks at all areas. */
static void put_area(struct area *a)
{
	struct file *file = a->file;
	struct object *object = a->object;

	a->file = NULL;
	a->object = NULL;
	if (file != NULL)
		file_put(file);
	if (object != NULL)
		object_put(object);
}

static void free_leaves(struct space *s)
{
	for (int i = 0; i < LEAF_BUCKETS; i++) {
		for (struct leaf *l = s->bucket[i], *next; l != NULL; l = next) {
			next = l->next;
			vm_free(s->m, l, sizeof *l);
		}
	}
}

void space_put(struct space *s)
{
	struct microvm *m = s->m;
	struct space **link = &m->spaces;

	if (--s->refs != 0)
		return;
	while (*link != s)
		link = &(*link)->next;
	*link = s->next;
	/* The machine forgets the tables as a whole: no page has to be unmapped. */
	if (s->tables != NULL)
		m->backend->space_free(m->vm, s->tables);
	s->tables = NULL;
	page_drop_range(s, 0, USER_END);
	free_leaves(s);
	for (size_t i = 0; i < s->nareas; i++)
		put_area(&s->area[i]);
	if (s->saved != NULL)
		file_put(s->saved);
	vm_free(m, s->area, s->areas_cap * sizeof *s->area);
	vm_free(m, s, sizeof *s);
}

/* --- the list --- */

/* The first area that ends above address. */
size_t space_area_index(const struct space *s, uint64_t address)
{
	size_t low = 0;
	size_t high = s->nareas;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (s->area[mid].end > address)
			high = mid;
		else
			low = mid + 1;
	}
	return low;
}

struct area *space_area(const struct space *s, uint64_t address)
{
	size_t i = space_area_index(s, address);

	return i < s->nareas && s->area[i].start <= address ? &s->area[i] : NULL;
}

uint64_t space_allows(const struct space *s, uint64_t address, uint64_t n, unsigned want)
{
	uint64_t done = 0;

	while (done < n) {
		const struct area *a = space_area(s, address + done);

		if (a == NULL || (a->prot & want) != want)
			break;
		done = a->end - address < n ? a->end - address : n;
	}
	return done;
}

static int make_room(struct space *s)
{
	size_t cap = s->areas_cap == 0 ? 32 : s->areas_cap * 2;
	struct area *more;

	if (s->nareas < s->areas_cap)
		return 0;
	if (s->nareas >= AREAS_MAX)
		return -E_NOMEM;
	more = vm_alloc(s->m, cap * sizeof *more);
	if (more == NULL)
		return -E_NOMEM;
	if (s->nareas != 0)
		memcpy(more, s->area, s->nareas * sizeof *more);
	vm_free(s->m, s->area, s->areas_cap * sizeof *more);
	s->area = more;
	s->areas_cap = cap;
	s->changes++;
	return 0;
}

static void insert(struct space *s, size_t i, const struct area *a)
{
	memmove(s->area + i + 1, s->area + i, (s->nareas - i) * sizeof *a);
	s->area[i] = *a;
	s->nareas++;
}

static void erase(struct space *s, size_t i, size_t n)
{
	for (size_t k = 0; k < n; k++)
		put_area(&s->area[i + k]);
	s->nareas -= n;
	memmove(s->area + i, s->area + i + n, (s->nareas - i) * sizeof s->area[0]);
}

int space_split(struct space *s, uint64_t address)
{
	size_t i = space_area_index(s, address);
	struct area rest;
	int r;

	if (i == s->nareas || s->area[i].start >= address)
		return 0;
	r = make_room(s);
	if (r != 0)
		return r;
	rest = s->area[i];
	rest.offset += address - rest.start;
	rest.start = address;
	s->area[i].end = address;
	if (rest.file != NULL)
		file_get(rest.file);
	if (rest.object != NULL)
		object_get(rest.object);
	insert(s, i + 1, &rest);
	return 0;
}

static bool joins(const struct area *a, const struct area *b)
{
	return a->end == b->start && a->file == NULL && b->file == NULL && a->object == NULL &&
	       b->object == NULL && a->prot == b->prot && !a->special && !b->special &&
	       a->stack == b->stack && a->shared == b->shared;
}

static void join(struct space *s, size_t i)
{
	if (i == 0 || i >= s->nareas || !joins(&s->area[i - 1], &s->area[i]))
		return;
	s->area[i - 1].end = s->area[i].end;
	erase(s, i, 1);
}

/* All that belong together, of those that begin from one address to another. */
static void join_range(struct space *s, uint64_t start, uint64_t end)
{
	size_t last = space_area_index(s, start);
	size_t next;

	last -= last != 0;
	for (next = last + 1; next < s->nareas && s->area[next].start <= end; next++) {
		if (joins(&s->area[last], &s->area[next]))
			s->area[last].end = s->area[next].end;
		else
			s->area[++last] = s->area[next];
	}
	if (next == last + 1)
		return;
	memmove(s->area + last + 1, s->area + next, (s->nareas - next) * sizeof s->area[0]);
	s->nareas -= next - (last + 1);
}

/* --- finding room --- */

bool space_is_free(const struct space *s, uint64_t address, uint64_t length)
{
	size_t i = space_area_index(s, address);

	return address >= USER_FIRST && length <= USER_END && address <= USER_END - length &&
	       (i == s->nareas || s->area[i].start >= address + length);
}

/* The highest free range that ends at or below `below`, or 0. */
uint64_t space_find(const struct space *s, uint64_t length, uint64_t below)
{
	size_t i = space_area_index(s, below - 1);
	uint64_t end = below;

	if (i < s->nareas && s->area[i].start < end)
		end = s->area[i].start;
	for (;; i--) {
		uint64_t low = i == 0 ? USER_FIRST : s->area[i - 1].end;

		if (end > low && end - low >= length)
			return end - length;
		if (i == 0)
			return 0;
		end = s->area[i - 1].start;
	}
}

/* --- changes --- */

static int64_t place(struct space *s, const struct map *m, uint64_t length)
{
	uint64_t at = m->address & ~PAGE_MASK_;

	if (m->fixed || m->noreplace) {
		if ((m->address & PAGE_MASK_) != 0)
			return -E_INVAL;
		if (at < USER_FIRST)
			return -E_PERM;
		if (at > USER_END - length)
			return -E_NOMEM;
		if (m->noreplace)
			return space_is_free(s, at, length) ? (int64_t)at : -E_EXIST;
		int r = space_unmap(s, at, length);

		return r != 0 ? r : (int64_t)at;
	}
	if (at != 0 && (!m->low || at + length <= LOW_END) && space_is_free(s, at, length))
		return (int64_t)at;
	at = space_find(s, length, m->low ? LOW_END : MMAP_TOP);
	if (at == 0 && !m->low)
		at = space_find(s, length, USER_END);
	return at != 0 ? (int64_t)at : -E_NOMEM;
}

static bool too_much(const struct space *s, const struct map *m, uint64_t length)
{
	uint64_t limit = kernel_limit(s->m->k, LIMIT_MEMORY);

	return limit != 0 && length > limit && !m->noreserve && !m->shared &&
	       (m->prot & PROT_WRITE_) != 0;
}

int64_t space_map(struct space *s, const struct map *m)
{
	uint64_t length = (m->length + PAGE_MASK_) & ~PAGE_MASK_;
	struct area a = { .offset = m->offset,
			  .file = m->file,
			  .object = m->object,
			  .prot = (uint8_t)m->prot,
			  .shared = m->shared,
			  .read_only = m->read_only,
			  .stack = m->stack,
			  .special = m->special,
			  .program = m->program };
	int64_t at = -E_NOMEM;
	size_t i;

	if (length != 0 && length >= m->length && length <= USER_END && !too_much(s, m, length) &&
	    make_room(s) == 0)
		at = place(s, m, length);
	if (at >= 0 && make_room(s) != 0)
		at = -E_NOMEM;
	if (at < 0) {
		if (m->object != NULL)
			object_put(m->object);
		return at;
	}
	a.start = (uint64_t)at;
	a.end = a.start + length;
	if (a.file != NULL)
		file_get(a.file);
	i = space_area_index(s, a.start);
	insert(s, i, &a);
	s->changes++;
	join(s, i + 1);
	join(s, i);
	return at;
}

int space_unmap(struct space *s, uint64_t address, uint64_t length)
{
	uint64_t end = address + length;
	int r = space_split(s, address);
	size_t i;
	size_t n = 0;

	if (r == 0)
		r = space_split(s, end);
	if (r != 0)
		return r;
	s->changes++;
	if (s->vdso >= address && s->vdso < end)
		s->vdso_data = NULL;
	page_drop_range(s, address, end);
	i = space_area_index(s, address);
	while (i + n < s->nareas && s->area[i + n].start < end)
		n++;
	if (n == 1)
		area_sync(&s->area[i], address, end);
	else
		areas_sync(s, i, n);
	erase(s, i, n);
	return 0;
}

static bool range_is_mapped(const struct space *s, uint64_t address, uint64_t end)
{
	for (size_t i = space_area_index(s, address); address < end; i++) {
		if (i == s->nareas || s->area[i].start > address)
			return false;
		address = s->area[i].end;
	}
	return true;
}

int space_protect(struct space *s, uint64_t address, uint64_t length, unsigned prot)
{
	uint64_t end = address + length;
	uint64_t done = address;
	int r = 0;

	if (!range_is_mapped(s, address, end))
		return -E_NOMEM;
	r = space_split(s, address);
	if (r == 0)
		r = space_split(s, end);
	if (r != 0)
		return r;
	s->changes++;
	for (size_t i = space_area_index(s, address); done < end; i++) {
		struct area *a = &s->area[i];

		if (a->read_only && (prot & PROT_WRITE_) != 0) {
			r = -E_ACCES;
			break;
		}
		a->prot = (uint8_t)prot;
		done = a->end;
	}
	page_protect(s, address, done);
	if (r == 0)
		join_range(s, address, end);
	return r;
}

int space_discard(struct space *s, uint64_t address, uint64_t length)
{
	uint64_t end = address + length;
	uint64_t from = address;

	if (!range_is_mapped(s, address, end))
		return -E_NOMEM;
	s->changes++;
	for (size_t i = space_area_index(s, address); i < s->nareas && s->area[i].start < end;
	     i++) {
		const struct area *a = &s->area[i];

		if (!a->special)
			continue;
		if (from < a->start)
			page_drop_range(s, from, a->start);
		from = a->end;
	}
	if (from < end)
		page_drop_range(s, from, end);
	return 0;
}

/* --- mremap --- */

enum { MREMAP_MAYMOVE = 1, MREMAP_FIXED = 2, MREMAP_DONTUNMAP = 4 };

int64_t space_remap(struct space *s, uint64_t old, uint64_t old_len, uint64_t new_len,
		    unsigned flags, uint64_t new)
{
	struct area *a = space_area(s, old);
	struct map m = { .length = new_len };
	int64_t at;
	int r;

	if ((old & PAGE_MASK_) != 0 || new_len == 0 || (flags & MREMAP_DONTUNMAP) != 0)
		return -E_INVAL;
	old_len = (old_len + PAGE_MASK_) & ~PAGE_MASK_;
	new_len = (new_len + PAGE_MASK_) & ~PAGE_MASK_;
	/* What is moved onto itself would be unmapped first. */
	if ((flags & MREMAP_FIXED) != 0 &&
	    ((flags & MREMAP_MAYMOVE) == 0 || (new &PAGE_MASK_) != 0 || new > USER_END - new_len ||
	     (new < old + old_len &&old < new + new_len)))
		return -E_INVAL;
	if (a == NULL || a->end - old < old_len || a->special)
		return -E_FAULT;
	if ((flags & MREMAP_FIXED) == 0 && new_len <= old_len) {
		r = new_len < old_len ? space_unmap(s, old + new_len, old_len - new_len) : 0;
		return r != 0 ? r : (int64_t)old;
	}
	if ((flags & MREMAP_FIXED) == 0 && a->end == old + old_len &&
	    space_is_free(s, a->end, new_len - old_len)) {
		a->end += new_len - old_len;
		s->changes++;
		return (int64_t)old;
	}
	if ((flags & MREMAP_MAYMOVE) == 0)
		return -E_NOMEM;
	m = (struct map){ .address = (flags & MREMAP_FIXED) != 0 ? new : 0,
			  .length = new_len,
			  .offset = a->offset + (old - a->start),
			  .file = a->file,
			  .object = a->object != NULL ? object_get(a->object) : NULL,
			  .prot = a->prot,
			  .shared = a->shared,
			  .read_only = a->read_only,
			  .program = a->program,
			  .fixed = (flags & MREMAP_FIXED) != 0 };
	at = space_map(s, &m);
	if (at < 0)
		return at;
	r = page_move_range(s, old, (uint64_t)at, old_len < new_len ? old_len : new_len);
	if (r == 0)
		r = space_unmap(s, old, old_len);
	return r != 0 ? r : at;
}

/* --- what follows a file --- */

enum { AREAS_A_STEP = 8 };

static void follow(struct space *s, struct area *a, struct object *o)
{
	page_drop_range(s, a->start, a->end);
	if (o != NULL)
		a->object = object_get(o);
	s->changes++;
}

void spaces_follow(struct microvm *m, vfs_ino ino, struct object *o)
{
	for (struct space *s = m->spaces; s != NULL; s = s->next) {
		/* A switch here would change the lists: it comes at the next charge. */
		kernel_fuel(m->k)->left -= (int64_t)(s->nareas / AREAS_A_STEP);
		for (size_t i = 0; i < s->nareas; i++) {
			struct area *a = &s->area[i];

			if (a->shared && a->file != NULL && a->object == NULL &&
			    sys_file_ino(a->file) == ino)
				follow(s, a, o);
		}
	}
}

/* What an area shows behind the last page, and of a page that the file fills only in part what is
 * not a copy. */
static void cut(struct space *s, const struct area *a, uint64_t size)
{
	uint64_t end = (size + PAGE_MASK_) & ~PAGE_MASK_;
	uint64_t length = a->end - a->start;

	if (end < a->offset || end - a->offset < length) {
		page_drop_range(s, end < a->offset ? a->start : a->start + (end - a->offset),
				a->end);
		s->changes++;
	}
	if (size != end && size >= a->offset && size - a->offset < length && !a->shared)
		page_drop_file(s, a->start + ((size & ~PAGE_MASK_) - a->offset));
}

void spaces_cut(struct microvm *m, vfs_ino ino, uint64_t size)
{
	for (struct space *s = m->spaces; s != NULL; s = s->next) {
		kernel_fuel(m->k)->left -= (int64_t)(s->nareas / AREAS_A_STEP);
		for (size_t i = 0; i < s->nareas; i++) {
			const struct area *a = &s->area[i];

			if (a->file != NULL && !a->program && sys_file_ino(a->file) == ino)
				cut(s, a, size);
		}
	}
}
