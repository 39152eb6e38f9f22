/* SPDX-License-Identifier: MIT
 *
 * The public interface, as a customer uses it: running, slices, files, mounts, forks, custom
 * commands, limits, pending callbacks.
 */
#include "cowsh.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "tests/unit/host.h"

/* --- running --- */

TEST(state_stays_between_commands)
{
	struct host h;
	cowsh *s = new_session(&h, NULL);

	CHECK_EQ(run(s, "x=1; cd /tmp; f() { echo \"f $x\"; }").status, 0);
	CHECK_EQ(run(s, "x=2; f; pwd; exit 4; echo no").status, 4);
	CHECK_EQ(run(s, "echo $x $?").status, 0);
	CHECK_STR(h.out[1], "f 2\n/tmp\n2 4\n");
	cowsh_free(s);
}

TEST(exit_is_told_and_errexit_too)
{
	struct host h;
	cowsh *s = new_session(&h, NULL);
	struct cowsh_result r = run(s, "exit 3");

	CHECK(r.exited);
	CHECK_EQ(r.status, 3);
	CHECK(!run(s, "true").exited);
	cowsh_free(s);
}

TEST(programs_leave_the_shell_alone)
{
	const char *argv[] = { "bash", "-c", "x=9; echo $0 $1", "name", "one" };
	struct host h;
	cowsh *s = new_session(&h, NULL);
	struct cowsh_result r;

	run(s, "x=1");
	CHECK_EQ(cowsh_start_program(s, 5, argv), 0);
	CHECK_EQ(cowsh_step(s, 0), COWSH_DONE);
	CHECK_EQ(cowsh_get_result(s, &r), 0);
	CHECK_EQ(r.status, 0);
	run(s, "echo $x");
	CHECK_STR(h.out[1], "name one\n1\n");
	cowsh_free(s);
}

TEST(slices_add_up_and_repeat)
{
	const char *script = "for ((i = 0; i < 2000; i++)); do x=$((x + i)); done; echo $x";
	uint64_t steps[3];

	for (int round = 0; round < 3; round++) {
		struct host h;
		cowsh *s = new_session(&h, NULL);
		struct cowsh_result r;
		int slices = 0;

		CHECK_EQ(cowsh_start(s, script, strlen(script)), 0);
		while (cowsh_step(s, round == 0 ? 0 : 500) == COWSH_SLICE)
			slices++;
		CHECK_EQ(cowsh_get_result(s, &r), 0);
		CHECK(round == 0 || slices > 3);
		CHECK_STR(h.out[1], "1999000\n");
		steps[round] = r.steps;
		cowsh_free(s);
	}
	CHECK_EQ(steps[1], steps[0]);
	CHECK_EQ(steps[2], steps[0]);
}

TEST(standard_input_may_be_pending)
{
	struct host h;
	cowsh *s = new_session(&h, NULL);
	const char *script = "read a; echo \"got $a\"";
	int waits = 0;
	int state;

	h.input = "line\n";
	h.pending = 2;
	CHECK_EQ(cowsh_start(s, script, strlen(script)), 0);
	while ((state = cowsh_step(s, 0)) == COWSH_WAIT) {
		waits++;
		cowsh_wake(s);
	}
	CHECK_EQ(state, COWSH_DONE);
	CHECK_EQ(waits, 2);
	CHECK_STR(h.out[1], "got line\n");
	cowsh_free(s);
}

/* One line at a time; how much was written when the next one was asked for is kept. */
struct typist {
	struct host h;
	int lines;
	size_t shown[4];
};

static int64_t type_line(void *user, char *into, size_t len)
{
	struct typist *t = user;

	(void)len;
	t->shown[t->lines] = t->h.len[1];
	if (t->lines++ == 2)
		return 0;
	memcpy(into, "line\n", 5);
	return 5;
}

TEST(who_can_run_does_before_the_host_is_asked_for_input)
{
	struct typist t = { 0 };
	struct cowsh_host host = callbacks(&t.h);
	cowsh *s = NULL;

	host.input = type_line;
	host.user = &t;
	CHECK_EQ(cowsh_new(store, NULL, &host, &s), 0);
	CHECK_EQ(run(s, "cat | cat | tee /dev/null | cat").status, 0);
	CHECK_EQ(t.lines, 3);
	CHECK_EQ(t.shown[1], 5);
	CHECK_EQ(t.shown[2], 10);
	t.lines = 0;
	CHECK_EQ(run(s, "while :; do :; done & cat; kill %1").status, 0);
	CHECK_EQ(t.lines, 3);
	cowsh_free(s);
}

