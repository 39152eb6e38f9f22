/* SPDX-License-Identifier: MIT
 *
 * Memory that several address spaces share: anonymous, or a file's bytes. A file that is mapped
 * as shared, by somebody who may write it, has one object; its pages go to the file when it is
 * synced, when a mapping ends, and before a call reads the file; what a call writes to the file
 * comes to the pages.
 */
#include "microvm/private.h"

enum { LOOK_PAGES = 16, PAGE_STEPS = PAGE_BYTES / 64 };

/* What pages cost, for whoever runs. A switch here would change them: it comes at the next
 * charge. */
static void charge(struct microvm *m, uint64_t steps)
{
	kernel_fuel(m->k)->left -= (int64_t)steps;
}

static struct object **bucket_of(struct microvm *m, vfs_ino ino)
{
	return &m->objects[ino % OBJECT_BUCKETS];
}

int object_new(struct microvm *m, struct file *file, vfs_ino ino, struct object **out)
{
	struct object *o = vm_alloc(m, sizeof *o);

	if (o == NULL)
		return -E_NOMEM;
	*o = (struct object){ .m = m, .refs = 1, .ino = ino };
	if (file != NULL) {
		o->file = file_get(file);
		o->next = *bucket_of(m, ino);
		*bucket_of(m, ino) = o;
	}
	*out = o;
	return 0;
}

struct object *object_get(struct object *o)
{
	o->refs++;
	return o;
}

static void unlink_object(struct object *o)
{
	struct object **link = bucket_of(o->m, o->ino);

	while (*link != o)
		link = &(*link)->next;
	*link = o->next;
}

void object_put(struct object *o)
{
	struct heap *heap = kernel_heap(o->m->k);

	if (--o->refs != 0)
		return;
	if (o->file != NULL) {
		object_sync(o);
		unlink_object(o);
		file_put(o->file);
	}
	for (size_t i = 0; i < o->npages; i++)
		if (o->page[i] != NULL)
			heap_pages_free(heap, o->page[i], 1);
	vm_free(o->m, o->page, o->npages * sizeof *o->page);
	vm_free(o->m, o, sizeof *o);
}

struct object *object_find(struct microvm *m, vfs_ino ino)
{
	struct object *o = *bucket_of(m, ino);

	while (o != NULL && o->ino != ino)
		o = o->next;
	return o;
}

static int reserve(struct object *o, uint64_t index)
{
	size_t n = o->npages * 2 > index + 16 ? o->npages * 2 : (size_t)index + 16;
	void **more;

	if (index < o->npages)
		return 0;
	if (index > (uint64_t)1 << 32)
		return -E_NOMEM;
	more = vm_alloc(o->m, n * sizeof *more);
	if (more == NULL)
		return -E_NOMEM;
	memset(more, 0, n * sizeof *more);
	if (o->npages != 0)
		memcpy(more, o->page, o->npages * sizeof *more);
	vm_free(o->m, o->page, o->npages * sizeof *more);
	o->page = more;
	o->npages = n;
	return 0;
}

void **object_slot(struct object *o, uint64_t index)
{
	return reserve(o, index) == 0 ? &o->page[index] : NULL;
}

int object_page(struct object *o, uint64_t index, void **out)
{
	struct vfs_stat st;
	int64_t n = 0;
	void *page;

	if (o->file != NULL &&
	    (sys_file_stat(NULL, o->file, &st) != 0 || index * PAGE_BYTES >= st.size))
		return -E_NXIO;
	if (reserve(o, index) != 0)
		return -E_NOMEM;
	if (o->page[index] == NULL) {
		page = heap_pages(kernel_heap(o->m->k), 1);
		if (page == NULL)
			return -E_NOMEM;
		if (o->file != NULL)
			n = sys_file_read(NULL, o->file, page, PAGE_BYTES, index * PAGE_BYTES);
		if (n < 0) {
			heap_pages_free(kernel_heap(o->m->k), page, 1);
			return n == VFS_PENDING ? (int)n : -E_NXIO;
		}
		memset((char *)page + n, 0, PAGE_BYTES - (size_t)n);
		o->page[index] = page;
	}
	*out = o->page[index];
	return 0;
}

/* Writes a page if it differs, so that a file that nobody changed keeps its time. What lies behind
 * the file's end is lost. */
