/* SPDX-License-Identifier: MIT
 *
 * Stacks of coroutines: pages of the session, with a small cache so that starting a process
 * takes warm memory.
 *
 *   memory [ canary | stack, growing down ...              | struct segment ]
 */
#include "kernel/coro_hooks.h"
#include "kernel/internal.h"

static struct segment *place(void *memory, size_t npages)
{
	size_t at = npages * PAGE_BYTES - ((sizeof(struct segment) + 63) & ~(size_t)63);
	struct segment *s = (struct segment *)(void *)((char *)memory + at);

	*s = (struct segment){ .memory = memory, .npages = npages };
	return s;
}

/* Of a stack that is kept for the next process. */
static size_t usual_pages(void)
{
	return coro_memory(coro_first(PROC_STACK_BYTES)) / PAGE_BYTES;
}

struct segment *stack_get(struct kernel *k, size_t bytes)
{
	struct segment *s = k->stack_cache;
	size_t npages = (coro_memory(bytes) + PAGE_BYTES - 1) / PAGE_BYTES;
	void *memory;

	if (npages < usual_pages())
		npages = usual_pages();
	if (npages == usual_pages() && s != NULL) {
		k->stack_cache = s->below;
		k->nstacks--;
		return s;
	}
	memory = heap_pages(&k->heap, npages);
	return memory != NULL ? place(memory, npages) : NULL;
}

void stack_put(struct kernel *k, struct segment *s)
{
	coro_forget(&s->coro);
	if (s->npages != usual_pages() || k->nstacks == STACK_CACHE_MAX) {
		heap_pages_free(&k->heap, s->memory, s->npages);
		return;
	}
	s->below = k->stack_cache;
	k->stack_cache = s;
	k->nstacks++;
}

void stack_put_all(struct kernel *k, struct segment *top)
{
	for (struct segment *s = top, *below; s != NULL; s = below) {
		below = s->below;
		stack_put(k, s);
	}
}

void stack_clear_cache(struct kernel *k)
{
	while (k->stack_cache != NULL) {
		struct segment *s = k->stack_cache;

		k->stack_cache = s->below;
		coro_forget(&s->coro); /* it may have been put here by the process that ran on it */
		heap_pages_free(&k->heap, s->memory, s->npages);
	}
	k->nstacks = 0;
}

void stack_begin(struct segment *s, void (*fn)(void *))
{
	uint64_t canary = STACK_CANARY;

	coro_init(&s->coro, s->memory, (size_t)((char *)s - (char *)s->memory), fn, s);
	memcpy(s->coro.base, &canary, sizeof canary);
}

void stack_check(const struct segment *s)
{
	uint64_t canary;

	memcpy(&canary, s->coro.base, sizeof canary);
	if (canary != STACK_CANARY)
		__builtin_trap();
}

size_t proc_stack_left(const struct proc *p)
{
	const struct segment *s = p->priv->top;
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	uintptr_t low = (uintptr_t)s->coro.base + sizeof(uint64_t) + coro_reserve;

	return here > low ? (size_t)(here - low) >> coro_frame_shift : 0;
}

static void deep_entry(void *arg)
{
	struct segment *s = arg;
	struct segment *below = s->below;

	s->result = s->fn(s->arg);
	s->p->priv->top = below;
	coro_leave(&s->coro, &below->coro);
}

int proc_deepen(struct proc *p, size_t need, int (*fn)(void *arg), void *arg)
{
	enum { SPARE = 16384 };
	struct segment *below = p->priv->top;
	struct segment *s;
	int result;

	if (proc_stack_left(p) >= need)
		return fn(arg);
	s = stack_get(p->k, (need << coro_frame_shift) + coro_reserve + SPARE);
	if (s == NULL)
		proc_limit(p, LIMIT_MEMORY);
	s->below = below;
	s->p = p;
	s->fn = fn;
	s->arg = arg;
	stack_check(below);
	stack_begin(s, deep_entry);
	p->priv->top = s;
	coro_switch(&below->coro, &s->coro);
	result = s->result;
	stack_put(p->k, s);
	return result;
}
