/* SPDX-License-Identifier: MIT
 *
 * w - who is logged in: nobody is, so that only headers are written.
 */
#include "builtins/uptime.h"

struct w_opts {
	bool no_header;
	bool from;
	bool brief;
};

static const struct opt w_options[] = {
	OPT_FLAG('h', "no-header", struct w_opts, no_header, "no lines of headers"),
	OPT_IGNORED('u', "no-current", "no effect: nobody is logged in"),
	OPT_FLAG('s', "short", struct w_opts, brief, "short lines"),
	OPT_FLAG('f', "from", struct w_opts, from, "no column of places"),
	OPT_IGNORED('o', "old-style", "no effect: nobody is logged in"),
	OPT_IGNORED('i', "ip-addr", "the same"),
	OPT_END(),
};

static int w_run(struct cmd *c)
{
	const struct w_opts *o = c->opts;
	struct buf line = buf_in(c->arena);

	if (o->no_header)
		return 0;
	uptime_line(c, &line);
	cmd_bytes(c, buf_bytes(&line));
	cmd_puts(c, "\nUSER     TTY      ");
	cmd_puts(c, o->from ? "  " : "FROM             ");
	cmd_puts(c, o->brief ? " IDLE WHAT\n" : "LOGIN@   IDLE   JCPU   PCPU WHAT\n");
	return 0;
}

const struct builtin builtin_w = {
	.name = "w",
	.usage = "[OPTION]... [USER]",
	.summary = "Writes who is logged in and what they do: nobody logs in to a session.",
	.run = w_run,
	.opts = w_options,
	.opts_size = sizeof(struct w_opts),
	.family = "procps-ng 4.0.2",
};
