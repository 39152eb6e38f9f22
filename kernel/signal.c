/* SPDX-License-Identifier: MIT
 *
 * Signals. One that is ignored vanishes, one with a default action acts when it is sent, one
 * that is caught becomes pending and interrupts what its process waits for; the process asks
 * for it by proc_next_signal. A blocked one stays pending whatever its action.
 */
#include "kernel/internal.h"

enum sig_default { ENDS, NOTHING, STOPS, CONTINUES };

struct sig_row {
	const char *name;
	const char *text;
	enum sig_default action;
};

static const struct sig_row rows[SIGSYS_ + 1] = {
	[SIGHUP_] = { "HUP", "Hangup", ENDS },
	[SIGINT_] = { "INT", "Interrupt", ENDS },
	[SIGQUIT_] = { "QUIT", "Quit", ENDS },
	[SIGILL_] = { "ILL", "Illegal instruction", ENDS },
	[SIGTRAP_] = { "TRAP", "Trace/breakpoint trap", ENDS },
	[SIGABRT_] = { "ABRT", "Aborted", ENDS },
	[SIGBUS_] = { "BUS", "Bus error", ENDS },
	[SIGFPE_] = { "FPE", "Floating point exception", ENDS },
	[SIGKILL_] = { "KILL", "Killed", ENDS },
	[SIGUSR1_] = { "USR1", "User defined signal 1", ENDS },
	[SIGSEGV_] = { "SEGV", "Segmentation fault", ENDS },
	[SIGUSR2_] = { "USR2", "User defined signal 2", ENDS },
	[SIGPIPE_] = { "PIPE", "Broken pipe", ENDS },
	[SIGALRM_] = { "ALRM", "Alarm clock", ENDS },
	[SIGTERM_] = { "TERM", "Terminated", ENDS },
	[SIGSTKFLT_] = { "STKFLT", "Stack fault", ENDS },
	[SIGCHLD_] = { "CHLD", "Child exited", NOTHING },
	[SIGCONT_] = { "CONT", "Continued", CONTINUES },
	[SIGSTOP_] = { "STOP", "Stopped (signal)", STOPS },
	[SIGTSTP_] = { "TSTP", "Stopped", STOPS },
	[SIGTTIN_] = { "TTIN", "Stopped (tty input)", STOPS },
	[SIGTTOU_] = { "TTOU", "Stopped (tty output)", STOPS },
	[SIGURG_] = { "URG", "Urgent I/O condition", NOTHING },
	[SIGXCPU_] = { "XCPU", "CPU time limit exceeded", ENDS },
	[SIGXFSZ_] = { "XFSZ", "File size limit exceeded", ENDS },
	[SIGVTALRM_] = { "VTALRM", "Virtual timer expired", ENDS },
	[SIGPROF_] = { "PROF", "Profiling timer expired", ENDS },
	[SIGWINCH_] = { "WINCH", "Window changed", NOTHING },
	[SIGIO_] = { "IO", "I/O possible", ENDS },
	[SIGPWR_] = { "PWR", "Power failure", ENDS },
	[SIGSYS_] = { "SYS", "Bad system call", ENDS },
};

/* Real-time signals as bash lists them: RTMIN, RTMIN+1 .. RTMIN+15, RTMAX-14 .. RTMAX. */
static const char *const realtime[SIGRTMAX_ - SIGRTMIN_ + 1] = {
	"RTMIN",    "RTMIN+1",  "RTMIN+2",  "RTMIN+3",  "RTMIN+4",  "RTMIN+5",  "RTMIN+6",
	"RTMIN+7",  "RTMIN+8",  "RTMIN+9",  "RTMIN+10", "RTMIN+11", "RTMIN+12", "RTMIN+13",
	"RTMIN+14", "RTMIN+15", "RTMAX-14", "RTMAX-13", "RTMAX-12", "RTMAX-11", "RTMAX-10",
	"RTMAX-9",  "RTMAX-8",  "RTMAX-7",  "RTMAX-6",  "RTMAX-5",  "RTMAX-4",  "RTMAX-3",
	"RTMAX-2",  "RTMAX-1",  "RTMAX",
};

