/* SPDX-License-Identifier: MIT
 *
 * Real time for a locked process, which can ask no clock: timers of the kernel that were set
 * before, and are read or send a signal.
 */
#include "cli/cli.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum { CLOCK_TICK_NS = 1000, SLEEP_TICK_NS = 1000000, DEADLINE_TICK_MS = 10 };

static int64_t now_ns;
static int clock_fd = -1; /* counts microseconds */
static int sleep_fd = -1; /* becomes readable every millisecond */
static volatile sig_atomic_t ticks_left;
static int ticks_per_command;

int64_t realtime_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int make_timer(long interval_ns, int flags)
{
	struct itimerspec every = { { 0, interval_ns }, { 0, interval_ns } };
	int fd = timerfd_create(CLOCK_MONOTONIC, flags | TFD_CLOEXEC);

	if (fd < 0 || timerfd_settime(fd, 0, &every, NULL) < 0)
		fatal("can't make a timer: %s", strerror(errno));
	return fd;
}

void clock_start(void)
{
	now_ns = realtime_ns();
	clock_fd = make_timer(CLOCK_TICK_NS, TFD_NONBLOCK);
	sleep_fd = make_timer(SLEEP_TICK_NS, 0);
}

int64_t clock_now(void)
{
	uint64_t ticks;

	if (read(clock_fd, &ticks, sizeof ticks) == (ssize_t)sizeof ticks)
		now_ns += (int64_t)ticks * CLOCK_TICK_NS;
	return now_ns;
}

bool clock_is_real(void)
{
	return sleep_fd >= 0;
}

void clock_sleep(void)
{
	uint64_t ticks;

	if (sleep_fd >= 0)
		(void)!read(sleep_fd, &ticks, sizeof ticks);
}

/* --- the deadline of a command --- */

static void tick(int signal)
{
	(void)signal;
	if (ticks_left > 0)
		ticks_left--;
}

void deadline_arm(uint64_t ms, bool repeated)
{
	bool ticks = repeated || clock_is_real();
	uint64_t first = ticks ? DEADLINE_TICK_MS : ms;
	struct sigaction action = { .sa_handler = tick };
	struct itimerval timer = { { 0, ticks ? DEADLINE_TICK_MS * 1000 : 0 },
				   { (time_t)(first / 1000), (suseconds_t)(first % 1000) * 1000 } };
	sigset_t alarm;

	if ((ms == 0 && !clock_is_real()) || ms / DEADLINE_TICK_MS >= INT32_MAX)
		return;
	/* Who started the program may have blocked it. */
	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	sigprocmask(SIG_UNBLOCK, &alarm, NULL);
	if (ms != 0)
		ticks_per_command = ticks ? (int)(ms / DEADLINE_TICK_MS) + 1 : 1;
	ticks_left = ticks_per_command;
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
}

void deadline_begin(void)
{
	ticks_left = ticks_per_command;
}

bool deadline_passed(void)
{
	return ticks_per_command != 0 && ticks_left == 0;
}
