/* SPDX-License-Identifier: MIT
 *
 * Sockets with names: what listens on a port or a path of this sandbox, and who connects to it.
 * There is no other network; a connection is a pair of pipes, made by connect.
 */
#include "kernel/socket.h"

enum { LEVEL_IPV6 = 41, ONLY_IPV6 = 26 };
enum { BACKLOG_MAX = 128, IN_PROGRESS = 115 /* only real programs see it: it has no text */ };

static bool is_any(const struct socket_name *n)
{
	for (size_t i = 0; i < sizeof n->ip; i++)
		if (n->ip[i] != 0)
			return false;
	return true;
}

/* Whether what is sent to `to` comes to a socket with this name. One of IPv6 that has any address
 * serves IPv4 as well. */
static bool reaches(const struct socket_name *at, const struct socket_name *to)
{
	if (at->family == SOCKET_UNIX)
		return to->family == SOCKET_UNIX && at->len == to->len &&
		       memcmp(at->path, to->path, to->len) == 0;
	if (to->family == SOCKET_UNIX || at->port != to->port)
		return false;
	if (at->family != to->family)
		return at->family == SOCKET_INET6 && is_any(at);
	return is_any(at) || is_any(to) || memcmp(at->ip, to->ip, sizeof at->ip) == 0;
}

/* A socket of IPv6 may be for that alone. */
static bool serves(struct socket *s, const struct socket_name *to)
{
	return reaches(&s->name, to) &&
	       (s->name.family == to->family || !socket_option_is_set(s, LEVEL_IPV6, ONLY_IPV6));
}

struct socket *socket_bound(struct kernel *k, const struct socket_name *n, int type)
{
	struct socket *s = k->sockets;

	for (; s != NULL && !(s->type == type && serves(s, n)); s = s->next)
		kernel_fuel(k)->left--;
	return s;
}

static bool is_file(const struct socket_name *n)
{
	return n->family == SOCKET_UNIX && n->len != 0 && n->path[0] != '\0';
}

int64_t socket_named(struct proc *p, const struct socket_name *n, int type, struct socket **out)
{
	struct socket *s = is_file(n) ? p->k->sockets : socket_bound(p->k, n, type);
	struct vfs_stat st;
	int64_t r = 0;

	*out = s;
	if (!is_file(n))
		return s == NULL && n->family == SOCKET_UNIX ? -E_CONNREFUSED : 0;
	r = sys_stat(p, AT_FDCWD_, n->path, 0, &st);
	if (r == 0)
		r = sys_access(p, AT_FDCWD_, n->path, 2);
	for (s = p->k->sockets; r == 0 && s != NULL; s = s->next) {
		kernel_fuel(p->k)->left--;
		if (s->ino != 0 ? s->ino == st.ino : s->type == type && reaches(&s->name, n))
			break;
	}
	*out = s;
	if (r == 0 && s == NULL)
		r = -E_CONNREFUSED;
	return r == 0 && s->type != type ? -E_PROTOTYPE : r;
}

/* The address that a socket has when it reached `to`: any is this machine. */
static void settle_address(struct socket_name *n)
{
	if (!is_any(n))
		return;
	if (n->family == SOCKET_INET) {
		n->ip[0] = 127;
		n->ip[3] = 1;
	} else if (n->family == SOCKET_INET6) {
		n->ip[15] = 1;
	}
}

/* An address of IPv4 as sockets of IPv6 see it. */
static void map_address(struct socket_name *n)
{
	if (n->family != SOCKET_INET)
		return;
	n->family = SOCKET_INET6;
	memcpy(n->ip + 12, n->ip, 4);
	memset(n->ip, 0, 10);
	n->ip[10] = n->ip[11] = 0xff;
}

void socket_list(struct kernel *k, struct socket *s)
{
	s->prev = NULL;
	s->next = k->sockets;
	if (s->next != NULL)
		s->next->prev = s;
	k->sockets = s;
}

void socket_unbind(struct kernel *k, struct socket *s)
{
	if (s->next != NULL)
		s->next->prev = s->prev;
	if (s->prev != NULL)
		s->prev->next = s->next;
	else if (k->sockets == s)
		k->sockets = s->next;
	if (s->ino != 0)
		vfs_drop(k->vfs, s->ino);
	s->ino = 0;
	while (s->queue != NULL) {
		struct file *f = s->queue;

		s->queue = socket_of(f)->queue_next;
		if (s->type == SOCKET_STREAM)
			stream_reset(socket_of(f));
		file_put(f);
	}
}

