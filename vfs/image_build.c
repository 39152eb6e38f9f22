/* SPDX-License-Identifier: MIT
 *
 * An image from files that come one by one.
 *
 * The tree grows in a vfs; contents go out at once, and their inodes remember as their number in
 * a source that is never asked where they are. So memory grows with the number of files, not
 * with their bytes.
 */
#include "vfs/image_format.h"

struct image_builder {
	struct store *store;
	struct vfs *v;
	struct image_out *out;
	struct vfs_source pending;
	uint8_t *pages; /* BLOCK_PAGES, for reading */
};

static const struct vfs_cred root_cred = { 0 };

int image_builder_new(struct store *s, const struct image_sink *sink, struct image_builder **out)
{
	struct image_builder *b = store_alloc(s, sizeof *b);
	int err;

	if (b == NULL)
		return -E_NOMEM;
	*b = (struct image_builder){ .store = s };
	b->pages = store_pages(s, BLOCK_PAGES);
	err = b->pages != NULL ? vfs_new(s, NULL, NULL, NULL, &b->v) : -E_NOMEM;
	if (err == 0)
		err = image_out_new(s, sink, IMAGE_FILES, &b->out);
	if (err != 0) {
		image_builder_free(b);
		return err;
	}
	*out = b;
	return 0;
}

void image_builder_free(struct image_builder *b)
{
	if (b == NULL)
		return;
	vfs_free(b->v);
	image_out_free(b->out);
	if (b->pages != NULL)
		store_pages_free(b->store, b->pages, BLOCK_PAGES);
	store_free(b->store, b, sizeof *b);
}

/* --- contents --- */

/* How many bytes of a hole begin here: whole blocks. */
static uint64_t skip_hole(const struct image_object *o, uint64_t left)
{
	uint64_t n = o->skip != NULL ? o->skip(o->user, BLOCK_PAGES * PAGE_BYTES) : 0;

	return n <= left ? n : left;
}

/* Fills the buffer as far as the file goes. */
static int64_t read_block(struct image_builder *b, const struct image_object *o, uint64_t left)
{
	size_t want = BLOCK_PAGES * PAGE_BYTES;
	size_t done = 0;

	if (left < want)
		want = (size_t)left;
	while (done < want) {
		int64_t got = o->read(o->user, b->pages + done, want - done);

		if (got < 0)
			return got;
		if (got == 0)
			break;
		done += (size_t)got;
	}
	memset(b->pages + done, 0, BLOCK_PAGES * PAGE_BYTES - done);
	return (int64_t)done;
}

static int write_content(struct image_builder *b, const struct image_object *o, uint64_t *size,
			 uint64_t *content, uint64_t *pages)
{
	struct content c;
	uint64_t done = 0;
	int64_t got = read_block(b, o, o->size);
	int err = 0;

	*content = 0;
	*size = got > 0 ? (uint64_t)got : 0;
	*pages = got > 0;
	if (got < 0)
		return (int)got;
	if (o->size <= INLINE_MAX || *size <= INLINE_MAX) {
		if (got == 0)
			return 0;
		err = image_out_bytes(b->out, b->pages, (size_t)got, content);
		*content |= CONTENT_INLINE;
		return err;
	}
	content_start(&c, b->out, b->store);
	while (err == 0 && got > 0) {
		for (uint64_t at = 0; err == 0 && at < (uint64_t)got; at += PAGE_BYTES)
			err = content_page(&c, (done + at) / PAGE_BYTES, b->pages + at);
		done += (uint64_t)got;
		got = 0;
		if (done % (BLOCK_PAGES * PAGE_BYTES) == 0) {
			done += skip_hole(o, o->size - done);
			got = read_block(b, o, o->size - done);
		}
	}
	*size = done;
	if (err == 0)
		err = got < 0 ? (int)got : content_finish(&c, content);
	*pages = c.pages;
	content_clear(&c);
	return err;
}

/* --- objects --- */

static int make_parents(struct vfs *v, const char *path)
{
	char part[VFS_PATH_MAX];
	size_t len = strlen(path);

	if (len >= sizeof part)
		return -E_NAMETOOLONG;
	memcpy(part, path, len + 1);
	for (size_t i = 1; i < len; i++) {
		int err;

		if (part[i] != '/')
			continue;
		part[i] = '\0';
		err = vfs_mkdir(v, &root_cred, VFS_ROOT, part, 0755);
		if (err != 0 && err != -E_EXIST)
			return err;
		part[i] = '/';
	}
	return 0;
}

/* What stands there makes room, unless both are directories. */
static int replace(struct vfs *v, const struct image_object *o, bool *there)
{
	struct vfs_stat st;
	vfs_ino ino;
	int err = vfs_lookup(v, &root_cred, VFS_ROOT, o->path, VFS_NOFOLLOW, &ino);

	*there = false;
	if (err == -E_NOENT)
		return 0;
	if (err == 0)
		err = vfs_getattr(v, ino, &st);
	if (err != 0)
		return err;
	*there = (st.mode & S_FMT) == S_DIR && (o->mode & S_FMT) == S_DIR && o->link == NULL;
	if (*there)
		return 0;
	return (st.mode & S_FMT) == S_DIR ? vfs_rmdir(v, &root_cred, VFS_ROOT, o->path)
					  : vfs_unlink(v, &root_cred, VFS_ROOT, o->path);
}

