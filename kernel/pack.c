/* SPDX-License-Identifier: MIT
 *
 * A kernel and its first process as bytes, and back: what a saved session needs besides its
 * files. Every byte that is read may have been written by an attacker.
 *
 * Limits are not here: they are the host's. How much of them was used is.
 */
#include "base/pack.h"
#include "kernel/internal.h"

#define TIME_MAX  ((uint64_t)INT64_MAX / 4)
#define STEPS_MAX ((uint64_t)1 << 62)

void pack_cred(struct buf *out, const struct vfs_cred *c)
{
	pack_u64(out, c->uid);
	pack_u64(out, c->gid);
	pack_u64(out, c->ngroups);
	for (uint32_t i = 0; i < c->ngroups; i++)
		pack_u64(out, c->groups[i]);
}

void unpack_cred(struct unpack *in, struct vfs_cred *c)
{
	c->uid = (uint32_t)unpack_below(in, UINT32_MAX);
	c->gid = (uint32_t)unpack_below(in, UINT32_MAX);
	c->ngroups = (uint32_t)unpack_below(in, VFS_GROUPS_MAX);
	for (uint32_t i = 0; i < c->ngroups; i++)
		c->groups[i] = (uint32_t)unpack_below(in, UINT32_MAX);
}

void kernel_pack(const struct kernel *k, struct buf *out)
{
	pack_u64(out, (uint64_t)k->epoch_ns);
	pack_u64(out, (uint64_t)k->slept_ns);
	pack_u64(out, k->step_ps);
	pack_u64(out, kernel_steps(k));
	pack_u64(out, k->output_total + k->output_bytes);
	pack_u64(out, k->processes);
	pack_u64(out, (uint64_t)k->last_pid);
	pack_u64(out, k->pipes_made);
	pack_u64(out, k->ports_made);
	for (int i = 0; i < 4; i++)
		pack_u64(out, k->rng[i]);
	for (int i = 0; i < 2; i++)
		pack_u64(out, k->boot_id[i]);
	pack_text(out, k->hostname);
	pack_cred(out, &k->cred);
}

int kernel_unpack(struct kernel *k, struct unpack *in)
{
	struct bytes name;

	k->epoch_ns = (int64_t)unpack_u64(in);
	k->slept_ns = (int64_t)unpack_below(in, INT64_MAX);
	k->step_ps = unpack_below(in, (uint64_t)1 << 40);
	k->steps_total = k->steps_begin = k->steps_polled = unpack_below(in, STEPS_MAX);
	k->output_total = unpack_below(in, STEPS_MAX);
	k->processes = unpack_below(in, STEPS_MAX);
	k->last_pid = (int)unpack_below(in, PID_MAX - 1);
	k->pipes_made = unpack_below(in, STEPS_MAX);
	k->ports_made = (uint32_t)unpack_below(in, UINT32_MAX);
	for (int i = 0; i < 4; i++)
		k->rng[i] = unpack_u64(in);
	for (int i = 0; i < 2; i++)
		k->boot_id[i] = unpack_u64(in);
	name = unpack_text(in);
	if (name.ptr == NULL || name.len >= sizeof k->hostname)
		in->bad = true;
	unpack_cred(in, &k->cred);
	if (in->bad || k->epoch_ns < -(int64_t)TIME_MAX || k->step_ps == 0 ||
	    (k->rng[0] | k->rng[1] | k->rng[2] | k->rng[3]) == 0 ||
	    k->steps_total / 1000000 * k->step_ps > TIME_MAX / 1000)
		return -E_IO;
	memcpy(k->hostname, name.ptr, name.len);
	k->hostname[name.len] = '\0';
	return 0;
}

/* --- processes --- */

static void pack_traits(struct buf *out, const struct proc *p)
{
	const struct proc_traits *t = &p->traits;

	pack_u64(out, t->death_signal);
	pack_u64(out, t->subreaper);
	pack_u64(out, t->no_new_privs);
	pack_u64(out, t->hidden);
	pack_u64(out, t->slack_ns);
	pack_u64(out, t->usual_slack_ns);
	pack_u64(out, (uint64_t)p->priv->maker);
	pack_u64(out, (uint64_t)p->priv->mourned);
	pack_u64(out, p->priv->mourned_uid);
}

