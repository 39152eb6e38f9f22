/* SPDX-License-Identifier: MIT
 *
 * Coroutines on machines where a context is a stack pointer (all but wasm).
 *
 * The assembly of each machine supplies three functions:
 *   coro_swap     pushes what a function call preserves, stores the stack pointer, loads the
 *                 other one and pops the same
 *   coro_prepare  lays out a new stack as if coro_swap had left it, to run fn(arg)
 */
#include "kernel/coro_hooks.h"

#ifndef __EMSCRIPTEN__

void coro_swap(void **save, void *load);
void *coro_prepare(void *top, void (*fn)(void *), void *arg);

static void begin(void *arg)
{
	struct coro *c = arg;

	coro_arrived(c);
	c->fn(c->arg);
	__builtin_trap();
}

size_t coro_adopt_bytes(void)
{
	return 0;
}

void coro_adopt(struct coro *c, void *memory)
{
	(void)memory;
	*c = (struct coro){ .sp = NULL };
}

const size_t coro_reserve = 0;

size_t coro_first(size_t usual)
{
	return usual;
}

size_t coro_memory(size_t bytes)
{
	return bytes;
}

void coro_init(struct coro *c, void *stack, size_t size, void (*fn)(void *), void *arg)
{
	*c = (struct coro){ .base = stack, .size = size, .fn = fn, .arg = arg };
	c->sp = coro_prepare(c->base + size, begin, c);
}

void coro_forget(struct coro *c)
{
	coro_clean(c->base, c->size);
}

void coro_switch(struct coro *from, struct coro *to)
{
	coro_departing(from, to, false);
	coro_swap(&from->sp, to->sp);
	coro_arrived(from);
}

void coro_leave(struct coro *from, struct coro *to)
{
	coro_departing(from, to, true);
	coro_swap(&from->sp, to->sp);
	__builtin_trap();
}

#endif
