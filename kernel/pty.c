/* SPDX-License-Identifier: MIT
 *
 * Pseudo-terminals. Opening /dev/ptmx makes one: the file is its master end, and /dev/pts/N,
 * which is there as long as the master, opens the other end. Between them lies a struct tty.
 *
 * A terminal may control a session (TIOCSCTTY, or the first open by the session's leader): keys
 * signal its group in the foreground, which alone may read, and /dev/tty means it.
 */
#include "kernel/tty.h"

enum { NUMBER_MAX = 255, L_CANONICAL = 2, KEY_TIME = 5, KEY_MIN = 6 };

struct pty {
	struct tty tty;
	struct pty *next;
	uint32_t number;
	uint32_t masters; /* open files */
	uint32_t slaves;
	bool opened; /* the slave has been open */
	bool locked;
	bool packets; /* what the master reads has a byte before it that says: data */
	struct waitq waiting;
};

static struct pty *pty_of(const struct file *f)
{
	return f->u.object;
}

static void changed(struct pty *y)
{
	sched_wake_all(&y->waiting);
	sched_wake_all(&y->tty.k->poll_waiters);
}

static int wait_change(struct proc *p, struct file *f, int64_t until)
{
	return (f->flags & O_NONBLOCK_) != 0 ? -E_AGAIN
					     : sched_block(p, &pty_of(f)->waiting, until);
}

/* --- the master --- */

static int64_t master_read(struct proc *p, struct file *f, void *out, size_t n)
{
	struct pty *y = pty_of(f);
	struct tty *t = &y->tty;

	while (t->out_len == 0) {
		int r = y->opened && y->slaves == 0 ? -E_IO : wait_change(p, f, TIMER_NEVER);

		if (r != 0)
			return r;
	}
	if (n == 0)
		return 0;
	*(char *)out = 0;
	n -= y->packets;
	if (n > t->out_len)
		n = t->out_len;
	memcpy((char *)out + y->packets, t->out, n);
	t->out_len -= n;
	memmove(t->out, t->out + n, t->out_len);
	changed(y);
	return (int64_t)n + y->packets;
}

static int64_t master_write(struct proc *p, struct file *f, const void *data, size_t n)
{
	struct pty *y = pty_of(f);
	size_t done = 0;

	while (done < n) {
		size_t part = tty_type(&y->tty, (const char *)data + done, n - done);
		int r = 0;

		done += part;
		changed(y);
		sig_settle(p);
		p->priv->moved = done;
		if (part == 0)
			r = wait_change(p, f, TIMER_NEVER);
		if (r != 0)
			return done != 0 ? (int64_t)done : r;
	}
	return (int64_t)done;
}

static unsigned master_poll(struct proc *p, struct file *f)
{
	const struct pty *y = pty_of(f);

	(void)p;
	return (y->tty.out_len != 0 ? POLL_READ_ : 0u) |
	       (y->tty.in_len < TTY_INPUT - 1 ? (unsigned)POLL_WRITE_ : 0u) |
	       (y->opened && y->slaves == 0 ? (unsigned)POLL_HUP_ : 0u);
}

static void free_if_unused(struct kernel *k, struct pty *y)
{
	struct pty **link = &k->ptys;

	if (y->masters != 0 || y->slaves != 0)
		return;
	while (*link != y)
		link = &(*link)->next;
	*link = y->next;
	heap_free(&k->heap, y, sizeof *y);
}

static void slave_path(const struct pty *y, char out[16])
{
	static const char start[] = "/dev/pts/";
	char digits[4];
	size_t n = 0;
	size_t at = sizeof start - 1;

	for (uint32_t v = y->number; n == 0 || v != 0; v /= 10)
		digits[n++] = (char)('0' + v % 10);
	memcpy(out, start, at);
	while (n > 0)
		out[at++] = digits[--n];
	out[at] = '\0';
}

