/* SPDX-License-Identifier: MIT
 *
 * The processes of a forked kernel: copies of those it came from. A shell is made by its owner
 * (interp_copy), a program by its format; here is what both have at the kernel.
 *
 * Copies have no place in any queue and no timer before kernel_copy_end.
 */
#include "kernel/internal.h"

static void copy_attributes(struct proc *p, const struct proc *like)
{
	p->ppid = like->ppid;
	p->pgid = like->pgid;
	p->sid = like->sid;
	p->umask = like->umask;
	p->cred = like->cred;
	p->real_uid = like->real_uid;
	p->real_gid = like->real_gid;
	p->saved_uid = like->saved_uid;
	p->saved_gid = like->saved_gid;
	p->sig_blocked = like->sig_blocked;
	p->nice = like->nice;
	p->traits = like->traits;
	memcpy(p->sig_action, like->sig_action, sizeof p->sig_action);
	memcpy(p->rlimit, like->rlimit, sizeof p->rlimit);
	memcpy(p->priv->comm, like->priv->comm, sizeof p->priv->comm);
	p->priv->format = like->priv->format;
	p->priv->maker = like->priv->maker;
	if (like->priv->mourned != 0)
		proc_mourn(p, like->priv->mourned, like->priv->mourned_uid);
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

/* A process of the other kernel with the number and the attributes of this one. */
static int make_like(struct copying *w, const struct proc *like, struct proc **out)
{
	struct kernel *k = w->to;
	int last = k->last_pid;
	int r;

	k->last_pid = like->pid - 1;
	r = proc_new(k, NULL, out);
	k->last_pid = last > like->pid ? last : like->pid;
	if (r != 0)
		return r;
	copy_attributes(*out, like);
	copy_cwd(*out, like);
	r = copy_note(w, like, *out);
	if (r != 0)
		proc_undo(*out);
	return r;
}

/* The shell's pipe, unless a process that is left behind has it open, too. */
static bool follows(const struct copying *w, const struct proc *like, const struct file *f)
{
	if (f->ops != &file_pipe || like != w->shell || copy_find(w, f->u.pipe) != NULL)
		return true;
	for (const struct proc *p = w->from->all_first; p != NULL; p = p->priv->all_next)
		for (int fd = 0; fd < p->priv->fd_top && p != like; fd++)
			if (p->fd[fd].file != NULL && p->fd[fd].file->ops == &file_pipe &&
			    p->fd[fd].file->u.pipe == f->u.pipe)
				return false;
	return true;
}

static int copy_descriptors(struct copying *w, struct proc *p, const struct proc *like)
{
	for (int fd = 0; fd < like->priv->fd_top; fd++) {
		const struct file *from = like->fd[fd].file;
		struct file *f;
		int r = 0;
		int at;

		if (from == NULL || !follows(w, like, from))
			continue;
		at = fd_slot_at(p, fd);
		if (at < 0)
			return at;
		f = copy_file(w, from, &r);
		if (f == NULL && r != 0)
			return r;
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

int kernel_start_like(struct copying *w, const struct spawn *s, struct proc **out)
{
	const struct proc *like = w->shell;
	struct proc *p;
	int r = make_like(w, like, &p);

	if (r != 0)
		return r;
	r = copy_descriptors(w, p, like);
	if (r == 0)
		r = copy_args(p, like);
	if (r == 0)
		r = proc_set_stack(p, s->fn, s->arg);
	if (r != 0) {
		proc_undo(p);
		return r;
	}
	sched_ready(p);
	if (tracing(w->to))
		trace_start(p, TRACE_START);
	*out = p;
	return 0;
}

/* --- programs --- */

static int copy_signals(struct proc *p, const struct proc *like)
{
	p->sig_pending = like->sig_pending;
	if (like->priv->sources == NULL)
		return 0;
	p->priv->sources = heap_alloc(&p->k->heap, SIG_COUNT * sizeof *p->priv->sources);
	if (p->priv->sources == NULL)
		return -E_NOMEM;
	memcpy(p->priv->sources, like->priv->sources, SIG_COUNT * sizeof *p->priv->sources);
	return 0;
}

static void copy_accounts(struct proc *p, const struct proc *like)
{
	p->steps = like->steps;
	p->child_steps = like->child_steps;
	p->bytes_read = like->bytes_read;
	p->bytes_written = like->bytes_written;
	p->started_ns = like->started_ns;
	p->stage = like->stage;
	p->priv->from_host = false;
	p->priv->status = like->priv->status;
	p->priv->report_stop = like->priv->report_stop;
	p->priv->report_cont = like->priv->report_cont;
	p->priv->ran_exec = like->priv->ran_exec;
	p->priv->loaded = like->priv->loaded;
	p->priv->from_line = like->priv->from_line;
	p->priv->cpu_signalled = like->priv->cpu_signalled;
}

/* One that waits for the other end of a FIFO opens it anew: it has no descriptor of it yet. */
static void drop_opening(struct proc *p, const struct proc *like)
{
	int fd = like->priv->opening - 1;

	p = proc_owner(p);
	if (fd >= 0 && fd_file(like, fd) == like->priv->opened && fd < p->nfds &&
	    p->fd[fd].file != NULL)
		fd_drop(p, fd);
}

int proc_copy(struct copying *w, const struct proc *like, int (*fn)(struct proc *, void *),
	      void *arg, struct proc **out)
{
	struct proc *owner = like->priv->owner != NULL ? copy_find(w, like->priv->owner) : NULL;
	struct proc *p;
	int r = make_like(w, like, &p);

	if (r != 0)
		return r;
	copy_accounts(p, like);
	if (owner != NULL)
		thread_link(owner, p);
	else
		r = copy_descriptors(w, p, like);
	if (r == 0)
		r = copy_args(p, like);
	if (r == 0)
		r = copy_signals(p, like);
	if (r == 0)
		r = ptimer_copy_all(p, like);
	if (r == 0)
		r = proc_set_stack(p, fn, arg);
	if (r == 0)
		drop_opening(p, like);
	*out = p;
	return r;
}

/* An ended child that nobody has asked for yet. */
static int copy_zombie(struct copying *w, const struct proc *like, int status)
{
	struct proc *p;
	int r = make_like(w, like, &p);

	if (r != 0)
		return r;
	copy_accounts(p, like);
	p->priv->status = status;
	vfs_drop(w->to->vfs, p->cwd);
	p->state = PROC_ZOMBIE;
	w->to->nprocs--;
	w->to->nlive--;
	return 0;
}

/* Children that stay behind are killed, to a program that waits for them. */
static int copy_zombies(struct copying *w)
{
	int r = 0;

	for (const struct proc *p = w->from->all_first; p != NULL && r == 0;
	     p = p->priv->all_next) {
		const struct proc *parent = p->priv->parent;

		if (parent == NULL || copy_find(w, parent) == NULL || copy_find(w, p) != NULL)
			continue;
		if (p->state == PROC_ZOMBIE)
			r = copy_zombie(w, p, p->priv->status);
		else if (parent != w->shell)
			r = copy_zombie(w, p, SIGKILL_);
	}
	return r;
}

/* One whose parent stays behind belongs to nobody. */
static void find_parent(const struct copying *w, struct proc *p, const struct proc *like)
{
	struct proc *parent = like->priv->parent != NULL ? copy_find(w, like->priv->parent) : NULL;

	if (parent != NULL) {
		proc_link_child(parent, p);
	} else if (like != w->shell && p->priv->owner == NULL) {
		p->ppid = PROC_PIDS_FIRST;
		p->priv->orphan = true;
	}
}

/* Goes on as the other would. */
static void let_run(struct proc *p, const struct proc *like)
{
	const struct timer *alarm = &like->priv->alarm;

	if (alarm->armed) {
		p->priv->alarm.p = p;
		p->priv->alarm.sig = alarm->sig;
		timer_set(p->k, &p->priv->alarm, alarm->at_ns);
	}
	ptimer_arm_all(p);
	if (like->state == PROC_STOPPED && !like->priv->ptrace.stopped) {
		p->state = PROC_STOPPED;
		p->priv->under = PROC_READY;
	} else {
		sched_ready(p);
	}
	if (tracing(p->k) && p->priv->owner == NULL)
		trace_start(p, TRACE_START);
}

int kernel_copy_begin(struct kernel *from, struct kernel *to, const struct proc *shell,
		      struct copying **out)
{
	struct copying *w = heap_zalloc(&to->heap, sizeof *w);

	if (w == NULL)
		return -E_NOMEM;
	w->from = from;
	w->to = to;
	w->shell = shell;
	*out = w;
	return 0;
}

int kernel_copy_files(struct copying *w)
{
	int r = copy_zombies(w);

	for (const struct proc *p = w->from->all_first; p != NULL; p = p->priv->all_next)
		if (copy_find(w, p) != NULL)
			find_parent(w, copy_find(w, p), p);
	for (size_t i = 0; i < w->nbuckets; i++)
		for (struct copied *c = w->bucket[i]; c != NULL; c = c->next)
			if (c->is_epoll)
				epoll_settle(w, c->new);
	return r == 0 ? lock_copy_all(w) : r;
}

void kernel_copy_end(struct copying *w, bool run)
{
	const struct proc *like = run ? w->from->all_first : NULL;

	for (; like != NULL; like = like->priv->all_next) {
		struct proc *p = copy_find(w, like);

		if (p == NULL || like == w->shell)
			continue;
		if (p->state != PROC_ZOMBIE)
			let_run(p, like);
		else if (like->state != PROC_ZOMBIE)
			sig_child_changed(p);
	}
	if (run)
		vfs_reap(w->to->vfs);
	for (size_t i = 0; i < w->nbuckets; i++) {
		for (struct copied *c = w->bucket[i], *next; c != NULL; c = next) {
			next = c->next;
			heap_free(&w->to->heap, c, sizeof *c);
		}
	}
	heap_free(&w->to->heap, w->bucket, w->nbuckets * sizeof(struct copied *));
	heap_free(&w->to->heap, w, sizeof *w);
}

/* --- before that --- */

bool proc_posture(const struct proc *p, struct posture *out)
{
	const struct proc_private *pp = p->priv;
	bool blocked = p->state == PROC_BLOCKED ||
		       (p->state == PROC_STOPPED && pp->under == PROC_BLOCKED);

	*out = (struct posture){ .waits = pp->waits,
				 .waits_host = pp->waits_host,
				 .woken = pp->waits && !blocked,
				 .result = pp->wake,
				 .futex = pp->futex,
				 .moved = pp->moved,
				 .whole = pp->whole };
	return p->state != PROC_ZOMBIE && pp->begun;
}

static bool unsettled(struct kernel *k, bool (*ready)(const struct proc *p))
{
	for (const struct proc *p = k->all_first; p != NULL; p = p->priv->all_next)
		if (p->state != PROC_ZOMBIE && !p->priv->parked && !ready(p))
			return true;
	return false;
}

bool kernel_settle(struct kernel *k, bool (*ready)(const struct proc *p), uint64_t steps)
{
	uint64_t end = kernel_steps(k) + steps;
	enum kernel_state state = KERNEL_SLICE;

	k->no_skipping = true;
	while (unsettled(k, ready) && state == KERNEL_SLICE && kernel_steps(k) < end &&
	       k->limit_hit < 0)
		state = kernel_run(k, SLICE_STEPS);
	k->no_skipping = false;
	return !unsettled(k, ready);
}