/* --- limits --- */

static struct cowsh_result run_limited(cowsh *s, int limit, uint64_t value, const char *script)
{
	struct cowsh_result r;

	CHECK_EQ(cowsh_set_limit(s, limit, value), 0);
	r = run(s, script);
	CHECK_EQ(r.limit, limit);
	CHECK_EQ(r.status, 137);
	CHECK_EQ(cowsh_set_limit(s, limit, cowsh_limit_value(limit, 0)), 0);
	r = run(s, "echo alive");
	CHECK_EQ(r.status, 0);
	CHECK_EQ(r.limit, -1);
	return r;
}

TEST(a_limit_ends_the_command_not_the_session)
{
	struct host h;
	cowsh *s = new_session(&h, NULL);

	run(s, "kept=yes");
	run_limited(s, COWSH_LIMIT_STEPS, 100000, "f() { while :; do :; done; }; f");
	run_limited(s, COWSH_LIMIT_STEPS, 100000, "echo $(while :; do :; done) | cat");
	run_limited(s, COWSH_LIMIT_MEMORY, 8 << 20, "x=a; while :; do x=$x$x; done");
	run_limited(s, COWSH_LIMIT_OUTPUT, 1000, "yes");
	run_limited(s, COWSH_LIMIT_STEPS, 1000000, "yes > /dev/null & yes | cat > /dev/null");
	h.len[1] = 0;
	run(s, "echo $kept");
	CHECK_STR(h.out[1], "yes\n");
	cowsh_free(s);
}

/* Memory ends at one place or another of what grows. */
TEST(tables_are_whole_when_memory_ends_while_they_grow)
{
	static const char *const grow[] = {
		"declare -A h; i=0; while :; do h[k$i]=x; i=$((i + 1)); done",
		"i=0; while :; do eval v$i=x; i=$((i + 1)); done",
		"i=0; while :; do eval ': $i'; eval \": $i\"; history -s $i; i=$((i + 1)); done",
	};
	static const char use[] = "for ((i = 0; i < 99; i++)); do : ${h[k$i]}; n=v$i; : ${!n}; "
				  "eval \": $i\"; done; unset 'h[k1]' v5; history -d 1; true";
	struct host h;

	for (size_t i = 0; i < 3 * 40; i++) {
		cowsh *s = new_session(&h, NULL);

		run_limited(s, COWSH_LIMIT_MEMORY, (2 << 20) + i / 3 * (51 << 10), grow[i % 3]);
		CHECK_EQ(run(s, use).status, 0);
		cowsh_free(s);
	}
}

/* Nothing inside can end the session's shell for good. */
TEST(a_shell_that_is_killed_goes_on)
{
	static const char *const scripts[] = {
		"kill $$",
		"kill -9 $$",
		"kill -9 0",
		"(kill -9 0) & wait; :",
		"f() { kill -TERM $$; sleep 1; }; f | cat",
		"ulimit -t 0; while :; do :; done",
		"trap 'exit 3' EXIT; kill -TERM $$",
		"kill -9 -1; (kill -9 -1)",
		"kill -ABRT $PPID $$",
		"x=$(kill -9 $$)",
		"sleep 100 & (sleep 1; kill -9 $$) & wait",
		"exec kill -9 $$",
	};
	struct host h;

	for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
		cowsh *s = new_session(&h, NULL);

		run(s, "x=kept; cd /tmp");
		run(s, scripts[i]);
		h.len[1] = 0;
		CHECK_EQ(run(s, "echo $(echo $x) $PWD").status, 0);
		CHECK(strstr(h.out[1], "/tmp\n") != NULL);
		cowsh_free(s);
	}
}

TEST(a_limit_says_what_and_where)
{
	struct host h;
	cowsh *s = new_session(&h, NULL);
	struct cowsh_result r;

	CHECK_EQ(cowsh_set_limit(s, COWSH_LIMIT_STEPS, 5000), 0);
	r = run(s, ":\n:\nyes > /dev/null");
	CHECK_EQ(r.limit_value, 5000);
	CHECK_STR(r.limit_where, "yes, line 3");
	CHECK(strstr(h.out[2], "limit of steps (5000) reached in yes, line 3\n") != NULL);
	cowsh_free(s);
}

