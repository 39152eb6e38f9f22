/* SPDX-License-Identifier: MIT
 *
 * The regular expression engine: by hand, and against the C library's regcomp and regexec on
 * generated patterns and texts (the seed is printed; give another as the first argument).
 */
#define _GNU_SOURCE
#include <locale.h>
#include <regex.h>
#include <stdlib.h>

#include "base/regex.h"
#include "tests/unit/check.h"

static struct store store;
static struct heap heap = { .store = &store };
static unsigned seed = 1;
static int rounds = 20000;

static void no_memory(void *arg)
{
	(void)arg;
	printf("out of memory\n");
	exit(2);
}

static void *grow(void *user, size_t bytes)
{
	(void)user;
	return aligned_alloc(4096, (bytes + 4095) & ~(size_t)4095);
}

static struct arena new_arena(void)
{
	struct arena a;

	arena_init(&a, &heap, (struct arena_fail){ no_memory, NULL });
	return a;
}

static unsigned pick(unsigned n)
{
	seed = seed * 1103515245u + 12345u;
	return (seed >> 16) % n;
}

/* --- against regexec --- */

static const char *const pieces[] = {
	"a", "b", "c", "a", "b", "ab", ".", "[ab]", "[^a]", "(a)", "(a|ab)", "(b|)", "(|a)",
	"(a*)", "(b+)", "*", "*", "+", "?", "{2}", "{1,2}", "{0,2}", "{,2}", "{2,}", "|", "|",
	"(", ")", "(", ")", "\\w", "\\W", "\xc3\xa9",
	"[[:alpha:]]", "[\xc3\xa9z]", "x", " ", "(a|b)*", "(a*)*", "()",
	"^", "$", "\\b", "\\<", "\\>", "\\`", "\\'",
};

enum { ANCHORS = 7 }; /* the last ones */

static const char *const letters[] = { "a", "b", "a", "b", "c", "x", " ", "\xc3\xa9", "\xff", "_" };

static void make_pattern(char *out, bool extended, bool anchors)
{
	unsigned npieces = sizeof(pieces) / sizeof(pieces[0]) - (anchors ? 0 : ANCHORS);
	unsigned n = 1 + pick(7);

	*out = '\0';
	for (unsigned i = 0; i < n; i++) {
		const char *p = pieces[pick(npieces)];

		if (extended) {
			strcat(out, p);
			continue;
		}
		for (; *p != '\0'; p++) {
			char one[3] = { '\\', *p, '\0' };

			strcat(out, strchr("(){}|+?", *p) != NULL ? one : one + 1);
		}
	}
}

static void make_text(char *out)
{
	unsigned n = pick(9);

	*out = '\0';
	for (unsigned i = 0; i < n; i++)
		strcat(out, letters[pick(sizeof(letters) / sizeof(letters[0]))]);
}

enum { NSPANS = 12 };

static void print_spans(const char *who, const struct regex_span *s)
{
	printf("  %s:", who);
	for (int i = 0; i < NSPANS; i++)
		printf(" (%lld,%lld)", (long long)s[i].from, (long long)s[i].to);
	printf("\n");
}

/* A repeat of {2,} of what may be empty: there the groups of GNU follow no rule we know. */
static bool is_odd(const char *pattern)
{
	return strstr(pattern, "}*") != NULL || strstr(pattern, "}+") != NULL ||
	       strstr(pattern, "}{") != NULL || strstr(pattern, "}\\") != NULL;
}

/* One text: the spans must be those of regexec. */
static bool same_match(const regex_t *want, struct regex *re, const char *pattern,
		       const char *text, int eflags, size_t ngroups)
{
	regmatch_t m[NSPANS];
	struct regex_span got[NSPANS], wanted[NSPANS];
	unsigned flags = ((eflags & REG_NOTBOL) != 0 ? (unsigned)REGEX_NOTBOL : 0) |
			 ((eflags & REG_NOTEOL) != 0 ? (unsigned)REGEX_NOTEOL : 0);
	int no = regexec(want, text, NSPANS, m, eflags) != 0;
	int got_no = regex_search(re, bytes_of(text), 0, flags, got, NSPANS);
	int test_no = regex_test(re, bytes_of(text), flags);

	for (int i = 0; i < NSPANS; i++)
		wanted[i] = (struct regex_span){ (size_t)m[i].rm_so, (size_t)m[i].rm_eo };
	if (no == got_no && no == test_no &&
	    (no != 0 || memcmp(got, wanted, ngroups * sizeof(got[0])) == 0))
		return true;
	printf("pattern <%s> text <%s> eflags %d: want %d, search %d, test %d\n", pattern, text,
	       eflags, no, got_no, test_no);
	if (no == 0)
		print_spans("want", wanted);
	if (got_no == 0)
		print_spans("got ", got);
	return false;
}

