/* SPDX-License-Identifier: MIT
 *
 * System V's shared memory: an object that areas of several spaces show, and that stays without
 * them.
 */
#include "microvm/ipc.h"

enum {
	SHM_RDONLY = 010000,
	SHM_RND = 020000,
	SHM_REMAP = 040000,
	SHM_EXEC = 0100000,
	SHM_HUGETLB = 04000,
	SHM_LOCK = 11,
	SHM_UNLOCK = 12,
	SHM_STAT = 13,
	SHM_INFO = 14,
	SHM_STAT_ANY = 15,
	DS_BYTES = 112,
};
#define SHM_BYTES_MAX ((uint64_t)1 << 40)

static uint64_t pages_up(uint64_t n)
{
	return (n + PAGE_MASK_) & ~PAGE_MASK_;
}

static uint64_t attached(struct task *t, const struct object *o)
{
	uint64_t searched = 0;
	uint64_t n = 0;

	/* A mapping that was cut is two. */
	for (const struct space *s = t->m->spaces; s != NULL; s = s->next) {
		for (size_t i = 0; i < s->nareas; i++)
			n += s->area[i].object == o;
		searched += s->nareas;
	}
	proc_charge(t->p, searched / PER_STEP); /* a call is not parted by it */
	return n;
}

int64_t call_shmget(struct task *t, const uint64_t *a)
{
	unsigned flags = (unsigned)a[2];
	bool fresh;
	struct ipc *i;
	int64_t r;

	if ((flags & SHM_HUGETLB) != 0)
		return -E_INVAL;
	r = ipc_get(t, IPC_SHM, (int32_t)a[0], flags, &i, &fresh);
	if (r != 0)
		return r;
	if (!fresh)
		return a[1] <= i->size ? i->id : -E_INVAL;
	r = a[1] == 0 || a[1] > SHM_BYTES_MAX ? -E_INVAL : object_new(t->m, NULL, 0, &i->object);
	if (r != 0) {
		ipc_remove(t->m, i);
		return r;
	}
	i->size = a[1];
	i->first_pid = proc_owner_of(t->p)->pid;
	return i->id;
}

int64_t call_shmat(struct task *t, const uint64_t *a)
{
	unsigned flags = (unsigned)a[2];
	bool reads = (flags & SHM_RDONLY) != 0;
	struct map m = { .address = a[1], .shared = true, .read_only = reads };
	struct ipc *i;
	int64_t r;

	if (a[1] > USER_END || ((a[1] & PAGE_MASK_) != 0 && (flags & SHM_RND) == 0) ||
	    ((flags & SHM_REMAP) != 0 && a[1] == 0))
		return -E_INVAL;
	r = ipc_open(t, IPC_SHM, (int32_t)a[0], reads ? IPC_READ : IPC_READ | IPC_WRITE, &i);
	if (r != 0)
		return r;
	m.prot = PROT_READ_ | (reads ? 0u : PROT_WRITE_) |
		 ((flags & SHM_EXEC) != 0 ? PROT_EXEC_ : 0u);
	m.address &= ~PAGE_MASK_;
	m.length = pages_up(i->size);
	m.fixed = a[1] != 0;
	m.noreplace = a[1] != 0 && (flags & SHM_REMAP) == 0;
	m.object = object_get(i->object);
	r = space_map(t->space, &m);
	if (r == -E_EXIST)
		return -E_INVAL;
	i = ipc_find(t, IPC_SHM, (int32_t)a[0]);
	if (r < 0 || i == NULL)
		return r;
	i->first_time = ipc_seconds(t);
	i->second_pid = proc_owner_of(t->p)->pid;
	return r;
}

