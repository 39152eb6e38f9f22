/* SPDX-License-Identifier: MIT
 *
 * Programs that never end, and use all they can get (limits_guest.c), beside limits of time and
 * memory: each ends, and the session answers the next command. Prints how far behind the deadline
 * each ended; one that is late has more tries, since a machine may hold everything up. Also: the
 * host may refuse a program, and sees each in the trace. usage: microvm-limits IMAGE
 */
#include <time.h>

#include "cowsh_watch.h"
#include "tests/microvm/session.h"

enum {
	TIME_MS = 300,
	LONG_MS = 2500, /* for those that have to prepare something */
	MEMORY = 96 << 20,
	CALM_MS = 60000, /* for what ends by itself */
	/* Machines are shared: what is printed is the measure, this is what no machine excuses so
	 * many times in a row. */
	LATE_MS = 250,
	TRIES = 10
};

static const char *const ways[] = { "spin",  "fork", "thread", "swap",    "maps",   "copies",
				    "grow",  "call", "map",    "protect", "signal", "pipe",
				    "write", "exec", "sparse", "views",   "sync",   "cut" };
static const char *const long_ways[] = { "details", "poll", "dead" };
static int refused;
static int seen; /* of programs in the trace */

static int64_t clock_ns(void *user)
{
	struct timespec t;

	(void)user;
	clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int escalate(void *user, const char *path, int argc, const char *const *argv)
{
	(void)user;
	(void)path;
	return argc > 1 && strcmp(argv[1], "no") == 0 ? ++refused : 0;
}

static void event(void *user, const struct cowsh_event *e)
{
	(void)user;
	if (e->kind == COWSH_EVENT_ESCALATE && strcmp(e->path, "/b/guest") == 0)
		seen += e->status == 0 ? 1 : 100;
}

static cowsh *limited(void)
{
	struct cowsh_config config = COWSH_CONFIG_INIT;
	struct cowsh_host host = COWSH_HOST_INIT;
	struct cowsh_image_mount mount = { .path = "/", .image = image };
	cowsh *s;

	host.output = output;
	host.clock = clock_ns;
	host.escalate = escalate;
	config.microvm = cowsh_kvm();
	config.warm_starts = true;
	config.images = &mount;
	config.nimages = 1;
	config.limit[COWSH_LIMIT_TIME] = TIME_MS;
	config.limit[COWSH_LIMIT_MEMORY] = MEMORY;
	config.limit[COWSH_LIMIT_PROCESSES] = 200;
	config.limits_set = 1U << COWSH_LIMIT_TIME | 1U << COWSH_LIMIT_MEMORY |
			    1U << COWSH_LIMIT_PROCESSES;
	for (int i = COWSH_LIMIT_STEPS; i < COWSH_LIMIT_COUNT; i++)
		if (i == COWSH_LIMIT_STEPS || i == COWSH_LIMIT_CPU || i == COWSH_LIMIT_OUTPUT ||
		    i >= COWSH_LIMIT_SESSION_STEPS)
			config.limits_set |= 1U << i;
	if (cowsh_new(store, &config, &host, &s) < 0)
		abort();
	return s;
}

static void limit_time(cowsh *s, int64_t ms)
{
	if (cowsh_set_limit(s, COWSH_LIMIT_TIME, (uint64_t)ms) < 0)
		abort();
}

/* How many milliseconds behind the deadline it ended. */
static double endless_once(cowsh *s, const char *way, int64_t ms)
{
	char script[64];
	struct cowsh_result result;
	int64_t start;
	double late;

	snprintf(script, sizeof script, "/b/guest %s; echo went on", way);
	nout = 0;
	limit_time(s, ms);
	start = clock_ns(NULL);
	if (cowsh_run(s, script, strlen(script), &result) < 0)
		abort();
	late = (double)(clock_ns(NULL) - start) / 1e6 - (double)ms;
	limit_time(s, CALM_MS);
	out[nout] = '\0';
	if (result.limit < 0 && result.status != 137) {
		printf("FAILED: %s ended by itself: %d\n", way, result.status);
		failed++;
	}
	if (result.memory_peak > MEMORY + 65536) {
		printf("FAILED: %s: %zu bytes\n", way, result.memory_peak);
		failed++;
	}
	printf("%-8s %8.1f ms behind the deadline, limit %s\n", way, late,
	       result.limit >= 0 ? cowsh_limit_name(result.limit) : "of nothing");
	return late;
}

static void endless(cowsh *s, const char *way, int64_t ms)
{
	/* Machines that hold up do so at regular times: each try ends at another one. */
	for (int i = 0; i < TRIES; i++)
		if (endless_once(s, way, ms + (int64_t)61 * i) <= LATE_MS)
			return;
	printf("FAILED: %s is late each time\n", way);
	failed++;
}

/* A process whose last thread waits for nobody is seen, and keeps no processor busy. */
static void deadlock(cowsh *s)
{
	const char *script = "/b/guest left";
	struct cowsh_result result;

	if (cowsh_run(s, script, strlen(script), &result) < 0)
		abort();
	if (result.limit != COWSH_LIMIT_DEADLOCK) {
		printf("FAILED: left: limit %d\n", result.limit);
		failed++;
	}
}

int main(int argc, char **argv)
{
	struct cowsh_tracer tracer = COWSH_TRACER_INIT;
	size_t used;
	cowsh *s;

	if (!open_store(argc, argv)) {
		fprintf(stderr, "usage: microvm-limits IMAGE\n");
		return 2;
	}
	s = limited();
	limit_time(s, CALM_MS);
	expect(s, "/b/guest no; echo $?", "/b/guest: the host does not allow real programs\n126\n");
	tracer.event = event;
	cowsh_trace(s, &tracer);
	expect(s, "/b/guest; echo $?; /b/guest no 2> /dev/null; for i in 1 2; do /b/guest; done",
	       "2\n");
	cowsh_trace(s, NULL);
	if (refused != 2 || seen != 103) {
		printf("FAILED: %d were refused, the trace has %d\n", refused, seen);
		failed++;
	}
	used = cowsh_store_used(store);
	for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
		endless(s, ways[i], TIME_MS);
		expect(s, "echo alive; /b/guest; echo $?", "alive\n2\n");
	}
	deadlock(s);
	for (size_t i = 0; i < sizeof long_ways / sizeof long_ways[0]; i++)
		endless(s, long_ways[i], LONG_MS);
	expect(s, "echo alive; /b/guest; echo $?", "alive\n2\n");
	expect(s, "truncate -s 200G /tmp/big; for i in 1 2 3; do /b/python3 < /dev/null; done",
	       "warm\nwarm\nwarm\n");
	cowsh_free(s);
	return verdict(used);
}
