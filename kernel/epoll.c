/* SPDX-License-Identifier: MIT
 *
 * epoll(7): a set of descriptors to wait for. Members hold nothing: they go with their file, when
 * the last descriptor of it is closed.
 */
#include "base/pack.h"
#include "kernel/internal.h"

enum { EPOLL_ADD = 1, EPOLL_DEL = 2, EPOLL_MOD = 3 };

#define EPOLL_ONESHOT ((uint32_t)1 << 30)
#define EPOLL_EDGE    ((uint32_t)1 << 31)

struct member {
	struct member *next;
	struct member **link; /* what points to it in its set, */
	struct member *file_next;
	struct member **file_link; /* and among those of its file; NULL: that is another kernel's */
	struct epoll *set;
	struct file *file;
	int fd;
	uint32_t events;
	uint32_t told; /* of an edge-triggered one: what is not told twice */
	uint64_t data;
};

struct epoll {
	struct member *first;
	struct member **last; /* where the next one is linked */
	uint32_t count;
};

static struct epoll *epoll_of(const struct file *f)
{
	return f->u.object;
}

/* At the end of its set; its file does not know of it yet. */
static struct member *append(struct kernel *k, struct epoll *e)
{
	struct member *m = heap_zalloc(&k->heap, sizeof *m);

	if (m == NULL)
		return NULL;
	m->set = e;
	m->link = e->last;
	*e->last = m;
	e->last = &m->next;
	e->count++;
	return m;
}

static void watch(struct member *m, struct file *f)
{
	m->file = f;
	m->file_next = f->members;
	m->file_link = &f->members;
	if (m->file_next != NULL)
		m->file_next->file_link = &m->file_next;
	f->members = m;
}

static void forget(struct kernel *k, struct member *m)
{
	*m->link = m->next;
	if (m->next != NULL)
		m->next->link = m->link;
	else
		m->set->last = m->link;
	m->set->count--;
	if (m->file_link != NULL)
		*m->file_link = m->file_next;
	if (m->file_link != NULL && m->file_next != NULL)
		m->file_next->file_link = m->file_link;
	heap_free(&k->heap, m, sizeof *m);
}

void epoll_forget_file(struct kernel *k, struct file *f)
{
	while (f->members != NULL)
		forget(k, f->members);
}

static struct member *find(const struct epoll *e, int fd, const struct file *f)
{
	struct member *m = e->first;

	while (m != NULL && (m->fd != fd || m->file != f))
		m = m->next;
	return m;
}

/* What a member is to be told now. */
static uint32_t news(struct proc *p, struct member *m)
{
	const unsigned lasting = POLL_WRITE_ | POLL_ERR_ | POLL_HUP_ | POLL_READ_ENDED_;
	struct file *f = m->file;
	uint32_t all = f->ops->poll != NULL ? f->ops->poll(p, f)
					    : (unsigned)(POLL_READ_ | POLL_WRITE_);
	uint32_t got = poll_names(all) & (m->events | POLL_HUP_ | POLL_ERR_);
	uint32_t fresh = got & poll_names(all & ~m->told);

	if ((m->events & EPOLL_EDGE) == 0)
		return got;
	/* Who may read is told until nothing is left; the rest, the end too, once, and with other
	 * news. */
	if ((m->told & POLL_READ_ENDED_) != 0)
		fresh &= ~poll_names(POLL_READ_);
	m->told = all & lasting;
	return fresh != 0 ? got : 0;
}

static int collect(struct proc *p, struct epoll *e, struct epoll_event_ *out, int max)
{
	int n = 0;

	for (struct member *m = e->first; m != NULL && n < max; m = m->next) {
		uint32_t got = (m->events & ~(EPOLL_ONESHOT | EPOLL_EDGE)) != 0 ? news(p, m) : 0;

		if (got == 0)
			continue;
		out[n++] = (struct epoll_event_){ got, m->data };
		if ((m->events & EPOLL_ONESHOT) != 0)
			m->events &= EPOLL_ONESHOT | EPOLL_EDGE;
	}
	return n;
}

