/* SPDX-License-Identifier: MIT
 *
 * What programs ask about network interfaces: NETLINK_ROUTE sockets and ioctl. There is the
 * loopback interface alone, with its two addresses, and nothing can be changed. An answer is put
 * into the queue of the socket that asked.
 */
#include "microvm/private.h"

enum {
	ASK_DUMP = 0x300,
	ANSWER_MULTI = 2,
	TYPE_ERROR = 2,
	TYPE_DONE = 3,
	NEW_LINK = 16,
	GET_LINK = 18,
	NEW_ADDRESS = 20,
	GET_ADDRESS = 22,
	GET_ROUTE = 26,
	HEAD_BYTES = 16,
	LINK_BYTES = 16, /* struct ifinfomsg */
	INDEX = 1,
	MTU = 65536,
	QUEUE = 1000,
	TYPE_LOOPBACK = 772,
	FLAGS_ALL = 0x10049, /* up, loopback, running, lower layer up */
	SCOPE_HOST = 254,
	PERMANENT = 0x80,
	ANSWER_MAX = 512,
	ASK_MAX = 4096,
};

static const char name[] = "lo";

/* --- answers --- */

struct answer {
	char bytes[ANSWER_MAX];
	uint32_t len;
};

static void put(struct answer *a, const void *data, uint32_t n)
{
	memcpy(a->bytes + a->len, data, n);
	a->len += n;
}

static void put_attribute(struct answer *a, uint16_t type, const void *data, uint16_t n)
{
	const uint16_t head[2] = { (uint16_t)(n + 4), type };

	put(a, head, sizeof head);
	put(a, data, n);
	a->len = (a->len + 3) & ~3u;
}

static void put_attribute32(struct answer *a, uint16_t type, uint32_t value)
{
	put_attribute(a, type, &value, sizeof value);
}

/* An answer to what was asked with this number; its length follows. */
static void begin(struct answer *a, uint16_t type, uint16_t flags, uint32_t number, int pid)
{
	const uint32_t rest[2] = { number, (uint32_t)pid };

	*a = (struct answer){ .len = 4 };
	put(a, &type, sizeof type);
	put(a, &flags, sizeof flags);
	put(a, rest, sizeof rest);
}

static int64_t send(struct task *t, int fd, struct answer *a)
{
	memcpy(a->bytes, &a->len, sizeof a->len);
	return sys_socket_feed(t->p, fd, a->bytes, a->len);
}

static void put_link(struct answer *a)
{
	const uint8_t none[6] = { 0 };
	const uint8_t state = 0;
	const uint16_t head[2] = { 0, TYPE_LOOPBACK };
	const uint32_t rest[3] = { INDEX, FLAGS_ALL, 0 };

	put(a, head, sizeof head);
	put(a, rest, sizeof rest);
	put_attribute(a, 3, name, sizeof name);
	put_attribute32(a, 13, QUEUE);
	put_attribute(a, 16, &state, 1);
	put_attribute(a, 17, &state, 1);
	put_attribute32(a, 4, MTU);
	put_attribute(a, 6, "noqueue", 8);
	put_attribute(a, 1, none, sizeof none);
	put_attribute(a, 2, none, sizeof none);
}

static void put_address(struct answer *a, uint8_t family)
{
	const uint8_t v4[4] = { 127, 0, 0, 1 };
	const uint8_t v6[16] = { [15] = 1 };
	const uint32_t life[4] = { UINT32_MAX, UINT32_MAX, 0, 0 };
	const uint32_t index = INDEX;
	bool old = family == SOCKET_INET;
	const uint8_t head[4] = { family, old ? 8 : 128, PERMANENT, SCOPE_HOST };

	put(a, head, sizeof head);
	put(a, &index, sizeof index);
	put_attribute(a, 1, old ? v4 : v6, old ? sizeof v4 : sizeof v6);
	if (old) {
		put_attribute(a, 2, v4, sizeof v4);
		put_attribute(a, 3, name, sizeof name);
	}
	put_attribute32(a, 8, PERMANENT);
	put_attribute(a, 6, life, sizeof life);
}