/* A pattern with several texts. False when it differs. */
static bool try_pattern(const char *pattern, int cflags, unsigned flags)
{
	struct arena a = new_arena();
	struct regex *re = NULL;
	const char *message = NULL;
	char expected[200] = "";
	regex_t want;
	int bad = regcomp(&want, pattern, cflags & ~REG_NOSUB);
	int got = regex_compile(&a, bytes_of(pattern), flags, &re, &message, NULL);
	bool ok = true;

	if (bad != 0)
		regerror(bad, &want, expected, sizeof(expected));
	if (got != 0 && strcmp(message, "Unmatched ) or \\)") == 0)
		message = "Unmatched ( or \\("; /* regcomp hides the difference */
	if ((bad != 0) != (got != 0) || (bad != 0 && strcmp(message, expected) != 0)) {
		printf("pattern <%s> flags %x: want \"%s\", got \"%s\"\n", pattern, flags, expected,
		       got != 0 ? message : "");
		ok = false;
	}
	for (int i = 0; i < 8 && ok && bad == 0; i++) {
		char text[100];

		make_text(text);
		ok = same_match(&want, re, pattern, text,
				(pick(8) == 0 ? REG_NOTBOL : 0) | (pick(8) == 0 ? REG_NOTEOL : 0),
				(cflags & REG_NOSUB) != 0 || is_odd(pattern) ? 1 : NSPANS);
	}
	if (bad == 0)
		regfree(&want);
	arena_clear(&a);
	return ok;
}

static void against_regexec(int cflags, unsigned flags)
{
	int differ = 0;

	for (int i = 0; i < rounds && differ < 10; i++) {
		char pattern[200];
		unsigned lazy = pick(4) == 0 ? (unsigned)REGEX_LAZY_LIMIT : 0;

		make_pattern(pattern, (cflags & REG_EXTENDED) != 0, (cflags & REG_NOSUB) != 0);
		if (!try_pattern(pattern, cflags, flags | REGEX_UTF8 | lazy))
			differ++;
	}
	CHECK_EQ(differ, 0);
}

TEST(extended_as_regexec)
{
	against_regexec(REG_EXTENDED, REGEX_ERE);
}

TEST(basic_as_regexec)
{
	against_regexec(0, REGEX_BRE);
}

TEST(icase_as_regexec)
{
	against_regexec(REG_EXTENDED | REG_ICASE, REGEX_ERE | REGEX_ICASE);
}

TEST(newline_as_regexec)
{
	against_regexec(REG_EXTENDED | REG_NEWLINE, REGEX_ERE | REGEX_NEWLINE);
}

/* With anchors GNU's groups depend on how it numbers states: only the span is compared. */
TEST(anchors_as_regexec)
{
	against_regexec(REG_EXTENDED | REG_NOSUB, REGEX_ERE);
	against_regexec(REG_EXTENDED | REG_NOSUB | REG_NEWLINE, REGEX_ERE | REGEX_NEWLINE);
	against_regexec(REG_NOSUB, REGEX_BRE);
}

int main(int argc, char **argv)
{
	if (setlocale(LC_ALL, "C.UTF-8") == NULL ||
	    store_init(&store, NULL, 0, grow, NULL) != 0)
		return 2;
	if (argc > 1)
		seed = (unsigned)atoi(argv[1]);
	if (argc > 2)
		rounds = atoi(argv[2]);
	printf("seed %u\n", seed);
	RUN(extended_as_regexec);
	RUN(basic_as_regexec);
	RUN(icase_as_regexec);
	RUN(newline_as_regexec);
	RUN(anchors_as_regexec);
	return check_end();
}
