/* SPDX-License-Identifier: MIT
 *
 * System calls that make and name sockets, inside the sandbox: all addresses of this machine.
 * Others can't be reached. What goes through sockets is in sys_message.c.
 */
#include "microvm/private.h"

enum {
	AF_UNSPEC_ = 0,
	AF_UNIX_ = 1,
	AF_INET_ = 2,
	AF_INET6_ = 10,
	AF_NETLINK_ = 16,
	NETLINK_BYTES = 12,
	ADDRESS_MAX = 110,
	INET_BYTES = 16,
	INET6_BYTES = 28,
	SOL_SOCKET_ = 1,
	SO_TYPE_ = 3,
	SO_ERROR_ = 4,
	SO_SNDBUF_ = 7,
	SO_RCVBUF_ = 8,
	SO_PEERCRED_ = 17,
	SO_ACCEPTCONN_ = 30,
	SO_PROTOCOL_ = 38,
	SO_DOMAIN_ = 39,
	BUFFER_BYTES = 212992,
	TIME_MAX = 4000000, /* seconds; longer is for ever */
	TCP = 6,
	UDP = 17,
};

static bool has_type(uint64_t family, uint64_t type)
{
	return type == SOCKET_STREAM || type == SOCKET_DATAGRAM ||
	       (type == SOCKET_SEQUENCE && family == AF_UNIX_);
}

/* The protocol that goes with a type, or none said. */
static bool has_protocol(uint64_t family, uint64_t type, uint64_t protocol)
{
	if (protocol == 0)
		return true;
	if (family == AF_UNIX_)
		return protocol == AF_UNIX_;
	return protocol == (type == SOCKET_STREAM ? TCP : UDP);
}

/* NETLINK_ROUTE, see sys_interface.c. */
static int64_t open_netlink(struct task *t, uint64_t type, uint64_t protocol, unsigned flags)
{
	if (type != 3 && type != SOCKET_DATAGRAM)
		return -E_PROTOTYPE;
	return protocol != 0 ? -E_PROTONOSUPPORT
			     : sys_socket(t->p, SOCKET_NETLINK, SOCKET_DATAGRAM, flags);
}

int64_t call_socket(struct task *t, const uint64_t *a)
{
	uint64_t type = a[1] & 15;

	if (a[0] == AF_NETLINK_)
		return open_netlink(t, type, a[2], (unsigned)a[1]);
	if (a[0] != AF_UNIX_ && a[0] != AF_INET_ && a[0] != AF_INET6_)
		return -E_AFNOSUPPORT;
	if (type == 3) /* raw */
		return a[0] == AF_UNIX_ ? -E_PROTONOSUPPORT : -E_PERM;
	if (!has_type(a[0], type))
		return -E_PROTOTYPE;
	if (!has_protocol(a[0], type, a[2]))
		return -E_PROTONOSUPPORT;
	return sys_socket(t->p, (int)a[0], (int)type, (unsigned)a[1]);
}

int64_t call_socketpair(struct task *t, const uint64_t *a)
{
	uint64_t type = a[1] & 15;
	int fds[2];
	int64_t r;

	if (a[0] != AF_UNIX_)
		return a[0] == AF_INET_ || a[0] == AF_INET6_ ? -E_OPNOTSUPP : -E_AFNOSUPPORT;
	if (!has_type(a[0], type) || !has_protocol(a[0], type, a[2]))
		return -E_PROTONOSUPPORT;
	r = sys_socketpair(t->p, (int)type, fds, (unsigned)a[1]);
	if (r == 0 && put_user(t, a[3], fds, sizeof fds) != 0) {
		sys_close(t->p, fds[0]);
		sys_close(t->p, fds[1]);
		r = -E_FAULT;
	}
	return r;
}

/* --- names --- */

/* Whether an address is one of this machine: 0.0.0.0 or 127.x.x.x. */
static bool is_here(const unsigned char *ip)
{
	return ip[0] == 127 || (ip[0] | ip[1] | ip[2] | ip[3]) == 0;
}

/* :: or ::1. */
static bool is_here6(const unsigned char *ip)
{
	unsigned char bits = 0;

	for (int i = 0; i < 15; i++)
		bits |= ip[i];
	return bits == 0 && ip[15] <= 1;
}

/* An address of IPv4 written as one of IPv6. */
static bool is_mapped(const unsigned char *ip)
{
	unsigned char bits = 0;

	for (int i = 0; i < 10; i++)
		bits |= ip[i];
	return bits == 0 && ip[10] == 0xff && ip[11] == 0xff;
}

