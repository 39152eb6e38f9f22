/* SPDX-License-Identifier: MIT
 *
 * Limits: their table, and what happens when one is hit.
 */
#include "kernel/internal.h"

struct limit_row {
	const char *name;
	const char *option;
	uint64_t value[PROFILE_COUNT];
};

static const struct limit_row rows[LIMIT_COUNT] = {
#define LIMIT(name, option, small, normal, large, what) { #name, option, { normal, small, large } },
	LIMIT_LIST(LIMIT)
#undef LIMIT
};

const char *limit_name(enum limit l)
{
	if ((unsigned)l < LIMIT_COUNT)
		return rows[l].option;
	return l == LIMIT_DEADLOCK ? "deadlock" : "canceled";
}

uint64_t limit_value(enum limit l, enum limit_profile profile)
{
	if ((unsigned)l >= LIMIT_COUNT || (unsigned)profile >= PROFILE_COUNT)
		return 0;
	return rows[l].value[profile];
}

enum limit limit_of_name(struct bytes name)
{
	for (int l = 0; l < LIMIT_COUNT; l++)
		if (bytes_is(name, rows[l].option))
			return (enum limit)l;
	return LIMIT_COUNT;
}

uint64_t kernel_limit(const struct kernel *k, enum limit l)
{
	return (unsigned)l < LIMIT_COUNT ? k->limit[l] : 0;
}

/* A command leaves some memory for the next one, which must run even if what the shell keeps
 * has come to the limit. */
void limit_memory(struct kernel *k)
{
	size_t most = (size_t)k->limit[LIMIT_MEMORY];
	size_t held = most / 8 < HELD_BACK_BYTES ? most / 8 : HELD_BACK_BYTES;

	k->heap.limit = k->heap.used + 2 * held < most ? most - held : most;
}

void limit_apply_vfs(struct kernel *k)
{
	struct vfs_limits limits = { .bytes = k->limit[LIMIT_DISK],
				     .inodes = k->limit[LIMIT_FILES],
				     .file_bytes = k->limit[LIMIT_FILE_SIZE] };

	limit_memory(k);
	vfs_set_limits(k->vfs, &limits);
}

void kernel_set_limit(struct kernel *k, enum limit l, uint64_t value)
{
	if ((unsigned)l >= LIMIT_COUNT)
		return;
	k->limit[l] = value;
	limit_apply_vfs(k);
}

int kernel_limit_hit(const struct kernel *k)
{
	return k->limit_hit;
}

uint64_t kernel_limit_hit_value(const struct kernel *k)
{
	return k->hit_value;
}

const char *kernel_limit_hit_where(const struct kernel *k)
{
	return k->hit_where;
}

/* --- steps --- */

/* Steps of virtual processor time; the quotient is kept within 64 bits. */
static uint64_t steps_of_ms(const struct kernel *k, uint64_t ms)
{
	return ms > UINT64_MAX / 1000000000u ? UINT64_MAX : ms * 1000000000u / k->step_ps;
}

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* May be negative. What is left of the limits of a command's and the session's steps. */
int64_t limit_steps_left(const struct kernel *k)
{
	uint64_t used = k->steps_total - k->steps_begin;
	uint64_t max = INT64_MAX;
	int64_t left = INT64_MAX;

	if (k->limit[LIMIT_STEPS] != 0 && k->limit[LIMIT_STEPS] < max)
		max = k->limit[LIMIT_STEPS];
	if (k->limit[LIMIT_CPU] != 0 && steps_of_ms(k, k->limit[LIMIT_CPU]) < max)
		max = steps_of_ms(k, k->limit[LIMIT_CPU]);
	if (k->limit[LIMIT_SESSION_STEPS] != 0 && k->limit[LIMIT_SESSION_STEPS] < INT64_MAX)
		left = (int64_t)(k->limit[LIMIT_SESSION_STEPS] - k->steps_total);
	return least((int64_t)(max - used), left);
}

static bool over(uint64_t used, uint64_t max)
{
	return max != 0 && used > max;
}

/* RLIMIT_CPU of the process: a signal for every second above the soft limit. */
static void check_rlimit(struct proc *p)
{
	const uint64_t *limit = p->rlimit[RLIMIT_CPU_];
	uint64_t seconds;

	if (limit[0] == RLIMIT_NONE && limit[1] == RLIMIT_NONE)
		return;
	seconds = p->steps / 1000 * p->k->step_ps / 1000000000u;
	if (seconds >= limit[1])
		proc_die(p, SIGKILL_);
	if (seconds >= limit[0] && seconds > p->priv->cpu_signalled) {
		p->priv->cpu_signalled = seconds;
		sig_send(p, SIGXCPU_);
	}
}

void limit_check_steps(struct proc *p)
{
	struct kernel *k = p->k;
	uint64_t used = k->steps_total - k->steps_begin;

	if (over(used, k->limit[LIMIT_STEPS]))
		limit_stop(k, LIMIT_STEPS);
	if (over(k->steps_total, k->limit[LIMIT_SESSION_STEPS]))
		limit_stop(k, LIMIT_SESSION_STEPS);
	if (k->limit[LIMIT_CPU] != 0 && used > steps_of_ms(k, k->limit[LIMIT_CPU]))
		limit_stop(k, LIMIT_CPU);
	if (atomic_load_explicit(&k->cancel, memory_order_relaxed)) {
		atomic_store_explicit(&k->cancel, false, memory_order_relaxed);
		limit_stop(k, LIMIT_CANCEL);
	}
	check_rlimit(p);
}

/* --- stopping --- */

