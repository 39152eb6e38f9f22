/* SPDX-License-Identifier: MIT
 *
 * The public interface for line editors and hosts with a terminal: what is typed.
 */
#include "tests/unit/host.h"

TEST(incomplete_text_is_known)
{
	struct host h;
	cowsh *s = new_session(&h, NULL);

	CHECK(cowsh_incomplete(s, "if true; then", 13));
	CHECK(cowsh_incomplete(s, "echo 'a", 7));
	CHECK(cowsh_incomplete(s, "cat <<E\nx", 9));
	CHECK(!cowsh_incomplete(s, "echo a", 6));
	CHECK(!cowsh_incomplete(s, "fi", 2));
	cowsh_free(s);
}

TEST(an_interactive_shell_is_one)
{
	struct host h;
	cowsh *s = new_session(&h, NULL);

	run(s, "alias a='echo aliased'");
	CHECK_EQ(cowsh_set_interactive(s, true), 0);
	run(s, "a; nosuch; echo $- ${PS1:+prompted}; false & wait; :");
	CHECK_STR(h.out[1], "aliased\nhimBHs prompted\n");
	CHECK_STR(h.out[2],
		  "bash: nosuch: command not found\n[1] 2\n[1]+  Exit 1                  false\n");
	CHECK_EQ(cowsh_set_interactive(s, false), 0);
	run(s, "echo $-; history | wc -l; nosuch");
	CHECK(strstr(h.out[1], "hBc\n1\n") != NULL);
	CHECK(strstr(h.out[2], "bash: line 1: nosuch") != NULL);
	cowsh_free(s);
}

/* ^Z makes jobs; the terminal is as the session says, and as at first behind a limit. */
TEST(a_terminal_stops_and_is_set)
{
	struct cowsh_host host;
	struct cowsh_terminal usual, now;
	struct cowsh_result r;
	struct host h;
	cowsh *plain = new_session(&h, NULL);
	cowsh *s;

	host = callbacks(&h);
	host.terminal[0] = host.terminal[1] = host.terminal[2] = true;
	CHECK_EQ(cowsh_fork(plain, &host, &s), 0);
	cowsh_get_terminal(s, &usual);
	CHECK_EQ(cowsh_set_terminal_size(s, 33, 111), 0);
	CHECK_EQ(cowsh_set_interactive(s, true), 0);
	run(s, "stty size; echo $LINES $COLUMNS; stty -echo");
	CHECK_STR(h.out[1], "33 111\n33 111\n");
	cowsh_get_terminal(s, &now);
	CHECK_EQ(now.local, usual.local & ~(unsigned)8);
	CHECK_EQ(cowsh_start(s, "yes > /dev/null; echo $?", 24), 0);
	CHECK_EQ(cowsh_step(s, 20000), COWSH_SLICE);
	CHECK_EQ(cowsh_set_terminal_size(s, 1, 1), -COWSH_EBUSY);
	CHECK_EQ(cowsh_signal(s, 20), 0);
	while (cowsh_step(s, 100000) != COWSH_DONE)
		;
	cowsh_get_result(s, &r);
	CHECK_EQ(r.status, 0);
	run(s, "jobs; kill -9 %1");
	CHECK(strstr(h.out[1], "\n148\n[1]+  Stopped                 yes > /dev/null\n") != NULL);
	CHECK_EQ(cowsh_set_limit(s, COWSH_LIMIT_STEPS, 10000), 0);
	CHECK_EQ(run(s, "stty raw; while :; do :; done").limit, COWSH_LIMIT_STEPS);
	cowsh_get_terminal(s, &now);
	CHECK(memcmp(&now, &usual, sizeof now) == 0);
	cowsh_free(s);
	cowsh_free(plain);
}

/* Prompts change nothing; PROMPT_COMMAND, in the shell, may. */
TEST(prompts_are_made_in_forks)
{
	struct host h;
	cowsh *s = new_session(&h, NULL);
	char text[64];

	CHECK_EQ(cowsh_set_interactive(s, true), 0);
	run(s,
	    "PS1='$((n++)) \\w $(echo $n; echo e >&2)% '; PS2='> '; PROMPT_COMMAND='m=$((m+1))'");
	CHECK_EQ(cowsh_prompt(s, "PS1", text, sizeof text), 7);
	CHECK_STR(text, "0 ~ 1% ");
	CHECK_STR(h.out[2], "e\n");
	CHECK_EQ(cowsh_prompt(s, "PS1", text, 4), 7);
	CHECK_STR(text, "0 ~");
	CHECK_EQ(cowsh_prompt(s, "PS2", text, sizeof text), 2);
	CHECK_EQ(cowsh_prompt(s, "PS3", text, sizeof text), 0);
	run(s, "");
	run(s, "echo $n $m");
	CHECK_STR(h.out[1], "2\n");
	run(s, "PS1='$(while :; do :; done)'");
	CHECK(cowsh_prompt(s, "PS1", text, sizeof text) < 0);
	CHECK_EQ(cowsh_prompt(s, "PS1", text, 0), -COWSH_EINVAL);
	cowsh_free(s);
}

/* ^C ends what is in the foreground, gives up the line, and leaves shell and jobs alone. */
TEST(an_interrupt_gives_up_the_line)
{
	static const char *const lines[] = { "while :; do :; done; echo not",
					     "for i in 1 2; do yes > /dev/null; done; echo not" };
	struct host h;
	cowsh *s = new_session(&h, NULL);
	struct cowsh_result r;

	CHECK_EQ(cowsh_set_interactive(s, true), 0);
	run(s, "x=kept; yes > /dev/null &");
	for (int i = 0; i < 2; i++) {
		CHECK_EQ(cowsh_start(s, lines[i], strlen(lines[i])), 0);
		CHECK_EQ(cowsh_step(s, 20000), COWSH_SLICE);
		CHECK_EQ(cowsh_signal(s, 2), 0);
		while (cowsh_step(s, 100000) != COWSH_DONE)
			;
		cowsh_get_result(s, &r);
		CHECK_EQ(r.status, 130);
		CHECK_EQ(r.limit, -1);
	}
	run(s, "echo $? $x; jobs; kill %1");
	CHECK_STR(h.out[1], "130 kept\n[1]+  Running                 yes > /dev/null &\n");
	cowsh_free(s);
}

/* An endless job is not stopped by somebody who types. */
TEST(the_background_goes_on_between_commands)
{
	struct host h;
	cowsh *s = new_session(&h, NULL);

	run(s, "while :; do :; done & sleep 3 & :");
	CHECK_EQ(cowsh_set_limit(s, COWSH_LIMIT_STEPS, 5000000), 0);
	CHECK(cowsh_incomplete(s, "if true", 7));
	CHECK_EQ(cowsh_set_interactive(s, true), 0);
	CHECK_EQ(cowsh_set_interactive(s, false), 0);
	run(s, "kill -0 %1 && echo alive; kill %1; wait %1; echo $?");
	CHECK_STR(h.out[1], "alive\n143\n");
	cowsh_free(s);
}

int main(void)
{
	store = new_store((size_t)1 << 30);
	RUN(incomplete_text_is_known);
	RUN(an_interactive_shell_is_one);
	RUN(a_terminal_stops_and_is_set);
	RUN(prompts_are_made_in_forks);
	RUN(an_interrupt_gives_up_the_line);
	RUN(the_background_goes_on_between_commands);
	return check_end();
}
