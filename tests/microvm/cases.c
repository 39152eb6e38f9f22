/* SPDX-License-Identifier: MIT
 *
 * Cases of real programs under difficulties. Files of this machine come late: each part of one is
 * missing when it is first asked for, and a case must write and return what it does when nothing
 * is late. Then something happens to it at N points, each time in a session of its own: it is
 * cancelled, or sent SIGINT, at one of its waits, or one of its allocations fails; the memory must
 * come back and the session go on. Or nothing is late, all of its programs are real ones, the shell
 * too, and at each point what is alive is forked, or saved and loaded, and ends in the copy.
 * usage: microvm-cases [--sample M] [--cancel N|--signal N|--alloc N|--fork N|--save N]
 *                      [-k PATTERN] CASES...
 */
#include <dirent.h>
#include <signal.h>

#include "api/private.h"
#include "tests/microvm/session.h"

enum {
	PAGE = 4096,
	FILES_MAX = 1 << 20,
	ASKED = 1 << 20,
	LATEST_MS = 60000,
	SAVED_MAX = 512 << 20,
	SLICE_STEPS = 5000,
	STAYS_MAX = 2 << 20, /* bytes that a store keeps for its next session */
};

static char *paths[FILES_MAX]; /* of what the source has shown, by its number */
static uint64_t nfiles;
static bool asked[ASKED];
static bool late;
static long waits;

enum happens { NOTHING, CANCEL, SIGNAL, ALLOCATION, FORK, SAVE, HAPPENS };

static struct {
	const char *pattern; /* of the names of cases, or NULL */
	enum happens what;
	long points; /* of a case */
	int sample;  /* of the cases: each so many */
	int seen;
	int passed;
	bool whole; /* nothing happens: what is used is found out */
} run;

/* For saved sessions, which hold all files: what a case does not use is listed as a hole. */
static bool used[ASKED];

static bool *use_of(const char *path)
{
	uint64_t h = 5381;

	for (; *path != '\0'; path++)
		h = h * 33 + (unsigned char)*path;
	return &used[h % ASKED];
}

static uint64_t id_of(uint64_t dir, const char *name)
{
	char path[8192];

	snprintf(path, sizeof path, "%s/%s", paths[dir], name);
	if (nfiles == FILES_MAX)
		abort();
	paths[nfiles] = strdup(path);
	return nfiles++;
}

static int list(void *user, uint64_t id, int (*emit)(void *sink, const struct cowsh_entry *entry),
		void *sink)
{
	DIR *d = opendir(id == 0 ? "/" : paths[id]);
	const struct dirent *e;
	static char target[PAGE];
	int err = 0;

	(void)user;
	if (d == NULL)
		return -COWSH_EACCES;
	if (run.what == SAVE && !run.whole && !*use_of(paths[id]))
		return closedir(d);
	*use_of(paths[id]) = true;
	while (err == 0 && (e = readdir(d)) != NULL) {
		struct cowsh_entry entry = { .name = e->d_name };
		struct stat st;
		ssize_t n = 0;

		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0 ||
		    fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		if (id == 0 && (strcmp(e->d_name, "proc") == 0 || strcmp(e->d_name, "sys") == 0))
			continue;
		if (S_ISLNK(st.st_mode)) {
			n = readlinkat(dirfd(d), e->d_name, target, sizeof target - 1);
			if (n < 0)
				continue;
			target[n] = '\0';
			entry.target = target;
		}
		entry.id = id_of(id, e->d_name);
		entry.mode = st.st_mode;
		entry.size = (uint64_t)st.st_size;
		if (run.what == SAVE && !run.whole && !*use_of(paths[entry.id]))
			entry.hole_bytes = entry.size;
		entry.mtime_ns = st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
		err = emit(sink, &entry);
	}
	closedir(d);
	return err;
}

static int64_t read_file(void *user, uint64_t id, uint64_t pos, void *into, size_t len)
{
	bool *before = &asked[(id * 8191 + pos / PAGE) % ASKED];
	ssize_t n;
	int fd;

	(void)user;
	if (late && !*before) {
		*before = true;
		return COWSH_PENDING;
	}
	*use_of(paths[id]) = true;
	fd = open(paths[id], O_RDONLY);
	n = fd < 0 ? -1 : pread(fd, into, len, (off_t)pos);
	close(fd);
	return n < 0 ? -COWSH_EIO : n;
}

static int64_t seek_file(void *user, uint64_t id, uint64_t pos, bool data)
{
	(void)user;
	(void)id;
	return data ? -COWSH_ENXIO : (int64_t)pos;
}

static const struct cowsh_source source = {
	.size = sizeof source, .list = list, .read = read_file, .seek = seek_file
};

