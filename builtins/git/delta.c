/* SPDX-License-Identifier: MIT
 *
 * Deltas of packs: one object as copies out of another and new bytes between them.
 *
 * The base is cut into blocks of 16 bytes; a table finds blocks by their hash. The target is
 * looked at byte by byte: where its next 16 bytes are a block of the base, the match grows in
 * both directions.
 */
#include "builtins/git/transport.h"

enum {
	BLOCK = 16,
	CHAIN_MAX = 24,
	COPY_MAX = 0x10000,
	LITERAL_MAX = 127,
	GOOD_MATCH = 4096,
	CHARGE_STEP = 1024
};

struct delta_index {
	struct bytes base;
	uint32_t *head; /* block number + 1, by hash; 0: none */
	uint32_t *next;
	uint32_t mask;
};

static uint32_t hash_block(const char *at)
{
	uint64_t a, b;

	memcpy(&a, at, 8);
	memcpy(&b, at + 8, 8);
	a = (a ^ (b * 0x9e3779b97f4a7c15u)) * 0xff51afd7ed558ccdu;
	return (uint32_t)(a >> 32);
}

struct delta_index *delta_index_new(struct git *g, struct arena *a, struct bytes base)
{
	struct delta_index *x;
	uint32_t n = (uint32_t)(base.len / BLOCK);
	uint32_t size = 16;

	if (n == 0 || base.len > UINT32_MAX / 2)
		return NULL;
	/* Much larger than there are blocks: most bytes of another text find nothing. */
	while (size < n * 4)
		size *= 2;
	x = arena_alloc(a, sizeof(*x));
	x->base = base;
	x->mask = size - 1;
	x->head = arena_zalloc(a, size * sizeof(*x->head));
	x->next = arena_array(a, n, sizeof(*x->next));
	/* Backwards, so that of equal blocks the first is found first. */
	for (uint32_t i = n; i-- > 0;) {
		uint32_t *head = &x->head[hash_block(base.ptr + (size_t)i * BLOCK) & x->mask];

		x->next[i] = *head;
		*head = i + 1;
	}
	cmd_charge_bytes(g->c, base.len);
	return x;
}

struct match {
	size_t from; /* in the base */
	size_t len;
};

static struct match longest(const struct delta_index *x, struct bytes target, size_t at)
{
	struct match best = { 0, 0 };
	uint32_t block = x->head[hash_block(target.ptr + at) & x->mask];

	for (int i = 0; block != 0 && i < CHAIN_MAX && best.len < GOOD_MATCH; i++) {
		size_t from = (size_t)(block - 1) * BLOCK;
		size_t max = x->base.len - from;
		size_t n = 0;

		if (max > target.len - at)
			max = target.len - at;
		while (n < max && x->base.ptr[from + n] == target.ptr[at + n])
			n++;
		if (n >= BLOCK && n > best.len)
			best = (struct match){ from, n };
		block = x->next[block - 1];
	}
	return best;
}

static void put_size(struct buf *out, size_t n)
{
	for (; n > 0x7f; n >>= 7)
		buf_putc(out, (char)(0x80 | (n & 0x7f)));
	buf_putc(out, (char)n);
}

static void put_literal(struct buf *out, const char *at, size_t n)
{
	while (n > 0) {
		size_t part = n < LITERAL_MAX ? n : LITERAL_MAX;

		buf_putc(out, (char)part);
		buf_put(out, at, part);
		at += part;
		n -= part;
	}
}

static void put_copy(struct buf *out, size_t from, size_t n)
{
	while (n > 0) {
		size_t part = n < COPY_MAX ? n : COPY_MAX;
		size_t size = part == COPY_MAX ? 0 : part;
		char bytes[8];
		unsigned op = 0x80;
		size_t used = 1;

		for (unsigned i = 0; i < 4; i++)
			if ((from >> 8 * i & 0xff) != 0) {
				op |= 1u << i;
				bytes[used++] = (char)(from >> 8 * i & 0xff);
			}
		for (unsigned i = 0; i < 2; i++)
			if ((size >> 8 * i & 0xff) != 0) {
				op |= 0x10u << i;
				bytes[used++] = (char)(size >> 8 * i & 0xff);
			}
		bytes[0] = (char)op;
		buf_put(out, bytes, used);
		from += part;
		n -= part;
	}
}

/* The next place whose block may be in the base, or where it is too late for one. */
static size_t next_block(const struct delta_index *x, struct bytes target, size_t at, size_t stop)
{
	size_t end = target.len - BLOCK + 1;

	end = stop + 1 < end ? stop + 1 : end;
	while (at < end && x->head[hash_block(target.ptr + at) & x->mask] == 0)
		at++;
	return at;
}

bool delta_make(struct git *g, const struct delta_index *x, struct bytes target, size_t max,
		struct buf *out)
{
	size_t at = 0, charged = 0;
	size_t literal = 0; /* where bytes that are not written yet begin */

	put_size(out, x->base.len);
	put_size(out, target.len);
	while (at + BLOCK <= target.len) {
		struct match m = { 0, 0 };

		if (out->len > max)
			return false;
		at = next_block(x, target, at, literal + (max - out->len));
		if (at - charged > CHARGE_STEP) {
			cmd_charge(g->c, (at - charged) / 16);
			charged = at;
		}
		if (at + BLOCK <= target.len)
			m = longest(x, target, at);
		if (m.len == 0) {
			at++;
			if (out->len + (at - literal) > max)
				return false;
			continue;
		}
		while (at > literal && m.from > 0 &&
		       x->base.ptr[m.from - 1] == target.ptr[at - 1]) {
			at--;
			m.from--;
			m.len++;
		}
		put_literal(out, target.ptr + literal, at - literal);
		put_copy(out, m.from, m.len);
		cmd_charge_bytes(g->c, m.len);
		at += m.len;
		literal = at;
	}
	put_literal(out, target.ptr + literal, target.len - literal);
	return out->len <= max;
}
