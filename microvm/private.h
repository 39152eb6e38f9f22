/* SPDX-License-Identifier: MIT
 *
 * What the files of microvm/ share.
 *
 * Who holds what: a task holds its space, its handlers and its context; a space holds its pages,
 * its areas and the machine's tables; an area holds its file, or the object whose pages it
 * shares. All of it is the session's heap, given back when the last task lets go.
 */
#ifndef MICROVM_PRIVATE_H
#define MICROVM_PRIVATE_H

#include "microvm/microvm.h"

#define USER_END    0x7ffffffff000u
#define USER_FIRST  0x10000u
#define STACK_TOP   0x7ffffffff000u
#define MMAP_TOP    0x7ffff7fff000u
#define PIE_BASE    0x555555554000u
#define INTERP_SPAN 0x10000000u
#define LOW_END     0x80000000u
#define VDSO_PAGES  2u /* the data page, then the code */
#define PAGE_MASK_  ((uint64_t)PAGE_BYTES - 1)

enum {
	STACK_BYTES = 8 << 20,
	LEAF_PAGES = 512,
	AROUND = 16,       /* pages that one fault brings of anonymous memory */
	AROUND_MAX = 256,  /* and at most, where faults follow each other */
	AROUND_FILE = 256, /* of a file, if they are in the tree */
	AROUND_FETCH = 32, /* if they have to be fetched into it, and the file is not small: */
	FETCHED_BYTES = 960 << 10, /* up to here, what is wanted of it comes at once */
	COPIED_BYTES = 4 << 20,
	POPULATED_BYTES = 1 << 20, /* up to here, a segment is mapped before its first use */
	AREAS_MAX = 65530,
	NSIG_ = 65,
	OBJECT_BUCKETS = 256,
	ZYGOTES_MAX = 4, /* that a session keeps */
	SYSCALL_STEPS = 50,
	STEP_NS = 10,
};

enum { SA_NOCLDWAIT_ = 2 };

/* mmap's numbers */
enum {
	PROT_READ_ = 1,
	PROT_WRITE_ = 2,
	PROT_EXEC_ = 4,
	MAP_SHARED_ = 1,
	MAP_PRIVATE_ = 2,
	MAP_FIXED_ = 0x10,
	MAP_ANONYMOUS_ = 0x20,
	MAP_LOW_ = 0x40, /* MAP_32BIT */
	MAP_GROWSDOWN_ = 0x100,
	MAP_NORESERVE_ = 0x4000,
	MAP_POPULATE_ = 0x8000,
	MAP_FIXED_NOREPLACE_ = 0x100000,
};

struct microvm {
	struct kernel *k;
	struct store *store;
	const struct cowsh_microvm *backend;
	void *vm;                               /* the machine; NULL until the first program */
	bool answers;                           /* the machine may give some itself */
	char why[200];                          /* it can't be opened */
	int64_t start_ns;                       /* when the session began */
	uint64_t tokens;                        /* names for what vforks wait for */
	struct mappings mappings;               /* of files, as the kernel knows them */
	struct object *objects[OBJECT_BUCKETS]; /* shared mappings of files, by inode */
	uint64_t syncs;
	struct space *spaces; /* all */
	uint64_t followed;    /* a bit for each inode % 64 that area.follows may have */
	vfs_ino saved;        /* file of the memory it was loaded with, or 0 */
	bool warm;            /* keep started interpreters */
	struct ipc *ipc;      /* see ipc.h */
	struct undo *undo;
	uint64_t nundos;
	uint64_t ipc_made[3];
	struct zygote *zygote[ZYGOTES_MAX]; /* the newest last */
	int nzygotes;
};

/* --- object.c: memory that several spaces share --- */

struct object {
	struct object *next;
	struct microvm *m;
	uint32_t refs;
	struct file *file; /* NULL: anonymous */
	vfs_ino ino;
	uint64_t synced; /* the last of m->syncs that it took part in */
	bool writable;   /* somebody may have changed its pages */
	void **page;     /* NULL: not there yet */
	size_t npages;
};

/* --- space.c --- */

/* A range of addresses that means one thing. */
struct area {
	uint64_t start;
	uint64_t end;
	uint64_t offset; /* of start within file or object */
	struct file *file;
	struct object *object;
	uint8_t prot;
	bool shared; /* of a file without an object: its pages are read in place, and follow it */
	bool read_only; /* the file was opened so: no right to write can be had */
	bool stack;     /* grows down */
	bool special;   /* made by us: stays as it is */
	bool program; /* of a file that runs, which Linux lets nobody truncate: these pages stay */
	uint16_t ahead; /* pages that the last fault brought, */
	uint64_t next;  /* up to here */
};

