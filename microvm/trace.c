/* SPDX-License-Identifier: MIT
 *
 * Where a task stops for who traces it: before and after calls, at signals, steps and events. A
 * stop is between two parts of the loop that runs the program, so that its registers are all there
 * is to it; the tracer's calls are in sys_ptrace.c.
 */
#include "microvm/private.h"

enum {
	FLAG_TRAP = 0x100,
	CALL_EXEC = 59,
	CODE_STEP = 2, /* TRAP_TRACE */
	MARK = 0x80,
};

static void stop(struct task *t, enum trace_stop kind, int status)
{
	t->trace.stop = (uint8_t)kind;
	t->trace.signal = 0;
	ptrace_stop(t->p, status);
	t->trace.stop = STOP_NONE;
}

static bool goes(const struct task *t, enum ptrace_mode mode)
{
	const struct ptrace_link *l = proc_ptrace(t->p);

	return l->tracer != NULL && l->mode == mode;
}

/* What a tracer lets the program have of a stop at a call: a signal as if it was sent. */
static void send(struct task *t)
{
	if (t->trace.signal != 0)
		sys_kill(t->p, t->p->pid, t->trace.signal);
}

static void stop_at_call(struct task *t, enum trace_stop kind)
{
	bool marked = (proc_ptrace(t->p)->options & PTRACE_MARKS_CALLS) != 0;

	stop(t, kind, SIGTRAP_ | (marked ? MARK : 0));
	send(t);
}

bool trace_entry(struct task *t)
{
	t->trace.call = (int64_t)t->call;
	if (!goes(t, PTRACE_MODE_CALLS))
		return true;
	t->trace.result = -E_NOSYS;
	stop_at_call(t, STOP_ENTRY);
	if (t->trace.call < 0) {
		t->r.rax = (uint64_t)t->trace.result;
		return false;
	}
	t->call = t->r.rax = (uint64_t)t->trace.call;
	return true;
}

static void step(struct task *t)
{
	struct signal_info info = { .signo = SIGTRAP_, .code = CODE_STEP, .address = t->r.rip };
	int sig = trace_signal(t, SIGTRAP_, &info);

	if (sig != 0)
		sys_kill(t->p, t->p->pid, sig);
}

void trace_exit(struct task *t)
{
	if (goes(t, PTRACE_MODE_CALLS))
		stop_at_call(t, STOP_EXIT);
	else if (goes(t, PTRACE_MODE_STEP))
		step(t);
}

int trace_signal(struct task *t, int sig, struct signal_info *info)
{
	if (!task_is_traced(t))
		return sig;
	t->trace.info = *info;
	stop(t, STOP_SIGNAL, sig);
	*info = t->trace.info;
	if (t->trace.signal != sig)
		*info = (struct signal_info){ .signo = t->trace.signal };
	return t->trace.signal;
}

void trace_group_stop(struct task *t, int sig)
{
	bool seized = proc_ptrace(t->p)->seized;

	stop(t, STOP_GROUP, sig | (seized ? EVENT_STOP << 8 : 0));
}

void trace_event(struct task *t, int event, uint64_t message)
{
	const struct ptrace_link *l = proc_ptrace(t->p);

	if (l->tracer == NULL || event == 0 || (l->options >> event & 1) == 0)
		return;
	t->trace.message = message;
	stop(t, STOP_EVENT, SIGTRAP_ | event << 8);
	send(t);
}

void trace_interrupt(struct task *t)
{
	struct ptrace_link *l = proc_ptrace(t->p);

	if (!l->interrupt)
		return;
	l->interrupt = false;
	stop(t, STOP_GROUP, SIGTRAP_ | EVENT_STOP << 8);
}

void trace_child(struct task *t, struct task *child, int event)
{
	const struct ptrace_link *l = proc_ptrace(t->p);

	if (l->tracer == NULL || event == 0 || (l->options >> event & 1) == 0)
		return;
	ptrace_begin(child->p, l->tracer, l->seized, l->options);
	if (l->seized)
		proc_ptrace(child->p)->interrupt = true;
	else
		child->p->sig_pending |= (uint64_t)1 << (SIGSTOP_ - 1);
}

void trace_exec(struct task *t)
{
	struct ptrace_link *l = proc_ptrace(t->p);

	if (l->tracer == NULL)
		return;
	/* Its tracer has seen no call that this could be the end of. */
	if (l->builtin) {
		l->builtin = false;
		stop(t, STOP_GROUP, SIGTRAP_ | EVENT_STOP << 8);
		return;
	}
	t->call = CALL_EXEC;
	t->trace.call = CALL_EXEC;
	if ((l->options >> EVENT_EXEC & 1) != 0)
		trace_event(t, EVENT_EXEC, (uint64_t)t->p->pid);
	else if (!l->seized)
		sys_kill(t->p, t->p->pid, SIGTRAP_);
	if (goes(t, PTRACE_MODE_CALLS))
		stop_at_call(t, STOP_EXIT);
	signal_deliver(t, true);
}

void trace_leave(struct task *t, int status)
{
	if (!t->trace.leaving)
		trace_event(t, EVENT_EXIT, (uint64_t)status);
	t->trace.leaving = true;
}

void trace_run(struct task *t)
{
	t->trace.stepping = goes(t, PTRACE_MODE_STEP);
	if (t->trace.stepping)
		t->r.rflags |= FLAG_TRAP;
}

void trace_ran(struct task *t)
{
	if (t->trace.stepping)
		t->r.rflags &= ~(uint64_t)FLAG_TRAP;
	t->trace.stepping = false;
}
