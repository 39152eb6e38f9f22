/* SPDX-License-Identifier: MIT
 *
 * Running the guest until it calls the system, traps, or its time is up; and the timer that
 * says so.
 */
#include "microvm/kvm/kvm.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { THREAD_ID = 4 }; /* how the timer tells */

/* --- the tick --- */

static void set_timer(struct kvm_machine *m, long ns)
{
	struct itimerspec spec = { { 0, ns }, { 0, ns } };

	syscall(SYS_timer_settime, m->timer, 0, &spec, NULL);
}

/* In the signal handler: the run ends before or inside the next KVM_RUN. */
static void tick(int sig, siginfo_t *info, void *context)
{
	struct kvm_machine *m = info->si_value.sival_ptr;

	(void)sig;
	(void)context;
	if (m == NULL)
		return;
	m->run->immediate_exit = 1;
	atomic_fetch_add(&m->ticks, 1);
	if (atomic_fetch_add(&m->idle_ticks, 1) > TICKS_IDLE) {
		atomic_store(&m->ticking, false);
		set_timer(m, 0);
	}
}

int run_start_ticks(struct kvm_machine *m)
{
	struct sigaction action = { .sa_sigaction = tick, .sa_flags = SA_SIGINFO | SA_RESTART };
	struct { /* the kernel's sigevent: C libraries name its members differently */
		void *value;
		int signo;
		int notify;
		int tid;
		int pad[11];
	} event = { m, TICK_SIGNAL, THREAD_ID, (int)syscall(SYS_gettid), { 0 } };

	m->timer = -1;
	if (sigaction(TICK_SIGNAL, &action, NULL) < 0 ||
	    syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &m->timer) < 0)
		return -errno;
	return 0;
}

/* A tick that is on its way must not come after the machine is gone. */
void run_end_ticks(struct kvm_machine *m)
{
	struct timespec none = { 0, 0 };
	sigset_t set;
	sigset_t old;

	if (m->timer < 0)
		return;
	sigemptyset(&set);
	sigaddset(&set, TICK_SIGNAL);
	sigprocmask(SIG_BLOCK, &set, &old);
	syscall(SYS_timer_delete, m->timer);
	while (sigtimedwait(&set, NULL, &none) > 0)
		;
	sigprocmask(SIG_SETMASK, &old, NULL);
}

static void keep_ticking(struct kvm_machine *m)
{
	atomic_store(&m->idle_ticks, 0);
	if (!atomic_load(&m->ticking)) {
		atomic_store(&m->ticks, 0);
		atomic_store(&m->ticking, true);
		set_timer(m, TICK_NS);
	}
}

/* --- floating point state --- */

int kvm_save_context(struct kvm_machine *m)
{
	if (m->loaded == NULL)
		return 0;
	return kvm_call(m->vcpu, KVM_GET_XSAVE, &m->loaded->state) < 0 ? -errno : 0;
}

int kvm_load_context(struct kvm_machine *m, struct kvm_context *c)
{
	int err;

	if (m->loaded == c)
		return 0;
	err = kvm_save_context(m);
	if (err == 0 && kvm_call(m->vcpu, KVM_SET_XSAVE, &c->state) < 0)
		err = -errno;
	if (err == 0)
		m->loaded = c;
	return err;
}

/* --- registers --- */

static void registers_in(struct kvm_machine *m, const struct kvm_space *s,
			 const struct cowsh_vm_registers *r)
{
	struct kvm_regs *g = &m->run->s.regs.regs;
	struct kvm_sregs *sregs = &m->run->s.regs.sregs;

	*g = (struct kvm_regs){
		.rax = r->rax,
		.rbx = r->rbx,
		.rcx = r->rcx,
		.rdx = r->rdx,
		.rsi = r->rsi,
		.rdi = r->rdi,
		.rsp = r->rsp,
		.rbp = r->rbp,
		.r8 = r->r8,
		.r9 = r->r9,
		.r10 = r->r10,
		.r11 = r->r11,
		.r12 = r->r12,
		.r13 = r->r13,
		.r14 = r->r14,
		.r15 = r->r15,
		.rip = r->rip,
		.rflags = (r->rflags & 0x40dd5) | 0x202,
	};
	*sregs = m->sregs;
	sregs->cr3 = s->root;
	sregs->fs.base = r->fs_base;
	sregs->gs.base = r->gs_base;
	m->run->kvm_valid_regs = KVM_SYNC_X86_REGS | KVM_SYNC_X86_SREGS | KVM_SYNC_X86_EVENTS;
	m->run->kvm_dirty_regs = KVM_SYNC_X86_REGS | KVM_SYNC_X86_SREGS;
	/* What was under way for one program is not another's. */
	if (m->interrupted) {
		m->run->s.regs.events = (struct kvm_vcpu_events){ 0 };
		m->run->kvm_dirty_regs |= KVM_SYNC_X86_EVENTS;
		m->interrupted = false;
	}
}

