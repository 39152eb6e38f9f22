/* SPDX-License-Identifier: MIT
 *
 * renice - change the nice value of running processes.
 */
#include "builtins/builtin.h"

enum renice_what { BY_PROCESS, BY_GROUP, BY_USER };

static const char *const what_text[] = { "process ID", "process group ID", "user ID" };

/* Each process that the number stands for; the lowest old value, or none. */
struct change {
	struct cmd *c;
	int value;
	enum renice_what what;
};

static int set_one(const struct change *ch, const struct cmd_proc *p, int id)
{
	int err = cmd_set_nice(ch->c, p->pid, ch->value);

	return err == 0 ? 0
			: cmd_error(ch->c, err, "failed to set priority for %d (%s)", id,
				    what_text[ch->what]);
}

static int change_id(const struct change *ch, int id)
{
	/* 0 stands for the caller's own. */
	int own = ch->what == BY_PROCESS ? cmd_pid(ch->c)
		  : ch->what == BY_GROUP ? cmd_pgid(ch->c)
					 : (int)cmd_uid(ch->c);
	int wanted = id != 0 ? id : own;
	struct cmd_proc *list;
	size_t n = cmd_procs(ch->c, &list);
	int before = 20;
	int status = 0;

	for (size_t i = 0; i < n; i++) {
		const struct cmd_proc *p = &list[i];
		int key = ch->what == BY_PROCESS ? p->pid
			  : ch->what == BY_GROUP ? p->pgid
						 : (int)p->uid;

		if (key != wanted)
			continue;
		before = p->nice < before ? p->nice : before;
		status |= set_one(ch, p, id);
	}
	if (before == 20)
		return cmd_error(ch->c, -E_SRCH, "failed to get priority for %d (%s)", id,
				 what_text[ch->what]);
	if (status != 0)
		return status;
	int after = ch->value > 19 ? 19 : ch->value < -20 ? -20 : ch->value;

	cmd_printf(ch->c, "%d (%s) old priority %d, new priority %d\n", id, what_text[ch->what],
		   before, after);
	return 0;
}

static int change_text(const struct change *ch, const char *text)
{
	uint64_t id = 0; /* what "" stands for */
	uint32_t uid;
	uint32_t gid;

	if (ch->what == BY_USER && cmd_user_id(ch->c, text, &uid, &gid))
		return change_id(ch, (int)uid);
	if (*text != '\0' && (!num_plain(text, &id) || id > INT32_MAX)) {
		if (ch->what == BY_USER)
			return cmd_error(ch->c, 0, "unknown user %s", text);
		return cmd_error(ch->c, 0, "bad %s value: %s", what_text[ch->what], text);
	}
	return change_id(ch, (int)id);
}

/* -g -p -u and their names: 0, or the kind plus one. */
static int kind_option(const char *arg)
{
	static const char *const names[] = { "-p", "--pid", "-g", "--pgrp", "-u", "--user" };

	for (int i = 0; i < 6; i++)
		if (strcmp(arg, names[i]) == 0)
			return i / 2 + 1;
	return 0;
}

/* The value: "-n 5" or the first argument. How many were taken, or 0. */
static int take_value(struct cmd *c, struct change *ch)
{
	int at = 0;
	int64_t value = 0; /* what "" stands for */

	if (c->nargs > 0 &&
	    (strcmp(c->args[0], "-n") == 0 || strcmp(c->args[0], "--priority") == 0))
		at = 1;
	if (c->nargs < at + 2)
		return cmd_usage(c, "not enough arguments"), 0;
	if (c->args[at][0] != '\0' &&
	    num_parse_i64(c->args[at] + (c->args[at][0] == '+'), "", &value) != 0)
		return cmd_usage(c, "invalid priority '%s'", c->args[at]), 0;
	ch->value = value > 100 ? 100 : value < -100 ? -100 : (int)value;
	return at + 1;
}

static int renice_run(struct cmd *c)
{
	struct change ch = { .c = c, .what = BY_PROCESS };
	int at = take_value(c, &ch);
	int status = 0;

	if (at == 0)
		return 1;
	for (; at < c->nargs; at++) {
		int kind = kind_option(c->args[at]);

		if (kind != 0)
			ch.what = (enum renice_what)(kind - 1);
		else
			status |= change_text(&ch, c->args[at]);
	}
	return status;
}

const struct builtin builtin_renice = {
	.name = "renice",
	.usage = "[-n|--priority] N [-p|-g|-u] ID...",
	.summary = "Changes the nice value of processes, process groups or the processes of users.",
	.run = renice_run,
	.flags = BUILTIN_RAW_HELP,
	.family = "util-linux 2.38.1",
};
