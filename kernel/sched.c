/* SPDX-License-Identifier: MIT
 *
 * The scheduler: a round robin over one run queue, and the loop of kernel_run.
 *
 * A process that leaves the processor switches directly to the next one. Only when something
 * else is due (end of the budget, timers, the host's turn, nothing to run) does it switch to
 * the loop, which lives on the stack of kernel_run's caller. The order of processes does not
 * depend on how the host cuts its budgets: one that was interrupted by the end of a budget
 * continues with the rest of its slice, and timers fire only between slices.
 */
#include "kernel/internal.h"

/* --- queues --- */

static void enqueue(struct proc *p)
{
	struct kernel *k = p->k;
	struct proc_private *pp = p->priv;

	pp->run_next = NULL;
	pp->run_prev = k->run_last;
	if (k->run_last != NULL)
		k->run_last->priv->run_next = p;
	else
		k->run_first = p;
	k->run_last = p;
	pp->queued = true;
}

void sched_ready(struct proc *p)
{
	p->state = PROC_READY;
	p->priv->slice_left = p->k->slice_steps;
	enqueue(p);
}

void sched_unready(struct proc *p)
{
	struct kernel *k = p->k;
	struct proc_private *pp = p->priv;

	if (k->resume == p)
		k->resume = NULL;
	if (!pp->queued)
		return;
	if (pp->run_prev != NULL)
		pp->run_prev->priv->run_next = pp->run_next;
	else
		k->run_first = pp->run_next;
	if (pp->run_next != NULL)
		pp->run_next->priv->run_prev = pp->run_prev;
	else
		k->run_last = pp->run_prev;
	pp->queued = false;
}

static struct proc *take_ready(struct kernel *k)
{
	struct proc *p = k->resume != NULL ? k->resume : k->run_first;

	if (p != NULL)
		sched_unready(p);
	return p;
}

static void waitq_add(struct waitq *q, struct proc *p)
{
	struct proc_private *pp = p->priv;

	pp->wq = q;
	if (q == NULL)
		return;
	pp->wq_next = NULL;
	pp->wq_prev = q->last;
	if (q->last != NULL)
		q->last->priv->wq_next = p;
	else
		q->first = p;
	q->last = p;
}

static void waitq_remove(struct proc *p)
{
	struct proc_private *pp = p->priv;
	struct waitq *q = pp->wq;

	if (q == NULL)
		return;
	if (pp->wq_prev != NULL)
		pp->wq_prev->priv->wq_next = pp->wq_next;
	else
		q->first = pp->wq_next;
	if (pp->wq_next != NULL)
		pp->wq_next->priv->wq_prev = pp->wq_prev;
	else
		q->last = pp->wq_prev;
	pp->wq = NULL;
}

void sched_requeue(struct proc *p, struct waitq *q)
{
	waitq_remove(p);
	waitq_add(q, p);
}

void sched_forget(struct proc *p)
{
	sched_unready(p);
	waitq_remove(p);
	timer_clear(p->k, &p->priv->timeout);
}

void sched_wake(struct proc *p, int result)
{
	struct proc_private *pp = p->priv;

	waitq_remove(p);
	timer_clear(p->k, &pp->timeout);
	pp->wake = result;
	if (p->state == PROC_STOPPED)
		pp->under = PROC_READY;
	else
		sched_ready(p);
}

void sched_wake_all(struct waitq *q)
{
	while (q->first != NULL)
		sched_wake(q->first, 0);
}

/* --- accounting --- */

static void grant(struct kernel *k, struct proc *p)
{
	int64_t n = p->priv->slice_left;
	int64_t left = limit_steps_left(k);

	if (k->bounded && k->budget < n)
		n = k->budget;
	if (p->priv->whole && n < SLICE_STEPS)
		n = SLICE_STEPS;
	if (left < n)
		n = left;
	k->granted = n;
	k->fuel.left = n;
}

void sched_settle(struct kernel *k)
{
	int64_t used = k->granted - k->fuel.left;
	struct proc *p = k->current;

	k->granted = 0;
	k->fuel.left = 0;
	k->steps_total += (uint64_t)used;
	k->budget -= used;
	if (p != NULL) {
		p->steps += (uint64_t)used;
		p->priv->slice_left -= used;
	}
}

static bool tick_due(const struct kernel *k)
{
	return k->steps_total - k->steps_polled >= SLICE_STEPS;
}

/* Whether the loop must run before the next process does, however the host cuts its budgets. */
static bool loop_due(struct kernel *k)
{
	if (tick_due(k) || k->mourners != NULL ||
	    atomic_load_explicit(&k->cancel, memory_order_relaxed))
		return true;
	return k->timers != NULL && k->host.clock == NULL && k->timers->at_ns <= kernel_now(k);
}

/* --- switching --- */

