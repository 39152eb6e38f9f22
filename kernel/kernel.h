/* SPDX-License-Identifier: MIT
 *
 * The virtual kernel: processes, descriptors, pipes, signals, clock, limits, trace.
 *
 *   struct kernel (one session's machine)
 *     ├─ processes by pid: struct proc ── coroutine, arena, pool, descriptors, cwd, signals
 *     │      └─ descriptor table ──> struct file (open file description, counted)
 *     │                                 ├─ regular file, directory   an inode of the vfs
 *     │                                 ├─ pipe end, FIFO            a 64 KiB ring
 *     │                                 ├─ capture                   the output of $(...)
 *     │                                 ├─ device                    /dev/null, zero, ...
 *     │                                 └─ console                   the host's callbacks
 *     ├─ run queue, timers, virtual clock, random state
 *     ├─ limits and what was used of them
 *     └─ struct vfs
 *
 * One process runs at a time. It gives up the processor when it blocks in a sys_* call or
 * when its slice of steps is used up; the order is a round robin and depends on nothing
 * outside. A process can be stopped at any kernel call or charge: it is never resumed, and
 * the kernel closes its descriptors and frees its memory. So code that runs in a process
 * holds nothing that needs unwinding, except what is linked into a kernel or shell structure.
 *
 * sys_* functions are the one door for interpreter, commands and real binaries. They take
 * the calling process and return 0 or more, or a negative E_ number, with Linux's meanings.
 */
#ifndef KERNEL_KERNEL_H
#define KERNEL_KERNEL_H

#include "base/buf.h"
#include "base/heap.h"
#include "base/terminal.h"
#include "vfs/vfs.h"

struct kernel;
struct proc;
struct file;
struct trace_event; /* kernel/trace.h */

/* --- limits --- */

/*
 * LIMIT(name, option, small, default, large, what): the values of the three profiles; 0 means
 * none. `--help` prints the list. Those of a session count all its commands and its forks'
 * ancestors; the others start anew with each command or count what is there.
 */
#define LIMIT_LIST(LIMIT)                                                                          \
	LIMIT(STEPS, "steps", 100000000, 100000000000, 10000000000000, "steps of one command")     \
	LIMIT(TIME, "time", 10000, 600000, 86400000, "milliseconds of real time of one command")   \
	LIMIT(CPU, "cpu", 1000, 1000000, 100000000, "milliseconds of virtual time of one command") \
	LIMIT(MEMORY, "memory", 64 << 20, 512 << 20, 8ull << 30,                                   \
	      "bytes of processes, descriptors and variables")                                     \
	LIMIT(OUTPUT, "output", 16 << 20, 1 << 30, 64ull << 30, "bytes one command writes out")    \
	LIMIT(FILES, "files", 100000, 1000000, 100000000, "inodes added")                          \
	LIMIT(DISK, "disk", 256 << 20, 2ull << 30, 64ull << 30, "bytes of file data added")        \
	LIMIT(FILE_SIZE, "file-size", 16ull << 30, 1ull << 40, 1ull << 50, "bytes of one file")    \
	LIMIT(PROCESSES, "processes", 100, 1000, 10000, "processes alive at once")                 \
	LIMIT(DESCRIPTORS, "descriptors", 256, 1024, 65536, "descriptors of one process")          \
	LIMIT(RECURSION, "recursion", 1000, 10000, 100000, "nested calls in the shell")            \
	LIMIT(PATTERN, "pattern", 1000000, 10000000, 1000000000,                                   \
	      "backtracking steps of one pattern match")                                           \
	LIMIT(EXPANSION, "expansion", 1000000, 10000000, 1000000000,                               \
	      "words made by one expansion")                                                       \
	LIMIT(SESSION_STEPS, "session-steps", 10000000000, 10000000000000, 1000000000000000,       \
	      "steps of all commands of a session")                                                \
	LIMIT(SESSION_OUTPUT, "session-output", 256 << 20, 64ull << 30, 16ull << 40,               \
	      "bytes a session writes out")                                                        \
	LIMIT(SESSION_PROCESSES, "session-processes", 1000000, 1000000000, 1000000000000,          \
	      "processes a session starts")                                                        \
	LIMIT(REQUESTS, "requests", 100, 10000, 1000000, "requests to the network of one command") \
	LIMIT(NETWORK, "network", 16 << 20, 1 << 30, 64ull << 30,                                  \
	      "bytes of their bodies and answers")

enum limit {
#define LIMIT(name, option, small, normal, large, what) LIMIT_##name,
	LIMIT_LIST(LIMIT)
#undef LIMIT
		LIMIT_COUNT,
	LIMIT_DEADLOCK, /* not settable: every process waits for another */
	LIMIT_CANCEL    /* the host asked to stop */
};

const char *limit_name(enum limit l); /* as in --limit NAME=VALUE */
enum limit_profile { PROFILE_DEFAULT, PROFILE_SMALL, PROFILE_LARGE, PROFILE_COUNT };
uint64_t limit_value(enum limit l, enum limit_profile profile);
/* LIMIT_COUNT for an unknown name. */
enum limit limit_of_name(struct bytes name);

/* --- what the host supplies (api/ fills it from cowsh_host) --- */

enum { KERNEL_PENDING = VFS_PENDING };

/* A request to the network of the host. */
struct fetch_request {
	uint64_t id;                /* 1, 2, 3, ... of the kernel; set by it */
	const char *method;         /* "GET" */
	const char *url;            /* absolute: http or https, without user and fragment */
	const char *const *headers; /* "Name: value"; NULL-ended. May be NULL */
	const char *body;
	size_t body_len;
	uint64_t timeout_ms; /* 0: the host's own */
	uint64_t received;   /* bytes of the answer that were taken; set by the kernel */
};

struct kernel_host {
	/* Output of the session: fd 1 or 2. 0, KERNEL_PENDING (tried again later), or an error. */
	int (*output)(void *user, int fd, const char *data, size_t n);
	/* Standard input: bytes read, 0 at the end, KERNEL_PENDING, or an error. */
	int64_t (*input)(void *user, char *out, size_t n);
	/* Real time in nanoseconds since 1970; NULL: the clock is virtual. */
	int64_t (*clock)(void *user);
	/* Called every slice: non-zero stops everything (LIMIT_TIME). May be NULL. */
	int (*expired)(void *user);
	/* The next bytes of the answer to a request: their number, 0 at the end, KERNEL_PENDING,
	 * an error. n 0: it is given up. NULL: there is no network. */
	int64_t (*fetch)(void *user, const struct fetch_request *request, char *into, size_t n);
	/* Trace events and breakpoints; NULL: off. See kernel/trace.h. */
	void (*trace)(void *user, const struct trace_event *event);
	int (*watch)(void *user, const struct trace_event *event);
	void *user;
	bool terminal[3]; /* whether descriptors 0..2 are to look like a terminal */
};

