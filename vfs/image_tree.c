/* SPDX-License-Identifier: MIT
 *
 * A whole tree into an image: contents of files first, then the entries of their directory,
 * upwards to the root.
 *
 * What a base has and the tree did not change is only named: directories that were never loaded,
 * files, pages of files. The levels of the walk are a list, not recursion.
 */
#include "vfs/image_format.h"

struct listing {
	uint8_t *bytes;
	size_t len;
	size_t cap;
};

struct level {
	struct level *up;
	vfs_ino dir;
	struct names_cursor cursor;
	struct name_entry entry; /* of the directory in the one above */
	struct listing listing;
};

/* Files that have several names, or are open: their content is written once. */
struct written {
	vfs_ino ino;
	uint64_t content;
};

struct writer {
	struct vfs *v;
	struct tree_save save;
	struct level *top;
	struct written *written; /* open addressing, a power of two */
	size_t written_cap;
	size_t written_count;
	uint64_t files;
	uint64_t bytes;
	bool base_used; /* and how it was mounted */
	struct base_mount mount;
	bool base_pages; /* some of its pages were named */
	uint8_t *chunk;  /* BLOCK_PAGES of an origin that must be read, and one page */
	uint64_t chunk_ino;
	uint64_t chunk_first;
};

/* --- files that are written once --- */

static size_t slot_of(const struct writer *w, vfs_ino ino)
{
	size_t at = (size_t)(ino * 0x9e3779b97f4a7c15u >> 20) & (w->written_cap - 1);

	while (w->written[at].ino != 0 && w->written[at].ino != ino)
		at = (at + 1) & (w->written_cap - 1);
	return at;
}

static bool was_written(const struct writer *w, vfs_ino ino, uint64_t *content)
{
	size_t at = w->written_cap != 0 ? slot_of(w, ino) : 0;

	if (w->written_cap == 0 || w->written[at].ino == 0)
		return false;
	*content = w->written[at].content;
	return true;
}

static int remember(struct writer *w, vfs_ino ino, uint64_t content)
{
	if (w->written_count * 2 >= w->written_cap) {
		struct written *old = w->written;
		size_t cap = w->written_cap;

		w->written_cap = cap != 0 ? 2 * cap : 64;
		w->written = store_alloc(w->v->store, w->written_cap * sizeof *old);
		if (w->written == NULL) {
			w->written = old;
			w->written_cap = cap;
			return -E_NOMEM;
		}
		memset(w->written, 0, w->written_cap * sizeof *old);
		for (size_t i = 0; i < cap; i++)
			if (old[i].ino != 0)
				w->written[slot_of(w, old[i].ino)] = old[i];
		store_free(w->v->store, old, cap * sizeof *old);
	}
	w->written[slot_of(w, ino)] = (struct written){ ino, content };
	w->written_count++;
	return 0;
}

/* --- the base --- */

/* The entry that an object came from, if its image's content lies in the base. */
static bool from_base(struct writer *w, const struct origin *o, struct image_entry *x)
{
	struct base_mount mount;
	struct image *i;

	if (w->save.base == NULL || o == NULL || !image_is_source(o->source))
		return false;
	i = o->source->user;
	if (i == w->save.base)
		mount = (struct base_mount){ o->first, o->masked, o->uid, o->gid };
	else
		image_base_mount(i, &mount);
	/* Mounted twice, an image is a base only as it was met first. */
	if (w->base_used && (w->mount.first != mount.first || w->mount.owned != mount.owned ||
			     w->mount.uid != mount.uid || w->mount.gid != mount.gid))
		return false;
	if (image_find(&i, o->id, x) != 0 || i != w->save.base)
		return false;
	w->mount = mount;
	w->base_used = true;
	return true;
}

/* --- contents --- */

