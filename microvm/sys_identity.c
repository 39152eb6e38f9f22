/* SPDX-License-Identifier: MIT
 *
 * System calls on who a process is: real, effective and saved users and groups. The effective one
 * is the kernel's credential; the other two only say what it may become again.
 */
#include "microvm/private.h"

struct identity {
	uint32_t *real;
	uint32_t *effective;
	uint32_t *saved;
	bool root;
};

static struct identity user(struct task *t)
{
	struct proc *p = t->p;

	return (struct identity){ &p->real_uid, &p->cred.uid, &p->saved_uid,
				  task_is_capable(t, CAP_SETUID_) };
}

static struct identity group(struct task *t)
{
	struct proc *p = t->p;

	return (struct identity){ &p->real_gid, &p->cred.gid, &p->saved_gid,
				  task_is_capable(t, CAP_SETGID_) };
}

static bool may_be(const struct identity *i, uint64_t id)
{
	uint32_t to = (uint32_t)id;

	return to == VFS_KEEP_ID || i->root || to == *i->real || to == *i->effective ||
	       to == *i->saved;
}

static void become(uint32_t *id, uint64_t to)
{
	if ((uint32_t)to != VFS_KEEP_ID)
		*id = (uint32_t)to;
}

static int64_t set_one(struct identity i, const uint64_t *a)
{
	uint64_t to = a[0];

	if ((uint32_t)to == VFS_KEEP_ID)
		return -E_INVAL;
	if (!i.root && (uint32_t)to != *i.real && (uint32_t)to != *i.saved)
		return -E_PERM;
	if (i.root)
		*i.real = *i.saved = (uint32_t)to;
	*i.effective = (uint32_t)to;
	return 0;
}

static int64_t set_two(struct identity i, const uint64_t *a)
{
	uint32_t was = *i.real;

	if ((!i.root && (uint32_t)a[0] == *i.saved && (uint32_t)a[0] != *i.real &&
	     (uint32_t)a[0] != *i.effective) ||
	    !may_be(&i, a[0]) || !may_be(&i, a[1]))
		return -E_PERM;
	become(i.real, a[0]);
	become(i.effective, a[1]);
	if ((uint32_t)a[0] != VFS_KEEP_ID ||
	    ((uint32_t)a[1] != VFS_KEEP_ID && (uint32_t)a[1] != was))
		*i.saved = *i.effective;
	return 0;
}

static int64_t set_three(struct identity i, const uint64_t *a)
{
	if (!may_be(&i, a[0]) || !may_be(&i, a[1]) || !may_be(&i, a[2]))
		return -E_PERM;
	become(i.real, a[0]);
	become(i.effective, a[1]);
	become(i.saved, a[2]);
	return 0;
}

static int64_t get_three(struct task *t, struct identity i, const uint64_t *a)
{
	if (put_user(t, a[0], i.real, sizeof *i.real) != 0 ||
	    put_user(t, a[1], i.effective, sizeof *i.effective) != 0 ||
	    put_user(t, a[2], i.saved, sizeof *i.saved) != 0)
		return -E_FAULT;
	return 0;
}

int64_t call_getuid(struct task *t, const uint64_t *a)
{
	(void)a;
	return t->p->real_uid;
}

int64_t call_geteuid(struct task *t, const uint64_t *a)
{
	(void)a;
	return t->p->cred.uid;
}

int64_t call_getgid(struct task *t, const uint64_t *a)
{
	(void)a;
	return t->p->real_gid;
}

int64_t call_getegid(struct task *t, const uint64_t *a)
{
	(void)a;
	return t->p->cred.gid;
}

int64_t call_getresuid(struct task *t, const uint64_t *a)
{
	return get_three(t, user(t), a);
}

int64_t call_getresgid(struct task *t, const uint64_t *a)
{
	return get_three(t, group(t), a);
}

/* Who acts as somebody else now is not told of its parent's end any more, and only root looks into
 * it. */
static int64_t change(struct task *t, struct identity i, const uint64_t *a,
		      int64_t (*set)(struct identity i, const uint64_t *a))
{
	struct proc *p = t->p;
	uint32_t uid = p->cred.uid;
	uint32_t gid = p->cred.gid;
	int64_t r = set(i, a);

	if (p->cred.uid != uid || p->cred.gid != gid) {
		p->traits.death_signal = 0;
		proc_owner_of(p)->traits.hidden = true;
	}
	return r;
}

int64_t call_setuid(struct task *t, const uint64_t *a)
{
	return change(t, user(t), a, set_one);
}

int64_t call_setgid(struct task *t, const uint64_t *a)
{
	return change(t, group(t), a, set_one);
}

int64_t call_setreuid(struct task *t, const uint64_t *a)
{
	return change(t, user(t), a, set_two);
}

int64_t call_setregid(struct task *t, const uint64_t *a)
{
	return change(t, group(t), a, set_two);
}

int64_t call_setresuid(struct task *t, const uint64_t *a)
{
	return change(t, user(t), a, set_three);
}

int64_t call_setresgid(struct task *t, const uint64_t *a)
{
	return change(t, group(t), a, set_three);
}