/* --- life of a kernel --- */

struct kernel_config {
	struct store *store;
	struct vfs_tree *tree; /* files to start with; NULL: empty */
	const struct kernel_host *host;
	uint64_t limit[LIMIT_COUNT]; /* 0 means none, for every limit */
	uint64_t seed;
	int64_t epoch_ns; /* the virtual clock starts here */
	uint64_t step_ps; /* virtual picoseconds per step; 0 means 10,000 */
	const char *hostname;
	struct vfs_cred cred; /* of processes that the host starts */
	bool carry_on;        /* what the tree's maker had added to it counts as this one's */
};

int kernel_new(const struct kernel_config *config, struct kernel **out);
/* Returns the bytes of its heap that were not given back: 0, if callers freed what was theirs. */
size_t kernel_free(struct kernel *k);
/* A new kernel on the same store that has k's tree, clock, random state, limits and formats as
 * they are now, and no processes. k goes on. Not to be called while k runs. */
int kernel_fork(struct kernel *k, const struct kernel_host *host, struct kernel **out);

/* Each gets the other's callbacks, and with them tracing and breakpoints. */
void kernel_swap_hosts(struct kernel *a, struct kernel *b);
/* Clock, random state and what of the limits is used become those of `like` again. */
void kernel_follow(struct kernel *k, const struct kernel *like);
/* A kernel's own state for a saved session: clock, random numbers, what of its limits is used.
 * Back into one that was just made: 0 or -E_IO. */
struct unpack;
void kernel_pack(const struct kernel *k, struct buf *out);
int kernel_unpack(struct kernel *k, struct unpack *in);

/* vfs_restore for a kernel that has processes: what they look at stays, /proc is mounted. */
int kernel_restore(struct kernel *k, struct vfs_tree *tree);
/* The files as they are now, in a vfs of its own, which is to be freed: what it loads from sources
 * is not loaded for the processes. */
int kernel_look(struct kernel *k, struct vfs **out);

/*
 * Runs processes. KERNEL_DONE: all have ended or are parked, or those that live can never run
 * again before a parked one is restarted. KERNEL_SLICE: `steps` were charged (0: no bound), or
 * kernel_break, or a process that the host started has ended; where it stops does not change
 * what happens. KERNEL_WAIT: all that live wait for the host. When nothing can run and only
 * timers are left, the virtual clock jumps to the next one; with a clock of the host that is
 * KERNEL_WAIT until kernel_next_timer.
 */
enum kernel_state { KERNEL_DONE, KERNEL_SLICE, KERNEL_WAIT };
enum kernel_state kernel_run(struct kernel *k, uint64_t steps);
/* kernel_run returns KERNEL_SLICE as soon as the running process gives up the processor. Called
 * by proc_park, and by a process that wants the host to look at something it queued. */
void kernel_break(struct kernel *k);
/* Steps that a process runs before the next one does; for tests, which take 0. */
void kernel_set_slice(struct kernel *k, int64_t steps);
/* When the first timer ends (nanoseconds since 1970), INT64_MAX if there is none. */
int64_t kernel_next_timer(const struct kernel *k);
/* Runs fn(arg) on the stack that called kernel_run, then goes on with p: every callback of the
 * host is called this way, because it may need more stack than a process has. */
int proc_call_host(struct proc *p, int (*fn)(void *arg), void *arg);
/* While some wait for the host: lets virtual time go on to the next timer. False: none. */
bool kernel_skip_to_timer(struct kernel *k);
/* Async-signal-safe and thread-safe: the running command ends with LIMIT_CANCEL soon. */
void kernel_cancel(struct kernel *k);
/* Which limit stopped the current command, or -1. Cleared by kernel_begin. */
int kernel_limit_hit(const struct kernel *k);
/* The wait status of a survivor that a signal or a limit of its own ended: it is parked, all
 * others are gone. 0: none was. Cleared by kernel_begin. */
int kernel_died(const struct kernel *k);
/* Its value, and where it was hit ("awk, line 3"); both as they were then. */
uint64_t kernel_limit_hit_value(const struct kernel *k);
const char *kernel_limit_hit_where(const struct kernel *k);
/* Starts a new command's accounting (steps, output, real time). */
void kernel_begin(struct kernel *k);
/* Signals every process that waits for the host, after something was completed. */
void kernel_wake_host(struct kernel *k);

struct kernel_usage {
	uint64_t steps; /* of the current command */
	uint64_t steps_total;
	uint64_t output_bytes;
	uint64_t processes; /* started in all */
	size_t memory;
	size_t memory_peak;
};
void kernel_get_usage(const struct kernel *k, struct kernel_usage *out);

/* --- processes --- */

enum { PROC_PIDS_FIRST = 1, PROC_STACK_BYTES = 128 * 1024, SIG_COUNT = 65 };

enum proc_state { PROC_READY, PROC_RUNNING, PROC_BLOCKED, PROC_STOPPED, PROC_ZOMBIE };

struct descriptor {
	struct file *file;
	bool cloexec;
	bool passing; /* see sys_set_passing */
};

/* How a signal is treated. A caught one is only recorded: see proc_next_signal. */
enum sig_action { SIG_DEFAULT, SIG_IGNORED, SIG_CAUGHT };

/* What /proc tells of the memory of a program that is no builtin, in bytes. */
struct proc_sizes {
	uint64_t size, resident, shared, text, data, stack;
};
struct proc_program {
	/* Lines of /proc/PID/maps, or smaps. */
	void (*maps)(struct proc *p, bool details, struct arena *a, struct buf *b);
	struct proc_sizes (*sizes)(struct proc *p);
	/* What its arguments, or its environment, are by now; false: what they were. */
	bool (*strings)(struct proc *p, bool environment, struct buf *b);
	/* Its auxiliary values. */
	void (*aux)(struct proc *p, struct buf *b);
	/* Reads or writes its memory for another process: how many bytes, or an error. */
	int64_t (*memory)(struct proc *by, struct proc *p, uint64_t address, void *bytes, size_t n,
			  bool write);
};

/* What prctl(2) keeps of a process or a thread. In copies and saved sessions too. */
struct proc_traits {
	uint8_t death_signal;    /* to it when who made it ends; 0: none. Not inherited */
	bool subreaper;          /* orphans below it become its children. Not inherited */
	bool no_new_privs;       /* there are none to get: no program has a user of its own */
	bool hidden;             /* PR_SET_DUMPABLE 0: only root looks into it, until it executes */
	uint64_t slack_ns;       /* of timers: told, and nothing else */
	uint64_t usual_slack_ns; /* at its beginning */
};