/* A page of an origin's bytes; what lies behind lazy_end is zeros. */
static int origin_page(struct writer *w, vfs_ino ino, const struct inode *n, uint64_t index,
		       const char **out)
{
	uint8_t *page = w->chunk + BLOCK_PAGES * PAGE_BYTES;
	uint64_t pos = index * PAGE_BYTES;
	uint64_t first = index - index % BLOCK_PAGES;
	uint64_t left = n->lazy_end - pos;
	size_t len = left < PAGE_BYTES ? (size_t)left : PAGE_BYTES;
	int64_t got = page_map(n, pos, len, out);

	if (got == 0 && (w->chunk_ino != ino || w->chunk_first != first)) {
		w->chunk_ino = 0;
		left = n->lazy_end - first * PAGE_BYTES;
		got = origin_read(n->origin, first * PAGE_BYTES, (char *)w->chunk,
				  left < BLOCK_PAGES * PAGE_BYTES ? (size_t)left
								  : BLOCK_PAGES * PAGE_BYTES);
		if (got < 0)
			return (int)got;
		w->chunk_ino = ino;
		w->chunk_first = first;
		got = 0;
	}
	if (got < 0)
		return (int)got;
	if (got == 0)
		*out = (const char *)w->chunk + (index - first) * PAGE_BYTES;
	else if ((size_t)got < len)
		return -E_IO;
	if (len < PAGE_BYTES) {
		memcpy(page, *out, len);
		memset(page + len, 0, PAGE_BYTES - len);
		*out = (const char *)page;
	}
	return 0;
}

/* The part of an extent from index on, below `end`. */
static void clip_extent(struct extent *e, uint64_t index, uint64_t end)
{
	uint32_t before = e->first < index ? (uint32_t)(index - e->first) : 0;

	e->first += before;
	e->count -= before;
	if (e->stored != 0)
		e->skip += before;
	else
		e->at += before;
	if (e->count > end - e->first)
		e->count = (uint32_t)(end - e->first);
}

/* What an image has of a file from *index on: a hole is skipped, pages that lie in the base are
 * only named. Then *index is where that ends; else where pages are to be copied up to *next. */
static int step_image(struct writer *w, struct content *c, struct image *i,
		      const struct image_entry *x, uint64_t *index, uint64_t end, uint64_t *next)
{
	unsigned kind = x->content & CONTENT_MASK;
	bool paged = kind == CONTENT_EXTENTS;
	struct extent e = { .count = 0 };
	int err = paged ? image_extent(i, x->content, *index, &e) : 0;

	*next = end;
	if (err != 0 || (!paged && kind != 0))
		return err;
	if (e.count == 0 || e.first >= end) {
		*index = end;
		return 0;
	}
	clip_extent(&e, *index, end);
	*index = e.first;
	*next = e.first + e.count;
	if (w->save.base == NULL || (i != w->save.base && (!e.in_base || i->base != w->save.base)))
		return 0;
	e.in_base = true;
	w->base_pages = true;
	*index = *next;
	return content_extent(c, &e);
}

/* Holes of the origin stay holes. */
static int copy_pages(struct writer *w, struct content *c, vfs_ino ino, const struct inode *n,
		      uint64_t index, uint64_t end)
{
	uint64_t hole = index; /* up to there it is known that there is data */
	int err = 0;

	for (; err == 0 && index < end; index++) {
		const struct page *p = radix_get(&n->pages, index);
		const char *page = p != NULL ? p->data : NULL;

		if (p == NULL && index >= hole) {
			index = page_seek(n, index, SEEK_DATA_);
			if (index >= end)
				return 0;
			hole = page_seek(n, index, SEEK_HOLE_);
			p = radix_get(&n->pages, index);
			page = p != NULL ? p->data : NULL;
		}
		if (p == NULL)
			err = origin_page(w, ino, n, index, &page);
		if (err == 0)
			err = content_page(c, index, page);
	}
	return err;
}

