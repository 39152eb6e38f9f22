/* SPDX-License-Identifier: MIT
 *
 * ptrace, and reading and writing another program's memory.
 */
#include "microvm/private.h"

enum request {
	TRACEME,
	PEEKTEXT,
	PEEKDATA,
	PEEKUSER,
	POKETEXT,
	POKEDATA,
	POKEUSER,
	CONT,
	KILL,
	SINGLESTEP,
	GETREGS = 12,
	SETREGS,
	GETFPREGS,
	SETFPREGS,
	ATTACH,
	DETACH,
	SYSCALL = 24,
	SETOPTIONS = 0x4200,
	GETEVENTMSG,
	GETSIGINFO,
	SETSIGINFO,
	GETREGSET,
	SETREGSET,
	SEIZE,
	INTERRUPT,
	LISTEN,
	GETSIGMASK = 0x420a,
	SETSIGMASK,
	GET_SYSCALL_INFO = 0x420e,
};

enum {
	/* Of calls, forks, vforks, clones, exec, ends of vforks, ends; EXITKILL. */
	OPTIONS = 0x7f | PTRACE_EXIT_KILLS,
	REGISTERS = 27, /* struct user_regs_struct */
	ORIG_RAX = 15,
	DEBUG_AT = 848, /* of struct user: its debug registers */
	USER_BYTES = 912,
	NT_PRSTATUS = 1,
	NT_PRFPREG = 2,
	NT_X86_XSTATE = 0x202,
	FP_BYTES = 512,
	XSAVE_FEATURES = 464, /* where the regset says which parts there are */
	ARCH_X86_64 = (int)0xc000003e,
	INFO_ENTRY_BYTES = 80,
	INFO_EXIT_BYTES = 33,
	INFO_NONE_BYTES = 24,
	ERRORS_MAX = 4095,
};

/* --- who --- */

/* A program that runs, by its number or a thread's. */
static struct task *find(struct task *t, uint64_t pid)
{
	struct proc *p = proc_find(t->m->k, (int)pid);

	return p != NULL && p->state != PROC_ZOMBIE && p->release == task_release ? task_of(p)
										  : NULL;
}

/* A process that the caller traces. */
static struct proc *traced(struct task *t, uint64_t pid)
{
	struct proc *p = proc_find(t->m->k, (int)pid);

	return p != NULL && p->state != PROC_ZOMBIE && proc_ptrace(p)->tracer == proc_owner_of(t->p)
		       ? p
		       : NULL;
}

static bool waits_for_tracer(struct proc *p)
{
	return proc_ptrace(p)->stopped && !proc_ptrace(p)->listens;
}

/* From the caller's memory, for a program that it traces. While that memory comes from the host
 * others run, and one of the caller's threads may let the program go on, or end it: -E_SRCH. */
static int64_t get_for(struct task *t, const struct task *c, void *out, uint64_t at, size_t n)
{
	uint64_t pid = (uint64_t)c->p->pid;
	struct proc *p;

	if (get_user(t, out, at, n) != 0)
		return -E_FAULT;
	p = traced(t, pid);
	return p != NULL && waits_for_tracer(p) && find(t, pid) == c ? 0 : -E_SRCH;
}

/* --- registers --- */

static void registers_get(const struct task *c, uint64_t *out)
{
	const struct cowsh_vm_registers *r = &c->r;
	bool entry = c->trace.stop == STOP_ENTRY;
	uint64_t rax = entry ? (uint64_t)c->trace.result : c->restart ? (uint64_t)RESTART : r->rax;
	const uint64_t v[REGISTERS] = { r->r15, r->r14,     r->r13,    r->r12,
					r->rbp, r->rbx,     r->r11,    r->r10,
					r->r9,  r->r8,      rax,       r->rcx,
					r->rdx, r->rsi,     r->rdi,    (uint64_t)c->trace.call,
					r->rip, 0x33,       r->rflags, r->rsp,
					0x2b,   r->fs_base, r->gs_base };

	memcpy(out, v, sizeof v);
}

