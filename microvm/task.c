/* SPDX-License-Identifier: MIT
 *
 * Tasks: the loop that runs a program, and how tasks begin and end.
 */
#include "microvm/private.h"

enum {
	VECTOR_DIVIDE = 0,
	VECTOR_DEBUG = 1,
	VECTOR_BREAKPOINT = 3,
	VECTOR_OPCODE = 6,
	VECTOR_PROTECTION = 13,
	VECTOR_PAGE = 14,
	VECTOR_X87 = 16,
	VECTOR_ALIGNMENT = 17,
	VECTOR_SIMD = 19,
	FAULT_WRITE = 2,
	FAULT_FETCH = 16,
};

void *vm_alloc(struct microvm *m, size_t n)
{
	return heap_alloc(kernel_heap(m->k), n);
}

void vm_free(struct microvm *m, void *block, size_t n)
{
	heap_free(kernel_heap(m->k), block, n);
}

/* --- life --- */

struct handlers *handlers_new(struct microvm *m, const struct handlers *like)
{
	struct handlers *h = vm_alloc(m, sizeof *h);

	if (h == NULL)
		return NULL;
	*h = (struct handlers){ .refs = 1, .m = m };
	if (like != NULL)
		memcpy(h->of, like->of, sizeof h->of);
	return h;
}

void handlers_put(struct handlers *h)
{
	if (h != NULL && --h->refs == 0)
		vm_free(h->m, h, sizeof *h);
}

struct group *group_new(struct microvm *m)
{
	struct group *g = vm_alloc(m, sizeof *g);

	if (g != NULL)
		*g = (struct group){ .refs = 1, .m = m };
	return g;
}

/* Signals that are caught have their default action again. */
static void handlers_clear(struct handlers *h)
{
	for (int sig = 1; sig < NSIG_; sig++)
		h->of[sig] = (struct handler){ .address = h->of[sig].address == 1 };
}

/* As their actions say, signals are ignored, caught, or act. */
void handlers_apply(struct task *t)
{
	t->p->no_zombies = (t->handlers->of[SIGCHLD_].flags & SA_NOCLDWAIT_) != 0;
	for (int sig = 1; sig < NSIG_; sig++) {
		uint64_t address = t->handlers->of[sig].address;

		t->p->sig_action[sig] = address == 0   ? SIG_DEFAULT
					: address == 1 ? SIG_IGNORED
						       : SIG_CAUGHT;
	}
}

int handlers_share(struct copying *w, struct task *c, const struct task *t)
{
	c->handlers = copy_find(w, t->handlers);
	if (c->handlers != NULL) {
		c->handlers->refs++;
		return 0;
	}
	c->handlers = handlers_new(c->m, t->handlers);
	return c->handlers != NULL ? copy_note(w, t->handlers, c->handlers) : -E_NOMEM;
}

int group_share(struct copying *w, struct task *c, const struct task *t)
{
	c->group = copy_find(w, t->group);
	if (c->group != NULL) {
		c->group->refs++;
		return 0;
	}
	c->group = group_new(c->m);
	if (c->group == NULL)
		return -E_NOMEM;
	c->group->timer_at = t->group->timer_at;
	c->group->timer_every = t->group->timer_every;
	memcpy(c->group->cpu_timer_at, t->group->cpu_timer_at, sizeof c->group->cpu_timer_at);
	memcpy(c->group->cpu_timer_every, t->group->cpu_timer_every,
	       sizeof c->group->cpu_timer_every);
	c->group->exit_status = t->group->exit_status;
	c->group->owner_gone = t->group->owner_gone;
	return copy_note(w, t->group, c->group);
}

void group_put(struct group *g)
{
	if (g != NULL && --g->refs == 0)
		vm_free(g->m, g, sizeof *g);
}

void task_free(struct task *t)
{
	struct microvm *m = t->m;

	if (t->context != NULL)
		m->backend->context_free(m->vm, t->context);
	vm_free(m, t->fpu, t->nfpu);
	if (t->space != NULL)
		space_put(t->space);
	handlers_put(t->handlers);
	group_put(t->group);
	vm_free(m, t, sizeof *t);
}