static struct socket *get(struct proc *p, int fd, int64_t *err)
{
	struct file *f = fd_file(p, fd);

	*err = f == NULL ? -E_BADF : f->ops != &file_socket ? -E_NOTSOCK : 0;
	return *err == 0 ? socket_of(f) : NULL;
}

int64_t sys_socket(struct proc *p, int family, int type, unsigned oflags)
{
	struct file *f;

	proc_charge(p, 4);
	f = type == SOCKET_STREAM ? socket_new(p->k, NULL, NULL, oflags)
				  : socket_of_messages(p->k, type, oflags);
	if (f == NULL)
		return -E_NOMEM;
	socket_of(f)->name.family = family;
	return fd_install(p, f, (oflags & O_CLOEXEC_) != 0);
}

/* Numbers that are tried, and which of them somebody has: so that the list is searched once. */
enum { TRIES = 20000 };
struct taken {
	uint8_t bits[(TRIES + 7) / 8];
};

static void mark(struct taken *t, uint64_t i)
{
	if (i < TRIES)
		t->bits[i / 8] |= (uint8_t)(1u << i % 8);
}

static bool is_marked(const struct taken *t, unsigned i)
{
	return (t->bits[i / 8] >> i % 8 & 1) != 0;
}

static int64_t free_port(struct kernel *k, struct socket_name *n, int type)
{
	struct taken t = { { 0 } };

	for (struct socket *s = k->sockets; s != NULL; s = s->next) {
		kernel_fuel(k)->left--;
		n->port = s->name.port;
		if (s->type == type && n->port >= 40000 && serves(s, n))
			mark(&t, n->port - 40000u);
	}
	for (int i = 0; i < TRIES; i++) {
		unsigned number = k->ports_made++ % TRIES;

		n->port = (uint16_t)(40000 + number);
		if (!is_marked(&t, number))
			return 0;
	}
	return -E_ADDRINUSE;
}

enum { NAME_DIGITS = 5 };

/* The number that a name of free_name's has, or UINT32_MAX. */
static uint32_t number_in(const struct socket_name *n)
{
	uint32_t number = 0;

	if (n->family != SOCKET_UNIX || n->len != 1 + NAME_DIGITS || n->path[0] != '\0')
		return UINT32_MAX;
	for (int d = 1; d <= NAME_DIGITS; d++) {
		char c = n->path[d];

		if (!(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'f'))
			return UINT32_MAX;
		number = number << 4 | (uint32_t)(c <= '9' ? c - '0' : c - 'a' + 10);
	}
	return number;
}

/* A name of a local socket that is no file: a NUL and five digits, as Linux gives them. */
static int64_t free_name(struct kernel *k, struct socket_name *n, int type)
{
	static const char digits[] = "0123456789abcdef";
	const uint32_t all = ((uint32_t)1 << 4 * NAME_DIGITS) - 1;
	uint32_t first = k->ports_made;
	struct taken t = { { 0 } };

	for (const struct socket *s = k->sockets; s != NULL; s = s->next) {
		uint32_t number = number_in(&s->name);

		kernel_fuel(k)->left--;
		if (s->type == type && number != UINT32_MAX)
			mark(&t, (number - first) & all);
	}
	n->len = 1 + NAME_DIGITS;
	for (unsigned i = 0; i < TRIES; i++) {
		unsigned number = k->ports_made++;

		n->path[0] = '\0';
		for (int d = NAME_DIGITS; d > 0; d--, number >>= 4)
			n->path[d] = digits[number & 15];
		if (!is_marked(&t, i))
			return 0;
	}
	return -E_ADDRINUSE;
}

static void give_name(struct kernel *k, struct socket *s, const struct socket_name *n)
{
	s->name = *n;
	s->bound = true;
	socket_list(k, s);
}

int64_t socket_autobind(struct proc *p, struct socket *s)
{
	struct socket_name n = { .family = s->name.family };
	int64_t err;

	if (s->bound)
		return 0;
	err = free_port(p->k, &n, s->type);
	settle_address(&n);
	if (err == 0)
		give_name(p->k, s, &n);
	return err;
}