const char *sig_name(int sig)
{
	if (sig >= SIGRTMIN_ && sig <= SIGRTMAX_)
		return realtime[sig - SIGRTMIN_];
	return sig > 0 && sig <= SIGSYS_ ? rows[sig].name : NULL;
}

/* As strsignal(3) counts them. */
static const char *const real_time[] = {
	"Real-time signal 0",  "Real-time signal 1",  "Real-time signal 2",  "Real-time signal 3",
	"Real-time signal 4",  "Real-time signal 5",  "Real-time signal 6",  "Real-time signal 7",
	"Real-time signal 8",  "Real-time signal 9",  "Real-time signal 10", "Real-time signal 11",
	"Real-time signal 12", "Real-time signal 13", "Real-time signal 14", "Real-time signal 15",
	"Real-time signal 16", "Real-time signal 17", "Real-time signal 18", "Real-time signal 19",
	"Real-time signal 20", "Real-time signal 21", "Real-time signal 22", "Real-time signal 23",
	"Real-time signal 24", "Real-time signal 25", "Real-time signal 26", "Real-time signal 27",
	"Real-time signal 28", "Real-time signal 29", "Real-time signal 30",
};

const char *sig_text(int sig)
{
	if (sig > 0 && sig <= SIGSYS_)
		return rows[sig].text;
	return sig >= SIGRTMIN_ && sig <= SIGRTMAX_ ? real_time[sig - SIGRTMIN_] : "Unknown signal";
}

static bool same_name(struct bytes a, const char *name)
{
	if (name == NULL || a.len != strlen(name))
		return false;
	for (size_t i = 0; i < a.len; i++)
		if (byte_to_upper((unsigned char)a.ptr[i]) != name[i])
			return false;
	return true;
}

int sig_of_name(struct bytes name)
{
	static const struct {
		const char *name;
		int sig;
	} others[] = { { "CLD", SIGCHLD_ }, { "POLL", SIGIO_ }, { "IOT", SIGABRT_ } };

	if (name.len > 3 && same_name((struct bytes){ name.ptr, 3 }, "SIG"))
		name = bytes_slice(name, 3, name.len);
	for (int sig = 1; sig < SIG_COUNT; sig++)
		if (same_name(name, sig_name(sig)))
			return sig;
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
		if (same_name(name, others[i].name))
			return others[i].sig;
	return -1;
}

/* --- sending --- */

static uint64_t bit(int sig)
{
	return (uint64_t)1 << (sig - 1);
}

static enum sig_default default_of(int sig)
{
	return sig <= SIGSYS_ ? rows[sig].action : ENDS;
}

bool sig_interrupts(const struct proc *p)
{
	return proc_has_signal(p);
}

bool sig_stops(int sig)
{
	return default_of(sig) == STOPS;
}

bool sig_ends(int sig)
{
	return default_of(sig) == ENDS;
}

/* A process with all its threads; the running one comes last, and goes on when it is continued. */
static void stop_all(struct proc *owner, int sig)
{
	struct proc *current = owner->k->current;

	owner->priv->status = sig << 8 | 0x7f;
	owner->priv->report_stop = true;
	owner->priv->report_cont = false;
	sig_child_changed(owner);
	for (struct proc *t = owner->priv->threads; t != NULL; t = t->priv->thread_next)
		if (t != current && t->state != PROC_STOPPED)
			sched_stop(t);
	if (owner != current)
		sched_stop(owner);
	if (current != NULL && proc_owner(current) == owner)
		sched_stop(current);
}

static void act(struct proc *p, int sig)
{
	switch (default_of(sig)) {
	case ENDS: proc_kill(p, sig); break;
	case STOPS:
		p = proc_owner(p);
		if (p->state != PROC_STOPPED && !p->priv->parked)
			stop_all(p, sig);
		break;
	case NOTHING:
	case CONTINUES: break;
	}
}

