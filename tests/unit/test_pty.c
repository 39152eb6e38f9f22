/* SPDX-License-Identifier: MIT
 *
 * Pseudo-terminals: lines and characters, echo, signals of keys, hangup, sizes, sessions.
 */
#include "tests/unit/kernel_env.h"

enum { LOCAL_ISIG = 1, LOCAL_ICANON = 2, LOCAL_ECHO = 8, MIN_KEY = 6 };

struct ends {
	int master;
	int slave;
};

static struct ends open_pty(struct proc *p)
{
	struct ends e;

	e.master = (int)sys_open(p, AT_FDCWD_, "/dev/ptmx", O_RDWR_ | O_NOCTTY_, 0);
	CHECK(e.master >= 0);
	CHECK_EQ(sys_pty_is_locked(p, e.master), 1);
	CHECK_EQ(sys_pty_peer(p, e.master, O_RDWR_ | O_NOCTTY_) >= 0, 0);
	CHECK_EQ(sys_pty_lock(p, e.master, false), 0);
	e.slave = (int)sys_pty_peer(p, e.master, O_RDWR_ | O_NOCTTY_);
	CHECK(e.slave >= 0);
	return e;
}

/* What can be read now, as text; its length. */
static int64_t text(struct proc *p, int fd, char out[64])
{
	struct poll_item item = { .fd = fd, .want = POLL_READ_ };
	int64_t n = 0;

	if (sys_poll(p, &item, 1, 0) == 1)
		n = sys_read(p, fd, out, 63);
	out[n > 0 ? n : 0] = '\0';
	return n;
}

static int lines(struct proc *p, void *arg)
{
	struct ends e = open_pty(p);
	struct tty_settings s;
	char got[64];

	(void)arg;
	CHECK(sys_isatty(p, e.slave));
	CHECK(!sys_isatty(p, 1));
	CHECK_EQ(sys_write(p, e.master, "ab", 2), 2);
	CHECK_EQ(text(p, e.slave, got), 0); /* no line yet */
	CHECK_EQ(sys_write(p, e.master, "x\177c\r", 4), 4);
	CHECK_EQ(sys_tty_waiting(p, e.slave, false), 4);
	CHECK_EQ(text(p, e.slave, got), 4);
	CHECK_STR(got, "abc\n");
	text(p, e.master, got); /* the echo, with the character taken back */
	CHECK_STR(got, "abx\b \bc\r\n");
	CHECK_EQ(sys_write(p, e.slave, "out\n", 4), 4);
	text(p, e.master, got);
	CHECK_STR(got, "out\r\n");
	CHECK_EQ(sys_write(p, e.master, "half\4", 5), 5); /* ^D ends a line without its newline */
	text(p, e.slave, got);
	CHECK_STR(got, "half");
	CHECK_EQ(sys_tty_get(p, e.slave, &s), 0);
	s.local &= ~(uint32_t)(LOCAL_ICANON | LOCAL_ECHO);
	s.keys[MIN_KEY] = 1;
	CHECK_EQ(sys_tty_set(p, e.slave, &s, true), 0);
	text(p, e.master, got);
	CHECK_EQ(sys_write(p, e.master, "q", 1), 1);
	CHECK_EQ(text(p, e.slave, got), 1);
	CHECK_STR(got, "q");
	CHECK_EQ(text(p, e.master, got), 0); /* no echo */
	CHECK_EQ(sys_tty_get(p, 1, &s), -E_NOTTY);
	CHECK_EQ(sys_tty_get(p, 77, &s), -E_BADF);
	return 0;
}

static int sizes(struct proc *p, void *arg)
{
	struct ends e = open_pty(p);
	uint16_t size[4] = { 40, 100, 0, 0 };
	char name[32];
	char got[64];

	(void)arg;
	CHECK_EQ(sys_tty_size(p, e.master, size, true), 0);
	memset(size, 0, sizeof size);
	CHECK_EQ(sys_tty_size(p, e.slave, size, false), 0);
	CHECK_EQ(size[0], 40);
	CHECK_EQ(size[1], 100);
	snprintf(name, sizeof name, "/dev/pts/%d", (int)sys_pty_number(p, e.master));
	CHECK(sys_open(p, AT_FDCWD_, name, O_RDWR_ | O_NOCTTY_, 0) >= 0);
	CHECK_EQ(sys_close(p, e.master), 0);
	CHECK_EQ(sys_read(p, e.slave, got, 10), 0); /* hung up */
	CHECK_EQ(sys_write(p, e.slave, "x", 1), -E_IO);
	CHECK_EQ(sys_open(p, AT_FDCWD_, name, O_RDWR_ | O_NOCTTY_, 0) < 0, 1);
	return 0;
}

static int in_session(struct proc *p, void *arg)
{
	struct ends *e = arg;
	int group = 0;
	char got[8];

	CHECK(sys_setsid(p) > 0);
	CHECK_EQ(sys_tty_control(p, e->slave, false), 0);
	CHECK_EQ(sys_tty_session(p, e->slave), p->sid);
	CHECK_EQ(sys_tty_group(p, e->slave, &group, false), 0);
	CHECK_EQ(group, p->pgid);
	sys_read(p, e->slave, got, sizeof got);
	return 0;
}

static int keys(struct proc *p, void *arg)
{
	struct ends e = open_pty(p);
	int64_t pid = env_spawn(p, in_session, &e);

	(void)arg;
	sys_sleep(p, 1000);
	CHECK_EQ(sys_write(p, e.master, "\3", 1), 1); /* ^C */
	CHECK_EQ(env_wait(p, pid), SIGINT_);
	return 0;
}

static void run(int (*fn)(struct proc *, void *))
{
	if (!env_open())
		return;
	CHECK_EQ(kernel_make_devices(env.k), 0);
	CHECK_EQ(env_run(fn, NULL), 0);
	env_close();
}

TEST(lines_and_characters)
{
	run(lines);
}

TEST(sizes_names_hangup)
{
	run(sizes);
}

TEST(keys_that_are_signals)
{
	run(keys);
}

int main(void)
{
	RUN(lines_and_characters);
	RUN(sizes_names_hangup);
	RUN(keys_that_are_signals);
	return check_end();
}