/* --- questions --- */

struct question {
	uint32_t len;
	uint16_t type;
	uint16_t flags;
	uint32_t number;
	uint32_t pid;
};

static int64_t refuse(struct task *t, int fd, const struct question *q, int32_t error)
{
	struct answer a;

	begin(&a, TYPE_ERROR, 0, q->number, proc_owner_of(t->p)->pid);
	put(&a, &error, sizeof error);
	put(&a, q, sizeof *q);
	return send(t, fd, &a);
}

static int64_t tell_done(struct task *t, int fd, const struct question *q)
{
	const int32_t none = 0;
	struct answer a;

	begin(&a, TYPE_DONE, ANSWER_MULTI, q->number, proc_owner_of(t->p)->pid);
	put(&a, &none, sizeof none);
	return send(t, fd, &a);
}

/* Which one is meant, by its number or its name. */
static bool asks_loopback(const struct question *q, const char *bytes)
{
	int32_t index;
	uint32_t at = HEAD_BYTES + LINK_BYTES;

	if (q->len < at)
		return false;
	memcpy(&index, bytes + HEAD_BYTES + 4, sizeof index);
	while (index == 0 && q->len - at >= 4) {
		uint16_t head[2];

		memcpy(head, bytes + at, sizeof head);
		if (head[0] < 4 || head[0] > q->len - at)
			break;
		if (head[1] == 3)
			return strncmp(bytes + at + 4, name, head[0] - 4u) == 0 && head[0] > 6;
		at += (head[0] + 3u) & ~3u;
		if (at > q->len)
			break;
	}
	return index == INDEX;
}

static int64_t tell_link(struct task *t, int fd, const struct question *q, const char *bytes)
{
	bool all = (q->flags & ASK_DUMP) == ASK_DUMP;
	struct answer a;
	int64_t r;

	if (!all && !asks_loopback(q, bytes))
		return refuse(t, fd, q, -E_NODEV);
	begin(&a, NEW_LINK, all ? ANSWER_MULTI : 0, q->number, proc_owner_of(t->p)->pid);
	put_link(&a);
	r = send(t, fd, &a);
	return r >= 0 && all ? tell_done(t, fd, q) : r;
}

static int64_t tell_addresses(struct task *t, int fd, const struct question *q, const char *bytes)
{
	static const uint8_t families[2] = { SOCKET_INET, SOCKET_INET6 };
	uint8_t family = q->len > HEAD_BYTES ? (uint8_t)bytes[HEAD_BYTES] : 0;
	int64_t r = 0;

	if ((q->flags & ASK_DUMP) != ASK_DUMP)
		return refuse(t, fd, q, -E_OPNOTSUPP);
	for (int i = 0; i < 2 && r >= 0; i++) {
		struct answer a;

		if (family != 0 && family != families[i])
			continue;
		begin(&a, NEW_ADDRESS, ANSWER_MULTI, q->number, proc_owner_of(t->p)->pid);
		put_address(&a, families[i]);
		r = send(t, fd, &a);
	}
	return r >= 0 ? tell_done(t, fd, q) : r;
}

static int64_t answer(struct task *t, int fd, const struct question *q, const char *bytes)
{
	switch (q->type) {
	case GET_LINK: return tell_link(t, fd, q, bytes);
	case GET_ADDRESS: return tell_addresses(t, fd, q, bytes);
	case GET_ROUTE:
		return (q->flags & ASK_DUMP) == ASK_DUMP ? tell_done(t, fd, q)
							 : refuse(t, fd, q, -E_NETUNREACH);
	default: return refuse(t, fd, q, q->type < NEW_LINK ? 0 : -E_PERM);
	}
}

bool interface_is_asked(struct task *t, int fd)
{
	return sys_socket_family(t->p, fd) == SOCKET_NETLINK;
}

