/* SPDX-License-Identifier: MIT
 *
 * Advisory locks. Those on ranges of bytes belong to an open file (Linux's OFD locks), and are
 * gone with its last descriptor, or to a process (POSIX locks), and are gone when it closes any
 * descriptor of that inode. Locks on whole files (flock) belong to an open file; they and the
 * ranges do not see each other.
 *
 * What has no inode, as a pipe, is told by its object. Locks stand in lists of the kernel, by
 * inode: their users (databases, package managers) hold a handful each, and there are not more
 * than LOCKS_MAX. Who waits is woken by every lock that goes, and looks again.
 */
#include "base/pack.h"
#include "kernel/internal.h"

struct file_lock {
	struct file_lock *next;
	const struct file *file; /* whose it is; NULL: of the process */
	int pid;                 /* of the process; 0: the file's */
	vfs_ino ino;
	const void *object; /* of what has no inode */
	bool whole;         /* flock's */
	bool exclusive;
	uint64_t from;
	uint64_t end; /* behind the last byte */
};

enum { DEADLOCK_DEPTH = 32, LOCKS_MAX = 2048 };

static struct file_lock **bucket_of(struct kernel *k, vfs_ino ino)
{
	return &k->locks[ino % LOCK_BUCKETS];
}

/* The host's streams are one. */
static const void *object_of(const struct file *f)
{
	return f->ino == 0 && f->ops != &file_console ? f->u.object : NULL;
}

static bool same_target(const struct file_lock *a, const struct file_lock *b)
{
	return a->ino == b->ino && a->object == b->object && a->whole == b->whole;
}

static bool same_owner(const struct file_lock *a, const struct file_lock *b)
{
	return a->file == b->file && a->pid == b->pid && same_target(a, b);
}

static bool overlap(const struct file_lock *a, const struct file_lock *b)
{
	return a->from < b->end && b->from < a->end;
}

/* The first lock of somebody else that does not allow this one. */
static const struct file_lock *in_the_way(struct kernel *k, const struct file_lock *want)
{
	for (const struct file_lock *l = *bucket_of(k, want->ino); l != NULL; l = l->next) {
		kernel_fuel(k)->left--;
		if (same_target(l, want) && !same_owner(l, want) && overlap(l, want) &&
		    (l->exclusive || want->exclusive))
			return l;
	}
	return NULL;
}

/* Takes the owner's own locks out of the range. spare serves for one that is cut in two; true if
 * it was needed. */
static bool cut(struct kernel *k, const struct file_lock *range, struct file_lock *spare)
{
	for (struct file_lock **link = bucket_of(k, range->ino), *l; (l = *link) != NULL;) {
		kernel_fuel(k)->left--;
		if (!same_owner(l, range) || !overlap(l, range)) {
			link = &l->next;
			continue;
		}
		sched_wake_all(&k->lock_waiters);
		if (l->from < range->from && l->end > range->end) {
			*spare = *l;
			spare->from = range->end;
			l->next = spare;
			l->end = range->from;
			k->nlocks++;
			return true;
		}
		if (l->from < range->from)
			l->end = range->from;
		else if (l->end > range->end)
			l->from = range->end;
		else {
			*link = l->next;
			k->nlocks--;
			heap_free(&k->heap, l, sizeof *l);
			continue;
		}
		link = &l->next;
	}
	return false;
}

static int take(struct kernel *k, const struct file_lock *want, enum lock_kind kind)
{
	struct file_lock *made;
	struct file_lock *spare;

	/* Giving back a part makes two of one. */
	if (k->nlocks >= (kind != LOCK_NONE ? LOCKS_MAX : 2u * LOCKS_MAX))
		return -E_NOLCK;
	made = kind != LOCK_NONE ? heap_alloc(&k->heap, sizeof *made) : NULL;
	spare = heap_alloc(&k->heap, sizeof *spare);
	if (spare == NULL || (kind != LOCK_NONE && made == NULL)) {
		heap_free(&k->heap, spare, sizeof *spare);
		heap_free(&k->heap, made, sizeof *made);
		return -E_NOMEM;
	}
	if (!cut(k, want, spare))
		heap_free(&k->heap, spare, sizeof *spare);
	if (made != NULL) {
		*made = *want;
		made->next = *bucket_of(k, want->ino);
		*bucket_of(k, want->ino) = made;
		k->nlocks++;
	}
	return 0;
}

