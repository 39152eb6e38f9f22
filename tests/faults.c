/* SPDX-License-Identifier: MIT
 *
 * The case files with faults: allocation n fails, for every n; the processor is taken away at
 * every kernel call; the session is forked before each of its commands, and the fork goes on; or it
 * is saved, and what is loaded goes on; or that, and files come late.
 * usage: faults [--alloc|--switch|--fork|--save|--late] [--sample N] [--seconds S] FILE...
 *
 * With --alloc nothing may crash or leak, and the session must answer the next command. A case
 * whose allocations are too many for S seconds is tried with as many of them as there is time for,
 * spread evenly; one that a failure makes endless (`retry` until what can't be) is left after a
 * minute. With --switch the results must be as written, except where a case says what it
 * depends on; with --fork, --save and --late as they are when the same session goes on. --sample
 * takes only every N-th case.
 */
#include "tests/cases.h"

#include "api/private.h"
#include "cowsh_image.h"
#include "cowsh_watch.h"
#include "interp/shell.h"
#include "vfs/image_format.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { STORE_BYTES = 1 << 30, RUN_SECONDS = 10, SETUP_SECONDS = 60 };

static struct {
	cowsh_store *store;
	bool switches;
	bool forks;
	bool saves;
	bool late; /* and what is loaded has its files later */
	int sample;
	int seconds; /* for the allocations of one case */
	int seen;
	int passed;
	int failed;
	/* Shared with the processes of the cases: allocation that fails; allocations tried, or
	 * forks or saves made; allocations that there were; cases of which all were tried. */
	uint64_t *at;
} f;

struct streams {
	struct outcome out;
	const struct text *input;
	size_t at;
	double deadline; /* of the processor's time */
};

static int on_output(void *user, int fd, const char *data, size_t len)
{
	struct streams *s = user;

	text_add(&s->out.part[fd == 2 ? ERRORS : OUTPUT], data, len);
	return 0;
}

static int64_t on_input(void *user, char *into, size_t len)
{
	struct streams *s = user;
	size_t left = s->input->len - s->at;
	size_t n = left < len ? left : len;

	if (n != 0)
		memcpy(into, s->input->ptr + s->at, n);
	s->at += n;
	return (int64_t)n;
}

static double seconds_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int on_expired(void *user)
{
	const struct streams *s = user;

	return seconds_now() >= s->deadline;
}

static cowsh *new_session(struct streams *s, const struct test *t)
{
	struct cowsh_host host = COWSH_HOST_INIT;
	struct cowsh_config config = COWSH_CONFIG_INIT;
	cowsh *session;

	*s = (struct streams){ .input = &t->part[INPUT], .deadline = seconds_now() + RUN_SECONDS };
	host.output = on_output;
	host.input = on_input;
	host.expired = on_expired;
	host.user = s;
	config.cwd = CASE_DIR;
	if (cowsh_new(f.store, &config, &host, &session) < 0)
		abort();
	return session;
}

static void run_program(cowsh *s, const struct test *t, struct outcome *out)
{
	const char *argv[] = { "bash", "-c", t->part[SCRIPT].ptr, "bash" };
	struct cowsh_result r;

	out->status = -1;
	if (cowsh_start_program(s, 4, argv) < 0)
		return;
	while (cowsh_step(s, 0) == COWSH_WAIT)
		cowsh_wake(s);
	cowsh_get_result(s, &r);
	if (r.limit < 0)
		cowsh_drain(s, 0);
	out->status = r.status;
	out->limit = r.limit;
}

static void free_streams(struct streams *s)
{
	for (int i = 0; i < SECTIONS; i++)
		free(s->out.part[i].ptr);
}

/* --- allocation n fails --- */

