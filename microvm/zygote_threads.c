/* SPDX-License-Identifier: MIT
 *
 * The threads of a zygote, and what they wait for. They are kept where they wait in a call, which
 * each copy makes again; open files that the program has made for itself, pipes, counters and
 * sets of epoll, are kept as in a saved session.
 */
#include "microvm/zygote.h"

enum {
	REST_TURNS = 200, /* for the threads to come to rest */
	CALL_FUTEX = 202,
	CALL_EPOLL_WAIT = 232,
	CALL_EPOLL_PWAIT = 281,
};

static struct task *thread_after(const struct task *t, struct proc **p)
{
	while ((*p = proc_after(t->m->k, *p)) != NULL)
		if (*p != t->p && proc_owner_of(*p) == t->p && (*p)->release == task_release)
			return task_of(*p);
	return NULL;
}

static bool waits(const struct task *t)
{
	struct posture at;

	return proc_posture(t->p, &at) && t->runs && t->context != NULL && t->in_call && at.waits &&
	       !at.waits_host && !at.woken && at.moved == 0 && t->done == 0 && !t->mask_saved &&
	       !t->waits_signal && t->waits_vfork == 0 &&
	       (t->call == CALL_FUTEX || t->call == CALL_EPOLL_WAIT || t->call == CALL_EPOLL_PWAIT);
}

static bool all_wait(const struct task *t, int *n)
{
	struct proc *p = NULL;
	const struct task *thread;

	*n = 0;
	while ((thread = thread_after(t, &p)) != NULL) {
		if (!waits(thread))
			return false;
		++*n;
	}
	return true;
}

static void keep_thread(struct zygote_thread *to, const struct task *t)
{
	const struct cowsh_microvm *b = t->m->backend;

	to->state = *t;
	to->state.m = NULL;
	to->state.p = NULL;
	to->state.space = NULL;
	to->state.handlers = NULL;
	to->state.group = NULL;
	to->state.context = to->state.fpu = NULL;
	memset(to->state.held, 0, sizeof to->state.held);
	to->state.zygote = to->state.source = NULL;
	to->state.resumed = true;
	to->state.vfork_token = 0;
	to->sig_blocked = t->p->sig_blocked;
	b->context_get(t->m->vm, t->context, to->fpu, sizeof to->fpu);
}

static bool is_new(const void *arg, const struct proc *p, int fd)
{
	return !zygote_was_open(arg, p, fd);
}

static bool keep_open(struct task *t, struct zygote *z)
{
	struct buf b = buf_in(&t->p->arena);

	if (!proc_pack_own(t->p, is_new, z, &b))
		return false;
	z->made = zygote_alloc(t->m, z, b.len);
	if (z->made == NULL)
		return false;
	memcpy(z->made, b.ptr, b.len);
	z->nmade = b.len;
	return true;
}

bool zygote_rest(struct task *t, int *n)
{
	for (int i = 0; i < REST_TURNS; i++) {
		if (all_wait(t, n))
			return true;
		sys_yield(t->p);
	}
	return false;
}

bool zygote_keep_threads(struct task *t, struct zygote *z)
{
	struct proc *p = NULL;
	const struct task *thread;
	int n;

	if (!all_wait(t, &n))
		return false;
	z->threads = zygote_alloc(t->m, z, (size_t)n * sizeof *z->threads + 1);
	if (z->threads == NULL || z->nfpu > sizeof z->threads->fpu)
		return false;
	while ((thread = thread_after(t, &p)) != NULL)
		keep_thread(&z->threads[z->nthreads++], thread);
	return keep_open(t, z);
}

static int start_thread(struct task *t, const struct zygote *z, const struct zygote_thread *like)
{
	struct spawn s = { .fn = task_go_on };
	struct task *c = vm_alloc(t->m, sizeof *c);
	struct proc *p;
	uint32_t tid;
	int64_t r = -E_NOMEM;

	if (c == NULL)
		return -E_NOMEM;
	*c = like->state;
	c->m = t->m;
	c->space = space_get(t->space);
	c->handlers = t->handlers;
	c->handlers->refs++;
	c->group = t->group;
	c->group->refs++;
	c->nfpu = z->nfpu;
	c->fpu = vm_alloc(t->m, c->nfpu);
	if (c->fpu != NULL) {
		memcpy(c->fpu, like->fpu, c->nfpu);
		r = sys_spawn_thread(t->p, &s, &p);
	}
	if (r < 0) {
		task_free(c);
		return (int)r;
	}
	task_adopt(c, p);
	p->sig_blocked = like->sig_blocked;
	tid = (uint32_t)p->pid;
	if (c->clear_tid != 0)
		put_user(t, c->clear_tid, &tid, sizeof tid);
	return 0;
}

int zygote_start_threads(struct task *t, const struct zygote *z)
{
	struct posture at;
	int r = 0;

	/* What is half made would be lost if the process ended now. */
	proc_posture(t->p, &at);
	proc_set_whole(t->p, true);
	if (z->nmade != 0)
		r = proc_unpack_own(t->p, (struct bytes){ z->made, z->nmade });
	for (int i = 0; i < z->nthreads && r == 0; i++)
		r = start_thread(t, z, &z->threads[i]);
	if (r != 0)
		proc_end_threads(t->p, 0);
	proc_set_whole(t->p, at.whole);
	return r;
}
