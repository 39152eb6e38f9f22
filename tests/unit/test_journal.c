/* SPDX-License-Identifier: MIT
 *
 * Digests, journals and replays: everything that can come from outside is recorded and played
 * back; what is not as it was is found; damaged journals are no more than an error.
 */
#include "cowsh_journal.h"

#include <stdlib.h>

#include "tests/unit/session.h"

enum { REGION = 512 << 20 };

static cowsh_store *store;

/* --- a host whose answers differ from run to run --- */

static struct {
	char out[65536];
	size_t out_len;
	const char *input;
	int pending;
	int64_t now;
	int source_reads;
	cowsh_call *call[4]; /* that wait for an answer */
	int calls;
	uint64_t refuse_output;
} host_state;

static char journal[1 << 20];
static size_t journal_len;
static char recorded[65536]; /* what was written while it was recorded */

static int on_output(void *user, int fd, const char *data, size_t len)
{
	(void)user;
	(void)fd;
	if (host_state.refuse_output != 0)
		return -32;
	if (len > sizeof host_state.out - 1 - host_state.out_len)
		len = sizeof host_state.out - 1 - host_state.out_len;
	memcpy(host_state.out + host_state.out_len, data, len);
	host_state.out_len += len;
	host_state.out[host_state.out_len] = '\0';
	return 0;
}

static int64_t on_input(void *user, char *into, size_t len)
{
	size_t n;

	(void)user;
	if (host_state.pending > 0) {
		host_state.pending--;
		return COWSH_PENDING;
	}
	n = host_state.input != NULL ? strlen(host_state.input) : 0;
	n = n < len ? n : len;
	if (n != 0)
		memcpy(into, host_state.input, n);
	host_state.input += n;
	return (int64_t)n;
}

static int64_t on_clock(void *user)
{
	(void)user;
	return host_state.now += 12345;
}

static struct cowsh_host callbacks(void)
{
	struct cowsh_host host = COWSH_HOST_INIT;

	memset(&host_state, 0, sizeof host_state);
	host.output = on_output;
	host.input = on_input;
	return host;
}

static int keep(void *user, const void *data, size_t len)
{
	(void)user;
	if (len > sizeof journal - journal_len)
		return -COWSH_ENOSPC;
	memcpy(journal + journal_len, data, len);
	journal_len += len;
	return 0;
}

static cowsh *record(const struct cowsh_config *config, const struct cowsh_host *host)
{
	struct cowsh_journal to = COWSH_JOURNAL_INIT;
	cowsh *s = NULL;

	journal_len = 0;
	to.write = keep;
	CHECK_EQ(cowsh_new_journaled(store, config, host, &to, &s), 0);
	return s;
}

static struct cowsh_result run_through(cowsh *s, const char *script)
{
	struct cowsh_result r = { .status = -1 };
	int state = cowsh_start(s, script, strlen(script));

	CHECK_EQ(state, 0);
	while ((state = cowsh_step(s, 0)) == COWSH_WAIT) {
		while (host_state.calls > 0) {
			cowsh_call *call = host_state.call[--host_state.calls];

			cowsh_call_write(call, 1, "later\n", 6);
			cowsh_call_finish(call, 3);
		}
		cowsh_wake(s);
	}
	CHECK_EQ(state, COWSH_DONE);
	cowsh_get_result(s, &r);
	return r;
}

static void finish(cowsh *s)
{
	strcpy(recorded, host_state.out);
	CHECK_EQ(cowsh_journal_end(s), 0);
	cowsh_free(s);
}

/* --- replaying what is in `journal` --- */

static cowsh_replay *open_replay(size_t len, const struct cowsh_host *host, const char **why)
{
	struct cowsh_replay_config config = COWSH_REPLAY_CONFIG_INIT;
	cowsh_replay *replay = NULL;

	config.journal = journal;
	config.journal_len = len;
	config.host = host;
	return cowsh_replay_new(store, &config, &replay, why) == 0 ? replay : NULL;
}

