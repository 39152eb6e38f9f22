/* SPDX-License-Identifier: MIT
 *
 * Sets up a session as the options say, connects it to this process's descriptors, runs.
 */
#include "cli/apply.h"
#include "cli/changes.h"
#include "cli/cli.h"
#include "cli/debug.h"
#include "cli/lock.h"
#include "cli/report.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- callbacks --- */

static int capture(struct runner *r, int fd, const char *data, size_t len)
{
	if (len > r->captured_cap - r->captured_len[fd])
		return -COWSH_ENOSPC;
	memcpy(r->captured[fd] + r->captured_len[fd], data, len);
	r->captured_len[fd] += len;
	return 0;
}

static int output(void *user, int fd, const char *data, size_t len)
{
	struct runner *r = user;

	if (r->options->json)
		return capture(r, fd, data, len);
	while (len != 0) {
		ssize_t n = write(fd, data, len);

		if (n < 0 && errno == EINTR && !deadline_passed() && !keys_insist())
			continue;
		if (n < 0) {
			out_lost(errno);
			return -errno;
		}
		data += n;
		len -= (size_t)n;
	}
	return 0;
}

/* What was read together with a key: the session learns of the key first. */
static struct {
	char data[4096];
	size_t at, len;
	bool any; /* perhaps the end of the input, which is nothing */
} held;

static int64_t give_held(char *into, size_t len)
{
	size_t n = held.len - held.at < len ? held.len - held.at : len;

	memcpy(into, held.data + held.at, n);
	held.at += n;
	held.any = held.at < held.len;
	return (int64_t)n;
}

static int64_t input(void *user, char *into, size_t len)
{
	bool keys = keys_caught();
	ssize_t n;

	(void)user;
	if (held.any)
		return give_held(into, len);
	interactive_reads();
	do {
		n = read(0, keys ? held.data : into,
			 keys && len > sizeof held.data ? sizeof held.data : len);
	} while (n < 0 && errno == EINTR && !clock_is_real() && !deadline_passed() &&
		 !interrupted());
	if (n < 0)
		return errno == EINTR ? COWSH_PENDING : -COWSH_EIO;
	if (!keys)
		return n;
	held.at = 0;
	held.len = (size_t)n;
	held.any = true;
	return interrupted() ? COWSH_PENDING : give_held(into, len);
}

static int64_t real_clock(void *user)
{
	(void)user;
	return clock_now();
}

static int expired(void *user)
{
	(void)user;
	return deadline_passed();
}

/* --- memory --- */

enum { FIRST_REGION = 2 << 20 };
#define RESERVE_MAX ((size_t)1 << (sizeof(size_t) == 8 ? 36 : 30))
#define RESERVE_MIN ((size_t)64 << 20)

