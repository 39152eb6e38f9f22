/* SPDX-License-Identifier: MIT
 *
 * Image files as they are read: the summary, pages checked by hashes, places, entries.
 *
 * A page is checked when it is first asked for, and then the pages of hashes above it up to the
 * first that was checked before; a bit in `checked` remembers. Sessions on several threads may
 * do this at once: at worst a page is checked twice.
 */
#include "vfs/image_format.h"

static void hash(const void *data, size_t len, bool fast, uint8_t out[HASH_BYTES])
{
	struct digest d;
	uint8_t whole[DIGEST_MAX];

	digest_init(&d, DIGEST_SHA256, 0);
	d.fast = fast;
	digest_update(&d, (struct bytes){ data, len });
	digest_final(&d, whole);
	memcpy(out, whole, HASH_BYTES);
}

void image_hash(const void *data, size_t len, uint8_t out[HASH_BYTES])
{
	hash(data, len, false, out);
}

uint64_t image_position(uint64_t d)
{
	uint64_t position = d;

	while ((d >>= HASH_BITS) != 0)
		position += d;
	return position;
}

/* Where the g-th page of hashes of a level lies: behind the last page it is about. */
static uint64_t hash_position(const struct image *i, uint32_t level, uint64_t g)
{
	uint64_t end = (g + 1) << (HASH_BITS * (level + 1));

	if (end > i->pages)
		end = i->pages;
	return image_position(end - 1) + 1 + level;
}

static uint32_t levels_of(uint64_t pages)
{
	uint32_t levels = 1;

	while (levels * HASH_BITS < 64 && (pages - 1) >> (levels * HASH_BITS) != 0)
		levels++;
	return levels;
}

static const uint8_t *raw_page(const struct image *i, uint64_t position)
{
	return i->bytes + position * PAGE_BYTES;
}

static bool was_checked(const struct image *i, uint64_t position)
{
	return (atomic_load_explicit(&i->checked[position / 32], memory_order_relaxed) >>
			(position % 32) &
		1) != 0;
}

static void set_checked(struct image *i, uint64_t position)
{
	atomic_fetch_or_explicit(&i->checked[position / 32], (uint32_t)1 << (position % 32),
				 memory_order_relaxed);
}

/* The hash that the page of hashes of a level above page d must have. */
static const uint8_t *wanted_hash(const struct image *i, uint32_t level, uint64_t d)
{
	uint64_t g = d >> (HASH_BITS * (level + 1));
	const uint8_t *above;

	if (level + 1 == i->levels)
		return i->end + END_TOP;
	above = raw_page(i, hash_position(i, level + 1, g >> HASH_BITS));
	return above + (g & (HASH_FAN - 1)) * HASH_BYTES;
}

static bool check(struct image *i, uint64_t position, const uint8_t *wanted)
{
	uint8_t found[HASH_BYTES];

	hash(raw_page(i, position), PAGE_BYTES, i->fast, found);
	if (memcmp(found, wanted, HASH_BYTES) != 0)
		return false;
	set_checked(i, position);
	return true;
}

/* The page with the hashes of d and its neighbours: checked downwards from the first page of
 * hashes above it that was. */
static const uint8_t *hashes_of(struct image *i, uint64_t d)
{
	uint32_t level = 0;

	while (level < i->levels &&
	       !was_checked(i, hash_position(i, level, d >> (HASH_BITS * (level + 1)))))
		level++;
	while (level-- > 0) {
		uint64_t position = hash_position(i, level, d >> (HASH_BITS * (level + 1)));

		if (!check(i, position, wanted_hash(i, level, d)))
			return NULL;
	}
	return raw_page(i, hash_position(i, 0, d >> HASH_BITS));
}

const uint8_t *image_page(struct image *i, uint64_t d)
{
	uint64_t position = image_position(d);
	const uint8_t *hashes;

	if (d >= i->pages)
		return NULL;
	if (was_checked(i, position))
		return raw_page(i, position);
	hashes = hashes_of(i, d);
	if (hashes == NULL || !check(i, position, hashes + (d & (HASH_FAN - 1)) * HASH_BYTES))
		return NULL;
	return raw_page(i, position);
}