/* Until it does not go on: the last state. */
static int replay_all(size_t len, const struct cowsh_host *host, struct cowsh_replay_report *report)
{
	cowsh_replay *replay = open_replay(len, host, NULL);
	int state;

	if (replay == NULL)
		return -1;
	while ((state = cowsh_replay_next(replay, report)) == COWSH_REPLAY_SAME)
		;
	CHECK_EQ(cowsh_replay_next(replay, report), state);
	cowsh_replay_free(replay);
	return state;
}

static void check_same(int commands)
{
	struct cowsh_host host = callbacks();
	struct cowsh_replay_report report = { 0 };
	int state;

	host.clock = on_clock;
	state = replay_all(journal_len, &host, &report);
	if (!CHECK_EQ(state, COWSH_REPLAY_END))
		printf("command %d: %s: %lld, now %lld\n", (int)report.command, report.what,
		       (long long)report.recorded, (long long)report.replayed);
	CHECK_EQ(report.command, commands);
	CHECK_STR(host_state.out, recorded);
}

/* --- digests --- */

TEST(digests)
{
	static const char script[] = "mkdir d; seq 9999 > d/f; ln d/f g; ln -s g h; chmod 600 g";
	unsigned char a[32], b[32], whole[32];
	cowsh_snapshot *before;
	cowsh *one, *two;

	CHECK_EQ(cowsh_new(store, NULL, NULL, &one), 0);
	CHECK_EQ(cowsh_new(store, NULL, NULL, &two), 0);
	CHECK_EQ(cowsh_digest(one, NULL, a), 0);
	CHECK_EQ(cowsh_digest(two, NULL, b), 0);
	CHECK(memcmp(a, b, 32) == 0);
	memcpy(whole, a, 32);
	cowsh_snapshot_new(one, &before);
	run_through(one, script);
	run_through(two, script);
	CHECK_EQ(cowsh_digest(one, before, a), 0);
	CHECK_EQ(cowsh_digest(two, before, b), 0);
	CHECK(memcmp(a, b, 32) == 0);
	cowsh_digest(one, NULL, a);
	CHECK(memcmp(a, whole, 32) != 0);
	for (int i = 0; i < 4; i++) {
		static const char *const changes[] = {
			"chmod 644 g",
			"touch -d @5 g",
			"mv g i",
			"printf X | dd of=d/f conv=notrunc seek=9000 bs=1 2>&-",
		};

		cowsh_digest(one, before, a);
		run_through(one, changes[i]);
		cowsh_digest(one, before, b);
		CHECK(memcmp(a, b, 32) != 0);
	}
	cowsh_snapshot_free(before);
	cowsh_free(one);
	cowsh_free(two);
}

TEST(digests_have_attributes)
{
	unsigned char a[32], b[32];
	cowsh *one, *two;

	CHECK_EQ(cowsh_new(store, NULL, NULL, &one), 0);
	CHECK_EQ(cowsh_new(store, NULL, NULL, &two), 0);
	run_through(one, "echo > f; setfattr -n user.a -v 1 f");
	run_through(two, "echo > f; setfattr -n user.a -v 1 f");
	CHECK_EQ(cowsh_digest(one, NULL, a), 0);
	CHECK_EQ(cowsh_digest(two, NULL, b), 0);
	CHECK(memcmp(a, b, 32) == 0);
	cowsh_free(two);
	CHECK_EQ(cowsh_new(store, NULL, NULL, &two), 0);
	run_through(two, "echo > f; setfattr -n user.a -v 2 f");
	CHECK_EQ(cowsh_digest(two, NULL, b), 0);
	CHECK(memcmp(a, b, 32) != 0);
	cowsh_free(one);
	cowsh_free(two);
}

/* --- recording and replaying --- */

