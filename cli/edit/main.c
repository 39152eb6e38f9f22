/* SPDX-License-Identifier: MIT
 *
 * cowsh-edit - the line editor of the interactive shell, a process of its own.
 *
 * The terminal library (libedit) and everything it may read stay outside the program that runs
 * scripts. Requests come on descriptor 3, each ended by NUL: "P" and a prompt asks for a line,
 * "H" and text puts the text into the history. A line goes out on descriptor 4, ended by a
 * newline; the end of the terminal's input ends this process.
 */
#include <editline/readline.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { REQUESTS = 3, LINES = 4 };

/* An interrupt only ends the line being edited. */
static void interrupt(int signal)
{
	(void)signal;
}

static int send_line(const char *line, FILE *lines)
{
	return fputs(line, lines) < 0 || fputc('\n', lines) < 0 || fflush(lines) != 0 ? -1 : 0;
}

int main(void)
{
	FILE *requests = fdopen(REQUESTS, "r");
	FILE *lines = fdopen(LINES, "w");
	char *request = NULL;
	size_t size = 0;

	if (requests == NULL || lines == NULL) {
		fputs("cowsh-edit: started by cowsh for interactive use\n", stderr);
		return 2;
	}
	signal(SIGINT, interrupt);
	while (getdelim(&request, &size, '\0', requests) > 0) {
		if (request[0] == 'H') {
			add_history(request + 1);
		} else {
			char *line = readline(request + 1);

			if (line == NULL || send_line(line, lines) < 0)
				break;
			free(line);
		}
	}
	return 0;
}