/* Whether the holder waits, maybe by way of others, for a lock of this process. */
static bool would_deadlock(struct kernel *k, int pid, const struct file_lock *holder)
{
	int at = holder->pid;

	for (int i = 0; i < DEADLOCK_DEPTH && at != 0; i++) {
		const struct proc *p = proc_find(k, at);

		if (at == pid)
			return true;
		at = p != NULL ? p->priv->waits_lock_of : 0;
	}
	return false;
}

/* Waits until a lock goes: 0, -E_INTR, -E_DEADLK, -E_BADF (the descriptor is another's now). */
static int wait_for(struct proc *p, int fd, const struct file *f, const struct file_lock *holder)
{
	struct proc *owner = proc_owner(p);
	int r;

	if (would_deadlock(p->k, owner->pid, holder))
		return -E_DEADLK;
	owner->priv->waits_lock_of = holder->pid;
	r = sched_block(p, &p->k->lock_waiters, TIMER_NEVER);
	owner->priv->waits_lock_of = 0;
	return r == 0 && fd_file(p, fd) != f ? -E_BADF : r;
}

static void tell(const struct file_lock *l, struct lock_found *out)
{
	*out = (struct lock_found){
		.kind = l->exclusive ? LOCK_EXCLUSIVE : LOCK_SHARED,
		.from = l->from,
		.len = l->end == UINT64_MAX ? 0 : l->end - l->from,
		.pid = l->file != NULL ? -1 : l->pid,
	};
}

int64_t sys_lock_as(struct proc *p, int fd, const struct lock_request *r, struct lock_found *found)
{
	struct kernel *k = p->k;
	struct file *f = fd_file(p, fd);
	const struct file_lock *other;
	struct file_lock want = {
		.file = r->owner == LOCK_OF_PROCESS ? NULL : f,
		.pid = r->owner == LOCK_OF_PROCESS ? proc_owner(p)->pid : 0,
		.whole = r->owner == LOCK_WHOLE,
		.exclusive = r->kind >= LOCK_EXCLUSIVE,
		.from = r->from,
		.end = r->len == 0 || r->len > UINT64_MAX - r->from ? UINT64_MAX : r->from + r->len,
	};
	int err;

	proc_charge(p, 1);
	if (f == NULL)
		return -E_BADF;
	if (r->from > INT64_MAX)
		return -E_INVAL;
	want.ino = f->ino;
	want.object = object_of(f);
	while (r->kind != LOCK_NONE && (other = in_the_way(k, &want)) != NULL) {
		if (found != NULL)
			tell(other, found);
		if (!r->wait || r->kind == LOCK_TEST || r->only_test)
			return -E_AGAIN;
		err = wait_for(p, fd, f, other);
		if (err != 0)
			return err;
	}
	if (r->kind == LOCK_TEST || r->only_test)
		return 0;
	f->locked = f->locked || want.file != NULL;
	if (want.file == NULL)
		proc_owner(p)->priv->has_locks = true;
	return take(k, &want, r->kind);
}

int64_t sys_lock(struct proc *p, int fd, enum lock_kind kind, uint64_t from, uint64_t len)
{
	const struct lock_request r = { LOCK_OF_FILE, kind, from, len, false, false };

	return sys_lock_as(p, fd, &r, NULL);
}

static int copy_list(struct copying *w, const struct file_lock *l, struct file_lock **link)
{
	for (; l != NULL; l = l->next) {
		struct file *f = l->file != NULL ? copy_find(w, l->file) : NULL;
		const void *object = l->object != NULL ? copy_find(w, l->object) : NULL;
		struct file_lock *copy;

		if (l->file != NULL ? f == NULL : proc_find(w->to, l->pid) == NULL)
			continue;
		if (l->file == NULL && l->object != NULL && object == NULL)
			continue;
		copy = heap_alloc(&w->to->heap, sizeof *copy);
		if (copy == NULL)
			return -E_NOMEM;
		*copy = *l;
		copy->next = NULL;
		copy->file = f;
		copy->object = f != NULL ? object_of(f) : object;
		w->to->nlocks++;
		if (f != NULL)
			f->locked = true;
		else
			proc_find(w->to, l->pid)->priv->has_locks = true;
		*link = copy;
		link = &copy->next;
	}
	return 0;
}

