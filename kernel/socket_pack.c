/* SPDX-License-Identifier: MIT
 *
 * Sockets as bytes, for a saved session, and back: their pipes, names, options, who waits to be
 * accepted, and messages. What is read may be an attacker's: each file in it must be one that
 * can be there.
 */
#include "base/pack.h"
#include "kernel/socket.h"

#define NO_MATE UINT64_MAX

void socket_name_pack(struct buf *out, const struct socket_name *n)
{
	pack_u64(out, (uint64_t)n->family);
	pack_u64(out, n->port);
	pack_bytes(out, (struct bytes){ (const char *)n->ip, sizeof n->ip });
	pack_bytes(out, (struct bytes){ n->path, n->len });
}

struct socket_name socket_name_unpack(struct unpack *in)
{
	struct socket_name n = { .family = (int)unpack_below(in, SOCKET_NETLINK) };
	struct bytes ip, path;

	n.port = (uint16_t)unpack_below(in, UINT16_MAX);
	ip = unpack_bytes(in);
	path = unpack_bytes(in);
	/* Paths end in a NUL. */
	if (ip.len != sizeof n.ip || path.len >= sizeof n.path)
		in->bad = true;
	if (in->bad)
		return n;
	memcpy(n.ip, ip.ptr, sizeof n.ip);
	if (path.len != 0)
		memcpy(n.path, path.ptr, path.len);
	n.len = (uint16_t)path.len;
	return n;
}

static void pack_numbers(struct buf *out, const struct socket *s)
{
	pack_u64(out, s->silent);
	pack_u64(out, s->has_peer);
	pack_u64(out, s->fresh + 2u * stream_is_reset(s));
	pack_u64(out, (uint64_t)stream_error(s));
	pack_u64(out, s->bound);
	pack_u64(out, s->listens);
	pack_u64(out, (uint64_t)s->who.pid);
	pack_u64(out, s->who.uid);
	pack_u64(out, s->who.gid);
	pack_u64(out, (uint64_t)s->noptions);
	for (int i = 0; i < s->noptions; i++) {
		pack_u64(out, (uint64_t)(uint32_t)s->option[i].level);
		pack_u64(out, (uint64_t)(uint32_t)s->option[i].name);
		pack_u64(out, s->option[i].value);
	}
}

static void unpack_numbers(struct unpack *in, struct socket *s)
{
	uint64_t state;

	s->silent = unpack_below(in, 1) != 0;
	s->has_peer = unpack_below(in, 1) != 0;
	state = unpack_below(in, 3);
	s->fresh = (state & 1) != 0;
	s->reset = state > 1;
	s->error = (int)unpack_below(in, E_CONNREFUSED);
	s->bound = unpack_below(in, 1) != 0;
	s->listens = unpack_below(in, 1) != 0;
	s->who.pid = (int)unpack_below(in, PID_MAX);
	s->who.uid = (uint32_t)unpack_below(in, UINT32_MAX);
	s->who.gid = (uint32_t)unpack_below(in, UINT32_MAX);
	s->noptions = (int)unpack_below(in, SOCKET_OPTIONS);
	for (int i = 0; i < s->noptions; i++) {
		s->option[i].level = (int)(uint32_t)unpack_below(in, UINT32_MAX);
		s->option[i].name = (int)(uint32_t)unpack_below(in, UINT32_MAX);
		s->option[i].value = (uint32_t)unpack_below(in, UINT32_MAX);
	}
}

/* Of a pair, the second one tells of the first. */
static void pack_mate(struct packing *w, const struct socket *s)
{
	uint64_t mate = s->mate != NULL ? pack_number_of(w, s->mate) : NO_MATE;

	pack_u64(w->out, mate);
	pack_u64(w->out, mate != NO_MATE ? s->mate->ended : 0);
	pack_u64(w->out,
		 mate == NO_MATE && s->mate != NULL && s->type == SOCKET_SEQUENCE ? 1 : s->ended);
}