/* The number of allocations of the case, if it is run whole: n is 0; else of those before n. */
static uint64_t fail_at(const struct test *t, uint64_t n, bool *ok)
{
	static const char answer[] = "x=$(echo alive) && [ \"$x\" = alive ]";
	struct streams streams;
	cowsh *s = new_session(&streams, t);
	struct cowsh_result r = { .status = -1 };
	uint64_t asked;

	f.store->store.fail_at = n != 0 ? n : UINT64_MAX;
	run_program(s, t, &streams.out);
	asked = n == 0 ? UINT64_MAX - f.store->store.fail_at : n;
	f.store->store.fail_at = 0;
	if (cowsh_run(s, answer, sizeof answer - 1, &r) != 0 || r.status != 0) {
		printf("  allocation %d: the session does not answer\n", (int)n);
		*ok = false;
	}
	cowsh_free(s);
	free_streams(&streams);
	return asked;
}

static bool survives_allocations(const struct test *t)
{
	double begin = seconds_now();
	size_t before;
	bool ok = true;
	uint64_t count = fail_at(t, 0, &ok);
	double once = seconds_now() - begin;
	uint64_t tries = (uint64_t)(f.seconds / (once > 1e-6 ? once : 1e-6));
	uint64_t stride = count > tries ? count / (tries + 1) + 1 : 1;
	uint64_t done = 0;
	uint64_t n = 1;
	time_t end = time(NULL) + SETUP_SECONDS;

	before = cowsh_store_used(f.store);
	for (; n <= count && ok && time(NULL) < end; n += stride, done++) {
		/* What a crash ends with, its parent finds there. */
		*f.at = n;
		fail_at(t, n, &ok);
	}
	f.at[1] += done;
	f.at[2] += count;
	f.at[3] += stride == 1 && n > count;
	if (cowsh_store_used(f.store) > before + 100 * 16384) {
		printf("  %zu bytes were not given back\n", cowsh_store_used(f.store) - before);
		ok = false;
	}
	return ok;
}

/* --- a switch at every kernel call --- */

static void normalise(struct text *t)
{
	static const char marker[] = "\n\\ no newline\n";

	if (t->len != 0 && t->ptr[t->len - 1] != '\n')
		text_add(t, marker, sizeof marker - 1);
}

static bool same(const struct text *a, const struct text *b)
{
	return a->len == b->len && (a->len == 0 || memcmp(a->ptr, b->ptr, a->len) == 0);
}

static bool survives_switches(const struct test *t)
{
	struct streams streams;
	cowsh *s = new_session(&streams, t);
	bool ok;

	kernel_set_slice(s->kernel, 0);
	run_program(s, t, &streams.out);
	cowsh_free(s);
	normalise(&streams.out.part[OUTPUT]);
	normalise(&streams.out.part[ERRORS]);
	ok = streams.out.limit < 0 && streams.out.status == t->status &&
	     same(&streams.out.part[OUTPUT], &t->part[OUTPUT]) &&
	     same(&streams.out.part[ERRORS], &t->part[ERRORS]);
	if (!ok)
		printf("  got status %d: %s%s", streams.out.status,
		       streams.out.part[OUTPUT].len != 0 ? streams.out.part[OUTPUT].ptr : "",
		       streams.out.part[ERRORS].len != 0 ? streams.out.part[ERRORS].ptr : "");
	free_streams(&streams);
	return ok;
}

/* --- a fork before each command --- */

static int count_process(void *user, const struct cowsh_process *process)
{
	(void)process;
	++*(int *)user;
	return 0;
}

static int count_stream(void *user, const struct cowsh_descriptor *d)
{
	*(int *)user += d->fd > 2 && strcmp(d->kind, "file") != 0;
	return 0;
}

/* Whether a fork has all: no processes in the background, also none to wait for, no pipes of the
 * shell. */
static bool is_alone(cowsh *s)
{
	int processes = 0;
	int streams = 0;

	cowsh_list_processes(s, count_process, &processes);
	cowsh_list_descriptors(s, 0, count_stream, &streams);
	return processes == 1 && streams == 0 && s->shell->jobs == NULL &&
	       s->shell->finished == NULL;
}