/*
 * A page of a space: an address with bits below it, or 0.
 *   PAGE_OWN      memory of this space alone
 *   PAGE_FILE     struct vfs_page: never written, copied first
 *   PAGE_SHARED   belongs to the object of its area
 * and besides
 *   PAGE_MAPPED   the machine knows it
 *   PAGE_KEPT     of PAGE_FILE: it is in no file, but was the space's own until the session was
 *                 forked, and is counted as that
 * or, of a session that was loaded, PAGE_SAVED and how manieth page of the space's file `saved`
 * it is, above SAVED_SHIFT: it becomes the space's own when it is first used.
 */
typedef uint64_t page_entry;
enum {
	PAGE_OWN = 1,
	PAGE_FILE = 2,
	PAGE_SHARED = 3,
	PAGE_KIND = 3,
	PAGE_MAPPED = 4,
	PAGE_KEPT = 8,
	PAGE_BITS = 15,
	PAGE_SAVED = 16,
	SAVED_SHIFT = 5,
};

/* Whether there are bytes to be had by page_bytes. */
static inline bool page_is_there(page_entry e)
{
	return (e & PAGE_KIND) != 0;
}

struct leaf {
	struct leaf *next; /* in its bucket */
	uint64_t number;   /* address >> 21 */
	uint32_t used;
	page_entry page[LEAF_PAGES];
};

enum { LEAF_BUCKETS = 256 };

struct space {
	struct microvm *m;
	struct space *next; /* of the machine's */
	uint32_t refs;
	void *tables; /* the machine's; NULL: of a forked session, and nobody has run in it yet */
	struct area *area;
	size_t nareas;
	size_t areas_cap;
	struct leaf *bucket[LEAF_BUCKETS];
	struct leaf *last_leaf;
	uint64_t brk_start;
	uint64_t brk;
	uint64_t npages;  /* own pages */
	uint64_t changes; /* of the list of areas */
	uint64_t vdso;    /* address of its data page; 0: none */
	char *vdso_data;
	struct file *saved; /* memory of a session that was loaded, or NULL */
	uint64_t arg_start, arg_end, env_start, env_end;
	uint64_t aux_start, aux_end; /* not in saved sessions */
};

int space_new(struct microvm *m, struct space **out);
/* Without tables, which space_make_tables makes. */
int space_bare(struct microvm *m, struct space **out);
int space_make_tables(struct space *s);
struct space *space_get(struct space *s);
void space_put(struct space *s);
/* A copy for a fork. */
int space_copy(struct space *from, struct space **out);

struct map {
	uint64_t address; /* 0: anywhere, unless fixed */
	uint64_t length;
	uint64_t offset;
	struct file *file;     /* not taken over */
	struct object *object; /* taken over */
	unsigned prot;
	bool shared;
	bool read_only;
	bool fixed;
	bool noreplace;
	bool noreserve;
	bool low; /* below LOW_END */
	bool stack;
	bool special;
	bool program;
};
/* The address, or an error. */
int64_t space_map(struct space *s, const struct map *m);
int space_unmap(struct space *s, uint64_t address, uint64_t length);
int space_protect(struct space *s, uint64_t address, uint64_t length, unsigned prot);
/* Throws the pages away: private memory reads as zero (or the file) again. */
int space_discard(struct space *s, uint64_t address, uint64_t length);
int64_t space_remap(struct space *s, uint64_t old, uint64_t old_len, uint64_t new_len,
		    unsigned flags, uint64_t new);
struct area *space_area(const struct space *s, uint64_t address);
/* How many of n bytes at address are where there is such a right. */
uint64_t space_allows(const struct space *s, uint64_t address, uint64_t n, unsigned want);
size_t space_area_index(const struct space *s, uint64_t address);
/* Splits areas so that one begins at address. */
int space_split(struct space *s, uint64_t address);
bool space_is_free(const struct space *s, uint64_t address, uint64_t length);
uint64_t space_find(const struct space *s, uint64_t length, uint64_t below);

