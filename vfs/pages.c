/* SPDX-License-Identifier: MIT
 *
 * Pages of files: making, sharing, copying on write, and fetching from where a lazy file came.
 *
 * Each page is one aligned page of the store with a small counted head, so that any page can
 * be shared, mapped and freed alone. The store hands out neighbours one after the other, so
 * that pages made in one go mostly lie side by side.
 */
#include "vfs/private.h"

enum { FETCH_PAGES = 16 };

struct page *page_new(struct vfs *v)
{
	struct page *p = store_alloc(v->store, sizeof *p);

	if (p == NULL)
		return NULL;
	p->data = store_pages(v->store, 1);
	if (p->data == NULL) {
		store_free(v->store, p, sizeof *p);
		return NULL;
	}
	atomic_init(&p->refs, 1);
	p->owner = 0;
	return p;
}

void page_drop(struct store *s, void *page)
{
	struct page *p = page;

	if (!ref_put(&p->refs))
		return;
	store_pages_free(s, p->data, 1);
	store_free(s, p, sizeof *p);
}

int64_t page_map(const struct inode *n, uint64_t pos, size_t max, const char **out)
{
	const struct vfs_source *source = n->origin->source;
	uint64_t size = 0;
	const char *map;

	if (source->view != NULL)
		return source->view(source->user, n->origin->id, pos, max, out);
	if (source->map == NULL)
		return 0;
	map = source->map(source->user, n->origin->id, &size);
	if (map == NULL || pos >= size)
		return 0;
	*out = map + pos;
	return size - pos < max ? (int64_t)(size - pos) : (int64_t)max;
}

int64_t origin_read(const struct origin *o, uint64_t pos, char *out, size_t len)
{
	const struct vfs_source *source = o->source;
	size_t left = len;

	while (left > 0 && source->read != NULL) {
		int64_t got = source->read(source->user, o->id, pos, out, left);

		if (got < 0)
			return got;
		if (got == 0 || (uint64_t)got > left)
			break;
		out += got;
		pos += (uint64_t)got;
		left -= (size_t)got;
	}
	memset(out, 0, left);
	return (int64_t)(len - left);
}

/* Fills pages with the origin's bytes; what lies behind lazy_end is zeros. */
static int fill_pages(const struct inode *n, uint64_t pos, char *out, size_t len)
{
	uint64_t left = n->lazy_end - pos;
	size_t want = left < len ? (size_t)left : len;
	const char *map;
	int64_t mapped = page_map(n, pos, want, &map);

	memset(out + want, 0, len - want);
	if (mapped <= 0) {
		int64_t got = mapped == 0 ? origin_read(n->origin, pos, out, want) : mapped;

		return got < 0 ? (int)got : 0;
	}
	memcpy(out, map, (size_t)mapped);
	if ((size_t)mapped < want)
		memset(out + mapped, 0, want - (size_t)mapped);
	return 0;
}

uint64_t page_seek(const struct inode *n, uint64_t index, int whence)
{
	const struct vfs_source *source;
	int64_t pos;

	if (index * PAGE_BYTES >= n->lazy_end)
		return UINT64_MAX;
	source = n->origin->source;
	if (source->seek == NULL || n->origin->data_pages > (n->lazy_end - 1) / PAGE_BYTES)
		return whence == SEEK_DATA_ ? index : UINT64_MAX;
	pos = source->seek(source->user, n->origin->id, index * PAGE_BYTES, whence);
	/* What can't be told is data; reading it says why. */
	if (pos < 0 && pos != -E_NXIO)
		return whence == SEEK_DATA_ ? index : UINT64_MAX;
	if (pos < 0 || (uint64_t)pos >= n->lazy_end)
		return UINT64_MAX;
	return ((uint64_t)pos + (whence == SEEK_DATA_ ? 0 : PAGE_BYTES - 1)) / PAGE_BYTES;
}

