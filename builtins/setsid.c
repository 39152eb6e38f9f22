/* SPDX-License-Identifier: MIT
 *
 * setsid - run a program in a new session.
 */
#include "builtins/builtin.h"

struct setsid_opts {
	bool fork;
	bool wait;
	bool terminal;
};

static const struct opt setsid_options[] = {
	OPT_FLAG('c', "ctty", struct setsid_opts, terminal,
		 "make the current terminal the controlling one"),
	OPT_FLAG('f', "fork", struct setsid_opts, fork, "always run it in a new process"),
	OPT_FLAG('w', "wait", struct setsid_opts, wait, "wait for it, and end with its status"),
	OPT_END(),
};

/* Programs are started in a session of their own by this program itself, in the child. */
static int in_child(struct cmd *c, const struct setsid_opts *o)
{
	char **argv = arena_array(c->arena, (size_t)c->nargs + 2, sizeof(char *));
	struct cmd_program prog = { .argv = argv };

	argv[0] = arena_dup(c->arena, bytes_of(c->name));
	memcpy(argv + 1, c->args, (size_t)c->nargs * sizeof(char *));
	int pid = cmd_spawn(c, &prog);

	if (pid < 0)
		return cmd_error(c, pid, "fork");
	if (!o->wait)
		return 0;
	return cmd_wait_end(c, pid);
}

static int setsid_run(struct cmd *c)
{
	const struct setsid_opts *o = c->opts;

	if (c->nargs == 0)
		return cmd_usage(c, "no command specified");
	/* The leader of a group cannot begin a session. */
	if (o->fork || o->wait || cmd_pgid(c) == cmd_pid(c))
		return in_child(c, o);
	int err = cmd_setsid(c);

	if (err < 0)
		return cmd_error(c, err, "setsid failed");
	err = cmd_become(c, c->args, c->envp);
	cmd_error(c, err, "failed to execute %s", c->args[0]);
	return err == -E_NOENT ? 127 : 126;
}

const struct builtin builtin_setsid = {
	.name = "setsid",
	.usage = "[OPTION]... COMMAND [ARG]...",
	.summary = "Runs COMMAND in a new session.",
	.run = setsid_run,
	.opts = setsid_options,
	.opts_size = sizeof(struct setsid_opts),
	.flags = BUILTIN_STOP,
	.family = "util-linux 2.38.1",
};
