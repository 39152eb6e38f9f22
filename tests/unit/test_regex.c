/* SPDX-License-Identifier: MIT
 *
 * The regular expression engine: by hand, and against the C library's regcomp and regexec on
 * generated patterns and texts (the seed is printed; give another as the first argument).
 */
#include <regex.h>
#include <stdlib.h>

#include "base/regex.h"
#include "tests/unit/check.h"
#include "tests/unit/generated.h"

/* --- against regexec --- */

static const char *const pieces[] = {
	"a",        "b",           "c",           "a",    "b",     "ab",     ".",     "[ab]",
	"[^a]",     "(a)",         "(a|ab)",      "(b|)", "(|a)",  "(a*)",   "(b+)",  "*",
	"*",        "+",           "?",           "{2}",  "{1,2}", "{0,2}",  "{,2}",  "{2,}",
	"|",        "|",           "(",           ")",    "(",     ")",      "\\w",   "\\W",
	"\xc3\xa9", "[[:alpha:]]", "[\xc3\xa9z]", "x",    " ",     "(a|b)*", "(a*)*", "()",
	"^",        "$",           "\\b",         "\\<",  "\\>",   "\\`",    "\\'",
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
static bool same_match(const regex_t *want, struct regex *re, const char *pattern, const char *text,
		       int eflags, size_t ngroups)
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

/* --- by hand --- */

static struct regex *compiled(struct arena *a, const char *pattern, unsigned flags)
{
	struct regex *re = NULL;
	const char *message = "";

	if (regex_compile(a, bytes_of(pattern), flags, &re, &message, NULL) != 0)
		printf("<%s>: %s\n", pattern, message);
	return re;
}

/* The groups of a match as "from,to from,to"; "no" for none, "work" for the limit. */
static const char *spans_of(const char *pattern, unsigned flags, const char *text)
{
	static char out[200];
	struct arena a = new_arena();
	struct regex *re = compiled(&a, pattern, flags);
	struct regex_span s[8];
	int err = re != NULL ? regex_search(re, bytes_of(text), 0, 0, s, 8) : 99;

	strcpy(out, err == 0 ? "" : err == REGEX_NOMATCH ? "no" : "work");
	for (unsigned i = 0; err == 0 && i <= regex_groups(re); i++)
		sprintf(out + strlen(out), "%s%d,%d", i != 0 ? " " : "", (int)s[i].from,
			(int)s[i].to);
	arena_clear(&a);
	return out;
}

TEST(perl)
{
	enum { P = REGEX_PERL | REGEX_UTF8 };

	CHECK_STR(spans_of("a+?", P, "aaa"), "0,1");
	CHECK_STR(spans_of("a|ab", P, "ab"), "0,1");
	CHECK_STR(spans_of("(?<y>\\d+)-(?<m>\\d+)", P, "on 2024-05"), "3,10 3,7 8,10");
	CHECK_STR(spans_of("(?<=\\$)\\d+(?!\\d|x)", P, "$12x $345"), "6,9");
	CHECK_STR(spans_of("foo\\Kbar", P, "foobar"), "3,6");
	CHECK_STR(spans_of("(?i)STRASSE", P,
			   "stra\xc3\x9f"
			   "e strasse"),
		  "8,15");
	CHECK_STR(spans_of("(a++)a", P, "aaaa"), "no");
	CHECK_STR(spans_of("(?>a|ab)c", P, "abc"), "no");
	CHECK_STR(spans_of("(a)?(?(1)b|c)", P, "ab"), "0,2 0,1");
	CHECK_STR(spans_of("\\bcaf\\x{e9}", P | REGEX_UCP, "un caf\xc3\xa9"), "3,8");
	CHECK_STR(spans_of("\\p{Lu}\\p{Ll}+", P, "x \xc3\x89tude"), "2,8");
	CHECK_STR(spans_of("(\\w)\\1", P, "abccd"), "2,4 2,3");
	CHECK_STR(spans_of("(?x) a  b # comment\n c", P, "abc"), "0,3");
	CHECK_STR(spans_of("^b$", P | REGEX_NEWLINE, "a\nb\nc"), "2,3");
	CHECK_STR(spans_of("a.b", P | REGEX_DOTALL, "a\nb"), "0,3");
	CHECK_STR(spans_of("\\Qa.b\\E+", P, "a.bbb"), "0,5");
}

TEST(names)
{
	struct arena a = new_arena();
	struct regex *re = compiled(&a, "(?<year>\\d+)-(\\d+)-(?P<day>\\d+)", REGEX_PERL);

	CHECK_EQ(regex_groups(re), 3);
	CHECK_STR(regex_group_name(re, 1), "year");
	CHECK(regex_group_name(re, 2) == NULL);
	CHECK_STR(regex_group_name(re, 3), "day");
	CHECK(regex_group_name(re, 4) == NULL);
	arena_clear(&a);
}

TEST(back_references)
{
	CHECK_STR(spans_of("\\(a*\\)b\\1", REGEX_BRE, "aabaab"), "0,5 0,2");
	CHECK_STR(spans_of("(.+)\\1", REGEX_ERE, "abcabcabc"), "0,6 0,3");
	CHECK_STR(spans_of("(a|ab)(c|bcd)\\1", REGEX_ERE, "abcda"), "0,5 0,1 1,4");
	CHECK_STR(
		spans_of("(\xc3\xa9)\\1", REGEX_ERE | REGEX_UTF8 | REGEX_ICASE, "\xc3\xa9\xc3\x89"),
		"0,4 0,2");
}

static const char *error_of(const char *pattern, unsigned flags)
{
	struct arena a = new_arena();
	struct regex *re;
	const char *message = "none";

	regex_compile(&a, bytes_of(pattern), flags, &re, &message, NULL);
	arena_clear(&a);
	return message;
}

TEST(errors)
{
	CHECK_STR(error_of("a{1", REGEX_ERE), "Unmatched \\{");
	CHECK_STR(error_of("a{1", REGEX_ERE | REGEX_GREP), "none");
	CHECK_STR(error_of("*a", REGEX_ERE), "Invalid preceding regular expression");
	CHECK_STR(error_of("*a", REGEX_ERE | REGEX_GREP), "none");
	CHECK_STR(error_of("a)", REGEX_ERE), "none");
	CHECK_STR(error_of("a)", REGEX_ERE | REGEX_SED), "Unmatched ) or \\)");
	CHECK_STR(error_of("(a", REGEX_ERE), "Unmatched ( or \\(");
	CHECK_STR(error_of("\\(a\\)\\2", REGEX_BRE), "Invalid back reference");
	CHECK_STR(error_of("[a", REGEX_BRE), "Unmatched [, [^, [:, [., or [=");
	CHECK_STR(error_of("[[:foo:]]", REGEX_BRE), "Invalid character class name");
	CHECK_STR(error_of("[b-a]", REGEX_BRE), "Invalid range end");
	CHECK_STR(error_of("a{40000}", REGEX_ERE), "Regular expression too big");
	CHECK_STR(error_of("((a{1000}){1000}){1000}", REGEX_ERE), "Regular expression too big");
	CHECK_STR(error_of("(((){32767}){32767}){32767}", REGEX_ERE), "Regular expression too big");
	CHECK_STR(error_of("a\\", REGEX_ERE), "Trailing backslash");
	CHECK_STR(error_of("(a", REGEX_PERL), "missing closing parenthesis");
	CHECK_STR(error_of("a)", REGEX_PERL), "unmatched closing parenthesis");
	CHECK_STR(error_of("[a", REGEX_PERL), "missing terminating ] for character class");
	CHECK_STR(error_of("+a", REGEX_PERL), "quantifier does not follow a repeatable item");
	CHECK_STR(error_of("(?<=a+)b", REGEX_PERL), "lookbehind assertion is not fixed length");
	CHECK_STR(error_of("\\2(a)", REGEX_PERL), "reference to non-existent subpattern");
}

TEST(nesting_is_bounded)
{
	static char pattern[200001];

	for (int depth = 100; depth <= 100000; depth *= 10) {
		const char *wanted = depth < 200 ? "none" : "Regular expression too big";

		memset(pattern, '(', (size_t)depth);
		memset(pattern + depth, ')', (size_t)depth);
		pattern[2 * depth] = '\0';
		CHECK_STR(error_of(pattern, REGEX_ERE), wanted);
		if (depth <= REGEX_GROUPS_MAX)
			CHECK_STR(error_of(pattern, REGEX_PERL), wanted);
	}
	for (const char *repeat = "*?"; *repeat != '\0'; repeat++) {
		memset(pattern, *repeat, 200000);
		pattern[0] = 'a';
		pattern[200000] = '\0';
		CHECK_STR(error_of(pattern, REGEX_ERE), "none");
	}
}

static uint64_t work_done;

static void count_work(void *arg, uint64_t work)
{
	(void)arg;
	work_done += work;
}

/* Patterns that are exponential elsewhere. */
TEST(hostile)
{
	static const char *const patterns[] = {
		"^(a+)+$",  "^(a|aa)+$",
		"(x+x+)+y", "^(([a-z])+.)+[A-Z]([a-z])+$",
		"(a*)*b",   "(.*)(.*)(.*)(.*)(.*)z",
	};
	struct arena a = new_arena();
	char text[5001];

	memset(text, 'a', 5000);
	text[4999] = '!';
	text[5000] = '\0';
	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
		struct regex_span s[8];

		for (unsigned flags = REGEX_ERE; flags <= REGEX_PERL; flags++) {
			struct regex *re = compiled(&a, patterns[i], flags);

			CHECK_EQ(regex_search(re, bytes_of(text), 0, 0, s, 8), REGEX_NOMATCH);
			CHECK_EQ(regex_test(re, bytes_of(text), 0), REGEX_NOMATCH);
		}
	}
	arena_clear(&a);
}

