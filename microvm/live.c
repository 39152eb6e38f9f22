/* SPDX-License-Identifier: MIT
 *
 * Programs of a session that is forked: they go on in the fork from where they are.
 *
 * A task can be copied where it stands between two instructions of its program, or in a call
 * that waits: then the copy makes the call again, on a new stack. What such a call had done
 * (bytes that it had moved, the time it had waited) is in the task, so that it is not done
 * again; no charge parts a call, see proc_set_whole. It can't be copied while it is being
 * started, or while a call waits for the host in the middle of something.
 */
#include "microvm/private.h"

enum { CALL_FUTEX = 202, RESTED = 1 };

/* --- whether --- */

/* Calls that go on where they were when some of their bytes are moved. */
static bool goes_on(uint64_t call)
{
	static const uint16_t calls[] = {
		0 /* read */,     1 /* write */,
		17 /* pread64 */, 18 /* pwrite64 */,
		20 /* writev */,  40 /* sendfile */,
		44 /* sendto */,  45 /* recvfrom */,
		46 /* sendmsg */, 326 /* copy_file_range */
	};

	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
		if (calls[i] == call)
			return true;
	return false;
}

static bool task_ready(const struct proc *p, const struct task *t)
{
	struct posture at;

	if (!proc_posture(p, &at) || !t->runs || p->launcher.len != 0)
		return false;
	if (!t->in_call || !at.whole)
		return true;
	if (!at.waits || at.waits_host || t->parted)
		return false;
	return goes_on(t->call) || (t->done == 0 && at.moved == 0);
}

static bool is_program(const struct proc *p)
{
	return p->release == task_release && p->task != NULL;
}

bool microvm_programs_ready(const struct proc *p)
{
	return !is_program(p) || task_ready(p, task_of(p));
}

bool microvm_ready(const struct proc *p)
{
	struct posture at;

	if (is_program(p))
		return task_ready(p, task_of(p));
	/* It may be about to become a program. */
	return proc_posture(p, &at) && p->state != PROC_READY;
}

/* --- copying --- */

static int copy_vectors(struct task *c, const struct task *t)
{
	const struct cowsh_microvm *b = t->m->backend;

	c->nfpu = t->context != NULL ? b->context_get(t->m->vm, t->context, NULL, 0) : t->nfpu;
	c->fpu = vm_alloc(c->m, c->nfpu);
	if (c->fpu == NULL)
		return -E_NOMEM;
	if (t->context != NULL)
		b->context_get(t->m->vm, t->context, c->fpu, c->nfpu);
	else
		memcpy(c->fpu, t->fpu, c->nfpu);
	return 0;
}

/* Where it waits decides how it goes on. */
static void arrange(struct task *c, const struct task *t)
{
	struct posture at;
	bool moved;

	proc_posture(t->p, &at);
	c->resumed = t->in_call;
	if (!t->in_call)
		return;
	if (t->mask_saved) {
		c->p->sig_blocked = t->saved_mask;
		c->mask_saved = false;
	}
	if (t->waits_signal) {
		c->p->sig_blocked = t->mask;
		c->waits_signal = false;
	}
	handlers_apply(c); /* a call may have changed them for its time */
	if (at.waits)
		c->done += at.moved;
	if (at.waits && t->waits_vfork != 0 && at.woken)
		c->waits_vfork = 0;
	if (!at.waits || t->call != CALL_FUTEX)
		return;
	moved = (at.futex.at & PAGE_MASK_) != (t->r.rdi & PAGE_MASK_);
	c->has_result = moved || (at.woken && (at.result == 0 || at.result == -E_TIMEDOUT));
	c->result = at.woken && !moved ? at.result : 0;
}

/* What threads have together. */
static int copy_shared(struct copying *w, struct task *c, const struct task *t)
{
	int r = space_share(w, t->space, c->m, &c->space);

	if (r == 0)
		r = handlers_share(w, c, t);
	return r == 0 ? group_share(w, c, t) : r;
}

static int copy_task(struct copying *w, struct microvm *to, const struct task *t)
{
	struct task *c = vm_alloc(to, sizeof *c);
	struct proc *p = NULL;
	int r;

	if (c == NULL)
		return -E_NOMEM;
	*c = *t;
	c->m = to;
	c->p = NULL;
	c->space = NULL;
	c->handlers = NULL;
	c->group = NULL;
	c->context = NULL;
	c->fpu = NULL;
	memset(c->held, 0, sizeof c->held);
	c->seen = NULL;
	c->trace = (struct trace){ .call = -1 };
	c->zygote = c->source = NULL;
	r = copy_shared(w, c, t);
	if (r == 0)
		r = copy_vectors(c, t);
	if (r == 0)
		r = proc_copy(w, t->p, task_go_on, NULL, &p);
	if (r != 0) {
		task_free(c);
		return r;
	}
	task_adopt(c, p);
	if (proc_owner_of(p) == p)
		c->group->owner = p;
	arrange(c, t);
	return 0;
}

static int copy_each(struct copying *w, struct microvm *from, struct microvm *to, bool threads)
{
	struct proc *p = NULL;
	int r = 0;

	while (r == 0 && (p = proc_after(from->k, p)) != NULL)
		if (is_program(p) && (proc_owner_of(p) != p) == threads)
			r = copy_task(w, to, task_of(p));
	return r;
}

int microvm_copy(struct microvm *from, struct microvm *to, struct copying *w)
{
	struct proc *p = NULL;
	int r;

	while ((p = proc_after(from->k, p)) != NULL)
		if (is_program(p) && !task_ready(p, task_of(p)))
			return -E_AGAIN;
	to->tokens = from->tokens;
	to->start_ns = from->start_ns;
	to->saved = from->saved;
	r = ipc_copy(w, from, to);
	if (r == 0)
		r = copy_each(w, from, to, false);
	if (r == 0)
		r = copy_each(w, from, to, true);
	return r == 0 ? ipc_copy_undo(w, from, to) : r;
}

/* --- going on --- */

int task_make_ready(struct task *t)
{
	struct microvm *m = t->m;
	int r = microvm_open(m, t->p);

	if (r == 0 && t->space->tables == NULL) {
		r = space_make_tables(t->space);
		if (r == 0)
			r = space_enter(t->space);
	}
	if (r == 0 && m->backend->context_new(m->vm, NULL, &t->context) != 0)
		r = -E_NOMEM;
	if (r == 0 && m->backend->context_set(m->vm, t->context, t->fpu, t->nfpu) != 0)
		r = -E_NOMEM;
	vm_free(m, t->fpu, t->nfpu);
	t->fpu = NULL;
	return r;
}

int task_go_on(struct proc *p, void *arg)
{
	struct task *t = task_of(p);

	(void)arg;
	if (task_make_ready(t) != 0)
		task_kill(t, SIGKILL_);
	task_resume(t);
}

int64_t call_left(struct task *t, int64_t ns)
{
	int64_t now = sys_now(t->p);
	int64_t left;

	if (ns <= 0)
		return ns;
	if (!t->resumed || t->deadline == 0)
		t->deadline = ns > INT64_MAX - now ? INT64_MAX : now + ns;
	left = t->deadline - now;
	return left > 0 ? left : 0;
}

int64_t call_left_now(const struct task *t)
{
	int64_t left = t->deadline - sys_now(t->p);

	return t->deadline != 0 && left > 0 ? left : 0;
}

void call_rest(struct task *t)
{
	proc_set_whole(t->p, false);
	proc_charge(t->p, RESTED);
	proc_set_whole(t->p, true);
}
