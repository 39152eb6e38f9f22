/* SPDX-License-Identifier: MIT
 *
 * What compress(1) writes: LZW with codes of 9 to 16 bits. Each code is a known string and one
 * byte more; strings are kept as (prefix, last byte) and come out backwards.
 */
#include "builtins/gzip/gzip.h"

enum {
	LZW_BITS_FIRST = 9,
	LZW_BITS_MAX = 16,
	LZW_BITS_MASK = 0x1f,
	LZW_BLOCK_MODE = 0x80,
	LZW_CLEAR = 256,
	LZW_NONE = -1,
};

struct lzw {
	struct gzip_job *j;
	uint16_t prefix[1 << LZW_BITS_MAX];
	uint8_t last[1 << LZW_BITS_MAX];
	uint8_t stack[1 << LZW_BITS_MAX];
	int bits_max;
	bool block_mode;
	int bits;
	int32_t next;  /* the code that is defined next */
	int32_t old;   /* the code before */
	uint8_t first; /* first byte of its string */
	uint64_t hold; /* bits read and not used */
	int nhold;
	int in_group; /* codes of this size since it began: groups of eight are whole */
};

static int next_byte(struct lzw *z)
{
	int byte = input_byte(&z->j->in);

	if (byte < -1)
		cmd_fatal(z->j->g->c, byte + 1, "%s", z->j->name);
	z->j->bytes_in += byte >= 0;
	return byte;
}

/* The next code, or LZW_NONE at the end. */
static int32_t next_code(struct lzw *z)
{
	while (z->nhold < z->bits) {
		int byte = next_byte(z);

		if (byte < 0)
			return LZW_NONE;
		z->hold |= (uint64_t)byte << z->nhold;
		z->nhold += 8;
	}
	int32_t code = (int32_t)(z->hold & ((1u << z->bits) - 1));

	z->hold >>= z->bits;
	z->nhold -= z->bits;
	z->in_group = (z->in_group + 1) % 8;
	return code;
}

/* Codes stand in groups of eight; when their size changes the rest of a group is skipped. */
static void set_bits(struct lzw *z, int bits)
{
	while (z->in_group != 0 && next_code(z) != LZW_NONE)
		;
	z->in_group = 0;
	z->hold = 0;
	z->nhold = 0;
	z->bits = bits;
}

static void put_string(struct lzw *z, int32_t code)
{
	size_t n = sizeof z->stack;
	int32_t at = code;

	if (code >= z->next) {
		z->stack[--n] = z->first;
		at = z->old;
	}
	for (; at >= 256; at = z->prefix[at])
		z->stack[--n] = z->last[at];
	z->first = (uint8_t)at;
	z->stack[--n] = z->first;
	gzip_put(z->j, z->stack + n, sizeof z->stack - n);
	cmd_charge_bytes(z->j->g->c, sizeof z->stack - n);
}

static void define(struct lzw *z)
{
	if (z->next >= 1 << z->bits_max)
		return;
	z->prefix[z->next] = (uint16_t)z->old;
	z->last[z->next] = z->first;
	z->next++;
}

static void clear(struct lzw *z)
{
	set_bits(z, LZW_BITS_FIRST);
	z->next = LZW_CLEAR + 1;
	z->old = LZW_NONE;
}

static void decode(struct lzw *z)
{
	int32_t code;

	for (;;) {
		if (z->next > (1 << z->bits) - 1 && z->bits < z->bits_max)
			set_bits(z, z->bits + 1);
		code = next_code(z);
		if (code == LZW_NONE)
			return;
		if (code == LZW_CLEAR && z->block_mode) {
			clear(z);
			continue;
		}
		if (code > z->next || (z->old == LZW_NONE && code >= 256) ||
		    (code == z->next && z->next >= 1 << z->bits_max))
			gzip_abort(z->j, "corrupt input.");
		put_string(z, code);
		if (z->old != LZW_NONE)
			define(z);
		z->old = code;
	}
}

void gzip_unlzw(struct gzip_job *j)
{
	struct lzw *z = pool_zalloc(j->g->c->pool, sizeof *z);
	int flags = input_byte(&j->in);

	if (flags < 0)
		gzip_abort(j, "unexpected end of file");
	z->j = j;
	z->bits_max = flags & LZW_BITS_MASK;
	z->block_mode = flags & LZW_BLOCK_MODE;
	if (z->bits_max < LZW_BITS_FIRST || z->bits_max > LZW_BITS_MAX)
		gzip_abort(j, "compressed with unknown bits");
	z->bits = LZW_BITS_FIRST;
	z->next = z->block_mode ? LZW_CLEAR + 1 : LZW_CLEAR;
	z->old = LZW_NONE;
	decode(z);
	pool_free(j->g->c->pool, z, sizeof *z);
}
