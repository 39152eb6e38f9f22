/* SPDX-License-Identifier: MIT
 *
 * Any shell pattern on any text: the answers must agree with each other.
 *
 * Input: a byte of flags, the length of the pattern, the pattern, the text.
 */
#include <setjmp.h>
#include <stdlib.h>

#include "base/glob.h"

enum { REGION_BYTES = 64 << 20, TEXT_MAX = 2000 };

static jmp_buf out_of_memory;

static void no_memory(void *arg)
{
	(void)arg;
	longjmp(out_of_memory, 1);
}

static void require(bool holds)
{
	if (!holds)
		abort();
}

/* A leading period means something else when the text is cut elsewhere. */
static void check_parts(const struct glob *g, struct arena *a, struct bytes text)
{
	size_t first = glob_prefix(g, a, text, false);
	size_t last = glob_prefix(g, a, text, true);

	require((first == SIZE_MAX) == (last == SIZE_MAX));
	if (first != SIZE_MAX) {
		require(first <= last && last <= text.len);
		require(glob_match(g, a, bytes_slice(text, 0, first)));
		require(glob_match(g, a, bytes_slice(text, 0, last)));
	}
	first = glob_suffix(g, a, text, false);
	last = glob_suffix(g, a, text, true);
	require((first == SIZE_MAX) == (last == SIZE_MAX));
	if (first != SIZE_MAX) {
		require(first <= last && last <= text.len);
		require(glob_match(g, a, bytes_slice(text, text.len - first, text.len)));
		require(glob_match(g, a, bytes_slice(text, text.len - last, text.len)));
	}
}

static void check_all(struct arena *a, struct bytes pattern, struct bytes text, unsigned flags)
{
	struct glob *g = glob_compile(a, pattern, flags);
	size_t start, end;

	if (g == NULL)
		return;
	if (glob_match(g, a, text) && (flags & (GLOB_PERIOD | GLOB_PATHNAME)) == 0)
		require(glob_prefix(g, a, text, true) == text.len &&
			glob_suffix(g, a, text, true) == text.len);
	if ((flags & (GLOB_PERIOD | GLOB_PATHNAME | GLOB_UTF8)) == 0)
		check_parts(g, a, text);
	if (glob_find(g, a, text, 0, &start, &end)) {
		require(start <= end && end <= text.len);
		if ((flags & (GLOB_PERIOD | GLOB_PATHNAME | GLOB_UTF8)) == 0)
			require(glob_match(g, a, bytes_slice(text, start, end)));
	}
	if (glob_is_literal(g))
		require(glob_match(g, a, glob_literal(g)));
	glob_has_magic(pattern, true);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void *region;
	static struct store store;
	struct heap heap = { .store = &store };
	struct arena a;
	size_t n;

	if (size < 2 || size > TEXT_MAX)
		return 0;
	if (region == NULL)
		region = malloc(REGION_BYTES);
	require(region != NULL && store_init(&store, region, REGION_BYTES, NULL, NULL) == 0);
	arena_init(&a, &heap, (struct arena_fail){ no_memory, NULL });
	n = data[1] < size - 2 ? data[1] : size - 2;
	if (setjmp(out_of_memory) == 0)
		check_all(&a, (struct bytes){ (const char *)data + 2, n },
			  (struct bytes){ (const char *)data + 2 + n, size - 2 - n }, data[0]);
	arena_clear(&a);
	return 0;
}
