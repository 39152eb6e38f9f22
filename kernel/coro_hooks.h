/* SPDX-License-Identifier: MIT
 *
 * What a sanitizer must be told about switches of stacks. coro_asan.c tells it, coro_plain.c
 * does nothing; the Makefile takes one of them.
 */
#ifndef KERNEL_CORO_HOOKS_H
#define KERNEL_CORO_HOOKS_H

#include <stdbool.h>
#include <stddef.h>

#include "kernel/coro.h"

/* Right before the switch, on the old stack. for_good: `from` will not be continued. */
void coro_departing(struct coro *from, struct coro *to, bool for_good);
/* Right after it, on the new stack. */
void coro_arrived(struct coro *self);
/* Stacks are left without unwinding: what dead frames marked is clean again. */
void coro_clean(void *stack, size_t size);

/* Frames take up to 1 << coro_frame_shift times the space that code asks for. */
extern const unsigned coro_frame_shift;

#endif
