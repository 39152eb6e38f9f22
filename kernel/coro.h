/* SPDX-License-Identifier: MIT
 *
 * Coroutines: a machine context with a stack of its own, entered by coro_switch.
 *
 * A context that is not running can be forgotten at any time: it owns nothing but the memory
 * of its stack. One file per machine: coro_x86_64.S, coro_aarch64.S (via coro.c), coro_wasm.c.
 */
#ifndef KERNEL_CORO_H
#define KERNEL_CORO_H

#include <stddef.h>
#include <stdint.h>

struct coro {
	void *sp;   /* saved while it does not run; in wasm its fiber */
	char *base; /* lowest byte of the stack; NULL for the host's own */
	size_t size;
	struct coro *from;  /* who switched here last */
	void (*fn)(void *); /* must never return: it switches away for good */
	void *arg;
	void *fake; /* the address sanitizer's */
};

/* Memory that the host's own context needs (wasm), which coro_adopt is given. */
size_t coro_adopt_bytes(void);
/* Makes c stand for the stack that the caller runs on. */
void coro_adopt(struct coro *c, void *memory);
/* Recursion leaves so many bytes of a stack (wasm: the engine's own one gets short before). */
extern const size_t coro_reserve;
/* How much of a stack a process begins with, of the `usual` bytes, and how much memory a stack of
 * so many bytes takes. */
size_t coro_first(size_t usual);
size_t coro_memory(size_t bytes);
/* Prepares c to run fn(arg) on the given stack when it is first switched to. */
void coro_init(struct coro *c, void *stack, size_t size, void (*fn)(void *), void *arg);
/* c will not be continued and its stack is used for something else. */
void coro_forget(struct coro *c);
/* Leaves `from` (the running context) and continues `to`. Returns when somebody switches back. */
void coro_switch(struct coro *from, struct coro *to);
/* The same when `from` will never be continued. */
_Noreturn void coro_leave(struct coro *from, struct coro *to);

#endif
