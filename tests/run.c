/* SPDX-License-Identifier: MIT
 *
 * Runs case files. A case is a script and what it must print:
 *
 *	### name of the behaviour
 *	echo hi; exit 3
 *	--- stdin
 *	--- stdout
 *	hi
 *	--- stderr
 *	--- status 3
 *	--- differs: why cowsh is not as the real tools here
 *
 * Output that does not end in a newline is written with the line "\ no newline" behind it.
 * An absent section means empty, or status 0. By default cases run in cowsh; with --oracle in
 * the real bash, as an unprivileged user in an empty directory, and a case that says `differs`
 * must fail there. With --program in that program, as a user starts it. --record rewrites the
 * expectations of a file from the real bash. --digests OUT writes a line for each case with
 * what must be the same wherever it runs, for tools/determinism; --poison fills the memory with
 * garbage first. --journals OUT writes the journal of each case, and --replay takes such files
 * instead of cases: what one processor recorded another one runs again.
 */
#include "tests/cases.h"

#include "cowsh.h"
#include "cowsh_journal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ORACLE_TRIES = 3, POISON_BYTES = 256 << 20 };

static struct {
	bool oracle;
	bool record;
	bool forked;
	bool verbose;
	FILE *digests;
	FILE *journals;
	bool replay;
	bool poison;
	int sample; /* every so many cases */
	int seen;
	const char *only;
	const char *program;
	int passed;
	int failed;
} run;

static cowsh_store *store;
static cowsh *base_session;

static bool same(const struct text *a, const struct text *b)
{
	return a->len == b->len && (a->len == 0 || memcmp(a->ptr, b->ptr, a->len) == 0);
}

/* --- in cowsh --- */

struct streams {
	struct outcome *out;
	const struct text *input;
	size_t input_at;
	time_t deadline;
};

static int on_output(void *user, int fd, const char *data, size_t len)
{
	struct streams *s = user;

	text_add(&s->out->part[fd == 2 ? ERRORS : OUTPUT], data, len);
	return 0;
}

static int64_t on_input(void *user, char *into, size_t len)
{
	struct streams *s = user;
	size_t left = s->input->len - s->input_at;
	size_t n = left < len ? left : len;

	if (n != 0)
		memcpy(into, s->input->ptr + s->input_at, n);
	s->input_at += n;
	return (int64_t)n;
}

static int on_expired(void *user)
{
	const struct streams *s = user;

	return run.digests == NULL && time(NULL) >= s->deadline;
}

static cowsh *new_session(const struct cowsh_host *host)
{
	struct cowsh_config config = COWSH_CONFIG_INIT;
	cowsh *session = NULL;
	int err;

	config.cwd = CASE_DIR;
	if (run.forked) {
		if (base_session == NULL)
			cowsh_new(store, &config, NULL, &base_session);
		err = cowsh_fork(base_session, host, &session);
	} else if (run.journals != NULL) {
		err = journals_session(store, &config, host, &session);
	} else {
		err = cowsh_new(store, &config, host, &session);
	}
	if (err < 0) {
		fprintf(stderr, "no session: %s\n", cowsh_error_text(err));
		exit(1);
	}
	return session;
}

static void run_in_cowsh(const char *file, const struct test *t, struct outcome *out)
{
	struct streams streams = { out, &t->part[INPUT], 0, time(NULL) + CASE_SECONDS };
	struct cowsh_host host = COWSH_HOST_INIT;
	const char *argv[] = { "bash", "-c", t->part[SCRIPT].ptr, "bash" };
	struct cowsh_result result;
	cowsh_snapshot *before = NULL;
	cowsh *session;

	host.output = on_output;
	host.input = on_input;
	host.expired = on_expired;
	host.user = &streams;
	session = new_session(&host);
	if (run.digests != NULL &&
	    (!digests_start(session, out) || cowsh_snapshot_new(session, &before) < 0))
		abort();
	if (cowsh_start_program(session, 4, argv) < 0) {
		out->status = -1;
	} else {
		while (cowsh_step(session, 0) != COWSH_DONE)
			;
		cowsh_get_result(session, &result);
		if (result.limit < 0)
			cowsh_drain(session, 0);
		out->status = result.status;
		out->limit = result.limit;
		out->steps = result.steps;
		out->memory_peak = result.memory_peak;
	}
	if (run.digests != NULL) {
		digests_end(session);
		cowsh_digest(session, before, out->tree);
		cowsh_snapshot_free(before);
	}
	/* The steps of sqlite3 depend on the size of pointers: docs/limits.md, JR-6. */
	if (run.journals != NULL && strstr(file, "sqlite3") == NULL)
		journals_put(run.journals, session, file, t);
	cowsh_free(session);
}