/* Pages from index up to `end`, which the tree has only as copies of the origin's, if at all. */
static int put_lazy(struct writer *w, struct content *c, vfs_ino ino, const struct inode *n,
		    uint64_t index, uint64_t end)
{
	struct image *i = image_is_source(n->origin->source) ? n->origin->source->user : NULL;
	struct image_entry x;
	uint64_t whole = end;
	int err = i != NULL ? image_find(&i, n->origin->id, &x) : 0;

	/* A page that was cut ends in zeros, unlike the image's. */
	if (err == 0 && i != NULL && n->lazy_end < x.e.size && n->lazy_end / PAGE_BYTES < end)
		whole = n->lazy_end / PAGE_BYTES;
	while (err == 0 && i != NULL && index < whole) {
		uint64_t next;

		err = step_image(w, c, i, &x, &index, whole, &next);
		if (err == 0 && index < next) {
			err = copy_pages(w, c, ino, n, index, next < whole ? next : whole);
			index = next;
		}
	}
	return err == 0 ? copy_pages(w, c, ino, n, index, end) : err;
}

/* Whether the tree has the page of its own, not as a copy of what the origin has. */
static const struct page *own_page(const struct inode *n, uint64_t index)
{
	const struct page *p = radix_get(&n->pages, index);

	return p != NULL && (p->owner != 0 || index * PAGE_BYTES >= n->lazy_end) ? p : NULL;
}

static uint64_t next_own(const struct inode *n, uint64_t index)
{
	do
		index = radix_next(&n->pages, index);
	while (index != UINT64_MAX && own_page(n, index) == NULL && ++index != 0);
	return index;
}

static int put_pages(struct writer *w, struct content *c, vfs_ino ino, const struct inode *n)
{
	uint64_t lazy = (n->lazy_end + PAGE_BYTES - 1) / PAGE_BYTES;
	uint64_t end = (n->size + PAGE_BYTES - 1) / PAGE_BYTES;
	uint64_t index = 0;
	int err = 0;

	while (err == 0 && index < end) {
		uint64_t own = next_own(n, index);

		if (index < lazy && own > index)
			err = put_lazy(w, c, ino, n, index, own < lazy ? own : lazy);
		if (err != 0 || own >= end)
			return err;
		err = content_page(c, own, own_page(n, own)->data);
		index = own + 1;
	}
	return err;
}

/* Small files lie packed together. */
static int put_small(struct writer *w, vfs_ino ino, size_t size, uint64_t *content)
{
	char bytes[INLINE_MAX];
	int64_t got = vfs_read(w->v, ino, 0, bytes, size);
	int err;

	if (got != (int64_t)size)
		return got < 0 ? (int)got : -E_IO;
	err = image_out_bytes(w->save.out, bytes, size, content);
	*content |= CONTENT_INLINE;
	return err;
}

static int put_paged(struct writer *w, vfs_ino ino, const struct inode *n, uint64_t *content)
{
	char page[PAGE_BYTES];
	struct content c;
	int err;

	content_start(&c, w->save.out, w->v->store);
	if ((n->flags & INODE_INLINE) != 0) {
		memcpy(page, n->blob->bytes, n->inlined);
		memset(page + n->inlined, 0, sizeof page - n->inlined);
		err = content_page(&c, 0, page);
	} else {
		err = put_pages(w, &c, ino, n);
	}
	if (err == 0)
		err = content_finish(&c, content);
	content_clear(&c);
	return err;
}

/* The content of a regular file, as its entry has it. */
static int put_content(struct writer *w, vfs_ino ino, uint64_t *content)
{
	struct inode *n = inode_get(w->v, ino);
	bool once = n->nlink > 1 || (w->save.live != NULL && hold_find(w->save.live, ino) != NULL);
	struct image_entry x;
	int err = 0;

	if (once && was_written(w, ino, content))
		return 0;
	if ((n->flags & INODE_SIZE_UNKNOWN) != 0) {
		err = lazy_load_file(w->v, ino);
		if (err != 0)
			return err;
		n = inode_get(w->v, ino);
	}
	w->bytes += n->size;
	*content = 0;
	if ((n->flags & INODE_PRISTINE) != 0 && n->origin != NULL &&
	    n->origin->source == w->save.pending)
		*content = n->origin->id;
	else if ((n->flags & INODE_PRISTINE) != 0 && from_base(w, n->origin, &x) &&
		 x.e.size == n->size)
		*content = x.content | IN_BASE;
	else if (n->size != 0 && n->size <= INLINE_MAX)
		err = put_small(w, ino, (size_t)n->size, content);
	else if (n->size != 0)
		err = put_paged(w, ino, n, content);
	return err == 0 && once ? remember(w, ino, *content) : err;
}