void task_let_go(struct task *t, int held)
{
	struct file *f = t->held[held];

	t->held[held] = NULL;
	if (f != NULL)
		file_put(f);
}

static void let_go(struct task *t)
{
	for (int i = 0; i < HELD_MAX; i++)
		task_let_go(t, i);
	if (t->seen != NULL)
		space_put(t->seen);
	t->seen = NULL;
}

/* What an owner waits for that has ended before its threads. */
static struct futex_key end_of_thread(const struct group *g)
{
	return (struct futex_key){ (uint64_t)(uintptr_t)g, 2 };
}

void task_release(struct proc *p)
{
	struct task *t = p->task;

	if (t == NULL)
		return;
	p->task = NULL;
	p->program = NULL;
	if (t->vfork_token != 0)
		kernel_futex_wake(p->k, (struct futex_key){ t->vfork_token, 1 }, 1, 1);
	let_go(t);
	robust_leave(t);
	if (p->launcher.len != 0)
		zygote_leave(t);
	if (--t->group->tasks == 0)
		sem_leave(t);
	if (t->group->owner_gone)
		kernel_futex_wake(p->k, end_of_thread(t->group), 1, 1);
	task_free(t);
}

void task_adopt(struct task *t, struct proc *p)
{
	t->p = p;
	t->group->tasks++;
	p->task = t;
	p->release = task_release;
	p->program = &microvm_program;
}

int task_new(struct microvm *m, struct proc *p, struct task **out)
{
	struct task *t = vm_alloc(m, sizeof *t);
	int r = -E_NOMEM;

	if (t == NULL)
		return r;
	*t = (struct task){ .m = m };
	t->handlers = handlers_new(m, NULL);
	t->group = group_new(m);
	if (t->handlers != NULL && t->group != NULL)
		r = space_new(m, &t->space);
	if (r == 0 && m->backend->context_new(m->vm, NULL, &t->context) != 0)
		r = -E_NOMEM;
	if (r != 0) {
		task_free(t);
		return r;
	}
	for (int sig = 1; sig < NSIG_; sig++)
		t->handlers->of[sig].address = p->sig_action[sig] == SIG_IGNORED;
	task_adopt(t, p);
	*out = t;
	return 0;
}

int task_renew(struct task *t)
{
	struct microvm *m = t->m;
	struct space *s;
	void *context;
	int r = space_new(m, &s);

	robust_leave(t);
	if (r != 0)
		return r;
	if (m->backend->context_new(m->vm, NULL, &context) != 0) {
		space_put(s);
		return -E_NOMEM;
	}
	space_put(t->space);
	m->backend->context_free(m->vm, t->context);
	t->space = s;
	t->context = context;
	memset(t->handlers->of, 0, sizeof t->handlers->of);
	t->p->no_zombies = false;
	for (int sig = 1; sig < NSIG_; sig++) {
		if (t->p->sig_action[sig] == SIG_CAUGHT)
			t->p->sig_action[sig] = SIG_DEFAULT;
		t->handlers->of[sig].address = t->p->sig_action[sig] == SIG_IGNORED;
	}
	t->r = (struct cowsh_vm_registers){ 0 };
	t->clear_tid = t->robust_list = 0;
	t->alt_stack = t->alt_bytes = t->alt_flags = 0;
	return 0;
}

/* --- clone --- */

static int copy_task(struct task *t, uint64_t flags, struct task **out)
{
	struct microvm *m = t->m;
	struct task *c = vm_alloc(m, sizeof *c);
	int r = 0;

	if (c == NULL)
		return -E_NOMEM;
	*c = *t;
	c->space = NULL;
	c->context = NULL;
	c->group = NULL;
	c->handlers = NULL;
	c->clear_tid = 0;
	c->robust_list = 0;
	c->set_tid = 0;
	c->vfork_token = 0;
	memset(c->held, 0, sizeof c->held);
	c->seen = NULL;
	c->zygote = c->source = NULL;
	c->mask_saved = false;
	c->in_call = c->resumed = c->sem_wait.waits = false;
	c->trace = (struct trace){ .call = -1 };
	if ((flags & CLONE_SIGHAND_) != 0) {
		c->handlers = t->handlers;
		c->handlers->refs++;
	} else {
		c->handlers = handlers_new(m, t->handlers);
	}
	if ((flags & CLONE_CLEAR_SIGHAND_) != 0 && c->handlers != NULL)
		handlers_clear(c->handlers);
	if ((flags & CLONE_THREAD_) != 0) {
		c->group = t->group;
		c->group->refs++;
	} else {
		c->group = group_new(m);
	}
	if ((flags & CLONE_VM_) != 0)
		c->space = space_get(t->space);
	else
		r = space_copy(t->space, &c->space);
	if ((flags & CLONE_VM_) != 0 && (flags & CLONE_VFORK_) == 0)
		c->alt_bytes = 0;
	if (c->handlers == NULL || c->group == NULL)
		r = -E_NOMEM;
	if (r == 0 && m->backend->context_new(m->vm, t->context, &c->context) != 0)
		r = -E_NOMEM;
	if (r == 0)
		*out = c;
	else
		task_free(c);
	return r;
}