static void make_store(void)
{
	struct cowsh_store_config config = COWSH_STORE_CONFIG_INIT;

	config.region = reserve_memory(&config.region_size);
	/* Memory that was used before: what is not set is not zero. */
	if (run.poison && config.region != NULL)
		memset(config.region, 0xa5, POISON_BYTES);
	if (config.region == NULL || cowsh_store_new(&config, &store) < 0)
		abort();
}

/* What does not end in a newline is shown with a marker line behind it. */
static void normalise(struct text *t)
{
	static const char marker[] = "\n\\ no newline\n";

	if (t->len != 0 && t->ptr[t->len - 1] != '\n')
		text_add(t, marker, sizeof marker - 1);
}

/* --- reporting --- */

static void show_text(const char *what, const char *which, const struct text *t)
{
	printf("  %s %s:\n", what, which);
	if (t->len != 0)
		fwrite(t->ptr, 1, t->len, stdout);
}

static void show(const char *what, const struct text *wanted, const struct text *got)
{
	if (same(wanted, got))
		return;
	show_text(what, "wanted", wanted);
	show_text(what, "got", got);
}

static bool as_wanted(const struct test *t, const struct outcome *o)
{
	return same(&t->part[OUTPUT], &o->part[OUTPUT]) &&
	       same(&t->part[ERRORS], &o->part[ERRORS]) && t->status == o->status && o->limit < 0;
}

static void run_case(const char *file, const struct test *t, struct outcome *o)
{
	if (run.oracle)
		oracle_run(t, o);
	else if (run.program != NULL)
		program_run(t, o, run.program);
	else
		run_in_cowsh(file, t, o);
	normalise(&o->part[OUTPUT]);
	normalise(&o->part[ERRORS]);
}

static void free_outcome(struct outcome *o)
{
	for (int i = 0; i < SECTIONS; i++)
		free(o->part[i].ptr);
	*o = (struct outcome){ .limit = -1 };
}

/* The processes of the real shell race on a busy machine: what fails there is tried again. */
static void run_again(const char *file, const struct test *t, struct outcome *o)
{
	bool differs = t->differs[0] != '\0';

	for (int i = 0; i < ORACLE_TRIES && as_wanted(t, o) == differs; i++) {
		free_outcome(o);
		run_case(file, t, o);
	}
}

static void judge(const char *file, const struct test *t, struct outcome *o)
{
	bool ok;

	if (run.oracle)
		run_again(file, t, o);
	ok = as_wanted(t, o);
	if (run.oracle && t->differs[0] != '\0') {
		ok = !ok;
		if (!ok)
			printf("the real tools do the same: not a difference\n");
	}
	if (ok) {
		run.passed++;
		if (run.verbose)
			printf("ok   %s: %s\n", file, t->name);
		return;
	}
	run.failed++;
	printf("FAIL %s: %s\n", file, t->name);
	show("stdout", &t->part[OUTPUT], &o->part[OUTPUT]);
	show("stderr", &t->part[ERRORS], &o->part[ERRORS]);
	if (t->status != o->status)
		printf("  status wanted %d, got %d\n", t->status, o->status);
	if (o->limit >= 0)
		printf("  stopped by limit %s\n", cowsh_limit_name(o->limit));
}

static void put_section(FILE *f, const char *header, const struct text *t)
{
	if (t->len == 0)
		return;
	fprintf(f, "%s\n", header);
	fwrite(t->ptr, 1, t->len, f);
}

