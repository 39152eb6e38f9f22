/* SPDX-License-Identifier: MIT
 *
 * What the kernel's files share and nobody else sees.
 *
 * Who holds a reference to what: a descriptor holds its struct file; a file holds its inode
 * (vfs_hold) and its object (pipe, mem, capture); a process holds the inode of its cwd. A view
 * holds nothing: it ends when its process closes the descriptor.
 *
 * Where code runs: processes run on their own stacks; the scheduler's loop, timers and all
 * callbacks of the host run on the stack that called kernel_run.
 */
#ifndef KERNEL_INTERNAL_H
#define KERNEL_INTERNAL_H

#include <setjmp.h>
#include <stdatomic.h>

#include "kernel/coro.h"
#include "kernel/kernel.h"
#include "kernel/pack.h"
#include "kernel/trace.h"

enum {
	SLICE_STEPS = 10000,
	HELD_BACK_BYTES = 1 << 20,
	STACK_CACHE_MAX = 8,
	PROC_CACHE_MAX = 8,
	PID_MAX = 4194304,
	PID_WRAP = 300,   /* where numbers start again, as on Linux */
	PID_BUCKETS = 64, /* as long as there are few processes */
	FD_INLINE = 12,   /* descriptors kept in the process itself */
	PIPE_BYTES = 65536,
	PIPE_BYTES_MAX = 1 << 20,
	PIPE_PAGES = PIPE_BYTES / (int)PAGE_BYTES,
	PIPE_ATOMIC = 4096,
	PIPE_CACHE_MAX = 4,
	CONSOLE_BYTES = 65536,
	VIEW_BUCKETS = 64,
	FUTEX_BUCKETS = 16,
	USUAL_SLACK_NS = 50000,
	FIFO_BUCKETS = 32,
	LOCK_BUCKETS = 16,
	FORMATS_MAX = 8,
	SHEBANG_MAX = 5, /* interpreters of interpreters, as Linux */
	ARG_STRING_MAX = 131072,
	ARG_TOTAL_MAX = 2 << 20,
	RLIMIT_CPU_ = 0,
	RLIMIT_FSIZE_ = 1,
	RLIMIT_NPROC_ = 6,
	RLIMIT_NOFILE_ = 7,
};

#define RLIMIT_NONE  UINT64_MAX
#define STACK_CANARY 0x5ca1ab1e0ddba11u

/* --- processes --- */

struct waitq {
	struct proc *first;
	struct proc *last;
};

struct timer {
	struct timer *next;
	struct timer *prev;
	struct proc *p;
	int64_t at_ns;
	int sig;               /* what an alarm sends; 0: a timeout that wakes */
	struct ptimer *ptimer; /* that it is part of, or NULL */
	bool armed;
};

/* A piece of stack with the context that runs on it. It lies at the piece's high end. */
struct segment {
	struct segment *below;
	struct coro coro;
	void *memory;
	size_t npages;
	int (*fn)(void *arg);
	void *arg;
	int result;
	struct proc *p;
};

/* Bytes that a process was shown in place. */
struct view {
	struct view *next;
	struct file *file;
	struct pipe *pipe;     /* whose ring is held */
	char *run;             /* a ring of our own: taken over from the pipe, or a copy */
	struct vfs_tree *keep; /* keeps the pages of a file that was changed meanwhile */
	vfs_ino ino;           /* of a regular file that is being viewed, else 0 */
};

