/* SPDX-License-Identifier: MIT
 *
 * What a session has open when a command is stopped, and when its files become others.
 */
#include <string.h>

#include "tests/unit/session.h"

enum { REGION = 256 << 20 };

static cowsh_store *store;

struct host {
	char out[3][4096];
	size_t len[3];
};

static int on_output(void *user, int fd, const char *data, size_t len)
{
	struct host *h = user;

	if (h->len[fd] + len >= sizeof h->out[fd])
		len = sizeof h->out[fd] - 1 - h->len[fd];
	memcpy(h->out[fd] + h->len[fd], data, len);
	h->len[fd] += len;
	h->out[fd][h->len[fd]] = '\0';
	return 0;
}

static struct cowsh_host callbacks(struct host *h)
{
	struct cowsh_host host = COWSH_HOST_INIT;

	memset(h, 0, sizeof *h);
	host.output = on_output;
	host.user = h;
	return host;
}

static cowsh *new_session(struct host *h, const struct cowsh_config *config)
{
	struct cowsh_host host = callbacks(h);
	cowsh *s = NULL;

	if (cowsh_new(store, config, &host, &s) < 0)
		abort();
	return s;
}

TEST(a_stopped_command_leaves_nothing_open)
{
	static const char *const scripts[] = {
		"x=$(yes)",   "x=`while :; do :; done`", "read x < <(while :; do :; done)",
		". <(yes :)", "x=$(< <(yes))",           "yes | while :; do :; done",
	};
	struct cowsh_config config = COWSH_CONFIG_INIT;
	struct host h;

	config.limit[COWSH_LIMIT_STEPS] = 200000;
	config.limit[COWSH_LIMIT_DESCRIPTORS] = 70;
	config.limits_set = 1u << COWSH_LIMIT_STEPS | 1u << COWSH_LIMIT_DESCRIPTORS;
	for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
		cowsh *s = new_session(&h, &config);

		for (int n = 0; n < 80; n++)
			CHECK_EQ(run(s, scripts[i]).limit, COWSH_LIMIT_STEPS);
		run(s, "exec 5> /tmp/five; (exit 3); ls /proc/$$/fd");
		CHECK_STR(h.out[1], "0\n1\n2\n5\n");
		cowsh_free(s);
	}
}

TEST(a_stop_at_any_step_puts_descriptors_back)
{
	static const char script[] = "{ :; } 5> /tmp/b 6<&5 2>&1 <<< x; : 5> /tmp/c";
	struct host h;
	cowsh *s = new_session(&h, NULL);

	run(s, "exec 5> /tmp/five");
	for (uint64_t step = 1; step < 150; step++) {
		struct host of_fork;
		struct cowsh_host host = callbacks(&of_fork);
		cowsh *f = NULL;

		CHECK_EQ(cowsh_fork(s, &host, &f), 0);
		CHECK_EQ(cowsh_start(f, script, sizeof script - 1), 0);
		if (cowsh_step(f, step) == COWSH_SLICE)
			cowsh_cancel(f);
		while (cowsh_step(f, 0) != COWSH_DONE)
			continue;
		of_fork.out[1][0] = '\0';
		run(f, "ls /proc/$$/fd; readlink /proc/$$/fd/5");
		CHECK_STR(of_fork.out[1], "0\n1\n2\n5\n/tmp/five\n");
		cowsh_free(f);
	}
	cowsh_free(s);
}

TEST(a_restored_session_goes_on_without_what_it_had_open)
{
	struct host h;
	struct cowsh_host none = COWSH_HOST_INIT;
	struct cowsh_config config = COWSH_CONFIG_INIT;
	cowsh_snapshot *before;
	cowsh *s, *f = NULL;

	config.checkpoints = 2;
	s = new_session(&h, &config);
	CHECK_EQ(cowsh_snapshot_new(s, &before), 0);
	run(s, "mkdir /tmp/w; cd /tmp/w; exec 5> a; mkdir d; exec 6< d");
	CHECK_EQ(cowsh_restore(s, before), 0);
	run(s, "echo 1 >&5 || echo lost; echo 2 > /tmp/b; cat /tmp/b; ls /tmp");
	CHECK_STR(h.out[1], "lost\n2\nb\n");
	CHECK_EQ(cowsh_fork(s, &none, &f), 0);
	cowsh_free(f);
	CHECK_EQ(cowsh_undo(s), 0);
	run(s, "ls /tmp; echo 1 >&5 || echo lost");
	CHECK_STR(h.out[1], "lost\n2\nb\nlost\n");
	cowsh_snapshot_free(before);
	cowsh_free(s);
}

TEST(what_is_open_never_becomes_a_file_of_another_session)
{
	struct host h;
	cowsh *a = new_session(&h, NULL);
	cowsh *b = new_session(&h, NULL);
	cowsh_snapshot *of_b;

	run(a, "exec 5> mine");
	run(b, ": later; echo b > other");
	CHECK_EQ(cowsh_snapshot_new(b, &of_b), 0);
	CHECK_EQ(cowsh_restore(a, of_b), -COWSH_EBUSY);
	run(a, "echo a >&5; ls; exec 5>&-");
	CHECK_EQ(cowsh_restore(a, of_b), 0);
	run(a, "cat other");
	CHECK_STR(h.out[1], "mine\nb\n");
	cowsh_snapshot_free(of_b);
	cowsh_free(a);
	cowsh_free(b);
}

int main(void)
{
	store = new_store(REGION);
	RUN(a_stopped_command_leaves_nothing_open);
	RUN(a_stop_at_any_step_puts_descriptors_back);
	RUN(a_restored_session_goes_on_without_what_it_had_open);
	RUN(what_is_open_never_becomes_a_file_of_another_session);
	cowsh_store_free(store);
	return check_end();
}
