/* SPDX-License-Identifier: MIT
 *
 * Sockets with names: what listens on a port or a path of this sandbox, and who connects to it.
 * There is no other network; a connection is a pair of pipes, made by connect.
 */
#include "kernel/socket.h"

enum { BACKLOG_MAX = 128 };

static bool same_name(const struct socket *s, const struct socket_name *n)
{
	if (s->name.family != n->family || s->name.len != n->len)
		return false;
	return n->family == SOCKET_INET ? s->name.port == n->port
					: memcmp(s->name.path, n->path, n->len) == 0;
}

static struct socket *bound(struct kernel *k, const struct socket_name *n)
{
	struct socket *s = k->sockets;

	while (s != NULL && !same_name(s, n))
		s = s->next;
	return s;
}

void socket_unbind(struct kernel *k, struct socket *s)
{
	struct socket **link = &k->sockets;

	while (*link != NULL && *link != s)
		link = &(*link)->next;
	if (*link == s)
		*link = s->next;
	while (s->queue != NULL) {
		struct file *f = s->queue;

		s->queue = socket_of(f)->queue_next;
		file_put(f);
	}
}

static struct socket *get(struct proc *p, int fd, int64_t *err)
{
	struct file *f = fd_file(p, fd);

	*err = f == NULL ? -E_BADF : f->ops != &file_socket ? -E_NOTSOCK : 0;
	return *err == 0 ? socket_of(f) : NULL;
}

int64_t sys_socket(struct proc *p, int family, unsigned oflags)
{
	struct file *f;

	proc_charge(p, 4);
	f = socket_new(p->k, NULL, NULL, oflags);
	if (f == NULL)
		return -E_NOMEM;
	socket_of(f)->name.family = family;
	return fd_install(p, f, (oflags & O_CLOEXEC_) != 0);
}

static int64_t free_port(struct kernel *k, struct socket_name *n)
{
	for (int i = 0; i < 20000; i++) {
		n->port = (uint16_t)(40000 + (k->ports_made++ % 20000));
		if (bound(k, n) == NULL)
			return 0;
	}
	return -E_ADDRINUSE;
}

int64_t sys_bind(struct proc *p, int fd, const struct socket_name *name)
{
	struct socket_name n = *name;
	int64_t err;
	struct socket *s = get(p, fd, &err);

	proc_charge(p, 4);
	if (s == NULL)
		return err;
	if (n.family != s->name.family || s->bound || s->in != NULL)
		return -E_INVAL;
	if (n.family == SOCKET_INET && n.port == 0)
		err = free_port(p->k, &n);
	else if (bound(p->k, &n) != NULL)
		err = -E_ADDRINUSE;
	else if (n.family == SOCKET_UNIX && n.path[0] != '\0')
		err = sys_mknod(p, AT_FDCWD_, n.path, S_SOCK | 0777, 0);
	if (err != 0)
		return err == -E_EXIST ? -E_ADDRINUSE : err;
	s->name = n;
	s->bound = true;
	s->next = p->k->sockets;
	p->k->sockets = s;
	return 0;
}

int64_t sys_listen(struct proc *p, int fd)
{
	int64_t err;
	struct socket *s = get(p, fd, &err);
	struct socket_name any = { .family = SOCKET_INET };

	if (s == NULL)
		return err;
	if (s->in != NULL)
		return -E_INVAL;
	any.family = s->name.family;
	if (!s->bound)
		err = s->name.family == SOCKET_INET ? sys_bind(p, fd, &any) : -E_DESTADDRREQ;
	s->listens = err == 0;
	return err;
}

int64_t sys_connect(struct proc *p, int fd, const struct socket_name *name)
{
	struct file *end[4];
	struct socket *to;
	struct file *f;
	int64_t err;
	struct socket *s = get(p, fd, &err);

	proc_charge(p, 8);
	if (s == NULL)
		return err;
	if (s->in != NULL || s->listens)
		return -E_ISCONN;
	if (tracing(p->k) && name->family == SOCKET_INET)
		trace_connect(p, name->port);
	to = bound(p->k, name);
	if (to == NULL || !to->listens || to->queued >= BACKLOG_MAX)
		return name->family == SOCKET_UNIX && to == NULL ? -E_NOENT : -E_CONNREFUSED;
	if (socket_pipes(p->k, end) != 0)
		return -E_NOMEM;
	f = socket_new(p->k, end[2], end[1], 0);
	if (f == NULL) {
		file_put(end[0]);
		file_put(end[3]);
		return -E_NOMEM;
	}
	s->in = end[0];
	s->out = end[3];
	if (!s->bound && s->name.family == SOCKET_INET)
		s->name.port = (uint16_t)(40000 + (p->k->ports_made++ % 20000));
	s->peer = *name;
	socket_of(f)->name = *name;
	socket_of(f)->peer = s->name;
	struct file **link = &to->queue;

	while (*link != NULL)
		link = &socket_of(*link)->queue_next;
	*link = f;
	to->queued++;
	sched_wake_all(&to->waiting);
	sched_wake_all(&p->k->poll_waiters);
	return 0;
}

int64_t sys_accept(struct proc *p, int fd, unsigned oflags)
{
	struct file *listener = fd_file(p, fd);
	int64_t err;
	struct socket *s = get(p, fd, &err);
	struct file *f;

	proc_charge(p, 4);
	if (s == NULL)
		return err;
	if (!s->listens)
		return -E_INVAL;
	while (s->queue == NULL) {
		if ((listener->flags & O_NONBLOCK_) != 0)
			return -E_AGAIN;
		err = sched_block(p, &s->waiting, TIMER_NEVER);
		if (err != 0)
			return err;
		if (fd_file(p, fd) != listener)
			return -E_BADF;
	}
	f = s->queue;
	s->queue = socket_of(f)->queue_next;
	socket_of(f)->queue_next = NULL;
	s->queued--;
	f->flags |= oflags & O_NONBLOCK_;
	return fd_install(p, f, (oflags & O_CLOEXEC_) != 0);
}

int64_t sys_socket_name(struct proc *p, int fd, bool peer, struct socket_name *out)
{
	int64_t err;
	const struct socket *s = get(p, fd, &err);

	if (s == NULL)
		return err;
	if (peer && s->in == NULL && s->out == NULL)
		return -E_NOTCONN;
	*out = peer ? s->peer : s->name;
	return 0;
}

bool sys_is_listening(struct proc *p, int fd)
{
	int64_t err;
	const struct socket *s = get(p, fd, &err);

	return s != NULL && s->listens;
}