struct proc_private {
	struct segment *top;
	int (*fn)(struct proc *, void *);
	void *arg;
	int64_t slice_left;
	struct proc *run_next; /* run queue */
	struct proc *run_prev;
	struct waitq *wq; /* what it waits in, if anything */
	struct proc *wq_next;
	struct proc *wq_prev;
	int wake;              /* result of the wait */
	enum proc_state under; /* of a stopped process: what it continues as */
	struct timer timeout;
	struct timer alarm;
	struct proc *all_next; /* by pid */
	struct proc *all_prev;
	struct proc *hash_next;
	struct proc *parent;
	struct proc *child; /* youngest first */
	struct proc *sib_next;
	struct proc *sib_prev;
	int status;
	char comm[16]; /* what name points to */
	bool queued;
	bool waits_child;
	bool polls_host;
	bool report_stop; /* to tell by WUNTRACED, WCONTINUED */
	bool report_cont;
	bool orphan; /* nobody will wait for it */
	bool survivor;
	bool parked;
	bool begun;      /* it has had the processor */
	bool waits;      /* it is inside sched_block */
	bool waits_host; /* and there for the host */
	bool whole;      /* no charge takes the processor from it */
	bool from_host;
	bool ran_exec;
	bool loaded; /* it runs a program of its own, not what its parent ran */
	int maker;   /* the thread of its parent that made it */
	int mourned; /* who made it and is gone: traits.death_signal is to be sent; or 0 */
	uint32_t mourned_uid;
	struct proc *mourner_next;
	struct proc *mourner_prev;
	struct proc *owner;   /* of a thread: the process it belongs to */
	struct proc *threads; /* of a process: its threads */
	struct proc *thread_next;
	struct futex_key futex; /* what it waits for in a queue of k->futex */
	uint32_t futex_bits;
	const char *format;
	struct args_block *args; /* what argv, envp and path point into; shared by forks */
	const char *path;        /* of the program; "" before any exec */
	struct bytes start;      /* the program file's first bytes */
	int argc;
	int waits_lock_of; /* the process whose lock it waits for, or 0 */
	int opening;       /* one above the descriptor of the FIFO whose other end it waits for, */
	bool has_locks;    /* POSIX ones: see lock.c */
	struct file *opened; /* which is held meanwhile: another thread may close it */
	uint64_t moved;      /* bytes of the write that waits now: they are gone already */
	int from_line;       /* where its parent was in its script */
	int fd_top;          /* one above the highest open descriptor */
	struct view *view;
	struct ptimer *ptimers; /* of a process */
	struct proc *traced;    /* by this process: the first of them */
	struct ptrace_link ptrace;
	struct sig_source *sources; /* SIG_COUNT, of signals that were ever pending; NULL: none */
	uint64_t cpu_signalled;     /* seconds of RLIMIT_CPU already told */
	struct descriptor fd_inline[FD_INLINE];
};

/* --- kernel --- */

struct console {
	char *out; /* bytes not yet given to the host; NULL: no buffer */
	size_t out_len;
	int out_fd;
	int error[3]; /* of the host by stream, kept for the next write */
	bool stuck;   /* the host said "pending" */
	char *in;     /* bytes read ahead */
	size_t in_pos;
	size_t in_len;
	bool in_end;
	struct tty_settings settings; /* of the session's terminal: the host obeys them */
	uint16_t size[4];             /* as sys_tty_size */
};

extern const struct tty_settings tty_usual; /* what a terminal begins with */
/* What a terminal takes of them: its bytes have eight bits, without parity. */
void tty_assign(struct tty_settings *to, const struct tty_settings *from);

struct kernel {
	struct fuel fuel; /* first: kernel_fuel */
	int64_t granted;  /* what fuel.left was when it was filled */
	struct heap heap;
	struct vfs *vfs;
	struct kernel_host host;
	struct proc *current;
	struct coro home; /* the stack of kernel_run's caller */
	void *home_memory;
	struct proc *run_first;
	struct proc *run_last;
	struct proc *resume;    /* was interrupted by the end of the budget: continues first */
	struct segment *doomed; /* stacks of the process that just left for good */
	int64_t (*host_fn)(void *arg);
	void *host_arg;
	int64_t host_result;
	uint32_t sockets_under_way; /* passed through others, and not received */
	struct waitq futex[FUTEX_BUCKETS];
	struct waitq host_waiters;
	struct waitq poll_waiters;
	struct waitq lock_waiters;
	struct timer *timers;  /* sorted by time */
	struct proc *mourners; /* who have priv->mourned: the loop tells them */
	bool no_skipping;      /* time does not go on by itself: see kernel_settle */
	bool direct;           /* but for the end of the budget, the next process would run now */
	bool stop_run;         /* kernel_run returns as soon as it can */
	int ending;            /* processes whose end is under way */
	bool kill_current;     /* the running process is to die when they have ended */
	bool on_host;          /* a callback of the host runs for the current process */
	atomic_bool cancel;
	jmp_buf *guard;      /* of kernel_guard */
	int64_t slice_steps; /* SLICE_STEPS; tests take 0, for a switch at every charge */
	int64_t budget;      /* of kernel_run; negative: a debt */
	bool bounded;
	uint64_t steps_total;
	uint64_t steps_begin;  /* at kernel_begin */
	uint64_t steps_polled; /* when the host was last asked whether time is up */
	uint64_t step_ps;
	int64_t epoch_ns;
	int64_t slept_ns;
	int64_t real_start_ns;
	int64_t clock_last_ns; /* what the host's clock said last */
	int64_t real_begin_ns; /* of the command, if the host has a clock */
	uint64_t rng[4];
	uint64_t boot_id[2];
	uint64_t limit[LIMIT_COUNT];
	int limit_hit;
	int died; /* wait status of a survivor that something ended, else 0 */
	uint64_t hit_value;
	char hit_where[48];
	int ran_last; /* the process that had the processor last */
	uint64_t output_bytes;
	uint64_t output_total;     /* of all commands before this one */
	uint64_t network_bytes;    /* of the command */
	uint64_t network_requests; /* of the command */
	uint64_t requests_made;
	struct fetch *dropped; /* requests of processes that have ended: fetch_settle */
	uint64_t processes;
	int nprocs; /* not yet ended */
	int nlive;  /* neither ended nor parked */
	int last_pid;
	struct proc *all_first;
	struct proc *all_last;
	struct proc **bucket; /* NULL: it is few_buckets */
	size_t nbuckets;      /* a power of two */
	size_t nlinked;       /* in them */
	struct proc *few_buckets[PID_BUCKETS];
	struct proc *linked_last; /* where the place of the next is looked for, or NULL */
	const struct program_format *format[FORMATS_MAX];
	int nformats;
	struct segment *stack_cache;
	int nstacks;
	struct proc *proc_cache;
	int nproc_cache;
	char *ring_cache[PIPE_CACHE_MAX];
	int nrings;
	struct capture *capture_cache;
	struct pipe *fifos[FIFO_BUCKETS];
	struct file_lock *locks[LOCK_BUCKETS]; /* lock.c */
	uint32_t nlocks;
	struct socket *sockets; /* with names */
	struct pty *ptys;
	uint32_t ports_made;
	uint32_t sockets_listed; /* by /proc/net: how many times */
	uint64_t pipes_made;
	uint64_t memfds_made;
	struct inotify *inotifies;       /* inotify.c */
	const struct mappings *mappings; /* mapped.c */
	uint32_t watches;                /* of all of them */
	uint32_t rename_cookie;
	uint32_t signal_watchers;      /* open signalfds */
	uint32_t pid_watchers;         /* and pidfds */
	struct file *jump;             /* object that a followed link of /proc leads to */
	uint16_t viewed[VIEW_BUCKETS]; /* views of regular files by inode */
	uint32_t nviewed;
	vfs_ino jump_ino; /* where such a link leads, for the tree */
	struct console console;
	struct vfs_cred cred;
	uint64_t trace_seq;
	bool trace_calls;
	void *user;
	char hostname[65];
};

