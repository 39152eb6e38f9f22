/* SPDX-License-Identifier: MIT
 *
 * System calls that send and receive through sockets.
 */
#include "microvm/private.h"

enum {
	MSG_OOB_ = 1,
	MSG_NOSIGNAL_ = 0x4000,
	MESSAGE_MAX = 256 * 1024,
	VECTOR_MAX = 1024,
	MESSAGES_MAX = 1024,
	CONTROL_MAX = 20480,
	CONTROL_HEAD = 16,
	SOL_SOCKET_ = 1,
	SCM_RIGHTS_ = 1,
	MMSG_BYTES = 64,
};

/* struct msghdr */
struct header {
	uint64_t name;
	uint32_t name_bytes;
	uint32_t pad;
	uint64_t vector;
	uint64_t count;
	uint64_t control;
	uint64_t control_bytes;
	uint32_t flags;
	uint32_t pad2;
};

struct part {
	uint64_t at;
	uint64_t len;
};

static int64_t again(int64_t r)
{
	return r == -E_INTR ? RESTART : r;
}

/* --- sending --- */

static int64_t send_message(struct task *t, int fd, const char *buf, size_t n,
			    struct socket_message *m)
{
	struct proc *p = t->p;
	uint8_t action = p->sig_action[SIGPIPE_];
	size_t before = t->done < n ? (size_t)t->done : n;
	int64_t r;

	if (interface_is_asked(t, fd))
		return interface_ask(t, fd, buf, n);
	if ((m->flags & MSG_OOB_) != 0)
		return -E_OPNOTSUPP;
	if ((m->flags & MSG_NOSIGNAL_) != 0)
		p->sig_action[SIGPIPE_] = SIG_IGNORED;
	if (before != 0)
		m->nfds = 0; /* they went with the first byte */
	r = sys_sendmsg(p, fd, buf + before, n - before, m);
	p->sig_action[SIGPIPE_] = action;
	if (r >= 0 || before != 0)
		return (int64_t)before + (r >= 0 ? r : 0);
	return r == -E_NETUNREACH ? r : again(r);
}

int64_t call_sendto(struct task *t, const uint64_t *a)
{
	size_t n = a[2] < MESSAGE_MAX ? (size_t)a[2] : MESSAGE_MAX;
	struct socket_message *m = call_memory(t, sizeof *m);
	char *buf = call_memory(t, n + 1);
	int64_t r = 0;

	*m = (struct socket_message){ .flags = (unsigned)a[3] };
	if (a[4] != 0)
		r = socket_get_name(t, a[4], a[5], &m->name);
	if (r != 0)
		return r;
	if (get_user(t, buf, a[1], n) != 0)
		return -E_FAULT;
	return send_message(t, (int)a[0], buf, n, m);
}

/* The descriptors of a control message. */
static int64_t get_rights(struct task *t, const struct header *h, struct socket_message *m)
{
	size_t room = (size_t)h->control_bytes;
	char *raw;

	if (h->control_bytes > CONTROL_MAX)
		return -E_NOBUFS;
	raw = call_memory(t, room + 1);
	if (get_user(t, raw, h->control, room) != 0)
		return -E_FAULT;
	m->fds = call_memory(t, SOCKET_FDS_MAX * sizeof *m->fds);
	for (size_t at = 0; room - at >= CONTROL_HEAD;) {
		uint64_t len;
		int32_t what[2];
		size_t n;

		memcpy(&len, raw + at, sizeof len);
		memcpy(what, raw + at + 8, sizeof what);
		if (len < CONTROL_HEAD || len > room - at)
			return -E_INVAL;
		n = ((size_t)len - CONTROL_HEAD) / sizeof *m->fds;
		if (what[0] == SOL_SOCKET_ && what[1] != SCM_RIGHTS_)
			return what[1] == 2 ? -E_OPNOTSUPP : -E_INVAL;
		if (what[0] == SOL_SOCKET_) {
			if (n > (size_t)(SOCKET_FDS_MAX - m->nfds))
				return -E_INVAL;
			memcpy(m->fds + m->nfds, raw + at + CONTROL_HEAD, n * sizeof *m->fds);
			m->nfds += (int)n;
		}
		at += ((size_t)len + 7) & ~(size_t)7;
		if (at > room)
			break;
	}
	return 0;
}

