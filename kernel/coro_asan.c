/* SPDX-License-Identifier: MIT
 *
 * What the address sanitizer must know of coroutines.
 */
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>

#include "kernel/coro_hooks.h"

/* Red zones around each variable. */
const unsigned coro_frame_shift = 2;

void coro_departing(struct coro *from, struct coro *to, bool for_good)
{
	to->from = from;
	__sanitizer_start_switch_fiber(for_good ? NULL : &from->fake, to->base, to->size);
}

/* The bounds of the host's stack are learnt on leaving it. */
void coro_arrived(struct coro *self)
{
	const void *base;
	size_t size;

	__sanitizer_finish_switch_fiber(self->fake, &base, &size);
	self->from->base = (char *)(uintptr_t)base;
	self->from->size = size;
}

void coro_clean(void *stack, size_t size)
{
	__asan_unpoison_memory_region(stack, size);
}