/* pages.c */
page_entry *page_slot(struct space *s, uint64_t address, bool make);
char *page_bytes(page_entry e);
/* Reads a page that waits in a loaded session's file: 0, -E_NXIO (damaged), -E_NOMEM. */
int page_load(struct space *s, page_entry *slot);
void page_drop_range(struct space *s, uint64_t start, uint64_t end);
/* Drops a page that is still the file's. */
void page_drop_file(struct space *s, uint64_t address);
/* As space_page, for who traces the program: whatever its rights are. */
char *space_page_forced(struct proc *p, struct space *s, uint64_t address, bool write);
/* From now on there may be areas that read this file in place. */
static inline void spaces_note_followed(struct microvm *m, vfs_ino ino)
{
	m->followed |= (uint64_t)1 << ino % 64;
}
/* Areas that read the file in place, in all spaces: their pages are looked up anew, from the object
 * if there is one now. */
void spaces_follow(struct microvm *m, vfs_ino ino, struct object *o);
/* The file ends at `size`: no space has pages behind it any more. */
void spaces_cut(struct microvm *m, vfs_ino ino, uint64_t size);
/* The areas of a range have other rights than before. */
void page_protect(struct space *s, uint64_t start, uint64_t end);
/* To where their area is from now on, where none are: 0 or -E_NOMEM. The ranges are apart. */
int page_move_range(struct space *s, uint64_t from, uint64_t to, uint64_t length);
/* Makes the page at address, and some around it, usable. 0, -E_FAULT (no such right), -E_NXIO
 * (behind the end of the file: SIGBUS), -E_NOMEM. */
int space_fault(struct proc *p, struct space *s, uint64_t address, unsigned want, bool guest);
/* Maps pages of one area that will be used soon: those that cost little. 0, -E_AGAIN (areas have
 * changed meanwhile), -E_NOMEM. */
int space_populate(struct proc *p, struct space *s, uint64_t start, uint64_t end);
/* Takes the pages of its files that are in the tree already. Does not wait. */
void space_look(struct space *s);
/* A page of its own where there is none yet: 0 or -E_NOMEM. */
int space_put_page(struct space *s, uint64_t address, const void *bytes);
/* Maps every page that is there into the machine, after a copy. */
int space_enter(struct space *s);
/* Where the bytes of the page at address are, for reading or writing; NULL: not allowed. */
char *space_page(struct proc *p, struct space *s, uint64_t address, unsigned want);

/* copy.c: 0 or -E_FAULT */
int guest_read(struct proc *p, struct space *s, void *out, uint64_t address, size_t n);
int guest_write(struct proc *p, struct space *s, uint64_t address, const void *data, size_t n);
int guest_zero(struct proc *p, struct space *s, uint64_t address, size_t n);
/* A string of at most max bytes with its NUL, in a: 0, -E_FAULT, -E_NAMETOOLONG. */
int guest_string(struct proc *p, struct space *s, uint64_t address, size_t max, struct arena *a,
		 char **out);

/* object.c */
int object_new(struct microvm *m, struct file *file, vfs_ino ino, struct object **out);
struct object *object_get(struct object *o);
void object_put(struct object *o);
/* Where its page is, or will be; NULL: no memory. */
void **object_slot(struct object *o, uint64_t index);
/* Waits for nothing: VFS_PENDING. */
int object_page(struct object *o, uint64_t index, void **out);
/* Writes those of its pages that changed to the file: all, or what of them an area shows between
 * two addresses. */
int object_sync(struct object *o);
void area_sync(const struct area *a, uint64_t start, uint64_t end);
/* What n areas show, and more of their objects: each of these is looked at once, however many areas
 * show it. */
void areas_sync(struct space *s, size_t first, size_t n);
/* What all areas show. */
static inline void space_sync(struct space *s)
{
	areas_sync(s, 0, s->nareas);
}
/* Bytes of a file are going to be read: what shared mappings have written of them goes there. */
void objects_sync_file(struct microvm *m, vfs_ino ino, uint64_t pos, uint64_t n);
/* The object of a file's shared mappings; NULL if nobody has it mapped. */
struct object *object_find(struct microvm *m, vfs_ino ino);
/* Tells the kernel who has files' bytes. */
void objects_begin(struct microvm *m);

/* proc_maps.c */
extern const struct proc_program microvm_program;
/* sys_ptrace.c: for that. */
int64_t memory_of_other(struct proc *by, struct proc *p, uint64_t address, void *bytes, size_t n,
			bool write);

/* --- elf.c --- */