static unsigned epoll_poll(struct proc *p, struct file *f)
{
	/* A switch here would change what is polled: it comes at the next charge. */
	kernel_fuel(p->k)->left -= (int64_t)epoll_of(f)->count;
	for (struct member *m = epoll_of(f)->first; m != NULL; m = m->next) {
		struct file *of = m->file;

		if (of->ops->poll != NULL && of->ops->poll != epoll_poll &&
		    (of->ops->poll(p, of) & (m->events | POLL_HUP_)) != 0)
			return POLL_READ_;
	}
	return 0;
}

/* Of all members the first that changes by itself. */
static int64_t next_look(struct proc *p, const struct epoll *e, int64_t until)
{
	for (const struct member *m = e->first; m != NULL; m = m->next)
		if (m->file->ops->poll != epoll_poll)
			until = file_due(p, m->file, until);
	return until;
}

static int64_t epoll_due(struct proc *p, struct file *f)
{
	return next_look(p, epoll_of(f), TIMER_NEVER);
}

static void epoll_close(struct kernel *k, struct file *f)
{
	struct epoll *e = epoll_of(f);

	while (e->first != NULL)
		forget(k, e->first);
	heap_free(&k->heap, e, sizeof *e);
}

static int64_t epoll_read(struct proc *p, struct file *f, void *out, size_t n)
{
	(void)p;
	(void)f;
	(void)out;
	(void)n;
	return -E_INVAL;
}

static int epoll_copy(struct copying *w, const struct file *like, struct file *f)
{
	struct epoll *e = heap_zalloc(&w->to->heap, sizeof *e);

	if (e == NULL)
		return -E_NOMEM;
	e->last = &e->first;
	f->u.object = e;
	for (const struct member *m = epoll_of(like)->first; m != NULL; m = m->next) {
		struct member *copy = append(w->to, e);

		if (copy == NULL)
			return -E_NOMEM;
		copy->file = m->file;
		copy->fd = m->fd;
		copy->events = m->events;
		copy->told = m->told;
		copy->data = m->data;
	}
	return 0;
}

void epoll_settle(struct copying *w, struct file *f)
{
	for (struct member *m = epoll_of(f)->first, *next; m != NULL; m = next) {
		struct file *file = copy_find(w, m->file);

		next = m->next;
		if (file != NULL)
			watch(m, file);
		else
			forget(w->to, m);
	}
}

/* Its members are told when all files are there. */
static int epoll_unpack(struct unpacking *u, struct file *f)
{
	struct epoll *e = heap_zalloc(&u->k->heap, sizeof *e);

	if (e == NULL)
		return -E_NOMEM;
	e->last = &e->first;
	f->u.object = e;
	return 0;
}

void epoll_pack_members(struct packing *w, const struct file *f)
{
	for (const struct member *m = epoll_of(f)->first; m != NULL; m = m->next) {
		uint64_t number = pack_number_of(w, m->file);

		if (number == UINT64_MAX)
			continue;
		pack_u64(w->out, number);
		pack_u64(w->out, (uint64_t)m->fd);
		pack_u64(w->out, m->events);
		pack_u64(w->out, m->told);
		pack_u64(w->out, m->data);
	}
	pack_u64(w->out, UINT64_MAX);
}

int epoll_unpack_members(struct unpacking *u, struct file *f)
{
	struct epoll *e = epoll_of(f);

	for (;;) {
		uint64_t number = unpack_u64(u->in);
		struct file *file = unpack_file_of(u, number);
		struct member *m;

		if (u->in->bad || number == UINT64_MAX)
			return u->in->bad ? -E_IO : 0;
		if (file == NULL || file == f)
			return -E_IO;
		m = append(u->k, e);
		if (m == NULL)
			return -E_NOMEM;
		watch(m, file);
		m->fd = (int)unpack_below(u->in, INT32_MAX);
		m->events = (uint32_t)unpack_below(u->in, UINT32_MAX);
		m->told = (uint32_t)unpack_below(u->in, UINT32_MAX);
		m->data = unpack_u64(u->in);
	}
}

