/* SPDX-License-Identifier: MIT
 *
 * SHA-256 with the SHA instructions of x86-64, where the processor has them.
 *
 * The processor is asked at each longer piece, unless the caller keeps the answer: asking costs
 * less than a hundred blocks.
 */
#include "base/digest.h"

#include <immintrin.h>

enum { SHORT_PIECE = 128 }; /* blocks */

struct leaf {
	uint32_t eax, ebx, ecx, edx;
};

static struct leaf cpuid(uint32_t number)
{
	struct leaf l = { .eax = number };

	__asm__ volatile("cpuid" : "+a"(l.eax), "=b"(l.ebx), "+c"(l.ecx), "=d"(l.edx));
	return l;
}

bool digest_sha256_is_fast(void)
{
	if (cpuid(0).eax < 7)
		return false;
	/* SSSE3, SSE4.1, SHA */
	return (cpuid(1).ecx >> 9 & 1) != 0 && (cpuid(1).ecx >> 19 & 1) != 0 &&
	       (cpuid(7).ebx >> 29 & 1) != 0;
}

#define TARGET __attribute__((target("sha,ssse3,sse4.1")))

TARGET static inline __m128i load(const uint8_t *at)
{
	const __m128i order = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);

	return _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(const void *)at), order);
}

/* The next four words of the schedule out of the sixteen before. */
TARGET static inline __m128i schedule(const __m128i m[4], int i)
{
	__m128i first = _mm_sha256msg1_epu32(m[i & 3], m[(i + 1) & 3]);
	__m128i ninth = _mm_alignr_epi8(m[(i + 3) & 3], m[(i + 2) & 3], 4);

	return _mm_sha256msg2_epu32(_mm_add_epi32(first, ninth), m[(i + 3) & 3]);
}

TARGET void digest_sha256_fast(uint32_t state[8], const uint8_t *at, size_t nblocks)
{
	__m128i *words = (__m128i *)(void *)state;
	__m128i low = _mm_shuffle_epi32(_mm_loadu_si128(words), 0xb1);      /* c d a b */
	__m128i high = _mm_shuffle_epi32(_mm_loadu_si128(words + 1), 0x1b); /* e f g h */
	__m128i abef = _mm_alignr_epi8(low, high, 8);
	__m128i cdgh = _mm_blend_epi16(high, low, 0xf0);
	__m128i m[4];

	for (; nblocks > 0; nblocks--, at += 64) {
		__m128i abef_before = abef;
		__m128i cdgh_before = cdgh;

		for (int i = 0; i < 4; i++)
			m[i] = load(at + 16 * i);
#pragma GCC unroll 16
		for (int i = 0; i < 16; i++) {
			const void *keys = digest_sha256_keys + 4 * i;
			__m128i sum = _mm_add_epi32(m[i & 3],
						    _mm_loadu_si128((const __m128i *)keys));

			cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
			abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0e));
			if (i < 12)
				m[i & 3] = schedule(m, i);
		}
		abef = _mm_add_epi32(abef, abef_before);
		cdgh = _mm_add_epi32(cdgh, cdgh_before);
	}
	low = _mm_shuffle_epi32(abef, 0x1b);
	high = _mm_shuffle_epi32(cdgh, 0xb1);
	_mm_storeu_si128(words, _mm_blend_epi16(low, high, 0xf0));
	_mm_storeu_si128(words + 1, _mm_alignr_epi8(high, low, 8));
}

void digest_sha256_blocks(uint32_t state[8], const uint8_t *at, size_t nblocks)
{
	if (nblocks >= SHORT_PIECE && digest_sha256_is_fast())
		digest_sha256_fast(state, at, nblocks);
	else
		digest_sha256_plain(state, at, nblocks);
}
