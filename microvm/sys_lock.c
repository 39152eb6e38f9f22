/* SPDX-License-Identifier: MIT
 *
 * System calls that lock files: flock, and the locks of fcntl.
 */
#include "microvm/private.h"

enum {
	LOCK_SH_ = 1,
	LOCK_EX_ = 2,
	LOCK_NB_ = 4,
	LOCK_UN_ = 8,
	F_RDLCK_ = 0,
	F_WRLCK_ = 1,
	F_UNLCK_ = 2,
};

struct user_lock {
	int16_t type;
	int16_t whence;
	int32_t pad;
	int64_t start;
	int64_t len;
	int32_t pid;
	int32_t pad2;
};

int64_t call_flock(struct task *t, const uint64_t *a)
{
	struct lock_request r = { .owner = LOCK_WHOLE, .wait = (a[1] & LOCK_NB_) == 0 };
	int64_t err;

	switch ((int)a[1] & ~LOCK_NB_) {
	case LOCK_SH_: r.kind = LOCK_SHARED; break;
	case LOCK_EX_: r.kind = LOCK_EXCLUSIVE; break;
	case LOCK_UN_: r.kind = LOCK_NONE; break;
	default: return -E_INVAL;
	}
	err = sys_lock_as(t->p, (int)a[0], &r, NULL);
	return err == -E_INTR ? RESTART : err;
}

/* The range that a program means, from the start of the file. */
static int64_t absolute_range(struct task *t, int fd, const struct user_lock *u,
			      struct lock_request *out)
{
	struct vfs_stat st;
	int64_t from = u->start;
	int64_t base = 0;

	if (u->whence == 1)
		base = sys_lseek(t->p, fd, 0, 1);
	else if (u->whence == 2)
		base = sys_fstat(t->p, fd, &st) == 0 ? (int64_t)st.size : 0;
	else if (u->whence != 0)
		return -E_INVAL;
	if (base < 0)
		base = 0;
	if (__builtin_add_overflow(from, base, &from))
		return -E_OVERFLOW;
	if (u->len < 0 && (__builtin_add_overflow(from, u->len, &from) || from < 0))
		return -E_INVAL;
	if (from < 0)
		return -E_INVAL;
	out->from = (uint64_t)from;
	out->len = (uint64_t)(u->len < 0 ? -u->len : u->len);
	return 0;
}

static int64_t may_lock(struct task *t, int fd, int type)
{
	int64_t mode = sys_getfl(t->p, fd);

	if (mode < 0)
		return mode;
	mode &= O_ACCMODE_;
	if ((type == F_RDLCK_ && mode == O_WRONLY_) || (type == F_WRLCK_ && mode == O_RDONLY_))
		return -E_BADF;
	return 0;
}

static int64_t get_request(struct task *t, int fd, uint64_t address, bool test, struct user_lock *u,
			   struct lock_request *r)
{
	int64_t err = sys_getfl(t->p, fd);

	if (err < 0)
		return err;
	if (get_user(t, u, address, sizeof *u) != 0)
		return -E_FAULT;
	switch (u->type) {
	case F_RDLCK_: r->kind = LOCK_SHARED; break;
	case F_WRLCK_: r->kind = LOCK_EXCLUSIVE; break;
	case F_UNLCK_: r->kind = LOCK_NONE; break;
	default: return -E_INVAL;
	}
	if (r->owner == LOCK_OF_FILE && u->pid != 0)
		return -E_INVAL;
	err = test ? 0 : may_lock(t, fd, u->type);
	return err != 0 ? err : absolute_range(t, fd, u, r);
}

int64_t lock_set(struct task *t, int fd, uint64_t address, bool of_file, bool wait)
{
	struct lock_request r = { .owner = of_file ? LOCK_OF_FILE : LOCK_OF_PROCESS, .wait = wait };
	struct user_lock u;
	int64_t err = get_request(t, fd, address, false, &u, &r);

	if (err == 0)
		err = sys_lock_as(t->p, fd, &r, NULL);
	return err == -E_INTR ? RESTART : err;
}

int64_t lock_get(struct task *t, int fd, uint64_t address, bool of_file)
{
	struct lock_request r = { .owner = of_file ? LOCK_OF_FILE : LOCK_OF_PROCESS,
				  .only_test = true };
	struct lock_found found = { .kind = LOCK_NONE };
	struct user_lock u;
	int64_t err = get_request(t, fd, address, true, &u, &r);

	if (err != 0)
		return err;
	if (r.kind == LOCK_NONE)
		return -E_INVAL;
	err = sys_lock_as(t->p, fd, &r, &found);
	if (err != 0 && err != -E_AGAIN)
		return err;
	if (err == 0)
		u.type = F_UNLCK_;
	else
		u = (struct user_lock){ .type = found.kind == LOCK_SHARED ? F_RDLCK_ : F_WRLCK_,
					.start = (int64_t)found.from,
					.len = (int64_t)found.len,
					.pid = found.pid };
	return put_user(t, address, &u, sizeof u);
}
