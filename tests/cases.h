/* SPDX-License-Identifier: MIT
 *
 * Case files as data: see run.c for the format.
 */
#ifndef TESTS_CASES_H
#define TESTS_CASES_H

#include <stdbool.h>
#include <stddef.h>

struct text {
	char *ptr;
	size_t len;
	size_t cap;
};

enum section { SCRIPT, INPUT, OUTPUT, ERRORS, SECTIONS };

struct test {
	char name[256];
	struct text part[SECTIONS];
	int status;
	char differs[512];
};

struct case_reader {
	char *at;
	char *end;
	char *pending;       /* the "### name" line of the next case */
	size_t pending_len;
};

void text_add(struct text *t, const char *data, size_t len);
/* The whole file; exits with a message if it can't be read. */
char *file_read(const char *path, size_t *len);
/* Reads one case; false at the end. The parts are the caller's to free. */
bool case_next(struct case_reader *r, struct test *t);

#endif