/* What a session has used stays used, also in its forks. */
TEST(budgets_of_a_session)
{
	static const int limits[] = { COWSH_LIMIT_SESSION_STEPS, COWSH_LIMIT_SESSION_OUTPUT,
				      COWSH_LIMIT_SESSION_PROCESSES };

	for (int i = 0; i < 3; i++) {
		struct cowsh_config config = COWSH_CONFIG_INIT;
		struct host h;
		cowsh *fork;
		cowsh *s;
		struct cowsh_result r = { .limit = -1 };
		int commands = 0;

		config.limit[limits[i]] = 3000;
		config.limits_set = (uint64_t)1 << limits[i];
		s = new_session(&h, &config);
		while (r.limit < 0 && commands++ < 1000)
			r = run(s, "for i in 1 2 3 4 5; do (echo hello); done");
		CHECK_EQ(r.limit, limits[i]);
		CHECK(commands > 3 && commands < 700);
		CHECK_EQ(cowsh_fork(s, NULL, &fork), 0);
		CHECK_EQ(run(fork, "(echo hello)").limit, limits[i]);
		cowsh_free(fork);
		cowsh_free(s);
	}
}

TEST(profiles_are_finite)
{
	for (int limit = 0; limit < COWSH_LIMIT_COUNT; limit++) {
		uint64_t small = cowsh_limit_value(limit, COWSH_PROFILE_SMALL);
		uint64_t normal = cowsh_limit_value(limit, COWSH_PROFILE_DEFAULT);

		CHECK(small != 0 && small < normal);
		CHECK(normal < cowsh_limit_value(limit, COWSH_PROFILE_LARGE));
	}
}

TEST(a_deadlock_is_found)
{
	struct host h;
	cowsh *s = new_session(&h, NULL);
	struct cowsh_result r = run(s, "mkfifo p; cat p");

	CHECK_EQ(r.limit, COWSH_LIMIT_DEADLOCK);
	CHECK_EQ(run(s, "echo on").status, 0);
	cowsh_free(s);
}

static void *cancel_soon(void *session)
{
	for (volatile int i = 0; i < 30000000; i++)
		;
	cowsh_cancel(session);
	return NULL;
}

TEST(cancel_from_another_thread)
{
	struct host h;
	cowsh *s = new_session(&h, NULL);
	pthread_t thread;

	pthread_create(&thread, NULL, cancel_soon, s);
	CHECK_EQ(run(s, "while :; do :; done").limit, COWSH_LIMIT_CANCEL);
	pthread_join(thread, NULL);
	CHECK_EQ(run(s, "true").status, 0);
	cowsh_free(s);
}

/* --- files --- */

/* Arguments of a program, and values that were asked for, are gone when the next command begins. */
TEST(a_stop_behind_a_program)
{
	static char words[40000];
	const char *argv[] = { "true", words };
	struct host h;
	cowsh *s = new_session(&h, NULL);
	const char *value;
	size_t len;

	memset(words, 'w', sizeof words - 1);
	CHECK_EQ(cowsh_set_limit(s, COWSH_LIMIT_STEPS, 20000), 0);
	for (int i = 0; i < 3; i++) {
		CHECK_EQ(cowsh_start_program(s, 2, argv), 0);
		CHECK_EQ(cowsh_step(s, 0), COWSH_DONE);
		CHECK_EQ(run(s, "while :; do :; done").limit, COWSH_LIMIT_STEPS);
		for (int k = 0; k < 500; k++)
			CHECK_EQ(cowsh_get_variable(s, "PPID", &value, &len), 0);
		CHECK_EQ(run(s, "x=alive; while :; do :; done").limit, COWSH_LIMIT_STEPS);
		run(s, "echo $x");
	}
	CHECK_STR(h.out[1], "alive\nalive\nalive\n");
	cowsh_free(s);
}

