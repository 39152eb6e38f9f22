/* SPDX-License-Identifier: MIT
 *
 * System calls on what a process may do, and what prctl keeps of it.
 */
#include "microvm/private.h"

/* --- capabilities --- */

/* What a process may do: what its user may. Each as effective, permitted, inheritable. */
struct capabilities {
	uint32_t words[2][3];
};

static struct capabilities capabilities_of(const struct proc *p)
{
	const struct task *t = p->release == task_release ? p->task : NULL;
	uint32_t root = p->cred.uid == 0 ? 0xffffffff : 0;
	uint32_t now = root | (t != NULL ? t->raised : 0);
	uint32_t can = root != 0 || (t != NULL && (t->keeps_caps || t->kept_caps)) ? 0xffffffff : 0;

	return (struct capabilities){ { { now, can, 0 }, { root & 0x1ff, can & 0x1ff, 0 } } };
}

bool task_is_capable(const struct task *t, int capability)
{
	return t->p->cred.uid == 0 || (t->raised >> capability & 1) != 0;
}

/* Whether what the process may survives that it becomes another user. */
static int64_t keep_capabilities(struct task *t, uint64_t keep)
{
	bool root = t->p->cred.uid == 0;

	if (keep > 1)
		return -E_INVAL;
	t->kept_caps |= t->keeps_caps && !root;
	t->keeps_caps = keep != 0 && (root || t->kept_caps);
	return 0;
}

/* The version of what a program asks with, and of which process. */
static int64_t check_capabilities(struct task *t, uint64_t address)
{
	uint32_t head[2];

	if (get_user(t, head, address, sizeof head) != 0)
		return -E_FAULT;
	if ((int32_t)head[1] < 0)
		return -E_INVAL;
	if (head[0] == 0x20080522 || head[0] == 0x20071026)
		return head[1] == 0 || proc_find(t->m->k, (int)head[1]) != NULL ? (int64_t)head[1]
										: -E_SRCH;
	head[0] = 0x20080522;
	return put_user(t, address, head, 4) != 0 ? -E_FAULT : -E_INVAL;
}

int64_t call_capget(struct task *t, const uint64_t *a)
{
	struct capabilities c;
	int64_t pid = check_capabilities(t, a[0]);

	if (pid < 0)
		return pid == -E_INVAL && a[1] == 0 ? 0 : pid;
	c = capabilities_of(pid == 0 ? t->p : proc_find(t->m->k, (int)pid));
	return a[1] != 0 ? put_user(t, a[1], &c, sizeof c) : 0;
}

/* Nobody gets more than it has; what is given up goes with the user alone. Who has kept what it had
 * may use it again to become others. */
int64_t call_capset(struct task *t, const uint64_t *a)
{
	const struct capabilities have = capabilities_of(t->p);
	struct capabilities want;
	int64_t pid = check_capabilities(t, a[0]);

	if (pid < 0)
		return pid;
	if (pid != 0 && pid != t->p->pid)
		return -E_PERM;
	if (get_user(t, &want, a[1], sizeof want) != 0)
		return -E_FAULT;
	for (int i = 0; i < 2; i++)
		if ((want.words[i][1] & ~have.words[i][1]) != 0 ||
		    (want.words[i][0] & ~want.words[i][1]) != 0)
			return -E_PERM;
	t->raised = t->p->cred.uid != 0 ? want.words[0][0] : 0;
	if (t->p->cred.uid != 0) {
		t->kept_caps = (want.words[0][1] | want.words[1][1]) != 0;
		t->keeps_caps = false;
	}
	return 0;
}

/* --- prctl --- */

