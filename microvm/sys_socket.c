/* SPDX-License-Identifier: MIT
 *
 * System calls that make and name sockets: streams inside the sandbox. Addresses of this machine
 * are all the same; others can't be reached.
 */
#include "microvm/private.h"

enum {
	AF_UNIX_ = 1,
	AF_INET_ = 2,
	SOCK_STREAM_ = 1,
	ADDRESS_MAX = 110,
	SOL_SOCKET_ = 1,
	SO_TYPE_ = 3,
	SO_ACCEPTCONN_ = 30,
};

int64_t call_socket(struct task *t, const uint64_t *a)
{
	if (a[0] != AF_UNIX_ && a[0] != AF_INET_)
		return -E_AFNOSUPPORT;
	if ((a[1] & 15) != SOCK_STREAM_)
		return a[0] == AF_INET_ ? -E_AFNOSUPPORT : -E_PROTONOSUPPORT;
	return sys_socket(t->p, a[0] == AF_UNIX_ ? SOCKET_UNIX : SOCKET_INET, (unsigned)a[1]);
}

/* Whether an address is one of this machine: 0.0.0.0 or 127.x.x.x. */
static bool is_here(const unsigned char *ip)
{
	return ip[0] == 127 || (ip[0] | ip[1] | ip[2] | ip[3]) == 0;
}

static int64_t get_name(struct task *t, uint64_t address, uint64_t len, struct socket_name *out)
{
	unsigned char raw[ADDRESS_MAX + 1] = { 0 };
	uint16_t family;

	if (len < 2 || len > ADDRESS_MAX)
		return -E_INVAL;
	if (get_user(t, raw, address, (size_t)len) != 0)
		return -E_FAULT;
	memcpy(&family, raw, 2);
	*out = (struct socket_name){ .family = SOCKET_UNIX };
	if (family == AF_INET_) {
		if (len < 16)
			return -E_INVAL;
		out->family = SOCKET_INET;
		out->port = (uint16_t)(raw[2] << 8 | raw[3]);
		return is_here(raw + 4) ? 0 : -E_NETUNREACH;
	}
	if (family != AF_UNIX_)
		return -E_AFNOSUPPORT;
	if (len == 2)
		return -E_INVAL;
	out->len = (uint16_t)(len - 2);
	memcpy(out->path, raw + 2, out->len);
	if (out->path[0] != '\0')
		out->len = (uint16_t)strlen(out->path);
	return 0;
}

static int64_t put_name(struct task *t, const struct socket_name *n, uint64_t address,
			uint64_t size)
{
	unsigned char raw[ADDRESS_MAX + 2] = { 0 };
	uint16_t family = n->family == SOCKET_INET ? AF_INET_ : AF_UNIX_;
	uint32_t len = 16;
	uint32_t room;

	if (address == 0)
		return 0;
	memcpy(raw, &family, 2);
	if (n->family == SOCKET_INET) {
		raw[2] = (unsigned char)(n->port >> 8);
		raw[3] = (unsigned char)n->port;
		raw[4] = 127;
		raw[7] = 1;
	} else {
		memcpy(raw + 2, n->path, n->len);
		len = n->len == 0 ? 2 : 2u + n->len + (n->path[0] != '\0');
	}
	if (get_user(t, &room, size, sizeof room) != 0)
		return -E_FAULT;
	if (put_user(t, address, raw, room < len ? room : len) != 0)
		return -E_FAULT;
	return put_user(t, size, &len, sizeof len);
}

int64_t call_bind(struct task *t, const uint64_t *a)
{
	struct socket_name n;
	int64_t r = get_name(t, a[1], a[2], &n);

	return r == -E_NETUNREACH ? -E_ADDRNOTAVAIL : r != 0 ? r : sys_bind(t->p, (int)a[0], &n);
}

int64_t call_listen(struct task *t, const uint64_t *a)
{
	return sys_listen(t->p, (int)a[0]);
}

int64_t call_connect(struct task *t, const uint64_t *a)
{
	struct socket_name n;
	int64_t r = get_name(t, a[1], a[2], &n);

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
		r = put_name(t, &n, a[1], a[2]);
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

int64_t call_getsockname(struct task *t, const uint64_t *a)
{
	struct socket_name n;
	int64_t r = sys_socket_name(t->p, (int)a[0], false, &n);

	return r != 0 ? r : put_name(t, &n, a[1], a[2]);
}

int64_t call_getpeername(struct task *t, const uint64_t *a)
{
	struct socket_name n;
	int64_t r = sys_socket_name(t->p, (int)a[0], true, &n);

	return r != 0 ? r : put_name(t, &n, a[1], a[2]);
}

int64_t call_getsockopt(struct task *t, const uint64_t *a)
{
	uint32_t value = 0;
	uint32_t four = 4;

	if (!sys_is_socket(t->p, (int)a[0]))
		return sys_get_cloexec(t->p, (int)a[0]) < 0 ? -E_BADF : -E_NOTSOCK;
	if (a[1] == SOL_SOCKET_ && a[2] == SO_TYPE_)
		value = SOCK_STREAM_;
	if (a[1] == SOL_SOCKET_ && a[2] == SO_ACCEPTCONN_)
		value = sys_is_listening(t->p, (int)a[0]);
	return put_user(t, a[3], &value, 4) != 0 || put_user(t, a[4], &four, 4) != 0 ? -E_FAULT : 0;
}
