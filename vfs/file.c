/* SPDX-License-Identifier: MIT
 *
 * Contents of regular files: reading, zero-copy views, writing, truncating, holes.
 *
 * A file is inline bytes (up to INLINE_MAX) or a tree of pages. In both, bytes that are not
 * there up to the size are holes: zeros, or for a lazy file below lazy_end the origin's.
 * Invariant: what a page holds behind the end of the file is zero.
 */
#include "vfs/private.h"

#define FILE_BYTES_MAX ((uint64_t)INT64_MAX)

static const char zeros[PAGE_BYTES] __attribute__((aligned(4096)));

/* The inode of a regular file whose size is known. */
static int get_file(struct vfs *v, vfs_ino ino, struct inode **out)
{
	struct inode *n = ino_is_dynamic(ino) ? NULL : inode_get(v, ino);

	if (n == NULL)
		return ino_is_dynamic(ino) ? -E_INVAL : -E_NOENT;
	if (!inode_is(n, S_REG))
		return inode_is(n, S_DIR) ? -E_ISDIR : -E_INVAL;
	if ((n->flags & INODE_SIZE_UNKNOWN) != 0) {
		int err = lazy_load_file(v, ino);

		if (err != 0)
			return err;
		n = inode_get(v, ino);
	}
	*out = n;
	return 0;
}

static size_t lesser(uint64_t a, size_t b)
{
	return a < b ? (size_t)a : b;
}

/* Bytes of the page at pos and of those that follow it in memory as well as in the file. */
static size_t page_span(const struct inode *n, uint64_t pos, size_t max, const char **out)
{
	uint64_t index = pos / PAGE_BYTES;
	const struct radix_node *leaf = radix_leaf(&n->pages, index);
	const struct page *p = leaf->slot[index & RADIX_MASK];
	size_t len = PAGE_BYTES - pos % PAGE_BYTES;
	const char *next = p->data + PAGE_BYTES;

	*out = p->data + pos % PAGE_BYTES;
	while (len < max) {
		index++;
		if ((index & RADIX_MASK) == 0)
			leaf = radix_leaf(&n->pages, index);
		p = leaf != NULL ? leaf->slot[index & RADIX_MASK] : NULL;
		if (p == NULL || p->data != next)
			break;
		len += PAGE_BYTES;
		next += PAGE_BYTES;
	}
	return lesser(len, max);
}

static size_t hole_span(uint64_t pos, size_t max, const char **out)
{
	*out = zeros + pos % PAGE_BYTES;
	return lesser(PAGE_BYTES - pos % PAGE_BYTES, max);
}

/* Bytes of a mapped origin, up to the first page that the tree has itself; or an error. */
static int64_t mapped_span(const struct inode *n, uint64_t pos, size_t max, const char **out)
{
	const struct vfs_source *source = n->origin->source;
	uint64_t next, end;

	if (source->map == NULL && source->view == NULL)
		return 0;
	next = radix_next(&n->pages, pos / PAGE_BYTES);
	end = next > n->lazy_end / PAGE_BYTES ? n->lazy_end : next * PAGE_BYTES;
	return page_map(n, pos, lesser(end - pos, max), out);
}

/* The bytes at pos that are contiguous; pos + max lies within the file, max > 0. */
static int64_t span(struct vfs *v, vfs_ino ino, uint64_t pos, size_t max, const char **out)
{
	struct inode *n = inode_get(v, ino);
	uint64_t index = pos / PAGE_BYTES;

	if ((n->flags & INODE_INLINE) != 0) {
		if (pos >= n->inlined)
			return (int64_t)hole_span(pos, max, out);
		*out = n->blob->bytes + pos;
		return (int64_t)lesser(n->inlined - pos, max);
	}
	if (radix_get(&n->pages, index) == NULL && pos < n->lazy_end) {
		int64_t len = mapped_span(n, pos, max, out);
		int err;

		if (len != 0)
			return len;
		if (page_seek(n, index, SEEK_DATA_) > index)
			return (int64_t)hole_span(pos, max, out);
		n = inode_edit(v, ino);
		err = n == NULL ? -E_NOMEM : page_fetch(v, n, index);
		if (err != 0)
			return err;
	}
	if (radix_get(&n->pages, index) == NULL)
		return (int64_t)hole_span(pos, max, out);
	return (int64_t)page_span(n, pos, max, out);
}

