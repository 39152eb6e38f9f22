/* SPDX-License-Identifier: MIT
 *
 * sudo - run a program as another user: here, as the same one.
 *
 * A session has one user and nobody to ask for a password. What scripts do with sudo nearly always
 * works without it, so the program runs, after one line that says what is done.
 */
#include "builtins/builtin.h"

struct sudo_opts {
	const char *dir;
	const char *user;
	bool list;
	bool validate;
	bool shell;
	bool login;
	bool empty_home;
};

static const struct opt sudo_options[] = {
	OPT_IGNORED('n', "non-interactive", "never ask for a password"),
	OPT_IGNORED('E', "preserve-env", "keep the environment, as always here"),
	OPT_IGNORED('H', "set-home", "no effect: the user stays the same"),
	OPT_IGNORED('S', "stdin", "no effect: no password is asked for"),
	OPT_IGNORED('A', "askpass", "the same"),
	OPT_IGNORED('b', "background", NULL),
	OPT_IGNORED('k', "reset-timestamp", "no effect: nothing is remembered"),
	OPT_IGNORED('K', "remove-timestamp", "the same"),
	OPT_IGNORED_ARG('p', "prompt", "TEXT", "no effect: no password is asked for"),
	OPT_STR('u', "user", struct sudo_opts, user, NULL, "USER", "run as the session's user"),
	OPT_IGNORED_ARG('g', "group", "GROUP", "run as the session's group"),
	OPT_STR('D', "chdir", struct sudo_opts, dir, NULL, "DIR", "run in DIR"),
	OPT_FLAG('i', "login", struct sudo_opts, login, "run it by a login shell"),
	OPT_FLAG('s', "shell", struct sudo_opts, shell, "run it by a shell"),
	OPT_FLAG('l', "list", struct sudo_opts, list, "say what may be run"),
	OPT_FLAG('v', "validate", struct sudo_opts, validate, "do nothing, and succeed"),
	OPT_END(),
};

/* The command for a shell: bash [-l] [-c WORDS]. */
static char **shell_argv(struct cmd *c, bool login, char **words)
{
	char **argv = arena_array(c->arena, 5, sizeof(char *));
	struct buf text = buf_in(c->arena);
	int n = 0;

	argv[n++] = arena_dup(c->arena, BYTES("/bin/bash"));
	if (login)
		argv[n++] = arena_dup(c->arena, BYTES("-l"));
	if (*words == NULL)
		return argv;
	for (; *words != NULL; words++) {
		if (text.len > 0)
			buf_putc(&text, ' ');
		quote_put(&text, bytes_of(*words), QUOTE_SHELL_ESCAPE, "", c->utf8);
	}
	argv[n++] = arena_dup(c->arena, BYTES("-c"));
	argv[n] = arena_dup(c->arena, buf_bytes(&text));
	return argv;
}

static int sudo_run(struct cmd *c)
{
	const struct sudo_opts *o = c->opts;
	const char *name = cmd_user_name(c, cmd_uid(c));
	struct env e;
	int at = 0;
	int err = 0;

	if (o->validate)
		return 0;
	if (o->list) {
		cmd_printf(c, "User %s may run every command here, as the same user.\n",
			   name != NULL ? name : "?");
		return 0;
	}
	env_init(&e, c, false);
	for (; at < c->nargs && strchr(c->args[at], '=') != NULL; at++)
		env_put(&e, c->args[at]);
	if (at == c->nargs && !o->shell && !o->login)
		return cmd_usage(c, "a command is needed");
	if (cmd_uid(c) != 0 || o->user != NULL)
		cmd_warn(c, 0, "a session has one user: the command runs as %s",
			 name != NULL ? name : "the same user");
	char **argv = c->args + at;

	if (o->shell || o->login)
		argv = shell_argv(c, o->login, argv);
	if (o->dir != NULL && (err = cmd_chdir(c, o->dir)) < 0)
		return cmd_error(c, err, "unable to change directory to %s", o->dir);
	err = cmd_become(c, argv, e.list);
	if (err == -E_NOENT)
		return cmd_error(c, 0, "%s: command not found", argv[0]);
	return cmd_error(c, 0, "unable to execute %s: %s", argv[0], err_text(err));
}

const struct builtin builtin_sudo = {
	.name = "sudo",
	.usage = "[OPTION]... [NAME=VALUE]... COMMAND [ARG]...",
	.summary = "Runs COMMAND as the session's user: there is no other one.",
	.run = sudo_run,
	.opts = sudo_options,
	.opts_size = sizeof(struct sudo_opts),
	.flags = BUILTIN_STOP,
	.family = "sudo 1.9.13",
	.version = "Sudo version 1.9.13",
};
