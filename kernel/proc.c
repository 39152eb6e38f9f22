/* SPDX-License-Identifier: MIT
 *
 * The process table: making processes, finding them, and the life of survivors.
 */
#include "kernel/internal.h"

enum { WALK_A_STEP = 16 }; /* processes that are looked at */

struct proc_slot {
	struct proc proc;
	struct proc_private priv;
};

/* --- table --- */

static struct proc **bucket_of(struct kernel *k, int pid)
{
	if (k->bucket == NULL)
		return &k->few_buckets[pid % PID_BUCKETS];
	return &k->bucket[(size_t)pid & (k->nbuckets - 1)];
}

struct proc *proc_find(struct kernel *k, int pid)
{
	struct proc *p = pid > 0 ? *bucket_of(k, pid) : NULL;

	while (p != NULL && p->pid != pid)
		p = p->priv->hash_next;
	return p;
}

struct proc *proc_next(struct kernel *k, int pid)
{
	const struct proc *at = proc_find(k, pid);
	struct proc *p = at != NULL ? at->priv->all_next : k->all_first;

	while (p != NULL && (p->pid <= pid || p->state == PROC_ZOMBIE || p->priv->owner != NULL))
		p = p->priv->all_next;
	return p;
}

struct proc *proc_after(struct kernel *k, const struct proc *p)
{
	struct proc *next = p != NULL ? p->priv->all_next : k->all_first;

	while (next != NULL && next->state == PROC_ZOMBIE)
		next = next->priv->all_next;
	return next;
}

static struct proc *walk_to(struct proc_walk *w, struct proc *p)
{
	if (p != NULL) {
		w->at = p->pid;
		w->next = p->priv->all_next != NULL ? p->priv->all_next->pid : 0;
	}
	return p;
}

struct proc *proc_walk_first(struct proc_walk *w, struct kernel *k)
{
	*w = (struct proc_walk){ .k = k };
	return walk_to(w, k->all_first);
}

struct proc *proc_walk_next(struct proc_walk *w)
{
	struct proc *p = w->next != 0 ? proc_find(w->k, w->next) : NULL;

	if (w->k->current != NULL)
		kernel_fuel(w->k)->left -= w->at % WALK_A_STEP == 0;
	if (p == NULL && w->next != 0)
		for (p = w->k->all_first; p != NULL && p->pid <= w->at;)
			p = p->priv->all_next;
	return walk_to(w, p);
}

uint64_t proc_memory(const struct proc *p)
{
	return PROC_STACK_BYTES + arena_size(&p->arena) + pool_size(&p->pool);
}

const char *proc_format(const struct proc *p)
{
	if (p->priv->loaded)
		return p->priv->format;
	return p->priv->from_host ? "session" : "fork";
}

int proc_line(const struct proc *p)
{
	return p->line != NULL ? *p->line : p->priv->from_line;
}

struct proc *kernel_current(const struct kernel *k)
{
	return k->current;
}

static int new_pid(struct kernel *k)
{
	int pid = k->last_pid;

	do
		pid = pid >= PID_MAX ? PID_WRAP : pid + 1;
	while (proc_find(k, pid) != NULL);
	k->last_pid = pid;
	return pid;
}

/* Ended children have no limit but memory. Without more buckets it goes on, slower. */
static void more_buckets(struct kernel *k)
{
	size_t n = 4 * (k->bucket != NULL ? k->nbuckets : PID_BUCKETS);
	struct proc **bucket = heap_zalloc(&k->heap, n * sizeof(struct proc *));

	if (bucket == NULL)
		return;
	if (k->bucket != NULL)
		heap_free(&k->heap, k->bucket, k->nbuckets * sizeof(struct proc *));
	k->bucket = bucket;
	k->nbuckets = n;
	for (struct proc *p = k->all_first; p != NULL; p = p->priv->all_next) {
		bucket = bucket_of(k, p->pid);
		p->priv->hash_next = *bucket;
		*bucket = p;
	}
}