struct proc {
	struct kernel *k;
	int pid;
	int ppid;
	int pgid;
	int sid;
	enum proc_state state;
	struct arena arena;    /* dies with the process; scratch by mark and release */
	struct pool pool;      /* dies with the process; blocks can be freed before */
	struct descriptor *fd; /* table of nfds entries */
	int nfds;
	uint32_t umask;
	vfs_ino cwd;                   /* held */
	struct vfs_cred cred;          /* the effective user and group */
	uint32_t real_uid, real_gid;   /* what it may become again, */
	uint32_t saved_uid, saved_gid; /* also these */
	const char *name;              /* comm, as ps and /proc show it */
	char *const *argv;             /* as started; NULL-ended */
	char *const *envp;
	uint8_t sig_action[SIG_COUNT];
	bool no_zombies;      /* nobody waits for its children, though SIGCHLD is not ignored */
	uint64_t sig_pending; /* bit n - 1: signal n, as in Linux's masks */
	uint64_t sig_blocked;
	uint64_t rlimit[16][2]; /* soft, hard; ULIMIT_* order of Linux */
	int nice;
	struct proc_traits traits;
	uint64_t steps;       /* charged so far, the running slice not counted */
	uint64_t child_steps; /* of children that were waited for, and theirs */
	uint64_t bytes_read;
	uint64_t bytes_written;
	int64_t started_ns;
	int stage;       /* of the pipeline it is in, from 1; 0: of none. Inherited */
	const int *line; /* where the program is in its script; NULL: it has none */
	void *task;      /* owned by the program format: the shell's, the microVM's state */
	/* Called once before the process's memory is freed, however it ended, or when it executes
	 * another program, to put references that reach outside it; on any stack; must not block,
	 * allocate or charge. May be NULL. Not inherited. */
	void (*release)(struct proc *p);
	const struct proc_program *program; /* as long as release; NULL: a builtin */
	struct bytes launcher;              /* what /proc/PID/zygote has; empty: it is not there */
	bool launcher_streams; /* what the zygote made of its standard streams fits these */
	struct proc_private *priv;
};

/* Signals, Linux's numbers on x86-64. */
enum {
	SIGHUP_ = 1,
	SIGINT_,
	SIGQUIT_,
	SIGILL_,
	SIGTRAP_,
	SIGABRT_,
	SIGBUS_,
	SIGFPE_,
	SIGKILL_,
	SIGUSR1_,
	SIGSEGV_,
	SIGUSR2_,
	SIGPIPE_,
	SIGALRM_,
	SIGTERM_,
	SIGSTKFLT_,
	SIGCHLD_,
	SIGCONT_,
	SIGSTOP_,
	SIGTSTP_,
	SIGTTIN_,
	SIGTTOU_,
	SIGURG_,
	SIGXCPU_,
	SIGXFSZ_,
	SIGVTALRM_,
	SIGPROF_,
	SIGWINCH_,
	SIGIO_,
	SIGPWR_,
	SIGSYS_,
	SIGRTMIN_ = 34,
	SIGRTMAX_ = 64,
};

/*
 * Starts a process that runs fn(child, arg) on a stack of its own; fn's return value is its
 * exit status (0..255). The child inherits, as after fork(2): descriptors (shared
 * descriptions), cwd, umask, cred, signal actions, blocked mask, rlimits, group and session;
 * arena and pool are empty. `arg` is the parent's memory: it is valid as long as the caller
 * guarantees it. The child first runs when the parent blocks or its slice ends.
 */
struct spawn {
	int (*fn)(struct proc *child, void *arg);
	void *arg;
	const char *name;
	int pgid;        /* 0: the parent's; -1: its own, as setpgid(0, 0) */
	bool ignore_int; /* SIGINT and SIGQUIT ignored, for background jobs */
	int stage;       /* of a pipeline; 0: the parent's */
};
int64_t sys_spawn(struct proc *p, const struct spawn *s, struct proc **child);

/*
 * Starts the program at `path` in a new process (fork + exec in one): looked up relative to
 * p's cwd, permission checked, handed to the first program format that takes it. argv and
 * envp are copied into the child. fds: what the child has as descriptors 0..nfds-1 (parent's
 * numbers, -1: closed); others are inherited unless cloexec; fds NULL: all are inherited.
 * Returns the pid, or -E_NOENT, -E_ACCES, -E_NOEXEC (no format takes it), -E_2BIG, ...
 */
struct exec {
	const char *path;
	char *const *argv;
	char *const *envp;
	const int *fds;
	int nfds;
	int pgid; /* as in struct spawn */
	bool ignore_int;
};
int64_t sys_spawn_program(struct proc *p, const struct exec *e);
/* execve(2): replaces the calling process, also if a thread of it calls. Returns only on error. */
int64_t sys_exec(struct proc *p, const char *path, char *const *argv, char *const *envp);

/*
 * Program formats, tried in the order of registration. "#!" lines are the kernel's own: the
 * interpreter named there is started with the path as its argument, as Linux does.
 */
struct program_format {
	const char *name;
	/* head: the first up to 256 bytes of the file. Whether the format takes it. */
	bool (*probe)(struct proc *p, struct bytes head);
	/* Runs in the new process, which already has name, argv, envp; head is what probe saw.
	 * Returns the exit status. */
	int (*run)(struct proc *p, struct bytes head, const char *path, int argc, char **argv,
		   char **envp);
	/* Asked when argv[0] is in no directory of PATH: what it writes on descriptor 2 takes the
	 * place of "command not found". Returns the status, or -1: it knows nothing. Runs in the
	 * process that looked for the program and must not end it. May be NULL. */
	int (*advise)(struct proc *p, int argc, char **argv);
	bool tells_tracer; /* its programs stop by themselves for who traces them */
	bool real_path;    /* `path` is to be absolute and without links, also in /proc */
};
/* Asks the formats: the status of the first that knows, or -1. */
int kernel_advise(struct proc *p, char *const *argv);
/* One that is there already, as in a fork, stays where it is. */
int kernel_add_format(struct kernel *k, const struct program_format *format);

/*
 * A thread of p's process: it shares descriptors, directory, umask and children, and has a
 * number, a stack and a signal mask of its own. Signals to the process go to one that does not
 * block them; how they are treated is the same for all.
 */
