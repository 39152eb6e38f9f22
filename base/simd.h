/* SPDX-License-Identifier: MIT
 *
 * Looking for a few pairs of bytes at once, many places at a time.
 *
 * simd_x86_64.c has it with SSE2, simd_generic.c for all others; the Makefile chooses by name.
 */
#ifndef BASE_SIMD_H
#define BASE_SIMD_H

#include <stddef.h>
#include <stdint.h>

enum { SIMD_PAIRS_MAX = 8 };

/* Two bytes at fixed distances from a place; a mask of 0x20 takes both cases of a letter (the
 * byte is then the small one), else 0. */
struct simd_pair {
	uint32_t at[2];
	uint8_t byte[2];
	uint8_t mask[2];
};

/*
 * The first place in [from, to) where one of the pairs is, or SIZE_MAX. All bytes up to
 * text + to + the largest distance must be there to be read.
 */
size_t simd_find_pairs(const char *text, size_t from, size_t to, const struct simd_pair *pairs,
		       size_t npairs);

/* How often the byte occurs in n bytes. */
uint64_t simd_count(const char *text, size_t n, char byte);

#endif
