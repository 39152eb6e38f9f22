/* SPDX-License-Identifier: MIT
 *
 * Sockets that carry messages (datagrams, and pairs that keep the order), open files that are
 * passed through sockets, and sendmsg and recvmsg of all kinds.
 *
 * A message lies in a queue of the socket that is to receive it. Files passed through a stream
 * hang at its pipe and know how many unread bytes come before them; a read ends where files do.
 * Sockets are passed in sockets that are passed, and go with each other: so only some are under
 * way. Sockets that travel through themselves are freed with the session only.
 */
#include "base/pack.h"
#include "kernel/socket.h"

enum { MESSAGE_MAX = 65507, MESSAGE_OVERHEAD = 256, SOCKETS_UNDER_WAY = 128 };

/* --- open files on their way --- */

/* A file sets out: false if that would be one socket too many. */
static bool set_out(struct kernel *k, const struct file *f)
{
	if (f == NULL || f->ops != &file_socket)
		return true;
	if (k->sockets_under_way == SOCKETS_UNDER_WAY)
		return false;
	k->sockets_under_way++;
	return true;
}

static void arrive(struct kernel *k, const struct file *f)
{
	k->sockets_under_way -= f->ops == &file_socket;
}

void rights_clear(struct kernel *k, struct rights *r)
{
	while (r != NULL) {
		struct rights *next = r->next;

		for (int i = 0; i < r->n; i++)
			if (r->file[i] != NULL) {
				arrive(k, r->file[i]);
				file_put(r->file[i]);
			}
		heap_free(&k->heap, r, sizeof *r + (size_t)r->n * sizeof r->file[0]);
		r = next;
	}
}

/* Of the files that can't be copied nothing is left. */
int rights_copy(struct copying *w, const struct rights *like, struct rights **out)
{
	for (; like != NULL; like = like->next) {
		size_t size = sizeof *like + (size_t)like->n * sizeof like->file[0];
		struct rights *r = heap_alloc(&w->to->heap, size);
		int err = 0;

		if (r == NULL)
			return -E_NOMEM;
		*r = (struct rights){ .after = like->after, .n = like->n };
		memset(r->file, 0, (size_t)r->n * sizeof r->file[0]);
		*out = r;
		out = &r->next;
		for (int i = 0; i < r->n && err == 0; i++) {
			if (like->file[i] != NULL)
				r->file[i] = copy_file(w, like->file[i], &err);
			(void)set_out(w->to, r->file[i]); /* as many as there */
		}
		if (err != 0)
			return err;
	}
	return 0;
}

void rights_pack(struct packing *w, const struct rights *r)
{
	for (; r != NULL; r = r->next) {
		pack_u64(w->out, 1 + (uint64_t)r->n);
		pack_u64(w->out, r->after);
		for (int i = 0; i < r->n; i++)
			pack_file(w, r->file[i]);
	}
	pack_u64(w->out, 0);
}

int rights_unpack(struct unpacking *u, struct rights **out)
{
	size_t n;

	while ((n = (size_t)unpack_below(u->in, 1 + SOCKET_FDS_MAX)) != 0) {
		struct rights *r = heap_zalloc(&u->k->heap,
					       sizeof *r + (n - 1) * sizeof r->file[0]);
		int err = 0;

		if (r == NULL)
			return -E_NOMEM;
		r->n = (int)n - 1;
		r->after = unpack_u64(u->in);
		*out = r;
		out = &r->next;
		for (int i = 0; i < r->n && err == 0; i++) {
			struct file *f;

			err = unpack_file(u, &f);
			if (err == 0 && !set_out(u->k, f)) {
				file_put(f);
				err = -E_IO;
			} else if (err == 0) {
				r->file[i] = f;
			}
		}
		if (err != 0)
			return err;
	}
	return u->in->bad ? -E_IO : 0;
}

