/* SPDX-License-Identifier: MIT
 *
 * script - records what a command writes, with lines of when it began and how it ended.
 *
 * There is no terminal inside, so the command writes into a pipe; its newlines become what a
 * terminal makes of them. An interactive shell can't be recorded: -c is needed.
 */
#include "base/time.h"
#include "builtins/builtin.h"
#include "builtins/zone.h"

struct script_opts {
	bool append;
	bool quiet;
	bool status;
	bool force;
	const char *command;
	const char *file;
};

static int opt_echo(struct cmd *c, const struct opt *o, const char *arg)
{
	(void)o;
	if (strcmp(arg, "auto") == 0 || strcmp(arg, "always") == 0 || strcmp(arg, "never") == 0)
		return 0;
	return cmd_error(c, 0, "unssuported echo mode: '%s'", arg);
}

static const struct opt script_options[] = {
	OPT_STR('O', "log-out", struct script_opts, file, NULL, "FILE", "record in FILE"),
	OPT_FLAG('a', "append", struct script_opts, append, "append to the file"),
	OPT_STR('c', "command", struct script_opts, command, NULL, "COMMAND",
		"what to run, a script of the shell"),
	OPT_FLAG('e', "return", struct script_opts, status, "the status is the command's"),
	OPT_IGNORED('f', "flush", "no effect: all is written at once"),
	OPT_FLAG(0, "force", struct script_opts, force, "also if the file is a link"),
	OPT_CALL_ARG('E', "echo", opt_echo, "WHEN", "no effect: there is no terminal that echoes"),
	OPT_FLAG('q', "quiet", struct script_opts, quiet, "say nothing"),
	OPT_MISSING_ARG('I', "log-in"),
	OPT_MISSING_ARG('B', "log-io"),
	OPT_MISSING_ARG('T', "log-timing"),
	OPT_MISSING('t', "timing"),
	OPT_MISSING_ARG('m', "logging-format"),
	OPT_MISSING_ARG('o', "output-limit"),
	OPT_END(),
};

struct recorder {
	struct cmd *c;
	struct output log;
	bool on_terminal;
};

static void put_time(struct recorder *r, const char *what)
{
	struct buf text = buf_in(r->c->arena);
	int64_t seconds = cmd_now(r->c) / 1000000000;
	struct civil civil;

	buf_puts(&text, what);
	time_civil(zone_of_command(r->c), seconds, &civil);
	time_format(&text, BYTES("%Y-%m-%d %H:%M:%S%:z"), &civil, seconds, 0);
	output_write(&r->log, text.ptr, text.len);
}

static void log_printf(struct recorder *r, const char *format, const char *text, int number)
{
	struct buf line = buf_in(r->c->arena);

	if (text != NULL)
		buf_printf(&line, format, text);
	else
		buf_printf(&line, format, number);
	output_write(&r->log, line.ptr, line.len);
}

/* Both to the file and on, each newline with a carriage return, as terminals have it. */
static void record(struct recorder *r, int fd)
{
	struct input in;
	struct bytes block;

	r->on_terminal = cmd_isatty(r->c, 1); /* which adds them itself */
	input_init(&in, r->c, fd, "-");
	while (input_block(&in, &block) > 0) {
		for (size_t i = 0; i < block.len; i++) {
			if (block.ptr[i] == '\n') {
				output_putc(&r->log, '\r');
				if (!r->on_terminal)
					cmd_putc(r->c, '\r');
			}
			output_putc(&r->log, block.ptr[i]);
			cmd_putc(r->c, block.ptr[i]);
		}
		cmd_flush(r->c);
		cmd_charge_bytes(r->c, block.len);
	}
}

static int run(struct recorder *r, char *command)
{
	static char shell[] = "/bin/sh";
	static char flag[] = "-c";
	const char *wanted = cmd_getenv(r->c, "SHELL");
	char *program = wanted != NULL ? arena_dup(r->c->arena, bytes_of(wanted)) : shell;
	char *argv[] = { program, flag, command, NULL };
	int ends[2];
	int err = cmd_pipe(r->c, ends);

	if (err < 0)
		cmd_fatal(r->c, err, "pipe");
	const int fds[3] = { 0, ends[1], ends[1] };
	struct cmd_program prog = { .argv = argv, .fds = fds, .nfds = 3 };
	int pid = cmd_spawn(r->c, &prog);

	cmd_close(r->c, ends[1]);
	if (pid < 0)
		cmd_fatal(r->c, pid, "failed to execute %s", program);
	record(r, ends[0]);
	cmd_close(r->c, ends[0]);
	return cmd_wait_end(r->c, pid);
}

static int script_run(struct cmd *c)
{
	const struct script_opts *o = c->opts;
	const char *file = o->file != NULL ? o->file : c->nargs > 0 ? c->args[0] : "typescript";
	struct recorder r = { .c = c };
	struct vfs_stat st;

	if (c->nargs > (o->file == NULL))
		return cmd_usage(c, "unexpected number of arguments");
	if (o->command == NULL)
		return cmd_error(c, 0,
				 "no terminal to record in this session; "
				 "give a command: script -c COMMAND FILE");
	if (o->file == NULL && c->nargs == 0 && !o->force && cmd_lstat(c, file, &st) == 0 &&
	    (st.mode & S_FMT) == S_LNK)
		return cmd_error(c, 0,
				 "output file `%s' is a link\nUse --force if you really want to "
				 "use it.\nProgram not started.",
				 file);
	int err = output_open(&r.log, c, file, o->append ? O_APPEND_ : O_TRUNC_, false);

	if (err < 0)
		return cmd_error(c, err, "cannot open %s", file);
	if (!o->quiet)
		cmd_printf(c, "Script started, output log file is '%s'.\n", file);
	put_time(&r, "Script started on ");
	log_printf(&r, " [COMMAND=\"%s\" <not executed on terminal>]\n", o->command, 0);
	output_flush(&r.log);
	int status = run(&r, arena_dup(c->arena, bytes_of(o->command)));

	put_time(&r, "\nScript done on ");
	log_printf(&r, " [COMMAND_EXIT_CODE=\"%d\"]\n", NULL, status);
	output_close(&r.log);
	if (!o->quiet)
		cmd_puts(c, "Script done.\n");
	return o->status ? status : 0;
}

const struct builtin builtin_script = {
	.name = "script",
	.usage = "[OPTION]... -c COMMAND [FILE]",
	.summary = "Runs COMMAND, a script of the shell, and records what it writes in FILE, or\n"
		   "in the file typescript.",
	.run = script_run,
	.opts = script_options,
	.opts_size = sizeof(struct script_opts),
	.family = "util-linux 2.38.1",
};