enum { ELF_SEGMENTS_MAX = 64 };

struct elf_segment {
	uint64_t address;
	uint64_t memory_bytes;
	uint64_t file_bytes;
	uint64_t offset;
	unsigned prot;
};

struct elf {
	bool moves; /* ET_DYN */
	bool exec_stack;
	uint64_t entry;
	uint64_t headers; /* address of the program headers, 0: not in memory */
	uint16_t header_bytes;
	uint16_t nheaders;
	uint64_t low; /* lowest and highest address of all segments, whole pages */
	uint64_t high;
	struct elf_segment segment[ELF_SEGMENTS_MAX];
	int nsegments;
	uint64_t interp_offset; /* of the interpreter's name in the file; 0: static */
	uint64_t interp_bytes;
};

enum { ELF_HEAD_BYTES = 64 + 56 * ELF_SEGMENTS_MAX };
/* Understands the first bytes of a file, whatever they are: 0 or -E_NOEXEC. */
int elf_parse(struct bytes head, struct elf *out);

/* --- tasks --- */

struct handler {
	uint64_t address; /* 0: default, 1: ignored */
	uint64_t flags;
	uint64_t restorer;
	uint64_t mask;
};

struct handlers {
	uint32_t refs;
	struct microvm *m;
	struct handler of[NSIG_];
};

/* What the threads of a process have in common. */
struct group {
	uint32_t refs;
	struct microvm *m;
	struct proc *owner;
	uint32_t tasks;
	uint32_t undos;   /* of semaphores, in m->undo */
	int64_t timer_at; /* of the real interval timer: when it is due, 0: off */
	int64_t timer_every;
	int64_t cpu_timer_at[2]; /* the same of processor time: ITIMER_VIRTUAL, ITIMER_PROF */
	int64_t cpu_timer_every[2];
	int exit_status; /* of the owner, whose threads live on */
	bool owner_gone;
};

/* Descriptors are the first three arguments of calls that may wait. The others are files that a
 * call opens for itself: a task that is ended while it waits puts them all. */
enum { HELD_ARGUMENTS = 3, HELD_MAPPED = HELD_ARGUMENTS, HELD_PROGRAM, HELD_INTERPRETER, HELD_MAX };

struct signal_info {
	int32_t signo;
	int32_t error;
	int32_t code;
	int32_t pad;
	uint64_t address; /* or the sender's pid and uid */
	uint64_t rest[13];
};

/* Vector state as XSAVE lays it out: with SSE, with AVX, and at most. */
enum { VECTOR_BYTES_MIN = 576, VECTOR_BYTES_AVX = 832, VECTOR_BYTES_MAX = 4096 };

/* XCR0's bits of what is in a state of so many bytes. */
static inline uint64_t vector_features(size_t bytes)
{
	return bytes > VECTOR_BYTES_AVX ? 0xe7 : bytes > VECTOR_BYTES_MIN ? 7 : 3;
}

struct task {
	struct microvm *m;
	struct proc *p;
	struct space *space;
	struct handlers *handlers;
	struct group *group;
	void *context;
	struct cowsh_vm_registers r;
	uint64_t clear_tid;
	uint64_t set_tid; /* where its number goes when it begins, or 0 */
	uint64_t robust_list;
	struct sem_wait {
		int32_t id;
		uint16_t number;
		bool zero; /* until the value is that */
		bool waits;
	} sem_wait;
	uint64_t alt_stack;
	uint64_t alt_bytes;
	uint64_t alt_flags;
	uint64_t saved_mask; /* to be restored after a handler (sigsuspend, ppoll) */
	bool mask_saved;
	bool restart;    /* the call was interrupted and begins anew unless a handler says no */
	bool no_return;  /* registers are set already: leave rax */
	uint64_t call;   /* number of the running system call */
	bool runs;       /* it has been started */
	bool in_call;    /* the registers are the arguments of a call that is not done */
	bool resumed;    /* and it began in the session that this one is a fork of */
	bool has_result; /* and there is nothing left of it but `result` */
	int64_t result;
	uint64_t done;    /* bytes (or messages) that it has moved already */
	bool parted;      /* some of its messages are through: it can't be made again */
	int64_t deadline; /* when its time is up; 0: it has none, or was not asked */
	uint64_t mask;    /* to come back when it ends, if one of these waits changed it: */
	bool waits_signal;
	uint64_t waits_vfork; /* for this token, */
	int vfork_pid;        /* of this child */
	void *fpu;            /* vector state, until the task has a context */
	size_t nfpu;
	struct file *held[HELD_MAX]; /* by the running call: another thread may close them */
	struct space *seen;          /* and the memory of another that it reads or writes */
	uint64_t vfork_token;        /* who waits for this one to execute something or end */
	uint32_t personality;        /* kept until it executes something */
	bool keeps_caps;             /* PR_SET_KEEPCAPS; */
	bool kept_caps;              /* it has become another user so, */
	uint32_t raised;             /* and uses these again */
	struct trace {               /* what its tracer sees and says: trace.c */
		uint8_t stop;        /* enum trace_stop */
		bool stepping;       /* the trap flag is set for the tracer */
		bool leaving;        /* it has told that it ends */
		int signal;          /* that it goes on with */
		struct signal_info info;
		uint64_t message;
		int64_t call;   /* that it is in or comes from; -1: none */
		int64_t result; /* of one that is not made */
	} trace;
	struct zygote *zygote; /* being made by this task */
	struct zygote *source; /* it begins as a copy of this one */
};