/* Two characters are told apart however often a pattern names each. */
TEST(characters_stay_apart)
{
	static const char all[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
				  " !\"#%&',-/:;<=>@_`~";
	size_t n = sizeof(all) - 1;

	for (size_t i = 0; i < n * n * 8; i++) {
		char a = all[i / 8 % n];
		char b = all[i / 8 / n];
		size_t many = i % 8 + 1;
		struct arena arena = new_arena();
		struct regex *re;
		char pattern[16];

		if (a != b) {
			memset(pattern, a, many);
			memcpy(pattern + many, (char[]){ b, '.', '*', '\0' }, 4);
			re = compiled(&arena, pattern, REGEX_ERE);
			pattern[many + 1] = '\0';
			CHECK_EQ(regex_test(re, bytes_of(pattern), 0), 0);
			pattern[many - 1] = b;
			CHECK_EQ(regex_test(re, bytes_of(pattern), 0), REGEX_NOMATCH);
		}
		arena_clear(&arena);
	}
}

TEST(work_is_reported)
{
	struct arena a = new_arena();
	struct regex *re = compiled(&a, "(a*)*\\1[b-z]", REGEX_ERE);
	char text[101];

	memset(text, 'a', 100);
	text[100] = '\0';
	work_done = 0;
	regex_set_work(re, count_work, NULL);
	regex_set_backtrack_limit(re, 1000000);
	CHECK_EQ(regex_test(re, bytes_of(text), 0), REGEX_EWORK);
	CHECK(work_done >= 200000);
	arena_clear(&a);
}

TEST(set_of_patterns)
{
	struct arena a = new_arena();
	struct bytes patterns[] = { BYTES("foo"), BYTES("\\(x\\)\\1"), BYTES("ba[rz]") };
	struct regex *re = NULL;
	struct regex_span s[1];
	const char *message;

	CHECK_EQ(regex_compile_set(&a, patterns, 3, REGEX_BRE, &re, &message), 0);
	CHECK_EQ(regex_search(re, BYTES("a baz"), 0, 0, s, 1), 0);
	CHECK_EQ(s[0].from, 2);
	CHECK_EQ(regex_test(re, BYTES("xx"), 0), 0);
	CHECK_EQ(regex_test(re, BYTES("x"), 0), REGEX_NOMATCH);
	CHECK_EQ(regex_compile_set(&a, patterns, 0, REGEX_BRE, &re, &message), 0);
	CHECK_EQ(regex_test(re, BYTES("x"), 0), REGEX_NOMATCH);
	arena_clear(&a);
}

/* Lines with a match by regex_search_line, and one by one. */
static bool same_lines(struct regex *re, struct bytes text)
{
	size_t at = 0;

	for (;;) {
		struct regex_span line;
		int err = regex_search_line(re, text, at, &line);
		size_t to = err == 0 ? line.from : text.len;

		while (at < to) {
			const char *eol = memchr(text.ptr + at, '\n', text.len - at);
			size_t end = eol != NULL ? (size_t)(eol - text.ptr) : text.len;

			if (regex_test(re, bytes_slice(text, at, end), 0) == 0)
				return false;
			at = end + 1;
		}
		if (err != 0)
			return true;
		if (at != to || regex_test(re, bytes_slice(text, line.from, line.to), 0) != 0)
			return false;
		at = line.to + 1;
	}
}

TEST(lines)
{
	static const char *const patterns[] = {
		"ab",    "^a",   "b$",           "^$",         "",         "[0-9]+z", "xyz|zyx",
		"a.*z$", "\\bq", "(a|b)*c[0-9]", "\xc3\xa9+1", "^[a-z]*$", "z{3}",    "zz.*1.*zz",
	};
	enum { BYTES_MAX = 1 << 20 };
	char *text = malloc(BYTES_MAX);

	for (size_t k = 0; k < sizeof(patterns) / sizeof(patterns[0]); k++) {
		struct arena a = new_arena();
		unsigned lazy = k % 2 != 0 ? (unsigned)REGEX_LAZY_LIMIT : 0;
		struct regex *re = compiled(&a, patterns[k],
					    REGEX_ERE | REGEX_NEWLINE | REGEX_UTF8 | lazy);
		unsigned rare = k % 3 == 0 ? 40 : 4000;
		size_t n = 0;

		while (n < BYTES_MAX - 16)
			n += (size_t)sprintf(text + n, "%s",
					     pick(rare) == 0  ? "z"
					     : pick(12) == 0  ? "\n"
					     : pick(300) == 0 ? "\xc3\xa9"
							      : letters[pick(7)]);
		CHECK(same_lines(re, (struct bytes){ text, n }));
		arena_clear(&a);
	}
	free(text);
}

TEST(bytes_that_are_no_text)
{
	CHECK_STR(spans_of("a.b", REGEX_ERE | REGEX_UTF8,
			   "a\xff"
			   "b a\xc3\xa9"
			   "b"),
		  "4,8");
	CHECK_STR(spans_of("[^x]b", REGEX_ERE | REGEX_UTF8,
			   "\xff"
			   "b"),
		  "no");
	CHECK_STR(spans_of("\xff", REGEX_ERE | REGEX_UTF8, "a\xff"), "1,2");
	CHECK_STR(spans_of("\xa9", REGEX_ERE | REGEX_UTF8, "\xc3\xa9\xa9"), "2,3");
	CHECK_STR(spans_of("a.b", REGEX_ERE,
			   "a\xff"
			   "b"),
		  "0,3");
}

int main(int argc, char **argv)
{
	start(argc, argv, 20000);
	RUN(extended_as_regexec);
	RUN(basic_as_regexec);
	RUN(icase_as_regexec);
	RUN(newline_as_regexec);
	RUN(anchors_as_regexec);
	RUN(perl);
	RUN(names);
	RUN(back_references);
	RUN(errors);
	RUN(nesting_is_bounded);
	RUN(hostile);
	RUN(characters_stay_apart);
	RUN(work_is_reported);
	RUN(set_of_patterns);
	RUN(lines);
	RUN(bytes_that_are_no_text);
	return check_end();
}
