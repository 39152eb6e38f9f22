/* SPDX-License-Identifier: MIT
 *
 * What fuzz targets that go through the public interface share: a session with some files, made
 * once, from which each input gets a fork of its own with little room.
 */
#ifndef FUZZ_SESSION_H
#define FUZZ_SESSION_H

#include "cowsh.h"

#include <stdlib.h>
#include <string.h>

static inline cowsh *fuzz_base(const char *tree)
{
	struct cowsh_store_config config = COWSH_STORE_CONFIG_INIT;
	cowsh_store *store;
	cowsh *s;

	config.region_size = (size_t)256 << 20;
	config.region = malloc(config.region_size);
	if (cowsh_store_new(&config, &store) < 0 || cowsh_new(store, NULL, NULL, &s) < 0 ||
	    cowsh_run(s, tree, strlen(tree), NULL) < 0)
		abort();
	return s;
}

/* A fork for one input. */
static inline cowsh *fuzz_fork(cowsh *base)
{
	cowsh *s;

	if (cowsh_fork(base, NULL, &s) < 0)
		abort();
	cowsh_set_limit(s, COWSH_LIMIT_STEPS, 2000000);
	cowsh_set_limit(s, COWSH_LIMIT_MEMORY, 32 << 20);
	return s;
}

/* Runs a program to its end or its limits, and frees the fork. */
static inline void fuzz_run(cowsh *s, int argc, const char *const *argv)
{
	if (cowsh_start_program(s, argc, argv) == 0)
		cowsh_step(s, 0);
	cowsh_free(s);
}

/* Adds the lines of text, which it cuts there, to argv behind the first argc of max; text may be
 * NULL. The new argc. */
static inline int fuzz_args(char *text, const char **argv, int argc, int max)
{
	for (char *at = text; argc < max && at != NULL; argc++) {
		char *end = strchr(at, '\n');

		argv[argc] = at;
		if (end != NULL)
			*end = '\0';
		at = end != NULL ? end + 1 : NULL;
	}
	return argc;
}

#endif
