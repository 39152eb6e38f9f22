/* SPDX-License-Identifier: MIT
 *
 * ts - the time before each line, as it comes.
 */
#include "builtins/zone.h"

enum { NS = 1000000000 };

struct ts_opts {
	bool since_last;
	bool since_start;
};

static const struct opt ts_options[] = {
	OPT_FLAG('i', NULL, struct ts_opts, since_last, "the time since the last line"),
	OPT_FLAG('s', NULL, struct ts_opts, since_start, "the time since the start"),
	OPT_IGNORED('m', NULL, "no effect: the clock never goes back"),
	OPT_MISSING('r', NULL),
	OPT_END(),
};

/* %.S, %.s, %.T: with microseconds. Made into what time_format knows. */
static struct bytes expand_format(struct arena *a, const char *format, int64_t ns)
{
	struct buf out = buf_in(a);

	for (const char *at = format; *at != '\0'; at++) {
		bool fraction = at[0] == '%' && at[1] == '.' && at[2] != '\0' &&
				strchr("SsT", at[2]) != NULL;

		if (fraction) {
			buf_printf(&out, "%%%c.%06lld", at[2], (long long)(ns % NS / 1000));
			at += 2;
		} else {
			buf_putc(&out, *at);
			if (at[0] == '%' && at[1] != '\0')
				buf_putc(&out, *++at);
		}
	}
	return buf_bytes(&out);
}

static void put_time(struct cmd *c, const struct zone *zone, const char *format, int64_t ns)
{
	struct arena_mark mark = arena_mark(c->arena);
	struct buf out = buf_in(c->arena);
	struct civil when;

	time_civil(zone, ns / NS, &when);
	time_format(&out, expand_format(c->arena, format, ns), &when, ns / NS, TIME_LIBC);
	cmd_bytes(c, buf_bytes(&out));
	cmd_putc(c, ' ');
	arena_release(c->arena, mark);
}

static int ts_run(struct cmd *c)
{
	const struct ts_opts *o = c->opts;
	bool span = o->since_last || o->since_start;
	const char *format = c->nargs > 0 ? c->args[0] : span ? "%H:%M:%S" : "%b %d %H:%M:%S";
	struct zone *zone = span ? zone_of_text(c->arena, NULL) : zone_of_command(c);
	int64_t from = cmd_now(c);
	struct input in;
	struct bytes line;
	int got;

	if (c->nargs > 1)
		return cmd_usage(c, "one format is enough");
	int err = input_open(&in, c, "-");

	if (err < 0)
		return cmd_error(c, err, "standard input");
	while ((got = input_line(&in, '\n', &line)) > 0) {
		int64_t now = cmd_now(c);

		cmd_charge_bytes(c, line.len);
		put_time(c, zone, format, span ? now - from : now);
		cmd_bytes(c, line);
		if (in.ended)
			cmd_putc(c, '\n');
		cmd_flush(c);
		if (o->since_last)
			from = now;
	}
	return got < 0 ? cmd_error(c, got, "standard input") : 0;
}

const struct builtin builtin_ts = {
	.name = "ts",
	.usage = "[-i | -s] [FORMAT]",
	.summary = "Writes the time before each line of standard input.\n"
		   "FORMAT is that of strftime, and %.S, %.s, %.T with microseconds.",
	.run = ts_run,
	.opts = ts_options,
	.opts_size = sizeof(struct ts_opts),
	.usage_status = 255,
	.family = "moreutils 0.67",
};
