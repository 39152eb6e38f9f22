/* SPDX-License-Identifier: MIT
 *
 * What System V's three kinds of things have in common: numbers, keys, permissions, the end.
 *
 * A number is an index and how manieth thing had it, so that an old number names nothing.
 * Who waits, waits for a change of the thing, looks for it anew, and tries again: what a call
 * does it does at once.
 */
#include "microvm/ipc.h"

enum { INDEX_BITS = 15, SEQUENCES = 65536 };

static int index_of(const struct ipc *i)
{
	return i->id & ((1 << INDEX_BITS) - 1);
}

int64_t ipc_seconds(struct task *t)
{
	return sys_now(t->p) / 1000000000;
}

/* --- finding --- */

/* Memory that was to go with its last user. */
static void collect(struct microvm *m)
{
	struct ipc *next;

	for (struct ipc *i = m->ipc; i != NULL; i = next) {
		next = i->next;
		if (i->kind == IPC_SHM && (i->mode & IPC_DEST) != 0 && i->object->refs == 1)
			ipc_remove(m, i);
	}
}

struct ipc *ipc_find(struct task *t, enum ipc_kind kind, int32_t id)
{
	collect(t->m);
	for (struct ipc *i = t->m->ipc; i != NULL; i = i->next)
		if (i->kind == kind && i->id == id)
			return i;
	return NULL;
}

struct ipc *ipc_nth(struct task *t, enum ipc_kind kind, uint64_t index)
{
	collect(t->m);
	for (struct ipc *i = t->m->ipc; i != NULL; i = i->next)
		if (i->kind == kind && (uint64_t)index_of(i) == index)
			return i;
	return NULL;
}

int ipc_highest(const struct microvm *m, enum ipc_kind kind)
{
	int highest = 0;

	for (const struct ipc *i = m->ipc; i != NULL; i = i->next)
		if (i->kind == kind && index_of(i) > highest)
			highest = index_of(i);
	return highest;
}

static bool in_group(const struct vfs_cred *c, uint32_t gid)
{
	for (uint32_t i = 0; i < c->ngroups; i++)
		if (c->groups[i] == gid)
			return true;
	return c->gid == gid;
}

static bool may(const struct task *t, const struct ipc *i, unsigned want)
{
	const struct vfs_cred *c = &t->p->cred;
	unsigned granted = i->mode;

	want = (want >> 6 | want >> 3 | want) & 7;
	if (c->uid == i->uid || c->uid == i->cuid)
		granted >>= 6;
	else if (in_group(c, i->gid) || in_group(c, i->cgid))
		granted >>= 3;
	return c->uid == 0 || (want & ~granted) == 0;
}

int ipc_open(struct task *t, enum ipc_kind kind, int32_t id, unsigned want, struct ipc **out)
{
	*out = ipc_find(t, kind, id);
	/* In a copy of a session a call that waited begins again. */
	if (*out == NULL)
		return t->resumed ? -E_IDRM : -E_INVAL;
	return may(t, *out, want) ? 0 : -E_ACCES;
}

int ipc_asked(struct task *t, enum ipc_kind kind, uint64_t number, bool by_index, bool any,
	      struct ipc **out)
{
	if (!by_index)
		return ipc_open(t, kind, (int32_t)number, IPC_READ, out);
	*out = ipc_nth(t, kind, (uint32_t)number);
	if (*out == NULL)
		return -E_INVAL;
	return any || may(t, *out, IPC_READ) ? 0 : -E_ACCES;
}

/* --- making --- */

static int32_t free_number(struct microvm *m, enum ipc_kind kind)
{
	bool used[IPC_MAX] = { false };
	int index = 0;

	for (const struct ipc *i = m->ipc; i != NULL; i = i->next)
		if (i->kind == kind)
			used[index_of(i)] = true;
	while (index < IPC_MAX && used[index])
		index++;
	if (index == IPC_MAX)
		return -1;
	return (int32_t)(m->ipc_made[kind]++ % SEQUENCES) << INDEX_BITS | index;
}

