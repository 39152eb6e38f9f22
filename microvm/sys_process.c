/* SPDX-License-Identifier: MIT
 *
 * System calls on processes: their making and end, identity, limits.
 */
#include "microvm/private.h"

enum { STRINGS_BYTES = 2 << 20, STRING_MAX_ = 131072 };

/* --- clone --- */

int64_t call_fork(struct task *t, const uint64_t *a)
{
	struct clone how = { .flags = 0 };

	(void)a;
	return task_clone(t, &how);
}

int64_t call_vfork(struct task *t, const uint64_t *a)
{
	struct clone how = { .flags = CLONE_VM_ | CLONE_VFORK_ };

	(void)a;
	return task_clone(t, &how);
}

int64_t call_clone(struct task *t, const uint64_t *a)
{
	struct clone how = { a[0] & 0xffffff00, a[1], a[2], a[3], a[4], a[2] };

	if ((a[0] & CLONE_PIDFD_) != 0 && (a[0] & CLONE_PARENT_SETTID_) != 0)
		return -E_INVAL; /* both would go to one place */
	return task_clone(t, &how);
}

int64_t call_clone3(struct task *t, const uint64_t *a)
{
	uint64_t v[PAGE_BYTES / 8] = { 0 };
	struct clone how;

	if (a[1] < 64 || a[1] > sizeof v)
		return a[1] < 64 ? -E_INVAL : -E_2BIG;
	if (get_user(t, v, a[0], (size_t)a[1]) != 0)
		return -E_FAULT;
	for (size_t i = 11; i < sizeof v / sizeof *v; i++)
		if (v[i] != 0)
			return -E_2BIG;
	how = (struct clone){ v[0], v[5] != 0 ? v[5] + v[6] : 0, v[3], v[2], v[7], v[1] };
	/* set_tid, cgroups; the signal at the end stands by itself. */
	if (v[9] != 0 || (v[0] >> 32) > 1 || (v[0] & 0xff) != 0 || v[4] >= NSIG_ ||
	    (v[5] != 0) != (v[6] != 0))
		return -E_INVAL;
	return task_clone(t, &how);
}

/* --- exec --- */

static int get_strings(struct task *t, uint64_t address, char ***out)
{
	struct arena *a = &t->p->arena;
	char **list = NULL;
	size_t n = 0;
	size_t cap = 0;
	size_t bytes = 0; /* with the pointers, as the limit counts them */

	for (;;) {
		uint64_t at = 0;

		if (n + 1 >= cap) {
			size_t more = cap == 0 ? 64 : cap * 2;

			list = arena_grow(a, list, cap * sizeof *list, more * sizeof *list);
			cap = more;
		}
		if (address != 0 && get_user(t, &at, address + n * 8, 8) != 0)
			return -E_FAULT;
		if (at == 0)
			break;
		proc_charge(t->p, 1);
		int r = guest_string(t->p, t->space, at, STRING_MAX_, a, &list[n]);

		if (r != 0)
			return r == -E_NAMETOOLONG ? -E_2BIG : r;
		bytes += strlen(list[n]) + 1 + sizeof *list;
		if (bytes > STRINGS_BYTES)
			return -E_2BIG;
		n++;
	}
	list[n] = NULL;
	*out = list;
	return 0;
}

static int64_t exec_path(struct task *t, const char *path, uint64_t argv, uint64_t envp)
{
	struct proc *p = t->p;
	char **args;
	char **env;
	int r = get_strings(t, argv, &args);

	if (r == 0)
		r = get_strings(t, envp, &env);
	if (r != 0)
		return r;
	space_sync(t->space);
	return sys_exec(p, path, args, env);
}

int64_t call_execve(struct task *t, const uint64_t *a)
{
	char *path;
	int r = get_path(t, a[0], &path);

	return r != 0 ? r : exec_path(t, path, a[1], a[2]);
}

int64_t call_execveat(struct task *t, const uint64_t *a)
{
	struct buf b = buf_in(&t->p->arena);
	char *path;
	int r = get_path(t, a[1], &path);

	if (r != 0)
		return r;
	if (path[0] != '/' && (int)a[0] != AT_FDCWD_) {
		buf_printf(&b, "/proc/self/fd/%d", (int)a[0]);
		if (path[0] != '\0')
			buf_printf(&b, "/%s", path);
		else if ((a[4] & AT_EMPTY_) == 0)
			return -E_NOENT;
		path = buf_cstr(&b);
	}
	return exec_path(t, path, a[2], a[3]);
}

