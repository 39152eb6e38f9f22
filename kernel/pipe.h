/* SPDX-License-Identifier: MIT
 *
 * The pipe itself, shared by pipe.c and fifo.c.
 */
#ifndef KERNEL_PIPE_H
#define KERNEL_PIPE_H

#include "kernel/internal.h"

enum { PIPE_ID_FIRST = 100000 };

struct pipe {
	char *ring;  /* from the first write on, of ring_bytes() */
	size_t size; /* how many bytes it takes: a power of two */
	uint64_t tail;
	uint64_t rpos;
	uint64_t wpos;
	uint32_t readers; /* open files that can read, write */
	uint32_t writers;
	uint32_t read_opens; /* ever: what a FIFO's openers wait to change */
	uint32_t write_opens;
	bool deaf;  /* its reader was shut down, and is there only for who waits at it; */
	bool mute;  /* its writer */
	bool takes; /* though it is deaf; */
	bool reset; /* the connection that it is a direction of, and nobody noticed: stream.c */
	bool had_writer;   /* so an end can be told from a beginning */
	struct view *view; /* holds [tail, rpos) of the ring */
	struct waitq wait_bytes;
	struct waitq wait_room;
	struct waitq wait_open;
	vfs_ino ino;           /* of a FIFO, else 0 */
	uint64_t id;           /* shown as its inode number: PIPE_ID_FIRST and so manieth */
	struct rights *rights; /* of sockets: see message.c */
	struct pipe *next;     /* list of FIFOs: of those whose number falls into one bucket */
	struct pipe *prev;
};

struct pipe *pipe_new(struct kernel *k);
/* Waits as a write of n bytes does for its first part: 0, or that write's error. */
int64_t pipe_wait_room(struct proc *p, struct file *f, size_t n);
/* Waits as a read does, and leaves what it copies. */
int64_t pipe_peek(struct proc *p, struct file *f, void *out, size_t n);
/* Whether somebody can read what is written. */
static inline bool pipe_is_read(const struct pipe *pi)
{
	return pi->readers != 0 && (!pi->deaf || pi->takes);
}
/* As if an end were closed, which stays until it is put. */
void pipe_shut(struct kernel *k, struct file *end);
size_t pipe_filled(const struct pipe *pi);
/* Whether views look into its ring; else they copy, and what they took can't be given back. */
bool pipe_shows(const struct pipe *pi);
void rights_clear(struct kernel *k, struct rights *r); /* a list; message.c */
int rights_copy(struct copying *w, const struct rights *like, struct rights **out);
void rights_pack(struct packing *w, const struct rights *r);
int rights_unpack(struct unpacking *u, struct rights **out);
void pipe_attach(struct pipe *pi, struct file *f);
/* Both ends of a new pipe, which no descriptor has yet: 0 or -E_NOMEM. */
int pipe_ends(struct kernel *k, struct file **read, struct file **write);
void fifo_link(struct kernel *k, struct pipe *pi, vfs_ino ino);
void fifo_unlink(struct kernel *k, struct pipe *pi);

#endif
