/* SPDX-License-Identifier: MIT
 *
 * Looking for pairs of bytes without vector instructions.
 */
#include "base/simd.h"

static int is_there(const unsigned char *p, const struct simd_pair *pair)
{
	return (p[pair->at[0]] | pair->mask[0]) == pair->byte[0] &&
	       (p[pair->at[1]] | pair->mask[1]) == pair->byte[1];
}

size_t simd_find_pairs(const char *text, size_t from, size_t to, const struct simd_pair *pairs,
		       size_t npairs)
{
	for (size_t at = from; at < to; at++)
		for (size_t i = 0; i < npairs; i++)
			if (is_there((const unsigned char *)text + at, &pairs[i]))
				return at;
	return SIZE_MAX;
}

uint64_t simd_count(const char *text, size_t n, char byte)
{
	uint64_t total = 0;

	/* Blocks small enough for counters of one byte: compilers make vectors of the inner loop.
	 */
	for (size_t at = 0; at < n;) {
		size_t end = n - at < 4080 ? n : at + 4080;
		unsigned sum = 0;

		for (; at < end; at++)
			sum += text[at] == byte;
		total += sum;
	}
	return total;
}