/* Without memory for it the sender stays unknown. */
static void remember(struct proc *p, int sig, const struct sig_source *source)
{
	size_t n = SIG_COUNT * sizeof *source;

	if (p->priv->sources == NULL)
		p->priv->sources = heap_zalloc(&p->k->heap, n);
	if (p->priv->sources != NULL)
		p->priv->sources[sig] = *source;
}

void sig_forget_sources(struct proc *p)
{
	heap_free(&p->k->heap, p->priv->sources, SIG_COUNT * sizeof *p->priv->sources);
	p->priv->sources = NULL;
}

struct sig_source proc_signal_source(const struct proc *p, int sig)
{
	return p->priv->sources != NULL ? p->priv->sources[sig] : (struct sig_source){ 0 };
}

static void make_pending(struct proc *p, int sig, const struct sig_source *source)
{
	bool waiting = p->state == PROC_BLOCKED ||
		       (p->state == PROC_STOPPED && p->priv->under == PROC_BLOCKED);

	if ((p->sig_pending & bit(sig)) == 0)
		remember(p, sig, source);
	p->sig_pending |= bit(sig);
	if (waiting && !p->priv->parked && proc_has_signal(p))
		sched_wake(p, -E_INTR);
}

static void continue_stopped(struct proc *p)
{
	p->sig_pending &= ~(bit(SIGSTOP_) | bit(SIGTSTP_) | bit(SIGTTIN_) | bit(SIGTTOU_));
	if (p->priv->ptrace.stopped)
		ptrace_continued(p);
	p = proc_owner(p);
	for (struct proc *t = p->priv->threads; t != NULL; t = t->priv->thread_next)
		if (t->state == PROC_STOPPED && !t->priv->ptrace.stopped)
			sched_continue(t);
	if (p->state != PROC_STOPPED || p->priv->ptrace.stopped)
		return;
	p->priv->report_stop = false;
	p->priv->report_cont = true;
	sched_continue(p);
	sig_child_changed(p);
}

static void keep_blocked(struct proc *p, int sig, const struct sig_source *source)
{
	if ((p->sig_pending & bit(sig)) == 0)
		remember(p, sig, source);
	p->sig_pending |= bit(sig);
	if (p->k->signal_watchers != 0)
		sched_wake_all(&p->k->poll_waiters);
}

/* All signals of a program that is traced are its tracer's to see. */
static bool asks_tracer(const struct proc *p)
{
	return p->priv->ptrace.tracer != NULL && p->program != NULL;
}

/* May end or stop the running process, and then not return (soon). */
void sig_send_from(struct proc *p, int sig, const struct sig_source *source)
{
	enum sig_action action;

	if (p->state == PROC_ZOMBIE)
		return;
	p = thread_for_signal(p, sig);
	action = (enum sig_action)p->sig_action[sig];
	if (sig == SIGCONT_)
		continue_stopped(p);
	if (sig == SIGKILL_ || (sig == SIGSTOP_ && !asks_tracer(p))) {
		act(p, sig);
		return;
	}
	if (default_of(sig) == STOPS)
		p->sig_pending &= ~bit(SIGCONT_);
	if ((p->sig_blocked & bit(sig)) != 0)
		keep_blocked(p, sig, source);
	else if (action == SIG_CAUGHT || asks_tracer(p))
		make_pending(p, sig, source);
	else if (action == SIG_DEFAULT)
		act(p, sig);
}

void sig_send(struct proc *p, int sig)
{
	const struct sig_source kernel = { .code = SIG_BY_KERNEL };

	sig_send_from(p, sig, &kernel);
}

struct sig_source sig_source_of_child(int pid, uint32_t uid, int status)
{
	struct sig_source s = { .pid = pid, .uid = uid, .status = status >> 8 & 255 };

	if ((status & 0x7f) == 0) {
		s.code = CLD_EXITED_;
	} else if ((status & 0xff) == 0x7f) {
		s.code = status == 0xffff ? CLD_CONTINUED_ : CLD_STOPPED_;
		s.status = status == 0xffff ? SIGCONT_ : s.status;
	} else {
		s.code = CLD_KILLED_;
		s.status = status & 0x7f;
	}
	return s;
}

