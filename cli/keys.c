/* SPDX-License-Identifier: MIT
 *
 * Keys that the terminal makes signals of, for the session instead of this program.
 */
#include "cli/cli.h"

#include <signal.h>

enum { CANCEL_INTERRUPTS = 3 /* so many ^C end what does not listen */ };

/* ^C, ^\, ^Z. */
static const int key_signal[] = { SIGINT, SIGQUIT, SIGTSTP };
enum { KEYS = sizeof key_signal / sizeof *key_signal };
static volatile sig_atomic_t pressed[KEYS]; /* how often, while the command runs */
static sig_atomic_t told[KEYS];             /* how many of them the session knows */
static volatile sig_atomic_t leaving;
static cowsh *running;
static bool caught;
static bool line_typed; /* by keys_catch */

static void on_leave(int signal)
{
	(void)signal;
	leaving = 1;
	if (running != NULL)
		cowsh_cancel(running);
}

static void on_key(int signal)
{
	for (int i = 0; i < KEYS; i++)
		if (key_signal[i] == signal)
			pressed[i] = pressed[i] + 1;
	if (running != NULL && keys_insist())
		cowsh_cancel(running);
}

void keys_catch(bool typed)
{
	struct sigaction action = { .sa_handler = on_key };

	caught = true;
	line_typed = typed;
	/* ^Z stops the program itself, unless somebody types commands. */
	for (int i = 0; i < KEYS; i++)
		if (typed || key_signal[i] != SIGTSTP)
			sigaction(key_signal[i], &action, NULL);
	if (!typed)
		return;
	/* As `exit`, so that a saved session is kept. */
	action.sa_handler = on_leave;
	sigaction(SIGHUP, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

bool keys_caught(void)
{
	return caught;
}

void keys_for(cowsh *session)
{
	running = session;
	for (int i = 0; i < KEYS && session != NULL; i++)
		pressed[i] = told[i] = 0;
}

cowsh *keys_whose(void)
{
	return running;
}

bool keys_leave(void)
{
	return leaving != 0;
}

bool keys_insist(void)
{
	return pressed[0] >= CANCEL_INTERRUPTS;
}

bool interrupted(void)
{
	for (int i = 0; i < KEYS; i++)
		if (pressed[i] != told[i])
			return true;
	return leaving != 0;
}

void keys_pass(void)
{
	for (int i = 0; i < KEYS; i++) {
		if (pressed[i] == told[i])
			continue;
		told[i] = pressed[i];
		if (line_typed && key_signal[i] == SIGINT)
			(void)write_all(1, "\n", 1);
		cowsh_signal(running, key_signal[i]);
	}
	cowsh_wake(running);
}
