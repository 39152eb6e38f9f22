/* SPDX-License-Identifier: MIT
 *
 * What fuzz targets that go through the public interface share: a session with some files, made
 * once, from which each input gets a fork of its own with little room.
 */
#ifndef FUZZ_SESSION_H
#define FUZZ_SESSION_H

#include "cowsh.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define FUZZ_COUNT(array) (sizeof(array) / sizeof *(array))

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A fork of the session in which the script `tree` has run, which is the same in all calls. Host
 * may be NULL. */
static inline cowsh *fuzz_fork(const char *tree, const struct cowsh_host *host)
{
	static cowsh *base;
	cowsh *s;

	if (base == NULL) {
		struct cowsh_store_config config = COWSH_STORE_CONFIG_INIT;
		cowsh_store *store;

		config.region_size = (size_t)256 << 20;
		config.region = malloc(config.region_size);
		if (cowsh_store_new(&config, &store) < 0 ||
		    cowsh_new(store, NULL, NULL, &base) < 0 ||
		    cowsh_run(base, tree, strlen(tree), NULL) < 0)
			abort();
	}
	if (cowsh_fork(base, host, &s) < 0)
		abort();
	cowsh_set_limit(s, COWSH_LIMIT_STEPS, 500000);
	cowsh_set_limit(s, COWSH_LIMIT_MEMORY, 32 << 20);
	return s;
}

static inline void fuzz_put(cowsh *s, const char *path, const void *data, size_t size)
{
	if (cowsh_put_file(s, path, data, size, 0644) < 0)
		abort();
}

/* Runs a program to its end or its limits, and frees the fork. */
static inline void fuzz_run(cowsh *s, int argc, const char *const *argv)
{
	if (cowsh_start_program(s, argc, argv) == 0)
		cowsh_step(s, 0);
	cowsh_free(s);
}

/* The same with a script. */
static inline void fuzz_script(cowsh *s, const char *script)
{
	cowsh_run(s, script, strlen(script), NULL);
	cowsh_free(s);
}

/* --- the usual forms of input --- */

/* All of it is the file that a program reads. */
static inline int fuzz_file(const char *tree, const char *file, int argc, const char *const *argv,
			    const uint8_t *data, size_t size)
{
	cowsh *s = fuzz_fork(tree, NULL);

	fuzz_put(s, file, data, size);
	fuzz_run(s, argc, argv);
	return 0;
}

/* The first byte chooses where the rest is put and what reads it. */
struct fuzz_way {
	const char *file;
	const char *script;
};

static inline int fuzz_ways(const char *tree, const struct fuzz_way *ways, size_t count,
			    const uint8_t *data, size_t size)
{
	const struct fuzz_way *way;
	cowsh *s;

	if (size == 0)
		return 0;
	way = &ways[data[0] % count];
	s = fuzz_fork(tree, NULL);
	fuzz_put(s, way->file, data + 1, size - 1);
	fuzz_script(s, way->script);
	return 0;
}

/* The input as a string, which the caller frees; it ends at its first NUL, if it has one. */
static inline char *fuzz_text(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	if (text == NULL)
		abort();
	if (size != 0)
		memcpy(text, data, size);
	text[size] = '\0';
	return text;
}

/* A program, which becomes argv[program], and behind a byte \001 what the file "f" holds. */
static inline int fuzz_program(const char *tree, int argc, const char **argv, int program,
			       const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	char *input = strchr(text, '\001');
	cowsh *s = fuzz_fork(tree, NULL);

	argv[program] = text;
	if (input != NULL) {
		*input++ = '\0';
		fuzz_put(s, "f", input, size - (size_t)(input - text));
	}
	fuzz_run(s, argc, argv);
	free(text);
	return 0;
}

enum { FUZZ_ARGS_MAX = 40 };

/* Adds the lines of text, which it cuts there, to the argc in argv; text may be NULL. The new
 * argc, at most FUZZ_ARGS_MAX. */
static inline int fuzz_args(char *text, const char **argv, int argc)
{
	for (char *at = text; argc < FUZZ_ARGS_MAX && at != NULL; argc++) {
		char *end = strchr(at, '\n');

		argv[argc] = at;
		if (end != NULL)
			*end = '\0';
		at = end != NULL ? end + 1 : NULL;
	}
	return argc;
}

/* Arguments of a command, one a line; with a file, the first line is what that holds, its rows
 * separated by '|'. */
static inline int fuzz_lines(const char *tree, const char *file, int argc,
			     const char *const *command, const uint8_t *data, size_t size)
{
	const char *argv[FUZZ_ARGS_MAX + 1] = { NULL };
	char *text = fuzz_text(data, size);
	char *first = text;
	cowsh *s = fuzz_fork(tree, NULL);

	memcpy(argv, command, (size_t)argc * sizeof *argv);
	if (file != NULL) {
		first = strchr(text, '\n');
		if (first != NULL)
			*first++ = '\0';
		for (char *at = text; *at != '\0'; at++)
			if (*at == '|')
				*at = '\n';
		fuzz_put(s, file, text, strlen(text));
	}
	fuzz_run(s, fuzz_args(first, argv, argc), argv);
	free(text);
	return 0;
}

#endif