static int64_t inet_name(const unsigned char *raw, uint64_t len, struct socket_name *out)
{
	if (len < INET_BYTES)
		return -E_INVAL;
	out->family = SOCKET_INET;
	out->port = (uint16_t)(raw[2] << 8 | raw[3]);
	memcpy(out->ip, raw + 4, 4);
	return is_here(raw + 4) ? 0 : -E_NETUNREACH;
}

static int64_t inet6_name(const unsigned char *raw, uint64_t len, struct socket_name *out)
{
	if (len < INET6_BYTES - 4)
		return -E_INVAL;
	out->family = SOCKET_INET6;
	out->port = (uint16_t)(raw[2] << 8 | raw[3]);
	memcpy(out->ip, raw + 8, 16);
	if (is_mapped(raw + 8) && is_here(raw + 20)) {
		memset(out->ip, 0, sizeof out->ip);
		out->ip[15] = raw[20] == 127;
		return 0;
	}
	return is_here6(raw + 8) ? 0 : -E_NETUNREACH;
}

static int64_t unix_name(const unsigned char *raw, uint64_t len, struct socket_name *out)
{
	out->family = SOCKET_UNIX;
	out->len = (uint16_t)(len - 2);
	memcpy(out->path, raw + 2, out->len);
	if (out->path[0] != '\0')
		out->len = (uint16_t)strlen(out->path);
	return 0;
}

int64_t socket_get_name(struct task *t, uint64_t address, uint64_t len, struct socket_name *out)
{
	unsigned char raw[ADDRESS_MAX + 1] = { 0 };
	uint16_t family;

	if (len < 2 || len > ADDRESS_MAX)
		return -E_INVAL;
	if (get_user(t, raw, address, (size_t)len) != 0)
		return -E_FAULT;
	memcpy(&family, raw, 2);
	*out = (struct socket_name){ .family = AF_UNSPEC_ };
	switch (family) {
	case AF_INET_: return inet_name(raw, len, out);
	case AF_INET6_: return inet6_name(raw, len, out);
	case AF_UNIX_: return unix_name(raw, len, out);
	case AF_NETLINK_: out->family = SOCKET_NETLINK; return len < NETLINK_BYTES ? -E_INVAL : 0;
	default: return -E_AFNOSUPPORT;
	}
}

static uint32_t raw_name(const struct socket_name *n, unsigned char *raw)
{
	uint16_t family = (uint16_t)n->family;

	memcpy(raw, &family, 2);
	if (n->family == SOCKET_UNIX) {
		memcpy(raw + 2, n->path, n->len);
		return n->len == 0 ? 2 : 2u + n->len + (n->path[0] != '\0');
	}
	if (n->family == SOCKET_NETLINK)
		return NETLINK_BYTES;
	raw[2] = (unsigned char)(n->port >> 8);
	raw[3] = (unsigned char)n->port;
	memcpy(raw + (n->family == SOCKET_INET ? 4 : 8), n->ip, n->family == SOCKET_INET ? 4 : 16);
	return n->family == SOCKET_INET ? INET_BYTES : INET6_BYTES;
}

uint32_t socket_put_raw(struct task *t, const struct socket_name *n, uint64_t address,
			uint32_t room, int64_t *err)
{
	unsigned char raw[ADDRESS_MAX + 4] = { 0 };
	uint32_t len = n->family != 0 ? raw_name(n, raw) : 0;

	*err = put_user(t, address, raw, room < len ? room : len) != 0 ? -E_FAULT : 0;
	return len;
}

int64_t socket_put_name(struct task *t, const struct socket_name *n, uint64_t address,
			uint64_t size)
{
	uint32_t room;
	uint32_t len;
	int64_t err;

	if (address == 0)
		return 0;
	if (get_user(t, &room, size, sizeof room) != 0)
		return -E_FAULT;
	if ((int32_t)room < 0)
		return -E_INVAL;
	len = socket_put_raw(t, n, address, room, &err);
	return err != 0 ? err : put_user(t, size, &len, sizeof len);
}

int64_t call_bind(struct task *t, const uint64_t *a)
{
	struct socket_name n;
	int64_t r = socket_get_name(t, a[1], a[2], &n);

	/* Nobody would send to a group. */
	if (r == 0 && interface_is_asked(t, (int)a[0]))
		return n.family == SOCKET_NETLINK ? 0 : -E_INVAL;
	if (r == 0 && n.family == SOCKET_NETLINK)
		return -E_INVAL;
	return r == -E_NETUNREACH ? -E_ADDRNOTAVAIL : r != 0 ? r : sys_bind(t->p, (int)a[0], &n);
}

