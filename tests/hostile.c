/* SPDX-License-Identifier: MIT
 *
 * Runs the hostile scripts of tests/hostile/ and checks that nothing they do gets through.
 *
 * Each runs in a process of its own, in a session with small limits: once with a deadline, which
 * it must not exceed by more than 50 ms of processor time, nor its memory limit by 64 KiB; twice
 * with a budget of steps, which must give the same steps, status and output. After each run the
 * session must answer the next command, and give back its memory when it is freed. A script that
 * leaves something behind which stops the next command too says so as `differs`. With --endless,
 * the scripts are all commands of builtins/list.h, fed with endless input.
 */
#include "tests/cases.h"

#include "cowsh.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	DEADLINE_MS = 100,
#ifdef __SANITIZE_ADDRESS__
	LATE_MS = 500, /* code is slower, and steps are what asks for the time */
	HANGS_S = 300,
#else
	LATE_MS = 50,
	HANGS_S = 4,
#endif
	BUDGET_STEPS = 1000000,
	MEMORY = 32 << 20,
	MEMORY_MORE = 64 << 10,
	DISK = 64 << 20,
	STORE_BYTES = 512 << 20,
};

static struct {
	cowsh_store *store;
	uint64_t deadline_ns;
	uint64_t digest; /* of the output */
	struct worst {
		uint64_t ns;    /* behind the deadline */
		uint64_t bytes; /* beyond the limit of memory */
	} worst;
	const char *only;
	int sample; /* run only each of so many */
	int seen;
	bool differs; /* the script leaves a trap or the like that stops the next command too */
	int passed;
	int failed;
} h;

static void keep_worst(uint64_t *worst, uint64_t value, uint64_t limit)
{
	if (value > limit && value - limit > *worst)
		*worst = value - limit;
}

static uint64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static int on_output(void *user, int fd, const char *data, size_t len)
{
	(void)user;
	for (size_t i = 0; i < len; i++)
		h.digest = (h.digest ^ (unsigned char)data[i]) * 1099511628211u;
	h.digest += (unsigned)fd;
	return 0;
}

static int on_expired(void *user)
{
	(void)user;
	return h.deadline_ns != 0 && cpu_ns() >= h.deadline_ns;
}

static cowsh *new_session(uint64_t steps)
{
	struct cowsh_host host = COWSH_HOST_INIT;
	struct cowsh_config config = COWSH_CONFIG_INIT;
	cowsh *s;

	host.output = on_output;
	host.expired = on_expired;
	config.profile = COWSH_PROFILE_SMALL;
	config.limit[COWSH_LIMIT_STEPS] = steps;
	config.limit[COWSH_LIMIT_MEMORY] = MEMORY;
	config.limit[COWSH_LIMIT_DISK] = DISK;
	config.limits_set = 1u << COWSH_LIMIT_STEPS | 1u << COWSH_LIMIT_MEMORY |
			    1u << COWSH_LIMIT_DISK;
	if (cowsh_new(h.store, &config, &host, &s) < 0)
		abort();
	return s;
}

static bool complain(const char *name, const char *what, unsigned long long value)
{
	printf("FAIL %s: %s %llu\n", name, what, value);
	return false;
}

/* The session goes on, and its memory comes back when it ends. */
static bool end_session(cowsh *s, const char *name, size_t before)
{
	static const char text[] = "echo alive";
	struct cowsh_result r = { .status = -1 };
	bool ok = true;
	size_t after;

	h.deadline_ns = cpu_ns() + DEADLINE_MS * 1000000u;
	if (cowsh_run(s, text, sizeof text - 1, &r) != 0 || (r.limit >= 0 && !h.differs))
		ok = complain(name, "the session does not answer, limit", (unsigned)r.limit);
	cowsh_free(s);
	after = cowsh_store_used(h.store);
	/* A slab of each class may stay. */
	if (after > before + 64 * 16384)
		ok = complain(name, "bytes were not given back:", after - before);
	return ok;
}

/* *late: it did not stop in time. False if anything else is wrong. */
static bool run_to_deadline(const char *name, const struct text *script, bool *late)
{
	size_t before = cowsh_store_used(h.store);
	cowsh *s = new_session(0);
	struct cowsh_result r = { .limit = -1 };
	uint64_t start = cpu_ns();
	uint64_t used;
	bool ok = true;

	h.deadline_ns = start + DEADLINE_MS * 1000000u;
	if (cowsh_run(s, script->ptr, script->len, &r) != 0)
		ok = complain(name, "does not run", 0);
	used = cpu_ns() - start;
	*late = used > (DEADLINE_MS + LATE_MS) * 1000000u;
	if (*late)
		printf("%s: %u ms until it stopped\n", name, (unsigned)(used / 1000000u));
	if (r.memory_peak > MEMORY + MEMORY_MORE)
		ok = complain(name, "bytes of memory:", r.memory_peak);
	keep_worst(&h.worst.ns, used, DEADLINE_MS * 1000000u);
	keep_worst(&h.worst.bytes, r.memory_peak, MEMORY);
	return end_session(s, name, before) && ok;
}

/* Processor time is not the same on each run: what is late is so each time. */
static bool stops_in_time(const char *name, const struct text *script)
{
	enum { TRIES = 3 };
	bool late = true;

	for (int i = 0; i < TRIES && late; i++)
		if (!run_to_deadline(name, script, &late))
			return false;
	return !late || complain(name, "late in a row:", TRIES);
}