/* Keeps the list sorted: a new number nearly always comes behind the one before. */
static void link_proc(struct kernel *k, struct proc *p)
{
	struct proc *before = k->linked_last != NULL ? k->linked_last : k->all_last;
	struct proc **bucket;

	if (++k->nlinked > 4 * (k->bucket != NULL ? k->nbuckets : PID_BUCKETS))
		more_buckets(k);
	bucket = bucket_of(k, p->pid);
	while (before != NULL && before->priv->all_next != NULL &&
	       before->priv->all_next->pid < p->pid)
		before = before->priv->all_next;
	while (before != NULL && before->pid > p->pid)
		before = before->priv->all_prev;
	p->priv->all_prev = before;
	p->priv->all_next = before != NULL ? before->priv->all_next : k->all_first;
	if (before != NULL)
		before->priv->all_next = p;
	else
		k->all_first = p;
	if (p->priv->all_next != NULL)
		p->priv->all_next->priv->all_prev = p;
	else
		k->all_last = p;
	p->priv->hash_next = *bucket;
	*bucket = p;
	k->linked_last = p;
}

static void unlink_proc(struct proc *p)
{
	struct kernel *k = p->k;
	struct proc_private *pp = p->priv;
	struct proc **link = bucket_of(k, p->pid);

	while (*link != p)
		link = &(*link)->priv->hash_next;
	*link = pp->hash_next;
	k->nlinked--;
	if (k->linked_last == p)
		k->linked_last = pp->all_prev;
	if (pp->all_prev != NULL)
		pp->all_prev->priv->all_next = pp->all_next;
	else
		k->all_first = pp->all_next;
	if (pp->all_next != NULL)
		pp->all_next->priv->all_prev = pp->all_prev;
	else
		k->all_last = pp->all_prev;
}

void proc_link_child(struct proc *parent, struct proc *p)
{
	struct proc *first = parent->priv->child;

	p->ppid = parent->pid;
	p->priv->parent = parent;
	p->priv->sib_next = first;
	if (first != NULL)
		first->priv->sib_prev = p;
	parent->priv->child = p;
}

void proc_unlink_child(struct proc *p)
{
	struct proc_private *pp = p->priv;

	if (pp->parent == NULL)
		return;
	if (pp->sib_prev != NULL)
		pp->sib_prev->priv->sib_next = pp->sib_next;
	else
		pp->parent->priv->child = pp->sib_next;
	if (pp->sib_next != NULL)
		pp->sib_next->priv->sib_prev = pp->sib_prev;
	pp->sib_next = NULL;
	pp->sib_prev = NULL;
	pp->parent = NULL;
}

/* --- making --- */

static struct proc *alloc_proc(struct kernel *k)
{
	struct proc *p = k->proc_cache;
	struct proc_slot *slot = (struct proc_slot *)(void *)p;

	if (p != NULL) {
		k->proc_cache = p->priv->all_next;
		k->nproc_cache--;
	} else {
		slot = heap_alloc(&k->heap, sizeof *slot);
	}
	if (slot == NULL)
		return NULL;
	memset(slot, 0, sizeof *slot);
	slot->proc.priv = &slot->priv;
	return &slot->proc;
}

void proc_free(struct proc *p)
{
	struct kernel *k = p->k;

	ptrace_forget(p);
	proc_stop_mourning(p);
	proc_unlink_child(p);
	unlink_proc(p);
	if (k->nproc_cache == PROC_CACHE_MAX) {
		heap_free(&k->heap, p, sizeof(struct proc_slot));
		return;
	}
	p->priv->all_next = k->proc_cache;
	k->proc_cache = p;
	k->nproc_cache++;
}

void proc_clear_cache(struct kernel *k)
{
	while (k->proc_cache != NULL) {
		struct proc *p = k->proc_cache;

		k->proc_cache = p->priv->all_next;
		heap_free(&k->heap, p, sizeof(struct proc_slot));
	}
	k->nproc_cache = 0;
}

