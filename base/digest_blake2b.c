/* SPDX-License-Identifier: MIT
 *
 * BLAKE2b (RFC 7693), without key.
 */
#include "base/digest.h"

static const uint64_t start[8] = {
	0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
	0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
};

static const uint8_t order[12][16] = {
	{ 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 },
	{ 14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3 },
	{ 11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4 },
	{ 7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8 },
	{ 9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13 },
	{ 2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9 },
	{ 12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11 },
	{ 13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10 },
	{ 6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5 },
	{ 10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0 },
	{ 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 },
	{ 14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3 },
};

#define MIX(a, b, c, d, x, y)                                                                      \
	do {                                                                                       \
		v[a] += v[b] + m[order[r][x]];                                                     \
		v[d] = digest_rotr64(v[d] ^ v[a], 32);                                             \
		v[c] += v[d];                                                                      \
		v[b] = digest_rotr64(v[b] ^ v[c], 24);                                             \
		v[a] += v[b] + m[order[r][y]];                                                     \
		v[d] = digest_rotr64(v[d] ^ v[a], 16);                                             \
		v[c] += v[d];                                                                      \
		v[b] = digest_rotr64(v[b] ^ v[c], 63);                                             \
	} while (0)

#define ROUND(number)                                                                              \
	do {                                                                                       \
		enum { r = (number) };                                                             \
		MIX(0, 4, 8, 12, 0, 1);                                                            \
		MIX(1, 5, 9, 13, 2, 3);                                                            \
		MIX(2, 6, 10, 14, 4, 5);                                                           \
		MIX(3, 7, 11, 15, 6, 7);                                                           \
		MIX(0, 5, 10, 15, 8, 9);                                                           \
		MIX(1, 6, 11, 12, 10, 11);                                                         \
		MIX(2, 7, 8, 13, 12, 13);                                                          \
		MIX(3, 4, 9, 14, 14, 15);                                                          \
	} while (0)

static void compress(uint64_t s[8], const uint8_t *at, uint64_t total, uint64_t last)
{
	uint64_t m[16];
	uint64_t v[16];

	for (int i = 0; i < 16; i++)
		m[i] = digest_le64(at + 8 * i);
	memcpy(v, s, 64);
	memcpy(v + 8, start, 64);
	v[12] ^= total;
	v[14] ^= last;
	ROUND(0);
	ROUND(1);
	ROUND(2);
	ROUND(3);
	ROUND(4);
	ROUND(5);
	ROUND(6);
	ROUND(7);
	ROUND(8);
	ROUND(9);
	ROUND(10);
	ROUND(11);
	for (int i = 0; i < 8; i++)
		s[i] ^= v[i] ^ v[i + 8];
}

void digest_blake2b_blocks(uint64_t state[8], const uint8_t *at, size_t nblocks, uint64_t before)
{
	for (; nblocks > 0; nblocks--, at += 128) {
		before += 128;
		compress(state, at, before, 0);
	}
}

void digest_blake2b_last(uint64_t state[8], const uint8_t block[128], uint64_t total)
{
	compress(state, block, total, UINT64_MAX);
}
