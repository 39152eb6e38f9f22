/* SPDX-License-Identifier: MIT
 *
 * Signals with handlers: the frame on the program's stack, and the way back from it.
 */
#include "microvm/private.h"

#define SA_SIGINFO_   0x4u
#define SA_ONSTACK_   0x08000000u
#define SA_RESTART_   0x10000000u
#define SA_NODEFER_   0x40000000u
#define SA_RESETHAND_ 0x80000000u
#define SA_RESTORER_  0x04000000u

#define FP_MAGIC1 0x46505853u
#define FP_MAGIC2 0x46505845u

enum {
	RED_ZONE = 128,
	SW_BYTES = 464, /* where the description of the state stands in its legacy part */
	UC_FLAGS = 7,
	SS_DISABLE = 2,
	SS_ONSTACK = 1,
};

struct context {
	uint64_t flags;
	uint64_t link;
	uint64_t stack_at;
	uint64_t stack_flags;
	uint64_t stack_bytes;
	uint64_t r8, r9, r10, r11, r12, r13, r14, r15;
	uint64_t rdi, rsi, rbp, rbx, rdx, rax, rcx, rsp;
	uint64_t rip, rflags;
	uint16_t cs, gs, fs, ss;
	uint64_t error, trap, old_mask, cr2;
	uint64_t fp;
	uint64_t reserved[8];
	uint64_t mask;
};

struct frame {
	uint64_t back;
	struct context uc;
	struct signal_info info;
};

static uint64_t bit(int sig)
{
	return (uint64_t)1 << (sig - 1);
}

static bool on_alt_stack(const struct task *t)
{
	return t->alt_bytes != 0 && t->r.rsp > t->alt_stack &&
	       t->r.rsp - t->alt_stack <= t->alt_bytes;
}

uint32_t alt_stack_flags(const struct task *t)
{
	if (t->alt_bytes == 0)
		return SS_DISABLE;
	return on_alt_stack(t) ? SS_ONSTACK : 0;
}

/* --- the frame --- */

static void fill_context(const struct task *t, struct context *c, uint64_t mask)
{
	const struct cowsh_vm_registers *r = &t->r;

	*c = (struct context){
		.flags = UC_FLAGS,
		.stack_at = t->alt_stack,
		.stack_flags = alt_stack_flags(t),
		.stack_bytes = t->alt_bytes,
		.r8 = r->r8,
		.r9 = r->r9,
		.r10 = r->r10,
		.r11 = r->r11,
		.r12 = r->r12,
		.r13 = r->r13,
		.r14 = r->r14,
		.r15 = r->r15,
		.rdi = r->rdi,
		.rsi = r->rsi,
		.rbp = r->rbp,
		.rbx = r->rbx,
		.rdx = r->rdx,
		.rax = r->rax,
		.rcx = r->rcx,
		.rsp = r->rsp,
		.rip = r->rip,
		.rflags = r->rflags,
		.cs = 0x33,
		.ss = 0x2b,
		.old_mask = mask,
		.mask = mask,
	};
}

/* The vector state, as the kernel of Linux leaves it for programs that look. Its address. */
static uint64_t push_state(struct task *t, uint64_t *at)
{
	struct microvm *m = t->m;
	char *area = call_memory(t, VECTOR_BYTES_MAX + 4);
	uint32_t n = (uint32_t)m->backend->context_get(m->vm, t->context, area, VECTOR_BYTES_MAX);
	uint32_t magic[2] = { FP_MAGIC1, n + 4 };
	uint64_t features = vector_features(n);
	uint32_t end = FP_MAGIC2;

	memcpy(area + SW_BYTES, magic, sizeof magic);
	memcpy(area + SW_BYTES + 8, &features, sizeof features);
	memcpy(area + SW_BYTES + 16, &n, sizeof n);
	memcpy(area + n, &end, sizeof end);
	*at = (*at - (n + 4)) & ~(uint64_t)63;
	return put_user(t, *at, area, n + 4) == 0 ? *at : 0;
}