static int64_t start(struct task *t, struct task *c, const struct clone *how, struct proc **out)
{
	struct spawn s = { .fn = task_entry, .arg = c };
	int64_t r = (how->flags & CLONE_THREAD_) != 0 ? sys_spawn_thread(t->p, &s, out)
						      : sys_spawn(t->p, &s, out);

	if (r < 0)
		return r;
	task_adopt(c, *out);
	handlers_apply(c);
	if ((how->flags & CLONE_THREAD_) == 0)
		c->group->owner = *out;
	return r;
}

/* The parent of a vfork sleeps until its child's task is released, whatever signals come. */
static void wait_for_vfork(struct task *t)
{
	t->p->sig_blocked = ~(uint64_t)0;
	if (t->waits_vfork != 0)
		sys_futex_wait(t->p, (struct futex_key){ t->waits_vfork, 1 }, 1, 0);
	t->waits_vfork = 0;
	t->vfork_pid = 0;
	sys_sigmask(t->p, t->mask);
}

/* A descriptor that stands for the new process, which is ended if there can be none. */
static int64_t put_pidfd(struct task *t, uint64_t address, int pid)
{
	int64_t fd = sys_pidfd(t->p, pid, 0);
	int32_t number = (int32_t)fd;

	if (fd >= 0 && put_user(t, address, &number, sizeof number) != 0) {
		sys_close(t->p, (int)fd);
		fd = -E_FAULT;
	}
	if (fd < 0)
		sys_kill(t->p, pid, SIGKILL_);
	return fd < 0 ? fd : 0;
}

/* What its making is for who traces. */
static int clone_event(uint64_t flags)
{
	if ((flags & CLONE_UNTRACED_) != 0)
		return 0;
	if ((flags & CLONE_VFORK_) != 0)
		return EVENT_VFORK;
	return (flags & CLONE_VM_) != 0 ? EVENT_CLONE : EVENT_FORK;
}

int64_t task_clone(struct task *t, const struct clone *how)
{
	uint64_t f = how->flags;
	struct task *c;
	struct proc *p;
	uint32_t tid;
	uint64_t token = 0;
	int event = clone_event(f);
	int64_t r;

	if (((f & CLONE_THREAD_) != 0 && (f & CLONE_SIGHAND_) == 0) ||
	    ((f & CLONE_SIGHAND_) != 0 && (f & CLONE_VM_) == 0) || (f & CLONE_NEW_) != 0 ||
	    ((f & CLONE_PIDFD_) != 0 && (f & CLONE_THREAD_) != 0) ||
	    (f & (CLONE_SIGHAND_ | CLONE_CLEAR_SIGHAND_)) ==
		    (CLONE_SIGHAND_ | CLONE_CLEAR_SIGHAND_))
		return -E_INVAL;
	/* A base that is not canonical would stop the machine. */
	if ((f & CLONE_SETTLS_) != 0 && how->tls >= USER_END)
		return -E_PERM;
	r = copy_task(t, f, &c);
	if (r != 0)
		return r;
	c->r.rax = 0;
	if (how->stack != 0)
		c->r.rsp = how->stack;
	if ((f & CLONE_SETTLS_) != 0)
		c->r.fs_base = how->tls;
	if ((f & CLONE_CHILD_CLEARTID_) != 0)
		c->clear_tid = how->child_tid;
	if ((f & CLONE_CHILD_SETTID_) != 0)
		c->set_tid = how->child_tid;
	if ((f & CLONE_VFORK_) != 0)
		token = c->vfork_token = ++t->m->tokens;
	r = start(t, c, how, &p);
	if (r < 0) {
		task_free(c);
		return r;
	}
	trace_child(t, c, event);
	/* From here on the child may be gone: what is written to the program may take time. */
	tid = (uint32_t)r;
	if ((f & CLONE_PARENT_SETTID_) != 0)
		put_user(t, how->parent_tid, &tid, sizeof tid);
	if ((f & CLONE_PIDFD_) != 0 && (r = put_pidfd(t, how->pidfd, (int)tid)) != 0)
		return r;
	r = tid;
	if (token != 0) {
		t->waits_vfork = token;
		t->vfork_pid = (int)r;
		t->mask = t->p->sig_blocked;
		trace_event(t, event, tid);
		wait_for_vfork(t);
		event = EVENT_VFORK_DONE;
	}
	trace_event(t, event, tid);
	return r;
}

