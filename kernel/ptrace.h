/* SPDX-License-Identifier: MIT
 *
 * Tracing of programs by others, ptrace(2): a part of kernel.h.
 */
#ifndef KERNEL_PTRACE_H
#define KERNEL_PTRACE_H

#include "kernel/kernel.h"

enum ptrace_mode { PTRACE_MODE_RUN, PTRACE_MODE_CALLS, PTRACE_MODE_STEP };
/* Of options, which are Linux's: of calls' stops; of forks, vforks and clones; of exec. */
enum {
	PTRACE_MARKS_CALLS = 1,
	PTRACE_TELLS_FORKS = 0xe,
	PTRACE_TELLS_EXEC = 1 << 4,
	PTRACE_EXIT_KILLS = 1 << 20,
};
struct ptrace_link {
	struct proc *tracer; /* a process; NULL: it is not traced */
	struct proc *next;   /* of those that it traces */
	uint32_t options;
	bool seized;
	bool stopped;
	bool report;    /* a stop, to its tracer */
	bool listens;   /* it stays stopped until it is continued by a signal */
	bool interrupt; /* it is to stop */
	bool builtin;   /* of one that was seized: it runs what its tracer can't see */
	uint8_t mode;   /* how far it goes */
};
struct ptrace_link *proc_ptrace(struct proc *p);
/* Whether `by` may trace p and see its memory: as root, or as the user that p is altogether. */
bool ptrace_may_see(const struct proc *by, const struct proc *p);
static inline bool proc_is_traced(struct proc *p)
{
	return proc_ptrace(p)->tracer != NULL;
}
void ptrace_begin(struct proc *p, struct proc *tracer, bool seized, uint32_t options);
/* Nobody traces it any more, it goes on. */
void ptrace_end(struct proc *p);
/* The running process stops, as wait(2) tells: a signal, and above it an event. */
void ptrace_stop(struct proc *p, int status);
void ptrace_go(struct proc *p);
void ptrace_interrupt(struct proc *p);
/* What a signal does to the running process that no handler is called for. */
void proc_act(struct proc *p, int sig);
bool sig_stops(int sig); /* by default; */
bool sig_ends(int sig);  /* the process */

#endif