/* Takes pages for the holes from index on; one if there is a map. */
static unsigned take_run(struct vfs *v, const struct inode *n, uint64_t index, struct page **run)
{
	uint64_t end = (n->lazy_end + PAGE_BYTES - 1) / PAGE_BYTES;
	uint64_t hole = page_seek(n, index, SEEK_HOLE_);
	const char *map;
	unsigned max = page_map(n, index * PAGE_BYTES, 1, &map) != 0 ? 1 : FETCH_PAGES;
	unsigned k = 0;

	if (hole < end)
		end = hole > index ? hole : index + 1;
	while (k < max && index + k < end && radix_get(&n->pages, index + k) == NULL) {
		run[k] = page_new(v);
		if (run[k] == NULL)
			return k;
		k++;
	}
	return k;
}

/* Reads them at once, wherever they lie: what a source is asked for is in journals. */
static int fill_run(struct vfs *v, const struct inode *n, uint64_t index, struct page **run,
		    unsigned k)
{
	size_t len = k * (size_t)PAGE_BYTES;
	unsigned together = 1;
	char *whole;
	int err;

	while (together < k && run[together]->data == run[together - 1]->data + PAGE_BYTES)
		together++;
	if (together == k)
		return fill_pages(n, index * PAGE_BYTES, run[0]->data, len);
	whole = store_alloc(v->store, len);
	if (whole == NULL)
		return -E_NOMEM;
	err = fill_pages(n, index * PAGE_BYTES, whole, len);
	for (unsigned i = 0; err == 0 && i < k; i++)
		memcpy(run[i]->data, whole + i * (size_t)PAGE_BYTES, PAGE_BYTES);
	store_free(v->store, whole, len);
	return err;
}

int page_fetch(struct vfs *v, struct inode *n, uint64_t index)
{
	struct page *run[FETCH_PAGES];
	unsigned k = take_run(v, n, index, run);
	unsigned kept = 0;
	int err = k == 0 ? -E_NOMEM : 0;

	if (err == 0)
		err = fill_run(v, n, index, run, k);
	while (err == 0 && kept < k) {
		err = radix_put(v->store, &n->pages, index + kept, run[kept]);
		kept += err == 0;
	}
	n->npages += kept;
	for (unsigned i = kept; i < k; i++)
		page_drop(v->store, run[i]);
	return kept != 0 ? 0 : err;
}

/* A page of one's own in place of `old`, which may be NULL. */
static int replace_page(struct vfs *v, struct inode *n, uint64_t index, struct page *old,
			unsigned flags, struct page **out)
{
	struct page *p = page_new(v);
	void **slot;

	if (p == NULL)
		return -E_NOMEM;
	if (radix_slot(v->store, &n->pages, index, &slot) != 0) {
		page_drop(v->store, p);
		return -E_NOMEM;
	}
	if ((flags & PAGE_WHOLE) == 0 && old != NULL)
		memcpy(p->data, old->data, PAGE_BYTES);
	else if ((flags & PAGE_WHOLE) == 0)
		memset(p->data, 0, PAGE_BYTES);
	if (old != NULL) {
		page_drop(v->store, old);
	} else {
		radix_leaf(&n->pages, index)->used++;
		n->npages++;
	}
	*slot = p;
	*out = p;
	return 0;
}

int page_own(struct vfs *v, struct inode *n, uint64_t index, unsigned flags, struct page **out)
{
	struct page *old = radix_get(&n->pages, index);
	uint64_t cost;
	int err = 0;

	if (old == NULL && index * PAGE_BYTES < n->lazy_end && (flags & PAGE_WHOLE) == 0) {
		err = page_fetch(v, n, index);
		old = radix_get(&n->pages, index);
	}
	if (err == 0)
		err = radix_own(v->store, &n->pages, index);
	if (err != 0)
		return err;
	cost = old == NULL || old->owner != v->generation ? PAGE_BYTES : 0;
	err = cost != 0 ? inode_charge(v, n, cost, (flags & PAGE_FORCE) != 0) : 0;
	if (err != 0)
		return err;
	if (old != NULL && ref_alone(&old->refs)) {
		*out = old;
	} else {
		err = replace_page(v, n, index, old, flags, out);
		if (err != 0) {
			inode_uncharge(v, n, cost);
			return err;
		}
	}
	(*out)->owner = v->generation;
	return 0;
}
