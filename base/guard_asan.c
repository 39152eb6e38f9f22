/* SPDX-License-Identifier: MIT
 *
 * Blocks that the address sanitizer watches.
 */
#include "base/guard.h"

#include <sanitizer/asan_interface.h>
#include <sanitizer/lsan_interface.h>
#include <stdlib.h>

/* Regions point to what is alive, and the sanitizer does not look there for leaks. */
void *guard_alloc(size_t size)
{
	void *block;

	__lsan_disable();
	block = malloc(size);
	__lsan_enable();
	return block;
}

void guard_free(void *block)
{
	free(block);
}

void guard_open(void *run, size_t bytes)
{
	__asan_unpoison_memory_region(run, bytes);
}

void guard_close(void *run, size_t bytes)
{
	__asan_poison_memory_region(run, bytes);
}
