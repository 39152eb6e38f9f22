/* SPDX-License-Identifier: MIT
 *
 * pee - write standard input into several commands, as tee writes it into files.
 */
#include "builtins/builtin.h"

enum { SIG_PIPE = 13 };

struct pee_opts {
	bool stop_at_pipe;
	bool stop_at_error;
};

static const struct opt pee_options[] = {
	OPT_IGNORED(0, "ignore-sigpipe", "a command that ends early is no error (as it is)"),
	OPT_FLAG(0, "no-ignore-sigpipe", struct pee_opts, stop_at_pipe,
		 "end when a command no longer reads"),
	OPT_IGNORED(0, "ignore-write-errors", "go on after errors of writing (as it does)"),
	OPT_FLAG(0, "no-ignore-write-errors", struct pee_opts, stop_at_error,
		 "end at an error of writing"),
	OPT_END(),
};

struct listener {
	int pid;
	int fd; /* -1: no longer written to */
};

static void start(struct cmd *c, struct listener *l, char *command)
{
	static char shell[] = "sh";
	static char flag[] = "-c";
	char *argv[] = { shell, flag, command, NULL };
	int ends[2];
	int err = cmd_pipe(c, ends);

	if (err < 0)
		cmd_fatal(c, err, "pipe");
	const int fds[3] = { ends[0], 1, 2 };
	struct cmd_program prog = { .argv = argv, .fds = fds, .nfds = 3 };

	l->pid = cmd_spawn(c, &prog);
	l->fd = ends[1];
	cmd_close(c, ends[0]);
	if (l->pid < 0)
		cmd_fatal(c, l->pid, "Can not open pipe to '%s'", command);
}

static void feed(struct cmd *c, struct listener *l, struct bytes block)
{
	const struct pee_opts *o = c->opts;
	int err = l->fd >= 0 ? cmd_write_fd(c, l->fd, block.ptr, block.len) : 0;

	if (err >= 0)
		return;
	if (err == -E_PIPE ? o->stop_at_pipe : o->stop_at_error)
		cmd_fatal(c, err, "Write error to a command");
	cmd_close(c, l->fd);
	l->fd = -1;
}

static int pee_run(struct cmd *c)
{
	struct listener *l = arena_array(c->arena, (size_t)c->nargs + 1, sizeof *l);
	struct input in;
	struct bytes block;
	int result = 0;
	int err = input_open(&in, c, "-");

	if (err < 0)
		return cmd_error(c, err, "standard input");
	for (int i = 0; i < c->nargs; i++)
		start(c, &l[i], c->args[i]);
	cmd_signal(c, SIG_PIPE, CMD_SIG_IGNORE);
	while (input_block(&in, &block) > 0) {
		cmd_charge_bytes(c, block.len);
		for (int i = 0; i < c->nargs; i++)
			feed(c, &l[i], block);
	}
	for (int i = 0; i < c->nargs; i++) {
		if (l[i].fd >= 0)
			cmd_close(c, l[i].fd);
		result |= cmd_wait_end(c, l[i].pid);
	}
	return result;
}

const struct builtin builtin_pee = {
	.name = "pee",
	.usage = "[OPTION]... [COMMAND]...",
	.summary = "Writes standard input into each COMMAND, a script of the shell.",
	.run = pee_run,
	.opts = pee_options,
	.opts_size = sizeof(struct pee_opts),
	.family = "moreutils 0.67",
};
