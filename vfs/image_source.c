/* SPDX-License-Identifier: MIT
 *
 * An image as a source of files, and a saved session as a tree.
 *
 * Objects are numbered by the place of their entry. A delta's objects may be its base's: then
 * the number, or the content of the entry, has the bit IN_BASE; their inode numbers begin where
 * the base was mounted in the session that was saved.
 */
#include "vfs/image_format.h"

static const char zeros[PAGE_BYTES] __attribute__((aligned(4096)));

/* --- contents --- */

static void decode_extent(const uint8_t *at, struct extent *out)
{
	*out = (struct extent){
		.first = digest_le64(at + EXTENT_FIRST),
		.at = digest_le64(at + EXTENT_AT),
		.count = digest_le32(at + EXTENT_COUNT),
		.stored = digest_le32(at + EXTENT_STORED),
		.skip = digest_le32(at + EXTENT_SKIP),
		.in_base = (digest_le32(at + EXTENT_FLAGS) & 1) != 0,
	};
}

static bool extent_is_sound(const struct image *i, const struct extent *e)
{
	const struct image *in = e->in_base ? i->base : i;
	uint64_t file_max = (uint64_t)INT64_MAX / PAGE_BYTES + 1;

	if (in == NULL || e->count == 0 || e->first >= file_max || e->count > file_max - e->first)
		return false;
	if (e->stored != 0)
		return e->skip < BLOCK_PAGES && e->count <= BLOCK_PAGES - e->skip &&
		       e->stored <= BLOCK_PAGES * PAGE_BYTES && e->at < in->pages * PAGE_BYTES;
	return e->skip == 0 && e->at < in->pages && e->count <= in->pages - e->at;
}

int image_extent(struct image *i, uint64_t content, uint64_t index, struct extent *out)
{
	uint64_t place = content & ~(uint64_t)CONTENT_MASK;
	uint8_t bytes[EXTENT_BYTES];
	uint64_t low = 0;
	uint64_t high;

	out->count = 0;
	if (image_copy(i, place, bytes, 8) != 0)
		return -E_IO;
	high = digest_le64(bytes);
	if (high > i->pages * (PAGE_BYTES / EXTENT_BYTES))
		return -E_IO;
	/* The first extent that ends behind index. */
	while (low < high) {
		uint64_t mid = (low + high) / 2;
		struct extent e;

		if (image_copy(i, place + 8 + mid * EXTENT_BYTES, bytes, sizeof bytes) != 0)
			return -E_IO;
		decode_extent(bytes, &e);
		if (!extent_is_sound(i, &e))
			return -E_IO;
		if (e.first + e.count <= index) {
			low = mid + 1;
		} else {
			high = mid;
			*out = e;
		}
	}
	return 0;
}

/* What can be shown in place at pos of a file; a hole as zeros. 0: it must be unpacked. */
static int64_t view_extents(struct image *i, uint64_t content, uint64_t pos, size_t max,
			    const char **out)
{
	uint64_t index = pos / PAGE_BYTES;
	size_t within = (size_t)(pos % PAGE_BYTES);
	struct image *in;
	struct extent e;
	const uint8_t *page;
	uint64_t at, len;
	int err = image_extent(i, content, index, &e);

	if (err != 0)
		return err;
	if (e.count == 0 || e.first > index) {
		*out = zeros + within;
		return (int64_t)(PAGE_BYTES - within < max ? PAGE_BYTES - within : max);
	}
	if (e.stored != 0)
		return 0;
	in = e.in_base ? i->base : i;
	at = e.at + (index - e.first);
	page = image_page(in, at);
	if (page == NULL)
		return -E_IO;
	*out = (const char *)page + within;
	/* Pages that follow in the file do so in memory, as far as the next page of hashes. */
	for (len = PAGE_BYTES - within; len < max && ++index < e.first + e.count;
	     len += PAGE_BYTES) {
		at++;
		if ((at & (HASH_FAN - 1)) == 0 || image_page(in, at) == NULL)
			break;
	}
	return (int64_t)(len < max ? len : max);
}