int64_t call_listen(struct task *t, const uint64_t *a)
{
	return sys_listen(t->p, (int)a[0]);
}

int64_t call_connect(struct task *t, const uint64_t *a)
{
	struct socket_name n;
	int64_t r = socket_get_name(t, a[1], a[2], &n);
	uint16_t family;

	/* No name at all: a socket of datagrams is connected to nobody again. */
	if (r == -E_AFNOSUPPORT && get_user(t, &family, a[1], 2) == 0 && family == AF_UNSPEC_)
		r = 0;
	return r != 0 ? r : sys_connect(t->p, (int)a[0], &n);
}

int64_t call_accept4(struct task *t, const uint64_t *a)
{
	struct socket_name n;
	int64_t fd = sys_accept(t->p, (int)a[0], (unsigned)a[3]);
	int64_t r;

	if (fd < 0)
		return fd == -E_INTR ? RESTART : fd;
	r = sys_socket_name(t->p, (int)fd, true, &n);
	if (r == 0)
		r = socket_put_name(t, &n, a[1], a[2]);
	if (r == 0)
		return fd;
	sys_close(t->p, (int)fd);
	return r;
}

int64_t call_accept(struct task *t, const uint64_t *a)
{
	const uint64_t b[4] = { a[0], a[1], a[2], 0 };

	return call_accept4(t, b);
}

/* What answers are addressed to: the process. */
static int64_t put_netlink_name(struct task *t, const uint64_t *a)
{
	const uint32_t v[3] = { AF_NETLINK_, (uint32_t)proc_owner_of(t->p)->pid, 0 };
	uint32_t room;
	uint32_t len = sizeof v;

	if (get_user(t, &room, a[2], sizeof room) != 0)
		return -E_FAULT;
	if (put_user(t, a[1], v, room < len ? room : len) != 0)
		return -E_FAULT;
	return put_user(t, a[2], &len, sizeof len);
}

int64_t call_getsockname(struct task *t, const uint64_t *a)
{
	struct socket_name n;
	int64_t r = sys_socket_name(t->p, (int)a[0], false, &n);

	if (r == 0 && n.family == SOCKET_NETLINK)
		return put_netlink_name(t, a);
	return r != 0 ? r : socket_put_name(t, &n, a[1], a[2]);
}

int64_t call_getpeername(struct task *t, const uint64_t *a)
{
	struct socket_name n;
	int64_t r = sys_socket_name(t->p, (int)a[0], true, &n);

	return r != 0 ? r : socket_put_name(t, &n, a[1], a[2]);
}

/* --- options --- */

static int64_t if_socket(struct task *t, int fd)
{
	if (sys_get_cloexec(t->p, fd) < 0)
		return -E_BADF;
	return sys_is_socket(t->p, fd) ? 0 : -E_NOTSOCK;
}

static bool is_time(const uint64_t *a)
{
	return a[1] == SOCKET_LEVEL && (a[2] == SOCKET_READ_TIME || a[2] == SOCKET_WRITE_TIME);
}

/* How long calls wait, in milliseconds: what is less than one is one. */
static int64_t get_time(struct task *t, const uint64_t *a, uint32_t *out)
{
	int64_t v[2];

	if (a[4] < sizeof v)
		return -E_INVAL;
	if (get_user(t, v, a[3], sizeof v) != 0)
		return -E_FAULT;
	if (v[1] < 0 || v[1] > 999999)
		return -E_DOM;
	*out = v[0] < 0 ? 1 : v[0] > TIME_MAX ? 0 : (uint32_t)(v[0] * 1000 + (v[1] + 999) / 1000);
	return 0;
}

static bool is_linger(const uint64_t *a)
{
	return a[1] == SOCKET_LEVEL && a[2] == SOCKET_LINGER;
}

/* Switched off, the time stays. */
static int64_t get_linger(struct task *t, const uint64_t *a, uint32_t *out)
{
	const struct socket_option *o;
	uint32_t v[2];

	if (a[4] < sizeof v)
		return -E_INVAL;
	if (get_user(t, v, a[3], sizeof v) != 0)
		return -E_FAULT;
	o = sys_socket_option(t->p, (int)a[0], SOCKET_LEVEL, SOCKET_LINGER, false);
	*out = o != NULL ? o->value & ~(uint32_t)SOCKET_LINGER_ON : 0;
	if (v[0] != 0)
		*out = v[1] << 1 | SOCKET_LINGER_ON;
	return 0;
}

