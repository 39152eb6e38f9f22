/* SPDX-License-Identifier: MIT
 *
 * System V's semaphores. All operations of a call are done at once, when all of them can be.
 */
#include "microvm/ipc.h"

enum {
	SEM_UNDO = 0x1000,
	GETPID = 11,
	GETVAL = 12,
	GETALL = 13,
	GETNCNT = 14,
	GETZCNT = 15,
	SETVAL = 16,
	SETALL = 17,
	SEM_STAT = 18,
	SEM_INFO = 19,
	SEM_STAT_ANY = 20,
	OPERATIONS_MAX = 500,
	SEMAPHORES_MAX = 32000, /* of a set */
	VALUE_MAX = 32767,
	DS_BYTES = 104,
};

struct operation {
	uint16_t number;
	int16_t change;
	int16_t flags;
};

int64_t call_semget(struct task *t, const uint64_t *a)
{
	int32_t n = (int32_t)a[1];
	bool fresh;
	struct ipc *i;
	int64_t r;

	if (n < 0 || n > SEMAPHORES_MAX)
		return -E_INVAL;
	r = ipc_get(t, IPC_SEM, (int32_t)a[0], (unsigned)a[2], &i, &fresh);
	if (r != 0)
		return r;
	if (!fresh)
		return (uint64_t)n <= i->size ? i->id : -E_INVAL;
	i->sem = n > 0 ? vm_alloc(t->m, (size_t)n * sizeof *i->sem) : NULL;
	if (i->sem == NULL) {
		ipc_remove(t->m, i);
		return n > 0 ? -E_NOMEM : -E_INVAL;
	}
	memset(i->sem, 0, (size_t)n * sizeof *i->sem);
	i->size = (uint64_t)n;
	return i->id;
}

/* --- undo --- */

/* What the process is to undo of a semaphore; NULL: no memory. */
static struct undo *undo_of(struct task *t, const struct ipc *i, uint32_t number)
{
	struct undo *u = t->m->undo;

	proc_charge(t->p, t->m->nundos / PER_STEP);
	while (u != NULL && (u->group != t->group || u->id != i->id || u->number != number))
		u = u->next;
	if (u != NULL)
		return u;
	u = vm_alloc(t->m, sizeof *u);
	if (u == NULL)
		return NULL;
	*u = (struct undo){ .next = t->m->undo, .group = t->group, .id = i->id, .number = number };
	t->m->undo = u;
	t->m->nundos++;
	t->group->undos++;
	return u;
}

static void no_undo(struct task *t, const struct ipc *i, uint64_t from, uint64_t end)
{
	proc_charge(t->p, t->m->nundos / PER_STEP);
	for (struct undo *u = t->m->undo; u != NULL; u = u->next)
		if (u->id == i->id && u->number >= from && u->number < end)
			u->adjust = 0;
}

static struct ipc *set_of(struct microvm *m, int32_t id)
{
	struct ipc *i = m->ipc;

	while (i != NULL && (i->kind != IPC_SEM || i->id != id))
		i = i->next;
	return i;
}

void sem_leave(struct task *t)
{
	for (struct undo **link = &t->m->undo, *u; t->group->undos != 0 && (u = *link) != NULL;) {
		struct ipc *i = u->group == t->group ? set_of(t->m, u->id) : NULL;

		if (u->group != t->group) {
			link = &u->next;
			continue;
		}
		if (i != NULL && u->adjust != 0) {
			int value = i->sem[u->number].value + u->adjust;

			value = value < 0 ? 0 : value > VALUE_MAX ? VALUE_MAX : value;
			i->sem[u->number] = (struct semaphore){ (uint16_t)value, t->p->pid };
			ipc_wake(t->m, i);
		}
		*link = u->next;
		t->m->nundos--;
		t->group->undos--;
		vm_free(t->m, u, sizeof *u);
	}
}

/* --- operations --- */

/* Tries one: 0, -E_AGAIN (it has to wait), an error. */
static int try(struct task *t, struct ipc *i, const struct operation *op)
{
	struct semaphore *s = &i->sem[op->number];
	int value = s->value + op->change;
	struct undo *u;

	if (op->change == 0)
		return s->value == 0 ? 0 : -E_AGAIN;
	if (value < 0 || value > VALUE_MAX)
		return value < 0 ? -E_AGAIN : -E_RANGE;
	if ((op->flags & SEM_UNDO) != 0) {
		u = undo_of(t, i, op->number);
		if (u == NULL)
			return -E_NOMEM;
		if (u->adjust - op->change < -VALUE_MAX - 1 || u->adjust - op->change > VALUE_MAX)
			return -E_RANGE;
		u->adjust -= op->change;
	}
	s->value = (uint16_t)value;
	return 0;
}

