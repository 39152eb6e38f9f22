/* SPDX-License-Identifier: MIT
 *
 * What the address sanitizer must be told about switches of stacks; nothing without it.
 */
#ifndef KERNEL_CORO_HOOKS_H
#define KERNEL_CORO_HOOKS_H

#include "kernel/coro.h"

#if defined(__SANITIZE_ADDRESS__)
#define CORO_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CORO_ASAN 1
#endif
#endif

#ifdef CORO_ASAN

#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>

/* Stacks are reused without unwinding: what dead frames poisoned is clean again. */
static inline void coro_clean(void *stack, size_t size)
{
	__asan_unpoison_memory_region(stack, size);
}

static inline void coro_departing(struct coro *from, struct coro *to, int for_good)
{
	to->from = from;
	__sanitizer_start_switch_fiber(for_good ? NULL : &from->fake, to->base, to->size);
}

/* Called on the new stack. The bounds of the host's stack are learnt on leaving it. */
static inline void coro_arrived(struct coro *self)
{
	const void *base;
	size_t size;

	__sanitizer_finish_switch_fiber(self->fake, &base, &size);
	self->from->base = (char *)(uintptr_t)base;
	self->from->size = size;
}

#else

static inline void coro_clean(void *stack, size_t size)
{
	(void)stack;
	(void)size;
}

static inline void coro_departing(struct coro *from, struct coro *to, int for_good)
{
	(void)for_good;
	to->from = from;
}

static inline void coro_arrived(struct coro *self)
{
	(void)self;
}

#endif
#endif
