/* SPDX-License-Identifier: MIT
 *
 * uptime - how long the session has run.
 */
#include "builtins/uptime.h"
#include "builtins/zone.h"

enum { NS = 1000000000 };

struct uptime_opts {
	bool pretty;
	bool since;
};

static const struct opt uptime_options[] = {
	OPT_FLAG('p', "pretty", struct uptime_opts, pretty, "only how long, in words"),
	OPT_FLAG('s', "since", struct uptime_opts, since, "only when it began"),
	OPT_END(),
};

/* "1 day, " ... as parts of a sentence; `any`: something stands before. */
static bool put_unit(struct cmd *c, int64_t n, const char *unit, bool any)
{
	if (n > 0)
		cmd_printf(c, "%s%lld %s%s", any ? ", " : "", (long long)n, unit, n > 1 ? "s" : "");
	return any || n > 0;
}

static void put_pretty(struct cmd *c, int64_t s)
{
	int64_t minutes = s / 60 % 60;
	bool any;

	cmd_puts(c, "up ");
	any = put_unit(c, s / 31536000, "year", false);
	any = put_unit(c, s / 604800 % 52, "week", any);
	any = put_unit(c, s / 86400 % 7, "day", any);
	any = put_unit(c, s / 3600 % 24, "hour", any);
	if (minutes > 0 || s < 60)
		cmd_printf(c, "%s%lld %s", any ? ", " : "", (long long)minutes,
			   minutes == 1 ? "minute" : "minutes");
	cmd_putc(c, '\n');
}

static void add_load(struct cmd *c, struct buf *out)
{
	struct bytes text;
	size_t at = 0;

	buf_puts(out, "load average: ");
	if (cmd_read_all(c, "/proc/loadavg", &text) < 0)
		return;
	for (int i = 0; i < 3; i++) {
		size_t end = at;

		while (end < text.len && text.ptr[end] != ' ')
			end++;
		buf_printf(out, i > 0 ? ", %.*s" : "%.*s", (int)(end - at), text.ptr + at);
		at = end < text.len ? end + 1 : end;
	}
}

void uptime_line(struct cmd *c, struct buf *text)
{
	int64_t s = cmd_uptime(c) / NS;
	struct civil now;

	time_civil(zone_of_command(c), cmd_now(c) / NS, &now);
	time_format(text, BYTES(" %H:%M:%S up "), &now, 0, TIME_LIBC);
	if (s >= 86400)
		buf_printf(text, "%lld %s, ", (long long)(s / 86400),
			   s >= 2 * 86400 ? "days" : "day");
	if (s % 86400 >= 3600)
		buf_printf(text, "%2d:%02d, ", (int)(s % 86400 / 3600), (int)(s % 3600 / 60));
	else
		buf_printf(text, "%d min, ", (int)(s % 3600 / 60));
	buf_puts(text, " 0 user,  ");
	add_load(c, text);
}

static int uptime_run(struct cmd *c)
{
	const struct uptime_opts *o = c->opts;
	int64_t began = (cmd_now(c) - cmd_uptime(c)) / NS;
	struct buf text = buf_in(c->arena);
	struct civil then;

	if (c->nargs > 0)
		return cmd_usage(c, NULL);
	if (o->pretty && !o->since) {
		put_pretty(c, cmd_uptime(c) / NS);
	} else if (o->since) {
		time_civil(zone_of_command(c), began, &then);
		time_format(&text, BYTES("%Y-%m-%d %H:%M:%S\n"), &then, began, TIME_LIBC);
		cmd_bytes(c, buf_bytes(&text));
	} else {
		uptime_line(c, &text);
		buf_putc(&text, '\n');
		cmd_bytes(c, buf_bytes(&text));
	}
	return 0;
}

const struct builtin builtin_uptime = {
	.name = "uptime",
	.usage = "[OPTION]...",
	.summary = "Writes how long the session has run.",
	.run = uptime_run,
	.opts = uptime_options,
	.opts_size = sizeof(struct uptime_opts),
	.family = "procps-ng 4.0.2",
};