int64_t call_exit(struct task *t, const uint64_t *a)
{
	task_exit(t, (int)a[0]);
}

int64_t call_exit_group(struct task *t, const uint64_t *a)
{
	task_exit_group(t, (int)a[0]);
}

/* --- wait --- */

enum {
	USAGE_WORDS = 18,
	W_KINDS = (int)0xe0000000, /* of children: there is one */
};

int64_t call_wait4(struct task *t, const uint64_t *a)
{
	const uint64_t usage[USAGE_WORDS] = { 0 };
	int options = (int)a[2];
	int status = 0;
	int64_t r;

	if ((options & ~(WNOHANG_ | WUNTRACED_ | WCONTINUED_ | W_KINDS)) != 0)
		return -E_INVAL;
	if ((int)a[0] == INT32_MIN)
		return -E_SRCH;
	r = sys_wait(t->p, (int)a[0], &status, options & 11);
	if (r == -E_INTR)
		return RESTART;
	if (r > 0 && a[1] != 0 && put_user(t, a[1], &status, sizeof status) != 0)
		return -E_FAULT;
	if (r > 0 && a[3] != 0 && put_user(t, a[3], usage, sizeof usage) != 0)
		return -E_FAULT;
	return r;
}

enum { P_ALL = 0, P_PID = 1, P_PGID = 2, P_PIDFD = 3, WEXITED_ = 4 };

int64_t call_waitid(struct task *t, const uint64_t *a)
{
	const uint64_t usage[USAGE_WORDS] = { 0 };
	struct signal_info info = { .signo = 0 };
	struct sig_source s;
	int options = (int)a[3];
	int pid = -1;
	int status = 0;
	int64_t r = 0;

	if ((options & (WEXITED_ | WUNTRACED_ | WCONTINUED_)) == 0 ||
	    (options & ~(WEXITED_ | WUNTRACED_ | WCONTINUED_ | WNOHANG_ | WKEEP_ | W_KINDS)) != 0 ||
	    a[0] > P_PIDFD || (a[0] != P_ALL && (int)a[1] < (a[0] == P_PID)))
		return -E_INVAL;
	if (a[0] == P_PID)
		pid = (int)a[1];
	else if (a[0] == P_PIDFD && (r = sys_pidfd_pid(t->p, (int)a[1])) < 0)
		return r == -E_SRCH ? -E_CHILD : r;
	else if (a[0] == P_PIDFD)
		pid = (int)r;
	else if (a[0] == P_PGID)
		pid = (int)a[1] == 0 ? 0 : -(int)a[1];
	r = sys_wait(t->p, pid, &status,
		     (options & (11 | WKEEP_)) | ((options & WEXITED_) == 0 ? WALIVE_ : 0));
	if (r == -E_INTR)
		return RESTART;
	if (r < 0)
		return r;
	if (r > 0 && a[4] != 0 && put_user(t, a[4], usage, sizeof usage) != 0)
		return -E_FAULT;
	if (r > 0) {
		s = sig_source_of_child((int)r, t->p->cred.uid, status);
		info = signal_info_of(SIGCHLD_, &s);
	}
	return a[2] != 0 ? put_user(t, a[2], &info, sizeof info) : 0;
}

/* --- identity --- */

int64_t call_getpid(struct task *t, const uint64_t *a)
{
	(void)a;
	return proc_owner_of(t->p)->pid;
}

int64_t call_gettid(struct task *t, const uint64_t *a)
{
	(void)a;
	return t->p->pid;
}

int64_t call_getppid(struct task *t, const uint64_t *a)
{
	(void)a;
	return proc_owner_of(t->p)->ppid;
}

int64_t call_getgroups(struct task *t, const uint64_t *a)
{
	const struct vfs_cred *c = &t->p->cred;

	if (a[0] == 0)
		return c->ngroups;
	if ((int)a[0] < (int)c->ngroups)
		return -E_INVAL;
	return put_user(t, a[1], c->groups, c->ngroups * sizeof c->groups[0]) != 0
		       ? -E_FAULT
		       : (int64_t)c->ngroups;
}

