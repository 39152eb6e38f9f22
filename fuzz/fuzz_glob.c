/* SPDX-License-Identifier: MIT
 *
 * Any shell pattern on any text: the answers must agree with each other.
 *
 * Input: a byte of flags, the length of the pattern, the pattern, the text.
 */
#include "fuzz/arena.h"

#include "base/glob.h"

enum { TEXT_MAX = 2000 };

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

static void check_input(struct arena *a, const uint8_t *data, size_t size)
{
	const char *text = (const char *)data + 2;
	size_t n = data[1] < size - 2 ? data[1] : size - 2;

	check_all(a, (struct bytes){ text, n }, (struct bytes){ text + n, size - 2 - n }, data[0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return size >= 2 && size <= TEXT_MAX ? fuzz_in_arena(check_input, data, size) : 0;
}