static int64_t rights_are_open(struct proc *p, const struct socket_message *m)
{
	for (int i = 0; i < m->nfds; i++)
		if (fd_file(p, m->fds[i]) == NULL)
			return -E_BADF;
	return 0;
}

static int64_t rights_new(struct proc *p, const struct socket_message *m, struct rights **out)
{
	int64_t err = rights_are_open(p, m);
	struct rights *r;

	*out = NULL;
	if (m->nfds == 0 || err != 0)
		return err;
	r = heap_alloc(&p->k->heap, sizeof *r + (size_t)m->nfds * sizeof r->file[0]);
	if (r == NULL)
		return -E_NOMEM;
	*r = (struct rights){ .n = m->nfds };
	memset(r->file, 0, (size_t)m->nfds * sizeof r->file[0]);
	for (int i = 0; i < m->nfds; i++) {
		if (!set_out(p->k, fd_file(p, m->fds[i]))) {
			rights_clear(p->k, r);
			return -E_TOOMANYREFS;
		}
		r->file[i] = file_get(fd_file(p, m->fds[i]));
	}
	*out = r;
	return 0;
}

/* The files become descriptors, as far as there is room. */
static void rights_receive(struct proc *p, struct rights *r, struct socket_message *m)
{
	for (int i = 0; r != NULL && i < r->n; i++) {
		if (r->file[i] == NULL)
			continue;
		int fd = m->nfds < m->room ? fd_install(p, file_get(r->file[i]),
							(m->flags & SOCKET_CLOEXEC) != 0)
					   : -E_MFILE;

		if (fd >= 0)
			m->fds[m->nfds++] = fd;
		else
			m->told |= SOCKET_FDS_CUT;
	}
}

size_t rights_before_read(struct pipe *pi, size_t n, struct rights **out)
{
	struct rights *r = pi->rights;

	*out = NULL;
	if (r != NULL && r->after == 0 && n != 0) {
		*out = r;
		pi->rights = r->next;
		r->next = NULL;
		r = pi->rights;
	}
	return r != NULL && r->after < n ? (size_t)r->after : n;
}

void rights_after_read(struct pipe *pi, size_t n)
{
	for (struct rights *r = pi->rights; r != NULL; r = r->next)
		r->after -= r->after < n ? r->after : n;
}

/* --- messages --- */

void messages_clear(struct kernel *k, struct socket *s)
{
	while (s->first != NULL) {
		struct message *m = s->first;

		s->first = m->next;
		rights_clear(k, m->rights);
		heap_free(&k->heap, m, sizeof *m + m->len);
	}
	s->last = &s->first;
	s->bytes = 0;
}

int messages_copy(struct copying *w, const struct socket *like, struct socket *s)
{
	for (const struct message *m = like->first; m != NULL; m = m->next) {
		struct message *copy = heap_alloc(&w->to->heap, sizeof *m + m->len);
		int r;

		if (copy == NULL)
			return -E_NOMEM;
		memcpy(copy, m, sizeof *m + m->len);
		copy->next = NULL;
		copy->rights = NULL;
		*s->last = copy;
		s->last = &copy->next;
		s->bytes += m->len + MESSAGE_OVERHEAD;
		r = rights_copy(w, m->rights, &copy->rights);
		if (r != 0)
			return r;
	}
	return 0;
}

void messages_pack(struct packing *w, const struct socket *s)
{
	for (const struct message *m = s->first; m != NULL; m = m->next) {
		pack_u64(w->out, 1);
		socket_name_pack(w->out, &m->from);
		pack_bytes(w->out, (struct bytes){ m->data, m->len });
		rights_pack(w, m->rights);
	}
	pack_u64(w->out, 0);
}

