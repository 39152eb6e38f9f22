/* SPDX-License-Identifier: MIT
 *
 * Looking for pairs of bytes with SSE2, which every x86-64 has: 64 places a turn.
 */
#include "base/simd.h"

#include <emmintrin.h>

struct vector_pair {
	__m128i byte[2];
	__m128i mask[2];
};

/* Bits set in the bytes of the result: places of [p, p + 16) where the pair is. */
static inline __m128i look(const char *p, const struct simd_pair *pair, const struct vector_pair *v)
{
	__m128i a = _mm_loadu_si128((const __m128i *)(const void *)(p + pair->at[0]));
	__m128i b = _mm_loadu_si128((const __m128i *)(const void *)(p + pair->at[1]));

	a = _mm_cmpeq_epi8(_mm_or_si128(a, v->mask[0]), v->byte[0]);
	b = _mm_cmpeq_epi8(_mm_or_si128(b, v->mask[1]), v->byte[1]);
	return _mm_and_si128(a, b);
}

static inline __m128i look_all(const char *p, const struct simd_pair *pairs,
			       const struct vector_pair *v, size_t npairs)
{
	__m128i hit = look(p, &pairs[0], &v[0]);

	for (size_t i = 1; i < npairs; i++)
		hit = _mm_or_si128(hit, look(p, &pairs[i], &v[i]));
	return hit;
}

static size_t find_slowly(const char *text, size_t from, size_t to, const struct simd_pair *pairs,
			  size_t npairs)
{
	for (size_t at = from; at < to; at++) {
		const unsigned char *p = (const unsigned char *)text + at;

		for (size_t i = 0; i < npairs; i++)
			if ((p[pairs[i].at[0]] | pairs[i].mask[0]) == pairs[i].byte[0] &&
			    (p[pairs[i].at[1]] | pairs[i].mask[1]) == pairs[i].byte[1])
				return at;
	}
	return SIZE_MAX;
}

/* Inlined for each number of pairs, so that all stay in registers. */
static inline __attribute__((always_inline)) size_t
find(const char *text, size_t from, size_t to, const struct simd_pair *pairs, size_t npairs)
{
	struct vector_pair v[SIMD_PAIRS_MAX];
	size_t at = from;

	for (size_t i = 0; i < npairs; i++) {
		for (int k = 0; k < 2; k++) {
			v[i].byte[k] = _mm_set1_epi8((char)pairs[i].byte[k]);
			v[i].mask[k] = _mm_set1_epi8((char)pairs[i].mask[k]);
		}
	}
	for (; to - at >= 64; at += 64) {
		__m128i h[4];
		uint64_t bits = 0;

		for (int k = 0; k < 4; k++)
			h[k] = look_all(text + at + 16 * k, pairs, v, npairs);
		if (_mm_movemask_epi8(
			    _mm_or_si128(_mm_or_si128(h[0], h[1]), _mm_or_si128(h[2], h[3]))) == 0)
			continue;
		for (int k = 0; k < 4; k++)
			bits |= (uint64_t)(unsigned)_mm_movemask_epi8(h[k]) << (16 * k);
		return at + (size_t)__builtin_ctzll(bits);
	}
	return find_slowly(text, at, to, pairs, npairs);
}

size_t simd_find_pairs(const char *text, size_t from, size_t to, const struct simd_pair *pairs,
		       size_t npairs)
{
	if (from >= to)
		return SIZE_MAX;
	switch (npairs) {
	case 1: return find(text, from, to, pairs, 1);
	case 2: return find(text, from, to, pairs, 2);
	case 3: return find(text, from, to, pairs, 3);
	case 4: return find(text, from, to, pairs, 4);
	case 5: return find(text, from, to, pairs, 5);
	case 6: return find(text, from, to, pairs, 6);
	case 7: return find(text, from, to, pairs, 7);
	default: return find(text, from, to, pairs, 8);
	}
}

/* Matches are -1 in each byte: 255 turns fit before the bytes are added up. */
uint64_t simd_count(const char *text, size_t n, char byte)
{
	const __m128i want = _mm_set1_epi8(byte);
	const __m128i zero = _mm_setzero_si128();
	__m128i total = zero;
	uint64_t sum[2];
	uint64_t rest = 0;
	size_t at = 0;

	while (n - at >= 64) {
		size_t end = n - at > 64 * 60 ? at + 64 * 60 : at + (n - at) / 64 * 64;
		__m128i part = zero;

		for (; at < end; at += 64) {
			const __m128i *p = (const __m128i *)(const void *)(text + at);
			__m128i a = _mm_cmpeq_epi8(_mm_loadu_si128(p), want);
			__m128i b = _mm_cmpeq_epi8(_mm_loadu_si128(p + 1), want);
			__m128i c = _mm_cmpeq_epi8(_mm_loadu_si128(p + 2), want);
			__m128i d = _mm_cmpeq_epi8(_mm_loadu_si128(p + 3), want);

			a = _mm_add_epi8(_mm_add_epi8(a, b), _mm_add_epi8(c, d));
			part = _mm_sub_epi8(part, a);
		}
		total = _mm_add_epi64(total, _mm_sad_epu8(part, zero));
	}
	for (; at < n; at++)
		rest += text[at] == byte;
	_mm_storeu_si128((__m128i *)(void *)sum, total);
	return sum[0] + sum[1] + rest;
}
