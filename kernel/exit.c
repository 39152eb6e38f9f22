/* SPDX-License-Identifier: MIT
 *
 * The end of a process: what it held is released, its parent learns of it.
 */
#include "kernel/internal.h"

/* A child whose parent is gone belongs to nobody who would wait for it. */
static void orphan(struct proc *child)
{
	proc_unlink_child(child);
	child->ppid = PROC_PIDS_FIRST;
	child->priv->orphan = true;
	if (child->state == PROC_ZOMBIE && child->priv->ptrace.tracer == NULL)
		proc_free(child);
}

static void leave_children(struct proc *p)
{
	while (p->priv->child != NULL)
		orphan(p->priv->child);
}

static void let_go(struct proc *p)
{
	struct kernel *k = p->k;

	if (p->release != NULL)
		p->release(p);
	p->release = NULL;
	p->program = NULL;
	p->task = NULL;
	p->line = NULL;
	view_end_all(p);
	path_leave_opening(p);
	if (p->priv->owner == NULL)
		fd_drop_all(p);
	timer_clear(k, &p->priv->alarm);
	ptimer_clear_all(p);
	if (p->priv->sources != NULL)
		sig_forget_sources(p);
	vfs_drop(k->vfs, p->cwd);
	arena_clear(&p->arena);
	pool_clear(&p->pool);
	args_clear(p);
	p->name = p->priv->comm;
}

bool proc_nobody_waits(const struct proc *p)
{
	const struct proc *parent = p->priv->parent;

	if (p->priv->from_host || p->priv->ptrace.tracer != NULL)
		return false;
	return parent == NULL || parent->no_zombies || parent->sig_action[SIGCHLD_] == SIG_IGNORED;
}

struct segment *proc_end(struct proc *p, int status)
{
	struct kernel *k = p->k;
	struct segment *stacks;

	if (tracing(k) && p->priv->owner == NULL)
		trace_end(p, status);
	if (p->priv->owner != NULL)
		thread_unlink(p);
	else if (p->priv->threads != NULL)
		thread_end_all(p, status);
	stacks = p->priv->top;
	p->priv->top = NULL;
	sched_forget(p);
	k->nprocs--;
	if (!p->priv->parked)
		k->nlive--;
	p->state = PROC_ZOMBIE;
	p->priv->parked = false;
	p->priv->status = status;
	k->ending++;
	let_go(p);
	ptrace_leave(p);
	k->ending--;
	leave_children(p);
	p->priv->ptrace.stopped = false;
	if (p->priv->ptrace.tracer != NULL)
		p->priv->owner = NULL;
	if (p->priv->from_host)
		k->stop_run = true;
	if (k->pid_watchers != 0)
		sched_wake_all(&k->poll_waiters);
	if (p->priv->parent != NULL || p->priv->ptrace.tracer != NULL)
		sig_child_changed(p);
	if (proc_nobody_waits(p))
		proc_free(p);
	return stacks;
}

/* Takes back a process that was made but never became ready. */
void proc_undo(struct proc *p)
{
	struct kernel *k = p->k;
	struct segment *stacks = p->priv->top;

	let_go(p);
	k->nprocs--;
	k->nlive--;
	k->processes--;
	proc_free(p);
	stack_put_all(k, stacks);
}

void proc_exit(struct proc *p, int status)
{
	struct kernel *k = p->k;

	if (p->priv->survivor)
		survivor_end(p, status);
	sched_settle(k);
	sched_vanish(k, proc_end(p, status));
}

void proc_die(struct proc *p, int sig)
{
	proc_exit(p, sig);
}

/* A signal ends a process with its threads, whichever it was sent to. */
void proc_kill(struct proc *p, int sig)
{
	struct kernel *k = p->k;
	struct proc *current = k->current;

	p = proc_owner(p);
	if (p->priv->survivor) {
		survivor_end(p, sig);
		return;
	}
	if (current == NULL || p != proc_owner(current)) {
		stack_put_all(k, proc_end(p, sig));
	} else if (k->ending != 0) {
		/* A process that it ends takes it along: that one's end must be completed. */
		k->kill_current = true;
	} else {
		proc_exit_group(current, sig);
	}
}
