/* SPDX-License-Identifier: MIT
 *
 * SHA-1 (FIPS 180-4) and SM3 (GB/T 32905-2016).
 */
#include "base/digest.h"

#define CHOOSE(x, y, z)   ((z) ^ ((x) & ((y) ^ (z))))
#define PARITY(x, y, z)   ((x) ^ (y) ^ (z))
#define MAJORITY(x, y, z) (((x) & (y)) + ((z) & ((x) ^ (y))))

#define WORD(i)                                                                                    \
	((i) < 16 ? m[i]                                                                           \
		  : (m[(i)&15] = digest_rotl32(m[((i) + 13) & 15] ^ m[((i) + 8) & 15] ^            \
						       m[((i) + 2) & 15] ^ m[(i)&15],              \
					       1)))
#define STEP(f, key, a, b, c, d, e, i)                                                             \
	do {                                                                                       \
		e += digest_rotl32(a, 5) + f(b, c, d) + (key) + WORD(i);                           \
		b = digest_rotl32(b, 30);                                                          \
	} while (0)
#define FIVE(f, key, i)                                                                            \
	do {                                                                                       \
		STEP(f, key, a, b, c, d, e, (i));                                                  \
		STEP(f, key, e, a, b, c, d, (i) + 1);                                              \
		STEP(f, key, d, e, a, b, c, (i) + 2);                                              \
		STEP(f, key, c, d, e, a, b, (i) + 3);                                              \
		STEP(f, key, b, c, d, e, a, (i) + 4);                                              \
	} while (0)
#define TWENTY(f, key, i)                                                                          \
	do {                                                                                       \
		FIVE(f, key, (i));                                                                 \
		FIVE(f, key, (i) + 5);                                                             \
		FIVE(f, key, (i) + 10);                                                            \
		FIVE(f, key, (i) + 15);                                                            \
	} while (0)

void digest_sha1_blocks(uint32_t s[8], const uint8_t *at, size_t nblocks)
{
	uint32_t m[16];

	for (; nblocks > 0; nblocks--, at += 64) {
		uint32_t a = s[0], b = s[1], c = s[2], d = s[3], e = s[4];

		for (int i = 0; i < 16; i++)
			m[i] = digest_be32(at + 4 * i);
		TWENTY(CHOOSE, 0x5a827999, 0);
		TWENTY(PARITY, 0x6ed9eba1, 20);
		TWENTY(MAJORITY, 0x8f1bbcdc, 40);
		TWENTY(PARITY, 0xca62c1d6, 60);
		s[0] += a, s[1] += b, s[2] += c, s[3] += d, s[4] += e;
	}
}

/* --- SM3 --- */

static uint32_t permute(uint32_t x, int p, int q)
{
	return x ^ digest_rotl32(x, p) ^ digest_rotl32(x, q);
}

static void sm3_block(uint32_t s[8], const uint8_t *at)
{
	uint32_t w[68];
	uint32_t v[8];

	for (int i = 0; i < 16; i++)
		w[i] = digest_be32(at + 4 * i);
	for (int i = 16; i < 68; i++)
		w[i] = permute(w[i - 16] ^ w[i - 9] ^ digest_rotl32(w[i - 3], 15), 15, 23) ^
		       digest_rotl32(w[i - 13], 7) ^ w[i - 6];
	memcpy(v, s, sizeof(v));
	for (int i = 0; i < 64; i++) {
		uint32_t key = i < 16 ? 0x79cc4519 : 0x7a879d8a;
		uint32_t turned = (i & 31) != 0 ? digest_rotl32(key, i & 31) : key;
		uint32_t ss1 = digest_rotl32(digest_rotl32(v[0], 12) + v[4] + turned, 7);
		uint32_t ss2 = ss1 ^ digest_rotl32(v[0], 12);
		uint32_t ff = i < 16 ? PARITY(v[0], v[1], v[2])
				     : ((v[0] & v[1]) | (v[0] & v[2]) | (v[1] & v[2]));
		uint32_t gg = i < 16 ? PARITY(v[4], v[5], v[6]) : CHOOSE(v[4], v[5], v[6]);
		uint32_t t1 = ff + v[3] + ss2 + (w[i] ^ w[i + 4]);
		uint32_t t2 = gg + v[7] + ss1 + w[i];

		v[3] = v[2];
		v[2] = digest_rotl32(v[1], 9);
		v[1] = v[0];
		v[0] = t1;
		v[7] = v[6];
		v[6] = digest_rotl32(v[5], 19);
		v[5] = v[4];
		v[4] = permute(t2, 9, 17);
	}
	for (int i = 0; i < 8; i++)
		s[i] ^= v[i];
}

void digest_sm3_blocks(uint32_t state[8], const uint8_t *at, size_t nblocks)
{
	for (; nblocks > 0; nblocks--, at += 64)
		sm3_block(state, at);
}