int64_t sys_spawn_thread(struct proc *p, const struct spawn *s, struct proc **out);
struct proc *proc_owner_of(struct proc *p); /* the process; itself, if it is not a thread */
bool proc_has_threads(const struct proc *p);
/* Another name, of at most 15 bytes. */
void proc_rename(struct proc *p, const char *name);
/* Ends the threads of a process, but not the one that runs now. */
void proc_end_threads(struct proc *owner, int status);
/* Ends the process and all its threads. */
_Noreturn void proc_exit_group(struct proc *p, int status);

/* Ends the calling process with a wait status: exit code << 8, or a signal number. */
_Noreturn void proc_exit(struct proc *p, int status);
_Noreturn void proc_die(struct proc *p, int sig);
/* Ends the whole command because of a limit; says so on descriptor 2 of the session. */
_Noreturn void proc_limit(struct proc *p, enum limit l);

/* The process with that pid (also a zombie), or NULL. */
struct proc *proc_find(struct kernel *k, int pid);
/* For hosts that look: a letter as ps has it, and open descriptors from `from` on. */
char proc_state_letter(const struct proc *p);
struct fd_info {
	int fd;
	const char *kind;
	const char *path; /* absolute, in the arena; NULL: none */
	unsigned flags;
	uint64_t pos;
	bool cloexec;
};
/* The first open descriptor that is at least `from`; false: there is none. */
bool proc_next_fd(const struct proc *p, int from, struct arena *a, struct fd_info *out);
/* Name of the program format; "fork" for a copy of its parent, "session" for the host's. */
const char *proc_format(const struct proc *p);
/* The line of its script a process is at, or was started from; 0: none. */
int proc_line(const struct proc *p);
/* The live process with the lowest pid above `pid`, or NULL: for ps and /proc. */
struct proc *proc_next(struct kernel *k, int pid);
/* The next live process or thread; after NULL the first. */
struct proc *proc_after(struct kernel *k, const struct proc *p);
struct proc *kernel_current(const struct kernel *k);

/* A first process for the host: descriptors 0..2 are the console. See struct spawn. */
int kernel_start(struct kernel *k, const struct spawn *s, char *const *argv, char *const *envp,
		 struct proc **out);
/* The host's wait: the status of an ended process that it started, which is then gone.
 * -E_AGAIN: it has not ended; -E_SRCH. */
int kernel_reap(struct kernel *k, int pid, int *status);
/* Ends all processes, survivors too. Between runs only. */
void kernel_kill_all(struct kernel *k);
/* Abandons the coroutine of a process that stopped at a limit and gives it a new one that runs
 * fn(p, arg): its memory, descriptors and task stay. For a shell that outlives its commands. */
int proc_restart(struct proc *p, int (*fn)(struct proc *, void *), void *arg);
/* Marks a process as one that survives limits: proc_limit parks it instead of freeing it. */
void proc_set_survivor(struct proc *p, bool on);
/* A survivor that finished its command waits here until proc_restart. Parked survivors do not
 * count as alive for KERNEL_DONE. */
_Noreturn void proc_park(struct proc *p);

/* wait4(2). pid as there; WNOHANG_, WUNTRACED_, WCONTINUED_. *status as wait(2) encodes it.
 * WKEEP_: the news stay to be told again; WALIVE_: not of those that ended. */
enum {
	WNOHANG_ = 1,
	WUNTRACED_ = 2,
	WCONTINUED_ = 8,
	WKEEP_ = 0x1000000,
	WALIVE_ = 0x2000000,
};
int64_t sys_wait(struct proc *p, int pid, int *status, int options);
int64_t sys_kill(struct proc *p, int pid, int sig);
int64_t sys_setpgid(struct proc *p, int pid, int pgid);
int64_t sys_setsid(struct proc *p);
/* alarm-like: sends sig after ns (0 cancels). One per process. */
int64_t sys_alarm(struct proc *p, int64_t ns, int sig);
/* Blocks until a caught signal arrives: always -E_INTR. */
int64_t sys_pause(struct proc *p);
void sys_sigaction(struct proc *p, int sig, enum sig_action action);
/* Sets sig_blocked; acts on what is no longer blocked. Returns the old mask. */
uint64_t sys_sigmask(struct proc *p, uint64_t blocked);
/* Takes one caught, unblocked, pending signal: its number, or 0. */
int proc_next_signal(struct proc *p);
static inline bool proc_has_signal(const struct proc *p)
{
	return (p->sig_pending & ~p->sig_blocked) != 0;
}
/* Who sent a signal that is pending or was taken last; codes as in siginfo_t. */
struct sig_source {
	int code; /* SIG_BY_..., CLD_..., or what a program gave */
	int pid;
	uint32_t uid;
	int status;     /* of a child */
	uint64_t value; /* that a program sent along */
};
enum { SIG_BY_USER = 0, SIG_BY_KERNEL = 128, SIG_BY_TKILL = -6, SIG_BY_TIMER = -2 };
enum { CLD_EXITED_ = 1, CLD_KILLED_, CLD_DUMPED_, CLD_TRAPPED_, CLD_STOPPED_, CLD_CONTINUED_ };
/* As proc_next_signal, and who sent it. */
int proc_next_signal_from(struct proc *p, struct sig_source *out);
struct sig_source proc_signal_source(const struct proc *p, int sig);
/* What a wait status tells of a child, in the same form. */
struct sig_source sig_source_of_child(int pid, uint32_t uid, int status);
/* As sys_kill, of one process or thread, with a source of the caller's. */
int64_t sys_signal(struct proc *p, int pid, int sig, const struct sig_source *source);
/* Takes a pending signal of the set, blocked or not, of the caller or its process: or 0. */
int proc_take_signal(struct proc *p, uint64_t set, struct sig_source *out);
/* "TERM" for 15; NULL if there is none. And back: with or without "SIG", any case; -1. */
const char *sig_name(int sig);
int sig_of_name(struct bytes name);
/* "Terminated" for 15, as strsignal(3). */
const char *sig_text(int sig);

/* --- steps, stack --- */

void proc_charge_slow(struct proc *p);

/* The process whose code this thread is in, for callbacks of libraries that carry no argument;
 * NULL if it runs none. */
struct proc *kernel_running(void);

struct fuel {
	int64_t left; /* of the running slice */
	bool watched; /* somebody wants to know of simple commands */
};
/* The kernel's first member, so that charging is one subtraction. */
static inline struct fuel *kernel_fuel(struct kernel *k)
{
	return (struct fuel *)k;
}

/* Charges n steps: one step is about what a simple loop turn or 64 bytes of work costs. May
 * switch to another process, deliver a signal or end the command. */
static inline void proc_charge(struct proc *p, uint64_t n)
{
	struct fuel *f = kernel_fuel(p->k);

	f->left -= (int64_t)n;
	if (f->left < 0)
		proc_charge_slow(p);
}

