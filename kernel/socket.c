/* SPDX-License-Identifier: MIT
 *
 * Connected sockets: two pipes, crossed. What has a name is in listen.c.
 */
#include "kernel/socket.h"

/* The pipe's end, which blocks as the socket does. */
static struct file *end_of(struct file *end, const struct file *f)
{
	end->flags = (end->flags & ~(unsigned)O_NONBLOCK_) | (f->flags & O_NONBLOCK_);
	return end;
}

static int64_t socket_read(struct proc *p, struct file *f, void *out, size_t n)
{
	struct socket *s = socket_of(f);

	if (s->in == NULL && s->out == NULL)
		return -E_NOTCONN;
	return s->in != NULL ? file_pipe.read(p, end_of(s->in, f), out, n) : 0;
}

static int64_t socket_write(struct proc *p, struct file *f, const void *data, size_t n)
{
	struct socket *s = socket_of(f);

	if (s->out != NULL)
		return file_pipe.write(p, end_of(s->out, f), data, n);
	if (s->in == NULL)
		return -E_NOTCONN;
	sig_send(p, SIGPIPE_);
	return -E_PIPE;
}

static unsigned socket_poll(struct proc *p, struct file *f)
{
	struct socket *s = socket_of(f);
	unsigned in = s->in != NULL ? file_pipe.poll(p, s->in) : (unsigned)POLL_READ_;
	unsigned out = s->out != NULL ? file_pipe.poll(p, s->out) : 0;

	if (s->listens)
		return s->queue != NULL ? POLL_READ_ : 0;
	if (s->in == NULL && s->out == NULL)
		return POLL_HUP_;
	/* The end of what comes in can be read; nothing more is to come either way: hung up. */
	if ((in & POLL_HUP_) != 0)
		in = POLL_READ_ | ((out & ~(unsigned)POLL_WRITE_) != 0 ? (unsigned)POLL_HUP_ : 0);
	return in | (out & POLL_WRITE_);
}

static int socket_stat(struct proc *p, struct file *f, struct vfs_stat *out)
{
	int r = anonymous_stat(p, f, out);

	out->mode = S_SOCK | 0777;
	return r;
}

static void socket_close(struct kernel *k, struct file *f)
{
	struct socket *s = socket_of(f);

	socket_unbind(k, s);
	if (s->in != NULL)
		file_put(s->in);
	if (s->out != NULL)
		file_put(s->out);
	heap_free(&k->heap, s, sizeof *s);
}

const struct file_ops file_socket = {
	.name = "socket",
	.read = socket_read,
	.write = socket_write,
	.poll = socket_poll,
	.stat = socket_stat,
	.close = socket_close,
};

static void put_end(struct file *end)
{
	if (end != NULL)
		file_put(end);
}

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

int64_t sys_socketpair(struct proc *p, int fds[2], unsigned oflags)
{
	struct file *end[4] = { NULL };
	struct file *one = NULL;
	struct file *two = NULL;
	bool cloexec = (oflags & O_CLOEXEC_) != 0;

	proc_charge(p, 8);
	if (socket_pipes(p->k, end) != 0)
		return -E_NOMEM;
	one = socket_new(p->k, end[0], end[3], oflags);
	two = socket_new(p->k, end[2], end[1], oflags);
	if (one == NULL || two == NULL) {
		if (one != NULL)
			file_put(one);
		if (two != NULL)
			file_put(two);
		return -E_NOMEM;
	}
	fds[0] = fd_install(p, one, cloexec);
	if (fds[0] < 0) {
		file_put(two);
		return fds[0];
	}
	fds[1] = fd_install(p, two, cloexec);
	if (fds[1] < 0)
		fd_drop(p, fds[0]);
	return fds[1] < 0 ? fds[1] : 0;
}

bool sys_is_socket(struct proc *p, int fd)
{
	const struct file *f = fd_file(p, fd);

	return f != NULL && f->ops == &file_socket;
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
	if (how != 1 && s->in != NULL) {
		file_put(s->in);
		s->in = NULL;
	}
	if (how != 0 && s->out != NULL) {
		file_put(s->out);
		s->out = NULL;
	}
	sched_wake_all(&p->k->poll_waiters);
	return 0;
}
