/* SPDX-License-Identifier: MIT
 *
 * Connected sockets: two pipes, crossed. What has a name is in listen.c.
 */
#include "kernel/socket.h"

struct file *socket_end(struct file *end, const struct file *f, unsigned flags)
{
	struct socket *s = socket_of(f);
	bool waits = (f->flags & O_NONBLOCK_) == 0 && (flags & SOCKET_NO_WAIT) == 0;

	end->flags = (end->flags & ~(unsigned)O_NONBLOCK_) | (waits ? 0 : (unsigned)O_NONBLOCK_);
	end->time_ns = s->noptions == 0 ? 0
					: socket_time(s, file_reads(end) ? SOCKET_READ_TIME
									 : SOCKET_WRITE_TIME);
	return end;
}

static int64_t socket_read(struct proc *p, struct file *f, void *out, size_t n)
{
	struct socket *s = socket_of(f);

	struct rights *rights = NULL;
	int64_t r;

	if (s->type != SOCKET_STREAM)
		return messages_read(p, f, out, n);
	if (s->in == NULL)
		return stream_end(s);
	n = rights_before_read(s->in->u.pipe, n, &rights);
	rights_clear(p->k, rights);
	r = file_pipe.read(p, socket_end(s->in, f, 0), out, n);
	if (r > 0 && s->in != NULL)
		rights_after_read(s->in->u.pipe, (size_t)r);
	return r == 0 && n != 0 ? stream_end(s) : r;
}

static int64_t socket_write(struct proc *p, struct file *f, const void *data, size_t n)
{
	if (socket_of(f)->type != SOCKET_STREAM)
		return messages_write(p, f, data, n);
	return stream_write(p, f, data, n, 0);
}

static unsigned socket_poll(struct proc *p, struct file *f)
{
	const struct socket *s = socket_of(f);

	if (s->listens)
		return s->queue != NULL ? POLL_READ_ : 0;
	if (s->type != SOCKET_STREAM)
		return messages_poll(s);
	if (!stream_is_connected(s) && !s->reset)
		return POLL_WRITE_ | POLL_HUP_;
	return stream_poll(p, s);
}

static int socket_stat(struct proc *p, struct file *f, struct vfs_stat *out)
{
	int r = anonymous_stat(p, f, out);

	out->ino = socket_of(f)->id;
	out->mode = S_SOCK | 0777;
	return r;
}

static void put_end(struct file *end)
{
	if (end != NULL)
		file_put(end);
}

static void socket_close(struct kernel *k, struct file *f)
{
	struct socket *s = socket_of(f);

	socket_unbind(k, s);
	if (s->type == SOCKET_STREAM)
		stream_close(s);
	if (s->mate != NULL) {
		s->mate->mate = NULL;
		if (s->type == SOCKET_SEQUENCE && s->first != NULL)
			s->mate->error = E_CONNRESET;
		s->mate->left = s->type == SOCKET_DATAGRAM;
		s->mate->ended = s->mate->type == SOCKET_SEQUENCE;
		sched_wake_all(&s->mate->waiting);
		sched_wake_all(&k->poll_waiters);
	}
	messages_clear(k, s);
	sched_wake_all(&s->waiting); /* for room in it */
	put_end(s->in);
	put_end(s->out);
	put_end(s->shut);
	heap_free(&k->heap, s, sizeof *s);
}

static int64_t socket_waiting(const struct file *f)
{
	const struct socket *s = socket_of(f);

	if (s->in != NULL)
		return (int64_t)pipe_filled(s->in->u.pipe);
	return s->first != NULL ? (int64_t)s->first->len : 0;
}

/* Both ends of a stream, and those who wait to be accepted. */
static int copy_files(struct copying *w, const struct socket *like, struct socket *s)
{
	struct file **link = &s->queue;
	int err = 0;

	s->in = like->in != NULL ? copy_file(w, like->in, &err) : NULL;
	s->out = like->out != NULL && err == 0 ? copy_file(w, like->out, &err) : NULL;
	if (s->type == SOCKET_STREAM && s->ended)
		stream_shutdown(w->to, s, 0);
	for (const struct file *f = like->queue; f != NULL && err == 0;
	     f = socket_of(f)->queue_next) {
		*link = copy_file(w, f, &err);
		if (*link == NULL)
			break;
		s->queued++;
		link = &socket_of(*link)->queue_next;
	}
	return err;
}

