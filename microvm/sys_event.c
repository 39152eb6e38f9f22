/* SPDX-License-Identifier: MIT
 *
 * System calls of event loops: epoll, eventfd, pairs of sockets.
 */
#include "microvm/private.h"

enum {
	EVENTS_MAX = 1024,
	EFD_SEMAPHORE_ = 1,
	AF_UNIX_ = 1,
	SOCK_STREAM_ = 1,
	MSG_DONTWAIT_ = 0x40,
	MSG_NOSIGNAL_ = 0x4000,
	MESSAGE_MAX = 256 * 1024,
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

	if (a[3] != 0) {
		if (get_user(t, raw, a[3], sizeof raw) != 0)
			return -E_FAULT;
		memcpy(&e.events, raw, 4);
		memcpy(&e.data, raw + 4, 8);
	}
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
	n = sys_epoll_wait(t->p, (int)a[0], list, max, ns);
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

/* --- sockets --- */

int64_t call_socketpair(struct task *t, const uint64_t *a)
{
	int fds[2];
	int64_t r;

	if (a[0] != AF_UNIX_)
		return -E_AFNOSUPPORT;
	if ((a[1] & 15) != SOCK_STREAM_)
		return -E_PROTONOSUPPORT;
	r = sys_socketpair(t->p, fds, (unsigned)a[1]);
	if (r == 0)
		r = put_user(t, a[3], fds, sizeof fds);
	return r;
}

static int64_t if_socket(struct task *t, int fd)
{
	if (sys_get_cloexec(t->p, fd) < 0)
		return -E_BADF;
	return sys_is_socket(t->p, fd) ? 0 : -E_NOTSOCK;
}

/* MSG_DONTWAIT and MSG_NOSIGNAL hold for one call. */
static int64_t transfer(struct task *t, int fd, char *buf, size_t n, unsigned flags, bool out)
{
	struct proc *p = t->p;
	int64_t mode = sys_getfl(p, fd);
	uint8_t action = p->sig_action[SIGPIPE_];
	int64_t r = if_socket(t, fd);

	if (r != 0)
		return r;
	if ((flags & ~(unsigned)(MSG_DONTWAIT_ | MSG_NOSIGNAL_ | 0x40000000)) != 0)
		return -E_OPNOTSUPP;
	if ((flags & MSG_DONTWAIT_) != 0)
		sys_setfl(p, fd, (unsigned)mode | O_NONBLOCK_);
	if ((flags & MSG_NOSIGNAL_) != 0)
		p->sig_action[SIGPIPE_] = SIG_IGNORED;
	r = out ? sys_write(p, fd, buf, n) : sys_read(p, fd, buf, n);
	p->sig_action[SIGPIPE_] = action;
	if ((flags & MSG_DONTWAIT_) != 0)
		sys_setfl(p, fd, (unsigned)mode);
	return r == -E_INTR ? RESTART : r;
}

int64_t call_sendto(struct task *t, const uint64_t *a)
{
	size_t n = a[2] < MESSAGE_MAX ? (size_t)a[2] : MESSAGE_MAX;
	char *buf = call_memory(t, n + 1);

	if (a[4] != 0)
		return -E_ISCONN;
	if (get_user(t, buf, a[1], n) != 0)
		return -E_FAULT;
	return transfer(t, (int)a[0], buf, n, (unsigned)a[3], true);
}

int64_t call_recvfrom(struct task *t, const uint64_t *a)
{
	size_t n = a[2] < MESSAGE_MAX ? (size_t)a[2] : MESSAGE_MAX;
	char *buf = call_memory(t, n + 1);
	int64_t r = transfer(t, (int)a[0], buf, n, (unsigned)a[3], false);

	if (r > 0 && put_user(t, a[1], buf, (size_t)r) != 0)
		return -E_FAULT;
	return r;
}

struct message {
	uint64_t name, name_bytes, vector, count, control, control_bytes, flags;
};

struct part {
	uint64_t at, len;
};

static int64_t message_parts(struct task *t, const struct message *m, struct part **out)
{
	size_t total = 0;

	if (m->count > 1024)
		return -E_INVAL;
	*out = call_memory(t, (size_t)(m->count + 1) * sizeof **out);
	if (get_user(t, *out, m->vector, (size_t)m->count * sizeof **out) != 0)
		return -E_FAULT;
	for (uint64_t i = 0; i < m->count; i++)
		total += (*out)[i].len < MESSAGE_MAX - total ? (size_t)(*out)[i].len
							     : MESSAGE_MAX - total;
	return (int64_t)total;
}

int64_t call_sendmsg(struct task *t, const uint64_t *a)
{
	struct message m;
	struct part *parts;
	int64_t total;
	size_t done = 0;
	char *buf;

	if (get_user(t, &m, a[1], sizeof m) != 0)
		return -E_FAULT;
	total = message_parts(t, &m, &parts);
	if (total < 0 || m.control_bytes != 0)
		return total < 0 ? total : -E_OPNOTSUPP;
	buf = call_memory(t, (size_t)total + 1);
	for (uint64_t i = 0; i < m.count && done < (size_t)total; i++) {
		size_t n = parts[i].len < (size_t)total - done ? (size_t)parts[i].len
							       : (size_t)total - done;

		if (get_user(t, buf + done, parts[i].at, n) != 0)
			return -E_FAULT;
		done += n;
	}
	return transfer(t, (int)a[0], buf, done, (unsigned)a[2], true);
}

int64_t call_recvmsg(struct task *t, const uint64_t *a)
{
	struct message m;
	struct part *parts;
	int64_t total;
	size_t done = 0;
	char *buf;
	int64_t r;

	if (get_user(t, &m, a[1], sizeof m) != 0)
		return -E_FAULT;
	total = message_parts(t, &m, &parts);
	if (total < 0)
		return total;
	buf = call_memory(t, (size_t)total + 1);
	r = transfer(t, (int)a[0], buf, (size_t)total, (unsigned)a[2] & ~(unsigned)0x40000000,
		     false);
	for (uint64_t i = 0; i < m.count && r > 0 && done < (size_t)r; i++) {
		size_t n = parts[i].len < (size_t)r - done ? (size_t)parts[i].len
							   : (size_t)r - done;

		if (put_user(t, parts[i].at, buf + done, n) != 0)
			return -E_FAULT;
		done += n;
	}
	m.name_bytes = m.control_bytes = m.flags = 0;
	return r >= 0 && put_user(t, a[1], &m, sizeof m) != 0 ? -E_FAULT : r;
}

int64_t call_shutdown(struct task *t, const uint64_t *a)
{
	return sys_shutdown(t->p, (int)a[0], (int)a[1]);
}

int64_t call_setsockopt(struct task *t, const uint64_t *a)
{
	return if_socket(t, (int)a[0]);
}