/* --- entries --- */

static uint8_t *room(struct writer *w, struct listing *l, size_t len)
{
	if (l->len + len > l->cap) {
		size_t cap = 2 * l->cap > l->len + len ? 2 * l->cap : l->len + len;
		uint8_t *more = store_alloc(w->v->store, cap);

		if (more == NULL)
			return NULL;
		if (l->bytes != NULL)
			memcpy(more, l->bytes, l->len);
		store_free(w->v->store, l->bytes, l->cap);
		l->bytes = more;
		l->cap = cap;
	}
	l->len += len;
	memset(l->bytes + l->len - len, 0, len);
	return l->bytes + l->len - len;
}

/* Appends an entry; size and content are those of a file or of a directory's entries. */
static int put_entry(struct writer *w, struct listing *l, vfs_ino ino, struct bytes name,
		     uint64_t size, uint64_t content)
{
	const struct inode *n = inode_get(w->v, ino);
	bool link = inode_is(n, S_LNK);
	struct vfs_stat st;
	size_t target = link ? (size_t)n->size : 0;
	uint32_t live = w->save.live != NULL ? w->save.live->generation : 0;
	struct bytes xattrs = xattrs_of(n);
	uint8_t *at = room(w, l, (ENTRY_BYTES + name.len + target + xattrs.len + 7) & ~(size_t)7);

	if (at == NULL)
		return -E_NOMEM;
	put64(at + ENTRY_INO, ino);
	put64(at + ENTRY_MTIME, (uint64_t)n->mtime_ns);
	put64(at + ENTRY_ATIME, (uint64_t)n->atime_ns);
	put64(at + ENTRY_CTIME, (uint64_t)n->ctime_ns);
	put64(at + ENTRY_BTIME, (uint64_t)n->btime_ns);
	put64(at + ENTRY_SIZE, size);
	put64(at + ENTRY_CONTENT, content);
	inode_fill_stat(ino, n, &st);
	put64(at + ENTRY_RDEV, inode_is(n, S_REG) ? st.blocks / 8 : st.rdev);
	put64(at + ENTRY_CHARGED, live != 0 && n->charged_by == live ? n->charged : 0);
	put32(at + ENTRY_MODE, n->mode);
	put32(at + ENTRY_NLINK, n->nlink);
	put32(at + ENTRY_UID, n->uid);
	put32(at + ENTRY_GID, n->gid);
	put16(at + ENTRY_NAME_LEN, (uint16_t)name.len);
	put16(at + ENTRY_TARGET_LEN, (uint16_t)target);
	put16(at + ENTRY_FLAGS, live != 0 && n->owner == live ? ENTRY_OWNED : 0);
	put16(at + ENTRY_XATTRS_LEN, (uint16_t)xattrs.len);
	if (xattrs.len != 0)
		memcpy(at + ENTRY_BYTES + name.len + target, xattrs.ptr, xattrs.len);
	if (name.len != 0)
		memcpy(at + ENTRY_BYTES, name.ptr, name.len);
	if (link)
		memcpy(at + ENTRY_BYTES + name.len, n->blob->bytes, target);
	w->files++;
	return 0;
}

/* --- the walk --- */