static void unpack_traits(struct unpack *in, struct proc *p)
{
	struct proc_traits *t = &p->traits;
	int mourned;
	uint32_t uid;

	t->death_signal = (uint8_t)unpack_below(in, SIG_COUNT - 1);
	t->subreaper = unpack_below(in, 1) != 0;
	t->no_new_privs = unpack_below(in, 1) != 0;
	t->hidden = unpack_below(in, 1) != 0;
	t->slack_ns = unpack_u64(in);
	t->usual_slack_ns = unpack_u64(in);
	p->priv->maker = (int)unpack_below(in, PID_MAX);
	mourned = (int)unpack_below(in, PID_MAX);
	uid = (uint32_t)unpack_below(in, UINT32_MAX);
	if (!in->bad && mourned != 0)
		proc_mourn(p, mourned, uid);
}

static void pack_attributes(struct packing *w, const struct proc *p)
{
	struct buf *out = w->out;
	char *path = NULL;

	pack_u64(out, (uint64_t)p->pid);
	pack_u64(out, (uint64_t)p->ppid);
	pack_u64(out, (uint64_t)p->pgid);
	pack_u64(out, (uint64_t)p->sid);
	pack_u64(out, p->umask);
	pack_cred(out, &p->cred);
	pack_u64(out, (uint64_t)(p->nice + 64));
	pack_u64(out, p->sig_blocked);
	pack_traits(out, p);
	for (int i = 0; i < 16; i++) {
		pack_u64(out, p->rlimit[i][0]);
		pack_u64(out, p->rlimit[i][1]);
	}
	pack_text(out, vfs_dir_path(p->k->vfs, p->cwd, w->a, &path) == 0 ? path : NULL);
	pack_u64(out, p->cwd);
}

void proc_pack(struct packing *w, const struct proc *p)
{
	pack_attributes(w, p);
	pack_descriptors(w, p);
}

/* A text that is followed by the next number, not by a NUL, as a C string in the arena. */
static struct bytes unpack_cstr(struct unpack *in, struct arena *a)
{
	struct bytes s = unpack_text(in);

	return s.ptr != NULL ? arena_bytes(a, s) : s;
}

/* Holds the directory at a path. 1: there is none any more, as when it was saved. */
static int hold_directory(struct kernel *k, const char *path, vfs_ino *out)
{
	static const struct vfs_cred root = { 0 };
	struct vfs_stat st;
	int r = vfs_lookup(k->vfs, &root, VFS_ROOT, path, 0, out);

	if (r == 0)
		r = vfs_getattr(k->vfs, *out, &st);
	if (r == 0)
		return (st.mode & S_FMT) == S_DIR ? vfs_hold(k->vfs, *out) : 1;
	return r == -E_IO || r == -E_NOMEM ? r : 1;
}

/* A directory without a name is found by its number. */
static int hold_nameless(struct kernel *k, vfs_ino ino)
{
	struct vfs_stat st;

	if (ino >> 63 != 0 || vfs_getattr(k->vfs, ino, &st) != 0 || (st.mode & S_FMT) != S_DIR)
		return 1;
	return vfs_hold(k->vfs, ino);
}

/* Where it was; the root if that is gone. */
static int unpack_cwd(struct unpacking *u, struct proc *p)
{
	struct bytes path = unpack_cstr(u->in, u->a);
	vfs_ino ino = unpack_u64(u->in);
	int r;

	if (u->in->bad || path.len >= VFS_PATH_MAX)
		return -E_IO;
	r = path.ptr != NULL ? hold_directory(p->k, path.ptr, &ino) : hold_nameless(p->k, ino);
	if (r != 0)
		return r == 1 ? 0 : r;
	vfs_drop(p->k->vfs, p->cwd);
	p->cwd = ino;
	return 0;
}

/* A process with the number that comes next, and its attributes. On failure *out may be one that
 * is to be undone. */
