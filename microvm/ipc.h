/* SPDX-License-Identifier: MIT
 *
 * System V's shared memory, semaphores and queues of messages: things of the session, which
 * programs name by numbers and which stay until they are removed.
 */
#ifndef MICROVM_IPC_H
#define MICROVM_IPC_H

#include "microvm/private.h"

enum ipc_kind { IPC_SHM, IPC_SEM, IPC_MSG, IPC_KINDS };

enum {
	IPC_CREAT_ = 01000,
	IPC_EXCL_ = 02000,
	IPC_NOWAIT_ = 04000,
	IPC_RMID_ = 0,
	IPC_SET_ = 1,
	IPC_STAT_ = 2,
	IPC_INFO_ = 3,
	IPC_DEST = 01000, /* in mode: goes when nobody has it attached any more */
	IPC_READ = 4,
	IPC_WRITE = 2,
	IPC_MAX = 1024, /* of each kind */
	IPC_PERM_BYTES = 48,
	PER_STEP = 8, /* of a list that is searched */
};

struct message {
	struct message *next;
	int64_t type;
	size_t len;
	char bytes[];
};

struct semaphore {
	uint16_t value;
	int32_t pid; /* who changed it last */
};

struct ipc {
	struct ipc *next;
	enum ipc_kind kind;
	int32_t id;
	int32_t key;
	uint32_t uid, gid, cuid, cgid, mode;
	int64_t changed;     /* seconds: IPC_SET and creation */
	int64_t first_time;  /* attached, operated on, sent */
	int64_t second_time; /* detached, received */
	int32_t first_pid;   /* made it, or sent last */
	int32_t second_pid;  /* attached last, or received last */
	uint64_t size;       /* bytes of memory; semaphores; bytes that a queue takes */
	struct object *object;
	struct semaphore *sem;
	struct message *first; /* of a queue */
	uint64_t bytes, count; /* in it */
};

/* What a process has done to a semaphore with SEM_UNDO. */
struct undo {
	struct undo *next;
	struct group *group;
	int32_t id;
	uint32_t number;
	int32_t adjust;
};

/* ipc.c */
/* For a call like shmget: the thing with the key, or a new one of a size in *fresh. */
int64_t ipc_get(struct task *t, enum ipc_kind kind, int32_t key, unsigned flags, struct ipc **out,
		bool *fresh);
struct ipc *ipc_find(struct task *t, enum ipc_kind kind, int32_t id);
/* The thing with a number, for who may do with it as asked: 0, -E_INVAL, -E_ACCES. */
int ipc_open(struct task *t, enum ipc_kind kind, int32_t id, unsigned want, struct ipc **out);
/* What IPC_STAT asks about, or by_index *_STAT, or by_index and any *_STAT_ANY: then by anyone. */
int ipc_asked(struct task *t, enum ipc_kind kind, uint64_t number, bool by_index, bool any,
	      struct ipc **out);
void ipc_remove(struct microvm *m, struct ipc *i);
void ipc_wake(struct microvm *m, const struct ipc *i);
/* Waits until something of the kind changes; as sys_futex_wait. */
int ipc_wait(struct task *t, const struct ipc *i, int64_t until);
/* What the three calls like shmctl have in common: IPC_SET and IPC_RMID. */
int64_t ipc_change(struct task *t, enum ipc_kind kind, int32_t id, uint64_t cmd, uint64_t address,
		   size_t size_at, uint64_t size_max);
void ipc_perm(const struct ipc *i, char *out);
/* The thing at an index, as *_STAT count; NULL: there is none. The highest index. */
struct ipc *ipc_nth(struct task *t, enum ipc_kind kind, uint64_t index);
int ipc_highest(const struct microvm *m, enum ipc_kind kind);
int64_t ipc_seconds(struct task *t);
void ipc_put(char *out, size_t at, uint64_t value, size_t bytes);

#endif