/* --- the end --- */

static void leave_address(struct task *t)
{
	uint32_t zero = 0;

	if (t->clear_tid == 0 || t->space->refs < 2)
		return;
	if (put_user(t, t->clear_tid, &zero, sizeof zero) == 0)
		futex_wake(t, t->clear_tid, 1);
}

void task_exit(struct task *t, int status)
{
	struct proc *p = t->p;

	trace_leave(t, (status & 255) << 8);
	robust_leave(t);
	leave_address(t);
	if (!proc_has_threads(p))
		task_exit_group(t, status);
	if (proc_owner_of(p) != p)
		proc_exit(p, (status & 255) << 8);
	/* The process lives on in its threads; the last of them ends it. */
	t->group->exit_status = status;
	t->group->owner_gone = true;
	for (;;) {
		p->sig_blocked = ~(uint64_t)0;
		if (!proc_has_threads(p))
			task_exit_group(t, status);
		sys_futex_wait(p, end_of_thread(t->group), 1, 0);
	}
}

void task_exit_group(struct task *t, int status)
{
	trace_leave(t, (status & 255) << 8);
	space_sync(t->space);
	proc_exit_group(t->p, (status & 255) << 8);
}

void task_kill(struct task *t, int sig)
{
	trace_leave(t, sig);
	proc_exit_group(t->p, sig);
}

/* --- running --- */

/* The call is over: its result is for the program. */
static void end_call(struct task *t, int64_t result)
{
	t->in_call = t->resumed = t->has_result = false;
	t->restart = result == RESTART;
	if (!t->no_return)
		t->r.rax = (uint64_t)(result == RESTART ? -E_INTR : result);
	proc_set_whole(t->p, false);
	trace_exit(t);
	if (proc_has_signal(t->p) || t->mask_saved || t->restart || proc_ptrace(t->p)->interrupt)
		signal_deliver(t, true);
}

static int64_t run_call(struct task *t, const uint64_t *a)
{
	int64_t result;

	for (int i = 0; i < HELD_ARGUMENTS && proc_has_threads(t->p); i++)
		if (syscall_takes_descriptor(t->call, i))
			t->held[i] = sys_file(t->p, (int)a[i]);
	result = syscall_run(t, t->call, a);
	let_go(t);
	return result;
}

static void make_call(struct task *t, const uint64_t a[6])
{
	struct arena_mark mark = arena_mark(&t->p->arena);
	int64_t result;

	proc_charge(t->p, SYSCALL_STEPS);
	proc_set_whole(t->p, true);
	if (t->p->launcher.len != 0 && !zygote_call(t, t->call, a)) {
		t->in_call = false;
		proc_set_whole(t->p, false);
		arena_release(&t->p->arena, mark);
		return;
	}
	result = run_call(t, a);
	arena_release(&t->p->arena, mark);
	end_call(t, result);
}

static void begin_call(struct task *t)
{
	t->call = t->r.rax;
	t->done = 0;
	t->deadline = 0;
	t->parted = false;
}

/* Not between the end of a run and what it is for: who is copied here must know that. */
static void charge_run(struct task *t, uint64_t steps)
{
	if (steps != 0)
		proc_charge(t->p, steps);
	time_was_used(t);
}