static void take_back(struct task *t, struct ipc *i, const struct operation *op)
{
	struct semaphore *s = &i->sem[op->number];

	s->value = (uint16_t)(s->value - op->change);
	if (op->change != 0 && (op->flags & SEM_UNDO) != 0)
		undo_of(t, i, op->number)->adjust += op->change;
}

/* All or nothing; *waits: what it has to wait for. */
static int try_all(struct task *t, struct ipc *i, const struct operation *op, size_t n,
		   const struct operation **waits)
{
	size_t k = 0;
	int r = 0;

	while (k < n && (r = try(t, i, &op[k])) == 0)
		k++;
	*waits = k < n ? &op[k] : NULL;
	while (r != 0 && k > 0)
		take_back(t, i, &op[--k]);
	for (k = 0; r == 0 && k < n; k++)
		i->sem[op[k].number].pid = proc_owner_of(t->p)->pid;
	return r;
}

static int read_operations(struct task *t, uint64_t address, uint64_t n, struct operation *op)
{
	struct {
		uint16_t number;
		int16_t change;
		int16_t flags;
	} raw;

	for (uint64_t k = 0; k < n; k++) {
		if (get_user(t, &raw, address + k * sizeof raw, sizeof raw) != 0)
			return -E_FAULT;
		op[k] = (struct operation){ raw.number, raw.change, raw.flags };
	}
	return 0;
}

static int64_t operate(struct task *t, int32_t id, const struct operation *op, size_t n,
		       int64_t until)
{
	const struct operation *waits;
	bool changes = false;
	unsigned highest = 0;
	struct ipc *i;
	int r;

	for (size_t k = 0; k < n; k++) {
		changes |= op[k].change != 0;
		highest = op[k].number > highest ? op[k].number : highest;
	}
	r = ipc_open(t, IPC_SEM, id, changes ? IPC_WRITE : IPC_READ, &i);
	if (r == 0 && highest >= i->size)
		return t->resumed ? -E_IDRM : -E_FBIG;
	while (r == 0 && (r = try_all(t, i, op, n, &waits)) == -E_AGAIN) {
		if ((waits->flags & IPC_NOWAIT_) != 0)
			return -E_AGAIN;
		t->sem_wait = (struct sem_wait){ id, waits->number, waits->change == 0, true };
		r = ipc_wait(t, i, until);
		t->sem_wait.waits = false;
		if (r != 0)
			return r == -E_TIMEDOUT ? -E_AGAIN : r;
		/* After very many others its number may be another's, of fewer. */
		i = ipc_find(t, IPC_SEM, id);
		r = i != NULL && highest < i->size ? 0 : -E_IDRM;
	}
	if (r != 0)
		return r;
	i->first_time = ipc_seconds(t);
	if (changes)
		ipc_wake(t->m, i);
	return 0;
}

int64_t call_semtimedop(struct task *t, const uint64_t *a)
{
	struct operation *op;
	int64_t until = 0;
	int64_t r = 0;

	if (a[2] == 0 || (int32_t)a[0] < 0)
		return -E_INVAL;
	if (a[2] > OPERATIONS_MAX)
		return -E_2BIG;
	if (a[3] != 0)
		r = get_timespec(t, a[3], &until);
	op = arena_array(&t->p->arena, (size_t)a[2], sizeof *op);
	if (r == 0)
		r = read_operations(t, a[1], a[2], op);
	if (r != 0)
		return r;
	if (a[3] != 0)
		until = sys_now(t->p) + call_left(t, until);
	return operate(t, (int32_t)a[0], op, (size_t)a[2], until);
}

int64_t call_semop(struct task *t, const uint64_t *a)
{
	const uint64_t b[4] = { a[0], a[1], (uint32_t)a[2], 0 };

	return call_semtimedop(t, b);
}

/* --- semctl --- */

/* To write to the program may take time, in which the thing may go. */
static int64_t tell(struct task *t, const struct ipc *i, uint64_t address, int64_t result)
{
	char ds[DS_BYTES] = { 0 };

	ipc_perm(i, ds);
	ipc_put(ds, 48, (uint64_t)i->first_time, 8);
	ipc_put(ds, 64, (uint64_t)i->changed, 8);
	ipc_put(ds, 80, i->size, 8);
	return put_user(t, address, ds, sizeof ds) == 0 ? result : -E_FAULT;
}

