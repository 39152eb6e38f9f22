/* SPDX-License-Identifier: MIT
 *
 * Futexes. A word is named by its address in a space, or, in shared memory, by where the host
 * has its bytes.
 */
#include "microvm/private.h"

enum {
	WAIT = 0,
	WAKE = 1,
	REQUEUE = 3,
	CMP_REQUEUE = 4,
	WAKE_OP = 5,
	WAIT_BITSET = 9,
	WAKE_BITSET = 10,
	OP_MASK = 127,
	CLOCK_REALTIME_FLAG = 256,
	ANY = -1,
};

static int key_of(struct task *t, uint64_t address, struct futex_key *out)
{
	const struct area *a = space_area(t->space, address);
	const char *page;

	if ((address & 3) != 0)
		return -E_INVAL;
	if (a == NULL)
		return -E_FAULT;
	*out = (struct futex_key){ (uint64_t)(uintptr_t)t->space, address };
	if (a->object == NULL)
		return 0;
	page = space_page(t->p, t->space, address, PROT_READ_);
	if (page == NULL)
		return -E_FAULT;
	out->object = (uint64_t)(uintptr_t)page;
	out->at = address & PAGE_MASK_;
	return 0;
}

static int64_t wait_for(struct task *t, const uint64_t *a, uint32_t bits, bool absolute)
{
	struct futex_key key;
	int64_t until = 0;
	uint32_t value;
	int64_t r = a[3] != 0 ? get_timespec(t, a[3], &until) : 0;

	if (r == 0)
		r = key_of(t, a[0], &key);
	if (r != 0 || bits == 0)
		return r != 0 ? r : -E_INVAL;
	if (a[3] != 0 && !absolute)
		until = sys_now(t->p) + call_left(t, until);
	else if (a[3] != 0 && (a[1] & CLOCK_REALTIME_FLAG) == 0)
		until += sys_now(t->p) - sys_uptime(t->p);
	if (a[3] != 0 && until <= sys_now(t->p))
		until = 1; /* long ago */
	if (get_user(t, &value, a[0], sizeof value) != 0)
		return -E_FAULT;
	if (value != (uint32_t)a[2])
		return -E_AGAIN;
	r = sys_futex_wait(t->p, key, bits, until);
	return r == -E_INTR && a[3] == 0 ? RESTART : r;
}

int64_t futex_wake(struct task *t, uint64_t address, int64_t n)
{
	struct futex_key key;
	int r = key_of(t, address, &key);

	return r != 0 ? r : kernel_futex_wake(t->m->k, key, (uint32_t)ANY, n);
}

/* --- robust mutexes --- */

enum { ROBUST_MAX = 2048 };
#define FUTEX_WAITERS    0x80000000u
#define FUTEX_OWNER_DIED 0x40000000u
#define FUTEX_TID        0x3fffffffu

/* Memory of a thread that can't wait any more: what it has written is there. */
static char *present(struct task *t, uint64_t address, size_t n, unsigned want)
{
	const struct area *a = space_area(t->space, address);
	page_entry *slot = a != NULL && (a->prot & want) == want
				   ? page_slot(t->space, address, false)
				   : NULL;

	if (slot == NULL || !page_is_there(*slot) || (address & (n - 1)) != 0 ||
	    (want == PROT_WRITE_ && (*slot & PAGE_KIND) == PAGE_FILE))
		return NULL;
	return page_bytes(*slot) + (address & PAGE_MASK_);
}

static bool get_present(struct task *t, uint64_t address, uint64_t *out)
{
	const char *at = present(t, address, sizeof *out, PROT_READ_);

	if (at != NULL)
		memcpy(out, at, sizeof *out);
	return at != NULL;
}

/* The lock in a word is its owner's no more. `pending`: it may not have been taken yet, or have
 * been given back without a word to those who wait. */
static void robust_die(struct task *t, uint64_t address, bool pending)
{
	char *at = present(t, address, 4, PROT_WRITE_);
	uint32_t value;
	uint32_t dead;

	if (at == NULL)
		return;
	memcpy(&value, at, sizeof value);
	if (pending && value == 0)
		futex_wake(t, address, 1);
	if ((value & FUTEX_TID) != (uint32_t)t->p->pid)
		return;
	dead = (value & FUTEX_WAITERS) | FUTEX_OWNER_DIED;
	memcpy(at, &dead, sizeof dead);
	if ((value & FUTEX_WAITERS) != 0)
		futex_wake(t, address, 1);
}

