/* SPDX-License-Identifier: MIT
 *
 * The end of a process: what it held is released, its parent learns of it.
 */
#include "kernel/internal.h"

/* The nearest one above it that takes orphans; NULL: none. */
static struct proc *subreaper_of(struct proc *p)
{
	for (p = p->priv->parent; p != NULL; p = p->priv->parent)
		if (p->traits.subreaper && p->state != PROC_ZOMBIE)
			return p;
	return NULL;
}

void proc_mourn(struct proc *p, int pid, uint32_t uid)
{
	struct kernel *k = p->k;

	if (p->traits.death_signal == 0)
		return;
	if (p->priv->mourned == 0) {
		p->priv->mourner_next = k->mourners;
		if (k->mourners != NULL)
			k->mourners->priv->mourner_prev = p;
		k->mourners = p;
	}
	p->priv->mourned = pid;
	p->priv->mourned_uid = uid;
}

void proc_stop_mourning(struct proc *p)
{
	struct proc_private *pp = p->priv;

	if (pp->mourned == 0)
		return;
	pp->mourned = 0;
	if (pp->mourner_prev != NULL)
		pp->mourner_prev->priv->mourner_next = pp->mourner_next;
	else
		p->k->mourners = pp->mourner_next;
	if (pp->mourner_next != NULL)
		pp->mourner_next->priv->mourner_prev = pp->mourner_prev;
	pp->mourner_next = NULL;
	pp->mourner_prev = NULL;
}

void proc_tell_deaths(struct kernel *k)
{
	struct proc *p;

	while ((p = k->mourners) != NULL) {
		const struct sig_source maker = { .pid = p->priv->mourned,
						  .uid = p->priv->mourned_uid };

		proc_stop_mourning(p);
		if (p->traits.death_signal != 0)
			sig_send_from(proc_owner(p), p->traits.death_signal, &maker);
	}
}

/* Who made this child is gone: it and its threads get the signals that they asked for, but not
 * here: they may end it, and its children so, and theirs. */
static void note_death(struct proc *child, const struct proc *maker)
{
	int pid = proc_owner(maker)->pid;

	proc_mourn(child, pid, maker->real_uid);
	for (struct proc *t = child->priv->threads; t != NULL; t = t->priv->thread_next)
		proc_mourn(t, pid, maker->real_uid);
}

/* A child whose parent is gone belongs to a subreaper, or to nobody who would wait for it. */
static void orphan(struct proc *child, const struct proc *parent, struct proc *reaper)
{
	bool ended = child->state == PROC_ZOMBIE;

	proc_unlink_child(child);
	if (reaper != NULL) {
		proc_link_child(reaper, child);
		child->priv->maker = reaper->pid;
	} else {
		child->ppid = PROC_PIDS_FIRST;
		child->priv->orphan = true;
	}
	for (struct proc *t = child->priv->threads; t != NULL; t = t->priv->thread_next)
		t->ppid = child->ppid;
	if (!ended)
		note_death(child, parent);
	else if (reaper != NULL && child->priv->ptrace.tracer == NULL)
		sig_child_changed(child);
	if (ended && proc_nobody_waits(child))
		proc_free(child);
}

static void leave_children(struct proc *p)
{
	struct proc *reaper = p->priv->child != NULL ? subreaper_of(p) : NULL;

	while (p->priv->child != NULL)
		orphan(p->priv->child, p, reaper);
}

/* What a thread made is its process's, and may have asked to be told of its end. */
static void leave_made(const struct proc *thread)
{
	struct proc *owner = thread->priv->owner;

	for (struct proc *p = owner->priv->child; p != NULL; p = p->priv->sib_next) {
		if (p->priv->maker != thread->pid)
			continue;
		p->priv->maker = owner->pid;
		if (p->state != PROC_ZOMBIE)
			note_death(p, thread);
	}
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
	if (p->priv->owner != NULL)
		leave_made(p);
	else
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
