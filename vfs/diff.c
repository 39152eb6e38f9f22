/* SPDX-License-Identifier: MIT
 *
 * The differences between two trees, in path order.
 *
 * Both sides are walked together, each through a vfs, so that lazy directories loaded on one
 * side only can be loaded on the other. Directories are entered where marks.c says that
 * something below may differ. The levels of the walk are a list, not recursion: the depth of a
 * tree is not ours to choose.
 */
#include "vfs/private.h"

struct level {
	struct level *up;
	size_t path_len; /* of the directory */
	struct names_cursor old_cursor;
	struct names_cursor new_cursor;
	struct name_entry old_entry;
	struct name_entry new_entry;
	bool has_old;
	bool has_new;
};

struct diff {
	struct vfs *old;
	struct vfs *new;
	vfs_ino old_end; /* numbers from here on were made by loading here */
	vfs_ino new_end;
	struct marks marks;
	struct level *top;
	char *path;
	size_t path_len;
	size_t path_cap;
	int (*emit)(void *user, const struct vfs_change *);
	void *user;
};

static int set_name(struct diff *d, size_t len, struct bytes name)
{
	size_t need = len + name.len + 2;

	if (need > d->path_cap) {
		size_t cap = need * 2 < 256 ? 256 : need * 2;
		char *path = store_alloc(d->new->store, cap);

		if (path == NULL)
			return -E_NOMEM;
		if (d->path != NULL)
			memcpy(path, d->path, d->path_len);
		store_free(d->new->store, d->path, d->path_cap);
		d->path = path;
		d->path_cap = cap;
	}
	d->path[len] = '/';
	memcpy(d->path + len + 1, name.ptr, name.len);
	d->path_len = len + 1 + name.len;
	d->path[d->path_len] = '\0';
	return 0;
}

static int tell(struct diff *d, char kind, vfs_ino old, vfs_ino new)
{
	struct vfs_change c = {
		.kind = kind,
		.path = d->path_len != 0 ? d->path : "/",
		.old_ino = old,
		.new_ino = new,
	};

	return d->emit(d->user, &c);
}

/* --- entering directories --- */

static int load(struct vfs *v, vfs_ino ino)
{
	return (inode_get(v, ino)->flags & INODE_UNLOADED) != 0 ? lazy_load_dir(v, ino) : 0;
}

static void start_side(struct vfs *v, vfs_ino ino, struct names_cursor *c, struct name_entry *entry,
		       bool *has)
{
	c->depth = 0;
	if (ino != 0)
		names_seek(c, inode_get(v, ino)->names, (struct bytes){ NULL, 0 });
	*has = names_next(c, entry);
}

static int enter(struct diff *d, vfs_ino old, vfs_ino new)
{
	struct level *l;
	int err = old != 0 ? load(d->old, old) : 0;

	if (err == 0 && new != 0)
		err = load(d->new, new);
	if (err != 0)
		return err;
	l = store_alloc(d->new->store, sizeof *l);
	if (l == NULL)
		return -E_NOMEM;
	l->up = d->top;
	l->path_len = d->path_len;
	start_side(d->old, old, &l->old_cursor, &l->old_entry, &l->has_old);
	start_side(d->new, new, &l->new_cursor, &l->new_entry, &l->has_new);
	d->top = l;
	return 0;
}

static void leave(struct diff *d)
{
	struct level *l = d->top;

	d->top = l->up;
	store_free(d->new->store, l, sizeof *l);
}

/* --- comparing objects --- */

static bool same_origin(const struct inode *a, const struct inode *b)
{
	return (a->flags & b->flags & INODE_PRISTINE) != 0 && a->origin != NULL &&
	       b->origin != NULL && a->origin->source == b->origin->source &&
	       a->origin->id == b->origin->id;
}

/* Where one of two files has data next, from pos on; size if neither has: holes are large. */
static uint64_t next_data(struct diff *d, vfs_ino old, vfs_ino new, uint64_t pos, uint64_t size)
{
	int64_t a = vfs_seek_data(d->old, old, pos, SEEK_DATA_);
	int64_t b = vfs_seek_data(d->new, new, pos, SEEK_DATA_);
	uint64_t x = a == -E_NXIO ? size : a < 0 ? pos : (uint64_t)a;
	uint64_t y = b == -E_NXIO ? size : b < 0 ? pos : (uint64_t)b;

	return x < y ? x : y;
}

/* 0 if both files have the same bytes, 1 if not, or an error. */
static int compare_bytes(struct diff *d, vfs_ino old, vfs_ino new, uint64_t size)
{
	uint64_t pos = 0;

	while ((pos = next_data(d, old, new, pos, size)) < size) {
		const struct inode *a = inode_get(d->old, old);
		const struct inode *b = inode_get(d->new, new);
		bool paged = ((a->flags | b->flags) & INODE_INLINE) == 0;
		uint64_t index = pos / PAGE_BYTES;
		const char *x;
		const char *y;
		int64_t n;
		int64_t m;

		if (paged && a->lazy_end == 0 && b->lazy_end == 0 &&
		    radix_leaf(&a->pages, index) == radix_leaf(&b->pages, index)) {
			pos = (index / RADIX_FAN + 1) * RADIX_FAN * PAGE_BYTES;
			continue;
		}
		n = vfs_view(d->old, old, pos, PAGE_BYTES - pos % PAGE_BYTES, &x);
		m = n > 0 ? vfs_view(d->new, new, pos, (size_t)n, &y) : n;
		if (m <= 0)
			return (int)m;
		if (x != y && memcmp(x, y, (size_t)m) != 0)
			return 1;
		pos += (uint64_t)m;
	}
	return 0;
}