/* Wherever it ends, the shell takes its locals back. */
TEST(no_memory_for_locals)
{
	static const char script[] = "f() { local a=1 b=$1; f $((b + 1)); }; f 1";
	struct cowsh_config config = COWSH_CONFIG_INIT;

	config.limits_set = 1u << COWSH_LIMIT_MEMORY;
	for (uint64_t bytes = 320000; bytes < 800000; bytes += 1500) {
		struct host h;
		cowsh *s;

		config.limit[COWSH_LIMIT_MEMORY] = bytes;
		s = new_session(&h, &config);
		CHECK_EQ(run(s, script).status, 137);
		run(s, "echo \"${a-unset}\"");
		CHECK_STR(h.out[1], "unset\n");
		cowsh_free(s);
	}
}

TEST(a_user_among_many)
{
	struct cowsh_config config = COWSH_CONFIG_INIT;
	struct host h, h2;
	cowsh_snapshot *tree;
	cowsh *s, *other;

	config.user = "root";
	s = new_session(&h, &config);
	run(s, "for i in {1..60}; do echo u$i:x:$((2000 + i)):100::/home/u$i:/bin/bash; done >> "
	       "/etc/passwd; "
	       "printf u:x:5:mary >> /etc/group");
	CHECK_EQ(cowsh_snapshot_new(s, &tree), 0);
	config.user = "mary";
	config.tree = tree;
	other = new_session(&h2, &config);
	run(other, "wc -l < /etc/passwd; grep -c ^u /etc/passwd; id; tail -n 2 /etc/group; id u60");
	CHECK_STR(h2.out[1],
		  "66\n60\nuid=1000(mary) gid=1000(mary) groups=1000(mary)\n"
		  "u:x:5:mary\nmary:x:1000:\nuid=2060(u60) gid=100(users) groups=100(users)\n");
	cowsh_free(other);
	cowsh_free(s);
	cowsh_snapshot_free(tree);
}

/* However deep a script has made it. */
TEST(a_deep_directory_goes)
{
	struct host h;
	cowsh *s = new_session(&h, NULL);
	clock_t begin;

	run(s, "cd /tmp; for ((i = 0; i < 10000; i++)); do mkdir a b && > c && cd a; done; cd");
	begin = clock();
	CHECK_EQ(cowsh_remove(s, "/tmp/a"), 0);
	CHECK((clock() - begin) / CLOCKS_PER_SEC < 1);
	CHECK_EQ(run(s, "[ ! -e /tmp/a ] && [ -d /tmp/b ]").status, 0);
	cowsh_free(s);
}

TEST(files_go_in_and_out)
{
	static const char bytes[] = { 'a', 0, '\n', (char)0xff };
	struct host h;
	cowsh *s = new_session(&h, NULL);
	struct cowsh_stat st;
	char *data;
	size_t len;

	CHECK_EQ(cowsh_put_file(s, "/data/deep/f", bytes, 4, 0640), 0);
	CHECK_EQ(cowsh_get_file(s, "/data/deep/f", &data, &len), 0);
	CHECK_EQ(len, 4);
	CHECK(memcmp(data, bytes, 4) == 0);
	cowsh_bytes_free(s, data, len);
	CHECK_EQ(cowsh_stat_file(s, "/data/deep/f", &st), 0);
	CHECK_EQ(st.mode & 07777, 0640);
	CHECK_EQ(st.size, 4);
	CHECK_EQ(cowsh_get_file(s, "/data/none", &data, &len), -COWSH_ENOENT);
	CHECK_EQ(cowsh_get_file(s, "/data", &data, &len), -COWSH_EISDIR);
	run(s, "mkdir -p t/{a,b}/c; echo x > t/a/f; ln -s / t/link; wc -c < /data/deep/f");
	CHECK_STR(h.out[1], "4\n");
	CHECK_EQ(cowsh_remove(s, "t"), 0);
	CHECK_EQ(run(s, "[ -e t ] || [ ! -d /etc ]").status, 1);
	cowsh_free(s);
}

static int list_names(void *user, const char *name, unsigned mode)
{
	(void)mode;
	strcat(user, name);
	strcat(user, " ");
	return 0;
}

TEST(listing)
{
	struct host h;
	cowsh *s = new_session(&h, NULL);
	char names[256] = "";

	run(s, "mkdir l; cd l; touch b a .c; mkdir d");
	CHECK_EQ(cowsh_list(s, ".", list_names, names), 0);
	CHECK_STR(names, ".c a b d ");
	cowsh_free(s);
}