int64_t call_shmdt(struct task *t, const uint64_t *a)
{
	const struct area *area = space_area(t->space, a[0]);
	const struct object *object;
	struct ipc *i = t->m->ipc;
	uint64_t end;

	if (area == NULL || area->object == NULL || area->start - area->offset != a[0])
		return -E_INVAL;
	while (i != NULL && i->object != area->object)
		i = i->next;
	if (i == NULL)
		return -E_INVAL;
	i->second_time = ipc_seconds(t);
	i->second_pid = proc_owner_of(t->p)->pid;
	object = i->object;
	end = a[0] + pages_up(i->size);
	/* The program may have put other things in between. */
	for (uint64_t at = a[0]; at < end;) {
		size_t index = space_area_index(t->space, at);

		if (index >= t->space->nareas)
			break;
		area = &t->space->area[index];
		at = area->end;
		if (area->start < end && area->object == object &&
		    area->start - area->offset == a[0] &&
		    space_unmap(t->space, area->start, area->end - area->start) != 0)
			return -E_NOMEM;
	}
	(void)ipc_find(t, IPC_SHM, -1); /* what was to go goes */
	return 0;
}

/* --- shmctl --- */

/* To write to the program may take time, in which the thing may go. */
static int64_t tell(struct task *t, const struct ipc *i, uint64_t address, int64_t result)
{
	char ds[DS_BYTES] = { 0 };

	ipc_perm(i, ds);
	ipc_put(ds, 48, i->size, 8);
	ipc_put(ds, 56, (uint64_t)i->first_time, 8);
	ipc_put(ds, 64, (uint64_t)i->second_time, 8);
	ipc_put(ds, 72, (uint64_t)i->changed, 8);
	ipc_put(ds, 80, (uint32_t)i->first_pid, 4);
	ipc_put(ds, 84, (uint32_t)i->second_pid, 4);
	ipc_put(ds, 88, attached(t, i->object), 8);
	return put_user(t, address, ds, sizeof ds) == 0 ? result : -E_FAULT;
}

static int64_t limits(struct task *t, uint64_t address)
{
	const uint64_t info[9] = { SHM_BYTES_MAX, 1, IPC_MAX, IPC_MAX, SHM_BYTES_MAX / PAGE_BYTES };
	int r = put_user(t, address, info, sizeof info);

	return r != 0 ? r : ipc_highest(t->m, IPC_SHM);
}

static int64_t usage(struct task *t, uint64_t address)
{
	uint64_t info[6] = { 0 };
	uint64_t steps = 0;
	int r;

	for (const struct ipc *i = t->m->ipc; i != NULL; i = i->next) {
		if (i->kind != IPC_SHM)
			continue;
		info[0]++;
		info[1] += pages_up(i->size) / PAGE_BYTES;
		for (size_t n = 0; n < i->object->npages; n++)
			info[2] += i->object->page[n] != NULL;
		steps += i->object->npages / 16;
	}
	proc_charge(t->p, steps); /* others may run */
	r = put_user(t, address, info, sizeof info);
	return r != 0 ? r : ipc_highest(t->m, IPC_SHM);
}

int64_t call_shmctl(struct task *t, const uint64_t *a)
{
	bool any = (int)a[1] == SHM_STAT_ANY;
	bool by_index = any || (int)a[1] == SHM_STAT;
	struct ipc *i;
	int r;

	switch ((int)a[1]) {
	case IPC_INFO_: return limits(t, a[2]);
	case SHM_INFO: return usage(t, a[2]);
	case SHM_STAT:
	case SHM_STAT_ANY:
	case IPC_STAT_:
		r = ipc_asked(t, IPC_SHM, a[0], by_index, any, &i);
		return r != 0 ? r : tell(t, i, a[2], by_index ? i->id : 0);
	case SHM_LOCK:
	case SHM_UNLOCK: return ipc_open(t, IPC_SHM, (int32_t)a[0], 0, &i);
	case IPC_SET_:
	case IPC_RMID_: return ipc_change(t, IPC_SHM, (int32_t)a[0], a[1], a[2], 0, 0);
	default: return -E_INVAL;
	}
}