int image_copy(struct image *i, uint64_t place, void *out, uint64_t len)
{
	uint8_t *to = out;

	while (len != 0) {
		const uint8_t *page = image_page(i, place / PAGE_BYTES);
		uint64_t within = place % PAGE_BYTES;
		uint64_t part = PAGE_BYTES - within < len ? PAGE_BYTES - within : len;

		if (page == NULL)
			return -E_IO;
		memcpy(to, page + within, (size_t)part);
		to += part;
		place += part;
		len -= part;
	}
	return 0;
}

/* --- opening --- */

static bool is_zero(const uint8_t *at, size_t n)
{
	return bytes_are_zero((struct bytes){ (const char *)at, n });
}

static enum image_fault look_at(const uint8_t *bytes, uint64_t size)
{
	const uint8_t *end;
	uint8_t hash[HASH_BYTES];
	uint64_t pages;

	if (size < 16 || memcmp(bytes, IMAGE_MAGIC, 8) != 0)
		return IMAGE_NO_IMAGE;
	if (digest_le32(bytes + 8) != IMAGE_VERSION)
		return IMAGE_NEWER;
	if (size % PAGE_BYTES != 0 || size < 3 * PAGE_BYTES)
		return IMAGE_CUT;
	end = bytes + size - PAGE_BYTES;
	if (memcmp(end, IMAGE_END_MAGIC, 8) != 0)
		return IMAGE_CUT;
	image_hash(end, END_HASH, hash);
	if (memcmp(hash, end + END_HASH, HASH_BYTES) != 0)
		return IMAGE_DAMAGED;
	if (digest_le32(end + END_VERSION) != IMAGE_VERSION)
		return IMAGE_NEWER;
	pages = digest_le64(end + END_PAGES);
	if (pages == 0 || pages > PAGES_MAX ||
	    (image_position(pages - 1) + 1 + levels_of(pages) + 1) * PAGE_BYTES != size)
		return IMAGE_CUT;
	if (!is_zero(end + END_ZERO, END_HASH - END_ZERO) ||
	    digest_le32(end + END_KIND) - 1 >= IMAGE_SESSION ||
	    digest_le64(end + END_NUMBERS) >
		    (digest_le32(end + END_KIND) == IMAGE_FILES ? IMAGE_INO_END : INO_END) ||
	    digest_le64(end + END_BASE_FIRST) > digest_le64(end + END_NUMBERS))
		return IMAGE_DAMAGED;
	return IMAGE_FINE;
}

static enum image_fault check_base(const uint8_t *end, const struct image *base)
{
	uint64_t first = digest_le64(end + END_BASE_FIRST);

	if (digest_le32(end + END_HAS_BASE) == 0)
		return IMAGE_FINE;
	if (base == NULL)
		return IMAGE_BASE_NEEDED;
	if (memcmp(end + END_BASE_ID, base->end + END_HASH, HASH_BYTES) != 0 || base->base != NULL)
		return IMAGE_OTHER_BASE;
	if (first != 0 && digest_le64(end + END_NUMBERS) - first < base->source.numbers)
		return IMAGE_DAMAGED;
	return IMAGE_FINE;
}

