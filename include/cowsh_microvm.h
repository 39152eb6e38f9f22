/* SPDX-License-Identifier: MIT
 *
 * What cowsh needs of a machine that runs real programs: address spaces and a processor that
 * executes in them until the program calls the system, faults, or is interrupted.
 *
 * The library knows programs, files and system calls, and never enters the operating system;
 * a host that wants real programs to run gives it a struct cowsh_microvm. cowsh_kvm(), in
 * libcowsh-kvm.a, is one for Linux with /dev/kvm on x86-64.
 *
 * All functions are called on the thread that runs the session, on a stack of the session
 * (they should need less than 32 KiB). Pages are 4 KiB, at addresses of the host's memory that
 * stay valid while they are mapped.
 */
#ifndef COWSH_MICROVM_H
#define COWSH_MICROVM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The general registers of a program, in the order of the instruction set's numbers. */
struct cowsh_vm_registers {
	uint64_t rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi;
	uint64_t r8, r9, r10, r11, r12, r13, r14, r15;
	uint64_t rip, rflags, fs_base, gs_base;
};

enum cowsh_vm_protection {
	COWSH_VM_READ = 1,
	COWSH_VM_WRITE = 2,
	COWSH_VM_EXECUTE = 4,
};

enum cowsh_vm_exit {
	COWSH_VM_SYSCALL,     /* registers as the program left them; rip is behind the call */
	COWSH_VM_TRAP,        /* a processor exception: vector, error code, address */
	COWSH_VM_INTERRUPTED, /* time for others; the registers are the program's */
	COWSH_VM_BROKEN,      /* the machine can't go on with this program */
};

struct cowsh_vm_event {
	enum cowsh_vm_exit exit;
	unsigned vector;
	uint64_t error;
	uint64_t address; /* of a page fault */
	int64_t ran_ns;   /* of COWSH_VM_INTERRUPTED: processor time since the last one */
};

/* What a program asks its system for often; see answers below. */
struct cowsh_vm_answers {
	uint32_t pid, tid, ppid, uid, gid, euid, egid;
	uint32_t pad;
	struct {
		uint64_t handler, flags, restorer, mask;
	} action[65]; /* by signal, as rt_sigaction tells it */
	uint64_t brk;
	uint64_t stack_limit[2];
};

/* What the machine may note for its system: set_tid_address and set_robust_list. Programs can
 * write it, too. */
struct cowsh_vm_notes {
	uint64_t clear_tid, robust_list;
};

struct cowsh_microvm {
	size_t size; /* of this struct */
	/* Makes a machine. On failure a negative error, and one line that says why in *why. */
	int (*open)(void *user, void **machine, const char **why);
	void (*close)(void *machine);
	/* An empty address space: addresses 0 to 2^47 are the program's. */
	int (*space_new)(void *machine, void **space);
	void (*space_free)(void *machine, void *space);
	/* Maps n pages from `address` on; pages[i] is where the host has the bytes. What was
	 * there before is replaced, and no longer seen by the program when this returns. */
	int (*map)(void *machine, void *space, uint64_t address, void *const *pages, size_t n,
		   unsigned protection);
	void (*unmap)(void *machine, void *space, uint64_t address, size_t n);
	/* Changes the protection of those pages that are mapped. */
	void (*protect)(void *machine, void *space, uint64_t address, size_t n,
			unsigned protection);
	/* Floating point and vector state of one thread: fresh, or a copy of another's. */
	int (*context_new)(void *machine, void *copy, void **context);
	void (*context_free)(void *machine, void *context);
	/* The state as XSAVE lays it out: copied to or from `area`. The size without area. */
	size_t (*context_get)(void *machine, void *context, void *area, size_t n);
	int (*context_set)(void *machine, void *context, const void *area, size_t n);
	/* Runs until something must be done. */
	void (*run)(void *machine, void *space, void *context, struct cowsh_vm_registers *r,
		    struct cowsh_vm_event *event);
	void *user;
	/* Where the answers are kept that the machine gives to the program that runs next, without
	 * ending its run, and what it has noted of that; NULL, or if it was not called since the
	 * last run: every system call ends it. The function may be missing. */
	struct cowsh_vm_answers *(*answers)(void *machine, struct cowsh_vm_notes **notes);
};

/* The machine of Linux's KVM; a static description, opened at the first use. A process that
 * will not be able to open /dev/kvm then opens it before. */
void cowsh_kvm_open(void);
const struct cowsh_microvm *cowsh_kvm(void);

#ifdef __cplusplus
}
#endif

#endif
