/* SPDX-License-Identifier: MIT
 *
 * cowsh_analyze as a customer uses it; tests/cli/report.sh has what it finds.
 */
#include "cowsh_analyze.h"

#include <stdlib.h>

#include "tests/unit/session.h"

static cowsh_store *store;
static char text[65536];
static int stop_at;

static int note(void *user, const struct cowsh_finding *f)
{
	size_t len = strlen(text);

	(void)user;
	if (stop_at != 0 && --stop_at == 0)
		return 42;
	if (f->kind == COWSH_FOUND_COMMAND)
		snprintf(text + len, sizeof text - len, "%.*s:%d|", (int)f->words[0].len,
			 f->words[0].text, f->program);
	if (f->kind == COWSH_FOUND_PATH)
		snprintf(text + len, sizeof text - len, "%u %.*s by %s|", f->access,
			 (int)f->word.len, f->word.text, f->by != NULL ? f->by : "-");
	return 0;
}

static int analyze(cowsh *s, const char *script)
{
	text[0] = '\0';
	return cowsh_analyze(s, script, strlen(script), note, NULL);
}

static int changes;

static int count(void *user, const struct cowsh_change *c)
{
	(void)user;
	(void)c;
	changes++;
	return 0;
}

static int answer(void *user, cowsh_call *call)
{
	(void)user;
	(void)call;
	return 0;
}

TEST(commands_are_looked_up_in_the_session)
{
	struct cowsh_command own = { .size = sizeof own, .name = "own", .run = answer };
	cowsh *s = NULL;

	CHECK_EQ(cowsh_new(store, NULL, NULL, &s), 0);
	CHECK_EQ(cowsh_add_command(s, &own), 0);
	run(s, "greet() { echo hi; }; cd /tmp; printf '#!/bin/sh\n' > tool; chmod +x tool");
	CHECK_EQ(analyze(s, "greet; own; ./tool; tool; cp a b > c"), 0);
	CHECK_STR(text, "greet:1|own:3|./tool:3|tool:5|cp:3|1 a by cp|2 b by cp|2 c by -|");
	cowsh_free(s);
}

TEST(the_session_is_as_it_was)
{
	cowsh *s = NULL;
	cowsh_snapshot *before, *after;
	struct cowsh_result r;

	CHECK_EQ(cowsh_new(store, NULL, NULL, &s), 0);
	CHECK_EQ(cowsh_snapshot_new(s, &before), 0);
	CHECK_EQ(analyze(s, "f() { :; }; shopt -s extglob; x=1; echo > file; exit 3"), 0);
	CHECK_EQ(cowsh_run(s, "declare -F f || shopt -q extglob || [ -n \"$x\" ]", 48, &r), 0);
	CHECK_EQ(r.status, 1);
	CHECK_EQ(cowsh_snapshot_new(s, &after), 0);
	CHECK_EQ(cowsh_diff_between(s, before, after, count, NULL), 0);
	CHECK_EQ(changes, 0);
	cowsh_snapshot_free(before);
	cowsh_snapshot_free(after);
	cowsh_free(s);
}

TEST(it_can_be_stopped_and_has_limits)
{
	cowsh *s = NULL;
	size_t used;

	CHECK_EQ(cowsh_new(store, NULL, NULL, &s), 0);
	analyze(s, "a");
	used = cowsh_store_used(store);
	stop_at = 2;
	CHECK_EQ(analyze(s, "a; b; c"), 42);
	CHECK_STR(text, "a:5|");
	stop_at = 0;
	cowsh_set_limit(s, COWSH_LIMIT_STEPS, 20);
	CHECK_EQ(analyze(s, "a; b; c; for i in 1 2 3; do eval 'd $(e)'; done; f() { g; }"),
		 -COWSH_EFBIG);
	cowsh_set_limit(s, COWSH_LIMIT_STEPS, 0);
	cowsh_set_limit(s, COWSH_LIMIT_MEMORY, 1);
	CHECK(analyze(s, "a; f() { b; }; eval 'c'") < 0);
	cowsh_set_limit(s, COWSH_LIMIT_MEMORY, 0);
	CHECK_EQ(cowsh_store_used(store), used);
	CHECK_EQ(analyze(s, "a"), 0);
	CHECK_EQ(cowsh_analyze(s, NULL, 0, note, NULL), -COWSH_EINVAL);
	CHECK_EQ(cowsh_analyze(s, "a", 1, NULL, NULL), -COWSH_EINVAL);
	cowsh_free(s);
}

int main(void)
{
	store = new_store((size_t)256 << 20);
	RUN(commands_are_looked_up_in_the_session);
	RUN(the_session_is_as_it_was);
	RUN(it_can_be_stopped_and_has_limits);
	cowsh_store_free(store);
	return check_end();
}