static int compare_content(struct diff *d, vfs_ino old, vfs_ino new)
{
	struct inode *a = inode_get(d->old, old);
	struct inode *b = inode_get(d->new, new);
	struct vfs_stat x;
	struct vfs_stat y;
	int err;

	if (same_origin(a, b))
		return 0;
	if (inode_is(a, S_LNK))
		return a->size != b->size ||
		       memcmp(a->blob->bytes, b->blob->bytes, (size_t)a->size) != 0;
	if (!inode_is(a, S_REG))
		return a->rdev != b->rdev && !inode_is(a, S_DIR);
	err = vfs_getattr(d->old, old, &x);
	if (err == 0)
		err = vfs_getattr(d->new, new, &y);
	if (err == 0 && x.size != y.size)
		return 1;
	return err != 0 ? err : compare_bytes(d, old, new, x.size);
}

static bool same_metadata(const struct inode *a, const struct inode *b)
{
	return a->mode == b->mode && a->uid == b->uid && a->gid == b->gid &&
	       bytes_eq(xattrs_of(a), xattrs_of(b)) &&
	       (inode_is(a, S_DIR) || a->mtime_ns == b->mtime_ns);
}

/* An object on one side only; what is below a directory follows. */
static int one_sided(struct diff *d, char kind, vfs_ino old, vfs_ino new)
{
	const struct inode *n = old != 0 ? inode_get(d->old, old) : inode_get(d->new, new);
	bool directory = inode_is(n, S_DIR);
	int err;

	/* Nobody put there what a mount has not even loaded. */
	if ((n->flags & (INODE_MOUNT | INODE_UNLOADED)) == (INODE_MOUNT | INODE_UNLOADED))
		directory = false;
	err = tell(d, kind, old, new);
	return err != 0 || !directory ? err : enter(d, old, new);
}

static int changed_type(struct diff *d, vfs_ino old, vfs_ino new)
{
	int err = tell(d, 'T', old, new);

	if (err == 0 && inode_is(inode_get(d->old, old), S_DIR))
		return enter(d, old, 0);
	if (err == 0 && inode_is(inode_get(d->new, new), S_DIR))
		return enter(d, 0, new);
	return err;
}

/* Whether both are an object that neither tree has touched. */
static bool untouched(const struct diff *d, vfs_ino old, vfs_ino new)
{
	return old == new &&old < d->old_end &&new < d->new_end && !marks_has(&d->marks, old);
}

static int two_sided(struct diff *d, vfs_ino old, vfs_ino new)
{
	struct inode *a = inode_get(d->old, old);
	struct inode *b = inode_get(d->new, new);
	int differs;

	if (untouched(d, old, new))
		return 0;
	if ((a->mode & S_FMT) != (b->mode & S_FMT))
		return changed_type(d, old, new);
	differs = a == b ? 0 : compare_content(d, old, new);
	if (differs < 0)
		return differs;
	a = inode_get(d->old, old);
	b = inode_get(d->new, new);
	if (differs || !same_metadata(a, b)) {
		int err = tell(d, differs ? 'M' : 'm', old, new);

		if (err != 0)
			return err;
	}
	if (!inode_is(a, S_DIR))
		return 0;
	if ((a->flags & b->flags & INODE_UNLOADED) != 0 && same_origin(a, b))
		return 0;
	return enter(d, old, new);
}

/* --- the walk --- */

/* Takes the next name from one side or both. */
static int next_pair(struct diff *d, struct level *l)
{
	int order = !l->has_old   ? 1
		    : !l->has_new ? -1
				  : bytes_cmp(l->old_entry.name, l->new_entry.name);
	vfs_ino old = order <= 0 ? l->old_entry.value : 0;
	vfs_ino new = order >= 0 ? l->new_entry.value : 0;
	int err = 0;

	/* Most names stand for the same unchanged object. */
	if (!untouched(d, old, new))
		err = set_name(d, l->path_len, old != 0 ? l->old_entry.name : l->new_entry.name);
	if (err != 0)
		return err;
	if (old != 0)
		l->has_old = names_next(&l->old_cursor, &l->old_entry);
	if (new != 0)
		l->has_new = names_next(&l->new_cursor, &l->new_entry);
	if (old != 0 && new != 0)
		return two_sided(d, old, new);
	return one_sided(d, old != 0 ? '-' : '+', old, new);
}

static int walk_both(struct diff *d)
{
	int err = marks_find(&d->marks, d->old, d->new);

	if (err == 0)
		err = two_sided(d, VFS_ROOT, VFS_ROOT);
	while (err == 0 && d->top != NULL) {
		if (d->top->has_old || d->top->has_new)
			err = next_pair(d, d->top);
		else
			leave(d);
	}
	while (d->top != NULL)
		leave(d);
	marks_clear(&d->marks);
	store_free(d->new->store, d->path, d->path_cap);
	return err;
}

int vfs_diff(struct vfs *old, struct vfs *new, int (*emit)(void *user, const struct vfs_change *),
	     void *user)
{
	struct diff d = { .old = old,
			  .new = new,
			  .old_end = old->next_ino,
			  .new_end = new->next_ino,
			  .emit = emit,
			  .user = user };

	return walk_both(&d);
}