static inline struct task *task_of(const struct proc *p)
{
	return p->task;
}

enum {
	CLONE_VM_ = 0x100,
	CLONE_SIGHAND_ = 0x800,
	CLONE_PIDFD_ = 0x1000,
	CLONE_VFORK_ = 0x4000,
	CLONE_THREAD_ = 0x10000,
	CLONE_SETTLS_ = 0x80000,
	CLONE_PARENT_SETTID_ = 0x100000,
	CLONE_CHILD_CLEARTID_ = 0x200000,
	CLONE_UNTRACED_ = 0x800000,
	CLONE_CHILD_SETTID_ = 0x1000000,
	CLONE_NEW_ = 0x7e020000, /* namespaces */
};
#define CLONE_CLEAR_SIGHAND_ ((uint64_t)1 << 32)

struct clone {
	uint64_t flags;
	uint64_t stack;
	uint64_t parent_tid;
	uint64_t child_tid;
	uint64_t tls;
	uint64_t pidfd; /* where its number goes */
};

/* task.c */
/* Opens the machine, if it is not open: 0 or -E_NODEV, and why in m->why. */
int microvm_open(struct microvm *m, struct proc *p);
void task_free(struct task *t);
void task_adopt(struct task *t, struct proc *p);
_Noreturn void task_resume(struct task *t);
/* The handlers, the group of a copy: those of the other task's copies, or new ones. */
/* An own set of handlers, of what threads have together: refs 1, or NULL. */
struct handlers *handlers_new(struct microvm *m, const struct handlers *like);
void handlers_put(struct handlers *h);
struct group *group_new(struct microvm *m);
void group_put(struct group *g);
int handlers_share(struct copying *w, struct task *c, const struct task *t);
int group_share(struct copying *w, struct task *c, const struct task *t);
void handlers_apply(struct task *t);
int64_t task_clone(struct task *t, const struct clone *how);
_Noreturn void task_exit(struct task *t, int status);
_Noreturn void task_exit_group(struct task *t, int status);
_Noreturn void task_kill(struct task *t, int sig);
/* Seals of memory files: sys_descriptor.c. */
int64_t memory_seals(struct task *t, int fd);
int64_t memory_seal(struct task *t, int fd, unsigned seals);
/* System V's things: all of them go; those of a fork; what a process that ends had done to
 * semaphores is undone. Groups must have been copied before undos. */
void ipc_clear(struct microvm *m);
int ipc_copy(struct copying *w, struct microvm *from, struct microvm *to);
int ipc_copy_undo(struct copying *w, struct microvm *from, struct microvm *to);
void sem_leave(struct task *t);
int64_t futex_wake(struct task *t, uint64_t address, int64_t n);
/* Gives up the robust mutexes of a thread that ends. Never waits. */
void robust_leave(struct task *t);
/* RLIMIT_STACK of a process, both values. */
void task_stack_limit(struct task *t, uint64_t *out);
int task_new(struct microvm *m, struct proc *p, struct task **out);
void task_release(struct proc *p);
/* Puts one of the files that it holds, if it does. */
void task_let_go(struct task *t, int held);
/* The coroutine's loop. Does not return. */
_Noreturn void task_loop(struct task *t);
int task_entry(struct proc *p, void *arg);
void *vm_alloc(struct microvm *m, size_t n);
void vm_free(struct microvm *m, void *block, size_t n);

