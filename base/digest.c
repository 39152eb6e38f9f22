/* SPDX-License-Identifier: MIT
 *
 * Digests: blocks are collected here, padding is added at the end; the arithmetic is in
 * digest_*.c, one file for each family.
 */
#include "base/digest.h"

static const uint32_t start_md5[8] = { 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0 };
static const uint32_t start_sha224[8] = {
	0xc1059ed8, 0x367cd507, 0x3070dd17, 0xf70e5939,
	0xffc00b31, 0x68581511, 0x64f98fa7, 0xbefa4fa4,
};
static const uint32_t start_sha256[8] = {
	0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
	0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
};
static const uint32_t start_sm3[8] = {
	0x7380166f, 0x4914b2b9, 0x172442d7, 0xda8a0600,
	0xa96f30bc, 0x163138aa, 0xe38dee4d, 0xb0fb0e4e,
};
static const uint64_t start_sha384[8] = {
	0xcbbb9d5dc1059ed8, 0x629a292a367cd507, 0x9159015a3070dd17, 0x152fecd8f70e5939,
	0x67332667ffc00b31, 0x8eb44a8768581511, 0xdb0c2e0d64f98fa7, 0x47b5481dbefa4fa4,
};
static const uint64_t start_sha512[8] = {
	0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
	0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
};

static const uint64_t start_sha512_224[8] = {
	0x8c3d37c819544da2, 0x73e1996689dcd4d6, 0x1dfab7ae32ff9c82, 0x679dd514582f9fcf,
	0x0f6d2b697bd44da8, 0x77e36f7304c48942, 0x3f9d85a86a1d36c8, 0x1112e6ad91d692a1,
};
static const uint64_t start_sha512_256[8] = {
	0x22312194fc2bf72c, 0x9f555fa3c84c64c2, 0x2393b86b6f53b151, 0x963877195940eabd,
	0x96283ee2a88effe3, 0xbe5e1e2553863992, 0x2b0199fc2c85b8aa, 0x0eb72ddc81c52ca2,
};

static const struct {
	size_t size;
	size_t block_size;
	const void *start;
} kinds[] = {
	[DIGEST_MD5] = { 16, 64, start_md5 },
	[DIGEST_SHA1] = { 20, 64, start_md5 },
	[DIGEST_SHA224] = { 28, 64, start_sha224 },
	[DIGEST_SHA256] = { 32, 64, start_sha256 },
	[DIGEST_SHA384] = { 48, 128, start_sha384 },
	[DIGEST_SHA512] = { 64, 128, start_sha512 },
	[DIGEST_SHA512_224] = { 28, 128, start_sha512_224 },
	[DIGEST_SHA512_256] = { 32, 128, start_sha512_256 },
	[DIGEST_SM3] = { 32, 64, start_sm3 },
	[DIGEST_BLAKE2B] = { 64, 128, start_sha512 },
};

void digest_init(struct digest *d, enum digest_kind kind, size_t size)
{
	size_t words = kinds[kind].block_size == 128 ? sizeof(start_sha512) : sizeof(start_md5);

	d->kind = kind;
	d->size = kind == DIGEST_BLAKE2B && size != 0 ? size : kinds[kind].size;
	d->block_size = kinds[kind].block_size;
	d->fill = 0;
	d->total = 0;
	d->fast = false;
	memcpy(&d->state, kinds[kind].start, words);
	if (kind == DIGEST_BLAKE2B)
		d->state.w64[0] ^= 0x01010000 ^ d->size;
}

static void put_blocks(struct digest *d, const uint8_t *at, size_t n)
{
	switch (d->kind) {
	case DIGEST_MD5: digest_md5_blocks(d->state.w32, at, n); break;
	case DIGEST_SHA1: digest_sha1_blocks(d->state.w32, at, n); break;
	case DIGEST_SHA224:
	case DIGEST_SHA256:
		if (d->fast)
			digest_sha256_fast(d->state.w32, at, n);
		else
			digest_sha256_blocks(d->state.w32, at, n);
		break;
	case DIGEST_SHA384:
	case DIGEST_SHA512:
	case DIGEST_SHA512_224:
	case DIGEST_SHA512_256: digest_sha512_blocks(d->state.w64, at, n); break;
	case DIGEST_SM3: digest_sm3_blocks(d->state.w32, at, n); break;
	case DIGEST_BLAKE2B: digest_blake2b_blocks(d->state.w64, at, n, d->total); break;
	}
	d->total += (uint64_t)n * d->block_size;
}

/* BLAKE2b treats the last block apart: a full one stays until more comes. */
static size_t keep_at_least(const struct digest *d)
{
	return d->kind == DIGEST_BLAKE2B ? 1 : 0;
}

void digest_update(struct digest *d, struct bytes s)
{
	const uint8_t *at = (const uint8_t *)s.ptr;
	size_t left = s.len;

	if (d->fill > 0) {
		size_t room = d->block_size - d->fill;
		size_t take = left < room ? left : room;

		memcpy(d->block + d->fill, at, take);
		d->fill += take;
		at += take;
		left -= take;
		if (d->fill == d->block_size && left >= keep_at_least(d)) {
			d->fill = 0;
			put_blocks(d, d->block, 1);
		}
	}
	if (left == 0)
		return;
	size_t n = (left - keep_at_least(d)) / d->block_size;

	put_blocks(d, at, n);
	at += n * d->block_size;
	left -= n * d->block_size;
	memcpy(d->block, at, left);
	d->fill = left;
}

/* A one bit, zeros, and the length in bits in the last 8 bytes. */
static void pad(struct digest *d)
{
	uint64_t bits = (d->total + d->fill) * 8;
	size_t length_size = d->block_size / 8;

	d->block[d->fill++] = 0x80;
	if (d->fill > d->block_size - length_size) {
		memset(d->block + d->fill, 0, d->block_size - d->fill);
		put_blocks(d, d->block, 1);
		d->fill = 0;
	}
	memset(d->block + d->fill, 0, d->block_size - d->fill);
	for (size_t i = 0; i < 8; i++) {
		size_t shift = d->kind == DIGEST_MD5 ? 8 * (7 - i) : 8 * i;

		d->block[d->block_size - 1 - i] = (uint8_t)(bits >> shift);
	}
	put_blocks(d, d->block, 1);
}

void digest_final(struct digest *d, uint8_t out[DIGEST_MAX])
{
	if (d->kind == DIGEST_BLAKE2B) {
		memset(d->block + d->fill, 0, d->block_size - d->fill);
		digest_blake2b_last(d->state.w64, d->block, d->total + d->fill);
	} else {
		pad(d);
	}
	bool little = d->kind == DIGEST_MD5 || d->kind == DIGEST_BLAKE2B;
	size_t word = d->block_size == 128 ? 8 : 4;

	for (size_t i = 0; i < d->size; i++) {
		size_t in_word = little ? i % word : word - 1 - i % word;
		uint64_t v = word == 8 ? d->state.w64[i / 8] : d->state.w32[i / 4];

		out[i] = (uint8_t)(v >> (8 * in_word));
	}
}