static int unpack_attributes(struct unpacking *u, struct proc **out)
{
	struct kernel *k = u->k;
	struct unpack *in = u->in;
	int last = k->last_pid;
	int pid = (int)unpack_below(in, PID_MAX - 1);
	struct proc *p;
	int r;

	*out = NULL;
	if (in->bad || pid == 0)
		return -E_IO;
	k->last_pid = pid - 1;
	r = proc_new(k, NULL, &p);
	k->last_pid = last > pid ? last : pid;
	if (r != 0)
		return r;
	k->processes--; /* it was counted when it was first made */
	*out = p;
	p->ppid = (int)unpack_below(in, PID_MAX);
	p->pgid = (int)unpack_below(in, PID_MAX);
	p->sid = (int)unpack_below(in, PID_MAX);
	p->umask = (uint32_t)unpack_below(in, 0777);
	unpack_cred(in, &p->cred);
	p->nice = (int)unpack_below(in, 127) - 64;
	p->sig_blocked = unpack_u64(in);
	unpack_traits(in, p);
	for (int i = 0; i < 16; i++) {
		p->rlimit[i][0] = unpack_u64(in);
		p->rlimit[i][1] = unpack_u64(in);
	}
	return p->pid == pid ? unpack_cwd(u, p) : -E_IO;
}

int kernel_start_packed(struct unpacking *u, const struct spawn *s, char *const *argv,
			struct proc **out)
{
	static char *const none[] = { NULL };
	struct args args = { .path = "", .argv = argv, .envp = none };
	struct proc *p;
	int r = unpack_attributes(u, &p);

	if (p != NULL)
		proc_set_name(p, s->name);
	if (r == 0)
		r = unpack_descriptors(u, p);
	if (r == 0)
		r = args_set(p, &args);
	if (r == 0)
		r = proc_set_stack(p, s->fn, s->arg);
	if (r != 0) {
		if (p != NULL)
			proc_undo(p);
		return r;
	}
	sched_ready(p);
	*out = p;
	return 0;
}

/* --- programs --- */

static void pack_list(struct buf *out, char *const *list)
{
	size_t n = 0;

	while (list != NULL && list[n] != NULL)
		n++;
	pack_u64(out, n);
	for (size_t i = 0; i < n; i++)
		pack_text(out, list[i]);
}

static char **unpack_list(struct unpacking *u)
{
	size_t n = unpack_count(u->in);
	char **list = arena_alloc(u->a, (n + 1) * sizeof *list);

	for (size_t i = 0; i < n; i++) {
		struct bytes s = unpack_cstr(u->in, u->a);

		u->in->bad = u->in->bad || s.ptr == NULL;
		list[i] = u->in->bad ? NULL : (char *)(uintptr_t)s.ptr;
	}
	list[n] = NULL;
	return list;
}

static void pack_source(struct buf *out, const struct sig_source *s)
{
	pack_u64(out, (uint64_t)(uint32_t)s->code);
	pack_u64(out, (uint64_t)(uint32_t)s->pid);
	pack_u64(out, s->uid);
	pack_u64(out, (uint64_t)(uint32_t)s->status);
	pack_u64(out, s->value);
}

static struct sig_source unpack_source(struct unpack *in)
{
	struct sig_source s;

	s.code = (int)(uint32_t)unpack_below(in, UINT32_MAX);
	s.pid = (int)(uint32_t)unpack_below(in, UINT32_MAX);
	s.uid = (uint32_t)unpack_below(in, UINT32_MAX);
	s.status = (int)(uint32_t)unpack_below(in, UINT32_MAX);
	s.value = unpack_u64(in);
	return s;
}

static void pack_signals(struct packing *w, const struct proc *p)
{
	const struct timer *alarm = &p->priv->alarm;

	pack_u64(w->out, p->sig_pending);
	pack_u64(w->out, p->priv->sources != NULL);
	for (int i = 0; p->priv->sources != NULL && i < SIG_COUNT; i++)
		pack_source(w->out, &p->priv->sources[i]);
	pack_u64(w->out, alarm->armed ? (uint64_t)alarm->sig : 0);
	pack_u64(w->out, alarm->armed ? (uint64_t)alarm->at_ns : 0);
	ptimer_pack_all(w, p);
}

static int unpack_signals(struct unpacking *u, struct proc *p)
{
	size_t size = SIG_COUNT * sizeof *p->priv->sources;

	p->sig_pending = unpack_u64(u->in);
	if (unpack_below(u->in, 1) != 0) {
		p->priv->sources = heap_alloc(&u->k->heap, size);
		if (p->priv->sources == NULL)
			return -E_NOMEM;
		for (int i = 0; i < SIG_COUNT; i++)
			p->priv->sources[i] = unpack_source(u->in);
	}
	/* The alarm is set when the process may run. */
	p->priv->alarm.sig = (int)unpack_below(u->in, SIG_COUNT - 1);
	p->priv->alarm.at_ns = (int64_t)unpack_below(u->in, INT64_MAX);
	return ptimer_unpack_all(u, p);
}