static bool push_frame(struct task *t, int sig, const struct handler *h, struct frame *f)
{
	uint64_t at = t->r.rsp - RED_ZONE;

	if ((h->flags & SA_ONSTACK_) != 0 && t->alt_bytes != 0 && !on_alt_stack(t))
		at = t->alt_stack + t->alt_bytes;
	f->uc.fp = push_state(t, &at);
	if (f->uc.fp == 0)
		return false;
	at = ((at - sizeof *f) & ~(uint64_t)15) - 8;
	f->back = h->restorer;
	if (put_user(t, at, f, sizeof *f) != 0)
		return false;
	t->r.rsp = at;
	t->r.rip = h->address;
	t->r.rax = 0;
	t->r.rdi = (uint64_t)sig;
	t->r.rsi = at + offsetof(struct frame, info);
	t->r.rdx = at + offsetof(struct frame, uc);
	t->r.rflags = 0x202;
	return true;
}

static void run_handler(struct task *t, int sig, const struct signal_info *info,
			const struct cowsh_vm_event *e)
{
	struct handler h = t->handlers->of[sig];
	struct arena_mark mark = arena_mark(&t->p->arena);
	struct frame *f = call_memory(t, sizeof *f);
	uint64_t old = t->mask_saved ? t->saved_mask : t->p->sig_blocked;
	uint64_t now = t->p->sig_blocked | h.mask;
	bool ok;

	t->mask_saved = false;
	fill_context(t, &f->uc, old);
	f->info = *info;
	if (e != NULL) {
		f->uc.error = e->error;
		f->uc.trap = e->vector;
		f->uc.cr2 = e->address;
	}
	ok = (h.flags & SA_RESTORER_) != 0 && push_frame(t, sig, &h, f);
	arena_release(&t->p->arena, mark);
	if (!ok)
		task_kill(t, SIGSEGV_);
	if ((h.flags & SA_RESETHAND_) != 0) {
		t->handlers->of[sig].address = 0;
		sys_sigaction(t->p, sig, SIG_DEFAULT);
	}
	if ((h.flags & SA_NODEFER_) == 0)
		now |= bit(sig);
	sys_sigmask(t->p, now);
}

static void begin_again(struct task *t)
{
	t->r.rip -= 2;
	t->r.rax = t->call;
	t->restart = false;
}

/* As a program sees it: a child's status and a value that was sent stand at the same place. */
struct signal_info signal_info_of(int sig, const struct sig_source *s)
{
	return (struct signal_info){
		.signo = sig,
		.code = s->code,
		.address = (uint64_t)s->uid << 32 | (uint32_t)s->pid,
		.rest = { sig == SIGCHLD_ && s->code > 0 ? (uint64_t)(uint32_t)s->status
							 : s->value },
	};
}

/* What a tracer lets through that has no handler. */
static void act(struct task *t, int sig)
{
	if (t->handlers->of[sig].address == 1)
		return;
	if (sig_stops(sig) && task_is_traced(t))
		trace_group_stop(t, sig);
	else if (sig_ends(sig))
		task_kill(t, sig);
	else
		proc_act(t->p, sig);
}

/* Calls that Linux makes again after a signal that has no handler: a tracer sees those, too. */
static bool waits_on(const struct task *t)
{
	return !t->restart && (int64_t)t->r.rax == -E_INTR &&
	       (t->call == 7 || t->call == 23 || t->call == 35 || t->call == 202 || t->call == 230);
}

