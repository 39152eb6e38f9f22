/* SPDX-License-Identifier: MIT
 *
 * Without a sanitizer nothing is guarded.
 */
#include "base/guard.h"

void *guard_alloc(size_t size)
{
	(void)size;
	return NULL;
}

void guard_free(void *block)
{
	(void)block;
}

void guard_open(void *run, size_t bytes)
{
	(void)run;
	(void)bytes;
}

void guard_close(void *run, size_t bytes)
{
	(void)run;
	(void)bytes;
}
