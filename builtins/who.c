/* SPDX-License-Identifier: MIT
 *
 * who - those who are logged in: nobody is, so that only headers and counts are written.
 */
#include "builtins/builtin.h"

struct who_opts {
	bool heading;
	bool count;
};

static const struct opt who_options[] = {
	OPT_IGNORED('a', "all", "everything"),
	OPT_IGNORED('b', "boot", "when the system started"),
	OPT_IGNORED('d', "dead", "ended processes"),
	OPT_FLAG('H', "heading", struct who_opts, heading, "a line of headers"),
	OPT_IGNORED('l', "login", "processes that wait for a login"),
	OPT_IGNORED(0, "lookup", "names of hosts"),
	OPT_IGNORED('m', NULL, "only the user of standard input"),
	OPT_IGNORED('p', "process", "processes of init"),
	OPT_FLAG('q', "count", struct who_opts, count, "only names and how many there are"),
	OPT_IGNORED('r', "runlevel", "the run level"),
	OPT_IGNORED('s', "short", "name, line and time"),
	OPT_IGNORED('t', "time", "changes of the clock"),
	OPT_IGNORED('T', "mesg", "whether messages are taken"),
	OPT_IGNORED('w', NULL, NULL),
	OPT_IGNORED('u', "users", "users who are logged in"),
	OPT_IGNORED(0, "message", NULL),
	OPT_IGNORED(0, "writable", NULL),
	OPT_END(),
};

static int who_run(struct cmd *c)
{
	const struct who_opts *o = c->opts;
	int status = cmd_operands(c, 0, 2);

	if (status != 0)
		return status;
	if (o->count)
		cmd_puts(c, "\n# users=0\n");
	else if (o->heading)
		cmd_puts(c, "NAME     LINE         TIME             COMMENT\n");
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
