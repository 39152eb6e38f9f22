/* SPDX-License-Identifier: MIT
 *
 * In-process figures: new sessions, warm commands, forks. A customer of cowsh.h.
 */
#include "cowsh.h"
#include "cowsh_journal.h"
#include "cowsh_watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { ROUNDS = 21 };

static cowsh_store *store;

static double cpu_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static int discard(void *user, int fd, const char *data, size_t len)
{
	(void)user, (void)fd, (void)data, (void)len;
	return 0;
}

static cowsh *session_new(void)
{
	struct cowsh_host host = COWSH_HOST_INIT;
	cowsh *session;

	host.output = discard;
	if (cowsh_new(store, NULL, &host, &session) < 0)
		abort();
	return session;
}

static void run(cowsh *session, const char *script)
{
	struct cowsh_result result;

	if (cowsh_run(session, script, strlen(script), &result) < 0)
		abort();
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The median over the rounds of `turns` calls each. */
static void report(const char *name, int turns, void (*turn)(cowsh *), cowsh *session)
{
	double round[ROUNDS];

	for (int r = 0; r < ROUNDS; r++) {
		double start = cpu_us();

		for (int i = 0; i < turns; i++)
			turn(session);
		round[r] = (cpu_us() - start) / turns;
	}
	qsort(round, ROUNDS, sizeof round[0], by_value);
	printf("  %-44s %9.3f us\n", name, round[ROUNDS / 2]);
}

static void new_and_first(cowsh *unused)
{
	cowsh *session = session_new();

	(void)unused;
	run(session, "echo hello");
	cowsh_free(session);
}

static void warm_true(cowsh *session)
{
	run(session, "true");
}

static void warm_echo(cowsh *session)
{
	run(session, "echo hello");
}

static void warm_pipe(cowsh *session)
{
	run(session, "cat f | wc -l");
}

static void agent_script(cowsh *session)
{
	run(session, "mkdir -p work && cd work\n"
		     "for i in 1 2 3; do echo \"line $i of $(basename /a/b$i.txt)\"; done > log\n"
		     "count=$(grep -c line log)\n"
		     "sort -r log | head -n 2 > top\n"
		     "sed 's/line/LINE/' top | tr a-z A-Z > upper\n"
		     "total=$(cat log | wc -l)\n"
		     "echo \"$count $total\" | cut -d' ' -f1\n"
		     "if [ -f upper ]; then cat upper | sort | uniq -c; fi\n"
		     "x=$(echo a:b:c | cut -d: -f2); y=$(printf '%03d' 7)\n"
		     "cd .. && rm -rf work\n");
}

static void undone_true(cowsh *session)
{
	run(session, "true");
	if (cowsh_undo(session) < 0)
		abort();
}

/* What a checkpoint before each command costs, and going back to it. */
static void report_undo(void)
{
	struct cowsh_config config = COWSH_CONFIG_INIT;
	cowsh *session;

	config.checkpoints = 1;
	if (cowsh_new(store, &config, NULL, &session) < 0)
		abort();
	run(session, "mkdir m; cd m; for i in {1..1000}; do echo \"file $i\" > f$i; done; cd ..");
	report("warm `true`, with a checkpoint", 500, warm_true, session);
	report("  and undone", 500, undone_true, session);
	cowsh_free(session);
}

static void fork_session(cowsh *session)
{
	cowsh *fork;

	if (cowsh_fork(session, NULL, &fork) < 0)
		abort();
	cowsh_free(fork);
}

static void append_after_fork(cowsh *session)
{
	cowsh *fork;

	if (cowsh_fork(session, NULL, &fork) < 0)
		abort();
	run(fork, "echo -n x >> big");
	cowsh_free(fork);
}

static cowsh_snapshot *before_changes;

static int ignore_change(void *user, const struct cowsh_change *change)
{
	(void)user;
	(void)change;
	return 0;
}

static void list_changes(cowsh *session)
{
	if (cowsh_diff(session, before_changes, ignore_change, NULL) < 0)
		abort();
}

static int ignore_bytes(void *user, const char *data, size_t len)
{
	return discard(user, 1, data, len);
}

static void export_as(cowsh *session, int form)
{
	struct cowsh_export what = {
		.size = sizeof what, .form = form, .since = before_changes, .write = ignore_bytes
	};

	if (cowsh_export_changes(session, &what) < 0)
		abort();
}

static void export_unified(cowsh *session)
{
	export_as(session, COWSH_FORM_UNIFIED);
}

static void export_git(cowsh *session)
{
	export_as(session, COWSH_FORM_GIT);
}

static void export_tar(cowsh *session)
{
	export_as(session, COWSH_FORM_TAR);
}

/* A tree of 10,000 files, of which one changes, then all. */
static void report_changes(void)
{
	cowsh *session = session_new();

	run(session,
	    "for d in {1..100}; do mkdir $d; for f in {1..100}; do seq $f > $d/$f; done; done");
	if (cowsh_snapshot_new(session, &before_changes) < 0)
		abort();
	run(session, "echo more >> 50/50");
	report("10,000 files, 1 changed: list", 500, list_changes, session);
	report("  git patch", 50, export_git, session);
	run(session, "for f in */*; do echo more >> $f; done");
	report("10,000 files changed: list", 5, list_changes, session);
	report("  unified patch", 1, export_unified, session);
	report("  git patch", 1, export_git, session);
	report("  tar archive", 1, export_tar, session);
	cowsh_snapshot_free(before_changes);
	cowsh_free(session);
}

/* --- watching, journal, replay --- */

static void ignore_event(void *user, const struct cowsh_event *event)
{
	(void)user;
	(void)event;
}

static void run_traced(bool calls)
{
	struct cowsh_tracer tracer = COWSH_TRACER_INIT;
	cowsh *session = session_new();

	tracer.event = ignore_event;
	tracer.calls = calls;
	if (cowsh_trace(session, &tracer) < 0)
		abort();
	run(session, "seq 100 > f");
	report(calls ? "  traced, with calls" : "  traced", 200, agent_script, session);
	cowsh_free(session);
}

enum { JOURNAL_MAX = 256 << 20, REPLAYED = 2000 };

static char *journal;
static size_t journal_len;

static int keep(void *user, const void *data, size_t len)
{
	(void)user;
	if (len > JOURNAL_MAX - journal_len)
		return -COWSH_ENOSPC;
	memcpy(journal + journal_len, data, len);
	journal_len += len;
	return 0;
}

static cowsh *journaled(void)
{
	struct cowsh_journal to = COWSH_JOURNAL_INIT;
	cowsh *session;

	journal_len = 0;
	to.write = keep;
	if (cowsh_new_journaled(store, NULL, NULL, &to, &session) < 0)
		abort();
	return session;
}

static void report_replay(void)
{
	struct cowsh_replay_config config = COWSH_REPLAY_CONFIG_INIT;
	struct cowsh_replay_report r;
	cowsh *session = journaled();
	cowsh_replay *replay;
	double start;

	run(session, "seq 100 > f");
	for (int i = 0; i < REPLAYED; i++)
		agent_script(session);
	cowsh_journal_end(session);
	cowsh_free(session);
	config.journal = journal;
	config.journal_len = journal_len;
	start = cpu_us();
	if (cowsh_replay_new(store, &config, &replay, NULL) < 0)
		abort();
	while (cowsh_replay_next(replay, &r) == COWSH_REPLAY_SAME)
		;
	printf("  %-44s %9.2f us\n", "  replayed", (cpu_us() - start) / REPLAYED);
	printf("  %-44s %9.0f B\n", "  journal", (double)journal_len / REPLAYED);
	cowsh_replay_free(replay);
}

static void report_journal(void)
{
	cowsh *session = session_new();

	journal = mmap(NULL, JOURNAL_MAX, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (journal == MAP_FAILED)
		abort();
	run(session, "seq 100 > f");
	report("10-line agent script", 200, agent_script, session);
	cowsh_free(session);
	run_traced(false);
	run_traced(true);
	session = journaled();
	run(session, "seq 100 > f");
	report("  journaled", 200, agent_script, session);
	cowsh_free(session);
	report_replay();
	session = journaled();
	report("warm `true`, journaled", 2000, warm_true, session);
	cowsh_free(session);
}

static double used_kb(size_t before)
{
	return (double)(cowsh_store_used(store) - before) / 1024;
}

enum { LIVE_FORKS = 10000 };

/* Many forks of a session that live at the same time: idle, or when each has run a command. The
 * mean of them, as memory is taken from the store in pieces for several; in KB. */
static double live_forks(cowsh *session, const char *command)
{
	static cowsh *fork[LIVE_FORKS];
	size_t before = cowsh_store_used(store);
	double each;

	for (int i = 0; i < LIVE_FORKS; i++) {
		if (cowsh_fork(session, NULL, &fork[i]) < 0)
			abort();
		if (command != NULL)
			run(fork[i], command);
	}
	each = used_kb(before) / LIVE_FORKS;
	for (int i = 0; i < LIVE_FORKS; i++)
		cowsh_free(fork[i]);
	return each;
}

static void report_live_forks(cowsh *session)
{
	double each;

	printf("  %-44s %9.1f KB\n", "each of 10,000 live forks", live_forks(session, NULL));
	each = live_forks(session, "echo x > mine");
	printf("  %-44s %9.1f KB\n", "each of 10,000 live forks that wrote a file", each);
	printf("  %-44s %9.0f\n", "so many of them in a GB", 1024 * 1024 / each);
}

static void idle_sessions(void)
{
	enum { SESSIONS = 1000 };
	static cowsh *idle[SESSIONS];
	size_t before = cowsh_store_used(store);

	for (int i = 0; i < SESSIONS; i++)
		idle[i] = session_new();
	printf("  %-44s %9.1f KB\n", "each of 1,000 idle sessions", used_kb(before) / SESSIONS);
	for (int i = 0; i < SESSIONS; i++)
		cowsh_free(idle[i]);
}

int main(void)
{
	struct cowsh_store_config config = COWSH_STORE_CONFIG_INIT;
	cowsh *session;

	config.region_size = (size_t)8 << 30;
	config.region = mmap(NULL, config.region_size, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (config.region == MAP_FAILED || cowsh_store_new(&config, &store) < 0)
		abort();
	puts("in-process, CPU time (median of 21 rounds)");
	report("new session, first command, free", 200, new_and_first, NULL);
	idle_sessions();
	session = session_new();
	run(session, "seq 100 > f");
	report("warm `true`", 2000, warm_true, session);
	report("warm `echo hello`", 2000, warm_echo, session);
	report("warm `cat f | wc -l`", 1000, warm_pipe, session);
	report("10-line agent script", 200, agent_script, session);
	run(session, "mkdir m; cd m; for i in {1..1000}; do echo \"file $i\" > f$i; done; cd ..");
	report("fork and free, 1,000 files", 500, fork_session, session);
	run(session, "cd m; for ((i=1000;i<100000;i++)); do : > g$i; done; cd ..");
	report("fork and free, 100,000 files", 500, fork_session, session);
	report_live_forks(session);
	run(session, "head -c 100000000 /dev/zero > big");
	report("fork, append a byte to 100 MB, free", 200, append_after_fork, session);
	cowsh_free(session);
	report_undo();
	report_changes();
	report_journal();
	cowsh_store_free(store);
	return 0;
}