/* A source with a directory (0) that holds a file (1) and a directory (2) with a file (3). */
static int source_list(void *user, uint64_t id, int (*emit)(void *, const struct cowsh_entry *),
		       void *sink)
{
	struct cowsh_entry file = { "f", 1, 0100644, 6, 0, NULL, 0 };
	struct cowsh_entry dir = { "d", 2, 0040755, 0, 0, NULL, 0 };
	struct cowsh_entry deep = { "g", 3, 0100644, 6, 0, NULL, 0 };

	++*(int *)user;
	if (id == 2)
		return emit(sink, &deep);
	emit(sink, &file);
	return emit(sink, &dir);
}

static int64_t source_read(void *user, uint64_t id, uint64_t pos, void *into, size_t len)
{
	const char *text = id == 1 ? "first\n" : "third\n";
	size_t n = pos < 6 ? 6 - (size_t)pos : 0;

	(void)user;
	n = n < len ? n : len;
	memcpy(into, text + (pos < 6 ? pos : 0), n);
	return (int64_t)n;
}

static struct cowsh_source source = { .size = sizeof source,
				      .list = source_list,
				      .read = source_read };

TEST(mounts_are_read_when_needed_and_never_written)
{
	struct host h;
	cowsh *s = new_session(&h, NULL);
	int lists = 0;

	source.user = &lists;
	CHECK_EQ(cowsh_mount(s, "/m", &source, 0, false), 0);
	CHECK_EQ(lists, 0);
	run(s, "cat /m/f; echo more >> /m/f; cat /m/f /m/d/g; ls /m");
	CHECK_STR(h.out[1], "first\nfirst\nmore\nthird\nd\nf\n");
	CHECK_EQ(lists, 2);
	CHECK_EQ(cowsh_mount(s, "/ro", &source, 0, true), 0);
	CHECK_EQ(run(s, "echo x > /ro/f").status, 1);
	CHECK_EQ(run(s, "mkdir /ro/new").status, 1);
	CHECK_EQ(cowsh_put_lazy(s, "/lazy", &source, 3, 6, 0644), 0);
	h.len[1] = 0;
	run(s, "cat /lazy");
	CHECK_STR(h.out[1], "third\n");
	run(s, "mkdir /tmp/d; cd /tmp/d");
	CHECK_EQ(cowsh_put_lazy(s, "new/lazy", &source, 3, 6, 0644), 0);
	CHECK_EQ(cowsh_put_lazy(s, "new/lazy", &source, 3, 6, 0644), -COWSH_EEXIST);
	h.len[1] = 0;
	run(s, "cat /tmp/d/new/lazy");
	CHECK_STR(h.out[1], "third\n");
	cowsh_free(s);
}

/* --- copies --- */

TEST(forks_are_independent)
{
	struct host h, h2;
	struct cowsh_host host = callbacks(&h2);
	cowsh *s = new_session(&h, NULL);
	cowsh *fork;

	run(s,
	    "x=1; a=(1 2); declare -A m=([k]=v); f() { echo \"f$x\"; }; echo old > file; cd /tmp; "
	    "set -o pipefail; trap 'echo bye' EXIT; shopt -s extglob; alias q=true");
	CHECK_EQ(cowsh_fork(s, &host, &fork), 0);
	run(s, "x=2; f() { :; }; echo new > ~/file; unset a");
	run(fork,
	    "f; echo ${a[1]} ${m[k]}; cat ~/file; pwd; set -o | grep pipefail; shopt extglob");
	CHECK_STR(h2.out[1], "f1\n2 v\nold\n/tmp\npipefail       \ton\nextglob        \ton\n");
	cowsh_free(s);
	h2.len[1] = 0;
	run(fork, "x=3; f; echo $(echo sub)");
	CHECK_STR(h2.out[1], "f3\nsub\n");
	cowsh_free(fork);
}