/* --- open files --- */

struct copying;

struct file_ops {
	const char *name; /* as /proc/PID/fd shows it: "pipe", "socket" */
	int64_t (*read)(struct proc *p, struct file *f, void *out, size_t n);
	int64_t (*write)(struct proc *p, struct file *f, const void *data, size_t n);
	/* NULL: the bytes are copied by read. */
	int64_t (*view)(struct proc *p, struct file *f, size_t max, const char **out);
	/* POLL_* bits that would not block. */
	unsigned (*poll)(struct proc *p, struct file *f);
	/* When that may change just because time passes, as kernel_now tells it; 0: never. May be
	 * NULL. */
	int64_t (*due)(struct proc *p, struct file *f);
	/* Bytes that can be read at once. NULL: of a seekable file, those up to its end. */
	int64_t (*waiting)(const struct file *f);
	/* NULL: the attributes of the inode. */
	int (*stat)(struct proc *p, struct file *f, struct vfs_stat *out);
	/* The last reference is gone; may run in any context, must not block. */
	void (*close)(struct kernel *k, struct file *f);
	/* Makes f, a new open file of w->to, stand for a copy of what like stands for: 0 or
	 * -E_NOMEM. NULL: there can be none. See copy.c. */
	int (*copy)(struct copying *w, const struct file *like, struct file *f);
	/* What it stands for as bytes, and back: makes f, a new open file, stand for that, 0 or an
	 * error. NULL: it is not saved, or is nothing but its numbers. See pack_file.c. */
	void (*pack)(struct packing *w, const struct file *f);
	int (*unpack)(struct unpacking *u, struct file *f);
	bool seekable;
};

struct file {
	const struct file_ops *ops;
	struct kernel *k;
	uint32_t refs;
	unsigned flags; /* open flags, without O_CREAT and the like */
	bool locked;    /* has had locks: see lock.c */
	uint64_t pos;
	vfs_ino ino;            /* held, or 0 */
	vfs_ino dir;            /* where path starts, not held */
	char *path;             /* as it was opened by, or NULL: for /proc/PID/fd */
	struct member *members; /* of sets of epoll that wait for it */
	int64_t time_ns;        /* of a socket's end: so long a call waits; 0: for ever */
	union {
		struct pipe *pipe;
		void *object; /* of event.c, epoll.c, socket.c */
		struct capture *capture;
		struct mem *mem;
		int pid;     /* whose memory it is */
		char *after; /* directory: last name seen, or NULL */
		int console; /* 0, 1, 2: which of the host's streams it stands for */
		uint64_t dev;
	} u;
};

/* Bytes in memory that several open files may share. */
struct mem {
	uint32_t refs;
	size_t size;
	char data[];
};