int64_t vfs_view(struct vfs *v, vfs_ino ino, uint64_t pos, size_t max, const char **out)
{
	struct inode *n;
	int err = get_file(v, ino, &n);

	if (err != 0)
		return err;
	if (pos >= n->size || max == 0)
		return 0;
	return span(v, ino, pos, lesser(n->size - pos, max), out);
}

int64_t vfs_read(struct vfs *v, vfs_ino ino, uint64_t pos, void *out, size_t n)
{
	size_t done = 0;

	while (done < n) {
		const char *from;
		int64_t got = vfs_view(v, ino, pos + done, n - done, &from);

		if (got < 0 && done == 0)
			return got;
		if (got <= 0)
			break;
		memcpy((char *)out + done, from, (size_t)got);
		done += (size_t)got;
	}
	return (int64_t)done;
}

/* --- writing --- */

static uint64_t charged_here(const struct vfs *v, const struct inode *n)
{
	return n->charged_by == v->generation ? n->charged : 0;
}

/* An owned blob with room for `len` bytes in the inode. */
static int ready_blob(struct vfs *v, struct inode *n, size_t len)
{
	bool had = (n->flags & INODE_INLINE) != 0;
	struct blob *old = had ? n->blob : NULL;
	struct blob *b;
	size_t cap = store_rounded(len + sizeof *b) - sizeof *b;

	if (had && ref_alone(&old->refs) && old->cap >= len)
		return 0;
	if (had && old->cap < len && cap < 2u * old->cap)
		cap = store_rounded(2u * old->cap + sizeof *b) - sizeof *b;
	if (cap > INLINE_MAX)
		cap = INLINE_MAX;
	b = blob_new(v->store, cap);
	if (b == NULL)
		return -E_NOMEM;
	if (had) {
		memcpy(b->bytes, old->bytes, n->inlined);
		blob_put(v->store, old);
	}
	n->blob = b;
	n->flags |= INODE_INLINE;
	return 0;
}

static int64_t write_inline(struct vfs *v, struct inode *n, uint64_t pos, const void *data,
			    size_t len)
{
	size_t end = (size_t)pos + len;
	size_t inlined = end > n->inlined ? end : n->inlined;
	uint64_t charged = charged_here(v, n);
	uint64_t more = inlined > charged ? inlined - charged : 0;
	int err = more != 0 ? inode_charge(v, n, more, false) : 0;

	if (err == 0) {
		err = ready_blob(v, n, inlined);
		if (err != 0)
			inode_uncharge(v, n, more);
	}
	if (err != 0)
		return err;
	if (pos > n->inlined)
		memset(n->blob->bytes + n->inlined, 0, (size_t)pos - n->inlined);
	memcpy(n->blob->bytes + pos, data, len);
	n->inlined = (uint32_t)inlined;
	return (int64_t)len;
}

/* Turns inline bytes into a page. */
static int leave_inline(struct vfs *v, struct inode *n)
{
	struct radix pages = { NULL, 0 };
	uint64_t charged = charged_here(v, n);
	struct page *p = NULL;

	if (n->inlined != 0) {
		int err = inode_charge(v, n, PAGE_BYTES, false);

		if (err != 0)
			return err;
		p = page_new(v);
		if (p == NULL || radix_put(v->store, &pages, 0, p) != 0) {
			if (p != NULL)
				page_drop(v->store, p);
			radix_put_root(v->store, &pages, page_drop);
			inode_uncharge(v, n, PAGE_BYTES);
			return -E_NOMEM;
		}
		memcpy(p->data, n->blob->bytes, n->inlined);
		memset(p->data + n->inlined, 0, PAGE_BYTES - n->inlined);
		p->owner = v->generation;
	}
	inode_uncharge(v, n, charged);
	blob_put(v->store, n->blob);
	n->pages = pages;
	n->npages = p != NULL;
	n->inlined = 0;
	n->flags &= ~(uint32_t)INODE_INLINE;
	return 0;
}

static int64_t write_pages(struct vfs *v, struct inode *n, uint64_t pos, const char *data,
			   size_t len)
{
	size_t done = 0;

	while (done < len) {
		uint64_t at = pos + done;
		size_t within = (size_t)(at % PAGE_BYTES);
		size_t part = lesser(PAGE_BYTES - within, len - done);
		struct page *p;
		int err = page_own(v, n, at / PAGE_BYTES, part == PAGE_BYTES ? PAGE_WHOLE : 0, &p);

		if (err != 0)
			return done != 0 ? (int64_t)done : err;
		memcpy(p->data + within, data + done, part);
		done += part;
	}
	return (int64_t)done;
}

