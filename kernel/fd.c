/* SPDX-License-Identifier: MIT
 *
 * Descriptor tables: small numbers that name open files. A table lies in its process until it
 * outgrows the room there.
 */
#include "kernel/internal.h"

bool proc_next_fd(const struct proc *p, int from, struct arena *a, struct fd_info *out)
{
	struct file *f = NULL;
	int fd = from;

	for (; fd < p->priv->fd_top && f == NULL; fd++)
		f = p->fd[fd].file;
	if (f == NULL)
		return false;
	*out = (struct fd_info){ .fd = fd - 1,
				 .kind = f->ops->name,
				 .path = f->path != NULL ? sys_file_path(f, a) : NULL,
				 .flags = f->flags,
				 .pos = f->pos,
				 .cloexec = p->fd[fd - 1].cloexec };
	return true;
}

struct file *fd_file(const struct proc *p, int fd)
{
	p = proc_owner(p);
	return fd >= 0 && fd < p->nfds ? p->fd[fd].file : NULL;
}

enum { FDS_MAX = 1 << 20 };

static int max_fds(const struct proc *p)
{
	uint64_t max = p->rlimit[RLIMIT_NOFILE_][0];
	uint64_t limit = p->k->limit[LIMIT_DESCRIPTORS];

	if (limit != 0 && limit < max)
		max = limit;
	return max > FDS_MAX ? FDS_MAX : (int)max;
}

static int grow(struct proc *p, int need)
{
	struct heap *h = &p->k->heap;
	int n = p->nfds * 2 > need ? p->nfds * 2 : need;
	struct descriptor *table = heap_zalloc(h, (size_t)n * sizeof *table);

	if (table == NULL)
		return -E_NOMEM;
	memcpy(table, p->fd, (size_t)p->nfds * sizeof *table);
	if (p->fd != p->priv->fd_inline)
		heap_free(h, p->fd, (size_t)p->nfds * sizeof *table);
	p->fd = table;
	p->nfds = n;
	return 0;
}

int fd_slot(struct proc *p, int least)
{
	int fd = least;
	int r;

	p = proc_owner(p);
	while (fd < p->nfds && p->fd[fd].file != NULL)
		fd++;
	if (fd >= max_fds(p))
		return -E_MFILE;
	r = fd >= p->nfds ? grow(p, fd + 1) : 0;
	return r != 0 ? r : fd;
}

int fd_slot_at(struct proc *p, int fd)
{
	uint64_t most = p->k->limit[LIMIT_DESCRIPTORS];
	int r;

	if (most == 0 || most > FDS_MAX)
		most = FDS_MAX;
	p = proc_owner(p);
	if (fd < 0 || (uint64_t)fd >= most)
		return -E_MFILE;
	if (fd < p->nfds)
		return p->fd[fd].file == NULL ? fd : -E_IO;
	r = grow(p, fd + 1);
	return r != 0 ? r : fd;
}

void fd_set(struct proc *p, int fd, struct file *f, bool cloexec)
{
	p = proc_owner(p);
	p->fd[fd] = (struct descriptor){ f, cloexec, false };
	if (fd >= p->priv->fd_top)
		p->priv->fd_top = fd + 1;
}

/* Takes over the caller's reference, also on failure. */
int fd_install(struct proc *p, struct file *f, bool cloexec)
{
	int fd = fd_slot(p, 0);

	if (fd < 0)
		file_put(f);
	else
		fd_set(p, fd, f, cloexec);
	return fd;
}

void fd_drop(struct proc *p, int fd)
{
	struct file *f;

	p = proc_owner(p);
	f = p->fd[fd].file;
	p->fd[fd] = (struct descriptor){ NULL, false, false };
	while (p->priv->fd_top > 0 && p->fd[p->priv->fd_top - 1].file == NULL)
		p->priv->fd_top--;
	if (p->priv->view != NULL)
		view_end_file(p, f);
	lock_release_process(p, f);
	file_put(f);
	/* What went with it (a terminal) may take its user along. */
	if (p->k->kill_current && p->k->current != NULL)
		sig_settle(p->k->current);
}

void fd_drop_all(struct proc *p)
{
	lock_release_all(p);
	for (int fd = p->priv->fd_top - 1; fd >= 0; fd--)
		if (p->fd[fd].file != NULL)
			fd_drop(p, fd);
	if (p->fd != p->priv->fd_inline)
		heap_free(&p->k->heap, p->fd, (size_t)p->nfds * sizeof p->fd[0]);
	p->fd = p->priv->fd_inline;
	p->nfds = FD_INLINE;
}

