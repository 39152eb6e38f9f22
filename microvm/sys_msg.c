/* SPDX-License-Identifier: MIT
 *
 * System V's queues of messages.
 */
#include "microvm/ipc.h"

enum {
	MSG_NOERROR = 010000,
	MSG_EXCEPT = 020000,
	MSG_COPY = 040000,
	MSG_STAT = 11,
	MSG_INFO = 12,
	MSG_STAT_ANY = 13,
	MESSAGE_MAX = 8192,
	QUEUE_BYTES = 16384,
	DS_BYTES = 120,
	QBYTES_AT = 88,
};

int64_t call_msgget(struct task *t, const uint64_t *a)
{
	bool fresh;
	struct ipc *i;
	int64_t r = ipc_get(t, IPC_MSG, (int32_t)a[0], (unsigned)a[1], &i, &fresh);

	if (r != 0)
		return r;
	if (fresh)
		i->size = QUEUE_BYTES;
	return i->id;
}

/* --- sending --- */

static bool has_room(const struct ipc *i, size_t len)
{
	return len <= i->size && i->bytes <= i->size - len && i->count < i->size;
}

static void append(struct ipc *i, struct message *s)
{
	struct message **link = &i->first;

	while (*link != NULL)
		link = &(*link)->next;
	*link = s;
	i->bytes += s->len;
	i->count++;
}

/* The queue when there is room in it. */
static int wait_room(struct task *t, int32_t id, size_t len, unsigned flags, struct ipc **out)
{
	int r = ipc_open(t, IPC_MSG, id, IPC_WRITE, out);

	while (r == 0 && !has_room(*out, len)) {
		if ((flags & IPC_NOWAIT_) != 0)
			return -E_AGAIN;
		r = ipc_wait(t, *out, 0);
		if (r == 0)
			r = ipc_open(t, IPC_MSG, id, IPC_WRITE, out) == -E_INVAL ? -E_IDRM : 0;
	}
	return r;
}

int64_t call_msgsnd(struct task *t, const uint64_t *a)
{
	size_t len = (size_t)a[2];
	struct message *s;
	struct ipc *i;
	char *bytes;
	int64_t type;
	int r;

	if (a[2] > MESSAGE_MAX || (int32_t)a[0] < 0)
		return -E_INVAL;
	bytes = arena_alloc(&t->p->arena, len + 1); /* a message may be empty */
	if (get_user(t, &type, a[1], sizeof type) != 0 ||
	    get_user(t, bytes, a[1] + sizeof type, len) != 0)
		return -E_FAULT;
	if (type < 1)
		return -E_INVAL;
	r = wait_room(t, (int32_t)a[0], len, (unsigned)a[3], &i);
	if (r != 0)
		return r;
	s = vm_alloc(t->m, sizeof *s + len);
	if (s == NULL)
		return -E_NOMEM;
	*s = (struct message){ .type = type, .len = len };
	memcpy(s->bytes, bytes, len);
	proc_charge(t->p, i->count / PER_STEP);
	append(i, s);
	i->first_time = ipc_seconds(t);
	i->first_pid = proc_owner_of(t->p)->pid;
	ipc_wake(t->m, i);
	return 0;
}

/* --- receiving --- */

/* The link to the message that is wanted, or NULL. */
static struct message **find(struct task *t, struct ipc *i, int64_t type, bool except)
{
	int64_t most = type == INT64_MIN ? INT64_MAX : -type;
	struct message **best = NULL;

	proc_charge(t->p, i->count / PER_STEP);
	for (struct message **link = &i->first; *link != NULL; link = &(*link)->next) {
		int64_t is = (*link)->type;

		if (type == 0 || (type > 0 && (is == type) != except))
			return link;
		if (type < 0 && is <= most && (best == NULL || is < (*best)->type))
			best = link;
	}
	return best;
}