static int64_t get_parts(struct task *t, const struct header *h, struct part **out)
{
	size_t total = 0;

	if (h->count > VECTOR_MAX)
		return -E_MSGSIZE;
	*out = call_memory(t, (size_t)(h->count + 1) * sizeof **out);
	if (get_user(t, *out, h->vector, (size_t)h->count * sizeof **out) != 0)
		return -E_FAULT;
	for (uint64_t i = 0; i < h->count; i++) {
		struct part *p = *out + i;

		if ((int64_t)p->len < 0)
			return -E_INVAL;
		if (p->len > MESSAGE_MAX - total)
			p->len = MESSAGE_MAX - total;
		total += (size_t)p->len;
	}
	return (int64_t)total;
}

static int64_t gather(struct task *t, const struct header *h, const struct part *parts, char *buf)
{
	for (uint64_t i = 0; i < h->count; i++) {
		if (get_user(t, buf, parts[i].at, (size_t)parts[i].len) != 0)
			return -E_FAULT;
		buf += parts[i].len;
	}
	return 0;
}

/* The header at address, its parts, and a buffer for all of them: how long that is. */
static int64_t get_header(struct task *t, uint64_t address, struct header *h, struct part **parts,
			  char **buf)
{
	int64_t total;

	if (get_user(t, h, address, sizeof *h) != 0)
		return -E_FAULT;
	total = get_parts(t, h, parts);
	if (total >= 0)
		*buf = call_memory(t, (size_t)total + 1);
	return total;
}

static int64_t send_header(struct task *t, int fd, uint64_t address, unsigned flags)
{
	struct socket_message *m = call_memory(t, sizeof *m);
	struct header h;
	struct part *parts;
	int64_t total;
	int64_t r = 0;
	char *buf;

	*m = (struct socket_message){ .flags = flags };
	total = get_header(t, address, &h, &parts, &buf);
	if (total < 0)
		return total;
	r = gather(t, &h, parts, buf);
	if (r == 0 && h.name != 0 && h.name_bytes != 0)
		r = socket_get_name(t, h.name, h.name_bytes, &m->name);
	if (r == 0 && h.control != 0 && h.control_bytes != 0)
		r = get_rights(t, &h, m);
	return r != 0 ? r : send_message(t, fd, buf, (size_t)total, m);
}

int64_t call_sendmsg(struct task *t, const uint64_t *a)
{
	return send_header(t, (int)a[0], a[1], (unsigned)a[2]);
}

/* --- receiving --- */

static int64_t receive(struct task *t, int fd, char *buf, size_t n, struct socket_message *m)
{
	if ((m->flags & MSG_OOB_) != 0)
		return -E_INVAL;
	return again(sys_recvmsg(t->p, fd, buf, n, m));
}

/* Part by part, as they come: each is in the program's memory before it waits for the next. */
static int64_t receive_all(struct task *t, const uint64_t *a, size_t n, char *buf)
{
	struct socket_message *m = call_memory(t, sizeof *m);
	int64_t r = 1;

	while (t->done < n && r > 0) {
		*m = (struct socket_message){ .flags = (unsigned)a[3] &
						       ~(unsigned)SOCKET_WAIT_ALL };
		r = receive(t, (int)a[0], buf, n - (size_t)t->done, m);
		if (r > 0 && put_user(t, a[1] + t->done, buf, (size_t)r) != 0)
			return -E_FAULT;
		t->done += r > 0 ? (uint64_t)r : 0;
	}
	return t->done != 0 ? (int64_t)t->done : r;
}

int64_t call_recvfrom(struct task *t, const uint64_t *a)
{
	size_t n = a[2] < MESSAGE_MAX ? (size_t)a[2] : MESSAGE_MAX;
	struct socket_message *m = call_memory(t, sizeof *m);
	char *buf = call_memory(t, n + 1);
	int64_t r;

	*m = (struct socket_message){ .flags = (unsigned)a[3] };
	if ((m->flags & SOCKET_WAIT_ALL) != 0 && (m->flags & SOCKET_PEEK) == 0 &&
	    sys_socket_type(t->p, (int)a[0]) == SOCKET_STREAM)
		return receive_all(t, a, n, buf);
	r = receive(t, (int)a[0], buf, n, m);
	if (r > 0 && put_user(t, a[1], buf, (size_t)r < n ? (size_t)r : n) != 0)
		return -E_FAULT;
	if (r >= 0 && a[4] != 0) {
		int64_t err = socket_put_name(t, &m->name, a[4], a[5]);

		return err != 0 ? err : r;
	}
	return r;
}

static int64_t scatter(struct task *t, const struct header *h, const struct part *parts,
		       const char *buf, size_t n)
{
	for (uint64_t i = 0; i < h->count && n > 0; i++) {
		size_t part = parts[i].len < n ? (size_t)parts[i].len : n;

		if (put_user(t, parts[i].at, buf, part) != 0)
			return -E_FAULT;
		buf += part;
		n -= part;
	}
	return 0;
}

