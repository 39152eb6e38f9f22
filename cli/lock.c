/* SPDX-License-Identifier: MIT
 *
 * What each process of the program may ask of the kernel: two lists, and how they are enforced.
 *
 * The runner's list is what the kernel's strict seccomp mode allows, which costs nothing at the
 * start. Where that mode does not exist, and for the broker, it is a seccomp filter.
 */
#include "cli/lock.h"
#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* CALL(name): any arguments. OPEN(flags): openat with exactly these flags, all for reading. */
#define RUNNER_CALLS(CALL, OPEN)                                                                   \
	CALL(read)                                                                                 \
	CALL(write)                                                                                \
	CALL(exit)                                                                                 \
	CALL(rt_sigreturn)

#define BROKER_CALLS(CALL, OPEN)                                                                   \
	CALL(read)                                                                                 \
	CALL(write)                                                                                \
	CALL(exit)                                                                                 \
	CALL(rt_sigreturn)                                                                         \
	CALL(pread64)                                                                              \
	CALL(sendfile)                                                                             \
	CALL(lseek)                                                                                \
	CALL(getdents64)                                                                           \
	CALL(newfstatat)                                                                           \
	CALL(readlinkat)                                                                           \
	CALL(close)                                                                                \
	OPEN(O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)                                      \
	OPEN(O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC)

#define KEEPER_CALLS(CALL, OPEN)                                                                   \
	RUNNER_CALLS(CALL, OPEN)                                                                   \
	CALL(fsync)                                                                                \
	CALL(renameat2)                                                                            \
	CALL(linkat)                                                                               \
	CALL(unlinkat)

/* Every name that is opened is new, and never a link. */
#define BROKER_APPLY_CALLS(CALL, OPEN)                                                             \
	BROKER_CALLS(CALL, OPEN)                                                                   \
	CALL(pwrite64)                                                                             \
	CALL(ftruncate)                                                                            \
	CALL(fsync)                                                                                \
	CALL(fchmod)                                                                               \
	CALL(fchown)                                                                               \
	CALL(utimensat)                                                                            \
	CALL(flistxattr)                                                                           \
	CALL(fgetxattr)                                                                            \
	CALL(fsetxattr)                                                                            \
	CALL(mkdirat)                                                                              \
	CALL(symlinkat)                                                                            \
	CALL(unlinkat)                                                                             \
	CALL(renameat2)                                                                            \
	OPEN(O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC)

/* What the machine of libcowsh-kvm.a needs; of ioctl only KVM's, of memory nothing that can be
 * executed. Everything it uses is made from the one descriptor that is open by then. */
#define MACHINE_CALLS(CALL, OPEN)                                                                  \
	RUNNER_CALLS(CALL, OPEN)                                                                   \
	CALL(exit_group)                                                                           \
	CALL(munmap)                                                                               \
	CALL(madvise)                                                                              \
	CALL(brk)                                                                                  \
	CALL(close)                                                                                \
	CALL(gettid)                                                                               \
	CALL(timer_create)                                                                         \
	CALL(timer_settime)                                                                        \
	CALL(timer_delete)                                                                         \
	CALL(rt_sigaction)                                                                         \
	CALL(rt_sigprocmask)                                                                       \
	CALL(rt_sigtimedwait)                                                                      \
	MASKED(mmap, 2, PROT_EXEC, 0)                                                              \
	MASKED(mprotect, 2, PROT_EXEC, 0)                                                          \
	MASKED(ioctl, 1, 0xff00, KVM_REQUESTS)

/* Of ioctl what reads and sets modes (TCGETS to TCSETAF) and the size; never what types for the
 * user (TIOCSTI). libedit signals its own group. */
#define EDITOR_CALLS(CALL, OPEN)                                                                   \
	RUNNER_CALLS(CALL, OPEN)                                                                   \
	CALL(exit_group)                                                                           \
	CALL(brk)                                                                                  \
	CALL(munmap)                                                                               \
	CALL(mremap)                                                                               \
	CALL(rt_sigaction)                                                                         \
	CALL(rt_sigprocmask)                                                                       \
	MASKED(mmap, 2, PROT_EXEC, 0)                                                              \
	MASKED(kill, 0, UINT32_MAX, 0)                                                             \
	MASKED(ioctl, 1, ~7u, TERMINAL_MODES)                                                      \
	MASKED(ioctl, 1, UINT32_MAX, TIOCGWINSZ)

enum { TERMINAL_MODES = 0x5400 };  /* TCGETS is the second of eight */
enum { KVM_REQUESTS = 0xae << 8 }; /* their second byte */