/* The terminal hangs up: its session learns of it. */
static void master_close(struct kernel *k, struct file *f)
{
	static const struct vfs_cred root = { 0 };
	struct pty *y = pty_of(f);
	int session = y->tty.session;
	int group = y->tty.group;
	char path[16];

	if (--y->masters != 0)
		return;
	slave_path(y, path);
	vfs_unlink(k->vfs, &root, VFS_ROOT, path);
	y->tty.session = y->tty.group = 0;
	changed(y);
	free_if_unused(k, y);
	if (session == 0)
		return;
	if (group != session)
		sig_send_group(k, group, SIGHUP_);
	sig_send_group(k, session, SIGHUP_);
	sig_send_group(k, group, SIGCONT_);
}

static int master_copy(struct copying *w, const struct file *like, struct file *f);

static const struct file_ops file_master = {
	.name = "/dev/ptmx",
	.read = master_read,
	.write = master_write,
	.poll = master_poll,
	.close = master_close,
	.copy = master_copy,
};

static bool number_is_used(const struct kernel *k, uint32_t n)
{
	for (const struct pty *y = k->ptys; y != NULL; y = y->next)
		if (y->number == n && y->masters != 0)
			return true;
	return false;
}

static int make_node(struct proc *p, const struct pty *y)
{
	static const struct vfs_cred root = { 0 };
	struct vfs *v = p->k->vfs;
	char path[16];
	vfs_ino ino;
	int r;

	slave_path(y, path);
	r = vfs_mknod(v, &root, VFS_ROOT, path, S_CHR | 0620, PTY_DEVICE | y->number);
	if (r == -E_EXIST)
		r = 0;
	if (r == 0)
		r = vfs_lookup(v, &root, VFS_ROOT, path, 0, &ino);
	if (r == 0)
		r = vfs_chown(v, &root, ino, p->cred.uid, PTY_GROUP);
	return r == VFS_PENDING ? -E_IO : r;
}

int pty_open_master(struct proc *p, unsigned oflags, struct file **out)
{
	struct kernel *k = p->k;
	struct pty *y = heap_zalloc(&k->heap, sizeof *y);
	int r;

	if (y == NULL)
		return -E_NOMEM;
	tty_init(&y->tty, k);
	while (number_is_used(k, y->number))
		y->number++;
	r = y->number <= NUMBER_MAX ? make_node(p, y) : -E_NOSPC;
	*out = r == 0 ? file_new(k, &file_master, oflags) : NULL;
	if (*out == NULL) {
		heap_free(&k->heap, y, sizeof *y);
		return r != 0 ? r : -E_NOMEM;
	}
	y->locked = true;
	y->masters = 1;
	y->next = k->ptys;
	k->ptys = y;
	(*out)->u.object = y;
	return 0;
}

/* --- the slave --- */

/* A process in the background is stopped when it reads: 0, or what the read gives. */
static int in_foreground(struct proc *p, const struct pty *y)
{
	const struct proc *owner = proc_owner(p);
	uint64_t bit = (uint64_t)1 << (SIGTTIN_ - 1);

	if (y->tty.session != owner->sid || y->tty.group == owner->pgid)
		return 0;
	if ((p->sig_blocked & bit) != 0 || p->sig_action[SIGTTIN_] == SIG_IGNORED)
		return -E_IO;
	sys_kill(p, -owner->pgid, SIGTTIN_);
	return -E_INTR;
}

static int64_t slave_read(struct proc *p, struct file *f, void *out, size_t n)
{
	struct pty *y = pty_of(f);
	const struct tty_settings *s = &y->tty.set;
	int64_t until = TIMER_NEVER;
	int64_t got;
	int r;

	if (n == 0)
		return 0;
	if ((s->local & L_CANONICAL) == 0 && s->keys[KEY_MIN] == 0)
		until = kernel_now(p->k) + s->keys[KEY_TIME] * (int64_t)100000000;
	for (;;) {
		r = y->masters != 0 ? in_foreground(p, y) : 0;
		if (r != 0)
			return r;
		got = tty_take(&y->tty, out, n);
		if (got >= 0)
			break;
		if (y->masters == 0 || (until != TIMER_NEVER && kernel_now(p->k) >= until))
			return 0;
		r = wait_change(p, f, until);
		if (r != 0 && r != -E_TIMEDOUT)
			return r;
	}
	changed(y);
	return got;
}