int fd_inherit(struct proc *child, struct proc *parent)
{
	int top;

	parent = proc_owner(parent);
	top = parent->priv->fd_top;
	if (top > child->nfds && grow(child, top) != 0)
		return -E_NOMEM;
	for (int fd = 0; fd < top; fd++) {
		struct file *f = parent->fd[fd].file;

		if (f != NULL)
			f->refs++;
		child->fd[fd] = parent->fd[fd];
	}
	child->priv->fd_top = top;
	return 0;
}

/* fds[i] is what the child's descriptor i is in the parent, -1: closed. Those above, unless
 * they are cloexec, are inherited. */
int fd_map(struct proc *child, struct proc *parent, const int *fds, int nfds)
{
	int r = fd_inherit(child, parent);

	if (r == 0 && nfds > child->nfds)
		r = grow(child, nfds);
	if (r != 0)
		return r;
	for (int i = 0; i < nfds; i++) {
		struct file *f = fd_file(parent, fds[i]);

		if (fds[i] >= 0 && f == NULL)
			return -E_BADF;
		if (f != NULL)
			file_get(f);
		if (child->fd[i].file != NULL)
			fd_drop(child, i);
		if (f != NULL)
			fd_set(child, i, f, false);
	}
	return 0;
}

void fd_close_on_exec(struct proc *p)
{
	p = proc_owner(p);
	for (int fd = p->priv->fd_top - 1; fd >= 0; fd--)
		if (p->fd[fd].file != NULL && p->fd[fd].cloexec)
			fd_drop(p, fd);
}

/* --- what processes call --- */

int64_t sys_close(struct proc *p, int fd)
{
	proc_charge(p, 1);
	if (fd_file(p, fd) == NULL)
		return -E_BADF;
	fd_drop(p, fd);
	return 0;
}

int64_t sys_dup_from(struct proc *p, int fd, int least, bool cloexec)
{
	struct file *f = fd_file(p, fd);
	int to;

	proc_charge(p, 1);
	if (f == NULL)
		return -E_BADF;
	if (least < 0 || least >= max_fds(p))
		return -E_INVAL;
	to = fd_slot(p, least);
	if (to >= 0)
		fd_set(p, to, file_get(f), cloexec);
	return to;
}

int64_t sys_dup(struct proc *p, int fd)
{
	return sys_dup_from(p, fd, 0, false);
}

int64_t sys_dup2(struct proc *p, int from, int to, bool cloexec)
{
	struct file *f = fd_file(p, from);

	proc_charge(p, 1);
	p = proc_owner(p);
	if (f == NULL || to < 0 || to >= max_fds(p))
		return -E_BADF;
	if (from == to)
		return to;
	if (to >= p->nfds && grow(p, to + 1) != 0)
		return -E_NOMEM;
	file_get(f);
	if (p->fd[to].file != NULL)
		fd_drop(p, to);
	fd_set(p, to, f, cloexec);
	return to;
}

int64_t sys_set_cloexec(struct proc *p, int fd, bool on)
{
	if (fd_file(p, fd) == NULL)
		return -E_BADF;
	proc_owner(p)->fd[fd].cloexec = on;
	return 0;
}

int64_t sys_get_cloexec(struct proc *p, int fd)
{
	return fd_file(p, fd) != NULL ? proc_owner(p)->fd[fd].cloexec : -E_BADF;
}

void sys_set_passing(struct proc *p, int fd, bool on)
{
	if (fd_file(p, fd) != NULL)
		proc_owner(p)->fd[fd].passing = on;
}

void sys_close_passing(struct proc *p)
{
	for (int fd = p->priv->fd_top - 1; fd >= 0; fd--)
		if (fd < p->priv->fd_top && p->fd[fd].file != NULL && p->fd[fd].passing)
			fd_drop(p, fd);
}

int64_t sys_getfl(struct proc *p, int fd)
{
	const struct file *f = fd_file(p, fd);

	return f != NULL ? (int64_t)f->flags : -E_BADF;
}

int64_t sys_setfl(struct proc *p, int fd, unsigned flags)
{
	struct file *f = fd_file(p, fd);

	if (f == NULL)
		return -E_BADF;
	f->flags = (f->flags & ~(unsigned)(O_APPEND_ | O_NONBLOCK_)) |
		   (flags & (O_APPEND_ | O_NONBLOCK_));
	return 0;
}