/* What a program set is what it gets; only a few mean something. */
int64_t call_setsockopt(struct task *t, const uint64_t *a)
{
	int64_t r = if_socket(t, (int)a[0]);
	struct socket_option *o;
	uint32_t value = 0;

	if (r != 0)
		return r;
	if ((int32_t)a[4] < 0)
		return -E_INVAL;
	if (is_time(a))
		r = get_time(t, a, &value);
	else if (is_linger(a))
		r = get_linger(t, a, &value);
	else if (get_user(t, &value, a[3], a[4] < 4 ? (size_t)a[4] : 4) != 0)
		r = -E_FAULT;
	if (r != 0)
		return r;
	o = sys_socket_option(t->p, (int)a[0], (int)a[1], (int)a[2], true);
	if (o != NULL)
		o->value = value;
	return 0;
}

/* The value of an option of SOL_SOCKET that the kernel knows by itself. */
static bool known_option(struct task *t, int fd, int name, uint32_t *value)
{
	int family = sys_socket_family(t->p, fd);
	bool local = family == SOCKET_UNIX || family == SOCKET_NETLINK;
	bool stream = sys_socket_type(t->p, fd) == SOCKET_STREAM;

	switch (name) {
	case SO_TYPE_: *value = (uint32_t)sys_socket_type(t->p, fd); return true;
	case SO_DOMAIN_: *value = (uint32_t)sys_socket_family(t->p, fd); return true;
	case SO_PROTOCOL_: *value = local ? 0 : stream ? TCP : UDP; return true;
	case SO_ACCEPTCONN_: *value = sys_is_listening(t->p, fd); return true;
	case SO_ERROR_: *value = (uint32_t)sys_socket_error(t->p, fd); return true;
	default: return false;
	}
}

static uint32_t kept_option(struct task *t, int fd, int level, int name)
{
	const struct socket_option *o = sys_socket_option(t->p, fd, level, name, false);
	bool buffer = level == SOL_SOCKET_ && (name == SO_SNDBUF_ || name == SO_RCVBUF_);

	if (o == NULL || (o->value == 0 && buffer))
		return buffer ? BUFFER_BYTES : 0;
	return buffer ? o->value * 2 : o->value;
}

static int64_t put_time(struct task *t, const uint64_t *a, uint32_t room)
{
	uint32_t ms = kept_option(t, (int)a[0], (int)a[1], (int)a[2]);
	int64_t v[2] = { ms / 1000, ms % 1000 * 1000 };

	room = room < sizeof v ? room : (uint32_t)sizeof v;
	if (put_user(t, a[3], v, room) != 0)
		return -E_FAULT;
	return put_user(t, a[4], &room, sizeof room);
}

static int64_t put_linger(struct task *t, const uint64_t *a, uint32_t room)
{
	uint32_t value = kept_option(t, (int)a[0], SOCKET_LEVEL, SOCKET_LINGER);
	uint32_t v[2] = { value & SOCKET_LINGER_ON, value >> 1 };

	room = room < sizeof v ? room : (uint32_t)sizeof v;
	if (put_user(t, a[3], v, room) != 0)
		return -E_FAULT;
	return put_user(t, a[4], &room, sizeof room);
}

int64_t call_getsockopt(struct task *t, const uint64_t *a)
{
	int64_t r = if_socket(t, (int)a[0]);
	struct socket_peer peer;
	uint32_t value;
	uint32_t room;

	if (r != 0)
		return r;
	if (get_user(t, &room, a[4], sizeof room) != 0)
		return -E_FAULT;
	if ((int32_t)room < 0)
		return -E_INVAL;
	if (a[1] == SOL_SOCKET_ && a[2] == SO_PEERCRED_) {
		peer = sys_socket_peer(t->p, (int)a[0]);
		room = room < sizeof peer ? room : (uint32_t)sizeof peer;
		r = put_user(t, a[3], &peer, room);
		return r != 0 ? r : put_user(t, a[4], &room, sizeof room);
	}
	if (is_time(a))
		return put_time(t, a, room);
	if (is_linger(a))
		return put_linger(t, a, room);
	if (a[1] != SOL_SOCKET_ || !known_option(t, (int)a[0], (int)a[2], &value))
		value = kept_option(t, (int)a[0], (int)a[1], (int)a[2]);
	room = room < 4 ? room : 4;
	r = put_user(t, a[3], &value, room);
	return r != 0 ? r : put_user(t, a[4], &room, sizeof room);
}

int64_t call_shutdown(struct task *t, const uint64_t *a)
{
	return sys_shutdown(t->p, (int)a[0], (int)a[1]);
}