TEST(what_is_told_of_a_limit_outlives_undoing)
{
	struct cowsh_config config = COWSH_CONFIG_INIT;
	struct cowsh_result r;
	struct host h, h2;
	cowsh *s, *other;

	config.checkpoints = 1;
	s = new_session(&h, &config);
	CHECK_EQ(cowsh_set_limit(s, COWSH_LIMIT_STEPS, 10000), 0);
	run(s, "while :; do :; done");
	CHECK_EQ(cowsh_undo(s), 0);
	other = new_session(&h2, NULL); /* takes the memory that was freed */
	CHECK_EQ(cowsh_get_result(s, &r), 0);
	CHECK_EQ(r.limit, COWSH_LIMIT_STEPS);
	CHECK_STR(r.limit_where, "bash, line 1");
	cowsh_free(other);
	cowsh_free(s);
}

/* A builtin in the background is a C stack, which can't be copied: docs/limits.md, F-1. */
TEST(jobs_that_a_fork_has_not_were_killed)
{
	struct cowsh_config config = COWSH_CONFIG_INIT;
	struct host h, h2;
	struct cowsh_host host = callbacks(&h2);
	cowsh *s;
	cowsh *fork;

	config.checkpoints = 2;
	s = new_session(&h, &config);
	run(s, "sleep 100 & sleep 200 | cat & true & wait $!; p=$!; sleep 300 & disown; d=$!");
	CHECK_EQ(cowsh_fork(s, &host, &fork), 0);
	CHECK_EQ(cowsh_lost_processes(s), 0);
	CHECK_EQ(cowsh_lost_processes(fork), 4);
	run(fork, "wait %1; echo $?; wait $p; echo $?; wait $d; echo $?; jobs; jobs");
	CHECK_STR(h2.out[1], "137\n0\n137\n"
			     "[2]+  Killed                  sleep 200 | cat\n");
	CHECK_STR(h2.out[2], "");
	cowsh_free(fork);
	run(s, "kill %1 %2; wait");
	CHECK_EQ(cowsh_undo(s), 0);
	CHECK_EQ(cowsh_lost_processes(s), 4);
	run(s, "jobs; wait %2; echo $?");
	CHECK_STR(h.out[1], "[1]-  Killed                  sleep 100\n"
			    "[2]+  Killed                  sleep 200 | cat\n137\n");
	cowsh_free(s);
}

static int collect(void *user, const struct cowsh_change *change)
{
	size_t len = strlen(user);

	snprintf((char *)user + len, 1000 - len, "%c%s ", change->kind, change->path);
	return 0;
}

TEST(snapshots_differences_and_restoring)
{
	struct host h;
	cowsh *s = new_session(&h, NULL);
	cowsh_snapshot *before;
	char changes[1000] = "";

	run(s, "mkdir /tmp/w; cd /tmp/w; echo 1 > a; echo 2 > b");
	CHECK_EQ(cowsh_snapshot_new(s, &before), 0);
	run(s, "echo 3 > a; rm b; echo 4 > c");
	CHECK_EQ(cowsh_diff(s, before, collect, changes), 0);
	CHECK(strstr(changes, "M/tmp/w/a -/tmp/w/b +/tmp/w/c ") != NULL);
	CHECK_EQ(cowsh_restore(s, before), 0);
	changes[0] = '\0';
	CHECK_EQ(cowsh_diff(s, before, collect, changes), 0);
	CHECK_STR(changes, "");
	run(s, "cat /tmp/w/a /tmp/w/b; ls /tmp/w");
	CHECK_STR(h.out[1], "1\n2\na\nb\n");
	cowsh_snapshot_free(before);
	cowsh_free(s);
}

/* --- custom commands --- */

static cowsh_call *waiting;

static int upper(void *user, cowsh_call *call)
{
	size_t len;
	const char *in = cowsh_call_input(call, &len);

	++*(int *)user;
	for (size_t i = 0; i < len; i++) {
		char c = (char)(in[i] >= 'a' && in[i] <= 'z' ? in[i] - 32 : in[i]);

		cowsh_call_write(call, 1, &c, 1);
	}
	cowsh_call_write(call, 2, cowsh_call_argv(call)[1], strlen(cowsh_call_argv(call)[1]));
	return cowsh_call_argc(call);
}

static int later(void *user, cowsh_call *call)
{
	(void)user;
	waiting = call;
	return COWSH_PENDING;
}

