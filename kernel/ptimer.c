/* SPDX-License-Identifier: MIT
 *
 * A process's timers that send signals, as timer_create(2). One that expired is set again when its
 * signal is taken, and counts then what it has missed; so nothing ticks for a signal that is
 * blocked. As at most one signal of a number is pending, others that expire with it wait until
 * that one is taken. Left out: a timer whose signal is ignored stays expired.
 */
#include "base/pack.h"
#include "kernel/internal.h"

enum { PTIMERS_MAX = 1024 };

struct ptimer {
	struct ptimer *next;
	struct timer timer; /* its p: the process */
	int id;
	bool real;
	bool sent;       /* its signal is pending, or was ignored */
	bool waiting;    /* expired, but a signal of the number was pending */
	uint32_t missed; /* at the last signal */
	int64_t at_ns;   /* as kernel_now tells time; 0: off */
	int64_t every_ns;
	struct timer_notice notice;
};

/* How often it should have expired by now, but has not told of. */
static uint64_t expirations(const struct kernel *k, const struct ptimer *t)
{
	int64_t late = kernel_now(k) - t->at_ns;

	if (t->at_ns == 0 || late < 0)
		return 0;
	return t->every_ns == 0 ? 1 : 1 + (uint64_t)late / (uint64_t)t->every_ns;
}

static void arm(struct kernel *k, struct ptimer *t)
{
	timer_clear(k, &t->timer);
	if (t->at_ns != 0 && t->notice.sig != 0)
		timer_set(k, &t->timer, t->at_ns);
}

static struct proc *receiver(const struct ptimer *t)
{
	struct proc *p = t->notice.tid != 0 ? proc_find(t->timer.p->k, t->notice.tid) : NULL;

	return p != NULL && proc_owner(p) == t->timer.p ? p : t->timer.p;
}

static void send(struct ptimer *t)
{
	const struct sig_source source = { .code = SIG_BY_TIMER,
					   .pid = t->id,
					   .value = t->notice.value };

	t->waiting = false;
	t->sent = true;
	sig_send_from(receiver(t), t->notice.sig, &source);
}

void ptimer_expired(struct ptimer *t)
{
	struct proc *p = receiver(t);

	if ((p->sig_pending & (uint64_t)1 << (t->notice.sig - 1)) != 0)
		t->waiting = true;
	else
		send(t); /* may end the process, and the timer with it */
}

uint32_t ptimer_taken(struct proc *p, int sig, int id)
{
	struct kernel *k = p->k;
	struct ptimer *list = proc_owner(p)->priv->ptimers;
	uint32_t missed = 0;
	uint64_t n;

	for (struct ptimer *t = list; t != NULL; t = t->next) {
		if (t->id != id || !t->sent)
			continue;
		n = expirations(k, t);
		t->sent = false;
		missed = t->missed = n > INT32_MAX ? INT32_MAX : n > 1 ? (uint32_t)n - 1 : 0;
		t->at_ns = t->every_ns != 0 ? t->at_ns + (int64_t)n * t->every_ns : 0;
		arm(k, t);
	}
	for (struct ptimer *t = list; t != NULL; t = t->next) {
		if (t->waiting && t->notice.sig == sig) {
			send(t);
			break;
		}
	}
	return missed;
}

void ptimer_clear_all(struct proc *p)
{
	while (p->priv->ptimers != NULL) {
		struct ptimer *t = p->priv->ptimers;

		p->priv->ptimers = t->next;
		timer_clear(p->k, &t->timer);
		heap_free(&p->k->heap, t, sizeof *t);
	}
}

int ptimer_copy_all(struct proc *p, const struct proc *like)
{
	struct ptimer **link = &p->priv->ptimers;

	for (const struct ptimer *from = like->priv->ptimers; from != NULL; from = from->next) {
		struct ptimer *t = heap_alloc(&p->k->heap, sizeof *t);

		if (t == NULL)
			return -E_NOMEM;
		*t = *from;
		t->next = NULL;
		t->timer = (struct timer){ .p = p, .ptimer = t };
		*link = t;
		link = &t->next;
	}
	return 0;
}

void ptimer_pack_all(struct packing *w, const struct proc *p)
{
	for (const struct ptimer *t = p->priv->ptimers; t != NULL; t = t->next) {
		pack_u64(w->out, 1);
		pack_u64(w->out, (uint64_t)t->id);
		pack_u64(w->out, t->real);
		pack_u64(w->out, t->sent);
		pack_u64(w->out, t->waiting);
		pack_u64(w->out, t->missed);
		pack_u64(w->out, (uint64_t)t->at_ns);
		pack_u64(w->out, (uint64_t)t->every_ns);
		pack_u64(w->out, (uint64_t)t->notice.sig);
		pack_u64(w->out, (uint64_t)t->notice.tid);
		pack_u64(w->out, t->notice.value);
		pack_u64(w->out, t->notice.own_id);
	}
	pack_u64(w->out, 0);
}

