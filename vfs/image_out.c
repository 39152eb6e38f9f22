/* SPDX-License-Identifier: MIT
 *
 * Image files as they are written: pages in order, hashes between them, the summary.
 *
 * A group of 128 pages waits in memory until it is full: then its hashes are known, and all goes
 * out. Small pieces share the open page of the group, which is closed with it. Memory does not
 * depend on how much is written: what was there before is remembered in a table of fixed size,
 * whose old entries are forgotten.
 */
#include "vfs/image_format.h"

enum { KNOWN_BITS = 16, KNOWN = 1 << KNOWN_BITS };

struct known {
	uint8_t hash[HASH_BYTES];
	uint64_t at;
	uint32_t stored; /* of a compressed block; 0: a page */
	uint32_t used;
};

struct image_out {
	struct store *store;
	struct image_sink sink;
	enum image_kind kind;
	uint64_t pages; /* numbered so far */
	uint64_t open;  /* page that takes small pieces; UINT64_MAX: none */
	size_t open_fill;
	uint8_t *group;                 /* HASH_FAN pages and one of their hashes */
	uint8_t *level;                 /* a page for each level of hashes above that */
	uint64_t full[HASH_LEVELS_MAX]; /* hashes so far, by level */
	uint8_t hashed[HASH_FAN];       /* pages of the group whose hash is in place */
	struct known *known;
};

void image_out_free(struct image_out *o)
{
	if (o == NULL)
		return;
	if (o->group != NULL)
		store_pages_free(o->store, o->group, HASH_FAN + 1);
	if (o->level != NULL)
		store_pages_free(o->store, o->level, HASH_LEVELS_MAX);
	store_free(o->store, o->known, KNOWN * sizeof *o->known);
	store_free(o->store, o, sizeof *o);
}

int image_out_new(struct store *s, const struct image_sink *sink, enum image_kind kind,
		  struct image_out **out)
{
	struct image_out *o = store_alloc(s, sizeof *o);
	uint8_t header[PAGE_BYTES] = { 0 };
	uint64_t d;
	int err;

	if (o == NULL)
		return -E_NOMEM;
	*o = (struct image_out){ .store = s, .sink = *sink, .kind = kind, .open = UINT64_MAX };
	o->group = store_pages(s, HASH_FAN + 1);
	o->level = store_pages(s, HASH_LEVELS_MAX);
	o->known = store_alloc(s, KNOWN * sizeof *o->known);
	if (o->group == NULL || o->level == NULL || o->known == NULL) {
		image_out_free(o);
		return -E_NOMEM;
	}
	memset(o->known, 0, KNOWN * sizeof *o->known);
	memcpy(header, IMAGE_MAGIC, 8);
	put32(header + 8, IMAGE_VERSION);
	put32(header + 12, kind);
	err = image_out_page(o, header, &d);
	if (err != 0) {
		image_out_free(o);
		return err;
	}
	*out = o;
	return 0;
}

bool image_out_compresses(const struct image_out *o)
{
	return o->sink.compress;
}

/* --- hashes --- */

static uint8_t *level_page(struct image_out *o, uint32_t level)
{
	return level == 0 ? o->group + HASH_FAN * (size_t)PAGE_BYTES
			  : o->level + level * (size_t)PAGE_BYTES;
}

static int write_out(struct image_out *o, const void *data, size_t len)
{
	return o->sink.write(o->sink.user, data, len);
}

/* Puts the hash of a page into one of a level above 0. */
static void add_hash(struct image_out *o, uint32_t level, const uint8_t *data)
{
	uint8_t *page = level_page(o, level);
	size_t at = (size_t)(o->full[level]++ & (HASH_FAN - 1));

	if (at == 0)
		memset(page, 0, PAGE_BYTES);
	image_hash(data, PAGE_BYTES, page + at * HASH_BYTES);
}

/* The hashes of the group that are not known yet. */
static void hash_group(struct image_out *o, size_t n)
{
	uint8_t *hashes = level_page(o, 0);

	for (size_t i = 0; i < n; i++)
		if (!o->hashed[i])
			image_hash(o->group + i * PAGE_BYTES, PAGE_BYTES, hashes + i * HASH_BYTES);
	memset(hashes + n * HASH_BYTES, 0, (HASH_FAN - n) * HASH_BYTES);
	memset(o->hashed, 0, sizeof o->hashed);
}

/* Writes the page of a level, whose hash belongs to the one above; and that, when full. */
static int close_levels(struct image_out *o, uint32_t level)
{
	for (;; level++) {
		int err = write_out(o, level_page(o, level), PAGE_BYTES);

		if (err != 0)
			return err;
		if (level + 1 == HASH_LEVELS_MAX)
			return -E_FBIG;
		add_hash(o, level + 1, level_page(o, level));
		if ((o->full[level + 1] & (HASH_FAN - 1)) != 0)
			return 0;
	}
}

