/* SPDX-License-Identifier: MIT
 *
 * Event counters, as eventfd(2): writes add, a read takes all (or one, as a semaphore).
 */
#include "base/pack.h"
#include "kernel/internal.h"

struct event {
	uint64_t count;
	bool semaphore;
	struct waitq readers;
	struct waitq writers;
};

static struct event *event_of(const struct file *f)
{
	return f->u.object;
}

static void changed(struct kernel *k, struct waitq *q)
{
	sched_wake_all(q);
	sched_wake_all(&k->poll_waiters);
}

static int64_t event_read(struct proc *p, struct file *f, void *out, size_t n)
{
	struct event *e = event_of(f);
	uint64_t value;

	if (n < sizeof value)
		return -E_INVAL;
	while (e->count == 0) {
		int r = (f->flags & O_NONBLOCK_) != 0 ? -E_AGAIN
						      : sched_block(p, &e->readers, TIMER_NEVER);

		if (r != 0)
			return r;
	}
	value = e->semaphore ? 1 : e->count;
	e->count -= value;
	memcpy(out, &value, sizeof value);
	changed(p->k, &e->writers);
	return sizeof value;
}

static int64_t event_write(struct proc *p, struct file *f, const void *data, size_t n)
{
	struct event *e = event_of(f);
	uint64_t value;

	if (n < sizeof value)
		return -E_INVAL;
	memcpy(&value, data, sizeof value);
	if (value == UINT64_MAX)
		return -E_INVAL;
	while (e->count > UINT64_MAX - 1 - value) {
		int r = (f->flags & O_NONBLOCK_) != 0 ? -E_AGAIN
						      : sched_block(p, &e->writers, TIMER_NEVER);

		if (r != 0)
			return r;
	}
	e->count += value;
	changed(p->k, &e->readers);
	return sizeof value;
}

static unsigned event_poll(struct proc *p, struct file *f)
{
	const struct event *e = event_of(f);

	(void)p;
	return (e->count != 0 ? POLL_READ_ : 0u) |
	       (e->count < UINT64_MAX - 1 ? (unsigned)POLL_WRITE_ : 0u);
}

int anonymous_stat(struct proc *p, struct file *f, struct vfs_stat *out)
{
	(void)f;
	*out = (struct vfs_stat){ .ino = 2,
				  .dev = 15,
				  .mode = 0600,
				  .nlink = 1,
				  .uid = p->cred.uid,
				  .gid = p->cred.gid };
	return 0;
}

static void event_close(struct kernel *k, struct file *f)
{
	heap_free(&k->heap, f->u.object, sizeof(struct event));
}

static int event_copy(struct copying *w, const struct file *like, struct file *f)
{
	struct event *e = heap_zalloc(&w->to->heap, sizeof *e);

	if (e == NULL)
		return -E_NOMEM;
	e->count = event_of(like)->count;
	e->semaphore = event_of(like)->semaphore;
	f->u.object = e;
	return 0;
}

static void event_pack(struct packing *w, const struct file *f)
{
	pack_u64(w->out, event_of(f)->count);
	pack_u64(w->out, event_of(f)->semaphore);
}

static int event_unpack(struct unpacking *u, struct file *f)
{
	struct event *e = heap_zalloc(&u->k->heap, sizeof *e);

	if (e == NULL)
		return -E_NOMEM;
	e->count = unpack_below(u->in, UINT64_MAX - 1);
	e->semaphore = unpack_below(u->in, 1) != 0;
	f->u.object = e;
	return 0;
}

const struct file_ops file_event = {
	.name = "anon_inode:[eventfd]",
	.read = event_read,
	.write = event_write,
	.poll = event_poll,
	.stat = anonymous_stat,
	.close = event_close,
	.copy = event_copy,
	.pack = event_pack,
	.unpack = event_unpack,
};

int64_t sys_eventfd(struct proc *p, uint64_t count, bool semaphore, unsigned oflags)
{
	struct event *e;
	struct file *f;

	proc_charge(p, 4);
	e = heap_zalloc(&p->k->heap, sizeof *e);
	f = e != NULL ? file_new(p->k, &file_event, O_RDWR_ | (oflags & O_NONBLOCK_)) : NULL;
	if (f == NULL) {
		heap_free(&p->k->heap, e, sizeof *e);
		return -E_NOMEM;
	}
	e->count = count;
	e->semaphore = semaphore;
	f->u.object = e;
	return fd_install(p, f, (oflags & O_CLOEXEC_) != 0);
}