/* Of a pair, the one that is copied first has lost the other until that follows. */
static void copy_mate(struct copying *w, const struct socket *like, struct socket *s)
{
	struct socket *mate = like->mate != NULL ? copy_find(w, like->mate) : NULL;

	if (mate != NULL) {
		socket_mate(s, mate);
		mate->ended = like->mate->ended;
	} else if (like->mate != NULL && s->type == SOCKET_SEQUENCE) {
		s->ended = true;
	}
}

static int socket_copy(struct copying *w, const struct file *like, struct file *f)
{
	const struct socket *from = socket_of(like);
	struct socket *s = heap_alloc(&w->to->heap, sizeof *s);
	int r;

	if (s == NULL)
		return -E_NOMEM;
	*s = *from;
	s->reset = stream_is_reset(from);
	s->error = stream_error(from);
	s->in = s->out = s->queue = s->queue_next = NULL;
	s->shut = NULL;
	s->queued = 0;
	s->first = NULL;
	s->last = &s->first;
	s->bytes = 0;
	s->mate = NULL;
	s->waiting = (struct waitq){ NULL, NULL };
	s->next = s->prev = NULL;
	if (s->ino != 0 && vfs_hold(w->to->vfs, s->ino) != 0)
		s->ino = 0;
	if (s->bound)
		socket_list(w->to, s);
	f->u.object = s;
	copy_mate(w, from, s);
	r = copy_note(w, from, s);
	if (r == 0)
		r = copy_files(w, from, s);
	return r == 0 ? messages_copy(w, from, s) : r;
}

const struct file_ops file_socket = {
	.name = "socket",
	.waiting = socket_waiting,
	.read = socket_read,
	.write = socket_write,
	.poll = socket_poll,
	.stat = socket_stat,
	.close = socket_close,
	.copy = socket_copy,
	.pack = socket_pack,
	.unpack = socket_unpack,
};

struct file *socket_new(struct kernel *k, struct file *in, struct file *out, unsigned flags)
{
	struct socket *s = heap_zalloc(&k->heap, sizeof *s);
	struct file *f = NULL;

	if (s != NULL)
		f = file_new(k, &file_socket, O_RDWR_ | (flags & O_NONBLOCK_));
	if (f == NULL) {
		heap_free(&k->heap, s, sizeof *s);
		put_end(in);
		put_end(out);
		return NULL;
	}
	s->type = SOCKET_STREAM;
	s->id = ++k->pipes_made + PIPE_ID_FIRST;
	s->last = &s->first;
	s->in = in;
	s->out = out;
	s->name.family = s->peer.family = SOCKET_UNIX;
	f->u.object = s;
	return f;
}

int socket_pipes(struct kernel *k, struct file *end[4])
{
	if (pipe_ends(k, &end[0], &end[1]) != 0)
		return -E_NOMEM;
	if (pipe_ends(k, &end[2], &end[3]) == 0)
		return 0;
	file_put(end[0]);
	file_put(end[1]);
	return -E_NOMEM;
}

struct file *socket_of_messages(struct kernel *k, int type, unsigned flags)
{
	struct file *f = socket_new(k, NULL, NULL, flags);

	if (f != NULL)
		socket_of(f)->type = type;
	return f;
}

void socket_mate(struct socket *a, struct socket *b)
{
	a->mate = b;
	b->mate = a;
}

struct socket_peer socket_me(const struct proc *p)
{
	return (struct socket_peer){ proc_owner(p)->pid, p->cred.uid, p->cred.gid };
}

static int make_streams(struct kernel *k, struct file *two[2], unsigned oflags)
{
	struct file *end[4] = { NULL };

	if (socket_pipes(k, end) != 0)
		return -E_NOMEM;
	two[0] = socket_new(k, end[0], end[3], oflags);
	two[1] = socket_new(k, end[2], end[1], oflags);
	return two[0] != NULL && two[1] != NULL ? 0 : -E_NOMEM;
}

static int make_messages(struct kernel *k, int type, struct file *two[2], unsigned oflags)
{
	two[0] = socket_of_messages(k, type, oflags);
	two[1] = socket_of_messages(k, type, oflags);
	if (two[0] == NULL || two[1] == NULL)
		return -E_NOMEM;
	socket_mate(socket_of(two[0]), socket_of(two[1]));
	return 0;
}

