/* SPDX-License-Identifier: MIT
 *
 * The interactive shell: cowsh-edit reads lines from the terminal (cli/edit/main.c has the
 * protocol), the session's shell runs them. Without that program lines come as they are typed.
 */
#include "cli/cli.h"
#include "cli/debug.h"
#include "cli/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
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
	int requests; /* -1: none, plain lines from standard input */
	int lines;
	char data[4096]; /* read and not yet used */
	size_t at;
	size_t len;
};

/* What is typed until it is a complete command; address space until it is used. */
struct typed {
	char *text;
	size_t len;
};
enum { TYPED_MAX = 16 << 20 };

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

	*e = (struct editor){ .requests = -1 };
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
	e->requests = to[1];
	e->lines = from[0];
}

static void editor_request(const struct editor *e, char kind, const char *text)
{
	if (e->requests < 0)
		return;
	(void)write_all(e->requests, &kind, 1);
	(void)write_all(e->requests, text, strlen(text) + 1);
}

/* The next byte of what the editor or the terminal sends; -1 at the end. */
static int next_byte(struct editor *e)
{
	if (e->at == e->len) {
		ssize_t n;

		do {
			n = read(e->lines, e->data, sizeof e->data);
		} while (n < 0 && errno == EINTR);
		e->at = 0;
		e->len = n > 0 ? (size_t)n : 0;
		if (n <= 0)
			return -1;
	}
	return (unsigned char)e->data[e->at++];
}

/* Appends a line without its end; false at the end of input. */
static bool editor_line(struct editor *e, const char *prompt, struct typed *t)
{
	size_t start = t->len;
	int c;

	if (e->requests < 0)
		(void)write_all(1, prompt, strlen(prompt));
	else
		editor_request(e, 'P', prompt);
	while ((c = next_byte(e)) >= 0 && c != '\n')
		if (t->len < TYPED_MAX - 2)
			t->text[t->len++] = (char)c;
	t->text[t->len] = '\0';
	return c >= 0 || t->len != start;
}

/* Reads lines until they are a complete command; false at the end of input. */
static bool read_command(cowsh *session, struct editor *e, struct typed *t)
{
	char prompt[1400];

	make_prompt(session, prompt, sizeof prompt);
	t->len = 0;
	if (!editor_line(e, prompt, t))
		return false;
	while (cowsh_incomplete(session, t->text, t->len)) {
		t->text[t->len++] = '\n';
		if (!editor_line(e, "> ", t))
			break;
	}
	return true;
}

/* `undo` takes the last command back, if checkpoints are kept. */
static bool undo(struct runner *r, const struct typed *t)
{
	static const char line[] = "cowsh: there is nothing to undo\n";

	if (r->options->config.checkpoints == 0 || t->len != 4 || memcmp(t->text, "undo", 4) != 0)
		return false;
	if (cowsh_undo(r->session) < 0)
		(void)write_all(2, line, sizeof line - 1);
	return true;
}

/* A command that was stopped is not the end of the session. */
static int finish(struct runner *r, int status)
{
	struct cowsh_result last = { .status = status, .limit = -1 };

	return runner_report(r, &last);
}

int interactive(struct runner *r)
{
	struct sigaction action = { .sa_handler = interrupt };
	struct cowsh_result result = { 0 };
	static struct editor editor;
	struct typed typed = { map_region(TYPED_MAX), 0 };

	if (typed.text == NULL)
		fatal("can't reserve memory");
	runner_prepare(r);
	debug_begin(r);
	sigaction(SIGINT, &action, NULL);
	editor_start(&editor);
	if (r->options->time_limit_ms != 0)
		deadline_arm(r->options->time_limit_ms, true);
	if (!r->options->no_lockdown)
		lock_down(r->options->microvm ? LOCK_MACHINE : LOCK_RUNNER);
	while (read_command(r->session, &editor, &typed)) {
		int state;

		if (typed.len != 0)
			editor_request(&editor, 'H', typed.text);
		if (undo(r, &typed))
			continue;
		deadline_begin();
		running = r->session;
		state = cowsh_start(r->session, typed.text, typed.len);
		if (state >= 0)
			state = runner_go(r, cowsh_step);
		running = NULL;
		if (state < 0)
			fatal("%s", cowsh_error_text(state));
		cowsh_get_result(r->session, &result);
		if (result.exited)
			return finish(r, result.status);
	}
	out_char('\n');
	out_flush();
	return finish(r, result.status);
}