static int enter(struct writer *w, vfs_ino dir, const struct name_entry *entry)
{
	const struct inode *n = inode_get(w->v, dir);
	struct level *l;
	int err = (n->flags & INODE_UNLOADED) != 0 ? lazy_load_dir(w->v, dir) : 0;

	if (err != 0)
		return err;
	l = store_alloc(w->v->store, sizeof *l);
	if (l == NULL)
		return -E_NOMEM;
	*l = (struct level){ .up = w->top, .dir = dir, .entry = *entry };
	n = inode_get(w->v, dir);
	names_seek(&l->cursor, (n->flags & INODE_DYNAMIC) != 0 ? NULL : n->names,
		   (struct bytes){ NULL, 0 });
	w->top = l;
	return 0;
}

static void drop_level(struct writer *w)
{
	struct level *l = w->top;

	w->top = l->up;
	store_free(w->v->store, l->listing.bytes, l->listing.cap);
	store_free(w->v->store, l, sizeof *l);
}

static int put_directory(struct writer *w, const struct name_entry *entry)
{
	const struct inode *n = inode_get(w->v, entry->value);
	struct image_entry x;

	if ((n->flags & INODE_UNLOADED) != 0 && from_base(w, n->origin, &x))
		return put_entry(w, &w->top->listing, entry->value, entry->name, x.e.size,
				 x.content | IN_BASE);
	return enter(w, entry->value, entry);
}

static int put_object(struct writer *w, const struct name_entry *entry)
{
	uint64_t content = 0;
	int err = 0;

	if (inode_is(inode_get(w->v, entry->value), S_DIR))
		return put_directory(w, entry);
	if (inode_is(inode_get(w->v, entry->value), S_REG))
		err = put_content(w, entry->value, &content);
	if (err != 0)
		return err;
	return put_entry(w, &w->top->listing, entry->value, entry->name,
			 inode_get(w->v, entry->value)->size, content);
}

/* The directory is complete: its entries go out, and its own into the one above. */
static int leave(struct writer *w, uint8_t end[PAGE_BYTES])
{
	struct level *l = w->top;
	struct listing root = { NULL, 0, 0 };
	uint64_t place;
	int err = image_out_bytes(w->save.out, l->listing.bytes, l->listing.len, &place);

	if (err == 0)
		err = put_entry(w, l->up != NULL ? &l->up->listing : &root, l->dir, l->entry.name,
				l->listing.len, place);
	if (err == 0 && l->up == NULL) {
		err = image_out_bytes(w->save.out, root.bytes, root.len, &place);
		put64(end + END_ROOT, place);
	}
	store_free(w->v->store, root.bytes, root.cap);
	drop_level(w);
	return err;
}

/* What programs have in memory, as a file without a name. */
static int put_memory(struct writer *w, struct listing *l)
{
	const struct image_save *s = w->save.session;
	struct content c;
	uint64_t content = 0;
	uint8_t *at;
	int err = 0;

	content_start(&c, w->save.out, w->v->store);
	for (size_t i = 0; i < s->nmemory && err == 0; i++)
		err = content_page(&c, i, s->memory[i]);
	if (err == 0 && s->nmemory != 0)
		err = content_finish(&c, &content);
	at = err == 0 ? room(w, l, ENTRY_BYTES) : NULL;
	if (at != NULL) {
		put64(at + ENTRY_INO, w->v->next_ino++);
		put64(at + ENTRY_SIZE, s->nmemory * PAGE_BYTES);
		put64(at + ENTRY_CONTENT, content);
		put64(at + ENTRY_RDEV, c.pages);
		put32(at + ENTRY_MODE, S_REG | 0600);
	}
	content_clear(&c);
	return err == 0 && at == NULL ? -E_NOMEM : err;
}