int messages_unpack(struct unpacking *u, struct socket *s)
{
	while (unpack_below(u->in, 1) != 0) {
		struct socket_name from = socket_name_unpack(u->in);
		struct bytes data = unpack_bytes(u->in);
		struct message *m;
		int r;

		if (u->in->bad)
			return -E_IO;
		m = heap_zalloc(&u->k->heap, sizeof *m + data.len);
		if (m == NULL)
			return -E_NOMEM;
		m->from = from;
		m->len = data.len;
		if (data.len != 0)
			memcpy(m->data, data.ptr, data.len);
		*s->last = m;
		s->last = &m->next;
		s->bytes += m->len + MESSAGE_OVERHEAD;
		r = rights_unpack(u, &m->rights);
		if (r != 0)
			return r;
	}
	return u->in->bad ? -E_IO : 0;
}

unsigned messages_poll(const struct socket *s)
{
	const struct socket *to = s->mate;

	return (s->first != NULL ? POLL_READ_ : 0u) |
	       (s->ended ? (unsigned)(POLL_READ_ | POLL_READ_ENDED_) : 0u) |
	       (to == NULL || to->bytes < MESSAGES_BYTES ? (unsigned)POLL_WRITE_ : 0u) |
	       (s->ended && s->type == SOCKET_SEQUENCE && s->mate == NULL ? (unsigned)POLL_HUP_
									  : 0u);
}

static bool waits(const struct file *f, unsigned flags)
{
	return (f->flags & O_NONBLOCK_) == 0 && (flags & SOCKET_NO_WAIT) == 0;
}

/* As long as an option says. */
static int wait_on(struct proc *p, struct file *f, struct waitq *q, unsigned flags, int option)
{
	int64_t ns = socket_time(socket_of(f), option);
	int r = -E_AGAIN;

	if (waits(f, flags))
		r = sched_block(p, q, ns != 0 ? kernel_now(p->k) + ns : (int64_t)TIMER_NEVER);
	return r == -E_TIMEDOUT ? -E_AGAIN : r;
}

static int64_t receive(struct proc *p, struct file *f, void *out, size_t n,
		       struct socket_message *m)
{
	struct socket *s = socket_of(f);
	struct message *got;
	int64_t whole;

	if (s->error != 0)
		return -socket_take_error(s);
	while (s->first == NULL) {
		int r = s->type == SOCKET_SEQUENCE && s->mate == NULL && !s->ended ? -E_NOTCONN : 0;

		if (r != 0 || s->ended)
			return r;
		r = wait_on(p, f, &s->waiting, m->flags, SOCKET_READ_TIME);
		if (r != 0)
			return r;
	}
	got = s->first;
	whole = (int64_t)got->len;
	if (got->len > n)
		m->told |= SOCKET_CUT;
	n = got->len < n ? got->len : n;
	memcpy(out, got->data, n);
	m->name = got->from;
	if (m->name.family == SOCKET_UNIX && m->name.len == 0)
		m->name.family = 0;
	rights_receive(p, got->rights, m);
	if ((m->flags & SOCKET_PEEK) == 0) {
		s->first = got->next;
		if (s->first == NULL)
			s->last = &s->first;
		s->bytes -= got->len + MESSAGE_OVERHEAD;
		rights_clear(p->k, got->rights);
		heap_free(&p->k->heap, got, sizeof *got + got->len);
		sched_wake_all(&s->waiting);
		sched_wake_all(&p->k->poll_waiters);
	}
	return (m->flags & SOCKET_CUT) != 0 ? whole : (int64_t)n;
}

/* Whom a message is for: *out is NULL if it gets lost. */
static int64_t target(struct proc *p, struct socket *s, const struct socket_name *to,
		      struct socket **out)
{
	const struct socket_name *name = to->family != 0 ? to : &s->peer;
	bool local = s->name.family == SOCKET_UNIX;

