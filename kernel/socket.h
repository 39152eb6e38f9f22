/* SPDX-License-Identifier: MIT
 *
 * The socket itself, shared by socket.c and listen.c.
 */
#ifndef KERNEL_SOCKET_H
#define KERNEL_SOCKET_H

#include "kernel/pipe.h"

/* Open files on their way, in a pipe or with a message. */
struct rights {
	struct rights *next;
	uint64_t after; /* of a pipe: so many unread bytes come before */
	int n;
	struct file *file[];
};

struct message {
	struct message *next;
	struct socket_name from;
	struct rights *rights;
	size_t len;
	char data[];
};

enum { SOCKET_OPTIONS = 8, MESSAGES_BYTES = 212992 };

struct socket {
	int type;
	struct file *in; /* of streams; NULL: not connected */
	struct file *out;
	struct file *shut;   /* `out` once it was shut down: others may be waiting there */
	struct socket *mate; /* of messages: the other one of a pair, not held */
	struct message *first;
	struct message **last;
	size_t bytes; /* of these messages */
	bool ended;   /* nothing more is received, or sent */
	bool silent;
	bool left;     /* of datagrams: by the other one of the pair, and was not told */
	bool has_peer; /* of messages: connected by a name */
	bool fresh;    /* of streams: connected without waiting, and nobody was told */
	bool reset;    /* of streams over a network: nothing goes through any more */
	int error;     /* why a connection failed; for SO_ERROR, or the next call */
	struct socket_peer who;
	struct socket_option option[SOCKET_OPTIONS];
	int noptions;
	struct socket_name name;
	struct socket_name peer;
	uint64_t id;     /* shown as its inode number, counted as those of pipes */
	uint32_t listed; /* the last of k->sockets_listed that it took part in */
	vfs_ino ino; /* of the file that its name is, held; 0: it is none, or was before a save */
	bool bound;
	bool listens;
	uint32_t queued;
	struct file *queue;      /* of one that listens: connections nobody has accepted */
	struct file *queue_next; /* of one in such a queue */
	struct waitq waiting;    /* for a connection */
	struct socket *next;     /* list of those with a name */
	struct socket *prev;
};

extern const struct file_ops file_socket;

static inline struct socket *socket_of(const struct file *f)
{
	return f->u.object;
}

/* Takes over both ends, also when there is no memory (NULL). */
struct file *socket_new(struct kernel *k, struct file *in, struct file *out, unsigned flags);
/* Of messages instead of streams. */
struct file *socket_of_messages(struct kernel *k, int type, unsigned flags);
void socket_mate(struct socket *a, struct socket *b);
struct socket *socket_bound(struct kernel *k, const struct socket_name *n, int type);
/* The same of any name, by the file if it is one: 0 and the socket, which may be NULL on a network,
 * or an error. May wait. */
int64_t socket_named(struct proc *p, const struct socket_name *n, int type, struct socket **out);
/* Gives a socket without a name one, as a connection or a datagram needs it. */
int64_t socket_autobind(struct proc *p, struct socket *s);
struct socket_peer socket_me(const struct proc *p);
/* A stream's end, which blocks as the socket and the flags of a call say. */
struct file *socket_end(struct file *end, const struct file *f, unsigned flags);
bool socket_option_is_set(struct socket *s, int level, int name);
/* How long a call waits that reads or writes, by option; 0: for ever. */
int64_t socket_time(struct socket *s, int option);
/* By SO_LINGER: it is on, for no time. */
bool socket_does_not_linger(struct socket *s);

/* stream.c */
bool stream_is_connected(const struct socket *s);
/* In both directions, by whomever; or it was reset. */
bool stream_is_closed(const struct socket *s);
bool stream_is_reset(const struct socket *s);
/* By the other end. */
bool stream_has_ended(const struct socket *s);
/* What it would say once, or 0. The other takes it. */
int stream_error(const struct socket *s);
int stream_take_error(struct socket *s);
/* The other end finds it reset: as it is closed, if it has to be; or in any case. */
void stream_close(struct socket *s);
void stream_reset(struct socket *s);
/* What a read gives where nothing comes any more: 0 or an error. */
int64_t stream_end(struct socket *s);
int64_t stream_write(struct proc *p, struct file *f, const void *data, size_t n, unsigned flags);
unsigned stream_poll(struct proc *p, const struct socket *s);
void stream_shutdown(struct kernel *k, struct socket *s, int how);

/* message.c */
int64_t messages_read(struct proc *p, struct file *f, void *out, size_t n);
int64_t messages_write(struct proc *p, struct file *f, const void *data, size_t n);
unsigned messages_poll(const struct socket *s);
void messages_clear(struct kernel *k, struct socket *s);
int messages_copy(struct copying *w, const struct socket *like, struct socket *s);
void messages_pack(struct packing *w, const struct socket *s);
int messages_unpack(struct unpacking *u, struct socket *s);
/* socket_pack.c */
void socket_name_pack(struct buf *out, const struct socket_name *n);
struct socket_name socket_name_unpack(struct unpack *in);
void socket_pack(struct packing *w, const struct file *f);
int socket_unpack(struct unpacking *u, struct file *f);
/* Of the bytes that a read of a stream may take at once; rights at their front go to *out. */
size_t rights_before_read(struct pipe *pi, size_t n, struct rights **out);
void rights_after_read(struct pipe *pi, size_t n);
/* Two pipes: read and write ends. */
int socket_pipes(struct kernel *k, struct file *end[4]);
/* Enters one with a name into the list. */
void socket_list(struct kernel *k, struct socket *s);
void socket_unbind(struct kernel *k, struct socket *s);
/* What went wrong with a connection, once; or 0. */
static inline int socket_take_error(struct socket *s)
{
	int error = s->error;

	s->error = 0;
	return error;
}

#endif