enum {
	PR_SET_PDEATHSIG = 1,
	PR_GET_PDEATHSIG = 2,
	PR_GET_DUMPABLE = 3,
	PR_SET_DUMPABLE = 4,
	PR_GET_KEEPCAPS = 7,
	PR_SET_KEEPCAPS = 8,
	PR_SET_NAME = 15,
	PR_GET_NAME = 16,
	PR_GET_SECCOMP = 21,
	PR_CAPBSET_READ = 23,
	PR_CAPBSET_DROP = 24,
	PR_GET_SECUREBITS = 27,
	PR_SET_TIMERSLACK = 29,
	PR_GET_TIMERSLACK = 30,
	PR_SET_CHILD_SUBREAPER = 36,
	PR_GET_CHILD_SUBREAPER = 37,
	PR_SET_NO_NEW_PRIVS = 38,
	PR_GET_NO_NEW_PRIVS = 39,
	PR_SET_VMA = 0x53564d41,
	CAP_LAST = 40,
};

static int64_t set_name(struct task *t, uint64_t address)
{
	char name[16] = "";

	for (size_t i = 0; i < sizeof name - 1; i++)
		if (get_user(t, name + i, address + i, 1) != 0)
			return -E_FAULT;
		else if (name[i] == '\0')
			break;
	name[15] = '\0';
	proc_rename(t->p, name);
	return 0;
}

static int64_t get_name(struct task *t, uint64_t address)
{
	char name[16] = "";

	memcpy(name, t->p->name, strlen(t->p->name) + 1);
	return put_user(t, address, name, sizeof name);
}

static int64_t put_number(struct task *t, uint64_t address, int value)
{
	return put_user(t, address, &value, sizeof value);
}

static int64_t drop_from_bounds(const struct task *t, uint64_t capability)
{
	if (t->p->cred.uid != 0)
		return -E_PERM;
	return capability > CAP_LAST ? -E_INVAL : 0;
}

static int64_t set_dumpable(struct task *t, uint64_t value)
{
	if (value > 1)
		return -E_INVAL;
	proc_owner_of(t->p)->traits.hidden = value == 0;
	return 0;
}

/* 0 nanoseconds: what the thread had at its beginning. Timers here have none. */
static int64_t set_slack(struct task *t, uint64_t ns)
{
	struct proc_traits *of = &t->p->traits;

	of->slack_ns = ns != 0 ? ns : of->usual_slack_ns;
	return 0;
}

int64_t call_prctl(struct task *t, const uint64_t *a)
{
	struct proc_traits *own = &t->p->traits;
	struct proc_traits *all = &proc_owner_of(t->p)->traits;
	bool more = a[2] != 0 || a[3] != 0 || a[4] != 0;

	switch ((int)a[0]) {
	case PR_SET_NAME: return set_name(t, a[1]);
	case PR_GET_NAME: return get_name(t, a[1]);
	case PR_SET_PDEATHSIG:
		if (a[1] >= SIG_COUNT)
			return -E_INVAL;
		own->death_signal = (uint8_t)a[1];
		return 0;
	case PR_GET_PDEATHSIG: return put_number(t, a[1], own->death_signal);
	case PR_SET_DUMPABLE: return set_dumpable(t, a[1]);
	case PR_GET_DUMPABLE: return !all->hidden;
	case PR_SET_CHILD_SUBREAPER: all->subreaper = a[1] != 0; return 0;
	case PR_GET_CHILD_SUBREAPER: return put_number(t, a[1], all->subreaper);
	case PR_SET_NO_NEW_PRIVS:
		if (a[1] != 1 || more)
			return -E_INVAL;
		own->no_new_privs = true;
		return 0;
	case PR_GET_NO_NEW_PRIVS: return a[1] != 0 || more ? -E_INVAL : own->no_new_privs;
	case PR_SET_TIMERSLACK: return set_slack(t, a[1]);
	case PR_GET_TIMERSLACK: return (int64_t)own->slack_ns;
	case PR_GET_SECCOMP:
	case PR_GET_SECUREBITS: return 0;
	case PR_CAPBSET_READ: return a[1] > CAP_LAST ? -E_INVAL : 1;
	case PR_CAPBSET_DROP: return drop_from_bounds(t, a[1]);
	case PR_SET_KEEPCAPS: return keep_capabilities(t, a[1]);
	case PR_GET_KEEPCAPS: return t->keeps_caps;
	case PR_SET_VMA: return 0;
	default: return -E_INVAL;
	}
}
