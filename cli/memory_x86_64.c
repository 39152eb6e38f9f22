/* SPDX-License-Identifier: MIT
 *
 * The memory functions of the C library, for the program only: with SSE2, which every x86-64
 * has. musl's own go word by word or byte by byte; glibc's are as fast, but glibc asks the
 * processor some thirty questions at start, which costs a quarter of cowsh's start-up time where
 * CPUID traps. The program finds these before musl's; the library does not contain them.
 *
 * Compiled with -fno-builtin and without loop idioms, so that no loop here becomes a call of
 * the function it is in.
 */
#include <emmintrin.h>
#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>

enum { STRING_MOVE = 4096 }; /* from here on `rep movsb` is at least as fast */

typedef uint64_t word64 __attribute__((aligned(1), may_alias));
typedef uint32_t word32 __attribute__((aligned(1), may_alias));
typedef uint16_t word16 __attribute__((aligned(1), may_alias));

void *memmove(void *to, const void *from, size_t n);
void *memcpy(void *restrict to, const void *restrict from, size_t n);
void *memset(void *to, int byte, size_t n);
int memcmp(const void *a, const void *b, size_t n);
void *memchr(const void *text, int byte, size_t n);
size_t strlen(const char *text);

static __m128i load(const void *p)
{
	return _mm_loadu_si128(p);
}

static void store(void *p, __m128i v)
{
	_mm_storeu_si128(p, v);
}

/* Up to 16 bytes: two loads that overlap, both before a store. */
static void move_small(char *to, const char *from, size_t n)
{
	if (n >= 8) {
		uint64_t head = *(const word64 *)from, tail = *(const word64 *)(from + n - 8);

		*(word64 *)to = head;
		*(word64 *)(to + n - 8) = tail;
	} else if (n >= 4) {
		uint32_t head = *(const word32 *)from, tail = *(const word32 *)(from + n - 4);

		*(word32 *)to = head;
		*(word32 *)(to + n - 4) = tail;
	} else if (n >= 2) {
		uint16_t head = *(const word16 *)from, tail = *(const word16 *)(from + n - 2);

		*(word16 *)to = head;
		*(word16 *)(to + n - 2) = tail;
	} else if (n == 1) {
		*to = *from;
	}
}

static void move_block(char *to, const char *from)
{
	__m128i a = load(from), b = load(from + 16), c = load(from + 32), d = load(from + 48);

	store(to, a);
	store(to + 16, b);
	store(to + 32, c);
	store(to + 48, d);
}

/* 17 to 64 bytes: all loads before the first store. */
static void move_medium(char *to, const char *from, size_t n)
{
	__m128i a = load(from), d = load(from + n - 16);

	if (n > 32) {
		__m128i b = load(from + 16), c = load(from + n - 32);

		store(to + 16, b);
		store(to + n - 32, c);
	}
	store(to, a);
	store(to + n - 16, d);
}

/* More than 64 bytes, towards higher addresses; the last 64 are read before anything moves. */
static void move_up(char *to, const char *from, size_t n)
{
	char *end = to + n - 64;
	__m128i a = load(from + n - 64), b = load(from + n - 48);
	__m128i c = load(from + n - 32), d = load(from + n - 16);

	for (; to < end; to += 64, from += 64)
		move_block(to, from);
	store(end, a);
	store(end + 16, b);
	store(end + 32, c);
	store(end + 48, d);
}

static void move_down(char *to, const char *from, size_t n)
{
	__m128i a = load(from), b = load(from + 16), c = load(from + 32), d = load(from + 48);
	size_t left = n;

	for (; left > 64; left -= 64)
		move_block(to + left - 64, from + left - 64);
	store(to, a);
	store(to + 16, b);
	store(to + 32, c);
	store(to + 48, d);
}

void *memmove(void *to, const void *from, size_t n)
{
	if (n <= 16) {
		move_small(to, from, n);
	} else if (n <= 64) {
		move_medium(to, from, n);
	} else if ((uintptr_t)to - (uintptr_t)from < n) {
		move_down(to, from, n);
	} else if (n < STRING_MOVE || (uintptr_t)from - (uintptr_t)to < n) {
		move_up(to, from, n);
	} else {
		void *di = to;

		__asm__ volatile("rep movsb" : "+D"(di), "+S"(from), "+c"(n) : : "memory");
	}
	return to;
}

