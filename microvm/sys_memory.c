/* SPDX-License-Identifier: MIT
 *
 * System calls on the address space.
 */
#include "microvm/private.h"

enum { HEAP_AHEAD = 4 * PAGE_BYTES, SYNC_BYTES = 1 << 20, MS_BOTH = 5 /* MS_SYNC, MS_ASYNC */ };

static uint64_t pages_up(uint64_t n)
{
	return (n + PAGE_MASK_) & ~PAGE_MASK_;
}

static bool bad_range(uint64_t address, uint64_t length)
{
	return (address & PAGE_MASK_) != 0 || length > USER_END || address > USER_END ||
	       pages_up(length) > USER_END - address;
}

int64_t call_brk(struct task *t, const uint64_t *a)
{
	struct space *s = t->space;
	uint64_t old = pages_up(s->brk);
	uint64_t new = pages_up(a[0]);
	struct map m = { .address = old,
			 .length = new - old,
			 .prot = PROT_READ_ | PROT_WRITE_,
			 .noreplace = true };

	if (a[0] < s->brk_start || a[0] > USER_END)
		return (int64_t)s->brk;
	if (new > old && space_map(s, &m) < 0)
		return (int64_t)s->brk;
	if (new < old && space_unmap(s, new, old - new) != 0)
		return (int64_t)s->brk;
	s->brk = a[0];
	/* Whoever asks for memory writes its beginning. */
	if (new > old)
		space_populate(t->p, s, old, new - old < HEAP_AHEAD ? new : old + HEAP_AHEAD);
	return (int64_t)s->brk;
}

/* A shared mapping of a file that may be written has an object; others read the file's pages, and
 * follow what is written. */
static int share_file(struct task *t, struct map *m)
{
	struct vfs_stat st;
	unsigned mode = sys_file_flags(m->file) & O_ACCMODE_;
	int seals = sys_file_seals(m->file);
	struct object *o;
	int r;

	if (sys_file_stat(t->p, m->file, &st) != 0)
		return -E_NODEV;
	if ((m->prot & PROT_WRITE_) != 0 && mode != O_RDWR_)
		return -E_ACCES;
	if (seals > 0 && (seals & (SEAL_WRITE | SEAL_FUTURE_WRITE)) != 0) {
		if ((m->prot & PROT_WRITE_) != 0)
			return -E_PERM;
		mode = O_RDONLY_;
	}
	m->shared = true;
	m->read_only = mode != O_RDWR_;
	o = object_find(t->m, st.ino);
	if (o != NULL) {
		object_get(o);
	} else if (mode == O_RDWR_) {
		r = object_new(t->m, m->file, st.ino, &o);
		if (r != 0)
			return r;
		spaces_follow(t->m, st.ino, o);
	} else {
		spaces_note_followed(t->m, st.ino);
		return 0;
	}
	o->writable |= mode == O_RDWR_;
	m->object = o;
	return 0;
}

static int64_t map_file(struct task *t, struct map *m, int fd, bool shared)
{
	int64_t r = 0;

	m->file = t->held[HELD_MAPPED] = sys_file(t->p, fd);
	if (m->file == NULL)
		return -E_BADF;
	if (!sys_file_regular(m->file))
		r = -E_NODEV;
	else if ((sys_file_flags(m->file) & O_ACCMODE_) == O_WRONLY_)
		r = -E_ACCES;
	else if (shared)
		r = share_file(t, m);
	if (r == 0)
		r = space_map(t->space, m);
	/* A segment of a library, which the dynamic loader puts where it has to be. */
	if (r > 0 && m->fixed && m->length <= POPULATED_BYTES &&
	    space_populate(t->p, t->space, (uint64_t)r, (uint64_t)r + m->length) == -E_NOMEM)
		proc_limit(t->p, LIMIT_MEMORY);
	task_let_go(t, HELD_MAPPED);
	return r;
}

int64_t call_mmap(struct task *t, const uint64_t *a)
{
	unsigned flags = (unsigned)a[3];
	bool shared = (flags & 3) == MAP_SHARED_ || (flags & 3) == 3;
	struct map m = { .address = a[0],
			 .length = a[1],
			 .prot = (unsigned)a[2] & 7,
			 .fixed = (flags & MAP_FIXED_) != 0,
			 .noreplace = (flags & MAP_FIXED_NOREPLACE_) != 0,
			 .noreserve = (flags & MAP_NORESERVE_) != 0,
			 .low = (flags & MAP_LOW_) != 0 };

	if (a[1] == 0 || (flags & 3) == 0 || (a[5] & PAGE_MASK_) != 0)
		return -E_INVAL;
	if ((flags & MAP_ANONYMOUS_) == 0) {
		m.offset = a[5];
		if (a[5] > INT64_MAX - USER_END)
			return -E_OVERFLOW;
		return map_file(t, &m, (int)a[4], shared);
	}
	if (shared) {
		m.shared = true;
		if (object_new(t->m, NULL, 0, &m.object) != 0)
			return -E_NOMEM;
	}
	return space_map(t->space, &m);
}