static void no_memory(void *arg)
{
	longjmp(*(jmp_buf *)arg, 1);
}

/* Unpacks a block; it must have all the pages that the extent wants of it. */
static int unpack(struct pool *pool, const uint8_t *stored, uint32_t len, uint8_t *block)
{
	struct codec_options options = { .kind = CODEC_ZSTD,
					 .decode = true,
					 .memory_max = 1 << 17 };
	struct codec c = { 0 };
	enum codec_result got;

	if (!codec_start(&c, pool, &options))
		return -E_NOMEM;
	c.in = stored;
	c.in_len = len;
	c.out = block;
	c.out_len = BLOCK_PAGES * PAGE_BYTES;
	got = codec_run(&c, true);
	memset(c.out, 0, c.out_len);
	codec_stop(&c);
	return got == CODEC_END ? 0 : -E_IO;
}

static int read_block(struct image *in, const struct extent *e, struct pool *pool, uint8_t **out)
{
	uint8_t *stored = pool_alloc(pool, e->stored);
	int err = image_copy(in, e->at, stored, e->stored);

	*out = pool_alloc(pool, BLOCK_PAGES * PAGE_BYTES);
	return err != 0 ? err : unpack(pool, stored, e->stored, *out);
}

/* Bytes of a compressed extent, at most up to its end. */
static int64_t read_packed(struct image *i, const struct extent *e, uint64_t pos, char *out,
			   size_t max)
{
	uint64_t from = pos - e->first * PAGE_BYTES;
	uint64_t left = e->count * (uint64_t)PAGE_BYTES - from;
	struct heap heap = { .store = i->store };
	struct pool pool;
	jmp_buf full;
	uint8_t *block;
	int err;

	if (max > left)
		max = (size_t)left;
	pool_init(&pool, &heap, (struct arena_fail){ no_memory, &full });
	err = setjmp(full) != 0 ? -E_NOMEM : read_block(e->in_base ? i->base : i, e, &pool, &block);
	if (err == 0)
		memcpy(out, block + e->skip * (size_t)PAGE_BYTES + from, max);
	pool_clear(&pool);
	return err != 0 ? err : (int64_t)max;
}

/* --- the source --- */

int image_find(struct image **i, uint64_t id, struct image_entry *x)
{
	uint64_t place = id;
	int err;

	*i = image_of(*i, &place);
	err = *i != NULL ? image_entry_at(*i, place, x) : -E_IO;
	if (err == 0 && (x->content & IN_BASE) != 0)
		*i = image_of(*i, &x->content);
	return err != 0 || *i == NULL ? -E_IO : 0;
}

static int64_t source_view(void *user, uint64_t id, uint64_t pos, size_t max, const char **out)
{
	struct image *i = user;
	struct image_entry x;
	uint64_t place;
	const uint8_t *page;

	if (image_find(&i, id, &x) != 0)
		return -E_IO;
	if (pos >= x.e.size)
		return 0;
	if (max > x.e.size - pos)
		max = (size_t)(x.e.size - pos);
	place = x.content & ~(uint64_t)CONTENT_MASK;
	switch (x.content & CONTENT_MASK) {
	case 0: *out = zeros + pos % PAGE_BYTES; break;
	case CONTENT_EXTENTS: return view_extents(i, x.content, pos, max, out);
	case CONTENT_INLINE:
		page = image_page(i, place / PAGE_BYTES);
		if (page == NULL || x.e.size > PAGE_BYTES - place % PAGE_BYTES)
			return -E_IO;
		*out = (const char *)page + place % PAGE_BYTES + pos;
		return (int64_t)max;
	default: return -E_IO;
	}
	return (int64_t)(PAGE_BYTES - pos % PAGE_BYTES < max ? PAGE_BYTES - pos % PAGE_BYTES : max);
}