static inline bool file_reads(const struct file *f)
{
	return (f->flags & (O_ACCMODE_ | O_PATH_)) != O_WRONLY_ && (f->flags & O_PATH_) == 0;
}

static inline bool file_writes(const struct file *f)
{
	return (f->flags & O_ACCMODE_) != O_RDONLY_ && (f->flags & O_PATH_) == 0;
}

/* copy.c: what a fork of the kernel gets. Each thing is copied once, whoever has it. */
enum { COPY_BUCKETS_FIRST = 64, COPY_DEPTH = 64 };
struct copied {
	struct copied *next;
	const void *old;
	void *new;
	bool is_epoll; /* whose members are still the old files */
};
struct copying {
	struct kernel *from;
	struct kernel *to;
	const struct proc *shell; /* of which the first process is a copy */
	struct copied **bucket;
	size_t nbuckets; /* a power of two */
	size_t ncopied;
	int depth; /* files in files that are being copied */
};
/* For the operations of files that are nothing but their numbers. */
int copy_plain(struct copying *w, const struct file *like, struct file *f);
/* lock.c, epoll.c: when all files are copied */
int lock_copy_all(struct copying *w);
void epoll_settle(struct copying *w, struct file *f);

/* pack_file.c, pack.c */
void pack_cred(struct buf *out, const struct vfs_cred *c);
void unpack_cred(struct unpack *in, struct vfs_cred *c);
void pack_descriptors(struct packing *w, const struct proc *p);
int unpack_descriptors(struct unpacking *u, struct proc *p);
/* The number of an open file that was packed already; UINT64_MAX: it was not. */
uint64_t pack_number_of(const struct packing *w, const void *what);
/* The open file with a number, for nobody; NULL: there is none. */
struct file *unpack_file_of(const struct unpacking *u, uint64_t number);
/* Of all sets of epoll that were packed, the members. */
void pack_sets(struct packing *w);
int unpack_sets(struct unpacking *u);
/* The open file with this number is its holder's alone: nobody else can have it any more. */
void unpack_take(struct unpacking *u, size_t number);
/* Puts what was read. */
void unpack_forget(struct unpacking *u);
void lock_pack_all(struct packing *w);
int lock_unpack_all(struct unpacking *u);
void epoll_pack_members(struct packing *w, const struct file *f);
int epoll_unpack_members(struct unpacking *u, struct file *f);
void ptimer_pack_all(struct packing *w, const struct proc *p);
int ptimer_unpack_all(struct unpacking *u, struct proc *p);
extern const struct file_ops file_event;
extern const struct file_ops file_timerfd;
extern const struct file_ops file_signalfd;
extern const struct file_ops file_pidfd;

/* lock.c: the file is about to go. */
void lock_release(struct kernel *k, const struct file *f);
/* A process closes a descriptor of what f stands for. */
void lock_release_process(struct proc *p, const struct file *f);
/* Of a process that ends. */
void lock_release_all(struct proc *p);

/* coroutine stacks: stack.c */
/* At least what a process begins with. */
struct segment *stack_get(struct kernel *k, size_t bytes);
void stack_put(struct kernel *k, struct segment *s);
void stack_put_all(struct kernel *k, struct segment *top);
/* Makes s ready to run fn(s) when it is switched to. */
void stack_begin(struct segment *s, void (*fn)(void *));
void stack_check(const struct segment *s);
void stack_clear_cache(struct kernel *k);

/* sched.c */
/* The running process stops here, and goes on as if it had not when kernel_run is called again. */
void sched_pause(struct proc *p);
void sched_ready(struct proc *p); /* appends to the run queue */
void sched_unready(struct proc *p);
void sched_settle(struct kernel *k);  /* books the steps of the running process */
void sched_leave(struct proc *p);     /* p is queued, waiting or stopped: runs the next */
void sched_arrived(struct kernel *k); /* first thing on a new stack */
_Noreturn void sched_vanish(struct kernel *k, struct segment *last);
/* Waits in q (may be NULL) until woken: 0 or the waker's result, -E_INTR, -E_TIMEDOUT. */
int sched_block(struct proc *p, struct waitq *q, int64_t until_ns);
void sched_wake(struct proc *p, int result);
void sched_wake_all(struct waitq *q);
/* Moves a waiting process to another queue. */
void sched_requeue(struct proc *p, struct waitq *q);
void sched_forget(struct proc *p); /* out of every queue and timer */
void sched_stop(struct proc *p);
void sched_continue(struct proc *p);
static inline bool sched_alone(const struct kernel *k)
{
	return k->run_first == NULL;
}

