/* SPDX-License-Identifier: MIT
 *
 * Objects from a source: directories whose entries are made at first use, files whose bytes
 * are read at first use. What was made so is an ordinary part of the tree that remembers its
 * origin. Loading is not a change: it counts in no usage, moves no times and shows in no diff.
 */
#include "vfs/private.h"

struct origin *origin_new(struct store *s, const struct vfs_source *source, uint64_t id,
			  const struct vfs_cred *owner)
{
	struct origin *o = store_alloc(s, sizeof *o);

	if (o == NULL)
		return NULL;
	atomic_init(&o->refs, 1);
	o->masked = owner != NULL;
	o->source = source;
	o->links = 0;
	o->first = 0;
	o->owner = 0;
	o->data_pages = UINT64_MAX;
	o->id = id;
	o->uid = owner != NULL ? owner->uid : 0;
	o->gid = owner != NULL ? owner->gid : 0;
	return o;
}

/* --- directories --- */

struct load {
	struct vfs *v;
	vfs_ino dir;
	struct origin *origin; /* of the directory */
	struct names *names;   /* what was made so far */
	vfs_ino first;
	uint64_t count;
	uint32_t subdirs;
	int err;
};

static bool is_valid(const struct vfs_source_entry *e)
{
	size_t len = strlen(e->name);

	if (len == 0 || len > VFS_NAME_MAX || memchr(e->name, '/', len) != NULL)
		return false;
	if (strcmp(e->name, ".") == 0 || strcmp(e->name, "..") == 0)
		return false;
	switch (e->mode & S_FMT) {
	case S_LNK: return e->target != NULL && strlen(e->target) - 1 < VFS_PATH_MAX - 1;
	case S_REG:
	case S_DIR:
	case S_FIFO:
	case S_SOCK:
	case S_CHR:
	case S_BLK: return true;
	default: return false;
	}
}

static int fill_link(struct store *s, struct inode *n, const char *target)
{
	size_t len = strlen(target);

	n->blob = blob_new(s, len + 1);
	if (n->blob == NULL)
		return -E_NOMEM;
	memcpy(n->blob->bytes, target, len + 1);
	n->flags |= INODE_INLINE;
	n->size = len;
	return 0;
}

static uint64_t pages_of(uint64_t bytes)
{
	return bytes / PAGE_BYTES + (bytes % PAGE_BYTES != 0);
}

/* What depends on the type of a new object. */
static int fill_content(struct load *l, struct inode *n, const struct vfs_source_entry *e)
{
	switch (e->mode & S_FMT) {
	case S_LNK: return fill_link(l->v->store, n, e->target);
	case S_DIR:
		n->nlink = 2;
		n->flags |= INODE_UNLOADED;
		return 0;
	case S_REG:
		if (e->size > INT64_MAX) {
			n->flags |= INODE_SIZE_UNKNOWN;
		} else {
			n->size = e->size;
			n->lazy_end = e->size;
			if (e->hole_bytes != 0 && e->hole_bytes <= e->size)
				n->origin->data_pages = pages_of(e->size - e->hole_bytes);
		}
		return 0;
	default: n->rdev = e->rdev; return 0;
	}
}

/* What only a numbered source knows. */
static void fill_numbered(struct load *l, struct inode *n, const struct vfs_source_entry *e)
{
	n->origin->first = l->origin->first;
	n->origin->links = e->nlink;
	n->origin->owner = l->origin->owner;
	if (inode_is(n, S_REG))
		n->origin->data_pages = e->rdev;
	n->nlink = e->nlink;
	n->names_loaded = 1;
	n->flags |= e->nlink > 1 && !inode_is(n, S_DIR) ? INODE_LINKED : 0;
	n->atime_ns = e->atime_ns;
	n->ctime_ns = e->ctime_ns;
	n->btime_ns = e->btime_ns;
	if (e->owned) {
		n->owner = l->origin->owner;
		n->charged_by = l->origin->owner;
		n->charged = e->charged;
	}
}

static struct inode *make_inode(struct load *l, const struct vfs_source_entry *e)
{
	struct origin *from = l->origin;
	struct store *s = l->v->store;
	struct vfs_cred owner = { .uid = from->uid, .gid = from->gid };
	struct inode *n = store_alloc(s, sizeof *n);