static void pack_accounts(struct buf *out, const struct proc *p)
{
	const uint64_t numbers[] = {
		p->real_uid,
		p->real_gid,
		p->saved_uid,
		p->saved_gid,
		p->steps,
		p->child_steps,
		p->bytes_read,
		p->bytes_written,
		(uint64_t)p->started_ns,
		(uint64_t)p->stage,
		(uint64_t)p->priv->status,
		p->priv->report_stop,
		p->priv->report_cont,
		p->priv->ran_exec,
		p->priv->loaded,
		(uint64_t)p->priv->from_line,
		p->priv->cpu_signalled,
		p->state == PROC_STOPPED,
		p->priv->parent != NULL ? (uint64_t)p->priv->parent->pid : 0,
	};

	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		pack_u64(out, numbers[i]);
	pack_text(out, p->name);
}

static void unpack_accounts(struct unpack *in, struct proc *p)
{
	struct bytes name;

	p->real_uid = (uint32_t)unpack_below(in, UINT32_MAX);
	p->real_gid = (uint32_t)unpack_below(in, UINT32_MAX);
	p->saved_uid = (uint32_t)unpack_below(in, UINT32_MAX);
	p->saved_gid = (uint32_t)unpack_below(in, UINT32_MAX);
	p->steps = unpack_below(in, STEPS_MAX);
	p->child_steps = unpack_below(in, STEPS_MAX);
	p->bytes_read = unpack_u64(in);
	p->bytes_written = unpack_u64(in);
	p->started_ns = (int64_t)unpack_u64(in);
	p->stage = (int)unpack_below(in, INT32_MAX);
	p->priv->status = (int)unpack_below(in, UINT16_MAX);
	p->priv->report_stop = unpack_below(in, 1) != 0;
	p->priv->report_cont = unpack_below(in, 1) != 0;
	p->priv->ran_exec = unpack_below(in, 1) != 0;
	p->priv->loaded = unpack_below(in, 1) != 0;
	p->priv->from_line = (int)unpack_below(in, INT32_MAX);
	p->priv->cpu_signalled = unpack_u64(in);
	p->priv->under = unpack_below(in, 1) != 0 ? PROC_STOPPED : PROC_READY;
	p->priv->from_host = false;
	p->priv->orphan = true;
	/* Whose child it is, until kernel_unpack_end links it. */
	p->ppid = (int)unpack_below(in, PID_MAX);
	name = unpack_text(in);
	if (name.ptr == NULL || name.len >= sizeof p->priv->comm)
		in->bad = true;
	if (in->bad)
		return;
	memcpy(p->priv->comm, name.ptr, name.len);
	p->priv->comm[name.len] = '\0';
}

void proc_pack_program(struct packing *w, const struct proc *p)
{
	const struct proc *owner = p->priv->owner;

	/* First what goes into the reader's arena: that may fail only while nothing is made. */
	pack_text(w->out, p->priv->path);
	pack_list(w->out, p->argv);
	pack_list(w->out, p->envp);
	pack_bytes(w->out, p->priv->start);
	pack_attributes(w, p);
	pack_accounts(w->out, p);
	pack_signals(w, p);
	pack_u64(w->out, owner != NULL ? (uint64_t)owner->pid : 0);
	if (owner == NULL)
		pack_descriptors(w, p);
}

/* The process that this one is a thread of. */
static int unpack_owner(struct unpacking *u, struct proc *p)
{
	int pid = (int)unpack_below(u->in, PID_MAX);
	struct proc *owner = pid != 0 && pid != p->pid ? proc_find(u->k, pid) : NULL;

	if (u->in->bad ||
	    (pid != 0 && (owner == NULL || owner->priv->owner != NULL || owner->priv->from_host)))
		return -E_IO;
	if (pid == 0)
		return unpack_descriptors(u, p);
	thread_link(owner, p);
	return 0;
}

