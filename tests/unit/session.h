/* SPDX-License-Identifier: MIT
 *
 * For tests of the public interface: a store, and a script that must run.
 */
#ifndef TESTS_UNIT_SESSION_H
#define TESTS_UNIT_SESSION_H

#include <stdlib.h>
#include <sys/mman.h>

#include "cowsh.h"
#include "tests/unit/check.h"

/* Memory is taken as it is used. */
static inline cowsh_store *new_store(size_t bytes)
{
	struct cowsh_store_config config = COWSH_STORE_CONFIG_INIT;
	cowsh_store *s;

	config.region_size = bytes;
	config.region = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (config.region == MAP_FAILED || cowsh_store_new(&config, &s) < 0)
		abort();
	return s;
}

static inline struct cowsh_result run(cowsh *s, const char *script)
{
	struct cowsh_result r = { .status = -1 };

	CHECK_EQ(cowsh_run(s, script, strlen(script), &r), 0);
	return r;
}

#endif
