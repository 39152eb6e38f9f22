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
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	ANSWER_STEPS = 1000000,
	ANSWER_MAX = 256 << 10,
	HISTORY_MAX = 500, /* entries that the editor is told at once, but for one */
	ENDS_MAX = 3,      /* so many ^D end what does not let them */
	PROMPT_MAX = 8192,
	IGNORED_USUAL = 10, /* of IGNOREEOF, if that is no number */
};

/* --- questions to the session --- */

static struct answer {
	char *text; /* address space until it is used */
	size_t len;
} answered;

static int keep_answer(void *user, int fd, const char *data, size_t len)
{
	struct answer *a = user;

	if (fd != 1 || len > ANSWER_MAX - a->len)
		return 0;
	memcpy(a->text + a->len, data, len);
	a->len += len;
	return 0;
}

/* What a script prints in a fork of the session, so that it changes nothing; nothing if it can't
 * be asked. Traps, aliases and options of somebody who types are not for it. */
static struct answer ask(cowsh *session, const char *script, size_t len)
{
	static const char quiet[] = "{ trap - DEBUG ERR; set +euo pipefail; } > /dev/null 2>&1";
	struct cowsh_host host = COWSH_HOST_INIT;
	struct cowsh_result result;
	cowsh *fork;

	answered.len = 0;
	host.output = keep_answer;
	host.user = &answered;
	if (cowsh_fork(session, &host, &fork) < 0)
		return answered;
	cowsh_set_limit(fork, COWSH_LIMIT_STEPS, ANSWER_STEPS);
	cowsh_set_interactive(fork, false);
	(void)cowsh_run(fork, quiet, sizeof quiet - 1, &result);
	answered.len = 0;
	(void)cowsh_run(fork, script, len, &result);
	cowsh_free(fork);
	return answered;
}

/* --- the line editor --- */

struct editor {
	struct cowsh_terminal terminal; /* as the host's is set, while a command runs */
	int requests;                   /* -1: none, plain lines from standard input */
	int lines;
	int known;       /* the number of the history's entry that it gets next */
	char data[4096]; /* read and not yet used */
	size_t at;
	size_t len;
};