static void wake_waiter(struct proc *p)
{
	if (!p->priv->waits_child || (p->state != PROC_BLOCKED &&
				      (p->state != PROC_STOPPED || p->priv->under != PROC_BLOCKED)))
		return;
	p->priv->waits_child = false;
	sched_wake(p, 0);
}

/* The parent, or who traces it, learns of an end, a stop or a continuation. */
void sig_child_changed(struct proc *child)
{
	struct proc *tracer = child->priv->ptrace.tracer;
	struct proc *parent = tracer != NULL ? tracer : child->priv->parent;
	int status = child->priv->report_cont ? 0xffff : child->priv->status;
	struct sig_source source = sig_source_of_child(child->pid, child->cred.uid, status);

	if (parent == NULL || parent->state == PROC_ZOMBIE)
		return;
	if (tracer != NULL && source.code == CLD_STOPPED_)
		source.code = CLD_TRAPPED_;
	wake_waiter(parent);
	for (struct proc *t = parent->priv->threads; t != NULL; t = t->priv->thread_next)
		wake_waiter(t);
	sig_send_from(parent, SIGCHLD_, &source);
}

/* --- what processes call --- */

/* Acts on pending signals that are not caught and no longer blocked. */
static void deliver(struct proc *p)
{
	uint64_t ready = asks_tracer(p) ? 0 : p->sig_pending & ~p->sig_blocked;

	for (int sig = 1; sig < SIG_COUNT && ready != 0; sig++) {
		if ((ready & bit(sig)) == 0 || p->sig_action[sig] == SIG_CAUGHT)
			continue;
		p->sig_pending &= ~bit(sig);
		if (p->sig_action[sig] == SIG_DEFAULT)
			act(p, sig);
	}
}

void proc_act(struct proc *p, int sig)
{
	if (p->sig_action[sig] != SIG_IGNORED)
		act(p, sig);
}

void sys_sigaction(struct proc *p, int sig, enum sig_action action)
{
	if (sig <= 0 || sig >= SIG_COUNT || sig == SIGKILL_ || sig == SIGSTOP_)
		return;
	p->sig_action[sig] = (uint8_t)action;
	if (proc_has_threads(p)) {
		proc_owner(p)->sig_action[sig] = (uint8_t)action;
		for (struct proc *t = proc_owner(p)->priv->threads; t; t = t->priv->thread_next)
			t->sig_action[sig] = (uint8_t)action;
	}
	if (action == SIG_IGNORED)
		p->sig_pending &= ~bit(sig);
	else
		deliver(p);
}

uint64_t sys_sigmask(struct proc *p, uint64_t blocked)
{
	uint64_t old = p->sig_blocked;

	p->sig_blocked = blocked & ~(bit(SIGKILL_) | bit(SIGSTOP_));
	deliver(p);
	return old;
}

/* The process learns of a pending signal. */
static void take(struct proc *p, int sig, struct sig_source *out)
{
	*out = proc_signal_source(p, sig);
	p->sig_pending &= ~bit(sig);
	/* Another timer's signal may become pending in its place. */
	if (out->code == SIG_BY_TIMER && proc_owner(p)->priv->ptimers != NULL)
		out->uid = ptimer_taken(p, sig, out->pid);
}

int proc_next_signal_from(struct proc *p, struct sig_source *out)
{
	uint64_t ready = p->sig_pending & ~p->sig_blocked;
	int sig;

	if (ready == 0)
		return 0;
	sig = __builtin_ctzll(ready) + 1;
	take(p, sig, out);
	return sig;
}

int proc_next_signal(struct proc *p)
{
	struct sig_source source;

	return proc_next_signal_from(p, &source);
}