static void enter(struct kernel *k, struct proc *p)
{
	k->current = p;
	k->ran_last = p->pid;
	p->priv->begun = true;
	p->state = PROC_RUNNING;
	grant(k, p);
}

static struct coro *choose(struct kernel *k)
{
	bool due = loop_due(k);
	bool ends = k->stop_run || (k->bounded && k->budget < 0);
	struct proc *next = due || ends ? NULL : take_ready(k);

	k->direct = !due && ends && (k->resume != NULL || k->run_first != NULL);
	if (next == NULL) {
		k->current = NULL;
		return &k->home;
	}
	enter(k, next);
	return &next->priv->top->coro;
}

/* First thing on every stack after a switch: who left for good gives up its stack. */
void sched_arrived(struct kernel *k)
{
	struct segment *s = k->doomed;

	if (s != NULL) {
		k->doomed = NULL;
		stack_put_all(k, s);
	}
}

void sched_leave(struct proc *p)
{
	struct kernel *k = p->k;
	struct segment *mine = p->priv->top;
	struct coro *to;

	stack_check(mine);
	sched_settle(k);
	to = choose(k);
	if (to == &mine->coro)
		return;
	coro_switch(&mine->coro, to);
	sched_arrived(k);
}

void sched_vanish(struct kernel *k, struct segment *last)
{
	stack_check(last);
	k->doomed = last;
	coro_leave(&last->coro, choose(k));
}

int sched_block(struct proc *p, struct waitq *q, int64_t until_ns)
{
	struct proc_private *pp = p->priv;

	if (sig_interrupts(p))
		return -E_INTR;
	waitq_add(q, p);
	if (until_ns != TIMER_NEVER) {
		pp->timeout.p = p;
		timer_set(p->k, &pp->timeout, until_ns);
	}
	p->state = PROC_BLOCKED;
	pp->waits = true;
	sched_leave(p);
	pp->waits = false;
	return pp->wake;
}

void sched_stop(struct proc *p)
{
	p->priv->under = p->state == PROC_BLOCKED ? PROC_BLOCKED : PROC_READY;
	sched_unready(p);
	p->state = PROC_STOPPED;
	if (p == p->k->current)
		sched_leave(p);
}

void sched_continue(struct proc *p)
{
	if (p->priv->under == PROC_BLOCKED)
		p->state = PROC_BLOCKED;
	else
		sched_ready(p);
}

void sched_pause(struct proc *p)
{
	struct kernel *k = p->k;

	if (p != k->current || k->ending != 0)
		return;
	sched_settle(k);
	p->state = PROC_READY;
	k->resume = p;
	k->stop_run = true;
	sched_leave(p);
}

void proc_charge_slow(struct proc *p)
{
	struct kernel *k = p->k;

	do {
		sched_settle(k);
		if (k->current == NULL || k->ending != 0)
			return; /* between runs, or while a process ends: what is left is done */
		p = k->current;
		limit_check_steps(p);
		if (p->priv->whole) {
			grant(k, p);
			continue;
		}
		if (p->priv->slice_left < 0) {
			sched_ready(p);
		} else if (k->bounded && k->budget < 0) {
			p->state = PROC_READY;
			k->resume = p;
		} else {
			grant(k, p);
			continue;
		}
		sched_leave(p);
	} while (k->fuel.left < 0);
}

void proc_set_whole(struct proc *p, bool on)
{
	p->priv->whole = on;
	p->priv->moved = 0;
	/* What it took too much is told at the next charge. */
	if (!on && p == p->k->current)
		sched_settle(p->k);
}

/* --- the host's side --- */

int64_t kernel_on_host(struct kernel *k, int64_t (*fn)(void *arg), void *arg)
{
	struct segment *mine;

	if (k->current == NULL || k->on_host)
		return fn(arg);
	mine = k->current->priv->top;
	k->host_fn = fn;
	k->host_arg = arg;
	stack_check(mine);
	coro_switch(&mine->coro, &k->home);
	sched_arrived(k);
	return k->host_result;
}

struct plain_call {
	int (*fn)(void *arg);
	void *arg;
};

static int64_t call_plain(void *arg)
{
	const struct plain_call *call = arg;

	return call->fn(call->arg);
}

/* Runs processes until one of them comes to the loop; meanwhile serves their calls. */
static void run_from(struct kernel *k, struct proc *p)
{
	enter(k, p);
	coro_switch(&k->home, &p->priv->top->coro);
	while (k->host_fn != NULL) {
		int64_t (*fn)(void *) = k->host_fn;

		sched_arrived(k);
		k->host_fn = NULL;
		k->on_host = true;
		k->host_result = fn(k->host_arg);
		k->on_host = false;
		coro_switch(&k->home, &k->current->priv->top->coro);
	}
	sched_arrived(k);
}

