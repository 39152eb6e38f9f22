/* SPDX-License-Identifier: MIT
 *
 * The clock and the timers. Virtual time is epoch + steps * step_ps + what was slept; with a
 * clock of the host, its time counts and nothing is skipped.
 */
#include "kernel/internal.h"

enum { TIMERS_A_STEP = 16 };

uint64_t kernel_steps(const struct kernel *k)
{
	return k->steps_total + (uint64_t)(k->granted - k->fuel.left);
}

static int64_t read_clock(void *arg)
{
	const struct kernel_host *host = arg;

	return host->clock(host->user);
}

/* Asking the host may switch stacks, which leaves nothing changed. */
static struct kernel *same(const struct kernel *k)
{
	return (struct kernel *)(uintptr_t)k;
}

/* The clock stops at its end. */
static int64_t later(int64_t ns, int64_t by)
{
	int64_t sum;

	return __builtin_add_overflow(ns, by, &sum) ? INT64_MAX : sum;
}

int64_t kernel_now(const struct kernel *k)
{
	uint64_t steps = kernel_steps(k);
	uint64_t ns;

	if (k->host.clock != NULL)
		return same(k)->clock_last_ns = kernel_on_host(same(k), read_clock, &same(k)->host);
	ns = steps / 1000 * k->step_ps + steps % 1000 * k->step_ps / 1000;
	return later(later(k->epoch_ns, k->slept_ns), (int64_t)ns);
}

void timer_set(struct kernel *k, struct timer *t, int64_t at_ns)
{
	struct timer **link = &k->timers;
	struct timer *prev = NULL;
	uint64_t passed = 0;

	timer_clear(k, t);
	/* What lies behind the last moment that the clock can show would never come. */
	if (k->host.clock == NULL && at_ns > later(k->epoch_ns, INT64_MAX))
		at_ns = later(k->epoch_ns, INT64_MAX);
	while (*link != NULL && (*link)->at_ns <= at_ns) {
		prev = *link;
		link = &prev->next;
		passed++;
	}
	/* A switch here would change the list: it comes at the next charge. */
	if (k->current != NULL)
		kernel_fuel(k)->left -= (int64_t)(passed / TIMERS_A_STEP);
	t->at_ns = at_ns;
	t->prev = prev;
	t->next = *link;
	if (t->next != NULL)
		t->next->prev = t;
	*link = t;
	t->armed = true;
}

void timer_clear(struct kernel *k, struct timer *t)
{
	if (!t->armed)
		return;
	if (t->prev != NULL)
		t->prev->next = t->next;
	else
		k->timers = t->next;
	if (t->next != NULL)
		t->next->prev = t->prev;
	t->armed = false;
}

void timer_fire_due(struct kernel *k)
{
	int64_t now;

	if (k->timers == NULL)
		return;
	now = kernel_now(k);
	while (k->timers != NULL && k->timers->at_ns <= now) {
		struct timer *t = k->timers;

		timer_clear(k, t);
		if (t->ptimer != NULL)
			ptimer_expired(t->ptimer);
		else if (t->sig != 0)
			sig_send(t->p, t->sig);
		else
			sched_wake(t->p, -E_TIMEDOUT);
	}
}

int64_t kernel_next_timer(const struct kernel *k)
{
	return k->timers != NULL ? k->timers->at_ns : INT64_MAX;
}

bool kernel_skip_to_timer(struct kernel *k)
{
	int64_t now;

	if (k->timers == NULL || k->host.clock != NULL)
		return false;
	now = kernel_now(k);
	if (k->timers->at_ns > now)
		k->slept_ns += k->timers->at_ns - now;
	timer_fire_due(k);
	return true;
}

int64_t kernel_steps_ns(const struct kernel *k, uint64_t steps)
{
	return (int64_t)(steps / 1000 * k->step_ps + steps % 1000 * k->step_ps / 1000);
}

int64_t sys_now(struct proc *p)
{
	proc_charge(p, 1);
	return kernel_now(p->k);
}

int64_t sys_uptime(struct proc *p)
{
	struct kernel *k = p->k;

	proc_charge(p, 1);
	return kernel_now(k) - (k->host.clock != NULL ? k->real_start_ns : k->epoch_ns);
}

/* The moment that lies ns ahead, not beyond the end of time. */
static int64_t after(struct kernel *k, int64_t ns)
{
	int64_t now = kernel_now(k);

	return now > 0 && ns > INT64_MAX - now ? INT64_MAX : now + ns;
}

int64_t sys_sleep(struct proc *p, int64_t ns)
{
	int r;

	proc_charge(p, 1);
	if (ns <= 0)
		return 0;
	r = sched_block(p, NULL, after(p->k, ns));
	return r == -E_TIMEDOUT ? 0 : r;
}

void sys_yield(struct proc *p)
{
	proc_charge(p, 1);
	if (p->k->run_first == NULL)
		return;
	sched_ready(p);
	sched_leave(p);
}

int64_t sys_alarm(struct proc *p, int64_t ns, int sig)
{
	struct timer *t = &p->priv->alarm;

	proc_charge(p, 1);
	timer_clear(p->k, t);
	if (ns <= 0)
		return 0;
	if (sig <= 0 || sig >= SIG_COUNT)
		return -E_INVAL;
	t->p = p;
	t->sig = sig;
	timer_set(p->k, t, after(p->k, ns));
	return 0;
}

int64_t sys_pause(struct proc *p)
{
	proc_charge(p, 1);
	return sched_block(p, NULL, TIMER_NEVER);
}