int lock_copy_all(struct copying *w)
{
	int r = 0;

	for (int i = 0; i < LOCK_BUCKETS && r == 0; i++)
		r = copy_list(w, w->from->locks[i], &w->to->locks[i]);
	return r;
}

/* Those of open files and processes that were packed; a process's must be of inodes. */
static void pack_list(struct packing *w, const struct file_lock *l)
{
	for (; l != NULL; l = l->next) {
		uint64_t number = l->file != NULL ? pack_number_of(w, l->file) : 0;

		if (number == UINT64_MAX || (l->file == NULL && (!w->live || l->object != NULL)))
			continue;
		pack_u64(w->out, 1);
		pack_u64(w->out, l->file != NULL);
		pack_u64(w->out, l->file != NULL ? number : (uint64_t)l->pid);
		pack_u64(w->out, l->ino);
		pack_u64(w->out, l->whole);
		pack_u64(w->out, l->exclusive);
		pack_u64(w->out, l->from);
		pack_u64(w->out, l->end);
	}
}

void lock_pack_all(struct packing *w)
{
	for (int i = 0; i < LOCK_BUCKETS; i++)
		pack_list(w, w->k->locks[i]);
	pack_u64(w->out, 0);
}

/* Behind the others, in the order in which they were written. */
static int append(struct kernel *k, const struct file_lock *like)
{
	struct file_lock **link = bucket_of(k, like->ino);
	struct file_lock *l = heap_alloc(&k->heap, sizeof *l);

	if (l == NULL)
		return -E_NOMEM;
	*l = *like;
	while (*link != NULL)
		link = &(*link)->next;
	*link = l;
	return ++k->nlocks <= 2u * LOCKS_MAX + 1 ? 0 : -E_IO;
}

int lock_unpack_all(struct unpacking *u)
{
	int r;

	while (unpack_below(u->in, 1) != 0) {
		bool of_file = unpack_below(u->in, 1) != 0;
		uint64_t owner = unpack_u64(u->in);
		struct file *f = of_file ? unpack_file_of(u, owner) : NULL;
		struct file_lock l = { .ino = unpack_u64(u->in) };

		l.whole = unpack_below(u->in, 1) != 0;
		l.exclusive = unpack_below(u->in, 1) != 0;
		l.from = unpack_u64(u->in);
		l.end = unpack_u64(u->in);
		if (l.from >= l.end)
			u->in->bad = true;
		/* Whose owner is not there any more, as without a machine, is gone. */
		if (u->in->bad ||
		    (of_file ? f == NULL || f->ino != l.ino
			     : owner > PID_MAX || proc_find(u->k, (int)owner) == NULL))
			continue;
		l.file = f;
		l.object = f != NULL ? object_of(f) : NULL;
		l.pid = of_file ? 0 : (int)owner;
		if (f != NULL)
			f->locked = true;
		else
			proc_find(u->k, l.pid)->priv->has_locks = true;
		r = append(u->k, &l);
		if (r != 0)
			return r;
	}
	return u->in->bad ? -E_IO : 0;
}

/* Takes out all of a file, or of a process. */
static void drop(struct kernel *k, struct file_lock **link, const struct file *f, int pid)
{
	for (struct file_lock *l; (l = *link) != NULL;) {
		if (l->file != f || l->pid != pid) {
			link = &l->next;
			continue;
		}
		sched_wake_all(&k->lock_waiters);
		*link = l->next;
		k->nlocks--;
		heap_free(&k->heap, l, sizeof *l);
	}
}

void lock_release(struct kernel *k, const struct file *f)
{
	drop(k, bucket_of(k, f->ino), f, 0);
}

void lock_release_process(struct proc *p, const struct file *f)
{
	const struct file_lock all = {
		.pid = p->pid, .ino = f->ino, .object = object_of(f), .end = UINT64_MAX
	};

	if (p->priv->has_locks)
		cut(p->k, &all, NULL);
}

void lock_release_all(struct proc *p)
{
	for (int i = 0; i < LOCK_BUCKETS && p->priv->has_locks; i++)
		drop(p->k, &p->k->locks[i], NULL, p->pid);
	p->priv->has_locks = false;
}