void signal_deliver(struct task *t, bool from_call)
{
	struct sig_source source;
	bool traced = task_is_traced(t);
	bool waits = from_call && traced && waits_on(t);
	int sig;

	trace_interrupt(t);
	while ((sig = proc_next_signal_from(t->p, &source)) != 0) {
		struct signal_info info = signal_info_of(sig, &source);
		const struct handler *h;

		if (traced && (sig = trace_signal(t, sig, &info)) == 0)
			continue;
		h = &t->handlers->of[sig];
		if (h->address <= 1 && traced)
			act(t, sig);
		if (h->address <= 1)
			continue;
		waits = false;
		if (from_call && t->restart && (h->flags & SA_RESTART_) != 0)
			begin_again(t);
		t->restart = false;
		if (sig == SIGALRM_)
			time_alarm_came(t);
		run_handler(t, sig, &info, NULL);
	}
	if (from_call && t->restart)
		begin_again(t);
	if (waits && !t->mask_saved) {
		begin_again(t);
		t->resumed = true;
	}
	if (t->mask_saved) {
		t->mask_saved = false;
		sys_sigmask(t->p, t->saved_mask);
	}
}

void signal_fault(struct task *t, int sig, int code, uint64_t address,
		  const struct cowsh_vm_event *e)
{
	struct signal_info info = { .signo = sig, .code = code, .address = address };

	sig = trace_signal(t, sig, &info);
	if (sig == 0)
		return;
	if (t->handlers->of[sig].address <= 1 || (t->p->sig_blocked & bit(sig)) != 0)
		task_kill(t, sig);
	run_handler(t, sig, &info, e);
}

/* --- calls --- */

/* The vector state of a frame: without its magic number only the old part. */
static bool take_state(struct task *t, uint64_t at)
{
	char *area = call_memory(t, VECTOR_BYTES_MAX);
	uint32_t magic;
	uint32_t n;

	memset(area, 0, VECTOR_BYTES_MAX);
	if (get_user(t, &magic, at + SW_BYTES, sizeof magic) != 0 ||
	    get_user(t, &n, at + SW_BYTES + 16, sizeof n) != 0)
		return false;
	if (magic != FP_MAGIC1) {
		n = VECTOR_BYTES_MIN;
		area[512] = 3; /* x87 and SSE */
	} else if (n < VECTOR_BYTES_MIN || n > VECTOR_BYTES_MAX) {
		return false;
	}
	return get_user(t, area, at, magic != FP_MAGIC1 ? 512 : n) == 0 &&
	       t->m->backend->context_set(t->m->vm, t->context, area, n) == 0;
}

int64_t call_rt_sigreturn(struct task *t, const uint64_t *a)
{
	struct context *c = call_memory(t, sizeof *c);
	struct cowsh_vm_registers *r = &t->r;

	(void)a;
	if (get_user(t, c, r->rsp, sizeof *c) != 0)
		task_kill(t, SIGSEGV_);
	if (c->fp != 0 && !take_state(t, c->fp))
		task_kill(t, SIGSEGV_);
	*r = (struct cowsh_vm_registers){
		.r8 = c->r8,
		.r9 = c->r9,
		.r10 = c->r10,
		.r11 = c->r11,
		.r12 = c->r12,
		.r13 = c->r13,
		.r14 = c->r14,
		.r15 = c->r15,
		.rdi = c->rdi,
		.rsi = c->rsi,
		.rbp = c->rbp,
		.rbx = c->rbx,
		.rdx = c->rdx,
		.rax = c->rax,
		.rcx = c->rcx,
		.rsp = c->rsp,
		.rip = c->rip,
		.rflags = (c->rflags & FLAGS_USER) | 0x202,
		.fs_base = r->fs_base,
		.gs_base = r->gs_base,
	};
	if (c->stack_flags == 0 || c->stack_flags == SS_ONSTACK) {
		t->alt_stack = c->stack_at;
		t->alt_bytes = c->stack_bytes;
	}
	t->no_return = true;
	sys_sigmask(t->p, c->mask);
	return 0;
}

struct user_action {
	uint64_t handler;
	uint64_t flags;
	uint64_t restorer;
	uint64_t mask;
};