int64_t call_msgrcv(struct task *t, const uint64_t *a)
{
	unsigned flags = (unsigned)a[4];
	struct message **link = NULL;
	struct message *s;
	struct message *own;
	struct ipc *i;
	size_t len;
	int r;

	if ((int32_t)a[0] < 0 || (int64_t)a[2] < 0 || (flags & MSG_COPY) != 0)
		return (flags & MSG_COPY) != 0 ? -E_NOSYS : -E_INVAL;
	r = ipc_open(t, IPC_MSG, (int32_t)a[0], IPC_READ, &i);
	while (r == 0 && (link = find(t, i, (int64_t)a[3], (flags & MSG_EXCEPT) != 0)) == NULL) {
		if ((flags & IPC_NOWAIT_) != 0)
			return -E_NOMSG;
		r = ipc_wait(t, i, 0);
		if (r == 0)
			r = ipc_open(t, IPC_MSG, (int32_t)a[0], IPC_READ, &i) == -E_INVAL ? -E_IDRM
											  : 0;
	}
	if (r != 0)
		return r;
	s = *link;
	if (s->len > a[2] && (flags & MSG_NOERROR) == 0)
		return -E_2BIG;
	own = call_memory(t, sizeof *s + s->len);
	*link = s->next;
	i->bytes -= s->len;
	i->count--;
	i->second_time = ipc_seconds(t);
	i->second_pid = proc_owner_of(t->p)->pid;
	ipc_wake(t->m, i);
	len = s->len < a[2] ? s->len : (size_t)a[2];
	/* To write to the program may take time, in which it may be ended. */
	memcpy(own, s, sizeof *s + s->len);
	vm_free(t->m, s, sizeof *s + s->len);
	if (put_user(t, a[1], &own->type, sizeof own->type) != 0 ||
	    put_user(t, a[1] + sizeof own->type, own->bytes, len) != 0)
		return -E_FAULT;
	return (int64_t)len;
}

/* --- msgctl --- */

/* To write to the program may take time, in which the thing may go. */
static int64_t tell(struct task *t, const struct ipc *i, uint64_t address, int64_t result)
{
	char ds[DS_BYTES] = { 0 };

	ipc_perm(i, ds);
	ipc_put(ds, 48, (uint64_t)i->first_time, 8);
	ipc_put(ds, 56, (uint64_t)i->second_time, 8);
	ipc_put(ds, 64, (uint64_t)i->changed, 8);
	ipc_put(ds, 72, i->bytes, 8);
	ipc_put(ds, 80, i->count, 8);
	ipc_put(ds, QBYTES_AT, i->size, 8);
	ipc_put(ds, 96, (uint32_t)i->first_pid, 4);
	ipc_put(ds, 100, (uint32_t)i->second_pid, 4);
	return put_user(t, address, ds, sizeof ds) == 0 ? result : -E_FAULT;
}

static int64_t limits(struct task *t, uint64_t address, bool usage)
{
	int32_t info[8] = { [2] = MESSAGE_MAX, [3] = QUEUE_BYTES, [4] = IPC_MAX, [5] = 16 };
	int r;

	for (const struct ipc *i = t->m->ipc; usage && i != NULL; i = i->next) {
		if (i->kind != IPC_MSG)
			continue;
		info[0]++;
		info[1] += (int32_t)i->count;
		info[6] += (int32_t)i->bytes;
	}
	r = put_user(t, address, info, sizeof info);
	return r != 0 ? r : ipc_highest(t->m, IPC_MSG);
}

int64_t call_msgctl(struct task *t, const uint64_t *a)
{
	bool any = (int)a[1] == MSG_STAT_ANY;
	bool by_index = any || (int)a[1] == MSG_STAT;
	struct ipc *i;
	int r;

	switch ((int)a[1]) {
	case IPC_INFO_:
	case MSG_INFO: return limits(t, a[2], (int)a[1] == MSG_INFO);
	case MSG_STAT:
	case MSG_STAT_ANY:
	case IPC_STAT_:
		r = ipc_asked(t, IPC_MSG, a[0], by_index, any, &i);
		return r != 0 ? r : tell(t, i, a[2], by_index ? i->id : 0);
	case IPC_SET_:
	case IPC_RMID_:
		return ipc_change(t, IPC_MSG, (int32_t)a[0], a[1], a[2], QBYTES_AT, QUEUE_BYTES);
	default: return -E_INVAL;
	}
}