static int64_t registers_set(struct task *c, const uint64_t *v)
{
	struct cowsh_vm_registers *r = &c->r;
	uint64_t was[REGISTERS];
	uint64_t rax = r->rax;

	if (v[16] > USER_END || v[21] >= USER_END || v[22] >= USER_END)
		return -E_IO;
	registers_get(c, was);
	if (c->trace.stop == STOP_ENTRY)
		c->trace.result = (int64_t)v[10];
	else if (v[10] != was[10])
		rax = v[10];
	/* With another place to go on, or another result, the call is not made again. */
	if ((int64_t)v[ORIG_RAX] < 0 || v[16] != was[16] || v[10] != was[10])
		c->restart = false;
	c->trace.call = (int64_t)v[ORIG_RAX];
	*r = (struct cowsh_vm_registers){ .r15 = v[0],
					  .r14 = v[1],
					  .r13 = v[2],
					  .r12 = v[3],
					  .rbp = v[4],
					  .rbx = v[5],
					  .r11 = v[6],
					  .r10 = v[7],
					  .r9 = v[8],
					  .r8 = v[9],
					  .rax = rax,
					  .rcx = v[11],
					  .rdx = v[12],
					  .rsi = v[13],
					  .rdi = v[14],
					  .rip = v[16],
					  .rflags = (v[18] & FLAGS_USER) | 0x202,
					  .rsp = v[19],
					  .fs_base = v[21],
					  .gs_base = v[22] };
	return 0;
}

static int64_t peek_user(struct task *t, struct task *c, uint64_t offset, uint64_t to)
{
	uint64_t v[REGISTERS];
	uint64_t word = 0;

	if ((offset & 7) != 0 || offset >= USER_BYTES)
		return -E_IO;
	registers_get(c, v);
	if (offset / 8 < REGISTERS)
		word = v[offset / 8];
	return put_user(t, to, &word, sizeof word);
}

/* There are no debug registers to set. */
static int64_t poke_user(struct task *c, uint64_t offset, uint64_t word)
{
	uint64_t v[REGISTERS];

	if ((offset & 7) != 0 || offset >= USER_BYTES)
		return -E_IO;
	if (offset / 8 >= REGISTERS)
		return offset >= DEBUG_AT && word != 0 ? -E_INVAL : 0;
	registers_get(c, v);
	v[offset / 8] = word;
	return registers_set(c, v);
}

/* --- register sets --- */

/* The bytes of one, in the caller's memory; their number. */
static int64_t set_bytes(struct task *t, struct task *c, uint64_t type, char **out)
{
	char *area = call_memory(t, VECTOR_BYTES_MAX);
	uint64_t n;
	uint64_t features;

	*out = area;
	if (type == NT_PRSTATUS) {
		registers_get(c, (uint64_t *)(void *)area);
		return REGISTERS * 8;
	}
	if (type != NT_PRFPREG && type != NT_X86_XSTATE)
		return -E_INVAL;
	n = t->m->backend->context_get(t->m->vm, c->context, area, VECTOR_BYTES_MAX);
	features = vector_features((size_t)n);
	if (type == NT_PRFPREG)
		return FP_BYTES;
	memcpy(area + XSAVE_FEATURES, &features, sizeof features);
	return (int64_t)n;
}

static int64_t set_change(struct task *t, struct task *c, uint64_t type, char *area, uint64_t n)
{
	char *whole = area;

	if (type == NT_PRSTATUS)
		return registers_set(c, (const uint64_t *)(const void *)area);
	if (type == NT_PRFPREG) {
		n = (uint64_t)set_bytes(t, c, NT_X86_XSTATE, &whole);
		memcpy(whole, area, FP_BYTES);
		whole[FP_BYTES] |= 3; /* x87 and SSE are in use */
	}
	memset(whole + XSAVE_FEATURES, 0, FP_BYTES - XSAVE_FEATURES);
	return t->m->backend->context_set(t->m->vm, c->context, whole, (size_t)n) == 0 ? 0
										       : -E_INVAL;
}

