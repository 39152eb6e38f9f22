/* SPDX-License-Identifier: MIT
 *
 * lsof's view of sockets: lsof_inet.c.
 */
#ifndef BUILTINS_LSOF_H
#define BUILTINS_LSOF_H

#include "builtins/builtin.h"

enum { LSOF_FILTERS = 16, LSOF_PORTS = 16 };

/* What one -i asks for. */
struct lsof_filter {
	bool tcp, udp, v4, v6;
	bool by_host;
	uint8_t ip[4];
	uint16_t from[LSOF_PORTS], to[LSOF_PORTS];
	int nports;
};

struct lsof_sockets {
	struct lsof_filter filter[LSOF_FILTERS];
	int nfilters;
	const char *states; /* of TCP: a list, with ^ all but; NULL: any */
	bool numeric;       /* addresses */
	struct lsof_socket *socket;
	size_t n;
};

struct lsof_socket {
	uint64_t inode;
	bool udp, six;
	uint16_t port, peer_port;
	uint8_t ip[4], peer_ip[4]; /* of IPv6, the last four bytes of ::1, :: or a mapped address */
	bool has_peer;
	const char *state; /* NULL: none */
};

/* Adds what "[46][protocol][@host][:ports]" asks for: 0, or 1 after a message. */
int lsof_add_filter(struct cmd *c, struct lsof_sockets *s, const char *text);
/* "TCP:STATE,...": the same. */
int lsof_set_states(struct cmd *c, struct lsof_sockets *s, const char *text);
/* Reads what sockets there are now. */
void lsof_read_sockets(struct cmd *c, struct lsof_sockets *s);
/* The one that a link below /proc/PID/fd leads to, or NULL. */
const struct lsof_socket *lsof_find_socket(const struct lsof_sockets *s, const char *target);
bool lsof_wants_socket(const struct lsof_sockets *s, const struct lsof_socket *k);
/* "localhost:80->localhost:40000 (ESTABLISHED)". */
char *lsof_socket_name(struct cmd *c, const struct lsof_sockets *s, const struct lsof_socket *k);

#endif