static cowsh *begin(void)
{
	static const char *const env[] = { "HOME=/late", "LANG=C.UTF-8",
					   "PATH=/usr/local/bin:/usr/bin:/bin", NULL };
	static const struct cowsh_mount_config mount = { .path = "/", .source = &source };
	struct cowsh_config config = COWSH_CONFIG_INIT;
	struct cowsh_host host = host_of_tests();
	cowsh *s;

	while (nfiles > 1)
		free(paths[--nfiles]);
	paths[0] = "";
	nfiles = 1;
	memset(asked, 0, sizeof asked);
	config.microvm = cowsh_kvm();
	config.mounts = &mount;
	config.nmounts = 1;
	config.env = env;
	config.cwd = "/late";
	config.user = "root";
	config.image_programs = run.what >= FORK ? "all" : NULL;
	config.limit[COWSH_LIMIT_TIME] = LATEST_MS;
	config.limits_set = (uint64_t)1 << COWSH_LIMIT_TIME;
	if (cowsh_new(store, &config, &host, &s) < 0)
		abort();
	return s;
}

/* What the script wrote is in `out`; something happens at the given wait, if that is not 0. */
static int go(cowsh *s, const char *script, long at)
{
	struct cowsh_result result;
	int state;

	nout = 0;
	waits = 0;
	if (cowsh_start(s, script, strlen(script)) < 0) {
		if (run.what != ALLOCATION)
			abort();
		return -1;
	}
	while ((state = cowsh_step(s, 0)) != COWSH_DONE) {
		if (state != COWSH_WAIT)
			abort();
		waits++;
		if (waits == at && run.what == CANCEL)
			cowsh_cancel(s);
		else if (waits == at && run.what == SIGNAL)
			cowsh_signal(s, SIGINT);
		cowsh_wake(s);
	}
	cowsh_get_result(s, &result);
	out[nout] = '\0';
	return result.status;
}

/* In a session of its own; the status, and what was written. */
static int compare_run(const char *script, bool be_late, char *wrote)
{
	cowsh *s = begin();
	int status;

	late = be_late;
	status = go(s, script, 0);
	memcpy(wrote, out, nout + 1);
	cowsh_free(s);
	return status;
}

static void happen(const char *script, long at)
{
	uint64_t *fail_at = &store->store.fail_at;
	cowsh *s = begin();

	late = run.what != ALLOCATION;
	*fail_at = late ? 0 : (uint64_t)at;
	go(s, script, at);
	*fail_at = 0;
	late = false;
	expect(s, "echo here", "here\n");
	cowsh_free(s);
}

/* --- copies of what is alive --- */

static struct {
	char *bytes;
	size_t len;
	cowsh_image *image; /* of the session that was loaded, or NULL */
} saved;

static int put_saved(void *user, const void *data, size_t len)
{
	(void)user;
	if (saved.len + len > SAVED_MAX)
		return -COWSH_ENOSPC;
	memcpy(saved.bytes + saved.len, data, len);
	saved.len += len;
	return 0;
}

static int save_and_load(cowsh *s, const struct cowsh_host *host, cowsh **copy)
{
	struct cowsh_config config = COWSH_CONFIG_INIT;
	struct cowsh_sink sink = COWSH_SINK_INIT;
	const char *why;
	int err;

	if (saved.bytes == NULL)
		saved.bytes = aligned_alloc(PAGE, SAVED_MAX);
	saved.len = 0;
	sink.write = put_saved;
	err = cowsh_save(s, &sink, NULL, NULL, NULL);
	if (err == 0)
		err = cowsh_image_open(store, saved.bytes, saved.len, NULL, &saved.image, &why);
	config.microvm = cowsh_kvm();
	return err == 0 ? cowsh_load(store, &config, host, saved.image, copy) : err;
}

/* The session, or the copy that takes its place; not while something waits for the host. */
static cowsh *copy_of(cowsh *s, bool *copied)
{
	struct cowsh_host host = host_of_tests();
	cowsh *copy;
	int err = run.what == FORK ? cowsh_fork(s, &host, &copy) : save_and_load(s, &host, &copy);

	if (err == -COWSH_EAGAIN)
		return s;
	*copied = true;
	if (err < 0) {
		printf("FAILED: no copy: %s\n", cowsh_error_text(err));
		failed++;
		return s;
	}
	cowsh_free(s);
	return copy;
}

/* How many slices it took; the copy is made behind slice number `at`, if that is not 0. */
static long run_copied(const char *script, long at, char *wrote)
{
	static const char start[] = "/bin/bash /late.sh > /late.out 2>&1 < /dev/null &";
	bool copied = at == 0;
	char *text;
	size_t len;
	long n = 0;
	int state;
	cowsh *s;

	run.whole = at == 0;
	if (run.whole)
		memset(used, 0, sizeof used);
	s = begin();
	late = false;
	if (cowsh_put_file(s, "/late.sh", script, strlen(script), 0644) < 0 ||
	    cowsh_run(s, start, sizeof start - 1, NULL) < 0)
		abort();
	while ((state = cowsh_drain(s, SLICE_STEPS)) != COWSH_DONE) {
		n++;
		if (state == COWSH_WAIT)
			cowsh_wake(s);
		if (!copied && n >= at)
			s = copy_of(s, &copied);
	}
	wrote[0] = '\0';
	if (cowsh_get_file(s, "/late.out", &text, &len) == 0) {
		snprintf(wrote, sizeof out, "%.*s", (int)len, text);
		cowsh_bytes_free(s, text, len);
	}
	cowsh_free(s);
	if (saved.image != NULL)
		cowsh_image_close(saved.image);
	saved.image = NULL;
	return n;
}

