/* SPDX-License-Identifier: MIT
 *
 * Coroutines in WebAssembly, where the machine's stack cannot be switched: Emscripten's fibers.
 *
 * A fiber's record and its Asyncify buffer, where locals go when it is left, take the lower half
 * of the memory that it was given. The only file that may name emscripten_fiber_*.
 */
#include <emscripten/fiber.h>

#include "kernel/coro.h"

enum { HOME_UNWIND_BYTES = 16 * 1024 };

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

void coro_init(struct coro *c, void *stack, size_t size, void (*fn)(void *), void *arg)
{
	struct fiber *f = stack;
	size_t half = size / 2 & ~(size_t)15;

	*c = (struct coro){
		.sp = f, .base = (char *)stack + half, .size = size - half, .fn = fn, .arg = arg
	};
	emscripten_fiber_init(&f->fiber, begin, c, c->base, c->size, f->unwind, half - sizeof *f);
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
