/* SPDX-License-Identifier: MIT
 *
 * /dev/tcp/HOST/PORT and /dev/udp/HOST/PORT: files that only redirections know, as in bash.
 * They lead to servers inside of the sandbox; there is no other network.
 */
#include "base/err.h"
#include "interp/exec.h"

struct address {
	struct bytes host;
	struct bytes port;
	bool datagram;
};

static bool split(struct bytes path, struct address *a)
{
	size_t slash;

	if (!bytes_starts(path, BYTES("/dev/tcp/")) && !bytes_starts(path, BYTES("/dev/udp/")))
		return false;
	a->datagram = path.ptr[5] == 'u';
	path = bytes_slice(path, 9, path.len);
	for (slash = 0; slash < path.len && path.ptr[slash] != '/'; slash++)
		continue;
	if (slash == path.len)
		return false;
	a->host = bytes_slice(path, 0, slash);
	a->port = bytes_slice(path, slash + 1, path.len);
	return true;
}

bool redir_is_network(struct bytes path)
{
	struct address a;

	return split(path, &a);
}

static bool is_number(struct bytes host)
{
	for (size_t i = 0; i < host.len; i++) {
		if (!byte_is_xdigit(host.ptr[i]) && host.ptr[i] != '.' && host.ptr[i] != ':')
			return false;
	}
	return bytes_find(host, BYTES(".")) != NULL || bytes_find(host, BYTES(":")) != NULL;
}

static bool is_this_machine(struct shell *sh, struct bytes host)
{
	return bytes_is(host, "localhost") || bytes_is(host, sys_hostname(sh->p)) ||
	       bytes_is(host, "::1") || bytes_is(host, "0.0.0.0") ||
	       (is_number(host) && bytes_starts(host, BYTES("127.")));
}

static int64_t connect_to(struct shell *sh, uint16_t port, bool datagram)
{
	struct socket_name name = { .family = SOCKET_INET, .port = port, .ip = { 127, 0, 0, 1 } };
	int64_t fd = sys_socket(sh->p, SOCKET_INET, datagram ? SOCKET_DATAGRAM : SOCKET_STREAM, 0);
	int64_t err = fd >= 0 ? sys_connect(sh->p, (int)fd, &name) : fd;

	if (err >= 0)
		return fd;
	if (fd >= 0)
		sys_close(sh->p, (int)fd);
	return err;
}

int64_t redir_connect(struct shell *sh, struct bytes path)
{
	struct address a;
	int64_t port = 0;
	int64_t fd;
	int line = sh->line;

	split(path, &a);
	if (a.port.len != 0 && !arith_plain_number(a.port, &port)) {
		shell_error(sh, "%.*s: Servname not supported for ai_socktype", (int)a.port.len,
			    a.port.ptr);
		return -E_INVAL;
	}
	if (!is_number(a.host) && !is_this_machine(sh, a.host)) {
		shell_error(sh, "%.*s: Name or service not known", (int)a.host.len, a.host.ptr);
		return -E_INVAL;
	}
	fd = is_this_machine(sh, a.host) ? connect_to(sh, (uint16_t)port, a.datagram)
					 : -E_NETUNREACH;
	if (fd >= 0)
		return fd;
	sh->line = 0; /* bash says this without one */
	shell_error(sh, "connect: %s", err_text((int)fd));
	sh->line = line;
	return fd;
}
