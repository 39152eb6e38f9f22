/* SPDX-License-Identifier: MIT
 *
 * awk's /inet/tcp/0/HOST/PORT: connections to servers inside of the sandbox.
 */
#include "builtins/awk/code.h"

enum { NET_PARTS = 5, PORT_MAX = 65535 };

/* inet, protocol, local port, host, remote port. */
static bool split_name(struct bytes name, struct bytes *part)
{
	size_t at = 1;

	if (name.len == 0 || name.ptr[0] != '/')
		return false;
	for (int i = 0; i < NET_PARTS; i++) {
		size_t end = at;

		while (end < name.len && (i == NET_PARTS - 1 || name.ptr[end] != '/'))
			end++;
		part[i] = bytes_slice(name, at, end);
		if (part[i].len == 0 || (end == name.len && i < NET_PARTS - 1))
			return false;
		at = end + 1;
	}
	return (bytes_is(part[0], "inet") || bytes_is(part[0], "inet4") ||
		bytes_is(part[0], "inet6")) &&
	       (bytes_is(part[1], "tcp") || bytes_is(part[1], "udp"));
}

bool awk_net_is(struct awk *a, struct bytes name)
{
	struct bytes part[NET_PARTS];

	return awk_is_gnu(a) && split_name(name, part);
}

static bool read_port(struct awk *a, struct bytes text, uint64_t *out)
{
	return num_plain(arena_dup(&a->scratch, text), out) && *out <= PORT_MAX;
}

static bool is_this_machine(struct awk *a, struct bytes host)
{
	return bytes_is(host, "localhost") || bytes_is(host, cmd_hostname(a->c)) ||
	       bytes_is(host, "::1") || bytes_is(host, "0.0.0.0") ||
	       bytes_starts(host, BYTES("127."));
}

int awk_net_open(struct awk *a, struct bytes name)
{
	struct bytes part[NET_PARTS];
	uint64_t local;
	uint64_t port;

	split_name(name, part);
	struct bytes host = part[3];

	if (!read_port(a, part[2], &local)) {
		awk_warn(a,
			 "local port %.*s invalid in `/%.*s': Servname not supported for "
			 "ai_socktype",
			 (int)part[2].len, part[2].ptr, (int)part[0].len, part[0].ptr);
		return -E_NOENT;
	}
	/* Nobody can listen here, and datagrams have no connection. */
	if (local != 0 || bytes_is(part[1], "udp"))
		return -E_OPNOTSUPP;
	bool here = is_this_machine(a, host);

	if (!read_port(a, part[4], &port) || !here) {
		awk_warn(a, "remote host and port information (%.*s, %.*s) invalid: %s",
			 (int)host.len, host.ptr, (int)part[4].len, part[4].ptr,
			 here ? "Servname not supported for ai_socktype"
			      : "Name or service not known");
		return -E_NOENT;
	}
	return cmd_connect(a->c, (uint16_t)port);
}
