/* SPDX-License-Identifier: MIT
 *
 * Timers with a descriptor, as timerfd_create(2). Nothing ticks: how often one expired is
 * computed when somebody asks, and who waits for it sleeps until its next time.
 */
#include "base/pack.h"
#include "kernel/internal.h"

struct timerfd {
	bool real;     /* of the real clock; else of the time since the session began */
	int64_t at_ns; /* as kernel_now tells time; 0: off */
	int64_t every_ns;
	struct waitq readers;
};

static struct timerfd *timerfd_of(const struct file *f)
{
	return f->u.object;
}

static uint64_t expirations(const struct kernel *k, const struct timerfd *t)
{
	int64_t late = kernel_now(k) - t->at_ns;

	if (t->at_ns == 0 || late < 0)
		return 0;
	return t->every_ns == 0 ? 1 : 1 + (uint64_t)late / (uint64_t)t->every_ns;
}

static int64_t timerfd_read(struct proc *p, struct file *f, void *out, size_t n)
{
	struct timerfd *t = timerfd_of(f);
	uint64_t count;

	if (n < sizeof count)
		return -E_INVAL;
	while ((count = expirations(p->k, t)) == 0) {
		int64_t until = t->at_ns != 0 ? t->at_ns : (int64_t)TIMER_NEVER;
		int r = (f->flags & O_NONBLOCK_) != 0 ? -E_AGAIN
						      : sched_block(p, &t->readers, until);

		if (r != 0 && r != -E_TIMEDOUT)
			return r;
	}
	t->at_ns = t->every_ns != 0 ? t->at_ns + (int64_t)count * t->every_ns : 0;
	memcpy(out, &count, sizeof count);
	return sizeof count;
}

static unsigned timerfd_poll(struct proc *p, struct file *f)
{
	return expirations(p->k, timerfd_of(f)) != 0 ? POLL_READ_ : 0;
}

static int64_t timerfd_due(struct proc *p, struct file *f)
{
	(void)p;
	return timerfd_of(f)->at_ns;
}

static void timerfd_close(struct kernel *k, struct file *f)
{
	heap_free(&k->heap, f->u.object, sizeof(struct timerfd));
}

static int timerfd_copy(struct copying *w, const struct file *like, struct file *f)
{
	struct timerfd *t = heap_alloc(&w->to->heap, sizeof *t);

	if (t == NULL)
		return -E_NOMEM;
	*t = *timerfd_of(like);
	t->readers = (struct waitq){ NULL, NULL };
	f->u.object = t;
	return 0;
}

static void timerfd_pack(struct packing *w, const struct file *f)
{
	const struct timerfd *t = timerfd_of(f);

	pack_u64(w->out, t->real);
	pack_u64(w->out, (uint64_t)t->at_ns);
	pack_u64(w->out, (uint64_t)t->every_ns);
}

static int timerfd_unpack(struct unpacking *u, struct file *f)
{
	struct timerfd *t = heap_zalloc(&u->k->heap, sizeof *t);

	if (t == NULL)
		return -E_NOMEM;
	t->real = unpack_below(u->in, 1) != 0;
	t->at_ns = (int64_t)unpack_below(u->in, INT64_MAX);
	t->every_ns = (int64_t)unpack_below(u->in, INT64_MAX);
	f->u.object = t;
	return 0;
}

const struct file_ops file_timerfd = {
	.name = "anon_inode:[timerfd]",
	.read = timerfd_read,
	.poll = timerfd_poll,
	.due = timerfd_due,
	.stat = anonymous_stat,
	.close = timerfd_close,
	.copy = timerfd_copy,
	.pack = timerfd_pack,
	.unpack = timerfd_unpack,
};

int64_t sys_timerfd(struct proc *p, bool real, unsigned oflags)
{
	struct timerfd *t;
	struct file *f;

	proc_charge(p, 4);
	t = heap_zalloc(&p->k->heap, sizeof *t);
	f = t != NULL ? file_new(p->k, &file_timerfd, O_RDWR_ | (oflags & O_NONBLOCK_)) : NULL;
	if (f == NULL) {
		heap_free(&p->k->heap, t, sizeof *t);
		return -E_NOMEM;
	}
	t->real = real;
	f->u.object = t;
	return fd_install(p, f, (oflags & O_CLOEXEC_) != 0);
}

static int64_t get(struct proc *p, int fd, struct timerfd **out)
{
	struct file *f = fd_file(p, fd);

	if (f == NULL || f->ops != &file_timerfd)
		return f == NULL ? -E_BADF : -E_INVAL;
	*out = timerfd_of(f);
	return 0;
}

int64_t sys_timerfd_get(struct proc *p, int fd, struct timer_setting *out)
{
	struct timerfd *t;
	int64_t r = get(p, fd, &t);
	uint64_t passed;

	proc_charge(p, 1);
	if (r != 0)
		return r;
	*out = (struct timer_setting){ 0, t->every_ns };
	passed = expirations(p->k, t);
	if (t->at_ns == 0 || (passed != 0 && t->every_ns == 0))
		return 0;
	out->value_ns = t->at_ns + (int64_t)passed * t->every_ns - kernel_now(p->k);
	return 0;
}

int64_t sys_timerfd_set(struct proc *p, int fd, bool absolute, const struct timer_setting *s)
{
	struct timerfd *t;
	int64_t r = get(p, fd, &t);
	int64_t from = kernel_now(p->k);

	proc_charge(p, 1);
	if (r != 0)
		return r;
	if (s->value_ns < 0 || s->every_ns < 0)
		return -E_INVAL;
	if (absolute)
		from = t->real ? 0 : from - sys_uptime(p);
	t->every_ns = s->every_ns;
	t->at_ns = 0;
	if (s->value_ns != 0 && __builtin_add_overflow(from, s->value_ns, &t->at_ns))
		t->at_ns = INT64_MAX;
	sched_wake_all(&t->readers);
	sched_wake_all(&p->k->poll_waiters);
	return 0;
}
