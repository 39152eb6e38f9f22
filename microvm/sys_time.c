/* SPDX-License-Identifier: MIT
 *
 * System calls on clocks, timers and waiting for time.
 */
#include "microvm/private.h"

enum {
	CLOCK_REAL = 0,
	CLOCK_MONO = 1,
	CLOCK_PROCESS = 2,
	CLOCK_THREAD = 3,
	CLOCK_REAL_COARSE = 5,
	CLOCK_BOOT = 7,
	CLOCK_TAI = 11,
	TIMER_ABSOLUTE = 1,
};

int64_t clock_now(struct task *t, int clock)
{
	if (clock == CLOCK_REAL || clock == CLOCK_REAL_COARSE || clock == CLOCK_TAI)
		return sys_now(t->p);
	if (clock == CLOCK_PROCESS || clock < 0)
		return (int64_t)(proc_owner_of(t->p)->steps * STEP_NS);
	if (clock == CLOCK_THREAD)
		return (int64_t)(t->p->steps * STEP_NS);
	return sys_uptime(t->p);
}

static bool known(int clock)
{
	return clock <= CLOCK_BOOT || clock == CLOCK_TAI;
}

int64_t call_clock_gettime(struct task *t, const uint64_t *a)
{
	int clock = (int)a[0];

	return known(clock) ? put_timespec(t, a[1], clock_now(t, clock)) : -E_INVAL;
}

int64_t call_clock_getres(struct task *t, const uint64_t *a)
{
	if (!known((int)a[0]))
		return -E_INVAL;
	return a[1] != 0 ? put_timespec(t, a[1], 1) : 0;
}

int64_t call_gettimeofday(struct task *t, const uint64_t *a)
{
	int64_t now = sys_now(t->p);
	int64_t v[2] = { now / 1000000000, now % 1000000000 / 1000 };

	return a[0] != 0 ? put_user(t, a[0], v, sizeof v) : 0;
}

int64_t call_time(struct task *t, const uint64_t *a)
{
	int64_t now = sys_now(t->p) / 1000000000;

	if (a[0] != 0 && put_user(t, a[0], &now, sizeof now) != 0)
		return -E_FAULT;
	return now;
}

static int64_t sleep_for(struct task *t, int64_t ns, uint64_t left)
{
	int64_t time = call_left(t, ns);
	int64_t until = sys_now(t->p) + time;
	int64_t r = time > 0 ? sys_sleep(t->p, time) : 0;

	if (r == -E_INTR && left != 0) {
		int64_t rest = until - sys_now(t->p);

		if (put_timespec(t, left, rest > 0 ? rest : 0) != 0)
			return -E_FAULT;
	}
	return r;
}

int64_t call_nanosleep(struct task *t, const uint64_t *a)
{
	int64_t ns;
	int r = get_timespec(t, a[0], &ns);

	return r != 0 ? r : sleep_for(t, ns, a[1]);
}

int64_t call_clock_nanosleep(struct task *t, const uint64_t *a)
{
	int64_t ns;
	int r = get_timespec(t, a[2], &ns);

	if (!known((int)a[0]) || (int)a[0] == CLOCK_THREAD)
		return -E_INVAL;
	if (r != 0)
		return r;
	if ((a[1] & TIMER_ABSOLUTE) != 0)
		return sleep_for(t, ns - clock_now(t, (int)a[0]), 0);
	return sleep_for(t, ns, a[3]);
}

/* --- interval timers --- */

static int64_t timeval_ns(const int64_t *v)
{
	if (v[0] < 0 || v[1] < 0 || v[1] > 999999)
		return -1;
	return v[0] > 1000000000 ? (int64_t)1000000000 * 1000000000
				 : v[0] * 1000000000 + v[1] * 1000;
}

static void put_timeval(int64_t *v, int64_t ns)
{
	v[0] = ns / 1000000000;
	v[1] = ns % 1000000000 / 1000;
}

/* The timer is the process's, whichever thread sets it. */
static void set_alarm(struct task *t, int64_t ns)
{
	t->group->timer_at = ns > 0 ? sys_now(t->p) + ns : 0;
	sys_alarm(t->p, ns, SIGALRM_);
}

static int64_t alarm_left(struct task *t)
{
	int64_t left = t->group->timer_at - sys_now(t->p);

	return t->group->timer_at != 0 && left > 0 ? left : 0;
}

int64_t call_alarm(struct task *t, const uint64_t *a)
{
	int64_t left = alarm_left(t);

	set_alarm(t, (int64_t)(a[0] & 0xffffffff) * 1000000000);
	t->group->timer_every = 0;
	return (left + 999999999) / 1000000000;
}

static int64_t cpu_left(struct task *t, int i)
{
	int64_t at = t->group->cpu_timer_at[i];
	int64_t left = at - clock_now(t, CLOCK_PROCESS);

	return at == 0 ? 0 : left > 0 ? left : 1000;
}

static void set_cpu_timer(struct task *t, int i, int64_t ns, int64_t every)
{
	t->group->cpu_timer_at[i] = ns > 0 ? clock_now(t, CLOCK_PROCESS) + ns : 0;
	t->group->cpu_timer_every[i] = every;
}

void time_was_used(struct task *t)
{
	static const int signals[] = { SIGVTALRM_, SIGPROF_ };

	for (int i = 0; i < 2; i++) {
		int64_t at = t->group->cpu_timer_at[i];

		if (at == 0 || clock_now(t, CLOCK_PROCESS) < at)
			continue;
		set_cpu_timer(t, i, t->group->cpu_timer_every[i], t->group->cpu_timer_every[i]);
		sys_kill(t->p, proc_owner_of(t->p)->pid, signals[i]);
	}
}