void *memcpy(void *restrict to, const void *restrict from, size_t n)
{
	return memmove(to, from, n);
}

void *memset(void *into, int byte, size_t n)
{
	char *to = into;
	__m128i v = _mm_set1_epi8((char)byte);
	char *end;

	if (n < 16) {
		uint64_t word = 0x0101010101010101u * (unsigned char)byte;

		if (n >= 8) {
			*(word64 *)to = word;
			*(word64 *)(to + n - 8) = word;
		} else if (n >= 4) {
			*(word32 *)to = (uint32_t)word;
			*(word32 *)(to + n - 4) = (uint32_t)word;
		} else {
			for (size_t i = 0; i < n; i++)
				to[i] = (char)byte;
		}
		return into;
	}
	if (n >= STRING_MOVE) {
		void *di = to;

		__asm__ volatile("rep stosb" : "+D"(di), "+c"(n) : "a"(byte) : "memory");
		return into;
	}
	for (end = to + n - 16; to < end; to += 16)
		store(to, v);
	store(end, v);
	return into;
}

static int compare_at(const unsigned char *a, const unsigned char *b, unsigned equal)
{
	unsigned at = (unsigned)__builtin_ctz(~equal);

	return a[at] - b[at];
}

int memcmp(const void *left, const void *right, size_t n)
{
	const unsigned char *a = left, *b = right;

	for (; n >= 16; n -= 16, a += 16, b += 16) {
		unsigned equal = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(load(a), load(b)));

		if (equal != 0xffff)
			return compare_at(a, b, equal);
	}
	if (n >= 8) {
		uint64_t x = *(const word64 *)a, y = *(const word64 *)b;

		if (x != y)
			return __builtin_bswap64(x) < __builtin_bswap64(y) ? -1 : 1;
		a += 8;
		b += 8;
		n -= 8;
	}
	for (; n > 0; n--, a++, b++)
		if (*a != *b)
			return *a - *b;
	return 0;
}

static unsigned matches(const unsigned char *p, __m128i wanted)
{
	return (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(load(p), wanted));
}

static bool none_of_64(const unsigned char *p, __m128i wanted)
{
	__m128i a = _mm_cmpeq_epi8(load(p), wanted);
	__m128i b = _mm_cmpeq_epi8(load(p + 16), wanted);
	__m128i c = _mm_cmpeq_epi8(load(p + 32), wanted);
	__m128i d = _mm_cmpeq_epi8(load(p + 48), wanted);

	return _mm_movemask_epi8(_mm_or_si128(_mm_or_si128(a, b), _mm_or_si128(c, d))) == 0;
}

/* Reads aligned blocks only: behind the byte nothing need be there, whatever n says. */
void *memchr(const void *text, int byte, size_t n)
{
	uintptr_t start = (uintptr_t)text;
	uintptr_t end = n < UINTPTR_MAX - start ? start + n : UINTPTR_MAX;
	uintptr_t block = start & ~(uintptr_t)15;
	__m128i wanted = _mm_set1_epi8((char)byte);
	unsigned found;

	if (n == 0)
		return NULL;
	found = matches((const unsigned char *)block, wanted) >> (start & 15) << (start & 15);
	for (; found == 0; found = matches((const unsigned char *)block, wanted)) {
		block += 16;
		while (block % 64 == 0 && block < end && end - block >= 64 &&
		       none_of_64((const unsigned char *)block, wanted))
			block += 64;
		if (block >= end)
			return NULL;
	}
	block += (unsigned)__builtin_ctz(found);
	return block < end ? (void *)block : NULL;
}

/* Reads aligned blocks, which never cross into a page without a byte of the string. */
size_t strlen(const char *text)
{
	const unsigned char *p = (const unsigned char *)((uintptr_t)text & ~(uintptr_t)15);
	__m128i zero = _mm_setzero_si128();
	unsigned found = matches(p, zero) >> ((uintptr_t)text & 15);

	if (found != 0)
		return (size_t)__builtin_ctz(found);
	do
		p += 16;
	while ((found = matches(p, zero)) == 0);
	return (size_t)(p + __builtin_ctz(found) - (const unsigned char *)text);
}
