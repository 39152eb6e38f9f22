/* SPDX-License-Identifier: MIT
 *
 * cowsh - run scripts in a simulated computer.
 */
#include "cli/cli.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void fatal(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fputs("cowsh: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	va_end(args);
	exit(2);
}

int main(int argc, char **argv)
{
	static struct options options;
	static struct runner runner;
	bool script;

	options_parse(argc, argv, &options);
	runner_start(&runner, &options);
	script = options.script != NULL || options.file != NULL || options.shell_argc != 0;
	if (!script && !options.json && isatty(0) && isatty(1))
		return interactive(&runner);
	return runner_run(&runner);
}