int64_t call_rt_sigaction(struct task *t, const uint64_t *a)
{
	int sig = (int)a[0];
	struct user_action u;
	struct handler *h;
	struct handler old;

	if (sig <= 0 || sig >= NSIG_ || a[3] != 8)
		return -E_INVAL;
	h = &t->handlers->of[sig];
	old = *h;
	if (a[1] != 0) {
		if (sig == SIGKILL_ || sig == SIGSTOP_)
			return -E_INVAL;
		if (get_user(t, &u, a[1], sizeof u) != 0)
			return -E_FAULT;
		*h = (struct handler){ u.handler, u.flags, u.restorer, u.mask };
		if (sig == SIGCHLD_)
			proc_owner_of(t->p)->no_zombies = (u.flags & SA_NOCLDWAIT_) != 0;
		sys_sigaction(t->p, sig,
			      u.handler == 0   ? SIG_DEFAULT
			      : u.handler == 1 ? SIG_IGNORED
					       : SIG_CAUGHT);
	}
	u = (struct user_action){ old.address, old.flags, old.restorer, old.mask };
	return a[2] != 0 ? put_user(t, a[2], &u, sizeof u) : 0;
}

int64_t call_rt_sigprocmask(struct task *t, const uint64_t *a)
{
	uint64_t old = t->p->sig_blocked;
	uint64_t set;

	if (a[3] != 8)
		return -E_INVAL;
	if (a[1] != 0) {
		if (get_user(t, &set, a[1], sizeof set) != 0)
			return -E_FAULT;
		switch ((int)a[0]) {
		case 0: set |= old; break;
		case 1: set = old & ~set; break;
		case 2: break;
		default: return -E_INVAL;
		}
		sys_sigmask(t->p, set);
	}
	return a[2] != 0 ? put_user(t, a[2], &old, sizeof old) : 0;
}

int64_t call_rt_sigpending(struct task *t, const uint64_t *a)
{
	uint64_t set = t->p->sig_pending & t->p->sig_blocked;

	return put_user(t, a[0], &set, sizeof set);
}

/* Another mask for the time of one call: the old one comes back after the handler. */
int64_t signal_mask_for_call(struct task *t, uint64_t address)
{
	uint64_t set;

	if (address == 0)
		return 0;
	if (get_user(t, &set, address, sizeof set) != 0)
		return -E_FAULT;
	t->saved_mask = t->p->sig_blocked;
	t->mask_saved = true;
	sys_sigmask(t->p, set);
	return 0;
}

int64_t call_rt_sigsuspend(struct task *t, const uint64_t *a)
{
	int64_t r = signal_mask_for_call(t, a[0]);

	return r != 0 ? r : sys_pause(t->p);
}

int64_t call_pause(struct task *t, const uint64_t *a)
{
	(void)a;
	return sys_pause(t->p);
}

/* Sleeps until a signal of the set comes: meanwhile they are as if handlers waited for them, so
 * that none acts by itself or is lost because it would do nothing. */
static void sleep_for_signals(struct task *t, uint64_t set, int64_t ns)
{
	struct proc *p = t->p;

	t->mask = p->sig_blocked;
	t->waits_signal = true;
	for (int sig = 1; sig < SIG_COUNT; sig++)
		if ((set & bit(sig)) != 0)
			p->sig_action[sig] = SIG_CAUGHT;
	p->sig_blocked = t->mask & ~set;
	if (ns == INT64_MAX)
		sys_pause(p);
	else
		sys_sleep(p, ns);
	p->sig_blocked = t->mask;
	t->waits_signal = false;
	handlers_apply(t);
}

