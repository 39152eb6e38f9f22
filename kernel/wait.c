/* SPDX-License-Identifier: MIT
 *
 * Waiting for children; process groups and sessions.
 */
#include "kernel/internal.h"

enum { CHILDREN_A_STEP = 16 };

static bool meant(const struct proc *p, const struct proc *child, int pid)
{
	if (pid > 0)
		return child->pid == pid;
	if (pid == -1)
		return true;
	return child->pgid == (pid == 0 ? p->pgid : -pid);
}

/* To its tracer, and nobody else. */
static bool has_traced_news(const struct proc *p, int options)
{
	return (p->state == PROC_ZOMBIE && (options & WALIVE_) == 0) || p->priv->ptrace.report;
}

static bool has_news(const struct proc *child, int options)
{
	const struct proc_private *pp = child->priv;

	return (child->state == PROC_ZOMBIE && (options & WALIVE_) == 0) ||
	       ((options & WUNTRACED_) != 0 && pp->report_stop) ||
	       ((options & WCONTINUED_) != 0 && pp->report_cont);
}

/* Tells the news once; an ended child is gone then. */
static int64_t take(struct proc *p, struct proc *child, int options, int *status)
{
	struct proc_private *pp = child->priv;
	int pid = child->pid;

	bool traced = pp->ptrace.tracer == p;
	bool stopped = traced || ((options & WUNTRACED_) != 0 && pp->report_stop);

	*status = pp->status;
	if (child->state != PROC_ZOMBIE && !stopped)
		*status = 0xffff;
	if ((options & WKEEP_) != 0)
		return pid;
	if (child->state == PROC_ZOMBIE) {
		if (pp->parent == p)
			p->child_steps += child->steps + child->child_steps;
		if (traced)
			ptrace_reaped(child, p);
		else
			proc_free(child);
	} else if (traced) {
		pp->ptrace.report = false;
	} else if (stopped) {
		pp->report_stop = false;
	} else {
		pp->report_cont = false;
	}
	return pid;
}

/* The oldest child or traced process with news; 0 if none has any, -E_CHILD if there is no such
 * child. */
static int64_t look(struct proc *p, int pid, int *status, int options)
{
	struct proc *found = NULL;
	uint64_t looked = 0;
	bool any = false;

	p = proc_owner(p);
	for (struct proc *c = p->priv->child; c != NULL; c = c->priv->sib_next) {
		looked++;
		if (!meant(p, c, pid))
			continue;
		any = true;
		if (c->priv->ptrace.tracer == NULL && has_news(c, options))
			found = c;
	}
	for (struct proc *c = p->priv->traced; c != NULL; c = c->priv->ptrace.next) {
		looked++;
		if (!meant(p, c, pid))
			continue;
		any = true;
		if (has_traced_news(c, options))
			found = c;
	}
	/* A switch here would change the children: it comes at the next charge. */
	kernel_fuel(p->k)->left -= (int64_t)(looked / CHILDREN_A_STEP);
	if (found != NULL)
		return take(p, found, options, status);
	return any ? 0 : -E_CHILD;
}

int64_t sys_wait(struct proc *p, int pid, int *status, int options)
{
	int told = 0;
	int interrupted = 0;
	int64_t r;

	proc_charge(p, 5);
	for (;;) {
		r = look(p, pid, &told, options);
		if (r == 0 && (options & WNOHANG_) == 0 && interrupted == 0) {
			p->priv->waits_child = true;
			interrupted = sched_block(p, NULL, TIMER_NEVER);
			p->priv->waits_child = false;
			continue;
		}
		break;
	}
	if (r == 0)
		return interrupted;
	if (r > 0 && status != NULL)
		*status = told;
	return r;
}

/* --- groups --- */

int64_t sys_setpgid(struct proc *p, int pid, int pgid)
{
	struct proc *t;

	proc_charge(p, 2);
	t = pid == 0 ? p : proc_find(p->k, pid);
	if (pgid < 0)
		return -E_INVAL;
	if (t == NULL || (t != p && t->priv->parent != proc_owner(p)))
		return -E_SRCH;
	if (t->sid != p->sid || t->sid == t->pid)
		return -E_PERM;
	t->pgid = pgid == 0 ? t->pid : pgid;
	return 0;
}

int64_t sys_setsid(struct proc *p)
{
	proc_charge(p, 2);
	if (p->pgid == p->pid)
		return -E_PERM;
	p->sid = p->pid;
	p->pgid = p->pid;
	return p->sid;
}