TEST(custom_commands_run_in_pipelines)
{
	struct host h;
	cowsh *s = new_session(&h, NULL);
	int calls = 0;
	struct cowsh_command command = { sizeof command, "upper", true, upper, &calls };

	CHECK_EQ(cowsh_add_command(s, &command), 0);
	run(s, "echo hello | upper warn | cat; echo ${PIPESTATUS[@]}; type upper");
	CHECK_STR(h.out[1], "HELLO\n0 2 0\nupper is /usr/bin/upper\n");
	CHECK_STR(h.out[2], "warn");
	CHECK_EQ(calls, 1);
	cowsh_free(s);
}

TEST(custom_commands_may_answer_later)
{
	struct host h;
	cowsh *s = new_session(&h, NULL);
	struct cowsh_command command = { sizeof command, "fetch", false, later, NULL };
	const char *script = "fetch & echo first; wait $!; echo \"then $?\"";
	struct cowsh_result r;

	CHECK_EQ(cowsh_add_command(s, &command), 0);
	CHECK_EQ(cowsh_start(s, script, strlen(script)), 0);
	CHECK_EQ(cowsh_step(s, 0), COWSH_WAIT);
	CHECK(waiting != NULL);
	cowsh_call_write(waiting, 1, "answer\n", 7);
	cowsh_call_finish(waiting, 5);
	cowsh_wake(s);
	CHECK_EQ(cowsh_step(s, 0), COWSH_DONE);
	CHECK_EQ(cowsh_get_result(s, &r), 0);
	CHECK_STR(h.out[1], "first\nanswer\nthen 5\n");
	cowsh_free(s);
}

/* The script kills it, or a limit, before it answers: then the answer is for nobody. */
TEST(custom_commands_may_be_killed)
{
	static const char *const scripts[] = {
		"later a & x=$!; : & wait $!; kill $x; wait $x; echo $?",
		"later a & kill -9 $!; wait $!; echo $?; while :; do x+=abcdefgh; done",
	};
	struct cowsh_command command = { sizeof command, "later", false, later, NULL };

	for (int i = 0; i < 4; i++) {
		struct host h;
		cowsh *s = new_session(&h, NULL);

		cowsh_set_limit(s, COWSH_LIMIT_STEPS, 1000000);
		CHECK_EQ(cowsh_add_command(s, &command), 0);
		waiting = NULL;
		run(s, scripts[i % 2]);
		run(s, "x=$(seq 1000)");
		if (waiting != NULL && i < 2)
			cowsh_free(s);
		if (waiting != NULL) {
			CHECK_EQ(cowsh_call_write(waiting, 1, "x", 1), -COWSH_EBADF);
			CHECK_EQ(cowsh_call_argc(waiting), 0);
			CHECK(cowsh_call_argv(waiting)[0] == NULL);
			CHECK(cowsh_call_getenv(waiting, "HOME") == NULL);
			cowsh_call_finish(waiting, 0);
		}
		CHECK(waiting != NULL || i % 2 == 1);
		if (waiting == NULL || i >= 2)
			cowsh_free(s);
	}
}

/* --- configuration, memory --- */

TEST(configuration)
{
	struct cowsh_config c = COWSH_CONFIG_INIT;
	const char *env[] = { "K=v", "HOME=/work", NULL };
	struct host h;
	cowsh *s;

	c.user = "ann";
	c.hostname = "box";
	c.cwd = "/work/here";
	c.env = env;
	c.seed = 3;
	c.epoch_ns = (int64_t)86400 * 1000000000;
	c.arg0 = "sh0";
	s = new_session(&h, &c);
	run(s, "echo $(whoami) $(hostname) $PWD $K ~ $(date -u +%F) $0; nonesuch");
	CHECK_STR(h.out[1], "ann box /work/here v /work 1970-01-02 sh0\n");
	CHECK_STR(h.out[2], "sh0: line 1: nonesuch: command not found\n");
	cowsh_free(s);
}

TEST(bad_arguments_are_refused)
{
	struct cowsh_store_config small = COWSH_STORE_CONFIG_INIT;
	cowsh_store *none;
	char region[100];
	cowsh *s;

	small.region = region;
	small.region_size = sizeof region;
	CHECK_EQ(cowsh_store_new(&small, &none), -COWSH_ENOMEM);
	CHECK_EQ(cowsh_new(NULL, NULL, NULL, &s), -COWSH_EINVAL);
	CHECK_EQ(cowsh_limit_find("nothing"), -COWSH_ENOENT);
	CHECK_EQ(cowsh_limit_find("memory"), COWSH_LIMIT_MEMORY);
	CHECK(cowsh_limit_name(99) == NULL);
}

