/* SPDX-License-Identifier: MIT
 *
 * Real programs: ELF files that run in a machine the host supplies, as processes of the same
 * kernel as everything else.
 *
 *   process (kernel/) ── task: registers, signal handlers, vector state
 *      └─ its coroutine: run the guest -> decode the system call -> sys_* -> run the guest ...
 *   space: areas (what mmap made) and pages; shared by threads, and by a vfork's child
 *   machine: cowsh_microvm.h; page tables and the processor
 *
 * A system call that blocks blocks the coroutine, so pipes, waits and sleeps between real
 * programs and builtins are the kernel's own. Everything a program passes is checked: it
 * reaches memory only through the areas of its space.
 */
#ifndef MICROVM_MICROVM_H
#define MICROVM_MICROVM_H

#include "cowsh_microvm.h"

#include "kernel/kernel.h"
#include "kernel/pack.h"

struct microvm;

/* Cheap: the machine is opened when the first program runs. */
int microvm_new(struct kernel *k, const struct cowsh_microvm *backend, struct microvm **out);
/* Whether starts of interpreters are kept for later ones; what was kept goes when it is off, as it
 * must before the kernel is freed or its files are replaced. */
void microvm_warm(struct microvm *m, bool on);
/* A fork of a session: what its parent has kept serves it too, without a copy. */
void microvm_share(struct microvm *from, struct microvm *to);
/* The programs that are alive go on in the fork, too, from where they are; their memory is shared
 * until one writes it. -E_AGAIN: one is where it can't be copied (microvm_ready). */
int microvm_copy(struct microvm *from, struct microvm *to, struct copying *w);
/* Whether a process can be copied or will never be, as far as can be told: for kernel_settle. */
bool microvm_ready(const struct proc *p);
bool microvm_programs_ready(const struct proc *p);
/* All programs of a fork that has not run, and what they have; their pages stay where they are
 * as long as it is there. 0, -E_IO (a page that was to be loaded is damaged), -E_NOMEM. */
int microvm_pack(struct microvm *m, struct packing *w, struct memory_list *pages);
/* And back, into a session without programs. memory: the inode with the pages, or 0. */
int microvm_unpack(struct microvm *m, struct unpacking *u, vfs_ino memory);
/* That inode, as long as the session may use it; 0: there is none. */
vfs_ino microvm_saved(const struct microvm *m);
bool microvm_has_programs(const struct microvm *m);
/* Before the kernel is freed: what no process holds goes. */
void microvm_clear(struct microvm *m);
/* After the kernel is freed. */
void microvm_free(struct microvm *m);
bool microvm_takes(struct bytes head);
/* Runs the program file in p; returns its exit status only if it could not be started. */
int microvm_run(struct microvm *m, struct proc *p, const char *path, int argc, char **argv,
		char **envp);

#endif