/* The call that the registers say, once its tracer has seen it. The program has run `steps`. */
static void call(struct task *t, uint64_t steps)
{
	const struct cowsh_vm_registers *r = &t->r;

	if (!t->resumed || t->call != r->rax)
		begin_call(t);
	t->in_call = true;
	t->no_return = false;
	charge_run(t, steps);
	if (trace_entry(t))
		make_call(t, (const uint64_t[6]){ r->rdi, r->rsi, r->rdx, r->r10, r->r8, r->r9 });
	else
		end_call(t, (int64_t)r->rax);
}

/* In the coroutine of a copy: what was under way when it was made. */
void task_resume(struct task *t)
{
	if (t->vfork_pid != 0) {
		int pid = t->vfork_pid;

		wait_for_vfork(t);
		end_call(t, pid);
	} else if (t->has_result) {
		end_call(t, t->result);
	} else if (t->in_call && !t->no_return) {
		call(t, 0);
	} else {
		t->in_call = t->resumed = false;
		signal_deliver(t, true);
	}
	task_loop(t);
}

static void page_fault(struct task *t, const struct cowsh_vm_event *e)
{
	unsigned want = PROT_READ_;
	const struct area *a;
	int r;

	if ((e->error & FAULT_WRITE) != 0)
		want = PROT_WRITE_;
	else if ((e->error & FAULT_FETCH) != 0)
		want = PROT_EXEC_;
	r = space_fault(t->p, t->space, e->address, want, true);
	if (r == 0 || r == -E_AGAIN) {
		proc_charge(t->p, SYSCALL_STEPS);
		return;
	}
	if (r == -E_NOMEM)
		proc_limit(t->p, LIMIT_MEMORY);
	a = space_area(t->space, e->address);
	signal_fault(t, r == -E_NXIO ? SIGBUS_ : SIGSEGV_,
		     r == -E_NXIO ? 2
		     : a != NULL  ? 2
				  : 1,
		     e->address, e);
}

static void trap(struct task *t, const struct cowsh_vm_event *e)
{
	switch (e->vector) {
	case VECTOR_PAGE: page_fault(t, e); break;
	case VECTOR_DIVIDE: signal_fault(t, SIGFPE_, 1, t->r.rip, e); break;
	case VECTOR_X87:
	case VECTOR_SIMD: signal_fault(t, SIGFPE_, 3, t->r.rip, e); break;
	case VECTOR_DEBUG: signal_fault(t, SIGTRAP_, 2, t->r.rip, e); break;
	case VECTOR_BREAKPOINT: signal_fault(t, SIGTRAP_, 128, 0, e); break;
	case VECTOR_OPCODE: signal_fault(t, SIGILL_, 2, t->r.rip, e); break;
	case VECTOR_ALIGNMENT: signal_fault(t, SIGBUS_, 1, 0, e); break;
	default: signal_fault(t, SIGSEGV_, 128, 0, e);
	}
}

/* What the machine may tell the program meanwhile; it notes what the program says. */
static struct cowsh_vm_notes *give_answers(struct task *t)
{
	struct cowsh_vm_notes *notes;
	bool may = t->m->answers && !task_is_traced(t);
	struct cowsh_vm_answers *a = may ? t->m->backend->answers(t->m->vm, &notes) : NULL;
	const struct proc *owner = proc_owner_of(t->p);

	if (a == NULL)
		return NULL;
	_Static_assert(sizeof a->action == sizeof t->handlers->of, "copied as a whole");
	a->pid = (uint32_t)owner->pid;
	a->tid = (uint32_t)t->p->pid;
	a->ppid = (uint32_t)owner->ppid;
	a->uid = t->p->real_uid;
	a->gid = t->p->real_gid;
	a->euid = t->p->cred.uid;
	a->egid = t->p->cred.gid;
	memcpy(a->action, t->handlers->of, sizeof a->action);
	a->brk = t->space->brk;
	task_stack_limit(t, a->stack_limit);
	notes->clear_tid = t->clear_tid;
	notes->robust_list = t->robust_list;
	return notes;
}

