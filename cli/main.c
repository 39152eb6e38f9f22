/* SPDX-License-Identifier: MIT
 *
 * cowsh - run scripts in a simulated computer.
 */
#include "cli/changes.h"
#include "cli/cli.h"
#include "cli/lock.h"
#include "cli/report.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void fatal(const char *format, ...)
{
	char line[1024] = "cowsh: ";
	size_t len = strlen(line);
	va_list args;

	va_start(args, format);
	vsnprintf(line + len, sizeof line - len - 1, format, args);
	va_end(args);
	len = strlen(line);
	/* Names of files, which others may have given. */
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)line[i] < ' ' || line[i] == 0x7f)
			line[i] = '?';
	line[len] = '\n';
	(void)write_all(2, line, len + 1);
	leave(2);
}

/* Where one of the three is closed, what is opened later would take its place, and a script write
 * to it. As before, reading and writing fail with EBADF. */
static void open_standard(void)
{
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0 &&
		    open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) != fd)
			_exit(2);
}

/* Reads commands from the terminal; the exit status. */
static int run_terminal(struct runner *r)
{
	interactive_open(!r->options->no_lockdown);
	changes_open();
	deadline_arm(r->options->time_limit_ms, true);
	runner_lock(r);
	return interactive(r);
}

int main(int argc, char **argv)
{
	static struct options options;
	static struct runner runner;
	bool script, typed;
	int status;

	open_standard();
	if (argc > 1 && strcmp(argv[1], "image") == 0)
		leave(out_status(image_command(argc - 2, argv + 2)));
	if (argc > 1 && strcmp(argv[1], "replay") == 0)
		leave(out_status(replay_command(argc - 2, argv + 2)));
	options_parse(argc, argv, &options);
	script = options.script != NULL || options.file != NULL || options.shell_argc != 0;
	typed = !script && !options.json && !rehearse_wanted() && !analyze_wanted() && isatty(0) &&
		isatty(1);
	if (typed)
		options_add_terminal(&options);
	runner_start(&runner, &options);
	if (analyze_wanted())
		leave(out_status(analyze_run(&runner)));
	if (typed) {
		status = run_terminal(&runner);
		trace_end(&runner);
	} else {
		status = runner_run(&runner);
	}
	journal_end(&runner);
	leave(out_status(saved_keep(&runner, status)));
}