/* The pages of the group go out, with their hashes. */
static int flush_group(struct image_out *o)
{
	size_t n = (size_t)((o->pages - 1) & (HASH_FAN - 1)) + 1;
	int err = write_out(o, o->group, n * PAGE_BYTES);

	hash_group(o, n);
	o->open = UINT64_MAX;
	return err != 0 ? err : close_levels(o, 0);
}

/* A fresh page of the group; the one before is whole by now. */
static int next_page(struct image_out *o, uint8_t **out)
{
	size_t slot = (size_t)(o->pages & (HASH_FAN - 1));
	int err = slot == 0 && o->pages != 0 ? flush_group(o) : 0;

	*out = o->group + slot * PAGE_BYTES;
	o->pages++;
	return err;
}

/* --- pages and pieces --- */

static struct known *known_slot(struct image_out *o, const uint8_t hash[HASH_BYTES])
{
	return &o->known[(hash[0] | hash[1] << 8) & (KNOWN - 1)];
}

bool image_out_known(struct image_out *o, const uint8_t hash[HASH_BYTES], uint64_t *at,
		     uint32_t *stored)
{
	const struct known *k = known_slot(o, hash);

	if (!k->used || memcmp(k->hash, hash, HASH_BYTES) != 0)
		return false;
	*at = k->at;
	*stored = k->stored;
	return true;
}

void image_out_remember(struct image_out *o, const uint8_t hash[HASH_BYTES], uint64_t at,
			uint32_t stored)
{
	struct known *k = known_slot(o, hash);

	memcpy(k->hash, hash, HASH_BYTES);
	k->at = at;
	k->stored = stored;
	k->used = 1;
}

int image_out_page(struct image_out *o, const void *page, uint64_t *d)
{
	uint8_t hash[HASH_BYTES];
	uint32_t stored;
	uint8_t *to;
	int err;

	image_hash(page, PAGE_BYTES, hash);
	if (image_out_known(o, hash, d, &stored) && stored == 0)
		return 0;
	err = next_page(o, &to);
	if (err != 0)
		return err;
	memcpy(to, page, PAGE_BYTES);
	*d = o->pages - 1;
	o->hashed[*d & (HASH_FAN - 1)] = 1;
	memcpy(level_page(o, 0) + (*d & (HASH_FAN - 1)) * HASH_BYTES, hash, HASH_BYTES);
	image_out_remember(o, hash, *d, 0);
	return 0;
}

int image_out_bytes(struct image_out *o, const void *data, size_t len, uint64_t *place)
{
	const uint8_t *from = data;
	size_t fill = (o->open_fill + 7) & ~(size_t)7;
	uint8_t *to;

	*place = 0;
	if (len == 0)
		return 0;
	if (o->open != UINT64_MAX && fill + len <= PAGE_BYTES) {
		*place = o->open * PAGE_BYTES + fill;
		memcpy(o->group + (o->open & (HASH_FAN - 1)) * PAGE_BYTES + fill, from, len);
		o->open_fill = fill + len;
		return 0;
	}
	for (size_t done = 0; done < len;) {
		size_t part = len - done < PAGE_BYTES ? len - done : PAGE_BYTES;
		int err = next_page(o, &to);

		if (err != 0)
			return err;
		if (done == 0)
			*place = (o->pages - 1) * PAGE_BYTES;
		memcpy(to, from + done, part);
		memset(to + part, 0, PAGE_BYTES - part);
		o->open = o->pages - 1;
		o->open_fill = part;
		done += part;
	}
	return 0;
}

/* --- the end --- */

/* What is left of the group and the levels; the hash of the topmost page. */
static int close_all(struct image_out *o, uint8_t top[HASH_BYTES])
{
	uint32_t level = 0;
	int err = flush_group(o);

	/* A level is open as long as it has hashes and is not full; the last one is the top. */
	for (level = 1; err == 0 && o->full[level] > 1; level++)
		if ((o->full[level] & (HASH_FAN - 1)) != 0)
			err = close_levels(o, level);
	if (err == 0)
		memcpy(top, level_page(o, level), HASH_BYTES);
	return err;
}

int image_out_finish(struct image_out *o, uint8_t end[PAGE_BYTES], struct image_info *info)
{
	int err;

	memcpy(end + END_MAGIC, IMAGE_END_MAGIC, 8);
	put32(end + END_VERSION, IMAGE_VERSION);
	put32(end + END_KIND, o->kind);
	put64(end + END_PAGES, o->pages);
	err = close_all(o, end + END_TOP);
	if (err != 0)
		return err;
	image_hash(end, END_HASH, end + END_HASH);
	*info = (struct image_info){ .kind = o->kind,
				     .pages = o->pages,
				     .numbers = digest_le64(end + END_NUMBERS),
				     .files = digest_le64(end + END_FILES),
				     .bytes = digest_le64(end + END_BYTES),
				     .has_base = digest_le64(end + END_HAS_BASE) != 0 };
	memcpy(info->id, end + END_HASH, HASH_BYTES);
	memcpy(info->base_id, end + END_BASE_ID, HASH_BYTES);
	return write_out(o, end, PAGE_BYTES);
}