/* What the bytes of a journal say is not what its replay may have. */
TEST(limits_above_those_allowed)
{
	struct cowsh_config config = COWSH_CONFIG_INIT;
	struct cowsh_replay_config replaying = COWSH_REPLAY_CONFIG_INIT;
	struct cowsh_host host = callbacks();
	struct cowsh_replay_report report = { 0 };
	cowsh_replay *replay = NULL;
	const char *why = NULL;
	cowsh *s = record(&config, &host);

	CHECK_EQ(run_through(s, "echo 1").status, 0);
	cowsh_set_limit(s, COWSH_LIMIT_MEMORY, 0);
	CHECK_EQ(run_through(s, "echo 2").status, 0);
	finish(s);
	CHECK_EQ(replay_all(journal_len, &host, &report), COWSH_REPLAY_DIFFERENT);
	CHECK_STR(report.what, "the memory allowed");
	CHECK_EQ(report.command, 1);
	replaying.journal = journal;
	replaying.journal_len = journal_len;
	replaying.most = &config;
	config.limit[COWSH_LIMIT_MEMORY] = 0;
	config.limits_set = 1 << COWSH_LIMIT_MEMORY;
	CHECK_EQ(cowsh_replay_new(store, &replaying, &replay, &why), 0);
	for (int i = 0; i < 2; i++)
		CHECK_EQ(cowsh_replay_next(replay, &report), COWSH_REPLAY_SAME);
	cowsh_replay_free(replay);
	config.limit[COWSH_LIMIT_MEMORY] = 1 << 20;
	CHECK_EQ(cowsh_replay_new(store, &replaying, &replay, &why), -COWSH_EINVAL);
	CHECK_STR(why, "it had more memory than is allowed");
	config.profile = 99;
	config.limits_set = 0;
	CHECK_EQ(cowsh_replay_new(store, &replaying, &replay, &why), -COWSH_EINVAL);
}

TEST(commands_files_limits)
{
	static const char *const argv[] = { "bash", "-c", "echo $0 $1; exit 7", "x", "y" };
	static const char *const env[] = { "A=b c", "LANG=C", NULL };
	struct cowsh_config config = COWSH_CONFIG_INIT;
	struct cowsh_host host = callbacks();
	cowsh *s;

	host.terminal[0] = host.terminal[2] = true;
	config.seed = 99;
	config.env = env;
	config.cwd = "/work";
	config.user = "anna";
	config.hostname = "here";
	s = record(&config, &host);
	run_through(s, "echo $RANDOM $A $USER $HOSTNAME $PWD; seq 100 > f; x=1");
	cowsh_put_file(s, "in", "some\0bytes", 10, 0640);
	cowsh_make_directory(s, "/a/b/c", 0700);
	cowsh_remove(s, "f");
	CHECK_EQ(cowsh_set_limit(s, COWSH_LIMIT_STEPS, 5000), 0);
	CHECK(cowsh_incomplete(s, "if x", 4));
	CHECK_EQ(cowsh_set_interactive(s, true), 0);
	CHECK_EQ(cowsh_set_terminal_size(s, 40, 100), 0);
	run_through(s, "true & echo $-; history; stty size; echo $COLUMNS");
	CHECK_EQ(cowsh_set_interactive(s, false), 0);
	run_through(s, "ls -lR --full-time / | md5sum; od -c in; echo $x; false | true");
	CHECK_EQ(run_through(s, "while :; do :; done").limit, COWSH_LIMIT_STEPS);
	cowsh_start_program(s, 5, argv);
	while (cowsh_step(s, 100) != COWSH_DONE)
		;
	run_through(s, "sleep 5 & { sleep 3; echo late; } & echo now");
	CHECK_EQ(cowsh_drain(s, 0), COWSH_DONE);
	CHECK_EQ(cowsh_drain(s, 0), COWSH_DONE);
	finish(s);
	CHECK(strstr(recorded, "now\nlate\n") != NULL);
	check_same(7);
}