/* The descriptors that came, as a control message; what of its room is used. */
static int64_t put_rights(struct task *t, struct header *h, const struct socket_message *m)
{
	uint64_t len = CONTROL_HEAD + (uint64_t)m->nfds * sizeof *m->fds;
	int32_t what[2] = { SOL_SOCKET_, SCM_RIGHTS_ };
	uint64_t room = h->control_bytes;

	h->control_bytes = 0;
	if (m->nfds == 0)
		return 0;
	if (put_user(t, h->control, &len, sizeof len) != 0 ||
	    put_user(t, h->control + 8, what, sizeof what) != 0 ||
	    put_user(t, h->control + CONTROL_HEAD, m->fds, (size_t)m->nfds * sizeof *m->fds) != 0)
		return -E_FAULT;
	h->control_bytes = (len + 7) & ~(uint64_t)7;
	if (h->control_bytes > room)
		h->control_bytes = room;
	return 0;
}

static void make_room(struct task *t, const struct header *h, struct socket_message *m)
{
	uint64_t room = h->control != 0 && h->control_bytes > CONTROL_HEAD
				? (h->control_bytes - CONTROL_HEAD) / sizeof *m->fds
				: 0;

	m->room = room < SOCKET_FDS_MAX ? (int)room : SOCKET_FDS_MAX;
	m->fds = call_memory(t, ((size_t)m->room + 1) * sizeof *m->fds);
}

static int64_t receive_header(struct task *t, int fd, uint64_t address, unsigned flags)
{
	struct socket_message *m = call_memory(t, sizeof *m);
	struct header h;
	struct part *parts;
	int64_t total;
	int64_t r;
	int64_t err;
	char *buf;

	*m = (struct socket_message){ .flags = flags };
	total = get_header(t, address, &h, &parts, &buf);
	if (total < 0)
		return total;
	make_room(t, &h, m);
	r = receive(t, fd, buf, (size_t)total, m);
	if (r < 0)
		return r;
	err = scatter(t, &h, parts, buf, r < total ? (size_t)r : (size_t)total);
	if (err == 0 && h.name != 0)
		h.name_bytes = socket_put_raw(t, &m->name, h.name, h.name_bytes, &err);
	else
		h.name_bytes = 0;
	if (err == 0)
		err = put_rights(t, &h, m);
	h.flags = m->told | (flags & SOCKET_CLOEXEC);
	if (err == 0 && put_user(t, address, &h, sizeof h) != 0)
		err = -E_FAULT;
	return err != 0 ? err : r;
}

int64_t call_recvmsg(struct task *t, const uint64_t *a)
{
	return receive_header(t, (int)a[0], a[1], (unsigned)a[2]);
}

/* --- many at once --- */

int64_t call_sendmmsg(struct task *t, const uint64_t *a)
{
	uint64_t n = a[2] < MESSAGES_MAX ? a[2] : MESSAGES_MAX;

	for (uint64_t i = 0; i < n; i++) {
		int64_t r = send_header(t, (int)a[0], a[1] + i * MMSG_BYTES, (unsigned)a[3]);
		uint32_t len = (uint32_t)r;

		if (r < 0)
			return i != 0 ? (int64_t)i : r;
		if (put_user(t, a[1] + i * MMSG_BYTES + sizeof(struct header), &len, 4) != 0)
			return -E_FAULT;
		t->parted = true;
	}
	return (int64_t)n;
}

int64_t call_recvmmsg(struct task *t, const uint64_t *a)
{
	uint64_t n = a[2] < MESSAGES_MAX ? a[2] : MESSAGES_MAX;
	unsigned flags = (unsigned)a[3];
	bool one = (flags & 0x10000) != 0; /* MSG_WAITFORONE */
	int64_t until = 0;

	if (a[4] != 0 && get_timespec(t, a[4], &until) != 0)
		return -E_INVAL;
	until += sys_now(t->p);
	for (uint64_t i = 0; i < n; i++) {
		int64_t r = receive_header(t, (int)a[0], a[1] + i * MMSG_BYTES, flags);
		uint32_t len = (uint32_t)r;

		if (r < 0)
			return i != 0 ? (int64_t)i : r;
		if (put_user(t, a[1] + i * MMSG_BYTES + sizeof(struct header), &len, 4) != 0)
			return -E_FAULT;
		t->parted = true;
		if (one)
			flags |= SOCKET_NO_WAIT;
		if (a[4] != 0 && sys_now(t->p) >= until)
			return (int64_t)i + 1;
	}
	return (int64_t)n;
}