int64_t call_munmap(struct task *t, const uint64_t *a)
{
	if (bad_range(a[0], a[1]) || a[1] == 0)
		return -E_INVAL;
	return space_unmap(t->space, a[0], pages_up(a[1]));
}

int64_t call_mprotect(struct task *t, const uint64_t *a)
{
	if ((a[0] & PAGE_MASK_) != 0)
		return -E_INVAL;
	if (a[1] == 0)
		return 0;
	if (bad_range(a[0], a[1]))
		return -E_NOMEM;
	return space_protect(t->space, a[0], pages_up(a[1]), (unsigned)a[2] & 7);
}

int64_t call_pkey_mprotect(struct task *t, const uint64_t *a)
{
	return (int)a[3] == -1 ? call_mprotect(t, a) : -E_INVAL;
}

enum { MADV_DONTNEED_ = 4, MADV_FREE_ = 8, MADV_LAST = 25 };

int64_t call_madvise(struct task *t, const uint64_t *a)
{
	if (bad_range(a[0], a[1]))
		return -E_INVAL;
	if (a[1] == 0)
		return 0;
	if ((int)a[2] == MADV_DONTNEED_ || (int)a[2] == MADV_FREE_)
		return space_discard(t->space, a[0], pages_up(a[1]));
	return a[2] > MADV_LAST ? -E_INVAL : 0;
}

int64_t call_mremap(struct task *t, const uint64_t *a)
{
	if (bad_range(a[0], a[1]) || a[2] > USER_END || a[3] > 7 || a[1] == 0)
		return -E_INVAL;
	return space_remap(t->space, a[0], a[1], a[2], (unsigned)a[3], a[4]);
}

/* The end of a part of a long call: of what has to be compared not more than some at once. */
static uint64_t sync_end(const struct area *a, uint64_t at, uint64_t end)
{
	const struct object *o = a->object;

	end = end < a->end ? end : a->end;
	if (o == NULL || o->file == NULL || (a->offset + (at - a->start)) / PAGE_BYTES >= o->npages)
		return end;
	return end - at < SYNC_BYTES ? end : at + SYNC_BYTES;
}

int64_t call_msync(struct task *t, const uint64_t *a)
{
	struct space *s = t->space;
	uint64_t at = a[0];
	uint64_t end;
	bool whole;
	size_t i;

	if (bad_range(a[0], a[1]) || a[2] > 7 || (a[2] & MS_BOTH) == MS_BOTH)
		return -E_INVAL;
	end = a[0] + pages_up(a[1]);
	/* Programs ask in this way whether there is memory. */
	whole = space_allows(s, at, end - at, 0) == end - at;
	while ((i = space_area_index(s, at)) < s->nareas && s->area[i].start < end && at < end) {
		uint64_t from = s->area[i].start > at ? s->area[i].start : at;

		at = sync_end(&s->area[i], from, end);
		area_sync(&s->area[i], from, at);
		call_rest(t);
	}
	return whole ? 0 : -E_NOMEM;
}

int64_t call_mincore(struct task *t, const uint64_t *a)
{
	if (bad_range(a[0], a[1]))
		return -E_INVAL;
	for (uint64_t at = a[0], i = 0; at < a[0] + a[1]; at += PAGE_BYTES, i++) {
		unsigned char here = 1;

		if (space_area(t->space, at) == NULL)
			return -E_NOMEM;
		proc_charge(t->p, 1);
		if (put_user(t, a[2] + i, &here, 1) != 0)
			return -E_FAULT;
	}
	return 0;
}

/* Memory is never taken away: locking it changes nothing. */
int64_t call_mlock(struct task *t, const uint64_t *a)
{
	return bad_range(a[0] & ~PAGE_MASK_, a[1]) || space_area(t->space, a[0]) == NULL ? -E_NOMEM
											 : 0;
}

int64_t call_mlock2(struct task *t, const uint64_t *a)
{
	return call_mlock(t, a);
}

int64_t call_munlock(struct task *t, const uint64_t *a)
{
	return call_mlock(t, a);
}

int64_t call_mlockall(struct task *t, const uint64_t *a)
{
	(void)t;
	(void)a;
	return 0;
}

int64_t call_munlockall(struct task *t, const uint64_t *a)
{
	(void)t;
	(void)a;
	return 0;
}

/* One processor: what it wrote, it sees. */
int64_t call_membarrier(struct task *t, const uint64_t *a)
{
	(void)t;
	return a[0] == 0 ? 0x1ff : 0;
}
