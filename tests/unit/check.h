/* SPDX-License-Identifier: MIT
 *
 * The harness of the unit tests: each test_*.c is a program whose main runs named tests.
 *
 *     TEST(words)
 *     {
 *             CHECK(1 + 1 == 2);
 *     }
 *     int main(void)
 *     {
 *             RUN(words);
 *             return check_end();
 *     }
 */
#ifndef TESTS_UNIT_CHECK_H
#define TESTS_UNIT_CHECK_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static int check_passed;
static int check_failed;
static bool check_bad; /* the running test has failed */

static inline bool check_that(bool ok, const char *what, const char *file, int line)
{
	if (!ok) {
		printf("%s:%d: failed: %s\n", file, line, what);
		check_bad = true;
	}
	return ok;
}

static inline bool check_equal(long long got, long long want, const char *what, const char *file,
			       int line)
{
	if (got != want) {
		printf("%s:%d: %s: got %lld, want %lld\n", file, line, what, got, want);
		check_bad = true;
	}
	return got == want;
}

static inline bool check_string(const char *got, const char *want, const char *file, int line)
{
	if (got == NULL || strcmp(got, want) != 0) {
		printf("%s:%d: got \"%s\", want \"%s\"\n", file, line, got ? got : "(null)", want);
		check_bad = true;
		return false;
	}
	return true;
}

/* Each gives true when it holds, so that a test can stop after a failure. */
#define CHECK(cond) check_that((cond), #cond, __FILE__, __LINE__)
#define CHECK_EQ(got, want)                                                                        \
	check_equal((long long)(got), (long long)(want), #got, __FILE__, __LINE__)
#define CHECK_STR(got, want) check_string((got), (want), __FILE__, __LINE__)

#define TEST(name) static void test_##name(void)
#define RUN(name)  check_run(#name, test_##name)

static inline void check_run(const char *name, void (*test)(void))
{
	check_bad = false;
	test();
	if (check_bad)
		check_failed++;
	else
		check_passed++;
	printf("%s %s\n", check_bad ? "FAIL" : "ok  ", name);
	fflush(stdout);
}

/* The last line, and the status of the program. */
static inline int check_end(void)
{
	printf("%d passed, %d failed\n", check_passed, check_failed);
	return check_failed != 0;
}

#endif