	if (n == NULL)
		return NULL;
	memset(n, 0, sizeof *n);
	atomic_init(&n->refs, 1);
	n->mode = e->mode & (S_FMT | 07777);
	n->nlink = 1;
	n->parent = l->dir;
	n->flags = INODE_PRISTINE;
	n->uid = from->masked ? from->uid : e->uid;
	n->gid = from->masked ? from->gid : e->gid;
	n->atime_ns = n->mtime_ns = n->ctime_ns = n->btime_ns = e->mtime_ns;
	n->origin = origin_new(s, from->source, e->id, from->masked ? &owner : NULL);
	if (n->origin == NULL || fill_content(l, n, e) != 0 || xattrs_take(s, n, e->xattrs) != 0) {
		inode_put(s, n);
		return NULL;
	}
	if (from->source->numbers != 0)
		fill_numbered(l, n, e);
	return n;
}

/* The number of a numbered source's entry; 0 if it is none. */
static vfs_ino number_of(const struct load *l, const struct vfs_source_entry *e)
{
	bool valid = e->ino > VFS_ROOT && e->ino < l->origin->source->numbers;

	return valid && e->nlink != 0 ? l->origin->first + e->ino : 0;
}

/* Another name of an object that is there already: no more than it said it has. */
static int add_link(struct load *l, vfs_ino ino, const struct vfs_source_entry *e)
{
	struct name_entry entry = { { e->name, strlen(e->name) }, ino, (e->mode & S_FMT) >> 12 };
	struct inode *n = inode_get(l->v, ino);
	const struct origin *o = n->origin;

	if (o == NULL || o->source != l->origin->source || n->names_loaded >= o->links ||
	    inode_is(n, S_DIR) || (n->mode & S_FMT) != (e->mode & S_FMT))
		return -E_IO;
	n = inode_edit(l->v, ino);
	if (n == NULL || names_insert(l->v->store, &l->names, &entry) != 0)
		return -E_NOMEM;
	n->names_loaded++;
	n->flags |= INODE_LINKED;
	l->count++;
	return 0;
}

int lazy_put_nameless(struct vfs *v, struct origin *origin, const struct vfs_source_entry *e)
{
	struct load l = { .v = v, .dir = VFS_ROOT, .origin = origin };
	bool possible = e->ino > VFS_ROOT && e->ino < origin->source->numbers &&
			inode_get(v, e->ino) == NULL;
	struct inode *n;
	int err;

	/* Where its names are is not known; a directory has none. */
	if (!possible || ((e->mode & S_FMT) == S_DIR && (e->nlink != 0 || e->size != 0)))
		return -E_IO;
	n = make_inode(&l, e);
	if (n == NULL)
		return -E_NOMEM;
	n->names_loaded = 0;
	if (inode_is(n, S_DIR))
		n->flags &= ~(uint32_t)INODE_UNLOADED;
	else
		n->flags |= INODE_LINKED;
	err = radix_put(v->store, &v->inodes, e->ino, n);
	if (err != 0)
		inode_put(v->store, n);
	return err;
}

static int add_entry(void *sink, const struct vfs_source_entry *e)
{
	struct load *l = sink;
	struct vfs *v = l->v;
	bool numbered = l->origin->source->numbers != 0;
	struct name_entry entry = { { e->name, strlen(e->name) },
				    numbered ? number_of(l, e) : v->next_ino,
				    (e->mode & S_FMT) >> 12 };
	struct name_entry same;
	struct inode *n;

	if (!is_valid(e) || names_get(l->names, entry.name, &same))
		return 0;
	if (!numbered && v->next_ino >= INO_END - 1) {
		l->err = -E_NOSPC;
		return 1;
	}
	if (numbered && (entry.value == 0 || inode_get(v, entry.value) != NULL)) {
		l->err = entry.value != 0 ? add_link(l, entry.value, e) : -E_IO;
		return l->err != 0;
	}
	n = make_inode(l, e);
	l->err = n == NULL ? -E_NOMEM : names_insert(v->store, &l->names, &entry);
	if (l->err != 0) {
		if (n != NULL)
			inode_put(v->store, n);
		return 1;
	}
	/* If this fails the name has no inode; undo_load only frees the names. */
	l->err = radix_put(v->store, &v->inodes, entry.value, n);
	if (l->err != 0) {
		inode_put(v->store, n);
		return 1;
	}
	v->next_ino += !numbered;
	l->count++;
	l->subdirs += inode_is(n, S_DIR);
	return 0;
}