void proc_watch_call_slow(struct proc *p, const char *what, char *const *argv);

/* p is about to run a simple command, which is a "function", "builtin", "program", ... May stop
 * at a breakpoint. */
static inline void proc_watch_call(struct proc *p, const char *what, char *const *argv)
{
	if (kernel_fuel(p->k)->watched)
		proc_watch_call_slow(p, what, argv);
}

/* Bytes left for frames on the stack that the process runs on; fewer under a sanitizer. */
size_t proc_stack_left(const struct proc *p);
/* Runs fn(arg) on a fresh stack if less than `need` bytes are left, else right here. */
int proc_deepen(struct proc *p, size_t need, int (*fn)(void *arg), void *arg);

/* An arena or pool that belongs to the process and fails by LIMIT_MEMORY. */
struct arena_fail proc_arena_fail(struct proc *p);
struct arena_work proc_arena_work(struct proc *p);

/*
 * Waiting for a name, and waking who waits for it with one of the bits. until_ns as kernel_now
 * tells time, 0: for ever. 0, -E_INTR, -E_TIMEDOUT. At most n are woken or moved to `to`.
 */
struct futex_key {
	uint64_t object;
	uint64_t at;
};
int64_t sys_futex_wait(struct proc *p, struct futex_key key, uint32_t bits, int64_t until_ns);
int64_t kernel_futex_wake(struct kernel *k, struct futex_key key, uint32_t bits, int64_t n);
int64_t kernel_futex_requeue(struct kernel *k, struct futex_key from, struct futex_key to,
			     int64_t n);

/* --- copies of processes --- */

/*
 * Copies of processes and their open files in a forked kernel (kernel_fork), between runs. First
 * programs, the owner before its threads, then the shell, then kernel_copy_files; when the shell
 * has been run once, kernel_copy_end lets the rest run; with run false, what was begun is only
 * given up. Copies have the number, directory, umask, cred, signals, limits and descriptors of
 * the other; files stand where they stood, pipes have in them what was there. What the shell has
 * of a pipe that a process which is not copied has, too, is closed.
 */
struct copying;
int kernel_copy_begin(struct kernel *from, struct kernel *to, const struct proc *shell,
		      struct copying **out);
int proc_copy(struct copying *w, const struct proc *like, int (*fn)(struct proc *, void *),
	      void *arg, struct proc **out);
int kernel_start_like(struct copying *w, const struct spawn *s, struct proc **out);
int kernel_copy_files(struct copying *w);
void kernel_copy_end(struct copying *w, bool run);
/* What stands for something of the old kernel; NULL: nothing. And to remember that. */
void *copy_find(const struct copying *w, const void *old);
int copy_note(struct copying *w, const void *old, void *new);
/* The open file of the new kernel, for one more holder; NULL and *err 0: it can't be copied. */
struct file *copy_file(struct copying *w, const struct file *like, int *err);
/* Where a process is that does not run now. */
struct posture {
	bool waits;      /* in a call that blocks, before it has done anything but `moved` */
	bool waits_host; /* and for the host, in the middle of anything */
	bool woken;      /* that wait has ended with this result, but it has not run since */
	int result;
	struct futex_key futex; /* what it waits for, if that is a futex */
	uint64_t moved;         /* bytes of a write that waits for room */
	bool whole;             /* as proc_set_whole */
};
/* False: it has not run at all. */
bool proc_posture(const struct proc *p, struct posture *out);
/* Runs what can run until all processes are `ready` or so many steps are over, but lets no time
 * pass by itself. Whether they are. */
bool kernel_settle(struct kernel *k, bool (*ready)(const struct proc *p), uint64_t steps);
/* While it is on, the process gives up the processor only where it waits. */
void proc_set_whole(struct proc *p, bool on);

/* --- descriptors --- */

int64_t sys_open(struct proc *p, int dirfd, const char *path, unsigned oflags, uint32_t mode);
int64_t sys_close(struct proc *p, int fd);
int64_t sys_dup(struct proc *p, int fd);
int64_t sys_dup2(struct proc *p, int from, int to, bool cloexec);
/* The lowest free number that is at least `least`. */
int64_t sys_dup_from(struct proc *p, int fd, int least, bool cloexec);
int64_t sys_set_cloexec(struct proc *p, int fd, bool on);
int64_t sys_get_cloexec(struct proc *p, int fd);
/* What a survivor has open only for what it is doing: closed by sys_close_passing when that was
 * stopped. Not inherited, nor by what the descriptor becomes by dup2. */
void sys_set_passing(struct proc *p, int fd, bool on);
void sys_close_passing(struct proc *p);
int64_t sys_getfl(struct proc *p, int fd);
/* Changes O_APPEND and O_NONBLOCK, as F_SETFL. */
int64_t sys_setfl(struct proc *p, int fd, unsigned flags);
int64_t sys_pipe(struct proc *p, int fds[2], bool cloexec);
/*
 * A write end whose bytes collect in memory: what $( ) reads. capture_take waits until all
 * writers but the caller's own descriptor are gone, closes fd, and gives the bytes, which are
 * in p's arena.
 */
int64_t sys_capture(struct proc *p);
int64_t sys_capture_take(struct proc *p, int fd, struct bytes *out);
/* An anonymous readable file with these bytes (here-documents). */
int64_t sys_memfile(struct proc *p, struct bytes content);

int64_t sys_read(struct proc *p, int fd, void *out, size_t n);
int64_t sys_write(struct proc *p, int fd, const void *data, size_t n);
int64_t sys_pread(struct proc *p, int fd, void *out, size_t n, uint64_t pos);
int64_t sys_pwrite(struct proc *p, int fd, const void *data, size_t n, uint64_t pos);
/*
 * Reading without a copy: *out points at the next bytes (at most max), which count as read.
 * Returns their number, 0 at the end. Valid until the process reads, views, seeks or closes
 * that descriptor again, whatever else it or others do meanwhile (also to the file).
 */
int64_t sys_view(struct proc *p, int fd, size_t max, const char **out);
/* The same up to the first byte `delim`, that included: what follows it stays unread. May give
 * fewer bytes without the delimiter. */
int64_t sys_view_line(struct proc *p, int fd, char delim, size_t max, const char **out);
int64_t sys_lseek(struct proc *p, int fd, int64_t offset, int whence);
/* Advisory locks of an open file on len bytes from `from` (0: all that follow), as Linux's OFD
 * locks: a new kind replaces the file's own. Never waits: -E_AGAIN if another's is in the way. */