static void fork_before(cowsh **s, const struct cowsh_host *host)
{
	cowsh *fork;
	int err;

	if (!is_alone(*s))
		return;
	err = cowsh_fork(*s, host, &fork);
	if (err < 0) {
		printf("  can't fork: %s\n", cowsh_error_text(err));
		return;
	}
	cowsh_free(*s);
	*s = fork;
	f.at[1]++;
}

/* --- saved before each command --- */

static int add_bytes(void *user, const void *data, size_t len)
{
	text_add(user, data, len);
	return 0;
}

/* What was saved, where an image can lie; until the process of the case ends. */
static const void *on_pages(const struct text *saved)
{
	void *at = mmap(NULL, saved->len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			0);

	if (at == MAP_FAILED)
		abort();
	return memcpy(at, saved->ptr, saved->len);
}

/* The first time that a part of a file is asked for, it is not there yet. */
static int64_t read_late(void *user, uint64_t id, uint64_t pos, void *out, size_t n)
{
	static bool asked[1 << 16];
	bool *before = &asked[(id * 31 + pos / PAGE_BYTES) % sizeof asked];
	const struct image *i = user;

	if (!*before) {
		*before = true;
		f.at[3]++;
		return VFS_PENDING;
	}
	return i->read_only.read(user, id, pos, out, n);
}

static void have_late(cowsh_image *image)
{
	struct vfs_source *source = &((struct image *)image)->source;

	source->read = read_late;
	source->view = NULL;
}

static void save_before(cowsh **s, const struct cowsh_host *host)
{
	struct cowsh_sink sink = COWSH_SINK_INIT;
	struct text saved = { NULL, 0, 0 };
	cowsh_image *image;
	const char *why = "";
	cowsh *loaded;
	int err;

	if (!is_alone(*s))
		return;
	sink.write = add_bytes;
	sink.user = &saved;
	do {
		saved.len = 0;
		err = cowsh_save(*s, &sink, NULL, NULL, NULL);
	} while (f.late && err == -COWSH_EAGAIN);
	if (err == 0)
		err = cowsh_image_open(f.store, on_pages(&saved), saved.len, NULL, &image, &why);
	if (err == 0)
		err = cowsh_load(f.store, NULL, host, image, &loaded);
	free(saved.ptr);
	if (err < 0) {
		printf("  can't be saved and loaded: %s %s\n", cowsh_error_text(err), why);
		f.at[2]++;
		return;
	}
	if (f.late)
		have_late(image);
	cowsh_free(*s);
	*s = loaded;
	f.at[1]++;
}

/* --- */

/* Runs the script in the session's shell, command by command, as somebody types it. */
static void run_typed(const struct test *t, void (*before)(cowsh **, const struct cowsh_host *),
		      struct streams *streams)
{
	const char *at = t->part[SCRIPT].ptr;
	const char *end = at + t->part[SCRIPT].len;
	cowsh *s = new_session(streams, t);
	struct cowsh_host host = s->host;
	struct cowsh_result r = { .status = 0, .limit = -1 };

	while (at < end && !r.exited && r.limit < 0) {
		const char *stop = at;

		do {
			const char *line = memchr(stop, '\n', (size_t)(end - stop));

			stop = line != NULL ? line + 1 : end;
		} while (stop < end && cowsh_incomplete(s, at, (size_t)(stop - at)));
		if (before != NULL)
			before(&s, &host);
		if (cowsh_start(s, at, (size_t)(stop - at)) < 0)
			abort();
		while (cowsh_step(s, 0) == COWSH_WAIT)
			cowsh_wake(s);
		cowsh_get_result(s, &r);
		at = stop;
	}
	if (r.limit < 0)
		cowsh_drain(s, 0);
	streams->out.status = r.status;
	streams->out.limit = r.limit;
	cowsh_free(s);
}