/* Takes back the names of a numbered directory, and what has no other. */
static void undo_numbered(struct load *l)
{
	struct vfs *v = l->v;
	struct names_cursor c;
	struct name_entry entry;

	names_seek(&c, l->names, (struct bytes){ NULL, 0 });
	while (names_next(&c, &entry)) {
		struct inode *n = inode_get(v, entry.value);

		if (n == NULL)
			continue; /* there was no memory for it */
		/* Its path was owned when it was loaded; a snapshot can't come in between. */
		if (--n->names_loaded == 0 && hold_find(v, entry.value) == NULL)
			inode_put(v->store, radix_take(v->store, &v->inodes, entry.value));
	}
	names_put(v->store, l->names);
}

static void undo_load(struct load *l)
{
	struct vfs *v = l->v;

	if (l->origin->source->numbers != 0) {
		undo_numbered(l);
		return;
	}
	while (v->next_ino > l->first)
		inode_put(v->store, radix_take(v->store, &v->inodes, --v->next_ino));
	names_put(v->store, l->names);
}

int lazy_load_dir(struct vfs *v, vfs_ino dir)
{
	struct inode *n = inode_get(v, dir);
	struct origin *o = n->origin;
	struct load l = { .v = v, .dir = dir, .origin = o, .first = v->next_ino };
	int err;

	ref_get(&o->refs);
	err = o->source->list(o->source->user, o->id, add_entry, &l);
	if (l.err != 0)
		err = l.err;
	n = err == 0 ? inode_edit(v, dir) : NULL;
	if (n == NULL) {
		undo_load(&l);
		origin_put(v->store, o);
		return err == 0 ? -E_NOMEM : err;
	}
	n->names = l.names;
	n->size = l.count;
	n->nlink = 2 + l.subdirs;
	n->flags &= ~(uint32_t)INODE_UNLOADED;
	origin_put(v->store, o);
	return 0;
}

/* --- files --- */

static void set_size(struct inode *n, uint64_t size)
{
	n->size = size;
	n->flags &= ~(uint32_t)INODE_SIZE_UNKNOWN;
}

/* What was read before a failure is kept; the next try goes on behind it. */
int lazy_load_file(struct vfs *v, vfs_ino ino)
{
	struct inode *n = inode_edit(v, ino);
	const char *map;
	int64_t mapped;

	if (n == NULL)
		return -E_NOMEM;
	mapped = page_map(n, 0, INT64_MAX, &map);
	if (mapped > 0) {
		n->lazy_end = (uint64_t)mapped;
		set_size(n, (uint64_t)mapped);
		return 0;
	}
	for (;;) {
		struct page *p = page_new(v);
		int64_t got;

		if (p == NULL)
			return -E_NOMEM;
		got = origin_read(n->origin, n->npages * PAGE_BYTES, p->data, PAGE_BYTES);
		if (got > 0 && radix_put(v->store, &n->pages, n->npages, p) != 0)
			got = -E_NOMEM;
		if (got <= 0)
			page_drop(v->store, p);
		if (got < 0)
			return (int)got;
		n->npages += got > 0;
		if (got < (int64_t)PAGE_BYTES) {
			set_size(n, (n->npages - (got > 0)) * PAGE_BYTES + (uint64_t)got);
			return 0;
		}
	}
}

/* --- mounting --- */

/* The numbers that the source's objects will have. */
static int take_numbers(struct vfs *v, const struct vfs_source *source, vfs_ino *first)
{
	if (source->numbers >= INO_END - v->next_ino)
		return -E_NOSPC;
	*first = v->next_ino;
	v->next_ino += source->numbers;
	return 0;
}

int vfs_mount_source(struct vfs *v, const char *path, const struct vfs_source *source, uint64_t id,
		     const struct vfs_cred *owner)
{
	static const struct vfs_cred root = { 0 };
	struct origin *o;
	struct inode *n;
	vfs_ino at;
	int err = vfs_lookup(v, &root, VFS_ROOT, path, 0, &at);

	if (err == -E_NOENT) {
		err = vfs_mkdir(v, &root, VFS_ROOT, path, 0755);
		if (err == 0)
			err = vfs_lookup(v, &root, VFS_ROOT, path, 0, &at);
	}
	if (err != 0)
		return err;
	n = ino_is_dynamic(at) ? NULL : inode_get(v, at);
	if (n == NULL || !inode_is(n, S_DIR))
		return n == NULL ? -E_BUSY : -E_NOTDIR;
	err = dir_check_empty(v, at);
	if (err != 0)
		return err;
	n = inode_edit(v, at);
	o = n != NULL ? origin_new(v->store, source, id, owner) : NULL;
	if (o == NULL)
		return -E_NOMEM;
	err = take_numbers(v, source, &o->first);
	if (err != 0) {
		origin_put(v->store, o);
		return err;
	}
	origin_put(v->store, n->origin);
	n->origin = o;
	if (owner != NULL) {
		n->uid = owner->uid;
		n->gid = owner->gid;
	}
	n->flags |= INODE_UNLOADED | INODE_MOUNT | INODE_PRISTINE;
	return 0;
}

