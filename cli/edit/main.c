/* SPDX-License-Identifier: MIT
 *
 * cowsh-edit - the line editor of the interactive shell, a process of its own.
 *
 * The terminal library (libedit) and everything it may read stay outside the program that runs
 * scripts; what they need is read before this process locks itself.
 *
 * Requests come on descriptor 3, each ended by NUL; their end ends this process:
 *
 *   "P" PROMPT     asks for a line
 *   "H" TEXT       puts a text into the history
 *   "M" NUMBERS    sets the terminal until the next prompt
 *
 * What it says goes out on descriptor 4, each ended by a newline:
 *
 *   "L" LINE           a line
 *   "I"                ^C gave it up
 *   "E"                the end of the input
 *   "S" ROWS COLUMNS   before one of these, if the terminal's size changed
 *   "T" TEXT "W" WORD  two lines: how may that word, behind that text, go on? Answered on
 *                      descriptor 3 by words, each ended by NUL, and an empty one.
 */
#include "cli/cli.h"
#include "cli/lock.h"

#include <editline/readline.h>
#include <locale.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

enum { REQUESTS = 3, LINES = 4, SESSION_KEYS = 19 };

static FILE *requests, *lines;
static volatile sig_atomic_t given_up; /* the signal */
static struct termios found;           /* the terminal's settings before */
static struct winsize told;            /* the size that the other side knows */

void fatal(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fputs("cowsh-edit: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	va_end(args);
	_exit(2);
}

/* Keys that the terminal makes signals of only end the line being edited. */
static void give_up(int signal)
{
	given_up = signal;
}

static int send_line(char kind, const char *line, size_t len)
{
	return fprintf(lines, "%c%.*s\n", kind, (int)len, line) < 0 || fflush(lines) != 0 ? -1 : 0;
}

/* --- completion: the files are the sandbox's, so the other side knows --- */

/* readline calls it until it returns NULL; what it returns is freed. */
static char *next_candidate(const char *text, int state)
{
	char *word = NULL;
	size_t size = 0;

	(void)text;
	(void)state;
	if (getdelim(&word, &size, '\0', requests) > 1)
		return word;
	free(word);
	return NULL;
}

static char **complete(const char *text, int start, int end)
{
	char **matches;
	size_t len;

	rl_attempted_completion_over = 1; /* never the host's own files */
	rl_completion_append_character = ' ';
	if (send_line('T', rl_line_buffer, (size_t)start) < 0 ||
	    send_line('W', rl_line_buffer + start, (size_t)(end - start)) < 0)
		return NULL;
	matches = rl_completion_matches(text, next_candidate);
	if (matches == NULL)
		return NULL;
	len = strlen(matches[0]);
	if (len != 0 && matches[0][len - 1] == '/')
		rl_completion_append_character = '\0';
	return matches;
}

/* --- lines --- */

/* readline edits behind the last line of a prompt. */
static char *edit(const char *prompt)
{
	const char *last = strrchr(prompt, '\n');

	last = last != NULL ? last + 1 : prompt;
	fwrite(prompt, 1, (size_t)(last - prompt), stdout);
	fflush(stdout);
	given_up = 0;
	tcsetattr(0, TCSADRAIN, &found);
	return readline(last);
}

/* "M": flags and keys in decimal, as the session wants them. Keys go on to make signals. */
static void set_terminal(const char *text)
{
	struct termios set = found;
	char *at = (char *)(uintptr_t)text;

	set.c_iflag = (tcflag_t)strtoul(at, &at, 10);
	set.c_oflag = (tcflag_t)strtoul(at, &at, 10);
	set.c_lflag = (tcflag_t)strtoul(at, &at, 10) | ISIG;
	for (int i = 0; i < SESSION_KEYS; i++)
		set.c_cc[i] = (cc_t)strtoul(at, &at, 10);
	tcsetattr(0, TCSADRAIN, &set);
}

static int tell_size(void)
{
	struct winsize now;

	if (ioctl(0, TIOCGWINSZ, &now) != 0 ||
	    (now.ws_row == told.ws_row && now.ws_col == told.ws_col))
		return 0;
	told = now;
	return fprintf(lines, "S%u %u\n", now.ws_row, now.ws_col) < 0 ? -1 : 0;
}

static int answer(const char *prompt)
{
	char *line = edit(prompt);
	int result = tell_size();

	if (result < 0)
		return result;
	if (line == NULL && given_up != 0) {
		puts(given_up == SIGINT ? "^C" : "");
		fflush(stdout);
		return send_line('I', "", 0);
	}
	if (line == NULL) {
		puts("");
		fflush(stdout);
		return send_line('E', "", 0);
	}
	result = send_line('L', line, strlen(line));
	free(line);
	return result;
}

/* With an argument (--no-lockdown) it keeps its rights. */
int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = give_up, .sa_flags = SA_RESTART };
	char *request = NULL;
	size_t size = 0;

	requests = fdopen(REQUESTS, "r");
	lines = fdopen(LINES, "w");
	(void)argv;
	if (requests == NULL || lines == NULL)
		fatal("started by cowsh for interactive use");
	if (setlocale(LC_CTYPE, "") == NULL || MB_CUR_MAX == 1)
		setlocale(LC_CTYPE, "C.UTF-8");
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGQUIT, &action, NULL);
	sigaction(SIGTSTP, &action, NULL);
	tcgetattr(0, &found);
	ioctl(0, TIOCGWINSZ, &told);
	rl_initialize(); /* reads what is known of the terminal */
	rl_attempted_completion_function = complete;
	if (argc == 1)
		lock_down(LOCK_EDITOR);
	while (getdelim(&request, &size, '\0', requests) > 0) {
		if (request[0] == 'H')
			add_history(request + 1);
		else if (request[0] == 'M')
			set_terminal(request + 1);
		else if (answer(request + 1) < 0)
			break;
	}
	tcsetattr(0, TCSADRAIN, &found);
	return 0;
}