TEST(input_clock_signals)
{
	struct cowsh_host host = callbacks();
	cowsh *s;

	host.clock = on_clock;
	s = record(NULL, &host);
	host_state.now = (int64_t)1700000000 * 1000000000;
	host_state.input = "one\ntwo\n";
	host_state.pending = 3;
	run_through(
		s,
		"read a; date +%N; read b; echo $a $b $EPOCHREALTIME; sleep 0.0001; date +%N > f");
	cowsh_start(s, "trap 'echo caught' USR1; while :; do date > /dev/null; done", 59);
	for (int i = 0; i < 3; i++)
		cowsh_step(s, 10000);
	cowsh_signal(s, 15);
	cowsh_step(s, 10000);
	cowsh_step(s, 12345);
	cowsh_cancel(s);
	while (cowsh_step(s, 777) != COWSH_DONE)
		;
	host_state.refuse_output = 1;
	run_through(s, "echo nobody hears; echo $? > status");
	host_state.refuse_output = 0;
	run_through(s, "cat status; kill -0 99");
	finish(s);
	check_same(4);
}

/* --- custom commands and sources --- */

static int ask(void *user, cowsh_call *call)
{
	size_t len;

	(void)user;
	if (cowsh_call_argc(call) > 1) {
		host_state.call[host_state.calls++] = call;
		return COWSH_PENDING;
	}
	cowsh_call_input(call, &len);
	cowsh_call_write(call, 2, "E\n", 2);
	cowsh_call_write(call, 1, "answer\n", 7);
	return len == 3 ? 5 : 6;
}

static void step_to_end(cowsh *s)
{
	while (cowsh_step(s, 0) == COWSH_WAIT)
		cowsh_wake(s);
}

/* Before the first step, more than once at a place, and before what it waits for is asked again. */
TEST(a_host_that_acts_at_once)
{
	static const char script[] = "trap 'echo int' INT; for i in {1..900}; do :; done; echo x";
	static const char reading[] = "trap 'echo winch' WINCH; read x; echo $x; read y; echo $y";
	struct cowsh_host host = callbacks();
	cowsh *s = record(NULL, &host);
	int state;

	for (int i = 0; i < 3; i++) {
		CHECK_EQ(cowsh_start(s, script, strlen(script)), 0);
		cowsh_wake(s);
		if (i == 1)
			cowsh_signal(s, 2);
		if (i == 2)
			cowsh_cancel(s);
		step_to_end(s);
	}
	CHECK_EQ(cowsh_start(s, script, strlen(script)), 0);
	CHECK_EQ(cowsh_step(s, 700), COWSH_SLICE);
	cowsh_wake(s);
	cowsh_signal(s, 2);
	cowsh_wake(s);
	step_to_end(s);
	host_state.input = "a\nb\n";
	host_state.pending = 3;
	CHECK_EQ(cowsh_start(s, reading, strlen(reading)), 0);
	while ((state = cowsh_step(s, 100)) != COWSH_DONE) {
		if (state != COWSH_WAIT)
			continue;
		cowsh_wake(s);
		cowsh_signal(s, 28);
		cowsh_wake(s);
	}
	host_state.pending = 1;
	host_state.input = "late\n";
	run(s, "cat > /tmp/f & :");
	cowsh_wake(s);
	run_through(s, "sleep 1; cat /tmp/f");
	finish(s);
	check_same(7);
}

/* What is asked for because it was cancelled comes behind that. */
TEST(cancelling_with_a_clock)
{
	static const char script[] = "for i in {1..2000}; do :; done; date";
	struct cowsh_host host = callbacks();
	cowsh *s;

	host.clock = on_clock;
	s = record(NULL, &host);
	for (uint64_t steps = 100; steps < 5000; steps += 700) {
		CHECK_EQ(cowsh_start(s, script, strlen(script)), 0);
		for (int i = 0; i < 3; i++)
			CHECK_EQ(cowsh_step(s, steps / 3), COWSH_SLICE);
		cowsh_cancel(s);
		cowsh_wake(s);
		step_to_end(s);
	}
	finish(s);
	check_same(7);
}