/* timer.c */
enum { TIMER_NEVER = 0 };
void timer_set(struct kernel *k, struct timer *t, int64_t at_ns);
void timer_clear(struct kernel *k, struct timer *t);
void timer_fire_due(struct kernel *k);
/* ptimer.c */
void ptimer_expired(struct ptimer *t);
/* The timer's signal was taken: how often it has expired since. */
uint32_t ptimer_taken(struct proc *p, int sig, int id);
void ptimer_clear_all(struct proc *p);
/* A copy's, which run from ptimer_arm_all on. */
int ptimer_copy_all(struct proc *p, const struct proc *like);
void ptimer_arm_all(struct proc *p);
/* Calls fn(arg) on the stack of kernel_run's caller, whatever process runs now; no other
 * process runs meanwhile. */
int64_t kernel_on_host(struct kernel *k, int64_t (*fn)(void *arg), void *arg);
uint64_t kernel_steps(const struct kernel *k);

/* proc.c, exit.c, args.c */
/* A new process, as fork(2) leaves it; parent NULL: the host's. No stack, not ready. */
int proc_new(struct kernel *k, struct proc *parent, struct proc **out);
/* Gives it a stack that runs fn(p, arg). */
int proc_set_stack(struct proc *p, int (*fn)(struct proc *, void *), void *arg);
/* Releases what a process holds and makes it a zombie, or nothing at all when nobody waits for
 * it. It must not be running, or be about to leave for good. Returns its stacks. */
struct segment *proc_end(struct proc *p, int status);
/* Ends a process from outside; for the running one, does not return. */
void proc_kill(struct proc *p, int sig);
void proc_free(struct proc *p);
/* Goes over all processes, of which each may end, and others with it: they go by their numbers. */
struct proc_walk {
	struct kernel *k;
	int at;
	int next;
};
struct proc *proc_walk_first(struct proc_walk *w, struct kernel *k);
struct proc *proc_walk_next(struct proc_walk *w);
void proc_clear_cache(struct kernel *k);
/* Copies path, head, argv and envp into one block of the process: 0, -E_2BIG, -E_NOMEM. */
struct args {
	const char *path;
	const char *name;  /* the process is named after it; NULL: its name stays */
	char *const *head; /* what "#!" lines put in place of argv[0] */
	int nhead;
	char *const *argv;
	char *const *envp;
	struct bytes start; /* of the program file */
};
int args_set(struct proc *p, const struct args *a);
/* What copying them costs. */
uint64_t args_steps(char *const *argv, char *const *envp);
void args_share(struct proc *child, const struct proc *parent);
void args_clear(struct proc *p);
/* The last component of path, as Linux names processes: at most 15 bytes. */
void proc_set_name(struct proc *p, const char *path);
void proc_link_child(struct proc *parent, struct proc *p);
void proc_unlink_child(struct proc *p);
/* pgid and ignore_int as in struct spawn. */
void proc_set_spawned(struct proc *p, int pgid, bool ignore_int);
void proc_undo(struct proc *p);
/* Takes a survivor out of everything; returns its stacks. */
struct segment *proc_set_parked(struct proc *p);

/* thread.c */
void thread_link(struct proc *owner, struct proc *t);
void thread_unlink(struct proc *t);
/* The owner ends: its threads do, too, and the running one belongs to nobody. */
void thread_end_all(struct proc *owner, int status);
struct proc *thread_for_signal(struct proc *p, int sig);
static inline struct proc *proc_owner(const struct proc *p)
{
	return p->priv->owner != NULL ? p->priv->owner : (struct proc *)(uintptr_t)p;
}

/* ptrace.c */
/* Leaves the list of its tracer, if there is one. */
void ptrace_forget(struct proc *p);
/* A builtin or script was executed: all that its tracer sees of it is this. */
void ptrace_exec(struct proc *p);
/* A child of such a one is traced if its tracer wants that of children: it learns of it when a
 * program is executed. */
void ptrace_inherit(struct proc *child, struct proc *parent);
/* A signal continued it, or it was interrupted: if it listens, its tracer is told. */
void ptrace_continued(struct proc *p);
/* /proc/PID/mem: 0 or an error. */
int memory_open(struct proc *p, int pid, unsigned oflags, struct file **out);
/* A tracer ends. */
void ptrace_leave(struct proc *tracer);
/* Its tracer has been told of its end: now its parent is. */
void ptrace_reaped(struct proc *p, const struct proc *tracer);
bool proc_nobody_waits(const struct proc *p); /* exit.c */
void proc_tell_deaths(struct kernel *k);      /* not while a process runs */
/* It gets its traits.death_signal soon, if it has one, as from that process. */
void proc_mourn(struct proc *p, int pid, uint32_t uid);
void proc_stop_mourning(struct proc *p);