static int open_with(struct store *s, const void *bytes, uint64_t size, struct image *base,
		     bool want_base, struct image **out, enum image_fault *fault)
{
	const uint8_t *end;
	struct image *i;

	*fault = look_at(bytes, size);
	if (*fault != IMAGE_FINE)
		return -E_INVAL;
	end = (const uint8_t *)bytes + size - PAGE_BYTES;
	*fault = want_base ? check_base(end, base) : IMAGE_FINE;
	if (*fault != IMAGE_FINE)
		return -E_INVAL;
	i = store_alloc(s, sizeof *i);
	if (i == NULL)
		return -E_NOMEM;
	memset(i, 0, sizeof *i);
	i->store = s;
	i->bytes = bytes;
	i->size = size;
	i->end = end;
	i->pages = digest_le64(end + END_PAGES);
	i->levels = levels_of(i->pages);
	i->root = digest_le64(end + END_ROOT);
	i->base = digest_le32(end + END_HAS_BASE) != 0 ? base : NULL;
	i->checked_bytes = (size_t)(size / PAGE_BYTES / 32 + 1) * sizeof *i->checked;
	i->checked = store_alloc(s, i->checked_bytes);
	if (i->checked == NULL) {
		store_free(s, i, sizeof *i);
		return -E_NOMEM;
	}
	memset((void *)i->checked, 0, i->checked_bytes);
	i->fast = digest_sha256_is_fast();
	image_init_source(i);
	*out = i;
	return 0;
}

int image_open(struct store *s, const void *bytes, uint64_t size, struct image *base,
	       struct image **out, enum image_fault *fault)
{
	return open_with(s, bytes, size, base, true, out, fault);
}

void image_close(struct image *i)
{
	if (i == NULL)
		return;
	store_free(i->store, (void *)i->checked, i->checked_bytes);
	store_free(i->store, i, sizeof *i);
}

void image_get_info(const struct image *i, struct image_info *out)
{
	const uint8_t *end = i->end;

	*out = (struct image_info){
		.kind = digest_le32(end + END_KIND),
		.pages = i->pages,
		.numbers = digest_le64(end + END_NUMBERS),
		.files = digest_le64(end + END_FILES),
		.bytes = digest_le64(end + END_BYTES),
		.has_base = digest_le32(end + END_HAS_BASE) != 0,
	};
	memcpy(out->id, end + END_HASH, HASH_BYTES);
	memcpy(out->base_id, end + END_BASE_ID, HASH_BYTES);
}

const char *image_fault_text(enum image_fault fault)
{
	static const char *const text[] = {
		[IMAGE_FINE] = "no error",
		[IMAGE_NO_IMAGE] = "not an image or session of cowsh",
		[IMAGE_NEWER] = "made by another version of cowsh",
		[IMAGE_CUT] = "cut off: its end is missing",
		[IMAGE_DAMAGED] = "damaged",
		[IMAGE_OTHER_BASE] = "its base is another image than the one given",
		[IMAGE_BASE_NEEDED] = "needs the image it is based on (--base)",
	};

	return text[fault];
}

void image_base_mount(const struct image *i, struct base_mount *out)
{
	*out = (struct base_mount){ .first = digest_le64(i->end + END_BASE_FIRST),
				    .owned = digest_le32(i->end + END_BASE_OWNED),
				    .uid = digest_le32(i->end + END_BASE_UID),
				    .gid = digest_le32(i->end + END_BASE_GID) };
}

uint64_t image_size(const struct image *i)
{
	return i->size;
}

int image_state(struct image *i, struct arena *a, struct bytes *out)
{
	uint64_t place = digest_le64(i->end + END_STATE);
	uint64_t len = digest_le64(i->end + END_STATE + 8);
	char *text;

	if (len > i->size || place > i->pages * PAGE_BYTES)
		return -E_IO;
	text = arena_alloc(a, (size_t)len + 1);
	text[len] = '\0';
	*out = (struct bytes){ text, (size_t)len };
	return image_copy(i, place, text, len);
}

int64_t image_base_name(struct store *s, const void *bytes, uint64_t size, char *name,
			size_t name_size)
{
	enum image_fault fault;
	struct image *i;
	uint64_t len;
	int err = open_with(s, bytes, size, NULL, false, &i, &fault);

	if (err != 0)
		return err;
	len = digest_le64(i->end + END_BASE_NAME + 8);
	if (len >= name_size ||
	    image_copy(i, digest_le64(i->end + END_BASE_NAME), name, len) != 0) {
		err = -E_INVAL;
		len = 0;
	}
	name[len] = '\0';
	image_close(i);
	return err != 0 ? err : (int64_t)len;
}

