/* SPDX-License-Identifier: MIT
 *
 * The contents of one file on their way into an image: pages become extents.
 *
 * Pages of zeros are left out. With compression, runs of 16 pages from a multiple of 16 on are
 * packed together where that saves at least a page.
 */
#include "vfs/image_format.h"

enum { EXTENTS_FIRST = 4 };

void content_start(struct content *c, struct image_out *out, struct store *s)
{
	*c = (struct content){ .out = out, .store = s, .len = 8 };
}

void content_clear(struct content *c)
{
	if (c->block != NULL)
		store_pages_free(c->store, c->block, BLOCK_PAGES);
	store_free(c->store, c->extents, c->cap);
	c->block = NULL;
	c->extents = NULL;
}

static void encode_extent(const struct extent *e, uint8_t *at)
{
	put64(at + EXTENT_FIRST, e->first);
	put64(at + EXTENT_AT, e->at);
	put32(at + EXTENT_COUNT, e->count);
	put32(at + EXTENT_STORED, e->stored);
	put32(at + EXTENT_SKIP, e->skip);
	put32(at + EXTENT_FLAGS, e->in_base);
}

/* Whether e goes on where the last extent ends; then that one grows. */
static bool joined(struct content *c, const struct extent *e)
{
	uint8_t *last;
	uint32_t count;

	if (c->len < 8 + EXTENT_BYTES || e->stored != 0)
		return false;
	last = c->extents + c->len - EXTENT_BYTES;
	count = digest_le32(last + EXTENT_COUNT);
	if (digest_le32(last + EXTENT_STORED) != 0 ||
	    digest_le32(last + EXTENT_FLAGS) != (uint32_t)e->in_base ||
	    digest_le64(last + EXTENT_FIRST) + count != e->first ||
	    digest_le64(last + EXTENT_AT) + count != e->at || e->count > UINT32_MAX - count)
		return false;
	put32(last + EXTENT_COUNT, count + e->count);
	return true;
}

static int add_extent(struct content *c, const struct extent *e)
{
	c->pages += e->count;
	if (joined(c, e))
		return 0;
	if (c->len + EXTENT_BYTES > c->cap) {
		size_t cap = c->cap != 0 ? 2 * c->cap : 8 + EXTENTS_FIRST * EXTENT_BYTES;
		uint8_t *more = store_alloc(c->store, cap);

		if (more == NULL)
			return -E_NOMEM;
		if (c->extents != NULL)
			memcpy(more, c->extents, c->len);
		store_free(c->store, c->extents, c->cap);
		c->extents = more;
		c->cap = cap;
	}
	encode_extent(e, c->extents + c->len);
	c->len += EXTENT_BYTES;
	return 0;
}

static int put_page(struct content *c, uint64_t index, const void *page)
{
	struct extent e = { .first = index, .count = 1 };
	int err = image_out_page(c->out, page, &e.at);

	return err != 0 ? err : add_extent(c, &e);
}

/* --- compressed blocks --- */

static void no_memory(void *arg)
{
	longjmp(*(jmp_buf *)arg, 1);
}

/* The packed bytes in the pool, or 0 if they would not be smaller by a page. */
static size_t pack(struct pool *pool, const uint8_t *block, size_t len, uint8_t **out)
{
	struct codec_options options = { .kind = CODEC_ZSTD, .level = 3, .size = len };
	struct codec c = { 0 };
	enum codec_result got;

	if (len <= PAGE_BYTES || !codec_start(&c, pool, &options))
		return 0;
	*out = pool_alloc(pool, len);
	c.in = block;
	c.in_len = len;
	c.out = *out;
	c.out_len = len - PAGE_BYTES;
	got = codec_run(&c, true);
	codec_stop(&c);
	return got == CODEC_END ? (size_t)(c.out - *out) : 0;
}

static int put_packed(struct content *c, const uint8_t *packed, size_t stored,
		      const uint8_t hash[HASH_BYTES])
{
	struct extent e = { .first = c->block_first,
			    .count = c->block_count,
			    .stored = (uint32_t)stored };
	int err = image_out_bytes(c->out, packed, stored, &e.at);

	if (err != 0)
		return err;
	image_out_remember(c->out, hash, e.at, e.stored);
	return add_extent(c, &e);
}

static int flush_block(struct content *c)
{
	size_t len = c->block_count * (size_t)PAGE_BYTES;
	struct heap heap = { .store = c->store };
	struct extent e = { .first = c->block_first, .count = c->block_count };
	uint8_t hash[HASH_BYTES];
	uint8_t *packed = NULL;
	struct pool pool;
	size_t stored;
	jmp_buf full;
	int err = 0;

	if (len == 0)
		return 0;
	image_hash(c->block, len, hash);
	if (image_out_known(c->out, hash, &e.at, &e.stored) && e.stored != 0) {
		c->block_count = 0;
		return add_extent(c, &e);
	}
	pool_init(&pool, &heap, (struct arena_fail){ no_memory, &full });
	if (setjmp(full) == 0) {
		stored = pack(&pool, c->block, len, &packed);
		err = stored != 0 ? put_packed(c, packed, stored, hash) : 0;
		for (uint32_t i = 0; stored == 0 && err == 0 && i < c->block_count; i++)
			err = put_page(c, c->block_first + i, c->block + i * (size_t)PAGE_BYTES);
	} else {
		err = -E_NOMEM;
	}
	pool_clear(&pool);
	c->block_count = 0;
	return err;
}

static int add_to_block(struct content *c, uint64_t index, const void *page)
{
	int err = 0;

	if (c->block == NULL) {
		c->block = store_pages(c->store, BLOCK_PAGES);
		if (c->block == NULL)
			return -E_NOMEM;
	}
	if (c->block_count != 0 &&
	    (index != c->block_first + c->block_count || index % BLOCK_PAGES == 0))
		err = flush_block(c);
	if (c->block_count == 0)
		c->block_first = index;
	memcpy(c->block + c->block_count++ * (size_t)PAGE_BYTES, page, PAGE_BYTES);
	return err;
}

int content_page(struct content *c, uint64_t index, const void *page)
{
	int err = 0;

	if (bytes_are_zero((struct bytes){ (const char *)page, PAGE_BYTES }))
		return 0;
	if (image_out_compresses(c->out))
		err = add_to_block(c, index, page);
	else
		err = put_page(c, index, page);
	return err;
}

int content_extent(struct content *c, const struct extent *e)
{
	int err = flush_block(c);

	return err != 0 ? err : add_extent(c, e);
}

int content_finish(struct content *c, uint64_t *content)
{
	int err = flush_block(c);

	*content = 0;
	if (err != 0 || c->len == 8)
		return err;
	put64(c->extents, (c->len - 8) / EXTENT_BYTES);
	err = image_out_bytes(c->out, c->extents, c->len, content);
	*content |= CONTENT_EXTENTS;
	return err;
}