/* Takes a signal of the set that is pending and blocked, or waits for one. */
int64_t call_rt_sigtimedwait(struct task *t, const uint64_t *a)
{
	struct proc *p = t->p;
	struct sig_source source;
	struct signal_info info;
	int64_t until = INT64_MAX;
	int64_t ns;
	uint64_t set;
	int sig;

	if (get_user(t, &set, a[0], sizeof set) != 0)
		return -E_FAULT;
	if (a[2] != 0) {
		int r = get_timespec(t, a[2], &ns);

		if (r != 0)
			return r;
		until = sys_now(p) + call_left(t, ns);
	}
	while ((sig = proc_take_signal(p, set, &source)) == 0) {
		ns = until == INT64_MAX ? INT64_MAX : until - sys_now(p);
		if (ns <= 0)
			return -E_AGAIN;
		sleep_for_signals(t, set, ns);
		if ((p->sig_pending & set) == 0 && proc_has_signal(p))
			return -E_INTR;
	}
	info = signal_info_of(sig, &source);
	if (a[1] != 0 && put_user(t, a[1], &info, sizeof info) != 0)
		return -E_FAULT;
	return sig;
}

int64_t call_sigaltstack(struct task *t, const uint64_t *a)
{
	struct {
		uint64_t at;
		uint32_t flags;
		uint32_t pad;
		uint64_t bytes;
	} in, old = { t->alt_stack, alt_stack_flags(t), 0, t->alt_bytes };

	if (a[0] != 0) {
		if (get_user(t, &in, a[0], sizeof in) != 0)
			return -E_FAULT;
		if (on_alt_stack(t))
			return -E_PERM;
		if ((in.flags & SS_DISABLE) == 0 && in.bytes < 2048)
			return -E_NOMEM;
		t->alt_stack = in.at;
		t->alt_bytes = (in.flags & SS_DISABLE) != 0 ? 0 : in.bytes;
	}
	return a[1] != 0 ? put_user(t, a[1], &old, sizeof old) : 0;
}

int64_t call_kill(struct task *t, const uint64_t *a)
{
	int pid = (int)a[0];
	struct proc *target = pid > 0 ? proc_find(t->m->k, pid) : NULL;

	if (target != NULL)
		pid = proc_owner_of(target)->pid;
	return sys_kill(t->p, pid, (int)a[1]);
}

/* From one thread to another. */
static int64_t send_to_thread(struct task *t, int tid, int sig)
{
	const struct sig_source s = { .code = SIG_BY_TKILL,
				      .pid = proc_owner_of(t->p)->pid,
				      .uid = t->p->cred.uid };

	return sys_signal(t->p, tid, sig, &s);
}

int64_t call_tkill(struct task *t, const uint64_t *a)
{
	return send_to_thread(t, (int)a[0], (int)a[1]);
}

int64_t call_tgkill(struct task *t, const uint64_t *a)
{
	struct proc *target = proc_find(t->m->k, (int)a[1]);

	if ((int)a[0] <= 0 || (int)a[1] <= 0)
		return -E_INVAL;
	if (target == NULL || proc_owner_of(target)->pid != (int)a[0])
		return -E_SRCH;
	return send_to_thread(t, (int)a[1], (int)a[2]);
}

/* A program may say what it likes of itself to itself; to others, not that the kernel sent it. */
static int64_t send_info(struct task *t, int pid, int sig, uint64_t address)
{
	struct signal_info info;
	struct sig_source s;

	if (get_user(t, &info, address, sizeof info) != 0)
		return -E_FAULT;
	if ((info.code >= 0 || info.code == SIG_BY_TKILL) && pid != proc_owner_of(t->p)->pid)
		return -E_PERM;
	s = (struct sig_source){ .code = info.code,
				 .pid = (int)(uint32_t)info.address,
				 .uid = (uint32_t)(info.address >> 32),
				 .status = (int)info.rest[0],
				 .value = info.rest[0] };
	return sys_signal(t->p, pid, sig, &s);
}

int64_t call_rt_sigqueueinfo(struct task *t, const uint64_t *a)
{
	return send_info(t, (int)a[0], (int)a[1], a[2]);
}

int64_t call_rt_tgsigqueueinfo(struct task *t, const uint64_t *a)
{
	struct proc *target = proc_find(t->m->k, (int)a[1]);

	if (target == NULL || proc_owner_of(target)->pid != (int)a[0])
		return -E_SRCH;
	return send_info(t, (int)a[1], (int)a[2], a[3]);
}