/* Up to n bytes at `address` of the caller, who is told how many. */
static int64_t move_set(struct task *t, struct task *c, uint64_t type, uint64_t address,
			uint64_t *n, bool writes)
{
	char *bytes;
	int64_t size = set_bytes(t, c, type, &bytes);
	int64_t r;

	if (size < 0)
		return size;
	if (*n > (uint64_t)size)
		*n = (uint64_t)size;
	if (!writes)
		return put_user(t, address, bytes, (size_t)*n) != 0 ? -E_FAULT : 0;
	r = get_for(t, c, bytes, address, (size_t)*n);
	return r != 0 ? r : set_change(t, c, type, bytes, (uint64_t)size);
}

static int64_t move_by_vector(struct task *t, struct task *c, uint64_t type, uint64_t at,
			      bool writes)
{
	uint64_t v[2];
	int64_t r = get_for(t, c, v, at, sizeof v);

	if (r != 0)
		return r;
	if ((v[1] & 7) != 0)
		return -E_INVAL;
	r = move_set(t, c, type, v[0], &v[1], writes);
	return r != 0 ? r : put_user(t, at + 8, &v[1], 8);
}

static int64_t move_whole(struct task *t, struct task *c, uint64_t type, uint64_t at, bool writes)
{
	uint64_t n = VECTOR_BYTES_MAX;

	return move_set(t, c, type, at, &n, writes);
}

/* --- memory --- */

/* The memory that is moved is there until the call ends, or moves another's. */
static void see(struct task *t, struct space *s)
{
	struct space *before = t->seen;

	if (s == before)
		return;
	t->seen = space_get(s);
	if (before != NULL)
		space_put(before);
}

/* One page at most is touched at a time: others may run in between. How many bytes were moved. */
static int64_t move_memory(struct task *t, struct space *s, uint64_t address, char *bytes, size_t n,
			   bool write, bool force)
{
	size_t done = 0;

	see(t, s);
	while (done < n) {
		uint64_t at = address + done;
		size_t part = PAGE_BYTES - (size_t)(at & PAGE_MASK_);
		char *page = at >= USER_END ? NULL
			     : force        ? space_page_forced(t->p, s, at, write)
				     : space_page(t->p, s, at, write ? PROT_WRITE_ : PROT_READ_);

		if (page == NULL)
			break;
		if (part > n - done)
			part = n - done;
		page += at & PAGE_MASK_;
		memcpy(write ? page : bytes + done, write ? bytes + done : page, part);
		done += part;
		proc_charge(t->p, 1 + part / 64);
	}
	return (int64_t)done;
}

static int64_t peek(struct task *t, struct task *c, uint64_t address, uint64_t to)
{
	char word[8];

	if (move_memory(t, c->space, address, word, sizeof word, false, true) != sizeof word)
		return -E_IO;
	return put_user(t, to, word, sizeof word);
}

static int64_t poke(struct task *t, struct task *c, uint64_t address, uint64_t word)
{
	bool done = move_memory(t, c->space, address, (char *)&word, sizeof word, true, true) ==
		    sizeof word;

	return done ? 0 : -E_IO;
}

int64_t memory_of_other(struct proc *by, struct proc *p, uint64_t address, void *bytes, size_t n,
			bool write)
{
	if (by->release != task_release || p->release != task_release)
		return -E_IO;
	return move_memory(task_of(by), task_of(p)->space, address, bytes, n, write, true);
}

/* --- beginning --- */

