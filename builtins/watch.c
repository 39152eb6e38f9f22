/* SPDX-License-Identifier: MIT
 *
 * watch - run a command again and again. Nothing is a terminal here: what it writes is shown when
 * it changed, one below the other, and after many turns watch ends by itself.
 */
#include "builtins/zone.h"

enum { TURNS_MAX = 1000, NS = 1000000000 };

struct watch_opts {
	int64_t interval; /* in ns */
	int64_t equal;    /* turns, in units of NS; 0: not given */
	bool change;
	bool error;
	bool no_title;
	bool exec;
};

/* A sign, digits, and of '.' and ',' one: a number of seconds or turns, in billionths. */
static int set_number(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct watch_opts *o = c->opts;
	struct buf plain = buf_in(c->arena);
	const char *text = arg + strspn(arg, " \t");
	size_t sign = strspn(text, "+-");
	const char *digits = text + sign;
	size_t whole = strspn(digits, "0123456789");
	size_t part = whole + (digits[whole] == '.' || digits[whole] == ',');
	size_t end = part + strspn(digits + part, "0123456789");
	int64_t ns = 0;

	if (*text == '\0' || sign > 1)
		return cmd_error(c, -E_NOENT, "failed to parse argument: '%s'", arg);
	if (digits[end] != '\0')
		return cmd_error(c, -E_INVAL, "failed to parse argument: '%s'", arg);
	if (*text != '-')
		buf_printf(&plain, "0%.*s.%.*s", (int)whole, digits, (int)(end - part),
			   digits + part);
	num_parse_span(buf_cstr(&plain), &ns);
	if (opt->letter == 'q')
		o->equal = ns < NS ? NS : ns;
	else
		o->interval = ns;
	return 0;
}

static const struct opt watch_options[] = {
	OPT_CALL_ARG('n', "interval", set_number, "SECONDS", "time between turns"),
	OPT_FLAG('g', "chgexit", struct watch_opts, change, "end when the output changes"),
	OPT_CALL_ARG('q', "equexit", set_number, "N", "end when it has not changed for N turns"),
	OPT_FLAG('e', "errexit", struct watch_opts, error, "end when the command fails"),
	OPT_FLAG('t', "no-title", struct watch_opts, no_title, "no title"),
	OPT_FLAG('x', "exec", struct watch_opts, exec, "run the words, not by sh -c"),
	OPT_IGNORED('b', "beep", "no effect"),
	OPT_IGNORED('c', "color", "no effect: colours pass"),
	OPT_CALL_OPTIONAL('d', "differences", opt_ignored, "permanent", "no effect"),
	OPT_IGNORED('p', "precise", "no effect"),
	OPT_IGNORED('w', "no-wrap", "no effect"),
	OPT_END(),
};

static const char *join(struct cmd *c)
{
	struct buf text = buf_in(c->arena);

	for (int i = 0; i < c->nargs; i++)
		buf_printf(&text, "%s%s", i > 0 ? " " : "", c->args[i]);
	return buf_cstr(&text);
}

/* Runs it once: its output in *out, its exit status. */
static int run_once(struct cmd *c, char **argv, struct buf *out)
{
	struct cmd_program prog = { .argv = argv };
	char block[4096];
	int fds[2];
	int64_t n;

	cmd_flush(c);
	if (cmd_pipe(c, fds) < 0)
		return 1;
	const int child[] = { 0, fds[1], fds[1] };

	prog.fds = child;
	prog.nfds = 3;
	int pid = cmd_spawn(c, &prog);

	cmd_close(c, fds[1]);
	if (pid < 0)
		cmd_fatal(c, pid, "unable to execute '%s'", argv[0]);
	while ((n = cmd_read(c, fds[0], block, sizeof block)) > 0)
		buf_put(out, block, (size_t)n);
	cmd_close(c, fds[0]);
	return cmd_wait_end(c, pid);
}

static void put_title(struct cmd *c, int64_t ns, const char *command)
{
	struct buf text = buf_in(c->arena);
	struct civil now;

	time_civil(zone_of_command(c), cmd_now(c) / NS, &now);
	buf_printf(&text, "Every %lld.%llds: %s  %s: ", (long long)(ns / NS),
		   (long long)(ns % NS / 100000000), command, cmd_hostname(c));
	time_format(&text, BYTES("%a %b %e %H:%M:%S %Y\n\n"), &now, 0, TIME_LIBC);
	cmd_bytes(c, buf_bytes(&text));
}

static int watch_run(struct cmd *c)
{
	const struct watch_opts *o = c->opts;
	static char shell[] = "sh";
	static char flag[] = "-c";
	const char *command = join(c);
	char *argv[] = { shell, flag, arena_dup(c->arena, bytes_of(command)), NULL };
	struct buf output[2] = { buf_in(c->arena), buf_in(c->arena) };
	int64_t same = 0;
	int64_t ns = o->interval < 100000000 ? 100000000 : o->interval;

	if (c->nargs == 0)
		return cmd_usage(c, "a command is needed");
	for (int turn = 0; turn < TURNS_MAX; turn++) {
		struct buf *now = &output[turn & 1];
		const struct buf *before = &output[~turn & 1];

		now->len = 0;
		int status = run_once(c, o->exec ? c->args : argv, now);
		bool changed = !bytes_eq(buf_bytes(now), buf_bytes(before));

		if (turn == 0 || changed) {
			if (!o->no_title)
				put_title(c, ns, command);
			cmd_bytes(c, buf_bytes(now));
		}
		if (o->error && status != 0)
			return 8;
		if (o->change && turn > 0 && changed)
			return 0;
		same = turn > 0 && !changed ? same + 1 : 0;
		if (o->equal != 0 && same * NS >= o->equal)
			return 0;
		cmd_flush(c);
		cmd_sleep(c, ns);
	}
	return cmd_error(c, 0, "ended after %d turns: nobody looks", TURNS_MAX);
}

static void watch_defaults(struct cmd *c)
{
	((struct watch_opts *)c->opts)->interval = 2 * (int64_t)NS;
}

const struct builtin builtin_watch = {
	.name = "watch",
	.usage = "[OPTION]... COMMAND [ARG]...",
	.summary = "Runs COMMAND again and again and writes its output when it changes.",
	.run = watch_run,
	.opts = watch_options,
	.opts_size = sizeof(struct watch_opts),
	.flags = BUILTIN_STOP,
	.defaults = watch_defaults,
	.family = "procps-ng 4.0.2",
};