static bool fits_inline(const struct inode *n, uint64_t end)
{
	return end <= INLINE_MAX && n->npages == 0 && n->lazy_end == 0;
}

static int64_t write_some(struct vfs *v, struct inode *n, uint64_t pos, const void *data,
			  size_t len)
{
	if ((n->flags & INODE_INLINE) != 0 ? pos + len <= INLINE_MAX : fits_inline(n, pos + len)) {
		if ((n->flags & INODE_INLINE) == 0)
			radix_put_root(v->store, &n->pages, page_drop);
		return write_inline(v, n, pos, data, len);
	}
	if ((n->flags & INODE_INLINE) != 0) {
		int err = leave_inline(v, n);

		if (err != 0)
			return err;
	}
	return write_pages(v, n, pos, data, len);
}

int64_t vfs_write(struct vfs *v, vfs_ino ino, uint64_t pos, const void *data, size_t len)
{
	uint64_t limit = v->limits.file_bytes != 0 ? v->limits.file_bytes : FILE_BYTES_MAX;
	struct inode *n;
	int64_t done = get_file(v, ino, &n);

	if (done != 0 || len == 0)
		return done;
	if (limit > FILE_BYTES_MAX)
		limit = FILE_BYTES_MAX;
	if (pos >= limit)
		return -E_FBIG;
	len = lesser(limit - pos, len);
	n = inode_edit(v, ino);
	if (n == NULL)
		return -E_NOMEM;
	done = write_some(v, n, pos, data, len);
	if (done <= 0)
		return done;
	if (pos + (uint64_t)done > n->size)
		n->size = pos + (uint64_t)done;
	n->flags &= ~(uint32_t)INODE_PRISTINE;
	n->mtime_ns = n->ctime_ns = vfs_now(v);
	return done;
}

/* --- truncating --- */

/* Gives back what the pages from `first` on have cost. */
static void uncount_pages(struct vfs *v, struct inode *n, uint64_t first)
{
	uint64_t own = 0;

	for (uint64_t i = radix_next(&n->pages, first); i != UINT64_MAX;
	     i = radix_next(&n->pages, i + 1)) {
		own += ((struct page *)radix_get(&n->pages, i))->owner == v->generation;
		n->npages--;
	}
	inode_uncharge(v, n, own * PAGE_BYTES);
}

/* Drops what lies behind size; changes nothing when it fails. */
static int cut_pages(struct vfs *v, struct inode *n, uint64_t size)
{
	uint64_t first = (size + PAGE_BYTES - 1) / PAGE_BYTES;
	struct page *tail = NULL;
	int err = 0;

	if (size % PAGE_BYTES != 0 && radix_get(&n->pages, first - 1) != NULL)
		err = page_own(v, n, first - 1, PAGE_FORCE, &tail);
	if (err == 0)
		err = radix_own(v->store, &n->pages, first);
	if (err != 0)
		return err;
	if (tail != NULL)
		memset(tail->data + size % PAGE_BYTES, 0, PAGE_BYTES - size % PAGE_BYTES);
	uncount_pages(v, n, first);
	radix_cut(v->store, &n->pages, first, page_drop);
	if (n->lazy_end > size)
		n->lazy_end = size;
	return 0;
}

static void empty_file(struct vfs *v, struct inode *n)
{
	if ((n->flags & INODE_INLINE) != 0)
		blob_put(v->store, n->blob);
	else
		radix_put_root(v->store, &n->pages, page_drop);
	n->flags &= ~(uint32_t)(INODE_INLINE | INODE_SIZE_UNKNOWN);
	n->pages = (struct radix){ NULL, 0 };
	n->npages = 0;
	n->inlined = 0;
	n->lazy_end = 0;
	inode_uncharge(v, n, n->charged);
}

static int shrink(struct vfs *v, struct inode *n, uint64_t size)
{
	if (size == 0) {
		empty_file(v, n);
		return 0;
	}
	if ((n->flags & INODE_INLINE) == 0)
		return cut_pages(v, n, size);
	if (n->inlined > size) {
		inode_uncharge(v, n, n->inlined - size);
		n->inlined = (uint32_t)size;
	}
	return 0;
}