/* --- entries --- */

struct image *image_of(struct image *i, uint64_t *place)
{
	if ((*place & IN_BASE) == 0)
		return i;
	*place &= ~IN_BASE;
	return i->base;
}

/* What can be wrong with an entry by itself. */
static bool is_sound(const struct image_entry *x, size_t name_len, size_t target_len)
{
	const struct vfs_source_entry *e = &x->e;
	bool link = (e->mode & S_FMT) == S_LNK;

	if (name_len > VFS_NAME_MAX || target_len >= VFS_PATH_MAX || link != (target_len != 0))
		return false;
	if (memchr(x->text, '\0', name_len) != NULL || memchr(x->text, '/', name_len) != NULL)
		return false;
	if (link && memchr(x->text + name_len + 1, '\0', target_len) != NULL)
		return false;
	if (strcmp(e->name, ".") == 0 || strcmp(e->name, "..") == 0)
		return false;
	return xattrs_are_sound(e->xattrs) && e->size <= INT64_MAX && e->charged <= INT64_MAX &&
	       (e->mode & ~(S_FMT | 07777u)) == 0;
}

int image_entry_at(struct image *i, uint64_t place, struct image_entry *out)
{
	uint8_t head[ENTRY_BYTES];
	size_t name_len, target_len, xattrs_len;
	char *xattrs;

	if (place > i->pages * PAGE_BYTES || image_copy(i, place, head, sizeof head) != 0)
		return -E_IO;
	name_len = get16(head + ENTRY_NAME_LEN);
	target_len = get16(head + ENTRY_TARGET_LEN);
	xattrs_len = get16(head + ENTRY_XATTRS_LEN);
	if (name_len > VFS_NAME_MAX || target_len >= VFS_PATH_MAX || xattrs_len > VFS_XATTRS_MAX)
		return -E_IO;
	xattrs = out->text + name_len + target_len + 2;
	if (image_copy(i, place + ENTRY_BYTES, out->text, name_len) != 0 ||
	    image_copy(i, place + ENTRY_BYTES + name_len, out->text + name_len + 1, target_len) !=
		    0 ||
	    image_copy(i, place + ENTRY_BYTES + name_len + target_len, xattrs, xattrs_len) != 0)
		return -E_IO;
	out->text[name_len] = '\0';
	out->text[name_len + 1 + target_len] = '\0';
	out->e = (struct vfs_source_entry){
		.name = out->text,
		.id = place,
		.mode = digest_le32(head + ENTRY_MODE),
		.uid = digest_le32(head + ENTRY_UID),
		.gid = digest_le32(head + ENTRY_GID),
		.size = digest_le64(head + ENTRY_SIZE),
		.mtime_ns = (int64_t)digest_le64(head + ENTRY_MTIME),
		.target = target_len != 0 ? out->text + name_len + 1 : NULL,
		.rdev = digest_le64(head + ENTRY_RDEV),
		.ino = digest_le64(head + ENTRY_INO),
		.nlink = digest_le32(head + ENTRY_NLINK),
		.charged = digest_le64(head + ENTRY_CHARGED),
		.owned = (get16(head + ENTRY_FLAGS) & ENTRY_OWNED) != 0,
		.atime_ns = (int64_t)digest_le64(head + ENTRY_ATIME),
		.ctime_ns = (int64_t)digest_le64(head + ENTRY_CTIME),
		.btime_ns = (int64_t)digest_le64(head + ENTRY_BTIME),
		.xattrs = { xattrs, xattrs_len },
	};
	out->content = digest_le64(head + ENTRY_CONTENT);
	out->next = (place + ENTRY_BYTES + name_len + target_len + xattrs_len + 7) & ~(uint64_t)7;
	return is_sound(out, name_len, target_len) ? 0 : -E_IO;
}