const struct file_ops file_epoll = {
	.name = "anon_inode:[eventpoll]",
	.read = epoll_read,
	.poll = epoll_poll,
	.due = epoll_due,
	.stat = anonymous_stat,
	.close = epoll_close,
	.copy = epoll_copy,
	.unpack = epoll_unpack,
};

int64_t sys_epoll(struct proc *p, bool cloexec)
{
	struct epoll *e;
	struct file *f;

	proc_charge(p, 4);
	e = heap_zalloc(&p->k->heap, sizeof *e);
	f = e != NULL ? file_new(p->k, &file_epoll, O_RDWR_) : NULL;
	if (f == NULL) {
		heap_free(&p->k->heap, e, sizeof *e);
		return -E_NOMEM;
	}
	e->last = &e->first;
	f->u.object = e;
	return fd_install(p, f, cloexec);
}

static int64_t add(struct proc *p, struct epoll *e, struct file *f, int fd,
		   const struct epoll_event_ *event)
{
	struct member *m = append(p->k, e);

	if (m == NULL)
		return -E_NOMEM;
	watch(m, f);
	m->fd = fd;
	m->events = event->events;
	m->data = event->data;
	/* Another thread may wait for the set already. */
	sched_wake_all(&p->k->poll_waiters);
	return 0;
}

int64_t sys_epoll_ctl(struct proc *p, int epfd, int op, int fd, const struct epoll_event_ *event)
{
	struct file *ep = fd_file(p, epfd);
	struct file *f = fd_file(p, fd);
	struct member *m;

	if (ep == NULL || f == NULL)
		return -E_BADF;
	if (ep->ops != &file_epoll || ep == f)
		return -E_INVAL;
	proc_charge(p, 1 + epoll_of(ep)->count / 16);
	if (f->ops == &file_regular || f->ops == &file_dir)
		return -E_PERM;
	m = find(epoll_of(ep), fd, f);
	if (op == EPOLL_ADD)
		return m != NULL ? -E_EXIST : add(p, epoll_of(ep), f, fd, event);
	if (m == NULL)
		return -E_NOENT;
	if (op == EPOLL_DEL) {
		forget(p->k, m);
		return 0;
	}
	if (op != EPOLL_MOD)
		return -E_INVAL;
	m->events = event->events;
	m->data = event->data;
	m->told = 0;
	sched_wake_all(&p->k->poll_waiters);
	return 0;
}

int64_t sys_epoll_wait(struct proc *p, int epfd, struct epoll_event_ *out, int max,
		       int64_t timeout_ns)
{
	struct file *f = fd_file(p, epfd);
	int64_t until = TIMER_NEVER;
	int64_t r = 0;

	if (f == NULL)
		return -E_BADF;
	if (f->ops != &file_epoll || max <= 0)
		return -E_INVAL;
	if (timeout_ns > 0)
		until = kernel_now(p->k) + timeout_ns;
	for (;;) {
		proc_charge(p, 1 + epoll_of(f)->count);
		if (fd_file(p, epfd) != f)
			return -E_BADF;
		p->priv->polls_host = false;
		r = collect(p, epoll_of(f), out, max);
		if (r != 0 || timeout_ns == 0)
			break;
		r = sched_block(p, &p->k->poll_waiters, next_look(p, epoll_of(f), until));
		if (fd_file(p, epfd) != f)
			return -E_BADF;
		if (r == -E_TIMEDOUT && until != TIMER_NEVER && kernel_now(p->k) >= until)
			timeout_ns = 0;
		else if (r != 0 && r != -E_TIMEDOUT)
			break;
	}
	return r;
}