static int64_t slave_write(struct proc *p, struct file *f, const void *data, size_t n)
{
	struct pty *y = pty_of(f);
	size_t done = 0;

	while (done < n) {
		size_t part;
		int r = 0;

		if (y->masters == 0)
			return -E_IO;
		part = tty_print(&y->tty, (const char *)data + done, n - done);
		done += part;
		p->priv->moved = done;
		if (part != 0)
			changed(y);
		else
			r = wait_change(p, f, TIMER_NEVER);
		if (r != 0)
			return done != 0 ? (int64_t)done : r;
	}
	return (int64_t)done;
}

static unsigned slave_poll(struct proc *p, struct file *f)
{
	const struct pty *y = pty_of(f);

	(void)p;
	if (y->masters == 0)
		return POLL_READ_ | POLL_WRITE_ | POLL_HUP_;
	return (tty_readable(&y->tty) ? POLL_READ_ : 0u) |
	       (y->tty.out_len + 1 < TTY_OUTPUT ? (unsigned)POLL_WRITE_ : 0u);
}

static void slave_close(struct kernel *k, struct file *f)
{
	struct pty *y = pty_of(f);

	if (--y->slaves == 0)
		changed(y);
	free_if_unused(k, y);
}

/* The terminal of the other kernel that stands for this one. */
static struct pty *copy_pty(struct copying *w, const struct pty *like)
{
	struct pty *y = copy_find(w, like);

	if (y != NULL)
		return y;
	y = heap_alloc(&w->to->heap, sizeof *y);
	if (y == NULL || copy_note(w, like, y) != 0) {
		heap_free(&w->to->heap, y, sizeof *y);
		return NULL;
	}
	*y = *like;
	y->tty.k = w->to;
	y->masters = y->slaves = 0;
	y->waiting = (struct waitq){ NULL, NULL };
	y->next = w->to->ptys;
	w->to->ptys = y;
	return y;
}

static int slave_copy(struct copying *w, const struct file *like, struct file *f)
{
	struct pty *y = copy_pty(w, pty_of(like));

	f->u.object = y;
	if (y != NULL)
		y->slaves++;
	return y != NULL ? 0 : -E_NOMEM;
}

static int master_copy(struct copying *w, const struct file *like, struct file *f)
{
	struct pty *y = copy_pty(w, pty_of(like));

	f->u.object = y;
	if (y != NULL)
		y->masters++;
	return y != NULL ? 0 : -E_NOMEM;
}

static const struct file_ops file_slave = {
	.name = "terminal",
	.read = slave_read,
	.write = slave_write,
	.poll = slave_poll,
	.close = slave_close,
	.copy = slave_copy,
};

static struct pty *controlling(struct kernel *k, int session)
{
	struct pty *y = k->ptys;

	while (y != NULL && (y->tty.session != session || y->masters == 0))
		y = y->next;
	return y;
}

static void adopt(struct proc *p, struct pty *y)
{
	y->tty.session = proc_owner(p)->sid;
	y->tty.group = proc_owner(p)->pgid;
}

static int open_slave(struct proc *p, struct pty *y, unsigned oflags, struct file **out)
{
	const struct proc *owner = proc_owner(p);

	*out = file_new(p->k, &file_slave, oflags);
	if (*out == NULL)
		return -E_NOMEM;
	(*out)->u.object = y;
	y->slaves++;
	y->opened = true;
	if ((oflags & O_NOCTTY_) == 0 && owner->sid == owner->pid && y->tty.session == 0 &&
	    controlling(p->k, owner->sid) == NULL)
		adopt(p, y);
	return 0;
}

