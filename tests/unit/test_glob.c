/* SPDX-License-Identifier: MIT
 *
 * Shell patterns: by hand, and against the bash of this machine on generated patterns and
 * texts (the seed is printed; give another as the first argument).
 */
#include <stdlib.h>
#include <unistd.h>

#include "base/glob.h"
#include "tests/unit/check.h"
#include "tests/unit/generated.h"

static bool match(const char *pattern, const char *text, unsigned flags)
{
	struct arena a = new_arena();
	struct glob *g = glob_compile(&a, bytes_of(pattern), flags);
	bool ok = glob_match(g, &a, bytes_of(text));

	arena_clear(&a);
	return ok;
}

TEST(by_hand)
{
	CHECK(match("", "", 0));
	CHECK(match("*", "", 0));
	CHECK(match("a*b?c", "axxbbxc", 0));
	CHECK(!match("a*b?c", "axxbbx", 0));
	CHECK(match("[]a]", "]", 0));
	CHECK(match("[!]a]", "b", 0));
	CHECK(match("[a", "[a", 0));
	CHECK(match("?", "\xc3\xa9", GLOB_UTF8));
	CHECK(!match("?", "\xc3\xa9", 0));
	CHECK(match("\\*", "*", 0));
	CHECK(match("\\*", "\\x", GLOB_NOESCAPE));
	CHECK(!match("*", ".x", GLOB_PERIOD));
	CHECK(match(".*", ".x", GLOB_PERIOD));
	CHECK(!match("a*c", "a/c", GLOB_PATHNAME));
	CHECK(match("a/*", "a/c", GLOB_PATHNAME));
	CHECK(match("AB*", "abC", GLOB_ICASE));
	CHECK(match("+(ab|c)", "abcab", GLOB_EXTGLOB));
	CHECK(!match("+(ab|c)", "abcab", 0));
	CHECK(match("!(*.c)", "x.h", GLOB_EXTGLOB));
	CHECK(!match("!(*.c)", "x.c", GLOB_EXTGLOB));
}

TEST(no_exponential_cost)
{
	char text[3001];

	memset(text, 'a', 3000);
	text[3000] = '\0';
	CHECK(!match("*a*a*a*a*a*a*a*a*a*a*a*b", text, 0));
	CHECK(!match("+(a|aa|+(a))b", text, GLOB_EXTGLOB));
	CHECK(!match("*(*(*(*(a))))b", text, GLOB_EXTGLOB));
	text[200] = '\0';
	CHECK(!match("!(!(!(!(a*)*)*))b*c", text, GLOB_EXTGLOB));
}

TEST(too_deep)
{
	struct arena a = new_arena();
	char pattern[3001];

	for (int i = 0; i < 1000; i++)
		memcpy(pattern + 2 * i, "@(", 2);
	memset(pattern + 2000, ')', 1000);
	CHECK(glob_compile(&a, (struct bytes){ pattern, 3000 }, GLOB_EXTGLOB) == NULL);
	arena_clear(&a);
}

/* --- against bash --- */

static const char *const pieces[] = {
	"a",          "b",
	"c",          "a",
	"*",          "*",
	"?",          "[ab]",
	"[!a]",       "[^b]",
	"[a-b]",      "[]a]",
	"[!]a]",      "[a-]",
	"[-a]",       "[[:alpha:]]",
	"[[:alpha:]", "[\\]]",
	"[a",         "]",
	"\\a",        "\\*",
	"\\?",        "-",
	"@(a|b)",     "*(a)",
	"+(a|ab)",    "?(b)",
	"!(a)",       "!(a|b*)",
	"@(",         "|",
	")",          "!(",
	"*(a|*(b))",  "[[=a=]b]",
	"[[.a.]b]",   "[[:digit:]a]",
	"\xc3\xa9",   "[\xc3\xa0-\xc3\xaf]",
	"@(|a)",      "+([!b])",
	"!(*b)",
};
static const char *const letters[] = {
	"a", "b", "a", "b", "c", "]", "[", "-", "*", "\xc3\xa9", "(", ")", "a", "\\", "1",
};

static void make(char *out, const char *const *from, unsigned nfrom, unsigned most)
{
	unsigned n = pick(most);

	*out = '\0';
	for (unsigned i = 0; i < n; i++)
		strcat(out, from[pick(nfrom)]);
}

