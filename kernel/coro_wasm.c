/* SPDX-License-Identifier: MIT
 *
 * Coroutines in WebAssembly, where the machine's stack cannot be switched: Emscripten's fibers.
 *
 * A fiber's record and its Asyncify buffer, where locals go when it is left, take the lower part of
 * the memory that it was given. The only file that may name emscripten_fiber_*.
 *
 * What alone is measured (proc_stack_left) is the stack in that memory. Functions that recurse have
 * several times as many bytes of locals, and far more on the engine's own stack before it has
 * optimized them. So less is used of a stack than on other machines; where the engine has less than
 * a megabyte, as in some workers, that is not little enough (docs/limits.md, W-1).
 */
#include <emscripten/fiber.h>

#include "kernel/coro.h"

enum { HOME_UNWIND_BYTES = 16 * 1024, PARTS = 16, STACK_PARTS = 3 };

struct fiber {
	emscripten_fiber_t fiber;
	char unwind[];
};

static void begin(void *arg)
{
	struct coro *c = arg;

	c->fn(c->arg);
	__builtin_trap();
}

size_t coro_adopt_bytes(void)
{
	return sizeof(struct fiber) + HOME_UNWIND_BYTES;
}

void coro_adopt(struct coro *c, void *memory)
{
	struct fiber *f = memory;

	*c = (struct coro){ .sp = f };
	emscripten_fiber_init_from_current_context(&f->fiber, f->unwind, HOME_UNWIND_BYTES);
}

const size_t coro_reserve = 8192;

size_t coro_first(size_t usual)
{
	return usual / 2;
}

size_t coro_memory(size_t bytes)
{
	return (bytes + STACK_PARTS - 1) / STACK_PARTS * PARTS;
}

void coro_init(struct coro *c, void *stack, size_t size, void (*fn)(void *), void *arg)
{
	struct fiber *f = stack;
	size_t unwind = size / PARTS * (PARTS - STACK_PARTS) & ~(size_t)15;

	*c = (struct coro){
		.sp = f, .base = (char *)stack + unwind, .size = size - unwind, .fn = fn, .arg = arg
	};
	emscripten_fiber_init(&f->fiber, begin, c, c->base, c->size, f->unwind, unwind - sizeof *f);
}

void coro_forget(struct coro *c)
{
	(void)c;
}

void coro_switch(struct coro *from, struct coro *to)
{
	struct fiber *a = from->sp;
	struct fiber *b = to->sp;

	emscripten_fiber_swap(&a->fiber, &b->fiber);
}

void coro_leave(struct coro *from, struct coro *to)
{
	coro_switch(from, to);
	__builtin_trap();
}