/* While something goes on in the background, nothing else begins. */
TEST(draining_in_pieces)
{
	static const char *const argv[] = { "true" };
	struct cowsh_host host = callbacks();
	struct cowsh_replay_report report = { 0 };
	cowsh *s = record(NULL, &host);

	run(s, "(for i in {1..5000}; do :; done; echo done > /tmp/f) & :");
	CHECK_EQ(cowsh_drain(s, 1000), COWSH_SLICE);
	CHECK_EQ(cowsh_start(s, ":", 1), -COWSH_EBUSY);
	CHECK_EQ(cowsh_start_program(s, 1, argv), -COWSH_EBUSY);
	CHECK_EQ(cowsh_put_file(s, "/tmp/g", "x", 1, 0644), -COWSH_EBUSY);
	CHECK_EQ(cowsh_journal_end(s), -COWSH_EBUSY);
	while (cowsh_drain(s, 1000) == COWSH_SLICE)
		;
	run(s, "cat /tmp/f");
	finish(s);
	check_same(3);
	/* One that is given up. */
	s = record(NULL, &host);
	run(s, "(for i in {1..5000}; do :; done) & :");
	CHECK_EQ(cowsh_drain(s, 1000), COWSH_SLICE);
	cowsh_free(s);
	CHECK_EQ(replay_all(journal_len, &host, &report), COWSH_REPLAY_CUT);
}

TEST(custom_commands)
{
	struct cowsh_command command = { sizeof command, "ask", true, ask, NULL };
	struct cowsh_host host = callbacks();
	cowsh *s = record(NULL, &host);

	CHECK_EQ(cowsh_add_command(s, &command), 0);
	run_through(
		s,
		"echo hi | ask; echo $?; ask later </dev/null & ask x < /dev/null; echo $?; wait");
	run_through(s, "for i in 1 2 3; do ask < /dev/null 2>&1; done | sort -r");
	finish(s);
	CHECK(strstr(recorded, "later\n") != NULL);
	check_same(2);
}

static int list(void *user, uint64_t id, int (*emit)(void *, const struct cowsh_entry *),
		void *sink)
{
	struct cowsh_entry file = { "file", 2, 0100644, 5000, 77, NULL, 0 };
	struct cowsh_entry dir = { "dir", 3, 0040755, 0, 78, NULL, 0 };
	struct cowsh_entry link = { "link", 4, 0120777, 4, 79, "file", 0 };
	struct cowsh_entry sub = { "sub", 5, 0040755, 0, 80, NULL, 0 };
	struct cowsh_entry inner = { "inner", 6, 0100644, 5000, 81, NULL, 0 };

	(void)user;
	if (id == 3)
		return -COWSH_EACCES;
	if (id == 5)
		return emit(sink, &inner);
	return emit(sink, &sub) != 0 || emit(sink, &dir) != 0 || emit(sink, &file) != 0
		       ? -1
		       : emit(sink, &link);
}

static int64_t read_source(void *user, uint64_t id, uint64_t pos, void *into, size_t len)
{
	(void)user;
	(void)id;
	host_state.source_reads++;
	if (pos >= 5000)
		return 0;
	if (len > 5000 - pos)
		len = (size_t)(5000 - pos);
	memset(into, 'a' + (int)(pos / 1000), len);
	return (int64_t)len;
}

static const struct cowsh_source source = { .size = sizeof source,
					    .list = list,
					    .read = read_source };

TEST(sources)
{
	struct cowsh_mount_config mount = { "/m", &source, 1, false };
	struct cowsh_config config = COWSH_CONFIG_INIT;
	struct cowsh_host host = callbacks();
	cowsh *other;
	cowsh *s;

	config.mounts = &mount;
	config.nmounts = 1;
	config.cwd = "/m";
	host.clock = on_clock;
	s = record(&config, &host);
	CHECK_EQ(cowsh_fork(s, NULL, &other), -COWSH_EINVAL);
	run_through(s, "ls -l; cat link | md5sum; echo x >> file; ls dir; rm link");
	CHECK_EQ(cowsh_mount(s, "/n", &source, 1, true), 0);
	CHECK_EQ(cowsh_put_lazy(s, "/tmp/lazy", &source, 2, 5000, 0644), 0);
	run_through(s, "tail -c 3 /n/file; cmp /n/file /tmp/lazy && echo same; touch /n/file");
	finish(s);
	CHECK(host_state.source_reads != 0);
	check_same(2);
	CHECK_EQ(host_state.source_reads, 0);
}