enum lock_kind {
	LOCK_NONE,
	LOCK_SHARED,
	LOCK_EXCLUSIVE,
	LOCK_TEST, /* takes none: whether an exclusive one could be had */
};
int64_t sys_lock(struct proc *p, int fd, enum lock_kind kind, uint64_t from, uint64_t len);
/* The same with all that Linux has: fcntl's locks of processes, and flock's of whole files. What
 * is in the way is told, if found is not NULL. */
enum lock_owner { LOCK_OF_FILE, LOCK_OF_PROCESS, LOCK_WHOLE };
struct lock_request {
	enum lock_owner owner;
	enum lock_kind kind;
	uint64_t from;
	uint64_t len;
	bool wait; /* else -E_AGAIN; -E_INTR, -E_DEADLK (processes that wait for each other) */
	bool only_test;
};
struct lock_found {
	enum lock_kind kind;
	uint64_t from;
	uint64_t len;
	int pid; /* -1: an open file's */
};
int64_t sys_lock_as(struct proc *p, int fd, const struct lock_request *r, struct lock_found *found);
/* Bytes that can be read at once, as FIONREAD tells; -E_NOTTY where that is no question. */
int64_t sys_waiting(struct proc *p, int fd);
/* How many bytes a pipe takes; so many, up to a MiB, or a few more from now on: -E_BUSY. */
int64_t sys_pipe_size(struct proc *p, int fd);
int64_t sys_pipe_resize(struct proc *p, int fd, uint64_t wanted);
/* A read of a pipe that leaves there what it copies; -E_INVAL: it is none. */
int64_t sys_pipe_peek(struct proc *p, int fd, void *out, size_t n);
/* eventfd(2); of oflags O_NONBLOCK_ and O_CLOEXEC_. */
int64_t sys_eventfd(struct proc *p, uint64_t count, bool semaphore, unsigned oflags);
/* timerfd_create(2) and its like; `real` is the clock an absolute time is of. */
struct timer_setting {
	int64_t value_ns; /* 0: off */
	int64_t every_ns;
};
int64_t sys_timerfd(struct proc *p, bool real, unsigned oflags);
int64_t sys_timerfd_set(struct proc *p, int fd, bool absolute, const struct timer_setting *s);
int64_t sys_timerfd_get(struct proc *p, int fd, struct timer_setting *out);
/*
 * timer_create(2) and its like. The numbers of timers are the process's; -E_INVAL: there is no
 * such timer.
 */
struct timer_notice {
	int sig; /* 0: none is sent */
	int tid; /* to this thread; 0: to the process */
	uint64_t value;
	bool own_id; /* the value is the timer's number */
};
int64_t sys_timer_new(struct proc *p, bool real, const struct timer_notice *notice);
int64_t sys_timer_set(struct proc *p, int id, bool absolute, const struct timer_setting *s);
int64_t sys_timer_get(struct proc *p, int id, struct timer_setting *out);
/* How often it expired between its last signal and when that was taken. */
int64_t sys_timer_missed(struct proc *p, int id);
int64_t sys_timer_delete(struct proc *p, int id);
/* inotify(7); of oflags O_NONBLOCK_ and O_CLOEXEC_. Masks and records are Linux's. */
int64_t sys_inotify(struct proc *p, unsigned oflags);
int64_t sys_inotify_add(struct proc *p, int fd, const char *path, uint32_t mask);
int64_t sys_inotify_remove(struct proc *p, int fd, int number);
/* signalfd(2): fd -1 makes one. */
int64_t sys_signalfd(struct proc *p, int fd, uint64_t mask, unsigned oflags);
/* pidfd_open(2), and which process it means: -E_SRCH if it is gone. */
int64_t sys_pidfd(struct proc *p, int pid, unsigned oflags);
int64_t sys_pidfd_pid(struct proc *p, int fd);
/*
 * Terminals: /dev/ptmx and /dev/pts/N, and the session's own, which has settings and a size only.
 * Settings as termios(3) has them. Each fails with -E_NOTTY if the descriptor is no such terminal,
 * -E_BADF.
 */
enum { TTY_PTY, TTY_CONSOLE };
int64_t sys_tty_kind(struct proc *p, int fd);
int64_t sys_tty_get(struct proc *p, int fd, struct tty_settings *out);
int64_t sys_tty_set(struct proc *p, int fd, const struct tty_settings *s, bool flush);
/* Rows, columns, pixels across, pixels down; a change is told by SIGWINCH. */
int64_t sys_tty_size(struct proc *p, int fd, uint16_t size[4], bool set);
/* The group in the foreground, of the controlling terminal only. */
int64_t sys_tty_group(struct proc *p, int fd, int *group, bool set);
int64_t sys_tty_session(struct proc *p, int fd);
/* The terminal becomes the caller's controlling one, or is no more. */
int64_t sys_tty_control(struct proc *p, int fd, bool steal);
int64_t sys_tty_release(struct proc *p, int fd);
int64_t sys_tty_flush(struct proc *p, int fd, bool input, bool output);
/* Bytes that can be read, or that the other end has not read. */
int64_t sys_tty_waiting(struct proc *p, int fd, bool output);
/* The settings of the session's own terminal, as its processes want them; those it begins with
 * again; its size, 24 by 80 where a number is 0. */
void kernel_get_terminal(const struct kernel *k, struct tty_settings *out);
void kernel_reset_terminal(struct kernel *k);
void kernel_size_terminal(struct kernel *k, unsigned rows, unsigned columns);
/* Of masters: N of /dev/pts/N, its lock, a descriptor of the other end. */
int64_t sys_pty_number(struct proc *p, int fd);
int64_t sys_pty_lock(struct proc *p, int fd, bool locked);
int64_t sys_pty_is_locked(struct proc *p, int fd);
/* Packet mode, which tells of data alone. */
int64_t sys_pty_packets(struct proc *p, int fd, bool on);
int64_t sys_pty_has_packets(struct proc *p, int fd);
int64_t sys_pty_peer(struct proc *p, int fd, unsigned oflags);
/* Makes /proc and /dev in a tree, where kernel_new finds them then: trees that many sessions
 * begin with are furnished once. 0 or an error. */
int kernel_furnish(struct vfs *v);
/* Makes what programs of Linux expect of /dev besides: ptmx, pts, shm. */
int kernel_make_devices(struct kernel *k);
/* memfd_create(2): a regular file without a name in the tree, with seals (vfs_seal). */
int64_t sys_memfd(struct proc *p, const char *name, unsigned oflags, unsigned seals);
int sys_file_seals(struct file *f);
int sys_file_seal(struct file *f, unsigned seals);
/* epoll(7). op as epoll_ctl(2). Edge-triggered readers are told as long as there is something. */
struct epoll_event_ {
	uint32_t events;
	uint64_t data;
};
int64_t sys_epoll(struct proc *p, bool cloexec);
int64_t sys_epoll_ctl(struct proc *p, int epfd, int op, int fd, const struct epoll_event_ *event);
int64_t sys_epoll_wait(struct proc *p, int epfd, struct epoll_event_ *out, int max,
		       int64_t timeout_ns);