void task_loop(struct task *t)
{
	struct microvm *m = t->m;
	struct cowsh_vm_event e;

	t->runs = true;
	for (;;) {
		struct cowsh_vm_notes *notes = give_answers(t);
		uint64_t steps;

		trace_run(t);
		vdso_enter(t);
		m->backend->run(m->vm, t->space->tables, t->context, &t->r, &e);
		steps = vdso_leave(t);
		if (notes != NULL) {
			t->clear_tid = notes->clear_tid;
			t->robust_list = notes->robust_list;
		}
		if (e.exit != COWSH_VM_SYSCALL)
			t->trace.call = -1;
		trace_ran(t);
		switch (e.exit) {
		case COWSH_VM_SYSCALL: call(t, steps); break;
		case COWSH_VM_TRAP:
			trap(t, &e);
			charge_run(t, steps);
			break;
		case COWSH_VM_INTERRUPTED:
			charge_run(t, steps + (uint64_t)e.ran_ns / STEP_NS);
			signal_deliver(t, false);
			break;
		case COWSH_VM_BROKEN: task_kill(t, SIGKILL_);
		}
	}
}

int task_entry(struct proc *p, void *arg)
{
	struct task *t = task_of(p);
	uint32_t tid = (uint32_t)p->pid;

	(void)arg;
	if (t->set_tid != 0)
		put_user(t, t->set_tid, &tid, sizeof tid);
	t->set_tid = 0;
	if (task_is_traced(t))
		signal_deliver(t, false);
	task_loop(t);
}

/* --- the format's face --- */

int microvm_new(struct kernel *k, const struct cowsh_microvm *backend, struct microvm **out)
{
	struct heap *h = kernel_heap(k);
	struct microvm *m = store_alloc(h->store, sizeof *m);

	if (m == NULL)
		return -E_NOMEM;
	*m = (struct microvm){ .k = k, .store = h->store, .backend = backend };
	objects_begin(m);
	*out = m;
	return 0;
}

void microvm_warm(struct microvm *m, bool on)
{
	m->warm = on;
	if (!on)
		zygote_forget_all(m);
}

void microvm_share(struct microvm *from, struct microvm *to)
{
	if (from->warm && to->warm)
		zygote_share(from, to);
}

void microvm_clear(struct microvm *m)
{
	microvm_warm(m, false);
	ipc_clear(m);
}

void microvm_free(struct microvm *m)
{
	if (m == NULL)
		return;
	if (m->vm != NULL)
		m->backend->close(m->vm);
	store_free(m->store, m, sizeof *m);
}

static void say(struct proc *p, const char *name, const char *what)
{
	struct buf b = buf_in(&p->arena);

	buf_printf(&b, "%s: %s\n", name, what);
	sys_write(p, 2, b.ptr, b.len);
}

int microvm_open(struct microvm *m, struct proc *p)
{
	const char *why = "unknown reason";
	struct buf b = buf_in(&p->arena);
	size_t n;

	if (m->vm != NULL)
		return 0;
	if (m->why[0] == '\0' && m->backend->open(m->backend->user, &m->vm, &why) == 0) {
		m->answers = m->backend->size >= sizeof *m->backend && m->backend->answers != NULL;
		return 0;
	}
	if (m->why[0] == '\0') {
		buf_printf(&b, "cannot run real programs here: %s", why);
		n = b.len < sizeof m->why ? b.len : sizeof m->why - 1;
		memcpy(m->why, b.ptr, n);
	}
	return -E_NODEV;
}

int microvm_run(struct microvm *m, struct proc *p, const char *path, int argc, char **argv,
		char **envp)
{
	struct task *t;
	int r;

	/* While the machine is made, the program's file is read. */
	if (m->vm == NULL)
		exec_ahead(p, path);
	if (microvm_open(m, p) != 0) {
		say(p, argc > 0 ? argv[0] : path, m->why);
		return 126;
	}
	r = task_new(m, p, &t);
	if (r == 0) {
		t->group->owner = p;
		r = exec_load(t, path, argc, argv, envp);
	}
	if (r != 0) {
		say(p, argc > 0 ? argv[0] : path, err_text(r));
		return r == -E_NOENT ? 127 : 126;
	}
	arena_clear(&p->arena);
	trace_exec(t);
	task_loop(t);
}