static void init_first(struct kernel *k, struct proc *p)
{
	p->pgid = p->pid;
	p->sid = p->pid;
	p->umask = 022;
	p->cwd = VFS_ROOT;
	p->cred = k->cred;
	p->real_uid = p->saved_uid = p->cred.uid;
	p->real_gid = p->saved_gid = p->cred.gid;
	memcpy(p->priv->comm, "init", 5);
	p->priv->from_host = true;
	p->traits.slack_ns = p->traits.usual_slack_ns = USUAL_SLACK_NS;
	for (int i = 0; i < 16; i++)
		p->rlimit[i][0] = p->rlimit[i][1] = RLIMIT_NONE;
	p->rlimit[RLIMIT_NOFILE_][0] = p->rlimit[RLIMIT_NOFILE_][1] = k->limit[LIMIT_DESCRIPTORS];
	if (k->limit[LIMIT_DESCRIPTORS] == 0)
		p->rlimit[RLIMIT_NOFILE_][0] = p->rlimit[RLIMIT_NOFILE_][1] = 1u << 20;
}

static void inherit(struct proc *p, const struct proc *parent)
{
	p->pgid = parent->pgid;
	p->sid = parent->sid;
	p->umask = proc_owner(parent)->umask;
	p->cwd = proc_owner(parent)->cwd;
	p->cred = parent->cred;
	p->real_uid = parent->real_uid;
	p->real_gid = parent->real_gid;
	p->saved_uid = parent->saved_uid;
	p->saved_gid = parent->saved_gid;
	memcpy(p->priv->comm, parent->priv->comm, sizeof p->priv->comm);
	args_share(p, parent);
	p->sig_blocked = parent->sig_blocked;
	p->nice = parent->nice;
	p->traits.no_new_privs = parent->traits.no_new_privs;
	p->traits.hidden = proc_owner(parent)->traits.hidden;
	p->traits.slack_ns = p->traits.usual_slack_ns = parent->traits.slack_ns;
	p->priv->maker = parent->pid;
	memcpy(p->sig_action, parent->sig_action, sizeof p->sig_action);
	memcpy(p->rlimit, parent->rlimit, sizeof p->rlimit);
	p->priv->format = parent->priv->format;
	p->priv->from_line = proc_line(parent);
	p->stage = parent->stage;
}

static bool too_many(const struct kernel *k, const struct proc *parent)
{
	uint64_t n = (uint64_t)k->nprocs;

	if (k->limit[LIMIT_PROCESSES] != 0 && n >= k->limit[LIMIT_PROCESSES])
		return true;
	return parent != NULL && n >= parent->rlimit[RLIMIT_NPROC_][0];
}

int proc_new(struct kernel *k, struct proc *parent, struct proc **out)
{
	struct proc *p;

	if (parent != NULL && k->limit[LIMIT_SESSION_PROCESSES] != 0 &&
	    k->processes >= k->limit[LIMIT_SESSION_PROCESSES])
		proc_limit(parent, LIMIT_SESSION_PROCESSES);
	if (too_many(k, parent))
		return -E_AGAIN;
	p = alloc_proc(k);
	if (p == NULL)
		return -E_NOMEM;
	p->k = k;
	p->pid = new_pid(k);
	p->state = PROC_BLOCKED;
	p->priv->path = "";
	p->name = p->priv->comm;
	p->fd = p->priv->fd_inline;
	p->nfds = FD_INLINE;
	arena_init(&p->arena, &k->heap, proc_arena_fail(p));
	pool_init(&p->pool, &k->heap, proc_arena_fail(p));
	p->arena.work = p->pool.chunks.work = proc_arena_work(p);
	link_proc(k, p);
	if (parent != NULL) {
		inherit(p, parent);
		proc_link_child(proc_owner(parent), p);
	} else {
		init_first(k, p);
	}
	if (vfs_hold(k->vfs, p->cwd) != 0) {
		args_clear(p);
		proc_free(p);
		return -E_NOMEM;
	}
	p->started_ns = kernel_now(k);
	k->nprocs++;
	k->nlive++;
	k->processes++;
	*out = p;
	return 0;
}

static void proc_entry(void *arg)
{
	struct segment *s = arg;
	struct proc *p = s->p;

	sched_arrived(p->k);
	proc_exit(p, (p->priv->fn(p, p->priv->arg) & 255) << 8);
}

int proc_set_stack(struct proc *p, int (*fn)(struct proc *, void *), void *arg)
{
	struct segment *s = stack_get(p->k, 0);

	if (s == NULL)
		return -E_NOMEM;
	s->below = NULL;
	s->p = p;
	stack_begin(s, proc_entry);
	p->priv->fn = fn;
	p->priv->arg = arg;
	p->priv->top = s;
	return 0;
}