/*
 * Sockets inside the sandbox, by address and port (all addresses are this machine's) or by path; a
 * path that begins with NUL is a name without a file.
 */
enum { SOCKET_UNIX = 1, SOCKET_INET = 2, SOCKET_INET6 = 10, SOCKET_NETLINK = 16 };
/* A message comes to a socket, as if from itself: n, or -E_NOBUFS. */
int64_t sys_socket_feed(struct proc *p, int fd, const void *data, size_t n);
enum { SOCKET_STREAM = 1, SOCKET_DATAGRAM = 2, SOCKET_SEQUENCE = 5 };
struct socket_name {
	int family;
	uint16_t port;
	uint8_t ip[16]; /* 4 bytes or 16; all 0: any */
	uint16_t len;   /* of path */
	char path[112];
};
/*
 * A request to the host's network: a descriptor that gives the answer as HTTP/1.1 writes it, the
 * body as it is. -E_NETUNREACH: there is no network. -E_INVAL: not such a request, or it has
 * headers that are not the sender's to say (fetch_header_is_ours).
 */
int64_t sys_fetch(struct proc *p, const struct fetch_request *r);
/* Of headers that say how a message is sent: the host writes them. */
bool fetch_header_is_ours(struct bytes name);
int64_t sys_socket(struct proc *p, int family, int type, unsigned oflags);
/* A local name without bytes, or port 0: one that is free. */
int64_t sys_bind(struct proc *p, int fd, const struct socket_name *name);
int64_t sys_listen(struct proc *p, int fd);
int64_t sys_connect(struct proc *p, int fd, const struct socket_name *name);
int64_t sys_accept(struct proc *p, int fd, unsigned oflags);
int64_t sys_socket_name(struct proc *p, int fd, bool peer, struct socket_name *out);
bool sys_is_listening(struct proc *p, int fd);
int64_t sys_socketpair(struct proc *p, int type, int fds[2], unsigned oflags);
bool sys_is_socket(struct proc *p, int fd);
int sys_socket_family(struct proc *p, int fd);
int sys_socket_type(struct proc *p, int fd);
/* Why a connection that nobody waited for failed, or 0; told once. */
int sys_socket_error(struct proc *p, int fd);
/* A place for an option's value, which the kernel keeps and does not look at; NULL: no room. */
struct socket_option {
	int level;
	int name;
	uint32_t value;
};
struct socket_option *sys_socket_option(struct proc *p, int fd, int level, int name, bool make);
/* Options of this level that have an effect: how many milliseconds a call waits, 0: for ever. */
enum { SOCKET_LEVEL = 1, SOCKET_LINGER = 13, SOCKET_READ_TIME = 20, SOCKET_WRITE_TIME = 21 };
/* The value of the second is twice the seconds, and this. */
enum { SOCKET_LINGER_ON = 1 };
/* The process at the other end when it was connected. */
struct socket_peer {
	int pid;
	uint32_t uid;
	uint32_t gid;
};
struct socket_peer sys_socket_peer(struct proc *p, int fd);
/*
 * sendmsg(2) and recvmsg(2). flags: SOCKET_PEEK ... Descriptors that come along are those of the
 * sender; received ones are made.
 */
enum {
	SOCKET_PEEK = 2,
	SOCKET_CUT = 0x20, /* told: the message was longer; asked: tell its whole length */
	SOCKET_NO_WAIT = 0x40,
	SOCKET_WAIT_ALL = 0x100,
	SOCKET_FDS_CUT = 8, /* told: there were more descriptors */
	SOCKET_CLOEXEC = 0x40000000,
	SOCKET_FDS_MAX = 253,
};
struct socket_message {
	struct socket_name name; /* to whom, from whom; family 0: not said */
	unsigned flags;
	unsigned told;
	int room; /* for how many descriptors there is room when receiving */
	int nfds; /* that are sent, or came */
	int *fds;
};
int64_t sys_sendmsg(struct proc *p, int fd, const void *data, size_t n, struct socket_message *m);
int64_t sys_recvmsg(struct proc *p, int fd, void *out, size_t n, struct socket_message *m);
int64_t sys_shutdown(struct proc *p, int fd, int how);
/* What can be done without blocking: POLL_READ | POLL_WRITE | POLL_HUP. timeout_ns < 0: waits. */
enum {
	POLL_READ_ = 1,
	POLL_WRITE_ = 4,
	POLL_ERR_ = 8,
	POLL_HUP_ = 16,
	POLL_READ_NORMAL_ = 0x40,
	POLL_WRITE_NORMAL_ = 0x100,
	POLL_READ_ENDED_ = 0x2000, /* POLLRDHUP */
};
struct poll_item {
	int fd;
	unsigned want;
	unsigned got;
};
int64_t sys_poll(struct proc *p, struct poll_item *items, int n, int64_t timeout_ns);
bool sys_isatty(struct proc *p, int fd);
int64_t sys_fstat(struct proc *p, int fd, struct vfs_stat *out);
int64_t sys_ftruncate(struct proc *p, int fd, uint64_t size);
int64_t sys_fsync(struct proc *p, int fd);
int64_t sys_fchdir(struct proc *p, int fd);
/* Entries of an open directory, in byte order; 0 at the end. Names live in a. No "." and "..". */
int64_t sys_readdir(struct proc *p, int fd, struct arena *a, struct vfs_dirent *out, size_t n);

/* How many entries of an open directory were read, counted by the caller with sys_dir_move;
 * 0 again after a seek to its start. */
int64_t sys_dir_place(struct proc *p, int fd);
void sys_dir_move(struct proc *p, int fd, int64_t place);

/* --- open files without a descriptor: what a program has mapped --- */

/* Who keeps bytes of files in memory that programs share is told before a call reads n bytes of a
 * file at pos, and after one changed them; with n up to UINT64_MAX, the file ends at pos. It may
 * use what follows, without waiting (p NULL), of which nobody is told. */