/* The host looks at what no command has looked at: in between, and in the middle. */
static int on_change(void *user, const struct cowsh_change *c)
{
	cowsh *s = user;

	return c->kind == '+' ? cowsh_put_file(s, "/m/sub/note", c->path, strlen(c->path), 0644)
			      : 0;
}

static int on_name(void *user, const char *name, unsigned mode)
{
	(void)name, (void)mode;
	++*(int *)user;
	return 0;
}

static void look_around(cowsh *s)
{
	struct cowsh_stat st;
	uint64_t pos = 0;
	char bytes[16];
	char *content;
	size_t len;
	int names = 0;

	CHECK_EQ(cowsh_stat_file(s, "/m/sub/inner", &st), 0);
	CHECK_EQ(cowsh_read_link(s, "/m/link", bytes, sizeof bytes), 4);
	CHECK_EQ(cowsh_list(s, "/m/sub", on_name, &names), 0);
	CHECK(names != 0);
	CHECK_EQ(cowsh_read_at(s, "/m/file", &pos, bytes, sizeof bytes), sizeof bytes);
	CHECK_EQ(cowsh_get_file(s, "/m/file", &content, &len), 0);
	cowsh_bytes_free(s, content, len);
	CHECK_EQ(cowsh_stat_file(s, "/proc/self/status", &st), 0);
}

TEST(a_host_that_looks)
{
	static const char script[] =
		"for i in {1..50}; do seq $i; done | md5sum; cat file sub/inner; ls -i";
	struct cowsh_mount_config mount = { "/m", &source, 1, false };
	struct cowsh_config config = COWSH_CONFIG_INIT;
	struct cowsh_host host = callbacks();
	unsigned char digest[COWSH_DIGEST_BYTES];
	cowsh_snapshot *before;
	cowsh *s, *other;

	config.mounts = &mount;
	config.nmounts = 1;
	config.cwd = "/m";
	s = record(&config, &host);
	look_around(s);
	CHECK_EQ(cowsh_snapshot_new(s, &before), 0);
	run_through(s, "x=1");
	look_around(s);
	CHECK_EQ(cowsh_start(s, script, strlen(script)), 0);
	while (cowsh_step(s, 200) != COWSH_DONE)
		look_around(s);
	run_through(s, "echo > sub/made");
	CHECK_EQ(cowsh_diff(s, before, on_change, s), 0);
	CHECK_EQ(cowsh_digest(s, before, digest), 0);
	/* Another session that has these files reads them itself. */
	config = (struct cowsh_config)COWSH_CONFIG_INIT;
	config.tree = before;
	CHECK_EQ(cowsh_new(store, &config, NULL, &other), 0);
	CHECK_EQ(run(other, "cat /m/file /m/sub/inner > /tmp/f").status, 0);
	cowsh_free(other);
	cowsh_snapshot_free(before);
	run_through(s, "cat sub/note");
	finish(s);
	check_same(4);
}

/* What is asked for does not depend on where pages lie in the store. */
TEST(memory_in_pieces)
{
	struct cowsh_mount_config mount = { "/m", &source, 1, false };
	struct cowsh_config config = COWSH_CONFIG_INIT;
	struct cowsh_host host = callbacks();
	cowsh *s, *other;

	CHECK_EQ(cowsh_new(store, NULL, NULL, &other), 0);
	run(other, "for i in {1..400}; do printf %4096s > $i; done; rm *[13579]");
	config.mounts = &mount;
	config.nmounts = 1;
	s = record(&config, &host);
	run_through(s, "cat /m/file /m/sub/inner | md5sum");
	finish(s);
	cowsh_free(other);
	check_same(1);
}

/* A file is all that it can give. */
TEST(a_source_without_lists)
{
	static const struct cowsh_source files = { .size = sizeof files, .read = read_source };
	struct cowsh_mount_config mount = { "/m", &files, 1, false };
	struct cowsh_config config = COWSH_CONFIG_INIT;
	struct cowsh_host host = callbacks();
	cowsh *s;

	config.mounts = &mount;
	config.nmounts = 1;
	s = record(&config, &host);
	run_through(s, "ls /m; echo $?");
	finish(s);
	check_same(1);
}