static unsigned seals_of(const struct inode *n)
{
	return n->flags >> INODE_SEALS;
}

int vfs_make_sealable(struct vfs *v, vfs_ino ino)
{
	struct inode *n = inode_edit(v, ino);

	if (n != NULL)
		n->flags |= INODE_SEALABLE;
	return n != NULL ? 0 : -E_NOMEM;
}

int vfs_seals(struct vfs *v, vfs_ino ino)
{
	const struct inode *n = ino_is_dynamic(ino) ? NULL : inode_get(v, ino);

	return n != NULL && (n->flags & INODE_SEALABLE) != 0 ? (int)seals_of(n) : -E_INVAL;
}

int vfs_seal(struct vfs *v, vfs_ino ino, unsigned seals)
{
	int had = vfs_seals(v, ino);
	struct inode *n;

	if (had < 0 || (had & SEAL_SEAL) != 0)
		return had < 0 ? had : -E_PERM;
	n = inode_edit(v, ino);
	if (n == NULL)
		return -E_NOMEM;
	n->flags |= seals << INODE_SEALS;
	return 0;
}

int vfs_truncate(struct vfs *v, vfs_ino ino, uint64_t size)
{
	struct inode *n = ino_is_dynamic(ino) ? NULL : inode_get(v, ino);
	uint64_t limit = v->limits.file_bytes != 0 ? v->limits.file_bytes : FILE_BYTES_MAX;
	int err = 0;

	/* What becomes empty need not be read first. */
	if (n == NULL || !inode_is(n, S_REG) || size != 0)
		err = get_file(v, ino, &n);
	if (err != 0)
		return err;
	if (size > n->size && (size > limit || size > FILE_BYTES_MAX))
		return -E_FBIG;
	if ((size < n->size && (seals_of(n) & SEAL_SHRINK) != 0) ||
	    (size > n->size && (seals_of(n) & SEAL_GROW) != 0))
		return -E_PERM;
	n = inode_edit(v, ino);
	if (n == NULL)
		return -E_NOMEM;
	if (size < n->size || size == 0)
		err = shrink(v, n, size);
	if (err != 0)
		return err;
	n->size = size;
	n->flags &= ~(uint32_t)INODE_PRISTINE;
	n->mtime_ns = n->ctime_ns = vfs_now(v);
	return 0;
}

/* --- holes --- */

static uint64_t next_data(const struct inode *n, uint64_t index)
{
	uint64_t own, lazy;

	if ((n->flags & INODE_INLINE) != 0)
		return index == 0 && n->inlined != 0 ? 0 : UINT64_MAX;
	own = radix_next(&n->pages, index);
	lazy = page_seek(n, index, SEEK_DATA_);
	return own < lazy ? own : lazy;
}

static uint64_t next_hole(const struct inode *n, uint64_t index)
{
	if ((n->flags & INODE_INLINE) != 0)
		return index == 0 && n->inlined != 0 ? 1 : index;
	while (index * PAGE_BYTES < n->size) {
		uint64_t hole = index;

		if (radix_get(&n->pages, index) != NULL) {
			index++;
			continue;
		}
		if (index * PAGE_BYTES < n->lazy_end)
			hole = page_seek(n, index, SEEK_HOLE_);
		if (hole == index)
			break;
		index = hole != UINT64_MAX ? hole : (n->lazy_end + PAGE_BYTES - 1) / PAGE_BYTES;
	}
	return index;
}

int64_t vfs_seek_data(struct vfs *v, vfs_ino ino, uint64_t pos, int whence)
{
	uint64_t index = pos / PAGE_BYTES;
	struct inode *n;
	uint64_t found;
	int err = get_file(v, ino, &n);

	if (err != 0)
		return err;
	if (pos >= n->size)
		return -E_NXIO;
	index = whence == SEEK_DATA_ ? next_data(n, index) : next_hole(n, index);
	if (index > n->size / PAGE_BYTES)
		return whence == SEEK_DATA_ ? -E_NXIO : (int64_t)n->size;
	found = index * PAGE_BYTES > pos ? index * PAGE_BYTES : pos;
	if (found >= n->size)
		return whence == SEEK_DATA_ ? -E_NXIO : (int64_t)n->size;
	return (int64_t)found;
}