TEST(sessions_give_everything_back)
{
	struct host h;
	size_t used = 0;

	for (int i = 0; i < 50; i++) {
		cowsh *s = new_session(&h, NULL);

		run(s, "x=(1 2 3); f() { :; }; echo a | cat > f; sleep 100 & echo $(ls)");
		cowsh_free(s);
		if (i == 5)
			used = cowsh_store_used(store);
	}
	CHECK_EQ(cowsh_store_used(store), used);
}

TEST(idle_sessions_are_small)
{
	enum { SESSIONS = 200 };
	static struct host h[SESSIONS + 1];
	cowsh *s[SESSIONS + 1];
	size_t used = 0;

	for (int i = 0; i <= SESSIONS; i++) {
		s[i] = new_session(&h[i], NULL);
		if (i == 0)
			used = cowsh_store_used(store); /* with what all of them share */
	}
	CHECK(cowsh_store_used(store) - used <= SESSIONS * (size_t)16384);
	for (int i = 0; i <= SESSIONS; i++)
		cowsh_free(s[i]);
}

TEST(forks_give_everything_back)
{
	struct host h;
	cowsh *s = new_session(&h, NULL);
	size_t used = 0;

	run(s, "f() { echo $1; }; a=(1 2 3); cd /tmp; echo x > file");
	for (int i = 0; i < 2000; i++) {
		cowsh *fork;

		CHECK_EQ(cowsh_fork(s, NULL, &fork), 0);
		if (i % 10 == 0)
			run(fork, "f 1 > f; x=$(f 2)");
		cowsh_free(fork);
		if (i == 59) /* what the last one is, too: nine behind a command */
			used = cowsh_store_used(store);
	}
	CHECK_EQ(cowsh_store_used(store), used);
	cowsh_free(s);
}

TEST(commands_leave_no_memory_behind)
{
	struct host h;
	cowsh *s = new_session(&h, NULL);
	size_t used = 0;

	for (int i = 0; i < 3000; i++) {
		run(s,
		    "x=$(echo a | tr a b); [[ $x == b ]] && y=${x/b/c}; f() { :; }; f > /dev/null");
		if (i == 1000)
			used = cowsh_store_used(store);
	}
	CHECK(cowsh_store_used(store) <= used + 65536);
	cowsh_free(s);
}

int main(void)
{
	store = new_store((size_t)4 << 30);
	RUN(state_stays_between_commands);
	RUN(exit_is_told_and_errexit_too);
	RUN(programs_leave_the_shell_alone);
	RUN(slices_add_up_and_repeat);
	RUN(standard_input_may_be_pending);
	RUN(who_can_run_does_before_the_host_is_asked_for_input);
	RUN(a_limit_ends_the_command_not_the_session);
	RUN(tables_are_whole_when_memory_ends_while_they_grow);
	RUN(a_shell_that_is_killed_goes_on);
	RUN(a_limit_says_what_and_where);
	RUN(budgets_of_a_session);
	RUN(profiles_are_finite);
	RUN(a_deadlock_is_found);
	RUN(cancel_from_another_thread);
	RUN(a_stop_behind_a_program);
	RUN(no_memory_for_locals);
	RUN(a_user_among_many);
	RUN(a_deep_directory_goes);
	RUN(files_go_in_and_out);
	RUN(listing);
	RUN(mounts_are_read_when_needed_and_never_written);
	RUN(forks_are_independent);
	RUN(what_is_told_of_a_limit_outlives_undoing);
	RUN(jobs_that_a_fork_has_not_were_killed);
	RUN(snapshots_differences_and_restoring);
	RUN(custom_commands_run_in_pipelines);
	RUN(custom_commands_may_answer_later);
	RUN(custom_commands_may_be_killed);
	RUN(configuration);
	RUN(bad_arguments_are_refused);
	RUN(sessions_give_everything_back);
	RUN(idle_sessions_are_small);
	RUN(forks_give_everything_back);
	RUN(commands_leave_no_memory_behind);
	return check_end();
}