/* Back to what task_new made: an empty space, no handlers. */
int task_renew(struct task *t);

/* zygote.c: starts from a copy. */
/* Starts the program from a zygote, or begins to make one: true, *result as exec_plain's. */
bool zygote_exec(struct task *t, const char *path, int argc, char **argv, char **envp, int *result);
/* Before each call of a task with p->launcher. False: the program was started anew instead. */
bool zygote_call(struct task *t, uint64_t number, const uint64_t *a);
/* The task ends, or executes something else. */
void zygote_leave(struct task *t);
void zygote_forget_all(struct microvm *m);
/* A fork of a session begins with what its parent keeps. */
void zygote_share(struct microvm *from, struct microvm *to);

/* pack.c, unpack.c: what of a task is written, and read, in this order. */
#define TASK_REGISTERS(R)                                                                          \
	R(rax)                                                                                     \
	R(rcx)                                                                                     \
	R(rdx)                                                                                     \
	R(rbx)                                                                                     \
	R(rsp)                                                                                     \
	R(rbp)                                                                                     \
	R(rsi)                                                                                     \
	R(rdi)                                                                                     \
	R(r8) R(r9) R(r10) R(r11) R(r12) R(r13) R(r14) R(r15) R(rip) R(rflags) R(fs_base) R(gs_base)
#define TASK_NUMBERS(N)                                                                            \
	N(clear_tid)                                                                               \
	N(robust_list)                                                                             \
	N(alt_stack)                                                                               \
	N(alt_bytes)                                                                               \
	N(alt_flags) N(saved_mask) N(call) N(done) N(mask) N(waits_vfork) N(vfork_token)
#define TASK_FLAGS(F)                                                                              \
	F(mask_saved)                                                                              \
	F(restart)                                                                                 \
	F(no_return) F(in_call) F(resumed) F(has_result) F(waits_signal) F(keeps_caps) F(kept_caps)

/* What a program may set in its flags. */
enum { FLAGS_USER = 0x40dd5 };

/* exec.c */
int exec_plain(struct task *t, const char *path, char **argv, char **envp);
/* Says that the program will be read: a source may begin. */
void exec_ahead(struct proc *p, const char *path);
int exec_load(struct task *t, const char *path, int argc, char **argv, char **envp);

/* live.c: programs of a session that is forked, or was saved */
/* What runs first in the process of a copy. */
int task_go_on(struct proc *p, void *arg);
/* Before a task runs for the first time: what of the machine a copy lacks. */
int task_make_ready(struct task *t);
/* What is left of a call's time, which is ns when it begins (below 0: endless). */
int64_t call_left(struct task *t, int64_t ns);
/* The same when it ends: 0 without an end. */
int64_t call_left_now(const struct task *t);
/* Between two parts of a long call, of which t->done is done: others may run. */
void call_rest(struct task *t);

/* share.c: memory of a space or an object in a forked session */
/* The object of the other session that stands for this one, held once more. */
int object_share(struct copying *w, struct microvm *m, const struct object *like,
		 struct object **out);
int space_share(struct copying *w, struct space *from, struct microvm *to, struct space **out);

/* vdso: bytes of the image, page aligned */
extern const unsigned char vdso_image[];
extern const unsigned char vdso_image_end[];
void vdso_enter(struct task *t);
uint64_t vdso_leave(struct task *t);
int vdso_map(struct task *t);

/* trace.c: where a traced task stops. All do nothing if it is not traced. */
enum trace_stop { STOP_NONE, STOP_ENTRY, STOP_EXIT, STOP_SIGNAL, STOP_GROUP, STOP_EVENT };
enum {
	EVENT_FORK = 1,
	EVENT_VFORK,
	EVENT_CLONE,
	EVENT_EXEC,
	EVENT_VFORK_DONE,
	EVENT_EXIT,
	EVENT_STOP = 128
};
/* Before a call is made, whose number may become another: false if it is not made. */
bool trace_entry(struct task *t);
void trace_exit(struct task *t);
/* What becomes of a signal: which it is, or 0. */
int trace_signal(struct task *t, int sig, struct signal_info *info);
/* It stops as an unhandled signal says, which also means to stop. */
void trace_group_stop(struct task *t, int sig);
/* If its tracer wants to know, or asked for it. */
void trace_event(struct task *t, int event, uint64_t message);
void trace_interrupt(struct task *t);
/* A new task of one that is traced begins as its tracer says. */
void trace_child(struct task *t, struct task *child, int event);
void trace_exec(struct task *t);
/* It ends, with a status as wait(2) tells it. */
void trace_leave(struct task *t, int status);
/* Before the program runs on, and when it was trapped. */
void trace_run(struct task *t);
void trace_ran(struct task *t);
static inline bool task_is_traced(const struct task *t)
{
	return proc_is_traced(t->p);
}

