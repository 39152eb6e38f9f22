/* SPDX-License-Identifier: MIT
 *
 * From a command to the first byte of a real program's answer, in sessions that are there already:
 * milliseconds of wall time, the median and the best. usage: microvm-first IMAGE COMMAND TIMES
 */
#include <time.h>

#include "tests/microvm/session.h"

enum { MOST = 1000 };

static double answered; /* when the first byte came, 0: not yet */

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int note(void *user, int fd, const char *data, size_t n)
{
	(void)user;
	(void)fd;
	(void)data;
	if (n > 0 && answered == 0)
		answered = now_ms();
	return 0;
}

static double ask(cowsh *s, const char *command)
{
	struct cowsh_result result;
	double start = now_ms();

	answered = 0;
	if (cowsh_run(s, command, strlen(command), &result) < 0 || answered == 0) {
		fprintf(stderr, "no answer: %s\n", command);
		exit(1);
	}
	return answered - start;
}

static cowsh *session_of(bool warm)
{
	cowsh *s = session_of_tests(warm);
	struct cowsh_host host = host_of_tests();
	cowsh *f;

	host.output = note;
	if (cowsh_fork(s, &host, &f) < 0)
		abort();
	cowsh_free(s);
	ask(f, "echo ready");
	return f;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;

	return (x > y) - (x < y);
}

static void print(const char *name, double *ms, int n)
{
	qsort(ms, (size_t)n, sizeof *ms, by_value);
	printf("  %-44s %10.2f %10.2f\n", name, ms[n / 2], ms[0]);
}

/* KiB of each of some forks, which keep what their parent has for warm starts. */
static double memory_of_forks(cowsh *s)
{
	enum { FORKS = 100 };
	cowsh *forks[FORKS];
	size_t before = cowsh_store_used(store);
	double each;

	for (int i = 0; i < FORKS; i++)
		forks[i] = fork_of(s);
	each = (double)(cowsh_store_used(store) - before) / FORKS / 1024;
	for (int i = 0; i < FORKS; i++)
		cowsh_free(forks[i]);
	return each;
}

int main(int argc, char **argv)
{
	static double first[MOST];
	static double more[MOST];
	static double warm[MOST];
	int n = argc == 4 ? atoi(argv[3]) : 0;
	double forks;
	cowsh *s;

	if (n < 1 || n > MOST || !open_store(argc, argv)) {
		fprintf(stderr, "usage: microvm-first IMAGE COMMAND TIMES\n");
		return 2;
	}
	for (int i = 0; i < n; i++) {
		s = session_of(false);
		first[i] = ask(s, argv[2]);
		more[i] = ask(s, argv[2]);
		cowsh_free(s);
	}
	s = session_of(true);
	ask(s, argv[2]);
	for (int i = 0; i < n; i++)
		warm[i] = ask(s, argv[2]);
	forks = memory_of_forks(s);
	cowsh_free(s);
	print("first of a session", first, n);
	print("one more", more, n);
	print("one more with warm starts", warm, n);
	printf("  %-44s %10.0f\n", "a fork of that session, KiB", forks);
	return 0;
}