static int64_t attach(struct task *t, uint64_t pid, bool seize, uint64_t options)
{
	const struct proc *p = proc_find(t->m->k, (int)pid);
	struct task *c = find(t, pid);

	if (p == NULL || p->state == PROC_ZOMBIE)
		return -E_SRCH;
	if (c == NULL || c->group == t->group || task_is_traced(c) || !ptrace_may_see(t->p, c->p) ||
	    c->p->launcher.len != 0)
		return -E_PERM;
	if ((options & ~(uint64_t)OPTIONS) != 0)
		return -E_IO;
	ptrace_begin(c->p, t->p, seize, (uint32_t)options);
	if (!seize) {
		sys_kill(t->p, c->p->pid, SIGCONT_ * (c->p->state == PROC_STOPPED));
		sys_kill(t->p, c->p->pid, SIGSTOP_);
	}
	return 0;
}

static int64_t trace_me(struct task *t)
{
	struct proc *parent = proc_find(t->m->k, proc_owner_of(t->p)->ppid);

	if (task_is_traced(t) || parent == NULL || parent->state == PROC_ZOMBIE)
		return -E_PERM;
	ptrace_begin(t->p, parent, false, 0);
	return 0;
}

/* --- going on --- */

static int64_t go(struct proc *p, enum ptrace_mode mode, uint64_t sig)
{
	if (sig >= NSIG_)
		return -E_IO;
	proc_ptrace(p)->mode = (uint8_t)mode;
	if (p->release == task_release)
		task_of(p)->trace.signal = (int)sig;
	ptrace_go(p);
	return 0;
}

static int64_t detach(struct proc *p, uint64_t sig)
{
	if (sig >= NSIG_)
		return -E_IO;
	if (p->release == task_release)
		task_of(p)->trace.signal = (int)sig;
	ptrace_end(p);
	return 0;
}

static int64_t set_options(struct proc *p, uint64_t options)
{
	if ((options & ~(uint64_t)OPTIONS) != 0)
		return -E_INVAL;
	proc_ptrace(p)->options = (uint32_t)options;
	return 0;
}

static int64_t keep_listening(struct task *c)
{
	struct ptrace_link *l = proc_ptrace(c->p);

	if (!l->seized || c->trace.stop != STOP_GROUP)
		return -E_IO;
	l->listens = true;
	return 0;
}

static int64_t move_info(struct task *t, struct task *c, uint64_t at, bool writes)
{
	/* 128 bytes, of which ours are the first. */
	struct signal_info info = c->trace.info;
	int64_t r;

	if (c->trace.stop == STOP_GROUP && !proc_ptrace(c->p)->seized)
		return -E_INVAL;
	if (writes) {
		r = get_for(t, c, &info, at, sizeof info);
		if (r == 0)
			c->trace.info = info;
		return r;
	}
	if (c->trace.stop != STOP_SIGNAL)
		info = (struct signal_info){ .signo = SIGTRAP_, .code = SIGTRAP_ };
	return put_user(t, at, &info, sizeof info);
}

static int64_t move_mask(struct task *t, struct task *c, uint64_t size, uint64_t at, bool writes)
{
	uint64_t mask = c->p->sig_blocked;
	int64_t r;

	if (size != sizeof mask)
		return -E_INVAL;
	if (!writes)
		return put_user(t, at, &mask, sizeof mask);
	r = get_for(t, c, &mask, at, sizeof mask);
	if (r == 0)
		sys_sigmask(c->p, mask);
	return r;
}