static bool time_is_up(const struct kernel *k)
{
	const struct kernel_host *h = &k->host;
	uint64_t max_ms = k->limit[LIMIT_TIME];

	if (h->expired != NULL && h->expired(h->user) != 0)
		return true;
	return h->clock != NULL && max_ms != 0 &&
	       (h->clock(h->user) - k->real_begin_ns) / 1000000 >= (int64_t)max_ms;
}

static void tick(struct kernel *k)
{
	k->steps_polled = k->steps_total;
	(void)console_flush(k);
	if (time_is_up(k))
		limit_kill_all(k, LIMIT_TIME);
}

static bool somebody_parked(const struct kernel *k)
{
	for (const struct proc *p = k->all_first; p != NULL; p = p->priv->all_next)
		if (p->priv->parked)
			return true;
	return false;
}

static bool host_is_awaited(const struct kernel *k)
{
	if (k->host_waiters.first != NULL)
		return true;
	for (const struct proc *p = k->poll_waiters.first; p != NULL; p = p->priv->wq_next)
		if (p->priv->polls_host)
			return true;
	return false;
}

/* Nothing can run: -1 to go on, else what kernel_run returns. */
static int idle(struct kernel *k)
{
	if (time_is_up(k)) {
		limit_kill_all(k, LIMIT_TIME);
		return -1;
	}
	if (host_is_awaited(k))
		return KERNEL_WAIT;
	if (k->no_skipping)
		return KERNEL_DONE;
	if (kernel_skip_to_timer(k))
		return -1;
	if (k->timers != NULL)
		return KERNEL_WAIT;
	if (console_flush(k) == KERNEL_PENDING)
		return KERNEL_WAIT;
	if (!somebody_parked(k))
		limit_kill_all(k, LIMIT_DEADLOCK);
	return KERNEL_DONE;
}

static enum kernel_state finish(struct kernel *k, enum kernel_state state)
{
	bool pending = console_flush(k) == KERNEL_PENDING;

	if (pending && state == KERNEL_DONE)
		return KERNEL_WAIT;
	if (state == KERNEL_DONE) {
		/* A session that waits for its next command keeps no caches. */
		console_clear(k);
		ring_clear_cache(k);
		stack_clear_cache(k);
	}
	k->stop_run = false;
	return state;
}

/* One turn of the loop: -1 to go on, else what kernel_run returns. */
static int turn(struct kernel *k)
{
	struct proc *p;

	if (k->dropped != NULL)
		fetch_settle(k);
	if (k->mourners != NULL && k->resume == NULL)
		proc_tell_deaths(k);
	if (atomic_exchange_explicit(&k->cancel, false, memory_order_relaxed))
		limit_kill_all(k, LIMIT_CANCEL);
	if (tick_due(k) && k->resume == NULL)
		tick(k);
	if (k->nlive == 0)
		return KERNEL_DONE;
	if (k->stop_run || (k->bounded && k->budget < 0))
		return KERNEL_SLICE;
	if (k->resume == NULL && !k->direct)
		timer_fire_due(k);
	k->direct = false;
	p = take_ready(k);
	if (p == NULL)
		return idle(k);
	run_from(k, p);
	return -1;
}

/* Whose processes this thread runs. A host's callback may run another session meanwhile. */
static _Thread_local struct kernel *running __attribute__((tls_model("initial-exec")));

struct proc *kernel_running(void)
{
	return running != NULL ? running->current : NULL;
}

enum kernel_state kernel_run(struct kernel *k, uint64_t steps)
{
	struct kernel *before = running;
	int state = -1;
	int64_t debt = k->bounded && k->budget < 0 ? k->budget : 0;

	/* What the host has looked at since then. */
	(void)vfs_looked(k->vfs);
	k->bounded = steps != 0;
	k->budget = steps > INT64_MAX ? INT64_MAX : (int64_t)steps + debt;
	coro_adopt(&k->home, k->home_memory);
	running = k;
	while (state < 0)
		state = turn(k);
	running = before;
	return finish(k, (enum kernel_state)state);
}

void kernel_set_slice(struct kernel *k, int64_t steps)
{
	k->slice_steps = steps;
}

void kernel_break(struct kernel *k)
{
	k->stop_run = true;
}

int proc_call_host(struct proc *p, int (*fn)(void *arg), void *arg)
{
	struct plain_call call = { fn, arg };

	return (int)kernel_on_host(p->k, call_plain, &call);
}

void kernel_cancel(struct kernel *k)
{
	atomic_store_explicit(&k->cancel, true, memory_order_relaxed);
}

void kernel_wake_host(struct kernel *k)
{
	k->console.stuck = false;
	sched_wake_all(&k->host_waiters);
	sched_wake_all(&k->poll_waiters);
}

int proc_wait_host(struct proc *p)
{
	int r;

	p->priv->waits_host = true;
	r = sched_block(p, &p->k->host_waiters, TIMER_NEVER);
	p->priv->waits_host = false;
	return r;
}
