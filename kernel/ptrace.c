/* SPDX-License-Identifier: MIT
 *
 * Programs that are traced by others: who traces whom, stops of which the tracer is told, and
 * /proc/PID/mem. What a program does when, and what can be seen of it, is the affair of its format
 * (microvm/trace.c).
 */
#include "kernel/internal.h"

enum { W_STOPPED = 0x7f, EVENT_EXEC = 4, EVENT_STOP = 128 };

struct ptrace_link *proc_ptrace(struct proc *p)
{
	return &p->priv->ptrace;
}

bool ptrace_may_see(const struct proc *by, const struct proc *p)
{
	p = proc_owner(p);
	return by->cred.uid == 0 || proc_owner(by) == p ||
	       (by->cred.uid == p->cred.uid && by->cred.uid == p->real_uid && !p->traits.hidden);
}

void ptrace_begin(struct proc *p, struct proc *tracer, bool seized, uint32_t options)
{
	tracer = proc_owner(tracer);
	p->priv->ptrace = (struct ptrace_link){
		.tracer = tracer, .next = tracer->priv->traced, .seized = seized, .options = options
	};
	tracer->priv->traced = p;
}

static void forget(struct proc *p)
{
	struct proc **link = &p->priv->ptrace.tracer->priv->traced;

	while (*link != p)
		link = &(*link)->priv->ptrace.next;
	*link = p->priv->ptrace.next;
	p->priv->ptrace.tracer = NULL;
	p->priv->ptrace.report = p->priv->ptrace.interrupt = p->priv->ptrace.listens = false;
}

void ptrace_forget(struct proc *p)
{
	if (p->priv->ptrace.tracer != NULL)
		forget(p);
}

void ptrace_go(struct proc *p)
{
	struct ptrace_link *l = &p->priv->ptrace;

	if (!l->stopped)
		return;
	l->stopped = l->report = l->listens = false;
	sched_continue(p);
}

void ptrace_end(struct proc *p)
{
	forget(p);
	p->priv->ptrace.mode = PTRACE_MODE_RUN;
	ptrace_go(p);
}

void ptrace_stop(struct proc *p, int status)
{
	struct ptrace_link *l = &p->priv->ptrace;

	l->stopped = l->report = true;
	l->listens = false;
	p->priv->status = status << 8 | W_STOPPED;
	sig_child_changed(p);
	sched_stop(p);
}

void ptrace_exec(struct proc *p)
{
	struct ptrace_link *l = &p->priv->ptrace;

	if (l->tracer == NULL || l->builtin)
		return;
	l->builtin = l->seized;
	if ((l->options & PTRACE_TELLS_EXEC) != 0)
		ptrace_stop(p, SIGTRAP_ | EVENT_EXEC << 8);
	else if (!l->seized)
		ptrace_stop(p, SIGTRAP_);
	if (l->tracer != NULL && l->mode == PTRACE_MODE_CALLS)
		ptrace_stop(p, SIGTRAP_ | ((l->options & PTRACE_MARKS_CALLS) != 0 ? 0x80 : 0));
}

void ptrace_inherit(struct proc *child, struct proc *parent)
{
	const struct ptrace_link *l = &parent->priv->ptrace;

	/* Who has not seized would have to be told before it goes on. */
	if (l->tracer == NULL || !l->seized || parent->program != NULL ||
	    (l->options & PTRACE_TELLS_FORKS) == 0)
		return;
	ptrace_begin(child, l->tracer, true, l->options);
	child->priv->ptrace.builtin = true;
}

void ptrace_continued(struct proc *p)
{
	struct ptrace_link *l = &p->priv->ptrace;

	if (!l->listens)
		return;
	l->listens = false;
	l->report = true;
	p->priv->status = (SIGTRAP_ | EVENT_STOP << 8) << 8 | W_STOPPED;
	sig_child_changed(p);
}

void ptrace_interrupt(struct proc *p)
{
	ptrace_continued(p);
	if (p->priv->ptrace.stopped)
		return;
	p->priv->ptrace.interrupt = true;
	if (p->state == PROC_BLOCKED && !p->priv->parked)
		sched_wake(p, -E_INTR);
}

void ptrace_leave(struct proc *tracer)
{
	struct proc *p;

	while ((p = tracer->priv->traced) != NULL) {
		bool kills = (p->priv->ptrace.options & PTRACE_EXIT_KILLS) != 0;

		if (p->state == PROC_ZOMBIE) {
			ptrace_reaped(p, tracer);
			continue;
		}
		forget(p);
		if (kills)
			proc_kill(p, SIGKILL_);
		else
			ptrace_go(p);
	}
}

void ptrace_reaped(struct proc *p, const struct proc *tracer)
{
	struct proc *parent = p->priv->parent;

	forget(p);
	if (parent == NULL || parent == tracer || proc_nobody_waits(p))
		proc_free(p);
	else
		sig_child_changed(p);
}

/* --- memory --- */

static int64_t move_memory(struct proc *p, struct file *f, void *bytes, size_t n, bool write)
{
	struct proc *of = proc_find(p->k, f->u.pid);
	int64_t r;

	/* Another process may have the number by now. */
	if (of == NULL || of->program == NULL || !ptrace_may_see(p, of) || n == 0)
		return 0;
	r = of->program->memory(p, of, f->pos, bytes, n, write);
	f->pos += r > 0 ? (uint64_t)r : 0;
	return r == 0 ? -E_IO : r;
}

static int64_t memory_read(struct proc *p, struct file *f, void *out, size_t n)
{
	return move_memory(p, f, out, n, false);
}

static int64_t memory_write(struct proc *p, struct file *f, const void *data, size_t n)
{
	return move_memory(p, f, (void *)(uintptr_t)data, n, true);
}

static const struct file_ops file_memory = {
	.name = "mem",
	.read = memory_read,
	.write = memory_write,
	.seekable = true,
};

int memory_open(struct proc *p, int pid, unsigned oflags, struct file **out)
{
	const struct proc *of = proc_find(p->k, pid);

	if (of == NULL || of->program == NULL || !ptrace_may_see(p, of))
		return -E_ACCES;
	*out = file_new(p->k, &file_memory, oflags);
	if (*out == NULL)
		return -E_NOMEM;
	(*out)->u.pid = pid;
	return 0;
}