void socket_pack(struct packing *w, const struct file *f)
{
	const struct socket *s = socket_of(f);

	pack_u64(w->out, (uint64_t)s->type);
	pack_numbers(w->out, s);
	socket_name_pack(w->out, &s->name);
	socket_name_pack(w->out, &s->peer);
	pack_mate(w, s);
	(void)pack_thing(w, THING_SOCKET, s);
	pack_file(w, s->in);
	pack_file(w, s->out);
	for (struct file *q = s->queue; q != NULL; q = socket_of(q)->queue_next) {
		pack_u64(w->out, 1);
		pack_file(w, q);
	}
	pack_u64(w->out, 0);
	messages_pack(w, s);
}

/* --- and back --- */

static int unpack_mate(struct unpacking *u, struct socket *s)
{
	struct unpack ahead = *u->in;
	uint64_t number = unpack_u64(&ahead);
	struct socket *mate = NULL;
	bool ended;
	size_t at;
	bool fresh = false;

	if (number != NO_MATE) {
		mate = unpack_thing(u, THING_SOCKET, &at, &fresh);
		if (mate == NULL || mate->mate != NULL || mate->type != s->type ||
		    s->type == SOCKET_STREAM)
			return -E_IO;
	} else {
		*u->in = ahead;
	}
	ended = unpack_below(u->in, 1) != 0;
	s->ended = unpack_below(u->in, 1) != 0;
	if (mate != NULL) {
		socket_mate(s, mate);
		mate->ended = ended;
	}
	return 0;
}

/* One end of a stream: a pipe's, opened this way. */
static int unpack_end(struct unpacking *u, const struct socket *s, unsigned mode, struct file **out)
{
	int r = unpack_file(u, out);
	const struct file *f = *out;

	if (r != 0 || f == NULL)
		return r;
	return s->type == SOCKET_STREAM && f->ops == &file_pipe && f->ino == 0 &&
			       (f->flags & O_ACCMODE_) == mode
		       ? 0
		       : -E_IO;
}

/* Who waits to be accepted has been in nothing else, nor waits a second time. */
static int unpack_queue(struct unpacking *u, struct socket *s)
{
	struct file **link = &s->queue;

	while (unpack_below(u->in, 1) != 0) {
		size_t count = u->count;
		struct file *f;
		int r = unpack_file(u, &f);

		if (r != 0)
			return r;
		if (f == NULL)
			continue;
		if (f->ops != &file_socket || u->count == count || socket_of(f)->type != s->type) {
			file_put(f);
			return -E_IO;
		}
		*link = f;
		link = &socket_of(f)->queue_next;
		s->queued++;
		/* The list of what was read knows it no more: another queue can't have it. */
		unpack_take(u, count);
	}
	return u->in->bad ? -E_IO : 0;
}

static int unpack_rest(struct unpacking *u, struct socket *s)
{
	int r = unpack_end(u, s, O_RDONLY_, &s->in);

	if (r == 0)
		r = unpack_end(u, s, O_WRONLY_, &s->out);
	if (r == 0 && s->type == SOCKET_STREAM && s->ended)
		stream_shutdown(u->k, s, 0);
	if (r == 0)
		r = unpack_queue(u, s);
	return r == 0 ? messages_unpack(u, s) : r;
}

int socket_unpack(struct unpacking *u, struct file *f)
{
	struct socket *s = heap_zalloc(&u->k->heap, sizeof *s);
	size_t at;
	bool fresh;
	int r;

	if (s == NULL)
		return -E_NOMEM;
	f->u.object = s;
	s->id = ++u->k->pipes_made + PIPE_ID_FIRST;
	s->last = &s->first;
	s->type = (int)unpack_below(u->in, SOCKET_SEQUENCE);
	unpack_numbers(u->in, s);
	s->name = socket_name_unpack(u->in);
	s->peer = socket_name_unpack(u->in);
	if (s->bound)
		socket_list(u->k, s);
	if (u->in->bad ||
	    (s->type != SOCKET_STREAM && s->type != SOCKET_DATAGRAM && s->type != SOCKET_SEQUENCE))
		return -E_IO;
	r = unpack_mate(u, s);
	if (r != 0)
		return r;
	(void)unpack_thing(u, THING_SOCKET, &at, &fresh);
	if (!fresh)
		return -E_IO;
	unpack_set(u, at, s);
	return unpack_rest(u, s);
}