static int make(struct image_builder *b, const struct image_object *o)
{
	struct vfs *v = b->v;
	uint64_t size, content, pages;
	vfs_ino ino;
	int err;

	switch (o->mode & S_FMT) {
	case S_DIR: return vfs_mkdir(v, &root_cred, VFS_ROOT, o->path, 0755);
	case S_LNK: return vfs_symlink(v, &root_cred, o->target, VFS_ROOT, o->path);
	case S_REG:
		err = write_content(b, o, &size, &content, &pages);
		if (err == 0)
			err = vfs_put_lazy(v, VFS_ROOT, o->path, &b->pending, content, size, 0644,
					   NULL);
		if (err == 0)
			err = vfs_lookup(v, &root_cred, VFS_ROOT, o->path, VFS_NOFOLLOW, &ino);
		if (err == 0)
			vfs_set_data_pages(v, ino, pages);
		return err;
	default: return vfs_mknod(v, &root_cred, VFS_ROOT, o->path, o->mode, o->rdev);
	}
}

static int set_attributes(struct vfs *v, const struct image_object *o)
{
	struct inode *n;
	vfs_ino ino;
	int err = vfs_lookup(v, &root_cred, VFS_ROOT, o->path[0] != '\0' ? o->path : "/",
			     VFS_NOFOLLOW, &ino);

	n = err == 0 ? inode_edit(v, ino) : NULL;
	if (n == NULL)
		return err != 0 ? err : -E_NOMEM;
	n->mode = (n->mode & S_FMT) | (o->mode & 07777);
	n->uid = o->uid;
	n->gid = o->gid;
	n->atime_ns = n->mtime_ns = n->ctime_ns = n->btime_ns = o->mtime_ns;
	return 0;
}

/* The directory that the last name of path is in. */
static int parent_of(struct vfs *v, const char *path, vfs_ino *out)
{
	char part[VFS_PATH_MAX];
	const char *slash = strrchr(path, '/');
	size_t len = slash != NULL ? (size_t)(slash - path) : 0;

	*out = VFS_ROOT;
	if (len == 0)
		return 0;
	memcpy(part, path, len);
	part[len] = '\0';
	return vfs_lookup(v, &root_cred, VFS_ROOT, part, 0, out);
}

static int add_named(struct image_builder *b, const struct image_object *o)
{
	bool there;
	int err = replace(b->v, o, &there);

	if (err == 0 && o->link != NULL)
		return vfs_link(b->v, &root_cred, VFS_ROOT, o->link, VFS_NOFOLLOW, VFS_ROOT,
				o->path);
	if (err == 0 && !there)
		err = make(b, o);
	return err != 0 ? err : set_attributes(b->v, o);
}

int image_builder_add(struct image_builder *b, const struct image_object *o)
{
	struct inode *n;
	int64_t mtime_ns;
	vfs_ino dir;
	int err;

	if (o->path[0] == '\0')
		return (o->mode & S_FMT) == S_DIR ? set_attributes(b->v, o) : -E_NOTDIR;
	if ((o->mode & S_FMT) == S_LNK && (o->target == NULL || o->target[0] == '\0'))
		return -E_INVAL;
	err = make_parents(b->v, o->path);
	if (err == 0)
		err = parent_of(b->v, o->path, &dir);
	if (err != 0)
		return err;
	/* Being filled does not change a directory's time. */
	mtime_ns = inode_get(b->v, dir)->mtime_ns;
	err = add_named(b, o);
	n = inode_edit(b->v, dir);
	if (n == NULL)
		return -E_NOMEM;
	n->mtime_ns = n->ctime_ns = mtime_ns;
	return err;
}

int image_builder_xattr(struct image_builder *b, const char *path, const char *name,
			struct bytes value)
{
	struct inode *n;
	vfs_ino ino;
	int err = vfs_lookup(b->v, &root_cred, VFS_ROOT, path[0] != '\0' ? path : "/", VFS_NOFOLLOW,
			     &ino);

	if (err == 0)
		err = vfs_xattr_set(b->v, &root_cred, ino, name, value, 0);
	n = err == 0 ? inode_edit(b->v, ino) : NULL;
	if (n == NULL)
		return err != 0 ? err : -E_NOMEM;
	n->ctime_ns = n->mtime_ns;
	return 0;
}

int image_builder_finish(struct image_builder *b, struct image_info *info)
{
	uint8_t end[PAGE_BYTES] = { 0 };
	struct tree_save save = { .out = b->out, .pending = &b->pending };
	int err = tree_write(b->v, &save, end);

	return err != 0 ? err : image_out_finish(b->out, end, info);
}