/* --- spawn --- */

void proc_set_spawned(struct proc *p, int pgid, bool ignore_int)
{
	if (pgid < 0)
		p->pgid = p->pid;
	else if (pgid > 0)
		p->pgid = pgid;
	if (ignore_int) {
		p->sig_action[SIGINT_] = SIG_IGNORED;
		p->sig_action[SIGQUIT_] = SIG_IGNORED;
	}
}

int64_t sys_spawn(struct proc *p, const struct spawn *s, struct proc **child)
{
	struct proc *c;
	int r;

	proc_charge(p, 20);
	r = proc_new(p->k, p, &c);
	if (r != 0)
		return r;
	r = fd_inherit(c, p);
	if (r == 0)
		r = proc_set_stack(c, s->fn, s->arg);
	if (r != 0) {
		proc_undo(c);
		return r;
	}
	if (s->name != NULL)
		proc_set_name(c, s->name);
	proc_set_spawned(c, s->pgid, s->ignore_int);
	if (s->stage != 0)
		c->stage = s->stage;
	ptrace_inherit(c, p);
	sched_ready(c);
	if (child != NULL)
		*child = c;
	if (tracing(p->k))
		trace_start(c, TRACE_START);
	return c->pid;
}

/* --- the host's processes --- */

static int open_console(struct proc *p)
{
	static const unsigned flags[3] = { O_RDONLY_, O_WRONLY_, O_WRONLY_ };

	for (int fd = 0; fd < 3; fd++) {
		struct file *f;
		int r = console_open(p->k, fd, flags[fd], &f);

		if (r == 0)
			r = fd_install(p, f, false);
		if (r < 0)
			return r;
	}
	return 0;
}

int kernel_start(struct kernel *k, const struct spawn *s, char *const *argv, char *const *envp,
		 struct proc **out)
{
	struct args args = { .path = "", .argv = argv, .envp = envp };
	struct proc *p;
	int r = proc_new(k, NULL, &p);

	if (r != 0)
		return r;
	if (s->name != NULL)
		proc_set_name(p, s->name);
	r = open_console(p);
	if (r == 0)
		r = args_set(p, &args);
	if (r == 0)
		r = proc_set_stack(p, s->fn, s->arg);
	if (r != 0) {
		proc_undo(p);
		return r;
	}
	if (s->ignore_int)
		proc_set_spawned(p, 0, true);
	sched_ready(p);
	if (tracing(k))
		trace_start(p, TRACE_START);
	*out = p;
	return 0;
}

int proc_restart(struct proc *p, int (*fn)(struct proc *, void *), void *arg)
{
	struct kernel *k = p->k;
	int r;

	if (p->state == PROC_ZOMBIE || p == k->current)
		return -E_SRCH;
	if (!p->priv->parked)
		stack_put_all(k, proc_set_parked(p));
	r = proc_set_stack(p, fn, arg);
	if (r != 0)
		return r;
	p->priv->parked = false;
	k->nlive++;
	(void)vfs_looked(k->vfs); /* what the host did meanwhile costs nothing */
	sched_ready(p);
	return 0;
}

void proc_set_survivor(struct proc *p, bool on)
{
	p->priv->survivor = on;
}

struct segment *proc_set_parked(struct proc *p)
{
	struct segment *top = p->priv->top;

	sched_forget(p);
	view_end_all(p);
	path_leave_opening(p);
	p->priv->top = NULL;
	p->priv->waits_child = false;
	p->priv->parked = true;
	p->state = PROC_BLOCKED;
	p->k->nlive--;
	return top;
}

void proc_park(struct proc *p)
{
	struct kernel *k = p->k;

	sched_settle(k);
	k->stop_run = true;
	sched_vanish(k, proc_set_parked(p));
}

int kernel_reap(struct kernel *k, int pid, int *status)
{
	struct proc *p = proc_find(k, pid);

	if (p == NULL || !p->priv->from_host)
		return -E_SRCH;
	if (p->state != PROC_ZOMBIE)
		return -E_AGAIN;
	if (status != NULL)
		*status = p->priv->status;
	proc_free(p);
	return 0;
}
