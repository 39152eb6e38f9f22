/* SPDX-License-Identifier: MIT
 *
 * What goes through connected sockets of streams, and how that ends. A connection over a network is
 * reset when an end is closed with bytes that nobody read, at once if it is told not to linger,
 * or unaccepted; and when something is written to an end that was closed. The end that is closed
 * marks the pipes of both directions; the other one finds the marks when it looks.
 */
#include "kernel/socket.h"

static bool is_network(const struct socket *s)
{
	return s->name.family != SOCKET_UNIX;
}

static struct pipe *pipe_in(const struct socket *s)
{
	return s->in != NULL ? s->in->u.pipe : NULL;
}

static struct pipe *pipe_out(const struct socket *s)
{
	const struct file *f = s->out != NULL ? s->out : s->shut;

	return f != NULL ? f->u.pipe : NULL;
}

bool stream_is_connected(const struct socket *s)
{
	return pipe_in(s) != NULL || pipe_out(s) != NULL;
}

bool stream_has_ended(const struct socket *s)
{
	const struct pipe *pi = pipe_in(s);

	return pi == NULL || pi->writers == 0 || pi->mute;
}

bool stream_is_closed(const struct socket *s)
{
	return stream_is_reset(s) || (s->out == NULL && stream_has_ended(s));
}

bool stream_is_reset(const struct socket *s)
{
	return s->reset || (is_network(s) && stream_error(s) != s->error);
}

/* Who was told the end of what comes in finds the connection broken, not reset. */
int stream_error(const struct socket *s)
{
	const struct pipe *pi = pipe_in(s);

	if (pi == NULL || !pi->reset)
		return s->error;
	return is_network(s) && pi->mute ? E_PIPE : E_CONNRESET;
}

static void find_marks(struct socket *s)
{
	int error = stream_error(s);

	s->reset = stream_is_reset(s);
	s->error = error;
	if (pipe_in(s) != NULL)
		pipe_in(s)->reset = false;
}

int stream_take_error(struct socket *s)
{
	find_marks(s);
	return socket_take_error(s);
}

static void mark(struct pipe *pi)
{
	if (pi != NULL)
		pi->reset = true;
}

void stream_reset(struct socket *s)
{
	mark(pipe_out(s));
	if (is_network(s))
		mark(pipe_in(s));
}

void stream_close(struct socket *s)
{
	const struct pipe *in = pipe_in(s);
	bool unread = in != NULL && pipe_filled(in) != 0;

	if (is_network(s) && stream_is_closed(s))
		return;
	if (unread || (is_network(s) && socket_does_not_linger(s)))
		stream_reset(s);
}

int64_t stream_end(struct socket *s)
{
	if (!stream_is_connected(s) && !s->reset)
		return -E_NOTCONN;
	find_marks(s);
	return is_network(s) && s->error == E_PIPE ? 0 : -socket_take_error(s);
}

/* Nothing can be written any more. */
static int64_t broken(struct proc *p, struct socket *s)
{
	int error = is_network(s) ? stream_take_error(s) : 0;

	if (error != 0 && error != E_PIPE)
		return -error;
	if (!stream_is_connected(s) && !s->reset)
		return -E_NOTCONN;
	sig_send(p, SIGPIPE_);
	return -E_PIPE;
}

/* The other end is closed, or as good as that. */
static bool is_refused(const struct socket *s)
{
	const struct pipe *pi = s->out->u.pipe;

	return pi->readers == 0 || (pi->deaf && stream_has_ended(s));
}

int64_t stream_write(struct proc *p, struct file *f, const void *data, size_t n, unsigned flags)
{
	struct socket *s = socket_of(f);
	int64_t r;

	if (s->out == NULL || stream_is_reset(s))
		return broken(p, s);
	if (is_network(s) && is_refused(s)) {
		/* It goes out, and the answer is that nobody wants it. */
		mark(pipe_out(s));
		s->reset = true;
		s->error = E_PIPE;
		sched_wake_all(&p->k->poll_waiters);
		return (int64_t)n;
	}
	r = file_pipe.write(p, socket_end(s->out, f, flags), data, n);
	return r == -E_CONNRESET ? broken(p, s) : r;
}

/* The end of what comes in can be read, and an error of what goes out be had by writing. Both have
 * ended: hung up. That the other one closes a connection over a network tells only of the former.
 */
unsigned stream_poll(struct proc *p, const struct socket *s)
{
	bool reset = stream_is_reset(s);
	unsigned in = s->in != NULL ? file_pipe.poll(p, s->in) : (unsigned)POLL_HUP_;
	unsigned out = s->out != NULL && !reset ? file_pipe.poll(p, s->out)
						: (unsigned)(POLL_WRITE_ | POLL_ERR_);
	bool ended = (in & POLL_HUP_) != 0 || s->ended || reset;
	bool mute = s->out == NULL || reset || ((out & POLL_ERR_) != 0 && !is_network(s));

	if ((out & POLL_ERR_) != 0)
		out |= POLL_WRITE_;
	return (in & POLL_READ_) | (out & POLL_WRITE_) |
	       (ended ? (unsigned)(POLL_READ_ | POLL_READ_ENDED_) : 0u) |
	       (ended && mute ? (unsigned)POLL_HUP_ : 0u) |
	       (stream_error(s) != 0 ? (unsigned)POLL_ERR_ : 0u);
}

static void shut_out(struct kernel *k, struct socket *s)
{
	if (s->out == NULL)
		return;
	pipe_shut(k, s->out);
	s->shut = s->out;
	s->out = NULL;
}

/* What has come can still be read. Over a network, more is taken, too. */
void stream_shutdown(struct kernel *k, struct socket *s, int how)
{
	if (how != 1 && s->in != NULL) {
		s->in->u.pipe->takes = is_network(s);
		pipe_shut(k, s->in);
	}
	if (how != 1)
		s->ended = true;
	if (how != 0)
		shut_out(k, s);
}
