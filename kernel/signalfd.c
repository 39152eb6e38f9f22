/* SPDX-License-Identifier: MIT
 *
 * Descriptors that stand for something of a process: signalfd(2), from which blocked signals are
 * read, and pidfd_open(2), which is readable when the process has ended.
 */
#include "base/pack.h"
#include "kernel/internal.h"

enum { SIGINFO_BYTES = 128 };

struct signalfd {
	uint64_t mask;
};

static uint64_t bit(int sig)
{
	return (uint64_t)1 << (sig - 1);
}

static uint64_t ready_of(const struct proc *p, const struct file *f)
{
	const struct signalfd *s = f->u.object;

	return (p->sig_pending | proc_owner(p)->sig_pending) & s->mask;
}

/* Takes the first signal that is ready as struct signalfd_siginfo has it. */
static void take(struct proc *p, const struct file *f, char *out)
{
	struct sig_source source;
	uint32_t head[5] = { 0 };

	head[0] = (uint32_t)proc_take_signal(p, ready_of(p, f), &source);
	head[2] = (uint32_t)source.code;
	head[3] = (uint32_t)source.pid;
	head[4] = source.uid;
	memset(out, 0, SIGINFO_BYTES);
	memcpy(out, head, sizeof head);
	memcpy(out + 40, &source.status, 4);
	memcpy(out + 44, &source.value, 4);
	memcpy(out + 48, &source.value, 8);
}

static int64_t signalfd_read(struct proc *p, struct file *f, void *out, size_t n)
{
	size_t done = 0;

	if (n < SIGINFO_BYTES)
		return -E_INVAL;
	while (ready_of(p, f) == 0) {
		int r = (f->flags & O_NONBLOCK_) != 0
				? -E_AGAIN
				: sched_block(p, &p->k->poll_waiters, TIMER_NEVER);

		if (r != 0)
			return r;
	}
	for (; ready_of(p, f) != 0 && n - done >= SIGINFO_BYTES; done += SIGINFO_BYTES)
		take(p, f, (char *)out + done);
	return (int64_t)done;
}

static unsigned signalfd_poll(struct proc *p, struct file *f)
{
	return ready_of(p, f) != 0 ? POLL_READ_ : 0;
}

static void signalfd_close(struct kernel *k, struct file *f)
{
	k->signal_watchers--;
	heap_free(&k->heap, f->u.object, sizeof(struct signalfd));
}

static int signalfd_copy(struct copying *w, const struct file *like, struct file *f)
{
	struct signalfd *s = heap_alloc(&w->to->heap, sizeof *s);

	if (s == NULL)
		return -E_NOMEM;
	*s = *(const struct signalfd *)like->u.object;
	f->u.object = s;
	w->to->signal_watchers++;
	return 0;
}

static void signalfd_pack(struct packing *w, const struct file *f)
{
	pack_u64(w->out, ((const struct signalfd *)f->u.object)->mask);
}

static int signalfd_unpack(struct unpacking *u, struct file *f)
{
	struct signalfd *s = heap_alloc(&u->k->heap, sizeof *s);

	if (s == NULL)
		return -E_NOMEM;
	s->mask = unpack_u64(u->in) & ~(bit(SIGKILL_) | bit(SIGSTOP_));
	f->u.object = s;
	u->k->signal_watchers++;
	return 0;
}

const struct file_ops file_signalfd = {
	.name = "anon_inode:[signalfd]",
	.read = signalfd_read,
	.poll = signalfd_poll,
	.stat = anonymous_stat,
	.close = signalfd_close,
	.copy = signalfd_copy,
	.pack = signalfd_pack,
	.unpack = signalfd_unpack,
};

static int64_t change_mask(struct proc *p, int fd, uint64_t mask)
{
	struct file *f = fd_file(p, fd);

	if (f == NULL || f->ops != &file_signalfd)
		return f == NULL ? -E_BADF : -E_INVAL;
	((struct signalfd *)f->u.object)->mask = mask;
	sched_wake_all(&p->k->poll_waiters);
	return fd;
}