/* --- what is not as it was --- */

TEST(other_files_to_start_with)
{
	struct cowsh_replay_config config = COWSH_REPLAY_CONFIG_INIT;
	struct cowsh_config made = COWSH_CONFIG_INIT;
	struct cowsh_replay_report report;
	struct cowsh_host host = callbacks();
	cowsh_snapshot *tree[2];
	cowsh_replay *replay;
	const char *why;
	cowsh *s;

	CHECK_EQ(cowsh_new(store, NULL, NULL, &s), 0);
	run_through(s, "echo one > f");
	cowsh_snapshot_new(s, &tree[0]);
	run_through(s, "echo two > f");
	cowsh_snapshot_new(s, &tree[1]);
	cowsh_free(s);
	made.tree = tree[0];
	s = record(&made, &host);
	run_through(s, "wc -c < f");
	run_through(s, "read x < f; [ $x = one ] && echo ok > /tmp/g");
	finish(s);
	config.journal = journal;
	config.journal_len = journal_len;
	CHECK_EQ(cowsh_replay_new(store, &config, &replay, &why), -COWSH_EINVAL);
	CHECK_STR(why, "it needs the files it started with");
	config.tree = tree[1];
	CHECK_EQ(cowsh_replay_new(store, &config, &replay, &why), 0);
	CHECK_EQ(cowsh_replay_next(replay, &report), COWSH_REPLAY_SAME);
	CHECK_EQ(cowsh_replay_next(replay, &report), COWSH_REPLAY_DIFFERENT);
	CHECK_EQ(report.command, 2);
	CHECK_STR(report.what, "the status");
	CHECK_EQ(report.recorded, 0);
	CHECK_EQ(report.replayed, 1);
	cowsh_replay_free(replay);
	cowsh_snapshot_free(tree[0]);
	cowsh_snapshot_free(tree[1]);
}

static void record_some(void)
{
	struct cowsh_host host = callbacks();
	cowsh *s = record(NULL, &host);

	host_state.input = "input\n";
	run_through(s, "read x; echo $x > f");
	cowsh_put_file(s, "g", "g", 1, 0644);
	run_through(s, "cat f g");
	finish(s);
}

TEST(cut_anywhere)
{
	struct cowsh_replay_report report;
	struct cowsh_host host = callbacks();

	record_some();
	for (size_t len = 0; len < journal_len; len++) {
		int state = replay_all(len, &host, &report);

		if (!CHECK(state == -1 || state == COWSH_REPLAY_CUT))
			printf("cut at %d: %d %s\n", (int)len, state, report.what);
	}
	CHECK_EQ(replay_all(journal_len, &host, &report), COWSH_REPLAY_END);
}

TEST(damaged_anywhere)
{
	struct cowsh_replay_report report;
	struct cowsh_host host = callbacks();
	const char *why;

	record_some();
	for (size_t at = 0; at < journal_len; at++) {
		int state;

		journal[at] ^= 0x10;
		state = replay_all(journal_len, &host, &report);
		if (!CHECK(state == -1 || state == COWSH_REPLAY_CUT ||
			   state == COWSH_REPLAY_DAMAGED))
			printf("damaged at %d: %d %s\n", (int)at, state, report.what);
		journal[at] ^= 0x10;
	}
	journal[8]++;
	CHECK(open_replay(journal_len, &host, &why) == NULL);
	CHECK_STR(why, "it has another version");
}

TEST(a_host_that_can_not_write)
{
	struct cowsh_journal to = COWSH_JOURNAL_INIT;
	cowsh *s;

	journal_len = sizeof journal - 1000;
	to.write = keep;
	CHECK_EQ(cowsh_new_journaled(store, NULL, NULL, &to, &s), 0);
	for (int i = 0; i < 20; i++)
		run_through(s, "echo a longer command than others, for the journal to grow > f");
	CHECK_EQ(cowsh_journal_error(s), -COWSH_ENOSPC);
	CHECK_EQ(cowsh_journal_end(s), -COWSH_ENOSPC);
	CHECK_EQ(cowsh_journal_end(s), -COWSH_EINVAL);
	cowsh_free(s);
}