int proc_take_signal(struct proc *p, uint64_t set, struct sig_source *out)
{
	struct proc *from = (p->sig_pending & set) != 0 ? p : proc_owner(p);
	uint64_t ready = from->sig_pending & set;
	int sig;

	if (ready == 0)
		return 0;
	sig = __builtin_ctzll(ready) + 1;
	take(from, sig, out);
	return sig;
}

static bool may_signal(const struct proc *p, const struct proc *target, int sig)
{
	if (p == NULL || p->cred.uid == 0 || p->cred.uid == target->cred.uid)
		return true;
	return sig == SIGCONT_ && p->sid == target->sid;
}

static bool addressed(const struct proc *p, const struct proc *target, int pid)
{
	if (pid > 0)
		return target->pid == pid;
	if (target->priv->owner != NULL)
		return false;
	if (pid == -1)
		return target != p && target->pid != PROC_PIDS_FIRST;
	return pid == 0 ? target->pgid == p->pgid : -target->pgid == pid; /* may be INT_MIN */
}

/* The caller comes last: the signal may end it. */
static int64_t send_to_all(struct kernel *k, struct proc *p, int pid, int sig,
			   const struct sig_source *source)
{
	int64_t r = -E_SRCH;
	bool self = false;
	struct proc_walk walk;

	for (struct proc *t = proc_walk_first(&walk, k); t != NULL; t = proc_walk_next(&walk)) {
		if (addressed(p, t, pid) && !may_signal(p, t, sig)) {
			r = r == 0 ? 0 : -E_PERM;
		} else if (addressed(p, t, pid)) {
			r = 0;
			if (t == p)
				self = true;
			else if (sig != 0)
				sig_send_from(t, sig, source);
		}
	}
	if (self && sig != 0)
		sig_send_from(p, sig, source);
	return r;
}

void sig_send_group(struct kernel *k, int pgid, int sig)
{
	struct proc_walk walk;

	k->ending++;
	for (struct proc *t = proc_walk_first(&walk, k); t != NULL; t = proc_walk_next(&walk)) {
		/* Who runs now can't be stopped in the middle of what it does. */
		if (t->pgid == pgid && t->priv->owner == NULL &&
		    !(t == k->current && default_of(sig) == STOPS))
			sig_send(t, sig);
	}
	k->ending--;
}

void sig_settle(struct proc *p)
{
	struct kernel *k = p->k;

	if (!k->kill_current || k->ending != 0)
		return;
	k->kill_current = false;
	proc_exit_group(p, SIGKILL_);
}

static int64_t send_to_one(struct kernel *k, struct proc *p, int pid, int sig,
			   const struct sig_source *source)
{
	struct proc *t = proc_find(k, pid);

	if (t == NULL)
		return -E_SRCH;
	if (!may_signal(p, t, sig))
		return -E_PERM;
	if (sig != 0)
		sig_send_from(t, sig, source);
	return 0;
}

static int64_t kill_from(struct proc *p, int pid, int sig, const struct sig_source *source)
{
	struct kernel *k = p->k;
	int64_t r;

	proc_charge(p, 5);
	if (sig < 0 || sig >= SIG_COUNT)
		return -E_INVAL;
	r = pid > 0 ? send_to_one(k, p, pid, sig, source) : send_to_all(k, p, pid, sig, source);
	sig_settle(p);
	return r;
}

int64_t sys_kill(struct proc *p, int pid, int sig)
{
	const struct sig_source s = { .code = SIG_BY_USER,
				      .pid = proc_owner(p)->pid,
				      .uid = p->cred.uid };

	return kill_from(p, pid, sig, &s);
}

int64_t sys_signal(struct proc *p, int pid, int sig, const struct sig_source *source)
{
	return pid > 0 ? kill_from(p, pid, sig, source) : -E_INVAL;
}

int kernel_signal(struct kernel *k, int pid, int sig)
{
	const struct sig_source user = { .code = SIG_BY_USER };

	if (sig < 0 || sig >= SIG_COUNT || pid == 0)
		return -E_INVAL;
	return (int)(pid > 0 ? send_to_one(k, NULL, pid, sig, &user)
			     : send_to_all(k, NULL, pid, sig, &user));
}
