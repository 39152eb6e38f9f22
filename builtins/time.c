/* SPDX-License-Identifier: MIT
 *
 * time - run a program and say what it took: GNU time, /usr/bin/time. The shell has a keyword of
 * the same name.
 *
 * Elapsed time and processor time are those of the session's clock. There are no pages, swaps or
 * context switches: what GNU writes for them is 0.
 */
#include "builtins/builtin.h"

enum { NS = 1000000000, SIG_INT = 2, SIG_QUIT = 3 };

struct time_opts {
	const char *format;
	const char *output;
	bool append;
	bool portable;
	bool verbose;
	bool quiet;
};

static const struct opt time_options[] = {
	OPT_FLAG('a', "append", struct time_opts, append, "add to the file of -o"),
	OPT_STR('f', "format", struct time_opts, format, NULL, "FORMAT",
		"what to write: %e %U %S %P %M %x %C ..."),
	OPT_STR('o', "output", struct time_opts, output, NULL, "FILE", "write to FILE"),
	OPT_FLAG('p', "portability", struct time_opts, portable, "the format of POSIX"),
	OPT_FLAG('q', "quiet", struct time_opts, quiet, "nothing about the status"),
	OPT_FLAG('v', "verbose", struct time_opts, verbose, "everything, a line each"),
	OPT_END(),
};

static const char default_format[] =
	"%Uuser %Ssystem %Eelapsed %PCPU (%Xavgtext+%Davgdata %Mmaxresident)k\n"
	"%Iinputs+%Ooutputs (%Fmajor+%Rminor)pagefaults %Wswaps";
static const char long_format[] =
	"\tCommand being timed: \"%C\"\n\tUser time (seconds): %U\n"
	"\tSystem time (seconds): %S\n\tPercent of CPU this job got: %P\n"
	"\tElapsed (wall clock) time (h:mm:ss or m:ss): %E\n"
	"\tAverage shared text size (kbytes): %X\n\tAverage unshared data size (kbytes): %D\n"
	"\tAverage stack size (kbytes): %p\n\tAverage total size (kbytes): %K\n"
	"\tMaximum resident set size (kbytes): %M\n\tAverage resident set size (kbytes): %t\n"
	"\tMajor (requiring I/O) page faults: %F\n\tMinor (reclaiming a frame) page faults: %R\n"
	"\tVoluntary context switches: %w\n\tInvoluntary context switches: %c\n\tSwaps: %W\n"
	"\tFile system inputs: %I\n\tFile system outputs: %O\n\tSocket messages sent: %s\n"
	"\tSocket messages received: %r\n\tSignals delivered: %k\n\tPage size (bytes): %Z\n"
	"\tExit status: %x";

struct took {
	struct cmd *c;
	int64_t elapsed_ns;
	int64_t cpu_ns;
	uint64_t peak;
	int status; /* as wait(2) has it */
};

static void put_seconds(struct buf *out, int64_t ns)
{
	buf_printf(out, "%lld.%02d", (long long)(ns / NS), (int)(ns % NS / 10000000));
}

static void put_clock(struct buf *out, int64_t ns)
{
	int64_t s = ns / NS;

	if (s >= 3600)
		buf_printf(out, "%lld:%02d:%02d", (long long)(s / 3600), (int)(s % 3600 / 60),
			   (int)(s % 60));
	else
		buf_printf(out, "%d:%02d.%02d", (int)(s / 60), (int)(s % 60),
			   (int)(ns % NS / 10000000));
}

static void put_command(const struct took *t, struct buf *out)
{
	for (int i = 0; i < t->c->nargs; i++)
		buf_printf(out, "%s%s", i > 0 ? " " : "", t->c->args[i]);
}

static void put_conversion(const struct took *t, char conversion, struct buf *out)
{
	switch (conversion) {
	case 'C': put_command(t, out); break;
	case 'E': put_clock(out, t->elapsed_ns); break;
	case 'e': put_seconds(out, t->elapsed_ns); break;
	case 'U': put_seconds(out, t->cpu_ns); break;
	case 'S': buf_puts(out, "0.00"); break;
	case 'P':
		if (t->elapsed_ns > 0)
			buf_printf(out, "%lld%%", (long long)(t->cpu_ns * 100 / t->elapsed_ns));
		else
			buf_puts(out, "?%");
		break;
	case 'M': buf_printf(out, "%llu", (unsigned long long)(t->peak / 1024)); break;
	case 'Z': buf_puts(out, "4096"); break;
	case 'x': buf_printf(out, "%d", t->status >> 8 & 0xff); break;
	case '%': buf_putc(out, '%'); break;
	default:
		if (strchr("DFIKOWXRcwkprst", conversion) != NULL)
			buf_putc(out, '0');
		else
			buf_printf(out, "?%c", conversion);
	}
}