/* --- going on --- */

static int soon_expired(void *user)
{
	(void)user;
	return --host_state.pending < 0;
}

TEST(time_for_what_the_host_does)
{
	struct cowsh_replay_report report = { 0 };
	struct cowsh_host host = callbacks();
	cowsh *s = record(NULL, &host);

	for (int i = 0; i < 100; i++)
		CHECK_EQ(cowsh_put_file(s, "a/b/c", "x", 1, 0644), 0);
	run_through(s, "ls a/b");
	finish(s);
	host.expired = soon_expired;
	host_state.pending = 50;
	CHECK_EQ(replay_all(journal_len, &host, &report), COWSH_REPLAY_DIFFERENT);
	CHECK_STR(report.what, "the time it may take");
	CHECK_EQ(report.command, 0);
}

TEST(take_and_go_on)
{
	struct cowsh_replay_report report;
	struct cowsh_host host = callbacks();
	cowsh_replay *replay;
	cowsh *s;

	record_some();
	replay = open_replay(journal_len, &host, NULL);
	CHECK_EQ(cowsh_replay_next(replay, &report), COWSH_REPLAY_SAME);
	CHECK_STR(cowsh_replay_version(replay), cowsh_version());
	s = cowsh_replay_take(replay);
	cowsh_replay_free(replay);
	host_state.out_len = 0;
	host_state.input = "live\n";
	run_through(s, "read y; echo $x $y; ls");
	CHECK_STR(host_state.out, "input live\nf\n");
	cowsh_free(s);
}

TEST(fork_a_running_session)
{
	static const char script[] = "for i in {1..200}; do x=$x$(seq $i | tail -n 1); done; "
				     "read a; echo $x $a | md5sum";
	struct cowsh_host host = callbacks();
	struct cowsh_result a, b;
	struct cowsh_replay_report report;
	cowsh_replay *replay;
	char first[100];
	cowsh *s = record(NULL, &host);
	cowsh *copy;
	int state;

	run_through(s, "x=begin");
	cowsh_start(s, script, strlen(script));
	CHECK_EQ(cowsh_step(s, 5000), COWSH_SLICE);
	CHECK_EQ(cowsh_journal_flush(s), 0);
	replay = open_replay(journal_len, &host, NULL);
	CHECK_EQ(cowsh_replay_next(replay, &report), COWSH_REPLAY_SAME);
	state = cowsh_replay_into(replay, 5000);
	CHECK_EQ(state, COWSH_SLICE);
	copy = cowsh_replay_take(replay);
	cowsh_replay_free(replay);
	host_state.input = "same\n";
	while (cowsh_step(s, 0) != COWSH_DONE)
		;
	strcpy(first, host_state.out);
	host_state.out_len = 0;
	host_state.input = "same\n";
	while (cowsh_step(copy, 0) != COWSH_DONE)
		;
	CHECK_STR(host_state.out, first);
	cowsh_get_result(s, &a);
	cowsh_get_result(copy, &b);
	CHECK_EQ(a.steps, b.steps);
	cowsh_free(s);
	cowsh_free(copy);
}

int main(void)
{
	store = new_store(REGION);
	RUN(digests);
	RUN(digests_have_attributes);
	RUN(limits_above_those_allowed);
	RUN(commands_files_limits);
	RUN(input_clock_signals);
	RUN(a_host_that_acts_at_once);
	RUN(cancelling_with_a_clock);
	RUN(draining_in_pieces);
	RUN(custom_commands);
	RUN(sources);
	RUN(a_host_that_looks);
	RUN(memory_in_pieces);
	RUN(a_source_without_lists);
	RUN(other_files_to_start_with);
	RUN(cut_anywhere);
	RUN(damaged_anywhere);
	RUN(a_host_that_can_not_write);
	RUN(time_for_what_the_host_does);
	RUN(take_and_go_on);
	RUN(fork_a_running_session);
	return check_end();
}