/* signal.c */
void sig_send(struct proc *p, int sig); /* by the kernel */
void sig_send_from(struct proc *p, int sig, const struct sig_source *source);
bool sig_interrupts(const struct proc *p);
void sig_child_changed(struct proc *child);
void sig_forget_sources(struct proc *p);

/* To all of a group, from anywhere in the kernel. What ends the running process by it waits for
 * sig_settle, which may not return. */
void sig_send_group(struct kernel *k, int pgid, int sig);
void sig_settle(struct proc *p);

/* pty.c */
enum { PTY_DEVICE = 136 << 8, PTY_GROUP = 5 /* tty, as in Debian's /etc/group */ };
int pty_open_master(struct proc *p, unsigned oflags, struct file **out);
int pty_open_slave(struct proc *p, uint32_t number, unsigned oflags, struct file **out);
/* /dev/tty: -E_NXIO if no pty controls the session. */
int pty_open_controlling(struct proc *p, unsigned oflags, struct file **out);
bool pty_is_terminal(const struct file *f);

/* limit.c */
_Noreturn void limit_stop(struct kernel *k, enum limit l);
/* Ends all processes because a survivor was to end; it is parked. Returns only between runs. */
void survivor_end(struct proc *p, int status);
void limit_kill_all(struct kernel *k, enum limit l);
void limit_check_steps(struct proc *p);
int64_t limit_steps_left(const struct kernel *k);
void limit_apply_vfs(struct kernel *k);
void limit_memory(struct kernel *k);

/* fd.c */
struct file *fd_file(const struct proc *p, int fd);
/* Room at the lowest free number that is at least `least`: the number or -E_MFILE, -E_NOMEM. */
int fd_slot(struct proc *p, int least);
/* The same at this number, for a descriptor that a copied or saved process has: it may be above
 * what the process has limited itself to since. -E_IO if something is there. */
int fd_slot_at(struct proc *p, int fd);
void fd_set(struct proc *p, int fd, struct file *f, bool cloexec);
int fd_install(struct proc *p, struct file *f, bool cloexec);
void fd_drop(struct proc *p, int fd);
void fd_drop_all(struct proc *p);
int fd_inherit(struct proc *child, struct proc *parent);
int fd_map(struct proc *child, struct proc *parent, const int *fds, int nfds);
void fd_close_on_exec(struct proc *p);

/* file.c */
struct file *file_new(struct kernel *k, const struct file_ops *ops, unsigned flags);
int file_stat(struct proc *p, struct file *f, struct vfs_stat *out);
/* The earlier of `until` (TIMER_NEVER: none) and when the file may change by itself. */
int64_t file_due(struct proc *p, struct file *f, int64_t until);

/* regular.c */
extern const struct file_ops file_regular;
/* Without the position of the open file, which others may use while these wait. *pos is moved on
 * behind what was written. */
int64_t regular_read_at(struct proc *p, struct file *f, void *out, size_t n, uint64_t pos);
int64_t regular_write_at(struct proc *p, struct file *f, const void *data, size_t n, uint64_t *pos);
extern const struct file_ops file_dir;
extern const struct file_ops file_path;
extern const struct file_ops file_mem;
int64_t dir_seek(struct file *f, int64_t offset, int whence);
struct mem *mem_new(struct kernel *k, struct bytes content);
void mem_put(struct kernel *k, struct mem *m);
int mem_open(struct kernel *k, struct mem *m, unsigned flags, struct file **out);

/* view.c */
struct view *view_of(struct proc *p, struct file *f);
struct view *view_begin(struct proc *p, struct file *f);
void view_end(struct proc *p, struct view *v);
void view_end_file(struct proc *p, struct file *f);
/* The process comes back to f: what it looked at is let go, the record stays for the next. */
void view_pause(struct proc *p, struct file *f);
void view_end_all(struct proc *p);
int64_t view_by_copy(struct proc *p, struct file *f, size_t max, const char **out);
void view_set_ino(struct kernel *k, struct view *v, vfs_ino ino);
/* Before a regular file changes: what is being looked at stays as it is. */
int view_protect(struct kernel *k, vfs_ino ino);
/* Before any file may change; ino 0 in view_protect. */
int view_protect_all(struct kernel *k);
static inline int view_writing(struct kernel *k, vfs_ino ino)
{
	return k->viewed[ino % VIEW_BUCKETS] != 0 ? view_protect(k, ino) : 0;
}

/* mapped.c */
static inline void mapped_before_read(struct kernel *k, vfs_ino ino, uint64_t pos, uint64_t n)
{
	if (k->mappings != NULL)
		k->mappings->before_read(k->mappings->user, ino, pos, n);
}
static inline void mapped_after_write(struct kernel *k, vfs_ino ino, uint64_t pos, uint64_t n)
{
	if (k->mappings != NULL)
		k->mappings->after_write(k->mappings->user, ino, pos, n);
}

