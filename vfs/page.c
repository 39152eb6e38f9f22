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

int vfs_page_get(struct vfs *v, vfs_ino ino, uint64_t index, struct vfs_page **out)
{
	const char *bytes;
	struct inode *n;
	struct page *p;
	int64_t r;

	/* Fetches what is not in the tree yet. */
	r = vfs_view(v, ino, index * PAGE_BYTES, 1, &bytes);
	if (r < 0)
		return (int)r;
	n = r == 0 ? NULL : inode_get(v, ino);
	if (n == NULL || (n->flags & INODE_INLINE) != 0)
		return -E_NODATA;
	p = radix_get(&n->pages, index);
	if (p == NULL)
		return -E_NODATA;
	ref_get(&p->refs);
	*out = (struct vfs_page *)(void *)p;
	return 0;
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