/* Makes the file of a name; *ino: held. May wait. */
static int64_t make_file(struct proc *p, const struct socket_name *n, vfs_ino *ino)
{
	struct vfs_stat st;
	int64_t err = sys_mknod(p, AT_FDCWD_, n->path, S_SOCK | 0777, 0);

	if (err == 0)
		err = sys_stat(p, AT_FDCWD_, n->path, AT_NOFOLLOW_, &st);
	if (err == 0)
		err = vfs_hold(p->k->vfs, st.ino);
	*ino = err == 0 ? st.ino : 0;
	return err;
}

int64_t sys_bind(struct proc *p, int fd, const struct socket_name *name)
{
	struct socket_name n = *name;
	vfs_ino ino = 0;
	int64_t err;
	struct socket *s = get(p, fd, &err);

	proc_charge(p, 4);
	if (s == NULL)
		return err;
	if (s->bound && s->name.family == SOCKET_UNIX && n.family == SOCKET_UNIX && n.len == 0)
		return 0;
	if (n.family != s->name.family || s->bound || s->in != NULL)
		return -E_INVAL;
	if (n.family != SOCKET_UNIX && n.port == 0)
		err = free_port(p->k, &n, s->type);
	else if (n.family == SOCKET_UNIX && n.len == 0)
		err = free_name(p->k, &n, s->type);
	else if (is_file(&n))
		err = make_file(p, &n, &ino);
	else if (socket_bound(p->k, &n, s->type) != NULL)
		err = -E_ADDRINUSE;
	/* To make the name may take time, in which another thread gives it one. */
	if (err == 0 && s->bound)
		err = -E_INVAL;
	if (err != 0 && ino != 0)
		vfs_drop(p->k->vfs, ino);
	if (err != 0)
		return err == -E_EXIST ? -E_ADDRINUSE : err;
	s->ino = ino;
	give_name(p->k, s, &n);
	return 0;
}

int64_t sys_listen(struct proc *p, int fd)
{
	int64_t err;
	struct socket *s = get(p, fd, &err);
	struct socket_name any = { .family = SOCKET_INET };

	if (s == NULL)
		return err;
	if (s->type == SOCKET_DATAGRAM)
		return -E_OPNOTSUPP;
	if (s->in != NULL)
		return -E_INVAL;
	any.family = s->name.family;
	if (!s->bound)
		err = s->name.family != SOCKET_UNIX ? sys_bind(p, fd, &any) : -E_INVAL;
	s->listens = err == 0;
	s->who = socket_me(p);
	return err;
}

/* Both ends of a new connection: the caller's becomes s, the other one is returned. */
static struct file *make_ends(struct kernel *k, struct socket *s)
{
	struct file *end[4];
	struct file *f;

	if (s->type == SOCKET_SEQUENCE) {
		f = socket_of_messages(k, s->type, 0);
		if (f != NULL)
			socket_mate(s, socket_of(f));
		return f;
	}
	if (socket_pipes(k, end) != 0)
		return NULL;
	f = socket_new(k, end[2], end[1], 0);
	if (f == NULL) {
		file_put(end[0]);
		file_put(end[3]);
		return NULL;
	}
	s->in = end[0];
	s->out = end[3];
	return f;
}

static void enqueue(struct socket *to, struct file *f)
{
	struct file **link = &to->queue;

	while (*link != NULL)
		link = &socket_of(*link)->queue_next;
	*link = f;
	to->queued++;
}

/* Datagrams: who is meant from now on. Nobody is asked. */
static int64_t connect_messages(struct proc *p, struct socket *s, const struct socket *to,
				const struct socket_name *name)
{
	s->has_peer = name->family != 0;
	s->peer = to != NULL && name->family == SOCKET_UNIX ? to->name : *name;
	return s->has_peer && name->family != SOCKET_UNIX ? socket_autobind(p, s) : 0;
}

/* The names of both ends. */
static void name_ends(struct proc *p, struct socket *s, struct socket *other,
		      const struct socket *to, const struct socket_name *name)
{
	if (!s->bound && s->name.family != SOCKET_UNIX)
		s->name.port = (uint16_t)(40000 + (p->k->ports_made++ % 20000));
	settle_address(&s->name);
	s->peer = name->family == SOCKET_UNIX ? to->name : *name;
	settle_address(&s->peer);
	other->name = s->peer;
	other->peer = s->name;
	if (to->name.family == SOCKET_INET6) {
		map_address(&other->name);
		map_address(&other->peer);
	}
	other->who = socket_me(p);
	s->who = to->who;
}