	*out = s->mate;
	if (s->error != 0)
		return -socket_take_error(s);
	if (s->left && to->family == 0) {
		s->left = false;
		return -E_CONNREFUSED;
	}
	if (s->silent || (s->type == SOCKET_SEQUENCE && s->mate == NULL)) {
		bool never = !s->silent && !s->ended;

		if (!never)
			sig_send(p, SIGPIPE_);
		return never ? -E_NOTCONN : -E_PIPE;
	}
	if (s->mate != NULL && to->family == 0)
		return 0;
	if (to->family == 0 && !s->has_peer)
		return s->type == SOCKET_DATAGRAM && !local ? -E_DESTADDRREQ : -E_NOTCONN;
	if (to->family != 0)
		return socket_named(p, name, s->type, out);
	*out = socket_bound(p->k, name, s->type);
	return *out == NULL && local ? -E_CONNREFUSED : 0;
}

static int64_t deliver(struct proc *p, struct socket *from, struct socket *to, const void *data,
		       size_t n, struct rights *rights)
{
	struct message *m = heap_alloc(&p->k->heap, sizeof *m + n);

	if (m == NULL)
		return -E_NOBUFS;
	*m = (struct message){ .from = from->name, .rights = rights, .len = n };
	memcpy(m->data, data, n);
	*to->last = m;
	to->last = &m->next;
	to->bytes += n + MESSAGE_OVERHEAD;
	sched_wake_all(&to->waiting);
	sched_wake_all(&p->k->poll_waiters);
	return (int64_t)n;
}

static int64_t send(struct proc *p, struct file *f, const void *data, size_t n,
		    const struct socket_message *m)
{
	struct socket *s = socket_of(f);
	struct rights *rights;
	struct socket *to;
	int64_t r;

	if (n > MESSAGE_MAX && s->name.family != SOCKET_UNIX)
		return -E_MSGSIZE;
	if (n > MESSAGES_BYTES - MESSAGE_OVERHEAD)
		return -E_MSGSIZE;
	if (s->name.family != SOCKET_UNIX) {
		r = socket_autobind(p, s);
		if (r != 0)
			return r;
	}
	for (;;) {
		r = target(p, s, &m->name, &to);
		if (r != 0)
			return r;
		if (to == NULL || to->bytes + n + MESSAGE_OVERHEAD <= MESSAGES_BYTES)
			break;
		r = wait_on(p, f, &to->waiting, m->flags, SOCKET_WRITE_TIME);
		if (r != 0)
			return r;
	}
	r = rights_new(p, m, &rights);
	if (r != 0)
		return r;
	r = to != NULL ? deliver(p, s, to, data, n, rights) : (int64_t)n;
	if (to == NULL || r < 0)
		rights_clear(p->k, rights);
	return r;
}

int64_t sys_socket_feed(struct proc *p, int fd, const void *data, size_t n)
{
	struct file *f = fd_file(p, fd);
	struct socket *s;

	if (f == NULL || f->ops != &file_socket)
		return f == NULL ? -E_BADF : -E_NOTSOCK;
	s = socket_of(f);
	if (s->type == SOCKET_STREAM || s->bytes + n + MESSAGE_OVERHEAD > MESSAGES_BYTES)
		return -E_NOBUFS;
	return deliver(p, s, s, data, n, NULL);
}

int64_t messages_read(struct proc *p, struct file *f, void *out, size_t n)
{
	struct socket_message m = { .nfds = 0 };

	return receive(p, f, out, n, &m);
}

int64_t messages_write(struct proc *p, struct file *f, const void *data, size_t n)
{
	const struct socket_message m = { .nfds = 0 };

	return send(p, f, data, n, &m);
}

/* --- streams --- */

/* Files go with the first byte: not before there is room for it, since a call that waits may be
 * interrupted and made again. */
