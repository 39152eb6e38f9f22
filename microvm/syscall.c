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

/* Which arguments of a call are descriptors: 1 the first, 2 the second, 4 the third. */
static const uint8_t descriptors[SYSCALLS_MAX] = {
	[0 /* read */] = 1,
	[1 /* write */] = 1,
	[5 /* fstat */] = 1,
	[8 /* lseek */] = 1,
	[16 /* ioctl */] = 1,
	[17 /* pread64 */] = 1,
	[18 /* pwrite64 */] = 1,
	[19 /* readv */] = 1,
	[20 /* writev */] = 1,
	[32 /* dup */] = 1,
	[33 /* dup2 */] = 3,
	[40 /* sendfile */] = 3,
	[42 /* connect */] = 1,
	[43 /* accept */] = 1,
	[44 /* sendto */] = 1,
	[45 /* recvfrom */] = 1,
	[46 /* sendmsg */] = 1,
	[47 /* recvmsg */] = 1,
	[48 /* shutdown */] = 1,
	[49 /* bind */] = 1,
	[50 /* listen */] = 1,
	[51 /* getsockname */] = 1,
	[52 /* getpeername */] = 1,
	[54 /* setsockopt */] = 1,
	[55 /* getsockopt */] = 1,
	[72 /* fcntl */] = 1,
	[73 /* flock */] = 1,
	[74 /* fsync */] = 1,
	[75 /* fdatasync */] = 1,
	[77 /* ftruncate */] = 1,
	[78 /* getdents */] = 1,
	[81 /* fchdir */] = 1,
	[91 /* fchmod */] = 1,
	[93 /* fchown */] = 1,
	[138 /* fstatfs */] = 1,
	[187 /* readahead */] = 1,
	[190 /* fsetxattr */] = 1,
	[193 /* fgetxattr */] = 1,
	[196 /* flistxattr */] = 1,
	[199 /* fremovexattr */] = 1,
	[217 /* getdents64 */] = 1,
	[221 /* fadvise64 */] = 1,
	[232 /* epoll_wait */] = 1,
	[233 /* epoll_ctl */] = 5,
	[254 /* inotify_add_watch */] = 1,
	[255 /* inotify_rm_watch */] = 1,
	[257 /* openat */] = 1,
	[258 /* mkdirat */] = 1,
	[259 /* mknodat */] = 1,
	[260 /* fchownat */] = 1,
	[261 /* futimesat */] = 1,
	[262 /* newfstatat */] = 1,
	[263 /* unlinkat */] = 1,
	[264 /* renameat */] = 5,
	[265 /* linkat */] = 5,
	[266 /* symlinkat */] = 2,
	[267 /* readlinkat */] = 1,
	[268 /* fchmodat */] = 1,
	[269 /* faccessat */] = 1,
	[275 /* splice */] = 5,
	[276 /* tee */] = 3,
	[277 /* sync_file_range */] = 1,
	[278 /* vmsplice */] = 1,
	[280 /* utimensat */] = 1,
	[281 /* epoll_pwait */] = 1,
	[282 /* signalfd */] = 1,
	[285 /* fallocate */] = 1,
	[286 /* timerfd_settime */] = 1,
	[287 /* timerfd_gettime */] = 1,
	[288 /* accept4 */] = 1,
	[289 /* signalfd4 */] = 1,
	[292 /* dup3 */] = 3,
	[295 /* preadv */] = 1,
	[296 /* pwritev */] = 1,
	[299 /* recvmmsg */] = 1,
	[307 /* sendmmsg */] = 1,
	[316 /* renameat2 */] = 5,
	[322 /* execveat */] = 1,
	[326 /* copy_file_range */] = 5,
	[327 /* preadv2 */] = 1,
	[328 /* pwritev2 */] = 1,
	[332 /* statx */] = 1,
	[424 /* pidfd_send_signal */] = 1,
	[439 /* faccessat2 */] = 1,
	[441 /* epoll_pwait2 */] = 1,
};

bool syscall_takes_descriptor(uint64_t number, int argument)
{
	return number < SYSCALLS_MAX && (descriptors[number] >> argument & 1) != 0;
}

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