int pty_open_slave(struct proc *p, uint32_t number, unsigned oflags, struct file **out)
{
	struct pty *y = p->k->ptys;

	while (y != NULL && (y->number != number || y->masters == 0))
		y = y->next;
	if (y == NULL || y->locked)
		return y == NULL ? -E_NXIO : -E_IO;
	return open_slave(p, y, oflags, out);
}

int pty_open_controlling(struct proc *p, unsigned oflags, struct file **out)
{
	struct pty *y = controlling(p->k, proc_owner(p)->sid);

	return y != NULL ? open_slave(p, y, oflags | O_NOCTTY_, out) : -E_NXIO;
}

/* --- what programs ask of either end --- */

static struct pty *get(struct proc *p, int fd, int64_t *err)
{
	const struct file *f = fd_file(p, fd);

	proc_charge(p, 2);
	*err = f == NULL ? -E_BADF : 0;
	if (f != NULL && (f->ops == &file_master || f->ops == &file_slave))
		return pty_of(f);
	if (f != NULL)
		*err = -E_NOTTY;
	return NULL;
}

static struct pty *get_master(struct proc *p, int fd, int64_t *err)
{
	struct pty *y = get(p, fd, err);

	if (y != NULL && fd_file(p, fd)->ops != &file_master) {
		*err = -E_NOTTY;
		return NULL;
	}
	return y;
}

bool pty_is_terminal(const struct file *f)
{
	return f->ops == &file_master || f->ops == &file_slave;
}

/* A pseudo-terminal, or the session's own terminal: the other one is NULL. 0 or an error. */
static int64_t get_either(struct proc *p, int fd, struct pty **y, struct console **c)
{
	int64_t err;

	*y = get(p, fd, &err);
	*c = err == -E_NOTTY && console_is_terminal(p->k, fd_file(p, fd)) ? &p->k->console : NULL;
	return *c != NULL ? 0 : err;
}

int64_t sys_tty_kind(struct proc *p, int fd)
{
	struct pty *y;
	struct console *c;
	int64_t err = get_either(p, fd, &y, &c);

	return err != 0 ? err : c != NULL ? TTY_CONSOLE : TTY_PTY;
}

int64_t sys_tty_get(struct proc *p, int fd, struct tty_settings *out)
{
	struct pty *y;
	struct console *c;
	int64_t err = get_either(p, fd, &y, &c);

	if (err == 0)
		*out = c != NULL ? c->settings : y->tty.set;
	return err;
}

int64_t sys_tty_set(struct proc *p, int fd, const struct tty_settings *s, bool flush)
{
	struct pty *y;
	struct console *c;
	int64_t err = get_either(p, fd, &y, &c);
	bool canonical;

	if (err != 0)
		return err;
	if (c != NULL) {
		tty_assign(&c->settings, s);
		if (flush)
			c->in_pos = c->in_len;
		return 0;
	}
	canonical = (y->tty.set.local & L_CANONICAL) != 0;
	tty_assign(&y->tty.set, s);
	if (flush)
		tty_flush(&y->tty, true, false);
	tty_changed(&y->tty, canonical);
	changed(y);
	return 0;
}

int64_t sys_tty_size(struct proc *p, int fd, uint16_t size[4], bool set)
{
	struct pty *y;
	struct console *c;
	int64_t err = get_either(p, fd, &y, &c);
	uint16_t *is = c != NULL ? c->size : y != NULL ? y->tty.size : NULL;
	bool same;

	if (err != 0)
		return err;
	same = memcmp(is, size, sizeof y->tty.size) == 0;
	memcpy(set ? is : size, set ? size : is, sizeof y->tty.size);
	if (!set || same || y == NULL)
		return 0;
	if (y->tty.group > 0)
		sig_send_group(p->k, y->tty.group, SIGWINCH_);
	sig_settle(p);
	return 0;
}

