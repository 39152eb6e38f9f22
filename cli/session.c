/* SPDX-License-Identifier: MIT
 *
 * Sets up a session as the options say, connects it to this process's descriptors, runs.
 */
#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static int64_t read_clock(clockid_t id)
{
	struct timespec now;

	clock_gettime(id, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t monotonic_ns(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

int64_t realtime_ns(void)
{
	return read_clock(CLOCK_REALTIME);
}

/* --- callbacks --- */

static void capture(struct runner *r, int fd, const char *data, size_t len)
{
	size_t need = r->captured_len[fd] + len;

	if (need > r->captured_cap[fd]) {
		size_t cap = need * 2 < 4096 ? 4096 : need * 2;

		r->captured[fd] = realloc(r->captured[fd], cap);
		if (r->captured[fd] == NULL)
			fatal("out of memory for the output");
		r->captured_cap[fd] = cap;
	}
	memcpy(r->captured[fd] + r->captured_len[fd], data, len);
	r->captured_len[fd] = need;
}

static int output(void *user, int fd, const char *data, size_t len)
{
	struct runner *r = user;

	if (r->options->json) {
		capture(r, fd, data, len);
		return 0;
	}
	while (len != 0) {
		ssize_t n = write(fd, data, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno == EPIPE ? -32 : -COWSH_EIO;
		data += n;
		len -= (size_t)n;
	}
	return 0;
}

static int64_t input(void *user, char *into, size_t len)
{
	ssize_t n;

	(void)user;
	do {
		n = read(0, into, len);
	} while (n < 0 && errno == EINTR);
	return n < 0 ? -COWSH_EIO : n;
}

static int64_t real_clock(void *user)
{
	(void)user;
	return realtime_ns();
}

static int expired(void *user)
{
	struct runner *r = user;

	return monotonic_ns() >= r->deadline_ns;
}

/* --- setting up --- */

enum { FIRST_REGION = 2 << 20, FIRST_TOUCHED = 288 << 10, ADVICE_POPULATE_WRITE = 23 };

static void *map_region(size_t size)
{
	void *region = mmap(NULL, size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return region != MAP_FAILED ? region : NULL;
}

/* Address space only: pages that are not touched cost nothing. */
static void *grow(void *user, size_t bytes)
{
	(void)user;
	return map_region(bytes);
}

/* What a small script needs lies in a first region, whose pages the kernel makes in one call. */
static void make_store(struct runner *r)
{
	struct cowsh_store_config config = COWSH_STORE_CONFIG_INIT;

	config.region_size = FIRST_REGION;
	config.region = map_region(FIRST_REGION);
	config.grow = grow;
	if (config.region == NULL)
		fatal("can't reserve memory");
	/* Older kernels do not know the advice: then pages come one by one. */
	madvise(config.region, FIRST_TOUCHED, ADVICE_POPULATE_WRITE);
	if (cowsh_store_new(&config, &r->store) < 0)
		fatal("not enough memory");
}

void runner_start(struct runner *r, struct options *o)
{
	struct cowsh_host host = COWSH_HOST_INIT;
	int err;

	r->options = o;
	host.output = output;
	host.input = input;
	host.user = r;
	if (o->real_clock)
		host.clock = real_clock;
	else if (o->config.epoch_ns == 0)
		o->config.epoch_ns = realtime_ns();
	if (o->time_limit_ms != 0)
		host.expired = expired;
	for (int fd = 0; fd < 3; fd++)
		host.terminal[fd] = !o->json && isatty(fd);
	make_store(r);
	for (int i = 0; i < o->nmounts; i++)
		o->mounts[i].source = hostdir_open(o->host_dirs[i]);
	o->config.mounts = o->mounts;
	o->config.nmounts = (size_t)o->nmounts;
	err = cowsh_new(r->store, &o->config, &host, &r->session);
	if (err < 0)
		fatal("can't make a session: %s", cowsh_error_text(err));
}

/* The host's script appears in the sandbox under the name it was given by, unless it is there
 * already, as in a mounted directory. */
static void put_script(struct runner *r, const char *path)
{
	struct cowsh_stat there;
	struct stat st;
	char *text;
	ssize_t n;
	size_t len = 0;
	int err;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 && cowsh_stat_file(r->session, path, &there) == 0)
		return;
	if (fd < 0 || fstat(fd, &st) < 0)
		fatal("%s: %s", path, strerror(errno));
	if (S_ISDIR(st.st_mode))
		fatal("%s: Is a directory", path);
	text = malloc((size_t)st.st_size + 65536);
	if (text == NULL)
		fatal("out of memory");
	while ((n = read(fd, text + len, (size_t)st.st_size + 65536 - len)) > 0)
		len += (size_t)n;
	close(fd);
	err = cowsh_put_file(r->session, path, text, len, 0755);
	if (err < 0)
		fatal("%s: %s", path, cowsh_error_text(err));
	free(text);
}

static int start(struct runner *r)
{
	struct options *o = r->options;
	int count = 1 + o->shell_argc + 3 + o->nargs;
	const char **argv = calloc((size_t)count + 1, sizeof *argv);
	int argc = 0;
	int err;

	if (argv == NULL)
		fatal("out of memory");
	argv[argc++] = "bash";
	for (int i = 0; i < o->shell_argc; i++)
		argv[argc++] = o->shell_argv[i];
	if (o->script != NULL) {
		argv[argc++] = "-c";
		argv[argc++] = o->script;
	} else if (o->file != NULL) {
		put_script(r, o->file);
		argv[argc++] = o->file;
	}
	for (int i = 0; i < o->nargs; i++)
		argv[argc++] = o->args[i];
	err = cowsh_start_program(r->session, argc, argv);
	free(argv);
	return err;
}

/* Waits for what the session waits for: only timers of the real clock. */
static void wait_for_host(struct runner *r)
{
	int64_t left = cowsh_next_timer(r->session) - realtime_ns();
	struct timespec pause = { 0, 1000000 };

	if (left > 0 && left < (int64_t)3600 * 1000000000) {
		pause.tv_sec = left / 1000000000;
		pause.tv_nsec = left % 1000000000;
	}
	nanosleep(&pause, NULL);
	cowsh_wake(r->session);
}

static int print_change(void *user, const struct cowsh_change *change)
{
	(void)user;
	fprintf(stderr, "%c %s\n", change->kind, change->path);
	return 0;
}

int runner_run(struct runner *r)
{
	struct options *o = r->options;
	struct cowsh_result result;
	cowsh_snapshot *before = NULL;
	int state;

	if (o->time_limit_ms != 0)
		r->deadline_ns = monotonic_ns() + (int64_t)o->time_limit_ms * 1000000;
	if ((o->json || o->diff) && cowsh_snapshot_new(r->session, &before) < 0)
		fatal("out of memory");
	state = start(r);
	if (state < 0)
		fatal("can't start: %s", cowsh_error_text(state));
	while ((state = cowsh_step(r->session, 0)) == COWSH_WAIT)
		wait_for_host(r);
	cowsh_get_result(r->session, &result);
	while (result.limit < 0 && (state = cowsh_drain(r->session, 0)) == COWSH_WAIT)
		wait_for_host(r);
	if (o->json)
		json_result(r, &result, before);
	if (o->diff && !o->json)
		cowsh_diff(r->session, before, print_change, NULL);
	return result.status;
}
