/* SPDX-License-Identifier: MIT
 *
 * The interactive shell: libedit reads lines, the session's shell runs them.
 */
#include "cli/cli.h"

#include <editline/readline.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static cowsh *running;

static void interrupt(int signal)
{
	(void)signal;
	if (running != NULL)
		cowsh_cancel(running);
}

static const char *variable(cowsh *session, const char *name, char *into, size_t size)
{
	const char *value;
	size_t len;

	if (cowsh_get_variable(session, name, &value, &len) < 0)
		len = 0;
	if (len >= size)
		len = size - 1;
	if (len != 0)
		memcpy(into, value, len);
	into[len] = '\0';
	return into;
}

static void make_prompt(cowsh *session, char *prompt, size_t size)
{
	char user[64], host[64], cwd[1024], home[1024];
	const char *shown = variable(session, "PWD", cwd, sizeof cwd);
	size_t len = strlen(variable(session, "HOME", home, sizeof home));
	const char *tilde = "";

	if (len != 0 && strncmp(cwd, home, len) == 0 && (cwd[len] == '/' || cwd[len] == '\0')) {
		shown += len;
		tilde = "~";
	}
	variable(session, "USER", user, sizeof user);
	variable(session, "HOSTNAME", host, sizeof host);
	snprintf(prompt, size, "%s@%s:%s%s$ ", user, host, tilde, shown);
}

/* Reads lines until they are a complete command; NULL at the end of input. */
static char *read_command(cowsh *session)
{
	char prompt[1400];
	char *text;

	make_prompt(session, prompt, sizeof prompt);
	text = readline(prompt);
	while (text != NULL && cowsh_incomplete(session, text, strlen(text))) {
		char *more = readline("> ");
		size_t len = strlen(text);
		char *joined;

		if (more == NULL)
			break;
		joined = realloc(text, len + strlen(more) + 2);
		if (joined == NULL)
			fatal("out of memory");
		joined[len] = '\n';
		strcpy(joined + len + 1, more);
		free(more);
		text = joined;
	}
	return text;
}

static void wait_for_host(cowsh *session)
{
	struct timespec pause = { 0, 10000000 };

	nanosleep(&pause, NULL);
	cowsh_wake(session);
}

int interactive(struct runner *r)
{
	struct cowsh_result result = { 0 };
	char *command;

	signal(SIGINT, interrupt);
	while ((command = read_command(r->session)) != NULL) {
		int state;

		if (command[0] != '\0')
			add_history(command);
		if (r->options->time_limit_ms != 0)
			r->deadline_ns = monotonic_ns() +
					 (int64_t)r->options->time_limit_ms * 1000000;
		running = r->session;
		state = cowsh_start(r->session, command, strlen(command));
		while (state >= 0 && (state = cowsh_step(r->session, 0)) == COWSH_WAIT)
			wait_for_host(r->session);
		running = NULL;
		free(command);
		if (state < 0)
			fatal("%s", cowsh_error_text(state));
		cowsh_get_result(r->session, &result);
		if (result.exited)
			return result.status;
	}
	putchar('\n');
	return result.status;
}