int64_t call_setgroups(struct task *t, const uint64_t *a)
{
	struct vfs_cred *c = &t->p->cred;

	if (!task_is_capable(t, CAP_SETGID_))
		return -E_PERM;
	if (a[0] > VFS_GROUPS_MAX)
		return -E_INVAL;
	if (get_user(t, c->groups, a[1], (size_t)a[0] * sizeof c->groups[0]) != 0)
		return -E_FAULT;
	c->ngroups = (uint32_t)a[0];
	return 0;
}

int64_t call_getpgrp(struct task *t, const uint64_t *a)
{
	(void)a;
	return proc_owner_of(t->p)->pgid;
}

static struct proc *other(struct task *t, uint64_t pid)
{
	struct proc *p = (int)pid == 0 ? t->p : proc_find(t->m->k, (int)pid);

	return p != NULL ? proc_owner_of(p) : NULL;
}

int64_t call_getpgid(struct task *t, const uint64_t *a)
{
	const struct proc *p = other(t, a[0]);

	return p != NULL ? p->pgid : -E_SRCH;
}

int64_t call_getsid(struct task *t, const uint64_t *a)
{
	const struct proc *p = other(t, a[0]);

	return p != NULL ? p->sid : -E_SRCH;
}

int64_t call_setpgid(struct task *t, const uint64_t *a)
{
	int pid = (int)a[0] == proc_owner_of(t->p)->pid ? 0 : (int)a[0];

	return sys_setpgid(t->p, pid, (int)a[1]);
}

int64_t call_setsid(struct task *t, const uint64_t *a)
{
	(void)a;
	return sys_setsid(t->p);
}

/* --- threads --- */

enum { ARCH_SET_GS = 0x1001, ARCH_SET_FS, ARCH_GET_FS, ARCH_GET_GS };

int64_t call_arch_prctl(struct task *t, const uint64_t *a)
{
	switch ((int)a[0]) {
	case ARCH_SET_FS:
		if (a[1] >= USER_END)
			return -E_PERM;
		t->r.fs_base = a[1];
		return 0;
	case ARCH_SET_GS:
		if (a[1] >= USER_END)
			return -E_PERM;
		t->r.gs_base = a[1];
		return 0;
	case ARCH_GET_FS: return put_user(t, a[1], &t->r.fs_base, 8);
	case ARCH_GET_GS: return put_user(t, a[1], &t->r.gs_base, 8);
	default: return -E_INVAL;
	}
}

int64_t call_set_tid_address(struct task *t, const uint64_t *a)
{
	t->clear_tid = a[0];
	return t->p->pid;
}

int64_t call_set_robust_list(struct task *t, const uint64_t *a)
{
	if (a[1] != 24)
		return -E_INVAL;
	t->robust_list = a[0];
	return 0;
}

int64_t call_get_robust_list(struct task *t, const uint64_t *a)
{
	const struct proc *p = (int)a[0] == 0 ? t->p : proc_find(t->m->k, (int)a[0]);
	uint64_t len = 24;
	uint64_t list;

	if (p == NULL || p->state == PROC_ZOMBIE)
		return -E_SRCH;
	/* Others than real programs keep something else there. */
	list = p->release == task_release && p->task != NULL ? task_of(p)->robust_list : 0;
	if (put_user(t, a[1], &list, 8) != 0 || put_user(t, a[2], &len, 8) != 0)
		return -E_FAULT;
	return 0;
}

/* --- limits and accounts --- */

enum { RLIMITS = 16, RLIMIT_STACK_ = 3 };

static void get_limit(const struct proc *p, uint64_t which, uint64_t *out)
{
	memcpy(out, p->rlimit[which], 2 * sizeof *out);
	if (which == RLIMIT_STACK_ && out[0] == UINT64_MAX)
		out[0] = STACK_BYTES;
}

void task_stack_limit(struct task *t, uint64_t *out)
{
	get_limit(other(t, 0), RLIMIT_STACK_, out);
}