char *map_region(size_t size)
{
	void *region = mmap(NULL, size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return region != MAP_FAILED ? region : NULL;
}

static struct {
	char *next;
	size_t left;
} reserve;

/* Hands out what was reserved before the lock. */
static void *grow(void *user, size_t bytes)
{
	void *region = reserve.next;

	(void)user;
	if (bytes > reserve.left)
		return NULL;
	reserve.next += bytes;
	reserve.left -= bytes;
	return region;
}

/* As much as this system gives: some limit address space, or count what is only reserved. */
static void make_reserve(void)
{
	size_t size = RESERVE_MAX;

	while ((reserve.next = map_region(size)) == NULL && size > RESERVE_MIN)
		size /= 2;
	if (reserve.next == NULL)
		fatal("can't reserve memory");
	reserve.left = size;
}

cowsh_store *program_store(bool machine)
{
	struct cowsh_store_config config = COWSH_STORE_CONFIG_INIT;
	cowsh_store *store;

	make_reserve();
	/* A real program uses hundreds of pages at once; each of them would be a fault. */
	if (machine)
		madvise(reserve.next, FIRST_REGION, MADV_HUGEPAGE);
	config.region_size = FIRST_REGION;
	config.region = grow(NULL, FIRST_REGION);
	config.grow = grow;
	if (cowsh_store_new(&config, &store) < 0)
		fatal("not enough memory");
	return store;
}

/* Room for all the output that the limits let pass. */
static void make_capture(struct runner *r)
{
	const struct cowsh_config *c = &r->options->config;
	bool set = (c->limits_set >> COWSH_LIMIT_OUTPUT & 1) != 0;
	uint64_t limit = set ? c->limit[COWSH_LIMIT_OUTPUT]
			     : cowsh_limit_value(COWSH_LIMIT_OUTPUT, c->profile);
	size_t most = RESERVE_MAX / 8;

	r->captured_cap = limit != 0 && limit < most - 4096 ? (size_t)limit + 4096 : most;
	for (int fd = 1; fd <= 2; fd++) {
		r->captured[fd] = map_region(r->captured_cap);
		if (r->captured[fd] == NULL)
			fatal("can't reserve memory for the output");
	}
}

/* --- setting up --- */

static void measure_terminal(struct runner *r, const struct cowsh_host *host)
{
	struct winsize size;

	for (int fd = 0; fd < 3; fd++)
		if (host->terminal[fd] && ioctl(fd, TIOCGWINSZ, &size) == 0)
			r->rows = size.ws_row, r->columns = size.ws_col;
}

void runner_start(struct runner *r, struct options *o)
{
	struct cowsh_host host = COWSH_HOST_INIT;

	r->options = o;
	debug_check(o);
	host.output = output;
	if (!debug_reads_input())
		host.input = input;
	host.user = r;
	if (o->real_clock)
		host.clock = real_clock, clock_start();
	else if (o->config.epoch_ns == 0)
		o->config.epoch_ns = realtime_ns();
	if (o->time_limit_ms != 0)
		host.expired = expired;
	signal(SIGPIPE, SIG_IGN); /* the script's writer gets the virtual one */
	for (int fd = 0; fd < 3; fd++)
		host.terminal[fd] = !o->json && isatty(fd);
	measure_terminal(r, &host);
	/* Processes begin before there is memory that they would share. */
	fetch_open(&host);
	hostdirs_open(o);
	r->store = program_store(o->microvm);
	images_map(o, r->store);
	o->config.mounts = o->mounts;
	o->config.nmounts = (size_t)o->nmounts;
	o->config.images = o->images;
	o->config.nimages = (size_t)o->nimages;
	if (o->microvm)
		o->config.microvm = machine_of_host();
	r->host = host;
	if (checkpoints_wanted() && isatty(0) && isatty(1))
		o->config.checkpoints = 100;
	if (saved_wanted())
		journal_refuse("--session");
	if (rehearse_wanted())
		journal_refuse("--dry-run");
	if (saved_wanted())
		saved_open(o, r->store);
	else
		journal_open(o);
	if (o->json)
		make_capture(r);
	trace_open();
}

void runner_lock(struct runner *r)
{
	if (!r->options->no_lockdown)
		lock_down(r->options->microvm ? LOCK_MACHINE : LOCK_RUNNER);
	saved_begin(r);
}

/* The host's script, opened before the lock. It is read only if the sandbox has none: what it is
 * named by may be standard input. */
static struct {
	int fd;
	int err; /* why it could not be opened */
	char *text;
} script = { .fd = -1 };

enum { SCRIPT_MAX = 1 << 30 };

static void open_script(const char *path)
{
	struct stat st;

	script.fd = open(path, O_RDONLY | O_CLOEXEC);
	if (script.fd < 0 || fstat(script.fd, &st) < 0)
		script.err = errno;
	else if (S_ISDIR(st.st_mode))
		script.err = EISDIR;
	script.text = map_region(SCRIPT_MAX);
	if (script.text == NULL)
		fatal("can't reserve memory for the script");
}

/* It appears in the sandbox under the name it was given by, unless it is there already, as in a
 * mounted directory. */
static void put_script(struct runner *r, const char *path)
{
	struct cowsh_stat there;
	size_t len = 0;
	ssize_t n = 1;
	int err;

	if (cowsh_stat_file(r->session, path, &there) == 0)
		return;
	if (script.err != 0)
		fatal("%s: %s", path, strerror(script.err));
	while (n != 0 && len < SCRIPT_MAX) {
		n = read(script.fd, script.text + len, SCRIPT_MAX - len);
		if (n < 0 && errno != EINTR)
			fatal("%s: %s", path, strerror(errno));
		len += n > 0 ? (size_t)n : 0;
	}
	if (len == SCRIPT_MAX)
		fatal("%s: the script is too long", path);
	err = cowsh_put_file(r->session, path, script.text, len, 0755);
	if (err < 0)
		fatal("%s: %s", path, cowsh_error_text(err));
}

/* The arguments of the first program. Before the lock. */
static const char **make_arguments(const struct options *o, int *argc)
{
	int count = 1 + o->shell_argc + 3 + o->nargs;
	static const char *few[64]; /* malloc costs four system calls at first */
	const char **argv = count < 64 ? few : calloc((size_t)count + 1, sizeof *argv);

	if (argv == NULL)
		fatal("out of memory");
	*argc = 0;
	argv[(*argc)++] = "bash";
	for (int i = 0; i < o->shell_argc; i++)
		argv[(*argc)++] = o->shell_argv[i];
	if (o->script != NULL) {
		argv[(*argc)++] = "-c";
		argv[(*argc)++] = o->script;
	} else if (o->file != NULL) {
		argv[(*argc)++] = o->file;
	}
	for (int i = 0; i < o->nargs; i++)
		argv[(*argc)++] = o->args[i];
	return argv;
}

void runner_wait(struct runner *r)
{
	clock_sleep();
	cowsh_wake(r->session);
}

int runner_go(struct runner *r, int (*step)(cowsh *session, uint64_t steps))
{
	enum { SLICE_STEPS = 500000 }; /* between two looks for ^C */
	int state;

	for (;;) {
		state = step(r->session, keys_caught() ? SLICE_STEPS : 0);
		if (state == COWSH_BREAK)
			debug_stop(r);
		else if (state != COWSH_WAIT && state != COWSH_SLICE)
			return state;
		else if (keys_caught() && interrupted())
			keys_pass();
		else if (state == COWSH_WAIT)
			runner_wait(r);
	}
}

void runner_prepare(struct runner *r)
{
	if (r->rows != 0 || r->columns != 0)
		cowsh_set_terminal_size(r->session, r->rows, r->columns);
	if (apply_wanted())
		apply_check(r);
	if ((r->options->json || changes_wanted() || apply_wanted() || rehearse_wanted() ||
	     debug_wanted()) &&
	    cowsh_snapshot_new(r->session, &r->before) < 0)
		fatal("out of memory");
}

int runner_report(struct runner *r, const struct cowsh_result *result)
{
	cowsh_snapshot *before = r->before;
	int failed = 0;
	int told = 0;

	if (rehearse_wanted() && !r->options->json)
		rehearse_tell(r, before);
	/* While the host still has what was there before. */
	if (changes_wanted())
		told = changes_tell(r, before);
	if (r->options->json) {
		out_to(1);
		failed = json_result(r, result, before);
	}
	if (apply_wanted() && !r->options->json)
		failed = apply_run(r, before, result);
	out_flush();
	return result->status != 0 ? result->status : told != 0 ? told : failed;
}

int runner_run(struct runner *r)
{
	struct options *o = r->options;
	bool file = o->script == NULL && o->file != NULL;
	struct cowsh_result result;
	const char **argv;
	int argc, state;

	if (rehearse_wanted() && apply_rights() >= BROKER_WRITES)
		fatal("--dry-run changes nothing; --apply=dry-run says what would be applied");
	if (rehearse_wanted() && trace_wanted())
		fatal("--dry-run and --trace can't be combined");
	if (file)
		open_script(o->file);
	changes_open();
	rehearse_open();
	saved_prepare(o);
	argv = make_arguments(o, &argc);
	if (isatty(0) && !o->json && !debug_wanted())
		keys_catch(false);
	/* A deadline begins anew behind a breakpoint. */
	deadline_arm(o->time_limit_ms, debug_wanted());
	runner_lock(r);
	if (file)
		put_script(r, o->file);
	runner_prepare(r);
	if (rehearse_wanted())
		rehearse_begin(r);
	else
		trace_begin(r);
	debug_begin(r);
	state = saved_wanted() ? saved_start(r) : cowsh_start_program(r->session, argc, argv);
	if (state < 0)
		fatal("can't start: %s", cowsh_error_text(state));
	if (keys_caught())
		keys_for(r->session);
	runner_go(r, cowsh_step);
	cowsh_get_result(r->session, &result);
	if (result.limit < 0)
		runner_go(r, saved_wanted() ? saved_drain : cowsh_drain);
	if (debug_ended() != 0)
		result.status = debug_ended();
	if (!rehearse_wanted())
		trace_end(r);
	return runner_report(r, &result);
}
