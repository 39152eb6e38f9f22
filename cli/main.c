/* SPDX-License-Identifier: MIT
 *
 * cowsh - run scripts in a simulated computer.
 */
#include "cli/cli.h"
#include "cli/lock.h"
#include "cli/report.h"

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
	line[len] = '\n';
	(void)write_all(2, line, len + 1);
	leave(2);
}

int main(int argc, char **argv)
{
	static struct options options;
	static struct runner runner;
	bool script;
	int status;

	if (argc > 1 && strcmp(argv[1], "image") == 0)
		leave(image_command(argc - 2, argv + 2));
	if (argc > 1 && strcmp(argv[1], "replay") == 0)
		leave(replay_command(argc - 2, argv + 2));
	options_parse(argc, argv, &options);
	runner_start(&runner, &options);
	if (analyze_wanted())
		leave(analyze_run(&runner));
	script = options.script != NULL || options.file != NULL || options.shell_argc != 0;
	if (!script && !options.json && !rehearse_wanted() && isatty(0) && isatty(1)) {
		trace_begin(&runner);
		status = interactive(&runner);
		trace_end(&runner);
	} else {
		status = runner_run(&runner);
	}
	journal_end(&runner);
	leave(saved_keep(&runner, status));
}