static int64_t call_info(struct task *t, struct task *c, uint64_t size, uint64_t at)
{
	const struct cowsh_vm_registers *r = &c->r;
	uint32_t head[2] = { 0, (uint32_t)ARCH_X86_64 };
	uint64_t v[10] = { 0, r->rip, r->rsp };
	int64_t result = c->restart ? RESTART : (int64_t)r->rax;
	uint64_t n = INFO_NONE_BYTES;

	if (c->trace.stop == STOP_ENTRY) {
		const uint64_t args[7] = {
			(uint64_t)c->trace.call, r->rdi, r->rsi, r->rdx, r->r10, r->r8, r->r9
		};

		head[0] = 1;
		memcpy(v + 3, args, sizeof args);
		n = INFO_ENTRY_BYTES;
	} else if (c->trace.stop == STOP_EXIT) {
		head[0] = 2;
		v[3] = (uint64_t)result;
		v[4] = result < 0 && result >= -ERRORS_MAX;
		n = INFO_EXIT_BYTES;
	}
	memcpy(v, head, sizeof head);
	if (put_user(t, at, v, (size_t)(size < n ? size : n)) != 0)
		return -E_FAULT;
	return (int64_t)n;
}

/* --- the call --- */

static int64_t of_program(struct task *t, struct task *c, const uint64_t *a)
{
	uint64_t message = c->trace.message;

	switch ((int)a[0]) {
	case PEEKTEXT:
	case PEEKDATA: return peek(t, c, a[2], a[3]);
	case POKETEXT:
	case POKEDATA: return poke(t, c, a[2], a[3]);
	case PEEKUSER: return peek_user(t, c, a[2], a[3]);
	case POKEUSER: return poke_user(c, a[2], a[3]);
	case GETREGS: return move_whole(t, c, NT_PRSTATUS, a[3], false);
	case SETREGS: return move_whole(t, c, NT_PRSTATUS, a[3], true);
	case GETFPREGS: return move_whole(t, c, NT_PRFPREG, a[3], false);
	case SETFPREGS: return move_whole(t, c, NT_PRFPREG, a[3], true);
	case GETREGSET: return move_by_vector(t, c, a[2], a[3], false);
	case SETREGSET: return move_by_vector(t, c, a[2], a[3], true);
	case GETEVENTMSG: return put_user(t, a[3], &message, sizeof message);
	case GETSIGINFO: return move_info(t, c, a[3], false);
	case SETSIGINFO: return move_info(t, c, a[3], true);
	case GETSIGMASK: return move_mask(t, c, a[2], a[3], false);
	case SETSIGMASK: return move_mask(t, c, a[2], a[3], true);
	case GET_SYSCALL_INFO: return call_info(t, c, a[2], a[3]);
	case LISTEN: return keep_listening(c);
	default: return -E_IO;
	}
}

/* A builtin stops where it was executed. It has no registers and no memory. */
static int64_t of_builtin(struct task *t, const struct proc *p, const uint64_t *a)
{
	const uint64_t zero[REGISTERS] = { 0 };
	const struct signal_info info = { .signo = SIGTRAP_, .code = SIGTRAP_ };
	const uint32_t exit[10] = { 2, (uint32_t)ARCH_X86_64 };
	const uint64_t pid = (uint64_t)p->pid;

	switch ((int)a[0]) {
	case PEEKUSER: return put_user(t, a[3], zero, 8);
	case GETREGS: return put_user(t, a[3], zero, sizeof zero);
	case GETEVENTMSG: return put_user(t, a[3], &pid, sizeof pid);
	case GETSIGINFO: return put_user(t, a[3], &info, sizeof info);
	case GET_SYSCALL_INFO:
		if (put_user(t, a[3], exit, a[2] < sizeof exit ? (size_t)a[2] : sizeof exit) != 0)
			return -E_FAULT;
		return INFO_EXIT_BYTES;
	default: return -E_IO;
	}
}

static int64_t of_stopped(struct task *t, struct proc *p, const uint64_t *a)
{
	switch ((int)a[0]) {
	case CONT: return go(p, PTRACE_MODE_RUN, a[3]);
	case SYSCALL: return go(p, PTRACE_MODE_CALLS, a[3]);
	case SINGLESTEP: return go(p, PTRACE_MODE_STEP, a[3]);
	case DETACH: return detach(p, a[3]);
	case SETOPTIONS: return set_options(p, a[3]);
	default:
		return p->release == task_release ? of_program(t, task_of(p), a)
						  : of_builtin(t, p, a);
	}
}