/* A directory that both sides have, to be merged in its turn. */
struct both {
	struct both *next;
	vfs_ino dir;
	uint64_t id;
};

struct merge {
	struct load load;
	struct both *both;
};

static int merge_entry(void *sink, const struct vfs_source_entry *e)
{
	struct merge *m = sink;
	struct bytes name = { e->name, strlen(e->name) };
	struct name_entry same;
	struct both *b;

	if (!is_valid(e) || !names_get(m->load.names, name, &same))
		return add_entry(&m->load, e);
	if ((e->mode & S_FMT) != S_DIR || same.type << 12 != S_DIR)
		return 0;
	b = store_alloc(m->load.v->store, sizeof *b);
	if (b == NULL) {
		m->load.err = -E_NOMEM;
		return 1;
	}
	*b = (struct both){ m->both, same.value, e->id };
	m->both = b;
	return 0;
}

/* Adds what the source's directory has and the tree's has not; *both grows. */
static int merge_dir(struct vfs *v, vfs_ino dir, struct origin *o, uint64_t id, struct both **both)
{
	struct merge m = { { .v = v, .dir = dir, .origin = o }, *both };
	struct inode *n = inode_edit(v, dir);
	int err;

	if (n == NULL)
		return -E_NOMEM;
	m.load.names = n->names;
	n->names = NULL;
	err = o->source->list(o->source->user, id, merge_entry, &m);
	n = inode_edit(v, dir);
	if (n == NULL)
		return -E_NOMEM;
	n->names = m.load.names;
	n->size += m.load.count;
	n->nlink += m.load.subdirs;
	*both = m.both;
	return m.load.err != 0 ? m.load.err : err;
}

int vfs_merge_source(struct vfs *v, const char *path, const struct vfs_source *source, uint64_t id,
		     const struct vfs_cred *owner)
{
	static const struct vfs_cred root = { 0 };
	struct origin *o = origin_new(v->store, source, id, owner);
	struct both *both = o != NULL ? store_alloc(v->store, sizeof *both) : NULL;
	int err = both != NULL ? 0 : -E_NOMEM;

	if (err == 0) {
		err = take_numbers(v, source, &o->first);
		*both = (struct both){ NULL, 0, id };
		if (err == 0)
			err = vfs_lookup(v, &root, VFS_ROOT, path, 0, &both->dir);
	}
	while (both != NULL) {
		struct both b = *both;
		const struct inode *n;

		store_free(v->store, both, sizeof b);
		both = b.next;
		n = err == 0 && !ino_is_dynamic(b.dir) ? inode_get(v, b.dir) : NULL;
		if (n != NULL && inode_is(n, S_DIR) &&
		    (n->flags & (INODE_UNLOADED | INODE_DYNAMIC)) == 0)
			err = merge_dir(v, b.dir, o, b.id, &both);
	}
	origin_put(v->store, o);
	return err;
}

int vfs_put_lazy(struct vfs *v, vfs_ino dir, const char *path, const struct vfs_source *source,
		 uint64_t id, uint64_t size, uint32_t mode, const struct vfs_cred *owner)
{
	static const struct vfs_cred root = { 0 };
	struct origin *o = origin_new(v->store, source, id, owner);
	struct inode *n;
	vfs_ino ino;
	int err;

	if (o == NULL)
		return -E_NOMEM;
	err = vfs_mknod(v, &root, dir, path, S_REG | (mode & 07777), 0);
	if (err == 0)
		err = vfs_lookup(v, &root, dir, path, VFS_NOFOLLOW, &ino);
	n = err == 0 ? inode_edit(v, ino) : NULL;
	if (n == NULL) {
		origin_put(v->store, o);
		return err == 0 ? -E_NOMEM : err;
	}
	n->origin = o;
	n->uid = o->uid;
	n->gid = o->gid;
	n->flags |= INODE_PRISTINE;
	n->size = size <= INT64_MAX ? size : 0;
	n->lazy_end = n->size;
	if (size > INT64_MAX)
		n->flags |= INODE_SIZE_UNKNOWN;
	return 0;
}

void vfs_set_data_pages(struct vfs *v, vfs_ino ino, uint64_t pages)
{
	inode_get(v, ino)->origin->data_pages = pages;
}