int ptimer_unpack_all(struct unpacking *u, struct proc *p)
{
	struct ptimer **link = &p->priv->ptimers;
	int n = 0;

	for (; unpack_below(u->in, 1) != 0; n++) {
		struct ptimer *t;

		if (n == PTIMERS_MAX)
			return -E_IO;
		t = heap_zalloc(&p->k->heap, sizeof *t);
		if (t == NULL)
			return -E_NOMEM;
		t->timer = (struct timer){ .p = p, .ptimer = t };
		*link = t;
		link = &t->next;
		t->id = (int)unpack_below(u->in, PTIMERS_MAX - 1);
		t->real = unpack_below(u->in, 1) != 0;
		t->sent = unpack_below(u->in, 1) != 0;
		t->waiting = unpack_below(u->in, 1) != 0;
		t->missed = (uint32_t)unpack_below(u->in, UINT32_MAX);
		t->at_ns = (int64_t)unpack_below(u->in, INT64_MAX);
		t->every_ns = (int64_t)unpack_below(u->in, INT64_MAX);
		t->notice.sig = (int)unpack_below(u->in, SIG_COUNT - 1);
		t->notice.tid = (int)unpack_below(u->in, PID_MAX);
		t->notice.value = unpack_u64(u->in);
		t->notice.own_id = unpack_below(u->in, 1) != 0;
	}
	return u->in->bad ? -E_IO : 0;
}

void ptimer_arm_all(struct proc *p)
{
	for (struct ptimer *t = p->priv->ptimers; t != NULL; t = t->next)
		if (!t->sent && !t->waiting)
			arm(p->k, t);
}

/* --- the calls --- */

static struct ptimer **find(struct proc *p, int id)
{
	struct ptimer **link = &proc_owner(p)->priv->ptimers;

	while (*link != NULL && (*link)->id != id)
		link = &(*link)->next;
	return link;
}

int64_t sys_timer_new(struct proc *p, bool real, const struct timer_notice *notice)
{
	struct proc *owner = proc_owner(p);
	struct ptimer *t;
	const struct proc *to;
	int id = 0;

	proc_charge(p, 4);
	if (notice->sig < 0 || notice->sig >= SIG_COUNT)
		return -E_INVAL;
	to = notice->tid != 0 ? proc_find(p->k, notice->tid) : p;
	if (to == NULL || proc_owner(to) != owner)
		return -E_INVAL;
	while (id < PTIMERS_MAX && *find(p, id) != NULL)
		id++;
	if (id == PTIMERS_MAX)
		return -E_AGAIN;
	t = heap_zalloc(&p->k->heap, sizeof *t);
	if (t == NULL)
		return -E_AGAIN;
	t->timer.p = owner;
	t->timer.ptimer = t;
	t->id = id;
	t->real = real;
	t->notice = *notice;
	if (t->notice.own_id)
		t->notice.value = (uint64_t)id;
	t->next = owner->priv->ptimers;
	owner->priv->ptimers = t;
	return id;
}

int64_t sys_timer_get(struct proc *p, int id, struct timer_setting *out)
{
	const struct ptimer *t = *find(p, id);
	uint64_t passed;

	proc_charge(p, 2);
	if (t == NULL)
		return -E_INVAL;
	*out = (struct timer_setting){ 0, t->every_ns };
	passed = expirations(p->k, t);
	if (t->at_ns == 0 || (passed != 0 && t->every_ns == 0))
		return 0;
	out->value_ns = t->at_ns + (int64_t)passed * t->every_ns - kernel_now(p->k);
	return 0;
}

int64_t sys_timer_set(struct proc *p, int id, bool absolute, const struct timer_setting *s)
{
	struct ptimer *t = *find(p, id);
	int64_t from = kernel_now(p->k);

	proc_charge(p, 2);
	if (t == NULL || s->value_ns < 0 || s->every_ns < 0)
		return -E_INVAL;
	if (absolute)
		from = t->real ? 0 : from - sys_uptime(p);
	t->every_ns = s->every_ns;
	t->at_ns = 0;
	t->sent = t->waiting = false;
	t->missed = 0;
	if (s->value_ns != 0 && __builtin_add_overflow(from, s->value_ns, &t->at_ns))
		t->at_ns = INT64_MAX;
	arm(p->k, t);
	return 0;
}

int64_t sys_timer_missed(struct proc *p, int id)
{
	const struct ptimer *t = *find(p, id);

	proc_charge(p, 1);
	return t != NULL ? (int64_t)t->missed : -E_INVAL;
}

int64_t sys_timer_delete(struct proc *p, int id)
{
	struct ptimer **link = find(p, id);
	struct ptimer *t = *link;

	proc_charge(p, 2);
	if (t == NULL)
		return -E_INVAL;
	*link = t->next;
	timer_clear(p->k, &t->timer);
	heap_free(&p->k->heap, t, sizeof *t);
	return 0;
}