static int64_t send_rights(struct proc *p, struct file *f, size_t n, const struct socket_message *m)
{
	struct socket *s = socket_of(f);
	int64_t r = rights_are_open(p, m);
	struct rights **link;
	struct rights *rights;

	if (r == 0 && s->out != NULL && n != 0)
		r = pipe_wait_room(p, socket_end(s->out, f, m->flags), n);
	if (r == 0)
		r = rights_new(p, m, &rights);
	if (r != 0)
		return r;
	if (s->out == NULL || n == 0) {
		rights_clear(p->k, rights);
		return 0;
	}
	rights->after = pipe_filled(s->out->u.pipe);
	link = &s->out->u.pipe->rights;
	while (*link != NULL)
		link = &(*link)->next;
	*link = rights;
	return 0;
}

static int64_t send_stream(struct proc *p, struct file *f, const void *data, size_t n,
			   const struct socket_message *m)
{
	int64_t r = m->nfds != 0 ? send_rights(p, f, n, m) : 0;

	if (r != 0)
		return r;
	return stream_write(p, f, data, n, m->flags);
}

/* One read: as much as there is, up to the next files. */
static int64_t receive_some(struct proc *p, struct file *f, char *out, size_t n,
			    struct socket_message *m)
{
	struct socket *s = socket_of(f);
	struct rights *rights = NULL;
	bool peek;
	int64_t r;

	if (s->in == NULL)
		return stream_end(s);
	/* Files may come while it waits: so it waits before it looks for them. */
	peek = (m->flags & SOCKET_PEEK) != 0;
	r = n != 0 ? pipe_peek(p, socket_end(s->in, f, m->flags), out, peek ? n : 1) : 0;
	if (r == 0 && n != 0)
		return stream_end(s);
	if (r <= 0 || peek || s->in == NULL)
		return r;
	n = rights_before_read(s->in->u.pipe, n, &rights);
	rights_receive(p, rights, m);
	r = file_pipe.read(p, socket_end(s->in, f, m->flags), out, n);
	if (r > 0 && s->in != NULL)
		rights_after_read(s->in->u.pipe, (size_t)r);
	rights_clear(p->k, rights);
	return r;
}

static int64_t receive_stream(struct proc *p, struct file *f, char *out, size_t n,
			      struct socket_message *m)
{
	size_t done = 0;

	do {
		p->priv->moved = done;
		int64_t r = receive_some(p, f, out + done, n - done, m);

		if (r <= 0)
			return done != 0 ? (int64_t)done : r;
		done += (size_t)r;
	} while (done < n && (m->flags & SOCKET_WAIT_ALL) != 0 && (m->flags & SOCKET_PEEK) == 0 &&
		 m->nfds == 0);
	return (int64_t)done;
}

/* --- the calls --- */

static int64_t get(struct proc *p, int fd, struct file **out)
{
	*out = fd_file(p, fd);
	if (*out == NULL)
		return -E_BADF;
	return (*out)->ops == &file_socket ? 0 : -E_NOTSOCK;
}

int64_t sys_sendmsg(struct proc *p, int fd, const void *data, size_t n, struct socket_message *m)
{
	struct file *f;
	int64_t r = get(p, fd, &f);

	proc_charge(p, 2 + n / 64);
	if (r != 0)
		return r;
	if (socket_of(f)->type != SOCKET_STREAM)
		return send(p, f, data, n, m);
	/* A connection over a network goes where it goes. */
	if (m->name.family != 0 && socket_of(f)->name.family == SOCKET_UNIX)
		return socket_of(f)->out != NULL ? -E_ISCONN : -E_OPNOTSUPP;
	return send_stream(p, f, data, n, m);
}

int64_t sys_recvmsg(struct proc *p, int fd, void *out, size_t n, struct socket_message *m)
{
	struct file *f;
	int64_t r = get(p, fd, &f);

	m->told = 0;
	m->nfds = 0;
	m->name.family = 0;
	proc_charge(p, 2);
	if (r == 0)
		r = socket_of(f)->type == SOCKET_STREAM ? receive_stream(p, f, out, n, m)
							: receive(p, f, out, n, m);
	if (r > 0)
		proc_charge(p, (uint64_t)r / 64);
	return r;
}
