/* SPDX-License-Identifier: MIT
 *
 * The first process of a forked kernel: a copy of one of the kernel it came from.
 */
#include "kernel/internal.h"

static void copy_attributes(struct proc *p, const struct proc *like)
{
	p->ppid = like->ppid;
	p->pgid = like->pgid;
	p->sid = like->sid;
	p->umask = like->umask;
	p->cred = like->cred;
	p->sig_blocked = like->sig_blocked;
	p->nice = like->nice;
	memcpy(p->sig_action, like->sig_action, sizeof p->sig_action);
	memcpy(p->rlimit, like->rlimit, sizeof p->rlimit);
	memcpy(p->priv->comm, like->priv->comm, sizeof p->priv->comm);
	p->priv->format = like->priv->format;
	p->priv->survivor = like->priv->survivor;
}

static void copy_cwd(struct proc *p, const struct proc *like)
{
	struct vfs *v = p->k->vfs;

	if (vfs_hold(v, like->cwd) != 0)
		return;
	vfs_drop(v, p->cwd);
	p->cwd = like->cwd;
}

static bool can_copy(const struct file *f)
{
	return f->ops != &file_pipe && f->ops != &file_capture;
}

static void copy_place(struct file *f, const struct file *like)
{
	size_t n = like->path != NULL ? strlen(like->path) + 1 : 0;

	f->dir = like->dir;
	f->path = n != 0 ? heap_alloc(&f->k->heap, n) : NULL;
	if (f->path != NULL)
		memcpy(f->path, like->path, n);
}

/* An open file of this kernel that stands where the other's does; NULL if there is none. */
static struct file *copy_file(struct kernel *k, const struct file *like)
{
	struct file *f;
	struct mem *m = NULL;

	if (like->ops == &file_mem) {
		m = mem_new(k, (struct bytes){ like->u.mem->data, like->u.mem->size });
		if (m == NULL || mem_open(k, m, like->flags, &f) != 0)
			return NULL;
	} else {
		f = file_new(k, like->ops, like->flags);
		if (f == NULL)
			return NULL;
		f->u = like->u;
	}
	if (f->ops == &file_dir)
		f->u.after = NULL;
	f->pos = like->pos;
	if (like->ino != 0 && vfs_hold(k->vfs, like->ino) != 0) {
		file_put(f);
		return NULL;
	}
	f->ino = like->ino;
	copy_place(f, like);
	return f;
}

/* The copy that was made for the same open file at a lower descriptor. */
static struct file *copied(const struct proc *p, const struct proc *like, int fd)
{
	for (int i = 0; i < fd; i++)
		if (like->fd[i].file == like->fd[fd].file && p->fd[i].file != NULL)
			return file_get(p->fd[i].file);
	return NULL;
}

static int copy_descriptors(struct proc *p, const struct proc *like)
{
	for (int fd = 0; fd < like->priv->fd_top; fd++) {
		const struct file *from = like->fd[fd].file;
		struct file *f;
		int at;

		if (from == NULL || !can_copy(from))
			continue;
		at = fd_slot(p, fd);
		if (at != fd)
			return at < 0 ? at : -E_MFILE;
		f = copied(p, like, fd);
		if (f == NULL)
			f = copy_file(p->k, from);
		if (f != NULL)
			fd_set(p, fd, f, like->fd[fd].cloexec);
	}
	return 0;
}

static int copy_args(struct proc *p, const struct proc *like)
{
	struct args args = { .path = like->priv->path,
			     .argv = like->argv,
			     .envp = like->envp,
			     .start = like->priv->start };

	return args_set(p, &args);
}

int kernel_start_like(struct kernel *k, const struct proc *like, const struct spawn *s,
		      struct proc **out)
{
	int last = k->last_pid;
	struct proc *p;
	int r;

	k->last_pid = like->pid - 1;
	r = proc_new(k, NULL, &p);
	k->last_pid = last > like->pid ? last : like->pid;
	if (r != 0)
		return r;
	copy_attributes(p, like);
	copy_cwd(p, like);
	r = copy_descriptors(p, like);
	if (r == 0)
		r = copy_args(p, like);
	if (r == 0)
		r = proc_set_stack(p, s->fn, s->arg);
	if (r != 0) {
		proc_undo(p);
		return r;
	}
	vfs_reap(k->vfs);
	sched_ready(p);
	if (tracing(k))
		trace_start(p, TRACE_START);
	*out = p;
	return 0;
}
