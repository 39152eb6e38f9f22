/* SPDX-License-Identifier: MIT
 *
 * Any pattern on any text: answers must agree with each other, and stay inside the text.
 *
 * Input: two bytes of flags, the length of the pattern, the pattern, the text.
 */
#include "fuzz/arena.h"

#include "base/regex.h"

enum { SPANS = 6 };

static void check_spans(const struct regex_span *s, size_t n, size_t len)
{
	require(s[0].from <= s[0].to && s[0].to <= len);
	for (size_t i = 1; i < n; i++)
		require(s[i].from == SIZE_MAX || (s[i].from <= s[i].to && s[i].to <= len));
}

/* The lines that regex_search_line finds must be those that regex_test accepts. */
static void check_lines(struct regex *re, struct bytes text, char eol)
{
	struct regex_span line = { 0, 0 };
	size_t next = 0;
	int found = regex_search_line(re, text, 0, &line);

	if (found == REGEX_EWORK)
		return;
	while (next < text.len) {
		const char *end = memchr(text.ptr + next, eol, text.len - next);
		size_t to = end != NULL ? (size_t)(end - text.ptr) : text.len;
		int test = regex_test(re, bytes_slice(text, next, to), 0);

		if (test == REGEX_EWORK)
			return;
		if (test == 0) {
			require(found == 0 && line.from == next && line.to == to);
			next = to + 1 < text.len ? to + 1 : text.len;
			found = regex_search_line(re, text, next, &line);
			if (found == REGEX_EWORK)
				return;
		}
		next = to + 1;
	}
	require(found == REGEX_NOMATCH);
}

static void check_all(struct arena *a, struct bytes pattern, struct bytes text, unsigned flags)
{
	struct regex *re, *small;
	const char *message = NULL;
	struct regex_span spans[SPANS];
	size_t offset = 0;
	size_t from = 0;
	int found, test;

	if (regex_compile(a, pattern, flags, &re, &message, &offset) != 0) {
		require(message != NULL && offset <= pattern.len);
		return;
	}
	require(regex_compile(a, pattern, flags | REGEX_LAZY_LIMIT, &small, &message, NULL) == 0);
	regex_set_backtrack_limit(re, 20000);
	regex_set_backtrack_limit(small, 20000);
	test = regex_test(re, text, 0);
	found = regex_search(re, text, 0, 0, spans, SPANS);
	if (found != REGEX_EWORK && test != REGEX_EWORK)
		require(test == found && regex_test(small, text, 0) == test);
	for (int i = 0; i < 20 && found == 0; i++) {
		check_spans(spans, SPANS, text.len);
		from = spans[0].to > from ? spans[0].to : from + 1;
		if (from > text.len)
			break;
		found = regex_search(re, text, from, REGEX_NOTBOL, spans, SPANS);
	}
	if ((flags & REGEX_NEWLINE) != 0)
		check_lines(re, text, (flags & REGEX_NULDATA) != 0 ? '\0' : '\n');
}

static void check_input(struct arena *a, const uint8_t *data, size_t size)
{
	const char *text = (const char *)data + 3;
	size_t n = data[2] < size - 3 ? data[2] : size - 3;

	check_all(a, (struct bytes){ text, n }, (struct bytes){ text + n, size - 3 - n },
		  (unsigned)(data[0] | data[1] << 8) & ~(unsigned)REGEX_LAZY_LIMIT);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return size >= 3 ? fuzz_in_arena(check_input, data, size) : 0;
}
