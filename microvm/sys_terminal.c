/* SPDX-License-Identifier: MIT
 *
 * ioctl of terminals: pseudo-terminals have all of termios(3); the session's own has settings and
 * a size, which the host obeys if it can, and controls nobody.
 */
#include "microvm/private.h"

enum {
	TCGETS_ = 0x5401,
	TCSETS_ = 0x5402,
	TCSETSW_ = 0x5403,
	TCSETSF_ = 0x5404,
	TCSBRK_ = 0x5409,
	TCXONC_ = 0x540a,
	TCFLSH_ = 0x540b,
	TIOCEXCL_ = 0x540c,
	TIOCNXCL_ = 0x540d,
	TIOCSCTTY_ = 0x540e,
	TIOCGPGRP_ = 0x540f,
	TIOCSPGRP_ = 0x5410,
	TIOCOUTQ_ = 0x5411,
	TIOCGWINSZ_ = 0x5413,
	TIOCSWINSZ_ = 0x5414,
	FIONREAD_ = 0x541b,
	TIOCNOTTY_ = 0x5422,
	TCSBRKP_ = 0x5425,
	TIOCGSID_ = 0x5429,
	SETTINGS_BYTES = 36, /* as the system call has them: no speeds */
};
#define TIOCGPTN_    0x80045430u
#define TIOCPKT_     0x5420u
#define TIOCGPKT_    0x80045438u
#define TIOCSPTLCK_  0x40045431u
#define TIOCGPTLCK_  0x80045439u
#define TIOCGPTPEER_ 0x5441u

/* --- settings --- */

static int64_t get_settings(struct task *t, int fd, uint64_t address)
{
	struct tty_settings s;
	int64_t r = sys_tty_get(t->p, fd, &s);

	return r != 0 ? r : put_user(t, address, &s, SETTINGS_BYTES);
}

static int64_t set_settings(struct task *t, int fd, uint64_t address, bool flush)
{
	struct tty_settings s;

	return get_user(t, &s, address, SETTINGS_BYTES) != 0 ? -E_FAULT
							     : sys_tty_set(t->p, fd, &s, flush);
}

static int64_t size(struct task *t, int fd, uint64_t address, bool set)
{
	uint16_t v[4] = { 0 };
	int64_t r = set && get_user(t, v, address, sizeof v) != 0 ? -E_FAULT : 0;

	if (r == 0)
		r = sys_tty_size(t->p, fd, v, set);
	return r == 0 && !set ? put_user(t, address, v, sizeof v) : r;
}

static int64_t group(struct task *t, int fd, uint64_t address, bool set)
{
	int32_t v = 0;
	int64_t r = set && get_user(t, &v, address, sizeof v) != 0 ? -E_FAULT : 0;

	if (r == 0)
		r = sys_tty_group(t->p, fd, &v, set);
	return r == 0 && !set ? put_user(t, address, &v, sizeof v) : r;
}

/* What a call of the kernel gave, as a number of the program's. */
static int64_t put_number(struct task *t, uint64_t address, int64_t value)
{
	int32_t v = (int32_t)value;

	return value < 0 ? value : put_user(t, address, &v, sizeof v);
}

/* Of the session's own terminal, where every process is in the foreground. */
static int64_t console_ioctl(struct task *t, unsigned request, uint64_t a)
{
	int32_t group = t->p->pgid;

	switch (request) {
	case TIOCGPGRP_: return put_user(t, a, &group, sizeof group);
	case TIOCSPGRP_: return 0;
	default: return -E_NOTTY;
	}
}

static int64_t lock(struct task *t, int fd, uint64_t address)
{
	int32_t on;

	return get_user(t, &on, address, sizeof on) != 0 ? -E_FAULT
							 : sys_pty_lock(t->p, fd, on != 0);
}

static int64_t set_packets(struct task *t, int fd, uint64_t address)
{
	int32_t on;

	return get_user(t, &on, address, sizeof on) != 0 ? -E_FAULT
							 : sys_pty_packets(t->p, fd, on != 0);
}

static int64_t pty_ioctl(struct task *t, int fd, unsigned request, uint64_t a)
{
	struct proc *p = t->p;

	switch (request) {
	case TCSBRK_:
	case TCSBRKP_:
	case TCXONC_:
	case TIOCEXCL_:
	case TIOCNXCL_: return 0;
	case TCFLSH_: return a > 2 ? -E_INVAL : sys_tty_flush(p, fd, a != 1, a != 0);
	case TIOCSCTTY_: return sys_tty_control(p, fd, a == 1);
	case TIOCNOTTY_: return sys_tty_release(p, fd);
	case TIOCGPGRP_: return group(t, fd, a, false);
	case TIOCSPGRP_: return group(t, fd, a, true);
	case TIOCGSID_: return put_number(t, a, sys_tty_session(p, fd));
	case TIOCOUTQ_: return put_number(t, a, sys_tty_waiting(p, fd, true));
	case FIONREAD_: return put_number(t, a, sys_tty_waiting(p, fd, false));
	case TIOCGPTN_: return put_number(t, a, sys_pty_number(p, fd));
	case TIOCSPTLCK_: return lock(t, fd, a);
	case TIOCPKT_: return set_packets(t, fd, a);
	case TIOCGPKT_: return put_number(t, a, sys_pty_has_packets(p, fd));
	case TIOCGPTLCK_: return put_number(t, a, sys_pty_is_locked(p, fd));
	case TIOCGPTPEER_: return sys_pty_peer(p, fd, (unsigned)a);
	default: return -E_NOTTY;
	}
}

enum { SOCKET_REQUESTS = 0x89 };

int64_t terminal_ioctl(struct task *t, int fd, unsigned request, uint64_t a)
{
	int64_t kind = sys_tty_kind(t->p, fd);

	if (request >> 8 == SOCKET_REQUESTS && sys_is_socket(t->p, fd))
		return interface_ioctl(t, request, a);
	if (kind < 0)
		return kind;
	switch (request) {
	case TCGETS_: return get_settings(t, fd, a);
	case TCSETS_:
	case TCSETSW_: return set_settings(t, fd, a, false);
	case TCSETSF_: return set_settings(t, fd, a, true);
	case TIOCGWINSZ_: return size(t, fd, a, false);
	case TIOCSWINSZ_: return size(t, fd, a, true);
	default: break;
	}
	return kind == TTY_CONSOLE ? console_ioctl(t, request, a) : pty_ioctl(t, fd, request, a);
}