/* signal.c */
struct signal_info signal_info_of(int sig, const struct sig_source *s);
uint32_t alt_stack_flags(const struct task *t);
int64_t signal_mask_for_call(struct task *t, uint64_t address);
/* Calls handlers of pending signals, or ends; after a call or an interruption. */
void signal_deliver(struct task *t, bool from_call);
/* A signal the program raised itself by what it executed. */
void signal_fault(struct task *t, int sig, int code, uint64_t address,
		  const struct cowsh_vm_event *e);

void time_alarm_came(struct task *t);
/* The task has used processor time: interval timers of that may be due. */
void time_was_used(struct task *t);
int64_t clock_now(struct task *t, int clock);

/* --- system calls --- */

enum { RESTART = -512 }; /* begin the call again, unless a handler without SA_RESTART runs */

typedef int64_t syscall_fn(struct task *t, const uint64_t *a);

struct syscall_row {
	const char *name;
	syscall_fn *fn; /* NULL: refused */
	int refused;
};
enum { SYSCALLS_MAX = 463 };
extern const struct syscall_row syscall_table[SYSCALLS_MAX];

int64_t syscall_run(struct task *t, uint64_t number, const uint64_t a[6]);
/* Whether the first (0), second, or third argument is a descriptor of one that is open. */
bool syscall_takes_descriptor(uint64_t number, int argument);

/* Helpers of the handlers. */
static inline int put_user(struct task *t, uint64_t address, const void *data, size_t n)
{
	return guest_write(t->p, t->space, address, data, n);
}
static inline int get_user(struct task *t, void *out, uint64_t address, size_t n)
{
	return guest_read(t->p, t->space, out, address, n);
}
/* sys_process.c: whether the task may do what goes by the user or a bit of its capabilities. */
enum { CAP_SETGID_ = 6, CAP_SETUID_ = 7 };
bool task_is_capable(const struct task *t, int capability);
/* sys_io.c */
syscall_fn call_readv;
syscall_fn call_writev;
/* sys_path.c: as fstat tells it. */
enum { USER_STAT_BYTES = 144 };
void user_stat_bytes(const struct vfs_stat *st, char *out);
/* sys_lock.c: fcntl's locks, of an open file or of the process. */
int64_t lock_set(struct task *t, int fd, uint64_t address, bool of_file, bool wait);
int64_t lock_get(struct task *t, int fd, uint64_t address, bool of_file);
/* sys_interface.c: whether a socket is one that is asked about interfaces; asking it, by ioctl. */
bool interface_is_asked(struct task *t, int fd);
int64_t interface_ask(struct task *t, int fd, const char *bytes, size_t n);
int64_t interface_ioctl(struct task *t, unsigned request, uint64_t address);
/* sys_terminal.c: ioctl, of any descriptor. */
int64_t terminal_ioctl(struct task *t, int fd, unsigned request, uint64_t argument);
/* sys_socket.c: names of sockets, from and to programs; the whole length of the latter. */
int64_t socket_get_name(struct task *t, uint64_t address, uint64_t len, struct socket_name *out);
int64_t socket_put_name(struct task *t, const struct socket_name *n, uint64_t address,
			uint64_t size);
uint32_t socket_put_raw(struct task *t, const struct socket_name *n, uint64_t address,
			uint32_t room, int64_t *err);
/* A path in the process's arena; the dispatcher releases what a call allocates there. */
int get_path(struct task *t, uint64_t address, char **out);
/* A timespec as nanoseconds; -E_FAULT, -E_INVAL. */
int get_timespec(struct task *t, uint64_t address, int64_t *ns);
int put_timespec(struct task *t, uint64_t address, int64_t ns);
int get_timer_setting(struct task *t, uint64_t address, struct timer_setting *s);
int put_timer_setting(struct task *t, uint64_t address, const struct timer_setting *s);
/* Memory of the call: in the process's arena. */
void *call_memory(struct task *t, size_t n);

#endif