static int unpack_program(struct unpacking *u, struct proc **out)
{
	struct args args = { .path = unpack_cstr(u->in, u->a).ptr };
	struct proc *p;
	int r;

	*out = NULL;
	args.argv = unpack_list(u);
	args.envp = unpack_list(u);
	args.start = unpack_bytes(u->in);
	if (u->in->bad || args.path == NULL)
		return -E_IO;
	r = unpack_attributes(u, out);
	if (r != 0)
		return r;
	p = *out;
	p->sig_blocked &= ~((uint64_t)1 << (SIGKILL_ - 1) | (uint64_t)1 << (SIGSTOP_ - 1));
	unpack_accounts(u->in, p);
	p->priv->format = "elf";
	r = args_set(p, &args);
	if (r == 0)
		r = unpack_signals(u, p);
	return r == 0 ? unpack_owner(u, p) : r;
}

int proc_unpack_program(struct unpacking *u, int (*fn)(struct proc *, void *), struct proc **out)
{
	struct arena_mark mark = arena_mark(u->a);
	int r = unpack_program(u, out);

	arena_release(u->a, mark);
	return r == 0 ? proc_set_stack(*out, fn, NULL) : r;
}

/* --- the rest --- */

void kernel_pack_rest(struct packing *w)
{
	for (const struct proc *p = w->live ? w->k->all_first : NULL; p != NULL;
	     p = p->priv->all_next) {
		if (p->state != PROC_ZOMBIE)
			continue;
		pack_u64(w->out, 1);
		pack_attributes(w, p);
		pack_accounts(w->out, p);
	}
	pack_u64(w->out, 0);
	lock_pack_all(w);
	pack_sets(w);
}

/* They are in order, so that each finds its place among all processes quickly. */
static int unpack_zombie(struct unpacking *u, int *last)
{
	struct proc *p;
	int r = unpack_attributes(u, &p);

	if (r != 0)
		return r;
	if (p->pid < *last)
		u->in->bad = true;
	*last = p->pid;
	unpack_accounts(u->in, p);
	vfs_drop(u->k->vfs, p->cwd);
	p->state = PROC_ZOMBIE;
	u->k->nprocs--;
	u->k->nlive--;
	return 0;
}

int kernel_unpack_rest(struct unpacking *u)
{
	int last = 0;
	int r = 0;

	while (r == 0 && unpack_below(u->in, 1) != 0)
		r = unpack_zombie(u, &last);
	if (r == 0)
		r = lock_unpack_all(u);
	if (r == 0)
		r = unpack_sets(u);
	return r == 0 && u->in->bad ? -E_IO : r;
}

/* Whether p may be a child of `of`: it is not above it. */
static bool may_have(const struct proc *of, const struct proc *p)
{
	if (of == NULL || of->priv->owner != NULL || of->state == PROC_ZOMBIE)
		return false;
	while (of != NULL && of != p)
		of = of->priv->parent;
	return of == NULL;
}

static void find_parent(struct proc *p)
{
	struct proc *parent = p->ppid != 0 ? proc_find(p->k, p->ppid) : NULL;

	p->ppid = PROC_PIDS_FIRST;
	if (!may_have(parent, p))
		return;
	p->priv->orphan = false;
	proc_link_child(parent, p);
}

static void let_run(struct proc *p)
{
	struct timer *alarm = &p->priv->alarm;
	int64_t at = alarm->at_ns;

	if (alarm->sig != 0) {
		alarm->p = p;
		timer_set(p->k, alarm, at);
	}
	ptimer_arm_all(p);
	if (p->priv->under == PROC_STOPPED) {
		p->state = PROC_STOPPED;
		p->priv->under = PROC_READY;
	} else {
		sched_ready(p);
	}
	if (tracing(p->k) && p->priv->owner == NULL)
		trace_start(p, TRACE_START);
}

void kernel_unpack_end(struct unpacking *u, bool run)
{
	for (struct proc *p = run ? u->k->all_first : NULL, *next; p != NULL; p = next) {
		next = p->priv->all_next;
		if (p->priv->from_host)
			continue;
		if (p->priv->owner != NULL)
			p->ppid = p->priv->owner->ppid;
		else
			find_parent(p);
		if (p->state != PROC_ZOMBIE)
			let_run(p);
		else if (p->priv->parent == NULL)
			proc_free(p);
	}
	unpack_forget(u);
	if (run)
		vfs_reap(u->k->vfs);
}