/* What descriptors refer to by number: open files, and what has no name any more. */
static int put_eager(struct writer *w, uint8_t end[PAGE_BYTES])
{
	const struct vfs *live = w->save.live;
	struct listing l = { NULL, 0, 0 };
	uint64_t place = 0;
	int err = 0;

	for (uint32_t i = 0; live != NULL && err == 0 && i < live->holds_cap; i++) {
		vfs_ino ino = live->holds[i].ino;
		const struct inode *n = ino != 0 ? inode_get(w->v, ino) : NULL;
		uint64_t content = 0;

		if (n == NULL || (inode_is(n, S_DIR) && n->nlink != 0) ||
		    (w->save.session != NULL && ino == w->save.session->left_out))
			continue;
		if (inode_is(n, S_REG))
			err = put_content(w, ino, &content);
		if (err == 0)
			err = put_entry(w, &l, ino, (struct bytes){ "", 0 },
					inode_is(n, S_DIR) ? 0 : inode_get(w->v, ino)->size,
					content);
	}
	if (err == 0 && w->save.session != NULL && w->save.session->memory != NULL)
		err = put_memory(w, &l);
	if (err == 0)
		err = image_out_bytes(w->save.out, l.bytes, l.len, &place);
	put64(end + END_EAGER, place);
	put64(end + END_EAGER + 8, l.len);
	store_free(w->v->store, l.bytes, l.cap);
	return err;
}

static int walk(struct writer *w, uint8_t end[PAGE_BYTES])
{
	static const struct name_entry root = { .name = { "", 0 }, .value = VFS_ROOT };
	int err = enter(w, VFS_ROOT, &root);

	while (err == 0 && w->top != NULL) {
		struct name_entry entry;

		if (names_next(&w->top->cursor, &entry))
			err = put_object(w, &entry);
		else
			err = leave(w, end);
	}
	while (w->top != NULL)
		drop_level(w);
	return err == 0 ? put_eager(w, end) : err;
}

int tree_write(struct vfs *v, const struct tree_save *save, uint8_t end[PAGE_BYTES])
{
	struct writer w = { .v = v, .save = *save };
	int err;

	w.chunk = store_pages(v->store, BLOCK_PAGES + 1);
	if (w.chunk == NULL)
		return -E_NOMEM;
	err = walk(&w, end);
	put64(end + END_NUMBERS, v->next_ino);
	put64(end + END_FILES, w.files);
	put64(end + END_BYTES, w.bytes);
	if (w.base_used || w.base_pages) {
		put32(end + END_HAS_BASE, 1);
		put64(end + END_BASE_FIRST, w.mount.first);
		put32(end + END_BASE_OWNED, w.mount.owned);
		put32(end + END_BASE_UID, w.mount.uid);
		put32(end + END_BASE_GID, w.mount.gid);
		memcpy(end + END_BASE_ID, w.save.base->end + END_HASH, HASH_BYTES);
	}
	if (w.save.live != NULL) {
		put64(end + END_USED_BYTES, w.save.live->usage.bytes);
		put64(end + END_USED_FILES, w.save.live->usage.inodes);
	}
	store_pages_free(v->store, w.chunk, BLOCK_PAGES + 1);
	store_free(v->store, w.written, w.written_cap * sizeof *w.written);
	return err;
}

int image_write(struct vfs *v, const struct image_sink *sink, const struct image_save *save,
		struct image_info *info)
{
	uint8_t end[PAGE_BYTES] = { 0 };
	struct vfs_tree *tree = vfs_snapshot(v);
	struct tree_save what = { .base = save->base, .live = v, .session = save };
	struct vfs *copy = NULL;
	uint64_t place;
	int err = tree != NULL ? vfs_new(v->store, tree, NULL, NULL, &copy) : -E_NOMEM;

	if (err == 0)
		err = image_out_new(v->store, sink, IMAGE_SESSION, &what.out);
	if (err == 0)
		err = tree_write(copy, &what, end);
	if (err == 0)
		err = image_out_bytes(what.out, save->state.ptr, save->state.len, &place);
	if (err == 0) {
		put64(end + END_STATE, place);
		put64(end + END_STATE + 8, save->state.len);
		err = image_out_bytes(what.out, save->base_name.ptr, save->base_name.len, &place);
	}
	if (err == 0) {
		put64(end + END_BASE_NAME, place);
		put64(end + END_BASE_NAME + 8, save->base_name.len);
		err = image_out_finish(what.out, end, info);
	}
	image_out_free(what.out);
	vfs_free(copy);
	vfs_tree_put(tree);
	return err;
}