static int make(struct task *t, enum ipc_kind kind, int32_t key, unsigned flags, struct ipc **out)
{
	const struct vfs_cred *c = &t->p->cred;
	int32_t id = free_number(t->m, kind);
	struct ipc *i = id >= 0 ? vm_alloc(t->m, sizeof *i) : NULL;

	if (i == NULL)
		return id >= 0 ? -E_NOMEM : -E_NOSPC;
	*i = (struct ipc){ .next = t->m->ipc,
			   .kind = kind,
			   .id = id,
			   .key = key,
			   .uid = c->uid,
			   .gid = c->gid,
			   .cuid = c->uid,
			   .cgid = c->gid,
			   .mode = flags & 0777,
			   .changed = ipc_seconds(t) };
	t->m->ipc = i;
	*out = i;
	return 0;
}

int64_t ipc_get(struct task *t, enum ipc_kind kind, int32_t key, unsigned flags, struct ipc **out,
		bool *fresh)
{
	struct ipc *i;

	collect(t->m);
	*fresh = false;
	i = key != 0 ? t->m->ipc : NULL;
	while (i != NULL && (i->kind != kind || i->key != key))
		i = i->next;
	*out = i;
	if (i == NULL) {
		*fresh = true;
		return key == 0 || (flags & IPC_CREAT_) != 0 ? make(t, kind, key, flags, out)
							     : -E_NOENT;
	}
	if ((flags & (IPC_CREAT_ | IPC_EXCL_)) == (IPC_CREAT_ | IPC_EXCL_))
		return -E_EXIST;
	return may(t, i, flags & 0777) ? 0 : -E_ACCES;
}

/* --- the end --- */

static void forget_undo(struct microvm *m, int32_t id)
{
	for (struct undo **link = &m->undo, *u; (u = *link) != NULL;) {
		if (u->id == id) {
			*link = u->next;
			m->nundos--;
			u->group->undos--;
			vm_free(m, u, sizeof *u);
		} else {
			link = &u->next;
		}
	}
}

void ipc_remove(struct microvm *m, struct ipc *i)
{
	struct ipc **link = &m->ipc;

	while (*link != i)
		link = &(*link)->next;
	*link = i->next;
	ipc_wake(m, i);
	if (i->object != NULL)
		object_put(i->object);
	if (i->sem != NULL) {
		forget_undo(m, i->id);
		vm_free(m, i->sem, i->size * sizeof *i->sem);
	}
	for (struct message *s = i->first, *next; s != NULL; s = next) {
		next = s->next;
		vm_free(m, s, sizeof *s + s->len);
	}
	vm_free(m, i, sizeof *i);
}

void ipc_clear(struct microvm *m)
{
	while (m->ipc != NULL)
		ipc_remove(m, m->ipc);
}

/* --- waiting --- */

static struct futex_key key_of(const struct ipc *i)
{
	return (struct futex_key){ (uint64_t)(uintptr_t)i, 4 };
}

void ipc_wake(struct microvm *m, const struct ipc *i)
{
	kernel_futex_wake(m->k, key_of(i), 1, INT32_MAX);
}

int ipc_wait(struct task *t, const struct ipc *i, int64_t until)
{
	return (int)sys_futex_wait(t->p, key_of(i), 1, until);
}

/* --- what is told and changed --- */

void ipc_put(char *out, size_t at, uint64_t value, size_t bytes)
{
	memcpy(out + at, &value, bytes);
}

void ipc_perm(const struct ipc *i, char *out)
{
	ipc_put(out, 0, (uint32_t)i->key, 4);
	ipc_put(out, 4, i->uid, 4);
	ipc_put(out, 8, i->gid, 4);
	ipc_put(out, 12, i->cuid, 4);
	ipc_put(out, 16, i->cgid, 4);
	ipc_put(out, 20, i->mode, 4);
	ipc_put(out, 24, (uint64_t)i->id >> INDEX_BITS & 0xffff, 2);
}