static int64_t source_read(void *user, uint64_t id, uint64_t pos, void *out, size_t n)
{
	struct image *i = user;
	struct image_entry x;
	struct extent e;
	const char *at;
	int64_t got = source_view(user, id, pos, n, &at);
	int err;

	if (got > 0)
		memcpy(out, at, (size_t)got);
	if (got != 0)
		return got;
	if (image_find(&i, id, &x) != 0)
		return -E_IO;
	if (pos >= x.e.size)
		return 0;
	err = image_extent(i, x.content, pos / PAGE_BYTES, &e);
	if (err != 0)
		return err;
	if (n > x.e.size - pos)
		n = (size_t)(x.e.size - pos);
	return read_packed(i, &e, pos, out, n);
}

enum { EXTENTS_LOOKED_AT = 1024 };

/* Where the extents that hang together end. Those of a hostile image may be small and many: behind
 * some, all the rest counts as data. */
static int64_t end_of_data(struct image *i, uint64_t content, uint64_t index)
{
	for (int n = 0; n < EXTENTS_LOOKED_AT; n++) {
		struct extent e;
		int err = image_extent(i, content, index, &e);

		if (err != 0)
			return err;
		if (e.count == 0 || e.first > index)
			return (int64_t)(index * PAGE_BYTES);
		index = e.first + e.count;
	}
	return INT64_MAX;
}

static int64_t source_seek(void *user, uint64_t id, uint64_t pos, int whence)
{
	struct image *i = user;
	struct image_entry x;
	struct extent e;
	int err = image_find(&i, id, &x);

	if (err != 0)
		return err;
	if ((x.content & CONTENT_MASK) == 0)
		return whence == SEEK_DATA_ ? -E_NXIO : (int64_t)pos;
	if ((x.content & CONTENT_MASK) != CONTENT_EXTENTS)
		return whence == SEEK_DATA_ ? (int64_t)pos : INT64_MAX;
	if (whence != SEEK_DATA_)
		return end_of_data(i, x.content, pos / PAGE_BYTES);
	err = image_extent(i, x.content, pos / PAGE_BYTES, &e);
	if (err != 0)
		return err;
	if (e.count == 0)
		return -E_NXIO;
	return e.first * PAGE_BYTES > pos ? (int64_t)(e.first * PAGE_BYTES) : (int64_t)pos;
}

int image_each(struct image *i, uint64_t dir,
	       int (*each)(void *user, struct image_entry *x, uint64_t place), void *user)
{
	struct image_entry x;
	char before[VFS_NAME_MAX + 1] = "";
	struct image *in = i;
	uint64_t flag, place, end;
	struct base_mount mount;
	int err = image_find(&in, dir, &x);

	if (err != 0 || (x.e.mode & S_FMT) != S_DIR)
		return -E_IO;
	flag = in != i || (dir & IN_BASE) != 0 ? IN_BASE : 0;
	image_base_mount(i, &mount);
	place = x.content;
	end = place + x.e.size;
	if (place > in->pages * PAGE_BYTES || x.e.size > in->pages * PAGE_BYTES)
		return -E_IO;
	while (err == 0 && place < end) {
		uint64_t at = place;

		err = image_entry_at(in, at, &x);
		if (err != 0 || x.next > end || x.e.ino >= in->source.numbers ||
		    strcmp(before, x.e.name) >= 0)
			return -E_IO;
		memcpy(before, x.e.name, strlen(x.e.name) + 1);
		place = x.next;
		x.e.id = at | flag;
		if (flag != 0)
			x.e.ino += mount.first;
		if (flag != 0 && mount.owned) {
			x.e.uid = mount.uid;
			x.e.gid = mount.gid;
		}
		err = each(user, &x, at | flag);
	}
	return err;
}

struct emission {
	int (*emit)(void *sink, const struct vfs_source_entry *e);
	void *sink;
};

static int emit_entry(void *user, struct image_entry *x, uint64_t place)
{
	const struct emission *m = user;

	(void)place;
	return m->emit(m->sink, &x->e);
}

static int source_list(void *user, uint64_t id,
		       int (*emit)(void *sink, const struct vfs_source_entry *), void *sink)
{
	struct emission m = { emit, sink };
	int err = image_each(user, id, emit_entry, &m);

	return err < 0 ? err : 0;
}

bool image_is_source(const struct vfs_source *source)
{
	return source->view == source_view;
}

