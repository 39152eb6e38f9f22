/* SPDX-License-Identifier: MIT
 *
 * Case files as data: see run.c for the format.
 */
#ifndef TESTS_CASES_H
#define TESTS_CASES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

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

struct outcome {
	unsigned long long trace; /* --digests: hash of all events */
	unsigned long long steps;
	unsigned long long memory_peak;
	unsigned char tree[32];
	struct text part[SECTIONS];
	int status;
	int limit;
};

struct case_reader {
	char *at;
	char *end;
	char *pending; /* the "### name" line of the next case */
	size_t pending_len;
};

void text_add(struct text *t, const char *data, size_t len);
/* The whole file; exits with a message if it can't be read. */
char *case_file(const char *path, size_t *len);
/* Reads one case; false at the end. The parts are the caller's to free. */
bool case_next(struct case_reader *r, struct test *t);

/* oracle.c, or wasm/host.c: address space for the store. */
void *reserve_memory(size_t *size);
/* Running cases in the real bash. Called once before the others; false where there is none. */
bool oracle_start(void);
void oracle_run(const struct test *t, struct outcome *o);
/* Running cases in a cowsh program, which locks itself. */
void program_run(const struct test *t, struct outcome *o, const char *program);

/* digests.c: traces a session into o; writes its line. */
struct cowsh;
bool digests_start(struct cowsh *session, struct outcome *o);
void digests_end(struct cowsh *session);
void digests_print(FILE *f, const char *file, const struct test *t, const struct outcome *o);

/* journals.c: a session with a journal; puts that into the file, at its end; replays all of such a
 * file: how many came out otherwise. */
struct cowsh_store;
struct cowsh_config;
struct cowsh_host;
int journals_session(struct cowsh_store *store, const struct cowsh_config *config,
		     const struct cowsh_host *host, struct cowsh **out);
void journals_put(FILE *f, struct cowsh *session, const char *file, const struct test *t);
int journals_replay(struct cowsh_store *store, const char *path, int *passed);

enum { CASE_SECONDS = 20 };
#define CASE_DIR "/tmp/case"

#endif
