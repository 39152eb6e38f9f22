/* SPDX-License-Identifier: MIT
 *
 * The interactive shell: cowsh-edit reads lines from the terminal (cli/edit/main.c has the
 * protocol), the session's shell runs them. Without that program lines come as they are typed.
 */
#include "cli/cli.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

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

/* --- the line editor --- */

struct editor {
	FILE *requests; /* NULL: none, plain lines */
	FILE *lines;
};

/* Beside the program, or where `make install` puts it. */
static bool find_editor(char *path, size_t size)
{
	static const char *const places[] = { "cowsh-edit", "../libexec/cowsh/cowsh-edit" };
	char program[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", program, sizeof program - 1);
	char *slash;

	if (len <= 0)
		return false;
	program[len] = '\0';
	slash = strrchr(program, '/');
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		snprintf(path, size, "%.*s/%s", (int)(slash - program), program, places[i]);
		if (access(path, X_OK) == 0)
			return true;
	}
	return false;
}

/* The editor's ends are 3 and 4 there; ours are closed in every program started later. */
static bool spawn_editor(char *path, int to[2], int from[2])
{
	extern char **environ;
	posix_spawn_file_actions_t actions;
	char *argv[] = { path, NULL };
	pid_t pid;
	bool started;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, to[0], 3);
	posix_spawn_file_actions_adddup2(&actions, from[1], 4);
	started = posix_spawn(&pid, path, &actions, NULL, argv, environ) == 0;
	posix_spawn_file_actions_destroy(&actions);
	return started;
}

/* A descriptor above those that the editor gets: dup2 must not meet its own target. */
static int above(int fd)
{
	int moved = fcntl(fd, F_DUPFD_CLOEXEC, 10);

	close(fd);
	return moved;
}

static void editor_start(struct editor *e)
{
	char path[PATH_MAX + 32];
	int to[2], from[2];

	*e = (struct editor){ 0 };
	if (!find_editor(path, sizeof path) || pipe(to) < 0)
		return;
	if (pipe(from) < 0)
		return;
	for (int i = 0; i < 2; i++) {
		to[i] = above(to[i]);
		from[i] = above(from[i]);
	}
	if (!spawn_editor(path, to, from))
		return;
	close(to[0]);
	close(from[1]);
	signal(SIGPIPE, SIG_IGN);
	e->requests = fdopen(to[1], "w");
	e->lines = fdopen(from[0], "r");
}

static void editor_request(struct editor *e, char kind, const char *text)
{
	if (e->requests == NULL)
		return;
	fputc(kind, e->requests);
	fputs(text, e->requests);
	fputc('\0', e->requests);
	fflush(e->requests);
}

/* A line without its end, the caller's to free; NULL at the end of input. */
static char *editor_line(struct editor *e, const char *prompt)
{
	char *line = NULL;
	size_t size = 0;
	ssize_t len;

	if (e->requests == NULL) {
		fputs(prompt, stdout);
		fflush(stdout);
	} else {
		editor_request(e, 'P', prompt);
	}
	len = getline(&line, &size, e->requests != NULL ? e->lines : stdin);
	if (len < 0) {
		free(line);
		return NULL;
	}
	if (len > 0 && line[len - 1] == '\n')
		line[len - 1] = '\0';
	return line;
}

/* Reads lines until they are a complete command; NULL at the end of input. */
static char *read_command(cowsh *session, struct editor *e)
{
	char prompt[1400];
	char *text;

	make_prompt(session, prompt, sizeof prompt);
	text = editor_line(e, prompt);
	while (text != NULL && cowsh_incomplete(session, text, strlen(text))) {
		char *more = editor_line(e, "> ");
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
	struct editor editor;
	char *command;

	signal(SIGINT, interrupt);
	editor_start(&editor);
	while ((command = read_command(r->session, &editor)) != NULL) {
		int state;

		if (command[0] != '\0')
			editor_request(&editor, 'H', command);
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