struct sample {
	char pattern[100];
	char text[60];
};

static void quote(FILE *f, const char *name, const char *s)
{
	fprintf(f, "%s=$'", name);
	for (; *s != '\0'; s++)
		fprintf(f, "\\x%02x", (unsigned char)*s);
	fprintf(f, "'\n");
}

static void ask_bash(const struct sample *samples, int n, const char *script)
{
	FILE *f = fopen(script, "w");

	fprintf(f, "shopt -s extglob\n");
	for (int i = 0; i < n; i++) {
		quote(f, "x", samples[i].text);
		quote(f, "p", samples[i].pattern);
		fprintf(f, "[[ $x == $p ]]; s=$?\n"
			   "printf '%%s~%%s~%%s~%%s~%%s~%%s\\n' $s \"${x#$p}\" \"${x##$p}\" "
			   "\"${x%%$p}\" \"${x%%%%$p}\" \"${x/$p/<>}\"\n");
	}
	fclose(f);
}

static void cut(char *out, struct bytes text, size_t n, bool suffix)
{
	if (n == SIZE_MAX)
		n = 0;
	sprintf(out + strlen(out), "~%.*s", (int)(text.len - n), text.ptr + (suffix ? 0 : n));
}

/* The line that bash would print. */
static void answer(const struct sample *s, char *out)
{
	struct arena a = new_arena();
	struct arena scratch = new_arena();
	struct bytes text = bytes_of(s->text);
	struct glob *g = glob_compile(&a, bytes_of(s->pattern), GLOB_EXTGLOB | GLOB_UTF8);
	size_t from, to;

	sprintf(out, "%d", !glob_match(g, &scratch, text));
	cut(out, text, glob_prefix(g, &scratch, text, false), false);
	cut(out, text, glob_prefix(g, &scratch, text, true), false);
	cut(out, text, glob_suffix(g, &scratch, text, false), true);
	cut(out, text, glob_suffix(g, &scratch, text, true), true);
	if (s->pattern[0] != '\0' && glob_find(g, &scratch, text, 0, &from, &to))
		sprintf(out + strlen(out), "~%.*s<>%s", (int)from, text.ptr, text.ptr + to);
	else
		sprintf(out + strlen(out), "~%s", text.ptr);
	arena_clear(&scratch);
	arena_clear(&a);
}

/* ${x/p/r} of bash first guesses how long a match is, wrongly for these; and leaves "" alone. */
static bool has_odd_length(const struct sample *s)
{
	return s->text[0] == '\0' || strstr(s->pattern, "[!]a]") != NULL;
}

TEST(as_bash)
{
	struct sample *samples = calloc((size_t)rounds, sizeof(samples[0]));
	char script[] = "/tmp/test_glob_XXXXXX";
	char command[100], got[500], want[500];
	int differ = 0;
	FILE *f;

	if (!CHECK(mkstemp(script) >= 0))
		return;
	for (int i = 0; i < rounds; i++) {
		make(samples[i].pattern, pieces, sizeof(pieces) / sizeof(pieces[0]), 6);
		make(samples[i].text, letters, sizeof(letters) / sizeof(letters[0]), 8);
	}
	ask_bash(samples, rounds, script);
	sprintf(command, "LC_ALL=C.UTF-8 bash %s", script);
	f = popen(command, "r");
	for (int i = 0; i < rounds && fgets(want, sizeof(want), f) != NULL; i++) {
		want[strcspn(want, "\n")] = '\0';
		answer(&samples[i], got);
		if (has_odd_length(&samples[i])) {
			*strrchr(got, '~') = '\0';
			*strrchr(want, '~') = '\0';
		}
		if (strcmp(got, want) == 0)
			continue;
		if (++differ > rounds / 200)
			printf("pattern <%s> text <%s>\n  want %s\n  got  %s\n", samples[i].pattern,
			       samples[i].text, want, got);
	}
	pclose(f);
	unlink(script);
	free(samples);
	/* A star before an extended glob is optimized wrongly by bash, once in some hundred. */
	CHECK(differ <= rounds / 200);
}

int main(int argc, char **argv)
{
	start(argc, argv, 4000);
	RUN(by_hand);
	RUN(no_exponential_cost);
	RUN(too_deep);
	RUN(as_bash);
	return check_end();
}