/* Said where there may be no memory. */
struct buf_line {
	char text[160];
	size_t len;
};

static void put_text(struct buf_line *line, const char *text)
{
	size_t n = strlen(text);

	if (n > sizeof line->text - line->len)
		n = sizeof line->text - line->len;
	memcpy(line->text + line->len, text, n);
	line->len += n;
}

static void put_number(struct buf_line *line, uint64_t v)
{
	char digits[24];
	size_t at = sizeof digits - 1;

	digits[at] = '\0';
	do
		digits[--at] = (char)('0' + v % 10);
	while ((v /= 10) != 0);
	put_text(line, digits + at);
}

/* "awk, line 3": the process that ran last, and the line of the nearest script. */
static void note_place(struct kernel *k)
{
	struct proc *p = k->current != NULL ? k->current : proc_find(k, k->ran_last);
	struct buf_line where = { .len = 0 };
	const struct proc *script = p;

	while (script != NULL && script->line == NULL)
		script = script->priv->parent;
	put_text(&where, p != NULL && p->state != PROC_ZOMBIE ? p->priv->comm : "");
	if (where.len != 0 && script != NULL && *script->line > 0) {
		put_text(&where, ", line ");
		put_number(&where, (uint64_t)*script->line);
	}
	if (where.len > sizeof k->hit_where - 1)
		where.len = sizeof k->hit_where - 1;
	memcpy(k->hit_where, where.text, where.len);
	k->hit_where[where.len] = '\0';
}

static void say(struct kernel *k, enum limit l)
{
	struct buf_line line = { .len = 0 };

	put_text(&line, "cowsh: stopped: ");
	if (l == LIMIT_DEADLOCK) {
		put_text(&line, "deadlock: every process waits for another");
	} else if (l == LIMIT_CANCEL) {
		put_text(&line, "canceled");
	} else {
		put_text(&line, "limit of ");
		put_text(&line, limit_name(l));
		put_text(&line, " (");
		put_number(&line, k->hit_value);
		put_text(&line, ") reached");
	}
	if (k->hit_where[0] != '\0' && l != LIMIT_DEADLOCK) {
		put_text(&line, " in ");
		put_text(&line, k->hit_where);
	}
	put_text(&line, "\n");
	console_say(k, (struct bytes){ line.text, line.len });
}

static void record(struct kernel *k, enum limit l)
{
	k->limit_hit = (int)l;
	k->hit_value = kernel_limit(k, l);
	k->stop_run = true;
	note_place(k);
	if (tracing(k))
		trace_limit(k, l);
	say(k, l);
}

static struct segment *stop_one(struct proc *p)
{
	return p->priv->survivor ? proc_set_parked(p) : proc_end(p, SIGKILL_);
}

static void stop_others(struct kernel *k)
{
	struct proc_walk walk;
	bool any;

	do {
		any = false;
		for (struct proc *p = proc_walk_first(&walk, k); p != NULL;
		     p = proc_walk_next(&walk)) {
			if (p == k->current || p->state == PROC_ZOMBIE || p->priv->parked)
				continue;
			stack_put_all(k, stop_one(p));
			any = true;
		}
	} while (any);
	k->kill_current = false; /* its turn comes anyway */
}

void limit_kill_all(struct kernel *k, enum limit l)
{
	record(k, l);
	stop_others(k);
}

void limit_stop(struct kernel *k, enum limit l)
{
	record(k, l);
	stop_others(k);
	sched_settle(k);
	sched_vanish(k, stop_one(k->current));
}

void survivor_end(struct proc *p, int status)
{
	struct kernel *k = p->k;

	if (p->priv->parked)
		return;
	k->died = status;
	k->stop_run = true;
	stop_others(k);
	if (k->current == NULL)
		return;
	sched_settle(k);
	sched_vanish(k, stop_one(k->current));
}

int kernel_died(const struct kernel *k)
{
	return k->died;
}

int kernel_guard(struct kernel *k, int (*fn)(void *arg), void *arg)
{
	jmp_buf *outer = k->guard;
	jmp_buf here;
	int r = -E_NOMEM;

	k->guard = &here;
	if (setjmp(here) == 0)
		r = fn(arg);
	k->guard = outer;
	return r;
}

int kernel_peek(struct kernel *k, int (*fn)(void *arg), void *arg)
{
	uint64_t steps = k->steps_total;
	int64_t budget = k->budget;
	int r = kernel_guard(k, fn, arg);

	k->steps_total = steps;
	k->budget = budget;
	return r;
}

/* Outside of any process: back to kernel_guard, which its caller should have used. */
static _Noreturn void fail_on_host(struct kernel *k)
{
	if (k->guard == NULL)
		__builtin_trap();
	longjmp(*k->guard, 1);
}

void proc_limit(struct proc *p, enum limit l)
{
	if (p->k->current == NULL || p->k->on_host)
		fail_on_host(p->k);
	limit_stop(p->k, l);
}

/* Who runs is not always whose memory it is: a syntax tree outlives the process that made it. */
static void no_memory(void *arg)
{
	struct kernel *k = arg;

	if (k->current == NULL || k->on_host)
		fail_on_host(k);
	limit_stop(k, LIMIT_MEMORY);
}

struct arena_fail proc_arena_fail(struct proc *p)
{
	return (struct arena_fail){ no_memory, p->k };
}

static void charge_work(void *arg, uint64_t steps)
{
	struct kernel *k = arg;

	if (k->current != NULL && !k->on_host)
		proc_charge(k->current, steps);
}

struct arena_work proc_arena_work(struct proc *p)
{
	return (struct arena_work){ charge_work, p->k };
}
