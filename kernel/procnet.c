/* SPDX-License-Identifier: MIT
 *
 * /proc/net: the sockets of all processes, as ss, netstat, lsof and fuser read them.
 */
#include "kernel/socket.h"

enum tcp_state {
	TCP_ESTABLISHED = 1,
	TCP_FIN_WAIT2 = 5,
	TCP_CLOSE = 7,
	TCP_CLOSE_WAIT = 8,
	TCP_LISTEN = 10,
};

static void put_address(struct buf *b, const struct socket_name *n, bool six)
{
	uint8_t ip[16] = { 0 };
	uint32_t word;

	if (six && n->family == SOCKET_INET6)
		memcpy(ip, n->ip, sizeof ip);
	else if (n->family == SOCKET_INET)
		memcpy(ip, n->ip, 4);
	for (int i = 0; i < (six ? 16 : 4); i += 4) {
		memcpy(&word, ip + i, sizeof word);
		buf_printf(b, "%08X", (unsigned)word);
	}
	buf_printf(b, ":%04X", n->port);
}

static enum tcp_state state_of(const struct socket *s)
{
	if (s->listens)
		return TCP_LISTEN;
	if (s->type != SOCKET_STREAM)
		return s->has_peer ? TCP_ESTABLISHED : TCP_CLOSE;
	if (!stream_is_connected(s) || stream_is_closed(s))
		return TCP_CLOSE;
	if (s->out == NULL)
		return TCP_FIN_WAIT2;
	return stream_has_ended(s) ? TCP_CLOSE_WAIT : TCP_ESTABLISHED;
}

static unsigned in_pipe(const struct file *end)
{
	return end != NULL ? (unsigned)pipe_filled(end->u.pipe) : 0;
}

static void put_inet(struct buf *b, const struct proc *p, const struct socket *s, unsigned row)
{
	bool six = s->name.family == SOCKET_INET6;
	bool stream = s->type == SOCKET_STREAM;
	bool has_peer = s->has_peer || (stream && stream_is_connected(s));
	const struct socket_name nobody = { .family = SOCKET_INET };
	unsigned received = stream ? (s->listens ? s->queued : in_pipe(s->in)) : (unsigned)s->bytes;

	buf_printf(b, stream ? "%4u: " : "%5u: ", row);
	put_address(b, &s->name, six);
	buf_puts(b, " ");
	put_address(b, has_peer ? &s->peer : &nobody, six);
	/* What was sent has arrived. */
	buf_printf(b, " %02X 00000000:%08X 00:00000000 00000000 %5u        0 %llu %s\n",
		   (unsigned)state_of(s), received, (unsigned)p->cred.uid,
		   (unsigned long long)s->id,
		   stream ? "1 0000000000000000 100 0 0 10 0" : "2 0000000000000000 0");
}

static void put_unix(struct buf *b, const struct socket *s)
{
	bool connected = s->mate != NULL || s->has_peer || stream_is_connected(s);

	buf_printf(b, "0000000000000000: 00000002 00000000 %08X %04X %02X %5llu",
		   s->listens ? 0x10000u : 0u, (unsigned)s->type, connected ? 3u : 1u,
		   (unsigned long long)s->id);
	if (s->name.len != 0 && s->name.path[0] != '\0')
		buf_printf(b, " %.*s", (int)s->name.len, s->name.path);
	else if (s->name.len != 0)
		buf_printf(b, " @%.*s", (int)s->name.len - 1, s->name.path + 1);
	buf_puts(b, "\n");
}

struct listing {
	int family;
	bool streams; /* of a network: TCP, else UDP */
	unsigned rows;
	uint32_t round;
};

static void put_descriptors(struct buf *b, const struct proc *p, struct listing *l)
{
	for (int fd = 0; fd < p->nfds; fd++) {
		const struct file *f = p->fd[fd].file;
		struct socket *s = f != NULL && f->ops == &file_socket ? socket_of(f) : NULL;

		if (s == NULL || s->name.family != l->family || s->listed == l->round)
			continue;
		s->listed = l->round;
		if (l->family == SOCKET_UNIX)
			put_unix(b, s);
		else if ((s->type == SOCKET_STREAM) == l->streams &&
			 (s->bound || s->name.port != 0))
			put_inet(b, p, s, l->rows++);
	}
	kernel_fuel(p->k)->left -= p->nfds / 8;
}

static void put_head(struct buf *b, enum procfs_kind kind)
{
	bool six = kind == PROCFS_NET_TCP6 || kind == PROCFS_NET_UDP6;
	bool stream = kind == PROCFS_NET_TCP || kind == PROCFS_NET_TCP6;

	if (kind == PROCFS_NET_UNIX) {
		buf_puts(b, "Num       RefCount Protocol Flags    Type St Inode Path\n");
		return;
	}
	buf_puts(b, stream ? "  sl  " : "   sl  ");
	buf_printf(b, six ? "%-39s%-39s" : "%-14s%-14s", "local_address",
		   six ? "remote_address" : "rem_address");
	buf_puts(b, "st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode");
	buf_puts(b, stream ? "\n" : " ref pointer drops\n");
}

void procnet_text(struct kernel *k, enum procfs_kind kind, struct buf *b)
{
	bool six = kind == PROCFS_NET_TCP6 || kind == PROCFS_NET_UDP6;
	struct listing l = { .family = kind == PROCFS_NET_UNIX ? SOCKET_UNIX
				       : six                   ? SOCKET_INET6
							       : SOCKET_INET,
			     .streams = kind == PROCFS_NET_TCP || kind == PROCFS_NET_TCP6,
			     .round = ++k->sockets_listed };

	put_head(b, kind);
	for (struct proc *p = proc_after(k, NULL); p != NULL; p = proc_after(k, p))
		if (p->priv->owner == NULL)
			put_descriptors(b, p, &l);
}