int64_t call_getitimer(struct task *t, const uint64_t *a)
{
	int64_t v[4] = { 0 };

	if (a[0] > 2)
		return -E_INVAL;
	if (a[0] == 0) {
		put_timeval(v, t->group->timer_every);
		put_timeval(v + 2, alarm_left(t));
	} else {
		put_timeval(v, t->group->cpu_timer_every[a[0] - 1]);
		put_timeval(v + 2, cpu_left(t, (int)a[0] - 1));
	}
	return put_user(t, a[1], v, sizeof v);
}

int64_t call_setitimer(struct task *t, const uint64_t *a)
{
	int64_t v[4] = { 0 };
	int64_t ns;
	int64_t r;

	if (a[0] > 2)
		return -E_INVAL;
	if (a[2] != 0) {
		r = call_getitimer(t, (const uint64_t[]){ a[0], a[2] });
		if (r != 0)
			return r;
	}
	if (a[1] != 0 && get_user(t, v, a[1], sizeof v) != 0)
		return -E_FAULT;
	ns = timeval_ns(v + 2);
	if (ns < 0 || timeval_ns(v) < 0)
		return -E_INVAL;
	if (a[0] != 0) {
		set_cpu_timer(t, (int)a[0] - 1, ns, timeval_ns(v));
		return 0;
	}
	set_alarm(t, ns);
	t->group->timer_every = timeval_ns(v);
	return 0;
}

/* SIGALRM came: an interval timer that is due starts again. */
void time_alarm_came(struct task *t)
{
	if (t->group->timer_at > sys_now(t->p))
		return;
	t->group->timer_at = 0;
	if (t->group->timer_every > 0)
		set_alarm(t, t->group->timer_every);
}

/* --- timers that send signals --- */

enum { SIGEV_SIGNAL_ = 0, SIGEV_NONE_ = 1, SIGEV_THREAD_ = 2, SIGEV_THREAD_ID_ = 4 };

struct user_sigevent {
	uint64_t value;
	int32_t signo;
	int32_t notify;
	int32_t tid;
	int32_t pad[11];
};

int64_t call_timer_create(struct task *t, const uint64_t *a)
{
	struct user_sigevent e = { .signo = SIGALRM_, .notify = SIGEV_SIGNAL_ };
	struct timer_notice n = { .own_id = a[1] == 0 };
	int clock = (int)a[0];
	int64_t id;
	int32_t number;

	if (clock < 0 || clock == CLOCK_PROCESS || clock == CLOCK_THREAD)
		return known(clock) ? -E_OPNOTSUPP : -E_INVAL;
	if (!known(clock))
		return -E_INVAL;
	if (a[1] != 0 && get_user(t, &e, a[1], sizeof e) != 0)
		return -E_FAULT;
	if (e.notify != SIGEV_NONE_ && (e.signo <= 0 || e.signo >= NSIG_))
		return -E_INVAL;
	switch (e.notify) {
	case SIGEV_NONE_: break;
	case SIGEV_THREAD_ID_: n.tid = e.tid > 0 ? e.tid : -1; /* fall through */
	case SIGEV_SIGNAL_:
	case SIGEV_THREAD_: n.sig = e.signo; break;
	default: return -E_INVAL;
	}
	n.value = e.value;
	id = sys_timer_new(t->p, clock == CLOCK_REAL || clock == CLOCK_TAI, &n);
	number = (int32_t)id;
	if (id >= 0 && put_user(t, a[2], &number, sizeof number) != 0) {
		sys_timer_delete(t->p, number);
		return -E_FAULT;
	}
	return id < 0 ? id : 0;
}

int get_timer_setting(struct task *t, uint64_t address, struct timer_setting *s)
{
	int r = get_timespec(t, address, &s->every_ns);

	return r != 0 ? r : get_timespec(t, address + 16, &s->value_ns);
}

int put_timer_setting(struct task *t, uint64_t address, const struct timer_setting *s)
{
	int r = put_timespec(t, address, s->every_ns);

	return r != 0 ? r : put_timespec(t, address + 16, s->value_ns);
}

int64_t call_timer_settime(struct task *t, const uint64_t *a)
{
	struct timer_setting s;
	struct timer_setting old;
	int64_t r = a[2] == 0 ? -E_INVAL : get_timer_setting(t, a[2], &s);

	if (r == 0)
		r = sys_timer_get(t->p, (int)a[0], &old);
	if (r == 0)
		r = sys_timer_set(t->p, (int)a[0], (a[1] & TIMER_ABSOLUTE) != 0, &s);
	return r == 0 && a[3] != 0 ? put_timer_setting(t, a[3], &old) : r;
}

int64_t call_timer_gettime(struct task *t, const uint64_t *a)
{
	struct timer_setting s;
	int64_t r = sys_timer_get(t->p, (int)a[0], &s);

	return r == 0 ? put_timer_setting(t, a[1], &s) : r;
}

int64_t call_timer_getoverrun(struct task *t, const uint64_t *a)
{
	return sys_timer_missed(t->p, (int)a[0]);
}

int64_t call_timer_delete(struct task *t, const uint64_t *a)
{
	return sys_timer_delete(t->p, (int)a[0]);
}
