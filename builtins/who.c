/* SPDX-License-Identifier: MIT
 *
 * who - those who are logged in: nobody is, so that only headers and counts are written.
 */
#include "builtins/builtin.h"

struct who_opts {
	bool all;
	bool dead;
	bool idle; /* columns of idle time and of numbers */
	bool number;
	bool heading;
	bool count;
	bool brief;
	bool messages;
};

static const struct opt who_options[] = {
	OPT_FLAG('a', "all", struct who_opts, all, "everything"),
	OPT_FLAG('b', "boot", struct who_opts, number, "when the system started"),
	OPT_FLAG('d', "dead", struct who_opts, dead, "ended processes"),
	OPT_FLAG('H', "heading", struct who_opts, heading, "a line of headers"),
	OPT_FLAG('l', "login", struct who_opts, idle, "processes that wait for a login"),
	OPT_IGNORED(0, "lookup", "names of hosts"),
	OPT_IGNORED('m', NULL, "only the user of standard input"),
	OPT_FLAG('p', "process", struct who_opts, number, "processes of init"),
	OPT_FLAG('q', "count", struct who_opts, count, "only names and how many there are"),
	OPT_FLAG('r', "runlevel", struct who_opts, idle, "the run level"),
	OPT_FLAG('s', "short", struct who_opts, brief, "name, line and time"),
	OPT_FLAG('t', "time", struct who_opts, number, "changes of the clock"),
	OPT_FLAG('T', "mesg", struct who_opts, messages, "whether messages are taken"),
	OPT_FLAG('w', NULL, struct who_opts, messages, NULL),
	OPT_FLAG('u', "users", struct who_opts, idle, "users who are logged in"),
	OPT_FLAG(0, "message", struct who_opts, messages, NULL),
	OPT_FLAG(0, "writable", struct who_opts, messages, NULL),
	OPT_END(),
};

static void put_heading(struct cmd *c, const struct who_opts *o)
{
	bool exits = o->all || o->dead;
	bool idle = o->idle || exits;
	bool brief = o->brief && !exits;

	cmd_puts(c, "NAME     ");
	cmd_puts(c, o->messages || o->all ? "  " : "");
	cmd_puts(c, "LINE         TIME             ");
	cmd_puts(c, idle && !brief ? "IDLE   " : "");
	cmd_puts(c, (idle || o->number) && !brief ? "       PID " : "");
	cmd_puts(c, exits ? "COMMENT  EXIT\n" : "COMMENT\n");
}

static int who_run(struct cmd *c)
{
	const struct who_opts *o = c->opts;
	int status = cmd_operands(c, 0, 2);

	if (status != 0)
		return status;
	if (o->count)
		cmd_puts(c, "\n# users=0\n");
	else if (o->heading)
		put_heading(c, o);
	return 0;
}

const struct builtin builtin_who = {
	.name = "who",
	.usage = "[OPTION]... [FILE | ARG1 ARG2]",
	.summary = "Writes who is logged in: nobody logs in to a session.",
	.run = who_run,
	.opts = who_options,
	.opts_size = sizeof(struct who_opts),
};
