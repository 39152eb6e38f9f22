/* SPDX-License-Identifier: MIT
 *
 * The table of system calls, and finding a row.
 */
#include "microvm/private.h"

#define FULL(number, name, handler)          syscall_fn call_##handler;
#define PARTIAL(number, name, handler, what) syscall_fn call_##handler;
#define REFUSED(number, name, error)
#include "microvm/syscalls.h"
#undef FULL
#undef PARTIAL
#undef REFUSED

#define FULL(number, name, handler)          [number] = { #name, call_##handler, 0 },
#define PARTIAL(number, name, handler, what) [number] = { #name, call_##handler, 0 },
#define REFUSED(number, name, error)         [number] = { #name, NULL, -E_##error },
const struct syscall_row syscall_table[SYSCALLS_MAX] = {
#include "microvm/syscalls.h"
};

int64_t syscall_run(struct task *t, uint64_t number, const uint64_t a[6])
{
	const struct syscall_row *row;

	if (number >= SYSCALLS_MAX)
		return -E_NOSYS;
	row = &syscall_table[number];
	if (row->fn != NULL)
		return row->fn(t, a);
	return row->refused != 0 ? row->refused : -E_NOSYS;
}