int64_t call_prlimit64(struct task *t, const uint64_t *a)
{
	struct proc *p;
	uint64_t v[2];
	uint64_t old[2];

	if (a[2] != 0 && get_user(t, v, a[2], sizeof v) != 0)
		return -E_FAULT;
	/* From here on nothing waits: who does would find another process, or none. */
	p = other(t, a[0]);
	if (p == NULL)
		return -E_SRCH;
	if (a[1] >= RLIMITS)
		return -E_INVAL;
	if (p != proc_owner_of(t->p) && t->p->cred.uid != 0 && t->p->real_uid != p->real_uid)
		return -E_PERM;
	get_limit(p, a[1], old);
	if (a[2] == 0)
		return a[3] != 0 ? put_user(t, a[3], old, sizeof old) : 0;
	if (v[0] > v[1])
		return -E_INVAL;
	if (v[1] > p->rlimit[a[1]][1] && t->p->cred.uid != 0)
		return -E_PERM;
	memcpy(p->rlimit[a[1]], v, sizeof v);
	return a[3] != 0 ? put_user(t, a[3], old, sizeof old) : 0;
}

int64_t call_getrlimit(struct task *t, const uint64_t *a)
{
	const uint64_t b[4] = { 0, a[0], 0, a[1] };

	return call_prlimit64(t, b);
}

int64_t call_setrlimit(struct task *t, const uint64_t *a)
{
	const uint64_t b[4] = { 0, a[0], a[1], 0 };

	return call_prlimit64(t, b);
}

static uint64_t steps_ns(uint64_t steps)
{
	return steps * STEP_NS;
}

int64_t call_getrusage(struct task *t, const uint64_t *a)
{
	const struct proc *p = proc_owner_of(t->p);
	uint64_t ns = steps_ns((int)a[0] == -1 ? p->child_steps : p->steps);
	uint64_t u[18] = { ns / 1000000000, ns % 1000000000 / 1000 };

	u[4] = t->space->npages * 4;
	return put_user(t, a[1], u, sizeof u);
}

int64_t call_times(struct task *t, const uint64_t *a)
{
	const struct proc *p = proc_owner_of(t->p);
	uint64_t u[4] = { steps_ns(p->steps) / 10000000, 0, steps_ns(p->child_steps) / 10000000 };

	if (a[0] != 0 && put_user(t, a[0], u, sizeof u) != 0)
		return -E_FAULT;
	return sys_uptime(t->p) / 10000000;
}

/* --- scheduling: one processor --- */

int64_t call_sched_yield(struct task *t, const uint64_t *a)
{
	(void)a;
	/* The rest of the slice is given up. */
	proc_charge(t->p, 10000);
	return 0;
}

/* 0, -E_INVAL or -E_SRCH: whether `pid` is a process; 0 is the caller. */
static int64_t check_process(struct task *t, int pid)
{
	if (pid < 0)
		return -E_INVAL;
	return pid == 0 || proc_find(t->p->k, pid) != NULL ? 0 : -E_SRCH;
}

int64_t call_sched_getaffinity(struct task *t, const uint64_t *a)
{
	uint64_t mask = 1;

	if (a[1] < 8)
		return -E_INVAL;
	if (check_process(t, (int)a[0]) != 0)
		return -E_SRCH;
	return put_user(t, a[2], &mask, sizeof mask) != 0 ? -E_FAULT : 8;
}

int64_t call_sched_setaffinity(struct task *t, const uint64_t *a)
{
	uint8_t first;

	if (check_process(t, (int)a[0]) != 0)
		return -E_SRCH;
	if (a[1] == 0)
		return -E_INVAL;
	if (get_user(t, &first, a[2], sizeof first) != 0)
		return -E_FAULT;
	return (first & 1) != 0 ? 0 : -E_INVAL;
}

int64_t call_sched_setparam(struct task *t, const uint64_t *a)
{
	int64_t r = check_process(t, (int)a[0]);
	int32_t priority;

	if (r == 0 && get_user(t, &priority, a[1], sizeof priority) != 0)
		r = -E_FAULT;
	return r != 0 || priority == 0 ? r : -E_INVAL;
}

int64_t call_sched_getparam(struct task *t, const uint64_t *a)
{
	int64_t r = check_process(t, (int)a[0]);
	int32_t zero = 0;

	return r != 0 ? r : put_user(t, a[1], &zero, sizeof zero);
}

int64_t call_sched_getscheduler(struct task *t, const uint64_t *a)
{
	return check_process(t, (int)a[0]);
}