void robust_leave(struct task *t)
{
	uint64_t head = t->robust_list;
	uint64_t at;
	uint64_t offset;
	uint64_t pending;

	t->robust_list = 0;
	if (head == 0 || head > USER_END || !get_present(t, head, &at) ||
	    !get_present(t, head + 8, &offset) || !get_present(t, head + 16, &pending))
		return;
	for (int i = 0; i < ROBUST_MAX && (at & ~(uint64_t)1) != head; i++) {
		uint64_t next;
		bool more = get_present(t, at & ~(uint64_t)1, &next);

		/* The lowest bit tells mutexes that inherit priority. */
		if ((at & ~(uint64_t)1) != (pending & ~(uint64_t)1))
			robust_die(t, (at & ~(uint64_t)1) + offset, false);
		if (!more)
			break;
		at = next;
	}
	if (pending != 0)
		robust_die(t, (pending & ~(uint64_t)1) + offset, true);
}

static int64_t requeue(struct task *t, const uint64_t *a, bool compare)
{
	struct futex_key from;
	struct futex_key to;
	uint32_t value;
	int64_t woken;
	int r = key_of(t, a[0], &from);

	if (r == 0)
		r = key_of(t, a[4], &to);
	if (r == 0 && compare && get_user(t, &value, a[0], sizeof value) != 0)
		r = -E_FAULT;
	if (r != 0)
		return r;
	if (compare && value != (uint32_t)a[5])
		return -E_AGAIN;
	woken = kernel_futex_wake(t->m->k, from, (uint32_t)ANY, (int)a[2]);
	return woken + kernel_futex_requeue(t->m->k, from, to, (int)a[3]);
}

static uint32_t operate(unsigned op, uint32_t old, uint32_t arg)
{
	switch (op & 7) {
	case 0: return arg;
	case 1: return old + arg;
	case 2: return old | arg;
	case 3: return old & ~arg;
	default: return old ^ arg;
	}
}

static bool compares(unsigned how, int32_t old, int32_t arg)
{
	switch (how) {
	case 0: return old == arg;
	case 1: return old != arg;
	case 2: return old < arg;
	case 3: return old <= arg;
	case 4: return old > arg;
	default: return old >= arg;
	}
}

static int64_t wake_op(struct task *t, const uint64_t *a)
{
	uint32_t code = (uint32_t)a[5];
	unsigned op = code >> 28;
	int32_t arg = (int32_t)(code << 8) >> 20;
	uint32_t old;
	uint32_t now;
	int64_t woken;

	if (get_user(t, &old, a[4], sizeof old) != 0)
		return -E_FAULT;
	now = operate(op, old, (op & 8) != 0 ? 1u << (arg & 31) : (uint32_t)arg);
	if (put_user(t, a[4], &now, sizeof now) != 0)
		return -E_FAULT;
	woken = futex_wake(t, a[0], (int)a[2]);
	if (woken >= 0 && compares(code >> 24 & 15, (int32_t)old, (int32_t)(code << 20) >> 20))
		woken += futex_wake(t, a[4], (int)a[3]);
	return woken;
}

int64_t call_futex(struct task *t, const uint64_t *a)
{
	struct futex_key key;
	int64_t r;

	switch (a[1] & OP_MASK) {
	case WAIT: return wait_for(t, a, (uint32_t)ANY, false);
	case WAIT_BITSET: return wait_for(t, a, (uint32_t)a[5], true);
	case WAKE: return futex_wake(t, a[0], (int)a[2]);
	case WAKE_BITSET:
		r = key_of(t, a[0], &key);
		return r != 0 ? r : kernel_futex_wake(t->m->k, key, (uint32_t)a[5], (int)a[2]);
	case REQUEUE: return requeue(t, a, false);
	case CMP_REQUEUE: return requeue(t, a, true);
	case WAKE_OP: return wake_op(t, a);
	default: return -E_NOSYS;
	}
}
