/* SPDX-License-Identifier: MIT
 *
 * The socket itself, shared by socket.c and listen.c.
 */
#ifndef KERNEL_SOCKET_H
#define KERNEL_SOCKET_H

#include "kernel/pipe.h"

struct socket {
	struct file *in; /* both NULL: not connected; one: shut down */
	struct file *out;
	struct socket_name name;
	struct socket_name peer;
	bool bound;
	bool listens;
	uint32_t queued;
	struct file *queue;      /* of one that listens: connections nobody has accepted */
	struct file *queue_next; /* of one in such a queue */
	struct waitq waiting;    /* for a connection */
	struct socket *next;     /* list of those with a name */
};

extern const struct file_ops file_socket;

static inline struct socket *socket_of(const struct file *f)
{
	return f->u.object;
}

/* Takes over both ends, also when there is no memory (NULL). */
struct file *socket_new(struct kernel *k, struct file *in, struct file *out, unsigned flags);
/* Two pipes: read and write ends. */
int socket_pipes(struct kernel *k, struct file *end[4]);
void socket_unbind(struct kernel *k, struct socket *s);

#endif