static int64_t limits(struct task *t, uint64_t address, bool usage)
{
	int32_t info[10] = { [0] = IPC_MAX * 1000,
			     [1] = IPC_MAX,
			     [2] = IPC_MAX * SEMAPHORES_MAX,
			     [3] = IPC_MAX * 1000,
			     [4] = SEMAPHORES_MAX,
			     [5] = OPERATIONS_MAX,
			     [6] = OPERATIONS_MAX,
			     [7] = 20,
			     [8] = VALUE_MAX,
			     [9] = VALUE_MAX };
	int r;

	if (usage)
		info[7] = info[9] = 0;
	for (const struct ipc *i = t->m->ipc; usage && i != NULL; i = i->next) {
		info[7] += i->kind == IPC_SEM;
		info[9] += i->kind == IPC_SEM ? (int32_t)i->size : 0;
	}
	r = put_user(t, address, info, sizeof info);
	return r != 0 ? r : ipc_highest(t->m, IPC_SEM);
}

static int64_t waiting(struct task *t, const struct ipc *i, uint64_t number, bool zero)
{
	struct proc *p = NULL;
	int64_t n = 0;

	while ((p = proc_after(t->m->k, p)) != NULL) {
		const struct task *other = p->release == task_release ? task_of(p) : NULL;
		const struct sem_wait *w = other != NULL ? &other->sem_wait : NULL;

		n += w != NULL && w->waits && w->id == i->id && w->number == number &&
		     w->zero == zero;
	}
	return n;
}

static int64_t get_all(struct task *t, const struct ipc *i, uint64_t address)
{
	size_t n = (size_t)i->size;
	uint16_t *value = arena_array(&t->p->arena, n, sizeof *value);

	for (size_t k = 0; k < n; k++)
		value[k] = i->sem[k].value;
	return put_user(t, address, value, n * sizeof *value);
}

static int64_t set_all(struct task *t, int32_t id, uint64_t n, uint64_t address)
{
	uint16_t *value = arena_array(&t->p->arena, (size_t)n, sizeof *value);
	struct ipc *i;

	if (get_user(t, value, address, (size_t)n * sizeof *value) != 0)
		return -E_FAULT;
	for (uint64_t k = 0; k < n; k++)
		if (value[k] > VALUE_MAX)
			return -E_RANGE;
	i = ipc_find(t, IPC_SEM, id);
	if (i == NULL || i->size != n)
		return -E_IDRM;
	for (uint64_t k = 0; k < n; k++)
		i->sem[k] = (struct semaphore){ value[k], proc_owner_of(t->p)->pid };
	no_undo(t, i, 0, n);
	i->changed = ipc_seconds(t);
	ipc_wake(t->m, i);
	return 0;
}

static int64_t set_value(struct task *t, struct ipc *i, uint64_t number, int value)
{
	if (value < 0 || value > VALUE_MAX)
		return -E_RANGE;
	i->sem[number] = (struct semaphore){ (uint16_t)value, proc_owner_of(t->p)->pid };
	no_undo(t, i, number, number + 1);
	i->changed = ipc_seconds(t);
	ipc_wake(t->m, i);
	return 0;
}

/* Of one semaphore, or of all. */
static int64_t of_values(struct task *t, const uint64_t *a)
{
	bool writes = (int)a[2] == SETVAL || (int)a[2] == SETALL;
	uint64_t number = (uint32_t)a[1];
	struct ipc *i;
	int r = ipc_open(t, IPC_SEM, (int32_t)a[0], writes ? IPC_WRITE : IPC_READ, &i);

	if (r != 0)
		return r;
	if ((int)a[2] == GETALL)
		return get_all(t, i, a[3]);
	if ((int)a[2] == SETALL)
		return set_all(t, i->id, i->size, a[3]);
	if (number >= i->size)
		return -E_INVAL;
	switch ((int)a[2]) {
	case GETPID: return i->sem[number].pid;
	case GETVAL: return i->sem[number].value;
	case GETNCNT: return waiting(t, i, number, false);
	case GETZCNT: return waiting(t, i, number, true);
	default: return set_value(t, i, number, (int)a[3]);
	}
}

int64_t call_semctl(struct task *t, const uint64_t *a)
{
	bool any = (int)a[2] == SEM_STAT_ANY;
	bool by_index = any || (int)a[2] == SEM_STAT;
	struct ipc *i;
	int r;

	switch ((int)a[2]) {
	case IPC_INFO_:
	case SEM_INFO: return limits(t, a[3], (int)a[2] == SEM_INFO);
	case SEM_STAT:
	case SEM_STAT_ANY:
	case IPC_STAT_:
		r = ipc_asked(t, IPC_SEM, a[0], by_index, any, &i);
		return r != 0 ? r : tell(t, i, a[3], by_index ? i->id : 0);
	case IPC_SET_:
	case IPC_RMID_: return ipc_change(t, IPC_SEM, (int32_t)a[0], a[2], a[3], 0, 0);
	case GETPID:
	case GETVAL:
	case GETALL:
	case GETNCNT:
	case GETZCNT:
	case SETVAL:
	case SETALL: return of_values(t, a);
	default: return -E_INVAL;
	}
}