static void record(FILE *f, const struct test *t, struct outcome *o)
{
	bool keep = t->differs[0] != '\0';

	fprintf(f, "### %s\n", t->name);
	fwrite(t->part[SCRIPT].ptr, 1, t->part[SCRIPT].len, f);
	put_section(f, "--- stdin", &t->part[INPUT]);
	put_section(f, "--- stdout", keep ? &t->part[OUTPUT] : &o->part[OUTPUT]);
	put_section(f, "--- stderr", keep ? &t->part[ERRORS] : &o->part[ERRORS]);
	if ((keep ? t->status : o->status) != 0)
		fprintf(f, "--- status %d\n", keep ? t->status : o->status);
	if (keep)
		fprintf(f, "--- differs: %s\n", t->differs);
	fputc('\n', f);
}

static void run_file(const char *path)
{
	size_t len;
	char *text = case_file(path, &len);
	struct case_reader r = { text, text + len, NULL, 0 };
	struct test t;
	struct text recorded = { 0 };
	FILE *f = run.record ? open_memstream(&recorded.ptr, &recorded.len) : NULL;
	const char *file = strstr(path, "tests/") != NULL ? strstr(path, "tests/") + 6 : path;

	while (case_next(&r, &t)) {
		struct outcome o = { .limit = -1 };

		if ((run.only == NULL || strstr(t.name, run.only) != NULL) &&
		    run.seen++ % run.sample == 0) {
			run_case(file, &t, &o);
			if (run.digests != NULL)
				digests_print(run.digests, file, &t, &o);
			if (run.record)
				record(f, &t, &o);
			else
				judge(file, &t, &o);
		}
		for (int i = 0; i < SECTIONS; i++)
			free(t.part[i].ptr);
		free_outcome(&o);
	}
	free(text);
	if (f != NULL) {
		fclose(f);
		f = fopen(path, "wb");
		if (f == NULL || recorded.len == 0 ||
		    fwrite(recorded.ptr, 1, recorded.len - 1, f) != recorded.len - 1)
			perror(path);
		if (f != NULL)
			fclose(f);
		free(recorded.ptr);
	}
}

int main(int argc, char **argv)
{
	int i = 1;

	run.sample = 1;
	for (; i < argc && argv[i][0] == '-'; i++) {
		if (strcmp(argv[i], "--oracle") == 0)
			run.oracle = true;
		else if (strcmp(argv[i], "--record") == 0)
			run.oracle = run.record = true;
		else if (strcmp(argv[i], "--forked") == 0)
			run.forked = true;
		else if (strcmp(argv[i], "--digests") == 0 && i + 1 < argc)
			run.digests = fopen(argv[++i], "w");
		else if (strcmp(argv[i], "--journals") == 0 && i + 1 < argc)
			run.journals = fopen(argv[++i], "wb");
		else if (strcmp(argv[i], "--replay") == 0)
			run.replay = true;
		else if (strcmp(argv[i], "--poison") == 0)
			run.poison = true;
		else if (strcmp(argv[i], "--sample") == 0 && i + 1 < argc)
			run.sample = atoi(argv[++i]);
		else if (strcmp(argv[i], "-v") == 0)
			run.verbose = true;
		else if (strcmp(argv[i], "--only") == 0 && i + 1 < argc)
			run.only = argv[++i];
		else if (strcmp(argv[i], "--program") == 0 && i + 1 < argc)
			run.program = argv[++i];
		else
			i = argc;
	}
	if (i >= argc || run.sample < 1) {
		fprintf(stderr, "usage: run [--oracle|--record|--forked|--program COWSH] [-v] "
				"[--digests OUT] [--journals OUT] [--poison] [--sample N] "
				"[--only TEXT] FILE...\n       run --replay JOURNALS...\n");
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (run.oracle) {
		/* Paths are the caller's: they must be absolute before the directory changes. */
		for (int j = i; j < argc; j++)
			argv[j] = realpath(argv[j], NULL) != NULL ? realpath(argv[j], NULL)
								  : argv[j];
		if (!oracle_start())
			return 2;
	} else {
		make_store();
	}
	for (; i < argc; i++) {
		if (run.replay)
			run.failed += journals_replay(store, argv[i], &run.passed);
		else
			run_file(argv[i]);
	}
	cowsh_free(base_session);
	if (run.digests != NULL && fclose(run.digests) != 0)
		run.failed++;
	if (run.journals != NULL && fclose(run.journals) != 0)
		run.failed++;
	printf("%d passed, %d failed\n", run.passed, run.failed);
	return run.failed != 0;
}
