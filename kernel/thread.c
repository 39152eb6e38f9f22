/* SPDX-License-Identifier: MIT
 *
 * Threads: processes that belong to another one, their owner, and use its descriptors, working
 * directory, umask and children. They have a number of their own, but nobody waits for them,
 * and what ends one by a signal ends all.
 */
#include "kernel/internal.h"

void thread_link(struct proc *owner, struct proc *t)
{
	t->priv->owner = owner;
	t->priv->thread_next = owner->priv->threads;
	owner->priv->threads = t;
}

void thread_unlink(struct proc *t)
{
	struct proc **link = &t->priv->owner->priv->threads;

	while (*link != t)
		link = &(*link)->priv->thread_next;
	*link = t->priv->thread_next;
}

int64_t sys_spawn_thread(struct proc *p, const struct spawn *s, struct proc **out)
{
	struct proc *owner = proc_owner(p);
	struct proc *t;
	int r;

	proc_charge(p, 20);
	r = proc_new(p->k, p, &t);
	if (r != 0)
		return r;
	proc_unlink_child(t);
	r = proc_set_stack(t, s->fn, s->arg);
	if (r != 0) {
		proc_undo(t);
		return r;
	}
	t->ppid = owner->ppid;
	if (s->name != NULL)
		proc_set_name(t, s->name);
	thread_link(owner, t);
	sched_ready(t);
	*out = t;
	return t->pid;
}

struct proc *proc_owner_of(struct proc *p)
{
	return proc_owner(p);
}

bool proc_has_threads(const struct proc *p)
{
	return proc_owner((struct proc *)(uintptr_t)p)->priv->threads != NULL;
}

/* Ends all threads but the running one; the owner's own end is not its affair. */
void proc_end_threads(struct proc *owner, int status)
{
	struct kernel *k = owner->k;
	struct proc *t = owner->priv->threads;

	while (t != NULL) {
		struct proc *next = t->priv->thread_next;

		if (t != k->current)
			stack_put_all(k, proc_end(t, status));
		t = next;
	}
}

void thread_end_all(struct proc *owner, int status)
{
	proc_end_threads(owner, status);
	for (struct proc *t = owner->priv->threads; t != NULL; t = t->priv->thread_next)
		t->priv->owner = NULL;
	owner->priv->threads = NULL;
}

void proc_exit_group(struct proc *p, int status)
{
	struct proc *owner = proc_owner(p);

	proc_end_threads(owner, status);
	if (owner != p)
		stack_put_all(p->k, proc_end(owner, status));
	proc_exit(p, status);
}

/* The thread of a process that a signal sent to the process is for. */
struct proc *thread_for_signal(struct proc *p, int sig)
{
	uint64_t bit = (uint64_t)1 << (sig - 1);

	if (p->priv->owner != NULL || (p->sig_blocked & bit) == 0)
		return p;
	for (struct proc *t = p->priv->threads; t != NULL; t = t->priv->thread_next)
		if ((t->sig_blocked & bit) == 0)
			return t;
	return p;
}