/* Policies as Linux numbers them; real-time ones have priorities of 1 to 99. */
enum { SCHED_OTHER_ = 0, SCHED_FIFO_ = 1, SCHED_RR_ = 2, SCHED_IDLE_ = 5 };

static bool is_policy(uint64_t policy)
{
	return (int)policy >= 0 && (int)policy <= SCHED_IDLE_ && policy != 4;
}

static bool is_real_time(uint64_t policy)
{
	return policy == SCHED_FIFO_ || policy == SCHED_RR_;
}

int64_t call_sched_setscheduler(struct task *t, const uint64_t *a)
{
	if (!is_policy(a[1]))
		return -E_INVAL;
	if (check_process(t, (int)a[0]) != 0)
		return check_process(t, (int)a[0]);
	return (int)a[1] == SCHED_OTHER_ ? 0 : -E_PERM;
}

int64_t call_sched_get_priority_max(struct task *t, const uint64_t *a)
{
	(void)t;
	if (!is_policy(a[0]))
		return -E_INVAL;
	return is_real_time(a[0]) ? 99 : 0;
}

int64_t call_sched_get_priority_min(struct task *t, const uint64_t *a)
{
	(void)t;
	if (!is_policy(a[0]))
		return -E_INVAL;
	return is_real_time(a[0]) ? 1 : 0;
}

int64_t call_sched_rr_get_interval(struct task *t, const uint64_t *a)
{
	const int64_t slice[2] = { 0, 4000000 };
	int64_t r = check_process(t, (int)a[0]);

	return r != 0 ? r : put_user(t, a[1], slice, sizeof slice);
}

int64_t call_getpriority(struct task *t, const uint64_t *a)
{
	(void)a;
	return 20 - t->p->nice;
}

int64_t call_setpriority(struct task *t, const uint64_t *a)
{
	int nice = (int)a[2];

	if (nice < t->p->nice && t->p->cred.uid != 0)
		return -E_ACCES;
	t->p->nice = nice > 19 ? 19 : nice < -20 ? -20 : nice;
	return 0;
}

int64_t call_getcpu(struct task *t, const uint64_t *a)
{
	uint32_t zero = 0;

	for (int i = 0; i < 2; i++)
		if (a[i] != 0 && put_user(t, a[i], &zero, sizeof zero) != 0)
			return -E_FAULT;
	return 0;
}

/* --- the machine --- */

int64_t call_uname(struct task *t, const uint64_t *a)
{
	char u[6][65] = { "Linux", "", "6.1.0", "#1 SMP cowsh", "x86_64", "(none)" };
	const char *host = sys_hostname(t->p);
	size_t n = strlen(host);

	memcpy(u[1], host, n < 64 ? n : 64);
	return put_user(t, a[0], u, sizeof u);
}

int64_t call_sysinfo(struct task *t, const uint64_t *a)
{
	uint64_t limit = kernel_limit(t->m->k, LIMIT_MEMORY);
	struct kernel_usage usage;
	uint64_t u[14] = { (uint64_t)sys_uptime(t->p) / 1000000000 };
	uint16_t procs = 1;

	kernel_get_usage(t->m->k, &usage);
	u[4] = limit != 0 ? limit : (uint64_t)8 << 30;
	u[5] = u[4] > usage.memory ? u[4] - usage.memory : 0;
	memcpy((char *)u + 80, &procs, sizeof procs);
	((uint32_t *)(void *)u)[26] = 1;
	return put_user(t, a[0], u, 112);
}

int64_t call_getrandom(struct task *t, const uint64_t *a)
{
	char part[256];
	uint64_t done = 0;

	if (a[2] > 7)
		return -E_INVAL;
	while (done < a[1] && done < 1u << 20) {
		size_t n = a[1] - done < sizeof part ? (size_t)(a[1] - done) : sizeof part;

		sys_random_bytes(t->p, part, n);
		if (put_user(t, a[0] + done, part, n) != 0)
			return -E_FAULT;
		done += n;
		proc_charge(t->p, 4);
	}
	return (int64_t)done;
}

int64_t call_personality(struct task *t, const uint64_t *a)
{
	uint32_t was = t->personality;

	if ((uint32_t)a[0] != UINT32_MAX)
		t->personality = (uint32_t)a[0];
	return was;
}