/* pipe.c, fifo.c */
extern const struct file_ops file_pipe;
int pipe_reopen(struct proc *p, struct file *f, unsigned oflags, struct file **out);
void pipe_release_view(struct kernel *k, struct view *v);
/* Opens one end without waiting. */
int fifo_open(struct proc *p, vfs_ino ino, unsigned oflags, struct file **out);
/* Waits for the other end; f is in the descriptor table already. */
int fifo_wait(struct proc *p, struct file *f);
char *ring_get(struct kernel *k);
void ring_put(struct kernel *k, char *ring);
void ring_clear_cache(struct kernel *k);

/* Bytes of the usual kind can be asked for by two names. */
static inline unsigned poll_names(unsigned got)
{
	return got | ((got & POLL_READ_) != 0 ? (unsigned)POLL_READ_NORMAL_ : 0u) |
	       ((got & POLL_WRITE_) != 0 ? (unsigned)POLL_WRITE_NORMAL_ : 0u);
}

/* epoll.c */
extern const struct file_ops file_epoll;
/* The file goes. */
void epoll_forget_file(struct kernel *k, struct file *f);

/* event.c */
int anonymous_stat(struct proc *p, struct file *f, struct vfs_stat *out);

/* inotify.c; each is called only when something is watched */
enum {
	INOTIFY_ACCESS = 1,
	INOTIFY_MODIFY = 2,
	INOTIFY_ATTRIB = 4,
	INOTIFY_CLOSE_WRITE = 8,
	INOTIFY_CLOSE_NOWRITE = 0x10,
	INOTIFY_OPEN = 0x20,
	INOTIFY_MOVED_FROM = 0x40,
	INOTIFY_MOVED_TO = 0x80,
	INOTIFY_CREATE = 0x100,
	INOTIFY_DELETE = 0x200,
	INOTIFY_DELETE_SELF = 0x400,
	INOTIFY_MOVE_SELF = 0x800,
	INOTIFY_DIRECTORY = 0x40000000,
};
static inline bool inotify_on(const struct kernel *k)
{
	return k->watches != 0;
}
/* Something was done with an open file, or with the inode that path names: it and the directory
 * are told. path NULL: only it. */
void inotify_file(struct kernel *k, const struct file *f, uint32_t mask);
void inotify_opened(struct kernel *k, const struct file *f, unsigned oflags);
void inotify_use(struct kernel *k, vfs_ino ino, vfs_ino dir, const char *path, uint32_t mask);
/* The inode that a path names, links not followed; 0: none. To be asked before it is removed. */
vfs_ino inotify_find(struct kernel *k, vfs_ino dir, const char *path);
void inotify_made(struct kernel *k, vfs_ino dir, const char *path);
void inotify_removed(struct kernel *k, vfs_ino ino, bool was_dir, vfs_ino dir, const char *path);
struct inotify_rename {
	vfs_ino ino;      /* that was moved */
	vfs_ino replaced; /* or 0 */
	vfs_ino from;
	vfs_ino to;
	const char *old;
	const char *new;
};
void inotify_renamed(struct kernel *k, const struct inotify_rename *r);

/* capture.c */
extern const struct file_ops file_capture;
/* All references but one are gone. */
void capture_alone(struct file *f);
void capture_clear_cache(struct kernel *k);

/* The times of what lies in no tree: it was used just now. */
static inline void stat_now(const struct kernel *k, struct vfs_stat *st)
{
	st->atime_ns = st->mtime_ns = st->ctime_ns = st->btime_ns = kernel_now(k);
}

/* console.c */
extern const struct file_ops file_console;
int console_open(struct kernel *k, int which, unsigned flags, struct file **out);
int console_flush(struct kernel *k); /* 0, KERNEL_PENDING, or an error */
void console_say(struct kernel *k, struct bytes text);
/* Frees the buffers that are empty. */
void console_clear(struct kernel *k);
/* Whether the file is the session's own terminal. */
bool console_is_terminal(const struct kernel *k, const struct file *f);

/* dev.c */
/* Makes /dev and what is in it, if there is none. */
int dev_make_nodes(struct vfs *v);
const struct file_ops *dev_file_ops(void);
int dev_open(struct proc *p, uint64_t rdev, unsigned oflags, struct file **out);
/* The object that a link of /proc/PID/fd led to, opened anew as Linux does. */
int dev_jump(struct proc *p, struct file *target, unsigned oflags, struct file **out);