static bool goes_on(const struct test *t)
{
	struct streams plain, forked;
	bool ok;

	f.at[2] = 0;
	run_typed(t, NULL, &plain);
	run_typed(t, f.saves ? save_before : fork_before, &forked);
	ok = f.at[2] == 0 && plain.out.status == forked.out.status &&
	     plain.out.limit == forked.out.limit;
	for (int i = OUTPUT; i <= ERRORS; i++) {
		ok = ok && same(&plain.out.part[i], &forked.out.part[i]);
		if (!same(&plain.out.part[i], &forked.out.part[i]))
			printf("  wanted:\n%.*s  got:\n%.*s", (int)plain.out.part[i].len,
			       plain.out.part[i].ptr, (int)forked.out.part[i].len,
			       forked.out.part[i].ptr);
	}
	free_streams(&plain);
	free_streams(&forked);
	return ok;
}

/* --- */

static void judge(const char *file, const struct test *t)
{
	int status;
	pid_t child;

	if (f.seen++ % f.sample != 0)
		return;
	fflush(stdout);
	child = fork();
	if (child == 0) {
		bool ok;

		alarm((unsigned)(f.switches || f.forks || f.saves
					 ? SETUP_SECONDS
					 : 2 * SETUP_SECONDS + 10 * f.seconds));
		ok = f.switches           ? survives_switches(t)
		     : f.forks || f.saves ? goes_on(t)
					  : survives_allocations(t);
		fflush(stdout);
		_exit(!ok);
	}
	waitpid(child, &status, 0);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
		f.passed++;
		return;
	}
	f.failed++;
	printf("FAIL %s: %s, allocation %d, signal %d\n", file, t->name, (int)*f.at,
	       WIFSIGNALED(status) ? WTERMSIG(status) : 0);
}

static void run_file(const char *path)
{
	size_t len;
	char *text = case_file(path, &len);
	struct case_reader r = { text, text + len, NULL, 0 };
	struct test t;

	while (case_next(&r, &t)) {
		judge(path, &t);
		for (int i = 0; i < SECTIONS; i++)
			free(t.part[i].ptr);
	}
	free(text);
}

int main(int argc, char **argv)
{
	struct cowsh_store_config config = COWSH_STORE_CONFIG_INIT;
	int i = 1;

	f.sample = 1;
	f.seconds = 2;
	for (; i < argc && argv[i][0] == '-'; i++) {
		if (strcmp(argv[i], "--switch") == 0)
			f.switches = true;
		else if (strcmp(argv[i], "--fork") == 0)
			f.forks = true;
		else if (strcmp(argv[i], "--save") == 0)
			f.saves = true;
		else if (strcmp(argv[i], "--late") == 0)
			f.saves = f.late = true;
		else if (strcmp(argv[i], "--sample") == 0 && i + 1 < argc)
			f.sample = atoi(argv[++i]);
		else if (strcmp(argv[i], "--seconds") == 0 && i + 1 < argc)
			f.seconds = atoi(argv[++i]);
	}
	if (f.sample < 1)
		f.sample = 1;
	config.region_size = STORE_BYTES;
	config.region = mmap(NULL, STORE_BYTES, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	f.at = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (config.region == MAP_FAILED || f.at == MAP_FAILED ||
	    cowsh_store_new(&config, &f.store) < 0)
		return 2;
	for (; i < argc; i++)
		run_file(argv[i]);
	if (f.late)
		printf("%llu times a file was not there yet, ", (unsigned long long)f.at[3]);
	if (f.forks || f.saves)
		printf("%llu %s\n", (unsigned long long)f.at[1], f.saves ? "saves" : "forks");
	else if (!f.switches)
		printf("%llu of %llu allocations failed, all of them in %llu of %d cases\n",
		       (unsigned long long)f.at[1], (unsigned long long)f.at[2],
		       (unsigned long long)f.at[3], f.passed + f.failed);
	printf("%d passed, %d failed\n", f.passed, f.failed);
	return f.failed != 0;
}