int64_t sys_tty_group(struct proc *p, int fd, int *group, bool set)
{
	int64_t err;
	struct pty *y = get(p, fd, &err);
	const struct file *f = fd_file(p, fd);

	if (y == NULL)
		return err;
	if (f->ops == &file_slave && y->tty.session != proc_owner(p)->sid)
		return -E_NOTTY;
	if (!set) {
		*group = y->tty.group;
		return 0;
	}
	if (y->tty.session != proc_owner(p)->sid)
		return -E_NOTTY;
	if (*group <= 0)
		return -E_INVAL;
	y->tty.group = *group;
	return 0;
}

int64_t sys_tty_session(struct proc *p, int fd)
{
	int64_t err;
	const struct pty *y = get(p, fd, &err);

	if (y == NULL)
		return err;
	return y->tty.session != 0 ? y->tty.session : -E_NOTTY;
}

int64_t sys_tty_control(struct proc *p, int fd, bool steal)
{
	const struct proc *owner = proc_owner(p);
	int64_t err;
	struct pty *y = get(p, fd, &err);

	if (y == NULL)
		return err;
	if (y->tty.session == owner->sid && owner->sid == owner->pid)
		return 0;
	if (owner->sid != owner->pid || controlling(p->k, owner->sid) != NULL)
		return -E_PERM;
	if (y->tty.session != 0 && !(steal && p->cred.uid == 0))
		return -E_PERM;
	adopt(p, y);
	return 0;
}

int64_t sys_tty_release(struct proc *p, int fd)
{
	const struct proc *owner = proc_owner(p);
	int64_t err;
	struct pty *y = get(p, fd, &err);

	if (y == NULL)
		return err;
	if (y->tty.session != owner->sid)
		return -E_NOTTY;
	if (owner->sid == owner->pid)
		y->tty.session = y->tty.group = 0;
	return 0;
}

int64_t sys_tty_flush(struct proc *p, int fd, bool input, bool output)
{
	int64_t err;
	struct pty *y = get(p, fd, &err);

	if (y == NULL)
		return err;
	tty_flush(&y->tty, input, output);
	changed(y);
	return 0;
}

int64_t sys_tty_waiting(struct proc *p, int fd, bool output)
{
	int64_t err;
	const struct pty *y = get(p, fd, &err);
	bool master = y != NULL && fd_file(p, fd)->ops == &file_master;

	if (y == NULL)
		return err;
	return (int64_t)(output != master ? y->tty.out_len : y->tty.in_ready);
}

int64_t sys_pty_number(struct proc *p, int fd)
{
	int64_t err;
	const struct pty *y = get_master(p, fd, &err);

	return y != NULL ? (int64_t)y->number : err;
}

int64_t sys_pty_lock(struct proc *p, int fd, bool locked)
{
	int64_t err;
	struct pty *y = get_master(p, fd, &err);

	if (y != NULL)
		y->locked = locked;
	return err;
}

int64_t sys_pty_packets(struct proc *p, int fd, bool on)
{
	int64_t err;
	struct pty *y = get_master(p, fd, &err);

	if (y != NULL)
		y->packets = on;
	return err;
}

int64_t sys_pty_has_packets(struct proc *p, int fd)
{
	int64_t err;
	const struct pty *y = get_master(p, fd, &err);

	return y != NULL ? y->packets : err;
}

int64_t sys_pty_is_locked(struct proc *p, int fd)
{
	int64_t err;
	const struct pty *y = get_master(p, fd, &err);

	return y != NULL ? y->locked : err;
}

int64_t sys_pty_peer(struct proc *p, int fd, unsigned oflags)
{
	int64_t err;
	const struct pty *y = get_master(p, fd, &err);
	char path[16];

	if (y == NULL)
		return err;
	slave_path(y, path);
	return sys_open(p, AT_FDCWD_, path, oflags, 0);
}