void image_init_source(struct image *i)
{
	i->source = (struct vfs_source){ .list = source_list,
					 .read = source_read,
					 .view = source_view,
					 .seek = source_seek,
					 .user = i,
					 .numbers = digest_le64(i->end + END_NUMBERS) };
	i->read_only = i->source;
	i->read_only.read_only = true;
}

const struct vfs_source *image_source(struct image *i, bool read_only, uint64_t *root)
{
	*root = i->root;
	return read_only ? &i->read_only : &i->source;
}

/* --- a session's tree --- */

static int take_root(struct image *i, struct vfs *v, struct origin **out)
{
	struct image_entry x;
	struct inode *n = inode_get(v, VFS_ROOT);
	struct origin *o;
	int err = image_entry_at(i, i->root, &x);

	if (err != 0 || (x.e.mode & S_FMT) != S_DIR)
		return -E_IO;
	o = origin_new(v->store, &i->source, i->root, NULL);
	if (o == NULL)
		return -E_NOMEM;
	o->owner = v->generation;
	n->origin = o;
	n->mode = x.e.mode;
	n->uid = x.e.uid;
	n->gid = x.e.gid;
	n->flags = INODE_UNLOADED | INODE_PRISTINE;
	n->mtime_ns = x.e.mtime_ns;
	n->atime_ns = x.e.atime_ns;
	n->ctime_ns = x.e.ctime_ns;
	n->btime_ns = x.e.btime_ns;
	*out = o;
	return xattrs_take(v->store, n, x.e.xattrs);
}

/* Open files, and those without a name: descriptors go by their numbers. */
static int take_eager(struct image *i, struct vfs *v, struct origin *root)
{
	uint64_t place = digest_le64(i->end + END_EAGER);
	uint64_t len = digest_le64(i->end + END_EAGER + 8);
	uint64_t end = place + len;
	struct hold *h;

	if (place > i->pages * PAGE_BYTES || len > i->pages * PAGE_BYTES)
		return -E_IO;
	while (place < end) {
		struct image_entry x;
		int err = image_entry_at(i, place, &x);

		if (err == 0)
			err = lazy_put_nameless(v, root, &x.e);
		if (err == 0 && x.e.nlink == 0) {
			err = hold_add(v, x.e.ino, &h);
			if (err == 0) {
				h->orphan = 1;
				v->orphans++;
			}
		}
		if (err != 0)
			return err;
		place = x.next;
	}
	return 0;
}

int image_tree(struct image *i, struct vfs_tree **out)
{
	struct origin *root;
	struct vfs *v;
	int err = vfs_new(i->store, NULL, NULL, NULL, &v);

	if (err != 0)
		return err;
	err = take_root(i, v, &root);
	if (err == 0)
		err = take_eager(i, v, root);
	v->next_ino = i->source.numbers > VFS_ROOT ? i->source.numbers : VFS_ROOT + 1;
	v->usage.bytes = digest_le64(i->end + END_USED_BYTES) & INT64_MAX;
	v->usage.inodes = digest_le64(i->end + END_USED_FILES) & INT64_MAX;
	*out = err == 0 ? vfs_snapshot(v) : NULL;
	vfs_free(v);
	return err != 0 ? err : *out == NULL ? -E_NOMEM : 0;
}

static int discard(void *user, const void *data, size_t len)
{
	(void)user;
	(void)data;
	(void)len;
	return 0;
}

int image_verify(struct image *i)
{
	static const struct image_sink nowhere = { .write = discard };
	struct image_save nothing = { .base_name = { "", 0 }, .state = { "", 0 } };
	struct vfs_tree *tree = NULL;
	struct vfs *v = NULL;
	struct image_info info;
	int err = 0;

	for (uint64_t d = 0; d < i->pages; d++)
		if (image_page(i, d) == NULL)
			return -E_IO;
	/* Writing it all shows what is not as it should be. */
	err = image_tree(i, &tree);
	if (err == 0)
		err = vfs_new(i->store, tree, NULL, NULL, &v);
	if (err == 0)
		err = image_write(v, &nowhere, &nothing, &info);
	vfs_free(v);
	vfs_tree_put(tree);
	return err;
}