static void run_case_copied(const char *name, const char *script)
{
	static char whole[sizeof out], copied[sizeof out];
	bool traced = strstr(script, "ptrace") != NULL || strstr(script, "gdb") != NULL;
	int before = failed;
	long slices = run_copied(script, 0, whole);
	long step = slices / run.points + 1;

	/* Copies are not traced: docs/microvm.md. */
	for (long at = 1 + run.seen % step; at <= slices && !traced; at += step) {
		run_copied(script, at, copied);
		if (strcmp(whole, copied) == 0)
			continue;
		printf("slice %ld of %ld\nwhole: %s\ncopied: %s\n", at, slices, whole, copied);
		failed++;
	}
	if (slices < run.points) {
		printf("only %ld slices\n%s\n", slices, whole);
		failed++;
	}
	if (failed != before)
		printf("FAILED: %s\n", name);
	run.passed += failed == before;
}

/* --- */

static void run_case(const char *name, const char *script)
{
	static char soon[sizeof out], lately[sizeof out];
	int before = failed;
	long count, step;
	int first, second;

	store->store.fail_at = INT64_MAX;
	first = compare_run(script, false, soon);
	count = (long)(INT64_MAX - store->store.fail_at);
	store->store.fail_at = 0;
	second = compare_run(script, true, lately);
	if (run.what != ALLOCATION)
		count = waits;
	if (strcmp(soon, lately) != 0 || first != second) {
		printf("FAILED: %s\nsoon (%d): %s\nlate (%d): %s\n", name, first, soon, second,
		       lately);
		failed++;
	}
	step = run.points == 0 ? count + 1 : count / run.points + 1;
	for (long at = 1 + run.seen % step; run.points != 0 && at <= count; at += step)
		happen(script, at);
	if (failed != before)
		printf("FAILED: %s\n", name);
	run.passed += failed == before;
}

static void run_file(const char *path)
{
	static char line[1 << 16], name[1 << 16], script[1 << 20];
	FILE *f = fopen(path, "r");
	bool more = f != NULL;
	size_t n = 0;

	while (more) {
		more = fgets(line, sizeof line, f) != NULL;
		if (more && strncmp(line, "### ", 4) != 0) {
			n += (size_t)snprintf(script + n, sizeof script - n, "%s", line);
			continue;
		}
		if (name[0] != '\0' && (run.pattern == NULL || strstr(name, run.pattern) != NULL) &&
		    run.seen++ % run.sample == 0)
			(run.what >= FORK ? run_case_copied : run_case)(name, script);
		snprintf(name, sizeof name, "%s", line + 4);
		name[strcspn(name, "\n")] = '\0';
		n = 0;
	}
	if (f != NULL)
		fclose(f);
}

static bool set_happening(const char *option, const char *points)
{
	static const char *const options[] = { [CANCEL] = "--cancel",
					       [SIGNAL] = "--signal",
					       [ALLOCATION] = "--alloc",
					       [FORK] = "--fork",
					       [SAVE] = "--save" };

	for (unsigned what = CANCEL; what < HAPPENS; what++) {
		if (strcmp(option, options[what]) != 0)
			continue;
		run.what = what;
		run.points = atol(points);
		return run.points > 0;
	}
	return false;
}

static int usage(void)
{
	fprintf(stderr, "usage: microvm-cases [--sample M] [-k PATTERN]\n"
			"  [--cancel N|--signal N|--alloc N|--fork N|--save N] CASES...\n");
	return 2;
}

int main(int argc, char **argv)
{
	const size_t region = (size_t)4 << 30;
	struct cowsh_store_config config = COWSH_STORE_CONFIG_INIT;
	int i = 1;

	run.sample = 1;
	for (; i + 1 < argc && argv[i][0] == '-'; i += 2) {
		if (strcmp(argv[i], "--sample") == 0)
			run.sample = atoi(argv[i + 1]);
		else if (strcmp(argv[i], "-k") == 0)
			run.pattern = argv[i + 1];
		else if (!set_happening(argv[i], argv[i + 1]))
			return usage();
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	cowsh_kvm_open();
	config.region = mmap(NULL, region, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	config.region_size = region;
	if (run.sample < 1 || cowsh_store_new(&config, &store) < 0)
		abort();
	for (; i < argc; i++)
		run_file(argv[i]);
	if (cowsh_store_used(store) > STAYS_MAX) {
		printf("FAILED: %zu bytes stayed\n", cowsh_store_used(store));
		failed++;
	}
	printf("%d passed, %d failed\n", run.passed, failed);
	return failed != 0;
}