int64_t sys_socketpair(struct proc *p, int type, int fds[2], unsigned oflags)
{
	struct file *two[2] = { NULL, NULL };
	bool cloexec = (oflags & O_CLOEXEC_) != 0;
	int r;

	proc_charge(p, 8);
	r = type == SOCKET_STREAM ? make_streams(p->k, two, oflags)
				  : make_messages(p->k, type, two, oflags);
	if (r != 0) {
		put_end(two[0]);
		put_end(two[1]);
		return r;
	}
	for (int i = 0; i < 2; i++)
		socket_of(two[i])->who = socket_me(p);
	fds[0] = fd_install(p, two[0], cloexec);
	if (fds[0] < 0) {
		file_put(two[1]);
		return fds[0];
	}
	fds[1] = fd_install(p, two[1], cloexec);
	if (fds[1] < 0)
		fd_drop(p, fds[0]);
	return fds[1] < 0 ? fds[1] : 0;
}

bool sys_is_socket(struct proc *p, int fd)
{
	const struct file *f = fd_file(p, fd);

	return f != NULL && f->ops == &file_socket;
}

/* NULL: no socket. */
static struct socket *get(struct proc *p, int fd)
{
	return sys_is_socket(p, fd) ? socket_of(fd_file(p, fd)) : NULL;
}

int sys_socket_family(struct proc *p, int fd)
{
	const struct socket *s = get(p, fd);

	return s != NULL ? s->name.family : 0;
}

int sys_socket_type(struct proc *p, int fd)
{
	const struct socket *s = get(p, fd);

	return s != NULL ? s->type : 0;
}

struct socket_peer sys_socket_peer(struct proc *p, int fd)
{
	const struct socket *s = get(p, fd);

	return s != NULL ? s->who : (struct socket_peer){ 0, 0, 0 };
}

int sys_socket_error(struct proc *p, int fd)
{
	struct socket *s = get(p, fd);

	if (s == NULL)
		return 0;
	return s->type == SOCKET_STREAM ? stream_take_error(s) : socket_take_error(s);
}

static struct socket_option *find_option(struct socket *s, int level, int name)
{
	for (int i = 0; i < s->noptions; i++)
		if (s->option[i].level == level && s->option[i].name == name)
			return &s->option[i];
	return NULL;
}

bool socket_option_is_set(struct socket *s, int level, int name)
{
	const struct socket_option *o = find_option(s, level, name);

	return o != NULL && o->value != 0;
}

int64_t socket_time(struct socket *s, int name)
{
	const struct socket_option *o = find_option(s, SOCKET_LEVEL, name);

	return o != NULL ? (int64_t)o->value * 1000000 : 0;
}

bool socket_does_not_linger(struct socket *s)
{
	const struct socket_option *o = find_option(s, SOCKET_LEVEL, SOCKET_LINGER);

	return o != NULL && o->value == SOCKET_LINGER_ON;
}

struct socket_option *sys_socket_option(struct proc *p, int fd, int level, int name, bool make)
{
	struct socket *s = get(p, fd);
	struct socket_option *o = s != NULL ? find_option(s, level, name) : NULL;

	if (s == NULL || o != NULL || !make || s->noptions == SOCKET_OPTIONS)
		return o;
	o = s->option;
	o[s->noptions] = (struct socket_option){ level, name, 0 };
	return &o[s->noptions++];
}

static bool can_shut_down(const struct socket *s)
{
	return s->name.family == SOCKET_UNIX ? stream_is_connected(s)
					     : stream_is_connected(s) && !stream_is_closed(s);
}

int64_t sys_shutdown(struct proc *p, int fd, int how)
{
	struct file *f = fd_file(p, fd);
	struct socket *s;

	if (f == NULL || f->ops != &file_socket)
		return f == NULL ? -E_BADF : -E_NOTSOCK;
	s = socket_of(f);
	if (how < 0 || how > 2)
		return -E_INVAL;
	if (s->type == SOCKET_STREAM && !s->listens && !can_shut_down(s))
		return -E_NOTCONN;
	if (s->type != SOCKET_STREAM) {
		s->ended = s->ended || how != 1;
		s->silent = s->silent || how != 0;
		if (how != 0 && s->mate != NULL) {
			s->mate->ended = true;
			sched_wake_all(&s->mate->waiting);
		}
		sched_wake_all(&s->waiting);
	}
	if (s->type == SOCKET_STREAM)
		stream_shutdown(p->k, s, how);
	sched_wake_all(&p->k->poll_waiters);
	return 0;
}