static int64_t interrupt(struct proc *p)
{
	if (!proc_ptrace(p)->seized)
		return -E_IO;
	ptrace_interrupt(p);
	return 0;
}

int64_t call_ptrace(struct task *t, const uint64_t *a)
{
	struct proc *p;

	switch ((int)a[0]) {
	case TRACEME: return trace_me(t);
	case ATTACH: return attach(t, a[1], false, 0);
	case SEIZE: return a[2] != 0 ? -E_IO : attach(t, a[1], true, a[3]);
	default: p = traced(t, a[1]);
	}
	if (p == NULL)
		return -E_SRCH;
	switch ((int)a[0]) {
	case KILL: return sys_kill(t->p, p->pid, SIGKILL_);
	case INTERRUPT: return interrupt(p);
	default: break;
	}
	return waits_for_tracer(p) ? of_stopped(t, p, a) : -E_SRCH;
}

/* --- memory of others --- */

enum { PARTS_MAX = 1024, PART_MAX = 1 << 20 };

struct part {
	uint64_t at;
	uint64_t len;
};

static int64_t get_parts(struct task *t, uint64_t address, uint64_t n, struct part **out)
{
	if (n > PARTS_MAX)
		return -E_INVAL;
	*out = call_memory(t, (size_t)(n + 1) * sizeof **out);
	if (get_user(t, *out, address, (size_t)n * sizeof **out) != 0)
		return -E_FAULT;
	for (uint64_t i = 0; i < n; i++)
		if ((int64_t)(*out)[i].len < 0)
			return -E_INVAL;
	return 0;
}

/* Between two lists of parts, in pieces. What was moved before something is missing counts. */
static int64_t move_parts(struct task *t, struct space *s, struct part *mine, uint64_t nmine,
			  struct part *its, uint64_t nits, bool write)
{
	char *piece = call_memory(t, PAGE_BYTES);
	int64_t total = 0;

	for (;;) {
		uint64_t n = PAGE_BYTES;
		int64_t got;

		while (nmine != 0 && mine->len == 0)
			mine++, nmine--;
		while (nits != 0 && its->len == 0)
			its++, nits--;
		if (nmine == 0 || nits == 0)
			return total;
		n = mine->len < n ? mine->len : n;
		n = its->len < n ? its->len : n;
		if (write && get_user(t, piece, mine->at, (size_t)n) != 0)
			break;
		got = move_memory(t, s, its->at, piece, (size_t)n, write, false);
		if (!write && got > 0 && put_user(t, mine->at, piece, (size_t)got) != 0)
			break;
		total += got;
		if (got < (int64_t)n)
			break;
		mine->at += n;
		mine->len -= n;
		its->at += n;
		its->len -= n;
	}
	return total != 0 ? total : -E_FAULT;
}

static int64_t move_between(struct task *t, const uint64_t *a, bool write)
{
	const struct proc *p = proc_find(t->m->k, (int)a[0]);
	struct part *mine;
	struct part *its;
	struct space *s;
	struct task *c;
	int64_t r;

	if (a[5] != 0)
		return -E_INVAL;
	r = get_parts(t, a[1], a[2], &mine);
	if (r == 0)
		r = get_parts(t, a[3], a[4], &its);
	if (r != 0)
		return r;
	c = find(t, a[0]);
	if (p == NULL || c == NULL)
		return p == NULL ? -E_SRCH : -E_PERM;
	if (!ptrace_may_see(t->p, c->p))
		return -E_PERM;
	s = c->space;
	see(t, s);
	return move_parts(t, s, mine, a[2], its, a[4], write);
}

int64_t call_process_vm_readv(struct task *t, const uint64_t *a)
{
	return move_between(t, a, false);
}

int64_t call_process_vm_writev(struct task *t, const uint64_t *a)
{
	return move_between(t, a, true);
}
