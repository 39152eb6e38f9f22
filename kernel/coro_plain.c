/* SPDX-License-Identifier: MIT
 *
 * No sanitizer: nothing to tell.
 */
#include "kernel/coro_hooks.h"

const unsigned coro_frame_shift = 0;

void coro_departing(struct coro *from, struct coro *to, bool for_good)
{
	(void)from;
	(void)to;
	(void)for_good;
}

void coro_arrived(struct coro *self)
{
	(void)self;
}

void coro_clean(void *stack, size_t size)
{
	(void)stack;
	(void)size;
}
