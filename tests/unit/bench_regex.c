/* SPDX-License-Identifier: MIT
 *
 * Speed of the regular expression engine, one line a number: MB/s over 64 MB of text in lines,
 * and nanoseconds for a short match with groups.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/regex.h"

enum { TEXT_BYTES = 64 << 20 };

static struct store store;
static struct heap heap = { .store = &store };

static void no_memory(void *arg)
{
	(void)arg;
	exit(2);
}

static void *grow(void *user, size_t bytes)
{
	(void)user;
	return aligned_alloc(4096, (bytes + 4095) & ~(size_t)4095);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Prose-like lines: words of a fixed list in a fixed pseudo-random order. */
static char *make_text(void)
{
	static const char *const words[] = {
		"the",        "of",         "and",  "error:",       "file",    "request",
		"server",     "2024-05-17", "GET",  "index.html",   "status",  "200",
		"connection", "from",       "user", "timeout",      "warning", "a",
		"to",         "in",         "is",   "192.168.1.17", "process", "memory",
		"thread",     "started",
	};
	char *text = malloc(TEXT_BYTES);
	unsigned seed = 1;
	size_t at = 0;

	while (at < TEXT_BYTES - 32) {
		const char *w;

		seed = seed * 1103515245u + 12345u;
		w = words[(seed >> 16) % 26];
		at += (size_t)sprintf(text + at, "%s%c", w, (seed >> 24) % 11 == 0 ? '\n' : ' ');
	}
	memset(text + at, '\n', TEXT_BYTES - at);
	return text;
}

static void lines(const char *name, struct bytes text, const char *pattern, unsigned flags)
{
	struct arena a;
	struct regex *re;
	const char *message;
	struct regex_span line;
	size_t at = 0, count = 0;
	double best = 1e9;

	arena_init(&a, &heap, (struct arena_fail){ no_memory, NULL });
	if (regex_compile(&a, bytes_of(pattern), flags | REGEX_UTF8 | REGEX_NEWLINE, &re, &message,
			  NULL) != 0) {
		printf("%s: %s\n", name, message);
		return;
	}
	for (int i = 0; i < 3; i++) {
		double from = now();

		for (at = count = 0; regex_search_line(re, text, at, &line) == 0; count++)
			at = line.to + 1;
		from = now() - from;
		best = from < best ? from : best;
	}
	printf("%-28s %8.0f MB/s  %zu lines\n", name, (double)text.len / 1e6 / best, count);
	arena_clear(&a);
}

static void groups(const char *name, const char *text, const char *pattern)
{
	enum { TIMES = 1000000 };
	struct arena a;
	struct regex *re;
	const char *message;
	struct regex_span spans[10];
	double from;

	arena_init(&a, &heap, (struct arena_fail){ no_memory, NULL });
	regex_compile(&a, bytes_of(pattern), REGEX_ERE | REGEX_UTF8, &re, &message, NULL);
	from = now();
	for (int i = 0; i < TIMES; i++)
		regex_search(re, bytes_of(text), 0, 0, spans, 10);
	printf("%-28s %8.0f ns\n", name, (now() - from) / TIMES * 1e9);
	arena_clear(&a);
}

int main(void)
{
	struct bytes text = { make_text(), TEXT_BYTES };

	if (store_init(&store, NULL, 0, grow, NULL) != 0)
		return 2;
	lines("literal, none", text, "Sherlock Holmes", REGEX_ERE);
	lines("literal, rare", text, "timeout 192.168.1.17 GET error", REGEX_BRE);
	lines("literal -i, none", text, "sherlock holmes", REGEX_ERE | REGEX_ICASE);
	lines("alternation, none", text, "Sherlock|Holmes|Watson|Moriarty", REGEX_ERE);
	lines("class, none", text, "[0-9]+:[0-9]+:[0-9]+", REGEX_ERE);
	lines("class, many", text, "[a-z]+ [0-9]{3} ", REGEX_ERE);
	lines("class, words", text, "[A-Z][a-z]+ing", REGEX_ERE);
	lines("inner literal", text, "[a-z]+ Holmes", REGEX_ERE);
	lines("dot star", text, "error: .*timeout .*GET$", REGEX_ERE);
	lines("perl \\d", text, "\\d+-\\d+-\\d+ timeout \\w+ \\d+ in", REGEX_PERL);
	groups("groups, date", "2024-05-17", "^([0-9]{4})-([0-9]{2})-([0-9]{2})$");
	groups("groups, key=value", "some_key = a value", "^([a-z_]+) *= *(.*)$");
	groups("groups, alternation", "foobarbaz", "(foo|bar)(bar)?(baz|qux)");
	return 0;
}