int64_t interface_ask(struct task *t, int fd, const char *bytes, size_t n)
{
	size_t at = 0;
	int64_t r = 0;

	if (n > ASK_MAX)
		return -E_MSGSIZE;
	while (n - at >= HEAD_BYTES && r >= 0) {
		struct question q;

		memcpy(&q, bytes + at, sizeof q);
		if (q.len < HEAD_BYTES || q.len > n - at)
			break;
		r = answer(t, fd, &q, bytes + at);
		at += ((size_t)q.len + 3) & ~(size_t)3;
		if (at > n)
			break;
	}
	return r < 0 ? r : (int64_t)n;
}

/* --- ioctl --- */

enum {
	SIOCGIFNAME_ = 0x8910,
	SIOCGIFCONF_ = 0x8912,
	SIOCGIFFLAGS_ = 0x8913,
	SIOCGIFADDR_ = 0x8915,
	SIOCGIFBRDADDR_ = 0x8919,
	SIOCGIFNETMASK_ = 0x891b,
	SIOCGIFMETRIC_ = 0x891d,
	SIOCGIFMTU_ = 0x8921,
	SIOCGIFHWADDR_ = 0x8927,
	SIOCGIFINDEX_ = 0x8933,
	SIOCGIFTXQLEN_ = 0x8942,
	NAME_BYTES = 16,
	REQUEST_BYTES = 40, /* struct ifreq */
};

static int64_t put_list(struct task *t, uint64_t address)
{
	const char entry[REQUEST_BYTES] = { 'l', 'o', [NAME_BYTES] = SOCKET_INET,
					    [NAME_BYTES + 4] = 127, [NAME_BYTES + 7] = 1 };
	int32_t len;
	uint64_t to;

	if (get_user(t, &len, address, sizeof len) != 0 || get_user(t, &to, address + 8, 8) != 0)
		return -E_FAULT;
	if (to != 0 && len < REQUEST_BYTES)
		len = 0;
	else if (to != 0 && put_user(t, to, entry, sizeof entry) != 0)
		return -E_FAULT;
	else
		len = REQUEST_BYTES;
	return put_user(t, address, &len, sizeof len);
}

int64_t interface_ioctl(struct task *t, unsigned request, uint64_t address)
{
	char v[REQUEST_BYTES];
	int32_t number = 0;
	uint8_t ip[4] = { 0 };
	uint16_t family = SOCKET_INET;

	if (request == SIOCGIFCONF_)
		return put_list(t, address);
	if (request < SIOCGIFNAME_ || request > SIOCGIFTXQLEN_)
		return -E_NOTTY;
	if (get_user(t, v, address, sizeof v) != 0)
		return -E_FAULT;
	if (request == SIOCGIFNAME_) {
		memcpy(&number, v + NAME_BYTES, sizeof number);
		return number != INDEX ? -E_NODEV : put_user(t, address, name, sizeof name);
	}
	if (strncmp(v, name, NAME_BYTES) != 0)
		return -E_NODEV;
	switch (request) {
	case SIOCGIFINDEX_: number = INDEX; break;
	case SIOCGIFMTU_: number = MTU; break;
	case SIOCGIFTXQLEN_: number = QUEUE; break;
	case SIOCGIFFLAGS_: number = FLAGS_ALL & 0xffff; break;
	case SIOCGIFMETRIC_: break;
	case SIOCGIFHWADDR_: family = TYPE_LOOPBACK; break;
	case SIOCGIFADDR_: ip[3] = 1;                                      /* fallthrough */
	case SIOCGIFNETMASK_: ip[0] = request == SIOCGIFADDR_ ? 127 : 255; /* fallthrough */
	case SIOCGIFBRDADDR_: break;
	default: return request == 0x8931 ? -E_NOTTY : -E_PERM;
	}
	memset(v + NAME_BYTES, 0, NAME_BYTES);
	memcpy(v + NAME_BYTES, &number, sizeof number);
	if (request == SIOCGIFHWADDR_ || request == SIOCGIFADDR_ || request == SIOCGIFNETMASK_ ||
	    request == SIOCGIFBRDADDR_) {
		memcpy(v + NAME_BYTES, &family, sizeof family);
		memcpy(v + NAME_BYTES + 4, ip, sizeof ip);
	}
	return put_user(t, address, v, sizeof v);
}