static bool run_budget(const char *name, const struct text *script, struct cowsh_result *r)
{
	size_t before = cowsh_store_used(h.store);
	cowsh *s = new_session(BUDGET_STEPS);

	h.deadline_ns = 0;
	h.digest = 14695981039346656037u;
	cowsh_run(s, script->ptr, script->len, r);
	return end_session(s, name, before);
}

static bool run_twice(const char *name, const struct text *script)
{
	struct cowsh_result one = { 0 };
	struct cowsh_result two = { 0 };
	uint64_t digest;
	bool ok = run_budget(name, script, &one);

	digest = h.digest;
	ok = run_budget(name, script, &two) && ok;
	if (one.steps != two.steps || one.status != two.status || one.limit != two.limit ||
	    digest != h.digest)
		ok = complain(name, "another run is different; steps", two.steps);
	return ok;
}

/* In the child: what it says last is by how much the script went too far. */
static int run_script(const char *name, const struct text *script, int report)
{
	bool ok = stops_in_time(name, script);

	ok = run_twice(name, script) && ok;
	fflush(stdout);
	if (write(report, &h.worst, sizeof h.worst) < 0)
		return 1;
	return !ok;
}

static void judge(const char *name, const struct text *script)
{
	struct worst worst = { 0, 0 };
	int report[2];
	int status;
	struct itimerval hangs = { { 0, 0 }, { HANGS_S, 0 } };
	pid_t child;

	if ((h.only != NULL && strstr(name, h.only) == NULL) || h.seen++ % h.sample != 0)
		return;
	fflush(stdout);
	if (pipe(report) < 0)
		abort();
	child = fork();
	if (child == 0) {
		setitimer(ITIMER_PROF, &hangs, NULL);
		_exit(run_script(name, script, report[1]));
	}
	close(report[1]);
	if (read(report[0], &worst, sizeof worst) == (ssize_t)sizeof worst) {
		keep_worst(&h.worst.ns, worst.ns, 0);
		keep_worst(&h.worst.bytes, worst.bytes, 0);
	}
	close(report[0]);
	waitpid(child, &status, 0);
	if (WIFSIGNALED(status))
		complain(name, WTERMSIG(status) == SIGPROF ? "hangs" : "dies of signal",
			 (unsigned)WTERMSIG(status));
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		h.passed++;
	else
		h.failed++;
}

static void run_file(const char *path)
{
	size_t len;
	char *text = case_file(path, &len);
	struct case_reader r = { text, text + len, NULL, 0 };
	struct test t;

	while (case_next(&r, &t)) {
		h.differs = t.differs[0] != '\0';
		judge(t.name, &t.part[SCRIPT]);
		for (int i = 0; i < SECTIONS; i++)
			free(t.part[i].ptr);
	}
	free(text);
}

/* --- every command, with endless input of several kinds --- */

static void run_command(const char *command)
{
	static const char *const inputs[] = { "yes 12345 |", "cat /dev/zero |",
					      "cat /dev/urandom |", "tr '\\0' '(' < /dev/zero |",
					      "tr '\\0' 9 < /dev/zero |" };
	static const char *const uses[] = {
		"%s %s",
		"%s %s -",
		"%s %s 1",
		"%s %s 1 1",
		"%s %s -n 1",
		"%s %s /dev/stdin",
		"%s %s /dev/stdin /dev/zero",
		"%s %s \"$(head -c 100000 /dev/zero | tr '\\0' 9)\"",
	};
	char name[128];
	struct text script = { 0 };

	for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
		script.len = 0;
		for (size_t u = 0; u < sizeof uses / sizeof *uses; u++) {
			char line[256];
			int n = snprintf(line, sizeof line, uses[u], inputs[i], command);

			text_add(&script, line, (size_t)n);
			text_add(&script, " & ", 3);
		}
		text_add(&script, "wait", 4);
		snprintf(name, sizeof name, "%s %s", inputs[i], command);
		judge(name, &script);
	}
	free(script.ptr);
}

static void run_endless(void)
{
	h.differs = false;
	static const char *const commands[] = {
#define BUILTIN(name) #name,
#include "builtins/list.h"
#undef BUILTIN
	};

	for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
		run_command(commands[i]);
}

static void make_store(void)
{
	struct cowsh_store_config config = COWSH_STORE_CONFIG_INIT;

	config.region_size = STORE_BYTES;
	config.region = mmap(NULL, STORE_BYTES, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (config.region == MAP_FAILED || cowsh_store_new(&config, &h.store) < 0)
		abort();
}

int main(int argc, char **argv)
{
	int i = 1;
	bool endless = false;

	for (; i < argc && argv[i][0] == '-'; i++) {
		if (strcmp(argv[i], "--endless") == 0)
			endless = true;
		else if (strcmp(argv[i], "--only") == 0 && i + 1 < argc)
			h.only = argv[++i];
		else if (strcmp(argv[i], "--sample") == 0 && i + 1 < argc)
			h.sample = atoi(argv[++i]);
	}
	if (h.sample < 1)
		h.sample = 1;
	make_store();
	if (endless)
		run_endless();
	for (; i < argc; i++)
		run_file(argv[i]);
	printf("latest end after the deadline: %.1f ms; most memory beyond the limit: %.1f KiB\n",
	       (double)h.worst.ns / 1e6, (double)h.worst.bytes / 1024);
	printf("%d passed, %d failed\n", h.passed, h.failed);
	return h.failed != 0;
}