static int64_t set(struct task *t, struct ipc *i, uint64_t address, size_t size_at,
		   uint64_t size_max)
{
	enum ipc_kind kind = i->kind;
	uint64_t size = i->size;
	int32_t id = i->id;
	uint32_t perm[6];

	if (get_user(t, perm, address, sizeof perm) != 0 ||
	    (size_at != 0 && get_user(t, &size, address + size_at, sizeof size) != 0))
		return -E_FAULT;
	/* To read may have taken time. */
	i = ipc_find(t, kind, id);
	if (i == NULL)
		return -E_IDRM;
	if (size_at != 0 && size > i->size && size > size_max && t->p->cred.uid != 0)
		return -E_PERM;
	if (size_at != 0)
		i->size = size;
	i->uid = perm[1];
	i->gid = perm[2];
	i->mode = (i->mode & ~0777u) | (perm[5] & 0777);
	i->changed = ipc_seconds(t);
	ipc_wake(t->m, i);
	return 0;
}

int64_t ipc_change(struct task *t, enum ipc_kind kind, int32_t id, uint64_t cmd, uint64_t address,
		   size_t size_at, uint64_t size_max)
{
	uint32_t uid = t->p->cred.uid;
	struct ipc *i = ipc_find(t, kind, id);

	if (i == NULL)
		return -E_INVAL;
	if (uid != 0 && uid != i->uid && uid != i->cuid)
		return -E_PERM;
	proc_charge(t->p, t->m->nundos / PER_STEP);
	if (cmd == IPC_SET_)
		return set(t, i, address, size_at, size_max);
	if (i->kind == IPC_SHM && i->object->refs > 1) {
		i->mode |= IPC_DEST;
		i->key = 0;
	} else {
		ipc_remove(t->m, i);
	}
	return 0;
}

/* --- forks of the session --- */

static int copy_messages(struct microvm *to, struct ipc *i, const struct ipc *like)
{
	struct message **link = &i->first;

	for (const struct message *s = like->first; s != NULL; s = s->next) {
		struct message *c = vm_alloc(to, sizeof *c + s->len);

		if (c == NULL)
			return -E_NOMEM;
		memcpy(c, s, sizeof *c + s->len);
		c->next = NULL;
		*link = c;
		link = &c->next;
	}
	return 0;
}

static int copy_thing(struct copying *w, struct microvm *to, const struct ipc *like)
{
	struct ipc *i = vm_alloc(to, sizeof *i);
	int r = 0;

	if (i == NULL)
		return -E_NOMEM;
	*i = *like;
	i->object = NULL;
	i->sem = NULL;
	i->first = NULL;
	i->next = to->ipc;
	to->ipc = i;
	if (like->object != NULL)
		r = object_share(w, to, like->object, &i->object);
	if (r == 0 && like->sem != NULL) {
		i->sem = vm_alloc(to, like->size * sizeof *i->sem);
		r = i->sem != NULL ? 0 : -E_NOMEM;
		if (r == 0)
			memcpy(i->sem, like->sem, like->size * sizeof *i->sem);
	}
	return r == 0 ? copy_messages(to, i, like) : r;
}

int ipc_copy(struct copying *w, struct microvm *from, struct microvm *to)
{
	int r = 0;

	memcpy(to->ipc_made, from->ipc_made, sizeof to->ipc_made);
	for (const struct ipc *i = from->ipc; i != NULL && r == 0; i = i->next)
		r = copy_thing(w, to, i);
	return r;
}

int ipc_copy_undo(struct copying *w, struct microvm *from, struct microvm *to)
{
	for (const struct undo *u = from->undo; u != NULL; u = u->next) {
		struct group *group = copy_find(w, u->group);
		struct undo *c = group != NULL ? vm_alloc(to, sizeof *c) : NULL;

		if (group == NULL)
			continue;
		if (c == NULL)
			return -E_NOMEM;
		*c = *u;
		c->group = group;
		c->next = to->undo;
		to->undo = c;
		to->nundos++;
		group->undos++;
	}
	return 0;
}