static int sync_page(struct object *o, size_t index, uint64_t size)
{
	uint64_t pos = (uint64_t)index * PAGE_BYTES;
	size_t n = size - pos < PAGE_BYTES ? (size_t)(size - pos) : PAGE_BYTES;
	char was[PAGE_BYTES];
	int64_t r = sys_file_read(NULL, o->file, was, n, pos);

	charge(o->m, PAGE_STEPS);
	memset((char *)o->page[index] + n, 0, PAGE_BYTES - n);
	if (r == (int64_t)n && memcmp(was, o->page[index], n) == 0)
		return 0;
	r = sys_file_write(NULL, o->file, o->page[index], n, pos);
	return r < 0 ? (int)r : 0;
}

/* The page behind the last of n bytes at pos. */
static size_t end_page(const struct object *o, uint64_t pos, uint64_t n)
{
	uint64_t last = pos + n < pos ? UINT64_MAX : pos + n;

	return last / PAGE_BYTES < o->npages ? (size_t)(last / PAGE_BYTES) + 1 : o->npages;
}

static int sync_range(struct object *o, uint64_t pos, uint64_t n)
{
	size_t end = end_page(o, pos, n);
	struct vfs_stat st;
	int r = 0;

	if (o->file == NULL || !o->writable || sys_file_stat(NULL, o->file, &st) != 0)
		return 0;
	if (end > pos / PAGE_BYTES)
		charge(o->m, (end - pos / PAGE_BYTES) / LOOK_PAGES);
	for (uint64_t i = pos / PAGE_BYTES; i < end && i * PAGE_BYTES < st.size && r == 0; i++)
		if (o->page[i] != NULL)
			r = sync_page(o, (size_t)i, st.size);
	return r;
}

int object_sync(struct object *o)
{
	return sync_range(o, 0, UINT64_MAX);
}

void area_sync(const struct area *a, uint64_t start, uint64_t end)
{
	if (start < a->start)
		start = a->start;
	if (end > a->end)
		end = a->end;
	if (a->object != NULL)
		(void)sync_range(a->object, a->offset + (start - a->start), end - start);
}

void areas_sync(struct space *s, size_t first, size_t n)
{
	uint64_t round = ++s->m->syncs;

	for (size_t i = first; i < first + n; i++) {
		struct object *o = s->area[i].object;

		if (o == NULL || o->synced == round)
			continue;
		o->synced = round;
		(void)object_sync(o);
	}
}

/* --- calls on files that are mapped --- */

void objects_sync_file(struct microvm *m, vfs_ino ino, uint64_t pos, uint64_t n)
{
	struct object *o = object_find(m, ino);

	if (o != NULL)
		(void)sync_range(o, pos, n);
}

static void before_read(void *user, vfs_ino ino, uint64_t pos, uint64_t n)
{
	objects_sync_file(user, ino, pos, n);
}

/* Of a page, what was written: the rest of it may not be in the file yet. */
static void read_again(struct object *o, uint64_t index, uint64_t pos, uint64_t n)
{
	uint64_t start = index * PAGE_BYTES;
	size_t from = pos > start ? (size_t)(pos - start) : 0;
	size_t to = n < start + PAGE_BYTES - pos ? (size_t)(pos + n - start) : PAGE_BYTES;
	char *page = o->page[index];
	int64_t r = sys_file_read(NULL, o->file, page + from, to - from, start + from);

	charge(o->m, PAGE_STEPS);
	if (r >= 0)
		memset(page + from + r, 0, to - from - (size_t)r);
}

static void after_write(void *user, vfs_ino ino, uint64_t pos, uint64_t n)
{
	struct microvm *m = user;
	struct object *o = object_find(m, ino);
	size_t end = o != NULL ? end_page(o, pos, n) : 0;

	if (n == UINT64_MAX - pos)
		spaces_cut(m, ino, pos);
	/* Where there is an object, all areas have it. */
	if (o == NULL && (m->followed >> ino % 64 & 1) != 0)
		spaces_follow(m, ino, NULL);
	if (end > pos / PAGE_BYTES)
		charge(m, (end - pos / PAGE_BYTES) / LOOK_PAGES);
	for (uint64_t i = pos / PAGE_BYTES; i < end; i++)
		if (o->page[i] != NULL)
			read_again(o, i, pos, n);
}

void objects_begin(struct microvm *m)
{
	m->mappings = (struct mappings){ m, before_read, after_write };
	kernel_set_mappings(m->k, &m->mappings);
}
