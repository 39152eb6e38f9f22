/* SPDX-License-Identifier: MIT
 *
 * Pages of files that are held by somebody outside the tree: mapped into a program.
 *
 * A held page never changes: who writes to the file then gets a copy, as for a snapshot.
 */
#include "vfs/private.h"

static struct page *inside(struct vfs_page *page)
{
	return (struct page *)(void *)page;
}

/* Brings the page from where the file came: 0, or -E_NODATA if it has none there. */
static int fetch_page(struct vfs *v, vfs_ino ino, uint64_t index)
{
	const char *bytes;
	int64_t r = vfs_view(v, ino, index * PAGE_BYTES, 1, &bytes);
	struct inode *n;

	if (r < 0)
		return (int)r;
	n = r == 0 ? NULL : inode_edit(v, ino);
	if (n == NULL)
		return r == 0 ? -E_NODATA : -E_NOMEM;
	/* A source that is mapped was only looked at. */
	if ((n->flags & INODE_INLINE) == 0 && radix_get(&n->pages, index) == NULL &&
	    index * PAGE_BYTES < n->lazy_end)
		return page_fetch(v, n, index);
	return 0;
}

int vfs_page_get(struct vfs *v, vfs_ino ino, uint64_t index, bool fetch, struct vfs_page **out)
{
	struct inode *n = inode_get(v, ino);
	struct page *p;
	int r;

	if (n == NULL || !inode_is(n, S_REG) || (n->flags & INODE_INLINE) != 0)
		return -E_NODATA;
	p = radix_get(&n->pages, index);
	if (p == NULL && !fetch)
		return -E_NOENT;
	if (p == NULL) {
		r = fetch_page(v, ino, index);
		if (r != 0)
			return r;
		n = inode_get(v, ino);
		p = n == NULL || (n->flags & INODE_INLINE) != 0 ? NULL
								: radix_get(&n->pages, index);
	}
	if (p == NULL)
		return -E_NODATA;
	ref_get(&p->refs);
	*out = (struct vfs_page *)(void *)p;
	return 0;
}

uint64_t vfs_page_next(struct vfs *v, vfs_ino ino, uint64_t index)
{
	const struct inode *n = inode_get(v, ino);

	if (n == NULL || !inode_is(n, S_REG) || (n->flags & INODE_INLINE) != 0)
		return UINT64_MAX;
	return radix_next(&n->pages, index);
}

void vfs_page_ahead(struct vfs *v, vfs_ino ino, uint64_t index, uint64_t end)
{
	const struct inode *n = inode_get(v, ino);
	const struct vfs_source *source;
	uint64_t to;

	if (n == NULL || !inode_is(n, S_REG) || (n->flags & INODE_INLINE) != 0 || n->lazy_end == 0)
		return;
	source = n->origin->source;
	to = (n->lazy_end + PAGE_BYTES - 1) / PAGE_BYTES;
	/* Holes are not read. */
	if (source->ahead == NULL || n->origin->data_pages < to)
		return;
	to = end < to ? end : to;
	while (index < to && radix_get(&n->pages, index) != NULL)
		index++;
	if (index < to)
		source->ahead(source->user, n->origin->id, index * PAGE_BYTES,
			      (to - index) * PAGE_BYTES);
}

struct vfs_page *vfs_page_again(struct vfs_page *page)
{
	ref_get(&inside(page)->refs);
	return page;
}

const char *vfs_page_bytes(const struct vfs_page *page)
{
	return ((const struct page *)(const void *)page)->data;
}

void vfs_page_put(struct store *s, struct vfs_page *page)
{
	page_drop(s, inside(page));
}

struct vfs_page *vfs_page_of(struct store *s, void *bytes)
{
	struct page *p = store_alloc(s, sizeof *p);

	if (p == NULL)
		return NULL;
	atomic_init(&p->refs, 1);
	p->owner = 0;
	p->data = bytes;
	return (struct vfs_page *)(void *)p;
}

void *vfs_page_take(struct store *s, struct vfs_page *page)
{
	struct page *p = inside(page);
	void *bytes = p->data;

	if (!ref_alone(&p->refs))
		return NULL;
	store_free(s, p, sizeof *p);
	return bytes;
}