#if defined(__x86_64__)
#define LOCK_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define LOCK_ARCH AUDIT_ARCH_AARCH64
#else
#define LOCK_ARCH 0
#endif

/* The sanitizers' runtime makes system calls of its own. */
#if defined(__SANITIZE_ADDRESS__) || LOCK_ARCH == 0
#define LOCK_POSSIBLE 0
#else
#define LOCK_POSSIBLE 1
#endif

static bool locked;
static bool with_machine;

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define IS(value)   BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), 0, 1)
#define ANSWER(how) BPF_STMT(BPF_RET | BPF_K, (how))

#define ALLOW_CALL(name) IS(SYS_##name), ANSWER(SECCOMP_RET_ALLOW),
#define ALLOW_OPEN(flags)                                                                          \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 4), LOAD(args[2]), IS(flags),           \
		ANSWER(SECCOMP_RET_ALLOW), LOAD(nr),
/* The call with one argument, under a mask, as it is to be. */
#define MASKED(name, argument, mask, value)                                                        \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 5), LOAD(args[argument]),               \
		BPF_STMT(BPF_ALU | BPF_AND | BPF_K, (mask)), IS(value), ANSWER(SECCOMP_RET_ALLOW), \
		LOAD(nr),
#define FILTER(list) FILTER_ELSE(list, SECCOMP_RET_KILL_PROCESS)
#define FILTER_ELSE(list, how)                                                                     \
	{                                                                                          \
		LOAD(arch), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, LOCK_ARCH, 1, 0),                  \
			ANSWER(SECCOMP_RET_KILL_PROCESS), LOAD(nr),                                \
			list(ALLOW_CALL, ALLOW_OPEN) ANSWER(how)                                   \
	}

static int install(struct sock_filter *filter, size_t count)
{
	struct sock_fprog program = { (unsigned short)count, filter };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return -1;
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW,
			    &program);
}

static int install_for(enum lock which)
{
	static struct sock_filter runner[] = FILTER(RUNNER_CALLS);
	static struct sock_filter broker[] = FILTER(BROKER_CALLS);
	static struct sock_filter keeper[] = FILTER(KEEPER_CALLS);
	static struct sock_filter apply[] = FILTER(BROKER_APPLY_CALLS);
	static struct sock_filter machine[] = FILTER(MACHINE_CALLS);
	/* What libedit could do without is refused. */
	static struct sock_filter editor[] = FILTER_ELSE(EDITOR_CALLS, SECCOMP_RET_ERRNO | EPERM);

	if (which == LOCK_BROKER)
		return install(broker, sizeof broker / sizeof *broker);
	if (which == LOCK_KEEPER)
		return install(keeper, sizeof keeper / sizeof *keeper);
	if (which == LOCK_BROKER_APPLY)
		return install(apply, sizeof apply / sizeof *apply);
	if (which == LOCK_MACHINE)
		return install(machine, sizeof machine / sizeof *machine);
	if (which == LOCK_EDITOR)
		return install(editor, sizeof editor / sizeof *editor);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT, 0, 0, 0) == 0)
		return 0;
	return install(runner, sizeof runner / sizeof *runner);
}

void lock_down(enum lock which)
{
	if (!LOCK_POSSIBLE)
		return;
	if (install_for(which) != 0)
		fatal("this kernel can't lock the program (%s); --no-lockdown runs without",
		      strerror(errno));
	locked = true;
	with_machine = which == LOCK_MACHINE;
}

void lock_files(const int *roots, const bool *writable, int count)
{
	const uint64_t reading = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
	const uint64_t writing = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_MAKE_REG |
				 LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_SYM |
				 LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR;
	struct landlock_ruleset_attr every = { .handled_access_fs = (1u << 13) - 1 };
	long set = LOCK_POSSIBLE ? syscall(SYS_landlock_create_ruleset, &every,
					   sizeof every.handled_access_fs, 0)
				 : -1;

	if (set < 0)
		return;
	for (int i = 0; i < count; i++) {
		struct landlock_path_beneath_attr beneath = {
			.allowed_access = reading | (writable != NULL && writable[i] ? writing : 0),
			.parent_fd = roots[i],
		};

		syscall(SYS_landlock_add_rule, (int)set, LANDLOCK_RULE_PATH_BENEATH, &beneath, 0);
	}
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0)
		syscall(SYS_landlock_restrict_self, (int)set, 0);
	close((int)set);
}

void leave(int status)
{
	/* exit_group is not in strict mode's list; the process has one thread, unless KVM has
	 * added some of its own. */
	if (locked && !with_machine)
		syscall(SYS_exit, status & 255);
	_exit(status);
}
