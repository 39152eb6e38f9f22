/* SPDX-License-Identifier: MIT
 *
 * Waiting for something that has only a name: two numbers. What they mean is the callers' affair
 * (an address in an address space, an object). The value is looked at by the caller, and
 * nothing else runs between that look and the wait.
 */
#include "kernel/internal.h"

static struct waitq *queue_of(struct kernel *k, struct futex_key key)
{
	uint64_t h = (key.object ^ key.at * 0x9e3779b97f4a7c15u) >> 7;

	return &k->futex[(h ^ h >> 13) % FUTEX_BUCKETS];
}

static bool same_key(const struct proc *p, struct futex_key key)
{
	return p->priv->futex.object == key.object && p->priv->futex.at == key.at;
}

int64_t sys_futex_wait(struct proc *p, struct futex_key key, uint32_t bits, int64_t until_ns)
{
	p->priv->futex = key;
	p->priv->futex_bits = bits;
	return sched_block(p, queue_of(p->k, key), until_ns < 1 ? TIMER_NEVER : until_ns);
}

int64_t kernel_futex_wake(struct kernel *k, struct futex_key key, uint32_t bits, int64_t n)
{
	struct proc *p = queue_of(k, key)->first;
	int64_t woken = 0;

	while (p != NULL && woken < n) {
		struct proc *next = p->priv->wq_next;

		if (same_key(p, key) && (p->priv->futex_bits & bits) != 0) {
			sched_wake(p, 0);
			woken++;
		}
		p = next;
	}
	return woken;
}

int64_t kernel_futex_requeue(struct kernel *k, struct futex_key from, struct futex_key to,
			     int64_t n)
{
	struct proc *p = queue_of(k, from)->first;
	bool same = from.object == to.object && from.at == to.at;
	int64_t moved = 0;

	while (p != NULL && moved < n) {
		struct proc *next = p->priv->wq_next;

		if (same_key(p, from)) {
			p->priv->futex = to;
			/* Behind those that wait there, also where both names share a queue: which
			 * do depends on addresses. */
			if (!same)
				sched_requeue(p, queue_of(k, to));
			moved++;
		}
		p = next;
	}
	return moved;
}