static int64_t connect_now(struct proc *p, int fd, const struct socket_name *name)
{
	struct socket *to = NULL;
	struct file *f;
	int64_t err;
	bool other;
	struct socket *s = get(p, fd, &err);

	proc_charge(p, 8);
	if (s == NULL)
		return err;
	/* This may wait: nothing is known of the socket before. */
	if (name->family == s->name.family)
		err = socket_named(p, name, s->type, &to);
	other = name->family != 0 && name->family != s->name.family;
	if (s->listens || (other && s->name.family == SOCKET_UNIX))
		return -E_INVAL;
	if (stream_is_connected(s) || s->mate != NULL)
		return -E_ISCONN;
	if (other)
		return -E_AFNOSUPPORT;
	if (err != 0)
		return err;
	if (tracing(p->k) && name->family != SOCKET_UNIX && name->family != 0)
		trace_connect(p, name->port);
	if (s->type == SOCKET_DATAGRAM)
		return connect_messages(p, s, to, name);
	if (to == NULL || !to->listens || to->queued >= BACKLOG_MAX)
		return -E_CONNREFUSED;
	f = make_ends(p->k, s);
	if (f == NULL)
		return -E_NOMEM;
	name_ends(p, s, socket_of(f), to, name);
	enqueue(to, f);
	sched_wake_all(&to->waiting);
	sched_wake_all(&p->k->poll_waiters);
	return 0;
}

/* On a network the answer comes later: who does not wait is told so, and asks again. */
int64_t sys_connect(struct proc *p, int fd, const struct socket_name *name)
{
	int64_t err;
	struct socket *s = get(p, fd, &err);
	bool waits = s == NULL || (fd_file(p, fd)->flags & O_NONBLOCK_) == 0;
	bool fresh = s != NULL && s->fresh;

	if (s != NULL && !stream_is_connected(s)) {
		s->reset = false;
		if (s->error != 0)
			return -socket_take_error(s);
	}
	if (s != NULL)
		s->fresh = false;
	err = connect_now(p, fd, name);
	if (fresh && err == -E_ISCONN)
		return 0;
	if (waits || s->type != SOCKET_STREAM || s->name.family == SOCKET_UNIX ||
	    (err != 0 && err != -E_CONNREFUSED))
		return err;
	s->fresh = err == 0;
	s->reset = err != 0;
	s->error = (int)-err;
	return -IN_PROGRESS;
}

int64_t sys_accept(struct proc *p, int fd, unsigned oflags)
{
	struct file *listener = fd_file(p, fd);
	int64_t err;
	struct socket *s = get(p, fd, &err);
	int64_t until = TIMER_NEVER;
	struct file *f;

	proc_charge(p, 4);
	if (s == NULL)
		return err;
	if (!s->listens)
		return -E_INVAL;
	if (socket_time(s, SOCKET_READ_TIME) != 0)
		until = kernel_now(p->k) + socket_time(s, SOCKET_READ_TIME);
	while (s->queue == NULL) {
		if ((listener->flags & O_NONBLOCK_) != 0)
			return -E_AGAIN;
		err = sched_block(p, &s->waiting, until);
		if (err != 0)
			return err == -E_TIMEDOUT ? -E_AGAIN : err;
		if (fd_file(p, fd) != listener)
			return -E_BADF;
	}
	f = s->queue;
	s->queue = socket_of(f)->queue_next;
	socket_of(f)->queue_next = NULL;
	s->queued--;
	f->flags |= oflags & O_NONBLOCK_;
	return fd_install(p, f, (oflags & O_CLOEXEC_) != 0);
}

int64_t sys_socket_name(struct proc *p, int fd, bool peer, struct socket_name *out)
{
	int64_t err;
	const struct socket *s = get(p, fd, &err);

	if (s == NULL)
		return err;
	if (peer && s->type == SOCKET_STREAM && s->name.family != SOCKET_UNIX &&
	    stream_is_closed(s))
		return -E_NOTCONN;
	if (peer && !stream_is_connected(s) && s->mate == NULL && !s->has_peer)
		return -E_NOTCONN;
	*out = peer ? s->peer : s->name;
	return 0;
}

bool sys_is_listening(struct proc *p, int fd)
{
	int64_t err;
	const struct socket *s = get(p, fd, &err);

	return s != NULL && s->listens;
}
