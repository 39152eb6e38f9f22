/* SPDX-License-Identifier: MIT
 *
 * FIFOs: a name in the tree leads to a pipe that lives as long as somebody has it open.
 * Opening one end waits for the other.
 */
#include "kernel/pipe.h"

enum { FIFOS_A_STEP = 16 };

static struct pipe **bucket_of(struct kernel *k, vfs_ino ino)
{
	return &k->fifos[ino % FIFO_BUCKETS];
}

static struct pipe *find(struct kernel *k, vfs_ino ino)
{
	struct pipe *pi = *bucket_of(k, ino);
	uint64_t passed = 0;

	for (; pi != NULL && pi->ino != ino; pi = pi->next)
		passed++;
	/* A switch here would change the list: it comes at the next charge. */
	kernel_fuel(k)->left -= (int64_t)(passed / FIFOS_A_STEP);
	return pi;
}

void fifo_link(struct kernel *k, struct pipe *pi, vfs_ino ino)
{
	struct pipe **first = bucket_of(k, ino);

	pi->ino = ino;
	pi->prev = NULL;
	pi->next = *first;
	if (pi->next != NULL)
		pi->next->prev = pi;
	*first = pi;
}

void fifo_unlink(struct kernel *k, struct pipe *pi)
{
	if (pi->next != NULL)
		pi->next->prev = pi->prev;
	if (pi->prev != NULL)
		pi->prev->next = pi->next;
	else
		*bucket_of(k, pi->ino) = pi->next;
}

int fifo_open(struct proc *p, vfs_ino ino, unsigned oflags, struct file **out)
{
	struct kernel *k = p->k;
	struct pipe *pi = find(k, ino);
	bool fresh = pi == NULL;

	if ((oflags & (O_ACCMODE_ | O_NONBLOCK_)) == (O_WRONLY_ | O_NONBLOCK_) &&
	    (pi == NULL || pi->readers == 0))
		return -E_NXIO;
	if (fresh)
		pi = pipe_new(k);
	*out = pi != NULL ? file_new(k, &file_pipe, oflags) : NULL;
	if (*out == NULL) {
		if (fresh && pi != NULL)
			heap_free(&k->heap, pi, sizeof *pi);
		return -E_NOMEM;
	}
	if (fresh)
		fifo_link(k, pi, ino);
	pipe_attach(pi, *out);
	sched_wake_all(&pi->wait_open);
	return 0;
}

int fifo_wait(struct proc *p, struct file *f)
{
	struct pipe *pi = f->u.pipe;
	unsigned mode = f->flags & O_ACCMODE_;
	uint32_t reads = pi->read_opens;
	uint32_t writes = pi->write_opens;
	int r = 0;

	if (mode == O_RDWR_ || (f->flags & O_NONBLOCK_) != 0)
		return 0;
	if (mode == O_RDONLY_)
		while (r == 0 && pi->writers == 0 && pi->write_opens == writes)
			r = sched_block(p, &pi->wait_open, TIMER_NEVER);
	else
		while (r == 0 && pi->readers == 0 && pi->read_opens == reads)
			r = sched_block(p, &pi->wait_open, TIMER_NEVER);
	return r;
}