static void registers_out(const struct kvm_machine *m, struct cowsh_vm_registers *r)
{
	const struct kvm_regs *g = &m->run->s.regs.regs;

	*r = (struct cowsh_vm_registers){
		.rax = g->rax,
		.rbx = g->rbx,
		.rcx = g->rcx,
		.rdx = g->rdx,
		.rsi = g->rsi,
		.rdi = g->rdi,
		.rsp = g->rsp,
		.rbp = g->rbp,
		.r8 = g->r8,
		.r9 = g->r9,
		.r10 = g->r10,
		.r11 = g->r11,
		.r12 = g->r12,
		.r13 = g->r13,
		.r14 = g->r14,
		.r15 = g->r15,
		.rip = g->rip,
		.rflags = g->rflags,
		.fs_base = m->run->s.regs.sregs.fs.base,
		.gs_base = m->run->s.regs.sregs.gs.base,
	};
}

/* Whether an interrupted guest stands in the program and not in a stub or before one. */
static bool in_program(const struct kvm_machine *m, struct cowsh_vm_registers *r)
{
	const struct kvm_vcpu_events *e = &m->run->s.regs.events;

	if (e->exception.injected != 0 || e->exception.pending != 0 || e->interrupt.injected != 0)
		return false;
	return r->rip < SYSTEM_VA || answers_undo(m, r);
}

/* KVM does not tell of a breakpoint that is under way, with which some kinds of it stand behind the
 * instruction, others at it. */
static bool may_be_breakpoint(struct kvm_machine *m, struct kvm_space *s, uint64_t rip)
{
	return table_byte(m, s, rip) == INT3 || table_byte(m, s, rip - 1) == INT3 ||
	       (table_byte(m, s, rip - 2) == INT_N && table_byte(m, s, rip - 1) == 3);
}

static bool has_error_code(unsigned vector)
{
	return vector == 8 || (vector >= 10 && vector <= 14) || vector == 17 || vector == 21;
}

/* The frame that the exception pushed on the system's stack; false if it was forged. */
static bool trap_out(const struct kvm_machine *m, unsigned vector, struct cowsh_vm_registers *r,
		     struct cowsh_vm_event *event)
{
	uint64_t stack = SYSTEM_VA + PAGE_STACK * KVM_PAGE;
	const uint64_t *frame;
	uint64_t rsp = r->rsp;

	if ((m->run->s.regs.sregs.cs.selector & 3) != 0 || rsp < stack ||
	    rsp > stack + KVM_PAGE - (has_error_code(vector) ? 48u : 40u))
		return false;
	frame = (const uint64_t *)(const void *)(m->system + PAGE_STACK * KVM_PAGE + (rsp - stack));
	event->error = has_error_code(vector) ? *frame++ : 0;
	r->rip = frame[0];
	r->rflags = frame[2];
	r->rsp = frame[3];
	event->exit = COWSH_VM_TRAP;
	event->vector = vector;
	event->address = m->run->s.regs.sregs.cr2;
	return true;
}

static void port_out(struct kvm_machine *m, struct cowsh_vm_registers *r,
		     struct cowsh_vm_event *event)
{
	unsigned port = m->run->io.port;

	registers_out(m, r);
	event->exit = COWSH_VM_BROKEN;
	if (port == PORT_SYSCALL) {
		event->exit = COWSH_VM_SYSCALL;
		r->rip = r->rcx;
		r->rflags = r->r11;
		if (!m->called && (m->run->s.regs.sregs.cs.selector & 3) != 3)
			answers_remove(m);
		m->called = true;
	} else if (port >= PORT_TRAP && port < PORT_TRAP + VECTORS) {
		trap_out(m, port - PORT_TRAP, r, event);
		/* The stub met the program's bad pointer: the host makes the call. */
		if (event->exit == COWSH_VM_TRAP && answers_undo(m, r)) {
			event->exit = COWSH_VM_SYSCALL;
			r->rip += 2;
		}
	}
}

void kvm_run_guest(void *machine, void *space, void *context, struct cowsh_vm_registers *r,
		   struct cowsh_vm_event *event)
{
	struct kvm_machine *m = machine;
	int err = kvm_load_context(m, context);
	int outside = 0;
	int doubts = 0;

	*event = (struct cowsh_vm_event){ .exit = COWSH_VM_BROKEN };
	if (err != 0)
		return;
	registers_in(m, space, r);
	answers_choose(m);
	keep_ticking(m);
	for (;;) {
		err = kvm_call(m->vcpu, KVM_RUN, NULL) < 0 ? errno : 0;
		if (err == EINTR || err == EAGAIN) {
			m->run->immediate_exit = 0;
			registers_out(m, r);
			/* In a stub, or before an exception: that takes one instruction. */
			if (!in_program(m, r) && ++outside < 100)
				continue;
			if (outside >= 100)
				return;
			/* Once more lets a breakpoint come; anything else will be here again. */
			if (may_be_breakpoint(m, space, r->rip) && ++doubts < 4)
				continue;
			m->interrupted = true;
			event->exit = COWSH_VM_INTERRUPTED;
			event->ran_ns = (int64_t)atomic_exchange(&m->ticks, 0) * TICK_NS;
			return;
		}
		if (err == 0 && m->run->exit_reason == KVM_EXIT_IO)
			port_out(m, r, event);
		return;
	}
}
