/* SPDX-License-Identifier: MIT
 *
 * What the case runner needs of its host, under Node: memory, and no real bash.
 */
#include "tests/cases.h"

#include <stdlib.h>

void *reserve_memory(size_t *size)
{
	/* More than a session may have, so that its limit is met first. */
	*size = (size_t)640 << 20;
	return malloc(*size);
}

bool oracle_start(void)
{
	return false;
}

void oracle_run(const struct test *t, struct outcome *o)
{
	(void)t;
	(void)o;
}

void program_run(const struct test *t, struct outcome *o, const char *program)
{
	(void)t;
	(void)o;
	(void)program;
}
