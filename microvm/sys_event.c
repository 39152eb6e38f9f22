/* SPDX-License-Identifier: MIT
 *
 * System calls of event loops: epoll, eventfd and inotify.
 */
#include "microvm/private.h"

enum {
	EVENTS_MAX = 1024,
	EFD_SEMAPHORE_ = 1,
	EPOLL_DEL = 2,
};

int64_t call_eventfd2(struct task *t, const uint64_t *a)
{
	unsigned flags = (unsigned)a[1];

	if ((flags & ~(unsigned)(EFD_SEMAPHORE_ | O_NONBLOCK_ | O_CLOEXEC_)) != 0)
		return -E_INVAL;
	return sys_eventfd(t->p, (uint32_t)a[0], (flags & EFD_SEMAPHORE_) != 0, flags);
}

int64_t call_eventfd(struct task *t, const uint64_t *a)
{
	return sys_eventfd(t->p, (uint32_t)a[0], false, 0);
}

int64_t call_epoll_create1(struct task *t, const uint64_t *a)
{
	return (a[0] & ~(uint64_t)O_CLOEXEC_) != 0 ? -E_INVAL : sys_epoll(t->p, a[0] != 0);
}

int64_t call_epoll_create(struct task *t, const uint64_t *a)
{
	return (int)a[0] <= 0 ? -E_INVAL : sys_epoll(t->p, false);
}

/* Packed to 12 bytes in programs. */
int64_t call_epoll_ctl(struct task *t, const uint64_t *a)
{
	struct epoll_event_ e = { 0, 0 };
	char raw[12] = "";

	if ((int)a[1] != EPOLL_DEL && get_user(t, raw, a[3], sizeof raw) != 0)
		return -E_FAULT;
	memcpy(&e.events, raw, 4);
	memcpy(&e.data, raw + 4, 8);
	return sys_epoll_ctl(t->p, (int)a[0], (int)a[1], (int)a[2], &e);
}

static int64_t epoll_wait_ns(struct task *t, const uint64_t *a, int64_t ns)
{
	int max = (int)a[2] < EVENTS_MAX ? (int)a[2] : EVENTS_MAX;
	struct epoll_event_ *list;
	int64_t n;

	if (max <= 0)
		return -E_INVAL;
	list = call_memory(t, (size_t)max * sizeof *list);
	n = sys_epoll_wait(t->p, (int)a[0], list, max, call_left(t, ns));
	for (int64_t i = 0; i < n; i++) {
		char raw[12];

		memcpy(raw, &list[i].events, 4);
		memcpy(raw + 4, &list[i].data, 8);
		if (put_user(t, a[1] + (uint64_t)i * sizeof raw, raw, sizeof raw) != 0)
			return -E_FAULT;
	}
	return n;
}

int64_t call_epoll_wait(struct task *t, const uint64_t *a)
{
	int64_t ms = (int)a[3];

	return epoll_wait_ns(t, a, ms < 0 ? -1 : ms * 1000000);
}

int64_t call_epoll_pwait(struct task *t, const uint64_t *a)
{
	int64_t r = signal_mask_for_call(t, a[4]);

	return r != 0 ? r : call_epoll_wait(t, a);
}

int64_t call_epoll_pwait2(struct task *t, const uint64_t *a)
{
	int64_t ns = -1;
	int64_t r = a[3] != 0 ? get_timespec(t, a[3], &ns) : 0;

	if (r == 0)
		r = signal_mask_for_call(t, a[4]);
	return r != 0 ? r : epoll_wait_ns(t, a, ns);
}

int64_t call_inotify_init1(struct task *t, const uint64_t *a)
{
	unsigned flags = (unsigned)a[0];

	if ((flags & ~(unsigned)(O_NONBLOCK_ | O_CLOEXEC_)) != 0)
		return -E_INVAL;
	return sys_inotify(t->p, flags);
}

int64_t call_inotify_init(struct task *t, const uint64_t *a)
{
	(void)a;
	return sys_inotify(t->p, 0);
}

int64_t call_inotify_add_watch(struct task *t, const uint64_t *a)
{
	char *path;
	int r = get_path(t, a[1], &path);

	return r != 0 ? r : sys_inotify_add(t->p, (int)a[0], path, (uint32_t)a[2]);
}

int64_t call_inotify_rm_watch(struct task *t, const uint64_t *a)
{
	return sys_inotify_remove(t->p, (int)a[0], (int)a[1]);
}