/* procfs.c, procfs_text.c */
enum procfs_kind {
	PROCFS_ROOT = 1,
	PROCFS_JUMP,
	PROCFS_SELF,
	PROCFS_CPUINFO,
	PROCFS_FILESYSTEMS,
	PROCFS_LOADAVG,
	PROCFS_MEMINFO,
	PROCFS_MOUNTS_LINK,
	PROCFS_STAT,
	PROCFS_SYS,
	PROCFS_UPTIME,
	PROCFS_VERSION,
	PROCFS_SYS_KERNEL,
	PROCFS_HOSTNAME,
	PROCFS_OSRELEASE,
	PROCFS_OSTYPE,
	PROCFS_PID_MAX,
	PROCFS_RANDOM,
	PROCFS_KVERSION,
	PROCFS_BOOT_ID,
	PROCFS_ENTROPY,
	PROCFS_UUID,
	PROCFS_PID,
	PROCFS_CMDLINE,
	PROCFS_COMM,
	PROCFS_CWD,
	PROCFS_ENVIRON,
	PROCFS_EXE,
	PROCFS_FD_DIR,
	PROCFS_LIMITS,
	PROCFS_AUX,
	PROCFS_NET,
	PROCFS_NET_TCP,
	PROCFS_NET_TCP6,
	PROCFS_NET_UDP,
	PROCFS_NET_UDP6,
	PROCFS_NET_UNIX,
	PROCFS_MAPS,
	PROCFS_MEMORY,
	PROCFS_MOUNTINFO,
	PROCFS_MOUNTS,
	PROCFS_PID_ROOT,
	PROCFS_PID_STAT,
	PROCFS_STATM,
	PROCFS_STATUS,
	PROCFS_SMAPS,
	PROCFS_TASK,
	PROCFS_THREAD,
	PROCFS_FDINFO_DIR,
	PROCFS_FDINFO,
	PROCFS_THREAD_SELF,
	PROCFS_SYS_VM,
	PROCFS_SYS_FS,
	PROCFS_SYS_NET,
	PROCFS_SYS_NET_CORE,
	PROCFS_CONSTANT,
	PROCFS_FD,
	PROCFS_ZYGOTE,
	PROCFS_LAUNCHER,
	PROCFS_REQUEST,
};
/* What a file of /proc says; p is the process it is about, NULL for those of the system. */
void procnet_text(struct kernel *k, enum procfs_kind kind, struct buf *b);
int procfs_text(struct kernel *k, struct proc *p, enum procfs_kind kind, struct buf *b);
int procfs_fdinfo(const struct proc *p, int fd, struct buf *b);
extern const struct vfs_provider procfs_provider;
int procfs_mount(struct vfs *v);
/* Once it is mounted: says whose processes the files of /proc are about. */
int procfs_connect(struct kernel *k);
int procfs_open(struct proc *p, const struct vfs_provider *provider, uint64_t id, unsigned oflags,
		struct file **out);

/* fetch.c: tells the host of k->dropped. */
void fetch_settle(struct kernel *k);

/* random.c */
void random_seed(struct kernel *k, uint64_t seed);
uint64_t random_next(struct kernel *k);
void random_fill(struct kernel *k, void *out, size_t n);

/* mapped.c */
const char *path_real(struct proc *p, vfs_ino from, const char *path, struct arena *a);

/* path.c */
int path_dir(struct proc *p, int dirfd, const char *path, vfs_ino *out);
/* After a vfs call: whether the host must supply something first and the call is to be made
 * again. Waits; puts -E_INTR into *r when a signal came. */
bool path_again(struct proc *p, int64_t *r);
/* Gives up a FIFO that waits for its other end. */
void path_leave_opening(struct proc *p);
/* The inode that a path names; k->jump is set if it is one that has none. */
int64_t path_find(struct proc *p, int dirfd, const char *path, int flags, vfs_ino *out);
/* The attributes of what path names were changed, if r says so: r. */
int64_t path_changed(struct proc *p, int64_t r, vfs_ino ino, int dirfd, const char *path);

/* trace.c; each is called only when tracing */
static inline bool tracing(const struct kernel *k)
{
	return k->host.trace != NULL;
}
void trace_start(struct proc *p, enum trace_kind kind);
void trace_end(struct proc *p, int status);
void trace_path(struct proc *p, int kind, vfs_ino dir, const char *path, vfs_ino dir2,
		const char *path2);
void trace_limit(struct kernel *k, enum limit l);
void trace_connect(struct proc *p, unsigned port);
/* An event of a process that may be gone when it is told; what it says is to be filled in. */
struct trace_event trace_network(const struct proc *p);
/* Whether the watcher must be asked before a path is changed. */
static inline bool watching(const struct kernel *k)
{
	return k->host.watch != NULL;
}
void watch_path(struct proc *p, int kind, vfs_ino dir, const char *path, vfs_ino dir2,
		const char *path2);

#endif