/* What is typed until it is a complete command; address space until it is used. */
struct typed {
	char *text;
	size_t len;
	bool cut; /* it was longer */
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
static bool spawn_editor(char *path, bool lockdown, int to[2], int from[2])
{
	extern char **environ;
	posix_spawn_file_actions_t actions;
	static char unlocked[] = "--no-lockdown";
	char *argv[] = { path, lockdown ? NULL : unlocked, NULL };
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

static void editor_start(struct editor *e, bool lockdown)
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
	if (!spawn_editor(path, lockdown, to, from))
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

/* --- prompts and history --- */

/* The length of an escape sequence of terminals at the text's beginning. */
static size_t escape_len(const char *text, size_t len)
{
	size_t n = 2;

	if (len < 2)
		return len;
	if (text[1] == '[')
		while (n < len && (text[n] < '@' || text[n] > '~'))
			n++;
	else if (text[1] == ']')
		while (n < len && text[n] != '\a')
			n++;
	else
		return 2;
	return n < len ? n + 1 : len;
}

/* libedit drops marked text at the end of a prompt: the character before it comes last. */
static void end_unmarked(char *prompt, size_t len)
{
	size_t begin = len;
	char last;

	while (begin > 0 && prompt[begin - 1] == '\2')
		while (begin > 0 && prompt[--begin] != '\1')
			;
	if (begin == len || begin == 0 || prompt[begin - 1] < ' ')
		return;
	last = prompt[begin - 1];
	memmove(prompt + begin - 1, prompt + begin, len - begin);
	prompt[len - 1] = last;
}

/* A prompt for the editor has its escape sequences between \1 and \2 (`\[` and `\]` of PS1), also
 * where PS1 has them bare; one for a terminal has neither byte. NUL-ended. */
static void fit_prompt(bool edited, struct answer a, char *prompt, size_t size)
{
	bool inside = false;
	size_t len = 0;

	for (size_t i = 0; i < a.len;) {
		bool bare = edited && !inside && a.text[i] == '\033';
		bool mark = a.text[i] == '\1' || a.text[i] == '\2';
		size_t n = bare ? escape_len(a.text + i, a.len - i) : 1;

		inside = mark ? a.text[i] == '\1' : inside;
		if (len + n + 3 > size)
			break;
		if (bare)
			prompt[len++] = '\1';
		if (!mark || edited)
			memcpy(prompt + len, a.text + i, n), len += n;
		if (bare)
			prompt[len++] = '\2';
		i += n;
	}
	prompt[len] = '\0';
	if (edited)
		end_unmarked(prompt, len);
}

static void make_prompt(cowsh *session, const struct editor *e, const char *name, char *prompt,
			size_t size)
{
	static char text[PROMPT_MAX];
	int64_t len = cowsh_prompt(session, name, text, sizeof text);
	struct answer a = { text, len < PROMPT_MAX ? (size_t)len : PROMPT_MAX - 1 };

	if (len < 0)
		a = (struct answer){ "$ ", 2 };
	fit_prompt(e->requests >= 0, a, prompt, size);
}

/* The editor learns what came to the session's history since the last time. */
static void tell_history(cowsh *session, struct editor *e)
{
	/* Each entry is a tab, a blank, its text, a newline. fc does not find the number of the
	 * last one where nothing is recorded, as in a fork that is asked: there is another behind
	 * it. */
	static const char script[] =
		"read n x < <(fc -l -1); history -s : cowsh; "
		"for ((i = %d > n - %d ? %d : n - %d; i <= n; i++)); "
		"do printf '%%s\\0' \"$(fc -ln $i $i)\"; done 2> /dev/null; printf %%d $((n + 1))";
	char text[sizeof script + 64];
	struct answer a;
	size_t at = 0;

	if (e->requests < 0)
		return;
	snprintf(text, sizeof text, script, e->known, HISTORY_MAX, e->known, HISTORY_MAX);
	a = ask(session, text, strlen(text));
	while (at < a.len) {
		const char *end = memchr(a.text + at, '\0', a.len - at);

		if (end == NULL)
			break;
		if (end - (a.text + at) > 2)
			editor_request(e, 'H', a.text + at + 2);
		at = (size_t)(end - a.text) + 1;
	}
	a.text[a.len] = '\0';
	e->known = atoi(a.text + at);
}

/* The next byte of what the editor or the terminal sends; -1 at the end. */
static int next_byte(struct editor *e)
{
	if (e->at == e->len) {
		ssize_t n;

		do {
			n = read(e->lines, e->data, sizeof e->data);
		} while (n < 0 && errno == EINTR && !keys_leave());
		e->at = 0;
		e->len = n > 0 ? (size_t)n : 0;
		if (n <= 0)
			return -1;
	}
	return (unsigned char)e->data[e->at++];
}

/* --- completion --- */

/* Of $1, a command or a file as $2 says: a candidate a line, directories with a slash behind. */
static const char complete_script[] =
	"case $2 in variable) compgen -v -- \"$1\";; command) compgen -c -- \"$1\";; "
	"*) compgen -A \"$2\" -- \"$1\" | while IFS= read -r f; do "
	"d=$f; [[ $f != '~'* ]] || d=${f/#\\~/$HOME}; "
	"if [ -d \"$d\" ]; then printf '%s/\\n' \"$f\"; else printf '%s\\n' \"$f\"; fi; done;; "
	"esac 2> /dev/null | sort -u";

static bool is_among(const char *list, const char *word, size_t len)
{
	char padded[16];

	if (len > sizeof padded - 3)
		return false;
	snprintf(padded, sizeof padded, " %.*s ", (int)len, word);
	return strstr(list, padded) != NULL;
}

/* What a word may be that stands behind `before`: an action of compgen. */
static const char *completed_kind(const char *before, const char *word)
{
	size_t end = strlen(before);
	size_t start;

	if (end != 0 && before[end - 1] == '$')
		return "variable";
	while (end > 0 && before[end - 1] == ' ')
		end--;
	if (end == 0 || strchr(";|&({`", before[end - 1]) != NULL)
		return strchr(word, '/') == NULL ? "command" : "file";
	for (start = end; start > 0 && strchr(" ;|&({`", before[start - 1]) == NULL; start--)
		;
	if (is_among(" then do else elif if while until ! time sudo env xargs exec command ",
		     before + start, end - start))
		return "command";
	return is_among(" cd pushd rmdir ", before + start, end - start) ? "directory" : "file";
}

/* Lines become words that end in NUL, but for empty ones: the first of these ends an answer, and
 * the sandbox has a say in what stands here. */
static void make_words(struct answer *a)
{
	size_t len = 0;

	for (size_t i = 0; i < a->len; i++) {
		char c = a->text[i] == '\n' ? '\0' : a->text[i];

		if (c != '\0' || (len != 0 && a->text[len - 1] != '\0'))
			a->text[len++] = c;
	}
	while (len != 0 && a->text[len - 1] != '\0')
		len--; /* a line that was cut */
	a->len = len;
}

/* Answers the editor, which asks how a word may go on. */
static void complete(cowsh *session, const struct editor *e, const char *before, const char *word)
{
	static char script[sizeof complete_script + 8192];
	struct answer a;
	size_t len = (size_t)snprintf(script, sizeof script, "set -- '");

	for (const char *c = word; *c != '\0' && len < 8000; c++)
		len += (size_t)snprintf(script + len, sizeof script - len,
					*c == '\'' ? "'\\''" : "%c", *c);
	len += (size_t)snprintf(script + len, sizeof script - len, "' %s; %s",
				completed_kind(before, word), complete_script);
	a = ask(session, script, len);
	make_words(&a);
	(void)write_all(e->requests, a.text, a.len);
	(void)write_all(e->requests, "", 1);
}

/* --- lines --- */

enum got { GOT_LINE, GOT_INTERRUPT, GOT_END, GOT_GONE };

/* Appends bytes up to the end of a line; false at the end of input. */
static bool append_line(struct editor *e, struct typed *t)
{
	size_t start = t->len;
	int c;

	while ((c = next_byte(e)) >= 0 && c != '\n')
		if (t->len < TYPED_MAX - 2)
			t->text[t->len++] = (char)c;
		else
			t->cut = true;
	t->text[t->len] = '\0';
	return c >= 0 || t->len != start;
}

/* "ROWS COLUMNS" */
static void learn_size(cowsh *session, struct editor *e)
{
	unsigned n[2] = { 0, 0 };
	int which = 0;
	int c;

	while ((c = next_byte(e)) >= 0 && c != '\n') {
		if (c == ' ' && which == 0)
			which++;
		else if (c >= '0' && c <= '9' && n[which] < UINT16_MAX)
			n[which] = n[which] * 10 + (unsigned)(c - '0');
	}
	cowsh_set_terminal_size(session, n[0], n[1]);
}

/* Appends a line without its end. */
static enum got editor_line(cowsh *session, struct editor *e, const char *prompt, struct typed *t)
{
	size_t start = t->len;
	size_t word = start;

	if (e->requests < 0) {
		(void)write_all(1, prompt, strlen(prompt));
		return append_line(e, t) ? GOT_LINE : GOT_GONE;
	}
	editor_request(e, 'P', prompt);
	for (;;) {
		int kind = next_byte(e);

		if (kind == 'S') {
			learn_size(session, e);
			continue;
		}
		t->len = kind == 'W' ? word : start;
		t->cut = false;
		if (kind < 0 || !append_line(e, t))
			return GOT_GONE;
		if (kind == 'E')
			return GOT_END;
		if (kind == 'L')
			return GOT_LINE;
		if (kind == 'I')
			return GOT_INTERRUPT;
		if (kind == 'W')
			complete(session, e, t->text + start, t->text + word);
		else
			word = ++t->len;
	}
}

/* Reads lines until they are a complete command. */
static enum got read_command(cowsh *session, struct editor *e, struct typed *t)
{
	static char prompt[PROMPT_MAX + 64];
	enum got got;

	make_prompt(session, e, "PS1", prompt, sizeof prompt);
	t->len = 0;
	t->cut = false;
	got = editor_line(session, e, prompt, t);
	while (got == GOT_LINE && !t->cut && cowsh_incomplete(session, t->text, t->len)) {
		t->cut = t->len >= TYPED_MAX - 2;
		if (t->cut)
			return got;
		t->text[t->len++] = '\n';
		make_prompt(session, e, "PS2", prompt, sizeof prompt);
		got = editor_line(session, e, prompt, t);
		if (got == GOT_END || got == GOT_GONE)
			return GOT_LINE;
	}
	return got;
}

/* `undo` takes the last command back, if checkpoints are kept. */
static bool undo(struct runner *r, const struct typed *t)
{
	static const char line[] = "cowsh: there is nothing to undo\n";
	unsigned lost;

	if (r->options->config.checkpoints == 0 || t->len != 4 || memcmp(t->text, "undo", 4) != 0)
		return false;
	if (cowsh_undo(r->session) < 0) {
		(void)write_all(2, line, sizeof line - 1);
		return true;
	}
	lost = cowsh_lost_processes(r->session);
	if (lost != 0) {
		out_to(2);
		out_format("cowsh: processes that do not run any more: %u\n", lost);
		out_flush();
	}
	return true;
}

/* How many ^D the shell takes no notice of. */
static int ends_ignored(cowsh *session)
{
	static const char script[] = "[ -o ignoreeof ] && printf %s \"${IGNOREEOF:-x}\"";
	struct answer a = ask(session, script, sizeof script - 1);
	char *end;
	long n;

	if (a.len == 0)
		return 0;
	a.text[a.len] = '\0';
	n = strtol(a.text, &end, 10);
	return *end != '\0' || n < 0 || n > INT_MAX ? IGNORED_USUAL : (int)n;
}

static struct editor editor = { .requests = -1 };
static struct typed typed;
static struct cowsh_terminal usual_terminal; /* as sessions begin */

void interactive_reads(void)
{
	struct editor *e = &editor;
	struct cowsh_terminal now;
	char text[256];
	size_t len;

	if (keys_whose() == NULL || e->requests < 0)
		return;
	cowsh_get_terminal(keys_whose(), &now);
	if (memcmp(&now, &e->terminal, sizeof now) == 0)
		return;
	e->terminal = now;
	len = (size_t)snprintf(text, sizeof text, "%u %u %u", now.input, now.output, now.local);
	for (size_t i = 0; i < sizeof now.keys; i++)
		len += (size_t)snprintf(text + len, sizeof text - len, " %u", now.keys[i]);
	editor_request(e, 'M', text);
}

/* Runs what was typed to its end, through ^C. */
static void run_typed(struct runner *r, const struct typed *t, struct cowsh_result *result)
{
	int state;

	deadline_begin();
	editor.terminal = usual_terminal;
	keys_for(r->session);
	state = cowsh_start(r->session, t->text, t->len);
	if (state >= 0)
		state = runner_go(r, cowsh_step);
	keys_for(NULL);
	if (state < 0)
		fatal("%s", cowsh_error_text(state));
	cowsh_get_result(r->session, result);
}

/* The session goes on for scripts when it is saved. */
static int finish(struct runner *r, int status)
{
	struct cowsh_result last = { .status = status, .limit = -1 };

	cowsh_set_interactive(r->session, false);
	return runner_report(r, &last);
}

void interactive_open(bool lock)
{
	typed.text = map_region(TYPED_MAX);
	answered.text = map_region(ANSWER_MAX + 1); /* a NUL */
	if (typed.text == NULL || answered.text == NULL)
		fatal("can't reserve memory");
	keys_catch(true);
	editor_start(&editor, lock);
}

int interactive(struct runner *r)
{
	static const char has_rc[] = "[ -r ~/.bashrc ] && echo yes";
	static char rc[] = ". ~/.bashrc";
	const struct typed nothing = { rc, 0, false };
	static const char use_exit[] = "Use \"exit\" to leave the shell.\n";
	static const char too_long[] = "cowsh: that is too long for a command\n";
	struct cowsh_result result = { 0 };
	enum got got;

	cowsh_get_terminal(r->session, &usual_terminal);
	runner_prepare(r);
	trace_begin(r);
	debug_begin(r);
	if (ask(r->session, has_rc, sizeof has_rc - 1).len != 0)
		run_typed(r, &(struct typed){ rc, sizeof rc - 1, false }, &result);
	cowsh_set_interactive(r->session, true);
	run_typed(r, &nothing, &result); /* PROMPT_COMMAND */
	for (int ends = 0, ignored = 0; ends < ENDS_MAX;) {
		tell_history(r->session, &editor);
		got = keys_leave() ? GOT_GONE : read_command(r->session, &editor, &typed);
		ignored = got == GOT_END ? ignored + 1 : 0;
		if (got == GOT_END && ignored <= ends_ignored(r->session)) {
			(void)write_all(2, use_exit, sizeof use_exit - 1);
			run_typed(r, &nothing, &result);
			continue;
		}
		ends = got >= GOT_END ? ends + 1 : 0;
		if (got == GOT_INTERRUPT) {
			cowsh_signal(r->session, SIGINT);
			run_typed(r, &nothing, &result);
			continue;
		}
		if (got >= GOT_END) {
			typed.len = (size_t)snprintf(typed.text, TYPED_MAX, "exit");
			typed.cut = false;
		}
		if (typed.cut) {
			(void)write_all(2, too_long, sizeof too_long - 1);
			continue;
		}
		if (undo(r, &typed))
			continue;
		run_typed(r, &typed, &result);
		if (result.exited)
			return finish(r, result.status);
	}
	return finish(r, result.status);
}