struct mappings {
	void *user;
	void (*before_read)(void *user, vfs_ino ino, uint64_t pos, uint64_t n);
	void (*after_write)(void *user, vfs_ino ino, uint64_t pos, uint64_t n);
};
/* The structure stays the caller's, as long as the kernel lives. NULL: nobody. */
void kernel_set_mappings(struct kernel *k, const struct mappings *m);
/* The file behind a descriptor, held until file_put; NULL if there is none. */
struct file *sys_file(struct proc *p, int fd);
struct file *file_get(struct file *f);
void file_put(struct file *f);
/* Regular files only, whatever they were opened for. p NULL: nobody to wait. */
int64_t sys_file_read(struct proc *p, struct file *f, void *out, size_t n, uint64_t pos);
int64_t sys_file_write(struct proc *p, struct file *f, const void *data, size_t n, uint64_t pos);
/* Whether a call without a process that gave *r is to be made again, after the host was waited for:
 * by who holds nothing, as it may end meanwhile. Else *r is its result. */
bool sys_file_again(struct proc *p, int64_t *r);
/* vfs_page_get; waits for what the host supplies. */
int64_t sys_file_page(struct proc *p, struct file *f, uint64_t index, bool fetch,
		      struct vfs_page **out);
uint64_t sys_file_page_next(struct file *f, uint64_t index);       /* vfs_page_next */
void sys_file_ahead(struct file *f, uint64_t index, uint64_t end); /* vfs_page_ahead */
int64_t sys_file_stat(struct proc *p, struct file *f, struct vfs_stat *out);
/* As sys_file_stat tells it; 0: not a regular file. */
vfs_ino sys_file_ino(const struct file *f);
/* A regular file by its number, to be read. */
int sys_file_nameless(struct kernel *k, vfs_ino ino, struct file **out);
bool sys_file_regular(const struct file *f);
unsigned sys_file_flags(const struct file *f);
/* Its absolute path as far as it is known, in a. */
char *sys_file_path(struct file *f, struct arena *a);

/* --- paths; dirfd may be AT_FDCWD_ --- */

enum {
	AT_FDCWD_ = -100,
	AT_NOFOLLOW_ = 0x100,
	AT_REMOVEDIR_ = 0x200,
	AT_EMPTY_ = 0x1000,
	AT_FOLLOW_ = 0x400
};
int64_t sys_stat(struct proc *p, int dirfd, const char *path, int flags, struct vfs_stat *out);
int64_t sys_access(struct proc *p, int dirfd, const char *path, unsigned mask);
int64_t sys_mkdir(struct proc *p, int dirfd, const char *path, uint32_t mode);
int64_t sys_mknod(struct proc *p, int dirfd, const char *path, uint32_t mode, uint64_t rdev);
int64_t sys_symlink(struct proc *p, const char *target, int dirfd, const char *path);
int64_t sys_link(struct proc *p, int olddir, const char *old, int newdir, const char *new,
		 int flags);
int64_t sys_unlink(struct proc *p, int dirfd, const char *path, int flags);
int64_t sys_rename(struct proc *p, int olddir, const char *old, int newdir, const char *new,
		   unsigned flags);
/* The target, in a, with a NUL behind. */
int64_t sys_readlink(struct proc *p, int dirfd, const char *path, struct arena *a,
		     struct bytes *out);
int64_t sys_chmod(struct proc *p, int dirfd, const char *path, uint32_t mode, int flags);
int64_t sys_fchmod(struct proc *p, int fd, uint32_t mode);
int64_t sys_chown(struct proc *p, int dirfd, const char *path, uint32_t uid, uint32_t gid,
		  int flags);
int64_t sys_utimes(struct proc *p, int dirfd, const char *path, int64_t atime_ns, int64_t mtime_ns,
		   int flags);
/* Extended attributes (vfs_xattr_*) of what a path names, or, if path is NULL, of what is open. */
int64_t sys_getxattr(struct proc *p, int fd, const char *path, int flags, const char *name,
		     void *out, size_t n);
int64_t sys_listxattr(struct proc *p, int fd, const char *path, int flags, char *out, size_t n);
int64_t sys_setxattr(struct proc *p, int fd, const char *path, int flags, const char *name,
		     struct bytes value, unsigned how);
int64_t sys_removexattr(struct proc *p, int fd, const char *path, int flags, const char *name);
int64_t sys_chdir(struct proc *p, const char *path);
/* The absolute path of the working directory, in a. */
int64_t sys_getcwd(struct proc *p, struct arena *a, char **out);
uint32_t sys_umask(struct proc *p, uint32_t mask);
/* Reads a whole file into a; NUL behind. For profiles, scripts, small tables. */
int64_t sys_read_file(struct proc *p, const char *path, struct arena *a, struct bytes *out);

/* --- clock, randomness, machine --- */

int64_t sys_now(struct proc *p);               /* nanoseconds since 1970 */
int64_t sys_uptime(struct proc *p);            /* nanoseconds since the session began */
int64_t sys_sleep(struct proc *p, int64_t ns); /* 0 or -E_INTR */
void sys_yield(struct proc *p);                /* lets every process run that can, once */
uint64_t sys_random(struct proc *p);
/* The same where no other process may run: a switch comes at the next charge. */
uint64_t kernel_random(struct kernel *k);
void sys_random_bytes(struct proc *p, void *out, size_t n);
const char *sys_hostname(struct proc *p);

/* --- for api/ and for formats that need more than sys_* --- */

struct vfs *kernel_vfs(struct kernel *k);
int64_t kernel_now(const struct kernel *k);
/* Virtual processor time of so many steps. */
int64_t kernel_steps_ns(const struct kernel *k, uint64_t steps);
/* A signal from outside, as sys_kill by root; not to 0. Between runs only. */
int kernel_signal(struct kernel *k, int pid, int sig);
struct heap *kernel_heap(struct kernel *k);
uint64_t kernel_limit(const struct kernel *k, enum limit l);
void kernel_set_limit(struct kernel *k, enum limit l, uint64_t value);
/* What a process takes of the session's memory, in bytes. */
uint64_t proc_memory(const struct proc *p);
/* As /proc tells it; of builtins, what they count against the session's memory. */
struct proc_sizes proc_sizes(struct proc *p);
/* Slot for api/: what a format's run finds through p->k. */
void kernel_set_user(struct kernel *k, void *user);
void *kernel_user(struct kernel *k);
/* Blocks p until the host completes something (kernel_wake_host): -E_INTR on a signal. */
int proc_wait_host(struct proc *p);
/* Calls fn(arg) between runs, where an arena of a process that finds no memory cannot stop the
 * process: -E_NOMEM then, else what fn gives. fn must hold nothing that needs freeing. */
int kernel_guard(struct kernel *k, int (*fn)(void *arg), void *arg);
/* The same for who only looks: the steps it takes are not counted. */
int kernel_peek(struct kernel *k, int (*fn)(void *arg), void *arg);
/* Flushes what is buffered for the host's output callbacks. */
void kernel_flush(struct kernel *k);

#include "kernel/ptrace.h"

#endif
