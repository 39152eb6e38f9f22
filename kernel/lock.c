/* SPDX-License-Identifier: MIT
 *
 * Locks on ranges of bytes: advisory, held by an open file (Linux's OFD locks), gone with its
 * last descriptor however the process ends. Nobody waits for one: who is refused tries again.
 *
 * They stand in one list of the kernel. Its users (databases) hold a handful each.
 */
#include "kernel/internal.h"

struct file_lock {
	struct file_lock *next;
	struct file *file;
	bool exclusive;
	uint64_t from;
	uint64_t end; /* behind the last byte */
};

static bool refused(struct proc *p, const struct file *f, const struct file_lock *want)
{
	for (const struct file_lock *l = p->k->locks; l != NULL; l = l->next) {
		kernel_fuel(p->k)->left--;
		if (l->file == f || l->file->ino != f->ino)
			continue;
		if (l->from < want->end && want->from < l->end && (l->exclusive || want->exclusive))
			return true;
	}
	return false;
}

/* Takes the file's own locks out of the range. spare serves for one that is cut in two; true if
 * it was needed. */
static bool cut(struct kernel *k, const struct file *f, uint64_t from, uint64_t end,
		struct file_lock *spare)
{
	for (struct file_lock **link = &k->locks, *l; (l = *link) != NULL;) {
		if (l->file != f || l->end <= from || end <= l->from) {
			link = &l->next;
			continue;
		}
		if (l->from < from && l->end > end) {
			*spare = *l;
			spare->from = end;
			l->next = spare;
			l->end = from;
			return true;
		}
		if (l->from < from)
			l->end = from;
		else if (l->end > end)
			l->from = end;
		else {
			*link = l->next;
			heap_free(&k->heap, l, sizeof *l);
			continue;
		}
		link = &l->next;
	}
	return false;
}

int64_t sys_lock(struct proc *p, int fd, enum lock_kind kind, uint64_t from, uint64_t len)
{
	struct kernel *k = p->k;
	struct file_lock want = {
		.exclusive = kind >= LOCK_EXCLUSIVE,
		.from = from,
		.end = len == 0 || len > UINT64_MAX - from ? UINT64_MAX : from + len,
	};
	struct file_lock *made;
	struct file_lock *spare;
	struct file *f;

	proc_charge(p, 1);
	f = fd_file(p, fd);
	want.file = f;
	if (f == NULL)
		return -E_BADF;
	if (from > INT64_MAX)
		return -E_INVAL;
	if (kind != LOCK_NONE && refused(p, f, &want))
		return -E_AGAIN;
	if (kind == LOCK_TEST)
		return 0;
	made = kind != LOCK_NONE ? heap_alloc(&k->heap, sizeof *made) : NULL;
	spare = heap_alloc(&k->heap, sizeof *spare);
	if (spare == NULL || (kind != LOCK_NONE && made == NULL)) {
		heap_free(&k->heap, spare, sizeof *spare);
		heap_free(&k->heap, made, sizeof *made);
		return -E_NOMEM;
	}
	if (!cut(k, f, want.from, want.end, spare))
		heap_free(&k->heap, spare, sizeof *spare);
	if (made != NULL) {
		*made = want;
		made->next = k->locks;
		k->locks = made;
		f->locked = true;
	}
	return 0;
}

void lock_release(struct kernel *k, const struct file *f)
{
	cut(k, f, 0, UINT64_MAX, NULL);
}