int64_t sys_signalfd(struct proc *p, int fd, uint64_t mask, unsigned oflags)
{
	struct signalfd *s;
	struct file *f;

	proc_charge(p, 4);
	mask &= ~(bit(SIGKILL_) | bit(SIGSTOP_));
	if (fd != -1)
		return change_mask(p, fd, mask);
	s = heap_zalloc(&p->k->heap, sizeof *s);
	f = s != NULL ? file_new(p->k, &file_signalfd, O_RDWR_ | (oflags & O_NONBLOCK_)) : NULL;
	if (f == NULL) {
		heap_free(&p->k->heap, s, sizeof *s);
		return -E_NOMEM;
	}
	s->mask = mask;
	f->u.object = s;
	p->k->signal_watchers++;
	return fd_install(p, f, (oflags & O_CLOEXEC_) != 0);
}

/* --- processes --- */

struct pidfd {
	int pid;
	int64_t started_ns; /* numbers come again */
};

/* The process that is meant, also when it has ended and nobody knows; NULL: it is gone. */
static struct proc *process_of(struct kernel *k, const struct file *f)
{
	const struct pidfd *d = f->u.object;
	struct proc *p = proc_find(k, d->pid);

	return p != NULL && p->started_ns == d->started_ns ? p : NULL;
}

static int64_t pidfd_read(struct proc *p, struct file *f, void *out, size_t n)
{
	(void)p;
	(void)f;
	(void)out;
	(void)n;
	return -E_INVAL;
}

static unsigned pidfd_poll(struct proc *p, struct file *f)
{
	const struct proc *of = process_of(p->k, f);

	return of == NULL || of->state == PROC_ZOMBIE ? POLL_READ_ : 0;
}

static void pidfd_close(struct kernel *k, struct file *f)
{
	k->pid_watchers--;
	heap_free(&k->heap, f->u.object, sizeof(struct pidfd));
}

static int pidfd_copy(struct copying *w, const struct file *like, struct file *f)
{
	struct pidfd *d = heap_alloc(&w->to->heap, sizeof *d);

	if (d == NULL)
		return -E_NOMEM;
	*d = *(const struct pidfd *)like->u.object;
	f->u.object = d;
	w->to->pid_watchers++;
	return 0;
}

static void pidfd_pack(struct packing *w, const struct file *f)
{
	const struct pidfd *d = f->u.object;

	pack_u64(w->out, (uint64_t)d->pid);
	pack_u64(w->out, (uint64_t)d->started_ns);
}

static int pidfd_unpack(struct unpacking *u, struct file *f)
{
	struct pidfd *d = heap_alloc(&u->k->heap, sizeof *d);

	if (d == NULL)
		return -E_NOMEM;
	d->pid = (int)unpack_below(u->in, PID_MAX);
	d->started_ns = (int64_t)unpack_u64(u->in);
	f->u.object = d;
	u->k->pid_watchers++;
	return 0;
}

const struct file_ops file_pidfd = {
	.name = "anon_inode:[pidfd]",
	.read = pidfd_read,
	.poll = pidfd_poll,
	.stat = anonymous_stat,
	.close = pidfd_close,
	.copy = pidfd_copy,
	.pack = pidfd_pack,
	.unpack = pidfd_unpack,
};

int64_t sys_pidfd(struct proc *p, int pid, unsigned oflags)
{
	const struct proc *of = pid > 0 ? proc_find(p->k, pid) : NULL;
	struct pidfd *d;
	struct file *f;

	proc_charge(p, 4);
	if (of == NULL || of->priv->owner != NULL)
		return pid <= 0 || of != NULL ? -E_INVAL : -E_SRCH;
	d = heap_zalloc(&p->k->heap, sizeof *d);
	f = d != NULL ? file_new(p->k, &file_pidfd, O_RDWR_ | (oflags & O_NONBLOCK_)) : NULL;
	if (f == NULL) {
		heap_free(&p->k->heap, d, sizeof *d);
		return -E_NOMEM;
	}
	*d = (struct pidfd){ pid, of->started_ns };
	f->u.object = d;
	p->k->pid_watchers++;
	return fd_install(p, f, true);
}

int64_t sys_pidfd_pid(struct proc *p, int fd)
{
	const struct file *f = fd_file(p, fd);
	const struct proc *of;

	if (f == NULL || f->ops != &file_pidfd)
		return -E_BADF;
	of = process_of(p->k, f);
	return of != NULL ? of->pid : -E_SRCH;
}