static void put_escape(char ch, struct buf *out)
{
	if (ch == 't')
		buf_putc(out, '\t');
	else if (ch == 'n')
		buf_putc(out, '\n');
	else if (ch == '\\')
		buf_putc(out, '\\');
	else
		buf_printf(out, "?\\%c", ch);
}

static void put_format(const struct took *t, const char *format, struct buf *out)
{
	for (; *format != '\0'; format++) {
		if (*format == '%' && format[1] != '\0')
			put_conversion(t, *++format, out);
		else if (*format == '%')
			buf_puts(out, "?");
		else if (*format == '\\' && format[1] != '\0')
			put_escape(*++format, out);
		else if (*format == '\\')
			buf_puts(out, "?\\");
		else
			buf_putc(out, *format);
	}
	buf_putc(out, '\n');
}

static int report(const struct took *t, const struct time_opts *o, int fd)
{
	const char *given = cmd_getenv(t->c, "TIME");
	const char *format = o->verbose          ? long_format
			     : o->portable       ? "real %e\nuser %U\nsys %S"
			     : o->format != NULL ? o->format
			     : given != NULL     ? given
						 : default_format;
	struct buf text = buf_in(t->c->arena);
	int sig = t->status & 0x7f;

	if (!o->quiet && sig != 0)
		buf_printf(&text, "Command terminated by signal %d\n", sig);
	else if (!o->quiet && t->status != 0 && !o->verbose)
		buf_printf(&text, "Command exited with non-zero status %d\n",
			   t->status >> 8 & 0xff);
	else if (!o->quiet && t->status != 0)
		buf_printf(&text, "Command exited with non-zero status %d\n",
			   t->status >> 8 & 0xff);
	put_format(t, format, &text);
	cmd_write_fd(t->c, fd, text.ptr, text.len);
	return cmd_exit_status(t->status);
}

static int time_run(struct cmd *c)
{
	const struct time_opts *o = c->opts;
	struct took t = { .c = c };
	struct cmd_program prog = { .argv = c->args };
	struct cmd_usage_totals totals;
	int64_t begin = cmd_now(c);
	int fd = 2;

	if (c->nargs == 0)
		return cmd_usage(c, "missing program to run");
	if (o->output != NULL) {
		fd = cmd_open(c, CMD_CWD, o->output,
			      O_WRONLY_ | O_CREAT_ | (o->append ? O_APPEND_ : O_TRUNC_), 0666);
		if (fd < 0)
			return cmd_error(c, 0, "%s: %s", o->output, err_text(fd)), 1;
	}
	int pid = cmd_spawn(c, &prog);

	if (pid < 0) {
		cmd_error(c, pid, "cannot run %s", c->args[0]);
		t.status = (pid == -E_NOENT ? 127 : 126) << 8;
	}
	cmd_signal(c, SIG_INT, CMD_SIG_IGNORE);
	cmd_signal(c, SIG_QUIT, CMD_SIG_IGNORE);
	while (pid > 0 && cmd_wait(c, pid, &t.status, false) < 0)
		cmd_charge(c, 1);
	cmd_totals(c, &totals);
	t.elapsed_ns = cmd_now(c) - begin;
	t.cpu_ns = cmd_child_cpu(c);
	t.peak = totals.memory_peak;
	return report(&t, o, fd);
}

const struct builtin builtin_time = {
	.name = "time",
	.usage = "[OPTION]... COMMAND [ARG]...",
	.summary = "Runs COMMAND and writes what it took on standard error.",
	.run = time_run,
	.opts = time_options,
	.opts_size = sizeof(struct time_opts),
	.flags = BUILTIN_STOP,
	.usage_status = 125,
	.error_status = 125,
	.family = "GNU time 1.9",
};
